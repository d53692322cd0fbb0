#include "viewer/analysis/curves/series.h"

#include <string.h>

#include "viewer/analysis/aggregation/excerpt-view.h"
#include "viewer/analysis/aggregation/tree.h"
#include "viewer/analysis/recording/category.h"
#include "viewer/analysis/recording/excerpt.h"
#include "viewer/analysis/recording/recording-private.h"
#include "viewer/analysis/base/cancel.h"
#include "viewer/analysis/base/search.h"
#include "viewer/analysis/base/sort.h"
#include "viewer/analysis/base/sum.h"
#include "viewer/analysis/base/workers.h"

/* A step function: +1 at each begin, −1 at each end. Both are sorted; events are their merge with
 * ends first at equal instants, so that the value in between lasts for no time.
 *
 * Every BLOCK events there is a mark: where the merge stands and the integral up to there, with
 * {min, max} of the values that begin in the block and last longer than nothing. Above the marks a
 * pyramid of {min, max} with FAN marks each. */
#define BLOCK 128
#define FAN   16
/* Events between two marks of bands, below. */
#define BAND_BLOCK (2 * BLOCK)

typedef struct {
    gint64 at;        /* of the block's first event */
    guint64 integral; /* thread-time before it; unsigned: it may go round, differences do not */
    guint32 n_begins; /* events before it: BLOCK · index − n_begins are ends */
    guint32 min, max;
} Mark;

typedef struct {
    guint32 min, max;
} Range;

typedef struct {
    gsize n;
    Range *ranges;
} Level;

typedef struct {
    const PmWaits *waits;    /* begins are those of rows; NULL: `begins` */
    const PmPacked *skipped; /* the rows, as a view has them: the view's, or `own_skipped` */
    PmPacked own_skipped, begins, ends;
    gsize n_begins, n_ends;
    gint64 from, to;
    gsize n_marks;
    Mark *marks;
    guint n_levels;
    Level levels[16];
} Steps;

/* So many begins, and so many ends, are read at once. */
#define READ 64

/* The events in order, with the band of each if these are asked for. */
typedef struct {
    const Steps *steps;
    const PmPacked *of_begin, *of_end; /* NULL: no bands */
    gsize first_begin, first_end;      /* what was read last: from these on */
    guint b, e;                        /* of that, passed */
    guint n_begins, n_ends;            /* how much it is; G_MAXUINT: behind the last one */
    gint64 begins[READ + 1], ends[READ + 1];
    gint64 begin_bands[READ], end_bands[READ];
} Stream;

static void read_begins(const Steps *s, gsize i, gsize n, gint64 *begins)
{
    gint64 skipped[READ], near[2 * READ];

    if (!s->waits) {
        pm_packed_read(&s->begins, i, n, begins);
        return;
    }
    pm_packed_read(s->skipped, i, n, skipped);
    const gsize first = i + (gsize)skipped[0], span = i + n + (gsize)skipped[n - 1] - first;
    const gboolean are_near = span <= G_N_ELEMENTS(near);
    if (are_near)
        pm_wait_columns(s->waits, PM_WAIT_COLUMN_BEGIN, first, span, near);
    for (gsize k = 0; k < n; k++) {
        const gsize row = i + k + (gsize)skipped[k];
        const gint64 begin = are_near ? near[row - first] : pm_wait_begin(s->waits, row);
        begins[k] = MAX(begin, s->from);
    }
}

static void stream_read_begins(Stream *t)
{
    const gsize at = t->first_begin + t->b, n = MIN(t->steps->n_begins - at, READ);

    t->first_begin = at;
    t->b = 0;
    t->n_begins = n > 0 ? (guint)n : G_MAXUINT;
    t->begins[n] = G_MAXINT64;
    if (n == 0)
        return;
    read_begins(t->steps, at, n, t->begins);
    if (t->of_begin)
        pm_packed_read(t->of_begin, at, n, t->begin_bands);
}

static void stream_read_ends(Stream *t)
{
    const gsize at = t->first_end + t->e, n = MIN(t->steps->n_ends - at, READ);

    t->first_end = at;
    t->e = 0;
    t->n_ends = n > 0 ? (guint)n : G_MAXUINT;
    t->ends[n] = G_MAXINT64;
    pm_packed_read(&t->steps->ends, at, n, t->ends);
    if (t->of_end)
        pm_packed_read(t->of_end, at, n, t->end_bands);
}

/* Behind so many begins and ends. */
static void stream_seek(Stream *t, gsize n_begins, gsize n_ends)
{
    t->first_begin = n_begins;
    t->first_end = n_ends;
    t->b = t->e = 0;
    stream_read_begins(t);
    stream_read_ends(t);
}

static inline gsize stream_begins(const Stream *t)
{
    return t->first_begin + t->b;
}

static inline gsize stream_passed(const Stream *t)
{
    return t->first_begin + t->b + t->first_end + t->e;
}

/* The function's value now. */
static inline guint32 stream_value(const Stream *t)
{
    return (guint32)(t->first_begin + t->b - t->first_end - t->e);
}

/* Of the next event; G_MAXINT64: there is none. */
static inline gint64 stream_at(const Stream *t)
{
    return MIN(t->begins[t->b], t->ends[t->e]);
}

/* Whether it is an end, which come first at equal instants. */
static inline gboolean stream_is_end(const Stream *t)
{
    return t->ends[t->e] <= t->begins[t->b];
}

/* There must be one. No branch depends on what it is. */
static inline void stream_pass(Stream *t)
{
    const guint is_end = stream_is_end(t);

    t->e += is_end;
    t->b += 1 - is_end;
    if (t->b == t->n_begins)
        stream_read_begins(t);
    if (t->e == t->n_ends)
        stream_read_ends(t);
}

/* Rows between two passes of a sorter. */
#define PASS_ROWS 8192

/* Sorts instants of which none to come is before `limit`: what is sorted leaves as it may, so that
 * the whole never lies in memory unpacked. Each may have a band. */
typedef struct {
    gint64 at, band;
} Instant;

typedef struct {
    GArray *pending, *other; /* of Instant; to sort in */
    guint n;                 /* of those pending; behind them there is room */
    PmPackedWriter times, bands;
} Sorter;

