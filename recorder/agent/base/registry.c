#include "recorder/agent/base/registry.h"

#include <string.h>

#include "format/error.h"

/* Ids and keys that follow one another come past every bucket in time, however few rows there are.
 */
#define ROWS_A_BUCKET 8

struct place {
    _Atomic uint32_t id;                /* 0 = empty */
    _Atomic uint32_t next_id, next_key; /* in its bucket: place number + 1 */
    uint32_t before; /* the one whose next_key it is; of an empty place the next empty one */
    _Atomic int64_t key;
    _Alignas(8) char row[];
};

static struct place *at(struct pm_registry *r, uint32_t number)
{
    return (struct place *)(r->places.base + (size_t)number * r->place_bytes);
}

static size_t id_offset(const struct pm_registry *r, uint32_t id)
{
    return (id & (r->n_buckets - 1)) * sizeof(uint32_t);
}

/* Small keys are numbers that follow one another; they fill one part of the buckets after the
 * other.
 */
static size_t key_offset(const struct pm_registry *r, int64_t key)
{
    uint64_t wide = (uint64_t)key;
    uint32_t mixed = wide >> 32 ? (uint32_t)(wide * 0x9e3779b97f4a7c15u >> 32) : (uint32_t)wide;
    return (mixed & (r->n_key_buckets - 1)) * sizeof(uint32_t);
}

/* Of what is in the table: open since it was added. */
static _Atomic uint32_t *id_bucket(struct pm_registry *r, uint32_t id)
{
    return (_Atomic uint32_t *)(void *)(r->by_id.reservation.base + id_offset(r, id));
}

static _Atomic uint32_t *key_bucket(struct pm_registry *r, int64_t key)
{
    return (_Atomic uint32_t *)(void *)(r->by_key.reservation.base + key_offset(r, key));
}

static uint32_t first_at(const struct pm_sparse_table *buckets, size_t offset)
{
    const _Atomic uint32_t *bucket = pm_sparse_table_at(buckets, offset);
    return bucket ? atomic_load_explicit(bucket, memory_order_acquire) : 0;
}

int pm_registry_init(struct pm_registry *r, size_t row_bytes, uint32_t max_rows,
                     uint32_t key_buckets)
{
    pm_registry_clear(r);
    r->n_buckets = 16;
    while (r->n_buckets < max_rows / ROWS_A_BUCKET)
        r->n_buckets *= 2;
    r->n_key_buckets = key_buckets ? key_buckets : r->n_buckets;
    r->max = max_rows;
    r->row_bytes = row_bytes;
    r->place_bytes = (sizeof(struct place) + row_bytes + 7) & ~(size_t)7;
    pthread_mutex_init(&r->lock, NULL);
    if (!pm_reservation_init(&r->places, r->place_bytes * max_rows) &&
        !pm_sparse_table_init(&r->by_id, r->n_buckets * sizeof(uint32_t)) &&
        !pm_sparse_table_init(&r->by_key, r->n_key_buckets * sizeof(uint32_t)))
        return 0;
    pm_registry_clear(r);
    return PM_ERROR_MEMORY;
}

void pm_registry_clear(struct pm_registry *r)
{
    pm_reservation_clear(&r->places);
    pm_sparse_table_clear(&r->by_id);
    pm_sparse_table_clear(&r->by_key);
    memset(r, 0, sizeof *r);
}

/* The place of an id or a key, 0 or its number + 1. Without the lock a walk may be led astray by a
 * change; then `changes` has moved on and the caller looks again. */
static uint32_t seek_id(struct pm_registry *r, uint32_t id)
{
    uint32_t n = first_at(&r->by_id, id_offset(r, id));
    for (uint32_t steps = 0; n && steps < r->max; steps++) {
        struct place *place = at(r, n - 1);
        if (atomic_load_explicit(&place->id, memory_order_relaxed) == id)
            return n;
        n = atomic_load_explicit(&place->next_id, memory_order_acquire);
    }
    return 0;
}

static uint32_t seek_key(struct pm_registry *r, int64_t key)
{
    uint32_t n = first_at(&r->by_key, key_offset(r, key));
    for (uint32_t steps = 0; n && steps < r->max; steps++) {
        struct place *place = at(r, n - 1);
        if (atomic_load_explicit(&place->key, memory_order_relaxed) == key)
            return n;
        n = atomic_load_explicit(&place->next_key, memory_order_acquire);
    }
    return 0;
}

