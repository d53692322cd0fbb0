#include "recorder/agent/hooks.h"

#include <string.h>

#include "format/error.h"
#include "recorder/agent/park.h"

static bool in_place;

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
    in_place = pm_park_original && pm_unpark_original;
    if (in_place)
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_DISABLE, JVMTI_EVENT_NATIVE_METHOD_BIND,
                                           NULL);
}

bool pm_hooks_in_place(void)
{
    return in_place;
}

/* -- at attach -- */

/* The class whose method `go` calls the native `link`. RegisterNatives on a platform class prints a
 * warning unless the Java frame behind the native one belongs to a class of the same loader; so we
 * define one in the boot loader:
 *
 *   final class parkmeter.Hooks { static void go() { link(); } static native void link(); }      */
static const unsigned char hooks_class[] = {
    0xca, 0xfe, 0xba, 0xbe, 0,   0,   0,   52, /* magic, version 52.0 (Java 8) */
    0,    11,                                  /* constants 1 to 10 */
    7,    0,    2,                             /*  1 class #2 */
    1,    0,    15,   'p',  'a', 'r', 'k', 'm', 'e', 't',
    'e',  'r',  '/',  'H',  'o', 'o', 'k', 's', /*  2 */
    7,    0,    4,                              /*  3 */
    1,    0,    16,   'j',  'a', 'v', 'a', '/', 'l', 'a',
    'n',  'g',  '/',  'O',  'b', 'j', 'e', 'c', 't', /* 4 */
    1,    0,    2,    'g',  'o',                     /*  5 */
    1,    0,    3,    '(',  ')', 'V',                /*  6 */
    1,    0,    4,    'C',  'o', 'd', 'e',           /*  7 */
    1,    0,    4,    'l',  'i', 'n', 'k',           /*  8 */
    12,   0,    8,    0,    6,                       /*  9 name and type #8 #6 */
    10,   0,    1,    0,    9,                       /* 10 method #1 #9 */
    0x10, 0x30,                                      /* synthetic final super */
    0,    1,    0,    3,                             /* this, super */
    0,    0,    0,    0,                             /* no interfaces, no fields */
    0,    2,                                         /* methods: */
    0,    8,    0,    5,    0,   6,   0,   1,        /* static go()V with one attribute: */
    0,    7,    0,    0,    0,   16,                 /* Code, 16 bytes: */
    0,    0,    0,    0,    0,   0,   0,   4,        /* no stack, no locals, 4 bytes: */
    0xb8, 0,    10,   0xb1,                          /* invokestatic #10; return */
    0,    0,    0,    0,                             /* no handlers, no attributes */
    1,    8,    0,    8,    0,   6,   0,   0,        /* static native link()V */
    0,    0,                                         /* no attributes */
};

static jclass unsafe_class;
static _Thread_local bool learning;
static jint(JNICALL *register_natives)(JNIEnv *, jclass, const JNINativeMethod *, jint);

/* Our RegisterNatives while Unsafe registers its natives for us: looks at the table and binds
 * nothing, as all is bound already. Other threads get the JVM's. */
static jint JNICALL learn_natives(JNIEnv *env, jclass class, const JNINativeMethod *methods, jint n)
{
    if (!learning)
        return register_natives(env, class, methods, n);
    for (jint i = 0; i < n; i++) {
        if (strcmp(methods[i].name, "park") == 0 && strcmp(methods[i].signature, "(ZJ)V") == 0)
            pm_park_original = (pm_park_function)methods[i].fnPtr;
        if (strcmp(methods[i].name, "unpark") == 0 &&
            strcmp(methods[i].signature, "(Ljava/lang/Object;)V") == 0)
            pm_unpark_original = (pm_unpark_function)methods[i].fnPtr;
    }
    return JNI_OK;
}

static bool learn_originals(JNIEnv *env)
{
    jvmtiEnv *jvmti = pm_host.jvmti;
    jniNativeInterface *functions = NULL;
    jmethodID method = (*env)->GetStaticMethodID(env, unsafe_class, "registerNatives", "()V");
    if (!method || (*jvmti)->GetJNIFunctionTable(jvmti, &functions))
        return false;
    register_natives = functions->RegisterNatives;
    functions->RegisterNatives = learn_natives;
    learning = true;
    if ((*jvmti)->SetJNIFunctionTable(jvmti, functions) == 0) {
        (*env)->CallStaticVoidMethod(env, unsafe_class, method);
        functions->RegisterNatives = register_natives;
        (*jvmti)->SetJNIFunctionTable(jvmti, functions);
    }
    learning = false;
    pm_host_free(functions);
    return !(*env)->ExceptionCheck(env) && pm_park_original && pm_unpark_original;
}

/* What `link` registers, and what came of it. Set on the one thread that starts the recorder. */
static struct {
    jclass class;
    const JNINativeMethod *methods;
    int n;
    jint result;
} to_link;

/* parkmeter.Hooks.link, called by go. */
static void JNICALL link_hooks(JNIEnv *env, jclass class)
{
    to_link.result = (*env)->RegisterNatives(env, to_link.class, to_link.methods, to_link.n);
}

int pm_hooks_register_natives(JNIEnv *env, jclass class, const JNINativeMethod *methods, int n)
{
    static jclass hooks; /* the boot loader's, never unloaded */
    const JNINativeMethod link = {(char *)"link", (char *)"()V", (void *)link_hooks};
    jmethodID go = NULL;
    if (!hooks) {
        jclass defined = (*env)->DefineClass(env, "parkmeter/Hooks", NULL,
                                             (const jbyte *)hooks_class, sizeof hooks_class);
        if (defined && (*env)->RegisterNatives(env, defined, &link, 1) == JNI_OK)
            hooks = (*env)->NewGlobalRef(env, defined);
    }
    if (!hooks || !(go = (*env)->GetStaticMethodID(env, hooks, "go", "()V")))
        return PM_ERROR_IO;
    to_link.class = class;
    to_link.methods = methods;
    to_link.n = n;
    to_link.result = JNI_ERR;
    (*env)->CallStaticVoidMethod(env, hooks, go);
    return to_link.result == JNI_OK && !(*env)->ExceptionCheck(env) ? 0 : PM_ERROR_IO;
}

int pm_hooks_register(JNIEnv *env, const char **ret_text)
{
    const JNINativeMethod methods[] = {
        {(char *)"park", (char *)"(ZJ)V", (void *)pm_park_hook},
        {(char *)"unpark", (char *)"(Ljava/lang/Object;)V", (void *)pm_unpark_hook},
    };
    const char *text = "jdk.internal.misc.Unsafe was not found";
    unsafe_class = (*env)->FindClass(env, "jdk/internal/misc/Unsafe");
    if (unsafe_class) {
        text = "the natives of Unsafe cannot be learnt";
        if (learn_originals(env)) {
            text = "the natives of Unsafe cannot be registered";
            if (pm_hooks_register_natives(env, unsafe_class, methods, 2) == 0) {
                in_place = true;
                return 0;
            }
        }
    }
    if ((*env)->ExceptionCheck(env))
        (*env)->ExceptionClear(env);
    *ret_text = text;
    return PM_ERROR_IO;
}
