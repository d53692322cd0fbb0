#include "recorder/agent/hotspot/host.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recorder/agent/base/text.h"

struct pm_host pm_host;

static jclass find_class(JNIEnv *env, const char *name)
{
    jclass class = (*env)->FindClass(env, name);
    if (!class) {
        (*env)->ExceptionClear(env);
        return NULL;
    }
    jclass global = (*env)->NewGlobalRef(env, class);
    (*env)->DeleteLocalRef(env, class);
    return global;
}

static jfieldID find_field(JNIEnv *env, jclass class, const char *name, const char *signature)
{
    jfieldID field = class ? (*env)->GetFieldID(env, class, name, signature) : NULL;
    if (!field)
        (*env)->ExceptionClear(env);
    return field;
}

bool pm_host_prepare(JNIEnv *env)
{
#define LOCKS "java/util/concurrent/locks/"
    static const char *const conditions[2][2] = {
        {LOCKS "AbstractQueuedSynchronizer$ConditionObject",
         "L" LOCKS "AbstractQueuedSynchronizer;"},
        {LOCKS "AbstractQueuedLongSynchronizer$ConditionObject",
         "L" LOCKS "AbstractQueuedLongSynchronizer;"},
    };
    jclass thread = find_class(env, "java/lang/Thread");
    pm_host.thread = thread;
    pm_host.thread_tid = find_field(env, thread, "tid", "J");
    pm_host.thread_park_blocker = find_field(env, thread, "parkBlocker", "Ljava/lang/Object;");
    pm_host.thread_interrupted = find_field(env, thread, "interrupted", "Z");
    pm_host.ownable = find_class(env, LOCKS "AbstractOwnableSynchronizer");
    pm_host.ownable_owner =
        find_field(env, pm_host.ownable, "exclusiveOwnerThread", "Ljava/lang/Thread;");
    pm_host.aqs = find_class(env, LOCKS "AbstractQueuedSynchronizer");
    pm_host.aqs_state = find_field(env, pm_host.aqs, "state", "I");
    for (int i = 0; i < 2; i++) {
        pm_host.condition[i] = find_class(env, conditions[i][0]);
        pm_host.condition_outer[i] =
            find_field(env, pm_host.condition[i], "this$0", conditions[i][1]);
    }
#undef LOCKS
    char *version = pm_host_property("java.vm.specification.version");
    pm_host.version = version ? atoi(version) : 0;
    pm_host_free(version);
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
    pm_host_expect_references(env, *ret_n);
    return true;
}

void pm_host_expect_references(JNIEnv *env, jint n)
{
    if ((*env)->EnsureLocalCapacity(env, n + 16))
        (*env)->ExceptionClear(env);
}

void pm_host_free(void *memory)
{
    if (memory)
        (*pm_host.jvmti)->Deallocate(pm_host.jvmti, memory);
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
    if (write(STDERR_FILENO, line, used) < 0)
        return; /* nobody listens */
}

int pm_host_attach(const char *name)
{
    JNIEnv *env;
    JavaVMAttachArgs arguments = {.version = JNI_VERSION_1_8, .name = (char *)name};
    return (*pm_host.vm)->AttachCurrentThreadAsDaemon(pm_host.vm, (void **)&env, &arguments);
}

void pm_host_detach(void)
{
    (*pm_host.vm)->DetachCurrentThread(pm_host.vm);
}
