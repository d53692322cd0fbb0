/* format/memory-limit.h with files as both kinds of control groups have them. */
#include <glib.h>
#include <glib/gstdio.h>

#include "format/memory-limit.h"

static char *root;

static void put(const char *name, const char *text)
{
    g_autofree char *path = g_build_filename(root, name, NULL);
    g_autofree char *folder = g_path_get_dirname(path);
    g_assert_cmpint(g_mkdir_with_parents(folder, 0700), ==, 0);
    g_assert_true(g_file_set_contents(path, text, -1, NULL));
}

static guint64 left(const char *groups)
{
    g_autofree char *path = g_build_filename(root, "groups", NULL);
    put("groups", groups);
    return pm_memory_limit_left(path, root);
}

static void test_least_of_all_groups_counts(void)
{
    put("a/b/memory.max", "1000\n");
    put("a/b/memory.current", "900\n");
    put("a/b/memory.stat",
        "anon 500\ninactive_file 150\nworkingset_active_file 7\nactive_file 50\n");
    put("a/memory.max", "5000\n");
    put("a/memory.current", "4900\n");
    put("a/memory.stat", "anon 4900\n");
    put("a/free/memory.max", "max\n");
    put("a/free/memory.current", "90\n");
    put("a/full/memory.max", "100\n");
    put("a/full/memory.current", "101\n");
    g_assert_cmpuint(left("0::/a\n"), ==, 100);
    g_assert_cmpuint(left("0::/a/b\n"), ==, 100);
    g_assert_cmpuint(left("0::/a/free\n"), ==, 100);
    g_assert_cmpuint(left("0::/a/full\n"), ==, 0);
    g_assert_cmpuint(left("0::/\n"), ==, G_MAXUINT64);
    put("a/memory.current", "100\n");
    g_assert_cmpuint(left("0::/a/b\n"), ==, 300);
}

static void test_older_kind(void)
{
    put("memory/c/memory.limit_in_bytes", "2000\n");
    put("memory/c/memory.usage_in_bytes", "1500\n");
    put("memory/c/memory.stat", "inactive_file 1000\ntotal_inactive_file 200\n");
    put("memory/memory.limit_in_bytes", "9223372036854771712\n");
    put("memory/memory.usage_in_bytes", "1500\n");
    g_assert_cmpuint(left("5:cpu:/\n4:memory:/c\n3:pids:/c\n0::/\n"), ==, 700);
    g_assert_cmpuint(left("4:memory:/\n"), >, G_MAXINT64 / 2);
}

/* The path is as it is outside: the container's own group lies at the mount. */
static void test_path_of_outside(void)
{
    put("memory/memory.limit_in_bytes", "3000\n");
    put("memory/memory.usage_in_bytes", "1000\n");
    g_assert_cmpuint(left("4:memory:/docker/1234\n0::/\n"), ==, 2000);
}

static void test_what_is_none_is_no_limit(void)
{
    g_assert_cmpuint(pm_memory_limit_left("/nowhere", root), ==, G_MAXUINT64);
    g_assert_cmpuint(left(""), ==, G_MAXUINT64);
    g_assert_cmpuint(left("0\n:\n0:memory\n"), ==, G_MAXUINT64);
    put("odd/memory.max", "");
    put("odd/memory.current", "many\n");
    g_assert_cmpuint(left("0::/odd\n"), ==, G_MAXUINT64);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    root = g_dir_make_tmp("parkmeter-test-XXXXXX", NULL);
    g_test_add_func("/format/memory-limit/least-of-all-groups-counts",
                    test_least_of_all_groups_counts);
    g_test_add_func("/format/memory-limit/older-kind", test_older_kind);
    g_test_add_func("/format/memory-limit/path-of-outside", test_path_of_outside);
    g_test_add_func("/format/memory-limit/what-is-none-is-no-limit", test_what_is_none_is_no_limit);
    int result = g_test_run();
    g_autofree char *remove = g_strdup_printf("rm -r %s", root);
    g_assert_true(g_spawn_command_line_sync(remove, NULL, NULL, NULL, NULL));
    g_free(root);
    return result;
}
