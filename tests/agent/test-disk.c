/* recorder/agent/storage/disk.h: why a disk refused, and whether it still holds what was written.
 */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "recorder/agent/storage/disk.h"

static int refused_statx;

int statx(int folder, const char *name, int flags, unsigned mask, struct statx *ret)
{
    errno = refused_statx;
    return refused_statx ? -1 : (int)syscall(SYS_statx, folder, name, flags, mask, ret);
}

/* A file open for reading alone stands for a disk that refuses what is written. */
static void test_remembers_why_until_it_goes_well(void)
{
    char *path = NULL;
    int writable = g_file_open_tmp("disk-XXXXXX", &path, NULL);
    g_assert_cmpint(writable, >=, 0);
    int read_only = open(path, O_RDONLY | O_CLOEXEC);
    g_assert_cmpint(read_only, >=, 0);
    struct pm_disk disk;
    struct pm_sink sink;
    g_assert_cmpint(pm_disk_open(&disk, writable, &sink), ==, 0);
    g_assert_cmpint(sink.write_at(sink.context, 0, "abc", 3), ==, 0);
    g_assert_cmpint(disk.error_number, ==, 0);

    g_assert_cmpint(dup2(read_only, writable), ==, writable);
    int error = sink.write_at(sink.context, 3, "def", 3);
    g_assert_cmpint(error, ==, PM_ERROR_IO);
    g_assert_cmpint(disk.error_number, ==, EBADF);
    g_assert_cmpstr(pm_disk_reason(&disk, error), ==, strerror(EBADF));
    g_assert_cmpstr(pm_disk_reason(&disk, PM_ERROR_MEMORY), ==, pm_error_name(PM_ERROR_MEMORY));
    char bytes[3];
    g_assert_cmpint(sink.read_at(sink.context, 0, bytes, 3), ==, 0);
    g_assert_cmpmem(bytes, 3, "abc", 3);
    g_assert_cmpint(disk.error_number, ==, EBADF); /* reading says nothing about writing */

    int again = open(path, O_RDWR | O_CLOEXEC);
    g_assert_cmpint(dup2(again, writable), ==, writable);
    g_assert_cmpint(sink.truncate(sink.context, 1), ==, 0);
    g_assert_cmpint(disk.error_number, ==, 0);
    g_assert_cmpstr(pm_disk_reason(&disk, PM_ERROR_IO), ==, pm_error_name(PM_ERROR_IO));
    sink.close(sink.context);
    close(again);
    close(read_only);
    g_unlink(path);
    g_free(path);
}

/* -- what others do to the file -- */

struct place {
    char *path;
    int fd;
    struct pm_disk disk;
    struct pm_sink sink;
};

#define SIZE 262144

/* A header, then a hundred pieces of a kilobyte. */
static void begin(struct place *place)
{
    uint8_t bytes[PM_DISK_HEADER];
    *place = (struct place){0};
    place->fd = g_file_open_tmp("disk-XXXXXX", &place->path, NULL);
    g_assert_cmpint(place->fd, >=, 0);
    g_assert_cmpint(pm_disk_open(&place->disk, place->fd, &place->sink), ==, 0);
    g_assert_cmpint(place->sink.allocate(place->sink.context, SIZE), ==, 0);
    for (guint i = 0; i < 101; i++) {
        memset(bytes, (int)(i + 1), sizeof bytes);
        guint64 offset = i == 0 ? 0 : PM_DISK_HEADER + (i - 1) * 1024;
        gsize size = i == 0 ? sizeof bytes : 1024;
        g_assert_cmpint(place->sink.write_at(place->sink.context, offset, bytes, size), ==, 0);
    }
    g_assert_cmpint(pm_disk_check(&place->disk), ==, PM_DISK_WELL);
    g_assert_false(place->disk.touched);
}

static void end(struct place *place)
{
    place->sink.close(place->sink.context);
    g_unlink(place->path);
    g_free(place->path);
}

/* As another process would, some time after our last write. */
static void overwrite(struct place *place, off_t offset, gsize size)
{
    g_autofree char *bytes = g_malloc(size);
    int fd = open(place->path, O_WRONLY | O_CLOEXEC);
    memset(bytes, 0xa5, size);
    g_usleep(20000);
    g_assert_cmpint(pwrite(fd, bytes, size, offset), ==, (gssize)size);
    close(fd);
}

