/* Two witnesses of the same process say the same: what the program itself measured (both lock
 * patterns of the thesis), and JFR at threshold 0. */
#include "tests/jvm/jvm.h"

#include <glib/gstdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- the thesis' patterns: the right lock first, its hold time as long as it was -- */

static char *pattern(const char *workload, const char *bottleneck, const char *line_name)
{
    g_autofree char *recording = pm_jvm_path("%s.park", workload);
    g_autofree char *dump = pm_jvm_path("%s-dump.park", workload);
    g_autoptr(PmJvm) jvm = pm_jvm_record(recording, "maxsize=16m", "%s 64 6", workload);
    g_autofree char *line = NULL;
    g_auto(PmRun) run = {0};
    g_autoptr(JsonNode) report = NULL;
    g_autofree char *chain = NULL;
    JsonArray *blockers;
    JsonObject *row;
    double held_ns, hold_ns;

    g_free(pm_jvm_wait_line(jvm, "ready", 1));
    g_usleep(4 * G_USEC_PER_SEC);
    pm_parkctl(&run, "%d dump filename=%s", pm_jvm_pid(jvm), dump);
    if (run.status != 0)
        g_error("dump: %s%s", run.out, run.err);
    line = pm_jvm_wait_line(jvm, line_name, 1); /* NAME TAKEN HELD_NS */
    pm_jvm_wait(jvm);
    held_ns = g_ascii_strtod(strrchr(line, ' '), NULL);

    report = pm_parkctl_json("report %s", dump);
    blockers = pm_json_array(report, "blockers");
    g_assert_cmpuint(json_array_get_length(blockers), >=, 2);
    row = json_array_get_object_element(blockers, 0);
    chain = pm_json_lines(row, "first_chain");
    g_unlink(recording);
    g_unlink(dump);
    if (strstr(chain, bottleneck) == NULL)
        return g_strdup_printf("%s is not first but:\n%s", bottleneck, chain);
    g_assert_nonnull(strstr(pm_json_string(row, "class"), "ReentrantLock"));
    g_assert_cmpint(pm_json_int(row, "peak_parked"), <=, 64);
    hold_ns = pm_json_double(row, "avg_hold_ns");
    if (fabs(hold_ns - held_ns) > held_ns / 10)
        return g_strdup_printf("average hold %.0f ns, the holders saw %.0f", hold_ns, held_ns);
    return NULL;
}

static char *large(void)
{
    return pattern("LargeCriticalSection", "LargeCriticalSection.third", "third");
}

static char *frequent(void)
{
    return pattern("FrequentlyAcquiredLock", "FrequentlyAcquiredLock.frequent", "frequent");
}

/* -- JFR -- */

struct witness {
    int64_t parks;
    int64_t total_ns;
};

static GHashTable *witnesses_new(void)
{
    return g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
}

static struct witness *witness_of(GHashTable *classes, const char *class)
{
    struct witness *witness = g_hash_table_lookup(classes, class);

    if (witness == NULL) {
        witness = g_new0(struct witness, 1);
        g_hash_table_insert(classes, g_strdup(class), witness);
    }
    return witness;
}

static GHashTable *ask_jfr(const char *file, const char *threads)
{
    GHashTable *classes = witnesses_new();
    g_auto(PmRun) run = {0};

    pm_jvm_run_java(&run, "FlightRecording %s %s", file, threads);
    if (run.status != 0)
        g_error("FlightRecording: %s%s", run.out, run.err);
    g_auto(GStrv) lines = g_strsplit(run.out, "\n", -1);
    for (char **line = lines; *line != NULL; line++) {
        g_auto(GStrv) words = g_strsplit(*line, " ", 3);
        if (g_strv_length(words) != 3)
            continue;
        struct witness *witness = witness_of(classes, words[0]);
        witness->parks = g_ascii_strtoll(words[1], NULL, 10);
        witness->total_ns = g_ascii_strtoll(words[2], NULL, 10);
    }
    return classes;
}

static GHashTable *ask_parkctl(const char *file, const char *threads)
{
    GHashTable *classes = witnesses_new();
    g_autoptr(JsonNode) report =
        pm_parkctl_json("report %s --idle --limit=0 --group=%s*", file, threads);
    JsonArray *blockers = pm_json_array(report, "blockers");

    for (guint i = 0; i < json_array_get_length(blockers); i++) {
        JsonObject *row = json_array_get_object_element(blockers, i);
        struct witness *witness = witness_of(classes, pm_json_string(row, "class"));
        witness->parks += pm_json_int(row, "times_parked");
        witness->total_ns += pm_json_int(row, "thread_time_ns");
    }
    return classes;
}

