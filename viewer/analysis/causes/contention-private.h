/* What follow.c knows of contention.c. */
#pragma once

#include "viewer/analysis/causes/activity.h"
#include "viewer/analysis/causes/contention.h"

const PmActivity *pm_contention_activity(const PmContention *contention);
/* Appends a part; one that continues the last is joined with it. */
void pm_parts_add(GArray *parts, PmPart part);
