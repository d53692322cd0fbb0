/* Stack traces come from a cache. Here every hit is compared with a walk at the same instant: none
 * may ever find another chain, whatever the JVM does to the code meanwhile. */
#include "tests/jvm/jvm.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

/* Hits that were compared with a walk, in all tests of a long run. */
static gint64 n_checked;

/* Compilers take their time until all code is compiled, and deoptimised again. */
static void check_program(const char *flags, const char *program, guint seconds)
{
    g_autofree char *recording = pm_jvm_path("chains.park");
    g_autoptr(PmJvm) jvm =
        pm_jvm_record(recording, "maxsize=32m,test_chains=on", "%s %s", flags, program);
    g_autoptr(JsonNode) node = NULL;
    g_auto(PmRun) run = {0};
    JsonObject *status;

    g_free(pm_jvm_wait_line(jvm, "ready", 1));
    g_usleep((g_getenv("PM_LONG") ? 120 : seconds) * G_USEC_PER_SEC);
    node = pm_parkctl_json("%d status", pm_jvm_pid(jvm));
    status = json_node_get_object(node);
    g_test_message("%s: %" G_GINT64_FORMAT " waits, %" G_GINT64_FORMAT " chains, %" G_GINT64_FORMAT
                   " misses",
                   flags, pm_json_int(status, "waits"), pm_json_int(status, "chains"),
                   pm_json_int(status, "chain_misses"));
    g_assert_cmpint(pm_json_int(status, "waits"), >, 0);
    g_assert_cmpint(pm_json_int(status, "chains"), >, 0);
    g_assert_cmpint(pm_json_int(status, "chain_mismatches"), ==, 0);
    n_checked += pm_json_int(status, "chain_hits");
    g_assert_true(pm_jvm_alive(jvm));
    pm_jvm_kill(jvm, 9);
    pm_jvm_wait(jvm);
    pm_parkctl(&run, "verify %s", recording);
    g_assert_cmpint(run.status, ==, 0);
    g_unlink(recording);
}

static void check(const char *flags, guint seconds)
{
    check_program(flags, "Chains 0 2", seconds);
}

/* Frames of theirs lie on the heap, in chunks that come and go with each way to be unmounted. */
static void test_virtual(void)
{
    static const char *const flags[] = {"-Xmx64m",
                                        "-Xint",
                                        "-XX:TieredStopAtLevel=1",
                                        "-Xcomp",
                                        "-XX:+UseZGC -Xmx256m",
                                        "-XX:+UseSerialGC -Xmx64m -XX:-UseCompressedOops"};
    if (pm_jvm_major() < 21) {
        g_test_skip("no virtual threads that unmount");
        return;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(flags); i++)
        check_program(flags[i], "Chains 0 8 virtual", 2);
}

static void test_interpreted(void)
{
    check("-Xint", 2);
}

static void test_quick_compiler(void)
{
    check("-XX:TieredStopAtLevel=1", 2);
}

static void test_all_compilers(void)
{
    check("-Xmx64m", 4);
}

static void redefine(const char *how)
{
    g_autofree char *jar = g_build_filename(g_getenv("PM_WORKLOADS"), "../redefinition.jar", NULL);
    g_autofree char *link = pm_jvm_path("redefinition.jar");
    g_autofree char *flags = g_strdup_printf("%s -javaagent:%s", how, link);

    g_assert_cmpint(symlink(jar, link), ==, 0);
    check(flags, strstr(how, "-Xint") ? 2 : 4);
    g_unlink(link);
}

static void test_redefined(void)
{
    redefine("-Xmx64m");
}

/* A frame of a method's old version stays interpreted, and runs a Method* that no walk names. */
static void test_redefined_interpreted(void)
{
    redefine("-Xint -Xmx32m");
}

/* The parks of a recording whose stack trace has this in it. */
static gint64 n_parks_in(const char *recording, const char *frame)
{
    g_auto(PmRun) run = {0};
    pm_parkctl(&run, "export %s --to=csv --idle --kind=park --class=java.lang.Class", recording);
    g_assert_cmpint(run.status, ==, 0);
    gint64 n = 0;
    for (const char *at = run.out; (at = strstr(at, frame)); at += strlen(frame))
        n++;
    return n;
}

