/* The thesis' table: all metrics of every blocker and kind of a view (004 §3.7), plus longest, p99.
 * Exact, by one sweep over begins and ends, or slice by slice for many waits (sums.h); tested
 * against a brute-force computation. */
#pragma once

#include "viewer/analysis/slices/sums.h"

typedef struct {
    guint32 blocker;
    guint8 kind, category;
    gint64 times_parked; /* waits begun in the range; not those in progress when recording began */
    gint64 touched;      /* waits that touch it */
    guint32 parked_now, peak_parked;
    gint64 thread_time, real_time;
    double avg_park;     /* ns; thread-time / times; NAN when times is 0 */
    double avg_hold;     /* ns; real-time / (times − now); NAN when that is 0 */
    gint64 longest, p99; /* ns of clipped waits */
    gint64 after_wait;   /* of thread-time: re-entering a monitor after Object.wait; -1 unknown */
    double real_time_util, thread_time_util; /* of the view's `known`; NAN when that is 0 */
    double real_life_time_util, thread_life_time_util; /* of its own life t_n − t_1 */
    guint32 first_thread, first_chain;
    guint32 owner; /* of the oldest wait in progress at the end of the range; 0 = none */
    gboolean alive;
    gboolean bound; /* waits were dropped: peak and real-time are lower bounds */
} PmMetricsRow;

typedef struct {
    PmView *view;
    PmRangeSums *sums; /* what they were computed from; NULL: the rows alone */
    gsize n;
    PmMetricsRow *rows; /* by thread-time, largest first; ties by blocker */
} PmMetrics;

PmMetrics *pm_metrics_new(PmView *view, const gint *cancel);

/* What is not a sum over the rows of several blockers: how many wait at a time for any of them, the
 * time in which somebody does, and the percentile. */
typedef struct {
    guint32 peak_parked;
    gint64 real_time, p99;
} PmTogether;

/* Those of `n_groups` groups of rows; `group_of` has for each row 1 + its group, 0 = none. One pass
 * over the waits. Owned by the caller; NULL if cancelled. */
PmTogether *pm_metrics_together(const PmMetrics *metrics, const guint32 *group_of, guint n_groups,
                                const gint *cancel);
/* The totals since the recording's begin, as the same table (--since-start): the ledger's last
 * snapshot plus the waits after it. Percentiles are unknown. */
PmMetrics *pm_metrics_since_start(PmRecording *recording);
void pm_metrics_free(PmMetrics *metrics);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PmMetrics, pm_metrics_free)
