/* A bounded set of equal rows, each under an id that is given once (1, 2, …; they come round after
 * 2³²) and under a key of the caller's. Rows come and go; an id never comes back. Reading takes no
 * lock; adding, changing and removing take one for the time of a copy and call nothing but, as the
 * set grows, the kernel.
 *
 * Memory: address space for the bound at the start, opened as it fills (reservation.h); a removed
 * row's place is used again. */
#pragma once

#include <pthread.h>

#include "recorder/agent/base/sparse-table.h"

struct pm_registry {
    struct pm_reservation places;
    struct pm_sparse_table by_id;  /* buckets: place number + 1 */
    struct pm_sparse_table by_key; /* the same by key */
    size_t row_bytes, place_bytes;
    uint32_t max, n_buckets, n_key_buckets;
    uint32_t n_places; /* ever used */
    uint32_t free;     /* place number + 1 */
    _Atomic uint32_t n_rows;
    _Atomic uint32_t last_id;
    _Atomic uint32_t changes; /* odd while it changes */
    pthread_mutex_t lock;
};

/* `key_buckets`: a power of two, 0 = as many as rows. Keys that follow one another lie side by
 * side, others anywhere, each on a page of its own: a table that is rarely asked by such a key
 * wants few. 0 or PM_ERROR_MEMORY. */
int pm_registry_init(struct pm_registry *registry, size_t row_bytes, uint32_t max_rows,
                     uint32_t key_buckets);
void pm_registry_clear(struct pm_registry *registry);

/* The id of a new row, or of the one that has this key already (key 0: never the same). 0 when
 * full, or when there is no memory for more. */
uint32_t pm_registry_add(struct pm_registry *registry, int64_t key, const void *row);
uint32_t pm_registry_find_or_add(struct pm_registry *registry, int64_t key, const void *row,
                                 bool *ret_is_new);
/* 0 when there is none. */
uint32_t pm_registry_find(struct pm_registry *registry, int64_t key);
/* Copies the row; false when there is none. */
bool pm_registry_get(struct pm_registry *registry, uint32_t id, void *ret_row);
/* Lets `change` alter the row in place, under the lock. */
bool pm_registry_change(struct pm_registry *registry, uint32_t id,
                        void (*change)(void *row, void *context), void *context);
bool pm_registry_remove(struct pm_registry *registry, uint32_t id);
/* If `change` says so, the row has no key any more: found by its id only, and its key is free. */
bool pm_registry_unkey(struct pm_registry *registry, uint32_t id,
                       bool (*change)(void *row, void *context), void *context);
/* Removes what `goes` says goes, of the `n` places from `first` on; no reader finds a row that it
 * was asked about and let go. Returns false past the last place. */
bool pm_registry_remove_where(struct pm_registry *registry, uint32_t first, uint32_t n,
                              bool (*goes)(const void *row, void *context), void *context);

/* Ids given so far, rows there are now, bytes touched. */
uint32_t pm_registry_last_id(const struct pm_registry *registry);
uint32_t pm_registry_count(const struct pm_registry *registry);
uint64_t pm_registry_memory(const struct pm_registry *registry);
/* How many rows there can be, as things are (pm_reservation_limit). */
uint32_t pm_registry_limit(const struct pm_registry *registry);

/* Visits places in turn (an index from 0 up); false past the last one. `*ret_id` is 0 for an empty
 * place. */
bool pm_registry_visit(struct pm_registry *registry, uint32_t index, uint32_t *ret_id,
                       void *ret_row);
