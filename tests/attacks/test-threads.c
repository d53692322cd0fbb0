/* What threads can do to a recorder: end with their monitor held, attach and detach all the time,
 * leave a wait without a word, lose what they wait for, be carried by whomever, be very many. */
#include "tests/jvm/jvm.h"

#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

/* tests/long asks for more of everything. */
static gint64 scaled(gint64 usual, gint64 in_long)
{
    return g_getenv("PM_LONG") ? in_long : usual;
}

static gint64 number_after(const char *text, const char *word)
{
    const char *at = strstr(text, word);
    g_assert_nonnull(at);
    return g_ascii_strtoll(at + strlen(word), NULL, 10);
}

static JsonNode *status_of(PmJvm *jvm)
{
    return pm_parkctl_json("%d status", pm_jvm_pid(jvm));
}

static gint64 status_number(PmJvm *jvm, const char *member)
{
    g_autoptr(JsonNode) node = status_of(jvm);
    return pm_json_int(json_node_get_object(node), member);
}

/* Waits in the tree of a recording whose key begins so; `where` are further filters. */
static gint64 count_of(const char *recording, const char *where, const char *by, const char *key)
{
    g_autoptr(JsonNode) tree =
        pm_parkctl_json("tree %s --idle --limit=0 %s --by=%s", recording, where, by);
    JsonArray *nodes = pm_json_array(tree, "nodes");
    gint64 n = 0;
    for (guint i = 0; i < json_array_get_length(nodes); i++) {
        JsonObject *node = json_array_get_object_element(nodes, i);
        if (g_str_has_prefix(pm_json_string(node, "key"), key))
            n += pm_json_int(node, "count");
    }
    return n;
}

/* How many objects of a class live in the JVM, after a full collection. */
static gint64 n_living(PmJvm *jvm, const char *class)
{
    g_auto(PmRun) run = {0};
    pm_jvm_jcmd(&run, jvm, "GC.class_histogram");
    g_auto(GStrv) lines = g_strsplit(run.out, "\n", -1);
    for (guint i = 0; lines[i]; i++) {
        gint64 n;
        char name[200];
        if (sscanf(lines[i], " %*d: %" G_GINT64_FORMAT " %*d %199s", &n, name) == 2 &&
            strcmp(name, class) == 0)
            return n;
    }
    return 0;
}

static gint64 resident_kib(PmJvm *jvm)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/status", pm_jvm_pid(jvm));
    g_autofree char *text = NULL;
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    return number_after(text, "VmRSS:");
}

/* -- threads that end -- */

#define ADDED_KIB 10240 /* by the recorder, at most: some hundred threads a second come and go */

static void test_nothing_outlives_its_thread(void)
{
    g_autofree char *recording = pm_jvm_path("ended.park");
    gint64 count = scaled(4000, 1000000);
    g_autofree char *program = g_strdup_printf(
        "-Xms64m -Xmx64m -XX:+AlwaysPreTouch -XX:+UseSerialGC EndedThreads %" G_GINT64_FORMAT,
        count);
    g_autoptr(PmJvm) without = pm_jvm_start(NULL, program);
    g_autoptr(PmJvm) jvm = pm_jvm_record(recording, "maxsize=8m", "%s", program);
    pm_jvm_set_patience(jvm, (int)scaled(120, 3600));
    pm_jvm_set_patience(without, (int)scaled(120, 3600));
    g_autofree char *parks = pm_jvm_wait_line(jvm, "parks ", 1);

    g_free(pm_jvm_wait_line(jvm, "ready", 1));
    g_usleep(2 * G_USEC_PER_SEC);
    gint64 living = n_living(jvm, "EndedThreads$Child");
    gint64 slots = status_number(jvm, "slots");
    g_free(pm_jvm_wait_line(without, "ready", 1));
    g_assert_cmpint(n_living(without, "EndedThreads$Child"), ==, 0);
    gint64 added = resident_kib(jvm) - resident_kib(without);
    g_test_message("%" G_GINT64_FORMAT " threads: %" G_GINT64_FORMAT
                   " still live, %" G_GINT64_FORMAT " slots in use, %" G_GINT64_FORMAT
                   " KiB resident, %" G_GINT64_FORMAT " more than without the recorder",
                   count, living, slots, resident_kib(jvm), added);
    g_assert_cmpint(added, <, ADDED_KIB);
    g_assert_cmpint(living, ==, 0);
    g_assert_cmpint(slots, <, 100);
    g_assert_cmpint(status_number(jvm, "dropped"), ==, 0);
    pm_jvm_kill(jvm, 15);
    pm_jvm_wait(jvm);
    g_assert_cmpint(pm_recorded_times(recording, "java.lang.Object", "park"), ==,
                    number_after(parks, "parks "));
    g_unlink(recording);
}

