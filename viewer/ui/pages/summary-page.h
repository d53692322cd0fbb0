/* The page "Summary". */
#pragma once

#include <gtk/gtk.h>

#include "viewer/ui/model/state.h"

GtkWidget *pm_summary_page_new(PmState *state);
/* What the Summary page has in the detail pane's region: where threads spend their time, and what
 * is left out. */
GtkWidget *pm_summary_side_new(PmState *state);
