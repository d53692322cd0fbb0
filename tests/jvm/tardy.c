/* An agent that takes its time over each class that is unloaded, so that who is told after it is
 * told late: when other classes have been loaded in the place of those. */
#include <jvmti.h>
#include <string.h>
#include <time.h>

static void JNICALL on_class_unload(jvmtiEnv *jvmti, ...)
{
    const struct timespec pause = {.tv_nsec = 30000000};
    nanosleep(&pause, NULL);
}

static void JNICALL on_vm_init(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    jint n = 0;
    jvmtiExtensionEventInfo *events = NULL;
    if ((*jvmti)->GetExtensionEvents(jvmti, &n, &events))
        return;
    for (jint i = 0; i < n; i++) {
        jint index = events[i].extension_event_index;
        if (strstr(events[i].id, "ClassUnload") &&
            (*jvmti)->SetExtensionEventCallback(jvmti, index, on_class_unload) == 0)
            (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, (jvmtiEvent)index, NULL);
    }
}

__attribute__((visibility("default"))) JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm,
                                                                           char *options,
                                                                           void *reserved)
{
    jvmtiEnv *jvmti;
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_9))
        return JNI_ERR;
    const jvmtiEventCallbacks callbacks = {.VMInit = on_vm_init};
    if ((*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks) ||
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL))
        return JNI_ERR;
    return JNI_OK;
}
