/* Maps a JavaThread, HotSpot's internal thread object, to its Thread.tid, and an address to the
 * thread whose stack contains it. Monitors that do not identify their owner by tid use one of
 * these. Later threads reuse the memory of a JavaThread and of a stack, but over weeks of
 * short-lived threads there are many addresses, so entries of ended threads are reused as well.
 * Bounded; a thread without an entry stays unknown. Makes no JVM calls. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PM_JAVA_THREADS 65536 /* known at once */

struct pm_java_thread {
    uintptr_t address; /* of the JavaThread */
    int64_t tid;
    uintptr_t stack_low, stack_high; /* 0, 0: not known */
    bool is_own;                     /* reported by the thread itself, which will also report its
                                      * end */
};

/* Once, before the others; reserves address space. 0 or PM_ERROR_MEMORY. */
int pm_java_thread_init(void);

/* The thread at `address` starts and ends. These take a lock, twice in a thread's life. */
void pm_java_thread_begin(const struct pm_java_thread *thread);
void pm_java_thread_end(uintptr_t address);

/* Lock-free; 0 if no live thread is known there. */
int64_t pm_java_thread_tid(uintptr_t address);
int64_t pm_java_thread_tid_of_stack(uintptr_t address);
/* 0 if unknown. Linear in the number of threads. */
uintptr_t pm_java_thread_address(int64_t tid);
/* Iterates over all live threads, `*at` from 0 up; false past the last. Threads that start or end
 * meanwhile may be missed. */
bool pm_java_thread_visit(size_t *at, struct pm_java_thread *ret_thread);

/* Between these two calls, the JavaThread of a thread that is visited or found, and `is_own`, stays
 * valid: pm_java_thread_end waits for who holds them then, which delays the end of the thread. Hold
 * for microseconds only, without JVM calls. `hold`: the result of pm_java_thread_hold. */
uint32_t pm_java_thread_hold(void);
void pm_java_thread_release(uint32_t hold);
/* Does one live there that `is_own`? */
bool pm_java_thread_is_own(uintptr_t address);
