/* The strip of the whole recording above the charts: threads waiting, unfiltered, with the visible
 * range as a box. Dragging draws a new visible range, the box's edges resize it, its inside moves
 * it; the wheel works as in the charts. */
#pragma once

#include <gtk/gtk.h>

#include "viewer/ui/model/state.h"

#define PM_TYPE_OVERVIEW (pm_overview_get_type())
G_DECLARE_FINAL_TYPE(PmOverview, pm_overview, PM, OVERVIEW, GtkWidget)

#define PM_OVERVIEW_HEIGHT 28

GtkWidget *pm_overview_new(PmState *state);
/* What it shows: all, or what was read. */
const char *pm_overview_title(PmState *state);
