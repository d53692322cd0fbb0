/* A closed queueing model: threads that cycle through their observed activity, and locks that can
 * be held by one of them at a time, or shared by several. Knows nothing about recordings.
 *
 * A lock that is released while others wait passes to them only after the handoff, the time the
 * first of them takes to wake. Until then it is free: a thread that requests it meanwhile takes it
 * (barges), and the woken thread continues to wait, still first. A fair lock is reserved for
 * waiters. A sharing thread can enter while others share the lock, unless the first waiter is
 * exclusive, or, for a fair lock, any thread waits; when woken, it wakes the next sharing one, each
 * after a handoff. */
#pragma once

#include <glib.h>

typedef struct {
    double before;   /* ns of its own running since the previous step; >= 0 */
    guint32 lock;    /* index into the locks */
    gboolean asks;   /* else releases */
    gboolean shared; /* shares it with other sharing holders; the same in both steps of an
                      * acquisition */
    gboolean scaled; /* `before` is time in which it held the lock in question */
} PmReplayStep;

/* One round: its steps, then `rest`, then the first step again. Requesting a lock that it already
 * holds, or releasing one that it does not hold, has no effect. */
typedef struct {
    const PmReplayStep *steps;
    guint n_steps; /* > 0 */
    double rest;
} PmReplayThread;

typedef struct {
    double handoff; /* ns */
    gboolean fair;
} PmReplayLock;

typedef struct {
    double rate;          /* acquisitions of the lock in question, per ns, in steady state */
    double first_waiting; /* ns waited for it, in total, in every thread's first round */
    double early_waiting; /* ns waited for it, in total, from 0 to `until` */
} PmReplayOutcome;

/* Runs until `lock` was acquired `skip` + `count` times and every thread has completed a round;
 * `rate` is of the last `count`. Scaled steps take `factor` times as long. Deterministic. FALSE if
 * there is no result: nobody requests the lock, or no time passes. Cost: O(steps log threads). */
gboolean pm_replay_run(const PmReplayThread *threads, guint n_threads, const PmReplayLock *locks,
                       guint n_locks, guint32 lock, double factor, guint64 skip, guint64 count,
                       double until, PmReplayOutcome *ret_outcome);
