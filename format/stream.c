#include "format/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "format/memory-limit.h"

/* File systems in memory (linux/magic.h). */
#define TMPFS 0x01021994
#define RAMFS 0x858458f6

/* A descriptor travels in the context pointer itself: nothing to allocate, nothing to free. */
static int fd_of(void *context)
{
    return (int)(intptr_t)context;
}

static int fd_read_at(void *context, uint64_t offset, void *bytes, size_t size)
{
    uint8_t *to = bytes;
    while (size > 0) {
        ssize_t n = pread(fd_of(context), to, size, (off_t)offset);
        if (n < 0) {
            if (errno == EINTR)
                continue;
            return PM_ERROR_IO;
        }
        if (n == 0)
            return PM_ERROR_TRUNCATED;
        to += n;
        offset += (uint64_t)n;
        size -= (size_t)n;
    }
    return PM_OK;
}

static int fd_write_at(void *context, uint64_t offset, const void *bytes, size_t size)
{
    const uint8_t *from = bytes;
    while (size > 0) {
        ssize_t n = pwrite(fd_of(context), from, size, (off_t)offset);
        if (n < 0) {
            if (errno == EINTR)
                continue;
            return PM_ERROR_IO;
        }
        from += n;
        offset += (uint64_t)n;
        size -= (size_t)n;
    }
    return PM_OK;
}

static int fd_size(void *context, uint64_t *ret_size)
{
    struct stat st;
    if (fstat(fd_of(context), &st) != 0)
        return PM_ERROR_IO;
    *ret_size = (uint64_t)st.st_size;
    return PM_OK;
}

static int fd_truncate(void *context, uint64_t size)
{
    int result;
    do {
        result = ftruncate(fd_of(context), (off_t)size);
    } while (result != 0 && errno == EINTR);
    return result == 0 ? PM_OK : PM_ERROR_IO;
}

/* Is there surely no room for so much? Where the file system does not tell, there may be. */
static bool is_too_much(int fd, const struct stat *st, uint64_t size)
{
    struct statvfs disk;
    uint64_t has = (uint64_t)st->st_blocks * 512;
    return size > has && fstatvfs(fd, &disk) == 0 && disk.f_blocks > 0 &&
           disk.f_bavail < (size - has) / disk.f_frsize;
}

/* Would it take more than half of the memory that is left to the container? A file in memory counts
 * against its limit, at which the kernel would kill the program. */
static bool is_too_much_memory(int fd, const struct stat *st, uint64_t size)
{
    struct statfs disk;
    uint64_t has = (uint64_t)st->st_blocks * 512;
    return size > has && fstatfs(fd, &disk) == 0 &&
           ((uint32_t)disk.f_type == TMPFS || (uint32_t)disk.f_type == RAMFS) &&
           size - has > pm_memory_limit_left("/proc/self/cgroup", "/sys/fs/cgroup") / 2;
}

/* Not posix_fallocate: where the file system cannot reserve it writes to every block instead, and a
 * program that starts would wait for it. There, and where a filter of system calls refuses it, the
 * file only gets its length.
 *
 * A file system that has too little gives all that it has before it fails: it is asked first, and
 * what it gave all the same goes back to it, for others write there. */
static int fd_allocate(void *context, uint64_t size)
{
    struct stat before;
    int result;
    if (fstat(fd_of(context), &before) != 0)
        return PM_ERROR_IO;
    if (is_too_much(fd_of(context), &before, size)) {
        errno = ENOSPC;
        return PM_ERROR_IO;
    }
    if (is_too_much_memory(fd_of(context), &before, size)) {
        errno = ENOMEM;
        return PM_ERROR_IO;
    }
    do {
        result = fallocate(fd_of(context), 0, 0, (off_t)size);
    } while (result != 0 && errno == EINTR);
    if (result == 0)
        return PM_OK;
    int error = errno;
    if (error != ENOSPC && error != EDQUOT && error != EFBIG && error != EIO) /* refused as such */
        return (uint64_t)before.st_size >= size ? PM_OK : fd_truncate(context, size);
    (void)fd_truncate(context, (uint64_t)before.st_size);
    errno = error;
    return PM_ERROR_IO;
}

static void fd_close(void *context)
{
    close(fd_of(context));
}

int pm_source_from_fd(int fd, struct pm_source *ret_source)
{
    if (fd < 0)
        return PM_ERROR_ARGUMENT;
    *ret_source = (struct pm_source){(void *)(intptr_t)fd, fd_read_at, fd_size, fd_close};
    return PM_OK;
}

int pm_source_open(const char *path, struct pm_source *ret_source, struct pm_error_info *ret_info)
{
    /* O_NONBLOCK: opening a FIFO must not hang; the check for a plain file comes right after. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return pm_error_set(ret_info, PM_ERROR_IO, -1, "cannot open %s: %s", path, strerror(errno));
    struct stat st;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        close(fd);
        return pm_error_set(ret_info, PM_ERROR_IO, -1, "%s is not a plain file", path);
    }
    return pm_source_from_fd(fd, ret_source);
}

int pm_sink_from_fd(int fd, struct pm_sink *ret_sink)
{
    if (fd < 0)
        return PM_ERROR_ARGUMENT;
    *ret_sink = (struct pm_sink){
        (void *)(intptr_t)fd, fd_write_at, fd_allocate, fd_truncate, fd_read_at, fd_close,
    };
    return PM_OK;
}
