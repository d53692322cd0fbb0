#include "viewer/analysis/findings/candidate.h"

#include <math.h>
#include <string.h>

#include "viewer/analysis/code/own-code.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/analysis/base/sum.h"

#define POLLS_A_SECOND 10.0

/* ---- which rule ---- */

static PmFamily family_of(const PmCandidate *c)
{
    return pm_category_family(c->finding->category);
}

static const PmRecording *recording_of(const PmCandidate *c)
{
    return c->search->summary->metrics->view->recording;
}

static double polls_a_second(const PmCandidate *c)
{
    const double seconds = (double)c->search->summary->metrics->view->recorded / 1e9;
    return seconds > 0 ? (double)c->cost->time_outs / seconds : 0;
}

gboolean pm_candidate_is_polling(const PmCandidate *c)
{
    guint n_threads = MAX(g_hash_table_size(c->cost->threads), 1);
    return c->cost->polls || (!c->many && c->cost->time_outs * 10 >= c->cost->waits * 9 &&
                              polls_a_second(c) / n_threads >= POLLS_A_SECOND);
}

gboolean pm_candidate_is_exhausted(const PmCandidate *c)
{
    if (!c->many && pm_contention_is_resource(c->search->contention, c->cost->blocker))
        return TRUE;
    return family_of(c) == PM_FAMILY_RESOURCE &&
           !(c->finding->category == PM_CATEGORY_SEMAPHORE &&
             pm_blocker_cost_is_signal(c->cost, recording_of(c)));
}

gboolean pm_candidate_is_lock(const PmCandidate *c)
{
    return family_of(c) == PM_FAMILY_LOCK;
}

gboolean pm_candidate_is_held_over_io(const PmCandidate *c)
{
    return pm_candidate_is_lock(c) && c->owner_is_slow &&
           c->finding->category != PM_CATEGORY_CLASS_INIT;
}

gboolean pm_candidate_is_convoy(const PmCandidate *c)
{
    return pm_candidate_is_lock(c) && c->next != 0;
}

gboolean pm_candidate_is_fair(const PmCandidate *c)
{
    const PmRecording *r = recording_of(c);
    const char *class_name = r->classes[r->blockers[c->cost->blocker].class_index].name;
    return !c->many && pm_candidate_is_lock(c) && strstr(class_name, "$FairSync") &&
           pm_product(c->cost->hand_over, 2) > c->cost->charged;
}

/* A latch that one event opens has no last one of several. */
gboolean pm_candidate_is_join(const PmCandidate *c)
{
    return !c->many && family_of(c) == PM_FAMILY_JOIN &&
           c->finding->category != PM_CATEGORY_FUTURE &&
           !(c->finding->category == PM_CATEGORY_LATCH && c->cost->most_to_come == 1);
}

gboolean pm_candidate_is_any(const PmCandidate *c)
{
    return TRUE;
}

/* ---- by design ---- */

/* A single thread that waits for others, main for its tasks. */
gboolean pm_candidate_waits_alone(const PmCandidate *c)
{
    const PmRecording *r = recording_of(c);
    if (family_of(c) != PM_FAMILY_JOIN)
        return FALSE;
    for (guint i = 0; i < c->finding->n_victims; i++)
        if (r->groups[c->finding->victims[i].group].n_threads > 1)
            return FALSE;
    return TRUE;
}

static const char *class_of(const PmRecording *r, const PmChain *c, guint32 frame)
{
    return r->classes[r->methods[c->frames[frame].method].class_index].name;
}

/* Does a thread wait there in the very loop that it is for, and not in a task of that loop? So do
 * the workers of a library's own pool. The method is `run`, or its thread's class is its own. */
static gboolean is_worker_loop(const PmRecording *r, guint32 chain)
{
    const PmChain *c = &r->chains[chain];
    if (c->truncated || c->site >= c->n_frames)
        return FALSE;
    const char *of_class = class_of(r, c, c->site);
    guint32 at = c->site, base = at;
    for (; at < c->n_frames && strcmp(class_of(r, c, at), of_class) == 0; at++)
        base = at;
    if (at < c->n_frames)
        base = c->site;
    for (; at < c->n_frames; at++)
        if (!g_str_has_prefix(class_of(r, c, at), "java.lang.Thread"))
            return FALSE;
    return strcmp(r->methods[c->frames[base].method].name, "run") == 0;
}

