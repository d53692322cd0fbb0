/* Parks of virtual threads: no native is called there, so that LockSupport is rewritten to call
 * ours (hotspot/lock-support.h). They begin a wait as a virtual thread is about to park, and end it
 * as it runs again, on whichever carrier: the time until a carrier was free is in it, from the wake
 * on. Who unparks leaves a wake record, as for a platform thread. A pinned thread then parks its
 * carrier, which is the same wait, and is told once.
 *
 * From JDK 21 on. Where that cannot be done, from 24 on the JVM's events stand in
 * (vthread-events.h); before, only pinned threads' waits are recorded (park.h). */
#pragma once

#include "recorder/agent/hooks/admission.h"

/* At load or attach: the capability. Without it each virtual thread's begin and end are told as if
 * it were a platform thread. */
void pm_vthread_want(void);

/* Once, before the gate opens: rewrites LockSupport, or else watches the events. Does nothing where
 * there are no virtual threads. */
void pm_vthread_watch(JNIEnv *env);
/* LockSupport was redefined by another agent; and rewrites it anew, where it was. Now and then. */
bool pm_vthread_is_undone(void);
void pm_vthread_repair(void);
/* The natives of LockSupport's rewrite tell of them, and nobody else. */
bool pm_vthread_is_rewritten(void);

/* Begins the park of an admitted virtual thread on `blocker`; `left_ns`: of a timed one, else
 * INT64_MAX; `frozen`: walk.h's, if it is_hooked. NULL when it is not to be ended: it counts,
 * without its time, or is no wait in our sense. */
struct pm_vthread_slot *pm_vthread_begin(JNIEnv *env, const struct pm_waiter *waiter,
                                         jobject blocker, int64_t left_ns, int64_t frozen);
