#include "recorder/control/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static bool maps_libjvm(int pid, bool *ret_may_read)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/maps", pid);
    FILE *file = fopen(path, "re");
    *ret_may_read = file != NULL;
    if (!file)
        return true; /* cannot tell: let the socket decide */
    char *line = NULL;
    size_t size = 0;
    bool found = false;
    while (!found && getline(&line, &size, file) > 0)
        found = strstr(line, "/libjvm.so") != NULL;
    *ret_may_read = !ferror(file);
    free(line);
    fclose(file);
    return found || !*ret_may_read;
}

int pm_process_look(int pid, struct pm_process *ret_process, struct pm_error_info *ret_info)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/status", pid);
    FILE *file = pid > 0 ? fopen(path, "re") : NULL;
    if (!file)
        return pm_error_set(ret_info, PM_ERROR_ARGUMENT, -1, "%d: no such process", pid);
    struct pm_process process = {.pid = pid, .inner_pid = pid};
    bool ended = false;
    char state;
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, file) > 0) {
        unsigned real, effective;
        if (sscanf(line, "Uid: %u %u", &real, &effective) == 2) {
            process.uid = effective;
        } else if (sscanf(line, "State: %c", &state) == 1) {
            ended = state == 'Z' || state == 'X';
        } else if (strncmp(line, "NSpid:", 6) == 0) {
            /* One number per nested namespace, the innermost last. */
            char *last = NULL;
            char *save = NULL;
            for (char *word = strtok_r(line + 6, " \t\n", &save); word;
                 word = strtok_r(NULL, " \t\n", &save))
                last = word;
            if (last)
                process.inner_pid = atoi(last);
        } else if (strncmp(line, "SigCgt:", 7) == 0) {
            process.catches_quit = strtoull(line + 7, NULL, 16) & (1ull << (3 - 1)); /* SIGQUIT */
        }
    }
    free(line);
    fclose(file);
    if (ended)
        return pm_error_set(ret_info, PM_ERROR_ARGUMENT, -1, "%d: the process has ended", pid);
    process.is_jvm = maps_libjvm(pid, &process.may_read);
    *ret_process = process;
    return 0;
}

int pm_process_refuse(const struct pm_process *process, struct pm_error_info *ret_info)
{
    /* A process of this very user may be closed too: one with file capabilities, or one outside
     * the container that parkctl runs in. */
    return pm_error_set(ret_info, PM_ERROR_ARGUMENT, -1, "%d: not permitted; %s", process->pid,
                        process->uid != geteuid() && geteuid() != 0
                            ? "it belongs to another user"
                            : "the system does not let this user inspect it");
}

int pm_process_connect(const struct pm_process *process, const char *path)
{
    char outer[2200];
    char target[1024];
    snprintf(outer, sizeof outer, "/proc/%d/root%s", process->pid, path);
    ssize_t length = readlink(outer, target, sizeof target - 1);
    if (length > 0) {
        target[length] = 0;
        snprintf(outer, sizeof outer, "/proc/%d/root%s", process->pid, target);
    } else if (errno == EACCES) {
        return -EACCES;
    }
    /* A path may be longer than sun_path, and the last step must not be followed again. */
    int at = open(outer, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (at < 0)
        return -errno;
    struct stat status;
    if (fstat(at, &status) < 0 || !S_ISSOCK(status.st_mode)) {
        close(at);
        return -ENOENT;
    }
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) {
        int error = errno;
        close(at);
        return -error;
    }
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d", at);
    int error = connect(fd, (struct sockaddr *)&address, sizeof address) < 0 ? errno : 0;
    close(at);
    if (error) {
        close(fd);
        return -error;
    }
    /* /tmp is everybody's, and two containers may share it with equal inner pids: the listener must
     * be this very process, under this very user. */
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 || peer.uid != process->uid ||
        (peer.pid != 0 && peer.pid != process->pid)) {
        close(fd);
        return -EPERM;
    }
    return fd;
}
