/* Waits for monitors: contended `synchronized` (kind enter) and Object.wait (kind wait), from
 * JVMTI's four monitor events, of platform and virtual threads. Contention that a thread wins by
 * spinning posts no event and is not seen.
 *
 * No stack is walked in MonitorContendedEntered, where the monitor is held. JVMTI tells no owner
 * and no notifier. The owner is read from HotSpot's own fields (vmstructs.h): the monitor that the
 * thread is about to wait for, and the thread in its owner field, which must be one that we know:
 * else the owner is "not known". Who waits for a Thread is woken by the VM as that thread ends (so
 * Thread.join): it is the waker then, at the instant of its end. */
#pragma once

#include "recorder/agent/host.h"
#include "recorder/agent/slot.h"

/* Learns the offsets; before the events are enabled. False: owners are not read. */
bool pm_monitor_prepare(JNIEnv *env);

void JNICALL pm_monitor_on_enter(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object);
void JNICALL pm_monitor_on_entered(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object);
void JNICALL pm_monitor_on_wait(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object,
                                jlong time_ms);
void JNICALL pm_monitor_on_waited(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object,
                                  jboolean timed_out);

/* `vthreads=`: are waits of virtual threads recorded? Before the gate opens. */
void pm_monitor_set_virtual(bool recorded);

/* A thread begins or ends: HotSpot's address of it is (no longer) known. */
void pm_monitor_thread_begin(JNIEnv *env, jthread thread, int64_t tid);
void pm_monitor_thread_end(JNIEnv *env, jthread thread);
