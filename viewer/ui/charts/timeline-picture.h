/* The contents of a timeline: parked now above thread-time on one axis, with GC and gap marks. The
 * visible columns are computed once and kept while panning; their picture is a cached node; range,
 * focus and pointer are drawn on top. Main thread only. */
#pragma once

#include <gtk/gtk.h>

#include "viewer/ui/model/state.h"
#include "viewer/ui/widgets/timescale.h"

typedef struct {
    int parked_y, parked_height;
    int bands_y, bands_height;
    int marks_y, marks_height;
    int axis_y;
} PmTimelineRows;

/* The positions of the rows in a timeline of this height, in pixels; the axis has room for its
 * letters. */
void pm_timeline_rows(GtkWidget *timeline, int height, PmTimelineRows *ret_rows);

typedef struct {
    double x, y; /* pixels of the widget */
    gboolean inside, dragging;
} PmTimelinePointer;

typedef struct PmTimelinePicture PmTimelinePicture;

/* Borrows both, which live longer. */
PmTimelinePicture *pm_timeline_picture_new(GtkWidget *widget, PmState *state);
void pm_timeline_picture_free(PmTimelinePicture *picture);
/* What the timeline shows of time, over its width. */
PmTimescale pm_timeline_picture_scale(PmTimelinePicture *picture);
/* Frees computed columns, for example when the recording changes. */
void pm_timeline_picture_forget(PmTimelinePicture *picture);
/* Marks what to repaint, because there are new results. */
void pm_timeline_picture_outdate(PmTimelinePicture *picture);
/* FALSE while there are no curves: only the grid. */
gboolean pm_timeline_picture_snapshot(PmTimelinePicture *picture, GtkSnapshot *snapshot);
/* The hairline with a label for that position, on top of everything else; with the pointer
 * elsewhere, a hairline at the instant that is pointed at there. */
void pm_timeline_picture_snapshot_pointer(PmTimelinePicture *picture, GtkSnapshot *snapshot,
                                          const PmTimelinePointer *pointer);
/* What the axis of parked now, or of the bands, reaches to in what was drawn last: "40"; NULL =
 * nothing was. Owned by the caller. */
char *pm_timeline_picture_top_text(PmTimelinePicture *picture, gboolean bands);
/* For tests: what was drawn last on a band, counted from the bottom; NULL = nothing. */
const char *pm_timeline_picture_label(PmTimelinePicture *picture, guint band);
/* The band at a point; FALSE for none and for "others". */
gboolean pm_timeline_picture_band_at(PmTimelinePicture *picture, double x, double y,
                                     PmAspect *ret_aspect, guint64 *ret_key);
/* Its index from the bottom; −1 if the selection is not a band. */
int pm_timeline_picture_selected_band(PmTimelinePicture *picture);
