/* The object that a parking thread waits on: LockSupport's blocker, with what a synchronizer tells
 * of itself. */
#pragma once

#include "recorder/agent/hooks/identity.h"
#include "recorder/agent/waits/slot.h"

/* Reads what `thread` is parked on into `wait` (blocker, AQS state, owner) for the chain that is in
 * it already; where pm_identity_of may be called. Returns the object, a local reference; NULL:
 * none. */
jobject pm_waited_on_read(JNIEnv *env, jthread thread, pm_thread_id id,
                          struct pm_recent_identities *recent, struct pm_raw_wait *wait);
