/* The chart region: titles and current numbers on the left, overview and timeline on the right, on
 * one axis. */
#pragma once

#include <gtk/gtk.h>

#include "viewer/ui/model/state.h"

#define PM_TYPE_CHARTS (pm_charts_get_type())
G_DECLARE_FINAL_TYPE(PmCharts, pm_charts, PM, CHARTS, GtkWidget)

GtkWidget *pm_charts_new(PmState *state);
GtkWidget *pm_charts_get_timeline(PmCharts *charts);
/* Where the number stands that the axis of parked now, or of the bands, reaches to: beside the
 * chart, in the line of its title. FALSE, and nothing set but the place, where that leaves no room,
 * or before anything is drawn. The layout is the caller's. */
gboolean pm_charts_place_top(PmCharts *charts, gboolean bands, PangoLayout **ret_layout,
                             GdkRectangle *ret_place);
/* The height at which the charts look best in a window of this height. */
int pm_charts_height_for(int window_height);
