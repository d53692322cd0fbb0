/* The Flames page: all waits in the range and under the filters, by stack trace, as a flame graph.
 */
#pragma once

#include <gtk/gtk.h>

#include "viewer/ui/model/state.h"

GtkWidget *pm_flames_page_new(PmState *state);
