/* What each thread did: its waits in order of time, and the samples of its stack trace. */
#pragma once

#include "viewer/analysis/code/row-lists.h"
#include "viewer/analysis/recording/recording.h"

/* Of a thread's waits, so many apart, it is kept when they begin: to find one by time among few. */
#define PM_ACTIVITY_BEGIN_EACH 64

/* Where the rows of a thread's waits lie. */
typedef struct {
    gsize first;    /* in the worker's list */
    GArray *begins; /* of gint64: of every PM_ACTIVITY_BEGIN_EACHth but the first; NULL: there is
                       none */
    guint32 n;
    guint8 worker;
} PmActivityWaits;

/* For so long a thread was in no wait. */
typedef struct {
    gint64 begin, length;
    guint32 gave; /* in which methods it woke others then: bits of pm_activity_gave; 0: unknown */
} PmStretch;

typedef struct {
    const PmRecording *recording;        /* borrowed */
    PmActivityWaits *threads;            /* by thread */
    PmPacked waits[PM_MOST_ROW_WORKERS]; /* rows, by thread, then by begin */
    guint32 *sample_starts;
    guint32 *samples;     /* indices into recording->samples, by sampled thread, then by time */
    PmStretch *stretches; /* by sample: the one around it */
    guint8 *uses;         /* by sample: PmSampleUse; silent and late ones are not in `samples` */
    GHashTable *calls;    /* private to activity.c: samples by the calls that they were taken in */
    guint32 *repeated;    /* a bit for each row: see pm_activity_is_repeated */
} PmActivity;

/* A thread that waits again for the same object this soon did not get what it waited for. */
#define PM_ACTIVITY_REPARK_NS 200000

/* NULL if `cancel` was set or out of memory. Cost: a few passes over the waits, on all cores. */
PmActivity *pm_activity_new(const PmRecording *recording, const gint *cancel);
void pm_activity_free(PmActivity *activity);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PmActivity, pm_activity_free)

/* Whether the thread immediately waited for the same object again. */
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

/* The index of the thread's first wait that ends after `at`; the number of its waits if there is
 * none. */
guint32 pm_activity_first_wait(const PmActivity *activity, guint32 thread, gint64 at);
/* The same, in less time if `nth`, unless it is G_MAXUINT32, is the thread's wait before. */
guint32 pm_activity_next_wait(const PmActivity *activity, guint32 thread, guint32 nth, gint64 at);
/* Does it never wait for work or for an answer, but for locks and the time at most? The first waits
 * of many are looked at. */
gboolean pm_activity_waits_for_nobody(const PmActivity *activity, guint32 thread);
/* The stack trace of the thread sampled as owner of the blocker in [from, to); 0 = none. */
guint32 pm_activity_owner_sample(const PmActivity *activity, guint32 thread, guint32 blocker,
                                 gint64 from, gint64 to);
/* A bit for the method of the program that the stack trace is in; two methods may share one. */
guint32 pm_activity_gave(const PmRecording *recording, guint32 chain);
/* In which the thread lived and was in no wait around `at`; its length is 0 if it was in one. What
 * it woke others in is not looked for. */
PmStretch pm_activity_stretch(const PmActivity *activity, guint32 thread, gint64 at);
/* The stack trace of the thread's sample nearest to [from, to) and at most `distance` ns away,
 * among owner samples if it `holds` a lock; 0 if there is none. Those outside only if they were
 * taken in a stretch about as long as `stretch`: what takes long and what does not are often
 * different things; rather one in which others were woken in the same method, and at such a time of
 * it as [from, to) is of that one. NULL: in any,
 * and if there is no other, one taken when nobody waited for what the thread does. */
guint32 pm_activity_nearest_sample(const PmActivity *activity, guint32 thread, gboolean holds,
                                   gint64 from, gint64 to, gint64 distance,
                                   const PmStretch *stretch);
/* Only one taken in a stretch about as long, at such a time of it. */
guint32 pm_activity_sample_as_late(const PmActivity *activity, guint32 thread, gboolean holds,
                                   gint64 from, gint64 to, gint64 distance,
                                   const PmStretch *stretch);
/* When the thread was first sampled in [from, to), as owner of a lock if it `holds` one; `to` if it
 * was not. */
gint64 pm_activity_next_sample(const PmActivity *activity, guint32 thread, gboolean holds,
                               gint64 from, gint64 to);
/* Whether a thread that acquired or released a lock in `hold` can have been in `sample` meanwhile:
 * the calls leading to that point were active all the time. */
gboolean pm_activity_may_be_within(const PmRecording *recording, guint32 hold, guint32 sample);
/* The stack trace of the sample nearest to the middle of [from, to) among those of threads of the
 * same group, taken in a call of the innermost own method of `chain` while they held a lock
 * (`holds`), or were expected to end a wait. If there are too few, samples of an ender in a call of
 * that method's own caller are used too; and, if `chain` has no own code or only what a library
 * calls back, or none is known of a holder, samples in any own method around that time. 0 if there
 * are too few. Of a holder's, rather one of the thread itself. Of an ender's, one taken in a
 * stretch about as long as `stretch`, if there is one, unless that is NULL: rather one at such a
 * time of it as [from, to) is of that one; none of one much longer than both it and [from, to),
 * which is other work. */
guint32 pm_activity_sample_in_call(const PmActivity *activity, guint32 thread, guint32 chain,
                                   gboolean holds, gint64 from, gint64 to,
                                   const PmStretch *stretch);
/* The program's own method of `chain` called a library there, which woke somebody: the stack trace
 * of the sample nearest to `at` among those of threads of the same group that were taken in own
 * code which the library called back in that very call. 0 if there are too few. */
guint32 pm_activity_sample_called_back(const PmActivity *activity, guint32 thread, guint32 chain,
                                       gint64 at);
/* Where a thread was in `sample`, that takes a lock in `take` and gives it back in `give`: in the
 * innermost call that both are in, before the line that takes or behind that which gives, or on
 * neither. Not known, if the three are not in one call, or lines are not. */
typedef enum {
    PM_HOLD_PLACE_UNKNOWN,
    PM_HOLD_PLACE_WITHIN,
    PM_HOLD_PLACE_OUTSIDE,
} PmHoldPlace;
PmHoldPlace pm_activity_hold_place(const PmRecording *recording, guint32 take, guint32 give,
                                   guint32 sample);
/* The stack trace of the sample nearest to `at` among those of threads of the same group that were
 * taken between the lines that take and give back; 0 if there are too few. */
guint32 pm_activity_sample_within(const PmActivity *activity, guint32 thread, guint32 take,
                                  guint32 give, gint64 at);
