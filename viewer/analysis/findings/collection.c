#include "viewer/analysis/findings/collection.h"

#include <string.h>

#include "viewer/analysis/aggregation/no-carrier.h"
#include "viewer/analysis/aggregation/no-core.h"
#include "viewer/analysis/aggregation/intervals.h"
#include "viewer/analysis/base/totals.h"
#include "viewer/analysis/code/own-code.h"
#include "viewer/analysis/evidence/evidence.h"
#include "viewer/analysis/memory/memory-tree.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/analysis/base/sum.h"

#define MIN_SHARE       0.1
#define MAX_ALLOCATORS  3
#define MIN_USERS_SHARE 0.5      /* of the processor time */
#define ASKED_NS        20000000 /* who asks is told no more often */

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
        if (group->life > 0 &&
            !is_of_jvm(summary->metrics->view->recording->groups[group->group].name))
            victims[n++] = (PmVictim){.group = group->group,
                                      .n_threads = group->n_threads,
                                      .thread_time = pm_rounded((double)group->busy * share),
                                      .busy_share = share};
    }
    qsort(victims, n, sizeof *victims, group_compare);
    *ret_n = n;
    return victims;
}

/* Pauses that are told apart by samples ASKED_NS from each other. */
static guint count_apart(const PmRecording *r, const PmFinding *finding)
{
    gint64 next = finding->from;
    guint n = 0;
    for (guint i = 0; i < r->n_gc; i++)
        if (r->gc[i].begin >= next && r->gc[i].begin < finding->to) {
            next = r->gc[i].begin + ASKED_NS;
            n++;
        }
    return n;
}

/* Who asked for collections, most often if several did. Where that is for most of them, it is the
 * first to look at. FALSE: nobody was seen to. */
static gboolean add_asker(PmFinding *finding, const PmRecording *r)
{
    g_auto(PmTotals) times = {0}; /* by stack trace: how often */
    guint32 chain = 0, thread = 0;
    gint64 best = 0;
    guint n = 0;
    for (guint i = 0; i < r->n_samples; i++) {
        const PmOwnerSample *sample = &r->samples[i];
        if (sample->at < finding->from || sample->at > finding->to || sample->waiter ||
            !pm_label_is_within(r, sample->chain, 3, "java.lang.Runtime",
                                "gc")) /* what it did as others waited for it is no call more */
            continue;
        const gint64 of_chain = ++*pm_totals_at(&times, sample->chain);
        n++;
        if (of_chain > best) {
            best = of_chain;
            chain = sample->chain;
            thread = sample->owner;
        }
    }
    if (!n)
        return FALSE;
    g_autofree char *where = pm_label_code(r, chain, 2);
    g_autofree char *method = pm_label_code_method(r, chain);
    pm_evidence_add(finding, TRUE,
                    g_strdup_printf("collections were requested at least %u %s, mostly by %s in %s",
                                    n, n == 1 ? "time" : "times", r->threads[thread].name, where));
    pm_finding_add_cause(finding, r, PM_CAUSE_WAKER, thread, chain);
    finding->causes[finding->n_causes - 1].share = 0;
    if (2 * best < count_apart(r, finding))
        return TRUE;
    pm_finding_add_to_title(finding, g_strdup_printf("%s requests them", method));
    pm_finding_advise(finding,
                      "do not call System.gc(); -XX:+DisableExplicitGC shows what that saves");
    return TRUE;
}

static int compare_totals(gconstpointer left, gconstpointer right)
{
    const PmMemoryNode *a = *(PmMemoryNode *const *)left, *b = *(PmMemoryNode *const *)right;
    return a->total.bytes != b->total.bytes ? (a->total.bytes < b->total.bytes ? 1 : -1)
                                            : (a->key > b->key) - (a->key < b->key);
}

/* Counts the chain's innermost own method; TRUE: none was counted more often. */
static gboolean count_method(const PmRecording *r, PmTotals *times, guint32 chain, gint64 *most)
{
    const gint frame = pm_own_frame(pm_own_code(r), chain);
    if (frame < 0)
        return FALSE;
    const gint64 n = ++*pm_totals_at(times, r->chains[chain].frames[frame].method);
    if (n <= *most)
        return FALSE;
    *most = n;
    return TRUE;
}

/* Where threads of the group were seen at work most often, else where they waited; 0: nowhere in
 * the program's code. */
