#include "recorder/agent/disk.h"

#include <errno.h>
#include <string.h>

static int write_at(void *context, uint64_t offset, const void *bytes, size_t size)
{
    struct pm_disk *disk = context;
    errno = 0;
    int error = disk->file.write_at(disk->file.context, offset, bytes, size);
    disk->error_number = error ? errno : 0;
    return error;
}

/* For a smaller maxsize: what fits moves. */
static int read_at(void *context, uint64_t offset, void *bytes, size_t size)
{
    struct pm_disk *disk = context;
    return disk->file.read_at(disk->file.context, offset, bytes, size);
}

static int allocate(void *context, uint64_t size)
{
    struct pm_disk *disk = context;
    errno = 0;
    int error = disk->file.allocate(disk->file.context, size);
    disk->error_number = error ? errno : 0;
    return error;
}

static int truncate_at(void *context, uint64_t size)
{
    struct pm_disk *disk = context;
    errno = 0;
    int error = disk->file.truncate(disk->file.context, size);
    disk->error_number = error ? errno : 0;
    return error;
}

static void close_file(void *context)
{
    struct pm_disk *disk = context;
    disk->file.close(disk->file.context);
}

int pm_disk_open(struct pm_disk *disk, int fd, struct pm_sink *ret_sink)
{
    int error = pm_sink_from_fd(fd, &disk->file);
    if (error) {
        return error;
    }
    disk->error_number = 0;
    *ret_sink = (struct pm_sink){.context = disk,
                                 .write_at = write_at,
                                 .allocate = allocate,
                                 .truncate = truncate_at,
                                 .read_at = read_at,
                                 .close = close_file};
    return 0;
}

const char *pm_disk_reason(const struct pm_disk *disk, int error)
{
    return error == PM_ERROR_IO && disk->error_number ? strerror(disk->error_number)
                                                      : pm_error_name(error);
}
