#include "viewer/report/metric.h"

#include <math.h>
#include <string.h>

#include "viewer/analysis/slices/hold.h"
#include "viewer/analysis/recording/category.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/analysis/base/sum.h"
#include "viewer/report/output.h"

typedef enum {
    TYPE_ID, /* guint32, 0 = null */
    TYPE_U32,
    TYPE_I64,    /* a count */
    TYPE_I64_NS, /* a time */
    TYPE_DOUBLE_NS,
    TYPE_SHARE,
    TYPE_BOOL,
    TYPE_TEXT,
    TYPE_CHAIN,
    TYPE_HOLD, /* {"ns","samples","spread_ns"} or null */
} Type;

typedef char *(*TextOf)(const PmRecording *recording, const PmMetricsRow *row);

struct PmMetric {
    const char *key, *title; /* title NULL: not in the text */
    Type type;
    gsize offset;
    TextOf text; /* NULL result: null */
    PmColumn column;
};

static char *class_text(const PmRecording *recording, const PmMetricsRow *row)
{
    return g_strdup(recording->classes[recording->blockers[row->blocker].class_index].name);
}

static char *hash_text(const PmRecording *recording, const PmMetricsRow *row)
{
    return pm_label_hash(recording, row->blocker);
}

static char *label_text(const PmRecording *recording, const PmMetricsRow *row)
{
    return pm_label_blocker(recording, row->blocker);
}

static char *kind_text(const PmRecording *recording, const PmMetricsRow *row)
{
    return g_strdup(pm_kind_name(row->kind));
}

static char *category_text(const PmRecording *recording, const PmMetricsRow *row)
{
    return g_strdup(pm_category_name(row->category));
}

static char *thread_text(const PmRecording *recording, guint32 thread)
{
    return thread ? g_strdup(recording->threads[thread].name) : NULL;
}

static char *first_thread_text(const PmRecording *recording, const PmMetricsRow *row)
{
    return thread_text(recording, row->first_thread);
}

static char *owner_text(const PmRecording *recording, const PmMetricsRow *row)
{
    return thread_text(recording, row->owner);
}

static char *quality_text(const PmRecording *recording, const PmMetricsRow *row)
{
    return g_strdup(row->bound ? "bound" : "exact");
}

static char *parent_text(const PmRecording *recording, const PmMetricsRow *row)
{
    guint32 parent = recording->blockers[row->blocker].parent;

    return parent ? g_strdup_printf("%u", parent) : NULL;
}

#define AT(field) G_STRUCT_OFFSET(PmMetricsRow, field)
static const PmMetric metrics[] = {
    {"id", NULL, TYPE_ID, AT(blocker)},
    {"class", "Class name", TYPE_TEXT, 0, class_text,
     .column = {"Class name", "", "With its package"}},
    {"hash", "Hash code", TYPE_TEXT, 0, hash_text,
     .column = {"Hash code", "", "Identity hash code, hexadecimal"}},
    {"label", NULL, TYPE_TEXT, 0, label_text,
     .column = {"Blocker", "", "Class, hash code and the site of its first wait"}},
    {"parent", NULL, TYPE_ID, 0, parent_text},
    {"kind", "Kind", TYPE_TEXT, 0, kind_text, .column = {"Kind", "", "How threads wait for it"}},
    {"category", "Category", TYPE_TEXT, 0, category_text,
     .column = {"Category", "", "What its waits mean"}},
    {"times_parked", "Times parked", TYPE_I64, AT(times_parked),
     .column = {"Times", "", "Times parked: waits begun"}},
    {"parked_now", "Parked now", TYPE_U32, AT(parked_now),
     .column = {"Now", "", "Parked now: threads waiting at the end of the range"}},
    {"peak_parked", "Peak parked", TYPE_U32, AT(peak_parked),
     .column = {"Peak", "", "Peak parked: the most threads at once"}},
    {"thread_time_ns", "Parking thread-time", TYPE_I64_NS, AT(thread_time),
     .column = {"Thread-time", "", "Parking thread-time: waiting time, summed over threads"}},
    {"real_time_ns", "Parking real-time", TYPE_I64_NS, AT(real_time),
     .column = {"Real-time", "", "Parking real-time: time during which any thread waited"}},
    {"avg_park_ns", "Average parking time", TYPE_DOUBLE_NS, AT(avg_park),
     .column = {"Avg park", "", "Average parking time: thread-time per time parked"}},
    {"avg_hold_ns", "Average hold time", TYPE_DOUBLE_NS, AT(avg_hold),
     .column = {"Hold", "", "Average hold time: real-time per ended wait"}},
    {"measured_hold", "Measured hold time", TYPE_HOLD, 0},
    {"longest_ns", "Longest wait", TYPE_I64_NS, AT(longest),
     .column = {"Longest", "", "The longest wait"}},
    {"p99_ns", "99 % of waits up to", TYPE_I64_NS, AT(p99),
     .column = {"p99", "", "99 % of its waits are no longer than this"}},
    {"after_wait_ns", "Entering again after wait", TYPE_I64_NS, AT(after_wait),
     .column = {"Again", "", "Part of the thread-time: re-entering it after Object.wait"}},
    {"real_time_util", "Real-time utilisation", TYPE_SHARE, AT(real_time_util),
     .column = {"Real", "%",
                "Real-time utilisation: share of time during which any thread waited"}},
    {"thread_time_util", "Thread-time utilisation", TYPE_SHARE, AT(thread_time_util),
     .column = {"Waiting", "threads", "Thread-time utilisation: threads waiting, on average"}},
    {"real_life_time_util", "Real-life-time utilisation", TYPE_SHARE, AT(real_life_time_util),
     .column = {"Real-life", "%",
                "Real-life-time utilisation: real-time as a share of its own lifetime"}},
    {"thread_life_time_util", "Thread-life-time utilisation", TYPE_SHARE, AT(thread_life_time_util),
     .column = {"Thread-life", "%",
                "Thread-life-time utilisation: thread-time as a share of its own lifetime"}},
    {"first_thread", "Thread name", TYPE_TEXT, 0, first_thread_text,
     .column = {"First thread", "", "Of its first recorded wait"}},
    {"first_chain", "Stack trace", TYPE_CHAIN, AT(first_chain)},
    {"owner", "Owner now", TYPE_TEXT, 0, owner_text,
     .column = {"Owner", "", "Of the oldest wait in progress"}},
    {"alive", NULL, TYPE_BOOL, AT(alive),
     .column = {"Alive", "", "Whether it is alive or was collected by the GC"}},
    {"quality", "Quality", TYPE_TEXT, 0, quality_text,
     .column = {"Quality", "",
                "A bound: waits were dropped, so peak and real-time are lower bounds"}},
};

