/* Too few processors: what the census (sampling/census.h) says of threads that were runnable and
 * had none. */
#pragma once

#include "viewer/analysis/aggregation/filter.h"

/* The share of its runnable time that a group of threads had no processor for, in the view's range;
 * 0 where too little was counted. */
double pm_no_core_share(const PmView *view, guint32 group);
/* The group that used the processors most, and its share of what all used; FALSE where nothing was
 * counted. */
gboolean pm_no_core_most(const PmView *view, guint32 *ret_group, double *ret_share);
