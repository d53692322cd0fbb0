#include "viewer/analysis/causes/contention-private.h"

#include <string.h>

#include "viewer/analysis/causes/tokens.h"
#include "viewer/analysis/recording/category.h"
#include "viewer/analysis/recording/recording-private.h"
#include "viewer/analysis/recording/search.h"
#include "viewer/analysis/recording/sort.h"
#include "viewer/analysis/recording/sum.h"

/* A thread that parks again at the same blocker this soon after it was woken, without having
 * released it, lost the race to a barging thread: both waits belong to one acquire. */

/* A waiter that was woken wakes the next one this soon, or it does so for another reason. */
/* A hold this long, of which nothing tells where it was, is like others of the lock that were
 * sampled, when there are as many; so many of the nearest in time are looked at. */
#define LIKE_NS  1000000
#define MIN_LIKE 3
#define MAX_LIKE 64

#define PASS_ON_NS 10000000

/* From wake to resume it takes no longer than this but on an overloaded machine. If it did, and
 * somebody is known to have held the blocker about then, that is why. */
#define HAND_OVER_NS 200000

/* How many handoffs between conditions' waiters a signal is followed back through. */
#define MAX_SIGNALLED 64

/* What is true of a blocker from `begin` to the next segment's begin. */
typedef struct {
    gint64 begin;
    guint32 thread; /* 0 with !handing_over: not known */
    guint32 chain;
    guint8 inferred;
    guint8 handing_over;
    guint8 acquired;      /* begins with the resume of a woken waiter */
    guint8 released;      /* ends with a release that was seen */
    guint8 watched;       /* who got it next had waited all the time */
    guint8 since_unknown; /* its release alone tells of it: it began at some time after `begin` */
} Segment;

typedef struct {
    guint32 first, n; /* in `segments` */
} Timeline;

struct PmContention {
    const PmRecording *recording;
    GArray *followed;    /* rows (guint32) of waits that are followed back, see followed_compare */
    GArray *segments;    /* of Segment, by blocker, then by time */
    Timeline *timelines; /* by blocker */
    GHashTable *signallers; /* signaller_key → Signaller */
    PmActivity *activity;
    const PmOwnCode *own; /* the recording's */
    PmTokens **tokens;    /* by blocker; NULL: it is no resource */
    guint8 *shared; /* by blocker: a lock of which no owner was ever seen, as readers share it */
    GHashTable *releases; /* shared blocker → GArray of PmGive, by time */
    GHashTable *takers;   /* taker_key of who waits for it */
    GHashTable *parties;  /* blocker → GArray of the rows (guint32) of a barrier, by begin */
};

/* The order is the order in which simultaneous evidence is true. */
typedef enum { RELEASED, LEFT, ACQUIRED, SEEN } EvidenceKind;

typedef struct {
    gint64 at;
    gint64 waited_from; /* unless SEEN: since when who was woken had waited */
    guint32 thread, chain;
    guint8 kind;
    guint8
        doubtful; /* ACQUIRED: only if nobody else is known to own it; LEFT: at some time before */
} Evidence;

static int evidence_compare(const void *left, const void *right)
{
    const Evidence *a = left, *b = right;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return (a->thread > b->thread) - (a->thread < b->thread);
}

/* Does the wait last as long as somebody else owns the blocker? */
static gboolean is_ownable_kind(guint8 kind)
{
    return kind == PM_KIND_PARK || kind == PM_KIND_ENTER;
}

/* Did the waiter of `row` own the blocker when it resumed? `next` is its next wait for the same
 * blocker, `releases` the instants at which it gave the blocker up, sorted. Not `ret_sure`: only if
 * nobody else is known to own it then. */
static gboolean acquired_at_end(const PmWaits *w, guint32 row, gint64 next_begin,
                                const GArray *releases, gboolean *ret_sure)
{
    *ret_sure = TRUE;
    if (pm_wait_flags(w, row) & (PM_WAIT_IN_PROGRESS | PM_WAIT_CUT))
        return FALSE;
    if (pm_wait_kind(w, row) != PM_KIND_PARK)
        return TRUE; /* it is over once the monitor is owned */
    switch (pm_wait_wake_cause(w, row)) {
    case PM_WAKE_TIME_OUT:
    case PM_WAKE_INTERRUPT:
        return FALSE;
    }
    guint low = 0, high = releases ? releases->len : 0;
    PM_LOWER_BOUND(low, high, middle, g_array_index(releases, gint64, middle) < pm_wait_end(w, row))
    if (releases && low < releases->len && g_array_index(releases, gint64, low) <= next_begin)
        return TRUE;
    /* Who gives up waiting wakes the next one though the owner still holds the blocker. */
    *ret_sure = pm_wait_wake_cause(w, row) != PM_WAKE_CANCELLATION;
    return next_begin == G_MAXINT64 || next_begin - pm_wait_end(w, row) > PM_ACTIVITY_REPARK_NS;
}

static void sort_instants(gpointer key, gpointer value, gpointer data)
{
    g_array_sort(value, pm_compare_instants);
}

