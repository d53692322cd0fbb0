#include "viewer/analysis/stuck/still-waiting.h"

#include <string.h>

#include "viewer/analysis/code/own-code.h"
#include "viewer/analysis/recording/label.h"

/* Of threads that wait alike so many are compared. */
#define MAX_LIKE 64
/* When a wait for a result is broken off, see below. */
#define BROKEN_OFF_NS     G_GINT64_CONSTANT(10000000000)
#define BROKEN_OFF_LONGER 100
#define BROKEN_OFF_ENDS   20
/* Who asks for something begins to wait for it so soon. */
#define ASKED_NS 1000000

gboolean pm_still_is_periodic(const PmRecording *r, const PmOperation *operation)
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

gboolean pm_still_is_given_up(const PmSummary *summary, const PmOperations *operations,
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
        if (!waiting || summary->at - pm_wait_begin(w, waiting - 1) < PM_STILL_OVERDUE_NS ||
            (pm_category_is_idle(pm_wait_category(w, waiting - 1)) &&
             !(pm_still_is_periodic(r, operation) && has_no_schedule(r, waiting - 1))))
            return FALSE;
        any = TRUE;
    }
    return any || pm_still_is_periodic(r, operation);
}

gboolean pm_still_is_abandoned(const PmStillWaiting *still)
{
    return still->owner && still->owner_state == PM_OWNER_ENDED && !still->timed;
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

/* Did the thread set one of its givers going as it began to wait, one that waited for work? */
static gboolean has_asked(const PmOperations *operations, const PmOperation *operation, guint32 row)
{
    const PmRecording *r = operations->recording;
    const PmWaits *w = &r->waits;
    const PmActivity *activity = pm_contention_activity(operations->contention);
    const guint32 group = r->threads[operation->giver_thread].group;
    const gint64 begin = pm_wait_begin(w, row);
    for (guint32 t = 1, n = 0; t < r->n_threads && n < MAX_LIKE; t++) {
        if (r->threads[t].group != group)
            continue;
        n++;
        const guint32 nth = pm_activity_first_wait(activity, t, begin - ASKED_NS);
        if (nth >= pm_activity_n_waits(activity, t))
            continue;
        const guint32 its = pm_activity_wait(activity, t, nth);
        if (pm_wait_waker(w, its) == pm_wait_thread(w, row) &&
            ABS(pm_wait_wake(w, its) - begin) <= ASKED_NS &&
            (pm_category_is_idle(pm_wait_category(w, its)) ||
             pm_summary_wants_work(r, pm_wait_category(w, its), pm_wait_chain(w, its))))
            return TRUE;
    }
    return FALSE;
}

/* Does the program end such waits, for a result each that the thread asks for, and has often done
 * so, in a hundredth of the time at most? Then the thread does not rest, even if it is the only one
 * of its kind. */
static gboolean is_broken_off(const PmSummary *summary, const PmOperations *operations,
                              const PmOperation *operation, guint32 row)
{
    const gint64 age = summary->at - pm_wait_begin(&operations->recording->waits, row);
    return operation->one_shot && operation->n_ends >= BROKEN_OFF_ENDS && age >= BROKEN_OFF_NS &&
           age / BROKEN_OFF_LONGER >= operation->longest && has_asked(operations, operation, row);
}

gboolean pm_still_is_overdue(const PmSummary *summary, const PmOperations *operations,
                             const PmStillWaiting *still)
{
    gint64 age = summary->at - still->since;
    const PmOperation *operation = pm_operations_find(operations, still->rows[0]);
    if (still->timed || age < PM_STILL_OVERDUE_NS || !operation ||
        !pm_operation_is_overdue(operation, age))
        return FALSE;
    const gboolean broken_off = is_broken_off(summary, operations, operation, still->rows[0]);
    if (!broken_off && pm_summary_is_at_rest(summary, still->rows[0]))
        return FALSE;
    switch (family_of(operations, operation, still)) {
    case PM_FAMILY_LOCK:
        return operation->n_earlier >= PM_STILL_MIN_EARLIER || still->n_threads > 1;
    case PM_FAMILY_RESOURCE:
        return operation->n_earlier >= PM_STILL_MIN_EARLIER;
    case PM_FAMILY_JOIN:
        return operation->n_earlier >= PM_STILL_MIN_EARLIER &&
               (operation->rows->len > 1 || broken_off ||
                pm_still_is_given_up(summary, operations, operation));
    default:
        return operation->n_earlier >= PM_STILL_MIN_EARLIER &&
               pm_still_is_periodic(operations->recording, operation) &&
               !pm_operations_want_work(operations, still->rows[0]) &&
               pm_still_is_given_up(summary, operations, operation);
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

/* The outermost method of the class that waits: "Shelf.put" of Shelf.await, called by Shelf.put,
 * called by the code of others. */
static guint32 entry_of(const PmRecording *r, guint32 chain)
{
    const PmChain *c = &r->chains[chain];
    guint at = c->site;
    if (at >= c->n_frames)
        return 0;
    const char *of_class = pm_recording_class_at(r, c, at);
    while (at + 1 < c->n_frames && strcmp(pm_recording_class_at(r, c, at + 1), of_class) == 0)
        at++;
    return c->frames[at].method;
}

const PmStillWaiting *pm_still_other_side(const PmSummary *summary, const PmOperations *operations,
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

gboolean pm_still_waits_for_taker(const PmRecording *r, const PmStillWaiting *still)
{
    return still->category != PM_CATEGORY_FUTURE && pm_summary_hands_over(r, still->chain) &&
           (still->category != PM_CATEGORY_QUEUE || pm_label_waits_for_room(r, still->chain));
}

gboolean pm_still_awaits_end_of_pool(const PmRecording *r, const PmStillWaiting *still)
{
    return pm_label_is_within(r, still->chain, G_MAXUINT, "java.util.concurrent.*",
                              "awaitTermination");
}

const PmStillWaiting *pm_still_end_of_pool(const PmSummary *summary, const PmStillWaiting *still)
{
    const PmRecording *r = summary->metrics->view->recording;
    if (pm_category_family(still->category) != PM_FAMILY_JOIN)
        return NULL;
    for (guint i = 0; i < summary->n_still; i++) {
        const PmStillWaiting *other = &summary->still[i];
        if (other->since <= still->since + PM_STILL_AT_ONCE_NS &&
            pm_still_awaits_end_of_pool(r, other))
            return other;
    }
    return NULL;
}

gboolean pm_still_is_long_task(const PmSummary *summary, const PmStillWaiting *still,
                               const PmStillWaiting *other, gboolean of_executor)
{
    const PmRecording *r = summary->metrics->view->recording;
    return other->group != still->group && summary->at - other->since >= PM_STILL_OVERDUE_NS &&
           (of_executor ? pm_label_is_in_task(r, other->chain)
                        : pm_own_is_called_back(pm_own_code(r), r, other->chain));
}

gboolean pm_still_may_be_several(const PmRecording *r, const PmStillWaiting *still,
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
        if (!pm_still_is_long_task(summary, still, other, of_executor))
            continue;
        if (task && task->group != other->group &&
            (!pm_still_may_be_several(r, still, task) ||
             pm_operation_key(r, task->rows[0]) != pm_operation_key(r, other->rows[0])))
            return NULL;
        task = task ? task : other;
    }
    return task;
}

const PmStillWaiting *pm_still_waiting_worker(const PmSummary *summary,
                                              const PmOperations *operations,
                                              const PmStillWaiting *still)
{
    const PmOperation *operation = pm_operations_find(operations, still->rows[0]);
    const gboolean result =
        still->category == PM_CATEGORY_FUTURE || still->category == PM_CATEGORY_LATCH;
    const gboolean awaits_end =
        pm_still_awaits_end_of_pool(summary->metrics->view->recording, still);
    if ((!result && !pm_still_end_of_pool(summary, still)) ||
        (operation && operation->n_ends && !awaits_end)) /* of one pool others ended before */
        return NULL;
    const PmStillWaiting *task = only_task(summary, still, TRUE);
    return task || !result ? task : only_task(summary, still, FALSE);
}

gboolean pm_still_waits_for_end(const PmSummary *summary, const PmOperations *operations,
                                const PmStillWaiting *still)
{
    return !still->timed && summary->at - still->since >= PM_STILL_OVERDUE_NS &&
           pm_still_end_of_pool(summary, still) && only_task(summary, still, TRUE) &&
           pm_still_waiting_worker(summary, operations, still);
}

static gboolean in_one_method(const PmRecording *r, guint32 chain, gint frame, guint32 other,
                              gint other_frame)
{
    return frame >= 0 && other_frame >= 0 &&
           r->chains[chain].frames[frame].method == r->chains[other].frames[other_frame].method;
}

/* The method in which the thread that waits in `chain` has gone further than another one, which
 * waits there, in `behind`, or in what that calls where the first waits, too; 0: there is none. */
static guint32 further_on_in(const PmRecording *r, guint32 behind, guint32 chain)
{
    const PmOwnCode *own = pm_own_code(r);
    gint at = pm_own_frame(own, behind);
    gint frame = pm_own_frame(own, chain);
    while (in_one_method(r, behind, at, chain, frame)) {
        at = pm_own_next(own, r, behind, at);
        frame = pm_own_next(own, r, chain, frame);
    }
    while (at >= 0 && frame >= 0 && (frame = pm_own_next(own, r, chain, frame)) >= 0) {
        const PmFrame *its = &r->chains[chain].frames[frame];
        const PmFrame *wants = &r->chains[behind].frames[at];
        if (its->method == wants->method)
            return its->line > wants->line ? its->method : 0;
    }
    return 0;
}

/* A row of `other` that has gone further than `still`, in `ret_method`. */
static guint32 row_past(const PmRecording *r, guint32 behind, const PmStillWaiting *other,
                        guint32 *ret_method)
{
    for (guint i = 0; i < MIN(other->n_threads, MAX_LIKE); i++)
        if ((*ret_method = further_on_in(r, behind, pm_wait_chain(&r->waits, other->rows[i]))))
            return other->rows[i];
    return G_MAXUINT32;
}

guint32 pm_still_row_further_on(const PmSummary *summary, const PmStillWaiting *still,
                                const PmStillWaiting *other, guint32 *ret_method)
{
    return still->group != other->group || summary->at - other->since < PM_STILL_OVERDUE_NS
               ? G_MAXUINT32
               : row_past(summary->metrics->view->recording, still->chain, other, ret_method);
}

/* Of what the program lends by signals of its own: a row of `still` that waits for that once more,
 * while one of `behind` waits for it where the other had got it. */
static guint32 row_past_its_like(const PmSummary *summary, const PmStillWaiting *behind,
                                 const PmStillWaiting *still, guint32 *ret_method)
{
    const PmRecording *r = summary->metrics->view->recording;
    const gboolean same = behind->blocker == still->blocker && behind->kind == still->kind;
    guint32 row = G_MAXUINT32;
    for (guint k = 0; same && k < MIN(behind->n_threads, MAX_LIKE) && row == G_MAXUINT32; k++)
        row = row_past(r, pm_wait_chain(&r->waits, behind->rows[k]), still, ret_method);
    return row;
}

guint32 pm_still_row_that_wants_more(const PmSummary *summary, const PmStillWaiting *still,
                                     guint32 *ret_method)
{
    const gboolean lent = pm_category_family(still->category) == PM_FAMILY_RESOURCE;
    guint32 row = G_MAXUINT32;
    if (still->timed || !(lent || still->long_signal) ||
        summary->at - still->since < PM_STILL_OVERDUE_NS)
        return row;
    for (guint i = 0; i < summary->n_still && row == G_MAXUINT32; i++) {
        const PmStillWaiting *behind = &summary->still[i];
        if (summary->at - behind->since >= PM_STILL_OVERDUE_NS)
            row = lent ? pm_still_row_further_on(summary, behind, still, ret_method)
                       : row_past_its_like(summary, behind, still, ret_method);
    }
    return row;
}

gboolean pm_still_counts_work(const PmSearch *search, const PmStillWaiting *still)
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

gboolean pm_still_is_handed_on(const PmSummary *summary, const PmStillWaiting *still)
{
    return (pm_category_family(still->category) == PM_FAMILY_LOCK ||
            still->category == PM_CATEGORY_SEMAPHORE || still->category == PM_CATEGORY_TRANSFER) &&
           still->handed_on > still->since && summary->at - still->handed_on < PM_STILL_OVERDUE_NS;
}
