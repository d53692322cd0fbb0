#include "recorder/agent/drain/operation.h"

#include "recorder/agent/tables/blocker.h"
#include "recorder/agent/tables/chain.h"

uint32_t pm_operation_of(pm_chain_id chain, pm_blocker_id id, bool *ret_known)
{
    struct pm_blocker blocker;
    const bool known = pm_blocker_get(id, &blocker);
    const uint64_t class_id = known ? blocker.class_id.n : 0;
    const uint64_t of_site = class_id << 32 | pm_chain_site_method(chain).n;
    const uint64_t of_pool = pm_chain_is_idle(chain) ? id.n : 0;
    const uint64_t hash = (of_site ^ of_pool * 0xff51afd7ed558ccdu) * 0x9e3779b97f4a7c15u;
    if (ret_known)
        *ret_known = known;
    return (uint32_t)(hash >> 32) | 1;
}
