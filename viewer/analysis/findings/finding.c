#include "viewer/analysis/findings/finding.h"

#include <math.h>
#include <string.h>

#include "viewer/analysis/findings/advice.h"
#include "viewer/analysis/findings/back-off.h"
#include "viewer/analysis/findings/blocker-cost.h"
#include "viewer/analysis/findings/evidence.h"
#include "viewer/analysis/findings/no-core.h"
#include "viewer/analysis/findings/owner-activity.h"
#include "viewer/analysis/findings/stuck.h"
#include "viewer/analysis/causes/account.h"
#include "viewer/analysis/causes/own-code.h"
#include "viewer/analysis/memory/growth.h"
#include "viewer/analysis/memory/memory-tree.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/analysis/recording/sum.h"

#define MAX_FINDINGS     5
#define MAX_NOTES        5
#define MAX_LEAKS        2 /* what else rises does so along with them */
#define MIN_BUSY_SHARE   0.05
#define MIN_MEAN_THREADS 1.0
#define MIN_SAMPLES      5
#define POLLS_A_SECOND   10.0
#define MIN_GC_SHARE     0.1
#define MIN_NO_CORE      0.5
/* So many threads without a processor for each wait at a time, and so many processors in use. */
#define MIN_NO_CORE_OF_WAITING 0.3
#define MIN_OWN_PROCESSORS     0.5

const char *pm_severity_name(PmSeverity severity)
{
    static const char *const names[] = {"stuck", "high", "note"};
    return severity <= PM_SEVERITY_NOTE ? names[severity] : "?";
}

static void finding_clear(PmFinding *finding)
{
    for (guint i = 0; i < finding->n_causes; i++)
        g_free(finding->causes[i].text);
    for (guint i = 0; i < finding->n_evidence; i++)
        g_free(finding->evidence[i].text);
    g_free(finding->causes);
    g_free(finding->victims);
    g_free(finding->evidence);
    g_free(finding->title);
    g_free(finding->advice);
    g_free(finding->command);
}

/* ---- one finding ---- */

static char *victims_text(const PmRecording *r, const PmFinding *finding)
{
    if (!finding->n_victims)
        return g_strdup("its threads");
    const PmVictim *victim = &finding->victims[0]; /* who waits most there */
    return pm_summary_group_text(r, victim->group, victim->n_threads);
}

static double share_of_victims(const PmFinding *finding)
{
    return finding->n_victims ? finding->victims[0].busy_share : finding->busy_share;
}

static char *share_text(double share)
{
    if (isnan(share))
        return g_strdup("all");
    return g_strdup_printf("%.0f %%", 100 * MIN(share, 1));
}

static PmRule choose_rule(const PmView *view, const PmContention *contention,
                          const PmBlockerCost *cost, PmFinding *finding, PmOwnerActivity *doing,
                          guint32 *ret_next)
{
    const PmRecording *r = view->recording;
    const char *class_name = r->classes[r->blockers[cost->blocker].class_index].name;
    *ret_next = 0;
    if (pm_contention_is_resource(contention, finding->blocker))
        return PM_RULE_RESOURCE_EXHAUSTED;
    switch (pm_category_family(finding->category)) {
    case PM_FAMILY_LOCK:
        if (doing->n >= MIN_SAMPLES && doing->n_slow * 2 > doing->n)
            return PM_RULE_LOCK_HELD_OVER_IO;
        *ret_next = pm_evidence_add_convoy(finding, view, contention);
        if (*ret_next)
            return PM_RULE_CONVOY;
        if (strstr(class_name, "$FairSync") && pm_product(cost->hand_over, 2) > cost->charged)
            return PM_RULE_FAIR_HAND_OVER;
        return PM_RULE_LOCK_DOMINATES;
    case PM_FAMILY_RESOURCE:
        return finding->category == PM_CATEGORY_SEMAPHORE && pm_blocker_cost_is_signal(cost, r)
                   ? PM_RULE_WAIT_DOMINATES
                   : PM_RULE_RESOURCE_EXHAUSTED;
    case PM_FAMILY_JOIN:
        return finding->category == PM_CATEGORY_FUTURE ? PM_RULE_WAIT_DOMINATES
                                                       : PM_RULE_LAST_THREAD;
    default:
        return PM_RULE_WAIT_DOMINATES;
    }
}

