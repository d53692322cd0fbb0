/* Recordings in memory: sources and sinks that need no file, and can fail. */
#pragma once

#include "format/stream.h"

/* Memory, borrowed. */
int pm_source_from_memory(const void *bytes, size_t size, struct pm_source *ret_source);

/* Growing memory, shared by its sink and by a source over what was written so far; fault injection:
 * every write after the first `fail_after` bytes written fails with PM_ERROR_IO (0 = never). */
struct pm_memory;
int pm_memory_new(uint64_t fail_after, struct pm_memory **ret_memory);
void pm_memory_free(struct pm_memory *memory);
struct pm_sink pm_memory_sink(struct pm_memory *memory);
/* What was written so far; follows later writes of the same thread. */
struct pm_source pm_memory_source(struct pm_memory *memory);
const void *pm_memory_bytes(const struct pm_memory *memory, size_t *ret_size);
