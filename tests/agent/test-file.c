/* recorder/agent/file.h in a folder of its own. */
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recorder/agent/file.h"
#include "recorder/agent/native-thread.h"

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
    g_strlcpy(place->options.file, place->path, sizeof(place->options.file));
}

static void tear_down(struct place *place)
{
    GDir *directory = g_dir_open(place->folder, 0, NULL);
    const char *name;
    while ((name = g_dir_read_name(directory))) {
        char *path = g_build_filename(place->folder, name, NULL);
        g_unlink(path);
        g_free(path);
    }
    g_dir_close(directory);
    g_rmdir(place->folder);
    g_free(place->folder);
    g_free(place->path);
}

static int create(const struct place *place, struct pm_file *ret_file,
                  struct pm_error_info *ret_info)
{
    return pm_file_create(&place->options, 0, pm_clock_now_unix(), ret_file, ret_info);
}

static void test_existing_file_is_renamed(void)
{
    struct place place;
    struct pm_file file;
    set_up(&place);
    g_assert_true(g_file_set_contents(place.path, "evidence", -1, NULL));
    g_assert_cmpint(create(&place, &file, NULL), ==, 0);
    char *old = g_strconcat(place.path, ".1", NULL);
    char *text;
    g_assert_true(g_file_get_contents(old, &text, NULL, NULL));
    g_assert_cmpstr(text, ==, "evidence");
    GStatBuf status;
    g_assert_cmpint(g_stat(place.path, &status), ==, 0);
    g_assert_cmpuint(status.st_mode & 0777, ==, 0600);
    g_free(text);
    g_free(old);
    pm_file_discard(&file);
    g_assert_false(g_file_test(place.path, G_FILE_TEST_EXISTS));
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

    g_strlcpy(place.options.file, "/dev/null", sizeof(place.options.file));
    g_assert_cmpint(create(&place, &file, &info), <, 0);
    g_assert_nonnull(strstr(info.text, "/dev/null"));
    g_assert_true(g_file_test("/dev/null", G_FILE_TEST_EXISTS));

    char *missing = g_build_filename(place.folder, "no", "such", "a.park", NULL);
    g_strlcpy(place.options.file, missing, sizeof(place.options.file));
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
    g_strlcpy(place.options.file, pattern, sizeof(place.options.file));
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
    g_strlcpy(place.options.file, pattern, sizeof(place.options.file));
    g_assert_cmpint(create(&place, &file, NULL), ==, 0);
    struct timespec old[2] = {{1, 0}, {1, 0}};
    g_assert_cmpint(utimensat(AT_FDCWD, pattern, old, 0), ==, 0);

    g_assert_cmpuint(pm_file_remove_old(place.folder, 2), ==, 1);
    g_assert_false(exists(place.folder, "parkmeter-11-20261121T140211.park"));
    g_assert_true(exists(place.folder, "parkmeter-12-20261121T140211.park"));
    g_assert_true(exists(place.folder, "parkmeter-13-20261121T140211.park.1"));
    g_assert_true(exists(place.folder, "parkmeter-14-20261121T140211.park"));
    g_assert_true(exists(place.folder, "parkmeter-notes.park"));
    g_assert_true(exists(place.folder, "orders.park"));
    pm_file_discard(&file);
    g_free(pattern);
    tear_down(&place);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/agent/file/existing-file-is-renamed", test_existing_file_is_renamed);
    g_test_add_func("/agent/file/links-and-devices-are-refused",
                    test_links_and_devices_are_refused);
    g_test_add_func("/agent/file/name-holds-pid-and-time", test_name_holds_pid_and_time);
    g_test_add_func("/agent/file/keeps-the-newest-of-dead-jvms",
                    test_keeps_the_newest_of_dead_jvms);
    return g_test_run();
}
