/* Two recordings compared: the same tree over both, with nodes matched by name. Identity hashes and
 * ids differ between runs, so a blocker is matched by class and site, a chain by its frames'
 * methods; lines may move. Amounts are compared per second of which they are known. Immutable. */
#pragma once

#include "viewer/analysis/aggregation/tree.h"

typedef struct {
    gint64 count, thread_time, longest;
    double threads; /* waiting, on average over the known time */
} PmDiffSide;

typedef struct PmDiffNode PmDiffNode;
struct PmDiffNode {
    PmAspect aspect;
    char *key; /* as on screen */
    PmDiffSide before, after;
    double change; /* after.threads − before.threads */
    guint8 category;
    gboolean pseudo;
    PmDiffNode *parent;
    guint n_children;
    PmDiffNode **children; /* by the amount of change, biggest first; ties by key */
};

typedef struct {
    PmView *before, *after;
    guint n_aspects;
    PmAspect aspects[PM_N_ASPECTS];
    PmDiffNode *root;
} PmDiff;

/* NULL if an aspect is not available or `cancel` was set. */
PmDiff *pm_diff_new(PmView *before, PmView *after, const PmAspect *aspects, guint n_aspects,
                    const gint *cancel);
void pm_diff_free(PmDiff *diff);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PmDiff, pm_diff_free)