static guint32 place_of(const PmView *view, guint32 group, guint32 *ret_thread)
{
    const PmRecording *r = view->recording;
    g_auto(PmTotals) times = {0}; /* by method: how often */
    guint32 chain = 0;
    gint64 most = 0;
    for (guint i = 0; i < r->n_samples; i++) {
        const PmOwnerSample *sample = &r->samples[i];
        if (sample->at < view->from || sample->at > view->to || sample->state != PM_OWNER_RUNNING ||
            !sample->weight || r->threads[sample->owner].group != group ||
            !count_method(r, &times, sample->chain, &most))
            continue;
        chain = sample->chain;
        *ret_thread = sample->owner;
    }
    const gsize n_waits = chain ? 0 : view->n;
    for (gsize i = 0; i < n_waits; i++) {
        const guint32 row = pm_view_row(view, i), thread = pm_wait_thread(&r->waits, row);
        if (r->threads[thread].group != group ||
            pm_category_is_idle(pm_wait_category(&r->waits, row)) ||
            !count_method(r, &times, pm_wait_chain(&r->waits, row), &most))
            continue;
        chain = pm_wait_chain(&r->waits, row);
        *ret_thread = thread;
    }
    return chain;
}

/* Who uses the processors in between: who allocates runs, and nothing else tells who does. */
static void add_users(PmFinding *finding, const PmView *view)
{
    const PmRecording *r = view->recording;
    double share, processors;
    guint32 group, thread = 0;
    if (!pm_no_core_most(view, &group, &share, &processors) || share < MIN_USERS_SHARE)
        return;
    const guint32 chain = place_of(view, group, &thread);
    g_autofree char *where = chain ? pm_label_code(r, chain, 2) : NULL;
    pm_evidence_add(finding, FALSE,
                    g_strdup_printf("%s runs for %.0f %% of the program's processor time%s%s; who "
                                    "allocates is recorded with alloc=512k",
                                    r->groups[group].shown, 100 * share,
                                    where ? ", and was seen in " : "", where ? where : ""));
    if (!chain)
        return;
    pm_finding_add_cause(finding, r, PM_CAUSE_WAKER, thread, chain);
    finding->causes[finding->n_causes - 1].share = 0;
}

/* The accounts that filled the heap, where allocations were sampled. FALSE: they were not. */
static gboolean add_allocators(PmFinding *finding, const PmView *view)
{
    const PmMemoryAspect by = PM_ASPECT_ACCOUNT;
    const PmFilter range = {.from = view->from, .to = view->to};
    g_autoptr(PmMemoryTree) tree = pm_memory_tree_new(view->recording, &range, &by, 1, NULL);
    const double all = tree ? tree->root->total.bytes : 0;
    g_autoptr(GString) text = g_string_new("allocations:");
    if (all <= 0)
        return FALSE;
    GPtrArray *accounts = tree->root->children;
    g_ptr_array_sort(accounts, compare_totals);
    for (guint i = 0; i < MIN(accounts->len, MAX_ALLOCATORS); i++) {
        const PmMemoryNode *account = accounts->pdata[i];
        g_autofree char *name = pm_memory_key_text(view->recording, by, account->key);
        if (i > 0 && account->total.bytes < MIN_SHARE * all)
            break;
        g_string_append_printf(text, "%s %.0f %% by %s", i > 0 ? "," : "",
                               100 * account->total.bytes / all, name);
    }
    pm_evidence_add(finding, pm_estimate_is_exact(&tree->root->total), g_strdup(text->str));
    finding->command = g_strdup("memory --by=account,class,site");
    return TRUE;
}

void pm_collection_find(const PmSearch *search, GArray *findings)
{
    const PmSummary *summary = search->summary;
    const PmView *view = summary->metrics->view;
    const PmRecording *r = view->recording;
    PmFinding finding = {.severity = PM_SEVERITY_HIGH,
                         .category = PM_CATEGORY_OTHER,
                         .from = view->from,
                         .to = view->to};
    const PmIntervalSum pauses = pm_interval_sum(r->gc, r->n_gc, view->from, view->to);
    finding.waits = pauses.n;
    finding.thread_time = pauses.time;
    finding.longest = pauses.longest;
    if (view->known <= 0 || (double)finding.thread_time < MIN_SHARE * (double)view->known)
        return;
    finding.busy_share = (double)finding.thread_time / (double)view->known;
    finding.mean_threads = finding.busy_share;
    g_autofree char *longest = pm_label_duration(finding.longest);
    finding.title = g_strdup_printf("GC pauses stop the program for %.0f %% of the time",
                                    100 * finding.busy_share);
    pm_evidence_add(&finding, TRUE,
                    g_strdup_printf("%" G_GINT64_FORMAT " %s, the longest %s", finding.waits,
                                    finding.waits == 1 ? "pause" : "pauses", longest));
    finding.causes = g_new0(PmFindingCause, 1);
    finding.causes[finding.n_causes++] =
        (PmFindingCause){.kind = PM_CAUSE_GC_PAUSE,
                         .group = PM_GROUP_NONE,
                         .text = g_strdup(pm_cause_pseudo_name(PM_CAUSE_GC_PAUSE)),
                         .share = 1};
    finding.victims = all_groups(summary, finding.busy_share, &finding.n_victims);
    for (guint i = 0; i < finding.n_victims; i++)
        pm_sum_add(&finding.blamed, finding.victims[i].thread_time);
    const gboolean known = add_allocators(&finding, view);
    if (!add_asker(&finding, r) && !known)
        add_users(&finding, view);
    g_array_append_val(findings, finding);
}

