/* The identity of blockers, whose objects the GC moves: objects are identified by weak references;
 * the identity hash code selects the bucket but is never the proof. Bounded: a record is removed
 * when its object was collected, or, when space is short, if it was unused for longest (a returning
 * object then gets a new id). New records are rate-limited: beyond 8192 in a burst and 1024 a
 * second, an object gets one only at its second wait, and until then is counted in the row of its
 * class and site, so that a program which waits once on each of a million objects a second fills no
 * table.
 *
 * Finding is lock-free and allowed only between pm_slot_enter and pm_slot_begin of the calling
 * thread's slot, and on the sweep's own thread: the sweep waits until every slot has left that
 * section before it deletes what it removed. */
#pragma once

#include <stdatomic.h>

#include "format/record.h"
#include "recorder/agent/hotspot/host.h"

enum pm_identity_traits {
    PM_IDENTITY_OWNABLE = 1 << 0, /* extends AbstractOwnableSynchronizer */
    PM_IDENTITY_AQS = 1 << 1,     /* extends AbstractQueuedSynchronizer: has an int state */
    PM_IDENTITY_THREAD = 1 << 2,
    PM_IDENTITY_LONG_AQS = 1 << 3, /* extends AbstractQueuedLongSynchronizer */
    PM_IDENTITY_STAMPED = 1 << 4,  /* a StampedLock */
};

struct pm_identity {
    pm_blocker_id blocker;
    uint32_t place; /* for pm_raw_wait.identity */
    uint32_t traits;
    uint32_t hash; /* its identity hash code */
};

/* A thread's last four blockers, tried before the shared table; and the last classes of new ones.
 */
struct pm_recent_identities {
    uint32_t epoch;
    uint32_t next;
    struct pm_recent_identity {
        jweak ref;
        uintptr_t seen; /* where it was when it was met last: a hint */
        struct pm_identity identity;
    } items[4];
    uint32_t next_class;
    struct {
        jweak ref;
        uint32_t epoch; /* epoch.h's, in which its id was given */
        uint32_t traits;
        pm_class_id id;
    } classes[4];
    uint32_t next_fold;
    struct { /* rows of a class and site that it used last */
        uint32_t epoch;
        pm_class_id class_id;
        pm_chain_id chain;
        pm_blocker_id blocker;
    } folds[2];
};
/* Releases its references. On its own thread. */
void pm_recent_identities_free(JNIEnv *env, struct pm_recent_identities *recent);

/* At most `max` objects at once; 0 = 32768. `on_scarce` is called, on any thread and often, while
 * more than three quarters are used: sweep soon. 0 or PM_ERROR_MEMORY. */
int pm_identity_init(uint32_t max, void (*on_scarce)(void));
/* Removes collected objects and, when space is short, those unused for longest; releases what an
 * earlier sweep removed. True: call again soon. On the sweep's thread only. */
bool pm_identity_reclaim(JNIEnv *env);

/* Objects known now. */
uint32_t pm_identity_count(void);

/* `chain`, `thread`: of this wait, stored with a new blocker. Never fails: if there is no room, the
 * result is the shared blocker of its class and site. */
struct pm_identity pm_identity_of(JNIEnv *env, struct pm_recent_identities *recent, jobject object,
                                  pm_chain_id chain, pm_thread_id thread);

/* The same for the object that this field of `holder` refers to, if the thread has waited on it
 * recently and that can be told without a change of the thread's state: the table's weak reference
 * to it, else NULL. Allowed where finding is. */
jweak pm_identity_recent_in(JNIEnv *env, struct pm_recent_identities *recent, jobject holder,
                            jfieldID field, struct pm_identity *ret_identity);

/* Its identity hash code if the thread has waited on it recently; 0: unknown. Allowed where finding
 * is. */
uint32_t pm_identity_recent_hash(JNIEnv *env, const struct pm_recent_identities *recent,
                                 jobject object);

/* A strong local reference to a blocker's object, NULL if it was collected. Any attached thread,
 * slow. */
jobject pm_identity_object(JNIEnv *env, pm_blocker_id blocker, uint32_t *ret_traits);
