/* Who gave what a wait was for: not one that passed a wake on, and not one that only released the
 * lock a signalled waiter came to. */
#include "viewer/analysis/causes/contention-private.h"

#include <math.h>

#include "viewer/analysis/recording/category.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/analysis/base/cancel.h"
#include "viewer/analysis/base/pair.h"
#include "viewer/analysis/base/search.h"
#include "viewer/analysis/base/sort.h"

/* How many handoffs between conditions' waiters a signal is followed back through. */
#define MAX_SIGNALLED 64
/* So much likelier is no likelier. */
#define ALIKE 0.001

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
 * nothing is known to have stood before. `ret_signalled`: the wait in which it had not queued
 * itself but been signalled, at some time after the one returned; else G_MAXUINT32. */
static gint64 queued_since(const PmContention *c, guint32 lock, guint32 thread, gint64 at,
                           guint32 *ret_signalled)
{
    const PmRecording *r = c->recording;
    const PmWaits *w = &r->waits;
    guint position = position_after(c, lock, thread, at);
    guint32 row = wait_before(c, lock, thread, position);
    *ret_signalled = G_MAXUINT32;
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
    gboolean came_back = FALSE;
    for (guint steps = 0; segment.acquired && steps < MAX_SIGNALLED; steps++) {
        guint32 signalled;
        gint64 since = queued_since(c, lock, segment.thread, segment.begin, &signalled);
        if (since == G_MININT64)
            break;
        if (steps == 0 && signalled != G_MAXUINT32)
            came_back = is_another_hold(c->recording, pm_wait_chain(w, signalled), segment.chain);
        if (signalled == G_MAXUINT32) {
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
                             .came_back = came_back,
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

static void count_signallers(PmContention *c, guint32 row, const PmSignal *signal)
{
    for (guint32 i = signal->first; i <= signal->last; i++) {
        PmSegment segment = pm_timelines_segment(c->timelines, signal->lock, i);
        if (!pm_segment_is_held(&segment) ||
            segment.thread == pm_wait_thread(&c->recording->waits, row))
            continue;
        gint64 key = signaller_key(pm_wait_blocker(&c->recording->waits, row), &segment);
        Signaller *signaller = g_hash_table_lookup(c->signallers, &key);
        if (!signaller) {
            signaller = g_new0(Signaller, 1);
            g_hash_table_insert(c->signallers, g_memdup2(&key, sizeof key), signaller);
        }
        signaller->times += 1.0 / signal->n;
        signaller->n++;
    }
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
    if (signal->came_back && likeliest->n > 1 &&
        likelihood_of(c, row, &last) >= likeliest->likelihood - ALIKE) {
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
    const guint32 waker = pm_wait_waker(w, row);
    const gint64 held = pm_timelines_begin(c->timelines, signal->lock, signal->last);
    const guint32 before =
        wait_before(c, signal->lock, waker, position_after(c, signal->lock, waker, held));
    /* Who takes from a queue passes its signal on itself. */
    return before != G_MAXUINT32 && pm_wait_end(w, before) == held &&
                   !pm_label_is_in_queue(c->recording, pm_wait_chain(w, row)) &&
                   pm_wait_blocker(w, before) == pm_wait_blocker(w, row) &&
                   pm_wait_begin(w, row) < pm_wait_wake(w, before)
               ? before
               : G_MAXUINT32;
}

/* Counts who signals. Returns the waits that were ended with others, and those that one of several
 * may have signalled, by wake. */
static GArray *find_woken(PmContention *c, const gint *cancel)
{
    const PmWaits *w = &c->recording->waits;
    GArray *woken = g_array_new(FALSE, FALSE, sizeof(Woken));
    g_autoptr(GHashTable) last = g_hash_table_new(NULL, NULL); /* blocker → 1 + row, notified */
    for (gsize i = 0;
         (i = pm_contention_marked(c, i, PM_HAS_WOKEN)) < w->n && !pm_cancelled(cancel); i++) {
        Woken one = {pm_wait_wake(w, i), (guint32)i, G_MAXUINT32, FALSE};
        PmSignal signal;
        if (pm_contention_find_signal(c, one.row, &signal)) {
            count_signallers(c, one.row, &signal);
            one.before = signalled_before(c, one.row, &signal);
            one.several = signal.n > 1;
        } else if (pm_contention_is_notified(w, one.row)) {
            gpointer blocker = GUINT_TO_POINTER(pm_wait_blocker(w, i));
            const guint32 before = GPOINTER_TO_UINT(g_hash_table_lookup(last, blocker)) - 1;
            if (before != G_MAXUINT32 && pm_wait_wake(w, before) == one.wake &&
                pm_wait_waker(w, before) == pm_wait_waker(w, i))
                one.before = before;
            g_hash_table_insert(last, blocker, GUINT_TO_POINTER(one.row + 1));
        }
        if (one.before != G_MAXUINT32 || one.several)
            g_array_append_val(woken, one);
    }
    g_array_sort(woken, pm_compare_instants);
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

void pm_contention_find_woken(PmContention *c, const gint *cancel)
{
    g_autoptr(GArray) woken = find_woken(c, cancel);
    g_autoptr(GHashTable) owed_to =
        g_hash_table_new_full(pm_pair_at_hash, g_int64_equal, g_free, g_free);
    c->chosen = g_hash_table_new(NULL, NULL);
    for (guint i = 0; i < woken->len && !pm_cancelled(cancel); i++) {
        const Woken *one = &g_array_index(woken, Woken, i);
        guint32 before = G_MAXUINT32;
        Candidates candidates;
        PmSignal signal;
        if (!one->several)
            continue;
        if (one->before != G_MAXUINT32 && pm_contention_find_signal(c, one->before, &signal))
            before = pm_contention_choose_signaller(c, one->before, &signal);
        pm_contention_find_signal(c, one->row, &signal);
        find_likeliest(c, one->row, &signal, &candidates);
        if (candidates.n < 2)
            continue;
        const guint nth = choose_of(c, one->row, &candidates, before, owed_to);
        g_hash_table_insert(c->chosen, GUINT_TO_POINTER(one->row),
                            GUINT_TO_POINTER(candidates.nths[nth] + 1));
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
