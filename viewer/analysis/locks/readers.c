#include "viewer/analysis/locks/readers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/analysis/base/search.h"
#include "viewer/analysis/base/sort.h"
#include "viewer/analysis/base/sum.h"

#define RW      "java.util.concurrent.locks.ReentrantReadWriteLock"
#define STAMPED "java.util.concurrent.locks.StampedLock"

/* The upper half of a state; in the lower are writers. */
#define READERS_SHIFT 16

#define MAX_READERS 24
#define MAX_CHAIN   5   /* readers that are followed at a time */
#define MAX_SETS    32  /* of them */
#define MAX_STEPS   48  /* about one wait; more are passed over */
#define MAX_BEFORE  8   /* of them before it */
#define MAX_POINTS  256 /* of a chain */
#define MAX_PACES   32  /* from one step to the next */

#define CHAINS 512 /* that rates are learnt from */
#define ROUNDS 5

/* The share of time for which a reader has it that has to wait for it. */
#define HARDLY 0.01
/* Fewer holds tell little; what they are like if none was seen; less is not worth a look. */
#define FEW           3
#define USUAL_HOLD_NS 2000000
#define SHORT_NS      100000

/* From one of its events to the next a thread does not wait for the lock. */
typedef struct {
    gint64 from, to;
    guint32 chain;
    guint8 got;  /* it has it from the begin on: SHARED_IT or ALONE */
    guint8 gave; /* it had it until the end */
} Span;

enum { NO, SHARED_IT, ALONE };

/* A release that left nobody who holds it. */
typedef struct {
    gint64 at;
    guint32 thread, chain;
    gboolean shared;
} Freed;

typedef struct {
    guint32 thread;
    guint32 first, n;     /* spans */
    double hold;          /* mean, ns */
    double share, pushes; /* of the time for which it has it: while nobody waits, and else */
    gboolean can_push;    /* it got it without waiting while others waited */
} Reader;

typedef struct {
    gint64 from, to;
} Busy;

struct PmReaders {
    const PmRecording *recording;
    const guint32 *repeated;
    gboolean is_open; /* some reader pushes in */
    guint32 *rows;
    guint32 n_rows;
    GArray *spans, *freed, *busy; /* Span, Freed, Busy */
    Reader readers[MAX_READERS];
    guint n;
};

gboolean pm_readers_is_shared_class(const char *name)
{
    return (g_str_has_prefix(name, RW "$") && g_str_has_suffix(name, "Sync")) ||
           strcmp(name, STAMPED) == 0;
}

gboolean pm_readers_is_read(const PmRecording *r, guint32 chain)
{
    for (guint i = 0; chain && i < r->chains[chain].n_frames; i++) {
        const PmMethod *method = &r->methods[r->chains[chain].frames[i].method];
        const char *name = r->classes[method->class_index].name;
        if (strcmp(name, RW "$ReadLock") == 0)
            return TRUE;
        if (strcmp(name, STAMPED) == 0 &&
            (strstr(method->name, "Read") || g_str_has_prefix(method->name, "read")))
            return TRUE;
    }
    return FALSE;
}

/* ---- what is seen ---- */

typedef enum { GAVE, ASKED, MISSED, GOT } MarkKind;

typedef struct {
    gint64 at;
    guint32 thread, chain;
    guint8 kind, shared;
} Mark;

static int compare_marks(gconstpointer left, gconstpointer right)
{
    const Mark *a = left, *b = right;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return (int)a->kind - (int)b->kind;
}

static gboolean is_freed(const PmWaits *w, guint32 row)
{
    return pm_wait_wake_cause(w, row) == PM_WAKE_RELEASE && pm_wait_waker(w, row) &&
           pm_wait_wake(w, row);
}

static gboolean has_got(const PmReaders *readers, guint32 row)
{
    const PmWaits *w = &readers->recording->waits;
    const guint8 cause = pm_wait_wake_cause(w, row);
    return cause != PM_WAKE_TIME_OUT && cause != PM_WAKE_INTERRUPT &&
           !(pm_wait_flags(w, row) & (PM_WAIT_IN_PROGRESS | PM_WAIT_CUT | PM_WAIT_AMBIGUOUS)) &&
           !(readers->repeated[row / 32] >> row % 32 & 1);
}

