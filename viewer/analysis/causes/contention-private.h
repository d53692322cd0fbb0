/* What follow.c knows of contention.c. */
#pragma once

#include "viewer/analysis/causes/activity.h"
#include "viewer/analysis/causes/contention.h"

const PmActivity *pm_contention_activity(const PmContention *contention);
/* As pm_contention_split, but not followed: the threads that are responsible themselves, whatever
 * they did meanwhile. */
void pm_contention_split_here(const PmContention *contention, guint32 row, gint64 from, gint64 to,
                              GArray *parts);
/* Appends a part; one that continues the last is joined with it. */
void pm_parts_add(GArray *parts, PmPart part);
