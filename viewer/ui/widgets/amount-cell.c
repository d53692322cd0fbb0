#include "viewer/ui/widgets/amount-cell.h"

#include <math.h>

#include "viewer/ui/widgets/element.h"
#include "viewer/ui/widgets/palette.h"

struct _PmAmountCell {
    GtkWidget parent_instance;
    float *values; /* owned */
    guint n;
    double full;
    GdkRGBA color;
    gboolean dark;
};

G_DEFINE_FINAL_TYPE(PmAmountCell, pm_amount_cell, GTK_TYPE_WIDGET)

/* Steps, as nobody looked in between. */
static void pm_amount_cell_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
    PmAmountCell *cell = PM_AMOUNT_CELL(widget);
    const float width = (float)gtk_widget_get_width(widget),
                height = (float)gtk_widget_get_height(widget) - 2;
    GdkRGBA track;

    pm_palette_color(PM_COLOR_GRID, cell->dark, &track);
    gtk_snapshot_append_color(snapshot, &track, &GRAPHENE_RECT_INIT(0, height, width, 1));
    /* Runs of equal height are one node. */
    for (guint i = 0, next; i < cell->n && cell->full > 0; i = next) {
        const float high = (float)(cell->values[i] / cell->full) * (height - 1);
        for (next = i + 1; next < cell->n && cell->values[next] <= cell->values[i] &&
                           cell->values[next] >= cell->values[i];)
            next++;
        const float from = floorf(width * (float)i / (float)cell->n),
                    to = floorf(width * (float)next / (float)cell->n);
        if (high > 0)
            gtk_snapshot_append_color(
                snapshot, &cell->color,
                &GRAPHENE_RECT_INIT(from, height - MAX(high, 1), to - from, MAX(high, 1)));
    }
}

static void pm_amount_cell_finalize(GObject *object)
{
    g_free(PM_AMOUNT_CELL(object)->values);
    G_OBJECT_CLASS(pm_amount_cell_parent_class)->finalize(object);
}

static void pm_amount_cell_class_init(PmAmountCellClass *class)
{
    G_OBJECT_CLASS(class)->finalize = pm_amount_cell_finalize;
    pm_element_class_painted(class, "pm-amount", pm_element_measure_cell, pm_amount_cell_snapshot);
}

static void pm_amount_cell_init(PmAmountCell *cell)
{
}

GtkWidget *pm_amount_cell_new(void)
{
    return g_object_new(PM_TYPE_AMOUNT_CELL, NULL);
}

void pm_amount_cell_set(PmAmountCell *cell, const float *values, guint n, double full,
                        const GdkRGBA *color, gboolean dark, const char *label)
{
    g_return_if_fail(PM_IS_AMOUNT_CELL(cell));
    g_free(cell->values);
    cell->values = g_memdup2(values, n * sizeof *values);
    cell->n = n;
    cell->full = full;
    cell->color = *color;
    cell->dark = dark;
    pm_element_set_name(GTK_WIDGET(cell), label);
    gtk_widget_queue_draw(GTK_WIDGET(cell));
}
