/* The monitors that an unmounted virtual thread waits for or holds, from the snapshot that the JVM
 * makes for its own thread dumps: JDK 25. A snapshot takes about 12 µs and leaves some
 * objects on the heap; it stops no thread, but the virtual thread cannot be mounted meanwhile. How
 * many bytes a second may leave there depends on the heap, and where it is nearly full there are
 * none: a program that makes no objects then would be stopped for collections, or killed. On an
 * attached thread; the thread must be unmounted (vthread-list.h). */
#pragma once

#include <stdbool.h>

#include "recorder/agent/hotspot/host.h"

/* Whether this JVM can make them, and collects what they leave. Any thread. */
bool pm_thread_snapshot_offered(void);

/* The object whose monitor it waits to enter, or to be notified of, as a local reference; NULL:
 * unknown. Only for a thread that is known to wait at a monitor. */
jobject pm_thread_snapshot_monitor(JNIEnv *env, jthread thread);

/* Whether it holds the object's monitor. PM_ERROR_LIMIT: it cannot be asked now. */
int pm_thread_snapshot_holds(JNIEnv *env, jthread thread, jobject object, bool *ret_holds);
