/* How many objects a sample represents. An object of s bytes is sampled with probability p = 1 −
 * exp(−s / i), where i is the mean number of bytes between two samples after thinning; so it
 * represents w = 1/p objects, and sums of w and w·s are unbiased estimates of objects and bytes.
 * The variance of each sample's contribution is w² − w, times s² for bytes. With i = 0 every object
 * is sampled, w = 1, and the sums are exact. Makes no JVM calls. */
#pragma once

#include "format/record.h"

/* The probability p; 1 for an interval of 0. */
double pm_estimate_probability(int64_t size_bytes, int64_t interval_bytes);

struct pm_estimate {
    int64_t samples;
    double objects, bytes;
    double objects_variance, bytes_variance;
};

void pm_estimate_add(struct pm_estimate *estimate, int64_t size_bytes, double weight);
void pm_estimate_join(struct pm_estimate *estimate, const struct pm_estimate *part);
/* As stored: whole numbers, with errors rounded up so that an inexact number never looks exact. */
struct pm_memory_sum pm_estimate_sum(const struct pm_estimate *estimate);
