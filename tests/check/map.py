#!/usr/bin/env python3
"""docs/map.md lists every source with the first sentence of its header, as the headers have them.

    tests/check/map.py --write    writes the page anew
"""

import os
import re
import sys
import textwrap

import tap

PAGE = "docs/map.md"
HEAD = """# The map

Every source outside of `tests/`, with the first sentence of its header. Made from the headers by
`tests/check/map.py --write`; a test holds it to them. What the folders are for is in
[architecture.md](architecture.md).
"""


def first_sentence(name):
    """Of the comment that a file begins with."""
    match = re.match(r"/\*(.*?)\*/", tap.read(name), re.DOTALL)
    if not match:
        return None
    text = " ".join(line.strip().lstrip("*").strip() for line in match.group(1).split("\n"))
    text = re.sub(r"\s+", " ", text).strip()
    end = re.search(r"\.(?= [A-Z`])|\.$|:(?= - )", text)
    return text[:end.end()] if end else text


def sources(names):
    """{folder: {noun: sentence}} of the listed files."""
    found = {}
    for name in sorted(names, key=lambda name: (os.path.dirname(name), name)):
        noun, extension = os.path.splitext(os.path.basename(name))
        if extension not in (".c", ".h") or name.startswith("tests/"):
            continue
        sentences = found.setdefault(os.path.dirname(name), {})
        sentence = first_sentence(name)
        if extension == ".h" or not sentences.get(noun):
            sentences[noun] = sentence or sentences.get(noun)
    return found


def page(found):
    lines = [HEAD.rstrip("\n")]
    for folder in sorted(found):
        lines += ["", f"## `{folder}/`", ""]
        for noun, sentence in sorted(found[folder].items()):
            lines += textwrap.wrap(f"- `{noun}`: {sentence}", 100, subsequent_indent="  ",
                                   break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines) + "\n"


def check_sentences():
    return [f"{folder}/{noun} says nowhere what it is: its header begins with no comment"
            for folder, nouns in sources(tap.files()).items()
            for noun, sentence in nouns.items() if not sentence]


def check_page():
    if tap.read(PAGE) == page(sources(tap.files())):
        return []
    return [f"{PAGE} is not what the headers say: run tests/check/map.py --write"]


if sys.argv[1:] == ["--write"]:
    with open(os.path.join(tap.SOURCE, PAGE), "w", encoding="utf-8") as out:
        out.write(page(sources(tap.files())))
else:
    tap.main([("/map/every-source-says-what-it-is", check_sentences),
              ("/map/the-page-is-what-the-headers-say", check_page)])
