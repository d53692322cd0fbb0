/* Stack traces of the current thread, or of another one.
 *
 * In a steady state the same few stacks recur, so a thread caches the keys of its stacks (frames.h)
 * with their chains, and only a stack that no thread knows is walked by the JVM (at least 25 times
 * the cost). A key is cached only if its frames lead through exactly the methods that the JVM
 * reports for the same stack; and a cached chain is used only if every word that led through them
 * is the same again and still refers to the same code and methods. A key extends as far as the
 * chain does, so deeper stacks cost no more. Part of a virtual thread's stack may be on the heap,
 * with its own key (hotspot/frozen.h).
 *
 * As a safeguard, every 4096th hit is also walked by the JVM; if the results differ, all caches are
 * cleared and the mismatch is counted. After a cache miss, a hash over the raw frames of the walk
 * finds a known chain, and only a new chain requires a lookup of names. */
#pragma once

#include "format/record.h"
#include "recorder/agent/hotspot/host.h"

#define PM_WALK_MAX_FRAMES 512

/* Before the gate opens. `compare`: walk at every hit and count mismatches (for tests). */
void pm_walk_init(uint32_t max_frames, bool compare);
uint32_t pm_walk_depth(void); /* the frames of a stack trace at most */

/* A thread's cache; created at its first walk. */
struct pm_walk_memory;
void pm_walk_memory_free(struct pm_walk_memory *memory); /* NULL is fine */

/* A thread that walks its own stack. */
struct pm_walker {
    const char *vm_thread; /* its JavaThread (vm-thread.h); NULL: not known */
    int64_t tid;
    bool is_carrier; /* by its class: if the VM does not say which thread runs on it */
    struct pm_walk_memory *memory;
};

/* Does a virtual thread run on it now? */
bool pm_walker_runs_virtual(const struct pm_walker *walker);

/* The current thread's chain, 0 if there is none (or the JVM refuses). In a native method that Java
 * called, or in an event. */
pm_chain_id pm_walk_current(struct pm_walker *walker);

/* The same in a native of ParkmeterParks, whose own frames are left out, of a thread that
 * `is_virtual`, or not. `frozen`: the number in frozen.h of its frames on the heap. */
pm_chain_id pm_walk_hooked(struct pm_walker *walker, bool is_virtual, int64_t frozen);

/* Another thread's, which must be attached and alive; slow. 0 or PM_ERROR_ARGUMENT (it ended) or
 * PM_ERROR_IO. `*ret_stopped_ns`: the maximum time that the thread was stopped: the duration of the
 * call if it `runs` Java code, else 0, though it may have to wait before it runs any again. */
int pm_walk_thread(jthread thread, bool runs, pm_chain_id *ret_chain, int64_t *ret_stopped_ns);

/* The chain of a parked virtual thread, from LockSupport on, as its own walk would give it. 0 or
 * PM_ERROR_ARGUMENT (it has ended, or is parked elsewhere) or PM_ERROR_IO. Prevents it from being
 * mounted meanwhile, about 7 µs. */
int pm_walk_parked(JNIEnv *env, jthread thread, pm_chain_id *ret_chain);
