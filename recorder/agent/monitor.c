#include "recorder/agent/monitor.h"

#include <string.h>

#include "recorder/agent/chain.h"
#include "recorder/agent/gate.h"
#include "recorder/agent/generation.h"
#include "recorder/agent/identity.h"
#include "recorder/agent/java-thread.h"
#include "recorder/agent/names.h"
#include "recorder/agent/native-thread.h"
#include "recorder/agent/notify.h"
#include "recorder/agent/resolve.h"
#include "recorder/agent/self.h"
#include "recorder/agent/thread.h"
#include "recorder/agent/vmstructs.h"
#include "recorder/agent/walk.h"

/* Questions for an owner that need a safepoint: 50 a second in the long run, 16 at once. */
#define ASK_PAUSE_NS 20000000
#define ASK_BURST_NS (16 * (int64_t)ASK_PAUSE_NS)

/* Where HotSpot keeps what JVMTI does not tell. */
static struct {
    bool known;
    bool owner_is_tid;   /* JDK 24 on: Thread.tid; before: JavaThread* */
    uint64_t pending_at; /* JavaThread::_current_pending_monitor */
    uint64_t owner_at;   /* ObjectMonitor::_owner */
    jfieldID eetop;      /* Thread.eetop: the JavaThread; 0 once a platform thread has ended */
} layout;

bool pm_monitor_prepare(JNIEnv *env)
{
    struct pm_vmstruct pending, owner;
    layout.eetop = (*env)->GetFieldID(env, pm_host.thread, "eetop", "J");
    if ((*env)->ExceptionCheck(env))
        (*env)->ExceptionClear(env);
    if (!layout.eetop)
        return false;
    /* JavaThread's own since 17; some releases declare it in Thread. */
    if (!pm_vmstruct_find("JavaThread", "_current_pending_monitor", &pending) &&
        !pm_vmstruct_find(NULL, "_current_pending_monitor", &pending))
        return false;
    if (!pm_vmstruct_find("ObjectMonitor", "_owner", &owner))
        return false;
    layout.pending_at = pending.offset;
    layout.owner_at = owner.offset;
    layout.owner_is_tid = owner.type && strstr(owner.type, "int64");
    layout.known = true;
    return true;
}

void pm_monitor_thread_begin(JNIEnv *env, jthread thread, int64_t tid)
{
    if (!layout.known || layout.owner_is_tid)
        return;
    uintptr_t address = (uintptr_t)(*env)->GetLongField(env, thread, layout.eetop);
    if (address)
        pm_java_thread_begin(address, tid);
}

void pm_monitor_thread_end(JNIEnv *env, jthread thread)
{
    if (!layout.known || layout.owner_is_tid)
        return;
    uintptr_t address = (uintptr_t)(*env)->GetLongField(env, thread, layout.eetop);
    if (address)
        pm_java_thread_end(address);
}

/* Who holds the monitor that the current thread is about to wait for. The monitor is kept alive by
 * our being about to enter it; its owner may change as we look, and is then one of the two. */
static pm_thread_id pending_owner(JNIEnv *env, const struct pm_self *self)
{
    pm_thread_id none = {0};
    if (!layout.known)
        return none;
    uintptr_t native = (uintptr_t)(*env)->GetLongField(env, self->thread, layout.eetop);
    if (!native)
        return none;
    const char *monitor = *(const char *const volatile *)(native + layout.pending_at);
    if (!monitor)
        return none;
    uint64_t owner = *(const volatile uint64_t *)(monitor + layout.owner_at);
    int64_t tid = layout.owner_is_tid ? (int64_t)owner : pm_java_thread_tid((uintptr_t)owner);
    /* 1 and 2 are HotSpot's marks for "anonymous" and "being deflated". */
    return tid > 2 || (tid > 0 && !layout.owner_is_tid) ? pm_thread_find(tid) : none;
}

/* A monitor that this contention inflates does not name its owner yet: 17 has an address on the
 * owner's stack, 25 a mark. JVMTI finds it at a safepoint, which may be had now and then only. */
static pm_thread_id ask_owner(JNIEnv *env, jobject object)
{
    static _Atomic int64_t due_ns; /* when all questions so far are paid for */
    pm_thread_id owner = {0};
    int64_t now_ns = pm_clock_now();
    int64_t due = atomic_load_explicit(&due_ns, memory_order_relaxed);
    int64_t next = (due > now_ns - ASK_BURST_NS ? due : now_ns - ASK_BURST_NS) + ASK_PAUSE_NS;
    if (next > now_ns || !atomic_compare_exchange_strong(&due_ns, &due, next) ||
        pm_resolve_monitor_owner(env, object, &owner))
        owner.n = 0;
    return owner;
}

/* Who waits: a platform thread by its self, a virtual one by its berth, as it may come back on
 * another carrier. */
