#include "viewer/ui/charts/memory-chart.h"

#include <math.h>

#include "viewer/analysis/base/sum.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/ui/widgets/palette.h"

static const PmMemoryInstant none;

/* What holds at `at`: what was last looked at, and the rate until the next look. */
static const PmMemoryInstant *instant_at(const PmMemorySeries *series, gint64 at, double *ret_rate)
{
    const int index = pm_memory_series_find(series, at);
    *ret_rate =
        index + 1 < (int)series->n_instants && index >= 0 ? series->instants[index + 1].rate : 0;
    return index >= 0 ? &series->instants[index] : &none;
}

void pm_memory_chart_read(const PmMemorySeries *series, gint64 from, gint64 to, gsize n,
                          PmBucket *ret_buckets, double *ret_means)
{
    const guint n_bands = series->n_bands + 1;
    for (gsize i = 0; i < n; i++) {
        const gint64 at = from + pm_rounded((double)(to - from) * ((double)i + 0.5) / (double)n);
        double rate;
        const PmMemoryInstant *instant = instant_at(series, at, &rate);
        const guint32 kib = (guint32)MIN(rate / 1024, G_MAXUINT32);
        ret_buckets[i] = (PmBucket){kib, kib, kib, rate / 1024};
        for (guint band = 0; band < n_bands; band++)
            ret_means[i * n_bands + band] = instant->live[band];
    }
}

void pm_memory_chart_band_color(const PmMemorySeries *series, guint band, gboolean dark,
                                GdkRGBA *ret_color)
{
    if (band >= series->n_bands) {
        pm_palette_color(PM_COLOR_OTHERS, dark, ret_color);
        return;
    }
    const gboolean rises = series->bands[band].rises;
    guint rank = 0;
    for (guint i = 0; i < band; i++)
        rank += !series->bands[i].rises == !rises;
    pm_palette_family(rises ? PM_FAMILY_LOCK : PM_FAMILY_OTHER, rank % PM_PALETTE_STEPS, dark,
                      ret_color);
}

char *pm_memory_chart_band_name(const PmMemorySeries *series, guint band)
{
    if (band >= series->n_bands)
        return g_strdup("others");
    g_autofree char *name =
        pm_memory_key_text(series->recording, series->band_aspect, series->bands[band].key);
    return g_strconcat(name, series->bands[band].rises ? " · grows" : "", NULL);
}

/* One line, joined to its neighbour. */
static void paint_bound(PmRaster *raster, int x, double bytes, double top, double *before,
                        const GdkRGBA *color)
{
    const double y =
        CLAMP(floor(raster->height * (1 - bytes / top)), 0, raster->height - raster->scale);
    double from = y, to = y + raster->scale;
    if (!isnan(*before)) {
        from = MIN(from, *before);
        to = MAX(to, *before + raster->scale);
    }
    pm_raster_column(raster, x, from, to, color);
    *before = y;
}

void pm_memory_chart_paint_bounds(PmRaster *raster, const PmMemorySeries *series, double begin,
                                  double step, gsize n, double top, gboolean dark)
{
    double low = NAN, high = NAN, rate;
    GdkRGBA color;
    pm_palette_color(PM_COLOR_STEP, dark, &color);
    color.alpha *= 0.6f;
    for (gsize x = 0; x < n && x < (gsize)raster->width; x++) {
        const PmMemoryInstant *instant =
            instant_at(series, pm_rounded(begin + ((double)x + 0.5) * step), &rate);
        if (instant->bounds.high <= instant->bounds.low)
            continue;
        paint_bound(raster, (int)x, instant->bounds.low, top, &low, &color);
        paint_bound(raster, (int)x, instant->bounds.high, top, &high, &color);
    }
}

double pm_memory_chart_highest(const PmMemorySeries *series, gint64 from, gint64 to)
{
    double highest = 0;
    for (int i = MAX(pm_memory_series_find(series, from), 0);
         i < (int)series->n_instants && series->instants[i].at <= to; i++)
        highest = MAX(highest, series->instants[i].bounds.high);
    return highest;
}

