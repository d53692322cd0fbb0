/* Virtual threads: a program that knows how often they wait, on what and because of whom. Skipped
 * where there are none that unmount (before JDK 21). */
#include <glib/gstdio.h>
#include <string.h>

#include "tests/jvm/jvm.h"

#define WALKERS 8 /* of VirtualWaits.java */

static bool is_skipped(void)
{
    if (pm_jvm_major() >= 21)
        return false;
    g_test_skip("no virtual threads, or none that unmount");
    return true;
}

/* Before JDK 24 whoever waits for a monitor keeps its carrier: one for each, and for the rest. */
static const char *carriers(void)
{
    return pm_jvm_major() < 24 ? "-Djdk.virtualThreadScheduler.parallelism=16 " : "";
}

/* The program, as far as `ready`, and what it said of its parks. */
static PmJvm *start(const char *recording, const char *more_options, const char *arguments,
                    gint64 *ret_parks, gint64 *ret_parked_ns)
{
    g_autofree char *options = g_strdup_printf("file=%s,maxsize=64m%s", recording, more_options);
    g_autofree char *all_arguments = g_strconcat(carriers(), arguments, NULL);
    PmJvm *jvm = pm_jvm_start(options, all_arguments);
    g_autofree char *line = pm_jvm_wait_line(jvm, "parks ", 1);
    g_auto(GStrv) words = g_strsplit(line, " ", 3);

    *ret_parks = g_ascii_strtoll(words[1], NULL, 10);
    *ret_parked_ns = g_ascii_strtoll(words[2], NULL, 10);
    g_free(pm_jvm_wait_line(jvm, "ready", 1));
    return jvm;
}

/* -Xcheck:jni has nothing to say of us, nor the agent. */
static void assert_silent(PmJvm *jvm)
{
    g_autofree char *err = pm_jvm_stderr(jvm);

    g_assert_null(strstr(err, "native method"));
    g_assert_null(strstr(err, "parkmeter"));
}

struct sums {
    gint64 times, now, thread_time_ns, n_rows;
};

static struct sums sums_of(JsonNode *report, const char *class, const char *kind)
{
    struct sums sums = {0};
    JsonArray *rows = pm_json_array(report, "blockers");

    for (guint i = 0; i < json_array_get_length(rows); i++) {
        JsonObject *row = json_array_get_object_element(rows, i);
        if (!g_str_has_prefix(pm_json_string(row, "class"), class) ||
            g_strcmp0(pm_json_string(row, "kind"), kind) != 0)
            continue;
        sums.n_rows++;
        sums.times += pm_json_int(row, "times_parked");
        sums.now += pm_json_int(row, "parked_now");
        sums.thread_time_ns += pm_json_int(row, "thread_time_ns");
        g_assert_cmpstr(pm_json_string(row, "quality"), ==, "exact");
    }
    return sums;
}

/* How many waits of the walkers on this class, of this kind (NULL: any), have this key. */
static gint64 count_of(const char *recording, const char *class, const char *kind,
                       const char *aspect, const char *key)
{
    g_autofree char *of_kind = kind ? g_strdup_printf(" --kind=%s", kind) : g_strdup("");
    g_autoptr(JsonNode) tree =
        pm_parkctl_json("tree %s --idle --limit=0 --class=%s%s --group=walker-* --by=%s", recording,
                        class, of_kind, aspect);
    JsonArray *nodes = pm_json_array(tree, "nodes");
    gint64 count = 0;

    for (guint i = 0; i < json_array_get_length(nodes); i++) {
        JsonObject *node = json_array_get_object_element(nodes, i);
        if (strstr(pm_json_string(node, "key"), key))
            count += pm_json_int(node, "count");
    }
    return count;
}

/* How the parks of virtual threads are seen, as `status` says. */
static char *way_of(PmJvm *jvm)
{
    g_autoptr(JsonNode) node = pm_parkctl_json("%d status", pm_jvm_pid(jvm));
    return g_strdup(pm_json_string(json_node_get_object(node), "virtual_parks"));
}

