/* Getting in: how Unsafe.park and unpark come to call us. At start their natives are exchanged as
 * the JVM binds them; at attach they are registered anew. Never undone: stopped, the gate is shut
 * (JDK-8369219: each registration leaks code cache). */
#pragma once

#include "recorder/agent/host.h"

/* In Agent_OnLoad. The two capabilities it needs are added by it. 0 or PM_ERROR_IO. */
int pm_hooks_await_binding(void);
/* The event, for agent.c's table of callbacks. */
void JNICALL pm_hooks_on_bind(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jmethodID method,
                              void *address, void **new_address);
/* In Agent_OnAttach, where both natives are bound long since: learns what they are bound to and
 * registers ours. 0, or PM_ERROR_IO with `*ret_text` saying what failed. Leaves no exception. */
int pm_hooks_register(JNIEnv *env, const char **ret_text);
/* Registers natives of a class of the JDK's without the warning of the JVM's. VMInit or later. 0 or
 * PM_ERROR_IO; an exception may be pending. */
int pm_hooks_register_natives(JNIEnv *env, jclass class, const JNINativeMethod *methods, int n);
/* Both natives are ours. */
bool pm_hooks_in_place(void);
