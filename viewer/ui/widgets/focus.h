/* How Tab goes through a widget that hands grab_focus() on to one of its children. GTK's own way
 * ends with grab_focus() on the widget itself once the children are through, and so never leaves
 * it. */
#pragma once

#include <gtk/gtk.h>

/* For GtkWidgetClass.focus of a widget with one child. */
gboolean pm_focus_child(GtkWidget *widget, GtkDirectionType direction);
