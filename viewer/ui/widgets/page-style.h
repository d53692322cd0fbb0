/* How the pages look beyond the theme: sizes, spacing, weights. Colours that mean something are in
 * palette.h. */
#pragma once

#include <gtk/gtk.h>

/* Once per display; later calls do nothing. */
void pm_page_style_install(GdkDisplay *display);
