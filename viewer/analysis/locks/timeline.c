/* The waits of a blocker are taken in slices: what they tell is sorted and used up to where the
 * next slice begins. Only what stays is kept for the whole blocker, and packed. */
#include "viewer/analysis/locks/timeline.h"

#include <stdlib.h>

#include "viewer/analysis/code/own-code.h"
#include "viewer/analysis/code/silent-sample.h"
#include "viewer/analysis/recording/recording-private.h"
#include "viewer/analysis/base/search.h"
#include "viewer/analysis/base/sort.h"
#include "viewer/analysis/base/sum.h"
#include "viewer/analysis/base/workers.h"

#define SLICE      4096 /* rows */
#define FEW_SORTED 256  /* so few are compared one with another */

/* A hold this long, of which nothing tells where it was, is like others of the lock that were
 * sampled, when there are as many; so many of the nearest in time are looked at. */
#define LIKE_NS  1000000
#define MIN_LIKE 3
#define MAX_LIKE 64
#define MIN_KEPT 8 /* samples of one owner, most of all, that tell that it keeps a lock */

/* The order is the order in which simultaneous evidence is true. */
typedef enum { RELEASED, LEFT, ACQUIRED, SEEN } EvidenceKind;

typedef struct {
    gint64 at;
    gint64 waited_from; /* unless SEEN: since when who was woken had waited */
    guint32 thread, chain;
    guint32 row; /* that tells it */
    guint8 kind;
    guint8
        doubtful;  /* ACQUIRED: only if nobody else is known to own it; LEFT: at some time before */
    guint8 unsure; /* ACQUIRED: the wait may have been given up as the wake came */
} Evidence;

enum { BEGIN, THREAD, CHAIN, FLAGS, N_COLUMNS };

/* The bits of a segment's flags. */
enum {
    INFERRED = 1,
    HANDING_OVER = 2,
    WAS_ACQUIRED = 4,
    WAS_RELEASED = 8,
    WATCHED = 16,
    SINCE_UNKNOWN = 32,
};

typedef struct {
    guint32 first, n; /* in the columns of its worker */
    guint8 worker;
    guint8 is_ownable;
} Timeline;

struct PmTimelines {
    Timeline *lines; /* by blocker */
    guint32 n_blockers;
    gint64 *held; /* by sample of an owner: how long the hold lasted in which it was taken; 0: that
                     is not known */
    PmPacked columns[PM_MOST_ROW_WORKERS][N_COLUMNS];
};

/* What a worker knows of a thread while it is at one blocker. */
typedef struct {
    gint64 next_begin;        /* of its wait that was met last, backwards; G_MAXINT64 = none */
    guint32 first, n_release; /* in `releases` */
    guint32 chain;            /* where it held the blocker last; 0 = not known */
    guint32 n_seen;           /* samples of it as the owner */
} ThreadState;

typedef struct {
    PmPackedWriter writers[N_COLUMNS];
    ThreadState *threads;
    const PmRowWait *all; /* the blocker's waits; NULL: they are read slice by slice */
    PmRowWait slice[SLICE];
    union {
        struct {
            GArray *releases; /* of gint64: of the blocker, by thread, then by time: see mark_of */
            GArray *touched;  /* of guint32: threads with releases */
            GArray *met;      /* the same of those that wait */
            GArray *acquired; /* of guint8, by row: see acquired_at_end */
            GArray *limits;   /* of gint64: before what no row of a slice, or after it, tells */
            GArray *evidence, *other; /* of Evidence; to sort in */
            GArray *chains, *flags;   /* of the blocker's segments but the last; guint32, guint8 */
        };
        GArray *arrays[9];
    };
    PmSegment last;
    gboolean has_last;
    guint32 first;    /* the blocker's */
    guint32 keeper;   /* who is its owner whenever it is looked at; 0: nobody */
    gboolean is_away; /* the keeper waits for it */
} Worker;

typedef struct {
    const PmRecording *recording;
    const PmActivity *activity;
    PmTimelines *timelines;
    guint32 *sample_starts, *samples; /* of owners, by blocker, then by time */
    Worker *workers[PM_MOST_ROW_WORKERS];
} Building;

/* ---- what the waits tell ---- */

static int evidence_compare(const void *left, const void *right)
{
    const Evidence *a = left, *b = right;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return (a->row < b->row) - (a->row > b->row);
}

static void sort_evidence(GArray *evidence, GArray *other)
{
    if (evidence->len <= FEW_SORTED) {
        qsort(evidence->data, evidence->len, sizeof(Evidence), evidence_compare);
        return;
    }
    pm_sort_array_beside(evidence, other, sizeof(Evidence));
    Evidence *all = (Evidence *)(void *)evidence->data;
    for (guint i = 0, end; i < evidence->len; i = end) {
        for (end = i + 1; end < evidence->len && all[end].at == all[i].at;)
            end++;
        if (end > i + 1)
            qsort(all + i, end - i, sizeof *all, evidence_compare);
    }
}

