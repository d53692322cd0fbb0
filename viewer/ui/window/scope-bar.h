/* The scope of all numbers: the range, the filters as chips, what 100 % is, what is left out. */
#pragma once

#include <gtk/gtk.h>

#include "viewer/ui/model/state.h"

GtkWidget *pm_scope_bar_new(PmState *state);
