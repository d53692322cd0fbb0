#include "format/column.h"

/* Chosen so that ids (0 to 2 bytes), short times (1 to 4), long ones and a rare giant each have a
 * set that fits; those that end in 8 hold any value. */
const uint8_t pm_column_lengths[PM_N_LENGTH_SETS][4] = {
    {0, 1, 2, 4}, {0, 1, 2, 8}, {1, 2, 3, 4}, {1, 2, 3, 8},
    {2, 3, 4, 8}, {1, 2, 4, 8}, {2, 3, 4, 5}, {3, 4, 5, 8},
};

#define CHUNK_ROWS   128
#define SAMPLE_ROWS  32  /* of a long column are looked at … */
#define SAMPLE_EVERY 277 /* … in so many: a prime, as values may come in periods */

/* Of a chunk of rows what is stored: the values as they are, or their zigzag differences, which are
 * put into `room`. */
static const uint64_t *wire_values(const uint64_t *values, size_t from, size_t n, bool delta,
                                   uint64_t room[CHUNK_ROWS])
{
    if (!delta)
        return values + from;
    uint64_t previous = from == 0 ? 0 : values[from - 1];
    for (size_t i = 0; i < n; i++) {
        room[i] = pm_zigzag((int64_t)(values[from + i] - previous));
        previous = values[from + i];
    }
    return room;
}

/* Adds to `above[k]` how many of the values take more than `k` bytes. */
static void count_lengths(const uint64_t *values, size_t n, uint32_t above[8])
{
    uint32_t counts[4] = {0};
    uint64_t all = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t value = values[i];
        all |= value;
        counts[0] += value > 0;
        counts[1] += value > 0xff;
        counts[2] += value > 0xffff;
        counts[3] += value > 0xffffff;
    }
    for (unsigned k = 0; k < 4; k++)
        above[k] += counts[k];
    for (unsigned k = 4; k < 8 && all >> (k * 8); k++)
        for (size_t i = 0; i < n; i++)
            above[k] += values[i] >> (k * 8) != 0;
}

/* How a column's values are stored. */
struct lengths {
    bool delta;
    unsigned set;
    uint64_t cost; /* bytes of all values; some more where only a sample was looked at */
    const uint8_t *bytes;
    uint64_t longest[4]; /* that a code can hold */
};

/* The set that takes the fewest bytes, `*ret_cost`, for `n` values. Sets that cannot hold the
 * longest are left out, and some hold all. */
static unsigned choose_set(const uint32_t above[8], size_t n, uint64_t *ret_cost)
{
    unsigned best = 0;
    *ret_cost = UINT64_MAX;
    for (unsigned set = 0; set < PM_N_LENGTH_SETS; set++) {
        const uint8_t *lengths = pm_column_lengths[set];
        if (lengths[3] < 8 && above[lengths[3]] > 0)
            continue;
        uint64_t cost = (uint64_t)n * lengths[0];
        for (unsigned code = 1; code < 4; code++) {
            unsigned shorter = lengths[code - 1];
            cost += (uint64_t)above[shorter] * (lengths[code] - shorter);
        }
        if (cost < *ret_cost) {
            *ret_cost = cost;
            best = set;
        }
    }
    return best;
}

/* The shortest way, by a look at the first `some` of every `step` rows. */
static struct lengths choose_lengths(const uint64_t *values, size_t n, size_t some, size_t step)
{
    struct lengths best = {.cost = UINT64_MAX};
    size_t n_seen = 0;
    for (unsigned delta = 0; delta < 2; delta++) {
        uint64_t room[CHUNK_ROWS], cost;
        uint32_t above[8] = {0};
        n_seen = 0;
        for (size_t i = 0; i < n; i += step) {
            size_t rows = n - i < some ? n - i : some;
            count_lengths(wire_values(values, i, rows, delta, room), rows, above);
            n_seen += rows;
        }
        unsigned set = choose_set(above, n_seen, &cost);
        if (cost < best.cost)
            best = (struct lengths){delta, set, cost, pm_column_lengths[set], {0}};
    }
    if (n_seen < n)
        best.cost = best.cost * n / n_seen * 33 / 32;
    for (unsigned code = 0; code < 4; code++) {
        unsigned bytes = best.bytes[code];
        best.longest[code] = bytes == 0 ? 0 : UINT64_MAX >> (64 - 8 * bytes);
    }
    return best;
}

/* Writes the bytes of a value, of 8 for which there is room, and its code. Returns what follows. */
static inline uint8_t *put_value(uint8_t *to, uint64_t value, const struct lengths *lengths,
                                 unsigned shift, unsigned *codes)
{
    unsigned code = (unsigned)(value > lengths->longest[0]) + (value > lengths->longest[1]) +
                    (value > lengths->longest[2]);
    *codes |= code << shift;
    pm_put_u64(to, value);
    return to + lengths->bytes[code];
}

