#include "viewer/analysis/findings/findings.h"

#include <math.h>
#include <string.h>

#include "viewer/analysis/aggregation/excerpt-view.h"
#include "viewer/analysis/aggregation/lock-chain.h"
#include "viewer/analysis/code/own-code.h"
#include "viewer/analysis/evidence/evidence.h"
#include "viewer/analysis/evidence/keeper.h"
#include "viewer/analysis/findings/dependents.h"
#include "viewer/analysis/findings/processors.h"
#include "viewer/analysis/findings/replies.h"
#include "viewer/analysis/findings/rule.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/analysis/recording/recording-private.h"
#include "viewer/analysis/base/sort.h"
#include "viewer/analysis/base/sum.h"

#define MAX_FINDINGS     5
#define MAX_NOTES        5
#define MIN_BUSY_SHARE   0.05
#define MIN_MEAN_THREADS 1.0
#define MIN_SAMPLES      5
/* What is less than either is a note: it would hardly be felt. */
#define HIGH_BUSY_SHARE   0.15
#define HIGH_MEAN_THREADS 1.0
/* Less is felt, too, if several threads lose it to one method of the program's that keeps what they
 * want, which can be changed. */
#define HIGH_OWN_SHARE 0.10
#define OWN_PART       0.6
#define REST_SHARE     0.8  /* so much of it has no cause in the program */
#define ARRIVING       0.67 /* or so much, if most of it comes from outside */
#define MIN_PACED      2.0  /* so much longer it goes by the clock than by who has not come */
#define MIN_ANSWERS    3
#define ONE_CULPRIT    0.8
#define MOST           0.5
#define MIN_ALIKE      4
#define SMALL_PART     8  /* so many of them make the whole */
#define MIN_LOOKS      10 /* at who may work on a result, each of them so often: */
#define MIN_ROUNDS     3
#define MIN_TRIES      10 /* of fewer it is not known how long they usually last */
#define MIN_HANG_NS    G_GINT64_CONSTANT(1000000000)
#define MIN_CYCLE_NS   G_GINT64_CONSTANT(100000000) /* what lasts no longer is no hang */

gboolean pm_findings_are_of_part(const PmSummary *summary)
{
    const GArray *chips = summary->metrics->view->filter->chips;
    return chips && chips->len > 0;
}

/* ---- one finding ---- */

/* The first rule that applies; the last always does. */
static void apply_rule(const PmCandidate *candidate, PmFinding *finding)
{
    PmRuleId id = 0;
    while (!pm_rule(id)->applies || !pm_rule(id)->applies(candidate))
        id++;
    const PmRule *rule = pm_rule(id);
    finding->rule = id;
    finding->severity = rule->severity;
    finding->title = candidate->many && id != PM_RULE_TIMED_POLLING
                         ? pm_candidate_title_of_many(candidate)
                         : rule->title(candidate);
    finding->advice = rule->advise ? rule->advise(candidate) : NULL;
    if (!finding->advice)
        finding->advice = g_strdup(rule->advice);
}

static void tell_many(const PmCandidate *candidate, PmFinding *finding)
{
    finding->blocker = 0; /* no single one */
    finding->one_of = candidate->cost->blocker;
    finding->command = g_strdup_printf("--category=%s --by=class,cause-site,site",
                                       pm_category_name(finding->category));
}

static void tell_one(const PmCandidate *candidate, PmFinding *finding)
{
    const PmView *view = candidate->search->summary->metrics->view;
    const PmContention *contention = candidate->search->contention;
    const PmRecording *r = view->recording;
    const PmOwnerActivity *doing = &candidate->doing;
    pm_evidence_add_hold(finding, r, contention);
    pm_evidence_add_held(finding, contention);
    pm_evidence_add_after_wait(finding, candidate->search->summary->metrics);
    if (pm_candidate_is_lock(candidate) && !pm_finding_is_hand_over(finding) &&
        pm_recording_whole(r) == r)
        pm_evidence_add_prediction(finding, view, contention);
    if (doing->n >= MIN_SAMPLES && doing->frame) {
        const double elsewhere = 100.0 * (doing->n_slow - doing->n_there) / doing->n;
        g_autofree char *more = elsewhere >= 0.5
                                    ? g_strdup_printf(", in other slow calls in %.0f %%", elsewhere)
                                    : NULL;
        pm_evidence_add(finding, TRUE,
                        g_strdup_printf("owner seen in %s < %s in %.0f %% of %u samples%s",
                                        doing->frame, doing->caller,
                                        100.0 * doing->n_there / doing->n, doing->n,
                                        more ? more : ""));
    }
    pm_evidence_add_allocations(finding, r, contention);
    g_autofree char *hash = pm_label_hash(r, finding->blocker);
    finding->command = hash ? g_strdup_printf("--blocker=%s --by=cause-site,site", hash)
                            : g_strdup_printf("--category=%s --by=site,cause-site",
                                              pm_category_name(finding->category));
}

/* Takes the candidate's rest: what its owners do, and what they wait for. */
static void look_at_owners(PmCandidate *candidate, PmFinding *finding)
{
    const PmSearch *search = candidate->search;
    const PmView *view = search->summary->metrics->view;
    const PmOwnerActivity *doing = &candidate->doing;
    pm_owner_activity(view, candidate->cost->blocker, &candidate->doing);
    candidate->owner_is_slow = doing->n >= MIN_SAMPLES && doing->n_slow * 2 > doing->n;
    if (pm_candidate_is_lock(candidate) && !candidate->owner_is_slow &&
        !pm_contention_is_resource(search->contention, finding->blocker))
        candidate->next = pm_evidence_add_convoy(finding, search);
}

/* Appends what the cost is a finding of, unless its threads do what they are for. `if_drained`:
 * only if nobody gets any more of it. */
