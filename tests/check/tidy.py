#!/usr/bin/env python3
"""The tree is clean: formatted, and free of what belongs to one machine only."""

import os
import re

import tap

# Written in pieces, so that this file does not find itself.
FOREIGN = [re.compile(pattern) for pattern in (
    r"(?<![\w.])/" + r"work/", r"/tmp/" + r"w-\w", r"/home/" + r"\w+/",
    r"pypi" + r"\.org", r"registry\." + r"npmjs", r"crates" + r"\.io", r"python" + r"hosted",
    r"repo1\." + r"maven", r"proxy\." + r"golang", r"rubygems" + r"\.org")]
CODE = (".c", ".h", ".py", ".sh", ".java", ".md", ".build", ".txt", ".xml", ".ui", ".css", ".in")


def check_format():
    _, version = tap.output("clang-format", "--version")
    if not re.search(r"version 14\.", version):
        raise tap.Skip("the tree is formatted by clang-format 14, here is " + version.strip())
    names = [name for name in tap.files() if name.endswith((".c", ".h"))]
    status, text = tap.output("clang-format", "--dry-run", "-Werror", *names)
    if not status:
        return []
    found = {}
    for line in text.splitlines():
        if ": error:" in line:
            found.setdefault(line.partition(":")[0], line.split(":")[1])
    return [f"{name}:{line}: not as clang-format writes it" for name, line in found.items()]


def check_places():
    complaints = []
    for name in tap.files():
        text = tap.read(name)
        if "\0" in text:
            continue
        for number, line in enumerate(text.splitlines(), 1):
            complaints += [f"{name}:{number}: {pattern.search(line)[0]}"
                           for pattern in FOREIGN if pattern.search(line)]
    return complaints


def check_white_space():
    complaints = []
    for name in tap.files():
        if not name.endswith(CODE):
            continue
        text = tap.read(name)
        if text and not text.endswith("\n"):
            complaints.append(f"{name}: no newline at the end")
        if "\r" in text:
            complaints.append(f"{name}: a carriage return")
        complaints += [f"{name}:{number}: white space at the end"
                       for number, line in enumerate(text.splitlines(), 1)
                       if line != line.rstrip() and not name.endswith(".md")]
    return complaints


def check_headers():
    """A header says once that it is read once, and begins with what it is."""
    complaints = []
    for name in tap.files():
        if name.endswith(".h"):
            text = tap.read(name)
            if "#pragma once" not in text:
                complaints.append(f"{name}: no #pragma once")
            if not text.startswith("/*"):
                complaints.append(f"{name}: does not begin with what it is")
    return complaints


def check_modes():
    """What starts with #! can be started."""
    complaints = []
    for name in tap.files():
        path = os.path.join(tap.SOURCE, name)
        if tap.read(name).startswith("#!") and not os.access(path, os.X_OK):
            complaints.append(f"{name}: begins with #! but cannot be executed")
    return complaints


tap.main([
    ("/tidy/clang-format", check_format),
    ("/tidy/no-machine-paths-or-registries", check_places),
    ("/tidy/white-space", check_white_space),
    ("/tidy/headers", check_headers),
    ("/tidy/modes", check_modes),
])
