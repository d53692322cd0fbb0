#include "recorder/agent/hooks/waited-on.h"

#include <assert.h>

#include "recorder/agent/base/hot.h"
#include "recorder/agent/hooks/resolve.h"
#include "recorder/agent/hotspot/field.h"
#include "recorder/agent/tables/blocker.h"
#include "recorder/agent/tables/chain.h"

/* StampedLock.state: so many readers, or a writer. */
#define STAMPED_READERS 127
#define STAMPED_WRITER  128

/* What pm_wait.aqs_state says: readers in the upper half, of a synchronizer that has two. */
static int32_t state_of(JNIEnv *env, jobject blocker, uint32_t traits)
{
    if (traits & PM_IDENTITY_AQS)
        return pm_field_int(env, blocker, pm_host.aqs_state);
    if (traits & PM_IDENTITY_LONG_AQS) {
        uint64_t state = (uint64_t)pm_field_long(env, blocker, pm_host.long_aqs_state);
        uint32_t upper = (uint32_t)(state >> 32), lower = (uint32_t)state;
        return (int32_t)((upper > UINT16_MAX ? UINT16_MAX : upper) << 16 |
                         (lower > UINT16_MAX ? UINT16_MAX : lower));
    }
    if (traits & PM_IDENTITY_STAMPED) {
        uint32_t state = (uint32_t)pm_field_long(env, blocker, pm_host.stamped_state);
        return (int32_t)((state & STAMPED_READERS) << 16 |
                         (state & STAMPED_WRITER) / STAMPED_WRITER);
    }
    return 0;
}

/* `blocker`: NULL when there is nothing to be read of it. */
static void note(JNIEnv *env, jobject blocker, const struct pm_identity *identity,
                 struct pm_raw_wait *wait)
{
    wait->blocker = identity->blocker;
    wait->identity = identity->place;
    if (!blocker)
        return;
    wait->aqs_state = state_of(env, blocker, identity->traits);
    if (!(identity->traits & PM_IDENTITY_OWNABLE))
        return;
    jthread owner = pm_field_object(env, blocker, pm_host.ownable_owner);
    if (owner) {
        int64_t tid = pm_field_long(env, owner, pm_host.thread_tid);
        wait->owner = pm_resolve_thread(env, owner, tid, 0);
        (*env)->DeleteLocalRef(env, owner);
    }
}

PM_HOT void pm_waited_on_read(JNIEnv *env, jobject blocker, pm_thread_id id,
                              struct pm_recent_identities *recent, struct pm_raw_wait *wait)
{
    assert(recent && wait);
    if (!blocker) {
        wait->blocker = pm_blocker_add_null(UINT64_C(1) << 62 | pm_chain_site_method(wait->chain).n,
                                            wait->chain, id);
        return;
    }
    struct pm_identity identity = pm_identity_of(env, recent, blocker, wait->chain, id);
    note(env, blocker, &identity, wait);
}

PM_HOT void pm_waited_on_read_parked(JNIEnv *env, jthread thread, pm_thread_id id,
                                     struct pm_recent_identities *recent, struct pm_raw_wait *wait)
{
    struct pm_identity identity;
    jweak known =
        pm_identity_recent_in(env, recent, thread, pm_host.thread_park_blocker, &identity);
    /* A local reference goes with the native's return. `known` is a weak one: whoever clears the
     * field meanwhile lets the object be collected, and through NULL the JVM reads nothing. */
    if (known) {
        note(env, identity.traits ? (*env)->NewLocalRef(env, known) : NULL, &identity, wait);
        return;
    }
    jobject blocker = pm_field_object(env, thread, pm_host.thread_park_blocker);
    pm_waited_on_read(env, blocker, id, recent, wait);
}
