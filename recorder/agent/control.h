/* The agent's half of the socket: one control thread, one client at a time, every read and write
 * limited in length and time, so that a stuck or hostile client can never delay the recorder. */
#pragma once

#include "recorder/agent/options.h"

/* Binds the socket and starts the thread (attached to the JVM as a daemon by the caller's hook, see
 * agent.c: it also is the sampler's). On failure nothing runs. */
int pm_control_start(const struct pm_options *options, struct pm_error_info *ret_info);
void pm_control_stop(void); /* unlinks the socket */