/* Frames of native methods: interpreted at first, and all of them under -Xint, which look alike but
 * for the method that they are of. */
static void test_native_methods(void)
{
    static const char *const flags[] = {"-Xint", ""};
    g_autofree char *library = pm_jvm_path("guests.so");
    const char *access = pm_jvm_major() >= 24 ? "--enable-native-access=ALL-UNNAMED" : "";
    g_unlink(library);
    g_assert_cmpint(symlink(g_getenv("PM_GUESTS"), library), ==, 0);
    for (size_t i = 0; i < G_N_ELEMENTS(flags); i++) {
        g_autofree char *recording = pm_jvm_path("natives.park");
        g_autoptr(PmJvm) jvm = pm_jvm_record(recording, "maxsize=32m", "%s %s NativeFrames %s 2000",
                                             flags[i], access, library);
        g_autofree char *line = pm_jvm_wait_line(jvm, "left ", 1);
        g_assert_cmpint(pm_jvm_wait(jvm), ==, 0);
        gint64 left = g_ascii_strtoll(line + strlen("left "), NULL, 10);
        g_assert_cmpint(n_parks_in(recording, " < NativeFrames$Left.go("), ==, left);
        g_assert_cmpint(n_parks_in(recording, " < NativeFrames$Right.go("), ==, 2000 - left);
        g_unlink(recording);
    }
}

/* The same code on other lines: each park has those of its time. */
static void test_redefined_lines(void)
{
    g_autofree char *jar = g_build_filename(g_getenv("PM_WORKLOADS"), "../redefinition.jar", NULL);
    g_autofree char *link = pm_jvm_path("redefinition.jar");
    g_autofree char *recording = pm_jvm_path("moved.park");
    g_assert_cmpint(symlink(jar, link), ==, 0);
    g_autoptr(PmJvm) jvm =
        pm_jvm_record(recording, "maxsize=32m", "-javaagent:%s MovedLines 1000", link);
    g_autofree char *line = pm_jvm_wait_line(jvm, "lines ", 1);
    g_auto(GStrv) words = g_strsplit(line, " ", 3);

    g_assert_cmpint(pm_jvm_wait(jvm), ==, 0);
    g_assert_cmpstr(words[1], !=, words[2]);
    for (int i = 1; i <= 2; i++) {
        g_autofree char *frame = g_strdup_printf("Moved1.go(MovedLines.java:%s)", words[i]);
        g_assert_cmpint(n_parks_in(recording, frame), ==, 1000);
    }
    g_unlink(link);
    g_unlink(recording);
}

static void test_ten_million(void)
{
    if (!g_getenv("PM_LONG")) {
        g_test_skip("tests/long compares so many");
        return;
    }
    g_test_message("%" G_GINT64_FORMAT " hits compared, none wrong", n_checked);
    g_assert_cmpint(n_checked, >=, 10000000);
}

/* How objects, locks, code and stacks are laid out is the JVM's affair: every park counts. */
static void test_flags(void)
{
    static const char *const flags[] = {
        "-XX:+UseZGC",
        "-XX:+UseParallelGC -XX:-UseCompressedOops -Xshare:off",
        "-XX:+UseSerialGC -XX:ReservedCodeCacheSize=2000m -XX:+UseCompactObjectHeaders",
        "-XX:LockingMode=1 -XX:-SegmentedCodeCache -Xcheck:jni",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(flags); i++) {
        g_autofree char *recording = pm_jvm_path("flags.park");
        g_autoptr(PmJvm) jvm = pm_jvm_record(recording, "maxsize=32m",
                                             "-Xmx64m -XX:+IgnoreUnrecognizedVMOptions "
                                             "-XX:+UnlockExperimentalVMOptions %s Chains 1 2",
                                             flags[i]);
        g_autofree char *parks = pm_jvm_wait_line(jvm, "parks ", 1);
        g_assert_cmpint(pm_jvm_wait(jvm), ==, 0);
        g_test_message("%s: %s", flags[i], parks);
        g_assert_cmpint(pm_recorded_times(recording, "java.lang.Class", "park"), ==,
                        g_ascii_strtoll(parks + strlen("parks "), NULL, 10));
        g_unlink(recording);
    }
}

