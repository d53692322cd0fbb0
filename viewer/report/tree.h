/* Output of waits aggregated by any sequence of aspects: an indented table, CSV of the leaves,
 * JSON. */
#pragma once

#include "viewer/analysis/aggregation/tree.h"
#include "viewer/report/column.h"
#include "viewer/report/output.h"

/* The columns of a row of the tree, after its key. */
enum {
    PM_TREE_SHARE,
    PM_TREE_THREAD_TIME,
    PM_TREE_WAITS,
    PM_TREE_AVERAGE,
    PM_TREE_LONGEST,
    PM_N_TREE_COLUMNS,
};
extern const PmColumn pm_tree_columns[PM_N_TREE_COLUMNS];

/* FALSE if output->sort is not a sort key of a tree (pm_tree_sort_keys). */
gboolean pm_tree_write(const PmTree *tree, const PmOutput *output, GString *out);
/* NULL-terminated. */
const char *const *pm_tree_sort_keys(void);
