/* The options of `-agentpath:…=key=value,…`, of attach and of `parkctl start|set`: one table
 * (options.c) that defines the parser and the help text, and that tests compare with the docs. Uses
 * neither JVM nor GLib. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/error.h"

#define PM_OPTIONS_PATH_MAX 1024
#define PM_OPTIONS_TEXT_MAX 8192 /* of all of them as given, with the zero at the end */

struct pm_options {
    char file[PM_OPTIONS_PATH_MAX];   /* with %p and %t; empty = the default */
    char socket[PM_OPTIONS_PATH_MAX]; /* empty = /tmp/.parkmeter-<pid>; "off" */
    char report[PM_OPTIONS_PATH_MAX]; /* "off", "stderr" or a path */
    char accounts[1024];
    uint32_t keep;
    uint64_t maxsize;
    int64_t maxage_ns;
    int64_t snapshot_ns, flush_ns;
    bool events;
    int64_t mintime_ns;
    uint64_t minparks, printminparks;
    uint32_t stackdepth;
    int64_t alloc_bytes; /* mean between two samples; 0: every object; -1: off */
    bool monitors, vthreads, idle, enders, census, freeonprint, paused, strict, help;
    uint32_t test_slots;   /* threads that have a slot, for tests; 0 = default. Undocumented */
    uint32_t test_buffer;  /* waits per buffer, for tests of overflow; 0 = default. Undocumented */
    bool test_reclaim;     /* free unused chains after every unloading. Undocumented */
    bool test_chains;      /* compare every cached stack trace with a walk. Undocumented */
    char test_missing[64]; /* members of the JDK that are treated as missing (jdk.h). Undocumented
                            */
};

/* A row of the table, for help, docs and tests. */
struct pm_option {
    const char *name, *value, *initial, *help; /* `value`: the form of its value; "": a flag */
    bool is_live;                              /* can change while recording */
    bool is_hidden;                            /* for tests; in no help */
};
/* False past the last. Hidden options come last. */
bool pm_options_row(size_t index, struct pm_option *ret_row);

void pm_options_default(struct pm_options *ret_options);
/* Overwrites the options given in `text`; `options` is untouched on failure. PM_ERROR_ARGUMENT:
 * `ret_info->text` names the invalid option and lists the valid ones (did you mean …) as far as
 * they fit. PM_ERROR_LIMIT: all are valid, but one, or all of them together, is too long; `strict`
 * is overwritten nevertheless. */
int pm_options_parse(struct pm_options *options, const char *text, struct pm_error_info *ret_info);
/* Whether `changed` may replace `now` while recording. PM_ERROR_ARGUMENT: `ret_info->text` names
 * the first option that cannot change, and all that can. */
int pm_options_check_live(const struct pm_options *now, const struct pm_options *changed,
                          struct pm_error_info *ret_info);
/* The names alone, separated by spaces. Static. */
const char *pm_options_names(void);
/* The table as help, one option a line. Static. */
const char *pm_options_help(void);
