/* The Summary page's contents of the detail pane: where threads spend their time, and what is left
 * out. */
#pragma once

#include <gtk/gtk.h>

#include "viewer/ui/model/state.h"

GtkWidget *pm_summary_side_new(PmState *state);
