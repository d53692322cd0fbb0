#include "viewer/analysis/stuck/reasons.h"

#include <string.h>

#include "viewer/analysis/aggregation/no-carrier.h"
#include "viewer/analysis/code/own-code.h"
#include "viewer/analysis/evidence/culprit.h"
#include "viewer/analysis/evidence/evidence.h"
#include "viewer/analysis/evidence/keeper.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/analysis/stuck/still-waiting.h"
#include "viewer/analysis/stuck/stuck-finding.h"
#include "viewer/analysis/base/sum.h"

#define MAX_OTHERS 2 /* places, or groups; more tell nothing */

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

guint32 pm_stuck_at_work(const PmSearch *search, const PmStillWaiting *still, guint32 *ret_thread)
{
    const PmOperations *operations = search->operations;
    const PmRecording *r = operations->recording;
    const gint64 at = search->summary->at;
    const PmOperation *operation = pm_operations_find(operations, still->rows[0]);
    if (!operation || !operation->n_ends)
        return 0;
    const gpointer enders = pm_operation_ender(r, operation->giver_thread);
    for (guint32 t = 1; t < r->n_threads; t++) {
        if (pm_operation_ender(r, t) != enders || operations->waiting[t] ||
            !pm_summary_lives(r, t, at))
            continue;
        const guint32 chain = pm_activity_nearest_sample(pm_contention_activity(search->contention),
                                                         t, FALSE, at, at, at - still->since, NULL);
        if (pm_own_frame(pm_own_code(r), chain) >= 0) {
            *ret_thread = t;
            return chain;
        }
    }
    return 0;
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
    guint32 user;
    const guint32 use = pm_operation_carriers_use(operations, operation, &user);
    if (use) {
        g_autofree char *method = pm_label_code_method(r, use);
        pm_finding_add_cause(finding, r, PM_CAUSE_WAKER, user, use);
        pm_finding_add_to_title(
            finding,
            g_strdup_printf("what they wait for may not have begun: carriers run %s", method));
        pm_evidence_add(finding, FALSE,
                        g_strdup("virtual threads ended such waits before; some were seen to run "
                                 "all the time lately, and no carrier to be idle"));
        return;
    }
    gpointer enders = pm_operation_ender(r, operation->giver_thread);
    if (pm_stuck_add_ended(search, enders, finding))
        return;
    guint32 thread = operation->giver_thread, chain = operation->giver;
    gboolean waits = FALSE;
    const guint32 work = pm_stuck_at_work(search, still, &thread);
    if (work) {
        g_autofree char *method = pm_label_place_method(r, work);
        pm_finding_add_to_title(finding,
                                g_strdup_printf("%s, which ended such waits before, is in %s",
                                                r->threads[thread].name, method));
        pm_finding_add_cause(finding, r, PM_CAUSE_WAKER, thread, work);
        pm_evidence_add(finding, FALSE,
                        g_strdup_printf("%s was seen at work meanwhile: it may take so long",
                                        r->threads[thread].name));
        return;
    }
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
    if (pm_still_is_periodic(r, operation) && pm_still_is_given_up(summary, operations, operation))
        pm_evidence_add(finding, FALSE,
                        g_strdup("its scheduler has ended, or has nothing left to run: a periodic "
                                 "task that throws is not run again"));
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
    const PmStillWaiting *end = pm_still_end_of_pool(summary, still);
    const char *where = add_task(r, finding, still, worker);
    if (end == still) {
        g_autofree char *method = pm_label_code_method(r, worker->chain);
        pm_finding_add_to_title(finding,
                                g_strdup_printf("%s runs a task of it that waits in %s",
                                                r->threads[worker->first_thread].name, method));
    }
    pm_evidence_add(finding, FALSE,
                    end ? g_strdup_printf("%s awaits the termination of a pool; %s runs a pool "
                                          "task that is still waiting, in %s",
                                          r->threads[end->first_thread].name,
                                          r->threads[worker->first_thread].name, where)
                        : g_strdup_printf("%s runs a task that has waited just as long, in "
                                          "%s: what they wait for may be queued behind it, or "
                                          "depend on it",
                                          r->threads[worker->first_thread].name, where));
    for (guint i = 0; i < summary->n_still && pm_still_may_be_several(r, still, worker); i++) {
        const PmStillWaiting *other = &summary->still[i];
        if (other->group == worker->group || finding->n_causes >= PM_STUCK_MAX ||
            pm_operation_key(r, other->rows[0]) != pm_operation_key(r, worker->rows[0]) ||
            !(pm_still_is_long_task(summary, still, other, TRUE) ||
              pm_still_is_long_task(summary, still, other, FALSE)))
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

/* FALSE: its owner lives, or that is not known. */
static gboolean add_ended_owner(const PmSummary *summary, const PmStillWaiting *still,
                                PmFinding *finding)
{
    const PmRecording *r = summary->metrics->view->recording;
    if (!pm_still_is_abandoned(still))
        return FALSE;
    const char *owner = r->threads[still->owner].name;
    pm_finding_add_to_title(finding, g_strdup_printf("%s ended without releasing it", owner));
    pm_finding_advise(finding, "release it in a finally block");
    pm_evidence_add(finding, TRUE,
                    g_strdup_printf("%s owned it still after it had ended; no other thread can "
                                    "release it",
                                    owner));
    if (!add_last_use(summary, still, finding))
        add_holder(finding, r, still);
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
    while (back >= 0 && strcmp(pm_recording_class_at(r, c, (guint)back),
                               pm_recording_class_at(r, c, (guint)at)) == 0)
        back = pm_own_next(own, r, chain, back);
    gint out = back;
    while (out >= 0 && strcmp(pm_recording_class_at(r, c, (guint)out),
                              pm_recording_class_at(r, c, (guint)at)) != 0)
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
    for (guint i = 0; i < rows->len && g_hash_table_size(told) < PM_STUCK_MAX; i++) {
        const guint32 row = g_array_index(rows, guint32, i);
        char *where = pm_label_code(r, pm_wait_chain(&r->waits, row), 1);
        if (g_hash_table_add(told, where))
            pm_evidence_add(finding, TRUE,
                            g_strdup_printf("%s waits for somebody to take what it gives in %s",
                                            r->threads[pm_wait_thread(&r->waits, row)].name,
                                            where));
    }
}

/* Who has gone further in the method in which the others wait may have got what they wait for, and
 * waits for something itself. */
static void add_further_on(const PmSummary *summary, const PmStillWaiting *still,
                           PmFinding *finding)
{
    const PmRecording *r = summary->metrics->view->recording;
    guint32 row = G_MAXUINT32, in;
    for (guint i = 0; i < summary->n_still && row == G_MAXUINT32; i++)
        row = pm_still_row_further_on(summary, still, &summary->still[i], &in);
    if (row == G_MAXUINT32)
        row = pm_still_row_that_wants_more(summary, still, &in);
    if (row == G_MAXUINT32)
        return;
    const guint32 thread = pm_wait_thread(&r->waits, row), chain = pm_wait_chain(&r->waits, row);
    const PmChain *c = &r->chains[chain];
    gint frame = pm_own_frame(pm_own_code(r), chain), next = frame;
    /* What it called there, which tells it from the others. */
    while (next >= 0 && c->frames[next].method != in) {
        frame = next;
        next = pm_own_next(pm_own_code(r), r, chain, frame);
    }
    g_autofree char *from = pm_label_method(r, in);
    g_autofree char *method = pm_label_method(r, c->frames[frame].method);
    pm_finding_add_to_title(finding, g_strdup_printf("%s, further on in %s, waits in %s",
                                                     r->threads[thread].name, from, method));
    pm_finding_add_cause_from(finding, r, PM_CAUSE_OWNER, thread, chain, frame);
    pm_evidence_add(finding, FALSE,
                    g_strdup_printf("%s has gone further than where others wait: it may have what "
                                    "they wait for",
                                    r->threads[thread].name));
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
                                  ? pm_activity_nearest_sample(activity, t, FALSE, at, at, at, NULL)
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
    if (!operation || operation->n_ends < PM_STILL_MIN_EARLIER)
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

/* The wait of the owner, if it has only been woken to take what is waited for; NULL: it has not. */
static const PmStillWaiting *wait_of_successor(const PmSummary *summary,
                                               const PmStillWaiting *still)
{
    for (guint i = 0; i < summary->n_still; i++) {
        const PmStillWaiting *other = &summary->still[i];
        if (still->owner && other->woken && other->first_thread == still->owner &&
            other->blocker == still->blocker)
            return other;
    }
    return NULL;
}

/* The lock is free, or as good as free; but its next owner does not run. Where that is a virtual
 * thread, those that wait for it may keep the carriers: then nobody goes on any more. */
static void add_successor(const PmSummary *summary, const PmStillWaiting *successor,
                          const GArray *rows, PmFinding *finding)
{
    const PmRecording *r = summary->metrics->view->recording;
    const PmThread *thread = &r->threads[successor->first_thread];
    g_autofree char *woken = pm_summary_woken_text(summary, successor);
    guint n_kept = 0;
    for (guint i = 0; i < rows->len; i++) {
        const guint32 row = g_array_index(rows, guint32, i);
        if (!pm_keeps_carrier(r, row))
            continue;
        if (n_kept++ == 0)
            pm_finding_add_cause(finding, r, PM_CAUSE_OWNER, pm_wait_thread(&r->waits, row),
                                 pm_wait_chain(&r->waits, row));
    }
    pm_evidence_add(finding, TRUE, g_strdup_printf("%s was %s", thread->name, woken));
    g_autofree char *kept =
        n_kept == 0   ? g_strdup("")
        : n_kept == 1 ? g_strdup(", while one that waits for it keeps its own")
                      : g_strdup_printf(", while %u that wait for it keep theirs", n_kept);
    pm_finding_add_to_title(
        finding, g_strdup_printf("%s, next in line for it, waits for a %s%s", thread->name,
                                 thread->is_virtual ? "carrier" : "processor", kept));
    if (n_kept) {
        pm_evidence_add(
            finding, TRUE,
            g_strdup_printf("carriers that are kept by threads that wait for it: %u", n_kept));
        finding->advice = g_strdup("do not wait in synchronized code or below a native frame; give "
                                   "the scheduler of virtual threads more carriers meanwhile "
                                   "(-Djdk.virtualThreadScheduler.parallelism)");
    } else {
        pm_finding_add_cause(finding, r, PM_CAUSE_WAKER, successor->first_thread, successor->chain);
    }
}

/* Does the sample show code of the program's own at work, other than main asleep, while `still`
 * lasts?
 */
static gboolean shows_work(const PmSearch *search, const PmStillWaiting *still,
                           const PmOwnerSample *sample)
{
    const PmRecording *r = search->operations->recording;
    return sample->role == PM_SAMPLE_ENDER && sample->at >= still->since &&
           sample->at <= search->summary->at && !search->operations->waiting[sample->owner] &&
           pm_summary_lives(r, sample->owner, search->summary->at) &&
           pm_own_frame(pm_own_code(r), sample->chain) >= 0 &&
           !(pm_label_is_main(&r->threads[sample->owner]) &&
             pm_label_is_within(r, sample->chain, 3, "java.lang.Thread", "sleep"));
}

/* Nothing tells who could end it. The few who were seen at work meanwhile are worth a look. */
static void add_others_at_work(const PmSearch *search, const PmStillWaiting *still,
                               PmFinding *finding)
{
    const PmRecording *r = search->operations->recording;
    g_autoptr(GHashTable) places = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint32 i = 0; i < r->n_samples; i++) {
        const PmOwnerSample *sample = &r->samples[i];
        if (!shows_work(search, still, sample))
            continue;
        char *where = pm_label_code(r, sample->chain, 2);
        if (!g_hash_table_add(places, where))
            continue;
        if (g_hash_table_size(places) > MAX_OTHERS)
            return;
        g_string_append_printf(text, "%s%s in %s", text->len ? ", " : "",
                               r->threads[sample->owner].name, where);
    }
    if (text->len)
        pm_evidence_add(finding, FALSE, g_strdup_printf("at work meanwhile: %s", text->str));
}

/* Others of the program that wait as well, not for work: one of them may be who should end it. */
static void add_others_waiting(const PmSearch *search, const PmStillWaiting *still,
                               PmFinding *finding)
{
    const PmSummary *summary = search->summary;
    const PmRecording *r = search->operations->recording;
    g_autoptr(GString) text = g_string_new(NULL);
    guint n = 0;
    for (guint i = 0; i < summary->n_still; i++) {
        const PmStillWaiting *other = &summary->still[i];
        if (other->group == still->group || other->blocker == still->blocker || other->timed ||
            pm_label_is_main(&r->threads[other->first_thread]) ||
            pm_own_frame(pm_own_code(r), other->chain) < 0 ||
            pm_summary_wants_work(r, other->category, other->chain))
            continue;
        if (++n > MAX_OTHERS)
            return;
        g_autofree char *who = pm_summary_group_text(r, other->group, other->n_threads);
        g_autofree char *what =
            pm_label_class(r->classes[r->blockers[other->blocker].class_index].name);
        g_autofree char *where = pm_label_code(r, other->chain, 2);
        g_string_append_printf(text, "%s%s for %s in %s", text->len ? ", " : "", who, what, where);
    }
    if (text->len)
        pm_evidence_add(finding, TRUE, g_strdup_printf("waiting as well: %s", text->str));
}

void pm_stuck_explain(const PmSearch *search, const PmStillWaiting *still, const GArray *rows,
                      PmFinding *finding)
{
    const PmOperations *operations = search->operations;
    const PmRecording *r = operations->recording;
    const PmStillWaiting *successor = wait_of_successor(search->summary, still);
    if (successor) {
        add_successor(search->summary, successor, rows, finding);
        return;
    }
    if (add_ended_owner(search->summary, still, finding))
        return;
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
    const PmStillWaiting *other = pm_still_other_side(search->summary, operations, still);
    if (other) {
        g_autofree char *where = pm_label_code(r, other->chain, 2);
        pm_finding_add_cause(finding, r, PM_CAUSE_WAKER, other->first_thread, other->chain);
        pm_evidence_add(finding, FALSE,
                        g_strdup_printf("%s waits at the same lock in %s: one of the two should be "
                                        "able to proceed, unless both wait for another thread",
                                        r->groups[other->group].shown, where));
    }
    guint32 method;
    const gboolean more =
        pm_still_row_that_wants_more(search->summary, still, &method) != G_MAXUINT32;
    const PmStillWaiting *last = pm_still_awaits_end_of_pool(r, still)
                                     ? pm_still_waiting_worker(search->summary, operations, still)
                                     : NULL;
    if (!last && !still->owner && !pm_keeper_tell(search, finding) &&
        !pm_stuck_add_nested(r, finding, (const guint32 *)(const void *)rows->data, rows->len,
                             FALSE) &&
        !other && !more)
        add_expected(search, still, finding);
    if (!finding->n_causes)
        add_called_back(search->summary, still, finding);
    if (!finding->n_causes)
        add_givers_of_owner(search, still, finding);
    if (!still->owner && !finding->n_causes)
        add_further_on(search->summary, still, finding);
    const PmStillWaiting *worker =
        finding->n_causes ? NULL : pm_still_waiting_worker(search->summary, operations, still);
    if (worker)
        add_worker(search->summary, still, worker, finding);
    if (!finding->n_causes && !still->owner)
        add_other_call(r, rows, finding);
    if (!finding->n_causes && !add_last_use(search->summary, still, finding)) {
        add_holder(finding, r, still);
        if (!still->owner) {
            add_others_waiting(search, still, finding);
            add_others_at_work(search, still, finding);
        }
    }
    if (pm_still_waits_for_taker(r, still))
        add_givers(finding, r, rows);
}
