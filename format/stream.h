/* Sources and sinks of recordings: two small vtables, so that tests can run in memory and inject
 * faults (tests/format/in-memory.h), and parkctl can read a descriptor it receives. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/error.h"

/* Reading. `read_at` fills exactly `size` bytes or returns PM_ERROR_TRUNCATED / PM_ERROR_IO. `size`
 * may grow while a recorder writes. Safe for concurrent calls (pread). */
struct pm_source {
    void *context;
    int (*read_at)(void *context, uint64_t offset, void *bytes, size_t size);
    int (*size)(void *context, uint64_t *ret_size);
    void (*close)(void *context);
};

/* Writing. `allocate` reserves [0, size) and zeroes what is new; `truncate` shortens. `read_at`, as
 * in a source, may be NULL: pm_writer_resize to a smaller size then drops chunks instead of moving
 * them. */
struct pm_sink {
    void *context;
    int (*write_at)(void *context, uint64_t offset, const void *bytes, size_t size);
    int (*allocate)(void *context, uint64_t size);
    int (*truncate)(void *context, uint64_t size);
    int (*read_at)(void *context, uint64_t offset, void *bytes, size_t size);
    void (*close)(void *context);
};

/* A descriptor, owned from now on (closed by `close`). */
int pm_source_from_fd(int fd, struct pm_source *ret_source);
/* A file opened read-only. */
int pm_source_open(const char *path, struct pm_source *ret_source, struct pm_error_info *ret_info);

/* A descriptor open for reading and writing, owned from now on. */
int pm_sink_from_fd(int fd, struct pm_sink *ret_sink);
