#include "viewer/analysis/base/packed.h"

#include "viewer/analysis/base/region.h"

#define PADDING      8 /* the last value is read as eight bytes */
#define LEAST_REGION (64u << 10)
#define MOST_REGION  (4u << 20)

void pm_packed_store_trim(PmPackedStore *store)
{
    if (!store->at)
        return;
    PmRegion *last = &g_array_index(store->regions, PmRegion, store->regions->len - 1);
    store->room -= last->size;
    pm_region_seal(last, (gsize)(store->at - last->memory) + PADDING);
    store->room += last->size;
    store->at = store->end = NULL;
}

void pm_packed_store_clear(PmPackedStore *store)
{
    for (guint i = 0; store->regions != NULL && i < store->regions->len; i++)
        pm_region_clear(&g_array_index(store->regions, PmRegion, i));
    g_clear_pointer(&store->regions, g_array_unref);
    *store = (PmPackedStore){0};
}

/* Each region a quarter of what there is, so that little lists take little. */
static gboolean make_room(PmPackedStore *store, gsize bytes)
{
    PmRegion region;
    if (store->at && (gsize)(store->end - store->at) >= bytes + PADDING)
        return TRUE;
    pm_packed_store_trim(store);
    if (!pm_region_init(&region,
                        MAX(bytes + PADDING, CLAMP(store->room / 4, LEAST_REGION, MOST_REGION))))
        return FALSE;
    if (!store->regions)
        store->regions = g_array_new(FALSE, FALSE, sizeof(PmRegion));
    g_array_append_val(store->regions, region);
    store->at = region.memory;
    store->end = store->at + region.size;
    store->room += region.size;
    return TRUE;
}

static guint32 width_of(guint64 spread)
{
    const guint32 width = spread == 0 ? 0 : 64 - (guint32)__builtin_clzll(spread);

    return width > 56 ? 64 : width;
}

/* Of values that spread wider differences of a line might not be numbers. */
#define MOST_SPREAD (G_GUINT64_CONSTANT(1) << 48)

/* The line that values lie above. */
typedef struct {
    guint64 base, slope, most; /* at most so much above it */
} Line;

static Line line_of(const gint64 *values, gsize n)
{
    gint64 least = values[0], most = least;
    for (gsize i = 1; i < n; i++) {
        least = MIN(least, values[i]);
        most = MAX(most, values[i]);
    }
    Line line = {(guint64)least, 0, (guint64)most - (guint64)least};
    /* What rises by less than half of the spread saves no bit. */
    const guint64 rise = (guint64)values[n - 1] - (guint64)values[0];
    if (values[n - 1] <= values[0] || rise < line.most / 2 || line.most > MOST_SPREAD)
        return line;
    const guint64 slope = rise / (n - 1);
    gint64 low = G_MAXINT64, high = G_MININT64; /* from the line through `least` */
    for (gsize i = 0; i < n; i++) {
        const gint64 above = (gint64)((guint64)values[i] - line.base - i * slope);
        low = MIN(low, above);
        high = MAX(high, above);
    }
    if (slope <= G_MAXUINT32 && width_of((guint64)(high - low)) < width_of(line.most))
        line = (Line){line.base + (guint64)low, slope, (guint64)(high - low)};
    return line;
}

/* The `k`th value above the line that is at `at`, where it goes in a word. */
#define IN_WORD(k) (((guint64)values[k] - (at + (k)*slope)) << ((k)*width))

/* Four values of at most sixteen bits. */
static inline guint64 four_in_word(const gint64 *values, guint width, guint64 at, guint64 slope)
{
    return IN_WORD(0) | IN_WORD(1) | IN_WORD(2) | IN_WORD(3);
}

/* Eight narrow values at a time, which take `width` bytes: none waits for the one before. Returns
 * how many; what follows is written over. */
