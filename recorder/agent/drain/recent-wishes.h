/* What was to be sampled in the last seconds. Waits of some tens of milliseconds begin and end
 * between two ticks, or one tick sees them in their middle: if only what waits at a tick were
 * offered to the sampler, what is done as such waits begin would hardly ever be seen. So a wish
 * stays for a while, as `again` (sampler.h): it counts only while its waiter waits there again, of
 * several the one that did at a tick last.
 * Drain thread only. */
#pragma once

#include "recorder/agent/drain/sampler.h"

struct pm_recent_wishes {
    struct {
        struct pm_sample_wish wish;
        int64_t seen_ns; /* 0: free */
    } rows[PM_SAMPLER_MAX_RECENT];
};

/* Keeps those of the `n` wishes that are for a waiter, as far as there is room, and appends those
 * kept before for which none of them stands. Returns how many there are then, at most
 * PM_SAMPLER_MAX_RECENT more. */
size_t pm_recent_wishes_add(struct pm_recent_wishes *recent, int64_t now_ns,
                            struct pm_sample_wish *wishes, size_t n);
