/* parkctl against a recorder in this very process: what it does with the answers, and that a dump
 * either is whole or was never there. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "example.h"
#include "parkctl.h"
#include "recorder.h"

static char *folder, *rolling;

/* ---- the promises ---- */

static void ask(PmRun *ret_run, const char *arguments)
{
    pm_run(ret_run, "C", "%d %s", (int)getpid(), arguments);
}

static void works(const char *arguments, const char *words)
{
    g_auto(PmRun) run;

    ask(&run, arguments);
    if (run.status != 0 || !strstr(run.out, words))
        g_error("parkctl PID %s: exit status %d\n%s%s", arguments, run.status, run.out, run.err);
    g_assert_cmpstr(run.err, ==, "");
    g_assert_null(strchr(run.out, '\033'));
}

static void fails(const char *arguments, const char *words)
{
    g_auto(PmRun) run;

    ask(&run, arguments);
    if (run.status != 1 || !strstr(run.err, words))
        g_error("parkctl PID %s: exit status %d\n%s%s", arguments, run.status, run.out, run.err);
    g_assert_cmpstr(run.out, ==, "");
}

static void answers_are_shown(void)
{
    works("status", "2 deadlocks");
    works("", "recording since");
    works("status --format=json", "\"deadlocks\":2");
    works("status format=json", "\"deadlocks\":2");
    works("set maxsize=64m", "maxsize=64m");
    works("start", "recording");
    works("stop", "stopped");
    fails("set mintme=3", "unknown option 'mintme'");
}

static void a_live_recording_is_read_like_a_file(void)
{
    static const char *const commands[] = {"report",   "report --format=json",
                                           "now",      "tree --by=class,site",
                                           "findings", "export --to=collapsed"};

    for (guint i = 0; i < G_N_ELEMENTS(commands); i++) {
        g_auto(PmRun) live;
        g_auto(PmRun) file;
        ask(&live, commands[i]);
        g_auto(GStrv) words = g_strsplit(commands[i], " ", 2);
        pm_run(&file, "C", "%s %s %s", words[0], rolling, words[1] ? words[1] : "");
        g_assert_cmpint(live.status, ==, 0);
        /* The commands that an answer suggests name what was asked. */
        if (strcmp(commands[i], "findings") != 0)
            g_assert_cmpstr(live.out, ==, file.out);
    }
}

/* The files of `folder`, sorted, hidden ones too, joined by blanks. */
static char *files(void)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    GDir *dir = g_dir_open(folder, 0, NULL);
    const char *name;

    while ((name = g_dir_read_name(dir)))
        g_ptr_array_add(names, g_strdup(name));
    g_dir_close(dir);
    for (guint i = 0; i < names->len; i++) {
        for (guint k = i + 1; k < names->len; k++) {
            if (strcmp(names->pdata[i], names->pdata[k]) > 0) {
                gpointer swapped = names->pdata[i];
                names->pdata[i] = names->pdata[k];
                names->pdata[k] = swapped;
            }
        }
    }
    g_ptr_array_add(names, NULL);
    return g_strjoinv(" ", (char **)names->pdata);
}

static void holds_files(const char *expected)
{
    g_autofree char *names = files();

    g_assert_cmpstr(names, ==, expected);
}

static void dump(const char *rest, int status, const char *words)
{
    g_auto(PmRun) run;

    pm_run(&run, "C", "%d dump filename=%s/%s", (int)getpid(), folder, rest);
    const char *said = status == 0 ? run.out : run.err;
    if (run.status != status || !strstr(said, words))
        g_error("dump %s: exit status %d\n%s%s", rest, run.status, run.out, run.err);
}

static void dumps_never_cost_an_older_one(void)
{
    g_autofree char *path = g_build_filename(folder, "a.park", NULL);
    g_autofree char *old = g_build_filename(folder, "a.park.1", NULL);
    g_autofree char *bytes = NULL;
    g_auto(PmRun) verify;
    GStatBuf info;

    dump("a.park", 0, "a.park");
    holds_files("a.park rolling.park");
    g_assert_cmpint(g_stat(path, &info), ==, 0);
    g_assert_cmpint(info.st_mode & 0777, ==, 0600);
    pm_run(&verify, "C", "verify %s", path);
    g_assert_cmpint(verify.status, ==, 0);
    g_assert_true(g_file_set_contents(path, "old", 3, NULL));
    dump("a.park", 0, "a.park.1");
    holds_files("a.park a.park.1 rolling.park");
    g_assert_true(g_file_get_contents(old, &bytes, NULL, NULL));
    g_assert_cmpstr(bytes, ==, "old");
    dump("a.park maxage=1h", 0, "a.park.2");
    holds_files("a.park a.park.1 a.park.2 rolling.park");
}

static void a_failed_dump_leaves_nothing(void)
{
    g_autofree char *sub = g_build_filename(folder, "sub", NULL);
    g_autofree char *before = files();

    dump("nowhere/a.park", 1, "nowhere/a.park cannot be written");
    dump("rolling.park", 1, "the recorder writes to");
    g_assert_cmpint(g_mkdir(sub, 0700), ==, 0);
    dump("sub", 1, "is a folder");
    dump("sub/", 1, "is a folder");
    g_assert_cmpint(g_rmdir(sub), ==, 0);
    /* Root may write anywhere. */
    if (geteuid() != 0) {
        g_assert_cmpint(g_chmod(folder, 0500), ==, 0);
        dump("b.park", 1, "cannot be written");
        g_assert_cmpint(g_chmod(folder, 0700), ==, 0);
    }
    holds_files(before);
}

