#include "recorder/agent/waits/slot.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "recorder/agent/base/clock.h"
#include "recorder/agent/base/hot.h"
#include "recorder/agent/base/moment.h"
#include "recorder/agent/base/sparse-table.h"
#include "recorder/agent/waits/buffer.h"
#include "recorder/agent/waits/gate.h"

enum wake_state { EMPTY = 0, BUSY = 1, FULL = 2 };

/* line 0   word       sequence of the wait entering, in progress or last ended << 8 | state
 *          tid, thread, and what find and the free list need
 *          buffer     of ended waits
 * line 1   wait       in progress; written while ENTERING only, so a reader that sees the same
 *                     word before and after a copy has a whole one
 * line 2   wake       the wake record, written by wakers                                        */
struct pm_slot {
    _Alignas(64) _Atomic uint64_t word;
    _Atomic int64_t tid;
    _Atomic uint32_t thread;
    _Atomic uint32_t next; /* in its bucket of the index: slot number + 1 */
    uint32_t next_free;    /* or next released */
    uint32_t cells; /* number + 1 of its overflow cells, for ever; 0: none yet. The writer's */
    _Atomic bool released;
    _Atomic bool overflown;  /* its cells were ever used */
    _Atomic bool spare_full; /* set by the thread, reset by the drain */
    _Atomic bool unbound;    /* to virtual threads; for ever */
    _Atomic bool passing;    /* parks unrecorded */
    _Atomic bool carrier;    /* its thread runs virtual ones */
    _Atomic bool owned;      /* one thread alone writes to it */
    struct pm_buffer buffer;

    _Alignas(64) struct pm_raw_wait wait;

    _Alignas(64) _Atomic uint32_t wake_state;
    _Atomic bool wake_many;
    uint8_t wake_cause;
    uint32_t wake_thread;
    _Atomic uint32_t wake_chain;
    int64_t wake_ns;
    int64_t wake_tid; /* whom it was meant for: a slot may pass to another thread meanwhile */
};

_Static_assert(sizeof(struct pm_slot) == 3 * 64, "a slot is three cache lines");

/* Overflow cells of a slot, two banks: the thread writes to one while the drain empties the other.
 * `writes` is odd while the thread writes. In memory of their own: a slot gets some with its first
 * overflow, if there is memory then.
 *
 * Before the cells comes the spare: room for one wait, the first that found none in the buffer
 * since the drain was here. So whatever the drain saw in progress it gets to see the end of. Until
 * the drain took it nothing goes to the buffer, so that all stay in order. Every slot has one. */
#define N_CELLS 8

struct cell {
    uint32_t blocker;
    uint32_t kind;
    int64_t waits; /* 0 = free */
    int64_t thread_time_ns;
    int64_t longest_ns;
    int64_t first_begin_ns, last_end_ns;
};

struct cells {
    _Alignas(64) _Atomic uint32_t bank; /* the one written to */
    _Atomic uint32_t writes;
    uint32_t turned_at; /* `writes` as the bank was turned; the drain's */
    bool turned;        /* the other bank is not emptied yet; the drain's */
    struct cell bank_cells[2][N_CELLS];
};

/* Cells shared by all slots, for what found no room in its own: atomics, never freed. One more for
 * blocker 0, which is there whatever memory there is. */
#define N_SHARED_CELLS 8192

struct shared_cell {
    _Alignas(64) _Atomic uint64_t key; /* no slot << 40 | kind << 32 | blocker, + 1; 0 = free */
    _Atomic int64_t waits;
    _Atomic int64_t thread_time_ns;
    _Atomic int64_t longest_ns;
    _Atomic int64_t first_begin_ns, last_end_ns;
};

static struct {
    _Alignas(64) struct pm_slot *slots;
    uint32_t n_buckets;           /* a power of two */
    _Atomic uint32_t changes;     /* of the index, odd while it changes: for find */
    struct pm_sparse_table index; /* buckets by tid: slot number + 1 */
    struct pm_raw_wait *spares;
    struct cells *cells;
    struct pm_reservation slot_reservation, spare_reservation, cell_reservation;
    struct pm_sparse_table shared; /* of struct shared_cell */
    struct shared_cell last_resort;
    uint32_t max;
    _Atomic uint32_t n_cells; /* ever given */
    _Atomic uint32_t n;       /* ever claimed, unbound ones too */
    _Atomic uint32_t n_unbound;
    _Atomic bool spilled;      /* something went to the shared cells since the last drain */
    pthread_mutex_t lock;      /* claim, release, free */
    _Atomic uint32_t free;     /* slot number + 1; written under the lock, as is: */
    _Atomic uint32_t released; /* slots of ended threads, not free yet */
} pool PM_HOT_DATA = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* A wait left by another thread is being written, lies there, is being ended. The drain sees
 * ENTERING, PARKED, LEAVING. */
#define RECORDING   ((enum pm_slot_state)5)
#define IN_PROGRESS ((enum pm_slot_state)6)
#define CLOSING     ((enum pm_slot_state)7)

#ifndef NDEBUG
static enum pm_slot_state state_of(const struct pm_slot *slot)
{
    return (enum pm_slot_state)(atomic_load_explicit(&slot->word, memory_order_relaxed) & 0xff);
}
#endif

static uint64_t word_of(uint32_t sequence, enum pm_slot_state state)
{
    return (uint64_t)sequence << 8 | state;
}

