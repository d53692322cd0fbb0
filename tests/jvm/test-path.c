/* What `parkctl heap --path` says keeps objects, of programs that keep them in a known way: the
 * right static field, thread and fields between, also where nothing keeps them; and that the JVM
 * has no complaint. */
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/jvm/jvm.h"

#define KEPT "Keepers$Kept"

static PmJvm *start(const char *options, const char *flags, const char *arguments)
{
    static guint number;
    g_autofree char *file = pm_jvm_path("path-%u.park", ++number);
    g_autofree char *agent = g_strdup_printf("file=%s,maxsize=8m,%s", file, options);
    g_autofree char *line = g_strdup_printf("%s -Xmx512m Keepers %s", flags, arguments);
    PmJvm *jvm = pm_jvm_start(agent, line);
    g_autofree char *ready = pm_jvm_wait_line(jvm, "ready", 1);
    return jvm;
}

/* "static Keepers.SESSIONS", "HashMap$Node[]", "Thread.threadLocals", one a line, with the class of
 * what is kept at the end; of a thread its name. Owned. */
static char *path_text(JsonObject *answer)
{
    GString *text = g_string_new(NULL);
    JsonArray *steps = json_object_get_array_member(answer, "path");
    for (guint i = 0; i < json_array_get_length(steps); i++) {
        JsonObject *step = json_array_get_object_element(steps, i);
        const char *kind = pm_json_string(step, "kind"), *class = pm_json_string(step, "class");
        const char *field = pm_json_string(step, "field"), *thread = pm_json_string(step, "thread");
        const char *method = pm_json_string(step, "method");
        g_assert_cmpint(json_object_get_null_member(step, "index"), !=,
                        strcmp(kind, "element") == 0);
        g_string_append_printf(text, "%s %s%s%s%s%s%s\n", kind, class ? class : "",
                               field ? "." : "", field ? field : "", thread ? thread : "",
                               method ? " " : "", method ? method : "");
    }
    const char *end = pm_json_string(answer, "end");
    g_string_append(text, end ? end : "");
    return g_string_free(text, FALSE);
}

static void check_complaints(PmJvm *jvm)
{
    g_autofree char *complaints = pm_jvm_stderr(jvm);
    g_autofree char *said = pm_jvm_stdout(jvm);
    g_assert_cmpstr(complaints, ==, "");
    g_assert_cmpstr(said, ==, "ready\n");
    g_assert_true(pm_jvm_alive(jvm));
}

/* On a machine that others use meanwhile the search may end at its deadline: asked again, later, it
 * does not for ever. */
static JsonNode *ask_in_time(int pid)
{
    JsonNode *node = NULL;
    for (guint i = 0; i < 16; i++) {
        g_usleep(i * G_USEC_PER_SEC / 10);
        g_clear_pointer(&node, json_node_unref);
        node = pm_parkctl_json("%d heap --path=" KEPT " --yes", pid);
        if (!json_object_get_boolean_member(json_node_get_object(node), "aborted"))
            break;
    }
    return node;
}

static void check_path(const char *flags, const char *arguments, gint64 objects,
                       const char *expected)
{
    g_autoptr(PmJvm) jvm = start("alloc=off", flags, arguments);
    g_autoptr(JsonNode) node = ask_in_time(pm_jvm_pid(jvm));
    JsonObject *answer = json_node_get_object(node);
    g_autofree char *text = path_text(answer);
    g_assert_cmpstr(text, ==, expected);
    g_assert_cmpint(pm_json_int(answer, "objects"), ==, objects);
    g_assert_true(json_object_get_boolean_member(answer, "found"));
    g_assert_false(json_object_get_boolean_member(answer, "aborted"));
    g_assert_cmpint(pm_json_int(answer, "alike") * 2, >, pm_json_int(answer, "looked_at"));
    check_complaints(jvm);
}

#define IN_LIST "field java.util.ArrayList.elementData\nelement java.lang.Object[]\n" KEPT

#define IN_MAP                                                                                     \
    "static Keepers.SESSIONS\nfield java.util.HashMap.table\n"                                     \
    "element java.util.HashMap$Node[]\nfield java.util.HashMap$Node.value\n"                       \
    "field Keepers$Session.items\n" IN_LIST

static void test_map(void)
{
    static const char path[] = IN_MAP;
    check_path("-Xcheck:jni", "map 3000 40000", 3000, path);
    check_path("-XX:+UseSerialGC -Xint", "map 3000 1000", 3000, path);
    check_path("-XX:+UseZGC", "map 3000 1000", 3000, path);
    /* More than are remembered near the root: backwards, by several walks. */
    check_path("-XX:+UseParallelGC", "map 400000 1000", 400000, path);
}