static void test_sees_what_was_overwritten(void)
{
    static const struct {
        off_t offset;
        gsize size;
        enum pm_disk_state state;
    } attacks[] = {
        {0, 1, PM_DISK_OVERWRITTEN},
        {2048, 100, PM_DISK_OVERWRITTEN},
        {PM_DISK_HEADER - 1, 1, PM_DISK_OVERWRITTEN},
        {0, SIZE, PM_DISK_OVERWRITTEN},
        {PM_DISK_HEADER + 99 * 1024, 1, PM_DISK_OVERWRITTEN},
        {PM_DISK_HEADER + 99 * 1024 + 1023, 1, PM_DISK_OVERWRITTEN},
        {PM_DISK_HEADER + 80 * 1024, 1024, PM_DISK_OVERWRITTEN},
        /* Only that somebody was there. */
        {PM_DISK_HEADER + 1024, 1024, PM_DISK_WELL},
        {PM_DISK_HEADER + 150 * 1024, 1024, PM_DISK_WELL},
        {SIZE, 10, PM_DISK_WELL},
    };
    for (guint i = 0; i < G_N_ELEMENTS(attacks); i++) {
        struct place place;
        begin(&place);
        overwrite(&place, attacks[i].offset, attacks[i].size);
        g_assert_cmpint(pm_disk_check(&place.disk), ==, attacks[i].state);
        g_assert_true(place.disk.touched);
        end(&place);
    }
}

static void test_sees_a_hole(void)
{
    struct place place;
    begin(&place);
    int result = fallocate(place.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                           PM_DISK_HEADER + 99 * 1024, 1024);
    if (result == 0)
        g_assert_cmpint(pm_disk_check(&place.disk), ==, PM_DISK_OVERWRITTEN);
    else
        g_test_skip("no holes on this file system");
    end(&place);
}

static void test_sees_a_cut(void)
{
    static const off_t sizes[] = {0, 1, PM_DISK_HEADER, SIZE / 2, SIZE - 1};
    for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
        struct place place;
        begin(&place);
        g_assert_cmpint(truncate(place.path, sizes[i]), ==, 0);
        g_assert_cmpint(pm_disk_check(&place.disk), ==, PM_DISK_CUT);
        g_assert_cmpint(truncate(place.path, SIZE), ==, 0);
        g_assert_cmpint(pm_disk_check(&place.disk), ==,
                        sizes[i] < SIZE / 4 ? PM_DISK_OVERWRITTEN : PM_DISK_WELL);
        end(&place);
    }
}

static void test_sees_that_it_has_no_name(void)
{
    struct place place;
    begin(&place);
    g_autofree char *other = g_strconcat(place.path, ".other", NULL);
    g_assert_cmpint(g_rename(place.path, other), ==, 0);
    g_assert_cmpint(pm_disk_check(&place.disk), ==, PM_DISK_WELL);
    g_assert_cmpint(g_unlink(other), ==, 0);
    g_assert_cmpint(pm_disk_check(&place.disk), ==, PM_DISK_REMOVED);
    end(&place);
}

/* What we write ourselves, over what we wrote and beyond, is no attack; nor is what was cut. */
static void test_own_writes_are_well(void)
{
    struct place place;
    guint8 bytes[3000];
    begin(&place);
    g_autoptr(GRand) random = g_rand_new_with_seed(1);
    for (guint i = 0; i < 3000; i++) {
        memset(bytes, (int)i, sizeof bytes);
        guint64 offset = (guint64)g_rand_int_range(random, 0, SIZE);
        gsize size = (gsize)g_rand_int_range(random, 0, sizeof bytes);
        if (i % 50 == 0)
            g_assert_cmpint(place.sink.truncate(place.sink.context, offset), ==, 0);
        g_assert_cmpint(place.sink.write_at(place.sink.context, offset, bytes, size), ==, 0);
        g_assert_cmpint(pm_disk_check(&place.disk), ==, PM_DISK_WELL);
    }
    g_assert_false(place.disk.touched);
    end(&place);
}

