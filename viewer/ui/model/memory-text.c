#include "viewer/ui/model/memory-text.h"

#include <math.h>

#include "viewer/analysis/recording/label.h"

char *pm_memory_bytes_text(const PmMemoryTree *tree, const PmEstimate *estimate, gboolean live)
{
    g_autofree char *bytes = pm_label_bytes((guint64)MAX(estimate->bytes, 0));
    return g_strconcat(pm_memory_sign(pm_memory_certainty(tree, estimate, live), estimate), bytes,
                       NULL);
}

char *pm_memory_bounds_text(const PmMemoryTree *tree, const PmEstimate *estimate, gboolean live)
{
    const PmBounds bounds = pm_estimate_bytes(estimate);
    if (estimate->samples == 0 || pm_memory_certainty(tree, estimate, live) != PM_MEMORY_ESTIMATED)
        return NULL;
    g_autofree char *low = pm_label_bytes((guint64)MAX(bounds.low, 0)),
                    *high = pm_label_bytes((guint64)MAX(bounds.high, 0));
    return g_strdup_printf("between %s and %s", low, high);
}

char *pm_memory_growth_text(const PmMemoryTree *tree, const PmMemoryNode *node,
                            PmBounds *ret_bounds)
{
    const double growth = pm_memory_growth(node, ret_bounds);
    const gboolean exact = pm_memory_certainty(tree, &node->live, TRUE) == PM_MEMORY_EXACT &&
                           pm_memory_certainty(tree, &node->live_begin, TRUE) == PM_MEMORY_EXACT;
    const gboolean none = node->live.samples == 0 && node->live_begin.samples == 0;
    g_autofree char *size = pm_label_bytes((guint64)fabs(growth));
    return g_strconcat(exact || none ? "" : "~",
                       growth <= -1  ? "−"
                       : growth >= 1 ? "+"
                                     : "",
                       size, NULL);
}