int pm_slot_pool_init(const struct pm_slot_limits *limits)
{
    uint32_t max = limits && limits->max_slots ? limits->max_slots : 65536;
    uint32_t waits = limits && limits->buffer_waits ? limits->buffer_waits : 63;
    uint32_t buffers = limits && limits->max_buffers ? limits->max_buffers : 16384;
    /* Ids of threads follow one another, and so come past every bucket in time. */
    uint32_t n_buckets = 64;
    while (n_buckets < max / 4)
        n_buckets *= 2;

    int error = pm_buffer_pool_init(waits, buffers);
    if (error)
        return error;
    pool.max = max;
    pool.n_buckets = n_buckets;
    if (pm_reservation_init(&pool.slot_reservation, max * sizeof *pool.slots) ||
        pm_reservation_init(&pool.spare_reservation, max * sizeof *pool.spares) ||
        pm_reservation_init(&pool.cell_reservation, max * sizeof *pool.cells) ||
        pm_sparse_table_init(&pool.shared, N_SHARED_CELLS * sizeof(struct shared_cell)) ||
        pm_sparse_table_init(&pool.index, n_buckets * sizeof(uint32_t))) {
        pm_slot_pool_clear();
        return PM_ERROR_MEMORY;
    }
    pool.slots = (struct pm_slot *)(void *)pool.slot_reservation.base;
    pool.spares = (struct pm_raw_wait *)(void *)pool.spare_reservation.base;
    pool.cells = (struct cells *)(void *)pool.cell_reservation.base;
    return 0;
}

void pm_slot_pool_clear(void)
{
    pm_reservation_clear(&pool.slot_reservation);
    pm_reservation_clear(&pool.spare_reservation);
    pm_reservation_clear(&pool.cell_reservation);
    pm_sparse_table_clear(&pool.shared);
    pm_sparse_table_clear(&pool.index);
    memset(&pool.last_resort, 0, sizeof pool.last_resort);
    atomic_store(&pool.free, 0);
    atomic_store(&pool.released, 0);
    atomic_store(&pool.n, 0);
    atomic_store(&pool.n_unbound, 0);
    atomic_store(&pool.n_cells, 0);
    atomic_store(&pool.spilled, false);
    pm_buffer_pool_clear();
}

/* -- who has which slot -- */

static size_t offset_of(int64_t tid)
{
    return ((uint32_t)tid & (pool.n_buckets - 1)) * sizeof(uint32_t);
}

/* NULL: nobody with such a tid was ever here. */
static _Atomic uint32_t *bucket_of(int64_t tid)
{
    return pm_sparse_table_at(&pool.index, offset_of(tid));
}

/* Whether one more slot can be had after `n`. */
static bool can_grow(uint32_t n)
{
    return n < pool.max &&
           pm_reservation_open(&pool.slot_reservation, (n + 1) * sizeof *pool.slots) &&
           pm_reservation_open(&pool.spare_reservation, (n + 1) * sizeof *pool.spares);
}

PM_HOT struct pm_slot *pm_slot_find(int64_t tid)
{
    for (int tries = 0; tries < 8; tries++) {
        uint32_t before = atomic_load_explicit(&pool.changes, memory_order_acquire);
        const _Atomic uint32_t *bucket = bucket_of(tid);
        uint32_t at = bucket ? atomic_load_explicit(bucket, memory_order_acquire) : 0;
        for (int steps = 0; at && steps < 4096; steps++) {
            struct pm_slot *slot = &pool.slots[at - 1];
            if (atomic_load_explicit(&slot->tid, memory_order_acquire) == tid)
                return slot;
            at = atomic_load_explicit(&slot->next, memory_order_acquire);
        }
        atomic_thread_fence(memory_order_acquire);
        if (!(before & 1) && atomic_load_explicit(&pool.changes, memory_order_relaxed) == before)
            return NULL;
    }
    return NULL;
}

struct pm_slot *pm_slot_claim(pm_thread_id thread, int64_t tid)
{
    assert(thread.n && tid);
    if (!pm_sparse_table_open(&pool.index, offset_of(tid)) || pm_slot_pool_is_full())
        return pm_slot_find(tid); /* who goes without asks again and again */
    pthread_mutex_lock(&pool.lock);
    struct pm_slot *slot = pm_slot_find(tid);
    uint32_t n = atomic_load_explicit(&pool.n, memory_order_relaxed);
    if (slot) {
        pthread_mutex_unlock(&pool.lock);
        return slot;
    }
    if (pool.free) {
        slot = &pool.slots[pool.free - 1];
        pool.free = slot->next_free;
    } else if (can_grow(n)) {
        slot = &pool.slots[n];
    }
    if (slot) {
        /* Another number than at its last thread's end: a wait in progress found of that one must
         * fail. */
        bool fresh = slot == &pool.slots[n];
        uint32_t sequence =
            (uint32_t)(atomic_load_explicit(&slot->word, memory_order_relaxed) >> 8) + !fresh;
        atomic_store_explicit(&slot->thread, thread.n, memory_order_relaxed);
        atomic_store_explicit(&slot->released, false, memory_order_relaxed);
        atomic_store_explicit(&slot->passing, false, memory_order_relaxed);
        atomic_store_explicit(&slot->carrier, false, memory_order_relaxed);
        atomic_store_explicit(&slot->owned, false, memory_order_relaxed);
        atomic_store_explicit(&slot->wake_many, false, memory_order_relaxed);
        atomic_store_explicit(&slot->wake_state, EMPTY, memory_order_relaxed);
        atomic_store_explicit(&slot->tid, tid, memory_order_relaxed);
        atomic_fetch_add_explicit(&pool.changes, 1, memory_order_acq_rel);
        _Atomic uint32_t *bucket = bucket_of(tid);
        atomic_store_explicit(&slot->next, atomic_load_explicit(bucket, memory_order_relaxed),
                              memory_order_relaxed);
        atomic_store_explicit(bucket, (uint32_t)(slot - pool.slots) + 1, memory_order_release);
        atomic_fetch_add_explicit(&pool.changes, 1, memory_order_acq_rel);
        atomic_store_explicit(&slot->word, word_of(sequence, PM_SLOT_IDLE), memory_order_release);
        if (fresh)
            atomic_store_explicit(&pool.n, n + 1, memory_order_release);
    }
    pthread_mutex_unlock(&pool.lock);
    return slot;
}

