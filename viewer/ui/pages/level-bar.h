/* The levels of a tree, of waits or of memory: a drop-down of presets, a chip for each level that
 * can be dragged, moved by keys and removed, and a button that adds one. Follows the state's
 * aspects. Main thread only. */
#pragma once

#include <gtk/gtk.h>

#include "viewer/ui/model/levels.h"

#define PM_TYPE_LEVEL_BAR (pm_level_bar_get_type())
G_DECLARE_FINAL_TYPE(PmLevelBar, pm_level_bar, PM, LEVEL_BAR, GtkBox)

PmLevelBar *pm_level_bar_new(PmState *state, const PmLevels *levels);
/* Level operations for keys and menus, for the actions of the page; their data is the bar. */
extern const GActionEntry pm_level_bar_actions[];
extern const int pm_n_level_bar_actions;
