/* Who made a wait last: every wait is split over what held it up, in the spirit of 001 §3.3 and
 * §4.1 but true to how java.util.concurrent really wakes.
 *
 * For a blocker with an owner the parts go to its successive owners. Three kinds of evidence place
 * them: the owner read as a wait began, a wake whose cause is a *release* (only a release ends a
 * hold; a propagated or cancelled wake does not), and the woken waiter itself, which owns the
 * blocker once it resumes and does not park there again within the same acquire. Between two pieces
 * of evidence that agree the part is exact, else it is inferred. A hold during which nobody waited
 * is unseen, and needs no part. The instant between the waker's unpark and the waiter's resume is
 * nobody's: handoff; but where it lasts and somebody barged in, it is theirs, inferred.
 *
 * For any other blocker the part up to the wake goes to the waker, or, where woken waiters pass the
 * wake on, up to the first wake to the first waker; of a barrier and a phaser it goes evenly to all
 * that had not come; of a lock that readers share to those that held it at each instant, as likely
 * as each did (locks/readers.h). An interrupt that ends no wait ends no part either. A condition's
 * wait is cut where the hold began in which the signal came: until then it waited for the signal,
 * from then on, at most, for the lock; both inferred, as a signal cannot be seen. It came in the
 * waker's hold, or, when the waker had queued for the lock itself, in one of the holds since it
 * queued: of these candidates in that of the likeliest, by the waits where there was no choice. A
 * notified thread that resumes late waited meanwhile for the monitor. What is left goes to a
 * pseudo-cause. Stop-the-world pauses are cut out of every part. Parts of one wait add up to it to
 * the nanosecond. */
#pragma once

#include "viewer/analysis/recording/recording.h"

typedef enum {
    PM_CAUSE_OWNER,
    PM_CAUSE_WAKER,
    PM_CAUSE_TIME_OUT,
    PM_CAUSE_INTERRUPT,
    PM_CAUSE_HAND_OVER,
    PM_CAUSE_GC_PAUSE,
    PM_CAUSE_ARRIVAL, /* who would end it has nothing to do, until its own time or something outside
                       */
    PM_CAUSE_STILL_WAITING,
    PM_CAUSE_UNKNOWN,
    PM_N_CAUSES,
} PmCauseKind;

typedef struct {
    gint64 begin, end;
    PmCauseKind kind;
    guint32 thread; /* of PM_CAUSE_OWNER and PM_CAUSE_WAKER, else 0 */
    guint32 chain;  /* where it gave the blocker up or woke the waiter; else where it was seen while
                       it  held it; 0 = not known */
    gboolean inferred;
} PmPart;

typedef struct PmContention PmContention;

/* Builds the owners' timelines. Cost: O(n log n) over the waits for blockers with an owner.
 * Immutable; the recording is borrowed and must live longer. NULL when `cancel` was set. */
PmContention *pm_contention_new(const PmRecording *recording, const gint *cancel);
/* The same, built when first asked for and kept with the recording; any thread. */
const PmContention *pm_recording_contention(PmRecording *recording, const gint *cancel);
void pm_contention_free(PmContention *contention);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PmContention, pm_contention_free)

/* Appends the parts of wait `row` within [from, to) to `parts` (a GArray of PmPart), in order of
 * time, without gaps or overlaps. Where whoever is responsible waited itself, what it waited for is
 * in its place. */
void pm_contention_split(const PmContention *contention, guint32 row, gint64 from, gint64 to,
                         GArray *parts);

/* As pm_contention_split, but not followed: the threads that are responsible themselves, whatever
 * they did meanwhile. */
void pm_contention_split_here(const PmContention *contention, guint32 row, gint64 from, gint64 to,
                              GArray *parts);

/* A stretch of time in which one thread owned a blocker, as far as others waited for it. */
typedef struct {
    gint64 begin, end;
    guint32 thread, chain;
    gboolean acquired; /* begins with the resume of a woken waiter; else it was seen to be held */
    gboolean
        released;     /* ends with a release that was seen; else with who was seen to own it next */
    gboolean barged;  /* begins while the blocker was on its way to a woken waiter */
    gboolean watched; /* who got it next had waited all the time */
    gboolean exact;   /* acquired, released and watched: one hold, seen from begin to end */
} PmHold;

/* Whether a thread is known to have owned the blocker. */
gboolean pm_contention_has_owner(const PmContention *contention, guint32 blocker);

/* Appends the stretches of a blocker that touch [from, to), in order of time (a GArray of PmHold).
 */
void pm_contention_owned(const PmContention *contention, guint32 blocker, gint64 from, gint64 to,
                         GArray *holds);

/* Of these, those that ended with a seen release. The exact ones are the samples of measured hold
 * time: a release nobody waits for is unseen, so without a waiter two holds can look like one; and
 * a waiter that comes during a hold meets long ones more often than short ones. Who waited at its
 * begin knows nothing of its length. */
void pm_contention_holds(const PmContention *contention, guint32 blocker, GArray *holds);

/* Is the blocker taken and given back, as permits and pooled objects are? */
gboolean pm_contention_is_resource(const PmContention *contention, guint32 blocker);
/* Who ended the wait of `row`: who gave the signal or the permit, not who passed it on. FALSE when
 * it is not known. */
gboolean pm_contention_ender(const PmContention *contention, guint32 row, guint32 *ret_thread,
                             guint32 *ret_chain);

/* What threads of the same group were seen in, the nearest to `at`, within the call that `chain`
 * ended a wait in, or its caller: a stack trace. 0 = nobody looked. */
guint32 pm_contention_seen_in(const PmContention *contention, guint32 thread, guint32 chain,
                              gint64 at);

/* "(handoff)"; NULL for owner and waker, which are named by their thread. */
const char *pm_cause_pseudo_name(PmCauseKind kind);
