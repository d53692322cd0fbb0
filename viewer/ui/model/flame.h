/* The waits of a view by their stack traces, as the boxes of a flame graph: a box for each method
 * below the one that called it, from the thread's first frame to the code that waits (locking code
 * of the JDK, in which every wait ends, is left out). What only leads to the program's own code may
 * be folded: one box for all that lies there. Immutable; built on a worker, drawn anywhere. */
#pragma once

#include "viewer/analysis/aggregation/filter.h"
#include "viewer/analysis/recording/category.h"

#define PM_FLAME_FOLD G_MAXUINT32

typedef struct {
    guint32 method;                 /* of the root: 0; PM_FLAME_FOLD: several */
    guint32 least_frames, n_frames; /* of a fold: of each stack trace so many, from and to */
    guint32 parent;                 /* of the root: itself */
    guint32 first_child, n_children;
    guint32 depth;
    gint64 begin, time; /* thread-time: where the box begins, and its width */
    gint64 own_time;    /* of waits in this method itself */
    guint64 waits;
    guint32 chain;                /* the stack trace with most time of those through it */
    gint64 family[PM_N_FAMILIES]; /* of `time` */
} PmFlameNode;

typedef struct {
    PmView *view;
    guint n; /* the first is the root: the whole view */
    PmFlameNode *nodes;
    guint depth;     /* boxes on top of each other, with the root */
    gboolean folded; /* some box is a fold */
} PmFlame;

/* Boxes of less than a four-thousandth are left out. Siblings by time, largest first. Cost: a pass
 * over the waits, and the frames of their stack traces. NULL if cancelled. */
PmFlame *pm_flame_new(PmView *view, gboolean fold, const gint *cancel);
void pm_flame_free(PmFlame *flame);
/* The family of a box: that of nine tenths of its time; PM_N_FAMILIES for a mixed one. */
PmFamily pm_flame_family(const PmFlameNode *node);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PmFlame, pm_flame_free)
