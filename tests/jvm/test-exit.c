/* What is in the file when the JVM has ended, in whatever way. The workload counts its parks
 * itself. */
#include "tests/jvm/jvm.h"

#include <glib/gstdio.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>

/* Parks on the workload's blocker in a recording; -1 when it holds none. */
static int64_t recorded_parks(const char *recording)
{
    g_autoptr(JsonNode) report = pm_parkctl_json("report %s --idle", recording);
    JsonArray *blockers = pm_json_array(report, "blockers");

    for (guint i = 0; i < json_array_get_length(blockers); i++) {
        JsonObject *row = json_array_get_object_element(blockers, i);
        if (g_strcmp0(pm_json_string(row, "class"), "Stretches$Stretch") == 0)
            return pm_json_int(row, "times_parked");
    }
    return -1;
}

static void verify(const char *recording)
{
    g_auto(PmRun) run = {0};

    pm_parkctl(&run, "verify %s", recording);
    if (run.status != 0)
        g_error("verify: %s%s", run.out, run.err);
}

/* Parks the workload had counted at its last stretch that ended before `until_ns`; 0 for none. */
static int64_t counted_parks(PmJvm *jvm, int64_t until_ns)
{
    g_autofree char *text = pm_jvm_stdout(jvm);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    int64_t parks = 0;

    for (char **line = lines; *line != NULL && line[1] != NULL; line++) {
        g_auto(GStrv) words = g_strsplit(*line, " ", -1);
        if (g_strv_length(words) == 4 && g_ascii_strtoll(words[3], NULL, 10) <= until_ns)
            parks = g_ascii_strtoll(words[2], NULL, 10);
    }
    return parks;
}

/* The longest time between two of its last stretches: how long this machine stalls. */
static int64_t longest_stall(PmJvm *jvm)
{
    g_autofree char *text = pm_jvm_stdout(jvm);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    int64_t before = 0, longest = 0;

    for (char **line = lines; *line != NULL && line[1] != NULL; line++) {
        g_auto(GStrv) words = g_strsplit(*line, " ", -1);
        if (g_strv_length(words) == 4) {
            int64_t at = g_ascii_strtoll(words[3], NULL, 10);
            if (before != 0)
                longest = MAX(longest, at - before);
            before = at;
        }
    }
    return longest;
}

/* Ends the JVM by a signal; what must be there is what was parked `age_ns` before it, and where
 * that is more than nothing, before the machine's own stall. */
static char *end_by(int signal, int64_t age_ns)
{
    g_autofree char *recording = pm_jvm_path("exit-%d.park", signal);
    g_autoptr(PmJvm) jvm =
        pm_jvm_record(recording, "maxsize=16m",
                      "-XX:-CreateCoredumpOnCrash -XX:+SuppressFatalErrorMessage Stretches 0 20");
    int64_t instant_ns, expected, all, recorded;

    g_free(pm_jvm_wait_line(jvm, "stretch", 30));
    instant_ns = g_get_monotonic_time() * 1000;
    pm_jvm_kill(jvm, signal);
    pm_jvm_wait(jvm);
    verify(recording);
    if (age_ns > 0)
        age_ns += longest_stall(jvm);
    expected = counted_parks(jvm, instant_ns - age_ns);
    all = counted_parks(jvm, INT64_MAX) + 20;
    recorded = recorded_parks(recording);
    g_unlink(recording);
    g_assert_cmpint(recorded, <=, all);
    if (expected == 0)
        return g_strdup("the machine stalled the whole time");
    if (recorded < expected)
        return g_strdup_printf("recorded %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " parks",
                               recorded, expected);
    return NULL;
}

static char *kill_it(void)
{
    return end_by(SIGKILL, 1000000000);
}

static char *crash_it(void)
{
    return end_by(SIGSEGV, 1000000000);
}

/* The clock is read after the last park of a stretch: none of them is missing. */
static char *terminate_it(void)
{
    return end_by(SIGTERM, 0);
}

static char *return_from_main(void)
{
    g_autofree char *recording = pm_jvm_path("exit-return.park");
    g_autoptr(PmJvm) jvm = pm_jvm_record(recording, "maxsize=16m", "Stretches 3 100");

    g_assert_cmpint(pm_jvm_wait(jvm), ==, 0);
    verify(recording);
    int64_t recorded = recorded_parks(recording);
    g_unlink(recording);
    return recorded == 300
               ? NULL
               : g_strdup_printf("recorded %" G_GINT64_FORMAT " of 300 parks", recorded);
}

/* At exit the recorder takes at most a second, which a starved machine may not give it. */
static void test_return(void)
{
    pm_attempts(4, return_from_main);
}

int main(int argc, char **argv)
{
    pm_jvm_init(&argc, &argv);
    pm_jvm_add("/exit/return-of-main-loses-nothing", test_return);
    pm_jvm_add_attempts("/exit/sigterm-loses-nothing", 4, terminate_it);
    pm_jvm_add_attempts("/exit/sigkill-loses-at-most-the-last-second", 5, kill_it);
    pm_jvm_add_attempts("/exit/crash-loses-at-most-the-last-second", 5, crash_it);
    return pm_jvm_run();
}