/* Of a blocker's `n` rows the slice from `begin` on. */
static const PmRowWait *slice_waits(Worker *k, const PmWaits *w, const guint32 *rows, gsize n,
                                    gsize begin)
{
    if (k->all)
        return k->all + begin;
    pm_row_waits_read(w, rows + begin, MIN(n - begin, SLICE), k->slice);
    return k->slice;
}

static gboolean is_release(const PmRowWait *wait)
{
    return wait->wake_cause == PM_WAKE_RELEASE && wait->waker && wait->wake;
}

/* Who gives up waiting, or takes out of the queue who did, wakes the next one and does not own the
 * blocker then. */
static gboolean is_given_up(const PmRowWait *wait)
{
    return wait->wake_cause == PM_WAKE_CANCELLATION && wait->waker && wait->waker != wait->thread &&
           wait->wake;
}

/* When the waker of a wait gave the blocker up: the instant, and in the lowest bit whether it was
 * waiting for it alone that it gave up. */
static gint64 mark_of(const PmRowWait *wait)
{
    return pm_sum(pm_sum(wait->wake, wait->wake), is_given_up(wait));
}

static void count_releases(Worker *k, const PmRowWait *waits, gsize n)
{
    for (gsize i = 0; i < n; i++) {
        const guint32 thread = waits[i].waker;
        if ((is_release(&waits[i]) || is_given_up(&waits[i])) &&
            k->threads[thread].n_release++ == 0)
            g_array_append_val(k->touched, thread);
    }
}

static void take_releases(Worker *k, const PmRowWait *waits, gsize n)
{
    gint64 *releases = (gint64 *)(void *)k->releases->data;
    for (gsize i = 0; i < n; i++) {
        ThreadState *thread = &k->threads[waits[i].waker];
        if (is_release(&waits[i]) || is_given_up(&waits[i]))
            releases[thread->first + thread->n_release++] = mark_of(&waits[i]);
    }
}

static void gather_releases(Worker *k, const PmWaits *w, const guint32 *rows, gsize n)
{
    guint32 total = 0;
    g_array_set_size(k->touched, 0);
    for (gsize i = 0; i < n; i += SLICE)
        count_releases(k, slice_waits(k, w, rows, n, i), MIN(n - i, SLICE));
    for (guint t = 0; t < k->touched->len; t++) {
        ThreadState *thread = &k->threads[g_array_index(k->touched, guint32, t)];
        thread->first = total;
        total += thread->n_release;
        thread->n_release = 0;
    }
    g_array_set_size(k->releases, total);
    for (gsize i = 0; i < n; i += SLICE)
        take_releases(k, slice_waits(k, w, rows, n, i), MIN(n - i, SLICE));
    for (guint t = 0; t < k->touched->len; t++) {
        const ThreadState *thread = &k->threads[g_array_index(k->touched, guint32, t)];
        gint64 *its = (gint64 *)(void *)k->releases->data + thread->first;
        guint32 sorted = 1;
        while (sorted < thread->n_release && its[sorted - 1] <= its[sorted])
            sorted++;
        if (sorted < thread->n_release)
            qsort(its, thread->n_release, sizeof *its, pm_compare_instants);
    }
}

/* Did the waiter own the blocker when it resumed? 0: no, 1: only if nobody else is known to own it
 * then, 2: yes. `thread` has the begin of its next wait for the same blocker, and when it gave the
 * blocker up. */
static guint8 acquired_at_end(const Worker *k, const PmRowWait *wait, const ThreadState *thread)
{
    if (wait->flags & (PM_WAIT_IN_PROGRESS | PM_WAIT_CUT))
        return 0;
    if (wait->kind != PM_KIND_PARK)
        return 2; /* it is over once the monitor is owned */
    if (wait->wake_cause == PM_WAKE_TIME_OUT || wait->wake_cause == PM_WAKE_INTERRUPT)
        return 0;
    const gint64 end = wait->end, *releases = (const gint64 *)(void *)k->releases->data;
    guint32 low = thread->first, high = thread->first + thread->n_release;
    PM_LOWER_BOUND(low, high, middle, releases[middle] / 2 < end)
    if (low < thread->first + thread->n_release && releases[low] / 2 <= thread->next_begin)
        return releases[low] % 2 ? 0 : 2;
    if (thread->next_begin != G_MAXINT64 && thread->next_begin - end <= PM_ACTIVITY_REPARK_NS)
        return 0;
    /* Who gives up waiting wakes the next one though the owner still holds the blocker. */
    return wait->wake_cause == PM_WAKE_CANCELLATION ? 1 : 2;
}

