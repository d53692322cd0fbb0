#!/usr/bin/env python3
"""`meson install` puts everything in its place."""

import fnmatch
import os
import shutil
import subprocess
import tempfile

import tap

# built file: patterns of what must then be installed, below the prefix
PLACES = {
    "recorder/agent/libparkmeter.so": ["lib*/libparkmeter.so"],
    "recorder/parkctl/parkctl": ["bin/parkctl"],
    "viewer/ui/parkmeter": ["bin/parkmeter", "share/applications/*.desktop",
                            "share/icons/hicolor/scalable/apps/*.svg",
                            "share/mime/packages/*.xml", "share/metainfo/*.xml"],
}


def check_install():
    meson = shutil.which("meson")
    if not meson:
        raise tap.Skip("meson is not in PATH")
    with tempfile.TemporaryDirectory(prefix="parkmeter-install-") as folder:
        done = subprocess.run(
            [meson, "install", "-C", tap.BUILD, "--no-rebuild", "--destdir", folder],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if done.returncode:
            return [done.stdout.decode("utf-8", "replace")]
        installed = []
        for place, _, names in os.walk(folder):
            installed += [os.path.relpath(os.path.join(place, name), folder) for name in names]
        complaints = []
        for built, patterns in PLACES.items():
            if not os.path.exists(os.path.join(tap.BUILD, built)):
                continue
            complaints += [f"nothing installed as {pattern} (of {built})" for pattern in patterns
                           if not fnmatch.filter(installed, "*/" + pattern)]
        for name in installed:
            if name.startswith("usr") and os.path.getsize(os.path.join(folder, name)) == 0:
                complaints.append(f"{name} is empty")
        return complaints


tap.main([("/install/everything-is-in-its-place", check_install)])
