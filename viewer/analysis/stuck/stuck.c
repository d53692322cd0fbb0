#include "viewer/analysis/stuck/stuck.h"

#include <math.h>
#include <string.h>

#include "viewer/analysis/code/own-code.h"
#include "viewer/analysis/evidence/culprit.h"
#include "viewer/analysis/evidence/evidence.h"
#include "viewer/analysis/evidence/keeper.h"
#include "viewer/analysis/evidence/knot.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/analysis/recording/recording-private.h"
#include "viewer/analysis/base/sum.h"

#define MAX_WAITS 3

/* What is so old, and like this many earlier waits, can be overdue. */
#define MIN_OVERDUE_NS G_GINT64_CONSTANT(5000000000)
#define MIN_EARLIER    5
#define MIN_PART       20 /* one of so many ends is often */

/* What one thread does on, and others because of it. */
#define AT_ONCE_NS G_GINT64_CONSTANT(100000000)

static PmFinding finding_of_rows(const PmSearch *search, const guint32 *rows, guint n)
{
    const PmSummary *summary = search->summary;
    const PmView *view = summary->metrics->view;
    const PmWaits *w = &view->recording->waits;
    PmFinding finding = {.blocker = pm_wait_blocker(w, rows[0]),
                         .kind = pm_wait_kind(w, rows[0]),
                         .category = pm_wait_category(w, rows[0]),
                         .chain = pm_wait_chain(w, rows[0]),
                         .waits = n,
                         .from = view->from,
                         .to = view->to};
    g_autoptr(GHashTable) victims = g_hash_table_new(NULL, NULL);
    for (guint i = 0; i < n; i++) {
        gint64 time = pm_view_clip(view, rows[i]);
        g_hash_table_add(search->told, pm_finding_told_key(pm_wait_blocker(w, rows[i]),
                                                           pm_wait_kind(w, rows[i])));
        pm_sum_add(&finding.thread_time, time);
        finding.longest = MAX(finding.longest, time);
        guint group = view->recording->threads[pm_wait_thread(w, rows[i])].group;
        guint known = GPOINTER_TO_UINT(g_hash_table_lookup(victims, GUINT_TO_POINTER(group)));
        if (!known) {
            finding.victims = g_renew(PmVictim, finding.victims, finding.n_victims + 1);
            finding.victims[finding.n_victims++] = (PmVictim){.group = group, .busy_share = NAN};
            known = finding.n_victims;
            g_hash_table_insert(victims, GUINT_TO_POINTER(group), GUINT_TO_POINTER(known));
        }
        finding.victims[known - 1].n_threads++;
        pm_sum_add(&finding.victims[known - 1].thread_time, time);
    }
    pm_finding_sort_victims(finding.victims, finding.n_victims);
    finding.mean_threads = view->known > 0 ? (double)finding.thread_time / view->known : 0;
    if (pm_category_family(finding.category) == PM_FAMILY_RESOURCE)
        finding.advice = g_strdup(PM_KEEPER_ADVICE);
    return finding;
}

static void share_evenly(PmFinding *finding)
{
    for (guint i = 0; i < finding->n_causes; i++)
        finding->causes[i].share = 1.0 / finding->n_causes;
}

/* With who waits behind it, if there is no other that this may be. */
static PmFinding finding_of_deadlock(const PmSearch *search, const PmDeadlock *deadlock)
{
    const PmSummary *summary = search->summary;
    g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_array_append_vals(rows, deadlock->rows, deadlock->n_threads);
    for (guint i = 0; summary->n_deadlocks == 1 && i < summary->n_still; i++)
        if (summary->still[i].cycle == PM_BEHIND_CYCLE)
            g_array_append_vals(rows, summary->still[i].rows, summary->still[i].n_threads);
    return finding_of_rows(search, (const guint32 *)(const void *)rows->data, rows->len);
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
        share_evenly(&finding);
        finding.title = g_string_free(title, FALSE);
        finding.command = g_strdup("now --chains");
        finding.from = deadlock->since;
        g_string_free(names, TRUE);
        g_array_append_val(findings, finding);
    }
}

/* Who suffers most, and how many others. */
static char *victims_text(const PmRecording *r, const PmFinding *finding)
{
    const PmVictim *victim = &finding->victims[0];
    g_autofree char *who = pm_summary_group_text(r, victim->group, victim->n_threads);
    if (finding->n_victims == 1)
        return g_steal_pointer(&who);
    return g_strdup_printf("%s and %u more %s", who, finding->n_victims - 1,
                           finding->n_victims == 2 ? "group" : "groups");
}

/* The threads of the group of `row`'s thread that are among the victims. */
static char *pool_text(const PmRecording *r, const PmFinding *finding, guint32 row)
{
    const guint32 group = r->threads[pm_wait_thread(&r->waits, row)].group;
    guint i = finding->n_victims - 1;
    while (i > 0 && finding->victims[i].group != group)
        i--;
    return pm_summary_group_text(r, finding->victims[i].group, finding->victims[i].n_threads);
}

static char *knot_title(const PmRecording *r, const PmKnot *knot, const PmFinding *finding)
{
    g_autofree char *all = victims_text(r, finding);
    g_autofree char *blocker = pm_label_blocker_field(r, finding->blocker);
    g_autofree char *where = pm_label_code_method(r, finding->chain);
    g_autofree char *who = NULL;
    switch (knot->shape) {
    case PM_KNOT_OWN_POOL:
        who = pool_text(r, finding, g_array_index(knot->rows, guint32, 0));
        return g_strdup_printf(
            "Tasks of %s wait for tasks of their own pool in %s; no thread is left to run them",
            who, where);
    case PM_KNOT_MUTUAL:
        return g_strdup_printf(
            "%s wait for %s in %s; the threads that ended such waits before are now waiting too",
            all, blocker, where);
    case PM_KNOT_ENDED: {
        const PmKnotGiver *giver = &g_array_index(knot->givers, PmKnotGiver, 0);
        return g_strdup_printf("%s wait for %s in %s; %s, which %s, has ended", all, blocker, where,
                               r->threads[giver->thread].name,
                               knot->party ? "came there, too" : "ended such waits");
    }
    case PM_KNOT_FORGOTTEN:
        break;
    }
    return g_strdup_printf("%s wait for %s in %s, while %u later %s there %s ended", all, blocker,
                           where, knot->n_later, knot->n_later == 1 ? "wait" : "waits",
                           knot->n_later == 1 ? "was" : "were");
}

/* Who has not come to a barrier, and what it did the last time it was seen, else what those like it
 * were seen in. */
static void add_party(const PmSearch *search, PmFinding *finding, const PmKnotGiver *party)
{
    const PmRecording *r = search->summary->metrics->view->recording;
    const PmActivity *activity = pm_contention_activity(search->contention);
    const PmThread *thread = &r->threads[party->thread];
    const guint32 seen = party->chain
                             ? party->chain
                             : pm_activity_sample_in_call(activity, party->thread, finding->chain,
                                                          FALSE, thread->end);
    g_autofree char *where = seen ? pm_label_code(r, seen, 2) : NULL;
    pm_finding_add_cause(finding, r, PM_CAUSE_WAKER, party->thread, seen ? seen : finding->chain);
    pm_evidence_add(
        finding, TRUE,
        g_strdup_printf("%s was there in the last round, and has ended since", thread->name));
    if (where)
        pm_evidence_add(finding, FALSE,
                        g_strdup_printf(party->chain ? "it was last seen in %s"
                                                     : "threads like it were seen in %s",
                                        where));
}

/* Who ended such waits before, and where. */
static void add_giver(const PmSearch *search, PmFinding *finding, const PmKnot *knot,
                      const PmKnotGiver *giver)
{
    const PmRecording *r = search->summary->metrics->view->recording;
    guint32 chain = giver->chain;
    g_autofree char *where = pm_label_code(r, giver->chain, 2);
    g_autofree char *blocker = pm_label_blocker_short(r, pm_wait_blocker(&r->waits, giver->row));
    if (knot->shape == PM_KNOT_FORGOTTEN) { /* it still ends others: what it does meanwhile */
        const guint32 seen =
            pm_activity_sample_in_call(pm_contention_activity(search->contention), giver->thread,
                                       giver->chain, FALSE, search->summary->at);
        chain = seen ? seen : chain;
    }
    if (knot->shape != PM_KNOT_OWN_POOL)
        pm_finding_add_cause(finding, r, PM_CAUSE_WAKER, giver->thread, chain);
    pm_evidence_add(finding, TRUE,
                    g_strdup_printf("similar earlier waits for %s were mostly ended by %s in %s",
                                    blocker, r->groups[r->threads[giver->thread].group].shown,
                                    where));
}

