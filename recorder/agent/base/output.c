#include "recorder/agent/base/output.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include "format/error.h"
#include "recorder/agent/base/clock.h"

static int await_room(int fd, int64_t until_ns)
{
    struct pollfd reader = {.fd = fd, .events = POLLOUT};
    int64_t left_ns = until_ns - pm_clock_now();
    return poll(&reader, 1, left_ns > 0 ? (int)(left_ns / 1000000) : 0);
}

/* A pipe that is ready has room for PIPE_BUF. */
int pm_output_write(int fd, const char *bytes, size_t size, int64_t until_ns)
{
    while (size > 0) {
        int ready = await_room(fd, until_ns);
        ssize_t n = ready > 0 ? write(fd, bytes, size < PIPE_BUF ? size : PIPE_BUF) : -1;
        if (n > 0) {
            bytes += n;
            size -= (size_t)n;
        } else if (ready == 0 || (errno != EINTR && errno != EAGAIN)) {
            return PM_ERROR_IO;
        }
    }
    return 0;
}
