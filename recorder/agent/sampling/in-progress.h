/* Waits that were already in progress when recording began (attach, `start`), stored in the slots
 * of the waiting threads. They have no begin, count in parked now but not in times parked, and end
 * at the next wait of their thread or when its blocker is seen to have changed. On the sweep's
 * thread only. */
#pragma once

#include <stdint.h>

#include "recorder/agent/hotspot/host.h"

/* Examines all threads once and adds an entry for those that are parked, or wait for a monitor,
 * without a recorded wait. Not for those whose monitor's object is unknown (monitor-owner.h); of
 * virtual threads, only parked ones that are listed (vthread-list.h). Every millisecond it calls
 * `pause`, to be away for so long; false ends it. */
void pm_in_progress_record(JNIEnv *env, bool (*pause)(JNIEnv *env, int64_t ns));
/* Looks for threads that wait for class initialisation. */
void pm_in_progress_look_for_classes(JNIEnv *env);
/* Ends those that are over; after `ns` the next call goes on. True while there are any. */
bool pm_in_progress_refresh(JNIEnv *env, int64_t ns);