static gboolean is_in_pool(const PmRecording *r, guint32 chain)
{
    return pm_label_is_within(r, chain, G_MAXUINT, "java.util.concurrent.*", "runWorker");
}

/* Does it wait in a task, of a pool or of a loop of the program's own? */
static gboolean is_in_task(const PmRecording *r, guint32 chain)
{
    return is_in_pool(r, chain) ||
           pm_label_is_within(r, chain, G_MAXUINT, "java.util.concurrent.FutureTask", "run");
}

/* Does it wait in such a call for another one, or in a task of such a loop for another task? */
static gboolean is_nested(const PmRecording *r, guint32 chain)
{
    return pm_knot_is_nested(r, chain) ||
           (is_in_task(r, chain) && !is_in_pool(r, chain) &&
            pm_label_is_within(r, chain, G_MAXUINT, "java.util.concurrent.FutureTask", "get"));
}

/* Where a call like that of `chain` is made in another one: a frame of `chain` that no wait for the
 * first of both is in. */
static gint nested_frame(const PmRecording *r, guint32 chain)
{
    const guint32 *methods = pm_recording_private(r)->chain_method;
    g_autoptr(GHashTable) others = g_hash_table_new(NULL, NULL);
    for (guint32 c = 1; c < r->n_chains; c++)
        if (methods[c] == methods[chain] && !is_nested(r, c))
            g_hash_table_add(others, GUINT_TO_POINTER(c));
    return pm_culprit_frame_apart(r, chain, others);
}

/* Who waits within such a call for another one, of those that wait for results. FALSE: nobody. */
static gboolean add_nested(const PmRecording *r, PmFinding *finding, const guint32 *rows, guint n)
{
    g_autoptr(GHashTable) chains = g_hash_table_new(NULL, NULL);
    for (guint i = 0; i < n && g_hash_table_size(chains) < MAX_WAITS; i++) {
        const guint32 thread = pm_wait_thread(&r->waits, rows[i]);
        const guint32 chain = pm_wait_chain(&r->waits, rows[i]);
        if (pm_category_family(pm_wait_category(&r->waits, rows[i])) != PM_FAMILY_JOIN ||
            !is_nested(r, chain) || !g_hash_table_add(chains, GUINT_TO_POINTER(chain)))
            continue;
        const gint frame = nested_frame(r, chain);
        const char *code =
            pm_finding_add_cause_from(finding, r, PM_CAUSE_WAKER, thread, chain, frame);
        pm_evidence_add(finding, FALSE,
                        g_strdup_printf("%s waits inside such a call for another one, in %s: what "
                                        "it waits for may depend on what others wait for",
                                        r->threads[thread].name, code));
        if (frame < 0 || g_hash_table_size(chains) > 1)
            continue;
        g_autofree char *method = pm_label_method(r, r->chains[chain].frames[frame].method);
        pm_finding_add_to_title(finding,
                                g_strdup_printf("%s asks for one inside such a call", method));
    }
    return g_hash_table_size(chains) > 0;
}

/* Of what waits for room in a queue, the wait of the one that takes from it; G_MAXUINT32: that is
 * not among them. */
static guint32 wait_of_taker(const PmRecording *r, const PmKnot *knot, const guint32 *rows, guint n)
{
    for (guint k = 0; k < knot->givers->len; k++) {
        const PmKnotGiver *giver = &g_array_index(knot->givers, PmKnotGiver, k);
        for (guint i = 0; i < n; i++)
            if (pm_wait_thread(&r->waits, rows[i]) == giver->thread &&
                pm_wait_blocker(&r->waits, rows[i]) == pm_wait_blocker(&r->waits, giver->row) &&
                pm_label_waits_for_room(r, pm_wait_chain(&r->waits, rows[i])))
                return rows[i];
    }
    return G_MAXUINT32;
}

/* Who takes from a queue waits for room in it itself: where it does, beside what all do who put
 * something in. FALSE: nobody does. */
static gboolean add_taker(const PmRecording *r, PmFinding *finding, const PmKnot *knot,
                          const guint32 *rows, guint n)
{
    const guint32 row = wait_of_taker(r, knot, rows, n);
    if (row == G_MAXUINT32)
        return FALSE;
    const guint32 thread = pm_wait_thread(&r->waits, row), chain = pm_wait_chain(&r->waits, row);
    g_autoptr(GHashTable) others = g_hash_table_new(NULL, NULL);
    for (guint i = 0; i < n; i++)
        if (pm_wait_thread(&r->waits, rows[i]) != thread)
            g_hash_table_add(others, GUINT_TO_POINTER(pm_wait_chain(&r->waits, rows[i])));
    const gint frame = pm_culprit_frame_apart(r, chain, others);
    const char *code = pm_finding_add_cause_from(finding, r, PM_CAUSE_WAKER, thread, chain, frame);
    pm_evidence_add(finding, TRUE,
                    g_strdup_printf("%s takes from it, and waits for room itself, in %s",
                                    r->threads[thread].name, code));
    if (frame < 0)
        return TRUE;
    g_autofree char *victims = victims_text(r, finding);
    g_autofree char *blocker = pm_label_blocker_field(r, finding->blocker);
    g_autofree char *where = pm_label_code_method(r, finding->chain);
    g_autofree char *method = pm_label_method(r, r->chains[chain].frames[frame].method);
    g_free(finding->title);
    finding->title =
        g_strdup_printf("%s wait for room in %s, in %s; %s, which should make room, waits for it "
                        "too, in %s",
                        victims, blocker, where, r->threads[thread].name, method);
    return TRUE;
}

/* Who waits in a knot and owns a lock that others wait for keeps it until the knot is undone: where
 * it does, beside what the others do. FALSE: nobody does. */
static gboolean add_owner(const PmSummary *summary, PmFinding *finding, const guint32 *rows,
                          guint n)
{
    const PmRecording *r = summary->metrics->view->recording;
    const PmWaits *w = &r->waits;
    const PmStillWaiting *behind = NULL;
    guint32 row = 0;
    for (guint i = 0; i < n; i++)
        for (guint k = 0; k < summary->n_still; k++) {
            const PmStillWaiting *still = &summary->still[k];
            if (still->owner != pm_wait_thread(w, rows[i]) || still->kind == PM_KIND_WAIT ||
                (behind && behind->n_threads >= still->n_threads))
                continue;
            behind = still;
            row = rows[i];
        }
    if (!behind)
        return FALSE;
    g_autoptr(GHashTable) others = g_hash_table_new(NULL, NULL);
    for (guint i = 0; i < n; i++)
        if (pm_wait_thread(w, rows[i]) != behind->owner)
            g_hash_table_add(others, GUINT_TO_POINTER(pm_wait_chain(w, rows[i])));
    const guint32 chain = pm_wait_chain(w, row);
    const gint frame = pm_culprit_frame_apart(r, chain, others);
    if (frame < 0)
        return FALSE;
    const char *owner = r->threads[behind->owner].name;
    g_autofree char *lock = pm_label_blocker_field(r, behind->blocker);
    g_autofree char *method = pm_label_method(r, r->chains[chain].frames[frame].method);
    g_autofree char *waiters = pm_summary_group_text(r, behind->group, behind->n_threads);
    pm_finding_add_to_title(finding,
                            g_strdup_printf("%s waits in %s and holds %s", owner, method, lock));
    pm_finding_add_cause_from(finding, r, PM_CAUSE_OWNER, behind->owner, chain, frame);
    pm_evidence_add(finding, TRUE,
                    g_strdup_printf("%s is held by %s, and %s %s for it", lock, owner, waiters,
                                    behind->n_threads == 1 ? "waits" : "wait"));
    return TRUE;
}

/* Who waits for something else, further on in the very method in which others wait for what a pool
 * lends, may have got that before. FALSE: nobody does. */
static gboolean add_keeping(const PmRecording *r, PmFinding *finding, const guint32 *rows, guint n)
{
    const gint at = pm_own_frame(pm_own_code(r), finding->chain);
    if (pm_category_family(finding->category) != PM_FAMILY_RESOURCE || at < 0)
        return FALSE;
    const PmFrame *takes = &r->chains[finding->chain].frames[at];
    for (guint i = 0; i < n; i++) {
        const guint32 thread = pm_wait_thread(&r->waits, rows[i]);
        const guint32 chain = pm_wait_chain(&r->waits, rows[i]);
        const gint frame = pm_own_frame(pm_own_code(r), chain);
        if (pm_wait_blocker(&r->waits, rows[i]) == finding->blocker || frame < 0 ||
            r->chains[chain].frames[frame].method != takes->method ||
            r->chains[chain].frames[frame].line <= takes->line)
            continue;
        g_autofree char *method = pm_label_method(r, takes->method);
        pm_finding_add_to_title(
            finding, g_strdup_printf("%s waits further on in %s and may keep what it took",
                                     r->threads[thread].name, method));
        pm_finding_advise(finding, "give it back before waiting for others who need one, too");
        pm_finding_add_cause(finding, r, PM_CAUSE_OWNER, thread, chain);
        pm_evidence_add(finding, FALSE,
                        g_strdup_printf("%s has gone further than where others wait for it: it may "
                                        "have what they wait for, while it waits itself",
                                        r->threads[thread].name));
        return TRUE;
    }
    return FALSE;
}

