/* Waits aggregated by any sequence of aspects, as an indented table, CSV of the leaves, JSON. */
#pragma once

#include "viewer/analysis/aggregation/tree.h"
#include "viewer/report/output.h"

/* FALSE when output->sort is no sort key of a tree (pm_tree_sort_keys). */
gboolean pm_tree_write(const PmTree *tree, const PmOutput *output, GString *out);
/* NULL-terminated. */
const char *const *pm_tree_sort_keys(void);
