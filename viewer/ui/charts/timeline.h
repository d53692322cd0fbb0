/* The charts of parked now and thread-time as a widget: its input and its place; what it shows is
 * timeline-picture.h. Drag selects a range (an edge of it resizes), wheel pans, Ctrl+wheel zooms at
 * the pointer, click selects a band, double-click filters it in; keys: PM_KEYS_CHART. */
#pragma once

#include <gtk/gtk.h>

#include "viewer/ui/model/state.h"

#define PM_TYPE_TIMELINE (pm_timeline_get_type())
G_DECLARE_FINAL_TYPE(PmTimeline, pm_timeline, PM, TIMELINE, GtkWidget)

GtkWidget *pm_timeline_new(PmState *state);

#define PM_TIMELINE_MIN_HEIGHT     124
#define PM_TIMELINE_NATURAL_HEIGHT 240

/* Scrolling of any chart: pan, or with Ctrl zoom around `anchor`. */
gboolean pm_timeline_scroll(PmState *state, GtkEventControllerScroll *scroll, double dx, double dy,
                            gint64 anchor, double width_px);
