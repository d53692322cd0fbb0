/* Hosts that lock their memory, or have little of it: the recorder takes what it uses. */
#include "tests/jvm/jvm.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BOUND_KIB 8192

/* A JVM whose own memory is the same each time: all there from the start when it is locked. */
#define FLAGS                                                                                      \
    "-Xms32m -Xmx32m -Xss512k -XX:+UseSerialGC -XX:ReservedCodeCacheSize=16m "                     \
    "-XX:TieredStopAtLevel=1 -XX:-UseDynamicNumberOfCompilerThreads "                              \
    "-XX:+IgnoreUnrecognizedVMOptions -XX:+EnableDynamicAgentLoading"

static char *options(void)
{
    return g_strdup_printf("file=%s", pm_jvm_path("memory.park"));
}

/* With the recorder when `recorder` says so, and with a host's agent that does as `host` says. */
static PmJvm *start(bool recorder, const char *host, const char *program)
{
    g_autofree char *ours = recorder ? options() : NULL;
    g_autofree char *arguments = g_strdup_printf(
        "-agentpath:%s=%s %s %s", g_getenv("PM_LOCKING_AGENT"), host, FLAGS, program);
    return pm_jvm_start(ours, arguments);
}

/* The same, but the host's agent acts before the recorder starts. */
static PmJvm *start_after(const char *host, const char *program)
{
    g_autofree char *ours = options();
    g_autofree char *arguments =
        g_strdup_printf("-agentpath:%s=%s %s %s", g_getenv("PM_AGENT"), ours, FLAGS, program);
    return start(false, host, arguments);
}

static long kib(PmJvm *jvm, const char *name)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/status", pm_jvm_pid(jvm));
    g_autofree char *label = g_strdup_printf("\n%s:", name);
    g_autofree char *text = NULL;
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    const char *at = strstr(text, label);
    g_assert_nonnull(at);
    return (long)g_ascii_strtoll(at + strlen(label), NULL, 10);
}

static bool may_lock(PmJvm *jvm)
{
    g_autofree char *out = pm_jvm_stdout(jvm);
    return strstr(out, "mlockall:") == NULL;
}

static int64_t n_waits(PmJvm *jvm)
{
    g_autoptr(JsonNode) status = pm_parkctl_json("%d status", pm_jvm_pid(jvm));
    g_assert_cmpint(pm_json_int(json_node_get_object(status), "dropped"), ==, 0);
    return pm_json_int(json_node_get_object(status), "waits");
}

struct closing {
    PmJvm *jvm;
    long bound_kib;
};

static bool is_little_locked(void *context)
{
    const struct closing *closing = context;
    return kib(closing->jvm, "VmLck") <= closing->bound_kib;
}

/* What is compared. */
static struct {
    const char *host, *program;
    bool later;  /* the host locks its memory once the program has waited for a while */
    bool attach; /* the recorder comes to the locked host */
} scene;

struct memory {
    long resident, locked, charged;
};

static struct memory memory_of(PmJvm *jvm)
{
    const struct memory memory = {
        .resident = kib(jvm, "VmRSS"), .locked = kib(jvm, "VmLck"), .charged = kib(jvm, "VmData")};
    g_assert_cmpint(memory.locked, >, 0);
    return memory;
}

