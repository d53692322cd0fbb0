#include "viewer/report/report.h"

#include <math.h>
#include <string.h>

#include "viewer/analysis/slices/hold.h"
#include "viewer/analysis/aggregation/thread-time.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/analysis/base/sum.h"
#include "viewer/report/frame-text.h"
#include "viewer/report/metric.h"
#include "viewer/report/table.h"
#include "viewer/report/unit.h"

#define TEXT_LIMIT 20

/* ---- order ---- */

/* Each answers < 0 when `a` comes first. */
static int by_number(double a, double b)
{
    /* What has no value comes last. */
    if (isnan(a) || isnan(b))
        return isnan(a) - isnan(b);
    return (a < b) - (a > b);
}

static const struct {
    const char *name, *metric;
} sorts[] = {
    {"thread-time", "thread_time_ns"}, {"times", "times_parked"},     {"now", "parked_now"},
    {"peak", "peak_parked"},           {"real-time", "real_time_ns"}, {"average", "avg_park_ns"},
    {"hold", "avg_hold_ns"},           {"longest", "longest_ns"},
};

const char *const *pm_report_sort_keys(void)
{
    static const char *names[G_N_ELEMENTS(sorts) + 1];

    for (guint i = 0; i < G_N_ELEMENTS(sorts); i++)
        names[i] = sorts[i].name;
    return names;
}

static int compare_rows(gconstpointer a, gconstpointer b, gpointer data)
{
    const PmMetricsRow *const *x = a, *const *y = b;
    const PmMetric *metric = data;
    int order = by_number(pm_metric_number(metric, *x), pm_metric_number(metric, *y));

    /* The rows come in their own order, which settles ties. */
    return order ? order : (*x > *y) - (*x < *y);
}

/* What is printed. */
typedef struct {
    const PmMetrics *metrics;
    const PmView *view;
    const PmRecording *recording;
    PmMetricSource source;
    const PmOutput *output;
    gboolean since_start;
    const PmMetricsRow **rows; /* in the order asked for */
    gsize n, n_all;            /* shown; without --limit */
    gint64 thread_time;        /* of all */
    gint64 waits;
    /* Left out as idle. */
    gint64 idle_time, idle_waits;
    guint idle_threads; /* 0 = not known */
} Report;

/* The totals since the start come with their idle rows; a view has left them out itself. */
static void take_rows(Report *report)
{
    const PmMetrics *metrics = report->metrics;
    gboolean cut = report->since_start && !report->output->idle;

    report->rows = g_new(const PmMetricsRow *, metrics->n + 1);
    for (gsize i = 0; i < metrics->n; i++) {
        const PmMetricsRow *row = &metrics->rows[i];
        if (cut && pm_category_is_idle(row->category)) {
            pm_sum_add(&report->idle_time, row->thread_time);
            pm_sum_add(&report->idle_waits, row->times_parked);
        } else {
            report->rows[report->n_all++] = row;
            pm_sum_add(&report->thread_time, row->thread_time);
            pm_sum_add(&report->waits, row->times_parked);
        }
    }
    if (!report->since_start) {
        report->thread_time = report->view->thread_time;
        report->waits = (gint64)report->view->n;
        report->idle_time = report->view->idle_time;
        report->idle_waits = (gint64)report->view->idle_waits;
        report->idle_threads = report->view->idle_threads;
    }
}

static gboolean sort_rows(Report *report, const char *sort)
{
    guint key = 0;

    if (!sort)
        return TRUE;
    while (key < G_N_ELEMENTS(sorts) && strcmp(sort, sorts[key].name) != 0)
        key++;
    if (key == G_N_ELEMENTS(sorts))
        return FALSE;
    g_qsort_with_data(report->rows, (gint)report->n_all, sizeof *report->rows, compare_rows,
                      (gpointer)pm_metric_find(sorts[key].metric));
    return TRUE;
}

/* ---- formats ---- */

static void write_json(const Report *report, GString *out)
{
    const PmView *view = report->view;
    g_autoptr(JsonBuilder) builder = json_builder_new();

    json_builder_begin_object(builder);
    pm_json_int(builder, "schema", PM_OUTPUT_SCHEMA);
    pm_recording_json(builder, report->recording, report->since_start, view->from, view->to,
                      view->recorded, report->waits);
    pm_json_begin_object(builder, "left_out");
    pm_json_int(builder, "idle_threads", report->idle_threads);
    pm_json_int(builder, "idle_waits", report->idle_waits);
    pm_json_int(builder, "idle_time_ns", report->idle_time);
    json_builder_end_object(builder);
    pm_json_begin_array(builder, "blockers");
    for (gsize i = 0; i < report->n; i++)
        pm_metrics_row_json(builder, &report->source, report->rows[i]);
    json_builder_end_array(builder);
    json_builder_end_object(builder);
    pm_json_finish(builder, out);
}

