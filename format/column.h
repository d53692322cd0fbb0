/* One column of numbers as bytes, in the smallest of four encodings (docs/format.md §5). */
#pragma once

#include "format/wire.h"

enum pm_column_mode {
    PM_COLUMN_CONSTANT = 0, /* one varint */
    PM_COLUMN_PALETTE = 1,  /* up to 256 values, then an index of 1, 2, 4 or 8 bits a row */
    PM_COLUMN_PLAIN = 2,    /* two bits a row choose its length, then the bytes */
    PM_COLUMN_DELTA = 3,    /* the same over zigzag differences to the row before */
};

/* The four lengths that the two bits of a row choose from; the encoder stores the row of this table
 * that it used. */
#define PM_N_LENGTH_SETS 8
extern const uint8_t pm_column_lengths[PM_N_LENGTH_SETS][4];

/* The data of a cursor passed to a decoder must be followed by this many readable bytes. */
#define PM_COLUMN_SLACK 16

void pm_column_encode(struct pm_bytes *to, const uint64_t *values, size_t n);
/* The same for one row or more that are known to have this value. */
void pm_column_encode_constant(struct pm_bytes *to, uint64_t value);

/* Decode `n` values; on bad input `cursor->bad` is set and `to` is undefined. A value above `max`
 * is bad input. */
void pm_column_decode_u64(struct pm_cursor *cursor, size_t n, uint64_t *to);
void pm_column_decode_u32(struct pm_cursor *cursor, size_t n, uint32_t max, uint32_t *to);
void pm_column_decode_u16(struct pm_cursor *cursor, size_t n, uint16_t max, uint16_t *to);
void pm_column_decode_u8(struct pm_cursor *cursor, size_t n, uint8_t max, uint8_t *to);
/* Skips a column without decoding its values. */
void pm_column_skip(struct pm_cursor *cursor, size_t n);
