/* Slots of virtual threads: where the wait of an unmounted virtual thread lies. Such a wait begins
 * on one carrier and ends on another, so nothing of it may be kept by carrier: it is found again by
 * Thread.tid. Only the virtual thread itself, on whichever carrier it is, opens and closes its
 * slot.
 *
 * Each has an unbound slot (slot.h) as long as there are any. Without one, only what is needed to
 * count the wait is kept; if there are already a million of those, or no memory for more, the wait
 * is counted without its time. Lock-free except for the first use of a slot. Makes no JVM calls. */
#pragma once

#include "recorder/agent/waits/slot.h"

#include <stdatomic.h>

/* What the end of a wait must know, beside its slot. */
struct pm_open_wait {
    int64_t begin_ns;
    pm_blocker_id blocker;
    uint32_t watched_hash, watched_word; /* with is_watching notify.h's, of an Object.wait */
    bool is_open;
    bool unslotted; /* began without a slot: it counts as it ends, and that is all */
    uint8_t kind;
    bool is_hooked;   /* an Object.wait that ends in our own hook */
    bool joins;       /* an Object.wait for a thread that lived as it began */
    bool interrupted; /* its thread was, as it began: it throws at once */
    bool is_watching;
};

struct pm_vthread_slot {
    struct pm_open_wait open;
    _Atomic int64_t tid;    /* 0: nobody's */
    _Atomic uint32_t place; /* of its tid in the index; while it is free, the next free one */
    uint8_t hold;           /* epoch.h's, without any slot */
    bool is_named;          /* its thread is in thread.h's table: not removed while it waits */
    bool is_bare;           /* there was no slot left, and what follows is not there either */
    struct pm_slot *slot;
    int64_t deadline_ns; /* of a park; INT64_MAX: none */
};

/* Its slot; NULL: there was none left. */
static inline struct pm_slot *pm_vthread_slot_slot(const struct pm_vthread_slot *vslot)
{
    return vslot->is_bare ? NULL : vslot->slot;
}

/* Has the timeout of its park passed? Only of a wait that is stored. */
bool pm_vthread_slot_is_late(const struct pm_vthread_slot *vslot);

/* After the slots' pool. `max`: 0 = 2^20. Takes no memory before the first is opened. 0. */
int pm_vthread_slot_init(uint32_t max);
void pm_vthread_slot_clear(void); /* for tests */

/* A slot for the thread; NULL when there is none. One that it has already (its end was never told)
 * is closed first. */
struct pm_vthread_slot *pm_vthread_slot_open(int64_t tid);
/* The thread's own, NULL when it has none. */
struct pm_vthread_slot *pm_vthread_slot_find(int64_t tid);
/* Is the thread's wait open in what pm_vthread_slot_open gave? Its own thread. */
bool pm_vthread_slot_is_of(const struct pm_vthread_slot *vslot, int64_t tid);
/* The wait in such a slot, as in slot.h. `here`: the slot of the carrier that this runs on, NULL
 * when it has none. Between enter and begin the JVM is asked; begin sets `open` but for what
 * notify.h keeps there; end closes it, and so does cancel, when it was no wait after all. */
void pm_vthread_slot_enter(struct pm_vthread_slot *vslot, struct pm_slot *here);
void pm_vthread_slot_begin(struct pm_vthread_slot *vslot, struct pm_slot *here,
                           const struct pm_raw_wait *wait);
void pm_vthread_slot_end(struct pm_vthread_slot *vslot, struct pm_slot *here,
                         const struct pm_raw_wait *how);
void pm_vthread_slot_cancel(struct pm_vthread_slot *vslot);

/* Hints to the processor, as soon as it is known that the thread will begin, or is woken, or has
 * ended its wait. They change nothing. */
void pm_vthread_slot_prefetch_begin(int64_t tid);
void pm_vthread_slot_prefetch_wake(int64_t tid);
void pm_vthread_slot_prefetch_end(const struct pm_vthread_slot *vslot, int64_t tid);

/* Where whoever opened the slot may keep a reference to its thread, NULL at first; NULL: there is
 * no memory. And all slots that are open, for whoever looks at these; any thread, one at a time. */
_Atomic(void *) *pm_vthread_slot_keep(struct pm_vthread_slot *vslot);
void pm_vthread_slot_visit_kept(void (*each)(void *context, struct pm_vthread_slot *vslot,
                                             _Atomic(void *) *kept),
                                void *context);
/* The thread keeps its carrier in its wait. Its own thread. */
void pm_vthread_slot_pin(int64_t tid);
/* Ends the wait of a thread that was collected, as of now at the latest. Any thread. */
void pm_vthread_slot_end_collected(struct pm_vthread_slot *vslot);

/* How many have a wait in progress that another thread found (in-progress.h), or are just to have
 * one: it lies in a bound slot under their tid, and ends as they enter the next. */
extern _Atomic uint32_t pm_vthread_slot_standing;
/* Has it not waited again? For pm_slot_set_in_progress. */
bool pm_vthread_slot_stands(int64_t tid);

/* The waker's side, on any thread, as pm_slot_wake: leaves a wake record with the wait of the
 * thread. Where it has none yet, a note of the permit that it will find, unless it `is_parked`, in
 * a wait that is not recorded, which uses the permit up; of many such threads the latest are known.
 * Returns a ticket for that note, else 0. */
uint64_t pm_vthread_slot_wake(int64_t tid, pm_thread_id waker,
                              pm_chain_id (*get_chain)(void *context, uint8_t *ret_cause),
                              bool (*is_parked)(void *context), void *context);
/* The thread has been woken: the permit that the note tells of is given. */
void pm_vthread_slot_given(uint64_t ticket);
/* Between enter and begin, on its own thread, which had no permit just before: forgets the note of
 * a permit that was given and that `has_permit`, asked now, does not find. It was used up where
 * nobody saw it, and would be told as the end of this wait. */
void pm_vthread_slot_settle(int64_t tid, bool (*has_permit)(void *context), void *context);
/* It has found its permit without waiting. Its own thread. */
void pm_vthread_slot_pass(int64_t tid);

/* Waits in progress without a slot: how many there are, and each of them. What begins or ends
 * meanwhile may be left out. */
uint32_t pm_vthread_slot_count_bare(void);
void pm_vthread_slot_visit_bare(void (*each)(void *context, pm_blocker_id blocker, uint8_t kind,
                                             int64_t begin_ns),
                                void *context);

/* Was any ever opened? The first question of whoever looks for one. */
bool pm_vthread_slot_any(void);
/* A carrier ends: what it kept for its next wait is anybody's. */
void pm_vthread_slot_thread_end(void);
