/* Writes memory data to the recording: each sample, and snapshots of all cells and listings of live
 * objects as they fall due (docs/format.md §4.12 to §4.14). Drain thread only. Makes no JVM calls.
 *
 * A log is NULL until there is something to write, and created then; until then the functions do
 * nothing. They return the first failure of the writer, or PM_ERROR_MEMORY. */
#pragma once

#include "format/writer.h"

struct pm_memory_log;

void pm_memory_log_free(struct pm_memory_log *log); /* NULL is fine */

/* Passes queued samples to the writer, and a PERIODIC snapshot if due: liveness was checked since
 * the last one, which is long enough ago (a twentieth of the log's age, between a second and a
 * minute). */
int pm_memory_log_take(struct pm_memory_log **log, struct pm_writer *writer);
/* BASE and END: when a chunk begins and ends. PERIODIC contains the cells that changed since the
 * last one. */
int pm_memory_log_tell(struct pm_memory_log **log, struct pm_writer *writer,
                       enum pm_snapshot_place place);
/* Makes the next pm_memory_log_take write everything, with a snapshot and a listing of live
 * objects. Any thread. */
void pm_memory_log_want_all(void);

/* Of cells and followed objects, too. */
uint64_t pm_memory_log_memory(void);
