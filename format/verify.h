/* Checks a whole recording: every block's checksum, every rule of docs/format.md, every id defined
 * before use, rows in order. */
#pragma once

#include "format/reader.h"

struct pm_verify_result {
    bool ok; /* nothing damaged; a torn last block of a killed recorder is not damage */
    uint64_t chunks, waits, stored_bytes, damaged_blocks, lost_bytes;
    int64_t first_ns, last_ns; /* since the recording's begin */
    char first_problem[200];   /* empty when ok */
};

/* PM_OK when the check ran, whatever it found. The source stays the caller's. */
int pm_verify(struct pm_source source, struct pm_verify_result *ret_result,
              struct pm_error_info *ret_info);