/* Either list may be NULL: that is not kept. */
static Sorter *sorter_new(PmPacked *times, PmPacked *bands)
{
    Sorter *sorter = g_new0(Sorter, 1);
    sorter->pending = g_array_new(FALSE, FALSE, sizeof(Instant));
    sorter->other = g_array_new(FALSE, FALSE, sizeof(Instant));
    sorter->times.list = times;
    sorter->bands.list = bands;
    return sorter;
}

static inline void sorter_put(Sorter *sorter, gint64 at, guint band)
{
    if (sorter->n == sorter->pending->len)
        g_array_set_size(sorter->pending, MAX(2 * sorter->n, PASS_ROWS));
    g_array_index(sorter->pending, Instant, sorter->n++) = (Instant){at, band};
}

static void sorter_pass(Sorter *sorter, gint64 limit)
{
    guint n = 0;
    g_array_set_size(sorter->pending, sorter->n);
    const Instant *instants = (const Instant *)(gpointer)sorter->pending->data;
    pm_sort_array_beside(sorter->pending, sorter->other, sizeof(Instant));
    for (; n < sorter->pending->len && instants[n].at <= limit; n++) {
        if (sorter->times.list)
            pm_packed_put(&sorter->times, instants[n].at);
        if (sorter->bands.list)
            pm_packed_put(&sorter->bands, instants[n].band);
    }
    if (n > 0)
        g_array_remove_range(sorter->pending, 0, n);
    sorter->n -= n;
}

/* FALSE: no memory. */
static gboolean sorter_end(Sorter *sorter)
{
    sorter_pass(sorter, G_MAXINT64);
    g_array_unref(sorter->pending);
    g_array_unref(sorter->other);
    const gboolean times = !sorter->times.list || pm_packed_end(&sorter->times);
    const gboolean done = (!sorter->bands.list || pm_packed_end(&sorter->bands)) && times;
    g_free(sorter);
    return done;
}

/* No row of the view from the i-th on begins before; time to pass it on? */
static gboolean pass_limit(const PmView *view, gsize i, gint64 *ret_limit)
{
    if (i == 0 || i % PASS_ROWS != 0)
        return FALSE;
    *ret_limit = MAX(pm_wait_begin(&view->recording->waits, pm_view_row(view, i)), view->from);
    return TRUE;
}

/* {min, max} of the marks, and of those. */
static void steps_build_levels(Steps *s)
{
    Range *below = NULL;
    gsize n_below = s->n_marks;
    while (n_below > FAN && s->n_levels < G_N_ELEMENTS(s->levels)) {
        gsize n = (n_below + FAN - 1) / FAN;
        Range *ranges = g_new(Range, n);
        for (gsize i = 0; i < n; i++) {
            Range range = {G_MAXUINT32, 0};
            for (gsize k = i * FAN; k < MIN((i + 1) * FAN, n_below); k++) {
                range.min = MIN(range.min, below != NULL ? below[k].min : s->marks[k].min);
                range.max = MAX(range.max, below != NULL ? below[k].max : s->marks[k].max);
            }
            ranges[i] = range;
        }
        s->levels[s->n_levels++] = (Level){n, ranges};
        below = ranges;
        n_below = n;
    }
}

static void steps_clear(Steps *s)
{
    pm_packed_clear(&s->own_skipped);
    pm_packed_clear(&s->begins);
    pm_packed_clear(&s->ends);
    g_free(s->marks);
    for (guint i = 0; i < s->n_levels; i++)
        g_free(s->levels[i].ranges);
}

/* The last mark at or before `at`; n_marks when there is none. `near`: one before it that is likely
 * not far, 0 = not known. */
static gsize steps_find(const Steps *s, gsize near, gint64 at)
{
    gsize low = near < s->n_marks && s->marks[near].at <= at ? near : 0, high = s->n_marks;
    for (gsize step = 1; low + step < high; step *= 4)
        if (s->marks[low + step].at > at)
            high = low + step;
        else
            low += step;
    PM_LOWER_BOUND(low, high, middle, s->marks[middle].at <= at);
    return low > 0 ? low - 1 : s->n_marks;
}

typedef struct {
    Stream stream; /* after all events at or before the instant */
    guint64 integral;
    gint64 settled; /* up to when that is */
} Position;

/* Behind all events at or before `at`, which must not be before the position: but for those in the
 * last block before it, by a mark. */
static void steps_near(const Steps *s, Position *p, gint64 at)
{
    const gsize done = stream_passed(&p->stream), near = done / BLOCK;
    const gsize m = steps_find(s, near > 0 ? near - 1 : 0, at);

    if (m == s->n_marks || m * BLOCK <= done)
        return;
    const Mark *mark = &s->marks[m];
    stream_seek(&p->stream, mark->n_begins, m * BLOCK - mark->n_begins);
    p->integral = mark->integral;
    p->settled = mark->at;
}

/* Passes the next event. */
static inline void steps_pass(Position *p)
{
    const gint64 at = stream_at(&p->stream);

    p->integral += stream_value(&p->stream) * (guint64)(at - p->settled);
    p->settled = at;
    stream_pass(&p->stream);
}

static void steps_settle(Position *p, gint64 at)
{
    if (at <= p->settled)
        return;
    p->integral += stream_value(&p->stream) * (guint64)(at - p->settled);
    p->settled = at;
}

/* Goes on to `at`, which must not be before the position. */
static void steps_go(const Steps *s, Position *p, gint64 at)
{
    steps_near(s, p, at);
    while (stream_at(&p->stream) <= at && stream_at(&p->stream) != G_MAXINT64)
        steps_pass(p);
    steps_settle(p, at);
}

static void steps_begin(const Steps *s, Position *p, gint64 at)
{
    p->stream.steps = s;
    p->stream.of_begin = p->stream.of_end = NULL;
    p->integral = 0;
    p->settled = s->from;
    stream_seek(&p->stream, 0, 0);
    steps_go(s, p, at);
}

/* The function's value at an instant. */
static guint32 steps_value(const Steps *s, gint64 at)
{
    Position p;

    steps_begin(s, &p, at);
    return stream_value(&p.stream);
}

static void range_take(Range *range, guint32 min, guint32 max)
{
    range->min = MIN(range->min, min);
    range->max = MAX(range->max, max);
}

