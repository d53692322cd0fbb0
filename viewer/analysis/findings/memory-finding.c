#include "viewer/analysis/findings/memory-finding.h"

#include "viewer/analysis/code/account.h"
#include "viewer/analysis/evidence/evidence.h"
#include "viewer/analysis/memory/growth.h"
#include "viewer/analysis/memory/hot-spot.h"
#include "viewer/analysis/memory/memory-tree.h"
#include "viewer/analysis/memory/quota.h"
#include "viewer/analysis/recording/label.h"

#define MAX_LEAKS 2 /* what else rises does so along with them */

static char *bytes_text(double bytes)
{
    return pm_label_bytes((guint64)MAX(bytes, 0));
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

static PmFinding finding_at(const PmView *view, guint32 chain, double share)
{
    PmFinding finding = {.severity = PM_SEVERITY_HIGH,
                         .category = PM_CATEGORY_OTHER,
                         .chain = chain,
                         .from = view->from,
                         .to = view->to,
                         .n_causes = 1};
    finding.causes = g_new0(PmFindingCause, 1);
    finding.causes[0] = (PmFindingCause){.kind = PM_CAUSE_UNKNOWN,
                                         .group = PM_GROUP_NONE,
                                         .chain = chain,
                                         .text = pm_label_chain(view->recording, chain, 3),
                                         .share = share};
    return finding;
}

/* "rise by ~111 MiB a minute"; of what was not looked at for longer than it rose, as the program
 * allocates no more, until when. */
static char *rise_text(const PmView *view, const PmGrowth *growth, gboolean exact)
{
    g_autofree char *slope = bytes_text(growth->slope * 60);
    g_autofree char *until = pm_label_clock(view->recording, growth->to, 0);
    return view->to - growth->to > growth->to - growth->from
               ? g_strdup_printf("rose by %s%s a minute until %s", exact ? "" : "~", slope, until)
               : g_strdup_printf("rise by %s%s a minute", exact ? "" : "~", slope);
}

static PmFinding finding_of_growth(const PmView *view, const PmGrowth *growth)
{
    const PmRecording *r = view->recording;
    PmFinding finding = finding_at(view, growth->chain, 1);
    g_autofree char *class = pm_label_class(r->classes[growth->class_index].name);
    g_autofree char *site = pm_memory_key_text(r, PM_ASPECT_SITE, growth->site);
    g_autofree char *low = bytes_text(growth->slope_low * 60);
    g_autofree char *high = bytes_text(growth->slope_high * 60);
    g_autofree char *first = bytes_text(growth->first.bytes);
    g_autofree char *last = bytes_text(growth->last.bytes);
    const gboolean exact =
        pm_estimate_is_exact(&growth->first) && pm_estimate_is_exact(&growth->last);
    g_autofree char *rise = rise_text(view, growth, exact);
    finding.title = g_strdup_printf("Live %s objects from %s %s", class, site, rise);
    pm_evidence_add(
        &finding, exact,
        g_strdup_printf(
            "%s to %s in %u snapshots after collections of the old generation, %u of %u steps up",
            first, last, growth->n_snapshots, growth->n_rises, growth->n_snapshots - 1));
    if (!exact)
        pm_evidence_add(
            &finding, FALSE,
            g_strdup_printf("between %s and %s a minute, at three standard errors", low, high));
    pm_evidence_add(&finding, exact,
                    g_strdup_printf("%.0f %% of all live data", 100 * growth->share));
    add_account(&finding, r, growth->chain);
    finding.command = g_strdup_printf("memory --by=class,site,chain --class='%s'",
                                      r->classes[growth->class_index].name);
    finding.keeps = g_strdup(r->classes[growth->class_index].name);
    return finding;
}

void pm_memory_find_leaks(const PmSearch *search, GArray *findings)
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

static PmFinding finding_of_quota(const PmView *view, const PmOverQuota *over)
{
    const PmRecording *r = view->recording;
    const PmAccounts *accounts = pm_recording_accounts(r, NULL);
    const char *name = pm_accounts_name(accounts, over->account);
    const gboolean exact = pm_estimate_is_exact(&over->live);
    const PmBounds bounds = pm_estimate_bytes(&over->live);
    PmFinding finding = finding_at(view, over->chain, over->share);
    g_autofree char *live = bytes_text(over->live.bytes);
    g_autofree char *quota = bytes_text((double)over->quota);
    g_autofree char *low = bytes_text(bounds.low);
    g_autofree char *high = bytes_text(bounds.high);
    g_autofree char *class = pm_label_class(r->classes[over->class_index].name);
    g_autofree char *at = pm_label_duration(over->at);
    finding.title = g_strdup_printf("The account %s keeps %s%s alive, over its quota of %s", name,
                                    exact ? "" : "~", live, quota);
    pm_evidence_add(
        &finding, TRUE,
        g_strdup_printf("%s after the start, after a collection of the old generation", at));
    if (!exact)
        pm_evidence_add(&finding, FALSE,
                        g_strdup_printf("between %s and %s, at three standard errors", low, high));
    pm_evidence_add(&finding, exact,
                    g_strdup_printf("%.0f %% of that are %s", 100 * over->share, class));
    finding.command = g_strdup("memory --by=account,class,site");
    finding.keeps = g_strdup(name);
    return finding;
}

void pm_memory_find_quotas(const PmSearch *search, GArray *findings)
{
    const PmView *view = search->summary->metrics->view;
    g_autoptr(GArray) all = pm_quota_find(view->recording, view->from, view->to);
    for (guint i = 0; i < all->len; i++) {
        PmFinding finding = finding_of_quota(view, &g_array_index(all, PmOverQuota, i));
        g_array_append_val(findings, finding);
    }
}

void pm_memory_find_hot_spot(const PmSearch *search, GArray *findings)
{
    const PmView *view = search->summary->metrics->view;
    const PmRecording *r = view->recording;
    PmHotSpot spot;
    if (!pm_hot_spot_find(view->recording, view->from, view->to, &spot))
        return;
    const gboolean exact = pm_estimate_is_exact(&spot.total);
    PmFinding finding = finding_at(view, spot.chain, spot.share);
    g_autofree char *site = pm_memory_key_text(r, PM_ASPECT_SITE, spot.site);
    g_autofree char *rate = bytes_text(spot.rate);
    g_autofree char *class = pm_label_class(r->classes[spot.class_index].name);
    g_autofree char *paused = pm_label_duration(spot.paused);
    finding.waits = spot.pauses;
    finding.longest = spot.longest_pause;
    finding.thread_time = pm_rounded((double)spot.paused * spot.share);
    finding.busy_share = finding.mean_threads = spot.paused_share * spot.share;
    finding.title =
        g_strdup_printf("%s allocates %s%.0f %% of all, %s/s, and GC pauses stop the "
                        "program for %.0f %% of the time",
                        site, exact ? "" : "~", 100 * spot.share, rate, 100 * spot.paused_share);
    pm_evidence_add(
        &finding, exact,
        g_strdup_printf("at least %.0f %% of all, most of it %s", 100 * spot.share_low, class));
    pm_evidence_add(&finding, TRUE,
                    g_strdup_printf("%s in %" G_GINT64_FORMAT " pauses; %" G_GINT64_FORMAT
                                    " collections, %" G_GINT64_FORMAT
                                    " of them of the old generation",
                                    paused, spot.pauses, spot.gcs, spot.old_gcs));
    add_account(&finding, r, spot.chain);
    finding.command = g_strdup("memory --by=site,class,chain");
    g_array_append_val(findings, finding);
}
