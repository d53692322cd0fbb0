/* Knots: sets of threads that wait without a timeout, each for something that only others in the
 * set ever provided. None of them can ever continue.
 *
 * Which threads could end a wait is inferred from those that ended earlier waits of the same
 * operation. Each knot records the number of ends it is based on; an operation without an earlier
 * end is never part of one, unless it is for room in a queue, and all who wait for elements of that
 * very queue at other times are in it. */
#pragma once

#include "viewer/analysis/evidence/operation.h"

typedef enum {
    PM_KNOT_MUTUAL,    /* they wait for each other: a signal came too early, or never */
    PM_KNOT_OWN_POOL,  /* tasks wait for tasks of their own pool, which has no free thread */
    PM_KNOT_ENDED,     /* the threads that ended such waits before have ended themselves */
    PM_KNOT_FORGOTTEN, /* no cycle: later waits of the same operation were ended, these were not */
} PmKnotShape;

/* Where earlier waits of one operation were most often ended. */
typedef struct {
    guint32 row; /* the oldest of its waits in progress */
    guint32 thread, chain;
    gboolean expected; /* it takes from the queue, and ended no wait for room: where it waits */
} PmKnotGiver;

typedef struct {
    PmKnotShape shape;
    GArray *rows;   /* of guint32: the waits in progress, oldest first; for a pool, its own first */
    GArray *givers; /* of PmKnotGiver, by the age of the waits for them */
    guint n_ends;   /* earlier ends that this rests on */
    gint64 longest; /* of the earlier waits, where any were ended */
    gboolean expects; /* some of it rests on who takes from a queue, not on earlier ends */
    guint n_later;    /* FORGOTTEN: waits that began later and were ended */
    guint32 party; /* ENDED: of a barrier, who has not come; its giver, where it was last seen, if
                    * it was */
} PmKnot;

/* Whether own code, in a callback, waits in the same call again, like a cache loader
 * that waits for another value of the cache. What it waits for may depend on the waiter. */
gboolean pm_knot_is_nested(const PmRecording *recording, guint32 chain);
/* An array of PmKnot: those of pools; then all threads that wait for each other as one knot, whose
 * giver is the one the oldest waits for; then those of ended threads; then the forgotten ones. */
GArray *pm_knots_find(const PmOperations *operations);

/* Of the waits marked in `wanted`, by the summary's `still`, the first of virtual threads that hang
 * in something else than the end of another; NULL: there is none. Who waits for such ends is told
 * with it: unmarked, noted in `told`, and `ret_n` threads more. */
const PmStillWaiting *pm_knot_find_root(const PmOperations *operations, const PmSummary *summary,
                                        GHashTable *told, guint8 *wanted, guint *ret_n);
