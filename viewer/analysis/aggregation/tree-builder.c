#include "viewer/analysis/aggregation/tree-builder.h"

#include <string.h>

#include "viewer/analysis/base/cancel.h"
#include "viewer/analysis/base/region.h"
#include "viewer/analysis/base/sum.h"

static guint64 hash_of(guint32 parent, guint64 key)
{
    guint64 h = (key ^ (guint64)parent << 40) * G_GUINT64_CONSTANT(0x9E3779B97F4A7C15);
    h ^= parent * G_GUINT64_CONSTANT(0xD6E8FEB86659FD93);
    return h ^ h >> 32;
}

#define FEWEST_SLOTS 1024

static gsize slot_of(const PmTreeBuilder *b, guint32 parent, guint64 key)
{
    gsize at = hash_of(parent, key) & (b->n_slots - 1);

    for (; b->slots[at] != 0; at = (at + 1) & (b->n_slots - 1)) {
        const PmTreeSum *node = pm_tree_builder_node(b, b->slots[at]);
        if (node->key == key && node->parent == parent)
            break;
    }
    return at;
}

static void builder_grow(PmTreeBuilder *b)
{
    g_free(b->slots);
    b->n_slots = MAX(2 * b->n_slots, FEWEST_SLOTS);
    b->slots = g_new0(guint32, b->n_slots);
    for (guint32 i = 1; i < b->nodes->len; i++) { /* the root is nobody's child */
        const PmTreeSum *node = pm_tree_builder_node(b, i);
        b->slots[slot_of(b, node->parent, node->key)] = i;
    }
}

guint32 pm_tree_builder_child(PmTreeBuilder *b, guint32 parent, guint64 key, guint32 level)
{
    const gsize at = slot_of(b, parent, key);
    const guint32 index = b->nodes->len;
    const PmTreeSum node = {.key = key, .parent = parent, .level = (guint8)level};

    if (b->slots[at] != 0)
        return b->slots[at];
    g_array_append_val(b->nodes, node);
    b->slots[at] = index;
    if ((gsize)b->nodes->len * 2 > b->n_slots)
        builder_grow(b);
    return index;
}

/* Most nodes have one category: a table of all for each would be twice as big as the rest. */
void pm_tree_builder_add_time(PmTreeBuilder *b, guint32 index, guint category, gint64 time)
{
    PmTreeSum *node = pm_tree_builder_node(b, index);

    if (time == 0)
        return;
    if (node->time == 0 && node->categories == 0)
        node->category = (guint8)category;
    if (node->category != category && node->categories == 0) {
        node->categories = b->categories->len / PM_N_CATEGORIES + 1;
        g_array_set_size(b->categories, node->categories * PM_N_CATEGORIES);
        g_array_index(b->categories, gint64,
                      (gsize)(node->categories - 1) * PM_N_CATEGORIES + node->category) =
            node->time;
    }
    if (node->categories != 0)
        pm_sum_add(&g_array_index(b->categories, gint64,
                                  (gsize)(node->categories - 1) * PM_N_CATEGORIES + category),
                   time);
    pm_sum_add(&node->time, time);
}

void pm_tree_builder_join_time(PmTreeBuilder *b, guint32 index, const PmTreeBuilder *from,
                               guint32 from_index)
{
    const PmTreeSum *node = pm_tree_builder_node(from, from_index);

    if (node->categories == 0)
        pm_tree_builder_add_time(b, index, node->category, node->time);
    for (guint c = 0; node->categories != 0 && c < PM_N_CATEGORIES; c++)
        pm_tree_builder_add_time(b, index, c, pm_tree_builder_category(from, from_index, c));
}

void pm_tree_builder_clear(PmTreeBuilder *b)
{
    g_array_unref(b->nodes);
    g_array_unref(b->categories);
    g_free(b->slots);
}

void pm_tree_builder_init(PmTreeBuilder *b)
{
    *b = (PmTreeBuilder){.nodes = g_array_new(FALSE, TRUE, sizeof(PmTreeSum)),
                         .categories = g_array_new(FALSE, TRUE, sizeof(gint64))};
    g_array_set_size(b->nodes, 1);
    builder_grow(b);
}

void pm_tree_builder_reserve(PmTreeBuilder *b, guint32 n)
{
    const PmTreeSum root = {0};

    g_array_unref(b->nodes);
    b->nodes = pm_region_array(sizeof(PmTreeSum), n + 1);
    g_array_append_val(b->nodes, root);
    while (b->n_slots < 2 * (gsize)n)
        b->n_slots *= 2;
    g_free(b->slots);
    b->slots = g_new0(guint32, b->n_slots);
}

/* Where waits with the same values in the columns that decide their keys go: most are like one
 * before. */
#define MOST_COLUMNS 4
#define N_RECENT     4096

typedef struct {
    guint32 values[MOST_COLUMNS];
    guint32 leaf; /* 0: none */
} Recent;

typedef struct {
    guint n; /* 0: too many of them, or none */
    enum pm_wait_column columns[MOST_COLUMNS];
    gboolean misses[MOST_COLUMNS]; /* a value of 0 does not decide */
} Columns;

