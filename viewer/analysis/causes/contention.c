#include "viewer/analysis/causes/contention-private.h"

#include <string.h>

#include "viewer/analysis/locks/readers.h"
#include "viewer/analysis/causes/timeline.h"
#include "viewer/analysis/locks/tokens.h"
#include "viewer/analysis/recording/category.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/analysis/recording/recording-private.h"
#include "viewer/analysis/base/pair.h"
#include "viewer/analysis/base/search.h"
#include "viewer/analysis/base/sort.h"
#include "viewer/analysis/base/sum.h"
#include "viewer/analysis/base/workers.h"

/* A waiter that was woken wakes the next one this soon, or it does so for another reason. */
#define PASS_ON_NS 10000000

gsize pm_contention_uses_at_once = 8192;
#define FEW_SLICES 32 /* are one */

#define READ_AT_ONCE 512 /* rows */

/* Of more waits for locks that readers share it takes too much memory to know who did. */
#define MAX_SHARED_WAITS (1 << 20)

/* Of a thread that waits for answers, and of who gives them: waits looked at, before and behind
 * one; of these so many tell it; and how soon after the question the wait begins. */
#define MAX_LOOKED  64
#define MIN_ANSWERS 3
#define MIN_ENDED   10
#define ASKED_NS    1000000

/* How many handoffs between conditions' waiters a signal is followed back through. */
#define MAX_SIGNALLED 64

/* Of more waits it takes too much memory to know what was given between two of them. */
#define MAX_PACED_WAITS (1 << 20)

/* So often is it followed that a thread waits on. */
#define MAX_REPEATED 256
/* Who waits on after a timeout does so within such a part of the time that it waited for. */
#define LATE_PART 10

#define MANY_ALIKE 32 /* objects */

#define SEVERAL G_MAXUINT32

/* What is found out once: tables of 1 + whether, or what, that is. */
enum {
    OWN_OBJECTS, /* of a blocker: is_own_object */
    ASKED,       /* of a giver, and the method that waits for it: is_asked */
    SET_GOING,   /* of a giver, and the group that waits for it: is_set_going */
    TIMEOUTS,    /* of a blocker, and who waits for it: timeouts_of */
    BEHIND,      /* of a method, and who waits for its end: pm_contention_is_behind */
    ADMITTED,    /* of a blocker: is_admitted */
    N_KNOWN,
};

typedef struct {
    GMutex lock;
    GHashTable *of[N_KNOWN];
    GHashTable *gives; /* thread → GArray of gint64, see gives_by; NULL: not asked for yet */
} Known;

struct PmContention {
    const PmRecording *recording;
    GArray *followed; /* rows (guint32) of waits that are followed back, see followed_compare */
    PmTimelines *timelines;
    GHashTable *signallers; /* signaller_key → Signaller */
    PmActivity *activity;
    const PmOwnCode *own; /* the recording's */
    guint8 *one_pool;     /* by the first of alike blockers: they are */
    PmTokens **tokens;    /* by pool_of a blocker; NULL: it is no resource */
    PmReaders **readers;  /* by blocker; NULL: nobody shares it */
    guint8 *shared; /* by blocker: a lock of which no owner was ever seen, as readers share it */
    GHashTable *releases; /* shared blocker → GArray of PmGive, by time */
    GHashTable *takers;   /* taker_key of who waits for it */
    GHashTable *counted;  /* blockers: see pm_contention_is_counted */
    guint32 *sole_takers; /* by blocker: who does, if it is one thread; SEVERAL; 0: nobody */
    Known *known;
    GHashTable *parties; /* blocker → GArray of the rows (guint32) of a barrier, by begin */
    guint8 *marks;       /* of each block of rows: what it has */
    guint *rung;         /* by row: see is_rung_for_others */
};

static void sort_instants(gpointer key, gpointer value, gpointer data)
{
    g_array_sort(value, pm_compare_instants);
}

/* The table's array under a key, made when it is asked for first. */
static GArray *array_at(GHashTable *arrays, guint32 key, guint element_size)
{
    GArray *array = g_hash_table_lookup(arrays, GUINT_TO_POINTER(key));
    if (!array) {
        array = g_array_new(FALSE, FALSE, element_size);
        g_hash_table_insert(arrays, GUINT_TO_POINTER(key), array);
    }
    return array;
}

/* A condition's wait that ended: by a release of its lock, as a signal only moves the waiter to the
 * lock's queue. */
static gboolean is_signalled(const PmRecording *r, guint32 row)
{
    const PmWaits *w = &r->waits;
    return r->blockers[pm_wait_blocker(w, row)].parent != 0 &&
           pm_wait_kind(w, row) == PM_KIND_PARK && pm_wait_wake_cause(w, row) == PM_WAKE_RELEASE &&
           pm_wait_waker(w, row) != 0 && pm_wait_wake(w, row) != 0;
}

/* A wake that came as the waiter was resuming already: why is not known, nor who came first. */
static gboolean is_late_wake(const PmWaits *w, guint32 row)
{
    return pm_wait_wake_cause(w, row) == PM_WAKE_UNKNOWN && !pm_wait_waker_chain(w, row);
}

/* A wake that a woken waiter passed on, or one that gave up, or perhaps so: not who gave the
 * permit. */
static gboolean is_passed_on(const PmWaits *w, guint32 row)
{
    return (pm_wait_wake_cause(w, row) == PM_WAKE_PROPAGATION ||
            pm_wait_wake_cause(w, row) == PM_WAKE_CANCELLATION || is_late_wake(w, row)) &&
           pm_wait_waker(w, row) && pm_wait_wake(w, row);
}

static gboolean is_party(const PmWaits *w, gsize row)
{
    return pm_wait_category(w, row) == PM_CATEGORY_BARRIER;
}

/* For a signal, an element or a message: also for what a semaphore counts, where that is no
 * resource, and in a park of the program's own. */
static gboolean is_taker(const PmWaits *w, gsize row)
{
    const PmCategory category = pm_wait_category(w, row);
    return pm_wait_kind(w, row) != PM_KIND_ENTER &&
           (pm_category_family(category) == PM_FAMILY_SIGNAL || category == PM_CATEGORY_SEMAPHORE ||
            category == PM_CATEGORY_OTHER);
}

/* At a synchronizer of the program's own that several get at once: a latch, unless it lets them in
 * one by one, again and again. */
static gboolean may_be_counted(const PmRecording *r, gsize row)
{
    const PmWaits *w = &r->waits;
    return pm_wait_category(w, row) == PM_CATEGORY_LATCH && pm_wait_kind(w, row) == PM_KIND_PARK &&
           !g_str_has_prefix(r->classes[r->blockers[pm_wait_blocker(w, row)].class_index].name,
                             "java.util.concurrent.");
}

static gboolean is_release(const PmWaits *w, gsize row)
{
    return pm_wait_wake_cause(w, row) == PM_WAKE_RELEASE && pm_wait_waker(w, row);
}

/* What some wait of a block of rows is: whoever looks for those passes other blocks over. */
enum {
    HAS_FOLLOWED = 1 << 0, /* passed on, or signalled */
    HAS_SIGNALLED = 1 << 1,
    HAS_PARTY = 1 << 2,
    HAS_RELEASE = 1 << 3,
    HAS_TAKER = 1 << 4,
    HAS_ALL = (1 << 5) - 1,
};

/* Which of them a wait may be, by its cause and category. */
static inline guint8 candidate_marks(gint64 cause, gint64 category)
{
    guint8 marks = HAS_TAKER | (category == PM_CATEGORY_BARRIER ? HAS_PARTY : 0);
    if (cause == PM_WAKE_RELEASE)
        marks |= HAS_SIGNALLED | HAS_RELEASE;
    else if (cause == PM_WAKE_UNKNOWN || cause == PM_WAKE_PROPAGATION ||
             cause == PM_WAKE_CANCELLATION)
        marks |= HAS_FOLLOWED;
    return marks;
}

static guint8 marks_of(const PmRecording *r, gsize row, guint8 wanted)
{
    guint8 marks = 0;
    if (wanted & HAS_SIGNALLED && is_signalled(r, (guint32)row))
        marks |= HAS_SIGNALLED | HAS_FOLLOWED;
    if (wanted & HAS_FOLLOWED && is_passed_on(&r->waits, (guint32)row))
        marks |= HAS_FOLLOWED;
    if (wanted & HAS_PARTY && is_party(&r->waits, row))
        marks |= HAS_PARTY;
    if (wanted & HAS_RELEASE && is_release(&r->waits, row))
        marks |= HAS_RELEASE;
    if (wanted & HAS_TAKER && (is_taker(&r->waits, row) || may_be_counted(r, row)))
        marks |= HAS_TAKER;
    return marks;
}

static void mark_block(gpointer data, guint block)
{
    const PmContention *c = data;
    const PmRecording *r = c->recording;
    const gsize end = MIN(pm_recording_block_end(r, block), r->waits.n);
    gint64 causes[READ_AT_ONCE], categories[READ_AT_ONCE];
    guint8 marks = 0;
    for (gsize i = pm_recording_block_begin(r, block), n; i < end && marks != HAS_ALL; i += n) {
        n = MIN(end - i, READ_AT_ONCE);
        pm_wait_columns(&r->waits, PM_WAIT_COLUMN_WAKE_CAUSE, i, n, causes);
        pm_wait_columns(&r->waits, PM_WAIT_COLUMN_CATEGORY, i, n, categories);
        for (gsize k = 0; k < n; k++) {
            const guint8 wanted = candidate_marks(causes[k], categories[k]) & ~marks;
            if (wanted)
                marks |= marks_of(r, i + k, wanted);
        }
    }
    c->marks[block] = marks;
}

static void mark_blocks(PmContention *c)
{
    const PmRecording *r = c->recording;
    const guint n = r->waits.n > 0 ? (guint)pm_recording_block(r, r->waits.n - 1) + 1 : 0;
    c->marks = g_new0(guint8, n + 1);
    pm_workers_run(0, n, mark_block, c);
}

/* The first row from `row` on whose block has a mark; as many as there are, when there is none. */
static inline gsize marked(const PmContention *c, gsize row, guint8 mark)
{
    const PmRecording *r = c->recording;
    while (row < r->waits.n && !(c->marks[pm_recording_block(r, row)] & mark))
        row = pm_recording_block_end(r, pm_recording_block(r, row));
    return MIN(row, r->waits.n);
}

/* How many rows, at most READ_AT_ONCE, follow each other in one block with a mark, from the first
 * such row on, to which `row` is moved. 0: there is none. */
