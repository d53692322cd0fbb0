/* Waits in LockSupport.park: what the hooks of Unsafe.park and unpark do around the originals. */
#pragma once

#include "recorder/agent/identity.h"
#include "recorder/agent/slot.h"

void JNICALL pm_park_hook(JNIEnv *env, jobject unsafe, jboolean absolute, jlong time);
void JNICALL pm_unpark_hook(JNIEnv *env, jobject unsafe, jobject thread);

/* Reads what `thread` is parked on into `wait` (blocker, AQS state, owner) for the chain that is in
 * it already; where pm_identity_of may be called. Returns the object, a local reference; NULL:
 * none. */
jobject pm_park_read_blocker(JNIEnv *env, jthread thread, pm_thread_id id,
                             struct pm_recent_identities *recent, struct pm_raw_wait *wait);

/* `vthreads=off`: waits of pinned virtual threads pass by. Before the gate opens. */
void pm_park_set_virtual(bool recorded);

/* Does another thread stand parked without having come by, as when an agent took the native from
 * us? Of a platform thread that did not already wait as recording began (seed.h). */
bool pm_park_is_unseen(jthread thread, int64_t tid);
