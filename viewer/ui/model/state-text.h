/* Texts of the window when there is nothing to draw (docs/ui.md, State texts): one table for the
 * pages, the tests and docs/ui.md. A text may contain {names}; pm_state_text_fill substitutes
 * values. Pure data and strings: any thread. */
#pragma once

#include <glib.h>

typedef enum {
    PM_STATE_NO_FILE,
    PM_STATE_LOADING,
    PM_STATE_CANCELLED,
    PM_STATE_END_ONLY,
    PM_STATE_NOT_A_RECORDING,
    PM_STATE_EMPTY_FILE,
    PM_STATE_UNREADABLE,   /* the system's message: no such file, permission denied */
    PM_STATE_NOT_FOLLOWED, /* a JVM */
    PM_STATE_TORN,
    PM_STATE_NOTHING_WHOLE, /* torn before its first whole chunk */
    PM_STATE_NEWER_FORMAT,
    PM_STATE_NO_WAITS,
    PM_STATE_NO_WAITS_DAMAGED, /* none can be read */
    PM_STATE_NO_WAITS_STOPPED, /* the same, because the recorder was off */
    PM_STATE_NOTHING_RECORDED,
    PM_STATE_NOTHING_READ,
    PM_STATE_FILTERS_EMPTY,
    PM_STATE_ONLY_COUNTERS,
    PM_STATE_NO_ALLOCATIONS,
    PM_STATE_NO_SAMPLES,
    PM_STATE_ALLOCATIONS_FILTERED,
    PM_STATE_NO_ALLOCATION_OF,
    PM_STATE_NOTHING_SELECTED,
    PM_STATE_SELECTION_EMPTY,
    PM_STATE_OWNER_NOT_KNOWN,
    PM_STATE_LIVE_ENDED,
    PM_STATE_LIVE_TROUBLE,
    PM_N_STATES,
} PmStateId;

typedef struct {
    const char *label;  /* "Open…" */
    const char *action; /* "win.open" */
} PmStateAction;

#define PM_STATE_MAX_ACTIONS 2

typedef struct {
    const char *name;  /* "no-file": in tests */
    const char *where; /* "no file": when it is shown, as in docs/ui.md */
    const char *title;
    const char *body;                            /* "" = the title says it all */
    PmStateAction actions[PM_STATE_MAX_ACTIONS]; /* label NULL ends them */
} PmStateText;

const PmStateText *pm_state_text_get(PmStateId state);

/* What a recording is called: the name of its file, without folders. Owned by the caller. */
char *pm_state_text_file(const char *path);
/* For a command in a text: the pid; else that in a recording's name that was made by the recorder
 * or by parkctl; else "PID". Owned by the caller. */
char *pm_state_text_pid(guint32 pid, const char *path);

/* `text` with every {name} replaced, given as name, value, …, NULL. A name without a value is left
 * unchanged, so that a mistake is visible. Owned by the caller. */
char *pm_state_text_fill(const char *text, ...) G_GNUC_NULL_TERMINATED;
char *pm_state_text_fill_pairs(const char *text, const char *const *pairs);