/* Does it wait there for a signal to begin with something? */
static gboolean waits_in_worker_loop(const PmCandidate *c)
{
    const PmFinding *finding = c->finding;
    return finding->kind != PM_KIND_ENTER &&
           (finding->category == PM_CATEGORY_CONDITION || finding->category == PM_CATEGORY_OTHER) &&
           is_worker_loop(recording_of(c), finding->chain);
}

gboolean pm_candidate_is_idle(const PmCandidate *c)
{
    return waits_in_worker_loop(c) ||
           pm_summary_wants_work(recording_of(c), c->finding->category, c->finding->chain) ||
           pm_candidate_waits_alone(c);
}

/* ---- titles ---- */

static char *victims_text(const PmCandidate *c)
{
    const PmFinding *finding = c->finding;
    if (!finding->n_victims)
        return g_strdup("its threads");
    const PmVictim *victim = &finding->victims[0]; /* who waits most there */
    return pm_summary_group_text(recording_of(c), victim->group, victim->n_threads);
}

static char *share_text(const PmCandidate *c)
{
    const PmFinding *finding = c->finding;
    double share = finding->n_victims ? finding->victims[0].busy_share : finding->busy_share;
    if (isnan(share))
        return g_strdup("all");
    return g_strdup_printf("%.0f %%", 100 * MIN(share, 1));
}

/* "Prices.load in Socket.read": who is told first, and what it did where that was seen; NULL where
 * nobody is. */
static char *culprit_of(const PmCandidate *c)
{
    const PmFindingCause *first = c->finding->n_causes ? c->finding->causes : NULL;
    if (!first || !first->culprit)
        return NULL;
    g_autofree char *call = first->chain ? pm_label_call(recording_of(c), first->chain) : NULL;
    return g_strconcat(first->culprit, call, NULL);
}

/* Who is responsible for a lock that others own does not hold it: its owner waits for them. */
static gboolean is_behind_owner(const PmCandidate *c)
{
    return c->finding->n_causes && c->finding->causes[0].kind == PM_CAUSE_WAKER &&
           pm_contention_has_owner(c->search->contention, c->cost->blocker);
}

/* "<before> 43 % of the busy time of http-* (8): Prices.refresh<after>", or the blocker where
 * nobody can be named; ", because of …" of who holds nothing. */
static char *title_of_time(const PmCandidate *c, const char *before, const char *who,
                           const char *after)
{
    g_autofree char *blocker = pm_label_blocker_told(recording_of(c), c->finding->blocker);
    g_autofree char *share = share_text(c);
    g_autofree char *victims = victims_text(c);
    if (who && is_behind_owner(c))
        return g_strdup_printf("%s %s of the busy time of %s, because of %s", before, share,
                               victims, who);
    return g_strdup_printf("%s %s of the busy time of %s: %s%s", before, share, victims,
                           who ? who : blocker, who ? after : "");
}

/* What a pool's elements are, by who lends them: "a permit" of a semaphore. */
static const char *element_of(const PmCandidate *c)
{
    static const char *const lenders[] = {"DataSource.", "onnectionPool.", "ConnPool.",
                                          "HikariPool.", ".getConnection", ".borrowConnection"};
    const PmRecording *r = recording_of(c);
    const PmChain *chain = &r->chains[c->finding->chain];
    if (c->finding->category != PM_CATEGORY_RESOURCE)
        return "a permit";
    for (guint32 i = 0; i < chain->n_frames; i++) {
        g_autofree char *method = pm_label_method(r, chain->frames[i].method);
        for (guint k = 0; k < G_N_ELEMENTS(lenders); k++)
            if (strstr(method, lenders[k]))
                return "a pooled connection";
    }
    return "an element of a pool";
}

/* Of many objects, one for each who waits, the place tells more than their class. */
char *pm_candidate_title_of_permits(const PmCandidate *c)
{
    const PmRecording *r = recording_of(c);
    g_autofree char *holder = culprit_of(c);
    g_autofree char *site = pm_label_method(r, pm_recording_site_method(r, c->finding->chain));
    g_autofree char *before = g_strdup_printf("Waiting for %s%s%s takes", element_of(c),
                                              c->many ? " in " : "", c->many ? site : "");
    return title_of_time(c, before, holder, " keeps it");
}

