#include "recorder/agent/hooks/waited-on.h"

#include <assert.h>

#include "recorder/agent/hooks/resolve.h"
#include "recorder/agent/tables/blocker.h"
#include "recorder/agent/tables/chain.h"

void pm_waited_on_read(JNIEnv *env, jobject blocker, pm_thread_id id,
                       struct pm_recent_identities *recent, struct pm_raw_wait *wait)
{
    assert(recent && wait);
    if (!blocker) {
        wait->blocker = pm_blocker_add_null(UINT64_C(1) << 62 | pm_chain_site_method(wait->chain).n,
                                            wait->chain, id);
        return;
    }
    struct pm_identity identity = pm_identity_of(env, recent, blocker, wait->chain, id);
    wait->blocker = identity.blocker;
    wait->identity = identity.place;
    if (identity.traits & PM_IDENTITY_AQS)
        wait->aqs_state = (*env)->GetIntField(env, blocker, pm_host.aqs_state);
    if (identity.traits & PM_IDENTITY_OWNABLE) {
        jthread owner = (*env)->GetObjectField(env, blocker, pm_host.ownable_owner);
        if (owner) {
            int64_t tid = (*env)->GetLongField(env, owner, pm_host.thread_tid);
            wait->owner = pm_resolve_thread(env, owner, tid, 0);
            (*env)->DeleteLocalRef(env, owner);
        }
    }
}
