/* The Memory page's contents of the detail pane: how much of the selection is live, with error
 * bounds, whether it grows, and the stack traces that allocated it. */
#pragma once

#include <gtk/gtk.h>

#include "viewer/ui/model/state.h"

GtkWidget *pm_memory_side_new(PmState *state);
