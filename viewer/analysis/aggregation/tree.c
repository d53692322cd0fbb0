#include "viewer/analysis/aggregation/tree.h"

#include <stdlib.h>
#include <string.h>

#include "viewer/analysis/aggregation/excerpt-view.h"
#include "viewer/analysis/aggregation/tree-slices.h"
#include "viewer/analysis/recording/recording-private.h"
#include "viewer/analysis/base/cancel.h"
#include "viewer/analysis/base/region.h"
#include "viewer/analysis/base/sum.h"
#include "viewer/analysis/base/workers.h"

/* So many waits are followed at most, of many. */
#define MOST_FOLLOWED 50000
#define COUNT_UNIT    256

static void rise(PmTreeBuilder *b)
{
    /* Children come after their parents. */
    for (guint32 i = b->nodes->len; i-- > 1;) {
        PmTreeSum *node = pm_tree_builder_node(b, i),
                  *parent = pm_tree_builder_node(b, node->parent);
        parent->count += node->count;
        parent->longest = MAX(parent->longest, node->longest);
        pm_tree_builder_join_time(b, node->parent, b, i);
    }
}

/* A wait that was held up by several comes to several nodes, and to some of them more than once. It
 * stands for `weight` waits: of estimated trees counts are in parts of COUNT_UNIT. */
static void add_part(PmTreeBuilder *b, const PmTree *tree, const PmRecording *r, guint32 row,
                     const PmPart *part, double weight)
{
    const gint64 length = part->end - part->begin;
    const gint64 time = tree->estimated ? pm_rounded((double)length * weight) : length;
    const gint64 count = tree->estimated ? pm_rounded(COUNT_UNIT * weight) : 1;
    guint32 at = 0;
    for (guint level = 0;; level++) {
        PmTreeSum *node = pm_tree_builder_node(b, at);
        if (node->row != row + 1) {
            node->row = row + 1;
            node->row_time = 0;
            pm_sum_add(&node->count, count);
        }
        pm_sum_add(&node->row_time, length);
        node->longest = MAX(node->longest, node->row_time);
        if (part->inferred)
            pm_sum_add(&node->inferred, time);
        pm_tree_builder_add_time(b, at, MIN(pm_wait_category(&r->waits, row), PM_CATEGORY_OTHER),
                                 time);
        if (level == tree->n_aspects)
            return;
        PmAspect aspect = tree->aspects[level];
        guint64 key = pm_aspect_is_split(aspect) ? pm_part_key(r, aspect, part)
                                                 : pm_aspect_key(r, aspect, row);
        at = pm_tree_builder_child(b, at, key, level + 1);
    }
}

static int compare_nodes(const void *a, const void *b)
{
    const PmTreeNode *x = *(PmTreeNode *const *)a, *y = *(PmTreeNode *const *)b;
    if (x->pseudo != y->pseudo)
        return x->pseudo ? 1 : -1;
    if (x->thread_time != y->thread_time)
        return x->thread_time > y->thread_time ? -1 : 1;
    return (x->key > y->key) - (x->key < y->key);
}

/* Takes the nodes below closed ones out; all sums have risen. */
static void leave_out_closed(PmTreeBuilder *b)
{
    g_autofree guint32 *places = g_new0(guint32, b->nodes->len); /* 0: the root, or left out */
    guint32 n = 1;

    for (guint32 i = 1; i < b->nodes->len; i++) {
        PmTreeSum node = *pm_tree_builder_node(b, i);
        if ((node.parent > 0 && places[node.parent] == 0) ||
            pm_tree_builder_node(b, places[node.parent])->is_closed)
            continue;
        node.parent = places[node.parent];
        places[i] = n;
        *pm_tree_builder_node(b, n++) = node;
    }
    g_array_set_size(b->nodes, n);
}

