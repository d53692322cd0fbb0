#include "viewer/analysis/stuck/waits.h"

#include "viewer/analysis/code/own-code.h"
#include "viewer/analysis/evidence/evidence.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/analysis/stuck/reasons.h"
#include "viewer/analysis/stuck/still-waiting.h"
#include "viewer/analysis/stuck/stuck-finding.h"

static gboolean is_lock_or_pool(const PmStillWaiting *still)
{
    const PmFamily family = pm_category_family(still->category);
    return family == PM_FAMILY_LOCK || family == PM_FAMILY_RESOURCE;
}

/* Of the groups that wait for one lock or pool: where it is told, the oldest that is not told yet.
 * If nobody knows since when they wait, it is the one of the most threads. */
static guint told_at(const PmSummary *summary, guint first, const guint8 *wanted)
{
    const PmStillWaiting *oldest = &summary->still[first];
    guint most = first;
    for (guint i = first + 1; is_lock_or_pool(oldest) && i < summary->n_still; i++) {
        const PmStillWaiting *still = &summary->still[i];
        if (wanted[i] && is_lock_or_pool(still) && still->blocker == oldest->blocker &&
            still->kind == oldest->kind && still->owner == oldest->owner && still->begin_unknown &&
            oldest->begin_unknown && still->n_threads > summary->still[most].n_threads)
            most = i;
    }
    return most;
}

/* Waits for objects of one class at one place by one group are one finding, also by several that
 * give something there, and all for one lock or pool: their rows, beginning with those of `like`.
 * Marks them as told. */
static GArray *alike(const PmSummary *summary, const PmOperations *operations,
                     const PmStillWaiting *like, guint8 *wanted, guint *ret_blockers)
{
    const PmRecording *r = operations->recording;
    guint64 key = pm_operation_key(r, like->rows[0]);
    const gboolean gives = pm_summary_hands_over(r, like->chain);
    GArray *rows = g_array_new(FALSE, FALSE, sizeof(guint32));
    *ret_blockers = 1;
    g_array_append_vals(rows, like->rows, like->n_threads);
    wanted[like - summary->still] = FALSE;
    for (guint i = 0; i < summary->n_still; i++) {
        const PmStillWaiting *still = &summary->still[i];
        const gboolean same = still->blocker == like->blocker && still->kind == like->kind;
        if (!wanted[i] || still->owner != like->owner ||
            (!(is_lock_or_pool(like) && same) && ((still->group != like->group && !gives) ||
                                                  pm_operation_key(r, still->rows[0]) != key)))
            continue;
        g_array_append_vals(rows, still->rows, still->n_threads);
        wanted[i] = FALSE;
        *ret_blockers += !same;
    }
    return rows;
}

/* Do all wait who were ever seen to end such waits, if anybody was? */
static gboolean all_enders_wait(const PmSearch *search, const PmOperation *operation)
{
    const PmRecording *r = search->operations->recording;
    for (guint32 t = 1; t < r->n_threads && operation->n_ends; t++)
        if (!search->operations->waiting[t] && pm_summary_lives(r, t, search->summary->at) &&
            g_hash_table_contains(operation->enders, pm_operation_ender(r, t)))
            return FALSE;
    return TRUE;
}

/* Does it wait, for long, for room that nobody is seen to make who does not wait himself? */
static gboolean wants_room(const PmSearch *search, const PmStillWaiting *still)
{
    const PmOperation *operation = pm_operations_find(search->operations, still->rows[0]);
    return !still->timed && operation &&
           search->summary->at - still->since >= PM_STILL_OVERDUE_NS &&
           pm_label_waits_for_room(search->operations->recording, still->chain) &&
           all_enders_wait(search, operation);
}

/* Does another group wait like that at another queue? Then each may be what the other waits for. */
static gboolean is_full_both_ways(const PmSearch *search, const PmStillWaiting *still)
{
    const PmSummary *summary = search->summary;
    for (guint i = 0; i < summary->n_still && wants_room(search, still); i++)
        if (summary->still[i].group != still->group &&
            summary->still[i].blocker != still->blocker && wants_room(search, &summary->still[i]))
            return TRUE;
    return FALSE;
}

/* Then adds the rows of all others who do, from `first` on, and marks them as told. FALSE: it is
 * not so. */
static gboolean add_full(const PmSearch *search, guint first, guint8 *wanted, GArray *rows)
{
    const PmStillWaiting *all = search->summary->still;
    if (!is_full_both_ways(search, &all[first]))
        return FALSE;
    for (guint i = first + 1; i < search->summary->n_still; i++) {
        if (!wanted[i] || !wants_room(search, &all[i]))
            continue;
        g_array_append_vals(rows, all[i].rows, all[i].n_threads);
        wanted[i] = FALSE;
    }
    return TRUE;
}