/* Does nobody live who often ended such waits, beside who waits there? Few may be told wrong. Of a
 * virtual thread that does not wait it is not known whether it has ended. */
static gboolean givers_have_ended(const PmSearch *search, const PmOperation *operation,
                                  guint32 waiter)
{
    const PmRecording *r = search->operations->recording;
    const gpointer own = pm_operation_ender(r, waiter);
    guint n_ends = 0;
    for (guint32 t = 1; t < r->n_threads; t++) {
        const gpointer key = pm_operation_ender(r, t);
        const guint n = GPOINTER_TO_UINT(g_hash_table_lookup(operation->enders, key));
        if (key == own || n * MIN_PART < operation->n_ends)
            continue;
        if (pm_summary_lives(r, t, search->summary->at) &&
            !(r->threads[t].is_virtual && !search->operations->waiting[t]))
            return FALSE;
        n_ends = MAX(n_ends, n);
    }
    return n_ends * 2 > operation->n_ends;
}

/* Of those who ended such waits, one waits itself for what only threads gave that have ended: then
 * nobody goes on. FALSE: that is not so. */
static gboolean add_ended(const PmSearch *search, gpointer enders, PmFinding *finding)
{
    const PmSummary *summary = search->summary;
    const PmRecording *r = search->operations->recording;
    for (guint i = 0; i < summary->n_still; i++) {
        const PmStillWaiting *still = &summary->still[i];
        const PmOperation *operation = pm_operations_find(search->operations, still->rows[0]);
        if (pm_operation_ender(r, still->first_thread) != enders || !operation ||
            operation->n_ends < MIN_EARLIER ||
            !givers_have_ended(search, operation, still->first_thread))
            continue;
        const PmThread *thread = &r->threads[operation->giver_thread];
        const char *giver = r->groups[thread->group].shown, *taker = r->groups[still->group].shown;
        const char *how = thread->is_virtual ? "gives no more" : "has ended";
        g_autofree char *gave = pm_label_code(r, operation->giver, 2);
        g_autofree char *waits = pm_label_code_method(r, still->chain);
        pm_finding_add_to_title(
            finding, g_strdup_printf("%s, which gave what %s waits for, %s", giver, taker, how));
        pm_finding_add_cause(finding, r, PM_CAUSE_WAKER, operation->giver_thread, operation->giver);
        pm_evidence_add(finding, FALSE,
                        g_strdup_printf("%s waits in %s for what %s gave in %s, which %s", taker,
                                        waits, giver, gave, how));
        return TRUE;
    }
    return FALSE;
}

/* A knot's rows without those that a deadlock tells: of its threads, and of who waits behind. */
static GArray *untold_rows(const PmSummary *summary, const PmKnot *knot)
{
    const PmWaits *w = &summary->metrics->view->recording->waits;
    g_autoptr(GHashTable) told = g_hash_table_new(NULL, NULL);
    GArray *rows = g_array_new(FALSE, FALSE, sizeof(guint32));
    for (guint i = 0; summary->n_deadlocks && i < summary->n_still; i++)
        for (guint k = 0; summary->still[i].cycle != -1 && k < summary->still[i].n_threads; k++)
            g_hash_table_add(told, GUINT_TO_POINTER(pm_wait_thread(w, summary->still[i].rows[k])));
    for (guint i = 0; i < knot->rows->len; i++) {
        const guint32 row = g_array_index(knot->rows, guint32, i);
        if (!g_hash_table_contains(told, GUINT_TO_POINTER(pm_wait_thread(w, row))))
            g_array_append_val(rows, row);
    }
    return rows;
}

/* Who waits for the same permits in another call, of which none was seen to end, may have taken
 * some before. */
static void add_askers(const PmSearch *search, PmFinding *finding)
{
    const PmSummary *summary = search->summary;
    const PmRecording *r = summary->metrics->view->recording;
    if (pm_category_family(finding->category) != PM_FAMILY_RESOURCE)
        return;
    for (guint i = 0; i < summary->n_still; i++) {
        const PmStillWaiting *still = &summary->still[i];
        const PmOperation *operation = pm_operations_find(search->operations, still->rows[0]);
        if (still->blocker != finding->blocker || still->kind != finding->kind || !operation ||
            operation->n_ends)
            continue;
        g_autofree char *who = pm_summary_group_text(r, still->group, still->n_threads);
        g_autofree char *where = pm_label_code_method(r, still->chain);
        pm_evidence_add(finding, FALSE,
                        g_strdup_printf("%s %s for it, too, in %s, where none was seen to get any: "
                                        "what is missing may have been taken there before",
                                        who, still->n_threads == 1 ? "waits" : "wait", where));
    }
}

/* Nothing is the program's in the tasks of a pool that wait for others, as that of `row`: where the
 * program waits for such results, which may be what put them all into one pool. */
static void add_who_asks(const PmSummary *summary, PmFinding *finding, guint32 row)
{
    const PmRecording *r = summary->metrics->view->recording;
    const PmOwnCode *own = pm_own_code(r);
    if (pm_own_frame(own, pm_wait_chain(&r->waits, row)) >= 0)
        return;
    for (guint i = 0; i < summary->n_still; i++) {
        const PmStillWaiting *still = &summary->still[i];
        if (pm_operation_key(r, still->rows[0]) != pm_operation_key(r, row) ||
            pm_own_frame(own, still->chain) < 0)
            continue;
        g_autofree char *method = pm_label_code_method(r, still->chain);
        pm_finding_add_to_title(finding, g_strdup_printf("%s waits for such results in %s",
                                                         r->groups[still->group].shown, method));
        pm_finding_add_cause(finding, r, PM_CAUSE_WAKER, still->first_thread, still->chain);
        return;
    }
}

/* Of the first MAX_WAITS, whatever their shape. */
static void find_knots(const PmSearch *search, PmKnotShape shape, GArray *findings)
{
    const PmSummary *summary = search->summary;
    const PmRecording *r = summary->metrics->view->recording;
    for (guint i = 0; i < MIN(search->knots->len, MAX_WAITS); i++) {
        const PmKnot *knot = &g_array_index(search->knots, PmKnot, i);
        if (knot->shape != shape)
            continue;
        g_autoptr(GArray) untold = untold_rows(summary, knot);
        if (!untold->len)
            continue;
        const guint32 *rows = (const guint32 *)(const void *)untold->data;
        PmFinding finding = finding_of_rows(search, rows, untold->len);
        gint64 since = G_MAXINT64;
        for (guint k = 0; k < untold->len; k++)
            since = MIN(since, pm_wait_begin(&r->waits, rows[k]));
        finding.title = knot_title(r, knot, &finding);
        if (knot->shape == PM_KNOT_OWN_POOL) {
            pm_finding_add_cause(&finding, r, PM_CAUSE_WAKER, pm_wait_thread(&r->waits, rows[0]),
                                 finding.chain);
            add_who_asks(summary, &finding, rows[0]);
        }
        gboolean kept =
            knot->shape == PM_KNOT_MUTUAL &&
            (add_taker(r, &finding, knot, rows, untold->len) ||
             add_owner(summary, &finding, rows, untold->len) || pm_keeper_tell(search, &finding) ||
             add_keeping(r, &finding, rows, untold->len) ||
             add_nested(r, &finding, rows, untold->len));
        for (guint k = 0; knot->shape == PM_KNOT_MUTUAL && k < knot->givers->len && !kept; k++) {
            const guint32 giver = g_array_index(knot->givers, PmKnotGiver, k).thread;
            kept = add_ended(search, pm_operation_ender(r, giver), &finding);
        }
        if (knot->party)
            add_party(search, &finding, &g_array_index(knot->givers, PmKnotGiver, 0));
        for (guint k = 0; k < knot->givers->len && !kept && !knot->party; k++)
            add_giver(search, &finding, knot, &g_array_index(knot->givers, PmKnotGiver, k));
        if (!kept)
            add_askers(search, &finding);
        g_autofree char *age = pm_label_duration(summary->at - since);
        g_autofree char *longest = pm_label_duration(knot->longest);
        pm_evidence_add(&finding, TRUE,
                        g_strdup_printf("in progress for up to %s; none of the earlier ones lasted "
                                        "longer than %s",
                                        age, longest));
        pm_evidence_add(
            &finding, FALSE,
            g_strdup_printf(
                "based on %u earlier %s: a thread that never ended one before may still end these",
                knot->n_ends, knot->n_ends == 1 ? "end" : "ends"));
        share_evenly(&finding);
        finding.command = g_strdup("now --chains");
        finding.from = since;
        g_array_append_val(findings, finding);
    }
}

