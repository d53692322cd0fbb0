#include "recorder/agent/waits/epoch.h"

#include <stdatomic.h>

static _Atomic uint32_t number = 1;

/* Holders are counted by the parity in which they came, odd or even: those of the parity before are
 * the noted ones, and there are none of the one before that. */
static _Atomic uint32_t parity;
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
        uint32_t hold = atomic_load(&parity) & 1;
        atomic_fetch_add(&n_holders[hold], 1);
        if ((atomic_load(&parity) & 1) == hold)
            return hold;
        atomic_fetch_sub(&n_holders[hold], 1); /* noted meanwhile, and perhaps without us */
    }
}

void pm_epoch_leave(uint32_t hold)
{
    atomic_fetch_sub(&n_holders[hold], 1);
}

void pm_epoch_note_readers(void)
{
    atomic_fetch_add(&parity, 1);
}

bool pm_epoch_has_readers(void)
{
    return atomic_load(&n_holders[~atomic_load(&parity) & 1]) != 0;
}