/* A full disk, played by a limit on the size of files. */
static void a_full_disk_leaves_the_old_dump(void)
{
    g_autofree char *path = g_build_filename(folder, "full.park", NULL);
    g_autofree char *line = g_strdup_printf(
        "trap '' XFSZ; ulimit -f 1; exec \"$0\" %d dump filename=%s", (int)getpid(), path);
    char *argv[] = {(char *)"/bin/sh", (char *)"-c", line, (char *)g_getenv("PM_PARKCTL"), NULL};
    g_autofree char *before = NULL;
    g_autofree char *out = NULL;
    g_autofree char *err = NULL;
    g_autofree char *kept = NULL;
    g_autoptr(GError) error = NULL;
    int status;

    g_assert_true(g_file_set_contents(path, "precious", 8, NULL));
    before = files();
    g_spawn_sync(NULL, argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &out, &err, &status, &error);
    g_assert_no_error(error);
    g_assert_false(g_spawn_check_wait_status(status, NULL));
    g_assert_cmpstr(out, ==, "");
    if (!strstr(err, "full.park cannot be written: File too large"))
        g_error("said: %s", err);
    g_assert_true(g_file_get_contents(path, &kept, NULL, NULL));
    g_assert_cmpstr(kept, ==, "precious");
    holds_files(before);
}

/* A signal that nobody can catch in time, played by a limit on the size of files. */
static void a_killed_dump_leaves_nothing(void)
{
    g_autofree char *line =
        g_strdup_printf("ulimit -c 0; ulimit -f 1; exec \"$0\" %d dump filename=%s/killed.park",
                        (int)getpid(), folder);
    char *argv[] = {(char *)"/bin/sh", (char *)"-c", line, (char *)g_getenv("PM_PARKCTL"), NULL};
    g_autofree char *before = files();
    g_autoptr(GError) error = NULL;
    int status;

    const int nameless = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (nameless < 0) {
        g_test_skip("this file system has no files without a name");
        return;
    }
    close(nameless);
    g_spawn_sync(NULL, argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, NULL, &status, &error);
    g_assert_no_error(error);
    g_assert_true(WIFSIGNALED(status));
    holds_files(before);
}

/* The file whose descriptor was passed is emptied, cut or overwritten by others. */
static void a_file_that_is_cut_is_told(void)
{
    static const char *const commands[] = {"report", "now", "findings", "tree"};
    g_autofree char *whole = NULL;
    g_autofree char *before = files();
    g_autofree char *junk = g_strnfill(8192, 'x');
    gsize size;

    g_assert_true(g_file_get_contents(rolling, &whole, &size, NULL));
    for (guint round = 0; round < 2; round++) {
        g_autofree char *pid = g_strdup_printf("%d", (int)getpid());
        if (round == 1)
            g_assert_true(g_file_set_contents(rolling, junk, 8192, NULL));
        pm_recorder_cut = round == 0 ? 0 : 8192;
        dump("cut.park", 1, "cannot be read");
        for (guint i = 0; i < G_N_ELEMENTS(commands); i++) {
            g_auto(PmRun) run;
            ask(&run, commands[i]);
            g_assert_cmpint(run.status, ==, 1);
            g_assert_cmpstr(run.out, ==, "");
            g_assert_cmpstr(run.err, !=, "");
        }
    }
    holds_files(before);
    /* What is left of it can be had. */
    g_assert_true(g_file_set_contents(rolling, whole, (gssize)size, NULL));
    pm_recorder_cut = (off_t)size - 100;
    dump("cut.park", 0, "damaged block");
    pm_recorder_cut = -1;
    g_assert_true(g_file_set_contents(rolling, whole, (gssize)size, NULL));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    folder = g_dir_make_tmp("parkctl-live-XXXXXX", NULL);
    rolling = g_build_filename(folder, "rolling.park", NULL);
    pm_example_write("orders", rolling);
    if (!pm_recorder_start(rolling)) {
        g_print("1..0 # SKIP no socket can be made in /tmp\n");
        return 0;
    }
    g_test_add_func("/parkctl/live/answers-are-shown", answers_are_shown);
    g_test_add_func("/parkctl/live/is-read-like-a-file", a_live_recording_is_read_like_a_file);
    g_test_add_func("/parkctl/live/dumps-never-cost-an-older-one", dumps_never_cost_an_older_one);
    g_test_add_func("/parkctl/live/a-failed-dump-leaves-nothing", a_failed_dump_leaves_nothing);
    g_test_add_func("/parkctl/live/a-full-disk-leaves-the-old-dump",
                    a_full_disk_leaves_the_old_dump);
    g_test_add_func("/parkctl/live/a-killed-dump-leaves-nothing", a_killed_dump_leaves_nothing);
    g_test_add_func("/parkctl/live/a-file-that-is-cut-is-told", a_file_that_is_cut_is_told);
    int status = g_test_run();
    pm_recorder_stop();

    g_autofree char *names = files();
    g_auto(GStrv) all = g_strsplit(names, " ", -1);
    for (guint i = 0; all[i] && *all[i]; i++) {
        g_autofree char *path = g_build_filename(folder, all[i], NULL);
        g_remove(path);
    }
    g_rmdir(folder);
    g_free(folder);
    g_free(rolling);
    return status;
}
