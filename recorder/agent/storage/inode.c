#include "recorder/agent/storage/inode.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* Old kernels have no statx, which glibc turns into EINVAL, and some containers forbid it. */
static int look_by_stat(int folder, const char *name, int flags, struct pm_inode *ret_inode)
{
    struct stat found;
    if (fstatat(folder, name, &found, flags & ~AT_STATX_DONT_SYNC) < 0)
        return errno;
    *ret_inode = (struct pm_inode){
        .device = (uint64_t)major(found.st_dev) << 32 | minor(found.st_dev),
        .number = found.st_ino,
        .regular = S_ISREG(found.st_mode),
        .links = (uint32_t)found.st_nlink,
        .size = (uint64_t)found.st_size,
        .written_ns = found.st_mtim.tv_sec * INT64_C(1000000000) + found.st_mtim.tv_nsec};
    return 0;
}

static int look(int folder, const char *name, int flags, struct pm_inode *ret_inode)
{
    struct statx found;
    if (statx(folder, name, flags, STATX_BASIC_STATS, &found) < 0)
        return look_by_stat(folder, name, flags, ret_inode); /* perhaps only statx is refused */
    *ret_inode = (struct pm_inode){
        .device = (uint64_t)found.stx_dev_major << 32 | found.stx_dev_minor,
        .number = found.stx_ino,
        .regular = S_ISREG(found.stx_mode),
        .links = found.stx_nlink,
        .size = found.stx_size,
        .written_ns = found.stx_mtime.tv_sec * INT64_C(1000000000) + found.stx_mtime.tv_nsec};
    return 0;
}

int pm_inode_of_fd(int fd, struct pm_inode *ret_inode)
{
    /* Without the server's word: it would have to be sent what was written first. */
    return look(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, ret_inode);
}

int pm_inode_of_name(int folder, const char *name, bool follow, struct pm_inode *ret_inode)
{
    return look(folder, name, follow ? 0 : AT_SYMLINK_NOFOLLOW, ret_inode);
}