static void write_csv(const Report *report, GString *out)
{
    PmCsv csv = {out, FALSE};

    pm_metrics_row_csv_header(&csv);
    for (gsize i = 0; i < report->n; i++)
        pm_metrics_row_csv(&csv, &report->source, report->rows[i]);
}

/* Threads that waited for this blocker in the range. */
static guint count_waiters(const PmView *view, const PmMetricsRow *row)
{
    const PmWaits *waits = &view->recording->waits;
    g_autofree guint8 *seen = g_new0(guint8, view->recording->n_threads + 1);
    guint n = 0;

    for (gsize i = 0; i < view->n; i++) {
        guint32 w = pm_view_row(view, i);
        if (pm_wait_blocker(waits, w) == row->blocker && pm_wait_kind(waits, w) == row->kind &&
            !seen[pm_wait_thread(waits, w)]) {
            seen[pm_wait_thread(waits, w)] = 1;
            n++;
        }
    }
    return n;
}

static guint count_threads(const PmRecording *recording, gint64 from, gint64 to)
{
    guint n = 0;

    for (guint32 i = 1; i < recording->n_threads; i++)
        n += pm_thread_is_within(&recording->threads[i], from, to);
    return n;
}

static const char *thing(PmCategory category)
{
    static const char *const things[PM_N_CATEGORIES] = {
        [PM_CATEGORY_LOCK] = "lock",           [PM_CATEGORY_CLASS_INIT] = "class to be initialised",
        [PM_CATEGORY_SEMAPHORE] = "semaphore", [PM_CATEGORY_RESOURCE] = "resource",
        [PM_CATEGORY_CONDITION] = "condition", [PM_CATEGORY_QUEUE] = "queue",
        [PM_CATEGORY_TRANSFER] = "handoff",    [PM_CATEGORY_LATCH] = "latch",
        [PM_CATEGORY_BARRIER] = "barrier",     [PM_CATEGORY_FUTURE] = "future",
        [PM_CATEGORY_POOL_IDLE] = "idle pool", [PM_CATEGORY_TIMER] = "timer",
        [PM_CATEGORY_OTHER] = "object",
    };

    return category < PM_N_CATEGORIES ? things[category] : "object";
}

/* Of one thread, such as main, that waits for the others to finish nothing need be said. */
static gboolean is_lone_join(const PmMetricsRow *row)
{
    return pm_category_family(row->category) == PM_FAMILY_JOIN && row->peak_parked <= 1;
}

/* Whatever the order of the rows, what is said first is about the one with most time. */
static const PmMetricsRow *biggest(const Report *report)
{
    const PmMetricsRow *row = report->rows[0];

    for (gsize i = 1; i < report->n_all; i++) {
        const PmMetricsRow *other = report->rows[i];
        gboolean lone = is_lone_join(row);
        if (is_lone_join(other) == lone ? other->thread_time > row->thread_time : lone)
            row = other;
    }
    return row;
}

/* Measured; none of what has no owner. */
static PmMeasuredHold hold_of(const Report *report, const PmMetricsRow *row)
{
    const PmView *view = report->view;
    return row->blocker && row->kind != PM_KIND_WAIT
               ? pm_hold_measure(report->source.contention, row->blocker, view->from, view->to)
               : (PmMeasuredHold){0};
}

/* Measured holds are those of owners that had waited themselves. Where they are too short to
 * account for the waiting, something else does (one that never waits, handoffs to threads that
 * find no core), and to name either number as the hold would be wrong. */
static void append_hold(const Report *report, const PmMetricsRow *row, GString *text)
{
    const PmMeasuredHold hold = hold_of(report, row);
    const gboolean measured = hold.n > 0;

    if (measured && hold.n * hold.mean < (double)row->real_time / 2)
        return;
    g_autofree char *time = pm_label_duration(pm_rounded(measured ? hold.mean : row->avg_hold));
    g_string_append_printf(text, "; it is held %s%s at a time", measured ? "" : "~", time);
}

