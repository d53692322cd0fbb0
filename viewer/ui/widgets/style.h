/* The program's style sheet, on top of the desktop's theme: sizes and weights; colours only with a
 * meaning. */
#pragma once

#include <gtk/gtk.h>

/* Once per display, and again when dark changes. */
void pm_style_apply(GdkDisplay *display, gboolean dark);
