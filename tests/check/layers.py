#!/usr/bin/env python3
"""The layers hold: who includes whom, what the built files need, what the agent exports.

The table is that of docs/architecture.md. Own headers are included by folder, system headers in
angle brackets.
"""

import os
import re

import tap

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)

# System headers that are libraries; everything else in angle brackets is libc or the compiler.
LIBRARIES = {
    "lz4": re.compile(r"^lz4\w*\.h$"),
    "xxhash": re.compile(r"^(xxhash|xxh3)\.h$"),
    "jvm": re.compile(r"^(jni|jvmti|jvmticmlr|jni_md)\.h$"),
    "glib": re.compile(r"^(glib\.h|glib/.*|glib-unix\.h|gmodule\.h)$"),
    "gobject": re.compile(r"^(glib-object\.h|gobject/.*|gio/.*)$"),
    "json-glib": re.compile(r"^json-glib/"),
    "cairo": re.compile(r"^cairo"),
    "pango": re.compile(r"^pango"),
    "gtk": re.compile(r"^(gtk|gdk|gsk|graphene|adwaita)"),
}

# layer: (own folders and headers it may include, libraries it may include)
LAYERS = {
    "format": (["format/"], {"lz4", "xxhash"}),
    "recorder/agent": (["format/", "recorder/agent/", "recorder/control/protocol.h"],
                       {"jvm", "lz4", "xxhash"}),
    "recorder/control": (["recorder/control/", "format/error.h"], set()),
    "viewer/analysis": (["viewer/analysis/", "format/"], {"glib"}),
    "viewer/report": (["viewer/report/", "viewer/analysis/", "format/"],
                      {"glib", "json-glib", "cairo"}),
    "recorder/parkctl": (["recorder/parkctl/", "recorder/control/", "format/", "viewer/report/",
                          "viewer/analysis/"], {"glib", "json-glib"}),
    "viewer/ui": (["viewer/ui/", "viewer/report/", "viewer/analysis/", "format/"],
                  {"glib", "gobject", "gtk", "cairo", "pango", "json-glib"}),
}

# The rooms of a layer, from the lowest up: a room includes itself and those before it. What lies in
# the layer's own folder includes all of them.
ROOMS = {
    "recorder/agent": ["base", "bytecode", "waits", "tables", "hotspot", "hooks", "allocation", "sampling", "storage", "counters", "drain",
                       "control"],
    "viewer/analysis": ["base", "recording", "loading", "code", "locks", "tokens", "causes", "aggregation", "slices", "curves", "memory", "whatif", "evidence", "stuck", "findings"],
    "viewer/ui": ["model", "widgets", "grid", "charts", "pages", "panes", "window"],
}
MAX_ROOM_LINES = 4500
MAX_CIRCLE = 6

LIBC = r"(libc|libm|libdl|libpthread|librt|ld-linux-[\w-]+|libgcc_s)\.so\.\d+"
# built file: what it may need at run time
NEEDED = {
    "recorder/agent/libparkmeter.so": LIBC + r"|liblz4\.so\.1",
    "recorder/parkctl/parkctl":
        LIBC + r"|liblz4\.so\.1|lib(glib|gobject|gio|gmodule|json-glib)-[\d.]+\.so\.0|libcairo\.so\.2",
}
EXPORTED = {"Agent_OnLoad", "Agent_OnAttach", "Agent_OnUnload"}


def folders(layer):
    return [layer] + [f"{layer}/{room}" for room in ROOMS.get(layer, [])]


def sources(layer):
    return [name for name in tap.files()
            if os.path.dirname(name) in folders(layer) and name.endswith((".c", ".h"))]


def included(name):
    """Own headers that a file includes."""
    return [own for own, _ in INCLUDE.findall(tap.read(name)) if own]


C_HEADERS = {f"{name}.h" for name in (
    "assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg "
    "stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string strings tgmath threads time uchar wchar "
    "wctype aio cpio dirent dlfcn fcntl fmtmsg fnmatch ftw glob grp iconv langinfo libgen monetary mqueue "
    "netdb nl_types poll pthread pwd regex sched search semaphore spawn stropts syslog tar termios ulimit "
    "unistd utime utmpx wordexp link elf features endian").split()}


def check_includes(layer):
    own_allowed, libraries = LAYERS[layer]
    complaints = []
    for name in sources(layer):
        for own, system in INCLUDE.findall(tap.read(name)):
            if own and not own.startswith(tuple(own_allowed)):
                complaints.append(f'{name} includes "{own}"; {layer} may use {own_allowed}')
            for library, pattern in LIBRARIES.items():
                if system and pattern.match(system) and library not in libraries:
                    complaints.append(f"{name} includes <{system}>; {layer} may not use {library}")
    return complaints


