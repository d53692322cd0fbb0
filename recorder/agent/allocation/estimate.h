/* What a sampled object stands for. An object of s bytes is sampled with the probability
 * p = 1 − exp(−s / i) where i is the mean number of bytes between two samples, whoever thins them;
 * so it stands for w = 1/p objects, and sums of w and w·s estimate objects and bytes without bias.
 * The variance of each sample's part is w² − w, times s² for bytes. With i = 0 every object is
 * sampled, w = 1, and the sums are exact. Free of JVM. */
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
/* As stored: whole numbers, errors rounded up so that what is not exact never looks so. */
struct pm_memory_sum pm_estimate_sum(const struct pm_estimate *estimate);
