/* The report of blockers: the thesis' table, with the verdict above it. */
#pragma once

#include "viewer/analysis/causes/contention.h"
#include "viewer/analysis/findings/findings.h"
#include "viewer/report/output.h"

/* Appends the report of `metrics`. `summary` of the same view says what is not stored, `verdict`
 * provides the first sentence; without one, the first row does. `contention` provides measured hold
 * times; NULL: they are null. `since_start`: the metrics are from the ledger. FALSE if output->sort
 * is not a sort key of the report (pm_report_sort_keys). */
gboolean pm_report_write(const PmMetrics *metrics, const PmSummary *summary,
                         const PmVerdict *verdict, const PmContention *contention,
                         gboolean since_start, const PmOutput *output, GString *out);
/* NULL-terminated. */
const char *const *pm_report_sort_keys(void);
