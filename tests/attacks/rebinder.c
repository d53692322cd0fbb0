/* An agent that takes Unsafe.park and unpark for itself, as a profiler's lock mode does, and gives
 * them back: again and again while the program runs. Its options are letters:
 *
 *   i  as the JVM is up (VMInit), before or after the recorder
 *   t  then from a thread of its own, every 50 ms: registered, given back, …
 *   s  once more and stays registered
 *   c  calls what was bound before it, as it saw it being registered, and gives that back: the
 *      recorder's own hook perhaps; else the JVM's, wherever that is
 *   e  by the event NativeMethodBind, for whatever is bound from now on; calls that
 *   b  with e: calls the JVM's own instead, so that nobody else is called any more
 *
 * At its end it prints "rebinder N parks N unparks" to the file that follows '='. */
#include <jvmti.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

typedef void(JNICALL *park_function)(JNIEnv *, jobject, jboolean, jlong);
typedef void(JNICALL *unpark_function)(JNIEnv *, jobject, jobject);

static JavaVM *vm;
static jvmtiEnv *jvmti;
static const char *options = "", *out = "";
static _Atomic(park_function) park_next;
static _Atomic(unpark_function) unpark_next;
static _Atomic long n_parks, n_unparks;
static jint(JNICALL *register_natives)(JNIEnv *, jclass, const JNINativeMethod *, jint);
static _Thread_local int learning;
static jclass unsafe;
static bool park_is_bound; /* by the event */

static void JNICALL park(JNIEnv *env, jobject self, jboolean absolute, jlong time)
{
    atomic_fetch_add(&n_parks, 1);
    park_function next = atomic_load(&park_next);
    next(env, self, absolute, time);
}

static void JNICALL unpark(JNIEnv *env, jobject self, jobject thread)
{
    atomic_fetch_add(&n_unparks, 1);
    unpark_function next = atomic_load(&unpark_next);
    next(env, self, thread);
}

/* Sees what anybody registers. While learning nothing is bound. */
static jint JNICALL see_natives(JNIEnv *env, jclass class, const JNINativeMethod *methods, jint n)
{
    for (jint i = 0; i < n; i++) {
        void *function = methods[i].fnPtr;
        int is_park = strcmp(methods[i].name, "park") == 0;
        if (!is_park && strcmp(methods[i].name, "unpark") != 0)
            continue;
        if (function == (void *)park || function == (void *)unpark)
            continue;
        bool is_event = strchr(options, 'e') && !strchr(options, 'b');
        if (strchr(options, 'c') || (learning && !is_event) || (learning && !park_is_bound)) {
            if (is_park)
                atomic_store(&park_next, (park_function)function);
            else
                atomic_store(&unpark_next, (unpark_function)function);
        }
    }
    return learning ? JNI_OK : register_natives(env, class, methods, n);
}

static void learn(JNIEnv *env)
{
    jniNativeInterface *functions;
    (*jvmti)->GetJNIFunctionTable(jvmti, &functions);
    register_natives = functions->RegisterNatives;
    functions->RegisterNatives = see_natives;
    (*jvmti)->SetJNIFunctionTable(jvmti, functions);
    unsafe = (*env)->NewGlobalRef(env, (*env)->FindClass(env, "jdk/internal/misc/Unsafe"));
    learning = 1;
    (*env)->CallStaticVoidMethod(env, unsafe,
                                 (*env)->GetStaticMethodID(env, unsafe, "registerNatives", "()V"));
    learning = 0;
    if (!strchr(options, 'c')) {
        functions->RegisterNatives = register_natives;
        (*jvmti)->SetJNIFunctionTable(jvmti, functions);
    }
}

static void bind(JNIEnv *env, void *of_park, void *of_unpark)
{
    const JNINativeMethod methods[] = {
        {(char *)"park", (char *)"(ZJ)V", of_park},
        {(char *)"unpark", (char *)"(Ljava/lang/Object;)V", of_unpark}};
    register_natives(env, unsafe, methods, 2);
}

static void take(JNIEnv *env)
{
    bind(env, (void *)park, (void *)unpark);
}

static void give_back(JNIEnv *env)
{
    bind(env, (void *)atomic_load(&park_next), (void *)atomic_load(&unpark_next));
}

static void *run(void *context)
{
    JNIEnv *env;
    (*vm)->AttachCurrentThreadAsDaemon(vm, (void **)&env, NULL);
    for (int i = 0; i < 6; i++) {
        /* On a busy machine the program may take long to begin: nothing is given back unused. */
        for (int n = 0; n == 0 || (i % 2 && !atomic_load(&n_parks) && n < 200); n++)
            nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
        if (i % 2)
            give_back(env);
        else
            take(env);
    }
    if (strchr(options, 's'))
        take(env);
    (*vm)->DetachCurrentThread(vm);
    return NULL;
}

static void JNICALL on_vm_init(jvmtiEnv *of, JNIEnv *env, jthread thread)
{
    pthread_t runner;
    learn(env);
    if (strchr(options, 'i'))
        take(env);
    if (strchr(options, 't'))
        pthread_create(&runner, NULL, run, NULL);
}

static void JNICALL on_bind(jvmtiEnv *of, JNIEnv *env, jthread thread, jmethodID method,
                            void *address, void **new_address)
{
    char *name = NULL, *signature = NULL;
    jvmtiPhase phase;
    if ((*jvmti)->GetPhase(jvmti, &phase) || phase != JVMTI_PHASE_LIVE ||
        (*jvmti)->GetMethodName(jvmti, method, &name, &signature, NULL))
        return;
    if (strcmp(name, "park") == 0 && strcmp(signature, "(ZJ)V") == 0 && address != (void *)park) {
        if (!strchr(options, 'b') || !atomic_load(&park_next))
            atomic_store(&park_next, (park_function)address);
        park_is_bound = true;
        *new_address = (void *)park;
    }
    (*jvmti)->Deallocate(jvmti, (unsigned char *)name);
    (*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
}

static void JNICALL on_vm_death(jvmtiEnv *of, JNIEnv *env)
{
    FILE *file = *out ? fopen(out, "w") : NULL;
    if (!file)
        return;
    fprintf(file, "rebinder %ld parks %ld unparks\n", atomic_load(&n_parks),
            atomic_load(&n_unparks));
    fclose(file);
}

static jint begin(JavaVM *of, char *text)
{
    static char copy[512];
    vm = of;
    snprintf(copy, sizeof copy, "%s", text ? text : "");
    options = copy;
    char *equals = strchr(copy, '=');
    if (equals) {
        *equals = 0;
        out = equals + 1;
    }
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_9))
        return JNI_ERR;
    const jvmtiCapabilities wanted = {.can_generate_native_method_bind_events = 1};
    const jvmtiEventCallbacks callbacks = {
        .VMInit = on_vm_init, .VMDeath = on_vm_death, .NativeMethodBind = on_bind};
    (*jvmti)->AddCapabilities(jvmti, &wanted);
    (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks);
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL);
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_DEATH, NULL);
    if (strchr(options, 'e'))
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_NATIVE_METHOD_BIND,
                                           NULL);
    return JNI_OK;
}

__attribute__((visibility("default"))) JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *of, char *text,
                                                                           void *reserved)
{
    return begin(of, text);
}

__attribute__((visibility("default"))) JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *of, char *text,
                                                                             void *reserved)
{
    JNIEnv *env;
    jint result = begin(of, text);
    if (result == JNI_OK && (*of)->GetEnv(of, (void **)&env, JNI_VERSION_1_8) == JNI_OK)
        on_vm_init(jvmti, env, NULL);
    return result;
}
