/* Room for a hash table: opened in up to 64 parts, each for itself, when something first falls into
 * it. Of what never was opened a reader learns that nothing is there. As of room.h: what is open
 * begins as zeroes, stays and never moves. */
#pragma once

#include "recorder/agent/room.h"

struct pm_spread {
    struct pm_room room;
    unsigned shift; /* a part is so many bits of an offset */
    _Atomic uint64_t open;
};

/* Closed. 0 or PM_ERROR_MEMORY. */
int pm_spread_init(struct pm_spread *spread, size_t bytes);
void pm_spread_clear(struct pm_spread *spread);

/* What lies at this offset, of `bytes`; NULL: nothing was ever put there, or nearby. */
static inline void *pm_spread_at(const struct pm_spread *spread, size_t offset)
{
    uint64_t open = atomic_load_explicit(&spread->open, memory_order_acquire);
    return open >> (offset >> spread->shift) & 1 ? spread->room.base + offset : NULL;
}

/* The same, to put something there; NULL: there is no memory for it. */
void *pm_spread_open(struct pm_spread *spread, size_t offset);
