/* An agent that does nothing but ask for the events of monitors: what HotSpot itself takes to tell
 * of them, whoever listens. */
#include <jvmti.h>

static void JNICALL on_enter(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object)
{
}

static void JNICALL on_wait(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object,
                            jlong time_ms)
{
}

static void JNICALL on_waited(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object,
                              jboolean timed_out)
{
}

__attribute__((visibility("default"))) JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm,
                                                                           char *options,
                                                                           void *reserved)
{
    static const jvmtiEvent events[] = {JVMTI_EVENT_MONITOR_CONTENDED_ENTER,
                                        JVMTI_EVENT_MONITOR_CONTENDED_ENTERED,
                                        JVMTI_EVENT_MONITOR_WAIT, JVMTI_EVENT_MONITOR_WAITED};
    jvmtiEnv *jvmti;
    const jvmtiCapabilities wanted = {.can_generate_monitor_events = 1};
    const jvmtiEventCallbacks callbacks = {.MonitorContendedEnter = on_enter,
                                           .MonitorContendedEntered = on_enter,
                                           .MonitorWait = on_wait,
                                           .MonitorWaited = on_waited};
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_9) ||
        (*jvmti)->AddCapabilities(jvmti, &wanted) ||
        (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks))
        return JNI_ERR;
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, events[i], NULL);
    return JNI_OK;
}
