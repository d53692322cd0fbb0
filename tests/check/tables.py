#!/usr/bin/env python3
"""What a table offers somebody uses: an option's field is read, a part of the JDK is looked up, an
option of parkctl is asked for. A row that nothing reads is a promise that is not kept."""

import re

import tap


def enumerated(header, pattern):
    return re.findall(pattern, tap.read(header))


def unused(names, pattern, folder, but, mention=r"$^"):
    """`but`: the table's own files; `mention`: what tells of a row without using it."""
    texts = [re.sub(mention, "", tap.read(name)) for name in tap.files()
             if name.startswith(folder) and name.endswith((".c", ".h")) and name not in but]
    return [name for name in names
            if not any(re.search(pattern % re.escape(name), text) for text in texts)]


def check_options():
    struct = re.search(r"struct pm_options \{\n(.*?)\n\};", tap.read("recorder/agent/base/options.h"),
                       re.DOTALL).group(1)
    members = re.sub(r"/\*.*?\*/", "", struct, flags=re.DOTALL)
    names = re.findall(r"(\w+)(?:\[\w+\])?[,;]", members)
    table = tap.read("recorder/agent/base/options.c")
    complaints = [f"no option sets {name}" for name in names if f"AT({name})" not in table]
    names.remove("accounts")  # readers of a recording take it from the text of all options
    return complaints + [
        f"nobody reads the option's field {name}"
        for name in unused(names, r"(?:->|\.)%s\b", "recorder/agent/",
                           {"recorder/agent/base/options.h", "recorder/agent/base/options.c"},
                           mention=r"pm_json_add_\w+\(.*")]


def check_jdk():
    parts = enumerated("recorder/agent/hotspot/jdk.h", r"\b(PM_JDK_\w+),")
    return [f"nobody looks for {part}"
            for part in unused(parts, r"\b%s\b", "recorder/agent/",
                               {"recorder/agent/hotspot/jdk.h", "recorder/agent/hotspot/jdk.c"})]


def check_parkctl():
    options = enumerated("recorder/parkctl/option.h", r"\b(PM_OPTION_[A-Z_]+),")
    options = [name for name in options if "ASPECT" not in name]
    return [f"no command asks for {name}"
            for name in unused(options, r"\b%s\b", "recorder/parkctl/",
                               {"recorder/parkctl/option.h", "recorder/parkctl/option.c"},
                               mention=r"PM_OPTION_BIT\(\w+\)")]


tap.main([("/tables/each-option-of-the-recorder-is-read", check_options),
          ("/tables/each-part-of-the-jdk-is-looked-for", check_jdk),
          ("/tables/each-option-of-parkctl-is-asked-for", check_parkctl)])
