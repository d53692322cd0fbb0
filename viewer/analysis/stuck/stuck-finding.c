#include "viewer/analysis/stuck/stuck-finding.h"

#include <math.h>

#include "viewer/analysis/code/own-code.h"
#include "viewer/analysis/evidence/culprit.h"
#include "viewer/analysis/evidence/evidence.h"
#include "viewer/analysis/evidence/keeper.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/analysis/recording/recording-private.h"
#include "viewer/analysis/stuck/still-waiting.h"
#include "viewer/analysis/base/sum.h"

#define MIN_PART 20 /* one of so many ends is often */

PmFinding pm_stuck_finding(const PmSearch *search, const guint32 *rows, guint n)
{
    const PmSummary *summary = search->summary;
    const PmView *view = summary->metrics->view;
    const PmWaits *w = &view->recording->waits;
    PmFinding finding = {.blocker = pm_wait_blocker(w, rows[0]),
                         .kind = pm_wait_kind(w, rows[0]),
                         .category = pm_wait_category(w, rows[0]),
                         .chain = pm_wait_chain(w, rows[0]),
                         .waits = n,
                         .from = view->from,
                         .to = view->to};
    g_autoptr(GHashTable) victims = g_hash_table_new(NULL, NULL);
    for (guint i = 0; i < n; i++) {
        gint64 time = pm_view_clip(view, rows[i]);
        g_hash_table_add(search->told, pm_finding_told_key(pm_wait_blocker(w, rows[i]),
                                                           pm_wait_kind(w, rows[i])));
        pm_sum_add(&finding.thread_time, time);
        finding.longest = MAX(finding.longest, time);
        guint group = view->recording->threads[pm_wait_thread(w, rows[i])].group;
        guint known = GPOINTER_TO_UINT(g_hash_table_lookup(victims, GUINT_TO_POINTER(group)));
        if (!known) {
            finding.victims = g_renew(PmVictim, finding.victims, finding.n_victims + 1);
            finding.victims[finding.n_victims++] = (PmVictim){.group = group, .busy_share = NAN};
            known = finding.n_victims;
            g_hash_table_insert(victims, GUINT_TO_POINTER(group), GUINT_TO_POINTER(known));
        }
        finding.victims[known - 1].n_threads++;
        pm_sum_add(&finding.victims[known - 1].thread_time, time);
    }
    pm_finding_sort_victims(finding.victims, finding.n_victims);
    finding.mean_threads = view->known > 0 ? (double)finding.thread_time / view->known : 0;
    if (pm_category_family(finding.category) == PM_FAMILY_RESOURCE)
        finding.advice = g_strdup(PM_KEEPER_ADVICE);
    return finding;
}

void pm_stuck_share_evenly(PmFinding *finding)
{
    for (guint i = 0; i < finding->n_causes; i++)
        finding->causes[i].share = 1.0 / finding->n_causes;
}

char *pm_stuck_victims_text(const PmRecording *r, const PmFinding *finding)
{
    const PmVictim *victim = &finding->victims[0];
    g_autofree char *who = pm_summary_group_text(r, victim->group, victim->n_threads);
    if (finding->n_victims == 1)
        return g_steal_pointer(&who);
    return g_strdup_printf("%s and %u more %s", who, finding->n_victims - 1,
                           finding->n_victims == 2 ? "group" : "groups");
}

/* Does it wait in such a call for another one, or in a task of such a loop, or of `pools`, for
 * another task? */
static gboolean is_nested(const PmRecording *r, guint32 chain, gboolean pools)
{
    return pm_knot_is_nested(r, chain) ||
           (pm_label_is_in_task(r, chain) && (pools || !pm_label_is_in_pool(r, chain)) &&
            pm_label_is_within(r, chain, G_MAXUINT, "java.util.concurrent.FutureTask", "get"));
}

/* Where a call like that of `chain` is made in another one: a frame of `chain` that no wait for the
 * first of both is in. */
static gint nested_frame(const PmRecording *r, guint32 chain, gboolean pools)
{
    const guint32 *methods = pm_recording_private(r)->chain_method;
    g_autoptr(GHashTable) others = g_hash_table_new(NULL, NULL);
    for (guint32 c = 1; c < r->n_chains; c++)
        if (methods[c] == methods[chain] && !is_nested(r, c, pools))
            g_hash_table_add(others, GUINT_TO_POINTER(c));
    return pm_culprit_frame_apart(r, chain, others);
}

