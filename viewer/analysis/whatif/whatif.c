#include "viewer/analysis/whatif/whatif.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/analysis/locks/lock-acquisition.h"
#include "viewer/analysis/recording/recording-private.h"
#include "viewer/analysis/base/search.h"
#include "viewer/analysis/base/sort.h"
#include "viewer/analysis/base/sum.h"
#include "viewer/analysis/whatif/replay.h"

/* Who was woken and parks again this soon lost the lock to a barging thread. */
#define REPARK_NS 200000

#define AT_ONCE 512 /* rows that are read */

/* Who had the lock once, and so many mean holds later when somebody came to wait for it, had given
 * it back in between. */
#define LONG_HOLDS 3

/* By how much two predictions of the same may differ. */
#define CHANCE 0.02

/* The acquisitions that a run of the model is about: so many rounds that its begin and end weigh
 * nothing, and for short recordings more. */
#define FEWEST_ROUNDS       4
#define MOST_ROUNDS         100
#define ENOUGH_ACQUISITIONS 50000

typedef struct {
    guint32 blocker;
    gboolean is_monitor, is_fair, is_shared;
    PmLockAcquisitionSide sides[2]; /* of a shared one */
    guint n_acquisitions, n_measured;
    double hold, handoff; /* means */
    GArray *rows;         /* its waits (guint32) */
} Lock;

static void lock_clear(gpointer data)
{
    Lock *lock = data;
    g_clear_pointer(&lock->rows, g_array_unref);
}

typedef struct {
    const PmRecording *recording;
    const PmContention *contention;
    gint64 from, to;
    GArray *locks;        /* of Lock; the first is the one asked about */
    GArray *acquisitions; /* of PmLockAcquisition: what is inferred must not look as though a thread
                      had held two locks at a time */
} Scene;

/* -- which locks and which part of time -- */

static gboolean counts(const Scene *scene, gsize row)
{
    const PmWaits *w = &scene->recording->waits;
    return pm_wait_kind(w, row) != PM_KIND_WAIT && pm_wait_end(w, row) > scene->from &&
           pm_wait_begin(w, row) < scene->to;
}

/* Some rows that follow each other. */
typedef struct {
    gsize first, n;
    gint64 blockers[AT_ONCE];
} Run;

/* The rows after those of `run`, but for blocks without time in [from, to). FALSE: there are none.
 */
static gboolean next_run(const PmRecording *r, gint64 from, gint64 to, Run *run)
{
    const PmRecordingPrivate *p = pm_recording_private(r);
    gsize row = run->first + run->n;
    while (row < r->waits.n && p->block_end[pm_recording_block(r, row)] <= from)
        row = pm_recording_block_end(r, pm_recording_block(r, row));
    if (row >= r->waits.n || pm_wait_begin(&r->waits, row) >= to)
        return FALSE;
    run->first = row;
    run->n =
        MIN(MIN(pm_recording_block_end(r, pm_recording_block(r, row)), r->waits.n) - row, AT_ONCE);
    pm_wait_columns(&r->waits, PM_WAIT_COLUMN_BLOCKER, row, run->n, run->blockers);
    return TRUE;
}

static gboolean next_of_scene(const Scene *scene, Run *run)
{
    return next_run(scene->recording, scene->from, scene->to, run);
}

static void limit_rows(Scene *scene, guint32 blocker)
{
    const PmWaits *w = &scene->recording->waits;
    gint64 blockers[AT_ONCE];
    guint n = 0;
    for (gsize end = w->n, first; end > 0; end = first) {
        first = (end - 1) / AT_ONCE * AT_ONCE;
        if (pm_wait_begin(w, first) >= scene->to)
            continue;
        pm_wait_columns(w, PM_WAIT_COLUMN_BLOCKER, first, end - first, blockers);
        for (gsize i = end; i-- > first;) {
            if (blockers[i - first] != blocker || !counts(scene, i))
                continue;
            if (++n > PM_WHATIF_MAX_WAITS) {
                scene->from = MAX(scene->from, pm_wait_begin(w, i));
                return;
            }
        }
    }
}

typedef struct {
    guint32 blocker, n_waits;
} Use;

static int compare_uses(gconstpointer left, gconstpointer right)
{
    const Use *a = left, *b = right;
    return (a->n_waits > b->n_waits) - (a->n_waits < b->n_waits);
}

/* The lock asked about, then those that its threads waited for as well, as long as they are not too
 * much to replay. */
static void choose_locks(Scene *scene, guint32 blocker)
{
    const PmRecording *r = scene->recording;
    const PmWaits *w = &r->waits;
    g_autofree guint8 *customer = g_new0(guint8, r->n_threads);
    g_autofree guint8 *met = g_new0(guint8, r->n_blockers);
    g_autofree guint32 *n_waits = g_new0(guint32, r->n_blockers);
    g_autofree guint32 *index = g_new0(guint32, r->n_blockers); /* of the lock, + 1 */
    for (Run run = {0}; next_of_scene(scene, &run);)
        for (gsize i = 0; i < run.n; i++)
            if (run.blockers[i] == blocker && counts(scene, run.first + i))
                customer[pm_wait_thread(w, run.first + i)] = TRUE;
    for (Run run = {0}; next_of_scene(scene, &run);)
        for (gsize i = 0; i < run.n; i++)
            if (counts(scene, run.first + i)) {
                met[run.blockers[i]] |= customer[pm_wait_thread(w, run.first + i)];
                n_waits[run.blockers[i]]++;
            }
    g_autoptr(GArray) uses = g_array_new(FALSE, FALSE, sizeof(Use));
    for (guint32 b = 1; b < r->n_blockers; b++) {
        Use use = {b, n_waits[b]};
        if (met[b] && b != blocker && pm_contention_has_owner(scene->contention, b))
            g_array_append_val(uses, use);
    }
    g_array_sort(uses, compare_uses);
    Use asked = {blocker, 0};
    g_array_prepend_val(uses, asked);
    guint64 n = 0;
    for (guint i = 0; i < uses->len; i++) {
        const Use *use = &g_array_index(uses, Use, i);
        n += use->n_waits;
        if (n > PM_WHATIF_MAX_WAITS)
            break;
        Lock lock = {.blocker = use->blocker, .rows = g_array_new(FALSE, FALSE, sizeof(guint32))};
        g_array_append_val(scene->locks, lock);
        index[use->blocker] = scene->locks->len;
    }
    for (Run run = {0}; next_of_scene(scene, &run);)
        for (gsize i = 0; i < run.n; i++) {
            const guint32 row = (guint32)(run.first + i), lock = index[run.blockers[i]];
            if (lock > 0 && counts(scene, row))
                g_array_append_val(g_array_index(scene->locks, Lock, lock - 1).rows, row);
        }
}

