/* Allocations aggregated by any sequence of aspects, as an indented table, CSV of the leaves, JSON:
 * what lives, what was allocated, how fast; or what lives now and did not before. A number that is
 * estimated has "~" before it and says how far off it may be (analysis/memory/estimate.h). */
#pragma once

#include "viewer/analysis/memory/memory-tree.h"
#include "viewer/report/output.h"

/* `growth`: of what lives, between the tree's range's ends. FALSE when output->sort is no sort key.
 */
gboolean pm_memory_write(const PmMemoryTree *tree, gboolean growth, const PmOutput *output,
                         GString *out);
/* The bytes that live, or that were allocated, as stacks of flame graphs; stack traces as frames.
 */
void pm_memory_write_folded(const PmMemoryTree *tree, gboolean live, GString *out);
/* NULL-terminated. */
const char *const *pm_memory_sort_keys(void);
