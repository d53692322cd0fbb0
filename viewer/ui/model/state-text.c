#include "viewer/ui/model/state-text.h"

#include <stdarg.h>
#include <string.h>

#define RECORDER_PREFIX "parkmeter-" /* of the files that recorder and parkctl name themselves */

/* clang-format off */
static const PmStateText states[PM_N_STATES] = {
    [PM_STATE_NO_FILE] = {
        "no-file", "no file",
        "Open a recording",
        "Save one from a running JVM: parkctl PID dump filename=a.park",
        {{"Open…", "win.open"}, {"Running JVMs", "win.running-jvms"}},
    },
    [PM_STATE_LOADING] = {
        "loading", "loading",
        "Reading {file}",
        "{done} of {total}",
        {{"Cancel", "win.cancel-load"}},
    },
    [PM_STATE_CANCELLED] = {
        "cancelled", "cancelled (info bar)",
        "Reading stopped at {percent} %",
        "{from} to {to} is shown{crossed}.",
        {{"Read the rest", "win.reload"}},
    },
    [PM_STATE_END_ONLY] = {
        "end-only", "a long recording is read (info bar)",
        "Only the end is shown so far, {from} to {to}",
        "The whole recording follows: {progress}.",
        {{"Stop", "win.cancel-load"}},
    },
    [PM_STATE_NOT_A_RECORDING] = {
        "not-a-recording", "not a recording",
        "{file} is not a Parkmeter recording",
        "Its first bytes are not a recording's.",
        {{"Open another…", "win.open"}},
    },
    [PM_STATE_EMPTY_FILE] = {
        "empty-file", "empty file",
        "{file} is empty (0 bytes)",
        "The recorder has not written anything yet. If the JVM is still running: parkctl {pid} dump",
        {{"Open another…", "win.open"}},
    },
    [PM_STATE_UNREADABLE] = {
        "unreadable", "cannot be read",
        "{file} cannot be read",
        "{reason}",
        {{"Open another…", "win.open"}},
    },
    [PM_STATE_NOT_FOLLOWED] = {
        "not-followed", "a JVM cannot be followed",
        "{file} cannot be read",
        "{reason}",
        {{"Running JVMs", "win.running-jvms"}, {"Open…", "win.open"}},
    },
    [PM_STATE_TORN] = {
        "torn", "torn (info bar)",
        "{blocks} left out ({bytes}, {span})",
        "Everything else is shown.",
        {{"Details", "win.damage"}},
    },
    [PM_STATE_NOTHING_WHOLE] = {
        "nothing-whole", "torn, nothing whole",
        "No part of {file} is whole",
        "The file is damaged: {blocks} left out. If the JVM is still running: parkctl {pid} dump",
        {{"Open another…", "win.open"}, {"Details", "win.damage"}},
    },
    [PM_STATE_NEWER_FORMAT] = {
        "newer-format", "newer format",
        "{file} needs a newer Parkmeter",
        "It was written by a later version than this one, {version}.",
        {{"Open another…", "win.open"}},
    },
    [PM_STATE_NO_WAITS] = {
        "no-waits", "no waits",
        "No thread waited in these {duration}",
        "The recorder was on, with {threads}.",
        {{"Show idle", "win.toggle-idle"}},
    },
    [PM_STATE_NO_WAITS_DAMAGED] = {
        "no-waits-damaged", "no waits, file damaged",
        "No wait can be read",
        "The file is damaged: {blocks} left out. If the JVM is still running: parkctl {pid} dump",
        {{"Details", "win.damage"}},
    },
    [PM_STATE_NO_WAITS_STOPPED] = {
        "no-waits-stopped", "no waits, recorder stopped",
        "No thread waited in the {duration} that were recorded",
        "The recorder was stopped from {from} to {to}. To record again: parkctl {pid} start",
        {{"Show idle", "win.toggle-idle"}},
    },
    [PM_STATE_NOTHING_RECORDED] = {
        "nothing-recorded", "nothing recorded, recorder stopped",
        "Nothing was recorded in these {duration}",
        "The recorder was stopped. To record again: parkctl {pid} start",
        {{NULL, NULL}},
    },
    [PM_STATE_NOTHING_READ] = {
        "nothing-read", "cancelled, nothing read",
        "Nothing has been read yet of these {duration}",
        "Reading was stopped.",
        {{"Read the rest", "win.reload"}},
    },
    [PM_STATE_FILTERS_EMPTY] = {
        "filters-empty", "filters empty",
        "No wait matches",
        "{set}; without {them} {waits}.",
        {{"Clear filters", "win.clear-filters"}, {"Whole recording", "win.clear-range"}},
    },
    [PM_STATE_ONLY_COUNTERS] = {
        "only-counters", "only counters",
        "Counters only",
        "Recorded with events=off: totals without individual waits, owners, wakers or charts. The totals: parkctl report --since-start {file}. To record waits: parkctl {pid} set events=on",
        {{NULL, NULL}},
    },
    [PM_STATE_NO_ALLOCATIONS] = {
        "no-allocations", "no allocations",
        "No allocations were sampled",
        "Switch it on: parkctl {pid} set alloc=512k, or start the recorder with alloc=512k.",
        {{NULL, NULL}},
    },
    [PM_STATE_NO_SAMPLES] = {
        "no-samples", "no allocations, though sampled",
        "No allocation was sampled up to the end of this range",
        "Sampling is on, but too little was allocated for a sample.",
        {{NULL, NULL}},
    },
    [PM_STATE_ALLOCATIONS_FILTERED] = {
        "allocations-filtered", "wait filters on the Memory page",
        "No allocation matches",
        "{reason}",
        {{"Clear filters", "win.clear-filters"}},
    },
    [PM_STATE_NO_ALLOCATION_OF] = {
        "no-allocation-of", "detail on the Memory page, nothing for the selection",
        "No allocation of {name}",
        "None in this range and under these filters.",
        {{NULL, NULL}},
    },
    [PM_STATE_NOTHING_SELECTED] = {
        "nothing-selected", "detail, nothing selected",
        "Nothing selected",
        "Select a row or a band to see its stack trace, owners and durations.",
        {{NULL, NULL}},
    },
    [PM_STATE_SELECTION_EMPTY] = {
        "selection-empty", "detail, no wait of the selection",
        "No wait of {name}",
        "None in this range and under these filters; idle ones are shown with I.",
        {{NULL, NULL}},
    },
    [PM_STATE_OWNER_NOT_KNOWN] = {
        "owner-not-known", "detail without an owner",
        "Owner not known",
        "The recorder cannot read an owner of this class ({class}). For who gave permits, see Woken by.",
        {{NULL, NULL}},
    },
    [PM_STATE_LIVE_ENDED] = {
        "live-ended", "live ended",
        "JVM {pid} ended at {time}",
        "What was received is shown until this window closes.",
        {{"Keep a Copy…", "win.save"}},
    },
    [PM_STATE_LIVE_TROUBLE] = {
        "live-trouble", "live, no new data",
        "No new data from JVM {pid}: {reason}",
        "Retrying; what was received so far is shown.",
        {{"Pause", "win.toggle-follow"}},
    },
};
/* clang-format on */

