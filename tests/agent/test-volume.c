/* recorder/agent/storage/volume.h: what becomes of a recording's file, and that every wait is in
 * one of its files or told as missing. Mounts are made in a child process with a world of its own.
 */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "format/block.h"
#include "format/reader-block.h"
#include "format/verify.h"
#include "recorder/agent/base/clock.h"
#include "recorder/agent/storage/volume.h"
#include "recorder/agent/tables/tables.h"
#include "tests/folder.h"

#define MAXSIZE (4u << 20)
#define S_NS    1000000000

struct recording {
    char *folder, *path;
    struct pm_options options;
    struct pm_volume volume;
    struct pm_writer *writer;
    int64_t now_ns;
    guint n_waits;
};

static guint n_said;
static char said[1024];

static void say(const char *text)
{
    n_said++;
    g_strlcpy(said, text, sizeof said);
}

/* `folder`: NULL = one of its own. */
static void begin(struct recording *r, const char *folder)
{
    struct pm_error_info info = {0};
    *r = (struct recording){.folder =
                                folder ? g_strdup(folder) : g_dir_make_tmp("volume-XXXXXX", NULL)};
    g_assert_nonnull(r->folder);
    n_said = 0;
    r->path = g_build_filename(r->folder, "a.park", NULL);
    pm_options_default(&r->options);
    r->options.maxsize = MAXSIZE;
    g_strlcpy(r->options.file, r->path, sizeof(r->options.file));
    r->now_ns = pm_clock_now();
    struct pm_facts facts = {.pid = 1, .begin_ns = r->now_ns, .begin_unix_ns = pm_clock_now_unix()};
    const struct pm_writer_options options = {0};
    int error = pm_volume_open(&r->volume, &r->options, &facts, &options, say, &r->writer, &info);
    g_assert_cmpstr(error ? info.text : "", ==, "");
}

static void end(struct recording *r)
{
    if (r->volume.writer)
        pm_volume_close(&r->volume, r->now_ns);
    pm_remove_folder(r->folder);
    g_free(r->folder);
    g_free(r->path);
}

static void add_waits(struct recording *r, guint n)
{
    for (guint i = 0; i < n; i++) {
        struct pm_wait wait = {.begin_ns = r->now_ns,
                               .duration_ns = 100 + (r->n_waits * 2654435761u >> 8) % 1000003,
                               .thread = {1 + r->n_waits % 7},
                               .blocker = {1 + r->n_waits % 11}};
        pm_volume_note(&r->volume, pm_writer_add_wait(r->writer, &wait));
        r->n_waits++;
        r->now_ns += 1000;
    }
}

/* A second passes, and the recorder looks and flushes. */
static void pass(struct recording *r, guint n_waits)
{
    add_waits(r, n_waits);
    r->now_ns += S_NS;
    pm_volume_check(&r->volume, r->now_ns, false);
    pm_volume_flushed(&r->volume, pm_writer_flush(r->writer, r->now_ns));
}

static struct pm_status status_of(const struct recording *r)
{
    struct pm_status status = {0};
    pm_volume_get_status(&r->volume, &status);
    return status;
}

static void assert_says(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        g_error("\"%s\" is not in \"%s\"", part, text);
}

struct content {
    gint64 n_waits, n_missing;
    bool closed;
};

static int on_waits(void *context, const struct pm_wait_columns *columns)
{
    ((struct content *)context)->n_waits += (gint64)columns->n;
    return 0;
}

static int on_gap(void *context, const struct pm_gap *gap)
{
    g_assert_cmpint(gap->reason, ==, PM_GAP_WRITE);
    ((struct content *)context)->n_missing += gap->waits;
    return 0;
}

