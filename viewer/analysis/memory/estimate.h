/* Estimates from sampled objects, with the variance of their error (docs/format.md §4.12).
 * Sums of samples add up, and so do their variances; a difference of two cumulative sums has the
 * difference of their variances. */
#pragma once

#include <glib.h>

#include "viewer/analysis/recording/recording.h"

typedef struct {
    gint64 samples;
    double objects, bytes;
    double objects_variance, bytes_variance;
    double interval; /* mean interval at which unseen allocations were missed; 0: as for seen ones
                      */
    double doubt;    /* an additional factor by which everything may be wrong, in either direction;
                      * 0: 1 */
} PmEstimate;

/* Three standard errors on either side: the true value is within them in 99.7 % of all cases. */
#define PM_ESTIMATE_SIGMAS 3

typedef struct {
    double low, high;
} PmBounds;

PmEstimate pm_estimate_of_sum(const struct pm_memory_sum *sum);
PmEstimate pm_estimate_of_object(const PmAllocation *object);
void pm_estimate_add(PmEstimate *to, const PmEstimate *part);
/* The increase of a cumulative sum since it was `before`: never negative. */
PmEstimate pm_estimate_since(const PmEstimate *now, const PmEstimate *before);

gboolean pm_estimate_is_exact(const PmEstimate *estimate);
/* For bytes and for objects. These are score bounds: the values whose own error, which grows with
 * them, just reaches the observation. If the interval rose meanwhile, earlier samples suggest
 * smaller errors than there are: the bounds use the larger ones. The bias of the JVM's own sampler
 * (pm_memory_doubt) is added. */
PmBounds pm_estimate_bytes(const PmEstimate *estimate);
PmBounds pm_estimate_objects(const PmEstimate *estimate);
