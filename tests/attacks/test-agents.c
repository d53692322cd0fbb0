/* Other agents in the same JVM: that take Unsafe.park for themselves and give it back, before and
 * after the recorder, over and over; and caches of the JVM's own that an agent can forbid. Every
 * park is counted by all of them, or the recorder says that it is not. */
#include "tests/jvm/jvm.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

/* A path without blanks for what JAVA_TOOL_OPTIONS is to name. */
static char *linked(const char *name, const char *variable)
{
    char *link = pm_jvm_path("%s", name);
    g_unlink(link);
    g_assert_cmpint(symlink(g_getenv(variable), link), ==, 0);
    return link;
}

/* The workload's parks that a recording has. */
static gint64 recorded_parks(const char *recording)
{
    return pm_recorded_times(recording, "java.lang.Class", "park");
}

static gint64 number_after(const char *text, const char *word)
{
    const char *at = strstr(text, word);
    g_assert_nonnull(at);
    return g_ascii_strtoll(at + strlen(word), NULL, 10);
}

/* The other agent was there from the first park to the last, and missed none for our sake. On JDK
 * 21 the JVM's own cleaner parks, too. */
static void check_heard_all(gint64 its, gint64 parks)
{
    g_assert_cmpint(its, >=, parks);
    g_assert_cmpint(its, <=, parks + (pm_jvm_major() == 21 ? 4 : 0));
}

/* `manner`: the rebinder's letters. It comes before the recorder, or after it. */
static void share_a_jvm(const char *manner, bool before)
{
    g_autofree char *recording = pm_jvm_path("shared.park");
    g_autofree char *counts = pm_jvm_path("rebinder.txt");
    g_autofree char *rebinder = linked("rebinder.so", "PM_REBINDER");
    g_autofree char *other = g_strdup_printf("-agentpath:%s=%s=%s", rebinder, manner, counts);
    g_autofree char *seen = NULL;

    if (before)
        g_setenv("JAVA_TOOL_OPTIONS", other, TRUE);
    g_autoptr(PmJvm) jvm =
        pm_jvm_record(recording, "maxsize=32m", "%s -Xcheck:jni Chains 0.5 2", before ? "" : other);
    g_unsetenv("JAVA_TOOL_OPTIONS");
    g_autofree char *parks = pm_jvm_wait_line(jvm, "parks ", 1);
    g_assert_cmpint(pm_jvm_wait(jvm), ==, 0);
    g_assert_true(g_file_get_contents(counts, &seen, NULL, NULL));

    gint64 truth = number_after(parks, "parks "), its = number_after(seen, "rebinder ");
    g_test_message("%s %s: %" G_GINT64_FORMAT " parks, %" G_GINT64_FORMAT
                   " of them by way of the other agent",
                   manner, before ? "before" : "after", truth, its);
    g_assert_cmpint(recorded_parks(recording), ==, truth);
    g_assert_cmpint(its, >, 0);
    if (strcmp(manner, "i") == 0 || strcmp(manner, "e") == 0)
        check_heard_all(its, truth);
    g_unlink(recording);
    g_unlink(counts);
}

static void test_hooked_together(void)
{
    static const char *const manners[] = {"i", "it", "its", "ts", "tsc", "itsc", "e"};
    for (size_t i = 0; i < G_N_ELEMENTS(manners); i++) {
        share_a_jvm(manners[i], true);
        share_a_jvm(manners[i], false);
    }
}

/* Attached after a profiler that has hooked the native already: it goes on hearing of every park.
 */
static void test_attached_after_another(void)
{
    g_autofree char *recording = pm_jvm_path("second.park");
    g_autofree char *counts = pm_jvm_path("rebinder.txt");
    g_autofree char *rebinder = linked("rebinder.so", "PM_REBINDER");
    g_autofree char *arguments = g_strdup_printf(
        "%s -agentpath:%s=i=%s Chains 3 2",
        pm_jvm_major() >= 21 ? "-XX:+EnableDynamicAgentLoading" : "", rebinder, counts);
    g_autofree char *seen = NULL;
    g_autoptr(PmJvm) jvm = pm_jvm_start(NULL, arguments);

    g_free(pm_jvm_wait_line(jvm, "ready", 1));
    g_assert_true(pm_parkctl_succeeds("%d attach file=%s,maxsize=32m", pm_jvm_pid(jvm), recording));
    g_autofree char *parks = pm_jvm_wait_line(jvm, "parks ", 1);
    g_assert_cmpint(pm_jvm_wait(jvm), ==, 0);
    g_assert_true(g_file_get_contents(counts, &seen, NULL, NULL));
    check_heard_all(number_after(seen, "rebinder "), number_after(parks, "parks "));
    g_assert_cmpint(recorded_parks(recording), >, 1000);
    g_unlink(recording);
    g_unlink(counts);
}

static bool says_unseen(void *context)
{
    g_autoptr(JsonNode) node = pm_parkctl_json("%d status", pm_jvm_pid(context));
    return pm_json_int(json_node_get_object(node), "parks_unseen") > 0;
}

