/* Output of allocations aggregated by any sequence of aspects, as an indented table, CSV of the
 * leaves, JSON: what is live, what was allocated, how fast; or what is live now and was not before.
 * An estimate is marked with "~" and has its error bounds (analysis/memory/estimate.h). */
#pragma once

#include "viewer/analysis/memory/memory-tree.h"
#include "viewer/report/output.h"

/* `growth`: of live data, between the ends of the tree's range. FALSE if output->sort is not a sort
 * key. */
gboolean pm_memory_write(const PmMemoryTree *tree, gboolean growth, const PmOutput *output,
                         GString *out);
/* The bytes that live, or that were allocated, as stacks of flame graphs; stack traces as frames.
 */
void pm_memory_write_folded(const PmMemoryTree *tree, gboolean live, GString *out);
/* NULL-terminated. */
const char *const *pm_memory_sort_keys(void);