static GArray *marks_of(PmReaders *readers, guint8 *sides)
{
    const PmRecording *r = readers->recording;
    const PmWaits *w = &r->waits;
    GArray *marks = g_array_new(FALSE, FALSE, sizeof(Mark));
    for (guint32 i = 0; i < readers->n_rows; i++) {
        const guint32 row = readers->rows[i];
        const guint32 chains[] = {pm_wait_chain(w, row), pm_wait_waker_chain(w, row)};
        for (guint k = 0; k < 2; k++)
            if (!sides[chains[k]])
                sides[chains[k]] = pm_readers_is_read(r, chains[k]) ? 2 : 1;
        Mark mark = {.at = pm_wait_begin(w, row),
                     .thread = pm_wait_thread(w, row),
                     .chain = chains[0],
                     .kind = ASKED,
                     .shared = sides[chains[0]] == 2};
        g_array_append_val(marks, mark);
        mark.at = pm_wait_end(w, row);
        mark.kind = has_got(readers, row) ? GOT : MISSED;
        g_array_append_val(marks, mark);
        if (!is_freed(w, row))
            continue;
        mark = (Mark){.at = pm_wait_wake(w, row),
                      .thread = pm_wait_waker(w, row),
                      .chain = chains[1],
                      .kind = GAVE,
                      .shared = sides[chains[1]] == 2};
        g_array_append_val(marks, mark);
        Freed freed = {mark.at, mark.thread, mark.chain, mark.shared};
        g_array_append_val(readers->freed, freed);
    }
    g_array_sort(marks, compare_marks);
    pm_sort_array(readers->freed, sizeof(Freed));
    return marks;
}

/* Of one thread. */
static void add_spans(PmReaders *readers, const Mark *marks, guint n)
{
    Span span = {.from = G_MININT64};
    for (guint i = 0; i < n; i++) {
        const Mark *mark = &marks[i];
        span.to = mark->at;
        if (mark->kind == GAVE)
            span.gave = mark->shared ? SHARED_IT : ALONE;
        if (mark->kind == GAVE || !span.chain)
            span.chain = mark->chain;
        if (mark->kind == GAVE || mark->kind == ASKED)
            g_array_append_val(readers->spans, span);
        span = (Span){.from = mark->at, .chain = mark->chain};
        if (mark->kind == GOT)
            span.got = mark->shared ? SHARED_IT : ALONE;
    }
    span.to = G_MAXINT64;
    if (!n || marks[n - 1].kind != ASKED)
        g_array_append_val(readers->spans, span);
}

static void find_readers(PmReaders *readers, const GArray *marks)
{
    for (guint i = 0, end; i < marks->len; i = end) {
        const Mark *its = &g_array_index(marks, Mark, i);
        gboolean reads = FALSE;
        for (end = i; end < marks->len && g_array_index(marks, Mark, end).thread == its->thread;
             end++)
            reads |= g_array_index(marks, Mark, end).shared;
        if (!reads)
            continue;
        if (readers->n < MAX_READERS) {
            Reader *reader = &readers->readers[readers->n];
            *reader = (Reader){.thread = its->thread, .first = readers->spans->len};
            add_spans(readers, its, end - i);
            reader->n = readers->spans->len - reader->first;
        }
        readers->n++;
    }
}

/* Adds it, cut at the instants `given_up` within: who gives up lets in who comes just then, if it
 * is the first in the queue, which is not known. */
static void add_busy(PmReaders *readers, Busy busy, const GArray *given_up)
{
    guint low = 0, high = given_up->len;
    PM_LOWER_BOUND(low, high, middle, g_array_index(given_up, gint64, middle) <= busy.from)
    for (; low < given_up->len && g_array_index(given_up, gint64, low) < busy.to; low++) {
        const Busy part = {busy.from, g_array_index(given_up, gint64, low)};
        if (part.to > part.from)
            g_array_append_val(readers->busy, part);
        busy.from = part.to + 1;
    }
    if (busy.to > busy.from)
        g_array_append_val(readers->busy, busy);
}

/* When somebody waits to be woken, and so who comes anew has to wait. */
static void find_busy(PmReaders *readers)
{
    const PmWaits *w = &readers->recording->waits;
    Busy busy = {G_MININT64, G_MININT64};
    g_autoptr(GArray) given_up = g_array_new(FALSE, FALSE, sizeof(gint64));
    for (guint32 i = 0; i < readers->n_rows; i++) {
        const gint64 end = pm_wait_end(w, readers->rows[i]);
        if (pm_wait_wake_cause(w, readers->rows[i]) == PM_WAKE_TIME_OUT)
            g_array_append_val(given_up, end);
    }
    g_array_sort(given_up, pm_compare_instants);
    for (guint32 i = 0; i < readers->n_rows; i++) {
        const guint32 row = readers->rows[i];
        gint64 begin = pm_wait_begin(w, row), end = pm_wait_end(w, row);
        if (pm_wait_waker(w, row) && pm_wait_wake(w, row) > begin)
            end = MIN(end, pm_wait_wake(w, row));
        if (begin > busy.to) {
            add_busy(readers, busy, given_up);
            busy = (Busy){begin, end};
        }
        busy.to = MAX(busy.to, end);
    }
    add_busy(readers, busy, given_up);
}

/* ---- who may hold it at an instant ---- */

static const Span *span_at(const PmReaders *readers, const Reader *reader, gint64 at)
{
    const Span *spans = &g_array_index(readers->spans, Span, reader->first);
    guint low = 0, high = reader->n;
    PM_LOWER_BOUND(low, high, middle, spans[middle].from <= at)
    return low > 0 && at < spans[low - 1].to ? &spans[low - 1] : NULL;
}

