/* The Blockers page: the thesis' table (004 §3.7), one row per kind of wait for similar
 * blockers, which expands to one per blocker. */
#pragma once

#include <gtk/gtk.h>

#include "viewer/ui/model/state.h"

/* A PmTablePage. */
GtkWidget *pm_blockers_page_new(PmState *state);
