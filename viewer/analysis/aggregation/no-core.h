/* Too few processors: threads that were runnable but had none, as counted by the census
 * (sampling/census.h). */
#pragma once

#include "viewer/analysis/aggregation/filter.h"

typedef struct {
    double of_runnable; /* of the time that they could run, they had no processor for */
    double threads;     /* of them, were without a processor at a time, on average */
} PmNoCore;

/* Of a group of threads, over what was counted in the view's range; zeros where that is too little.
 */
PmNoCore pm_no_core(const PmView *view, guint32 group);
/* The group that used the processors most, its share of what all used, and how many processors that
 * was on average; FALSE where nothing was counted. */
gboolean pm_no_core_most(const PmView *view, guint32 *ret_group, double *ret_share,
                         double *ret_processors);