/* Of the slice of `n` waits from `first` on, and before it all of those behind. */
static void look_ahead_in(Worker *k, const PmRowWait *waits, gsize first, gsize n, gint64 *least)
{
    for (gsize i = n; i-- > 0;) {
        const PmRowWait *wait = &waits[i];
        ThreadState *thread = &k->threads[wait->thread];
        g_array_index(k->acquired, guint8, first + i) = acquired_at_end(k, wait, thread);
        if (thread->next_begin == G_MAXINT64)
            g_array_append_val(k->met, wait->thread);
        thread->next_begin = wait->begin;
        *least = MIN(*least, wait->wake != 0 ? MIN(wait->begin, wait->wake) : wait->begin);
    }
    g_array_index(k->limits, gint64, first / SLICE) = *least;
}

/* Fills `acquired` and `limits`. Backwards, so that each row meets its thread's next wait here. */
static void look_ahead(Worker *k, const PmWaits *w, const guint32 *rows, gsize n)
{
    const gsize n_slices = (n + SLICE - 1) / SLICE;
    gint64 least = G_MAXINT64;
    g_array_set_size(k->met, 0);
    g_array_set_size(k->acquired, (guint)n);
    g_array_set_size(k->limits, (guint)n_slices);
    for (gsize s = n_slices; s-- > 0;)
        look_ahead_in(k, slice_waits(k, w, rows, n, s * SLICE), s * SLICE,
                      MIN(n - s * SLICE, SLICE), &least);
    for (guint t = 0; t < k->met->len; t++)
        k->threads[g_array_index(k->met, guint32, t)].next_begin = G_MAXINT64;
    for (guint t = 0; t < k->touched->len; t++)
        k->threads[g_array_index(k->touched, guint32, t)].n_release = 0;
}

/* At most so much of a row. */
#define MOST_OF_ROW 5

/* Returns where the next goes. */
static Evidence *add_evidence(const PmRowWait *wait, guint32 row, guint8 acquired, Evidence *to)
{
    if (acquired) {
        *to++ = (Evidence){.at = wait->end,
                           .waited_from = wait->begin,
                           .thread = wait->thread,
                           .chain = wait->chain,
                           .row = row,
                           .kind = ACQUIRED,
                           .doubtful = acquired == 1,
                           .unsure = (wait->flags & PM_WAIT_AMBIGUOUS) != 0};
    }
    /* Who waits for a blocker does not own it, and whoever waits for a notification has just given
     * it up. */
    *to++ = (Evidence){.at = wait->begin,
                       .thread = wait->thread,
                       .chain = wait->chain,
                       .row = row,
                       .kind = LEFT,
                       .doubtful = wait->kind != PM_KIND_WAIT};
    if (wait->kind == PM_KIND_WAIT && wait->wake_cause == PM_WAKE_NOTIFY && wait->waker &&
        wait->wake) {
        /* Only who owns the monitor may notify. */
        *to++ = (Evidence){.at = wait->wake, .thread = wait->waker, .row = row, .kind = SEEN};
    }
    if (wait->owner && wait->owner != wait->thread && wait->kind != PM_KIND_WAIT)
        *to++ = (Evidence){.at = wait->begin, .thread = wait->owner, .row = row, .kind = SEEN};
    if (is_release(wait))
        *to++ = (Evidence){.at = wait->wake,
                           .waited_from = wait->begin,
                           .thread = wait->waker,
                           .chain = wait->waker_chain,
                           .row = row,
                           .kind = RELEASED};
    return to;
}

/* ---- segments ---- */

static void emit_last(Worker *k)
{
    const PmSegment *s = &k->last;
    const guint8 flags = (s->inferred ? INFERRED : 0) | (s->handing_over ? HANDING_OVER : 0) |
                         (s->acquired ? WAS_ACQUIRED : 0) | (s->released ? WAS_RELEASED : 0) |
                         (s->watched ? WATCHED : 0) | (s->since_unknown ? SINCE_UNKNOWN : 0);
    if (!k->has_last)
        return;
    pm_packed_put(&k->writers[BEGIN], s->begin);
    pm_packed_put(&k->writers[THREAD], s->thread);
    g_array_append_val(k->chains, s->chain);
    g_array_append_val(k->flags, flags);
    k->has_last = FALSE;
}

/* From `at` on, `next` is true. A segment of no length is replaced. */
static void begin_segment(Worker *k, gint64 at, PmSegment next)
{
    next.begin = at;
    if (k->has_last && k->last.begin >= at)
        next.begin = k->last.begin;
    else
        emit_last(k);
    k->last = next;
    k->has_last = TRUE;
}

