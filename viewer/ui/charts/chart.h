/* Painters of the two charts and the marks: they draw plain data on a PmRaster, without widgets or
 * state. One bucket is one device pixel column. A nonzero value is at least one device pixel high,
 * so that a single wait of 1 ns is visible at every zoom. */
#pragma once

#include <gtk/gtk.h>

#include "viewer/analysis/curves/series.h"
#include "viewer/ui/widgets/raster.h"
#include "viewer/ui/widgets/timescale.h"

/* Parked now: the line is the mean of the column (which is the exact value where it does not
 * change), the envelope its exact min and max. `n` = width × scale buckets. */
void pm_chart_paint_parked_now(PmRaster *raster, const PmBucket *buckets, gsize n, double top,
                               gboolean dark);

typedef struct {
    GdkRGBA color;
    gboolean hatched;
} PmBandLook;

/* Thread-time: `means` is bucket-major, n × n_bands; bands are stacked from below in their order.
 * `lit` ≥ 0: highlights this band and fades the others. */
void pm_chart_paint_thread_time(PmRaster *raster, const double *means, gsize n, guint n_bands,
                                const PmBandLook *looks, double top, int lit, gboolean dark);
/* The biggest sum of a bucket's bands. */
double pm_chart_biggest_sum(const double *means, gsize n, guint n_bands);
/* The band at a point (device pixels); n_bands if there is none. */
guint pm_chart_band_at(const PmRaster *size, const double *means, gsize n, guint n_bands,
                       double top, double x, double y);

/* Where a label of `width` × `height` device pixels fits inside band `band`: its top left corner.
 * FALSE if it fits nowhere. */
gboolean pm_chart_place_label(const PmRaster *size, const double *means, gsize n, guint n_bands,
                              guint band, double top, double width, double height, double *ret_x,
                              double *ret_y);

/* Intervals as marks, each at least one device pixel wide; neighbours merge. Times outside the
 * scale are skipped. Cost: one pass over the intervals that overlap it. */
typedef enum { PM_MARK_FILL, PM_MARK_HATCH, PM_MARK_CROSS } PmMarkLook;
void pm_chart_paint_marks(PmRaster *raster, const PmInterval *intervals, gsize n,
                          const PmTimescale *scale, const GdkRGBA *color, PmMarkLook look);
/* Whether waits are missing at that time: fewer may seem to wait than did. */
gboolean pm_chart_is_unknown(const PmRecording *recording, gint64 at);
/* Cross-hatches periods that were not, or not completely, recorded or cannot be read: gaps, stops,
 * damage. */
void pm_chart_paint_unknown(PmRaster *raster, const PmRecording *recording,
                            const PmTimescale *scale, const GdkRGBA *color);
