/* The program's style sheet, on top of the desktop's theme: sizes and weights; colours only with a
 * meaning. */
#pragma once

#include <gtk/gtk.h>

#include "viewer/ui/model/settings.h"

/* Once per display, and again when one of them changes. */
void pm_style_apply(GdkDisplay *display, gboolean dark, gboolean high_contrast);
/* Whether the desktop says which colours, or somebody has chosen. A theme that is forced by
 * GTK_THEME stays as it is. */
void pm_style_choose(PmScheme scheme);
/* The other colours than those now, as the desktop's choice if they are; what was chosen. */
PmScheme pm_style_toggle(gboolean dark);