static void every_wait(const char *options, const char *expected_way)
{
    gint64 parks, parked_ns;

    if (is_skipped())
        return;
    g_autofree char *recording = pm_jvm_path("waits.park");
    g_autofree char *dump = pm_jvm_path("dump.park");
    g_autoptr(PmJvm) jvm =
        start(recording, options, "-Xcheck:jni VirtualWaits", &parks, &parked_ns);
    g_auto(PmRun) run = {0};
    g_autofree char *way = way_of(jvm);

    g_assert_cmpstr(way, ==, expected_way);
    pm_parkctl(&run, "%d dump filename=%s", pm_jvm_pid(jvm), dump);
    g_assert_cmpint(run.status, ==, 0);
    assert_silent(jvm);
    pm_jvm_kill(jvm, 9);

    g_autoptr(JsonNode) report = pm_parkctl_json("report %s --idle --limit=0", dump);
    struct sums bench = sums_of(report, "VirtualWaits$Bench", "park");
    g_assert_cmpint(bench.n_rows, ==, WALKERS);
    g_assert_cmpint(bench.times, ==, parks);
    g_assert_cmpint(bench.thread_time_ns, <=, parked_ns);
    g_assert_cmpint(bench.thread_time_ns, >=, parks * 1500000);
    g_assert_cmpint(count_of(dump, "VirtualWaits$Bench", "park", "wake-cause", "timeout"), ==,
                    parks);
    g_assert_cmpint(count_of(dump, "VirtualWaits$Bench", "park", "site", "VirtualWaits.walk ("), ==,
                    parks);
    g_assert_cmpint(count_of(dump, "VirtualWaits$Bench", "park", "thread", "walker-3"), ==,
                    parks / WALKERS);

    /* pinned: once, though it is unmounted and mounted in vain before its carrier parks */
    g_assert_cmpint(sums_of(report, "VirtualWaits$Anchor", "park").times, ==, 1);
    g_assert_cmpint(count_of(dump, "VirtualWaits$Anchor", "park", "waker", "main"), ==, 1);

    g_assert_cmpint(
        count_of(dump, "java.util.concurrent.locks.ReentrantLock*", "park", "owner", "main"), ==,
        WALKERS);
    g_assert_cmpint(sums_of(report, "VirtualWaits$Door", "enter").times, ==, WALKERS);
    /* it is read without a lock and may not be known */
    g_assert_cmpint(count_of(dump, "VirtualWaits$Door", "enter", "owner", "main"), >=, WALKERS / 2);
    g_assert_cmpint(sums_of(report, "VirtualWaits$Door", "wait").times, ==, WALKERS);
    g_assert_cmpint(count_of(dump, "VirtualWaits$Door", "wait", "wake-cause", "notify"), ==,
                    WALKERS);
    g_assert_cmpint(count_of(dump, "VirtualWaits$Door", "wait", "waker", "main"), ==, WALKERS);

    struct sums bed = sums_of(report, "VirtualWaits$Bed", "park");
    g_assert_cmpint(bed.now, ==, 3);
    g_assert_cmpint(bed.times, ==, 3);
    g_unlink(dump);
    g_unlink(recording);
}

static void test_every_wait(void)
{
    every_wait("", "rewrite");
}

/* Without events either, as before JDK 24, that is said. */
static void none_but_pinned(const char *options)
{
    gint64 parks, parked_ns;
    g_autofree char *recording = pm_jvm_path("pinned.park");
    g_autofree char *end = pm_jvm_path("pinned.end");
    g_autofree char *arguments = g_strdup_printf("-Xcheck:jni VirtualWaits 0 %s", end);
    g_autoptr(PmJvm) jvm = start(recording, options, arguments, &parks, &parked_ns);
    g_autofree char *way = way_of(jvm);
    g_autoptr(JsonNode) node = pm_parkctl_json("%d status", pm_jvm_pid(jvm));

    g_assert_cmpstr(way, ==, "none");
    g_assert_cmpstr(pm_json_string(json_node_get_object(node), "not_recorded"), ==,
                    "virtual threads");
    g_assert_true(g_file_set_contents(end, "", 0, NULL));
    g_assert_cmpint(pm_jvm_wait(jvm), ==, 0);
    g_autoptr(JsonNode) report = pm_parkctl_json("report %s --idle --limit=0", recording);
    g_assert_cmpint(sums_of(report, "VirtualWaits$Bench", "park").times, ==, 0);
    g_assert_cmpint(sums_of(report, "VirtualWaits$Door", "wait").times, ==, WALKERS);
    g_unlink(end);
    g_unlink(recording);
}

/* Where LockSupport cannot be rewritten the JVM's events stand in. */
static void test_by_events(void)
{
    if (pm_jvm_major() >= 24)
        every_wait(",test_missing=parkVirtualThread", "events");
    else if (!is_skipped())
        none_but_pinned(",test_missing=parkVirtualThread");
}

/* Each wait of the waiters of this way, and its waker is the one that can be. */
static void assert_woken(const char *recording, const char *way, gint64 rounds)
{
    g_autoptr(JsonNode) tree = pm_parkctl_json(
        "tree %s --idle --limit=0 --thread=waiter-%s --by=waker,waker-chain", recording, way);
    JsonArray *nodes = pm_json_array(tree, "nodes");
    g_autofree char *waker = g_strdup_printf("waker-%s", way);
    gint64 woken = 0;

    for (guint i = 0; i < json_array_get_length(nodes); i++) {
        JsonObject *node = json_array_get_object_element(nodes, i);
        JsonArray *chains = json_object_get_array_member(node, "children");
        if (!strstr(pm_json_string(node, "key"), waker))
            g_error("%s was woken by %s", way, pm_json_string(node, "key"));
        woken += pm_json_int(node, "count");
        for (guint c = 0; c < json_array_get_length(chains); c++) {
            JsonObject *chain = json_array_get_object_element(chains, c);
            g_assert_nonnull(strstr(pm_json_string(chain, "key"), "VirtualWakers"));
        }
    }
    g_assert_cmpint(woken, ==, rounds);
}

static const char *const ways[] = {"latch",     "queue", "future", "task",
                                   "semaphore", "lock",  "socket", "platform"};

