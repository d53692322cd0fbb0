/* recorder/agent/storage/file.h in a folder of its own. */
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/block.h"
#include "recorder/agent/base/clock.h"
#include "recorder/agent/storage/file.h"
#include "tests/folder.h"

struct place {
    char *folder;
    char *path; /* of options.file */
    struct pm_options options;
};

static void set_up(struct place *place)
{
    place->folder = g_dir_make_tmp("file-XXXXXX", NULL);
    g_assert_nonnull(place->folder);
    place->path = g_build_filename(place->folder, "a.park", NULL);
    pm_options_default(&place->options);
    g_strlcpy(place->options.file, place->path, sizeof place->options.file);
}

static void tear_down(struct place *place)
{
    pm_remove_folder(place->folder);
    g_free(place->folder);
    g_free(place->path);
}

static int create(const struct place *place, struct pm_file *ret_file,
                  struct pm_error_info *ret_info)
{
    return pm_file_create(&place->options, 0, pm_clock_now_unix(), ret_file, ret_info);
}

static char *text_of(const char *path)
{
    char *text = NULL;
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    return text;
}

#define EVIDENCE PM_FILE_MAGIC "evidence"

static void test_existing_file_is_renamed(void)
{
    struct place place;
    struct pm_file file;
    set_up(&place);
    g_assert_true(g_file_set_contents(place.path, EVIDENCE, -1, NULL));
    g_assert_cmpint(create(&place, &file, NULL), ==, 0);
    char *old = g_strconcat(place.path, ".1", NULL);
    char *text;
    g_assert_true(g_file_get_contents(old, &text, NULL, NULL));
    g_assert_cmpstr(text, ==, EVIDENCE);
    GStatBuf status;
    g_assert_cmpint(g_stat(place.path, &status), ==, 0);
    g_assert_cmpuint(status.st_mode & 0777, ==, 0600);
    g_free(text);
    g_free(old);
    pm_file_discard(&file);
    g_assert_false(g_file_test(place.path, G_FILE_TEST_EXISTS));
    tear_down(&place);
}

/* What is no recording is the program's: it neither moves nor makes room. */
static void test_files_of_others_stay(void)
{
    struct place place;
    struct pm_file file;
    struct pm_error_info info = {0};
    set_up(&place);
    g_assert_true(g_file_set_contents(place.path, "mine", -1, NULL));
    g_assert_cmpint(create(&place, &file, &info), <, 0);
    g_assert_nonnull(strstr(info.text, "not a recording"));
    g_autofree char *text = text_of(place.path);
    g_assert_cmpstr(text, ==, "mine");

    g_assert_true(g_file_set_contents(place.path, "", 0, NULL));
    for (int i = 1; i <= 9; i++) {
        g_autofree char *path = g_strdup_printf("%s.%d", place.path, i);
        g_assert_true(g_file_set_contents(path, "mine", -1, NULL));
    }
    g_assert_cmpint(create(&place, &file, &info), <, 0);
    g_autofree char *last = g_strconcat(place.path, ".9", NULL);
    g_assert_true(g_file_set_contents(last, EVIDENCE, -1, NULL));
    g_assert_cmpint(create(&place, &file, NULL), ==, 0);
    for (int i = 1; i <= 9; i++) {
        g_autofree char *path = g_strdup_printf("%s.%d", place.path, i);
        g_autofree char *now = text_of(path);
        g_assert_cmpstr(now, ==, i < 9 ? "mine" : "");
    }
    pm_file_discard(&file);
    tear_down(&place);
}

static void test_links_and_devices_are_refused(void)
{
    struct place place;
    struct pm_file file;
    struct pm_error_info info = {0};
    set_up(&place);
    char *victim = g_build_filename(place.folder, "victim", NULL);
    g_assert_true(g_file_set_contents(victim, "mine", -1, NULL));
    g_assert_cmpint(symlink(victim, place.path), ==, 0);
    g_assert_cmpint(create(&place, &file, &info), <, 0);
    g_assert_nonnull(strstr(info.text, "file="));
    char *text;
    g_assert_true(g_file_get_contents(victim, &text, NULL, NULL));
    g_assert_cmpstr(text, ==, "mine");
    g_free(text);

    g_strlcpy(place.options.file, "/dev/null", sizeof place.options.file);
    g_assert_cmpint(create(&place, &file, &info), <, 0);
    g_assert_nonnull(strstr(info.text, "/dev/null"));
    g_assert_true(g_file_test("/dev/null", G_FILE_TEST_EXISTS));

    char *missing = g_build_filename(place.folder, "no", "such", "a.park", NULL);
    g_strlcpy(place.options.file, missing, sizeof place.options.file);
    g_assert_cmpint(create(&place, &file, &info), ==, PM_ERROR_IO);
    g_assert_nonnull(strstr(info.text, missing));
    g_free(missing);
    g_free(victim);
    tear_down(&place);
}

