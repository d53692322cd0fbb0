#include "recorder/agent/chain.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "format/error.h"
#include "recorder/agent/meaning.h"
#include "recorder/agent/store.h"

#define MAX_CHAINS  (1u << 19)
#define FRAME_BYTES (128u << 20)
#define MAX_KEYS    (1u << 18)
#define N_BUCKETS   (1u << 13)

struct row {
    uint32_t first; /* frame in the store */
    uint16_t n_frames;
    bool truncated;
    uint8_t cause;
    bool idle;
    uint32_t site;
    uint32_t next; /* in its bucket: id */
};

struct key_row {
    uint64_t key;
    uint32_t chain;
    uint32_t next; /* in its bucket: number + 1 */
};

static struct {
    struct row *rows;
    struct pm_store frames;
    _Atomic uint32_t n;
    uint32_t buckets[N_BUCKETS];
    struct key_row *keys;
    _Atomic uint32_t n_keys;
    _Atomic uint32_t emptied; /* odd while the keys are emptied */
    _Atomic uint32_t key_buckets[N_BUCKETS];
    pthread_mutex_t lock;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

int pm_chain_table_init(void)
{
    memset(table.buckets, 0, sizeof table.buckets);
    memset((void *)table.key_buckets, 0, sizeof table.key_buckets);
    atomic_store(&table.n, 0);
    atomic_store(&table.n_keys, 0);
    table.rows = pm_reserve(MAX_CHAINS * sizeof *table.rows);
    table.keys = pm_reserve(MAX_KEYS * sizeof *table.keys);
    if (pm_store_init(&table.frames, FRAME_BYTES) || !table.rows || !table.keys) {
        pm_chain_table_clear();
        return PM_ERROR_MEMORY;
    }
    return 0;
}

void pm_chain_table_clear(void)
{
    pm_unreserve(table.rows, MAX_CHAINS * sizeof *table.rows);
    pm_unreserve(table.keys, MAX_KEYS * sizeof *table.keys);
    pm_store_clear(&table.frames);
    table.rows = NULL;
    table.keys = NULL;
}

static const struct pm_frame *frames_of(const struct row *row)
{
    return (const struct pm_frame *)table.frames.base + row->first;
}

pm_chain_id pm_chain_add(const struct pm_frame *frames, uint32_t n_frames, bool truncated)
{
    if (n_frames > UINT16_MAX)
        return (pm_chain_id){0};
    uint64_t h = n_frames * 2u + truncated;
    for (uint32_t i = 0; i < n_frames; i++) {
        h = (h ^ frames[i].method.n) * 0xff51afd7ed558ccdu;
        h = (h ^ h >> 29 ^ (uint32_t)frames[i].line) * 0xc4ceb9fe1a85ec53u;
    }
    uint8_t cause = pm_meaning_cause(frames, n_frames);
    bool idle = pm_meaning_is_idle(frames, n_frames);
    uint32_t site = pm_meaning_site(frames, n_frames).n;
    pthread_mutex_lock(&table.lock);
    uint32_t *bucket = &table.buckets[(h >> 32) % N_BUCKETS];
    uint32_t id = *bucket;
    for (; id; id = table.rows[id - 1].next) {
        const struct row *row = &table.rows[id - 1];
        if (row->n_frames == n_frames && row->truncated == truncated &&
            memcmp(frames_of(row), frames, n_frames * sizeof *frames) == 0)
            break;
    }
    struct pm_frame *to = NULL;
    if (!id && atomic_load(&table.n) < MAX_CHAINS)
        to = pm_store_append(&table.frames, n_frames * sizeof *frames);
    if (to) {
        memcpy(to, frames, n_frames * sizeof *frames);
        id = atomic_load(&table.n) + 1;
        table.rows[id - 1] =
            (struct row){.first = (uint32_t)(to - (struct pm_frame *)table.frames.base),
                         .n_frames = (uint16_t)n_frames,
                         .truncated = truncated,
                         .cause = cause,
                         .idle = idle,
                         .site = site,
                         .next = *bucket};
        *bucket = id;
        atomic_store_explicit(&table.n, id, memory_order_release);
    }
    pthread_mutex_unlock(&table.lock);
    return (pm_chain_id){id};
}

bool pm_chain_get(pm_chain_id id, struct pm_chain *ret_chain)
{
    if (id.n == 0 || id.n > atomic_load_explicit(&table.n, memory_order_acquire))
        return false;
    const struct row *row = &table.rows[id.n - 1];
    *ret_chain = (struct pm_chain){
        .id = id, .n_frames = row->n_frames, .frames = frames_of(row), .truncated = row->truncated};
    return true;
}

uint8_t pm_chain_cause(pm_chain_id id)
{
    bool known = id.n && id.n <= atomic_load_explicit(&table.n, memory_order_acquire);
    return known ? table.rows[id.n - 1].cause : PM_WAKE_UNKNOWN;
}

pm_method_id pm_chain_site(pm_chain_id id)
{
    bool known = id.n && id.n <= atomic_load_explicit(&table.n, memory_order_acquire);
    return (pm_method_id){known ? table.rows[id.n - 1].site : 0};
}

bool pm_chain_is_idle(pm_chain_id id)
{
    bool known = id.n && id.n <= atomic_load_explicit(&table.n, memory_order_acquire);
    return known && table.rows[id.n - 1].idle;
}

static _Atomic uint32_t *key_bucket(uint64_t key)
{
    return &table.key_buckets[(key >> 20) % N_BUCKETS];
}

pm_chain_id pm_chain_find_key(uint64_t key)
{
    uint32_t before = atomic_load_explicit(&table.emptied, memory_order_acquire);
    uint32_t n = atomic_load_explicit(key_bucket(key), memory_order_acquire);
    for (uint32_t steps = 0; n && steps < MAX_KEYS; steps++) {
        struct key_row row = table.keys[n - 1];
        if (row.key == key) {
            atomic_thread_fence(memory_order_acquire);
            if ((before & 1) ||
                atomic_load_explicit(&table.emptied, memory_order_relaxed) != before)
                break;
            return (pm_chain_id){row.chain};
        }
        n = row.next;
    }
    return (pm_chain_id){0};
}

void pm_chain_keep_key(uint64_t key, pm_chain_id chain)
{
    pthread_mutex_lock(&table.lock);
    uint32_t n = atomic_load(&table.n_keys);
    if (n == MAX_KEYS) {
        atomic_fetch_add(&table.emptied, 1);
        for (uint32_t i = 0; i < N_BUCKETS; i++)
            atomic_store(&table.key_buckets[i], 0);
        n = 0;
    }
    table.keys[n] =
        (struct key_row){.key = key, .chain = chain.n, .next = atomic_load(key_bucket(key))};
    atomic_store_explicit(key_bucket(key), n + 1, memory_order_release);
    atomic_store(&table.n_keys, n + 1);
    if (atomic_load(&table.emptied) & 1)
        atomic_fetch_add(&table.emptied, 1);
    pthread_mutex_unlock(&table.lock);
}

uint32_t pm_chain_last_id(void)
{
    return atomic_load_explicit(&table.n, memory_order_acquire);
}

uint64_t pm_chain_memory(void)
{
    return sizeof table + atomic_load(&table.n) * sizeof(struct row) +
           atomic_load(&table.frames.used) + atomic_load(&table.n_keys) * sizeof(struct key_row);
}
