/* HotSpot's attach protocol, version 1, as every JDK from 6 to 25 answers it: a file
 * .attach_pid<pid> beside the JVM and SIGQUIT make it listen on /tmp/.java_pid<pid>; a request is
 * five zero-terminated strings, a reply "RESULT\nTEXT". All paths and pids are those of the
 * target's own namespaces. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "recorder/control/client.h"
#include "recorder/control/process.h"
#include "recorder/control/protocol.h"

#define ATTACH_TIMEOUT_S    10
#define ATTACH_ARGUMENT_MAX 1024 /* HotSpot's own limit */
#define ASKED_MAX           65536
/* What an attach takes of the metaspace is less. */
#define METASPACE_KIB  512
#define ALREADY_LOADED (-5) /* JNI_EEXIST, from the recorder: there is one that records */

static bool says_no_attach(int pid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/cmdline", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    static const char option[] = "-XX:+DisableAttachMechanism";
    char bytes[8192];
    ssize_t size = read(fd, bytes, sizeof bytes);
    close(fd);
    return size > 0 && memmem(bytes, (size_t)size, option, strlen(option));
}

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Makes the JVM listen. Returns a connected descriptor or an error. */
static int wake_listener(const struct pm_process *process, const char *socket_path, int *ret_fd,
                         struct pm_error_info *ret_info)
{
    int pid = process->pid;
    char path[PATH_MAX];
    snprintf(path, sizeof path, "/proc/%d/cwd/.attach_pid%d", pid, process->inner_pid);
    int fd = pm_process_connect(process, socket_path);
    if (fd >= 0) {
        unlink(path); /* of an attach that gave up */
        *ret_fd = fd;
        return 0;
    }
    if (fd == -EPERM) {
        return pm_error_set(ret_info, PM_ERROR_IO, -1,
                            "%d: %s in its namespace belongs to another user", pid, socket_path);
    }
    /* SIGQUIT kills a JVM that does not catch it. */
    if (!process->catches_quit || says_no_attach(pid) ||
        pm_process_jvm_state(process) == PM_JVM_FORBIDS_ATTACH) {
        return pm_error_set(ret_info, PM_ERROR_ARGUMENT, -1,
                            "%d: this JVM does not allow attaching (-Xrs or "
                            "-XX:+DisableAttachMechanism); restart it with -agentpath",
                            pid);
    }
    int file = open(path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0660);
    if (file < 0 && errno != EEXIST) {
        snprintf(path, sizeof path, "/proc/%d/root/tmp/.attach_pid%d", pid, process->inner_pid);
        file = open(path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0660);
    }
    if (file < 0 && errno != EEXIST) {
        int error = errno;
        return pm_error_set(ret_info, PM_ERROR_IO, -1, "%d: cannot create %s: %s", pid, path,
                            strerror(error));
    }
    if (file >= 0)
        close(file);
    int error = 0;
    bool is_late = false;
    int64_t deadline_ns = now_ns() + (int64_t)ATTACH_TIMEOUT_S * 1000000000;
    if (kill(pid, SIGQUIT) < 0) {
        error = errno == ESRCH
                    ? pm_error_set(ret_info, PM_ERROR_ARGUMENT, -1, "%d: no such process", pid)
                    : pm_error_set(ret_info, PM_ERROR_ARGUMENT, -1, "%d: not permitted: %s", pid,
                                   strerror(errno));
    }
    useconds_t pause_us = 5000;
    while (!error && (fd = pm_process_connect(process, socket_path)) < 0) {
        if (kill(pid, 0) < 0 && errno == ESRCH) {
            error = pm_error_set(ret_info, PM_ERROR_ARGUMENT, -1, "%d: no such process", pid);
        } else if (now_ns() > deadline_ns) {
            is_late = true;
            error = pm_error_set(ret_info, PM_ERROR_IO, -1,
                                 "%d: the JVM did not open its attach socket within %d s", pid,
                                 ATTACH_TIMEOUT_S);
        } else {
            usleep(pause_us);
            pause_us = pause_us < 100000 ? pause_us * 2 : pause_us;
        }
    }
    /* One that is frozen sees to the signal when it goes on: without the file it would then print
     * its threads to the program's stdout. The next attach removes it. */
    if (!is_late)
        unlink(path);
    if (error)
        return error;
    *ret_fd = fd;
    return 0;
}