bool pm_slot_own(struct pm_slot *slot)
{
    pthread_mutex_lock(&pool.lock);
    bool is_own = !atomic_load(&slot->released) && !atomic_exchange(&slot->owned, true);
    pthread_mutex_unlock(&pool.lock);
    return is_own;
}

uint32_t pm_slot_pool_unbound_max(void)
{
    return pool.max - pool.max / 4;
}

struct pm_slot *pm_slot_claim_unbound(void)
{
    struct pm_slot *slot = NULL;
    if (!can_grow(atomic_load_explicit(&pool.n, memory_order_relaxed)))
        return NULL; /* who goes without asks again and again */
    pthread_mutex_lock(&pool.lock);
    uint32_t n = atomic_load_explicit(&pool.n, memory_order_relaxed);
    uint32_t n_unbound = atomic_load_explicit(&pool.n_unbound, memory_order_relaxed);
    if (can_grow(n) && n_unbound < pm_slot_pool_unbound_max()) {
        slot = &pool.slots[n];
        atomic_store_explicit(&slot->unbound, true, memory_order_relaxed);
        atomic_store_explicit(&slot->word, word_of(0, PM_SLOT_IDLE), memory_order_relaxed);
        atomic_store_explicit(&pool.n_unbound, n_unbound + 1, memory_order_relaxed);
        atomic_store_explicit(&pool.n, n + 1, memory_order_release);
    }
    pthread_mutex_unlock(&pool.lock);
    return slot;
}

void pm_slot_lend(struct pm_slot *slot, int64_t tid)
{
    uint64_t word = atomic_load_explicit(&slot->word, memory_order_relaxed);
    assert(pm_slot_is_unbound(slot) && state_of(slot) == PM_SLOT_IDLE);
    pm_slot_forget_wake(slot); /* one that came late, for the thread before */
    atomic_store_explicit(&slot->tid, tid, memory_order_release);
    atomic_store_explicit(&slot->word, word_of((uint32_t)(word >> 8) + 1, PM_SLOT_ENTERING),
                          memory_order_release);
}

void pm_slot_take_back(struct pm_slot *slot)
{
    pm_slot_forget_wake(slot);
    atomic_store_explicit(&slot->tid, 0, memory_order_release);
}

bool pm_slot_is_unbound(const struct pm_slot *slot)
{
    return atomic_load_explicit(&slot->unbound, memory_order_relaxed);
}

/* Under the lock. */
static void release(struct pm_slot *slot)
{
    int64_t tid = atomic_load_explicit(&slot->tid, memory_order_relaxed);
    uint32_t number = (uint32_t)(slot - pool.slots) + 1;
    atomic_fetch_add_explicit(&pool.changes, 1, memory_order_acq_rel);
    for (_Atomic uint32_t *at = bucket_of(tid); *at; at = &pool.slots[*at - 1].next) {
        if (*at == number) {
            atomic_store_explicit(at, slot->next, memory_order_release);
            break;
        }
    }
    atomic_fetch_add_explicit(&pool.changes, 1, memory_order_acq_rel);
    if (!atomic_exchange_explicit(&slot->released, true, memory_order_release)) {
        slot->next_free = pool.released;
        pool.released = number;
    }
}

void pm_slot_release(struct pm_slot *slot)
{
    assert(slot);
    pthread_mutex_lock(&pool.lock);
    release(slot);
    pthread_mutex_unlock(&pool.lock);
}

void pm_slot_release_of(int64_t tid)
{
    pthread_mutex_lock(&pool.lock);
    struct pm_slot *slot = pm_slot_find(tid);
    if (slot && !atomic_load(&slot->owned))
        release(slot);
    pthread_mutex_unlock(&pool.lock);
}

int64_t pm_slot_tid(const struct pm_slot *slot)
{
    return atomic_load_explicit(&slot->tid, memory_order_relaxed);
}

pm_thread_id pm_slot_thread(const struct pm_slot *slot)
{
    return (pm_thread_id){atomic_load_explicit(&slot->thread, memory_order_relaxed)};
}

/* -- a wait -- */

/* The slot is not idle as its thread enters: a wait in progress that another thread found lies
 * there and ends here. */
static __attribute__((noinline)) uint64_t end_in_progress(struct pm_slot *slot)
{
    uint64_t word = atomic_load(&slot->word);
    for (unsigned tries = 0; (word & 0xff) >= RECORDING; tries++) {
        if ((word & 0xff) == IN_PROGRESS)
            pm_slot_end_in_progress(slot);
        else
            pm_moment_pass(tries); /* some stores away */
        word = atomic_load(&slot->word);
    }
    return word;
}

void pm_slot_end_in_progress_of(int64_t tid)
{
    struct pm_slot *slot = pm_slot_find(tid);
    if (slot)
        end_in_progress(slot);
}

PM_HOT void pm_slot_enter(struct pm_slot *slot)
{
    uint64_t word = atomic_load_explicit(&slot->word, memory_order_relaxed);
    /* Sequential consistency pairs with pm_slot_wake: a waker that still sees us idle read its
     * clock before ours, so that its wake is a permit. And with pm_slot_set_in_progress. */
    for (;;) {
        if (__builtin_expect((word & 0xff) != PM_SLOT_IDLE, 0))
            word = end_in_progress(slot);
        uint64_t next = word_of((uint32_t)(word >> 8) + 1, PM_SLOT_ENTERING);
        if (atomic_compare_exchange_strong(&slot->word, &word, next)) {
            atomic_thread_fence(memory_order_release); /* before anything of the wait is written */
            return;
        }
    }
}

