"""The Test Anything Protocol for checks: each is a function that returns its complaints."""

import os
import subprocess
import sys

SOURCE = os.environ.get("PM_SOURCE") or os.path.dirname(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("PM_BUILD") or os.path.join(SOURCE, "build")


class Skip(Exception):
    """Raised by a check that cannot be made here; the text says why."""


def run(checks):
    """`checks`: pairs of a path and a function that returns a list of complaints."""
    print(f"1..{len(checks)}")
    failed = False
    for number, (name, check) in enumerate(checks, 1):
        try:
            complaints = check()
        except Skip as reason:
            print(f"ok {number} {name} # SKIP {reason}")
            continue
        for complaint in complaints:
            print("# " + str(complaint).replace("\n", "\n# "))
        print(f"{'not ok' if complaints else 'ok'} {number} {name}", flush=True)
        failed = failed or bool(complaints)
    return 1 if failed else 0


def files():
    """All files of the project, relative: what git knows, or the tree without what is built."""
    try:
        out = subprocess.run(
            ["git", "-c", "safe.directory=*", "-C", SOURCE, "ls-files", "-z", "--cached",
             "--others", "--exclude-standard"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
        listed = [os.fsdecode(name) for name in out.split(b"\0") if name]
        listed = [name for name in listed if os.path.isfile(os.path.join(SOURCE, name))]
        if listed:
            return sorted(listed)
    except (OSError, subprocess.CalledProcessError):
        pass
    listed = []
    for folder, folders, names in os.walk(SOURCE):
        folders[:] = [name for name in folders
                      if name not in (".git", ".cache", "__pycache__")
                      and not os.path.exists(os.path.join(folder, name, "build.ninja"))]
        listed += [os.path.relpath(os.path.join(folder, name), SOURCE) for name in names]
    return sorted(listed)


def read(name):
    with open(os.path.join(SOURCE, name), encoding="utf-8", errors="replace") as file:
        return file.read()


def output(*command):
    """The stdout of a program; Skip when it is not installed."""
    environment = dict(os.environ, LC_ALL="C")
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env=environment, check=False, cwd=SOURCE)
    except FileNotFoundError:
        raise Skip(f"{os.path.basename(command[0])} is not installed") from None
    return done.returncode, done.stdout.decode("utf-8", "replace")


def main(checks):
    sys.exit(run(checks))