static int send_strings(int fd, const char *const *strings, size_t n, int64_t deadline_ns)
{
    for (size_t i = 0; i < n; i++) {
        const char *bytes = strings[i];
        size_t size = strlen(bytes) + 1;
        while (size > 0) {
            ssize_t sent = send(fd, bytes, size, MSG_NOSIGNAL);
            if (sent >= 0) {
                bytes += sent;
                size -= (size_t)sent;
            } else if (errno == EAGAIN && now_ns() < deadline_ns) {
                struct pollfd poll_fd = {.fd = fd, .events = POLLOUT};
                poll(&poll_fd, 1, 100);
            } else if (errno != EINTR) {
                return -errno;
            }
        }
    }
    return 0;
}

static int receive_text(int fd, char *text, size_t size, int64_t deadline_ns)
{
    size_t length = 0;
    for (;;) {
        char rest[512];
        bool full = length == size - 1;
        ssize_t n =
            full ? recv(fd, rest, sizeof rest, 0) : recv(fd, text + length, size - 1 - length, 0);
        if (n == 0) {
            text[length] = 0;
            return 0;
        }
        if (n > 0 && now_ns() > deadline_ns)
            return -ETIMEDOUT; /* it talks and talks */
        if (n > 0) {
            length += full ? 0 : (size_t)n;
        } else if (errno == EAGAIN) {
            if (now_ns() > deadline_ns)
                return -ETIMEDOUT;
            struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
            poll(&poll_fd, 1, 100);
        } else if (errno != EINTR) {
            return -errno;
        }
    }
}

static int say_loaded(int pid, struct pm_error_info *ret_info)
{
    return pm_error_set(ret_info, PM_ERROR_ARGUMENT, -1,
                        "%d: a recorder is already loaded; see parkctl %d status|start|set", pid,
                        pid);
}

/* "0\nreturn code: 0\n" from JDK 9 on; an error is "-1\nTEXT" or "0\nreturn code: 4\n". */
static int judge_reply(int pid, const char *library_path, char *text,
                       struct pm_error_info *ret_info)
{
    if (!*text)
        return pm_error_set(
            ret_info, PM_ERROR_IO, -1,
            "%d: the JVM did not say whether it loaded the recorder, as when it ends", pid);
    char *rest = strchr(text, '\n');
    long result = strtol(text, NULL, 10);
    rest = rest ? rest + 1 : text + strlen(text);
    static const char returned[] = "return code: ";
    char *code_text = strstr(rest, returned);
    if (result == 0 && code_text) {
        long code = strtol(code_text + strlen(returned), NULL, 10);
        if (code == 0)
            return 0;
        if (code == ALREADY_LOADED)
            return say_loaded(pid, ret_info);
        return pm_error_set(ret_info, PM_ERROR_ARGUMENT, -1,
                            "%d: the recorder refused to start (code %ld); its reason is on that "
                            "JVM's stderr",
                            pid, code);
    }
    if (result == 0 && strtol(rest, NULL, 10) == 0 && rest[0] == '0')
        return 0; /* JDK 8's form */
    for (char *c = rest; *c; c++)
        if (*c == '\n' || *c == '\r')
            *c = c[1] ? ' ' : 0;
    return pm_error_set(ret_info, PM_ERROR_ARGUMENT, -1, "%d: the JVM could not load %s: %.120s",
                        pid, library_path, *rest ? rest : "no reason given");
}

/* It may be a JVM soon, or be one that can be asked soon. */
static bool is_starting(const struct pm_process *process)
{
    if (!process->may_read || process->is_stopped)
        return false;
    return process->is_jvm && process->catches_quit
               ? pm_process_jvm_state(process) == PM_JVM_STARTING
               : pm_process_is_young(process);
}

