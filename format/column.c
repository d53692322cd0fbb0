#include "format/column.h"

/* Chosen so that ids (0 to 2 bytes), short times (1 to 4), long ones and a rare giant each have a
 * set that fits; those that end in 8 hold any value. */
const uint8_t pm_column_lengths[PM_N_LENGTH_SETS][4] = {
    {0, 1, 2, 4}, {0, 1, 2, 8}, {1, 2, 3, 4}, {1, 2, 3, 8},
    {2, 3, 4, 8}, {1, 2, 4, 8}, {2, 3, 4, 5}, {3, 4, 5, 8},
};

static unsigned byte_length(uint64_t value)
{
    return value == 0 ? 0 : 8 - (unsigned)__builtin_clzll(value) / 8;
}

/* The cheapest set for values whose byte lengths are counted in `histogram`; UINT64_MAX never is:
 * sets that cannot hold the longest are left out, and some hold all. */
static unsigned choose_set(const uint32_t histogram[9], uint64_t *ret_cost)
{
    unsigned best = 0;
    uint64_t best_cost = UINT64_MAX;
    for (unsigned set = 0; set < PM_N_LENGTH_SETS; set++) {
        uint64_t cost = 0;
        unsigned code = 0;
        for (unsigned length = 0; length <= 8; length++) {
            while (code < 4 && pm_column_lengths[set][code] < length) {
                code++;
            }
            if (histogram[length] == 0) {
                continue;
            }
            if (code == 4) {
                cost = UINT64_MAX;
                break;
            }
            cost += (uint64_t)histogram[length] * pm_column_lengths[set][code];
        }
        if (cost < best_cost) {
            best_cost = cost;
            best = set;
        }
    }
    *ret_cost = best_cost;
    return best;
}

/* The values as they are, or their zigzag differences. */
static inline uint64_t wire_value(const uint64_t *values, size_t i, bool delta)
{
    return delta ? pm_zigzag((int64_t)(values[i] - (i == 0 ? 0 : values[i - 1]))) : values[i];
}

static void encode_lengths(struct pm_bytes *to, const uint64_t *values, size_t n, unsigned set,
                           bool delta, uint64_t cost)
{
    size_t control = (n + 3) / 4;
    uint8_t *codes = pm_bytes_reserve(to, 1 + control + cost + 8);
    if (codes == NULL) {
        return;
    }
    const uint8_t *lengths = pm_column_lengths[set];
    uint8_t code_of[9];
    for (unsigned length = 0, code = 0; length <= 8; length++) {
        while (code < 3 && lengths[code] < length) {
            code++;
        }
        code_of[length] = (uint8_t)code;
    }
    *codes++ = (uint8_t)set;
    memset(codes, 0, control);
    uint8_t *data = codes + control;
    for (size_t i = 0; i < n; i++) {
        uint64_t value = wire_value(values, i, delta);
        unsigned code = code_of[byte_length(value)];
        codes[i / 4] |= (uint8_t)(code << (i % 4 * 2));
        pm_put_u64(data, value); /* 8 bytes of room are always there */
        data += lengths[code];
    }
    to->size += 1 + control + cost;
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
        if (palette->values[palette->table[i] - 1] == value) {
            return palette->table[i] - 1;
        }
        i = (i + 1) & 1023;
    }
    if (palette->n == 256) {
        return -1;
    }
    palette->values[palette->n] = value;
    palette->table[i] = (uint16_t)++palette->n;
    return (int)palette->n - 1;
}

static unsigned palette_width(unsigned n)
{
    return n <= 2 ? 1 : n <= 4 ? 2 : n <= 16 ? 4 : 8;
}

/* Packs the indices, one byte each, into `width` bits each. They may lie in what is written to, as
 * long as none lies before its place: each byte is written once all that goes into it was read. */
static void pack_indices(uint8_t *to, const uint8_t *indices, size_t n, unsigned width)
{
    if (width == 8) {
        memmove(to, indices, n);
        return;
    }
    unsigned per_byte = 8 / width;
    for (size_t i = 0; i < n; i += per_byte) {
        unsigned byte = 0;
        for (unsigned k = 0; k < per_byte && i + k < n; k++) {
            byte |= (unsigned)indices[i + k] << (k * width);
        }
        to[i / per_byte] = (uint8_t)byte;
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
    uint8_t *start = pm_bytes_reserve(to, room + n);
    if (start == NULL) {
        return true;
    }
    uint8_t *indices = start + room;
    int index = 0;
    size_t runs = 0;
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || values[i] != values[i - 1]) {
            runs++;
            index = palette_index(&palette, values[i]);
            if (index < 0 || palette.n > most) {
                return false;
            }
        }
        indices[i] = (uint8_t)index;
    }
    if (palette.n > 16 && runs < n / 8 * 5) {
        return false; /* a byte a row is more than what differences take */
    }
    uint8_t *at = start;
    *at++ = PM_COLUMN_PALETTE;
    *at++ = (uint8_t)(palette.n - 1);
    for (unsigned i = 0; i < palette.n; i++) {
        at = pm_put_varint(at, palette.values[i]);
    }
    unsigned width = palette_width(palette.n);
    pack_indices(at, indices, n, width);
    to->size = begin + (size_t)(at - start) + (n * width + 7) / 8;
    return true;
}

