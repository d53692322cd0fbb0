#!/usr/bin/python3
"""walk-aloud.py PARKMETER SHOWCASE: goes through every page and dialog of the window by keys and looks
at all that a screen reader is given of it: nothing is called by the name of its class, whatever takes
the focus or can be pressed has a name, a row is one sentence, its cells have their titles.
On an X server and a session bus of its own (with-display). TAP; skipped with a word where there is no
AT-SPI or no xdotool. PM_LONG: through more recordings."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

try:
    import gi
    gi.require_version("Atspi", "2.0")
    from gi.repository import Atspi, GLib
except (ImportError, ValueError) as error:
    print(f"1..0 # SKIP no AT-SPI for Python: {error}")
    sys.exit(0)

IS_LONG = "PM_LONG" in os.environ
LIMIT_S = 20
CLASS_NAME = re.compile(r"^(Gtk|Gdk|Gsk|Pm|Adw)[A-Z]\w+$")
# What holds others and says nothing of itself; all else has a name.
LAYOUT = {"panel", "filler", "dialog", "application", "separator"}
# Keys, or @ and the name of a button, and what is then on the screen, each in a name or description.
STEPS = [
    ([], ["PriceCache.refresh holds it", "Findings"]),
    (["alt+2"], ["ReentrantLock 4f3c91d2 · PriceCache.get: Share", "Thread-time Waiting time, summed over threads",
                 "Close", "at most 39 threads waiting at once; ReentrantLock"]),
    (["Down", "Right"], ["Stack trace"]),
    (["alt+3"], ["ReentrantLock 4f3c91d2 · PriceCache.get: Times"]),
    (["alt+4"], ["http-nio-8080-exec-* (40): "]),
    (["alt+5"], ["No allocations were sampled"]),
    (["alt+6"], ["All waits: 100.0"]),
    (["Down"], ["⋯ 5 library frames: 100.0"]),
    (["Down"] * 7, ["PriceCache.get: 9"]),
    (["space"], ["Stack trace"]),
    (["alt+3", "Down", "ctrl+c"], ["Copied"]),
    (["alt+1"], ["PriceCache.refresh holds it"]),
    (["ctrl+f"], ["Search for a name"]),
    (["Escape", "ctrl+l"], ["Go to a time"]),
    (["Escape", "F10"], ["Keyboard Shortcuts"]),
]


# Lists a JVM with a recorder and one without, loads it into that, and follows it.
PARKCTL = """#!/bin/sh
case "$*" in
'list --format=json --all')
    echo '{{"schema":1,"jvms":[{{"pid":4711,"main":"Shop"}},{{"pid":4712,"main":"Cart","no_recorder":true}}]}}'
    exit ;;
