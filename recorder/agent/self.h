/* What a thread knows of itself: its reference, ids, slot and caches, in thread-local storage. Made
 * at its first wait or wake, freed as it ends. Any platform thread may carry virtual ones. */
#pragma once

#include "recorder/agent/berth.h"
#include "recorder/agent/host.h"
#include "recorder/agent/identity.h"
#include "recorder/agent/slot.h"

struct pm_self {
    jthread thread; /* global reference; the carrier itself for a carrier */
    int64_t tid;
    pm_thread_id id;
    struct pm_slot *slot;        /* NULL until its first wait */
    const char *vm_thread;       /* its JavaThread (vm-thread.h); NULL: not known */
    bool is_carrier;             /* by its class: where the VM does not tell who runs on a thread */
    struct pm_open_wait monitor; /* the wait for a monitor that is open, not of a virtual thread */
    struct pm_walk_memory *walk_memory;
    struct pm_recent_identities recent;
};

/* NULL when it cannot be had (out of memory, the VM is dying), and for a thread that has no
 * Thread.tid yet or has ended. */
struct pm_self *pm_self_get(JNIEnv *env);
/* The same if it is there already. */
struct pm_self *pm_self_peek(void);
/* Its slot, claimed at the first call; NULL when there is none left. */
struct pm_slot *pm_self_slot(struct pm_self *self);
/* Does a virtual thread run on it now? */
bool pm_self_runs_virtual(const struct pm_self *self);
/* The thread that runs now: a local reference when it is virtual, else `self->thread`. NULL when
 * the JVM does not tell. */
jthread pm_self_current(JNIEnv *env, struct pm_self *self, pm_thread_id *ret_id);
/* The same, of which just the id is wanted. */
pm_thread_id pm_self_current_id(JNIEnv *env, struct pm_self *self);

/* The thread begins, and ends: gives everything back. What it does after its end is not recorded:
 * the VM itself locks its Thread object then, to notify who waits for it. */
void pm_self_begin(void);
void pm_self_end(JNIEnv *env);
