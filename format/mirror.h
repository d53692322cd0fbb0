/* Keeps a copy of a recording up to date while its recorder keeps writing: for each chunk, only the
 * bytes that the copy lacks are transferred, as pieces that can be sent through a pipe. The copy
 * has the same layout as the original and is read in the same way. Pieces are validated before use,
 * because they may come from another machine. */
#pragma once

#include "format/reader.h"

#define PM_MIRROR_OPEN_MAX  16
#define PM_MIRROR_PIECE_MAX ((64u << 20) + 1024) /* bytes */

/* What a copy holds: all chunks numbered less than `below`; of open ones, the first `used` bytes.
 * All zero: nothing. */
struct pm_mirror_mark {
    uint64_t file_id;
    uint32_t slot_size, n_slots;
    uint64_t below;
    size_t n_open;
    struct pm_mirror_open {
        uint64_t number, used;
    } open[PM_MIRROR_OPEN_MAX];
};

/* The mark of a copy; one that cannot be read holds nothing. */
void pm_mirror_mark_of(struct pm_source copy, struct pm_mirror_mark *ret_mark);

/* Passes the pieces that a copy with this mark lacks to `give`, in the order in which they must be
 * applied, the file header first. Chunks that ended before `from_ns` (0 = none) and those that the
 * recorder overwrites meanwhile are left out. A nonzero return value of `give` stops, and is
 * returned. */
int pm_mirror_news(struct pm_reader *reader, const struct pm_mirror_mark *have, int64_t from_ns,
                   int (*give)(void *context, const void *bytes, size_t size), void *context,
                   struct pm_error_info *ret_info);

/* Applies one piece to the copy, which needs `read_at`; a piece of another recording restarts the
 * copy. PM_ERROR_MALFORMED: not a piece, or not of this recording. */
int pm_mirror_apply(struct pm_sink copy, const void *bytes, size_t size,
                    struct pm_error_info *ret_info);
