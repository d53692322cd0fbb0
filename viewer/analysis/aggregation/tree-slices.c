#include "viewer/analysis/aggregation/tree-slices.h"

#include <string.h>

#include "viewer/analysis/aggregation/slices.h"
#include "viewer/analysis/recording/recording-private.h"
#include "viewer/analysis/base/cancel.h"
#include "viewer/analysis/base/sum.h"
#include "viewer/analysis/base/workers.h"

/* Slices with more than one node of so many rows are not kept: then the rows are as quick. */
#define NODES_OF  16
#define FEW_NODES 64 /* besides */
#define KEPT      2

guint pm_tree_slices_most_children = 4096;

/* Of a leaf and a category, in a slice. */
typedef struct {
    guint32 leaf, count, category; /* how many are of the leaf, in the first of its cells; */
    gint64 longest, time;          /* so is the longest */
} Cell;

typedef struct {
    const PmSlices *slices; /* the view's */
    guint n_aspects;
    PmAspect aspects[PM_N_ASPECTS];
    gboolean too_many, any_closed;
    GMutex lock;
    PmTreeBuilder leaves; /* all of them, without sums; under the lock while slices are made */
    GArray **cells;       /* of Cell; by slice */
} TreeSlices;

static void tree_slices_clear(gpointer data)
{
    TreeSlices *t = data;

    for (guint s = 0; t->cells && s < t->slices->n; s++)
        if (t->cells[s])
            g_array_unref(t->cells[s]);
    g_free(t->cells);
    pm_tree_builder_clear(&t->leaves);
    g_mutex_clear(&t->lock);
}

static void tree_slices_unref(gpointer data)
{
    g_atomic_rc_box_release_full(data, tree_slices_clear);
}

/* ---- made ---- */

/* Those of a slice that last behind it, in order: the last of what is carried into the next one. */
static const guint32 *lasting(const PmSlices *slices, guint slice, guint *ret_n)
{
    *ret_n = 0;
    if (slice + 1 == slices->n)
        return NULL;
    const guint32 first = pm_view_row(slices->view, pm_slices_begin(slices, slice));
    gsize at = slices->carried_starts[slice + 2];
    while (at > slices->carried_starts[slice + 1] && slices->carried[at - 1] >= first)
        at--;
    *ret_n = (guint)(slices->carried_starts[slice + 2] - at);
    return slices->carried + at;
}

typedef struct {
    TreeSlices *of;
    PmTreePath path;
    const gint *cancel;
    gint too_many; /* atomic */
} Making;

/* For each node the closed one that it lies under, or itself. Owned. */
static guint32 *closed_above(const PmTreeBuilder *b)
{
    guint32 *above = g_new0(guint32, b->nodes->len);

    for (guint32 i = 1; i < b->nodes->len; i++) {
        const guint32 parent = pm_tree_builder_node(b, i)->parent;
        above[i] = above[parent] != parent || pm_tree_builder_node(b, parent)->is_closed
                       ? above[parent]
                       : i;
    }
    return above;
}

/* Adds what lies under closed nodes to these. Returns as closed_above. */
static guint32 *close_nodes(PmTreeBuilder *b)
{
    g_autofree guint32 *n_children = g_new0(guint32, b->nodes->len);

    for (guint32 i = 1; i < b->nodes->len; i++) {
        const guint32 parent = pm_tree_builder_node(b, i)->parent;
        if (++n_children[parent] > pm_tree_slices_most_children && parent > 0)
            pm_tree_builder_node(b, parent)->is_closed = TRUE;
    }
    guint32 *above = closed_above(b);
    for (guint32 i = 1; i < b->nodes->len; i++) {
        const PmTreeSum *node = pm_tree_builder_node(b, i);
        PmTreeSum *to = pm_tree_builder_node(b, above[i]);
        if (above[i] == i)
            continue;
        to->count += node->count;
        to->longest = MAX(to->longest, node->longest);
        pm_tree_builder_join_time(b, above[i], b, i);
    }
    return above;
}