struct waiter {
    struct pm_self *self; /* of the platform thread that this runs on */
    jthread thread;
    pm_thread_id id;
    struct pm_open_wait *open;
    struct pm_berth *berth; /* NULL: a platform thread */
};

static bool record_virtual;

void pm_monitor_set_virtual(bool recorded)
{
    record_virtual = recorded;
}

/* The thread of an event, which is the current one: is it virtual? */
static bool is_virtual(JNIEnv *env, const struct pm_self *self, jthread thread, int64_t *ret_tid)
{
    if (!self->is_carrier)
        return false;
    *ret_tid = (*env)->GetLongField(env, thread, pm_host.thread_tid);
    return *ret_tid != self->tid;
}

/* The current thread when its waits for monitors are recorded: not while another wait of it is open
 * (an Enter inside Object.wait, a park's own). */
static bool find_to_enter(JNIEnv *env, jthread thread, struct waiter *ret)
{
    int64_t tid;
    struct pm_self *self;
    if (!pm_gate_open() || !(self = pm_self_get(env)) || self->monitor.is_open)
        return false;
    if (is_virtual(env, self, thread, &tid)) {
        pm_thread_id id;
        if (!record_virtual || pm_berth_find(tid) ||
            !(id = pm_resolve_thread(env, thread, tid, 0)).n)
            return false;
        struct pm_berth *berth = pm_berth_open(tid);
        if (!berth)
            return false;
        *ret = (struct waiter){self, thread, id, &berth->open, berth};
        return true;
    }
    struct pm_slot *slot = pm_self_slot(self);
    if (slot && !pm_slot_is_idle(slot))
        return false;
    *ret = (struct waiter){self, self->thread, self->id, &self->monitor, NULL};
    return true;
}

/* The current thread when such a wait of it is open. */
static bool find_waiting(JNIEnv *env, jthread thread, enum pm_kind kind, struct waiter *ret)
{
    struct pm_self *self = pm_self_peek();
    if (self && self->monitor.is_open) {
        *ret = (struct waiter){self, self->thread, self->id, &self->monitor, NULL};
        return self->monitor.kind == kind;
    }
    int64_t tid;
    if (!pm_berth_any() || !(self = pm_self_get(env)) || !is_virtual(env, self, thread, &tid))
        return false;
    struct pm_berth *berth = pm_berth_find(tid);
    if (!berth || berth->open.kind != kind)
        return false;
    *ret = (struct waiter){self, thread, pm_thread_find(tid), &berth->open, berth};
    return true;
}

/* Does the chain stand in Object.wait: is a monitor entered again that was left to wait? */
static bool is_in_object_wait(pm_chain_id id)
{
    struct pm_chain chain;
    struct pm_method method;
    struct pm_class class;
    if (!pm_chain_get(id, &chain) || !chain.n_frames ||
        !pm_method_get(chain.frames[0].method, &method) || !pm_class_get(method.class_id, &class))
        return false;
    return method.name.length >= 4 && memcmp(method.name.bytes, "wait", 4) == 0 &&
           class.name.length == 16 && memcmp(class.name.bytes, "java.lang.Object", 16) == 0;
}

/* The thread that the object is, while it lives; NULL when it is none. The VM notifies all who wait
 * for a thread as it ends: it does so itself, and no hook sees it. It holds the monitor meanwhile
 * and has cleared `eetop`; who owns the monitor sees both or neither. */
static bool is_thread(JNIEnv *env, jobject object, bool *ret_lives)
{
    if (!layout.eetop || !(*env)->IsInstanceOf(env, object, pm_host.thread))
        return false;
    *ret_lives = (*env)->GetLongField(env, object, layout.eetop) != 0;
    return true;
}

static void begin(JNIEnv *env, const struct waiter *waiter, jobject object, enum pm_kind kind,
                  bool timed)
{
    struct pm_self *self = waiter->self;
    struct pm_slot *here = pm_self_slot(self);
    uint32_t hold = 0;
    if (waiter->berth)
        pm_berth_enter(waiter->berth, here);
    else if (here)
        pm_slot_enter(here);
    else
        hold = pm_generation_hold();
    struct pm_raw_wait wait = {.kind = (uint8_t)kind, .flags = timed ? PM_WAIT_TIMED : 0};
    if (waiter->berth) {
        wait.thread = waiter->id;
        wait.flags |= PM_WAIT_VIRTUAL;
    }
    /* What lies between us and the Java frames is the VM's, laid out as it pleases: walk always. */
    wait.chain = pm_walk_current(self, NULL);
    struct pm_identity identity =
        pm_identity_of(env, &self->recent, object, wait.chain, waiter->id);
    wait.blocker = identity.blocker;
    wait.identity = identity.place;
    if (kind == PM_KIND_ENTER) {
        wait.owner = pending_owner(env, self);
        if (!wait.owner.n)
            wait.owner = ask_owner(env, object);
        if (wait.owner.n == waiter->id.n)
            wait.owner.n = 0;
        if (is_in_object_wait(wait.chain))
            wait.flags |= PM_WAIT_AFTER_WAIT;
    }
    struct pm_open_wait *open = waiter->open;
    struct pm_open_wait watch = {0};
    if (kind == PM_KIND_WAIT) {
        bool lives;
        watch.joins = is_thread(env, object, &lives) && lives;
        pm_notify_watch(&watch, object);
    }
    if (waiter->berth)
        pm_berth_begin(waiter->berth, here, &wait);
    else
        *open =
            (struct pm_open_wait){.is_open = true,
                                  .kind = (uint8_t)kind,
                                  .blocker = wait.blocker,
                                  .unslotted = !here,
                                  .begin_ns = here ? pm_slot_begin(here, &wait) : pm_clock_now()};
    if (!waiter->berth && !here)
        pm_generation_release(hold);
    open->joins = watch.joins;
    open->is_watching = watch.is_watching;
    open->watched_hash = watch.watched_hash;
    open->watched_word = watch.watched_word;
}

