/* What a screen reader is told of the parts that GTK makes of itself: its icons, troughs and empty
 * labels are kept from it, what the keyboard reaches has a name, and of a stack it is told the page
 * that is shown. Each widget is looked at when it comes on the screen, so nobody has to ask.
 * Whoever makes a widget with a meaning names it with pm_element_set_name(). Main thread only. */
#pragma once

#include <gtk/gtk.h>

/* For all windows of the program; once is enough. */
void pm_spoken_watch(void);
/* What is in a widget is not told beside it: its own name says it all. */
void pm_spoken_hide(GtkWidget *widget, gboolean hidden);
