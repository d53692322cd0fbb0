/* Everything about one selection: the waits of a view that have the same keys under a path of
 * aspects (a row of the tree, a blocker, a group). Under aspects that split a wait over its parts
 * (cause, owner) only the time of the matching parts counts. Built in a worker; immutable. */
#pragma once

#include "viewer/analysis/aggregation/filter.h"

typedef struct {
    PmAspect aspect;
    guint64 key;
} PmPathStep;

/* Durations are counted in a 1-2-5 series from 1 µs: bin 0 is below it, the last one is open. */
#define PM_DETAIL_BINS 26

/* One share of the selection's time: a group, a cause, an owner. */
typedef struct {
    guint64 key;  /* of its aspect */
    gint64 count; /* number of waits, regardless of how many parts of each belong to it */
    gint64 thread_time, inferred_time;
    guint32 last_row; /* that was counted, + 1 */
} PmDetailPart;

typedef struct {
    PmView *view;
    guint n_steps;
    PmPathStep steps[PM_N_ASPECTS];
    gsize n;
    guint64 *selected; /* a bit for each row of the view: the waits, by pm_detail_row */
    guint32 *before;   /* how many are selected before each 512th of its rows */
    guint32 longest_row;
    gint64 thread_time, longest; /* clipped to the range */
    gint64 p50, p90, p99;        /* of complete durations; a wait in progress counts up to now */
    guint64 in_progress;
    guint64 bins[PM_DETAIL_BINS];
    guint32 chain, blocker; /* with most thread-time; 0 = none */
    guint32 cause_chain;    /* of the cause with the most thread-time; 0 = unknown */
    guint32 n_chains, n_blockers;
    /* Of PmDetailPart, most time first: by group, cause-site, owner, waker-site, wake cause. */
    GArray *groups, *causes, *owners, *wakers, *wake_causes;
    gboolean estimated; /* causes and owners are, from `n_followed` waits, longer ones being more
                         * likely to be chosen */
    gsize n_followed;
    double weight; /* of a huge recording, selected by causes, waits of an excerpt are found, each
                    * of which stands for so many: `n` is not multiplied by it, times are. Else 1 */
} PmDetail;

/* A worker gets at least so many rows, if there are more; tests reduce it. */
extern gsize pm_detail_piece_rows;

/* The least duration of a bin in ns; 0 for the first. */
gint64 pm_detail_bin_begin(guint bin);

/* `steps` may be empty: the whole view. Cost, on all cores: a pass over the view, two or three over
 * the lengths of its waits, one over the parts of them. For very many waits, only some are split
 * into parts, unless the parts determine the selection. NULL if cancelled. */
PmDetail *pm_detail_new(PmView *view, const PmPathStep *steps, guint n_steps, const gint *cancel);
/* The same without percentiles, causes and owners; without parts, unless these determine the
 * selection. */
PmDetail *pm_detail_new_plain(PmView *view, const PmPathStep *steps, guint n_steps,
                              const gint *cancel);
/* The longest wait goes on, or began before it was recorded: it lasts at least so long. */
gboolean pm_detail_longest_is_bound(const PmDetail *detail);
/* The `i`th of its waits, by begin. */
guint32 pm_detail_row(const PmDetail *detail, gsize i);
void pm_detail_free(PmDetail *detail);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PmDetail, pm_detail_free)
