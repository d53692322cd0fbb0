/* The texts of docs/ui.md at 100 columns, byte for byte. The golden files were worked out by hand
 * from the numbers in example.c; they are read, never written. */
#include <string.h>

#include "example.h"
#include "viewer/report/info.h"
#include "viewer/report/now.h"
#include "viewer/report/report.h"
#include "viewer/report/status.h"
#include "viewer/report/tree.h"

static const PmOutput text = {.format = PM_FORMAT_TEXT, .terminal = {TRUE, FALSE, 100}};

static char *golden(const char *name)
{
    g_autofree char *path = g_test_build_filename(G_TEST_DIST, "golden", name, NULL);
    char *bytes;
    g_autoptr(GError) error = NULL;

    g_file_get_contents(path, &bytes, NULL, &error);
    g_assert_no_error(error);
    return bytes;
}

static void same(const char *name, const GString *out)
{
    g_autofree char *expected = golden(name);

    if (strcmp(out->str, expected) != 0)
        g_error("%s differs; it holds\n%sbut the answer is\n%s", name, expected, out->str);
    /* What is promised for 100 columns. */
    g_auto(GStrv) lines = g_strsplit(out->str, "\n", -1);
    for (guint i = 0; lines[i]; i++)
        g_assert_cmpint(pm_text_width(lines[i]), <=, 100);
}

static void report(const char *name, PmRecording *recording, const char *blocker,
                   const PmOutput *output)
{
    g_autoptr(PmFilter) filter = pm_filter_new();
    g_autoptr(GString) out = g_string_new(NULL);

    if (blocker)
        pm_filter_add_chip(filter, PM_ASPECT_BLOCKER, blocker, FALSE);
    g_autoptr(PmView) view = pm_view_new(recording, filter, NULL);
    g_autoptr(PmSummary) summary = pm_summary_new(view, view->to, NULL);
    g_autoptr(PmContention) contention = pm_contention_new(recording, NULL);
    g_autoptr(PmFindings) findings = pm_findings_new(summary, contention, NULL);
    g_assert_true(pm_report_write(summary->metrics, summary, &findings->verdict, contention, FALSE,
                                  output, out));
    same(name, out);
}

static void report_of_the_pattern(void)
{
    g_autoptr(PmRecording) recording = pm_example_pattern();

    report("report-pattern.txt", recording, NULL, &text);
}

static void report_sorted_and_cut(void)
{
    g_autoptr(PmRecording) recording = pm_example_pattern();
    PmOutput output = text;

    output.sort = "times";
    output.limit = 2;
    report("report-sorted.txt", recording, NULL, &output);
}

static void report_of_one_blocker(void)
{
    g_autoptr(PmRecording) recording = pm_example_pattern();
    PmOutput output = text;

    output.full = TRUE;
    report("report-blocker.txt", recording, "5e91993f", &output);
}

static void report_of_a_deadlock(void)
{
    g_autoptr(PmRecording) recording = pm_example_deadlock();

    report("report-deadlock.txt", recording, NULL, &text);
}

/* The narrowest terminal: nothing is broken by it, and names stay readable. */
static void eighty_columns_are_enough(void)
{
    PmRecording *(*const examples[])(void) = {pm_example_pattern, pm_example_orders,
                                              pm_example_deadlock, pm_example_quiet};
    static const PmAspect aspects[] = {PM_ASPECT_CLASS, PM_ASPECT_SITE, PM_ASPECT_CAUSE_SITE};
    PmOutput output = text;

    output.terminal.columns = 80;
    for (guint e = 0; e < G_N_ELEMENTS(examples); e++) {
        g_autoptr(PmRecording) recording = examples[e]();
        g_autoptr(PmFilter) filter = pm_filter_new();
        g_autoptr(PmView) view = pm_view_new(recording, filter, NULL);
        g_autoptr(PmSummary) summary = pm_summary_new(view, view->to, NULL);
        g_autoptr(PmTree) aggregated = pm_tree_new(view, aspects, G_N_ELEMENTS(aspects), NULL);
        g_autoptr(GString) out = g_string_new(NULL);
        g_autoptr(PmContention) contention = pm_contention_new(recording, NULL);
        g_autoptr(PmFindings) findings = pm_findings_new(summary, contention, NULL);
        g_assert_true(pm_report_write(summary->metrics, summary, &findings->verdict, NULL, FALSE,
                                      &output, out));
        g_assert_true(pm_tree_write(aggregated, &output, out));
        g_auto(GStrv) lines = g_strsplit(out->str, "\n", -1);
        for (guint i = 0; lines[i]; i++)
            if (pm_text_width(lines[i]) > 80)
                g_error("wider than 80: %s", lines[i]);
    }
}

