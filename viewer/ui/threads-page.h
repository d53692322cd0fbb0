/* The page "Threads". */
#pragma once

#include <gtk/gtk.h>

#include "viewer/ui/state.h"

GtkWidget *pm_threads_page_new(PmState *state);
