#include "viewer/ui/charts/chart.h"

#include <math.h>

#include "viewer/analysis/aggregation/intervals.h"
#include "viewer/ui/widgets/palette.h"

#define LABEL_STEP_PX 6

/* In device pixels from the raster's top. */
static double value_y(const PmRaster *raster, double value, double top)
{
    return raster->height * (1 - value / top);
}

/* The y of a value that is at least one device pixel above the ground when it is above zero. */
static double raised_y(const PmRaster *raster, double value, double top)
{
    double y = value_y(raster, value, top);

    return value > 0 ? MIN(y, raster->height - 1) : y;
}

void pm_chart_paint_parked_now(PmRaster *raster, const PmBucket *buckets, gsize n, double top,
                               gboolean dark)
{
    const double line = 1.5 * raster->scale;
    double before = NAN;
    GdkRGBA area, envelope, step;

    pm_palette_color(PM_COLOR_ENVELOPE, dark, &envelope);
    pm_palette_color(PM_COLOR_STEP, dark, &step);
    area = envelope;
    area.alpha *= 0.35f;
    n = MIN(n, (gsize)raster->width);
    for (gsize x = 0; x < n; x++) {
        const PmBucket *bucket = &buckets[x];
        double low = raised_y(raster, bucket->min, top), high = raised_y(raster, bucket->max, top);
        if (bucket->max > bucket->min) {
            high = MIN(high, low - 1);
            high = MAX(high, 0);
        }
        pm_raster_column(raster, x, low, raster->height, &area);
        pm_raster_column(raster, x, high, low, &envelope);
        /* The line lies within the envelope, whole pixels, and joins its neighbour. */
        double y = CLAMP(floor(value_y(raster, bucket->mean, top)), floor(high), floor(low));
        y = CLAMP(y, 0, raster->height - line);
        double from = y, to = y + line;
        if (!isnan(before)) {
            from = MIN(from, before);
            to = MAX(to, before + line);
        }
        if (bucket->max > 0 || (!isnan(before) && before < raster->height - line)) {
            pm_raster_column(raster, x, from, to, &step);
        } else {
            GdkRGBA faint = step;
            faint.alpha *= 0.4f;
            pm_raster_column(raster, x, raster->height - raster->scale, raster->height, &faint);
        }
        before = y;
    }
}

double pm_chart_biggest_sum(const double *means, gsize n, guint n_bands)
{
    double biggest = 0;

    for (gsize x = 0; x < n; x++) {
        double sum = 0;
        for (guint band = 0; band < n_bands; band++)
            sum += means[x * n_bands + band];
        biggest = MAX(biggest, sum);
    }
    return biggest;
}

void pm_chart_paint_thread_time(PmRaster *raster, const double *means, gsize n, guint n_bands,
                                const PmBandLook *looks, double top, int lit, gboolean dark)
{
    GdkRGBA paper;

    pm_palette_color(PM_COLOR_PAPER, dark, &paper);
    n = MIN(n, (gsize)raster->width);
    for (gsize x = 0; x < n; x++) {
        const double *column = &means[x * n_bands];
        double ground = raster->height, sum = 0, biggest = 0;
        int biggest_band = -1;
        for (guint band = 0; band < n_bands; band++) {
            if (!(column[band] > 0))
                continue;
            if (column[band] > biggest) {
                biggest = column[band];
                biggest_band = band;
            }
            sum += column[band];
            double y = MAX(value_y(raster, sum, top), 0);
            GdkRGBA color = looks[band].color;
            if (lit >= 0 && (guint)lit != band)
                color.alpha *= 0.28f;
            /* A pixel of paper between bands that are thick enough to spare it. */
            double gap = ground - y >= 4 * raster->scale ? raster->scale : 0;
            if (looks[band].hatched)
                pm_raster_hatch(raster, x, y + gap, ground, &color);
            else
                pm_raster_column(raster, x, y + gap, ground, &color);
            ground = y;
        }
        if (biggest_band >= 0 && raster->height - ground < 1) {
            GdkRGBA color = looks[biggest_band].color;
            if (lit >= 0 && lit != biggest_band)
                color.alpha *= 0.28f;
            pm_raster_column(raster, x, raster->height - 1, raster->height, &paper);
            pm_raster_column(raster, x, raster->height - 1, raster->height, &color);
        }
    }
}

