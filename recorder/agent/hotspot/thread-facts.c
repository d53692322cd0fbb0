#include "recorder/agent/hotspot/thread-facts.h"

#include "recorder/agent/hotspot/field.h"
#include "recorder/agent/hotspot/vm-thread.h"

#define HOLDER       "java/lang/Thread$FieldHolder"
#define HOLDER_SINCE 19

static jfieldID name_of;

/* What Thread keeps in an object of its own; before JDK 19, without one. NULL: JVMTI is asked. */
static jfieldID holder, status, daemon;

static jfieldID find(JNIEnv *env, jclass class, const char *name, const char *signature)
{
    jfieldID field = class ? (*env)->GetFieldID(env, class, name, signature) : NULL;
    if ((*env)->ExceptionCheck(env))
        (*env)->ExceptionClear(env);
    return field ? pm_host_read_in_silence(field) : NULL;
}

void pm_thread_facts_prepare(JNIEnv *env)
{
    name_of = find(env, pm_host.thread, "name", "Ljava/lang/String;");
    if (pm_host.version < HOLDER_SINCE) {
        daemon = find(env, pm_host.thread, "daemon", "Z");
        return;
    }
    jclass class = pm_host_find_class(env, HOLDER);
    status = find(env, class, "threadStatus", "I");
    daemon = find(env, class, "daemon", "Z");
    if (status && daemon)
        holder = find(env, pm_host.thread, "holder", "L" HOLDER ";");
    (*env)->DeleteLocalRef(env, class);
}

static jobject holder_of(JNIEnv *env, jthread thread)
{
    return holder ? pm_field_object(env, thread, holder) : NULL;
}

/* JVMTI tells other things of who carries a virtual thread than its fields do. */
bool pm_thread_facts_state(JNIEnv *env, jthread thread, jint *ret_state)
{
    const int64_t tid = pm_field_long(env, thread, pm_host.thread_tid);
    jobject facts = pm_vm_thread_may_carry(env, thread, tid) ? NULL : holder_of(env, thread);
    if (!facts)
        return (*pm_host.jvmti)->GetThreadState(pm_host.jvmti, thread, ret_state) == 0;
    *ret_state = pm_field_int(env, facts, status);
    (*env)->DeleteLocalRef(env, facts);
    return true;
}

bool pm_thread_facts_name(JNIEnv *env, jthread thread, char ret_name[PM_THREAD_FACTS_NAME])
{
    const jsize most = PM_THREAD_FACTS_NAME / 3;
    jstring name = name_of ? pm_field_object(env, thread, name_of) : NULL;
    if (!name)
        return false;
    const jsize length = (*env)->GetStringLength(env, name);
    (*env)->GetStringUTFRegion(env, name, 0, length < most ? length : most, ret_name);
    (*env)->DeleteLocalRef(env, name);
    return true;
}

bool pm_thread_facts_is_daemon(JNIEnv *env, jthread thread)
{
    jobject facts = holder_of(env, thread);
    jvmtiThreadInfo info = {0};
    if (facts) {
        const bool is = pm_field_boolean(env, facts, daemon);
        (*env)->DeleteLocalRef(env, facts);
        return is;
    }
    if (daemon && pm_host.version < HOLDER_SINCE)
        return pm_field_boolean(env, thread, daemon);
    if ((*pm_host.jvmti)->GetThreadInfo(pm_host.jvmti, thread, &info))
        return false;
    pm_host_free(info.name);
    (*env)->DeleteLocalRef(env, info.thread_group);
    (*env)->DeleteLocalRef(env, info.context_class_loader);
    return info.is_daemon;
}