static void take_release(Worker *k, const Evidence *e)
{
    PmSegment *last = &k->last;
    if (!k->has_last) {
        /* It held the blocker when we first looked; since when is not known. */
        begin_segment(k, G_MININT64,
                      (PmSegment){.thread = e->thread, .inferred = TRUE, .since_unknown = TRUE});
    } else if (last->thread != e->thread || last->handing_over) {
        /* Who held it in between changed unseen; the release is the better witness. A handoff that
         * never reached its waiter was barged into. */
        last->thread = e->thread;
        last->inferred = TRUE;
        last->handing_over = FALSE;
        last->acquired = FALSE;
        last->since_unknown = TRUE;
    }
    last->chain = e->chain;
    last->released = TRUE;
    last->watched = e->waited_from <= last->begin;
    begin_segment(k, e->at, (PmSegment){.handing_over = TRUE});
}

/* Whoever was its last owner was never seen as that; then it soon gave it up unseen, and who keeps
 * it has had it since, but if that waits itself. */
static void give_to_keeper(Worker *k, const Evidence *e)
{
    if (!k->is_away && k->has_last && k->last.acquired && !k->last.handing_over &&
        pm_difference(e->at, k->last.begin) >= LIKE_NS && !k->threads[k->last.thread].n_seen)
        begin_segment(k, k->last.begin, (PmSegment){.thread = k->keeper, .inferred = TRUE});
    if (e->thread == k->keeper)
        k->is_away = e->kind == LEFT;
}

static void take_evidence(Worker *k, const Evidence *e)
{
    if (k->keeper && e->kind != RELEASED && (e->kind != LEFT || e->doubtful))
        give_to_keeper(k, e);
    PmSegment *last = k->has_last ? &k->last : NULL;
    switch ((EvidenceKind)e->kind) {
    case RELEASED:
        take_release(k, e);
        break;
    case LEFT:
        if (last && last->thread == e->thread && !last->handing_over) {
            last->inferred |= e->doubtful; /* it gave the blocker up unseen, some time before */
            if (!e->doubtful) {
                last->chain = e->chain;
                last->released = TRUE;
            }
            begin_segment(k, e->at, (PmSegment){.handing_over = TRUE});
        }
        break;
    case ACQUIRED:
        if (last && last->thread && !last->handing_over &&
            (last->thread == e->thread || e->doubtful))
            break;
        if (last && !last->handing_over) {
            last->inferred = TRUE;
            last->watched = e->waited_from <= last->begin;
        }
        begin_segment(k, e->at,
                      (PmSegment){.thread = e->thread,
                                  .chain = e->chain,
                                  .acquired = TRUE,
                                  .inferred = e->unsure || !last || !last->handing_over});
        break;
    case SEEN:
        if (last && last->thread == e->thread && !last->handing_over)
            break;
        if (last && last->handing_over && e->at - last->begin > PM_HAND_OVER_NS) {
            /* Whom it was handed to did not get it: somebody barged in, some time before. */
            last->thread = e->thread;
            last->inferred = TRUE;
            last->handing_over = FALSE;
            break;
        }
        if (last && !last->handing_over)
            last->inferred = TRUE; /* it gave the blocker up unseen, some time before */
        begin_segment(k, e->at, (PmSegment){.thread = e->thread});
        break;
    }
}

/* ---- where it was held ---- */

/* What was put as the blocker's `nth` value. */
static gint64 value_at(const Worker *k, guint column, gsize nth)
{
    const PmPackedWriter *writer = &k->writers[column];
    const gsize i = k->first + nth, n = writer->list->n;
    return i < n ? pm_packed_get(writer->list, i) : writer->values[i - n];
}

static gint64 begin_at(const Worker *k, gsize nth)
{
    return value_at(k, BEGIN, nth);
}

static guint32 thread_at(const Worker *k, gsize nth)
{
    return (guint32)value_at(k, THREAD, nth);
}

/* Where nothing tells where segment `nth` was held, it was in `chain`; 0: not known either. */
static void take_chain(Worker *k, guint nth, guint32 chain)
{
    g_array_index(k->chains, guint32, nth) = chain;
    g_array_index(k->flags, guint8, nth) |= chain != 0 ? INFERRED : 0;
}

/* A hold whose release was never seen gets the chain its owner was last seen with. */
static void apply_samples(const Building *building, Worker *k, guint32 blocker)
{
    const PmRecording *r = building->recording;
    for (guint32 i = building->sample_starts[blocker]; i < building->sample_starts[blocker + 1];
         i++) {
        const PmOwnerSample *sample = &r->samples[building->samples[i]];
        gsize low = 0, high = k->chains->len;
        PM_LOWER_BOUND(low, high, middle, begin_at(k, middle) <= sample->at)
        if (sample->chain && low > 0 && thread_at(k, low - 1) == sample->owner &&
            !g_array_index(k->chains, guint32, low - 1))
            g_array_index(k->chains, guint32, low - 1) = sample->chain;
    }
}

