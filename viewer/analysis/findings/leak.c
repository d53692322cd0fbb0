#include "viewer/analysis/findings/leak.h"

#include "viewer/analysis/causes/account.h"
#include "viewer/analysis/findings/evidence.h"
#include "viewer/analysis/memory/growth.h"
#include "viewer/analysis/memory/memory-tree.h"
#include "viewer/analysis/recording/label.h"

#define MAX_LEAKS 2 /* what else rises does so along with them */

/* "12.3 MB". Owned. */
static char *bytes_text(double bytes)
{
    return g_format_size((guint64)MAX(bytes, 0));
}

static void add_account(PmFinding *finding, const PmRecording *r, guint32 chain)
{
    PmAccountsSource source;
    const PmAccounts *accounts = pm_recording_accounts(r, &source);
    const guint32 account = pm_recording_account(r, chain);
    const guint32 principal = pm_recording_principal(r, chain);
    if (account == 0 || source == PM_ACCOUNTS_DERIVED)
        return;
    const char *name = pm_accounts_name(accounts, account);
    pm_evidence_add(finding, TRUE,
                    principal != account
                        ? g_strdup_printf("charged to the account %s, on behalf of %s", name,
                                          pm_accounts_name(accounts, principal))
                        : g_strdup_printf("charged to the account %s", name));
}

static PmFinding finding_of_growth(const PmView *view, const PmGrowth *growth)
{
    const PmRecording *r = view->recording;
    PmFinding finding = {.severity = PM_SEVERITY_HIGH,
                         .category = PM_CATEGORY_OTHER,
                         .chain = growth->chain,
                         .from = view->from,
                         .to = view->to};
    g_autofree char *class = pm_label_class(r->classes[growth->class_index].name);
    g_autofree char *site = pm_memory_key_text(r, PM_ASPECT_SITE, growth->site);
    g_autofree char *slope = bytes_text(growth->slope * 60);
    g_autofree char *low = bytes_text(growth->slope_low * 60);
    g_autofree char *high = bytes_text(growth->slope_high * 60);
    g_autofree char *first = bytes_text(growth->first.bytes);
    g_autofree char *last = bytes_text(growth->last.bytes);
    const gboolean exact =
        pm_estimate_is_exact(&growth->first) && pm_estimate_is_exact(&growth->last);
    finding.title = g_strdup_printf("live %s from %s rise by %s%s a minute", class, site,
                                    exact ? "" : "~", slope);
    pm_evidence_add(&finding, exact,
                    g_strdup_printf("%s to %s in %u snapshots after collections of old objects, "
                                    "%u of %u steps up",
                                    first, last, growth->n_snapshots, growth->n_rises,
                                    growth->n_snapshots - 1));
    if (!exact)
        pm_evidence_add(
            &finding, FALSE,
            g_strdup_printf("between %s and %s a minute, at three standard errors", low, high));
    pm_evidence_add(&finding, exact,
                    g_strdup_printf("%.0f %% of all that lives", 100 * growth->share));
    add_account(&finding, r, growth->chain);
    finding.causes = g_new0(PmFindingCause, 1);
    finding.causes[finding.n_causes++] =
        (PmFindingCause){.kind = PM_CAUSE_UNKNOWN,
                         .chain = growth->chain,
                         .text = pm_label_chain(r, growth->chain, 3),
                         .share = 1};
    finding.command = g_strdup_printf("memory --by=class,site,chain --class='%s'",
                                      r->classes[growth->class_index].name);
    return finding;
}

void pm_leak_find(const PmSearch *search, GArray *findings)
{
    const PmView *view = search->summary->metrics->view;
    g_autoptr(GArray) all = pm_growth_find(view->recording, view->from, view->to);
    guint n = 0;
    for (guint i = 0; i < all->len && n < MAX_LEAKS; i++) {
        const PmGrowth *growth = &g_array_index(all, PmGrowth, i);
        gboolean told = FALSE;
        for (guint k = 0; k < i && !told; k++)
            told = g_array_index(all, PmGrowth, k).site == growth->site;
        if (told)
            continue;
        PmFinding finding = finding_of_growth(view, growth);
        g_array_append_val(findings, finding);
        n++;
    }
}
