/* The pages' style beyond the theme: sizes, spacing, weights. Meaningful colours are in palette.h.
 */
#pragma once

#include <gtk/gtk.h>

/* Once per display; later calls do nothing. */
void pm_page_style_install(GdkDisplay *display);