/* Of those that wait for room in several queues: where each does, as each may be the one that takes
 * what others give. */
static void tell_full(const PmSearch *search, const PmStillWaiting *still, const GArray *rows,
                      PmFinding *finding)
{
    const PmRecording *r = search->operations->recording;
    g_autoptr(GHashTable) told = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GString) where = g_string_new(NULL);
    g_autofree char *who = pm_stuck_victims_text(r, finding);
    g_autofree char *since =
        pm_label_since(r, still->since, search->summary->at, still->begin_unknown);
    for (guint i = 0; i < rows->len && g_hash_table_size(told) < PM_STUCK_MAX; i++) {
        const guint32 row = g_array_index(rows, guint32, i);
        const guint32 thread = pm_wait_thread(&r->waits, row),
                      chain = pm_wait_chain(&r->waits, row);
        char *method = pm_label_code_method(r, chain);
        if (!g_hash_table_add(told, method))
            continue;
        g_string_append_printf(where, "%s%s", where->len ? " and " : "", method);
        pm_finding_add_cause(finding, r, PM_CAUSE_WAKER, thread, chain);
    }
    g_autofree char *objects = pm_label_objects(r, still->blocker, still->chain);
    finding->title = g_strdup_printf("%s wait for room in full queues, at %s in %s, %s", who,
                                     objects, where->str, since);
    pm_evidence_add(finding, FALSE,
                    g_strdup("nobody else was seen to take from any of these queues: if each of "
                             "those who wait takes what others give, none of them goes on"));
    pm_finding_advise(finding,
                      "give a queue on the way back no bound, or do not wait for room in it");
}

/* Who waits for a result while it owns what a task of a pool waits for: rows. */
typedef struct {
    guint32 holder, task;
} Circle;

/* The first of those who wait in a task for what that thread owns; G_MAXUINT32: nobody does. */
static guint32 task_behind(const PmSummary *summary, guint32 owner)
{
    const PmRecording *r = summary->metrics->view->recording;
    for (guint i = 0; i < summary->n_still; i++) {
        const PmStillWaiting *still = &summary->still[i];
        for (guint k = 0; k < still->n_threads && still->owner == owner && !still->timed; k++)
            if (pm_label_is_in_task(r, pm_wait_chain(&r->waits, still->rows[k])))
                return still->rows[k];
    }
    return G_MAXUINT32;
}

/* Is it for a result that its waits are, without a timeout? */
static gboolean wants_result(const PmStillWaiting *still)
{
    return !still->timed && !still->owner &&
           pm_category_family(still->category) == PM_FAMILY_JOIN &&
           still->category != PM_CATEGORY_BARRIER;
}

/* Does `still` wait for such a thread's result, or for what it owns? */
static gboolean find_circle(const PmSummary *summary, const PmStillWaiting *still, Circle *ret)
{
    const PmRecording *r = summary->metrics->view->recording;
    for (guint i = 0; i < summary->n_still; i++) {
        const PmStillWaiting *its = &summary->still[i];
        if (!wants_result(its) || (!still->owner && its != still))
            continue;
        for (guint k = 0; k < its->n_threads; k++) {
            const guint32 thread = pm_wait_thread(&r->waits, its->rows[k]);
            *ret = (Circle){its->rows[k], task_behind(summary, thread)};
            if ((!still->owner || still->owner == thread) && ret->task != G_MAXUINT32)
                return TRUE;
        }
    }
    return FALSE;
}

/* Adds the rows of all who wait in the circle that are not among them; marks them as told. */
static void add_circle(const PmSummary *summary, const Circle *circle, guint8 *wanted, GArray *rows)
{
    const PmRecording *r = summary->metrics->view->recording;
    const guint32 holder = pm_wait_thread(&r->waits, circle->holder);
    g_autoptr(GHashTable) known = g_hash_table_new(NULL, NULL);
    for (guint i = 0; i < rows->len; i++)
        g_hash_table_add(known, GUINT_TO_POINTER(g_array_index(rows, guint32, i)));
    for (guint i = 0; i < summary->n_still; i++) {
        const PmStillWaiting *still = &summary->still[i];
        for (guint k = 0; k < still->n_threads; k++)
            if ((still->owner == holder || still->rows[k] == circle->holder) &&
                g_hash_table_add(known, GUINT_TO_POINTER(still->rows[k])))
                g_array_append_val(rows, still->rows[k]);
        wanted[i] &= still->owner != holder;
    }
}

