/* The sampler: reads what those that others wait for are doing now, the owners of contended
 * blockers and the threads that are expected to end other waits, on a thread of its own that is
 * attached to the JVM at the first sample. At most 20 samples a second while there are waits of 2
 * ms and more, half of them of owners and half of enders where there are both; at `dump` and `now`
 * one for each owner at once. */
#pragma once

#include "format/record.h"
#include "recorder/agent/base/options.h"
#include "recorder/agent/tables/thread.h"

#define PM_SAMPLER_AGE_NS     2000000 /* waits younger than this are not worth a look */
#define PM_SAMPLER_MAX_WISHES 200     /* of owners */
#define PM_SAMPLER_MAX_ENDERS 512
#define PM_SAMPLER_MAX_BUSY   8 /* threads that use most of the processors */
#define PM_SAMPLER_MAX        (PM_SAMPLER_MAX_WISHES + PM_SAMPLER_MAX_ENDERS + PM_SAMPLER_MAX_BUSY)

/* Where parks have no blocker anybody may be their ender, and whoever rests in a pool waits for
 * nothing in particular: their samples are a kind of their own, which gets no more than half of
 * what enders get. */
enum pm_sample_queue {
    PM_SAMPLE_QUEUE_OWNER,
    PM_SAMPLE_QUEUE_ENDER,
    PM_SAMPLE_QUEUE_LOW,
};

/* A thread that is to be looked at for a wait; without a waiter and a blocker, for the processors
 * that it uses. */
struct pm_sample_wish {
    pm_thread_id waiter;
    pm_blocker_id blocker;
    pm_thread_id owner; /* as the wait began, 0 = not known; or the expected ender */
    uint32_t group;  /* of one queue each is looked at as its weight is; then each thread alike */
    uint32_t weight; /* as pm_owner_sample */
    uint8_t kind;
    uint8_t role;  /* enum pm_sample_role */
    uint8_t queue; /* enum pm_sample_queue */
};

/* Attach and detach the calling thread as a daemon; 0 when done. NULL: threads need none (tests).
 * Before pm_sampler_start. */
void pm_sampler_set_hooks(int (*attach)(const char *name), void (*detach)(void));

int pm_sampler_start(void);
/* The thread ends when it can; one that is inside the JVM is left to it. */
void pm_sampler_stop(void);

/* The drain tells what is worth sampling now, each tick; at most PM_SAMPLER_MAX. Never waits. */
void pm_sampler_offer(const struct pm_sample_wish *wishes, size_t n);

/* A platform thread of the program that lives and is in no recorded wait: there is something to
 * see. Any thread. */
bool pm_sampler_can_learn(const struct pm_thread_row *thread);

/* Samples all of `wishes`, one row each, and returns when it is done or the time is over. */
int pm_sampler_run(const struct pm_sample_wish *wishes, size_t n, int64_t deadline_ns);

/* Of any thread, at once: what somebody else saw. The drain takes it with what was sampled. */
void pm_sampler_keep(const struct pm_owner_sample *sample);
size_t pm_sampler_take(struct pm_owner_sample *ret_samples, size_t max);
