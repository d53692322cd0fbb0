/* A density lane in a table: how many threads waited over time, stacked by family. Role image; its
 * label describes it. */
#pragma once

#include <gtk/gtk.h>

#include "viewer/analysis/aggregation/lane.h"

#define PM_TYPE_LANE_CELL (pm_lane_cell_get_type())
G_DECLARE_FINAL_TYPE(PmLaneCell, pm_lane_cell, PM, LANE_CELL, GtkWidget)

GtkWidget *pm_lane_cell_new(void);
/* `lanes` is borrowed until the next call (NULL = empty). `full`: threads at full height. */
void pm_lane_cell_set(PmLaneCell *cell, const PmLanes *lanes, guint lane, double full,
                      gboolean dark, const char *label);