static struct content read_whole(const char *path)
{
    struct content content = {0};
    const struct pm_visitor visitor = {.context = &content, .on_waits = on_waits, .on_gap = on_gap};
    struct pm_error_info info = {0};
    struct pm_verify_result verified;
    struct pm_source source;
    struct pm_reader *reader;
    g_assert_cmpint(pm_source_open(path, &source, &info), ==, 0);
    int error = pm_verify(source, &verified, &info);
    g_assert_cmpstr(error ? info.text : verified.first_problem, ==, "");
    g_assert_cmpint(pm_reader_open(source, &reader, &info), ==, 0);
    content.closed = (pm_reader_header(reader)->state & PM_FILE_STATE_CLOSED) != 0;
    for (size_t i = 0; i < pm_reader_n_chunks(reader); i++) {
        if (!pm_reader_chunk(reader, i)->overview) {
            g_assert_cmpint(pm_reader_read_chunk(reader, i, &visitor, NULL, &info), ==, 0);
            content.closed &= pm_reader_chunk(reader, i)->closed;
        }
    }
    pm_reader_free(reader);
    return content;
}

/* Closes the recording; `old` (NULL = gone) and the present file hold and tell of every wait. */
static void assert_nothing_is_untold(struct recording *r, const char *old)
{
    pm_volume_close(&r->volume, r->now_ns);
    struct content content = read_whole(r->path), before = {0};
    if (old) {
        before = read_whole(old);
        g_assert_true(before.closed);
    }
    g_assert_true(content.closed);
    g_assert_cmpint(content.n_waits + content.n_missing + before.n_waits + before.n_missing, ==,
                    r->n_waits);
}

static void overwrite(const char *path, guint64 offset, gsize size)
{
    g_autofree char *bytes = g_malloc(size);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    memset(bytes, 0xa5, size);
    g_usleep(20000);
    g_assert_cmpint(pwrite(fd, bytes, size, (off_t)offset), ==, (gssize)size);
    close(fd);
}

/* -- without other worlds -- */

static void test_nothing_happens(void)
{
    struct recording r;
    begin(&r, NULL);
    for (guint i = 0; i < 200; i++)
        pass(&r, 5000); /* it comes round */
    struct pm_status status = status_of(&r);
    g_assert_cmpstr(status.error, ==, "");
    g_assert_cmpstr(status.warning, ==, "");
    g_assert_cmpuint(status.files, ==, 1);
    g_assert_true(status.storing);
    g_assert_false(r.volume.disks[r.volume.disk].touched);
    g_assert_cmpuint(n_said, ==, 0);
    end(&r);
}

/* However often: new files are made at a bounded rate, and one line is said an hour. */
static void test_lost_again_and_again(void)
{
    struct recording r;
    begin(&r, NULL);
    for (guint i = 0; i < 120; i++) {
        g_unlink(r.path);
        pass(&r, 10);
    }
    struct pm_status status = status_of(&r);
    g_assert_cmpuint(status.files, >=, 13);
    g_assert_cmpuint(status.files, <=, 17);
    g_assert_cmpuint(n_said, ==, 1);
    assert_says(said, "removed");
    g_assert_cmpstr(status.error, !=, "");
    assert_says(status.error, "the next one is created in");
    /* Left in peace it goes on. */
    for (guint i = 0; i < 40; i++)
        pass(&r, 10);
    status = status_of(&r);
    g_assert_cmpstr(status.error, ==, "");
    assert_says(status.warning, "waits ended before it could be made");
    r.now_ns += 3601 * (int64_t)S_NS;
    g_unlink(r.path);
    pass(&r, 10);
    g_assert_cmpuint(n_said, ==, 2);
    assert_nothing_is_untold(&r, NULL);
    end(&r);
}

static void test_without_a_place_it_tries_again(void)
{
    struct recording r;
    begin(&r, NULL);
    pass(&r, 1000);
    g_assert_cmpint(g_unlink(r.path), ==, 0);
    g_assert_cmpint(g_rmdir(r.folder), ==, 0);
    for (guint i = 0; i < 10; i++)
        pass(&r, 1000);
    struct pm_status status = status_of(&r);
    g_assert_false(status.storing);
    g_assert_cmpuint(status.lost_waits, ==, 1000);
    assert_says(status.error, "No such file or directory");
    assert_says(said, "No such file or directory");
    g_assert_cmpint(pm_volume_resize(&r.volume, 2u << 20, NULL), ==, 0);
    g_assert_cmpint(g_mkdir(r.folder, 0700), ==, 0);
    pass(&r, 1000);
    pass(&r, 1000);
    pass(&r, 1000);
    status = status_of(&r);
    g_assert_true(status.storing);
    g_assert_cmpstr(status.error, ==, "");
    GStatBuf found;
    g_assert_cmpint(g_stat(r.path, &found), ==, 0);
    g_assert_cmpint(found.st_size, <=, 2 << 20);
    assert_nothing_is_untold(&r, NULL);
    end(&r);
}

