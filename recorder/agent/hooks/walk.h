/* Stack traces of the current thread, or of another one.
 *
 * In a steady state the same few stacks come again and again, so a thread remembers the keys of its
 * stacks (frames.h) with their chains, and only a stack that no thread knows is walked by the JVM
 * (25 times the cost and more). A key is remembered only if the frames that it stands for lead
 * through the very methods that the JVM tells of the same stack; and a remembered chain is taken
 * only if every word that led through them is the same again and still means the same code and
 * methods. A key reaches as far as the chain does, so that deeper stacks cost no more. Of a virtual
 * thread's stack a part may lie on the heap: what is known of that comes with it
 * (hotspot/frozen.h).
 *
 * In case something of this is wrong all the same, every 4096th hit is walked as well; should it
 * differ, all is forgotten and it is counted. Behind that a hash over the raw frames of a walk
 * finds a chain that is known, and only a new chain asks for names. */
#pragma once

#include "format/record.h"
#include "recorder/agent/hotspot/host.h"

#define PM_WALK_MAX_FRAMES 512

/* Before the gate opens. `compare`: walk at every hit and count what differs (for tests). */
void pm_walk_init(uint32_t max_frames, bool compare);
uint32_t pm_walk_depth(void); /* the frames of a stack trace at most */

/* What a thread remembers; made at its first walk. */
struct pm_walk_memory;
void pm_walk_memory_free(struct pm_walk_memory *memory); /* NULL is fine */

/* A thread that walks its own stack. */
struct pm_walker {
    const char *vm_thread; /* its JavaThread (vm-thread.h); NULL: not known */
    int64_t tid;
    bool is_carrier; /* by its class: where the VM does not tell who runs on a thread */
    struct pm_walk_memory *memory;
};

/* Does a virtual thread run on it now? */
bool pm_walker_runs_virtual(const struct pm_walker *walker);

/* The current thread's chain, 0 when there is none (or the JVM refuses). In a native method that
 * Java called, or in an event. */
pm_chain_id pm_walk_current(struct pm_walker *walker);

/* The same in a native of ParkmeterParks, whose own frames are left out. `frozen`: what frozen.h
 * knows of the current thread's frames on the heap. */
pm_chain_id pm_walk_hooked(struct pm_walker *walker, int64_t frozen);

/* Another thread's, which must be attached and alive; slow. 0 or PM_ERROR_ARGUMENT (it ended) or
 * PM_ERROR_IO. `*ret_stopped_ns`: for how long that kept the thread, at most: the call's time if it
 * `runs`, less what it waited for a processor to be kept at all; else what the call took of one. */
int pm_walk_thread(jthread thread, bool runs, pm_chain_id *ret_chain, int64_t *ret_stopped_ns);

/* A virtual thread's that parks, from LockSupport on, as its own walk tells them. 0 or
 * PM_ERROR_ARGUMENT (it has ended, or parks elsewhere) or PM_ERROR_IO. Keeps it from being mounted
 * meanwhile, about 7 µs. */
int pm_walk_parked(JNIEnv *env, jthread thread, pm_chain_id *ret_chain);