/* "MailSessions.release < Newsletter.sendIssue" from a cause's text: where in the source is told
 * below. */
static char *methods_of(const char *text)
{
    GString *methods = g_string_new(NULL);
    for (const char *at = text; *at;) {
        const char *place = strstr(at, " (");
        if (!place || !strchr(place, ')')) {
            g_string_append(methods, at);
            break;
        }
        g_string_append_len(methods, at, place - at);
        at = strchr(place, ')') + 1;
    }
    return g_string_free(methods, FALSE);
}

/* The code that is told first; NULL where there is none. */
static char *culprit_of(const PmFinding *finding)
{
    return finding->n_causes && !pm_cause_pseudo_name(finding->causes[0].kind)
               ? methods_of(finding->causes[0].text)
               : NULL;
}

/* Where the first frame of a cause's methods ends: before what it does there, and its callers. */
static char *first_frame_end(char *methods)
{
    char *in = strstr(methods, " in "), *by = strstr(methods, " < ");
    return in && (!by || in < by) ? in : by ? by : methods + strlen(methods);
}

static char *title_of(const PmRecording *r, const PmFinding *finding, const PmOwnerActivity *doing,
                      guint32 next)
{
    g_autofree char *blocker = pm_label_blocker(r, finding->blocker);
    g_autofree char *share = share_text(share_of_victims(finding));
    g_autofree char *victims = victims_text(r, finding);
    g_autofree char *holder = culprit_of(finding);
    switch (finding->rule) {
    case PM_RULE_LOCK_DOMINATES:
        if (pm_advice_is_hand_over(finding))
            return g_strdup_printf("Handing over a lock takes %s of the busy time of %s: %s", share,
                                   victims, blocker);
        return holder ? g_strdup_printf("One lock takes %s of the busy time of %s: %s holds it",
                                        share, victims, holder)
                      : g_strdup_printf("One lock takes %s of the busy time of %s: %s", share,
                                        victims, blocker);
    case PM_RULE_LOCK_HELD_OVER_IO:
        if (holder)
            *first_frame_end(holder) = 0; /* what it does there is said before */
        return g_strdup_printf(holder ? "A lock held during %s takes %s of the busy time of %s: "
                                        "%s holds it"
                                      : "A lock held during %s takes %s of the busy time of %s: %s",
                               doing->frame, share, victims, holder ? holder : blocker);
    case PM_RULE_FAIR_HAND_OVER:
        return g_strdup_printf("Handing over a fair lock takes %s of the busy time of %s: %s",
                               share, victims, blocker);
    case PM_RULE_CONVOY: {
        g_autofree char *behind = pm_label_blocker(r, next);
        return g_strdup_printf("%s %s for %s, whose owner waits for %s", victims,
                               g_str_has_suffix(victims, ")") ? "wait" : "waits", blocker, behind);
    }
    case PM_RULE_RESOURCE_EXHAUSTED:
        return holder ? g_strdup_printf("Waiting for a permit takes %s of the busy time of %s: %s "
                                        "keeps it",
                                        share, victims, holder)
                      : g_strdup_printf("Waiting for a permit takes %s of the busy time of %s: %s",
                                        share, victims, blocker);
    case PM_RULE_LAST_THREAD:
        return g_strdup_printf("Waiting for the last thread takes %s of the busy time of %s: %s",
                               share, victims, blocker);
    default:
        return holder ? g_strdup_printf(
                            "Waiting for %s takes %s of the busy time of %s, because of %s",
                            blocker, share, victims, holder)
                      : g_strdup_printf("Waiting for %s takes %s of the busy time of %s", blocker,
                                        share, victims);
    }
}

