#include "recorder/agent/base/readers.h"

uint32_t pm_readers_enter(struct pm_readers *readers)
{
    for (;;) {
        uint32_t round = atomic_load(&readers->rounds) & 1;
        atomic_fetch_add(&readers->n[round], 1);
        if ((atomic_load(&readers->rounds) & 1) == round)
            return round;
        atomic_fetch_sub(&readers->n[round], 1); /* noted meanwhile, and perhaps without us */
    }
}

void pm_readers_leave(struct pm_readers *readers, uint32_t round)
{
    atomic_fetch_sub(&readers->n[round], 1);
}

uint32_t pm_readers_note(const struct pm_readers *readers)
{
    return atomic_load(&readers->rounds);
}

/* Who came up to round `noted` has left when the one after the next has begun. */
bool pm_readers_are_left(struct pm_readers *readers, uint32_t noted)
{
    uint32_t now = atomic_load(&readers->rounds);
    while ((int32_t)(now - noted) < 2 && atomic_load(&readers->n[~now & 1]) == 0)
        if (atomic_compare_exchange_strong(&readers->rounds, &now, now + 1))
            now++;
    return (int32_t)(now - noted) < 2;
}
