/* Waits for monitors: contended `synchronized` (kind enter), from JVMTI's events, and Object.wait
 * (kind wait), from a hook; of virtual threads, which may leave their carrier in it, from events
 * too, and of all threads where it cannot be hooked. Contention that a thread wins by
 * spinning posts no event and is not seen.
 *
 * No stack is walked in MonitorContendedEntered, where the monitor is held. JVMTI tells no owner
 * and no notifier; monitor-owner.h and notify.h do. Who waits for a Thread is woken by the VM as
 * that thread ends (so Thread.join): it is the waker then, at the instant of its end.
 *
 * A wait whose end no event tells is closed by whatever shows that it is over: the next wait of its
 * thread, the thread's end, its state as the sweep looks. It lasted at most until then
 * (PM_WAIT_AT_MOST). */
#pragma once

#include "recorder/agent/hooks/current-thread.h"
#include "recorder/agent/hotspot/host.h"

/* Before the events are enabled. */
void pm_monitor_prepare(void);
/* Then, where notifiers are known: Object.wait of platform threads is hooked as a park is, and asks
 * for no event of the JVM's. Leaves no exception. */
void pm_monitor_hook_waits(JNIEnv *env);
/* Was it called? */
bool pm_monitor_is_watched(void);
/* While nothing is recorded the JVM need not report anything, which costs each wait 0.1 to 0.4 µs,
 * whoever listens. Enables the events; or disables those of begins, and those of ends too once no
 * wait is open. One attached thread at a time. */
void pm_monitor_listen(bool listens);
/* Nothing that begins would be missed. Any thread. */
bool pm_monitor_listens(void);

void JNICALL pm_monitor_on_enter(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object);
void JNICALL pm_monitor_on_entered(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object);
void JNICALL pm_monitor_on_wait(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object,
                                jlong time_ms);
void JNICALL pm_monitor_on_waited(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object,
                                  jboolean timed_out);

/* The calling thread is about to wait: closes an Object.wait that it has left. */
void pm_monitor_settle(struct pm_current_thread *self);
/* The same of another thread, which must live; on the sweep's thread. */
void pm_monitor_settle_other(jthread thread, int64_t tid);
