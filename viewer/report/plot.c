#include "viewer/report/plot.h"

#include <cairo-svg.h>
#include <cairo.h>
#include <math.h>
#include <string.h>

#define MAX_TICKS 32
#define LEFT      72.0
#define RIGHT     24.0
#define TOP       64.0
#define BOTTOM    92.0

typedef struct {
    double r, g, b;
} Colour;

/* Four hues of the viewer's palette, dark enough on white, then greys; the marks repeat at 5. */
static const Colour colours[] = {{0.69, 0.25, 0.04}, {0.18, 0.50, 0.85}, {0.35, 0.12, 0.43},
                                 {0.68, 0.55, 0.00}, {0.35, 0.35, 0.35}, {0.60, 0.60, 0.60}};

char *pm_plot_number(double value)
{
    static const struct {
        double scale;
        const char *suffix;
    } scales[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
    char text[64];

    for (guint i = 0; i < G_N_ELEMENTS(scales); i++) {
        if (fabs(value) >= scales[i].scale * 0.9999)
            return g_strconcat(g_ascii_formatd(text, sizeof text, "%.3g", value / scales[i].scale),
                               scales[i].suffix, NULL);
    }
    return g_strdup(g_ascii_formatd(text, sizeof text, "%.3g", fabs(value) < 1e-12 ? 0 : value));
}

guint pm_plot_ticks(double min, double max, gboolean log, guint wanted, double *ret_ticks,
                    guint capacity)
{
    guint n = 0;

    if (log) {
        for (double decade = pow(10, floor(log10(min) + 1e-9));
             decade <= max * 1.0001 && n < capacity; decade *= 10)
            if (decade >= min * 0.9999)
                ret_ticks[n++] = decade;
        return n;
    }
    double rough = (max - min) / MAX(wanted, 1);
    double power = pow(10, floor(log10(rough)));
    double lead = rough / power;
    double step = (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10) * power;
    for (double k = ceil(min / step - 1e-9); k * step <= max + step * 1e-9 && n < capacity; k++)
        ret_ticks[n++] = k * step;
    return n;
}

typedef struct {
    const PmPlot *plot;
    cairo_t *cr;
    double x_min, x_max, y_min, y_max;
    double left, right, top, bottom;
} Chart;

static gboolean drawable(const PmPlot *plot, double x, double y)
{
    return isfinite(x) && isfinite(y) && (!plot->x_log || x > 0);
}

/* FALSE: there is no point. */
static gboolean find_range(Chart *chart)
{
    const PmPlot *plot = chart->plot;
    gboolean any = FALSE;

    chart->y_min = 0;
    chart->y_max = 0;
    for (guint s = 0; s < plot->n_series; s++) {
        for (gsize i = 0; i < plot->series[s].n; i++) {
            double x = plot->series[s].x[i], y = plot->series[s].y[i];
            if (!drawable(plot, x, y))
                continue;
            chart->x_min = any ? MIN(chart->x_min, x) : x;
            chart->x_max = any ? MAX(chart->x_max, x) : x;
            chart->y_min = MIN(chart->y_min, y);
            chart->y_max = MAX(chart->y_max, y);
            any = TRUE;
        }
    }
    if (isfinite(plot->y_min))
        chart->y_min = plot->y_min;
    if (isfinite(plot->y_max))
        chart->y_max = plot->y_max;
    else
        chart->y_max += 0.05 * (chart->y_max - chart->y_min);
    if (!(chart->y_max > chart->y_min))
        chart->y_max = chart->y_min + 1;
    if (any && plot->x_log) {
        /* Whole decades, so that the axis has its numbers. */
        chart->x_min = pow(10, floor(log10(chart->x_min) + 1e-9));
        chart->x_max = pow(10, ceil(log10(chart->x_max) - 1e-9));
    }
    if (any && !(chart->x_max > chart->x_min))
        chart->x_max = plot->x_log ? chart->x_min * 10 : chart->x_min + 1;
    return any;
}

static double x_of(const Chart *chart, double x)
{
    double share = chart->plot->x_log ? log(x / chart->x_min) / log(chart->x_max / chart->x_min)
                                      : (x - chart->x_min) / (chart->x_max - chart->x_min);

    return chart->left + share * (chart->right - chart->left);
}

static double y_of(const Chart *chart, double y)
{
    double share = (y - chart->y_min) / (chart->y_max - chart->y_min);

    return chart->bottom - CLAMP(share, -0.02, 1.02) * (chart->bottom - chart->top);
}

/* `align`: 0 = begins at x, 0.5 = centred, 1 = ends there. */
static void text(cairo_t *cr, double x, double y, double align, double size, gboolean strong,
                 const char *string)
{
    cairo_text_extents_t extents;

    cairo_select_font_face(cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           strong ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cr, size);
    cairo_text_extents(cr, string, &extents);
    cairo_move_to(cr, x - align * extents.x_advance, y);
    cairo_show_text(cr, string);
}

static void draw_axes(const Chart *chart)
{
    cairo_t *cr = chart->cr;
    double ticks[MAX_TICKS];

    cairo_set_line_width(cr, 1);
    guint n = pm_plot_ticks(chart->y_min, chart->y_max, FALSE, 6, ticks, MAX_TICKS);
    for (guint i = 0; i < n; i++) {
        double y = floor(y_of(chart, ticks[i])) + 0.5;
        g_autofree char *number = pm_plot_number(ticks[i]);
        cairo_set_source_rgb(cr, 0.88, 0.88, 0.88);
        cairo_move_to(cr, chart->left, y);
        cairo_line_to(cr, chart->right, y);
        cairo_stroke(cr);
        cairo_set_source_rgb(cr, 0.25, 0.25, 0.25);
        text(cr, chart->left - 8, y + 4, 1, 12, FALSE, number);
    }
    n = pm_plot_ticks(chart->x_min, chart->x_max, chart->plot->x_log, 8, ticks, MAX_TICKS);
    for (guint i = 0; i < n; i++) {
        double x = floor(x_of(chart, ticks[i])) + 0.5;
        g_autofree char *number = pm_plot_number(ticks[i]);
        cairo_set_source_rgb(cr, 0.25, 0.25, 0.25);
        cairo_move_to(cr, x, chart->bottom);
        cairo_line_to(cr, x, chart->bottom + 5);
        cairo_stroke(cr);
        text(cr, x, chart->bottom + 20, 0.5, 12, FALSE, number);
    }
    cairo_set_source_rgb(cr, 0.25, 0.25, 0.25);
    cairo_move_to(cr, chart->left, chart->bottom + 0.5);
    cairo_line_to(cr, chart->right, chart->bottom + 0.5);
    cairo_stroke(cr);
    if (chart->plot->x_label)
        text(cr, (chart->left + chart->right) / 2, chart->bottom + 40, 0.5, 13, FALSE,
             chart->plot->x_label);
    if (chart->plot->y_label) {
        cairo_save(cr);
        cairo_translate(cr, 20, (chart->top + chart->bottom) / 2);
        cairo_rotate(cr, -G_PI / 2);
        text(cr, 0, 0, 0.5, 13, FALSE, chart->plot->y_label);
        cairo_restore(cr);
    }
}

static void draw_mark(cairo_t *cr, guint series, double x, double y)
{
    const double r = 4;

    cairo_new_path(cr);
    switch (series % 5) {
    case 0:
        cairo_arc(cr, x, y, r, 0, 2 * G_PI);
        break;
    case 1:
        cairo_rectangle(cr, x - r, y - r, 2 * r, 2 * r);
        break;
    case 2:
        cairo_move_to(cr, x, y - r - 1);
        cairo_line_to(cr, x + r + 1, y + r);
        cairo_line_to(cr, x - r - 1, y + r);
        cairo_close_path(cr);
        break;
    case 3:
        cairo_move_to(cr, x, y - r - 1);
        cairo_line_to(cr, x + r + 1, y);
        cairo_line_to(cr, x, y + r + 1);
        cairo_line_to(cr, x - r - 1, y);
        cairo_close_path(cr);
        break;
    default:
        cairo_move_to(cr, x - r, y - r);
        cairo_line_to(cr, x + r, y + r);
        cairo_move_to(cr, x - r, y + r);
        cairo_line_to(cr, x + r, y - r);
        cairo_stroke(cr);
        return;
    }
    cairo_fill(cr);
}

static void draw_series(const Chart *chart, guint s)
{
    const PmPlotSeries *series = &chart->plot->series[s];
    const Colour *colour = &colours[s % G_N_ELEMENTS(colours)];
    cairo_t *cr = chart->cr;

    cairo_set_source_rgb(cr, colour->r, colour->g, colour->b);
    cairo_set_line_width(cr, 2);
    cairo_new_path(cr);
    for (gsize i = 0; i < series->n; i++)
        if (drawable(chart->plot, series->x[i], series->y[i]))
            cairo_line_to(cr, x_of(chart, series->x[i]), y_of(chart, series->y[i]));
    cairo_stroke(cr);
    for (gsize i = 0; i < series->n; i++)
        if (drawable(chart->plot, series->x[i], series->y[i]))
            draw_mark(cr, s, x_of(chart, series->x[i]), y_of(chart, series->y[i]));
}

static void draw_legend(const Chart *chart, double y)
{
    cairo_t *cr = chart->cr;
    double x = chart->left;

    for (guint s = 0; s < chart->plot->n_series; s++) {
        const Colour *colour = &colours[s % G_N_ELEMENTS(colours)];
        cairo_text_extents_t extents;
        cairo_select_font_face(cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
        cairo_set_font_size(cr, 13);
        cairo_text_extents(cr, chart->plot->series[s].name, &extents);
        cairo_set_source_rgb(cr, colour->r, colour->g, colour->b);
        cairo_set_line_width(cr, 2);
        cairo_move_to(cr, x, y - 4);
        cairo_line_to(cr, x + 24, y - 4);
        cairo_stroke(cr);
        draw_mark(cr, s, x + 12, y - 4);
        cairo_set_source_rgb(cr, 0.1, 0.1, 0.1);
        text(cr, x + 30, y, 0, 13, FALSE, chart->plot->series[s].name);
        x += 30 + extents.x_advance + 22;
    }
}

static void draw(Chart *chart)
{
    cairo_t *cr = chart->cr;

    chart->left = LEFT;
    chart->right = PM_PLOT_WIDTH - RIGHT;
    chart->top = TOP;
    chart->bottom = PM_PLOT_HEIGHT - BOTTOM;
    cairo_set_source_rgb(cr, 1, 1, 1);
    cairo_paint(cr);
    cairo_set_source_rgb(cr, 0.1, 0.1, 0.1);
    if (chart->plot->title)
        text(cr, chart->left, 28, 0, 16, TRUE, chart->plot->title);
    cairo_set_source_rgb(cr, 0.35, 0.35, 0.35);
    if (chart->plot->subtitle)
        text(cr, chart->left, 48, 0, 12, FALSE, chart->plot->subtitle);
    draw_axes(chart);
    for (guint s = 0; s < chart->plot->n_series; s++)
        draw_series(chart, s);
    draw_legend(chart, PM_PLOT_HEIGHT - 18);
}

gboolean pm_plot_write(const PmPlot *plot, const char *path, GError **error)
{
    g_return_val_if_fail(plot != NULL && path != NULL, FALSE);
    Chart chart = {.plot = plot};
    gboolean png = g_str_has_suffix(path, ".png");

    if (!find_range(&chart)) {
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "%s: there is no point to draw", path);
        return FALSE;
    }
    cairo_surface_t *surface =
        png ? cairo_image_surface_create(CAIRO_FORMAT_RGB24, PM_PLOT_WIDTH, PM_PLOT_HEIGHT)
            : cairo_svg_surface_create(path, PM_PLOT_WIDTH, PM_PLOT_HEIGHT);
    chart.cr = cairo_create(surface);
    draw(&chart);
    cairo_status_t status = cairo_status(chart.cr);
    cairo_destroy(chart.cr);
    if (status == CAIRO_STATUS_SUCCESS && png)
        status = cairo_surface_write_to_png(surface, path);
    cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    if (status != CAIRO_STATUS_SUCCESS) {
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_IO, "%s cannot be written: %s", path,
                    cairo_status_to_string(status));
        return FALSE;
    }
    return TRUE;
}
