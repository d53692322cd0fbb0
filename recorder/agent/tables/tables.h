/* The agent's tables of threads, blockers, stack traces, methods and classes: what ids mean, for
 * the drain. Filled by the hooks through blocker.h, chain.h, names.h, thread.h. Every function here
 * may be called from the drain and control threads at any time and makes no JVM calls. */
#pragma once

#include "format/writer.h"

/* Once, before anything else here. 0 or PM_ERROR_MEMORY. */
int pm_tables_init(void);

/* For pm_writer_open; drain thread only. Borrowed texts stay valid until the next call of the same
 * member. */
const struct pm_dictionary *pm_tables_dictionary(void);

/* Ids given so far (1..n). */
uint32_t pm_tables_n_threads(void);
uint32_t pm_tables_n_chains(void); /* kept now */

/* A thread's life for spans: begin 0 = before the recording, end 0 = alive. */
bool pm_tables_thread_life(pm_thread_id id, int64_t *ret_begin_ns, int64_t *ret_end_ns);
/* The same for all of them, `index` from 0 up; false past the last. Id 0: an empty row. */
bool pm_tables_visit_thread(uint32_t index, pm_thread_id *ret_id, int64_t *ret_begin_ns,
                            int64_t *ret_end_ns);

/* Threads that were renamed since the last call. */
size_t pm_tables_take_renamed_threads(pm_thread_id *ret_ids, size_t max);

/* Blockers whose object was collected or that were evicted since the last call; the drain writes
 * their final counters, then calls pm_tables_blocker_forget. */
size_t pm_tables_take_collected_blockers(pm_blocker_id *ret_ids, size_t max);
void pm_tables_blocker_forget(pm_blocker_id id);

/* The shared row under which the blocker is counted once it has none of its own (one per class and
 * site); 0 for rows that are already shared. */
pm_blocker_id pm_tables_blocker_fold(pm_blocker_id id);
