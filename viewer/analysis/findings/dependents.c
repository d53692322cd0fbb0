#include "viewer/analysis/findings/dependents.h"

#include "viewer/analysis/aggregation/intervals.h"
#include "viewer/analysis/base/sum.h"
#include "viewer/analysis/evidence/evidence.h"

#define NEARLY_ALL 0.9

/* Of waits for results, those within the pool and those outside that the pool ends. */
typedef struct {
    gint64 within, of_own; /* in all, and ended by the pool itself */
    GArray *inner, *outer; /* of PmInterval: of_own and those outside */
    gint64 *lost;          /* by group: outside */
} Waits;

static void add_wait(Waits *waits, const PmSearch *search, guint32 pool, guint32 row)
{
    const PmView *view = search->summary->metrics->view;
    const PmRecording *r = view->recording;
    const PmWaits *w = &r->waits;
    const guint32 group = r->threads[pm_wait_thread(w, row)].group;
    const gint64 time = pm_view_clip(view, row);
    const PmInterval interval = {pm_wait_begin(w, row), pm_wait_end(w, row)};
    guint32 ender = 0, chain;
    const gboolean own = pm_contention_ender(search->contention, row, &ender, &chain) &&
                         r->threads[ender].group == pool;
    if (group == pool) {
        pm_sum_add(&waits->within, time);
        pm_sum_add(&waits->of_own, own ? time : 0);
        if (own)
            g_array_append_val(waits->inner, interval);
    } else if (own) {
        pm_sum_add(&waits->lost[group], time);
        g_array_append_val(waits->outer, interval);
    }
}

static Waits waits_of(const PmSearch *search, guint32 pool)
{
    const PmView *view = search->summary->metrics->view;
    const PmRecording *r = view->recording;
    Waits waits = {.inner = g_array_new(FALSE, FALSE, sizeof(PmInterval)),
                   .outer = g_array_new(FALSE, FALSE, sizeof(PmInterval)),
                   .lost = g_new0(gint64, MAX(r->n_groups, 1))};
    for (gsize i = 0; i < view->n; i++) {
        const guint32 row = pm_view_row(view, i);
        if (pm_category_family(pm_wait_category(&r->waits, row)) == PM_FAMILY_JOIN)
            add_wait(&waits, search, pool, row);
    }
    return waits;
}

/* Does nearly all of the waiting within the pool go on while somebody outside waits for it? */
static gboolean is_asked_for(const Waits *waits)
{
    gint64 all = 0, covered = 0;
    g_autoptr(PmIntervals) outer = pm_intervals_new(waits->outer);
    for (guint i = 0; i < waits->inner->len; i++) {
        const PmInterval *inner = &g_array_index(waits->inner, PmInterval, i);
        pm_sum_add(&all, inner->end - inner->begin);
        pm_sum_add(&covered, pm_intervals_within(outer, inner->begin, inner->end));
    }
    return waits->outer->len > 0 && (double)covered >= NEARLY_ALL * (double)all;
}

/* The group outside that loses the greatest part of its busy time. */
static const PmGroupTime *first_loser(const PmSummary *summary, const gint64 *lost,
                                      double *ret_share, gint64 *ret_all)
{
    const PmGroupTime *first = NULL;
    *ret_share = 0;
    *ret_all = 0;
    for (guint i = 0; i < summary->n_groups; i++) {
        const PmGroupTime *group = &summary->groups[i];
        const double share = group->busy > 0 ? (double)lost[group->group] / (double)group->busy : 0;
        pm_sum_add(ret_all, lost[group->group]);
        if (!first || share > *ret_share) {
            first = group;
            *ret_share = share;
        }
    }
    return first;
}

gboolean pm_dependents_lose_little(const PmSearch *search, PmFinding *finding, double busy_share,
                                   double mean_threads)
{
    const PmSummary *summary = search->summary;
    const PmView *view = summary->metrics->view;
    if (finding->category != PM_CATEGORY_FUTURE || finding->n_victims != 1 ||
        !summary->pools[finding->victims[0].group])
        return FALSE;
    const Waits waits = waits_of(search, finding->victims[0].group);
    double share;
    gint64 all;
    const PmGroupTime *loser = first_loser(summary, waits.lost, &share, &all);
    const gboolean little =
        loser && share < busy_share && (double)all < mean_threads * (double)view->recorded &&
        (double)waits.of_own >= NEARLY_ALL * (double)waits.within && is_asked_for(&waits);
    if (little) {
        g_autofree char *who =
            pm_summary_group_text(view->recording, loser->group, loser->n_threads);
        pm_evidence_add(finding, TRUE,
                        g_strdup_printf("these tasks wait for others of their own pool; of those "
                                        "who wait for the pool meanwhile, %s loses most, %s%.1f %% "
                                        "of its busy time",
                                        who, search->estimated ? "~" : "", 100 * share));
    }
    g_array_unref(waits.inner);
    g_array_unref(waits.outer);
    g_free(waits.lost);
    return little;
}
