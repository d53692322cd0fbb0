/* Blockers whose object was collected: the last counters of each are written to the recording once
 * it is settled, and it is forgotten when no gathered row refers to it any more. Drain thread only.
 */
#pragma once

#include "format/writer.h"
#include "recorder/agent/counters/ledger.h"

#define PM_COLLECTED_MAX                                                                           \
    8192 /* kept for the chunk's END snapshot; any more are forgotten at a flush */

struct pm_collected_blocker {
    pm_blocker_id blocker;
    uint64_t tick;  /* as it was told */
    uint64_t chunk; /* that contains its last counters; 0 = none yet */
    bool folded;    /* they are in another's now */
};

struct pm_collected {
    struct pm_collected_blocker *blockers;
    size_t n, capacity;
};

void pm_collected_clear(struct pm_collected *collected);
/* Takes from the tables (tables.h) what was collected since the last call. */
void pm_collected_take(struct pm_collected *collected, uint64_t tick);
/* Passes the last counters of those that are settled and were taken at least two ticks ago to
 * `telling->each`, except folded ones. Their definitions are written once more. The last error of
 * `each`, or 0. */
int pm_collected_tell(struct pm_collected *collected, struct pm_ledger *ledger,
                      struct pm_writer *writer, uint64_t tick, uint64_t chunk,
                      const struct pm_ledger_telling *telling);
/* After a flush no gathered row refers to those that were reported. They should also be in the
 * chunk's END snapshot, so they are kept until `chunk` ends, unless there are too many. */
void pm_collected_forget(struct pm_collected *collected, struct pm_ledger *ledger, uint64_t chunk);
