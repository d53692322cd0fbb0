#include "recorder/agent/hooks/guard.h"

#include "recorder/agent/hotspot/host.h"

#define LAST_MAJOR 23 /* that has any */

static jclass system_class; /* NULL: there is none to be known */
static jfieldID security;

void pm_guard_prepare(JNIEnv *env)
{
    if (pm_host.version == 0 || pm_host.version > LAST_MAJOR || system_class)
        return;
    jclass class = pm_host_find_class(env, "java/lang/System");
    security =
        class ? (*env)->GetStaticFieldID(env, class, "security", "Ljava/lang/SecurityManager;")
              : NULL;
    if (security)
        system_class = (*env)->NewGlobalRef(env, class);
    (*env)->DeleteLocalRef(env, class);
    (*env)->ExceptionClear(env); /* OutOfMemoryError, of our own asking */
    pm_guard_look(env);
}

void pm_guard_look(JNIEnv *env)
{
    if (!system_class || pm_host.is_guarded)
        return;
    jobject manager = (*env)->GetStaticObjectField(env, system_class, security);
    pm_host.is_guarded = manager != NULL;
    (*env)->DeleteLocalRef(env, manager);
}
