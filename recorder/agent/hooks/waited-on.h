/* The object that a parking thread waits on: LockSupport's blocker, with the state of the
 * synchronizer. */
#pragma once

#include "recorder/agent/hooks/identity.h"
#include "recorder/agent/waits/slot.h"

/* Reads the blocker's id, AQS state and owner into `wait` (`blocker` NULL: none is set), which
 * already has its chain; allowed where pm_identity_of is. */
void pm_waited_on_read(JNIEnv *env, jobject blocker, pm_thread_id id,
                       struct pm_recent_identities *recent, struct pm_raw_wait *wait);
/* The same of the blocker that is set in `thread`, in a native method: a reference to it may stay
 * until that returns. */
void pm_waited_on_read_parked(JNIEnv *env, jthread thread, pm_thread_id id,
                              struct pm_recent_identities *recent, struct pm_raw_wait *wait);
