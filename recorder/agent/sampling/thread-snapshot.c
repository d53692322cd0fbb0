#include "recorder/agent/sampling/thread-snapshot.h"

#include <dlfcn.h>
#include <stdatomic.h>

#include "format/error.h"
#include "recorder/agent/base/clock.h"
#include "recorder/agent/hotspot/field.h"
#include "recorder/agent/hotspot/vmstructs.h"

/* ThreadSnapshot.OwnedLockType.LOCKED; the other one names the class of an object that the compiler
 * has done without. */
#define LOCKED 0

/* What one leaves on the heap, and how much of that one second may leave: one part of the heap in
 * so many, and no more than so much, which adds up while there are none. */
#define BYTES           600
#define BYTES_PER_FRAME 100
#define HEAP_SHARE      1024
#define MOST_PER_S      (512 << 10)
#define SAVED_S         16
/* None where that may cost a collection: of the heap, one part in so many must be left. */
#define LEFT_SHARE 8

enum { BLOCKER, LOCKS, TRACE, LOCK_TYPE, LOCK_OBJECT, N_FIELDS };

static const enum pm_jdk_part parts[N_FIELDS] = {PM_JDK_SNAPSHOT_BLOCKER, PM_JDK_SNAPSHOT_LOCKS,
                                                 PM_JDK_SNAPSHOT_TRACE, PM_JDK_LOCK_TYPE,
                                                 PM_JDK_LOCK_OBJECT};

static struct {
    _Atomic int known; /* see pm_host_knows */
    jfieldID field[N_FIELDS];
} layout;

/* Of libjvm.so; whoever comes finds the same. */
static struct {
    _Atomic int offered; /* 0 not known yet, 1 yes, -1 no */
    jobject(JNICALL *create)(JNIEnv *env, jobject thread);
    jlong(JNICALL *max_memory)(void), (JNICALL * total_memory)(void), (JNICALL * free_memory)(void);
} jvm;

static bool find_functions(void)
{
    bool is_never_collected = false;
    void *library = dlopen("libjvm.so", RTLD_NOW | RTLD_NOLOAD);
    if (!library)
        return false;
    if (pm_jdk_expects(PM_JDK_SNAPSHOT_BLOCKER, pm_host.version)) {
        *(void **)&jvm.create = dlsym(library, "JVM_CreateThreadSnapshot");
        *(void **)&jvm.max_memory = dlsym(library, "JVM_MaxMemory");
        *(void **)&jvm.total_memory = dlsym(library, "JVM_TotalMemory");
        *(void **)&jvm.free_memory = dlsym(library, "JVM_FreeMemory");
        pm_vmstruct_switch("UseEpsilonGC", &is_never_collected);
    }
    dlclose(library);
    return jvm.create && jvm.max_memory && jvm.total_memory && jvm.free_memory &&
           !is_never_collected;
}

bool pm_thread_snapshot_offered(void)
{
    if (!jvm.offered)
        jvm.offered = find_functions() ? 1 : -1;
    return jvm.offered > 0;
}

static bool look_up(JNIEnv *env, jobject unused)
{
    for (int i = 0; i < N_FIELDS; i++) {
        jclass class = pm_host_find_class(env, pm_jdk_row(parts[i])->class);
        layout.field[i] = pm_host_field(env, class, parts[i]);
        (*env)->DeleteLocalRef(env, class);
        if (!layout.field[i])
            return false;
    }
    return true;
}

/* Up to when those so far are paid for. */
static _Atomic int64_t paid_ns;

static bool is_affordable(void)
{
    const jlong most = jvm.max_memory(), left = most - jvm.total_memory() + jvm.free_memory();
    return left >= most / LEFT_SHARE && paid_ns - pm_clock_now() < SAVED_S * INT64_C(1000000000);
}

static void pay_for(jsize n_frames)
{
    int64_t per_s = jvm.max_memory() / HEAP_SHARE, now_ns = pm_clock_now(), paid = paid_ns, from;
    per_s = per_s < MOST_PER_S ? per_s : MOST_PER_S;
    const int64_t price_ns = (BYTES + BYTES_PER_FRAME * n_frames) * INT64_C(1000000000) / per_s;
    do
        from = paid > now_ns ? paid : now_ns;
    while (!atomic_compare_exchange_weak(&paid_ns, &paid, from + price_ns));
}

/* A local reference; NULL: the thread has ended, there is no memory, or it has to wait. */
static jobject snapshot_of(JNIEnv *env, jthread thread)
{
    if (!pm_thread_snapshot_offered() || !is_affordable() ||
        !pm_host_knows(env, &layout.known, look_up, NULL))
        return NULL;
    jobject snapshot = jvm.create(env, thread);
    if ((*env)->ExceptionCheck(env))
        (*env)->ExceptionClear(env);
    jobject trace = snapshot ? pm_field_object(env, snapshot, layout.field[TRACE]) : NULL;
    pay_for(trace ? (*env)->GetArrayLength(env, trace) : 0);
    (*env)->DeleteLocalRef(env, trace);
    return snapshot;
}

jobject pm_thread_snapshot_monitor(JNIEnv *env, jthread thread)
{
    jobject snapshot = snapshot_of(env, thread);
    jobject object = snapshot ? pm_field_object(env, snapshot, layout.field[BLOCKER]) : NULL;
    (*env)->DeleteLocalRef(env, snapshot);
    return object;
}

/* Of what it holds: Object.wait counts as holding there, which the caller rules out. */
static bool lists(JNIEnv *env, jobjectArray locks, jobject object)
{
    jsize n = locks ? (*env)->GetArrayLength(env, locks) : 0;
    bool is_it = false;
    for (jsize i = 0; i < n && !is_it; i++) {
        jobject lock = (*env)->GetObjectArrayElement(env, locks, i);
        jobject held = lock ? pm_field_object(env, lock, layout.field[LOCK_OBJECT]) : NULL;
        is_it = held && (*env)->IsSameObject(env, held, object) &&
                pm_field_int(env, lock, layout.field[LOCK_TYPE]) == LOCKED;
        (*env)->DeleteLocalRef(env, held);
        (*env)->DeleteLocalRef(env, lock);
    }
    return is_it;
}

int pm_thread_snapshot_holds(JNIEnv *env, jthread thread, jobject object, bool *ret_holds)
{
    jobject snapshot = snapshot_of(env, thread);
    if (!snapshot)
        return PM_ERROR_LIMIT;
    jobject blocker = pm_field_object(env, snapshot, layout.field[BLOCKER]);
    jobject locks = pm_field_object(env, snapshot, layout.field[LOCKS]);
    *ret_holds = !(*env)->IsSameObject(env, blocker, object) && lists(env, locks, object);
    (*env)->DeleteLocalRef(env, locks);
    (*env)->DeleteLocalRef(env, blocker);
    (*env)->DeleteLocalRef(env, snapshot);
    return 0;
}