/* -- what was done with one lock -- */

static gint compare_rows(gconstpointer left, gconstpointer right, gpointer data)
{
    const PmWaits *w = data;
    guint32 a = *(const guint32 *)left, b = *(const guint32 *)right;
    if (pm_wait_thread(w, a) != pm_wait_thread(w, b))
        return pm_wait_thread(w, a) < pm_wait_thread(w, b) ? -1 : 1;
    return (pm_wait_begin(w, a) > pm_wait_begin(w, b)) -
           (pm_wait_begin(w, a) < pm_wait_begin(w, b));
}

static gboolean comes_before(const PmWaits *w, guint32 row, guint32 thread, gint64 at)
{
    if (pm_wait_thread(w, row) != thread)
        return pm_wait_thread(w, row) < thread;
    return pm_wait_end(w, row) < at;
}

/* The position of the wait of `thread` that ended at `at`; rows->len = none. */
static guint row_ending(const PmWaits *w, const GArray *rows, guint32 thread, gint64 at)
{
    guint low = 0, high = rows->len;
    PM_LOWER_BOUND(low, high, middle,
                   comes_before(w, g_array_index(rows, guint32, middle), thread, at));
    if (low < rows->len) {
        guint32 row = g_array_index(rows, guint32, low);
        if (pm_wait_thread(w, row) == thread && pm_wait_end(w, row) == at)
            return low;
    }
    return rows->len;
}

static gboolean gave_up(const PmWaits *w, guint32 row)
{
    return pm_wait_wake_cause(w, row) == PM_WAKE_TIME_OUT ||
           pm_wait_wake_cause(w, row) == PM_WAKE_INTERRUPT;
}

/* Since when the thread of the wait at `place` asked: it may have been woken and barged before. */
static gint64 asked_since(const PmWaits *w, const GArray *rows, const guint8 *got, guint place)
{
    guint32 row = g_array_index(rows, guint32, place);
    for (; place > 0; place--) {
        guint32 before = g_array_index(rows, guint32, place - 1);
        if (pm_wait_thread(w, before) != pm_wait_thread(w, row) || got[place - 1] ||
            gave_up(w, before) || pm_wait_begin(w, row) - pm_wait_end(w, before) > REPARK_NS)
            break;
        row = before;
    }
    return pm_wait_begin(w, row);
}

/* A release that woke somebody who had waited since then. */
typedef struct {
    gint64 at, since;
} Wake;

static GArray *wakes_of(const PmWaits *w, const GArray *rows)
{
    GArray *wakes = g_array_new(FALSE, FALSE, sizeof(Wake));
    for (guint i = 0; i < rows->len; i++) {
        guint32 row = g_array_index(rows, guint32, i);
        Wake wake = {pm_wait_wake(w, row), pm_wait_begin(w, row)};
        if (pm_wait_wake_cause(w, row) == PM_WAKE_RELEASE && wake.at != 0)
            g_array_append_val(wakes, wake);
    }
    g_array_sort(wakes, pm_compare_instants);
    return wakes;
}

/* From when on somebody waited for the end of the hold. Before that it may have been given back and
 * taken again, seen by nobody. */
static gint64 watched_since(const GArray *wakes, const PmHold *hold)
{
    const Wake *all = (const Wake *)wakes->data;
    guint low = 0, high = wakes->len;
    PM_LOWER_BOUND(low, high, middle, all[middle].at < hold->end);
    gboolean found = hold->released && low < wakes->len && all[low].at == hold->end;
    return found ? MAX(all[low].since, hold->begin) : hold->begin;
}

/* How long it is held on average: as measured, else as the best evidence has it. Nobody sees a
 * monitor being released: it counts as held until who waited for it has it, and who gives it up
 * and takes it again meanwhile as holding it. */
static void measure(Lock *lock, const GArray *holds, const GArray *wakes)
{
    double sum[3] = {0, 0, 0};
    guint n[3] = {0, 0, 0};
    for (guint i = 0; i < holds->len; i++) {
        const PmHold *hold = &g_array_index(holds, PmHold, i);
        gint64 length = hold->end - hold->begin,
               unwatched = watched_since(wakes, hold) - hold->begin;
        gboolean seen = hold->acquired && (hold->released || (hold->watched && lock->is_monitor));
        guint evidence = hold->exact                                         ? 0
                         : seen && hold->released && 2 * unwatched <= length ? 1
                         : seen                                              ? 2
                                                                             : 3;
        for (; evidence < 3; evidence++) {
            sum[evidence] += (double)(hold->end - hold->begin);
            n[evidence]++;
        }
    }
    lock->n_measured = n[0];
    for (guint evidence = 0; evidence < 3; evidence++) {
        if (n[evidence] == 0)
            continue;
        lock->hold = sum[evidence] / n[evidence];
        if (n[evidence] >= PM_WHATIF_MIN_HOLDS)
            return;
    }
}

static void add_acquisition(Scene *scene, guint32 lock, PmLockAcquisition acquisition)
{
    acquisition.lock = lock;
    acquisition.asked = MIN(acquisition.asked, acquisition.got);
    acquisition.released = MAX(acquisition.released, acquisition.got);
    acquisition.got_latest = MAX(acquisition.got_latest, acquisition.got);
    g_array_append_val(scene->acquisitions, acquisition);
    g_array_index(scene->locks, Lock, lock).n_acquisitions++;
}