static void tell_circle(const PmSearch *search, const PmStillWaiting *still, const Circle *circle,
                        PmFinding *finding)
{
    const PmRecording *r = search->operations->recording;
    const PmWaits *w = &r->waits;
    const guint32 chains[] = {pm_wait_chain(w, circle->holder), pm_wait_chain(w, circle->task)};
    const guint32 threads[] = {pm_wait_thread(w, circle->holder), pm_wait_thread(w, circle->task)};
    const char *holder = r->threads[threads[0]].name, *task = r->threads[threads[1]].name;
    g_autofree char *who = pm_stuck_victims_text(r, finding);
    g_autofree char *kept = pm_label_blocker_field(r, pm_wait_blocker(w, circle->task));
    g_autofree char *where = pm_label_code_method(r, chains[0]);
    g_autofree char *since =
        pm_label_since(r, still->since, search->summary->at, still->begin_unknown);
    finding->title = g_strdup_printf("%s wait %s: %s waits for a result in %s and keeps %s, which "
                                     "%s needs in a task",
                                     who, since, holder, where, kept, task);
    pm_finding_add_cause(finding, r, PM_CAUSE_OWNER, threads[0], chains[0]);
    pm_finding_add_cause(finding, r, PM_CAUSE_WAKER, threads[1], chains[1]);
    pm_evidence_add(finding, TRUE,
                    g_strdup_printf("%s owns %s, for which %s waits", holder, kept, task));
    pm_evidence_add(
        finding, FALSE,
        g_strdup_printf("if what %s waits for is that task, none of them goes on", holder));
    pm_finding_advise(finding, "do not wait for tasks of others while holding a lock, or in a "
                               "class's initialiser");
}

static char *waits_title(const PmSearch *search, const PmStillWaiting *still,
                         const PmFinding *finding, guint n_blockers)
{
    const PmSummary *summary = search->summary;
    const PmRecording *r = search->operations->recording;
    guint32 worker;
    g_autofree char *victims = pm_stuck_victims_text(r, finding);
    g_autofree char *who = finding->waits == 1
                               ? g_strdup_printf("%s waits", r->threads[still->first_thread].name)
                               : g_strdup_printf("%s wait", victims);
    g_autofree char *blocker = pm_still_awaits_end_of_pool(r, still)
                                   ? g_strdup("the end of a pool")
                                   : pm_label_blocker_field(r, still->blocker);
    g_autofree char *method = pm_label_code_method(r, still->chain);
    g_autofree char *objects = pm_label_objects(r, still->blocker, still->chain);
    const gboolean gives = pm_still_waits_for_taker(r, still);
    g_autofree char *site = gives ? pm_label_method(r, pm_recording_site_method(r, still->chain))
                                  : pm_label_code_short(r, still->chain);
    g_autofree char *what = n_blockers == 1
                                ? g_strdup_printf("%s in %s", blocker, method)
                                : g_strdup_printf("%u %s in %s", n_blockers, objects, site);
    g_autofree char *since = pm_label_since(r, still->since, summary->at, still->begin_unknown);
    return g_strdup_printf("%s for %s %s%s", who, what, since,
                           gives && !pm_stuck_at_work(search, still, &worker)
                               ? "; nobody takes what is given there"
                               : "");
}

/* By group: how many of its threads live. */
static gint64 *live_threads(const PmSummary *summary)
{
    const PmRecording *r = summary->metrics->view->recording;
    gint64 *live = g_new0(gint64, MAX(r->n_groups, 1));
    for (guint32 t = 1; t < r->n_threads; t++)
        live[r->threads[t].group] += pm_summary_lives(r, t, summary->at);
    return live;
}

/* By group: do several threads live, and all wait long? */
static guint8 *groups_at_a_standstill(const PmSummary *summary)
{
    const PmRecording *r = summary->metrics->view->recording;
    g_autofree gint64 *others = live_threads(summary); /* that do not */
    guint8 *still = g_new0(guint8, MAX(r->n_groups, 1));
    for (guint i = 0; i < summary->n_still; i++)
        for (guint k = 0; k < summary->still[i].n_threads; k++)
            if (summary->at - pm_wait_begin(&r->waits, summary->still[i].rows[k]) >=
                PM_STILL_OVERDUE_NS)
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
    guint32 method;
    return standstill[still->group] &&
           pm_still_row_that_wants_more(summary, still, &method) != G_MAXUINT32;
}

