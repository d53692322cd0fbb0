/* The bar under the header bar: search for a name (Ctrl+F) or go to a time (Ctrl+L). Esc closes it.
 */
#pragma once

#include <gtk/gtk.h>

#include "viewer/ui/model/state.h"

typedef enum { PM_FIND_NONE, PM_FIND_TEXT, PM_FIND_TIME } PmFind;

GtkWidget *pm_find_bar_new(PmState *state);
/* NONE also clears the search. */
void pm_find_bar_show(GtkWidget *bar, PmFind find);
PmFind pm_find_bar_get(GtkWidget *bar);