/* A stretch that does not begin with a woken waiter's resume: it began before it was seen. */
static gint64 taken_at(const Scene *scene, const GArray *holds, guint i, double hold)
{
    const PmHold *held = &g_array_index(holds, PmHold, i);
    gint64 earliest = i > 0 ? g_array_index(holds, PmHold, i - 1).end : scene->from;
    if (held->barged)
        return earliest;
    return CLAMP(pm_difference(held->end, pm_rounded(hold)), MIN(earliest, held->begin),
                 held->begin);
}

static void gather_shared_acquisitions(Scene *scene, guint32 index)
{
    Lock *lock = &g_array_index(scene->locks, Lock, index);
    const PmLockAcquisitionSide *sides = lock->sides;
    guint first = scene->acquisitions->len;
    pm_lock_acquisition_read(scene->recording, (const guint32 *)lock->rows->data, lock->rows->len,
                             scene->from, scene->to, REPARK_NS, index, scene->acquisitions,
                             lock->sides);
    lock->n_acquisitions = scene->acquisitions->len - first;
    lock->n_measured = sides[0].n + sides[1].n;
    for (guint i = first; i < scene->acquisitions->len; i++)
        lock->hold += sides[g_array_index(scene->acquisitions, PmLockAcquisition, i).shared].hold /
                      lock->n_acquisitions;
}

static void gather_acquisitions(Scene *scene, guint32 index)
{
    const PmWaits *w = &scene->recording->waits;
    Lock *lock = &g_array_index(scene->locks, Lock, index);
    GArray *rows = lock->rows;
    double handoff = 0;
    guint n_handoffs = 0;
    for (guint k = 0; k < rows->len; k++) {
        guint32 i = g_array_index(rows, guint32, k);
        lock->is_monitor |= pm_wait_kind(w, i) == PM_KIND_ENTER;
        if (pm_wait_wake_cause(w, i) == PM_WAKE_RELEASE && pm_wait_waker(w, i) != 0 &&
            pm_wait_wake(w, i) > pm_wait_begin(w, i) && pm_wait_wake(w, i) <= pm_wait_end(w, i) &&
            pm_wait_end(w, i) <= scene->to) {
            handoff += (double)(pm_wait_end(w, i) - pm_wait_wake(w, i));
            n_handoffs++;
        }
    }
    if (n_handoffs > 0)
        lock->handoff = handoff / n_handoffs;
    g_array_sort_with_data(rows, compare_rows, (gpointer)w);
    const PmBlocker *blocker = &scene->recording->blockers[lock->blocker];
    const char *class_name = scene->recording->classes[blocker->class_index].name;
    lock->is_fair = g_str_has_suffix(class_name, "$FairSync");

    lock->is_shared = pm_lock_acquisition_is_shared_lock(scene->recording, lock->blocker);
    if (lock->is_shared) {
        gather_shared_acquisitions(scene, index);
        return;
    }
    g_autoptr(GArray) holds = g_array_new(FALSE, FALSE, sizeof(PmHold));
    pm_contention_owned(scene->contention, lock->blocker, scene->from, scene->to, holds);
    g_autoptr(GArray) wakes = wakes_of(w, rows);
    measure(lock, holds, wakes);

    g_autofree guint8 *got = g_new0(guint8, rows->len + 1);
    g_autofree guint *places = g_new(guint, holds->len + 1);
    for (guint i = 0; i < holds->len; i++) {
        const PmHold *hold = &g_array_index(holds, PmHold, i);
        places[i] = hold->acquired ? row_ending(w, rows, hold->thread, hold->begin) : rows->len;
        got[places[i]] = TRUE;
    }
    for (guint i = 0; i < holds->len; i++) {
        const PmHold *hold = &g_array_index(holds, PmHold, i);
        PmLockAcquisition acquisition = {.got = hold->begin,
                                         .got_latest = hold->begin,
                                         .released = hold->end,
                                         .thread = hold->thread,
                                         .release_seen = hold->released};
        if (places[i] < rows->len)
            acquisition.asked = asked_since(w, rows, got, places[i]);
        else if (hold->acquired)
            acquisition.asked = acquisition.got;
        else
            acquisition.asked = acquisition.got = taken_at(scene, holds, i, lock->hold);
        if (!hold->released && !(hold->watched && lock->is_monitor))
            acquisition.released = MIN(hold->end, pm_sum(hold->begin, pm_rounded(lock->hold)));
        gint64 since = watched_since(wakes, hold);
        if (hold->acquired && (double)(since - hold->begin) > LONG_HOLDS * lock->hold) {
            PmLockAcquisition again = acquisition;
            acquisition.released = pm_sum(hold->begin, pm_rounded(lock->hold));
            acquisition.release_seen = FALSE;
            again.asked = again.got = MIN(since, pm_difference(hold->end, pm_rounded(lock->hold)));
            again.got_latest = since;
            add_acquisition(scene, index, again);
        }
        add_acquisition(scene, index, acquisition);
    }
    /* Who got it unseen by others, and who waits still. */
    for (guint i = 0; i < rows->len; i++) {
        guint32 row = g_array_index(rows, guint32, i);
        gboolean waits = (pm_wait_flags(w, row) & (PM_WAIT_IN_PROGRESS | PM_WAIT_CUT)) != 0 ||
                         pm_wait_end(w, row) > scene->to;
        if (got[i] || (!waits && gave_up(w, row)))
            continue;
        if (!waits && i + 1 < rows->len) {
            guint32 next = g_array_index(rows, guint32, i + 1);
            if (pm_wait_thread(w, next) == pm_wait_thread(w, row) &&
                pm_wait_begin(w, next) - pm_wait_end(w, row) <= REPARK_NS)
                continue;
        }
        gint64 end = MIN(pm_wait_end(w, row), scene->to);
        add_acquisition(scene, index,
                        (PmLockAcquisition){.asked = asked_since(w, rows, got, i),
                                            .got = end,
                                            .released = pm_sum(end, pm_rounded(lock->hold)),
                                            .thread = pm_wait_thread(w, row)});
    }
}

/* -- what was not seen -- */

static int compare_acquisitions(gconstpointer left, gconstpointer right)
{
    const PmLockAcquisition *a = left, *b = right;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    if (a->asked != b->asked)
        return a->asked < b->asked ? -1 : 1;
    return (a->got > b->got) - (a->got < b->got);
}

