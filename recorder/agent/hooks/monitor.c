#include "recorder/agent/hooks/monitor.h"

#include <dlfcn.h>

#include "recorder/agent/base/clock.h"
#include "recorder/agent/base/self-metrics.h"
#include "recorder/agent/hooks/admission.h"
#include "recorder/agent/hooks/identity.h"
#include "recorder/agent/hooks/notify.h"
#include "recorder/agent/hooks/resolve.h"
#include "recorder/agent/hotspot/field.h"
#include "recorder/agent/tables/chain.h"
#include "recorder/agent/hooks/walk.h"
#include "recorder/agent/hotspot/monitor-owner.h"
#include "recorder/agent/hotspot/native-hooks.h"
#include "recorder/agent/hotspot/thread-facts.h"
#include "recorder/agent/hotspot/vm-thread.h"
#include "recorder/agent/tables/thread.h"
#include "recorder/agent/waits/epoch.h"
#include "recorder/agent/waits/gate.h"
#include "recorder/agent/waits/refusal.h"

/* JVM_HoldsLock: the native of Thread.holdsLock. */
static jboolean(JNICALL *holds_lock)(JNIEnv *env, jclass thread_class, jobject object);

static bool watched;

bool pm_monitor_is_watched(void)
{
    return watched;
}

void pm_monitor_prepare(void)
{
    void *library = dlopen("libjvm.so", RTLD_NOW | RTLD_NOLOAD);
    watched = true;
    if (!library)
        return;
    *(void **)&holds_lock = dlsym(library, "JVM_HoldsLock");
    dlclose(library);
}

/* -- the events -- */

enum pair { ENTERS, WAITS, N_PAIRS };

/* That of the end first, as no begin may be without its end. */
static const jvmtiEvent events[N_PAIRS][2] = {
    {JVMTI_EVENT_MONITOR_CONTENDED_ENTERED, JVMTI_EVENT_MONITOR_CONTENDED_ENTER},
    {JVMTI_EVENT_MONITOR_WAITED, JVMTI_EVENT_MONITOR_WAIT}};

static _Atomic int enabled[N_PAIRS];

/* Object.wait of platform threads is hooked; of virtual ones, which may leave their carrier in it,
 * the events tell, from the first on. */
static bool hooks_waits;
static _Atomic bool virtual_waits;

static void set_mode(jvmtiEventMode mode, jvmtiEvent event)
{
    (*pm_host.jvmti)->SetEventNotificationMode(pm_host.jvmti, mode, event, NULL);
}

static int wanted_of(enum pair pair)
{
    return pair == WAITS && hooks_waits && !atomic_load(&virtual_waits) ? 0 : 2;
}

static void enable(enum pair pair, int n)
{
    for (int i = enabled[pair]; i < n; i++)
        set_mode(JVMTI_ENABLE, events[pair][i]);
    for (int i = enabled[pair]; i > n; i--)
        set_mode(JVMTI_DISABLE, events[pair][i - 1]);
    atomic_store(&enabled[pair], n);
    atomic_store(&pm_self_metrics.monitor_events, enabled[ENTERS] + enabled[WAITS]);
}

/* On the first virtual thread that waits, which must not be missed. */
static void listen_to_virtual_waits(void)
{
    set_mode(JVMTI_ENABLE, JVMTI_EVENT_MONITOR_WAITED);
    set_mode(JVMTI_ENABLE, JVMTI_EVENT_MONITOR_WAIT);
    atomic_store(&virtual_waits, true);
}

/* A wait for a monitor, or one that may become such. */
static bool is_any_open(void)
{
    size_t n = pm_slot_pool_count();
    bool any = pm_vthread_slot_any() || pm_slot_pool_is_full();
    for (size_t i = 0; i < n && !any; i++)
        any = pm_slot_may_be_open(pm_slot_pool_at(i), PM_KIND_PARK);
    return any;
}

void pm_monitor_listen(bool listens)
{
    static bool told;
    if (!watched)
        return;
    if (!told && atomic_load(&virtual_waits)) {
        told = true;
        atomic_store(&enabled[WAITS], 2);
    }
    for (enum pair pair = ENTERS; pair < N_PAIRS; pair++)
        if (listens)
            enable(pair, wanted_of(pair));
        else if (enabled[pair] == 2)
            enable(pair, 1);
        else if (enabled[pair] == 1 && !is_any_open())
            enable(pair, 0);
}

