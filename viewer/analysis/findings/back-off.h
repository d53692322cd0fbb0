/* Back-off loops: threads that park for a moment without an object, again and again, until
 * something is as they want it. Each such park is a timer's, which is idle; together they are a
 * wait for what no event tells. */
#pragma once

#include "viewer/analysis/evidence/finding.h"

/* Appends a note (PmFinding) for each group and place whose threads do so ten times a second and
 * for a tenth of their lives. Nothing for a view with filters. Cost: one look at each wait's
 * category. */
void pm_back_off_find(const PmSearch *search, GArray *findings);