static gsize marked_run(const PmContention *c, gsize *row, guint8 mark)
{
    const gsize n = c->recording->waits.n;
    *row = marked(c, *row, mark);
    return *row < n ? MIN(MIN(pm_recording_block_end(c->recording,
                                                     pm_recording_block(c->recording, *row)),
                              n) -
                              *row,
                          READ_AT_ONCE)
                    : 0;
}

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

/* The rows of blockers with passed-on wakes, and of locks with conditions. */
static GArray *followed_new(const PmContention *c)
{
    const PmRecording *r = c->recording;
    const PmWaits *w = &r->waits;
    GArray *followed = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_autofree guint8 *wanted = g_new0(guint8, r->n_blockers + r->n_classes);
    gboolean any = FALSE;
    for (gsize i = 0; (i = marked(c, i, HAS_FOLLOWED)) < w->n; i++)
        if (is_passed_on(w, (guint32)i) || is_signalled(r, (guint32)i))
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

/* Follows a passed-on wake back to the release that began it. The waker was itself woken just
 * before: that wait's wake is the one before in the chain. Returns the row whose waker is the
 * root; `ret_sure`: nothing was missing on the way, and it is the same object all the way: what
 * has an object for each wait may be another phaser, or future. */
static guint32 root_of(const PmContention *c, guint32 row, gboolean *ret_sure)
{
    const PmWaits *w = &c->recording->waits;
    const gint64 begin = pm_wait_begin(w, row);
    *ret_sure = TRUE;
    for (guint steps = 0; is_passed_on(w, row); steps++) {
        guint32 owned = place_of(c->recording, row), waker = pm_wait_waker(w, row);
        guint32 before =
            wait_before(c, owned, waker, position_after(c, owned, waker, pm_wait_wake(w, row)));
        if (before == G_MAXUINT32 || before == row || steps >= 10000 ||
            pm_wait_wake(w, row) - pm_wait_end(w, before) > PASS_ON_NS) {
            *ret_sure = FALSE;
            break;
        }
        *ret_sure &= !is_late_wake(w, row) && owned < c->recording->n_blockers;
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

typedef struct {
    guint32 lock;        /* whose segments they are */
    guint32 first, last; /* the candidates, some of them nobody's */
    guint n;             /* of them somebody's */
    gint64 from;         /* the signal came no sooner, within the first of them */
} Signal;

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
    while (!is_signalled(r, row)) { /* it may have lost the race to a barging thread */
        row = wait_before(c, lock, thread, --position);
        if (row == G_MAXUINT32 || since - pm_wait_end(w, row) > PM_ACTIVITY_REPARK_NS)
            return since;
        since = pm_wait_begin(w, row);
    }
    *ret_signalled = TRUE;
    return since;
}

/* FALSE when the hold that ended with our wake is not known. */
static gboolean find_signal(const PmContention *c, guint32 row, Signal *ret_signal)
{
    const PmWaits *w = &c->recording->waits;
    const PmTimelines *lines = c->timelines;
    if (!is_signalled(c->recording, row))
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
    *ret_signal = (Signal){.lock = lock,
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

static void count_signallers(PmContention *c, guint32 row)
{
    Signal signal;
    if (!find_signal(c, row, &signal))
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

/* Of the candidates the one that is likeliest to signal this condition when it holds the lock; of
 * equals the first, as a condition that is true is signalled at once. */
static guint32 choose_signaller(const PmContention *c, guint32 row, const Signal *signal)
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

/* -- resources -- */

static inline gboolean is_of_resources(gint64 category)
{
    return category == PM_CATEGORY_SEMAPHORE || category == PM_CATEGORY_RESOURCE ||
           category == PM_CATEGORY_QUEUE || category == PM_CATEGORY_CONDITION;
}

static gboolean may_be_resource(const PmWaits *w, gsize row)
{
    return is_of_resources(pm_wait_category(w, row)) && pm_wait_kind(w, row) != PM_KIND_ENTER;
}

/* Else who woke the waiter of `row` gave what that was for. */
static gboolean may_be_followed(const PmContention *c, gsize row)
{
    return (c->marks[pm_recording_block(c->recording, row)] & HAS_FOLLOWED) != 0;
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

/* Nor has whoever gave up what all get at once, as where a latch opens. */
static gboolean is_woken_in_vain(const PmContention *c, guint32 row)
{
    const PmWaits *w = &c->recording->waits;
    return (pm_wait_wake_cause(w, row) == PM_WAKE_CANCELLATION &&
            pm_category_family(pm_wait_category(w, row)) == PM_FAMILY_JOIN) ||
           is_still_wanted(c, row);
}

/* Who gave what the wait of `row` was for. */
static gboolean origin_of(const PmContention *c, guint32 row, PmGive *ret_give)
{
    const PmWaits *w = &c->recording->waits;
    Signal signal;
    if (!pm_wait_waker(w, row) || !pm_wait_wake(w, row))
        return FALSE;
    if (find_signal(c, row, &signal)) {
        guint32 nth = choose_signaller(c, row, &signal);
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
    guint32 root = root_of(c, row, &sure);
    *ret_give = (PmGive){.at = pm_wait_wake(w, root),
                         .thread = pm_wait_waker(w, root),
                         .chain = pm_wait_waker_chain(w, root)};
    return TRUE;
}

static gboolean has_taken(const PmContention *c, guint32 row, const PmRowWait *wait)
{
    return !(wait->flags & (PM_WAIT_IN_PROGRESS | PM_WAIT_CUT)) &&
           wait->wake_cause != PM_WAKE_TIME_OUT && wait->wake_cause != PM_WAKE_INTERRUPT &&
           !pm_activity_is_repeated(c->activity, row);
}

/* A pool may have an object for each place that is wanted, or for each key, for as long as somebody
 * wants one: of very many alike, which are hardly waited for twice, none is a pool by itself. */
static void find_pools(PmContention *c)
{
    const PmRecording *r = c->recording;
    const PmRecordingPrivate *p = pm_recording_private(r);
    g_autofree guint32 *n_waits = g_new0(guint32, MAX(r->n_blockers, 1));
    gint64 categories[READ_AT_ONCE];
    for (gsize i = 0, n; i < r->waits.n; i += n) {
        n = MIN(r->waits.n - i, READ_AT_ONCE);
        pm_wait_columns(&r->waits, PM_WAIT_COLUMN_CATEGORY, i, n, categories);
        for (gsize k = 0; k < n; k++)
            if (categories[k] == PM_CATEGORY_RESOURCE)
                n_waits[p->alike[pm_wait_blocker(&r->waits, i + k)]]++;
    }
    c->one_pool = g_new0(guint8, MAX(r->n_blockers, 1));
    for (guint32 b = 1; b < r->n_blockers; b++)
        c->one_pool[b] = p->n_alike[b] >= MANY_ALIKE && n_waits[b] > 0 &&
                         n_waits[b] <= pm_product(p->n_alike[b], 2);
}

static guint32 pool_of(const PmContention *c, guint32 blocker)
{
    const guint32 first = pm_recording_private(c->recording)->alike[blocker];
    return c->one_pool[first] ? first : blocker;
}

static void resource_keys(const PmRecording *r, gsize first, gsize n, guint32 *keys,
                          gconstpointer data)
{
    gint64 categories[PM_ROW_KEYS], kinds[PM_ROW_KEYS], blockers[PM_ROW_KEYS];
    pm_wait_columns(&r->waits, PM_WAIT_COLUMN_CATEGORY, first, n, categories);
    pm_wait_columns(&r->waits, PM_WAIT_COLUMN_KIND, first, n, kinds);
    pm_wait_columns(&r->waits, PM_WAIT_COLUMN_BLOCKER, first, n, blockers);
    for (gsize i = 0; i < n; i++)
        keys[i] = is_of_resources(categories[i]) && kinds[i] != PM_KIND_ENTER
                      ? pool_of(data, (guint32)blockers[i])
                      : G_MAXUINT32;
}

/* The waits for what may be a resource, in slices. */
typedef struct {
    const PmContention *contention;
    const guint32 *rows;
    const PmRowWait *all; /* NULL: read as they are looked at */
    gsize n, slice;
    gint64 *limits; /* by slice: no row of it, or of one after it, tells of anything sooner; NULL:
                     * there is one slice */
} Uses;

/* Some of those. */
typedef struct {
    const guint32 *rows;
    const PmRowWait *waits;
    gsize n;
    PmRowWait room[READ_AT_ONCE];
} Read;

/* Returns whether `room` is still to be filled. */
static gboolean begin_read(const Uses *uses, gsize first, gsize end, Read *read)
{
    read->rows = uses->rows + first;
    read->n = MIN(end - first, READ_AT_ONCE);
    read->waits = uses->all ? uses->all + first : read->room;
    return !uses->all;
}

static void read_rows(const Uses *uses, gsize first, gsize end, Read *read)
{
    if (begin_read(uses, first, end, read))
        pm_row_waits_read(&uses->contention->recording->waits, read->rows, read->n, read->room);
}

/* As origin_of, of the `i`th row read. */
static gboolean read_origin(const PmContention *c, const Read *read, gsize i, PmGive *ret_give)
{
    const PmRowWait *wait = &read->waits[i];
    if (!wait->waker || !wait->wake)
        return FALSE;
    if (may_be_followed(c, read->rows[i]))
        return origin_of(c, read->rows[i], ret_give);
    *ret_give = (PmGive){.at = wait->wake, .thread = wait->waker, .chain = wait->waker_chain};
    return TRUE;
}

static void find_limits(Uses *uses)
{
    const gsize n_slices = (uses->n + uses->slice - 1) / uses->slice;
    gint64 least = G_MAXINT64;
    Read read;
    uses->limits = g_new(gint64, n_slices);
    for (gsize slice = n_slices; slice-- > 0;) {
        const gsize end = MIN((slice + 1) * uses->slice, uses->n);
        for (gsize first = slice * uses->slice; first < end; first += read.n) {
            read_rows(uses, first, end, &read);
            for (gsize i = 0; i < read.n; i++) {
                PmGive give;
                least = MIN(least, read.waits[i].begin);
                if (read_origin(uses->contention, &read, i, &give))
                    least = MIN(least, give.at);
            }
        }
        uses->limits[slice] = least;
    }
}

static void add_uses(const Uses *uses, const Read *read, GArray *gives, GArray *takes)
{
    const PmContention *c = uses->contention;
    PmGive give;
    g_array_set_size(takes, (guint)(takes->len + read->n));
    PmTake *take = &g_array_index(takes, PmTake, takes->len - read->n);
    for (gsize i = 0; i < read->n; i++) {
        const PmRowWait *wait = &read->waits[i];
        *take++ =
            (PmTake){.begin = wait->begin,
                     .end = wait->end,
                     .woken = wait->wake > wait->begin ? MIN(wait->wake, wait->end) : wait->end,
                     .thread = wait->thread,
                     .chain = wait->chain,
                     .took = has_taken(c, read->rows[i], wait)};
        if (!read_origin(c, read, i, &give))
            continue;
        give.missed = pm_activity_is_repeated(c->activity, read->rows[i]);
        g_array_append_val(gives, give);
    }
}

/* Matches what a resource's waits show of gives and takes. */
static PmTokenMatch *match_resource(const Uses *uses, gboolean counts_only)
{
    PmTokenMatch *match =
        pm_token_match_new(uses->contention->activity, (guint)uses->n, counts_only);
    g_autoptr(GArray) gives = g_array_new(FALSE, FALSE, sizeof(PmGive));
    g_autoptr(GArray) takes = g_array_new(FALSE, FALSE, sizeof(PmTake));
    Read read;
    for (gsize begin = 0; begin < uses->n; begin += uses->slice) {
        const gsize end = MIN(begin + uses->slice, uses->n);
        for (gsize first = begin; first < end; first += read.n) {
            read_rows(uses, first, end, &read);
            add_uses(uses, &read, gives, takes);
        }
        pm_token_match_add(match, gives, takes,
                           end < uses->n ? uses->limits[end / uses->slice] : G_MAXINT64);
    }
    return match;
}

static gpointer side_key(const PmRecording *r, guint32 chain, guint32 thread)
{
    return GSIZE_TO_POINTER((gsize)pm_recording_site_method(r, chain) << 32 | thread);
}

/* Do threads wait at one monitor in several methods, hardly ever ended by who waits in the same
 * one? Then it has sides, of which one gives what the other wants, and nothing is given back. */
static gboolean has_sides(const Uses *uses)
{
    const PmContention *c = uses->contention;
    const PmRecording *r = c->recording;
    g_autoptr(GHashTable) sides = g_hash_table_new(pm_pair_hash, NULL);
    gsize n_gives = 0, n_own = 0;
    Read read;
    for (gsize first = 0; first < uses->n; first += read.n) {
        read_rows(uses, first, uses->n, &read);
        for (gsize i = 0; i < read.n; i++) {
            if (read.waits[i].kind != PM_KIND_WAIT)
                return FALSE;
            g_hash_table_add(sides, side_key(r, read.waits[i].chain, read.waits[i].thread));
        }
    }
    for (gsize first = 0; first < uses->n; first += read.n) {
        read_rows(uses, first, uses->n, &read);
        for (gsize i = 0; i < read.n; i++) {
            const PmRowWait *wait = &read.waits[i];
            if (!wait->waker || wait->flags & PM_WAIT_AMBIGUOUS ||
                pm_activity_is_repeated(c->activity, read.rows[i]))
                continue;
            n_gives++;
            n_own += g_hash_table_contains(sides, side_key(r, wait->chain, wait->waker));
        }
    }
    return n_own * 10 <= n_gives;
}

/* Of so many gives one by a stranger: there will hardly be enough of them. */
#define FEW_STRANGERS 8

/* Threads that wait for it, and bits under which gives of others are counted, each once. */
typedef struct {
    guint8 *waits_here; /* by thread */
    guint64 *seen;
    gsize mask;
    gsize n; /* no more than there are */
} Strangers;

static void count_stranger(Strangers *strangers, gint64 at, guint32 thread)
{
    const guint64 hash =
        ((guint64)at ^ (guint64)thread << 40) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
    const gsize bit = hash >> 24 & strangers->mask;
    const guint64 flag = G_GUINT64_CONSTANT(1) << bit % 64;
    strangers->n += !strangers->waits_here[thread] && !(strangers->seen[bit / 64] & flag);
    strangers->seen[bit / 64] |= flag;
}

static void find_waiting(const Uses *uses, guint8 *waits_here)
{
    gint64 threads[READ_AT_ONCE];
    for (gsize first = 0, n; first < uses->n; first += n) {
        n = MIN(uses->n - first, READ_AT_ONCE);
        pm_row_values(&uses->contention->recording->waits, PM_WAIT_COLUMN_THREAD,
                      uses->rows + first, n, threads);
        for (gsize i = 0; i < n; i++)
            waits_here[threads[i]] = TRUE;
    }
}

/* Do so many gives come from who never waits for it that it is no resource, whatever the others
 * are? Most that are none are found out by a part of their waits, none of which is kept. */
static gboolean is_of_strangers(const Uses *uses)
{
    const PmRecording *r = uses->contention->recording;
    Strangers strangers = {.mask = 64};
    gsize n_gives = 0;
    gboolean proven = FALSE;
    Read read;
    while (strangers.mask < uses->n)
        strangers.mask *= 2;
    strangers.seen = g_new0(guint64, strangers.mask-- / 64);
    strangers.waits_here = g_new0(guint8, r->n_threads);
    find_waiting(uses, strangers.waits_here);
    for (gsize first = 0; first < uses->n / 2 && !proven; first += read.n) {
        if (first > uses->n / 16 && strangers.n < n_gives / FEW_STRANGERS)
            break;
        if (begin_read(uses, first, uses->n, &read))
            pm_row_wakes_read(&r->waits, read.rows, read.n, read.room);
        for (gsize i = 0; i < read.n; i++) {
            PmGive give;
            if (!read_origin(uses->contention, &read, i, &give))
                continue;
            n_gives++;
            count_stranger(&strangers, give.at, give.thread);
        }
        proven = pm_tokens_are_strange(strangers.n, n_gives + uses->n - first - read.n);
    }
    g_free(strangers.seen);
    g_free(strangers.waits_here);
    return proven;
}

/* Most are none: those with many waits are found out without keeping anything of each give and
 * take. */
static void find_resource(guint worker, guint32 blocker, const guint32 *rows, gsize n,
                          gconstpointer read, gpointer data)
{
    PmContention *c = data;
    Uses uses = {.contention = c, .rows = rows, .all = read, .n = n, .slice = n};
    if (has_sides(&uses) || is_of_strangers(&uses))
        return;
    if (n > FEW_SLICES * pm_contention_uses_at_once) {
        uses.slice = pm_contention_uses_at_once;
        find_limits(&uses);
    }
    if (!uses.limits || pm_token_match_may_be(match_resource(&uses, TRUE)))
        c->tokens[blocker] = pm_token_match_end(match_resource(&uses, FALSE));
    g_free(uses.limits);
}

/* -- barriers -- */

/* Those of a phaser have an object for each wait. */
static guint32 parties_of(const PmRecording *r, guint32 row)
{
    const guint32 blocker = pm_wait_blocker(&r->waits, row);
    return r->blockers[blocker].parent ? blocker : pm_recording_private(r)->alike[blocker];
}

/* Whoever waits again at once had come before. */
static void find_parties(PmContention *c)
{
    const PmWaits *w = &c->recording->waits;
    g_autofree guint8 *again = g_new0(guint8, c->recording->n_threads);
    c->parties = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
    for (gsize i = 0; (i = marked(c, i, HAS_PARTY)) < w->n; i++) {
        const guint32 row = (guint32)i;
        if (is_party(w, row) && !again[pm_wait_thread(w, row)])
            g_array_append_val(array_at(c->parties, parties_of(c->recording, row), sizeof row),
                               row);
        if (is_party(w, row))
            again[pm_wait_thread(w, row)] = pm_activity_is_repeated(c->activity, row);
    }
}

/* -- shared locks -- */

/* FALSE: there is none. */
static gboolean find_shared(PmContention *c)
{
    const PmWaits *w = &c->recording->waits;
    gint64 causes[READ_AT_ONCE];
    gboolean any = FALSE;
    for (gsize i = 0, n; (n = marked_run(c, &i, HAS_RELEASE)) > 0; i += n) {
        pm_wait_columns(w, PM_WAIT_COLUMN_WAKE_CAUSE, i, n, causes);
        for (gsize k = 0; k < n; k++)
            if (causes[k] == PM_WAKE_RELEASE && is_release(w, i + k) &&
                pm_wait_category(w, i + k) == PM_CATEGORY_LOCK &&
                !pm_timelines_is_ownable(c->timelines, pm_wait_blocker(w, i + k)))
                c->shared[pm_wait_blocker(w, i + k)] = any = TRUE;
    }
    return any;
}

/* While somebody waits, each release that frees a lock is seen. */
static void find_releases(PmContention *c, gboolean any)
{
    const PmWaits *w = &c->recording->waits;
    c->releases = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
    for (gsize i = 0; any && (i = marked(c, i, HAS_RELEASE)) < w->n; i++) {
        if (!c->shared[pm_wait_blocker(w, i)] || !is_release(w, i) || !pm_wait_wake(w, i))
            continue;
        PmGive give = {.at = pm_wait_wake(w, i),
                       .thread = pm_wait_waker(w, i),
                       .chain = pm_wait_waker_chain(w, i)};
        g_array_append_val(array_at(c->releases, pm_wait_blocker(w, i), sizeof give), give);
    }
    g_hash_table_foreach(c->releases, sort_instants, NULL);
}

typedef struct {
    guint8 *classes; /* which of them readers share */
    PmContention *contention;
} Sharing;

static guint32 sharing_key(const PmRecording *r, gsize row, const Sharing *sharing)
{
    const guint32 blocker = pm_wait_blocker(&r->waits, row);
    return sharing->classes[r->blockers[blocker].class_index] &&
                   pm_wait_kind(&r->waits, row) == PM_KIND_PARK
               ? blocker
               : G_MAXUINT32;
}

static void sharing_keys(const PmRecording *r, gsize first, gsize n, guint32 *keys,
                         gconstpointer data)
{
    for (gsize i = 0; i < n; i++)
        keys[i] = sharing_key(r, first + i, data);
}

static void find_readers_of(guint worker, guint32 blocker, const guint32 *rows, gsize n,
                            gconstpointer read, gpointer data)
{
    PmContention *c = ((Sharing *)data)->contention;
    c->readers[blocker] = pm_readers_new(c->recording, c->activity->repeated, rows, n);
}

/* FALSE: cancelled. */
static gboolean find_readers(PmContention *c, const gint *cancel)
{
    const PmRecording *r = c->recording;
    g_autofree guint8 *classes = g_new0(guint8, MAX(r->n_classes, 1));
    const Sharing sharing = {classes, c};
    const PmRowTask task = {.keys_of = sharing_keys, .work = find_readers_of};
    gsize n = 0;
    gboolean any = FALSE;
    for (guint32 i = 0; i < r->n_classes; i++)
        any |= classes[i] = r->classes[i].name && pm_readers_is_shared_class(r->classes[i].name);
    for (gsize row = 0; row < r->waits.n && any; row++)
        n += sharing_key(r, row, &sharing) != G_MAXUINT32;
    c->readers = g_new0(PmReaders *, MAX(r->n_blockers, 1));
    return n == 0 || n > MAX_SHARED_WAITS ||
           pm_row_lists_run(r, &task, r->n_blockers, (gpointer)&sharing, cancel);
}

static gpointer taker_key(guint32 blocker, guint32 thread)
{
    return GSIZE_TO_POINTER((gsize)blocker << 32 | thread);
}

/* Of all threads of its group. */
static gpointer group_key(const PmRecording *r, guint32 blocker, guint32 thread)
{
    return taker_key(blocker, G_MAXUINT32 - r->threads[thread].group);
}

static void add_taker(PmContention *c, guint32 blocker, guint32 thread)
{
    guint32 *sole = &c->sole_takers[blocker];
    *sole = *sole && *sole != thread ? SEVERAL : thread;
    g_hash_table_add(c->takers, taker_key(blocker, thread));
    g_hash_table_add(c->takers, group_key(c->recording, blocker, thread));
}

/* Whoever got something there and waits for it anew, not because it was woken in vain, takes what
 * is counted: a latch, once opened, keeps nobody waiting. `got`: by taker_key, when. */
static void note_counted(PmContention *c, guint32 row, GHashTable *got)
{
    const PmWaits *w = &c->recording->waits;
    const gpointer key = taker_key(pm_wait_blocker(w, row), pm_wait_thread(w, row));
    const gint64 *last = g_hash_table_lookup(got, key);
    if (last && pm_wait_begin(w, row) - *last > PM_ACTIVITY_REPARK_NS)
        g_hash_table_add(c->counted, GUINT_TO_POINTER(pm_wait_blocker(w, row)));
    const gint64 end = pm_wait_end(w, row);
    if (pm_wait_wake_cause(w, row) == PM_WAKE_RELEASE)
        g_hash_table_insert(got, key, g_memdup2(&end, sizeof end));
}

#define N_MET 16384

/* Who waits for signals. */
static void find_takers(PmContention *c)
{
    const PmWaits *w = &c->recording->waits;
    g_autofree gpointer *met = g_new(gpointer, N_MET); /* taker_keys: nearly all come again */
    g_autoptr(GHashTable) got = g_hash_table_new_full(pm_pair_hash, NULL, NULL, g_free);
    memset(met, 0xff, N_MET * sizeof *met);
    c->takers = g_hash_table_new(pm_pair_hash, NULL);
    c->counted = g_hash_table_new(NULL, NULL);
    c->sole_takers = g_new0(guint32, MAX(c->recording->n_blockers, 1));
    c->known = g_new0(Known, 1);
    g_mutex_init(&c->known->lock);
    for (guint i = 0; i < N_KNOWN; i++)
        c->known->of[i] = g_hash_table_new(pm_pair_hash, NULL);
    gint64 threads[READ_AT_ONCE], blockers[READ_AT_ONCE];
    for (gsize i = 0, n; (n = marked_run(c, &i, HAS_TAKER)) > 0; i += n) {
        pm_wait_columns(w, PM_WAIT_COLUMN_THREAD, i, n, threads);
        pm_wait_columns(w, PM_WAIT_COLUMN_BLOCKER, i, n, blockers);
        for (gsize k = 0; k < n; k++) {
            const guint32 thread = (guint32)threads[k], blocker = (guint32)blockers[k];
            gpointer *before = &met[(blocker * 211 + thread) % N_MET];
            if (*before == taker_key(blocker, thread))
                continue;
            if (may_be_counted(c->recording, i + k))
                note_counted(c, (guint32)(i + k), got);
            else if (is_taker(w, i + k)) {
                *before = taker_key(blocker, thread);
                add_taker(c, blocker, thread);
            }
        }
    }
    GHashTableIter iter;
    gpointer key;
    g_hash_table_iter_init(&iter, got);
    while (g_hash_table_iter_next(&iter, &key, NULL))
        if (pm_contention_is_counted(c, GPOINTER_TO_SIZE(key) >> 32))
            add_taker(c, GPOINTER_TO_SIZE(key) >> 32, (guint32)GPOINTER_TO_SIZE(key));
}

PmContention *pm_contention_new(const PmRecording *recording, const gint *cancel)
{
    const PmWaits *w = &recording->waits;
    PmContention *c = g_new0(PmContention, 1);
    c->recording = recording;
    c->shared = g_new0(guint8, recording->n_blockers);
    c->own = pm_own_code(recording);
    c->activity = pm_activity_new(recording, cancel);
    c->timelines = c->activity ? pm_timelines_new(recording, cancel) : NULL;
    if (!c->timelines) {
        pm_contention_free(c);
        return NULL;
    }
    mark_blocks(c);
    c->rung = g_new0(guint, w->n / 16 + 1);
    const gboolean any_shared = find_shared(c);
    c->followed = followed_new(c);
    c->signallers = g_hash_table_new_full(pm_pair_at_hash, g_int64_equal, g_free, g_free);
    for (gsize i = 0; (i = marked(c, i, HAS_SIGNALLED)) < w->n; i++)
        if (is_signalled(recording, (guint32)i))
            count_signallers(c, (guint32)i);
    find_pools(c);
    c->tokens = g_new0(PmTokens *, recording->n_blockers);
    const PmRowTask task = {resource_keys, pm_row_waits_read, sizeof(PmRowWait), find_resource};
    if (!find_readers(c, cancel) ||
        !pm_row_lists_run(recording, &task, recording->n_blockers, c, cancel)) {
        pm_contention_free(c);
        return NULL;
    }
    find_parties(c);
    find_releases(c, any_shared);
    find_takers(c);
    return c;
}

gboolean pm_contention_is_resource(const PmContention *c, guint32 blocker)
{
    return c->tokens[pool_of(c, blocker)] != NULL;
}

gboolean pm_contention_is_counted(const PmContention *c, guint32 blocker)
{
    return g_hash_table_contains(c->counted, GUINT_TO_POINTER(blocker));
}

gboolean pm_contention_ender(const PmContention *c, guint32 row, guint32 *ret_thread,
                             guint32 *ret_chain)
{
    PmGive give;
    if (is_still_wanted(c, row) || !origin_of(c, row, &give))
        return FALSE;
    *ret_thread = give.thread;
    *ret_chain = give.chain;
    return TRUE;
}

void pm_contention_enders(const PmContention *c, gsize first, gsize n, guint32 *ret_threads,
                          guint32 *ret_chains)
{
    const PmWaits *w = &c->recording->waits;
    gint64 wakes[READ_AT_ONCE], wakers[READ_AT_ONCE], chains[READ_AT_ONCE];
    PmGive give;
    for (gsize done = 0, its; done < n; done += its) {
        its = MIN(n - done, READ_AT_ONCE);
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
            if (*thread && may_be_followed(c, row) && origin_of(c, (guint32)row, &give)) {
                *thread = give.thread;
                *chain = give.chain;
            }
        }
    }
}

static gboolean is_alike(const PmRecording *r, guint32 a, guint32 b)
{
    const PmWaits *w = &r->waits;
    return r->blockers[pm_wait_blocker(w, a)].class_index ==
               r->blockers[pm_wait_blocker(w, b)].class_index &&
           pm_recording_site_method(r, pm_wait_chain(w, a)) ==
               pm_recording_site_method(r, pm_wait_chain(w, b));
}

/* 1 + what is known; 0: nothing. */
static guint known_of(const PmContention *c, guint what, gpointer key)
{
    g_mutex_lock(&c->known->lock);
    const guint known = GPOINTER_TO_UINT(g_hash_table_lookup(c->known->of[what], key));
    g_mutex_unlock(&c->known->lock);
    return known;
}

static guint learn(const PmContention *c, guint what, gpointer key, guint is)
{
    g_mutex_lock(&c->known->lock);
    g_hash_table_insert(c->known->of[what], key, GUINT_TO_POINTER(1 + is));
    g_mutex_unlock(&c->known->lock);
    return is;
}

/* Does its thread wait there for another object each time, at which nobody else waits? Messages
 * come to one object. */
static gboolean is_own_object(const PmContention *c, guint32 row)
{
    const PmWaits *w = &c->recording->waits;
    const guint32 thread = pm_wait_thread(w, row), blocker = pm_wait_blocker(w, row);
    const gpointer key = GUINT_TO_POINTER(blocker);
    guint known;
    if (c->sole_takers[blocker] != thread)
        return FALSE;
    if ((known = known_of(c, OWN_OBJECTS, key)))
        return known - 1;
    const guint32 at = pm_activity_first_wait(c->activity, thread, pm_wait_begin(w, row));
    const guint32 end = MIN(at + MAX_LOOKED, pm_activity_n_waits(c->activity, thread));
    guint32 last = 0;
    guint n = 0, n_stretches = 0; /* of waits for others, and for this one */
    for (guint32 i = at - MIN(at, MAX_LOOKED); i < end; i++) {
        const guint32 other = pm_activity_wait(c->activity, thread, i);
        if (pm_wait_blocker(w, other) == last || !is_alike(c->recording, row, other))
            continue;
        last = pm_wait_blocker(w, other);
        n += last != blocker;
        n_stretches += last == blocker;
    }
    return learn(c, OWN_OBJECTS, key, n >= MIN_ANSWERS && n_stretches == 1);
}

/* Who asks and who answers do the same but for one thing: who asks waits in the method in which it
 * asked, who answers takes questions in another one than it answers in; or, where both do the same,
 * those who ask are more. `wait` is of one who answers, ended by the question of who then was in
 * the wait `next`, ended by the answer. */
static gboolean is_of_asker(const PmContention *c, guint32 wait, const PmGive *question,
                            guint32 next, const PmGive *answer)
{
    const PmRecording *r = c->recording;
    const PmWaits *w = &r->waits;
    const guint32 asks = pm_wait_chain(w, next), takes = pm_wait_chain(w, wait);
    const gint asks_in = pm_own_frame(c->own, asks), takes_in = pm_own_frame(c->own, takes);
    const gboolean asks_there =
        asks_in >= 0 &&
        pm_recording_has_method(r, question->chain, r->chains[asks].frames[asks_in].method);
    const gboolean answers_there =
        takes_in >= 0 &&
        pm_recording_has_method(r, answer->chain, r->chains[takes].frames[takes_in].method);
    if (asks_there != answers_there)
        return asks_there;
    return r->groups[r->threads[pm_wait_thread(w, next)].group].n_threads >
           r->groups[r->threads[pm_wait_thread(w, wait)].group].n_threads;
}

/* Did the wait end as somebody asked for something, and then waited until a thread like this one
 * answered? That wait's row; G_MAXUINT32: it did not. Who wakes may only pass it on. */
static guint32 question_of(const PmContention *c, guint32 wait)
{
    const PmRecording *r = c->recording;
    const PmWaits *w = &r->waits;
    PmGive question, answer;
    if (!origin_of(c, wait, &question))
        return G_MAXUINT32;
    const guint32 nth = pm_activity_first_wait(c->activity, question.thread, question.at);
    if (nth >= pm_activity_n_waits(c->activity, question.thread))
        return G_MAXUINT32;
    const guint32 next = pm_activity_wait(c->activity, question.thread, nth);
    return ABS(pm_wait_begin(w, next) - question.at) <= ASKED_NS &&
                   pm_wait_kind(w, next) != PM_KIND_ENTER &&
                   pm_category_family(pm_wait_category(w, next)) != PM_FAMILY_LOCK &&
                   origin_of(c, next, &answer) &&
                   r->threads[answer.thread].group == r->threads[pm_wait_thread(w, wait)].group &&
                   is_of_asker(c, wait, &question, next, &answer)
               ? next
               : G_MAXUINT32;
}

/* Does the giver mostly wait for those who then wait for it, like in `row`? Then it is asked, and
 * answers. */
static gboolean is_asked(const PmContention *c, guint32 row, guint32 giver)
{
    const PmWaits *w = &c->recording->waits;
    const guint32 n_waits = MIN(pm_activity_n_waits(c->activity, giver), 2 * MAX_LOOKED);
    const gpointer key = side_key(c->recording, pm_wait_chain(w, row), giver);
    const guint known = known_of(c, ASKED, key);
    guint n = 0, n_asked = 0;
    if (known)
        return known - 1;
    for (guint32 i = 0; i < n_waits; i++) {
        const guint32 wait = pm_activity_wait(c->activity, giver, i);
        if (!pm_wait_waker(w, wait) ||
            pm_category_family(pm_wait_category(w, wait)) == PM_FAMILY_LOCK)
            continue;
        const guint32 question = question_of(c, wait);
        n++;
        n_asked += question != G_MAXUINT32 && is_alike(c->recording, row, question);
    }
    return learn(c, ASKED, key, n_asked >= MIN_ANSWERS && n_asked * 2 > n);
}

gboolean pm_contention_is_source(const PmContention *c, guint32 thread)
{
    const PmWaits *w = &c->recording->waits;
    const guint32 n = MIN(pm_activity_n_waits(c->activity, thread), 2 * MAX_LOOKED);
    for (guint32 i = 0; i < n; i++) {
        const guint32 row = pm_activity_wait(c->activity, thread, i);
        if (pm_category_family(pm_wait_category(w, row)) != PM_FAMILY_LOCK &&
            pm_wait_category(w, row) != PM_CATEGORY_TIMER)
            return FALSE;
    }
    return TRUE;
}

/* Those of the thread's waits for it that somebody ended, of those looked at: rows. Who was woken
 * for somebody else and waits on was not let in. */
static void add_ended(const PmContention *c, guint32 blocker, guint32 thread, GArray *rows)
{
    const PmWaits *w = &c->recording->waits;
    const guint32 n_waits = MIN(pm_activity_n_waits(c->activity, thread), 2 * MAX_LOOKED);
    for (guint32 i = 0; i < n_waits; i++) {
        const guint32 wait = pm_activity_wait(c->activity, thread, i);
        if (pm_wait_blocker(w, wait) == blocker && pm_wait_kind(w, wait) == PM_KIND_WAIT &&
            pm_wait_waker(w, wait) && !pm_activity_is_repeated(c->activity, wait))
            g_array_append_val(rows, wait);
    }
}

/* How many of those were ended by others that wait there, too, in a method in which nobody does. */
static guint count_admitted(const PmContention *c, guint32 blocker, const GArray *rows)
{
    const PmRecording *r = c->recording;
    const PmWaits *w = &r->waits;
    g_autoptr(GHashTable) methods = g_hash_table_new(NULL, NULL);
    guint n = 0;
    for (guint i = 0; i < rows->len; i++) {
        const guint32 chain = pm_wait_chain(w, g_array_index(rows, guint32, i));
        g_hash_table_add(methods, GUINT_TO_POINTER(pm_recording_site_method(r, chain)));
    }
    for (guint i = 0; i < rows->len; i++) {
        const guint32 row = g_array_index(rows, guint32, i), chain = pm_wait_waker_chain(w, row);
        n += g_hash_table_contains(c->takers, taker_key(blocker, pm_wait_waker(w, row))) &&
             !g_hash_table_contains(methods, GUINT_TO_POINTER(pm_recording_site_method(r, chain)));
    }
    return n;
}

/* Do threads that wait at that monitor end waits of each other as they leave, one of five at least?
 * Then nobody brings anything: they wait to be let in. */
static gboolean is_admitted(const PmContention *c, guint32 row)
{
    const guint32 blocker = pm_wait_blocker(&c->recording->waits, row);
    if (pm_wait_kind(&c->recording->waits, row) != PM_KIND_WAIT ||
        c->sole_takers[blocker] != SEVERAL)
        return FALSE;
    const guint known = known_of(c, ADMITTED, GUINT_TO_POINTER(blocker));
    if (known)
        return known - 1;
    g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(guint32));
    guint n_looked = 0;
    for (guint32 t = 0; t < c->recording->n_threads && n_looked < MAX_LOOKED; t++) {
        if (!g_hash_table_contains(c->takers, taker_key(blocker, t)))
            continue;
        add_ended(c, blocker, t, rows);
        n_looked++;
    }
    const guint n = count_admitted(c, blocker, rows);
    return learn(c, ADMITTED, GUINT_TO_POINTER(blocker), n >= MIN_ANSWERS && n * 5 >= rows->len);
}

gboolean pm_contention_takes(const PmContention *c, guint32 row, guint32 giver)
{
    const PmWaits *w = &c->recording->waits;
    const guint32 blocker = pm_wait_blocker(w, row);
    if ((!is_taker(w, row) && !pm_contention_is_counted(c, blocker)) ||
        pm_contention_is_resource(c, blocker) ||
        pm_label_waits_for_room(c->recording, pm_wait_chain(w, row)))
        return FALSE;
    /* Others of who releases a semaphore take of it: it is a permit, as where some are left. */
    if (pm_wait_category(w, row) == PM_CATEGORY_SEMAPHORE &&
        (pm_wait_aqs_state(w, row) > 0 ||
         g_hash_table_contains(c->takers, group_key(c->recording, blocker, giver))))
        return FALSE;
    if (question_of(c, row) != G_MAXUINT32)
        return TRUE;
    return !g_hash_table_contains(c->takers, taker_key(blocker, giver)) &&
           !is_asked(c, row, giver) && !is_admitted(c, row) &&
           (!is_own_object(c, row) || pm_contention_is_source(c, giver));
}

guint32 pm_contention_seen_holding(const PmContention *c, guint32 blocker, guint32 thread,
                                   guint32 chain, gint64 at)
{
    const PmTokens *tokens = c->tokens[pool_of(c, blocker)];
    return tokens ? pm_tokens_seen_holding(tokens, thread, chain, at) : 0;
}

const PmActivity *pm_contention_activity(const PmContention *c)
{
    return c->activity;
}

const PmContention *pm_recording_contention(PmRecording *recording, const gint *cancel)
{
    PmRecordingPrivate *p = recording->priv;
    g_mutex_lock(&p->lock);
    PmContention *contention = g_dataset_get_data(recording, "contention");
    if (!contention && (contention = pm_contention_new(recording, cancel)))
        g_dataset_set_data_full(recording, "contention", contention,
                                (GDestroyNotify)pm_contention_free);
    g_mutex_unlock(&p->lock);
    return contention;
}

static void known_free(Known *known)
{
    if (!known)
        return;
    g_mutex_clear(&known->lock);
    for (guint i = 0; i < N_KNOWN; i++)
        g_hash_table_unref(known->of[i]);
    g_clear_pointer(&known->gives, g_hash_table_unref);
    g_free(known);
}

void pm_contention_free(PmContention *contention)
{
    if (!contention)
        return;
    g_clear_pointer(&contention->followed, g_array_unref);
    g_clear_pointer(&contention->signallers, g_hash_table_unref);
    pm_timelines_free(contention->timelines);
    g_free(contention->shared);
    g_free(contention->marks);
    g_free(contention->rung);
    for (guint b = 0; contention->tokens && b < contention->recording->n_blockers; b++)
        pm_tokens_free(contention->tokens[b]);
    g_free(contention->tokens);
    g_free(contention->one_pool);
    for (guint b = 0; contention->readers && b < contention->recording->n_blockers; b++)
        pm_readers_free(contention->readers[b]);
    g_free(contention->readers);
    g_clear_pointer(&contention->parties, g_hash_table_unref);
    g_clear_pointer(&contention->releases, g_hash_table_unref);
    g_clear_pointer(&contention->takers, g_hash_table_unref);
    g_clear_pointer(&contention->counted, g_hash_table_unref);
    g_free(contention->sole_takers);
    known_free(contention->known);
    pm_activity_free(contention->activity);
    g_free(contention);
}

void pm_parts_add(GArray *parts, PmPart part)
{
    if (part.begin >= part.end)
        return;
    PmPart *last = parts->len ? &g_array_index(parts, PmPart, parts->len - 1) : NULL;
    if (last && last->end == part.begin && last->kind == part.kind && last->thread == part.thread &&
        last->chain == part.chain && last->inferred == part.inferred)
        last->end = part.end;
    else
        g_array_append_val(parts, part);
}

/* Adds `part`, with the stop-the-world pauses cut out of it. */
static void add_without_pauses(const PmRecording *r, GArray *parts, PmPart part)
{
    guint low = 0, high = r->n_gc;
    if (part.begin >= part.end)
        return;
    /* the first pause that ends after the part's begin */
    PM_LOWER_BOUND(low, high, middle, r->gc[middle].end <= part.begin)
    gint64 at = part.begin;
    for (guint i = low; i < r->n_gc && r->gc[i].begin < part.end; i++) {
        gint64 begin = MAX(r->gc[i].begin, at), end = MIN(r->gc[i].end, part.end);
        if (end <= begin)
            continue;
        PmPart before = part;
        before.begin = at;
        before.end = begin;
        pm_parts_add(parts, before);
        pm_parts_add(parts, (PmPart){.begin = begin, .end = end, .kind = PM_CAUSE_GC_PAUSE});
        at = end;
    }
    part.begin = at;
    pm_parts_add(parts, part);
}

/* Does it wait for a result? */
static gboolean is_for_result(const PmContention *c, guint32 row)
{
    return pm_category_family(pm_wait_category(&c->recording->waits, row)) == PM_FAMILY_JOIN ||
           is_own_object(c, row);
}

/* Does the giver mostly wait for threads like the one of `row`, which give it something to do? Who
 * then waits until that is done waits for a result, too, as a scheduler for a free worker. */
static gboolean is_set_going(const PmContention *c, guint32 row, guint32 giver)
{
    const PmRecording *r = c->recording;
    const PmWaits *w = &r->waits;
    const guint32 n_waits = MIN(pm_activity_n_waits(c->activity, giver), 2 * MAX_LOOKED);
    const guint32 group = r->threads[pm_wait_thread(w, row)].group;
    const gpointer key = group_key(r, giver, pm_wait_thread(w, row));
    const guint known = known_of(c, SET_GOING, key);
    guint n = 0, n_set = 0;
    if (known)
        return known - 1;
    for (guint32 i = 0; i < n_waits; i++) {
        const guint32 wait = pm_activity_wait(c->activity, giver, i);
        if (pm_category_family(pm_wait_category(w, wait)) == PM_FAMILY_LOCK)
            continue;
        n++;
        n_set += pm_wait_waker(w, wait) && r->threads[pm_wait_waker(w, wait)].group == group;
    }
    return learn(c, SET_GOING, key, n_set >= MIN_ANSWERS && n_set * 2 > n);
}

/* When the thread ended waits, in order; NULL: it did not. */
static const GArray *gives_by(const PmContention *c, guint32 thread)
{
    const PmWaits *w = &c->recording->waits;
    g_mutex_lock(&c->known->lock);
    if (!c->known->gives) {
        c->known->gives = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
        for (gsize i = 0; i < w->n; i++) {
            const gint64 wake = pm_wait_wake(w, i);
            if (pm_wait_waker(w, i) && wake)
                g_array_append_val(array_at(c->known->gives, pm_wait_waker(w, i), sizeof wake),
                                   wake);
        }
        g_hash_table_foreach(c->known->gives, sort_instants, NULL);
    }
    const GArray *gives = g_hash_table_lookup(c->known->gives, GUINT_TO_POINTER(thread));
    g_mutex_unlock(&c->known->lock);
    return gives;
}

/* What timeouts are to a thread: its pace, if it does something else as they come, not much more
 * rarely than such a wait is ended; else nothing, if more of the waits are ended, after few. */
enum {
    IS_PACE = 1,
    IS_BACKSTOP,
};

static guint timeouts_of(const PmContention *c, guint32 thread, guint32 blocker)
{
    const PmWaits *w = &c->recording->waits;
    const guint32 n = MIN(pm_activity_n_waits(c->activity, thread), 8 * MAX_LOOKED);
    const gpointer key = taker_key(blocker, thread);
    const guint known = known_of(c, TIMEOUTS, key);
    if (known)
        return known - 1;
    const GArray *gives = gives_by(c, thread);
    guint n_ended = 0, n_acts = 0, n_timeouts = 0, n_runs = 0;
    gboolean in_run = FALSE;
    for (guint32 i = 0; i + 1 < n; i++) {
        const guint32 row = pm_activity_wait(c->activity, thread, i);
        const guint32 next = pm_activity_wait(c->activity, thread, i + 1);
        if (pm_wait_blocker(w, row) != blocker)
            continue;
        const gboolean timed_out = pm_wait_wake_cause(w, row) == PM_WAKE_TIME_OUT;
        n_ended += pm_wait_waker(w, row) != 0;
        n_timeouts += timed_out;
        n_runs += timed_out && !in_run;
        in_run = timed_out;
        if (!timed_out)
            continue;
        guint low = 0, high = gives ? gives->len : 0;
        PM_LOWER_BOUND(low, high, middle,
                       g_array_index(gives, gint64, middle) < pm_wait_end(w, row))
        n_acts += pm_wait_blocker(w, next) != blocker ||
                  (gives && low < gives->len &&
                   g_array_index(gives, gint64, low) <= pm_wait_begin(w, next));
    }
    const gboolean few = n_ended > n_timeouts && n_timeouts <= 2 * n_runs;
    return learn(c, TIMEOUTS, key,
                 n_acts * 4 > n_ended          ? IS_PACE
                 : n_ended >= MIN_ENDED && few ? IS_BACKSTOP
                                               : 0);
}

gboolean pm_contention_is_done_for(const PmContention *c, guint32 row, guint32 giver)
{
    const PmWaits *w = &c->recording->waits;
    return w->n <= MAX_PACED_WAITS && is_set_going(c, row, giver) &&
           timeouts_of(c, pm_wait_thread(w, row), pm_wait_blocker(w, row)) != IS_PACE;
}

/* Is the timeout of the wait only there in case that nobody ends it? */
static gboolean is_backstop(const PmContention *c, guint32 row)
{
    const PmWaits *w = &c->recording->waits;
    return w->n <= MAX_PACED_WAITS &&
           timeouts_of(c, pm_wait_thread(w, row), pm_wait_blocker(w, row)) == IS_BACKSTOP;
}

gboolean pm_contention_is_behind(const PmContention *c, guint32 row, guint32 chain)
{
    const PmWaits *w = &c->recording->waits;
    const guint32 thread = pm_wait_thread(w, row);
    const guint32 n_waits = MIN(pm_activity_n_waits(c->activity, thread), 8 * MAX_LOOKED);
    const guint32 method = pm_own_place_frame(c->recording, chain).method;
    const gpointer key = taker_key(method, thread);
    const guint known = known_of(c, BEHIND, key);
    guint n = 0, n_apart = 0;
    if (known || pm_own_frame(c->own, chain) < 0)
        return known > 1;
    for (guint32 i = 0; i < n_waits; i++) {
        const guint32 wait = pm_activity_wait(c->activity, thread, i);
        PmGive give;
        if (!origin_of(c, wait, &give) ||
            !pm_recording_has_method(c->recording, give.chain, method))
            continue;
        const guint32 seen = pm_activity_nearest_sample(c->activity, give.thread, FALSE,
                                                        pm_wait_begin(w, wait), give.at, 0);
        if (pm_own_frame(c->own, seen) < 0)
            continue;
        n++;
        n_apart += pm_own_are_apart(c->own, c->recording, give.chain, seen);
    }
    return learn(c, BEHIND, key, n_apart >= MIN_ANSWERS && n_apart * 2 > n);
}

/* The wait with which a thread goes on waiting after `row`; G_MAXUINT32: it does not. From a
 * timeout to the next wait in the same place it may have been without a core for long. `nth`: the
 * number of the thread's wait before that one, if the caller knows it; else G_MAXUINT32. */
static guint32 next_try(const PmContention *c, guint32 row, guint32 *nth)
{
    const PmWaits *w = &c->recording->waits;
    const guint32 thread = pm_wait_thread(w, row);
    *nth = pm_activity_next_wait(c->activity, thread, *nth, pm_wait_end(w, row));
    if (*nth >= pm_activity_n_waits(c->activity, thread))
        return G_MAXUINT32;
    const guint32 next = pm_activity_wait(c->activity, thread, *nth);
    const gint64 gap = pm_wait_begin(w, next) - pm_wait_end(w, row);
    const gint64 length = pm_wait_end(w, row) - pm_wait_begin(w, row);
    return pm_activity_is_repeated(c->activity, row) ||
                   ((pm_wait_wake_cause(w, row) == PM_WAKE_TIME_OUT || is_woken_in_vain(c, row)) &&
                    pm_wait_blocker(w, next) == pm_wait_blocker(w, row) &&
                    pm_wait_chain(w, next) == pm_wait_chain(w, row) && gap <= length / LATE_PART)
               ? next
               : G_MAXUINT32;
}

/* Did its waker ring for others, as it then waits in the same place itself? */
static gboolean find_rung_for_others(const PmContention *c, guint32 row)
{
    const PmWaits *w = &c->recording->waits;
    const guint32 waker = pm_wait_waker(w, row);
    const guint32 nth = pm_activity_first_wait(c->activity, waker, pm_wait_wake(w, row));
    if (nth >= pm_activity_n_waits(c->activity, waker))
        return FALSE;
    const guint32 next = pm_activity_wait(c->activity, waker, nth);
    return pm_wait_begin(w, next) - pm_wait_wake(w, row) <= ASKED_NS &&
           pm_wait_blocker(w, next) == pm_wait_blocker(w, row) && is_alike(c->recording, row, next);
}

/* The same, found out once. */
static gboolean is_rung_for_others(const PmContention *c, guint32 row)
{
    const PmWaits *w = &c->recording->waits;
    if (pm_wait_wake_cause(w, row) != PM_WAKE_NOTIFY || !pm_wait_waker(w, row))
        return FALSE;
    guint *known = &c->rung[row / 16]; /* two bits each: that it is known, and that it is so */
    const guint shift = row % 16 * 2, bits = (guint)g_atomic_int_get(known) >> shift & 3;
    if (bits)
        return bits == 3;
    const gboolean is = find_rung_for_others(c, row);
    g_atomic_int_or(known, (is ? 3u : 1u) << shift);
    return is;
}

/* The thread's last wait for the same before `row` that somebody ended, not for others; `row`
 * itself if there is none. */
static guint32 ended_before(const PmContention *c, guint32 row)
{
    const PmWaits *w = &c->recording->waits;
    const guint32 thread = pm_wait_thread(w, row);
    guint32 nth = pm_activity_first_wait(c->activity, thread, pm_wait_begin(w, row));
    for (guint steps = 0; nth-- > 0 && steps < MAX_REPEATED; steps++) {
        const guint32 other = pm_activity_wait(c->activity, thread, nth);
        if (pm_wait_blocker(w, other) == pm_wait_blocker(w, row) && pm_wait_waker(w, other) &&
            !is_rung_for_others(c, other))
            return other;
    }
    return row;
}

/* Whoever is interrupted where that ends no wait waits on, as who waits for a result until it is
 * there, by one timeout after the other, or woken for others, or by one that gives up; and goes by
 * how that ends, or ended the last time while it goes on. */
static guint32 outcome_of(const PmContention *c, guint32 row)
{
    static const char *const methods[] = {
        "arriveAndAwaitAdvance",  "awaitAdvance", "awaitUninterruptibly",
        "acquireUninterruptibly", "join",         NULL};
    const PmWaits *w = &c->recording->waits;
    const guint32 first = row;
    guint32 nth = G_MAXUINT32;
    const gboolean timed_out = pm_wait_wake_cause(w, row) == PM_WAKE_TIME_OUT;
    for (guint steps = 0;
         steps < MAX_REPEATED &&
         ((timed_out && pm_wait_wake_cause(w, row) == PM_WAKE_TIME_OUT) ||
          (pm_activity_is_repeated(c->activity, row) && is_rung_for_others(c, row)) ||
          is_woken_in_vain(c, row) ||
          (pm_wait_wake_cause(w, row) == PM_WAKE_INTERRUPT &&
           pm_label_waits_in(c->recording, pm_wait_chain(w, row), methods)));
         steps++) {
        const guint32 next = next_try(c, row, &nth);
        if (next == G_MAXUINT32)
            break;
        row = next;
    }
    if (!timed_out || is_for_result(c, first))
        return row;
    const gboolean open = (pm_wait_flags(w, row) & (PM_WAIT_IN_PROGRESS | PM_WAIT_CUT)) != 0;
    const guint32 giver = pm_wait_waker(w, open ? ended_before(c, first) : row);
    return giver && (pm_contention_is_done_for(c, first, giver) || is_backstop(c, first)) ? row
                                                                                          : first;
}

/* Was it for a future that gave up by a timeout of its own (orTimeout), or got its value by one? */
static gboolean is_futures_time_out(const PmContention *c, guint32 row)
{
    const guint32 chain = pm_wait_waker_chain(&c->recording->waits, row);
    return pm_wait_category(&c->recording->waits, row) == PM_CATEGORY_FUTURE && chain &&
           pm_own_frame(c->own, chain) < 0 &&
           (pm_label_is_within(c->recording, chain, G_MAXUINT,
                               "java.util.concurrent.CompletableFuture$Timeout", "run") ||
            pm_label_is_within(c->recording, chain, G_MAXUINT,
                               "java.util.concurrent.CompletableFuture$DelayedCompleter", "run"));
}

/* What made a wait last for which no owner is known. */
static PmPart whole_wait(const PmContention *c, guint32 row)
{
    const PmWaits *w = &c->recording->waits;
    PmPart part = {
        .begin = pm_wait_begin(w, row), .end = pm_wait_end(w, row), .kind = PM_CAUSE_UNKNOWN};
    const gint64 begin = part.begin;
    const guint32 outcome = outcome_of(c, row);
    const gboolean waits_on = outcome != row;
    row = outcome;
    if (pm_wait_kind(w, row) == PM_KIND_WAIT && pm_wait_owner(w, row)) {
        part.kind = PM_CAUSE_OWNER; /* the thread whose end it waits for, however long that takes */
        part.thread = pm_wait_owner(w, row);
    } else if (pm_wait_flags(w, row) & (PM_WAIT_IN_PROGRESS | PM_WAIT_CUT)) {
        part.kind = PM_CAUSE_STILL_WAITING;
    } else if (pm_wait_wake_cause(w, row) == PM_WAKE_TIME_OUT || is_futures_time_out(c, row) ||
               (is_woken_in_vain(c, row) && pm_wait_flags(w, row) & PM_WAIT_TIMED)) {
        part.kind = PM_CAUSE_TIME_OUT;
    } else if (pm_wait_wake_cause(w, row) == PM_WAKE_INTERRUPT) {
        part.kind = PM_CAUSE_INTERRUPT;
    } else if (pm_wait_waker(w, row)) {
        part.kind = PM_CAUSE_WAKER;
        gboolean sure = TRUE;
        guint32 root = root_of(c, row, &sure);
        if (pm_wait_wake(w, root) > begin)
            part.end = pm_wait_wake(w, root); /* since then it was being passed on */
        if (pm_wait_flags(w, root) & PM_WAIT_AMBIGUOUS && is_rung_for_others(c, root))
            root = ended_before(c, root); /* who it was waited for is told by that */
        part.thread = pm_wait_waker(w, root);
        part.chain = pm_wait_waker_chain(w, root);
        /* A permit came before the park; the unlock that ends a condition's wait is not the
         * signal. */
        gboolean after_signal = pm_wait_wake_cause(w, row) == PM_WAKE_RELEASE &&
                                c->recording->blockers[pm_wait_blocker(w, row)].parent != 0;
        /* The permit that a wake was passed on for may be that of another release meanwhile. */
        gboolean any_permit = row != root && (pm_wait_category(w, row) == PM_CATEGORY_SEMAPHORE ||
                                              pm_wait_category(w, row) == PM_CATEGORY_RESOURCE);
        part.inferred = !sure || waits_on || any_permit || after_signal ||
                        (pm_wait_flags(w, row) & PM_WAIT_AMBIGUOUS) != 0 ||
                        pm_wait_wake_cause(w, row) == PM_WAKE_PERMIT;
    }
    return part;
}

static PmPart owner_part(const PmContention *c, const PmSegment *segment, guint32 row)
{
    PmPart part = {.kind = PM_CAUSE_UNKNOWN};
    if (segment->handing_over) {
        part.kind = PM_CAUSE_HAND_OVER;
    } else if (segment->thread && segment->thread != pm_wait_thread(&c->recording->waits, row)) {
        part.kind = PM_CAUSE_OWNER;
        part.thread = segment->thread;
        part.chain = segment->chain;
        part.inferred = segment->inferred;
    } else if (segment->thread) {
        /* It seems to wait for itself: evidence of a moment ago; it was being handed the blocker.
         */
        part.kind = PM_CAUSE_HAND_OVER;
        part.inferred = TRUE;
    }
    return part;
}

/* Adds the parts of [from, to) as the blocker's timeline has them. */
static void add_owner_parts(const PmContention *c, guint32 row, guint32 blocker, gint64 from,
                            gint64 to, gboolean inferred, GArray *parts)
{
    const guint32 n = pm_timelines_n(c->timelines, blocker);
    gint64 first = pm_timelines_before(c->timelines, blocker, from + 1);
    gint64 at = from;
    if (first < 0) {
        PmPart unseen = {.begin = at,
                         .end = MIN(pm_timelines_begin(c->timelines, blocker, 0), to),
                         .kind = PM_CAUSE_UNKNOWN};
        if (unseen.end > unseen.begin) {
            add_without_pauses(c->recording, parts, unseen);
            at = unseen.end;
        }
    }
    for (guint32 i = (guint32)MAX(first, 0); i < n && at < to; i++) {
        gint64 until = i + 1 < n ? pm_timelines_begin(c->timelines, blocker, i + 1) : G_MAXINT64;
        if (until <= at)
            continue;
        PmSegment segment = pm_timelines_segment(c->timelines, blocker, i);
        PmPart part = owner_part(c, &segment, row);
        part.begin = at;
        part.end = at = MIN(until, to);
        part.inferred |= inferred && part.kind == PM_CAUSE_OWNER;
        add_without_pauses(c->recording, parts, part);
    }
}

/* A condition's wait: for its signal until the hold began in which that came; from then on, at
 * most, for the lock. */
static void add_signalled_parts(const PmContention *c, guint32 row, const Signal *signal,
                                gint64 begin, gint64 woken, GArray *parts)
{
    const PmRecording *r = c->recording;
    PmSegment signaller =
        pm_timelines_segment(c->timelines, signal->lock, choose_signaller(c, row, signal));
    gint64 since = MAX(signaller.begin, signal->from);
    PmPart part = {.begin = begin,
                   .end = woken,
                   .kind = PM_CAUSE_WAKER,
                   .thread = signaller.thread,
                   .chain = signaller.chain,
                   .inferred = TRUE};
    if (!signaller.since_unknown && !pm_label_is_in_queue(r, pm_wait_chain(&r->waits, row)))
        part.end = CLAMP(since, begin, woken);
    add_without_pauses(r, parts, part);
    if (part.end < woken)
        add_owner_parts(c, row, pm_wait_owned_after(r, row), part.end, woken, TRUE, parts);
}

/* NULL: the wait is for no resource. */
static const PmTokens *tokens_of(const PmContention *c, guint32 row)
{
    const PmWaits *w = &c->recording->waits;
    return may_be_resource(w, row) ? c->tokens[pool_of(c, pm_wait_blocker(w, row))] : NULL;
}

typedef struct {
    const PmContention *contention;
    GArray *parts;
    PmCauseKind else_kind; /* where nobody holds */
} TokenParts;

static void add_token_part(gint64 begin, gint64 end, const PmTokenHold *hold, gpointer data)
{
    TokenParts *to = data;
    PmPart part = {.begin = begin, .end = end, .kind = to->else_kind};
    if (hold) {
        part.kind = PM_CAUSE_OWNER;
        part.thread = hold->thread;
        part.chain = hold->chain;
        part.inferred = TRUE;
        part.held = hold->length;
    }
    add_without_pauses(to->contention->recording, to->parts, part);
}

/* From the wake to the resume: it was being handed over, but if somebody held the blocker all the
 * same. */
static void add_resuming_parts(const PmContention *c, guint32 row, gint64 woken, gint64 end,
                               GArray *parts)
{
    const PmRecording *r = c->recording;
    const PmWaits *w = &r->waits;
    gboolean notified = pm_wait_kind(w, row) == PM_KIND_WAIT &&
                        pm_wait_end(w, row) - pm_wait_wake(w, row) > PM_HAND_OVER_NS;
    gboolean barged = pm_wait_kind(w, row) == PM_KIND_PARK &&
                      (pm_wait_wake_cause(w, row) == PM_WAKE_RELEASE ||
                       pm_wait_wake_cause(w, row) == PM_WAKE_CANCELLATION);
    const PmTokens *tokens = tokens_of(c, row);
    if (tokens && end - woken > PM_HAND_OVER_NS)
        pm_tokens_split(tokens, pm_wait_thread(w, row), TRUE, woken, end, add_token_part,
                        &(TokenParts){c, parts, PM_CAUSE_HAND_OVER});
    else if (woken < end && pm_timelines_n(c->timelines, pm_wait_owned_after(r, row)) &&
             (notified || barged))
        add_owner_parts(c, row, pm_wait_owned_after(r, row), woken, end, notified, parts);
    else
        add_without_pauses(r, parts,
                           (PmPart){.begin = woken, .end = end, .kind = PM_CAUSE_HAND_OVER});
}

/* Where the `i`th of `n` even pieces begins. */
static gint64 nth_cut(gint64 from, gint64 to, guint i, guint n)
{
    return i == n ? to : from + pm_rounded((double)(to - from) * i / n);
}

/* At each instant those who have not yet come are responsible, evenly. FALSE when it is not known
 * who came last. */
static gboolean add_party_parts(const PmContention *c, guint32 row, gint64 from, gint64 to,
                                GArray *parts)
{
    const PmRecording *r = c->recording;
    const PmWaits *w = &r->waits;
    const GArray *rows = g_hash_table_lookup(c->parties, GUINT_TO_POINTER(parties_of(r, row)));
    gboolean sure;
    row = outcome_of(c, row);
    if (!rows || !pm_wait_waker(w, row) || !pm_wait_wake(w, row))
        return FALSE;
    guint32 root = root_of(c, row, &sure);
    const gint64 end = to, opened = pm_wait_wake(w, root);
    to = CLAMP(opened, from, end);   /* since then it was being passed on */
    guint low = 0, high = rows->len; /* the first that came after this one */
    PM_LOWER_BOUND(low, high, middle,
                   pm_wait_begin(w, g_array_index(rows, guint32, middle)) <= from)
    guint last = low;
    while (last < rows->len && pm_wait_begin(w, g_array_index(rows, guint32, last)) < opened)
        last++;
    gint64 at = from;
    for (guint next = low; at < to; next++) {
        gint64 until = next < last ? pm_wait_begin(w, g_array_index(rows, guint32, next)) : to;
        until = MIN(until, to);
        guint n = 1 + last - MIN(next, last);
        for (guint i = 0; i < n && until > at; i++) {
            guint32 other = i + 1 < n ? g_array_index(rows, guint32, next + i) : root;
            PmPart part = {.begin = nth_cut(at, until, i, n),
                           .end = nth_cut(at, until, i + 1, n),
                           .kind = PM_CAUSE_WAKER,
                           .thread = i + 1 < n ? pm_wait_thread(w, other) : pm_wait_waker(w, root),
                           .chain =
                               i + 1 < n ? pm_wait_chain(w, other) : pm_wait_waker_chain(w, root),
                           .inferred = n > 1 || !sure};
            add_without_pauses(r, parts, part);
        }
        at = MAX(at, until);
    }
    add_without_pauses(r, parts, (PmPart){.begin = to, .end = end, .kind = PM_CAUSE_HAND_OVER});
    return TRUE;
}

/* Of a lock that readers share: from one release that freed it to the next it was held by who made
 * the later one, among others perhaps. */
static gboolean add_shared_parts(const PmContention *c, guint32 row, gint64 from, gint64 to,
                                 GArray *parts)
{
    const PmRecording *r = c->recording;
    const PmWaits *w = &r->waits;
    const GArray *gives =
        g_hash_table_lookup(c->releases, GUINT_TO_POINTER(pm_wait_blocker(w, row)));
    if (!c->shared[pm_wait_blocker(w, row)] || !gives ||
        pm_wait_flags(w, row) & (PM_WAIT_IN_PROGRESS | PM_WAIT_CUT))
        return FALSE;
    guint low = 0, high = gives->len; /* the first release after `from` */
    PM_LOWER_BOUND(low, high, middle, g_array_index(gives, PmGive, middle).at <= from)
    gboolean sure;
    guint32 root = pm_wait_waker(w, row) ? root_of(c, row, &sure) : row;
    gint64 given = pm_wait_waker(w, row) ? MIN(pm_wait_wake(w, root), to) : to, at = from;
    for (guint i = low; i < gives->len && at < given; i++) {
        const PmGive *give = &g_array_index(gives, PmGive, i);
        PmPart part = {.begin = at,
                       .end = MIN(give->at, given),
                       .kind = PM_CAUSE_WAKER,
                       .thread = give->thread,
                       .chain = give->chain,
                       .inferred = TRUE};
        if (part.thread == pm_wait_thread(w, row))
            part = (PmPart){.begin = at, .end = part.end, .kind = PM_CAUSE_UNKNOWN};
        if (part.end <= at)
            continue;
        add_without_pauses(r, parts, part);
        at = part.end;
    }
    if (at < given)
        add_without_pauses(r, parts, (PmPart){.begin = at, .end = given, .kind = PM_CAUSE_UNKNOWN});
    add_without_pauses(r, parts,
                       (PmPart){.begin = MAX(at, given), .end = to, .kind = PM_CAUSE_HAND_OVER});
    return TRUE;
}

typedef struct {
    const PmContention *contention;
    guint32 row;
    GArray *parts;
} ReaderParts;

/* Does the timeline say so, too? */
static gboolean is_held_by(const PmContention *c, guint32 blocker, guint32 thread, gint64 begin,
                           gint64 end)
{
    gint64 nth = pm_timelines_before(c->timelines, blocker, begin + 1);
    if (nth < 0 || nth + 1 >= pm_timelines_n(c->timelines, blocker))
        return FALSE;
    PmSegment segment = pm_timelines_segment(c->timelines, blocker, (guint32)nth);
    return segment.thread == thread && !segment.handing_over &&
           pm_timelines_begin(c->timelines, blocker, (guint32)nth + 1) >= end;
}

static void add_reader_part(gint64 begin, gint64 end, PmReadersKind kind, guint32 thread,
                            guint32 chain, gpointer data)
{
    const ReaderParts *to = data;
    const PmContention *c = to->contention;
    const guint32 blocker = pm_wait_blocker(&c->recording->waits, to->row);
    const gboolean has_owner = pm_timelines_n(c->timelines, blocker) > 0;
    PmPart part = {.begin = begin,
                   .end = end,
                   .kind = has_owner ? PM_CAUSE_OWNER : PM_CAUSE_WAKER,
                   .thread = thread,
                   .chain = chain,
                   .inferred = TRUE};
    if (has_owner && (kind == PM_READERS_WRITER ||
                      (kind == PM_READERS_ONE && is_held_by(c, blocker, thread, begin, end)))) {
        add_owner_parts(c, to->row, blocker, begin, end, FALSE, to->parts);
        return;
    }
    if (kind == PM_READERS_NONE || thread == pm_wait_thread(&c->recording->waits, to->row))
        part = (PmPart){.begin = begin, .end = end, .kind = PM_CAUSE_HAND_OVER};
    add_without_pauses(c->recording, to->parts, part);
}

/* Of a lock that readers share: those that held it at each instant, evenly. */
static gboolean add_readers_parts(const PmContention *c, guint32 row, gint64 from, gint64 to,
                                  GArray *parts)
{
    const PmWaits *w = &c->recording->waits;
    const PmReaders *readers = c->readers[pm_wait_blocker(w, row)];
    if (!readers || pm_wait_flags(w, row) & (PM_WAIT_IN_PROGRESS | PM_WAIT_CUT))
        return FALSE;
    pm_readers_split(readers, row, from, to, add_reader_part, &(ReaderParts){c, row, parts});
    return TRUE;
}

void pm_contention_split_here(const PmContention *c, guint32 row, gint64 from, gint64 to,
                              GArray *parts)
{
    const PmRecording *r = c->recording;
    const PmWaits *w = &r->waits;
    gint64 begin = MAX(pm_wait_begin(w, row), from), end = MIN(pm_wait_end(w, row), to);
    Signal signal;
    if (begin >= end)
        return;
    gint64 woken = end;
    if (pm_wait_wake(w, row) > pm_wait_begin(w, row) &&
        pm_wait_wake(w, row) < pm_wait_end(w, row) && pm_wait_waker(w, row))
        woken = CLAMP(pm_wait_wake(w, row), begin, end);

    const PmTokens *tokens = tokens_of(c, row);
    const gboolean may_be_owned = pm_wait_kind(w, row) != PM_KIND_WAIT;
    if (tokens && !(pm_wait_flags(w, row) & PM_WAIT_IN_PROGRESS)) {
        pm_tokens_split(tokens, pm_wait_thread(w, row), FALSE, begin, woken, add_token_part,
                        &(TokenParts){c, parts, PM_CAUSE_UNKNOWN});
    } else if ((is_party(w, row) && add_party_parts(c, row, begin, woken, parts)) ||
               (may_be_owned && (add_readers_parts(c, row, begin, woken, parts) ||
                                 add_shared_parts(c, row, begin, woken, parts)))) {
        /* done */
    } else if (pm_timelines_n(c->timelines, pm_wait_blocker(w, row)) && may_be_owned) {
        add_owner_parts(c, row, pm_wait_blocker(w, row), begin, woken, FALSE, parts);
    } else if (find_signal(c, row, &signal)) {
        add_signalled_parts(c, row, &signal, begin, woken, parts);
    } else {
        PmPart part = whole_wait(c, row);
        part.begin = begin;
        part.end = part.kind == PM_CAUSE_WAKER ? CLAMP(part.end, begin, woken) : woken;
        add_without_pauses(r, parts, part);
        add_without_pauses(r, parts,
                           (PmPart){.begin = part.end, .end = woken, .kind = PM_CAUSE_HAND_OVER});
    }
    add_resuming_parts(c, row, woken, end, parts);
}

gboolean pm_contention_has_owner(const PmContention *c, guint32 blocker)
{
    return pm_timelines_n(c->timelines, blocker) > 0;
}

void pm_contention_owned(const PmContention *c, guint32 blocker, gint64 from, gint64 to,
                         GArray *holds)
{
    const guint32 n = pm_timelines_n(c->timelines, blocker);
    PmSegment before = {0}, segment = {0}, next = {0};
    if (n > 1)
        next = pm_timelines_segment(c->timelines, blocker, 0);
    for (guint32 i = 0; i + 1 < n; i++) {
        before = segment;
        segment = next;
        next = pm_timelines_segment(c->timelines, blocker, i + 1);
        if (segment.begin >= to || next.begin <= from)
            continue;
        if (segment.begin == G_MININT64 || segment.handing_over || segment.thread == 0)
            continue;
        PmHold hold = {.begin = segment.begin,
                       .end = next.begin,
                       .thread = segment.thread,
                       .chain = segment.chain,
                       .acquired = segment.acquired,
                       .released = segment.released,
                       .barged = before.handing_over && !segment.acquired,
                       .watched = segment.watched,
                       .exact = segment.acquired && segment.released && segment.watched &&
                                !segment.inferred};
        g_array_append_val(holds, hold);
    }
}

void pm_contention_holds(const PmContention *c, guint32 blocker, GArray *holds)
{
    guint n = holds->len;
    pm_contention_owned(c, blocker, G_MININT64, G_MAXINT64, holds);
    for (guint i = n; i < holds->len; i++) {
        const PmHold *hold = &g_array_index(holds, PmHold, i);
        if (hold->released)
            g_array_index(holds, PmHold, n++) = *hold;
    }
    g_array_set_size(holds, n);
}
