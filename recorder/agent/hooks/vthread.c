#include "recorder/agent/hooks/vthread.h"

#include <stdlib.h>
#include <string.h>

#include "recorder/agent/base/clock.h"
#include "recorder/agent/base/hot.h"
#include "recorder/agent/base/self-metrics.h"
#include "recorder/agent/hooks/vthread-events.h"
#include "recorder/agent/hooks/waited-on.h"
#include "recorder/agent/hooks/walk.h"
#include "recorder/agent/hotspot/field.h"
#include "recorder/agent/hotspot/frozen.h"
#include "recorder/agent/hotspot/lock-support.h"
#include "recorder/agent/hotspot/vm-thread.h"
#include "recorder/agent/hotspot/vthread-list.h"
#include "recorder/agent/tables/chain.h"
#include "recorder/agent/waits/epoch.h"
#include "recorder/agent/waits/gate.h"
#include "recorder/agent/waits/refusal.h"
#include "recorder/agent/waits/vthread-slot.h"

/* JVMTI 21's can_support_virtual_threads, a bit that older headers have no name for. */
#define SUPPORT_BIT 44

void pm_vthread_want(void)
{
    unsigned char bits[sizeof(jvmtiCapabilities)] = {0};
    jvmtiCapabilities potential, wanted;
    bits[SUPPORT_BIT / 8] = 1 << SUPPORT_BIT % 8;
    if ((*pm_host.jvmti)->GetPotentialCapabilities(pm_host.jvmti, &potential))
        return;
    if (!(((const unsigned char *)&potential)[SUPPORT_BIT / 8] & bits[SUPPORT_BIT / 8]))
        return;
    memcpy(&wanted, bits, sizeof wanted);
    (*pm_host.jvmti)->AddCapabilities(pm_host.jvmti, &wanted);
}

/* -- a wait -- */

static pm_chain_id walk(const struct pm_waiter *waiter, int64_t frozen)
{
    struct pm_walker *walker = &waiter->self->walker;
    return waiter->is_hooked ? pm_walk_hooked(walker, true, frozen) : pm_walk_current(walker);
}

/* A chain's id is never another's. */
static bool polls(struct pm_current_thread *self, pm_chain_id chain)
{
    bool is_known = chain.n && chain.n == self->poll.n;
    bool it_does = is_known || pm_chain_polls(chain);
    if (it_does)
        self->poll = chain;
    return it_does;
}

struct permit {
    JNIEnv *env;
    jthread thread;
};

static bool has_permit(void *context)
{
    static _Atomic(jfieldID) field;
    const struct permit *permit = context;
    jfieldID known = atomic_load_explicit(&field, memory_order_relaxed);
    if (!known) {
        jclass class = (*permit->env)->GetObjectClass(permit->env, permit->thread);
        known = pm_host_field(permit->env, class, PM_JDK_PARK_PERMIT);
        (*permit->env)->DeleteLocalRef(permit->env, class);
        atomic_store_explicit(&field, known, memory_order_relaxed);
    }
    return known && pm_field_boolean(permit->env, permit->thread, known);
}

