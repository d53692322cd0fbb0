/* The sampler: reads what the owners of contended blockers are doing now, on a thread of its own
 * that is attached to the JVM at the first sample. At most 20 samples a second while waits of
 * 2 ms and more have an owner; at `dump` and `now` one for each owner at once. */
#pragma once

#include "format/record.h"
#include "recorder/agent/base/options.h"

#define PM_SAMPLER_AGE_NS     2000000 /* waits younger than this are not worth a look */
#define PM_SAMPLER_MAX_WISHES 200

/* A wait whose owner is to be looked at. */
struct pm_sample_wish {
    pm_thread_id waiter;
    pm_blocker_id blocker;
    pm_thread_id owner; /* as the wait began; 0 = not known */
    uint8_t kind;
};

/* Attach and detach the calling thread as a daemon; 0 when done. NULL: threads need none (tests).
 * Before pm_sampler_start. */
void pm_sampler_set_hooks(int (*attach)(const char *name), void (*detach)(void));

int pm_sampler_start(void);
/* The thread ends when it can; one that is inside the JVM is left to it. */
void pm_sampler_stop(void);

/* The drain tells what is worth sampling now, each tick. Never waits. */
void pm_sampler_offer(const struct pm_sample_wish *wishes, size_t n);

/* Samples all of `wishes`, one row each, and returns when it is done or the time is over. */
int pm_sampler_run(const struct pm_sample_wish *wishes, size_t n, int64_t deadline_ns);

/* The drain takes what was sampled. */
size_t pm_sampler_take(struct pm_owner_sample *ret_samples, size_t max);
