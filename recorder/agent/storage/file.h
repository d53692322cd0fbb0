/* The file of a recording: the rules of the options `file=` and `keep=`. An existing file is never
 * overwritten, a symbolic link never followed; the file is ours alone (0600) and locked as long as
 * this process lives, which is how others know a recording of a dead JVM. */
#pragma once

#include <stddef.h>

#include "recorder/agent/base/options.h"
#include "recorder/agent/storage/inode.h"

#define PM_FILE_KEPT_SIZE (PM_OPTIONS_PATH_MAX + 96)

struct pm_file {
    int fd;                              /* -1 = there is none */
    char path[PM_OPTIONS_PATH_MAX + 64]; /* absolute */
    struct pm_inode inode;
    bool found_by_name; /* its name leads to that inode: not all file systems number alike */
    int folder;         /* a descriptor; -1 = it cannot be held */
    struct pm_inode folder_inode;
};

/* Number of places to try for these options: 2 for the default (/var/tmp, /tmp), else 1. */
unsigned pm_file_n_places(const struct pm_options *options);
/* Creates the file at that place: %p and %t filled in, an existing one renamed to `.1`.
 * PM_ERROR_IO, PM_ERROR_ARGUMENT: `ret_info` names the path and the way out. */
int pm_file_create(const struct pm_options *options, unsigned place, int64_t now_unix_ns,
                   struct pm_file *ret_file, struct pm_error_info *ret_info);
/* The same name once more, as it was filled in and absolute then: whatever became of the working
 * directory. What lies there now is renamed to the first of `.1` … `.9` that is free, so that
 * nothing is lost that another put there; only where none is, as above. `ret_kept`, of
 * PM_FILE_KEPT_SIZE: its new name, empty when there was nothing. */
int pm_file_create_again(const struct pm_file *before, struct pm_file *ret_file, char *ret_kept,
                         struct pm_error_info *ret_info);
/* The file itself, opened once more, where its name or its folder still leads to it. -1 = nowhere.
 */
int pm_file_reopen(const struct pm_file *file);
/* Closes and removes a file that could not be used after all. */
void pm_file_discard(struct pm_file *file);
/* Its name, should it still be its name, is removed. */
void pm_file_remove(const struct pm_file *file);
/* Lets go of the folder; `fd` has another owner. */
void pm_file_forget(struct pm_file *file);

enum pm_file_place {
    PM_FILE_IN_PLACE,
    PM_FILE_RENAMED, /* its name leads elsewhere or nowhere */
    PM_FILE_YIELDED, /* … to what another living JVM records to: they share the name */
    PM_FILE_HIDDEN,  /* … but it has that name in its folder: that was renamed, or lies under a
                        mount, or this process changed its root */
    PM_FILE_UNSEEN,  /* its folder may not be looked at any more */
};
/* Where an open file is now. May wait for a server. */
enum pm_file_place pm_file_look(const struct pm_file *file, int *ret_errno);
/* Something lies under its name. */
bool pm_file_is_taken(const struct pm_file *file);
/* What the system calls it now: its new name if it was renamed, "another name" when that is not
 * known. */
void pm_file_name_now(const struct pm_file *file, char *ret_name, size_t size);

/* Removes recordings with the default name in `folder` that belong to this user and to no living
 * JVM, but for the newest `keep`. Returns how many. */
unsigned pm_file_remove_old(const char *folder, uint32_t keep);