/* The end is the last chance. */
static void test_ends_without_a_place(void)
{
    struct recording r;
    begin(&r, NULL);
    pass(&r, 1000);
    g_assert_cmpint(g_unlink(r.path), ==, 0);
    g_assert_cmpint(g_mkdir(r.path, 0700), ==, 0);
    pass(&r, 1000);
    g_assert_false(status_of(&r).storing);
    g_assert_cmpint(g_rmdir(r.path), ==, 0);
    pm_volume_check(&r.volume, r.now_ns + 1, true);
    g_assert_true(status_of(&r).storing);
    assert_nothing_is_untold(&r, NULL);
    end(&r);

    begin(&r, NULL);
    pass(&r, 1000);
    g_assert_cmpint(g_unlink(r.path), ==, 0);
    g_assert_cmpint(g_mkdir(r.path, 0700), ==, 0);
    pm_volume_check(&r.volume, r.now_ns, true);
    pm_volume_close(&r.volume, r.now_ns);
    end(&r);
}

static void test_renamed_at_the_end(void)
{
    struct recording r;
    begin(&r, NULL);
    g_autofree char *other = g_strconcat(r.path, ".other", NULL);
    pass(&r, 1000);
    g_assert_cmpint(g_rename(r.path, other), ==, 0);
    add_waits(&r, 10);
    pm_volume_check(&r.volume, r.now_ns, true);
    pm_volume_close(&r.volume, r.now_ns);
    struct content content = read_whole(other);
    g_assert_true(content.closed);
    g_assert_cmpint(content.n_waits, ==, 1010);
    g_assert_false(g_file_test(r.path, G_FILE_TEST_EXISTS));
    end(&r);
}

/* The disk fails for good from somewhere in the file on: the file either holds or tells of every
 * wait, or does not say that it was closed; then the program's terminal is told, for nobody can ask
 * for the status any more. */
static void test_end_cannot_be_written(void)
{
    guint n_closed = 0, n_open = 0;
    signal(SIGXFSZ, SIG_IGN);
    for (rlim_t limit = 4096; limit < 100000; limit += 1000) {
        const struct rlimit small = {limit, RLIM_INFINITY}, any = {RLIM_INFINITY, RLIM_INFINITY};
        struct recording r;
        begin(&r, NULL);
        pass(&r, 100);
        g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &small), ==, 0);
        pass(&r, 5000);
        add_waits(&r, 3000);
        g_assert_cmpuint(n_said, ==, 0);
        pm_volume_close(&r.volume, r.now_ns);
        g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &any), ==, 0);
        struct content content = read_whole(r.path);
        g_assert_cmpuint(n_said, ==, content.closed ? 0 : 1);
        if (content.closed) {
            n_closed++;
            g_assert_cmpint(content.n_waits + content.n_missing, ==, r.n_waits);
        } else {
            n_open++;
            assert_says(said, r.path);
            assert_says(said, "File too large; the end of the recording is missing");
        }
        end(&r);
    }
    g_assert_cmpuint(n_closed, >, 0);
    g_assert_cmpuint(n_open, >, 0);
}

/* Two JVMs with one name: the later one moves the file of the earlier aside, and both go on. */
static void test_name_is_shared(void)
{
    struct recording r;
    struct pm_file later;
    begin(&r, NULL);
    g_autofree char *aside = g_strconcat(r.path, ".1", NULL);
    pass(&r, 1000);
    g_assert_cmpint(pm_file_create(&r.options, 0, 0, &later, NULL), ==, 0);
    for (guint i = 0; i < 5; i++)
        pass(&r, 1000);
    struct pm_status status = status_of(&r);
    g_assert_cmpuint(status.files, ==, 1);
    g_assert_cmpstr(status.error, ==, "");
    assert_says(status.warning, "another JVM");
    assert_says(status.warning, aside);
    g_assert_cmpstr(status.file, ==, aside);
    g_assert_cmpuint(n_said, ==, 0);
    /* The other one ends, and what it recorded is left alone. */
    close(later.fd);
    pm_file_forget(&later);
    pass(&r, 1000);
    g_assert_cmpuint(status_of(&r).files, ==, 1);
    pm_volume_close(&r.volume, r.now_ns);
    struct content content = read_whole(aside);
    g_assert_cmpint(content.n_waits, ==, r.n_waits);
    end(&r);
}

