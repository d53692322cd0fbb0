/* The state of memory at an instant: what had been allocated and what of it was live, for each
 * class at each stack trace, assembled from the snapshots, which store what changed. */
#pragma once

#include "viewer/analysis/memory/estimate.h"

typedef struct {
    guint32 class_index, chain;
    PmEstimate total, live;
} PmMemoryPart;

typedef struct {
    const PmMemorySnapshot *last; /* of the snapshots it is made of; borrowed from the recording */
    guint n_parts;
    PmMemoryPart *parts; /* by class and stack trace; what no part contains is combined in one
                          * without both */
    PmEstimate total, live;
} PmMemoryState;

/* At the last snapshot up to `at`. NULL: there is none. */
PmMemoryState *pm_memory_state_new(const PmRecording *recording, gint64 at);
void pm_memory_state_free(PmMemoryState *state);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PmMemoryState, pm_memory_state_free)

/* NULL when it has none of it. */
const PmMemoryPart *pm_memory_state_find(const PmMemoryState *state, guint32 class_index,
                                         guint32 chain);
/* Instants of the snapshots in the range that were the first after a collection of the old
 * generation: live objects were then reachable. Owned array of gint64. */
GArray *pm_memory_after_old(const PmRecording *recording, gint64 from, gint64 to);
/* The mean sampling interval until an instant, weighted by allocated bytes. */
double pm_memory_interval(const PmRecording *recording, gint64 at);
/* An additional factor by which estimates until then may be wrong, in either direction: up to JDK
 * 24 the JVM's sampler is biased, which the recorder corrects only if it may sample densely enough.
 * 1: none. */
double pm_memory_doubt(const PmRecording *r, gint64 at);
/* Bytes that may have been allocated without a sample, for each missing row. */
double pm_memory_unseen(const PmRecording *recording, gint64 at);
