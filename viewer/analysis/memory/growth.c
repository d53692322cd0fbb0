#include "viewer/analysis/memory/growth.h"

#include <math.h>
#include <string.h>

#include "viewer/analysis/memory/memory-tree.h"

#define MAX_INSTANTS 48
#define CONSIDERED   0.6 /* of the time: what a program does as it begins says nothing */
#define MIN_RISES    0.7
#define MIN_LATE                                                                                   \
    0.1 /* of the growth lies in the last quarter of the time, where a quarter would               \
         */
#define MAX_FALL     0.5 /* of the growth: what comes and goes in waves ends on a crest by chance */
#define MIN_RELATIVE 0.2 /* growth, of what lived at first */
#define MIN_SHARE    0.05 /* of all that lives */
#define MIN_BYTES    (256.0 * 1024)

/* What lived of one class at one site, at each instant. */
typedef struct {
    guint32 class_index, chain;
    guint64 site;
    double chain_growth;
    PmEstimate at[MAX_INSTANTS];
    PmEstimate until_first, until_last; /* allocated until then */
} Series;

typedef struct {
    guint32 class_index;
    guint64 site;
} Key;

static guint key_hash(gconstpointer data)
{
    const Key *key = data;
    return key->class_index * 0x9E3779B1u ^ (guint)(key->site >> 32) * 31 ^ (guint)key->site;
}

static gboolean key_equal(gconstpointer a, gconstpointer b)
{
    const Key *x = a, *y = b;
    return x->class_index == y->class_index && x->site == y->site;
}

/* Of the snapshots after collections of old objects those that count, evenly thinned. */
static guint instants_of(const PmRecording *r, gint64 from, gint64 to, gint64 *ret_instants)
{
    g_autoptr(GArray) all = pm_memory_after_old(r, from, to);
    const gint64 *at = (const gint64 *)(gpointer)all->data;
    guint first = 0;
    if (all->len > 0) {
        const gint64 end = at[all->len - 1];
        const gint64 begin = end - (gint64)(CONSIDERED * (double)(end - MAX(from, 0)));
        while (first + PM_GROWTH_MIN_SNAPSHOTS < all->len && at[first] < begin)
            first++;
    }
    const guint n = all->len - first, kept = MIN(n, MAX_INSTANTS);
    for (guint i = 0; i < kept; i++)
        ret_instants[i] = at[first + (kept > 1 ? (guint)((guint64)i * (n - 1) / (kept - 1)) : 0)];
    return kept;
}

static Series *series_of(GHashTable *series, const PmRecording *r, const PmMemoryPart *part)
{
    const Key key = {part->class_index, pm_memory_site(r, part->chain)};
    return g_hash_table_lookup(series, &key);
}

static void add_state(GHashTable *series, const PmRecording *r, const PmMemoryState *state,
                      guint instant)
{
    for (guint i = 0; i < state->n_parts; i++) {
        const PmMemoryPart *part = &state->parts[i];
        const Key key = {part->class_index, pm_memory_site(r, part->chain)};
        Series *s = series_of(series, r, part);
        if (part->live.samples == 0 || part->class_index == 0)
            continue;
        if (!s) {
            s = g_new0(Series, 1);
            s->class_index = key.class_index;
            s->site = key.site;
            g_hash_table_insert(series, g_memdup2(&key, sizeof key), s);
        }
        pm_estimate_add(&s->at[instant], &part->live);
        if (part->live.bytes > s->chain_growth) {
            s->chain_growth = part->live.bytes;
            s->chain = part->chain;
        }
    }
}

/* What was allocated between the looks at what lived first and last. Nothing where that is not told
 * or where the coin was thrown. */
static void add_allocated(GHashTable *series, const PmRecording *r, gint64 first, gint64 last)
{
    g_autoptr(PmMemoryState) begin = pm_memory_state_new(r, first);
    g_autoptr(PmMemoryState) before = begin ? pm_memory_state_new(r, begin->last->live_at) : NULL;
    g_autoptr(PmMemoryState) end = pm_memory_state_new(r, last);
    if (!before || ((begin->last->flags | end->last->flags) & PM_MEMORY_LIVE_THINNED))
        return;
    for (guint i = 0; i < before->n_parts; i++) {
        Series *s = series_of(series, r, &before->parts[i]);
        if (s)
            pm_estimate_add(&s->until_first, &before->parts[i].total);
    }
    for (guint i = 0; i < end->n_parts; i++) {
        Series *s = series_of(series, r, &end->parts[i]);
        if (s)
            pm_estimate_add(&s->until_last, &end->parts[i].total);
    }
}

