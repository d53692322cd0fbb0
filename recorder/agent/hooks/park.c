#include "recorder/agent/hooks/park.h"

#include "recorder/agent/base/clock.h"
#include "recorder/agent/hooks/current-thread.h"
#include "recorder/agent/hooks/identity.h"
#include "recorder/agent/hooks/monitor.h"
#include "recorder/agent/hooks/resolve.h"
#include "recorder/agent/hooks/vthread.h"
#include "recorder/agent/hooks/waited-on.h"
#include "recorder/agent/hooks/walk.h"
#include "recorder/agent/hotspot/native-hooks.h"
#include "recorder/agent/tables/chain.h"
#include "recorder/agent/waits/epoch.h"
#include "recorder/agent/waits/gate.h"
#include "recorder/agent/waits/slot.h"

typedef void(JNICALL *park_function)(JNIEnv *env, jobject unsafe, jboolean absolute, jlong time);
typedef void(JNICALL *unpark_function)(JNIEnv *env, jobject unsafe, jobject thread);

static bool record_virtual = true;

void pm_park_set_virtual(bool recorded)
{
    record_virtual = recorded;
}

/* Between pm_slot_enter and pm_slot_begin: everything that is asked of the JVM. False when this
 * wait is not to be recorded. */
static bool read_wait(JNIEnv *env, struct pm_current_thread *self, bool timed,
                      struct pm_raw_wait *ret_wait, jthread *ret_thread)
{
    struct pm_raw_wait wait = {.kind = PM_KIND_PARK, .flags = timed ? PM_WAIT_TIMED : 0};
    pm_thread_id id;
    jthread thread = pm_current_thread_running(env, self, &id);
    if (!thread)
        return false;
    if (id.n != self->id.n) {
        if (!record_virtual || !pm_vthread_is_wait(env, thread))
            return false;
        wait.thread = id;
    }
    wait.chain = pm_walk_current(&self->walker);
    jobject blocker = pm_waited_on_read(env, thread, id, &self->recent, &wait);
    if (blocker)
        (*env)->DeleteLocalRef(env, blocker);
    *ret_wait = wait;
    *ret_thread = thread;
    return true;
}

/* When the park's time is over, on the monotonic clock; INT64_MAX for never. `time` is nanoseconds
 * to go, or milliseconds of the calendar: then the calendar is asked to the nanosecond and after
 * the begin, so that what is returned is never later than what the JVM waits for. */
static int64_t deadline_of(bool absolute, int64_t time, int64_t begin_ns)
{
    int64_t left_ns = time, deadline_ns;
    if (!absolute && time == 0)
        return INT64_MAX;
    if (absolute && (__builtin_mul_overflow(time, (int64_t)1000000, &left_ns) ||
                     __builtin_sub_overflow(left_ns, pm_clock_now_unix(), &left_ns)))
        return time < 0 ? begin_ns : INT64_MAX;
    return __builtin_add_overflow(begin_ns, left_ns, &deadline_ns) ? INT64_MAX : deadline_ns;
}

static void park(JNIEnv *env, jobject unsafe, jboolean absolute, jlong time)
{
    void *next = pm_hook_call(PM_HOOK_PARK);
    ((park_function)next)(env, unsafe, absolute, time);
    pm_hook_return(PM_HOOK_PARK, next);
}

/* More threads than slots, or a wait inside another one: it counts, with its time, and nothing else
 * is known of it. */
static void park_without_slot(JNIEnv *env, struct pm_current_thread *self, jobject unsafe,
                              jboolean absolute, jlong time)
{
    struct pm_raw_wait wait;
    jthread thread;
    uint32_t hold = pm_epoch_enter();
    bool counts = read_wait(env, self, false, &wait, &thread);
    pm_epoch_leave(hold);
    wait.begin_ns = pm_clock_now();
    park(env, unsafe, absolute, time);
    wait.end_ns = pm_clock_now();
    if (counts)
        pm_slot_count(&wait);
}

void JNICALL pm_park_hook(JNIEnv *env, jobject unsafe, jboolean absolute, jlong time)
{
    struct pm_current_thread *self = NULL;
    if (!pm_gate_open() || pm_hook_is_inside(PM_HOOK_PARK) ||
        !(self = pm_current_thread_get(env))) {
        park(env, unsafe, absolute, time);
        return;
    }
    struct pm_slot *slot = pm_current_thread_slot(self);
    if (__builtin_expect(slot && !pm_slot_is_idle(slot), 0))
        pm_monitor_settle(self);
    /* Not idle: it waits for a monitor, and another agent runs Java in that event. */
    if (!slot || !pm_slot_is_idle(slot)) {
        park_without_slot(env, self, unsafe, absolute, time);
        if (slot)
            pm_slot_forget_wake(slot);
        return;
    }

    bool timed = absolute || time != 0;
    struct pm_raw_wait wait;
    jthread thread;
    pm_slot_enter(slot);
    if (!read_wait(env, self, timed, &wait, &thread)) {
        pm_slot_set_passing(slot, true);
        pm_slot_cancel(slot);
        park(env, unsafe, absolute, time);
        pm_slot_set_passing(slot, false);
        pm_slot_forget_wake(slot);
        return;
    }
    int64_t begin_ns = pm_slot_begin(slot, &wait);
    int64_t deadline_ns = timed ? deadline_of(absolute, time, begin_ns) : INT64_MAX;

    park(env, unsafe, absolute, time);

    uint8_t cause = PM_WAKE_UNKNOWN;
    if (pm_host.thread_interrupted &&
        (*env)->GetBooleanField(env, thread, pm_host.thread_interrupted))
        cause = PM_WAKE_INTERRUPT;
    else if (timed && pm_clock_now() >= deadline_ns)
        cause = PM_WAKE_TIME_OUT;
    pm_slot_end(slot, cause, 0);
}

static pm_chain_id wakers_chain(void *context, uint8_t *ret_cause)
{
    struct pm_current_thread *self = context;
    pm_chain_id chain = pm_walk_current(&self->walker);
    *ret_cause = pm_chain_cause(chain);
    return chain;
}

void JNICALL pm_unpark_hook(JNIEnv *env, jobject unsafe, jobject thread)
{
    struct pm_current_thread *self;
    if (pm_gate_open() && thread && !pm_hook_is_inside(PM_HOOK_UNPARK) &&
        (self = pm_current_thread_get(env))) {
        int64_t tid = (*env)->GetLongField(env, thread, pm_host.thread_tid);
        struct pm_slot *slot = pm_slot_find(tid);
        if (slot) {
            pm_thread_id waker = pm_current_thread_running_id(env, self);
            pm_slot_wake(slot, tid, waker, wakers_chain, self);
        }
    }
    void *next = pm_hook_call(PM_HOOK_UNPARK);
    ((unpark_function)next)(env, unsafe, thread);
    pm_hook_return(PM_HOOK_UNPARK, next);
}

bool pm_park_is_unseen(jthread thread, int64_t tid)
{
    jint state = 0;
    struct pm_slot *slot = pm_slot_find(tid);
    uint64_t mark = slot ? pm_slot_mark(slot) : 0;
    if ((slot && (!mark || pm_slot_is_passing(slot))) || (!slot && pm_slot_pool_is_full()) ||
        (*pm_host.jvmti)->GetThreadState(pm_host.jvmti, thread, &state) ||
        !(state & JVMTI_THREAD_STATE_PARKED))
        return false;
    return pm_slot_find(tid) == slot && (!slot || pm_slot_mark(slot) == mark);
}
