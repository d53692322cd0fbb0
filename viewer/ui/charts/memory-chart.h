/* The charts of the Memory page, which replace those of waits: the allocation rate above the live
 * data. Their columns, colours and texts. */
#pragma once

#include <gtk/gtk.h>

#include "viewer/analysis/memory/memory-series.h"
#include "viewer/ui/charts/chart.h"

/* For each of n columns that divide [from, to): KiB per second, and bytes of each band and of all
 * others (bucket-major, n × (n_bands + 1)). */
void pm_memory_chart_read(const PmMemorySeries *series, gint64 from, gint64 to, gsize n,
                          PmBucket *ret_buckets, double *ret_means);
/* Orange if it grows, otherwise grey; never by colour alone: its name says it too. */
void pm_memory_chart_band_color(const PmMemorySeries *series, guint band, gboolean dark,
                                GdkRGBA *ret_color);
/* "Order · grows". Owned. */
char *pm_memory_chart_band_name(const PmMemorySeries *series, guint band);
/* The bounds of the live total, three standard errors, as two lines. */
void pm_memory_chart_paint_bounds(PmRaster *raster, const PmMemorySeries *series, double begin,
                                  double step, gsize n, double top, gboolean dark);
/* The highest bound among the columns. */
double pm_memory_chart_highest(const PmMemorySeries *series, gint64 from, gint64 to);
/* The top of a byte axis: a round number in its unit. */
double pm_memory_chart_top(double bytes);
/* "", "~" or "≥": how much is known of what lives. */
const char *pm_memory_chart_sign(const PmMemorySeries *series);
/* The chart in words. Owned. */
char *pm_memory_chart_text(const PmMemorySeries *series, gint64 from, gint64 to);
/* The text beside the charts for a range; NULL: none. Owned. */
char *pm_memory_chart_rate_text(const PmMemorySeries *series, gint64 from, gint64 to,
                                char **ret_peak);
char *pm_memory_chart_live_text(const PmMemorySeries *series, gint64 to, char **ret_bounds);
