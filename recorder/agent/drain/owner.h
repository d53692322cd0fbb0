/* Owners of blockers: which owners are worth sampling now, what a sample reveals about the waits in
 * progress, and which threads wait for each other. Drain thread only. */
#pragma once

#include "recorder/agent/counters/follow.h"
#include "recorder/agent/drain/sampler.h"

/* `all`: every wait in progress, those with an owner first; else one for each blocker whose waits
 * are PM_SAMPLER_AGE_NS old and have an owner. At most PM_SAMPLER_MAX_WISHES. */
size_t pm_owner_wishes(const struct pm_follower *follower, bool all,
                       struct pm_sample_wish *ret_wishes);
/* A monitor has an owner even if it could not be read when the wait began. */
static inline bool pm_owner_is_expected(pm_thread_id owner, uint8_t kind)
{
    return owner.n != 0 || kind == PM_KIND_ENTER;
}

/* All waits for that blocker that had begun by then have this owner, but for each Object.wait. */
void pm_owner_learn(struct pm_follower *follower, const struct pm_owner_sample *sample);
/* Cycles of waits that have lasted for a while; only those found so far if memory is short. */
uint32_t pm_owner_deadlocks(const struct pm_follower *follower);
