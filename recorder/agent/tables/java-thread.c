#include "recorder/agent/tables/java-thread.h"

#include <pthread.h>
#include <stdatomic.h>

#include "format/error.h"
#include "recorder/agent/base/moment.h"
#include "recorder/agent/base/readers.h"
#include "recorder/agent/base/sparse-table.h"

/* A thread is found by its address, and its stack by the granules of address space that it touches:
 * by links in buckets. A stack that touches many granules is looked for in a bucket of its own. */
#define GRANULE_BITS  20
#define MAX_GRANULES  16
#define N_BUCKETS     (1u << 14)
#define MAX_LINKS     (4 * PM_JAVA_THREADS)
#define LARGE_STACKS  (2 * N_BUCKETS)
#define N_ALL_BUCKETS (2 * N_BUCKETS + 1)
#define MAX_STEPS     4096

struct place {
    _Atomic uintptr_t address;
    _Atomic int64_t tid; /* 0: nobody's */
    _Atomic uintptr_t stack_low, stack_high;
    _Atomic bool is_own;
    uint32_t next_free; /* place + 1 */
};

struct link {
    _Atomic uint32_t place; /* + 1 */
    _Atomic uint32_t next;  /* link + 1; in its bucket, or of the free ones */
};

static struct {
    struct pm_reservation place_reservation;
    struct place *places;
    _Atomic uint32_t n; /* ever used */
    uint32_t free_place;
    struct pm_reservation link_reservation;
    struct link *links;
    uint32_t n_links; /* ever used */
    uint32_t free_link;
    struct pm_sparse_table buckets; /* by address, by granule, large stacks: link + 1 */
    _Atomic uint32_t changes;       /* odd while threads come and go */
    struct pm_readers holders;
    pthread_mutex_t lock;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

int pm_java_thread_init(void)
{
    if (pm_reservation_init(&table.place_reservation, PM_JAVA_THREADS * sizeof *table.places) ||
        pm_reservation_init(&table.link_reservation, MAX_LINKS * sizeof *table.links) ||
        pm_sparse_table_init(&table.buckets, N_ALL_BUCKETS * sizeof(uint32_t)))
        return PM_ERROR_MEMORY;
    table.places = (struct place *)(void *)table.place_reservation.base;
    table.links = (struct link *)(void *)table.link_reservation.base;
    return 0;
}

/* NULL: nothing was ever there. */
static _Atomic uint32_t *bucket_at(uint32_t bucket)
{
    return pm_sparse_table_at(&table.buckets, bucket * sizeof(uint32_t));
}

static uint32_t bucket_of_address(uintptr_t address)
{
    return (uint32_t)((address >> 6) * 0x9e3779b97f4a7c15u >> 40) & (N_BUCKETS - 1);
}

static uint32_t bucket_of_stack(uintptr_t address)
{
    uintptr_t granule = address >> GRANULE_BITS;
    return N_BUCKETS + ((uint32_t)(granule * 0x9e3779b97f4a7c15u >> 40) & (N_BUCKETS - 1));
}

/* -- links, under the lock -- */

/* Without memory for it the thread stays unknown. */
static void link_in(uint32_t bucket, uint32_t place)
{
    _Atomic uint32_t *head = pm_sparse_table_open(&table.buckets, bucket * sizeof *head);
    uint32_t number = table.free_link;
    if (!head)
        return;
    if (number)
        table.free_link = table.links[number - 1].next;
    else if (pm_reservation_open(&table.link_reservation,
                                 (table.n_links + 1) * sizeof *table.links))
        number = ++table.n_links;
    else
        return;
    struct link *link = &table.links[number - 1];
    atomic_store_explicit(&link->place, place + 1, memory_order_relaxed);
    atomic_store_explicit(&link->next, *head, memory_order_relaxed);
    atomic_store_explicit(head, number, memory_order_release);
}

static void take_out(uint32_t bucket, uint32_t place)
{
    for (_Atomic uint32_t *at = bucket_at(bucket); at && *at; at = &table.links[*at - 1].next) {
        struct link *link = &table.links[*at - 1];
        if (link->place == place + 1) {
            uint32_t number = *at;
            atomic_store_explicit(at, link->next, memory_order_release);
            link->next = table.free_link;
            table.free_link = number;
            return;
        }
    }
}

static void for_each_bucket(uint32_t index, void (*each)(uint32_t bucket, uint32_t place))
{
    const struct place *place = &table.places[index];
    uintptr_t low = place->stack_low >> GRANULE_BITS << GRANULE_BITS;
    uintptr_t high = place->stack_high;
    each(bucket_of_address(place->address), index);
    if (high > low && (high - low) >> GRANULE_BITS > MAX_GRANULES)
        each(LARGE_STACKS, index);
    else
        for (; low < high; low += (uintptr_t)1 << GRANULE_BITS)
            each(bucket_of_stack(low), index);
}

/* -- finding -- */

enum by { BY_ADDRESS, BY_STACK };

static bool is_it(const struct place *place, enum by by, uintptr_t address)
{
    if (by == BY_ADDRESS)
        return atomic_load_explicit(&place->address, memory_order_relaxed) == address;
    return address >= atomic_load_explicit(&place->stack_low, memory_order_relaxed) &&
           address < atomic_load_explicit(&place->stack_high, memory_order_relaxed);
}

/* Its number + 1. */
static uint32_t seek(uint32_t bucket, enum by by, uintptr_t address)
{
    const _Atomic uint32_t *head = bucket_at(bucket);
    uint32_t number = head ? atomic_load_explicit(head, memory_order_acquire) : 0;
    for (int steps = 0; number && steps < MAX_STEPS; steps++) {
        const struct link *link = &table.links[number - 1];
        uint32_t place = atomic_load_explicit(&link->place, memory_order_relaxed);
        if (place && is_it(&table.places[place - 1], by, address))
            return place;
        number = atomic_load_explicit(&link->next, memory_order_acquire);
    }
    return 0;
}

/* Consistent, or nobody. */
static int64_t find(uint32_t bucket, enum by by, uintptr_t address)
{
    for (int tries = 0; tries < 8; tries++) {
        uint32_t before = atomic_load_explicit(&table.changes, memory_order_acquire);
        uint32_t place = seek(bucket, by, address);
        if (!place && by == BY_STACK)
            place = seek(LARGE_STACKS, by, address);
        int64_t tid =
            place ? atomic_load_explicit(&table.places[place - 1].tid, memory_order_relaxed) : 0;
        atomic_thread_fence(memory_order_acquire);
        if (!(before & 1) && atomic_load_explicit(&table.changes, memory_order_relaxed) == before)
            return tid;
    }
    return 0;
}

/* -- the outside -- */

/* Under the lock. */
static void forget(uint32_t index)
{
    struct place *place = &table.places[index];
    for_each_bucket(index, take_out);
    atomic_store(&place->tid, 0);
    atomic_store(&place->stack_high, 0);
    place->next_free = table.free_place;
    table.free_place = index + 1;
}

void pm_java_thread_begin(const struct pm_java_thread *thread)
{
    pthread_mutex_lock(&table.lock);
    atomic_fetch_add_explicit(&table.changes, 1, memory_order_acq_rel);
    /* Whose end was not told: its memory, or its stack, is this one's now. */
    uint32_t known = seek(bucket_of_address(thread->address), BY_ADDRESS, thread->address);
    if (known)
        forget(known - 1);
    uintptr_t top = thread->stack_high - 1;
    known = thread->stack_high ? seek(bucket_of_stack(top), BY_STACK, top) : 0;
    if (known)
        forget(known - 1);
    uint32_t number = table.free_place;
    uint32_t n = atomic_load_explicit(&table.n, memory_order_relaxed);
    if (number)
        table.free_place = table.places[number - 1].next_free;
    else if (pm_reservation_open(&table.place_reservation, (n + 1) * sizeof *table.places))
        number = n + 1;
    if (number) {
        struct place *place = &table.places[number - 1];
        atomic_store(&place->address, thread->address);
        atomic_store(&place->stack_low, thread->stack_low);
        atomic_store(&place->stack_high, thread->stack_high);
        atomic_store(&place->is_own, thread->is_own);
        atomic_store(&place->tid, thread->tid);
        for_each_bucket(number - 1, link_in);
        if (number > n)
            atomic_store_explicit(&table.n, number, memory_order_release);
    }
    atomic_fetch_add_explicit(&table.changes, 1, memory_order_acq_rel);
    pthread_mutex_unlock(&table.lock);
}

void pm_java_thread_end(uintptr_t address)
{
    pthread_mutex_lock(&table.lock);
    atomic_fetch_add_explicit(&table.changes, 1, memory_order_acq_rel);
    uint32_t known = seek(bucket_of_address(address), BY_ADDRESS, address);
    if (known)
        forget(known - 1);
    atomic_fetch_add_explicit(&table.changes, 1, memory_order_acq_rel);
    pthread_mutex_unlock(&table.lock);
    uint32_t noted = pm_readers_note(&table.holders);
    for (unsigned tries = 0; pm_readers_are_left(&table.holders, noted); tries++)
        pm_moment_pass(tries);
}

uint32_t pm_java_thread_hold(void)
{
    return pm_readers_enter(&table.holders);
}

void pm_java_thread_release(uint32_t hold)
{
    pm_readers_leave(&table.holders, hold);
}

int64_t pm_java_thread_tid(uintptr_t address)
{
    return find(bucket_of_address(address), BY_ADDRESS, address);
}

int64_t pm_java_thread_tid_of_stack(uintptr_t address)
{
    return find(bucket_of_stack(address), BY_STACK, address);
}

static bool read_place(const struct place *place, struct pm_java_thread *ret_thread)
{
    ret_thread->tid = atomic_load(&place->tid);
    ret_thread->address = atomic_load(&place->address);
    ret_thread->is_own = atomic_load(&place->is_own);
    return ret_thread->tid && atomic_load(&place->tid) == ret_thread->tid;
}

bool pm_java_thread_visit(size_t *at, struct pm_java_thread *ret_thread)
{
    uint32_t n = atomic_load_explicit(&table.n, memory_order_acquire);
    *ret_thread = (struct pm_java_thread){0};
    while (*at < n)
        if (read_place(&table.places[(*at)++], ret_thread))
            return true;
    return false;
}

bool pm_java_thread_is_own(uintptr_t address)
{
    struct pm_java_thread thread;
    uint32_t place = seek(bucket_of_address(address), BY_ADDRESS, address);
    return place && read_place(&table.places[place - 1], &thread) && thread.is_own &&
           thread.address == address;
}

uintptr_t pm_java_thread_address(int64_t tid)
{
    struct pm_java_thread thread;
    for (size_t at = 0; pm_java_thread_visit(&at, &thread);)
        if (thread.tid == tid)
            return thread.address;
    return 0;
}
