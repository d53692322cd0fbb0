/* Copies the wanted part of a rolling file into a compact one: what `parkctl PID dump` does with
 * the descriptor it was handed. Blocks are copied as they are stored; only the chunk and block
 * numbers change. */
#pragma once

#include "format/reader.h"

struct pm_copy_result {
    uint64_t chunks, skipped_chunks, bytes, damaged_blocks;
};

/* Copies the data chunks that touch [from_ns, …) and the overview chunks. 0 = all. A chunk that the
 * recorder overwrites meanwhile is skipped entirely. The caller keeps the sink and closes it. */
int pm_copy(struct pm_reader *reader, int64_t from_ns, struct pm_sink sink,
            struct pm_copy_result *ret_result, struct pm_error_info *ret_info);
