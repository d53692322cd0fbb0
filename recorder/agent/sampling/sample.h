/* Reads another thread's current stack trace through JVMTI: on the sampler thread only, never on
 * the drain (GetStackTrace of a running thread costs 30-350 µs). */
#pragma once

#include <stdbool.h>

#include "format/record.h"
#include "recorder/agent/waits/raw-wait.h"

/* What a sample took. */
struct pm_sample_cost {
    int64_t stopped_ns; /* so long at most its thread was stopped: pm_walk_thread */
    int64_t processor_ns;
};

/* The current chain of a thread, which may be virtual; of a carrier the virtual thread's that it
 * runs, as `*thread` is then; where it is 0, of any virtual thread that has begun and is in no
 * recorded wait. PM_ERROR_ARGUMENT if the thread has ended, PM_ERROR_IO if the JVM
 * refuses (VMDeath). The calling thread must be attached to the JVM. To `*ret_cost`
 * what it took is added, whether or not it was walked. */
int pm_sample_thread(pm_thread_id *thread, pm_chain_id *ret_chain, uint8_t *ret_owner_state,
                     struct pm_sample_cost *ret_cost);

/* How a search of very many virtual threads, which the functions below make, pauses: `pause`
 * returns after `ns` or so, during which it may call them; false: the search is to be given up.
 * Before any sample. */
void pm_sample_on_pause(bool (*pause)(int64_t ns));

/* The wait that the thread is recorded to be in now; false: none. */
bool pm_sample_wait_of(pm_thread_id thread, struct pm_raw_wait *ret_wait);

/* The current owner of an AbstractOwnableSynchronizer (or parent lock), id 0 if none. */
int pm_sample_owner(pm_blocker_id blocker, pm_thread_id *ret_owner);
/* Whether that has ended. If it owns the blocker still after that, nobody can release it. */
bool pm_sample_owner_has_ended(pm_blocker_id blocker);

/* The current owner of the monitor that the waiter is about to enter, id 0 if unknown, and no
 * longer the one that was found before. PM_ERROR_ARGUMENT if it no longer waits; PM_ERROR_LIMIT if
 * the owner was not found within the time limit. Stops no platform thread. */
int pm_sample_monitor_owner(pm_blocker_id blocker, pm_thread_id waiter, pm_thread_id *ret_owner);
