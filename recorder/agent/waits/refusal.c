#include "recorder/agent/waits/refusal.h"

#include <assert.h>
#include <stdatomic.h>

#include "recorder/agent/waits/gate.h"

const char *const pm_refusal_names[PM_N_REFUSALS] = {
    [PM_REFUSAL_THREAD] = "thread_unknown", [PM_REFUSAL_VTHREADS_OFF] = "vthreads_off",
    [PM_REFUSAL_NOT_A_WAIT] = "not_a_wait", [PM_REFUSAL_NESTED] = "nested",
    [PM_REFUSAL_THROWS] = "throws_at_once", [PM_REFUSAL_NO_SPACE] = "no_space",
    [PM_REFUSAL_MOVED_ON] = "moved_on",
};

static _Atomic uint64_t counts[PM_N_REFUSALS];

void pm_refusal_note(enum pm_refusal reason)
{
    assert((unsigned)reason < PM_N_REFUSALS);
    if (pm_gate_open())
        atomic_fetch_add_explicit(&counts[reason], 1, memory_order_relaxed);
}

uint64_t pm_refusal_count(enum pm_refusal reason)
{
    assert((unsigned)reason < PM_N_REFUSALS);
    return atomic_load_explicit(&counts[reason], memory_order_relaxed);
}
