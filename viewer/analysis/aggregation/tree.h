/* Waits aggregated by any sequence of aspects. Immutable. */
#pragma once

#include "viewer/analysis/aggregation/filter.h"

typedef struct PmTreeNode PmTreeNode;
struct PmTreeNode {
    PmAspect aspect;
    guint64 key;
    gint64 count; /* waits that touch it; one with several owners counts under each */
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
    PmTreeNode *root; /* the whole view */
} PmTree;

PmTree *pm_tree_new(PmView *view, const PmAspect *aspects, guint n_aspects, const gint *cancel);
void pm_tree_free(PmTree *tree);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PmTree, pm_tree_free)