bool pm_monitor_listens(void)
{
    return !watched || (enabled[ENTERS] == wanted_of(ENTERS) && enabled[WAITS] == wanted_of(WAITS));
}

/* -- who waits -- */

/* Of the monitor that the current thread is about to enter. */
static pm_thread_id owner_of(const struct pm_current_thread *self, jobject object,
                             pm_thread_id waiter)
{
    pm_thread_id owner =
        pm_resolve_tid(pm_monitor_owner_of_pending(self->walker.vm_thread, object));
    if (owner.n == waiter.n)
        owner.n = 0;
    return owner;
}

/* Who waits: a platform thread by its self, a virtual one by its slot, as it may come back on
 * another carrier. */
struct waiter {
    struct pm_current_thread *self; /* of the platform thread that this runs on */
    jthread thread;
    pm_thread_id id;
    struct pm_open_wait *open;
    struct pm_vthread_slot *vslot; /* NULL: a platform thread */
};

/* The thread of an event, which is the current one: is it virtual? */
static bool is_virtual(JNIEnv *env, const struct pm_current_thread *self, jthread thread,
                       int64_t *ret_tid)
{
    if (!pm_walker_runs_virtual(&self->walker))
        return false;
    *ret_tid = pm_field_long(env, thread, pm_host.thread_tid);
    return *ret_tid != self->walker.tid && pm_host.virtual_thread &&
           (*env)->IsInstanceOf(env, thread, pm_host.virtual_thread);
}

/* An Object.wait is open here: has its thread left it without a word, as when it throws? It is
 * still in it when it enters the monitor again, and when another agent runs Java in the event. */
static bool has_left(const struct pm_current_thread *self)
{
    jint state = 0;
    if (pm_vm_thread_enters_again(self->walker.vm_thread))
        return false;
    return (*pm_host.jvmti)->GetThreadState(pm_host.jvmti, self->thread, &state) == 0 &&
           !(state & JVMTI_THREAD_STATE_IN_OBJECT_WAIT) &&
           (pm_vm_thread_layout.has_pending ||
            !(state & JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER));
}

void pm_monitor_settle(struct pm_current_thread *self)
{
    struct pm_notify_note note;
    struct pm_open_wait *open = &self->monitor;
    if (!open->is_open || open->kind != PM_KIND_WAIT || open->is_hooked || !has_left(self))
        return;
    open->is_open = false;
    pm_notify_take(open, &note);
    if (!open->unslotted)
        pm_slot_close(self->slot, pm_slot_open_mark(self->slot, PM_KIND_WAIT));
}

void pm_monitor_settle_other(JNIEnv *env, jthread thread, int64_t tid)
{
    struct pm_slot *slot = hooks_waits ? NULL : pm_slot_find(tid);
    uint64_t mark = slot ? pm_slot_open_mark(slot, PM_KIND_WAIT) : 0;
    jint state = 0;
    const jint in_it =
        JVMTI_THREAD_STATE_IN_OBJECT_WAIT | JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER;
    if (mark && pm_thread_facts_state(env, thread, &state) && !(state & in_it))
        pm_slot_close(slot, mark);
}

/* The current thread, when its wait is recorded. */
static bool find_to_enter(JNIEnv *env, jthread thread, enum pm_kind kind, struct waiter *ret)
{
    struct pm_waiter found = {.kind = kind, .thread = thread};
    if (!pm_may_record(env, &found))
        return false;
    *ret = (struct waiter){found.self, found.thread, found.id, &found.self->monitor, NULL};
    if (!found.is_virtual)
        return true;
    ret->vslot = pm_vthread_slot_open(found.tid);
    if (!ret->vslot) {
        pm_refusal_note(PM_REFUSAL_NO_SPACE);
        return false;
    }
    ret->open = &ret->vslot->open;
    return true;
}

/* The current thread when such a wait of it is open. */
static bool find_waiting(JNIEnv *env, jthread thread, enum pm_kind kind, struct waiter *ret)
{
    struct pm_current_thread *self = pm_current_thread_peek();
    if (self && self->monitor.is_open) {
        *ret = (struct waiter){self, self->thread, self->id, &self->monitor, NULL};
        return self->monitor.kind == kind;
    }
    int64_t tid;
    if (!pm_vthread_slot_any() || !(self = pm_current_thread_get(env)) ||
        !is_virtual(env, self, thread, &tid))
        return false;
    struct pm_vthread_slot *vslot = pm_vthread_slot_find(tid);
    if (!vslot || vslot->open.kind != kind)
        return false;
    *ret = (struct waiter){self, thread, pm_thread_virtual(tid, false), &vslot->open, vslot};
    return true;
}

