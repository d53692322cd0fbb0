#include "viewer/analysis/memory/memory-series.h"
#include "viewer/analysis/base/cancel.h"

#include <string.h>

#define MAX_INSTANTS 64

guint64 pm_memory_path(guint64 above, PmMemoryAspect aspect, guint64 key)
{
    guint64 path = (above + (guint64)aspect + 0x9E3779B97F4A7C15u) ^ key * 0xBF58476D1CE4E5B9u;
    path = (path ^ path >> 31) * 0x94D049BB133111EBu;
    return path ^ path >> 29;
}

const PmGrowth *pm_memory_series_growth(const PmMemorySeries *series, const PmMemoryAspect *aspects,
                                        const guint64 *keys, guint n)
{
    for (guint i = 0; i < series->growths->len; i++) {
        const PmGrowth *growth = &g_array_index(series->growths, PmGrowth, i);
        guint same = 0;
        while (same < n && pm_memory_key(series->recording, aspects[same], growth->class_index,
                                         growth->chain) == keys[same])
            same++;
        if (same == n)
            return growth;
    }
    return NULL;
}

/* What lives of the nodes under `node`, as number `at` of their curves. */
static void note(PmMemorySeries *series, const PmMemoryNode *node, guint64 path, guint at)
{
    for (guint i = 0; i < node->children->len; i++) {
        const PmMemoryNode *child = node->children->pdata[i];
        const guint64 its = pm_memory_path(path, child->aspect, child->key);
        float *values = g_hash_table_lookup(series->paths, &its);
        if (!values) {
            values = g_new0(float, series->n_instants);
            g_hash_table_insert(series->paths, g_memdup2(&its, sizeof its), values);
        }
        values[at] = (float)child->live.bytes;
        note(series, child, its, at);
    }
}

/* Instants of snapshots, evenly thinned. */
static void choose_instants(PmMemorySeries *series)
{
    const PmRecording *r = series->recording;
    const guint n = r->n_snapshots, kept = MIN(n, MAX_INSTANTS);
    series->n_instants = kept;
    series->instants = g_new0(PmMemoryInstant, kept);
    for (guint i = 0; i < kept; i++)
        series->instants[i].at = r->snapshots[kept > 1 ? (guint64)i * (n - 1) / (kept - 1) : 0].at;
}

/* As of each instant. FALSE: cancelled, or a chip that allocations do not have. */
static gboolean look(PmMemorySeries *series, const gint *cancel)
{
    g_autoptr(PmFilter) filter = pm_filter_copy(series->filter);
    double total = 0;
    gint64 before = 0;
    filter->from = 0;
    series->live_known = TRUE;
    for (guint i = 0; i < series->n_instants; i++) {
        PmMemoryInstant *instant = &series->instants[i];
        filter->to = MAX(instant->at, 1);
        g_autoptr(PmMemoryTree) tree =
            pm_memory_tree_new(series->recording, filter, series->aspects, series->n_aspects, NULL);
        if (!tree || pm_cancelled(cancel))
            return FALSE;
        if (i > 0 && instant->at > before)
            instant->rate =
                MAX(tree->root->total.bytes - total, 0) / ((double)(instant->at - before) / 1e9);
        total = tree->root->total.bytes;
        before = instant->at;
        if (tree->from_samples) {
            series->live_known = FALSE;
            continue;
        }
        instant->bounds = pm_estimate_bytes(&tree->root->live);
        note(series, tree->root, 0, i);
    }
    return TRUE;
}

typedef struct {
    guint64 key, path;
    double peak;
} Candidate;

static int compare_candidates(gconstpointer a, gconstpointer b)
{
    const Candidate *x = a, *y = b;
    if (x->peak != y->peak)
        return x->peak < y->peak ? 1 : -1;
    return (x->key > y->key) - (x->key < y->key);
}

static const float *curve_of(const PmMemorySeries *series, guint64 path)
{
    return g_hash_table_lookup(series->paths, &path);
}

