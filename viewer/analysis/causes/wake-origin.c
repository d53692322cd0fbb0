/* Who gave what a wait was for: not one that passed a wake on, and not one that only released the
 * lock a signalled waiter came to. */
#include "viewer/analysis/causes/contention-private.h"

#include "viewer/analysis/recording/category.h"
#include "viewer/analysis/base/search.h"

/* How many handoffs between conditions' waiters a signal is followed back through. */
#define MAX_SIGNALLED 64

/* A waiter that was woken wakes the next one this soon, or it does so for another reason. */
#define PASS_ON_NS 10000000

/* Of what a wake that is passed on is followed back: what the waiter owns afterwards; any of its
 * class where each wait has an object of its own, as those of a phaser and for a future. */
static guint32 place_of(const PmRecording *r, guint32 row)
{
    const PmBlocker *blocker = &r->blockers[pm_wait_blocker(&r->waits, row)];
    const guint8 category = pm_wait_category(&r->waits, row);
    return !blocker->parent && (category == PM_CATEGORY_BARRIER || category == PM_CATEGORY_FUTURE)
               ? r->n_blockers + blocker->class_index
               : pm_wait_owned_after(r, row);
}

/* By place, thread, end. */
static gint followed_compare(gconstpointer left, gconstpointer right, gpointer data)
{
    const PmRecording *r = data;
    const PmWaits *w = &r->waits;
    guint32 a = *(const guint32 *)left, b = *(const guint32 *)right;
    guint32 owned_a = place_of(r, a), owned_b = place_of(r, b);
    if (owned_a != owned_b)
        return owned_a < owned_b ? -1 : 1;
    if (pm_wait_thread(w, a) != pm_wait_thread(w, b))
        return pm_wait_thread(w, a) < pm_wait_thread(w, b) ? -1 : 1;
    return (pm_wait_end(w, a) > pm_wait_end(w, b)) - (pm_wait_end(w, a) < pm_wait_end(w, b));
}

GArray *pm_contention_find_followed(const PmContention *c)
{
    const PmRecording *r = c->recording;
    const PmWaits *w = &r->waits;
    GArray *followed = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_autofree guint8 *wanted = g_new0(guint8, r->n_blockers + r->n_classes);
    gboolean any = FALSE;
    for (gsize i = 0; (i = pm_contention_marked(c, i, PM_HAS_FOLLOWED)) < w->n; i++)
        if (pm_contention_is_passed_on(w, (guint32)i) || pm_contention_is_signalled(r, (guint32)i))
            wanted[place_of(r, (guint32)i)] = any = TRUE;
    for (gsize i = 0; i < w->n && any; i++) {
        guint32 row = (guint32)i;
        if (pm_wait_waker(w, i) && wanted[place_of(r, row)])
            g_array_append_val(followed, row);
    }
    g_array_sort_with_data(followed, followed_compare, (gpointer)r);
    return followed;
}

/* Does the row at a position of `followed` come before what is behind the thread's waits for
 * `owned` that ended at or before `at`? */
static gboolean is_before(const PmContention *c, gsize position, guint32 owned, guint32 thread,
                          gint64 at)
{
    const PmWaits *w = &c->recording->waits;
    guint32 row = g_array_index(c->followed, guint32, position);
    guint32 its = place_of(c->recording, row);
    return its != owned                       ? its < owned
           : pm_wait_thread(w, row) != thread ? pm_wait_thread(w, row) < thread
                                              : pm_wait_end(w, row) <= at;
}

/* The position in `followed` behind the last wait of `thread` for `owned` that ended at or before
 * `at`. */
static guint position_after(const PmContention *c, guint32 owned, guint32 thread, gint64 at)
{
    guint low = 0, high = c->followed->len;
    PM_LOWER_BOUND(low, high, middle, is_before(c, middle, owned, thread, at))
    return low;
}