static void test_name_holds_pid_and_time(void)
{
    struct place place;
    struct pm_file file;
    set_up(&place);
    char *pattern = g_build_filename(place.folder, "x-%p-%t-%%.park", NULL);
    g_strlcpy(place.options.file, pattern, sizeof place.options.file);
    g_assert_cmpint(create(&place, &file, NULL), ==, 0);
    char *name = g_path_get_basename(file.path);
    char *prefix = g_strdup_printf("x-%d-2", (int)getpid());
    g_assert_true(g_str_has_prefix(name, prefix));
    g_assert_true(g_str_has_suffix(name, "-%.park"));
    pm_file_discard(&file);
    g_free(prefix);
    g_free(name);
    g_free(pattern);
    tear_down(&place);
}

static void make_old(const char *folder, const char *name, int64_t age_s)
{
    char *path = g_build_filename(folder, name, NULL);
    g_assert_true(g_file_set_contents(path, "x", 1, NULL));
    struct timespec times[2];
    clock_gettime(CLOCK_REALTIME, &times[0]);
    times[0].tv_sec -= age_s;
    times[1] = times[0];
    g_assert_cmpint(utimensat(AT_FDCWD, path, times, 0), ==, 0);
    g_free(path);
}

static bool exists(const char *folder, const char *name)
{
    char *path = g_build_filename(folder, name, NULL);
    bool found = g_file_test(path, G_FILE_TEST_EXISTS);
    g_free(path);
    return found;
}

static void test_keeps_the_newest_of_dead_jvms(void)
{
    struct place place;
    set_up(&place);
    make_old(place.folder, "parkmeter-11-20261121T140211.park", 400);
    make_old(place.folder, "parkmeter-12-20261121T140211.park", 300);
    make_old(place.folder, "parkmeter-13-20261121T140211.park.1", 200);
    make_old(place.folder, "parkmeter-notes.park", 900);
    make_old(place.folder, "orders.park", 900);
    /* A living JVM's, which is told by its lock. */
    struct pm_file file;
    char *pattern = g_build_filename(place.folder, "parkmeter-14-20261121T140211.park", NULL);
    g_strlcpy(place.options.file, pattern, sizeof place.options.file);
    g_assert_cmpint(create(&place, &file, NULL), ==, 0);
    struct timespec old[2] = {{1, 0}, {1, 0}};
    g_assert_cmpint(utimensat(AT_FDCWD, pattern, old, 0), ==, 0);

    g_assert_cmpuint(pm_file_remove_old(place.folder, 2), ==, 1);
    g_assert_false(exists(place.folder, "parkmeter-11-20261121T140211.park"));
    static const char *const kept[] = {
        "parkmeter-12-20261121T140211.park", "parkmeter-13-20261121T140211.park.1",
        "parkmeter-14-20261121T140211.park", "parkmeter-notes.park", "orders.park"};
    for (size_t i = 0; i < G_N_ELEMENTS(kept); i++)
        g_assert_true(exists(place.folder, kept[i]));
    pm_file_discard(&file);
    g_free(pattern);
    tear_down(&place);
}