/* The blocker that the waiter owns when its wait is over: a condition's parent lock. */
static guint32 owned_after(const PmRecording *r, guint32 row)
{
    guint32 blocker = pm_wait_blocker(&r->waits, row), parent = r->blockers[blocker].parent;
    return parent != 0 && pm_wait_kind(&r->waits, row) == PM_KIND_PARK ? parent : blocker;
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

static void gather_evidence(const PmWaits *w, const guint32 *rows, guint n, GArray *evidence)
{
    g_autoptr(GHashTable) releases =
        g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
    g_autoptr(GHashTable) next_begin = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    for (guint i = 0; i < n; i++) {
        guint32 row = rows[i];
        if (pm_wait_wake_cause(w, row) == PM_WAKE_RELEASE && pm_wait_waker(w, row) &&
            pm_wait_wake(w, row)) {
            gint64 released = pm_wait_wake(w, row);
            g_array_append_val(array_at(releases, pm_wait_waker(w, row), sizeof released),
                               released);
        }
    }
    g_hash_table_foreach(releases, sort_instants, NULL);
    /* Backwards, so that each row meets its thread's next wait here. */
    for (guint i = n; i-- > 0;) {
        guint32 row = rows[i];
        gpointer key = GUINT_TO_POINTER(pm_wait_thread(w, row));
        gint64 *next = g_hash_table_lookup(next_begin, key);
        gboolean sure;
        if (acquired_at_end(w, row, next ? *next : G_MAXINT64, g_hash_table_lookup(releases, key),
                            &sure)) {
            Evidence acquired = {.at = pm_wait_end(w, row),
                                 .waited_from = pm_wait_begin(w, row),
                                 .thread = pm_wait_thread(w, row),
                                 .chain = pm_wait_chain(w, row),
                                 .kind = ACQUIRED,
                                 .doubtful = !sure};
            g_array_append_val(evidence, acquired);
        }
        if (!next) {
            next = g_new(gint64, 1);
            g_hash_table_insert(next_begin, key, next);
        }
        *next = pm_wait_begin(w, row);
        /* Who waits for a blocker does not own it, and whoever waits for a notification has just
         * given it up. */
        Evidence left = {.at = pm_wait_begin(w, row),
                         .thread = pm_wait_thread(w, row),
                         .chain = pm_wait_chain(w, row),
                         .kind = LEFT,
                         .doubtful = pm_wait_kind(w, row) != PM_KIND_WAIT};
        g_array_append_val(evidence, left);
        if (pm_wait_kind(w, row) == PM_KIND_WAIT) {
            if (pm_wait_wake_cause(w, row) == PM_WAKE_NOTIFY && pm_wait_waker(w, row) &&
                pm_wait_wake(w, row)) {
                /* Only who owns the monitor may notify. */
                Evidence notified = {
                    .at = pm_wait_wake(w, row), .thread = pm_wait_waker(w, row), .kind = SEEN};
                g_array_append_val(evidence, notified);
            }
        }
        if (pm_wait_owner(w, row) && pm_wait_owner(w, row) != pm_wait_thread(w, row)) {
            Evidence seen = {
                .at = pm_wait_begin(w, row), .thread = pm_wait_owner(w, row), .kind = SEEN};
            g_array_append_val(evidence, seen);
        }
        if (pm_wait_wake_cause(w, row) == PM_WAKE_RELEASE && pm_wait_waker(w, row) &&
            pm_wait_wake(w, row)) {
            Evidence released = {.at = pm_wait_wake(w, row),
                                 .waited_from = pm_wait_begin(w, row),
                                 .thread = pm_wait_waker(w, row),
                                 .chain = pm_wait_waker_chain(w, row),
                                 .kind = RELEASED};
            g_array_append_val(evidence, released);
        }
    }
}

/* Who was seen to own the blocker while others waited. */
static void add_samples(const PmRecording *r, guint32 blocker, guint first, GArray *evidence)
{
    for (guint i = first; i < r->n_samples; i++)
        if (r->samples[i].blocker == blocker && r->samples[i].owner &&
            r->samples[i].role == PM_SAMPLE_OWNER) {
            Evidence seen = {.at = r->samples[i].at, .thread = r->samples[i].owner, .kind = SEEN};
            g_array_append_val(evidence, seen);
        }
    g_array_sort(evidence, evidence_compare);
}

static Segment *last_segment(GArray *segments, guint first)
{
    return segments->len > first ? &g_array_index(segments, Segment, segments->len - 1) : NULL;
}

/* From `at` on, `next` is true. A segment of no length is replaced. */
static void begin_segment(GArray *segments, guint first, gint64 at, Segment next)
{
    Segment *last = last_segment(segments, first);
    next.begin = at;
    if (last && last->begin >= at) {
        next.begin = last->begin;
        *last = next;
    } else {
        g_array_append_val(segments, next);
    }
}

static void build_timeline(GArray *segments, guint first, const GArray *evidence)
{
    for (guint i = 0; i < evidence->len; i++) {
        const Evidence *e = &g_array_index(evidence, Evidence, i);
        Segment *last = last_segment(segments, first);
        switch ((EvidenceKind)e->kind) {
        case RELEASED:
            if (!last) {
                /* It held the blocker when we first looked; since when is not known. */
                Segment held = {.begin = G_MININT64,
                                .thread = e->thread,
                                .inferred = TRUE,
                                .since_unknown = TRUE};
                g_array_append_val(segments, held);
            } else if (last->thread != e->thread || last->handing_over) {
                /* Who held it in between changed unseen; the release is the better witness. A
                 * handoff that never reached its waiter was barged into. */
                last->thread = e->thread;
                last->inferred = TRUE;
                last->handing_over = FALSE;
                last->acquired = FALSE;
                last->since_unknown = TRUE;
            }
            last = last_segment(segments, first);
            last->chain = e->chain;
            last->released = TRUE;
            last->watched = e->waited_from <= last->begin;
            begin_segment(segments, first, e->at, (Segment){.handing_over = TRUE});
            break;
        case LEFT:
            if (last && last->thread == e->thread && !last->handing_over) {
                last->inferred |= e->doubtful; /* it gave the blocker up unseen, some time before */
                if (!e->doubtful) {
                    last->chain = e->chain;
                    last->released = TRUE;
                }
                begin_segment(segments, first, e->at, (Segment){.handing_over = TRUE});
            }
            break;
        case ACQUIRED:
            if (last && last->thread && !last->handing_over &&
                (last->thread == e->thread || e->doubtful))
                break;
            if (last && !last->handing_over)
                last->inferred = TRUE;
            if (last && !last->handing_over)
                last->watched = e->waited_from <= last->begin;
            begin_segment(segments, first, e->at,
                          (Segment){.thread = e->thread,
                                    .chain = e->chain,
                                    .acquired = TRUE,
                                    .inferred = !last || !last->handing_over});
            break;
        case SEEN:
            if (last && last->thread == e->thread && !last->handing_over)
                break;
            if (last && last->handing_over && e->at - last->begin > HAND_OVER_NS) {
                /* Whom it was handed to did not get it: somebody barged in, some time before. */
                last->thread = e->thread;
                last->inferred = TRUE;
                last->handing_over = FALSE;
                break;
            }
            if (last && !last->handing_over)
                last->inferred = TRUE; /* it gave the blocker up unseen, some time before */
            begin_segment(segments, first, e->at, (Segment){.thread = e->thread});
            break;
        }
    }
}

/* A hold whose release was never seen gets the chain its owner was last seen with. */
static void apply_samples(PmContention *c)
{
    const PmRecording *r = c->recording;
    for (guint i = 0; i < r->n_samples; i++) {
        const PmOwnerSample *sample = &r->samples[i];
        const Timeline *line = &c->timelines[sample->blocker];
        if (!sample->owner || !sample->chain || !line->n || sample->role != PM_SAMPLE_OWNER)
            continue;
        Segment *segments = &g_array_index(c->segments, Segment, line->first);
        guint low = 0, high = line->n;
        while (high - low > 1) {
            guint middle = (low + high) / 2;
            if (segments[middle].begin <= sample->at)
                low = middle;
            else
                high = middle;
        }
        Segment *held = &segments[low];
        if (held->begin <= sample->at && held->thread == sample->owner && !held->chain)
            held->chain = sample->chain;
    }
}

/* Of a blocker's samples the one nearest to `at` of a thread of that group; 0 for none. */
static guint32 nearest_like(const PmRecording *r, const GArray *samples, guint32 group, gint64 at)
{
    guint32 best = 0;
    gint64 best_distance = G_MAXINT64;
    guint low = 0, high = samples->len;
    PM_LOWER_BOUND(low, high, middle, r->samples[g_array_index(samples, guint32, middle)].at < at)
    guint first = low > MAX_LIKE ? low - MAX_LIKE : 0, end = MIN(low + MAX_LIKE, samples->len);
    for (guint i = first; i < end; i++) {
        const PmOwnerSample *sample = &r->samples[g_array_index(samples, guint32, i)];
        gint64 distance = ABS(pm_difference(sample->at, at));
        if (r->threads[sample->owner].group == group && distance < best_distance) {
            best = sample->chain;
            best_distance = distance;
        }
    }
    return best;
}

/* Holds are looked at if they are long; a long one that was not is like those that were. */
static void apply_samples_of_like(PmContention *c)
{
    const PmRecording *r = c->recording;
    g_autoptr(GHashTable) of_blocker =
        g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
    GHashTableIter iter;
    gpointer key, value;
    for (guint32 i = 0; i < r->n_samples; i++)
        if (r->samples[i].owner && r->samples[i].chain && r->samples[i].role == PM_SAMPLE_OWNER)
            g_array_append_val(array_at(of_blocker, r->samples[i].blocker, sizeof i), i);
    g_hash_table_iter_init(&iter, of_blocker);
    while (g_hash_table_iter_next(&iter, &key, &value)) {
        const Timeline *line = &c->timelines[GPOINTER_TO_UINT(key)];
        Segment *segments = &g_array_index(c->segments, Segment, line->first);
        if (((GArray *)value)->len < MIN_LIKE)
            continue;
        for (guint i = 0; i + 1 < line->n; i++) {
            Segment *held = &segments[i];
            gint64 length = pm_difference(held[1].begin, held->begin);
            if (held->chain || !held->thread || held->handing_over || length < LIKE_NS)
                continue;
            held->chain = nearest_like(r, value, r->threads[held->thread].group,
                                       pm_sum(MAX(held->begin, 0), length / 2));
            held->inferred |= held->chain != 0;
        }
    }
}

/* A hold of which nothing tells where it was is taken for one like the thread's last on this
 * blocker, else its next. */
static void apply_habits(PmContention *c)
{
    g_autoptr(GHashTable) chains = g_hash_table_new(NULL, NULL); /* thread → chain */
    apply_samples_of_like(c);
    for (guint b = 0; b < c->recording->n_blockers; b++) {
        const Timeline *line = &c->timelines[b];
        Segment *segments = &g_array_index(c->segments, Segment, line->first);
        for (guint pass = 0; pass < 2 && line->n; pass++) {
            g_hash_table_remove_all(chains);
            for (guint i = 0; i < line->n; i++) {
                Segment *held = &segments[pass ? line->n - 1 - i : i];
                gpointer thread = GUINT_TO_POINTER(held->thread);
                if (held->chain) {
                    g_hash_table_insert(chains, thread, GUINT_TO_POINTER(held->chain));
                } else if (held->thread && !held->handing_over) {
                    held->chain = GPOINTER_TO_UINT(g_hash_table_lookup(chains, thread));
                    held->inferred |= held->chain != 0;
                }
            }
        }
    }
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

/* A wake that a woken waiter passed on, or one that gave up: not who gave the permit. */
static gboolean is_passed_on(const PmWaits *w, guint32 row)
{
    return pm_wait_waker(w, row) && pm_wait_wake(w, row) &&
           (pm_wait_wake_cause(w, row) == PM_WAKE_PROPAGATION ||
            pm_wait_wake_cause(w, row) == PM_WAKE_CANCELLATION);
}

/* By what the waiter owns afterwards, thread, end. */
static gint followed_compare(gconstpointer left, gconstpointer right, gpointer data)
{
    const PmRecording *r = data;
    const PmWaits *w = &r->waits;
    guint32 a = *(const guint32 *)left, b = *(const guint32 *)right;
    guint32 owned_a = owned_after(r, a), owned_b = owned_after(r, b);
    if (owned_a != owned_b)
        return owned_a < owned_b ? -1 : 1;
    if (pm_wait_thread(w, a) != pm_wait_thread(w, b))
        return pm_wait_thread(w, a) < pm_wait_thread(w, b) ? -1 : 1;
    return (pm_wait_end(w, a) > pm_wait_end(w, b)) - (pm_wait_end(w, a) < pm_wait_end(w, b));
}

/* The rows of blockers with passed-on wakes, and of locks with conditions. */
static GArray *followed_new(const PmRecording *r)
{
    const PmWaits *w = &r->waits;
    GArray *followed = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_autofree guint8 *wanted = g_new0(guint8, r->n_blockers);
    gboolean any = FALSE;
    for (gsize i = 0; i < w->n; i++)
        if (is_passed_on(w, (guint32)i) || is_signalled(r, (guint32)i))
            wanted[owned_after(r, (guint32)i)] = any = TRUE;
    for (gsize i = 0; i < w->n && any; i++) {
        guint32 row = (guint32)i;
        if (pm_wait_waker(w, i) && wanted[owned_after(r, row)])
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
    guint32 its = owned_after(c->recording, row);
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
    return owned_after(c->recording, row) == owned &&
                   pm_wait_thread(&c->recording->waits, row) == thread
               ? row
               : G_MAXUINT32;
}

/* Follows a passed-on wake back to the release that began it. The waker was itself woken just
 * before: that wait's wake is the one before in the chain. Returns the row whose waker is the
 * root; `ret_sure`: nothing was missing on the way. */
static guint32 root_of(const PmContention *c, guint32 row, gboolean *ret_sure)
{
    const PmWaits *w = &c->recording->waits;
    *ret_sure = TRUE;
    for (guint steps = 0; is_passed_on(w, row); steps++) {
        guint32 owned = owned_after(c->recording, row), waker = pm_wait_waker(w, row);
        guint32 before =
            wait_before(c, owned, waker, position_after(c, owned, waker, pm_wait_wake(w, row)));
        if (before == G_MAXUINT32 || before == row || steps >= 10000 ||
            pm_wait_wake(w, row) - pm_wait_end(w, before) > PASS_ON_NS) {
            *ret_sure = FALSE;
            break;
        }
        row = before;
    }
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
    guint first, last; /* the candidates: segments, some of them nobody's */
    guint n;           /* of them somebody's */
    gint64 from;       /* the signal came no sooner, within the first of them */
} Signal;

/* The last segment of the timeline that begins before `at`; -1 = none. */
static gint segment_before(const Timeline *line, const Segment *segments, gint64 at)
{
    guint low = 0, high = line->n;
    PM_LOWER_BOUND(low, high, middle, segments[middle].begin < at)
    return (gint)low - 1;
}

static gboolean is_held(const Segment *segment)
{
    return segment->thread != 0 && !segment->handing_over;
}

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
    guint32 lock = owned_after(c->recording, row);
    const Timeline *line = &c->timelines[lock];
    if (!is_signalled(c->recording, row) || line->n == 0)
        return FALSE;
    const Segment *segments = &g_array_index(c->segments, Segment, line->first);
    gint last = segment_before(line, segments, pm_wait_wake(w, row));
    if (last < 0 || !is_held(&segments[last]) || segments[last].thread != pm_wait_waker(w, row))
        return FALSE;
    gint first = last;
    gint64 from = segments[last].begin;
    for (guint steps = 0; segments[first].acquired && steps < MAX_SIGNALLED; steps++) {
        gboolean signalled;
        gint64 since =
            queued_since(c, lock, segments[first].thread, segments[first].begin, &signalled);
        if (since == G_MININT64)
            break;
        if (!signalled) {
            first = CLAMP(segment_before(line, segments, since), 0, first);
            from = MAX(since, segments[first].begin);
            break;
        }
        /* It stood before us, signalled itself: in the hold before, or sooner. */
        gint before = first - 1;
        while (before >= 0 && !is_held(&segments[before]))
            before--;
        if (before < 0 || segments[before].begin < since)
            break;
        first = before;
        from = segments[first].begin;
    }
    while (first < last && segments[first + 1].begin <= pm_wait_begin(w, row))
        first++;
    *ret_signal = (Signal){.first = line->first + (guint)first,
                           .last = line->first + (guint)last,
                           .from = MAX(from, pm_wait_begin(w, row))};
    for (gint i = first; i <= last; i++)
        ret_signal->n += is_held(&segments[i]) && segments[i].thread != pm_wait_thread(w, row);
    return ret_signal->n > 0;
}

/* Of the times that a chain may have signalled a condition as it released the lock: 1 for each
 * where it alone can have been it, a half where one of two was, and so on. */
typedef struct {
    gdouble times;
    guint n;
} Signaller;

static gint64 signaller_key(guint32 condition, const Segment *segment)
{
    return (gint64)((guint64)condition << 32 |
                    (segment->chain ? segment->chain : G_MAXUINT32 - segment->thread));
}

static void count_signallers(PmContention *c, guint32 row)
{
    Signal signal;
    if (!find_signal(c, row, &signal))
        return;
    for (guint i = signal.first; i <= signal.last; i++) {
        const Segment *segment = &g_array_index(c->segments, Segment, i);
        if (!is_held(segment) || segment->thread == pm_wait_thread(&c->recording->waits, row))
            continue;
        gint64 key = signaller_key(pm_wait_blocker(&c->recording->waits, row), segment);
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
static const Segment *choose_signaller(const PmContention *c, guint32 row, const Signal *signal)
{
    const Segment *best = NULL;
    gdouble best_likelihood = 0;
    for (guint i = signal->first; i <= signal->last; i++) {
        const Segment *segment = &g_array_index(c->segments, Segment, i);
        if (!is_held(segment) || segment->thread == pm_wait_thread(&c->recording->waits, row))
            continue;
        gint64 key = signaller_key(pm_wait_blocker(&c->recording->waits, row), segment);
        const Signaller *signaller = g_hash_table_lookup(c->signallers, &key);
        gdouble likelihood = signaller ? signaller->times / signaller->n : 0;
        if (!best || likelihood > best_likelihood + 0.001) {
            best = segment;
            best_likelihood = likelihood;
        }
    }
    return best;
}

/* -- resources -- */

static gboolean may_be_resource(const PmWaits *w, gsize row)
{
    switch (pm_wait_category(w, row)) {
    case PM_CATEGORY_SEMAPHORE:
    case PM_CATEGORY_RESOURCE:
    case PM_CATEGORY_QUEUE:
    case PM_CATEGORY_CONDITION:
        return pm_wait_kind(w, row) != PM_KIND_ENTER;
    default:
        return FALSE;
    }
}

/* Who gave what the wait of `row` was for. */
static gboolean origin_of(const PmContention *c, guint32 row, PmGive *ret_give)
{
    const PmWaits *w = &c->recording->waits;
    Signal signal;
    if (!pm_wait_waker(w, row) || !pm_wait_wake(w, row))
        return FALSE;
    if (find_signal(c, row, &signal)) {
        const Segment *segment = choose_signaller(c, row, &signal);
        gint64 released = segment[1].begin;
        *ret_give = (PmGive){.at = MIN(released, pm_wait_wake(w, row)),
                             .thread = segment->thread,
                             .chain = segment->chain};
        return TRUE;
    }
    gboolean sure;
    guint32 root = root_of(c, row, &sure);
    *ret_give = (PmGive){.at = pm_wait_wake(w, root),
                         .thread = pm_wait_waker(w, root),
                         .chain = pm_wait_waker_chain(w, root)};
    return TRUE;
}

static gboolean has_taken(const PmContention *c, guint32 row)
{
    const PmWaits *w = &c->recording->waits;
    return !(pm_wait_flags(w, row) & (PM_WAIT_IN_PROGRESS | PM_WAIT_CUT)) &&
           pm_wait_wake_cause(w, row) != PM_WAKE_TIME_OUT &&
           pm_wait_wake_cause(w, row) != PM_WAKE_INTERRUPT &&
           !pm_activity_is_repeated(c->activity, row);
}

/* blocker → rows, of the rows that `is_wanted` is true of. */
static GHashTable *gather_rows(const PmContention *c, gboolean (*is_wanted)(const PmWaits *, gsize))
{
    const PmWaits *w = &c->recording->waits;
    GHashTable *by_blocker = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
    g_autofree GArray **arrays = g_new0(GArray *, c->recording->n_blockers); /* quicker to find */
    for (gsize i = 0; i < w->n; i++) {
        if (!is_wanted(w, i))
            continue;
        guint32 row = (guint32)i, blocker = pm_wait_blocker(w, i);
        if (!arrays[blocker])
            arrays[blocker] = array_at(by_blocker, blocker, sizeof row);
        g_array_append_val(arrays[blocker], row);
    }
    return by_blocker;
}

static void find_resources(PmContention *c)
{
    const PmWaits *w = &c->recording->waits;
    c->tokens = g_new0(PmTokens *, c->recording->n_blockers);
    g_autoptr(GHashTable) by_blocker = gather_rows(c, may_be_resource);
    GHashTableIter iter;
    gpointer key, value;
    g_hash_table_iter_init(&iter, by_blocker);
    while (g_hash_table_iter_next(&iter, &key, &value)) {
        const GArray *rows = value;
        g_autoptr(GArray) gives = g_array_sized_new(FALSE, FALSE, sizeof(PmGive), rows->len);
        g_autoptr(GArray) takes = g_array_sized_new(FALSE, FALSE, sizeof(PmTake), rows->len);
        for (guint i = 0; i < rows->len; i++) {
            guint32 row = g_array_index(rows, guint32, i);
            PmGive give;
            PmTake take = {.begin = pm_wait_begin(w, row),
                           .end = pm_wait_end(w, row),
                           .thread = pm_wait_thread(w, row),
                           .chain = pm_wait_chain(w, row),
                           .took = has_taken(c, row)};
            g_array_append_val(takes, take);
            if (origin_of(c, row, &give))
                g_array_append_val(gives, give);
        }
        c->tokens[GPOINTER_TO_UINT(key)] = pm_tokens_new(c->activity, gives, takes);
    }
}

/* -- barriers -- */

static gboolean is_party(const PmWaits *w, gsize row)
{
    return pm_wait_category(w, row) == PM_CATEGORY_BARRIER;
}

static void find_parties(PmContention *c)
{
    c->parties = gather_rows(c, is_party);
}

/* -- shared locks -- */

/* While somebody waits, each release that frees a lock is seen. */
static void find_releases(PmContention *c)
{
    const PmWaits *w = &c->recording->waits;
    c->releases = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
    for (gsize i = 0; i < w->n; i++) {
        if (!c->shared[pm_wait_blocker(w, i)] || pm_wait_wake_cause(w, i) != PM_WAKE_RELEASE ||
            !pm_wait_waker(w, i) || !pm_wait_wake(w, i))
            continue;
        PmGive give = {.at = pm_wait_wake(w, i),
                       .thread = pm_wait_waker(w, i),
                       .chain = pm_wait_waker_chain(w, i)};
        g_array_append_val(array_at(c->releases, pm_wait_blocker(w, i), sizeof give), give);
    }
    g_hash_table_foreach(c->releases, sort_instants, NULL);
}

static gpointer taker_key(guint32 blocker, guint32 thread)
{
    return GSIZE_TO_POINTER((gsize)blocker << 32 | thread);
}

/* Who waits for signals, elements and messages. */
static void find_takers(PmContention *c)
{
    const PmWaits *w = &c->recording->waits;
    gpointer last = NULL;
    c->takers = g_hash_table_new(NULL, NULL);
    for (gsize i = 0; i < w->n; i++) { /* by thread, where the last key is often the next one */
        guint32 row = c->activity->waits[i];
        if (pm_category_family(pm_wait_category(w, row)) != PM_FAMILY_SIGNAL)
            continue;
        gpointer key = taker_key(pm_wait_blocker(w, row), pm_wait_thread(w, row));
        if (key != last)
            g_hash_table_add(c->takers, key);
        last = key;
    }
}

/* Whoever waits for room in a queue. */
static gboolean waits_for_room(const PmRecording *r, guint32 chain)
{
    static const char *const methods[] = {"put",        "offer",     "putFirst", "putLast",
                                          "offerFirst", "offerLast", "transfer"};
    const PmChain *c = &r->chains[chain];
    for (guint32 i = 0; i < c->n_frames && i <= c->site; i++)
        for (gsize k = 0; k < G_N_ELEMENTS(methods); k++)
            if (strcmp(r->methods[c->frames[i].method].name, methods[k]) == 0)
                return TRUE;
    return FALSE;
}

PmContention *pm_contention_new(const PmRecording *recording, const gint *cancel)
{
    const PmWaits *w = &recording->waits;
    PmContention *c = g_new0(PmContention, 1);
    c->recording = recording;
    c->segments = g_array_new(FALSE, FALSE, sizeof(Segment));
    c->timelines = g_new0(Timeline, recording->n_blockers);
    c->shared = g_new0(guint8, recording->n_blockers);
    c->own = pm_own_code(recording);
    c->activity = pm_activity_new(recording, cancel);
    if (!c->activity) {
        pm_contention_free(c);
        return NULL;
    }

    /* Rows of each blocker that has evidence of an owner, kept in order of begin. */
    g_autofree guint32 *starts = g_new0(guint32, recording->n_blockers + 1);
    g_autofree guint8 *ownable = g_new0(guint8, recording->n_blockers);
    for (gsize i = 0; i < w->n; i++)
        if (pm_wait_kind(w, i) == PM_KIND_ENTER ||
            (pm_wait_kind(w, i) == PM_KIND_WAIT && pm_wait_waker(w, i)) ||
            (pm_wait_kind(w, i) == PM_KIND_PARK && pm_wait_owner(w, i) &&
             pm_wait_owner(w, i) != pm_wait_thread(w, i)))
            ownable[pm_wait_blocker(w, i)] = TRUE;
    for (gsize i = 0; i < w->n; i++)
        if (!ownable[pm_wait_blocker(w, i)] && pm_wait_category(w, i) == PM_CATEGORY_LOCK &&
            pm_wait_wake_cause(w, i) == PM_WAKE_RELEASE && pm_wait_waker(w, i))
            c->shared[pm_wait_blocker(w, i)] = TRUE;
    gsize n_rows = 0;
    for (gsize i = 0; i < w->n; i++) {
        guint32 owned = owned_after(recording, i);
        if (ownable[owned]) {
            starts[owned]++;
            n_rows++;
        }
    }
    guint32 total = 0;
    for (guint b = 0; b <= recording->n_blockers; b++) {
        guint32 n = b < recording->n_blockers ? starts[b] : 0;
        starts[b] = total;
        total += n;
    }
    g_autofree guint32 *rows = g_new(guint32, MAX(n_rows, 1));
    g_autofree guint32 *fill = g_memdup2(starts, (recording->n_blockers + 1) * sizeof(guint32));
    for (gsize i = 0; i < w->n; i++) {
        guint32 owned = owned_after(recording, i);
        if (ownable[owned])
            rows[fill[owned]++] = i;
    }

    /* The first sample of each blocker; they are few, so the rest is found by looking on. */
    g_autofree guint32 *samples_of = g_new(guint32, MAX(recording->n_blockers, 1));
    for (guint b = 0; b < recording->n_blockers; b++)
        samples_of[b] = recording->n_samples;
    for (guint i = recording->n_samples; i-- > 0;)
        samples_of[recording->samples[i].blocker] = i;

    g_autoptr(GArray) evidence = g_array_new(FALSE, FALSE, sizeof(Evidence));
    for (guint b = 0; b < recording->n_blockers; b++) {
        if (cancel && g_atomic_int_get(cancel)) {
            pm_contention_free(c);
            return NULL;
        }
        if (!ownable[b])
            continue;
        g_array_set_size(evidence, 0);
        gather_evidence(w, rows + starts[b], starts[b + 1] - starts[b], evidence);
        add_samples(recording, b, samples_of[b], evidence);
        guint first = c->segments->len;
        build_timeline(c->segments, first, evidence);
        c->timelines[b] = (Timeline){.first = first, .n = c->segments->len - first};
    }
    apply_samples(c);
    apply_habits(c);
    c->followed = followed_new(recording);
    c->signallers = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    for (gsize i = 0; i < w->n; i++)
        if (is_signalled(recording, (guint32)i))
            count_signallers(c, (guint32)i);
    find_resources(c);
    find_parties(c);
    find_releases(c);
    find_takers(c);
    return c;
}

gboolean pm_contention_is_resource(const PmContention *c, guint32 blocker)
{
    return c->tokens[blocker] != NULL;
}

gboolean pm_contention_ender(const PmContention *c, guint32 row, guint32 *ret_thread,
                             guint32 *ret_chain)
{
    PmGive give;
    if (!origin_of(c, row, &give))
        return FALSE;
    *ret_thread = give.thread;
    *ret_chain = give.chain;
    return TRUE;
}

gboolean pm_contention_takes(const PmContention *c, guint32 row, guint32 giver)
{
    const PmWaits *w = &c->recording->waits;
    guint32 blocker = pm_wait_blocker(w, row);
    if (pm_category_family(pm_wait_category(w, row)) != PM_FAMILY_SIGNAL || c->tokens[blocker] ||
        pm_wait_kind(w, row) == PM_KIND_ENTER ||
        waits_for_room(c->recording, pm_wait_chain(w, row)))
        return FALSE;
    return !g_hash_table_contains(c->takers, taker_key(blocker, giver));
}

const PmActivity *pm_contention_activity(const PmContention *c)
{
    return c->activity;
}

const PmOwnCode *pm_contention_own(const PmContention *c)
{
    return c->own;
}

static void free_contention(gpointer contention)
{
    pm_contention_free(contention);
}

const PmContention *pm_recording_contention(PmRecording *recording, const gint *cancel)
{
    PmRecordingPrivate *p = recording->priv;
    g_mutex_lock(&p->lock);
    PmContention *contention = g_dataset_get_data(recording, "contention");
    if (!contention && (contention = pm_contention_new(recording, cancel)))
        g_dataset_set_data_full(recording, "contention", contention, free_contention);
    g_mutex_unlock(&p->lock);
    return contention;
}

void pm_contention_free(PmContention *contention)
{
    if (!contention)
        return;
    g_array_unref(contention->segments);
    g_clear_pointer(&contention->followed, g_array_unref);
    g_clear_pointer(&contention->signallers, g_hash_table_unref);
    g_free(contention->timelines);
    g_free(contention->shared);
    for (guint b = 0; contention->tokens && b < contention->recording->n_blockers; b++)
        pm_tokens_free(contention->tokens[b]);
    g_free(contention->tokens);
    g_clear_pointer(&contention->parties, g_hash_table_unref);
    g_clear_pointer(&contention->releases, g_hash_table_unref);
    g_clear_pointer(&contention->takers, g_hash_table_unref);
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

/* What made a wait last for which no owner is known. */
static PmPart whole_wait(const PmContention *c, guint32 row)
{
    const PmWaits *w = &c->recording->waits;
    PmPart part = {
        .begin = pm_wait_begin(w, row), .end = pm_wait_end(w, row), .kind = PM_CAUSE_UNKNOWN};
    if (pm_wait_flags(w, row) & (PM_WAIT_IN_PROGRESS | PM_WAIT_CUT)) {
        part.kind = PM_CAUSE_STILL_WAITING;
    } else if (pm_wait_wake_cause(w, row) == PM_WAKE_TIME_OUT) {
        part.kind = PM_CAUSE_TIME_OUT;
    } else if (pm_wait_wake_cause(w, row) == PM_WAKE_INTERRUPT) {
        part.kind = PM_CAUSE_INTERRUPT;
    } else if (pm_wait_waker(w, row)) {
        part.kind = PM_CAUSE_WAKER;
        gboolean sure = TRUE;
        guint32 root = root_of(c, row, &sure);
        if (pm_wait_wake(w, root) > pm_wait_begin(w, row))
            part.end = pm_wait_wake(w, root); /* since then it was being passed on */
        part.thread = pm_wait_waker(w, root);
        part.chain = pm_wait_waker_chain(w, root);
        /* A permit came before the park; the unlock that ends a condition's wait is not the
         * signal. */
        gboolean after_signal = pm_wait_wake_cause(w, row) == PM_WAKE_RELEASE &&
                                c->recording->blockers[pm_wait_blocker(w, row)].parent != 0;
        /* The permit that a wake was passed on for may be that of another release meanwhile. */
        gboolean any_permit = row != root && (pm_wait_category(w, row) == PM_CATEGORY_SEMAPHORE ||
                                              pm_wait_category(w, row) == PM_CATEGORY_RESOURCE);
        part.inferred = !sure || any_permit || after_signal ||
                        (pm_wait_flags(w, row) & PM_WAIT_AMBIGUOUS) != 0 ||
                        pm_wait_wake_cause(w, row) == PM_WAKE_PERMIT;
    }
    return part;
}

static PmPart owner_part(const PmContention *c, const Segment *segment, guint32 row)
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
    const Timeline *line = &c->timelines[blocker];
    const Segment *segments = &g_array_index(c->segments, Segment, line->first);
    gint first = segment_before(line, segments, from + 1);
    gint64 at = from;
    if (first < 0) {
        PmPart unseen = {.begin = at, .end = MIN(segments[0].begin, to), .kind = PM_CAUSE_UNKNOWN};
        if (unseen.end > unseen.begin) {
            add_without_pauses(c->recording, parts, unseen);
            at = unseen.end;
        }
    }
    for (guint i = MAX(first, 0); i < line->n && at < to; i++) {
        gint64 until = i + 1 < line->n ? segments[i + 1].begin : G_MAXINT64;
        if (until <= at)
            continue;
        PmPart part = owner_part(c, &segments[i], row);
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
    const Segment *signaller = choose_signaller(c, row, signal);
    gint64 since = MAX(signaller->begin, signal->from);
    PmPart part = {.begin = begin,
                   .end = woken,
                   .kind = PM_CAUSE_WAKER,
                   .thread = signaller->thread,
                   .chain = signaller->chain,
                   .inferred = TRUE};
    if (!signaller->since_unknown && !pm_label_is_in_queue(r, pm_wait_chain(&r->waits, row)))
        part.end = CLAMP(since, begin, woken);
    add_without_pauses(r, parts, part);
    if (part.end < woken)
        add_owner_parts(c, row, owned_after(r, row), part.end, woken, TRUE, parts);
}

/* From the wake to the resume: it was being handed over, but if somebody held the blocker all the
 * same. */
static void add_resuming_parts(const PmContention *c, guint32 row, gint64 woken, gint64 end,
                               GArray *parts)
{
    const PmRecording *r = c->recording;
    const PmWaits *w = &r->waits;
    gboolean notified = pm_wait_kind(w, row) == PM_KIND_WAIT &&
                        pm_wait_end(w, row) - pm_wait_wake(w, row) > HAND_OVER_NS;
    gboolean barged = pm_wait_kind(w, row) == PM_KIND_PARK &&
                      (pm_wait_wake_cause(w, row) == PM_WAKE_RELEASE ||
                       pm_wait_wake_cause(w, row) == PM_WAKE_CANCELLATION);
    if (woken < end && c->timelines[owned_after(r, row)].n && (notified || barged))
        add_owner_parts(c, row, owned_after(r, row), woken, end, notified, parts);
    else
        add_without_pauses(r, parts,
                           (PmPart){.begin = woken, .end = end, .kind = PM_CAUSE_HAND_OVER});
}

typedef struct {
    const PmContention *contention;
    GArray *parts;
} TokenParts;

static void add_token_part(gint64 begin, gint64 end, const PmTokenHold *hold, gpointer data)
{
    TokenParts *to = data;
    PmPart part = {.begin = begin, .end = end, .kind = PM_CAUSE_UNKNOWN};
    if (hold) {
        part.kind = PM_CAUSE_OWNER;
        part.thread = hold->thread;
        part.chain = hold->chain;
        part.inferred = TRUE;
    }
    add_without_pauses(to->contention->recording, to->parts, part);
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
    const GArray *rows = g_hash_table_lookup(c->parties, GUINT_TO_POINTER(pm_wait_blocker(w, row)));
    gboolean sure;
    if (!rows || !pm_wait_waker(w, row) || !pm_wait_wake(w, row))
        return FALSE;
    guint32 root = root_of(c, row, &sure);
    gint64 opened = pm_wait_wake(w, root);
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
    if (!c->shared[pm_wait_blocker(w, row)] || !gives)
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
        if (part.thread == pm_wait_thread(w, row)) {
            part.kind = PM_CAUSE_UNKNOWN;
            part.thread = part.chain = 0;
        }
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

    const PmTokens *tokens = may_be_resource(w, row) ? c->tokens[pm_wait_blocker(w, row)] : NULL;
    if (tokens && !(pm_wait_flags(w, row) & PM_WAIT_IN_PROGRESS)) {
        pm_tokens_split(tokens, pm_wait_thread(w, row), begin, woken, add_token_part,
                        &(TokenParts){c, parts});
    } else if (is_party(w, row) && add_party_parts(c, row, begin, woken, parts)) {
        /* done */
    } else if (is_ownable_kind(pm_wait_kind(w, row)) && pm_wait_waker(w, row) &&
               add_shared_parts(c, row, begin, woken, parts)) {
        /* done */
    } else if (c->timelines[pm_wait_blocker(w, row)].n && is_ownable_kind(pm_wait_kind(w, row))) {
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
    return c->timelines[blocker].n > 0;
}

void pm_contention_owned(const PmContention *c, guint32 blocker, gint64 from, gint64 to,
                         GArray *holds)
{
    const Timeline *line = &c->timelines[blocker];
    for (guint i = 0; i + 1 < line->n; i++) {
        const Segment *segment = &g_array_index(c->segments, Segment, line->first + i);
        if (segment->begin >= to || segment[1].begin <= from)
            continue;
        if (segment->begin == G_MININT64 || segment->handing_over || segment->thread == 0)
            continue;
        PmHold hold = {.begin = segment->begin,
                       .end = segment[1].begin,
                       .thread = segment->thread,
                       .chain = segment->chain,
                       .acquired = segment->acquired,
                       .released = segment->released,
                       .barged = i > 0 && segment[-1].handing_over && !segment->acquired,
                       .watched = segment->watched,
                       .exact = segment->acquired && segment->released && segment->watched &&
                                !segment->inferred};
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

const char *pm_cause_pseudo_name(PmCauseKind kind)
{
    static const char *const names[PM_N_CAUSES] = {
        [PM_CAUSE_TIME_OUT] = "(timeout)",  [PM_CAUSE_INTERRUPT] = "(interrupt)",
        [PM_CAUSE_HAND_OVER] = "(handoff)", [PM_CAUSE_GC_PAUSE] = "(GC pause)",
        [PM_CAUSE_ARRIVAL] = "(arrival)",   [PM_CAUSE_STILL_WAITING] = "(still waiting)",
        [PM_CAUSE_UNKNOWN] = "(unknown)",
    };
    return kind < PM_N_CAUSES ? names[kind] : NULL;
}
