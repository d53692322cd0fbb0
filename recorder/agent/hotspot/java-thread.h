/* Which Thread.tid a JavaThread, HotSpot's own side of a thread, belongs to, and which thread's
 * stack an address lies in. A monitor names its owner by one of these where it does not by its tid.
 * The memory of a JavaThread and of a stack is used again by later threads, but over weeks of
 * threads that come and go it is many addresses, so places of ended threads are used again too.
 * Bounded; a thread that finds no place stays unknown. Free of JVM. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PM_JAVA_THREADS 65536 /* known at once */

struct pm_java_thread {
    uintptr_t address; /* of the JavaThread */
    int64_t tid;
    uintptr_t stack_low, stack_high; /* 0, 0: not known */
    bool is_own;                     /* told by the thread itself, which will tell its end, too */
};

/* Once, before the others; reserves address space. 0 or PM_ERROR_MEMORY. */
int pm_java_thread_init(void);

/* The thread at `address` begins and ends. Take a lock: twice in a thread's life. */
void pm_java_thread_begin(const struct pm_java_thread *thread);
void pm_java_thread_end(uintptr_t address);

/* Lock-free; 0 when no living thread is known there. */
int64_t pm_java_thread_tid(uintptr_t address);
int64_t pm_java_thread_tid_of_stack(uintptr_t address);
/* 0 when it is not known. Linear in the number of threads. */
uintptr_t pm_java_thread_address(int64_t tid);
/* All that live, `*at` from 0 up; false past the last. Threads that begin or end meanwhile may be
 * missed. */
bool pm_java_thread_visit(size_t *at, struct pm_java_thread *ret_thread);

/* Between the two the JavaThread of a thread that is visited or found, and `is_own`, stays where it
 * is: pm_java_thread_end waits meanwhile, and the thread's end with it. So microseconds, and no
 * call of the JVM. */
void pm_java_thread_hold(void);
void pm_java_thread_release(void);
/* Does one live there that `is_own`? */
bool pm_java_thread_is_own(uintptr_t address);
