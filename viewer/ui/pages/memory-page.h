/* The Memory page: what is live and what was allocated, by account, class, site and stack trace;
 * and what grew in the range. */
#pragma once

#include <gtk/gtk.h>

#include "viewer/ui/model/state.h"

/* A PmTablePage. */
GtkWidget *pm_memory_page_new(PmState *state);