static void add_cost(const PmSearch *search, const PmBlockerCost *cost, guint8 category,
                     gboolean if_drained, GArray *findings)
{
    const PmSummary *summary = search->summary;
    const PmView *view = summary->metrics->view;
    PmFinding finding = {.blocker = cost->blocker,
                         .kind = cost->kind,
                         .category = category,
                         .chain = pm_blocker_cost_chain(cost),
                         .thread_time = cost->thread_time,
                         .blamed = pm_blocker_cost_blamed(cost),
                         .waits = cost->waits,
                         .longest = cost->longest,
                         .from = view->from,
                         .to = view->to,
                         .estimated = search->estimated};
    finding.mean_threads = view->known > 0 ? (double)cost->thread_time / view->known : 0;
    finding.causes = pm_blocker_cost_causes(cost, view, category, &finding.n_causes);
    finding.victims = pm_blocker_cost_victims(cost, summary, &finding.n_victims);
    for (guint i = 0; i < finding.n_victims; i++)
        if (finding.victims[i].busy_share > finding.busy_share)
            finding.busy_share = finding.victims[i].busy_share;
    PmCandidate candidate = {
        .search = search, .cost = cost, .many = cost->n_blockers > 1, .finding = &finding};
    PmDrained drained = PM_DRAINED_NOT;
    if (!candidate.many)
        look_at_owners(&candidate, &finding);
    if (!candidate.many && pm_candidate_is_exhausted(&candidate))
        drained = pm_keeper_blame(search, &finding);
    candidate.is_drained = drained == PM_DRAINED_BY_UNKNOWN;
    apply_rule(&candidate, &finding);
    if (drained != PM_DRAINED_NOT)
        pm_finding_advise(&finding, PM_KEEPER_ADVICE);
    if (candidate.many)
        tell_many(&candidate, &finding);
    else
        tell_one(&candidate, &finding);
    pm_processors_tell(&candidate, &finding);
    const gboolean lends = category == PM_CATEGORY_RESOURCE;
    double inferred = 0;
    for (guint i = 0; i < finding.n_causes; i++)
        if (finding.causes[i].inferred ||
            (lends && finding.causes[i].kind == PM_CAUSE_TIME_OUT)) /* is how it ended */
            inferred += finding.causes[i].share;
    if (pm_blocker_cost_is_estimated(cost))
        pm_evidence_add(&finding, FALSE,
                        g_strdup_printf("causes estimated from %" G_GINT64_FORMAT
                                        " of %" G_GINT64_FORMAT
                                        " waits, longer ones more likely to be chosen",
                                        cost->n_split, cost->waits));
    else
        pm_evidence_add_certainty(&finding, inferred);
    if ((lends || pm_category_family(category) == PM_FAMILY_JOIN) && cost->time_outs)
        pm_evidence_add(&finding, pm_recording_whole(view->recording) == view->recording,
                        g_strdup_printf("%" G_GINT64_FORMAT " of %" G_GINT64_FORMAT
                                        " waits timed out without success",
                                        cost->time_outs, cost->waits));
    const PmRule *rule = pm_rule(finding.rule);
    const gboolean by_design = rule->is_by_design && rule->is_by_design(&candidate);
    if ((if_drained && drained == PM_DRAINED_NOT) ||
        (by_design && !pm_candidate_is_starved(&candidate) &&
         !pm_candidate_coordinates(&candidate))) {
        pm_finding_clear(&finding);
    } else {
        finding.severity = by_design ? PM_SEVERITY_NOTE : finding.severity;
        g_array_append_val(findings, finding);
    }
    pm_owner_activity_clear(&candidate.doing);
}

/* ---- all of them ---- */

static int finding_compare(gconstpointer left, gconstpointer right)
{
    const PmFinding *a = left, *b = right;
    if (a->severity != b->severity)
        return a->severity < b->severity ? -1 : 1;
    if (a->severity == PM_SEVERITY_STUCK && a->rule != b->rule)
        return a->rule < b->rule ? -1 : 1;
    if (a->severity == PM_SEVERITY_STUCK && a->since_before && b->since_before &&
        a->thread_time != b->thread_time) /* which began first is not known */
        return a->thread_time > b->thread_time ? -1 : 1;
    if (a->severity == PM_SEVERITY_STUCK && a->longest != b->longest)
        return a->longest > b->longest ? -1 : 1;
    if (a->blamed != b->blamed)
        return a->blamed > b->blamed ? -1 : 1;
    if (a->busy_share != b->busy_share)
        return a->busy_share > b->busy_share ? -1 : 1;
    return (a->blocker > b->blocker) - (a->blocker < b->blocker);
}

/* What is stuck there has been told already, as a deadlock, behind one, or as a stuck wait. */
static gboolean is_told(const PmSearch *search, const PmBlockerCost *cost)
{
    const PmSummary *summary = search->summary;
    if (pm_product(cost->open_time, 2) < cost->thread_time)
        return FALSE;
    for (guint i = 0; summary->n_deadlocks && i < summary->n_still; i++) {
        const PmStillWaiting *still = &summary->still[i];
        if (still->cycle == PM_BEHIND_CYCLE && still->blocker == cost->blocker &&
            still->kind == cost->kind)
            return TRUE;
    }
    return g_hash_table_contains(search->told, pm_finding_told_key(cost->blocker, cost->kind));
}

static gboolean matters(const PmSummary *summary, const PmBlockerCost *cost)
{
    const PmView *view = summary->metrics->view;
    /* Their definitions are damaged: there is nobody and nothing to name. */
    if (cost->blocker == 0 && pm_blocker_cost_chain(cost) == 0)
        return FALSE;
    double mean = view->known > 0 ? (double)pm_blocker_cost_blamed(cost) / (double)view->known : 0;
    return mean >= PM_SUMMARY_MIN_MEAN &&
           (mean >= MIN_MEAN_THREADS ||
            pm_blocker_cost_busy_share(cost, summary) >= MIN_BUSY_SHARE);
}

/* Does nearly all of the waiting go by until something comes from outside or by the clock, and is
 * it much? Nobody in the program makes it last, but it tells where the time goes. */
static gboolean comes_from_outside(const PmSummary *summary, const PmBlockerCost *cost)
{
    const PmView *view = summary->metrics->view;
    if (cost->charged <= 0 ||
        (double)pm_blocker_cost_arriving(cost) < REST_SHARE * (double)cost->charged ||
        (double)cost->thread_time < PM_SUMMARY_HIGH_MEAN * (double)view->recorded)
        return FALSE;
    guint n;
    g_autofree PmVictim *victims = pm_blocker_cost_victims(cost, summary, &n);
    return n > 0 && victims[0].busy_share >= HIGH_BUSY_SHARE;
}

/* So do results, each of which has an object of its own, whatever kind that is: as a queue of one,
 * which the answer is put into, or a latch. */
static gboolean is_answered_from_outside(const PmSummary *summary, const PmBlockerCost *many)
{
    const PmFamily family = pm_category_family(many->category);
    const gint64 n_least = many->category == PM_CATEGORY_FUTURE
                               ? MIN_ANSWERS
                               : pm_product(many->threads.n, MIN_ANSWERS);
    return family != PM_FAMILY_LOCK && family != PM_FAMILY_RESOURCE &&
           many->n_blockers >= n_least &&
           pm_product(many->n_blockers, 10) >= pm_product(many->waits, 9) &&
           comes_from_outside(summary, many);
}

/* So do permits that are given at a pace, as where a rate is limited, one result, and a lock whose
 * owners listen. */
static gboolean is_paced(const PmSummary *summary, const PmMetricsRow *row,
                         const PmBlockerCost *cost)
{
    const PmFamily family = pm_category_family(row->category);
    return (family == PM_FAMILY_RESOURCE || family == PM_FAMILY_LOCK ||
            row->category == PM_CATEGORY_FUTURE) &&
           comes_from_outside(summary, cost);
}

/* The method behind most of the waiting, and which part of it; 0 = that is not known, or no code.
 */
static guint32 first_method(const PmSummary *summary, const PmBlockerCost *cost, double *ret_share)
{
    PmFinding finding = {0};
    finding.causes = pm_blocker_cost_causes(cost, summary->metrics->view,
                                            (PmCategory)cost->category, &finding.n_causes);
    const gboolean is_code = finding.n_causes && finding.causes[0].culprit;
    const guint32 method = is_code ? finding.causes[0].method : 0;
    *ret_share = is_code ? finding.causes[0].share : 0;
    pm_finding_clear(&finding);
    return method;
}

/* Is one method behind nearly all of it, as the loader of a cache that has a lock for each entry;
 * or behind most of it, and first at each that is more than a small part, as a backup that takes
 * one stripe after the other? */
static gboolean have_one_culprit(const PmSummary *summary, const PmBlockerCost *many,
                                 const GPtrArray *parts)
{
    double share;
    const guint32 method = first_method(summary, many, &share);
    if (share >= ONE_CULPRIT || !method || share < MOST)
        return share >= ONE_CULPRIT;
    for (guint i = 0; i < parts->len; i++) {
        const PmBlockerCost *part = parts->pdata[i];
        if (pm_product(part->thread_time, SMALL_PART) >= many->thread_time &&
            first_method(summary, part, &share) != method)
            return FALSE;
    }
    return TRUE;
}

