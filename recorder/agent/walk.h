/* Taking the call chain of the current thread, or of another one: the JVM walks the stack, a hash
 * over its raw frames finds a chain that is known, and only a new chain asks for names. */
#pragma once

#include "format/record.h"
#include "recorder/agent/self.h"

#define PM_WALK_MAX_FRAMES 512

void pm_walk_set_depth(uint32_t max_frames);

/* The current thread's chain, 0 when there is none (or the JVM refuses). */
pm_chain_id pm_walk_current(struct pm_self *self);

/* Another thread's, which must be attached and alive; slow. 0 or PM_ERROR_ARGUMENT (it ended) or
 * PM_ERROR_IO. */
int pm_walk_thread(jthread thread, pm_chain_id *ret_chain);