PM_HOT int64_t pm_slot_begin(struct pm_slot *slot, const struct pm_raw_wait *wait)
{
    assert(state_of(slot) == PM_SLOT_ENTERING);
    uint32_t sequence = (uint32_t)(atomic_load_explicit(&slot->word, memory_order_relaxed) >> 8);
    slot->wait = *wait;
    slot->wait.sequence = sequence;
    slot->wait.end_ns = 0;
    slot->wait.wake_ns = 0;
    int64_t begin_ns = pm_clock_now();
    slot->wait.begin_ns = begin_ns;
    atomic_store_explicit(&slot->word, word_of(sequence, PM_SLOT_PARKED), memory_order_release);
    return begin_ns;
}

static void add_shared(const struct pm_raw_wait *wait, bool no_slot)
{
    uint64_t key = ((uint64_t)no_slot << 40 | (uint64_t)wait->kind << 32 | wait->blocker.n) + 1;
    uint32_t h = (uint32_t)(key * 0x9e3779b97f4a7c15u >> 40);
    struct shared_cell *cell = &pool.last_resort;
    for (uint32_t i = 0; i < 64; i++) {
        struct shared_cell *next =
            pm_sparse_table_open(&pool.shared, (h + i) % N_SHARED_CELLS * sizeof *next);
        uint64_t found = 0;
        if (!next)
            break;
        if (atomic_compare_exchange_strong(&next->key, &found, key) || found == key) {
            cell = next;
            break;
        }
    }
    int64_t time_ns = wait->end_ns - wait->begin_ns;
    int64_t seen = atomic_load(&cell->longest_ns);
    while (seen < time_ns && !atomic_compare_exchange_weak(&cell->longest_ns, &seen, time_ns)) {
    }
    seen = atomic_load(&cell->first_begin_ns);
    while ((seen == 0 || seen > wait->begin_ns) &&
           !atomic_compare_exchange_weak(&cell->first_begin_ns, &seen, wait->begin_ns)) {
    }
    seen = atomic_load(&cell->last_end_ns);
    while (seen < wait->end_ns &&
           !atomic_compare_exchange_weak(&cell->last_end_ns, &seen, wait->end_ns)) {
    }
    atomic_fetch_add(&cell->thread_time_ns, time_ns);
    atomic_fetch_add(&cell->waits, 1);
    atomic_store(&pool.spilled, true);
}

void pm_slot_add_unslotted(const struct pm_raw_wait *wait)
{
    assert(wait->end_ns >= wait->begin_ns);
    add_shared(wait, true);
}

/* NULL: there is no memory. By the slot's one writer. */
static struct cells *get_cells(struct pm_slot *slot)
{
    uint32_t n = atomic_load_explicit(&pool.n_cells, memory_order_relaxed);
    while (!slot->cells) {
        if (!pm_reservation_open(&pool.cell_reservation, (n + 1) * sizeof *pool.cells))
            return NULL;
        if (atomic_compare_exchange_weak(&pool.n_cells, &n, n + 1))
            slot->cells = n + 1;
    }
    return &pool.cells[slot->cells - 1];
}

static void add_overflow(struct pm_slot *slot, const struct pm_raw_wait *wait)
{
    /* The drain has read the one before. */
    if (!atomic_load_explicit(&slot->spare_full, memory_order_acquire)) {
        pool.spares[slot - pool.slots] = *wait;
        atomic_store_explicit(&slot->spare_full, true, memory_order_release);
        return;
    }
    struct cells *cells = get_cells(slot);
    if (!cells) {
        add_shared(wait, false);
        return;
    }
    atomic_store_explicit(&slot->overflown, true, memory_order_release);
    atomic_fetch_add(&cells->writes, 1);
    struct cell *bank = cells->bank_cells[atomic_load(&cells->bank)];
    struct cell *cell = NULL;
    for (int i = 0; i < N_CELLS; i++) {
        if (bank[i].waits == 0 && !cell)
            cell = &bank[i];
        if (bank[i].waits && bank[i].blocker == wait->blocker.n && bank[i].kind == wait->kind) {
            cell = &bank[i];
            break;
        }
    }
    if (cell) {
        int64_t time_ns = wait->end_ns - wait->begin_ns;
        if (cell->waits == 0)
            *cell = (struct cell){
                .blocker = wait->blocker.n, .kind = wait->kind, .first_begin_ns = wait->begin_ns};
        cell->waits++;
        cell->thread_time_ns += time_ns;
        if (cell->longest_ns < time_ns)
            cell->longest_ns = time_ns;
        cell->last_end_ns = wait->end_ns;
    }
    atomic_fetch_add(&cells->writes, 1);
    if (!cell)
        add_shared(wait, false);
}

/* How a wait ended. */
struct ending {
    int64_t end_ns, wake_ns;
    pm_thread_id waker;
    pm_chain_id waker_chain;
    uint16_t flags; /* more of them */
    uint8_t wake_cause;
};

/* The ended wait, where it is to lie. Copied once, and written to only: to read at once what was
 * written in other pieces stalls. */
static inline void write_ended(struct pm_raw_wait *to, const struct pm_raw_wait *open,
                               const struct ending *ending, uint32_t home)
{
    *to = *open;
    to->end_ns = ending->end_ns;
    to->wake_ns = ending->wake_ns;
    to->waker = ending->waker;
    to->waker_chain = ending->waker_chain;
    to->flags = open->flags | ending->flags;
    to->wake_cause = ending->wake_cause;
    to->home = home;
}

/* False: there is no room. */
static bool append_to(struct pm_slot *slot, const struct pm_raw_wait *open,
                      const struct ending *ending, uint32_t home)
{
    struct pm_raw_wait *to = NULL;
    uint64_t opened;
    if (!atomic_load_explicit(&slot->spare_full, memory_order_acquire))
        to = pm_buffer_open(&slot->buffer, open->begin_ns, &opened);
    if (!to)
        return false;
    write_ended(to, open, ending, home);
    pm_buffer_close(&slot->buffer, opened);
    return true;
}