/* The VM notifies all who wait for a thread as it ends: it does so itself, and no hook sees it. It
 * holds the monitor meanwhile and has cleared `eetop`; who owns the monitor sees both or neither.
 */
static bool lives(JNIEnv *env, jthread thread)
{
    return pm_vm_thread_of(env, thread) != NULL;
}

static bool is_interrupted(JNIEnv *env, jthread thread)
{
    return pm_host.thread_interrupted && pm_field_boolean(env, thread, pm_host.thread_interrupted);
}

/* `hooked`: an interrupt is told by its exception. */
static void begin(JNIEnv *env, const struct waiter *waiter, jobject object, enum pm_kind kind,
                  bool timed, bool hooked)
{
    struct pm_current_thread *self = waiter->self;
    struct pm_slot *here = pm_current_thread_slot(self);
    uint32_t hold = 0;
    if (waiter->vslot)
        pm_vthread_slot_enter(waiter->vslot, here);
    else if (here)
        pm_slot_enter(here);
    else
        hold = pm_epoch_enter();
    struct pm_raw_wait wait = {.kind = (uint8_t)kind, .flags = timed ? PM_WAIT_TIMED : 0};
    if (waiter->vslot) {
        wait.thread = waiter->id;
        wait.flags |= PM_WAIT_VIRTUAL;
    }
    if (kind == PM_KIND_ENTER) {
        /* First, as it may let go any moment. */
        wait.owner = owner_of(self, object, waiter->id);
        if (pm_vm_thread_enters_again(self->walker.vm_thread))
            wait.flags |= PM_WAIT_AFTER_WAIT;
    }
    wait.chain = pm_walk_current(&self->walker);
    struct pm_identity identity =
        pm_identity_of(env, &self->recent, object, wait.chain, waiter->id);
    wait.blocker = identity.blocker;
    wait.identity = identity.place;
    struct pm_open_wait *open = waiter->open;
    struct pm_open_wait watch = {0};
    if (kind == PM_KIND_WAIT) {
        watch.joins = identity.traits & PM_IDENTITY_THREAD && lives(env, object);
        if (watch.joins && pm_chain_joins(wait.chain))
            wait.owner = pm_resolve_joined(env, object, true);
        if (wait.owner.n == waiter->id.n)
            wait.owner.n = 0; /* for its own end: for ever, by design */
        watch.interrupted = !hooked && is_interrupted(env, waiter->thread);
        pm_notify_watch(&watch, object, identity.hash);
    }
    if (waiter->vslot)
        pm_vthread_slot_begin(waiter->vslot, here, &wait);
    else
        *open =
            (struct pm_open_wait){.is_open = true,
                                  .kind = (uint8_t)kind,
                                  .blocker = wait.blocker,
                                  .unslotted = !here,
                                  .begin_ns = here ? pm_slot_begin(here, &wait) : pm_clock_now()};
    if (!waiter->vslot && !here)
        pm_epoch_leave(hold);
    open->is_hooked = hooked;
    open->joins = watch.joins;
    open->interrupted = watch.interrupted;
    open->is_watching = watch.is_watching;
    open->watched_hash = watch.watched_hash;
    open->watched_word = watch.watched_word;
}

static bool is_in_own_slot(const struct waiter *waiter)
{
    return !waiter->vslot && !waiter->open->unslotted;
}

/* `how`: cause, waker and flags of the end. `left`: of one in its thread's own slot, what
 * pm_slot_leave said. */
static void end(const struct waiter *waiter, const struct pm_raw_wait *how, bool left)
{
    struct pm_open_wait *open = waiter->open;
    struct pm_slot *here = waiter->self->slot;
    if (waiter->vslot) {
        pm_vthread_slot_end(waiter->vslot, here, how);
        return;
    }
    open->is_open = false;
    if (open->unslotted) { /* as of a park without slot: it counts, and that is all */
        const struct pm_raw_wait wait = {.kind = open->kind,
                                         .blocker = open->blocker,
                                         .begin_ns = open->begin_ns,
                                         .end_ns = pm_clock_now_after(open->begin_ns)};
        pm_slot_add_unslotted(&wait);
    } else if (left) {
        pm_slot_end_woken(here, how);
    }
}