/* The first release after `at`; freed->len: none. */
static guint freed_after(const PmReaders *readers, gint64 at)
{
    guint low = 0, high = readers->freed->len;
    PM_LOWER_BOUND(low, high, middle, g_array_index(readers->freed, Freed, middle).at <= at)
    return low;
}

/* Since when somebody has waited at `at`; `at`, when nobody has. */
static gint64 busy_since(const PmReaders *readers, gint64 at)
{
    guint low = 0, high = readers->busy->len;
    PM_LOWER_BOUND(low, high, middle, g_array_index(readers->busy, Busy, middle).from <= at)
    if (low == 0)
        return at;
    const Busy *busy = &g_array_index(readers->busy, Busy, low - 1);
    return busy->to >= at ? busy->from : at;
}

static gboolean is_busy_until(const PmReaders *readers, gint64 from, gint64 to)
{
    return busy_since(readers, to) <= from;
}

/* How many share it as the wait of `row` begins; 0 = not known. */
static guint count_at(const PmReaders *readers, guint32 row)
{
    const guint32 state = (guint32)pm_wait_aqs_state(&readers->recording->waits, row);
    return state & ((1 << READERS_SHIFT) - 1) ? 0 : state >> READERS_SHIFT;
}

/* Nobody held it at `since`, `next` gave it back last; NULL: that is not known. */
typedef struct {
    gint64 since;
    const Freed *next;
} Session;

static gboolean is_last_of(const Session *session, const Reader *reader)
{
    return session->next && session->next->shared && session->next->thread == reader->thread;
}

static Session session_at(const PmReaders *readers, gint64 at)
{
    guint next = freed_after(readers, at);
    Session session = {G_MININT64, NULL};
    if (next > 0)
        session.since = g_array_index(readers->freed, Freed, next - 1).at;
    if (next < readers->freed->len)
        session.next = &g_array_index(readers->freed, Freed, next);
    return session;
}

/* How likely a reader holds it at an instant, by what was seen of it alone. */
static double chance_of(const PmReaders *readers, const Reader *reader, const Session *session,
                        gint64 at)
{
    const Span *span = span_at(readers, reader, at);
    if (!span || span->got == ALONE)
        return 0;
    const gint64 since = MAX(span->from, session->since);
    double chance = since >= busy_since(readers, at) ? reader->pushes : reader->share;
    if (span->got && span->from >= session->since)
        chance = exp(-(double)pm_difference(at, since) / reader->hold);
    if (!is_last_of(session, reader) || span->to != session->next->at)
        return chance;
    if (!reader->can_push && is_busy_until(readers, at, session->next->at))
        return 1; /* since then it could not have got it */
    return chance +
           (1 - chance) * exp(-(double)pm_difference(session->next->at, at) / reader->hold);
}

/* ---- what readers are like ---- */

/* Who gave it back and, while others waited all the time, got it again and did not wait. */
static void find_who_pushes(PmReaders *readers)
{
    for (guint i = 0; i < readers->n; i++) {
        Reader *reader = &readers->readers[i];
        guint n = 0;
        for (guint k = 0; k < reader->n; k++) {
            const Span *span = &g_array_index(readers->spans, Span, reader->first + k);
            n += !span->got && span->gave == SHARED_IT && span->from != G_MININT64 &&
                 is_busy_until(readers, span->from, span->to);
        }
        reader->can_push = n >= 1;
        readers->is_open |= reader->can_push;
    }
}

static gboolean knows_counts(const PmReaders *readers)
{
    for (guint i = 0; i < readers->n_rows; i++)
        if (count_at(readers, readers->rows[i]) > 0)
            return TRUE;
    return FALSE;
}

/* The `share`th of its spans' lengths, in order: of those from where it got the lock, or until
 * where it gave it back, or both, and with `whole` if somebody waited all the time. G_MAXINT64:
 * none. */
static gint64 span_length(const PmReaders *readers, const Reader *reader, gboolean got,
                          gboolean gave, gboolean whole, double share)
{
    g_autoptr(GArray) lengths = g_array_new(FALSE, FALSE, sizeof(gint64));
    for (guint k = 0; k < reader->n; k++) {
        const Span *span = &g_array_index(readers->spans, Span, reader->first + k);
        const gint64 length = pm_difference(span->to, span->from);
        if (length < G_MAXINT64 && span->from > G_MININT64 && span->to < G_MAXINT64 &&
            (!got || span->got == SHARED_IT) && (!gave || span->gave == SHARED_IT) &&
            (!whole || is_busy_until(readers, span->from, span->to)))
            g_array_append_val(lengths, length);
    }
    if (lengths->len < (whole ? FEW : 1))
        return G_MAXINT64;
    g_array_sort(lengths, pm_compare_instants);
    return g_array_index(lengths, gint64, (guint)(share * (lengths->len - 1)));
}

/* How long it usually holds the lock: as where others waited all the time, else at most as long as
 * it was between events, in which it may have given it back and got it again. 0: not known. */
