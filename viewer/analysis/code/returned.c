#include "viewer/analysis/code/returned.h"

/* So many times as often as at a line itself, threads are seen in what it calls. */
#define MIN_CALLS 2

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

guint8 *pm_returned_find(const PmRecording *r)
{
    g_autoptr(GHashTable) places = g_hash_table_new_full(place_hash, place_equal, g_free, NULL);
    guint8 *returns = g_new0(guint8, MAX(r->n_samples, 1));
    for (guint i = 0; i < r->n_samples; i++)
        count(r, places, i, 0, MIN(r->chains[r->samples[i].chain].n_frames, 1));
    for (guint i = 0; i < r->n_samples; i++)
        count(r, places, i, 1, r->chains[r->samples[i].chain].n_frames);
    for (guint i = 0; i < r->n_samples; i++) {
        const Place *place =
            r->chains[r->samples[i].chain].n_frames ? place_of(r, places, i, 0) : NULL;
        returns[i] = place && place->n_calls >= MIN_CALLS * place->n_here;
    }
    return returns;
}
