/* The state of memory at an instant: what was allocated until then and what of it lived, for each
 * class at each stack trace, put together from the snapshots that tell what changed. */
#pragma once

#include "viewer/analysis/memory/estimate.h"

typedef struct {
    guint32 class_index, chain;
    PmEstimate total, live;
} PmMemoryPart;

typedef struct {
    const PmMemorySnapshot *last; /* of those it is made of; borrowed of the recording */
    guint n_parts;
    PmMemoryPart *parts; /* by class and stack trace; what no part tells is one without both */
    PmEstimate total, live;
} PmMemoryState;

/* As of the last snapshot up to `at`. NULL: there is none. */
PmMemoryState *pm_memory_state_new(const PmRecording *recording, gint64 at);
void pm_memory_state_free(PmMemoryState *state);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PmMemoryState, pm_memory_state_free)

/* NULL when it has none of it. */
const PmMemoryPart *pm_memory_state_find(const PmMemoryState *state, guint32 class_index,
                                         guint32 chain);
/* Instants of the snapshots in the range that first told of another collection of old objects: what
 * lived then was referred to. Owned array of gint64. */
GArray *pm_memory_after_old(const PmRecording *recording, gint64 from, gint64 to);
/* The sampling interval until an instant, on average over the bytes that were allocated. */
double pm_memory_interval(const PmRecording *recording, gint64 at);
/* The factor by which estimates until then may be wrong besides their errors, either way: up to JDK
 * 24 the JVM's sampler is biased, which the recorder mends only where it may draw densely enough.
 * 1: by none. */
double pm_memory_doubt(const PmRecording *r, gint64 at);
/* Bytes that may have been allocated of what no sample told, in each row that is not there. */
double pm_memory_unseen(const PmRecording *recording, gint64 at);
