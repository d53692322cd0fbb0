#include "recorder/agent/generation.h"

#include <stdatomic.h>

static _Atomic uint32_t number = 1;
static _Atomic uint32_t n_holders;

uint32_t pm_generation_now(void)
{
    return atomic_load_explicit(&number, memory_order_relaxed);
}

void pm_generation_begin(void)
{
    atomic_fetch_add(&number, 1);
}

void pm_generation_hold(void)
{
    atomic_fetch_add(&n_holders, 1);
}

void pm_generation_release(void)
{
    atomic_fetch_sub(&n_holders, 1);
}

bool pm_generation_is_held(void)
{
    return atomic_load(&n_holders) != 0;
}
