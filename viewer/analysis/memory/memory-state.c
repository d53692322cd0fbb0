#include "viewer/analysis/memory/memory-state.h"

#include <math.h>

/* Where the JVM's sampler is biased the recorder has it draw 16 times as densely (thinning.h). At
 * draws of 32 KiB and less no bias was measured; at 64, 128, 256, 512 KiB and 1 MiB small objects
 * among large arrays were told 1.14, 1.37, 1.6, 2.3 and 2.8 times too large. */
#define UNBIASED_SINCE 25 /* JDK-8356372 */
#define UNBIASED_UP_TO 524288.0
#define MOST_DOUBT     8.0
/* On any JDK estimates of a program with a thread for each task, at such intervals, were wrong by
 * up to 1.4 times their bounds. */
#define MANY_THREADS 100
#define FEW_SAMPLES  8

static guint64 key_of(guint32 class_index, guint32 chain)
{
    return (guint64)class_index << 32 | chain;
}

static int compare_parts(gconstpointer a, gconstpointer b)
{
    const PmMemoryPart *x = a, *y = b;
    const guint64 p = key_of(x->class_index, x->chain), q = key_of(y->class_index, y->chain);
    return (p > q) - (p < q);
}

/* Of a chunk that was lost the cells that changed within it have no row any more: what the sums of
 * all say beyond the parts. */
static void add_rest(GArray *parts, const PmMemorySnapshot *last)
{
    PmEstimate total = {0}, live = {0};
    PmMemoryPart rest = {.total = pm_estimate_of_sum(&last->total),
                         .live = pm_estimate_of_sum(&last->live)};
    for (guint i = 0; i < parts->len; i++) {
        pm_estimate_add(&total, &g_array_index(parts, PmMemoryPart, i).total);
        pm_estimate_add(&live, &g_array_index(parts, PmMemoryPart, i).live);
    }
    rest.total = pm_estimate_since(&rest.total, &total);
    rest.live = pm_estimate_since(&rest.live, &live);
    if (rest.total.samples == 0 && rest.live.samples == 0)
        return;
    /* The recorder's own cell of this name, if any, is the first. */
    for (guint i = 0; i < parts->len; i++) {
        PmMemoryPart *part = &g_array_index(parts, PmMemoryPart, i);
        if (part->class_index == 0 && part->chain == 0) {
            pm_estimate_add(&part->total, &rest.total);
            pm_estimate_add(&part->live, &rest.live);
            return;
        }
    }
    g_array_append_val(parts, rest);
}

double pm_memory_interval(const PmRecording *r, gint64 at)
{
    double bytes = 0, weighted = 0, interval = 0;
    for (guint i = 0; i < r->n_snapshots && r->snapshots[i].at <= at; i++) {
        const PmMemorySnapshot *s = &r->snapshots[i];
        const double now = (double)MAX(s->interval, 0), new = (double)s->total.bytes - bytes;
        weighted += MAX(new, 0) * MAX(interval, now);
        bytes = MAX(bytes, (double)s->total.bytes);
        interval = now;
    }
    return bytes > 0 ? weighted / bytes : 0;
}

/* "OpenJDK 17.0.15" → 17; 0 when the text names no version. */
static guint64 major_of(const char *jvm)
{
    const char *digits = jvm ? jvm + strcspn(jvm, "0123456789") : "";
    return g_ascii_strtoull(digits, NULL, 10);
}

/* Do threads come and go so fast that most draw but a few samples? All draw them from one
 * generator, which begins anew with each. */
static gboolean are_threads_short(const PmRecording *r, gint64 at, double interval)
{
    double bytes = 0;
    guint n = 0;
    for (guint i = 0; i < r->n_snapshots && r->snapshots[i].at <= at; i++)
        bytes = MAX(bytes, (double)r->snapshots[i].total.bytes);
    for (guint i = 0; i < r->n_threads; i++) {
        const PmThread *thread = &r->threads[i];
        n += thread->begin_known && !thread->is_virtual && thread->begin <= at;
    }
    return n >= MANY_THREADS && bytes / n < FEW_SAMPLES * interval;
}

