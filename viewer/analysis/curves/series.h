/* The data of the charts: values per pixel column at any zoom, without visiting every wait when
 * panning. */
#pragma once

#include "viewer/analysis/aggregation/tree.h"

typedef struct {
    guint32 min, max, last; /* of the exact step function in the bucket */
    double mean;
} PmBucket;

/* Threads waiting at each instant. Built once per view (O(n log n)); read at any zoom in
 * O(buckets · log n) through a pyramid of {min, max, sum}. Immutable, counted. */
typedef struct PmParkedNow PmParkedNow;
PmParkedNow *pm_parked_now_new(const PmView *view, const gint *cancel);
void pm_parked_now_unref(PmParkedNow *series);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PmParkedNow, pm_parked_now_unref)
/* Fills `n` buckets that divide [from, to) evenly. Where there are many events the border between
 * two is moved back by up to a 32nd of a bucket: means are exact of the stretches that this makes,
 * and {min, max} reach a little over both ends, so that no peak is left out. A single bucket has no
 * such border. */
void pm_parked_now_read(const PmParkedNow *series, gint64 from, gint64 to, gsize n,
                        PmBucket *ret_buckets);
guint32 pm_parked_now_at(const PmParkedNow *series, gint64 at);
guint32 pm_parked_now_peak(const PmParkedNow *series, gint64 from, gint64 to);

/* Thread-time by key of one aspect: for each band the mean number of threads per bucket. Bands keep
 * the order and colour they have over the whole unfiltered recording: first `PM_N_BANDS` keys by
 * thread-time, the rest is one band "others". Built once per (recording, idle, aspect); a filtered
 * view has its own. */
#define PM_N_BANDS 8
typedef struct {
    guint64 key;
    gboolean others;
    guint8 category;
    guint8 rank; /* within its family: lightness step 0..2 */
    gint64 thread_time;
} PmBand;

typedef struct PmBands PmBands;
/* The order of bands, from the whole recording, so that an id keeps its place and colour. */
typedef struct PmBandOrder PmBandOrder;
PmBandOrder *pm_band_order_new(PmRecording *recording, PmAspect aspect, gboolean idle);
/* The same from a tree of that view, all of it and not estimated, whose first level it is. */
PmBandOrder *pm_band_order_of_tree(const PmTree *tree);
void pm_band_order_free(PmBandOrder *order);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PmBandOrder, pm_band_order_free)
/* The band of a key: 0..n-1, or n = others. */
guint pm_band_order_find(const PmBandOrder *order, guint64 key);
guint pm_band_order_n(const PmBandOrder *order);
const PmBand *pm_band_order_get(const PmBandOrder *order, guint index);

/* For the waits of `parked_now`, of which it holds a reference. Of an aspect that splits waits, and
 * a huge recording, they are estimates: of each of PM_EXCERPT_SPANS parts of the time it is found
 * how the waiting in a part of that is divided, from some waits (excerpt-view.h). */
PmBands *pm_bands_new(PmParkedNow *parked_now, const PmBandOrder *order, const gint *cancel);
gboolean pm_bands_are_estimated(const PmBands *bands);
/* Both at once, in two thirds of the time; no bands of an aspect that splits waits. */
PmParkedNow *pm_parked_now_new_with_bands(const PmView *view, const PmBandOrder *order,
                                          PmBands **ret_bands, const gint *cancel);
void pm_bands_free(PmBands *bands);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PmBands, pm_bands_free)
/* `ret_means`: n buckets, as of pm_parked_now_read, × (pm_band_order_n + 1) bands, bucket-major. */
void pm_bands_read(const PmBands *bands, gint64 from, gint64 to, gsize n, double *ret_means);