/* One allocation for the nodes, one for their child pointers; the root comes first in each. */
static PmTreeNode *build(PmTreeBuilder *b, const PmTree *tree)
{
    leave_out_closed(b);
    guint32 n = b->nodes->len;
    PmTreeNode *nodes = pm_region_malloc(n * sizeof *nodes);
    PmTreeNode **children = pm_region_malloc(n * sizeof *children);
    memset(nodes, 0, n * sizeof *nodes);
    for (guint32 i = 1; i < n; i++)
        nodes[pm_tree_builder_node(b, i)->parent].n_children++;
    gsize at = 0;
    for (guint32 i = 0; i < n; i++) {
        nodes[i].children = children + at;
        at += nodes[i].n_children;
        nodes[i].n_children = 0;
    }
    for (guint32 i = 0; i < n; i++) {
        const PmTreeSum *from = pm_tree_builder_node(b, i);
        PmTreeNode *node = &nodes[i];
        node->key = from->key;
        node->count = tree->estimated ? (from->count + COUNT_UNIT / 2) / COUNT_UNIT : from->count;
        node->thread_time = from->time;
        node->longest = from->longest;
        node->inferred_time = from->inferred;
        node->is_closed = from->is_closed;
        guint best = PM_CATEGORY_OTHER;
        for (guint c = 0; c < PM_N_CATEGORIES; c++)
            if (pm_tree_builder_category(b, i, c) > pm_tree_builder_category(b, i, best))
                best = c;
        node->category = (guint8)best;
        if (i == 0)
            continue;
        node->aspect = tree->aspects[from->level - 1];
        node->pseudo = pm_aspect_key_is_pseudo(node->aspect, node->key);
        node->parent = &nodes[from->parent];
        node->parent->children[node->parent->n_children++] = node;
    }
    for (guint32 i = 0; i < n; i++)
        qsort(nodes[i].children, nodes[i].n_children, sizeof *nodes[i].children, compare_nodes);
    return nodes;
}

/* Adds what other waits gave. */
static void builder_join(PmTreeBuilder *b, PmTreeBuilder *more)
{
    g_autofree guint32 *place = g_new0(guint32, more->nodes->len);
    for (guint32 i = 0; i < more->nodes->len; i++) {
        const PmTreeSum *from = pm_tree_builder_node(more, i);
        if (i > 0) /* children come after their parents */
            place[i] = pm_tree_builder_child(b, place[from->parent], from->key, from->level);
        PmTreeSum *to = pm_tree_builder_node(b, place[i]);
        to->count += from->count;
        pm_sum_add(&to->inferred, from->inferred);
        to->longest = MAX(to->longest, from->longest);
        pm_tree_builder_join_time(b, place[i], more, i);
    }
}

/* A view of many waits is cut in slices, each with a builder and a thread of its own. */
#define MANY_WAITS (1u << 16)
typedef struct {
    const PmTree *tree;
    PmView *view;                   /* whose waits are added: the tree's, or what stands for it */
    double scale;                   /* of their numbers */
    const PmContention *contention; /* NULL: no aspect is split */
    gboolean may_be_closed;         /* nodes with very many children */
    const gint *cancel;
    guint n;
    PmTreeBuilder builders[4];
    gint64 step;      /* of waiting; 0: all waits are followed */
    gint64 passed[4]; /* waiting of each slice, then before it */
    gsize followed[4];
    gsize at_begin, at_end; /* rows before the one and from the other on are added one by one */
} Adding;

static gsize slice_begin(const Adding *a, guint index)
{
    return index < a->n ? a->view->n / a->n * index : a->view->n;
}

static void sum_slice(gpointer data, guint index)
{
    Adding *a = data;
    for (gsize i = slice_begin(a, index); i < slice_begin(a, index + 1); i++)
        pm_sum_add(&a->passed[index], pm_view_clip(a->view, pm_view_row(a->view, i)));
}

/* How many waits that of `row` stands for; 0: it is not followed. Each for as many steps as end in
 * it. */
static double weight_of(const Adding *a, guint32 row, gint64 *passed)
{
    if (!a->step)
        return a->scale;
    const gint64 time = pm_view_clip(a->view, row);
    *passed = pm_sum(*passed, time);
    const gint64 steps = *passed / a->step;
    *passed %= a->step;
    return time > 0 ? a->scale * (double)steps * (double)a->step / (double)time : 0;
}