static void append_first_row(const Report *report, GString *out)
{
    const PmView *view = report->view;
    const PmMetricsRow *row = biggest(report);
    g_autofree char *label = pm_label_blocker_short(view->recording, row->blocker);
    g_autofree char *longest = pm_label_duration(row->longest);
    g_autoptr(GString) text = g_string_new(NULL);

    if (report->thread_time <= 0 ||
        (double)row->thread_time < PM_SUMMARY_MIN_MEAN * (double)view->known)
        return;
    g_string_append_printf(text, "%.1f %% of all waiting is for one %s, %s:",
                           100.0 * (double)row->thread_time / (double)report->thread_time,
                           thing(row->category), label);
    if (view->known > 0) {
        g_string_append_printf(text, " on average %.1f",
                               (double)row->thread_time / (double)view->known);
        guint waiters = report->since_start ? 0 : count_waiters(view, row);
        if (waiters > 0)
            g_string_append_printf(text, " of %u", waiters);
        g_string_append_printf(text, " %s for it, %u at the end;",
                               waiters == 1 ? "thread stands still" : "threads stand still",
                               row->parked_now);
    }
    g_string_append_printf(text, " longest wait %s", longest);
    if (row->category == PM_CATEGORY_LOCK && !isnan(row->avg_hold))
        append_hold(report, row, text);
    g_string_append_c(text, '.');
    g_autofree char *clean = pm_text_clean(text->str);
    pm_text_append_wrapped(out, "", "", clean, MIN(report->output->terminal.columns, 93));
    g_string_append_c(out, '\n');
}

static void append_sentence(const Report *report, PmVerdictLevel level, const char *sentence,
                            GString *out)
{
    const PmTerminal *terminal = &report->output->terminal;
    gboolean stuck = level == PM_VERDICT_STUCK;
    g_autofree char *clean = pm_text_clean(sentence);
    g_autofree char *dotted = g_strconcat(clean, g_str_has_suffix(clean, ".") ? "" : ".", NULL);
    g_autoptr(GString) text = g_string_new(NULL);

    pm_text_append_wrapped(text, stuck ? "STUCK  " : "", "", dotted, terminal->columns);
    pm_text_append_styled(out, terminal, stuck ? PM_STYLE_ALARM : PM_STYLE_PLAIN, text->str);
    g_string_append_c(out, '\n');
}

/* What is stuck comes first; what stands out is said unless the first row's own sentence says it.
 */
static void append_verdict(const Report *report, const PmVerdict *verdict, GString *out)
{
    if (verdict && verdict->sentence &&
        (verdict->level != PM_VERDICT_HIGH || report->n == 0 ||
         verdict->blocker != biggest(report)->blocker))
        append_sentence(report, verdict->level, verdict->sentence, out);
    if (report->n > 0 && (!verdict || verdict->level <= PM_VERDICT_HIGH))
        append_first_row(report, out);
}

/* The table's columns after the blocker's: a metric, and what one of its unit is; 0: a time. */
static const struct {
    const char *key;
    int width;
    double one;
    int decimals;
    PmUnitStep unit; /* of a time, preferred */
    gboolean has_bounds, optional;
} shown[] = {
    {"times_parked", 6, 1},
    {"parked_now", 4, 1},
    {"peak_parked", 4, 1, .has_bounds = TRUE},
    {"thread_time_util", 7, 1, 1},
    {"thread_time_ns", 11, 0, 1, PM_UNIT_S},
    {"avg_park_ns", 8, 0, 1, PM_UNIT_MS, .optional = TRUE},
    {"longest_ns", 7, 0, 2, PM_UNIT_S},
    {"avg_hold_ns", 5, 0, 1, PM_UNIT_MS},
    {"real_time_util", 4, 0.01, 1, .has_bounds = TRUE},
};

static gboolean is_hold(guint i)
{
    return strcmp(shown[i].key, "avg_hold_ns") == 0;
}

/* How long it is held is shown as it was measured, else guessed. */
static double number_of(guint i, const PmMetricsRow *row, const PmMeasuredHold *hold)
{
    return is_hold(i) && hold->n ? hold->mean : pm_metric_number(pm_metric_find(shown[i].key), row);
}

static PmUnit unit_of(const Report *report, guint i, const PmMeasuredHold *holds)
{
    double most = 0;
    if (shown[i].one > 0)
        return (PmUnit){pm_metric_column(shown[i].key)->unit, shown[i].one, shown[i].decimals};
    for (gsize k = 0; k < report->n; k++)
        most = fmax(most, number_of(i, report->rows[k], &holds[k]));
    return pm_unit_choose(most, shown[i].unit, shown[i].decimals);
}

