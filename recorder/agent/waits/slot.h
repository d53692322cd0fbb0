/* Slots and buffers: where an application thread leaves its current wait, and its ended waits, for
 * the drain thread. The interface between the two sides of the agent: park.c, monitor.c, vthread.c
 * and in-progress.c write, follow.c reads; neither calls the other. Knows no JVM, so it can be
 * tested without one.
 *
 * A slot belongs to one thread for the thread's lifetime; the pool is never unmapped, slots are
 * reused, and a slot has a Thread.tid, checked after every claim. A thread that never waits has no
 * slot and no buffer. Unbound slots are for virtual threads, one wait each; the end of such a wait
 * is in the buffer of the carrier that it ended on.
 *
 * Protocol of a wait (single writer: the waiting thread itself, on whichever carrier it is):
 *
 *   pm_slot_enter    state ENTERING; then all JNI reads
 *   pm_slot_begin    fills the wait, *then* reads the clock, then state PARKED
 *   … the original park …
 *   pm_slot_end      state LEAVING, reads the clock, takes the wake record, appends the raw wait to
 *                    the buffer (or its overflow cells), then state IDLE
 *
 * Each wait has a per-slot sequence number. The drain reads the slot, *then* the buffer, and
 * ignores a wait from the slot if the buffer has one with the same number. A wait that it saw in a
 * slot is delivered by pm_slot_drain once it has ended, never by an overflow cell.
 *
 * Wake record: EMPTY → BUSY → FULL. Every unpark claims it (the first wins; a loser sets `many`),
 * writes, publishes FULL, *then* calls the original. The target takes FULL when its park returns;
 * BUSY is left for its next park. A wake from before the begin is a permit; one from before the
 * gate was opened is ignored, because an unrecorded park may have consumed it. */
#pragma once

#include <stdatomic.h>

#include "format/error.h"
#include "recorder/agent/waits/raw-wait.h"

enum pm_slot_state {
    PM_SLOT_FREE = 0,
    PM_SLOT_IDLE = 1,
    PM_SLOT_ENTERING = 2,
    PM_SLOT_PARKED = 3,
    PM_SLOT_LEAVING = 4,
};

struct pm_slot; /* opaque to the drain */

struct pm_slot_limits {
    uint32_t max_slots;    /* 0 = 65536 */
    uint32_t buffer_waits; /* per buffer segment; 0 = 63, a page with its head */
    uint32_t max_buffers;  /* segments in the pool; 0 = 16384 */
};

/* Once, before any claim. Reserves address space, and takes memory as needed (reservation.h): if
 * there is none, the pool is exhausted. PM_ERROR_MEMORY. */
int pm_slot_pool_init(const struct pm_slot_limits *limits);
/* For tests: unmaps everything; no thread may hold a slot. */
void pm_slot_pool_clear(void);

/* -- the application's side (lock-free, no allocation after a thread's first wait) -- */

/* A slot for the thread (its existing one, if a wait in progress was recorded there), NULL if the
 * pool is exhausted: see pm_slot_add_unslotted. Takes a lock: once in a thread's life. */
struct pm_slot *pm_slot_claim(pm_thread_id thread, int64_t tid);
/* By a thread that will write its waits there. False: another one of this tid does, as a program
 * may give two the same. */
bool pm_slot_own(struct pm_slot *slot);
void pm_slot_release(struct pm_slot *slot); /* thread ended; the drain frees it once it is empty */
/* The same for the slot of a thread that has ended, if there is one that nobody owns. Any thread.
 */
void pm_slot_release_of(int64_t tid);
int64_t pm_slot_tid(const struct pm_slot *slot);
pm_thread_id pm_slot_thread(const struct pm_slot *slot);
/* The slot claimed for Thread.tid, NULL if there is none. Lock-free. */
struct pm_slot *pm_slot_find(int64_t tid);

void pm_slot_enter(struct pm_slot *slot);
/* `wait`: everything except begin, end, wake and sequence. Returns the begin that was read from the
 * clock. */
int64_t pm_slot_begin(struct pm_slot *slot, const struct pm_raw_wait *wait);
/* `cause`, `extra_flags`: what the waiter itself knows (timeout, interrupt); a wake record takes
 * precedence. */
