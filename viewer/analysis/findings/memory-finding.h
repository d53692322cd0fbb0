/* Findings about memory: what grows from one collection of the old generation to the next, an
 * account that keeps more than its quota, a site whose allocations trigger the collector's pauses.
 */
#pragma once

#include "viewer/analysis/evidence/finding.h"

/* One at a site, the steepest first. */
void pm_memory_find_leaks(const PmSearch *search, GArray *findings);
/* The furthest beyond its quota first. */
void pm_memory_find_quotas(const PmSearch *search, GArray *findings);
/* One at most. */
void pm_memory_find_hot_spot(const PmSearch *search, GArray *findings);
