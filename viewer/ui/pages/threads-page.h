/* The page "Threads": one density lane a group, which opens to its threads. Never as many widgets
 * as threads. */
#pragma once

#include <gtk/gtk.h>

#include "viewer/ui/model/state.h"
#include "viewer/ui/widgets/grid.h"

GtkWidget *pm_threads_page_new(PmState *state);
/* Its table, for tests. */
PmGrid *pm_threads_page_get_grid(GtkWidget *page);
