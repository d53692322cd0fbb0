/* What lives over time and how fast is allocated, as charts draw it: at the instants of snapshots,
 * by the levels of a tree. Steps, as nobody looked in between. Immutable, counted, of any thread.
 */
#pragma once

#include "viewer/analysis/memory/growth.h"
#include "viewer/analysis/memory/memory-tree.h"

#define PM_MEMORY_BANDS 8

typedef struct {
    guint64 key;
    gboolean rises; /* it has what pm_growth_find() tells of the whole recording */
} PmMemoryBand;

typedef struct {
    gint64 at;
    double rate;                      /* bytes a second since the instant before */
    PmBounds bounds;                  /* of all that lives */
    double live[PM_MEMORY_BANDS + 1]; /* of each band; the last of them: of all others */
} PmMemoryInstant;

typedef struct {
    PmRecording *recording;
    PmFilter *filter; /* its chips */
    guint n_aspects;
    PmMemoryAspect aspects[PM_MEMORY_MOST];
    PmMemoryAspect band_aspect; /* of what is at the top: pm_memory_tree_top() … */
    gboolean live_known; /* … and where the levels are not told by snapshots, the class; FALSE: the
                            chips are not either */
    guint n_bands, n_instants;
    PmMemoryBand bands[PM_MEMORY_BANDS]; /* those that had most at their peak, in that order */
    PmMemoryInstant *instants;
    GArray *growths;   /* of PmGrowth */
    GHashTable *paths; /* pm_memory_path() → float[n_instants], of the levels of the tree */
} PmMemorySeries;

/* NULL: a chip is of what allocations do not have, there are no snapshots, or it was cancelled. */
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
/* A name of the node `key` under the node of the name `above` (0: the tree's root). */
guint64 pm_memory_path(guint64 above, PmMemoryAspect aspect, guint64 key);
/* The instant whose numbers hold at `at`: its index, −1 before the first. */
int pm_memory_series_find(const PmMemorySeries *series, gint64 at);
/* The band of a key; n_bands: none. */
guint pm_memory_series_band(const PmMemorySeries *series, guint64 key);
/* The steepest growth at or below the node with these keys; NULL: none. */
const PmGrowth *pm_memory_series_growth(const PmMemorySeries *series, const PmMemoryAspect *aspects,
                                        const guint64 *keys, guint n);
