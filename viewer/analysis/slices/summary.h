/* The summary of a view: its metrics, what its thread groups did, what still waits, what is left
 * out. */
#pragma once

#include "viewer/analysis/slices/metrics.h"
#include "viewer/analysis/slices/group-time.h"

/* Average number of threads below which waiting is ignored, however little else the group does: an
 * idle pool that spent its few busy milliseconds on a lock is not a finding. */
#define PM_SUMMARY_MIN_MEAN 0.01

/* Average number of threads below which it is a note but not a verdict: a poller that loses 5 % of
 * its time to a lock of the JDK's selector does so in every idle server. */
#define PM_SUMMARY_HIGH_MEAN 0.1

#define PM_BEHIND_CYCLE (-2) /* it waits, directly or indirectly, for a thread of a deadlock */

/* One row of "still waiting": threads that wait for the same blocker at the same site, by age. */
typedef struct {
    guint32 blocker, chain, owner; /* chain of the oldest */
    guint32 first_thread, group;
    guint32 n_threads;
    gint64 since; /* of the oldest */
    gint64 woken; /* 0, or when the oldest was woken, at least PM_WOKEN_NS ago: it has not run
                   * since */
    guint8 kind, category, owner_state;
    gboolean begin_unknown, timed;
    gboolean stuck; /* has waited for 10 s or more, 5 s if it began before recording, and is not an
                     * idle thread (summary.c) */
    gboolean may_be_stuck; /* the same after half of that time */
    gboolean long_signal;  /* has waited as long for a signal, without a timeout: idle, or stuck */
    gint64 handed_on; /* a lock's, a semaphore's, or of what is handed over: when who waited got it
                         last; G_MININT64: not seen */
    guint32 owner_chain; /* its last sampled chain, 0 = none */
    gint cycle;          /* index of the deadlock it is in, -1 = none, or PM_BEHIND_CYCLE */
    const guint32 *rows; /* its waits */
} PmStillWaiting;

typedef struct {
    guint32 n_threads;
    const guint32 *rows; /* the waits, in order around the circle */
    gint64 since;
    gboolean since_before; /* at the latest: its last wait began unseen */
    guint32 n_behind;      /* threads that wait behind it */
} PmDeadlock;

typedef struct {
    PmMetrics *metrics;
    guint n_groups;
    PmGroupTime *groups; /* by waiting time */
    guint n_still;
    PmStillWaiting *still; /* at `at`, idle left out; oldest first */
    guint n_deadlocks;
    PmDeadlock *deadlocks;
    gint64 at; /* the instant asked for: the range's end */
    guint n_idle_now;
    guint n_gaps;
    gint64 not_stored, not_stored_time; /* waits in the range that are only counted, and their ns */
    const guint8 *pools;                /* by group: its threads have been seen idle as pool threads
                                         */
    guint8 *going;                      /* summary.c's, by thread: it went on shortly before `at` */
    guint n_going;                      /* threads that do, and wait for nobody else */
    guint n_tasks[2], n_results[2]; /* that do in a task, and that wait for the result of one: of
                                     * a FutureTask, of a CompletableFuture */
    char *not_recorded;             /* "Not recorded here: CPU, socket reads, sleep, …" */
} PmSummary;

/* `at` is inside the recording, usually the end of the view's range. */
PmSummary *pm_summary_new(PmView *view, gint64 at, const gint *cancel);
void pm_summary_free(PmSummary *summary);
/* "woken 10.1 s ago by main, waits for a carrier"; NULL: it was not woken. Owned by the caller. */
char *pm_summary_woken_text(const PmSummary *summary, const PmStillWaiting *still);
/* Who owns what is waited for, "reg-1"; that one ended and owns it still is worth a word: "reg-1
 * (ended)". NULL: it is not known. Owned by the caller. */
char *pm_summary_owner_text(const PmSummary *summary, const PmStillWaiting *still);
/* Whether the thread of wait `row` is idle by design rather than blocked: this wait is three
 * quarters of its life (main that joins its workers, a consumer with a quiet queue), or it is of
 * main and for those that are at work; it is not a pool worker, nor in a task that waits for one
 * which nobody runs, and it waits for a signal or to join, not for a lock or a permit. */
gboolean pm_summary_is_at_rest(const PmSummary *summary, guint32 row);
gboolean pm_summary_lives(const PmRecording *recording, guint32 thread, gint64 at);
/* Whether the program waits there, in a call into a library, for somebody to take what it gives.
 * Who gives is not at rest. */
gboolean pm_summary_hands_over(const PmRecording *recording, guint32 chain);
/* Whether a consumer waits for work there: its long waits are nobody's fault. Producers that wait
 * are blocked. */
gboolean pm_summary_wants_work(const PmRecording *recording, guint8 category, guint32 chain);
/* "http-nio-8080-exec-* (40)"; for a group of one thread, that thread's name. Owned by the caller.
 */
char *pm_summary_group_text(const PmRecording *recording, guint32 group, guint n_threads);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PmSummary, pm_summary_free)
/* What the deadlock's `i`th thread waits for: "ReentrantLock 4f3c91d2 · PriceCache.lock" or "the
 * end of feed-reader"; and what it holds that another one waits for: NULL if that is its own end.
 * Both owned. */
char *pm_deadlock_wanted(const PmRecording *recording, const PmDeadlock *deadlock, guint i);
char *pm_deadlock_held(const PmRecording *recording, const PmDeadlock *deadlock, guint i);