void JNICALL pm_monitor_on_enter(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object)
{
    struct waiter waiter;
    if (find_to_enter(env, thread, PM_KIND_ENTER, &waiter))
        begin(env, &waiter, object, PM_KIND_ENTER, false, false);
}

void JNICALL pm_monitor_on_entered(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object)
{
    /* May come without an Enter: after Object.wait, or when the recorder was started meanwhile. */
    struct waiter waiter;
    if (find_waiting(env, thread, PM_KIND_ENTER, &waiter))
        end(&waiter, &(struct pm_raw_wait){.wake_cause = PM_WAKE_RELEASE},
            is_in_own_slot(&waiter) && pm_slot_leave(waiter.self->slot));
    else
        pm_admission_end_refused(PM_KIND_ENTER);
}

static bool is_timed(jlong time_ms)
{
    return time_ms > 0 && time_ms < PM_WAIT_FOREVER_NS / 1000000;
}

/* Object.wait throws at once, as its caller does not own the monitor, or as its time is negative.
 */
static bool owns(JNIEnv *env, jobject object)
{
    return !holds_lock || holds_lock(env, pm_host.thread, object);
}

/* Up to JDK 23 the event is posted before the JVM looks for the owner, and no other one after it.
 */
static bool throws(JNIEnv *env, jobject object, jlong time_ms)
{
    if (time_ms >= 0 && (pm_host.version >= 24 || owns(env, object)))
        return false;
    pm_refusal_note(PM_REFUSAL_THROWS);
    return true;
}

/* What the hook has begun is told by the event too, while virtual threads wait. */
static bool is_hooked(void)
{
    struct pm_current_thread *self = hooks_waits ? pm_current_thread_peek() : NULL;
    return self && self->monitor.is_open && self->monitor.is_hooked;
}

void JNICALL pm_monitor_on_wait(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object,
                                jlong time_ms)
{
    struct waiter waiter;
    if (!is_hooked() && !throws(env, object, time_ms) &&
        find_to_enter(env, thread, PM_KIND_WAIT, &waiter))
        begin(env, &waiter, object, PM_KIND_WAIT, is_timed(time_ms), false);
}

/* Has the thread ended that the current one waited for? */
static bool has_ended(JNIEnv *env, const struct pm_open_wait *open, jobject object,
                      struct pm_notify_note *ret_note)
{
    struct pm_thread_row row;
    if (!open->joins || lives(env, object))
        return false;
    pm_thread_id id = pm_resolve_joined(env, object, false);
    if (!id.n || !pm_thread_get(id, &row) || !row.end_ns)
        return false;
    /* Its end is told just before the VM notifies; the wait may have begun in between. */
    int64_t at_ns = row.end_ns > open->begin_ns ? row.end_ns : open->begin_ns;
    *ret_note = (struct pm_notify_note){.notifier = id, .at_ns = at_ns};
    return true;
}

/* What a wait has ended by. */
struct ending {
    enum pm_notify_answer answer;
    struct pm_notify_note note;
    bool timed_out, interrupted, completed;
};

static void tell_end(const struct waiter *waiter, const struct ending *ending, bool left)
{
    struct pm_raw_wait how = {.wake_cause = PM_WAKE_NOTIFY};
    if (ending->timed_out)
        how.wake_cause = PM_WAKE_TIME_OUT;
    else if (ending->interrupted)
        how.wake_cause = PM_WAKE_INTERRUPT;
    else if (ending->completed)
        how.wake_cause = PM_WAKE_COMPLETION;
    else if (ending->answer == PM_NOTIFY_NOBODY)
        /* From JDK 25 on: it was interrupted before, which is cleared by now. */
        how.wake_cause = PM_WAKE_UNKNOWN;
    if ((ending->answer == PM_NOTIFY_NOTE || ending->completed) && !ending->timed_out &&
        !ending->interrupted) {
        how.flags = ending->note.ambiguous ? PM_WAIT_AMBIGUOUS : 0;
        how.waker = ending->note.notifier;
        how.waker_chain = ending->note.chain;
        how.wake_ns = ending->note.at_ns;
    }
    end(waiter, &how, left);
}

