/* The fallback for parks of virtual threads if LockSupport cannot be rewritten (vthread.h):
 * HotSpot's two extension events VirtualThreadUnmount and VirtualThreadMount. A wait begins at the
 * unmount of a thread that is parking and ends when it runs again, on any carrier. The waker is
 * unknown, and the JVM walks each stack.
 *
 * A pinned thread is unmounted and mounted without effect, then parks its carrier: park.c records
 * that wait. Sleeping, waiting for a socket and yielding do not count as waits and are left out.
 *
 * From JDK 24 on. */
#pragma once

#include "recorder/agent/hotspot/host.h"

/* Once, before the gate opens. Does nothing if there are no virtual threads. */
void pm_vthread_events_watch(JNIEnv *env);
bool pm_vthread_events_are_on(void);

/* Whether the park that the current virtual thread is about to begin counts as a wait. */
bool pm_vthread_events_is_wait(JNIEnv *env, jthread thread);
