/* Waits for monitors: contended `synchronized` (kind enter), from JVMTI events, and Object.wait
 * (kind wait), from a hook. Events are also used for Object.wait of virtual threads, which may
 * unmount in it, and for all threads if it cannot be hooked. Contention that is resolved by
 * spinning posts no event and is not seen.
 *
 * No stack is walked in MonitorContendedEntered, where the monitor is held. JVMTI reports neither
 * owner nor notifier; monitor-owner.h and notify.h do. A thread that waits for a Thread object (in
 * Thread.join) is woken by the VM when that thread ends, which is then the waker, at the instant of
 * its end.
 *
 * A wait whose end is not reported by an event is closed by the first evidence that it is over: the
 * next wait of its thread, the thread's end, its state when the sweep checks. It lasted at most
 * until then (PM_WAIT_AT_MOST). */
#pragma once

#include "recorder/agent/hooks/current-thread.h"
#include "recorder/agent/hotspot/host.h"

/* Before the events are enabled. */
void pm_monitor_prepare(void);
/* Afterwards, if notifiers are known: hooks Object.wait of platform threads as parks are, which
 * needs no JVM events. Leaves no exception pending. */
void pm_monitor_hook_waits(JNIEnv *env);
/* Was it called? */
bool pm_monitor_is_watched(void);
/* While nothing is recorded, the JVM should not report monitor events, which cost each wait 0.1 to
 * 0.4 µs regardless of listeners. Enables the events; or disables begin events, and end events too
 * once no wait is open. One attached thread at a time. */
void pm_monitor_listen(bool listens);
/* Whether no beginning wait would be missed. Any thread. */
bool pm_monitor_listens(void);

void JNICALL pm_monitor_on_enter(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object);
void JNICALL pm_monitor_on_entered(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object);
void JNICALL pm_monitor_on_wait(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object,
                                jlong time_ms);
void JNICALL pm_monitor_on_waited(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object,
                                  jboolean timed_out);

/* The calling thread is about to wait: closes an Object.wait that it has left. */
void pm_monitor_settle(struct pm_current_thread *self);
/* The same for another thread, which must be alive; on the sweep's thread. */
void pm_monitor_settle_other(JNIEnv *env, jthread thread, int64_t tid);