/* Where each slice begins to count does not depend on how many there are. */
static void choose_step(Adding *a)
{
    gint64 before = 0;
    a->step = MAX(a->view->thread_time / MOST_FOLLOWED, 1);
    pm_workers_run(a->n, a->n, sum_slice, a);
    for (guint i = 0; i < a->n; i++) {
        const gint64 its = a->passed[i];
        a->passed[i] = before % a->step;
        before = pm_sum(before, its);
    }
}

/* Of the rows that no slice tells of. */
static void add_rows(gpointer data, guint index)
{
    Adding *a = data;
    const PmView *view = a->view;
    const PmTreePath path = {a->tree->aspects, a->tree->n_aspects};
    const gsize n_begin = a->at_begin, n_end = view->n - a->at_end;
    PmTreeBuilder *b = &a->builders[index];

    pm_tree_builder_add(b, path, view, n_begin * index / a->n, n_begin * (index + 1) / a->n, NULL,
                        0, G_MAXSIZE, a->cancel);
    pm_tree_builder_add(b, path, view, a->at_end + n_end * index / a->n,
                        a->at_end + n_end * (index + 1) / a->n, NULL, 0, G_MAXSIZE, a->cancel);
}

/* Waits with one path each: most by slices, if the view is kept in some. */
static void add_waits(Adding *a)
{
    const PmTreePath path = {a->tree->aspects, a->tree->n_aspects};

    a->at_begin = a->at_end = a->view->n;
    pm_tree_slices_add(a->view, path, a->may_be_closed, &a->builders[0], &a->at_begin, &a->at_end,
                       a->cancel);
    pm_workers_run(a->n, a->n, add_rows, a);
}

static void add_slice_of_parts(gpointer data, guint index)
{
    Adding *a = data;
    const PmView *view = a->view;
    PmTreeBuilder *b = &a->builders[index];
    const gsize end = slice_begin(a, index + 1);
    gint64 passed = a->passed[index];
    g_autoptr(GArray) parts = g_array_new(FALSE, FALSE, sizeof(PmPart));
    for (gsize i = slice_begin(a, index); i < end; i++) {
        guint32 row = pm_view_row(view, i);
        if ((i & 4095) == 0 && pm_cancelled(a->cancel))
            return;
        const double weight = weight_of(a, row, &passed);
        if (weight == 0)
            continue;
        a->followed[index]++;
        g_array_set_size(parts, 0);
        pm_contention_split(a->contention, row, view->from, view->to, parts);
        if (parts->len == 0) { /* a wait of no length is counted all the same */
            PmPart part = {.begin = 0, .end = 0, .kind = PM_CAUSE_UNKNOWN};
            add_part(b, a->tree, view->recording, row, &part, weight);
        }
        for (guint k = 0; k < parts->len; k++)
            add_part(b, a->tree, view->recording, row, &g_array_index(parts, PmPart, k), weight);
    }
}