/* The name goes, another stays. */
static void test_one_of_two_names_is_removed(void)
{
    struct recording r;
    begin(&r, NULL);
    g_autofree char *other = g_strconcat(r.path, ".other", NULL);
    pass(&r, 1000);
    g_assert_cmpint(link(r.path, other), ==, 0);
    pass(&r, 1000);
    g_assert_cmpuint(status_of(&r).files, ==, 1);
    g_assert_cmpint(g_unlink(r.path), ==, 0);
    pass(&r, 1000);
    struct pm_status status = status_of(&r);
    g_assert_cmpuint(status.files, ==, 2);
    assert_says(status.warning, "renamed to another name");
    assert_nothing_is_untold(&r, other);
    end(&r);
}

static void test_program_closes_the_descriptor(void)
{
    struct recording r;
    begin(&r, NULL);
    pass(&r, 1000);
    /* And opens another under its number, which is left alone. */
    int other = open("/dev/null", O_RDWR | O_CLOEXEC), fd = r.volume.file.fd;
    g_assert_cmpint(dup2(other, fd), ==, fd);
    pass(&r, 1000);
    g_assert_cmpint(r.volume.file.fd, !=, fd);
    close(r.volume.file.fd);
    pass(&r, 1000);
    struct pm_status status = status_of(&r);
    g_assert_cmpuint(status.files, ==, 1);
    g_assert_cmpstr(status.error, ==, "");
    assert_says(status.warning, "the program closed its descriptor");
    g_assert_cmpuint(n_said, ==, 1);
    g_assert_cmpint(fcntl(fd, F_GETFD), >=, 0);
    close(fd);
    close(other);
    /* Closed and gone. */
    g_assert_cmpint(g_unlink(r.path), ==, 0);
    close(r.volume.file.fd);
    pass(&r, 1000);
    g_assert_cmpuint(status_of(&r).files, ==, 2);
    assert_nothing_is_untold(&r, NULL);
    end(&r);
}

/* -- bytes of others, where nothing was written lately -- */

/* The first byte of a chunk in the file: of the oldest that is closed, or of the open one. */
static guint64 find_chunk(const struct recording *r, bool closed)
{
    struct pm_source source;
    struct pm_reader *reader;
    guint64 offset = 0;
    g_assert_cmpint(pm_source_open(r->path, &source, NULL), ==, 0);
    g_assert_cmpint(pm_reader_open(source, &reader, NULL), ==, 0);
    for (size_t i = 0; i < pm_reader_n_chunks(reader); i++) {
        const struct pm_chunk_info *chunk = pm_reader_chunk(reader, i);
        if (!chunk->overview && chunk->closed == closed && offset == 0)
            offset = chunk->offset;
    }
    pm_reader_free(reader);
    g_assert_cmpuint(offset, >, 0);
    return offset;
}

static void fill(struct recording *r)
{
    for (guint i = 0; i < 60; i++)
        pass(r, 3000);
}

static void test_old_chunk_is_overwritten(gconstpointer at)
{
    struct recording r;
    begin(&r, NULL);
    fill(&r);
    overwrite(r.path, find_chunk(&r, true) + GPOINTER_TO_SIZE(at), 64);
    for (guint i = 0; i < 20; i++)
        pass(&r, 10);
    struct pm_status status = status_of(&r);
    assert_says(status.warning, "partly overwritten");
    g_assert_cmpstr(status.error, ==, "");
    g_assert_cmpuint(status.files, ==, 1);
    g_assert_cmpuint(n_said, ==, 1);
    end(&r);
}

