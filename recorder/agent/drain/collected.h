/* Blockers whose object was collected: each leaves its last counters in the recording once it is
 * settled, and is forgotten when nothing that is still gathered mentions it. The drain thread's
 * own. */
#pragma once

#include "format/writer.h"
#include "recorder/agent/drain/ledger.h"

#define PM_COLLECTED_MAX                                                                           \
    8192 /* kept for the chunk's END snapshot; more are forgotten with a flush */

struct pm_collected_blocker {
    pm_blocker_id blocker;
    uint64_t tick;  /* as it was told */
    uint64_t chunk; /* that holds its last counters; 0 = none yet */
    bool folded;    /* they are in another's now */
};

struct pm_collected {
    struct pm_collected_blocker *blockers;
    size_t n, capacity;
};

void pm_collected_clear(struct pm_collected *collected);
/* Takes from the tables (tables.h) what was collected since. */
void pm_collected_take(struct pm_collected *collected, uint64_t tick);
/* Tells the last counters of those that are settled and were told two ticks ago or more, through
 * `telling->each`; one that is folded is not told. Its definition is due once more. The last error
 * of `each`, or 0. */
int pm_collected_tell(struct pm_collected *collected, struct pm_ledger *ledger,
                      struct pm_writer *writer, uint64_t tick, uint64_t chunk,
                      const struct pm_ledger_telling *telling);
/* After a flush nothing gathered mentions those that were told. The chunk's END snapshot should
 * tell them too, so they are kept while `chunk` goes on, unless they are too many. */
void pm_collected_forget(struct pm_collected *collected, struct pm_ledger *ledger, uint64_t chunk);
