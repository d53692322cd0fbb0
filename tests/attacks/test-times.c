/* Recordings whose times and counts are all that 62 bits hold, and recordings broken at random:
 * every answer that there is of them is given, and no sum of what cannot be negative is. Under a
 * sanitizer
 * (-Db_sanitize=address,undefined) each step beyond a number's range or a block's end is seen. */
#include <math.h>
#include <string.h>

#include <glib/gstdio.h>

#include "tests/attacks/hostile-text.h"
#include "tests/format/repair.h"
#include "tests/format/synthetic.h"
#include "viewer/analysis/loading/load.h"
#include "viewer/analysis/slices/detail.h"
#include "viewer/analysis/aggregation/lane.h"
#include "viewer/analysis/slices/metrics.h"
#include "viewer/analysis/aggregation/pool.h"
#include "viewer/analysis/curves/series.h"
#include "viewer/analysis/aggregation/thread-time.h"
#include "viewer/analysis/aggregation/tree.h"
#include "viewer/analysis/causes/contention.h"
#include "viewer/analysis/findings/findings.h"
#include "viewer/report/time-text.h"
#include "viewer/report/diff.h"
#include "viewer/report/export.h"
#include "viewer/report/findings.h"
#include "viewer/report/info.h"
#include "viewer/report/now.h"
#include "viewer/report/pool.h"
#include "viewer/report/report.h"
#include "viewer/report/tree.h"
#include "viewer/report/whatif.h"
#include "tests/format/in-memory.h"

static guint64 seed_of_round; /* said when something fails */

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
            g_error("seed %" G_GUINT64_FORMAT ": %s is %" G_GINT64_FORMAT, seed_of_round, key,
                    json_node_get_int(node));
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
    answer_trees(view, &output);
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

static void answer_everything(PmRecording *recording)
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
        g_autoptr(PmFilter) filter = pm_filter_new();
        filter->from = ranges[i].from;
        filter->to = ranges[i].to;
        filter->idle = ranges[i].idle;
        g_autoptr(PmView) view = pm_view_new(recording, filter, NULL);
        g_assert_cmpint(view->recorded, >=, 0);
        g_assert_cmpint(view->thread_time, >=, 0);
        g_assert_cmpint(view->idle_time, >=, 0);
        answer_in(view, (PmFormat)(i % 3));
        answer_window(view);
        if (i == 1) {
            answer_in(view, PM_FORMAT_JSON);
            answer_exports(view);
        }
    }
}

static gboolean read_outline(guint64 done, guint64 total, PmOutline *outline, gpointer data)
{
    return TRUE;
}

/* FALSE: nothing could be read. */
static gboolean answer_bytes(const void *bytes, gsize size)
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
    answer_everything(recording);
    return TRUE;
}

/* ---- recordings ---- */

/* Since the begin, valid for the writer; mostly at the ends of what is. */
static gint64 a_time(uint64_t *state)
{
    static const gint64 most = PM_TIME_LIMIT - 1 - SYN_BEGIN_NS;
    const gint64 times[] = {0,
                            1,
                            SYN_MS,
                            SYN_S,
                            most,
                            most - 1,
                            most / 2,
                            INT64_C(1) << 58,
                            (INT64_C(1) << 58) - 1,
                            INT64_C(1) << 60,
                            -SYN_BEGIN_NS,
                            1 - SYN_BEGIN_NS,
                            (gint64)syn_random_spread(state, 61) % most,
                            (gint64)syn_random_spread(state, 40) % most};

    return times[syn_random_below(state, G_N_ELEMENTS(times))];
}

static gint64 a_length(uint64_t *state)
{
    const gint64 time = a_time(state);

    return MAX(time, 0);
}

static gint64 a_count(uint64_t *state)
{
    const gint64 counts[] = {
        0, 1, 1000, PM_TIME_LIMIT - 1, PM_TIME_LIMIT / 2, (gint64)syn_random_spread(state, 61)};

    return counts[syn_random_below(state, G_N_ELEMENTS(counts))];
}

