/* What is shown of a recording while it is read: its outline (analysis/outline.h) as a strip, and
 * below it in words how much of the recording that is. */
#pragma once

#include <gtk/gtk.h>

#include "viewer/ui/raster.h"
#include "viewer/ui/state.h"

#define PM_TYPE_SKETCH (pm_sketch_get_type())
G_DECLARE_FINAL_TYPE(PmSketch, pm_sketch, PM, SKETCH, GtkWidget)

/* Hidden while there is nothing to show. */
GtkWidget *pm_sketch_new(PmState *state);
/* Its picture alone: `outline` over [from, to), from column 0 on; slices that were not read stay
 * blank. */
void pm_sketch_paint(PmRaster *raster, const PmOutline *outline, gint64 from, gint64 to,
                     gboolean dark);
/* The words. */
const char *pm_sketch_get_text(PmSketch *sketch);
