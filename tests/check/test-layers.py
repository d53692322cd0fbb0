#!/usr/bin/env python3
"""layers.py fails where it has to, and names who is at fault: run on small made trees."""

import os
import subprocess
import sys
import tempfile

import tap

LAYERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "layers.py")
AGENT, ANALYSIS = "recorder/agent/", "viewer/analysis/"


def made(includes):
    """What layers.py complains of in a tree of files that include others: {file: [included]}."""
    with tempfile.TemporaryDirectory(prefix="parkmeter-layers-") as folder:
        for name, others in includes.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.writelines(other if other.endswith("\n") else f'#include "{other}"\n'
                                for other in others)
        done = subprocess.run([sys.executable, LAYERS], stdout=subprocess.PIPE, check=False,
                              env=dict(os.environ, PM_SOURCE=folder, PM_BUILD=folder))
    complaints = [line[2:] for line in done.stdout.decode().splitlines() if line.startswith("# ")]
    if (done.returncode != 0) != bool(complaints):
        complaints.append(f"exit status {done.returncode}")
    return complaints


def expect(includes, *wanted):
    complaints = made(includes)
    return [] if complaints == list(wanted) else [f"wanted {list(wanted)}, got {complaints}"]


def check_right():
    return expect({AGENT + "drain/drain.c": [AGENT + "waits/slot.h"], AGENT + "waits/slot.h": [],
                   ANALYSIS + "causes/hold.h": ["format/reader.h"], "format/reader.h": []})


def check_layer():
    return expect({"format/reader.c": [ANALYSIS + "causes/hold.h"], ANALYSIS + "causes/hold.h": []},
                  "format/reader.c includes \"viewer/analysis/causes/hold.h\"; format may use "
                  "['format/']")


def check_library():
    return expect({ANALYSIS + "causes/hold.c": ["#include <gtk/gtk.h>\n"]},
                  "viewer/analysis/causes/hold.c includes <gtk/gtk.h>; viewer/analysis may not use "
                  "gtk")


def check_room():
    return expect({AGENT + "waits/slot.c": [AGENT + "drain/drain.h"], AGENT + "drain/drain.h": []},
                  'recorder/agent/waits/slot.c includes "recorder/agent/drain/drain.h"; '
                  "recorder/agent/waits lies below recorder/agent/drain")


def check_circle_of_rooms():
    complaints = made({AGENT + "waits/slot.h": [AGENT + "drain/drain.h"],
                       AGENT + "drain/drain.h": [AGENT + "waits/slot.h"]})
    wanted = "recorder/agent: a circle through 2 rooms: drain/drain, waits/slot"
    return [] if wanted in complaints else [f"wanted {wanted}, got {complaints}"]


def circle(n):
    """Files of one room, each of which includes the next; every other by way of its source."""
    names = [ANALYSIS + f"causes/f{i}" for i in range(n)]
    tree = {name + ".h": [] for name in names}
    for i, name in enumerate(names):
        tree[name + (".c" if i % 2 else ".h")] = [names[(i + 1) % n] + ".h"]
    return tree


def check_circle():
    names = ", ".join(f"causes/f{i}" for i in range(7))
    return expect(circle(6)) + expect(circle(7), "viewer/analysis: a circle of 7 files: " + names)


def check_size():
    return expect({AGENT + "base/text.c": ["int x;\n"] * 4501},
                  "recorder/agent/base has 4501 lines; cut it, at 4500")


def check_no_layer():
    return expect({"viewer/helpers/text.c": []}, "viewer/helpers/text.c lies in no layer")


tap.main([
    ("/test-layers/what-is-right-passes", check_right),
    ("/test-layers/an-include-of-a-layer-above-is-named", check_layer),
    ("/test-layers/a-library-that-the-layer-may-not-use-is-named", check_library),
    ("/test-layers/an-include-of-a-room-above-is-named", check_room),
    ("/test-layers/a-circle-through-rooms-is-named", check_circle_of_rooms),
    ("/test-layers/a-circle-of-seven-files-is-named", check_circle),
    ("/test-layers/a-room-too-large-is-named", check_size),
    ("/test-layers/a-file-without-a-layer-is-named", check_no_layer),
])
