/* The status of the recorder: filled by drain.c after each tick, read by `status`. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "recorder/agent/storage/file.h"

#define PM_STATUS_TEXT 768

struct pm_status {
    bool recording;
    char file[sizeof(((struct pm_file *)0)->path)]; /* the name of what is recorded to now */
    uint64_t file_size, max_size;
    int64_t begin_ns, oldest_ns;
    uint64_t waits;      /* ended */
    uint64_t wait_bytes; /* stored of them */
    uint64_t dropped;    /* not stored for lack of space, whether counted or not */
    uint64_t in_progress;
    uint32_t slots; /* of threads */
    int64_t longest_in_progress_ns;
    uint32_t deadlocks;
    uint64_t blockers; /* alive in the ledger */
    int64_t cpu_ns;    /* of the drain thread */
    uint64_t memory_bytes;
    uint32_t files;               /* created so far; more than one means that some were lost or
                                   * removed */
    uint64_t lost_waits;          /* stored in files that were lost */
    bool storing;                 /* false: there is no file, ended waits are counted and dropped */
    char error[PM_STATUS_TEXT];   /* last failure of the file; empty if none */
    char warning[PM_STATUS_TEXT]; /* what happened to an earlier file, or is unusual about this one
                                   */
};
