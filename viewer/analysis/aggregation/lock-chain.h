/* Chains of locks: a thread that waits for a lock whose owner waits for another lock is delayed by
 * that one, and so on to the critical owner at the end of the chain. Exact to the overlap in time
 * of a wait's owner part with the owner's own waits. Deadlocks are in the summary. */
#pragma once

#include "viewer/analysis/aggregation/filter.h"
#include "viewer/analysis/causes/contention.h"

typedef struct {
    guint32 blocker, next; /* the lock waited for; the one its owner mostly waited for meanwhile */
    gint64 owner_time;     /* of waits for `blocker` in the view while it was held */
    gint64 thread_time;    /* of that, while its owner waited for `next` */
    gboolean estimated;    /* both are, from some of very many waits */
} PmLockLink;

/* So many waits for one blocker are looked at; of more, one wherever so much waiting is over that
 * there are as many. */
#define PM_LOCK_CHAIN_MOST 20000

/* The largest link from a blocker. FALSE if its owners waited for no other lock. Cost: two passes
 * over the view, and the waits of the owners. */
gboolean pm_lock_chain_link(const PmView *view, const PmContention *contention, guint32 blocker,
                            PmLockLink *ret_link);

/* Links that were asked for before, of one view: chains of many locks end at the same few. */
GHashTable *pm_lock_links_new(void);

/* From `blocker` along links that take at least half of the owner's time, at most `max` of them.
 * Returns their number; a cycle ends the chain. What is in `known` is not asked again. */
guint pm_lock_chain_follow(const PmView *view, const PmContention *contention, GHashTable *known,
                           guint32 blocker, PmLockLink *ret_links, guint max);
