/* A sink over the recording's file that remembers why the last call failed, for a message more
 * precise than PM_ERROR_IO, and what was written, to check whether it is still there. Never writes
 * to another file, even if its descriptor is reused by somebody else. One thread. */
#pragma once

#include "format/stream.h"
#include "recorder/agent/storage/inode.h"

#define PM_DISK_HEADER 4096 /* bytes at the start that are kept as written */
#define PM_DISK_PIECES 32   /* of the last writes, as hashes */

struct pm_disk_piece {
    uint64_t offset;
    uint32_t size; /* 0 = none */
    uint64_t hash;
};

struct pm_disk {
    struct pm_sink file;
    int fd;
    struct pm_inode inode; /* as it was opened */
    int error_number;      /* errno of the last write call; 0 = success */
    uint64_t n_failed;     /* calls that write … */
    int failed_number;     /* … and errno of the last of them */
    uint64_t size;         /* the file has at least */
    int64_t written_ns;    /* the file's time after our last write; 0 = unknown */
    bool foreign;          /* at the last check it contained foreign bytes: nothing is written */
    bool touched; /* somebody else wrote to it, or changed its time, since this was last cleared */
    bool header_known;
    uint8_t header[PM_DISK_HEADER];
    struct pm_disk_piece pieces[PM_DISK_PIECES];
    unsigned next_piece;
};

enum pm_disk_state {
    PM_DISK_WELL,
    PM_DISK_CLOSED,      /* the descriptor no longer refers to that file */
    PM_DISK_REMOVED,     /* the file has no name */
    PM_DISK_CUT,         /* it is shorter than it was made */
    PM_DISK_OVERWRITTEN, /* it does not hold what was written */
};

/* `ret_sink` takes ownership of `fd`, open for reading and writing, and borrows `disk`. */
int pm_disk_open(struct pm_disk *disk, int fd, struct pm_sink *ret_sink);
/* Continues with `fd`, the same file reopened, and takes ownership of it. After PM_DISK_CLOSED, the
 * former descriptor is left to its new owner. */
void pm_disk_reopen(struct pm_disk *disk, int fd);
/* Whether the file still has what was written: its size, its header, the last pieces (at most 256
 * KiB). Unreadable parts count as changed. */
enum pm_disk_state pm_disk_check(struct pm_disk *disk);
/* To read the current contents; borrows `disk`, closes nothing. */
struct pm_source pm_disk_source(struct pm_disk *disk);
/* A short description of what failed when the writer returned `error`; valid until the next call.
 */
const char *pm_disk_reason(const struct pm_disk *disk, int error);
