/* The charts of parked now and thread-time as a widget: input and layout; timeline-picture.h draws
 * the contents. Drag selects a range (dragging an edge resizes it), wheel pans, Ctrl+wheel zooms at
 * the pointer, click selects a band, double-click filters by it; keys: PM_KEYS_CHART. */
#pragma once

#include <gtk/gtk.h>

#include "viewer/ui/model/state.h"

#define PM_TYPE_TIMELINE (pm_timeline_get_type())
G_DECLARE_FINAL_TYPE(PmTimeline, pm_timeline, PM, TIMELINE, GtkWidget)

GtkWidget *pm_timeline_new(PmState *state);
/* See pm_timeline_picture_top_text(). */
char *pm_timeline_top_text(PmTimeline *timeline, gboolean bands);
/* See pm_timeline_picture_label(). */
const char *pm_timeline_label(PmTimeline *timeline, guint band);

#define PM_TIMELINE_MIN_HEIGHT     124
#define PM_TIMELINE_NATURAL_HEIGHT 240

typedef gboolean (*PmScrollCb)(GtkEventControllerScroll *, double dx, double dy, gpointer widget);
typedef void (*PmDragCb)(GtkGestureDrag *, double x, double y, gpointer widget);
/* Makes a chart scrollable, draggable and focusable, with the keys of charts. */
void pm_timeline_listen(GtkWidget *widget, PmScrollCb scroll, PmDragCb begin, PmDragCb update,
                        PmDragCb end);
/* Scrolling in any chart: pan, or with Ctrl zoom around `anchor`. */
gboolean pm_timeline_scroll(PmState *state, GtkEventControllerScroll *scroll, double dx, double dy,
                            gint64 anchor, double width_px);
