/* Waits aggregated by any sequence of aspects. Immutable. */
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
void pm_tree_free(PmTree *tree);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PmTree, pm_tree_free)
