/* A tree while waits are added to it, and the rows of a view added to one. */
#pragma once

#include "viewer/analysis/aggregation/filter.h"
#include "viewer/analysis/recording/category.h"

/* Nodes are rows of an array, each after its parent; 0 is the root. There may be millions. */
typedef struct {
    guint64 key;
    guint32 parent;
    guint32 row;        /* the wait being added + 1, when one may come here several times */
    guint32 categories; /* 1 + which of the builder's; 0: all of its time is of one category */
    guint8 level, category;
    guint8 is_closed; /* what is below it is not in the tree */
    gint64 count, time, longest, inferred;
    gint64 row_time; /* of `row` */
} PmTreeSum;

typedef struct {
    GArray *nodes;      /* of PmTreeSum */
    GArray *categories; /* PM_N_CATEGORIES gint64 for each node with several */
    guint32 *slots;     /* a hash table that finds the child of (node, key); 0: free */
    gsize n_slots;      /* a power of two */
} PmTreeBuilder;

/* The levels: aspects that split no wait. */
typedef struct {
    const PmAspect *aspects;
    guint n;
} PmTreePath;

void pm_tree_builder_init(PmTreeBuilder *builder);
void pm_tree_builder_clear(PmTreeBuilder *builder);
/* Makes room for so many nodes, in an empty one. */
void pm_tree_builder_reserve(PmTreeBuilder *builder, guint32 n);
/* The child under a key, made if it is not there yet: nodes may move. */
guint32 pm_tree_builder_child(PmTreeBuilder *builder, guint32 parent, guint64 key, guint32 level);

static inline PmTreeSum *pm_tree_builder_node(const PmTreeBuilder *builder, guint32 index)
{
    return &g_array_index(builder->nodes, PmTreeSum, index);
}

/* Of a node's time, that of a category. */
static inline gint64 pm_tree_builder_category(const PmTreeBuilder *builder, guint32 index,
                                              guint category)
{
    const PmTreeSum *node = pm_tree_builder_node(builder, index);

    if (node->categories == 0)
        return node->category == category ? node->time : 0;
    return g_array_index(builder->categories, gint64,
                         (gsize)(node->categories - 1) * PM_N_CATEGORIES + category);
}

/* Adds time of a category to a node. */
void pm_tree_builder_add_time(PmTreeBuilder *builder, guint32 index, guint category, gint64 time);
/* The same of each category of a node of `from`. */
void pm_tree_builder_join_time(PmTreeBuilder *builder, guint32 index, const PmTreeBuilder *from,
                               guint32 from_index);

/* Adds a wait, as far as it is within the view's range, to its leaf. */
void pm_tree_builder_add_row(PmTreeBuilder *builder, PmTreePath path, const PmView *view,
                             guint32 row);
/* Adds the rows of the view from the `first` to before the `end`-th, except `n_except` that are
 * listed in order. FALSE: `cancel` was set, or there are more than `most` nodes. */
gboolean pm_tree_builder_add(PmTreeBuilder *builder, PmTreePath path, const PmView *view,
                             gsize first, gsize end, const guint32 *except, guint n_except,
                             gsize most, const gint *cancel);
