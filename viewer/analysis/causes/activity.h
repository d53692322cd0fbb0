/* What each thread did: its waits in order of time, and the samples of its stack trace. */
#pragma once

#include "viewer/analysis/causes/row-lists.h"
#include "viewer/analysis/recording/recording.h"

/* Where the rows of a thread's waits lie. */
typedef struct {
    gsize first, first_begin; /* in the worker's lists */
    guint32 n;
    guint8 worker;
} PmActivityWaits;

typedef struct {
    const PmRecording *recording;        /* borrowed */
    PmActivityWaits *threads;            /* by thread */
    PmPacked waits[PM_MOST_ROW_WORKERS]; /* rows, by thread, then by begin */
    GArray *begins[PM_MOST_ROW_WORKERS]; /* of gint64: when every so manieth of these begins */
    guint32 *sample_starts;
    guint32 *samples;  /* indices into recording->samples, by thread looked at, then by time */
    GHashTable *calls; /* activity.c's: samples by the calls that they were taken in */
    guint32 *repeated; /* a bit for each row: see pm_activity_is_repeated */
} PmActivity;

/* Whoever waits again for the same object so soon did not get what it waited for. */
#define PM_ACTIVITY_REPARK_NS 200000

/* NULL when `cancel` was set, or for want of memory. Cost: a few passes over the waits, on all
 * cores. */
PmActivity *pm_activity_new(const PmRecording *recording, const gint *cancel);
void pm_activity_free(PmActivity *activity);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PmActivity, pm_activity_free)

/* Did the thread at once wait for the same object again? */
static inline gboolean pm_activity_is_repeated(const PmActivity *activity, guint32 row)
{
    return activity->repeated[row / 32] >> row % 32 & 1;
}

static inline guint32 pm_activity_n_waits(const PmActivity *activity, guint32 thread)
{
    return activity->threads[thread].n;
}

/* The row of the thread's `nth` wait. */
static inline guint32 pm_activity_wait(const PmActivity *activity, guint32 thread, guint32 nth)
{
    const PmActivityWaits *waits = &activity->threads[thread];
    return (guint32)pm_packed_get(&activity->waits[waits->worker], waits->first + nth);
}

/* Which of the thread's waits is the first that ends after `at`; how many it has when there is
 * none. */
guint32 pm_activity_first_wait(const PmActivity *activity, guint32 thread, gint64 at);
/* The stack trace that the thread was seen with as owner of the blocker, from `from` on and before
 * `to`; 0 = none. */
guint32 pm_activity_owner_sample(const PmActivity *activity, guint32 thread, guint32 blocker,
                                 gint64 from, gint64 to);
/* The stack trace of the thread's sample that is nearest to [from, to) and at most `distance` ns
 * away from it, of those of owners if it `holds` a lock; 0 when there is none. */
guint32 pm_activity_nearest_sample(const PmActivity *activity, guint32 thread, gboolean holds,
                                   gint64 from, gint64 to, gint64 distance);
/* When the thread was first looked at in [from, to), as owner of a lock if it `holds` one; `to`
 * when it was not. */
gint64 pm_activity_next_sample(const PmActivity *activity, guint32 thread, gboolean holds,
                               gint64 from, gint64 to);
/* Can a thread that took or gave back a lock in `hold` have been in `sample` meanwhile? The calls
 * that lead to where it did so went on all the time. */
gboolean pm_activity_may_be_within(const PmRecording *recording, guint32 hold, guint32 sample);
/* Of the samples of threads of the same group, taken in a call of the innermost own method of
 * `chain` while they held a lock (`holds`), within which they may have been, or were expected to
 * end a wait, the nearest to `at`: its stack trace. Who ends a wait may also be seen in a call of
 * that method's own caller, where there are too few; and, when nothing in `chain` is own, in any
 * own method about then. 0 when there are too few. */
guint32 pm_activity_sample_in_call(const PmActivity *activity, guint32 thread, guint32 chain,
                                   gboolean holds, gint64 at);
