#include "recorder/agent/storage/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "format/block.h"
#include "recorder/agent/base/clock.h"
#include "recorder/agent/base/descriptor.h"

#define NAME_PREFIX  "parkmeter-"
#define NAME_SUFFIX  ".park"
#define DEFAULT_NAME NAME_PREFIX "%p-%t" NAME_SUFFIX
#define MAX_OLD      1024 /* looked at in one folder */
#define LOOK_NS                                                                                    \
    20000000 /* the JVM's start waits for it, however many files of others there are               \
              */

static const char *const default_folders[] = {"/var/tmp", "/tmp"};

unsigned pm_file_n_places(const struct pm_options *options)
{
    return options->file[0] ? 1 : 2;
}

/* Fills in %p, %t and %%. False when the result is too long. */
static bool fill_name(const char *name, int64_t now_unix_ns, char *ret_path, size_t size)
{
    size_t length = 0;
    ret_path[0] = 0;
    for (const char *c = name; *c; c++) {
        char piece[32] = {*c, 0};
        if (*c == '%' && c[1] == 'p') {
            snprintf(piece, sizeof piece, "%d", (int)getpid());
            c++;
        } else if (*c == '%' && c[1] == 't') {
            time_t seconds = (time_t)(now_unix_ns / 1000000000);
            struct tm local;
            localtime_r(&seconds, &local);
            strftime(piece, sizeof piece, "%Y%m%dT%H%M%S", &local);
            c++;
        } else if (*c == '%' && c[1] == '%') {
            c++;
        }
        size_t more = strlen(piece);
        if (length + more >= size)
            return false;
        memcpy(ret_path + length, piece, more + 1);
        length += more;
    }
    return true;
}

/* Locked by a living recorder? */
static bool is_in_use(const char *path)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return errno != ENOENT; /* cannot tell: leave it alone */
    bool in_use = flock(fd, LOCK_EX | LOCK_NB) < 0;
    close(fd);
    return in_use;
}

/* An empty file will do: one that was made to reserve the name. What cannot be read is not ours. */
static bool is_recording(const char *path)
{
    char magic[sizeof PM_FILE_MAGIC - 1];
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : pread(fd, magic, sizeof magic, 0);
    if (fd >= 0)
        close(fd);
    return n == 0 || (n == sizeof magic && memcmp(magic, PM_FILE_MAGIC, sizeof magic) == 0);
}

/* Surely: it can be opened, and is locked. */
static bool is_recorded_to(const char *path)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool locked = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK;
    if (fd >= 0)
        close(fd);
    return locked;
}

/* The first of `.1` … `.9` that can be taken: one that is free when `free_only`, else a recording
 * that no living JVM writes to. `mine`: never this one. 0 = none. */
static int find_number(const char *path, bool free_only, const struct pm_inode *mine)
{
    for (int i = 1; i <= 9; i++) {
        char other[PM_FILE_KEPT_SIZE];
        snprintf(other, sizeof other, "%s.%d", path, i);
        struct pm_inode found;
        int error = pm_inode_of_name(AT_FDCWD, other, false, &found);
        if (error)
            return i; /* none there, or the renaming says why not */
        if (!free_only && found.regular && is_recording(other) && !is_in_use(other) &&
            (!mine || !pm_inode_is_same(&found, mine)))
            return i;
    }
    return 0;
}

/* Moves an existing file out of the way. `before`: the recording's file before this one, whose
 * successor takes nobody's place; NULL for the first. `ret_kept` as pm_file_create_again. */
static int move_away(const char *path, const struct pm_file *before, char *ret_kept,
                     struct pm_error_info *ret_info)
{
    struct pm_inode found;
    if (pm_inode_of_name(AT_FDCWD, path, false, &found))
        return 0;
    if (!found.regular) {
        return pm_error_set(ret_info, PM_ERROR_ARGUMENT, -1,
                            "%.120s is not a regular file; give another with file=", path);
    }
    if (!before && !is_recording(path)) {
        return pm_error_set(ret_info, PM_ERROR_ARGUMENT, -1,
                            "%.120s is not a recording; give another with file=", path);
    }
    int number = before ? find_number(path, true, NULL) : 0;
    unsigned flags = number ? RENAME_NOREPLACE : 0;
    if (!number)
        number = find_number(path, false, before ? &before->inode : NULL);
    if (!number) {
        return pm_error_set(ret_info, PM_ERROR_IO, -1,
                            "%.100s.1 to .9 are all in use; put %%p into file=", path);
    }
    char other[PM_FILE_KEPT_SIZE];
    snprintf(other, sizeof other, "%s.%d", path, number);
    int result = renameat2(AT_FDCWD, path, AT_FDCWD, other, flags);
    if (result < 0 && flags && errno != EEXIST)
        result = rename(path, other); /* perhaps only that flag, or this call, is refused */
    if (result < 0 && errno != EEXIST) {
        int error = errno;
        return pm_error_set(ret_info, PM_ERROR_IO, -1, "cannot rename %.120s to .%d: %s", path,
                            number, strerror(error));
    }
    if (ret_kept)
        strcpy(ret_kept, other);
    return 0;
}

