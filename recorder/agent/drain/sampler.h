/* The sampler: takes stack traces of threads that others wait for (owners of contended blockers,
 * and threads expected to end other waits), on its own thread, which is attached to the JVM at the
 * first sample. At most 20 samples a second while there are waits of 2 ms or more, or 50 for half a
 * minute at first (and again after minutes without such waits), half of owners and half of enders
 * if there are both; at `dump` and `now`, one for each owner at once. */
#pragma once

#include "format/record.h"
#include "recorder/agent/base/options.h"
#include "recorder/agent/tables/thread.h"

#define PM_SAMPLER_AGE_NS     2000000 /* waits younger than this are not sampled */
#define PM_SAMPLER_MAX_WISHES 200     /* of owners */
#define PM_SAMPLER_MAX_ENDERS 512
#define PM_SAMPLER_MAX_BUSY   10 /* threads that use most of the processors, or none */
#define PM_SAMPLER_MAX_RECENT 32 /* wishes of the last seconds */
#define PM_SAMPLER_MAX                                                                             \
    (PM_SAMPLER_MAX_WISHES + PM_SAMPLER_MAX_ENDERS + PM_SAMPLER_MAX_BUSY + PM_SAMPLER_MAX_RECENT)

/* Any thread may be the ender of parks without a blocker, and idle pool threads wait for nothing in
 * particular; what an owner does that waits itself is known: their samples are a separate kind,
 * which gets at most half of the enders' share. */
enum pm_sample_queue {
    PM_SAMPLE_QUEUE_OWNER,
    PM_SAMPLE_QUEUE_ENDER,
    PM_SAMPLE_QUEUE_LOW,
};

/* A thread to be sampled for a wait; without a waiter and a blocker, for the processor time it
 * uses. */
struct pm_sample_wish {
    pm_thread_id waiter;
    pm_blocker_id blocker;
    pm_thread_id owner; /* the last that was seen, 0 = unknown; or the expected ender, 0 = any
                         * virtual thread */
    uint32_t group;     /* the blocker of an owner, the operation (operation.h) of an ender. Within
                         * one queue, groups are sampled by weight; without one, threads equally */
    uint32_t weight;    /* as pm_owner_sample */
    uint8_t kind;
    uint8_t role;  /* enum pm_sample_role */
    uint8_t queue; /* enum pm_sample_queue */
    bool again;    /* only if the waiter waits now: for who ends waits of that group, or for an
                    * object that has an owner */
};

/* Functions that attach and detach the calling thread as a daemon; 0 on success. NULL: not needed
 * (tests). Before pm_sampler_start. */
void pm_sampler_set_hooks(int (*attach)(const char *name), void (*detach)(void));

int pm_sampler_start(void);
/* The thread ends when it can; if it is inside the JVM, it is left there. */
void pm_sampler_stop(void);

/* Called by the drain at each tick with what is worth sampling, at most PM_SAMPLER_MAX. Never
 * waits. */
void pm_sampler_offer(const struct pm_sample_wish *wishes, size_t n);

/* Samples all of `wishes`, one row each, and returns when done or out of time. */
int pm_sampler_run(const struct pm_sample_wish *wishes, size_t n, int64_t deadline_ns);

/* Adds a sample that was taken elsewhere. Any thread. The drain takes it together with the others.
 */
void pm_sampler_keep(const struct pm_owner_sample *sample);
size_t pm_sampler_take(struct pm_owner_sample *ret_samples, size_t max);
