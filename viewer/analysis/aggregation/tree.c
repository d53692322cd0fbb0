#include "viewer/analysis/aggregation/tree.h"

#include <stdlib.h>
#include <string.h>

#include "viewer/analysis/recording/category.h"
#include "viewer/analysis/recording/recording-private.h"
#include "viewer/analysis/base/sum.h"

/* While waits are added nodes are rows of an array; a hash table finds the child of (node, key). */
typedef struct {
    guint64 key;
    guint32 parent, level;
    gint64 count, time, longest, inferred;
    gint64 row_time; /* of the wait being added, when one wait may come here several times */
    guint32 row;     /* that wait + 1 */
} Node;

typedef struct {
    guint64 key;
    guint32 parent, node; /* node 0 = free (the root is nobody's child) */
} Slot;

typedef struct {
    GArray *nodes;      /* of Node */
    GArray *categories; /* PM_N_CATEGORIES gint64 per node */
    Slot *slots;
    gsize n_slots; /* a power of two */
} Builder;

static guint64 hash_of(guint32 parent, guint64 key)
{
    guint64 h = (key ^ (guint64)parent << 40) * G_GUINT64_CONSTANT(0x9E3779B97F4A7C15);
    h ^= parent * G_GUINT64_CONSTANT(0xD6E8FEB86659FD93);
    return h ^ h >> 32;
}

static void builder_grow(Builder *b)
{
    Slot *old = b->slots;
    gsize n_old = b->n_slots;
    b->n_slots = n_old > 0 ? 2 * n_old : 1024;
    b->slots = g_new0(Slot, b->n_slots);
    for (gsize i = 0; i < n_old; i++) {
        if (old[i].node == 0)
            continue;
        gsize at = hash_of(old[i].parent, old[i].key) & (b->n_slots - 1);
        while (b->slots[at].node != 0)
            at = (at + 1) & (b->n_slots - 1);
        b->slots[at] = old[i];
    }
    g_free(old);
}

static guint32 builder_child(Builder *b, guint32 parent, guint64 key, guint32 level)
{
    gsize at = hash_of(parent, key) & (b->n_slots - 1);
    while (b->slots[at].node != 0) {
        if (b->slots[at].parent == parent && b->slots[at].key == key)
            return b->slots[at].node;
        at = (at + 1) & (b->n_slots - 1);
    }
    Node node = {.key = key, .parent = parent, .level = level};
    guint32 index = b->nodes->len;
    g_array_append_val(b->nodes, node);
    g_array_set_size(b->categories, (guint)(b->nodes->len * PM_N_CATEGORIES));
    b->slots[at] = (Slot){key, parent, index};
    if ((gsize)b->nodes->len * 2 > b->n_slots)
        builder_grow(b);
    return index;
}

static void builder_clear(Builder *b)
{
    g_array_unref(b->nodes);
    g_array_unref(b->categories);
    g_free(b->slots);
}

static Node *node_at(Builder *b, guint32 index)
{
    return &g_array_index(b->nodes, Node, index);
}

static gint64 *categories_at(Builder *b, guint32 index)
{
    return &g_array_index(b->categories, gint64, (gsize)index * PM_N_CATEGORIES);
}

/* So many waits are followed at most, of many. */
#define MOST_FOLLOWED 50000
#define COUNT_UNIT    256

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

