#include "viewer/analysis/causes/contention-private.h"

#include "viewer/analysis/locks/readers.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/analysis/base/search.h"
#include "viewer/analysis/base/sum.h"

/* So often is it followed that a thread waits on. */
#define MAX_REPEATED 256
/* Who waits on after a timeout does so within such a part of the time that it waited for. */
#define LATE_PART 10

void pm_parts_add(GArray *parts, PmPart part)
{
    if (part.begin >= part.end)
        return;
    PmPart *last = parts->len ? &g_array_index(parts, PmPart, parts->len - 1) : NULL;
    if (last && last->end == part.begin && last->kind == part.kind && last->thread == part.thread &&
        last->chain == part.chain && last->inferred == part.inferred && last->owner == part.owner &&
        last->owner_chain == part.owner_chain)
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

void pm_contention_add_part(const PmContention *c, GArray *parts, PmPart part)
{
    add_without_pauses(c->recording, parts, part);
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
                   ((pm_wait_wake_cause(w, row) == PM_WAKE_TIME_OUT ||
                     pm_contention_is_woken_in_vain(c, row)) &&
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
    return pm_wait_begin(w, next) - pm_wait_wake(w, row) <= PM_ASKED_NS &&
           pm_wait_blocker(w, next) == pm_wait_blocker(w, row) &&
           pm_recording_are_alike(c->recording, row, next);
}

/* The same, found out once; or that others got what it was woken for. */
static gboolean is_rung_for_others(const PmContention *c, guint32 row)
{
    const PmWaits *w = &c->recording->waits;
    guint *known = &c->rung[row / 16]; /* two bits each: that it is known, and that it is so */
    const guint shift = row % 16 * 2, bits = (guint)g_atomic_int_get(known) >> shift & 3;
    if (bits || !pm_contention_is_notified(w, row))
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
          pm_contention_is_woken_in_vain(c, row) ||
          (pm_wait_wake_cause(w, row) == PM_WAKE_INTERRUPT &&
           pm_label_waits_in(c->recording, pm_wait_chain(w, row), methods)));
         steps++) {
        const guint32 next = next_try(c, row, &nth);
        if (next == G_MAXUINT32)
            break;
        row = next;
    }
    if (!timed_out || pm_contention_is_for_result(c, first))
        return row;
    const gboolean open = (pm_wait_flags(w, row) & (PM_WAIT_IN_PROGRESS | PM_WAIT_CUT)) != 0;
    const guint32 giver = pm_wait_waker(w, open ? ended_before(c, first) : row);
    return giver && (pm_contention_is_done_for(c, first, giver) ||
                     pm_contention_is_backstop(c, first))
               ? row
               : first;
}

/* Was it for a future that gave up by a timeout of its own, or got its value by one? */
static gboolean is_futures_time_out(const PmContention *c, guint32 row)
{
    const PmWaits *w = &c->recording->waits;
    return pm_wait_category(w, row) == PM_CATEGORY_FUTURE &&
           c->times_out[pm_wait_waker_chain(w, row)];
}

