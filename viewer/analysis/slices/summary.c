#include "viewer/analysis/slices/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/analysis/code/own-code.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/analysis/recording/recording-private.h"
#include "viewer/analysis/base/cancel.h"
#include "viewer/analysis/base/sort.h"
#include "viewer/analysis/base/search.h"
#include "viewer/analysis/base/sum.h"

#define SECOND   G_GINT64_CONSTANT(1000000000)
#define STUCK_NS (10 * SECOND)
/* Handoffs make circles that are gone at once; those with a timeout may undo themselves. */
#define CYCLE_NS (SECOND / 10)
/* The census is taken once a second, on a busy machine later. */
#define GOING_ON_NS (3 * SECOND)

/* ---- what waits at the instant ---- */

static gboolean waits_at(const PmRecording *r, guint32 row, gint64 at)
{
    const PmWaits *w = &r->waits;
    return pm_wait_begin(w, row) <= at &&
           (pm_wait_end(w, row) > at ||
            ((pm_wait_flags(w, row) & PM_WAIT_IN_PROGRESS) != 0 && pm_wait_end(w, row) >= at));
}

/* The rows of all threads that wait at `at`, by thread (0 = none): whatever the filter says, since
 * a circle may leave it. */
static guint32 *rows_at(const PmRecording *r, gint64 at)
{
    const PmRecordingPrivate *p = pm_recording_private(r);
    const PmWaits *w = &r->waits;
    guint32 *of_thread = g_new(guint32, r->n_threads);
    for (guint32 t = 0; t < r->n_threads; t++)
        of_thread[t] = G_MAXUINT32;
    for (gsize block = 0; pm_recording_block_begin(r, block) < w->n; block++) {
        const gsize first = pm_recording_block_begin(r, block);
        if (p->block_end[block] < at)
            continue; /* without a look at its rows, which may lie in the file */
        if (pm_wait_begin(w, first) > at)
            break;
        gsize end = MIN(pm_recording_block_end(r, block), w->n);
        for (gsize i = first; i < end; i++)
            if (waits_at(r, (guint32)i, at))
                of_thread[pm_wait_thread(w, i)] = (guint32)i;
    }
    return of_thread;
}

/* The last word on who owns a contended blocker: a sample, the waiter that acquired it last, or the
 * owner that a later waiter met. */
typedef struct {
    gint64 at, handed_on;
    guint32 owner, chain;
    guint8 state;
} LastOwner;

static void take_owner(LastOwner *last, gint64 at, guint32 owner)
{
    if (owner != 0 && at >= last->at) {
        last->at = at;
        if (last->owner != owner) { /* of the same one what was seen last still says most */
            last->chain = 0;
            last->state = PM_OWNER_UNKNOWN;
        }
        last->owner = owner;
    }
}

/* A monitor has an owner even when it could not be read as the wait began. That of an Object.wait
 * is the thread whose end is waited for. */
static gboolean may_have_owner(const PmWaits *w, guint32 row)
{
    return pm_wait_kind(w, row) == PM_KIND_ENTER || pm_wait_owner(w, row) != 0;
}

/* Nobody owns it, but those that wait get it one by one: a permit, or somebody to hand over to. */
static gboolean is_lent(const PmWaits *w, gsize row)
{
    return pm_wait_category(w, row) == PM_CATEGORY_SEMAPHORE ||
           pm_wait_category(w, row) == PM_CATEGORY_TRANSFER;
}

/* Did who waited get it? Not, if it gave up; of a lock or a permit, a woken waiter that wakes the
 * next one says nothing. */
static gboolean is_handed_on(const PmWaits *w, gsize row)
{
    return pm_wait_category(w, row) == PM_CATEGORY_TRANSFER
               ? pm_wait_waker(w, row) && pm_wait_wake_cause(w, row) == PM_WAKE_SIGNAL
               : pm_wait_wake_cause(w, row) == PM_WAKE_RELEASE;
}

