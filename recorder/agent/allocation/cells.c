#include "recorder/agent/allocation/cells.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "format/error.h"
#include "recorder/agent/tables/chain.h"
#include "recorder/agent/tables/names.h"

#define N_PLACES  (4 * PM_CELLS_MAX) /* of the hash table, a power of two */
#define N_STRIPES 64
#define FEW_LEFT  2048 /* cells: kept for classes that share one */

static struct {
    _Atomic uint32_t *places; /* cell number + 1 */
    uint64_t *keys;           /* class << 32 | chain */
    struct pm_estimate *totals;
    struct pm_estimate *live, *counting; /* published; being worked out */
    _Atomic uint32_t n;
    struct pm_live_look look;
    pthread_mutex_t add, published, stripes[N_STRIPES];
} table = {.add = PTHREAD_MUTEX_INITIALIZER, .published = PTHREAD_MUTEX_INITIALIZER};

int pm_cells_init(void)
{
    if (table.counting)
        return 0;
    for (int i = 0; i < N_STRIPES; i++)
        pthread_mutex_init(&table.stripes[i], NULL);
    table.places = calloc(N_PLACES, sizeof *table.places);
    table.keys = calloc(PM_CELLS_MAX, sizeof *table.keys);
    table.totals = calloc(PM_CELLS_MAX, sizeof *table.totals);
    table.live = calloc(PM_CELLS_MAX, sizeof *table.live);
    table.counting = calloc(PM_CELLS_MAX, sizeof *table.counting);
    if (!table.places || !table.keys || !table.totals || !table.live || !table.counting)
        return PM_ERROR_MEMORY;
    atomic_store(&table.n, 1); /* the first is of no class and no stack trace: for all the rest */
    return 0;
}

static uint32_t first_place(uint64_t key)
{
    return (uint32_t)(key * 0x9e3779b97f4a7c15u >> 40);
}

/* Its number, 0 when there is none; then `*ret_place` is free, or was as it was looked at. */
static uint32_t find(uint64_t key, uint32_t *ret_place)
{
    for (uint32_t i = first_place(key);; i++) {
        uint32_t place = i & (N_PLACES - 1);
        uint32_t cell = atomic_load_explicit(&table.places[place], memory_order_acquire);
        *ret_place = place;
        if (cell == 0)
            return 0;
        if (table.keys[cell - 1] == key)
            return cell - 1;
    }
}

static uint32_t find_or_add(uint64_t key, uint32_t max)
{
    uint32_t place;
    uint32_t cell = find(key, &place);
    if (cell || key == 0 || atomic_load_explicit(&table.n, memory_order_relaxed) >= max)
        return cell;
    pthread_mutex_lock(&table.add);
    cell = find(key, &place);
    uint32_t n = atomic_load(&table.n);
    if (!cell && n < max) {
        cell = n;
        table.keys[cell] = key;
        atomic_store_explicit(&table.places[place], cell + 1, memory_order_release);
        atomic_store_explicit(&table.n, n + 1, memory_order_release);
    }
    pthread_mutex_unlock(&table.add);
    return cell;
}

uint32_t pm_cells_add(pm_class_id class_id, pm_chain_id chain, int64_t size_bytes, double weight)
{
    uint64_t key = (uint64_t)class_id.n << 32;
    uint32_t cell = find_or_add(key | chain.n, PM_CELLS_MAX - FEW_LEFT);
    if (!cell)
        cell = find_or_add(key, PM_CELLS_MAX);
    pthread_mutex_t *stripe = &table.stripes[cell % N_STRIPES];
    pthread_mutex_lock(stripe);
    pm_estimate_add(&table.totals[cell], size_bytes, weight);
    pthread_mutex_unlock(stripe);
    return cell;
}

uint32_t pm_cells_count(void)
{
    return atomic_load_explicit(&table.n, memory_order_acquire);
}

void pm_cells_name(uint32_t cell, pm_class_id *ret_class, pm_chain_id *ret_chain)
{
    ret_class->n = (uint32_t)(table.keys[cell] >> 32);
    ret_chain->n = (uint32_t)table.keys[cell];
}

void pm_cells_live_begin(void)
{
    memset(table.counting, 0, pm_cells_count() * sizeof *table.counting);
}

void pm_cells_live_add(uint32_t cell, int64_t size_bytes, double weight)
{
    pm_estimate_add(&table.counting[cell], size_bytes, weight);
}

void pm_cells_live_publish(const struct pm_live_look *look)
{
    pthread_mutex_lock(&table.published);
    struct pm_estimate *before = table.live;
    table.live = table.counting;
    table.counting = before;
    table.look = *look;
    pthread_mutex_unlock(&table.published);
}

struct pm_live_look pm_cells_live_look(void)
{
    pthread_mutex_lock(&table.published);
    struct pm_live_look look = table.look;
    pthread_mutex_unlock(&table.published);
    return look;
}

static _Atomic int64_t exact_from_ns;

void pm_cells_set_exact_from(int64_t ns)
{
    atomic_store(&exact_from_ns, ns);
}

int64_t pm_cells_exact_from_ns(void)
{
    return atomic_load(&exact_from_ns);
}

uint32_t pm_cells_copy(struct pm_memory_cell *ret_cells, struct pm_memory_head *ret_head)
{
    struct pm_estimate total = {0}, live = {0};
    uint32_t n = pm_cells_count();
    pthread_mutex_lock(&table.published);
    for (uint32_t i = 0; i < n; i++) {
        pthread_mutex_lock(&table.stripes[i % N_STRIPES]);
        struct pm_estimate own = table.totals[i];
        pthread_mutex_unlock(&table.stripes[i % N_STRIPES]);
        pm_cells_name(i, &ret_cells[i].class_id, &ret_cells[i].chain);
        ret_cells[i].total = pm_estimate_sum(&own);
        ret_cells[i].live = pm_estimate_sum(&table.live[i]);
        pm_estimate_join(&total, &own);
        pm_estimate_join(&live, &table.live[i]);
    }
    ret_head->live_at_ns = table.look.at_ns;
    ret_head->gcs = table.look.gcs;
    ret_head->old_gcs = table.look.old_gcs;
    ret_head->flags |= table.look.thinned ? PM_MEMORY_LIVE_THINNED : 0;
    pthread_mutex_unlock(&table.published);
    ret_head->total = pm_estimate_sum(&total);
    ret_head->live = pm_estimate_sum(&live);
    return n;
}

void pm_cells_use(void)
{
    uint32_t n = pm_cells_count();
    for (uint32_t i = 1; i < n; i++) {
        pm_class_id class_id;
        pm_chain_id chain;
        pm_cells_name(i, &class_id, &chain);
        pm_class_use(class_id);
        pm_chain_use(chain);
    }
}

uint64_t pm_cells_memory(void)
{
    return pm_cells_count() * (3 * sizeof *table.totals + sizeof *table.keys) +
           (table.places ? N_PLACES * sizeof *table.places : 0);
}
