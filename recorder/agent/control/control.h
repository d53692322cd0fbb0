/* The agent's half of the socket: one control thread that serves its clients in turn without
 * waiting for any of them; every request is limited in length and time, so that a stuck or hostile
 * client can never delay the recorder, nor another client for long. */
#pragma once

#include "recorder/agent/base/options.h"

/* Starts the server's native thread, which binds the socket (unless socket=off), and waits for
 * that, ten seconds at most. After an error it may be called again. */
int pm_control_start(const struct pm_options *options, struct pm_error_info *ret_info);
/* Ends it, before pm_drain_stop, and unlinks the socket. Waits for a second at most. */
void pm_control_stop(void);
