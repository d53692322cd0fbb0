/* Translates JVM handles to ids: methods with lines, classes, threads. Slow, because it looks up
 * names, but only once for each handle. Any attached thread. */
#pragma once

#include "format/record.h"
#include "recorder/agent/hotspot/host.h"

int pm_resolve_init(void); /* 0 or PM_ERROR_MEMORY */

/* Our frame for a JVMTI frame: method and line. Method 0 if the JVM does not know. */
struct pm_frame pm_resolve_frame(jmethodID method, jlocation location);
/* The field from which a frame's call, or the monitor it enters, got its object (receiver.h),
 * represented as a method of its class; 0 if unknown. Asks the JVM for the method's code once per
 * location. */
pm_method_id pm_resolve_field(jmethodID method, jlocation location, bool call);
pm_class_id pm_resolve_class(jclass class);
/* From now on every method is looked up again, so that methods in use are marked (epoch.h). */
void pm_resolve_forget(void);
/* The row of this thread, added with its name if it is new. `begin_ns` 0 = before the recording. */
pm_thread_id pm_resolve_thread(JNIEnv *env, jthread thread, int64_t tid, int64_t begin_ns);
/* Looks up the name again: threads may be renamed while they run. */
void pm_resolve_renamed(JNIEnv *env, jthread thread, pm_thread_id id);

/* The row of the joined thread, if it is known, or is to be as it `lives`; 0 for an object that is
 * not a thread. */
pm_thread_id pm_resolve_joined(JNIEnv *env, jobject thread, bool lives);
/* The row of the thread with this Thread.tid, as given by a monitor's owner: a virtual one may not
 * have been seen before. 0 for 0, and if unknown. */
pm_thread_id pm_resolve_tid(int64_t tid);