/* What the recorder adds to what is resident, locked, charged: two JVMs, side by side. */
static char *compare_once(void)
{
    g_autoptr(PmJvm) without = start(false, scene.host, scene.program);
    g_autoptr(PmJvm) with = start(!scene.attach, scene.host, scene.program);
    PmJvm *const both[] = {without, with};
    for (gsize i = 0; i < G_N_ELEMENTS(both); i++)
        g_free(pm_jvm_wait_line(both[i], "ready", 1));
    if (scene.attach) {
        g_autofree char *ours = options();
        g_assert_true(pm_parkctl_succeeds("%d attach %s", pm_jvm_pid(with), ours));
    }
    g_usleep(2000000);
    for (gsize i = 0; i < G_N_ELEMENTS(both); i++) {
        if (scene.later)
            pm_jvm_kill(both[i], SIGQUIT);
        g_free(pm_jvm_wait_line(both[i], "done", 1));
        if (!may_lock(both[i])) {
            g_test_skip("this process may not lock its memory");
            return NULL;
        }
    }
    g_assert_cmpint(n_waits(with), >, 0);
    g_usleep(1000000);
    const struct memory least = memory_of(without);
    /* What is closed was locked with the rest; soon it is not any more. */
    struct closing closing = {.jvm = with, .bound_kib = least.locked + BOUND_KIB};
    pm_poll(is_little_locked, &closing);
    const struct memory most = memory_of(with);
    const long resident = most.resident - least.resident, locked = most.locked - least.locked,
               charged = most.charged - least.charged;
    g_autofree char *text =
        g_strdup_printf("%s: resident +%ld KiB, locked +%ld KiB, charged +%ld KiB", scene.host,
                        resident, locked, charged);
    if (MAX(MAX(resident, locked), charged) > BOUND_KIB)
        return g_steal_pointer(&text);
    g_test_message("%s", text);
    return NULL;
}

/* More than once: a JVM takes some megabytes more or less by itself. */
static void compare(const char *host, const char *program, bool later, bool attach)
{
    scene.host = host;
    scene.program = program;
    scene.later = later;
    scene.attach = attach;
    /* Else each thread has a heap of its own, up to a number that depends on the machine. */
    g_setenv("MALLOC_ARENA_MAX", "1", TRUE);
    pm_attempts(3, compare_once);
    g_unsetenv("MALLOC_ARENA_MAX");
}

#define SMALL "ManyThreads 20 0 50"

static void test_locked_before(void)
{
    compare("load,lock", SMALL, false, false);
}

static void test_locked_as_it_starts(void)
{
    compare("init,lock", SMALL, false, false);
}

static void test_locked_later(void)
{
    compare("dump,lock", SMALL, true, false);
}

static void test_attached_to_locked(void)
{
    compare("load,lock", SMALL, false, true);
}

static void test_locked_on_fault(void)
{
    compare("load,onfault", SMALL, false, false);
}

static void test_many_threads(void)
{
    compare("dump,lock", "ManyThreads 300 0 500", true, false);
}

static void test_virtual_threads(void)
{
    if (pm_jvm_major() < 21) {
        g_test_skip("this JVM tells nothing of virtual threads");
        return;
    }
    /* On JDK 21 those that wait for a monitor keep their carriers. */
    compare("dump,lock",
            pm_jvm_major() == 21 ? "-Djdk.virtualThreadScheduler.parallelism=16 VirtualWaits 500"
                                 : "VirtualWaits 500",
            true, false);
}

#define LITTLE "init,future,limited,limit=8"
#define FEW    "-Xint -Xss256k ManyThreads 2 1 50"

/* A host that locks whatever it maps and may lock 8 MiB more: what is reserved counts against that
 * even where nobody may touch it. NULL: recorded all the same. */
static char *record_where_little_may_be_locked(void)
{
    g_autoptr(PmJvm) jvm = start_after(LITTLE, FEW);
    int status = pm_jvm_wait(jvm);
    g_autofree char *out = pm_jvm_stdout(jvm);
    g_autofree char *err = pm_jvm_stderr(jvm);
    if (status == 0 && strstr(out, "\nparks ") && *err == '\0')
        return NULL;
    return g_strdup_printf("status %d: %s%s", status, out, err);
}

static void test_may_lock_little(void)
{
    g_autoptr(PmJvm) without = start(false, LITTLE, FEW);
    int status = pm_jvm_wait(without);
    g_autofree char *out = pm_jvm_stdout(without);
    if (status != 0 || !may_lock(without) || !strstr(out, "limit 8\n"))
        g_test_skip("without the recorder it cannot do so either");
    else
        pm_attempts(3, record_where_little_may_be_locked);
}

