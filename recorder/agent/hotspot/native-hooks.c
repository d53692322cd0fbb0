#include "recorder/agent/hotspot/native-hooks.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "format/error.h"
#include "recorder/agent/base/allowance.h"
#include "recorder/agent/base/clock.h"
#include "recorder/agent/base/hot.h"
#include "recorder/agent/base/self-metrics.h"
#include "recorder/agent/hotspot/quirks.h"
#include "recorder/agent/hotspot/vmstructs.h"

#define HOOKS_CLASS "parkmeter/Hooks"
#define WAIT0_SINCE 19 /* Object.wait was a native itself before */

struct pm_hooked pm_hooked[PM_N_HOOKS] PM_HOT_DATA;

/* The natives that are ours. */
static struct native {
    const char *name, *signature;
    void *hook;
    jclass class; /* global; NULL: not installed */
    jmethodID method;
} natives[PM_N_HOOKS] = {
    [PM_HOOK_PARK] = {"park", "(ZJ)V"},
    [PM_HOOK_UNPARK] = {"unpark", "(Ljava/lang/Object;)V"},
    [PM_HOOK_WAIT] = {"wait0", "(J)V"},
    [PM_HOOK_NOTIFY] = {"notify", "()V"},
    [PM_HOOK_NOTIFY_ALL] = {"notifyAll", "()V"},
    [PM_HOOK_GC] = {"gc", "()V"},
};

static bool has_event;
static size_t native_function_at; /* in Method; 0: not known */

bool pm_hooks_in_place(void)
{
    return natives[PM_HOOK_PARK].class && natives[PM_HOOK_UNPARK].class;
}

/* -- other agents -- */

