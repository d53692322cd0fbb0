/* The output of a blocker's metrics: one table defines JSON, CSV, the full text, the sort keys and
 * the columns of the terminal; the window gets its numbers from here. */
#pragma once

#include "viewer/analysis/slices/metrics.h"
#include "viewer/analysis/causes/contention.h"
#include "viewer/report/column.h"
#include "viewer/report/csv.h"
#include "viewer/report/json.h"

/* The source of rows. `contention` provides measured hold times; NULL: they are null. */
typedef struct {
    const PmRecording *recording;
    const PmView *view;
    const PmContention *contention;
} PmMetricSource;

/* An object, all metrics its members. */
void pm_metrics_row_json(JsonBuilder *builder, const PmMetricSource *source,
                         const PmMetricsRow *row);
/* The header's row, and one for each row. */
void pm_metrics_row_csv_header(PmCsv *csv);
void pm_metrics_row_csv(PmCsv *csv, const PmMetricSource *source, const PmMetricsRow *row);
/* Appends a line for each metric except the stack trace. */
void pm_metrics_row_text(const PmMetricSource *source, const PmMetricsRow *row, GString *out);

typedef struct PmMetric PmMetric;
/* By its key in JSON; NULL when there is none. */
const PmMetric *pm_metric_find(const char *key);
/* The column of a metric that a table has, by its JSON key. */
const PmColumn *pm_metric_column(const char *key);
/* For a numeric metric. NAN: it has no value. */
double pm_metric_number(const PmMetric *metric, const PmMetricsRow *row);
