/* A line of text that appears over a widget for two seconds, and is read aloud as an alert. Not
 * AdwToastOverlay: that of libadwaita 1.2 crashes when a window closes, or the next text comes,
 * while a toast disappears. Main thread only. */
#pragma once

#include <gtk/gtk.h>

/* A GtkOverlay that shows `content`. */
GtkWidget *pm_notice_new(GtkWidget *content);
/* Shows the text, in place of one that is shown. */
void pm_notice_say(GtkWidget *notice, const char *text);
