/* What each thread did in a view: its life, its waits, their time by family. One pass. Immutable.
 */
#pragma once

#include "viewer/analysis/aggregation/filter.h"
#include "viewer/analysis/recording/category.h"

typedef struct {
    gint64 life;                  /* within the range */
    gint64 known;                 /* of it, in recorded waits or while no waits are missing */
    gint64 waits;                 /* that are not idle */
    gint64 family[PM_N_FAMILIES]; /* clipped to the range */
    gint64 longest;               /* of its waits that are not idle */
    guint64 longest_row;
} PmThreadTime;

typedef struct {
    PmView *view; /* counted */
    guint n_threads, n_groups;
    PmThreadTime *threads; /* by thread index */
    PmThreadTime *groups;  /* by group index: sums; the longest of all */
    guint32 *n_of_group;   /* threads that were seen in the range */
    guint32 **of_group;    /* their indices */
} PmThreadTimes;

/* Whether it was seen between the two, however short: of a thread of which one instant is known, as
 * of one that was only woken, that instant is its life. */
static inline gboolean pm_thread_is_within(const PmThread *thread, gint64 from, gint64 to)
{
    return thread->begin <= to && thread->end >= from;
}

/* The view must include idle waits, otherwise idle time counts as busy. Cost: O(waits + threads).
 * NULL if cancelled. */
PmThreadTimes *pm_thread_times_new(PmView *view, const gint *cancel);
void pm_thread_times_free(PmThreadTimes *times);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PmThreadTimes, pm_thread_times_free)

/* Without idle. */
gint64 pm_thread_time_waiting(const PmThreadTime *time);
