#!/usr/bin/env python3
"""The documents are true as far as a program can see: links and names lead somewhere."""

import os
import re

import tap

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
PAGE = "docs/architecture.md"


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


def check_pictures():
    """Every picture of the guide is shown in it."""
    shown = {os.path.normpath(os.path.join(os.path.dirname(name), target))
             for name in tap.files() if name.endswith(".md")
             for target in LINK.findall(tap.read(name))}
    return [f"{name} is nowhere shown" for name in tap.files()
            if name.startswith("docs/guide/pictures/") and name not in shown]


def check_named_sources():
    """`room/noun` and `folder/` in the page about the architecture are there."""
    complaints = []
    listed = tap.files()
    stems = {os.path.splitext(name)[0] for name in listed}
    folders = {os.path.dirname(name) for name in listed}
    for name in re.findall(r"`([\w-]+(?:/[\w-]+)*/[\w-]*)`", tap.read(PAGE)):
        known = folders if name.endswith("/") else stems
        wanted = name.rstrip("/")
        if not any(path == wanted or path.endswith("/" + wanted) for path in known):
            complaints.append(f"{PAGE}: there is no `{name}`")
    return complaints


def check_rooms():
    """Every folder of sources is a row or a heading of the page."""
    complaints = []
    text = tap.read(PAGE)
    for folder in sorted({os.path.dirname(name) for name in tap.files()
                          if name.endswith((".c", ".h")) and not name.startswith("tests/")}):
        if f"`{folder}/`" not in text and not re.search(
                rf"^\| `{re.escape(os.path.basename(folder))}/` \|", text, re.MULTILINE):
            complaints.append(f"{PAGE}: nothing is said of `{folder}/`")
    return complaints


def check_commands():
    """Files that the documents name in commands exist."""
    complaints = []
    for name in ("README.md", "docs/overhead.md", "docs/developing.md"):
        for path in re.findall(r"(?<![\w/.])((?:tests|docs|icons|\.ci)/[\w./-]+\w)", tap.read(name)):
            if not os.path.exists(os.path.join(tap.SOURCE, path)):
                complaints.append(f"{name}: there is no {path}")
    return complaints


tap.main([
    ("/documents/links-lead-somewhere", check_links),
    ("/documents/every-picture-is-shown", check_pictures),
    ("/documents/the-architecture-names-what-is-there", check_named_sources),
    ("/documents/the-architecture-knows-every-folder", check_rooms),
    ("/documents/named-files-exist", check_commands),
])