/* Whose JVM it is, and whether we may ask it. One that starts is waited for. */
static int look_at_jvm(int pid, struct pm_process *ret_process, struct pm_error_info *ret_info)
{
    const int64_t deadline_ns = now_ns() + (int64_t)ATTACH_TIMEOUT_S * 1000000000;
    int error;
    while ((error = pm_process_look(pid, ret_process, ret_info)) == 0 && is_starting(ret_process)) {
        if (now_ns() > deadline_ns)
            return pm_error_set(ret_info, PM_ERROR_IO, -1,
                                "%d: the JVM is still starting: try again later", pid);
        usleep(20000);
    }
    if (error)
        return error;
    if ((geteuid() != 0 && ret_process->uid != geteuid()) || !ret_process->may_read)
        return pm_process_refuse(ret_process, ret_info);
    if (!ret_process->is_jvm)
        return pm_error_set(ret_info, PM_ERROR_ARGUMENT, -1, "%d: not a JVM", pid);
    /* The signal would reach it when nobody waits any more: it then prints its threads. */
    if (ret_process->is_stopped)
        return pm_error_set(ret_info, PM_ERROR_ARGUMENT, -1,
                            "%d: the process is stopped (SIGSTOP, or a debugger)", pid);
    return 0;
}

/* One request, one answer: what follows its first line, owned. Makes the JVM listen. `ret_heard`:
 * whether that came so far. */
static int ask(const struct pm_process *process, const char *command,
               const char *const arguments[3], size_t max, int64_t timeout_ns, char **ret_text,
               bool *ret_heard, struct pm_error_info *ret_info)
{
    const int pid = process->pid;
    char path[PATH_MAX];
    int fd;
    *ret_heard = false;
    snprintf(path, sizeof path, "/tmp/.java_pid%d", process->inner_pid);
    int error = wake_listener(process, path, &fd, ret_info);
    if (error)
        return error;
    *ret_heard = true;
    char *text = malloc(max + 1);
    const char *strings[5] = {"1", command};
    for (size_t i = 0; i < 3; i++)
        strings[2 + i] = arguments[i] ? arguments[i] : "";
    const int64_t deadline_ns = now_ns() + timeout_ns;
    error = text ? send_strings(fd, strings, 5, deadline_ns) : -ENOMEM;
    if (!error)
        error = receive_text(fd, text, max + 1, deadline_ns);
    close(fd);
    if (error) {
        free(text);
        return pm_error_set(ret_info, PM_ERROR_IO, -1, "%d: the JVM did not answer: %s", pid,
                            strerror(-error));
    }
    char *rest = strchr(text, '\n');
    if (!rest || strtol(text, NULL, 10) != 0) {
        error = pm_error_set(ret_info, PM_ERROR_ARGUMENT, -1, "%d: the JVM refused %s: %.120s", pid,
                             command, rest && rest[1] ? rest + 1 : "no reason given");
        free(text);
        return error;
    }
    memmove(text, rest + 1, strlen(rest + 1) + 1);
    *ret_text = text;
    return 0;
}

int pm_control_ask_jvm(int pid, const char *command, const char *const arguments[3], size_t max,
                       int64_t timeout_ns, char **ret_text, struct pm_error_info *ret_info)
{
    struct pm_process process;
    bool heard;
    int error = look_at_jvm(pid, &process, ret_info);
    return error ? error
                 : ask(&process, command, arguments, max, timeout_ns, ret_text, &heard, ret_info);
}

/* Of the JVM's flags, one that is on or has a value: an OutOfMemoryError makes it exit, crash,
 * write its heap or run a command, which may kill it. */
static bool acts_when_full(const char *flags)
{
    static const char name[] = "OnOutOfMemoryError";
    for (const char *at = flags; (at = strstr(at, "-XX:")) != NULL; at += strlen("-XX:"))
        if (at[4] != '-' && memmem(at, strcspn(at, " \n"), name, strlen(name)))
            return true;
    return false;
}

/* False: it has no limit, or is not known. */
static bool read_metaspace(const char *text, double *ret_max_kib, double *ret_used_kib)
{
    static const char limit[] = "MaxMetaspaceSize: ", sum[] = "Both:", before[] = "reserved,";
    const char *at = strstr(text, limit);
    *ret_max_kib = at ? strtod(at + strlen(limit), NULL) : 0;
    for (at = text; *ret_max_kib > 0 && (at = strstr(at, sum)) != NULL; at += strlen(sum)) {
        const char *used = memmem(at, strcspn(at, "\n"), before, strlen(before));
        if (used) {
            *ret_used_kib = strtod(used + strlen(before), NULL);
            return true;
        }
    }
    return false;
}

