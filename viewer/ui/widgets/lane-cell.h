/* A density lane in a table: how many threads waited over time, stacked by family. Role image; its
 * label describes it. */
#pragma once

#include <gtk/gtk.h>

#include "viewer/analysis/aggregation/lane.h"
#include "viewer/ui/model/state.h"

#define PM_TYPE_LANE_CELL (pm_lane_cell_get_type())
G_DECLARE_FINAL_TYPE(PmLaneCell, pm_lane_cell, PM, LANE_CELL, GtkWidget)

GtkWidget *pm_lane_cell_new(void);
/* `lanes` is borrowed until the next call (NULL = empty). `full`: threads at full height. */
void pm_lane_cell_set(PmLaneCell *cell, const PmLanes *lanes, guint lane, double full,
                      gboolean dark, const char *label);
/* The pointer is told the time and who waits then, which all lanes and charts mark; outside [from,
 * to) the lane is faint. */
void pm_lane_cell_set_time(PmLaneCell *cell, PmState *state, const PmRecording *recording,
                           gint64 from, gint64 to);
/* "12:00:23.1   lock 7.0, idle 20.4 of 40"; NULL = no time is told. Owned by the caller. */
char *pm_lane_cell_text_at(PmLaneCell *cell, double x);