gboolean pm_stuck_add_nested(const PmRecording *r, PmFinding *finding, const guint32 *rows, guint n,
                             gboolean pools)
{
    g_autoptr(GHashTable) chains = g_hash_table_new(NULL, NULL);
    for (guint i = 0; i < n && g_hash_table_size(chains) < PM_STUCK_MAX; i++) {
        const guint32 thread = pm_wait_thread(&r->waits, rows[i]);
        const guint32 chain = pm_wait_chain(&r->waits, rows[i]);
        if (pm_category_family(pm_wait_category(&r->waits, rows[i])) != PM_FAMILY_JOIN ||
            !is_nested(r, chain, pools) || !g_hash_table_add(chains, GUINT_TO_POINTER(chain)))
            continue;
        const gint frame = nested_frame(r, chain, pools);
        const char *code =
            pm_finding_add_cause_from(finding, r, PM_CAUSE_WAKER, thread, chain, frame);
        pm_evidence_add(finding, FALSE,
                        g_strdup_printf("%s waits inside such a call for another one, in %s: what "
                                        "it waits for may depend on what others wait for",
                                        r->threads[thread].name, code));
        if (frame < 0 || g_hash_table_size(chains) > 1)
            continue;
        g_autofree char *method = pm_label_method(r, r->chains[chain].frames[frame].method);
        pm_finding_add_to_title(finding,
                                g_strdup_printf("%s asks for one inside such a call", method));
    }
    return g_hash_table_size(chains) > 0;
}

gboolean pm_stuck_givers_have_ended(const PmSearch *search, const PmOperation *operation,
                                    guint32 waiter)
{
    const PmRecording *r = search->operations->recording;
    const gpointer own = pm_operation_ender(r, waiter);
    guint n_ends = 0;
    for (guint32 t = 1; t < r->n_threads; t++) {
        const gpointer key = pm_operation_ender(r, t);
        const guint n = GPOINTER_TO_UINT(g_hash_table_lookup(operation->enders, key));
        if (key == own || n * MIN_PART < operation->n_ends)
            continue;
        if (pm_summary_lives(r, t, search->summary->at) &&
            !(r->threads[t].is_virtual && !search->operations->waiting[t]))
            return FALSE;
        n_ends = MAX(n_ends, n);
    }
    return n_ends * 2 > operation->n_ends;
}

gboolean pm_stuck_add_ended(const PmSearch *search, gpointer enders, PmFinding *finding)
{
    const PmSummary *summary = search->summary;
    const PmRecording *r = search->operations->recording;
    for (guint i = 0; i < summary->n_still; i++) {
        const PmStillWaiting *still = &summary->still[i];
        const PmOperation *operation = pm_operations_find(search->operations, still->rows[0]);
        if (pm_operation_ender(r, still->first_thread) != enders || !operation ||
            operation->n_ends < PM_STILL_MIN_EARLIER ||
            !pm_stuck_givers_have_ended(search, operation, still->first_thread))
            continue;
        const PmThread *thread = &r->threads[operation->giver_thread];
        const char *giver = r->groups[thread->group].shown, *taker = r->groups[still->group].shown;
        const char *how = thread->is_virtual ? "gives no more" : "has ended";
        g_autofree char *gave = pm_label_code(r, operation->giver, 2);
        g_autofree char *waits = pm_label_code_method(r, still->chain);
        pm_finding_add_to_title(
            finding, g_strdup_printf("%s, which gave what %s waits for, %s", giver, taker, how));
        pm_finding_add_cause(finding, r, PM_CAUSE_WAKER, operation->giver_thread, operation->giver);
        pm_evidence_add(finding, FALSE,
                        g_strdup_printf("%s waits in %s for what %s gave in %s, which %s", taker,
                                        waits, giver, gave, how));
        return TRUE;
    }
    return FALSE;
}

void pm_stuck_add_who_asks(const PmSummary *summary, PmFinding *finding, guint32 row)
{
    const PmRecording *r = summary->metrics->view->recording;
    const PmOwnCode *own = pm_own_code(r);
    if (pm_own_frame(own, pm_wait_chain(&r->waits, row)) >= 0)
        return;
    for (guint i = 0; i < summary->n_still; i++) {
        const PmStillWaiting *still = &summary->still[i];
        if (pm_operation_key(r, still->rows[0]) != pm_operation_key(r, row) ||
            pm_own_frame(own, still->chain) < 0)
            continue;
        g_autofree char *method = pm_label_code_method(r, still->chain);
        pm_finding_add_to_title(finding, g_strdup_printf("%s waits for such results in %s",
                                                         r->groups[still->group].shown, method));
        pm_finding_add_cause(finding, r, PM_CAUSE_WAKER, still->first_thread, still->chain);
        return;
    }
}