static void take_leaves(Making *m, PmTreeBuilder *b, GArray *cells)
{
    g_autofree guint32 *places = g_new0(guint32, b->nodes->len), *above = close_nodes(b);

    g_mutex_lock(&m->of->lock);
    for (guint32 i = 1; i < b->nodes->len; i++) {
        const PmTreeSum *node = pm_tree_builder_node(b, i);
        if (above[i] != i)
            continue;
        places[i] =
            pm_tree_builder_child(&m->of->leaves, places[node->parent], node->key, node->level);
        if (node->is_closed)
            pm_tree_builder_node(&m->of->leaves, places[i])->is_closed = m->of->any_closed = TRUE;
    }
    g_mutex_unlock(&m->of->lock);
    for (guint32 i = 0; i < b->nodes->len; i++) {
        const PmTreeSum *node = pm_tree_builder_node(b, i);
        if (above[i] != i)
            continue;
        Cell cell = {.leaf = places[i], .count = (guint32)node->count, .longest = node->longest};
        for (guint c = 0; c < PM_N_CATEGORIES; c++) {
            cell.category = c;
            cell.time = pm_tree_builder_category(b, i, c);
            if (cell.time == 0)
                continue;
            g_array_append_val(cells, cell);
            cell.count = 0;
            cell.longest = 0;
        }
        if (cell.count > 0) { /* none of them of any length */
            cell.time = 0;
            g_array_append_val(cells, cell);
        }
    }
}

static void make_slice(gpointer data, guint index)
{
    Making *m = data;
    const PmSlices *slices = m->of->slices;
    const gsize most = slices->rows_each / NODES_OF + FEW_NODES;
    PmTreeBuilder b;
    guint n;

    if (g_atomic_int_get(&m->too_many))
        return;
    pm_tree_builder_init(&b);
    const guint32 *except = lasting(slices, index, &n);
    if (pm_tree_builder_add(&b, m->path, slices->view, pm_slices_begin(slices, index),
                            pm_slices_end(slices, index), except, n, most, m->cancel)) {
        m->of->cells[index] = g_array_sized_new(FALSE, FALSE, sizeof(Cell), b.nodes->len);
        take_leaves(m, &b, m->of->cells[index]);
    } else {
        g_atomic_int_set(&m->too_many, 1);
    }
    pm_tree_builder_clear(&b);
}

/* A node that is closed in one slice is so in all. */
static void close_in_all(TreeSlices *t)
{
    g_autofree guint32 *above = closed_above(&t->leaves);

    for (guint s = 0; s < t->slices->n; s++)
        for (guint i = 0; i < t->cells[s]->len; i++) {
            Cell *cell = &g_array_index(t->cells[s], Cell, i);
            cell->leaf = above[cell->leaf];
        }
}

/* NULL: cancelled. */
static TreeSlices *tree_slices_new(const PmSlices *slices, PmTreePath path, const gint *cancel)
{
    TreeSlices *t = g_atomic_rc_box_new0(TreeSlices);
    Making m = {.of = t, .path = path, .cancel = cancel};

    t->slices = slices;
    t->n_aspects = path.n;
    memcpy(t->aspects, path.aspects, path.n * sizeof *path.aspects);
    g_mutex_init(&t->lock);
    pm_tree_builder_init(&t->leaves);
    t->cells = g_new0(GArray *, slices->n);
    pm_workers_run(0, slices->n, make_slice, &m);
    if (pm_cancelled(cancel)) {
        tree_slices_unref(t);
        return NULL;
    }
    t->too_many = m.too_many;
    if (t->too_many) {
        for (guint s = 0; s < slices->n; s++)
            if (t->cells[s])
                g_array_unref(t->cells[s]);
        g_clear_pointer(&t->cells, g_free);
    } else if (t->any_closed) {
        close_in_all(t);
    }
    return t;
}

/* ---- kept ---- */

static gpointer list_new(gpointer data)
{
    return g_ptr_array_new_with_free_func(tree_slices_unref);
}