/* {min, max} over marks [first, last). */
static void steps_cover(const Steps *s, gsize first, gsize last, Range *range)
{
    while (first < last && first % FAN != 0) {
        range_take(range, s->marks[first].min, s->marks[first].max);
        first++;
    }
    while (first < last && last % FAN != 0) {
        last--;
        range_take(range, s->marks[last].min, s->marks[last].max);
    }
    first /= FAN;
    last /= FAN;
    for (guint i = 0; first < last; i++) {
        if (i >= s->n_levels) { /* too few for a level */
            for (gsize k = first * FAN; k < last * FAN; k++)
                range_take(range, s->marks[k].min, s->marks[k].max);
            return;
        }
        const Range *ranges = s->levels[i].ranges;
        gboolean top = i + 1 == s->n_levels;
        while (first < last && (top || first % FAN != 0)) {
            range_take(range, ranges[first].min, ranges[first].max);
            first++;
        }
        while (first < last && last % FAN != 0) {
            last--;
            range_take(range, ranges[last].min, ranges[last].max);
        }
        first /= FAN;
        last /= FAN;
    }
}

/* Passes the events before `end`, up to the next block, and takes the values that begin with them:
 * one that begins and ends at one instant does not show. FALSE: none is left before `end`. */
static gboolean steps_take(Position *p, gint64 end, Range *range)
{
    Stream *t = &p->stream;
    guint left = BLOCK - (guint)(stream_passed(t) % BLOCK);
    guint32 value = stream_value(t);
    Range taken = *range;
    gint64 at = stream_at(t);

    for (; left > 0 && at < end; left--) {
        const gint64 last = at;
        p->integral += value * (guint64)(at - p->settled);
        p->settled = at;
        value += 1 - 2 * (guint32)stream_is_end(t);
        stream_pass(t);
        at = stream_at(t);
        if (at > last)
            range_take(&taken, value, value);
    }
    *range = taken;
    return left == 0;
}

/* Passes whole blocks before `end`, if the next event begins one. */
static void steps_take_blocks(const Steps *s, Position *p, gint64 end, Range *range)
{
    const gsize done = stream_passed(&p->stream);

    if (done % BLOCK != 0)
        return;
    steps_near(s, p, end - 1);
    steps_cover(s, done / BLOCK, stream_passed(&p->stream) / BLOCK, range);
}

/* The bucket from `begin`, where the function stands at `*p`, to `end`; leaves `*p` there. The mean
 * is never above what the bucket holds: should the thread-time of so long a stretch be more than a
 * number holds, at least that is true. */
static void steps_bucket(const Steps *s, Position *p, gint64 begin, gint64 end, PmBucket *bucket)
{
    const guint64 before = p->integral;
    Range range = {stream_value(&p->stream), stream_value(&p->stream)};

    do
        steps_take_blocks(s, p, end, &range);
    while (steps_take(p, end, &range));
    bucket->last = stream_value(&p->stream);
    steps_go(s, p, end); /* events at `end` belong to the next bucket */
    bucket->min = range.min;
    bucket->max = range.max;
    bucket->mean = MIN((double)(p->integral - before) / (double)(end - begin), (double)range.max);
}

/* The i-th of n cuts of [from, to), without overflow for any recording. */
static gint64 cut(gint64 from, gint64 to, gsize i, gsize n)
{
    guint64 span = (guint64)to - (guint64)from;
    return from + (gint64)(span / n * i + span % n * i / n);
}

/* Where one bucket ends and the next begins. */
typedef struct {
    gint64 at;
    gsize mark; /* NO_MARK: there is none */
} Border;

#define NO_MARK G_MAXSIZE

/* With fewer marks nothing takes long. */
#define MANY_MARKS 4096

/* By at most such a part of a bucket the border between two is moved, to a mark of the bands before
 * it: what lies between marks is summed up and in memory, other events would have to be read for
 * each border, from all over the file. */
#define MOVED_PART 32

/* The i-th; `near`: the mark of one before. The first and the last are not moved. */
static Border steps_border(const Steps *s, gsize near, gint64 from, gint64 to, gsize i, gsize n)
{
    const gint64 at = cut(from, to, i, n);

    if (i == 0 || i == n || at > s->to || s->n_marks < MANY_MARKS)
        return (Border){at, NO_MARK};
    const gsize found = steps_find(s, near == NO_MARK ? 0 : near, at),
                mark = found - found % (BAND_BLOCK / BLOCK);
    const guint64 most = ((guint64)to - (guint64)from) / n / MOVED_PART;
    return most > 0 && found < s->n_marks && (guint64)at - (guint64)s->marks[mark].at <= most
               ? (Border){s->marks[mark].at, mark}
               : (Border){at, NO_MARK};
}

static guint32 mark_value(const Steps *s, gsize mark)
{
    return 2 * s->marks[mark].n_begins - (guint32)(mark * BLOCK);
}

/* The bucket between two marks, as steps_bucket; {min, max} are also of what is behind its end, up
 * to where that was moved from and the next mark of bands: what is read for there may begin. */
static void steps_bucket_of_marks(const Steps *s, gsize first, gsize last, PmBucket *bucket)
{
    const Mark *begin = &s->marks[first], *end = &s->marks[last];
    const guint64 length = (guint64)(end->at - begin->at);
    Range range = {G_MAXUINT32, 0};

    steps_cover(s, first, MIN(last + BAND_BLOCK / BLOCK, s->n_marks), &range);
    *bucket = (PmBucket){
        .min = range.min,
        .max = range.max,
        .last = mark_value(s, last),
        .mean = MIN((double)(end->integral - begin->integral) / (double)length, (double)range.max)};
}

/* ---- threads waiting ---- */

/* A wait of no length is one more thread at its instant, for no time. */
typedef struct {
    gint64 at;
    guint32 height;
} Spike;

struct PmParkedNow {
    gint ref_count;
    PmView *view;
    Steps steps;
    gsize n_spikes;
    Spike *spikes;
    guint32 *spike_max; /* of each FAN · FAN spikes */
};

#define SPIKE_BLOCK (FAN * FAN)

static gboolean is_open(const PmView *view, guint32 row)
{
    const PmWaits *w = &view->recording->waits;
    return pm_wait_end(w, row) > view->to || (pm_wait_flags(w, row) & PM_WAIT_IN_PROGRESS) != 0;
}

static gboolean is_empty(const PmView *view, guint32 row)
{
    const PmWaits *w = &view->recording->waits;
    return pm_wait_end(w, row) <= MAX(pm_wait_begin(w, row), view->from) && !is_open(view, row);
}