static gsize pack_narrow(guint8 *to, const gint64 *values, gsize n, guint32 width, guint64 base,
                         guint64 slope)
{
    gsize i = 0;
    if (width <= 8) {
        for (; i + 16 <= n; i += 8, to += width) {
            const guint64 at = base + i * slope;
            const guint64 word = four_in_word(values + i, width, at, slope) |
                                 four_in_word(values + i + 4, width, at + 4 * slope, slope)
                                     << (4 * width);
            memcpy(to, &word, sizeof word);
        }
    } else if (width <= 16) {
        for (; i + 16 <= n; i += 8, to += width) {
            const guint64 at = base + i * slope;
            const guint64 low = four_in_word(values + i, width, at, slope);
            const guint64 high = four_in_word(values + i + 4, width, at + 4 * slope, slope);
            const guint64 words[2] = {width == 16 ? low : low | high << (4 * width),
                                      width == 16 ? high : high >> (64 - 4 * width)};
            memcpy(to, words, sizeof words);
        }
    }
    return i;
}

/* Whole bytes leave the word after each value; no branch depends on the values. What is written
 * behind the last one is padding, or written again. */
static void pack_bits(guint8 *to, const gint64 *values, gsize n, guint32 width, guint64 base,
                      guint64 slope)
{
    const gsize done = pack_narrow(to, values, n, width, base, slope);
    guint64 word = 0, at = base + done * slope;
    guint filled = 0;
    to += done / 8 * width;
    for (gsize i = done; i < n; i++, at += slope) {
        word |= ((guint64)values[i] - at) << filled;
        filled += width;
        memcpy(to, &word, sizeof word);
        to += filled >> 3;
        word >>= filled & ~7u;
        filled &= 7;
    }
    memcpy(to, &word, sizeof word);
}

gboolean pm_packed_store_add(PmPackedStore *store, const gint64 *values, gsize n,
                             PmPackedBlock *ret_block)
{
    const Line line = line_of(values, n);
    const guint32 width = width_of(line.most);
    const gsize bytes = (n * width + 7) / 8;
    if (!make_room(store, bytes))
        return FALSE;
    guint8 *to = store->at;
    *ret_block =
        (PmPackedBlock){.base = (gint64)line.base,
                        .mask = width == 64 ? G_MAXUINT64 : (G_GUINT64_CONSTANT(1) << width) - 1,
                        .data = to,
                        .width = width,
                        .slope = (guint32)line.slope};
    if (width == 64) {
        for (gsize i = 0; i < n; i++) {
            const guint64 value = (guint64)values[i] - line.base;
            memcpy(to + i * sizeof value, &value, sizeof value);
        }
    } else if (width > 0) {
        pack_bits(to, values, n, width, line.base, line.slope);
    }
    store->at += bytes;
    store->used += bytes;
    return TRUE;
}

static void make_blocks_room(PmPacked *list, gsize n)
{
    if (list->n_blocks + n <= list->blocks_room)
        return;
    list->blocks_room = MAX(MAX(2 * list->blocks_room, 16), list->n_blocks + n);
    list->blocks = g_renew(PmPackedBlock, list->blocks, list->blocks_room);
}

/* Of `n` values, of which `n_given` are given; the others are like these. */
static gboolean append(PmPacked *list, const gint64 *values, gsize n_given, gsize n)
{
    make_blocks_room(list, 1);
    if (!pm_packed_store_add(&list->store, values, n_given, &list->blocks[list->n_blocks]))
        return FALSE;
    list->n_blocks++;
    list->n += n;
    return TRUE;
}

gboolean pm_packed_append(PmPacked *list, const gint64 *values, gsize n)
{
    return n == 0 || append(list, values, n, n);
}

gboolean pm_packed_append_same(PmPacked *list, gint64 value)
{
    return append(list, &value, 1, PM_PACKED_BLOCK);
}