/* Address space that ends: a little of it, or one line and none. */
static void test_little_space(void)
{
    static const struct {
        int more_mib;
        bool records;
    } cases[] = {{400, false}, {150, false}, {1000, true}, {4000, true}};
    g_autofree char *recording = pm_jvm_path("memory.park");
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_unlink(recording);
        g_autofree char *host = g_strdup_printf("init,space,limit=%d", cases[i].more_mib);
        g_autoptr(PmJvm) jvm = start(false, host, "ManyThreads 8 1 50");
        g_autoptr(PmJvm) recorded = start_after(host, "ManyThreads 8 1 50");
        g_assert_cmpint(pm_jvm_wait(jvm), ==, 0);
        g_assert_cmpint(pm_jvm_wait(recorded), ==, 0);
        g_autofree char *err = pm_jvm_stderr(recorded);
        g_autofree char *out = pm_jvm_stdout(recorded);
        g_test_message("%d MiB: %s", cases[i].more_mib, err);
        g_assert_nonnull(strstr(out, "\nparks "));
        g_assert_true(g_file_test(recording, G_FILE_TEST_EXISTS) == cases[i].records);
        if (cases[i].records)
            g_assert_cmpstr(err, ==, "");
        else
            g_assert_true(g_str_has_suffix(err, "nothing is recorded\n") &&
                          strchr(err, '\n') == err + strlen(err) - 1);
    }
}

/* An attach that meets a full heap records nothing, and does not take for missing what it could not
 * look up: the next one finds it. */
static void test_attached_to_full_heap(void)
{
    g_autoptr(PmJvm) jvm = start(false, "heap", "ParkedForever");
    g_autofree char *ours = options();
    g_auto(PmRun) refused = {0};
    g_free(pm_jvm_wait_line(jvm, "ready", 1));
    pm_parkctl(&refused, "%d attach %s", pm_jvm_pid(jvm), ours);
    g_assert_cmpint(refused.status, !=, 0);
    g_autofree char *err = pm_jvm_stderr(jvm);
    g_assert_nonnull(strstr(err, "the JVM's heap is full"));
    g_assert_null(strstr(err, "cannot use"));
    g_assert_true(pm_parkctl_succeeds("%d attach %s", pm_jvm_pid(jvm), ours));
    g_autoptr(JsonNode) status = pm_parkctl_json("%d status", pm_jvm_pid(jvm));
    g_assert_null(strstr(pm_json_string(json_node_get_object(status), "not_recorded"), "owners"));
}

/* Where the heap is full, or is never collected, and the program itself makes no object: neither
 * does the recorder. */
static void rests(const char *flags, int64_t left, int64_t most_collections, int64_t most_grown)
{
    if (pm_jvm_major() != 25) {
        g_test_skip("only of JDK 25 are the monitors of virtual threads known");
        return;
    }
    g_autofree char *recording = pm_jvm_path("rests.park");
    g_autoptr(PmJvm) jvm = pm_jvm_record(
        recording, "maxsize=8m",
        "-Xmx48m %s -XX:+ExitOnOutOfMemoryError FullHeap %" G_GINT64_FORMAT, flags, left);
    int status = pm_jvm_wait(jvm);
    g_autofree char *out = pm_jvm_stdout(jvm);
    g_test_message("%s: %s", flags, out);
    g_assert_cmpint(status, ==, 0);
    g_autoptr(GPtrArray) rows = pm_jvm_rows(jvm, "rest", 3);
    char **words = rows->pdata[0];
    g_assert_cmpint(g_ascii_strtoll(words[1], NULL, 10), <=, most_collections);
    g_assert_cmpint(g_ascii_strtoll(words[2], NULL, 10), <=, most_grown);
    g_unlink(recording);
}

