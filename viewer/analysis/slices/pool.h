/* Pools of threads: groups whose threads rest by waiting for a task (category pool-idle). All other
 * numbers leave out idle waits; here they are what matters: a pool without idle threads may be too
 * small, one whose threads were all idle too large. */
#pragma once

#include "viewer/analysis/aggregation/filter.h"
#include "viewer/analysis/recording/category.h"

typedef struct {
    guint32 group;
    guint32 n_threads;  /* that lived in the range */
    guint32 size;       /* most that lived at once */
    guint32 idle_now;   /* at the range's end */
    guint32 least_idle; /* at any time while one of them lived */
    gint64 alive;       /* time in which at least one of them lived */
    gint64 none_idle;   /* of it, without an idle one */
    gint64 life;        /* Σ of their lives in the range */
    gint64
        family[PM_N_FAMILIES]; /* Σ of their waits; the rest of life they ran, slept or did I/O */
} PmPool;

typedef struct {
    PmView *view; /* counted */
    guint n;
    PmPool *pools; /* by share of time without an idle thread, largest first; ties by size, name */
} PmPools;

/* Only the view's range is used, because a pool consists of all its threads. The JVM's own
 * housekeeping threads (references, cleaners) are not pools. Cost: O(n log n) over the waits of
 * pool threads. NULL if `cancel` was set. */
PmPools *pm_pools_new(PmView *view, const gint *cancel);
void pm_pools_free(PmPools *pools);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PmPools, pm_pools_free)

/* 0..1; 0 for a pool that did not live. */
double pm_pool_none_idle_share(const PmPool *pool);
/* life − idle */
gint64 pm_pool_busy(const PmPool *pool);