static void append(struct pm_slot *slot, const struct pm_raw_wait *open,
                   const struct ending *ending)
{
    struct pm_raw_wait wait;
    if (append_to(slot, open, ending, 0))
        return;
    write_ended(&wait, open, ending, 0);
    add_overflow(slot, &wait);
}

/* Is the wake record that lies there for this thread, and no older than the recording? */
static inline bool is_wake_of_slot(const struct pm_slot *slot)
{
    return slot->wake_tid == atomic_load_explicit(&slot->tid, memory_order_relaxed) &&
           slot->wake_ns >= atomic_load_explicit(&pm_gate_opened_ns, memory_order_relaxed);
}

/* Adds the wake record to a park that has ended, if there is one; what its waiter knows of its end
 * is in `wait`. */
static void take_wake(struct pm_slot *slot, const struct pm_raw_wait *open, struct ending *wait)
{
    uint8_t cause = wait->wake_cause;
    /* An unpark of a thread that waits for a monitor is the permit of its next park. */
    if (open->kind != PM_KIND_PARK ||
        atomic_load_explicit(&slot->wake_state, memory_order_acquire) != FULL)
        return;
    if (is_wake_of_slot(slot)) {
        wait->waker.n = slot->wake_thread;
        wait->waker_chain.n = atomic_load_explicit(&slot->wake_chain, memory_order_relaxed);
        wait->wake_ns = slot->wake_ns;
        wait->wake_cause = slot->wake_ns < open->begin_ns ? PM_WAKE_PERMIT : slot->wake_cause;
        /* A wake as the timeout passed or the interrupt came: either may have ended it. */
        if (cause != PM_WAKE_UNKNOWN && wait->wake_cause != PM_WAKE_PERMIT)
            wait->flags |= PM_WAIT_AMBIGUOUS;
    }
    if (atomic_load_explicit(&slot->wake_many, memory_order_relaxed)) {
        wait->flags |= PM_WAIT_AMBIGUOUS;
        atomic_store_explicit(&slot->wake_many, false, memory_order_relaxed);
    }
    atomic_store_explicit(&slot->wake_state, EMPTY, memory_order_release);
}

/* The second half of an end, in state LEAVING or CLOSING. `ending`: what its thread knows of it. */
PM_HOT static void leave(struct pm_slot *slot, uint32_t sequence, struct ending ending)
{
    ending.end_ns = pm_clock_now_after(slot->wait.begin_ns);
    take_wake(slot, &slot->wait, &ending);
    append(slot, &slot->wait, &ending);
    atomic_store_explicit(&slot->word, word_of(sequence, PM_SLOT_IDLE), memory_order_release);
}

PM_HOT bool pm_slot_is_idle(const struct pm_slot *slot)
{
    uint64_t state = atomic_load_explicit(&slot->word, memory_order_relaxed) & 0xff;
    return state == PM_SLOT_IDLE || state >= RECORDING;
}

PM_HOT void pm_slot_end(struct pm_slot *slot, uint8_t cause, uint16_t extra_flags)
{
    assert(state_of(slot) == PM_SLOT_PARKED);
    uint32_t sequence = (uint32_t)(atomic_load_explicit(&slot->word, memory_order_relaxed) >> 8);
    atomic_store_explicit(&slot->word, word_of(sequence, PM_SLOT_LEAVING), memory_order_release);
    leave(slot, sequence, (struct ending){.wake_cause = cause, .flags = extra_flags});
}

PM_HOT bool pm_slot_leave(struct pm_slot *slot)
{
    uint64_t word = atomic_load_explicit(&slot->word, memory_order_relaxed);
    uint32_t sequence = (uint32_t)(word >> 8);
    return (word & 0xff) == PM_SLOT_PARKED &&
           atomic_compare_exchange_strong(&slot->word, &word, word_of(sequence, PM_SLOT_LEAVING));
}

static struct ending ending_of(const struct pm_raw_wait *end)
{
    return (struct ending){.wake_ns = end->wake_ns,
                           .waker = end->waker,
                           .waker_chain = end->waker_chain,
                           .flags = end->flags,
                           .wake_cause = end->wake_cause};
}

PM_HOT void pm_slot_end_woken(struct pm_slot *slot, const struct pm_raw_wait *end)
{
    assert(state_of(slot) == PM_SLOT_LEAVING);
    uint64_t word = atomic_load_explicit(&slot->word, memory_order_relaxed);
    leave(slot, (uint32_t)(word >> 8), ending_of(end));
}

void pm_slot_set_mounted(struct pm_slot *slot)
{
    __atomic_store_n(&slot->wait.flags, slot->wait.flags & ~PM_WAIT_VIRTUAL, __ATOMIC_RELAXED);
}

PM_HOT void pm_slot_end_unbound(struct pm_slot *slot, struct pm_slot *here,
                                const struct pm_raw_wait *end, bool is_sure)
{
    uint32_t sequence = (uint32_t)(atomic_load_explicit(&slot->word, memory_order_relaxed) >> 8);
    atomic_store_explicit(&slot->word, word_of(sequence, PM_SLOT_LEAVING), memory_order_release);
    int64_t end_ns = pm_clock_now_after(slot->wait.begin_ns);
    struct ending ending = ending_of(end);
    if (!ending.waker.n) {
        take_wake(slot, &slot->wait, &ending);
    } else {
        struct ending woken = {.wake_cause = PM_WAKE_UNKNOWN};
        take_wake(slot, &slot->wait, &woken);
        bool is_other = woken.waker.n && woken.waker.n != ending.waker.n;
        if (is_other && !is_sure)
            ending = woken;
        if (is_other)
            ending.flags |= PM_WAIT_AMBIGUOUS;
    }
    ending.end_ns = end_ns;

    bool taken = false;
    if (here && pm_slot_is_idle(here)) {
        uint64_t state = atomic_load_explicit(&here->word, memory_order_relaxed) & 0xff;
        if (__builtin_expect(state != PM_SLOT_IDLE, 0)) { /* a wait in progress of the carrier's */
            pm_slot_enter(here);
            pm_slot_cancel(here);
        }
        taken = append_to(here, &slot->wait, &ending, (uint32_t)(slot - pool.slots) + 1);
    }
    if (!taken)
        append(slot, &slot->wait, &ending);
    atomic_store_explicit(&slot->word, word_of(sequence, PM_SLOT_IDLE), memory_order_release);
}