static void test_wakers(void)
{
    if (is_skipped())
        return;
    g_autofree char *recording = pm_jvm_path("wakers.park");
    g_autoptr(PmJvm) jvm = pm_jvm_record(recording, "maxsize=16m", "-Xcheck:jni VirtualWakers 50");

    g_assert_cmpint(pm_jvm_wait(jvm), ==, 0);
    assert_silent(jvm);
    for (guint i = 0; i < G_N_ELEMENTS(ways); i++)
        assert_woken(recording, ways[i], 50);
    g_unlink(recording);
}

/* Two that only ever wake each other, as fast as they can: at least 99 of 100 wakers are known, and
 * all of those are right. */
static void test_wakers_in_a_hurry(void)
{
    if (is_skipped())
        return;
    g_autofree char *recording = pm_jvm_path("hurry.park");
    g_autoptr(PmJvm) jvm = pm_jvm_record(recording, "maxsize=64m", "HandOff 1 0 0 virtual");

    g_assert_cmpint(pm_jvm_wait(jvm), ==, 0);
    for (int player = 1; player <= 2; player++) {
        g_autoptr(JsonNode) tree = pm_parkctl_json(
            "tree %s --idle --limit=0 --thread=player-%d --by=waker", recording, player);
        JsonArray *nodes = pm_json_array(tree, "nodes");
        gint64 right = 0, wrong = 0, unknown = 0;
        for (guint i = 0; i < json_array_get_length(nodes); i++) {
            JsonObject *node = json_array_get_object_element(nodes, i);
            gint64 count = pm_json_int(node, "count");
            const char *key = pm_json_string(node, "key");
            if (strstr(key, player == 1 ? "player-2" : "player-1"))
                right += count;
            else if (strstr(key, "(unknown)"))
                unknown += count;
            else if (!strstr(key, "main") && !strstr(key, "(still waiting)")) { /* at the end */
                g_test_message("player-%d was woken by %s", player, key);
                wrong += count;
            }
        }
        g_test_message("player-%d: %" G_GINT64_FORMAT " wakers known, %" G_GINT64_FORMAT " not",
                       player, right, unknown);
        g_assert_cmpint(right, >, 1000);
        g_assert_cmpint(wrong, ==, 0);
        g_assert_cmpint(unknown, <=, right / 100);
    }
    g_unlink(recording);
}

/* Thousands in a ring, each woken by the one before it, many as they are about to wait. */
static void test_ring(void)
{
    if (is_skipped())
        return;
    g_autofree char *recording = pm_jvm_path("ring.park");
    g_autoptr(PmJvm) jvm = pm_jvm_record(recording, "maxsize=64m", "HandOff 1 0 0 virtual 5000 20");
    gint64 known = 0, unknown = 0;

    g_assert_cmpint(pm_jvm_wait(jvm), ==, 0);
    g_autoptr(JsonNode) tree =
        pm_parkctl_json("tree %s --idle --limit=0 --group=player-* --by=waker", recording);
    JsonArray *nodes = pm_json_array(tree, "nodes");
    for (guint i = 0; i < json_array_get_length(nodes); i++) {
        JsonObject *node = json_array_get_object_element(nodes, i);
        if (strstr(pm_json_string(node, "key"), "player-"))
            known += pm_json_int(node, "count");
        else if (strstr(pm_json_string(node, "key"), "(unknown)"))
            unknown += pm_json_int(node, "count");
    }
    g_test_message("%" G_GINT64_FORMAT " wakers known, %" G_GINT64_FORMAT " not", known, unknown);
    g_assert_cmpint(known, >, 1000);
    g_assert_cmpint(unknown, <=, known / 100);
    g_unlink(recording);
}

/* Another agent changes LockSupport over and over; afterwards all is seen again. */
static char *change_over_and_over(const char *agent_arguments, const char *how)
{
    g_autofree char *jar = g_build_filename(g_getenv("PM_WORKLOADS"), "../redefinition.jar", NULL);
    g_autofree char *recording = pm_jvm_path("redefined.park");
    g_autoptr(PmJvm) jvm = pm_jvm_record(
        recording, "maxsize=16m", "-javaagent:%s%s VirtualWakers 20 %s", jar, agent_arguments, how);
    g_auto(PmRun) info = {0};

    pm_jvm_set_patience(jvm, 300);
    g_assert_cmpint(pm_jvm_wait(jvm), ==, 0);
    for (guint i = 0; i < G_N_ELEMENTS(ways); i++)
        assert_woken(recording, ways[i], 20);
    pm_parkctl(&info, "info %s", recording);
    g_unlink(recording);
    return g_steal_pointer(&info.out);
}

/* It is said, and a second later mended. */
static void test_redefined(void)
{
    if (is_skipped())
        return;
    g_autofree char *info = change_over_and_over("", "redefine");
    g_assert_nonnull(strstr(info, "parks that bypass the recorder"));
}

/* The other agent has its own way with the class, from the start on, and asks for more while the
 * recorder records. */
static void test_retransformed(void)
{
    if (is_skipped())
        return;
    g_autofree char *info = change_over_and_over("=retransform", "retransform");
    g_assert_nonnull(strstr(info, "parks that bypass the recorder"));
}

/* More often than it is mended at once: a minute later it is all the same. */
static void test_retransformed_often(void)
{
    if (is_skipped())
        return;
    if (!g_getenv("PM_LONG")) {
        g_test_skip("two minutes: only with PM_LONG");
        return;
    }
    g_autofree char *info = change_over_and_over("", "often");
    g_assert_nonnull(strstr(info, "parks that bypass the recorder"));
}