/* -- threads that attach -- */

static void test_attaching_threads(void)
{
    gint64 rounds = scaled(1, 10);
    for (gint64 round = 0; round < rounds; round++) {
        g_autofree char *recording = pm_jvm_path("natives.park");
        g_autofree char *library = pm_jvm_path("guests.so");
        g_unlink(library);
        g_assert_cmpint(symlink(g_getenv("PM_GUESTS"), library), ==, 0);
        g_autoptr(PmJvm) jvm = pm_jvm_record(
            recording, "maxsize=64m", "-Xcheck:jni %s NativeThreads %s %" G_GINT64_FORMAT,
            pm_jvm_major() >= 24 ? "--enable-native-access=ALL-UNNAMED" : "", library,
            scaled(5, 60));
        g_free(pm_jvm_wait_line(jvm, "entered ", 1));
        g_assert_cmpint(pm_jvm_wait(jvm), ==, 0);

        gint64 all = count_of(recording, "--kind=enter", "kind", "");
        gint64 unknown = count_of(recording, "--kind=enter", "owner", "(no owner)");
        g_test_message("%" G_GINT64_FORMAT " entries, the owner of %" G_GINT64_FORMAT
                       " is not known",
                       all, unknown);
        g_assert_cmpint(all, >, 100);
        g_assert_cmpint(unknown * 20, <=, all);
        g_unlink(recording);
    }
}

/* -- waits that throw -- */

static void test_waits_that_throw(void)
{
    g_autofree char *recording = pm_jvm_path("thrown.park");
    g_autofree char *dump = pm_jvm_path("thrown-dump.park");
    g_autoptr(PmJvm) jvm = pm_jvm_record(
        recording, "maxsize=16m", "-Xcheck:jni ThrownWaits %" G_GINT64_FORMAT, scaled(100, 10000));
    g_autofree char *line = pm_jvm_wait_line(jvm, "parks ", 1);
    g_auto(PmRun) now = {0};

    g_free(pm_jvm_wait_line(jvm, "ready", 1));
    /* On a busy machine it may take a while until all four have begun to wait. */
    for (guint tries = 0; tries < 100 && !(now.out && strstr(now.out, "thrower-* (4)")); tries++) {
        pm_run_clear(&now);
        g_usleep(tries * 10000);
        pm_parkctl(&now, "%d now --idle", pm_jvm_pid(jvm));
        g_assert_cmpint(now.status, ==, 0);
    }
    g_assert_nonnull(strstr(now.out, "thrower-* (4)"));
    g_assert_null(strstr(now.out, "last-word"));
    g_assert_null(strstr(now.out, "runner"));
    g_assert_true(pm_parkctl_succeeds("%d dump filename=%s", pm_jvm_pid(jvm), dump));

    static const char threads[] = "--group=thrower-*";
    g_assert_cmpint(count_of(dump, threads, "kind", "park"), ==, number_after(line, "parks "));
    g_assert_cmpint(count_of(dump, threads, "kind", "Object.wait"), ==,
                    number_after(line, "waits ") + number_after(line, "interrupted "));
    g_assert_cmpint(count_of(dump, "--group=thrower-* --kind=wait", "wake-cause", "timeout"), ==,
                    number_after(line, "waits "));
    /* Where the JVM clears the interrupt before it tells of the wait, nothing is claimed. */
    gint64 unknown = count_of(dump, "--group=thrower-* --kind=wait", "wake-cause", "(unknown)");
    gint64 interrupts = count_of(dump, "--group=thrower-* --kind=wait", "wake-cause", "interrupt");
    g_assert_cmpint(pm_jvm_major() < 21 ? interrupts : unknown + interrupts, ==,
                    number_after(line, "interrupted "));
    g_assert_cmpint(count_of(dump, "--thread=runner", "kind", ""), ==, 0);
    g_assert_cmpint(count_of(dump, "--thread=last-word", "kind", ""), ==, 0);
    g_unlink(recording);
    g_unlink(dump);
}