/* By group: do all of its threads run tasks of a pool that wait for futures? */
static guint8 *exhausted_groups(const PmSummary *summary)
{
    const PmRecording *r = summary->metrics->view->recording;
    g_autofree gint64 *others = live_threads(summary); /* that do not */
    guint8 *exhausted = g_new0(guint8, MAX(r->n_groups, 1));
    for (guint i = 0; i < summary->n_still; i++) {
        const PmStillWaiting *still = &summary->still[i];
        if (still->category == PM_CATEGORY_FUTURE && !still->timed &&
            pm_label_is_in_pool(r, still->chain))
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
    for (guint i = 0; i < MIN(search->knots->len, PM_STUCK_MAX); i++) {
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
    pm_stuck_add_who_asks(summary, finding, still->rows[0]);
    pm_evidence_add(finding, FALSE,
                    g_strdup("no such wait ever ended here: if they wait for tasks of the same "
                             "pool, no thread can run those"));
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
        if (!pm_still_is_long_task(summary, other, still, FALSE) || !operation ||
            operation->rows->len < 2 || operation->n_ends < PM_STILL_MIN_EARLIER ||
            age < PM_STILL_OVERDUE_NS || other->since < still->since - PM_STILL_AT_ONCE_NS ||
            !pm_operation_is_overdue(operation, age))
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

/* Does it await the end of a pool whose last task got no more since then, and waits, without a
 * timeout, for what only threads gave that have ended? The timeout may be a day. */
static gboolean awaits_end_in_vain(const PmSearch *search, const PmStillWaiting *still)
{
    const PmSummary *summary = search->summary;
    if (summary->at - still->since < 2 * PM_STILL_OVERDUE_NS ||
        !pm_still_awaits_end_of_pool(search->operations->recording, still))
        return FALSE;
    const PmStillWaiting *worker = pm_still_waiting_worker(summary, search->operations, still);
    const PmOperation *operation =
        worker ? pm_operations_find(search->operations, worker->rows[0]) : NULL;
    return operation && !worker->timed && worker->since <= still->since + PM_STILL_AT_ONCE_NS &&
           operation->n_ends >= PM_STILL_MIN_EARLIER &&
           pm_stuck_givers_have_ended(search, operation, worker->first_thread);
}

void pm_stuck_find_waits_of(const PmSearch *search, gboolean of_pool, GArray *findings)
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
            !(pm_still_counts_work(search, still) &&
              !pm_still_is_given_up(summary, operations, operation)) &&
            (still->stuck || pm_still_is_abandoned(still) ||
             pm_still_is_overdue(summary, operations, still) ||
             pm_still_other_side(summary, operations, still) || is_full_both_ways(search, still) ||
             pm_still_waits_for_end(summary, operations, still) ||
             awaits_end_in_vain(search, still) || wants_more(summary, still, standstill) ||
             cuts_off(search, still, NULL)) &&
            (exhausted[still->group] && still->stuck && operation && !operation->n_ends) ==
                of_pool &&
            !pm_still_is_handed_on(summary, still);
    }
    guint n = 0, n_behind = 0;
    const PmStillWaiting *root =
        of_pool ? NULL : pm_knot_find_root(operations, summary, search->told, wanted, &n_behind);
    for (guint i = 0; i < summary->n_still && n < PM_STUCK_MAX; i++) {
        if (!wanted[i])
            continue;
        const PmStillWaiting *still = &summary->still[told_at(summary, i, wanted)];
        guint n_blockers;
        g_autoptr(GArray) rows = alike(summary, operations, still, wanted, &n_blockers);
        const gboolean is_full =
            !of_pool && add_full(search, (guint)(still - summary->still), wanted, rows);
        Circle circle = {0};
        const gboolean is_circle = !of_pool && !is_full && find_circle(summary, still, &circle);
        if (is_circle)
            add_circle(summary, &circle, wanted, rows);
        PmFinding finding =
            pm_stuck_finding(search, (const guint32 *)(const void *)rows->data, rows->len);
        g_autofree char *title = waits_title(search, still, &finding, n_blockers);
        finding.from = still->since;
        finding.since_before = still->begin_unknown;
        if (is_full)
            tell_full(search, still, rows, &finding);
        else if (is_circle)
            tell_circle(search, still, &circle, &finding);
        else
            finding.title = g_strconcat(
                title, of_pool ? "; no thread of their pool is left to run others" : "", NULL);
        if (of_pool)
            tell_pool(&finding, summary, still);
        else if (!is_full && !is_circle)
            pm_stuck_explain(search, still, rows, &finding);
        cuts_off(search, still, &finding);
        if ((still == root || &summary->still[i] == root) && n_behind)
            pm_evidence_add(&finding, FALSE,
                            g_strdup_printf("waiting for virtual threads to end: %u", n_behind));
        pm_stuck_share_evenly(&finding);
        finding.command = g_strdup("now --chains");
        if (n_blockers > 1 || is_full)
            finding.blocker = 0; /* no single one */
        g_array_append_val(findings, finding);
        n++;
    }
}
