/* An attach to a JVM that does not want it, or cannot answer now: it goes on as if nobody had
 * asked. */
#include "tests/jvm/jvm.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static const char *dynamic(void)
{
    return pm_jvm_major() >= 21 ? "-XX:+EnableDynamicAgentLoading" : "";
}

static PmJvm *start_parked(const char *options)
{
    g_autofree char *arguments = g_strdup_printf("%s ParkedForever", dynamic());
    PmJvm *jvm = pm_jvm_start(options, arguments);
    g_free(pm_jvm_wait_line(jvm, "ready", 1));
    return jvm;
}

static void assert_refused(PmJvm *jvm, const char *words)
{
    g_autofree char *recording = pm_jvm_path("refused.park");
    g_auto(PmRun) run = {0};
    pm_parkctl(&run, "%d attach file=%s,maxsize=1m", pm_jvm_pid(jvm), recording);
    g_assert_cmpint(run.status, !=, 0);
    if (!strstr(run.err, words))
        g_error("no '%s' in: %s", words, run.err);
}

/* HotSpot prints its threads to the program's stdout when it is asked to listen and may not. */
static void assert_silent(PmJvm *jvm)
{
    g_usleep(G_USEC_PER_SEC / 2);
    g_assert_true(pm_jvm_alive(jvm));
    g_autofree char *out = pm_jvm_stdout(jvm);
    g_autofree char *err = pm_jvm_stderr(jvm);
    g_assert_cmpstr(out, ==, "ready\n");
    g_assert_cmpstr(err, ==, "");
}

/* A JVM that exits when its metaspace is full, which the recorder's classes might be what fills. */
static void test_full_metaspace(void)
{
    g_autofree char *arguments = g_strdup_printf(
        "%s -XX:MaxMetaspaceSize=12m -XX:+ExitOnOutOfMemoryError FullMetaspace 100", dynamic());
    g_autoptr(PmJvm) jvm = pm_jvm_start(NULL, arguments);
    g_free(pm_jvm_wait_line(jvm, "ready", 1));
    assert_refused(jvm, "metaspace");
    assert_silent(jvm);
}

/* A JVM that is told to end while the recorder starts in it ends as without it; what was started is
 * whole. */
static void test_ends_meanwhile(void)
{
    g_autofree char *recording = pm_jvm_path("ends.park");
    g_auto(PmRun) run = {0};
    g_setenv("LD_PRELOAD", g_getenv("PM_REFUSER"), TRUE);
    g_setenv("PM_ENDS", "1", TRUE);
    g_autoptr(PmJvm) jvm = pm_jvm_record(recording, "maxsize=1m", "ParkedForever");
    g_unsetenv("LD_PRELOAD");
    g_unsetenv("PM_ENDS");
    g_assert_cmpint(pm_jvm_wait(jvm), ==, 128 + SIGTERM);
    g_autofree char *err = pm_jvm_stderr(jvm);
    g_assert_cmpstr(err, ==, "");
    pm_parkctl(&run, "verify %s", recording);
    if (run.status != 0)
        g_error("verify: %s%s", run.out, run.err);
}

/* Told so where its command line does not show it. */
static void test_forbidden(void)
{
    g_autofree char *file = pm_jvm_path("arguments");
    g_autofree char *arguments = g_strdup_printf("@%s ParkedForever", file);
    g_assert_true(g_file_set_contents(file, "-XX:+DisableAttachMechanism\n", -1, NULL));
    g_autoptr(PmJvm) jvm = pm_jvm_start(NULL, arguments);
    g_free(pm_jvm_wait_line(jvm, "ready", 1));
    assert_refused(jvm, "does not allow attaching");
    assert_silent(jvm);
}

static bool is_stopped(void *context)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/status", *(int *)context);
    g_autofree char *text = NULL;
    return g_file_get_contents(path, &text, NULL, NULL) && strstr(text, "State:\tT");
}