/* Sleeping and yielding are no waits: a walker has as many as it should and no more. */
static void test_sleep_is_no_wait(void)
{
    gint64 parks, parked_ns;

    if (is_skipped())
        return;
    g_autofree char *recording = pm_jvm_path("sleep.park");
    g_autofree char *end = pm_jvm_path("sleep.end");
    g_autofree char *arguments = g_strdup_printf("VirtualWaits 0 %s", end);
    g_autoptr(PmJvm) jvm = start(recording, "", arguments, &parks, &parked_ns);

    g_assert_true(g_file_set_contents(end, "", 0, NULL));
    g_assert_cmpint(pm_jvm_wait(jvm), ==, 0);
    g_assert_cmpint(count_of(recording, "*", "park", "class", "(none)"), ==, 0);
    g_assert_cmpint(count_of(recording, "VirtualWaits$*", "park", "group", "walker-*"), ==,
                    parks + 1);
    g_assert_cmpint(count_of(recording, "VirtualWaits$*", "enter", "group", "walker-*"), ==,
                    WALKERS);
    g_assert_cmpint(count_of(recording, "VirtualWaits$*", "wait", "group", "walker-*"), ==,
                    WALKERS);
    g_unlink(end);
    g_unlink(recording);
}

#define LOST 6000 /* more than there are slots */

static bool are_lost(void *context)
{
    g_autoptr(JsonNode) node = pm_parkctl_json("%d now --idle --limit=1", pm_jvm_pid(context));
    g_autofree char *pid = g_strdup_printf("%d", pm_jvm_pid(context));
    const gint64 times = pm_recorded_times(pid, "LostThreads$Cot", NULL);
    g_assert_cmpint(times, <=, LOST);
    return times == LOST && pm_json_int(json_node_get_object(node), "threads") < 100;
}

/* Threads that the JVM collects while they are parked wait no more, and their slots are free. */
static void test_collected(void)
{
    if (is_skipped())
        return;
    if (pm_jvm_major() < 24) {
        g_test_skip("the JVM does not collect them while it has an agent");
        return;
    }
    g_autofree char *recording = pm_jvm_path("lost.park");
    g_autoptr(PmJvm) jvm =
        pm_jvm_record(recording, "maxsize=16m,test_slots=2000",
                      "-Xmx256m -Djdk.trackAllThreads=false LostThreads %d", LOST);

    g_free(pm_jvm_wait_line(jvm, "ready", 1));
    g_assert_true(pm_poll(are_lost, jvm));
    pm_jvm_kill(jvm, 9);
    g_unlink(recording);
}

/* The permit with which a park ended that nobody saw is not told as the end of the next one. */
static void test_used_permit(void)
{
    if (is_skipped())
        return;
    g_autofree char *recording = pm_jvm_path("permits.park");
    g_autofree char *end = pm_jvm_path("permits.end");
    /* not tracked: whoever records does not find it parked */
    g_autoptr(PmJvm) jvm = pm_jvm_record(recording, "maxsize=16m,paused",
                                         "-Djdk.trackAllThreads=false UsedPermits %s", end);

    g_free(pm_jvm_wait_line(jvm, "ready", 1));
    g_assert_true(pm_parkctl_succeeds("%d start", pm_jvm_pid(jvm)));
    g_assert_true(g_file_set_contents(end, "", 0, NULL));
    g_assert_cmpint(pm_jvm_wait(jvm), ==, 0);
    g_autoptr(JsonNode) tree =
        pm_parkctl_json("tree %s --idle --limit=0 --thread=sleeper --by=class,waker", recording);
    JsonArray *classes = pm_json_array(tree, "nodes");
    g_assert_cmpuint(json_array_get_length(classes), ==, 1);
    JsonObject *class = json_array_get_object_element(classes, 0);
    JsonArray *wakers = json_object_get_array_member(class, "children");
    g_assert_nonnull(strstr(pm_json_string(class, "key"), "Bed"));
    g_assert_cmpuint(json_array_get_length(wakers), ==, 1);
    JsonObject *waker = json_array_get_object_element(wakers, 0);
    g_assert_nonnull(strstr(pm_json_string(waker, "key"), "second"));
    g_unlink(end);
    g_unlink(recording);
}

static void test_parked_now(void)
{
    gint64 parks, parked_ns;

    if (is_skipped())
        return;
    g_autofree char *recording = pm_jvm_path("now.park");
    g_autoptr(PmJvm) jvm = start(recording, "", "VirtualWaits", &parks, &parked_ns);
    g_autoptr(JsonNode) now = pm_parkctl_json("%d now --idle", pm_jvm_pid(jvm));
    JsonArray *waits = pm_json_array(now, "waits");
    guint n = 0;

    for (guint i = 0; i < json_array_get_length(waits); i++) {
        JsonObject *wait = json_array_get_object_element(waits, i);
        g_autofree char *chain = NULL;
        if (!g_str_has_prefix(pm_json_string(wait, "thread"), "sleeper-"))
            continue;
        n++;
        chain = pm_json_lines(wait, "chain");
        g_assert_cmpstr(pm_json_string(wait, "class"), ==, "VirtualWaits$Bed");
        g_assert_cmpstr(pm_json_string(wait, "group"), ==, "sleeper-*");
        g_assert_nonnull(strstr(chain, "VirtualWaits.lieDown"));
    }
    g_assert_cmpuint(n, ==, 3);
    pm_jvm_kill(jvm, 9);
    g_unlink(recording);
}