/* Do threads wait long for what is lent, and nearly all of that is for nobody known? Then it may be
 * that nobody gets any more. */
static gboolean is_in_vain(const PmSummary *summary, const PmMetricsRow *row,
                           const PmBlockerCost *cost)
{
    return pm_category_family(row->category) == PM_FAMILY_RESOURCE &&
           (double)cost->thread_time >=
               MIN_MEAN_THREADS * (double)summary->metrics->view->recorded &&
           (double)pm_blocker_cost_blamed(cost) < (1 - REST_SHARE) * (double)cost->thread_time;
}

static gboolean is_high(double busy_share, double mean_threads)
{
    return busy_share >= HIGH_BUSY_SHARE || mean_threads >= HIGH_MEAN_THREADS;
}

/* Would none of them be told by itself? */
static gboolean none_matters(const PmSummary *summary, const GPtrArray *parts)
{
    for (guint i = 0; i < parts->len; i++)
        if (matters(summary, parts->pdata[i]))
            return FALSE;
    return TRUE;
}

/* Would none of them be felt by itself, but all of them are? */
static gboolean are_felt_together(const PmSummary *summary, const PmBlockerCost *many)
{
    const gint64 known = summary->metrics->view->known;
    const double mean = known > 0 ? (double)pm_blocker_cost_blamed(many) / (double)known : 0;
    const double busy = pm_blocker_cost_busy_share(many, summary);
    const double part = (double)many->biggest / (double)many->thread_time;
    return is_high(busy, mean) && !is_high(busy * part, mean * part);
}

/* Would several of them be told by themselves, because of one group of threads that loses most? Not
 * if their fields tell them apart. */
static gboolean several_matter(const PmSummary *summary, const GPtrArray *parts)
{
    const PmRecording *r = summary->metrics->view->recording;
    guint32 group = 0, field = 0;
    guint n_told = 0, n;
    for (guint i = 0; i < parts->len; i++) {
        const PmBlockerCost *part = parts->pdata[i];
        const guint32 its = r->chains[r->blockers[part->blocker].first_chain].field;
        if (!matters(summary, part))
            continue;
        g_autofree PmVictim *victims = pm_blocker_cost_victims(part, summary, &n);
        if (n == 0 || (n_told > 0 && victims[0].group != group) || (field && its && its != field))
            return FALSE;
        group = victims[0].group;
        field = its ? its : field;
        n_told++;
    }
    return n_told > 1;
}

/* Do they belong together? They do where none of them is a quarter of all; locks, where none is
 * half, or several of them would be told by themselves, or none would be told or felt so, and they
 * would be told with the same culprit; and others, where each thread of a group waits for one of
 * its own. */
static gboolean are_one(const PmSummary *summary, const PmBlockerCost *many, const GPtrArray *parts)
{
    if (pm_product(many->biggest, 4) < many->thread_time)
        return TRUE;
    if (pm_category_family(many->category) != PM_FAMILY_LOCK)
        return many->n_blockers > 1 && !many->is_shared;
    return many->n_blockers > 1 &&
           ((many->n_blockers >= MIN_ALIKE && pm_product(many->biggest, 2) < many->thread_time) ||
            several_matter(summary, parts) || none_matters(summary, parts) ||
            are_felt_together(summary, many)) &&
           have_one_culprit(summary, many, parts);
}

/* Which costs are told together. */
typedef struct {
    /* What they have in common, owned by the caller; NULL: this one is told by itself. */
    char *(*key)(const PmSearch *search, const PmMetricsRow *row, const PmBlockerCost *cost);
    /* `parts` are the costs (PmBlockerCost) that `many` is the sum of. */
    gboolean (*is_one)(const PmSearch *search, const PmBlockerCost *many, const GPtrArray *parts);
    gboolean polls;
} Together;

/* Adds the costs that stand for several to `ret_many`. Values of the table are those costs, found
 * by a blocker's own cost. */
static GHashTable *gather(const PmSearch *search, GHashTable *costs, const Together *together,
                          GPtrArray *ret_many)
{
    const PmSummary *summary = search->summary;
    const PmRecording *r = summary->metrics->view->recording;
    /* Of each kind, the number of its sum in `all`, from 1 on. */
    g_autoptr(GHashTable) kinds = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func((GDestroyNotify)pm_blocker_cost_free);
    g_autoptr(GPtrArray) parts = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
    for (gsize i = 0; i < summary->metrics->n; i++) { /* in their order, for the same answer */
        const PmMetricsRow *row = &summary->metrics->rows[i];
        PmBlockerCost *cost = pm_blocker_costs_find(costs, row->blocker, row->kind);
        g_autofree char *kind = cost ? together->key(search, row, cost) : NULL;
        if (!kind)
            continue;
        guint number = GPOINTER_TO_UINT(g_hash_table_lookup(kinds, kind));
        if (!number) {
            PmBlockerCost *many = pm_blocker_cost_new(row->blocker, row->kind);
            many->n_blockers = 0;
            many->category = row->category;
            many->polls = together->polls;
            g_ptr_array_add(all, many);
            g_ptr_array_add(parts, g_ptr_array_new());
            number = all->len;
            g_hash_table_insert(kinds, g_steal_pointer(&kind), GUINT_TO_POINTER(number));
        }
        pm_blocker_cost_add_cost(all->pdata[number - 1], r, cost);
        g_ptr_array_add(parts->pdata[number - 1], cost);
    }
    GHashTable *of_cost = g_hash_table_new(NULL, NULL);
    for (guint i = 0; i < all->len; i++) {
        const GPtrArray *its = parts->pdata[i];
        if (!together->is_one(search, all->pdata[i], its))
            continue;
        for (guint j = 0; j < its->len; j++)
            g_hash_table_insert(of_cost, its->pdata[j], all->pdata[i]);
        g_ptr_array_add(ret_many, g_steal_pointer(&all->pdata[i]));
    }
    return of_cost;
}

/* Blockers that are many and each small - a lock per row, a future per request, a latch per session
 * - matter together: those that are alike in trees, too, per meaning of the wait. */
static char *key_of_small(const PmSearch *search, const PmMetricsRow *row,
                          const PmBlockerCost *cost)
{
    const PmRecording *r = search->summary->metrics->view->recording;
    if (!row->blocker || pm_category_family(row->category) == PM_FAMILY_IDLE ||
        is_told(search, cost))
        return NULL;
    return g_strdup_printf("%u %u %u", pm_recording_private(r)->alike[row->blocker], row->kind,
                           row->category);
}

static gboolean small_are_one(const PmSearch *search, const PmBlockerCost *many,
                              const GPtrArray *parts)
{
    const PmSummary *summary = search->summary;
    return (matters(summary, many) || is_answered_from_outside(summary, many)) &&
           are_one(summary, many, parts);
}

/* Polling of one group at one place, each thread an object of its own or each time another one, is
 * told once. */
