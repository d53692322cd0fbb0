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
    double interval; /* at which what was not seen was missed, on average; 0: as what was seen */
    double doubt;    /* the factor by which all of it may be wrong besides, either way; 0: 1 */
} PmEstimate;

/* Three standard errors on either side: what was asked for lies within in 99.7 % of all cases. */
#define PM_ESTIMATE_SIGMAS 3

typedef struct {
    double low, high;
} PmBounds;

PmEstimate pm_estimate_of_sum(const struct pm_memory_sum *sum);
PmEstimate pm_estimate_of_object(const PmAllocation *object);
void pm_estimate_add(PmEstimate *to, const PmEstimate *part);
/* What came to a cumulative sum since it was `before`: never negative. */
PmEstimate pm_estimate_since(const PmEstimate *now, const PmEstimate *before);

gboolean pm_estimate_is_exact(const PmEstimate *estimate);
/* Of bytes and of objects. The bounds are those of scores: values whose own error, which grows with
 * them, reaches what was seen. Where the interval rose meanwhile, what was seen before tells of
 * smaller errors than there are: the bounds are of the greater ones. What the JVM's own sampler
 * errs (pm_memory_doubt) comes to that. */
PmBounds pm_estimate_bytes(const PmEstimate *estimate);
PmBounds pm_estimate_objects(const PmEstimate *estimate);
