/* The socket protocol, both halves. A unix stream socket of mode 0600, /tmp/.parkmeter-<pid in its
 * namespace>; peers are checked by SO_PEERCRED (same user or root).
 *
 *   request  one line, UTF-8, at most PM_CONTROL_MAX_REQUEST bytes with its '\n': "COMMAND
 * [arguments]" reply    one line "ok" or "error SENTENCE", then the answer until end of file, at
 * most PM_CONTROL_MAX_REPLY bytes; `dump` passes one descriptor (SCM_RIGHTS) with the first byte
 *
 * Commands: help · hello (JSON: pid, main, begin_unix_ns, file, size) · status (JSON as design.md)
 * · flush · dump (flushes, samples owners, passes the descriptor) · start · stop · set KEY=VALUE,…
 */
#pragma once

#define PM_CONTROL_MAX_REQUEST       4096
#define PM_CONTROL_MAX_REPLY         (1 << 20)
#define PM_CONTROL_SOCKET_PREFIX     "/tmp/.parkmeter-"
#define PM_CONTROL_SERVER_TIMEOUT_MS 2000 /* for a client that neither sends nor reads */
