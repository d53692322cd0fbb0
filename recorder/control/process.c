#include "recorder/control/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "recorder/control/protocol.h"

#define PERFORMANCE_MAX ((size_t)1 << 20) /* of its file that is read */

/* The path of the first mapping that has the word in it, owned; NULL: none. */
static char *find_mapped(int pid, const char *word, bool *ret_may_read)
{
    char name[64];
    snprintf(name, sizeof name, "/proc/%d/maps", pid);
    FILE *file = fopen(name, "re");
    *ret_may_read = file != NULL;
    if (!file)
        return NULL;
    char *line = NULL, *path = NULL;
    size_t size = 0;
    while (!path && getline(&line, &size, file) > 0)
        if (strstr(line, word) && (path = strchr(line, '/'))) {
            path[strcspn(path, "\n")] = 0;
            path = strdup(path);
        }
    *ret_may_read = !ferror(file);
    free(line);
    fclose(file);
    return path;
}

static bool maps_libjvm(int pid, bool *ret_may_read)
{
    char *path = find_mapped(pid, "/libjvm.so", ret_may_read);
    bool found = path != NULL;
    free(path);
    return found || !*ret_may_read; /* cannot tell: let the socket decide */
}

#define YOUNG_S 3

/* HotSpot's performance data: in its head a byte that is set once the JVM has started. An entry: 20
 * bytes, of which the last four say how far from its begin the value lies, then the name. */
#define STARTED_AT 7
#define ENTRY_HEAD 20

static bool says_no_attach(const char *bytes, size_t size)
{
    static const char name[] = "sun.rt.jvmCapabilities"; /* first: it can be attached to */
    const char *at = memmem(bytes, size, name, sizeof name);
    uint32_t value_at;
    if (!at || at - bytes < ENTRY_HEAD)
        return false;
    memcpy(&value_at, at - sizeof value_at, sizeof value_at);
    const char *entry = at - ENTRY_HEAD;
    return value_at < size - (size_t)(entry - bytes) && entry[value_at] == '0';
}

/* The 22nd field of stat, in clock ticks since the machine's start; the second, a name, may hold
 * anything. */
bool pm_process_is_young(const struct pm_process *process)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", process->pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[size > 0 ? size : 0] = 0;
    const char *at = strrchr(text, ')');
    for (int field = 2; at && field < 22; field++)
        at = strchr(at + 1, ' ');
    struct timespec now;
    if (!at || clock_gettime(CLOCK_BOOTTIME, &now) < 0)
        return false;
    double age_s = (double)now.tv_sec - strtod(at, NULL) / (double)sysconf(_SC_CLK_TCK);
    return age_s < YOUNG_S;
}

enum pm_jvm_state pm_process_jvm_state(const struct pm_process *process)
{
    bool may_read;
    enum pm_jvm_state state = pm_process_is_young(process) ? PM_JVM_STARTING : PM_JVM_STARTED;
    char outer[1024];
    char *path = find_mapped(process->pid, "/hsperfdata_", &may_read);
    char *bytes = malloc(PERFORMANCE_MAX);
    if (path && bytes) {
        snprintf(outer, sizeof outer, "/proc/%d/root%s", process->pid, path);
        int fd = open(outer, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        ssize_t size = fd < 0 ? 0 : read(fd, bytes, PERFORMANCE_MAX);
        if (fd >= 0)
            close(fd);
        if (size > STARTED_AT)
            state = says_no_attach(bytes, (size_t)size) ? PM_JVM_FORBIDS_ATTACH
                    : bytes[STARTED_AT]                 ? PM_JVM_STARTED
                                                        : PM_JVM_STARTING;
    }
    free(bytes);
    free(path);
    return state;
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
            process.is_stopped = state == 'T' || state == 't';
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
     * be this very process, under this very user, or under root, as a daemon was before it became
     * somebody else. */
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 ||
        (peer.uid != process->uid && peer.uid != 0) ||
        (peer.pid != 0 && peer.pid != process->pid)) {
        close(fd);
        return -EPERM;
    }
    return fd;
}

int pm_process_connect_recorder(const struct pm_process *process, char *ret_path, size_t size)
{
    int first = -ENOENT;
    for (int number = 0; number < PM_CONTROL_N_NAMES; number++) {
        pm_control_name(process->inner_pid, number, ret_path, size);
        int fd = pm_process_connect(process, ret_path);
        if (fd >= 0)
            return fd;
        if (number == 0 || fd == -EAGAIN)
            first = fd; /* a full queue: perhaps its own */
    }
    pm_control_name(process->inner_pid, 0, ret_path, size);
    return first;
}
