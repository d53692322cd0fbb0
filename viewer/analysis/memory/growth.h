/* Growth of live data: for each class at each site, its live bytes at the snapshots after
 * collections of the old generation, and whether they rise to the end.
 *
 * Not reported: a rise that could be sampling error, one that has ended (a full cache; by the time,
 * and by what else was allocated meanwhile), waves that were met higher each time by chance, a
 * small rise, or one before there are four such snapshots. What young collections leave is not
 * known to be reachable. Reported besides: an array that only gets longer, which rises in steps. */
#pragma once

#include "viewer/analysis/memory/memory-state.h"

#define PM_GROWTH_MIN_SNAPSHOTS 4

typedef struct {
    guint32 class_index;
    guint32 chain;          /* of those at the site, the one that grew most */
    guint64 site;           /* as pm_memory_site */
    PmEstimate first, last; /* live at the first and the last instant */
    gint64 from, to;
    guint n_snapshots, n_rises;
    double slope;                 /* bytes a second, from the first to the last … */
    double slope_low, slope_high; /* … and its bounds */
    double share;                 /* of all that lives */
} PmGrowth;

/* Growth in the range, steepest first. Owned array of PmGrowth. */
GArray *pm_growth_find(const PmRecording *recording, gint64 from, gint64 to);