static Columns columns_of(PmTreePath path)
{
    Columns c = {0};

    for (guint level = 0; level < path.n; level++) {
        const PmAspectRow *row = &pm_aspects[path.aspects[level]];
        guint i = 0;
        while (i < c.n && c.columns[i] != row->column)
            i++;
        if (row->split != PM_SPLIT_NONE || i == MOST_COLUMNS)
            return (Columns){0};
        c.columns[i] = row->column;
        c.misses[i] = c.misses[i] || row->missing_key != NULL;
        c.n = MAX(c.n, i + 1);
    }
    return c;
}

/* Waits that are read at once; each column from the first of the rows on. */
typedef struct {
    PmViewRows rows;
    gint64 begins[PM_VIEW_SPAN], lengths[PM_VIEW_SPAN], categories[PM_VIEW_SPAN];
    gint64 values[MOST_COLUMNS][PM_VIEW_SPAN];
} Chunk;

static void chunk_read(Chunk *chunk, const PmView *view, const Columns *c, gsize at, gsize most)
{
    const PmWaits *w = &view->recording->waits;
    PmViewRows *rows = &chunk->rows;

    pm_view_rows(view, at, most, rows);
    pm_wait_columns(w, PM_WAIT_COLUMN_BEGIN, rows->first, rows->span, chunk->begins);
    pm_wait_columns(w, PM_WAIT_COLUMN_LENGTH, rows->first, rows->span, chunk->lengths);
    pm_wait_columns(w, PM_WAIT_COLUMN_CATEGORY, rows->first, rows->span, chunk->categories);
    for (guint i = 0; i < c->n; i++)
        pm_wait_columns(w, c->columns[i], rows->first, rows->span, chunk->values[i]);
}

/* The place of the values of the chunk's wait; NULL: they do not decide. */
static Recent *recent_of(const Columns *c, const Chunk *chunk, gsize offset, Recent *recents,
                         guint32 values[MOST_COLUMNS])
{
    guint64 hash = 0;

    for (guint i = 0; i < c->n; i++) {
        values[i] = (guint32)chunk->values[i][offset];
        if (values[i] == 0 && c->misses[i])
            return NULL;
        hash = (hash ^ values[i]) * G_GUINT64_CONSTANT(0x9E3779B97F4A7C15);
    }
    return c->n > 0 ? &recents[hash >> 52] : NULL;
}

/* The leaf that a wait belongs to. */
static guint32 leaf_of(PmTreeBuilder *b, PmTreePath path, const PmRecording *r, guint32 row)
{
    guint32 at = 0;

    for (guint level = 0; level < path.n; level++)
        at = pm_tree_builder_child(b, at, pm_aspect_key(r, path.aspects[level], row), level + 1);
    return at;
}

/* Every wait has one path: only leaves are added to, their sums rise to the root at the end. */
static inline void add_time(PmTreeBuilder *b, guint32 leaf, gint64 time, gint64 category)
{
    PmTreeSum *node = pm_tree_builder_node(b, leaf);

    node->count++;
    node->longest = MAX(node->longest, time);
    pm_tree_builder_add_time(b, leaf, (guint)MIN(category, PM_CATEGORY_OTHER), time);
}

void pm_tree_builder_add_row(PmTreeBuilder *b, PmTreePath path, const PmView *view, guint32 row)
{
    const PmRecording *r = view->recording;

    add_time(b, leaf_of(b, path, r, row), pm_view_clip(view, row),
             pm_wait_category(&r->waits, row));
}

static void add_wait(PmTreeBuilder *b, PmTreePath path, const PmView *view, const Chunk *chunk,
                     gsize offset, const Columns *columns, Recent *recents)
{
    guint32 values[MOST_COLUMNS] = {0};
    Recent *recent = recent_of(columns, chunk, offset, recents, values);
    guint32 at = recent && memcmp(recent->values, values, sizeof values) == 0 ? recent->leaf : 0;
    if (at == 0) {
        at = leaf_of(b, path, view->recording, (guint32)(chunk->rows.first + offset));
        if (recent) {
            memcpy(recent->values, values, sizeof values);
            recent->leaf = at;
        }
    }
    const gint64 begin = chunk->begins[offset], end = begin + chunk->lengths[offset];
    add_time(b, at, MAX(MIN(end, view->to) - MAX(begin, view->from), 0), chunk->categories[offset]);
}

gboolean pm_tree_builder_add(PmTreeBuilder *b, PmTreePath path, const PmView *view, gsize first,
                             gsize end, const guint32 *except, guint n_except, gsize most,
                             const gint *cancel)
{
    const Columns columns = columns_of(path);
    g_autofree Recent *recents = g_new0(Recent, N_RECENT);
    g_autofree Chunk *chunk = g_new(Chunk, 1);

    for (gsize i = first; i < end; i += chunk->rows.n) {
        if (pm_cancelled(cancel) || b->nodes->len > most)
            return FALSE;
        chunk_read(chunk, view, &columns, i, end - i);
        for (gsize k = 0; k < chunk->rows.n; k++) {
            const gsize offset = chunk->rows.offsets[k];
            if (n_except > 0 && chunk->rows.first + offset == *except) {
                except++;
                n_except--;
                continue;
            }
            add_wait(b, path, view, chunk, offset, &columns, recents);
        }
    }
    return TRUE;
}
