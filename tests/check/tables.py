#!/usr/bin/env python3
"""What a table offers somebody uses: an option's field is read, a part of the JDK is looked up, an
option of parkctl is asked for, a column is in the terminal and in the window, a category is in the
guide, a finding has a program that shows it, a gap's reason has words, a request is in the protocol, a number of the status is printed. A row
that nothing reads is a promise that is not kept."""

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
        for name in unused(names, r"\boptions(?:->|\.)%s\b", "recorder/agent/",
                           {"recorder/agent/base/options.h", "recorder/agent/base/options.c"},
                           mention=r"pm_json_add_\w+\(.*")]


def check_guide():
    """Each option has its row in the guide, but those for tests; help is in its text."""
    named = re.findall(r'^    \{"(\w+)", apply_', tap.read("recorder/agent/base/options.c"), re.MULTILINE)
    told = re.findall(r"^\| `(\w+)=", tap.read("docs/guide/options.md"), re.MULTILINE)
    return [f"docs/guide/options.md has no row of {name}"
            for name in named if name not in told and name != "help" and not name.startswith("test")] + [
        f"docs/guide/options.md has a row of {name}, which is no option"
        for name in told if name not in named]


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


def between(name, begin):
    return tap.read(name).split(begin, 1)[1].split("\n};", 1)[0]


# Metrics of a blocker that the terminal's table has no room for; all others are its columns.
NOT_IN_THE_TERMINAL = {"class", "hash", "kind", "category", "real_time_ns", "p99_ns",
                       "after_wait_ns", "real_life_time_util", "thread_life_time_util",
                       "first_thread", "owner", "alive", "quality"}


def titles_of_the_window(page):
    table = between(f"viewer/ui/pages/{page}-page.c", "PmGridColumn columns[] = {")
    return set(re.findall(r'\{"[\w-]+", "([^"]+)"', table))


def check_columns():
    rows = re.findall(r'\{"(\w+)",[^{}]*\.column = \{"([^"]+)",\s*"(%?)',
                      between("viewer/report/metric.c", "PmMetric metrics[] = {"))
    terminal = re.findall(r'\{"(\w+)",', tap.read("viewer/report/report.c").split(
        "} shown[] = {", 1)[1].split("};", 1)[0])
    titles = titles_of_the_window("blockers")
    terminal.append("label")  # its first
    keys = {key for key, _, _ in rows}
    complaints = [f"the window's blockers have no column {title} {unit}".rstrip()
                  for _, title, unit in rows if f"{title} {unit}".rstrip() not in titles]
    complaints += [f"the terminal's blockers have no column {key}"
                   for key in sorted(keys - set(terminal) - NOT_IN_THE_TERMINAL)]
    complaints += [f"{key} is no metric with a column"
                   for key in sorted((set(terminal) | NOT_IN_THE_TERMINAL) - keys)]
    tree = re.findall(r'\[(PM_TREE_\w+)\] = \{"([^"]+)"',
                      between("viewer/report/tree.c", "pm_tree_columns[PM_N_TREE_COLUMNS] = {"))
    for name, title in tree:
        if title not in titles_of_the_window("tree"):
            complaints.append(f"the window's tree has no column {title}")
        if f"{{titles[{name}]" not in tap.read("viewer/report/tree.c").replace(
                "{walk->starred ? starred : ", "{"):
            complaints.append(f"the terminal's tree has no column {title}")
    listed = enumerated("viewer/report/tree.h", r"\b(PM_TREE_\w+),")
    return complaints + [f"{name} has no title" for name in listed if name not in dict(tree)]


def check_categories():
    named = set(re.findall(r'\[PM_CATEGORY_\w+\] = \{"([\w-]+)"',
                           tap.read("viewer/analysis/recording/category.c")))
    rows = re.findall(r"^\| \w+ \| (`.*) \|$", tap.read("docs/guide/categories.md"), re.MULTILINE)
    told = {name for row in rows for name in re.findall(r"`([\w-]+)`", row)}
    return [f"docs/guide/categories.md does not list {name}" for name in sorted(named - told)] + [
        f"docs/guide/categories.md lists {name}, which is no category" for name in sorted(told - named)]


