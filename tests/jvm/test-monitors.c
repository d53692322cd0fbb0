/* Contended `synchronized` and Object.wait, on a program that knows their number. */
#include "tests/jvm/jvm.h"

#include <string.h>

static JsonObject *find(JsonArray *nodes, const char *key)
{
    for (guint i = 0; i < json_array_get_length(nodes); i++) {
        JsonObject *node = json_array_get_object_element(nodes, i);
        if (g_str_has_prefix(pm_json_string(node, "key"), key))
            return node;
    }
    return NULL;
}

static JsonArray *children_of(JsonObject *node)
{
    return json_object_get_array_member(node, "children");
}

static void record(const char *name, const char *arguments, char **ret_recording)
{
    *ret_recording = pm_jvm_path("%s.park", name);
    g_autoptr(PmJvm) jvm = pm_jvm_record(*ret_recording, "maxsize=16m", "%s", arguments);

    g_assert_cmpint(pm_jvm_wait(jvm), ==, 0);
    /* -Xcheck:jni has nothing to say of us */
    g_autofree char *err = pm_jvm_stderr(jvm);
    g_assert_null(strstr(err, "native method"));
    g_assert_null(strstr(err, "parkmeter"));
}

static JsonNode *waits_of(const char *recording, const char *kind, const char *options)
{
    return pm_parkctl_json("tree %s --idle --limit=0 --kind=%s %s", recording, kind, options);
}

/* 20 entrants blocked once each, each by its round's holder. */
static char *enter(void)
{
    g_autofree char *recording = NULL;
    record("enter", "-Xcheck:jni Monitors 20", &recording);
    g_autoptr(JsonNode) tree = waits_of(recording, "enter", "--group=entrant-* --by=site,owner");
    JsonObject *site = find(pm_json_array(tree, "nodes"), "Monitors.enter (");
    guint n_owners = 0;

    if (!site)
        g_error("no such site in %s", json_to_string(tree, TRUE));
    if (pm_json_int(site, "count") != 20)
        return g_strdup_printf("%" G_GINT64_FORMAT " of 20 entries", pm_json_int(site, "count"));
    for (guint i = 0; i < json_array_get_length(children_of(site)); i++) {
        JsonObject *owner = json_array_get_object_element(children_of(site), i);
        n_owners += g_str_has_prefix(pm_json_string(owner, "key"), "holder-");
    }
    /* The owner is read without a lock; a few may be "not known", none may be another thread. */
    return n_owners >= 18 ? NULL : g_strdup_printf("%u of 20 owners", n_owners);
}

static char *object_wait(void)
{
    g_autofree char *recording = NULL;
    record("wait", "Monitors 20", &recording);
    g_autoptr(JsonNode) listeners =
        waits_of(recording, "wait", "--group=listener-* --by=site,wake-cause");
    JsonObject *listen = find(pm_json_array(listeners, "nodes"), "Monitors.listen (");
    g_autoptr(JsonNode) notifiers =
        waits_of(recording, "wait", "--group=listener-* --by=site,waker");
    JsonObject *notified = find(pm_json_array(notifiers, "nodes"), "Monitors.listen (");
    g_autoptr(JsonNode) dozers = waits_of(recording, "wait", "--thread=dozer --by=site,wake-cause");
    JsonObject *doze = find(pm_json_array(dozers, "nodes"), "Monitors.doze (");

    if (!listen || !doze)
        g_error("no such site in %s or %s", json_to_string(listeners, TRUE),
                json_to_string(dozers, TRUE));
    if (pm_json_int(listen, "count") != 20 || pm_json_int(doze, "count") != 20)
        return g_strdup_printf("%" G_GINT64_FORMAT " and %" G_GINT64_FORMAT " of 20 waits",
                               pm_json_int(listen, "count"), pm_json_int(doze, "count"));
    g_assert_nonnull(find(children_of(listen), "notify"));
    guint n_writers = 0;
    for (guint i = 0; i < json_array_get_length(children_of(notified)); i++) {
        JsonObject *waker = json_array_get_object_element(children_of(notified), i);
        n_writers += g_str_has_prefix(pm_json_string(waker, "key"), "writer-");
    }
    /* A note of another object may stand in the way of one or two; no other thread is named. */
    if (n_writers < 18)
        return g_strdup_printf("%u of 20 notifiers", n_writers);
    g_assert_nonnull(find(children_of(doze), "timeout"));
    return json_array_get_length(children_of(doze)) == 1 ? NULL
                                                         : g_strdup("a doze ended otherwise");
}

