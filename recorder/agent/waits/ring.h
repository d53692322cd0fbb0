/* A bounded queue from many threads to the drain: thread starts and ends, GC pauses. Adding is
 * lock-free, allocates nothing and never waits; it fails if the ring is full. */
#pragma once

#include <stdatomic.h>

#include "format/record.h"

#define PM_RING_SIZE 4096 /* a power of two */

struct pm_ring {
    _Alignas(64) _Atomic uint64_t head; /* next to be added */
    _Alignas(64) uint64_t tail;         /* next to be taken */
    _Atomic uint64_t n_lost;            /* found it full */
    struct {
        _Atomic uint64_t ticket; /* number of the add that may write here; + 1 once written */
        struct pm_span span;
    } cells[PM_RING_SIZE];
};

void pm_ring_init(struct pm_ring *ring);
bool pm_ring_add(struct pm_ring *ring, const struct pm_span *span);
bool pm_ring_take(struct pm_ring *ring, struct pm_span *ret_span); /* one thread */