/* One that calls nobody else cannot be helped, but it is said. */
static void test_blinded_says_so(void)
{
    g_autofree char *recording = pm_jvm_path("blind.park");
    g_autofree char *rebinder = linked("rebinder.so", "PM_REBINDER");
    g_autoptr(PmJvm) jvm =
        pm_jvm_record(recording, "maxsize=8m", "-agentpath:%s=eb= ParkedForever", rebinder);
    g_auto(PmRun) status = {0}, info = {0};

    g_free(pm_jvm_wait_line(jvm, "ready", 1));
    g_assert_true(pm_poll(says_unseen, jvm));
    pm_parkctl(&status, "%d status", pm_jvm_pid(jvm));
    g_assert_nonnull(strstr(status.out, "another agent"));
    pm_jvm_kill(jvm, 15);
    pm_jvm_wait(jvm);
    pm_parkctl(&info, "info %s", recording);
    g_assert_nonnull(strstr(info.out, "parks that bypass the recorder"));
    g_unlink(recording);
}

/* Two of them from two places, as after an upgrade, or of two tools that bring one each: the first
 * records, the second says why it does not, and nobody else hears of it. */
static void test_second_recorder_stands_back(void)
{
    g_autofree char *recording = pm_jvm_path("first.park");
    g_autofree char *copy = pm_jvm_path("second.so");
    const char *const copying[] = {"/bin/cp", g_getenv("PM_AGENT"), copy, NULL};
    g_auto(PmRun) run = {0};

    pm_run_program(&run, copying);
    g_assert_cmpint(run.status, ==, 0);
    g_autoptr(PmJvm) jvm =
        pm_jvm_record(recording, "maxsize=32m", "-agentpath:%s -Xcheck:jni Chains 0.5 2", copy);
    g_autofree char *parks = pm_jvm_wait_line(jvm, "parks ", 1);
    g_assert_cmpint(pm_jvm_wait(jvm), ==, 0);
    g_autofree char *out = pm_jvm_stdout(jvm);
    g_autofree char *err = pm_jvm_stderr(jvm);
    g_assert_null(strstr(out, "WARNING"));
    g_assert_nonnull(strstr(err, "another recorder is already loaded in this JVM"));
    g_assert_cmpint(recorded_parks(recording), ==, number_after(parks, "parks "));
    g_unlink(recording);
    g_unlink(copy);
}

/* -- caches -- */

static void run_java(PmRun *ret_run, const char *arguments)
{
    pm_jvm_run_java(ret_run, "%s", arguments);
    g_test_message("%s: %d", arguments, ret_run->status);
}

/* An AOT cache may be required; with a recorder the JVM starts with it all the same. */
static void test_aot_cache(void)
{
    if (pm_jvm_major() < 25) {
        g_test_skip("AOT caches came with JDK 24, in one step with 25");
        return;
    }
    g_autofree char *cache = pm_jvm_path("app.aot");
    g_autofree char *recording = pm_jvm_path("aot.park");
    g_autofree char *agent = linked("recorder.so", "PM_AGENT");
    g_autofree char *jar = linked("aot.jar", "PM_AOT_JAR");
    g_autofree char *train = g_strdup_printf("-XX:AOTCacheOutput=%s -cp %s Outcome", cache, jar);
    g_autofree char *use = g_strdup_printf(
        "-XX:AOTCache=%s -XX:AOTMode=on -Xlog:aot -agentpath:%s=file=%s,maxsize=4m -cp %s "
        "Outcome",
        cache, agent, recording, jar);
    g_auto(PmRun) trained = {0}, used = {0}, verified = {0};

    run_java(&trained, train);
    g_assert_true(g_file_test(cache, G_FILE_TEST_EXISTS));
    run_java(&used, use);
    g_assert_cmpint(used.status, ==, 3);
    g_assert_null(strstr(used.out, "cannot be used"));
    pm_parkctl(&verified, "verify %s", recording);
    g_assert_cmpint(verified.status, ==, 0);
    g_unlink(recording);
    g_unlink(cache);
}

static void collect(PmJvm *jvm)
{
    g_auto(PmRun) run = {0};
    pm_jvm_jcmd(&run, jvm, "GC.run");
}

/* Profiles of methods refer to a class that was redefined when it is no more. */
static void test_aot_training(void)
{
    if (pm_jvm_major() < 25) {
        g_test_skip("AOT caches came with JDK 24, in one step with 25");
        return;
    }
    g_autofree char *cache = pm_jvm_path("trained.aot");
    g_autofree char *recording = pm_jvm_path("training.park");
    g_autofree char *train = g_strdup_printf(
        "-XX:+EnableDynamicAgentLoading -XX:AOTCacheOutput=%s -cp %s HandOff 5 0 0 virtual", cache,
        g_getenv("PM_AOT_JAR"));
    g_autoptr(PmJvm) jvm = pm_jvm_start(NULL, train);
    g_free(pm_jvm_wait_line(jvm, "ready", 1));
    g_usleep(G_USEC_PER_SEC / 2);
    g_assert_true(pm_parkctl_succeeds("%d attach file=%s,maxsize=1m", pm_jvm_pid(jvm), recording));
    for (int i = 0; i < 3; i++)
        collect(jvm);
    g_assert_cmpint(pm_jvm_wait(jvm), ==, 0);
    g_assert_true(g_file_test(cache, G_FILE_TEST_EXISTS));
    g_unlink(recording);
    g_unlink(cache);
}