/* Per blocker that somebody waits for at `at`; a hash table from blocker to LastOwner. */
static GHashTable *owners_at(const PmRecording *r, const guint32 *of_thread, gint64 at)
{
    const PmWaits *w = &r->waits;
    GHashTable *owners = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    g_autofree guint8 *asked = g_new0(guint8, r->n_blockers);
    gint64 since = at;
    gboolean any = FALSE;

    for (guint32 t = 1; t < r->n_threads; t++) {
        guint32 row = of_thread[t];
        if (row == G_MAXUINT32 || !(may_have_owner(w, row) || is_lent(w, row)))
            continue;
        asked[pm_wait_blocker(w, row)] = 1;
        since = MIN(since, pm_wait_begin(w, row));
        any = TRUE;
        gpointer key = GUINT_TO_POINTER(pm_wait_blocker(w, row));
        LastOwner *last = g_hash_table_lookup(owners, key);
        if (!last) {
            last = g_new0(LastOwner, 1);
            last->at = last->handed_on = G_MININT64;
            g_hash_table_insert(owners, key, last);
        }
        take_owner(last, pm_wait_begin(w, row), pm_wait_owner(w, row));
    }
    if (!any)
        return owners;

    const PmRecordingPrivate *p = pm_recording_private(r);
    for (gsize block = 0; pm_recording_block_begin(r, block) < w->n; block++) {
        const gsize first = pm_recording_block_begin(r, block);
        if (p->block_end[block] < since)
            continue;
        if (pm_wait_begin(w, first) > at)
            break;
        gsize end = MIN(pm_recording_block_end(r, block), w->n);
        for (gsize i = first; i < end && pm_wait_begin(w, i) <= at; i++) {
            if (!asked[pm_wait_blocker(w, i)] || pm_wait_kind(w, i) == PM_KIND_WAIT)
                continue;
            LastOwner *last = g_hash_table_lookup(owners, GUINT_TO_POINTER(pm_wait_blocker(w, i)));
            take_owner(last, pm_wait_begin(w, i), pm_wait_owner(w, i));
            if (of_thread[pm_wait_thread(w, i)] == (guint32)i &&
                pm_wait_woken_at(w, (guint32)i, at) && !is_lent(w, i) &&
                pm_wait_wake_cause(w, i) == PM_WAKE_RELEASE) /* it is the next that may take it */
                take_owner(last, pm_wait_wake(w, i), pm_wait_thread(w, i));
            if (pm_wait_end(w, i) > at ||
                (pm_wait_flags(w, i) & (PM_WAIT_IN_PROGRESS | PM_WAIT_CUT)) != 0)
                continue;
            /* It went on: unless it gave up or was woken to find the lock taken again, it had it.
             */
            if (is_handed_on(w, i) && of_thread[pm_wait_thread(w, i)] != (guint32)i) {
                last->handed_on = MAX(last->handed_on, pm_wait_end(w, i));
                guint32 now_row = of_thread[pm_wait_thread(w, i)];
                gboolean waits_again =
                    now_row != G_MAXUINT32 && pm_wait_blocker(w, now_row) == pm_wait_blocker(w, i);
                if (!waits_again && !is_lent(w, i))
                    take_owner(last, pm_wait_end(w, i), pm_wait_thread(w, i));
            }
        }
    }
    for (guint32 i = 0; i < r->n_samples && r->samples[i].at <= at; i++) {
        const PmOwnerSample *sample = &r->samples[i];
        LastOwner *last = g_hash_table_lookup(owners, GUINT_TO_POINTER(sample->blocker));
        if (!last || sample->owner == 0 || sample->role != PM_SAMPLE_OWNER)
            continue;
        take_owner(last, sample->at, sample->owner);
        if (last->owner == sample->owner && (sample->chain || sample->state == PM_OWNER_ENDED)) {
            last->chain = sample->chain;
            last->state = sample->state;
        }
    }
    return owners;
}

/* ---- deadlocks ---- */

/* Threads whose waits point to each other in a circle. `next[t]`: the thread that owns what t waits
 * for, 0 = none. Each circle is found once: from its least thread. */
static void find_deadlocks(PmSummary *s, const guint32 *of_thread, const guint32 *next,
                           gint *cycle_of)
{
    const PmRecording *r = s->metrics->view->recording;
    const PmWaits *w = &r->waits;
    g_autofree guint32 *seen = g_new0(guint32, r->n_threads);
    g_autoptr(GArray) found = g_array_new(FALSE, TRUE, sizeof(PmDeadlock));

    for (guint32 t = 0; t < r->n_threads; t++)
        cycle_of[t] = -1;
    for (guint32 t = 1; t < r->n_threads; t++) {
        guint32 at = t;
        while (at != 0 && seen[at] == 0) {
            seen[at] = t;
            at = next[at];
        }
        if (at == 0 || seen[at] != t)
            continue; /* it ended, or met an older walk */
        guint n = 0;
        gboolean old = TRUE;
        guint32 least = at, walk = at;
        do {
            n++;
            least = MIN(least, walk);
            const guint32 row = of_thread[walk];
            const gboolean timed = (pm_wait_flags(w, row) & PM_WAIT_TIMED) != 0;
            old = old && s->at - pm_wait_begin(w, row) >= (timed ? STUCK_NS : CYCLE_NS);
            walk = next[walk];
        } while (walk != at);
        if (!old)
            continue;
        guint32 *rows = g_new(guint32, n);
        PmDeadlock deadlock = {.n_threads = n, .rows = rows, .since = G_MININT64};
        walk = least;
        for (guint i = 0; i < n; i++, walk = next[walk]) {
            rows[i] = of_thread[walk];
            if (pm_wait_begin(w, rows[i]) > deadlock.since)
                deadlock.since_before = (pm_wait_flags(w, rows[i]) & PM_WAIT_BEGIN_UNKNOWN) != 0;
            deadlock.since = MAX(deadlock.since, pm_wait_begin(w, rows[i]));
            cycle_of[walk] = (gint)found->len;
        }
        g_array_append_val(found, deadlock);
    }

    /* Who waits behind: follow each waiter until it meets a circle. */
    for (guint32 t = 1; t < r->n_threads && found->len > 0; t++) {
        if (of_thread[t] == G_MAXUINT32 || cycle_of[t] >= 0)
            continue;
        guint32 at = next[t];
        for (guint steps = 0; at != 0 && cycle_of[at] < 0 && steps < r->n_threads; steps++)
            at = next[at];
        if (at != 0 && cycle_of[at] >= 0) {
            g_array_index(found, PmDeadlock, (guint)cycle_of[at]).n_behind++;
            cycle_of[t] = PM_BEHIND_CYCLE;
        }
    }
    s->n_deadlocks = found->len;
    s->deadlocks = (PmDeadlock *)g_array_free(g_steal_pointer(&found), FALSE);
}

