/* Painters of density lanes: how many threads waited over time, stacked by family. A strip is a
 * lane on an axis of time that others share. */
#pragma once

#include <gtk/gtk.h>

#include "viewer/analysis/aggregation/lane.h"
#include "viewer/ui/widgets/timescale.h"

/* `full`: threads at full height. `lanes` may be NULL. */
void pm_lane_snapshot(GtkSnapshot *snapshot, const graphene_rect_t *bounds, const PmLanes *lanes,
                      guint lane, double full, gboolean dark);

typedef struct {
    const PmLanes *lanes; /* may span another time than is visible */
    guint lane;
    double full;
    gboolean dark;
    const PmRecording *recording;    /* whose clock is told */
    gint64 visible_from, visible_to; /* what the strip spans */
    gint64 from, to;                 /* outside it is faint */
    gint64 pointed;                  /* is marked; G_MININT64 = none */
} PmLaneStrip;

void pm_lane_strip_snapshot(const PmLaneStrip *strip, GtkSnapshot *snapshot,
                            const graphene_rect_t *bounds);
/* "12:00:23.1   lock 7.0, idle 20.4 of 40"; NULL = not known. Owned by the caller. */
char *pm_lane_strip_text_at(const PmLaneStrip *strip, gint64 at);