/* False, and nothing written, when the way does not fit the values: what was looked at misled. */
static bool encode_lengths(struct pm_bytes *to, const uint64_t *values, size_t n,
                           const struct lengths *way)
{
    const struct lengths lengths = *way;
    size_t control = (n + 3) / 4;
    /* As much as any column of so many rows, so that memory does not depend on values. */
    uint8_t *start = pm_bytes_reserve(to, 2 + control + n * 8 + 8);
    if (!start)
        return true;
    start[0] = lengths.delta ? PM_COLUMN_DELTA : PM_COLUMN_PLAIN;
    start[1] = (uint8_t)lengths.set;
    uint8_t *codes = start + 2, *data = codes + control;
    uint64_t room[CHUNK_ROWS], all = 0;
    for (size_t from = 0; from < n; from += CHUNK_ROWS) {
        size_t some = n - from < CHUNK_ROWS ? n - from : CHUNK_ROWS;
        const uint64_t *chunk = wire_values(values, from, some, lengths.delta, room);
        size_t i = 0;
        for (; i + 4 <= some; i += 4) {
            unsigned four = 0;
            data = put_value(data, chunk[i], &lengths, 0, &four);
            data = put_value(data, chunk[i + 1], &lengths, 2, &four);
            data = put_value(data, chunk[i + 2], &lengths, 4, &four);
            data = put_value(data, chunk[i + 3], &lengths, 6, &four);
            *codes++ = (uint8_t)four;
            all |= chunk[i] | chunk[i + 1] | chunk[i + 2] | chunk[i + 3];
        }
        unsigned rest = 0;
        for (size_t k = i; k < some; k++) {
            data = put_value(data, chunk[k], &lengths, (unsigned)(k - i) * 2, &rest);
            all |= chunk[k];
        }
        if (i < some)
            *codes++ = (uint8_t)rest;
    }
    if (all > lengths.longest[3] || (uint64_t)(data - start) > 2 + control + lengths.cost)
        return false;
    to->size += (size_t)(data - start);
    return true;
}

/* A small direct-mapped table: value → index in the palette. */
struct palette {
    unsigned n;
    uint64_t values[256];
    uint16_t table[1024]; /* index + 1 */
};

static int palette_index(struct palette *palette, uint64_t value)
{
    unsigned i = (unsigned)((value * 0x9E3779B97F4A7C15u) >> 54);
    while (palette->table[i] != 0) {
        if (palette->values[palette->table[i] - 1] == value)
            return palette->table[i] - 1;
        i = (i + 1) & 1023;
    }
    if (palette->n == 256)
        return -1;
    palette->values[palette->n] = value;
    palette->table[i] = (uint16_t)++palette->n;
    return (int)palette->n - 1;
}

static unsigned palette_width(unsigned n)
{
    return n <= 2 ? 1 : n <= 4 ? 2 : n <= 16 ? 4 : 8;
}

/* Packs the indices, one byte each, into `width` bits each, eight at a time; zeros follow the last.
 * They may lie in what is written to, as long as none lies before its place. */
static void pack_indices(uint8_t *to, const uint8_t *indices, size_t n, unsigned width)
{
    if (width == 8) {
        memmove(to, indices, n);
        return;
    }
    uint64_t pairs = ((UINT64_C(1) << (2 * width)) - 1) * UINT64_C(0x0001000100010001);
    uint64_t fours = ((UINT64_C(1) << (4 * width)) - 1) * UINT64_C(0x0000000100000001);
    for (size_t i = 0; i < n; i += 8) {
        uint64_t bits = pm_get_u64(indices + i);
        bits = (bits | bits >> (8 - width)) & pairs;
        bits = (bits | bits >> (16 - 2 * width)) & fours;
        pm_put_u64(to, bits | bits >> (32 - 4 * width));
        to += width;
    }
}

/* False, and nothing written, when there are too many values for a palette, or long runs of many.
 */