/* Sorts the acquisitions by thread and time, and takes out of what is inferred what cannot be: two
 * acquisitions of a thread at once. */
static void put_in_order(Scene *scene)
{
    g_array_sort(scene->acquisitions, compare_acquisitions);
    PmLockAcquisition *acquisitions = (PmLockAcquisition *)scene->acquisitions->data;
    g_autofree PmLockAcquisition **last =
        g_new0(PmLockAcquisition *, scene->locks->len); /* with that lock */
    for (guint i = 0; i < scene->acquisitions->len; i++) {
        PmLockAcquisition *acquisition = &acquisitions[i], *next = acquisition + 1;
        gboolean is_first = i == 0 || acquisition[-1].thread != acquisition->thread;
        gboolean is_last = i + 1 == scene->acquisitions->len || next->thread != acquisition->thread;
        if (!is_first && acquisition->got < acquisition->got_latest &&
            acquisition[-1].released <= acquisition->got_latest)
            acquisition->asked = acquisition->got = MAX(acquisition->got, acquisition[-1].released);
        if (!is_last && !acquisition->release_seen && next->asked > acquisition->got)
            acquisition->released = MIN(acquisition->released, next->asked);
        PmLockAcquisition *before = last[acquisition->lock];
        if (before && before->thread == acquisition->thread &&
            before->released > acquisition->asked)
            before->released = MAX(before->got, acquisition->asked);
        last[acquisition->lock] = acquisition;
    }
}

/* A thread is free of all locks, as far as its acquisitions tell. */
typedef struct {
    gint64 begin, end;
    guint32 thread;
} Gap;

static GArray *gaps_of(const Scene *scene)
{
    GArray *gaps = g_array_new(FALSE, FALSE, sizeof(Gap));
    const PmLockAcquisition *acquisitions = (const PmLockAcquisition *)scene->acquisitions->data;
    gint64 begin = 0;
    for (guint i = 0; i < scene->acquisitions->len; i++) {
        const PmLockAcquisition *acquisition = &acquisitions[i];
        const PmThread *thread = &scene->recording->threads[acquisition->thread];
        if (i == 0 || acquisition[-1].thread != acquisition->thread)
            begin = MAX(scene->from, thread->begin);
        Gap gap = {begin, acquisition->asked, acquisition->thread};
        if (gap.begin < gap.end)
            g_array_append_val(gaps, gap);
        begin = MAX(begin, acquisition->released);
        gap = (Gap){begin, MIN(scene->to, thread->end), acquisition->thread};
        if (i + 1 == scene->acquisitions->len || acquisition[1].thread != acquisition->thread)
            if (gap.begin < gap.end)
                g_array_append_val(gaps, gap);
    }
    return gaps;
}

typedef struct {
    gint64 begin, end;
} Stretch;

/* A span of time in which as many acquisitions waited as in any other, for a lock may be used in
 * bursts. Of very many acquisitions more share a span. */
#define ASKED_PER_SPAN 48
#define MAX_SPANS      256
typedef struct {
    gint64 from, to;
    double asked, taken,
        busy;     /* acquisitions that waited, acquisitions, their threads' time with the lock */
    GArray *gaps; /* of guint, in order: those with time in it */
    GArray *held; /* of Stretch: when the lock is held, up to a hold behind its end */
} Span;

static void span_clear(gpointer data)
{
    Span *span = data;
    g_clear_pointer(&span->gaps, g_array_unref);
    g_clear_pointer(&span->held, g_array_unref);
}

static void add_span(GArray *spans, gint64 from, gint64 to)
{
    const Span span = {.from = from,
                       .to = to,
                       .gaps = g_array_new(FALSE, FALSE, sizeof(guint)),
                       .held = g_array_new(FALSE, FALSE, sizeof(Stretch))};
    g_array_append_val(spans, span);
}

static GArray *spans_new(void)
{
    GArray *spans = g_array_new(FALSE, FALSE, sizeof(Span));
    g_array_set_clear_func(spans, span_clear);
    return spans;
}

static GArray *spans_of(const Scene *scene, guint32 lock)
{
    const PmLockAcquisition *acquisitions = (const PmLockAcquisition *)scene->acquisitions->data;
    g_autoptr(GArray) asked = g_array_new(FALSE, FALSE, sizeof(gint64));
    for (guint i = 0; i < scene->acquisitions->len; i++)
        if (acquisitions[i].lock == lock && acquisitions[i].asked < acquisitions[i].got)
            g_array_append_val(asked, acquisitions[i].asked);
    g_array_sort(asked, pm_compare_instants);
    GArray *spans = spans_new();
    gint64 from = scene->from;
    guint step = MAX(ASKED_PER_SPAN, asked->len / MAX_SPANS);
    for (guint i = step; i + step < asked->len; i += step) {
        const gint64 to = g_array_index(asked, gint64, i);
        if (to <= from)
            continue;
        add_span(spans, from, to);
        from = to;
    }
    add_span(spans, from, MAX(scene->to, from + 1));
    for (guint i = 0; i < scene->acquisitions->len; i++) {
        if (acquisitions[i].lock != lock)
            continue;
        guint low = 0, high = spans->len - 1; /* the first that ends after it asked */
        PM_LOWER_BOUND(low, high, middle,
                       g_array_index(spans, Span, middle).to <= acquisitions[i].asked);
        Span *here = &g_array_index(spans, Span, low);
        here->asked += acquisitions[i].asked < acquisitions[i].got;
        here->taken++;
        here->busy += (double)(acquisitions[i].released - acquisitions[i].got);
    }
    return spans;
}

/* More acquisitions than these are not placed: that many say all that more would. */
#define MOST_UNSEEN 1e5

/* How many more acquisitions there were than were seen. A request meets the lock held as often as
 * it is held, but not by itself; a fair lock is kept for who waits while it is handed over, too. Of
 * N requests N · (N · hold + waited · handoff) / time · (1 - 1 / threads) wait. */