static pm_chain_id a_chain(struct syn *s, uint64_t *state)
{
    static const char *const sites[] = {
        "com.acme.Cache.get(Cache.java:41)", "com.acme.Cache.put(Cache.java:63)",
        "com.acme.Dao.load(Dao.java:2147483647)", "com.acme.Worker.run(Worker.java:-2147483648)"};
    static const char *const frames[][3] = {
        {"java.util.concurrent.locks.LockSupport.park(LockSupport.java:211)",
         "java.util.concurrent.locks.ReentrantLock.lock(ReentrantLock.java:322)", NULL},
        {"java.util.concurrent.locks.LockSupport.unpark(LockSupport.java:181)",
         "java.util.concurrent.locks.ReentrantLock.unlock(ReentrantLock.java:494)", NULL},
        {"java.util.concurrent.LinkedBlockingQueue.take(LinkedBlockingQueue.java:435)",
         "java.util.concurrent.ThreadPoolExecutor.getTask(ThreadPoolExecutor.java:1062)",
         "java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1122)"},
        {"java.util.concurrent.Semaphore.acquire(Semaphore.java:318)", NULL, NULL}};
    const guint k = (guint)syn_random_below(state, G_N_ELEMENTS(frames));
    const char *all[6];
    guint n = 0;

    for (guint i = 0; i < 3 && frames[k][i]; i++)
        all[n++] = frames[k][i];
    all[n++] = sites[syn_random_below(state, G_N_ELEMENTS(sites))];
    all[n] = NULL;
    return syn_chain_v(s, all);
}

static const char *const classes[] = {
    "java.util.concurrent.locks.ReentrantLock$NonfairSync",
    "java.util.concurrent.locks.ReentrantReadWriteLock$FairSync",
    "java.util.concurrent.Semaphore$NonfairSync",
    "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject",
    "java.util.concurrent.FutureTask",
    "com.acme.Monitor",
    "",
};

static gint64 an_end(uint64_t *state)
{
    const gint64 ends[] = {0, SYN_S, a_length(state), PM_TIME_LIMIT - 1 - SYN_BEGIN_NS};

    return ends[syn_random_below(state, G_N_ELEMENTS(ends))];
}

