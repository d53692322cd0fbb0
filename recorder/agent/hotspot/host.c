#include "recorder/agent/hotspot/host.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recorder/agent/base/clock.h"
#include "recorder/agent/base/hot.h"
#include "recorder/agent/base/output.h"
#include "recorder/agent/base/text.h"
#include "recorder/agent/hotspot/vmstructs.h"

#define READER_NS       100000000 /* for whoever reads our stderr */
#define FAILED_ATTACHES 6         /* until that is said */

struct pm_host pm_host PM_HOT_DATA;

void pm_host_lose(enum pm_jdk_part part)
{
    const struct pm_jdk_row *row = pm_jdk_row(part);
    if (pm_jdk_note_missing(part))
        pm_host_say("cannot use %s%s%s; not recorded: %s", row->class, *row->member ? "." : "",
                    row->member, row->lost);
}

static _Atomic bool starved; /* as of the last that was looked up */

bool pm_host_is_starved(void)
{
    return starved;
}

/* Clears the pending exception. Is it an OutOfMemoryError? */
static bool clear_out_of_memory(JNIEnv *env)
{
    jthrowable exception = (*env)->ExceptionOccurred(env);
    char *signature = NULL;
    (*env)->ExceptionClear(env);
    if (!exception)
        return false;
    jclass class = (*env)->GetObjectClass(env, exception);
    bool is = (*pm_host.jvmti)->GetClassSignature(pm_host.jvmti, class, &signature, NULL) == 0 &&
              strcmp(signature, "Ljava/lang/OutOfMemoryError;") == 0;
    pm_host_free(signature);
    (*env)->DeleteLocalRef(env, class);
    (*env)->DeleteLocalRef(env, exception);
    return is;
}

jclass pm_host_find_class(JNIEnv *env, const char *name)
{
    jclass(JNICALL * find)(JNIEnv *, const char *) = NULL;
    void *library = dlopen("libjvm.so", RTLD_NOW | RTLD_NOLOAD);
    if (library) {
        *(void **)&find = dlsym(library, "JVM_FindClassFromBootLoader");
        dlclose(library);
    }
    jclass class = find ? find(env, name) : (*env)->FindClass(env, name);
    if (!class && clear_out_of_memory(env))
        starved = true;
    return class;
}

jfieldID pm_host_read_in_silence(jfieldID field)
{
    const uintptr_t kind = 3, instance = 2, hashed = 1;
    uintptr_t id = (uintptr_t)field;
    return !pm_host.checks_jni && (id & kind) == instance ? (jfieldID)(id | hashed) : field;
}

static jfieldID find_field(JNIEnv *env, jclass class, enum pm_jdk_part part, bool is_static)
{
    const struct pm_jdk_row *row = pm_jdk_row(part);
    jfieldID field = NULL;
    if (!pm_jdk_expects(part, pm_host.version))
        return NULL;
    if (class && !pm_jdk_is_hidden(part))
        field = is_static ? (*env)->GetStaticFieldID(env, class, row->member, row->signature)
                          : (*env)->GetFieldID(env, class, row->member, row->signature);
    if (!field && clear_out_of_memory(env))
        starved = true;
    if (!field && !starved)
        pm_host_lose(part);
    return is_static ? field : pm_host_read_in_silence(field);
}

jfieldID pm_host_field(JNIEnv *env, jclass class, enum pm_jdk_part part)
{
    return find_field(env, class, part, false);
}

jfieldID pm_host_static_field(JNIEnv *env, jclass class, enum pm_jdk_part part)
{
    return find_field(env, class, part, true);
}

jclass pm_host_class(JNIEnv *env, enum pm_jdk_part part)
{
    jclass class = pm_host_find_class(env, pm_jdk_row(part)->class);
    jclass global = class ? (*env)->NewGlobalRef(env, class) : NULL;
    (*env)->DeleteLocalRef(env, class);
    return global;
}

bool pm_host_knows(JNIEnv *env, _Atomic int *known, bool (*look_up)(JNIEnv *env, jobject object),
                   jobject object)
{
    int is = atomic_load_explicit(known, memory_order_acquire);
    if (!is) {
        starved = false;
        is = look_up(env, object) ? 1 : -1;
        if (is < 0 && starved)
            return false; /* it is looked for again */
        atomic_store_explicit(known, is, memory_order_release);
    }
    return is > 0;
}

bool pm_host_constant(JNIEnv *env, jclass class, enum pm_jdk_part part, jint *ret_value)
{
    jfieldID field = find_field(env, class, part, true);
    if (field)
        *ret_value = (*env)->GetStaticIntField(env, class, field);
    return field != NULL;
}

static void find_system_group(JNIEnv *env)
{
    jint n = 0;
    jthreadGroup *groups = NULL;
    if (pm_host.system_group || (*pm_host.jvmti)->GetTopThreadGroups(pm_host.jvmti, &n, &groups))
        return;
    for (jint i = 0; i < n; i++) {
        if (i == 0)
            pm_host.system_group = (*env)->NewGlobalRef(env, groups[i]);
        (*env)->DeleteLocalRef(env, groups[i]);
    }
    pm_host_free(groups);
}