/* When some rows of a view begin and end, by their offsets. */
typedef struct {
    PmViewRows rows;
    gint64 begins[PM_VIEW_SPAN], ends[PM_VIEW_SPAN]; /* not before the view does */
    guint8 open[PM_VIEW_SPAN];
} Spans;

static void spans_read(Spans *spans, const PmView *view, gsize at)
{
    const PmWaits *w = &view->recording->waits;
    const PmViewRows *rows = &spans->rows;
    gint64 flags[PM_VIEW_SPAN];

    pm_view_rows(view, at, view->n - at, &spans->rows);
    pm_wait_columns(w, PM_WAIT_COLUMN_BEGIN, rows->first, rows->span, spans->begins);
    pm_wait_columns(w, PM_WAIT_COLUMN_LENGTH, rows->first, rows->span, spans->ends);
    pm_wait_columns(w, PM_WAIT_COLUMN_FLAGS, rows->first, rows->span, flags);
    for (gsize i = 0; i < rows->span; i++) {
        spans->ends[i] += spans->begins[i];
        spans->begins[i] = MAX(spans->begins[i], view->from);
        spans->open[i] = spans->ends[i] > view->to || (flags[i] & PM_WAIT_IN_PROGRESS) != 0;
    }
}

/* As is_empty. */
static gboolean spans_is_empty(const Spans *spans, gsize offset)
{
    return spans->ends[offset] <= spans->begins[offset] && !spans->open[offset];
}

static PmParkedNow *parked_now_ref(PmParkedNow *p)
{
    g_atomic_int_inc(&p->ref_count);
    return p;
}

void pm_parked_now_unref(PmParkedNow *p)
{
    if (!p || !g_atomic_int_dec_and_test(&p->ref_count))
        return;
    steps_clear(&p->steps);
    g_free(p->spikes);
    g_free(p->spike_max);
    pm_view_unref(p->view);
    g_free(p);
}

static gsize spikes_before(const PmParkedNow *p, gint64 at)
{
    gsize low = 0, high = p->n_spikes;
    PM_LOWER_BOUND(low, high, middle, p->spikes[middle].at < at);
    return low;
}

static guint32 spikes_max(const PmParkedNow *p, gint64 from, gint64 to)
{
    guint32 max = 0;
    if (p->n_spikes == 0)
        return 0;
    gsize i = spikes_before(p, from), end = spikes_before(p, to);
    while (i < end) {
        if (i % SPIKE_BLOCK == 0 && i + SPIKE_BLOCK <= end) {
            max = MAX(max, p->spike_max[i / SPIKE_BLOCK]);
            i += SPIKE_BLOCK;
        } else {
            max = MAX(max, p->spikes[i].height);
            i++;
        }
    }
    return max;
}

void pm_parked_now_read(const PmParkedNow *p, gint64 from, gint64 to, gsize n, PmBucket *ret)
{
    g_return_if_fail(p != NULL && ret && from <= to);
    if (n == 0)
        return;
    if (to <= from)
        to = from + 1;
    const Steps *s = &p->steps;
    Position at;
    steps_begin(s, &at, from);
    Border left = steps_border(s, 0, from, to, 0, n);
    for (gsize i = 0; i < n; i++) {
        const Border right = steps_border(s, left.mark, from, to, i + 1, n);
        const gint64 begin = left.at, end = right.at, inside = MIN(end, s->to);
        const gsize first = left.mark;
        left = right;
        if (begin > s->to) {
            ret[i] = (PmBucket){0};
            continue;
        }
        if (begin >= inside) { /* finer than a nanosecond, or the last instant: its value */
            guint32 value = steps_value(s, begin);
            ret[i] = (PmBucket){value, value, value, value};
        } else if (first != NO_MARK && right.mark != NO_MARK) {
            steps_bucket_of_marks(s, first, right.mark, &ret[i]);
        } else {
            steps_go(s, &at, begin);
            steps_bucket(s, &at, begin, inside, &ret[i]);
        }
        /* The range's last instant belongs to its last bucket; after it nothing is known. */
        ret[i].max = MAX(ret[i].max, spikes_max(p, begin, MAX(inside, begin) + (end >= s->to)));
        if (end >= s->to) {
            guint32 final = steps_value(s, s->to);
            ret[i].max = MAX(ret[i].max, final);
            ret[i].last = final;
        }
        if (end > s->to) {
            ret[i].min = 0;
            ret[i].last = 0;
            ret[i].mean *= (double)(inside - begin) / (double)(end - begin);
        }
    }
}

guint32 pm_parked_now_at(const PmParkedNow *p, gint64 at)
{
    if (at > p->steps.to)
        return 0;
    return steps_value(&p->steps, at);
}

guint32 pm_parked_now_peak(const PmParkedNow *p, gint64 from, gint64 to)
{
    PmBucket bucket = {0};
    pm_parked_now_read(p, from, MAX(to, from + 1), 1, &bucket);
    return bucket.max;
}

/* ---- bands ---- */

struct PmBandOrder {
    PmRecording *recording;
    PmAspect aspect;
    guint n;
    PmBand bands[PM_N_BANDS + 1]; /* the last used one is "others" */
};

static int compare_by_time(const void *a, const void *b)
{
    const PmTreeNode *x = *(PmTreeNode *const *)a, *y = *(PmTreeNode *const *)b;
    if (x->thread_time != y->thread_time)
        return x->thread_time > y->thread_time ? -1 : 1;
    return (x->key > y->key) - (x->key < y->key);
}

PmBandOrder *pm_band_order_of_tree(const PmTree *tree)
{
    g_return_val_if_fail(tree != NULL && tree->n_aspects > 0, NULL);
    PmBandOrder *order = g_new0(PmBandOrder, 1);
    order->recording = pm_recording_ref(tree->view->recording);
    order->aspect = tree->aspects[0];
    guint n = tree->root->n_children;
    g_autofree PmTreeNode **nodes = g_new(PmTreeNode *, n + 1);
    memcpy(nodes, tree->root->children, n * sizeof *nodes);
    qsort(nodes, n, sizeof *nodes, compare_by_time);
    order->n = MIN(n, PM_N_BANDS);
    guint of_family[PM_N_FAMILIES] = {0};
    for (guint i = 0; i < order->n; i++) {
        PmFamily family = pm_category_family(nodes[i]->category);
        order->bands[i] = (PmBand){.key = nodes[i]->key,
                                   .category = nodes[i]->category,
                                   .rank = (guint8)(of_family[family]++ % 3),
                                   .thread_time = nodes[i]->thread_time};
    }
    PmBand *others = &order->bands[order->n];
    *others = (PmBand){.others = TRUE, .category = PM_CATEGORY_OTHER};
    for (guint i = order->n; i < n; i++)
        pm_sum_add(&others->thread_time, nodes[i]->thread_time);
    return order;
}

