/* recorder/agent/disk.h: why a disk refused. */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "recorder/agent/disk.h"

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

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/agent/disk/remembers-why-until-it-goes-well",
                    test_remembers_why_until_it_goes_well);
    return g_test_run();
}
