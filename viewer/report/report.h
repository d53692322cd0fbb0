/* The blockers' report: the thesis' table, its verdict in words above it. */
#pragma once

#include "viewer/analysis/causes/contention.h"
#include "viewer/analysis/findings/findings.h"
#include "viewer/report/output.h"

/* Appends the report of `metrics`. `summary` of the same view gives what is not
 * stored, `verdict` its first sentence; without one the first row does. `contention` gives measured
 * hold times; NULL: they are null. `since_start`: the metrics are the ledger's. FALSE when
 * output->sort is no sort key of the report (pm_report_sort_keys). */
gboolean pm_report_write(const PmMetrics *metrics, const PmSummary *summary,
                         const PmVerdict *verdict, const PmContention *contention,
                         gboolean since_start, const PmOutput *output, GString *out);
/* NULL-terminated. */
const char *const *pm_report_sort_keys(void);
