#!/usr/bin/env python3
"""Words that the project no longer uses: they fail in code, documents and texts on screen.

    tests/check/words.py --list    every place, also in programs that are recorded
"""

import re
import sys

import tap

# Any file: a pattern, and what is said instead. A blank also stands for a line's end in a comment.
PHRASES = [
    (r"time-outs?", "timeout"),
    (r"hand-?overs?", "handoff"),
    (r"call[ -]chains?", "stack trace"),
    (r"does itself", "overhead of the recorder"),
    (r"lent slots?", "slot of a virtual thread"),
    (r"generation_hold\w*", "grace period"),
]
# Any file: a word, or a part of an identifier (pm_toll_new, PmToll).
WORDS = {
    "toll": "cost of a blocker",
    "pile": "column builder",
    "berth": "slot of a virtual thread",
    "crossing": "vthread slot, handoff between threads",
    "plant": "begin (a wait in progress)",
    "planted": "begun",
    "uproot": "end (a wait in progress)",
    "uprooted": "ended",
    "tend": "follow (a wait in progress)",
    "tended": "followed",
    "sketch": "loading preview",
    "health": "metrics of the recorder",
}
# Parts of identifiers only, as their English is fine: where, and what is said instead.
PARTS = {
    "turn": ("", "lock acquisition, or what it is"),
    "edge": ("recorder/agent/ viewer/analysis/", "transition, bound, or what it is"),
    "gone": ("recorder/agent/ viewer/analysis/", "collected, ended"),
    "seed": ("recorder/agent/", "wait in progress"),
}
# What may stay: names in JSON, in the format and of metrics are promises to programs.
ALLOWED = [
    re.compile(r'"(?:fair-)?(?:time-out|hand-over)s?"'),
    re.compile(r"^\| 8 \| time-out \|$"),
    re.compile(r"`(?:fair-)?(?:time-out|hand-over)`"),
]
SKIPPED = ("LICENSE", "CHANGELOG.md", "tests/check/words.py")
# Programs that are recorded have words of their own: a shop has a health check, a toll road tolls.
RECORDED = re.compile(r"tests/.*\.java")


def places(pattern, text):
    """Where it stands as words of their own; a blank also stands for a comment's line end."""
    pattern = pattern.replace("[ -]", r"(?:-|\s+(?:[*#/]+\s+)?)").replace(" ", r"\s+(?:[*#/]+\s+)?")
    return [(match.start(), re.sub(r"\s+[*#/]*\s*", " ", match[0]))
            for match in re.finditer(rf"(?<![\w-]){pattern}(?![\w-])", text, re.IGNORECASE)]


def parts(text):
    """Each identifier's or word's parts: (place, part, is an identifier of more than one)."""
    for match in re.finditer(r"[A-Za-z_][A-Za-z_0-9]*", text):
        found = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", match[0])
        for part in found:
            yield match.start(), part.lower(), match[0]


def singular(word):
    return word[:-1] if word.endswith("s") else word


def code(text):
    """C or Java without comments and texts; places stay."""
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"',
                  lambda match: re.sub(r"[^\n]", " ", match[0]), text, flags=re.DOTALL)


def offenders(name):
    text = tap.read(name)
    if "\0" in text:
        return []
    found = []
    for pattern, instead in PHRASES:
        found += [(at, said, instead) for at, said in places(pattern, text)]
    found += [(at, whole, WORDS[singular(part)])
              for at, part, whole in parts(text) if singular(part) in WORDS]
    if name.endswith((".c", ".h", ".java")):
        for at, part, whole in parts(code(text)):
            where, instead = PARTS.get(singular(part), (None, None))
            if where is not None and name.startswith(tuple(where.split()) or ""):
                found.append((at, whole, instead))
    complaints = []
    for at, said, instead in sorted(found):
        begin, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
        line = text[begin:end if end >= 0 else len(text)]
        if not any(allowed.start() <= at - begin < allowed.end()
                   for pattern in ALLOWED for allowed in pattern.finditer(line)):
            number = text.count("\n", 0, at) + 1
            complaints.append(f"{name}:{number}: {said} (say: {instead})")
    return complaints


def listed():
    return [name for name in tap.files() if name not in SKIPPED]


def check_words():
    return [complaint for name in listed() if not RECORDED.fullmatch(name)
            for complaint in offenders(name)]


if sys.argv[1:] == ["--list"]:
    for each in listed():
        print("".join(complaint + "\n" for complaint in offenders(each)), end="")
else:
    tap.main([("/words/retired-ones-stay-away", check_words)])
