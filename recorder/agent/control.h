/* The agent's half of the socket: one control thread that reads and answers its clients in turn and
 * waits for none of them; every request is limited in length and time, so that a stuck or hostile
 * client can never delay the recorder, nor another client for long. */
#pragma once

#include "recorder/agent/options.h"

/* How a thread of ours that reads other threads' chains becomes a daemon of the JVM, and stops
 * being one; `attach` returns 0 when done. It is called on the sampler's thread at its first
 * sample. Once, before pm_control_start; without it nothing is sampled from inside the JVM. */
void pm_control_set_thread_hooks(int (*attach)(const char *name), void (*detach)(void));

/* Starts the sampler, binds the socket (unless socket=off) and starts the server's thread, which is
 * a native one. On failure of the socket the sampler runs all the same. */
int pm_control_start(const struct pm_options *options, struct pm_error_info *ret_info);
/* Ends both, before pm_drain_stop; unlinks the socket. */
void pm_control_stop(void);