static double mean_hold(const PmReaders *readers, const Reader *reader)
{
    gint64 length = G_MAXINT64;
    if (!reader->can_push)
        length = span_length(readers, reader, TRUE, TRUE, TRUE, 0.5);
    if (length == G_MAXINT64)
        length = MIN(span_length(readers, reader, FALSE, TRUE, FALSE, 0.1),
                     span_length(readers, reader, TRUE, FALSE, FALSE, 0.3));
    return length < G_MAXINT64 ? MAX((double)length, 1000) : 0;
}

static void guess_rates(PmReaders *readers)
{
    double sum = 0;
    guint n = 0;
    for (guint i = 0; i < readers->n; i++) {
        readers->readers[i].hold = mean_hold(readers, &readers->readers[i]);
        sum += readers->readers[i].hold;
        n += readers->readers[i].hold > 0;
    }
    const double usual = n && sum > 0 ? sum / n : USUAL_HOLD_NS;
    for (guint i = 0; i < readers->n; i++) {
        Reader *reader = &readers->readers[i];
        reader->hold = reader->hold > 0 ? reader->hold : usual;
        reader->share = reader->hold / (reader->hold + 3 * usual);
        reader->pushes = reader->can_push ? reader->share : HARDLY;
    }
}

/* ---- who held it during a wait ----
 *
 * Each reader gets the lock and gives it back by chance, at the rates that are known of it; who
 * holds it at an instant is one of 2^n sets. How likely each set is follows from what is seen
 * before and after, and from that somebody holds it all the time: a hidden Markov chain, forwards
 * and backwards. */

typedef struct {
    gint64 at;
    guint count;      /* so many hold it; 0 = not known */
    gint got;         /* reader that has it from then on; -1: none */
    gboolean is_last; /* who is the last to go holds it, and nobody else */
    guint waits;      /* set of those that wait from then on */
} Step;

/* An instant of the chain: how likely each set is just after what is seen there, or after the time
 * since the point before has passed. */
typedef struct {
    gint64 at;
    gint seen; /* step; -1: time has passed */
    guint waits;
    gboolean cut; /* what is seen cannot be after what was before */
    double sets[MAX_SETS];
} Point;

typedef struct {
    const PmReaders *readers;
    const Session *session;
    guint n, which[MAX_CHAIN]; /* readers that may hold it */
    guint last;                /* the set of who is the last to go */
    guint n_steps, n_points;
    gint64 held_from; /* before that it was on its way to somebody */
    Step steps[MAX_STEPS + 3];
    Point points[MAX_POINTS];
} Chain;

static int compare_steps(gconstpointer left, gconstpointer right)
{
    const Step *a = left, *b = right;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return a->is_last - b->is_last;
}

/* The first of the lock's waits that begins at `at` or later. */
static guint row_from(const PmReaders *readers, gint64 at)
{
    const PmWaits *w = &readers->recording->waits;
    guint low = 0, high = readers->n_rows;
    PM_LOWER_BOUND(low, high, middle, pm_wait_begin(w, readers->rows[middle]) < at)
    return low;
}

/* Where readers got it within (from, to). */
static void find_got(Chain *chain, gint64 from, gint64 to)
{
    const PmReaders *readers = chain->readers;
    for (guint i = 0; i < readers->n; i++) {
        const Reader *reader = &readers->readers[i];
        const Span *spans = &g_array_index(readers->spans, Span, reader->first);
        guint low = 0, high = reader->n;
        PM_LOWER_BOUND(low, high, middle, spans[middle].from <= from)
        for (; low < reader->n && spans[low].from < to && chain->n_steps < MAX_STEPS; low++)
            if (spans[low].got == SHARED_IT)
                chain->steps[chain->n_steps++] = (Step){.at = spans[low].from, .got = (gint)i};
    }
}

/* The instants about [begin, end) at which something is known: those of the wait, and some before
 * and after it as long as somebody waits. */
static void find_steps(Chain *chain, gint64 begin, gint64 end)
{
    const PmReaders *readers = chain->readers;
    const PmWaits *w = &readers->recording->waits;
    const gint64 to = chain->session->next ? chain->session->next->at : G_MAXINT64;
    const gint64 from = MAX(chain->session->since, busy_since(readers, begin));
    const guint low = row_from(readers, begin), last = row_from(readers, end);
    const guint stride = 1 + (last - low) / (MAX_STEPS / 4);
    gint64 first_at = begin, last_at = end;
    chain->steps[chain->n_steps++] = (Step){.at = begin, .got = -1};
    for (guint i = low - MIN(low - row_from(readers, from), MAX_BEFORE);
         i < readers->n_rows && chain->n_steps < MAX_STEPS / 2; i += i < last ? stride : 1) {
        const gint64 at = pm_wait_begin(w, readers->rows[i]);
        if (at >= to || (at >= end && busy_since(readers, at) > begin))
            break;
        first_at = MIN(first_at, at);
        last_at = MAX(last_at, at);
        chain->steps[chain->n_steps++] =
            (Step){.at = at, .count = count_at(readers, readers->rows[i]), .got = -1};
    }
    find_got(chain, first_at, last_at);
    const gboolean is_last =
        chain->session->next && chain->session->next->shared && busy_since(readers, to) <= last_at;
    chain->steps[chain->n_steps++] =
        (Step){.at = is_last ? to : last_at, .got = -1, .is_last = is_last};
    qsort(chain->steps, chain->n_steps, sizeof *chain->steps, compare_steps);
}

