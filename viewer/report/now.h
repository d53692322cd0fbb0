/* The waits in progress at an instant: who stands still, for what, since when, because of whom. */
#pragma once

#include "viewer/analysis/evidence/summary.h"
#include "viewer/report/output.h"

/* FALSE when output->sort is no sort key (pm_now_sort_keys). */
gboolean pm_now_write(const PmSummary *summary, const PmOutput *output, GString *out);
/* NULL-terminated. */
const char *const *pm_now_sort_keys(void);
