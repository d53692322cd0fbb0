/* Waits in LockSupport.park: what the hooks of Unsafe.park and unpark do around the originals. */
#pragma once

#include <stdint.h>

#include "recorder/agent/hotspot/host.h"

void JNICALL pm_park_hook(JNIEnv *env, jobject unsafe, jboolean absolute, jlong time);
void JNICALL pm_unpark_hook(JNIEnv *env, jobject unsafe, jobject thread);

/* Does another thread stand parked without having come by, as when an agent took the native from
 * us? Of a platform thread that did not already wait as recording began (in-progress.h). */
bool pm_park_is_unseen(jthread thread, int64_t tid);
