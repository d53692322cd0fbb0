/* Translation of the JVM's handles to ids: of methods with their lines, of classes, of threads.
 * Slow, as it asks for names, but once for each handle. Any attached thread. */
#pragma once

#include "format/record.h"
#include "recorder/agent/hotspot/host.h"

int pm_resolve_init(void); /* 0 or PM_ERROR_MEMORY */

/* Our frame for a JVMTI frame: method and line. Method 0 when the JVM cannot tell. */
struct pm_frame pm_resolve_frame(jmethodID method, jlocation location);
/* The field that a frame's call, or else the monitor that it enters, took its object from
 * (receiver.h), told as a method of its class; 0 when that cannot be told. Asks the JVM for the
 * method's code once for each place. */
pm_method_id pm_resolve_field(jmethodID method, jlocation location, bool call);
pm_class_id pm_resolve_class(jclass class);
/* From now on every method is asked for again: one that is used is then known to be
 * (epoch.h). */
void pm_resolve_forget(void);
/* The row of this thread, added with its name if it is new. `begin_ns` 0 = before the recording. */
pm_thread_id pm_resolve_thread(JNIEnv *env, jthread thread, int64_t tid, int64_t begin_ns);
/* Asks for the name anew: threads may be renamed while they run. */
void pm_resolve_renamed(JNIEnv *env, jthread thread, pm_thread_id id);

/* The row of the thread whose end is waited for, if it is known; 0 for what is no thread. */
pm_thread_id pm_resolve_joined(JNIEnv *env, jobject thread);
/* The row of the thread with this Thread.tid, as a monitor names its owner: a virtual one may not
 * have been met before. 0 for 0, and when it is not known. */
pm_thread_id pm_resolve_tid(int64_t tid);
