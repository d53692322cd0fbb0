/* The preview of a recording while it is loading: its outline (analysis/recording/outline.h) as a
 * strip, with text below it that says how much of the recording is covered. */
#pragma once

#include <gtk/gtk.h>

#include "viewer/ui/model/state.h"
#include "viewer/ui/widgets/raster.h"

#define PM_TYPE_LOADING_PREVIEW (pm_loading_preview_get_type())
G_DECLARE_FINAL_TYPE(PmLoadingPreview, pm_loading_preview, PM, LOADING_PREVIEW, GtkWidget)

/* Hidden while there is nothing to show. */
GtkWidget *pm_loading_preview_new(PmState *state);
/* Only its picture: `outline` over [from, to), starting at column 0; slices that were not read stay
 * blank. */
void pm_loading_preview_paint(PmRaster *raster, const PmOutline *outline, gint64 from, gint64 to,
                              gboolean dark);