/* A finding about many blockers of one class, each of them small: rows, transactions, futures. */
static void tell_many(const PmRecording *r, const PmBlockerCost *cost, PmFinding *finding)
{
    g_autofree char *class_name =
        pm_label_class(r->classes[r->blockers[cost->blocker].class_index].name);
    g_autofree char *share = share_text(share_of_victims(finding));
    g_autofree char *victims = victims_text(r, finding);
    g_autofree char *site = pm_label_chain(r, finding->chain, 1);
    PmFamily family = pm_category_family(finding->category);
    *strchrnul(site, ' ') = 0;
    finding->rule =
        family == PM_FAMILY_LOCK ? PM_RULE_LOCK_DOMINATES
        : family == PM_FAMILY_RESOURCE &&
                !(finding->category == PM_CATEGORY_SEMAPHORE && pm_blocker_cost_is_signal(cost, r))
            ? PM_RULE_RESOURCE_EXHAUSTED
            : PM_RULE_WAIT_DOMINATES;
    g_autofree char *culprit = culprit_of(finding);
    g_autofree char *why = !culprit                   ? g_strdup_printf(": %s", site)
                           : family == PM_FAMILY_LOCK ? g_strdup_printf(": %s holds them", culprit)
                                                      : g_strdup_printf(", because of %s", culprit);
    finding->title = g_strdup_printf(
        family == PM_FAMILY_LOCK
            ? "Locks of class %s (%u) take %s of the busy time of %s%s"
            : "Waiting for objects of class %s (%u) takes %s of the busy time of %s%s",
        class_name, cost->n_blockers, share, victims, why);
    finding->advice = pm_advice_of_many(finding);
    finding->blocker = 0; /* no single one */
    finding->one_of = cost->blocker;
    finding->command = g_strdup_printf("--category=%s --by=class,cause-site,site",
                                       pm_category_name(finding->category));
}

static void tell_one(PmSummary *summary, const PmContention *contention, const PmBlockerCost *cost,
                     PmFinding *finding)
{
    const PmView *view = summary->metrics->view;
    const PmRecording *r = view->recording;
    PmOwnerActivity doing;
    guint32 next;
    pm_owner_activity(view, cost->blocker, &doing);
    finding->rule = choose_rule(view, contention, cost, finding, &doing, &next);
    finding->title = title_of(r, finding, &doing, next);
    finding->advice = pm_advice_of_one(r, finding);
    pm_evidence_add_hold(finding, r, contention);
    pm_evidence_add_after_wait(finding, summary->metrics);
    if (pm_category_family(finding->category) == PM_FAMILY_LOCK && !pm_advice_is_hand_over(finding))
        pm_evidence_add_prediction(finding, view, contention);
    if (doing.n >= MIN_SAMPLES && doing.frame)
        pm_evidence_add(finding, TRUE,
                        g_strdup_printf("owner seen in %s < %s in %.0f %% of %u samples",
                                        doing.frame, doing.caller, 100.0 * doing.n_slow / doing.n,
                                        doing.n));
    g_autofree char *hash = pm_label_hash(r, cost->blocker);
    finding->command = hash ? g_strdup_printf("--blocker=%s --by=cause-site,site", hash)
                            : g_strdup_printf("--category=%s --by=site,cause-site",
                                              pm_category_name(finding->category));
    pm_owner_activity_clear(&doing);
}

/* Whoever is the cause may itself wait, for a processor: if that is much of the time during which
 * others wait for it, and it does not sleep or read meanwhile. */
