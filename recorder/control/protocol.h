/* The socket protocol, both ends. A unix stream socket of mode 0600, /tmp/.parkmeter-<pid in its
 * namespace>, or with .1 to .7 behind it if another container that shares /tmp has that name; peers
 * are checked by SO_PEERCRED (same user or root).
 *
 * A request is one line, UTF-8, "COMMAND" or "COMMAND ARGUMENTS", at most PM_CONTROL_MAX_REQUEST
 * bytes including its terminator. The reply is one line, "ok" or "error SENTENCE", then the answer
 * until the end of file, at most PM_CONTROL_MAX_REPLY bytes in total; `dump` passes one descriptor
 * (SCM_RIGHTS) with its first byte. Then the recorder closes the connection.
 *
 * Commands: help · hello (JSON: pid, main, begin_unix_ns, file, size) · status (JSON) · flush ·
 * dump (flushes, samples owners, passes the descriptor) · start · stop · set KEY=VALUE,… · path
 * MILLISECONDS CLASS (searches for what keeps such an object alive; stops the program for at most
 * that long; for samples, instead of a class: @ and their allocation times since the recording's
 * begin, separated by commas) · path ("running", or "done" and the result) */
#pragma once

#include <stdio.h>

#define PM_CONTROL_MAX_REQUEST       4096
#define PM_CONTROL_MAX_REPLY         (1 << 20)
#define PM_CONTROL_SOCKET_PREFIX     "/tmp/.parkmeter-"
#define PM_CONTROL_N_NAMES           8
#define PM_CONTROL_SERVER_TIMEOUT_MS 2000 /* for a client that neither sends nor reads */

/* The usual names: `number` below PM_CONTROL_N_NAMES. */
static inline void pm_control_name(int pid, int number, char *ret_path, size_t size)
{
    if (number == 0)
        snprintf(ret_path, size, PM_CONTROL_SOCKET_PREFIX "%d", pid);
    else
        snprintf(ret_path, size, PM_CONTROL_SOCKET_PREFIX "%d.%d", pid, number);
}
