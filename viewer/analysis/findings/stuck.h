/* Findings about what does not move at the end of a view: deadlocks, and waits that somebody should
 * have ended. */
#pragma once

#include "viewer/analysis/findings/finding.h"

/* Appends PmFinding to `findings`. */
void pm_stuck_add_deadlocks(const PmSummary *summary, GArray *findings);
/* Three at most; not what waits behind a deadlock. */
void pm_stuck_add_waits(const PmSummary *summary, GArray *findings);
