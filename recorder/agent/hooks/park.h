/* Waits in LockSupport.park: what the hooks of Unsafe.park and unpark do around the originals. */
#pragma once

#include <stdint.h>

#include "recorder/agent/hotspot/host.h"

void JNICALL pm_park_hook(JNIEnv *env, jobject unsafe, jboolean absolute, jlong time);
void JNICALL pm_unpark_hook(JNIEnv *env, jobject unsafe, jobject thread);

/* Whether another thread is parked without having called our hook, for example because an agent
 * replaced the native. For a platform thread that was not already waiting when recording began
 * (in-progress.h). */
bool pm_park_is_unseen(JNIEnv *env, jthread thread, int64_t tid);