/* -- stacks that end -- */

static void test_deep_stacks(void)
{
    static const char *const options[] = {"stackdepth=512", "stackdepth=512,alloc=1k"};
    static const char *const flags[] = {"-Xint", "-XX:TieredStopAtLevel=1", ""};
    for (guint i = 0; i < G_N_ELEMENTS(options) * G_N_ELEMENTS(flags); i++) {
        g_autofree char *recording = pm_jvm_path("deep.park");
        g_autofree char *given =
            g_strdup_printf("file=%s,maxsize=8m,%s", recording, options[i / G_N_ELEMENTS(flags)]);
        g_autofree char *arguments = g_strdup_printf("%s DeepStack %" G_GINT64_FORMAT,
                                                     flags[i % G_N_ELEMENTS(flags)], scaled(1, 20));
        g_autoptr(PmJvm) jvm = pm_jvm_start(given, arguments);
        g_assert_cmpint(pm_jvm_wait(jvm), ==, 0);
        g_autofree char *out = pm_jvm_stdout(jvm);
        g_autofree char *err = pm_jvm_stderr(jvm);
        g_assert_cmpstr(out, ==, "survived\n");
        g_assert_cmpstr(err, ==, "");
        g_unlink(recording);
    }
}

/* -- virtual threads of another scheduler -- */

static void test_custom_scheduler(void)
{
    if (pm_jvm_major() < 24) {
        g_test_skip("no virtual threads, or they wait for a monitor on one of the two porters");
        return;
    }
    g_autofree char *recording = pm_jvm_path("custom.park");
    g_autoptr(PmJvm) jvm =
        pm_jvm_record(recording, "maxsize=16m",
                      "-Xcheck:jni --add-opens=java.base/java.lang=ALL-UNNAMED CustomScheduler 50");
    g_autofree char *line = pm_jvm_wait_line(jvm, "parks ", 1);
    g_assert_cmpint(pm_jvm_wait(jvm), ==, 0);

    static const char guests[] = "--group=guest-*";
    g_assert_cmpint(count_of(recording, guests, "kind", "park"), ==, number_after(line, "parks "));
    g_assert_cmpint(count_of(recording, guests, "kind", "Object.wait"), ==,
                    number_after(line, "waits "));
    /* The owner is read without stopping anybody: one may be missed. Where others held the door
     * after main, its part is inferred (~). */
    static const char entries[] = "--group=guest-* --kind=enter";
    g_assert_cmpint(count_of(recording, entries, "owner", "main") +
                        count_of(recording, entries, "owner", "~main"),
                    >=, number_after(line, "entries ") - 1);
    /* Nothing of theirs is charged to who carries them. */
    g_assert_cmpint(count_of(recording, "--group=porter", "kind", "Object.wait"), ==, 0);
    g_assert_cmpint(count_of(recording, "--group=porter", "class", "java.lang.Class"), ==, 0);
    g_unlink(recording);
}

/* -- a crowd -- */

/* Safepoints of a run but for its collections, in ns: how long all took together, and the longest.
 */
static void sum_safepoints(const char *log, gint64 *ret_sum, gint64 *ret_longest)
{
    g_autofree char *text = NULL;
    *ret_sum = *ret_longest = 0;
    g_assert_true(g_file_get_contents(log, &text, NULL, NULL));
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (guint i = 0; lines[i]; i++) {
        const char *total = strstr(lines[i], "Total: ");
        if (!total || strstr(lines[i], "Collect"))
            continue;
        gint64 ns = g_ascii_strtoll(total + strlen("Total: "), NULL, 10);
        *ret_sum += ns;
        *ret_longest = MAX(*ret_longest, ns);
    }
}

