/* A wrong option stops the JVM at its start and says which and which are right; a failing
 * environment costs one line and the program runs. */
#include "tests/jvm/jvm.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

static void refuses(const char *options, const char *named, const char *listed)
{
    g_autoptr(PmJvm) jvm = pm_jvm_start(options, "Outcome");
    int status = pm_jvm_wait(jvm);
    g_autofree char *out = pm_jvm_stdout(jvm);
    g_autofree char *err = pm_jvm_stderr(jvm);
    g_autofree char *all = g_strconcat(out, err, NULL);

    g_assert_cmpint(status, !=, 0);
    g_assert_cmpint(status, !=, 3); /* that of the program, which must not have run */
    g_assert_cmpint(status, <, 128);
    g_assert_null(strstr(all, "out: begin"));
    if (strstr(all, named) == NULL || strstr(all, listed) == NULL)
        g_error("options \"%s\": expected \"%s\" and \"%s\" in:\n%s", options, named, listed, all);
}

static void test_unknown(void)
{
    refuses("flie=/tmp/a.park", "flie", "maxsize");
}

static void test_malformed(void)
{
    refuses("maxsize=many", "maxsize", "many");
    refuses("events=maybe", "events", "maybe");
    refuses("snapshot=1parsec", "snapshot", "1parsec");
}

static void test_no_value(void)
{
    refuses("file", "file", "file");
}

/* As when JAVA_TOOL_OPTIONS names the agent and the command line too. */
static void test_twice(void)
{
    g_autofree char *first = pm_jvm_path("first.park");
    g_autofree char *second = pm_jvm_path("second.park");
    g_autofree char *agent = pm_jvm_path("agent.so"); /* arguments part at blanks */
    g_autofree char *options = g_strdup_printf("file=%s", first);
    g_autofree char *arguments = g_strdup_printf("-agentpath:%s=file=%s Outcome", agent, second);
    g_assert_cmpint(symlink(g_getenv("PM_AGENT"), agent), ==, 0);
    g_autoptr(PmJvm) jvm = pm_jvm_start(options, arguments);
    int status = pm_jvm_wait(jvm);
    g_autofree char *err = pm_jvm_stderr(jvm);

    g_assert_cmpint(status, ==, 3);
    g_assert_nonnull(strstr(err, "parkmeter: loaded twice"));
    g_assert_true(g_file_test(first, G_FILE_TEST_EXISTS));
    g_assert_false(g_file_test(second, G_FILE_TEST_EXISTS));
    g_unlink(agent);
}

/* The program runs as without it, and its stderr has one line more, with these words. */
static void costs_one_line(const char *options, const char *words)
{
    g_autoptr(PmJvm) without = pm_jvm_start(NULL, "Outcome");
    int status_without = pm_jvm_wait(without);
    g_autoptr(PmJvm) jvm = pm_jvm_start(options, "Outcome");
    int status = pm_jvm_wait(jvm);
    g_autofree char *out = pm_jvm_stdout(jvm);
    g_autofree char *err = pm_jvm_stderr(jvm);
    g_autofree char *err_without = pm_jvm_stderr(without);
    g_auto(GStrv) lines = g_strsplit(err, "\n", -1);
    guint ours = 0;

    g_assert_cmpint(status_without, ==, 3);
    g_assert_cmpint(status, ==, 3);
    g_assert_nonnull(strstr(out, "out: sum 42"));
    for (char **line = lines; *line != NULL; line++) {
        /* the program's own lines, and what a JVM may say of this machine */
        if (**line != '\0' && strstr(err_without, *line) == NULL)
            ours++;
    }
    if (ours != 1 || strstr(err, words) == NULL)
        g_error("expected one line with %s in:\n%s", words, err);
}

static void test_unwritable(void)
{
    g_autofree char *path = pm_jvm_path("no-such-folder/a.park");
    g_autofree char *options = g_strdup_printf("file=%s", path);
    costs_one_line(options, path);
}

/* As a path may be that a script puts together. */
static void test_too_long(void)
{
    g_autofree char *name = g_strnfill(1800, 'x');
    g_autofree char *path = g_strdup_printf("file=/tmp/%s", name);
    g_autofree char *strict = g_strdup_printf("strict,%s", path);
    costs_one_line(path, "nothing is recorded");
    refuses(strict, "too long", "file=");
}

static void test_strict(void)
{
    g_autofree char *path = pm_jvm_path("no-such-folder/a.park");
    g_autofree char *options = g_strdup_printf("strict,file=%s", path);

    refuses(options, path, "no-such-folder");
}

int main(int argc, char **argv)
{
    pm_jvm_init(&argc, &argv);
    pm_jvm_add("/options/unknown-stops-the-jvm-and-lists-the-right-ones", test_unknown);
    pm_jvm_add("/options/malformed-stops-the-jvm-and-names-it", test_malformed);
    pm_jvm_add("/options/missing-value-stops-the-jvm", test_no_value);
    pm_jvm_add("/options/given-twice-the-first-counts", test_twice);
    pm_jvm_add("/options/unwritable-file-costs-one-line", test_unwritable);
    pm_jvm_add("/options/too-long-a-path-costs-one-line", test_too_long);
    pm_jvm_add("/options/strict-makes-it-fatal", test_strict);
    return pm_jvm_run();
}