static void test_full_heap_is_left_alone(void)
{
    rests("-XX:+UseSerialGC -XX:NewRatio=10", 1500000, 0, 200000);
    rests("-XX:+UseParallelGC -XX:NewRatio=10", 1500000, 0, 200000);
    rests("-XX:+UseG1GC -XX:G1HeapRegionSize=1m", 1500000, 0, 1500000);
}

static void test_heap_without_a_collector_is_left_alone(void)
{
    rests("-Xms48m -XX:+UnlockExperimentalVMOptions -XX:+UseEpsilonGC -XX:EpsilonMaxTLABSize=64k",
          16000000, 0, 1000000);
}

/* A group of its own with a limit; NULL: this process may make none. */
static char *limited_group(const char *limit)
{
    static const char *const mounts[][2] = {
        {"/sys/fs/cgroup/memory", "memory.limit_in_bytes"},
        {"/sys/fs/cgroup", "memory.max"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(mounts); i++) {
        char *group = g_strdup_printf("%s/parkmeter-test-%d", mounts[i][0], (int)getpid());
        g_autofree char *file = g_build_filename(group, mounts[i][1], NULL);
        if (g_mkdir(group, 0700) == 0) {
            FILE *stream = g_fopen(file, "r+");
            if (stream && fputs(limit, stream) >= 0 && fclose(stream) == 0)
                return group;
            g_rmdir(group);
        }
        g_free(group);
    }
    return NULL;
}

/* A file in memory counts against the limit of the container, where the kernel would kill the
 * program. */
static void test_file_in_limited_memory(void)
{
    g_autofree char *group = limited_group("67108864");
    g_autofree char *recording = g_strdup_printf("/dev/shm/parkmeter-test-%d.park", (int)getpid());
    g_autoptr(PmJvm) jvm = start(false, "none", "ParkedForever");
    g_auto(PmRun) refused = {0};
    g_free(pm_jvm_wait_line(jvm, "ready", 1));
    g_autofree char *procs = g_strdup_printf("%s/cgroup.procs", group);
    FILE *stream = group ? g_fopen(procs, "r+") : NULL;
    if (!stream || fprintf(stream, "%d", pm_jvm_pid(jvm)) < 0 || fclose(stream) != 0) {
        g_test_skip("this process cannot limit another one's memory");
    } else {
        pm_parkctl(&refused, "%d attach file=%s,maxsize=128m", pm_jvm_pid(jvm), recording);
        g_assert_true(pm_jvm_alive(jvm));
        g_assert_cmpint(refused.status, !=, 0);
        g_autofree char *err = pm_jvm_stderr(jvm);
        g_assert_nonnull(strstr(err, "Cannot allocate memory"));
        g_assert_true(
            pm_parkctl_succeeds("%d attach file=%s,maxsize=8m", pm_jvm_pid(jvm), recording));
    }
    pm_jvm_kill(jvm, 9);
    pm_jvm_wait(jvm);
    g_unlink(recording);
    if (group)
        g_rmdir(group);
}

#define OTHER_WAITS 500 /* the JVM's and the parents' */

/* For a while the recorder is refused all memory, as threads come and go: each park counts, and
 * what is missing is told. */
static void test_refused_for_a_while(void)
{
    g_autofree char *recording = pm_jvm_path("refused.park");
    g_autofree char *refused = pm_jvm_path("refused");
    g_setenv("LD_PRELOAD", g_getenv("PM_REFUSER"), TRUE);
    g_setenv("PM_REFUSED", refused, TRUE);
    g_autoptr(PmJvm) jvm =
        pm_jvm_record(recording, "maxsize=8m", "-Xmx64m -XX:+UseSerialGC EndedThreads 6000 alone");
    g_unsetenv("LD_PRELOAD");
    g_unsetenv("PM_REFUSED");
    g_free(pm_jvm_wait_line(jvm, "begins", 1));
    g_usleep(500000);
    g_assert_true(g_file_set_contents(refused, "", 0, NULL));
    g_usleep(2000000);
    g_unlink(refused);
    g_autofree char *parks = pm_jvm_wait_line(jvm, "parks ", 1);
    g_usleep(2000000);
    g_autoptr(JsonNode) status = pm_parkctl_json("%d status", pm_jvm_pid(jvm));
    int64_t dropped = pm_json_int(json_node_get_object(status), "dropped");
    g_assert_cmpint(pm_json_int(json_node_get_object(status), "refused_thread_unknown"), >, 0);
    pm_jvm_kill(jvm, 15);
    pm_jvm_wait(jvm);

    int64_t n_parks = g_ascii_strtoll(parks + strlen("parks "), NULL, 10), missing = 0;
    g_autoptr(JsonNode) info = pm_parkctl_json("info %s", recording);
    JsonArray *gaps = pm_json_array(info, "gaps");
    for (guint i = 0; i < json_array_get_length(gaps); i++)
        missing += pm_json_int(json_array_get_object_element(gaps, i), "count");
    int64_t n_told =
        pm_json_int(json_object_get_object_member(json_node_get_object(info), "recording"),
                    "waits") +
        missing;
    g_test_message("%" G_GINT64_FORMAT " waits are told, %" G_GINT64_FORMAT " as missing", n_told,
                   missing);
    g_assert_cmpint(missing, ==, dropped);
    g_assert_cmpint(n_told, >=, n_parks);
    g_assert_cmpint(n_told, <=, n_parks + OTHER_WAITS);
}

/* Objects of which there are many leave after their only use; each that returns does so once. */
static void test_objects_return_once(void)
{
    if (!g_getenv("PM_LONG")) {
        g_test_skip("takes a minute: tests/long");
        return;
    }
    g_autofree char *recording = pm_jvm_path("returning.park");
    g_autoptr(PmJvm) jvm = pm_jvm_record(recording, "maxsize=32m", "-Xmx64m Returning 7000 5");
    g_assert_cmpint(pm_jvm_wait(jvm), ==, 0);
    g_autoptr(JsonNode) tree =
        pm_parkctl_json("tree %s --idle --limit=0 --class=Returning --by=blocker", recording);
    const guint n_rows = json_array_get_length(pm_json_array(tree, "nodes"));
    g_test_message("%u rows of 7000 objects", n_rows);
    g_assert_cmpuint(n_rows, <=, 14000 + 700);
    g_unlink(recording);
}

int main(int argc, char **argv)
{
    pm_jvm_init(&argc, &argv);
    pm_jvm_add("/memory/locked-before", test_locked_before);
    pm_jvm_add("/memory/locked-as-it-starts", test_locked_as_it_starts);
    pm_jvm_add("/memory/locked-later", test_locked_later);
    pm_jvm_add("/memory/attached-to-locked", test_attached_to_locked);
    pm_jvm_add("/memory/locked-on-fault", test_locked_on_fault);
    pm_jvm_add("/memory/many-threads", test_many_threads);
    pm_jvm_add("/memory/virtual-threads", test_virtual_threads);
    pm_jvm_add("/memory/may-lock-little", test_may_lock_little);
    pm_jvm_add("/memory/little-space", test_little_space);
    pm_jvm_add("/memory/attached-to-full-heap", test_attached_to_full_heap);
    pm_jvm_add("/memory/full-heap-is-left-alone", test_full_heap_is_left_alone);
    pm_jvm_add("/memory/heap-without-a-collector-is-left-alone",
               test_heap_without_a_collector_is_left_alone);
    pm_jvm_add("/memory/file-in-limited-memory", test_file_in_limited_memory);
    pm_jvm_add("/memory/refused-for-a-while", test_refused_for_a_while);
    pm_jvm_add("/memory/objects-return-once", test_objects_return_once);
    return pm_jvm_run();
}
