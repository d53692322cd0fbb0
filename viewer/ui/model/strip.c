#include "viewer/ui/model/strip.h"

PmStrip *pm_strip_new(const PmParkedNow *p, gint64 from, gint64 to)
{
    g_return_val_if_fail(p != NULL, NULL);
    PmStrip *strip = g_new(PmStrip, 1);

    pm_parked_now_read(p, from, to, PM_STRIP_BUCKETS, strip->buckets);
    strip->peak = pm_parked_now_peak(p, from, to);
    return strip;
}

void pm_strip_read(const PmStrip *strip, gsize n, PmBucket *ret)
{
    g_return_if_fail(strip != NULL && ret);
    for (gsize i = 0; i < n; i++) {
        const double begin = (double)i * PM_STRIP_BUCKETS / (double)n;
        const double end = (double)(i + 1) * PM_STRIP_BUCKETS / (double)n;
        const gsize first = MIN((gsize)begin, PM_STRIP_BUCKETS - 1);
        PmBucket bucket = {.min = G_MAXUINT32};
        for (gsize k = first; k < PM_STRIP_BUCKETS && (k == first || (double)k < end); k++) {
            const PmBucket *from = &strip->buckets[k];
            const double part = MIN(end, (double)(k + 1)) - MAX(begin, (double)k);
            bucket.min = MIN(bucket.min, from->min);
            bucket.max = MAX(bucket.max, from->max);
            bucket.mean += from->mean * part / (end - begin);
            bucket.last = from->last;
        }
        ret[i] = bucket;
    }
}
