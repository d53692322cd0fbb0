/* The program's style sheet, over the desktop's theme: sizes and weights; colours only by meaning.
 */
#pragma once

#include <gtk/gtk.h>

/* Once per display, and again when dark changes. */
void pm_style_apply(GdkDisplay *display, gboolean dark);