bool pm_host_prepare(JNIEnv *env)
{
    static const struct {
        enum pm_jdk_part part;
        jclass *class; /* looked up for the first of its fields */
        jfieldID *field;
    } lookups[] = {
        {PM_JDK_TID, &pm_host.thread, &pm_host.thread_tid},
        {PM_JDK_PARK_BLOCKER, &pm_host.thread, &pm_host.thread_park_blocker},
        {PM_JDK_INTERRUPTED, &pm_host.thread, &pm_host.thread_interrupted},
        {PM_JDK_OWNER, &pm_host.ownable, &pm_host.ownable_owner},
        {PM_JDK_AQS_STATE, &pm_host.aqs, &pm_host.aqs_state},
        {PM_JDK_LONG_AQS_STATE, &pm_host.long_aqs, &pm_host.long_aqs_state},
        {PM_JDK_STAMPED_STATE, &pm_host.stamped, &pm_host.stamped_state},
        {PM_JDK_CONDITION, &pm_host.condition[0], &pm_host.condition_outer[0]},
        {PM_JDK_LONG_CONDITION, &pm_host.condition[1], &pm_host.condition_outer[1]},
        {PM_JDK_VTHREAD_NAME, &pm_host.virtual_thread, &pm_host.virtual_name},
    };
    char *version = pm_host_property("java.vm.specification.version");
    pm_host.version = version ? atoi(version) : 0;
    pm_host_free(version);
    pm_host.checks_jni = true;
    pm_vmstruct_switch("CheckJNICalls", &pm_host.checks_jni);
    starved = false;
    for (size_t i = 0; i < sizeof lookups / sizeof *lookups; i++) {
        /* None that is not to be there: a debugger would stop at the exception. */
        if (!*lookups[i].class && pm_jdk_expects(lookups[i].part, pm_host.version))
            *lookups[i].class = pm_host_class(env, lookups[i].part);
        *lookups[i].field = pm_host_field(env, *lookups[i].class, lookups[i].part);
        if (starved)
            return false;
    }
    find_system_group(env);
    pm_host.ready = pm_host.thread_tid && pm_host.thread_park_blocker;
    return pm_host.ready;
}

char *pm_host_property(const char *name)
{
    char *value = NULL;
    if ((*pm_host.jvmti)->GetSystemProperty(pm_host.jvmti, name, &value))
        return NULL;
    return value;
}

bool pm_host_threads(JNIEnv *env, jthread **ret_threads, jint *ret_n)
{
    if ((*pm_host.jvmti)->GetAllThreads(pm_host.jvmti, ret_n, ret_threads))
        return false;
    /* So many local references were made that nobody announced: JNI's checks want to know. */
    if ((*env)->EnsureLocalCapacity(env, *ret_n + 16))
        (*env)->ExceptionClear(env);
    return true;
}

void pm_host_free(void *memory)
{
    if (memory)
        (*pm_host.jvmti)->Deallocate(pm_host.jvmti, memory);
}

bool pm_host_await(enum pm_jdk_part part, jvmtiExtensionEvent callback)
{
    if (!pm_jdk_expects(part, pm_host.version))
        return false;
    bool set =
        !pm_jdk_is_hidden(part) && pm_host_await_extension(pm_jdk_row(part)->class, callback);
    if (!set)
        pm_host_lose(part);
    return set;
}

bool pm_host_await_extension(const char *id, jvmtiExtensionEvent callback)
{
    jvmtiEnv *jvmti = pm_host.jvmti;
    jint n = 0;
    bool set = false;
    jvmtiExtensionEventInfo *events = NULL;
    if ((*jvmti)->GetExtensionEvents(jvmti, &n, &events))
        return false;
    for (jint i = 0; i < n; i++) {
        jint index = events[i].extension_event_index;
        if (strcmp(events[i].id, id) == 0)
            set = (*jvmti)->SetExtensionEventCallback(jvmti, index, callback) == 0 &&
                  (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, (jvmtiEvent)index,
                                                     NULL) == 0;
        for (jint p = 0; p < events[i].param_count; p++)
            pm_host_free(events[i].params[p].name);
        pm_host_free(events[i].params);
        pm_host_free(events[i].id);
        pm_host_free(events[i].short_description);
    }
    pm_host_free(events);
    return set;
}

void pm_host_say(const char *format, ...)
{
    char line[1024] = "parkmeter: ";
    size_t used = strlen(line);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line + used, sizeof line - used - 1, format, arguments);
    va_end(arguments);
    /* It may repeat an option or a path: one line, whatever is in them. */
    used = pm_text_plain(line, sizeof line - 1, (struct pm_text){line, (uint32_t)strlen(line)});
    line[used++] = '\n';
    (void)pm_output_write(STDERR_FILENO, line, used, pm_clock_now() + READER_NS);
}

int pm_host_attach(const char *name)
{
    static _Atomic int n_failed;
    JNIEnv *env;
    JavaVMAttachArgs arguments = {.version = JNI_VERSION_1_8, .name = (char *)name};
    /* Of the system's group the program's SecurityManager would be asked, on this thread. */
    arguments.group = pm_host.is_guarded ? NULL : pm_host.system_group;
    int error = (*pm_host.vm)->AttachCurrentThreadAsDaemon(pm_host.vm, (void **)&env, &arguments);
    if (error && arguments.group) {
        arguments.group = NULL;
        error = (*pm_host.vm)->AttachCurrentThreadAsDaemon(pm_host.vm, (void **)&env, &arguments);
    }
    if (error && ++n_failed == FAILED_ATTACHES)
        pm_host_say(
            "a thread of the recorder cannot join this JVM; what it observes is missing until "
            "it can");
    if (!error && n_failed < FAILED_ATTACHES)
        n_failed = 0; /* what fails now and then is not worth the line */
    return error;
}

void pm_host_detach(void)
{
    (*pm_host.vm)->DetachCurrentThread(pm_host.vm);
}
