#include "recorder/agent/berth.h"

#include "recorder/agent/generation.h"
#include "recorder/agent/native-thread.h"
#include "recorder/agent/store.h"

#define N_WAYS 8 /* a cache line of tids */

/* Who lies where: buckets of tids with the number of their berth + 1. A tid is in one of two
 * buckets. Ids of new threads are consecutive and so fill the first ones evenly. */
struct index {
    _Atomic int64_t *tids; /* 0 = free */
    uint32_t *numbers;     /* written and read by the thread of the tid only */
    uint32_t n_buckets;    /* a power of two */
};

/* Berths that are equal in this: they have slots, or they have none. */
struct tier {
    struct index index;
    struct pm_berth *berths;
    uint32_t max;
    _Atomic uint32_t n;    /* ever used */
    _Atomic uint64_t free; /* number + 1; a count against ABA in the high half */
    _Atomic uint32_t *links;
    _Atomic uint32_t n_open;
};

static struct tier tiers[2];
static struct tier *const slotted = &tiers[0];
static struct tier *const bare = &tiers[1];

/* -- the index -- */

static uint32_t bucket_of(const struct index *index, int64_t tid, int choice)
{
    uint64_t hash = choice == 0 ? (uint64_t)tid : (uint64_t)tid * 0x9e3779b97f4a7c15u >> 32;
    return ((uint32_t)hash & (index->n_buckets - 1)) * N_WAYS;
}

static bool put(struct index *index, int64_t tid, uint32_t number)
{
    for (int choice = 0; choice < 2; choice++) {
        uint32_t first = bucket_of(index, tid, choice);
        for (uint32_t at = first; at < first + N_WAYS; at++) {
            int64_t free = 0;
            if (atomic_load_explicit(&index->tids[at], memory_order_relaxed) == 0 &&
                atomic_compare_exchange_strong(&index->tids[at], &free, tid)) {
                index->numbers[at] = number;
                return true;
            }
        }
    }
    return false;
}

/* Where the tid is, UINT32_MAX: nowhere. */
static uint32_t seek(const struct index *index, int64_t tid)
{
    for (int choice = 0; choice < 2; choice++) {
        uint32_t first = bucket_of(index, tid, choice);
        for (uint32_t at = first; at < first + N_WAYS; at++) {
            if (atomic_load_explicit(&index->tids[at], memory_order_relaxed) == tid)
                return at;
        }
    }
    return UINT32_MAX;
}

/* -- free berths -- */

static uint32_t pop(struct tier *tier)
{
    uint64_t head = atomic_load(&tier->free);
    while ((uint32_t)head) {
        uint32_t link =
            atomic_load_explicit(&tier->links[(uint32_t)head - 1], memory_order_relaxed);
        if (atomic_compare_exchange_weak(&tier->free, &head, ((head >> 32) + 1) << 32 | link))
            return (uint32_t)head;
    }
    uint32_t n = atomic_load_explicit(&tier->n, memory_order_relaxed);
    while (n < tier->max) {
        if (atomic_compare_exchange_weak(&tier->n, &n, n + 1))
            return n + 1;
    }
    return 0;
}

static void push(struct tier *tier, uint32_t number)
{
    uint64_t head = atomic_load(&tier->free);
    do {
        atomic_store_explicit(&tier->links[number - 1], (uint32_t)head, memory_order_relaxed);
    } while (!atomic_compare_exchange_weak(&tier->free, &head, ((head >> 32) + 1) << 32 | number));
}

/* -- a tier -- */

static int tier_init(struct tier *tier, uint32_t max)
{
    uint32_t n_buckets = 1;
    while (n_buckets * N_WAYS < 2 * max)
        n_buckets *= 2;
    size_t n = (size_t)n_buckets * N_WAYS;
    tier->max = max;
    tier->index.n_buckets = n_buckets;
    tier->index.tids = pm_reserve(n * sizeof *tier->index.tids);
    tier->index.numbers = pm_reserve(n * sizeof *tier->index.numbers);
    tier->berths = pm_reserve(max * sizeof *tier->berths);
    tier->links = pm_reserve(max * sizeof *tier->links);
    return tier->index.tids && tier->index.numbers && tier->berths && tier->links ? 0
                                                                                  : PM_ERROR_MEMORY;
}

static void tier_clear(struct tier *tier)
{
    size_t n = (size_t)tier->index.n_buckets * N_WAYS;
    pm_unreserve((void *)tier->index.tids, n * sizeof *tier->index.tids);
    pm_unreserve(tier->index.numbers, n * sizeof *tier->index.numbers);
    pm_unreserve(tier->berths, tier->max * sizeof *tier->berths);
    pm_unreserve((void *)tier->links, tier->max * sizeof *tier->links);
    *tier = (struct tier){0};
}