/* The wait before `position`, when it is one of `thread` for `owned`; else G_MAXUINT32. */
static guint32 wait_before(const PmContention *c, guint32 owned, guint32 thread, guint position)
{
    if (position == 0)
        return G_MAXUINT32;
    guint32 row = g_array_index(c->followed, guint32, position - 1);
    return place_of(c->recording, row) == owned &&
                   pm_wait_thread(&c->recording->waits, row) == thread
               ? row
               : G_MAXUINT32;
}

guint32 pm_contention_root_of(const PmContention *c, guint32 row, gboolean *ret_sure)
{
    const PmWaits *w = &c->recording->waits;
    const gint64 begin = pm_wait_begin(w, row);
    *ret_sure = TRUE;
    for (guint steps = 0; pm_contention_is_passed_on(w, row); steps++) {
        guint32 owned = place_of(c->recording, row), waker = pm_wait_waker(w, row);
        guint32 before =
            wait_before(c, owned, waker, position_after(c, owned, waker, pm_wait_wake(w, row)));
        if (before == G_MAXUINT32 || before == row || steps >= 10000 ||
            pm_wait_wake(w, row) - pm_wait_end(w, before) > PASS_ON_NS) {
            *ret_sure = FALSE;
            break;
        }
        *ret_sure &= !pm_contention_is_late_wake(w, row) && owned < c->recording->n_blockers;
        row = before;
    }
    *ret_sure &= pm_wait_wake(w, row) > begin; /* else it was for others */
    return row;
}

/* -- who signalled --
 *
 * A signal is not seen: it moves the waiter to the queue of the parent lock, where it stays parked
 * until it heads that queue. The release that ends its wait was the signaller's own, unless others
 * stood before it in the queue: the signaller released, they held in turn, and the last of them
 * woke it. Who stood before it had queued before the signal, so the signal fell into one of the
 * holds from then on. */

/* When the thread that acquired the lock at `at` had queued for it; G_MININT64 when it had not:
 * nothing is known to have stood before. `ret_signalled`: it had not queued itself but been
 * signalled, at some time after the one returned. */
static gint64 queued_since(const PmContention *c, guint32 lock, guint32 thread, gint64 at,
                           gboolean *ret_signalled)
{
    const PmRecording *r = c->recording;
    const PmWaits *w = &r->waits;
    guint position = position_after(c, lock, thread, at);
    guint32 row = wait_before(c, lock, thread, position);
    *ret_signalled = FALSE;
    if (row == G_MAXUINT32 || pm_wait_end(w, row) != at)
        return G_MININT64;
    gint64 since = pm_wait_begin(w, row);
    while (
        !pm_contention_is_signalled(r, row)) { /* it may have lost the race to a barging thread */
        row = wait_before(c, lock, thread, --position);
        if (row == G_MAXUINT32 || since - pm_wait_end(w, row) > PM_ACTIVITY_REPARK_NS)
            return since;
        since = pm_wait_begin(w, row);
    }
    *ret_signalled = TRUE;
    return since;
}