/* Of the growth. What lives at both instants was sampled once and errs in favour of neither: only
 * what came and what went does, and what came was allocated meanwhile. */
static double variance_of_growth(const Series *s, const PmEstimate *first, const PmEstimate *last)
{
    const PmEstimate new = pm_estimate_since(&s->until_last, &s->until_first);
    const double apart = first->bytes_variance + last->bytes_variance;
    if (new.samples < last->samples - first->samples ||
        new.bytes_variance < last->bytes_variance - first->bytes_variance)
        return apart;
    return MIN(apart, 2 * new.bytes_variance + first->bytes_variance - last->bytes_variance);
}

/* How much of what lives at the end may be there only because the sampler's bias rose meanwhile. */
static double doubtful_growth(const PmEstimate *first, const PmEstimate *last)
{
    const double rise = MAX(last->doubt, 1) / MAX(first->doubt, 1);
    return rise > 1 ? last->bytes * (1 - 1 / rise) : 0;
}

static guint count_rises(const Series *s, guint n)
{
    guint rises = 0;
    for (guint i = 0; i + 1 < n; i++)
        rises += s->at[i + 1].bytes > s->at[i].bytes;
    return rises;
}

/* The deepest fall from what lived at one instant to what did at a later one. */
static double greatest_fall(const Series *s, guint n)
{
    double most = 0, fall = 0;
    for (guint i = 0; i < n; i++) {
        most = MAX(most, s->at[i].bytes);
        fall = MAX(fall, most - s->at[i].bytes);
    }
    return fall;
}

/* The last instant up to which three quarters of the time have passed. */
static guint late_instant(const gint64 *instants, guint n)
{
    guint late = 0;
    const gint64 at = instants[0] + (instants[n - 1] - instants[0]) / 4 * 3;
    while (late + 2 < n && instants[late + 1] <= at)
        late++;
    return late;
}

static gboolean is_growth(const Series *s, const gint64 *instants, guint n, double all,
                          PmGrowth *ret_growth)
{
    const PmEstimate *first = &s->at[0], *last = &s->at[n - 1];
    const double growth = last->bytes - first->bytes;
    const double error = PM_ESTIMATE_SIGMAS * sqrt(variance_of_growth(s, first, last)) +
                         doubtful_growth(first, last);
    const double seconds = (double)(instants[n - 1] - instants[0]) / 1e9;
    const guint rises = count_rises(s, n);
    const double late = last->bytes - s->at[late_instant(instants, n)].bytes;
    if (growth - error <= 0 || growth < MIN_BYTES || growth < MIN_RELATIVE * first->bytes ||
        last->bytes < MIN_SHARE * all || rises < MIN_RISES * (n - 1) ||
        greatest_fall(s, n) > MAX_FALL * growth || late < MIN_LATE * growth || seconds <= 0)
        return FALSE;
    *ret_growth = (PmGrowth){.class_index = s->class_index,
                             .chain = s->chain,
                             .site = s->site,
                             .first = *first,
                             .last = *last,
                             .from = instants[0],
                             .to = instants[n - 1],
                             .n_snapshots = n,
                             .n_rises = rises,
                             .slope = growth / seconds,
                             .slope_low = (growth - error) / seconds,
                             .slope_high = (growth + error) / seconds,
                             .share = all > 0 ? last->bytes / all : 0};
    return TRUE;
}

static int compare_growth(gconstpointer a, gconstpointer b)
{
    const PmGrowth *x = a, *y = b;
    return (x->slope < y->slope) - (x->slope > y->slope);
}

GArray *pm_growth_find(const PmRecording *r, gint64 from, gint64 to)
{
    GArray *found = g_array_new(FALSE, FALSE, sizeof(PmGrowth));
    gint64 instants[MAX_INSTANTS];
    const guint n = instants_of(r, from, to, instants);
    if (n < PM_GROWTH_MIN_SNAPSHOTS)
        return found;
    g_autoptr(GHashTable) series = g_hash_table_new_full(key_hash, key_equal, g_free, g_free);
    double all = 0;
    for (guint i = 0; i < n; i++) {
        g_autoptr(PmMemoryState) state = pm_memory_state_new(r, instants[i]);
        add_state(series, r, state, i);
        all = state->live.bytes;
    }
    add_allocated(series, r, instants[0], instants[n - 1]);
    GHashTableIter iter;
    gpointer value;
    g_hash_table_iter_init(&iter, series);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        PmGrowth growth;
        if (is_growth(value, instants, n, all, &growth))
            g_array_append_val(found, growth);
    }
    g_array_sort(found, compare_growth);
    return found;
}
