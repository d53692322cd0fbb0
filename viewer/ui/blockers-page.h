/* The page "Blockers". */
#pragma once

#include <gtk/gtk.h>

#include "viewer/ui/state.h"

GtkWidget *pm_blockers_page_new(PmState *state);
