/* Waits aggregated by any sequence of aspects. Immutable, but for closed nodes, which whoever shows
 * the tree opens. */
#pragma once

#include "viewer/analysis/aggregation/filter.h"

typedef struct PmTreeNode PmTreeNode;
struct PmTreeNode {
    PmAspect aspect;
    guint64 key;
    gint64 count; /* waits that belong to it; one with several owners counts under each */
    gint64 thread_time, longest;
    gint64 inferred_time; /* of thread_time, the part that is inferred */
    guint8 category;      /* the one with most time: gives the hue */
    gboolean pseudo;
    gboolean is_closed; /* it has very many children, which pm_tree_open makes */
    PmTreeNode *parent; /* the root's is NULL */
    guint n_children;
    PmTreeNode **children; /* by thread-time, pseudo-keys last, ties by key */
};

typedef struct {
    PmView *view;
    guint n_aspects;
    PmAspect aspects[PM_N_ASPECTS];
    PmTreeNode *root;   /* the whole view */
    gboolean estimated; /* by pm_tree_new_bounded, from the causes of `n_followed` waits */
    gsize n_followed;
    GPtrArray *opened; /* of PmTree: whose nodes those are that were closed; NULL: none was */
} PmTree;

/* Of so many waits causes take minutes. */
#define PM_TREE_MANY_WAITS 1000000

PmTree *pm_tree_new(PmView *view, const PmAspect *aspects, guint n_aspects, const gint *cancel);
/* The same, except that if causes are requested and the view has more than PM_TREE_MANY_WAITS
 * waits, only some are followed: one each time a fixed amount of waiting time has accumulated, of a
 * huge recording in an excerpt of it (excerpt-view.h). The tree is then `estimated`: `longest` is a
 * lower bound, and all other numbers below the root are estimates, shares with a standard error of
 * at most 0.2 points. Cost: bounded, except for two passes over the waits. */
PmTree *pm_tree_new_bounded(PmView *view, const PmAspect *aspects, guint n_aspects,
                            const gint *cancel);
/* The same, but the nodes of very many objects may be closed: they would take most of the time, and
 * all of the memory. */
PmTree *pm_tree_new_closed(PmView *view, const PmAspect *aspects, guint n_aspects,
                           const gint *cancel);
/* Makes the children of a closed node, which nobody else may look at meanwhile. Cost: a pass over
 * the waits, on all cores. */
void pm_tree_open(PmTree *tree, PmTreeNode *node);
void pm_tree_free(PmTree *tree);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PmTree, pm_tree_free)
