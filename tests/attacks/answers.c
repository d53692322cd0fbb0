#include "tests/attacks/answers.h"

#include <math.h>

#include "tests/attacks/hostile-text.h"
#include "tests/format/in-memory.h"
#include "viewer/analysis/loading/load.h"
#include "viewer/analysis/slices/detail.h"
#include "viewer/analysis/aggregation/lane.h"
#include "viewer/analysis/slices/metrics.h"
#include "viewer/analysis/slices/pool.h"
#include "viewer/analysis/curves/series.h"
#include "viewer/analysis/aggregation/thread-time.h"
#include "viewer/analysis/aggregation/tree.h"
#include "viewer/analysis/causes/contention.h"
#include "viewer/analysis/findings/findings.h"
#include "viewer/analysis/memory/memory-tree.h"
#include "viewer/report/time-text.h"
#include "viewer/report/diff.h"
#include "viewer/report/export.h"
#include "viewer/report/findings.h"
#include "viewer/report/info.h"
#include "viewer/report/memory.h"
#include "viewer/report/now.h"
#include "viewer/report/pool.h"
#include "viewer/report/report.h"
#include "viewer/report/tree.h"
#include "viewer/report/whatif.h"

/* ---- what an answer must be ---- */

static void check_json(JsonNode *node, const char *key)
{
    if (JSON_NODE_HOLDS_OBJECT(node)) {
        JsonObjectIter iter;
        const char *name;
        JsonNode *value;
        json_object_iter_init(&iter, json_node_get_object(node));
        while (json_object_iter_next(&iter, &name, &value))
            check_json(value, name);
    } else if (JSON_NODE_HOLDS_ARRAY(node)) {
        JsonArray *array = json_node_get_array(node);
        for (guint i = 0; i < json_array_get_length(array); i++)
            check_json(json_array_get_element(array, i), key);
    } else if (json_node_get_value_type(node) == G_TYPE_INT64) {
        static const char *const sums[] = {
            "count",        "waits",       "thread_time_ns", "real_time_ns", "longest_ns",
            "times_parked", "idle_waits",  "idle_time_ns",   "recorded_ns",  "duration_ns",
            "dropped",      "waiting_ns",  "alive_ns",       "life_ns",      "idle_ns",
            "avg_park_ns",  "avg_hold_ns", "hold_ns",        "p99_ns",       NULL};
        if (g_strv_contains(sums, key) && json_node_get_int(node) < 0)
            g_error("%s is %" G_GINT64_FORMAT, key, json_node_get_int(node));
    } else if (json_node_get_value_type(node) == G_TYPE_DOUBLE) {
        g_assert_true(isfinite(json_node_get_double(node)));
    }
}

static void check(const GString *out, PmFormat format)
{
    hostile_assert_none("an answer", out->str);
    if (format == PM_FORMAT_JSON) {
        g_autoptr(GError) error = NULL;
        g_autoptr(JsonNode) node = json_from_string(out->str, &error);
        g_assert_no_error(error);
        check_json(node, "");
    } else if (format == PM_FORMAT_CSV) {
        g_autoptr(GPtrArray) rows = hostile_read_csv(out->str);
        for (guint i = 1; i < rows->len; i++)
            g_assert_cmpuint(g_strv_length(rows->pdata[i]), ==, g_strv_length(rows->pdata[0]));
    }
}

static gboolean to_string(const char *bytes, gsize size, gpointer data)
{
    g_string_append_len(data, bytes, (gssize)size);
    return TRUE;
}

/* ---- all answers ---- */

static void answer_exports(PmView *view)
{
    static const PmFormat formats[PM_N_EXPORTS] = {
        [PM_EXPORT_CSV] = PM_FORMAT_CSV,
        [PM_EXPORT_JSON] = PM_FORMAT_JSON,
        [PM_EXPORT_COLLAPSED] = PM_FORMAT_TEXT,
        [PM_EXPORT_CHROME_TRACE] = PM_FORMAT_JSON,
    };

    for (PmExport to = 0; to < PM_N_EXPORTS; to++) {
        g_autoptr(GString) out = g_string_new(NULL);
        pm_export_write(view, to, NULL, 0, to_string, out);
        check(out, formats[to]);
    }
}

static void answer_whatif(PmView *view, const PmMetrics *metrics, const PmContention *contention,
                          const PmOutput *output)
{
    static const double factors[] = {0, 0.5, 100};
    g_autoptr(GArray) all = g_array_new(FALSE, TRUE, sizeof(PmWhatIf));
    g_autoptr(GString) out = g_string_new(NULL);

    for (gsize i = 0; i < MIN(metrics->n, 4); i++) {
        guint n = all->len;
        g_array_set_size(all, n + G_N_ELEMENTS(factors));
        if (!pm_whatif_compute(view, contention, metrics->rows[i].blocker, factors,
                               G_N_ELEMENTS(factors), &g_array_index(all, PmWhatIf, n)))
            g_array_set_size(all, n);
    }
    pm_whatif_write(view, (const PmWhatIf *)all->data, all->len, output, out);
    check(out, output->format);
}