static bool encode_palette(struct pm_bytes *to, const uint64_t *values, size_t n)
{
    struct palette palette;
    size_t most = n / 4 < 256 ? n / 4 : 256;
    size_t begin = to->size;
    palette.n = 0;
    memset(palette.table, 0, sizeof palette.table);
    /* The indices gather behind where the palette can end, then move up to it. */
    size_t room = 2 + 256 * PM_VARINT_MAX;
    uint8_t *start = pm_bytes_reserve(to, room + n + 8);
    if (!start)
        return true;
    uint8_t *indices = start + room;
    memset(indices + n, 0, 8);
    size_t runs = 0;
    for (size_t i = 0, end; i < n; i = end) {
        int index = palette_index(&palette, values[i]);
        if (index < 0 || palette.n > most)
            return false;
        indices[i] = (uint8_t)index;
        for (end = i + 1; end < n && values[end] == values[i]; end++)
            indices[end] = (uint8_t)index;
        runs++;
    }
    if (palette.n > 16 && runs < n / 8 * 5)
        return false; /* a byte a row is more than what differences take */
    uint8_t *at = start;
    *at++ = PM_COLUMN_PALETTE;
    *at++ = (uint8_t)(palette.n - 1);
    for (unsigned i = 0; i < palette.n; i++)
        at = pm_put_varint(at, palette.values[i]);
    unsigned width = palette_width(palette.n);
    pack_indices(at, indices, n, width);
    to->size = begin + (size_t)(at - start) + (n * width + 7) / 8;
    return true;
}

void pm_column_encode_constant(struct pm_bytes *to, uint64_t value)
{
    pm_bytes_add_u8(to, PM_COLUMN_CONSTANT);
    pm_bytes_add_varint(to, value);
}

void pm_column_encode(struct pm_bytes *to, const uint64_t *values, size_t n)
{
    if (n == 0)
        return;
    size_t same = 1;
    while (same < n && values[same] == values[0])
        same++;
    if (same == n) {
        pm_column_encode_constant(to, values[0]);
    } else if (!encode_palette(to, values, n)) {
        bool is_long = n > 4 * SAMPLE_EVERY;
        struct lengths way = is_long ? choose_lengths(values, n, SAMPLE_ROWS, SAMPLE_EVERY)
                                     : choose_lengths(values, n, CHUNK_ROWS, CHUNK_ROWS);
        if (!encode_lengths(to, values, n, &way)) {
            way = choose_lengths(values, n, CHUNK_ROWS, CHUNK_ROWS);
            encode_lengths(to, values, n, &way);
        }
    }
}

/* Checks that control and data bytes of `n` rows are there and steps over them. */
static bool take_lengths(struct pm_cursor *cursor, size_t n, const uint8_t **ret_codes,
                         const uint8_t **ret_data, const uint8_t **ret_lengths)
{
    unsigned set = pm_cursor_u8(cursor);
    size_t control = (n + 3) / 4;
    const uint8_t *codes = pm_cursor_take(cursor, control);
    if (!codes || set >= PM_N_LENGTH_SETS) {
        cursor->bad = true;
        return false;
    }
    const uint8_t *lengths = pm_column_lengths[set];
    uint32_t counts[4] = {0};
    size_t whole = n / 4;
    /* Counting set bits of 32 codes at a time: n1 = low only, n2 = high only, n3 = both. */
    size_t i = 0;
    for (; i + 8 <= whole; i += 8) {
        uint64_t word = pm_get_u64(codes + i);
        uint64_t low = word & 0x5555555555555555u, high = (word >> 1) & 0x5555555555555555u;
        unsigned both = (unsigned)__builtin_popcountll(low & high);
        counts[3] += both;
        counts[1] += (unsigned)__builtin_popcountll(low) - both;
        counts[2] += (unsigned)__builtin_popcountll(high) - both;
    }
    counts[0] = (uint32_t)(i * 4) - counts[1] - counts[2] - counts[3];
    for (size_t row = i * 4; row < n; row++)
        counts[(codes[row / 4] >> (row % 4 * 2)) & 3]++;
    size_t size = 0;
    for (unsigned code = 0; code < 4; code++)
        size += (size_t)counts[code] * lengths[code];
    *ret_data = pm_cursor_take(cursor, size);
    if (!*ret_data)
        return false;
    if (n % 4 != 0 && codes[control - 1] >> (n % 4 * 2) != 0) {
        cursor->bad = true;
        return false;
    }
    *ret_codes = codes;
    *ret_lengths = lengths;
    return true;
}

/* One decoder for each width of output, so that nothing is copied twice. PM_COLUMN_SLACK lets the
 * eight-byte loads run over the end of the payload. */
