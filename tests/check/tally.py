#!/usr/bin/env python3
"""Counts what the tests promised and kept, from the logs of `meson test`.

    tally.py [--tests=intro-tests.json] testlog.json [testlog-again.json]
    tally.py --failed testlog.json        names of the programs that failed, one a line

A TAP program counts each of its subtests, any other program counts once. A program that crashed,
timed out or stopped before its plan counts one more failure. A program in the second log replaces
itself in the first: it failed and was run once more, alone. What fails twice has failed, and its
whole output is printed. The last line is `N passed, N failed, N skipped`; the exit status is 0 only
when nothing failed.
"""

import json
import os
import re
import sys

LINE = re.compile(r"^(?P<indent>\s*)(?P<ok>not ok|ok)\b(?P<rest>.*)$")
GOOD = ("OK", "SKIP", "EXPECTEDFAIL", "UNEXPECTEDPASS")


def read_log(path):
    """Programs by name, in the order they ended. A last line cut off by a crash is left out."""
    programs = {}
    try:
        with open(path, encoding="utf-8", errors="replace") as log:
            for line in log:
                try:
                    program = json.loads(line)
                except ValueError:
                    continue
                programs[program["name"]] = program
    except OSError:
        pass
    return programs


def count_tap(text):
    """[passed, failed, skipped] of the leaves: a line that closes a nested subtest is no test."""
    counts = [0, 0, 0]
    deepest = 0
    seen = False
    for line in text.splitlines():
        match = LINE.match(line)
        if not match:
            continue
        seen = True
        depth = len(match["indent"])
        if depth < deepest:  # the sum of what was nested
            deepest = depth
            continue
        deepest = depth
        directive = match["rest"].partition("#")[2].strip().upper()
        if directive.startswith("SKIP"):
            counts[2] += 1
        elif match["ok"] == "ok" or directive.startswith("TODO"):
            counts[0] += 1
        else:
            counts[1] += 1
    return counts if seen else None


def count(program):
    result = program["result"]
    counts = count_tap(program.get("stdout") or "")
    if counts is None:
        counts = [0, 0, 0]
        counts[2 if result == "SKIP" else 0 if result in GOOD else 1] = 1
    elif result not in GOOD and counts[1] == 0:
        counts[1] = 1
    return counts


def short_name(name):
    """`project:suite / name` is asked for by `name`."""
    return name.rpartition(" / ")[2]


def skipped_lines(program):
    lines = []
    for line in (program.get("stdout") or "").splitlines():
        if re.search(r"#\s*skip", line, re.IGNORECASE):
            lines.append(line.strip())
    return lines or ["exit status 77"]


def tests_that_never_ran(intro, programs):
    try:
        with open(intro, encoding="utf-8") as file:
            names = [test["name"] for test in json.load(file)
                     if not any(suite.rpartition(":")[2] == "long"
                                for suite in test.get("suite", []))]
    except (OSError, ValueError):
        return []
    ran = {short_name(name) for name in programs}
    return [name for name in names if name not in ran]


def main(arguments):
    if arguments[:1] == ["--failed"]:
        for name, program in read_log(arguments[1]).items():
            if program["result"] not in GOOD:
                print(short_name(name))
        return 0
    intro = None
    if arguments and arguments[0].startswith("--tests="):
        intro = arguments.pop(0).partition("=")[2]
    programs = read_log(arguments[0])
    again = read_log(arguments[1]) if len(arguments) > 1 else {}

    total = [0, 0, 0]
    recovered = []
    for name in sorted(programs):
        program = again.get(name, programs[name])
        counts = count(program)
        total = [a + b for a, b in zip(total, counts)]
        if program["result"] not in GOOD:
            print(f"==== FAILED {name}: {program['result']}, exit status {program.get('returncode')}")
            print("command: " + " ".join(program.get("command", [])))
            print(program.get("stdout") or "(nothing on stdout)")
            if program.get("stderr"):
                print("---- stderr")
                print(program["stderr"])
            print(f"==== end of {name}")
        elif name in again:
            recovered.append(name)
            print(f"---- the first, failed run of {name}: {programs[name]['result']}")
            lines = (programs[name].get("stdout") or "").splitlines()
            lines += (programs[name].get("stderr") or "").splitlines()
            print("\n".join(line for line in lines if not line.startswith("ok ")))
        if counts[2]:
            for line in skipped_lines(program):
                print(f"skipped: {short_name(name)}: {line}")
    missing = tests_that_never_ran(intro, programs) if intro else []
    for name in missing:
        print(f"==== FAILED {name}: it never ran")
        total[1] += 1
    if not programs and not missing:
        print(f"{os.path.basename(arguments[0])}: no test ran")
        total[1] += 1
    if recovered:
        print("needed a second run: " + ", ".join(short_name(name) for name in recovered))
    print(f"{total[0]} passed, {total[1]} failed, {total[2]} skipped")
    return 1 if total[1] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