static void test_stopped(void)
{
    g_autofree char *recording = pm_jvm_path("stopped.park");
    g_autoptr(PmJvm) jvm = start_parked(NULL);
    int pid = pm_jvm_pid(jvm);
    pm_jvm_kill(jvm, SIGSTOP);
    g_assert_true(pm_poll(is_stopped, &pid));
    assert_refused(jvm, "is stopped");
    pm_jvm_kill(jvm, SIGCONT);
    assert_silent(jvm);
    g_assert_true(pm_parkctl_succeeds("%d attach file=%s,maxsize=1m", pid, recording));
    assert_silent(jvm);
}

/* A debugger stops the program at an exception that nobody catches. */
static void test_throws_nothing(void)
{
    for (int attaches = 0; attaches < 2; attaches++) {
        g_autofree char *recording = pm_jvm_path("thrown.park");
        g_autofree char *log = pm_jvm_path("exceptions.log");
        g_autofree char *options = g_strdup_printf("file=%s,maxsize=1m", recording);
        g_autofree char *arguments =
            g_strdup_printf("%s -Xlog:exceptions=info:file=%s ParkedForever", dynamic(), log);
        g_autofree char *text = NULL;
        g_autoptr(PmJvm) jvm = pm_jvm_start(attaches ? NULL : options, arguments);
        int pid = pm_jvm_pid(jvm);
        g_free(pm_jvm_wait_line(jvm, "ready", 1));
        if (attaches)
            g_assert_true(pm_parkctl_succeeds("%d attach %s", pid, options));
        g_assert_true(pm_parkctl_succeeds("%d status", pid));
        g_assert_true(g_file_get_contents(log, &text, NULL, NULL));
        g_assert_cmpstr(text, ==, "");
        g_unlink(recording);
    }
}

static bool sees_still(void *context)
{
    g_auto(PmRun) run = {0};
    pm_parkctl(&run, "%d now --idle", *(int *)context);
    return run.status == 0 && strstr(run.out, "still-1");
}

static void assert_no_scheduler(const PmJvm *jvm)
{
    g_auto(PmRun) run = {0};
    pm_jvm_jcmd(&run, jvm, "Thread.print");
    g_assert_nonnull(strstr(run.out, "still-1"));
    g_assert_null(strstr(run.out, "VirtualThread"));
    g_assert_null(strstr(run.out, "ForkJoinPool"));
}

/* A program without virtual threads gets no scheduler of theirs: its threads would be the
 * program's, its options read too early, and if it cannot start, virtual threads are lost for good.
 */
static void test_no_scheduler(void)
{
    g_autofree char *recording = pm_jvm_path("scheduler.park");
    g_autoptr(PmJvm) jvm = start_parked(NULL);
    int pid = pm_jvm_pid(jvm);
    g_assert_true(pm_parkctl_succeeds("%d attach file=%s,maxsize=1m", pid, recording));
    g_assert_true(pm_poll(sees_still, &pid));
    for (int round = 0; round < 8; round++) {
        g_assert_true(pm_parkctl_succeeds("%d stop", pid));
        g_assert_true(pm_parkctl_succeeds("%d start", pid));
        g_assert_true(pm_poll(sees_still, &pid));
    }
    assert_no_scheduler(jvm);
}

/* What could not be started, as for want of threads, descriptors or a path, is started by an
 * attach.
 */
static void test_what_was_missing(void)
{
    g_autofree char *recording = pm_jvm_path("missing.park");
    g_autofree char *socket = pm_jvm_path("missing.socket");
    g_autofree char *options = g_strdup_printf("file=%s,maxsize=1m,socket=%s", recording, socket);
    g_assert_cmpint(g_mkdir(socket, 0700), ==, 0);
    g_autoptr(PmJvm) jvm = start_parked(options);
    g_autofree char *err = pm_jvm_stderr(jvm);
    g_assert_nonnull(strstr(err, "parkctl cannot reach this JVM"));
    assert_refused(jvm, "refused to start");
    g_assert_cmpint(g_rmdir(socket), ==, 0);
    g_assert_true(pm_parkctl_succeeds("%d attach", pm_jvm_pid(jvm)));
    g_assert_true(pm_parkctl_succeeds("%d status", pm_jvm_pid(jvm)));
    assert_refused(jvm, "already loaded");
}