static Columns columns_of(const PmTree *tree)
{
    Columns c = {0};

    for (guint level = 0; level < tree->n_aspects; level++) {
        const PmAspectRow *row = &pm_aspects[tree->aspects[level]];
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

static guint32 leaf_of(Builder *b, const PmTree *tree, guint32 row)
{
    guint32 at = 0;

    for (guint level = 0; level < tree->n_aspects; level++)
        at = builder_child(b, at, pm_aspect_key(tree->view->recording, tree->aspects[level], row),
                           level + 1);
    return at;
}

/* Every wait has one path: only leaves are added to, their sums rise to the root at the end. */
static void add_wait(Builder *b, const PmTree *tree, const Chunk *chunk, gsize offset,
                     const Columns *columns, Recent *recents)
{
    const PmView *view = tree->view;
    guint32 values[MOST_COLUMNS] = {0};
    Recent *recent = recent_of(columns, chunk, offset, recents, values);
    guint32 at = recent && memcmp(recent->values, values, sizeof values) == 0 ? recent->leaf : 0;
    if (at == 0) {
        at = leaf_of(b, tree, (guint32)(chunk->rows.first + offset));
        if (recent) {
            memcpy(recent->values, values, sizeof values);
            recent->leaf = at;
        }
    }
    const gint64 begin = chunk->begins[offset], end = begin + chunk->lengths[offset];
    const gint64 time = MAX(MIN(end, view->to) - MAX(begin, view->from), 0);
    Node *node = node_at(b, at);
    node->count++;
    pm_sum_add(&node->time, time);
    node->longest = MAX(node->longest, time);
    pm_sum_add(&categories_at(b, at)[MIN(chunk->categories[offset], PM_CATEGORY_OTHER)], time);
}

static void rise(Builder *b)
{
    /* Children come after their parents. */
    for (guint32 i = b->nodes->len; i-- > 1;) {
        Node *node = node_at(b, i), *parent = node_at(b, node->parent);
        parent->count += node->count;
        pm_sum_add(&parent->time, node->time);
        parent->longest = MAX(parent->longest, node->longest);
        gint64 *from = categories_at(b, i), *to = categories_at(b, node->parent);
        for (guint c = 0; c < PM_N_CATEGORIES; c++)
            pm_sum_add(&to[c], from[c]);
    }
}

/* A wait that was held up by several comes to several nodes, and to some of them more than once. It
 * stands for `weight` waits: of estimated trees counts are in parts of COUNT_UNIT. */
static void add_part(Builder *b, const PmTree *tree, guint32 row, const PmPart *part, double weight)
{
    const PmRecording *r = tree->view->recording;
    const gint64 length = part->end - part->begin;
    const gint64 time = tree->estimated ? pm_rounded((double)length * weight) : length;
    const gint64 count = tree->estimated ? pm_rounded(COUNT_UNIT * weight) : 1;
    guint32 at = 0;
    for (guint level = 0;; level++) {
        Node *node = node_at(b, at);
        if (node->row != row + 1) {
            node->row = row + 1;
            node->row_time = 0;
            pm_sum_add(&node->count, count);
        }
        pm_sum_add(&node->time, time);
        pm_sum_add(&node->row_time, length);
        node->longest = MAX(node->longest, node->row_time);
        if (part->inferred)
            pm_sum_add(&node->inferred, time);
        pm_sum_add(&categories_at(b, at)[MIN(pm_wait_category(&r->waits, row), PM_CATEGORY_OTHER)],
                   time);
        if (level == tree->n_aspects)
            return;
        PmAspect aspect = tree->aspects[level];
        guint64 key = pm_aspect_is_split(aspect) ? pm_part_key(r, aspect, part)
                                                 : pm_aspect_key(r, aspect, row);
        at = builder_child(b, at, key, level + 1);
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

/* One allocation for the nodes, one for their child pointers; the root comes first in each. */
static PmTreeNode *build(Builder *b, const PmTree *tree)
{
    const PmRecording *r = tree->view->recording;
    guint32 n = b->nodes->len;
    PmTreeNode *nodes = g_new0(PmTreeNode, n);
    PmTreeNode **children = g_new0(PmTreeNode *, n);
    for (guint32 i = 1; i < n; i++)
        nodes[node_at(b, i)->parent].n_children++;
    gsize at = 0;
    for (guint32 i = 0; i < n; i++) {
        nodes[i].children = children + at;
        at += nodes[i].n_children;
        nodes[i].n_children = 0;
    }
    for (guint32 i = 0; i < n; i++) {
        const Node *from = node_at(b, i);
        PmTreeNode *node = &nodes[i];
        node->key = from->key;
        node->count = tree->estimated ? (from->count + COUNT_UNIT / 2) / COUNT_UNIT : from->count;
        node->thread_time = from->time;
        node->longest = from->longest;
        node->inferred_time = from->inferred;
        const gint64 *categories = categories_at(b, i);
        guint best = PM_CATEGORY_OTHER;
        for (guint c = 0; c < PM_N_CATEGORIES; c++)
            if (categories[c] > categories[best])
                best = c;
        node->category = (guint8)best;
        if (i == 0)
            continue;
        node->aspect = tree->aspects[from->level - 1];
        node->pseudo = pm_aspect_key_is_pseudo(r, node->aspect, node->key);
        node->parent = &nodes[from->parent];
        node->parent->children[node->parent->n_children++] = node;
    }
    for (guint32 i = 0; i < n; i++)
        qsort(nodes[i].children, nodes[i].n_children, sizeof *nodes[i].children, compare_nodes);
    return nodes;
}

static void builder_init(Builder *b)
{
    *b = (Builder){.nodes = g_array_new(FALSE, TRUE, sizeof(Node)),
                   .categories = g_array_new(FALSE, TRUE, sizeof(gint64))};
    builder_grow(b);
    g_array_set_size(b->nodes, 1);
    g_array_set_size(b->categories, PM_N_CATEGORIES);
}

/* Adds what other waits gave. */
static void builder_join(Builder *b, Builder *more)
{
    g_autofree guint32 *place = g_new0(guint32, more->nodes->len);
    for (guint32 i = 0; i < more->nodes->len; i++) {
        const Node *from = node_at(more, i);
        if (i > 0) /* children come after their parents */
            place[i] = builder_child(b, place[from->parent], from->key, from->level);
        Node *to = node_at(b, place[i]);
        to->count += from->count;
        pm_sum_add(&to->time, from->time);
        pm_sum_add(&to->inferred, from->inferred);
        to->longest = MAX(to->longest, from->longest);
        for (guint c = 0; c < PM_N_CATEGORIES; c++)
            pm_sum_add(&categories_at(b, place[i])[c], categories_at(more, i)[c]);
    }
}

/* A view of many waits is cut in slices, each with a builder and a thread of its own. */
#define MANY_WAITS (1u << 16)
typedef struct {
    const PmTree *tree;
    const PmContention *contention; /* NULL: no aspect is split */
    const gint *cancel;
    guint n;
    Builder builders[4];
    gint64 step;      /* of waiting; 0: all waits are followed */
    gint64 passed[4]; /* waiting of each slice, then before it */
    gsize followed[4];
} Adding;

static gsize slice_begin(const Adding *a, guint index)
{
    return index < a->n ? a->tree->view->n / a->n * index : a->tree->view->n;
}

static void sum_slice(gpointer data, guint index)
{
    Adding *a = data;
    for (gsize i = slice_begin(a, index); i < slice_begin(a, index + 1); i++)
        pm_sum_add(&a->passed[index], pm_view_clip(a->tree->view, pm_view_row(a->tree->view, i)));
}

/* How many waits that of `row` stands for; 0: it is not followed. Each for as many steps as end in
 * it. */
static double weight_of(const Adding *a, guint32 row, gint64 *passed)
{
    if (!a->step)
        return 1;
    const gint64 time = pm_view_clip(a->tree->view, row);
    *passed = pm_sum(*passed, time);
    const gint64 steps = *passed / a->step;
    *passed %= a->step;
    return time > 0 ? (double)steps * (double)a->step / (double)time : 0;
}

/* Where each slice begins to count does not depend on how many there are. */
static void choose_step(Adding *a)
{
    gint64 before = 0;
    a->step = MAX(a->tree->view->thread_time / MOST_FOLLOWED, 1);
    pm_workers_run(a->n, a->n, sum_slice, a);
    for (guint i = 0; i < a->n; i++) {
        const gint64 its = a->passed[i];
        a->passed[i] = before % a->step;
        before = pm_sum(before, its);
    }
}

static gboolean is_cancelled(const Adding *a)
{
    return a->cancel && g_atomic_int_get(a->cancel) != 0;
}

static void add_slice(gpointer data, guint index)
{
    Adding *a = data;
    const gsize end = slice_begin(a, index + 1);
    const Columns columns = columns_of(a->tree);
    g_autofree Recent *recents = g_new0(Recent, N_RECENT);
    g_autofree Chunk *chunk = g_new(Chunk, 1);
    for (gsize i = slice_begin(a, index); i < end && !is_cancelled(a);) {
        chunk_read(chunk, a->tree->view, &columns, i, end - i);
        for (gsize k = 0; k < chunk->rows.n; k++)
            add_wait(&a->builders[index], a->tree, chunk, chunk->rows.offsets[k], &columns,
                     recents);
        i += chunk->rows.n;
    }
}

static void add_slice_of_parts(gpointer data, guint index)
{
    Adding *a = data;
    const PmView *view = a->tree->view;
    Builder *b = &a->builders[index];
    const gsize end = slice_begin(a, index + 1);
    gint64 passed = a->passed[index];
    g_autoptr(GArray) parts = g_array_new(FALSE, FALSE, sizeof(PmPart));
    for (gsize i = slice_begin(a, index); i < end; i++) {
        guint32 row = pm_view_row(view, i);
        if ((i & 4095) == 0 && is_cancelled(a))
            return;
        const double weight = weight_of(a, row, &passed);
        if (weight == 0)
            continue;
        a->followed[index]++;
        g_array_set_size(parts, 0);
        pm_contention_split(a->contention, row, view->from, view->to, parts);
        if (parts->len == 0) { /* a wait of no length is counted all the same */
            PmPart part = {.begin = 0, .end = 0, .kind = PM_CAUSE_UNKNOWN};
            add_part(b, a->tree, row, &part, weight);
        }
        for (guint k = 0; k < parts->len; k++)
            add_part(b, a->tree, row, &g_array_index(parts, PmPart, k), weight);
    }
}

static PmTree *tree_new(PmView *view, const PmAspect *aspects, guint n_aspects, gboolean bounded,
                        const gint *cancel)
{
    g_return_val_if_fail(view != NULL, NULL);
    gboolean split = FALSE;
    if (n_aspects > PM_N_ASPECTS)
        return NULL;
    for (guint i = 0; i < n_aspects; i++) {
        g_return_val_if_fail((guint)aspects[i] < PM_N_ASPECTS, NULL);
        split = split || pm_aspect_is_split(aspects[i]);
    }
    const PmContention *contention = NULL;
    if (split) {
        contention = pm_recording_contention(view->recording, cancel);
        if (!contention)
            return NULL;
    }

    PmTree *tree = g_new0(PmTree, 1);
    tree->view = pm_view_ref(view);
    tree->n_aspects = n_aspects;
    for (guint i = 0; i < n_aspects; i++)
        tree->aspects[i] = aspects[i];

    const guint most = MIN(g_get_num_processors(), G_N_ELEMENTS(((Adding *)0)->builders));
    Adding a = {.tree = tree, .contention = contention, .cancel = cancel};
    a.n = view->n >= MANY_WAITS ? most : 1;
    for (guint i = 0; i < a.n; i++)
        builder_init(&a.builders[i]);
    if (split && bounded && view->n > PM_TREE_MANY_WAITS) {
        choose_step(&a);
        tree->estimated = TRUE;
    }
    pm_workers_run(a.n, a.n, split ? add_slice_of_parts : add_slice, &a);
    const gboolean stopped = is_cancelled(&a);
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
        builder_clear(&a.builders[i]);
    if (stopped) {
        pm_tree_free(tree);
        return NULL;
    }
    return tree;
}

PmTree *pm_tree_new(PmView *view, const PmAspect *aspects, guint n_aspects, const gint *cancel)
{
    return tree_new(view, aspects, n_aspects, FALSE, cancel);
}

PmTree *pm_tree_new_bounded(PmView *view, const PmAspect *aspects, guint n_aspects,
                            const gint *cancel)
{
    return tree_new(view, aspects, n_aspects, TRUE, cancel);
}

void pm_tree_free(PmTree *tree)
{
    if (!tree)
        return;
    if (tree->root) {
        g_free(tree->root->children); /* the root's are the first of all */
        g_free(tree->root);
    }
    pm_view_unref(tree->view);
    g_free(tree);
}
