/* The page "Tree": the waits aggregated by the state's aspects. Its level 1 is the legend of the
 * thread-time chart: same order of colours, and the pointer over a row lights its band. */
#pragma once

#include <gtk/gtk.h>

#include "viewer/ui/model/state.h"
#include "viewer/ui/widgets/grid.h"

typedef struct {
    const char *name; /* "On what" */
    guint n_aspects;
    PmAspect aspects[4];
} PmTreePreset;

extern const PmTreePreset pm_tree_presets[];
extern const guint pm_n_tree_presets;

GtkWidget *pm_tree_page_new(PmState *state);
/* Its table, for tests. */
PmGrid *pm_tree_page_get_grid(GtkWidget *page);
