/* What the agent would read in a JVM, for programs that have none: nothing can be read. */
#include "format/error.h"
#include "recorder/agent/sampling/sample.h"

void pm_sample_on_pause(bool (*pause)(int64_t ns))
{
}

int pm_sample_thread(pm_thread_id *thread, pm_chain_id *ret_chain, uint8_t *ret_owner_state,
                     struct pm_sample_cost *ret_cost)
{
    return PM_ERROR_ARGUMENT;
}

int pm_sample_monitor_owner(pm_blocker_id blocker, pm_thread_id waiter, pm_thread_id *ret_owner)
{
    return PM_ERROR_ARGUMENT;
}

bool pm_sample_wait_of(pm_thread_id thread, struct pm_raw_wait *ret_wait)
{
    return false;
}

int pm_sample_owner(pm_blocker_id blocker, pm_thread_id *ret_owner)
{
    return PM_ERROR_ARGUMENT;
}

bool pm_sample_owner_has_ended(pm_blocker_id blocker)
{
    return false;
}
