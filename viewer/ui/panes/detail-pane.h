/* The detail pane: what is selected, in full. */
#pragma once

#include <gtk/gtk.h>

#include "viewer/ui/model/state.h"

GtkWidget *pm_detail_pane_new(PmState *state);