static gboolean waits_for_end(const PmRecording *r, guint32 row)
{
    return pm_wait_kind(&r->waits, row) == PM_KIND_WAIT && pm_wait_owner(&r->waits, row);
}

char *pm_deadlock_wanted(const PmRecording *r, const PmDeadlock *deadlock, guint i)
{
    const guint32 row = deadlock->rows[i];
    return waits_for_end(r, row)
               ? g_strdup_printf("the end of %s", r->threads[pm_wait_owner(&r->waits, row)].name)
               : pm_label_blocker_field(r, pm_wait_blocker(&r->waits, row));
}

char *pm_deadlock_held(const PmRecording *r, const PmDeadlock *deadlock, guint i)
{
    /* Around the circle: what a thread holds is what the one before it waits for. */
    const guint before = (i + deadlock->n_threads - 1) % deadlock->n_threads;
    return waits_for_end(r, deadlock->rows[before]) ? NULL
                                                    : pm_deadlock_wanted(r, deadlock, before);
}

/* ---- still waiting ---- */

typedef struct {
    PmStillWaiting row;
    GArray *rows;
} StillRow;

static int compare_still(const void *a, const void *b)
{
    const PmStillWaiting *x = a, *y = b;
    if (x->since != y->since)
        return x->since < y->since ? -1 : 1;
    return (x->first_thread > y->first_thread) - (x->first_thread < y->first_thread);
}

static guint hash_still(gconstpointer p)
{
    const PmStillWaiting *x = p;
    return x->blocker * 31 + x->group * 17 + x->kind * 7 + (guint)x->cycle + x->chain * 131;
}

/* `chain` stands for the site here; threads of a circle stay alone. */
static gboolean same_still(gconstpointer a, gconstpointer b)
{
    const PmStillWaiting *x = a, *y = b;
    return x->blocker == y->blocker && x->group == y->group && x->kind == y->kind &&
           x->cycle == y->cycle && x->chain == y->chain && !x->woken == !y->woken &&
           (x->cycle < 0 || x->first_thread == y->first_thread);
}

/* A worker is a thread of a pool: one of its group has been seen idle. Found out once, and kept
 * with the recording. */
static const guint8 *groups_of_pools(const PmRecording *r)
{
    const PmWaits *w = &r->waits;
    PmRecordingPrivate *p = pm_recording_private(r);
    guint8 *pools = g_atomic_pointer_get(&p->pools);
    if (pools)
        return pools;
    enum { AT_ONCE = 512 };
    gint64 categories[AT_ONCE], threads[AT_ONCE];
    pools = g_new0(guint8, r->n_groups);
    for (gsize i = 0, n; i < w->n; i += n) {
        n = MIN(w->n - i, AT_ONCE);
        pm_wait_columns(w, PM_WAIT_COLUMN_CATEGORY, i, n, categories);
        pm_wait_columns(w, PM_WAIT_COLUMN_THREAD, i, n, threads);
        for (gsize k = 0; k < n; k++)
            if (categories[k] == PM_CATEGORY_POOL_IDLE)
                pools[r->threads[threads[k]].group] = 1;
    }
    if (g_atomic_pointer_compare_and_exchange(&p->pools, NULL, pools))
        return pools;
    g_free(pools); /* another thread was first */
    return g_atomic_pointer_get(&p->pools);
}

/* Whose tasks have results that others wait for, in the order of PmSummary.n_tasks. */
static const struct {
    const char *class_name, *tasks, *run;
} result_kinds[2] = {{"java.util.concurrent.FutureTask", "java.util.concurrent.FutureTask", "run"},
                     {"java.util.concurrent.CompletableFuture",
                      "java.util.concurrent.CompletableFuture$Async*", "run"}};

/* Which kind of result the wait is for; -1: none of a task. */
static gint result_kind(const PmRecording *r, guint32 row)
{
    static const char *const methods[] = {"get", "join"};
    const guint32 chain = pm_wait_chain(&r->waits, row);
    if (pm_wait_category(&r->waits, row) != PM_CATEGORY_FUTURE ||
        pm_wait_kind(&r->waits, row) != PM_KIND_PARK)
        return -1;
    if (pm_label_is_within(r, chain, G_MAXUINT, "java.util.concurrent.ExecutorCompletionService",
                           "take"))
        return 0;
    for (guint i = 0; i < G_N_ELEMENTS(result_kinds) * 2; i++)
        if (pm_label_is_within(r, chain, G_MAXUINT, result_kinds[i / 2].class_name, methods[i % 2]))
            return (gint)i / 2;
    return -1;
}

