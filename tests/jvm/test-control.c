/* A running JVM is asked and told through its socket. */
#include "tests/jvm/jvm.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

static PmJvm *start(const char *recording, const char *arguments)
{
    PmJvm *jvm = pm_jvm_record(recording, "maxsize=16m", "%s", arguments);

    g_free(pm_jvm_wait_line(jvm, "ready", 1));
    return jvm;
}

static bool answers(void *context)
{
    g_auto(PmRun) run = {0};

    pm_parkctl(&run, "%d status", *(int *)context);
    return run.status == 0;
}

static void wait_until_it_answers(PmJvm *jvm)
{
    int pid = pm_jvm_pid(jvm);

    g_assert_true(pm_poll(answers, &pid));
}

static bool is_recording(PmJvm *jvm)
{
    g_autoptr(JsonNode) status = pm_parkctl_json("%d status", pm_jvm_pid(jvm));

    return json_object_get_boolean_member(json_node_get_object(status), "recording");
}

static void test_list(void)
{
    g_autofree char *recording = pm_jvm_path("list.park");
    g_autoptr(PmJvm) jvm = start(recording, "ParkedForever");
    g_autofree char *pid = g_strdup_printf("%d", pm_jvm_pid(jvm));
    g_auto(PmRun) run = {0};
    const char *line;

    wait_until_it_answers(jvm);
    pm_parkctl(&run, " ");
    g_assert_cmpint(run.status, ==, 0);
    line = strstr(run.out, pid);
    g_assert_nonnull(line);
    g_assert_nonnull(strstr(line, "ParkedForever"));
}

static void test_status(void)
{
    g_autofree char *recording = pm_jvm_path("status.park");
    g_autoptr(PmJvm) jvm = start(recording, "Stretches");
    g_autoptr(JsonNode) node = NULL;
    JsonObject *status;

    wait_until_it_answers(jvm);
    g_free(pm_jvm_wait_line(jvm, "stretch", 3));
    node = pm_parkctl_json("%d status", pm_jvm_pid(jvm));
    status = json_node_get_object(node);
    g_assert_cmpint(pm_json_int(status, "schema"), ==, 1);
    g_assert_cmpint(pm_json_int(status, "pid"), ==, pm_jvm_pid(jvm));
    g_assert_cmpstr(pm_json_string(status, "file"), ==, recording);
    g_assert_cmpint(pm_json_int(status, "maxsize"), ==, 16 << 20);
    g_assert_cmpint(pm_json_int(status, "dropped"), ==, 0);
    g_assert_cmpint(pm_json_int(status, "memory_bytes"), >, 0);
    g_assert_true(json_object_get_boolean_member(status, "recording"));
}

/* A JDK without a field: what is lost with it is told on stderr, by status and in the file. */
static void test_missing_field(void)
{
    g_autofree char *recording = pm_jvm_path("missing.park");
    g_autofree char *options =
        g_strdup_printf("file=%s,test_missing=exclusiveOwnerThread;_owner", recording);
    g_autoptr(PmJvm) jvm = pm_jvm_start(options, "Stretches");
    g_free(pm_jvm_wait_line(jvm, "ready", 1));
    wait_until_it_answers(jvm);
    g_autoptr(JsonNode) node = pm_parkctl_json("%d status", pm_jvm_pid(jvm));
    g_autofree char *err = pm_jvm_stderr(jvm);
    g_auto(PmRun) info = {0};

    g_assert_cmpstr(pm_json_string(json_node_get_object(node), "not_recorded"), ==,
                    "owners of locks, owners of monitors");
    g_assert_nonnull(strstr(err, "AbstractOwnableSynchronizer.exclusiveOwnerThread; not recorded: "
                                 "owners of locks"));
    g_assert_nonnull(strstr(err, "ObjectMonitor._owner; not recorded: owners of monitors"));
    pm_parkctl(&info, "info %s", recording);
    g_assert_cmpint(info.status, ==, 0);
    g_assert_nonnull(strstr(info.out, "owners of locks, owners of monitors"));
}

