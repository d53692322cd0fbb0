#include "recorder/agent/hotspot/field.h"

#include "recorder/agent/hotspot/native-hooks.h"

struct pm_field_natives pm_field_natives;

void pm_field_prepare(JNIEnv *env)
{
    struct pm_field_natives *natives = &pm_field_natives;
    jthread thread = NULL;
    if (!pm_host.checks_jni || (*pm_host.jvmti)->GetCurrentThread(pm_host.jvmti, &thread) ||
        !thread)
        return;
    const struct pm_native_row rows[] = {
        {"getInt", "(Ljava/lang/Object;J)I", (void **)&natives->get_int},
        {"getLong", "(Ljava/lang/Object;J)J", (void **)&natives->get_long},
        {"getBoolean", "(Ljava/lang/Object;J)Z", (void **)&natives->get_boolean},
        {"getReference", "(Ljava/lang/Object;J)Ljava/lang/Object;",
         (void **)&natives->get_reference},
    };
    jfieldID field = pm_host.thread_tid;
    if (pm_hooks_find_natives(env, "jdk/internal/misc/Unsafe", rows, sizeof rows / sizeof *rows))
        pm_host.reads_by_unsafe = natives->get_long(env, NULL, thread, pm_field_offset(field)) ==
                                  (*env)->GetLongField(env, thread, field);
    (*env)->DeleteLocalRef(env, thread);
}
