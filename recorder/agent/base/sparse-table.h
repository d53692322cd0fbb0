/* A sparse table: a reservation for a hash table, opened in up to 64 parts, each when something
 * first falls into it. A reader finds nothing in a part that was never opened. Open parts start as
 * zeroes, stay open and never move (reservation.h). */
#pragma once

#include "recorder/agent/base/reservation.h"

struct pm_sparse_table {
    _Atomic uint64_t open;
    unsigned shift; /* a part is so many bits of an offset */
    struct pm_reservation reservation;
};

/* Closed. 0 or PM_ERROR_MEMORY. */
int pm_sparse_table_init(struct pm_sparse_table *table, size_t bytes);
void pm_sparse_table_clear(struct pm_sparse_table *table);

/* The `bytes` at this offset; NULL: nothing was ever put there, or nearby. */
static inline void *pm_sparse_table_at(const struct pm_sparse_table *table, size_t offset)
{
    uint64_t open = atomic_load_explicit(&table->open, memory_order_acquire);
    return open >> (offset >> table->shift) & 1 ? table->reservation.base + offset : NULL;
}

/* The same, to put something there; NULL: there is no memory for it. */
void *pm_sparse_table_open(struct pm_sparse_table *table, size_t offset);