static void append_table(const Report *report, GString *out)
{
    const PmRecording *recording = report->recording;
    PmUnit units[G_N_ELEMENTS(shown)];
    g_autofree PmMeasuredHold *holds = g_new(PmMeasuredHold, MAX(report->n, 1));
    for (gsize k = 0; k < report->n; k++)
        holds[k] = hold_of(report, report->rows[k]);
    PmTableColumn columns[1 + G_N_ELEMENTS(shown)] = {
        {.title = pm_metric_column("label")->title, .unit = "", .width = 33, .least = 22}};
    for (guint i = 0; i < G_N_ELEMENTS(shown); i++) {
        units[i] = unit_of(report, i, holds);
        columns[1 + i] = (PmTableColumn){.title = pm_metric_column(shown[i].key)->title,
                                         .unit = units[i].name,
                                         .width = shown[i].width,
                                         .gap = TRUE,
                                         .right = TRUE,
                                         .optional = shown[i].optional};
    }
    g_autoptr(PmTable) table = pm_table_new(columns, G_N_ELEMENTS(columns));

    for (gsize k = 0; k < report->n; k++) {
        const PmMetricsRow *row = report->rows[k];
        g_autofree char *label = pm_label_blocker_short(recording, row->blocker);
        g_autofree char *field = pm_label_field(recording, row->blocker);
        g_autofree char *site = pm_chain_site(recording, row->first_chain);

        pm_table_add_row(table);
        pm_table_set(table, 0, label);
        for (guint i = 0; i < G_N_ELEMENTS(shown); i++) {
            const double number = number_of(i, row, &holds[k]);
            g_autofree char *text = pm_unit_text(units[i], number);
            const char *sign = !*text                              ? ""
                               : shown[i].has_bounds && row->bound ? ">="
                               : is_hold(i) && !holds[k].n         ? "~"
                                                                   : "";
            pm_table_printf(table, 1 + i, "%s%s", sign, text);
        }
        const char *kind = pm_category_wait_title(row->category, row->kind);
        const gboolean park = row->kind == PM_KIND_PARK;
        g_autofree char *line = g_strconcat(field ? field : "", field ? PM_FRAME_TEXT_SITE : "",
                                            park ? "" : kind, park ? "" : " in ", site, NULL);
        pm_table_add_wrapped(table, "  ", "    ", line, report->output->terminal.columns);
    }
    pm_table_write(table, &report->output->terminal, out);
}

static void append_full(const Report *report, const PmMetricsRow *row, GString *out)
{
    const PmRecording *recording = report->recording;
    const PmOutput *output = report->output;
    g_autofree char *label = pm_label_blocker(recording, row->blocker);
    g_autofree char *clean = pm_text_clean(label);
    const PmChain *chain = &recording->chains[row->first_chain];

    pm_text_append_styled(out, &output->terminal, PM_STYLE_STRONG, clean);
    g_string_append_c(out, '\n');
    pm_metrics_row_text(&report->source, row, out);
    g_string_append(out, "  Stack trace\n");
    if (chain->n_frames == 0)
        g_string_append(out, "    (no stack trace)\n");
    for (guint i = 0; i < chain->n_frames; i++) {
        g_autofree char *frame = pm_label_frame_full(recording, chain->frames[i]);
        g_autofree char *safe = pm_text_clean(frame);
        g_string_append_printf(out, "    %s\n", safe);
    }
    if (chain->truncated)
        g_string_append(out, "    (truncated here by stackdepth)\n");
}

