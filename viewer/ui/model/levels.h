/* The possible levels of a tree, of waits and of memory: presets, names, and access to the chosen
 * ones in the state. */
#pragma once

#include "viewer/ui/model/state.h"

typedef struct {
    const char *name; /* "On what" */
    guint n_aspects;
    PmAspect aspects[4];
} PmTreePreset;

extern const PmTreePreset pm_tree_presets[];
extern const guint pm_n_tree_presets;
extern const PmTreePreset pm_memory_presets[];
extern const guint pm_n_memory_presets;

/* Whose levels they are. */
typedef struct {
    const PmTreePreset *presets;
    const guint *n_presets;
    PmChange change; /* after which there are others */
    const PmAspect *(*get)(PmState *state, guint *ret_n);
    void (*set)(PmState *state, const PmAspect *aspects, guint n);
    const char *(*name)(PmAspect aspect); /* NULL: it cannot be a level */
    const char *(*title)(PmAspect aspect);
} PmLevels;

extern const PmLevels pm_levels_of_waits, pm_levels_of_memory;