/* Owned bytes of a recording with all kinds of records, times anywhere. */
static GBytes *extreme_recording(guint64 seed, guint n_threads, guint n_waits)
{
    uint64_t state = seed;
    struct syn *s = syn_new();
    struct pm_facts *facts = syn_facts(s);
    const gint64 end = an_end(&state);
    const int64_t walls[] = {0, 1, -1, INT64_MIN, INT64_MAX, INT64_MAX / 2, SYN_BEGIN_UNIX_NS};
    gsize size;

    facts->begin_unix_ns = walls[syn_random_below(&state, G_N_ELEMENTS(walls))];
    if (syn_random_below(&state, 3) == 0)
        facts->begin_ns = syn_random_below(&state, 2) ? 0 : PM_TIME_LIMIT - 1;
    facts->zone = (struct pm_text){"UTC+18:59", 9};
    for (guint i = 0; i < n_threads; i++) {
        static const char *const names[] = {"web-%u", "pool-1-thread-%u", "%u"};
        g_autofree char *number = g_strdup_printf("%u", i);
        g_auto(GStrv) parts = g_strsplit(names[i % 3], "%u", 2);
        g_autofree char *name = g_strjoinv(number, parts);
        pm_thread_id thread = syn_thread(s, name);
        syn_thread_of(s, thread)->tid = i == 1 ? INT64_MIN : i == 2 ? INT64_MAX : i;
        syn_span(s, (struct pm_span){.kind = PM_SPAN_THREAD,
                                     .thread = thread,
                                     .begin_ns = a_time(&state),
                                     .end_ns = syn_random_below(&state, 2) ? a_time(&state) : 0});
        syn_blocker(s, syn_class(s, classes[i % G_N_ELEMENTS(classes)]), i);
        if (i > 0 && i % 4 == 0)
            syn_blocker_of(s, (pm_blocker_id){i + 1})->parent.n = i;
    }
#define ANY_THREAD                                                                                 \
    (pm_thread_id)                                                                                 \
    {                                                                                              \
        1 + (uint32_t)syn_random_below(&state, n_threads)                                          \
    }
#define ANY_BLOCKER                                                                                \
    (pm_blocker_id)                                                                                \
    {                                                                                              \
        1 + (uint32_t)syn_random_below(&state, n_threads)                                          \
    }
    for (guint i = 0; i < n_waits; i++) {
        gboolean open = i % 16 == 0;
        gint64 begin = a_time(&state);
        struct pm_wait *wait = open ? syn_progress(s, ANY_THREAD, ANY_BLOCKER, MIN(begin, end))
                                    : syn_wait(s, ANY_THREAD, ANY_BLOCKER, begin, a_length(&state));
        wait->chain = a_chain(s, &state);
        wait->owner = ANY_THREAD;
        wait->kind = (uint8_t)syn_random_below(&state, PM_N_KINDS);
        wait->aqs_state = syn_random_below(&state, 2) ? INT32_MIN : INT32_MAX;
        wait->flags |= (uint16_t)(syn_random_below(&state, 1 << 6) & ~PM_WAIT_IN_PROGRESS);
        if (open)
            continue;
        wait->waker = ANY_THREAD;
        wait->waker_chain = a_chain(s, &state);
        wait->wake_ns = syn_random_below(&state, 2) ? wait->begin_ns + wait->duration_ns / 2
                                                    : SYN_BEGIN_NS + a_time(&state);
        wait->wake_ns = MIN(wait->wake_ns, PM_TIME_LIMIT - 1);
        wait->wake_cause = (uint8_t)syn_random_below(&state, PM_N_WAKE_CAUSES);
    }
    for (guint i = 0; i < 8; i++) {
        syn_owner_sample(s, (struct pm_owner_sample){.at_ns = a_time(&state),
                                                     .waiter = ANY_THREAD,
                                                     .blocker = ANY_BLOCKER,
                                                     .owner = ANY_THREAD,
                                                     .chain = a_chain(s, &state),
                                                     .owner_state = PM_OWNER_RUNNING});
        syn_span(s, (struct pm_span){.kind = i % 2 ? PM_SPAN_GC : PM_SPAN_STOPPED,
                                     .begin_ns = a_time(&state),
                                     .end_ns = a_time(&state)});
        syn_gap(s, (struct pm_gap){.begin_ns = a_time(&state),
                                   .end_ns = a_time(&state),
                                   .reason = (uint8_t)(i % PM_N_GAP_REASONS),
                                   .waits = a_count(&state),
                                   .thread_time_ns = a_count(&state)});
        syn_counters(s, (struct pm_counters){.blocker = {i + 1},
                                             .kind = (uint8_t)(i % PM_N_KINDS),
                                             .now = UINT32_MAX,
                                             .peak = UINT32_MAX,
                                             .times = a_count(&state),
                                             .thread_time_ns = a_count(&state),
                                             .real_time_ns = a_count(&state),
                                             .longest_ns = a_count(&state),
                                             .first_ns = a_time(&state),
                                             .last_ns = a_time(&state),
                                             .not_stored = a_count(&state),
                                             .not_stored_time_ns = a_count(&state)});
    }
    syn_finish(s, end);
    const void *bytes = syn_bytes(s, &size);
    GBytes *made = g_bytes_new(bytes, size);
    syn_free(s);
    return made;
}

/* More rounds for a night: PM_ATTACK_ROUNDS. */
static guint rounds(guint usual)
{
    const char *wanted = g_getenv("PM_ATTACK_ROUNDS");

    return wanted ? (guint)g_ascii_strtoull(wanted, NULL, 10) : usual;
}

static void extremes_are_answered(void)
{
    guint read = 0, n = rounds(21);

    for (guint i = 0; i < n; i++) {
        seed_of_round = i + 1;
        g_autoptr(GBytes) bytes = extreme_recording(seed_of_round, 3 + i % 40, i % 7 * 40);
        gsize size;
        const void *data = g_bytes_get_data(bytes, &size);
        read += answer_bytes(data, size);
    }
    g_assert_cmpuint(read, >, n / 2);
}