static void tell_no_core(const PmView *view, const PmBlockerCost *cost, PmFinding *finding)
{
    const PmRecording *r = view->recording;
    if (!finding->n_causes || !finding->causes[0].thread || view->recorded <= 0 ||
        finding->rule == PM_RULE_LOCK_HELD_OVER_IO ||
        pm_owner_activity_is_slow(r, finding->causes[0].chain))
        return;
    guint32 group = r->threads[finding->causes[0].thread].group, most;
    double covered = (double)cost->covered / (double)view->recorded, share, processors;
    PmNoCore without = pm_no_core(view, group);
    if (without.of_runnable < MIN_NO_CORE || without.threads < MIN_NO_CORE_OF_WAITING * covered ||
        !pm_no_core_most(view, &most, &share, &processors))
        return;
    g_autofree char *title = g_steal_pointer(&finding->title);
    finding->title = g_strdup_printf("%s, without a core for %.0f %% of the time it could run",
                                     title, 100 * without.of_runnable);
    pm_evidence_add(finding, TRUE,
                    g_strdup_printf("%s had no processor for %.0f %% of the time that it could run",
                                    r->groups[group].shown, 100 * without.of_runnable));
    pm_evidence_add(
        finding, TRUE,
        g_strdup_printf("the program used %.1f processors on average, %.0f %% of that %s",
                        processors, 100 * share, r->groups[most].shown));
    g_free(finding->advice);
    finding->advice =
        processors < MIN_OWN_PROCESSORS
            ? g_strdup("look at the load of the machine, or at the limit of the container: the "
                       "program itself uses little")
            : g_strdup_printf("let fewer threads run at once, of %s first: whoever holds what "
                              "others wait for gets no processor",
                              r->groups[most].shown);
}

static PmFinding finding_of_cost(PmSummary *summary, const PmContention *contention,
                                 const PmBlockerCost *cost, guint8 category)
{
    const PmView *view = summary->metrics->view;
    const PmRecording *r = view->recording;
    PmFinding finding = {.severity = PM_SEVERITY_HIGH,
                         .blocker = cost->blocker,
                         .kind = cost->kind,
                         .category = category,
                         .chain = pm_blocker_cost_chain(cost),
                         .thread_time = cost->thread_time,
                         .blamed = pm_blocker_cost_blamed(cost),
                         .waits = cost->waits,
                         .longest = cost->longest,
                         .from = view->from,
                         .to = view->to};
    finding.mean_threads = view->recorded > 0 ? (double)cost->thread_time / view->recorded : 0;
    finding.causes = pm_blocker_cost_causes(cost, r, &finding.n_causes);
    finding.victims = pm_blocker_cost_victims(cost, summary, &finding.n_victims);
    for (guint i = 0; i < finding.n_victims; i++)
        if (finding.victims[i].busy_share > finding.busy_share)
            finding.busy_share = finding.victims[i].busy_share;
    if (cost->n_blockers > 1)
        tell_many(r, cost, &finding);
    else
        tell_one(summary, contention, cost, &finding);
    tell_no_core(view, cost, &finding);
    double inferred = 0;
    for (guint i = 0; i < finding.n_causes; i++)
        if (finding.causes[i].inferred)
            inferred += finding.causes[i].share;
    if (pm_blocker_cost_is_estimated(cost))
        pm_evidence_add(&finding, FALSE,
                        g_strdup_printf("causes estimated from %" G_GINT64_FORMAT
                                        " of %" G_GINT64_FORMAT " waits, the longer the likelier",
                                        cost->n_split, cost->waits));
    else
        pm_evidence_add_certainty(&finding, inferred);
    return finding;
}

/* ---- all of them ---- */

static int group_compare(const void *left, const void *right)
{
    const PmVictim *a = left, *b = right;
    if (a->thread_time != b->thread_time)
        return a->thread_time > b->thread_time ? -1 : 1;
    return (a->group > b->group) - (a->group < b->group);
}

/* The JVM's own threads, which are no one's concern. */
static gboolean is_of_jvm(const char *name)
{
    static const char *const names[] = {
        "Reference Handler",   "Finalizer",       "Signal Dispatcher", "Common-Cleaner",
        "Notification Thread", "Attach Listener", "Service Thread",    "Monitor Deflation Thread",
        "DestroyJavaVM"};
    for (gsize i = 0; i < G_N_ELEMENTS(names); i++)
        if (strcmp(name, names[i]) == 0)
            return TRUE;
    return FALSE;
}

