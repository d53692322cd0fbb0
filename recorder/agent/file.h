/* Where the recording goes: the rules of the options `file=` and `keep=`. An existing file is never
 * overwritten, a symbolic link never followed; the file is ours alone (0600) and locked as long as
 * this process lives, which is how others know a recording of a dead JVM. */
#pragma once

#include "recorder/agent/options.h"

struct pm_file {
    int fd;
    char path[PM_OPTIONS_PATH_MAX + 64]; /* absolute */
};

/* Number of places to try for these options: 2 for the default (/var/tmp, /tmp), else 1. */
unsigned pm_file_n_places(const struct pm_options *options);
/* Creates the file at that place: %p and %t filled in, an existing one renamed to `.1`.
 * PM_ERROR_IO, PM_ERROR_ARGUMENT: `ret_info` names the path and the way out. */
int pm_file_create(const struct pm_options *options, unsigned place, int64_t now_unix_ns,
                   struct pm_file *ret_file, struct pm_error_info *ret_info);
/* Closes and removes a file that could not be used after all. */
void pm_file_discard(struct pm_file *file);

/* Removes recordings with the default name in `folder` that belong to this user and to no living
 * JVM, but for the newest `keep`. Returns how many. */
unsigned pm_file_remove_old(const char *folder, uint32_t keep);