/* JFR's settings, copied to a path without spaces. */
static char *jfr_settings(void)
{
    g_autofree char *source = g_test_build_filename(G_TEST_DIST, "parks.jfc", NULL);
    char *path = pm_jvm_path("parks.jfc");
    g_autofree char *text = NULL;
    g_autoptr(GError) error = NULL;

    g_file_get_contents(source, &text, NULL, &error);
    g_assert_no_error(error);
    g_file_set_contents(path, text, -1, &error);
    g_assert_no_error(error);
    return path;
}

/* All threads of the workload begin and end while both record. */
static char *beside_jfr(const char *workload, const char *arguments, const char *threads)
{
    g_autofree char *settings = jfr_settings();
    g_autofree char *recording = pm_jvm_path("jfr.park");
    g_autofree char *jfr = pm_jvm_path("jfr.jfr");
    g_autoptr(PmJvm) jvm = pm_jvm_record(recording, "maxsize=64m",
                                         "-XX:StartFlightRecording:filename=%s,settings=%s %s %s",
                                         jfr, settings, workload, arguments);
    g_autoptr(GHashTable) theirs = NULL, ours = NULL;
    GHashTableIter iter;
    gpointer class, value;
    GString *why = g_string_new(NULL);

    g_assert_cmpint(pm_jvm_wait(jvm), ==, 0);
    theirs = ask_jfr(jfr, threads);
    ours = ask_parkctl(recording, threads);
    g_unlink(jfr);
    g_unlink(recording);
    if (g_hash_table_size(theirs) == 0)
        g_string_append(why, "JFR saw no park; ");
    g_hash_table_iter_init(&iter, theirs);
    while (g_hash_table_iter_next(&iter, &class, &value)) {
        struct witness *jfr_saw = value;
        struct witness *we_saw = witness_of(ours, class);
        int64_t allowed_ns = jfr_saw->total_ns / 100 + 5000 * jfr_saw->parks;

        g_test_message("%s %s: JFR %" G_GINT64_FORMAT " parks, %" G_GINT64_FORMAT
                       " ns; we %" G_GINT64_FORMAT ", %" G_GINT64_FORMAT " ns",
                       workload, (char *)class, jfr_saw->parks, jfr_saw->total_ns, we_saw->parks,
                       we_saw->total_ns);
        if (we_saw->parks != jfr_saw->parks ||
            llabs(we_saw->total_ns - jfr_saw->total_ns) > allowed_ns)
            g_string_append_printf(why,
                                   "%s: JFR %" G_GINT64_FORMAT " parks, %" G_GINT64_FORMAT
                                   " ns; we %" G_GINT64_FORMAT ", %" G_GINT64_FORMAT " ns; ",
                                   (char *)class, jfr_saw->parks, jfr_saw->total_ns, we_saw->parks,
                                   we_saw->total_ns);
    }
    return g_string_free(why, why->len == 0);
}

static char *large_beside_jfr(void)
{
    return beside_jfr("LargeCriticalSection", "16 3", "worker-");
}

static char *frequent_beside_jfr(void)
{
    return beside_jfr("FrequentlyAcquiredLock", "16 3", "worker-");
}

static char *hand_off_beside_jfr(void)
{
    return beside_jfr("HandOff", "1 0", "player-");
}

int main(int argc, char **argv)
{
    pm_jvm_init(&argc, &argv);
    pm_jvm_add_attempts("/truth/large-critical-section-is-first-and-held-as-long", 4, large);
    pm_jvm_add_attempts("/truth/frequently-acquired-lock-is-first-and-held-as-long", 4, frequent);
    pm_jvm_add_attempts("/truth/jfr-counts-the-same-parks-of-the-large-section", 4,
                        large_beside_jfr);
    pm_jvm_add_attempts("/truth/jfr-counts-the-same-parks-of-the-frequent-lock", 4,
                        frequent_beside_jfr);
    pm_jvm_add_attempts("/truth/jfr-counts-the-same-parks-of-a-hand-off", 4, hand_off_beside_jfr);
    return pm_jvm_run();
}