/* Whoever lives is stopped; most of all those who wait least. */
static PmVictim *all_groups(const PmSummary *summary, double share, guint *ret_n)
{
    PmVictim *victims = g_new0(PmVictim, MAX(summary->n_groups, 1));
    guint n = 0;
    for (guint i = 0; i < summary->n_groups; i++) {
        const PmGroupTime *group = &summary->groups[i];
        if (!is_of_jvm(summary->metrics->view->recording->groups[group->group].name))
            victims[n++] = (PmVictim){.group = group->group,
                                      .n_threads = group->n_threads,
                                      .thread_time = pm_rounded((double)group->busy * share),
                                      .busy_share = share};
    }
    qsort(victims, n, sizeof *victims, group_compare);
    *ret_n = n;
    return victims;
}

/* A thread that was seen to ask for collections. */
static void add_asker(PmFinding *finding, const PmRecording *r)
{
    for (guint i = 0; i < r->n_samples; i++) {
        const PmOwnerSample *sample = &r->samples[i];
        const PmChain *c = &r->chains[sample->chain];
        if (sample->at < finding->from || sample->at > finding->to)
            continue;
        for (guint f = 0; f < MIN(c->n_frames, 3u); f++) {
            const PmMethod *method = &r->methods[c->frames[f].method];
            if (strcmp(method->name, "gc") != 0 ||
                strcmp(r->classes[method->class_index].name, "java.lang.Runtime") != 0)
                continue;
            finding->causes = g_renew(PmFindingCause, finding->causes, finding->n_causes + 1);
            finding->causes[finding->n_causes++] =
                (PmFindingCause){.kind = PM_CAUSE_WAKER,
                                 .thread = sample->owner,
                                 .chain = sample->chain,
                                 .text = pm_label_code(r, sample->chain, 2),
                                 .inferred = TRUE};
            pm_evidence_add(finding, FALSE,
                            g_strdup_printf("%s was seen to ask for collections in %s",
                                            r->threads[sample->owner].name,
                                            finding->causes[finding->n_causes - 1].text));
            return;
        }
    }
}

/* Pauses of the collector are a finding of their own, waits or none. */
static void add_collections(const PmSummary *summary, GArray *findings)
{
    const PmView *view = summary->metrics->view;
    const PmRecording *r = view->recording;
    PmFinding finding = {.rule = PM_RULE_GC,
                         .severity = PM_SEVERITY_HIGH,
                         .category = PM_CATEGORY_OTHER,
                         .from = view->from,
                         .to = view->to};
    gint64 covered = view->from;
    for (guint i = 0; i < r->n_gc; i++) {
        gint64 begin = MAX(r->gc[i].begin, covered), end = MIN(r->gc[i].end, view->to);
        if (end <= begin)
            continue;
        finding.waits++;
        pm_sum_add(&finding.thread_time, end - begin);
        finding.longest = MAX(finding.longest, end - begin);
        covered = end;
    }
    if (view->recorded <= 0 || (double)finding.thread_time < MIN_GC_SHARE * (double)view->recorded)
        return;
    finding.busy_share = (double)finding.thread_time / (double)view->recorded;
    finding.mean_threads = finding.busy_share;
    g_autofree char *longest = pm_label_duration(finding.longest);
    finding.title = g_strdup_printf("GC pauses stop the program for %.0f %% of the time",
                                    100 * finding.busy_share);
    pm_evidence_add(&finding, TRUE,
                    g_strdup_printf("%" G_GINT64_FORMAT " %s, the longest of %s", finding.waits,
                                    finding.waits == 1 ? "pause" : "pauses", longest));
    finding.causes = g_new0(PmFindingCause, 1);
    finding.causes[finding.n_causes++] =
        (PmFindingCause){.kind = PM_CAUSE_GC_PAUSE,
                         .text = g_strdup(pm_cause_pseudo_name(PM_CAUSE_GC_PAUSE)),
                         .share = 1};
    finding.victims = all_groups(summary, finding.busy_share, &finding.n_victims);
    for (guint i = 0; i < finding.n_victims; i++)
        pm_sum_add(&finding.blamed, finding.victims[i].thread_time);
    add_asker(&finding, r);
    finding.advice = g_strdup(pm_rule_advice(finding.rule));
    g_array_append_val(findings, finding);
}

