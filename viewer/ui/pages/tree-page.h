/* The Tree page: the waits aggregated by the state's aspects. Level 1 is the legend of the
 * thread-time chart: same order of colours, and hovering over a row highlights its band. */
#pragma once

#include <gtk/gtk.h>

#include "viewer/ui/model/state.h"

/* A PmTablePage. */
GtkWidget *pm_tree_page_new(PmState *state);