/* Of a path, the last ones asked for are kept. A reference; NULL: there are none. */
static TreeSlices *tree_slices_of(PmView *whole, PmTreePath path, const gint *cancel)
{
    const PmSlices *slices = pm_slices_of(whole, cancel);
    if (!slices)
        return NULL;
    GPtrArray *list =
        pm_kept(&whole->trees, list_new, NULL, (GDestroyNotify)g_ptr_array_unref, NULL);
    TreeSlices *found = NULL;
    g_mutex_lock(&whole->trees.lock);
    for (guint i = 0; i < list->len && !found; i++) {
        TreeSlices *t = g_ptr_array_index(list, i);
        if (t->n_aspects == path.n &&
            memcmp(t->aspects, path.aspects, path.n * sizeof *path.aspects) == 0)
            found = g_atomic_rc_box_acquire(t);
    }
    g_mutex_unlock(&whole->trees.lock);
    if (!found && (found = tree_slices_new(slices, path, cancel))) {
        g_mutex_lock(&whole->trees.lock);
        if (list->len == KEPT)
            g_ptr_array_remove_index(list, 0);
        g_ptr_array_add(list, g_atomic_rc_box_acquire(found));
        g_mutex_unlock(&whole->trees.lock);
    }
    if (found && found->too_many)
        g_clear_pointer(&found, tree_slices_unref);
    return found;
}

/* ---- added ---- */

/* Where a leaf of slices, or what is above it, is in a tree. */
static guint32 place_of(const TreeSlices *t, guint32 *places, PmTreeBuilder *b, guint32 i)
{
    if (i > 0 && places[i] == 0) {
        const PmTreeSum *node = pm_tree_builder_node(&t->leaves, i);
        places[i] =
            pm_tree_builder_child(b, place_of(t, places, b, node->parent), node->key, node->level);
        pm_tree_builder_node(b, places[i])->is_closed = node->is_closed;
    }
    return places[i];
}

/* What the slices of the range add up to; `b` is empty. */
static void add_cells(const TreeSlices *t, const PmSliceRange *range, PmTreeBuilder *b)
{
    const guint32 n = t->leaves.nodes->len;
    g_autofree guint32 *places = g_new0(guint32, n);

    pm_tree_builder_reserve(
        b, (guint32)((guint64)n * (range->inner_end - range->inner) / t->slices->n) + 1);
    for (guint s = range->inner; s < range->inner_end; s++)
        for (guint i = 0; i < t->cells[s]->len; i++) {
            const Cell *cell = &g_array_index(t->cells[s], Cell, i);
            const guint32 place = place_of(t, places, b, cell->leaf);
            PmTreeSum *sum = pm_tree_builder_node(b, place);
            sum->count += cell->count;
            sum->longest = MAX(sum->longest, cell->longest);
            pm_tree_builder_add_time(b, place, cell->category, cell->time);
        }
}

gboolean pm_tree_slices_add(PmView *view, PmTreePath path, gboolean may_be_closed, PmTreeBuilder *b,
                            gsize *ret_begin, gsize *ret_end, const gint *cancel)
{
    PmView *whole = view->whole ? view->whole : view;
    TreeSlices *t = tree_slices_of(whole, path, cancel);
    if (!t || (t->any_closed && !may_be_closed)) {
        g_clear_pointer(&t, tree_slices_unref);
        return FALSE;
    }
    g_autoptr(PmSliceRange) range = pm_slice_range_new(t->slices, view->from, view->to);
    const gboolean is_whole = range->whole_first && range->whole_last;
    const gsize n_carried = range->carried->len;
    const gsize first_end = MIN(pm_slices_end(t->slices, range->first_slice), range->end);

    add_cells(t, range, b);
    for (guint s = range->inner; s < range->inner_end; s++) {
        guint n;
        const guint32 *rows = lasting(t->slices, s, &n);
        for (guint i = 0; i < n; i++)
            pm_tree_builder_add_row(b, path, view, rows[i]);
    }
    *ret_begin = range->whole_first ? 0 : n_carried + first_end - range->first;
    *ret_end = is_whole || (!range->whole_first && range->first_slice == range->last_slice)
                   ? view->n
                   : view->n - (range->end - pm_slices_begin(t->slices, range->last_slice));
    tree_slices_unref(t);
    return TRUE;
}
