#include "recorder/agent/sampling/sample.h"

#include "format/error.h"
#include "recorder/agent/base/clock.h"
#include "recorder/agent/base/self-metrics.h"
#include "recorder/agent/hooks/current-thread.h"
#include "recorder/agent/hooks/identity.h"
#include "recorder/agent/hooks/resolve.h"
#include "recorder/agent/hooks/walk.h"
#include "recorder/agent/hotspot/field.h"
#include "recorder/agent/hotspot/host.h"
#include "recorder/agent/hotspot/monitor-owner.h"
#include "recorder/agent/hotspot/vthread-list.h"
#include "recorder/agent/sampling/class-init.h"
#include "recorder/agent/sampling/thread-snapshot.h"
#include "recorder/agent/tables/thread.h"
#include "recorder/agent/waits/slot.h"

/* -- platform threads -- */

#define N_MET 256

/* Those that were looked at last, by Thread.tid: to look through all threads takes a millisecond
 * for some thousands. Of the sampler. */
static struct met {
    int64_t tid;
    jweak thread;
} met[N_MET];

static void keep_met(JNIEnv *env, struct met *place, int64_t tid, jthread thread)
{
    if (place->thread)
        (*env)->DeleteWeakGlobalRef(env, place->thread);
    *place = (struct met){tid, (*env)->NewWeakGlobalRef(env, thread)};
    if ((*env)->ExceptionCheck(env))
        (*env)->ExceptionClear(env); /* OutOfMemoryError, of our own asking */
}

/* The platform thread with this Thread.tid, as a local reference. */
static int find_platform(JNIEnv *env, int64_t tid, jthread *ret_thread)
{
    jint n = 0;
    jthread *threads = NULL;
    struct met *place = &met[(uint64_t)tid % N_MET];
    jthread found =
        place->thread && place->tid == tid ? (*env)->NewLocalRef(env, place->thread) : NULL;
    if (found) {
        *ret_thread = found;
        return 0;
    }
    if (!pm_host_threads(env, &threads, &n))
        return PM_ERROR_IO;
    for (jint i = 0; i < n; i++)
        if (!found && pm_field_long(env, threads[i], pm_host.thread_tid) == tid)
            found = threads[i];
        else
            (*env)->DeleteLocalRef(env, threads[i]);
    pm_host_free(threads);
    if (!found)
        return PM_ERROR_ARGUMENT;
    keep_met(env, place, tid, found);
    *ret_thread = found;
    return 0;
}

/* -- virtual threads -- */

#define MAX_LOOKED_AT 100000 /* threads, of those that the JDK lists, for one sample */
#define MAX_SNAPSHOTS 10000  /* of them */
#define FORKLESS      8   /* searches, in one of which forks are looked for, if there were none */
#define SEARCH_SHARE  200 /* of a processor, one part in so many may go into such searches */
/* A search goes on for so long and then pauses: in one piece it would use up what a container may
 * use of the processors in several periods, and the program would stand still meanwhile. */
#define SLICE_NS 1000000
#define PAUSE_NS 49000000

struct search {
    jobject held;         /* by the one that is looked for, its monitor; NULL: */
    pm_blocker_id wanted; /* that object's, and … */
    int64_t waiter; /* … who waits for it, by Thread.tid: once it has it, whoever held it has not */
    jlong tid;      /* of the one that is looked for; 0: */
    jthread carrier; /* the one that is mounted on this thread; NULL: */
    uint64_t random; /* any that has begun and is in no recorded wait: not 0 */
    uint32_t n_met;
    jthread found;
    int left;
    int64_t pause_at_ns;
    bool given_up;
};

static bool (*pause_for)(int64_t ns);

void pm_sample_on_pause(bool (*pause)(int64_t ns))
{
    pause_for = pause;
}

/* Keeps the nth that is met in one of n cases. */
static void meet(struct search *search, JNIEnv *env, jthread thread)
{
    const jlong tid = pm_field_long(env, thread, pm_host.thread_tid);
    if (pm_vthread_slot_find(tid) || pm_slot_find(tid) || !pm_vthread_list_has_begun(env, thread))
        return;
    search->random = search->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    if ((search->random >> 33) % ++search->n_met != 0)
        return;
    (*env)->DeleteLocalRef(env, search->found);
    search->found = (*env)->NewLocalRef(env, thread);
}

