/* What waiting for blockers costs, those alike together (PM_ASPECT_ALIKE): two thousand futures
 * that are waited for at one site are one of them. Plain values; any thread. */
#pragma once

#include "viewer/ui/model/results.h"

typedef struct {
    guint64 key;     /* of PM_ASPECT_ALIKE */
    guint32 blocker; /* the most-waited of them … */
    gint64 most;     /* … in one of its kinds of waits, for so long … */
    guint8 category; /* … which is this */
    gint64 thread_time;
} PmAlike;

guint64 pm_alike_key(const PmRecording *recording, guint32 blocker);
/* Of PmAlike, most time first. Cost: the number of blockers. Owned by the caller. */
GArray *pm_alike_sum(const PmResults *results);
