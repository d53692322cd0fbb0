/* Chains of locks: a thread that waits for a lock whose owner itself waits for another lock is held
 * up by that one, and so on to the critical owner at the chain's end. Exact to the overlap in time
 * of a wait's owner part with the owner's own waits. Deadlocks are in the summary. */
#pragma once

#include "viewer/analysis/aggregation/filter.h"
#include "viewer/analysis/causes/contention.h"

typedef struct PmLockChains PmLockChains;

/* `view` and `contention` are borrowed. Cost: one pass over the recording's waits. */
PmLockChains *pm_lock_chains_new(const PmView *view, const PmContention *contention);
void pm_lock_chains_free(PmLockChains *chains);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PmLockChains, pm_lock_chains_free)

typedef struct {
    guint32 blocker, next; /* what is waited for; what its owner waited for meanwhile, mostly */
    gint64 owner_time;     /* of waits for `blocker` in the view, while somebody held it */
    gint64 thread_time;    /* of that, while its owner waited for `next` */
} PmLockLink;

/* The biggest link out of a blocker. FALSE when its owners waited for no other lock. Cost: one pass
 * over the view, and the waits of the owners. */
gboolean pm_lock_chains_link(const PmLockChains *chains, guint32 blocker, PmLockLink *ret_link);

/* From `blocker` along links that take at least half of the owner's time, at most `max` of them.
 * Returns their number; a circle ends the chain. */
guint pm_lock_chains_follow(const PmLockChains *chains, guint32 blocker, PmLockLink *ret_links,
                            guint max);
