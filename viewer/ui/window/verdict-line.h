/* The verdict: one sentence below the header bar, with an icon and a button that leads to the
 * evidence. */
#pragma once

#include <gtk/gtk.h>

#include "viewer/ui/model/state.h"

GtkWidget *pm_verdict_line_new(PmState *state);
