#include "viewer/analysis/memory/growth.h"

#include <math.h>
#include <string.h>

#include "viewer/analysis/memory/memory-tree.h"
#include "viewer/analysis/memory/trend.h"

#define MAX_INSTANTS PM_TREND_MOST
#define CONSIDERED   0.6 /* of the time: what a program does as it begins says nothing */
/* At last it grows by so much of what it would, if it grew evenly: in the last quarter of the time,
 * and while the last quarter and the last tenth of all that was allocated meanwhile was, since a
 * program that is kept from working does not grow. */
#define MIN_PACE     0.4
#define MANY_SAMPLES 20 /* of which less than so much come by chance once in 500 times */
/* Of the growth: what is lost again. What comes and goes in waves ends on a crest by chance. */
#define MAX_FALL 0.5
/* The chance of such a rise, if what lives went up and down at random: where what lived earlier is
 * known to live still, and where it may have been replaced meanwhile. */
#define MAX_CHANCE          0.05
#define MAX_CHANCE_REPLACED 0.005
/* Growth matters that is so much of what lived of it at first, and of all that lives at last; or
 * that would double all that lives in so long. */
/* An array that holds ever more is replaced by one twice as long, or half as long again, when it is
 * full: such steps, of a few objects, and the times they come at while as much is added as before.
 */
#define MIN_STEP      1.3
#define MAX_STEP_TIME 2.0 /* of the time from the step before */
#define MIN_STEPS     3
#define STEP_SAMPLES  8
#define EVEN          1.05 /* between two steps */
#define STEPS_FROM    0.05 /* of what lives at last */
#define MIN_RELATIVE  0.2
#define MIN_SHARE     0.05
#define SOON_S        86400.0
#define MIN_BYTES     (256.0 * 1024)

/* When is looked at what lives, and what had been allocated and lived of everything. */
typedef struct {
    guint n;
    gint64 at[MAX_INSTANTS], allocated[MAX_INSTANTS];
    double all;           /* that lives at last */
    gboolean still_known; /* Series.still */
} Looks;

