/* The agent's half of the socket: one control thread that serves its clients in turn without
 * waiting for any of them; every request is limited in length and time, so that a stuck or hostile
 * client can never delay the recorder, nor another client for long. */
#pragma once

#include "recorder/agent/base/options.h"

/* Starts the sampler, binds the socket (unless socket=off) and starts the server's native thread.
 * The sampler runs even if the socket fails. */
int pm_control_start(const struct pm_options *options, struct pm_error_info *ret_info);
/* Ends both, before pm_drain_stop; unlinks the socket. */
void pm_control_stop(void);