void JNICALL pm_monitor_on_waited(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object,
                                  jboolean timed_out)
{
    struct waiter waiter;
    if (is_hooked() || !find_waiting(env, thread, PM_KIND_WAIT, &waiter)) {
        pm_admission_end_refused(PM_KIND_WAIT);
        return;
    }
    /* The note's chain, until it is in the wait. */
    bool in_slot = is_in_own_slot(&waiter);
    bool left = in_slot && pm_slot_leave(waiter.self->slot);
    uint32_t hold = in_slot ? 0 : pm_epoch_enter();
    struct ending ending = {.timed_out = timed_out};
    ending.answer = pm_notify_take(waiter.open, &ending.note);
    ending.interrupted = waiter.open->interrupted || is_interrupted(env, waiter.thread);
    if (!timed_out && !ending.interrupted && ending.answer != PM_NOTIFY_NOTE)
        ending.completed = has_ended(env, waiter.open, object, &ending.note);
    tell_end(&waiter, &ending, left);
    if (!in_slot)
        pm_epoch_leave(hold);
}

/* -- the hook -- */

typedef void(JNICALL *wait_function)(JNIEnv *env, jobject object, jlong time_ms);

static bool begin_hooked(JNIEnv *env, jobject object, jlong time_ms, struct waiter *ret_waiter)
{
    struct pm_current_thread *self;
    if (!pm_gate_open() || pm_hook_is_inside(PM_HOOK_WAIT))
        return false;
    if ((self = pm_current_thread_get(env)) != NULL && pm_walker_runs_virtual(&self->walker)) {
        if (!atomic_load_explicit(&virtual_waits, memory_order_relaxed))
            listen_to_virtual_waits();
        return false;
    }
    if (time_ms < 0)
        pm_refusal_note(PM_REFUSAL_THROWS);
    if (time_ms < 0 || !find_to_enter(env, NULL, PM_KIND_WAIT, ret_waiter))
        return false;
    begin(env, ret_waiter, object, PM_KIND_WAIT, is_timed(time_ms), true);
    return true;
}

/* INT64_MAX: never. */
static int64_t deadline_of(int64_t begin_ns, jlong time_ms)
{
    int64_t deadline_ns;
    return time_ms == 0 || __builtin_mul_overflow(time_ms, 1000000, &deadline_ns) ||
                   __builtin_add_overflow(begin_ns, deadline_ns, &deadline_ns)
               ? INT64_MAX
               : deadline_ns;
}

/* As a notify leaves a note, an exception is seen and the clock is read, it is known what has ended
 * it, but for one of several that waited: past its time it is taken for timed out. */
static void end_hooked(JNIEnv *env, const struct waiter *waiter, jobject object,
                       int64_t deadline_ns)
{
    struct pm_open_wait *open = waiter->open;
    struct pm_slot *slot = waiter->self->slot;
    bool threw = pm_vm_thread_throws(env, waiter->self->walker.vm_thread);
    bool left = !open->unslotted && pm_slot_leave(slot);
    uint32_t hold = open->unslotted ? pm_epoch_enter() : 0;
    struct ending ending = {.interrupted = threw};
    ending.answer = pm_notify_take(open, &ending.note);
    if (threw && !owns(env, object)) {
        pm_refusal_note(PM_REFUSAL_THROWS); /* it was no wait at all */
        open->is_open = false;
        if (left)
            pm_slot_cancel(slot);
    } else {
        if (!threw && ending.answer != PM_NOTIFY_NOTE)
            ending.completed = has_ended(env, open, object, &ending.note);
        bool reached = ending.completed || (ending.answer == PM_NOTIFY_NOTE && ending.note.sure);
        ending.timed_out = !threw && !(reached && ending.note.at_ns < deadline_ns) &&
                           deadline_ns != INT64_MAX && pm_clock_now() >= deadline_ns;
        tell_end(waiter, &ending, left);
    }
    if (open->unslotted)
        pm_epoch_leave(hold);
}

static void JNICALL wait_hook(JNIEnv *env, jobject object, jlong time_ms)
{
    struct waiter waiter;
    bool begun = begin_hooked(env, object, time_ms, &waiter);
    void *next = pm_hook_call(PM_HOOK_WAIT);
    ((wait_function)next)(env, object, time_ms);
    pm_hook_return(PM_HOOK_WAIT, next);
    if (begun)
        end_hooked(env, &waiter, object, deadline_of(waiter.open->begin_ns, time_ms));
    else
        pm_admission_end_refused(PM_KIND_WAIT);
}

void pm_monitor_hook_waits(JNIEnv *env)
{
    hooks_waits = pm_hooks_install_wait(env, (void *)wait_hook) == 0;
}