static guint unseen_in(const Span *span, const Lock *lock, guint n_threads)
{
    if (span->asked == 0 || n_threads < 2)
        return 0;
    double time = (double)(span->to - span->from);
    double kept = lock->is_fair ? span->asked * lock->handoff : 0;
    double a = lock->hold / time, b = kept / time;
    double c = span->asked * n_threads / (n_threads - 1);
    double all = (sqrt(b * b + 4 * a * c) - b) / (2 * a);
    double room = (time - span->busy - kept) / lock->hold;
    double unseen = MIN(all - span->taken, room);
    return unseen > 0 ? (guint)MIN(unseen, MOST_UNSEEN) : 0; /* none of what is no number */
}

/* Sorts them, and joins those that overlap. */
static void join_stretches(GArray *stretches)
{
    guint n = 0;
    g_array_sort(stretches, pm_compare_instants);
    for (guint i = 0; i < stretches->len; i++) {
        Stretch next = g_array_index(stretches, Stretch, i);
        Stretch *last = n > 0 ? &g_array_index(stretches, Stretch, n - 1) : NULL;
        if (last && next.begin < last->end)
            last->end = MAX(last->end, next.end);
        else
            g_array_index(stretches, Stretch, n++) = next;
    }
    g_array_set_size(stretches, n);
}

/* The position of the first that begins at `at` or later. */
static guint stretch_from(const GArray *stretches, gint64 at)
{
    guint low = 0, high = stretches->len;
    PM_LOWER_BOUND(low, high, middle, g_array_index(stretches, Stretch, middle).begin < at);
    return low;
}

/* Stretches in order, and those added last, so that each finds its place among few. */
#define MOST_ADDED 512
typedef struct {
    GArray *all, *added;
} Held;

static gboolean is_free(const GArray *stretches, gint64 begin, gint64 end)
{
    const guint low = stretch_from(stretches, end);
    return low == 0 || g_array_index(stretches, Stretch, low - 1).end <= begin;
}

static void merge_added(Held *held)
{
    guint i = held->all->len, k = held->added->len;
    g_array_set_size(held->all, i + k);
    Stretch *all = (Stretch *)(gpointer)held->all->data;
    const Stretch *added = (const Stretch *)(gpointer)held->added->data;
    for (guint to = i + k; k > 0;)
        all[--to] = i > 0 && all[i - 1].begin > added[k - 1].begin ? all[--i] : added[--k];
    g_array_set_size(held->added, 0);
}

/* Adds [begin, end) to the stretches in which the lock is held, if it is free all the while. */
static gboolean hold_if_free(Held *held, gint64 begin, gint64 end)
{
    if (!is_free(held->all, begin, end) || !is_free(held->added, begin, end))
        return FALSE;
    const Stretch stretch = {begin, end};
    g_array_insert_val(held->added, stretch_from(held->added, end), stretch);
    if (held->added->len == MOST_ADDED)
        merge_added(held);
    return TRUE;
}

/* Of a gap that has room in a span. */
typedef struct {
    double up_to; /* the room in it and in those before */
    guint gap;
} Room;

/* A gap at random, by how much room there is in it. */
static Gap *choose_gap(GArray *gaps, const GArray *rooms, GRand *rand)
{
    const Room *all = (const Room *)rooms->data;
    double at = g_rand_double(rand) * all[rooms->len - 1].up_to;
    guint low = 0, high = rooms->len - 1;
    PM_LOWER_BOUND(low, high, middle, all[middle].up_to <= at);
    return &g_array_index(gaps, Gap, all[low].gap);
}

/* In vain, one after the other, until the lock is taken to have no more room. */
#define MAX_TRIES 200

/* Holds differ a little: a gap that is nearly long enough will do. */
static gint64 least_of(gint64 hold)
{
    return hold / 4;
}

/* Adds a gap to the spans from `first` on that it has time in. */
static void list_gap(GArray *spans, guint first, const GArray *gaps, guint i, gint64 hold)
{
    const Gap *gap = &g_array_index(gaps, Gap, i);
    guint low = first, high = spans->len;
    PM_LOWER_BOUND(low, high, middle, g_array_index(spans, Span, middle).to < gap->begin);
    for (; low < spans->len; low++) {
        const Span *span = &g_array_index(spans, Span, low);
        if (span->from > gap->end - least_of(hold))
            break;
        g_array_append_val(span->gaps, i);
    }
}

/* The same of a stretch in which the lock is held. */
static void list_held(GArray *spans, guint first, Stretch stretch, gint64 hold)
{
    guint low = first, high = spans->len;
    PM_LOWER_BOUND(low, high, middle,
                   pm_sum(g_array_index(spans, Span, middle).to, hold) <= stretch.begin);
    for (; low < spans->len && g_array_index(spans, Span, low).from < stretch.end; low++)
        g_array_append_val(g_array_index(spans, Span, low).held, stretch);
}

/* Finds what each span has of gaps and holds. */
static void list_all(const Scene *scene, guint32 index, GArray *spans, const GArray *gaps,
                     const guint8 *uses, gint64 hold)
{
    for (guint i = 0; i < gaps->len; i++)
        if (uses[scene->recording->threads[g_array_index(gaps, Gap, i).thread].group])
            list_gap(spans, 0, gaps, i, hold);
    for (guint i = 0; i < scene->acquisitions->len; i++) {
        const PmLockAcquisition *acquisition =
            &g_array_index(scene->acquisitions, PmLockAcquisition, i);
        if (acquisition->lock == index)
            list_held(spans, 0, (Stretch){acquisition->got, acquisition->released}, hold);
    }
}

/* Puts up to `n` acquisitions into the gaps where their threads had time for them, somewhere in the
 * span while the lock was free for them. */
