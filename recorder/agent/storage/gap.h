/* Sums of what is not stored, by reason, until the next flush writes them as gaps (docs/format.md
 * 4.8). Drain thread only. */
#pragma once

#include "format/writer.h"

struct pm_gaps {
    struct pm_gap sums[PM_N_GAP_REASONS]; /* `waits` and `thread_time_ns` 0: nothing to report */
};

/* The gap of that reason spans all that was added to it. */
void pm_gaps_add(struct pm_gaps *gaps, const struct pm_gap *part);
/* Passes every gap to the writer and starts over. The writer's last error, or 0. */
int pm_gaps_write(struct pm_gaps *gaps, struct pm_writer *writer);
