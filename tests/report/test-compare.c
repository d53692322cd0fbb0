/* `whatif` and `diff`: words, keys and complaints, through the real parkctl. */
#include <glib/gstdio.h>
#include <string.h>

#include "tests/format/synthetic.h"
#include "tests/report/parkctl.h"

static char *directory, *lock_file, *half_file;

/* Four threads that take a lock one after the other and hold it for `hold`: each waits for the
 * three others. */
static void write_alternating(const char *path, gint64 hold)
{
    struct syn *s = syn_new();
    pm_thread_id threads[4];
    for (guint i = 0; i < 4; i++) {
        char name[16];
        g_snprintf(name, sizeof name, "worker-%u", i);
        threads[i] = syn_thread(s, name);
    }
    pm_blocker_id lock = syn_blocker(
        s, syn_class(s, "java.util.concurrent.locks.ReentrantLock$NonfairSync"), 0x4f3c91d2);
    pm_chain_id chain =
        syn_chain(s, "jdk.internal.misc.Unsafe.park(Native Method)",
                  "java.util.concurrent.locks.LockSupport.park(LockSupport.java:211)",
                  "com.acme.PriceCache.get(PriceCache.java:41)", NULL);
    for (guint i = 0; i < 80; i++) {
        gint64 got = SYN_MS + (gint64)(i + 4) * hold;
        struct pm_wait *w = syn_wait(s, threads[i % 4], lock, got - 3 * hold, 3 * hold);
        w->chain = w->waker_chain = chain;
        w->owner = threads[(i + 1) % 4];
        w->waker = threads[(i + 3) % 4];
        w->wake_ns = w->begin_ns + w->duration_ns;
        w->wake_cause = PM_WAKE_RELEASE;
    }
    syn_finish_file(s, SYN_MS + 90 * hold, path);
    syn_free(s);
}

static JsonNode *json_of(const char *line)
{
    g_auto(PmRun) run = {0};
    pm_run(&run, "C.UTF-8", "%s", line);
    g_assert_cmpstr(run.err, ==, "");
    g_assert_cmpint(run.status, ==, 0);
    g_autoptr(GError) error = NULL;
    JsonNode *node = json_from_string(run.out, &error);
    g_assert_no_error(error);
    return node;
}

static void whatif_predicts(void)
{
    g_autofree char *line =
        g_strdup_printf("whatif %s --format=json --blocker=4f3c91d2 --hold=0.5", lock_file);
    g_autoptr(JsonNode) node = json_of(line);
    JsonObject *root = json_node_get_object(node);
    g_assert_cmpint(json_object_get_int_member(root, "schema"), ==, 1);
    g_assert_true(json_object_has_member(root, "recording"));
    JsonArray *rows = json_object_get_array_member(root, "whatif");
    g_assert_cmpuint(json_array_get_length(rows), ==, 1);
    JsonObject *row = json_array_get_object_element(rows, 0);
    g_assert_cmpstr(json_object_get_string_member(row, "hash"), ==, "4f3c91d2");
    g_assert_cmpfloat(json_object_get_double_member(row, "factor"), ==, 0.5);
    g_assert_cmpint(json_object_get_int_member(row, "hold_ns"), ==, 2 * SYN_MS);
    gint64 waiting = json_object_get_int_member(row, "waiting_ns");
    gint64 then = json_object_get_int_member(row, "waiting_then_ns");
    g_assert_cmpint(waiting, ==, 80 * 6 * SYN_MS);
    g_assert_cmpint(then, >, waiting * 4 / 10);
    g_assert_cmpint(then, <, waiting * 6 / 10);
    g_assert_cmpfloat(json_object_get_double_member(row, "speed_up"), >, 1.7);
    g_assert_cmpfloat(json_object_get_double_member(row, "speed_up"), <=, 2);

    g_auto(PmRun) text = {0};
    pm_run(&text, "C.UTF-8", "whatif %s", lock_file);
    g_assert_cmpint(text.status, ==, 0);
    g_assert_nonnull(strstr(text.out, "ReentrantLock 4f3c91d2 · PriceCache.get\n  replayed "));
    g_assert_nonnull(strstr(text.out, "x 0.50"));
    g_assert_nonnull(strstr(text.out, "x 0.25"));
    /* What is exact and what is not is said, in both forms. */
    g_assert_nonnull(strstr(text.out, "\nExact: "));
    g_assert_nonnull(strstr(text.out, "\nInferred: "));
    g_assert_nonnull(strstr(text.out, "(model)"));
    g_assert_null(strstr(text.out, "(hold inferred)"));
    g_assert_cmpstr(json_object_get_string_member(row, "hold_quality"), ==, "exact");
    g_assert_cmpint(json_object_get_int_member(row, "unseen"), <, 8);
    g_assert_cmpint(json_object_get_int_member(row, "hand_over_ns"), ==, 0);
    g_assert_cmpuint(json_array_get_length(json_object_get_array_member(root, "assumes")), >, 0);
}

