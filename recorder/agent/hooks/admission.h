/* Whether a wait that begins is recorded: the one decision for parks, monitors, virtual threads and
 * waits in progress. Each refusal is counted by its reason (waits/refusal.h). Lock-free. */
#pragma once

#include "recorder/agent/hooks/current-thread.h"

/* Who is about to wait. */
struct pm_waiter {
    enum pm_kind kind;
    jthread thread;  /* NULL: the current one, asked for if it is virtual */
    bool is_virtual; /* known to be, before; and whether it is, after */
    bool is_hooked;  /* LockSupport tells of the park: `thread` and `tid` are known */
    bool is_other;   /* not the current thread, but one found in a wait */
    struct pm_current_thread *self; /* of the platform thread that this runs on */
    pm_thread_id id;                /* of a park 0 when none is left */
    int64_t tid;
};

/* `vthreads=`. Before the gate opens. */
void pm_admission_set_virtual(bool recorded);

/* May its wait be recorded? In: `kind`, `thread`, `is_virtual`, `is_other`, `is_hooked`; the rest
 * is filled in. `self` stays NULL when the gate is closed, and for another thread. An Object.wait
 * that the current thread has left without a word is closed first. */
bool pm_may_record(JNIEnv *env, struct pm_waiter *waiter);
