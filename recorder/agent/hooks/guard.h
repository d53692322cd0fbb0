/* The program's SecurityManager, which a JDK up to 23 may have. A thread that joins the system's
 * thread group makes the JVM ask it, on that thread: the recorder's own join the main group once
 * the program has set one. */
#pragma once

#include <jni.h>

/* Once the host is prepared. */
void pm_guard_prepare(JNIEnv *env);
/* Whether the program has set one by now, without a call of its code. Any thread, now and then. */
void pm_guard_look(JNIEnv *env);
