#!/usr/bin/env python3
"""The count of tests, on which a green or red result rests, is itself tested."""

import json
import os
import subprocess
import sys
import tempfile

import tap

TALLY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tally.py")


def program(name, stdout, result="OK", returncode=0):
    return {"name": "parkmeter:suite / " + name, "stdout": stdout, "result": result,
            "returncode": returncode, "command": [name]}


def tally(programs, again=(), tests=None):
    """(exit status, lines) of the count over two logs."""
    with tempfile.TemporaryDirectory(prefix="parkmeter-tally-") as folder:
        paths = [os.path.join(folder, name) for name in ("first", "again", "tests")]
        for path, log in zip(paths, (programs, again)):
            with open(path, "w", encoding="utf-8") as file:
                file.writelines(json.dumps(entry) + "\n" for entry in log)
        with open(paths[2], "w", encoding="utf-8") as file:
            json.dump([{"name": name} for name in tests or []], file)
        done = subprocess.run([sys.executable, TALLY, "--tests=" + paths[2], *paths[:2]],
                              stdout=subprocess.PIPE, check=False)
        return done.returncode, done.stdout.decode().splitlines()


def expect(wanted_status, wanted_last, status, lines):
    if (status, lines[-1]) == (wanted_status, wanted_last):
        return []
    return [f"wanted {wanted_status}, {wanted_last}; got {status}, {lines[-1]}"]


def check_subtests():
    text = "1..3\nok 1 /a\nok 2 /b # SKIP why\nok 3 /c\n"
    return expect(0, "3 passed, 0 failed, 1 skipped",
                  *tally([program("a", text), program("b", "", returncode=0)]))


def check_failure():
    text = "1..2\nok 1 /a\nnot ok 2 /b\n"
    return expect(1, "1 passed, 1 failed, 0 skipped", *tally([program("a", text, "FAIL", 1)]))


def check_crash():
    return expect(1, "1 passed, 1 failed, 0 skipped",
                  *tally([program("a", "1..9\nok 1 /a\n", "TIMEOUT", -15)]))


def check_second_run():
    first = program("a", "1..2\nok 1 /a\nnot ok 2 /b\n", "FAIL", 1)
    second = program("a", "1..2\nok 1 /a\nok 2 /b\n")
    status, lines = tally([first], [second])
    complaints = expect(0, "2 passed, 0 failed, 0 skipped", status, lines)
    if lines[-2] != "needed a second run: a":
        complaints.append("the line above the last: " + lines[-2])
    return complaints


def check_fails_twice():
    first = program("a", "1..1\nnot ok 1 /a\n", "FAIL", 1)
    status, lines = tally([first], [dict(first, stdout="1..1\n# because\nnot ok 1 /a\n")])
    complaints = expect(1, "0 passed, 1 failed, 0 skipped", status, lines)
    return complaints if "# because" in lines else complaints + ["its log is not printed"]


def check_never_ran():
    return expect(1, "1 passed, 1 failed, 0 skipped",
                  *tally([program("a", "1..1\nok 1 /a\n")], tests=["a", "b"]))


def check_nothing():
    return expect(1, "0 passed, 1 failed, 0 skipped", *tally([]))


def check_skipped_program():
    return expect(0, "0 passed, 0 failed, 2 skipped",
                  *tally([program("a", "", "SKIP", 77),
                          program("b", "1..0 # SKIP no display\n", "SKIP")]))


def check_nested():
    text = "1..1\n    1..2\n    ok 1 /a/b\n    ok 2 /a/c\nok 1 /a\n"
    return expect(0, "2 passed, 0 failed, 0 skipped", *tally([program("a", text)]))


tap.main([
    ("/tally/counts-each-subtest", check_subtests),
    ("/tally/counts-failures", check_failure),
    ("/tally/a-crash-is-a-failure", check_crash),
    ("/tally/a-second-run-replaces-the-first", check_second_run),
    ("/tally/what-fails-twice-fails-and-is-printed", check_fails_twice),
    ("/tally/what-never-ran-failed", check_never_ran),
    ("/tally/no-test-at-all-is-a-failure", check_nothing),
    ("/tally/skipped-programs", check_skipped_program),
    ("/tally/nested-subtests-count-once", check_nested),
])