static void place_acquisitions(Scene *scene, guint32 index, GArray *gaps, GRand *rand,
                               GArray *spans, guint nth, gint64 hold, guint n)
{
    g_autoptr(GArray) rooms = g_array_new(FALSE, FALSE, sizeof(Room));
    g_autoptr(GArray) added = g_array_new(FALSE, FALSE, sizeof(Stretch));
    const Span *span = &g_array_index(spans, Span, nth);
    const gint64 from = span->from, to = span->to, least = least_of(hold);
    Held held = {span->held, added};
    Room room = {0};
    for (guint i = 0; i < span->gaps->len; i++) {
        room.gap = g_array_index(span->gaps, guint, i);
        const Gap *gap = &g_array_index(gaps, Gap, room.gap);
        gint64 begin = MAX(gap->begin, from), end = MIN(gap->end - least, to);
        if (begin > end)
            continue;
        room.up_to += (double)(end - begin + 1);
        g_array_append_val(rooms, room);
    }
    join_stretches(span->held);
    for (guint tries = MAX_TRIES; rooms->len > 0 && n > 0 && tries > 0; tries--) {
        Gap *gap = choose_gap(gaps, rooms, rand);
        gint64 first = MAX(gap->begin, from), last = MIN(pm_difference(gap->end, hold), to);
        if (first > MIN(gap->end - least, to))
            continue;
        gint64 got =
            last <= first ? first : first + (gint64)(g_rand_double(rand) * (double)(last - first));
        gint64 released = MIN(pm_sum(got, hold), gap->end);
        if (!hold_if_free(&held, got, released))
            continue;
        guint32 thread = gap->thread;
        add_acquisition(
            scene, index,
            (PmLockAcquisition){.asked = got, .got = got, .released = released, .thread = thread});
        Gap after = {released, gap->end, thread};
        gap->end = got;
        g_array_append_val(gaps, after);
        list_gap(spans, nth + 1, gaps, gaps->len - 1, hold);
        list_held(spans, nth + 1, (Stretch){got, released}, hold);
        n--;
        tries = MAX_TRIES;
    }
}

/* Which groups' threads use a lock, or a side of it; returns how many threads of them are known. */
static guint note_users(const Scene *scene, guint32 lock, gboolean shared, guint8 *uses)
{
    const PmThread *threads = scene->recording->threads;
    g_autofree guint8 *counted = g_new0(guint8, scene->recording->n_threads);
    guint n = 0;
    for (guint i = 0; i < scene->acquisitions->len; i++) {
        const PmLockAcquisition *acquisition =
            &g_array_index(scene->acquisitions, PmLockAcquisition, i);
        if (acquisition->lock == lock && acquisition->shared == shared)
            uses[threads[acquisition->thread].group] = TRUE;
    }
    for (guint i = 0; i < scene->acquisitions->len; i++) {
        guint32 thread = g_array_index(scene->acquisitions, PmLockAcquisition, i).thread;
        n += uses[threads[thread].group] && !counted[thread];
        counted[thread] = TRUE;
    }
    return n;
}

/* Acquisitions that nobody waited for and that did not wait left no trace. Their number is inferred
 * span by span, for a lock may be used in bursts. */
static void add_unseen(Scene *scene, guint32 index, GArray *gaps, GRand *rand)
{
    const Lock *lock = &g_array_index(scene->locks, Lock, index);
    g_autofree guint8 *uses = g_new0(guint8, scene->recording->n_groups + 1);
    guint n_threads = note_users(scene, index, FALSE, uses);
    g_autoptr(GArray) spans = spans_of(scene, index);
    /* Long holds are waited for more often than short ones: the others are shorter. */
    double unseen = 0, all = 0, busy = 0;
    for (guint i = 0; i < spans->len; i++) {
        const Span *span = &g_array_index(spans, Span, i);
        unseen += unseen_in(span, lock, n_threads);
        all += span->taken;
        busy += span->busy;
    }
    if (unseen == 0)
        return;
    double hold = CLAMP(((all + unseen) * lock->hold - busy) / unseen, lock->hold / 4, lock->hold);
    if (hold < 1)
        return;
    const gint64 length = pm_rounded(floor(hold));
    list_all(scene, index, spans, gaps, uses, length);
    for (guint i = 0; i < spans->len; i++) {
        guint n = unseen_in(&g_array_index(spans, Span, i), lock, n_threads);
        if (n > 0)
            place_acquisitions(scene, index, gaps, rand, spans, i, length, n);
    }
}

/* Puts about `n` acquisitions that share a lock into the gaps, evenly: who shares it is only kept
 * out while somebody has it alone or waits for that. */
static void place_shared_acquisitions(Scene *scene, guint32 index, const GArray *gaps,
                                      const guint8 *uses, gint64 hold, guint n)
{
    g_autoptr(GArray) closed = g_array_new(FALSE, FALSE, sizeof(Stretch));
    g_autoptr(GArray) open = g_array_new(FALSE, FALSE, sizeof(Gap));
    double room = 0, due = 0;
    for (guint i = 0; i < scene->acquisitions->len; i++) {
        const PmLockAcquisition *acquisition =
            &g_array_index(scene->acquisitions, PmLockAcquisition, i);
        Stretch stretch = {acquisition->asked, acquisition->released};
        if (acquisition->lock == index && !acquisition->shared)
            g_array_append_val(closed, stretch);
    }
    join_stretches(closed);
    for (guint i = 0; i < gaps->len; i++) {
        Gap gap = g_array_index(gaps, Gap, i);
        if (!uses[scene->recording->threads[gap.thread].group])
            continue;
        guint k = stretch_from(closed, gap.begin);
        if (k > 0)
            gap.begin = MAX(gap.begin, g_array_index(closed, Stretch, k - 1).end);
        for (; gap.begin < gap.end; k++) {
            Stretch next = {G_MAXINT64, G_MAXINT64};
            if (k < closed->len)
                next = g_array_index(closed, Stretch, k);
            Gap piece = {gap.begin, MIN(gap.end, next.begin), gap.thread};
            if (piece.begin < piece.end) {
                g_array_append_val(open, piece);
                room += (double)(piece.end - piece.begin);
            }
            gap.begin = MAX(gap.begin, next.end);
        }
    }
    for (guint i = 0; i < open->len; i++) {
        const Gap *piece = &g_array_index(open, Gap, i);
        gint64 length = piece->end - piece->begin;
        due += n * (double)length / room;
        gint64 fit = MIN((gint64)due, MAX(length / MAX(hold, 1), 1));
        due -= (double)(gint64)due;
        for (gint64 k = 0; k < fit; k++) {
            gint64 got = piece->begin + (gint64)((__int128)k * length / fit);
            add_acquisition(scene, index,
                            (PmLockAcquisition){.asked = got,
                                                .got = got,
                                                .released = got + MIN(hold, length / fit),
                                                .thread = piece->thread,
                                                .shared = TRUE});
        }
    }
}

