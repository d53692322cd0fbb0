/* Too few processors: threads that were runnable but had none, as measured by the census
 * (sampling/census.h). */
#pragma once

#include "viewer/analysis/aggregation/filter.h"

typedef struct {
    double of_runnable; /* of the time in which they were runnable, the share without a processor */
    double threads;     /* threads without a processor, on average */
} PmNoCore;

/* For a thread group, over the census in the view's range; zeros if there is too little data. */
PmNoCore pm_no_core(const PmView *view, guint32 group);
/* The group that used the most processor time, its share of the total, and how many processors that
 * was on average; FALSE if there is no census. */
gboolean pm_no_core_most(const PmView *view, guint32 *ret_group, double *ret_share,
                         double *ret_processors);