/* What leads to the objects sooner, but is the recorder's own or does not keep them. */
static void test_left_out(void)
{
    check_path("-Xcheck:jni", "recorder 3000 40000", 3000, IN_MAP);
    check_path("-Xcheck:jni", "weak 3000 40000", 3000, IN_MAP);
}

static void test_listeners(void)
{
    check_path("-Xcheck:jni", "listeners 3000 40000", 3000,
               "static Keepers.BUS\nfield Keepers$Bus.listeners\n" IN_LIST);
}

static void test_threads(void)
{
    check_path("-Xcheck:jni", "threadlocal 3000 40000", 3000,
               "thread pool-worker\n"
               "field java.lang.Thread.threadLocals\n"
               "field java.lang.ThreadLocal$ThreadLocalMap.table\n"
               "element java.lang.ThreadLocal$ThreadLocalMap$Entry[]\n"
               "field java.lang.ThreadLocal$ThreadLocalMap$Entry.value\n" IN_LIST);
    check_path("-Xcheck:jni", "local 3000 40000", 3000,
               "local main Keepers.rest\nelement java.lang.Object[]\n" KEPT);
}

static void test_loader(void)
{
    check_path("-Xcheck:jni", "loader 300 40000", 300,
               "static Keepers.PLUGINS\n"
               "field java.util.ArrayList.elementData\n"
               "element java.lang.Object[]\n"
               "static Keepers$Plugin.STATE\n" IN_LIST);
}

/* Each next one is a step further: a walk for each would take for ever. */
static void test_lists(void)
{
    check_path("-Xcheck:jni", "queue 300000 1000", 300000,
               "static Keepers.QUEUE\n"
               "field java.util.concurrent.LinkedBlockingQueue.head\n"
               "field java.util.concurrent.LinkedBlockingQueue$Node.next\n"
               "field java.util.concurrent.LinkedBlockingQueue$Node.item\n" KEPT);
    check_path("-XX:+UseSerialGC", "chain 300000 1000", 300000,
               "static Keepers.first\nfield Keepers$Kept.next\n" KEPT);
}

static void says(const char *text, const char *part)
{
    if (!strstr(text, part))
        g_error("no '%s' in\n%s", part, text);
}

static void test_nothing(void)
{
    g_autoptr(PmJvm) jvm = start("alloc=off", "-Xcheck:jni", "soft 70 1000");
    const int pid = pm_jvm_pid(jvm);
    g_auto(PmRun) soft = {0}, never = {0}, unknown = {0}, asked = {0};
    pm_parkctl(&soft, "%d heap --path=" KEPT " --yes", pid);
    g_assert_cmpint(soft.status, ==, 0);
    says(soft.out, "Nothing keeps an object of " KEPT);
    says(soft.out, "70 times");
    pm_parkctl(&never, "%d heap --path=Keepers$Never --yes", pid);
    g_assert_cmpint(never.status, ==, 0);
    says(never.out, "No GC root leads to an object of Keepers$Never");
    pm_parkctl(&unknown, "%d heap --path=Keepers$Unknown --yes", pid);
    g_assert_cmpint(unknown.status, ==, 1);
    says(unknown.err, "not a loaded class");
    pm_parkctl(&asked, "%d heap --path=" KEPT, pid);
    g_assert_cmpint(asked.status, ==, 1);
    says(asked.err, "stops the program for about");
    says(asked.err, "--yes");
    check_complaints(jvm);
}

/* Of an account its samples that live; without any the way to them. */
static void test_account(void)
{
    g_autoptr(PmJvm) jvm = start("alloc=4k,accounts=mine=Keepers", "", "listeners 3000 1000");
    const int pid = pm_jvm_pid(jvm);
    PmRun run, off;
    const char *home = g_getenv("PM_JAVA_HOME");
    g_autofree char *jcmd = g_build_filename(home, "bin", "jcmd", NULL);
    g_autofree char *number = g_strdup_printf("%d", pid);
    for (int i = 0; i < 2; i++) {
        const char *arguments[] = {jcmd, number, "GC.run", NULL};
        pm_run_program(&run, arguments);
        g_assert_cmpint(run.status, ==, 0);
        pm_run_clear(&run);
    }
    g_autoptr(JsonNode) node = pm_parkctl_json("%d heap --path=mine --yes", pid);
    JsonObject *answer = json_node_get_object(node);
    g_autofree char *text = path_text(answer);
    g_assert_cmpstr(pm_json_string(answer, "account"), ==, "mine");
    g_assert_true(g_str_has_prefix(text, "static Keepers."));
    g_assert_cmpint(pm_json_int(answer, "looked_at"), >, 8);
    /* Of the class the samples are looked at, and all are counted. */
    g_autoptr(JsonNode) of_class = pm_parkctl_json("%d heap --path=" KEPT " --yes", pid);
    answer = json_node_get_object(of_class);
    g_autofree char *path = path_text(answer);
    g_assert_cmpstr(path, ==, "static Keepers.BUS\nfield Keepers$Bus.listeners\n" IN_LIST);
    JsonArray *referrers = json_object_get_array_member(answer, "referrers");
    g_assert_cmpint(pm_json_int(json_array_get_object_element(referrers, 0), "references"), ==,
                    3000);
    g_assert_true(pm_parkctl_succeeds("%d set alloc=off", pid));
    pm_parkctl(&off, "%d heap --path=mine --yes", pid);
    g_assert_cmpint(off.status, ==, 1);
    says(off.err, "set alloc=512k");
    pm_run_clear(&off);
    check_complaints(jvm);
}

