/* Who gave what a wait was for: not one that passed a wake on, and not one that only released the
 * lock a signalled waiter came to. */
#include "viewer/analysis/causes/contention-private.h"

#include <math.h>
#include <string.h>

#include "viewer/analysis/recording/category.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/analysis/base/cancel.h"
#include "viewer/analysis/base/pair.h"
#include "viewer/analysis/base/search.h"
#include "viewer/analysis/base/sort.h"
#include "viewer/analysis/base/workers.h"

/* How many handoffs between conditions' waiters a signal is followed back through. */
#define MAX_SIGNALLED 64
/* So much likelier is no likelier. */
#define ALIKE 0.001

/* A waiter that was woken wakes the next one this soon, or it does so for another reason. */
#define PASS_ON_NS 10000000

gboolean pm_contention_find_followed(PmContention *c, const gint *cancel)
{
    const PmRecording *r = c->recording;
    g_autofree guint8 *wanted = g_new0(guint8, pm_followed_n_places(r));
    for (gsize i = 0; (i = pm_contention_marked(c, i, PM_HAS_FOLLOWED)) < r->waits.n; i++)
        if (pm_contention_is_passed_on(&r->waits, (guint32)i) ||
            pm_contention_is_signalled(r, (guint32)i))
            wanted[pm_followed_place(r, (guint32)i)] = TRUE;
    c->followed = pm_followed_new(r, wanted, cancel);
    return c->followed != NULL;
}

