/* The errors of the format library, and of everything that passes them on.
 *
 * Every function that can fail returns 0 or a negative `enum pm_error`. Values are pinned: they
 * appear in bug reports. Out-parameters are named `ret_…`, come last and are untouched on failure.
 * The library never logs, exits or aborts. */
#pragma once

#include <stdint.h>

enum pm_error {
    PM_OK = 0,
    PM_ERROR_IO = -1,              /* a source or sink failed; `text` holds strerror */
    PM_ERROR_MEMORY = -2,          /* an allocation failed */
    PM_ERROR_NOT_A_RECORDING = -3, /* the first bytes are not a recording's */
    PM_ERROR_EMPTY = -4,           /* the file has 0 bytes, or a header but no complete chunk */
    PM_ERROR_NEWER = -5,           /* needs a newer Parkmeter (version or incompatible flag) */
    PM_ERROR_TRUNCATED = -6,       /* the source ended in the middle of an item */
    PM_ERROR_CHECKSUM = -7,        /* stored bytes are not what was written */
    PM_ERROR_MALFORMED = -8,       /* checksum right, content breaks a rule of docs/format.md */
    PM_ERROR_LIMIT = -9,           /* a length exceeds the stated limit; nothing was allocated */
    PM_ERROR_ARGUMENT = -10,       /* the caller broke the contract; state is unchanged */
    PM_ERROR_OVERWRITTEN = -11,    /* the slot was reused by the recorder while it was read */
    PM_ERROR_CANCELLED = -12,      /* a callback asked to stop */
};

/* Details of one failure, for a message to a user. `offset` is the position in the file, -1 if
 * there is none. `text` is a sentence without a full stop, never empty when `code` is set. */
struct pm_error_info {
    int code;
    int64_t offset;
    char text[200];
};

/* Fills `info` (which may be NULL) and returns `code`, so that `return pm_error_set(…)` reads well.
 */
int pm_error_set(struct pm_error_info *info, int code, int64_t offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The name of a code, "checksum" for PM_ERROR_CHECKSUM. Never NULL. */
const char *pm_error_name(int code);