/* What each of the workload's threads ends its waits by, as often as it says. */
static char *ends(void)
{
    static const struct {
        const char *thread, *cause;
        int64_t count;
    } rows[] = {{"notified", "notify", 20},   {"late", "notify", 10},
                {"timed", "timeout", 10},     {"interrupted", "interrupt", 10},
                {"flagged", "interrupt", 10}, {"joined", "completion", 10},
                {"throws", NULL, 0},          {"twice", "notify", 10}};
    g_autofree char *recording = NULL;
    record("ends", "WaitEnds", &recording);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(JsonNode) tree =
            pm_parkctl_json("tree %s --idle --limit=0 --kind=wait --thread=%s --by=wake-cause",
                            recording, rows[i].thread);
        JsonArray *nodes = pm_json_array(tree, "nodes");
        JsonObject *node = rows[i].cause ? find(nodes, rows[i].cause) : NULL;
        if (json_array_get_length(nodes) != (rows[i].cause ? 1 : 0) ||
            (node && pm_json_int(node, "count") != rows[i].count))
            return g_strdup_printf("%s: %s", rows[i].thread, json_to_string(tree, TRUE));
    }
    /* Whoever notified it once more found it on its way. */
    g_autoptr(JsonNode) twice = waits_of(recording, "wait", "--thread=twice --by=waker-site");
    g_autoptr(JsonNode) who = waits_of(recording, "wait", "--thread=twice --by=cause");
    JsonObject *first = find(pm_json_array(twice, "nodes"), "WaitEnds.first (");
    JsonObject *waker = find(pm_json_array(who, "nodes"), "main");
    return first && waker && pm_json_int(first, "count") == 10 &&
                   pm_json_double(waker, "inferred_share") > 0.9
               ? NULL
               : g_strdup_printf("twice: %s", json_to_string(twice, TRUE));
}

struct question {
    int pid;
    char *text;
};

static bool sees_deadlock(void *context)
{
    struct question *question = context;
    g_auto(PmRun) run = {0};

    pm_parkctl(&run, "%d now", question->pid);
    g_free(question->text);
    question->text = g_strdup(run.out);
    return run.status == 0 && strstr(run.out, "DEADLOCK") && strstr(run.out, "monitor-first") &&
           strstr(run.out, "lock-first");
}

/* One thread in `synchronized`, the other in lock(): a circle of both kinds. */
static void test_mixed_deadlock(void)
{
    g_autofree char *recording = pm_jvm_path("mixed.park");
    g_autoptr(PmJvm) jvm = pm_jvm_record(recording, "maxsize=16m", "Monitors deadlock");
    struct question question = {pm_jvm_pid(jvm), NULL};

    g_free(pm_jvm_wait_line(jvm, "ready", 1));
    if (!pm_poll(sees_deadlock, &question))
        g_error("no deadlock seen; the last answer: %s", question.text);
    g_free(question.text);
}

static void test_off(void)
{
    g_autofree char *recording = pm_jvm_path("off.park");
    g_autoptr(PmJvm) jvm = pm_jvm_record(recording, "maxsize=16m,monitors=off", "Monitors 3");

    g_assert_cmpint(pm_jvm_wait(jvm), ==, 0);
    g_autoptr(JsonNode) tree = pm_parkctl_json("tree %s --idle --limit=0 --by=kind", recording);
    g_assert_null(find(pm_json_array(tree, "nodes"), "synchronized"));
    g_assert_null(find(pm_json_array(tree, "nodes"), "Object.wait"));
}

