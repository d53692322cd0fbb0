#include "viewer/analysis/findings/evidence.h"

#include <string.h>

#include "viewer/analysis/causes/hold.h"
#include "viewer/analysis/findings/lock-chain.h"
#include "viewer/analysis/recording/label.h"

void pm_evidence_add(PmFinding *finding, gboolean exact, char *text)
{
    finding->evidence = g_renew(PmEvidence, finding->evidence, finding->n_evidence + 1);
    finding->evidence[finding->n_evidence++] = (PmEvidence){.text = text, .exact = exact};
}

void pm_evidence_add_hold(PmFinding *finding, const PmContention *contention)
{
    PmMeasuredHold hold = pm_hold_measure(contention, finding->blocker, finding->from, finding->to);
    if (!hold.n)
        return;
    g_autofree char *mean = pm_label_duration(pm_rounded(hold.mean));
    pm_evidence_add(finding, TRUE,
                    g_strdup_printf("held %s at a time, measured %u times", mean, hold.n));
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
        pm_evidence_add(
            finding, FALSE,
            g_strdup_printf("%s: waiting %s -> %s, its threads %s times as fast (model)", words[i],
                            now, then, speed));
        finding->evidence[finding->n_evidence - 1].model = TRUE;
        finding->what_ifs[finding->n_what_ifs++] = *what;
    }
}

guint32 pm_evidence_add_convoy(PmFinding *finding, const PmView *view,
                               const PmContention *contention)
{
    const PmRecording *r = view->recording;
    PmLockLink links[6];
    g_autoptr(PmLockChains) chains = pm_lock_chains_new(view, contention);
    guint n = pm_lock_chains_follow(chains, finding->blocker, links, G_N_ELEMENTS(links));
    if (n == 0)
        return 0;
    for (guint i = 0; i < n; i++) {
        g_autofree char *from = pm_label_blocker_short(r, links[i].blocker);
        g_autofree char *to = pm_label_blocker(r, links[i].next);
        pm_evidence_add(
            finding, TRUE,
            g_strdup_printf("%.0f %% of the time that %s was held its owner waited for %s",
                            100.0 * (double)links[i].thread_time /
                                (double)MAX(links[i].owner_time, 1),
                            from, to));
    }
    return links[0].next;
}
