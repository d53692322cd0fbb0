/* The disk under a recording: a sink over its file that remembers why the last call failed, so that
 * one can say more than PM_ERROR_IO, and what was written, so that one can see whether it still is
 * there. It writes to no other file, should its descriptor come to be another's. One thread. */
#pragma once

#include "format/stream.h"
#include "recorder/agent/storage/inode.h"

#define PM_DISK_HEADER 4096 /* bytes in front that are remembered as they are */
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
    int error_number;      /* errno of the last call that writes; 0 = it went well */
    uint64_t n_failed;     /* calls that write … */
    int failed_number;     /* … and errno of the last of them */
    uint64_t size;         /* the file has at least */
    int64_t written_ns;    /* the file's time after our last write; 0 = not known */
    bool foreign;          /* it holds the bytes of others, as last checked: nothing is written */
    bool touched; /* somebody else wrote since that was last cleared, or changed its time */
    bool header_known;
    uint8_t header[PM_DISK_HEADER];
    struct pm_disk_piece pieces[PM_DISK_PIECES];
    unsigned next_piece;
};

enum pm_disk_state {
    PM_DISK_WELL,
    PM_DISK_CLOSED,      /* the descriptor is not that file's any more */
    PM_DISK_REMOVED,     /* the file has no name */
    PM_DISK_CUT,         /* it is shorter than it was made */
    PM_DISK_OVERWRITTEN, /* it does not hold what was written */
};

/* `fd`, open for reading and writing, is owned by `ret_sink` from now on, which borrows `disk`. */
int pm_disk_open(struct pm_disk *disk, int fd, struct pm_sink *ret_sink);
/* Goes on with `fd`, the same file opened once more, which is owned from now on. After
 * PM_DISK_CLOSED: the former number is left to whom it belongs. */
void pm_disk_reopen(struct pm_disk *disk, int fd);
/* Whether the file is still what was written: its size, its header, the last pieces (256 KiB at
 * most). What cannot be read counts as well. */
enum pm_disk_state pm_disk_check(struct pm_disk *disk);
/* To read what is there now; borrows `disk`, closes nothing. */
struct pm_source pm_disk_source(struct pm_disk *disk);
/* What went wrong when the writer says `error`, in a word or two; valid until the next call. */
const char *pm_disk_reason(const struct pm_disk *disk, int error);
