#include "viewer/analysis/evidence/evidence.h"

#include <string.h>

#include "viewer/analysis/slices/hold.h"
#include "viewer/analysis/aggregation/lock-chain.h"
#include "viewer/analysis/memory/held.h"
#include "viewer/analysis/recording/label.h"

#define MIN_AFTER_WAIT 0.1
#define MIN_SAMPLES    5 /* of allocations */
#define MIN_ALLOCATED  (1024.0 * 1024)
#define MIN_COVERED    0.1 /* by the measured holds, of the time that they are blamed for */

void pm_evidence_add(PmFinding *finding, gboolean exact, char *text)
{
    finding->evidence = g_renew(PmEvidence, finding->evidence, finding->n_evidence + 1);
    finding->evidence[finding->n_evidence++] = (PmEvidence){.text = text, .exact = exact};
}

/* Others waited because of it, whatever they did, at least so long. */
static double blamed_for(const PmFinding *finding, const PmFindingCause *cause)
{
    guint n = 0;
    for (guint i = 0; i < finding->n_victims; i++)
        n += finding->victims[i].n_threads;
    return n ? cause->share * (double)finding->thread_time / n : 0;
}

void pm_evidence_add_hold(PmFinding *finding, const PmRecording *r, const PmContention *contention)
{
    const PmFindingCause *first = finding->n_causes ? finding->causes : NULL;
    PmMeasuredHold all = pm_hold_measure(contention, finding->blocker, finding->from, finding->to);
    if (!all.n)
        return;
    if (first && first->kind == PM_CAUSE_OWNER && first->method) {
        /* It gives back where it took: a method that is called meanwhile does not. */
        const guint32 methods[] = {first->method, first->taker};
        PmMeasuredHold own = {0};
        guint32 method = 0;
        for (guint i = 0; i < G_N_ELEMENTS(methods) && methods[i] && !own.n; i++) {
            method = methods[i];
            own = pm_hold_measure_by(contention, r, finding->blocker, method, finding->from,
                                     finding->to);
        }
        g_autofree char *name = pm_label_method(r, method);
        g_autofree char *mean = pm_label_duration(pm_rounded(own.mean));
        const gboolean few = own.n && own.mean * own.n < MIN_COVERED * blamed_for(finding, first);
        if (few) {
            pm_evidence_add(finding, TRUE,
                            g_strdup_printf("the holds by %s that were measured (%u, %s at a time) "
                                            "are less than a tenth of the time that others waited "
                                            "because of it",
                                            name, own.n, mean));
        } else if (own.n && (own.n < all.n || method != first->method)) {
            pm_evidence_add(finding, TRUE,
                            g_strdup_printf("%s held it %s at a time, measured %u %s", name, mean,
                                            own.n, own.n == 1 ? "time" : "times"));
            if (own.n == all.n)
                return;
        } else if (!own.n) {
            pm_evidence_add(
                finding, TRUE,
                g_strdup_printf("how long %s held it at a time was not measured", first->culprit));
        }
        if ((few || !own.n) && first->share >= 0.5) /* others' holds would seem to be its own */
            return;
    }
    g_autofree char *mean = pm_label_duration(pm_rounded(all.mean));
    pm_evidence_add(finding, TRUE,
                    g_strdup_printf("held %s at a time%s, measured %u %s", mean,
                                    finding->n_evidence ? ", by any thread" : "", all.n,
                                    all.n == 1 ? "time" : "times"));
}

void pm_evidence_add_held(PmFinding *finding, const PmContention *contention)
{
    const guint n = pm_contention_held_at_once(contention, finding->blocker);
    if (n > 0)
        pm_evidence_add(finding, FALSE,
                        g_strdup_printf("as far as seen %u %s held at a time: if there are more, "
                                        "others keep them without a wait",
                                        n, n == 1 ? "is" : "are"));
}

void pm_evidence_add_after_wait(PmFinding *finding, const PmMetrics *metrics)
{
    if (finding->kind != PM_KIND_ENTER || finding->thread_time <= 0)
        return;
    for (gsize i = 0; i < metrics->n; i++) {
        const PmMetricsRow *row = &metrics->rows[i];
        if (row->blocker != finding->blocker || row->kind != finding->kind)
            continue;
        double share = (double)row->after_wait / (double)finding->thread_time;
        if (share >= MIN_AFTER_WAIT)
            pm_evidence_add(
                finding, TRUE,
                g_strdup_printf("%.0f %% of the time is re-entering it after Object.wait",
                                100 * MIN(share, 1)));
        return;
    }
}