static char *key_of_polling(const PmSearch *search, const PmMetricsRow *row,
                            const PmBlockerCost *cost)
{
    const PmSummary *summary = search->summary;
    const PmCandidate candidate = {.search = search, .cost = cost};
    /* Who gives up waiting for one result after the other does not poll for them. */
    const gboolean may_be = pm_category_family(row->category) == PM_FAMILY_JOIN
                                ? pm_candidate_is_polling(&candidate)
                                : pm_candidate_ends_by_timeout(&candidate);
    if (!may_be)
        return NULL;
    guint n;
    g_autofree PmVictim *victims = pm_blocker_cost_victims(cost, summary, &n);
    if (n != 1)
        return NULL;
    return g_strdup_printf(
        "%u %u %u %u", row->category, row->kind, victims[0].group,
        pm_recording_site_method(summary->metrics->view->recording, pm_blocker_cost_chain(cost)));
}

static gboolean polling_is_one(const PmSearch *search, const PmBlockerCost *many,
                               G_GNUC_UNUSED const GPtrArray *parts)
{
    const PmCandidate candidate = {.search = search, .cost = many, .many = TRUE};
    return many->n_blockers > 1 && pm_candidate_is_polling(&candidate);
}

static const Together small = {key_of_small, small_are_one, FALSE};
static const Together polling = {key_of_polling, polling_is_one, TRUE};

/* What no finding stands for, without threads at rest. */
typedef struct {
    gint64 longest, longest_at_rest;
    double busy_share;        /* of one object; NAN: some take much, but are no findings */
    gboolean estimated;       /* that share */
    guint n_notes;            /* which say the share themselves */
    const PmFinding *outside; /* of these, most of a group's time, for answers from outside */
    const PmFinding *busy;    /* of these, an event loop, or a pool without a free thread */
    gboolean any_busy;        /* there is one, which may be so by design */
} Calm;

/* What the program's threads wait for is not in the program, unless what is busy keeps it. */
static void tell_outside(const PmRecording *r, const Calm *calm, GString *text)
{
    const PmFinding *finding = calm->outside, *busy = calm->busy;
    const PmVictim *victim = &finding->victims[0];
    g_autofree char *who = pm_summary_group_text(r, victim->group, victim->n_threads);
    g_autofree char *where = pm_label_code_method(r, finding->chain);
    g_autofree char *through = pm_finding_through(finding, r);
    g_string_append_printf(text,
                           "%s%.0f %% of the busy time of %s is waiting for answers from outside, "
                           "or for the clock, in %s%s",
                           finding->estimated ? "~" : "", 100 * MIN(victim->busy_share, 1), who,
                           where, through);
    if (busy)
        g_string_append_printf(text, "; %c%s", g_ascii_tolower(busy->title[0]), busy->title + 1);
    else if (!calm->any_busy)
        g_string_append(text, "; nothing in the program stands out");
}

/* The first note of what goes by until something comes that the program does not make; NULL: none.
 */
static const PmFinding *outside_of(const GArray *findings)
{
    for (guint i = 0; i < findings->len; i++) {
        const PmFinding *finding = &g_array_index(findings, PmFinding, i);
        if (finding->severity == PM_SEVERITY_NOTE && finding->rule == PM_RULE_WAIT_DOMINATES &&
            (finding->category == PM_CATEGORY_FUTURE || !finding->blocker) &&
            finding->n_victims > 0 && finding->n_causes > 0 &&
            finding->causes[0].kind == PM_CAUSE_ARRIVAL &&
            finding->victims[0].busy_share >= HIGH_BUSY_SHARE)
            return finding;
    }
    return NULL;
}

/* The first note of an event loop that is held up, or of a pool without a free thread, of which
 * half the threads go on each second, and a pool's not asleep: others may rest on connections, or
 * keep a pace. NULL: none. */
static const PmFinding *busy_of(const PmRecording *r, const GArray *findings, gboolean *ret_any)
{
    *ret_any = FALSE;
    for (guint i = 0; i < findings->len; i++) {
        const PmFinding *finding = &g_array_index(findings, PmFinding, i);
        *ret_any |= finding->rule == PM_RULE_EVENT_LOOP || finding->rule == PM_RULE_BUSY_POOL;
        if ((finding->rule == PM_RULE_EVENT_LOOP ||
             (finding->rule == PM_RULE_BUSY_POOL &&
              !pm_label_is_within(r, finding->chain, 4, "java.lang.Thread", "sleep"))) &&
            finding->mean_threads * 2 >= finding->victims[0].n_threads)
            return finding;
    }
    return NULL;
}

/* The oldest of what may still prove to be stuck. */
static void tell_young(const PmSummary *s, GString *text)
{
    const PmRecording *r = s->metrics->view->recording;
    for (guint i = 0; i < s->n_still; i++) {
        const PmStillWaiting *still = &s->still[i];
        if (!still->may_be_stuck || still->stuck)
            continue;
        g_autofree char *who = pm_summary_group_text(r, still->group, still->n_threads);
        g_autofree char *age = pm_label_duration(s->at - still->since);
        g_autofree char *where = pm_label_code_method(r, still->chain);
        g_string_append_printf(text,
                               ". %s %s waited for %s in %s, too early to say whether it ends", who,
                               still->n_threads == 1 ? "has" : "have", age, where);
        return;
    }
}

/* Is its sentence that of a note? */
static gboolean tells_note(const PmSummary *s, const Calm *calm)
{
    return s->not_stored == 0 && !pm_findings_are_of_part(s) && (calm->outside || calm->busy);
}

/* It does not call calm what was not stored, nor what a filter shows a part of. */
static char *calm_sentence(const PmSummary *s, const Calm *calm)
{
    GString *text = g_string_new(NULL);
    if (s->not_stored > 0) {
        g_autofree char *time = pm_label_duration(s->not_stored_time);
        g_string_append_printf(
            text, "%" G_GINT64_FORMAT " %s, %s in all, %s counted but not stored%s", s->not_stored,
            s->not_stored == 1 ? "wait" : "waits", time, s->not_stored == 1 ? "is" : "are",
            s->metrics->view->n > 0 ? "; none of the others stands out" : "");
    } else if (tells_note(s, calm) && calm->outside) {
        tell_outside(s->metrics->view->recording, calm, text);
    } else if (tells_note(s, calm)) {
        g_string_append(text, calm->busy->title);
    } else {
        g_string_append(text, pm_findings_are_of_part(s)
                                  ? "Of what the filter shows, no wait stands out by itself"
                                  : "No wait stands out");
    }
    if (calm->n_notes > 0)
        g_string_append_printf(text, ", %u %s", calm->n_notes,
                               calm->n_notes == 1 ? "note" : "notes");
    if (calm->longest > 0) {
        g_autofree char *duration = pm_label_duration(calm->longest);
        g_string_append_printf(text, ". Longest %s", duration);
        if (calm->longest_at_rest > calm->longest) {
            g_autofree char *at_rest = pm_label_duration(calm->longest_at_rest);
            g_string_append_printf(text, ", apart from threads at rest (up to %s)", at_rest);
        }
        if (!calm->n_notes && calm->busy_share >= 0.0005) /* less would be written 0.0 % */
            g_string_append_printf(text, "; the costliest object takes %s%.1f %% of busy time",
                                   calm->estimated ? "~" : "", 100 * calm->busy_share);
    }
    guint n_before = 0;
    for (guint i = 0; i < s->n_still; i++)
        if (s->still[i].begin_unknown && !pm_summary_is_at_rest(s, s->still[i].rows[0]))
            n_before += s->still[i].n_threads;
    if (n_before)
        g_string_append_printf(text, ". %u %s since before recording began", n_before,
                               n_before == 1 ? "thread waits" : "threads wait");
    tell_young(s, text);
    return g_string_free(text, FALSE);
}

