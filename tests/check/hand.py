#!/usr/bin/env python3
"""One hand: tests for NULL and sizeof are written one way. Braces are clang-format's: none around a
single statement.

    tests/check/hand.py --list            how many places each file has that are not
    tests/check/hand.py --write FILE…     writes them so; clang-format breaks the lines anew

- A pointer is tested as it is: `if (p)`, `if (!p)`. `p != NULL` only makes a truth value of it.
- `sizeof x` for a value, `sizeof(type)` for a type.
"""

import difflib
import os
import re
import sys

import tap

# Folders in which everything is written so.
CHECKED = ["format/", "recorder/", "viewer/", "tests/fuzz/"]

# A name, a call, a member, an element: what binds more than `!`. Parentheses up to two deep.
INNER = r"(?:[^()]|\((?:[^()]|\([^()]*\))*\))*"
OPERAND = rf"\*?\b[A-Za-z_]\w*(?:->\w+|\.\w+|\[[^\]\[]*(?:\[[^\]]*\])?[^\]\[]*\]|\({INNER}\))*"
IS_NULL = re.compile(rf"({OPERAND}) == NULL(?=\s*(?:[);,:?]|&&|\|\||$))", re.MULTILINE)
IS_NOT_NULL = re.compile(
    rf"((?:\b(?:if|while) \(|&& |\|\| ))({OPERAND}) != NULL(?=\s*(?:\)\s*(?:\{{|$|[a-z])|&&|\|\|))",
    re.MULTILINE)
TYPE = (r"(?:type\b|const |unsigned |signed |struct |union |enum |void\b|char\b|short\b|int\b|long\b|float\b|double\b|"
        r"bool\b|_Atomic|\w+_t\b|g(?:int|uint|char|uchar|size|ssize|pointer|double|boolean|unichar)\w*\b|"
        r"G[a-z]\w*|Pm[A-Z]\w*|Syn\w*|j(?:vmti\w+|[a-z]+)\b|Elf\w+|[A-Z][a-z]\w*)")
SIZE_OF = re.compile(rf"sizeof\((?!{TYPE})(\*?[a-z_]\w*(?:->\w+|\.\w+|\[\w+\])*)\)(?!->|\.|\[|\()")


def code_only(change, text):
    """`change` applied to what is neither comment nor text."""
    pieces = re.split(r'(/\*.*?\*/|"(?:\\.|[^"\\\n])*"|//[^\n]*)', text, flags=re.DOTALL)
    pieces[::2] = [change(piece) for piece in pieces[::2]]
    return "".join(pieces)


def respelled(code):
    code = IS_NULL.sub(lambda match: "!" + match[1], code)
    code = IS_NOT_NULL.sub(lambda match: match[1] + match[2], code)
    return SIZE_OF.sub(r"sizeof \1", code)


def rewritten(name):
    """The file's text as it should be, but for its lines' breaks."""
    return code_only(respelled, tap.read(name))


def places(name):
    """Lines that would be written differently."""
    ours, theirs = tap.read(name).splitlines(), rewritten(name).splitlines()
    return [first + 1 for kind, first, *_ in
            difflib.SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes() if kind != "equal"]


def sources():
    return [name for name in tap.files() if name.endswith((".c", ".h"))]


def check_hand():
    return [f"{name}:{line}: run tests/check/hand.py --write {name}"
            for name in sources() if name.startswith(tuple(CHECKED)) for line in places(name)]


if sys.argv[1:2] == ["--write"]:
    for each in sys.argv[2:]:
        named = os.path.relpath(os.path.abspath(each), tap.SOURCE)
        text = rewritten(named)
        with open(each, "w", encoding="utf-8") as out:
            out.write(text)
elif sys.argv[1:] == ["--list"]:
    for each in sources():
        if n := len(places(each)):
            print(f"{n:4} {each}")
else:
    tap.main([("/hand/null-and-sizeof", check_hand)])