#define GOES_ON 0x80 /* the lowest bits: in a task of that kind */
#define MAY_RUN 0x40 /* waits in a FutureTask, or until one is due */

static guint8 tasks_of(const PmRecording *r, guint32 chain)
{
    guint8 tasks = 0;
    for (guint i = 0; i < G_N_ELEMENTS(result_kinds); i++)
        if (pm_label_is_within(r, chain, G_MAXUINT, result_kinds[i].tasks, result_kinds[i].run))
            tasks |= (guint8)(1 << i);
    return tasks;
}

/* Who went on shortly before the end: one of its waits ended, or it used a processor; and in what
 * tasks, as far as its last waits and samples tell. */
static void note_going(PmSummary *s)
{
    enum { UNKNOWN = 0xff };
    const PmRecording *r = s->metrics->view->recording;
    const gint64 since = s->at - GOING_ON_NS;
    g_autofree guint8 *tasks = g_malloc(r->n_chains); /* by chain */
    memset(tasks, UNKNOWN, r->n_chains);
    s->going = g_new0(guint8, MAX(r->n_threads, 1));
    for (guint i = r->n_census; i-- > 0 && r->census[i].at > since;)
        if (r->census[i].at <= s->at)
            s->going[r->census[i].thread] |= GOES_ON;
    gsize low = pm_waits_before(&r->waits, pm_sum(s->at, 1));
    while (low-- > 0 && pm_wait_begin(&r->waits, low) > since) {
        const guint32 chain = pm_wait_chain(&r->waits, low);
        if (tasks[chain] == UNKNOWN)
            tasks[chain] = tasks_of(r, chain);
        s->going[pm_wait_thread(&r->waits, low)] |= GOES_ON | tasks[chain];
    }
    for (guint i = 0; i < r->n_samples; i++)
        if (r->samples[i].at <= s->at && s->going[r->samples[i].owner] & GOES_ON)
            s->going[r->samples[i].owner] |= tasks_of(r, r->samples[i].chain);
}

static gboolean may_run_tasks(const PmRecording *r, guint32 chain)
{
    static const char queue[] = "java.util.concurrent.ScheduledThreadPoolExecutor$DelayedWorkQueue";
    return tasks_of(r, chain) & 1 || pm_label_is_within(r, chain, G_MAXUINT, queue, "take") ||
           pm_label_is_within(r, chain, G_MAXUINT, queue, "poll");
}

/* How many may still end what others wait for: those that go on, and wait for no others. */
static void count_going(PmSummary *s, const guint32 *of_thread)
{
    const PmRecording *r = s->metrics->view->recording;
    const PmWaits *w = &r->waits;
    for (guint32 t = 1; t < r->n_threads; t++) {
        const guint32 row = of_thread[t];
        const gint kind = row == G_MAXUINT32 ? -1 : result_kind(r, row);
        if (row != G_MAXUINT32 && may_run_tasks(r, pm_wait_chain(w, row)))
            s->going[t] |= MAY_RUN;
        if (kind >= 0 && !(pm_wait_flags(w, row) & PM_WAIT_TIMED))
            s->n_results[kind]++;
        if (!(s->going[t] & GOES_ON) || !pm_summary_lives(r, t, s->at) ||
            (row != G_MAXUINT32 && !(pm_wait_flags(w, row) & PM_WAIT_TIMED) &&
             pm_category_family(pm_wait_category(w, row)) == PM_FAMILY_JOIN))
            continue;
        s->n_going++;
        for (guint i = 0; i < G_N_ELEMENTS(result_kinds); i++)
            s->n_tasks[i] += s->going[t] >> i & 1;
    }
}

/* Does it wait for what threads should end that go on with their work: one that it joins; as many
 * as a latch still waits for; or tasks, at least as many as results are waited for? Where it is not
 * known which they are, it began to wait when it had begun to live. */
static gboolean supervises(const PmSummary *s, guint32 row)
{
    const PmRecording *r = s->metrics->view->recording;
    const PmWaits *w = &r->waits;
    const guint32 joined = pm_wait_owner(w, row);
    const gboolean begin_known = !(pm_wait_flags(w, row) & PM_WAIT_BEGIN_UNKNOWN);
    if (pm_wait_category(w, row) == PM_CATEGORY_LATCH)
        return begin_known && pm_wait_aqs_state(w, row) > 0 &&
               s->n_going >= (guint)pm_wait_aqs_state(w, row);
    if (pm_wait_category(w, row) != PM_CATEGORY_FUTURE)
        return FALSE;
    if (pm_wait_kind(w, row) == PM_KIND_WAIT &&
        pm_label_is_within(r, pm_wait_chain(w, row), G_MAXUINT, "java.lang.Thread", "join"))
        return joined ? pm_summary_lives(r, joined, s->at) && s->going[joined] & GOES_ON
                      : begin_known;
    const gint kind = result_kind(r, row);
    return begin_known && kind >= 0 && s->n_tasks[kind] > 0 &&
           s->n_tasks[kind] >= s->n_results[kind];
}