static void run_crowd(bool recorded, gint64 *ret_sum, gint64 *ret_longest)
{
    g_autofree char *recording = pm_jvm_path("crowd.park");
    g_autofree char *log = pm_jvm_path("safepoints.log");
    g_autofree char *options = recorded ? g_strdup_printf("file=%s,maxsize=16m", recording) : NULL;
    gint64 seconds = scaled(4, 30);
    g_autofree char *arguments = g_strdup_printf(
        "-Xmx256m -XX:+UseSerialGC -Xlog:safepoint:file=%s IdleCrowd %" G_GINT64_FORMAT
        " %" G_GINT64_FORMAT,
        log, scaled(1000, 10000), seconds);
    g_autoptr(PmJvm) jvm = pm_jvm_start(options, arguments);
    g_free(pm_jvm_wait_line(jvm, "ready", 1));
    g_autofree char *mark = NULL;
    g_assert_true(g_file_get_contents(log, &mark, NULL, NULL));
    g_free(pm_jvm_wait_line(jvm, "contended ", 1));
    sum_safepoints(log, ret_sum, ret_longest);
    if (recorded) {
        g_test_message("%" G_GINT64_FORMAT " walks of other threads' stacks, %" G_GINT64_FORMAT
                       " ns in all, the longest %" G_GINT64_FORMAT " ns",
                       status_number(jvm, "stops"), status_number(jvm, "stopped_ns"),
                       status_number(jvm, "longest_stop_ns"));
        g_assert_cmpint(status_number(jvm, "stopped_ns"), <=, seconds * 1000000 + 20000000);
    }
    g_unlink(recording);
    g_unlink(log);
}

static char *crowd(void)
{
    gint64 with, without, longest_with, longest_without;
    run_crowd(false, &without, &longest_without);
    run_crowd(true, &with, &longest_with);
    g_test_message("safepoints: %" G_GINT64_FORMAT
                   " ns with the recorder (longest %" G_GINT64_FORMAT "), %" G_GINT64_FORMAT
                   " without",
                   with, longest_with, without);
    gint64 more = with - without, wall = scaled(4, 30) * 1000000000;
    return more * 1000 <= wall ? NULL
                               : g_strdup_printf("%" G_GINT64_FORMAT " ns more than without", more);
}

/* Where the kernel tells of the recorder's thread of this name, owned; NULL: it is not there. */
static char *find_schedstat(PmJvm *jvm, const char *thread)
{
    g_autofree char *folder = g_strdup_printf("/proc/%d/task", pm_jvm_pid(jvm));
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    for (const char *tid; dir && (tid = g_dir_read_name(dir));) {
        g_autofree char *comm = g_strdup_printf("%s/%s/comm", folder, tid);
        g_autofree char *name = NULL;
        if (g_file_get_contents(comm, &name, NULL, NULL) && strcmp(g_strchomp(name), thread) == 0)
            return g_strdup_printf("%s/%s/schedstat", folder, tid);
    }
    return NULL;
}

/* Its processor time, in ns; 0: it is not there. */
static gint64 used_at(const char *schedstat)
{
    g_autofree char *text = NULL;
    return schedstat && g_file_get_contents(schedstat, &text, NULL, NULL)
               ? g_ascii_strtoll(text, NULL, 10)
               : 0;
}

static gint64 used_by(PmJvm *jvm, const char *thread)
{
    g_autofree char *schedstat = find_schedstat(jvm, thread);
    return used_at(schedstat);
}

/* Some thousand threads stand idle: the JVM takes long to list them, and JDK 25 looks at all of
 * them with each that it is asked about. */
