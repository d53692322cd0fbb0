/* The verdict: one sentence below the header bar, with an icon and a button that leads to the
 * evidence. */
#pragma once

#include <gtk/gtk.h>

#include "viewer/ui/model/state.h"

/* After so many seconds without a verdict, what is computed is told; tests reduce it. */
extern gint64 pm_verdict_line_patience_s;

GtkWidget *pm_verdict_line_new(PmState *state);
