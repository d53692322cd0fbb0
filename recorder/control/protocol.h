/* The socket protocol, both halves. A unix stream socket of mode 0600, /tmp/.parkmeter-<pid in its
 * namespace>; peers are checked by SO_PEERCRED (same user or root).
 *
 * A request is one line, UTF-8, "COMMAND" or "COMMAND ARGUMENTS", at most PM_CONTROL_MAX_REQUEST
 * bytes with its end. The reply is one line, "ok" or "error SENTENCE", then the answer until the
 * end of file, at most PM_CONTROL_MAX_REPLY bytes in all; `dump` passes one descriptor (SCM_RIGHTS)
 * with its first byte. Then the recorder hangs up.
 *
 * Commands: help · hello (JSON: pid, main, begin_unix_ns, file, size) · status (JSON) · flush ·
 * dump (flushes, samples owners, passes the descriptor) · start · stop · set KEY=VALUE,… · path
 * MILLISECONDS CLASS (looks for what keeps such an object; stops the program for so long at most;
 * instead of a class, of samples: @ and the times of their births since the recording's begin,
 * between commas) · path ("running", or "done" and what was found)
 */
#pragma once

#define PM_CONTROL_MAX_REQUEST       4096
#define PM_CONTROL_MAX_REPLY         (1 << 20)
#define PM_CONTROL_SOCKET_PREFIX     "/tmp/.parkmeter-"
#define PM_CONTROL_SERVER_TIMEOUT_MS 2000 /* for a client that neither sends nor reads */
