#include "recorder/agent/waits/ring.h"

void pm_ring_init(struct pm_ring *ring)
{
    for (uint64_t i = 0; i < PM_RING_SIZE; i++)
        atomic_init(&ring->cells[i].ticket, i);
    atomic_init(&ring->head, 0);
    atomic_init(&ring->n_lost, 0);
    ring->tail = 0;
}

bool pm_ring_add(struct pm_ring *ring, const struct pm_span *span)
{
    uint64_t at = atomic_load_explicit(&ring->head, memory_order_relaxed);
    for (;;) {
        uint64_t ticket =
            atomic_load_explicit(&ring->cells[at % PM_RING_SIZE].ticket, memory_order_acquire);
        if (ticket == at) {
            if (atomic_compare_exchange_weak_explicit(&ring->head, &at, at + 1,
                                                      memory_order_relaxed, memory_order_relaxed))
                break;
        } else if (ticket < at) {
            /* Not taken yet since the last time round. */
            atomic_fetch_add_explicit(&ring->n_lost, 1, memory_order_relaxed);
            return false;
        } else {
            at = atomic_load_explicit(&ring->head, memory_order_relaxed);
        }
    }
    ring->cells[at % PM_RING_SIZE].span = *span;
    atomic_store_explicit(&ring->cells[at % PM_RING_SIZE].ticket, at + 1, memory_order_release);
    return true;
}

bool pm_ring_take(struct pm_ring *ring, struct pm_span *ret_span)
{
    uint64_t at = ring->tail;
    if (atomic_load_explicit(&ring->cells[at % PM_RING_SIZE].ticket, memory_order_acquire) !=
        at + 1)
        return false;
    *ret_span = ring->cells[at % PM_RING_SIZE].span;
    atomic_store_explicit(&ring->cells[at % PM_RING_SIZE].ticket, at + PM_RING_SIZE,
                          memory_order_release);
    ring->tail = at + 1;
    return true;
}
