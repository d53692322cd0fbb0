#include "recorder/agent/allocation/estimate.h"

#include <math.h>

double pm_estimate_probability(int64_t size_bytes, int64_t interval_bytes)
{
    return interval_bytes > 0 ? -expm1(-(double)size_bytes / (double)interval_bytes) : 1;
}

void pm_estimate_add(struct pm_estimate *estimate, int64_t size_bytes, double weight)
{
    double size = (double)size_bytes, variance = weight * weight - weight;
    estimate->samples++;
    estimate->objects += weight;
    estimate->bytes += weight * size;
    estimate->objects_variance += variance;
    estimate->bytes_variance += variance * size * size;
}

void pm_estimate_join(struct pm_estimate *estimate, const struct pm_estimate *part)
{
    estimate->samples += part->samples;
    estimate->objects += part->objects;
    estimate->bytes += part->bytes;
    estimate->objects_variance += part->objects_variance;
    estimate->bytes_variance += part->bytes_variance;
}

static int64_t whole(double value)
{
    return value < (double)(PM_TIME_LIMIT / 2) ? (int64_t)value : PM_TIME_LIMIT / 2;
}

struct pm_memory_sum pm_estimate_sum(const struct pm_estimate *estimate)
{
    return (struct pm_memory_sum){
        .samples = estimate->samples,
        .objects = whole(estimate->objects + 0.5),
        .bytes = whole(estimate->bytes + 0.5),
        .objects_error = whole(ceil(sqrt(estimate->objects_variance))),
        .bytes_error = whole(ceil(sqrt(estimate->bytes_variance))),
    };
}