#define N_GUESTS 1000

static bool has_freed(void *context)
{
    g_autoptr(JsonNode) node = pm_parkctl_json("%d status", pm_jvm_pid(context));
    return pm_json_int(json_node_get_object(node), "chains") < N_GUESTS / 10;
}

/* The parks of a thread, a line each, in order; not what else it waits for, as a queue of
 * references. */
static char **lines_of(const char *recording, const char *thread)
{
    g_auto(PmRun) run = {0};
    pm_parkctl(&run, "export %s --to=csv --idle --kind=park --thread=%s", recording, thread);
    g_assert_cmpint(run.status, ==, 0);
    return g_strsplit(strchr(run.out, '\n') + 1, "\n", -1);
}

/* Each visit is that of the guest whose turn it was. */
static void check_visits(const char *recording)
{
    g_auto(GStrv) visits = lines_of(recording, "visitor");
    guint n = 0;
    for (; visits[n] && *visits[n]; n++) {
        g_autofree char *frame = g_strdup_printf(" < Guest%05u.run(", n / 3);
        g_assert_nonnull(strstr(visits[n], frame));
        g_assert_nonnull(strstr(visits[n], " < Guests.park(Guests.java:"));
    }
    g_assert_cmpuint(n, ==, 3 * N_GUESTS);
}

static void test_freed_with_their_classes(void)
{
    g_autofree char *recording = pm_jvm_path("guests.park");
    g_autofree char *options =
        g_strdup_printf("file=%s,maxsize=4m,flush=10ms,test_reclaim=on", recording);
    g_autofree char *arguments = g_strdup_printf("-Xmx64m Guests %d", N_GUESTS);
    g_autoptr(PmJvm) jvm = pm_jvm_start(options, arguments);
    g_auto(GStrv) sittings = NULL, debts = NULL, stays = NULL;
    guint n = 0;

    g_free(pm_jvm_wait_line(jvm, "done", 1));
    g_assert_true(pm_poll(has_freed, jvm));
    pm_jvm_kill(jvm, 15);
    pm_jvm_wait(jvm);

    check_visits(recording);
    sittings = lines_of(recording, "sitter");
    g_assert_nonnull(strstr(sittings[0], " < Guest90001.run("));
    g_assert_nonnull(strstr(sittings[0], " < Guests.main("));
    debts = lines_of(recording, "debtor");
    n = g_strv_length(debts);
    g_assert_cmpuint(n, >=, 2);
    g_assert_nonnull(strstr(debts[n - 2], " < Guests.owe("));
    g_assert_nonnull(strstr(debts[n - 2], " < Guest90002.run("));
    stays = lines_of(recording, "resident");
    for (n = 0; stays[n] && *stays[n]; n++)
        g_assert_nonnull(strstr(stays[n], " < Guests.reside("));
    g_assert_cmpuint(n, >, 0);
    g_unlink(recording);
}

/* A new class may lie where one of before lay, and the JVM tells of the unloading later. */
static void test_unloading_told_late(void)
{
    g_autofree char *recording = pm_jvm_path("guests.park");
    g_autofree char *tardy = pm_jvm_path("tardy.so");
    g_autofree char *before_ours = g_strdup_printf("-agentpath:%s", tardy);

    g_assert_cmpint(symlink(g_getenv("PM_TARDY_AGENT"), tardy), ==, 0);
    g_setenv("JAVA_TOOL_OPTIONS", before_ours, TRUE);
    g_autoptr(PmJvm) jvm =
        pm_jvm_record(recording, "maxsize=32m", "-Xmx64m -XX:+UseSerialGC Guests %d", N_GUESTS);
    g_unsetenv("JAVA_TOOL_OPTIONS");
    g_free(pm_jvm_wait_line(jvm, "done", 1));
    g_unlink(tardy);
    pm_jvm_kill(jvm, 15);
    pm_jvm_wait(jvm);
    check_visits(recording);
    g_unlink(recording);
}

