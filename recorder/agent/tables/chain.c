#include "recorder/agent/tables/chain.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "format/error.h"
#include "recorder/agent/base/arena.h"
#include "recorder/agent/base/registry.h"
#include "recorder/agent/tables/meaning.h"
#include "recorder/agent/tables/names.h"
#include "recorder/agent/waits/epoch.h"

#define MAX_CHAINS  (1u << 19)
#define FRAME_BYTES (128u << 20)
#define MAX_KEYS    (1u << 18)
#define N_BUCKETS   (1u << 13)

struct row {
    uint32_t first; /* frame in the store */
    uint16_t n_frames;
    bool truncated;
    uint8_t cause;
    bool idle, polls, joins;
    uint32_t site;
    uint32_t field; /* a method's id, of the frame `field_frame` */
    uint16_t field_frame;
    uint32_t used; /* the epoch */
};

struct key_row {
    uint64_t key;
    uint32_t chain;
    uint32_t next; /* in its bucket: number + 1 */
};

static struct {
    struct pm_registry rows; /* by a hash of the frames; of two equal hashes one has the next */
    struct pm_arena frames;
    struct pm_reservation keys; /* of struct key_row */
    _Atomic uint32_t n_keys;
    _Atomic uint32_t emptied; /* odd while the keys are emptied */
    _Atomic uint32_t key_buckets[N_BUCKETS];
    pthread_mutex_t lock; /* of adding and freeing; the registry's is taken inside */
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

int pm_chain_table_init(void)
{
    memset((void *)table.key_buckets, 0, sizeof table.key_buckets);
    atomic_store(&table.n_keys, 0);
    if (!pm_registry_init(&table.rows, sizeof(struct row), MAX_CHAINS, N_BUCKETS) &&
        !pm_reservation_init(&table.keys, MAX_KEYS * sizeof(struct key_row)) &&
        !pm_arena_init(&table.frames, FRAME_BYTES))
        return 0;
    pm_chain_table_clear();
    return PM_ERROR_MEMORY;
}

void pm_chain_table_clear(void)
{
    pm_reservation_clear(&table.keys);
    pm_registry_clear(&table.rows);
    pm_arena_clear(&table.frames);
}

static const struct pm_frame *frames_of(const struct row *row)
{
    return (const struct pm_frame *)table.frames.base + row->first;
}

static void set_used(void *row, void *context)
{
    pm_epoch_mark(&((struct row *)row)->used, *(const uint32_t *)context);
}

/* False when it was freed meanwhile. */
static bool use(uint32_t id, const struct row *row)
{
    uint32_t epoch = pm_epoch_now();
    return row->used == epoch || pm_registry_change(&table.rows, id, set_used, &epoch);
}

/* The chain like this one, 0 when there is none; then `*key` is where it belongs. Under the lock.
 */
static uint32_t find(const struct pm_chain *chain, int64_t *key)
{
    for (;; ++*key) {
        struct row row;
        uint32_t id = pm_registry_find(&table.rows, *key);
        if (!id)
            return 0;
        if (pm_registry_get(&table.rows, id, &row) && row.n_frames == chain->n_frames &&
            row.truncated == chain->truncated && row.field == chain->field.n &&
            memcmp(frames_of(&row), chain->frames, chain->n_frames * sizeof *chain->frames) == 0 &&
            use(id, &row))
            return id;
    }
}

pm_chain_id pm_chain_add(const struct pm_chain *chain)
{
    const struct pm_frame *frames = chain->frames;
    uint32_t n_frames = chain->n_frames;
    if (n_frames > UINT16_MAX)
        return (pm_chain_id){0};
    uint64_t h = n_frames * 2u + chain->truncated;
    for (uint32_t i = 0; i < n_frames; i++) {
        h = (h ^ frames[i].method.n) * 0xff51afd7ed558ccdu;
        h = (h ^ h >> 29 ^ (uint32_t)frames[i].line) * 0xc4ceb9fe1a85ec53u;
    }
    int64_t key = (int64_t)(h >> 1 | 1);
    struct row row = {.n_frames = (uint16_t)n_frames,
                      .truncated = chain->truncated,
                      .cause = pm_meaning_cause(frames, n_frames),
                      .idle = pm_meaning_is_idle(frames, n_frames),
                      .polls = pm_meaning_polls(frames, n_frames),
                      .joins = pm_meaning_joins(frames, n_frames),
                      .site = pm_meaning_site(frames, n_frames).n,
                      .field = chain->field.n,
                      .field_frame = (uint16_t)chain->field_frame,
                      .used = pm_epoch_now()};
    size_t bytes = n_frames * sizeof *frames;
    pthread_mutex_lock(&table.lock);
    uint32_t id = find(chain, &key);
    struct pm_frame *to = id ? NULL : pm_arena_append(&table.frames, bytes);
    if (to) {
        memcpy(to, frames, bytes);
        row.first = (uint32_t)(to - (struct pm_frame *)table.frames.base);
        id = pm_registry_add(&table.rows, key, &row);
        if (!id)
            pm_arena_give_back(&table.frames, to, bytes);
    }
    pthread_mutex_unlock(&table.lock);
    return (pm_chain_id){id};
}

bool pm_chain_get(pm_chain_id id, struct pm_chain *ret_chain)
{
    struct row row;
    if (!pm_registry_get(&table.rows, id.n, &row))
        return false;
    *ret_chain = (struct pm_chain){
        .id = id,
        .n_frames = row.n_frames,
        .frames = frames_of(&row),
        .truncated = row.truncated,
        .field = {row.field},
        .field_frame = row.field_frame,
    };
    return true;
}

uint8_t pm_chain_cause(pm_chain_id id)
{
    struct row row;
    return pm_registry_get(&table.rows, id.n, &row) ? row.cause : PM_WAKE_UNKNOWN;
}

pm_method_id pm_chain_site_method(pm_chain_id id)
{
    struct row row;
    return (pm_method_id){pm_registry_get(&table.rows, id.n, &row) ? row.site : 0};
}

bool pm_chain_is_idle(pm_chain_id id)
{
    struct row row;
    return pm_registry_get(&table.rows, id.n, &row) && row.idle;
}

bool pm_chain_joins(pm_chain_id id)
{
    struct row row;
    return pm_registry_get(&table.rows, id.n, &row) && row.joins;
}

bool pm_chain_polls(pm_chain_id id)
{
    struct row row;
    return pm_registry_get(&table.rows, id.n, &row) && row.polls;
}

static struct key_row *key_row_at(uint32_t number)
{
    return (struct key_row *)(void *)table.keys.base + number;
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
        struct key_row row = *key_row_at(n - 1);
        if (row.key == key) {
            atomic_thread_fence(memory_order_acquire);
            if ((before & 1) ||
                atomic_load_explicit(&table.emptied, memory_order_relaxed) != before)
                break;
            return (pm_chain_id){pm_chain_use((pm_chain_id){row.chain}) ? row.chain : 0};
        }
        n = row.next;
    }
    return (pm_chain_id){0};
}

