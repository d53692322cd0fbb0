#!/usr/bin/env python3
"""Compiles recorder/agent/hotspot/ParkmeterParks.java and compares it with the bytes in parks-class.h.

    parks-class.py JDK              a JDK 25, whose javac makes the same bytes each time
    parks-class.py JDK --write      writes parks-class.h
"""
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(ROOT, "recorder", "agent", "hotspot")
PACKAGE = os.path.join("java", "util", "concurrent", "locks")
SKIP = 77

HEAD = """\
/* The class file of ParkmeterParks.java, as the recorder gives it to the JVM. Made by
 * tests/check/parks-class.py; a test compiles the source and compares. */
#pragma once

/* clang-format off */
static const unsigned char pm_parks_class[] = {
"""
TAIL = "};\n/* clang-format on */\n"


def compile_class(jdk):
    with tempfile.TemporaryDirectory() as folder:
        sources = os.path.join(folder, "source", PACKAGE)
        os.makedirs(sources)
        shutil.copy(os.path.join(FOLDER, "ParkmeterParks.java"), sources)
        subprocess.run(
            [os.path.join(jdk, "bin", "javac"), "-g:none", "-XDignore.symbol.file", "-source", "21",
             "-target", "21", "-Xlint:-options",
             "--patch-module", "java.base=" + os.path.join(folder, "source"),
             "-d", os.path.join(folder, "classes"), os.path.join(sources, "ParkmeterParks.java")],
            check=True)
        with open(os.path.join(folder, "classes", PACKAGE, "ParkmeterParks.class"), "rb") as file:
            return file.read()


def text_of(data):
    lines = []
    for at in range(0, len(data), 24):
        lines.append("    " + ",".join(str(byte) for byte in data[at:at + 24]) + ",\n")
    return HEAD + "".join(lines) + TAIL


def main(arguments):
    write = "--write" in arguments
    homes = [argument for argument in arguments if argument != "--write"]
    if not homes or not os.path.exists(os.path.join(homes[0], "bin", "javac")):
        print("no JDK 25 with a compiler")
        return SKIP
    text = text_of(compile_class(homes[0]))
    path = os.path.join(FOLDER, "parks-class.h")
    if write:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return 0
    with open(path, encoding="utf-8") as file:
        if file.read() == text:
            return 0
    print("parks-class.h is not what ParkmeterParks.java compiles to; "
          "tests/check/parks-class.py JDK --write writes it")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
