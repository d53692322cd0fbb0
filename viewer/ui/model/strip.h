/* Threads waiting over a whole range in little memory, for displays that are never zoomed.
 * Immutable. */
#pragma once

#include "viewer/analysis/curves/series.h"

#define PM_STRIP_BUCKETS 8192

typedef struct {
    guint32 peak;
    PmBucket buckets[PM_STRIP_BUCKETS]; /* that cut it evenly */
} PmStrip;

/* Of [from, to) of a series. g_free it. */
PmStrip *pm_strip_new(const PmParkedNow *series, gint64 from, gint64 to);
/* Fills `n` buckets that divide the range evenly: {min, max} cover every bucket of the strip that
 * overlaps one. */
void pm_strip_read(const PmStrip *strip, gsize n, PmBucket *ret_buckets);
