/* An agent that does what the recorder never does: it runs Java in an event. As a thread of the
 * workload Nested begins to wait for a monitor, it calls Nested.inside, which parks. */
#include <jvmti.h>
#include <string.h>

static jclass nested;
static jmethodID inside;

static void JNICALL on_vm_init(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    jclass class = (*env)->FindClass(env, "Nested");
    inside = class ? (*env)->GetStaticMethodID(env, class, "inside", "()V") : NULL;
    nested = inside ? (*env)->NewGlobalRef(env, class) : NULL;
    (*env)->ExceptionClear(env);
}

static void JNICALL on_enter(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object)
{
    jvmtiThreadInfo info = {0};
    if (!nested || (*jvmti)->GetThreadInfo(jvmti, thread, &info))
        return;
    if (strncmp(info.name, "entrant-", 8) == 0)
        (*env)->CallStaticVoidMethod(env, nested, inside);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)info.name);
}

__attribute__((visibility("default"))) JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm,
                                                                           char *options,
                                                                           void *reserved)
{
    jvmtiEnv *jvmti;
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_9))
        return JNI_ERR;
    const jvmtiCapabilities wanted = {.can_generate_monitor_events = 1};
    const jvmtiEventCallbacks callbacks = {.VMInit = on_vm_init, .MonitorContendedEnter = on_enter};
    if ((*jvmti)->AddCapabilities(jvmti, &wanted) ||
        (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks) ||
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL) ||
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_MONITOR_CONTENDED_ENTER,
                                           NULL))
        return JNI_ERR;
    return JNI_OK;
}