void pm_evidence_add_allocations(PmFinding *finding, const PmRecording *r,
                                 const PmContention *contention)
{
    const PmHeldAllocations held =
        pm_held_allocations(r, contention, finding->blocker, finding->from, finding->to);
    const PmBounds bounds = pm_estimate_bytes(&held.total);
    if (held.total.samples < MIN_SAMPLES || bounds.low < MIN_ALLOCATED)
        return;
    g_autofree char *bytes = pm_label_bytes((guint64)held.total.bytes);
    g_autofree char *low = pm_label_bytes((guint64)bounds.low);
    g_autofree char *code = pm_label_chain(r, held.chain, 2);
    g_autofree char *class = pm_label_class(r->classes[held.class_index].name);
    pm_evidence_add(
        finding, FALSE,
        g_strdup_printf("owners allocated %s (at least %s) while others waited for it, %.0f %% of "
                        "that in %s (%s)",
                        bytes, low, 100 * held.share, code, class));
}

void pm_evidence_add_certainty(PmFinding *finding, double inferred)
{
    /* What would be written 100.0 % is all, what would be 0.0 % is nothing. */
    const gboolean all = inferred >= 0.9995, none = inferred < 0.0005;
    pm_evidence_add(finding, none,
                    all    ? g_strdup("the cause is inferred for all of the time")
                    : none ? g_strdup("the cause is exact for all of the time")
                           : g_strdup_printf("the cause is exact for %.1f %% of the time, inferred "
                                             "for the rest",
                                             100 * (1 - inferred)));
}

/* "held half as long: waiting 174 s -> 85.2 s, 2.0 times as fast (model)" */
void pm_evidence_add_prediction(PmFinding *finding, const PmView *view,
                                const PmContention *contention)
{
    static const double factors[] = {0.5, 0.25};
    static const char *const words[] = {"held half as long", "held a quarter as long"};
    PmWhatIf what_ifs[G_N_ELEMENTS(factors)];
    if (!pm_whatif_compute(view, contention, finding->blocker, factors, G_N_ELEMENTS(factors),
                           what_ifs) ||
        !pm_whatif_fits(&what_ifs[0]))
        return;
    for (gsize i = 0; i < G_N_ELEMENTS(factors); i++) {
        const PmWhatIf *what = &what_ifs[i];
        g_autofree char *now = pm_label_duration(what->waiting);
        g_autofree char *then = pm_label_duration(what->waiting_then);
        char speed[G_ASCII_DTOSTR_BUF_SIZE];
        g_ascii_formatd(speed, sizeof speed, "%.2f", what->speed_up);
        g_autofree char *threads = what->is_once
                                       ? g_strdup("if as many threads come as now")
                                       : g_strdup_printf("its threads %s times as fast", speed);
        pm_evidence_add(
            finding, FALSE,
            g_strdup_printf("%s: waiting %s -> %s, %s (model)", words[i], now, then, threads));
        finding->evidence[finding->n_evidence - 1].model = TRUE;
        finding->what_ifs[finding->n_what_ifs++] = *what;
    }
}

guint32 pm_evidence_add_convoy(PmFinding *finding, const PmSearch *search)
{
    const PmView *view = search->summary->metrics->view;
    const PmRecording *r = view->recording;
    PmLockLink links[6];
    guint n = pm_lock_chain_follow(view, search->contention, search->links, finding->blocker, links,
                                   G_N_ELEMENTS(links));
    if (n == 0)
        return 0;
    for (guint i = 0; i < n; i++) {
        g_autofree char *from = pm_label_blocker_short(r, links[i].blocker);
        g_autofree char *to = pm_label_blocker(r, links[i].next);
        pm_evidence_add(
            finding, !links[i].estimated,
            g_strdup_printf("for %.0f %% of the time that %s was held, its owner waited for %s",
                            100.0 * (double)links[i].thread_time /
                                (double)MAX(links[i].owner_time, 1),
                            from, to));
    }
    return links[0].next;
}
