/* Who waits for something at the conditions of each lock, as for an element or for room in a queue.
 * Only of queues with one lock for both conditions, as ArrayBlockingQueue and LinkedBlockingDeque:
 * of others nobody is known. */
#pragma once

#include "viewer/analysis/recording/recording.h"

typedef struct PmLockTakers PmLockTakers;

/* `takers`: a set of pairs, blocker and thread (base/pair.h); what is no thread's is passed over.
 * The recording is borrowed. Cost: one pass over them. */
PmLockTakers *pm_lock_takers_new(const PmRecording *recording, GHashTable *takers);
void pm_lock_takers_free(PmLockTakers *takers);

/* Appends those who wait for something else of the same lock, as who takes from a queue does for an
 * element where `blocker` is its condition for room: threads, guint32, each once. */
void pm_lock_takers_beside(const PmLockTakers *takers, guint32 blocker, GArray *threads);
/* Is the thread one of those? */
gboolean pm_lock_takers_has(const PmLockTakers *takers, guint32 blocker, guint32 thread);
