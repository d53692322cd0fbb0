/* Findings about what makes no progress at the end of a view: deadlocks, and waits that should have
 * ended. */
#pragma once

#include "viewer/analysis/evidence/finding.h"

/* Append PmFinding to `findings`. */
void pm_stuck_find_deadlocks(const PmSearch *search, GArray *findings);
/* Threads that nobody is left to wake, or that were forgotten. At most three, of all kinds. */
void pm_stuck_find_own_pools(const PmSearch *search, GArray *findings);
void pm_stuck_find_mutual(const PmSearch *search, GArray *findings);
void pm_stuck_find_forgotten(const PmSearch *search, GArray *findings);
/* Waits of 10 s, or 5 s if they began before recording, that could last forever, and overdue ones
 * of 5 s. At most three; not those behind a deadlock. */
void pm_stuck_find_waits(const PmSearch *search, GArray *findings);
