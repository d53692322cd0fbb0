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
    "gtk": re.compile(r"^(gtk|gdk|gsk|graphene)"),
}

# folder: (own folders and headers it may include, libraries it may include)
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

LIBC = r"(libc|libm|libdl|libpthread|librt|ld-linux-[\w-]+|libgcc_s)\.so\.\d+"
# built file: what it may need at run time
NEEDED = {
    "recorder/agent/libparkmeter.so": LIBC + r"|liblz4\.so\.1",
    "recorder/parkctl/parkctl":
        LIBC + r"|liblz4\.so\.1|lib(glib|gobject|gio|gmodule|json-glib)-[\d.]+\.so\.0|libcairo\.so\.2",
}
EXPORTED = {"Agent_OnLoad", "Agent_OnAttach", "Agent_OnUnload"}


def sources(folder):
    return [name for name in tap.files()
            if os.path.dirname(name) == folder and name.endswith((".c", ".h"))]


def check_includes(folder):
    own_allowed, libraries = LAYERS[folder]
    complaints = []
    for name in sources(folder):
        for own, system in INCLUDE.findall(tap.read(name)):
            if own and not own.startswith(tuple(own_allowed)):
                complaints.append(f'{name} includes "{own}"; {folder} may use {own_allowed}')
            for library, pattern in LIBRARIES.items():
                if system and pattern.match(system) and library not in libraries:
                    complaints.append(f"{name} includes <{system}>; {folder} may not use {library}")
    return complaints


def check_folders():
    """Every C file lies in a layer or under tests/."""
    return [f"{name} lies in no layer" for name in tap.files()
            if name.endswith((".c", ".h")) and os.path.dirname(name) not in LAYERS
            and not name.startswith("tests/")]


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
    [("/layers/every-source-lies-in-one", check_folders)]
    + [(f"/layers/includes/{folder}", lambda folder=folder: check_includes(folder))
       for folder in LAYERS]
    + [(f"/layers/needs/{os.path.basename(built)}", lambda built=built: check_needed(built))
       for built in NEEDED]
    + [("/layers/the-agent-exports-its-three-entry-points", check_exported)])
