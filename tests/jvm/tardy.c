/* An agent that takes its time over each class that is unloaded and over the beginning of each
 * thread "worker", so that who is told after it is told late: when other classes have been loaded
 * in the place of those, and others wait for that thread already. */
#include <jvmti.h>
#include <string.h>
#include <time.h>

static void pause_ms(long ms)
{
    const struct timespec pause = {.tv_nsec = ms * 1000000};
    nanosleep(&pause, NULL);
}

static void JNICALL on_class_unload(jvmtiEnv *jvmti, ...)
{
    pause_ms(30);
}

static void JNICALL on_thread_start(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    jvmtiThreadInfo info;
    if ((*jvmti)->GetThreadInfo(jvmti, thread, &info))
        return;
    if (strcmp(info.name, "worker") == 0)
        pause_ms(500);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)info.name);
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
    const jvmtiEventCallbacks callbacks = {.VMInit = on_vm_init, .ThreadStart = on_thread_start};
    if ((*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks) ||
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL) ||
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_THREAD_START, NULL))
        return JNI_ERR;
    return JNI_OK;
}
