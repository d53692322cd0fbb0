/* Formats memory numbers with their certainty. */
#pragma once

#include "viewer/analysis/memory/memory-tree.h"

/* "~72.6 MiB", "72.6 MiB" if exact, "≥72.6 MiB" if a lower bound; "between 58.7 MiB and 86.4 MiB",
 * NULL if it is not an estimate. Owned. */
char *pm_memory_bytes_text(const PmMemoryTree *tree, const PmEstimate *estimate, gboolean live);
char *pm_memory_bounds_text(const PmMemoryTree *tree, const PmEstimate *estimate, gboolean live);
/* "~+3.0 MiB"; its bounds. Owned. */
char *pm_memory_growth_text(const PmMemoryTree *tree, const PmMemoryNode *node,
                            PmBounds *ret_bounds);
