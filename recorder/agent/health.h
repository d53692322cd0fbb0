/* How well the recorder does itself: counted by walk.c, read by `status`. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

extern struct pm_health {
    _Atomic uint64_t chain_hits, chain_misses, chain_mismatches;
    _Atomic bool chain_cache;
} pm_health;
