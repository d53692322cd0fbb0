#include "recorder/control/client.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "recorder/control/process.h"
#include "recorder/control/protocol.h"

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Waits until `fd` can be read or written; false when the time is over. */
static bool wait_until_ready(int fd, short events, int64_t deadline_ns)
{
    for (;;) {
        int64_t left = deadline_ns - now_ns();
        if (left <= 0)
            return false;
        struct pollfd poll_fd = {.fd = fd, .events = events};
        int64_t left_ms = left / 1000000 + 1;
        int n = poll(&poll_fd, 1, left_ms > 60000 ? 60000 : (int)left_ms);
        if (n > 0)
            return true;
        if (n < 0 && errno != EINTR)
            return false;
    }
}

/* 0, or -errno (ETIMEDOUT: the time is over). */
static int send_all(int fd, const char *bytes, size_t size, int64_t deadline_ns)
{
    while (size > 0) {
        ssize_t n = send(fd, bytes, size, MSG_NOSIGNAL);
        if (n >= 0) {
            bytes += n;
            size -= (size_t)n;
        } else if (errno == EAGAIN) {
            if (!wait_until_ready(fd, POLLOUT, deadline_ns))
                return -ETIMEDOUT;
        } else if (errno != EINTR) {
            return -errno;
        }
    }
    return 0;
}

/* One recvmsg; keeps the first descriptor that comes, closes any other. */
static ssize_t receive(int fd, char *bytes, size_t size, int *descriptor)
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(4 * sizeof(int))];
    } control;
    struct iovec part = {.iov_base = bytes, .iov_len = size};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    ssize_t n = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
    if (n < 0)
        return -errno;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header;
         header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
            continue;
        size_t n_fds = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < n_fds; i++) {
            int passed;
            memcpy(&passed, CMSG_DATA(header) + i * sizeof(int), sizeof(int));
            if (*descriptor < 0)
                *descriptor = passed;
            else
                close(passed);
        }
    }
    return n;
}

static int receive_all(int fd, int64_t deadline_ns, char **ret_bytes, size_t *ret_size,
                       int *ret_descriptor)
{
    size_t capacity = 4096;
    size_t size = 0;
    int descriptor = -1;
    int error = 0;
    char *bytes = malloc(capacity + 1);
    if (!bytes)
        return -ENOMEM;
    for (;;) {
        if (size == capacity) {
            if (capacity >= PM_CONTROL_MAX_REPLY) {
                error = -EMSGSIZE;
                break;
            }
            capacity *= 2;
            char *more = realloc(bytes, capacity + 1);
            if (!more) {
                error = -ENOMEM;
                break;
            }
            bytes = more;
        }
        ssize_t n = receive(fd, bytes + size, capacity - size, &descriptor);
        if (n == 0)
            break;
        if (n > 0) {
            size += (size_t)n;
        } else if (n == -EAGAIN) {
            if (!wait_until_ready(fd, POLLIN, deadline_ns)) {
                error = -ETIMEDOUT;
                break;
            }
        } else if (n != -EINTR) {
            error = (int)n;
            break;
        }
    }
    if (error) {
        free(bytes);
        if (descriptor >= 0)
            close(descriptor);
        return error;
    }
    bytes[size] = 0;
    *ret_bytes = bytes;
    *ret_size = size;
    *ret_descriptor = descriptor;
    return 0;
}

static int say_no_recorder(int pid, int error, struct pm_error_info *ret_info)
{
    /* It may have ended since it was looked at, which closes it to everybody. */
    struct pm_process process;
    int gone = pm_process_look(pid, &process, ret_info);
    if (gone)
        return gone;
    if (!process.is_jvm)
        return pm_error_set(ret_info, PM_ERROR_ARGUMENT, -1, "%d: not a JVM", pid);
    if (error == -EACCES || (!process.may_read && error == -ENOENT))
        return pm_process_refuse(&process, ret_info);
    return pm_error_set(ret_info, PM_ERROR_ARGUMENT, -1,
                        "%d: no recorder in this JVM; load one: parkctl %d attach", pid, pid);
}

static int say_no_answer(int pid, int64_t timeout_ns, struct pm_error_info *ret_info)
{
    struct pm_process process;
    const bool is_stopped = pm_process_look(pid, &process, NULL) == 0 && process.is_stopped;
    return pm_error_set(ret_info, PM_ERROR_IO, -1, "%d: the recorder did not answer within %d s%s",
                        pid, (int)(timeout_ns / 1000000000),
                        is_stopped ? "; the process is stopped (SIGSTOP, or a debugger)" : "");
}