/* The wait that the thread is recorded to be in; false: none. */
static bool find_wait(int64_t tid, struct pm_slot_view *ret_view)
{
    const struct pm_vthread_slot *vslot = pm_vthread_slot_find(tid);
    const struct pm_slot *slot = vslot ? pm_vthread_slot_slot(vslot) : pm_slot_find(tid);
    return slot && pm_slot_look(slot, ret_view) && ret_view->state == PM_SLOT_PARKED;
}

/* Is the thread in a wait to enter that monitor? */
static bool wants(int64_t tid, pm_blocker_id blocker)
{
    struct pm_slot_view view;
    return find_wait(tid, &view) && view.wait.kind == PM_KIND_ENTER &&
           view.wait.blocker.n == blocker.n;
}

/* False: the search is to be given up. */
static bool pause_if_due(void *context)
{
    struct search *search = context;
    if (search->given_up || pm_clock_now() < search->pause_at_ns)
        return !search->given_up;
    search->given_up =
        !pause_for(PAUSE_NS) || (search->held && !wants(search->waiter, search->wanted));
    search->pause_at_ns = pm_clock_now() + SLICE_NS;
    return !search->given_up;
}

static bool look_at(void *context, JNIEnv *env, jthread thread)
{
    struct search *search = context;
    bool is_it = false;
    if (!pause_if_due(search))
        return false;
    if (search->held) {
        if (!pm_vthread_list_waits_unmounted(env, thread) ||
            wants(pm_field_long(env, thread, pm_host.thread_tid), search->wanted))
            return true;
        if (pm_thread_snapshot_holds(env, thread, search->held, &is_it))
            return false;
    } else if (search->random) {
        meet(search, env, thread);
        return --search->left > 0;
    } else if (search->tid) {
        is_it = pm_field_long(env, thread, pm_host.thread_tid) == search->tid;
    } else {
        jthread carrier = pm_current_thread_carrier_of(env, thread);
        is_it = carrier && (*env)->IsSameObject(env, carrier, search->carrier);
        (*env)->DeleteLocalRef(env, carrier);
    }
    search->found = is_it ? (*env)->NewLocalRef(env, thread) : NULL;
    return !search->found && --search->left > 0;
}

/* As a local reference; NULL: there is none, it was not found among many, or the search before took
 * so long that this one has to wait. */
static jthread find_virtual(JNIEnv *env, struct search *search)
{
    static int64_t next_ns; /* the sampler's own, as the next */
    static bool had_forks;
    static uint32_t n_searches;
    const int64_t now_ns = pm_clock_now(), used_ns = pm_clock_processor();
    if (now_ns < next_ns)
        return NULL;
    next_ns = INT64_MAX; /* no other one in its pauses */
    search->left = search->held ? MAX_SNAPSHOTS : MAX_LOOKED_AT;
    search->pause_at_ns = now_ns + SLICE_NS;
    /* It stops nobody: that it is kept from a processor meanwhile costs nothing. */
    pm_vthread_list_visit(env, look_at, search);
    const bool wants_more = !search->held && !search->given_up && search->left > 0 &&
                            (search->random || !search->found);
    if (wants_more && (had_forks || ++n_searches % FORKLESS == 1))
        had_forks = pm_vthread_list_visit_forks(env, look_at, pause_if_due, search) &&
                    (had_forks || !search->given_up);
    next_ns = pm_clock_now() + (pm_clock_processor() - used_ns) * SEARCH_SHARE;
    return search->found;
}

/* -- who holds monitors -- */

#define N_HOLDERS 16

/* Virtual threads that were found to hold a monitor: they are asked before all others. Of the
 * sampler. */
static struct holder {
    pm_blocker_id blocker;
    jweak thread;
    jlong tid;
} holders[N_HOLDERS];

static struct holder *holder_of(pm_blocker_id blocker)
{
    return &holders[blocker.n % N_HOLDERS];
}

/* As a local reference; NULL: none of those. */
static jthread known_holder(JNIEnv *env, jlong tid)
{
    for (int i = 0; i < N_HOLDERS; i++)
        if (holders[i].thread && holders[i].tid == tid)
            return (*env)->NewLocalRef(env, holders[i].thread);
    return NULL;
}

static void keep_holder(JNIEnv *env, pm_blocker_id blocker, jthread thread)
{
    struct holder *holder = holder_of(blocker);
    const jlong tid = pm_field_long(env, thread, pm_host.thread_tid);
    if (holder->thread)
        (*env)->DeleteWeakGlobalRef(env, holder->thread);
    *holder = (struct holder){
        .blocker = blocker, .thread = (*env)->NewWeakGlobalRef(env, thread), .tid = tid};
    if ((*env)->ExceptionCheck(env))
        (*env)->ExceptionClear(env); /* OutOfMemoryError, of our own asking */
}