static void test_a_crowd_costs_little(void)
{
    static const char *const threads[] = {"parkmeter-look", "parkmeter-sweep"};
    g_autofree char *recording = pm_jvm_path("crowd.park");
    const gint64 count = scaled(4000, 10000), seconds = scaled(12, 60);
    g_autoptr(PmJvm) jvm =
        pm_jvm_record(recording, "maxsize=16m",
                      "-Xmx256m -XX:+UseSerialGC IdleCrowd %" G_GINT64_FORMAT " 1000 lock", count);
    gint64 used_ns = 0;
    pm_jvm_set_patience(jvm, 120);
    g_free(pm_jvm_wait_line(jvm, "ready", 1));
    for (guint i = 0; i < G_N_ELEMENTS(threads); i++)
        used_ns -= used_by(jvm, threads[i]);
    g_usleep((gulong)seconds * G_USEC_PER_SEC);
    for (guint i = 0; i < G_N_ELEMENTS(threads); i++)
        used_ns += used_by(jvm, threads[i]);
    g_test_message("%" G_GINT64_FORMAT " us in %" G_GINT64_FORMAT " s", used_ns / 1000, seconds);
    g_assert_cmpint(used_ns, <=, seconds * 15000000); /* 1.5 % of a processor */
    g_unlink(recording);
}

/* The most that the thread uses of a processor in 25 ms, within that time, in ns. What could not be
 * looked at in time, as the machine was busy, may be more: a fifth of that. `since_us`: the thread
 * began after that; 0: it was there. */
static gint64 longest_burst(PmJvm *jvm, const char *thread, gint64 since_us, gint64 seconds,
                            gint64 *ret_used_ns)
{
    g_autofree char *schedstat = find_schedstat(jvm, thread);
    const gint64 first_ns = since_us ? 0 : used_at(schedstat), now = g_get_monotonic_time();
    gint64 used_ns = first_ns, burst_ns = 0, at_us = since_us ? since_us : now,
           until_us = now + seconds * G_USEC_PER_SEC;
    while (at_us < until_us) {
        g_usleep(25000);
        const gint64 now_us = g_get_monotonic_time(), now_ns = used_at(schedstat);
        burst_ns = MAX(burst_ns, now_ns - used_ns - (now_us - at_us - 25000) * 200);
        used_ns = now_ns;
        at_us = now_us;
    }
    *ret_used_ns = used_ns - first_ns;
    g_test_message("%s: %" G_GINT64_FORMAT " us in all, at most %" G_GINT64_FORMAT " in 25 ms",
                   thread, *ret_used_ns / 1000, burst_ns / 1000);
    return burst_ns;
}

/* Threads that sleep are in nothing that is recorded, and may be waiting for a class to be
 * initialised: each is looked at once. */
static void test_sleepers_are_looked_at_once(void)
{
    g_autofree char *recording = pm_jvm_path("sleepers.park");
    const gint64 count = scaled(800, 10000), seconds = scaled(5, 60);
    g_autoptr(PmJvm) jvm =
        pm_jvm_record(recording, "maxsize=16m", "-Xmx256m StillCrowd %" G_GINT64_FORMAT, count);
    gint64 used_ns;
    pm_jvm_set_patience(jvm, 120);
    g_free(pm_jvm_wait_line(jvm, "ready", 1));
    /* Until all were looked at: 256 in a second whether they move, twice. */
    g_usleep((gulong)(count / 100 + 5) * G_USEC_PER_SEC);
    longest_burst(jvm, "parkmeter-sweep", 0, seconds, &used_ns);
    g_assert_cmpint(used_ns, <=, seconds * 12000000); /* 1.2 % of a processor */
    g_unlink(recording);
}

/* Each of some thousand threads waits as the recorder is attached. */
static void test_an_attach_is_no_burst(void)
{
    g_autofree char *recording = pm_jvm_path("attached.park");
    g_autofree char *arguments = g_strdup_printf(
        "-Xmx256m %s IdleCrowd %" G_GINT64_FORMAT " 0",
        pm_jvm_major() >= 21 ? "-XX:+EnableDynamicAgentLoading" : "", scaled(4000, 10000));
    g_autoptr(PmJvm) jvm = pm_jvm_start(NULL, arguments);
    gint64 used_ns;
    pm_jvm_set_patience(jvm, 120);
    g_free(pm_jvm_wait_line(jvm, "contended", 1));
    const gint64 since_us = g_get_monotonic_time();
    g_assert_true(pm_parkctl_succeeds("%d attach file=%s,maxsize=16m", pm_jvm_pid(jvm), recording));
    const gint64 burst_ns =
        longest_burst(jvm, "parkmeter-sweep", since_us, scaled(8, 60), &used_ns);
    g_assert_cmpint(burst_ns, <, 16000000);
    g_assert_cmpint(status_number(jvm, "in_progress"), >=, scaled(4000, 10000));
    g_unlink(recording);
}