uint64_t pm_slot_mark(const struct pm_slot *slot)
{
    uint64_t word = atomic_load(&slot->word);
    return (word & 0xff) == PM_SLOT_IDLE ? word : 0;
}

bool pm_slot_set_in_progress(struct pm_slot *slot, uint64_t mark, const struct pm_raw_wait *wait,
                             bool (*lasts)(int64_t tid))
{
    uint32_t sequence = (uint32_t)(mark >> 8) + 1;
    if (!mark || !atomic_compare_exchange_strong(&slot->word, &mark, word_of(sequence, RECORDING)))
        return false;
    if (lasts && !lasts(pm_slot_tid(slot))) {
        atomic_store(&slot->word, word_of(sequence, PM_SLOT_IDLE));
        return false;
    }
    atomic_thread_fence(memory_order_release);
    slot->wait = *wait;
    slot->wait.sequence = sequence;
    slot->wait.flags |= PM_WAIT_BEGIN_UNKNOWN;
    slot->wait.end_ns = 0;
    slot->wait.wake_ns = 0;
    slot->wait.begin_ns = pm_clock_now();
    atomic_store(&slot->word, word_of(sequence, IN_PROGRESS));
    return true;
}

/* Whoever moves it from IN_PROGRESS on ends it, and is the buffer's one writer meanwhile. */
void pm_slot_end_in_progress(struct pm_slot *slot)
{
    uint64_t word = atomic_load(&slot->word);
    uint32_t sequence = (uint32_t)(word >> 8);
    if ((word & 0xff) == IN_PROGRESS &&
        atomic_compare_exchange_strong(&slot->word, &word, word_of(sequence, CLOSING)))
        leave(slot, sequence, (struct ending){.wake_cause = PM_WAKE_UNKNOWN});
}

uint64_t pm_slot_open_mark(const struct pm_slot *slot, enum pm_kind kind)
{
    uint64_t word = atomic_load_explicit(&slot->word, memory_order_acquire);
    uint8_t its_kind = slot->wait.kind;
    atomic_thread_fence(memory_order_acquire);
    return (word & 0xff) == PM_SLOT_PARKED && its_kind == kind &&
                   atomic_load_explicit(&slot->word, memory_order_relaxed) == word
               ? word
               : 0;
}

void pm_slot_close(struct pm_slot *slot, uint64_t mark)
{
    uint32_t sequence = (uint32_t)(mark >> 8);
    if (!mark || !atomic_compare_exchange_strong(&slot->word, &mark, word_of(sequence, CLOSING)))
        return;
    leave(slot, sequence, (struct ending){.wake_cause = PM_WAKE_UNKNOWN, .flags = PM_WAIT_AT_MOST});
}

bool pm_slot_may_be_open(const struct pm_slot *slot, enum pm_kind other)
{
    uint64_t state = atomic_load_explicit(&slot->word, memory_order_acquire) & 0xff;
    return state == PM_SLOT_ENTERING || (state == PM_SLOT_PARKED && slot->wait.kind != other);
}

bool pm_slot_is_in_progress(const struct pm_slot *slot)
{
    return (atomic_load(&slot->word) & 0xff) == IN_PROGRESS;
}

void pm_slot_cancel(struct pm_slot *slot)
{
    assert(state_of(slot) == PM_SLOT_ENTERING || state_of(slot) == PM_SLOT_LEAVING ||
           pm_slot_is_unbound(slot));
    uint32_t sequence = (uint32_t)(atomic_load_explicit(&slot->word, memory_order_relaxed) >> 8);
    atomic_store_explicit(&slot->word, word_of(sequence, PM_SLOT_IDLE), memory_order_release);
}

void pm_slot_set_passing(struct pm_slot *slot, bool passing)
{
    atomic_store_explicit(&slot->passing, passing, memory_order_release);
}

void pm_slot_set_carrier(struct pm_slot *slot)
{
    atomic_store_explicit(&slot->carrier, true, memory_order_relaxed);
}

PM_HOT bool pm_slot_is_carrier(const struct pm_slot *slot)
{
    return atomic_load_explicit(&slot->carrier, memory_order_relaxed);
}

bool pm_slot_is_passing(const struct pm_slot *slot)
{
    return atomic_load_explicit(&slot->passing, memory_order_acquire);
}

void pm_slot_forget_wake(struct pm_slot *slot)
{
    uint32_t full = FULL;
    if (atomic_load_explicit(&slot->wake_state, memory_order_acquire) != FULL)
        return;
    if (atomic_compare_exchange_strong(&slot->wake_state, &full, EMPTY))
        atomic_store_explicit(&slot->wake_many, false, memory_order_relaxed);
}

PM_HOT void pm_slot_prefetch(const struct pm_slot *slot)
{
    for (size_t line = 0; line < sizeof *slot; line += 64)
        pm_prefetch_to_write((const char *)slot + line);
}