static void test_open_chunk_is_overwritten(void)
{
    struct recording r;
    begin(&r, NULL);
    fill(&r);
    for (guint i = 0; i < 60; i++)
        pass(&r, 10);
    overwrite(r.path, find_chunk(&r, false) + 200, 64);
    pass(&r, 10);
    struct pm_status status = status_of(&r);
    assert_says(status.warning, "overwritten");
    g_assert_cmpuint(status.files, ==, 2);
    assert_says(status.warning, ".1");
    end(&r);
}

/* Only its time is another. */
static void test_touched(void)
{
    struct recording r;
    begin(&r, NULL);
    fill(&r);
    for (guint i = 0; i < 100; i++) {
        struct timespec times[2] = {{(time_t)i + 1, 0}, {(time_t)i + 1, 0}};
        g_assert_cmpint(utimensat(AT_FDCWD, r.path, times, 0), ==, 0);
        pass(&r, 10);
    }
    struct pm_status status = status_of(&r);
    g_assert_cmpstr(status.warning, ==, "");
    g_assert_cmpuint(status.files, ==, 1);
    end(&r);
}

/* -- other worlds -- */

/* A child with mounts of its own, if this user may; its failure is the test's. */
static void run_apart(void (*test)(void))
{
    pid_t child = fork();
    g_assert_cmpint(child, >=, 0);
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
            _exit(77);
        if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
            _exit(77);
        test();
        _exit(0);
    }
    int status;
    g_assert_cmpint(waitpid(child, &status, 0), ==, child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
        g_test_skip("this user may not mount, or has no such file system");
        return;
    }
    g_assert_true(WIFEXITED(status));
    g_assert_cmpint(WEXITSTATUS(status), ==, 0);
}

static char *mount_small(const char *size)
{
    char *folder = g_dir_make_tmp("volume-XXXXXX", NULL);
    g_autofree char *options = g_strdup_printf("size=%s", size);
    g_assert_nonnull(folder);
    if (mount("none", folder, "tmpfs", 0, options) != 0) {
        g_rmdir(folder);
        _exit(77);
    }
    return folder;
}

static void fill_disk(const char *folder)
{
    g_autofree char *path = g_build_filename(folder, "filling", NULL);
    g_autofree char *bytes = g_malloc0(65536);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    while (write(fd, bytes, 65536) > 0) {
    }
    g_assert_cmpint(errno, ==, ENOSPC);
    close(fd);
}

static void empty_disk(const char *folder)
{
    g_autofree char *path = g_build_filename(folder, "filling", NULL);
    g_assert_cmpint(g_unlink(path), ==, 0);
}

static void no_room_for_a_new_file(void)
{
    struct recording r;
    g_autofree char *folder = mount_small("9m");
    begin(&r, folder);
    pass(&r, 1000);
    g_assert_cmpint(g_unlink(r.path), ==, 0);
    g_assert_cmpint(g_mkdir(r.path, 0700), ==, 0);
    pass(&r, 1000);
    fill_disk(folder);
    g_assert_cmpint(g_rmdir(r.path), ==, 0);
    for (guint i = 0; i < 5; i++)
        pass(&r, 1000);
    struct pm_status status = status_of(&r);
    g_assert_false(status.storing);
    assert_says(status.error, "No space left on device");
    g_assert_false(g_file_test(r.path, G_FILE_TEST_EXISTS));
    g_assert_cmpint(mount("none", folder, NULL, MS_REMOUNT | MS_RDONLY, NULL), ==, 0);
    pass(&r, 1000);
    pass(&r, 1000);
    assert_says(status_of(&r).error, "Read-only file system");
    g_assert_cmpint(mount("none", folder, NULL, MS_REMOUNT, NULL), ==, 0);
    empty_disk(folder);
    pass(&r, 1000);
    pass(&r, 1000);
    g_assert_true(status_of(&r).storing);
    assert_nothing_is_untold(&r, NULL);
    end(&r);
    umount(folder);
    g_rmdir(folder);
}

static void test_no_room_for_a_new_file(void)
{
    run_apart(no_room_for_a_new_file);
}