/* Who among thousands of virtual threads holds a monitor takes long to find, but never a processor
 * for long: where a container is limited to a part of one, the program would stand still. */
static void test_a_search_is_no_burst(void)
{
    if (pm_jvm_major() != 25) {
        g_test_skip("no such search");
        return;
    }
    g_autofree char *recording = pm_jvm_path("search.park");
    g_autoptr(PmJvm) jvm =
        pm_jvm_record(recording, "maxsize=16m", "-Xmx1g VirtualCrowd 8000 never keeper");
    gint64 used_ns;
    g_free(pm_jvm_wait_line(jvm, "ready", 1));
    const gint64 burst_ns = longest_burst(jvm, "parkmeter-look", 0, scaled(8, 60), &used_ns);
    g_assert_cmpint(used_ns, >, 30000000); /* it has searched */
    g_assert_cmpint(burst_ns, <, 8000000);
    g_unlink(recording);
}

/* Whoever holds what nobody waits for any more is not searched for. */
static void test_a_search_ends_with_its_wait(void)
{
    if (pm_jvm_major() != 25) {
        g_test_skip("no such search");
        return;
    }
    g_autofree char *recording = pm_jvm_path("search.park");
    g_autoptr(PmJvm) jvm =
        pm_jvm_record(recording, "maxsize=16m", "-Xmx1g VirtualCrowd 8000 never 2500");
    gint64 used_ns;
    g_free(pm_jvm_wait_line(jvm, "ready", 1));
    g_free(pm_jvm_wait_line(jvm, "had", 1));
    const gint64 seconds = scaled(6, 20);
    longest_burst(jvm, "parkmeter-look", 0, seconds, &used_ns);
    /* Samples alone take half a percent of a processor, the search more than two. */
    g_assert_cmpint(used_ns, <, seconds * 13000000);
    g_unlink(recording);
}

/* -- threads that leave no processor to others -- */

/* The recorder's thread is behind by hundreds of thousands of waits as the JVM ends. NULL: it has
 * stored all of them. */
static char *end_under_load(void)
{
    g_autofree char *recording = pm_jvm_path("overload.park");
    g_autoptr(PmJvm) jvm = pm_jvm_record(
        recording, "maxsize=64m", "-Xmx128m Overload 50 %" G_GINT64_FORMAT, scaled(1500, 5000));
    const int status = pm_jvm_wait(jvm);
    g_autofree char *err = pm_jvm_stderr(jvm);
    g_auto(PmRun) verified = {0};
    g_assert_cmpint(status, ==, 0);
    pm_parkctl(&verified, "verify %s", recording);
    g_assert_cmpint(verified.status, ==, 0);
    g_test_message("%s", verified.out);
    g_unlink(recording);
    return err[0] ? g_strdup(err) : NULL;
}

/* -- threads whose blocker is taken away -- */

static void test_taken_blockers(void)
{
    g_autofree char *recording = pm_jvm_path("taken.park");
    g_autoptr(PmJvm) jvm =
        pm_jvm_record(recording, "maxsize=8m",
                      "-Xmn1m -Xmx64m -XX:+UseSerialGC --add-opens=java.base/java.lang=ALL-UNNAMED"
                      " TakenBlockers %" G_GINT64_FORMAT,
                      scaled(8, 60));
    g_assert_cmpint(pm_jvm_wait(jvm), ==, 0);
    g_free(pm_jvm_wait_line(jvm, "parks ", 1));
    g_unlink(recording);
}

/* -- threads that share one tid -- */

/* A lock may belong to a thread that never starts, ended long ago, or was made without its
 * constructor: who is found so leaves again, and one that starts later is like any other. */
