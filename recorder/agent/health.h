/* How well the recorder does itself: counted by walk.c and quirks.c, read by `status`. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

extern struct pm_health {
    _Atomic uint64_t chain_hits, chain_misses, chain_mismatches;
    _Atomic uint32_t chain_epochs; /* moves on when code or classes were unloaded */
    _Atomic bool chain_cache;
} pm_health;