/* In floating point: a damaged or crafted file may claim times whose multiples overflow. */
static gboolean fills(gint64 time, gint64 life, double share)
{
    return (double)time >= share * (double)life;
}

/* Is the wait all that the program lets the thread do there: does its outermost method wait, and no
 * task that it was given? */
static gboolean is_at_base(const PmRecording *r, guint32 chain)
{
    const PmOwnCode *own = pm_own_code(r);
    const gint frame = pm_own_frame(own, chain);
    return frame >= 0 && pm_own_next(own, r, chain, frame) < 0 && !pm_label_is_in_task(r, chain);
}

/* Is it the wait of one of several threads for a latch that is opened at once, as at the program's
 * end, or for a signal? One that began before the recording is known to rest only if the thread
 * does nothing else. */
static gboolean waits_for_opening(const PmRecording *r, guint32 row)
{
    const PmWaits *w = &r->waits;
    const gboolean latch =
        pm_wait_category(w, row) == PM_CATEGORY_LATCH && pm_wait_aqs_state(w, row) == 1;
    return pm_wait_flags(w, row) & PM_WAIT_BEGIN_UNKNOWN
               ? latch && is_at_base(r, pm_wait_chain(w, row))
               : latch || pm_wait_category(w, row) == PM_CATEGORY_CONDITION;
}

/* Does a worker of a pool wait, in a task, for the result of another one, which nobody runs? Then
 * it has not begun, and its own pool may be the one that should run it. No other thread waits in
 * such a task, and of those that do not wait several were looked at meanwhile, each in turn. */
static gboolean waits_for_unbegun(const PmSummary *s, guint32 row)
{
    enum { MIN_LOOKS = 10, MIN_ROUNDS = 3 };
    const PmRecording *r = s->metrics->view->recording;
    const PmWaits *w = &r->waits;
    const guint32 thread = pm_wait_thread(w, row);
    if (result_kind(r, row) != 0 || !pm_label_is_in_pool(r, pm_wait_chain(w, row)) ||
        pm_wait_flags(w, row) & PM_WAIT_TIMED)
        return FALSE;
    for (guint32 t = 1; t < r->n_threads; t++)
        if (r->threads[t].is_virtual || (t != thread && s->going[t] & MAY_RUN))
            return FALSE;
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    guint n = 0;
    for (guint32 i = r->n_samples; i-- > 0 && r->samples[i].at > pm_wait_begin(w, row);) {
        const PmOwnerSample *sample = &r->samples[i];
        if (sample->at > s->at || sample->role != PM_SAMPLE_ENDER || !sample->chain)
            continue;
        if (tasks_of(r, sample->chain) & 1)
            return FALSE;
        g_hash_table_add(seen, GUINT_TO_POINTER(sample->owner));
        n++;
    }
    return n >= MIN_LOOKS && n >= MIN_ROUNDS * g_hash_table_size(seen);
}

/* Does the thread that shows a program's windows wait while it handles an event? It should go on
 * with the next one soon. */
static gboolean handles_event(const PmRecording *r, guint32 row)
{
    return pm_label_is_within(r, pm_wait_chain(&r->waits, row), G_MAXUINT, "java.awt.EventQueue",
                              "dispatchEvent");
}

gboolean pm_summary_is_at_rest(const PmSummary *s, guint32 row)
{
    const PmView *view = s->metrics->view;
    const PmRecording *r = view->recording;
    const PmWaits *w = &r->waits;
    const PmThread *thread = &r->threads[pm_wait_thread(w, row)];
    switch (pm_category_family(pm_wait_category(w, row))) {
    case PM_FAMILY_SIGNAL:
    case PM_FAMILY_JOIN:
        break;
    default:
        return FALSE;
    }
    if (s->pools[thread->group] != 0 || pm_summary_hands_over(r, pm_wait_chain(w, row)) ||
        handles_event(r, row))
        return FALSE;
    /* Of a virtual thread no more is known than its waits. */
    const gint64 life = thread->is_virtual && !thread->begin_known
                            ? view->to - view->from
                            : MIN(thread->end, view->to) - MAX(thread->begin, view->from);
    const gint64 time = pm_view_clip(view, row);
    const gboolean goes_on = (pm_wait_flags(w, row) & (PM_WAIT_IN_PROGRESS | PM_WAIT_CUT)) != 0 ||
                             pm_wait_end(w, row) > view->to;
    /* One of several rests if it is known to have done nothing but that: no part of the way there
     * is missing. Or if it does little but look after a child process, or nothing but wait for
     * those that are at work, and still does. */
    if (r->groups[thread->group].n_threads > 1)
        return (waits_for_opening(r, row) && fills(time, life, 0.99)) ||
               (pm_wait_category(w, row) == PM_CATEGORY_FUTURE && fills(time, life, 0.95) &&
                pm_label_is_within(r, pm_wait_chain(w, row), G_MAXUINT, "java.lang.Process*",
                                   "waitFor")) ||
               (goes_on && fills(time, life, 0.95) && supervises(s, row));
    if (waits_for_unbegun(s, row))
        return FALSE;
    /* Main gives out what the program does, and waits for that after some work of its own: for
     * results, or for a thread that it joins. */
    return fills(time, life, 0.75) ||
           (pm_label_is_main(thread) && (result_kind(r, row) >= 0 || pm_wait_owner(w, row)) &&
            supervises(s, row));
}