/* Of the samples with a stack trace the one nearest to `at` of a thread of that group; 0 for none.
 */
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
static void apply_samples_of_like(const Building *building, Worker *k, guint32 blocker)
{
    const PmRecording *r = building->recording;
    const guint32 first = building->sample_starts[blocker];
    const guint32 end = building->sample_starts[blocker + 1];
    if (end - first < MIN_LIKE)
        return;
    g_autoptr(GArray) samples = g_array_new(FALSE, FALSE, sizeof(guint32));
    for (guint32 i = first; i < end; i++)
        if (r->samples[building->samples[i]].chain)
            g_array_append_val(samples, building->samples[i]);
    if (samples->len < MIN_LIKE)
        return;
    for (guint i = 0; i + 1 < k->chains->len; i++) {
        const gint64 begin = begin_at(k, i), length = pm_difference(begin_at(k, i + 1), begin);
        const guint32 thread = thread_at(k, i);
        if (g_array_index(k->chains, guint32, i) || !thread ||
            g_array_index(k->flags, guint8, i) & HANDING_OVER || length < LIKE_NS)
            continue;
        take_chain(
            k, i,
            nearest_like(r, samples, r->threads[thread].group, pm_sum(MAX(begin, 0), length / 2)));
    }
}

/* A sample of an owner, within a hold of such a length. */
typedef struct {
    gint64 at, length;
    guint32 group, chain;
} SeenHold;

/* The holds that were sampled, by time, and which segments they are. Owned. */
static GArray *find_sampled(const Building *building, const Worker *k, guint32 blocker,
                            guint8 *sampled)
{
    const PmRecording *r = building->recording;
    GArray *seen = g_array_new(FALSE, FALSE, sizeof(SeenHold));
    for (guint32 i = building->sample_starts[blocker]; i < building->sample_starts[blocker + 1];
         i++) {
        const PmOwnerSample *sample = &r->samples[building->samples[i]];
        gsize low = 0, high = k->chains->len;
        PM_LOWER_BOUND(low, high, middle, begin_at(k, middle) <= sample->at)
        if (!sample->chain || low == 0 || low == k->chains->len ||
            thread_at(k, low - 1) != sample->owner)
            continue;
        const SeenHold hold = {sample->at, pm_difference(begin_at(k, low), begin_at(k, low - 1)),
                               r->threads[sample->owner].group, sample->chain};
        g_array_append_val(seen, hold);
        sampled[low - 1] = TRUE;
        building->timelines->held[building->samples[i]] = hold.length;
    }
    return seen;
}

static gboolean is_about_as_long(gint64 length, gint64 other)
{
    return length >= other / 2 && length / 2 <= other;
}

/* Where the nearest of those was seen that lasted about as long; 0: there are too few. */
static guint32 nearest_of_length(const GArray *seen, guint32 group, gint64 at, gint64 length)
{
    guint low = 0, high = seen->len, n = 0;
    guint32 best = 0;
    gint64 best_distance = G_MAXINT64;
    PM_LOWER_BOUND(low, high, middle, g_array_index(seen, SeenHold, middle).at < at)
    const guint end = MIN(low + MAX_LIKE, seen->len);
    for (guint i = low > MAX_LIKE ? low - MAX_LIKE : 0; i < end; i++) {
        const SeenHold *hold = &g_array_index(seen, SeenHold, i);
        const gint64 distance = ABS(pm_difference(hold->at, at));
        if (hold->group != group || !is_about_as_long(hold->length, length))
            continue;
        n++;
        best = distance < best_distance ? hold->chain : best;
        best_distance = MIN(distance, best_distance);
    }
    return n >= MIN_LIKE ? best : 0;
}

/* Who got a monitor after a wait may have given it back and taken it again at once, somewhere else.
 * A long hold of which neither end nor middle was seen is taken for like those of its length that
 * were. */
static void apply_samples_of_length(const Building *building, Worker *k, guint32 blocker)
{
    const PmRecording *r = building->recording;
    if (building->sample_starts[blocker + 1] == building->sample_starts[blocker])
        return;
    g_autofree guint8 *sampled = g_new0(guint8, k->chains->len + 1);
    g_autoptr(GArray) seen = find_sampled(building, k, blocker, sampled);
    if (seen->len < MIN_LIKE)
        return;
    for (guint i = 0; i + 1 < k->chains->len; i++) {
        const gint64 begin = begin_at(k, i), length = pm_difference(begin_at(k, i + 1), begin);
        const guint8 flags = g_array_index(k->flags, guint8, i);
        if (sampled[i] || length < LIKE_NS || !(flags & WAS_ACQUIRED) ||
            flags & (WAS_RELEASED | HANDING_OVER))
            continue;
        const guint32 like = nearest_of_length(seen, r->threads[thread_at(k, i)].group,
                                               pm_sum(begin, length / 2), length);
        if (like)
            take_chain(k, i, like);
    }
}