static void answer_trees(PmView *view, const PmOutput *output)
{
    for (PmAspect aspect = 0; aspect < PM_N_ASPECTS; aspect++) {
        const PmAspect by[] = {aspect,
                               PM_ASPECT_GROUP == aspect ? PM_ASPECT_CLASS : PM_ASPECT_GROUP};
        g_autoptr(PmTree) tree = pm_tree_new(view, by, G_N_ELEMENTS(by), NULL);
        g_autoptr(GString) out = g_string_new(NULL);
        g_assert_cmpint(tree->root->thread_time, >=, 0);
        pm_tree_write(tree, output, out);
        check(out, output->format);
        g_autoptr(PmDiff) diff = pm_diff_new(view, view, by, G_N_ELEMENTS(by), NULL);
        g_autoptr(GString) differences = g_string_new(NULL);
        pm_diff_write(diff, output, differences);
        check(differences, output->format);
    }
}

static void answer_in(PmView *view, PmFormat format)
{
    static const char *const sorts[] = {NULL, "hold"};
    PmRecording *recording = view->recording;
    const PmContention *contention = pm_recording_contention(recording, NULL);
    g_autoptr(PmSummary) summary = pm_summary_new(view, view->to, NULL);
    g_autoptr(PmFindings) findings = pm_findings_new(summary, contention, NULL);
    g_autoptr(PmMetrics) since_start = pm_metrics_since_start(recording);
    g_autoptr(PmPools) pools = pm_pools_new(view, NULL);
    PmOutput output = {.format = format, .terminal = {TRUE, FALSE, 100}, .limit = 8};

    for (guint i = 0; i < 6; i++) {
        g_autoptr(GString) out = g_string_new(NULL);
        output.sort = i < 2 ? sorts[i] : NULL;
        output.full = i == 0;
        output.chains = output.idle = i == 5;
        if (i < 2)
            pm_report_write(summary->metrics, summary, &findings->verdict, contention, FALSE,
                            &output, out);
        else if (i == 2)
            pm_report_write(since_start, NULL, NULL, NULL, TRUE, &output, out);
        else if (i == 3)
            pm_pools_write(pools, &output, out);
        else if (i == 4)
            pm_findings_write(findings, "%s a.park", &output, out);
        else
            pm_now_write(summary, &output, out);
        check(out, format);
    }
    if (format != PM_FORMAT_CSV) {
        g_autoptr(GString) out = g_string_new(NULL);
        pm_info_write(recording, &output, out);
        check(out, format);
    }
    output = (PmOutput){.format = format, .terminal = {TRUE, FALSE, 100}};
    answer_whatif(view, summary->metrics, contention, &output);
}

/* What the window computes on top. */
static void answer_window(PmView *view)
{
    enum { N = 50 };
    PmRecording *recording = view->recording;
    PmBucket buckets[N];
    static const PmAspect aspects[] = {PM_ASPECT_GROUP, PM_ASPECT_CATEGORY, PM_ASPECT_BLOCKER};
    g_autoptr(PmParkedNow) parked = pm_parked_now_new(view, NULL);
    g_autoptr(PmThreadTimes) times = pm_thread_times_new(view, NULL);
    g_autoptr(PmDetail) detail = pm_detail_new(view, NULL, 0, NULL);
    const gint64 spans[][2] = {{view->from, view->to},
                               {0, recording->duration},
                               {-1, 1},
                               {recording->duration - 1, recording->duration},
                               {recording->duration, recording->duration + 1000}};

    g_assert_cmpint(detail->thread_time, >=, 0);
    for (guint t = 0; t < times->n_threads; t++) {
        g_assert_cmpint(times->threads[t].life, >=, 0);
        g_assert_cmpint(pm_thread_time_waiting(&times->threads[t]), >=, 0);
    }
    for (guint g = 0; g < times->n_groups; g++)
        g_assert_cmpint(times->groups[g].life, >=, 0);
    for (guint s = 0; s < G_N_ELEMENTS(spans); s++) {
        pm_parked_now_read(parked, spans[s][0], spans[s][1], N, buckets);
        for (guint i = 0; i < N; i++) {
            g_assert_true(isfinite(buckets[i].mean));
            g_assert_cmpfloat(buckets[i].mean, >=, -1e-9);
            g_assert_cmpfloat(buckets[i].mean, <=, buckets[i].max + 1e-6);
        }
        pm_parked_now_at(parked, spans[s][0]);
        pm_parked_now_peak(parked, spans[s][0], spans[s][1]);
    }
    for (guint a = 0; a < G_N_ELEMENTS(aspects); a++) {
        g_autoptr(PmBandOrder) order = pm_band_order_new(recording, aspects[a], view->filter->idle);
        g_autoptr(PmBands) bands = pm_bands_new(parked, order, NULL);
        g_autofree double *means = g_new0(double, N *(pm_band_order_n(order) + 1));
        for (guint s = 0; s < G_N_ELEMENTS(spans); s++) {
            pm_bands_read(bands, spans[s][0], spans[s][1], N, means);
            for (guint i = 0; i < N * (pm_band_order_n(order) + 1); i++)
                g_assert_cmpfloat(means[i], >=, -1e-6);
        }
    }
    for (PmLaneOf of = PM_LANE_GROUP; of <= PM_LANE_ALIKE; of++) {
        g_autoptr(PmLanes) lanes = pm_lanes_new(view, of, -1, view->from, view->to, N, NULL);
        for (guint lane = 0; lane < lanes->n_lanes; lane++)
            pm_lanes_mean(lanes, lane, N - 1, PM_N_FAMILIES);
    }
    for (gsize i = 0; i < MIN(view->n, 3); i++) {
        for (PmAspect aspect = 0; aspect < PM_N_ASPECTS; aspect++) {
            if (pm_aspect_is_split(aspect))
                continue;
            const PmPathStep step = {aspect,
                                     pm_aspect_key(recording, aspect, pm_view_row(view, i))};
            g_autoptr(PmDetail) selected = pm_detail_new(view, &step, 1, NULL);
            g_assert_cmpint(selected->thread_time, >=, 0);
        }
    }
    static const char *const words[] = {"-5m",
                                        "+90s",
                                        "14:02:10",
                                        "2026-11-21T14:02:10Z",
                                        "9999-12-31T23:59:59Z",
                                        "+99999999999999d",
                                        "-99999999d"};
    for (guint i = 0; i < G_N_ELEMENTS(words); i++) {
        const char *why;
        gint64 at = 0;
        pm_time_parse(recording, words[i], &at, &why);
    }
}