PmBandOrder *pm_band_order_new(PmRecording *recording, PmAspect aspect, gboolean idle)
{
    g_return_val_if_fail(recording != NULL && (guint)aspect < PM_N_ASPECTS, NULL);
    g_autoptr(PmFilter) filter = pm_filter_new();
    filter->idle = idle;
    g_autoptr(PmView) view = pm_view_new(recording, filter, NULL);
    g_autoptr(PmTree) tree = view ? pm_tree_new_bounded(view, &aspect, 1, NULL) : NULL;
    return tree ? pm_band_order_of_tree(tree) : NULL;
}

void pm_band_order_free(PmBandOrder *order)
{
    if (!order)
        return;
    pm_recording_unref(order->recording);
    g_free(order);
}

guint pm_band_order_find(const PmBandOrder *order, guint64 key)
{
    guint i = 0;
    while (i < order->n && order->bands[i].key != key)
        i++;
    return i;
}

guint pm_band_order_n(const PmBandOrder *order)
{
    return order->n;
}

const PmBand *pm_band_order_get(const PmBandOrder *order, guint index)
{
    return &order->bands[MIN(index, order->n)];
}

/* The events of all bands are those of threads waiting, or of parts, in one order; each has the
 * band that it is of. Every BAND_BLOCK events there is a mark: what each band's integral and value
 * were before it. */
#define MOST_BANDS (PM_N_BANDS + 1)

struct PmBands {
    guint n;                 /* with "others" */
    guint n_parts;           /* of the time, equal ones; 0: it is not estimated */
    double *shares;          /* of each part, by band */
    PmParkedNow *parked_now; /* whose events they are; NULL: `own` */
    Steps own;
    const Steps *steps;
    PmPacked of_begin, of_end;
    gsize n_begins[MOST_BANDS];
    guint64 *integrals; /* of each mark, by band */
    guint32 *values;
};

/* Bands by the value of the column that decides the key: most are like one before. */
#define N_KNOWN 256

typedef struct {
    const PmView *view;
    const PmBandOrder *order;
    const PmAspectRow *aspect;
    gint64 values[N_KNOWN]; /* −1: none */
    guint8 bands[N_KNOWN];
} KnownBands;

static guint band_of(KnownBands *known, gint64 value, gsize row)
{
    const guint at = (guint)value % N_KNOWN;
    if (known->values[at] == value && (value != 0 || !known->aspect->missing_key))
        return known->bands[at];
    const guint64 key = pm_aspect_key(known->view->recording, known->order->aspect, (guint32)row);
    known->values[at] = value;
    known->bands[at] = (guint8)pm_band_order_find(known->order, key);
    return known->bands[at];
}

/* Sorts the ends of a view's waits into `s`, and their bands, of an aspect with one key a wait,
 * into `bands`; either may be NULL. FALSE: cancelled, or no memory. `ret_n_empty`: waits of no
 * length, which are left out. */
static gboolean sort_ends(const PmView *view, Steps *s, PmBands *bands, const PmBandOrder *order,
                          gsize *ret_n_empty, const gint *cancel)
{
    KnownBands known = {.view = view, .order = order};
    g_autofree PmPackedWriter *of_begin = g_new0(PmPackedWriter, 1);
    Sorter *ends = sorter_new(s ? &s->ends : NULL, bands ? &bands->of_end : NULL);
    gint64 values[PM_VIEW_SPAN];
    gboolean done = TRUE;
    Spans spans;

    memset(known.values, 0xff, sizeof known.values);
    if (bands) {
        of_begin->list = &bands->of_begin;
        known.aspect = &pm_aspects[order->aspect];
    }
    for (gsize i = 0, passed = 0; i < view->n && done; i += spans.rows.n) {
        spans_read(&spans, view, i);
        if (bands)
            pm_wait_columns(&view->recording->waits, known.aspect->column, spans.rows.first,
                            spans.rows.span, values);
        if (i - passed >= PASS_ROWS) {
            sorter_pass(ends, spans.begins[0]);
            passed = i;
            done = !pm_cancelled(cancel);
        }
        for (gsize k = 0; k < spans.rows.n; k++) {
            const gsize at = spans.rows.offsets[k];
            guint band = 0;
            if (spans_is_empty(&spans, at)) {
                ++*ret_n_empty;
                continue;
            }
            if (bands) {
                band = band_of(&known, values[at], spans.rows.first + at);
                pm_packed_put(of_begin, band);
                bands->n_begins[band]++;
            }
            if (spans.open[at])
                continue;
            sorter_put(ends, spans.ends[at], band);
            if (s)
                s->n_ends++;
        }
    }
    done = sorter_end(ends) && done;
    return (!bands || pm_packed_end(of_begin)) && done;
}

/* Bands of causes: a wait's parts go to several. */
static gboolean bands_of_parts(PmBands *bands, const PmView *view, const PmBandOrder *order,
                               const gint *cancel)
{
    const PmContention *contention = pm_recording_contention(view->recording, cancel);
    if (!contention)
        return FALSE;
    Steps *s = &bands->own;
    s->from = view->from;
    s->to = view->to;
    Sorter *begins = sorter_new(&s->begins, &bands->of_begin),
           *ends = sorter_new(&s->ends, &bands->of_end);
    gboolean done = TRUE;
    gint64 limit;
    g_autoptr(GArray) parts = g_array_new(FALSE, FALSE, sizeof(PmPart));
    for (gsize i = 0; i < view->n && done; i++) {
        if (pass_limit(view, i, &limit)) {
            sorter_pass(begins, limit);
            sorter_pass(ends, limit);
            done = !pm_cancelled(cancel);
        }
        g_array_set_size(parts, 0);
        pm_contention_split(contention, pm_view_row(view, i), view->from, view->to, parts);
        for (guint k = 0; k < parts->len; k++) {
            const PmPart *part = &g_array_index(parts, PmPart, k);
            guint band =
                pm_band_order_find(order, pm_part_key(view->recording, order->aspect, part));
            sorter_put(begins, part->begin, band);
            bands->n_begins[band]++;
            s->n_begins++;
            if (part->end < view->to || !is_open(view, pm_view_row(view, i))) {
                sorter_put(ends, part->end, band);
                s->n_ends++;
            }
        }
    }
    done = sorter_end(begins) && done;
    return sorter_end(ends) && done;
}