static void report_of_silence(void)
{
    g_autoptr(PmRecording) recording = pm_example_quiet();

    report("report-quiet.txt", recording, NULL, &text);
}

static void report_since_start(void)
{
    g_autoptr(PmRecording) recording = pm_example_orders();
    g_autoptr(PmMetrics) metrics = pm_metrics_since_start(recording);
    g_autoptr(GString) out = g_string_new(NULL);

    g_assert_true(pm_report_write(metrics, NULL, NULL, NULL, TRUE, &text, out));
    same("report-since-start.txt", out);
}

static void tree(const char *name, const PmAspect *aspects, guint n, const PmOutput *output)
{
    g_autoptr(PmRecording) recording = pm_example_orders();
    g_autoptr(PmFilter) filter = pm_filter_new();
    g_autoptr(PmView) view = pm_view_new(recording, filter, NULL);
    g_autoptr(PmTree) aggregated = pm_tree_new(view, aspects, n, NULL);
    g_autoptr(GString) out = g_string_new(NULL);

    g_assert_true(pm_tree_write(aggregated, output, out));
    g_autofree char *encoded = pm_terminal_encode(&output->terminal, out->str);
    g_string_assign(out, encoded);
    same(name, out);
}

static const PmAspect by_class[] = {PM_ASPECT_CLASS, PM_ASPECT_BLOCKER, PM_ASPECT_SITE};

static void tree_of_orders(void)
{
    tree("tree-orders.txt", by_class, 3, &text);
}

static void tree_in_ascii(void)
{
    PmOutput output = text;

    output.terminal.utf8 = FALSE;
    tree("tree-ascii.txt", by_class, 3, &output);
}

static void tree_cut(void)
{
    static const PmAspect by_thread[] = {PM_ASPECT_THREAD};
    PmOutput output = text;

    output.limit = 2;
    output.sort = "waits";
    tree("tree-cut.txt", by_thread, 1, &output);
}

static void now(const char *name, PmRecording *recording, gint64 at, gboolean chains)
{
    g_autoptr(PmFilter) filter = pm_filter_new();
    g_autoptr(PmView) view = pm_view_new(recording, filter, NULL);
    g_autoptr(PmSummary) summary = pm_summary_new(view, at < 0 ? view->to : at, NULL);
    g_autoptr(GString) out = g_string_new(NULL);
    PmOutput output = text;

    output.chains = chains;
    g_assert_true(pm_now_write(summary, &output, out));
    same(name, out);
}

static void now_in_a_deadlock(void)
{
    g_autoptr(PmRecording) recording = pm_example_deadlock();

    now("now-deadlock.txt", recording, -1, FALSE);
}

static void now_with_chains(void)
{
    g_autoptr(PmRecording) recording = pm_example_pattern();

    now("now-chains.txt", recording, -1, TRUE);
}

static void now_when_nobody_waits(void)
{
    g_autoptr(PmRecording) recording = pm_example_quiet();

    now("now-quiet.txt", recording, -1, FALSE);
}