/* Of a view without waits. */
static char *empty_sentence(const PmView *view)
{
    const guint n_chips = view->filter->chips->len;
    g_autofree char *length = pm_label_duration(view->known);

    if (view->recording->facts.damaged_blocks > 0 && !view->recording->waits.n)
        return g_strdup("No wait can be read; the file is damaged");
    if (n_chips > 0)
        return g_strdup(n_chips == 1 ? "No wait matches the filter"
                                     : "No wait matches the filters");
    if (view->known == 0 && view->to > view->from) {
        g_autofree char *all = pm_label_duration(view->to - view->from);
        return g_strdup_printf("Nothing is known of these %s", all);
    }
    if (view->known == view->to - view->from)
        return g_strdup_printf("No thread waited in these %s", length);
    return g_strdup_printf("No thread waited in the %s that %s", length,
                           view->recorded < view->to - view->from ? "were recorded" : "are known");
}

/* The first finding that is no note; else that nothing stands out, or that nothing is there. */
static PmVerdict verdict_of(const PmSummary *summary, const PmFinding *first, const Calm *calm)
{
    const PmView *view = summary->metrics->view;
    if (first && first->severity != PM_SEVERITY_NOTE)
        return (PmVerdict){first->severity == PM_SEVERITY_STUCK ? PM_VERDICT_STUCK
                                                                : PM_VERDICT_HIGH,
                           g_strdup(first->title), first->blocker, FALSE};
    const gboolean only_counted = view->n == 0 && summary->not_stored > 0; /* nothing is known */
    if (view->n > 0 || view->idle_waits > 0 || only_counted)
        return (PmVerdict){.level = only_counted ? PM_VERDICT_EMPTY : PM_VERDICT_NONE,
                           .sentence = calm_sentence(summary, calm),
                           .of_note = tells_note(summary, calm)};
    return (PmVerdict){PM_VERDICT_EMPTY, empty_sentence(view)};
}

/* What the rules find that look for themselves: those of hangs, or the others. */
static void search_by_rules(const PmSearch *search, gboolean hangs, GArray *findings)
{
    for (guint id = 0; id < PM_N_RULES; id++) {
        const PmRule *rule = pm_rule(id);
        guint i = findings->len;
        if (rule->find && (rule->severity == PM_SEVERITY_STUCK) == hangs)
            rule->find(search, findings);
        for (; i < findings->len; i++) {
            PmFinding *finding = &g_array_index(findings, PmFinding, i);
            finding->rule = id;
            if (finding->severity == PM_SEVERITY_STUCK) /* as the rule does not say itself */
                finding->severity = rule->severity;
            if (!finding->advice)
                finding->advice = g_strdup(rule->advice);
        }
    }
}

/* Does the summary have one of the waits that a hang was told of? */
static gboolean shows(const PmSummary *summary, GHashTable *told, const PmFinding *hang)
{
    for (guint i = 0; i < summary->n_still; i++) {
        const PmStillWaiting *still = &summary->still[i];
        for (guint k = 0; k < hang->n_victims; k++)
            if (hang->victims[k].group == still->group &&
                g_hash_table_contains(told, pm_finding_told_key(still->blocker, still->kind)))
                return TRUE;
    }
    return FALSE;
}

/* Whatever a filter leaves out: threads hang because of others. Of all hangs in the range those
 * are told that the view shows a part of. */
static void search_hangs(const PmSearch *search, GArray *findings)
{
    const PmSummary *summary = search->summary;
    const PmView *view = summary->metrics->view;
    if (!pm_findings_are_of_part(summary)) {
        search_by_rules(search, TRUE, findings);
        return;
    }
    if (summary->n_still == 0 || summary->at - summary->still[0].since < MIN_HANG_NS)
        return;
    g_autoptr(PmFilter) filter = pm_filter_copy(view->filter);
    g_clear_pointer(&filter->chips, g_array_unref);
    g_autoptr(PmView) whole = pm_view_new(view->recording, filter, search->cancel);
    g_autoptr(PmSummary) all = whole ? pm_summary_new(whole, summary->at, search->cancel) : NULL;
    if (!all)
        return;
    g_autoptr(PmOperations) operations = pm_operations_new(all, search->contention);
    g_autoptr(GArray) knots = pm_knots_find(operations);
    PmSearch of_all = *search;
    of_all.summary = all;
    of_all.operations = operations;
    of_all.knots = knots;
    guint n = findings->len;
    search_by_rules(&of_all, TRUE, findings);
    for (guint i = n; i < findings->len; i++) {
        PmFinding *hang = &g_array_index(findings, PmFinding, i);
        if (shows(summary, search->told, hang))
            g_array_index(findings, PmFinding, n++) = *hang;
        else
            pm_finding_clear(hang);
    }
    g_array_set_size(findings, n);
}

/* What waiting for a blocker, or for many that are alike, costs. FALSE when cancelled. */
static gboolean search_costs(const PmSearch *search, GArray *findings, Calm *ret_calm)
{
    const PmSummary *summary = search->summary;
    g_autoptr(GHashTable) costs =
        search->costs ? g_hash_table_ref(search->costs)
                      : pm_blocker_costs_gather(summary, search->contention, search->cancel);
    if (!costs)
        return FALSE;
    g_autoptr(GPtrArray) many =
        g_ptr_array_new_with_free_func((GDestroyNotify)pm_blocker_cost_free);
    g_autoptr(GHashTable) of_cost = gather(search, costs, &small, many);
    g_autoptr(GHashTable) polled = gather(search, costs, &polling, many);
    for (guint i = 0; i < many->len; i++) {
        const PmBlockerCost *cost = g_ptr_array_index(many, i);
        add_cost(search, cost, cost->category, FALSE, findings);
    }
    for (gsize i = 0; i < summary->metrics->n; i++) {
        const PmMetricsRow *row = &summary->metrics->rows[i];
        const PmBlockerCost *cost = pm_blocker_costs_find(costs, row->blocker, row->kind);
        if (cost && (is_told(search, cost) || g_hash_table_contains(polled, cost)))
            continue;
        ret_calm->longest_at_rest = MAX(ret_calm->longest_at_rest, row->longest);
        if (!cost || cost->thread_time <= 0)
            continue;
        /* They are in order of thread-time; who waits for work is not busy with that. */
        if ((i < 8 || cost->longest > ret_calm->longest) &&
            !pm_summary_wants_work(summary->metrics->view->recording, row->category,
                                   pm_blocker_cost_chain(cost))) {
            ret_calm->longest = MAX(ret_calm->longest, cost->longest);
            const double busy = i < 8 ? pm_blocker_cost_busy_share(cost, summary) : 0;
            /* What takes more is by design, or of a group that does nearly nothing. */
            if (busy >= MIN_BUSY_SHARE)
                ret_calm->busy_share = NAN;
            else if (busy > ret_calm->busy_share)
                ret_calm->busy_share = busy;
        }
        const PmCandidate candidate = {.search = search, .cost = cost};
        const gboolean is_much = matters(summary, cost) || is_paced(summary, row, cost);
        if (pm_candidate_is_polling(&candidate) ||
            ((is_much || is_in_vain(summary, row, cost)) && !g_hash_table_contains(of_cost, cost)))
            add_cost(search, cost, row->category, !is_much && !pm_candidate_is_polling(&candidate),
                     findings);
    }
    return TRUE;
}