static void test_dump_nowhere(void)
{
    g_autofree char *recording = pm_jvm_path("nowhere.park");
    g_autofree char *nowhere = pm_jvm_path("no-such-folder/dump.park");
    g_autofree char *somewhere = pm_jvm_path("somewhere.park");
    g_autoptr(PmJvm) jvm = start(recording, "Stretches");
    g_auto(PmRun) run = {0};

    wait_until_it_answers(jvm);
    pm_parkctl(&run, "%d dump filename=%s", pm_jvm_pid(jvm), nowhere);
    g_assert_cmpint(run.status, ==, 1);
    g_assert_nonnull(strstr(run.err, nowhere));
    /* nothing is lost by it */
    g_assert_true(is_recording(jvm));
    g_assert_true(pm_parkctl_succeeds("%d dump filename=%s", pm_jvm_pid(jvm), somewhere));
    g_assert_true(pm_parkctl_succeeds("verify %s", somewhere));
}

static void test_no_recorder(void)
{
    g_autoptr(PmJvm) jvm = pm_jvm_start(NULL, "ParkedForever");
    g_auto(PmRun) run = {0};

    g_free(pm_jvm_wait_line(jvm, "ready", 1));
    pm_parkctl(&run, "%d status", pm_jvm_pid(jvm));
    g_assert_cmpint(run.status, ==, 1);
    g_assert_nonnull(strstr(run.err, "no recorder in this JVM"));
    g_assert_nonnull(strstr(run.err, "attach"));
    /* Listed on demand, with its program. */
    g_autofree char *row = g_strdup_printf("\n%d,ParkedForever,0,,0\n", pm_jvm_pid(jvm));
    g_auto(PmRun) all = {0}, others = {0};
    pm_parkctl(&all, "list --all --format=csv");
    g_assert_cmpint(all.status, ==, 0);
    g_assert_nonnull(strstr(all.out, row));
    pm_parkctl(&others, "list --format=csv");
    g_assert_null(strstr(others.out, row));
    g_assert_true(pm_jvm_alive(jvm));
}

static void test_live_report(void)
{
    g_autofree char *recording = pm_jvm_path("live.park");
    g_autoptr(PmJvm) jvm = start(recording, "LargeCriticalSection 8");
    g_autoptr(JsonNode) report = NULL, tree = NULL;
    JsonArray *rows;

    wait_until_it_answers(jvm);
    g_usleep(2 * G_USEC_PER_SEC);
    report = pm_parkctl_json("%d report", pm_jvm_pid(jvm));
    rows = pm_json_array(report, "blockers");
    g_assert_cmpuint(json_array_get_length(rows), >, 0);
    tree = pm_parkctl_json("%d tree --by=class,blocker,chain", pm_jvm_pid(jvm));
    rows = pm_json_array(tree, "nodes");
    g_assert_cmpuint(json_array_get_length(rows), >, 0);
}

/* Stop and start under load, many times: afterwards the file is whole and recording goes on. */
static void test_stop_and_start(void)
{
    g_autofree char *recording = pm_jvm_path("stop.park");
    g_autofree char *dump = pm_jvm_path("stop-dump.park");
    g_autoptr(PmJvm) jvm = start(recording, "HandOff");

    wait_until_it_answers(jvm);
    for (int i = 0; i < 50; i++) {
        g_assert_true(pm_parkctl_succeeds("%d stop", pm_jvm_pid(jvm)));
        if (i % 10 == 0)
            g_assert_false(is_recording(jvm));
        g_assert_true(pm_parkctl_succeeds("%d start", pm_jvm_pid(jvm)));
        if (i % 10 == 0)
            g_assert_true(is_recording(jvm));
    }
    g_assert_true(pm_parkctl_succeeds("%d dump filename=%s", pm_jvm_pid(jvm), dump));
    g_assert_true(pm_parkctl_succeeds("verify %s", dump));
    g_assert_true(pm_parkctl_succeeds("report %s", dump));
    g_assert_true(pm_jvm_alive(jvm));
}

static void test_set(void)
{
    g_autofree char *recording = pm_jvm_path("set.park");
    g_autoptr(PmJvm) jvm = start(recording, "Stretches");
    g_auto(PmRun) run = {0};

    wait_until_it_answers(jvm);
    g_assert_true(pm_parkctl_succeeds("%d set mintime=5ms", pm_jvm_pid(jvm)));
    pm_parkctl(&run, "%d set mintme=5ms", pm_jvm_pid(jvm));
    g_assert_cmpint(run.status, !=, 0);
    g_assert_nonnull(strstr(run.err, "mintme"));
    g_assert_true(is_recording(jvm));
}

