#include "viewer/analysis/findings/finding.h"

#include <math.h>
#include <string.h>

#include "viewer/analysis/findings/advice.h"
#include "viewer/analysis/findings/blocker-cost.h"
#include "viewer/analysis/findings/evidence.h"
#include "viewer/analysis/findings/owner-activity.h"
#include "viewer/analysis/findings/stuck.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/analysis/recording/sum.h"

#define MAX_FINDINGS     5
#define MAX_NOTES        5
#define MIN_BUSY_SHARE   0.05
#define MIN_MEAN_THREADS 1.0
#define MIN_SAMPLES      5
#define POLLS_A_SECOND   10.0

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
    const PmVictim *victim = &finding->victims[0];
    for (guint i = 1; i < finding->n_victims; i++) /* the one it costs most of its busy time */
        if (finding->victims[i].busy_share > victim->busy_share)
            victim = &finding->victims[i];
    return pm_summary_group_text(r, victim->group, victim->n_threads);
}

static char *share_text(double share)
{
    if (isnan(share))
        return g_strdup("all");
    return g_strdup_printf("%.0f %%", 100 * MIN(share, 1));
}

static PmRule choose_rule(const PmView *view, const PmContention *contention,
                          const PmBlockerCost *toll, PmFinding *finding, PmOwnerActivity *doing,
                          guint32 *ret_next)
{
    const PmRecording *r = view->recording;
    const char *class_name = r->classes[r->blockers[toll->blocker].class_index].name;
    *ret_next = 0;
    switch (pm_category_family(finding->category)) {
    case PM_FAMILY_LOCK:
        if (doing->n >= MIN_SAMPLES && doing->n_slow * 2 > doing->n)
            return PM_RULE_LOCK_HELD_OVER_IO;
        *ret_next = pm_evidence_add_convoy(finding, view, contention);
        if (*ret_next)
            return PM_RULE_CONVOY;
        if (strstr(class_name, "$FairSync") && pm_product(toll->hand_over, 2) > toll->thread_time)
            return PM_RULE_FAIR_HAND_OVER;
        return PM_RULE_LOCK_DOMINATES;
    case PM_FAMILY_RESOURCE:
        return finding->category == PM_CATEGORY_SEMAPHORE && pm_blocker_cost_is_signal(toll, r)
                   ? PM_RULE_WAIT_DOMINATES
                   : PM_RULE_RESOURCE_EXHAUSTED;
    case PM_FAMILY_JOIN:
        return finding->category == PM_CATEGORY_FUTURE ? PM_RULE_WAIT_DOMINATES
                                                       : PM_RULE_LAST_THREAD;
    default:
        return PM_RULE_WAIT_DOMINATES;
    }
}

static char *title_of(const PmRecording *r, const PmFinding *finding, const PmOwnerActivity *doing,
                      guint32 next)
{
    g_autofree char *blocker = pm_label_blocker(r, finding->blocker);
    g_autofree char *share = share_text(finding->busy_share);
    g_autofree char *victims = victims_text(r, finding);
    const char *culprit = finding->n_causes && !pm_cause_pseudo_name(finding->causes[0].kind)
                              ? finding->causes[0].text
                              : NULL;
    g_autofree char *holder = NULL;
    if (culprit) {
        g_auto(GStrv) words = g_strsplit(culprit, " ", 2);
        holder = g_strdup(words[0]);
    }
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
        return g_strdup_printf("A lock held during %s takes %s of the busy time of %s: %s",
                               doing->frame, share, victims, blocker);
    case PM_RULE_FAIR_HAND_OVER:
        return g_strdup_printf("Handing over a fair lock takes %s of the busy time of %s: %s",
                               share, victims, blocker);
    case PM_RULE_CONVOY: {
        g_autofree char *behind = pm_label_blocker(r, next);
        return g_strdup_printf("%s %s for %s, whose owner waits for %s", victims,
                               g_str_has_suffix(victims, ")") ? "wait" : "waits", blocker, behind);
    }
    case PM_RULE_RESOURCE_EXHAUSTED:
        return g_strdup_printf("Waiting for a permit takes %s of the busy time of %s: %s", share,
                               victims, blocker);
    case PM_RULE_LAST_THREAD:
        return g_strdup_printf("Waiting for the last thread takes %s of the busy time of %s: %s",
                               share, victims, blocker);
    default:
        return g_strdup_printf("Waiting for %s takes %s of the busy time of %s", blocker, share,
                               victims);
    }
}