/* How many wait now at a method, and how many of them for what "keeper" owns. */
static guint count_now(PmJvm *jvm, const char *at, guint *ret_owned)
{
    g_autoptr(JsonNode) now = pm_parkctl_json("%d now --idle --limit=0", pm_jvm_pid(jvm));
    JsonArray *waits = pm_json_array(now, "waits");
    guint n = 0;

    *ret_owned = 0;
    for (guint i = 0; i < json_array_get_length(waits); i++) {
        JsonObject *wait = json_array_get_object_element(waits, i);
        g_autofree char *chain = pm_json_lines(wait, "chain");
        if (!strstr(chain, at))
            continue;
        n++;
        *ret_owned += g_strcmp0(pm_json_string(wait, "owner"), "keeper") == 0;
        g_assert_true(g_str_has_prefix(chain, "java.util.concurrent.locks.LockSupport.park"));
    }
    return n;
}

#define STILL 12

static bool all_stand(void *context)
{
    guint owned;
    return count_now(context, "VirtualStill.want", &owned) == STILL && owned == STILL &&
           count_now(context, "VirtualStill.await", &owned) == 2 * STILL + 1;
}

static bool none_stands(void *context)
{
    guint owned;
    return count_now(context, "VirtualStill.", &owned) == 0;
}

/* They are listed by the JDK: of the thread's own methods, of both kinds of executors. */
static void test_before_the_attach(void)
{
    if (is_skipped())
        return;
    g_autofree char *recording = pm_jvm_path("still.park");
    g_autofree char *end = pm_jvm_path("still.end");
    g_autofree char *arguments = g_strdup_printf(
        "-Xcheck:jni -XX:+EnableDynamicAgentLoading VirtualStill %d %s", STILL, end);
    g_autoptr(PmJvm) jvm = pm_jvm_start(NULL, arguments);
    g_auto(PmRun) status = {0};

    g_free(pm_jvm_wait_line(jvm, "ready", 1));
    g_assert_true(pm_parkctl_succeeds("%d attach file=%s,maxsize=16m", pm_jvm_pid(jvm), recording));
    g_assert_true(pm_poll(all_stand, jvm));
    pm_parkctl(&status, "%d status", pm_jvm_pid(jvm));
    g_assert_nonnull(strstr(status.out, "a StructuredTaskScope from before the attach"));
    g_assert_true(g_file_set_contents(end, "", 0, NULL));
    g_free(pm_jvm_wait_line(jvm, "released", 1));
    g_assert_true(pm_poll(none_stands, jvm));
    assert_silent(jvm);
    pm_jvm_kill(jvm, 9);
    g_unlink(recording);
    g_unlink(end);
}

/* Does it wait at the method, for what `owner` holds (NULL: nobody)? `in_cycle`: of a deadlock. */
static bool stands(JsonArray *waits, const char *thread, const char *at, const char *owner,
                   bool in_cycle)
{
    for (guint i = 0; i < json_array_get_length(waits); i++) {
        JsonObject *wait = json_array_get_object_element(waits, i);
        g_autofree char *chain = pm_json_lines(wait, "chain");
        JsonNode *cycle = json_object_get_member(wait, "cycle");
        if (g_strcmp0(pm_json_string(wait, "thread"), thread) == 0 && strstr(chain, at))
            return g_strcmp0(pm_json_string(wait, "owner"), owner) == 0 &&
                   in_cycle == (cycle && !JSON_NODE_HOLDS_NULL(cycle));
    }
    return false;
}

static bool all_stand_at_monitors(void *context)
{
    g_autoptr(JsonNode) now = pm_parkctl_json("%d now --idle --limit=0", pm_jvm_pid(context));
    JsonArray *waits = pm_json_array(now, "waits");
    return stands(waits, "sender", "VirtualMonitors.send", NULL, false) &&
           stands(waits, "taker", "VirtualMonitors.take", NULL, false) &&
           stands(waits, "adder", "VirtualMonitors.add", "sender", false) &&
           stands(waits, "poster", "VirtualMonitors.add", "sender", false) &&
           stands(waits, "left", "VirtualMonitors.book", "right", true) &&
           stands(waits, "right", "VirtualMonitors.book", "left", true);
}

static bool only_deadlock_stands(void *context)
{
    g_autoptr(JsonNode) now = pm_parkctl_json("%d now --idle --limit=0", pm_jvm_pid(context));
    JsonArray *waits = pm_json_array(now, "waits");
    guint n = 0;
    for (guint i = 0; i < json_array_get_length(waits); i++) {
        g_autofree char *chain = pm_json_lines(json_array_get_object_element(waits, i), "chain");
        n += strstr(chain, "VirtualMonitors.") && !strstr(chain, "VirtualMonitors.main");
    }
    return n == 2;
}

/* What they hold lies on the heap while they are not mounted, and what they wait for, if nobody saw
 * them begin: the JVM's own dump of a thread tells. */