/* The file that follows takes nobody's place, whatever lies there and beside it. */
static void test_next_file_costs_nobody_anything(void)
{
    struct place place;
    struct pm_file first, next;
    char kept[PM_FILE_KEPT_SIZE];
    set_up(&place);
    g_autofree char *one = g_strconcat(place.path, ".1", NULL);
    g_autofree char *two = g_strconcat(place.path, ".2", NULL);
    g_assert_cmpint(create(&place, &first, NULL), ==, 0);
    g_assert_cmpint(g_rename(place.path, one), ==, 0);
    g_assert_cmpint(pm_file_create_again(&first, &next, kept, NULL), ==, 0);
    g_assert_cmpstr(kept, ==, "");
    g_assert_cmpstr(next.path, ==, place.path);
    pm_file_discard(&next);

    g_assert_true(g_file_set_contents(place.path, "evidence", -1, NULL));
    g_assert_cmpint(pm_file_create_again(&first, &next, kept, NULL), ==, 0);
    g_assert_cmpstr(kept, ==, two);
    g_autofree char *text = text_of(two);
    g_assert_cmpstr(text, ==, "evidence");
    GStatBuf status;
    g_assert_cmpint(g_stat(place.path, &status), ==, 0);
    g_assert_cmpuint(status.st_mode & 0777, ==, 0600);
    pm_file_discard(&next);

    /* Only when all nine are taken one of them goes, but never the file before this one. */
    pm_file_forget(&first);
    for (int i = 3; i <= 9; i++) {
        g_autofree char *path = g_strdup_printf("%s.%d", place.path, i);
        g_assert_true(g_file_set_contents(path, "other", -1, NULL));
    }
    g_assert_true(g_file_set_contents(two, EVIDENCE, -1, NULL));
    g_assert_true(g_file_set_contents(place.path, "last", -1, NULL));
    g_assert_cmpint(pm_file_create_again(&first, &next, kept, NULL), ==, 0);
    g_assert_cmpstr(kept, ==, two);
    g_assert_cmpint(g_stat(one, &status), ==, 0);
    g_assert_cmpuint(status.st_ino, ==, first.inode.number);
    pm_file_discard(&next);
    tear_down(&place);
}

/* A relative name stays what it was, wherever the program goes. */
static void test_next_file_ignores_the_working_directory(void)
{
    struct place place;
    struct pm_file first, next;
    char kept[PM_FILE_KEPT_SIZE];
    g_autofree char *home = g_get_current_dir();
    set_up(&place);
    g_assert_cmpint(chdir(place.folder), ==, 0);
    g_strlcpy(place.options.file, "a.park", sizeof place.options.file);
    g_assert_cmpint(create(&place, &first, NULL), ==, 0);
    g_assert_cmpint(chdir("/"), ==, 0);
    int error;
    g_assert_cmpint(pm_file_look(&first, &error), ==, PM_FILE_IN_PLACE);
    pm_file_discard(&first);
    g_assert_cmpint(pm_file_create_again(&first, &next, kept, NULL), ==, 0);
    g_assert_true(g_file_test(place.path, G_FILE_TEST_EXISTS));
    pm_file_discard(&next);
    g_assert_cmpint(chdir(home), ==, 0);
    tear_down(&place);
}

static void test_next_file_follows_no_link(void)
{
    struct place place;
    struct pm_file first, next;
    struct pm_error_info info = {0};
    char kept[PM_FILE_KEPT_SIZE];
    set_up(&place);
    g_autofree char *prey = g_build_filename(place.folder, "prey", NULL);
    g_assert_true(g_file_set_contents(prey, "mine", -1, NULL));
    g_assert_cmpint(create(&place, &first, NULL), ==, 0);
    pm_file_discard(&first);
    static const char *const ways[] = {"link", "folder", "pipe"};
    for (guint i = 0; i < G_N_ELEMENTS(ways); i++) {
        g_assert_cmpint(i == 0   ? symlink(prey, place.path)
                        : i == 1 ? g_mkdir(place.path, 0700)
                                 : mkfifo(place.path, 0600),
                        ==, 0);
        g_assert_cmpint(pm_file_create_again(&first, &next, kept, &info), <, 0);
        g_assert_nonnull(strstr(info.text, "not a regular file"));
        g_assert_cmpint(g_remove(place.path), ==, 0);
    }
    g_autofree char *text = text_of(prey);
    g_assert_cmpstr(text, ==, "mine");
    tear_down(&place);
}

