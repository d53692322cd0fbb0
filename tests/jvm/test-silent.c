/* A program does and prints with the recorder what it does and prints without it. */
#include "tests/jvm/jvm.h"

#include <glib/gstdio.h>

static void compare(const char *flags)
{
    g_autofree char *arguments = g_strdup_printf("%s one two", flags);
    g_autofree char *recording = pm_jvm_path("silent.park");
    g_autoptr(PmJvm) without = pm_jvm_start(NULL, arguments);
    int status_without = pm_jvm_wait(without);
    g_autoptr(PmJvm) with = pm_jvm_record(recording, "maxsize=16m", "%s", arguments);
    int status_with = pm_jvm_wait(with);
    g_autofree char *out_without = pm_jvm_stdout(without);
    g_autofree char *err_without = pm_jvm_stderr(without);
    g_autofree char *out_with = pm_jvm_stdout(with);
    g_autofree char *err_with = pm_jvm_stderr(with);

    g_assert_cmpstr(out_with, ==, out_without);
    g_assert_cmpstr(err_with, ==, err_without);
    g_assert_cmpint(status_with, ==, status_without);
    g_assert_cmpint(status_with, ==, 3);
    g_assert_true(g_file_test(recording, G_FILE_TEST_EXISTS));
    g_unlink(recording);
}

static void test_program(void)
{
    compare("Outcome");
}

static void test_interpreted(void)
{
    compare("-Xint Outcome");
}

/* A program that waits until no other thread of its group is left ends. */
static void test_thread_group(void)
{
    compare("Outcome alone");
}

/* A system class loader of the program's own: the recorder asks it for nothing. */
static void test_own_class_loader(void)
{
    compare("-Xshare:off -Djava.system.class.loader=OwnLoader Outcome");
}

/* -Xcheck:jni prints a line for every JNI call that breaks a rule. */
static void test_check_jni(void)
{
    compare("-Xcheck:jni Outcome");
}

/* Attached, it looks at all threads at once: at more than JNI grants references unasked. */
static void test_check_jni_of_many_threads(void)
{
    g_autofree char *recording = pm_jvm_path("silent.park");
    g_autoptr(PmJvm) jvm = pm_jvm_start(
        NULL, "-Xcheck:jni -XX:+IgnoreUnrecognizedVMOptions -XX:+EnableDynamicAgentLoading "
              "ManyThreads 100 0");
    g_auto(PmRun) run = {0};

    g_free(pm_jvm_wait_line(jvm, "ready", 1));
    pm_parkctl(&run, "%d attach file=%s,maxsize=16m", pm_jvm_pid(jvm), recording);
    g_assert_cmpint(run.status, ==, 0);
    g_autofree char *out = pm_jvm_stdout(jvm);
    g_autofree char *err = pm_jvm_stderr(jvm);
    g_assert_cmpstr(out, ==, "ready\n");
    g_assert_cmpstr(err, ==, "");
    pm_jvm_kill(jvm, 9);
    pm_jvm_wait(jvm);
    g_unlink(recording);
}

static void test_jar(void)
{
    g_autofree char *jar = pm_jvm_path("outcome.jar");
    g_autofree char *tool = g_build_filename(g_getenv("PM_JAVA_HOME"), "bin/jar", NULL);
    const char *command[] = {tool,
                             "--create",
                             "--file",
                             jar,
                             "--main-class",
                             "Outcome",
                             "-C",
                             g_getenv("PM_WORKLOADS"),
                             "Outcome.class",
                             NULL};
    g_autofree char *flags = g_strdup_printf("-jar %s", jar);
    g_auto(PmRun) run = {0};

    pm_run_program(&run, command);
    g_assert_cmpint(run.status, ==, 0);
    compare(flags);
}

int main(int argc, char **argv)
{
    pm_jvm_init(&argc, &argv);
    pm_jvm_add("/silent/program", test_program);
    pm_jvm_add("/silent/interpreted", test_interpreted);
    pm_jvm_add("/silent/thread-group", test_thread_group);
    pm_jvm_add("/silent/own-class-loader", test_own_class_loader);
    pm_jvm_add("/silent/check-jni-of-many-threads", test_check_jni_of_many_threads);
    pm_jvm_add("/silent/check-jni", test_check_jni);
    pm_jvm_add("/silent/jar", test_jar);
    return pm_jvm_run();
}
