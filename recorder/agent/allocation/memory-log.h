/* What the recording holds of memory: each sample, and snapshots of all cells and listings of what
 * lives as they fall due (docs/format.md §4.12 to §4.14). The drain's own. Free of JVM.
 *
 * A log is NULL until there is something to tell, and made then; each function does nothing before,
 * and returns the first failure of the writer, or PM_ERROR_MEMORY. */
#pragma once

#include "format/writer.h"

struct pm_memory_log;

void pm_memory_log_free(struct pm_memory_log *log); /* NULL is fine */

/* Hands the samples that wait to the writer, and a PERIODIC snapshot when it is due: what lives was
 * looked at since the last one, and that is long enough ago: a twentieth of the log's age, a second
 * at least and a minute at most. */
int pm_memory_log_take(struct pm_memory_log **log, struct pm_writer *writer);
/* BASE and END: as a chunk begins and ends. PERIODIC tells of the cells that changed since the
 * last. */
int pm_memory_log_tell(struct pm_memory_log **log, struct pm_writer *writer,
                       enum pm_snapshot_place place);
/* The next pm_memory_log_take tells all there is: with a snapshot and a listing of what lives. Any
 * thread. */
void pm_memory_log_want_all(void);

/* Of cells and followed objects, too. */
uint64_t pm_memory_log_memory(void);
