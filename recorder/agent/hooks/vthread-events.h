/* The fallback for parks of virtual threads where LockSupport cannot be rewritten (vthread.h):
 * HotSpot's pair of extension events, VirtualThreadUnmount and VirtualThreadMount. A wait begins at
 * the unmount of a thread that is parking and ends as it runs again, on whichever carrier. Who woke
 * it cannot be seen, and each one's stack is walked by the JVM.
 *
 * A pinned thread is unmounted and mounted in vain, then parks its carrier: that wait is park.c's.
 * Sleeping, waiting for a socket, yielding are no waits in our sense and are left out.
 *
 * From JDK 24 on. */
#pragma once

#include "recorder/agent/hotspot/host.h"

/* Once, before the gate opens. Does nothing where there are no virtual threads. */
void pm_vthread_events_watch(JNIEnv *env);
bool pm_vthread_events_are_on(void);

/* Is the park that the current virtual thread is about to begin a wait in our sense? */
bool pm_vthread_events_is_wait(JNIEnv *env, jthread thread);