/* Owned. */
static char *pin_text(const PmRecording *r, const PmCarrierPin *pin)
{
    g_autofree char *frame = pm_label_frame_full(r, r->chains[pin->chain].frames[pin->frame]);
    return g_strconcat(pin->is_known ? "" : "what calls ", frame, NULL);
}

/* Virtual threads keep carriers as they wait. How many there are is not known, nor who has not
 * begun to run for want of one. */
static void find_pins(const PmView *view, const PmCarrierPin *pin, GArray *findings)
{
    const PmRecording *r = view->recording;
    const double mean = (double)pin->thread_time / (double)view->known;
    if (mean < MIN_SHARE)
        return;
    PmFinding finding = {.severity = PM_SEVERITY_NOTE,
                         .chain = pin->chain,
                         .thread_time = pin->thread_time,
                         .waits = pin->waits,
                         .longest = pin->longest,
                         .busy_share = MIN(mean, 1),
                         .mean_threads = mean,
                         .n_victims = 1,
                         .victims = g_new0(PmVictim, 1),
                         .from = view->from,
                         .to = view->to};
    finding.victims[0] =
        (PmVictim){r->threads[pin->thread].group, pin->n_threads, pin->thread_time, NAN};
    g_autofree char *frame = pin_text(r, pin);
    finding.title = g_strdup_printf("Virtual threads that wait pin %.1f carriers on average, by %s",
                                    mean, frame);
    pm_evidence_add(&finding, TRUE,
                    g_strdup("whoever is ready to run has one of the other carriers, or waits for "
                             "one, which is seen of woken threads only"));
    pm_finding_add_cause(&finding, r, PM_CAUSE_WAKER, pin->thread, pin->chain);
    g_array_append_val(findings, finding);
}

/* Owned. */
static char *use_text(const PmRecording *r, const PmCarrierUse *use)
{
    g_autofree char *method = use->n ? pm_label_code_method(r, use->chain) : NULL;
    return method ? g_strdup_printf(", mostly with %s", method) : g_strdup("");
}

/* By whom carriers are occupied, as far as that was seen. */
static void add_use(PmFinding *finding, const PmRecording *r, const PmCarrierUse *use)
{
    if (use->n == 0) {
        pm_finding_add_cause(finding, r, PM_CAUSE_UNKNOWN, 0, 0);
        return;
    }
    pm_finding_add_cause(finding, r, PM_CAUSE_WAKER, use->thread, use->chain);
    PmFindingCause *cause = &finding->causes[finding->n_causes - 1];
    cause->share = (double)use->n / use->n_all;
    pm_evidence_add(
        finding, FALSE,
        g_strdup_printf("seen on a carrier meanwhile in %u of %u samples", use->n, use->n_all));
}

void pm_carrier_find(const PmSearch *search, GArray *findings)
{
    const PmView *view = search->summary->metrics->view;
    const PmRecording *r = view->recording;
    const PmNoCarrier none = pm_no_carrier(view);
    if (view->known <= 0)
        return;
    if ((double)none.covered < MIN_SHARE * (double)view->known) {
        find_pins(view, &none.pin, findings);
        return;
    }
    gboolean pinned = none.pin.time >= none.covered / 2;
    PmFinding finding = {.chain = none.chain,
                         .thread_time = none.thread_time,
                         .waits = none.waits,
                         .longest = none.longest,
                         .blamed = none.thread_time,
                         .busy_share = (double)none.covered / (double)view->known,
                         .mean_threads = (double)none.thread_time / (double)view->known,
                         .n_victims = 1,
                         .victims = g_new0(PmVictim, 1),
                         .from = view->from,
                         .to = view->to};
    finding.victims[0] = (PmVictim){none.group, none.n_threads, none.thread_time, NAN};
    g_autofree char *frame = pinned ? pin_text(r, &none.pin) : use_text(r, &none.use);
    g_autofree char *mean = pm_label_duration(none.thread_time / none.waits);
    finding.title = g_strdup_printf(
        "Woken virtual threads wait for a carrier %.0f %% of the time: %s%s",
        100 * finding.busy_share, pinned ? "carriers are pinned by " : "all are busy", frame);
    pm_evidence_add(&finding, TRUE,
                    g_strdup_printf("each for %s on average after being woken", mean));
    if (pinned)
        pm_finding_add_cause(&finding, r, PM_CAUSE_WAKER, none.pin.thread, none.pin.chain);
    else
        add_use(&finding, r, &none.use);
    g_array_append_val(findings, finding);
}