/* ---- memory ---- */

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
    PmFinding finding = {.rule = PM_RULE_LEAK,
                         .severity = PM_SEVERITY_HIGH,
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
    finding.advice = g_strdup(pm_rule_advice(finding.rule));
    finding.command = g_strdup_printf("memory --by=class,site,chain --class='%s'",
                                      r->classes[growth->class_index].name);
    return finding;
}

/* What lives and rises: one at a site, the steepest first. */
static void add_leaks(const PmView *view, GArray *findings)
{
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

static int finding_compare(gconstpointer left, gconstpointer right)
{
    const PmFinding *a = left, *b = right;
    if (a->severity != b->severity)
        return a->severity < b->severity ? -1 : 1;
    if (a->severity == PM_SEVERITY_STUCK && a->rule != b->rule)
        return a->rule < b->rule ? -1 : 1;
    if (a->severity == PM_SEVERITY_STUCK && a->longest != b->longest)
        return a->longest > b->longest ? -1 : 1;
    if (a->blamed != b->blamed)
        return a->blamed > b->blamed ? -1 : 1;
    if (a->busy_share != b->busy_share)
        return a->busy_share > b->busy_share ? -1 : 1;
    return (a->blocker > b->blocker) - (a->blocker < b->blocker);
}

static gboolean is_polling(const PmView *view, const PmBlockerCost *cost)
{
    double seconds = view->recorded / 1e9;
    guint n_threads = MAX(g_hash_table_size(cost->threads), 1);
    return seconds > 0 && cost->time_outs * 10 >= cost->waits * 9 &&
           cost->time_outs / seconds / n_threads >= POLLS_A_SECOND;
}

/* What is stuck there has been told already, as a deadlock or a stuck wait. */
static gboolean is_told(const PmSummary *summary, const GArray *findings, const PmBlockerCost *cost)
{
    const PmWaits *w = &summary->metrics->view->recording->waits;
    if (pm_product(cost->open_time, 2) < cost->thread_time)
        return FALSE;
    for (guint d = 0; d < summary->n_deadlocks; d++)
        for (guint i = 0; i < summary->deadlocks[d].n_threads; i++)
            if (pm_wait_blocker(w, summary->deadlocks[d].rows[i]) == cost->blocker)
                return TRUE;
    for (guint i = 0; i < findings->len; i++) {
        const PmFinding *finding = &g_array_index(findings, PmFinding, i);
        if (finding->severity == PM_SEVERITY_STUCK && finding->blocker == cost->blocker &&
            finding->kind == cost->kind)
            return TRUE;
    }
    return FALSE;
}

/* A consumer waits for work: long waits of it are no one's fault. Producers that wait are held up.
 */
static gboolean wants_work(const PmRecording *r, guint8 category, guint32 chain)
{
    static const char *const consumers[] = {".take",      ".poll",     ".takeFirst", ".takeLast",
                                            ".pollFirst", ".pollLast", ".remove"};
    if (category != PM_CATEGORY_QUEUE && category != PM_CATEGORY_TRANSFER)
        return FALSE;
    const PmChain *c = &r->chains[chain];
    for (guint32 i = 0; i < c->n_frames && i <= c->site; i++) {
        const char *method = r->methods[c->frames[i].method].name;
        for (gsize k = 0; k < G_N_ELEMENTS(consumers); k++)
            if (strcmp(method, consumers[k] + 1) == 0)
                return TRUE;
    }
    return FALSE;
}

/* Threads that wait for work, and a single one that waits for others (main for its tasks), do what
 * they are for. */
static gboolean is_by_design(const PmRecording *r, const PmContention *contention,
                             const PmFinding *finding)
{
    if (finding->blocker && pm_contention_is_resource(contention, finding->blocker))
        return FALSE;
    if (wants_work(r, finding->category, finding->chain))
        return TRUE;
    if (pm_category_family(finding->category) != PM_FAMILY_JOIN)
        return FALSE;
    for (guint i = 0; i < finding->n_victims; i++)
        if (r->groups[finding->victims[i].group].n_threads > 1)
            return FALSE;
    return TRUE;
}

static gboolean matters(const PmSummary *summary, const PmBlockerCost *cost)
{
    const PmView *view = summary->metrics->view;
    double mean =
        view->recorded > 0 ? (double)pm_blocker_cost_blamed(cost) / (double)view->recorded : 0;
    return mean >= PM_SUMMARY_MIN_MEAN &&
           (mean >= MIN_MEAN_THREADS ||
            pm_blocker_cost_busy_share(cost, summary) >= MIN_BUSY_SHARE);
}

/* Blockers that are many and each small - a lock per row, a future per request - matter together:
 * per class, meaning and place of the wait one cost, if none of its blockers is a quarter of it.
 * Values of the table are costs, found by a blocker's own cost. */
static GHashTable *gather_many(const PmSummary *summary, GHashTable *costs, const GArray *told,
                               GPtrArray *ret_many)
{
    const PmRecording *r = summary->metrics->view->recording;
    g_autoptr(GHashTable) kinds = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func((GDestroyNotify)pm_blocker_cost_free);
    GHashTable *of_cost = g_hash_table_new(NULL, NULL);
    for (gsize i = 0; i < summary->metrics->n; i++) { /* in their order, for the same answer */
        const PmMetricsRow *row = &summary->metrics->rows[i];
        PmBlockerCost *cost = pm_blocker_costs_find(costs, row->blocker, row->kind);
        PmFamily family = pm_category_family(row->category);
        if (!cost || cost->thread_time <= 0 || !row->blocker || family == PM_FAMILY_IDLE ||
            is_told(summary, told, cost))
            continue;
        guint32 method = pm_recording_site_method(r, pm_blocker_cost_chain(cost));
        g_autofree char *kind = g_strdup_printf(
            "%u %u %u %u", r->blockers[row->blocker].class_index, row->kind, row->category, method);
        PmBlockerCost *many = g_hash_table_lookup(kinds, kind);
        if (!many) {
            many = pm_blocker_cost_new(row->blocker, row->kind);
            many->n_blockers = 0;
            many->category = row->category;
            g_hash_table_insert(kinds, g_steal_pointer(&kind), many);
            g_ptr_array_add(all, many);
        }
        pm_blocker_cost_add_cost(many, r, cost);
        g_hash_table_insert(of_cost, cost, many);
    }
    GHashTableIter iter;
    gpointer value;
    g_hash_table_iter_init(&iter, of_cost);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        const PmBlockerCost *many = value;
        if (pm_product(many->biggest, 4) >= many->thread_time || !matters(summary, many))
            g_hash_table_iter_remove(&iter);
    }
    while (all->len > 0) {
        PmBlockerCost *many = g_ptr_array_steal_index(all, 0);
        if (pm_product(many->biggest, 4) < many->thread_time && matters(summary, many))
            g_ptr_array_add(ret_many, many);
        else
            pm_blocker_cost_free(many);
    }
    return of_cost;
}