PM_HOT bool pm_slot_wake(struct pm_slot *target, int64_t tid, pm_thread_id waker,
                         pm_chain_id (*get_chain)(void *context, uint8_t *ret_cause), void *context)
{
    uint32_t expected = EMPTY;
    __builtin_prefetch(target); /* its tid and its word */
    if (!atomic_compare_exchange_strong(&target->wake_state, &expected, BUSY)) {
        atomic_store_explicit(&target->wake_many, true, memory_order_relaxed);
        return true;
    }
    if (atomic_load_explicit(&target->tid, memory_order_relaxed) != tid) {
        atomic_store_explicit(&target->wake_state, EMPTY, memory_order_release);
        return false;
    }
    target->wake_tid = tid;
    target->wake_thread = waker.n;
    target->wake_cause = PM_WAKE_UNKNOWN;
    target->wake_ns = pm_clock_now();
    enum pm_slot_state state = (enum pm_slot_state)(atomic_load(&target->word) & 0xff);
    uint32_t chain = 0;
    if (get_chain && (state == PM_SLOT_PARKED || state == PM_SLOT_ENTERING || state == IN_PROGRESS))
        chain = get_chain(context, &target->wake_cause).n;
    atomic_store_explicit(&target->wake_chain, chain, memory_order_relaxed);
    atomic_store_explicit(&target->wake_state, FULL, memory_order_release);
    return true;
}

/* -- the drain's side -- */

size_t pm_slot_pool_count(void)
{
    return atomic_load_explicit(&pool.n, memory_order_acquire);
}

size_t pm_slot_pool_unbound_count(void)
{
    return atomic_load_explicit(&pool.n_unbound, memory_order_acquire);
}

struct pm_slot *pm_slot_pool_at(size_t index)
{
    assert(index < pm_slot_pool_count());
    return &pool.slots[index];
}

/* A sequence lock: what was copied while a thread wrote is thrown away, as the word tells, by
 * fences that ThreadSanitizer does not know. */
__attribute__((no_sanitize("thread"))) bool pm_slot_look(const struct pm_slot *slot,
                                                         struct pm_slot_view *ret_view)
{
    for (int tries = 0; tries < 16; tries++) {
        struct pm_slot_view view;
        uint64_t word = atomic_load_explicit(&slot->word, memory_order_acquire);
        view.state = (enum pm_slot_state)(word & 0xff);
        if (view.state >= RECORDING)
            view.state = PM_SLOT_ENTERING + (view.state - RECORDING);
        view.sequence = (uint32_t)(word >> 8);
        view.thread.n = atomic_load_explicit(&slot->thread, memory_order_relaxed);
        view.tid = atomic_load_explicit(&slot->tid, memory_order_relaxed);
        view.released = atomic_load_explicit(&slot->released, memory_order_acquire);
        if (view.state == PM_SLOT_PARKED || view.state == PM_SLOT_LEAVING)
            view.wait = slot->wait;
        else
            memset(&view.wait, 0, sizeof view.wait);
        atomic_thread_fence(memory_order_acquire);
        if (atomic_load_explicit(&slot->word, memory_order_relaxed) == word) {
            *ret_view = view;
            return true;
        }
    }
    return false;
}

bool pm_slot_is_as_before(const struct pm_slot *slot, uint32_t sequence, enum pm_slot_state state)
{
    uint64_t word = atomic_load_explicit(&slot->word, memory_order_acquire);
    return word == word_of(sequence, state) ||
           (state == PM_SLOT_PARKED && word == word_of(sequence, IN_PROGRESS));
}

bool pm_slot_wake_chain(const struct pm_slot *slot, pm_chain_id *ret_chain)
{
    uint32_t state = atomic_load_explicit(&slot->wake_state, memory_order_acquire);
    ret_chain->n =
        state == FULL ? atomic_load_explicit(&slot->wake_chain, memory_order_relaxed) : 0;
    return state != BUSY;
}

__attribute__((no_sanitize("thread"))) bool pm_slot_look_at_wake(const struct pm_slot *slot,
                                                                 struct pm_raw_wait *wait)
{
    if (wait->kind != PM_KIND_PARK ||
        atomic_load_explicit(&slot->wake_state, memory_order_acquire) != FULL)
        return false;
    struct pm_raw_wait woken = *wait;
    woken.wake_ns = slot->wake_ns;
    woken.waker.n = slot->wake_thread;
    woken.waker_chain.n = atomic_load_explicit(&slot->wake_chain, memory_order_relaxed);
    woken.wake_cause = slot->wake_cause;
    if (atomic_load_explicit(&slot->wake_many, memory_order_relaxed))
        woken.flags |= PM_WAIT_AMBIGUOUS;
    bool is_meant = is_wake_of_slot(slot) && woken.wake_ns >= wait->begin_ns;
    atomic_thread_fence(memory_order_acquire);
    /* Only the thread itself takes a record away, once its wait is over. */
    if (!is_meant || !pm_slot_is_as_before(slot, wait->sequence, PM_SLOT_PARKED))
        return false;
    *wait = woken;
    return true;
}

size_t pm_slot_drain(struct pm_slot *slot, struct pm_raw_wait *ret_waits, size_t max)
{
    /* Looked at before the buffer is: all that came before it is there then. */
    bool spare = atomic_load_explicit(&slot->spare_full, memory_order_acquire);
    size_t n = pm_buffer_take(&slot->buffer, ret_waits, max);
    if (spare && n < max) {
        ret_waits[n++] = pool.spares[slot - pool.slots];
        atomic_store_explicit(&slot->spare_full, false, memory_order_release);
    }
    return n;
}

static void drain_cell(struct shared_cell *cell,
                       void (*each)(void *context, const struct pm_overflow *overflow),
                       void *context)
{
    int64_t waits = atomic_exchange(&cell->waits, 0);
    int64_t time_ns = atomic_exchange(&cell->thread_time_ns, 0);
    if (waits == 0 && time_ns == 0)
        return;
    uint64_t key = atomic_load(&cell->key);
    struct pm_overflow overflow = {.waits = waits, .thread_time_ns = time_ns};
    overflow.longest_ns = atomic_exchange(&cell->longest_ns, 0);
    overflow.first_begin_ns = atomic_exchange(&cell->first_begin_ns, 0);
    overflow.last_end_ns = atomic_exchange(&cell->last_end_ns, 0);
    if (key) {
        overflow.blocker.n = (uint32_t)(key - 1);
        overflow.kind = (uint8_t)((key - 1) >> 32);
        overflow.no_slot = (key - 1) >> 40;
    }
    each(context, &overflow);
}