/* As on a file system that reserves nothing. */
static void disk_fills_up(void)
{
    struct recording r;
    g_autofree char *folder = mount_small("9m");
    begin(&r, folder);
    pass(&r, 1000);
    g_assert_cmpint(fallocate(r.volume.file.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 131072,
                              MAXSIZE - 262144),
                    ==, 0);
    fill_disk(folder);
    for (guint i = 0; i < 40; i++)
        pass(&r, 3000);
    struct pm_status status = status_of(&r);
    struct pm_writer_stats stats;
    assert_says(status.error, "No space left on device");
    g_assert_cmpuint(status.files, ==, 1);
    pm_writer_get_stats(r.writer, &stats);
    g_assert_cmpuint(stats.lost_waits, >, 0);
    empty_disk(folder);
    pass(&r, 1000);
    pass(&r, 1000);
    g_assert_cmpstr(status_of(&r).error, ==, "");
    assert_nothing_is_untold(&r, NULL);
    end(&r);
    umount(folder);
    g_rmdir(folder);
}

static void test_disk_fills_up(void)
{
    run_apart(disk_fills_up);
}

/* btrfs puts each change of a file elsewhere, unless the file is made to be written in place. */
static void fills_up_under_what_is_written_again(void)
{
    struct recording r;
    g_autofree char *folder = g_dir_make_tmp("volume-XXXXXX", NULL);
    g_autofree char *image = g_strdup_printf("%s.image", folder);
    g_autofree char *command = g_strdup_printf(
        "truncate -s 120M %s && mkfs.btrfs -q %s >/dev/null 2>&1 && mount -o loop %s "
        "%s 2>/dev/null",
        image, image, image, folder);
    int status = system(command);
    g_unlink(image);
    if (status != 0) {
        g_rmdir(folder);
        _exit(77);
    }
    begin(&r, folder);
    pass(&r, 1000);
    fill_disk(folder);
    syncfs(r.volume.file.fd);
    for (guint i = 0; i < 100; i++)
        pass(&r, 3000);
    struct pm_writer_stats stats;
    pm_writer_get_stats(r.writer, &stats);
    g_assert_cmpstr(status_of(&r).error, ==, "");
    g_assert_cmpuint(stats.lost_waits, ==, 0);
    end(&r);
    umount(folder);
    g_rmdir(folder);
}

static void test_fills_up_under_what_is_written_again(void)
{
    run_apart(fills_up_under_what_is_written_again);
}

/* The file is there still, but nobody sees it by its name. */
static void mounted_over(void)
{
    struct recording r;
    g_autofree char *folder = mount_small("20m");
    g_autofree char *inner = g_build_filename(folder, "inner", NULL);
    g_assert_cmpint(g_mkdir(inner, 0700), ==, 0);
    begin(&r, inner);
    pass(&r, 1000);
    g_assert_cmpint(mount("none", folder, "tmpfs", 0, NULL), ==, 0);
    pass(&r, 1000);
    pass(&r, 1000);
    pass(&r, 1000);
    struct pm_status status = status_of(&r);
    g_assert_true(status.storing);
    g_assert_cmpuint(status.files, ==, 1);
    assert_says(status.warning, "renamed or hidden");
    g_assert_cmpuint(n_said, ==, 1);
    g_assert_cmpint(umount(folder), ==, 0);
    pass(&r, 1000);
    status = status_of(&r);
    g_assert_cmpstr(status.warning, ==, "");
    /* Where there is room for a new one under the name, it is made. */
    g_assert_cmpint(mount("none", inner, "tmpfs", 0, NULL), ==, 0);
    pass(&r, 1000);
    pass(&r, 1000);
    status = status_of(&r);
    g_assert_cmpuint(status.files, ==, 2);
    assert_says(status.warning, "closed whole");
    pm_volume_close(&r.volume, r.now_ns);
    struct content after = read_whole(r.path);
    g_assert_cmpint(umount(inner), ==, 0);
    struct content before = read_whole(r.path);
    g_assert_true(before.closed);
    g_assert_cmpint(after.n_missing, ==, 0);
    g_assert_cmpint(before.n_waits + after.n_waits, ==, r.n_waits);
    end(&r);
    umount(folder);
    g_rmdir(folder);
}

