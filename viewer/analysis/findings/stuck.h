/* Findings about what does not move at the end of a view: deadlocks, and waits that somebody should
 * have ended. */
#pragma once

#include "viewer/analysis/evidence/finding.h"

/* Append PmFinding to `findings`. */
void pm_stuck_find_deadlocks(const PmSearch *search, GArray *findings);
/* Threads that nobody is left to wake, or that were forgotten. Three at most, of all shapes. */
void pm_stuck_find_own_pools(const PmSearch *search, GArray *findings);
void pm_stuck_find_mutual(const PmSearch *search, GArray *findings);
void pm_stuck_find_forgotten(const PmSearch *search, GArray *findings);
/* Waits of 10 s, or of 5 s since before the recorder came, that could last for ever, and of 5 s
 * that are overdue. Three at most; not what waits behind a deadlock. */
void pm_stuck_find_waits(const PmSearch *search, GArray *findings);