#define PM_DEFINE_COLUMN_DECODE(name, type)                                                        \
    static void name(struct pm_cursor *cursor, size_t n, uint64_t max, type *restrict to)          \
    {                                                                                              \
        if (n == 0)                                                                                \
            return;                                                                                \
        unsigned mode = pm_cursor_u8(cursor);                                                      \
        if (mode == PM_COLUMN_CONSTANT) {                                                          \
            uint64_t value = pm_cursor_varint(cursor);                                             \
            cursor->bad |= value > max;                                                            \
            for (size_t i = 0; i < n; i++)                                                         \
                to[i] = (type)value;                                                               \
        } else if (mode == PM_COLUMN_PALETTE) {                                                    \
            type palette[256] = {0};                                                               \
            unsigned size = pm_cursor_u8(cursor) + 1u;                                             \
            for (unsigned i = 0; i < size; i++) {                                                  \
                uint64_t value = pm_cursor_varint(cursor);                                         \
                cursor->bad |= value > max;                                                        \
                palette[i] = (type)value;                                                          \
            }                                                                                      \
            unsigned width = palette_width(size), per_byte = 8 / width;                            \
            unsigned mask = (1u << width) - 1;                                                     \
            const uint8_t *indices = pm_cursor_take(cursor, (n * width + 7) / 8);                  \
            if (!indices)                                                                          \
                return;                                                                            \
            unsigned most = 0;                                                                     \
            size_t i = 0;                                                                          \
            if (width == 8) {                                                                      \
                for (; i < n; i++) {                                                               \
                    unsigned index = indices[i];                                                   \
                    most = index > most ? index : most;                                            \
                    to[i] = palette[index];                                                        \
                }                                                                                  \
            } else if (width == 4) {                                                               \
                for (; i + 2 <= n; i += 2) {                                                       \
                    unsigned pair = indices[i / 2], low = pair & 15, high = pair >> 4;             \
                    most = low > most ? low : most;                                                \
                    most = high > most ? high : most;                                              \
                    to[i] = palette[low];                                                          \
                    to[i + 1] = palette[high];                                                     \
                }                                                                                  \
            }                                                                                      \
            for (; i < n; i++) {                                                                   \
                unsigned index = (indices[i / per_byte] >> (i % per_byte * width)) & mask;         \
                most = index > most ? index : most;                                                \
                to[i] = palette[index];                                                            \
            }                                                                                      \
            cursor->bad |= most >= size;                                                           \
        } else if (mode == PM_COLUMN_PLAIN || mode == PM_COLUMN_DELTA) {                           \
            const uint8_t *codes, *data, *lengths;                                                 \
            if (!take_lengths(cursor, n, &codes, &data, &lengths))                                 \
                return;                                                                            \
            uint64_t masks[4];                                                                     \
            for (unsigned i = 0; i < 4; i++)                                                       \
                masks[i] = lengths[i] == 8 ? UINT64_MAX : (UINT64_C(1) << (lengths[i] * 8)) - 1;   \
            uint64_t over = 0, previous = 0;                                                       \
            bool delta = mode == PM_COLUMN_DELTA;                                                  \
            for (size_t i = 0; i < n; i++) {                                                       \
                unsigned code = (codes[i / 4] >> (i % 4 * 2)) & 3;                                 \
                uint64_t value = pm_get_u64(data) & masks[code];                                   \
                data += lengths[code];                                                             \
                if (delta)                                                                         \
                    value = previous += (uint64_t)pm_unzigzag(value);                              \
                over |= value > max;                                                               \
                to[i] = (type)value;                                                               \
            }                                                                                      \
            cursor->bad |= over != 0;                                                              \
        } else {                                                                                   \
            cursor->bad = true;                                                                    \
        }                                                                                          \
    }

PM_DEFINE_COLUMN_DECODE(decode_u64, uint64_t)
PM_DEFINE_COLUMN_DECODE(decode_u32, uint32_t)
PM_DEFINE_COLUMN_DECODE(decode_u16, uint16_t)
PM_DEFINE_COLUMN_DECODE(decode_u8, uint8_t)

void pm_column_decode_u64(struct pm_cursor *cursor, size_t n, uint64_t *to)
{
    decode_u64(cursor, n, UINT64_MAX, to);
}
void pm_column_decode_u32(struct pm_cursor *cursor, size_t n, uint32_t max, uint32_t *to)
{
    decode_u32(cursor, n, max, to);
}
void pm_column_decode_u16(struct pm_cursor *cursor, size_t n, uint16_t max, uint16_t *to)
{
    decode_u16(cursor, n, max, to);
}
void pm_column_decode_u8(struct pm_cursor *cursor, size_t n, uint8_t max, uint8_t *to)
{
    decode_u8(cursor, n, max, to);
}

void pm_column_skip(struct pm_cursor *cursor, size_t n)
{
    const uint8_t *codes, *data, *lengths;
    if (n == 0)
        return;
    switch (pm_cursor_u8(cursor)) {
    case PM_COLUMN_CONSTANT:
        pm_cursor_varint(cursor);
        break;
    case PM_COLUMN_PALETTE: {
        unsigned size = pm_cursor_u8(cursor) + 1u;
        for (unsigned i = 0; i < size; i++)
            pm_cursor_varint(cursor);
        pm_cursor_take(cursor, (n * palette_width(size) + 7) / 8);
        break;
    }
    case PM_COLUMN_PLAIN:
    case PM_COLUMN_DELTA:
        take_lengths(cursor, n, &codes, &data, &lengths);
        break;
    default:
        cursor->bad = true;
    }
}