/* ---- estimated bands ---- */

#define MOST_FOLLOWED 50000
#define FOLLOWERS     8 /* each has a stretch of the waits */

typedef struct {
    const PmBands *bands;
    const PmBandOrder *order;
    PmView *view; /* of the excerpt */
    const PmContention *contention;
    const gint *cancel;
    guint n_parts;
    gint64 *ends;             /* of each part, in the excerpt */
    gint64 step;              /* of waiting, from one followed wait to the next */
    double *times[FOLLOWERS]; /* of each part, by band */
} Following;

/* What of a cause that stands for `weight` times as much lies in each part. */
static void add_cause(const Following *f, const PmPart *part, double weight, double *times)
{
    const guint64 key = pm_part_key(f->view->recording, f->order->aspect, part);
    const guint band = pm_band_order_find(f->order, key);
    guint low = 0, high = f->n_parts - 1;

    PM_LOWER_BOUND(low, high, middle, f->ends[middle] <= part->begin)
    for (gint64 at = part->begin; at < part->end; low++) {
        const gint64 end = low + 1 < f->n_parts ? MIN(part->end, f->ends[low]) : part->end;
        times[low * f->bands->n + band] += (double)(end - at) * weight;
        at = end;
    }
}

static void follow_some(gpointer data, guint index)
{
    Following *f = data;
    const PmView *view = f->view;
    const gsize end = view->n * (index + 1) / FOLLOWERS;
    double *times = f->times[index] = g_new0(double, f->n_parts * f->bands->n);
    g_autoptr(GArray) parts = g_array_new(FALSE, FALSE, sizeof(PmPart));
    gint64 passed = 0;

    for (gsize i = view->n * index / FOLLOWERS; i < end; i++) {
        const guint32 row = pm_view_row(view, i);
        const gint64 time = pm_view_clip(view, row);
        passed = pm_sum(passed, time);
        const gint64 steps = passed / f->step;
        if (i % BLOCK == 0 && pm_cancelled(f->cancel))
            return;
        if (steps == 0)
            continue;
        passed %= f->step;
        g_array_set_size(parts, 0);
        pm_contention_split(f->contention, row, view->from, view->to, parts);
        for (guint k = 0; k < parts->len; k++)
            add_cause(f, &g_array_index(parts, PmPart, k),
                      (double)steps * (double)f->step / (double)time, times);
    }
}

/* A part in which nobody waited in the excerpt is like all. */
static void find_shares(PmBands *bands, const Following *f)
{
    g_autofree double *all = g_new0(double, bands->n);
    double sum_of_all = 0;

    bands->shares = g_new0(double, f->n_parts * bands->n);
    for (guint i = 0; i < f->n_parts * bands->n; i++) {
        for (guint k = 0; k < FOLLOWERS; k++)
            bands->shares[i] += f->times[k][i];
        all[i % bands->n] += bands->shares[i];
        sum_of_all += bands->shares[i];
    }
    for (guint part = 0; part < f->n_parts; part++) {
        double *shares = bands->shares + part * bands->n, sum = 0;
        for (guint k = 0; k < bands->n; k++)
            sum += shares[k];
        for (guint k = 0; k < bands->n; k++)
            shares[k] = sum > 0          ? shares[k] / sum
                        : sum_of_all > 0 ? all[k] / sum_of_all
                                         : k + 1 == bands->n;
    }
    bands->n_parts = f->n_parts;
}

static gboolean is_whole(const PmView *view)
{
    const PmRecording *r = view->recording;
    return view->from <= r->window_begin && view->to >= r->duration;
}

/* FALSE: cancelled. */
static gboolean estimate(PmBands *bands, const PmBandOrder *order, const gint *cancel)
{
    Following f = {.bands = bands,
                   .order = order,
                   .view = pm_view_for_causes(bands->parked_now->view, cancel),
                   .cancel = cancel};

    if (!f.view || !(f.contention = pm_recording_contention(f.view->recording, cancel)))
        return FALSE;
    const PmInterval *spans = pm_excerpt_spans(f.view->recording, &f.n_parts);
    const guint n_spans = f.n_parts;
    if (!is_whole(bands->parked_now->view)) /* the spans may be of more than the view */
        f.n_parts = 1;
    f.ends = g_new(gint64, f.n_parts);
    for (guint i = 0; i < f.n_parts; i++)
        f.ends[i] =
            pm_excerpt_instant(f.view->recording, spans[f.n_parts > 1 ? i : n_spans - 1].end);
    f.step = MAX(f.view->thread_time / MOST_FOLLOWED, 1);
    pm_workers_run(0, FOLLOWERS, follow_some, &f);
    if (!pm_cancelled(cancel))
        find_shares(bands, &f);
    for (guint i = 0; i < FOLLOWERS; i++)
        g_free(f.times[i]);
    g_free(f.ends);
    return bands->n_parts > 0;
}

/* How much is waited is known. */
static void read_estimate(const PmBands *bands, gint64 from, gint64 to, gsize n, double *means)
{
    const PmView *view = bands->parked_now->view;
    const double length = (double)MAX(view->to - view->from, 1) / bands->n_parts;
    g_autofree PmBucket *buckets = g_new(PmBucket, n);

    pm_parked_now_read(bands->parked_now, from, to, n, buckets);
    memset(means, 0, n * bands->n * sizeof *means);
    for (gsize i = 0; i < n; i++) {
        const double begin = (double)(cut(from, to, i, n) - view->from) / length;
        const double end = (double)(cut(from, to, i + 1, n) - view->from) / length;
        const double last = bands->n_parts - 1;
        for (guint part = (guint)CLAMP(begin, 0, last); part <= (guint)CLAMP(end, 0, last);
             part++) {
            const double inside = part == last || end < part + 1 ? end : part + 1;
            const double weight =
                (inside - (part == 0 || begin > part ? begin : part)) / (end - begin);
            for (guint k = 0; k < bands->n; k++)
                means[i * bands->n + k] +=
                    buckets[i].mean * MAX(weight, 0) * bands->shares[part * bands->n + k];
        }
    }
}