gboolean pm_contention_find_signal(const PmContention *c, guint32 row, PmSignal *ret_signal)
{
    const PmWaits *w = &c->recording->waits;
    const PmTimelines *lines = c->timelines;
    if (!pm_contention_is_signalled(c->recording, row))
        return FALSE;
    const guint32 lock = pm_wait_owned_after(c->recording, row);
    if (!pm_timelines_n(lines, lock))
        return FALSE;
    gint64 last = pm_timelines_before(lines, lock, pm_wait_wake(w, row));
    if (last < 0)
        return FALSE;
    PmSegment segment = pm_timelines_segment(lines, lock, (guint32)last);
    if (!pm_segment_is_held(&segment) || segment.thread != pm_wait_waker(w, row))
        return FALSE;
    gint64 first = last, from = segment.begin;
    for (guint steps = 0; segment.acquired && steps < MAX_SIGNALLED; steps++) {
        gboolean signalled;
        gint64 since = queued_since(c, lock, segment.thread, segment.begin, &signalled);
        if (since == G_MININT64)
            break;
        if (!signalled) {
            first = CLAMP(pm_timelines_before(lines, lock, since), 0, first);
            from = MAX(since, pm_timelines_begin(lines, lock, (guint32)first));
            break;
        }
        /* It stood before us, signalled itself: in the hold before, or sooner. */
        gint64 before = first;
        do
            if (--before >= 0)
                segment = pm_timelines_segment(lines, lock, (guint32)before);
        while (before >= 0 && !pm_segment_is_held(&segment));
        if (before < 0 || pm_timelines_begin(lines, lock, (guint32)before + 1) <= since)
            break;
        if (segment.begin < since) { /* it is not known when that hold began: after the wait did */
            first = before;
            from = since;
            break;
        }
        first = before;
        from = segment.begin;
    }
    while (first < last &&
           pm_timelines_begin(lines, lock, (guint32)first + 1) <= pm_wait_begin(w, row))
        first++;
    *ret_signal = (PmSignal){.lock = lock,
                             .first = (guint32)first,
                             .last = (guint32)last,
                             .from = MAX(from, pm_wait_begin(w, row))};
    for (guint32 i = ret_signal->first; i <= ret_signal->last; i++) {
        segment = pm_timelines_segment(lines, lock, i);
        ret_signal->n += pm_segment_is_held(&segment) && segment.thread != pm_wait_thread(w, row);
    }
    return ret_signal->n > 0;
}

/* Of the times that a chain may have signalled a condition as it released the lock: 1 for each
 * where it alone can have been it, a half where one of two was, and so on. */
typedef struct {
    gdouble times;
    guint n;
} Signaller;

static gint64 signaller_key(guint32 condition, const PmSegment *segment)
{
    return (gint64)((guint64)condition << 32 |
                    (segment->chain ? segment->chain : G_MAXUINT32 - segment->thread));
}

void pm_contention_count_signallers(PmContention *c, guint32 row)
{
    PmSignal signal;
    if (!pm_contention_find_signal(c, row, &signal))
        return;
    for (guint32 i = signal.first; i <= signal.last; i++) {
        PmSegment segment = pm_timelines_segment(c->timelines, signal.lock, i);
        if (!pm_segment_is_held(&segment) ||
            segment.thread == pm_wait_thread(&c->recording->waits, row))
            continue;
        gint64 key = signaller_key(pm_wait_blocker(&c->recording->waits, row), &segment);
        Signaller *signaller = g_hash_table_lookup(c->signallers, &key);
        if (!signaller) {
            signaller = g_new0(Signaller, 1);
            g_hash_table_insert(c->signallers, g_memdup2(&key, sizeof key), signaller);
        }
        signaller->times += 1.0 / signal.n;
        signaller->n++;
    }
}

guint32 pm_contention_choose_signaller(const PmContention *c, guint32 row, const PmSignal *signal)
{
    guint32 best = G_MAXUINT32;
    gdouble best_likelihood = 0;
    for (guint32 i = signal->first; i <= signal->last; i++) {
        PmSegment segment = pm_timelines_segment(c->timelines, signal->lock, i);
        if (!pm_segment_is_held(&segment) ||
            segment.thread == pm_wait_thread(&c->recording->waits, row))
            continue;
        gint64 key = signaller_key(pm_wait_blocker(&c->recording->waits, row), &segment);
        const Signaller *signaller = g_hash_table_lookup(c->signallers, &key);
        gdouble likelihood = signaller ? signaller->times / signaller->n : 0;
        if (best == G_MAXUINT32 || likelihood > best_likelihood + 0.001) {
            best = i;
            best_likelihood = likelihood;
        }
    }
    return best;
}

gboolean pm_contention_may_be_followed(const PmContention *c, gsize row)
{
    return (c->marks[pm_recording_block(c->recording, row)] & PM_HAS_FOLLOWED) != 0;
}

