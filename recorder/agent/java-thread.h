/* Which Thread.tid a JavaThread, HotSpot's own side of a thread, belongs to; up to JDK 23 a monitor
 * names its owner by that address. The memory of a JavaThread is used again by later threads, but
 * over weeks of threads that come and go it is many addresses, so places of ended threads are used
 * again too. Bounded; a thread that finds no place stays unknown. Free of JVM. */
#pragma once

#include <stdint.h>

#define PM_JAVA_THREADS 16384 /* known at once; a power of two */

/* The thread at `address` begins and ends. Take a lock: twice in a thread's life. */
void pm_java_thread_begin(uintptr_t address, int64_t tid);
void pm_java_thread_end(uintptr_t address);
/* 0 when no living thread is known there. Lock-free. */
int64_t pm_java_thread_tid(uintptr_t address);