void pm_slot_end(struct pm_slot *slot, uint8_t cause, uint16_t extra_flags);
/* The same in two steps, if the waiter knows its waker, a monitor's notifier: state LEAVING, in
 * which it may read who that was (false: the wait was closed meanwhile, and nothing else is
 * needed); then uses cause, flags, waker, its chain and wake instant of `end`. */
bool pm_slot_leave(struct pm_slot *slot);
void pm_slot_end_woken(struct pm_slot *slot, const struct pm_raw_wait *end);
/* Whether no wait that its thread began is open. There may be one in progress that another thread
 * found, which ends when the thread enters. For the thread itself. */
bool pm_slot_is_idle(const struct pm_slot *slot);
/* Adds an ended wait of a thread without a slot to an overflow cell, all of it, even if recording
 * was stopped meanwhile. Uses begin, end, kind and blocker of `wait`. */
void pm_slot_add_unslotted(const struct pm_raw_wait *wait);
/* Cancels the wait (exception pending) after pm_slot_enter or pm_slot_leave: back to IDLE, nothing
 * recorded. */
void pm_slot_cancel(struct pm_slot *slot);
/* Sets whether its thread is parked in a wait that is not recorded. */
void pm_slot_set_passing(struct pm_slot *slot, bool passing);
bool pm_slot_is_passing(const struct pm_slot *slot);
/* Its thread is a carrier of virtual threads. */
void pm_slot_set_carrier(struct pm_slot *slot);
bool pm_slot_is_carrier(const struct pm_slot *slot);
/* An unrecorded park has ended: its wake record does not belong to the next park. Called by its own
 * thread. */
void pm_slot_forget_wake(struct pm_slot *slot);

/* Adds a wait that began before recording (attach, start) to the slot of another, blocked thread:
 * `mark` is the result of pm_slot_mark before the thread was examined, 0 if it has a wait already.
 * False if the thread moved on meanwhile. Flags get PM_WAIT_BEGIN_UNKNOWN. `lasts` is called once
 * more, after which the thread finds the wait here when it waits again; NULL: it is found anyway,
 * because this is the slot of its own waits. */
uint64_t pm_slot_mark(const struct pm_slot *slot);
bool pm_slot_set_in_progress(struct pm_slot *slot, uint64_t mark, const struct pm_raw_wait *wait,
                             bool (*lasts)(int64_t tid));
/* Ends it, unless its thread did so by waiting again. Any thread. */
void pm_slot_end_in_progress(struct pm_slot *slot);
/* The same for the thread with this Thread.tid, if there is one; the wait has ended on return. */
void pm_slot_end_in_progress_of(int64_t tid);
bool pm_slot_is_in_progress(const struct pm_slot *slot);

/* For a monitor wait whose end is not reported: its mark while it is open and of that kind, else 0;
 * and closes the wait with that mark, if it is still open, as of now (PM_WAIT_AT_MOST). Any thread.
 */
uint64_t pm_slot_open_mark(const struct pm_slot *slot, enum pm_kind kind);
void pm_slot_close(struct pm_slot *slot, uint64_t mark);
/* Is a wait of another kind than `other` open there, or any beginning? Any thread. */
bool pm_slot_may_be_open(const struct pm_slot *slot, enum pm_kind other);

/* A slot for waits of virtual threads, one after the other and whoever's (`thread` of the raw wait
 * tells), given by vthread-slot.h. Never given back. NULL: there is none left; a quarter of the
 * pool is kept for platform threads. Takes a lock. */
struct pm_slot *pm_slot_claim_unbound(void);
uint32_t pm_slot_pool_unbound_max(void); /* how many at most */
bool pm_slot_is_unbound(const struct pm_slot *slot);
/* The thread that an unbound slot is for now: wakers look for it. Enters it, once whoever calls has
 * made that known by a full barrier. */
void pm_slot_lend(struct pm_slot *slot, int64_t tid);
void pm_slot_take_back(struct pm_slot *slot); /* it is nobody's, after its wait or pm_slot_cancel */
/* The waiter of the wait that it has begun there stays mounted: no PM_WAIT_VIRTUAL. */
void pm_slot_set_mounted(struct pm_slot *slot);
/* Ends the wait in an unbound slot. Of `end` cause, flags, waker, its chain, wake instant; the wake
 * record counts where there is no waker, or one that is not `is_sure`. The ended wait goes to the
 * buffer of `here`, the slot of the carrier that this runs on; NULL: none. */
