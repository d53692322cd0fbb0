/* The disk under a recording: a sink over its file that remembers why the last call failed, so that
 * one can say more than PM_ERROR_IO. One thread. */
#pragma once

#include "format/stream.h"

struct pm_disk {
    struct pm_sink file;
    int error_number; /* errno of the last call that writes; 0 = it went well */
};

/* `fd`, open for reading and writing, is owned by `ret_sink` from now on, which borrows `disk`. */
int pm_disk_open(struct pm_disk *disk, int fd, struct pm_sink *ret_sink);
/* What went wrong when the writer says `error`, in a word or two; valid until the next call. */
const char *pm_disk_reason(const struct pm_disk *disk, int error);
