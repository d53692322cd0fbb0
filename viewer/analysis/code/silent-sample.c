#include "viewer/analysis/code/silent-sample.h"

#include <string.h>

/* So many times as often threads of the group are seen elsewhere. */
#define MIN_OTHERS 2

/* A line that threads of a group were seen at. */
typedef struct {
    guint32 method, group;
    gint32 line;
    gint n_calls, n_here; /* not of its key: seen in what it calls, and in itself */
} Place;

static guint place_hash(gconstpointer key)
{
    const Place *place = key;
    return (place->method * 31 + place->group) * 31 + (guint)place->line;
}

static gboolean place_equal(gconstpointer left, gconstpointer right)
{
    const Place *a = left, *b = right;
    return a->method == b->method && a->group == b->group && a->line == b->line;
}

/* Where the sampled thread was `depth` calls out; NULL: no sample shows a thread there itself. */
static Place *place_of(const PmRecording *r, GHashTable *places, guint sample, guint depth)
{
    const PmOwnerSample *seen = &r->samples[sample];
    const PmFrame *frame = &r->chains[seen->chain].frames[depth];
    const Place key = {frame->method, r->threads[seen->owner].group, frame->line, 0, 0};
    Place *place = g_hash_table_lookup(places, &key);
    if (!place && depth == 0 && frame->line > 0)
        g_hash_table_add(places, place = g_memdup2(&key, sizeof key));
    return place;
}

static void count(const PmRecording *r, GHashTable *places, guint sample, guint from, guint to)
{
    for (guint depth = from; depth < to; depth++) {
        Place *place = place_of(r, places, sample, depth);
        if (place && depth)
            place->n_calls++;
        else if (place)
            place->n_here++;
    }
}

/* Does it wait in that instant, or wake a thread (PM_SAMPLE_OF_THEN)? */
static PmSampleUse use_of(const PmRecording *r, guint32 chain)
{
    static const struct {
        const char *class_name, *method;
        PmSampleUse use;
    } calls[] = {{"jdk.internal.misc.Unsafe", "park", PM_SAMPLE_SILENT},
                 {"java.lang.Object", "wait", PM_SAMPLE_SILENT},
                 {"java.lang.Object", "wait0", PM_SAMPLE_SILENT},
                 {"jdk.internal.misc.Unsafe", "unpark", PM_SAMPLE_OF_THEN},
                 {"java.lang.Object", "notify", PM_SAMPLE_OF_THEN},
                 {"java.lang.Object", "notifyAll", PM_SAMPLE_OF_THEN}};
    if (!r->chains[chain].n_frames)
        return PM_SAMPLE_TELLS;
    const PmMethod *method = &r->methods[r->chains[chain].frames[0].method];
    for (gsize i = 0; i < G_N_ELEMENTS(calls); i++)
        if (strcmp(method->name, calls[i].method) == 0 &&
            strcmp(r->classes[method->class_index].name, calls[i].class_name) == 0)
            return calls[i].use;
    return PM_SAMPLE_TELLS;
}

gboolean pm_chain_waits(const PmRecording *recording, guint32 chain)
{
    return use_of(recording, chain) == PM_SAMPLE_SILENT;
}

/* Of each group, how many samples are of who waits, less a part of the others. Owned. */
static gint *count_waiting(const PmRecording *r)
{
    gint *counts = g_new0(gint, MAX(r->n_groups, 1));
    for (guint i = 0; i < r->n_samples; i++)
        if (r->samples[i].chain)
            counts[r->threads[r->samples[i].owner].group] +=
                pm_chain_waits(r, r->samples[i].chain) ? MIN_OTHERS : -1;
    return counts;
}

guint8 *pm_silent_samples_find(const PmRecording *r)
{
    g_autoptr(GHashTable) places = g_hash_table_new_full(place_hash, place_equal, g_free, NULL);
    g_autofree gint *waiting = count_waiting(r);
    guint8 *silent = g_new0(guint8, MAX(r->n_samples, 1));
    for (guint i = 0; i < r->n_samples; i++)
        count(r, places, i, 0, MIN(r->chains[r->samples[i].chain].n_frames, 1));
    for (guint i = 0; i < r->n_samples; i++)
        count(r, places, i, 1, r->chains[r->samples[i].chain].n_frames);
    for (guint i = 0; i < r->n_samples; i++) {
        const PmOwnerSample *sample = &r->samples[i];
        const Place *place = r->chains[sample->chain].n_frames ? place_of(r, places, i, 0) : NULL;
        silent[i] = use_of(r, sample->chain);
        if (place && place->n_calls >= MIN_OTHERS * place->n_here)
            silent[i] = PM_SAMPLE_SILENT;
        else if (silent[i] == PM_SAMPLE_SILENT && waiting[r->threads[sample->owner].group] > 0)
            silent[i] = PM_SAMPLE_TELLS;
    }
    return silent;
}
