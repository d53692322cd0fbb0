#!/usr/bin/env python3
"""The documents are true as far as a program can see: links lead somewhere, the map is complete."""

import os
import re

import tap

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
MAP = "docs/architecture.md"


def anchor(title):
    """GitHub's anchor of a heading."""
    title = re.sub(r"[`*]", "", title).strip().lower()
    return re.sub(r"[^\w\- ]", "", title).replace(" ", "-")


def anchors(name):
    return {anchor(title) for title in re.findall(r"^#+\s+(.*)$", tap.read(name), re.MULTILINE)}


def check_links():
    complaints = []
    listed = set(tap.files())
    folders = {os.path.dirname(name) for name in listed}
    for name in listed:
        if not name.endswith(".md"):
            continue
        for target in LINK.findall(FENCE.sub("", tap.read(name))):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, fragment = target.partition("#")
            full = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
            if full not in listed and full not in folders:
                complaints.append(f"{name}: {target} leads nowhere")
            elif fragment and full.endswith(".md") and fragment not in anchors(full):
                complaints.append(f"{name}: {full} has no heading #{fragment}")
    return complaints


def nouns():
    """(folder, noun) of every source outside of tests/."""
    found = set()
    for name in tap.files():
        base, extension = os.path.splitext(os.path.basename(name))
        if extension in (".c", ".h") and not name.startswith("tests/"):
            found.add((os.path.dirname(name), base))
    return found


def sections():
    """The map's text by folder: a heading that begins with `folder/`."""
    parts = re.split(r"^#+\s+`([\w/]+)/`.*$", tap.read(MAP), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


def check_map_is_complete():
    """Every folder has its section. A new source without a line is named, as a test left out."""
    text = sections()
    complaints, missing = set(), []
    for folder, noun in sorted(nouns()):
        if folder not in text:
            complaints.add(f"{MAP}: no section for `{folder}/`")
        elif not re.search(rf"`{re.escape(noun)}`", text[folder]):
            missing.append(f"{folder}/{noun}")
    if missing and not complaints:
        raise tap.Skip("not on the map yet: " + ", ".join(missing))
    return sorted(complaints)


def check_map_is_true():
    complaints = []
    known = nouns()
    for folder, text in sections().items():
        if not os.path.isdir(os.path.join(tap.SOURCE, folder)):
            complaints.append(f"{MAP}: there is no folder `{folder}/`")
        for noun in re.findall(r"^- `([\w-]+)`", text, re.MULTILINE):
            if not folder.startswith("tests") and (folder, noun) not in known:
                complaints.append(f"{MAP}: `{folder}/` holds no `{noun}`")
    return complaints


def check_commands():
    """Files that the documents name in commands exist."""
    complaints = []
    for name in ("README.md", "docs/overhead.md"):
        for path in re.findall(r"(?<![\w/.])((?:tests|docs|icons|\.ci)/[\w./-]+\w)", tap.read(name)):
            if not os.path.exists(os.path.join(tap.SOURCE, path)):
                complaints.append(f"{name}: there is no {path}")
    return complaints


tap.main([
    ("/documents/links-lead-somewhere", check_links),
    ("/documents/the-map-lists-every-source", check_map_is_complete),
    ("/documents/the-map-lists-nothing-that-is-gone", check_map_is_true),
    ("/documents/named-files-exist", check_commands),
])
