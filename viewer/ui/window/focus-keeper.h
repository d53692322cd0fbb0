/* Keeps the focus of a window on a widget that can be seen. GTK leaves it, until the next event, on
 * one that was removed or hidden, then on none, and keys do nothing. Main thread only. */
#pragma once

#include <gtk/gtk.h>

/* As long as the window lives: a focus that goes away moves to what is nearest of where it was. */
void pm_focus_keeper_watch(GtkWindow *window);
