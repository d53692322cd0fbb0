#include "viewer/analysis/memory/estimate.h"

#include <math.h>

PmEstimate pm_estimate_of_sum(const struct pm_memory_sum *sum)
{
    const double objects_error = (double)sum->objects_error, bytes_error = (double)sum->bytes_error;
    return (PmEstimate){.samples = sum->samples,
                        .objects = (double)sum->objects,
                        .bytes = (double)sum->bytes,
                        .objects_variance = objects_error * objects_error,
                        .bytes_variance = bytes_error * bytes_error};
}

PmEstimate pm_estimate_of_object(const PmAllocation *object)
{
    const double size = (double)object->size;
    const double p = object->interval > 0 ? -expm1(-size / (double)object->interval) : 1;
    const double weight = p > 0 ? ldexp(1 / p, object->halvings) : 1;
    const double variance = weight * weight - weight;
    return (PmEstimate){.samples = 1,
                        .objects = weight,
                        .bytes = weight * size,
                        .objects_variance = variance,
                        .bytes_variance = variance * size * size};
}

void pm_estimate_add(PmEstimate *to, const PmEstimate *part)
{
    to->samples += part->samples;
    to->objects += part->objects;
    to->bytes += part->bytes;
    to->objects_variance += part->objects_variance;
    to->bytes_variance += part->bytes_variance;
    to->interval = MAX(to->interval, part->interval);
    to->doubt = MAX(to->doubt, part->doubt);
}

PmEstimate pm_estimate_since(const PmEstimate *now, const PmEstimate *before)
{
    return (PmEstimate){
        .samples = MAX(now->samples - before->samples, 0),
        .objects = MAX(now->objects - before->objects, 0),
        .bytes = MAX(now->bytes - before->bytes, 0),
        .objects_variance = MAX(now->objects_variance - before->objects_variance, 0),
        .bytes_variance = MAX(now->bytes_variance - before->bytes_variance, 0),
        .interval = now->interval,
        .doubt = now->doubt,
    };
}

gboolean pm_estimate_is_exact(const PmEstimate *estimate)
{
    return estimate->objects_variance <= 0 && estimate->bytes_variance <= 0;
}

/* The variance of each of so many objects, of such a size, as the interval has it. */
static double missed(const PmEstimate *estimate)
{
    if (estimate->interval <= 0 || estimate->objects <= 0)
        return 0;
    return 1 / expm1(estimate->bytes / estimate->objects / estimate->interval);
}

/* T with |value − T| = z·√(c·T), where c is the variance of each unit of the value: as seen, or
 * `least`; the value itself may be wrong by the factor `doubt`. */
static PmBounds bounds(double value, double variance, double least, double doubt)
{
    const double factor = variance > 0 ? MAX(doubt, 1) : 1;
    const double z2 = PM_ESTIMATE_SIGMAS * PM_ESTIMATE_SIGMAS;
    const double c = value > 0 && variance > 0 ? MAX(variance / value, least) : 0;
    const double middle = value + z2 * c / 2, half = sqrt(z2 * c * value + z2 * z2 * c * c / 4);
    return (PmBounds){MAX(middle - half, 0) / factor, (middle + half) * factor};
}

PmBounds pm_estimate_bytes(const PmEstimate *estimate)
{
    const double size = estimate->objects > 0 ? estimate->bytes / estimate->objects : 0;
    return bounds(estimate->bytes, estimate->bytes_variance, missed(estimate) * size,
                  estimate->doubt);
}

PmBounds pm_estimate_objects(const PmEstimate *estimate)
{
    return bounds(estimate->objects, estimate->objects_variance, missed(estimate), estimate->doubt);
}