/* The first use of a berth of the tier with slots gets it one, for ever. */
static struct pm_berth *take(struct tier *tier, int64_t tid)
{
    uint32_t number = pop(tier);
    if (!number)
        return NULL;
    struct pm_berth *berth = &tier->berths[number - 1];
    if (tier == slotted && !berth->slot)
        berth->slot = pm_slot_lend();
    if ((tier == slotted && !berth->slot) || !put(&tier->index, tid, number)) {
        push(tier, number);
        return NULL;
    }
    atomic_fetch_add_explicit(&tier->n_open, 1, memory_order_relaxed);
    berth->tid = tid;
    return berth;
}

static struct pm_berth *find_in(const struct tier *tier, int64_t tid)
{
    if (atomic_load_explicit(&tier->n_open, memory_order_relaxed) == 0)
        return NULL;
    uint32_t at = seek(&tier->index, tid);
    return at == UINT32_MAX ? NULL : &tier->berths[tier->index.numbers[at] - 1];
}

/* -- the outside -- */

int pm_berth_init(uint32_t max)
{
    uint32_t n_slots = pm_slot_pool_lendable();
    if (tier_init(slotted, n_slots ? n_slots : 1) || tier_init(bare, max ? max : 1u << 20)) {
        pm_berth_clear();
        return PM_ERROR_MEMORY;
    }
    return 0;
}

void pm_berth_clear(void)
{
    tier_clear(slotted);
    tier_clear(bare);
}

struct pm_berth *pm_berth_open(int64_t tid)
{
    struct pm_berth *berth = pm_berth_find(tid);
    if (__builtin_expect(berth != NULL, 0))
        pm_berth_cancel(berth);
    berth = take(slotted, tid);
    return berth ? berth : take(bare, tid);
}

struct pm_berth *pm_berth_find(int64_t tid)
{
    struct pm_berth *berth = find_in(slotted, tid);
    return berth ? berth : find_in(bare, tid);
}

static void leave(struct pm_berth *berth)
{
    berth->open.is_open = false;
    struct tier *tier = berth->slot ? slotted : bare;
    uint32_t at = seek(&tier->index, berth->tid);
    uint32_t number = (uint32_t)(berth - tier->berths) + 1;
    if (at != UINT32_MAX)
        atomic_store_explicit(&tier->index.tids[at], 0, memory_order_release);
    atomic_fetch_sub_explicit(&tier->n_open, 1, memory_order_relaxed);
    push(tier, number);
}

/* What the tables give is safe between enter and begin of a slot: crossing.h. */
void pm_berth_enter(struct pm_berth *berth, struct pm_slot *here)
{
    if (berth->slot)
        pm_slot_enter(berth->slot);
    else if (here)
        pm_slot_enter(here);
    else
        berth->hold = pm_generation_hold();
}

void pm_berth_begin(struct pm_berth *berth, struct pm_slot *here, const struct pm_raw_wait *wait)
{
    struct pm_open_wait *open = &berth->open;
    *open = (struct pm_open_wait){
        .is_open = true, .kind = wait->kind, .blocker = wait->blocker, .unslotted = !berth->slot};
    if (berth->slot) {
        open->begin_ns = pm_slot_begin(berth->slot, wait);
        return;
    }
    if (here)
        pm_slot_cancel(here);
    else
        pm_generation_release(berth->hold);
    open->begin_ns = pm_clock_now();
}

void pm_berth_end(struct pm_berth *berth, struct pm_slot *here, const struct pm_raw_wait *how)
{
    const struct pm_open_wait *open = &berth->open;
    if (berth->slot) {
        pm_slot_end_lent(berth->slot, here, how);
    } else {
        const struct pm_raw_wait wait = {.kind = open->kind,
                                         .blocker = open->blocker,
                                         .begin_ns = open->begin_ns,
                                         .end_ns = pm_clock_now()};
        pm_slot_count(&wait);
    }
    leave(berth);
}

void pm_berth_cancel(struct pm_berth *berth)
{
    if (berth->slot)
        pm_slot_cancel(berth->slot);
    leave(berth);
}

bool pm_berth_any(void)
{
    return atomic_load_explicit(&slotted->n_open, memory_order_relaxed) != 0 ||
           atomic_load_explicit(&bare->n_open, memory_order_relaxed) != 0;
}

uint64_t pm_berth_memory(void)
{
    uint64_t n = atomic_load_explicit(&slotted->n, memory_order_relaxed) +
                 (uint64_t)atomic_load_explicit(&bare->n, memory_order_relaxed);
    return n * sizeof(struct pm_berth);
}