void pm_stuck_find_mutual(const PmSearch *search, GArray *findings)
{
    find_knots(search, PM_KNOT_MUTUAL, findings);
    find_knots(search, PM_KNOT_ENDED, findings);
}

void pm_stuck_find_forgotten(const PmSearch *search, GArray *findings)
{
    find_knots(search, PM_KNOT_FORGOTTEN, findings);
}

/* Who holds what is waited for; where that is not known, what the waiting code was called by. */
static void add_holder(PmFinding *finding, const PmRecording *r, const PmStillWaiting *still)
{
    pm_finding_add_cause(finding, r, still->owner ? PM_CAUSE_OWNER : PM_CAUSE_STILL_WAITING,
                         still->owner, still->owner_chain);
    PmFindingCause *cause = &finding->causes[finding->n_causes - 1];
    cause->inferred = FALSE;
    if (still->owner_chain)
        return;
    g_autofree char *code = pm_label_code(r, still->chain, 3);
    g_free(cause->text);
    cause->text = still->owner ? g_strdup(r->threads[still->owner].name)
                               : g_strdup_printf("(still waiting) in %s", code);
}

/* Did a task that is run again and again end such waits, or a timer's? */
static gboolean is_periodic(const PmRecording *r, const PmOperation *operation)
{
    return pm_label_is_within(r, operation->giver, G_MAXUINT, "java.util.concurrent.FutureTask",
                              "runAndReset") ||
           pm_label_is_within(r, operation->giver, G_MAXUINT, "java.util.TimerThread", "mainLoop");
}

/* Does it wait there, without a timeout, for a task to be scheduled at all? */
static gboolean has_no_schedule(const PmRecording *r, guint32 row)
{
    const guint32 chain = pm_wait_chain(&r->waits, row);
    return pm_label_is_within(r, chain, G_MAXUINT,
                              "java.util.concurrent.ScheduledThreadPoolExecutor$DelayedWorkQueue",
                              "take") ||
           pm_label_is_within(r, chain, G_MAXUINT, "java.util.TimerThread", "mainLoop");
}

/* Is none of those at work, or free to begin, who ended such waits before? The thread of a
 * scheduler or timer that ran them periodically is not when nothing is scheduled any more, or when
 * it has ended. */
static gboolean is_given_up(const PmSummary *summary, const PmOperations *operations,
                            const PmOperation *operation)
{
    const PmRecording *r = operations->recording;
    const PmWaits *w = &r->waits;
    gboolean any = FALSE;
    for (guint32 t = 1; t < r->n_threads; t++) {
        if (!pm_summary_lives(r, t, summary->at) ||
            !g_hash_table_contains(operation->enders, pm_operation_ender(r, t)))
            continue;
        guint32 waiting = operations->waiting[t];
        if (!waiting || summary->at - pm_wait_begin(w, waiting - 1) < MIN_OVERDUE_NS ||
            (pm_category_is_idle(pm_wait_category(w, waiting - 1)) &&
             !(is_periodic(r, operation) && has_no_schedule(r, waiting - 1))))
            return FALSE;
        any = TRUE;
    }
    return any || is_periodic(r, operation);
}

/* What it is waited for as: a queue whose elements are given back lends them, and a signal at an
 * object of its own each time brings a result. */
static PmFamily family_of(const PmOperations *operations, const PmOperation *operation,
                          const PmStillWaiting *still)
{
    const PmFamily family = pm_category_family(still->category);
    if (family != PM_FAMILY_SIGNAL)
        return family;
    return pm_contention_is_resource(operations->contention, still->blocker) ? PM_FAMILY_RESOURCE
           : operation->one_shot                                             ? PM_FAMILY_JOIN
                                                                             : family;
}

/* Many threads that wait far longer than any like them ever did, or one of them in a lock or for a
 * permit. A lock that several wait for is given back sooner. Whoever waits for messages may. */
static gboolean is_overdue(const PmSummary *summary, const PmOperations *operations,
                           const PmStillWaiting *still)
{
    gint64 age = summary->at - still->since;
    const PmOperation *operation = pm_operations_find(operations, still->rows[0]);
    if (still->timed || age < MIN_OVERDUE_NS || !operation ||
        !pm_operation_is_overdue(operation, age) || pm_summary_is_at_rest(summary, still->rows[0]))
        return FALSE;
    switch (family_of(operations, operation, still)) {
    case PM_FAMILY_LOCK:
        return operation->n_earlier >= MIN_EARLIER || still->n_threads > 1;
    case PM_FAMILY_RESOURCE:
        return operation->n_earlier >= MIN_EARLIER;
    case PM_FAMILY_JOIN:
        return operation->n_earlier >= MIN_EARLIER &&
               (operation->rows->len > 1 || is_given_up(summary, operations, operation));
    default:
        return operation->n_earlier >= MIN_EARLIER &&
               is_periodic(operations->recording, operation) &&
               !pm_operations_want_work(operations, still->rows[0]) &&
               is_given_up(summary, operations, operation);
    }
}

/* The lock or the monitor whose condition it waits for. */
static guint32 lock_behind(const PmRecording *r, const PmStillWaiting *still)
{
    guint32 parent = r->blockers[still->blocker].parent;
    return parent ? parent : still->blocker;
}

/* Does it wait for a signal of which nobody was seen to give one? The main thread may wait like
 * that for the program's end. */
static gboolean waits_without_giver(const PmRecording *r, const PmOperations *operations,
                                    const PmStillWaiting *still)
{
    const PmOperation *operation = pm_operations_find(operations, still->rows[0]);
    return still->long_signal && still->cycle < 0 && operation && !operation->n_ends &&
           r->threads[still->first_thread].tid != 1;
}

static const char *class_of(const PmRecording *r, const PmChain *c, guint frame)
{
    return r->classes[r->methods[c->frames[frame].method].class_index].name;
}

/* The outermost method of the class that waits: "Shelf.put" of Shelf.await, called by Shelf.put,
 * called by the code of others. */
static guint32 entry_of(const PmRecording *r, guint32 chain)
{
    const PmChain *c = &r->chains[chain];
    guint at = c->site;
    if (at >= c->n_frames)
        return 0;
    const char *of_class = class_of(r, c, at);
    while (at + 1 < c->n_frames && strcmp(class_of(r, c, at + 1), of_class) == 0)
        at++;
    return c->frames[at].method;
}

/* The other side of what it waits for, as takers and putters are of one queue: they wait too, at
 * the same lock in another method. Both are not at rest at once: one side had something to do.
 * NULL: there is none, or somebody was seen to end such waits, which knots judge. */
static const PmStillWaiting *other_side(const PmSummary *summary, const PmOperations *operations,
                                        const PmStillWaiting *still)
{
    const PmRecording *r = operations->recording;
    if (!waits_without_giver(r, operations, still))
        return NULL;
    for (guint i = 0; i < summary->n_still; i++) {
        const PmStillWaiting *other = &summary->still[i];
        if (lock_behind(r, other) == lock_behind(r, still) &&
            entry_of(r, other->chain) != entry_of(r, still->chain) &&
            waits_without_giver(r, operations, other))
            return other;
    }
    return NULL;
}

/* Waits for objects of one class at one place by one group are one finding, also by several that
 * give something there, and all for one lock or pool: the rows of those from `first` on, which are
 * marked as told. */
static GArray *alike(const PmSummary *summary, const PmOperations *operations, guint first,
                     guint8 *wanted, guint *ret_blockers)
{
    const PmRecording *r = operations->recording;
    const PmStillWaiting *like = &summary->still[first];
    guint64 key = pm_operation_key(r, like->rows[0]);
    const PmFamily family = pm_category_family(like->category);
    const gboolean lock = family == PM_FAMILY_LOCK || family == PM_FAMILY_RESOURCE;
    const gboolean gives = pm_summary_hands_over(r, like->chain);
    GArray *rows = g_array_new(FALSE, FALSE, sizeof(guint32));
    *ret_blockers = 1;
    for (guint i = first; i < summary->n_still; i++) {
        const PmStillWaiting *still = &summary->still[i];
        const gboolean same = still->blocker == like->blocker && still->kind == like->kind;
        if (!wanted[i] || still->owner != like->owner ||
            (!(lock && same) && ((still->group != like->group && !gives) ||
                                 pm_operation_key(r, still->rows[0]) != key)))
            continue;
        g_array_append_vals(rows, still->rows, still->n_threads);
        wanted[i] = FALSE;
        *ret_blockers += i > first && !same;
    }
    return rows;
}

