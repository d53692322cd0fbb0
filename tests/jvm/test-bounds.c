/* Many threads, many blockers, little room: the counters stay exact. */
#include "tests/jvm/jvm.h"

#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

/* Runs a workload to its end; compares the parks it counted (`parks N`) with those in the ledger.
 * Why they differ, or NULL: a JVM that ends takes at most a second to flush, which a starved
 * machine may not give it. */
static char *count(const char *extra_options, const char *arguments, const char *class)
{
    g_autofree char *recording = pm_jvm_path("bounds.park");
    g_autofree char *options = g_strdup_printf("file=%s,maxsize=32m%s", recording, extra_options);
    g_autoptr(PmJvm) jvm = pm_jvm_start(options, arguments);
    g_autofree char *line = pm_jvm_wait_line(jvm, "parks ", 1);
    int64_t counted = g_ascii_strtoll(line + strlen("parks "), NULL, 10);

    g_assert_cmpint(pm_jvm_wait(jvm), ==, 0);
    int64_t recorded = pm_recorded_times(recording, class, NULL);
    g_unlink(recording);
    if (recorded == counted)
        return NULL;
    return g_strdup_printf("recorded %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " parks", recorded,
                           counted);
}

static char *many_threads(void)
{
    return count("", "ManyThreads 500 3 100", "ManyThreads$Parker");
}

/* Amid a hundred thousand blockers a second, each waited on once and counted with the others of its
 * site, one that is waited on again and again has a row of its own. */
static char *many_blockers(void)
{
    g_autofree char *recording = pm_jvm_path("lasting.park");
    g_autoptr(PmJvm) jvm = pm_jvm_record(recording, "maxsize=32m", "-Xmx64m ManyBlockers 400000");
    g_autofree char *line = pm_jvm_wait_line(jvm, "lasting ", 1);
    g_autofree char *others = pm_jvm_wait_line(jvm, "parks ", 1);
    int64_t counted = g_ascii_strtoll(line + strlen("lasting "), NULL, 10);
    int64_t brief = g_ascii_strtoll(others + strlen("parks "), NULL, 10);
    g_autoptr(JsonNode) report = NULL;
    JsonArray *blockers;
    int64_t recorded = 0, most = 0, recorded_brief;

    g_assert_cmpint(pm_jvm_wait(jvm), ==, 0);
    recorded_brief = pm_recorded_times(recording, "ManyBlockers$Brief", NULL);
    report = pm_parkctl_json("report %s --since-start --idle --limit=0", recording);
    blockers = pm_json_array(report, "blockers");
    for (guint i = 0; i < json_array_get_length(blockers); i++) {
        JsonObject *row = json_array_get_object_element(blockers, i);
        if (g_strcmp0(pm_json_string(row, "class"), "ManyBlockers$Lasting") == 0) {
            recorded += pm_json_int(row, "times_parked");
            if (pm_json_string(row, "hash")) /* null: the row of many */
                most = MAX(most, pm_json_int(row, "times_parked"));
        }
    }
    g_unlink(recording);
    if (recorded_brief != brief)
        return g_strdup_printf("recorded %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " parks",
                               recorded_brief, brief);
    if (recorded == counted && most > counted / 2)
        return NULL;
    return g_strdup_printf("recorded %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT
                           " parks, %" G_GINT64_FORMAT " in one row",
                           recorded, counted, most);
}

static char *counters_only(void)
{
    return count(",events=off", "ManyThreads 50 2", "ManyThreads$Parker");
}

static char *tiny_buffers(void)
{
    return count(",test_buffer=4", "ManyThreads 50 1 1", "ManyThreads$Parker");
}

static char *few_slots(void)
{
    return count(",test_slots=20", "ManyThreads 50 1 1", "ManyThreads$Parker");
}

