#include "recorder/agent/sampling/thread-snapshot.h"

#include <dlfcn.h>
#include <stdatomic.h>

#include "recorder/agent/hotspot/field.h"

/* ThreadSnapshot.OwnedLockType.LOCKED; the other one names the class of an object that the compiler
 * has done without. */
#define LOCKED 0

enum { BLOCKER, LOCKS, LOCK_TYPE, LOCK_OBJECT, N_FIELDS };

static const enum pm_jdk_part parts[N_FIELDS] = {PM_JDK_SNAPSHOT_BLOCKER, PM_JDK_SNAPSHOT_LOCKS,
                                                 PM_JDK_LOCK_TYPE, PM_JDK_LOCK_OBJECT};

static struct {
    _Atomic int known; /* see pm_host_knows */
    jobject(JNICALL *create)(JNIEnv *env, jobject thread);
    jfieldID field[N_FIELDS];
} layout;

static void *find_create(void)
{
    void *library = dlopen("libjvm.so", RTLD_NOW | RTLD_NOLOAD), *create = NULL;
    if (!library)
        return NULL;
    if (pm_jdk_expects(PM_JDK_SNAPSHOT_BLOCKER, pm_host.version))
        create = dlsym(library, "JVM_CreateThreadSnapshot");
    dlclose(library);
    return create;
}

bool pm_thread_snapshot_offered(void)
{
    static _Atomic int offered; /* 0 not known yet, 1 yes, -1 no; whoever comes finds the same */
    if (!offered)
        offered = find_create() ? 1 : -1;
    return offered > 0;
}

static bool look_up(JNIEnv *env, jobject unused)
{
    if (!pm_thread_snapshot_offered())
        return false;
    *(void **)&layout.create = find_create();
    for (int i = 0; i < N_FIELDS; i++) {
        jclass class = pm_host_class(env, parts[i]);
        layout.field[i] = pm_host_field(env, class, parts[i]);
        if (!layout.field[i])
            return false;
    }
    return true;
}

/* A local reference; NULL: the thread has ended, or there is no memory. */
static jobject snapshot_of(JNIEnv *env, jthread thread)
{
    jobject snapshot =
        pm_host_knows(env, &layout.known, look_up, NULL) ? layout.create(env, thread) : NULL;
    if ((*env)->ExceptionCheck(env))
        (*env)->ExceptionClear(env);
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

bool pm_thread_snapshot_holds(JNIEnv *env, jthread thread, jobject object)
{
    jobject snapshot = snapshot_of(env, thread);
    if (!snapshot)
        return false;
    jobject blocker = pm_field_object(env, snapshot, layout.field[BLOCKER]);
    jobject locks = pm_field_object(env, snapshot, layout.field[LOCKS]);
    bool holds = !(*env)->IsSameObject(env, blocker, object) && lists(env, locks, object);
    (*env)->DeleteLocalRef(env, locks);
    (*env)->DeleteLocalRef(env, blocker);
    (*env)->DeleteLocalRef(env, snapshot);
    return holds;
}
