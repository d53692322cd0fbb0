/* Keeps the focus of a window on a visible widget. GTK leaves it on a widget that was removed or
 * hidden until the next event, then on none, and keys have no effect. Main thread only. */
#pragma once

#include <gtk/gtk.h>

/* For the window's lifetime: if the focused widget disappears, the focus moves to the nearest one.
 */
void pm_focus_keeper_watch(GtkWindow *window);