/* Does it wait for somebody to take what it gives to a library? Not, if an answer comes back. */
static gboolean waits_for_taker(const PmRecording *r, const PmStillWaiting *still)
{
    return still->category != PM_CATEGORY_FUTURE && pm_summary_hands_over(r, still->chain) &&
           (still->category != PM_CATEGORY_QUEUE || pm_label_waits_for_room(r, still->chain));
}

static char *waits_title(const PmSummary *summary, const PmStillWaiting *still,
                         const PmFinding *finding, guint n_blockers)
{
    const PmRecording *r = summary->metrics->view->recording;
    g_autofree char *victims = victims_text(r, finding);
    g_autofree char *who = finding->waits == 1
                               ? g_strdup_printf("%s waits", r->threads[still->first_thread].name)
                               : g_strdup_printf("%s wait", victims);
    g_autofree char *blocker = pm_label_blocker_field(r, still->blocker);
    g_autofree char *method = pm_label_code_method(r, still->chain);
    g_autofree char *objects = pm_label_objects(r, still->blocker, still->chain);
    const gboolean gives = waits_for_taker(r, still);
    g_autofree char *site = gives ? pm_label_method(r, pm_recording_site_method(r, still->chain))
                                  : pm_label_code_short(r, still->chain);
    g_autofree char *what = n_blockers == 1
                                ? g_strdup_printf("%s in %s", blocker, method)
                                : g_strdup_printf("%u %s in %s", n_blockers, objects, site);
    g_autofree char *since = pm_label_since(r, still->since, summary->at, still->begin_unknown);
    return g_strdup_printf("%s for %s %s%s", who, what, since,
                           gives ? "; nobody takes what is given there" : "");
}

/* Where the threads that ended earlier waits of the same operation wait now themselves; without
 * such a wait where they ended the earlier ones. If that is nothing of the program's, what can be
 * looked at is where it waits. */
static void add_expected(const PmSearch *search, const PmStillWaiting *still, PmFinding *finding)
{
    const PmSummary *summary = search->summary;
    const PmOperations *operations = search->operations;
    const PmRecording *r = operations->recording;
    const PmOperation *operation = pm_operations_find(operations, still->rows[0]);
    if (!operation || !operation->n_ends)
        return;
    gpointer enders = pm_operation_ender(r, operation->giver_thread);
    if (add_ended(search, enders, finding))
        return;
    guint32 thread = operation->giver_thread, chain = operation->giver;
    gboolean waits = FALSE;
    for (guint i = 0; i < summary->n_still; i++) {
        const PmStillWaiting *other = &summary->still[i];
        if (pm_operation_ender(r, other->first_thread) == enders && other != still) {
            thread = other->first_thread;
            chain = other->chain;
            waits = TRUE;
            break;
        }
    }
    g_autofree char *where = pm_label_code(r, chain, 2);
    const PmOwnCode *own = pm_own_code(r);
    if (!waits && pm_own_frame(own, chain) < 0 && pm_own_frame(own, still->chain) >= 0)
        pm_finding_add_cause(finding, r, PM_CAUSE_WAKER, still->first_thread, still->chain);
    else
        pm_finding_add_cause(finding, r, PM_CAUSE_WAKER, thread, chain);
    pm_evidence_add(finding, FALSE,
                    g_strdup_printf("similar earlier waits were mostly ended by %s%s in %s",
                                    r->groups[r->threads[thread].group].shown,
                                    waits ? ", which now waits" : "", where));
    if (waits) {
        g_autofree char *method = pm_label_code_method(r, chain);
        pm_finding_add_to_title(finding,
                                g_strdup_printf("%s, which ended such waits before, waits in %s",
                                                r->groups[r->threads[thread].group].shown, method));
    }
    if (is_periodic(r, operation) && is_given_up(summary, operations, operation))
        pm_evidence_add(finding, FALSE,
                        g_strdup("its scheduler has ended, or has nothing left to run: a periodic "
                                 "task that throws is not run again"));
}

/* Does somebody await the end of a pool, since before `still` or not much later? Then that may be
 * what it waits for. NULL: nobody does. */
static const PmStillWaiting *end_of_pool(const PmSummary *summary, const PmStillWaiting *still)
{
    const PmRecording *r = summary->metrics->view->recording;
    if (pm_category_family(still->category) != PM_FAMILY_JOIN)
        return NULL;
    for (guint i = 0; i < summary->n_still; i++) {
        const PmStillWaiting *other = &summary->still[i];
        if (other->since <= still->since + AT_ONCE_NS &&
            pm_label_is_within(r, other->chain, G_MAXUINT, "java.util.concurrent.*",
                               "awaitTermination"))
            return other;
    }
    return NULL;
}

/* Has `other`, of another group than `still`, waited long in a task of an executor, or of any
 * library's? */
static gboolean is_long_task(const PmSummary *summary, const PmStillWaiting *still,
                             const PmStillWaiting *other, gboolean of_executor)
{
    const PmRecording *r = summary->metrics->view->recording;
    return other->group != still->group && summary->at - other->since >= MIN_OVERDUE_NS &&
           (of_executor ? is_in_task(r, other->chain)
                        : pm_own_is_called_back(pm_own_code(r), r, other->chain));
}

/* May those in tasks that wait like `task` be several? Who waits for a start may wait for more than
 * one; and tasks may wait for each other, where others wait for such ones. */
static gboolean may_be_several(const PmRecording *r, const PmStillWaiting *still,
                               const PmStillWaiting *task)
{
    return still->category == PM_CATEGORY_LATCH ||
           pm_operation_key(r, task->rows[0]) == pm_operation_key(r, still->rows[0]);
}

/* Of all groups but that of `still` the only one of which a thread has waited long in a task, or
 * the first of several that wait for objects of one class in one method. */
static const PmStillWaiting *only_task(const PmSummary *summary, const PmStillWaiting *still,
                                       gboolean of_executor)
{
    const PmRecording *r = summary->metrics->view->recording;
    const PmStillWaiting *task = NULL;
    for (guint i = 0; i < summary->n_still; i++) {
        const PmStillWaiting *other = &summary->still[i];
        if (!is_long_task(summary, still, other, of_executor))
            continue;
        if (task && task->group != other->group &&
            (!may_be_several(r, still, task) ||
             pm_operation_key(r, task->rows[0]) != pm_operation_key(r, other->rows[0])))
            return NULL;
        task = task ? task : other;
    }
    return task;
}

/* Nobody was seen to end such waits for results of tasks, or while a pool should end; but one
 * thread alone, or group of threads, waits as long within a task of a pool of its own, or where a
 * library calls the program back: what is waited for may be queued behind that. */
static const PmStillWaiting *waiting_worker(const PmSummary *summary,
                                            const PmOperations *operations,
                                            const PmStillWaiting *still)
{
    const PmOperation *operation = pm_operations_find(operations, still->rows[0]);
    const gboolean result =
        still->category == PM_CATEGORY_FUTURE || still->category == PM_CATEGORY_LATCH;
    if ((!result && !end_of_pool(summary, still)) || (operation && operation->n_ends))
        return NULL;
    const PmStillWaiting *task = only_task(summary, still, TRUE);
    return task || !result ? task : only_task(summary, still, FALSE);
}

/* Does it wait for what comes after the end of a pool that a task of it keeps from ending? */
static gboolean waits_for_end(const PmSummary *summary, const PmOperations *operations,
                              const PmStillWaiting *still)
{
    return !still->timed && summary->at - still->since >= MIN_OVERDUE_NS &&
           end_of_pool(summary, still) && only_task(summary, still, TRUE) &&
           waiting_worker(summary, operations, still);
}

/* Where the task waits, beside what those do that wait for it; its code. */
static const char *add_task(const PmRecording *r, PmFinding *finding, const PmStillWaiting *still,
                            const PmStillWaiting *task)
{
    g_autoptr(GHashTable) others = g_hash_table_new(NULL, NULL);
    g_hash_table_add(others, GUINT_TO_POINTER(still->chain));
    return pm_finding_add_cause_from(finding, r, PM_CAUSE_WAKER, task->first_thread, task->chain,
                                     pm_culprit_frame_apart(r, task->chain, others));
}