struct pm_vthread_slot *pm_vthread_begin(JNIEnv *env, const struct pm_waiter *waiter,
                                         jobject blocker, int64_t left_ns, int64_t frozen)
{
    struct pm_current_thread *self = waiter->self;
    struct pm_slot *here = pm_current_thread_slot(self);
    struct pm_raw_wait wait = {.kind = PM_KIND_PARK,
                               .flags = PM_WAIT_VIRTUAL |
                                        (left_ns < PM_WAIT_FOREVER_NS ? PM_WAIT_TIMED : 0),
                               .thread = waiter->id};
    bool is_known = !blocker; /* its stack trace, before it takes a slot: sockets are many */
    uint32_t hold = is_known ? pm_epoch_enter() : 0;
    if (is_known)
        wait.chain = walk(waiter, frozen);
    if (is_known && polls(self, wait.chain)) {
        pm_epoch_leave(hold);
        pm_refusal_note(PM_REFUSAL_NOT_A_WAIT);
        return NULL;
    }
    struct pm_vthread_slot *vslot = waiter->id.n ? pm_vthread_slot_open(waiter->tid) : NULL;
    if (vslot)
        pm_vthread_slot_enter(vslot, here);
    else if (!is_known)
        hold = pm_epoch_enter();
    if (vslot && waiter->is_hooked)
        pm_vthread_slot_settle(waiter->tid, has_permit, &(struct permit){env, waiter->thread});
    if (!is_known)
        wait.chain = walk(waiter, frozen);
    else if (vslot)
        pm_epoch_leave(hold);
    pm_waited_on_read(env, blocker, waiter->id, &self->recent, &wait);
    if (!vslot) { /* There is no room to know when it began: it counts, without its time. */
        pm_epoch_leave(hold);
        wait.begin_ns = wait.end_ns = pm_clock_now();
        pm_slot_add_unslotted(&wait);
        return NULL;
    }
    pm_vthread_slot_begin(vslot, here, &wait);
    if (!vslot->is_bare &&
        __builtin_add_overflow(vslot->open.begin_ns, left_ns, &vslot->deadline_ns))
        vslot->deadline_ns = INT64_MAX;
    return vslot;
}

/* -- threads that are collected while they wait -- */

/* Nothing but their wait refers to virtual threads that the JDK does not keep track of, so that the
 * JVM may collect them while they are parked: their slot then keeps a weak reference. */
static bool may_collect;

/* In its place while somebody follows it, who deletes it if it was taken meanwhile. */
#define FOLLOWED      ((void *)1)
#define LOOKING_SHARE 20 /* one part of the time in so many goes into looking */

static void keep_thread(JNIEnv *env, struct pm_vthread_slot *vslot, jthread thread)
{
    _Atomic(void *) *kept = vslot && may_collect ? pm_vthread_slot_keep(vslot) : NULL;
    jweak ref = kept ? (*env)->NewWeakGlobalRef(env, thread) : NULL;
    if (kept && !ref && (*env)->ExceptionCheck(env))
        (*env)->ExceptionClear(env); /* OutOfMemoryError, of our own asking */
    if (kept)
        atomic_store(kept, ref); /* there is none: pm_vthread_slot_keep */
}

static void leave_thread(JNIEnv *env, struct pm_vthread_slot *vslot)
{
    _Atomic(void *) *kept = may_collect ? pm_vthread_slot_keep(vslot) : NULL;
    jweak ref = kept ? atomic_exchange(kept, NULL) : NULL;
    if (ref && ref != FOLLOWED)
        (*env)->DeleteWeakGlobalRef(env, ref);
}

static void look_after(void *context, struct pm_vthread_slot *vslot, _Atomic(void *) *kept)
{
    JNIEnv *env = context;
    void *ref = atomic_load(kept), *followed = FOLLOWED;
    if (!ref || !atomic_compare_exchange_strong(kept, &ref, FOLLOWED))
        return;
    bool is_collected = (*env)->IsSameObject(env, ref, NULL);
    bool is_left = !atomic_compare_exchange_strong(kept, &followed, is_collected ? NULL : ref);
    if (is_collected || is_left)
        (*env)->DeleteWeakGlobalRef(env, ref);
    if (is_collected && !is_left)
        pm_vthread_slot_end_collected(vslot);
}

void pm_vthread_look_after(JNIEnv *env)
{
    static int64_t next_ns;
    int64_t begin_ns = pm_clock_now();
    if (!may_collect || begin_ns < next_ns)
        return;
    pm_vthread_slot_visit_kept(look_after, env);
    int64_t end_ns = pm_clock_now();
    next_ns = end_ns + (end_ns - begin_ns) * LOOKING_SHARE;
}