/* The verdict is the first finding that is no note. */
static void take_verdict(PmSummary *summary, const PmFinding *first)
{
    static const PmVerdictLevel levels[] = {
        [PM_SEVERITY_STUCK] = PM_VERDICT_STUCK, [PM_SEVERITY_HIGH] = PM_VERDICT_HIGH};
    if (first && first->severity != PM_SEVERITY_NOTE) {
        g_free(summary->verdict.sentence);
        summary->verdict =
            (PmVerdict){levels[first->severity], g_strdup(first->title), first->blocker};
    } else if (summary->verdict.level != PM_VERDICT_EMPTY &&
               summary->verdict.level != PM_VERDICT_NONE) {
        gint64 longest = 0;
        for (gsize i = 0; i < summary->metrics->n; i++)
            if (!pm_category_is_idle(summary->metrics->rows[i].category))
                longest = MAX(longest, summary->metrics->rows[i].longest);
        if (!first || first->busy_share <= 0)
            longest = 0;
        g_free(summary->verdict.sentence);
        summary->verdict =
            (PmVerdict){PM_VERDICT_NONE, pm_summary_calm_sentence(summary, longest, 0), 0};
    }
}

PmFindings *pm_findings_new(PmSummary *summary, const PmContention *contention, const gint *cancel)
{
    PmView *view = summary->metrics->view;
    const PmRecording *r = view->recording;
    g_autoptr(GHashTable) costs = pm_blocker_costs_gather(summary, contention, cancel);
    if (!costs)
        return NULL;
    g_autoptr(GArray) all = g_array_new(FALSE, TRUE, sizeof(PmFinding));
    pm_stuck_add_deadlocks(summary, all);
    g_autoptr(PmOperations) operations = pm_operations_new(summary, contention);
    pm_stuck_add_knots(summary, operations, all);
    pm_stuck_add_waits(summary, operations, all);
    add_collections(summary, all);
    pm_back_off_add(summary, all, cancel);
    g_autoptr(GPtrArray) many =
        g_ptr_array_new_with_free_func((GDestroyNotify)pm_blocker_cost_free);
    g_autoptr(GHashTable) of_cost = gather_many(summary, costs, all, many);
    for (guint i = 0; i < many->len; i++) {
        const PmBlockerCost *cost = g_ptr_array_index(many, i);
        PmFinding finding = finding_of_cost(summary, contention, cost, cost->category);
        if (is_by_design(r, contention, &finding)) {
            finding_clear(&finding);
            continue;
        }
        g_array_append_val(all, finding);
    }
    for (gsize i = 0; i < summary->metrics->n; i++) {
        const PmMetricsRow *row = &summary->metrics->rows[i];
        PmBlockerCost *cost = pm_blocker_costs_find(costs, row->blocker, row->kind);
        if (!cost || cost->thread_time <= 0)
            continue;
        gboolean polling = is_polling(view, cost);
        if (is_told(summary, all, cost) || (!polling && !matters(summary, cost)) ||
            (!polling && g_hash_table_contains(of_cost, cost)))
            continue;
        PmFinding finding = finding_of_cost(summary, contention, cost, row->category);
        if (polling) {
            double rate = cost->time_outs / (view->recorded / 1e9);
            g_autofree char *victims = victims_text(r, &finding);
            g_autofree char *site = pm_label_chain(r, finding.chain, 1);
            g_free(finding.title);
            finding.title = g_strdup_printf("%s wakes by timeout %.0f times a second in %s",
                                            victims, rate, site);
            g_free(finding.advice);
            finding.rule = PM_RULE_TIMED_POLLING;
            finding.severity = PM_SEVERITY_NOTE;
            finding.advice = g_strdup(pm_rule_advice(finding.rule));
        } else if (is_by_design(r, contention, &finding)) {
            finding_clear(&finding);
            continue;
        }
        g_array_append_val(all, finding);
    }
    for (guint i = 0; i < all->len; i++) {
        PmFinding *finding = &g_array_index(all, PmFinding, i);
        if (finding->severity == PM_SEVERITY_HIGH && finding->mean_threads < PM_SUMMARY_HIGH_MEAN)
            finding->severity = PM_SEVERITY_NOTE;
    }
    add_leaks(view, all);
    g_array_sort(all, finding_compare);

    PmFindings *findings = g_new0(PmFindings, 1);
    findings->summary = summary;
    findings->findings = g_new0(PmFinding, MAX(all->len, 1));
    guint n_high = 0, n_notes = 0;
    for (guint i = 0; i < all->len; i++) {
        PmFinding *finding = &g_array_index(all, PmFinding, i);
        if (finding->severity != PM_SEVERITY_NOTE && ++n_high > MAX_FINDINGS)
            finding->severity = PM_SEVERITY_NOTE;
        if (finding->severity == PM_SEVERITY_NOTE && ++n_notes > MAX_NOTES)
            finding_clear(finding);
        else
            findings->findings[findings->n++] = *finding;
    }
    take_verdict(summary, findings->n > 0 ? &findings->findings[0] : NULL);
    return findings;
}

void pm_findings_free(PmFindings *findings)
{
    if (!findings)
        return;
    for (guint i = 0; i < findings->n; i++)
        finding_clear(&findings->findings[i]);
    g_free(findings->findings);
    g_free(findings);
}