gboolean pm_bands_are_estimated(const PmBands *bands)
{
    return bands->n_parts > 0;
}

/* A place among the events, and what each band's integral and value are behind those before it. */
typedef struct {
    Stream stream;
    guint64 integrals[MOST_BANDS];
    gint64 settled[MOST_BANDS]; /* up to when */
    guint32 values[MOST_BANDS];
} BandCursor;

static guint64 band_integral(const BandCursor *c, guint band, gint64 at)
{
    return c->integrals[band] + c->values[band] * (guint64)(at - c->settled[band]);
}

/* Counts the next event; there must be one. */
static inline void band_cursor_count(BandCursor *c)
{
    const Stream *t = &c->stream;
    const gboolean is_end = stream_is_end(t);
    const gint64 at = stream_at(t);
    const guint band = (guint)(is_end ? t->end_bands[t->e] : t->begin_bands[t->b]);
    c->integrals[band] = band_integral(c, band, at);
    c->settled[band] = at;
    c->values[band] += is_end ? -1u : 1u;
}

/* Passes it. */
static inline void band_cursor_next(BandCursor *c)
{
    band_cursor_count(c);
    stream_pass(&c->stream);
}

/* Takes over what a mark of the bands has; the stream stays where it is. */
static void band_cursor_take(const PmBands *bands, BandCursor *c, gsize mark)
{
    for (guint k = 0; k < bands->n; k++) {
        c->integrals[k] = bands->integrals[mark * bands->n + k];
        c->values[k] = bands->values[mark * bands->n + k];
        c->settled[k] = bands->steps->marks[mark * (BAND_BLOCK / BLOCK)].at;
    }
}

/* Goes on to behind all events at or before `at`, which must not be before the cursor. */
static void band_cursor_go(const PmBands *bands, BandCursor *c, gint64 at)
{
    const Steps *s = bands->steps;
    const gsize done = stream_passed(&c->stream), near = steps_find(s, done / BLOCK, at);
    const gsize mark = near < s->n_marks ? near / (BAND_BLOCK / BLOCK) : 0;
    if (mark * BAND_BLOCK > done) {
        const Mark *from = &s->marks[mark * (BAND_BLOCK / BLOCK)];
        stream_seek(&c->stream, from->n_begins, mark * BAND_BLOCK - from->n_begins);
        band_cursor_take(bands, c, mark);
    }
    while (stream_at(&c->stream) <= at && stream_at(&c->stream) != G_MAXINT64)
        band_cursor_next(c);
}

/* The same, to a border. */
static void band_cursor_to(const PmBands *bands, BandCursor *c, gsize mark, gint64 at)
{
    if (mark != NO_MARK)
        band_cursor_take(bands, c, mark / (BAND_BLOCK / BLOCK));
    else
        band_cursor_go(bands, c, at);
}

static void band_cursor_init(const PmBands *bands, BandCursor *c)
{
    *c = (BandCursor){
        .stream = {.steps = bands->steps, .of_begin = &bands->of_begin, .of_end = &bands->of_end}};
    for (guint k = 0; k < bands->n; k++)
        c->settled[k] = bands->steps->from;
    stream_seek(&c->stream, 0, 0);
}

static void bands_mark(PmBands *bands, const BandCursor *c, gsize mark, gint64 at)
{
    for (guint k = 0; k < bands->n; k++) {
        bands->integrals[mark * bands->n + k] = band_integral(c, k, at);
        bands->values[mark * bands->n + k] = c->values[k];
    }
}

/* Passes all events once, and sets the marks of `s`, if `is_new`, and of `bands`, if these are not
 * NULL: one function for each of these. FALSE: cancelled. */
__attribute__((always_inline)) static inline gboolean
index_events(Steps *s, gboolean is_new, PmBands *bands, const gint *cancel)
{
    const gsize n_events = s->n_begins + s->n_ends;
    guint64 integral = 0;
    gint64 last = s->from;
    guint32 value = 0;
    Mark none, *mark = &none;
    BandCursor c = {.stream = {.steps = s}};

    if (is_new) {
        s->n_marks = (n_events + BLOCK - 1) / BLOCK;
        s->marks = g_new(Mark, MAX(s->n_marks, 1));
    }
    if (bands) {
        const gsize n_marks = n_events / BAND_BLOCK + 1;
        bands->integrals = g_new0(guint64, n_marks * bands->n);
        bands->values = g_new0(guint32, n_marks * bands->n);
        band_cursor_init(bands, &c);
    } else {
        stream_seek(&c.stream, 0, 0);
    }
    for (gsize i = 0; i < n_events; i++) {
        const gint64 at = stream_at(&c.stream);
        integral += value * (guint64)(at - last);
        /* The value that ends here began with the event before, in the block of that event. */
        if (is_new && i > 0 && at > last) {
            mark->min = MIN(mark->min, value);
            mark->max = MAX(mark->max, value);
        }
        if (i % BLOCK == 0) {
            if (pm_cancelled(cancel))
                return FALSE;
            mark = is_new ? &s->marks[i / BLOCK] : &none;
            *mark = (Mark){at, integral, (guint32)stream_begins(&c.stream), G_MAXUINT32, 0};
            if (bands && i % BAND_BLOCK == 0)
                bands_mark(bands, &c, i / BAND_BLOCK, at);
        }
        if (bands)
            band_cursor_count(&c);
        stream_pass(&c.stream);
        value = stream_value(&c.stream);
        last = at;
    }
    if (n_events > 0) {
        mark->min = MIN(mark->min, value);
        mark->max = MAX(mark->max, value);
    }
    if (is_new)
        steps_build_levels(s);
    return TRUE;
}

/* ---- both ---- */

static PmBands *bands_new(PmParkedNow *parked_now, const PmBandOrder *order)
{
    PmBands *bands = g_new0(PmBands, 1);
    const gboolean split = pm_aspect_is_split(order->aspect);

    bands->n = order->n + 1;
    bands->parked_now = parked_now_ref(parked_now);
    bands->steps = split ? &bands->own : &parked_now->steps;
    return bands;
}