/* A finding about many blockers of one class, each of them small: rows, transactions, futures. */
static void tell_many(const PmRecording *r, const PmBlockerCost *toll, PmFinding *finding)
{
    g_autofree char *class_name =
        pm_label_class(r->classes[r->blockers[toll->blocker].class_index].name);
    g_autofree char *share = share_text(finding->busy_share);
    g_autofree char *victims = victims_text(r, finding);
    g_autofree char *site = pm_label_chain(r, finding->chain, 1);
    PmFamily family = pm_category_family(finding->category);
    *strchrnul(site, ' ') = 0;
    finding->rule =
        family == PM_FAMILY_LOCK ? PM_RULE_LOCK_DOMINATES
        : family == PM_FAMILY_RESOURCE &&
                !(finding->category == PM_CATEGORY_SEMAPHORE && pm_blocker_cost_is_signal(toll, r))
            ? PM_RULE_RESOURCE_EXHAUSTED
            : PM_RULE_WAIT_DOMINATES;
    finding->title =
        g_strdup_printf(family == PM_FAMILY_LOCK
                            ? "Locks of class %s (%u) take %s of the busy time of %s: %s"
                            : "Waiting for objects of class %s (%u) takes %s of the busy time of "
                              "%s: %s",
                        class_name, toll->n_blockers, share, victims, site);
    finding->advice = pm_advice_of_many(finding);
    finding->blocker = 0; /* no single one */
    finding->command = g_strdup_printf("--category=%s --by=class,cause-site,site",
                                       pm_category_name(finding->category));
}

static void tell_one(PmSummary *summary, const PmContention *contention, const PmBlockerCost *toll,
                     PmFinding *finding)
{
    const PmView *view = summary->metrics->view;
    const PmRecording *r = view->recording;
    PmOwnerActivity doing;
    guint32 next;
    pm_owner_activity(view, toll->blocker, &doing);
    finding->rule = choose_rule(view, contention, toll, finding, &doing, &next);
    finding->title = title_of(r, finding, &doing, next);
    finding->advice = pm_advice_of_one(r, finding);
    pm_evidence_add_hold(finding, contention);
    if (pm_category_family(finding->category) == PM_FAMILY_LOCK && !pm_advice_is_hand_over(finding))
        pm_evidence_add_prediction(finding, view, contention);
    if (doing.n >= MIN_SAMPLES && doing.frame)
        pm_evidence_add(finding, TRUE,
                        g_strdup_printf("owner seen in %s < %s in %.0f %% of %u samples",
                                        doing.frame, doing.caller, 100.0 * doing.n_slow / doing.n,
                                        doing.n));
    g_autofree char *hash = pm_label_hash(r, toll->blocker);
    finding->command = hash ? g_strdup_printf("--blocker=%s --by=cause-site,site", hash)
                            : g_strdup_printf("--category=%s --by=site,cause-site",
                                              pm_category_name(finding->category));
    pm_owner_activity_clear(&doing);
}

static PmFinding finding_of_toll(PmSummary *summary, const PmContention *contention,
                                 const PmBlockerCost *toll, guint8 category)
{
    const PmView *view = summary->metrics->view;
    const PmRecording *r = view->recording;
    PmFinding finding = {.severity = PM_SEVERITY_HIGH,
                         .blocker = toll->blocker,
                         .kind = toll->kind,
                         .category = category,
                         .chain = pm_blocker_cost_chain(toll),
                         .thread_time = toll->thread_time,
                         .waits = toll->waits,
                         .longest = toll->longest,
                         .from = view->from,
                         .to = view->to};
    finding.mean_threads = view->recorded > 0 ? (double)toll->thread_time / view->recorded : 0;
    finding.causes = pm_blocker_cost_causes(toll, r, &finding.n_causes);
    finding.victims = pm_blocker_cost_victims(toll, summary, &finding.n_victims);
    for (guint i = 0; i < finding.n_victims; i++)
        if (finding.victims[i].busy_share > finding.busy_share)
            finding.busy_share = finding.victims[i].busy_share;
    if (toll->n_blockers > 1)
        tell_many(r, toll, &finding);
    else
        tell_one(summary, contention, toll, &finding);
    double inferred = 0;
    for (guint i = 0; i < finding.n_causes; i++)
        if (finding.causes[i].inferred)
            inferred += finding.causes[i].share;
    pm_evidence_add(&finding, inferred < 0.0005, /* what would be written 100.0 % */
                    g_strdup_printf("cause exact for %.1f %% of the time", 100 * (1 - inferred)));
    return finding;
}

