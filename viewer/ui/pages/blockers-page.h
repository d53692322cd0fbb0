/* The page "Blockers": the thesis' table (004 §3.7), one row per blocker and kind. */
#pragma once

#include <gtk/gtk.h>

#include "viewer/ui/model/state.h"
#include "viewer/ui/widgets/grid.h"

GtkWidget *pm_blockers_page_new(PmState *state);
/* Its table, for tests. */
PmGrid *pm_blockers_page_get_grid(GtkWidget *page);
