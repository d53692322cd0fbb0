#include "recorder/agent/hooks/admission.h"

#include <assert.h>

#include "recorder/agent/base/clock.h"
#include "recorder/agent/base/hot.h"
#include "recorder/agent/base/thread-local.h"
#include "recorder/agent/hooks/monitor.h"
#include "recorder/agent/hooks/resolve.h"
#include "recorder/agent/hooks/vthread-events.h"
#include "recorder/agent/hooks/vthread.h"
#include "recorder/agent/hotspot/field.h"
#include "recorder/agent/tables/blocker.h"
#include "recorder/agent/waits/gate.h"
#include "recorder/agent/waits/refusal.h"

static bool record_virtual = true;

void pm_admission_set_virtual(bool recorded)
{
    record_virtual = recorded;
}

static bool refuse(enum pm_refusal reason)
{
    pm_refusal_note(reason);
    return false;
}

/* The current thread, which has no entry now. One that enters a monitor may have left that unseen.
 */
static bool refuse_current(const struct pm_waiter *waiter)
{
    bool lasts = pm_thread_local.lost_since_ns && pm_thread_local.lost_kind != PM_KIND_ENTER;
    if (pm_thread_local.lacks_memory && !lasts) {
        pm_thread_local.lost_since_ns = pm_clock_now();
        pm_thread_local.lost_kind = (uint8_t)waiter->kind;
    }
    if (waiter->is_hooked) /* it may end on another carrier */
        pm_admission_end_refused(waiter->kind);
    return refuse(PM_REFUSAL_THREAD);
}

void pm_admission_end_refused(enum pm_kind kind)
{
    int64_t begin_ns = pm_thread_local.lost_since_ns;
    if (!begin_ns || pm_thread_local.lost_kind != kind)
        return;
    pm_thread_local.lost_since_ns = 0;
    const struct pm_raw_wait wait = {.kind = (uint8_t)kind,
                                     .blocker = pm_blocker_last_resort(),
                                     .begin_ns = begin_ns,
                                     .end_ns = pm_clock_now_after(begin_ns)};
    pm_slot_add_unslotted(&wait);
}

static bool identify_other(JNIEnv *env, struct pm_waiter *waiter)
{
    waiter->tid = pm_field_long(env, waiter->thread, pm_host.thread_tid);
    waiter->id = pm_resolve_thread(env, waiter->thread, waiter->tid, 0);
    return waiter->id.n != 0;
}

static bool identify_virtual(JNIEnv *env, struct pm_waiter *waiter)
{
    struct pm_current_thread *self = waiter->self;
    if (waiter->is_hooked) {
        waiter->id = pm_current_thread_carried_id(env, self, waiter->thread, waiter->tid,
                                                  !waiter->is_nameless);
        return true;
    }
    if (!waiter->thread &&
        ((*pm_host.jvmti)->GetCurrentThread(pm_host.jvmti, &waiter->thread) || !waiter->thread))
        return false;
    waiter->tid = pm_field_long(env, waiter->thread, pm_host.thread_tid);
    /* A program may have changed Thread.tid. */
    waiter->is_virtual = waiter->tid != self->walker.tid && pm_host.virtual_thread &&
                         (*env)->IsInstanceOf(env, waiter->thread, pm_host.virtual_thread);
    waiter->id =
        waiter->is_virtual ? pm_resolve_thread(env, waiter->thread, waiter->tid, 0) : self->id;
    return true;
}

/* Is another wait of it open, as when it enters a monitor inside Object.wait? */
static bool is_nested(const struct pm_waiter *waiter)
{
    if (waiter->self->monitor.is_open)
        return true;
    if (waiter->is_virtual)
        return pm_vthread_slot_find(waiter->tid) != NULL;
    struct pm_slot *slot = pm_current_thread_slot(waiter->self);
    return slot && !pm_slot_is_idle(slot);
}

/* Once LockSupport tells of them, the carrier that parks for a pinned one tells just that. */
static bool may_park(JNIEnv *env, const struct pm_waiter *waiter)
{
    if (!waiter->is_virtual || waiter->is_hooked)
        return true;
    if (pm_vthread_is_rewritten()) {
        pm_vthread_slot_pin(waiter->tid);
        return false;
    }
    return pm_vthread_events_is_wait(env, waiter->thread) || refuse(PM_REFUSAL_NOT_A_WAIT);
}

PM_HOT bool pm_may_record(JNIEnv *env, struct pm_waiter *waiter)
{
    assert(!waiter->self && (!waiter->is_other || waiter->thread));
    if (!pm_gate_open())
        return false;
    if (waiter->is_other && waiter->is_virtual && !record_virtual)
        return refuse(PM_REFUSAL_VTHREADS_OFF);
    if (waiter->is_other)
        return identify_other(env, waiter) || refuse(PM_REFUSAL_THREAD);
    struct pm_current_thread *self = waiter->self = pm_current_thread_get(env);
    if (!self)
        return refuse_current(waiter);
    if (__builtin_expect(self->monitor.is_open, 0))
        pm_monitor_settle(self);
    if (waiter->is_virtual || pm_walker_runs_virtual(&self->walker)) {
        if (!identify_virtual(env, waiter))
            return refuse(PM_REFUSAL_THREAD);
    } else {
        waiter->thread = self->thread;
        waiter->id = self->id;
        waiter->tid = self->walker.tid;
    }
    if (waiter->is_virtual && !record_virtual)
        return refuse(PM_REFUSAL_VTHREADS_OFF);
    if (waiter->kind == PM_KIND_PARK)
        return may_park(env, waiter);
    if (is_nested(waiter))
        return refuse(PM_REFUSAL_NESTED);
    return waiter->id.n || refuse(PM_REFUSAL_THREAD);
}