static void test_attach(void)
{
    g_autofree char *recording = pm_jvm_path("attach.park");
    g_autoptr(PmJvm) jvm = pm_jvm_start(
        NULL, pm_jvm_major() >= 21 ? "-XX:+EnableDynamicAgentLoading LargeCriticalSection 8"
                                   : "LargeCriticalSection 8");
    g_autofree char *err_before = NULL, *out_before = NULL, *err = NULL, *out = NULL;
    g_autoptr(JsonNode) report = NULL;
    g_auto(PmRun) run = {0};

    g_free(pm_jvm_wait_line(jvm, "ready", 1));
    err_before = pm_jvm_stderr(jvm);
    out_before = pm_jvm_stdout(jvm);
    pm_parkctl(&run, "%d attach file=%s,maxsize=16m", pm_jvm_pid(jvm), recording);
    if (run.status != 0)
        g_error("attach: status %d\n%s%s", run.status, run.out, run.err);
    wait_until_it_answers(jvm);
    g_usleep(2 * G_USEC_PER_SEC);
    report = pm_parkctl_json("%d report", pm_jvm_pid(jvm));
    g_assert_cmpuint(json_array_get_length(pm_json_array(report, "blockers")), >, 0);
    g_assert_true(pm_jvm_alive(jvm));
    err = pm_jvm_stderr(jvm);
    out = pm_jvm_stdout(jvm);
    g_assert_cmpstr(err, ==, err_before);
    g_assert_cmpstr(out, ==, out_before);
}

/* Who stood still before the recorder came is there too. */
static bool sees_still(void *context)
{
    g_autoptr(JsonNode) now = pm_parkctl_json("%d now", *(int *)context);
    JsonArray *waits = pm_json_array(now, "waits");

    for (guint i = 0; i < json_array_get_length(waits); i++) {
        JsonObject *wait = json_array_get_object_element(waits, i);
        if (g_strcmp0(pm_json_string(wait, "thread"), "still-1") == 0)
            return true;
    }
    return false;
}

static void test_attach_late(void)
{
    g_autofree char *recording = pm_jvm_path("attach-late.park");
    g_autoptr(PmJvm) jvm =
        pm_jvm_start(NULL, pm_jvm_major() >= 21 ? "-XX:+EnableDynamicAgentLoading ParkedForever"
                                                : "ParkedForever");
    int pid = pm_jvm_pid(jvm);

    g_free(pm_jvm_wait_line(jvm, "ready", 1));
    g_usleep(G_USEC_PER_SEC / 2);
    g_assert_true(pm_parkctl_succeeds("%d attach file=%s,maxsize=16m", pid, recording));
    wait_until_it_answers(jvm);
    g_assert_true(pm_poll(sees_still, &pid));
    /* Not so virtual threads: that is said. */
    g_auto(PmRun) run = {0};
    pm_parkctl(&run, "%d status", pid);
    g_assert_cmpint(run.status, ==, 0);
    g_assert_true((strstr(run.out, "before the attach") != NULL) == (pm_jvm_major() >= 19));
}

int main(int argc, char **argv)
{
    pm_jvm_init(&argc, &argv);
    pm_jvm_add("/control/list-names-pid-and-main-class", test_list);
    pm_jvm_add("/control/status", test_status);
    pm_jvm_add("/control/what-the-jdk-lacks-is-told", test_missing_field);
    pm_jvm_add("/control/dump-onto-an-unwritable-path-loses-nothing", test_dump_nowhere);
    pm_jvm_add("/control/a-jvm-without-recorder-is-named", test_no_recorder);
    pm_jvm_add("/control/report-and-tree-of-a-running-jvm", test_live_report);
    pm_jvm_add("/control/stop-and-start-under-load", test_stop_and_start);
    pm_jvm_add("/control/set", test_set);
    pm_jvm_add("/control/attach-is-silent-and-records", test_attach);
    pm_jvm_add("/control/attach-sees-who-stood-still-before", test_attach_late);
    return pm_jvm_run();
}