void pm_column_encode(struct pm_bytes *to, const uint64_t *values, size_t n)
{
    if (n == 0) {
        return;
    }
    size_t same = 1;
    while (same < n && values[same] == values[0]) {
        same++;
    }
    if (same == n) {
        pm_bytes_add_u8(to, PM_COLUMN_CONSTANT);
        pm_bytes_add_varint(to, values[0]);
        return;
    }
    if (encode_palette(to, values, n)) {
        return;
    }
    uint32_t plain[9] = {0}, delta[9] = {0};
    for (size_t i = 0; i < n; i++) {
        plain[byte_length(values[i])]++;
        delta[byte_length(wire_value(values, i, true))]++;
    }
    uint64_t plain_cost, delta_cost;
    unsigned plain_set = choose_set(plain, &plain_cost);
    unsigned delta_set = choose_set(delta, &delta_cost);
    bool use_delta = delta_cost < plain_cost;
    pm_bytes_add_u8(to, use_delta ? PM_COLUMN_DELTA : PM_COLUMN_PLAIN);
    encode_lengths(to, values, n, use_delta ? delta_set : plain_set, use_delta,
                   use_delta ? delta_cost : plain_cost);
}

/* Checks that control and data bytes of `n` rows are there and steps over them. */
static bool take_lengths(struct pm_cursor *cursor, size_t n, const uint8_t **ret_codes,
                         const uint8_t **ret_data, const uint8_t **ret_lengths)
{
    unsigned set = pm_cursor_u8(cursor);
    size_t control = (n + 3) / 4;
    const uint8_t *codes = pm_cursor_take(cursor, control);
    if (codes == NULL || set >= PM_N_LENGTH_SETS) {
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
    for (size_t row = i * 4; row < n; row++) {
        counts[(codes[row / 4] >> (row % 4 * 2)) & 3]++;
    }
    size_t size = 0;
    for (unsigned code = 0; code < 4; code++) {
        size += (size_t)counts[code] * lengths[code];
    }
    *ret_data = pm_cursor_take(cursor, size);
    if (*ret_data == NULL) {
        return false;
    }
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
        if (n == 0) {                                                                              \
            return;                                                                                \
        }                                                                                          \
        unsigned mode = pm_cursor_u8(cursor);                                                      \
        if (mode == PM_COLUMN_CONSTANT) {                                                          \
            uint64_t value = pm_cursor_varint(cursor);                                             \
            cursor->bad |= value > max;                                                            \
            for (size_t i = 0; i < n; i++) {                                                       \
                to[i] = (type)value;                                                               \
            }                                                                                      \
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
            if (indices == NULL) {                                                                 \
                return;                                                                            \
            }                                                                                      \
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
            if (!take_lengths(cursor, n, &codes, &data, &lengths)) {                               \
                return;                                                                            \
            }                                                                                      \
            uint64_t masks[4];                                                                     \
            for (unsigned i = 0; i < 4; i++) {                                                     \
                masks[i] = lengths[i] == 8 ? UINT64_MAX : (UINT64_C(1) << (lengths[i] * 8)) - 1;   \
            }                                                                                      \
            uint64_t over = 0, previous = 0;                                                       \
            bool delta = mode == PM_COLUMN_DELTA;                                                  \
            for (size_t i = 0; i < n; i++) {                                                       \
                unsigned code = (codes[i / 4] >> (i % 4 * 2)) & 3;                                 \
                uint64_t value = pm_get_u64(data) & masks[code];                                   \
                data += lengths[code];                                                             \
                if (delta) {                                                                       \
                    value = previous += (uint64_t)pm_unzigzag(value);                              \
                }                                                                                  \
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
    if (n == 0) {
        return;
    }
    switch (pm_cursor_u8(cursor)) {
    case PM_COLUMN_CONSTANT:
        pm_cursor_varint(cursor);
        break;
    case PM_COLUMN_PALETTE: {
        unsigned size = pm_cursor_u8(cursor) + 1u;
        for (unsigned i = 0; i < size; i++) {
            pm_cursor_varint(cursor);
        }
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
