#include "viewer/analysis/evidence/margin.h"

#include <math.h>

#include "viewer/analysis/base/sum.h"

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

/* As good as how many samples is what the causes rest on? */
static double poll_of(const GArray *culprits)
{
    gint64 all = 0, owned = 0, kept = 0;
    for (guint i = 0; i < culprits->len; i++) {
        const PmCulprit *culprit = &g_array_index(culprits, PmCulprit, i);
        if (!culprit->cause.thread)
            continue;
        pm_sum_add(&all, culprit->time);
        pm_sum_add(&kept, culprit->kept_time);
        if (culprit->cause.kind == PM_CAUSE_OWNER)
            pm_sum_add(&owned, culprit->time);
    }
    return pm_product(kept, 2) >= all    ? PM_MARGIN_OF_KEEPERS
           : pm_product(owned, 2) >= all ? PM_MARGIN_OF_OWNERS
                                         : PM_MARGIN_OF_ENDERS;
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
        const double time = (double)(seen ? culprit->time : culprit->inferred_time);
        times[of[i]] += (double)culprit->time;
        if (culprit->cause.thread)
            placed[of[i]] += time;
        all += time;
        if (seen)
            squares += time * time / seen;
    }
    if (all <= 0 || charged <= 0)
        return;
    const double poll = 1 / (squares / (all * all) + 1 / poll_of(culprits));
    for (guint i = 0; i < n; i++)
        if (placed[i] > 0 && 2 * placed[i] >= times[i])
            causes[i].margin = all / (double)charged * pm_margin_of(placed[i] / all, poll);
}