gboolean pm_contention_is_late_result(const PmContention *c, guint32 row)
{
    const PmWaits *w = &c->recording->waits;
    if (pm_wait_category(w, row) == PM_CATEGORY_BARRIER || !pm_contention_is_for_result(c, row))
        return FALSE;
    const guint32 outcome = outcome_of(c, row);
    return pm_wait_wake_cause(w, outcome) == PM_WAKE_TIME_OUT || is_futures_time_out(c, outcome);
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
    const gboolean timed_out = pm_wait_wake_cause(w, row) == PM_WAKE_TIME_OUT;
    row = outcome;
    if (pm_wait_kind(w, row) == PM_KIND_WAIT && pm_wait_owner(w, row)) {
        part.kind = PM_CAUSE_OWNER; /* the thread whose end it waits for, however long that takes */
        part.thread = pm_wait_owner(w, row);
    } else if (pm_wait_flags(w, row) & (PM_WAIT_IN_PROGRESS | PM_WAIT_CUT) &&
               !pm_wait_waker(w, row)) { /* else it is woken, and has not run since */
        part.kind = PM_CAUSE_STILL_WAITING;
    } else if (pm_wait_wake_cause(w, row) == PM_WAKE_TIME_OUT || is_futures_time_out(c, row) ||
               (pm_contention_is_woken_in_vain(c, row) && pm_wait_flags(w, row) & PM_WAIT_TIMED)) {
        part.kind = PM_CAUSE_TIME_OUT;
    } else if (pm_wait_wake_cause(w, row) == PM_WAKE_INTERRUPT) {
        part.kind = PM_CAUSE_INTERRUPT;
    } else if (pm_wait_waker(w, row)) {
        part.kind = PM_CAUSE_WAKER;
        gboolean sure = TRUE;
        guint32 root = pm_contention_root_of(c, row, &sure);
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
    part.inferred |= waits_on && !timed_out;
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

/* Whose signal a condition's wait was for: that of the wait with which it ended, where it was
 * signalled for others and waited on, for however long that took. */
static guint32 signalled_at_last(const PmContention *c, guint32 row)
{
    const PmWaits *w = &c->recording->waits;
    guint32 last = row, nth = G_MAXUINT32;
    for (guint steps = 0;
         steps < MAX_REPEATED && pm_activity_is_repeated(c->activity, last) &&
         (is_rung_for_others(c, last) || pm_wait_wake_cause(w, last) == PM_WAKE_TIME_OUT ||
          pm_wait_wake_cause(w, last) == PM_WAKE_INTERRUPT);
         steps++) {
        const guint32 next = next_try(c, last, &nth);
        if (next == G_MAXUINT32)
            break;
        last = next;
    }
    return last;
}

/* A condition's wait: for its signal until the hold began in which that came; from then on, at
 * most, for the lock. */
static void add_signalled_parts(const PmContention *c, guint32 row, const PmSignal *signal,
                                gint64 begin, gint64 woken, GArray *parts)
{
    const PmRecording *r = c->recording;
    const guint32 last = signalled_at_last(c, row);
    PmSignal final;
    const gboolean for_others = last != row && pm_contention_find_signal(c, last, &final);
    const guint32 nth = for_others ? pm_contention_choose_signaller(c, last, &final)
                                   : pm_contention_choose_signaller(c, row, signal);
    PmSegment signaller = pm_timelines_segment(c->timelines, signal->lock, nth);
    PmPart part = {.begin = begin,
                   .end = woken,
                   .kind = PM_CAUSE_WAKER,
                   .thread = signaller.thread,
                   .chain = signaller.chain,
                   .inferred = TRUE};
    /* Since when who came back has held the lock again is not known. */
    const gboolean again = !for_others && nth == signal->last && pm_contention_came_back(c, signal);
    if (!for_others && !signaller.since_unknown && !again &&
        !pm_label_is_in_queue(r, pm_wait_chain(&r->waits, row)))
        part.end = CLAMP(MAX(signaller.begin, signal->from), begin, woken);
    add_without_pauses(r, parts, part);
    if (part.end < woken)
        add_owner_parts(c, row, pm_wait_owned_after(r, row), part.end, woken, TRUE, parts);
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
    const PmTokens *tokens = pm_contention_tokens_of(c, row);
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

gint64 pm_contention_nth_cut(gint64 from, gint64 to, guint i, guint n)
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
    const GArray *rows =
        g_hash_table_lookup(c->parties, GUINT_TO_POINTER(pm_contention_parties_of(r, row)));
    gboolean sure;
    row = outcome_of(c, row);
    if (!rows || !pm_wait_waker(w, row) || !pm_wait_wake(w, row))
        return FALSE;
    guint32 root = pm_contention_root_of(c, row, &sure);
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
            PmPart part = {.begin = pm_contention_nth_cut(at, until, i, n),
                           .end = pm_contention_nth_cut(at, until, i + 1, n),
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
    guint32 root = pm_wait_waker(w, row) ? pm_contention_root_of(c, row, &sure) : row;
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
    PmSignal signal;
    if (begin >= end)
        return;
    gint64 woken = end;
    if (pm_wait_wake(w, row) > pm_wait_begin(w, row) &&
        pm_wait_wake(w, row) < pm_wait_end(w, row) && pm_wait_waker(w, row))
        woken = CLAMP(pm_wait_wake(w, row), begin, end);

    const PmTokens *tokens = pm_contention_tokens_of(c, row);
    const gboolean may_be_owned = pm_wait_kind(w, row) != PM_KIND_WAIT;
    if (tokens && !(pm_wait_flags(w, row) & PM_WAIT_IN_PROGRESS)) {
        pm_tokens_split(tokens, pm_wait_thread(w, row), FALSE, begin, woken, add_token_part,
                        &(TokenParts){c, parts, PM_CAUSE_UNKNOWN});
    } else if ((pm_contention_is_party(w, row) && add_party_parts(c, row, begin, woken, parts)) ||
               (may_be_owned && (add_readers_parts(c, row, begin, woken, parts) ||
                                 add_shared_parts(c, row, begin, woken, parts)))) {
        /* done */
    } else if (pm_timelines_n(c->timelines, pm_wait_blocker(w, row)) && may_be_owned) {
        add_owner_parts(c, row, pm_wait_blocker(w, row), begin, woken, FALSE, parts);
    } else if (pm_contention_find_signal(c, row, &signal)) {
        add_signalled_parts(c, row, &signal, begin, woken, parts);
    } else {
        PmPart part = whole_wait(c, row);
        if (part.kind == PM_CAUSE_TIME_OUT && pm_contention_is_late_result(c, row) &&
            pm_contention_add_late_parts(c, row, begin, woken, parts)) {
            add_resuming_parts(c, row, woken, end, parts);
            return;
        }
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

void pm_contention_each_hold(const PmContention *c, guint32 blocker, gint64 from, gint64 to,
                             PmHoldFunc each, gpointer data)
{
    const guint32 n = pm_timelines_n(c->timelines, blocker);
    const guint32 first =
        n > 0 ? (guint32)MAX(pm_timelines_before(c->timelines, blocker, from), 0) : 0;
    PmSegment before = {0}, segment = {0}, next = {0};
    if (first > 0)
        segment = pm_timelines_segment(c->timelines, blocker, first - 1);
    if (n > 1)
        next = pm_timelines_segment(c->timelines, blocker, first);
    for (guint32 i = first; i + 1 < n && next.begin < to; i++) {
        before = segment;
        segment = next;
        next = pm_timelines_segment(c->timelines, blocker, i + 1);
        if (next.begin <= from)
            continue;
        if (segment.begin == G_MININT64 || segment.handing_over || segment.thread == 0)
            continue;
        const PmHold hold = {.begin = segment.begin,
                             .end = next.begin,
                             .thread = segment.thread,
                             .chain = segment.chain,
                             .acquired = segment.acquired,
                             .released = segment.released,
                             .barged = before.handing_over && !segment.acquired,
                             .watched = segment.watched,
                             .exact = segment.acquired && segment.released && segment.watched &&
                                      !segment.inferred};
        each(&hold, data);
    }
}

static void append_hold(const PmHold *hold, gpointer holds)
{
    g_array_append_vals(holds, hold, 1);
}

void pm_contention_owned(const PmContention *c, guint32 blocker, gint64 from, gint64 to,
                         GArray *holds)
{
    pm_contention_each_hold(c, blocker, from, to, append_hold, holds);
}
