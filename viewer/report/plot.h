/* A small chart writer: lines over one x axis, linear or logarithmic, with a legend, as SVG or PNG.
 * Series differ by mark as well as by colour. Pure except for the file; any thread. */
#pragma once

#include <glib.h>

typedef struct {
    const char *name;
    gsize n;
    const double *x,
        *y; /* points that are not finite, or not positive on a log axis, are left out */
} PmPlotSeries;

typedef struct {
    const char *title, *subtitle, *x_label, *y_label; /* NULL = none */
    gboolean x_log;
    double y_min, y_max; /* NAN: as the points need, with 0 */
    guint n_series;
    const PmPlotSeries *series;
} PmPlot;

#define PM_PLOT_WIDTH  760
#define PM_PLOT_HEIGHT 440

/* Writes it to `path`, as PNG when that ends in ".png", else as SVG. FALSE and `error` (GFileError)
 * if there is no point to draw or the file cannot be written. */
gboolean pm_plot_write(const PmPlot *plot, const char *path, GError **error);

/* Marks at round numbers that cover [min, max], about `wanted` of them. Returns the number written
 * to `ret_ticks` (at most `capacity`). */
guint pm_plot_ticks(double min, double max, gboolean log, guint wanted, double *ret_ticks,
                    guint capacity);
/* "0.5", "20", "10k", "2M": a number on an axis. Owned. */
char *pm_plot_number(double value);