/* So many waits as long as can be that no sum of them fits. */
static void sums_beyond_64_bits(void)
{
    struct syn *s = syn_new();
    const gint64 most = PM_TIME_LIMIT - 1 - SYN_BEGIN_NS;
    gsize size;

    for (guint t = 0; t < 100; t++) {
        g_autofree char *name = g_strdup_printf("pool-1-thread-%u", t);
        pm_thread_id thread = syn_thread(s, name);
        syn_span(s, (struct pm_span){.kind = PM_SPAN_THREAD, .thread = thread});
        syn_blocker(s, syn_class(s, classes[t % 3]), t);
        for (guint i = 0; i < 20; i++) {
            struct pm_wait *wait =
                syn_wait(s, thread, (pm_blocker_id){1 + i % (t + 1)}, (gint64)i, most);
            wait->owner = wait->waker = (pm_thread_id){1 + (t + i) % (t + 1)};
            wait->wake_cause = PM_WAKE_RELEASE;
            wait->kind = (uint8_t)(i % PM_N_KINDS);
        }
        for (guint k = 0; k < 2; k++) {
            syn_gap(s, (struct pm_gap){.end_ns = most,
                                       .reason = PM_GAP_BUFFER_FULL + (uint8_t)(2 * k),
                                       .waits = PM_TIME_LIMIT - 1,
                                       .thread_time_ns = PM_TIME_LIMIT - 1});
            syn_counters(s, (struct pm_counters){.blocker = {t + 1},
                                                 .kind = (uint8_t)k,
                                                 .times = PM_TIME_LIMIT - 1,
                                                 .thread_time_ns = PM_TIME_LIMIT - 1,
                                                 .real_time_ns = PM_TIME_LIMIT - 1,
                                                 .longest_ns = PM_TIME_LIMIT - 1,
                                                 .last_ns = most,
                                                 .not_stored = PM_TIME_LIMIT - 1,
                                                 .not_stored_time_ns = PM_TIME_LIMIT - 1});
        }
    }
    syn_finish(s, most);
    const void *bytes = syn_bytes(s, &size);
    seed_of_round = 0;
    g_assert_true(answer_bytes(bytes, size));
    syn_free(s);
}

static void mutations_are_answered(void)
{
    uint64_t state = 7;
    guint read = 0, n = rounds(60);
    g_autoptr(GPtrArray) seeds = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);

    for (guint i = 0; i < 5; i++)
        g_ptr_array_add(seeds, extreme_recording(1000 + i, 12, 60));
    struct syn *small = syn_small();
    gsize size;
    syn_finish(small, SYN_SMALL_END);
    const void *small_bytes = syn_bytes(small, &size);
    g_ptr_array_add(seeds, g_bytes_new(small_bytes, size));
    syn_free(small);
    for (guint i = 0; i < n; i++) {
        const guint8 *data = g_bytes_get_data(seeds->pdata[i % seeds->len], &size);
        g_autofree guint8 *broken = g_memdup2(data, size);
        seed_of_round = state;
        for (guint k = 0; k < syn_random_below(&state, 20); k++)
            broken[syn_random_below(&state, size)] = (guint8)syn_random(&state);
        repair_to_extremes(broken, size, &state);
        read += answer_bytes(broken, size);
    }
    g_assert_cmpuint(read, >, n / 4);
}

/* Saved from a night's run, or found elsewhere: every file of the folder $PM_ATTACK_CORPUS. */
static void corpus_is_answered(void)
{
    const char *folder = g_getenv("PM_ATTACK_CORPUS");
    g_autoptr(GDir) dir = folder ? g_dir_open(folder, 0, NULL) : NULL;

    if (!dir) {
        g_test_skip("PM_ATTACK_CORPUS names no folder");
        return;
    }
    for (const char *name; (name = g_dir_read_name(dir));) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        g_autofree char *bytes = NULL;
        gsize size;
        if (g_file_get_contents(path, &bytes, &size, NULL))
            answer_bytes(bytes, size);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/attacks/times/extremes-are-answered", extremes_are_answered);
    g_test_add_func("/attacks/times/sums-beyond-64-bits", sums_beyond_64_bits);
    g_test_add_func("/attacks/times/mutations-are-answered", mutations_are_answered);
    g_test_add_func("/attacks/times/corpus-is-answered", corpus_is_answered);
    return g_test_run();
}