double pm_memory_chart_top(double bytes)
{
    double unit = 1024;
    while (bytes >= 1024 * unit)
        unit *= 1024;
    return pm_axis_top(bytes / unit) * unit;
}

const char *pm_memory_chart_sign(const PmMemorySeries *series)
{
    const PmMemorySnapshot *last =
        &series->recording->snapshots[series->recording->n_snapshots - 1];
    return last->interval > 0 ? "~" : last->exact_from == G_MININT64 ? "≥" : "";
}

static char *bytes_text(const PmMemorySeries *series, double bytes)
{
    g_autofree char *size = pm_label_bytes((guint64)MAX(bytes, 0));
    return g_strconcat(pm_memory_chart_sign(series), size, NULL);
}

static double live_of(const PmMemorySeries *series, const PmMemoryInstant *instant)
{
    double sum = 0;
    for (guint band = 0; band <= series->n_bands; band++)
        sum += instant->live[band];
    return sum;
}

char *pm_memory_chart_live_text(const PmMemorySeries *series, gint64 to, char **ret_bounds)
{
    double rate;
    const PmMemoryInstant *instant = instant_at(series, to, &rate);
    *ret_bounds = NULL;
    if (!series->live_known)
        return NULL;
    if (instant->bounds.high > instant->bounds.low) {
        g_autofree char *low = pm_label_bytes((guint64)MAX(instant->bounds.low, 0)),
                        *high = pm_label_bytes((guint64)instant->bounds.high);
        *ret_bounds = g_strdup_printf("%s–%s", low, high);
    }
    return bytes_text(series, live_of(series, instant));
}

/* Of the snapshots within. */
char *pm_memory_chart_rate_text(const PmMemorySeries *series, gint64 from, gint64 to,
                                char **ret_peak)
{
    double bytes = 0, most = 0, seconds = 0;
    *ret_peak = NULL;
    for (guint i = 1; i < series->n_instants; i++) {
        const PmMemoryInstant *instant = &series->instants[i];
        const gint64 begin = MAX(series->instants[i - 1].at, from), end = MIN(instant->at, to);
        if (end <= begin)
            continue;
        seconds += (double)(end - begin) / 1e9;
        bytes += instant->rate * (double)(end - begin) / 1e9;
        most = MAX(most, instant->rate);
    }
    if (seconds <= 0)
        return NULL;
    g_autofree char *mean = bytes_text(series, bytes / seconds), *peak = bytes_text(series, most);
    *ret_peak = g_strdup_printf("peak %s/s", peak);
    return g_strdup_printf("%s/s", mean);
}

char *pm_memory_chart_text(const PmMemorySeries *series, gint64 from, gint64 to)
{
    g_autofree char *from_text = pm_label_clock(series->recording, from, 3);
    g_autofree char *to_text = pm_label_clock(series->recording, to, 3);
    g_autofree char *bounds = NULL, *peak = NULL;
    g_autofree char *live = pm_memory_chart_live_text(series, to, &bounds);
    g_autofree char *rate = pm_memory_chart_rate_text(series, from, to, &peak);
    g_autoptr(GString) text = g_string_new(NULL);
    double ignored;
    const PmMemoryInstant *begin = instant_at(series, from, &ignored),
                          *end = instant_at(series, to, &ignored);
    g_string_printf(text, "%s to %s, live bytes: %s", from_text, to_text, live);
    if (bounds)
        g_string_append_printf(text, ", %s", bounds);
    if (rate)
        g_string_append_printf(text, "; allocated: %s, %s", rate, peak);
    for (guint band = 0; band < series->n_bands; band++) {
        g_autofree char *name = pm_memory_chart_band_name(series, band);
        g_autofree char *first = bytes_text(series, begin->live[band]),
                        *last = bytes_text(series, end->live[band]);
        g_string_append_printf(text, "; %s, from %s to %s", name, first, last);
    }
    return g_string_free(g_steal_pointer(&text), FALSE);
}