/* A park inside a contended enter, as another agent can bring about: both count. */
static void test_nested(void)
{
    g_autofree char *recording = pm_jvm_path("nested.park");
    g_autoptr(PmJvm) jvm = pm_jvm_record(recording, "maxsize=16m", "-agentpath:%s Nested",
                                         g_getenv("PM_NESTING_AGENT"));
    g_autofree char *line = pm_jvm_wait_line(jvm, "entered ", 1);
    g_auto(GStrv) words = g_strsplit(line, " ", 4);
    g_assert_cmpint(pm_jvm_wait(jvm), ==, 0);
    /* The VM's own enters, as threads end, may add to the 20. */
    gint64 n_parked = g_ascii_strtoll(words[3], NULL, 10);
    g_assert_cmpint(n_parked, >=, 20);
    g_assert_cmpint(pm_recorded_times(recording, "Nested$Inside", "park"), ==, n_parked);
    g_assert_cmpint(pm_recorded_times(recording, "java.lang.Object", "enter"), ==, 20);
}

/* 17 has an option with which asking for the owner of a lock that compiled code took would crash.
 */
static void test_heavy_monitors(void)
{
    g_autofree char *recording = NULL;
    if (pm_jvm_major() != 17) {
        g_test_skip("an option of 17");
        return;
    }
    record("heavy", "-Xcomp -XX:+UseHeavyMonitors Monitors 20", &recording);
}

static int64_t status_of(int pid, const char *member)
{
    g_autoptr(JsonNode) status = pm_parkctl_json("%d status", pid);
    return pm_json_int(json_node_get_object(status), member);
}

static bool reports_nothing(void *context)
{
    return status_of(*(int *)context, "monitor_events") == 0;
}

struct growth {
    int pid;
    int64_t least;
};

static bool has_recorded(void *context)
{
    const struct growth *growth = context;
    return status_of(growth->pid, "waits") >= growth->least;
}

/* The JVM is asked for its events while waits are recorded only: they cost each wait, whoever
 * listens. */
static void test_stopped(void)
{
    g_autofree char *recording = pm_jvm_path("stopped-monitors.park");
    g_autoptr(PmJvm) jvm =
        pm_jvm_record(recording, "maxsize=16m,paused", "MonitorHandOff 0 1 notify");
    int pid = pm_jvm_pid(jvm);
    int64_t n_waits = 0;

    g_free(pm_jvm_wait_line(jvm, "ready", 1));
    g_assert_true(pm_poll(reports_nothing, &pid));
    for (int i = 0; i < 2; i++) {
        g_assert_true(pm_parkctl_succeeds("%d start", pid));
        g_assert_cmpint(status_of(pid, "monitor_events"), ==, 2);
        struct growth growth = {pid, status_of(pid, "waits") + 100};
        g_assert_true(pm_poll(has_recorded, &growth));
        g_assert_true(pm_parkctl_succeeds("%d stop", pid));
        g_assert_true(pm_poll(reports_nothing, &pid));
        int64_t n = pm_recorded_times(recording, "java.lang.Object", "wait");
        g_assert_cmpint(n, >, n_waits + 10);
        n_waits = n;
    }
}

int main(int argc, char **argv)
{
    pm_jvm_init(&argc, &argv);
    pm_jvm_add_attempts("/jvm/monitors/each-blocked-entry-is-recorded-with-its-owner", 4, enter);
    pm_jvm_add_attempts("/jvm/monitors/each-object-wait-is-recorded-with-its-end", 4, object_wait);
    pm_jvm_add_attempts("/jvm/monitors/each-way-to-end-an-object-wait-is-told", 3, ends);
    pm_jvm_add("/jvm/monitors/a-deadlock-of-a-monitor-and-a-lock-is-seen", test_mixed_deadlock);
    pm_jvm_add("/jvm/monitors/off-records-none", test_off);
    pm_jvm_add("/jvm/monitors/stopped-asks-the-jvm-for-nothing", test_stopped);
    pm_jvm_add("/jvm/monitors/a-park-inside-an-entry-counts-as-well", test_nested);
    pm_jvm_add("/jvm/monitors/heavy-monitors-are-not-asked-for-their-owner", test_heavy_monitors);
    return pm_jvm_run();
}