gboolean pm_summary_lives(const PmRecording *r, guint32 thread, gint64 at)
{
    const PmThread *t = &r->threads[thread];
    return t->begin <= at && !(t->ended && t->end <= at);
}

gboolean pm_summary_hands_over(const PmRecording *r, guint32 chain)
{
    static const char *const methods[] = {"put", "offer", "transfer", "write", "send", NULL};
    const PmChain *c = &r->chains[chain];
    const gint own = pm_own_frame(pm_own_code(r), chain);
    return own >= 0 && (guint)own > c->site &&
           (pm_label_waits_in(r, chain, methods) ||
            g_strv_contains(methods, r->methods[c->frames[own - 1].method].name));
}

gboolean pm_summary_wants_work(const PmRecording *r, guint8 category, guint32 chain)
{
    static const char *const consumers[] = {"take",      "poll",     "takeFirst", "takeLast",
                                            "pollFirst", "pollLast", "remove",    NULL};
    return (category == PM_CATEGORY_QUEUE || category == PM_CATEGORY_TRANSFER) &&
           pm_label_waits_in(r, chain, consumers) && !pm_summary_hands_over(r, chain);
}

char *pm_summary_group_text(const PmRecording *r, guint32 group, guint n_threads)
{
    if (!*r->groups[group].name)
        return g_strdup("(unknown threads)");
    if (r->groups[group].n_threads == 1)
        return g_strdup(r->groups[group].shown);
    return g_strdup_printf("%s (%u)", r->groups[group].name, n_threads);
}

char *pm_summary_owner_text(const PmSummary *summary, const PmStillWaiting *still)
{
    const PmRecording *r = summary->metrics->view->recording;
    if (!still->owner)
        return NULL;
    const gboolean ended =
        still->owner_state == PM_OWNER_ENDED || !pm_summary_lives(r, still->owner, summary->at);
    return g_strdup_printf("%s%s", pm_recording_thread_name(r, still->owner, summary->at),
                           ended ? " (ended)" : "");
}

char *pm_summary_woken_text(const PmSummary *summary, const PmStillWaiting *still)
{
    const PmRecording *r = summary->metrics->view->recording;
    if (!still->woken)
        return NULL;
    const guint32 waker = pm_wait_waker(&r->waits, still->rows[0]);
    g_autofree char *ago = pm_label_duration(summary->at - still->woken);
    return g_strdup_printf("woken %s ago%s%s, waits for a %s", ago, waker ? " by " : "",
                           waker ? pm_recording_thread_name(r, waker, still->woken) : "",
                           r->threads[still->first_thread].is_virtual ? "carrier" : "processor");
}

/* Of so long a wait that it could be for ever. What was met in the middle has lasted as long
 * before, on average. */
static gboolean is_long(const PmSummary *s, guint32 row, gint64 least)
{
    const PmWaits *w = &s->metrics->view->recording->waits;
    gint64 age = s->at - pm_wait_begin(w, row);
    return age >= (pm_wait_flags(w, row) & PM_WAIT_BEGIN_UNKNOWN ? least / 2 : least);
}

/* For a condition, or in a park of the program's own: for work, or for an answer. */
static gboolean is_signal(const PmSummary *s, guint32 row)
{
    const PmRecording *r = s->metrics->view->recording;
    PmCategory category = pm_wait_category(&r->waits, row);
    return (category == PM_CATEGORY_CONDITION || category == PM_CATEGORY_OTHER) &&
           !pm_summary_hands_over(r, pm_wait_chain(&r->waits, row));
}

/* Has it waited for half as long as what is stuck, and could that last for ever: without a timeout,
 * or for a lock or a permit at all? Not so consumers, whatever their producers do, nor waits for a
 * signal, whose threads may be consumers. */
static gboolean may_be_stuck(const PmSummary *s, guint32 row)
{
    const PmWaits *w = &s->metrics->view->recording->waits;
    if (!is_long(s, row, STUCK_NS / 2) || pm_wait_woken_at(w, row, s->at) ||
        pm_summary_is_at_rest(s, row) || is_signal(s, row) ||
        pm_summary_wants_work(s->metrics->view->recording, pm_wait_category(w, row),
                              pm_wait_chain(w, row)))
        return FALSE;
    PmFamily family = pm_category_family(pm_wait_category(w, row));
    return family == PM_FAMILY_LOCK || family == PM_FAMILY_RESOURCE ||
           (pm_wait_flags(w, row) & PM_WAIT_TIMED) == 0;
}

