/* Accessibility of the parts that GTK creates internally: icons, troughs and empty labels are
 * hidden from screen readers, everything reachable by keyboard has a name, and a stack exposes only
 * its visible page. Each widget is handled when it is mapped, so no calls are needed. Code that
 * creates a meaningful widget names it with pm_element_set_name(). Main thread only. */
#pragma once

#include <gtk/gtk.h>

/* For all windows of the program; once is enough. */
void pm_spoken_watch(void);
/* Hides the children of a widget from screen readers: its own name says everything. */
void pm_spoken_hide(GtkWidget *widget, gboolean hidden);
