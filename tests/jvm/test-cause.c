/* Who ended a wait and why, on programs that know it themselves. */
#include "tests/jvm/jvm.h"

#include <glib/gstdio.h>
#include <string.h>

/* Runs a workload to its end; its recording's tree by one aspect. */
static JsonNode *record(const char *workload, const char *filter, const char *by, char **ret_out)
{
    g_autofree char *recording = pm_jvm_path("cause.park");
    g_autoptr(PmJvm) jvm = pm_jvm_record(recording, "maxsize=64m", "%s", workload);
    JsonNode *tree;

    g_assert_cmpint(pm_jvm_wait(jvm), ==, 0);
    if (ret_out != NULL)
        *ret_out = pm_jvm_stdout(jvm);
    tree = pm_parkctl_json("tree %s --idle --limit=0 --by=%s %s", recording, by, filter);
    g_unlink(recording);
    return tree;
}

static JsonObject *node_of(JsonNode *tree, const char *key)
{
    JsonArray *nodes = pm_json_array(tree, "nodes");

    for (guint i = 0; i < json_array_get_length(nodes); i++) {
        JsonObject *node = json_array_get_object_element(nodes, i);
        if (g_strcmp0(pm_json_string(node, "key"), key) == 0)
            return node;
    }
    return NULL;
}

/* The waits under `key` as a share of all. */
static double share_of_waits(JsonNode *tree, const char *key)
{
    JsonArray *nodes = pm_json_array(tree, "nodes");
    JsonObject *node = node_of(tree, key);
    double all = 0;

    for (guint i = 0; i < json_array_get_length(nodes); i++)
        all += (double)pm_json_int(json_array_get_object_element(nodes, i), "count");
    return node == NULL || all == 0 ? 0 : (double)pm_json_int(node, "count") / all;
}

static char *complain(JsonNode *tree, const char *what)
{
    g_autofree char *text = json_to_string(tree, FALSE);

    return g_strdup_printf("%s: %s", what, text);
}

/* -- wakers -- */

static char *waker(void)
{
    g_autoptr(JsonNode) tree = record("HandOff 1 0", "--thread=player-1", "waker", NULL);

    return share_of_waits(tree, "player-2") < 0.95 ? complain(tree, "player-2 wakes player-1")
                                                   : NULL;
}

/* -- causes -- */

/* NULL when at least that share of the waits ended so. */
static char *mostly(const char *cause, double share, const char *workload, const char *filter)
{
    g_autoptr(JsonNode) tree = record(workload, filter, "wake-cause", NULL);

    return share_of_waits(tree, cause) < share ? complain(tree, cause) : NULL;
}

static char *time_out(void)
{
    return mostly("timeout", 0.95, "Stretches 2 50", "--class=Stretches$Stretch");
}

/* To the nanosecond, though the program counts in milliseconds. */
static char *deadline(void)
{
    return mostly("timeout", 0.95, "Deadlines 100", "--class=Deadlines$Deadline");
}

static char *interrupt(void)
{
    return mostly("interrupt", 0.9, "Interrupts 50", "--thread=sleeper-1");
}

static char *permit(void)
{
    return mostly("permit", 0.95, "ManyBlockers 2000", "--class=ManyBlockers$Brief");
}

static char *release(void)
{
    return mostly("release", 0.9, "LargeCriticalSection 8 3", "--group=worker-*");
}

/* The findings of a program that calls System.gc six times, in one method. Owned. */
static JsonNode *findings_of_calls(const char *flags)
{
    g_autofree char *recording = pm_jvm_path("cause.park");
    g_autoptr(PmJvm) jvm =
        pm_jvm_record(recording, "maxsize=64m", "-XX:+UseSerialGC %s GcPauses 6 4", flags);

    g_assert_cmpint(pm_jvm_wait(jvm), ==, 0);
    JsonNode *answer = pm_parkctl_json("findings %s", recording);
    g_unlink(recording);
    return answer;
}

static char *explicit_gc(void)
{
    g_autoptr(JsonNode) answer = findings_of_calls("");
    g_autofree char *text = json_to_string(answer, FALSE);
    return strstr(text, "GcPauses.collect requests them") != NULL &&
                   strstr(text, "requested at least 6 times, mostly by collector-1") != NULL
               ? NULL
               : complain(answer, "collector-1 asks six times");
}

/* The JVM ignores them, and collects as it allocates: no collection is of their asking. */
static char *ignored_gc(void)
{
    g_autoptr(JsonNode) answer = findings_of_calls("-XX:+DisableExplicitGC -Xmn8m");
    g_autofree char *text = json_to_string(answer, FALSE);
    return strstr(text, "GC pauses stop the program") != NULL && strstr(text, "requested") == NULL
               ? NULL
               : complain(answer, "pauses that nobody asks for");
}

int main(int argc, char **argv)
{
    pm_jvm_init(&argc, &argv);
    pm_jvm_add_attempts("/cause/the-waker-is-named", 4, waker);
    pm_jvm_add_attempts("/cause/timeout", 4, time_out);
    pm_jvm_add_attempts("/cause/who-asks-for-collections", 4, explicit_gc);
    pm_jvm_add_attempts("/cause/nobody-asks-for-what-is-ignored", 4, ignored_gc);
    pm_jvm_add_attempts("/cause/deadline", 4, deadline);
    pm_jvm_add_attempts("/cause/interrupt", 4, interrupt);
    pm_jvm_add_attempts("/cause/permit", 4, permit);
    pm_jvm_add_attempts("/cause/release", 4, release);
    return pm_jvm_run();
}
