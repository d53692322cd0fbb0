#include "recorder/agent/waits/epoch.h"

#include <stdatomic.h>

#include "recorder/agent/base/readers.h"

static _Atomic uint32_t number = 1;
static struct pm_readers holders;

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
    return pm_readers_enter(&holders);
}

void pm_epoch_leave(uint32_t hold)
{
    pm_readers_leave(&holders, hold);
}

uint32_t pm_epoch_note_readers(void)
{
    return pm_readers_note(&holders);
}

bool pm_epoch_has_readers(uint32_t noted)
{
    return pm_readers_are_left(&holders, noted);
}
