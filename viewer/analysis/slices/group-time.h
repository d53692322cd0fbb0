/* How the threads of each group spent their time in a range. */
#pragma once

#include "viewer/analysis/aggregation/filter.h"
#include "viewer/analysis/recording/category.h"

/* Threads of one group in the view's range, counting each ns of life exactly once. */
typedef struct {
    guint32 group;
    guint32 n_threads;            /* that were seen in it, as of PmThreadTimes */
    gint64 life;                  /* Σ of lives in the range */
    gint64 idle;                  /* in idle categories, whatever the filter says */
    gint64 family[PM_N_FAMILIES]; /* waiting, by family, without idle */
    gint64 unknown;               /* not recorded or not readable, and not within a recorded wait */
    gint64 busy;                  /* life − idle − unknown */
} PmGroupTime;

/* Rows that are summed together, once; tests reduce the number. */
extern gsize pm_group_times_slice_rows;

/* For a range of the whole recording, ignoring chips, ordered by waiting time; owned by the caller.
 * NULL: `cancel` was set. Cost: a pass over the waits on all cores the first time, later over few.
 */
PmGroupTime *pm_group_times_new(const PmView *view, guint *ret_n, const gint *cancel);