static void test_mounted_over(void)
{
    run_apart(mounted_over);
}

static void another_root(void)
{
    struct recording r;
    g_autofree char *root = g_dir_make_tmp("volume-XXXXXX", NULL);
    int out = open("/", O_RDONLY | O_CLOEXEC);
    begin(&r, NULL);
    pass(&r, 1000);
    g_assert_cmpint(chroot(root), ==, 0);
    g_assert_cmpint(chdir("/"), ==, 0);
    pass(&r, 1000);
    pass(&r, 1000);
    struct pm_status status = status_of(&r);
    g_assert_true(status.storing);
    g_assert_cmpuint(status.files, ==, 1);
    assert_says(status.warning, "renamed or hidden");
    g_assert_cmpint(fchdir(out), ==, 0);
    g_assert_cmpint(chroot("."), ==, 0);
    pass(&r, 1000);
    g_assert_cmpstr(status_of(&r).warning, ==, "");
    assert_nothing_is_untold(&r, NULL);
    end(&r);
    close(out);
    g_rmdir(root);
}

static void test_another_root(void)
{
    run_apart(another_root);
}

/* As a server that starts as root and goes on as somebody else. */
static void another_user(void)
{
    struct recording r;
    struct stat status;
    begin(&r, NULL);
    pass(&r, 1000);
    if (chown(r.path, 65534, (gid_t)-1) != 0 || seteuid(65534) != 0) {
        end(&r);
        _exit(77);
    }
    g_assert_cmpint(stat(r.path, &status), <, 0);
    pass(&r, 1000);
    pass(&r, 1000);
    struct pm_status now = status_of(&r);
    g_assert_true(now.storing);
    g_assert_cmpuint(now.files, ==, 1);
    assert_says(now.warning, "Permission denied");
    g_assert_cmpstr(now.error, ==, "");
    g_assert_cmpint(seteuid(0), ==, 0);
    assert_nothing_is_untold(&r, NULL);
    end(&r);
}

static void test_another_user(void)
{
    run_apart(another_user);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_assert_cmpint(pm_tables_init(), ==, 0);
    g_test_add_func("/agent/volume/nothing-happens", test_nothing_happens);
    g_test_add_func("/agent/volume/lost-again-and-again-at-a-bounded-rate",
                    test_lost_again_and_again);
    g_test_add_func("/agent/volume/without-a-place-it-tries-again",
                    test_without_a_place_it_tries_again);
    g_test_add_func("/agent/volume/ends-without-a-place", test_ends_without_a_place);
    g_test_add_func("/agent/volume/renamed-at-the-end", test_renamed_at_the_end);
    g_test_add_func("/agent/volume/end-cannot-be-written", test_end_cannot_be_written);
    g_test_add_func("/agent/volume/name-is-shared", test_name_is_shared);
    g_test_add_func("/agent/volume/one-of-two-names-is-removed", test_one_of_two_names_is_removed);
    g_test_add_func("/agent/volume/program-closes-the-descriptor",
                    test_program_closes_the_descriptor);
    g_test_add_data_func("/agent/volume/old-chunk-is-overwritten", GSIZE_TO_POINTER(4000),
                         test_old_chunk_is_overwritten);
    g_test_add_data_func("/agent/volume/old-chunks-head-is-overwritten", GSIZE_TO_POINTER(0),
                         test_old_chunk_is_overwritten);
    g_test_add_func("/agent/volume/open-chunk-is-overwritten", test_open_chunk_is_overwritten);
    g_test_add_func("/agent/volume/a-touch-is-no-harm", test_touched);
    g_test_add_func("/agent/volume/no-room-for-a-new-file", test_no_room_for_a_new_file);
    g_test_add_func("/agent/volume/disk-fills-up", test_disk_fills_up);
    g_test_add_func("/agent/volume/fills-up-under-what-is-written-again",
                    test_fills_up_under_what_is_written_again);
    g_test_add_func("/agent/volume/mounted-over", test_mounted_over);
    g_test_add_func("/agent/volume/another-root", test_another_root);
    g_test_add_func("/agent/volume/another-user", test_another_user);
    return g_test_run();
}
