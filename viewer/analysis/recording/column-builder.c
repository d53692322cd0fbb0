#include "viewer/analysis/recording/column-builder.h"

#include <string.h>

#include "viewer/analysis/base/sort.h"

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
        if (!more) {
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

void pm_column_rows_leave_out(PmColumnRows *rows, gsize first, gint64 until)
{
    const gint64 *begins = PM_BUILDER_COLUMN(rows, gint64, BEGIN);
    const gint64 *lengths = PM_BUILDER_COLUMN(rows, gint64, LENGTH);
    const gsize n = rows->n;

    rows->n = first;
    for (gsize i = first; i < n; i++) {
        if (begins[i] + lengths[i] <= until)
            continue;
        if (i == rows->n)
            rows->n++;
        else
            append_row(rows, rows, i);
    }
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

/* ---- the builder ---- */

typedef struct {
    gint64 begin;
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
} Packed;

struct PmColumnBuilder {
    GMutex lock;
    GCond advanced;       /* `next` is */
    guint next;           /* the part to be added */
    PmColumnRows carried; /* to that one */
    gint64 limit;         /* promised by the one before */
    GPtrArray *parts, *free_parts;
    GArray *packed; /* of Packed, in the order they are added */
    gsize n, pad;
    gboolean failed;
};

PmColumnBuilder *pm_column_builder_new(void)
{
    PmColumnBuilder *builder = g_new0(PmColumnBuilder, 1);
    g_mutex_init(&builder->lock);
    g_cond_init(&builder->advanced);
    builder->parts = g_ptr_array_new();
    builder->free_parts = g_ptr_array_new();
    builder->packed = g_array_new(FALSE, TRUE, sizeof(Packed));
    builder->limit = G_MAXINT64;
    return builder;
}

static void part_free(PmColumnPart *part)
{
    pm_column_rows_clear(&part->rows);
    pm_column_rows_clear(&part->carried);
    g_free(part->items);
    g_free(part->other);
    pm_packed_store_clear(&part->store);
    g_free(part);
}

void pm_column_builder_free(PmColumnBuilder *builder)
{
    if (!builder)
        return;
    for (guint i = 0; i < builder->parts->len; i++)
        part_free(g_ptr_array_index(builder->parts, i));
    for (guint i = 0; i < builder->packed->len; i++) {
        g_free(g_array_index(builder->packed, Packed, i).blocks);
        g_free(g_array_index(builder->packed, Packed, i).block_end);
    }
    g_ptr_array_unref(builder->parts);
    g_ptr_array_unref(builder->free_parts);
    g_array_unref(builder->packed);
    pm_column_rows_clear(&builder->carried);
    g_mutex_clear(&builder->lock);
    g_cond_clear(&builder->advanced);
    g_free(builder);
}

PmColumnPart *pm_column_builder_part(PmColumnBuilder *builder)
{
    PmColumnPart *part = NULL;
    g_mutex_lock(&builder->lock);
    if (builder->free_parts->len > 0)
        part = g_ptr_array_steal_index(builder->free_parts, builder->free_parts->len - 1);
    g_mutex_unlock(&builder->lock);
    if (part)
        return part;
    part = g_new0(PmColumnPart, 1);
    g_mutex_lock(&builder->lock);
    g_ptr_array_add(builder->parts, part);
    g_mutex_unlock(&builder->lock);
    return part;
}

PmColumnRows *pm_column_part_rows(PmColumnPart *part)
{
    return &part->rows;
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

static void sort_items(PmColumnPart *part)
{
    const gsize n = part->n;
    Item *items = pm_sort_radix(part->items, part->other, n, sizeof *items);

    if (items != part->items)
        part->other = part->items;
    part->items = items;
    for (gsize i = 1; i < n; i++) {
        const Item item = items[i];
        gsize j = i;
        while (j > 0 && items[j - 1].begin == item.begin &&
               compare(&part->rows, items[j - 1].row, item.row) > 0) {
            items[j] = items[j - 1];
            j--;
        }
        items[j] = item;
    }
}

static gboolean make_items(PmColumnPart *part)
{
    if (part->rows.n <= part->room)
        return TRUE;
    g_free(part->items);
    g_free(part->other);
    part->room = part->rows.n + part->rows.n / 4;
    part->items = g_try_new(Item, part->room);
    part->other = g_try_new(Item, part->room);
    if (part->items && part->other)
        return TRUE;
    part->room = 0;
    return FALSE;
}

/* A column's values of `n` rows. */
static void take_values(const PmColumnRows *all, guint column, const guint32 *rows, gsize n,
                        gint64 *values)
{
    const void *from = all->columns[column];

    switch (widths[column]) {
    case -8:
        for (gsize i = 0; i < n; i++)
            values[i] = ((const gint64 *)from)[rows[i]];
        break;
    case -4:
        for (gsize i = 0; i < n; i++)
            values[i] = ((const gint32 *)from)[rows[i]];
        break;
    case 4:
        for (gsize i = 0; i < n; i++)
            values[i] = ((const guint32 *)from)[rows[i]];
        break;
    case 2:
        for (gsize i = 0; i < n; i++)
            values[i] = ((const guint16 *)from)[rows[i]];
        break;
    default:
        for (gsize i = 0; i < n; i++)
            values[i] = ((const guint8 *)from)[rows[i]];
    }
}

/* Packs the items from `first` on; the first block begins with `pad` values that are no row's. */
static gboolean pack(PmColumnPart *part, gsize first, gsize pad, Packed *packed)
{
    const gint64 *begins = PM_BUILDER_COLUMN(&part->rows, gint64, BEGIN);
    const gint64 *lengths = PM_BUILDER_COLUMN(&part->rows, gint64, LENGTH);
    gint64 values[PM_PACKED_BLOCK];
    guint32 rows[PM_PACKED_BLOCK];

    packed->n_blocks = (part->n - first + pad) / PM_PACKED_BLOCK;
    packed->blocks = g_try_new(PmPackedBlock, MAX(packed->n_blocks * PM_N_WAIT_COLUMNS, 1));
    packed->block_end = g_try_new(gint64, MAX(packed->n_blocks, 1));
    if (!packed->blocks || !packed->block_end)
        return FALSE;
    for (gsize b = 0; b < packed->n_blocks; b++) {
        const gsize skipped = b == 0 ? pad : 0, n = PM_PACKED_BLOCK - skipped;
        for (gsize i = 0; i < n; i++)
            rows[i] = part->items[first + i].row;
        for (guint c = 0; c < PM_N_WAIT_COLUMNS; c++) {
            take_values(&part->rows, c, rows, n, values + skipped);
            for (gsize i = 0; i < skipped; i++)
                values[i] = values[skipped];
            if (!pm_packed_store_add(&part->store, values, PM_PACKED_BLOCK,
                                     &packed->blocks[c * packed->n_blocks + b]))
                return FALSE;
        }
        gint64 last = G_MININT64;
        for (gsize i = 0; i < n; i++)
            last = MAX(last, begins[rows[i]] + lengths[rows[i]]);
        packed->block_end[b] = last;
        first += n;
    }
    return TRUE;
}

void pm_column_builder_add(PmColumnBuilder *builder, guint nth, PmColumnPart *part, gint64 limit)
{
    PmColumnRows *rows = &part->rows;

    g_mutex_lock(&builder->lock);
    while (builder->next != nth)
        g_cond_wait(&builder->advanced, &builder->lock);
    const PmColumnRows carried = builder->carried;
    const gint64 most = builder->limit;
    builder->carried = (PmColumnRows){0};
    g_mutex_unlock(&builder->lock);

    /* Until `next` advances what is carried is ours. Rows that come too late are cut off first. */
    const gsize n_own = rows->n;
    append_all(rows, &carried);
    gboolean done = !rows->failed && !carried.failed && rows->n < G_MAXUINT32 && make_items(part);
    part->carried.n = part->n = 0;
    if (done) {
        const gint64 *begins = PM_BUILDER_COLUMN(rows, gint64, BEGIN);
        for (gsize i = 0; i < rows->n; i++) {
            if (i < n_own && begins[i] > most)
                continue;
            if (limit == G_MININT64 || begins[i] > limit)
                part->items[part->n++] = (Item){begins[i], (guint32)i};
            else
                append_row(&part->carried, rows, i);
        }
        sort_items(part);
    }
    /* Whole blocks only, but for the last part. */
    gsize first = limit == G_MININT64 ? 0 : part->n % PM_PACKED_BLOCK;
    gsize pad = 0;
    for (gsize i = 0; i < first; i++)
        append_row(&part->carried, rows, part->items[i].row);
    if (limit == G_MININT64 && part->n % PM_PACKED_BLOCK != 0)
        pad = PM_PACKED_BLOCK - part->n % PM_PACKED_BLOCK;
    done = done && !part->carried.failed;

    g_mutex_lock(&builder->lock);
    builder->carried = part->carried;
    part->carried = carried; /* its memory */
    builder->limit = MIN(most, limit == G_MININT64 ? most : limit);
    builder->n += done ? part->n - first : 0;
    builder->pad = pad;
    builder->failed = builder->failed || !done;
    builder->next = nth + 1;
    g_cond_broadcast(&builder->advanced);
    g_mutex_unlock(&builder->lock);

    Packed packed = {0};
    done = done && pack(part, first, pad, &packed);
    rows->n = 0;
    rows->failed = FALSE;
    part->carried.failed = FALSE;
    g_mutex_lock(&builder->lock);
    builder->failed = builder->failed || !done;
    if (builder->packed->len <= nth)
        g_array_set_size(builder->packed, nth + 1);
    g_array_index(builder->packed, Packed, nth) = packed;
    g_ptr_array_add(builder->free_parts, part);
    g_mutex_unlock(&builder->lock);
}

gboolean pm_column_builder_end(PmColumnBuilder *builder, PmWaits *ret_waits, gint64 **ret_block_end,
                               GArray **ret_stores)
{
    gsize n_blocks = 0;

    if (builder->failed)
        return FALSE;
    for (guint i = 0; i < builder->packed->len; i++)
        n_blocks += g_array_index(builder->packed, Packed, i).n_blocks;
    *ret_waits = (PmWaits){.n = builder->n};
    *ret_block_end = g_new(gint64, MAX(n_blocks, 1));
    for (guint c = 0; c < PM_N_WAIT_COLUMNS; c++)
        ret_waits->columns[c] = (PmPacked){.n = builder->n,
                                           .pad = builder->pad,
                                           .blocks = g_new(PmPackedBlock, MAX(n_blocks, 1)),
                                           .n_blocks = n_blocks,
                                           .blocks_room = n_blocks};
    gsize at = 0;
    for (guint i = builder->packed->len; i-- > 0;) {
        const Packed *packed = &g_array_index(builder->packed, Packed, i);
        if (packed->n_blocks == 0)
            continue;
        for (guint c = 0; c < PM_N_WAIT_COLUMNS; c++)
            memcpy(ret_waits->columns[c].blocks + at, packed->blocks + c * packed->n_blocks,
                   packed->n_blocks * sizeof *packed->blocks);
        memcpy(*ret_block_end + at, packed->block_end,
               packed->n_blocks * sizeof *packed->block_end);
        at += packed->n_blocks;
    }
    *ret_stores = g_array_new(FALSE, FALSE, sizeof(PmPackedStore));
    for (guint i = 0; i < builder->parts->len; i++) {
        PmColumnPart *part = g_ptr_array_index(builder->parts, i);
        pm_packed_store_trim(&part->store);
        g_array_append_val(*ret_stores, part->store);
        part->store = (PmPackedStore){0};
    }
    return TRUE;
}
