/* Who made a wait last: every wait is divided among its causes, following 001 §3.3 and §4.1,
 * adapted to how java.util.concurrent actually wakes threads.
 *
 * For a blocker with an owner the parts go to its successive owners. Three kinds of evidence place
 * them: the owner read when a wait began, a wake whose cause is a *release* (only a release ends a
 * hold; a propagated or cancelled wake does not), and the woken waiter itself, which owns the
 * blocker once it resumes and does not park there again within the same acquire. Between two pieces
 * of evidence that agree, the part is exact, otherwise inferred. A hold during which nobody waited
 * is not seen and needs no part. The time from the waker's unpark to the waiter's resume belongs to
 * nobody: handoff; but if it is long and a thread barged in, it is charged to that thread,
 * inferred.
 *
 * For any other blocker, the part up to the wake is charged to the waker, or, if woken waiters pass
 * the wake on, up to the first wake to the first waker; for a barrier or phaser, evenly to all that
 * had not arrived; for a lock that readers share, to those that held it at each instant, in
 * proportion to how likely each did (locks/readers.h). An interrupt that does not end a wait does
 * not end a part. A condition's wait is split at the beginning of the hold in which the signal was
 * given: until then it waited for the signal, afterwards at most for the lock; both inferred,
 * because a signal cannot be seen. It was given in the waker's hold, or, if the waker had queued
 * for the lock itself, in one of the holds since it queued: among these candidates, in the most
 * likely one, judging by waits without a choice. A notified thread that resumes late waited for the
 * monitor meanwhile. The rest goes to a pseudo-cause. Stop-the-world pauses are cut out of every
 * part. The parts of a wait add up to it, to the nanosecond. */
#pragma once

#include "viewer/analysis/code/activity.h"
#include "viewer/analysis/locks/lock-takers.h"
#include "viewer/analysis/recording/recording.h"

typedef enum {
    PM_CAUSE_OWNER,
    PM_CAUSE_WAKER,
    PM_CAUSE_TIME_OUT,
    PM_CAUSE_INTERRUPT,
    PM_CAUSE_HAND_OVER,
    PM_CAUSE_GC_PAUSE,
    PM_CAUSE_ARRIVAL, /* its ender has nothing to do until a timer or an external event */
    PM_CAUSE_STILL_WAITING,
    PM_CAUSE_UNKNOWN,
    PM_N_CAUSES,
} PmCauseKind;

typedef struct {
    gint64 begin, end;
    PmCauseKind kind;
    guint32 thread; /* of PM_CAUSE_OWNER and PM_CAUSE_WAKER, else 0 */
    guint32 chain;  /* where it released the blocker or woke the waiter; else where it
                     * was seen while holding it; 0 = unknown */
    gboolean inferred;
    guint32 brought; /* of PM_CAUSE_ARRIVAL: where its ender passed it on; 0 = not known */
    /* Who owned the blocker meanwhile, and where it released it, else was seen: also if what is
     * behind that is told above; 0: nobody, or it is not known. */
    guint32 owner, owner_chain;
    gint64 held; /* of a resource: how long it keeps one at a time; 0: not known, or no resource */
} PmPart;

typedef struct PmContention PmContention;

/* Builds the owners' timelines. Cost: O(n log n) over the waits for blockers with an owner.
 * Immutable; the recording is borrowed and must live longer. NULL if `cancel` was set. */
PmContention *pm_contention_new(const PmRecording *recording, const gint *cancel);
/* The same, built on first use and stored with the recording; any thread. */
const PmContention *pm_recording_contention(PmRecording *recording, const gint *cancel);
void pm_contention_free(PmContention *contention);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PmContention, pm_contention_free)

/* Appends the parts of wait `row` within [from, to) to `parts` (a GArray of PmPart), in order of
 * time, without gaps or overlaps. If the responsible thread was itself waiting, what it waited for
 * takes its place. */
void pm_contention_split(const PmContention *contention, guint32 row, gint64 from, gint64 to,
                         GArray *parts);

/* As pm_contention_split, but not followed: the directly responsible threads, whatever they did
 * meanwhile. */
void pm_contention_split_here(const PmContention *contention, guint32 row, gint64 from, gint64 to,
                              GArray *parts);

/* A period in which one thread owned a blocker, as far as others waited for it. */
typedef struct {
    gint64 begin, end;
    guint32 thread, chain;
    gboolean acquired; /* begins with the resume of a woken waiter; else it was seen as held */
    gboolean released; /* ends with an observed release; else with the next observed owner */
    gboolean barged;   /* begins while the blocker was on its way to a woken waiter */
    gboolean watched;  /* who got it next had waited all the time */
    gboolean exact;    /* one hold, observed from acquisition to release */
} PmHold;

/* Whether a thread is known to have owned the blocker. */
gboolean pm_contention_has_owner(const PmContention *contention, guint32 blocker);

/* Calls `each` for the periods of a blocker that overlap [from, to), in order of time. Those that
 * are `exact` are the samples of measured hold time: a release without waiters is not seen, so
 * without a waiter two holds can look like one; and a waiter that arrives during a hold is more
 * likely to encounter a long one. A thread that was waiting at the beginning of a hold introduces
 * no such bias. */
typedef void (*PmHoldFunc)(const PmHold *hold, gpointer data);
void pm_contention_each_hold(const PmContention *contention, guint32 blocker, gint64 from,
                             gint64 to, PmHoldFunc each, gpointer data);
/* Appends them (a GArray of PmHold). */
void pm_contention_owned(const PmContention *contention, guint32 blocker, gint64 from, gint64 to,
                         GArray *holds);

/* Whether the blocker is taken and given back, like permits and pooled objects. */
gboolean pm_contention_is_resource(const PmContention *contention, guint32 blocker);
/* So many of it are held at a time, as far as seen, while somebody waits; 0: it is none. */
guint pm_contention_held_at_once(const PmContention *contention, guint32 blocker);
/* Whether a synchronizer of the program's own that looks like a latch lets threads in again and
 * again, like a semaphore that counts how often there is something to do. */
gboolean pm_contention_is_counted(const PmContention *contention, guint32 blocker);
/* The thread that ended the wait of `row`: the one that gave the signal or the permit, not one that
 * passed it on. FALSE if unknown. */
gboolean pm_contention_ender(const PmContention *contention, guint32 row, guint32 *ret_thread,
                             guint32 *ret_chain);

/* The same of the `n` rows from `first` on, in less time; thread 0: unknown. */
void pm_contention_enders(const PmContention *contention, gsize first, gsize n,
                          guint32 *ret_threads, guint32 *ret_chains);

/* Who waits at the conditions of each lock. Borrowed. */
const PmLockTakers *pm_contention_lock_takers(const PmContention *contention);

/* For whom threads of a group work, which rest until they are given something to do. */
typedef enum {
    PM_WORK_UNASKED,    /* nobody gives them anything */
    PM_WORK_FOR_OTHERS, /* but not those asked about, through others neither */
    PM_WORK_FOR_THEM,
} PmWorkFor;
PmWorkFor pm_contention_works_for(const PmContention *contention, guint32 group, guint32 worker);

/* What each thread did. Borrowed. */
const PmActivity *pm_contention_activity(const PmContention *contention);
