/* A closed queue model: threads that go round and round through what they were seen to do, and
 * locks that one of them can hold at a time, or several that share it. Knows nothing of recordings.
 *
 * A lock that is released while others wait is theirs only after the handoff, the time it takes
 * the first of them to wake. Until then it is free: a thread that asks meanwhile takes it (barges),
 * and who was woken sleeps on, still the first. A fair lock is kept for who waits. Who shares a
 * lock comes in while others share it, unless the first who waits does not, or, if it is fair,
 * anybody waits; woken, it wakes the next one that shares, each after a handoff. */
#pragma once

#include <glib.h>

typedef struct {
    double before;   /* ns of its own running since the step before; >= 0 */
    guint32 lock;    /* index into the locks */
    gboolean asks;   /* else releases */
    gboolean shared; /* holds it together with others that do; the same in both steps of an
                        acquisition */
    gboolean scaled; /* `before` is time in which it held the lock that is asked about */
} PmReplayStep;

/* One round: its steps, then `rest`, then the first step again. Who asks for a lock that it holds,
 * or releases one that it does not hold, just goes on. */
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
    double rate;          /* acquisitions of the lock asked about, per ns, once it is under way */
    double first_waiting; /* ns waited for it, all in all, in every thread's first round */
    double early_waiting; /* ns waited for it, all in all, from 0 to `until` */
} PmReplayOutcome;

/* Runs until `lock` was acquired `skip` + `count` times and everyone has gone round once; `rate` is
 * of the last `count`. Scaled steps take `factor` times as long. Deterministic. FALSE when nothing
 * can be said: nobody asks for the lock, or no time passes. Cost: O(steps log threads). */
gboolean pm_replay_run(const PmReplayThread *threads, guint n_threads, const PmReplayLock *locks,
                       guint n_locks, guint32 lock, double factor, guint64 skip, guint64 count,
                       double until, PmReplayOutcome *ret_outcome);