/* Bands are the rows at the top of the table. */
static void make_bands(PmMemorySeries *series)
{
    g_autoptr(PmMemoryTree) tree = pm_memory_tree_new(series->recording, series->filter,
                                                      series->aspects, series->n_aspects, NULL);
    g_autoptr(GArray) candidates = g_array_new(FALSE, FALSE, sizeof(Candidate));
    const PmMemoryNode *top = pm_memory_tree_top(tree);
    const guint64 above = top == tree->root ? 0 : pm_memory_path(0, top->aspect, top->key);
    PmMemoryAspect aspects[2] = {series->aspects[0]};
    guint64 keys[2] = {top->key};
    const guint depth = top == tree->root ? 0 : 1;
    series->band_aspect = aspects[depth] = series->aspects[depth];
    for (guint i = 0; i < top->children->len; i++) {
        const PmMemoryNode *child = top->children->pdata[i];
        Candidate candidate = {child->key, pm_memory_path(above, child->aspect, child->key), 0};
        const float *values = curve_of(series, candidate.path);
        for (guint k = 0; values && k < series->n_instants; k++)
            candidate.peak = MAX(candidate.peak, values[k]);
        g_array_append_val(candidates, candidate);
    }
    g_array_sort(candidates, compare_candidates);
    for (guint i = 0; i < candidates->len; i++) {
        const Candidate *candidate = &g_array_index(candidates, Candidate, i);
        const float *values = curve_of(series, candidate->path);
        const guint band = MIN(i, PM_MEMORY_BANDS);
        if (!values || candidate->peak <= 0)
            break;
        if (band < PM_MEMORY_BANDS) {
            keys[depth] = candidate->key;
            series->bands[series->n_bands++] = (PmMemoryBand){
                candidate->key, pm_memory_series_growth(series, aspects, keys, depth + 1) != NULL};
        }
        for (guint k = 0; k < series->n_instants; k++)
            series->instants[k].live[band] += values[k];
    }
}

static void series_clear(gpointer data)
{
    PmMemorySeries *series = data;
    g_clear_pointer(&series->filter, pm_filter_free);
    g_clear_pointer(&series->growths, g_array_unref);
    g_clear_pointer(&series->paths, g_hash_table_unref);
    g_free(series->instants);
    pm_recording_unref(series->recording);
}

PmMemorySeries *pm_memory_series_new(PmRecording *recording, const PmFilter *filter,
                                     const PmMemoryAspect *aspects, guint n_aspects,
                                     const gint *cancel)
{
    g_return_val_if_fail(recording && n_aspects > 0 && n_aspects <= PM_MEMORY_MOST, NULL);
    static const PmMemoryAspect fallback[] = {PM_ASPECT_CLASS};
    if (recording->n_snapshots == 0)
        return NULL;
    g_autoptr(PmMemorySeries) series = g_atomic_rc_box_new0(PmMemorySeries);
    series->recording = pm_recording_ref(recording);
    series->filter = pm_filter_copy(filter);
    series->filter->from = series->filter->to = 0;
    series->n_aspects = n_aspects;
    memcpy(series->aspects, aspects, n_aspects * sizeof *aspects);
    series->growths = pm_growth_find(recording, 0, recording->duration);
    series->paths = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    choose_instants(series);
    if (!look(series, cancel))
        return NULL;
    if (!series->live_known) {
        /* Threads and ages have no past; their chart is that of classes, if chips allow. */
        series->n_aspects = G_N_ELEMENTS(fallback);
        series->aspects[0] = fallback[0];
        if (!look(series, cancel))
            return NULL;
    }
    if (series->live_known)
        make_bands(series);
    series->n_aspects = n_aspects;
    memcpy(series->aspects, aspects, n_aspects * sizeof *aspects);
    return g_steal_pointer(&series);
}

PmMemorySeries *pm_memory_series_ref(PmMemorySeries *series)
{
    g_return_val_if_fail(series, NULL);
    return g_atomic_rc_box_acquire(series);
}

void pm_memory_series_unref(PmMemorySeries *series)
{
    if (series)
        g_atomic_rc_box_release_full(series, series_clear);
}

gboolean pm_memory_series_is_of(const PmMemorySeries *series, const PmRecording *recording,
                                const PmFilter *filter, const PmMemoryAspect *aspects,
                                guint n_aspects)
{
    g_autoptr(PmFilter) chips = pm_filter_copy(filter);
    chips->from = chips->to = 0;
    return series && series->recording == recording && series->n_aspects == n_aspects &&
           memcmp(series->aspects, aspects, n_aspects * sizeof *aspects) == 0 &&
           pm_filter_equal(series->filter, chips);
}

int pm_memory_series_find(const PmMemorySeries *series, gint64 at)
{
    int low = 0, high = (int)series->n_instants;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (series->instants[middle].at <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low - 1;
}

guint pm_memory_series_band(const PmMemorySeries *series, guint64 key)
{
    guint band = 0;
    while (band < series->n_bands && series->bands[band].key != key)
        band++;
    return band;
}
