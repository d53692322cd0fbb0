/* Rewrites java.util.concurrent.locks.LockSupport: where it parks or unparks a virtual thread, it
 * calls ParkmeterParks, our class in the boot loader, which calls our natives and then the original
 * target (class-file.h). The JVM passes the class file to ClassFileLoadHook while it retransforms
 * the class; that event is off at all other times, because it costs 50 µs for each class from an
 * archive. JDK 21 and later; LockSupport calls JavaLangAccess there from 24 on, VirtualThreads
 * before. Never undone: when recording stops, the gate is closed.
 *
 * An agent that retransforms or redefines LockSupport later may undo it without notice. Its methods
 * then have new versions, which a periodic check notices and repairs. */
#pragma once

#include <stdint.h>

#include "recorder/agent/hotspot/host.h"

/* What ParkmeterParks is linked with. */
struct pm_lock_support_links {
    const JNINativeMethod *natives;
    int n_natives;
    const void *gate;         /* a byte: 0 while nothing is recorded */
    const void *table, *last; /* frozen.h's */
};

/* At VMInit or later, once. False, without an exception: it was refused, and nothing has changed.
 */
bool pm_lock_support_rewrite(JNIEnv *env, const struct pm_lock_support_links *links);
bool pm_lock_support_is_rewritten(void);
/* The number of frames above LockSupport's in a native of ours, including its own. */
uint32_t pm_lock_support_frames(void);
/* Whether another agent has undone it, as far as is seen without asking the JVM. Any thread. */
bool pm_lock_support_is_undone(void);
/* If so, tells of it, and rewrites it again if that is allowed (allowance.h). One attached thread.
 */
void pm_lock_support_repair(JNIEnv *env);

/* The event handler, for agent.c's table of callbacks. */
void JNICALL pm_lock_support_on_load(jvmtiEnv *jvmti, JNIEnv *env, jclass redefined, jobject loader,
                                     const char *name, jobject domain, jint size,
                                     const unsigned char *bytes, jint *ret_size,
                                     unsigned char **ret_bytes);