/* The unmounted virtual thread that holds the monitor of the blocker, `object`, as a local
 * reference; NULL: unknown. `*ret_passed`: it is no longer the one that was found before. */
static jthread find_holder(JNIEnv *env, pm_blocker_id blocker, jobject object, int64_t waiter,
                           bool *ret_passed)
{
    struct holder *holder = holder_of(blocker);
    jthread thread = holder->blocker.n == blocker.n && holder->thread
                         ? (*env)->NewLocalRef(env, holder->thread)
                         : NULL;
    bool holds = false;
    int error = thread && pm_vthread_list_waits_unmounted(env, thread)
                    ? pm_thread_snapshot_holds(env, thread, object, &holds)
                    : 0;
    if (holds)
        return thread;
    *ret_passed = thread && !error;
    (*env)->DeleteLocalRef(env, thread);
    if (error)
        return NULL;
    struct search search = {.held = object, .wanted = blocker, .waiter = waiter};
    thread = pm_thread_snapshot_offered() ? find_virtual(env, &search) : NULL;
    if (thread)
        keep_holder(env, blocker, thread);
    return thread;
}

static bool is_carrier(JNIEnv *env, jthread thread, int64_t tid)
{
    const struct pm_slot *slot = pm_slot_find(tid);
    return (slot && pm_slot_is_carrier(slot)) || pm_current_thread_is_jdks_carrier(env, thread);
}

static JNIEnv *attached(void)
{
    JNIEnv *env = NULL;
    return (*pm_host.vm)->GetEnv(pm_host.vm, (void **)&env, JNI_VERSION_1_8) ? NULL : env;
}

/* The thread with this id, or some virtual one, if that is 0, with its id; in place of a carrier
 * what it runs, whose id is then `*id`. `*used_ns`: of a processor, for what is not limited by
 * itself. */
static int find_thread(JNIEnv *env, pm_thread_id *id, jthread *ret_thread, int64_t *used_ns)
{
    struct pm_thread_row row;
    if (id->n == 0) {
        struct search any = {.random = (uint64_t)pm_clock_now() | 1};
        *ret_thread = find_virtual(env, &any);
        if (!*ret_thread)
            return PM_ERROR_ARGUMENT;
        const jlong tid = pm_field_long(env, *ret_thread, pm_host.thread_tid);
        *id = pm_resolve_thread(env, *ret_thread, tid, 0);
        return 0;
    }
    if (!pm_thread_get(*id, &row) || row.end_ns)
        return PM_ERROR_ARGUMENT;
    if (row.is_virtual) {
        *ret_thread = known_holder(env, row.tid);
        if (!*ret_thread)
            *ret_thread = find_virtual(env, &(struct search){.tid = row.tid});
        return *ret_thread ? 0 : PM_ERROR_ARGUMENT;
    }
    *used_ns -= pm_clock_processor();
    int error = find_platform(env, row.tid, ret_thread);
    *used_ns += pm_clock_processor();
    if (error || !is_carrier(env, *ret_thread, row.tid))
        return error;
    jthread mounted = find_virtual(env, &(struct search){.carrier = *ret_thread});
    if (mounted) {
        (*env)->DeleteLocalRef(env, *ret_thread);
        *ret_thread = mounted;
        *id = pm_resolve_thread(env, mounted, pm_field_long(env, mounted, pm_host.thread_tid), 0);
    }
    return 0;
}

int pm_sample_thread(pm_thread_id *id, pm_chain_id *ret_chain, uint8_t *ret_owner_state,
                     struct pm_sample_cost *ret_cost)
{
    JNIEnv *env = attached();
    if (!env)
        return PM_ERROR_IO;
    jthread thread = NULL;
    int error = find_thread(env, id, &thread, &ret_cost->processor_ns);
    if (error)
        return error;
    /* With very many threads the JVM may take longer for its state than for its stack. */
    const int64_t used_ns = pm_clock_processor();
    jint state = 0;
    const jint waits = JVMTI_THREAD_STATE_WAITING | JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER |
                       JVMTI_THREAD_STATE_SLEEPING;
    const jint no_java = waits | JVMTI_THREAD_STATE_IN_NATIVE;
    if ((*pm_host.jvmti)->GetThreadState(pm_host.jvmti, thread, &state)) {
        (*env)->DeleteLocalRef(env, thread);
        return PM_ERROR_IO;
    }
    error = pm_walk_thread(thread, !(state & no_java), ret_chain, &ret_cost->stopped_ns);
    ret_cost->processor_ns += pm_clock_processor() - used_ns;
    if (ret_cost->stopped_ns)
        pm_self_metrics_note_stop(ret_cost->stopped_ns);
    if (!error)
        *ret_owner_state = state & waits                         ? PM_OWNER_WAITING
                           : state & JVMTI_THREAD_STATE_RUNNABLE ? PM_OWNER_RUNNING
                                                                 : PM_OWNER_UNKNOWN;
    (*env)->DeleteLocalRef(env, thread);
    return error;
}