/* A hold of which nothing tells where it was is taken for one like the thread's last on this
 * blocker, else its next. */
static void apply_habits(Worker *k)
{
    const guint n = k->chains->len;
    for (guint pass = 0; pass < 2; pass++) {
        for (guint i = 0; i < n; i++) {
            const guint nth = pass ? n - 1 - i : i;
            const guint32 chain = g_array_index(k->chains, guint32, nth),
                          thread = thread_at(k, nth);
            if (chain)
                k->threads[thread].chain = chain;
            else if (thread && !(g_array_index(k->flags, guint8, nth) & HANDING_OVER))
                take_chain(k, nth, k->threads[thread].chain);
        }
        for (guint i = 0; i < n; i++)
            k->threads[thread_at(k, i)].chain = 0;
    }
}

/* ---- all blockers ---- */

static Worker *worker_new(const PmRecording *r, PmPacked *columns)
{
    static const guint sizes[] = {sizeof(gint64),   sizeof(guint32), sizeof(guint32),
                                  sizeof(guint8),   sizeof(gint64),  sizeof(Evidence),
                                  sizeof(Evidence), sizeof(guint32), sizeof(guint8)};
    Worker *k = g_new0(Worker, 1);
    for (guint c = 0; c < N_COLUMNS; c++)
        k->writers[c].list = &columns[c];
    k->threads = g_new0(ThreadState, MAX(r->n_threads, 1));
    for (guint32 t = 0; t < r->n_threads; t++)
        k->threads[t].next_begin = G_MAXINT64;
    for (guint i = 0; i < G_N_ELEMENTS(k->arrays); i++)
        k->arrays[i] = g_array_new(FALSE, FALSE, sizes[i]);
    return k;
}

/* FALSE: no memory. */
static gboolean worker_end(Worker *k)
{
    gboolean done = TRUE;
    for (guint c = 0; c < N_COLUMNS; c++)
        done = pm_packed_end(&k->writers[c]) && done;
    g_free(k->threads);
    for (guint i = 0; i < G_N_ELEMENTS(k->arrays); i++)
        g_array_unref(k->arrays[i]);
    g_free(k);
    return done;
}

/* Counts its owners' samples; `over`: forgets them. */
static void find_keeper(const Building *building, Worker *k, guint32 blocker, gboolean over)
{
    const guint32 *starts = &building->sample_starts[blocker];
    k->keeper = 0;
    k->is_away = FALSE;
    for (guint32 i = starts[0]; i < starts[1]; i++) {
        const guint32 owner = building->recording->samples[building->samples[i]].owner;
        guint32 *n = &k->threads[owner].n_seen;
        *n = over ? 0 : *n + 1;
        if (*n >= MIN_KEPT && *n * 4 >= (starts[1] - starts[0]) * 3)
            k->keeper = owner;
    }
}

/* What the blocker's waits and samples tell, slice by slice. */
static void take_rows(const Building *building, Worker *k, guint32 blocker, const guint32 *rows,
                      gsize n)
{
    const PmRecording *r = building->recording;
    guint32 sample = building->sample_starts[blocker];

    g_array_set_size(k->evidence, 0);
    for (gsize begin = 0; begin < n; begin += SLICE) {
        const gsize end = MIN(begin + SLICE, n);
        const gint64 limit = end < n ? g_array_index(k->limits, gint64, end / SLICE) : G_MAXINT64;
        const guint n_before = k->evidence->len;
        g_array_set_size(k->evidence, n_before + MOST_OF_ROW * (guint)(end - begin));
        Evidence *first = (Evidence *)(void *)k->evidence->data, *to = first + n_before;
        const PmRowWait *waits = slice_waits(k, &r->waits, rows, n, begin);
        for (gsize i = begin; i < end; i++)
            to =
                add_evidence(&waits[i - begin], rows[i], g_array_index(k->acquired, guint8, i), to);
        g_array_set_size(k->evidence, (guint)(to - first));
        for (; sample < building->sample_starts[blocker + 1]; sample++) {
            const PmOwnerSample *s = &r->samples[building->samples[sample]];
            if (end < n && s->at >= limit)
                break;
            Evidence seen = {.at = s->at, .thread = s->owner, .kind = SEEN};
            g_array_append_val(k->evidence, seen);
        }
        sort_evidence(k->evidence, k->other);
        guint used = 0;
        for (; used < k->evidence->len; used++) {
            const Evidence *e = &g_array_index(k->evidence, Evidence, used);
            if (end < n && e->at >= limit)
                break;
            take_evidence(k, e);
        }
        g_array_remove_range(k->evidence, 0, used);
    }
    emit_last(k);
}