/* Many blockers of one class, each of them small: rows, transactions, futures. */
char *pm_candidate_title_of_many(const PmCandidate *c)
{
    const PmRecording *r = recording_of(c);
    g_autofree char *class_name =
        pm_label_class(r->classes[r->blockers[c->cost->blocker].class_index].name);
    g_autofree char *share = share_text(c);
    g_autofree char *victims = victims_text(c);
    g_autofree char *place = pm_label_code_method(r, c->finding->chain);
    g_autofree char *culprit = culprit_of(c);
    const gboolean lock = pm_candidate_is_lock(c), holds = lock && !is_behind_owner(c);
    if (pm_candidate_is_exhausted(c) && culprit)
        return pm_candidate_title_of_permits(c);
    g_autofree char *why = !culprit ? g_strdup_printf(": %s", place)
                           : holds  ? g_strdup_printf(": %s holds them", culprit)
                                    : g_strdup_printf(", because of %s", culprit);
    return g_strdup_printf(
        lock ? "Locks of class %s (%u) take %s of the busy time of %s%s"
             : "Waiting for objects of class %s (%u) takes %s of the busy time of %s%s",
        class_name, c->cost->n_blockers, share, victims, why);
}

char *pm_candidate_title_of_polling(const PmCandidate *c)
{
    g_autofree char *victims = victims_text(c);
    g_autofree char *site = pm_label_chain(recording_of(c), c->finding->chain, 1);
    return g_strdup_printf("%s wakes by timeout %.0f times a second in %s", victims,
                           polls_a_second(c), site);
}

char *pm_candidate_title_of_io(const PmCandidate *c)
{
    g_autofree char *field = pm_label_field(recording_of(c), c->finding->blocker);
    g_autofree char *before =
        field ? g_strdup_printf("The lock %s, held during %s, takes", field, c->doing.frame)
              : g_strdup_printf("A lock held during %s takes", c->doing.frame);
    return title_of_time(c, before, c->finding->n_causes ? c->finding->causes[0].culprit : NULL,
                         " holds it");
}

char *pm_candidate_title_of_convoy(const PmCandidate *c)
{
    g_autofree char *blocker = pm_label_blocker_told(recording_of(c), c->finding->blocker);
    g_autofree char *victims = victims_text(c);
    g_autofree char *behind = pm_label_blocker_told(recording_of(c), c->next);
    return g_strdup_printf("%s %s for %s, whose owner waits for %s", victims,
                           g_str_has_suffix(victims, ")") ? "wait" : "waits", blocker, behind);
}

char *pm_candidate_title_of_fair(const PmCandidate *c)
{
    return title_of_time(c, "Handing over a fair lock takes", NULL, "");
}

char *pm_candidate_title_of_lock(const PmCandidate *c)
{
    if (c->finding->category == PM_CATEGORY_CLASS_INIT)
        return pm_candidate_title_of_wait(c);
    g_autofree char *holder = culprit_of(c);
    g_autofree char *field = pm_label_field(recording_of(c), c->finding->blocker);
    g_autofree char *before = field ? g_strdup_printf("The lock %s takes", field) : NULL;
    return pm_finding_is_hand_over(c->finding)
               ? title_of_time(c, "Handing over a lock takes", NULL, "")
               : title_of_time(c, before ? before : "One lock takes", holder, " holds it");
}

char *pm_candidate_title_of_join(const PmCandidate *c)
{
    return title_of_time(c, "Waiting for the last thread takes", NULL, "");
}

char *pm_candidate_title_of_wait(const PmCandidate *c)
{
    g_autofree char *blocker = pm_label_blocker_told(recording_of(c), c->finding->blocker);
    g_autofree char *share = share_text(c);
    g_autofree char *victims = victims_text(c);
    g_autofree char *holder = culprit_of(c);
    return g_strdup_printf("Waiting for %s takes %s of the busy time of %s%s%s", blocker, share,
                           victims, holder ? ", because of " : "", holder ? holder : "");
}
