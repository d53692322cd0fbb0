#include "recorder/agent/hooks.h"

#include <string.h>

#include "format/error.h"
#include "recorder/agent/park.h"

int pm_hooks_await_binding(void)
{
    /* Without early-vmstart both binds are missed: they happen before VMStart as it is by default.
     */
    jvmtiCapabilities wanted = {.can_generate_native_method_bind_events = 1,
                                .can_generate_early_vmstart = 1};
    if ((*pm_host.jvmti)->AddCapabilities(pm_host.jvmti, &wanted) ||
        (*pm_host.jvmti)
            ->SetEventNotificationMode(pm_host.jvmti, JVMTI_ENABLE, JVMTI_EVENT_NATIVE_METHOD_BIND,
                                       NULL))
        return PM_ERROR_IO;
    return 0;
}

static bool is_unsafe(jvmtiEnv *jvmti, JNIEnv *env, jmethodID method)
{
    jclass class = NULL;
    char *signature = NULL;
    bool is = (*jvmti)->GetMethodDeclaringClass(jvmti, method, &class) == 0 &&
              (*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) == 0 &&
              strcmp(signature, "Ljdk/internal/misc/Unsafe;") == 0;
    pm_host_free(signature);
    if (class)
        (*env)->DeleteLocalRef(env, class);
    return is;
}

void JNICALL pm_hooks_on_bind(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jmethodID method,
                              void *address, void **new_address)
{
    jvmtiPhase phase;
    char *name = NULL, *signature = NULL;
    /* In the primordial phase a method's name cannot be asked for. */
    if ((*jvmti)->GetPhase(jvmti, &phase) || phase == JVMTI_PHASE_PRIMORDIAL ||
        (*jvmti)->GetMethodName(jvmti, method, &name, &signature, NULL))
        return;
    if (strcmp(name, "park") == 0 && strcmp(signature, "(ZJ)V") == 0 && !pm_park_original &&
        is_unsafe(jvmti, env, method)) {
        pm_park_original = (pm_park_function)address;
        *new_address = (void *)pm_park_hook;
    } else if (strcmp(name, "unpark") == 0 && strcmp(signature, "(Ljava/lang/Object;)V") == 0 &&
               !pm_unpark_original && is_unsafe(jvmti, env, method)) {
        pm_unpark_original = (pm_unpark_function)address;
        *new_address = (void *)pm_unpark_hook;
    }
    pm_host_free(name);
    pm_host_free(signature);
    if (pm_hooks_in_place())
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_DISABLE, JVMTI_EVENT_NATIVE_METHOD_BIND,
                                           NULL);
}

bool pm_hooks_in_place(void)
{
    return pm_park_original && pm_unpark_original;
}