static void build_timeline(guint worker, guint32 blocker, const guint32 *rows, gsize n,
                           const PmRowWait *read, gpointer data)
{
    Building *building = data;
    const PmRecording *r = building->recording;
    Timeline *line = &building->timelines->lines[blocker];

    if (!building->workers[worker])
        building->workers[worker] = worker_new(r, building->timelines->columns[worker]);
    Worker *k = building->workers[worker];
    if (k->writers[BEGIN].failed || k->writers[THREAD].failed)
        return;
    k->first = (guint32)(k->writers[BEGIN].list->n + k->writers[BEGIN].n);
    g_array_set_size(k->chains, 0);
    g_array_set_size(k->flags, 0);
    k->all = read;
    gather_releases(k, &r->waits, rows, n);
    look_ahead(k, &r->waits, rows, n);
    find_keeper(building, k, blocker, FALSE);
    take_rows(building, k, blocker, rows, n);
    find_keeper(building, k, blocker, TRUE);
    if (k->writers[BEGIN].failed || k->writers[THREAD].failed)
        return;
    apply_samples(building, k, blocker);
    apply_samples_of_like(building, k, blocker);
    apply_samples_of_length(building, k, blocker);
    apply_habits(k);
    for (guint i = 0; i < k->chains->len; i++) {
        pm_packed_put(&k->writers[CHAIN], g_array_index(k->chains, guint32, i));
        pm_packed_put(&k->writers[FLAGS], g_array_index(k->flags, guint8, i));
    }
    line->first = k->first;
    line->n = k->chains->len;
    line->worker = (guint8)worker;
}

static void keys_of(const PmRecording *r, gsize first, gsize n, guint32 *keys, gconstpointer data)
{
    const Timeline *lines = ((const Building *)data)->timelines->lines;
    gint64 blockers[PM_ROW_KEYS];

    pm_wait_columns(&r->waits, PM_WAIT_COLUMN_BLOCKER, first, n, blockers);
    for (gsize i = 0; i < n; i++) {
        const guint32 owned = r->blockers[blockers[i]].parent != 0
                                  ? pm_wait_owned_after(r, first + i)
                                  : (guint32)blockers[i];
        keys[i] = lines[owned].is_ownable ? owned : G_MAXUINT32;
    }
}

static gboolean is_of_owner(const PmActivity *activity, guint32 i)
{
    const PmOwnerSample *sample = &activity->recording->samples[i];
    return sample->owner && sample->role == PM_SAMPLE_OWNER && activity->uses[i] != PM_SAMPLE_LATE;
}

static void index_samples(Building *building)
{
    const PmRecording *r = building->recording;
    guint32 total = 0;
    building->sample_starts = g_new0(guint32, r->n_blockers + 2);
    building->samples = g_new(guint32, MAX(r->n_samples, 1));
    guint32 *fill = building->sample_starts + 1; /* filled, it is where the next one's begin */
    for (guint32 i = 0; i < r->n_samples; i++)
        fill[r->samples[i].blocker] += is_of_owner(building->activity, i);
    for (guint32 b = 0; b <= r->n_blockers; b++) {
        const guint32 n = fill[b];
        fill[b] = total;
        total += n;
    }
    for (guint32 i = 0; i < r->n_samples; i++)
        if (is_of_owner(building->activity, i))
            building->samples[fill[r->samples[i].blocker]++] = i;
}

typedef struct {
    const PmRecording *recording;
    guint8 *ownable; /* atomic; by blocker */
} Finding;

/* Which blockers a block of rows shows to be ownable. */
static void find_ownable(gpointer data, guint block)
{
    const Finding *f = data;
    const PmWaits *w = &f->recording->waits;
    const gsize end = MIN(pm_recording_block_end(f->recording, block), w->n);

    for (gsize i = pm_recording_block_begin(f->recording, block); i < end; i++) {
        guint8 *ownable = &f->ownable[pm_wait_blocker(w, i)];
        if (__atomic_load_n(ownable, __ATOMIC_RELAXED))
            continue;
        const guint8 kind = pm_wait_kind(w, i);
        if (kind == PM_KIND_ENTER || (kind == PM_KIND_WAIT && pm_wait_waker(w, i)) ||
            (kind == PM_KIND_PARK && pm_wait_owner(w, i) &&
             pm_wait_owner(w, i) != pm_wait_thread(w, i)))
            __atomic_store_n(ownable, TRUE, __ATOMIC_RELAXED);
    }
}