def check_findings():
    """Each rule has a program for which tests/jvm see its finding."""
    rules = re.findall(r'\.name = "([\w-]+)"', tap.read("viewer/analysis/findings/rule.c"))
    shown = re.findall(r'^    \{"([\w-]+)", "', tap.read("tests/jvm/test-findings.c"), re.MULTILINE)
    return [f"tests/jvm/test-findings.c has no program for {name}"
            for name in rules if name not in shown] or ["no rules found"] * (not rules)


def check_gaps():
    reasons = re.findall(r"\b(PM_GAP_\w+) = \d", between("format/record.h", "enum pm_gap_reason {"))
    told = re.search(r"^Columns begin_ns, end_ns, reason \((.*?)\)", tap.read("docs/format.md"), re.MULTILINE)[1]
    tests = "".join(tap.read(name) for name in tap.files() if name.startswith("tests/agent/"))
    complaints = [f"viewer/report/info.c has no words for {name}" for name in reasons
                  if f"[{name}]" not in tap.read("viewer/report/info.c")]
    complaints += [f"no test in tests/agent has {name}, for which an option leaves waits out"
                   for name in re.findall(r"\{(PM_GAP_\w+), is_", tap.read("recorder/agent/drain/journal.c"))
                   if name not in tests]
    complaints += [f"docs/glossary.md does not list {name}" for name in reasons
                   if f"*{name[7:].lower().replace('_', ' ')}*" not in tap.read("docs/glossary.md")]
    complaints += [f"docs/format.md has no reason {number}, {name}" for number, name in enumerate(reasons)
                   if not re.search(rf"(^|, ){number} ", told)]
    return complaints or ["no reasons found"] * (not reasons)


def check_requests():
    named = re.findall(r'^    \{"(\w+)",\s+answer_', tap.read("recorder/agent/control/control.c"),
                       re.MULTILINE)
    told = tap.read("recorder/control/protocol.h").split("Commands: ")[1].split("*/")[0]
    return [f"the protocol's list has no {name}" for name in named
            if not re.search(rf"(?:^|· |\* ){name}\b", told)] or ["no requests found"] * (not named)


# What the status has for those who read JSON, or to explain another number.
NOT_PRINTED = {"accounts", "alloc_base_bytes", "alloc_cells", "alloc_reported", "chain_cache",
               "chain_epochs", "chain_hits", "chain_mismatches", "chain_misses", "error", "files",
               "flush_ns", "hooks_rebound", "maxage_ns", "minparks", "mintime_ns", "monitor_events",
               "slots", "young_pause_ns"}


def check_status():
    control = tap.read("recorder/agent/control/control.c").split("answer_status(", 1)[1]
    keys = set(re.findall(r'pm_json_add_\w+\(&json, "(\w+)"', control.split("\n}\n", 1)[0]))
    printer = tap.read("viewer/report/status.c").split("/* Not the reply as it came", 1)[1]
    printed = {key for key in keys if f'"{key}"' in printer}
    return [f"the status in words leaves {key} out" for key in sorted(keys - printed - NOT_PRINTED)] + [
        f"{key} is no number of the status, or is printed" for key in sorted(NOT_PRINTED - keys | NOT_PRINTED & printed)]


def check_tested_majors():
    """README.md names the JDKs that tests run on."""
    tested = set(re.findall(r"\d+", re.search(r"tested_majors = \[(.*)\]",
                                             tap.read("tests/workloads/meson.build"))[1]))
    told = set(re.findall(r"\b\d+\b", re.search(r"^\| JVM \|.*$", tap.read("README.md"), re.MULTILINE)[0]))
    return [f"README.md does not name JDK {major}, which tests run on" for major in sorted(tested - told)] + [
        f"README.md names JDK {major}, which no test runs on" for major in sorted(told - tested)]


tap.main([("/tables/each-option-of-the-recorder-is-read", check_options),
          ("/tables/each-option-of-the-recorder-is-in-the-guide", check_guide),
          ("/tables/each-part-of-the-jdk-is-looked-for", check_jdk),
          ("/tables/each-option-of-parkctl-is-asked-for", check_parkctl),
          ("/tables/each-column-is-in-the-terminal-and-the-window", check_columns),
          ("/tables/each-category-is-in-the-guide", check_categories),
          ("/tables/each-finding-has-a-program", check_findings),
          ("/tables/each-reason-of-a-gap-has-words", check_gaps),
          ("/tables/each-request-is-in-the-protocol", check_requests),
          ("/tables/each-number-of-the-status-is-printed", check_status),
          ("/tables/each-jdk-that-is-tested-is-named", check_tested_majors)])