static gboolean waits_at(const PmReaders *readers, guint reader, gint64 at)
{
    const Span *span = span_at(readers, &readers->readers[reader], at);
    return !span || span->got == ALONE;
}

static gboolean is_chosen(const Chain *chain, guint reader)
{
    for (guint b = 0; b < chain->n; b++)
        if (chain->which[b] == reader)
            return TRUE;
    return FALSE;
}

/* The one that is likeliest to hold it at the step, of those not chosen; readers->n: none can. */
static guint likeliest_other(const Chain *chain, const Step *step)
{
    const PmReaders *readers = chain->readers;
    double most = 0;
    guint found = readers->n;
    for (guint i = 0; i < readers->n; i++) {
        const double p = chance_of(readers, &readers->readers[i], chain->session, step->at);
        if (p > most && !is_chosen(chain, i)) {
            most = p;
            found = i;
        }
    }
    return found;
}

/* As many have to be there as hold it in the end: where all that held it in the beginning wait by
 * then, they give way, the least likely first, to others that do not. */
static void make_room(Chain *chain)
{
    const Step *step = NULL;
    guint n_able = 0;
    for (guint k = 0; k < chain->n_steps; k++)
        step = chain->steps[k].count ? &chain->steps[k] : step;
    for (guint b = 0; step && b < chain->n; b++)
        n_able += !waits_at(chain->readers, chain->which[b], step->at);
    for (guint b = chain->n; step && b-- > 0 && n_able < MIN(step->count, chain->n);) {
        if (!waits_at(chain->readers, chain->which[b], step->at) || chain->last == 1u << b)
            continue;
        const guint other = likeliest_other(chain, step);
        if (other == chain->readers->n)
            return;
        chain->which[b] = other;
        n_able++;
    }
}

/* Those that are likeliest to hold it at some step. */
static void choose_readers(Chain *chain)
{
    const PmReaders *readers = chain->readers;
    double best[MAX_READERS] = {0};
    for (guint i = 0; i < readers->n; i++)
        for (guint k = 0; k < chain->n_steps; k++) {
            const Step *step = &chain->steps[k];
            const double p = chance_of(readers, &readers->readers[i], chain->session, step->at);
            const gboolean is_last =
                step->is_last && chain->session->next->thread == readers->readers[i].thread;
            best[i] = MAX(best[i], is_last ? 3 : step->got == (gint)i ? 2 : p);
        }
    while (chain->n < MAX_CHAIN) {
        guint most = 0;
        for (guint i = 1; i < readers->n; i++)
            most = best[i] > best[most] ? i : most;
        if (!(best[most] > 0))
            break;
        if (best[most] > 2)
            chain->last = 1u << chain->n;
        best[most] = 0;
        chain->which[chain->n++] = most;
    }
    make_room(chain);
}

static void find_waits(Chain *chain)
{
    for (guint k = 0; k < chain->n_steps; k++)
        for (guint b = 0; b < chain->n; b++)
            if (!chain->steps[k].is_last &&
                waits_at(chain->readers, chain->which[b], chain->steps[k].at))
                chain->steps[k].waits |= 1u << b;
    chain->held_from = G_MININT64;
    for (guint k = 0; k < chain->n_steps && !chain->steps[k].count; k++)
        if (chain->steps[k].got >= 0) {
            chain->held_from = chain->steps[k].at;
            break;
        }
}

/* In `ns` a reader that has it keeps it so likely, and one that has it not gets it. */
typedef struct {
    double kept, got;
} Passing;

static Passing passing_of(const Chain *chain, guint bit, gint64 ns)
{
    const Reader *reader = &chain->readers->readers[chain->which[bit]];
    const double share = reader->pushes;
    const double stays = exp(-(double)ns / (reader->hold * (1 - share)));
    return (Passing){share + (1 - share) * stays, share - share * stays};
}

/* `sets` after one reader's passing; backwards, what is likely before it by what follows. */
static void let_one_pass(const Chain *chain, double *sets, guint bit, Passing passing,
                         gboolean backwards)
{
    const double kept = passing.kept, got = passing.got;
    for (guint s = 0; s < 1u << chain->n; s++) {
        double *with = &sets[s | 1u << bit], *without = &sets[s];
        const double x = *with, y = *without;
        if (s >> bit & 1)
            continue;
        *with = backwards ? kept * x + (1 - kept) * y : kept * x + got * y;
        *without = backwards ? got * x + (1 - got) * y : (1 - kept) * x + (1 - got) * y;
    }
}

static void let_pass(const Chain *chain, double *sets, gint64 ns, guint waits, gboolean backwards)
{
    for (guint b = 0; b < chain->n; b++)
        if (!(waits >> b & 1))
            let_one_pass(chain, sets, b, passing_of(chain, b, ns), backwards);
}

