#include "recorder/agent/hooks/vthread-events.h"

#include <stdatomic.h>
#include <string.h>

#include "recorder/agent/hooks/admission.h"
#include "recorder/agent/hooks/vthread.h"
#include "recorder/agent/hotspot/field.h"
#include "recorder/agent/waits/gate.h"
#include "recorder/agent/waits/vthread-slot.h"

/* Between yieldContinuation and LockSupport lie three frames. */
#define LOOK_FRAMES 8

#define POLLER "Lsun/nio/ch/Poller" /* or a class inside it */

static bool is_watched;

/* java.lang.VirtualThread's inside, learnt from the first thread: looking it up earlier would
 * initialise the class, and with it the program's scheduler. */
static struct {
    jfieldID state;   /* I */
    jfieldID timeout; /* J: nanoseconds of a timed park */
    jint parking, timed_parking;
} layout;
static _Atomic int learnt; /* 0 not yet, 1 yes, -1 this JVM's is another */

static jmethodID park_methods[3]; /* LockSupport's that set no blocker */
static _Atomic(jmethodID) poller; /* the method of sun.nio.ch.Poller that parks */

/* On any carrier; several may do so at once, and find the same. */
static bool learn(JNIEnv *env, jthread thread)
{
    jclass class = (*env)->GetObjectClass(env, thread);
    layout.state = pm_host_field(env, class, PM_JDK_VTHREAD_STATE);
    layout.timeout = pm_host_field(env, class, PM_JDK_VTHREAD_TIMEOUT);
    bool found =
        pm_host_constant(env, class, PM_JDK_VTHREAD_PARKING, &layout.parking) &&
        pm_host_constant(env, class, PM_JDK_VTHREAD_TIMED_PARKING, &layout.timed_parking) &&
        layout.state && layout.timeout;
    (*env)->DeleteLocalRef(env, class);
    int before = 0;
    atomic_compare_exchange_strong(&learnt, &before, found ? 1 : -1);
    return found;
}

static bool is_known(JNIEnv *env, jthread thread)
{
    int known = atomic_load_explicit(&learnt, memory_order_acquire);
    return known > 0 || (known == 0 && learn(env, thread));
}

static bool is_poller(JNIEnv *env, jmethodID method)
{
    jclass class = NULL;
    char *signature = NULL;
    if (method == atomic_load_explicit(&poller, memory_order_relaxed))
        return true;
    bool is = (*pm_host.jvmti)->GetMethodDeclaringClass(pm_host.jvmti, method, &class) == 0 &&
              (*pm_host.jvmti)->GetClassSignature(pm_host.jvmti, class, &signature, NULL) == 0 &&
              strncmp(signature, POLLER, strlen(POLLER)) == 0;
    pm_host_free(signature);
    (*env)->DeleteLocalRef(env, class);
    if (is) /* of the boot loader: never unloaded */
        atomic_store_explicit(&poller, method, memory_order_relaxed);
    return is;
}

bool pm_vthread_events_is_wait(JNIEnv *env, jthread thread)
{
    jobject blocker = pm_field_object(env, thread, pm_host.thread_park_blocker);
    if (blocker) {
        (*env)->DeleteLocalRef(env, blocker);
        return true;
    }
    jvmtiFrameInfo frames[LOOK_FRAMES];
    jint n = 0;
    if ((*pm_host.jvmti)->GetStackTrace(pm_host.jvmti, NULL, 0, LOOK_FRAMES, frames, &n))
        return false;
    for (jint i = 0; i + 1 < n; i++) {
        for (int m = 0; m < 3; m++)
            if (park_methods[m] && frames[i].method == park_methods[m])
                return !is_poller(env, frames[i + 1].method);
    }
    return false;
}

static bool is_parking(JNIEnv *env, jthread thread, bool *ret_timed)
{
    jint state = pm_field_int(env, thread, layout.state);
    *ret_timed = state == layout.timed_parking;
    return *ret_timed || state == layout.parking;
}

static void JNICALL on_unmount(jvmtiEnv *jvmti, ...)
{
    va_list arguments;
    va_start(arguments, jvmti);
    JNIEnv *env = va_arg(arguments, JNIEnv *);
    jthread thread = va_arg(arguments, jthread);
    va_end(arguments);

    bool timed;
    struct pm_waiter waiter = {.kind = PM_KIND_PARK, .thread = thread, .is_virtual = true};
    if (!pm_gate_open() || !is_known(env, thread) || !is_parking(env, thread, &timed) ||
        !pm_may_record(env, &waiter))
        return;
    int64_t left_ns = timed ? pm_field_long(env, thread, layout.timeout) : INT64_MAX;
    jobject blocker = pm_field_object(env, thread, pm_host.thread_park_blocker);
    pm_vthread_begin(env, &waiter, blocker, left_ns, 0);
    (*env)->DeleteLocalRef(env, blocker);
}

static void JNICALL on_mount(jvmtiEnv *jvmti, ...)
{
    if (!pm_vthread_slot_any())
        return;
    va_list arguments;
    va_start(arguments, jvmti);
    JNIEnv *env = va_arg(arguments, JNIEnv *);
    jthread thread = va_arg(arguments, jthread);
    va_end(arguments);

    int64_t tid = pm_field_long(env, thread, pm_host.thread_tid);
    struct pm_vthread_slot *vslot = pm_vthread_slot_find(tid);
    if (!vslot || vslot->open.kind != PM_KIND_PARK)
        return;
    bool timed;
    if (is_parking(env, thread, &timed)) { /* still: it could not be unmounted */
        pm_vthread_slot_cancel(vslot);
        return;
    }
    struct pm_current_thread *self = pm_current_thread_get(env);
    struct pm_raw_wait how = {.wake_cause = PM_WAKE_UNKNOWN};
    if (pm_host.thread_interrupted && pm_field_boolean(env, thread, pm_host.thread_interrupted))
        how.wake_cause = PM_WAKE_INTERRUPT;
    else if (pm_vthread_slot_is_late(vslot))
        how.wake_cause = PM_WAKE_TIME_OUT;
    pm_vthread_slot_end(vslot, self ? pm_current_thread_slot(self) : NULL, &how);
}

void pm_vthread_events_watch(JNIEnv *env)
{
    static const char *const names[3][2] = {
        {"park", "()V"}, {"parkNanos", "(J)V"}, {"parkUntil", "(J)V"}};
    if (is_watched || pm_host.version < 19)
        return;
    jclass class = pm_host_find_class(env, "java/util/concurrent/locks/LockSupport");
    for (int i = 0; i < 3; i++) {
        if (class)
            park_methods[i] = (*env)->GetStaticMethodID(env, class, names[i][0], names[i][1]);
        if ((*env)->ExceptionCheck(env))
            (*env)->ExceptionClear(env);
    }
    (*env)->DeleteLocalRef(env, class);
    /* Mounts first: a wait that is seen to begin is seen to end. */
    is_watched = pm_host_await(PM_JDK_MOUNT, on_mount) && pm_host_await(PM_JDK_UNMOUNT, on_unmount);
}

bool pm_vthread_events_are_on(void)
{
    return is_watched;
}
