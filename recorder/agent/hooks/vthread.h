/* Parks of virtual threads that leave their carrier: no native is called there, so they are
 * seen by HotSpot's pair of extension events, VirtualThreadUnmount and VirtualThreadMount. A wait
 * begins at the unmount of a thread that is parking and ends as it runs again, on whichever
 * carrier: the time until a carrier was free is in it. Who woke it cannot be seen.
 *
 * A pinned thread is unmounted and mounted in vain, then parks its carrier: that wait is park.c's.
 * Sleeping, waiting for a socket, yielding are no waits in our sense and are left out.
 *
 * From JDK 24 on; on 19 to 23 nothing is asked for and only pinned threads' waits are recorded. */
#pragma once

#include "recorder/agent/hotspot/host.h"

/* At load or attach: the capability. Without it each virtual thread's begin and end are told as if
 * it were a platform thread. */
void pm_vthread_want(void);

/* Once, before the gate opens. Does nothing where there are no virtual threads. */
void pm_vthread_watch(JNIEnv *env);

/* Is the park that the current virtual thread is about to begin a wait in our sense? */
bool pm_vthread_is_wait(JNIEnv *env, jthread thread);
