#include "recorder/agent/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define NAME_PREFIX  "parkmeter-"
#define NAME_SUFFIX  ".park"
#define DEFAULT_NAME NAME_PREFIX "%p-%t" NAME_SUFFIX
#define MAX_OLD      1024 /* looked at in one folder */

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
            snprintf(piece, sizeof(piece), "%d", (int)getpid());
            c++;
        } else if (*c == '%' && c[1] == 't') {
            time_t seconds = (time_t)(now_unix_ns / 1000000000);
            struct tm local;
            localtime_r(&seconds, &local);
            strftime(piece, sizeof(piece), "%Y%m%dT%H%M%S", &local);
            c++;
        } else if (*c == '%' && c[1] == '%') {
            c++;
        }
        size_t more = strlen(piece);
        if (length + more >= size) {
            return false;
        }
        memcpy(ret_path + length, piece, more + 1);
        length += more;
    }
    return true;
}

/* Locked by a living recorder? */
static bool is_in_use(const char *path)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        return errno != ENOENT; /* cannot tell: leave it alone */
    }
    bool in_use = flock(fd, LOCK_EX | LOCK_NB) < 0;
    close(fd);
    return in_use;
}

/* Moves an existing file out of the way, to the first of .1 … .9 that no living JVM writes to. */
static int move_away(const char *path, struct pm_error_info *ret_info)
{
    struct stat status;
    if (lstat(path, &status) < 0) {
        return 0;
    }
    if (!S_ISREG(status.st_mode)) {
        return pm_error_set(ret_info, PM_ERROR_ARGUMENT, -1,
                            "%.120s is not a regular file; give another with file=", path);
    }
    for (int i = 1; i <= 9; i++) {
        char other[PM_OPTIONS_PATH_MAX + 96];
        snprintf(other, sizeof(other), "%s.%d", path, i);
        if (lstat(other, &status) == 0 && (!S_ISREG(status.st_mode) || is_in_use(other))) {
            continue;
        }
        if (rename(path, other) < 0) {
            int error = errno;
            return pm_error_set(ret_info, PM_ERROR_IO, -1, "cannot rename %.120s to .%d: %s", path,
                                i, strerror(error));
        }
        return 0;
    }
    return pm_error_set(ret_info, PM_ERROR_IO, -1,
                        "nine JVMs write to %.100s already; put %%p into file=", path);
}

static int make_absolute(const char *name, char *ret_path, size_t size)
{
    if (name[0] == '/') {
        return snprintf(ret_path, size, "%s", name) < (int)size ? 0 : PM_ERROR_ARGUMENT;
    }
    char folder[PM_OPTIONS_PATH_MAX];
    if (!getcwd(folder, sizeof(folder))) {
        return PM_ERROR_ARGUMENT;
    }
    return snprintf(ret_path, size, "%s/%s", folder, name) < (int)size ? 0 : PM_ERROR_ARGUMENT;
}

int pm_file_create(const struct pm_options *options, unsigned place, int64_t now_unix_ns,
                   struct pm_file *ret_file, struct pm_error_info *ret_info)
{
    char pattern[PM_OPTIONS_PATH_MAX + 32];
    char name[PM_OPTIONS_PATH_MAX];
    if (options->file[0]) {
        snprintf(pattern, sizeof(pattern), "%s", options->file);
    } else {
        snprintf(pattern, sizeof(pattern), "%s/%s", default_folders[place % 2], DEFAULT_NAME);
    }
    struct pm_file file;
    if (!fill_name(pattern, now_unix_ns, name, sizeof(name)) ||
        make_absolute(name, file.path, sizeof(file.path))) {
        return pm_error_set(ret_info, PM_ERROR_ARGUMENT, -1, "file=%.100s… is too long a path",
                            pattern);
    }
    for (int tries = 0;; tries++) {
        file.fd = open(file.path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (file.fd >= 0) {
            break;
        }
        if (errno != EEXIST || tries >= 8) {
            int error = errno;
            return pm_error_set(ret_info, PM_ERROR_IO, -1, "cannot write %.140s: %s", file.path,
                                strerror(error));
        }
        int error = move_away(file.path, ret_info);
        if (error) {
            return error;
        }
    }
    flock(file.fd, LOCK_EX | LOCK_NB); /* no lock on this file system: the pid must do */
    *ret_file = file;
    return 0;
}

void pm_file_discard(struct pm_file *file)
{
    unlink(file->path);
    close(file->fd);
    file->fd = -1;
}

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
    if (strncmp(name, NAME_PREFIX, strlen(NAME_PREFIX)) != 0) {
        return false;
    }
    char *end;
    const char *digits = name + strlen(NAME_PREFIX);
    *ret_pid = strtol(digits, &end, 10);
    if (end == digits || *end != '-' || *ret_pid <= 0) {
        return false;
    }
    end++;
    size_t time_length = strspn(end, "0123456789T");
    end += time_length;
    if (time_length < 8 || strncmp(end, NAME_SUFFIX, strlen(NAME_SUFFIX)) != 0) {
        return false;
    }
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
    if (!directory) {
        return 0;
    }
    struct old_file *old = malloc(MAX_OLD * sizeof(*old));
    size_t n = 0;
    struct dirent *entry;
    while (old && n < MAX_OLD && (entry = readdir(directory))) {
        long pid;
        struct stat status;
        if (!has_default_name(entry->d_name, &pid) ||
            fstatat(dirfd(directory), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) < 0 ||
            !S_ISREG(status.st_mode) || status.st_uid != geteuid() || is_young(&status)) {
            continue;
        }
        char path[1400];
        snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        if (is_in_use(path)) {
            continue;
        }
        snprintf(old[n].name, sizeof(old[n].name), "%s", entry->d_name);
        old[n].changed_ns = (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
        n++;
    }
    unsigned n_removed = 0;
    if (old) {
        qsort(old, n, sizeof(*old), newest_first);
        for (size_t i = keep; i < n; i++) {
            n_removed += unlinkat(dirfd(directory), old[i].name, 0) == 0;
        }
    }
    free(old);
    closedir(directory);
    return n_removed;
}