/* What becomes of a set at a step; -1: it cannot be. */
static gint set_after(const Chain *chain, guint set, const Step *step)
{
    for (guint b = 0; b < chain->n; b++)
        if ((gint)chain->which[b] == step->got)
            set |= 1u << b;
    if (set & step->waits || (step->is_last && set != chain->last) ||
        (step->count && (guint)__builtin_popcount(set) != MIN(step->count, chain->n)))
        return -1;
    return (gint)set;
}

static void make_sum_one(const Chain *chain, double *sets)
{
    double sum = 0;
    for (guint s = 0; s < 1u << chain->n; s++)
        sum += sets[s];
    for (guint s = 0; s < 1u << chain->n && sum > 0; s++)
        sets[s] /= sum;
}

static void see(const Chain *chain, Point *point)
{
    const Step *step = &chain->steps[point->seen];
    double after[MAX_SETS] = {0}, sum = 0;
    for (guint s = 0; s < 1u << chain->n; s++) {
        const gint set = set_after(chain, s, step);
        after[MAX(set, 0)] += set >= 0 ? point->sets[s] : 0;
        sum += set >= 0 ? point->sets[s] : 0;
    }
    point->cut = !(sum > 1e-12);
    sum = 0;
    for (guint s = 0; s < 1u << chain->n && point->cut; s++)
        sum += after[s] = set_after(chain, s, step) == (gint)s;
    if (point->cut && !(sum > 0)) /* more hold it than are known: then those that do not wait */
        after[((1u << chain->n) - 1) & ~step->waits] = 1;
    memcpy(point->sets, after, sizeof after);
}

static void add_point(Chain *chain, gint64 at, gint seen, guint waits)
{
    Point *point = &chain->points[chain->n_points];
    point->at = at;
    point->seen = seen;
    point->waits = waits;
    if (chain->n_points++ > 0)
        memcpy(point->sets, point[-1].sets, sizeof point->sets);
    for (guint s = 0; s < 1u << chain->n && chain->n_points == 1; s++) {
        point->sets[s] = 1;
        for (guint b = 0; b < chain->n; b++) {
            const double p = chance_of(chain->readers, &chain->readers->readers[chain->which[b]],
                                       chain->session, at);
            point->sets[s] *= s >> b & 1 ? CLAMP(p, 1e-4, 1 - 1e-4) : 1 - CLAMP(p, 1e-4, 1 - 1e-4);
        }
    }
    if (seen >= 0)
        see(chain, point);
    else
        let_pass(chain, point->sets, pm_difference(at, point[-1].at), waits, FALSE);
    if (at > chain->held_from && 1u << chain->n > 1)
        point->sets[0] = 0;
    make_sum_one(chain, point->sets);
}

static void run_forwards(Chain *chain)
{
    const gint64 whole = pm_difference(chain->steps[chain->n_steps - 1].at, chain->steps[0].at);
    double quickest = G_MAXDOUBLE;
    for (guint b = 0; b < chain->n; b++)
        quickest = MIN(quickest, chain->readers->readers[chain->which[b]].hold);
    const gint64 pace = MAX((gint64)(quickest / 2), whole / (MAX_POINTS / 4) + 1);
    for (guint k = 0; k < chain->n_steps; k++) {
        const Step *step = &chain->steps[k], *next = k + 1 < chain->n_steps ? step + 1 : NULL;
        add_point(chain, step->at, (gint)k, step->waits);
        if (!next || next->at == step->at)
            continue;
        const gint64 length = pm_difference(next->at, step->at),
                     n = MIN(length / pace + 2, MAX_PACES);
        for (gint64 i = 1; i <= n; i++)
            if (chain->n_points + 2 * (chain->n_steps - k) < MAX_POINTS || i == n)
                add_point(chain, i == n ? next->at : step->at + length / n * i, -1, step->waits);
    }
}

/* What a reader did as far as chains tell. */
typedef struct {
    double held, open; /* ns for which it held the lock, or could have got it */
    double gave, got;  /* times */
} Lived;

/* From the point before `point` to it. `before`: how likely the sets were there by what was before,
 * `later`: here by what follows. */
static void note_lived(const Chain *chain, const Point *point, const double *before,
                       const double *later, Lived *lived)
{
    const gint64 ns = pm_difference(point->at, point[-1].at);
    for (guint b = 0; b < chain->n; b++) {
        const Passing passing = passing_of(chain, b, ns);
        double others[MAX_SETS], kept = 0, gave = 0, got = 0, stayed = 0;
        if (point->waits >> b & 1)
            continue;
        memcpy(others, later, sizeof others);
        for (guint o = 0; o < chain->n; o++)
            if (o != b && !(point->waits >> o & 1))
                let_one_pass(chain, others, o, passing_of(chain, o, ns), TRUE);
        for (guint s = 0; s < 1u << chain->n; s++) {
            const guint with = s | 1u << b;
            if (s >> b & 1)
                continue;
            kept += before[with] * passing.kept * others[with];
            gave += before[with] * (1 - passing.kept) * others[s];
            got += before[s] * passing.got * others[with];
            stayed += before[s] * (1 - passing.got) * others[s];
        }
        const double sum = kept + gave + got + stayed;
        Lived *its = &lived[chain->which[b]];
        if (!(sum > 0))
            continue;
        its->held += (double)ns * (kept + (gave + got) / 2) / sum;
        its->open += (double)ns * (stayed + (gave + got) / 2) / sum;
        its->gave += gave / sum;
        its->got += got / sum;
    }
}

