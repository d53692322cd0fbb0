/* The recorder's own threads inside the JVM's process: small stacks, every signal blocked that is
 * not the thread's own fault, never seen by the program; and the clock all times are read from. */
#pragma once

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

int64_t pm_clock_now(void);      /* CLOCK_MONOTONIC */
int64_t pm_clock_now_unix(void); /* CLOCK_REALTIME */

/* `name`: at most 15 bytes. 0 or PM_ERROR_MEMORY. */
int pm_native_thread_start(pthread_t *ret_thread, const char *name, size_t stack_bytes,
                           void *(*run)(void *context), void *context);

/* A condition on CLOCK_MONOTONIC, so that a set clock delays nothing. */
void pm_native_thread_condition_init(pthread_cond_t *condition);
/* 0 when woken (perhaps for nothing), PM_ERROR_IO once `until_ns` has passed. */
int pm_native_thread_wait(pthread_cond_t *condition, pthread_mutex_t *lock, int64_t until_ns);
