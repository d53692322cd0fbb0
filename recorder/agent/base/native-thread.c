#include "recorder/agent/base/native-thread.h"

#include <limits.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "format/error.h"

/* The C library's stacks are locked with all that a host maps, and resident then to the last byte.
 * So they have a reservation each; what lies below is its first page, which stays closed. */
static int make_stack(struct pm_reservation *stack, size_t bytes, pthread_attr_t *attributes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    /* A JVM has much thread-local data, which the C library takes from the stack. */
    size_t size = (bytes + (size_t)PTHREAD_STACK_MIN + page - 1) / page * page;
#ifdef __SANITIZE_THREAD__
    size += 1 << 20; /* what ThreadSanitizer keeps for each thread is thread-local, too */
#endif
    if (pm_reservation_init(stack, page + size))
        return PM_ERROR_MEMORY;
    madvise(stack->base, stack->size, MADV_DODUMP); /* where it stood as the process died */
    if (!pm_reservation_open_part(stack, page, stack->size - page) ||
        pthread_attr_setstack(attributes, stack->base + page, stack->size - page)) {
        pm_reservation_clear(stack);
        return PM_ERROR_MEMORY;
    }
    return 0;
}

int pm_native_thread_start(struct pm_native_thread *thread, const char *name, size_t stack_bytes,
                           void *(*run)(void *context), void *context)
{
    pthread_attr_t attributes;
    pm_reservation_forget(&thread->stack); /* of one that may be running still */
    if (pthread_attr_init(&attributes))
        return PM_ERROR_MEMORY;
    int error = make_stack(&thread->stack, stack_bytes, &attributes);
    if (error) {
        pthread_attr_destroy(&attributes);
        return error;
    }

    /* Born with the signals blocked: not one is taken from the program in between. */
    sigset_t blocked;
    sigset_t before;
    sigfillset(&blocked);
    static const int own_fault[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT};
    for (size_t i = 0; i < sizeof own_fault / sizeof own_fault[0]; i++)
        sigdelset(&blocked, own_fault[i]);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    error = pthread_create(&thread->id, &attributes, run, context);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (error) {
        pm_reservation_clear(&thread->stack);
        return PM_ERROR_MEMORY;
    }
    pthread_setname_np(thread->id, name);
    return 0;
}

void pm_native_thread_join(struct pm_native_thread *thread)
{
    pthread_join(thread->id, NULL);
    pm_reservation_clear(&thread->stack);
}

void pm_native_thread_detach(struct pm_native_thread *thread)
{
    pm_reservation_forget(&thread->stack);
    pthread_detach(thread->id);
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
