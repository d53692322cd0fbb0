/* Leaves of trees by slices of a view of the whole recording (slices.h): for each slice, what the
 * waits add up to that begin and end in it. A tree of any range is then the sum of the slices in
 * it, and of single waits: those that last from one slice into another, and the rest of the two
 * slices that the range cuts. The same numbers as from the rows, except for values that do not fit
 * in 64 bits. */
#pragma once

#include "viewer/analysis/aggregation/tree-builder.h"

/* Of a node but the root that has more children in a slice, nothing below it is kept: it is
 * *closed*. Tests reduce it. */
extern guint pm_tree_slices_most_children;

/* Adds the waits of a view, except its rows before `*ret_begin` and from `*ret_end` on. FALSE:
 * nothing was added and nothing returned, as the view is in no slices, there are too many leaves,
 * a node is closed and none `may_be_closed`, or `cancel` was set. Slices are computed on first use
 * of a path and kept with the whole view, for the last two of them. Cost then: a pass over all
 * rows, on all cores. */
gboolean pm_tree_slices_add(PmView *view, PmTreePath path, gboolean may_be_closed,
                            PmTreeBuilder *builder, gsize *ret_begin, gsize *ret_end,
                            const gint *cancel);