static void add_worker(const PmSummary *summary, const PmStillWaiting *still,
                       const PmStillWaiting *worker, PmFinding *finding)
{
    const PmRecording *r = summary->metrics->view->recording;
    const PmStillWaiting *end = end_of_pool(summary, still);
    const char *where = add_task(r, finding, still, worker);
    pm_evidence_add(finding, FALSE,
                    end ? g_strdup_printf("%s awaits the termination of a pool; %s runs a pool "
                                          "task that is still waiting, in %s",
                                          r->threads[end->first_thread].name,
                                          r->threads[worker->first_thread].name, where)
                        : g_strdup_printf("%s runs a task that has waited just as long, in "
                                          "%s: what they wait for may be queued behind it, or "
                                          "depend on it",
                                          r->threads[worker->first_thread].name, where));
    for (guint i = 0; i < summary->n_still && may_be_several(r, still, worker); i++) {
        const PmStillWaiting *other = &summary->still[i];
        if (other->group == worker->group || finding->n_causes >= MAX_WAITS ||
            pm_operation_key(r, other->rows[0]) != pm_operation_key(r, worker->rows[0]) ||
            !(is_long_task(summary, still, other, TRUE) ||
              is_long_task(summary, still, other, FALSE)))
            continue;
        pm_evidence_add(finding, FALSE,
                        g_strdup_printf("%s waits like that, too, in %s: they may wait for each "
                                        "other",
                                        r->threads[other->first_thread].name,
                                        add_task(r, finding, still, other)));
    }
}

/* Where the owner was seen to take what is waited for, or to give it back, the last time; else 0.
 */
static guint32 last_use(const PmRecording *r, const PmStillWaiting *still)
{
    const PmWaits *w = &r->waits;
    for (guint32 row = still->rows[0]; row-- > 0;) {
        if (pm_wait_blocker(w, row) != still->blocker || pm_wait_kind(w, row) != still->kind)
            continue;
        if (pm_wait_waker(w, row) == still->owner && pm_wait_waker_chain(w, row))
            return pm_wait_waker_chain(w, row);
        if (pm_wait_thread(w, row) == still->owner)
            return pm_wait_chain(w, row);
    }
    return 0;
}

/* The owner of a lock that others took and gave back in one method is outside of that method, and
 * of the one in which it used it last: it may have forgotten to give it back. */
static gboolean may_be_forgotten(const PmOperations *operations, const PmStillWaiting *still)
{
    const PmRecording *r = operations->recording;
    const PmOperation *operation = pm_operations_find(operations, still->rows[0]);
    gint frame = pm_own_frame(pm_own_code(r), still->chain);
    if (still->kind != PM_KIND_PARK || !still->owner || !still->owner_chain || frame < 0 ||
        !operation || !operation->n_ends)
        return FALSE;
    const guint32 method = r->chains[still->chain].frames[frame].method;
    const guint32 used = last_use(r, still);
    const gint user = pm_own_frame(pm_own_code(r), used);
    return pm_recording_has_method(r, operation->giver, method) &&
           !pm_recording_has_method(r, still->owner_chain, method) &&
           !(user >= 0 &&
             pm_recording_has_method(r, still->owner_chain, r->chains[used].frames[user].method));
}

/* Of an owner that nobody can look at any more, as it has ended: where it was last seen at what it
 * keeps. FALSE: it lives, or was not. */
static gboolean add_last_use(const PmSummary *summary, const PmStillWaiting *still,
                             PmFinding *finding)
{
    const PmRecording *r = summary->metrics->view->recording;
    if (!still->owner || still->owner_chain || pm_summary_lives(r, still->owner, summary->at))
        return FALSE;
    const guint32 chain = last_use(r, still);
    if (!chain)
        return FALSE;
    g_autofree char *where = pm_label_code(r, chain, 2);
    pm_finding_add_cause(finding, r, PM_CAUSE_OWNER, still->owner, chain);
    pm_evidence_add(finding, FALSE,
                    g_strdup_printf("%s has ended without giving it back; it used it before in %s",
                                    r->threads[still->owner].name, where));
    return TRUE;
}

/* Of a call that leads out of a class, through other own code, and back into it: the frame that
 * calls back, and in `ret_out` the one that leads out; -1 for none. So a listener puts something
 * into the queue of who called it. */
static gint frame_that_calls_back(const PmRecording *r, guint32 chain, gint *ret_out)
{
    const PmOwnCode *own = pm_own_code(r);
    const PmChain *c = &r->chains[chain];
    const gint at = pm_own_frame(own, chain);
    gint back = at;
    while (back >= 0 && strcmp(class_of(r, c, (guint)back), class_of(r, c, (guint)at)) == 0)
        back = pm_own_next(own, r, chain, back);
    gint out = back;
    while (out >= 0 && strcmp(class_of(r, c, (guint)out), class_of(r, c, (guint)at)) != 0)
        out = pm_own_next(own, r, chain, out);
    *ret_out = out;
    return out < 0 ? -1 : back;
}

/* Nobody was seen to take from a queue in which all want room; but one of them was called from
 * where it puts something in: it may be the one that takes. */
static void add_called_back(const PmSummary *summary, const PmStillWaiting *still,
                            PmFinding *finding)
{
    const PmRecording *r = summary->metrics->view->recording;
    if (!pm_label_waits_for_room(r, still->chain))
        return;
    for (guint i = 0; i < summary->n_still; i++) {
        const PmStillWaiting *other = &summary->still[i];
        gint out;
        const gint frame = other->blocker == still->blocker && other->kind == still->kind
                               ? frame_that_calls_back(r, other->chain, &out)
                               : -1;
        if (frame < 0)
            continue;
        const PmFrame *frames = r->chains[other->chain].frames;
        g_autofree char *back = pm_label_method(r, frames[frame].method);
        g_autofree char *from = pm_label_method(r, frames[out].method);
        pm_finding_add_to_title(finding,
                                g_strdup_printf("%s waits for it too, in %s, called from %s",
                                                r->threads[other->first_thread].name, back, from));
        pm_finding_add_cause_from(finding, r, PM_CAUSE_WAKER, other->first_thread, other->chain,
                                  frame);
        pm_evidence_add(finding, FALSE,
                        g_strdup_printf("%s puts something in while %s runs: if that takes from "
                                        "it, nobody makes room any more",
                                        back, from));
        return;
    }
}

/* Where each of those who wait gives something that nobody takes. */
static void add_givers(PmFinding *finding, const PmRecording *r, const GArray *rows)
{
    g_autoptr(GHashTable) told = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint i = 0; i < rows->len && g_hash_table_size(told) < MAX_WAITS; i++) {
        const guint32 row = g_array_index(rows, guint32, i);
        char *where = pm_label_code(r, pm_wait_chain(&r->waits, row), 1);
        if (g_hash_table_add(told, where))
            pm_evidence_add(finding, TRUE,
                            g_strdup_printf("%s waits for somebody to take what it gives in %s",
                                            r->threads[pm_wait_thread(&r->waits, row)].name,
                                            where));
    }
}

/* Has the thread that waits in `chain` gone further in the very method in which another one waits,
 * in `behind`? */
static gboolean is_further_on(const PmRecording *r, guint32 behind, guint32 chain)
{
    const PmOwnCode *own = pm_own_code(r);
    const gint at = pm_own_frame(own, behind);
    gint frame = pm_own_frame(own, chain);
    while (at >= 0 && frame >= 0 && (frame = pm_own_next(own, r, chain, frame)) >= 0) {
        const PmFrame *its = &r->chains[chain].frames[frame];
        const PmFrame *wants = &r->chains[behind].frames[at];
        if (its->method == wants->method)
            return its->line > wants->line;
    }
    return FALSE;
}

/* The wait of one like those in `still` that has gone further on in the same method; G_MAXUINT32:
 * there is none among those of `other`. */
static guint32 row_further_on(const PmSummary *summary, const PmStillWaiting *still,
                              const PmStillWaiting *other)
{
    const PmRecording *r = summary->metrics->view->recording;
    if (still->group != other->group || summary->at - other->since < MIN_OVERDUE_NS)
        return G_MAXUINT32;
    for (guint i = 0; i < other->n_threads; i++)
        if (is_further_on(r, still->chain, pm_wait_chain(&r->waits, other->rows[i])))
            return other->rows[i];
    return G_MAXUINT32;
}

/* Of those that want something out of a pool one that has gone further in a method in which others
 * like it wait, in `ret_behind`: it may have got some. G_MAXUINT32: there is none. */
static guint32 row_that_wants_more(const PmSummary *summary, const PmStillWaiting *still,
                                   const PmStillWaiting **ret_behind)
{
    if (still->timed || pm_category_family(still->category) != PM_FAMILY_RESOURCE ||
        summary->at - still->since < MIN_OVERDUE_NS)
        return G_MAXUINT32;
    for (guint i = 0; i < summary->n_still; i++) {
        const PmStillWaiting *behind = &summary->still[i];
        const guint32 row = summary->at - behind->since >= MIN_OVERDUE_NS
                                ? row_further_on(summary, behind, still)
                                : G_MAXUINT32;
        if (row == G_MAXUINT32)
            continue;
        *ret_behind = behind;
        return row;
    }
    return G_MAXUINT32;
}

/* Who has gone further in the method in which the others wait may have got what they wait for, and
 * waits for something itself. */
