/* Keeps a copy of a recording up to date while its recorder writes on: of each chunk only the bytes
 * that the copy does not hold yet are passed on, as pieces that may travel through a pipe. The copy
 * has the layout of the original and is read like it. What a piece says is checked before it is
 * believed: it may come from another machine. */
#pragma once

#include "format/reader.h"

#define PM_MIRROR_OPEN_MAX  16
#define PM_MIRROR_PIECE_MAX ((64u << 20) + 1024) /* bytes */

/* What a copy holds: all chunks numbered less than `below`, the open ones among them as far as
 * `used`. All zero: nothing. */
struct pm_mirror_mark {
    uint64_t file_id;
    uint32_t slot_size, n_slots;
    uint64_t below;
    size_t n_open;
    struct pm_mirror_open {
        uint64_t number, used;
    } open[PM_MIRROR_OPEN_MAX];
};

/* Of a copy; one that cannot be read holds nothing. */
void pm_mirror_mark_of(struct pm_source copy, struct pm_mirror_mark *ret_mark);

/* Gives the pieces that a copy with this mark lacks, in the order in which they must be applied,
 * first the file's header. Left out are chunks that ended before `from_ns` (0 = none), and those
 * that the recorder overwrites meanwhile. A nonzero return of `give` stops, and is returned. */
int pm_mirror_news(struct pm_reader *reader, const struct pm_mirror_mark *have, int64_t from_ns,
                   int (*give)(void *context, const void *bytes, size_t size), void *context,
                   struct pm_error_info *ret_info);

/* Puts one piece into the copy, which needs `read_at`; one of another recording begins it anew.
 * PM_ERROR_MALFORMED: not a piece, or none of this recording. */
int pm_mirror_apply(struct pm_sink copy, const void *bytes, size_t size,
                    struct pm_error_info *ret_info);
