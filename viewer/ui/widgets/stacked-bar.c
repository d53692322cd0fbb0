#include "viewer/ui/widgets/stacked-bar.h"

#include "viewer/ui/widgets/element.h"
#include "viewer/ui/widgets/palette.h"

struct _PmStackedBar {
    GtkWidget parent_instance;
    int height_px;
    guint n_parts;
    PmBarPart parts[PM_STACKED_BAR_MAX];
    GdkRGBA outline;
};

G_DEFINE_FINAL_TYPE(PmStackedBar, pm_stacked_bar, GTK_TYPE_WIDGET)

static void pm_stacked_bar_measure(GtkWidget *widget, GtkOrientation orientation, int for_size,
                                   int *minimum, int *natural, int *minimum_baseline,
                                   int *natural_baseline)
{
    *minimum = *natural =
        orientation == GTK_ORIENTATION_HORIZONTAL ? 8 : PM_STACKED_BAR(widget)->height_px;
    *minimum_baseline = *natural_baseline = -1;
}

static void pm_stacked_bar_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
    PmStackedBar *bar = PM_STACKED_BAR(widget);
    const float width = (float)gtk_widget_get_width(widget);
    const float height = (float)gtk_widget_get_height(widget);
    GskRoundedRect frame;
    float x = 0;

    for (guint i = 0; i < bar->n_parts; i++) {
        const PmBarPart *part = &bar->parts[i];
        if (part->share <= 0)
            continue;
        const float length = MIN(MAX(1, width * (float)part->share), width - x);
        const graphene_rect_t rect = GRAPHENE_RECT_INIT(x, 0, length, height);
        if (part->hatched)
            pm_palette_snapshot_swatch(snapshot, &rect, &part->color, TRUE);
        else
            gtk_snapshot_append_color(snapshot, &part->color, &rect);
        x += length;
    }
    gsk_rounded_rect_init_from_rect(&frame, &GRAPHENE_RECT_INIT(0, 0, width, height), 0);
    gtk_snapshot_append_border(
        snapshot, &frame, (float[4]){1, 1, 1, 1},
        (GdkRGBA[4]){bar->outline, bar->outline, bar->outline, bar->outline});
}

static void pm_stacked_bar_class_init(PmStackedBarClass *class)
{
    pm_element_class_painted(class, "pm-bar", pm_stacked_bar_measure, pm_stacked_bar_snapshot);
}

static void pm_stacked_bar_init(PmStackedBar *bar)
{
}

GtkWidget *pm_stacked_bar_new(int height_px)
{
    PmStackedBar *bar = g_object_new(PM_TYPE_STACKED_BAR, NULL);

    bar->height_px = height_px;
    return GTK_WIDGET(bar);
}

void pm_stacked_bar_set(PmStackedBar *bar, const PmBarPart *parts, guint n_parts,
                        const GdkRGBA *outline, const char *label)
{
    g_return_if_fail(PM_IS_STACKED_BAR(bar));
    bar->n_parts = MIN(n_parts, PM_STACKED_BAR_MAX);
    for (guint i = 0; i < bar->n_parts; i++)
        bar->parts[i] = parts[i];
    bar->outline = *outline;
    pm_element_set_name(GTK_WIDGET(bar), label);
    gtk_widget_queue_draw(GTK_WIDGET(bar));
}