static void drain_shared(void (*each)(void *context, const struct pm_overflow *overflow),
                         void *context)
{
    for (uint32_t i = 0; i < N_SHARED_CELLS; i++) {
        struct shared_cell *cell = pm_sparse_table_at(&pool.shared, i * sizeof *cell);
        if (cell)
            drain_cell(cell, each, context);
    }
    drain_cell(&pool.last_resort, each, context);
}

void pm_slot_pool_drain_overflow(void (*each)(void *context, const struct pm_overflow *overflow),
                                 void *context)
{
    if (atomic_load_explicit(&pool.spilled, memory_order_relaxed) &&
        atomic_exchange(&pool.spilled, false))
        drain_shared(each, context);
}

void pm_slot_drain_overflow(struct pm_slot *slot,
                            void (*each)(void *context, const struct pm_overflow *overflow),
                            void *context)
{
    pm_slot_pool_drain_overflow(each, context);
    if (!atomic_load_explicit(&slot->overflown, memory_order_acquire))
        return;

    struct cells *cells = &pool.cells[slot->cells - 1];
    uint32_t bank = atomic_load(&cells->bank);
    if (!cells->turned) {
        atomic_store(&cells->bank, bank ^ 1);
        cells->turned = true;
        cells->turned_at = atomic_load(&cells->writes);
        bank ^= 1;
    }
    /* A write under way as the bank was turned may be to the old one; the next call will find it
     * done. */
    if ((cells->turned_at & 1) && atomic_load(&cells->writes) == cells->turned_at)
        return;
    cells->turned = false;
    struct cell *old = cells->bank_cells[bank ^ 1];
    for (int i = 0; i < N_CELLS; i++) {
        if (old[i].waits) {
            struct pm_overflow overflow = {.blocker = {old[i].blocker},
                                           .kind = (uint8_t)old[i].kind,
                                           .waits = old[i].waits,
                                           .thread_time_ns = old[i].thread_time_ns,
                                           .longest_ns = old[i].longest_ns,
                                           .first_begin_ns = old[i].first_begin_ns,
                                           .last_end_ns = old[i].last_end_ns};
            old[i].waits = 0;
            each(context, &overflow);
        }
    }
}

static bool has_overflow(struct pm_slot *slot)
{
    if (atomic_load_explicit(&slot->spare_full, memory_order_acquire))
        return true;
    if (!atomic_load_explicit(&slot->overflown, memory_order_acquire))
        return false;
    struct cells *cells = &pool.cells[slot->cells - 1];
    if (cells->turned)
        return true;
    for (int i = 0; i < 2 * N_CELLS; i++)
        if (cells->bank_cells[i / N_CELLS][i % N_CELLS].waits)
            return true;
    return false;
}

bool pm_slot_is_drained(struct pm_slot *slot)
{
    return !has_overflow(slot);
}

/* Of an ended thread: nothing is left that the drain has not taken. */
static bool is_spent(struct pm_slot *slot)
{
    uint64_t word = atomic_load_explicit(&slot->word, memory_order_acquire);
    bool empty = pm_buffer_tidy(&slot->buffer, true);
    return empty && (word & 0xff) == PM_SLOT_IDLE && !has_overflow(slot);
}

void pm_slot_pool_free_released(void)
{
    if (!atomic_load_explicit(&pool.released, memory_order_relaxed))
        return;
    pthread_mutex_lock(&pool.lock);
    uint32_t number = pool.released, next;
    pool.released = 0;
    pthread_mutex_unlock(&pool.lock);
    for (; number; number = next) {
        struct pm_slot *slot = &pool.slots[number - 1];
        bool spent = is_spent(slot);
        next = slot->next_free;
        pthread_mutex_lock(&pool.lock);
        if (spent) {
            uint64_t word = atomic_load_explicit(&slot->word, memory_order_relaxed);
            atomic_store_explicit(&slot->overflown, false, memory_order_relaxed);
            atomic_store_explicit(&slot->word, word_of((uint32_t)(word >> 8), PM_SLOT_FREE),
                                  memory_order_release);
            slot->next_free = pool.free;
            pool.free = number;
        } else {
            slot->next_free = pool.released;
            pool.released = number;
        }
        pthread_mutex_unlock(&pool.lock);
    }
}

bool pm_slot_pool_is_full(void)
{
    return !atomic_load_explicit(&pool.free, memory_order_relaxed) &&
           !can_grow(atomic_load_explicit(&pool.n, memory_order_relaxed));
}

uint32_t pm_slot_pool_used(void)
{
    uint32_t n = 0;
    for (size_t i = 0; i < pm_slot_pool_count(); i++) {
        uint64_t word = atomic_load_explicit(&pool.slots[i].word, memory_order_relaxed);
        n += (word & 0xff) != PM_SLOT_FREE && !pm_slot_is_unbound(&pool.slots[i]);
    }
    return n;
}

void pm_slot_pool_tidy(void)
{
    pm_buffer_pool_tidy();
    pm_slot_pool_free_released();
    size_t n = pm_slot_pool_count();
    for (size_t i = 0; i < n; i++) {
        struct pm_slot *slot = &pool.slots[i];
        uint64_t word = atomic_load_explicit(&slot->word, memory_order_acquire);
        if ((word & 0xff) != PM_SLOT_FREE &&
            !atomic_load_explicit(&slot->released, memory_order_acquire))
            pm_buffer_tidy(&slot->buffer, false);
    }
}

void pm_slot_pool_watch(size_t more_pages, void (*on_many)(void))
{
    pm_buffer_pool_watch((uint32_t)more_pages, on_many);
}

uint64_t pm_slot_pool_given_back(void)
{
    return pm_buffer_pool_given_back();
}