static int make_absolute(const char *name, char *ret_path, size_t size)
{
    if (name[0] == '/')
        return snprintf(ret_path, size, "%s", name) < (int)size ? 0 : PM_ERROR_ARGUMENT;
    char folder[PM_OPTIONS_PATH_MAX];
    if (!getcwd(folder, sizeof folder))
        return PM_ERROR_ARGUMENT;
    return snprintf(ret_path, size, "%s/%s", folder, name) < (int)size ? 0 : PM_ERROR_ARGUMENT;
}

static const char *base_of(const char *path)
{
    return strrchr(path, '/') + 1;
}

/* So that one can tell later whether the file has left its folder, or both went elsewhere. */
static void hold_folder(struct pm_file *file)
{
    char folder[sizeof file->path];
    size_t length = (size_t)(base_of(file->path) - file->path);
    memcpy(folder, file->path, length);
    folder[length] = 0;
    file->folder = pm_descriptor_keep(open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (file->folder >= 0 && pm_inode_of_fd(file->folder, &file->folder_inode)) {
        close(file->folder);
        file->folder = -1;
    }
}

/* The descriptor may have been closed by the program, and be another's by now. */
static bool holds_folder(const struct pm_file *file)
{
    struct pm_inode found;
    return file->folder >= 0 && pm_inode_of_fd(file->folder, &found) == 0 &&
           pm_inode_is_same(&found, &file->folder_inode);
}

/* btrfs puts each change of a file elsewhere, for which there may be no room, unless the file was
 * told to be written in place while it was empty. What is written there has its own checksums. */
static void write_in_place(int fd)
{
    struct statfs disk;
    int flags;
    if (fstatfs(fd, &disk) < 0 || disk.f_type != BTRFS_SUPER_MAGIC ||
        ioctl(fd, FS_IOC_GETFLAGS, &flags) < 0)
        return;
    flags |= FS_NOCOW_FL;
    (void)ioctl(fd, FS_IOC_SETFLAGS, &flags); /* else it is like any other file there */
}

/* Fills in all but the path, which is given. */
static int create_at(struct pm_file *file, const struct pm_file *before, char *ret_kept,
                     struct pm_error_info *ret_info)
{
    for (int tries = 0;; tries++) {
        file->fd = pm_descriptor_keep(
            open(file->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
        if (file->fd >= 0)
            break;
        if (errno != EEXIST || tries >= 8) {
            int error = errno;
            return pm_error_set(ret_info, PM_ERROR_IO, -1, "cannot write %.140s: %s", file->path,
                                strerror(error));
        }
        int error = move_away(file->path, before, ret_kept, ret_info);
        if (error)
            return error;
    }
    flock(file->fd, LOCK_EX | LOCK_NB); /* no lock on this file system: the pid must do */
    write_in_place(file->fd);
    struct pm_inode found;
    file->found_by_name = pm_inode_of_fd(file->fd, &file->inode) == 0 &&
                          pm_inode_of_name(AT_FDCWD, file->path, false, &found) == 0 &&
                          pm_inode_is_same(&found, &file->inode);
    hold_folder(file);
    return 0;
}

int pm_file_create(const struct pm_options *options, unsigned place, int64_t now_unix_ns,
                   struct pm_file *ret_file, struct pm_error_info *ret_info)
{
    char pattern[PM_OPTIONS_PATH_MAX + 32];
    char name[PM_OPTIONS_PATH_MAX];
    if (options->file[0])
        snprintf(pattern, sizeof pattern, "%s", options->file);
    else
        snprintf(pattern, sizeof pattern, "%s/%s", default_folders[place % 2], DEFAULT_NAME);
    struct pm_file file;
    if (!fill_name(pattern, now_unix_ns, name, sizeof name) ||
        make_absolute(name, file.path, sizeof file.path)) {
        return pm_error_set(ret_info, PM_ERROR_ARGUMENT, -1, "file=%.100s… is too long a path",
                            pattern);
    }
    int error = create_at(&file, NULL, NULL, ret_info);
    if (!error)
        *ret_file = file;
    return error;
}

int pm_file_create_again(const struct pm_file *before, struct pm_file *ret_file, char *ret_kept,
                         struct pm_error_info *ret_info)
{
    struct pm_file file;
    strcpy(file.path, before->path);
    ret_kept[0] = 0;
    int error = create_at(&file, before, ret_kept, ret_info);
    if (!error)
        *ret_file = file;
    return error;
}

int pm_file_reopen(const struct pm_file *file)
{
    const int flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    for (int by_folder = 0; by_folder < 2; by_folder++) {
        if (by_folder && !holds_folder(file))
            continue;
        struct pm_inode found;
        int fd = pm_descriptor_keep(by_folder ? openat(file->folder, base_of(file->path), flags)
                                              : open(file->path, flags));
        if (fd >= 0 && pm_inode_of_fd(fd, &found) == 0 && pm_inode_is_same(&found, &file->inode)) {
            flock(fd, LOCK_EX | LOCK_NB);
            return fd;
        }
        if (fd >= 0)
            close(fd);
    }
    return -1;
}

void pm_file_forget(struct pm_file *file)
{
    if (holds_folder(file))
        close(file->folder);
    file->folder = file->fd = -1;
}

void pm_file_remove(const struct pm_file *file)
{
    struct pm_inode found;
    if (pm_inode_of_name(AT_FDCWD, file->path, false, &found) == 0 &&
        pm_inode_is_same(&found, &file->inode))
        unlink(file->path);
}

void pm_file_discard(struct pm_file *file)
{
    pm_file_remove(file);
    close(file->fd);
    pm_file_forget(file);
}

/* -- where it is now -- */

enum pm_file_place pm_file_look(const struct pm_file *file, int *ret_errno)
{
    struct pm_inode found;
    *ret_errno = 0;
    if (!file->found_by_name)
        return PM_FILE_IN_PLACE; /* as far as one can tell */
    /* A link there that leads to it does as well. */
    int error = pm_inode_of_name(AT_FDCWD, file->path, true, &found);
    if (!error && pm_inode_is_same(&found, &file->inode))
        return PM_FILE_IN_PLACE;
    if (error && error != ENOENT && error != ENOTDIR && error != ELOOP) {
        *ret_errno = error;
        return PM_FILE_UNSEEN;
    }
    if (!error && found.regular && is_recorded_to(file->path))
        return PM_FILE_YIELDED;
    return holds_folder(file) &&
                   pm_inode_of_name(file->folder, base_of(file->path), false, &found) == 0 &&
                   pm_inode_is_same(&found, &file->inode)
               ? PM_FILE_HIDDEN
               : PM_FILE_RENAMED;
}

bool pm_file_is_taken(const struct pm_file *file)
{
    struct pm_inode found;
    return pm_inode_of_name(AT_FDCWD, file->path, false, &found) == 0;
}

void pm_file_name_now(const struct pm_file *file, char *ret_name, size_t size)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file->fd);
    ssize_t length = readlink(link, ret_name, size - 1);
    ret_name[length > 0 ? length : 0] = 0;
    /* It had several names, and this one was removed. */
    static const char ended[] = " (deleted)";
    const char *end = ret_name + strlen(ret_name);
    bool removed = length >= (ssize_t)strlen(ended) && strcmp(end - strlen(ended), ended) == 0;
    if (length <= 0 || removed)
        snprintf(ret_name, size, "another name");
}

/* -- of dead JVMs -- */

struct old_file {
    char name[256];
    int64_t changed_ns;
};

static int newest_first(const void *a, const void *b)
{
    const struct old_file *left = a;
    const struct old_file *right = b;
    return left->changed_ns < right->changed_ns ? 1 : left->changed_ns > right->changed_ns ? -1 : 0;
}

/* "parkmeter-PID-TIME.park", with ".1" … after it or without. */
static bool has_default_name(const char *name, long *ret_pid)
{
    if (strncmp(name, NAME_PREFIX, strlen(NAME_PREFIX)) != 0)
        return false;
    char *end;
    const char *digits = name + strlen(NAME_PREFIX);
    *ret_pid = strtol(digits, &end, 10);
    if (end == digits || *end != '-' || *ret_pid <= 0)
        return false;
    end++;
    size_t time_length = strspn(end, "0123456789T");
    end += time_length;
    if (time_length < 8 || strncmp(end, NAME_SUFFIX, strlen(NAME_SUFFIX)) != 0)
        return false;
    end += strlen(NAME_SUFFIX);
    return *end == 0 || (end[0] == '.' && end[1] >= '1' && end[1] <= '9' && end[2] == 0);
}

/* A file just made may not be locked yet. */
static bool is_young(const struct stat *status)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return status->st_mtim.tv_sec > now.tv_sec - 10;
}

unsigned pm_file_remove_old(const char *folder, uint32_t keep)
{
    DIR *directory = opendir(folder);
    if (!directory)
        return 0;
    struct old_file *old = malloc(MAX_OLD * sizeof *old);
    size_t n = 0;
    struct dirent *entry;
    const int64_t until_ns = pm_clock_now() + LOOK_NS;
    while (old && n < MAX_OLD && pm_clock_now() < until_ns && (entry = readdir(directory))) {
        long pid;
        struct stat status;
        if (!has_default_name(entry->d_name, &pid) ||
            fstatat(dirfd(directory), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) < 0 ||
            !S_ISREG(status.st_mode) || status.st_uid != geteuid() || is_young(&status))
            continue;
        char path[1400];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (is_in_use(path))
            continue;
        snprintf(old[n].name, sizeof old[n].name, "%s", entry->d_name);
        old[n].changed_ns = (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
        n++;
    }
    unsigned n_removed = 0;
    if (old) {
        qsort(old, n, sizeof *old, newest_first);
        for (size_t i = keep; i < n; i++)
            n_removed += unlinkat(dirfd(directory), old[i].name, 0) == 0;
    }
    free(old);
    closedir(directory);
    return n_removed;
}
