/* The file of a recording: the rules of the options `file=` and `keep=`. An existing file is never
 * overwritten, a symbolic link never followed, and what is not a recording stays where it is; the
 * file is private (0600) and locked as long as this process lives, so that others can recognise a
 * recording of a dead JVM. */
#pragma once

#include <stddef.h>

#include "recorder/agent/base/options.h"
#include "recorder/agent/storage/inode.h"

#define PM_FILE_KEPT_SIZE (PM_OPTIONS_PATH_MAX + 96)

struct pm_file {
    int fd;                              /* -1 = there is none */
    char path[PM_OPTIONS_PATH_MAX + 64]; /* absolute */
    struct pm_inode inode;
    bool found_by_name; /* its name leads to that inode: file systems number inodes differently */
    int folder;         /* a descriptor; -1 = it cannot be held */
    struct pm_inode folder_inode;
};

/* Number of locations to try for these options: 2 for the default (/var/tmp, /tmp), else 1. */
unsigned pm_file_n_places(const struct pm_options *options);
/* Creates the file at that location: %p and %t are expanded, an existing recording is renamed to
 * `.1`, in the place of an older one, any other file is refused.
 * PM_ERROR_IO, PM_ERROR_ARGUMENT: `ret_info` names the path and a remedy. */
int pm_file_create(const struct pm_options *options, unsigned place, int64_t now_unix_ns,
                   struct pm_file *ret_file, struct pm_error_info *ret_info);
/* Creates it again under the same expanded, absolute name, regardless of the current working
 * directory. A file that exists there is renamed to the first free one of `.1` … `.9`, so that
 * nothing written by others is lost; if none is free, as above. `ret_kept`, of PM_FILE_KEPT_SIZE:
 * its new name, empty if there was no file. */
int pm_file_create_again(const struct pm_file *before, struct pm_file *ret_file, char *ret_kept,
                         struct pm_error_info *ret_info);
/* Reopens the file itself, through its name or its folder. -1 = not found. */
int pm_file_reopen(const struct pm_file *file);
/* Closes and removes a file that turned out to be unusable. */
void pm_file_discard(struct pm_file *file);
/* Removes its name, if it is still the file's name. */
void pm_file_remove(const struct pm_file *file);
/* Releases the folder; `fd` has another owner. */
void pm_file_forget(struct pm_file *file);

enum pm_file_place {
    PM_FILE_IN_PLACE,
    PM_FILE_RENAMED, /* its name leads elsewhere or nowhere */
    PM_FILE_YIELDED, /* … to another live JVM's recording: they share the name */
    PM_FILE_HIDDEN, /* … but it has that name in its folder: the folder was renamed or is hidden by
                     * a mount, or this process changed its root */
    PM_FILE_UNSEEN, /* its folder may not be looked at any more */
};
/* Where an open file is now. May wait for a server. */
enum pm_file_place pm_file_look(const struct pm_file *file, int *ret_errno);
/* Something lies under its name. */
bool pm_file_is_taken(const struct pm_file *file);
/* Its current name in the system: the new name if it was renamed, "another name" if unknown. */
void pm_file_name_now(const struct pm_file *file, char *ret_name, size_t size);

/* Removes recordings with the default name in `folder` that belong to this user and to no live JVM,
 * except the newest `keep`, as far as they are found within 20 ms. Returns the number removed. */
unsigned pm_file_remove_old(const char *folder, uint32_t keep);