static gint64 int_of(const PmMetric *metric, const PmMetricsRow *row)
{
    const char *field = (const char *)row + metric->offset;

    switch (metric->type) {
    case TYPE_ID:
    case TYPE_U32:
    case TYPE_CHAIN:
        return *(const guint32 *)field;
    case TYPE_BOOL:
        return *(const gboolean *)field;
    default:
        return *(const gint64 *)field;
    }
}

static double double_of(const PmMetric *metric, const PmMetricsRow *row)
{
    return *(const double *)((const char *)row + metric->offset);
}

static PmMeasuredHold measured_hold(const PmMetricSource *source, const PmMetricsRow *row)
{
    return pm_hold_measure(source->contention, row->blocker, source->view->from, source->view->to);
}

static void metric_json(JsonBuilder *builder, const PmMetric *metric, const PmMetricSource *source,
                        const PmMetricsRow *row)
{
    const PmRecording *recording = source->recording;

    switch (metric->type) {
    case TYPE_ID:
        if (metric->text) {
            guint32 parent = recording->blockers[row->blocker].parent;
            if (parent)
                pm_json_int(builder, metric->key, parent);
            else
                pm_json_null(builder, metric->key);
            break;
        }
        pm_json_int(builder, metric->key, int_of(metric, row));
        break;
    case TYPE_U32:
    case TYPE_I64:
        pm_json_int(builder, metric->key, int_of(metric, row));
        break;
    case TYPE_I64_NS:
        /* Counters know no percentile: -1. */
        if (int_of(metric, row) < 0)
            pm_json_null(builder, metric->key);
        else
            pm_json_int(builder, metric->key, int_of(metric, row));
        break;
    case TYPE_DOUBLE_NS:
        pm_json_ns(builder, metric->key, double_of(metric, row));
        break;
    case TYPE_SHARE:
        pm_json_double(builder, metric->key, double_of(metric, row));
        break;
    case TYPE_BOOL:
        pm_json_bool(builder, metric->key, int_of(metric, row) != 0);
        break;
    case TYPE_TEXT: {
        g_autofree char *text = metric->text(recording, row);
        pm_json_text(builder, metric->key, text);
        break;
    }
    case TYPE_CHAIN:
        pm_chain_json(builder, metric->key, recording, (guint32)int_of(metric, row));
        break;
    case TYPE_HOLD: {
        PmMeasuredHold hold = measured_hold(source, row);
        if (hold.n == 0) {
            pm_json_null(builder, metric->key);
            break;
        }
        pm_json_begin_object(builder, metric->key);
        pm_json_ns(builder, "ns", hold.mean);
        pm_json_int(builder, "samples", hold.n);
        pm_json_ns(builder, "spread_ns", hold.spread);
        json_builder_end_object(builder);
        break;
    }
    }
}

