/* Whom an allocation is charged to where that leaves room for doubt, and what becomes of it: the
 * features of memory accounts (002) beside what a program itself counted. Every object is a sample.
 */
#include <glib/gstdio.h>
#include <string.h>

#include "tests/jvm/jvm.h"

#define ACCOUNTS                                                                                   \
    "accounts=Charges$Kinds;Charges$Natives;Charges$Web;Charges$Bank;Charges$Xml;Charges$Orders,"  \
    "maxsize=256m"

/* The node of `nodes` with this key; of a site "Class.method" with whatever line. */
static JsonObject *node_of(JsonArray *nodes, const char *key)
{
    for (guint i = 0; nodes && i < json_array_get_length(nodes); i++) {
        JsonObject *node = json_array_get_object_element(nodes, i);
        g_auto(GStrv) words = g_strsplit(pm_json_string(node, "key"), " (", 2);
        if (strcmp(words[0], key) == 0)
            return node;
    }
    return NULL;
}

static JsonObject *cell_of(JsonNode *answer, char **keys)
{
    JsonObject *node = json_node_get_object(answer);
    for (guint i = 0; node && keys[i]; i++) {
        const char *member = i == 0 ? "nodes" : "children";
        node = json_object_has_member(node, member)
                   ? node_of(json_object_get_array_member(node, member), keys[i])
                   : NULL;
    }
    return node;
}

/* Each line "WHAT KEY/KEY… OBJECTS BYTES" is what the answer says of it, object by object; "grown":
 * in bytes. */
static void agrees(JsonNode *answer, PmJvm *jvm, const char *what)
{
    static const char *const words[] = {"cell", "kept", "grown"};
    static const char *const objects[] = {"total_objects", "live_objects", NULL};
    static const char *const bytes[] = {"total_bytes", "live_bytes", "growth_bytes"};
    guint is = 0;
    while (strcmp(words[is], what) != 0)
        is++;
    g_autoptr(GPtrArray) rows = pm_jvm_rows(jvm, what, 4);
    for (guint i = 0; i < rows->len; i++) {
        char **row = rows->pdata[i];
        g_auto(GStrv) keys = g_strsplit(row[1], "/", -1);
        JsonObject *cell = cell_of(answer, keys);
        g_test_message("%s %s", what, row[1]);
        g_assert_nonnull(cell);
        if (objects[is])
            g_assert_cmpint(pm_json_int(cell, objects[is]), ==, g_ascii_strtoll(row[2], NULL, 10));
        g_assert_cmpint(pm_json_int(cell, bytes[is]), ==, g_ascii_strtoll(row[3], NULL, 10));
    }
}

static guint n_started;

static PmJvm *start_with(const char *flags, const char *what, int n, const char *end)
{
    g_autofree char *file = pm_jvm_path("charges-%u.park", ++n_started);
    g_autofree char *agent = g_strdup_printf("file=%s,alloc=0," ACCOUNTS, file);
    g_autofree char *arguments =
        g_strdup_printf("-XX:+UseSerialGC -Xcheck:jni -Xmx512m %s Charges %s %d %s", flags, what, n,
                        g_getenv("PM_GUESTS"));
    PmJvm *jvm = pm_jvm_start(agent, arguments);
    g_autofree char *line = end ? pm_jvm_wait_line(jvm, end, 1) : NULL;
    return jvm;
}

static PmJvm *start(const char *what, int n, const char *end)
{
    return start_with("", what, n, end);
}

static void agrees_by(const char *what, int n, const char *by)
{
    g_autoptr(PmJvm) jvm = start(what, n, "ready");
    g_autoptr(JsonNode) answer = pm_parkctl_json("%d memory --by=%s", pm_jvm_pid(jvm), by);
    agrees(answer, jvm, "cell");
}

static void test_kinds(void)
{
    agrees_by("kinds", 5000, "account,class");
}

/* What is allocated after an exception has left an account is its catcher's, and what the agent
 * allocated before is charged on behalf of who called it. */
static void test_exceptions(void)
{
    agrees_by("throws", 5000, "principal,account,class");
}

static void test_sites(void)
{
    agrees_by("sites", 5000, "account,site,class");
}

/* Their objects are still charged to them, and the threads themselves are garbage. */
static void test_threads(void)
{
    g_autoptr(PmJvm) jvm = start("threads", 100, "ready");
    g_autofree char *gone = pm_jvm_wait_line(jvm, "gone", 1);
    g_assert_cmpstr(gone, ==, "gone 3");
    g_autoptr(JsonNode) answer =
        pm_parkctl_json("%d memory --by=account,thread,class", pm_jvm_pid(jvm));
    agrees(answer, jvm, "cell");
    agrees(answer, jvm, "kept");
}

