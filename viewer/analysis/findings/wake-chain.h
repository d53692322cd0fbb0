/* One step back along who woke whom: while a thread was waited for, it may itself have waited, and
 * then who ended that wait is nearer to the cause. main waits for a worker, the worker for a reply:
 * the reply is late. Exact to the overlap in time of a wait with its waker's own waits, idle ones
 * too: a worker that was idle while it was waited for had not been told yet. */
#pragma once

#include "viewer/analysis/aggregation/filter.h"

typedef struct {
    gint64 waited; /* of the waits asked about, until their wakers woke them */
    gint64 time;   /* of that, while the waker stood at `chain` and until `waker` ended it there */
    guint32 chain; /* where the wakers waited most; one of its chains, those of a site are one */
    guint32 waker; /* who ended that, one of its group; 0 = nobody: a time-out, or not known */
    guint32 waker_chain; /* where; 0 = not known */
} PmWakeStep;

/* Where the wakers of `rows` (of the view, `n` of them) waited most meanwhile. FALSE when none of
 * them waited. Cost: two passes over the recording's waits. */
gboolean pm_wake_chain_step(const PmView *view, const guint32 *rows, guint n, PmWakeStep *ret_step);