static void test_knows_where_it_is(void)
{
    struct place place;
    struct pm_file file;
    char name[1200];
    int error;
    set_up(&place);
    g_autofree char *other = g_build_filename(place.folder, "b.park", NULL);
    g_autofree char *folder = g_strconcat(place.folder, "-moved", NULL);
    g_autofree char *moved = g_build_filename(folder, "a.park", NULL);
    g_assert_cmpint(create(&place, &file, NULL), ==, 0);
    g_assert_cmpint(pm_file_look(&file, &error), ==, PM_FILE_IN_PLACE);

    g_assert_cmpint(g_rename(place.path, other), ==, 0);
    g_assert_cmpint(pm_file_look(&file, &error), ==, PM_FILE_RENAMED);
    g_assert_false(pm_file_is_taken(&file));
    pm_file_name_now(&file, name, sizeof name);
    g_assert_cmpstr(name, ==, other);
    pm_file_name_now(&file, name, 5); /* cut, not written over */
    g_assert_cmpint((int)strlen(name), ==, 4);
    g_assert_true(g_file_set_contents(place.path, "other", -1, NULL));
    g_assert_cmpint(pm_file_look(&file, &error), ==, PM_FILE_RENAMED);
    g_assert_true(pm_file_is_taken(&file));
    /* A link that leads to it will do. */
    g_assert_cmpint(g_unlink(place.path), ==, 0);
    g_assert_cmpint(symlink(other, place.path), ==, 0);
    g_assert_cmpint(pm_file_look(&file, &error), ==, PM_FILE_IN_PLACE);
    g_assert_cmpint(g_rename(other, place.path), ==, 0);
    g_assert_cmpint(pm_file_look(&file, &error), ==, PM_FILE_IN_PLACE);

    g_assert_cmpint(g_rename(place.folder, folder), ==, 0);
    g_assert_cmpint(pm_file_look(&file, &error), ==, PM_FILE_HIDDEN);
    pm_file_name_now(&file, name, sizeof name);
    g_assert_cmpstr(name, ==, moved);
    g_assert_cmpint(pm_file_reopen(&file), >=, 0);
    pm_file_remove(&file); /* it has not that name */
    g_assert_true(g_file_test(moved, G_FILE_TEST_EXISTS));
    /* From another folder of that name it is far away. */
    g_assert_cmpint(g_mkdir(place.folder, 0700), ==, 0);
    g_assert_cmpint(pm_file_look(&file, &error), ==, PM_FILE_HIDDEN);
    g_assert_cmpint(g_rename(moved, place.path), ==, 0);
    g_assert_cmpint(pm_file_look(&file, &error), ==, PM_FILE_IN_PLACE);
    g_assert_cmpint(pm_file_reopen(&file), >=, 0);
    g_assert_cmpint(g_unlink(place.path), ==, 0);
    g_assert_cmpint(pm_file_look(&file, &error), ==, PM_FILE_RENAMED);
    g_assert_cmpint(pm_file_reopen(&file), <, 0);
    pm_file_discard(&file);
    g_assert_cmpint(g_rmdir(folder), ==, 0);
    tear_down(&place);
}

/* A file is removed by its name only as long as that is its name. */
static void test_discards_nothing_of_others(void)
{
    struct place place;
    struct pm_file file;
    set_up(&place);
    g_assert_cmpint(create(&place, &file, NULL), ==, 0);
    g_assert_cmpint(g_unlink(place.path), ==, 0);
    g_assert_true(g_file_set_contents(place.path, "mine", -1, NULL));
    pm_file_discard(&file);
    g_autofree char *text = text_of(place.path);
    g_assert_cmpstr(text, ==, "mine");
    tear_down(&place);
}

/* The descriptors may be the program's by now. */
static void test_closes_nothing_of_others(void)
{
    struct place place;
    struct pm_file file;
    int error;
    set_up(&place);
    g_assert_cmpint(create(&place, &file, NULL), ==, 0);
    g_assert_cmpint(file.folder, >=, 0);
    int other = open("/", O_PATH | O_CLOEXEC), folder = file.folder;
    g_assert_cmpint(dup2(other, folder), ==, folder);
    g_assert_cmpint(g_unlink(place.path), ==, 0);
    g_assert_cmpint(pm_file_look(&file, &error), ==, PM_FILE_RENAMED);
    pm_file_forget(&file);
    g_assert_cmpint(fcntl(folder, F_GETFD), >=, 0);
    close(folder);
    close(other);
    tear_down(&place);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/agent/file/existing-file-is-renamed", test_existing_file_is_renamed);
    g_test_add_func("/agent/file/files-of-others-stay", test_files_of_others_stay);
    g_test_add_func("/agent/file/links-and-devices-are-refused",
                    test_links_and_devices_are_refused);
    g_test_add_func("/agent/file/name-holds-pid-and-time", test_name_holds_pid_and_time);
    g_test_add_func("/agent/file/keeps-the-newest-of-dead-jvms",
                    test_keeps_the_newest_of_dead_jvms);
    g_test_add_func("/agent/file/next-file-costs-nobody-anything",
                    test_next_file_costs_nobody_anything);
    g_test_add_func("/agent/file/next-file-ignores-the-working-directory",
                    test_next_file_ignores_the_working_directory);
    g_test_add_func("/agent/file/next-file-follows-no-link", test_next_file_follows_no_link);
    g_test_add_func("/agent/file/knows-where-it-is", test_knows_where_it_is);
    g_test_add_func("/agent/file/discards-nothing-of-others", test_discards_nothing_of_others);
    g_test_add_func("/agent/file/closes-nothing-of-others", test_closes_nothing_of_others);
    return g_test_run();
}