static void at_monitors(bool attached)
{
    if (pm_jvm_major() != 25) {
        g_test_skip("only of JDK 25 are the monitors of virtual threads known");
        return;
    }
    g_autofree char *recording = pm_jvm_path("monitors.park");
    g_autofree char *end = pm_jvm_path("monitors.end");
    g_autofree char *arguments =
        g_strdup_printf("%s VirtualMonitors %s",
                        attached ? "-XX:+EnableDynamicAgentLoading"
                                 : "-Xcheck:jni -Djava.system.class.loader=OwnLoader",
                        end);
    g_autoptr(PmJvm) jvm = attached ? pm_jvm_start(NULL, arguments)
                                    : pm_jvm_record(recording, "maxsize=16m", "%s", arguments);

    g_free(pm_jvm_wait_line(jvm, "ready", 1));
    if (attached)
        g_assert_true(
            pm_parkctl_succeeds("%d attach file=%s,maxsize=16m", pm_jvm_pid(jvm), recording));
    g_assert_true(pm_poll(all_stand_at_monitors, jvm));
    g_assert_true(g_file_set_contents(end, "", 0, NULL));
    g_free(pm_jvm_wait_line(jvm, "released", 1));
    g_assert_true(pm_poll(only_deadlock_stands, jvm));
    assert_silent(jvm);
    pm_jvm_kill(jvm, 9);
    g_unlink(recording);
    g_unlink(end);
}

static void test_at_monitors(void)
{
    at_monitors(false);
}

static void test_at_monitors_before_the_attach(void)
{
    at_monitors(true);
}

/* Thousands that wait once each, more than there are slots. */
static void crowd(const char *options, gint64 n, bool drops)
{
    gint64 parks, parked_ns;

    if (is_skipped())
        return;
    g_autofree char *recording = pm_jvm_path("crowd.park");
    g_autofree char *end = pm_jvm_path("crowd.end");
    g_autofree char *arguments = g_strdup_printf("VirtualWaits %" G_GINT64_FORMAT " %s", n, end);
    g_autoptr(PmJvm) jvm = start(recording, options, arguments, &parks, &parked_ns);

    g_assert_true(g_file_set_contents(end, "", 0, NULL));
    g_assert_cmpint(pm_jvm_wait(jvm), ==, 0);
    g_assert_cmpint(pm_recorded_times(recording, "VirtualWaits$Stool", NULL), ==, n);
    g_autoptr(JsonNode) report = pm_parkctl_json("report %s --since-start", recording);
    const gint64 dropped = pm_json_int(
        json_object_get_object_member(json_node_get_object(report), "recording"), "dropped");
    if (!drops)
        g_assert_cmpint(dropped, ==, 0);
    g_test_message("%" G_GINT64_FORMAT " dropped", dropped);
    g_unlink(end);
    g_unlink(recording);
}

static void test_crowd(void)
{
    crowd("", 10000, false);
}

#define CROWD 100000

static bool all_are_counted(void *context)
{
    g_autofree char *pid = g_strdup_printf("%d", pm_jvm_pid(context));
    const gint64 times = pm_recorded_times(pid, "java.util.concurrent.CountDownLatch$Sync", NULL);
    g_assert_cmpint(times, <=, CROWD);
    return times == CROWD;
}

static bool all_wait_now(void *context)
{
    gint64 begin = g_get_monotonic_time();
    g_autoptr(JsonNode) node = pm_parkctl_json("%d now --limit=10", pm_jvm_pid(context));
    JsonObject *now = json_node_get_object(node);
    JsonArray *counted = json_object_get_array_member(now, "only_counted");

    g_test_message("%.2f s", (double)(g_get_monotonic_time() - begin) / 1e6);
    g_assert_cmpint(pm_json_int(now, "threads"), <=, CROWD);
    if (pm_json_int(now, "threads") < CROWD)
        return false;
    g_assert_cmpuint(json_array_get_length(counted), ==, 1);
    g_assert_cmpint(pm_json_int(json_array_get_object_element(counted, 0), "threads"), >, 1000);
    return true;
}

/* More stand at one latch at once than there are slots: all are told of; when they are gone each
 * was counted, with its time. */
static void test_all_at_once(void)
{
    if (is_skipped())
        return;
    g_autofree char *recording = pm_jvm_path("at-once.park");
    g_autofree char *end = pm_jvm_path("at-once.end");
    g_autoptr(PmJvm) jvm =
        pm_jvm_record(recording, "maxsize=64m", "-Xmx1g VirtualCrowd %d %s", CROWD, end);

    g_free(pm_jvm_wait_line(jvm, "ready", 1));
    g_assert_true(pm_poll(all_wait_now, jvm));
    g_autoptr(JsonNode) status = pm_parkctl_json("%d status", pm_jvm_pid(jvm));
    g_assert_cmpint(pm_json_int(json_node_get_object(status), "in_progress"), >=, CROWD);
    g_assert_true(g_file_set_contents(end, "", 0, NULL));
    g_free(pm_jvm_wait_line(jvm, "done", 1));
    g_assert_true(pm_poll(all_are_counted, jvm));
    pm_jvm_kill(jvm, 9);
    g_unlink(end);
    g_unlink(recording);
}

