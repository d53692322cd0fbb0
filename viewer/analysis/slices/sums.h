/* What is summed up of each blocker and kind in each slice of a view of the whole, so that any
 * range of it is summed up from those: the same numbers as from the rows, but for what does not fit
 * in 64 bits.
 *
 * Only of those with so many waits that there is something of them in most slices; of the others
 * the rows are listed. */
#pragma once

#include "viewer/analysis/slices/slices.h"
#include "viewer/analysis/recording/category.h"

/* Of one blocker and kind in a span of time. A wait is *in* it if it begins there, or went on as
 * the range began. */
typedef struct {
    guint32 n, n_begun; /* waits in it; those that are seen to begin */
    guint32 first;      /* row of the first of them */
    guint32 peak;       /* waiting at a time, at most */
    guint32 n_lasting;  /* of some length */
    guint32 n_time_outs;
    gint64 thread_time, real_time, after_wait; /* within the span */
    gint64 last_event;
    guint32 now, owner;  /* still waiting at its end; the owner that the first of them has */
    gint64 open_time;    /* of those, up to there */
    gint64 own_time;     /* of the waits that begin in it, but for what is behind the range */
    gint64 longest, p99; /* of a range alone: of waits within it */
    gint64 by_category[PM_N_CATEGORIES];
    guint32 in_category[PM_N_CATEGORIES];
} PmSum;

/* The time within the span that one of the keys has of one thread, or chain. */
typedef struct {
    guint32 key, id;
    gint64 time;
} PmSumPart;

typedef struct PmSums PmSums;

/* Those of `view`, which is of the whole, or of the view of the whole that it is a range of: made
 * when first asked for, and kept with that. NULL: too few waits, or of too many blockers; or
 * `cancel` was set. Cost when it is made: two passes over its rows, on all cores. */
const PmSums *pm_sums_of(PmView *view, const gint *cancel);

/* What they come to in a view's range. */
typedef struct {
    const PmSums *of;       /* borrowed */
    PmSliceRange *range;    /* of them */
    guint inner, inner_end; /* slices that lie in it whole */
    gint64 *first_times;    /* by key: `own_time` of what of the one before does; NULL: nothing */
    guint n_keys;
    guint32 *blockers; /* by key */
    guint8 *kinds;
    PmSum *sums;     /* by key; n = 0: none */
    GArray *threads; /* of PmSumPart: who waits, of each key */
    GArray *chains;  /* where */
    GArray *givers;  /* where its waits were ended; without a time */
    /* Of the others: (blocker · PM_N_KINDS + kind), where its rows end, and the rows in order. */
    guint n_few;
    guint32 *few, *few_ends, *few_rows;
} PmRangeSums;

/* NULL: `cancel` was set. */
PmRangeSums *pm_range_sums_new(const PmSums *sums, const PmView *view, const gint *cancel);
void pm_range_sums_free(PmRangeSums *sums);
/* Of the waits for a signal, or to join, in the range, of blockers that are summed up: those that
 * last at least as long as `least` has it for their thread. Rows (guint32), appended in any order.
 */
void pm_range_sums_find_long(const PmRangeSums *sums, const gint64 *least, GArray *rows);

/* A wait in which steps of waiting for its key are over. */
typedef struct {
    gint64 steps;
    guint32 row, key;
} PmPick;

/* Where waiting for a key, wait after wait, passes another `steps[key]`, of which `passed[key]`
 * have passed before the first; of a key without a step nothing. PmPicks in order of their rows. */
GArray *pm_range_sums_pick(const PmRangeSums *sums, const gint64 *steps, const gint64 *passed,
                           const gint *cancel);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PmRangeSums, pm_range_sums_free)
