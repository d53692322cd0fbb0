#include "recorder/agent/sampling/sample.h"

#include "format/error.h"
#include "recorder/agent/base/self-metrics.h"
#include "recorder/agent/hooks/identity.h"
#include "recorder/agent/hooks/resolve.h"
#include "recorder/agent/hooks/walk.h"
#include "recorder/agent/hotspot/field.h"
#include "recorder/agent/hotspot/host.h"
#include "recorder/agent/hotspot/monitor-owner.h"
#include "recorder/agent/sampling/class-init.h"
#include "recorder/agent/tables/thread.h"

/* The thread with this id, as a local reference. Looks through all of them: at most 20 times a
 * second, on a thread of our own. */
static int find_thread(JNIEnv *env, pm_thread_id id, jthread *ret_thread)
{
    struct pm_thread_row row;
    jint n = 0;
    jthread *threads = NULL, found = NULL;
    if (!pm_thread_get(id, &row) || row.end_ns)
        return PM_ERROR_ARGUMENT;
    if (!pm_host_threads(env, &threads, &n))
        return PM_ERROR_IO;
    for (jint i = 0; i < n; i++)
        if (!found && pm_field_long(env, threads[i], pm_host.thread_tid) == row.tid)
            found = threads[i];
        else
            (*env)->DeleteLocalRef(env, threads[i]);
    pm_host_free(threads);
    if (!found)
        return PM_ERROR_ARGUMENT;
    *ret_thread = found;
    return 0;
}

static JNIEnv *attached(void)
{
    JNIEnv *env = NULL;
    return (*pm_host.vm)->GetEnv(pm_host.vm, (void **)&env, JNI_VERSION_1_8) ? NULL : env;
}

int pm_sample_thread(pm_thread_id id, pm_chain_id *ret_chain, uint8_t *ret_owner_state,
                     int64_t *ret_stopped_ns)
{
    JNIEnv *env = attached();
    if (!env)
        return PM_ERROR_IO;
    jthread thread = NULL;
    int error = find_thread(env, id, &thread);
    if (error)
        return error;
    jint state = 0;
    const jint waits = JVMTI_THREAD_STATE_WAITING | JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER |
                       JVMTI_THREAD_STATE_SLEEPING;
    if ((*pm_host.jvmti)->GetThreadState(pm_host.jvmti, thread, &state)) {
        (*env)->DeleteLocalRef(env, thread);
        return PM_ERROR_IO;
    }
    error = pm_walk_thread(thread, !(state & waits), ret_chain, ret_stopped_ns);
    pm_self_metrics_note_stop(*ret_stopped_ns);
    if (!error)
        *ret_owner_state = state & waits                         ? PM_OWNER_WAITING
                           : state & JVMTI_THREAD_STATE_RUNNABLE ? PM_OWNER_RUNNING
                                                                 : PM_OWNER_UNKNOWN;
    (*env)->DeleteLocalRef(env, thread);
    return error;
}

int pm_sample_owner(pm_blocker_id blocker, pm_thread_id *ret_owner)
{
    JNIEnv *env = attached();
    uint32_t traits = 0;
    if (!env)
        return PM_ERROR_IO;
    jobject object = pm_identity_object(env, blocker, &traits);
    if (!object)
        return PM_ERROR_ARGUMENT;
    pm_thread_id id = {0};
    if (traits & PM_IDENTITY_OWNABLE) {
        jthread owner = pm_field_object(env, object, pm_host.ownable_owner);
        if (owner) {
            id = pm_resolve_thread(env, owner, pm_field_long(env, owner, pm_host.thread_tid), 0);
            (*env)->DeleteLocalRef(env, owner);
        }
    }
    (*env)->DeleteLocalRef(env, object);
    *ret_owner = id;
    return 0;
}

int pm_sample_monitor_owner(pm_blocker_id blocker, pm_thread_id waiter, pm_thread_id *ret_owner)
{
    JNIEnv *env = attached();
    struct pm_thread_row row;
    uint32_t traits = 0;
    int64_t tid;
    if (!env)
        return PM_ERROR_IO;
    if (!pm_thread_get(waiter, &row) || row.end_ns)
        return PM_ERROR_ARGUMENT;
    if (pm_class_init_owner_of(blocker, ret_owner))
        return 0;
    jobject object = pm_identity_object(env, blocker, &traits);
    bool waits = pm_monitor_owner_of_waiter(row.tid, object, false, &tid);
    (*env)->DeleteLocalRef(env, object);
    if (!waits)
        return PM_ERROR_ARGUMENT;
    if (tid == PM_MONITOR_OWNED)
        return PM_ERROR_LIMIT;
    *ret_owner = pm_resolve_tid(tid);
    return 0;
}