/* The same of a lock that is shared: of both sides, as lock-acquisition.h has their numbers. */
static void add_unseen_shared(Scene *scene, guint32 index, GArray *gaps, GRand *rand)
{
    const Lock *lock = &g_array_index(scene->locks, Lock, index);
    for (guint shared = 0; shared < 2; shared++) {
        g_autofree guint8 *uses = g_new0(guint8, scene->recording->n_groups + 1);
        const PmLockAcquisitionSide *side = &lock->sides[shared];
        note_users(scene, index, shared, uses);
        if (side->n_unseen == 0 || side->hold < 1)
            continue;
        const gint64 hold = pm_rounded(floor(side->hold));
        if (shared) {
            place_shared_acquisitions(scene, index, gaps, uses, hold, side->n_unseen);
            continue;
        }
        g_autoptr(GArray) spans = spans_new();
        add_span(spans, scene->from, scene->to);
        list_all(scene, index, spans, gaps, uses, hold);
        place_acquisitions(scene, index, gaps, rand, spans, 0, hold, side->n_unseen);
    }
}

/* -- the model -- */

/* What a thread does at an instant; an acquisition's request comes before its release, and an
 * earlier acquisition's release before a later one's request. */
typedef struct {
    gint64 at;
    guint acquisition;
    gboolean asks;
} Act;

static int compare_acts(gconstpointer left, gconstpointer right)
{
    const Act *a = left, *b = right;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    if (a->acquisition != b->acquisition)
        return a->acquisition < b->acquisition ? -1 : 1;
    return (int)b->asks - (int)a->asks;
}

/* Appends the steps of one thread, whose acquisitions are given in order; returns what is left of
 * its round. */
static double add_steps(const Scene *scene, const PmLockAcquisition *acquisitions, guint n,
                        GArray *steps)
{
    g_autoptr(GArray) acts = g_array_sized_new(FALSE, FALSE, sizeof(Act), 2 * n);
    for (guint i = 0; i < n; i++) {
        Act ask = {acquisitions[i].asked, i, TRUE}, release = {acquisitions[i].released, i, FALSE};
        g_array_append_val(acts, ask);
        g_array_append_val(acts, release);
    }
    g_array_sort(acts, compare_acts);
    gint64 runs = scene->from; /* since when it runs, as far as its acquisitions tell */
    guint holds = 0;
    for (guint i = 0; i < acts->len; i++) {
        const Act *act = &g_array_index(acts, Act, i);
        const PmLockAcquisition *acquisition = &acquisitions[act->acquisition];
        PmReplayStep step = {.before = (double)MAX(act->at - runs, 0),
                             .lock = acquisition->lock,
                             .asks = act->asks,
                             .shared = acquisition->shared,
                             .scaled = holds > 0};
        g_array_append_val(steps, step);
        runs = MAX(runs, act->asks ? acquisition->got : acquisition->released);
        if (acquisition->lock == 0)
            holds += act->asks ? 1 : -1;
    }
    return (double)MAX(scene->to - runs, 0);
}

typedef struct {
    GArray *steps, *threads, *locks; /* of PmReplayStep, PmReplayThread, PmReplayLock */
} Model;

static void model_clear(Model *model)
{
    g_clear_pointer(&model->steps, g_array_unref);
    g_clear_pointer(&model->threads, g_array_unref);
    g_clear_pointer(&model->locks, g_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Model, model_clear)

static void model_init(Model *model, const Scene *scene)
{
    const PmLockAcquisition *acquisitions = (const PmLockAcquisition *)scene->acquisitions->data;
    guint n = scene->acquisitions->len;
    model->steps = g_array_sized_new(FALSE, FALSE, sizeof(PmReplayStep), 2 * n);
    model->threads = g_array_new(FALSE, FALSE, sizeof(PmReplayThread));
    model->locks = g_array_new(FALSE, FALSE, sizeof(PmReplayLock));
    for (guint i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && acquisitions[end].thread == acquisitions[i].thread; end++)
            ;
        PmReplayThread thread = {.n_steps = 2 * (end - i)};
        thread.rest = add_steps(scene, acquisitions + i, end - i, model->steps);
        g_array_append_val(model->threads, thread);
    }
    const PmReplayStep *step = (const PmReplayStep *)model->steps->data;
    for (guint i = 0; i < model->threads->len; i++) {
        PmReplayThread *thread = &g_array_index(model->threads, PmReplayThread, i);
        thread->steps = step;
        step += thread->n_steps;
    }
    for (guint i = 0; i < scene->locks->len; i++) {
        const Lock *from = &g_array_index(scene->locks, Lock, i);
        PmReplayLock lock = {.handoff = from->handoff, .fair = from->is_fair};
        g_array_append_val(model->locks, lock);
    }
}

static gboolean run(const Model *model, const Scene *scene, double factor, PmReplayOutcome *ret)
{
    guint64 round = g_array_index(scene->locks, Lock, 0).n_acquisitions;
    guint64 rounds = CLAMP(ENOUGH_ACQUISITIONS / MAX(round, 1), FEWEST_ROUNDS, MOST_ROUNDS);
    return pm_replay_run((const PmReplayThread *)model->threads->data, model->threads->len,
                         (const PmReplayLock *)model->locks->data, model->locks->len, 0, factor,
                         round, rounds * round, (double)(scene->to - scene->from), ret);
}

/* How many threads take the first lock. */
static guint count_threads(const Scene *scene)
{
    const PmLockAcquisition *acquisitions = (const PmLockAcquisition *)scene->acquisitions->data;
    guint32 last = G_MAXUINT32;
    guint n = 0;
    for (guint i = 0; i < scene->acquisitions->len; i++) {
        if (acquisitions[i].lock != 0 || acquisitions[i].thread == last)
            continue;
        last = acquisitions[i].thread;
        n++;
    }
    return n;
}

gboolean pm_whatif_contradict(const PmWhatIf *what_ifs, guint n)
{
    for (guint i = 0; i < n; i++) {
        if (what_ifs[i].factor < 1 && what_ifs[i].speed_up < 1 - CHANCE)
            return TRUE;
        for (guint k = 0; k < n; k++)
            if (what_ifs[i].factor < what_ifs[k].factor &&
                what_ifs[i].speed_up < what_ifs[k].speed_up * (1 - CHANCE))
                return TRUE;
    }
    return FALSE;
}