/* Runs `look` until it saw a state that did not change meanwhile; at last under the lock. */
#define STEADY(r, look)                                                                            \
    do {                                                                                           \
        bool steady = false;                                                                       \
        for (int tries = 0; tries < 16 && !steady; tries++) {                                      \
            uint32_t before = atomic_load_explicit(&(r)->changes, memory_order_acquire);           \
            look;                                                                                  \
            atomic_thread_fence(memory_order_acquire);                                             \
            steady = !(before & 1) &&                                                              \
                     atomic_load_explicit(&(r)->changes, memory_order_relaxed) == before;          \
        }                                                                                          \
        if (!steady) {                                                                             \
            pthread_mutex_lock(&(r)->lock);                                                        \
            look;                                                                                  \
            pthread_mutex_unlock(&(r)->lock);                                                      \
        }                                                                                          \
    } while (0)

/* Under the lock. */
static void mark_change(struct pm_registry *r)
{
    atomic_fetch_add(&r->changes, 1);
    atomic_thread_fence(memory_order_release); /* before any byte of a row changes */
}

static void change_begin(struct pm_registry *r)
{
    pthread_mutex_lock(&r->lock);
    mark_change(r);
}

static void change_end(struct pm_registry *r)
{
    atomic_fetch_add(&r->changes, 1);
    pthread_mutex_unlock(&r->lock);
}

/* The ids have come round after 2³² of them; those that are still there are not given again. */
static uint32_t new_id(struct pm_registry *r)
{
    uint32_t id = atomic_load(&r->last_id);
    do
        id++;
    while (id == 0 || seek_id(r, id));
    return id;
}

/* Within a change: its place in its bucket. */
static void give_key(struct pm_registry *r, uint32_t number)
{
    struct place *place = at(r, number - 1);
    _Atomic uint32_t *bucket = key_bucket(r, atomic_load(&place->key));
    uint32_t next = atomic_load(bucket);
    place->before = 0;
    atomic_store(&place->next_key, next);
    if (next)
        at(r, next - 1)->before = number;
    atomic_store(bucket, number);
}

/* Within a change. Buckets may be long: the place is not looked for. */
static void take_key(struct pm_registry *r, uint32_t number)
{
    struct place *place = at(r, number - 1);
    int64_t key = atomic_load(&place->key);
    if (!key)
        return;
    uint32_t next = atomic_load(&place->next_key);
    if (place->before)
        atomic_store(&at(r, place->before - 1)->next_key, next);
    else
        atomic_store(key_bucket(r, key), next);
    if (next)
        at(r, next - 1)->before = place->before;
    atomic_store(&place->key, 0);
}

/* Under the lock, before a change, so that readers are not held up: the place for a new row, 0 when
 * there is none or no memory for it or its buckets. */
static uint32_t find_place(struct pm_registry *r, int64_t key, uint32_t id)
{
    uint32_t number = r->free ? r->free : r->n_places + 1;
    if (number > r->max || !pm_reservation_open(&r->places, number * r->place_bytes) ||
        !pm_sparse_table_open(&r->by_id, id_offset(r, id)) ||
        (key && !pm_sparse_table_open(&r->by_key, key_offset(r, key))))
        return 0;
    return number;
}

uint32_t pm_registry_add(struct pm_registry *r, int64_t key, const void *row)
{
    bool is_new;
    return pm_registry_find_or_add(r, key, row, &is_new);
}

uint32_t pm_registry_find_or_add(struct pm_registry *r, int64_t key, const void *row,
                                 bool *ret_is_new)
{
    *ret_is_new = false;
    pthread_mutex_lock(&r->lock);
    uint32_t same = key ? seek_key(r, key) : 0;
    uint32_t id = same ? atomic_load(&at(r, same - 1)->id) : new_id(r);
    uint32_t number = same ? 0 : find_place(r, key, id);
    if (!number) {
        pthread_mutex_unlock(&r->lock);
        return same ? id : 0;
    }
    mark_change(r);
    if (r->free)
        r->free = at(r, number - 1)->before;
    else
        r->n_places = number;
    struct place *place = at(r, number - 1);
    memcpy(place->row, row, r->row_bytes);
    atomic_store(&place->id, id);
    atomic_store(&place->key, key);
    atomic_store(&place->next_id, atomic_load(id_bucket(r, id)));
    atomic_store(id_bucket(r, id), number);
    if (key)
        give_key(r, number);
    atomic_store(&r->last_id, id);
    atomic_fetch_add(&r->n_rows, 1);
    change_end(r);
    *ret_is_new = true;
    return id;
}

