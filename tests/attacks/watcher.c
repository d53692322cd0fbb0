/* An agent that watches the fields of threads and locks which the recorder reads, as a debugger
 * does with a watchpoint, and turns its events on and off every 20 ms, so that threads stand in
 * compiled code as they come on; with the option "anew", it sets the watchpoints and clears them
 * all the time. At the end of the JVM it prints "watched N", how many accesses it saw. */
#include <jvmti.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define N_FIELDS 5

static JavaVM *vm;
static jvmtiEnv *jvmti;
static _Atomic long n_accesses;
static bool anew;
static struct {
    jclass class;
    jfieldID field;
} watched[N_FIELDS];

static void JNICALL on_access(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method,
                              jlocation location, jclass class, jobject object, jfieldID field)
{
    atomic_fetch_add(&n_accesses, 1);
}

static bool watch_all(bool on)
{
    for (int i = 0; i < N_FIELDS; i++)
        if (on ? (*jvmti)->SetFieldAccessWatch(jvmti, watched[i].class, watched[i].field)
               : (*jvmti)->ClearFieldAccessWatch(jvmti, watched[i].class, watched[i].field))
            return false; /* the JVM ends */
    return true;
}

static bool report(bool on)
{
    return (*jvmti)->SetEventNotificationMode(jvmti, on ? JVMTI_ENABLE : JVMTI_DISABLE,
                                              JVMTI_EVENT_FIELD_ACCESS, NULL) == 0;
}

static void *switch_often(void *context)
{
    JNIEnv *env;
    if ((*vm)->AttachCurrentThreadAsDaemon(vm, (void **)&env, NULL) || !report(true))
        return NULL;
    for (bool on = false; anew ? watch_all(on) : report(on); on = !on)
        nanosleep(&(struct timespec){.tv_nsec = anew ? 20000 : 20000000}, NULL);
    return NULL;
}

static void find(JNIEnv *env, int i, const char *class_name, const char *name,
                 const char *signature)
{
    jclass class = (*env)->FindClass(env, class_name);
    watched[i].class = class ? (*env)->NewGlobalRef(env, class) : NULL;
    watched[i].field = class ? (*env)->GetFieldID(env, class, name, signature) : NULL;
    if (!watched[i].field)
        printf("no %s.%s\n", class_name, name);
}

static void JNICALL on_init(jvmtiEnv *env, JNIEnv *jni, jthread thread)
{
    pthread_t own;
    find(jni, 0, "java/lang/Thread", "tid", "J");
    find(jni, 1, "java/lang/Thread", "interrupted", "Z");
    find(jni, 2, "java/lang/Thread", "parkBlocker", "Ljava/lang/Object;");
    find(jni, 3, "java/util/concurrent/locks/AbstractOwnableSynchronizer", "exclusiveOwnerThread",
         "Ljava/lang/Thread;");
    find(jni, 4, "java/util/concurrent/locks/AbstractQueuedSynchronizer", "state", "I");
    if (!watch_all(true))
        printf("not watched\n");
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
    anew = options && strcmp(options, "anew") == 0;
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
