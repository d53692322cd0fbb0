/* Parked now above thread-time on one axis with GC and gap marks. Drag selects a range (an edge of
 * it resizes), wheel pans, Ctrl+wheel zooms at the pointer, click selects a band, double-click
 * filters it in; keys: PM_KEYS_CHART. The picture is a cached node; hover and selection are drawn
 * above it. */
#pragma once

#include <gtk/gtk.h>

#include "viewer/ui/model/state.h"

#define PM_TYPE_TIMELINE (pm_timeline_get_type())
G_DECLARE_FINAL_TYPE(PmTimeline, pm_timeline, PM, TIMELINE, GtkWidget)

GtkWidget *pm_timeline_new(PmState *state);

typedef struct {
    int parked_y, parked_height;
    int bands_y, bands_height;
    int marks_y, marks_height;
    int axis_y;
} PmTimelineRows;

/* Where the rows are in a timeline of this height, for the titles beside them. */
void pm_timeline_rows(int height, PmTimelineRows *ret_rows);
#define PM_TIMELINE_MIN_HEIGHT     124
#define PM_TIMELINE_NATURAL_HEIGHT 240

/* Scrolling of any chart: pan, or with Ctrl zoom around `anchor`. */
gboolean pm_timeline_scroll(PmState *state, GtkEventControllerScroll *scroll, double dx, double dy,
                            gint64 anchor, double width_px);
