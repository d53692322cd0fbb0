/* The header bar: open and recent, back and forward, what is shown, search, detail, menu. */
#pragma once

#include <gtk/gtk.h>

#include "viewer/ui/model/state.h"

GtkWidget *pm_header_new(PmState *state);
/* A menu button of the newest recordings that were opened. */
GtkWidget *pm_header_recent_new(void);
void pm_header_pop_menu(GtkWidget *header);
