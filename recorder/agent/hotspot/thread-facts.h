/* What JVMTI's GetThreadState and GetThreadInfo tell of a thread, read from the fields that the JVM
 * keeps it in: JVMTI takes longer the more threads there are, and copies all of a name. Any thread,
 * in a native method or event. Leaves no exception pending. */
#pragma once

#include "recorder/agent/hotspot/host.h"

/* Once, after pm_quirks_learn. */
void pm_thread_facts_prepare(JNIEnv *env);

/* Bytes of a name, in the JVM's encoding and zero-terminated: of a longer one the beginning. */
#define PM_THREAD_FACTS_NAME (3 * 120 + 1)

/* Of a platform thread: JVMTI's bits but for those of native code, interrupts and suspension.
 * False: unknown. */
bool pm_thread_facts_state(JNIEnv *env, jthread thread, jint *ret_state);
/* False: unknown, as that of a thread that is just being made. */
bool pm_thread_facts_name(JNIEnv *env, jthread thread, char ret_name[PM_THREAD_FACTS_NAME]);
bool pm_thread_facts_is_daemon(JNIEnv *env, jthread thread);