void pm_slot_end_unbound(struct pm_slot *slot, struct pm_slot *here, const struct pm_raw_wait *end,
                         bool is_sure);

/* A hint to the processor: all of it will be written to. */
void pm_slot_prefetch(const struct pm_slot *slot);

/* The waker's side, on any thread: claims, fills and publishes the wake record of the slot that was
 * found for `tid`; false when it is another thread's now. `get_chain` is called only when the
 * target is parked or about to be and the claim was won; `*ret_cause` is PM_WAKE_UNKNOWN before. */
bool pm_slot_wake(struct pm_slot *target, int64_t tid, pm_thread_id waker,
                  pm_chain_id (*get_chain)(void *context, uint8_t *ret_cause), void *context);

/* -- the drain's side (one thread) -- */

size_t pm_slot_pool_count(void);         /* slots ever claimed, unbound ones too */
size_t pm_slot_pool_unbound_count(void); /* of them, unbound */
struct pm_slot *pm_slot_pool_at(size_t index);

struct pm_slot_view {
    enum pm_slot_state state;
    pm_thread_id thread; /* the slot's; see wait.thread */
    int64_t tid;
    struct pm_raw_wait wait; /* of the wait in progress when PARKED or LEAVING; end_ns 0 */
    uint32_t sequence;       /* of the wait entering, in progress or last ended */
    bool released;           /* its thread ended */
};
/* A consistent copy (retries while it changes; gives up after some and returns false). */
bool pm_slot_look(const struct pm_slot *slot, struct pm_slot_view *ret_view);

/* Whether it is in this state, IDLE or PARKED, with this sequence, as it was once before: then no
 * wait in it has begun or ended since. */
bool pm_slot_is_as_before(const struct pm_slot *slot, uint32_t sequence, enum pm_slot_state state);

/* The chain of the wake record that lies there untaken, 0 when there is none; false while a waker
 * writes one. */
bool pm_slot_wake_chain(const struct pm_slot *slot, pm_chain_id *ret_chain);

/* Adds to a copy of the park in progress by whom it was woken, if it was since it began: its thread
 * has not run since. False: it was not, or is over. */
bool pm_slot_look_at_wake(const struct pm_slot *slot, struct pm_raw_wait *wait);

/* Takes up to `max` ended waits in order. Returns how many. */
size_t pm_slot_drain(struct pm_slot *slot, struct pm_raw_wait *ret_waits, size_t max);

/* Waits that found no room: counted per (blocker, kind), exact: nothing is lost or told twice,
 * though one wait's count and time may come in two calls (`waits` may be 0), and all of them with
 * a later call when the application is writing just now. Calls back for each cell and empties it.
 * `first_begin_ns`…`last_end_ns` bound them in time. Blocker 0 gathers what had not even a cell. */
struct pm_overflow {
    pm_blocker_id blocker;
    uint8_t kind;
    int64_t waits;
    int64_t thread_time_ns;
    int64_t longest_ns;
    int64_t first_begin_ns, last_end_ns;
    bool no_slot; /* waits of threads without one */
};
void pm_slot_drain_overflow(struct pm_slot *slot,
                            void (*each)(void *context, const struct pm_overflow *overflow),
                            void *context);
/* The same for those of threads without a slot, and of slots without a cell. */
void pm_slot_pool_drain_overflow(void (*each)(void *context, const struct pm_overflow *overflow),
                                 void *context);
/* Whether no wait of it that ended is in its own cells. Where the drain has taken its buffer, too,
 * there is none, until what it shows changes. */
bool pm_slot_is_drained(struct pm_slot *slot);
/* Frees the released slots that are empty. After each reading of all slots. */
void pm_slot_pool_free_released(void);
/* … and gives back buffers of slots that were idle since the last call. Once a second. */
void pm_slot_pool_tidy(void);
bool pm_slot_pool_is_full(void);
uint32_t pm_slot_pool_used(void);       /* by threads, or not free again yet */
uint64_t pm_slot_pool_given_back(void); /* memory, of what its reservations have opened */
/* Once as many more pages of ended waits are filled than were when it was called, `on_many` is
 * called, on the thread that filled the last of them; until it is set again, not again. */
void pm_slot_pool_watch(size_t more_pages, void (*on_many)(void));