const PmStateText *pm_state_text_get(PmStateId state)
{
    g_return_val_if_fail(state < PM_N_STATES, NULL);
    return &states[state];
}

char *pm_state_text_file(const char *path)
{
    return strcmp(path, "-") == 0 ? g_strdup("standard input") : g_path_get_basename(path);
}

char *pm_state_text_pid(guint32 pid, const char *path)
{
    g_autofree char *name = path ? g_path_get_basename(path) : g_strdup("");
    guint64 named = 0;

    if (!pid && g_str_has_prefix(name, RECORDER_PREFIX)) {
        name[strcspn(name + strlen(RECORDER_PREFIX), "-.") + strlen(RECORDER_PREFIX)] = '\0';
        g_ascii_string_to_unsigned(name + strlen(RECORDER_PREFIX), 10, 1, G_MAXINT32, &named, NULL);
    }
    return pid || named ? g_strdup_printf("%u", pid ? pid : (guint)named) : g_strdup("PID");
}

char *pm_state_text_fill_pairs(const char *text, const char *const *pairs)
{
    GString *filled = g_string_new(NULL);

    while (*text) {
        const char *close = *text == '{' ? strchr(text, '}') : NULL;
        const char *value = NULL;
        if (close)
            for (guint i = 0; pairs && pairs[i] && !value; i += 2)
                if (strlen(pairs[i]) == (gsize)(close - text - 1) &&
                    !strncmp(pairs[i], text + 1, close - text - 1))
                    value = pairs[i + 1];
        if (value) {
            g_string_append(filled, value);
            text = close + 1;
        } else {
            g_string_append_c(filled, *text++);
        }
    }
    return g_string_free(filled, FALSE);
}

char *pm_state_text_fill(const char *text, ...)
{
    const char *pairs[17] = {NULL};
    va_list args;

    va_start(args, text);
    for (guint i = 0; i + 2 < G_N_ELEMENTS(pairs); i += 2) {
        const char *name = va_arg(args, const char *);
        if (!name)
            break;
        pairs[i] = name;
        pairs[i + 1] = va_arg(args, const char *);
    }
    va_end(args);
    return pm_state_text_fill_pairs(text, pairs);
}