/* A debugger with watchpoints on the fields that the recorder reads. The JVM takes for granted that
 * who reads one was called by the interpreter, and crashes where it was compiled code. The
 * watchpoints do not see the recorder, and it records all. */
static void watch_fields(const char *watcher, const char *flags, const char *threads)
{
    g_autofree char *recording = pm_jvm_path("watched.park");
    g_autofree char *library = linked("watcher.so", "PM_WATCHER");
    g_autoptr(PmJvm) jvm =
        pm_jvm_record(recording, "maxsize=8m", "-agentpath:%s%s %s HandOff %d 0 0 %s", library,
                      watcher, flags, g_getenv("PM_LONG") ? 60 : 1, threads);
    g_assert_cmpint(pm_jvm_wait(jvm), ==, 0);
    g_autofree char *seen = pm_jvm_wait_line(jvm, "watched ", 1);
    gint64 parks = pm_recorded_times(recording, "HandOff", "park");
    g_assert_cmpint(parks, >, 0);
    if (!*threads) /* virtual threads read such fields themselves */
        g_assert_cmpint(number_after(seen, "watched "), <, parks);
    g_unlink(recording);
}

static void test_watched_fields(void)
{
    watch_fields("", "", "");
    watch_fields("=anew", "", "");
    watch_fields("=anew", "-Xcheck:jni", "");
    if (pm_jvm_major() >= 21) {
        watch_fields("", "", "virtual");
        watch_fields("=anew", "", "virtual");
    }
}

/* An agent that makes a Java method of the native, before the recorder or after it. */
static void wrap(bool before)
{
    g_autofree char *recording = pm_jvm_path("wrapped.park");
    g_autofree char *wrapper = linked("wrapper.so", "PM_WRAPPER");
    g_autofree char *other = g_strdup_printf("-agentpath:%s", wrapper);

    if (before)
        g_setenv("JAVA_TOOL_OPTIONS", other, TRUE);
    g_autoptr(PmJvm) jvm =
        pm_jvm_record(recording, "maxsize=8m",
                      "-XX:+AllowRedefinitionToAddDeleteMethods %s -Xcheck:jni Chains 0.5 2",
                      before ? "" : other);
    g_unsetenv("JAVA_TOOL_OPTIONS");
    g_free(pm_jvm_wait_line(jvm, "wrapped", 1));
    g_autofree char *parks = pm_jvm_wait_line(jvm, "parks ", 1);
    g_assert_cmpint(pm_jvm_wait(jvm), ==, 0);
    g_assert_cmpint(recorded_parks(recording), ==, number_after(parks, "parks "));
    g_unlink(recording);
}

static void test_wrapped_natives(void)
{
    wrap(true);
    wrap(false);
}

static bool has_stopped_owners(void *context)
{
    g_autoptr(JsonNode) status = pm_parkctl_json("%d status", pm_jvm_pid(context));
    return pm_json_int(json_node_get_object(status), "stops") > 0;
}

/* A SecurityManager is part of the program: it is asked nothing for the recorder's sake, and what
 * it would refuse is not needed. */
static void test_security_manager(void)
{
    if (pm_jvm_major() > 23) {
        g_test_skip("this JDK has no SecurityManager");
        return;
    }
    g_autofree char *recording = pm_jvm_path("guarded.park");
    g_autoptr(PmJvm) jvm =
        pm_jvm_record(recording, "maxsize=8m", "-Djava.security.manager=allow Guarded 15");
    g_free(pm_jvm_wait_line(jvm, "ready", 1));
    g_assert_true(pm_poll(has_stopped_owners, jvm));
    g_assert_cmpint(pm_jvm_wait(jvm), ==, 0);
    g_autofree char *out = pm_jvm_stdout(jvm);
    g_autofree char *err = pm_jvm_stderr(jvm);
    g_assert_cmpstr(out, ==, "ready\n");
    g_assert_null(strstr(err, "parkmeter"));
    g_unlink(recording);
}

int main(int argc, char **argv)
{
    pm_jvm_init(&argc, &argv);
    pm_jvm_add("/attacks/agents/hooked-together", test_hooked_together);
    pm_jvm_add("/attacks/agents/attached-after-another", test_attached_after_another);
    pm_jvm_add("/attacks/agents/blinded-says-so", test_blinded_says_so);
    pm_jvm_add("/attacks/agents/second-recorder-stands-back", test_second_recorder_stands_back);
    pm_jvm_add("/attacks/agents/watched-fields", test_watched_fields);
    pm_jvm_add("/attacks/agents/wrapped-natives", test_wrapped_natives);
    pm_jvm_add("/attacks/agents/security-manager-is-not-asked", test_security_manager);
    pm_jvm_add("/attacks/agents/aot-cache", test_aot_cache);
    pm_jvm_add("/attacks/agents/aot-training", test_aot_training);
    return pm_jvm_run();
}
