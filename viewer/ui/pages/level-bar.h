/* The levels of the tree: a drop-down of presets, a chip for each level that can be dragged, moved
 * by keys and removed, and a button that adds one. Follows the state's aspects. Main thread only.
 */
#pragma once

#include <gtk/gtk.h>

#include "viewer/ui/model/state.h"

typedef struct {
    const char *name; /* "On what" */
    guint n_aspects;
    PmAspect aspects[4];
} PmTreePreset;

extern const PmTreePreset pm_tree_presets[];
extern const guint pm_n_tree_presets;

#define PM_TYPE_LEVEL_BAR (pm_level_bar_get_type())
G_DECLARE_FINAL_TYPE(PmLevelBar, pm_level_bar, PM, LEVEL_BAR, GtkBox)

PmLevelBar *pm_level_bar_new(PmState *state);
/* What keys and menus do with levels, for the actions of the page; their data is the bar. */
extern const GActionEntry pm_level_bar_actions[];
extern const int pm_n_level_bar_actions;
