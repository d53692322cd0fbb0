#include "viewer/ui/charts/loading-preview.h"

#include <math.h>

#include "viewer/ui/widgets/element.h"
#include "viewer/ui/widgets/palette.h"

#define STRIP_PX 96
#define GAP_PX   6

struct _PmLoadingPreview {
    GtkWidget parent_instance;
    PmState *state;
    GtkWidget *words;
};

G_DEFINE_FINAL_TYPE(PmLoadingPreview, pm_loading_preview, GTK_TYPE_WIDGET)

/* The mean over the slices that begin in [from, to), or of the one around it; negative where
 * nothing of it was read. */
static double mean_of(const PmOutline *outline, double from, double to)
{
    gint64 first = (gint64)ceil((from - (double)outline->from) / (double)outline->slice),
           last = (gint64)ceil((to - (double)outline->from) / (double)outline->slice);
    double sum = 0;
    guint known = 0;

    first = last > first ? first : first - 1;
    for (gint64 i = MAX(first, 0); i < MIN(MAX(last, first + 1), outline->n); i++) {
        if (outline->means[i] >= 0) {
            sum += outline->means[i];
            known++;
        }
    }
    return known > 0 ? sum / known : -1;
}

void pm_loading_preview_paint(PmRaster *raster, const PmOutline *outline, gint64 from, gint64 to,
                              gboolean dark)
{
    const guint n = (guint)raster->width;
    const double column = (double)(to - from) / n;
    const double line = 1.5 * raster->scale;
    double top = 0;
    GdkRGBA area, step;

    pm_palette_color(PM_COLOR_ENVELOPE, dark, &area);
    pm_palette_color(PM_COLOR_STEP, dark, &step);
    for (guint i = 0; i < outline->n; i++)
        top = MAX(top, outline->means[i]);
    for (guint x = 0; x < n; x++) {
        const double mean =
            mean_of(outline, (double)from + x * column, (double)from + (x + 1) * column);
        if (mean < 0)
            continue;
        const double y =
            top > 0 ? (1 - mean / top) * (raster->height - line) : raster->height - line;
        pm_raster_column(raster, (int)x, y, raster->height, &area);
        pm_raster_column(raster, (int)x, y, y + line, &step);
    }
}

static void pm_loading_preview_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
    PmLoadingPreview *preview = PM_LOADING_PREVIEW(widget);
    const PmOutline *outline = pm_state_get_loading(preview->state)->outline;
    const int width = gtk_widget_get_width(widget);
    const gboolean dark = pm_state_get_dark(preview->state);
    GdkRGBA paper, grid;

    if (outline && width > 0) {
        g_autoptr(PmRaster) raster =
            pm_raster_new(width, STRIP_PX, gtk_widget_get_scale_factor(widget));
        pm_palette_color(PM_COLOR_PAPER, dark, &paper);
        pm_palette_color(PM_COLOR_GRID, dark, &grid);
        gtk_snapshot_append_color(snapshot, &paper, &GRAPHENE_RECT_INIT(0, 0, width, STRIP_PX));
        pm_loading_preview_paint(raster, outline, outline->from, outline->to, dark);
        pm_raster_snapshot(raster, snapshot, 0, 0);
        gtk_snapshot_append_color(snapshot, &grid, &GRAPHENE_RECT_INIT(0, STRIP_PX - 1, width, 1));
    }
    gtk_widget_snapshot_child(widget, preview->words, snapshot);
}

static void pm_loading_preview_measure(GtkWidget *widget, GtkOrientation orientation, int for_size,
                                       int *minimum, int *natural, int *minimum_baseline,
                                       int *natural_baseline)
{
    gtk_widget_measure(PM_LOADING_PREVIEW(widget)->words, orientation, -1, minimum, natural, NULL,
                       NULL);
    if (orientation == GTK_ORIENTATION_VERTICAL) {
        *minimum += STRIP_PX + GAP_PX;
        *natural += STRIP_PX + GAP_PX;
    } else {
        *natural = MAX(*natural, 800);
    }
}

static void pm_loading_preview_size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
    gtk_widget_size_allocate(
        PM_LOADING_PREVIEW(widget)->words,
        &(GtkAllocation){0, STRIP_PX + GAP_PX, width, MAX(height - STRIP_PX - GAP_PX, 1)}, -1);
}

static void changed_cb(PmState *state, guint mask, PmLoadingPreview *preview)
{
    const PmLoading *loading = pm_state_get_loading(state);
    const PmOutline *outline = loading->outline;
    const gboolean shown = loading->state == PM_LOADING_READING && outline != NULL;

    if ((mask & (PM_CHANGE_LOADING | PM_CHANGE_RECORDING | PM_CHANGE_DARK)) == 0)
        return;
    gtk_widget_set_visible(GTK_WIDGET(preview), shown);
    if (!shown)
        return;
    g_autofree char *text =
        outline->estimated
            ? g_strdup_printf("Threads waiting, %.0f %% of the recording read, the rest estimated "
                              "· means, idle left out",
                              100 * outline->part)
        : outline->part < 1
            ? g_strdup_printf("Threads waiting, from %.0f %% of the recording · means, idle left "
                              "out",
                              100 * outline->part)
            : g_strdup("Threads waiting · means, idle left out; the rest is being read");
    gtk_label_set_text(GTK_LABEL(preview->words), text);
    pm_element_set_name(GTK_WIDGET(preview), text);
    gtk_widget_queue_draw(GTK_WIDGET(preview));
}

static void pm_loading_preview_dispose(GObject *object)
{
    PmLoadingPreview *preview = PM_LOADING_PREVIEW(object);

    g_clear_pointer(&preview->words, gtk_widget_unparent);
    g_clear_object(&preview->state);
    G_OBJECT_CLASS(pm_loading_preview_parent_class)->dispose(object);
}

static void pm_loading_preview_class_init(PmLoadingPreviewClass *class)
{
    G_OBJECT_CLASS(class)->dispose = pm_loading_preview_dispose;
    GTK_WIDGET_CLASS(class)->size_allocate = pm_loading_preview_size_allocate;
    pm_element_class_painted(class, "pm-loading-preview", pm_loading_preview_measure,
                             pm_loading_preview_snapshot);
}

static void pm_loading_preview_init(PmLoadingPreview *preview)
{
    preview->words = gtk_label_new("");
    gtk_widget_add_css_class(preview->words, "dim-label");
    gtk_label_set_ellipsize(GTK_LABEL(preview->words), PANGO_ELLIPSIZE_END);
    gtk_widget_set_parent(preview->words, GTK_WIDGET(preview));
}

GtkWidget *pm_loading_preview_new(PmState *state)
{
    g_return_val_if_fail(PM_IS_STATE(state), NULL);
    PmLoadingPreview *preview = g_object_new(PM_TYPE_LOADING_PREVIEW, NULL);

    preview->state = g_object_ref(state);
    g_signal_connect_object(state, "changed", G_CALLBACK(changed_cb), preview, 0);
    changed_cb(state, PM_CHANGE_LOADING, preview);
    return GTK_WIDGET(preview);
}