uint32_t pm_registry_find(struct pm_registry *r, int64_t key)
{
    uint32_t id = 0;
    STEADY(r, {
        uint32_t number = seek_key(r, key);
        id = number ? atomic_load(&at(r, number - 1)->id) : 0;
    });
    return id;
}

bool pm_registry_get(struct pm_registry *r, uint32_t id, void *ret_row)
{
    bool found = false;
    char row[512];
    if (id == 0 || r->row_bytes > sizeof row)
        return false;
    STEADY(r, {
        uint32_t number = seek_id(r, id);
        found = number != 0;
        if (found)
            memcpy(row, at(r, number - 1)->row, r->row_bytes);
    });
    if (found)
        memcpy(ret_row, row, r->row_bytes);
    return found;
}

bool pm_registry_read(struct pm_registry *r, uint32_t id,
                      void (*read)(const void *row, void *context), void *context)
{
    bool found = false;
    STEADY(r, {
        uint32_t number = id ? seek_id(r, id) : 0;
        found = number != 0;
        if (found)
            read(at(r, number - 1)->row, context);
    });
    return found;
}

bool pm_registry_change(struct pm_registry *r, uint32_t id,
                        void (*change)(void *row, void *context), void *context)
{
    change_begin(r);
    uint32_t number = id ? seek_id(r, id) : 0;
    if (number)
        change(at(r, number - 1)->row, context);
    change_end(r);
    return number != 0;
}

bool pm_registry_unkey(struct pm_registry *r, uint32_t id, bool (*change)(void *row, void *context),
                       void *context)
{
    change_begin(r);
    uint32_t number = id ? seek_id(r, id) : 0;
    bool done = number && change(at(r, number - 1)->row, context);
    if (done)
        take_key(r, number);
    change_end(r);
    return done;
}

/* Within a change. */
static void remove_place(struct pm_registry *r, uint32_t number)
{
    struct place *place = at(r, number - 1);
    uint32_t id = atomic_load(&place->id);
    for (_Atomic uint32_t *link = id_bucket(r, id); *link; link = &at(r, *link - 1)->next_id) {
        if (*link == number) {
            atomic_store(link, atomic_load(&place->next_id));
            break;
        }
    }
    take_key(r, number);
    atomic_store(&place->id, 0);
    place->before = r->free;
    r->free = number;
    atomic_fetch_sub(&r->n_rows, 1);
}

bool pm_registry_remove(struct pm_registry *r, uint32_t id)
{
    change_begin(r);
    uint32_t number = id ? seek_id(r, id) : 0;
    if (number)
        remove_place(r, number);
    change_end(r);
    return number != 0;
}

bool pm_registry_remove_where(struct pm_registry *r, uint32_t first, uint32_t n,
                              bool (*goes)(const void *row, void *context), void *context)
{
    change_begin(r);
    uint32_t end = first + n < r->n_places ? first + n : r->n_places;
    for (uint32_t i = first; i < end; i++) {
        struct place *place = at(r, i);
        if (atomic_load(&place->id) && goes(place->row, context))
            remove_place(r, i + 1);
    }
    bool more = end < r->n_places;
    change_end(r);
    return more;
}

uint32_t pm_registry_last_id(const struct pm_registry *r)
{
    return atomic_load_explicit(&r->last_id, memory_order_acquire);
}

uint32_t pm_registry_count(const struct pm_registry *r)
{
    return atomic_load_explicit(&r->n_rows, memory_order_relaxed);
}

uint64_t pm_registry_memory(const struct pm_registry *r)
{
    return (uint64_t)atomic_load_explicit(&r->n_places, memory_order_relaxed) * r->place_bytes;
}

uint32_t pm_registry_limit(const struct pm_registry *r)
{
    size_t places = pm_reservation_limit(&r->places) / r->place_bytes;
    return places < r->max ? (uint32_t)places : r->max;
}

bool pm_registry_visit(struct pm_registry *r, uint32_t index, uint32_t *ret_id, void *ret_row)
{
    pthread_mutex_lock(&r->lock);
    bool in_range = index < r->n_places;
    if (in_range) {
        *ret_id = atomic_load(&at(r, index)->id);
        memcpy(ret_row, at(r, index)->row, r->row_bytes);
    }
    pthread_mutex_unlock(&r->lock);
    return in_range;
}
