#include "recorder/agent/base/output.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "format/error.h"
#include "recorder/agent/base/clock.h"

static int await_room(int fd, int64_t until_ns)
{
    struct pollfd reader = {.fd = fd, .events = POLLOUT};
    int64_t left_ns = until_ns - pm_clock_now();
    return poll(&reader, 1, left_ns > 0 ? (int)(left_ns / 1000000) : 0);
}

/* A pipe that nobody reads any more, a file that may not grow, a terminal of others: the first two
 * are errors, and each is also a signal to the thread, which ends or stops a program that leaves it
 * to the system. Where it is blocked, the kernel lets one write to a terminal of others. */
static const int raised[] = {SIGPIPE, SIGXFSZ, SIGTTOU};

struct signals {
    sigset_t before, own; /* blocked; may be raised by us */
};

static void hold_signals(struct signals *signals)
{
    sigset_t pending;
    sigemptyset(&pending);
    sigpending(&pending);
    sigemptyset(&signals->own);
    for (size_t i = 0; i < sizeof raised / sizeof *raised; i++)
        if (!sigismember(&pending, raised[i]))
            sigaddset(&signals->own, raised[i]);
    pthread_sigmask(SIG_BLOCK, &signals->own, &signals->before);
}

static void forget_signals(const struct signals *signals)
{
    const struct timespec now = {0};
    while (sigtimedwait(&signals->own, NULL, &now) > 0) {
    }
    pthread_sigmask(SIG_SETMASK, &signals->before, NULL);
}

/* A pipe that is ready has room for PIPE_BUF. */
static int write_all(int fd, const char *bytes, size_t size, int64_t until_ns)
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

int pm_output_write(int fd, const char *bytes, size_t size, int64_t until_ns)
{
    const int errno_before = errno; /* the program's, on whose thread this may be */
    struct signals signals;
    hold_signals(&signals);
    int error = write_all(fd, bytes, size, until_ns);
    forget_signals(&signals);
    errno = errno_before;
    return error;
}
