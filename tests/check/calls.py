#!/usr/bin/env python3
"""docs/jvm-calls.md names every call that the agent makes of the JVM and of libc, and no other."""

import os
import re
import subprocess

import tap

PAGE = "docs/jvm-calls.md"
AGENT = "recorder/agent/libparkmeter.so"

# (*env)->Name, (*jvmti)->Name, (*pm_host.vm)->Name; a call may be broken over lines.
CALL = re.compile(r"\(\*+\s*(env|jvmti|vm|of|pm_host\.jvmti|walk\.jvmti|pm_host\.vm)\)\s*->\s*(\w+)\s*\(")
TABLES = {"env": "JNI", "jvmti": "JVMTI", "pm_host.jvmti": "JVMTI", "walk.jvmti": "JVMTI", "vm": "VM", "of": "VM",
          "pm_host.vm": "VM"}
SYMBOL = re.compile(r'(?:dlsym\(\s*\w+,\s*|(?="JVM_))"(\w+)"')
# What a table of the VM's own is read with: members of these, one by one.
OF_TABLES = re.compile(r"^gHotSpotVM(Struct|Type)Entry")


def sources():
    return [name for name in tap.files()
            if name.startswith("recorder/agent/") and name.endswith((".c", ".h"))]


def called():
    calls = {}
    for name in sources():
        text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", tap.read(name), flags=re.DOTALL)
        for table, function in CALL.findall(text):
            calls.setdefault(f"{TABLES[table]}::{function}", name)
        for symbol in SYMBOL.findall(text):
            if not OF_TABLES.match(symbol):
                calls.setdefault(f"libjvm::{symbol}", name)
    return calls


def listed():
    """Names in code in the first column of the page's tables: of the JVM with ::, of libc without."""
    names = set()
    for line in tap.read(PAGE).splitlines():
        if line.startswith("| `"):
            names.update(re.findall(r"`([^`]+)`", line.split("|")[1]))
    return names


def check_jvm():
    calls = called()
    jvm = {name for name in listed() if "::" in name}
    return ([f"{name} is called in {calls[name]} and not in {PAGE}"
             for name in sorted(set(calls) - jvm)]
            + [f"{PAGE} has {name}, which nobody calls" for name in sorted(jvm - set(calls))])


def plain(symbol):
    """`open64` and `__memcpy_chk` are what compilers and libraries make of open and memcpy."""
    return re.sub(r"^_+|_chk$|64$", "", re.sub(r"^_+|_chk$|64$", "", symbol))


def imported():
    path = os.path.join(tap.BUILD, AGENT)
    if not os.path.exists(path):
        raise tap.Skip("the agent is not built")
    _, out = tap.output("nm", "-D", "--undefined-only", path)
    return {line.split()[-1].partition("@")[0] for line in out.splitlines() if line.strip()}


def is_of_the_build(name):
    """liblz4 where it is linked as a library, and what a sanitizer, coverage or a build for debugging
    brings along."""
    return name.startswith(("LZ4_", "__assert_fail", "__asan", "__ubsan", "__tsan", "__gcov", "__sanitizer",
                            "__interceptor"))


def check_libc():
    symbols = imported()
    libc = {plain(name) for name in listed() if "::" not in name}
    known = {plain(name) for name in symbols}
    text = " ".join(tap.read(name) for name in sources())
    return ([f"{AGENT} imports {name}, which is not in {PAGE}"
             for name in sorted(symbols) if plain(name) not in libc and not is_of_the_build(name)]
            + [f"{PAGE} has {name}, which nobody calls"
               for name in sorted(libc - known) if not re.search(rf"\b{name}\b", text)])


tap.main([("/calls/of-the-jvm", check_jvm), ("/calls/of-libc", check_libc)])
