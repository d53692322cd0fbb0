/* The state of the current thread: its reference, ids, slot and caches, in thread-local storage.
 * Created at its first wait or wake, freed when it ends. Any platform thread may carry virtual
 * ones. */
#pragma once

#include "recorder/agent/hooks/identity.h"
#include "recorder/agent/hooks/walk.h"
#include "recorder/agent/hotspot/host.h"
#include "recorder/agent/waits/slot.h"
#include "recorder/agent/waits/vthread-slot.h"

#define PM_N_CARRIED 4
#define PM_N_CAUSES  4

struct pm_current_thread {
    _Alignas(64) struct pm_walker walker;
    struct pm_slot *slot; /* NULL until its first wait */
    jthread thread;       /* global reference; the carrier itself for a carrier */
    pm_thread_id id;
    pm_chain_id poll;            /* the last chain that was found to wait for a socket */
    struct pm_open_wait monitor; /* the open monitor wait, not of a virtual thread */
    struct pm_recent_identities recent;
    struct { /* what the chains say that it woke others with */
        pm_chain_id chain;
        uint8_t cause;
    } causes[PM_N_CAUSES];
    int64_t *copy; /* vthread.c's; NULL until it is needed */
    size_t n_copy;
    struct { /* virtual threads that it carried recently, by tid */
        int64_t tid;
        uint32_t id, removals; /* thread.h's, as it was found */
        bool is_named;         /* and was asked for its name */
    } carried[PM_N_CARRIED];
};

/* NULL if unavailable (out of memory, the VM is shutting down), and for a thread that has no
 * Thread.tid yet or has ended. */
struct pm_current_thread *pm_current_thread_get(JNIEnv *env);
/* The same if it is there already. */
struct pm_current_thread *pm_current_thread_peek(void);
struct pm_slot *pm_current_thread_claim_slot(struct pm_current_thread *self);
/* Its slot, claimed at the first call; NULL if there is none left. */
static inline struct pm_slot *pm_current_thread_slot(struct pm_current_thread *self)
{
    return __builtin_expect(self->slot != NULL, 1) ? self->slot
                                                   : pm_current_thread_claim_slot(self);
}
/* The thread that a virtual thread is mounted on now, as a local reference; NULL: none. Any thread.
 */
jthread pm_current_thread_carrier_of(JNIEnv *env, jthread virtual_thread);
/* Is it a carrier of the JDK's own scheduler? Any thread. */
bool pm_current_thread_is_jdks_carrier(JNIEnv *env, jthread thread);
/* The id of a virtual thread that it carries. */
pm_thread_id pm_current_thread_carried_id(JNIEnv *env, struct pm_current_thread *self,
                                          jthread thread, int64_t tid, bool is_named);
/* Whether it is known by its name, found lately and still in the table; and that it is so now, as a
 * wait that ends has told. */
bool pm_current_thread_knows_carried(const struct pm_current_thread *self, int64_t tid);
void pm_current_thread_keep_carried(struct pm_current_thread *self, int64_t tid);
/* The id of the running thread, which may be virtual; 0 if the JVM does not provide it. */
pm_thread_id pm_current_thread_running_id(JNIEnv *env, struct pm_current_thread *self);

/* pm_chain_cause, remembered for the last few chains. */
uint8_t pm_current_thread_cause(struct pm_current_thread *self, pm_chain_id chain);

/* The thread starts; and ends, which frees everything. What it does after its end is not recorded:
 * the VM itself then locks its Thread object, to notify threads that join it. */
void pm_current_thread_begin(void);
void pm_current_thread_end(JNIEnv *env);
