/* What the page Memory has in the detail pane's region: how much lives of what is selected and how
 * sure that is, whether it grows, and the stack traces that allocated it. */
#pragma once

#include <gtk/gtk.h>

#include "viewer/ui/model/state.h"

GtkWidget *pm_memory_side_new(PmState *state);