static void add_further_on(const PmSummary *summary, const PmStillWaiting *still,
                           PmFinding *finding)
{
    const PmRecording *r = summary->metrics->view->recording;
    const PmStillWaiting *behind = still;
    guint32 row = G_MAXUINT32;
    for (guint i = 0; i < summary->n_still && row == G_MAXUINT32; i++)
        row = row_further_on(summary, still, &summary->still[i]);
    if (row == G_MAXUINT32)
        row = row_that_wants_more(summary, still, &behind);
    if (row == G_MAXUINT32)
        return;
    const guint32 thread = pm_wait_thread(&r->waits, row), chain = pm_wait_chain(&r->waits, row);
    g_autofree char *method = pm_label_code_method(r, chain);
    g_autofree char *from = pm_label_code_method(r, behind->chain);
    pm_finding_add_to_title(finding, g_strdup_printf("%s, further on in %s, waits in %s",
                                                     r->threads[thread].name, from, method));
    pm_finding_add_cause(finding, r, PM_CAUSE_OWNER, thread, chain);
    pm_evidence_add(finding, FALSE,
                    g_strdup_printf("%s has gone further than where others wait: it may have what "
                                    "they wait for",
                                    r->threads[thread].name));
}

/* By group: do several threads live, and all wait long? */
static guint8 *groups_at_a_standstill(const PmSummary *summary)
{
    const PmRecording *r = summary->metrics->view->recording;
    g_autofree gint64 *others = g_new0(gint64, MAX(r->n_groups, 1)); /* that do not */
    guint8 *still = g_new0(guint8, MAX(r->n_groups, 1));
    for (guint32 t = 1; t < r->n_threads; t++)
        others[r->threads[t].group] += pm_summary_lives(r, t, summary->at);
    for (guint i = 0; i < summary->n_still; i++)
        for (guint k = 0; k < summary->still[i].n_threads; k++)
            if (summary->at - pm_wait_begin(&r->waits, summary->still[i].rows[k]) >= MIN_OVERDUE_NS)
                others[summary->still[i].group]--;
    for (guint g = 0; g < r->n_groups; g++)
        still[g] = r->groups[g].n_threads > 1 && others[g] == 0;
    return still;
}

/* Are all of a group at a standstill, of whom one may have got some of what they want out of a pool
 * and wants more? */
static gboolean wants_more(const PmSummary *summary, const PmStillWaiting *still,
                           const guint8 *standstill)
{
    const PmStillWaiting *behind;
    return standstill[still->group] && row_that_wants_more(summary, still, &behind) != G_MAXUINT32;
}

/* What the owner waits for itself, without an owner; NULL: it does not. */
static const PmStillWaiting *wait_of_owner(const PmSummary *summary, const PmStillWaiting *still)
{
    for (guint i = 0; i < summary->n_still; i++)
        if (still->owner && summary->still[i].first_thread == still->owner &&
            !summary->still[i].owner)
            return &summary->still[i];
    return NULL;
}

/* In what code of the program a thread like that one was looked at, nearest to `at`; 0: in none. */
static guint32 seen_at_work(const PmSearch *search, guint32 like, gint64 at)
{
    const PmRecording *r = search->operations->recording;
    const PmActivity *activity = pm_contention_activity(search->contention);
    for (guint32 t = 1; t < r->n_threads; t++) {
        const guint32 chain = r->threads[t].group == r->threads[like].group
                                  ? pm_activity_nearest_sample(activity, t, FALSE, at, at, at)
                                  : 0;
        if (pm_own_frame(pm_own_code(r), chain) >= 0)
            return chain;
    }
    return 0;
}

/* Who owns it waits itself, for what others gave before: what they were seen in then, if they give
 * it where nothing is the program's. */
static void add_givers_of_owner(const PmSearch *search, const PmStillWaiting *still,
                                PmFinding *finding)
{
    const PmRecording *r = search->operations->recording;
    const PmOwnCode *own = pm_own_code(r);
    const PmStillWaiting *its = wait_of_owner(search->summary, still);
    const PmOperation *operation =
        its ? pm_operations_find(search->operations, its->rows[0]) : NULL;
    if (!operation || operation->n_ends < MIN_EARLIER)
        return;
    const guint32 thread = operation->giver_thread;
    guint32 chain = operation->giver;
    if (pm_own_frame(own, chain) < 0)
        chain = seen_at_work(search, thread, its->since);
    if (pm_own_frame(own, chain) < 0)
        return;
    g_autofree char *waits = pm_label_code_method(r, its->chain);
    g_autofree char *gave = pm_label_code(r, chain, 2);
    pm_finding_add_cause(finding, r, PM_CAUSE_WAKER, thread, chain);
    pm_evidence_add(finding, FALSE,
                    g_strdup_printf("its owner waits in %s; similar earlier waits were mostly "
                                    "ended by %s in %s",
                                    waits, r->groups[r->threads[thread].group].shown, gave));
}

/* Nobody is known to have taken what all want of one pool, but few of them ask in another method
 * than most: they may want more than there is, or have some. */
static void add_other_call(const PmRecording *r, const GArray *rows, PmFinding *finding)
{
    const guint32 *row = (const guint32 *)(const void *)rows->data;
    const guint64 key = pm_operation_key(r, row[0]);
    guint n_same = 0, n_other = 0, last[2] = {row[0], row[0]};
    for (guint i = 0; i < rows->len; i++) {
        const guint64 its = pm_operation_key(r, row[i]);
        const gboolean same = its == key;
        if (!same && n_other && its != pm_operation_key(r, last[1]))
            return; /* each has a method of its own */
        *(same ? &n_same : &n_other) += 1;
        last[!same] = row[i];
    }
    const gboolean few = n_other < n_same;
    if (pm_category_family(finding->category) != PM_FAMILY_RESOURCE || MIN(n_same, n_other) == 0 ||
        pm_product(MIN(n_same, n_other), 3) > rows->len)
        return;
    const guint32 thread = pm_wait_thread(&r->waits, last[few]);
    const guint32 chain = pm_wait_chain(&r->waits, last[few]);
    g_autofree char *method = pm_label_code_method(r, chain);
    pm_finding_add_to_title(
        finding, g_strdup_printf("%s waits for it in %s", r->threads[thread].name, method));
    pm_finding_add_cause(finding, r, PM_CAUSE_WAKER, thread, chain);
    pm_evidence_add(finding, FALSE,
                    g_strdup_printf("%s waits for it elsewhere than the others: it may want more "
                                    "than there is, or have some of it",
                                    r->threads[thread].name));
}

/* Why a wait does not end, as far as it is known. */
static void explain(const PmSearch *search, const PmStillWaiting *still, const GArray *rows,
                    PmFinding *finding)
{
    const PmOperations *operations = search->operations;
    const PmRecording *r = operations->recording;
    if (still->owner)
        pm_evidence_add(finding, TRUE,
                        g_strdup_printf("held by %s", r->threads[still->owner].name));
    if (still->owner_chain) {
        g_autofree char *chain = pm_label_code(r, still->owner_chain, 3);
        pm_evidence_add(finding, TRUE, g_strdup_printf("its owner is in %s", chain));
    }
    if (may_be_forgotten(operations, still)) {
        g_autofree char *where = pm_label_code_method(r, still->chain);
        guint32 chain = last_use(r, still);
        pm_finding_add_to_title(finding,
                                g_strdup_printf("%s holds it and may have forgotten to release it "
                                                "in %s",
                                                r->threads[still->owner].name, where));
        if (!chain) /* it may do what the waiters do */
            chain =
                r->threads[still->owner].group == still->group ? still->chain : still->owner_chain;
        pm_finding_add_cause(finding, r, PM_CAUSE_OWNER, still->owner, chain);
        pm_evidence_add(finding, FALSE,
                        g_strdup_printf("other threads release it in %s, which its owner has left: "
                                        "it may have forgotten to",
                                        where));
        return;
    }
    if (still->owner_chain) {
        g_autofree char *method = pm_label_code_method(r, still->owner_chain);
        pm_finding_add_to_title(
            finding, g_strdup_printf("%s holds it in %s", r->threads[still->owner].name, method));
    }
    const PmStillWaiting *other = other_side(search->summary, operations, still);
    if (other) {
        g_autofree char *where = pm_label_code(r, other->chain, 2);
        pm_finding_add_cause(finding, r, PM_CAUSE_WAKER, other->first_thread, other->chain);
        pm_evidence_add(finding, FALSE,
                        g_strdup_printf("%s waits at the same lock in %s: one of the two should be "
                                        "able to proceed, unless both wait for another thread",
                                        r->groups[other->group].shown, where));
    }
    const PmStillWaiting *behind;
    const gboolean more = row_that_wants_more(search->summary, still, &behind) != G_MAXUINT32;
    if (!still->owner && !pm_keeper_tell(search, finding) &&
        !add_nested(r, finding, (const guint32 *)(const void *)rows->data, rows->len) && !other &&
        !more)
        add_expected(search, still, finding);
    if (!finding->n_causes)
        add_called_back(search->summary, still, finding);
    if (!finding->n_causes)
        add_givers_of_owner(search, still, finding);
    if (!still->owner && !finding->n_causes)
        add_further_on(search->summary, still, finding);
    const PmStillWaiting *worker =
        finding->n_causes ? NULL : waiting_worker(search->summary, operations, still);
    if (worker)
        add_worker(search->summary, still, worker, finding);
    if (!finding->n_causes && !still->owner)
        add_other_call(r, rows, finding);
    if (!finding->n_causes && !add_last_use(search->summary, still, finding))
        add_holder(finding, r, still);
    if (waits_for_taker(r, still))
        add_givers(finding, r, rows);
}