/* The program closes all descriptors and opens files of its own. */
static void test_writes_to_no_other_file(void)
{
    struct place place;
    char *path = NULL;
    char bytes[4] = "mine";
    begin(&place);
    int other = g_file_open_tmp("disk-XXXXXX", &path, NULL);
    g_assert_cmpint(write(other, bytes, 4), ==, 4);
    g_assert_cmpint(dup2(other, place.fd), ==, place.fd);
    g_assert_cmpint(pm_disk_check(&place.disk), ==, PM_DISK_CLOSED);
    g_assert_cmpint(place.sink.write_at(place.sink.context, 0, "oops", 4), ==, PM_ERROR_IO);
    g_assert_cmpint(place.sink.truncate(place.sink.context, 0), ==, PM_ERROR_IO);
    g_assert_cmpint(place.sink.allocate(place.sink.context, 1 << 20), ==, PM_ERROR_IO);
    g_assert_cmpint(place.disk.error_number, ==, EBADF);
    g_assert_cmpint(pread(other, bytes, 4, 0), ==, 4);
    g_assert_cmpmem(bytes, 4, "mine", 4);
    place.sink.close(place.sink.context);
    g_assert_cmpint(fcntl(place.fd, F_GETFD), >=, 0); /* not ours to close */

    pm_disk_reopen(&place.disk, open(place.path, O_RDWR | O_CLOEXEC));
    g_assert_cmpint(pm_disk_check(&place.disk), ==, PM_DISK_WELL);
    g_assert_cmpint(place.sink.write_at(place.sink.context, 0, "here", 4), ==, 0);
    g_assert_cmpint(pm_disk_check(&place.disk), ==, PM_DISK_WELL);
    close(other);
    g_unlink(path);
    g_free(path);
    close(place.fd);
    end(&place);
}

/* Whatever another put there by mistake is not written over, but for a moment's race. */
static void test_spares_the_bytes_of_others(void)
{
    struct place place;
    char bytes[4];
    begin(&place);
    overwrite(&place, 0, SIZE);
    g_assert_cmpint(place.sink.write_at(place.sink.context, 0, "oops", 4), ==, PM_ERROR_IO);
    g_assert_cmpint(place.disk.error_number, ==, ESTALE);
    g_assert_cmpint(place.sink.write_at(place.sink.context, 0, "oops", 4), ==, PM_ERROR_IO);
    g_assert_cmpint(pread(place.fd, bytes, 4, 0), ==, 4);
    g_assert_cmpmem(bytes, 4, "\xa5\xa5\xa5\xa5", 4);
    g_assert_cmpint(pm_disk_check(&place.disk), ==, PM_DISK_OVERWRITTEN);
    end(&place);
}

/* As old kernels and containers refuse it. */
static void test_without_statx(void)
{
    static const int errors[] = {ENOSYS, EINVAL, EPERM, EACCES};
    for (size_t i = 0; i < G_N_ELEMENTS(errors); i++) {
        refused_statx = errors[i];
        test_own_writes_are_well();
        test_sees_that_it_has_no_name();
        test_writes_to_no_other_file();
        test_spares_the_bytes_of_others();
    }
    refused_statx = 0;
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/agent/disk/remembers-why-until-it-goes-well",
                    test_remembers_why_until_it_goes_well);
    g_test_add_func("/agent/disk/sees-what-was-overwritten", test_sees_what_was_overwritten);
    g_test_add_func("/agent/disk/sees-a-hole", test_sees_a_hole);
    g_test_add_func("/agent/disk/sees-a-cut", test_sees_a_cut);
    g_test_add_func("/agent/disk/sees-that-it-has-no-name", test_sees_that_it_has_no_name);
    g_test_add_func("/agent/disk/own-writes-are-well", test_own_writes_are_well);
    g_test_add_func("/agent/disk/writes-to-no-other-file", test_writes_to_no_other_file);
    g_test_add_func("/agent/disk/spares-the-bytes-of-others", test_spares_the_bytes_of_others);
    g_test_add_func("/agent/disk/without-statx", test_without_statx);
    return g_test_run();
}