double pm_memory_doubt(const PmRecording *r, gint64 at)
{
    const double interval = pm_memory_interval(r, at);
    const guint64 major = major_of(r->facts.jvm);
    const gboolean is_old = major > 0 && major < UNBIASED_SINCE;
    if (interval <= UNBIASED_UP_TO || (!is_old && !are_threads_short(r, at, interval)))
        return 1;
    const double doublings = log2(interval / UNBIASED_UP_TO);
    /* 1.2, 1.5, 1.9, 2.5, 3.2 */
    return MIN(1 + 0.12 * doublings + 0.065 * doublings * doublings, MOST_DOUBT);
}

GArray *pm_memory_after_old(const PmRecording *r, gint64 from, gint64 to)
{
    GArray *instants = g_array_new(FALSE, FALSE, sizeof(gint64));
    gint64 old_gcs = 0;
    for (guint i = 0; i < r->n_snapshots; i++) {
        const PmMemorySnapshot *s = &r->snapshots[i];
        if (s->at >= from && s->at <= to && s->old_gcs > old_gcs && s->live_at != G_MININT64)
            g_array_append_val(instants, s->at);
        old_gcs = MAX(old_gcs, s->old_gcs);
    }
    return instants;
}

double pm_memory_unseen(const PmRecording *r, gint64 at)
{
    return PM_ESTIMATE_SIGMAS * PM_ESTIMATE_SIGMAS * pm_memory_interval(r, at);
}

static void set_interval(GArray *parts, double interval, double doubt)
{
    for (guint i = 0; i < parts->len; i++) {
        PmMemoryPart *part = &g_array_index(parts, PmMemoryPart, i);
        part->total.interval = part->live.interval = interval;
        part->total.doubt = part->live.doubt = doubt;
    }
}

PmMemoryState *pm_memory_state_new(const PmRecording *r, gint64 at)
{
    g_autoptr(GHashTable) places = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    GArray *parts = g_array_new(FALSE, FALSE, sizeof(PmMemoryPart));
    const PmMemorySnapshot *last = NULL;
    for (guint i = 0; i < r->n_snapshots && r->snapshots[i].at <= at; i++) {
        last = &r->snapshots[i];
        for (guint k = last->first_cell; k < last->first_cell + last->n_cells; k++) {
            const PmMemoryCell *cell = &r->cells[k];
            const guint64 key = key_of(cell->class_index, cell->chain);
            guint place = GPOINTER_TO_UINT(g_hash_table_lookup(places, &key));
            if (place == 0) {
                const PmMemoryPart part = {.class_index = cell->class_index, .chain = cell->chain};
                g_array_append_val(parts, part);
                place = parts->len;
                g_hash_table_insert(places, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(place));
            }
            PmMemoryPart *part = &g_array_index(parts, PmMemoryPart, place - 1);
            part->total = pm_estimate_of_sum(&cell->total);
            part->live = pm_estimate_of_sum(&cell->live);
        }
    }
    if (!last) {
        g_array_unref(parts);
        return NULL;
    }
    add_rest(parts, last);
    set_interval(parts, pm_memory_interval(r, at), pm_memory_doubt(r, at));
    g_array_sort(parts, compare_parts);
    PmMemoryState *state = g_new0(PmMemoryState, 1);
    state->last = last;
    state->total = pm_estimate_of_sum(&last->total);
    state->live = pm_estimate_of_sum(&last->live);
    state->n_parts = parts->len;
    state->parts = (PmMemoryPart *)g_array_free(parts, FALSE);
    return state;
}

void pm_memory_state_free(PmMemoryState *state)
{
    if (!state)
        return;
    g_free(state->parts);
    g_free(state);
}

const PmMemoryPart *pm_memory_state_find(const PmMemoryState *state, guint32 class_index,
                                         guint32 chain)
{
    guint low = 0, high = state->n_parts;
    const guint64 key = key_of(class_index, chain);
    while (low < high) {
        const guint middle = low + (high - low) / 2;
        const PmMemoryPart *part = &state->parts[middle];
        const guint64 at = key_of(part->class_index, part->chain);
        if (at == key)
            return part;
        if (at < key)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}
