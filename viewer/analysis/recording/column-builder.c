#include "viewer/analysis/recording/column-builder.h"

#include <string.h>

/* How wide a value is in a plain column; a negative width is signed. */
static const gint8 widths[PM_N_WAIT_COLUMNS] = {
    [PM_WAIT_COLUMN_BEGIN] = -8,      [PM_WAIT_COLUMN_LENGTH] = -8,
    [PM_WAIT_COLUMN_WAKE] = -8,       [PM_WAIT_COLUMN_THREAD] = 4,
    [PM_WAIT_COLUMN_BLOCKER] = 4,     [PM_WAIT_COLUMN_CHAIN] = 4,
    [PM_WAIT_COLUMN_OWNER] = 4,       [PM_WAIT_COLUMN_WAKER] = 4,
    [PM_WAIT_COLUMN_WAKER_CHAIN] = 4, [PM_WAIT_COLUMN_AQS_STATE] = -4,
    [PM_WAIT_COLUMN_FLAGS] = 2,       [PM_WAIT_COLUMN_KIND] = 1,
    [PM_WAIT_COLUMN_WAKE_CAUSE] = 1,  [PM_WAIT_COLUMN_CATEGORY] = 1,
};

gsize pm_column_builder_width(enum pm_wait_column column)
{
    return (gsize)ABS(widths[column]);
}

/* ---- plain rows ---- */

void pm_column_rows_clear(PmColumnRows *rows)
{
    for (guint c = 0; c < PM_N_WAIT_COLUMNS; c++)
        g_free(rows->columns[c]);
    *rows = (PmColumnRows){0};
}

gboolean pm_column_rows_reserve(PmColumnRows *rows, gsize n)
{
    if (rows->n + n <= rows->room)
        return TRUE;
    const gsize room = MAX(rows->n + n, MAX(2 * rows->room, 1024));
    for (guint c = 0; c < PM_N_WAIT_COLUMNS; c++) {
        void *more = g_try_realloc_n(rows->columns[c], room, pm_column_builder_width(c));
        if (more == NULL) {
            rows->failed = TRUE;
            return FALSE;
        }
        rows->columns[c] = more;
    }
    rows->room = room;
    return TRUE;
}

static void append_row(PmColumnRows *to, const PmColumnRows *from, gsize row)
{
    if (!pm_column_rows_reserve(to, 1))
        return;
    for (guint c = 0; c < PM_N_WAIT_COLUMNS; c++) {
        const gsize width = pm_column_builder_width(c);
        memcpy((guint8 *)to->columns[c] + to->n * width,
               (const guint8 *)from->columns[c] + row * width, width);
    }
    to->n++;
}

static void append_all(PmColumnRows *to, const PmColumnRows *from)
{
    if (from->n == 0 || !pm_column_rows_reserve(to, from->n))
        return;
    for (guint c = 0; c < PM_N_WAIT_COLUMNS; c++) {
        const gsize width = pm_column_builder_width(c);
        memcpy((guint8 *)to->columns[c] + to->n * width, from->columns[c], from->n * width);
    }
    to->n += from->n;
}

/* ---- the pile ---- */

typedef struct {
    guint64 key; /* begin, from the least on */
    guint32 row;
} Item;

struct PmColumnPart {
    PmColumnRows rows, carried;
    Item *items, *other; /* room for all rows */
    gsize n, room;       /* items */
    PmPackedStore store;
};

/* Packed rows of one part: whole blocks, only the earliest part has one that begins with padding.
 */
typedef struct {
    gsize n_blocks;
    PmPackedBlock *blocks; /* column by column, n_blocks each */
    gint64 *block_end;
} Part;

struct PmColumnBuilder {
    GMutex lock;
    GCond turn;
    guint next;           /* whose turn it is */
    PmColumnRows carried; /* to that one */
    gint64 limit;         /* promised by the one before */
    GPtrArray *hands, *free_hands;
    GArray *parts; /* of Part, by turn */
    gsize n, pad;
    gboolean failed;
};

