/* An agent that watches the fields of threads and locks which the recorder reads, as a debugger
 * does with a watchpoint, and turns its events on and off every 20 ms, so that threads stand in
 * compiled code as they come on. At the end of the JVM it prints "watched N", how many accesses it
 * saw. */
#include <jvmti.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

static JavaVM *vm;
static jvmtiEnv *jvmti;
static _Atomic long n_accesses;

static void JNICALL on_access(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method,
                              jlocation location, jclass class, jobject object, jfieldID field)
{
    atomic_fetch_add(&n_accesses, 1);
}

static void *switch_often(void *context)
{
    JNIEnv *env;
    if ((*vm)->AttachCurrentThreadAsDaemon(vm, (void **)&env, NULL))
        return NULL;
    for (int i = 0;; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
        if ((*jvmti)->SetEventNotificationMode(jvmti, i % 2 ? JVMTI_DISABLE : JVMTI_ENABLE,
                                               JVMTI_EVENT_FIELD_ACCESS, NULL))
            return NULL; /* the JVM ends */
    }
}

static void watch(JNIEnv *env, const char *class_name, const char *name, const char *signature)
{
    jclass class = (*env)->FindClass(env, class_name);
    jfieldID field = class ? (*env)->GetFieldID(env, class, name, signature) : NULL;
    if (!field || (*jvmti)->SetFieldAccessWatch(jvmti, class, field))
        printf("no %s.%s\n", class_name, name);
}

static void JNICALL on_init(jvmtiEnv *env, JNIEnv *jni, jthread thread)
{
    pthread_t own;
    watch(jni, "java/lang/Thread", "tid", "J");
    watch(jni, "java/lang/Thread", "interrupted", "Z");
    watch(jni, "java/lang/Thread", "parkBlocker", "Ljava/lang/Object;");
    watch(jni, "java/util/concurrent/locks/AbstractOwnableSynchronizer", "exclusiveOwnerThread",
          "Ljava/lang/Thread;");
    watch(jni, "java/util/concurrent/locks/AbstractQueuedSynchronizer", "state", "I");
    pthread_create(&own, NULL, switch_often, NULL);
    pthread_detach(own);
}

static void JNICALL on_death(jvmtiEnv *env, JNIEnv *jni)
{
    printf("watched %ld\n", atomic_load(&n_accesses));
    fflush(stdout);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *java, char *options, void *reserved)
{
    const jvmtiCapabilities wanted = {.can_generate_field_access_events = 1};
    const jvmtiEventCallbacks callbacks = {
        .VMInit = on_init, .VMDeath = on_death, .FieldAccess = on_access};
    vm = java;
    return (*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) ||
                   (*jvmti)->AddCapabilities(jvmti, &wanted) ||
                   (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks) ||
                   (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT,
                                                      NULL) ||
                   (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_DEATH,
                                                      NULL)
               ? JNI_ERR
               : JNI_OK;
}