gboolean pm_whatif_compute(const PmView *view, const PmContention *contention, guint32 blocker,
                           const double *factors, guint n_factors, PmWhatIf *ret_what_ifs)
{
    g_return_val_if_fail(view != NULL && contention && ret_what_ifs != NULL, FALSE);
    const PmRecording *r = view->recording;
    const PmWaits *w = &r->waits;
    if (blocker == 0 || blocker >= r->n_blockers || !pm_contention_has_owner(contention, blocker))
        return FALSE;
    g_autoptr(GArray) locks = g_array_new(FALSE, TRUE, sizeof(Lock));
    g_array_set_clear_func(locks, lock_clear);
    g_autoptr(GArray) acquisitions = g_array_new(FALSE, FALSE, sizeof(PmLockAcquisition));
    Scene scene = {.recording = r,
                   .contention = contention,
                   .from = view->from,
                   .to = view->to,
                   .locks = locks,
                   .acquisitions = acquisitions};
    limit_rows(&scene, blocker);
    choose_locks(&scene, blocker);
    for (guint i = 0; i < locks->len; i++)
        gather_acquisitions(&scene, i);
    const Lock *lock = &g_array_index(locks, Lock, 0);
    if (lock->n_acquisitions < PM_WHATIF_MIN_HOLDS || !(lock->hold > 0))
        return FALSE;

    guint n_seen = lock->n_acquisitions;
    put_in_order(&scene);
    const guint n_threads = count_threads(&scene);
    g_autoptr(GArray) gaps = gaps_of(&scene);
    g_autoptr(GRand) rand = g_rand_new_with_seed(1);
    for (guint i = 0; i < locks->len; i++)
        if (g_array_index(locks, Lock, i).is_shared)
            add_unseen_shared(&scene, i, gaps, rand);
        else
            add_unseen(&scene, i, gaps, rand);
    put_in_order(&scene);
    g_auto(Model) model = {0};
    model_init(&model, &scene);
    PmReplayOutcome now;
    if (!run(&model, &scene, 1, &now))
        return FALSE;

    double replayed = 0;
    for (guint i = 0; i < lock->rows->len; i++) {
        guint32 row = g_array_index(lock->rows, guint32, i);
        replayed +=
            (double)(MIN(pm_wait_end(w, row), scene.to) - MAX(pm_wait_begin(w, row), scene.from));
    }
    gint64 waiting = 0;
    for (Run all = {0}; next_run(r, view->from, view->to, &all);)
        for (gsize i = 0; i < all.n; i++)
            if (all.blockers[i] == blocker && pm_wait_kind(w, all.first + i) != PM_KIND_WAIT)
                pm_sum_add(&waiting, pm_view_clip(view, (guint32)(all.first + i)));

    for (guint i = 0; i < n_factors; i++) {
        PmReplayOutcome then;
        if (!(factors[i] >= 0) || !run(&model, &scene, factors[i], &then))
            return FALSE;
        PmWhatIf what = {.blocker = blocker,
                         .factor = factors[i],
                         .n_holds = n_seen,
                         .n_unseen = lock->n_acquisitions - n_seen,
                         .n_measured = lock->n_measured,
                         .hold = pm_rounded(lock->hold),
                         .handoff = pm_rounded(lock->handoff),
                         .waiting = waiting,
                         .is_once = n_seen < 2 * n_threads,
                         .speed_up = then.rate / now.rate};
        what.model_quality = replayed > 0 ? now.early_waiting / replayed : NAN;
        if (now.first_waiting > 0)
            what.waiting_then =
                pm_rounded((double)waiting * then.first_waiting / now.first_waiting);
        /* No queue gains more than its server; at the seams between two rounds the model may. */
        if (what.factor > 0 && what.factor < 1)
            what.speed_up = MIN(what.speed_up, 1 / what.factor);
        ret_what_ifs[i] = what;
    }
    const gboolean contradicts = pm_whatif_contradict(ret_what_ifs, n_factors);
    for (guint i = 0; i < n_factors; i++)
        ret_what_ifs[i].contradicts_itself = contradicts;
    return TRUE;
}

/* How many waits for each blocker were seen, of those that an acquisition can be read from. */
static guint32 *count_waits(const PmView *view)
{
    const PmRecording *r = view->recording;
    guint32 *n_waits = g_new0(guint32, MAX(r->n_blockers, 1));
    for (Run run = {0}; next_run(r, view->from, view->to, &run);)
        for (gsize i = 0; i < run.n; i++)
            n_waits[run.blockers[i]]++;
    return n_waits;
}

/* FALSE: the lock has too few holds, however those were split and whoever else got it. */
static gboolean may_be_predicted(const PmView *view, const PmContention *contention,
                                 guint32 blocker, guint32 n_waits)
{
    if (n_waits >= PM_WHATIF_MIN_HOLDS ||
        pm_lock_acquisition_is_shared_lock(view->recording, blocker))
        return TRUE;
    g_autoptr(GArray) holds = g_array_new(FALSE, FALSE, sizeof(PmHold));
    pm_contention_owned(contention, blocker, view->from, view->to, holds);
    return 2 * holds->len + n_waits >= PM_WHATIF_MIN_HOLDS;
}

GArray *pm_whatif_first(const PmView *view, const PmContention *contention, const GArray *blockers,
                        guint most, const GArray *factors)
{
    GArray *all = g_array_new(FALSE, FALSE, sizeof(PmWhatIf));
    g_autofree guint32 *n_waits = count_waits(view);
    for (guint i = 0; i < blockers->len && most > 0; i++) {
        const guint32 blocker = g_array_index(blockers, guint32, i);
        if (!may_be_predicted(view, contention, blocker, n_waits[blocker]))
            continue;
        const guint n = all->len;
        g_array_set_size(all, n + factors->len);
        if (pm_whatif_compute(view, contention, blocker,
                              (const double *)(gconstpointer)factors->data, factors->len,
                              &g_array_index(all, PmWhatIf, n)))
            most--;
        else
            g_array_set_size(all, n);
    }
    return all;
}
