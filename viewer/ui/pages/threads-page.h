/* The Threads page: one density lane per group, which expands to its threads. Never as many widgets
 * as threads. */
#pragma once

#include <gtk/gtk.h>

#include "viewer/ui/model/state.h"

/* A PmTablePage. `axis`: the chart whose axis of time is that of the lanes, too. */
GtkWidget *pm_threads_page_new(PmState *state, GtkWidget *axis);
