/* Findings about what does not move at the end of a view: deadlocks, and waits that somebody should
 * have ended. */
#pragma once

#include "viewer/analysis/findings/finding.h"

/* Append PmFinding to `findings`. */
void pm_stuck_add_deadlocks(const PmSummary *summary, GArray *findings);
/* Threads that nobody is left to wake, or that were forgotten. Three at most. */
void pm_stuck_add_knots(const PmSummary *summary, const PmContention *contention, GArray *findings);
/* Three at most; not what waits behind a deadlock. */
void pm_stuck_add_waits(const PmSummary *summary, GArray *findings);