/* Without loading or unloading anything now: their code stays where it is from now on. */
static void keep_loaded(const void *function)
{
    Dl_info info;
    if (dladdr(function, &info) && info.dli_fname)
        dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

/* Is it code of the JVM's own library? */
static bool is_jvms(const void *function)
{
    static const void *base;
    Dl_info info;
    if (!base) {
        void *library = dlopen("libjvm.so", RTLD_NOW | RTLD_NOLOAD);
        const void *known = library ? dlsym(library, "JNI_GetCreatedJavaVMs") : NULL;
        if (known && dladdr(known, &info))
            base = info.dli_fbase;
        if (library)
            dlclose(library);
    }
    return base && dladdr(function, &info) && info.dli_fbase == base;
}

static void chain(enum pm_hook hook, void *function)
{
    if (!function || function == natives[hook].hook)
        return; /* us: by whoever found us there */
    if (function != pm_hooked[hook].original)
        keep_loaded(function);
    atomic_store(&pm_hooked[hook].next, function);
}

void JNICALL pm_hooks_on_bind(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jmethodID method,
                              void *address, void **new_address)
{
    for (int hook = 0; hook < PM_N_HOOKS; hook++) {
        const struct native *native = &natives[hook];
        if (!native->class || native->method != method || address == native->hook)
            continue;
        chain((enum pm_hook)hook, address);
        *new_address = native->hook;
        atomic_fetch_add(&pm_self_metrics.hooks_rebound, 1);
    }
}

void pm_hooks_want(void)
{
    const jvmtiCapabilities wanted = {.can_generate_native_method_bind_events = 1};
    has_event = (*pm_host.jvmti)->AddCapabilities(pm_host.jvmti, &wanted) == 0;
}

/* -- a Java frame of the boot loader's -- */

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

/* What `link` registers, and what came of it. One thread at a time. */
static struct {
    jclass class;
    const JNINativeMethod *methods;
    int n;
    jint result;
    pthread_mutex_t lock;
} to_link = {.lock = PTHREAD_MUTEX_INITIALIZER};

static jclass hooks; /* the boot loader's, never unloaded */

/* parkmeter.Hooks.link, called by go. */
static void JNICALL link_hooks(JNIEnv *env, jclass class)
{
    to_link.result = (*env)->RegisterNatives(env, to_link.class, to_link.methods, to_link.n);
}

static void clear_exception(JNIEnv *env)
{
    if ((*env)->ExceptionCheck(env))
        (*env)->ExceptionClear(env);
}

/* Where a Method keeps its native function: behind all its fields. Our own native must be found
 * there. */
static void learn_native_function(jmethodID link)
{
    uintptr_t method = pm_quirks.knows_methods ? pm_quirks_method_of(link) : 0;
    size_t size = pm_vmstruct_size("Method");
    if (method && size && *(void *const *)(method + size) == (void *)link_hooks)
        native_function_at = size;
}

static bool define_hooks(JNIEnv *env)
{
    const JNINativeMethod link = {(char *)"link", (char *)"()V", (void *)link_hooks};
    if (hooks)
        return true;
    jclass defined =
        (*env)->DefineClass(env, HOOKS_CLASS, NULL, (const jbyte *)hooks_class, sizeof hooks_class);
    if (!defined || (*env)->RegisterNatives(env, defined, &link, 1) != JNI_OK) {
        clear_exception(env);
        return false;
    }
    jmethodID method = (*env)->GetStaticMethodID(env, defined, "link", "()V");
    if (method)
        learn_native_function(method);
    hooks = (*env)->NewGlobalRef(env, defined);
    (*env)->DeleteLocalRef(env, defined);
    return hooks != NULL;
}

/* Another copy of this library, from another place, has defined the class before us. It is not
 * looked for first: that would throw, and a debugger stop there, where all is well. */
static bool is_another_here(JNIEnv *env)
{
    jclass others = define_hooks(env) ? NULL : pm_host_find_class(env, HOOKS_CLASS);
    clear_exception(env);
    (*env)->DeleteLocalRef(env, others);
    return others != NULL;
}

/* An exception may be pending after it. */
static int register_natives(JNIEnv *env, jclass class, const JNINativeMethod *methods, int n)
{
    jmethodID go = define_hooks(env) ? (*env)->GetStaticMethodID(env, hooks, "go", "()V") : NULL;
    if (!go)
        return PM_ERROR_IO;
    to_link.class = class;
    to_link.methods = methods;
    to_link.n = n;
    to_link.result = JNI_ERR;
    (*env)->CallStaticVoidMethod(env, hooks, go);
    return to_link.result == JNI_OK && !(*env)->ExceptionCheck(env) ? 0 : PM_ERROR_IO;
}

int pm_hooks_register(JNIEnv *env, jclass class, const JNINativeMethod *methods, int n)
{
    pthread_mutex_lock(&to_link.lock);
    int error = register_natives(env, class, methods, n);
    pthread_mutex_unlock(&to_link.lock);
    return error;
}

/* -- installing -- */

/* Only a native has such a place. Another agent may have made a Java method of one, which calls it
 * by a name with a prefix; the JVM then registers ours there. */
static bool is_native(jmethodID method)
{
    const jint native = 0x100; /* ACC_NATIVE */
    jint flags = 0;
    return (*pm_host.jvmti)->GetMethodModifiers(pm_host.jvmti, method, &flags) == 0 &&
           (flags & native);
}

/* What is bound to it now; NULL: not known. */
static void *present_of(jmethodID method)
{
    uintptr_t at = native_function_at && is_native(method) ? pm_quirks_method_of(method) : 0;
    return at ? *(void *const volatile *)(at + native_function_at) : NULL;
}

/* Calls whoever is bound to it now, if that is another agent. */
static void chain_present(enum pm_hook hook, jmethodID method)
{
    void *present = present_of(method);
    if (present && !is_jvms(present))
        chain(hook, present);
}

bool pm_hooks_find_natives(JNIEnv *env, const char *class_name, const struct pm_native_row *rows,
                           size_t n)
{
    jclass class = define_hooks(env) ? pm_host_find_class(env, class_name) : NULL;
    bool found = class != NULL;
    for (size_t i = 0; found && i < n; i++) {
        jmethodID method = (*env)->GetMethodID(env, class, rows[i].name, rows[i].signature);
        void *present = method ? present_of(method) : NULL;
        found = present && is_jvms(present);
        *rows[i].function = present;
    }
    clear_exception(env);
    (*env)->DeleteLocalRef(env, class);
    return found;
}

/* Hooks `n` natives of the class, from `first` on, whose originals are known. */
static int install(JNIEnv *env, jclass class, enum pm_hook first, int n)
{
    JNINativeMethod methods[PM_N_HOOKS];
    jmethodID ids[PM_N_HOOKS];
    jclass global = define_hooks(env) ? (*env)->NewGlobalRef(env, class) : NULL;
    if (!global)
        return PM_ERROR_IO;
    for (int i = 0; i < n; i++) {
        enum pm_hook hook = (enum pm_hook)((int)first + i);
        const struct native *native = &natives[hook];
        methods[i] =
            (JNINativeMethod){(char *)native->name, (char *)native->signature, native->hook};
        ids[i] = (*env)->GetMethodID(env, class, native->name, native->signature);
        if (!ids[i]) {
            (*env)->DeleteGlobalRef(env, global);
            return PM_ERROR_IO;
        }
        atomic_store(&pm_hooked[hook].next, pm_hooked[hook].original);
        chain_present(hook, ids[i]);
    }
    int error = pm_hooks_register(env, class, methods, n);
    if (error) {
        (*env)->DeleteGlobalRef(env, global);
        return error;
    }
    for (int i = 0; i < n; i++) {
        natives[(int)first + i].method = ids[i];
        natives[(int)first + i].class = global;
    }
    if (has_event)
        (*pm_host.jvmti)
            ->SetEventNotificationMode(pm_host.jvmti, JVMTI_ENABLE, JVMTI_EVENT_NATIVE_METHOD_BIND,
                                       NULL);
    return 0;
}

static _Thread_local bool learning;
static jint(JNICALL *register_natives_of_jvm)(JNIEnv *, jclass, const JNINativeMethod *, jint);

/* Our RegisterNatives while Unsafe registers its natives for us: looks at the table and binds
 * nothing, as all is bound already. Other threads get the JVM's. */
static jint JNICALL learn_natives(JNIEnv *env, jclass class, const JNINativeMethod *methods, jint n)
{
    if (!learning)
        return register_natives_of_jvm(env, class, methods, n);
    for (jint i = 0; i < n; i++) {
        for (int hook = PM_HOOK_PARK; hook <= PM_HOOK_UNPARK; hook++)
            if (strcmp(methods[i].name, natives[hook].name) == 0 &&
                strcmp(methods[i].signature, natives[hook].signature) == 0)
                pm_hooked[hook].original = methods[i].fnPtr;
    }
    return JNI_OK;
}

/* Where nobody hooked them before us, what is bound to them is the JVM's own. */
static bool read_originals(JNIEnv *env, jclass unsafe)
{
    bool found = define_hooks(env);
    for (int hook = PM_HOOK_PARK; found && hook <= PM_HOOK_UNPARK; hook++) {
        jmethodID method =
            (*env)->GetMethodID(env, unsafe, natives[hook].name, natives[hook].signature);
        void *present = method ? present_of(method) : NULL;
        found = present && is_jvms(present);
        pm_hooked[hook].original = present;
    }
    return found;
}

/* Else Unsafe is made to register its own once more: two safepoints, of microseconds. */
static bool learn_originals(JNIEnv *env, jclass unsafe)
{
    jvmtiEnv *jvmti = pm_host.jvmti;
    jniNativeInterface *functions = NULL;
    jmethodID method = (*env)->GetStaticMethodID(env, unsafe, "registerNatives", "()V");
    if (!method || (*jvmti)->GetJNIFunctionTable(jvmti, &functions))
        return false;
    register_natives_of_jvm = functions->RegisterNatives;
    functions->RegisterNatives = learn_natives;
    learning = true;
    if ((*jvmti)->SetJNIFunctionTable(jvmti, functions) == 0) {
        (*env)->CallStaticVoidMethod(env, unsafe, method);
        functions->RegisterNatives = register_natives_of_jvm;
        (*jvmti)->SetJNIFunctionTable(jvmti, functions);
    }
    learning = false;
    pm_host_free(functions);
    return !(*env)->ExceptionCheck(env) && pm_hooked[PM_HOOK_PARK].original &&
           pm_hooked[PM_HOOK_UNPARK].original;
}

int pm_hooks_install_parks(JNIEnv *env, void *park, void *unpark, const char **ret_text)
{
    natives[PM_HOOK_PARK].hook = park;
    natives[PM_HOOK_UNPARK].hook = unpark;
    int error = PM_ERROR_IO;
    *ret_text = "another recorder is already loaded in this JVM";
    if (is_another_here(env))
        return error;
    *ret_text = "jdk.internal.misc.Unsafe was not found";
    jclass unsafe = pm_host_find_class(env, "jdk/internal/misc/Unsafe");
    if (unsafe) {
        *ret_text = "the natives of Unsafe cannot be determined";
        if (read_originals(env, unsafe) || learn_originals(env, unsafe)) {
            *ret_text = "the natives of Unsafe cannot be registered";
            error = install(env, unsafe, PM_HOOK_PARK, 2);
        }
    }
    clear_exception(env);
    (*env)->DeleteLocalRef(env, unsafe);
    return error;
}

/* Natives of a class, `n` from `first` on, which the JVM's library calls so. */
static int install_known(JNIEnv *env, const char *class_name, enum pm_hook first, int n,
                         const char *const *symbols)
{
    void *library = dlopen("libjvm.so", RTLD_NOW | RTLD_NOLOAD);
    bool known = library && !natives[first].class;
    for (int i = 0; known && i < n; i++) {
        pm_hooked[(int)first + i].original = dlsym(library, symbols[i]);
        known = pm_hooked[(int)first + i].original != NULL;
    }
    if (library)
        dlclose(library);
    jclass class = known ? pm_host_find_class(env, class_name) : NULL;
    int error = class ? install(env, class, first, n) : PM_ERROR_IO;
    clear_exception(env);
    (*env)->DeleteLocalRef(env, class);
    return error;
}

int pm_hooks_install_wait(JNIEnv *env, void *wait)
{
    static const char *const symbols[] = {"JVM_MonitorWait"};
    natives[PM_HOOK_WAIT].hook = wait;
    natives[PM_HOOK_WAIT].name = pm_host.version < WAIT0_SINCE ? "wait" : "wait0";
    return install_known(env, "java/lang/Object", PM_HOOK_WAIT, 1, symbols);
}

int pm_hooks_install_notifies(JNIEnv *env, void *notify, void *notify_all)
{
    static const char *const symbols[] = {"JVM_MonitorNotify", "JVM_MonitorNotifyAll"};
    natives[PM_HOOK_NOTIFY].hook = notify;
    natives[PM_HOOK_NOTIFY_ALL].hook = notify_all;
    return install_known(env, "java/lang/Object", PM_HOOK_NOTIFY, 2, symbols);
}

int pm_hooks_install_gc(JNIEnv *env, void *gc)
{
    static const char *const symbols[] = {"JVM_GC"};
    natives[PM_HOOK_GC].hook = gc;
    return install_known(env, "java/lang/Runtime", PM_HOOK_GC, 1, symbols);
}

void pm_hooks_repair(JNIEnv *env)
{
    static struct pm_allowance repairs;
    JNINativeMethod methods[2];
    if (!pm_hooks_in_place() || !pm_allowance_take(&repairs, pm_clock_now()))
        return;
    for (int i = 0; i < 2; i++) {
        struct native *native = &natives[PM_HOOK_PARK + i];
        methods[i] =
            (JNINativeMethod){(char *)native->name, (char *)native->signature, native->hook};
        chain_present((enum pm_hook)(PM_HOOK_PARK + i), native->method);
    }
    pm_hooks_register(env, natives[PM_HOOK_PARK].class, methods, 2);
    clear_exception(env);
}
