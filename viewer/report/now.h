/* Output of the waits in progress at an instant: who waits, for what, since when, because of whom.
 */
#pragma once

#include "viewer/analysis/slices/summary.h"
#include "viewer/report/output.h"

/* FALSE if output->sort is not a sort key (pm_now_sort_keys). */
gboolean pm_now_write(const PmSummary *summary, const PmOutput *output, GString *out);
/* NULL-terminated. */
const char *const *pm_now_sort_keys(void);
