/* Many threads, many blockers, little room: the counters stay exact. */
#include "tests/jvm/jvm.h"

#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

/* Runs a workload to its end; compares the parks it counted (`parks N`) with those in the ledger.
 */
static void count(const char *extra_options, const char *arguments, const char *class,
                  bool expect_drops)
{
    g_autofree char *recording = pm_jvm_path("bounds.park");
    g_autofree char *options = g_strdup_printf("file=%s,maxsize=32m%s", recording, extra_options);
    g_autoptr(PmJvm) jvm = pm_jvm_start(options, arguments);
    g_autofree char *line = pm_jvm_wait_line(jvm, "parks ", 1);
    int64_t counted = g_ascii_strtoll(line + strlen("parks "), NULL, 10);
    g_autoptr(JsonNode) report = NULL;
    JsonArray *blockers;
    int64_t recorded = 0, dropped;

    g_assert_cmpint(pm_jvm_wait(jvm), ==, 0);
    report = pm_parkctl_json("report %s --since-start --idle --limit=0", recording);
    blockers = json_object_get_array_member(json_node_get_object(report), "blockers");
    for (guint i = 0; i < json_array_get_length(blockers); i++) {
        JsonObject *row = json_array_get_object_element(blockers, i);
        if (g_strcmp0(pm_json_string(row, "class"), class) == 0)
            recorded += pm_json_int(row, "times_parked");
    }
    dropped = pm_json_int(json_object_get_object_member(json_node_get_object(report), "recording"),
                          "dropped");
    g_unlink(recording);
    g_assert_cmpint(recorded, ==, counted);
    if (expect_drops)
        g_assert_cmpint(dropped, >, 0);
}

static void test_many_threads(void)
{
    count("", "ManyThreads 500 3 100", "ManyThreads$Parker", false);
}

static void test_many_blockers(void)
{
    count("", "-Xmx64m ManyBlockers 200000", "ManyBlockers$Brief", false);
}

static void test_counters_only(void)
{
    count(",events=off", "ManyThreads 50 2", "ManyThreads$Parker", false);
}

static void test_tiny_buffers(void)
{
    count(",test_buffer=4", "ManyThreads 50 2 1", "ManyThreads$Parker", false);
}

int main(int argc, char **argv)
{
    pm_jvm_init(&argc, &argv);
    pm_jvm_add("/bounds/many-threads-are-counted-exactly", test_many_threads);
    pm_jvm_add("/bounds/short-lived-blockers-are-counted-exactly", test_many_blockers);
    pm_jvm_add("/bounds/counters-only-are-exact", test_counters_only);
    pm_jvm_add("/bounds/full-buffers-are-counted-exactly", test_tiny_buffers);
    return pm_jvm_run();
}
