/* Memory that grows in place: address space is reserved at the start, pages come as they are
 * touched, and what was appended never moves, so that readers need no lock. */
#pragma once

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed address space; NULL on failure. */
void *pm_reserve(size_t bytes);
void pm_unreserve(void *base, size_t bytes); /* NULL is fine */

struct pm_store {
    char *base;
    size_t capacity;
    _Atomic size_t used;
};

/* 0 or PM_ERROR_MEMORY. */
int pm_store_init(struct pm_store *store, size_t capacity);
void pm_store_clear(struct pm_store *store);
/* Room for `bytes`, aligned to 8; NULL when full. One writer at a time. */
void *pm_store_append(struct pm_store *store, size_t bytes);
