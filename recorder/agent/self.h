/* What a thread knows of itself: its reference, ids, slot and caches, in thread-local storage. Made
 * at its first wait or wake, freed as it ends. A carrier of virtual threads asks each time who runs
 * on it. */
#pragma once

#include "recorder/agent/berth.h"
#include "recorder/agent/host.h"
#include "recorder/agent/identity.h"
#include "recorder/agent/slot.h"

struct pm_self {
    jthread thread; /* global reference; the carrier itself for a carrier */
    int64_t tid;
    pm_thread_id id;
    struct pm_slot *slot; /* NULL until its first wait */
    bool is_carrier;
    struct pm_open_wait monitor; /* the wait for a monitor that is open, not of a virtual thread */
    bool started_by_java;        /* not by the launcher, by the VM for itself, or by attaching */
    struct pm_walk_memory *walk_memory;
    struct pm_recent_identities recent;
};

/* NULL when it cannot be had (out of memory, the VM is dying). */
struct pm_self *pm_self_get(JNIEnv *env);
/* The same if it is there already. */
struct pm_self *pm_self_peek(void);
/* Its slot, claimed at the first call; NULL when there is none left. */
struct pm_slot *pm_self_slot(struct pm_self *self);
/* The thread that runs now: a local reference for a carrier (`*ret_id` may be a virtual thread's),
 * else `self->thread`. NULL when the JVM does not tell. */
jthread pm_self_current(JNIEnv *env, struct pm_self *self, pm_thread_id *ret_id);

/* The thread ends: gives everything back. */
void pm_self_end(JNIEnv *env);