static void status_in_words(void)
{
    static const char json[] =
        "{\"schema\":1,\"pid\":2217,\"main\":\"orders-service.jar\",\"jvm\":\"JDK 25.0.3\","
        "\"recording\":true,\"file\":\"/var/tmp/parkmeter-2217-1401.park\",\"size\":67108864,"
        "\"maxsize\":67108864,\"begin_unix_ns\":1795212843000000000,"
        "\"now_unix_ns\":1795269963000000000,\"oldest_ns\":55260000000000,\"waits\":298113204,"
        "\"wait_bytes\":2056981108,\"dropped\":0,\"in_progress\":39,"
        "\"longest_in_progress_ns\":252000000000,\"deadlocks\":1,\"blockers\":1204,"
        "\"chains\":3391,\"chain_misses\":12,\"chain_mismatches\":0,\"threads\":253,"
        "\"drain_cpu_ns\":68544000000,\"memory_bytes\":5347737,\"monitors\":true,"
        "\"vthreads\":true,\"events\":true,\"snapshot_ns\":1000000000}";
    g_autoptr(GString) out = g_string_new(NULL);
    g_autoptr(GError) error = NULL;

    g_assert_true(pm_status_write(json, &text, out, &error));
    g_assert_no_error(error);
    same("status.txt", out);
}

static void status_that_is_none(void)
{
    static const char *const wrong[] = {"", "x", "[]", "3", "{\"pid\":"};

    for (guint i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_autoptr(GString) out = g_string_new(NULL);
        g_autoptr(GError) error = NULL;
        g_assert_false(pm_status_write(wrong[i], &text, out, &error));
        g_assert_nonnull(error);
        g_assert_cmpstr(out->str, ==, "");
    }
    /* Members of other types than expected are as good as missing. */
    g_autoptr(GString) out = g_string_new(NULL);
    g_assert_true(pm_status_write("{\"pid\":\"x\",\"main\":3,\"begin\":null,\"file\":[],"
                                  "\"deadlocks\":{},\"recording\":7,\"waits\":\"many\"}",
                                  &text, out, NULL));
}

static void status_of_what_there_is(void)
{
    static const struct {
        const char *json, *words;
    } cases[] = {
        {"{\"pid\":1,\"alloc_bytes\":524288,\"alloc_wanted_bytes\":524288,\"alloc_followed\":40,"
         "\"alloc_followed_most\":9900}",
         "Samples  of allocations, one in 512 KiB; 40 objects followed of 9900 at most\n"},
        {"{\"pid\":1,\"alloc_bytes\":8388608,\"alloc_wanted_bytes\":524288,\"alloc_followed\":40}",
         "Samples  of allocations, one in 8.00 MiB (512 KiB wanted); 40 objects followed\n"},
        {"{\"pid\":1,\"alloc_bytes\":0,\"alloc_wanted_bytes\":0,\"alloc_followed\":1}",
         "Samples  of allocations, every one; 1 object followed\n"},
        {"{\"pid\":1,\"waits\":9,\"lost\":4}", ", 0 dropped, 4 lost with a file\n"},
        {"{\"pid\":1,\"memory_bytes\":0,\"stops\":12,\"stopped_ns\":1100000,"
         "\"longest_stop_ns\":300000}",
         "memory 0 bytes   stopped threads 12 times, 1.10 ms in all, 0.3 ms at most\n"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GString) out = g_string_new(NULL);
        g_assert_true(pm_status_write(cases[i].json, &text, out, NULL));
        if (!strstr(out->str, cases[i].words))
            g_error("%s: not in\n%s", cases[i].words, out->str);
    }
}

/* The recorder's file is gone and no new one can be made; then there is one. */
static void status_without_a_file(void)
{
    g_autoptr(GString) out = g_string_new(NULL);

    g_assert_true(pm_status_write(
        "{\"pid\":7,\"recording\":true,\"file\":\"/x/a.park\",\"size\":0,\"maxsize\":4,"
        "\"storing\":false,\"error\":\"/x/a.park was removed\","
        "\"warning\":\"/x/a.park was removed\"}",
        &text, out, NULL));
    g_assert_nonnull(strstr(out->str, "WARNING  /x/a.park was removed\n"));
    g_assert_nonnull(strstr(out->str, "File     /x/a.park   is missing"));
    g_string_truncate(out, 0);
    g_assert_true(pm_status_write(
        "{\"pid\":7,\"recording\":true,\"file\":\"/x/a.park\",\"size\":4,\"maxsize\":4,"
        "\"storing\":true,\"error\":null,\"warning\":\"/x/a.park was renamed\"}",
        &text, out, NULL));
    g_assert_nonnull(strstr(out->str, "WARNING  /x/a.park was renamed\n"));
    g_assert_nonnull(strstr(out->str, "File     /x/a.park   4"));
}

