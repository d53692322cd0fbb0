#include "viewer/ui/widgets/share-cell.h"

#include <math.h>

#include "viewer/ui/model/number.h"
#include "viewer/ui/widgets/element.h"
#include "viewer/ui/widgets/palette.h"

#define SWATCH_PX 10
#define TEXT_PX   58 /* of the usual letters */
#define GAP_PX    6
#define BAR_PX    64

struct _PmShareCell {
    GtkWidget parent_instance;
    double share;
    GdkRGBA color;
    gboolean hatched, swatch;
    PangoLayout *layout;
};

G_DEFINE_FINAL_TYPE(PmShareCell, pm_share_cell, GTK_TYPE_WIDGET)

static int text_px(GtkWidget *widget)
{
    return (int)(TEXT_PX * pm_element_letter_scale(widget));
}

static void pm_share_cell_measure(GtkWidget *widget, GtkOrientation orientation, int for_size,
                                  int *minimum, int *natural, int *minimum_baseline,
                                  int *natural_baseline)
{
    if (orientation == GTK_ORIENTATION_HORIZONTAL) {
        *minimum = SWATCH_PX + GAP_PX + text_px(widget);
        *natural = *minimum + GAP_PX + BAR_PX;
    } else {
        *minimum = *natural = 18;
    }
    *minimum_baseline = *natural_baseline = -1;
}

static void pm_share_cell_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
    PmShareCell *cell = PM_SHARE_CELL(widget);
    const float width = (float)gtk_widget_get_width(widget);
    const float height = (float)gtk_widget_get_height(widget);
    g_autofree char *text = pm_number_percent(cell->share);
    GdkRGBA ink;
    int text_width, text_height;

    gtk_style_context_get_color(gtk_widget_get_style_context(widget), &ink);
    if (cell->swatch)
        pm_palette_snapshot_swatch(
            snapshot,
            &GRAPHENE_RECT_INIT(0, roundf((height - SWATCH_PX) / 2), SWATCH_PX, SWATCH_PX),
            &cell->color, cell->hatched);
    if (!cell->layout)
        cell->layout = gtk_widget_create_pango_layout(widget, NULL);
    pango_layout_set_text(cell->layout, text, -1);
    pango_layout_get_pixel_size(cell->layout, &text_width, &text_height);
    gtk_snapshot_save(snapshot);
    gtk_snapshot_translate(
        snapshot, &GRAPHENE_POINT_INIT((float)(SWATCH_PX + GAP_PX + text_px(widget) - text_width),
                                       roundf((height - (float)text_height) / 2)));
    gtk_snapshot_append_layout(snapshot, cell->layout, &ink);
    gtk_snapshot_restore(snapshot);
    const float left = (float)(SWATCH_PX + GAP_PX + text_px(widget) + GAP_PX);
    if (isnan(cell->share) || cell->share <= 0 || width - left < 8)
        return;
    const float length = MAX(1, (width - left) * (float)MIN(cell->share, 1));
    const graphene_rect_t bar =
        GRAPHENE_RECT_INIT(left, roundf((height - SWATCH_PX) / 2), length, SWATCH_PX);
    if (cell->hatched)
        pm_palette_snapshot_swatch(snapshot, &bar, &cell->color, TRUE);
    else
        gtk_snapshot_append_color(snapshot, &cell->color, &bar);
}

static void pm_share_cell_css_changed(GtkWidget *widget, GtkCssStyleChange *change)
{
    g_clear_object(&PM_SHARE_CELL(widget)->layout);
    GTK_WIDGET_CLASS(pm_share_cell_parent_class)->css_changed(widget, change);
    gtk_widget_queue_draw(widget);
}

static void pm_share_cell_dispose(GObject *object)
{
    g_clear_object(&PM_SHARE_CELL(object)->layout);
    G_OBJECT_CLASS(pm_share_cell_parent_class)->dispose(object);
}

static void pm_share_cell_class_init(PmShareCellClass *class)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

    G_OBJECT_CLASS(class)->dispose = pm_share_cell_dispose;
    widget_class->css_changed = pm_share_cell_css_changed;
    pm_element_class_painted(class, "pm-share", pm_share_cell_measure, pm_share_cell_snapshot);
    gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_METER);
}

static void pm_share_cell_init(PmShareCell *cell)
{
    gtk_widget_add_css_class(GTK_WIDGET(cell), "numeric");
}

GtkWidget *pm_share_cell_new(void)
{
    return g_object_new(PM_TYPE_SHARE_CELL, NULL);
}

void pm_share_cell_set(PmShareCell *cell, double share, const GdkRGBA *color, gboolean hatched,
                       gboolean swatch)
{
    g_return_if_fail(PM_IS_SHARE_CELL(cell));
    g_autofree char *text = pm_number_percent(share);

    cell->share = share;
    cell->color = *color;
    cell->hatched = hatched;
    cell->swatch = swatch;
    gtk_accessible_update_property(
        GTK_ACCESSIBLE(cell), GTK_ACCESSIBLE_PROPERTY_LABEL, text,
        GTK_ACCESSIBLE_PROPERTY_VALUE_MIN, 0.0, GTK_ACCESSIBLE_PROPERTY_VALUE_MAX, 1.0,
        GTK_ACCESSIBLE_PROPERTY_VALUE_NOW, isnan(share) ? 0.0 : share, -1);
    gtk_widget_queue_draw(GTK_WIDGET(cell));
}
