/* How often something may be done that costs the program, and that others may force on the
 * recorder: a few times at once, and from then on one time in so long. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define PM_ALLOWANCE_TIMES    8
#define PM_ALLOWANCE_EVERY_NS INT64_C(60000000000)

struct pm_allowance {
    int64_t used_up_to_ns; /* 0 to begin with */
};

/* True: it may be done now, and counts as done. One thread. */
static inline bool pm_allowance_take(struct pm_allowance *allowance, int64_t now_ns)
{
    int64_t up_to_ns = allowance->used_up_to_ns > now_ns ? allowance->used_up_to_ns : now_ns;
    if (up_to_ns - now_ns > (PM_ALLOWANCE_TIMES - 1) * PM_ALLOWANCE_EVERY_NS)
        return false;
    allowance->used_up_to_ns = up_to_ns + PM_ALLOWANCE_EVERY_NS;
    return true;
}