'4712 attach') exit ;;
'4712 follow filename='*) ;;
*) exit 1 ;;
esac
while read line; do cp '{folder}/hot-lock.park' "${{3#filename=}}"; echo ok 5; done
"""


def children(node):
    for index in range(node.get_child_count()):
        child = node.get_child_at_index(index)
        if child:
            yield child


def walk(node, path=()):
    """Each node below with its path of (role, name)."""
    try:
        path = path + ((node.get_role_name(), node.get_name()),)
        yield node, path
        for child in children(node):
            yield from walk(child, path)
    except GLib.Error:  # gone meanwhile
        return


def fault(node, path):
    """What is wrong with it; None = nothing."""
    role, name = path[-1]
    states = node.get_state_set()
    # Of GTK's own file chooser, which a desktop replaces: what is too long for its bar is not seen, nor
    # are the arrows of columns that nobody sorted by.
    if ("filler", "Folders") in path[:-1] or path[-1] == ("filler", "GtkBuiltinIcon") and path[-3][0] == "push button":
        return None
    if CLASS_NAME.match(name):
        return "is called by its class"
    if not name.strip() and states.contains(Atspi.StateType.FOCUSABLE):
        return "takes the focus and has no name"
    if not name.strip() and role not in LAYOUT:
        return "has no name"
    if role == "table row" and len(path) > 1 and path[-2][0] == "list" and ": " not in name:
        return "is a row without a sentence"
    return None


def application(pid):
    for app in children(Atspi.get_desktop(0)):
        if app.get_process_id() == pid:
            return app
    return None


def look(pid):
    """(all that is said, what is wrong)."""
    said, wrong = set(), []
    app = application(pid)
    for node, path in walk(app) if app else ():
        try:
            said.update((path[-1][1], node.get_description() or ""))
            why = fault(node, path)
        except GLib.Error:
            continue
        if why:
            wrong.append(" > ".join(f"{role} “{name[:40]}”" for role, name in path[-5:]) + " " + why)
    return said, wrong


def push(pid, name):
    """The button of that name, as a screen reader pushes it."""
    for node, path in walk(application(pid)):
        if path[-1] == ("push button", name):
            node.get_action_iface().do_action(0)
            return


def press(pid, keys):
    for key in keys:
        if key.startswith("@"):
            push(pid, key[1:])
        else:
            subprocess.run(["xdotool", "key", key], check=True)
        time.sleep(0.5)


def step(pid, keys, parts):
    """None, or what is wrong once `parts` are said."""
    press(pid, keys)
    until = time.monotonic() + LIMIT_S
    while True:
        said, wrong = look(pid)
        missing = [part for part in parts if not any(part in text for text in said)]
        if not missing and not wrong:
            return []
        if time.monotonic() > until or (not missing and time.monotonic() > until - LIMIT_S + 5):
            return [f"never said: {part}" for part in missing] + wrong
        time.sleep(0.5)


def with_bus():
    """All again, on a session bus of its own, whose servers talk to stderr."""
    for program in "dbus-run-session", "xdotool":
        if not shutil.which(program):
            print(f"1..0 # SKIP no {program}")
            return 0
    out = os.dup(1)
    return subprocess.run(["dbus-run-session", "--", sys.executable, *sys.argv], stdout=2,
                          env={**os.environ, "PM_TAP_FD": str(out)}, pass_fds=[out]).returncode


def go_through(number, parkmeter, arguments, steps):
    """One window, step by step; the next number."""
    program = subprocess.Popen([parkmeter, "--size=1280x800", *arguments])
    try:
        for keys, parts in steps:
            # No window manager is there that would.
            subprocess.run(["xdotool", "search", "--onlyvisible", "--pid", str(program.pid), "windowfocus"],
                           check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            faults = step(program.pid, keys, parts)
            print(f"{'not ok' if faults else 'ok'} {number} /ui/walk-aloud/"
                  f"{'-'.join(keys) or os.path.basename([parkmeter, *arguments][-1])}", flush=True)
            for line in sorted(set(faults)):
                print(f"# {line} ({faults.count(line)})", flush=True)
            number += 1
    finally:
        program.terminate()
        program.wait()
    return number


def main():
    parkmeter, showcase = sys.argv[1:3]
    if "PM_TAP_FD" not in os.environ:
        return with_bus()
    sys.stdout = os.fdopen(int(os.environ["PM_TAP_FD"]), "w")
    os.environ["GTK_A11Y"] = "atspi"
    more = [
        ("deadlock", [([], ["Deadlock since"]), (["F6", "Down", "Return"], [])]),
        ("crowd", [([], ["Findings"]), (["alt+2"], [": Share"]), (["alt+4"], [": Threads"]),
                   (["Down", "Right"], [": Waiting "])]),
        ("leak", [([], ["Verdict"]), (["alt+5"], ["Order: Live", "Order · grows, from ~"]),
                  (["Down"], ["What allocated it"]), (["F6"], []), (["F6"], [])]),
        ("quiet", [([], ["No wait stands out"]), (["ctrl+question"], ["Open a recording", "Ctrl+O"])]),
        ("alternating", [([], ["Verdict"]), (["F10", "Up", "Return"], ["Close", "What threads wait for, for how long"])]),
        ("dropped", [([], ["Verdict"]), (["ctrl+o"], ["Recordings", "Places"])]),
        ("pool", [([], ["Verdict"]), (["alt+2"], [": Share"]), (["ctrl+e"], ["Save the view as a picture"])]),
        ("torn", [([], ["left out"]), (["@Details"], ["Damaged parts of the recording"])]),
        ("torn", [([], ["left out"]), (["ctrl+s"], ["Keep a copy of the recording"])]),
    ]
    if IS_LONG:
        more += [
            ("counted", [([], ["Counters only"])] + [([f"alt+{page}"], ["Counters only"]) for page in (2, 3, 6)]),
            ("empty", [([], ["No thread waited in these 12.3"])] +
                      [([f"alt+{page}"], ["No thread waited in these 12.3"]) for page in (2, 3, 6)]),
            ("nothing", [([], ["nothing.park is empty (0 bytes)"])]),
            ("other", [([], ["other.park is not a Parkmeter recording", "Open another…"])]),
            ("torn", [([], ["left out"]), (["alt+2"], ["No part of torn.park is whole"]), (["alt+3"], []),
                      (["alt+4"], []), (["alt+6"], [])]),
        ]
    print(f"1..{len(STEPS) + sum(len(steps) for kind, steps in more) + (10 if IS_LONG else 5)}")
    with tempfile.TemporaryDirectory() as folder:
        def recording(kind):
            path = os.path.join(folder, f"{kind}.park")
            if kind in ("nothing", "other"):
                with open(path, "w", encoding="utf-8") as file:
                    file.write("" if kind == "nothing" else "A letter, which is no recording.\n" * 200)
                return path
            subprocess.run([showcase, "hot-lock" if kind == "torn" else kind, path], check=True)
            if kind == "torn":
                os.truncate(path, os.path.getsize(path) * 6 // 10)
            return path

        number = go_through(1, parkmeter, [recording("hot-lock")], STEPS)
        for kind, steps in more:
            number = go_through(number, parkmeter, [recording(kind)], steps)
        # Without a recording, and the list of what could be attached to.
        number = go_through(number, parkmeter, ["--via=true"],
                            [([], ["Running JVMs"]), (["Escape"], ["Open a recording"])])
        # By keys alone: the list, the button beside a JVM without a recorder, and what it shows then.
        beside = os.path.join(folder, "parkmeter")
        shutil.copy(parkmeter, beside)
        with open(os.path.join(folder, "parkctl"), "w", encoding="utf-8") as file:
            file.write(PARKCTL.format(folder=folder))
        os.chmod(file.name, 0o700)
        number = go_through(number, beside, [],
                   [([], ["Open a recording"]), (["Tab", "Return"], ["4711 · Shop", "Attach: load the recorder into 4712 · Cart",
                                         "Command that reaches the JVMs"]),
                    (["Tab", "space"], ["PriceCache.refresh holds it"])])
        if not IS_LONG:
            return 0
        # Without a window manager the keyboard stays with the closed list: every page in a window of its own.
        go_through(number, beside, ["4712"],
                   [([], ["live · ", "Pause", "PriceCache.refresh holds it"]), (["alt+2"], [": Share"]),
                    (["alt+3"], [": Times"]), (["alt+4"], [": Threads"]), (["alt+6"], ["All waits: 100.0"])])
    return 0


if __name__ == "__main__":
    sys.exit(main())
