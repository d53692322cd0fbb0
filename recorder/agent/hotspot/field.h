/* Reads the fields of objects, from any thread in a native method or event, unnoticed by whoever
 * watches them, such as a debugger with a watchpoint. HotSpot tells those of a field that JNI
 * reads, takes for granted that the interpreter called the native method or event, and crashes
 * where compiled code did. It tells of none whose id carries a hash of another class than the
 * object's; a bit of the id says that there is a hash, and JVMs that are not made for debugging
 * ignore it otherwise (host.c sets it). -Xcheck:jni does not accept such an id: there, the
 * functions behind Unsafe's natives are called, which tell nobody. */
#pragma once

#include <stdint.h>

#include "recorder/agent/hotspot/host.h"

/* Natives of jdk.internal.misc.Unsafe; the second argument, Unsafe itself, is not looked at. */
extern struct pm_field_natives {
    jint(JNICALL *get_int)(JNIEnv *env, jobject unsafe, jobject object, jlong offset);
    jlong(JNICALL *get_long)(JNIEnv *env, jobject unsafe, jobject object, jlong offset);
    jboolean(JNICALL *get_boolean)(JNIEnv *env, jobject unsafe, jobject object, jlong offset);
    jobject(JNICALL *get_reference)(JNIEnv *env, jobject unsafe, jobject object, jlong offset);
} pm_field_natives;

/* Once, when the JVM is up; after pm_quirks_learn. */
void pm_field_prepare(JNIEnv *env);

/* Where the field is in an object; the lowest bits of its id say what it is. */
static inline jlong pm_field_offset(jfieldID field)
{
    return (jlong)((uintptr_t)field >> 2);
}

static inline bool pm_field_is_read_by_unsafe(void)
{
    return __builtin_expect(pm_host.reads_by_unsafe, 0);
}

static inline jint pm_field_int(JNIEnv *env, jobject object, jfieldID field)
{
    if (pm_field_is_read_by_unsafe())
        return pm_field_natives.get_int(env, NULL, object, pm_field_offset(field));
    return (*env)->GetIntField(env, object, field);
}

static inline jlong pm_field_long(JNIEnv *env, jobject object, jfieldID field)
{
    if (pm_field_is_read_by_unsafe())
        return pm_field_natives.get_long(env, NULL, object, pm_field_offset(field));
    return (*env)->GetLongField(env, object, field);
}

static inline jboolean pm_field_boolean(JNIEnv *env, jobject object, jfieldID field)
{
    if (pm_field_is_read_by_unsafe())
        return pm_field_natives.get_boolean(env, NULL, object, pm_field_offset(field));
    return (*env)->GetBooleanField(env, object, field);
}

/* A local reference. */
static inline jobject pm_field_object(JNIEnv *env, jobject object, jfieldID field)
{
    if (pm_field_is_read_by_unsafe())
        return pm_field_natives.get_reference(env, NULL, object, pm_field_offset(field));
    return (*env)->GetObjectField(env, object, field);
}
