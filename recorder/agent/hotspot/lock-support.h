/* java.util.concurrent.locks.LockSupport, rewritten: where it parks or unparks a virtual thread it
 * calls ParkmeterParks, a class of ours in the boot loader, which calls our natives and then what
 * LockSupport called (class-file.h). The JVM hands us the class file by ClassFileLoadHook as it
 * retransforms the class; at no other time is that event on, as it costs 50 µs for each class that
 * comes from an archive. From JDK 21 on; 24 and later call JavaLangAccess there, earlier ones
 * VirtualThreads. Never undone: the gate is shut.
 *
 * An agent that retransforms or redefines LockSupport later undoes it unseen. That gives its
 * methods new versions, which is noticed and mended now and then. */
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

/* At VMInit or later, once. False, without an exception: it was refused, and nothing is changed. */
bool pm_lock_support_rewrite(JNIEnv *env, const struct pm_lock_support_links *links);
bool pm_lock_support_is_rewritten(void);
/* How many frames lie above LockSupport's in a native of ours, with its own. */
uint32_t pm_lock_support_frames(void);
/* Another agent has undone it. Any thread, without a call of the JVM. */
bool pm_lock_support_is_undone(void);
/* Rewrites it again, if so; a few times in all. On an attached thread. */
void pm_lock_support_repair(void);

/* The event, for agent.c's table of callbacks. */
void JNICALL pm_lock_support_on_load(jvmtiEnv *jvmti, JNIEnv *env, jclass redefined, jobject loader,
                                     const char *name, jobject domain, jint size,
                                     const unsigned char *bytes, jint *ret_size,
                                     unsigned char **ret_bytes);