/* The title of that finding in a run of BusyCarriers; NULL: there is none. Owned. */
static char *finding_of(const char *rule, const char *mode, const char *jvm_options)
{
    g_autofree char *recording = pm_jvm_path("carriers.park");
    g_autofree char *options = g_strdup_printf("file=%s", recording);
    g_autofree char *arguments = g_strdup_printf("%sBusyCarriers %s 3", jvm_options, mode);
    g_autoptr(PmJvm) jvm = pm_jvm_start(options, arguments);
    char *title = NULL;

    g_assert_cmpint(pm_jvm_wait(jvm), ==, 0);
    g_autoptr(JsonNode) node = pm_parkctl_json("findings %s", recording);
    JsonArray *findings = pm_json_array(node, "findings");
    for (guint i = 0; i < json_array_get_length(findings); i++) {
        JsonObject *finding = json_array_get_object_element(findings, i);
        if (strcmp(pm_json_string(finding, "rule"), rule) == 0)
            title = g_strdup(pm_json_string(finding, "title"));
    }
    g_unlink(recording);
    return title;
}

#define ONE_CARRIER                                                                                \
    "-Djdk.virtualThreadScheduler.parallelism=1 -Djdk.virtualThreadScheduler.maxPoolSize=1 "

static bool waits_for_carrier(void *context)
{
    g_autoptr(JsonNode) now = pm_parkctl_json("%d now", pm_jvm_pid(context));
    JsonArray *waits = pm_json_array(now, "waits");
    bool is_woken = false, is_owner = false;

    for (guint i = 0; i < json_array_get_length(waits); i++) {
        JsonObject *wait = json_array_get_object_element(waits, i);
        const char *thread = pm_json_string(wait, "thread");
        if (strcmp(thread, "keeper") == 0)
            is_owner = g_strcmp0(pm_json_string(wait, "owner"), "successor") == 0;
        else if (strcmp(thread, "successor") == 0)
            is_woken = !json_object_get_null_member(wait, "woken_ns") &&
                       json_object_get_null_member(wait, "owner");
    }
    return is_woken && is_owner;
}

/* Who was given a lock, but has no carrier to run on, is told as long as that is so. */
static void test_waits_for_carrier(void)
{
    if (is_skipped())
        return;
    g_autofree char *recording = pm_jvm_path("handed.park");
    g_autoptr(PmJvm) jvm = pm_jvm_record(recording, "", ONE_CARRIER "BusyCarriers handed 600");
    g_auto(PmRun) text = {0};

    g_free(pm_jvm_wait_line(jvm, "ready", 1));
    g_assert_true(pm_poll(waits_for_carrier, jvm));
    pm_parkctl(&text, "%d now", pm_jvm_pid(jvm));
    g_assert_nonnull(strstr(text.out, "ago by main, waits for a carrier"));
    pm_jvm_kill(jvm, 9);
    g_unlink(recording);
}

/* Who is woken and does not run waits for a carrier: all are busy, or pinned, by what. */
static void test_carriers(void)
{
    if (is_skipped())
        return;
    g_autofree char *busy = finding_of("carriers", "busy", "");
    g_assert_nonnull(busy);
    g_assert_nonnull(strstr(busy, "all are busy, mostly with BusyCarriers.compute"));
    g_autofree char *pinned = finding_of("carriers", "pinned", ONE_CARRIER);
    g_assert_nonnull(pinned);
    g_assert_nonnull(strstr(pinned, "pinned by BusyCarriers$Slow.<clinit>"));
    /* The initialiser's frame is not recorded: the recorder saw that the carrier parked. */
    g_autofree char *deep = finding_of("carriers", "deep", ONE_CARRIER);
    g_assert_nonnull(deep);
    g_assert_nonnull(strstr(deep, "pinned by what calls BusyCarriers$Pins.await"));
}

/* What a virtual thread does while it owns a lock is seen as it does it. */
static void test_owner(void)
{
    if (is_skipped())
        return;
    g_autofree char *title = finding_of("lock-dominates", "owner", "");
    g_assert_nonnull(title);
    g_assert_nonnull(strstr(title, "BusyCarriers.audit"));
    if (pm_jvm_major() != 25)
        return;
    /* What it held as it slept lay on the heap. */
    g_autofree char *monitor = finding_of("lock-held-over-io", "monitor", "");
    g_assert_nonnull(monitor);
    g_assert_nonnull(strstr(monitor, "BusyCarriers.render"));
}

/* Who waits for a StructuredTaskScope waits for what its forks do, and those of a fork's own. */
static void test_forks(void)
{
    g_autofree char *recording = pm_jvm_path("forks.park");
    g_autofree char *options = g_strdup_printf("file=%s", recording);
    if (pm_jvm_major() != 25) {
        g_test_skip("no such scopes");
        return;
    }
    g_autoptr(PmJvm) jvm = pm_jvm_start(options, "-Xcheck:jni --enable-preview VirtualForks 4");
    g_assert_cmpint(pm_jvm_wait(jvm), ==, 0);
    assert_silent(jvm);
    g_autoptr(JsonNode) node = pm_parkctl_json("findings %s", recording);
    JsonArray *findings = pm_json_array(node, "findings");
    g_assert_cmpuint(json_array_get_length(findings), >, 0);
    JsonObject *first = json_array_get_object_element(findings, 0);
    JsonArray *causes = json_object_get_array_member(first, "causes");
    g_assert_true(g_str_has_prefix(pm_json_string(json_array_get_object_element(causes, 0), "text"),
                                   "VirtualForks.slow"));
    g_unlink(recording);
}

