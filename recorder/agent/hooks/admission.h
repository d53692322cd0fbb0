/* Decides whether a new wait is recorded, for parks, monitors, virtual threads and waits in
 * progress. Each refusal is counted by reason (waits/refusal.h). Lock-free. */
#pragma once

#include "recorder/agent/hooks/current-thread.h"

/* Who is about to wait. */
struct pm_waiter {
    enum pm_kind kind;
    jthread thread;   /* NULL: the current one, queried if it is virtual */
    bool is_virtual;  /* in: known to be virtual; out: whether it is */
    bool is_hooked;   /* reported by the rewritten LockSupport: `thread` and `tid` are known */
    bool is_nameless; /* is_hooked, and known to have no name */
    bool is_other;    /* not the current thread, but one found waiting */
    struct pm_current_thread *self; /* of the platform thread that this runs on */
    pm_thread_id id;                /* of a park 0 when none is left */
    int64_t tid;
};

/* `vthreads=`. Before the gate opens. */
void pm_admission_set_virtual(bool recorded);

/* Whether the wait may be recorded. In: `kind`, `thread`, `is_virtual`, `is_other`, `is_hooked`;
 * the rest is filled in. `self` stays NULL if the gate is closed, and for another thread. Closes
 * first an Object.wait that the current thread has left unnoticed. */
bool pm_may_record(JNIEnv *env, struct pm_waiter *waiter);
/* A wait of the current thread is over that pm_may_record refused. Had there been no memory for the
 * thread's entry, it counts, with its time, as do those without a slot. */
void pm_admission_end_refused(enum pm_kind kind);
