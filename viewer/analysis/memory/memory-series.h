/* Live data and allocation rate over time, for charts: at the instants of snapshots, by the levels
 * of a tree. Drawn as steps, because nothing is known in between. Immutable, reference counted, any
 * thread. */
#pragma once

#include "viewer/analysis/memory/growth.h"
#include "viewer/analysis/memory/memory-tree.h"

#define PM_MEMORY_BANDS 8

typedef struct {
    guint64 key;
    gboolean rises; /* it has the result of pm_growth_find() for the whole recording */
} PmMemoryBand;

typedef struct {
    gint64 at;
    double rate;                      /* bytes a second since the instant before */
    PmBounds bounds;                  /* of all that lives */
    double live[PM_MEMORY_BANDS + 1]; /* of each band; the last one is for all others */
} PmMemoryInstant;

typedef struct {
    PmRecording *recording;
    PmFilter *filter; /* its chips */
    guint n_aspects;
    PmMemoryAspect aspects[PM_MEMORY_MOST];
    PmMemoryAspect band_aspect; /* of what is at the top: pm_memory_tree_top() … */
    gboolean live_known; /* … and the class, if snapshots do not have the levels; FALSE: they do not
                          * have the chips either */
    guint n_bands, n_instants;
    PmMemoryBand bands[PM_MEMORY_BANDS]; /* those with the highest peaks, in that order */
    PmMemoryInstant *instants;
    GArray *growths;   /* of PmGrowth */
    GHashTable *paths; /* pm_memory_path() → float[n_instants], of the levels of the tree */
} PmMemorySeries;

/* NULL: a chip has an aspect that allocations lack, there are no snapshots, or it was cancelled. */
PmMemorySeries *pm_memory_series_new(PmRecording *recording, const PmFilter *filter,
                                     const PmMemoryAspect *aspects, guint n_aspects,
                                     const gint *cancel);
PmMemorySeries *pm_memory_series_ref(PmMemorySeries *series);
void pm_memory_series_unref(PmMemorySeries *series);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PmMemorySeries, pm_memory_series_unref)

/* Whether it answers this question. */
gboolean pm_memory_series_is_of(const PmMemorySeries *series, const PmRecording *recording,
                                const PmFilter *filter, const PmMemoryAspect *aspects,
                                guint n_aspects);
/* An identifier of the node `key` under the node with the identifier `above` (0: the tree's root).
 */
guint64 pm_memory_path(guint64 above, PmMemoryAspect aspect, guint64 key);
/* The index of the instant whose numbers are valid at `at`, −1 before the first. */
int pm_memory_series_find(const PmMemorySeries *series, gint64 at);
/* The band of a key; n_bands: none. */
guint pm_memory_series_band(const PmMemorySeries *series, guint64 key);
/* The steepest growth at or below the node with these keys; NULL: none. */
const PmGrowth *pm_memory_series_growth(const PmMemorySeries *series, const PmMemoryAspect *aspects,
                                        const guint64 *keys, guint n);