static void test_owners_that_do_not_live(void)
{
    g_autofree char *recording = pm_jvm_path("owners.park");
    const gint64 rounds = scaled(20000, 300000);
    g_autoptr(PmJvm) jvm =
        pm_jvm_record(recording, "maxsize=16m", "-Xmx256m StrangeOwners %" G_GINT64_FORMAT, rounds);
    g_free(pm_jvm_wait_line(jvm, "done", 1));
    const gint64 bytes = status_number(jvm, "memory_bytes");
    g_test_message("%" G_GINT64_FORMAT " bytes", bytes);
    g_assert_cmpint(bytes, <, 16 << 20);
    g_assert_true(pm_parkctl_succeeds("%d dump filename=%s.copy", pm_jvm_pid(jvm), recording));
    g_autofree char *copy = g_strdup_printf("%s.copy", recording);
    g_assert_cmpint(count_of(copy, "--thread=late", "kind", "park"), ==, 100);
    g_unlink(copy);
    g_unlink(recording);
}

static void test_shared_tids(void)
{
    g_autofree char *recording = pm_jvm_path("tids.park");
    g_autoptr(PmJvm) jvm = pm_jvm_record(recording, "maxsize=8m",
                                         "-Xmx128m SharedTids %" G_GINT64_FORMAT, scaled(4, 60));
    g_assert_cmpint(pm_jvm_wait(jvm), ==, 0);
    g_free(pm_jvm_wait_line(jvm, "parks ", 1));
    g_unlink(recording);
}

/* -- JVMs of all kinds -- */

/* The first few in each run of the tests, all of them in tests/long. What a JDK does not know, or
 * does not start with, is left out. */
static const char *const flags[] = {
    "-Xcheck:jni -XX:+IgnoreUnrecognizedVMOptions -XX:+UnlockExperimentalVMOptions "
    "-XX:+UseCompactObjectHeaders",
    "-Xint -XX:-UseCompressedOops -XX:+UseZGC",
    "-XX:+UseSerialGC",
    "-XX:+UseParallelGC",
    "-XX:+UseShenandoahGC",
    "-XX:+UnlockExperimentalVMOptions -XX:+UseEpsilonGC -Xmx2g",
    "-Xcheck:jni",
    "-Xcomp",
    "-XX:TieredStopAtLevel=1",
    "-XX:-TieredCompilation",
    "-XX:-UseCompressedClassPointers",
    "-XX:+UnlockDiagnosticVMOptions -XX:+VerifyBeforeGC -XX:+VerifyAfterGC",
    "-Xshare:off",
    "-Xss228k",
    "-Xss512m",
    "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0",
    "-XX:+UnlockDiagnosticVMOptions -XX:+StressLCM",
    "-XX:+UseStringDeduplication",
    "-Xrs",
    "-XX:NativeMemoryTracking=detail",
    "-XX:+UnlockDiagnosticVMOptions -XX:GuaranteedSafepointInterval=1",
    "-XX:+UnlockDiagnosticVMOptions -XX:+SafepointALot",
    "-XX:ReservedCodeCacheSize=4m",
    "-XX:-SegmentedCodeCache",
    "-XX:-UsePerfData -XX:+DisableAttachMechanism",
    "-XX:-Inline",
    "-XX:-DoEscapeAnalysis",
    "-XX:+PreserveFramePointer",
    "-XX:+UseBiasedLocking -XX:BiasedLockingStartupDelay=0",
    "-XX:+UseHeavyMonitors",
    "-XX:LockingMode=0",
    "-XX:LockingMode=1",
    "-XX:+UnlockDiagnosticVMOptions -XX:+UseObjectMonitorTable",
    "-XX:+UnlockExperimentalVMOptions -XX:-VMContinuations",
    "-Djdk.trackAllThreads=false",
    "-Djdk.virtualThreadScheduler.parallelism=1",
    "-XX:+UnlockExperimentalVMOptions -XX:hashCode=2",
};

