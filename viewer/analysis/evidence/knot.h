/* Knots: threads that wait without a timeout, each for something that only others of them ever
 * gave. None of them can go on, however long one waits.
 *
 * Who could end a wait is inferred from who ended earlier waits of the same operation. Each knot
 * tells how many ends it rests on; an operation without an earlier end is never part of one. */
#pragma once

#include "viewer/analysis/evidence/operation.h"

typedef enum {
    PM_KNOT_MUTUAL,    /* they wait for each other: a signal came too early, or never */
    PM_KNOT_OWN_POOL,  /* tasks wait for tasks of their own pool, and none of it is left */
    PM_KNOT_ENDED,     /* those who ended such waits before have ended themselves */
    PM_KNOT_FORGOTTEN, /* no circle: later waits of the same operation were ended, these were not */
} PmKnotShape;

/* Where an earlier wait of one operation was ended, the commonest. */
typedef struct {
    guint32 row; /* the oldest of its waits in progress */
    guint32 thread, chain;
} PmKnotGiver;

typedef struct {
    PmKnotShape shape;
    GArray
        *rows; /* of guint32: the waits in progress, the oldest first; of a pool, its own first */
    GArray *givers; /* of PmKnotGiver, by the age of what waits for them */
    guint n_ends;   /* earlier ends that this rests on */
    gint64 longest; /* of the earlier waits */
    guint n_later;  /* FORGOTTEN: waits that began later and were ended */
} PmKnot;

/* Does own code of its thread, called back from a call, wait in the same call again: a loader of a
 * cache's value for another value of the cache? What it waits for may need what waits for it. */
gboolean pm_knot_is_nested(const PmRecording *recording, guint32 row);
/* Of PmKnot: those of pools, then those who wait for each other as one, whose giver is the one that
 * the oldest waits for, then those of ended threads, then the forgotten. */
GArray *pm_knots_find(const PmOperations *operations);
