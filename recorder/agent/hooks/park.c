#include "recorder/agent/hooks/park.h"

#include "recorder/agent/base/clock.h"
#include "recorder/agent/base/hot.h"
#include "recorder/agent/hooks/admission.h"
#include "recorder/agent/hooks/waited-on.h"
#include "recorder/agent/hooks/walk.h"
#include "recorder/agent/hotspot/field.h"
#include "recorder/agent/hotspot/native-hooks.h"
#include "recorder/agent/hotspot/thread-facts.h"
#include "recorder/agent/tables/chain.h"
#include "recorder/agent/waits/epoch.h"
#include "recorder/agent/waits/gate.h"
#include "recorder/agent/waits/slot.h"

typedef void(JNICALL *park_function)(JNIEnv *env, jobject unsafe, jboolean absolute, jlong time);
typedef void(JNICALL *unpark_function)(JNIEnv *env, jobject unsafe, jobject thread);

/* Between pm_slot_enter and pm_slot_begin: everything that is asked of the JVM. */
static struct pm_raw_wait read_wait(JNIEnv *env, const struct pm_waiter *waiter, bool timed)
{
    struct pm_raw_wait wait = {.kind = PM_KIND_PARK, .flags = timed ? PM_WAIT_TIMED : 0};
    struct pm_current_thread *self = waiter->self;
    if (waiter->is_virtual)
        wait.thread = waiter->id;
    wait.chain = pm_walk_current(&self->walker);
    pm_waited_on_read_parked(env, waiter->thread, waiter->id, &self->recent, &wait);
    return wait;
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
static void park_without_slot(JNIEnv *env, const struct pm_waiter *waiter, jobject unsafe,
                              jboolean absolute, jlong time)
{
    uint32_t hold = pm_epoch_enter();
    struct pm_raw_wait wait = read_wait(env, waiter, false);
    pm_epoch_leave(hold);
    wait.begin_ns = pm_clock_now();
    park(env, unsafe, absolute, time);
    wait.end_ns = pm_clock_now_after(wait.begin_ns);
    pm_slot_add_unslotted(&wait);
    if (waiter->self->slot)
        pm_slot_forget_wake(waiter->self->slot);
}

static void park_refused(JNIEnv *env, struct pm_current_thread *self, jobject unsafe,
                         jboolean absolute, jlong time)
{
    struct pm_slot *slot = self ? pm_current_thread_slot(self) : NULL;
    bool passes = slot && pm_slot_is_idle(slot);
    if (passes) {
        pm_slot_enter(slot); /* ends what another thread found in progress here */
        pm_slot_set_passing(slot, true);
        pm_slot_cancel(slot);
    }
    park(env, unsafe, absolute, time);
    pm_admission_end_refused(PM_KIND_PARK);
    if (passes)
        pm_slot_set_passing(slot, false);
    if (slot)
        pm_slot_forget_wake(slot);
}

PM_HOT void JNICALL pm_park_hook(JNIEnv *env, jobject unsafe, jboolean absolute, jlong time)
{
    struct pm_waiter waiter = {.kind = PM_KIND_PARK};
    if (pm_hook_is_inside(PM_HOOK_PARK) || !pm_may_record(env, &waiter)) {
        park_refused(env, waiter.self, unsafe, absolute, time);
        return;
    }
    struct pm_slot *slot = pm_current_thread_slot(waiter.self);
    /* Not idle: it waits for a monitor, and another agent runs Java in that event. */
    if (!slot || !pm_slot_is_idle(slot)) {
        park_without_slot(env, &waiter, unsafe, absolute, time);
        return;
    }

    bool timed = absolute || time != 0;
    pm_slot_enter(slot);
    struct pm_raw_wait wait =
        read_wait(env, &waiter, timed && (absolute || time < PM_WAIT_FOREVER_NS));
    int64_t begin_ns = pm_slot_begin(slot, &wait);
    int64_t deadline_ns = timed ? deadline_of(absolute, time, begin_ns) : INT64_MAX;

    park(env, unsafe, absolute, time);

    uint8_t cause = PM_WAKE_UNKNOWN;
    if (pm_host.thread_interrupted &&
        pm_field_boolean(env, waiter.thread, pm_host.thread_interrupted))
        cause = PM_WAKE_INTERRUPT;
    else if (timed && pm_clock_now() >= deadline_ns)
        cause = PM_WAKE_TIME_OUT;
    pm_slot_end(slot, cause, 0);
}

PM_HOT static pm_chain_id wakers_chain(void *context, uint8_t *ret_cause)
{
    struct pm_current_thread *self = context;
    pm_chain_id chain = pm_walk_current(&self->walker);
    *ret_cause = pm_current_thread_cause(self, chain);
    return chain;
}

/* A virtual thread calls a carrier that has nothing to run: often, and always from there. Its
 * frames on the heap cannot be told here, and to have the JVM walk them costs more than all the
 * rest. */
static pm_chain_id callers_cause(void *context, uint8_t *ret_cause)
{
    *ret_cause = PM_WAKE_SIGNAL;
    return (pm_chain_id){0};
}

PM_HOT void JNICALL pm_unpark_hook(JNIEnv *env, jobject unsafe, jobject thread)
{
    struct pm_current_thread *self;
    if (pm_gate_open() && thread && !pm_hook_is_inside(PM_HOOK_UNPARK) &&
        (self = pm_current_thread_get(env))) {
        int64_t tid = pm_field_long(env, thread, pm_host.thread_tid);
        struct pm_slot *slot = pm_slot_find(tid);
        if (slot) {
            pm_thread_id waker = pm_current_thread_running_id(env, self);
            bool calls = pm_slot_is_carrier(slot) && pm_walker_runs_virtual(&self->walker);
            pm_slot_wake(slot, tid, waker, calls ? callers_cause : wakers_chain, self);
        }
    }
    void *next = pm_hook_call(PM_HOOK_UNPARK);
    ((unpark_function)next)(env, unsafe, thread);
    pm_hook_return(PM_HOOK_UNPARK, next);
}

bool pm_park_is_unseen(JNIEnv *env, jthread thread, int64_t tid)
{
    jint state = 0;
    struct pm_slot *slot = pm_slot_find(tid);
    uint64_t mark = slot ? pm_slot_mark(slot) : 0;
    if ((slot && (!mark || pm_slot_is_passing(slot))) || (!slot && pm_slot_pool_is_full()) ||
        !pm_thread_facts_state(env, thread, &state) || !(state & JVMTI_THREAD_STATE_PARKED))
        return false;
    return pm_slot_find(tid) == slot && (!slot || pm_slot_mark(slot) == mark);
}
