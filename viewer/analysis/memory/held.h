/* What the owners of a blocker allocated while others waited for it: the stored samples of its
 * owner at that time. */
#pragma once

#include "viewer/analysis/causes/contention.h"
#include "viewer/analysis/memory/estimate.h"

typedef struct {
    PmEstimate total;
    guint32 class_index, chain; /* of what was allocated most */
    double share;               /* of total, that of the stack trace */
} PmHeldAllocations;

/* For the range; all zeros: none. Cost: the samples in the blocker's holds. */
PmHeldAllocations pm_held_allocations(const PmRecording *recording, const PmContention *contention,
                                      guint32 blocker, gint64 from, gint64 to);