int pm_control_request(int pid, const char *request, int64_t timeout_ns,
                       struct pm_control_reply *ret_reply, struct pm_error_info *ret_info)
{
    int64_t deadline_ns = now_ns() + timeout_ns;
    size_t length = strlen(request);
    if (length + 1 > PM_CONTROL_MAX_REQUEST || memchr(request, '\n', length)) {
        return pm_error_set(ret_info, PM_ERROR_ARGUMENT, -1,
                            "the request is longer than one line of %d bytes",
                            PM_CONTROL_MAX_REQUEST);
    }
    struct pm_process process;
    int error = pm_process_look(pid, &process, ret_info);
    if (error)
        return error;
    char path[64];
    int fd = pm_process_connect_recorder(&process, path, sizeof path);
    for (int i = 0; fd == -EAGAIN && now_ns() < deadline_ns; i++) {
        usleep(20000); /* its queue of clients is full */
        fd = pm_process_connect_recorder(&process, path, sizeof path);
    }
    if (fd == -EAGAIN)
        return say_no_answer(pid, timeout_ns, ret_info);
    if (fd < 0)
        return say_no_recorder(pid, fd, ret_info);

    char *bytes = NULL;
    size_t size = 0;
    int descriptor = -1;
    char line[PM_CONTROL_MAX_REQUEST];
    memcpy(line, request, length);
    line[length] = '\n';
    error = send_all(fd, line, length + 1, deadline_ns);
    if (!error || error == -EPIPE) {
        /* After EPIPE there may still be an answer: the recorder said why it hung up. */
        error = receive_all(fd, deadline_ns, &bytes, &size, &descriptor);
    }
    close(fd);
    if (error == -ETIMEDOUT)
        return say_no_answer(pid, timeout_ns, ret_info);
    if (error) {
        return pm_error_set(ret_info, error == -ENOMEM ? PM_ERROR_MEMORY : PM_ERROR_IO, -1,
                            "%d: the recorder closed the connection: %s", pid, strerror(-error));
    }

    char *end = memchr(bytes, '\n', size);
    bool ok = end && end - bytes == 2 && memcmp(bytes, "ok", 2) == 0;
    bool refused = !ok && end && end - bytes > 6 && memcmp(bytes, "error ", 6) == 0;
    if (!ok && !refused) {
        free(bytes);
        if (descriptor >= 0)
            close(descriptor);
        return pm_error_set(ret_info, PM_ERROR_IO, -1,
                            size == 0 ? "%d: the recorder closed the connection without an answer"
                                      : "%d: what answered is not a recorder",
                            pid);
    }
    const char *text = ok ? end + 1 : bytes + 6;
    size_t text_length = ok ? size - 3 : (size_t)(end - text);
    memmove(bytes, text, text_length);
    bytes[text_length] = 0;
    *ret_reply =
        (struct pm_control_reply){.ok = ok, .text = bytes, .length = text_length, .fd = descriptor};
    return 0;
}

void pm_control_reply_clear(struct pm_control_reply *reply)
{
    free(reply->text);
    if (reply->fd >= 0)
        close(reply->fd);
    *reply = (struct pm_control_reply){.fd = -1};
}

int pm_control_list(int (*each)(void *context, int pid, const char *socket_path), void *context)
{
    DIR *directory = opendir("/proc");
    if (!directory)
        return PM_ERROR_IO;
    int result = 0;
    struct dirent *entry;
    while (result == 0 && (entry = readdir(directory))) {
        char *end;
        long pid = strtol(entry->d_name, &end, 10);
        if (*end || pid <= 0)
            continue;
        struct pm_process process;
        if (pm_process_look((int)pid, &process, NULL) || !process.is_jvm ||
            (geteuid() != 0 && process.uid != geteuid()))
            continue;
        char path[96];
        int fd = pm_process_connect_recorder(&process, path, sizeof path);
        bool any = fd >= 0 || fd == -EAGAIN;
        if (!any && !process.may_read)
            continue; /* perhaps no JVM */
        if (fd >= 0)
            close(fd);
        char outer[128];
        snprintf(outer, sizeof outer, "/proc/%ld/root%s", pid, path);
        result = each(context, (int)pid, any ? outer : NULL);
    }
    closedir(directory);
    return result;
}