static void verify_in_words(void)
{
    struct pm_verify_result result = {.ok = true,
                                      .chunks = 12,
                                      .waits = 24118,
                                      .stored_bytes = 167936,
                                      .first_ns = 0,
                                      .last_ns = 300000000000};
    g_autoptr(GString) out = g_string_new(NULL);

    pm_verify_write("orders.park", &result, &text, out);
    result.ok = false;
    result.damaged_blocks = 3;
    result.lost_bytes = 1258291;
    strcpy(result.first_problem, "block 7 of chunk 4: its checksum is wrong");
    pm_verify_write("orders.park", &result, &text, out);
    same("verify.txt", out);
}

/* Sums over threads say that some had another name; sums over objects need not. */
static void renamed_threads_are_told(void)
{
    static const PmAspect aspects[] = {PM_ASPECT_GROUP, PM_ASPECT_CLASS};
    g_autoptr(PmRecording) recording = pm_example_pattern();
    const PmFormerName former = {.at = 1000000, .thread = 1, .name = "pool-1-thread-3"};
    recording->former_names = g_memdup2(&former, sizeof former);
    recording->n_former_names = 1;
    g_autoptr(PmFilter) filter = pm_filter_new();
    g_autoptr(PmView) view = pm_view_new(recording, filter, NULL);
    for (guint i = 0; i < G_N_ELEMENTS(aspects); i++) {
        g_autoptr(PmTree) aggregated = pm_tree_new(view, &aspects[i], 1, NULL);
        g_autoptr(GString) out = g_string_new(NULL);
        g_assert_true(pm_tree_write(aggregated, &text, out));
        g_assert_cmpint(strstr(out->str, "\n1 thread was renamed: ") != NULL, ==, i == 0);
    }
    g_assert_cmpstr(pm_recording_thread_name(recording, 1, 0), ==, "pool-1-thread-3");
    g_assert_cmpstr(pm_recording_thread_name(recording, 1, 1000000), ==,
                    recording->threads[1].name);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/report/golden/report", report_of_the_pattern);
    g_test_add_func("/report/golden/report-sorted-and-cut", report_sorted_and_cut);
    g_test_add_func("/report/golden/report-of-one-blocker", report_of_one_blocker);
    g_test_add_func("/report/golden/report-of-a-deadlock", report_of_a_deadlock);
    g_test_add_func("/report/golden/report-of-silence", report_of_silence);
    g_test_add_func("/report/golden/eighty-columns-are-enough", eighty_columns_are_enough);
    g_test_add_func("/report/golden/report-since-start", report_since_start);
    g_test_add_func("/report/golden/tree", tree_of_orders);
    g_test_add_func("/report/golden/tree-in-ascii", tree_in_ascii);
    g_test_add_func("/report/golden/tree-cut", tree_cut);
    g_test_add_func("/report/golden/now", now_in_a_deadlock);
    g_test_add_func("/report/golden/now-with-chains", now_with_chains);
    g_test_add_func("/report/golden/now-when-nobody-waits", now_when_nobody_waits);
    g_test_add_func("/report/golden/status", status_in_words);
    g_test_add_func("/report/status/refuses-what-is-none", status_that_is_none);
    g_test_add_func("/report/status/without-a-file", status_without_a_file);
    g_test_add_func("/report/status/what-there-is-of-each", status_of_what_there_is);
    g_test_add_func("/report/golden/verify", verify_in_words);
    g_test_add_func("/report/text/renamed-threads-are-told", renamed_threads_are_told);
    return g_test_run();
}
