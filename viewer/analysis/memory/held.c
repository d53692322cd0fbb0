#include "viewer/analysis/memory/held.h"

#include "viewer/analysis/base/search.h"
#include "viewer/analysis/memory/memory-state.h"

typedef struct {
    guint32 chain, class_index;
    double bytes;
} Place;

static guint32 first_since(const PmRecording *r, gint64 at)
{
    guint32 low = 0, high = r->n_allocations;
    PM_LOWER_BOUND(low, high, middle, r->allocations[middle].at < at)
    return low;
}

static void add_sample(const PmAllocation *sample, GHashTable *places, PmEstimate *total)
{
    const PmEstimate estimate = pm_estimate_of_object(sample);
    gpointer key = GUINT_TO_POINTER(sample->chain);
    Place *place = g_hash_table_lookup(places, key);
    pm_estimate_add(total, &estimate);
    if (!place) {
        place = g_new0(Place, 1);
        place->chain = sample->chain;
        place->class_index = sample->class_index;
        g_hash_table_insert(places, key, place);
    }
    place->bytes += estimate.bytes;
}

PmHeldAllocations pm_held_allocations(const PmRecording *r, const PmContention *contention,
                                      guint32 blocker, gint64 from, gint64 to)
{
    PmHeldAllocations held = {0};
    g_autoptr(GArray) holds = g_array_new(FALSE, FALSE, sizeof(PmHold));
    g_autoptr(GHashTable) places = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    if (r->n_allocations > 0)
        pm_contention_owned(contention, blocker, from, to, holds);
    for (guint i = 0; i < holds->len; i++) {
        const PmHold *hold = &g_array_index(holds, PmHold, i);
        const gint64 end = MIN(hold->end, to);
        for (guint32 k = first_since(r, MAX(hold->begin, from));
             k < r->n_allocations && r->allocations[k].at < end; k++)
            if (r->allocations[k].thread == hold->thread)
                add_sample(&r->allocations[k], places, &held.total);
    }
    held.total.doubt = pm_memory_doubt(r, to);
    GHashTableIter iter;
    gpointer value;
    double most = 0;
    g_hash_table_iter_init(&iter, places);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        const Place *place = value;
        if (place->bytes < most || (place->bytes == most && place->chain > held.chain))
            continue;
        most = place->bytes;
        held.chain = place->chain;
        held.class_index = place->class_index;
    }
    held.share = held.total.bytes > 0 ? most / held.total.bytes : 0;
    return held;
}