def check_folders():
    """Every C file lies in a layer, in one of its rooms if it has any, or under tests/."""
    known = {folder for layer in LAYERS for folder in folders(layer)}
    return [f"{name} lies in no layer" for name in tap.files()
            if name.endswith((".c", ".h")) and os.path.dirname(name) not in known
            and not name.startswith("tests/")]


def check_rooms(layer):
    """No room includes one above it, and none is too large to know."""
    rank = {folder: i for i, folder in enumerate(folders(layer)[1:])}
    lines = dict.fromkeys(rank, 0)
    complaints = []
    for name in sources(layer):
        room = os.path.dirname(name)
        if room == layer:
            continue
        lines[room] += tap.read(name).count("\n")
        for own in included(name):
            other = os.path.dirname(own)
            if other == layer or rank.get(other, -1) > rank[room]:
                complaints.append(f'{name} includes "{own}"; {room} lies below {other}')
    return complaints + [f"{room} has {n} lines; cut it, at {MAX_ROOM_LINES}"
                         for room, n in lines.items() if n > MAX_ROOM_LINES]


def module(name):
    return re.sub(r"\.[ch]$", "", name)


def circles(arrows):
    """Sets of modules each of which includes each other, by way of others (Kosaraju)."""
    order, seen = [], set()

    def visit(start, edges, leave):
        stack = [(start, iter(edges.get(start, ())))]
        seen.add(start)
        while stack:
            at, rest = stack[-1]
            following = next((other for other in rest if other not in seen), None)
            if following is None:
                leave(at)
                stack.pop()
            else:
                seen.add(following)
                stack.append((following, iter(edges.get(following, ()))))

    for start in arrows:
        if start not in seen:
            visit(start, arrows, order.append)
    backwards = {}
    for start, ends in arrows.items():
        for end in ends:
            backwards.setdefault(end, set()).add(start)
    seen.clear()
    found = []
    for start in reversed(order):
        if start not in seen:
            found.append([])
            visit(start, backwards, found[-1].append)
    return [sorted(circle) for circle in found if len(circle) > 1]


def check_circles(layer):
    """Files may include each other in a circle only within a room, and few of them."""
    arrows = {}
    for name in sources(layer):
        ends = arrows.setdefault(module(name), set())
        ends.update(module(own) for own in included(name)
                    if own.startswith(layer + "/") and module(own) != module(name))
    complaints = []
    for circle in circles(arrows):
        rooms = {os.path.dirname(name) for name in circle}
        names = ", ".join(name[len(layer) + 1:] for name in circle)
        if len(rooms) > 1:
            complaints.append(f"{layer}: a circle through {len(rooms)} rooms: {names}")
        elif len(circle) > MAX_CIRCLE:
            complaints.append(f"{layer}: a circle of {len(circle)} files: {names}")
    return complaints


def check_header_names():
    """The folder that a program is built in comes first in the search for <time.h>, so that a header of
    that name there is found in place of the C library's."""
    files = set(tap.files())
    return [f"{name}: is named like a header of the C library; give it another name"
            for name in sorted(files) if os.path.basename(name) in C_HEADERS
            and os.path.dirname(name) + "/meson.build" in files]


def check_needed(built):
    path = os.path.join(tap.BUILD, built)
    if not os.path.exists(path):
        raise tap.Skip(f"{built} is not built")
    _, text = tap.output("readelf", "-d", path)
    needed = re.findall(r"\(NEEDED\).*\[([^\]]+)\]", text)
    allowed = re.compile(NEEDED[built])
    return [f"{built} needs {name}" for name in needed if not allowed.fullmatch(name)]


def check_exported():
    path = os.path.join(tap.BUILD, "recorder/agent/libparkmeter.so")
    if not os.path.exists(path):
        raise tap.Skip("the agent is not built")
    _, text = tap.output("nm", "-D", "--defined-only", path)
    exported = {line.split()[-1].partition("@")[0] for line in text.splitlines() if line.split()}
    return [f"exported and should not be: {name}" for name in sorted(exported - EXPORTED)] + [
        f"not exported: {name}" for name in sorted(EXPORTED - exported)]


tap.main(
    [("/layers/every-source-lies-in-one", check_folders),
     ("/layers/no-header-is-named-like-the-c-librarys", check_header_names)]
    + [(f"/layers/includes/{layer}", lambda layer=layer: check_includes(layer))
       for layer in LAYERS]
    + [(f"/layers/rooms/{layer}", lambda layer=layer: check_rooms(layer)) for layer in ROOMS]
    + [(f"/layers/circles/{layer}", lambda layer=layer: check_circles(layer)) for layer in LAYERS]
    + [(f"/layers/needs/{os.path.basename(built)}", lambda built=built: check_needed(built))
       for built in NEEDED]
    + [("/layers/the-agent-exports-its-three-entry-points", check_exported)])
