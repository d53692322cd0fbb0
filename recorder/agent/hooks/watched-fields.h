/* Fields that other agents watch, such as a debugger with a watchpoint. HotSpot tells whoever
 * watches a field where it is read, takes for granted that the interpreter called the native method
 * or event, and crashes where compiled code did: a thread that was parked there as the watchpoint
 * was set, a virtual thread that starts. So hooks and events ask here before they read a field.
 *
 * How many are watched is asked for by JNI's generated accessor of ints, if an agent may watch any:
 * it is read from there. Where the accessor is another one (-Xcheck:jni), nothing is known. */
#pragma once

#include <jni.h>
#include <stdbool.h>
#include <stdint.h>

extern struct pm_watched_fields {
    const volatile int32_t *n; /* NULL: none can be, or it is not known */
    uintptr_t env_at;          /* offset of a JavaThread's JNIEnv */
} pm_watched_fields;

/* Once, when the JVM is up; after pm_quirks_learn. */
void pm_watched_fields_learn(JNIEnv *env);

/* Whether the current thread's innermost Java frame is the interpreter's, or there is none. */
bool pm_watched_fields_interprets(JNIEnv *env);
/* Whether fields may be read here, in a native method or event on a thread of the program. */
static inline bool pm_watched_fields_allow(JNIEnv *env)
{
    return __builtin_expect(!pm_watched_fields.n || !*pm_watched_fields.n, 1) ||
           pm_watched_fields_interprets(env);
}
