/* The recorder's own threads in the JVM process: small stacks, not locked in memory even if the
 * host's are, all signals blocked except synchronous faults, invisible to the program. */
#pragma once

#include <pthread.h>
#include <stdint.h>

#include "recorder/agent/base/reservation.h"

struct pm_native_thread {
    pthread_t id;
    struct pm_reservation stack;
};

/* A thread that could not be attached to the JVM tries again, later each time. */
#define PM_ATTACH_PAUSE_NS     INT64_C(1000000000)
#define PM_ATTACH_PAUSE_MAX_NS INT64_C(60000000000)

static inline int64_t pm_attach_pause(int64_t before_ns)
{
    return before_ns < PM_ATTACH_PAUSE_MAX_NS ? before_ns * 2 : before_ns;
}

/* `name`: at most 15 bytes. A thread that was started before and not joined continues to run. 0 or
 * PM_ERROR_MEMORY. */
int pm_native_thread_start(struct pm_native_thread *thread, const char *name, size_t stack_bytes,
                           void *(*run)(void *context), void *context);
void pm_native_thread_join(struct pm_native_thread *thread);
void pm_native_thread_detach(struct pm_native_thread *thread); /* its stack stays, for ever */

/* A condition on CLOCK_MONOTONIC, so that setting the clock delays nothing. */
void pm_native_thread_condition_init(pthread_cond_t *condition);
/* 0 if woken (possibly spuriously), PM_ERROR_IO once `until_ns` has passed. */
int pm_native_thread_wait(pthread_cond_t *condition, pthread_mutex_t *lock, int64_t until_ns);
