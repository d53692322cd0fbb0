#include "recorder/agent/waits/epoch.h"

#include <stdatomic.h>

static _Atomic uint32_t number = 1;

/* Holders are counted by the round in which they came, odd or even. The next round begins when
 * there are none of the one before left. */
static _Atomic uint32_t rounds; /* begun */
static _Atomic uint32_t n_holders[2];

uint32_t pm_epoch_now(void)
{
    return atomic_load_explicit(&number, memory_order_relaxed);
}

void pm_epoch_advance(void)
{
    atomic_fetch_add(&number, 1);
}

void pm_epoch_mark(uint32_t *used, uint32_t epoch)
{
    if ((int32_t)(epoch - *used) > 0)
        *used = epoch;
}

uint32_t pm_epoch_enter(void)
{
    for (;;) {
        uint32_t hold = atomic_load(&rounds) & 1;
        atomic_fetch_add(&n_holders[hold], 1);
        if ((atomic_load(&rounds) & 1) == hold)
            return hold;
        atomic_fetch_sub(&n_holders[hold], 1); /* noted meanwhile, and perhaps without us */
    }
}

void pm_epoch_leave(uint32_t hold)
{
    atomic_fetch_sub(&n_holders[hold], 1);
}

uint32_t pm_epoch_note_readers(void)
{
    return atomic_load(&rounds);
}

/* Who came up to round `noted` has left when the one after the next has begun. */
bool pm_epoch_has_readers(uint32_t noted)
{
    uint32_t now = atomic_load(&rounds);
    while ((int32_t)(now - noted) < 2 && atomic_load(&n_holders[~now & 1]) == 0)
        if (atomic_compare_exchange_strong(&rounds, &now, now + 1))
            now++;
    return (int32_t)(now - noted) < 2;
}