/* `ret_text` NULL, and no error: the JVM does not say. */
static int ask_command(const struct pm_process *process, const char *command, char **ret_text,
                       struct pm_error_info *ret_info)
{
    const char *const arguments[3] = {command};
    bool heard;
    *ret_text = NULL;
    int error = ask(process, "jcmd", arguments, ASKED_MAX, (int64_t)ATTACH_TIMEOUT_S * 1000000000,
                    ret_text, &heard, ret_info);
    return heard ? 0 : error;
}

/* The recorder's classes might be what fills the metaspace, and the error that the JVM throws then
 * what ends it. One that does not say is taken to have room. */
static int refuse_if_full(const struct pm_process *process, struct pm_error_info *ret_info)
{
    double max_kib, used_kib;
    char *flags, *space = NULL;
    int error = ask_command(process, "VM.flags", &flags, ret_info);
    if (!error && flags && acts_when_full(flags))
        error = ask_command(process, "VM.metaspace basic scale=K", &space, ret_info);
    if (space && read_metaspace(space, &max_kib, &used_kib) && max_kib - used_kib < METASPACE_KIB)
        error =
            pm_error_set(ret_info, PM_ERROR_ARGUMENT, -1,
                         "%d: of its metaspace %.0f of %.0f KiB are used (-XX:MaxMetaspaceSize), "
                         "and an OutOfMemoryError might end it, as its flags tell: it is left "
                         "alone",
                         process->pid, used_kib, max_kib);
    free(flags);
    free(space);
    return error;
}

int pm_control_attach(int pid, const char *library_path, const char *options,
                      struct pm_error_info *ret_info)
{
    struct pm_process process;
    int error = look_at_jvm(pid, &process, ret_info);
    if (error)
        return error;
    if (library_path[0] != '/' || strlen(library_path) >= ATTACH_ARGUMENT_MAX) {
        return pm_error_set(ret_info, PM_ERROR_ARGUMENT, -1,
                            "%s: the library needs an absolute path of less than %d bytes",
                            library_path, ATTACH_ARGUMENT_MAX);
    }
    if (options && strlen(options) >= ATTACH_ARGUMENT_MAX) {
        return pm_error_set(ret_info, PM_ERROR_ARGUMENT, -1,
                            "the options are longer than %d bytes, the maximum for an attach",
                            ATTACH_ARGUMENT_MAX - 1);
    }
    char path[PATH_MAX];
    snprintf(path, sizeof path, "/proc/%d/root%s", pid, library_path);
    if (access(path, F_OK) < 0 && (errno == ENOENT || errno == ENOTDIR)) {
        return pm_error_set(ret_info, PM_ERROR_ARGUMENT, -1,
                            "%d: the JVM's file system has no %s: copy it to that path below "
                            "/proc/%d/root",
                            pid, library_path, pid);
    }

    int fd = pm_process_connect_recorder(&process, path, sizeof path);
    if (fd >= 0 || fd == -EAGAIN) {
        if (fd >= 0)
            close(fd);
        return say_loaded(pid, ret_info);
    }
    error = refuse_if_full(&process, ret_info);
    if (error)
        return error;

    snprintf(path, sizeof path, "/tmp/.java_pid%d", process.inner_pid);
    error = wake_listener(&process, path, &fd, ret_info);
    if (error)
        return error;
    int64_t deadline_ns = now_ns() + (int64_t)ATTACH_TIMEOUT_S * 1000000000;
    const char *strings[] = {"1", "load", library_path, "true", options ? options : ""};
    char reply[4096];
    error = send_strings(fd, strings, sizeof strings / sizeof strings[0], deadline_ns);
    if (!error)
        error = receive_text(fd, reply, sizeof reply, deadline_ns);
    close(fd);
    if (error) {
        return pm_error_set(ret_info, PM_ERROR_IO, -1, "%d: the JVM did not answer: %s", pid,
                            strerror(-error));
    }
    return judge_reply(pid, library_path, reply, ret_info);
}
