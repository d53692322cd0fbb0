#include "viewer/analysis/stuck/stuck.h"

#include "viewer/analysis/code/own-code.h"
#include "viewer/analysis/evidence/evidence.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/analysis/stuck/knots.h"
#include "viewer/analysis/stuck/stuck-finding.h"
#include "viewer/analysis/stuck/waits.h"

/* With who waits behind it, if there is no other that this may be. */
static PmFinding finding_of_deadlock(const PmSearch *search, const PmDeadlock *deadlock)
{
    const PmSummary *summary = search->summary;
    g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_array_append_vals(rows, deadlock->rows, deadlock->n_threads);
    for (guint i = 0; summary->n_deadlocks == 1 && i < summary->n_still; i++)
        if (summary->still[i].cycle == PM_BEHIND_CYCLE)
            g_array_append_vals(rows, summary->still[i].rows, summary->still[i].n_threads);
    return pm_stuck_finding(search, (const guint32 *)(const void *)rows->data, rows->len);
}

void pm_stuck_find_deadlocks(const PmSearch *search, GArray *findings)
{
    const PmSummary *summary = search->summary;
    const PmRecording *r = summary->metrics->view->recording;
    const PmWaits *w = &r->waits;
    for (guint d = 0; d < summary->n_deadlocks; d++) {
        const PmDeadlock *deadlock = &summary->deadlocks[d];
        PmFinding finding = finding_of_deadlock(search, deadlock);
        GString *names = g_string_new(NULL);
        for (guint i = 0; i < deadlock->n_threads; i++) {
            guint32 row = deadlock->rows[i];
            if (i < 4)
                g_string_append_printf(names, "%s%s",
                                       i == 0                         ? ""
                                       : i + 1 == deadlock->n_threads ? " and "
                                                                      : ", ",
                                       r->threads[pm_wait_thread(w, row)].name);
            if (pm_wait_category(w, row) == PM_CATEGORY_CLASS_INIT && !finding.advice)
                finding.advice = g_strdup(
                    "initialise the classes in one thread, before other threads need them");
            const char *owner = r->threads[pm_wait_owner(w, row)].name;
            const gboolean joins = pm_wait_kind(w, row) == PM_KIND_WAIT;
            g_autofree char *wanted = pm_deadlock_wanted(r, deadlock, i);
            if (joins && !finding.advice)
                finding.advice = g_strdup(
                    "do not join a thread while holding something it needs in order to end");
            g_autofree char *site = pm_label_code(r, pm_wait_chain(w, row), 2);
            pm_finding_add_cause(&finding, r, PM_CAUSE_OWNER, pm_wait_thread(w, row),
                                 pm_wait_chain(w, row));
            pm_evidence_add(&finding, TRUE,
                            g_strdup_printf("%s waits for %s%s%s, in %s",
                                            r->threads[pm_wait_thread(w, row)].name, wanted,
                                            joins ? "" : ", held by ", joins ? "" : owner, site));
        }
        if (deadlock->n_threads > 4)
            g_string_append_printf(names, " and %u more", deadlock->n_threads - 4);
        g_autofree char *since =
            pm_label_since(r, deadlock->since, summary->at, deadlock->since_before);
        GString *title = g_string_new(NULL);
        g_string_append_printf(title, "Deadlock: %s wait for each other %s", names->str, since);
        if (deadlock->n_behind)
            g_string_append_printf(title, "; %u %s behind them", deadlock->n_behind,
                                   deadlock->n_behind == 1 ? "thread waits" : "threads wait");
        pm_stuck_share_evenly(&finding);
        finding.title = g_string_free(title, FALSE);
        finding.command = g_strdup("now --chains");
        finding.from = deadlock->since;
        g_string_free(names, TRUE);
        g_array_append_val(findings, finding);
    }
}

void pm_stuck_find_mutual(const PmSearch *search, GArray *findings)
{
    pm_stuck_find_knots(search, PM_KNOT_MUTUAL, findings);
    pm_stuck_find_knots(search, PM_KNOT_ENDED, findings);
}

void pm_stuck_find_forgotten(const PmSearch *search, GArray *findings)
{
    pm_stuck_find_knots(search, PM_KNOT_FORGOTTEN, findings);
}

void pm_stuck_find_own_pools(const PmSearch *search, GArray *findings)
{
    pm_stuck_find_knots(search, PM_KNOT_OWN_POOL, findings);
    pm_stuck_find_waits_of(search, TRUE, findings);
}

void pm_stuck_find_waits(const PmSearch *search, GArray *findings)
{
    pm_stuck_find_waits_of(search, FALSE, findings);
}
