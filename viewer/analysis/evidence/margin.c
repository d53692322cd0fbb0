#include "viewer/analysis/evidence/margin.h"

#include <math.h>

#define Z 1.96 /* of 19 in 20 */

double pm_margin_of(double share, double n)
{
    if (n <= 0)
        return 0;
    const double scale = 1 / (1 + Z * Z / n);
    const double middle = scale * (share + Z * Z / (2 * n));
    const double half = scale * Z * sqrt(share * (1 - share) / n + Z * Z / (4 * n * n));
    return MAX(share - middle, middle - share) + half;
}

/* How many samples show each of the culprits' stack traces. Owned. */
static GHashTable *count_samples(const PmView *view, const GArray *culprits)
{
    const PmRecording *r = view->recording;
    GHashTable *counts = g_hash_table_new(NULL, NULL);
    for (guint i = 0; i < culprits->len; i++) {
        const PmFindingCause *cause = &g_array_index(culprits, PmCulprit, i).cause;
        if (cause->thread && cause->chain)
            g_hash_table_insert(counts, GUINT_TO_POINTER(cause->chain), NULL);
    }
    for (guint i = 0; i < r->n_samples; i++) {
        const PmOwnerSample *sample = &r->samples[i];
        gpointer key = GUINT_TO_POINTER(sample->chain), value;
        if (sample->at >= view->from && sample->at < view->to &&
            g_hash_table_lookup_extended(counts, key, NULL, &value))
            g_hash_table_insert(counts, key, GUINT_TO_POINTER(GPOINTER_TO_UINT(value) + 1));
    }
    return counts;
}

void pm_margins_find(const PmView *view, const GArray *culprits, const guint *of, gint64 charged,
                     PmFindingCause *causes, guint n)
{
    g_autoptr(GHashTable) counts = count_samples(view, culprits);
    g_autofree double *placed = g_new0(double, MAX(n, 1)), *times = g_new0(double, MAX(n, 1));
    double all = 0, squares = 0;
    for (guint i = 0; i < culprits->len; i++) {
        const PmCulprit *culprit = &g_array_index(culprits, PmCulprit, i);
        const guint seen =
            GPOINTER_TO_UINT(g_hash_table_lookup(counts, GUINT_TO_POINTER(culprit->cause.chain)));
        times[of[i]] += (double)culprit->time;
        if (!seen)
            continue;
        placed[of[i]] += (double)culprit->time;
        all += (double)culprit->time;
        squares += (double)culprit->time * (double)culprit->time / seen;
    }
    if (all <= 0 || charged <= 0)
        return;
    for (guint i = 0; i < n; i++)
        if (placed[i] > 0 && 2 * placed[i] >= times[i])
            causes[i].margin =
                all / (double)charged * pm_margin_of(placed[i] / all, all * all / squares);
}
