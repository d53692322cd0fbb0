#include "viewer/ui/widgets/histogram.h"

#include <math.h>
#include <string.h>

#include "viewer/analysis/recording/label.h"
#include "viewer/ui/model/number.h"
#include "viewer/ui/widgets/element.h"
#include "viewer/ui/widgets/palette.h"

#define COLUMNS_PX 64
#define GAP_PX     2 /* between the columns and what is written above and below them */

struct _PmHistogram {
    GtkWidget parent_instance;
    guint64 bins[PM_DETAIL_BINS];
    gint64 percentiles[3];
    GdkRGBA color;
    gboolean dark;
};

G_DEFINE_FINAL_TYPE(PmHistogram, pm_histogram, GTK_TYPE_WIDGET)

static int text_px(GtkWidget *widget)
{
    g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(widget, "0");
    int height;

    pango_layout_get_pixel_size(layout, NULL, &height);
    return height;
}

static void pm_histogram_measure(GtkWidget *widget, GtkOrientation orientation, int for_size,
                                 int *minimum, int *natural, int *minimum_baseline,
                                 int *natural_baseline)
{
    *minimum = *natural = orientation == GTK_ORIENTATION_HORIZONTAL
                              ? 200
                              : COLUMNS_PX + 2 * (GAP_PX + text_px(widget));
    *minimum_baseline = *natural_baseline = -1;
}

/* The bins that are drawn: those with waits and one beside them. */
static void shown_bins(PmHistogram *histogram, guint *ret_first, guint *ret_last)
{
    guint first = PM_DETAIL_BINS, last = 0;

    for (guint i = 0; i < PM_DETAIL_BINS; i++)
        if (histogram->bins[i]) {
            first = MIN(first, i);
            last = i;
        }
    if (first == PM_DETAIL_BINS)
        first = 0;
    *ret_first = first ? first - 1 : 0;
    *ret_last = MIN(last + 1, PM_DETAIL_BINS - 1);
    /* At least six, so that one bin does not fill the picture. */
    while (*ret_last - *ret_first < 5 && (*ret_first > 0 || *ret_last < PM_DETAIL_BINS - 1)) {
        if (*ret_last < PM_DETAIL_BINS - 1)
            ++*ret_last;
        if (*ret_last - *ret_first < 5 && *ret_first > 0)
            --*ret_first;
    }
}

/* Where a duration lies, in bins: within a bin by its logarithm. */
static double position_of(gint64 ns)
{
    guint bin = 0;

    while (bin + 1 < PM_DETAIL_BINS && ns >= pm_detail_bin_begin(bin + 1))
        bin++;
    if (bin == 0)
        return 0.5;
    const double low = (double)pm_detail_bin_begin(bin);
    const double high = bin + 1 < PM_DETAIL_BINS ? (double)pm_detail_bin_begin(bin + 1) : 2.5 * low;
    return bin + MIN(log((double)ns / low) / log(high / low), 1.0);
}

static void draw_text(GtkWidget *widget, GtkSnapshot *snapshot, const char *text, float center,
                      float top, const GdkRGBA *ink, float *taken)
{
    g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(widget, text);
    const float full = (float)gtk_widget_get_width(widget);
    int width, height;

    pango_layout_get_pixel_size(layout, &width, &height);
    const float left = CLAMP(center - (float)width / 2, 0, MAX(0, full - (float)width));
    if (left < *taken)
        return; /* would overlap the one before */
    *taken = left + (float)width + 6;
    gtk_snapshot_save(snapshot);
    gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT(left, top));
    gtk_snapshot_append_layout(snapshot, layout, ink);
    gtk_snapshot_restore(snapshot);
}

static void pm_histogram_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
    static const char *const names[] = {"p50", "p90", "p99"};
    PmHistogram *histogram = PM_HISTOGRAM(widget);
    const float width = (float)gtk_widget_get_width(widget);
    const float top = (float)text_px(widget) + GAP_PX, bottom = top + COLUMNS_PX;
    guint first, last;
    guint64 most = 1;
    GdkRGBA grid, faint, ink;
    float taken = 0;

    shown_bins(histogram, &first, &last);
    for (guint i = first; i <= last; i++)
        most = MAX(most, histogram->bins[i]);
    pm_palette_color(PM_COLOR_GRID, histogram->dark, &grid);
    pm_palette_color(PM_COLOR_FAINT_INK, histogram->dark, &faint);
    pm_palette_color(PM_COLOR_INK, histogram->dark, &ink);
    const float bin_px = width / (float)(last - first + 1);
    gtk_snapshot_append_color(snapshot, &grid, &GRAPHENE_RECT_INIT(0, bottom, width, 1));
    for (guint i = first; i <= last; i++) {
        if (!histogram->bins[i])
            continue;
        const float height =
            MAX(1, COLUMNS_PX * (float)((double)histogram->bins[i] / (double)most));
        gtk_snapshot_append_color(snapshot, &histogram->color,
                                  &GRAPHENE_RECT_INIT((float)(i - first) * bin_px + 1,
                                                      bottom - height, bin_px - 2, height));
    }
    for (guint i = first + 1; i <= last; i++) {
        const PmUnit unit = pm_number_unit(pm_detail_bin_begin(i));
        g_autofree char *text =
            g_strdup_printf("%g\u202f%s", (double)pm_detail_bin_begin(i) / unit.ns, unit.name);
        if ((i - 1) % 3 == 0)
            draw_text(widget, snapshot, text, (float)(i - first) * bin_px, bottom + GAP_PX, &faint,
                      &taken);
    }
    taken = 0;
    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        const float x = (float)(position_of(histogram->percentiles[i]) - first) * bin_px;
        gtk_snapshot_append_color(
            snapshot, &ink, &GRAPHENE_RECT_INIT(roundf(x), top - GAP_PX, 1, COLUMNS_PX + GAP_PX));
        draw_text(widget, snapshot, names[i], x, 0, &faint, &taken);
    }
}

static void pm_histogram_class_init(PmHistogramClass *class)
{
    pm_element_class_painted(class, "pm-histogram", pm_histogram_measure, pm_histogram_snapshot);
}

static void pm_histogram_init(PmHistogram *histogram)
{
    gtk_widget_add_css_class(GTK_WIDGET(histogram), "pm-small");
}

GtkWidget *pm_histogram_new(void)
{
    return g_object_new(PM_TYPE_HISTOGRAM, NULL);
}

void pm_histogram_set(PmHistogram *histogram, const PmDetail *detail, const GdkRGBA *color,
                      gboolean dark)
{
    g_return_if_fail(PM_IS_HISTOGRAM(histogram));
    g_autofree char *p50 = pm_label_duration(detail->p50);
    g_autofree char *p90 = pm_label_duration(detail->p90);
    g_autofree char *p99 = pm_label_duration(detail->p99);
    g_autofree char *label =
        g_strdup_printf("Durations: half up to %s, 90 %% up to %s, 99 %% up to %s", p50, p90, p99);

    memcpy(histogram->bins, detail->bins, sizeof histogram->bins);
    histogram->percentiles[0] = detail->p50;
    histogram->percentiles[1] = detail->p90;
    histogram->percentiles[2] = detail->p99;
    histogram->color = *color;
    histogram->dark = dark;
    pm_element_set_name(GTK_WIDGET(histogram), label);
    gtk_widget_queue_draw(GTK_WIDGET(histogram));
}