/* `lived`: what each reader did is added to it; NULL: that is not wanted. */
static void run_backwards(Chain *chain, Lived *lived)
{
    double later[MAX_SETS];
    for (guint s = 0; s < MAX_SETS; s++)
        later[s] = 1;
    for (guint g = chain->n_points; g-- > 0;) {
        Point *point = &chain->points[g];
        double before[MAX_SETS];
        for (guint s = 0; s < 1u << chain->n; s++)
            point->sets[s] *= later[s];
        make_sum_one(chain, point->sets);
        if (point->seen < 0) {
            if (point->at > chain->held_from)
                later[0] = 0;
            if (lived)
                note_lived(chain, point, point[-1].sets, later, lived);
            let_pass(chain, later, pm_difference(point->at, point[-1].at), point->waits, TRUE);
        } else {
            for (guint s = 0; s < 1u << chain->n; s++) {
                const gint set = set_after(chain, s, &chain->steps[point->seen]);
                before[s] = point->cut ? 1 : set < 0 ? 0 : later[set];
            }
            memcpy(later, before, sizeof later);
        }
        make_sum_one(chain, later);
    }
}

/* Makes the chain of the time about [begin, end). */
static void run_chain(Chain *chain, const PmReaders *readers, const Session *session, gint64 begin,
                      gint64 end, Lived *lived)
{
    chain->readers = readers;
    chain->session = session;
    chain->n = chain->n_steps = chain->n_points = chain->last = 0;
    find_steps(chain, begin, end);
    choose_readers(chain);
    find_waits(chain);
    run_forwards(chain);
    run_backwards(chain, lived);
}

/* Rates of getting and giving back a lock that can be got while others wait for it: those by which
 * what is seen is likeliest. */
static void learn_rates(PmReaders *readers)
{
    g_autofree Chain *chain = g_new(Chain, 1);
    const PmWaits *w = &readers->recording->waits;
    const guint stride = 1 + readers->n_rows / CHAINS;
    for (guint round = 0; round < ROUNDS; round++) {
        Lived lived[MAX_READERS] = {{0}};
        for (guint i = 0; i < readers->n_rows; i += stride) {
            const guint32 row = readers->rows[i];
            const gint64 begin = pm_wait_begin(w, row);
            const Session session = session_at(readers, begin);
            const gint64 end =
                session.next ? MIN(session.next->at, pm_wait_end(w, row)) : pm_wait_end(w, row);
            if (count_at(readers, row) == 0 || (session.next && !session.next->shared) ||
                pm_difference(end, begin) < SHORT_NS)
                continue;
            run_chain(chain, readers, &session, begin, end, lived);
            if (chain->steps[chain->n_steps - 1].is_last)
                for (guint b = 0; b < chain->n; b++)
                    lived[chain->which[b]].gave += chain->last == 1u << b;
        }
        for (guint i = 0; i < readers->n; i++) {
            Reader *reader = &readers->readers[i];
            if (reader->can_push)
                reader->hold = (lived[i].held + 2 * reader->hold) / (lived[i].gave + 2);
            const double rate = (lived[i].got + reader->pushes / (1 - reader->pushes)) /
                                (lived[i].open + reader->hold);
            reader->pushes =
                CLAMP(rate * reader->hold / (1 + rate * reader->hold), HARDLY / 2, 0.95);
        }
    }
}

typedef struct {
    gint64 from, to; /* of what is wanted */
    PmReadersPart add;
    gpointer data;
} Splitting;

static void emit(const Splitting *splitting, gint64 begin, gint64 end, PmReadersKind kind,
                 guint32 thread, guint32 chain)
{
    begin = MAX(begin, splitting->from);
    end = MIN(end, splitting->to);
    if (begin < end)
        splitting->add(begin, end, kind, thread, chain, splitting->data);
}

/* Emits [begin, end), of which each has its share; the last one is nobody's. */
static void emit_shares(const Splitting *splitting, const Chain *chain, gint64 begin, gint64 end,
                        const double *shares)
{
    double before = 0;
    gint64 at = begin;
    for (guint i = 0; i <= chain->n; i++) {
        const guint b = i > 0 ? i - 1 : chain->n; /* nobody's is first */
        before += shares[b];
        const gint64 until =
            i == chain->n ? end
                          : begin + pm_rounded((double)pm_difference(end, begin) * MIN(before, 1));
        const Reader *reader = b < chain->n ? &chain->readers->readers[chain->which[b]] : NULL;
        const Span *span = reader ? span_at(chain->readers, reader, begin) : NULL;
        emit(splitting, at, until, reader ? PM_READERS_SHARED : PM_READERS_NONE,
             reader ? reader->thread : 0, span ? span->chain : 0);
        at = MAX(at, until);
    }
}