static void diff_compares(void)
{
    g_autofree char *line =
        g_strdup_printf("diff %s %s --format=json --by=blocker,group", lock_file, half_file);
    g_autoptr(JsonNode) node = json_of(line);
    JsonObject *root = json_node_get_object(node);
    JsonArray *nodes = json_object_get_array_member(root, "nodes");
    g_assert_cmpuint(json_array_get_length(nodes), ==, 1);
    JsonObject *row = json_array_get_object_element(nodes, 0);
    g_assert_cmpstr(json_object_get_string_member(row, "key"), ==,
                    "ReentrantLock · PriceCache.get");
    JsonObject *before = json_object_get_object_member(row, "before");
    JsonObject *after = json_object_get_object_member(row, "after");
    g_assert_cmpint(json_object_get_int_member(before, "thread_time_ns"), ==, 480 * SYN_MS);
    g_assert_cmpint(json_object_get_int_member(after, "thread_time_ns"), ==, 240 * SYN_MS);
    g_assert_cmpuint(json_array_get_length(json_object_get_array_member(row, "children")), ==, 1);

    g_auto(PmRun) csv = {0};
    pm_run(&csv, "C.UTF-8", "diff %s %s --by=class --format=csv", lock_file, half_file);
    g_assert_true(g_str_has_prefix(csv.out, "class,count_before,count_after,"));
}

static void complaints(void)
{
    static const struct {
        const char *line, *words;
        int status;
    } cases[] = {{"whatif %s --hold=fast", "--hold=fast: a factor is", 2},
                 {"whatif %s --hold=-1", "a factor is", 2},
                 {"whatif %s --blocker=12345678", "no blocker", 1},
                 {"diff %s", "only one file given", 2},
                 {"diff %s /nowhere/b.park", "/nowhere/b.park", 1},
                 {"diff %s b --by=nonsense", "unknown aspect", 2}};
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(GStrv) parts = g_strsplit(cases[i].line, "%s", 2);
        g_auto(PmRun) run = {0};
        pm_run(&run, "C.UTF-8", "%s%s%s", parts[0], lock_file, parts[1]);
        g_assert_cmpint(run.status, ==, cases[i].status);
        g_assert_cmpstr(run.out, ==, "");
        if (strstr(run.err, cases[i].words) == NULL)
            g_error("%s: no \"%s\" in: %s", cases[i].line, cases[i].words, run.err);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_autoptr(GError) error = NULL;
    directory = g_dir_make_tmp("parkmeter-XXXXXX", &error);
    g_assert_no_error(error);
    lock_file = g_build_filename(directory, "before.park", NULL);
    half_file = g_build_filename(directory, "after.park", NULL);
    write_alternating(lock_file, 2 * SYN_MS);
    write_alternating(half_file, SYN_MS);
    g_test_add_func("/parkctl/whatif/predicts", whatif_predicts);
    g_test_add_func("/parkctl/diff/compares", diff_compares);
    g_test_add_func("/parkctl/compare/complaints", complaints);
    int status = g_test_run();
    g_unlink(lock_file);
    g_unlink(half_file);
    g_rmdir(directory);
    g_free(lock_file);
    g_free(half_file);
    g_free(directory);
    return status;
}