/* -- the natives of ParkmeterParks -- */

static jlong JNICALL begin(JNIEnv *env, jclass class, jobject thread, jlong tid, jboolean is_named,
                           jobject blocker, jlong nanos, jlong frozen)
{
    struct pm_waiter waiter = {.kind = PM_KIND_PARK,
                               .thread = thread,
                               .tid = tid,
                               .is_virtual = true,
                               .is_hooked = true,
                               .is_nameless = !is_named};
    pm_vthread_slot_prefetch_begin(tid);
    if (!pm_may_record(env, &waiter))
        return 0;
    pm_vm_thread_learn_virtual_end(env);
    struct pm_vthread_slot *vslot = pm_vthread_begin(env, &waiter, blocker, nanos, frozen);
    if (vslot)
        vslot->is_named =
            is_named && !vslot->is_bare && pm_current_thread_knows_carried(waiter.self, tid);
    keep_thread(env, vslot, thread);
    return (jlong)(intptr_t)vslot;
}

static void JNICALL end(JNIEnv *env, jclass class, jlong wait, jlong tid, jboolean interrupted)
{
    struct pm_vthread_slot *vslot = (struct pm_vthread_slot *)(intptr_t)wait;
    pm_prefetch_to_write(&vslot->tid);
    if (!pm_vthread_slot_is_of(vslot, tid)) /* closed meanwhile */
        return;
    pm_vthread_slot_prefetch_end(vslot, tid);
    leave_thread(env, vslot);
    struct pm_current_thread *self = pm_current_thread_get(env);
    if (self && vslot->is_named)
        pm_current_thread_keep_carried(self, tid);
    struct pm_raw_wait how = {.wake_cause = PM_WAKE_UNKNOWN};
    if (interrupted)
        how.wake_cause = PM_WAKE_INTERRUPT;
    else if (pm_vthread_slot_is_late(vslot))
        how.wake_cause = PM_WAKE_TIME_OUT;
    pm_vthread_slot_end(vslot, self ? pm_current_thread_slot(self) : NULL, &how);
}

static void JNICALL pass(JNIEnv *env, jclass class, jlong tid)
{
    pm_vthread_slot_pass(tid);
}

struct waker {
    struct pm_current_thread *self;
    JNIEnv *env;
    jthread woken;
    bool is_virtual;
    int64_t frozen;
};

static pm_chain_id wakers_chain(void *context, uint8_t *ret_cause)
{
    const struct waker *waker = context;
    struct pm_current_thread *self = waker->self;
    pm_chain_id chain = pm_walk_hooked(&self->walker, waker->is_virtual, waker->frozen);
    *ret_cause = pm_current_thread_cause(self, chain);
    return chain;
}

static bool is_woken_parked(void *context)
{
    const struct waker *waker = context;
    bool is_timed;
    return pm_vthread_list_is_parked(waker->env, waker->woken, &is_timed);
}

static jlong JNICALL wake(JNIEnv *env, jclass class, jlong tid, jobject woken, jobject thread,
                          jlong waker_tid, jboolean is_named, jlong frozen)
{
    pm_vthread_slot_prefetch_wake(tid);
    struct waker waker = {
        .self = pm_current_thread_get(env), .env = env, .woken = woken, .frozen = frozen};
    if (!waker.self)
        return 0;
    waker.is_virtual = waker_tid != waker.self->walker.tid;
    pm_thread_id id = waker.is_virtual ? pm_current_thread_carried_id(env, waker.self, thread,
                                                                      waker_tid, is_named)
                                       : waker.self->id;
    return (jlong)pm_vthread_slot_wake(tid, id, wakers_chain, is_woken_parked, &waker);
}

static void JNICALL given(JNIEnv *env, jclass class, jlong note)
{
    pm_vthread_slot_given((uint64_t)note);
}