/* Rows of our own, without the waits of no length. FALSE: no memory. */
static gboolean leave_out_empty(PmParkedNow *p, gsize n_empty)
{
    const PmView *view = p->view;
    g_autofree PmPackedWriter *rows = g_new0(PmPackedWriter, 1);

    rows->list = &p->steps.own_skipped;
    p->spikes = g_new(Spike, n_empty);
    for (gsize i = 0; i < view->n; i++)
        if (is_empty(view, pm_view_row(view, i)))
            p->spikes[p->n_spikes++].at =
                MAX(pm_wait_begin(&view->recording->waits, pm_view_row(view, i)), view->from);
        else
            pm_packed_put(rows, (gint64)pm_view_row(view, i) - (gint64)(i - p->n_spikes));
    p->steps.skipped = &p->steps.own_skipped;
    return pm_packed_end(rows);
}

static void find_spikes(PmParkedNow *p)
{
    Stream stream = {.steps = &p->steps};

    if (p->n_spikes == 0)
        return;
    stream_seek(&stream, 0, 0);
    for (gsize i = 0; i < p->n_spikes; i++) {
        while (stream_at(&stream) <= p->spikes[i].at)
            stream_pass(&stream);
        p->spikes[i].height = stream_value(&stream) + 1;
    }
    const gsize n = (p->n_spikes + SPIKE_BLOCK - 1) / SPIKE_BLOCK;
    p->spike_max = g_new0(guint32, n);
    for (gsize i = 0; i < p->n_spikes; i++)
        p->spike_max[i / SPIKE_BLOCK] = MAX(p->spike_max[i / SPIKE_BLOCK], p->spikes[i].height);
}

PmParkedNow *pm_parked_now_new_with_bands(const PmView *view, const PmBandOrder *order,
                                          PmBands **ret_bands, const gint *cancel)
{
    g_return_val_if_fail(view != NULL, NULL);
    PmParkedNow *p = g_new0(PmParkedNow, 1);
    Steps *s = &p->steps;
    gsize n_empty = 0;

    p->ref_count = 1;
    p->view = pm_view_ref((PmView *)view);
    s->from = view->from;
    s->to = view->to;
    s->waits = &view->recording->waits;
    PmBands *bands = order && !pm_aspect_is_split(order->aspect) ? bands_new(p, order) : NULL;
    gboolean done = sort_ends(view, s, bands, order, &n_empty, cancel);
    s->n_begins = view->n - n_empty;
    s->skipped = &view->skipped;
    if (done && n_empty > 0)
        done = leave_out_empty(p, n_empty);
    if (done && !pm_cancelled(cancel))
        done = bands ? index_events(s, TRUE, bands, cancel) : index_events(s, TRUE, NULL, cancel);
    if (!done || pm_cancelled(cancel)) {
        pm_bands_free(bands);
        pm_parked_now_unref(p);
        return NULL;
    }
    find_spikes(p);
    if (order)
        *ret_bands = bands;
    return p;
}

PmParkedNow *pm_parked_now_new(const PmView *view, const gint *cancel)
{
    return pm_parked_now_new_with_bands(view, NULL, NULL, cancel);
}

PmBands *pm_bands_new(PmParkedNow *parked_now, const PmBandOrder *order, const gint *cancel)
{
    g_return_val_if_fail(parked_now != NULL && order != NULL, NULL);
    PmBands *bands = bands_new(parked_now, order);
    const gboolean split = bands->steps == &bands->own;
    gsize n_empty = 0;
    if (split && pm_recording_is_huge(parked_now->view->recording)) {
        if (!estimate(bands, order, cancel))
            g_clear_pointer(&bands, pm_bands_free);
        return bands;
    }
    gboolean done = split ? bands_of_parts(bands, parked_now->view, order, cancel)
                          : sort_ends(parked_now->view, NULL, bands, order, &n_empty, cancel);

    if (done && !pm_cancelled(cancel))
        done = split ? index_events(&bands->own, TRUE, bands, cancel)
                     : index_events(&parked_now->steps, FALSE, bands, cancel);
    if (!done || pm_cancelled(cancel))
        g_clear_pointer(&bands, pm_bands_free);
    return bands;
}

void pm_bands_free(PmBands *bands)
{
    if (!bands)
        return;
    steps_clear(&bands->own);
    pm_packed_clear(&bands->of_begin);
    pm_packed_clear(&bands->of_end);
    g_free(bands->integrals);
    g_free(bands->values);
    g_free(bands->shares);
    pm_parked_now_unref(bands->parked_now);
    g_free(bands);
}

#define READ_PARTS 4

typedef struct {
    const PmBands *bands;
    gint64 from, to;
    gsize n;
    double *means;
} Reading;

/* Some of the buckets, one after the other. */
static void read_part(gpointer data, guint part)
{
    const Reading *r = data;
    const PmBands *bands = r->bands;
    const Steps *s = bands->steps;
    guint64 last[MOST_BANDS];
    BandCursor c;
    gsize i = r->n * part / READ_PARTS;
    Border left = steps_border(s, 0, r->from, r->to, i, r->n);
    gint64 at = MIN(left.at, s->to);

    band_cursor_init(bands, &c);
    band_cursor_to(bands, &c, left.mark, at);
    for (guint k = 0; k < bands->n; k++)
        last[k] = band_integral(&c, k, at);
    for (; i < r->n * (part + 1) / READ_PARTS; i++) {
        const Border right = steps_border(s, left.mark, r->from, r->to, i + 1, r->n);
        const gint64 begin = left.at, end = right.at;
        double *means = r->means + i * bands->n;
        if (end > begin && MIN(end, s->to) >= at)
            band_cursor_to(bands, &c, right.mark, at = MIN(end, s->to));
        for (guint k = 0; k < bands->n; k++) {
            if (end > begin) {
                const guint64 here = band_integral(&c, k, at);
                const double mean = (double)(here - last[k]) / (double)(end - begin);
                means[k] = MIN(mean, (double)bands->n_begins[k]);
                last[k] = here;
            } else {
                means[k] = begin <= s->to ? c.values[k] : 0;
            }
        }
        left = right;
    }
}

void pm_bands_read(const PmBands *bands, gint64 from, gint64 to, gsize n, double *ret_means)
{
    g_return_if_fail(bands != NULL && ret_means && from <= to);
    Reading reading = {bands, from, to > from ? to : from + 1, n, ret_means};
    if (bands->n_parts > 0) {
        read_estimate(bands, from, reading.to, n, ret_means);
        return;
    }
    pm_workers_run(bands->steps->n_marks >= MANY_MARKS ? 0 : 1, READ_PARTS, read_part, &reading);
}