static gboolean is_in_view(const PmView *view, guint32 row)
{
    gsize low = 0, high = view->n;
    PM_LOWER_BOUND(low, high, middle, pm_view_row(view, middle) < row)
    return low < view->n && pm_view_row(view, low) == row;
}

static int compare_rows(gconstpointer a, gconstpointer b)
{
    const guint32 x = *(const guint32 *)a, y = *(const guint32 *)b;
    return (x > y) - (x < y);
}

static void list_still(PmSummary *s, const guint32 *of_thread, GHashTable *owners,
                       const gint *cycle_of)
{
    const PmView *view = s->metrics->view;
    const PmRecording *r = view->recording;
    const PmRecordingPrivate *p = pm_recording_private(r);
    const PmWaits *w = &r->waits;
    g_autoptr(GHashTable) by_key = g_hash_table_new(hash_still, same_still);
    g_autoptr(GHashTable) sites = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    g_autoptr(GPtrArray) found = g_ptr_array_new();

    g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(guint32));

    for (guint32 t = 0; t < r->n_threads; t++)
        if (of_thread[t] != G_MAXUINT32 && is_in_view(view, of_thread[t]))
            g_array_append_val(rows, of_thread[t]);
    g_array_sort(rows, compare_rows);
    for (guint i = 0; i < rows->len; i++) {
        const guint32 row = g_array_index(rows, guint32, i);
        if (pm_category_is_idle(pm_wait_category(w, row)))
            continue;
        guint32 thread = pm_wait_thread(w, row);
        guint64 site = p->chain_site[pm_wait_chain(w, row)];
        gpointer number = g_hash_table_lookup(sites, &site);
        if (!number) {
            number = GUINT_TO_POINTER(g_hash_table_size(sites) + 1);
            g_hash_table_insert(sites, g_memdup2(&site, sizeof site), number);
        }
        PmStillWaiting key = {.blocker = pm_wait_blocker(w, row),
                              .chain = GPOINTER_TO_UINT(number),
                              .group = r->threads[thread].group,
                              .kind = pm_wait_kind(w, row),
                              .first_thread = thread,
                              .woken = pm_wait_woken_at(w, row, s->at),
                              .cycle = cycle_of[thread]};
        StillRow *still = g_hash_table_lookup(by_key, &key);
        if (!still) {
            still = g_new0(StillRow, 1);
            still->row = key;
            still->row.since = pm_wait_begin(w, row);
            still->row.category = pm_wait_category(w, row);
            still->row.timed = TRUE;
            still->row.owner = pm_wait_owner(w, row);
            still->rows = g_array_new(FALSE, FALSE, sizeof(guint32));
            g_hash_table_insert(by_key, &still->row, still);
            g_ptr_array_add(found, still);
        }
        /* One that has no timeout is enough to be stuck for ever. */
        still->row.timed = still->row.timed && (pm_wait_flags(w, row) & PM_WAIT_TIMED) != 0;
        still->row.begin_unknown =
            still->row.begin_unknown || (pm_wait_flags(w, row) & PM_WAIT_BEGIN_UNKNOWN) != 0;
        if (!still->row.stuck && may_be_stuck(s, row)) {
            still->row.may_be_stuck = TRUE;
            still->row.stuck = is_long(s, row, STUCK_NS);
        }
        still->row.long_signal =
            still->row.long_signal || (is_signal(s, row) && is_long(s, row, STUCK_NS) &&
                                       !(pm_wait_flags(w, row) & PM_WAIT_TIMED));
        g_array_append_val(still->rows, row);
    }

    s->still = g_new0(PmStillWaiting, MAX(found->len, 1));
    for (guint i = 0; i < found->len; i++) {
        StillRow *still = g_ptr_array_index(found, i);
        PmStillWaiting *row = &s->still[s->n_still++];
        *row = still->row;
        row->n_threads = still->rows->len;
        row->rows = (guint32 *)g_array_free(still->rows, FALSE);
        row->chain = pm_wait_chain(w, row->rows[0]);
        LastOwner *last = g_hash_table_lookup(owners, GUINT_TO_POINTER(row->blocker));
        row->handed_on = last ? last->handed_on : G_MININT64;
        if (row->woken)
            row->owner = 0;
        else if (last && last->owner != 0 &&
                 (row->kind != PM_KIND_WAIT || row->owner == last->owner)) {
            row->owner = last->owner;
            row->owner_chain = last->chain;
            row->owner_state = last->state;
            guint32 owner_row = of_thread[last->owner];
            if (owner_row != G_MAXUINT32) {
                row->owner_state = PM_OWNER_WAITING;
                if (row->owner_chain == 0)
                    row->owner_chain = pm_wait_chain(w, owner_row);
            }
        }
        g_free(still);
    }
    qsort(s->still, s->n_still, sizeof *s->still, compare_still);
}