static void answer_memory(PmView *view, const PmOutput *output)
{
    g_autofree char *names = pm_memory_aspect_names();
    g_auto(GStrv) each = g_strsplit(names, ", ", -1);
    for (guint i = 0; each[i]; i++) {
        PmMemoryAspect by[] = {0, PM_ASPECT_CLASS};
        g_assert_true(pm_memory_aspect_parse(each[i], &by[0]));
        g_autoptr(PmMemoryTree) tree =
            pm_memory_tree_new(view->recording, view->filter, by, G_N_ELEMENTS(by), NULL);
        for (gboolean growth = FALSE; growth <= TRUE; growth++) {
            g_autoptr(GString) out = g_string_new(NULL);
            pm_memory_write(tree, growth, output, out);
            check(out, output->format);
        }
    }
}

static void answer_everything(PmRecording *recording, guint some)
{
    g_assert_cmpint(recording->duration, >=, 0);
    g_assert_cmpint(recording->window_begin, <=, recording->duration);
    const struct {
        gint64 from, to;
        gboolean idle;
    } ranges[] = {{0, 0, FALSE},
                  {0, 0, TRUE},
                  {recording->duration / 4, recording->duration / 2, TRUE},
                  {G_MININT64, G_MAXINT64, TRUE}};

    for (guint i = 0; i < G_N_ELEMENTS(ranges); i++) {
        if (!(some >> i & 1))
            continue;
        const PmOutput output = {.format = (PmFormat)(i % 3), .terminal = {TRUE, FALSE, 100}};
        g_autoptr(PmFilter) filter = pm_filter_new();
        filter->from = ranges[i].from;
        filter->to = ranges[i].to;
        filter->idle = ranges[i].idle;
        g_autoptr(PmView) view = pm_view_new(recording, filter, NULL);
        g_assert_cmpint(view->recorded, >=, 0);
        g_assert_cmpint(view->thread_time, >=, 0);
        g_assert_cmpint(view->idle_time, >=, 0);
        if (some & 1 << 4)
            answer_in(view, output.format);
        if (some & 1 << 4 && i == 1)
            answer_in(view, PM_FORMAT_JSON);
        if (some & 1 << 5)
            answer_trees(view, &output);
        if (some & 1 << 6)
            answer_window(view);
        if (some & 1 << 7)
            answer_memory(view, &output);
        if (some & 1 << 7 && i == 1)
            answer_exports(view);
    }
}

static gboolean read_outline(guint64 done, guint64 total, PmOutline *outline, gpointer data)
{
    return TRUE;
}

gboolean answer_bytes(const void *bytes, gsize size, guint some)
{
    struct pm_source source;
    struct pm_error_info info;
    struct pm_verify_result result;
    g_autoptr(GError) error = NULL;

    g_assert_cmpint(pm_source_from_memory(bytes, size, &source), ==, 0);
    if (pm_verify(source, &result, &info) == 0) {
        g_autoptr(GString) out = g_string_new(NULL);
        const PmOutput output = {.format = PM_FORMAT_JSON};
        pm_verify_write("a.park", &result, &output, out);
        check(out, PM_FORMAT_JSON);
    }
    g_autoptr(PmRecording) recording =
        pm_recording_load_source(source, "a.park", 1, read_outline, NULL, NULL, &error);
    if (!recording) {
        g_assert_nonnull(error);
        return FALSE;
    }
    answer_everything(recording, some);
    return TRUE;
}