/* Waits of pool threads without a task: none is stored, all are counted, and the gap is told. */
static void test_idle_off(void)
{
    g_autofree char *recording = pm_jvm_path("idle.park");
    g_autoptr(PmJvm) jvm = pm_jvm_record(recording, "maxsize=16m,idle=off", "Futures 1 1 2");

    g_assert_cmpint(pm_jvm_wait(jvm), ==, 0);
    g_autoptr(JsonNode) tree =
        pm_parkctl_json("tree %s --idle --limit=0 --category=pool-idle --by=kind", recording);
    g_autoptr(JsonNode) report = pm_parkctl_json("report %s --idle --limit=0", recording);
    JsonObject *facts = json_object_get_object_member(json_node_get_object(report), "recording");
    JsonObject *not_stored = json_object_get_object_member(facts, "not_stored");

    g_assert_cmpint(pm_json_int(json_node_get_object(tree), "count"), ==, 0);
    g_assert_cmpint(pm_json_int(facts, "waits"), >, 0);
    g_assert_cmpint(pm_json_int(not_stored, "count"), >, 0);
    g_assert_cmpint(pm_json_int(facts, "dropped"), ==, 0);
}

/* -- objects that the JVM's collectors move -- */

/* `flags`: of a collector; a JVM that does not have it passes. Why not, or NULL: a starved JVM may
 * end before all is written. */
static char *count_moved(const char *flags)
{
    static const char *const classes[] = {"North", "East", "South", "West"};
    g_autofree char *recording = pm_jvm_path("moved.park");
    g_autoptr(PmJvm) jvm =
        pm_jvm_record(recording, "maxsize=16m", "-Xmx64m %s MovedBlockers 0.5", flags);
    char *why = NULL;

    if (pm_jvm_wait(jvm) != 0) {
        g_autofree char *err = pm_jvm_stderr(jvm);
        g_test_message("%s: %s", flags, err);
        g_assert_true(strstr(err, "Unrecognized VM option") || strstr(err, "not supported"));
        return NULL;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(classes) && !why; i++) {
        g_autofree char *line = pm_jvm_wait_line(jvm, classes[i], 1);
        g_autofree char *class = g_strdup_printf("MovedBlockers$%s", classes[i]);
        gint64 parks = g_ascii_strtoll(strrchr(line, ' '), NULL, 10);
        gint64 recorded = pm_recorded_times(recording, class, "park");

        g_assert_cmpint(parks, >, 0);
        g_assert_cmpint(recorded, <=, parks);
        if (recorded != parks)
            why = g_strdup_printf("%s: %" G_GINT64_FORMAT " of %s", flags, recorded, line);
    }
    g_unlink(recording);
    return why;
}

static char *moved(void)
{
    static const char *const flags[] = {
        "-XX:+UseG1GC",         "-XX:+UseSerialGC -XX:-UseCompressedOops",          "-XX:+UseZGC",
        "-XX:+UseShenandoahGC", "-XX:+UseParallelGC -XX:ObjectAlignmentInBytes=32",
    };
    char *why = NULL;

    for (size_t i = 0; i < G_N_ELEMENTS(flags) && !why; i++)
        why = count_moved(flags[i]);
    return why;
}

int main(int argc, char **argv)
{
    pm_jvm_init(&argc, &argv);
    pm_jvm_add_attempts("/bounds/many-threads-are-counted-exactly", 4, many_threads);
    pm_jvm_add_attempts("/bounds/short-lived-blockers-are-counted-and-a-lasting-one-has-a-row", 4,
                        many_blockers);
    pm_jvm_add_attempts("/bounds/counters-only-are-exact", 4, counters_only);
    pm_jvm_add("/bounds/idle-waits-are-counted-not-stored", test_idle_off);
    pm_jvm_add_attempts("/bounds/full-buffers-are-counted-exactly", 4, tiny_buffers);
    pm_jvm_add_attempts("/bounds/threads-without-a-slot-lose-no-count", 4, few_slots);
    pm_jvm_add_attempts("/bounds/blockers-that-a-collector-moves-are-told-apart", 4, moved);
    return pm_jvm_run();
}
