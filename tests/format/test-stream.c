/* Sources and sinks: files, descriptors, memory, and the fault that tests inject. */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "tests/format/in-memory.h"
#include "tests/forbid.h"

static void test_file(void)
{
    g_autofree char *folder = g_dir_make_tmp("parkmeter-test-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "a", NULL);
    struct pm_sink sink;
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    g_assert_cmpint(pm_sink_from_fd(fd, &sink), ==, PM_OK);
    g_assert_cmpint(sink.write_at(sink.context, 3, "abc", 3), ==, PM_OK);
    g_assert_cmpint(sink.allocate(sink.context, 5000), ==, PM_OK);
    char back[8] = "";
    g_assert_cmpint(sink.read_at(sink.context, 2, back, 5), ==, PM_OK);
    g_assert_cmpmem(back, 5, "\0abc\0", 5);
    struct pm_source source;
    struct pm_error_info info;
    g_assert_cmpint(pm_source_open(path, &source, &info), ==, PM_OK);
    uint64_t size;
    g_assert_cmpint(source.size(source.context, &size), ==, PM_OK);
    g_assert_cmpuint(size, ==, 5000);
    g_assert_cmpint(sink.truncate(sink.context, 6), ==, PM_OK);
    g_assert_cmpint(source.read_at(source.context, 3, back, 3), ==, PM_OK);
    g_assert_cmpmem(back, 3, "abc", 3);
    g_assert_cmpint(source.read_at(source.context, 4, back, 3), ==, PM_ERROR_TRUNCATED);
    g_assert_cmpint(source.read_at(source.context, 60, back, 1), ==, PM_ERROR_TRUNCATED);
    source.close(source.context);
    sink.close(sink.context);
    g_unlink(path);
    g_rmdir(folder);
}

/* -- no room -- */

static guint n_reserved;
static gboolean is_short;

int __real_fallocate64(int fd, int mode, off_t offset, off_t size);
int __wrap_fallocate64(int fd, int mode, off_t offset, off_t size);

/* As ext4 does it where there is too little: half of it is given, then it fails. */
int __wrap_fallocate64(int fd, int mode, off_t offset, off_t size)
{
    n_reserved++;
    if (!is_short)
        return __real_fallocate64(fd, mode, offset, size);
    g_assert_cmpint(__real_fallocate64(fd, mode, offset, size / 2), ==, 0);
    errno = ENOSPC;
    return -1;
}

/* Others write to that disk. */
static void test_no_room(void)
{
    g_autofree char *folder = g_dir_make_tmp("parkmeter-test-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "a", NULL);
    struct pm_sink sink;
    struct stat before, after;
    struct statvfs disk;
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    g_assert_cmpint(pm_sink_from_fd(fd, &sink), ==, PM_OK);
    g_assert_cmpint(sink.allocate(sink.context, 1 << 20), ==, PM_OK);
    g_assert_cmpint(fstat(fd, &before), ==, 0);
    g_assert_cmpint(fstatvfs(fd, &disk), ==, 0);

    is_short = TRUE;
    g_assert_cmpint(sink.allocate(sink.context, 8 << 20), ==, PM_ERROR_IO);
    g_assert_cmpint(errno, ==, ENOSPC);
    is_short = FALSE;
    g_assert_cmpint(fstat(fd, &after), ==, 0);
    g_assert_cmpint(after.st_size, ==, before.st_size);
    g_assert_cmpint(after.st_blocks, <=, before.st_blocks);

    n_reserved = 0;
    g_assert_cmpint(
        sink.allocate(sink.context, ((uint64_t)disk.f_blocks + 1) * disk.f_frsize + (1 << 20)), ==,
        PM_ERROR_IO);
    g_assert_cmpint(errno, ==, ENOSPC);
    g_assert_cmpuint(n_reserved, ==, 0);
    sink.close(sink.context);
    g_unlink(path);
    g_rmdir(folder);
}

/* A gigabyte is at once as long as that, and takes nothing. The last test: the filter stays. */
static void test_no_reservation(void)
{
    g_autofree char *folder = g_dir_make_tmp("parkmeter-test-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "a", NULL);
    struct pm_sink sink;
    struct stat status;
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    g_assert_cmpint(pm_sink_from_fd(fd, &sink), ==, PM_OK);
    g_assert_cmpint(sink.write_at(sink.context, 0, "abc", 3), ==, PM_OK);
    /* As by a file system that has none, and by filters of system calls. */
    static const unsigned errors[] = {EOPNOTSUPP, EPERM, EACCES};
    for (size_t i = 0; i < G_N_ELEMENTS(errors); i++) {
        if (!pm_forbid_call(__NR_fallocate, errors[i])) {
            g_test_skip("seccomp is not to be had here");
            break;
        }
        g_assert_cmpint(sink.allocate(sink.context, 1 << 30), ==, PM_OK);
        g_assert_cmpint(fstat(fd, &status), ==, 0);
        g_assert_cmpint(status.st_size, ==, 1 << 30);
        g_assert_cmpint(status.st_blocks, <, 1 << 12); /* of 512 bytes */
        g_assert_cmpint(sink.allocate(sink.context, 5000), ==, PM_OK);
        g_assert_cmpint(fstat(fd, &status), ==, 0);
        g_assert_cmpint(status.st_size, ==, 1 << 30);
    }
    sink.close(sink.context);
    g_unlink(path);
    g_rmdir(folder);
}

/* What is no plain file gets a sentence, and a FIFO nobody writes to does not hang. */
static void test_no_file(void)
{
    g_autofree char *folder = g_dir_make_tmp("parkmeter-test-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "a", NULL);
    struct pm_source source;
    struct pm_error_info info = {0};
    g_assert_cmpint(pm_source_open(path, &source, &info), ==, PM_ERROR_IO);
    g_assert_nonnull(strstr(info.text, path));
    g_assert_cmpint(pm_source_open(folder, &source, &info), ==, PM_ERROR_IO);
    g_assert_nonnull(strstr(info.text, "plain file"));
    g_assert_cmpint(mkfifo(path, 0600), ==, 0);
    g_assert_cmpint(pm_source_open(path, &source, &info), ==, PM_ERROR_IO);
    g_assert_cmpint(pm_source_from_fd(-1, &source), ==, PM_ERROR_ARGUMENT);
    g_unlink(path);
    g_rmdir(folder);
}

static void test_memory(void)
{
    struct pm_memory *memory;
    g_assert_cmpint(pm_memory_new(10, &memory), ==, PM_OK);
    struct pm_sink sink = pm_memory_sink(memory);
    struct pm_source source = pm_memory_source(memory);
    char back[16];
    uint64_t size;
    g_assert_cmpint(source.read_at(source.context, 0, back, 1), ==, PM_ERROR_TRUNCATED);
    g_assert_cmpint(sink.write_at(sink.context, 2, "0123456", 7), ==, PM_OK);
    g_assert_cmpint(sink.write_at(sink.context, 0, "abc", 3), ==, PM_OK);
    g_assert_cmpint(sink.write_at(sink.context, 0, "x", 1), ==, PM_ERROR_IO);
    g_assert_cmpint(source.size(source.context, &size), ==, PM_OK);
    g_assert_cmpuint(size, ==, 9);
    g_assert_cmpint(source.read_at(source.context, 0, back, 9), ==, PM_OK);
    g_assert_cmpmem(back, 9, "abc123456", 9);
    g_assert_cmpint(source.read_at(source.context, UINT64_MAX, back, 9), ==, PM_ERROR_TRUNCATED);
    g_assert_cmpint(sink.truncate(sink.context, 4), ==, PM_OK);
    g_assert_cmpint(sink.truncate(sink.context, 6), ==, PM_OK);
    size_t held;
    g_assert_cmpmem(pm_memory_bytes(memory, &held), 6, "abc1\0\0", 6);
    g_assert_cmpuint(held, ==, 6);
    pm_memory_free(memory);
}

static void test_error_names(void)
{
    g_assert_cmpstr(pm_error_name(PM_OK), ==, "ok");
    g_assert_cmpstr(pm_error_name(PM_ERROR_CHECKSUM), ==, "checksum");
    g_assert_cmpstr(pm_error_name(PM_ERROR_CANCELLED), ==, "cancelled");
    g_assert_cmpstr(pm_error_name(-99), ==, "unknown");
    g_assert_cmpstr(pm_error_name(1), ==, "unknown");
    g_assert_cmpstr(pm_error_name(INT_MIN), ==, "unknown");
    struct pm_error_info info;
    g_assert_cmpint(pm_error_set(&info, PM_ERROR_IO, 7, "%s %d", "at", 3), ==, PM_ERROR_IO);
    g_assert_cmpstr(info.text, ==, "at 3");
    g_assert_cmpint(pm_error_set(NULL, PM_ERROR_IO, 7, "x"), ==, PM_ERROR_IO);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/format/stream/a-file-reads-back", test_file);
    g_test_add_func("/format/stream/what-is-no-plain-file-is-refused", test_no_file);
    g_test_add_func("/format/stream/memory-reads-back-and-fails-on-demand", test_memory);
    g_test_add_func("/format/error/every-code-has-a-name", test_error_names);
    g_test_add_func("/format/stream/what-has-no-room-takes-none", test_no_room);
    g_test_add_func("/format/stream/a-file-that-cannot-be-reserved-is-not-written-instead",
                    test_no_reservation);
    return g_test_run();
}
