/* Findings about single waits that should have ended. */
#pragma once

#include "viewer/analysis/evidence/finding.h"

/* Three at most. `of_pool`: of exhausted pools, of which no such wait ever ended, so that nothing
 * tells who ends them; or all others. */
void pm_stuck_find_waits_of(const PmSearch *search, gboolean of_pool, GArray *findings);