PmTimelines *pm_timelines_new(const PmActivity *activity, const gint *cancel)
{
    const PmRecording *r = activity->recording;
    g_autofree guint8 *ownable = g_new0(guint8, MAX(r->n_blockers, 1));
    Finding finding = {r, ownable};
    PmTimelines *timelines = g_new0(PmTimelines, 1);
    const PmRowTask task = {keys_of, build_timeline, TRUE};
    Building building = {.recording = r, .activity = activity, .timelines = timelines};

    timelines->n_blockers = r->n_blockers;
    timelines->lines = g_new0(Timeline, MAX(r->n_blockers, 1));
    timelines->held = g_new0(gint64, MAX(r->n_samples, 1));
    pm_workers_run(0, r->waits.n > 0 ? (guint)pm_recording_block(r, r->waits.n - 1) + 1 : 0,
                   find_ownable, &finding);
    for (guint32 b = 0; b < r->n_blockers; b++)
        timelines->lines[b].is_ownable = ownable[b];
    index_samples(&building);
    gboolean done = pm_row_lists_run(r, &task, r->n_blockers, &building, cancel);
    for (guint k = 0; k < G_N_ELEMENTS(building.workers); k++)
        if (building.workers[k])
            done = worker_end(building.workers[k]) && done;
    g_free(building.sample_starts);
    g_free(building.samples);
    if (!done)
        g_clear_pointer(&timelines, pm_timelines_free);
    return timelines;
}

void pm_timelines_free(PmTimelines *timelines)
{
    if (!timelines)
        return;
    for (guint k = 0; k < G_N_ELEMENTS(timelines->columns); k++)
        for (guint c = 0; c < N_COLUMNS; c++)
            pm_packed_clear(&timelines->columns[k][c]);
    g_free(timelines->lines);
    g_free(timelines->held);
    g_free(timelines);
}

gboolean pm_timelines_is_ownable(const PmTimelines *timelines, guint32 blocker)
{
    return timelines->lines[blocker].is_ownable;
}

guint32 pm_timelines_n(const PmTimelines *timelines, guint32 blocker)
{
    return timelines->lines[blocker].n;
}

gint64 pm_timelines_begin(const PmTimelines *timelines, guint32 blocker, guint32 nth)
{
    const Timeline *line = &timelines->lines[blocker];
    return pm_packed_get(&timelines->columns[line->worker][BEGIN], (gsize)line->first + nth);
}

PmSegment pm_timelines_segment(const PmTimelines *timelines, guint32 blocker, guint32 nth)
{
    const Timeline *line = &timelines->lines[blocker];
    const PmPacked *columns = timelines->columns[line->worker];
    const gsize at = (gsize)line->first + nth;
    const guint8 flags = (guint8)pm_packed_get(&columns[FLAGS], at);
    return (PmSegment){.begin = pm_packed_get(&columns[BEGIN], at),
                       .thread = (guint32)pm_packed_get(&columns[THREAD], at),
                       .chain = (guint32)pm_packed_get(&columns[CHAIN], at),
                       .inferred = (flags & INFERRED) != 0,
                       .handing_over = (flags & HANDING_OVER) != 0,
                       .acquired = (flags & WAS_ACQUIRED) != 0,
                       .released = (flags & WAS_RELEASED) != 0,
                       .watched = (flags & WATCHED) != 0,
                       .since_unknown = (flags & SINCE_UNKNOWN) != 0};
}

gint64 pm_timelines_before(const PmTimelines *timelines, guint32 blocker, gint64 at)
{
    guint32 low = 0, high = timelines->lines[blocker].n;
    PM_LOWER_BOUND(low, high, middle, pm_timelines_begin(timelines, blocker, (guint32)middle) < at)
    return (gint64)low - 1;
}

guint32 pm_timelines_sample_of_length(const PmTimelines *timelines, const PmActivity *activity,
                                      guint32 blocker, guint32 thread, guint32 chain, gint64 at)
{
    const PmOwnerSample *samples = activity->recording->samples;
    const gint64 nth = pm_timelines_before(timelines, blocker, at);
    if (nth < 0 || nth + 1 == pm_timelines_n(timelines, blocker))
        return 0;
    const gint64 length = pm_difference(pm_timelines_begin(timelines, blocker, (guint32)nth + 1),
                                        pm_timelines_begin(timelines, blocker, (guint32)nth));
    const guint32 first = activity->sample_starts[thread],
                  end = activity->sample_starts[thread + 1];
    guint32 low = first, high = end, best = 0;
    gint64 best_distance = G_MAXINT64;
    PM_LOWER_BOUND(low, high, middle, samples[activity->samples[middle]].at < at)
    for (guint32 i = low - MIN(low - first, MAX_LIKE); i < MIN(low + MAX_LIKE, end); i++) {
        const guint32 nth_sample = activity->samples[i];
        const PmOwnerSample *sample = &samples[nth_sample];
        const gint64 held = timelines->held[nth_sample],
                     distance = ABS(pm_difference(sample->at, at));
        if (distance >= best_distance || sample->blocker != blocker || held == 0 ||
            !is_about_as_long(held, length) ||
            pm_own_is_cut_off(pm_own_code(activity->recording), activity->recording,
                              sample->chain) ||
            !pm_activity_may_be_within(activity->recording, chain, sample->chain))
            continue;
        best = sample->chain;
        best_distance = distance;
    }
    return best;
}
