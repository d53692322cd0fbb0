/* Parks of virtual threads: these call no native, so LockSupport is rewritten to call ours
 * (hotspot/lock-support.h). A wait begins when a virtual thread is about to park, and ends when it
 * runs again, on any carrier; it includes the time from the wake until a carrier was free. The
 * unparking thread leaves a wake record, as for a platform thread. A pinned thread then parks its
 * carrier, which is the same wait, and is reported once.
 *
 * JDK 21 and later. If that is impossible, JVM events are used instead from 24 on
 * (vthread-events.h); on earlier ones, only pinned threads' waits are recorded (park.h). */
#pragma once

#include "recorder/agent/hooks/admission.h"

/* At load or attach: requests the capability. Without it, the start and end of each virtual thread
 * are reported as for a platform thread. */
void pm_vthread_want(void);

/* Once, before the gate opens: rewrites LockSupport, or otherwise enables the events. Does nothing
 * if there are no virtual threads. */
void pm_vthread_watch(JNIEnv *env);
/* Whether another agent has redefined LockSupport; and rewrites it again in that case. To be called
 * occasionally. */
bool pm_vthread_is_undone(void);
void pm_vthread_repair(JNIEnv *env);
/* Ends waits of threads that the JVM has collected while they were parked. To be called
 * occasionally, on an attached thread. */
void pm_vthread_look_after(JNIEnv *env);
/* Whether the rewritten LockSupport's natives report these parks, and nothing else does. */
bool pm_vthread_is_rewritten(void);

/* Begins the park of an admitted virtual thread on `blocker`; `left_ns`: the remaining time if
 * timed, else INT64_MAX; `frozen`: for walk.h, if it is_hooked. NULL if it is not to be ended: it
 * is counted without its time, or does not count as a wait. */
struct pm_vthread_slot *pm_vthread_begin(JNIEnv *env, const struct pm_waiter *waiter,
                                         jobject blocker, int64_t left_ns, int64_t frozen);