static void test_no_slots(void)
{
    crowd(",test_slots=16", 5000, true);
}

static void test_off(void)
{
    gint64 parks, parked_ns;

    if (is_skipped())
        return;
    g_autofree char *recording = pm_jvm_path("off.park");
    g_autofree char *end = pm_jvm_path("off.end");
    g_autofree char *arguments = g_strdup_printf("VirtualWaits 0 %s", end);
    g_autoptr(PmJvm) jvm = start(recording, ",vthreads=off", arguments, &parks, &parked_ns);

    g_autoptr(JsonNode) node = pm_parkctl_json("%d status", pm_jvm_pid(jvm));
    JsonObject *status = json_node_get_object(node);
    g_assert_cmpint(pm_json_int(status, "refused_vthreads_off"), >=, WALKERS);
    g_assert_cmpstr(pm_json_string(status, "not_recorded"), ==, "virtual threads");
    g_assert_true(g_file_set_contents(end, "", 0, NULL));
    g_assert_cmpint(pm_jvm_wait(jvm), ==, 0);
    g_assert_cmpint(count_of(recording, "*", NULL, "group", "walker-*"), ==, 0);
    g_unlink(end);
    g_unlink(recording);
}

/* The inside of virtual threads is found as the first of them parks. */
static void test_unknown_inside(void)
{
    gint64 parks, parked_ns;

    if (is_skipped())
        return;
    if (pm_jvm_major() < 24) {
        g_test_skip("it is not looked at: there are no events");
        return;
    }
    g_autofree char *recording = pm_jvm_path("unknown.park");
    g_autofree char *end = pm_jvm_path("unknown.end");
    g_autofree char *arguments = g_strdup_printf("VirtualWaits 0 %s", end);
    g_autoptr(PmJvm) jvm = start(recording, ",test_missing=parkVirtualThread;TIMED_PARKING",
                                 arguments, &parks, &parked_ns);
    g_autoptr(JsonNode) node = pm_parkctl_json("%d status", pm_jvm_pid(jvm));
    g_autofree char *err = pm_jvm_stderr(jvm);

    g_assert_cmpstr(pm_json_string(json_node_get_object(node), "not_recorded"), ==,
                    "virtual threads");
    g_assert_nonnull(strstr(err, "TIMED_PARKING; not recorded: virtual threads"));
    g_assert_true(g_file_set_contents(end, "", 0, NULL));
    g_assert_cmpint(pm_jvm_wait(jvm), ==, 0);
    g_unlink(end);
    g_unlink(recording);
}

int main(int argc, char **argv)
{
    pm_jvm_init(&argc, &argv);
    pm_jvm_add("/virtual/every-wait-with-its-blocker-chain-owner-and-cause", test_every_wait);
    pm_jvm_add("/virtual/every-wait-by-events", test_by_events);
    pm_jvm_add("/virtual/each-way-has-its-waker", test_wakers);
    pm_jvm_add("/virtual/wakers-in-a-hurry", test_wakers_in_a_hurry);
    pm_jvm_add("/virtual/a-ring-of-thousands", test_ring);
    pm_jvm_add("/virtual/those-that-waited-before-the-attach", test_before_the_attach);
    pm_jvm_add("/virtual/at-monitors", test_at_monitors);
    pm_jvm_add("/virtual/at-monitors-before-the-attach", test_at_monitors_before_the_attach);
    pm_jvm_add("/virtual/redefined-is-said-and-mended", test_redefined);
    pm_jvm_add("/virtual/retransformed-is-said-and-mended", test_retransformed);
    pm_jvm_add("/virtual/retransformed-often-is-mended-later", test_retransformed_often);
    pm_jvm_add("/virtual/a-permit-used-up-unseen-ends-no-later-wait", test_used_permit);
    pm_jvm_add("/virtual/collected-as-they-wait-they-wait-no-more", test_collected);
    pm_jvm_add("/virtual/sleep-and-yield-are-no-waits", test_sleep_is_no_wait);
    pm_jvm_add("/virtual/parked-now-names-them", test_parked_now);
    pm_jvm_add("/virtual/each-of-thousands-is-counted", test_crowd);
    pm_jvm_add("/virtual/all-at-once-each-is-counted", test_all_at_once);
    pm_jvm_add("/virtual/without-slots-each-is-counted-too", test_no_slots);
    pm_jvm_add("/virtual/who-waits-for-a-carrier-is-told", test_carriers);
    pm_jvm_add("/virtual/what-an-owner-does-is-seen", test_owner);
    pm_jvm_add("/virtual/what-forks-do-is-seen", test_forks);
    pm_jvm_add("/virtual/who-was-handed-a-lock-waits-for-a-carrier", test_waits_for_carrier);
    pm_jvm_add("/virtual/switched-off-none-is-recorded", test_off);
    pm_jvm_add("/virtual/an-unknown-inside-is-told", test_unknown_inside);
    return pm_jvm_run();
}
