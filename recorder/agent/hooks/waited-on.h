/* The object that a parking thread waits on: LockSupport's blocker, with what a synchronizer tells
 * of itself. */
#pragma once

#include "recorder/agent/hooks/identity.h"
#include "recorder/agent/waits/slot.h"

/* Reads what a parking thread tells of `blocker` (NULL: none is set) into `wait`: its id, AQS
 * state, owner; for the chain that is in it already; where pm_identity_of may be called. */
void pm_waited_on_read(JNIEnv *env, jobject blocker, pm_thread_id id,
                       struct pm_recent_identities *recent, struct pm_raw_wait *wait);
