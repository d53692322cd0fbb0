/* The client's half of the socket: finds JVMs with a recorder and asks them. Blocking, with time
 * limits; used by parkctl. Protocol: recorder/control/protocol.h. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/error.h"

struct pm_control_reply {
    bool ok;    /* the recorder said ok */
    char *text; /* its answer, zero-terminated; the sentence of the error when !ok. Owned */
    size_t length;
    int fd; /* a read-only descriptor of the rolling file, or -1. Owned */
};

/* Sends `request` ("status", "dump", "set maxsize=64m") to the recorder in `pid`, reached through
 * /proc/PID/root. Errors: PM_ERROR_ARGUMENT "2217: no such process", "2217: no recorder in this
 * JVM; load one: parkctl 2217 attach"; PM_ERROR_IO "2217: the recorder did not answer within 10 s".
 */
int pm_control_request(int pid, const char *request, int64_t timeout_ns,
                       struct pm_control_reply *ret_reply, struct pm_error_info *ret_info);
void pm_control_reply_clear(struct pm_control_reply *reply);

/* Calls `each` for every JVM of this user (all users for root) with its recorder's socket, NULL if
 * it has no recorder. */
int pm_control_list(int (*each)(void *context, int pid, const char *socket_path), void *context);

/* Sends a command to the JVM itself through HotSpot's attach protocol (SIGQUIT, .attach_pid,
 * .java_pid), with at most three arguments (NULL: none), such as "inspectheap", "-all". Returns its
 * answer without the first line, truncated at `max` bytes; owned. PM_ERROR_ARGUMENT, PM_ERROR_IO,
 * with a sentence. */
int pm_control_ask_jvm(int pid, const char *command, const char *const arguments[3], size_t max,
                       int64_t timeout_ns, char **ret_text, struct pm_error_info *ret_info);

/* Loads the agent into a running JVM by the same protocol. */
int pm_control_attach(int pid, const char *library_path, const char *options,
                      struct pm_error_info *ret_info);
