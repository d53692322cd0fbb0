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

/* The current thread when its waits for monitors are recorded, else NULL: platform threads only,
 * and not while another wait of it is open (an Enter inside Object.wait, a park's own). */
static struct pm_self *self_to_enter(JNIEnv *env)
{
    struct pm_self *self;
    if (!pm_gate_open() || !(self = pm_self_get(env)) || self->monitor)
        return NULL;
    if (self->is_carrier) {
        pm_thread_id id;
        jthread current = pm_self_current(env, self, &id);
        if (current && id.n != self->id.n)
            (*env)->DeleteLocalRef(env, current);
        if (!current || id.n != self->id.n)
            return NULL;
    }
    struct pm_slot *slot = pm_self_slot(self);
    return slot && !pm_slot_is_idle(slot) ? NULL : self;
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

static void begin(JNIEnv *env, struct pm_self *self, jobject object, enum pm_kind kind, bool timed)
{
    uint32_t hold = 0;
    self->unslotted = !self->slot;
    if (self->unslotted)
        hold = pm_generation_hold();
    else
        pm_slot_enter(self->slot);
    struct pm_raw_wait wait = {.kind = (uint8_t)kind, .flags = timed ? PM_WAIT_TIMED : 0};
    /* What lies between us and the Java frames is the VM's, laid out as it pleases: walk always. */
    wait.chain = pm_walk_current(self, NULL);
    struct pm_identity identity = pm_identity_of(env, &self->recent, object, wait.chain, self->id);
    wait.blocker = identity.blocker;
    wait.identity = identity.place;
    if (kind == PM_KIND_ENTER) {
        wait.owner = pending_owner(env, self);
        if (!wait.owner.n)
            wait.owner = ask_owner(env, object);
        if (wait.owner.n == self->id.n)
            wait.owner.n = 0;
        if (is_in_object_wait(wait.chain))
            wait.flags |= PM_WAIT_AFTER_WAIT;
    }
    self->monitor = (uint8_t)kind;
    if (kind == PM_KIND_WAIT) {
        bool lives;
        self->joins = is_thread(env, object, &lives) && lives;
        pm_notify_watch(self, object);
    }
    self->blocker = wait.blocker;
    self->begin_ns = self->unslotted ? pm_clock_now() : pm_slot_begin(self->slot, &wait);
    if (self->unslotted)
        pm_generation_release(hold);
}

/* As of a park without slot: it counts, and that is all. */
static void count(struct pm_self *self, enum pm_kind kind)
{
    const struct pm_raw_wait wait = {.kind = (uint8_t)kind,
                                     .blocker = self->blocker,
                                     .begin_ns = self->begin_ns,
                                     .end_ns = pm_clock_now()};
    pm_slot_count(&wait);
}

void JNICALL pm_monitor_on_enter(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object)
{
    struct pm_self *self = self_to_enter(env);
    if (self)
        begin(env, self, object, PM_KIND_ENTER, false);
}

void JNICALL pm_monitor_on_entered(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object)
{
    /* May come without an Enter: after Object.wait, or when the recorder was started meanwhile. */
    struct pm_self *self = pm_self_peek();
    if (!self || self->monitor != PM_KIND_ENTER)
        return;
    self->monitor = 0;
    if (self->unslotted)
        count(self, PM_KIND_ENTER);
    else
        pm_slot_end(self->slot, PM_WAKE_RELEASE, 0);
}

void JNICALL pm_monitor_on_wait(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object,
                                jlong time_ms)
{
    struct pm_self *self = self_to_enter(env);
    if (self)
        begin(env, self, object, PM_KIND_WAIT, time_ms > 0);
}

/* Has the thread ended that the current one waited for? */
static bool has_ended(JNIEnv *env, const struct pm_self *self, jobject object,
                      struct pm_notify_note *ret_note)
{
    struct pm_thread_row row;
    bool lives;
    if (!self->joins || !is_thread(env, object, &lives) || lives)
        return false;
    pm_thread_id id = pm_thread_find((*env)->GetLongField(env, object, pm_host.thread_tid));
    if (!id.n || !pm_thread_get(id, &row) || !row.end_ns)
        return false;
    /* Its end is told just before the VM notifies; the wait may have begun in between. */
    int64_t at_ns = row.end_ns > self->begin_ns ? row.end_ns : self->begin_ns;
    *ret_note = (struct pm_notify_note){.notifier = id, .at_ns = at_ns};
    return true;
}

void JNICALL pm_monitor_on_waited(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object,
                                  jboolean timed_out)
{
    struct pm_self *self = pm_self_peek();
    if (!self || self->monitor != PM_KIND_WAIT)
        return;
    self->monitor = 0;
    uint8_t cause = PM_WAKE_NOTIFY;
    struct pm_notify_note note;
    uint32_t hold = pm_generation_hold(); /* the note's chain, until it is in the wait */
    bool noted = pm_notify_take(self, self->begin_ns, &note);
    if (timed_out)
        cause = PM_WAKE_TIME_OUT;
    else if (pm_host.thread_interrupted &&
             (*env)->GetBooleanField(env, self->thread, pm_host.thread_interrupted))
        cause = PM_WAKE_INTERRUPT;
    else if (!noted && has_ended(env, self, object, &note)) {
        noted = true;
        cause = PM_WAKE_COMPLETION;
    }
    if (self->unslotted)
        count(self, PM_KIND_WAIT);
    else if (noted && cause != PM_WAKE_TIME_OUT && cause != PM_WAKE_INTERRUPT)
        pm_slot_end_woken(self->slot, cause, note.ambiguous ? PM_WAIT_AMBIGUOUS : 0, note.notifier,
                          note.chain, note.at_ns);
    else
        pm_slot_end(self->slot, cause, 0);
    pm_generation_release(hold);
}