/* The recording counts what the program counted; NULL when it does. Owned. */
static char *miscounted(const char *recording, PmJvm *jvm)
{
    static const struct {
        const char *group, *word, *kinds[2];
    } counted[] = {{"--group=guest-*", "guests ", {"park", "Object.wait"}},
                   {"--group=virtual-*", "virtual ", {"park", "Object.wait"}},
                   {"--group=entrant-*", "entrants ", {"synchronized"}}};
    g_autofree char *line = pm_jvm_wait_line(jvm, "guests ", 1);
    for (guint i = 0; i < G_N_ELEMENTS(counted); i++)
        for (guint k = 0; k < 2 && counted[i].kinds[k]; k++) {
            gint64 n = count_of(recording, counted[i].group, "kind", counted[i].kinds[k]);
            if (n != number_after(line, counted[i].word))
                return g_strdup_printf("%" G_GINT64_FORMAT " of %s by %s", n, counted[i].kinds[k],
                                       counted[i].group);
        }
    return NULL;
}

/* False: this JDK does not start with these flags, with a recorder or without. */
static bool count_with(const char *given)
{
    g_autofree char *recording = pm_jvm_path("counted.park");
    g_autoptr(PmJvm) jvm =
        pm_jvm_record(recording, "maxsize=8m,alloc=64k", "-Xmx128m %s Counted", given);
    int status = pm_jvm_wait(jvm);
    g_autofree char *out = pm_jvm_stdout(jvm);
    g_autofree char *err = pm_jvm_stderr(jvm);
    if (status == 1) {
        g_auto(PmRun) version = {0};
        pm_jvm_run_java(&version, "%s -version", given);
        if (version.status)
            return false;
    }
    g_autofree char *wrong = status == 0 ? miscounted(recording, jvm) : NULL;
    if (status || wrong || strstr(err, "parkmeter:") || strstr(out, "in native method"))
        g_test_message("%s: status %d, %s\n%s%s", given, status, wrong, out, err);
    g_assert_cmpint(status, ==, 0);
    g_assert_cmpstr(wrong, ==, NULL);
    g_assert_null(strstr(err, "parkmeter:"));
    g_assert_null(strstr(out, "in native method")); /* what -Xcheck:jni says */
    g_unlink(recording);
    return true;
}

static void test_counts_under_any_flags(void)
{
    for (guint i = 0; i < (guint)scaled(1, G_N_ELEMENTS(flags)); i++)
        if (!count_with(flags[i]))
            g_test_message("does not start: %s", flags[i]);
}

int main(int argc, char **argv)
{
    pm_jvm_init(&argc, &argv);
    pm_jvm_add("/attacks/threads/nothing-outlives-its-thread", test_nothing_outlives_its_thread);
    pm_jvm_add("/attacks/threads/attaching-and-detaching", test_attaching_threads);
    pm_jvm_add("/attacks/threads/waits-that-throw", test_waits_that_throw);
    pm_jvm_add("/attacks/threads/taken-blockers", test_taken_blockers);
    pm_jvm_add("/attacks/threads/shared-tids", test_shared_tids);
    pm_jvm_add("/attacks/threads/owners-that-do-not-live", test_owners_that_do_not_live);
    pm_jvm_add("/attacks/threads/deep-stacks", test_deep_stacks);
    pm_jvm_add("/attacks/threads/custom-scheduler", test_custom_scheduler);
    pm_jvm_add("/attacks/threads/counts-under-any-flags", test_counts_under_any_flags);
    pm_jvm_add("/attacks/threads/a-crowd-costs-little", test_a_crowd_costs_little);
    pm_jvm_add("/attacks/threads/sleepers-are-looked-at-once", test_sleepers_are_looked_at_once);
    pm_jvm_add("/attacks/threads/an-attach-is-no-burst", test_an_attach_is_no_burst);
    pm_jvm_add("/attacks/threads/a-search-is-no-burst", test_a_search_is_no_burst);
    pm_jvm_add("/attacks/threads/a-search-ends-with-its-wait", test_a_search_ends_with_its_wait);
    pm_jvm_add_attempts("/attacks/threads/end-under-load", 8, end_under_load);
    pm_jvm_add_attempts("/attacks/threads/a-crowd-is-never-stopped", 3, crowd);
    return pm_jvm_run();
}