/* What the recorder answers to a line; owned. */
static char *ask(int pid, const char *request)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char answer[32768] = "";
    gsize n = 0;
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    g_snprintf(address.sun_path, sizeof address.sun_path, "/tmp/.parkmeter-%d", pid);
    g_assert_cmpint(connect(fd, (const struct sockaddr *)&address, sizeof address), ==, 0);
    g_assert_cmpint(write(fd, request, strlen(request)), ==, (gssize)strlen(request));
    for (gssize got; (got = read(fd, answer + n, sizeof answer - 1 - n)) > 0;)
        n += (gsize)got;
    close(fd);
    return g_strdup(answer);
}

/* A millisecond is not enough; nothing is left of it, and the next one finds all. */
static void test_deadline(void)
{
    g_autoptr(PmJvm) jvm = start("alloc=off", "-Xcheck:jni", "listeners 100 400000");
    const int pid = pm_jvm_pid(jvm);
    g_autofree char *begun = ask(pid, "path 1 " KEPT "\n");
    g_assert_cmpstr(begun, ==, "ok\n");
    g_autofree char *busy = ask(pid, "path 1 " KEPT "\n");
    g_autofree char *text = NULL;
    do {
        g_clear_pointer(&text, g_free);
        g_usleep(20000);
        text = ask(pid, "path\n");
    } while (g_str_has_prefix(text, "ok\nrunning"));
    says(text, "ok\ndone\n");
    says(text, "aborted\t1\n");
    says(text, "walks\t1\n");
    g_assert_true(g_str_has_prefix(busy, "error another search") || g_str_has_prefix(busy, "ok"));
    g_autofree char *wrong = ask(pid, "path soon " KEPT "\n");
    says(wrong, "error path takes MILLISECONDS CLASS");
    g_autoptr(JsonNode) node = pm_parkctl_json("%d heap --path=" KEPT " --yes", pid);
    g_assert_cmpint(pm_json_int(json_node_get_object(node), "objects"), ==, 100);
    g_assert_true(json_object_get_boolean_member(json_node_get_object(node), "found"));
    check_complaints(jvm);
}

static void test_attached(void)
{
    g_autoptr(PmJvm) jvm = pm_jvm_start(NULL, "-Xcheck:jni -Xmx512m Keepers map 3000 1000");
    g_autofree char *ready = pm_jvm_wait_line(jvm, "ready", 1);
    g_autofree char *file = pm_jvm_path("path-attached.park");
    g_assert_true(pm_parkctl_succeeds("%d attach file=%s,maxsize=8m", pm_jvm_pid(jvm), file));
    g_autoptr(JsonNode) node = pm_parkctl_json("%d heap --path=" KEPT " --yes", pm_jvm_pid(jvm));
    g_autofree char *text = path_text(json_node_get_object(node));
    g_assert_true(g_str_has_prefix(text, "static Keepers.SESSIONS\n"));
}

int main(int argc, char **argv)
{
    pm_jvm_init(&argc, &argv);
    pm_jvm_add("/jvm/path/of-a-map", test_map);
    pm_jvm_add("/jvm/path/the-recorder-and-weak-references-are-left-out", test_left_out);
    pm_jvm_add("/jvm/path/of-listeners", test_listeners);
    pm_jvm_add("/jvm/path/of-threads", test_threads);
    pm_jvm_add("/jvm/path/of-classes-loaded-again-and-again", test_loader);
    pm_jvm_add("/jvm/path/along-lists", test_lists);
    pm_jvm_add("/jvm/path/nothing-keeps-it", test_nothing);
    pm_jvm_add("/jvm/path/of-an-account", test_account);
    pm_jvm_add("/jvm/path/ends-at-its-deadline", test_deadline);
    pm_jvm_add("/jvm/path/attached", test_attached);
    return pm_jvm_run();
}
