#include "recorder/agent/native-thread.h"

#include <limits.h>
#include <signal.h>
#include <time.h>

#include "format/error.h"

int64_t pm_clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t pm_clock_now_unix(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int pm_native_thread_start(pthread_t *ret_thread, const char *name, size_t stack_bytes,
                           void *(*run)(void *context), void *context)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    /* A JVM has much thread-local data, which the C library takes from the stack. */
    pthread_attr_setstacksize(&attributes, stack_bytes + PTHREAD_STACK_MIN);

    /* Born with the signals blocked: not one is taken from the program in between. */
    sigset_t blocked;
    sigset_t before;
    sigfillset(&blocked);
    static const int own_fault[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT};
    for (size_t i = 0; i < sizeof(own_fault) / sizeof(own_fault[0]); i++) {
        sigdelset(&blocked, own_fault[i]);
    }
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    pthread_t thread;
    int error = pthread_create(&thread, &attributes, run, context);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (error) {
        return PM_ERROR_MEMORY;
    }
    pthread_setname_np(thread, name);
    *ret_thread = thread;
    return 0;
}

void pm_native_thread_condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

int pm_native_thread_wait(pthread_cond_t *condition, pthread_mutex_t *lock, int64_t until_ns)
{
    struct timespec until = {.tv_sec = until_ns / 1000000000, .tv_nsec = until_ns % 1000000000};
    return pthread_cond_timedwait(condition, lock, &until) == 0 ? 0 : PM_ERROR_IO;
}
