#include "format/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A new file without a name where big ones may lie, or -1. */
static int nameless_file(void)
{
    const char *folders[] = {getenv("TMPDIR"), "/var/tmp", "/tmp"};
    int fd = -1;
    for (size_t i = 0; fd < 0 && i < sizeof folders / sizeof folders[0]; i++) {
        char path[4096];
        if (!folders[i] ||
            snprintf(path, sizeof path, "%s/parkmeter-XXXXXX", folders[i]) >= (int)sizeof path)
            continue;
        fd = mkostemp(path, O_CLOEXEC);
        if (fd >= 0)
            unlink(path);
    }
    return fd;
}

static int write_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, bytes, size);
        if (n < 0 && errno != EINTR)
            return PM_ERROR_IO;
        bytes += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return PM_OK;
}

/* All that comes through the pipe; PM_ERROR_IO with errno. */
static int copy_pipe(int from, int to)
{
    static const size_t step = 1 << 16;
    char *bytes = malloc(step);
    int result = bytes ? PM_OK : PM_ERROR_MEMORY;
    while (result == PM_OK) {
        ssize_t n = read(from, bytes, step);
        if (n == 0)
            break;
        if (n > 0)
            result = write_all(to, bytes, (size_t)n);
        else if (errno != EINTR)
            result = PM_ERROR_IO;
    }
    free(bytes);
    return result;
}

static int open_standard_input(struct pm_source *ret_source, struct pm_error_info *ret_info)
{
    struct stat st;
    if (fstat(STDIN_FILENO, &st) == 0 && S_ISREG(st.st_mode))
        return pm_source_from_fd(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0), ret_source);
    if (isatty(STDIN_FILENO)) {
        return pm_error_set(ret_info, PM_ERROR_ARGUMENT, -1,
                            "standard input is a terminal; a recording comes through a pipe");
    }
    int fd = nameless_file();
    int result = fd < 0 ? PM_ERROR_IO : copy_pipe(STDIN_FILENO, fd);
    /* The copy becomes standard input, so that it can be opened again. */
    if (result == PM_OK && dup2(fd, STDIN_FILENO) < 0)
        result = PM_ERROR_IO;
    if (result == PM_OK)
        return pm_source_from_fd(fd, ret_source);
    if (fd >= 0)
        close(fd);
    return pm_error_set(ret_info, result, -1, "cannot copy standard input: %s", strerror(errno));
}

int pm_input_open(const char *path, struct pm_source *ret_source, struct pm_error_info *ret_info)
{
    if (strcmp(path, "-") == 0)
        return open_standard_input(ret_source, ret_info);
    return pm_source_open(path, ret_source, ret_info);
}
