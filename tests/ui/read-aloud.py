#!/usr/bin/python3
"""read-aloud.py PARKMETER SHOWCASE PARKCTL: what a screen reader gets of the window, through AT-SPI:
the verdict, each row of each table as one sentence, each band of the chart, as many as parkctl tells of.
On an X server and a session bus of its own (with-display). TAP; skipped with a word where there is no
AT-SPI."""
import csv
import os
import shutil
import subprocess
import sys
import tempfile
import time

try:
    import gi
    gi.require_version("Atspi", "2.0")
    from gi.repository import Atspi
except (ImportError, ValueError) as error:
    print(f"1..0 # SKIP no AT-SPI for Python: {error}")
    sys.exit(0)

LIMIT_S = 60


def children(node):
    for index in range(node.get_child_count()):
        child = node.get_child_at_index(index)
        if child:
            yield child


def walk(node, depth=0):
    yield node
    if depth < 40:
        for child in children(node):
            yield from walk(child, depth + 1)


def texts(node):
    """The names and descriptions of all below, each once."""
    found = {}
    for each in walk(node):
        try:
            for text in (each.get_name(), each.get_description()):
                if text:
                    found[text] = each.get_role_name()
        except Exception:  # gone meanwhile
            continue
    return found


def application(pid):
    for app in children(Atspi.get_desktop(0)):
        if app.get_process_id() == pid:
            return app
    return None


def spoken(parkmeter, recording, page, enough):
    """What is said once `enough` of it is there; what there was at the end otherwise."""
    program = subprocess.Popen([parkmeter, f"--page={page}", "--size=1280x800", recording])
    found = {}
    try:
        until = time.monotonic() + LIMIT_S
        while time.monotonic() < until and not enough(found):
            time.sleep(0.3)
            app = application(program.pid)
            found = texts(app) if app else {}
        return found
    finally:
        program.terminate()
        program.wait()


def with_bus():
    """All again, on a session bus of its own, whose servers talk to stderr."""
    if not shutil.which("dbus-run-session"):
        print("1..0 # SKIP no dbus-run-session")
        return 0
    out = os.dup(1)
    return subprocess.run(["dbus-run-session", "--", sys.executable, *sys.argv], stdout=2,
                          env={**os.environ, "PM_TAP_FD": str(out)}, pass_fds=[out]).returncode


def rows(parkctl, *arguments):
    """What parkctl says in CSV, a dictionary each."""
    done = subprocess.run([parkctl, *arguments, "--format=csv"], check=True, capture_output=True, text=True)
    return list(csv.DictReader(done.stdout.splitlines()))


def wanted(parkctl, recording, page):
    """What must be said there: each a text that some sentence holds. Groups of one thread are told
    by its name, so only its begin is sought."""
    bands = [f"{row['alike']}, " for row in rows(parkctl, "tree", recording, "--by=alike")[:8]]
    if page == "summary":
        return bands + [row["title"] for row in rows(parkctl, "findings", recording)]
    if page == "tree":
        return bands + [f"{row['alike']}: Share "
                        for row in rows(parkctl, "tree", recording, "--by=alike", "--limit=0")[:20]]
    if page == "memory":
        return [f"{row['class'].rsplit('.')[-1]}: "
                for row in rows(parkctl, "memory", recording, "--by=class", "--limit=0")[:8]]
    if page == "flames":
        return bands
    if page == "blockers":
        return [f"{row['label']}: Times "
                for row in rows(parkctl, "report", recording, "--limit=0")[:12]]
    return [f"{row['group'].split('*')[0]}"
            for row in rows(parkctl, "tree", recording, "--by=group", "--idle", "--limit=0")[:8]]


def main():
    parkmeter, showcase, parkctl = sys.argv[1:4]
    if "PM_TAP_FD" not in os.environ:
        return with_bus()
    sys.stdout = os.fdopen(int(os.environ["PM_TAP_FD"]), "w")
    os.environ["GTK_A11Y"] = "atspi"
    cases = [
        ("summary", "pool", ["takes 79 % of the busy time", "because of report-pool"]),
        ("tree", "pool", ["FutureTask (1541) · ReportService.render: Share 79.9\u202f%, join, Thread-time",
                          "ConcurrentBag.borrow: Share 20.1\u202f%, resource",
                          "FutureTask (1541) · ReportService.render, join,"]),
        ("blockers", "hot-lock", ["ReentrantLock 4f3c91d2 · PriceCache.get: Times", "Hold ~17.7"]),
        ("threads", "hot-lock", ["http-nio-8080-exec-* (40): ", "scheduler-*: Threads 2"]),
        ("summary", "deadlock", ["Deadlock since", "transfer-1 holds ReentrantLock 4f3c91d2"]),
        ("tree", "crowd", ["\u202f%, lock, Thread-time"]),
        ("memory", "leak", ["Order: Live ~21.8 MiB, Error ±17 %", "Growth ~+21.8 MiB", "Order · grows, from ~"]),
        ("threads", "crowd", ["http-nio-8080-exec-*: Threads "]),
        ("flames", "pool", ["All waits: 100.0\u202f%", "waits, mixed (join 79.9\u202f%, resource 20.1\u202f%)"]),
    ]
    print(f"1..{len(cases)}")
    with tempfile.TemporaryDirectory() as folder:
        for number, (page, kind, parts) in enumerate(cases, 1):
            recording = os.path.join(folder, f"{kind}.park")
            if not os.path.exists(recording):
                subprocess.run([showcase, kind, recording], check=True)
            parts = parts + wanted(parkctl, recording, page)

            def missing(found, parts=parts):
                return [part for part in parts if not any(part in text for text in found)]

            found = spoken(parkmeter, recording, page, lambda found: not missing(found))
            good = not missing(found)
            print(f"{'ok' if good else 'not ok'} {number} /ui/read-aloud/{page}-{kind}", flush=True)
            if not good:
                print(f"# never said: {missing(found)}")
                for text, role in found.items():
                    print(f"# {role}: {text}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