static bool is_room_for_keys(uint32_t n)
{
    return n <= MAX_KEYS && pm_reservation_open(&table.keys, n * sizeof(struct key_row));
}

void pm_chain_keep_key(uint64_t key, pm_chain_id chain)
{
    pthread_mutex_lock(&table.lock);
    uint32_t n = atomic_load(&table.n_keys);
    if (!is_room_for_keys(n + 1)) {
        atomic_fetch_add(&table.emptied, 1);
        atomic_thread_fence(memory_order_release); /* before any row changes */
        for (uint32_t i = 0; i < N_BUCKETS; i++)
            atomic_store(&table.key_buckets[i], 0);
        n = 0;
    }
    if (is_room_for_keys(n + 1)) {
        *key_row_at(n) =
            (struct key_row){.key = key, .chain = chain.n, .next = atomic_load(key_bucket(key))};
        atomic_store_explicit(key_bucket(key), n + 1, memory_order_release);
        atomic_store(&table.n_keys, n + 1);
    }
    if (atomic_load(&table.emptied) & 1)
        atomic_fetch_add(&table.emptied, 1);
    pthread_mutex_unlock(&table.lock);
}

bool pm_chain_use(pm_chain_id id)
{
    struct row row;
    return pm_registry_get(&table.rows, id.n, &row) && use(id.n, &row);
}

static bool is_unused(const void *row, void *context)
{
    const struct row *chain = row;
    if (chain->used == *(const uint32_t *)context)
        return false;
    pm_arena_give_back(&table.frames, frames_of(chain), chain->n_frames * sizeof(struct pm_frame));
    return true;
}

bool pm_chain_free_unused(uint32_t first, uint32_t n)
{
    struct row row;
    uint32_t id, epoch = pm_epoch_now();
    pthread_mutex_lock(&table.lock);
    bool more = pm_registry_remove_where(&table.rows, first, n, is_unused, &epoch);
    pthread_mutex_unlock(&table.lock);
    for (uint32_t i = first; i < first + n && pm_registry_visit(&table.rows, i, &id, &row); i++) {
        for (uint32_t f = 0; id && f < row.n_frames; f++)
            pm_method_use(frames_of(&row)[f].method);
        if (id && row.field)
            pm_method_use((pm_method_id){row.field});
    }
    return more;
}

bool pm_chain_table_is_pressed(void)
{
    return pm_registry_count(&table.rows) > pm_registry_limit(&table.rows) / 4 * 3 ||
           pm_arena_is_pressed(&table.frames);
}

uint32_t pm_chain_count(void)
{
    return pm_registry_count(&table.rows);
}

uint64_t pm_chain_memory(void)
{
    return sizeof table + pm_registry_memory(&table.rows) + atomic_load(&table.frames.used) +
           atomic_load(&table.n_keys) * sizeof(struct key_row);
}
