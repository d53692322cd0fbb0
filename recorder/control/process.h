/* Information from /proc about a process that may have a recorder. For client.c, attach.c, and code
 * that must know whether a process has ended. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "format/error.h"

struct pm_process {
    int pid;
    int inner_pid; /* in its own pid namespace: the pid that the process itself sees */
    uid_t uid;     /* effective */
    bool is_jvm;   /* libjvm.so is mapped, or its maps may not be read */
    bool may_read; /* false: its maps are kept from this user */
    bool catches_quit;
    bool is_stopped; /* by SIGSTOP or a tracer */
};

/* PM_ERROR_ARGUMENT: "2217: no such process", "2217: the process has ended" (a zombie). */
int pm_process_look(int pid, struct pm_process *ret_process, struct pm_error_info *ret_info);

/* Whether it began less than three seconds ago, and may be a JVM soon. */
bool pm_process_is_young(const struct pm_process *process);

enum pm_jvm_state {
    PM_JVM_STARTED,
    PM_JVM_STARTING, /* it takes SIGQUIT for a wish to see its threads, and loads no agent */
    PM_JVM_FORBIDS_ATTACH,
};

/* What the JVM says in its performance data, however it was told so. Where there are none
 * (-XX:-UsePerfData) it has started unless it is young. */
enum pm_jvm_state pm_process_jvm_state(const struct pm_process *process);

/* Says why a process may not be inspected: PM_ERROR_ARGUMENT, "2217: not permitted; …". */
int pm_process_refuse(const struct pm_process *process, struct pm_error_info *ret_info);

/* Connects to the unix socket `path` as the process sees it (through /proc/PID/root, one symbolic
 * link is followed), and checks that the process itself listens there. Returns the descriptor or
 * -errno: ENOENT none, ECONNREFUSED stale, EPERM owned by another process. */
int pm_process_connect(const struct pm_process *process, const char *path);
/* The same, to the recorder, at whichever of its usual names; `ret_path` has the one where it
 * listens, or the first. */
int pm_process_connect_recorder(const struct pm_process *process, char *ret_path, size_t size);