static gboolean is_in_task(const PmRecording *r, guint32 chain)
{
    return pm_label_is_in_task(r, chain) ||
           pm_label_is_within(r, chain, G_MAXUINT, "java.util.concurrent.CompletableFuture$Async*",
                              "run");
}

/* Does the sample show a thread at work for the program, other than main asleep? */
static gboolean shows_work(const PmRecording *r, const PmOwnerSample *sample)
{
    const gboolean sleeps = pm_label_is_main(&r->threads[sample->owner]) &&
                            pm_label_is_within(r, sample->chain, 3, "java.lang.Thread", "sleep");
    return !sleeps &&
           (pm_own_frame(pm_own_code(r), sample->chain) >= 0 || is_in_task(r, sample->chain));
}

/* For whom the group works, as far as who waits here is concerned: for them, too, if it is for one
 * of their groups. Who brought them something before does. */
static PmWorkFor works_for(const PmSearch *search, const PmFinding *finding, guint32 group)
{
    PmWorkFor best = PM_WORK_FOR_OTHERS;
    for (guint i = 0; i < finding->n_causes; i++)
        if (finding->causes[i].kind == PM_CAUSE_WAKER && finding->causes[i].group == group)
            return PM_WORK_FOR_THEM;
    for (guint i = 0; i < finding->n_victims && best != PM_WORK_FOR_THEM; i++) {
        const PmWorkFor its =
            pm_contention_works_for(search->contention, finding->victims[i].group, group);
        best = its == PM_WORK_FOR_THEM || best == PM_WORK_FOR_OTHERS ? its : best;
    }
    return best;
}

/* Did nobody beside the victims work for them, of the groups that were looked at often in turn?
 * Then nobody is late with a result, and that its time is up is what is waited for. Whoever was
 * given nothing to do may work for them in a task of a pool that is never free. */
static gboolean nobody_works(const PmSearch *search, const PmFinding *finding)
{
    const PmRecording *r = search->summary->metrics->view->recording;
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL); /* groups → 1 + for whom */
    guint n = 0, n_working = 0;
    for (guint32 i = 0; i < r->n_samples; i++) {
        const PmOwnerSample *sample = &r->samples[i];
        const guint32 group = r->threads[sample->owner].group;
        gboolean is_victim = FALSE;
        for (guint k = 0; k < finding->n_victims; k++)
            is_victim |= finding->victims[k].group == group;
        if (sample->role != PM_SAMPLE_ENDER || !sample->chain || is_victim ||
            sample->at < finding->from || sample->at >= finding->to)
            continue;
        const gpointer key = GUINT_TO_POINTER(group);
        guint known = GPOINTER_TO_UINT(g_hash_table_lookup(seen, key));
        if (!known) {
            known = 1 + (guint)works_for(search, finding, group);
            g_hash_table_insert(seen, key, GUINT_TO_POINTER(known));
        }
        n++;
        n_working += shows_work(r, sample) &&
                     (known == 1 + PM_WORK_FOR_THEM ||
                      (known == 1 + PM_WORK_UNASKED && is_in_task(r, sample->chain)));
    }
    return n >= MIN_LOOKS && n >= MIN_ROUNDS * g_hash_table_size(seen) &&
           pm_product(n_working, MIN_LOOKS) <= n;
}

/* Who waits for anything but a lock, and does not go on once told, waits for a processor; handing
 * over a lock in order makes that worse. And who waits for a signal until its time is over, again
 * and again, does so at a pace of its own. */
static gboolean is_nobodys(const PmFinding *finding, const PmFindingCause *cause)
{
    const PmFamily family = pm_category_family(finding->category);
    return cause->kind == PM_CAUSE_ARRIVAL ||
           (cause->kind == PM_CAUSE_HAND_OVER && family != PM_FAMILY_LOCK) ||
           (cause->kind == PM_CAUSE_TIME_OUT && family == PM_FAMILY_SIGNAL);
}

/* Is it a library's thread, which passes on what it is given, or one that others wait for at a
 * barrier, if not as long as for the clock? */
static gboolean is_on_the_way(const PmRecording *r, const PmFinding *finding,
                              const PmFindingCause *cause)
{
    return cause->kind == PM_CAUSE_WAKER && cause->chain &&
           (finding->category == PM_CATEGORY_BARRIER ||
            (pm_category_family(finding->category) == PM_FAMILY_SIGNAL &&
             pm_own_frame(pm_own_code(r), cause->chain) < 0));
}

/* The part of the waiting that nobody in the program makes last: who waits has nothing to do, as
 * nothing comes, or is told in time and gets no processor. What comes from outside takes its time
 * on the way, if less than it takes to come; where waits end by timeouts, one in progress will. */
static double nobodys_share(const PmSearch *search, const PmFinding *finding)
{
    const PmRecording *r = search->summary->metrics->view->recording;
    const double more = finding->category == PM_CATEGORY_BARRIER ? MIN_PACED : 1;
    double share = 0, on_the_way = 0, of[PM_N_CAUSES] = {0};
    for (guint i = 0; i < finding->n_causes; i++) {
        const PmFindingCause *cause = &finding->causes[i];
        of[cause->kind] += cause->share;
        if (is_nobodys(finding, cause))
            share += cause->share;
        if (is_on_the_way(r, finding, cause))
            on_the_way += cause->share;
    }
    const gboolean paced = of[PM_CAUSE_TIME_OUT] > MIN_PACED * of[PM_CAUSE_STILL_WAITING];
    if (pm_category_family(finding->category) == PM_FAMILY_SIGNAL && paced)
        share += of[PM_CAUSE_STILL_WAITING];
    if (finding->category == PM_CATEGORY_FUTURE && paced && nobody_works(search, finding))
        share += of[PM_CAUSE_TIME_OUT] + of[PM_CAUSE_STILL_WAITING];
    return share + (of[PM_CAUSE_ARRIVAL] > more * on_the_way ? on_the_way : 0);
}

/* How much of the waiting for a lock, of those who try for a time, is over when that usually is:
 * whoever tries longer does not get a processor to give up. */
static double part_in_time(const PmView *view, const PmFinding *finding)
{
    const PmWaits *w = &view->recording->waits;
    g_autoptr(GArray) lengths = g_array_new(FALSE, FALSE, sizeof(gint64));
    gint64 all = 0, in_time = 0;
    if (pm_category_family(finding->category) != PM_FAMILY_LOCK || !finding->blocker)
        return 1;
    for (gsize i = 0; i < view->n; i++) {
        const guint32 row = pm_view_row(view, i);
        if (pm_wait_blocker(w, row) != finding->blocker || pm_wait_kind(w, row) != finding->kind)
            continue;
        if (!(pm_wait_flags(w, row) & PM_WAIT_TIMED))
            return 1;
        const gint64 length = pm_wait_end(w, row) - pm_wait_begin(w, row);
        if (pm_wait_wake_cause(w, row) == PM_WAKE_TIME_OUT)
            g_array_append_val(lengths, length);
    }
    if (lengths->len < MIN_TRIES)
        return 1;
    g_array_sort(lengths, pm_compare_instants);
    const gint64 usual = g_array_index(lengths, gint64, lengths->len / 4);
    for (gsize i = 0; i < view->n; i++) {
        const guint32 row = pm_view_row(view, i);
        const gint64 time = pm_view_clip(view, row);
        if (pm_wait_blocker(w, row) != finding->blocker || pm_wait_kind(w, row) != finding->kind)
            continue;
        pm_sum_add(&all, time);
        pm_sum_add(&in_time, MIN(time, usual));
    }
    return all > 0 ? (double)in_time / (double)all : 1;
}