static void add_shares(const Chain *chain, const Point *point, double weight, double *shares)
{
    for (guint s = 0; s < 1u << chain->n; s++)
        for (guint b = 0; b < chain->n && s > 0; b++)
            shares[b] += s >> b & 1 ? weight * point->sets[s] / __builtin_popcount(s) : 0;
    shares[chain->n] += weight * point->sets[0];
}

/* From when on it is known that the last one to go is the only one; G_MAXINT64: never. */
static gint64 alone_from(const Chain *chain)
{
    if (chain->readers->is_open || !chain->steps[chain->n_steps - 1].is_last)
        return G_MAXINT64;
    for (guint k = 0; k < chain->n_steps; k++)
        if (chain->steps[k].count == 1)
            return chain->steps[k].at;
    return G_MAXINT64;
}

/* From one release to the next, within a wait. */
static void split_session(const Splitting *splitting, const PmReaders *readers,
                          const Session *session, gint64 begin, gint64 end)
{
    g_autofree Chain *chain = g_new(Chain, 1);
    run_chain(chain, readers, session, begin, end, NULL);
    const gint64 alone = CLAMP(alone_from(chain), begin, end), to_end = end;
    end = alone;
    double shares[MAX_CHAIN + 1] = {0};
    gint64 at = begin;
    for (guint g = 1; g < chain->n_points && chain->points[g - 1].at < end; g++) {
        const Point *point = &chain->points[g];
        const gint64 from = MAX(point[-1].at, begin), to = MIN(point->at, end);
        if (from < to) {
            add_shares(chain, point - 1, (double)pm_difference(to, from) / 2, shares);
            add_shares(chain, point, (double)pm_difference(to, from) / 2, shares);
        }
        if (at < to && (point->seen >= 0 || to == end)) {
            for (guint b = 0; b <= chain->n; b++)
                shares[b] /= (double)pm_difference(to, at);
            emit_shares(splitting, chain, at, to, shares);
            memset(shares, 0, sizeof shares);
            at = to;
        }
    }
    if (alone < to_end)
        emit(splitting, alone, to_end, PM_READERS_ONE, session->next->thread, session->next->chain);
}

void pm_readers_free(PmReaders *readers)
{
    if (!readers)
        return;
    g_free(readers->rows);
    g_array_unref(readers->spans);
    g_array_unref(readers->freed);
    g_array_unref(readers->busy);
    g_free(readers);
}

PmReaders *pm_readers_new(const PmRecording *r, const guint32 *repeated, const guint32 *rows,
                          gsize n)
{
    const PmBlocker *blocker = &r->blockers[pm_wait_blocker(&r->waits, rows[0])];
    PmReaders *readers = g_new0(PmReaders, 1);
    g_autofree guint8 *sides = g_new0(guint8, r->n_chains);
    readers->repeated = repeated;
    readers->recording = r;
    const gboolean is_stamped = strcmp(r->classes[blocker->class_index].name, STAMPED) == 0;
    readers->rows = g_memdup2(rows, n * sizeof *rows);
    readers->n_rows = (guint32)n;
    readers->spans = g_array_new(FALSE, FALSE, sizeof(Span));
    readers->freed = g_array_new(FALSE, FALSE, sizeof(Freed));
    readers->busy = g_array_new(FALSE, FALSE, sizeof(Busy));
    g_autoptr(GArray) marks = marks_of(readers, sides);
    find_readers(readers, marks);
    if (readers->n == 0 || readers->n > MAX_READERS) {
        pm_readers_free(readers);
        return NULL;
    }
    find_busy(readers);
    if (!knows_counts(readers) && is_stamped) {
        pm_readers_free(readers);
        return NULL;
    }
    find_who_pushes(readers);
    guess_rates(readers);
    if (readers->is_open)
        learn_rates(readers);
    return readers;
}

void pm_readers_split(const PmReaders *readers, guint32 row, gint64 from, gint64 to,
                      PmReadersPart add, gpointer data)
{
    const PmWaits *w = &readers->recording->waits;
    const Splitting splitting = {from, to, add, data};
    gint64 at = pm_wait_begin(w, row);
    while (at < to) {
        Session session = session_at(readers, at);
        const gint64 end = session.next ? MIN(session.next->at, to) : to;
        if (session.next && !session.next->shared && count_at(readers, row) > 0 &&
            at == pm_wait_begin(w, row) && !is_busy_until(readers, at, session.next->at))
            session.next = NULL; /* it got it after those that share it */
        if (end > from && session.next && !session.next->shared)
            emit(&splitting, at, end, PM_READERS_WRITER, session.next->thread, session.next->chain);
        else if (end > from)
            split_session(&splitting, readers, &session, at, end);
        at = end;
    }
}
