/* The identity of a file: two descriptors or names refer to the same file if and only if their
 * inodes are equal. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct pm_inode {
    uint64_t device, number;
    bool regular;
    uint32_t links; /* names it has; 0 = it was removed */
    uint64_t size;
    int64_t written_ns; /* when it was last written to, in CLOCK_REALTIME */
};

/* 0 or the errno. For a descriptor, uses cached attributes: no file server is asked. */
int pm_inode_of_fd(int fd, struct pm_inode *ret_inode);
/* `name` in the folder `folder` (a descriptor or AT_FDCWD). `follow`: a link at its end. */
int pm_inode_of_name(int folder, const char *name, bool follow, struct pm_inode *ret_inode);

static inline bool pm_inode_is_same(const struct pm_inode *a, const struct pm_inode *b)
{
    return a->device == b->device && a->number == b->number;
}