guint32 pm_contention_root_of(const PmContention *c, guint32 row, gboolean *ret_sure)
{
    const PmWaits *w = &c->recording->waits;
    const gint64 begin = pm_wait_begin(w, row);
    *ret_sure = TRUE;
    for (guint steps = 0; pm_contention_is_passed_on(w, row); steps++) {
        const guint32 owned = pm_followed_place(c->recording, row);
        PmBefore ended =
            pm_followed_until(c->followed, owned, pm_wait_waker(w, row), pm_wait_wake(w, row));
        const guint32 before = pm_before_next(&ended);
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
 * nothing is known to have stood before. `ret_after`: the wait in which it acquired it, else
 * G_MAXUINT32; `ret_signalled`: the wait in which it had not queued itself but been signalled, at
 * some time after the one returned; else G_MAXUINT32. */
static gint64 queued_since(const PmContention *c, guint32 lock, guint32 thread, gint64 at,
                           guint32 *ret_after, guint32 *ret_signalled)
{
    const PmRecording *r = c->recording;
    const PmWaits *w = &r->waits;
    PmBefore ended = pm_followed_until(c->followed, lock, thread, at);
    guint32 row = pm_before_next(&ended);
    *ret_after = *ret_signalled = G_MAXUINT32;
    if (row == G_MAXUINT32 || pm_wait_end(w, row) != at)
        return G_MININT64;
    *ret_after = row;
    gint64 since = pm_wait_begin(w, row);
    while (
        !pm_contention_is_signalled(r, row)) { /* it may have lost the race to a barging thread */
        row = pm_before_next(&ended);
        if (row == G_MAXUINT32 || since - pm_wait_end(w, row) > PM_ACTIVITY_REPARK_NS)
            return since;
        since = pm_wait_begin(w, row);
    }
    *ret_signalled = row;
    return since;
}

/* Was the lock released in another call than that which had waited with it, as a pool's that gives
 * back after the one that took? Then who waited released it unseen, and took it again; but if both
 * are steps of one call of that class, it may have kept it. */
static gboolean is_another_hold(const PmRecording *r, guint32 waited, guint32 released)
{
    const PmChain *w = &r->chains[waited], *g = &r->chains[released];
    const guint32 i = pm_label_taking_frame(r, waited), k = pm_label_taking_frame(r, released);
    if (i >= w->n_frames || k >= g->n_frames ||
        pm_recording_has_method(r, waited, g->frames[k].method) ||
        pm_recording_has_method(r, released, w->frames[i].method))
        return FALSE;
    guint32 common = 0; /* frames from the outermost on */
    while (common < w->n_frames - i && common < g->n_frames - k &&
           w->frames[w->n_frames - 1 - common].method == g->frames[g->n_frames - 1 - common].method)
        common++;
    if (!common)
        return TRUE;
    const char *caller = pm_recording_class_at(r, w, w->n_frames - common);
    return g_strcmp0(caller, pm_recording_class_at(r, w, i)) != 0 &&
           g_strcmp0(caller, pm_recording_class_at(r, g, k)) != 0;
}

/* A hold, and how its thread came to it, see queued_since. */
typedef struct {
    gint64 since;
    PmSegment segment;
    guint32 lock, nth; /* 0, 0: nothing is noted here */
    guint32 after, signalled;
} Hold;

/* Those met last: of waiters that hand a lock on, each next one is followed back through the same.
 */
typedef struct {
    Hold *at;
    guint32 n;
} Holds;

static const Hold *hold_at(const PmContention *c, guint32 lock, guint32 nth, Holds *holds)
{
    Hold *hold = &holds->at[(lock * 61 + nth) % holds->n];
    if (hold->lock == lock && hold->nth == nth && lock)
        return hold;
    *hold = (Hold){.segment = pm_timelines_segment(c->timelines, lock, nth),
                   .lock = lock,
                   .nth = nth,
                   .since = G_MININT64,
                   .after = G_MAXUINT32,
                   .signalled = G_MAXUINT32};
    if (hold->segment.acquired && pm_segment_is_held(&hold->segment))
        hold->since = queued_since(c, lock, hold->segment.thread, hold->segment.begin, &hold->after,
                                   &hold->signalled);
    return hold;
}

static gboolean find_signal(const PmContention *c, guint32 row, Holds *holds, PmSignal *ret_signal)
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
    const Hold *hold = hold_at(c, lock, (guint32)last, holds);
    if (!pm_segment_is_held(&hold->segment) || hold->segment.thread != pm_wait_waker(w, row))
        return FALSE;
    const guint32 victim = pm_wait_thread(w, row);
    const gint64 begin = pm_wait_begin(w, row);
    gint64 first = last, from = hold->segment.begin;
    *ret_signal = (PmSignal){.lock = lock,
                             .last = (guint32)last,
                             .n = hold->segment.thread != victim,
                             .after = hold->after,
                             .signalled = hold->signalled};
    for (guint steps = 0; hold->since != G_MININT64 && steps < MAX_SIGNALLED; steps++) {
        const gint64 since = hold->since;
        if (hold->signalled == G_MAXUINT32) {
            first = CLAMP(pm_timelines_before(lines, lock, since), 0, first);
            from = MAX(since, pm_timelines_begin(lines, lock, (guint32)first));
            break;
        }
        /* It stood before us, signalled itself: in the hold before, or sooner. */
        gint64 before = first;
        do
            if (--before >= 0)
                hold = hold_at(c, lock, (guint32)before, holds);
        while (before >= 0 && !pm_segment_is_held(&hold->segment));
        if (before < 0 || pm_timelines_begin(lines, lock, (guint32)before + 1) <= since)
            break;
        first = before;
        if (hold->segment.begin < since) { /* it is not known when that hold began */
            from = since;
            break;
        }
        from = hold->segment.begin;
    }
    while (first < last && pm_timelines_begin(lines, lock, (guint32)first + 1) <= begin)
        first++;
    ret_signal->first = (guint32)first;
    ret_signal->from = MAX(from, begin);
    for (; first < last; first++) {
        const PmSegment other = pm_timelines_segment(lines, lock, (guint32)first);
        ret_signal->n += pm_segment_is_held(&other) && other.thread != victim;
    }
    return ret_signal->n > 0;
}

gboolean pm_contention_find_signal(const PmContention *c, guint32 row, PmSignal *ret_signal)
{
    Hold few[16] = {0};
    Holds holds = {few, G_N_ELEMENTS(few)};
    return find_signal(c, row, &holds, ret_signal);
}

gboolean pm_contention_came_back(const PmContention *c, const PmSignal *signal)
{
    return signal->signalled != G_MAXUINT32 &&
           is_another_hold(c->recording, pm_wait_chain(&c->recording->waits, signal->signalled),
                           pm_timelines_segment(c->timelines, signal->lock, signal->last).chain);
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

static void count_times(GHashTable *signallers, gint64 key, gdouble times, guint n)
{
    Signaller *signaller = g_hash_table_lookup(signallers, &key);
    if (!signaller) {
        signaller = g_new0(Signaller, 1);
        g_hash_table_insert(signallers, g_memdup2(&key, sizeof key), signaller);
    }
    signaller->times += times;
    signaller->n += n;
}

static GHashTable *pair_table_new(void)
{
    return g_hash_table_new_full(pm_pair_at_hash, g_int64_equal, g_free, g_free);
}

/* Returns the last of those that may have signalled. */
static guint32 count_signallers(const PmContention *c, guint32 row, const PmSignal *signal,
                                GHashTable *signallers)
{
    guint32 last = signal->first;
    for (guint32 i = signal->first; i <= signal->last; i++) {
        PmSegment segment = pm_timelines_segment(c->timelines, signal->lock, i);
        if (!pm_segment_is_held(&segment) ||
            segment.thread == pm_wait_thread(&c->recording->waits, row))
            continue;
        const gint64 key = signaller_key(pm_wait_blocker(&c->recording->waits, row), &segment);
        count_times(signallers, key, 1.0 / signal->n, 1);
        last = i;
    }
    return last;
}

/* How likely who held the lock then signals this condition by releasing it. */
static gdouble likelihood_of(const PmContention *c, guint32 row, const PmSegment *segment)
{
    gint64 key = signaller_key(pm_wait_blocker(&c->recording->waits, row), segment);
    const Signaller *signaller = g_hash_table_lookup(c->signallers, &key);
    return signaller ? signaller->times / signaller->n : 0;
}

/* Those of a signal's candidates that are likeliest, each of another thread. */
typedef struct {
    gdouble likelihood;
    guint32 nths[MAX_SIGNALLED], threads[MAX_SIGNALLED];
    guint n;
} Candidates;

static void find_likeliest(const PmContention *c, guint32 row, const PmSignal *signal,
                           Candidates *ret_candidates)
{
    Candidates *likeliest = ret_candidates;
    likeliest->likelihood = -1;
    likeliest->n = 0;
    for (guint32 i = signal->first; i <= signal->last; i++) {
        PmSegment segment = pm_timelines_segment(c->timelines, signal->lock, i);
        if (!pm_segment_is_held(&segment) ||
            segment.thread == pm_wait_thread(&c->recording->waits, row))
            continue;
        const gdouble likelihood = likelihood_of(c, row, &segment);
        if (likelihood < likeliest->likelihood - ALIKE)
            continue;
        if (likelihood > likeliest->likelihood + ALIKE) {
            likeliest->likelihood = likelihood;
            likeliest->n = 0;
        }
        guint same = 0;
        while (same < likeliest->n && likeliest->threads[same] != segment.thread)
            same++;
        if (same < likeliest->n || same == MAX_SIGNALLED)
            continue;
        likeliest->nths[same] = i;
        likeliest->threads[same] = segment.thread;
        likeliest->n++;
    }
    /* Who came back had hardly stood before. */
    const PmSegment last = pm_timelines_segment(c->timelines, signal->lock, signal->last);
    if (likeliest->n > 1 && likelihood_of(c, row, &last) >= likeliest->likelihood - ALIKE &&
        pm_contention_came_back(c, signal)) {
        likeliest->nths[0] = signal->last;
        likeliest->threads[0] = last.thread;
        likeliest->n = 1;
    }
}

/* Of several that are equally likely: who was chosen for the waiter that held the lock before, as
 * one signal may be for many; else so that of the waiting each gets what is likely: that
 * it signalled, and those before it did not. `before`: who was chosen, G_MAXUINT32: nobody;
 * `owed_to`: condition and thread → the time that it still has to get. */
static guint choose_of(const PmContention *c, guint32 row, const Candidates *candidates,
                       guint32 before, GHashTable *owed_to)
{
    const PmWaits *w = &c->recording->waits;
    const gdouble length = (gdouble)(pm_wait_end(w, row) - pm_wait_begin(w, row));
    const gdouble other = 1 - MIN(candidates->likelihood, 1 - ALIKE);
    const gdouble all = (1 - pow(other, candidates->n)) / (1 - other);
    gdouble *owed[MAX_SIGNALLED], part = length / all;
    guint best = 0;
    for (guint i = 0; i < candidates->n; i++)
        if (candidates->nths[i] == before)
            return i;
    for (guint i = 0; i < candidates->n; i++, part *= other) {
        gint64 key = (gint64)((guint64)pm_wait_blocker(w, row) << 32 | candidates->threads[i]);
        owed[i] = g_hash_table_lookup(owed_to, &key);
        if (!owed[i]) {
            owed[i] = g_new0(gdouble, 1);
            g_hash_table_insert(owed_to, g_memdup2(&key, sizeof key), owed[i]);
        }
        *owed[i] += part;
        if (*owed[i] > *owed[best])
            best = i;
    }
    *owed[best] -= length;
    return best;
}

/* A wait that a signal or notification ended. */
typedef struct {
    gint64 wake;
    guint32 row;
    guint32 before;   /* the one before it that the same did; G_MAXUINT32: none */
    gboolean several; /* of several one may have signalled */
} Woken;

/* The wait after which the waker had the lock, if the signal that ended it ended `row` as well;
 * both had begun before. */
static guint32 signalled_before(const PmContention *c, guint32 row, const PmSignal *signal)
{
    const PmWaits *w = &c->recording->waits;
    const guint32 before = signal->after;
    /* Who takes from a queue passes its signal on itself. */
    return before != G_MAXUINT32 && pm_wait_blocker(w, before) == pm_wait_blocker(w, row) &&
                   pm_wait_begin(w, row) < pm_wait_wake(w, before) &&
                   !pm_label_is_in_queue(c->recording, pm_wait_chain(w, row))
               ? before
               : G_MAXUINT32;
}

/* What is kept of a row in `signals`: that no signal ended it, that several may have, to be found
 * out again, or how many segments before the last one the signaller held the lock. */
enum { NO_SIGNAL, OF_SEVERAL, SIGNALLED /* and so many more */ };

/* A block of rows, looked at by one thread. */
typedef struct {
    GArray *woken;          /* of Woken: signalled */
    GHashTable *signallers; /* signaller_key → Signaller */
    gint64 signals[PM_PACKED_BLOCK];
    Hold holds[256];
} WokenBlock;

#define BLOCKS_AT_ONCE 64

typedef struct {
    const PmContention *contention;
    const gint *cancel;
    gsize first; /* row, of the first block */
    WokenBlock blocks[BLOCKS_AT_ONCE];
} WokenBlocks;

static void look_at_block(gpointer data, guint index)
{
    WokenBlocks *blocks = data;
    WokenBlock *block = &blocks->blocks[index];
    const PmContention *c = blocks->contention;
    const gsize first = blocks->first + (gsize)index * PM_PACKED_BLOCK;
    const gsize end = MIN(first + PM_PACKED_BLOCK, c->recording->waits.n);
    memset(block->signals, 0, sizeof block->signals);
    memset(block->holds, 0, sizeof block->holds);
    Holds holds = {block->holds, G_N_ELEMENTS(block->holds)};
    g_array_set_size(block->woken, 0);
    for (gsize i = first; (i = pm_contention_marked(c, i, PM_HAS_WOKEN)) < end; i++) {
        PmSignal signal;
        if (pm_cancelled(blocks->cancel))
            break;
        if (!find_signal(c, (guint32)i, &holds, &signal))
            continue;
        Woken one = {pm_wait_wake(&c->recording->waits, i), (guint32)i, G_MAXUINT32, FALSE};
        const guint32 nth = count_signallers(c, one.row, &signal, block->signallers);
        one.before = signalled_before(c, one.row, &signal);
        one.several = signal.n > 1;
        block->signals[i - first] = one.several ? OF_SEVERAL : SIGNALLED + signal.last - nth;
        if (one.before != G_MAXUINT32 || one.several)
            g_array_append_val(block->woken, one);
    }
}

/* In the order of the file, whoever looked at it. */
static void take_block(PmContention *c, WokenBlock *block, gsize n, PmPackedWriter *signals,
                       GArray *woken)
{
    GHashTableIter iter;
    gpointer key, value;
    g_hash_table_iter_init(&iter, block->signallers);
    while (g_hash_table_iter_next(&iter, &key, &value)) {
        const Signaller *its = value;
        count_times(c->signallers, *(gint64 *)key, its->times, its->n);
    }
    g_hash_table_remove_all(block->signallers);
    g_array_append_vals(woken, block->woken->data, block->woken->len);
    for (gsize i = 0; i < n; i++)
        pm_packed_put(signals, block->signals[i]);
}

static void find_signalled(PmContention *c, GArray *woken, const gint *cancel)
{
    const gsize n = c->recording->waits.n, step = (gsize)BLOCKS_AT_ONCE * PM_PACKED_BLOCK;
    g_autofree WokenBlocks *blocks = g_new(WokenBlocks, 1);
    g_autofree PmPackedWriter *signals = g_new0(PmPackedWriter, 1);
    signals->list = &c->signals;
    blocks->contention = c;
    blocks->cancel = cancel;
    for (guint b = 0; b < BLOCKS_AT_ONCE; b++) {
        blocks->blocks[b].woken = g_array_new(FALSE, FALSE, sizeof(Woken));
        blocks->blocks[b].signallers = pair_table_new();
    }
    for (gsize i = 0; i < n && !pm_cancelled(cancel); i += step) {
        const gsize some = MIN(n - i, step);
        const guint n_blocks = (guint)((some + PM_PACKED_BLOCK - 1) / PM_PACKED_BLOCK);
        if (pm_contention_marked(c, i, PM_HAS_WOKEN) >= i + some) {
            pm_packed_put_same(signals, NO_SIGNAL, some);
            continue;
        }
        blocks->first = i;
        pm_workers_run(0, n_blocks, look_at_block, blocks);
        for (guint b = 0; b < n_blocks; b++)
            take_block(c, &blocks->blocks[b],
                       MIN(some - (gsize)b * PM_PACKED_BLOCK, PM_PACKED_BLOCK), signals, woken);
    }
    if (!pm_packed_end(signals))
        pm_packed_clear(&c->signals); /* then each is looked for when it is asked for */
    for (guint b = 0; b < BLOCKS_AT_ONCE; b++) {
        g_array_unref(blocks->blocks[b].woken);
        g_hash_table_unref(blocks->blocks[b].signallers);
    }
}

static void find_notified(const PmContention *c, GArray *woken, const gint *cancel)
{
    const PmWaits *w = &c->recording->waits;
    g_autoptr(GHashTable) last = g_hash_table_new(NULL, NULL); /* blocker → 1 + row */
    for (gsize i = 0;
         (i = pm_contention_marked(c, i, PM_HAS_WOKEN)) < w->n && !pm_cancelled(cancel); i++) {
        if (!pm_contention_is_notified(w, (guint32)i))
            continue;
        const Woken one = {pm_wait_wake(w, i), (guint32)i, G_MAXUINT32, FALSE};
        gpointer blocker = GUINT_TO_POINTER(pm_wait_blocker(w, i));
        const guint32 before = GPOINTER_TO_UINT(g_hash_table_lookup(last, blocker)) - 1;
        g_hash_table_insert(last, blocker, GUINT_TO_POINTER(one.row + 1));
        if (before != G_MAXUINT32 && pm_wait_wake(w, before) == one.wake &&
            pm_wait_waker(w, before) == pm_wait_waker(w, i)) {
            g_array_append_val(woken, one);
            g_array_index(woken, Woken, woken->len - 1).before = before;
        }
    }
}

/* Counts who signals. Returns the waits that were ended with others, and those that one of several
 * may have signalled, by wake. */
static GArray *find_woken(PmContention *c, const gint *cancel)
{
    GArray *woken = g_array_new(FALSE, FALSE, sizeof(Woken));
    find_signalled(c, woken, cancel);
    find_notified(c, woken, cancel);
    pm_sort_array(woken, sizeof(Woken));
    return woken;
}

/* Does the thread wait again at once, in the same place? */
static gboolean waits_on(const PmContention *c, guint32 row)
{
    const PmWaits *w = &c->recording->waits;
    const guint32 thread = pm_wait_thread(w, row);
    if (!pm_activity_is_repeated(c->activity, row))
        return FALSE;
    const guint32 nth = pm_activity_first_wait(c->activity, thread, pm_wait_end(w, row));
    return nth < pm_activity_n_waits(c->activity, thread) &&
           pm_wait_chain(w, pm_activity_wait(c->activity, thread, nth)) == pm_wait_chain(w, row);
}

/* Did the thread that has such a stack trace release the lock to wait for its condition? */
static gboolean awaits_again(const PmRecording *r, guint32 chain)
{
    const PmChain *c = &r->chains[chain];
    for (guint32 i = 0; i < c->site && i < c->n_frames; i++)
        if (g_str_has_suffix(pm_recording_class_at(r, c, i), "$ConditionObject"))
            return TRUE;
    return FALSE;
}

/* One of several waits that the same ended. */
typedef struct {
    guint32 row, group;
    enum { NOT_SEEN, SEEN_TO_GO_ON, SEEN_TO_WAIT_ON } seen; /* as it let the next one go */
} Member;

static gboolean member_waits_on(const PmContention *c, const Member *member)
{
    return member->seen == NOT_SEEN ? waits_on(c, member->row) : member->seen == SEEN_TO_WAIT_ON;
}

/* Whoever signals or notifies all that wait for an object often means one of them: that one goes
 * on, the others find nothing and wait again. Notes those in `rung`. */
static void find_rung(const PmContention *c, const GArray *woken)
{
    const PmWaits *w = &c->recording->waits;
    g_autofree guint *last = g_new0(guint, c->recording->n_threads); /* 1 + its last member */
    g_autoptr(GArray) members = g_array_new(FALSE, FALSE, sizeof(Member));
    guint n_groups = 0;
    for (guint i = 0; i < woken->len; i++) {
        const Woken *one = &g_array_index(woken, Woken, i);
        if (one->before == G_MAXUINT32)
            continue;
        guint *at = &last[pm_wait_thread(w, one->before)];
        if (*at == 0 || g_array_index(members, Member, *at - 1).row != one->before) {
            const Member first = {one->before, n_groups++, NOT_SEEN}; /* of a group */
            g_array_append_val(members, first);
            *at = members->len;
        }
        Member *before = &g_array_index(members, Member, *at - 1);
        const guint32 released = pm_wait_waker_chain(w, one->row);
        if (!pm_contention_is_notified(w, one->row) && released)
            before->seen = awaits_again(c->recording, released) ? SEEN_TO_WAIT_ON : SEEN_TO_GO_ON;
        const Member its = {one->row, before->group, NOT_SEEN};
        g_array_append_val(members, its);
        last[pm_wait_thread(w, one->row)] = members->len;
    }
    g_autofree guint8 *had = g_new0(guint8, n_groups + 1); /* one of them goes on */
    for (guint i = 0; i < members->len; i++) {
        const Member *its = &g_array_index(members, Member, i);
        had[its->group] |= !member_waits_on(c, its);
    }
    for (guint i = 0; i < members->len; i++) {
        const Member *its = &g_array_index(members, Member, i);
        if (had[its->group] && member_waits_on(c, its))
            c->rung[its->row / 16] |= 3u << its->row % 16 * 2;
    }
}

/* Some of those woken, for each of which candidates are looked for by one thread. */
#define WOKEN_AT_ONCE 4096
#define WOKEN_PIECE   64

typedef struct {
    const PmContention *contention;
    const gint *cancel;
    const Woken *woken;
    guint n;
    Candidates candidates[WOKEN_AT_ONCE];
} WokenSome;

static void look_for_candidates(gpointer data, guint index)
{
    WokenSome *some = data;
    const guint end = MIN((index + 1) * WOKEN_PIECE, some->n);
    for (guint i = index * WOKEN_PIECE; i < end; i++) {
        const guint32 row = some->woken[i].row;
        PmSignal signal;
        some->candidates[i].n = 0;
        if (some->woken[i].several && !pm_cancelled(some->cancel) &&
            pm_contention_find_signal(some->contention, row, &signal))
            find_likeliest(some->contention, row, &signal, &some->candidates[i]);
    }
}

static void choose_among(PmContention *c, const WokenSome *some, GHashTable *owed_to)
{
    for (guint i = 0; i < some->n; i++) {
        const Woken *one = &some->woken[i];
        const Candidates *candidates = &some->candidates[i];
        guint32 before = G_MAXUINT32;
        PmSignal signal;
        if (candidates->n < 2)
            continue;
        if (one->before != G_MAXUINT32 && pm_contention_find_signal(c, one->before, &signal))
            before = pm_contention_choose_signaller(c, one->before, &signal);
        const guint nth = choose_of(c, one->row, candidates, before, owed_to);
        g_hash_table_insert(c->chosen, GUINT_TO_POINTER(one->row),
                            GUINT_TO_POINTER(candidates->nths[nth] + 1));
    }
}

void pm_contention_find_woken(PmContention *c, const gint *cancel)
{
    c->signallers = pair_table_new();
    c->chosen = g_hash_table_new(NULL, NULL);
    g_autoptr(GArray) woken = find_woken(c, cancel);
    g_autoptr(GHashTable) owed_to = pair_table_new();
    g_autofree WokenSome *some = g_new(WokenSome, 1);
    some->contention = c;
    some->cancel = cancel;
    for (guint i = 0; i < woken->len && !pm_cancelled(cancel); i += WOKEN_AT_ONCE) {
        some->woken = &g_array_index(woken, Woken, i);
        some->n = MIN(woken->len - i, WOKEN_AT_ONCE);
        pm_workers_run(0, (some->n + WOKEN_PIECE - 1) / WOKEN_PIECE, look_for_candidates, some);
        choose_among(c, some, owed_to);
    }
    find_rung(c, woken);
}

guint32 pm_contention_choose_signaller(const PmContention *c, guint32 row, const PmSignal *signal)
{
    const guint32 chosen = GPOINTER_TO_UINT(g_hash_table_lookup(c->chosen, GUINT_TO_POINTER(row)));
    if (chosen)
        return chosen - 1;
    Candidates candidates;
    find_likeliest(c, row, signal, &candidates);
    return candidates.n ? candidates.nths[0] : G_MAXUINT32;
}

gboolean pm_contention_may_be_followed(const PmContention *c, gsize row)
{
    return (c->marks[pm_recording_block(c->recording, row)] & PM_HAS_FOLLOWED) != 0;
}

/* Does it wait again, after an unpark for something before, or after any for what a thread gets but
 * once, unlike the results that come through a queue? Then whoever woke it gave it nothing. */
static gboolean is_still_wanted(const PmContention *c, guint32 row)
{
    const PmWaits *w = &c->recording->waits;
    if (!pm_activity_is_repeated(c->activity, row) || !pm_wait_waker(w, row))
        return FALSE;
    const guint8 category = pm_wait_category(w, row);
    return (category == PM_CATEGORY_FUTURE &&
            !pm_label_is_in_queue(c->recording, pm_wait_chain(w, row))) ||
           category == PM_CATEGORY_LATCH || pm_wait_wake_cause(w, row) == PM_WAKE_PERMIT;
}

gboolean pm_contention_is_woken_in_vain(const PmContention *c, guint32 row)
{
    const PmWaits *w = &c->recording->waits;
    return (pm_wait_wake_cause(w, row) == PM_WAKE_CANCELLATION &&
            pm_category_family(pm_wait_category(w, row)) == PM_FAMILY_JOIN) ||
           is_still_wanted(c, row);
}

/* The segment of `lock` in which it was signalled; -1: it was not. */
static gint64 signalled_in(const PmContention *c, guint32 row, guint32 lock)
{
    const gint64 known = row < c->signals.n ? pm_packed_get(&c->signals, row) : OF_SEVERAL;
    PmSignal signal;
    if (known >= SIGNALLED)
        return pm_timelines_before(c->timelines, lock, pm_wait_wake(&c->recording->waits, row)) -
               (known - SIGNALLED);
    if (known != OF_SEVERAL || !pm_contention_find_signal(c, row, &signal))
        return -1;
    return pm_contention_choose_signaller(c, row, &signal);
}

gboolean pm_contention_origin_of(const PmContention *c, guint32 row, PmGive *ret_give)
{
    const PmWaits *w = &c->recording->waits;
    if (!pm_wait_waker(w, row) || !pm_wait_wake(w, row))
        return FALSE;
    const guint32 lock = pm_wait_owned_after(c->recording, row);
    const gint64 nth = signalled_in(c, row, lock);
    if (nth >= 0) {
        PmSegment segment = pm_timelines_segment(c->timelines, lock, (guint32)nth);
        gint64 released = nth + 1 < pm_timelines_n(c->timelines, lock)
                              ? pm_timelines_begin(c->timelines, lock, (guint32)nth + 1)
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