/* The present owner of an AbstractOwnableSynchronizer; NULL: none. `ret_error`: PM_ERROR_ARGUMENT
 * if the blocker is gone. */
static jthread owner_of(JNIEnv *env, pm_blocker_id blocker, int *ret_error)
{
    uint32_t traits = 0;
    jobject object = pm_identity_object(env, blocker, &traits);
    *ret_error = object ? 0 : PM_ERROR_ARGUMENT;
    jthread owner = object && traits & PM_IDENTITY_OWNABLE
                        ? pm_field_object(env, object, pm_host.ownable_owner)
                        : NULL;
    if (object)
        (*env)->DeleteLocalRef(env, object);
    return owner;
}

bool pm_sample_wait_of(pm_thread_id thread, struct pm_raw_wait *ret_wait)
{
    struct pm_thread_row row;
    struct pm_slot_view view;
    if (!pm_thread_get(thread, &row) || !find_wait(row.tid, &view))
        return false;
    *ret_wait = view.wait;
    return true;
}

int pm_sample_owner(pm_blocker_id blocker, pm_thread_id *ret_owner)
{
    JNIEnv *env = attached();
    if (!env)
        return PM_ERROR_IO;
    int error;
    jthread owner = owner_of(env, blocker, &error);
    if (error)
        return error;
    *ret_owner = (pm_thread_id){0};
    if (owner) {
        jlong tid = pm_field_long(env, owner, pm_host.thread_tid);
        *ret_owner = pm_resolve_thread(env, owner, tid, 0);
        (*env)->DeleteLocalRef(env, owner);
    }
    return 0;
}

bool pm_sample_owner_has_ended(pm_blocker_id blocker)
{
    JNIEnv *env = attached();
    int error;
    jint state = 0;
    jthread owner = env ? owner_of(env, blocker, &error) : NULL;
    if (!owner)
        return false;
    if ((*pm_host.jvmti)->GetThreadState(pm_host.jvmti, owner, &state))
        state = 0;
    (*env)->DeleteLocalRef(env, owner);
    return state & JVMTI_THREAD_STATE_TERMINATED;
}

int pm_sample_monitor_owner(pm_blocker_id blocker, pm_thread_id waiter, pm_thread_id *ret_owner)
{
    JNIEnv *env = attached();
    struct pm_thread_row row;
    uint32_t traits = 0;
    int64_t tid;
    bool passed = false;
    jthread holder = NULL;
    if (!env)
        return PM_ERROR_IO;
    if (!pm_thread_get(waiter, &row) || row.end_ns)
        return PM_ERROR_ARGUMENT;
    if (pm_class_init_owner_of(blocker, ret_owner))
        return 0;
    /* What it is about to enter now may be another monitor, whose owner tells nothing of this one.
     */
    struct pm_slot_view view;
    if (find_wait(row.tid, &view) && view.wait.blocker.n != blocker.n)
        return PM_ERROR_ARGUMENT;
    jobject object = pm_identity_object(env, blocker, &traits);
    bool waits = row.is_virtual ? pm_monitor_owner_of_object(object, &tid)
                                : pm_monitor_owner_of_waiter(row.tid, object, false, &tid);
    if (waits && tid == PM_MONITOR_OWNED &&
        (holder = find_holder(env, blocker, object, row.tid, &passed)))
        *ret_owner =
            pm_resolve_thread(env, holder, pm_field_long(env, holder, pm_host.thread_tid), 0);
    (*env)->DeleteLocalRef(env, holder);
    (*env)->DeleteLocalRef(env, object);
    if (!waits)
        return row.is_virtual ? PM_ERROR_LIMIT : PM_ERROR_ARGUMENT;
    if (tid == PM_MONITOR_OWNED)
        return ret_owner->n || passed ? 0 : PM_ERROR_LIMIT;
    *ret_owner = pm_resolve_tid(tid);
    return 0;
}
