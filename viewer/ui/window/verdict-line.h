/* The verdict: one sentence under the header bar, with its sign and a way to the proof. */
#pragma once

#include <gtk/gtk.h>

#include "viewer/ui/model/state.h"

GtkWidget *pm_verdict_line_new(PmState *state);