/* How often a method of this name lies in the JVM's code cache. */
static guint n_compiled(const PmJvm *jvm, const char *method)
{
    g_auto(PmRun) run = {0};
    pm_jvm_jcmd(&run, jvm, "Compiler.codelist");
    guint n = 0;
    for (const char *at = run.out; (at = strstr(at, method)); at++)
        n++;
    return n;
}

static bool code_is_gone(void *context)
{
    return n_compiled(context, "OldCode$Copy.run") == 0;
}

/* No class goes, but compiled code does: of 200 methods that were compiled before there was a
 * recorder, under each of which a thread parked. Other code lies in its place then. */
static void test_compiled_before(void)
{
    g_autofree char *recording = pm_jvm_path("chains.park");
    g_autofree char *go = pm_jvm_path("chains.go");
    /* 17 looks for code to throw away only after so much of the code cache was filled anew. */
    const char *flags =
        pm_jvm_major() < 20 ? "-XX:SweeperThreshold=0.0001" : "-XX:+EnableDynamicAgentLoading";
    g_autofree char *arguments =
        g_strdup_printf("-XX:+UseSerialGC -Xbatch %s OldCode %s", flags, go);
    g_autoptr(PmJvm) jvm = pm_jvm_start(NULL, arguments);
    g_auto(PmRun) run = {0};

    g_free(pm_jvm_wait_line(jvm, "ready", 1));
    pm_parkctl(&run, "%d attach file=%s,maxsize=32m,test_chains=on", pm_jvm_pid(jvm), recording);
    g_assert_cmpint(run.status, ==, 0);
    g_assert_cmpuint(n_compiled(jvm, "OldCode$Copy.run"), >=, 200);
    g_assert_true(g_file_set_contents(go, "", 0, NULL));
    g_assert_true(pm_poll(code_is_gone, jvm));
    g_free(pm_jvm_wait_line(jvm, "round", 10));

    g_autoptr(JsonNode) node = pm_parkctl_json("%d status", pm_jvm_pid(jvm));
    JsonObject *status = json_node_get_object(node);
    g_test_message("%" G_GINT64_FORMAT " hits", pm_json_int(status, "chain_hits"));
    g_assert_cmpint(pm_json_int(status, "waits"), >=, 4000);
    g_assert_cmpint(pm_json_int(status, "chain_mismatches"), ==, 0);
    pm_jvm_kill(jvm, 9);
    pm_jvm_wait(jvm);
    g_unlink(go);
    g_unlink(recording);
}

int main(int argc, char **argv)
{
    pm_jvm_init(&argc, &argv);
    pm_jvm_add("/chains/of-virtual-threads", test_virtual);
    pm_jvm_add("/chains/interpreted", test_interpreted);
    pm_jvm_add("/chains/compiled-by-c1", test_quick_compiler);
    pm_jvm_add("/chains/compiled-deoptimised-unloaded", test_all_compilers);
    pm_jvm_add("/chains/redefined", test_redefined);
    pm_jvm_add("/chains/redefined-interpreted", test_redefined_interpreted);
    pm_jvm_add("/chains/through-native-methods", test_native_methods);
    pm_jvm_add("/chains/lines-of-their-time", test_redefined_lines);
    pm_jvm_add("/chains/ten-million-hits", test_ten_million);
    pm_jvm_add("/chains/freed-with-their-classes", test_freed_with_their_classes);
    pm_jvm_add("/chains/unloading-told-late", test_unloading_told_late);
    pm_jvm_add("/chains/compiled-before-an-attach", test_compiled_before);
    pm_jvm_add("/chains/every-park-counts-under-any-flags", test_flags);
    return pm_jvm_run();
}