/* Where the words of a chunk begin in it: the chunk ends with them and a bitmap of them, of as many
 * bits a word as references fit in it. A wrong value shows as frames that are not as expected. */
static jlong JNICALL layout(JNIEnv *env, jclass class, jobject chunk, jint size,
                            jint bytes_of_reference)
{
    jlong bytes = 0;
    if (size <= 0 || bytes_of_reference <= 0 ||
        (*pm_host.jvmti)->GetObjectSize(pm_host.jvmti, chunk, &bytes))
        return -1;
    int64_t bits = (int64_t)size * (8 / bytes_of_reference);
    int64_t at = bytes - 8 * (int64_t)size - 8 * ((bits + 63) / 64);
    return at > 0 && at < 256 ? at : -1;
}

static jlong JNICALL scratch(JNIEnv *env, jclass class, jint n)
{
    struct pm_current_thread *self = pm_current_thread_get(env);
    if (!self || n <= 0)
        return 0;
    if (!self->copy) {
        self->copy = malloc((size_t)n * sizeof *self->copy);
        self->n_copy = self->copy ? (size_t)n : 0;
        atomic_fetch_add_explicit(&pm_self_metrics.thread_bytes, self->n_copy * sizeof *self->copy,
                                  memory_order_relaxed);
    }
    return self->n_copy < (size_t)n ? 0 : (jlong)(intptr_t)self->copy;
}

static jlong JNICALL learn(JNIEnv *env, jclass class, jlong key, jlong copy)
{
    const struct pm_current_thread *self = pm_current_thread_peek();
    if (!self || (jlong)(intptr_t)self->copy != copy)
        return PM_FROZEN_UNKNOWN;
    return pm_frozen_learn(key, self->copy, self->n_copy);
}

static const JNINativeMethod natives[] = {
    {(char *)"begin", (char *)"(Ljava/lang/Thread;JZLjava/lang/Object;JJ)J", (void *)begin},
    {(char *)"end", (char *)"(JJZ)V", (void *)end},
    {(char *)"pass", (char *)"(J)V", (void *)pass},
    {(char *)"wake", (char *)"(JLjava/lang/Thread;Ljava/lang/Thread;JZJ)J", (void *)wake},
    {(char *)"given", (char *)"(J)V", (void *)given},
    {(char *)"layout", (char *)"(Ljava/lang/Object;II)J", (void *)layout},
    {(char *)"scratch", (char *)"(I)J", (void *)scratch},
    {(char *)"learn", (char *)"(JJ)J", (void *)learn},
};

/* -- the way -- */

bool pm_vthread_is_rewritten(void)
{
    return pm_lock_support_is_rewritten();
}

static bool rewrite(JNIEnv *env)
{
    if (pm_host.version < 21 || pm_frozen_init(pm_walk_depth() + 1))
        return false;
    const struct pm_lock_support_links links = {.natives = natives,
                                                .n_natives = sizeof natives / sizeof *natives,
                                                .gate = &pm_gate_is_open,
                                                .table = pm_frozen_table(),
                                                .last = pm_frozen_last()};
    return pm_lock_support_rewrite(env, &links);
}

void pm_vthread_watch(JNIEnv *env)
{
    if (pm_host.version < 19 || pm_vthread_events_are_on() || pm_vthread_is_rewritten())
        return;
    char *tracks = pm_host_property("jdk.trackAllThreads");
    may_collect = tracks && *tracks && strcmp(tracks, "true") != 0;
    pm_host_free(tracks);
    if (!rewrite(env))
        pm_vthread_events_watch(env);
    atomic_store(&pm_self_metrics.virtual_parks, pm_vthread_is_rewritten()    ? "rewrite"
                                                 : pm_vthread_events_are_on() ? "events"
                                                                              : NULL);
}

bool pm_vthread_is_undone(void)
{
    return pm_lock_support_is_undone();
}

void pm_vthread_repair(JNIEnv *env)
{
    pm_lock_support_repair(env);
}
