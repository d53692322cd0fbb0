/* Findings about groups of threads that nobody is left to wake, or that were forgotten. */
#pragma once

#include "viewer/analysis/evidence/finding.h"

/* Appends those of one shape among the first PM_STUCK_MAX knots. */
void pm_stuck_find_knots(const PmSearch *search, PmKnotShape shape, GArray *findings);