PmColumnBuilder *pm_column_builder_new(void)
{
    PmColumnBuilder *pile = g_new0(PmColumnBuilder, 1);
    g_mutex_init(&pile->lock);
    g_cond_init(&pile->turn);
    pile->hands = g_ptr_array_new();
    pile->free_hands = g_ptr_array_new();
    pile->parts = g_array_new(FALSE, TRUE, sizeof(Part));
    pile->limit = G_MAXINT64;
    return pile;
}

static void hand_free(PmColumnPart *hand)
{
    pm_column_rows_clear(&hand->rows);
    pm_column_rows_clear(&hand->carried);
    g_free(hand->items);
    g_free(hand->other);
    pm_packed_store_clear(&hand->store);
    g_free(hand);
}

void pm_column_builder_free(PmColumnBuilder *pile)
{
    if (pile == NULL)
        return;
    for (guint i = 0; i < pile->hands->len; i++)
        hand_free(g_ptr_array_index(pile->hands, i));
    for (guint i = 0; i < pile->parts->len; i++) {
        g_free(g_array_index(pile->parts, Part, i).blocks);
        g_free(g_array_index(pile->parts, Part, i).block_end);
    }
    g_ptr_array_unref(pile->hands);
    g_ptr_array_unref(pile->free_hands);
    g_array_unref(pile->parts);
    pm_column_rows_clear(&pile->carried);
    g_mutex_clear(&pile->lock);
    g_cond_clear(&pile->turn);
    g_free(pile);
}

PmColumnPart *pm_column_builder_part(PmColumnBuilder *pile)
{
    PmColumnPart *hand = NULL;
    g_mutex_lock(&pile->lock);
    if (pile->free_hands->len > 0)
        hand = g_ptr_array_steal_index(pile->free_hands, pile->free_hands->len - 1);
    g_mutex_unlock(&pile->lock);
    if (hand != NULL)
        return hand;
    hand = g_new0(PmColumnPart, 1);
    g_mutex_lock(&pile->lock);
    g_ptr_array_add(pile->hands, hand);
    g_mutex_unlock(&pile->lock);
    return hand;
}

PmColumnRows *pm_column_part_rows(PmColumnPart *hand)
{
    return &hand->rows;
}

/* Order of rows: by begin; of equal begins those of no length last (a sweep takes them alone), then
 * by thread, length and blocker, so that the order does not depend on how the file was cut. */
static int compare(const PmColumnRows *rows, guint32 a, guint32 b)
{
    const gint64 *begins = PM_BUILDER_COLUMN(rows, gint64, BEGIN);
    const gint64 *lengths = PM_BUILDER_COLUMN(rows, gint64, LENGTH);
    const guint32 *threads = PM_BUILDER_COLUMN(rows, guint32, THREAD);
    const guint32 *blockers = PM_BUILDER_COLUMN(rows, guint32, BLOCKER);
    if (begins[a] != begins[b])
        return begins[a] < begins[b] ? -1 : 1;
    if ((lengths[a] == 0) != (lengths[b] == 0))
        return lengths[a] == 0 ? 1 : -1;
    if (threads[a] != threads[b])
        return threads[a] < threads[b] ? -1 : 1;
    if (lengths[a] != lengths[b])
        return lengths[a] < lengths[b] ? -1 : 1;
    if (blockers[a] != blockers[b])
        return blockers[a] < blockers[b] ? -1 : 1;
    return 0;
}

#define DIGIT_BITS 11
#define DIGITS     (1u << DIGIT_BITS)