/* Does one method of the program's keep what several threads want, for most of what they lose? Who
 * waits for a result has asked for it, and would wait without others, too. */
static gboolean is_of_own_method(const PmSearch *search, const PmFinding *finding)
{
    const PmRecording *r = search->summary->metrics->view->recording;
    const PmFindingCause *first = finding->n_causes ? finding->causes : NULL;
    const PmFamily family = pm_category_family(finding->category);
    return (family == PM_FAMILY_LOCK || family == PM_FAMILY_RESOURCE ||
            finding->rule == PM_RULE_RESOURCE_EXHAUSTED) &&
           first && first->method && first->share >= OWN_PART &&
           pm_own_is(pm_own_code(r), r, first->method) && finding->n_victims &&
           finding->victims[0].n_threads > 1;
}

/* Is little of it the program's? Of who is told in time and gets no processor, the rest
 * counts; of what mostly comes from outside, two thirds are enough. */
static gboolean is_little(const PmSearch *search, const PmFinding *finding)
{
    const PmView *view = search->summary->metrics->view;
    const double nobodys = nobodys_share(search, finding);
    const gboolean arrives = finding->n_causes && finding->causes[0].kind == PM_CAUSE_ARRIVAL;
    if (nobodys >= (arrives ? ARRIVING : REST_SHARE))
        return TRUE;
    const double part = part_in_time(view, finding), mean = finding->mean_threads * part;
    const double busy = finding->busy_share * part * (1 - nobodys);
    return mean < PM_SUMMARY_HIGH_MEAN ||
           !(is_high(busy, mean * (1 - nobodys)) ||
             (busy >= HIGH_OWN_SHARE && is_of_own_method(search, finding)));
}

/* A search, and what it owns. */
typedef struct {
    PmSearch search;
    PmOperations *operations;
    GArray *knots, *gives;
    GHashTable *links;
} Searching;

static void searching_begin(Searching *s, const PmSummary *summary, const PmContention *contention,
                            GHashTable *told, const gint *cancel)
{
    s->operations = pm_operations_new(summary, contention);
    s->knots = pm_knots_find(s->operations);
    s->links = pm_lock_links_new();
    s->gives = pm_replies_gives_new();
    s->search = (PmSearch){.summary = summary,
                           .contention = contention,
                           .operations = s->operations,
                           .knots = s->knots,
                           .told = told,
                           .links = s->links,
                           .gives = s->gives,
                           .cancel = cancel};
}

static void searching_end(Searching *s)
{
    pm_operations_free(s->operations);
    g_array_unref(s->knots);
    g_hash_table_unref(s->links);
    g_array_unref(s->gives);
}

/* The longest wait for those that are alike. */
static gint64 longest_of_alike(const PmMetrics *metrics, guint32 blocker, guint8 kind)
{
    const guint32 *alike = pm_recording_private(metrics->view->recording)->alike;
    gint64 longest = 0;
    for (gsize i = 0; blocker && i < metrics->n; i++)
        if (metrics->rows[i].kind == kind && alike[metrics->rows[i].blocker] == alike[blocker])
            longest = MAX(longest, metrics->rows[i].longest);
    return longest;
}

static const PmMetricsRow *metrics_of(const PmMetrics *metrics, guint32 blocker, guint8 kind)
{
    for (gsize i = 0; blocker && i < metrics->n; i++)
        if (metrics->rows[i].blocker == blocker && metrics->rows[i].kind == kind)
            return &metrics->rows[i];
    return NULL;
}

/* What was found in an excerpt, told of the whole: one object's amounts are known, all else is an
 * estimate. */
static void tell_of_whole(PmFinding *finding, const PmSummary *whole, const PmView *excerpt)
{
    const PmView *view = whole->metrics->view;
    const PmMetricsRow *row = metrics_of(whole->metrics, finding->blocker, finding->kind);
    const double weight = row && finding->thread_time > 0
                              ? (double)row->thread_time / (double)finding->thread_time
                              : pm_view_weight(view, excerpt);
    g_autofree char *text = pm_view_excerpt_text(view, excerpt);
    finding->from = view->from;
    finding->to = view->to;
    finding->waits = row ? row->touched : pm_rounded((double)finding->waits * weight);
    finding->thread_time =
        row ? row->thread_time : pm_rounded((double)finding->thread_time * weight);
    finding->longest =
        row ? row->longest : longest_of_alike(whole->metrics, finding->one_of, finding->kind);
    finding->blamed = pm_rounded((double)finding->blamed * weight);
    for (guint i = 0; i < finding->n_victims; i++)
        finding->victims[i].thread_time =
            pm_rounded((double)finding->victims[i].thread_time * weight);
    for (guint i = 0; finding->estimated && i < finding->n_causes; i++)
        finding->causes[i].inferred = TRUE;
    if (finding->estimated)
        pm_evidence_add(finding, FALSE, g_strdup_printf("shares estimated from %s", text));
}

/* The longest waits of all, not those of the excerpt, where time is left out of them. */
static void calm_of_whole(Calm *calm, const PmSummary *whole)
{
    const PmMetrics *metrics = whole->metrics;
    const PmRecording *r = metrics->view->recording;
    calm->longest = calm->longest_at_rest = 0;
    for (gsize i = 0; i < metrics->n; i++) {
        const PmMetricsRow *row = &metrics->rows[i];
        calm->longest_at_rest = MAX(calm->longest_at_rest, row->longest);
        if (!pm_summary_wants_work(r, row->category, row->first_chain))
            calm->longest = MAX(calm->longest, row->longest);
    }
}

/* Are both because of the same method? */
static gboolean have_same_culprit(const PmFinding *a, const PmFinding *b)
{
    return a->n_causes && b->n_causes && a->causes[0].culprit && a->causes[0].method &&
           a->causes[0].method == b->causes[0].method;
}

/* Does the group lose a good part of what the finding is about? */
static gboolean is_main_victim(const PmFinding *finding, guint32 group)
{
    for (guint i = 0; i < finding->n_victims; i++)
        if (finding->victims[i].group == group)
            return pm_product(finding->victims[i].thread_time, SMALL_PART) >= finding->thread_time;
    return FALSE;
}

/* What its victims lose to its culprit, there and elsewhere. */
static gint64 lost_to_culprit(const GArray *all, const PmFinding *finding)
{
    gint64 sum = 0;
    for (guint i = 0; i < all->len; i++) {
        const PmFinding *other = &g_array_index(all, PmFinding, i);
        if (other->severity != finding->severity || !have_same_culprit(finding, other))
            continue;
        for (guint k = 0; k < other->n_victims; k++)
            if (is_main_victim(finding, other->victims[k].group))
                pm_sum_add(&sum, other->victims[k].thread_time);
    }
    return sum;
}

/* Of several because of what a single thread is told first to wait for, the one whose victims lose
 * most to that: they wait for that thread, or as it does. */
