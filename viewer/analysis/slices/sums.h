/* Sums for each blocker and kind in each slice of a view of the whole recording, so that any range
 * can be computed from them: the same numbers as from the rows, except for values that do not fit
 * in 64 bits.
 *
 * Only for those with so many waits that they occur in most slices; for the others the rows are
 * listed. */
#pragma once

#include "viewer/analysis/aggregation/slices.h"
#include "viewer/analysis/recording/category.h"

/* For one blocker and kind in a time span. A wait is *in* it if it begins there, or was in progress
 * when the range began. */
typedef struct {
    guint32 n, n_begun; /* waits in it; those that are seen to begin */
    guint32 first;      /* row of the first of them */
    guint32 peak;       /* waiting at a time, at most */
    guint32 n_lasting;  /* of some length */
    guint32 n_time_outs;
    gint64 thread_time, real_time, after_wait; /* within the span */
    gint64 last_event;
    guint32 now, owner;  /* still waiting at its end; the owner of the first of them */
    gint64 open_time;    /* of those, up to there */
    gint64 own_time;     /* of the waits that begin in it, without what is after the range */
    gint64 longest, p99; /* of a range alone: of waits within it */
    gint64 by_category[PM_N_CATEGORIES];
    guint32 in_category[PM_N_CATEGORIES];
} PmSum;

/* The time of one key for one thread, or chain, within the span. */
typedef struct {
    guint32 key, id;
    gint64 time;
} PmSumPart;

typedef struct PmSums PmSums;

/* The sums of `view`, if it covers the whole recording, or of the whole view that it is a range of:
 * computed on first use and stored with that. NULL: too few waits, too many blockers, or `cancel`
 * was set. Cost when computed: two passes over its rows, on all cores. */
const PmSums *pm_sums_of(PmView *view, const gint *cancel);

/* What they come to in a view's range. */
typedef struct {
    const PmSums *of;       /* borrowed */
    PmSliceRange *range;    /* of them */
    guint inner, inner_end; /* slices that lie in it whole */
    gint64 *first_times;    /* by key: `own_time` of the part that precedes; NULL: nothing */
    guint n_keys;
    guint32 *blockers; /* by key */
    guint8 *kinds;
    PmSum *sums;     /* by key; n = 0: none */
    GArray *threads; /* of PmSumPart: who waits, of each key */
    GArray *chains;  /* where */
    GArray *givers;  /* where its waits were ended; without a time */
    /* For the others: (blocker · PM_N_KINDS + kind), where its rows end, and the rows in order; and
     * its place among them by its time in all of the recording, most first. */
    guint n_few;
    guint32 *few, *few_ends, *few_rows, *few_places;
} PmRangeSums;

/* NULL: `cancel` was set. */
PmRangeSums *pm_range_sums_new(const PmSums *sums, const PmView *view, const gint *cancel);
void pm_range_sums_free(PmRangeSums *sums);
/* Among the waits for a signal, or to join, in the range, of blockers with sums: those that last at
 * least as long as `least` says for their thread. Rows (guint32), appended in any order. */
void pm_range_sums_find_long(const PmRangeSums *sums, const gint64 *least, GArray *rows);

/* A wait in which the accumulated waiting of its key passes one or more steps. */
typedef struct {
    gint64 steps;
    guint32 row, key;
} PmPick;

/* The waits in which the accumulated waiting of a key passes another multiple of `steps[key]`;
 * `passed[key]` have been passed before the first wait. Nothing for a key without a step. PmPicks
 * in order of their rows. */
GArray *pm_range_sums_pick(const PmRangeSums *sums, const gint64 *steps, const gint64 *passed,
                           const gint *cancel);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PmRangeSums, pm_range_sums_free)
