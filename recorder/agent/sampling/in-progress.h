/* Waits in progress: those that began before the recorder looked (attach, `start`), left in the
 * slots of the threads that stand in them. They have no begin, count in parked now and not in times
 * parked, and end at the next wait of their thread or when its blocker is seen to have changed. On
 * the sweep's thread only. */
#pragma once

#include "recorder/agent/hotspot/host.h"

/* Looks at all threads once; those that are parked, or stand at a monitor, and are not recorded so
 * get an entry. Not those whose monitor's object cannot be known (monitor-owner.h); of virtual
 * threads those that park and are listed (vthread-list.h). */
void pm_in_progress_record(JNIEnv *env);
/* Looks at threads that stand still for those that wait for the initialisation of a class. */
void pm_in_progress_look_for_classes(JNIEnv *env);
/* Ends those that are over. True while there are any. */
bool pm_in_progress_refresh(JNIEnv *env);