void pm_packed_append_blocks(PmPacked *list, const PmPacked *other, gsize first_block,
                             gsize n_blocks, gint64 more)
{
    make_blocks_room(list, n_blocks);
    for (gsize i = 0; i < n_blocks; i++) {
        PmPackedBlock *block = &list->blocks[list->n_blocks++];
        *block = other->blocks[first_block + i];
        block->base = (gint64)((guint64)block->base + (guint64)more);
    }
    list->n += n_blocks * PM_PACKED_BLOCK;
}

/* Of a block, `n` values from the `nth` on; the first lies on `line`, after `bit` bits. */
typedef struct {
    const PmPackedBlock *block;
    guint64 line;
    gsize bit, n;
} Stretch;

/* What begins after so many bits, in the low ones: at least 57 of them. */
static inline guint64 word_at(const Stretch *from, gsize bit)
{
    guint64 word;
    memcpy(&word, from->block->data + (bit >> 3), sizeof word);
    return word >> (bit & 7);
}

#if defined(__x86_64__)
/* Four at a time, of narrow values all out of one word, of others two and two: in less than half
 * of the time. Returns how many, none if it cannot. */
__attribute__((target("avx2"))) static gsize read_fours(const Stretch *from, gint64 *to)
{
    typedef guint64 Four __attribute__((vector_size(32), aligned(8)));
    const PmPackedBlock *block = from->block;
    const guint64 width = block->width, slope = block->slope, mask = block->mask;
    const Four nth = {0, 1, 2, 3}, pair = {0, 1, 0, 1};
    Four lines = from->line + nth * slope;
    gsize bit = from->bit, i = 0;
    if (width <= 14) {
        for (; i + 4 <= from->n; i += 4, bit += 4 * width, lines += 4 * slope) {
            const guint64 word = word_at(from, bit);
            const Four four = (((Four){word, word, word, word} >> (nth * width)) & mask) + lines;
            memcpy(to + i, &four, sizeof four);
        }
    } else if (width <= 28) {
        for (; i + 4 <= from->n; i += 4, bit += 4 * width, lines += 4 * slope) {
            const guint64 low = word_at(from, bit), high = word_at(from, bit + 2 * width);
            const Four four = (((Four){low, low, high, high} >> (pair * width)) & mask) + lines;
            memcpy(to + i, &four, sizeof four);
        }
    }
    return i;
}
#endif

static void read_stretch(const Stretch *from, gint64 *to)
{
    const guint64 mask = from->block->mask, slope = from->block->slope;
    const gsize width = from->block->width;
    gsize i = 0;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
        i = read_fours(from, to);
#endif
    guint64 line = from->line + i * slope;
    gsize bit = from->bit + i * width;
    for (; i < from->n; i++, bit += width, line += slope)
        to[i] = (gint64)(line + (word_at(from, bit) & mask));
}

void pm_packed_block_read(const PmPackedBlock *block, gsize n, gint64 *ret_values)
{
    read_stretch(&(Stretch){block, (guint64)block->base, 0, n}, ret_values);
}

void pm_packed_read(const PmPacked *list, gsize first, gsize n, gint64 *ret_values)
{
    for (gsize j = first + list->pad, end = j + n; j < end;) {
        const PmPackedBlock *block = &list->blocks[j >> PM_PACKED_BITS];
        const gsize nth = j & (PM_PACKED_BLOCK - 1), its = MIN(end - j, PM_PACKED_BLOCK - nth);
        read_stretch(
            &(Stretch){block, (guint64)block->base + nth * block->slope, nth * block->width, its},
            ret_values);
        ret_values += its;
        j += its;
    }
}

void pm_packed_trim(PmPacked *list)
{
    pm_packed_store_trim(&list->store);
    if (list->n_blocks > 0 && list->n_blocks < list->blocks_room) {
        list->blocks = g_renew(PmPackedBlock, list->blocks, list->n_blocks);
        list->blocks_room = list->n_blocks;
    }
}

void pm_packed_clear(PmPacked *list)
{
    pm_packed_store_clear(&list->store);
    g_free(list->blocks);
    *list = (PmPacked){0};
}