/* Garbage that nobody collected lives until somebody does. */
static void test_gc(void)
{
    PmRun refused;
    g_autoptr(PmJvm) jvm = start("garbage", 20000, "ready");
    g_autoptr(JsonNode) answer =
        pm_parkctl_json("%d memory --gc --by=account,class", pm_jvm_pid(jvm));
    agrees(answer, jvm, "cell");
    agrees(answer, jvm, "kept");
    pm_parkctl(&refused, "memory %s --gc", g_getenv("PM_GUESTS"));
    g_assert_cmpint(refused.status, ==, 2);
    g_assert_nonnull(strstr(refused.err, "parkctl PID memory --gc"));
    pm_run_clear(&refused);
}

/* Snapshots are taken while the program runs, and the difference of two is what has come to stay.
 */
static void test_waves(void)
{
    g_autoptr(PmJvm) jvm = start("waves", 4000, "ready");
    char *at[3];
    for (int i = 0; i < 3; i++) {
        g_autofree char *line = pm_jvm_wait_line(jvm, "wave ", i + 1);
        at[i] = g_strdup(line + strlen("wave "));
    }
    for (int i = 0; i < 2; i++) {
        g_autoptr(JsonNode) answer = pm_parkctl_json("%d memory --between=%s,%s --by=account,class",
                                                     pm_jvm_pid(jvm), at[i], at[i + 1]);
        agrees(answer, jvm, "grown");
        g_free(at[i]);
    }
    g_free(at[2]);
}

/* How often the JVM stopped its threads, for all but its own upkeep. */
static guint n_stops(const char *path)
{
    g_autofree char *log = NULL;
    g_assert_true(g_file_get_contents(path, &log, NULL, NULL));
    g_auto(GStrv) lines = g_strsplit(log, "\n", -1);
    guint n = 0;
    for (guint i = 0; lines[i]; i++)
        n += strstr(lines[i], "Safepoint \"") && !strstr(lines[i], "\"Cleanup\"") &&
             !strstr(lines[i], "\"ICBufferFull\"");
    return n;
}

/* A snapshot with everything that lives stops no thread; a collection before it does. */
static void test_no_stops(void)
{
    g_autofree char *path = pm_jvm_path("stops.log");
    g_autofree char *flags = g_strdup_printf("-Xlog:safepoint:file=%s", path);
    g_autoptr(PmJvm) jvm = start_with(flags, "garbage", 20000, "ready");
    const int pid = pm_jvm_pid(jvm);
    const guint before = n_stops(path);
    for (guint i = 0; i < 10; i++) {
        g_autoptr(JsonNode) answer = pm_parkctl_json("%d memory --by=account,class", pid);
        agrees(answer, jvm, "cell");
    }
    g_assert_cmpuint(n_stops(path), ==, before);
    g_autoptr(JsonNode) collected = pm_parkctl_json("%d memory --gc", pid);
    g_assert_cmpuint(n_stops(path), >, before);
    g_unlink(path);
}

/* The last snapshot is of the end, however soon after the last object that was. */
static void test_end(void)
{
    g_autoptr(PmJvm) jvm = start("exit", 20000, NULL);
    g_assert_cmpint(pm_jvm_wait(jvm), ==, 0);
    g_autofree char *file = pm_jvm_path("charges-%u.park", n_started);
    g_autoptr(JsonNode) answer = pm_parkctl_json("memory %s --by=account,class", file);
    agrees(answer, jvm, "cell");
    agrees(answer, jvm, "kept");
}

int main(int argc, char **argv)
{
    pm_jvm_init(&argc, &argv);
    pm_jvm_add("/jvm/charges/every-kind-of-object", test_kinds);
    pm_jvm_add("/jvm/charges/after-an-exception", test_exceptions);
    pm_jvm_add("/jvm/charges/the-method-that-allocates", test_sites);
    pm_jvm_add("/jvm/charges/an-ended-thread-is-not-kept", test_threads);
    pm_jvm_add("/jvm/charges/garbage-is-collected-first", test_gc);
    pm_jvm_add("/jvm/charges/snapshots-stop-no-thread", test_no_stops);
    pm_jvm_add("/jvm/charges/two-snapshots-differ-by-what-stays", test_waves);
    pm_jvm_add("/jvm/charges/the-last-snapshot-is-of-the-end", test_end);
    return pm_jvm_run();
}