/* Does it wait again, after an unpark for something before, or after any for what a thread gets but
 * once? Then whoever woke it gave it nothing. */
static gboolean is_still_wanted(const PmContention *c, guint32 row)
{
    const PmWaits *w = &c->recording->waits;
    if (!pm_activity_is_repeated(c->activity, row) || !pm_wait_waker(w, row))
        return FALSE;
    const guint8 category = pm_wait_category(w, row);
    return category == PM_CATEGORY_FUTURE || category == PM_CATEGORY_LATCH ||
           pm_wait_wake_cause(w, row) == PM_WAKE_PERMIT;
}

gboolean pm_contention_is_woken_in_vain(const PmContention *c, guint32 row)
{
    const PmWaits *w = &c->recording->waits;
    return (pm_wait_wake_cause(w, row) == PM_WAKE_CANCELLATION &&
            pm_category_family(pm_wait_category(w, row)) == PM_FAMILY_JOIN) ||
           is_still_wanted(c, row);
}

gboolean pm_contention_origin_of(const PmContention *c, guint32 row, PmGive *ret_give)
{
    const PmWaits *w = &c->recording->waits;
    PmSignal signal;
    if (!pm_wait_waker(w, row) || !pm_wait_wake(w, row))
        return FALSE;
    if (pm_contention_find_signal(c, row, &signal)) {
        guint32 nth = pm_contention_choose_signaller(c, row, &signal);
        PmSegment segment = pm_timelines_segment(c->timelines, signal.lock, nth);
        gint64 released = nth + 1 < pm_timelines_n(c->timelines, signal.lock)
                              ? pm_timelines_begin(c->timelines, signal.lock, nth + 1)
                              : G_MAXINT64;
        *ret_give = (PmGive){.at = MIN(released, pm_wait_wake(w, row)),
                             .thread = segment.thread,
                             .chain = segment.chain};
        return TRUE;
    }
    gboolean sure;
    guint32 root = pm_contention_root_of(c, row, &sure);
    *ret_give = (PmGive){.at = pm_wait_wake(w, root),
                         .thread = pm_wait_waker(w, root),
                         .chain = pm_wait_waker_chain(w, root)};
    return TRUE;
}

gboolean pm_contention_ender(const PmContention *c, guint32 row, guint32 *ret_thread,
                             guint32 *ret_chain)
{
    PmGive give;
    if (is_still_wanted(c, row) || !pm_contention_origin_of(c, row, &give))
        return FALSE;
    *ret_thread = give.thread;
    *ret_chain = give.chain;
    return TRUE;
}

void pm_contention_enders(const PmContention *c, gsize first, gsize n, guint32 *ret_threads,
                          guint32 *ret_chains)
{
    const PmWaits *w = &c->recording->waits;
    gint64 wakes[PM_READ_AT_ONCE], wakers[PM_READ_AT_ONCE], chains[PM_READ_AT_ONCE];
    PmGive give;
    for (gsize done = 0, its; done < n; done += its) {
        its = MIN(n - done, PM_READ_AT_ONCE);
        pm_wait_columns(w, PM_WAIT_COLUMN_WAKE, first + done, its, wakes);
        pm_wait_columns(w, PM_WAIT_COLUMN_WAKER, first + done, its, wakers);
        pm_wait_columns(w, PM_WAIT_COLUMN_WAKER_CHAIN, first + done, its, chains);
        for (gsize i = 0; i < its; i++) {
            guint32 *thread = &ret_threads[done + i], *chain = &ret_chains[done + i];
            const gsize row = first + done + i;
            *thread = wakes[i] != 0 ? (guint32)wakers[i] : 0;
            *chain = (guint32)chains[i];
            if (*thread && is_still_wanted(c, (guint32)row))
                *thread = 0;
            if (*thread && pm_contention_may_be_followed(c, row) &&
                pm_contention_origin_of(c, (guint32)row, &give)) {
                *thread = give.thread;
                *chain = give.chain;
            }
        }
    }
}
