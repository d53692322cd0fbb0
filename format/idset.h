/* The set of definitions that a chunk already holds: open addressing over 64-bit keys (0 is not a
 * key). Bounded by what one chunk refers to; cleared, not freed, for the next chunk. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pm_idset {
    uint64_t *keys;
    size_t n, capacity; /* capacity: a power of two, or 0 */
};

void pm_idset_clear(struct pm_idset *set); /* frees */
void pm_idset_reset(struct pm_idset *set); /* empties */
bool pm_idset_has(const struct pm_idset *set, uint64_t key);
/* 1 = added, 0 = was there, PM_ERROR_MEMORY. */
int pm_idset_add(struct pm_idset *set, uint64_t key);
void pm_idset_remove(struct pm_idset *set, uint64_t key);
