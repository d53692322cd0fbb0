/* Reading another thread's present stack trace, through JVMTI: on the sampler thread only, never on
 * the drain (GetStackTrace of a running thread costs 30-350 µs). */
#pragma once

#include "format/record.h"

/* The present chain of a thread. PM_ERROR_ARGUMENT when the thread has ended, PM_ERROR_IO when the
 * JVM refuses (VMDeath). The calling thread must be attached to the JVM. `*ret_stopped_ns` as
 * pm_walk_thread. */
int pm_sample_thread(pm_thread_id thread, pm_chain_id *ret_chain, uint8_t *ret_owner_state,
                     int64_t *ret_stopped_ns);

/* The present owner of an AbstractOwnableSynchronizer (or parent lock), id 0 when none. */
int pm_sample_owner(pm_blocker_id blocker, pm_thread_id *ret_owner);

/* The present owner of the monitor that the waiter is about to enter, id 0 when it is not known.
 * PM_ERROR_ARGUMENT when it does not wait any more, or is a virtual thread; PM_ERROR_LIMIT when
 * somebody owns it who was not found in the time there was. Stops nobody. */
int pm_sample_monitor_owner(pm_blocker_id blocker, pm_thread_id waiter, pm_thread_id *ret_owner);