/* ---- all of it ---- */

static gboolean has_virtual_threads(const PmRecording *r)
{
    guint32 t = 1;
    while (t < r->n_threads && !r->threads[t].is_virtual)
        t++;
    return t < r->n_threads;
}

static void count_left_out(PmSummary *s, const guint32 *of_thread)
{
    const PmView *view = s->metrics->view;
    const PmRecording *r = view->recording;
    for (guint32 t = 1; t < r->n_threads; t++)
        if (of_thread[t] != G_MAXUINT32 &&
            pm_category_is_idle(pm_wait_category(&r->waits, of_thread[t])))
            s->n_idle_now++;
    gboolean unseen = FALSE;
    for (guint32 i = 0; i < r->n_gaps; i++) {
        const PmGap *gap = &r->gaps[i];
        if (gap->begin > view->to || gap->end < view->from)
            continue;
        s->n_gaps++;
        unseen |= gap->reason == PM_GAP_UNSEEN;
        if (gap->reason == PM_GAP_IDLE || gap->reason == PM_GAP_UNSEEN)
            continue;
        pm_sum_add(&s->not_stored, MAX(gap->waits, 0));
        pm_sum_add(&s->not_stored_time, MAX(gap->thread_time, 0));
    }
    const char *more = r->facts.not_recorded;
    s->not_recorded = g_strdup_printf(
        "Not recorded here: CPU, socket reads, sleep, class initialisation under 3 "
        "s%s, contention resolved by spinning%s%s%s",
        has_virtual_threads(r) ? " or by virtual threads" : "", more[0] != 0 ? ", " : "", more,
        unseen ? ", parks that bypass the recorder because of another agent" : "");
}

typedef struct {
    PmSummary *summary;
    const PmView *view;
    const gint *cancel;
} Counting;

/* On a thread of its own beside the metrics. */
static gpointer count_beside(gpointer data)
{
    const Counting *c = data;

    c->summary->groups = pm_group_times_new(c->view, &c->summary->n_groups, c->cancel);
    return c->summary->groups;
}

/* Its owner may take it again: who waits for it and owns it has been given it just now. */
static gboolean is_reentrant(const PmRecording *r, guint32 row)
{
    const guint32 blocker = pm_wait_blocker(&r->waits, row);
    return pm_wait_kind(&r->waits, row) == PM_KIND_ENTER ||
           g_str_has_prefix(r->classes[r->blockers[blocker].class_index].name,
                            "java.util.concurrent.locks.Reentrant");
}

PmSummary *pm_summary_new(PmView *view, gint64 at, const gint *cancel)
{
    const PmRecording *r = view->recording;
    PmSummary *s = g_new0(PmSummary, 1);
    Counting counting = {s, view, cancel};
    s->at = CLAMP(at, 0, r->duration);
    GThread *beside = g_thread_new("groups", count_beside, &counting);
    s->metrics = pm_metrics_new(view, cancel);
    const gboolean counted = g_thread_join(beside) != NULL;
    if (!s->metrics || !counted) {
        pm_summary_free(s);
        return NULL;
    }

    g_autofree guint32 *of_thread = rows_at(r, s->at);
    g_autoptr(GHashTable) owners = owners_at(r, of_thread, s->at);
    g_autofree guint32 *next = g_new0(guint32, r->n_threads);
    g_autofree gint *cycle_of = g_new(gint, r->n_threads);
    for (guint32 t = 1; t < r->n_threads; t++) {
        guint32 row = of_thread[t];
        if (row == G_MAXUINT32 || !may_have_owner(&r->waits, row))
            continue;
        const LastOwner *last =
            g_hash_table_lookup(owners, GUINT_TO_POINTER(pm_wait_blocker(&r->waits, row)));
        const gboolean joins = pm_wait_kind(&r->waits, row) == PM_KIND_WAIT;
        const guint32 owner = joins ? pm_wait_owner(&r->waits, row) : last ? last->owner : 0;
        if (of_thread[owner] != G_MAXUINT32 && !(owner == t && is_reentrant(r, row)))
            next[t] = owner;
    }
    find_deadlocks(s, of_thread, next, cycle_of);
    s->pools = groups_of_pools(r);
    note_going(s);
    count_going(s, of_thread);
    list_still(s, of_thread, owners, cycle_of);
    count_left_out(s, of_thread);
    if (pm_cancelled(cancel)) {
        pm_summary_free(s);
        return NULL;
    }
    return s;
}

void pm_summary_free(PmSummary *s)
{
    if (!s)
        return;
    pm_metrics_free(s->metrics);
    for (guint i = 0; i < s->n_still; i++)
        g_free((gpointer)s->still[i].rows);
    for (guint i = 0; i < s->n_deadlocks; i++)
        g_free((gpointer)s->deadlocks[i].rows);
    g_free(s->still);
    g_free(s->deadlocks);
    g_free(s->groups);
    g_free(s->going);
    g_free(s->not_recorded);
    g_free(s);
}
