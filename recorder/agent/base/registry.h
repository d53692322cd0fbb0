/* A bounded set of rows of one size, each with an id that is assigned once (1, 2, …; wrapping after
 * 2³²) and a key from the caller. Rows are added and removed; an id is never reused. Reading takes
 * no lock; adding, changing and removing take one for the time of a copy and call nothing but, as
 * the set grows, the kernel.
 *
 * Memory: address space for the maximum is reserved at the start and opened as it fills
 * (reservation.h); the place of a removed row is reused. */
#pragma once

#include <pthread.h>

#include "recorder/agent/base/sparse-table.h"

struct pm_registry {
    struct pm_reservation places;
    struct pm_sparse_table by_id;  /* buckets: place number + 1 */
    struct pm_sparse_table by_key; /* the same by key */
    size_t row_bytes, place_bytes;
    uint32_t max, n_buckets, n_key_buckets;
    _Atomic uint32_t n_places; /* ever used */
    uint32_t free;             /* place number + 1 */
    _Atomic uint32_t n_rows;
    _Atomic uint32_t last_id;
    _Atomic uint32_t changes; /* odd while it changes */
    pthread_mutex_t lock;
};

/* `key_buckets`: a power of two, 0 = one for every eight rows. Consecutive keys are adjacent;
 * others are scattered, each on its own page: a table that is rarely queried by such a key should
 * have few. 0 or PM_ERROR_MEMORY. */
int pm_registry_init(struct pm_registry *registry, size_t row_bytes, uint32_t max_rows,
                     uint32_t key_buckets);
void pm_registry_clear(struct pm_registry *registry);

/* The id of a new row, or of the existing one with this key (key 0: never equal). 0 if full or out
 * of memory. */
uint32_t pm_registry_add(struct pm_registry *registry, int64_t key, const void *row);
uint32_t pm_registry_find_or_add(struct pm_registry *registry, int64_t key, const void *row,
                                 bool *ret_is_new);
/* 0 when there is none. */
uint32_t pm_registry_find(struct pm_registry *registry, int64_t key);
/* Copies the row; false if there is none. */
bool pm_registry_get(struct pm_registry *registry, uint32_t id, void *ret_row);
/* The same for a row that refers to more, which changes only together with it: `read` copies both.
 * It may be called more than once, and finds anything in the row but the last time. */
bool pm_registry_read(struct pm_registry *registry, uint32_t id,
                      void (*read)(const void *row, void *context), void *context);
/* Calls `change` to modify the row in place, under the lock. */
bool pm_registry_change(struct pm_registry *registry, uint32_t id,
                        void (*change)(void *row, void *context), void *context);
bool pm_registry_remove(struct pm_registry *registry, uint32_t id);
/* If `change` returns true, the row loses its key: it is found by its id only, and the key can be
 * used again. */
bool pm_registry_unkey(struct pm_registry *registry, uint32_t id,
                       bool (*change)(void *row, void *context), void *context);
/* Removes the rows for which `goes` returns true, among `n` places from `first`; no reader finds a
 * row once `goes` has released it. Returns false past the last place. */
bool pm_registry_remove_where(struct pm_registry *registry, uint32_t first, uint32_t n,
                              bool (*goes)(const void *row, void *context), void *context);

/* Ids assigned so far, current rows, bytes touched. */
uint32_t pm_registry_last_id(const struct pm_registry *registry);
uint32_t pm_registry_count(const struct pm_registry *registry);
uint64_t pm_registry_memory(const struct pm_registry *registry);
/* The current maximum number of rows (pm_reservation_limit). */
uint32_t pm_registry_limit(const struct pm_registry *registry);

/* Iterates over places (an index from 0 up); false past the last one. `*ret_id` is 0 for an empty
 * place. */
bool pm_registry_visit(struct pm_registry *registry, uint32_t index, uint32_t *ret_id,
                       void *ret_row);
