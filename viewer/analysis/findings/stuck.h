/* Findings about what does not move at the end of a view: deadlocks, and waits that somebody should
 * have ended. */
#pragma once

#include "viewer/analysis/findings/finding.h"
#include "viewer/analysis/findings/operation.h"

/* Append PmFinding to `findings`. */
void pm_stuck_add_deadlocks(const PmSummary *summary, GArray *findings);
/* Threads that nobody is left to wake, or that were forgotten. Three at most. */
void pm_stuck_add_knots(const PmSummary *summary, const PmOperations *operations, GArray *findings);
/* Waits of 10 s that could last for ever, and of 5 s that are overdue. Three at most; not what
 * waits behind a deadlock. */
void pm_stuck_add_waits(const PmSummary *summary, const PmOperations *operations, GArray *findings);