static PmTree *tree_new(PmView *view, const PmAspect *aspects, guint n_aspects, gboolean bounded,
                        gboolean may_be_closed, const gint *cancel)
{
    g_return_val_if_fail(view != NULL, NULL);
    gboolean split = FALSE;
    if (n_aspects > PM_N_ASPECTS)
        return NULL;
    for (guint i = 0; i < n_aspects; i++) {
        g_return_val_if_fail((guint)aspects[i] < PM_N_ASPECTS, NULL);
        split = split || pm_aspect_is_split(aspects[i]);
    }
    PmView *shown = split && bounded ? pm_view_for_causes(view, cancel) : view;
    const PmContention *contention =
        split && shown ? pm_recording_contention(shown->recording, cancel) : NULL;
    if (split && !contention)
        return NULL;

    PmTree *tree = g_new0(PmTree, 1);
    tree->view = pm_view_ref(view);
    tree->n_aspects = n_aspects;
    for (guint i = 0; i < n_aspects; i++)
        tree->aspects[i] = aspects[i];

    const guint most = MIN(g_get_num_processors(), G_N_ELEMENTS(((Adding *)0)->builders));
    Adding a = {.tree = tree,
                .view = shown,
                .scale = pm_view_weight(view, shown),
                .contention = contention,
                .may_be_closed = may_be_closed,
                .cancel = cancel};
    a.n = shown->n >= MANY_WAITS ? most : 1;
    for (guint i = 0; i < a.n; i++)
        pm_tree_builder_init(&a.builders[i]);
    tree->estimated = shown != view || (split && bounded && view->n > PM_TREE_MANY_WAITS);
    if (split && bounded && shown->n > PM_TREE_MANY_WAITS)
        choose_step(&a);
    if (split)
        pm_workers_run(a.n, a.n, add_slice_of_parts, &a);
    else
        add_waits(&a);
    const gboolean stopped = pm_cancelled(a.cancel);
    for (guint i = 1; i < a.n && !stopped; i++)
        builder_join(&a.builders[0], &a.builders[i]);
    if (!stopped) {
        if (!split)
            rise(&a.builders[0]);
        tree->root = build(&a.builders[0], tree);
        for (guint i = 0; i < a.n; i++)
            tree->n_followed += a.followed[i];
        if (tree->estimated) { /* the whole is known */
            tree->root->count = (gint64)view->n;
            tree->root->thread_time = view->thread_time;
        }
    }
    for (guint i = 0; i < a.n; i++)
        pm_tree_builder_clear(&a.builders[i]);
    if (stopped) {
        pm_tree_free(tree);
        return NULL;
    }
    return tree;
}

PmTree *pm_tree_new(PmView *view, const PmAspect *aspects, guint n_aspects, const gint *cancel)
{
    return tree_new(view, aspects, n_aspects, FALSE, FALSE, cancel);
}

PmTree *pm_tree_new_bounded(PmView *view, const PmAspect *aspects, guint n_aspects,
                            const gint *cancel)
{
    return tree_new(view, aspects, n_aspects, TRUE, FALSE, cancel);
}

PmTree *pm_tree_new_closed(PmView *view, const PmAspect *aspects, guint n_aspects,
                           const gint *cancel)
{
    return tree_new(view, aspects, n_aspects, TRUE, TRUE, cancel);
}

/* The node of another tree with the same keys. */
static PmTreeNode *find_same(const PmTree *tree, const PmTreeNode *node)
{
    PmTreeNode *above = node->parent ? find_same(tree, node->parent) : tree->root;

    for (guint i = 0; node->parent && above && i < above->n_children; i++)
        if (above->children[i]->key == node->key)
            return above->children[i];
    return node->parent ? NULL : above;
}

void pm_tree_open(PmTree *tree, PmTreeNode *node)
{
    g_return_if_fail(tree && node && node->is_closed);
    g_autoptr(PmFilter) filter = pm_filter_copy(tree->view->filter);
    for (const PmTreeNode *at = node; at->parent; at = at->parent) {
        g_autofree char *key = g_strdup_printf("#%" G_GUINT64_FORMAT, at->key);
        pm_filter_add_chip(filter, at->aspect, key, FALSE);
    }
    g_autoptr(PmView) view = pm_view_new(tree->view->recording, filter, NULL);
    PmTree *opened = view ? pm_tree_new(view, tree->aspects, tree->n_aspects, NULL) : NULL;
    const PmTreeNode *same = opened ? find_same(opened, node) : NULL;
    node->is_closed = FALSE;
    if (!opened)
        return;
    if (!tree->opened)
        tree->opened = g_ptr_array_new_with_free_func((GDestroyNotify)pm_tree_free);
    g_ptr_array_add(tree->opened, opened);
    node->n_children = same ? same->n_children : 0;
    node->children = same ? same->children : NULL;
    for (guint i = 0; i < node->n_children; i++)
        node->children[i]->parent = node;
}

void pm_tree_free(PmTree *tree)
{
    if (!tree)
        return;
    g_clear_pointer(&tree->opened, g_ptr_array_unref);
    if (tree->root) {
        g_free(tree->root->children); /* the root's are the first of all */
        g_free(tree->root);
    }
    pm_view_unref(tree->view);
    g_free(tree);
}
