/* The charts of the page Memory, in the place of those of waits: how fast is allocated above what
 * lives. Their columns and colours, and what is said of them. */
#pragma once

#include <gtk/gtk.h>

#include "viewer/analysis/memory/memory-series.h"
#include "viewer/ui/charts/chart.h"

/* Of each of n columns that cut [from, to): KiB a second, and bytes of each band and of all others
 * (bucket-major, n × (n_bands + 1)). */
void pm_memory_chart_read(const PmMemorySeries *series, gint64 from, gint64 to, gsize n,
                          PmBucket *ret_buckets, double *ret_means);
/* Orange where it grows, grey where not; never the colour alone: its name says it too. */
void pm_memory_chart_band_color(const PmMemorySeries *series, guint band, gboolean dark,
                                GdkRGBA *ret_color);
/* "Order · grows". Owned. */
char *pm_memory_chart_band_name(const PmMemorySeries *series, guint band);
/* The bounds of all that lives, by three standard errors, as two lines. */
void pm_memory_chart_paint_bounds(PmRaster *raster, const PmMemorySeries *series, double begin,
                                  double step, gsize n, double top, gboolean dark);
/* The highest bound among the columns. */
double pm_memory_chart_highest(const PmMemorySeries *series, gint64 from, gint64 to);
/* The top of an axis of bytes: round in the unit in which it is told. */
double pm_memory_chart_top(double bytes);
/* "", "~" or "≥": how much is known of what lives. */
const char *pm_memory_chart_sign(const PmMemorySeries *series);
/* The chart in words. Owned. */
char *pm_memory_chart_text(const PmMemorySeries *series, gint64 from, gint64 to);
/* What the titles beside the charts say of a range; NULL: nothing. Owned. */
char *pm_memory_chart_rate_text(const PmMemorySeries *series, gint64 from, gint64 to,
                                char **ret_peak);
char *pm_memory_chart_live_text(const PmMemorySeries *series, gint64 to, char **ret_bounds);