/* As when several attach at once: all but one find a recorder that was not there when they looked.
 * Only they are told. */
static void test_already_loaded(void)
{
    g_autofree char *recording = pm_jvm_path("loaded.park");
    g_autofree char *options = g_strdup_printf("file=%s,maxsize=1m,socket=off", recording);
    g_autoptr(PmJvm) jvm = start_parked(options);
    assert_refused(jvm, "already loaded");
    assert_silent(jvm);
}

/* A program may do so on its own threads, of which several may do so at once: one of them starts
 * the recorder. */
static void test_from_many_threads(void)
{
    for (int round = 0; round < 5; round++) {
        g_autofree char *recording = pm_jvm_path("many.park");
        g_autofree char *arguments = g_strdup_printf("%s ManyLoads %s file=%s,maxsize=1m 16",
                                                     dynamic(), g_getenv("PM_AGENT"), recording);
        g_autoptr(PmJvm) jvm = pm_jvm_start(NULL, arguments);
        g_autofree char *line = pm_jvm_wait_line(jvm, "loaded ", 1);
        g_free(pm_jvm_wait_line(jvm, "done", 1));
        g_assert_cmpstr(line, ==, "loaded 1");
        g_autofree char *err = pm_jvm_stderr(jvm);
        g_assert_cmpstr(err, ==, "");
        g_assert_true(pm_parkctl_succeeds("%d status", pm_jvm_pid(jvm)));
        g_assert_cmpint(pm_recorded_times(recording, "java.lang.Class", "park"), ==, 100);
        g_unlink(recording);
    }
}

static bool is_ready(void *context)
{
    g_autofree char *out = pm_jvm_stdout(context);
    return strstr(out, "ready") != NULL;
}

/* As a script does that starts the JVM: the signal of an attach would make one that is starting
 * print its threads, or kill it. */
static void test_at_once(void)
{
    for (int round = 0; round < 6; round++) {
        g_autofree char *recording = pm_jvm_path("at-once.park");
        g_autofree char *options = g_strdup_printf("file=%s,maxsize=1m", recording);
        g_autofree char *arguments = g_strdup_printf("%s ParkedForever", dynamic());
        g_autoptr(PmJvm) jvm = pm_jvm_start(round % 2 ? options : NULL, arguments);
        if (round % 2)
            assert_refused(jvm, "already loaded");
        else
            g_assert_true(pm_parkctl_succeeds("%d attach %s", pm_jvm_pid(jvm), options));
        g_assert_true(pm_parkctl_succeeds("%d status", pm_jvm_pid(jvm)));
        g_assert_true(pm_poll(is_ready, jvm));
        assert_silent(jvm);
        g_unlink(recording);
    }
}

int main(int argc, char **argv)
{
    pm_jvm_init(&argc, &argv);
    pm_jvm_add("/attacks/attach/full-metaspace-is-left-alone", test_full_metaspace);
    pm_jvm_add("/attacks/attach/ends-meanwhile", test_ends_meanwhile);
    pm_jvm_add("/attacks/attach/forbidden-prints-nothing", test_forbidden);
    pm_jvm_add("/attacks/attach/at-once-waits-for-the-start", test_at_once);
    pm_jvm_add("/attacks/attach/from-many-threads-starts-one", test_from_many_threads);
    pm_jvm_add("/attacks/attach/stopped-prints-nothing", test_stopped);
    pm_jvm_add("/attacks/attach/throws-nothing", test_throws_nothing);
    pm_jvm_add("/attacks/attach/no-scheduler-is-started", test_no_scheduler);
    pm_jvm_add("/attacks/attach/what-was-missing-is-started", test_what_was_missing);
    pm_jvm_add("/attacks/attach/already-loaded-prints-nothing", test_already_loaded);
    return pm_jvm_run();
}
