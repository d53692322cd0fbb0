/* A long list of integers in few bits, appended once and then read at random. Each block of
 * PM_PACKED_BLOCK values has a straight line below all of them, and for each value its distance
 * from the line, in as many bits as the largest distance needs. The line rises if the values do, as
 * instants in order of time; otherwise it is level. A column of waits that follow each other in
 * time takes between a tenth and a half of its plain array.
 *
 *   j = i + pad, block = blocks[j / 4096]
 *   value i = base + (j % 4096) · slope + width bits of its data, from bit (j % 4096) · width on
 *
 * Reading is one load, without a branch; a width between 57 and 63, whose bits could span nine
 * bytes, is stored as 64. Immutable after the last append, so it can be shared between threads. */
#pragma once

#include <glib.h>
#include <string.h>

#define PM_PACKED_BITS  12
#define PM_PACKED_BLOCK (1u << PM_PACKED_BITS)

typedef struct {
    gint64 base;
    guint64 mask; /* of the low `width` bits */
    const guint8 *data;
    guint32 width; /* bits a value: 0..56 or 64 */
    guint32 slope;
} PmPackedBlock;

/* Storage for packed bits: regions of memory that are added and never move. All zero is empty; one
 * thread at a time packs into it. */
typedef struct {
    GArray *regions;  /* of PmRegion; NULL: none */
    guint8 *at, *end; /* what is free of the last */
    gsize used, room; /* bytes */
} PmPackedStore;

void pm_packed_store_clear(PmPackedStore *store);
/* After the last block: unmaps unused memory. */
void pm_packed_store_trim(PmPackedStore *store);
/* Packs `n` values, 1 to PM_PACKED_BLOCK. FALSE: no memory. */
gboolean pm_packed_store_add(PmPackedStore *store, const gint64 *values, gsize n,
                             PmPackedBlock *ret_block);
/* The first `n` of its values. */
void pm_packed_block_read(const PmPackedBlock *block, gsize n, gint64 *ret_values);

typedef struct {
    gsize n;
    gsize pad; /* values before the first one, in its block */
    PmPackedBlock *blocks;
    gsize n_blocks, blocks_room;
    PmPackedStore store; /* its own; empty if the blocks are in another store */
} PmPacked;

/* All zero is an empty list. Appends `n` values, at most PM_PACKED_BLOCK; only the last append may
 * have fewer. FALSE: no memory. */
gboolean pm_packed_append(PmPacked *list, const gint64 *values, gsize n);
/* A whole block of one value. */
gboolean pm_packed_append_same(PmPacked *list, gint64 value);
/* Appends `n_blocks` of another list, each value plus `more`, without a copy: the other one must
 * live as long. Only whole blocks may precede; what follows the other's last value is no value. */
void pm_packed_append_blocks(PmPacked *list, const PmPacked *other, gsize first_block,
                             gsize n_blocks, gint64 more);
/* After the last append: unmaps unused memory. */
void pm_packed_trim(PmPacked *list);
void pm_packed_clear(PmPacked *list);

static inline gint64 pm_packed_get(const PmPacked *list, gsize i)
{
    const gsize j = i + list->pad;
    const PmPackedBlock *block = &list->blocks[j >> PM_PACKED_BITS];
    const gsize nth = j & (PM_PACKED_BLOCK - 1), bit = nth * block->width;
    guint64 word;

    memcpy(&word, block->data + (bit >> 3), sizeof word);
    return (gint64)((guint64)block->base + nth * block->slope + (word >> (bit & 7) & block->mask));
}

/* The `n` values from `first` on: a third of what each of them costs alone. */
void pm_packed_read(const PmPacked *list, gsize first, gsize n, gint64 *ret_values);

/* Appends one value after the other. */
typedef struct {
    PmPacked *list;
    gboolean failed; /* for want of memory; what follows is dropped */
    guint n;
    gint64 values[PM_PACKED_BLOCK];
} PmPackedWriter;

static inline void pm_packed_flush(PmPackedWriter *writer)
{
    writer->failed = writer->failed || !pm_packed_append(writer->list, writer->values, writer->n);
    writer->n = 0;
}

static inline void pm_packed_put(PmPackedWriter *writer, gint64 value)
{
    writer->values[writer->n++] = value;
    if (writer->n == PM_PACKED_BLOCK)
        pm_packed_flush(writer);
}

/* `n` times the same. */
static inline void pm_packed_put_same(PmPackedWriter *writer, gint64 value, gsize n)
{
    for (; n > 0 && (writer->n > 0 || n < PM_PACKED_BLOCK); n--)
        pm_packed_put(writer, value);
    for (; n >= PM_PACKED_BLOCK; n -= PM_PACKED_BLOCK)
        writer->failed = writer->failed || !pm_packed_append_same(writer->list, value);
    for (; n > 0; n--)
        pm_packed_put(writer, value);
}

/* After the last value. FALSE: no memory. */
static inline gboolean pm_packed_end(PmPackedWriter *writer)
{
    if (writer->n > 0)
        pm_packed_flush(writer);
    pm_packed_trim(writer->list);
    return !writer->failed;
}
