/* What the recording holds of memory: each sample, and snapshots of all cells and listings of what
 * lives as they fall due (docs/format.md §4.12 to §4.14). The drain's own; made as allocations are
 * first looked at. Free of JVM. */
#pragma once

#include "format/writer.h"

struct pm_memory_log;

/* PM_ERROR_MEMORY. */
int pm_memory_log_new(struct pm_memory_log **ret_log, int64_t begin_ns);
void pm_memory_log_free(struct pm_memory_log *log); /* NULL is fine */

/* Hands the samples that wait to the writer. The first failure of it. */
int pm_memory_log_take(struct pm_memory_log *log, struct pm_writer *writer);

/* What lives was looked at since the last snapshot, and that is long enough ago: a twentieth of the
 * recording's age, a second at least and a minute at most. */
bool pm_memory_log_is_due(const struct pm_memory_log *log, int64_t now_ns);
/* PERIODIC also makes what is told of each cell later relative to now. */
int pm_memory_log_tell(struct pm_memory_log *log, struct pm_writer *writer,
                       enum pm_snapshot_place place, int64_t now_ns);
/* Lists what lives. */
int pm_memory_log_tell_live(struct pm_memory_log *log, struct pm_writer *writer, int64_t now_ns);
uint64_t pm_memory_log_memory(const struct pm_memory_log *log);
