/* The page "Tree". */
#pragma once

#include <gtk/gtk.h>

#include "viewer/ui/state.h"

GtkWidget *pm_tree_page_new(PmState *state);