static void append_heading(const Report *report, const PmSummary *summary, GString *out)
{
    const PmTerminal *terminal = &report->output->terminal;
    const PmView *view = report->view;
    const PmRecording *recording = report->recording;
    const PmRecordingFacts *facts = &recording->facts;
    g_autofree char *who = pm_heading_who(recording);
    g_autofree char *range = pm_heading_range(recording, view->from, view->to);
    g_autofree char *waits = pm_unit_count(report->waits, "wait", "waits");
    guint n_threads = count_threads(recording, view->from, view->to);
    g_autofree char *threads = pm_unit_count(n_threads, "thread", "threads");

    g_autofree char *jvm = pm_text_clean(facts->jvm ? facts->jvm : "");
    g_autoptr(GString) counts = g_string_new(waits);

    if (report->since_start)
        g_string_append(counts, " since the start");
    pm_heading_append_losses(counts, recording, view->from, view->to);
    if (!report->since_start)
        g_string_append_printf(counts, "   %s", threads);
    pm_heading_append_pair(out, terminal, PM_STYLE_STRONG, who, jvm);
    pm_heading_append_pair(out, terminal, PM_STYLE_PLAIN, range, counts->str);
    if (report->idle_time > 0 || report->idle_waits > 0) {
        g_string_append(out, "Left out: ");
        /* Else more threads rested than those that did nothing else. */
        if ((double)report->idle_time <= (double)report->idle_threads * (double)view->recorded &&
            report->idle_threads > 0) {
            g_autofree char *idle =
                pm_unit_count(report->idle_threads, "idle thread", "idle threads");
            g_string_append_printf(out, "%s, ", idle);
        } else {
            g_string_append(out, "idle waits, ");
        }
        g_string_append_printf(out, "%.1f s (--idle shows them)\n",
                               (double)report->idle_time / 1e9);
    }
    if (summary && summary->not_stored > 0) {
        g_autofree char *count = pm_unit_count(summary->not_stored, "wait", "waits");
        g_autofree char *time = pm_label_duration(summary->not_stored_time);
        g_string_append_printf(out, "Not stored: %s, %s (--since-start has their totals)\n", count,
                               time);
    }
    if (facts->not_recorded && *facts->not_recorded) {
        g_autofree char *not_recorded = pm_text_clean(facts->not_recorded);
        pm_text_append_wrapped(out, "Not recorded here: ", "  ", not_recorded, terminal->columns);
    }
    g_string_append_c(out, '\n');
}

static void write_text(const Report *report, const PmSummary *summary, const PmVerdict *verdict,
                       GString *out)
{
    append_heading(report, summary, out);
    if (report->output->full) {
        for (gsize i = 0; i < report->n; i++) {
            append_full(report, report->rows[i], out);
            g_string_append_c(out, '\n');
        }
        g_string_truncate(out, out->len - 1);
        return;
    }
    g_autofree char *no_match = report->n == 0 ? pm_no_match_text(report->view) : NULL;
    if (no_match) {
        g_string_append_printf(out, "%s\n", no_match);
        return;
    }
    append_verdict(report, verdict, out);
    if (report->n == 0) {
        if (!verdict || !verdict->sentence)
            g_string_append(out, "No thread waited.\n");
        else
            g_string_truncate(out, out->len - 1);
        return;
    }
    append_table(report, out);
    g_autoptr(GString) foot = g_string_new(NULL);
    g_string_append_printf(foot, "%" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT " %s.", report->n,
                           report->n_all, report->n_all == 1 ? "blocker" : "blockers");
    g_autofree char *hash = pm_label_hash(report->recording, report->rows[0]->blocker);
    if (hash)
        g_string_append_printf(foot, " One in full: --blocker=%s.", hash);
    g_string_append(foot, " All metrics: --format=csv|json. Why: findings");
    g_string_append_c(out, '\n');
    pm_text_append_wrapped(out, "", "", foot->str, report->output->terminal.columns);
}

gboolean pm_report_write(const PmMetrics *metrics, const PmSummary *summary,
                         const PmVerdict *verdict, const PmContention *contention,
                         gboolean since_start, const PmOutput *output, GString *out)
{
    g_return_val_if_fail(metrics != NULL && output && out != NULL, FALSE);
    const PmRecording *recording = metrics->view->recording;
    Report report = {.source = {recording, metrics->view, contention},
                     .metrics = metrics,
                     .view = metrics->view,
                     .recording = recording,
                     .output = output,
                     .since_start = since_start};
    gsize limit = output->limit                      ? output->limit
                  : output->format == PM_FORMAT_TEXT ? TEXT_LIMIT
                                                     : G_MAXSIZE;

    take_rows(&report);
    gboolean sorted = sort_rows(&report, output->sort);
    report.n = MIN(limit, report.n_all);
    if (sorted) {
        switch (output->format) {
        case PM_FORMAT_JSON:
            write_json(&report, out);
            break;
        case PM_FORMAT_CSV:
            write_csv(&report, out);
            break;
        case PM_FORMAT_TEXT:
            write_text(&report, summary, verdict, out);
            break;
        }
    }
    g_free(report.rows);
    return sorted;
}