static void sort_items(PmColumnPart *hand)
{
    Item *from = hand->items, *to = hand->other;
    const gsize n = hand->n;
    guint64 least = G_MAXUINT64, span = 0;

    /* Keys grow from G_MININT64 on; here from the least on, so that few digits are left. */
    for (gsize i = 0; i < n; i++)
        least = MIN(least, from[i].key);
    for (gsize i = 0; i < n; i++) {
        from[i].key -= least;
        span = MAX(span, from[i].key);
    }
    for (guint shift = 0; shift < 64 && span >> shift != 0; shift += DIGIT_BITS) {
        guint32 at[DIGITS] = {0}, sum = 0;
        for (gsize i = 0; i < n; i++)
            at[from[i].key >> shift & (DIGITS - 1)]++;
        for (guint d = 0; d < DIGITS; d++) {
            const guint32 count = at[d];
            at[d] = sum;
            sum += count;
        }
        for (gsize i = 0; i < n; i++)
            to[at[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
        Item *swap = from;
        from = to;
        to = swap;
    }
    for (gsize i = 1; i < n; i++) {
        const Item item = from[i];
        gsize j = i;
        while (j > 0 && from[j - 1].key == item.key &&
               compare(&hand->rows, from[j - 1].row, item.row) > 0) {
            from[j] = from[j - 1];
            j--;
        }
        from[j] = item;
    }
    hand->items = from;
    hand->other = to;
}

static gboolean make_items(PmColumnPart *hand)
{
    if (hand->rows.n <= hand->room)
        return TRUE;
    g_free(hand->items);
    g_free(hand->other);
    hand->room = hand->rows.n + hand->rows.n / 4;
    hand->items = g_try_new(Item, hand->room);
    hand->other = g_try_new(Item, hand->room);
    if (hand->items != NULL && hand->other != NULL)
        return TRUE;
    hand->room = 0;
    return FALSE;
}

/* The values of a column that become one block: `n` of them, in the order of items from `first`. */
static void take_values(const PmColumnPart *hand, guint column, gsize first, gsize n,
                        gint64 *values)
{
    const Item *items = hand->items + first;
    const void *from = hand->rows.columns[column];

    switch (widths[column]) {
    case -8:
        for (gsize i = 0; i < n; i++)
            values[i] = ((const gint64 *)from)[items[i].row];
        break;
    case -4:
        for (gsize i = 0; i < n; i++)
            values[i] = ((const gint32 *)from)[items[i].row];
        break;
    case 4:
        for (gsize i = 0; i < n; i++)
            values[i] = ((const guint32 *)from)[items[i].row];
        break;
    case 2:
        for (gsize i = 0; i < n; i++)
            values[i] = ((const guint16 *)from)[items[i].row];
        break;
    default:
        for (gsize i = 0; i < n; i++)
            values[i] = ((const guint8 *)from)[items[i].row];
    }
}

/* Packs the items from `first` on; the first block begins with `pad` values that are no row's. */
static gboolean pack(PmColumnPart *hand, gsize first, gsize pad, Part *part)
{
    const gint64 *begins = PM_BUILDER_COLUMN(&hand->rows, gint64, BEGIN);
    const gint64 *lengths = PM_BUILDER_COLUMN(&hand->rows, gint64, LENGTH);
    gint64 values[PM_PACKED_BLOCK];

    part->n_blocks = (hand->n - first + pad) / PM_PACKED_BLOCK;
    part->blocks = g_try_new(PmPackedBlock, MAX(part->n_blocks * PM_N_WAIT_COLUMNS, 1));
    part->block_end = g_try_new(gint64, MAX(part->n_blocks, 1));
    if (part->blocks == NULL || part->block_end == NULL)
        return FALSE;
    for (gsize b = 0; b < part->n_blocks; b++) {
        const gsize skipped = b == 0 ? pad : 0, n = PM_PACKED_BLOCK - skipped;
        for (guint c = 0; c < PM_N_WAIT_COLUMNS; c++) {
            take_values(hand, c, first, n, values + skipped);
            for (gsize i = 0; i < skipped; i++)
                values[i] = values[skipped];
            if (!pm_packed_store_add(&hand->store, values, PM_PACKED_BLOCK,
                                     &part->blocks[c * part->n_blocks + b]))
                return FALSE;
        }
        gint64 last = G_MININT64;
        for (gsize i = first; i < first + n; i++)
            last = MAX(last, begins[hand->items[i].row] + lengths[hand->items[i].row]);
        part->block_end[b] = last;
        first += n;
    }
    return TRUE;
}

void pm_column_builder_add(PmColumnBuilder *pile, guint nth, PmColumnPart *hand, gint64 limit)
{
    PmColumnRows *rows = &hand->rows;

    g_mutex_lock(&pile->lock);
    while (pile->next != nth)
        g_cond_wait(&pile->turn, &pile->lock);
    const PmColumnRows carried = pile->carried;
    const gint64 most = pile->limit;
    pile->carried = (PmColumnRows){0};
    g_mutex_unlock(&pile->lock);

    /* Nobody else's turn: what is carried is ours. Rows that come too late are cut off first. */
    const gsize n_own = rows->n;
    append_all(rows, &carried);
    gboolean done = !rows->failed && !carried.failed && rows->n < G_MAXUINT32 && make_items(hand);
    hand->carried.n = hand->n = 0;
    if (done) {
        const gint64 *begins = PM_BUILDER_COLUMN(rows, gint64, BEGIN);
        for (gsize i = 0; i < rows->n; i++) {
            if (i < n_own && begins[i] > most)
                continue;
            if (limit == G_MININT64 || begins[i] > limit)
                hand->items[hand->n++] =
                    (Item){(guint64)begins[i] - (guint64)G_MININT64, (guint32)i};
            else
                append_row(&hand->carried, rows, i);
        }
        sort_items(hand);
    }
    /* Whole blocks only, but for the last turn. */
    gsize first = limit == G_MININT64 ? 0 : hand->n % PM_PACKED_BLOCK;
    gsize pad = 0;
    for (gsize i = 0; i < first; i++)
        append_row(&hand->carried, rows, hand->items[i].row);
    if (limit == G_MININT64 && hand->n % PM_PACKED_BLOCK != 0)
        pad = PM_PACKED_BLOCK - hand->n % PM_PACKED_BLOCK;
    done = done && !hand->carried.failed;

    g_mutex_lock(&pile->lock);
    pile->carried = hand->carried;
    hand->carried = carried; /* its memory */
    pile->limit = MIN(most, limit == G_MININT64 ? most : limit);
    pile->n += done ? hand->n - first : 0;
    pile->pad = pad;
    pile->failed = pile->failed || !done;
    pile->next = nth + 1;
    g_cond_broadcast(&pile->turn);
    g_mutex_unlock(&pile->lock);

    Part part = {0};
    done = done && pack(hand, first, pad, &part);
    rows->n = 0;
    rows->failed = FALSE;
    hand->carried.failed = FALSE;
    g_mutex_lock(&pile->lock);
    pile->failed = pile->failed || !done;
    if (pile->parts->len <= nth)
        g_array_set_size(pile->parts, nth + 1);
    g_array_index(pile->parts, Part, nth) = part;
    g_ptr_array_add(pile->free_hands, hand);
    g_mutex_unlock(&pile->lock);
}

gboolean pm_column_builder_end(PmColumnBuilder *pile, PmWaits *ret_waits, gint64 **ret_block_end,
                               GArray **ret_stores)
{
    gsize n_blocks = 0;

    if (pile->failed)
        return FALSE;
    for (guint i = 0; i < pile->parts->len; i++)
        n_blocks += g_array_index(pile->parts, Part, i).n_blocks;
    *ret_waits = (PmWaits){.n = pile->n};
    *ret_block_end = g_new(gint64, MAX(n_blocks, 1));
    for (guint c = 0; c < PM_N_WAIT_COLUMNS; c++)
        ret_waits->columns[c] = (PmPacked){.n = pile->n,
                                           .pad = pile->pad,
                                           .blocks = g_new(PmPackedBlock, MAX(n_blocks, 1)),
                                           .n_blocks = n_blocks,
                                           .blocks_room = n_blocks};
    gsize at = 0;
    for (guint i = pile->parts->len; i-- > 0;) {
        const Part *part = &g_array_index(pile->parts, Part, i);
        if (part->n_blocks == 0)
            continue;
        for (guint c = 0; c < PM_N_WAIT_COLUMNS; c++)
            memcpy(ret_waits->columns[c].blocks + at, part->blocks + c * part->n_blocks,
                   part->n_blocks * sizeof *part->blocks);
        memcpy(*ret_block_end + at, part->block_end, part->n_blocks * sizeof *part->block_end);
        at += part->n_blocks;
    }
    *ret_stores = g_array_new(FALSE, FALSE, sizeof(PmPackedStore));
    for (guint i = 0; i < pile->hands->len; i++) {
        PmColumnPart *hand = g_ptr_array_index(pile->hands, i);
        pm_packed_store_trim(&hand->store);
        g_array_append_val(*ret_stores, hand->store);
        hand->store = (PmPackedStore){0};
    }
    return TRUE;
}
