/* What /proc tells about a process that may hold a recorder. For client.c, attach.c, and who must
 * know that one has ended. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "format/error.h"

struct pm_process {
    int pid;
    int inner_pid; /* in its own pid namespace: what the process itself calls its pid */
    uid_t uid;     /* effective */
    bool is_jvm;   /* libjvm.so is mapped, or its maps may not be read */
    bool may_read; /* false: its maps are kept from this user */
    bool catches_quit;
};

/* PM_ERROR_ARGUMENT: "2217: no such process", "2217: the process has ended" (nobody waited for it
 * yet). */
int pm_process_look(int pid, struct pm_process *ret_process, struct pm_error_info *ret_info);

/* Says why a process may not be looked into: PM_ERROR_ARGUMENT, "2217: not permitted; …". */
int pm_process_refuse(const struct pm_process *process, struct pm_error_info *ret_info);

/* Connects to the unix socket `path` as the process sees it (through /proc/PID/root, one symbolic
 * link is followed), and checks that the process itself listens there. Returns the descriptor or
 * -errno: ENOENT none, ECONNREFUSED stale, EPERM somebody else's. */
int pm_process_connect(const struct pm_process *process, const char *path);
