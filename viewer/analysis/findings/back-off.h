/* Back-off loops: threads that repeatedly park for a moment without an object until some condition
 * holds. Each such park counts as a timer, which is idle; together they are a wait for something
 * that no event reports. */
#pragma once

#include "viewer/analysis/evidence/finding.h"

/* Appends a note (PmFinding) for each group and location whose threads do so ten times a second and
 * for a tenth of their lives. Nothing for a view with filters. Cost: one check of each wait's
 * category. */
void pm_back_off_find(const PmSearch *search, GArray *findings);
