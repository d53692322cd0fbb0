#include "viewer/ui/charts/lane-cell.h"

#include "viewer/ui/widgets/element.h"
#include "viewer/ui/charts/lane-strip.h"

struct _PmLaneCell {
    GtkWidget parent_instance;
    const PmLanes *lanes;
    guint lane;
    double full;
    gboolean dark;
};

G_DEFINE_FINAL_TYPE(PmLaneCell, pm_lane_cell, GTK_TYPE_WIDGET)

static void pm_lane_cell_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
    PmLaneCell *cell = PM_LANE_CELL(widget);

    pm_lane_snapshot(snapshot,
                     &GRAPHENE_RECT_INIT(0, 1, (float)gtk_widget_get_width(widget),
                                         (float)gtk_widget_get_height(widget) - 2),
                     cell->lanes, cell->lane, cell->full, cell->dark);
}

static void pm_lane_cell_class_init(PmLaneCellClass *class)
{
    pm_element_class_painted(class, "pm-lane", pm_element_measure_cell, pm_lane_cell_snapshot);
}

static void pm_lane_cell_init(PmLaneCell *cell)
{
}

GtkWidget *pm_lane_cell_new(void)
{
    return g_object_new(PM_TYPE_LANE_CELL, NULL);
}

void pm_lane_cell_set(PmLaneCell *cell, const PmLanes *lanes, guint lane, double full,
                      gboolean dark, const char *label)
{
    g_return_if_fail(PM_IS_LANE_CELL(cell));
    cell->lanes = lanes;
    cell->lane = lane;
    cell->full = full;
    cell->dark = dark;
    pm_element_set_name(GTK_WIDGET(cell), label);
    gtk_widget_queue_draw(GTK_WIDGET(cell));
}