/* `how`: cause, waker and flags of the end. */
static void end(const struct waiter *waiter, const struct pm_raw_wait *how)
{
    struct pm_open_wait *open = waiter->open;
    struct pm_slot *here = waiter->self->slot;
    if (waiter->berth) {
        pm_berth_end(waiter->berth, here, how);
        return;
    }
    open->is_open = false;
    if (open->unslotted) { /* as of a park without slot: it counts, and that is all */
        const struct pm_raw_wait wait = {.kind = open->kind,
                                         .blocker = open->blocker,
                                         .begin_ns = open->begin_ns,
                                         .end_ns = pm_clock_now()};
        pm_slot_count(&wait);
    } else {
        pm_slot_end_woken(here, how->wake_cause, how->flags, how->waker, how->waker_chain,
                          how->wake_ns);
    }
}

void JNICALL pm_monitor_on_enter(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object)
{
    struct waiter waiter;
    if (find_to_enter(env, thread, &waiter))
        begin(env, &waiter, object, PM_KIND_ENTER, false);
}

void JNICALL pm_monitor_on_entered(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object)
{
    /* May come without an Enter: after Object.wait, or when the recorder was started meanwhile. */
    struct waiter waiter;
    if (find_waiting(env, thread, PM_KIND_ENTER, &waiter))
        end(&waiter, &(struct pm_raw_wait){.wake_cause = PM_WAKE_RELEASE});
}

void JNICALL pm_monitor_on_wait(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object,
                                jlong time_ms)
{
    struct waiter waiter;
    if (find_to_enter(env, thread, &waiter))
        begin(env, &waiter, object, PM_KIND_WAIT, time_ms > 0);
}

/* Has the thread ended that the current one waited for? */
static bool has_ended(JNIEnv *env, const struct pm_open_wait *open, jobject object,
                      struct pm_notify_note *ret_note)
{
    struct pm_thread_row row;
    bool lives;
    if (!open->joins || !is_thread(env, object, &lives) || lives)
        return false;
    pm_thread_id id = pm_thread_find((*env)->GetLongField(env, object, pm_host.thread_tid));
    if (!id.n || !pm_thread_get(id, &row) || !row.end_ns)
        return false;
    /* Its end is told just before the VM notifies; the wait may have begun in between. */
    int64_t at_ns = row.end_ns > open->begin_ns ? row.end_ns : open->begin_ns;
    *ret_note = (struct pm_notify_note){.notifier = id, .at_ns = at_ns};
    return true;
}

void JNICALL pm_monitor_on_waited(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object,
                                  jboolean timed_out)
{
    struct waiter waiter;
    if (!find_waiting(env, thread, PM_KIND_WAIT, &waiter))
        return;
    struct pm_raw_wait how = {.wake_cause = PM_WAKE_NOTIFY};
    struct pm_notify_note note;
    uint32_t hold = pm_generation_hold(); /* the note's chain, until it is in the wait */
    bool noted = pm_notify_take(waiter.open, &note);
    if (timed_out)
        how.wake_cause = PM_WAKE_TIME_OUT;
    else if (pm_host.thread_interrupted &&
             (*env)->GetBooleanField(env, waiter.thread, pm_host.thread_interrupted))
        how.wake_cause = PM_WAKE_INTERRUPT;
    else if (!noted && has_ended(env, waiter.open, object, &note)) {
        noted = true;
        how.wake_cause = PM_WAKE_COMPLETION;
    }
    if (noted && how.wake_cause != PM_WAKE_TIME_OUT && how.wake_cause != PM_WAKE_INTERRUPT) {
        how.flags = note.ambiguous ? PM_WAIT_AMBIGUOUS : 0;
        how.waker = note.notifier;
        how.waker_chain = note.chain;
        how.wake_ns = note.at_ns;
    }
    end(&waiter, &how);
    pm_generation_release(hold);
}