/* ---- all of them ---- */

/* A pool's threads are idle in its own category; it is exhausted when, for half of the time, none
 * was, while others waited for what its threads complete. */
static void add_exhausted_pools(PmSummary *summary, GArray *findings)
{
    const PmView *view = summary->metrics->view;
    const PmRecording *r = view->recording;
    const PmWaits *w = &r->waits;
    gint64 range = view->to - view->from;
    if (range <= 0)
        return;
    /* Time with at least one idle thread: per group the union of its idle waits, in order of begin.
     */
    g_autofree gint64 *some_idle = g_new0(gint64, r->n_groups);
    g_autofree gint64 *covered = g_new(gint64, r->n_groups);
    for (guint g = 0; g < r->n_groups; g++)
        covered[g] = view->from;
    for (gsize i = 0; i < w->n; i++) {
        if (pm_wait_category(w, i) != PM_CATEGORY_POOL_IDLE)
            continue;
        guint32 group = r->threads[pm_wait_thread(w, i)].group;
        gint64 begin = MAX(pm_wait_begin(w, i), covered[group]),
               end = MIN(pm_wait_end(w, i), view->to);
        if (end > begin) {
            some_idle[group] += end - begin;
            covered[group] = end;
        }
    }
    for (guint g = 0; g < summary->n_groups; g++) {
        const PmGroupTime *group = &summary->groups[g];
        double none_idle = 1 - (double)some_idle[group->group] / range;
        if (group->n_threads < 2 || !some_idle[group->group] || none_idle < 0.5)
            continue;
        /* Who waits for its results: joins and signals ended by one of its threads. */
        PmFinding finding = {.rule = PM_RULE_POOL_EXHAUSTED,
                             .severity = PM_SEVERITY_HIGH,
                             .category = PM_CATEGORY_FUTURE,
                             .from = view->from,
                             .to = view->to};
        g_autoptr(GHashTable) waiters = g_hash_table_new(NULL, NULL);
        gint64 biggest = 0;
        for (gsize i = 0; i < view->n; i++) {
            guint32 row = view->rows[i];
            if (pm_category_family(pm_wait_category(w, row)) != PM_FAMILY_JOIN ||
                !pm_wait_waker(w, row) || r->threads[pm_wait_waker(w, row)].group != group->group ||
                r->threads[pm_wait_thread(w, row)].group == group->group)
                continue;
            gint64 time = pm_view_clip(view, row);
            g_hash_table_add(waiters, GUINT_TO_POINTER(pm_wait_thread(w, row)));
            finding.waits++;
            pm_sum_add(&finding.thread_time, time);
            finding.longest = MAX(finding.longest, time);
            if (time > biggest) {
                biggest = time;
                finding.blocker = pm_wait_blocker(w, row);
                finding.kind = pm_wait_kind(w, row);
                finding.chain = pm_wait_chain(w, row);
            }
        }
        finding.mean_threads =
            view->recorded > 0 ? (double)finding.thread_time / view->recorded : 0;
        if (finding.mean_threads < MIN_MEAN_THREADS)
            continue;
        guint n_waiters = g_hash_table_size(waiters);
        finding.title =
            g_strdup_printf("%s (%u) had no idle thread for %.0f %% of the time; %u "
                            "%s for its results",
                            r->groups[group->group].name, group->n_threads, 100 * none_idle,
                            n_waiters, n_waiters == 1 ? "thread waits" : "threads wait");
        finding.advice = g_strdup(pm_rule_advice(finding.rule));
        finding.busy_share = none_idle;
        gint64 waiting = 0;
        for (guint f = 0; f < PM_N_FAMILIES; f++)
            if (f != PM_FAMILY_IDLE)
                pm_sum_add(&waiting, group->family[f]);
        pm_evidence_add(&finding, TRUE,
                        g_strdup_printf("its threads wait %.0f %% of their busy time themselves",
                                        group->busy > 0 ? 100.0 * waiting / group->busy : 0));
        finding.command = g_strdup_printf("--category=future,latch --by=waker-site,site");
        g_array_append_val(findings, finding);
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
    if (a->busy_share != b->busy_share)
        return a->busy_share > b->busy_share ? -1 : 1;
    if (a->thread_time != b->thread_time)
        return a->thread_time > b->thread_time ? -1 : 1;
    return (a->blocker > b->blocker) - (a->blocker < b->blocker);
}

static gboolean is_polling(const PmView *view, const PmBlockerCost *toll)
{
    double seconds = view->recorded / 1e9;
    guint n_threads = MAX(g_hash_table_size(toll->threads), 1);
    return seconds > 0 && toll->time_outs * 10 >= toll->waits * 9 &&
           toll->time_outs / seconds / n_threads >= POLLS_A_SECOND;
}

/* What is stuck there has been told already, as a deadlock or a stuck wait. */
static gboolean is_told(const PmSummary *summary, const GArray *findings, const PmBlockerCost *toll)
{
    const PmWaits *w = &summary->metrics->view->recording->waits;
    if (pm_product(toll->open_time, 2) < toll->thread_time)
        return FALSE;
    for (guint d = 0; d < summary->n_deadlocks; d++)
        for (guint i = 0; i < summary->deadlocks[d].n_threads; i++)
            if (pm_wait_blocker(w, summary->deadlocks[d].rows[i]) == toll->blocker)
                return TRUE;
    for (guint i = 0; i < findings->len; i++) {
        const PmFinding *finding = &g_array_index(findings, PmFinding, i);
        if (finding->severity == PM_SEVERITY_STUCK && finding->blocker == toll->blocker &&
            finding->kind == toll->kind)
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
static gboolean is_by_design(const PmRecording *r, const PmFinding *finding)
{
    if (wants_work(r, finding->category, finding->chain))
        return TRUE;
    if (pm_category_family(finding->category) != PM_FAMILY_JOIN)
        return FALSE;
    for (guint i = 0; i < finding->n_victims; i++)
        if (r->groups[finding->victims[i].group].n_threads > 1)
            return FALSE;
    return TRUE;
}

static gboolean matters(const PmSummary *summary, const PmBlockerCost *toll)
{
    const PmView *view = summary->metrics->view;
    double mean = view->recorded > 0 ? (double)toll->thread_time / (double)view->recorded : 0;
    return mean >= PM_SUMMARY_MIN_MEAN &&
           (mean >= MIN_MEAN_THREADS ||
            pm_blocker_cost_busy_share(toll, summary) >= MIN_BUSY_SHARE);
}

/* Blockers that are many and each small - a lock per row, a future per request - matter together:
 * per class, meaning and place of the wait one toll, if none of its blockers is a quarter of it.
 * Values of the table are tolls, found by a blocker's own toll. */
static GHashTable *gather_many(const PmSummary *summary, GHashTable *tolls, const GArray *told,
                               GPtrArray *ret_many)
{
    const PmRecording *r = summary->metrics->view->recording;
    g_autoptr(GHashTable) kinds = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func((GDestroyNotify)pm_blocker_cost_free);
    GHashTable *of_toll = g_hash_table_new(NULL, NULL);
    for (gsize i = 0; i < summary->metrics->n; i++) { /* in their order, for the same answer */
        const PmMetricsRow *row = &summary->metrics->rows[i];
        PmBlockerCost *toll = pm_blocker_costs_find(tolls, row->blocker, row->kind);
        PmFamily family = pm_category_family(row->category);
        if (!toll || toll->thread_time <= 0 || !row->blocker || family == PM_FAMILY_IDLE ||
            is_told(summary, told, toll))
            continue;
        guint32 method = pm_recording_site_method(r, pm_blocker_cost_chain(toll));
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
        pm_blocker_cost_add_cost(many, r, toll);
        g_hash_table_insert(of_toll, toll, many);
    }
    GHashTableIter iter;
    gpointer value;
    g_hash_table_iter_init(&iter, of_toll);
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
    return of_toll;
}

/* The verdict is the first finding that is no note. */
static void take_verdict(PmSummary *summary, const PmFinding *first)
{
    static const PmVerdictLevel levels[] = {
        [PM_SEVERITY_STUCK] = PM_VERDICT_STUCK, [PM_SEVERITY_HIGH] = PM_VERDICT_HIGH};
    if (first != NULL && first->severity != PM_SEVERITY_NOTE) {
        g_free(summary->verdict.sentence);
        summary->verdict =
            (PmVerdict){levels[first->severity], g_strdup(first->title), first->blocker};
    } else if (summary->verdict.level != PM_VERDICT_EMPTY &&
               summary->verdict.level != PM_VERDICT_NONE) {
        gint64 longest = 0;
        for (gsize i = 0; i < summary->metrics->n; i++)
            if (!pm_category_is_idle(summary->metrics->rows[i].category))
                longest = MAX(longest, summary->metrics->rows[i].longest);
        if (first == NULL || first->busy_share <= 0)
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
    g_autoptr(GHashTable) tolls = pm_blocker_costs_gather(summary, contention, cancel);
    if (!tolls)
        return NULL;
    g_autoptr(GArray) all = g_array_new(FALSE, TRUE, sizeof(PmFinding));
    pm_stuck_add_deadlocks(summary, all);
    pm_stuck_add_waits(summary, all);
    add_exhausted_pools(summary, all);
    g_autoptr(GPtrArray) many =
        g_ptr_array_new_with_free_func((GDestroyNotify)pm_blocker_cost_free);
    g_autoptr(GHashTable) of_toll = gather_many(summary, tolls, all, many);
    for (guint i = 0; i < many->len; i++) {
        const PmBlockerCost *toll = g_ptr_array_index(many, i);
        PmFinding finding = finding_of_toll(summary, contention, toll, toll->category);
        if (is_by_design(r, &finding)) {
            finding_clear(&finding);
            continue;
        }
        if (pm_category_family(toll->category) != PM_FAMILY_LOCK)
            pm_evidence_add_wake_step(&finding, view, r->blockers[toll->blocker].class_index);
        g_array_append_val(all, finding);
    }
    for (gsize i = 0; i < summary->metrics->n; i++) {
        const PmMetricsRow *row = &summary->metrics->rows[i];
        PmBlockerCost *toll = pm_blocker_costs_find(tolls, row->blocker, row->kind);
        if (!toll || toll->thread_time <= 0)
            continue;
        gboolean polling = is_polling(view, toll);
        if (is_told(summary, all, toll) || (!polling && !matters(summary, toll)) ||
            (!polling && g_hash_table_contains(of_toll, toll)))
            continue;
        PmFinding finding = finding_of_toll(summary, contention, toll, row->category);
        if (polling) {
            double rate = toll->time_outs / (view->recorded / 1e9);
            g_autofree char *victims = victims_text(r, &finding);
            g_autofree char *site = pm_label_chain(r, finding.chain, 1);
            g_free(finding.title);
            finding.title = g_strdup_printf("%s wakes by time-out %.0f times a second in %s",
                                            victims, rate, site);
            g_free(finding.advice);
            finding.rule = PM_RULE_TIMED_POLLING;
            finding.severity = PM_SEVERITY_NOTE;
            finding.advice = g_strdup(pm_rule_advice(finding.rule));
        } else if (is_by_design(r, &finding)) {
            finding_clear(&finding);
            continue;
        } else if (pm_category_family(row->category) != PM_FAMILY_LOCK) {
            pm_evidence_add_wake_step(&finding, view, 0);
        }
        g_array_append_val(all, finding);
    }
    for (guint i = 0; i < all->len; i++) {
        PmFinding *finding = &g_array_index(all, PmFinding, i);
        if (finding->severity == PM_SEVERITY_HIGH && finding->mean_threads < PM_SUMMARY_HIGH_MEAN)
            finding->severity = PM_SEVERITY_NOTE;
    }
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