/* What lived of one class at one site, at each instant. */
typedef struct {
    guint32 class_index, chain;
    guint64 site;
    double chain_growth;
    PmEstimate at[MAX_INSTANTS];
    PmEstimate until_first, until_last; /* allocated until then */
    double still[MAX_INSTANTS];         /* bytes that existed then and live at the end */
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

/* Of the snapshots after collections of old objects those of the last `part` of the time, evenly
 * thinned. */
static gboolean looks_of(const PmRecording *r, gint64 from, gint64 to, double part,
                         Looks *ret_looks)
{
    g_autoptr(GArray) all = pm_memory_after_old(r, from, to);
    const gint64 *at = (const gint64 *)(gpointer)all->data;
    guint first = 0;
    if (all->len > 0) {
        const gint64 end = at[all->len - 1];
        const gint64 begin = end - (gint64)(part * (double)(end - MAX(from, 0)));
        while (first + PM_GROWTH_MIN_SNAPSHOTS < all->len && at[first] < begin)
            first++;
    }
    const guint n = all->len - first, kept = MIN(n, MAX_INSTANTS);
    *ret_looks = (Looks){.n = kept};
    for (guint i = 0; i < kept; i++)
        ret_looks->at[i] = at[first + (kept > 1 ? (guint)((guint64)i * (n - 1) / (kept - 1)) : 0)];
    return kept >= PM_GROWTH_MIN_SNAPSHOTS && ret_looks->at[kept - 1] > ret_looks->at[0];
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

/* What existed at each instant and lives at the end, if that is known. */
static void add_still(GHashTable *series, const PmRecording *r, Looks *looks)
{
    looks->still_known = r->listed_at >= looks->at[looks->n - 1];
    for (guint i = 0; i < r->n_live && looks->still_known; i++) {
        const PmAllocation *object = &r->live[i];
        const PmMemoryPart part = {.class_index = object->class_index, .chain = object->chain};
        Series *s = series_of(series, r, &part);
        for (guint k = looks->n; s && k > 0 && looks->at[k - 1] >= object->at; k--)
            s->still[k - 1] += pm_estimate_of_object(object).bytes;
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

/* Does it rise, and not only by chance? Waves may be met at any height, and higher each time: then
 * only many instants tell, or that nothing of what was met is lost. */
static gboolean has_trend(const Series *s, const Looks *looks, double growth)
{
    double values[MAX_INSTANTS] = {0}, lost = 0;
    for (guint i = 0; i < looks->n; i++) {
        values[i] = s->at[i].bytes;
        lost = MAX(lost, s->at[i].bytes - s->still[i]);
    }
    const gboolean stays = looks->still_known && lost <= MAX_FALL * growth;
    return greatest_fall(s, looks->n) <= MAX_FALL * growth &&
           pm_trend_chance(values, looks->n) <= (stays ? MAX_CHANCE : MAX_CHANCE_REPLACED);
}

/* Whether it grows in the last `part` of the time, or of what else `clock` tells; or there it would
 * take less than so many samples to grow evenly. */
static gboolean goes_on(const Series *s, const gint64 *clock, guint n, double part,
                        double least_samples)
{
    guint late = n - 2;
    const PmEstimate *first = &s->at[0], *last = &s->at[n - 1];
    const double span = (double)(clock[n - 1] - clock[0]);
    while (late > 0 && (double)(clock[n - 1] - clock[late]) < part * span)
        late--;
    const double share = span > 0 ? (double)(clock[n - 1] - clock[late]) / span : 1;
    const double even = share * (last->bytes - first->bytes);
    return last->bytes - s->at[late].bytes >= MIN_PACE * even ||
           even * (double)last->samples < least_samples * last->bytes;
}

static PmGrowth growth_of(const Series *s, const Looks *looks, double error, guint rises)
{
    const PmEstimate *first = &s->at[0], *last = &s->at[looks->n - 1];
    const gint64 from = looks->at[0], to = looks->at[looks->n - 1];
    const double growth = last->bytes - first->bytes, seconds = (double)(to - from) / 1e9;
    return (PmGrowth){.class_index = s->class_index,
                      .chain = s->chain,
                      .site = s->site,
                      .first = *first,
                      .last = *last,
                      .from = from,
                      .to = to,
                      .n_snapshots = looks->n,
                      .n_rises = rises,
                      .slope = growth / seconds,
                      .slope_low = (growth - error) / seconds,
                      .slope_high = (growth + error) / seconds,
                      .share = looks->all > 0 ? last->bytes / looks->all : 0};
}

static gboolean matters(const PmGrowth *growth, double all)
{
    const double bytes = growth->last.bytes - growth->first.bytes;
    const gboolean is_much =
        bytes >= MIN_RELATIVE * growth->first.bytes && growth->share >= MIN_SHARE;
    return bytes >= MIN_BYTES && (is_much || growth->slope * SOON_S >= all);
}

static gboolean is_growth(const Series *s, const Looks *looks, PmGrowth *ret_growth)
{
    const PmEstimate *first = &s->at[0], *last = &s->at[looks->n - 1];
    const double growth = last->bytes - first->bytes;
    const double variance = variance_of_growth(s, first, last);
    const double error = PM_ESTIMATE_SIGMAS * sqrt(variance) + doubtful_growth(first, last);
    *ret_growth = growth_of(s, looks, error, count_rises(s, looks->n));
    return growth > error && matters(ret_growth, looks->all) && has_trend(s, looks, growth) &&
           goes_on(s, looks->at, looks->n, 0.25, 0) &&
           goes_on(s, looks->allocated, looks->n, 0.25, 0) &&
           goes_on(s, looks->allocated, looks->n, 0.1, MANY_SAMPLES);
}

/* Are there steps only, up, and did the last come no later than it had to? */
static gboolean has_steps(const Series *s, const Looks *looks, guint *ret_steps)
{
    const gint64 *instants = looks->at;
    const guint n = looks->n;
    gint64 at[MAX_INSTANTS], grain = 0;
    guint steps = 0, first = 0;
    while (first + 1 < n && s->at[first].bytes < STEPS_FROM * s->at[n - 1].bytes)
        first++;
    for (guint i = first + 1; i < n; i++) {
        const PmEstimate *before = &s->at[i - 1], *now = &s->at[i];
        const double ratio = now->bytes / before->bytes, rise = now->bytes - before->bytes;
        const double error =
            PM_ESTIMATE_SIGMAS * sqrt(before->bytes_variance + now->bytes_variance);
        if (fabs(rise) > error && (ratio < 1 / EVEN || (ratio > EVEN && ratio < MIN_STEP)))
            return FALSE;
        if (rise > error && ratio >= MIN_STEP)
            at[steps++] = instants[i];
        grain = MAX(grain, instants[i] - instants[i - 1]);
    }
    if (steps < MIN_STEPS)
        return FALSE;
    const double before = (double)(at[steps - 2] - at[steps - 3] + grain);
    const double last = (double)(at[steps - 1] - at[steps - 2]);
    *ret_steps = steps;
    return last <= MAX_STEP_TIME * before + (double)grain &&
           (double)(instants[n - 1] - at[steps - 1]) <= MAX_STEP_TIME * last + (double)grain;
}

static gboolean is_growth_in_steps(const Series *s, const Looks *looks, PmGrowth *ret_growth)
{
    const PmEstimate *first = &s->at[0], *last = &s->at[looks->n - 1];
    const double growth = last->bytes - first->bytes;
    const double error = PM_ESTIMATE_SIGMAS * sqrt(first->bytes_variance + last->bytes_variance) +
                         doubtful_growth(first, last);
    guint steps;
    if (last->samples > STEP_SAMPLES || growth <= error || growth < MIN_BYTES ||
        last->bytes < MIN_SHARE * looks->all || !has_steps(s, looks, &steps))
        return FALSE;
    *ret_growth = growth_of(s, looks, error, steps);
    return TRUE;
}

static int compare_growth(gconstpointer a, gconstpointer b)
{
    const PmGrowth *x = a, *y = b;
    return (x->slope < y->slope) - (x->slope > y->slope);
}

/* The series of all that lived, at each look. Owned. */
static GHashTable *series_at(const PmRecording *r, Looks *looks)
{
    GHashTable *series = g_hash_table_new_full(key_hash, key_equal, g_free, g_free);
    for (guint i = 0; i < looks->n; i++) {
        g_autoptr(PmMemoryState) state = pm_memory_state_new(r, looks->at[i]);
        add_state(series, r, state, i);
        looks->allocated[i] = (gint64)state->total.bytes;
        looks->all = state->live.bytes;
    }
    return series;
}

static gboolean is_found(const GArray *found, const Series *s)
{
    for (guint i = 0; i < found->len; i++) {
        const PmGrowth *growth = &g_array_index(found, PmGrowth, i);
        if (growth->class_index == s->class_index && growth->site == s->site)
            return TRUE;
    }
    return FALSE;
}

static void find(GHashTable *series, const Looks *looks,
                 gboolean (*is)(const Series *s, const Looks *looks, PmGrowth *ret_growth),
                 GArray *found)
{
    GHashTableIter iter;
    gpointer value;
    g_hash_table_iter_init(&iter, series);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        PmGrowth growth;
        if (!is_found(found, value) && is(value, looks, &growth))
            g_array_append_val(found, growth);
    }
}

GArray *pm_growth_find(const PmRecording *r, gint64 from, gint64 to)
{
    GArray *found = g_array_new(FALSE, FALSE, sizeof(PmGrowth));
    Looks looks;
    if (looks_of(r, from, to, CONSIDERED, &looks)) {
        g_autoptr(GHashTable) series = series_at(r, &looks);
        add_allocated(series, r, looks.at[0], looks.at[looks.n - 1]);
        add_still(series, r, &looks);
        find(series, &looks, is_growth, found);
    }
    if (looks_of(r, from, to, 1, &looks)) {
        g_autoptr(GHashTable) series = series_at(r, &looks);
        find(series, &looks, is_growth_in_steps, found);
    }
    g_array_sort(found, compare_growth);
    return found;
}