/* By group: do all of its threads run tasks of a pool that wait for futures? */
static guint8 *exhausted_groups(const PmSummary *summary)
{
    const PmRecording *r = summary->metrics->view->recording;
    g_autofree gint64 *others = g_new0(gint64, MAX(r->n_groups, 1)); /* its other threads */
    guint8 *exhausted = g_new0(guint8, MAX(r->n_groups, 1));
    for (guint32 t = 1; t < r->n_threads; t++)
        others[r->threads[t].group] += pm_summary_lives(r, t, summary->at);
    for (guint i = 0; i < summary->n_still; i++) {
        const PmStillWaiting *still = &summary->still[i];
        if (still->category == PM_CATEGORY_FUTURE && !still->timed &&
            pm_label_is_within(r, still->chain, G_MAXUINT, "java.util.concurrent.*", "runWorker"))
            others[still->group] -= still->n_threads;
    }
    for (guint i = 0; i < summary->n_still; i++)
        exhausted[summary->still[i].group] = others[summary->still[i].group] == 0;
    return exhausted;
}

/* By thread: does it wait in a knot that was told? */
static guint8 *told_threads(const PmSearch *search)
{
    const PmRecording *r = search->operations->recording;
    guint8 *told = g_new0(guint8, MAX(r->n_threads, 1));
    for (guint i = 0; i < MIN(search->knots->len, MAX_WAITS); i++) {
        const GArray *rows = g_array_index(search->knots, PmKnot, i).rows;
        for (guint k = 0; k < rows->len; k++)
            told[pm_wait_thread(&r->waits, g_array_index(rows, guint32, k))] = TRUE;
    }
    return told;
}

static void tell_pool(PmFinding *finding, const PmSummary *summary, const PmStillWaiting *still)
{
    pm_finding_add_cause(finding, summary->metrics->view->recording, PM_CAUSE_WAKER,
                         still->first_thread, still->chain);
    add_who_asks(summary, finding, still->rows[0]);
    pm_evidence_add(finding, FALSE,
                    g_strdup("no such wait ever ended here: if they wait for tasks of the same "
                             "pool, no thread can run those"));
}

/* Is it a semaphore that others release, as often as there is work? Its takers may have none. */
static gboolean counts_work(const PmSearch *search, const PmStillWaiting *still)
{
    const PmRecording *r = search->operations->recording;
    const PmOperation *operation = pm_operations_find(search->operations, still->rows[0]);
    if (still->category != PM_CATEGORY_SEMAPHORE || !operation || !operation->n_ends)
        return FALSE;
    for (guint i = 0; i < operation->rows->len; i++) {
        guint32 thread = pm_wait_thread(&r->waits, g_array_index(operation->rows, guint32, i));
        if (g_hash_table_contains(operation->enders, pm_operation_ender(r, thread)))
            return FALSE;
    }
    return TRUE;
}

/* Was the lock handed on to others not long ago? Then whoever waits for it is only overtaken. */
static gboolean is_handed_on(const PmSummary *summary, const PmStillWaiting *still)
{
    return pm_category_family(still->category) == PM_FAMILY_LOCK &&
           still->handed_on > still->since && summary->at - still->handed_on < MIN_OVERDUE_NS;
}

/* Does it wait for an answer where a library calls the program, and do several wait far longer than
 * ever since then? They are told with it in `finding`, if not NULL. */
static gboolean cuts_off(const PmSearch *search, const PmStillWaiting *still, PmFinding *finding)
{
    const PmSummary *summary = search->summary;
    const PmRecording *r = search->operations->recording;
    const PmStillWaiting *first = NULL;
    guint n = 0;
    if (still->timed || !pm_summary_hands_over(r, still->chain))
        return FALSE;
    for (guint i = 0; i < summary->n_still; i++) {
        const PmStillWaiting *other = &summary->still[i];
        const PmOperation *operation = pm_operations_find(search->operations, other->rows[0]);
        const gint64 age = summary->at - other->since;
        if (!is_long_task(summary, other, still, FALSE) || !operation || operation->rows->len < 2 ||
            operation->n_ends < MIN_EARLIER || age < MIN_OVERDUE_NS ||
            other->since < still->since - AT_ONCE_NS || !pm_operation_is_overdue(operation, age))
            continue;
        first = first ? first : other;
        n += other->group == first->group ? other->n_threads : 0;
        if (finding)
            g_hash_table_add(search->told, pm_finding_told_key(other->blocker, other->kind));
    }
    if (first && finding) {
        g_autofree char *who = pm_summary_group_text(r, first->group, n);
        g_autofree char *where = pm_label_code_method(r, first->chain);
        pm_evidence_add(finding, FALSE,
                        g_strdup_printf("since then %s wait far longer than ever before in %s: "
                                        "what they wait for may come by that thread",
                                        who, where));
    }
    return first != NULL;
}

/* Three at most. `of_pool`: of exhausted pools, of which no such wait ever ended, so that nothing
 * tells who ends them; or all others. */
static void find_waits(const PmSearch *search, gboolean of_pool, GArray *findings)
{
    const PmSummary *summary = search->summary;
    const PmOperations *operations = search->operations;
    g_autofree guint8 *wanted = g_new0(guint8, MAX(summary->n_still, 1));
    g_autofree guint8 *exhausted = exhausted_groups(summary), *told = told_threads(search);
    g_autofree guint8 *standstill = groups_at_a_standstill(summary);
    for (guint i = 0; i < summary->n_still; i++) {
        const PmStillWaiting *still = &summary->still[i];
        const PmOperation *operation = pm_operations_find(operations, still->rows[0]);
        wanted[i] =
            still->cycle < 0 && !told[still->first_thread] && still->cycle != PM_BEHIND_CYCLE &&
            !(counts_work(search, still) && !is_given_up(summary, operations, operation)) &&
            (still->stuck || is_overdue(summary, operations, still) ||
             other_side(summary, operations, still) || waits_for_end(summary, operations, still) ||
             wants_more(summary, still, standstill) || cuts_off(search, still, NULL)) &&
            (exhausted[still->group] && still->stuck && operation && !operation->n_ends) ==
                of_pool &&
            !is_handed_on(summary, still);
    }
    guint n = 0, n_behind = 0;
    const PmStillWaiting *root =
        of_pool ? NULL : pm_knot_find_root(operations, summary, search->told, wanted, &n_behind);
    for (guint i = 0; i < summary->n_still && n < MAX_WAITS; i++) {
        const PmStillWaiting *still = &summary->still[i];
        if (!wanted[i])
            continue;
        guint n_blockers;
        g_autoptr(GArray) rows = alike(summary, operations, i, wanted, &n_blockers);
        PmFinding finding =
            finding_of_rows(search, (const guint32 *)(const void *)rows->data, rows->len);
        g_autofree char *title = waits_title(summary, still, &finding, n_blockers);
        finding.title = g_strconcat(
            title, of_pool ? "; no thread of their pool is left to run others" : "", NULL);
        finding.from = still->since;
        finding.since_before = still->begin_unknown;
        if (of_pool)
            tell_pool(&finding, summary, still);
        else
            explain(search, still, rows, &finding);
        cuts_off(search, still, &finding);
        if (still == root && n_behind)
            pm_evidence_add(&finding, FALSE,
                            g_strdup_printf("waiting for virtual threads to end: %u", n_behind));
        share_evenly(&finding);
        finding.command = g_strdup("now --chains");
        if (n_blockers > 1)
            finding.blocker = 0; /* no single one */
        g_array_append_val(findings, finding);
        n++;
    }
}

void pm_stuck_find_own_pools(const PmSearch *search, GArray *findings)
{
    find_knots(search, PM_KNOT_OWN_POOL, findings);
    find_waits(search, TRUE, findings);
}

void pm_stuck_find_waits(const PmSearch *search, GArray *findings)
{
    find_waits(search, FALSE, findings);
}
