/* Back-off loops: threads that repeatedly park for a moment without an object until some condition
 * holds. Each such park counts as a timer, which is idle; together they are a wait for something
 * that no event reports. */
#pragma once

#include "viewer/analysis/evidence/finding.h"

/* Appends a finding for each group and location whose threads do so ten times a second and for a
 * tenth of their lives: a note, unless a library parks that calls one other thread, which was
 * mostly in the program's code when it was looked at, and may be what makes room. Nothing for a
 * view with filters. Cost: one check of each wait's category. */
void pm_back_off_find(const PmSearch *search, GArray *findings);