static void metric_csv(PmCsv *csv, const PmMetric *metric, const PmMetricSource *source,
                       const PmMetricsRow *row)
{
    const PmRecording *recording = source->recording;

    switch (metric->type) {
    case TYPE_ID:
        if (metric->text) {
            g_autofree char *text = metric->text(recording, row);
            pm_csv_text(csv, text);
            break;
        }
        pm_csv_int(csv, int_of(metric, row));
        break;
    case TYPE_U32:
    case TYPE_I64:
        pm_csv_int(csv, int_of(metric, row));
        break;
    case TYPE_I64_NS:
        if (int_of(metric, row) < 0)
            pm_csv_text(csv, NULL);
        else
            pm_csv_int(csv, int_of(metric, row));
        break;
    case TYPE_DOUBLE_NS:
        if (isnan(double_of(metric, row)))
            pm_csv_text(csv, NULL);
        else
            pm_csv_int(csv, pm_rounded(double_of(metric, row)));
        break;
    case TYPE_SHARE:
        pm_csv_double(csv, double_of(metric, row));
        break;
    case TYPE_BOOL:
        pm_csv_text(csv, int_of(metric, row) ? "true" : "false");
        break;
    case TYPE_TEXT: {
        g_autofree char *text = metric->text(recording, row);
        pm_csv_text(csv, text);
        break;
    }
    case TYPE_CHAIN: {
        g_autofree char *text = pm_chain_csv(recording, (guint32)int_of(metric, row));
        pm_csv_text(csv, text);
        break;
    }
    case TYPE_HOLD: {
        PmMeasuredHold hold = measured_hold(source, row);
        if (hold.n == 0)
            pm_csv_text(csv, NULL);
        else
            pm_csv_int(csv, pm_rounded(hold.mean));
        break;
    }
    }
}

static char *metric_text(const PmMetric *metric, const PmMetricSource *source,
                         const PmMetricsRow *row)
{
    const PmRecording *recording = source->recording;
    double value;

    switch (metric->type) {
    case TYPE_I64_NS:
        return int_of(metric, row) < 0 ? g_strdup("-") : pm_label_duration(int_of(metric, row));
    case TYPE_DOUBLE_NS:
        value = double_of(metric, row);
        return isnan(value) ? g_strdup("-") : pm_label_duration(pm_rounded(value));
    case TYPE_SHARE:
        value = double_of(metric, row);
        return isnan(value) ? g_strdup("-") : g_strdup_printf("%.1f %%", 100 * value);
    case TYPE_TEXT: {
        char *text = metric->text(recording, row);
        return text ? text : g_strdup("-");
    }
    case TYPE_HOLD: {
        PmMeasuredHold hold = measured_hold(source, row);
        if (hold.n == 0)
            return g_strdup("-");
        g_autofree char *mean = pm_label_duration(pm_rounded(hold.mean));
        g_autofree char *spread = pm_label_duration(pm_rounded(hold.spread));
        return g_strdup_printf("%s (%u samples, spread %s)", mean, hold.n, spread);
    }
    default:
        return g_strdup_printf("%" G_GINT64_FORMAT, int_of(metric, row));
    }
}

/* ---- a row ---- */

void pm_metrics_row_json(JsonBuilder *builder, const PmMetricSource *source,
                         const PmMetricsRow *row)
{
    json_builder_begin_object(builder);
    for (guint m = 0; m < G_N_ELEMENTS(metrics); m++)
        metric_json(builder, &metrics[m], source, row);
    json_builder_end_object(builder);
}

void pm_metrics_row_csv_header(PmCsv *csv)
{
    for (guint m = 0; m < G_N_ELEMENTS(metrics); m++)
        pm_csv_text(csv, metrics[m].type == TYPE_HOLD ? "measured_hold_ns" : metrics[m].key);
    pm_csv_end_row(csv);
}

void pm_metrics_row_csv(PmCsv *csv, const PmMetricSource *source, const PmMetricsRow *row)
{
    for (guint m = 0; m < G_N_ELEMENTS(metrics); m++)
        metric_csv(csv, &metrics[m], source, row);
    pm_csv_end_row(csv);
}

void pm_metrics_row_text(const PmMetricSource *source, const PmMetricsRow *row, GString *out)
{
    for (guint m = 0; m < G_N_ELEMENTS(metrics); m++) {
        const PmMetric *metric = &metrics[m];
        if (!metric->title || metric->type == TYPE_CHAIN ||
            (metric->offset == AT(after_wait) && row->kind != PM_KIND_ENTER))
            continue;
        g_autofree char *value = metric_text(metric, source, row);
        g_autofree char *safe = pm_text_clean(value);
        g_string_append_printf(out, "  %-30s%s\n", metric->title, safe);
    }
}

const PmMetric *pm_metric_find(const char *key)
{
    for (guint m = 0; m < G_N_ELEMENTS(metrics); m++)
        if (strcmp(metrics[m].key, key) == 0)
            return &metrics[m];
    return NULL;
}

double pm_metric_number(const PmMetric *metric, const PmMetricsRow *row)
{
    gboolean is_double = metric->type == TYPE_DOUBLE_NS || metric->type == TYPE_SHARE;
    return is_double ? double_of(metric, row) : (double)int_of(metric, row);
}

const PmColumn *pm_metric_column(const char *key)
{
    const PmMetric *metric = pm_metric_find(key);

    g_return_val_if_fail(metric != NULL && metric->column.title != NULL, NULL);
    return &metric->column;
}