guint pm_chart_band_at(const PmRaster *size, const double *means, gsize n, guint n_bands,
                       double top, double x, double y)
{
    if (x < 0 || x >= n || n == 0)
        return n_bands;
    const double *column = &means[(gsize)x * n_bands];
    double sum = 0;
    int last = -1;
    for (guint band = 0; band < n_bands; band++) {
        if (!(column[band] > 0))
            continue;
        sum += column[band];
        last = band;
        if (y >= value_y(size, sum, top))
            return band;
    }
    /* The one pixel that every wait has. */
    return last >= 0 && y >= size->height - 3 * size->scale ? (guint)last : n_bands;
}

/* The part of the band's height that is there in each `step`th column of [from, to). */
static void common_height(const PmRaster *size, const double *means, guint n_bands, guint band,
                          double top, gsize from, gsize to, gsize step, double *ret_y0,
                          double *ret_y1)
{
    double y0 = 0, y1 = size->height;

    for (gsize x = from; x < to && y0 < y1; x += step) {
        const double *column = &means[x * n_bands];
        double below = 0;
        for (guint i = 0; i < band; i++)
            below += column[i];
        y1 = MIN(y1, value_y(size, below, top));
        y0 = MAX(y0, value_y(size, below + column[band], top));
    }
    *ret_y0 = y0;
    *ret_y1 = y1;
}

gboolean pm_chart_place_label(const PmRaster *size, const double *means, gsize n, guint n_bands,
                              guint band, double top, double width, double height, double *ret_x,
                              double *ret_y)
{
    double best = height;
    gboolean found = FALSE;
    gsize span = (gsize)ceil(width);

    n = MIN(n, (gsize)size->width);
    for (gsize x = 0; x + span <= n; x += 2 * LABEL_STEP_PX) {
        double y0, y1;
        common_height(size, means, n_bands, band, top, x, x + span, LABEL_STEP_PX, &y0, &y1);
        if (y1 - y0 > best + 2) /* what looks high enough may be a comb */
            common_height(size, means, n_bands, band, top, x, x + span, 1, &y0, &y1);
        if (y1 - y0 > best + 2) {
            best = y1 - y0;
            *ret_x = x;
            *ret_y = (y0 + y1 - height) / 2;
            found = TRUE;
        }
    }
    return found;
}

void pm_chart_paint_marks(PmRaster *raster, const PmInterval *intervals, gsize n,
                          const PmTimescale *scale, const GdkRGBA *color, PmMarkLook look)
{
    int painted = 0; /* columns before this one have their mark */

    for (gsize i = 0; i < n; i++) {
        if (intervals[i].end < scale->from || intervals[i].begin > scale->to)
            continue;
        double from = pm_timescale_x(scale, intervals[i].begin) * raster->scale,
               to = pm_timescale_x(scale, intervals[i].end) * raster->scale;
        int first = MAX((int)floor(MAX(from, 0)), painted),
            last = MAX((int)floor(MAX(from, 0)), (int)ceil(MIN(to, raster->width)) - 1);
        for (int x = first; x <= last && x < raster->width; x++)
            if (look == PM_MARK_HATCH)
                pm_raster_hatch(raster, x, 0, raster->height, color);
            else if (look == PM_MARK_CROSS)
                pm_raster_cross(raster, x, 0, raster->height, color);
            else
                pm_raster_column(raster, x, 0, raster->height, color);
        painted = MAX(painted, last + 1);
    }
}

gboolean pm_chart_is_unknown(const PmRecording *recording, gint64 at)
{
    g_autoptr(PmIntervals) unknown = pm_intervals_new_unknown(recording);

    return pm_intervals_within(unknown, at, at + 1) > 0;
}

void pm_chart_paint_unknown(PmRaster *raster, const PmRecording *recording,
                            const PmTimescale *scale, const GdkRGBA *color)
{
    for (guint i = 0; i < recording->n_gaps; i++) {
        PmInterval interval = {recording->gaps[i].begin, recording->gaps[i].end};
        pm_chart_paint_marks(raster, &interval, 1, scale, color, PM_MARK_CROSS);
    }
    for (guint i = 0; i < recording->n_damage; i++) {
        PmInterval interval = {recording->damage[i].begin, recording->damage[i].end};
        pm_chart_paint_marks(raster, &interval, 1, scale, color, PM_MARK_CROSS);
    }
    pm_chart_paint_marks(raster, recording->stopped, recording->n_stopped, scale, color,
                         PM_MARK_CROSS);
}