static void begin_with_most_lost(GArray *all)
{
    guint best = 0;
    const PmFinding *alone = &g_array_index(all, PmFinding, 0);
    if (!all->len || alone->severity != PM_SEVERITY_HIGH || alone->n_victims != 1 ||
        alone->victims[0].n_threads != 1)
        return;
    gint64 most = lost_to_culprit(all, alone);
    for (guint i = 1; i < all->len; i++) {
        const PmFinding *finding = &g_array_index(all, PmFinding, i);
        if (finding->severity != PM_SEVERITY_HIGH || !have_same_culprit(finding, alone))
            continue;
        const gint64 lost = lost_to_culprit(all, finding);
        best = lost > most ? i : best;
        most = MAX(lost, most);
    }
    const PmFinding first = g_array_index(all, PmFinding, best);
    for (guint i = best; i > 0; i--)
        g_array_index(all, PmFinding, i) = g_array_index(all, PmFinding, i - 1);
    g_array_index(all, PmFinding, 0) = first;
}

/* What is much enough, of all that was found, in order; takes it. */
static PmFindings *choose(const PmSummary *summary, GArray *all, Calm *calm)
{
    g_array_sort(all, finding_compare);
    begin_with_most_lost(all);
    calm->outside = outside_of(all);
    calm->busy = busy_of(summary->metrics->view->recording, all, &calm->any_busy);

    PmFindings *findings = g_new0(PmFindings, 1);
    findings->summary = summary;
    findings->findings = g_new0(PmFinding, MAX(all->len, 1));
    guint n_high = 0, n_notes = 0;
    for (guint i = 0; i < all->len; i++) {
        PmFinding *finding = &g_array_index(all, PmFinding, i);
        if (finding->severity != PM_SEVERITY_NOTE && ++n_high > MAX_FINDINGS)
            finding->severity = PM_SEVERITY_NOTE;
        if (finding->severity == PM_SEVERITY_NOTE && ++n_notes > MAX_NOTES)
            pm_finding_clear(finding);
        else
            findings->findings[findings->n++] = *finding;
    }
    calm->n_notes = MIN(n_notes, MAX_NOTES);
    findings->verdict = verdict_of(summary, findings->n > 0 ? &findings->findings[0] : NULL, calm);
    return findings;
}

/* `hangs`, `costs`: of the summary's view, or of what stands for it; no `hangs`: nothing lasts.
 * NULL: cancelled. */
static PmFindings *find(const PmSummary *summary, const PmSearch *hangs, const PmSearch *costs)
{
    g_autoptr(GArray) all = g_array_new(FALSE, TRUE, sizeof(PmFinding));
    PmSearch whole = *costs;
    const gboolean is_excerpt = costs->summary != summary;
    whole.summary = summary;
    if (hangs)
        search_hangs(hangs, all);
    search_by_rules(&whole, FALSE, all);
    const guint first = all->len;
    Calm calm = {.estimated = costs->estimated};
    if (!search_costs(costs, all, &calm)) {
        for (guint i = 0; i < all->len; i++)
            pm_finding_clear(&g_array_index(all, PmFinding, i));
        return NULL;
    }
    for (guint i = 0; i < all->len; i++) {
        PmFinding *finding = &g_array_index(all, PmFinding, i);
        if (finding->severity == PM_SEVERITY_HIGH && finding->waits > 0 &&
            (is_little(costs, finding) ||
             pm_dependents_lose_little(costs, finding, HIGH_BUSY_SHARE, HIGH_MEAN_THREADS)))
            finding->severity = PM_SEVERITY_NOTE;
    }
    if (is_excerpt)
        calm_of_whole(&calm, summary);
    for (guint i = first; is_excerpt && i < all->len; i++)
        tell_of_whole(&g_array_index(all, PmFinding, i), summary, costs->summary->metrics->view);
    return choose(summary, all, &calm);
}

PmFindings *pm_findings_new(const PmSummary *summary, const PmContention *contention,
                            const gint *cancel)
{
    g_autoptr(GHashTable) told = g_hash_table_new(NULL, NULL);
    Searching all;
    searching_begin(&all, summary, contention, told, cancel);
    PmFindings *findings = find(summary, &all.search, &all.search);
    searching_end(&all);
    return findings;
}

/* The summary of what stands for a view, and its contention; FALSE: cancelled. */
static gboolean look_at(PmView *view, PmSummary **ret_summary, const PmContention **ret_contention,
                        const gint *cancel)
{
    *ret_summary = view ? pm_summary_new(view, view->to, cancel) : NULL;
    *ret_contention = *ret_summary ? pm_recording_contention(view->recording, cancel) : NULL;
    return *ret_contention != NULL;
}

/* What is known of an excerpt. */
typedef struct {
    PmSummary *summary;
    const PmContention *contention;
    GHashTable *costs;
} Excerpt;

static void excerpt_free(gpointer data)
{
    Excerpt *excerpt = data;
    g_clear_pointer(&excerpt->summary, pm_summary_free);
    g_clear_pointer(&excerpt->costs, g_hash_table_unref);
    g_free(excerpt);
}

typedef struct {
    PmView *view;
    const gint *cancel;
} Preparing;

static gpointer prepare(gpointer data)
{
    const Preparing *p = data;
    Excerpt *excerpt = g_new0(Excerpt, 1);
    if (look_at(pm_view_for_causes(p->view, p->cancel), &excerpt->summary, &excerpt->contention,
                p->cancel))
        excerpt->costs = pm_blocker_costs_gather(excerpt->summary, excerpt->contention, p->cancel);
    if (!excerpt->costs)
        g_clear_pointer(&excerpt, excerpt_free);
    return excerpt;
}

/* NULL: cancelled. */
static const Excerpt *excerpt_of(PmView *view, const gint *cancel)
{
    Preparing p = {view, cancel};
    return pm_kept(&view->costs, prepare, &p, excerpt_free, cancel);
}

void pm_findings_prepare(PmView *view, const gint *cancel)
{
    g_return_if_fail(view);
    if (pm_recording_is_huge(view->recording))
        excerpt_of(view, cancel);
    else
        pm_recording_contention(view->recording, cancel);
}

PmFindings *pm_findings_new_bounded(const PmSummary *summary, const gint *cancel)
{
    PmView *view = summary->metrics->view;
    const PmContention *contention, *of_hangs;
    if (!pm_recording_is_huge(view->recording)) {
        contention = pm_recording_contention(view->recording, cancel);
        return contention ? pm_findings_new(summary, contention, cancel) : NULL;
    }
    const gboolean lasts =
        summary->n_still > 0 && summary->at - summary->still[0].since >= MIN_CYCLE_NS;
    const Excerpt *excerpt = excerpt_of(view, cancel);
    g_autoptr(PmSummary) end = NULL;
    if (!excerpt || (lasts && !look_at(pm_view_for_hangs(view, cancel), &end, &of_hangs, cancel)))
        return NULL;
    g_autoptr(GHashTable) told = g_hash_table_new(NULL, NULL);
    Searching hangs, costs;
    if (lasts)
        searching_begin(&hangs, end, of_hangs, told, cancel);
    searching_begin(&costs, excerpt->summary, excerpt->contention, told, cancel);
    costs.search.costs = excerpt->costs;
    costs.search.estimated = pm_view_is_part(excerpt->summary->metrics->view, view);
    PmFindings *findings = find(summary, lasts ? &hangs.search : NULL, &costs.search);
    if (lasts)
        searching_end(&hangs);
    searching_end(&costs);
    return findings;
}

void pm_findings_free(PmFindings *findings)
{
    if (!findings)
        return;
    for (guint i = 0; i < findings->n; i++)
        pm_finding_clear(&findings->findings[i]);
    g_free(findings->findings);
    g_free(findings->verdict.sentence);
    g_free(findings);
}
