#include "viewer/analysis/slices/sums.h"

#include <string.h>

#include "viewer/analysis/recording/recording-private.h"
#include "viewer/analysis/base/cancel.h"
#include "viewer/analysis/base/heap.h"
#include "viewer/analysis/base/search.h"
#include "viewer/analysis/base/sort.h"
#include "viewer/analysis/base/sum.h"
#include "viewer/analysis/base/workers.h"

/* Keys with at least this part of the waits are summed up; of the others at most every
 * FEW_OF-th wait may be. */
#define MANY_OF 512
#define FEW_OF  4
/* Of each key's waits in a slice, those that are longer than 24 of 25 are listed: where a
 * percentile of a range lies is then found in these lists, and in the rows of no more than a
 * quarter of the slices. Only what is as long as one of eight in a sample comes into question: to
 * write all lengths to memory takes longer than all else of the sums. */
#define TOP_OF    25
#define LONG_OF   8
#define SAMPLE_OF 32
#define FEWEST    64  /* of a key, in the sample */
#define AT_ONCE   512 /* of those, read */

/* ---- parts by key and id ---- */

typedef struct {
    GArray *parts; /* of PmSumPart */
    guint32 *slots;
    gsize n_slots; /* a power of two */
    guint32 n_ids; /* 0: too many for a slot of each key and id, which are then hashed */
} Parts;

#define MOST_OWN_SLOTS (1u << 18)

/* Of keys and ids below these. */
static void parts_init(Parts *p, guint n_keys, guint32 n_ids)
{
    const gboolean own = (guint64)n_keys * n_ids <= MOST_OWN_SLOTS;
    p->parts = g_array_new(FALSE, FALSE, sizeof(PmSumPart));
    p->n_ids = own ? n_ids : 0;
    p->n_slots = own ? (gsize)n_keys * n_ids : 1024;
    p->slots = g_new0(guint32, p->n_slots);
}

static void parts_clear(Parts *p)
{
    g_clear_pointer(&p->parts, g_array_unref);
    g_clear_pointer(&p->slots, g_free);
}

static inline gsize hash_of(const Parts *p, guint32 key, guint32 id)
{
    const guint64 h = ((guint64)key << 32 | id) * G_GUINT64_CONSTANT(0x9E3779B97F4A7C15);
    return (h ^ h >> 32) & (p->n_slots - 1);
}

static void parts_grow(Parts *p)
{
    g_free(p->slots);
    p->n_slots *= 2;
    p->slots = g_new0(guint32, p->n_slots);
    for (guint i = 0; i < p->parts->len; i++) {
        const PmSumPart *part = &g_array_index(p->parts, PmSumPart, i);
        gsize at = hash_of(p, part->key, part->id);
        while (p->slots[at] != 0)
            at = (at + 1) & (p->n_slots - 1);
        p->slots[at] = i + 1;
    }
}

static gboolean is_part(const Parts *p, guint32 slot, guint32 key, guint32 id)
{
    const PmSumPart *part = &g_array_index(p->parts, PmSumPart, slot - 1);
    return part->key == key && part->id == id;
}

static gsize slot_of(const Parts *p, guint32 key, guint32 id)
{
    gsize at = hash_of(p, key, id);
    while (p->slots[at] != 0 && !is_part(p, p->slots[at], key, id))
        at = (at + 1) & (p->n_slots - 1);
    return at;
}

static PmSumPart *parts_add(Parts *p, gsize at, guint32 key, guint32 id)
{
    const PmSumPart part = {key, id, 0};
    g_array_append_val(p->parts, part);
    p->slots[at] = p->parts->len;
    if (p->n_ids == 0 && 2 * (gsize)p->parts->len > p->n_slots)
        parts_grow(p);
    return &g_array_index(p->parts, PmSumPart, p->parts->len - 1);
}

static inline PmSumPart *parts_at(Parts *p, guint32 key, guint32 id)
{
    const gsize at = p->n_ids > 0 ? (gsize)key * p->n_ids + id : slot_of(p, key, id);
    return p->slots[at] != 0 ? &g_array_index(p->parts, PmSumPart, p->slots[at] - 1)
                             : parts_add(p, at, key, id);
}

static void parts_join(Parts *p, const GArray *more)
{
    for (guint i = 0; i < more->len; i++) {
        const PmSumPart *from = &g_array_index(more, PmSumPart, i);
        pm_sum_add(&parts_at(p, from->key, from->id)->time, from->time);
    }
}

/* ---- what is kept ---- */

/* The longest waits of a key that begin in a slice. */
typedef struct {
    guint32 first, n; /* in the slice's lists */
    gint64 least;     /* those that are not listed are no longer; G_MININT64: all are */
} Top;

typedef struct {
    PmSum *sums;                       /* by key */
    Top *tops;                         /* the same */
    PmPacked top_rows, top_lengths;    /* of all keys; cut as the view of the slices is */
    GArray *threads, *chains, *givers; /* of PmSumPart */
    GArray *restings;                  /* the same, of key 0: a thread's longest */
} Slice;

struct PmSums {
    const PmSlices *slices; /* the view's */
    guint n_keys;
    guint32 *places; /* by key: its blocker and kind */
    guint16 *keys;   /* by place: 1 + key; 0 = none */
    guint32 *usual;  /* by key: hardly more of its waits begin in a slice */
    Slice *of_slices;
    guint n_few;
    guint32 *few, *few_ends, *few_rows;
    guint32 *by_time; /* their indices, most first */
};

static inline guint32 place_of(const PmWaits *w, guint32 row)
{
    return pm_wait_blocker(w, row) * PM_N_KINDS + pm_wait_kind(w, row);
}

/* ---- a span ---- */

typedef struct {
    gint64 length;
    guint32 row;
} Length;

/* A key in the span that is being summed up. */
typedef struct {
    PmSum sum;
    gint64 covered;  /* up to here somebody waited */
    PmHeap ends;     /* of those that wait now and will end in it */
    guint32 open;    /* those that will not */
    gint64 floor;    /* of the waits in it, those at least so long are listed */
    Length *lengths; /* these */
    guint32 n_lengths, room;
} Live;

typedef struct {
    const PmSums *sums;
    gint64 from, to;             /* the span */
    gint64 range_from, range_to; /* lengths are cut to it */
    Live *lives;                 /* by key */
    Parts threads, chains, givers, restings;
    gboolean may_rest[PM_N_CATEGORIES];
} Span;

static gboolean may_rest(guint8 category)
{
    const PmFamily family = pm_category_family(category);
    return family == PM_FAMILY_SIGNAL || family == PM_FAMILY_JOIN;
}

static void span_init(Span *s, const PmSums *sums, gint64 from, gint64 to)
{
    *s = (Span){.sums = sums, .from = from, .to = to};
    s->lives = g_new0(Live, sums->n_keys);
    for (guint k = 0; k < sums->n_keys; k++)
        s->lives[k].covered = s->lives[k].sum.last_event = s->lives[k].floor = G_MININT64;
    const PmRecording *r = sums->slices->view->recording;
    parts_init(&s->threads, sums->n_keys, r->n_threads);
    parts_init(&s->chains, sums->n_keys, r->n_chains);
    parts_init(&s->givers, sums->n_keys, r->n_chains);
    parts_init(&s->restings, 1, r->n_threads);
    for (guint c = 0; c < PM_N_CATEGORIES; c++)
        s->may_rest[c] = may_rest((guint8)c);
}

static void span_clear(Span *s)
{
    for (guint k = 0; s->lives && k < s->sums->n_keys; k++) {
        g_free(s->lives[k].lengths);
        g_free(s->lives[k].ends.items);
    }
    g_clear_pointer(&s->lives, g_free);
    parts_clear(&s->threads);
    parts_clear(&s->chains);
    parts_clear(&s->givers);
    parts_clear(&s->restings);
}

/* At equal instants ends come first; a wait of no length counts alone at its instant. */
static void take_peak(Live *live, gint64 begin, gint64 end, gboolean open)
{
    while (live->ends.n > 0 && live->ends.items[0] <= begin)
        pm_heap_pop(&live->ends);
    if (open)
        live->open++;
    else if (end > begin)
        pm_heap_push(&live->ends, end);
    live->sum.peak =
        MAX(live->sum.peak, (guint32)live->ends.n + live->open + (!open && end <= begin));
}

/* Room is made for all at once as a rule: to grow would copy them again and again. */
static inline void add_length(Live *live, Length length, guint32 usual)
{
    if (live->n_lengths == live->room) {
        live->room = MAX(2 * live->room, usual);
        live->lengths = g_renew(Length, live->lengths, live->room);
    }
    live->lengths[live->n_lengths++] = length;
}

/* What is read of a wait, the first of it by all. */
enum {
    BLOCKER,
    KIND,
    BEGIN,
    LENGTH,
    CATEGORY,
    FLAGS,
    THREAD,
    CHAIN,
    WAKE_CAUSE,
    WAKER_CHAIN,
    N_READ
};

static const enum pm_wait_column columns[N_READ] = {
    [BEGIN] = PM_WAIT_COLUMN_BEGIN,           [LENGTH] = PM_WAIT_COLUMN_LENGTH,
    [BLOCKER] = PM_WAIT_COLUMN_BLOCKER,       [KIND] = PM_WAIT_COLUMN_KIND,
    [CATEGORY] = PM_WAIT_COLUMN_CATEGORY,     [FLAGS] = PM_WAIT_COLUMN_FLAGS,
    [THREAD] = PM_WAIT_COLUMN_THREAD,         [CHAIN] = PM_WAIT_COLUMN_CHAIN,
    [WAKE_CAUSE] = PM_WAIT_COLUMN_WAKE_CAUSE, [WAKER_CHAIN] = PM_WAIT_COLUMN_WAKER_CHAIN,
};

/* Some rows of a view that follow each other: each of their columns. */
typedef struct {
    PmViewRows rows;
    gint64 values[N_READ][PM_VIEW_SPAN];
} Batch;

static void batch_read(Batch *batch, const PmView *view, gsize at, gsize most, guint n_columns)
{
    pm_view_rows(view, at, most, &batch->rows);
    for (guint c = 0; c < n_columns; c++)
        pm_wait_columns(&view->recording->waits, columns[c], batch->rows.first, batch->rows.span,
                        batch->values[c]);
}

static inline guint8 category_of(const gint64 its[N_READ])
{
    return its[CATEGORY] < PM_N_CATEGORIES ? (guint8)its[CATEGORY] : PM_CATEGORY_OTHER;
}

/* A wait that is in the span, not only carried through it. `its`: the values that are read. */
static void take_wait(Span *s, guint32 key, guint32 row, const gint64 its[N_READ])
{
    Live *live = &s->lives[key];
    PmSum *sum = &live->sum;
    const gint64 begin = its[BEGIN], whole = its[LENGTH];
    const gint64 time = MIN(begin + whole, s->range_to) - MAX(begin, s->range_from);
    const Length length = {MAX(time, 0), row};
    const guint8 category = category_of(its);

    if (sum->n++ == 0)
        sum->first = row;
    sum->n_begun += begin >= s->range_from && (its[FLAGS] & PM_WAIT_BEGIN_UNKNOWN) == 0;
    sum->n_lasting += time > 0;
    pm_sum_add(&sum->own_time, length.length);
    sum->n_time_outs += its[WAKE_CAUSE] == PM_WAKE_TIME_OUT;
    sum->in_category[category]++;
    if (length.length >= live->floor)
        add_length(live, length, s->sums->usual[key]);
    if (its[WAKER_CHAIN] != 0)
        parts_at(&s->givers, key, (guint32)its[WAKER_CHAIN]);
    if (s->may_rest[category]) {
        PmSumPart *resting = parts_at(&s->restings, 0, (guint32)its[THREAD]);
        resting->time = MAX(resting->time, whole);
    }
}

static void take(Span *s, guint32 row, const gint64 its[N_READ], gboolean is_in)
{
    const guint16 own = s->sums->keys[its[BLOCKER] * PM_N_KINDS + its[KIND]];
    if (own == 0)
        return;
    const guint32 key = own - 1u;
    Live *live = &s->lives[key];
    PmSum *sum = &live->sum;
    const gint64 row_begin = its[BEGIN], row_end = row_begin + its[LENGTH];
    const gboolean open = row_end > s->to || (its[FLAGS] & PM_WAIT_IN_PROGRESS) != 0;
    const gint64 begin = MAX(row_begin, s->from), end = MAX(MIN(row_end, s->to), begin);

    if (is_in)
        take_wait(s, key, row, its);
    pm_sum_add(&sum->thread_time, end - begin);
    if ((its[FLAGS] & PM_WAIT_AFTER_WAIT) != 0)
        pm_sum_add(&sum->after_wait, end - begin);
    pm_sum_add(&sum->by_category[category_of(its)], end - begin);
    pm_sum_add(&parts_at(&s->threads, key, (guint32)its[THREAD])->time, end - begin);
    pm_sum_add(&parts_at(&s->chains, key, (guint32)its[CHAIN])->time, end - begin);
    take_peak(live, begin, end, open);
    if (end > live->covered) {
        sum->real_time += end - MAX(begin, live->covered);
        live->covered = end;
    }
    sum->last_event = MAX(sum->last_event, open ? begin : end);
    if (open) {
        sum->now++;
        if (sum->owner == 0)
            sum->owner = pm_wait_owner(&s->sums->slices->view->recording->waits, row);
        pm_sum_add(&sum->open_time,
                   MAX(MIN(row_end, s->range_to) - MAX(row_begin, s->range_from), 0));
    }
}

static void take_row(Span *s, guint32 row, gboolean is_in)
{
    const PmWaits *w = &s->sums->slices->view->recording->waits;
    gint64 its[N_READ];

    for (guint c = 0; c < N_READ; c++)
        its[c] = pm_wait_column(w, columns[c], row);
    take(s, row, its, is_in);
}

/* FALSE: cancelled. */
static gboolean take_rows(Span *s, gsize first, gsize end, const gint *cancel)
{
    g_autofree Batch *batch = g_new(Batch, 1);

    for (gsize i = first; i < end; i += batch->rows.n) {
        if (pm_cancelled(cancel))
            return FALSE;
        batch_read(batch, s->sums->slices->view, i, end - i, N_READ);
        for (gsize k = 0; k < batch->rows.n; k++) {
            const gsize at = batch->rows.offsets[k];
            gint64 its[N_READ];
            for (guint c = 0; c < N_READ; c++)
                its[c] = batch->values[c][at];
            take(s, (guint32)(batch->rows.first + at), its, TRUE);
        }
    }
    return TRUE;
}

static void take_carried(Span *s, guint slice)
{
    const PmSlices *slices = s->sums->slices;
    for (gsize i = slices->carried_starts[slice]; i < slices->carried_starts[slice + 1]; i++)
        take_row(s, slices->carried[i], FALSE);
}

/* ---- which keys ---- */

#define MOST_COUNTERS 4

typedef struct {
    const PmView *view;
    gsize n_places;
    guint n;
    guint32 *counts[MOST_COUNTERS]; /* by place */
} Counting;

static void count_part(gpointer data, guint index)
{
    Counting *c = data;
    const gsize end = index + 1 < c->n ? c->view->n / c->n * (index + 1) : c->view->n;
    guint32 *counts = c->counts[index] = g_new0(guint32, c->n_places);
    g_autofree Batch *batch = g_new(Batch, 1);
    for (gsize i = c->view->n / c->n * index; i < end; i += batch->rows.n) {
        batch_read(batch, c->view, i, end - i, KIND + 1);
        for (gsize k = 0; k < batch->rows.n; k++) {
            const gsize at = batch->rows.offsets[k];
            counts[batch->values[BLOCKER][at] * PM_N_KINDS + batch->values[KIND][at]]++;
        }
    }
}

/* How many rows each place has. */
static guint32 *count_places(const PmView *view, gsize n_places)
{
    Counting c = {
        .view = view, .n_places = n_places, .n = CLAMP(g_get_num_processors(), 1, MOST_COUNTERS)};
    pm_workers_run(c.n, c.n, count_part, &c);
    for (guint i = 1; i < c.n; i++) {
        for (gsize p = 0; p < n_places; p++)
            c.counts[0][p] += c.counts[i][p];
        g_free(c.counts[i]);
    }
    return c.counts[0];
}

static guint32 usual_in_slice(const PmSlices *slices, guint32 count)
{
    const double share = (double)count / (double)slices->view->n;
    return (guint32)(share * (double)slices->rows_each * 1.25) + 64;
}

/* FALSE: too few waits are of those that have many. */
static gboolean choose_keys(PmSums *sums, const guint32 *counts, gsize n_places)
{
    const PmView *view = sums->slices->view;
    gsize n_listed = 0;
    g_autoptr(GArray) many = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_autoptr(GArray) few = g_array_new(FALSE, FALSE, sizeof(guint32));

    sums->keys = g_new0(guint16, n_places);
    for (guint32 p = 0; p < n_places; p++) {
        if (counts[p] > view->n / MANY_OF) {
            g_array_append_val(many, p);
            sums->keys[p] = (guint16)many->len;
        } else if (counts[p] > 0) {
            g_array_append_val(few, p);
            n_listed += counts[p];
        }
    }
    sums->n_keys = many->len;
    sums->usual = g_new(guint32, MAX(many->len, 1));
    for (guint k = 0; k < many->len; k++)
        sums->usual[k] = usual_in_slice(sums->slices, counts[g_array_index(many, guint32, k)]);
    sums->n_few = few->len;
    sums->places = (guint32 *)(gpointer)g_array_free(g_steal_pointer(&many), FALSE);
    sums->few = (guint32 *)(gpointer)g_array_free(g_steal_pointer(&few), FALSE);
    return n_listed <= view->n / FEW_OF;
}

typedef struct {
    gint64 less; /* time: what others have more */
    guint32 index;
} Few;

/* Ranges have most of them whole: then they need not be sorted there. */
static void order_few(PmSums *sums)
{
    const PmView *view = sums->slices->view;
    g_autofree Few *few = g_new(Few, sums->n_few + 1), *beside = g_new(Few, sums->n_few + 1);

    for (guint i = 0, k = 0; i < sums->n_few; i++) {
        few[i] = (Few){G_MAXINT64, i};
        for (; k < sums->few_ends[i]; k++)
            pm_sum_add(&few[i].less, -pm_view_clip(view, sums->few_rows[k]));
    }
    const Few *sorted = pm_sort_radix(few, beside, sums->n_few, sizeof *few);
    sums->by_time = g_new(guint32, sums->n_few + 1);
    for (guint i = 0; i < sums->n_few; i++)
        sums->by_time[i] = sorted[i].index;
}

static void list_few(PmSums *sums, guint32 *counts)
{
    const PmView *view = sums->slices->view;
    guint32 n = 0;

    sums->few_ends = g_new(guint32, sums->n_few + 1);
    for (guint i = 0; i < sums->n_few; i++) {
        const guint32 its = counts[sums->few[i]];
        counts[sums->few[i]] = n; /* where its next row goes */
        sums->few_ends[i] = n += its;
    }
    sums->few_rows = g_new(guint32, MAX(n, 1));
    g_autofree Batch *batch = g_new(Batch, 1);
    for (gsize i = 0; i < view->n && n > 0; i += batch->rows.n) {
        batch_read(batch, view, i, view->n - i, KIND + 1);
        for (gsize k = 0; k < batch->rows.n; k++) {
            const gsize at = batch->rows.offsets[k];
            const gsize place =
                (gsize)(batch->values[BLOCKER][at] * PM_N_KINDS + batch->values[KIND][at]);
            if (sums->keys[place] == 0)
                sums->few_rows[counts[place]++] = (guint32)(batch->rows.first + at);
        }
    }
    order_few(sums);
}

/* ---- slices ---- */

/* Moves the `n` longest to the front. */
static void select_longest(Length *a, gsize len, gsize n)
{
    gsize low = 0, high = len;

    while (high - low > 1 && n > low && n < high) {
        const gint64 pivot = a[low + (high - low) / 2].length;
        gsize i = low, k = low, end = high; /* [low, i) longer, [i, k) as long, [end, high) not */
        while (k < end) {
            if (a[k].length > pivot) {
                const Length swap = a[i];
                a[i++] = a[k];
                a[k++] = swap;
            } else if (a[k].length < pivot) {
                const Length swap = a[--end];
                a[end] = a[k];
                a[k] = swap;
            } else {
                k++;
            }
        }
        if (n <= i)
            high = i;
        else if (n >= end)
            low = end;
        else
            return;
    }
}

/* Which lengths come into question: those of every SAMPLE_OF-th stretch of rows tell. */
static void choose_floors(Span *s, gsize first, gsize end)
{
    const PmSums *sums = s->sums;
    g_autofree Batch *batch = g_new(Batch, 1);

    for (gsize i = first; i < end; i += SAMPLE_OF * PM_VIEW_ROWS) {
        batch_read(batch, sums->slices->view, i, end - i, LENGTH + 1);
        for (gsize k = 0; k < batch->rows.n; k++) {
            const gsize at = batch->rows.offsets[k];
            const guint16 own =
                sums->keys[batch->values[BLOCKER][at] * PM_N_KINDS + batch->values[KIND][at]];
            if (own != 0)
                add_length(&s->lives[own - 1], (Length){batch->values[LENGTH][at], 0},
                           sums->usual[own - 1] / LONG_OF);
        }
    }
    for (guint k = 0; k < sums->n_keys; k++) {
        Live *live = &s->lives[k];
        if (live->n_lengths >= FEWEST) {
            const guint32 nth = live->n_lengths / LONG_OF;
            select_longest(live->lengths, live->n_lengths, nth);
            live->floor = G_MAXINT64;
            for (guint32 i = 0; i < nth; i++)
                live->floor = MIN(live->floor, live->lengths[i].length);
        }
        live->n_lengths = 0;
    }
}

static Top top_of(const Live *live, PmPackedWriter *rows, PmPackedWriter *lengths)
{
    const guint32 n = live->n_lengths, of = live->sum.n;
    const guint32 most = of > TOP_OF ? of / TOP_OF + 1 : of;
    Top top = {.first = (guint32)(rows->list->n + rows->n),
               .n = MIN(n, most),
               .least = n > most ? G_MAXINT64
                        : n < of ? live->floor
                                 : G_MININT64};

    if (n > most)
        select_longest(live->lengths, n, most);
    for (guint i = 0; i < top.n; i++) {
        pm_packed_put(rows, live->lengths[i].row);
        pm_packed_put(lengths, live->lengths[i].length);
        if (n > most)
            top.least = MIN(top.least, live->lengths[i].length);
    }
    return top;
}

typedef struct {
    PmSums *sums;
    const gint *cancel;
    gint any_failed; /* atomic; for want of memory */
} Building;

static void build_slice(gpointer data, guint index)
{
    Building *b = data;
    const PmSlices *slices = b->sums->slices;
    Slice *slice = &b->sums->of_slices[index];
    Span s;

    if (pm_cancelled(b->cancel))
        return;
    span_init(&s, b->sums, slices->times[index], slices->times[index + 1]);
    s.range_from = slices->view->from;
    s.range_to = index + 1 == slices->n ? slices->view->to : G_MAXINT64;
    choose_floors(&s, pm_slices_begin(slices, index), pm_slices_end(slices, index));
    take_carried(&s, index);
    take_rows(&s, pm_slices_begin(slices, index), pm_slices_end(slices, index), b->cancel);
    slice->sums = g_new(PmSum, b->sums->n_keys);
    slice->tops = g_new(Top, b->sums->n_keys);
    PmPackedWriter *writers = g_new0(PmPackedWriter, 2);
    writers[0].list = &slice->top_rows;
    writers[1].list = &slice->top_lengths;
    for (guint k = 0; k < b->sums->n_keys; k++) {
        slice->sums[k] = s.lives[k].sum;
        slice->tops[k] = top_of(&s.lives[k], &writers[0], &writers[1]);
    }
    for (guint i = 0; i < 2; i++)
        if (!pm_packed_end(&writers[i]))
            g_atomic_int_set(&b->any_failed, TRUE);
    g_free(writers);
    slice->threads = g_steal_pointer(&s.threads.parts);
    slice->chains = g_steal_pointer(&s.chains.parts);
    slice->givers = g_steal_pointer(&s.givers.parts);
    slice->restings = g_steal_pointer(&s.restings.parts);
    span_clear(&s);
}

static void sums_free(gpointer data)
{
    PmSums *sums = data;
    if (!sums)
        return;
    for (guint i = 0; sums->of_slices && i < sums->slices->n; i++) {
        Slice *slice = &sums->of_slices[i];
        if (!slice->sums)
            continue;
        pm_packed_clear(&slice->top_rows);
        pm_packed_clear(&slice->top_lengths);
        g_free(slice->sums);
        g_free(slice->tops);
        g_array_unref(slice->threads);
        g_array_unref(slice->chains);
        g_array_unref(slice->givers);
        g_array_unref(slice->restings);
    }
    g_free(sums->of_slices);
    g_free(sums->places);
    g_free(sums->keys);
    g_free(sums->usual);
    g_free(sums->few);
    g_free(sums->few_ends);
    g_free(sums->few_rows);
    g_free(sums->by_time);
    g_free(sums);
}

typedef struct {
    PmView *whole;
    const gint *cancel;
} Making;

static gpointer make(gpointer data)
{
    const Making *m = data;
    const PmView *whole = m->whole;
    const PmSlices *slices = pm_slices_of(m->whole, m->cancel);
    if (!slices)
        return NULL;
    PmSums *sums = g_new0(PmSums, 1);
    sums->slices = slices;
    const gsize n_places = (gsize)whole->recording->n_blockers * PM_N_KINDS;
    g_autofree guint32 *counts = count_places(whole, n_places);
    Building b = {sums, m->cancel, FALSE};
    if (choose_keys(sums, counts, n_places)) {
        list_few(sums, counts);
        sums->of_slices = g_new0(Slice, slices->n);
        pm_workers_run(0, slices->n, build_slice, &b);
    }
    if (!sums->of_slices || b.any_failed || pm_cancelled(m->cancel))
        g_clear_pointer(&sums, sums_free);
    return sums;
}

const PmSums *pm_sums_of(PmView *view, const gint *cancel)
{
    g_return_val_if_fail(view != NULL, NULL);
    PmView *whole = view->whole ? view->whole : view;
    Making m = {whole, cancel};
    return pm_kept(&whole->sums, make, &m, sums_free, cancel);
}

/* ---- a range ---- */

typedef struct {
    const PmSums *sums;
    const PmSliceRange *range;
    const gint *cancel;
    Span cuts[2]; /* what lies in it of slices that do not whole */
    guint n_cuts;
    PmRangeSums *result;
    gboolean **wanted; /* by inner slice: of which keys all rows are asked for; NULL: none */
    GArray **more;     /* the same, by key: lengths that the slice did not list */
} Reading;

/* Of the first cut, or the second. */
static void read_cut(gpointer data, guint index)
{
    Reading *g = data;
    const PmSlices *slices = g->sums->slices;
    const PmSliceRange *range = g->range;
    const gboolean first = index == 0 && !range->whole_first;
    const guint slice = first ? range->first_slice : range->last_slice;
    const gboolean last = slice == range->last_slice;
    Span *s = &g->cuts[index];

    span_init(s, g->sums, first ? range->from : slices->times[slice],
              last ? range->to : slices->times[slice + 1]);
    s->range_from = range->from;
    s->range_to = range->to;
    if (first)
        for (guint i = 0; i < range->carried->len; i++)
            take_row(s, g_array_index(range->carried, guint32, i), TRUE);
    else
        take_carried(s, slice);
    take_rows(s, first ? range->first : pm_slices_begin(slices, slice),
              last ? range->end : pm_slices_end(slices, slice), g->cancel);
}

static void choose_cuts(Reading *g)
{
    const PmSliceRange *range = g->range;
    g->result->inner = range->inner;
    g->result->inner_end = range->inner_end;
    if (range->whole_first && range->whole_last)
        return;
    g->n_cuts = range->whole_first || range->first_slice == range->last_slice ? 1 : 2;
}

/* Of spans in their order. */
static void join_sum(PmSum *sum, const PmSum *more, gboolean last)
{
    if (sum->n == 0)
        sum->first = more->first;
    sum->n += more->n;
    sum->n_begun += more->n_begun;
    sum->n_lasting += more->n_lasting;
    sum->n_time_outs += more->n_time_outs;
    sum->peak = MAX(sum->peak, more->peak);
    pm_sum_add(&sum->thread_time, more->thread_time);
    pm_sum_add(&sum->after_wait, more->after_wait);
    sum->real_time += more->real_time;
    sum->last_event = MAX(sum->last_event, more->last_event);
    for (guint c = 0; c < PM_N_CATEGORIES; c++) {
        pm_sum_add(&sum->by_category[c], more->by_category[c]);
        sum->in_category[c] += more->in_category[c];
    }
    if (last) {
        sum->now = more->now;
        sum->owner = more->owner;
        sum->open_time = more->open_time;
    }
}

static void join_sums(const Reading *g, guint key)
{
    PmSum *sum = &g->result->sums[key];
    const guint n_first = g->range->whole_first ? 0 : 1;

    sum->last_event = G_MININT64;
    if (n_first > 0)
        join_sum(sum, &g->cuts[0].lives[key].sum, g->n_cuts == 1);
    for (guint s = g->result->inner; s < g->result->inner_end; s++)
        join_sum(sum, &g->sums->of_slices[s].sums[key], s + 1 == g->sums->slices->n);
    if (g->n_cuts > n_first)
        join_sum(sum, &g->cuts[n_first].lives[key].sum, TRUE);
}

static void join_parts(gpointer data, guint which)
{
    Reading *g = data;
    Parts all;

    parts_init(&all, g->sums->n_keys,
               which == 0 ? g->sums->slices->view->recording->n_threads
                          : g->sums->slices->view->recording->n_chains);
    for (guint i = 0; i < g->n_cuts; i++) {
        const Span *e = &g->cuts[i];
        parts_join(&all, which == 0   ? e->threads.parts
                         : which == 1 ? e->chains.parts
                                      : e->givers.parts);
    }
    for (guint s = g->result->inner; s < g->result->inner_end; s++) {
        const Slice *slice = &g->sums->of_slices[s];
        parts_join(&all, which == 0 ? slice->threads : which == 1 ? slice->chains : slice->givers);
    }
    GArray **to = which == 0   ? &g->result->threads
                  : which == 1 ? &g->result->chains
                               : &g->result->givers;
    *to = g_steal_pointer(&all.parts);
    parts_clear(&all);
}

/* ---- percentiles ---- */

static gint64 length_in(const PmWaits *w, const PmSliceRange *range, guint32 row)
{
    const gint64 begin = pm_wait_begin(w, row), end = begin + pm_wait_length(w, row);
    return MAX(MIN(end, range->to) - MAX(begin, range->from), 0);
}

/* Those that a slice lists of the key. */
static void add_top(const Reading *g, guint slice, guint key, GArray *all)
{
    const Slice *from = &g->sums->of_slices[slice];
    const PmWaits *w = &g->sums->slices->view->recording->waits;
    const Top *top = &from->tops[key];
    const gint64 left = g->range->to - g->sums->slices->times[slice + 1];
    gint64 rows[AT_ONCE], lengths[AT_ONCE];

    for (gsize done = 0, n; done < top->n; done += n) {
        n = MIN(top->n - done, AT_ONCE);
        pm_packed_read(&from->top_rows, top->first + done, n, rows);
        pm_packed_read(&from->top_lengths, top->first + done, n, lengths);
        for (gsize i = 0; i < n; i++) {
            const guint32 row = (guint32)rows[i];
            /* One that begins in the slice and is longer may go on behind the range. */
            const Length length = {lengths[i] <= left ? lengths[i] : length_in(w, g->range, row),
                                   row};
            g_array_append_val(all, length);
        }
    }
}

/* Of all lengths that are known of the key: a percentile that is at least so long, and the longest.
 */
static void find_percentile(gpointer data, guint key)
{
    Reading *g = data;
    PmSum *sum = &g->result->sums[key];
    g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(Length));

    if (sum->n == 0 || pm_cancelled(g->cancel))
        return;
    for (guint i = 0; i < g->n_cuts; i++)
        g_array_append_vals(all, g->cuts[i].lives[key].lengths, g->cuts[i].lives[key].n_lengths);
    for (guint s = g->result->inner; s < g->result->inner_end; s++) {
        const gboolean *wanted = g->wanted[s];
        if (wanted && wanted[key]) {
            const GArray *more = g->more[(gsize)s * g->sums->n_keys + key];
            g_array_append_vals(all, more->data, more->len);
            continue;
        }
        add_top(g, s, key, all);
    }
    Length *lengths = (Length *)(gpointer)all->data;
    const gsize n = sum->n, nth = n - (99 * n + 99) / 100 + 1;
    select_longest(lengths, all->len, MIN(nth, all->len));
    sum->p99 = G_MAXINT64;
    sum->longest = 0;
    for (gsize i = 0; i < MIN(nth, all->len); i++) {
        sum->p99 = MIN(sum->p99, lengths[i].length);
        sum->longest = MAX(sum->longest, lengths[i].length);
    }
}

static void read_wanted(gpointer data, guint index)
{
    Reading *g = data;
    const guint s = g->result->inner + index, n_keys = g->sums->n_keys;
    const PmSlices *slices = g->sums->slices;
    const PmWaits *w = &slices->view->recording->waits;
    const gboolean *wanted = g->wanted[s];
    GArray **more = &g->more[(gsize)s * n_keys];

    if (!wanted || pm_cancelled(g->cancel))
        return;
    for (guint k = 0; k < n_keys; k++)
        more[k] = wanted[k] ? g_array_new(FALSE, FALSE, sizeof(Length)) : NULL;
    for (gsize i = pm_slices_begin(slices, s); i < pm_slices_end(slices, s); i++) {
        const guint32 row = pm_view_row(slices->view, i);
        const guint16 own = g->sums->keys[place_of(w, row)];
        if (own == 0 || !wanted[own - 1])
            continue;
        const Length length = {length_in(w, g->range, row), row};
        g_array_append_val(more[own - 1], length);
    }
}

/* The lists of a slice tell all of a percentile if what is not listed is no longer. */
static gboolean want_more(Reading *g)
{
    gboolean any = FALSE;
    for (guint s = g->result->inner; s < g->result->inner_end; s++)
        for (guint k = 0; k < g->sums->n_keys; k++) {
            if (g->result->sums[k].n == 0 ||
                g->sums->of_slices[s].tops[k].least <= g->result->sums[k].p99)
                continue;
            if (!g->wanted[s])
                g->wanted[s] = g_new0(gboolean, g->sums->n_keys);
            g->wanted[s][k] = any = TRUE;
        }
    return any;
}

static void find_percentiles(Reading *g)
{
    const guint n_keys = g->sums->n_keys, n = g->sums->slices->n;

    g->wanted = g_new0(gboolean *, n);
    pm_workers_run(0, n_keys, find_percentile, g);
    if (!pm_cancelled(g->cancel) && want_more(g)) {
        g->more = g_new0(GArray *, (gsize)n * n_keys);
        pm_workers_run(0, g->result->inner_end - g->result->inner, read_wanted, g);
        if (!pm_cancelled(g->cancel))
            pm_workers_run(0, n_keys, find_percentile, g);
    }
    for (guint s = 0; s < n; s++)
        g_free(g->wanted[s]);
    g_free(g->wanted);
    for (gsize i = 0; g->more && i < (gsize)n * n_keys; i++)
        if (g->more[i])
            g_array_unref(g->more[i]);
    g_free(g->more);
}

/* ---- those with few waits ---- */

/* Of a place the rows in the range: those that go on as it begins, and those that begin in it. */
static void read_few(const Reading *g, guint index, GArray *rows)
{
    const PmSums *sums = g->sums;
    const PmSliceRange *range = g->range;
    const PmView *view = sums->slices->view;
    const PmWaits *w = &view->recording->waits;
    const gsize begin = index > 0 ? sums->few_ends[index - 1] : 0, end = sums->few_ends[index];
    const guint32 first = range->first < view->n ? pm_view_row(view, range->first) : G_MAXUINT32;
    const guint32 behind = range->end < view->n ? pm_view_row(view, range->end) : G_MAXUINT32;
    gsize low = begin, high = end;

    PM_LOWER_BOUND(low, high, middle, sums->few_rows[middle] < first)
    for (guint i = 0; low > begin && i < range->carried->len; i++) {
        const guint32 row = g_array_index(range->carried, guint32, i);
        if (place_of(w, row) == sums->few[index])
            g_array_append_val(rows, row);
    }
    for (; low < end && sums->few_rows[low] < behind; low++)
        g_array_append_val(rows, sums->few_rows[low]);
}

static void read_all_few(const Reading *g)
{
    PmRangeSums *result = g->result;
    GArray *rows = g_array_new(FALSE, FALSE, sizeof(guint32));
    const guint n = g->sums->n_few;
    g_autofree guint32 *places = g_new0(guint32, n + 1); /* 1 + that in the range */
    guint next = 0;

    result->few = g_new(guint32, n + 1);
    result->few_ends = g_new(guint32, n + 1);
    result->few_places = g_new(guint32, n + 1);
    for (guint i = 0; i < n; i++) {
        const guint before = rows->len;
        read_few(g, i, rows);
        if (rows->len == before)
            continue;
        result->few[result->n_few] = g->sums->few[i];
        result->few_ends[result->n_few++] = rows->len;
        places[i] = result->n_few;
    }
    for (guint i = 0; i < n; i++)
        if (places[g->sums->by_time[i]])
            result->few_places[places[g->sums->by_time[i]] - 1] = next++;
    result->few_rows = (guint32 *)(gpointer)g_array_free(rows, FALSE);
}

PmRangeSums *pm_range_sums_new(const PmSums *sums, const PmView *view, const gint *cancel)
{
    PmRangeSums *result = g_new0(PmRangeSums, 1);
    result->of = sums;
    result->range = pm_slice_range_new(sums->slices, view->from, view->to);
    Reading g = {.sums = sums, .range = result->range, .cancel = cancel, .result = result};

    choose_cuts(&g);
    result->n_keys = sums->n_keys;
    result->blockers = g_new(guint32, MAX(sums->n_keys, 1));
    result->kinds = g_new(guint8, MAX(sums->n_keys, 1));
    result->sums = g_new0(PmSum, MAX(sums->n_keys, 1));
    pm_workers_run(0, g.n_cuts, read_cut, &g);
    pm_workers_run(0, 3, join_parts, &g);
    for (guint k = 0; k < sums->n_keys; k++) {
        result->blockers[k] = sums->places[k] / PM_N_KINDS;
        result->kinds[k] = (guint8)(sums->places[k] % PM_N_KINDS);
        join_sums(&g, k);
    }
    find_percentiles(&g);
    read_all_few(&g);
    if (!g.range->whole_first) {
        result->first_times = g_new(gint64, MAX(sums->n_keys, 1));
        for (guint k = 0; k < sums->n_keys; k++)
            result->first_times[k] = g.cuts[0].lives[k].sum.own_time;
    }
    for (guint i = 0; i < g.n_cuts; i++)
        span_clear(&g.cuts[i]);
    if (pm_cancelled(cancel))
        g_clear_pointer(&result, pm_range_sums_free);
    return result;
}

void pm_range_sums_free(PmRangeSums *sums)
{
    if (!sums)
        return;
    g_free(sums->blockers);
    g_free(sums->kinds);
    g_free(sums->sums);
    g_array_unref(sums->threads);
    g_array_unref(sums->chains);
    g_array_unref(sums->givers);
    g_free(sums->first_times);
    pm_slice_range_free(sums->range);
    g_free(sums->few);
    g_free(sums->few_ends);
    g_free(sums->few_rows);
    g_free(sums->few_places);
    g_free(sums);
}

/* ---- what more is asked of a range ---- */

/* Of a slice the positions that begin in the range. */
static gsize chunk_begin(const PmRangeSums *g, guint slice)
{
    return MAX(pm_slices_begin(g->of->slices, slice), g->range->first);
}
static gsize chunk_end(const PmRangeSums *g, guint slice)
{
    return MIN(pm_slices_end(g->of->slices, slice), g->range->end);
}

static void add_if_long(const PmRangeSums *g, const gint64 *least, guint32 row, GArray *rows)
{
    const PmWaits *w = &g->of->slices->view->recording->waits;
    if (pm_wait_length(w, row) >= least[pm_wait_thread(w, row)] &&
        may_rest(pm_wait_category(w, row)) && g->of->keys[place_of(w, row)] != 0)
        g_array_append_val(rows, row);
}

static gboolean has_long(const Slice *slice, const gint64 *least)
{
    for (guint i = 0; i < slice->restings->len; i++) {
        const PmSumPart *part = &g_array_index(slice->restings, PmSumPart, i);
        if (part->time >= least[part->id])
            return TRUE;
    }
    return FALSE;
}

void pm_range_sums_find_long(const PmRangeSums *g, const gint64 *least, GArray *rows)
{
    for (guint i = 0; i < g->range->carried->len; i++)
        add_if_long(g, least, g_array_index(g->range->carried, guint32, i), rows);
    for (guint s = g->range->first_slice; s <= g->range->last_slice; s++)
        if (has_long(&g->of->of_slices[s], least))
            for (gsize i = chunk_begin(g, s); i < chunk_end(g, s); i++)
                add_if_long(g, least, pm_view_row(g->of->slices->view, i), rows);
}

typedef struct {
    const PmRangeSums *sums;
    const gint64 *steps;
    const gint *cancel;
    gint64 *passed; /* by slice, from the range's first on, and key: before it */
    GArray **picks; /* by slice */
} Picking;

static inline void pick_wait(const Picking *g, guint32 row, guint32 place, gint64 time,
                             gint64 *passed, GArray *picks)
{
    const guint16 own = g->sums->of->keys[place];
    if (own == 0 || g->steps[own - 1] == 0)
        return;
    const guint32 key = own - 1u;
    passed[key] = pm_sum(passed[key], time);
    if (passed[key] < g->steps[key])
        return;
    const PmPick pick = {passed[key] / g->steps[key], row, key};
    passed[key] %= g->steps[key];
    g_array_append_val(picks, pick);
}

/* The rows from one position to another. */
static void pick_rows(const Picking *g, gsize first, gsize end, gint64 *passed, GArray *picks)
{
    const PmSliceRange *range = g->sums->range;
    g_autofree Batch *batch = g_new(Batch, 1);

    for (gsize i = first; i < end && !pm_cancelled(g->cancel); i += batch->rows.n) {
        batch_read(batch, g->sums->of->slices->view, i, end - i, LENGTH + 1);
        for (gsize k = 0; k < batch->rows.n; k++) {
            const gsize at = batch->rows.offsets[k];
            const gint64 begin = batch->values[BEGIN][at];
            const gint64 from = MAX(begin, range->from);
            const gint64 to = MIN(begin + batch->values[LENGTH][at], range->to);
            pick_wait(g, (guint32)(batch->rows.first + at),
                      (guint32)(batch->values[BLOCKER][at] * PM_N_KINDS + batch->values[KIND][at]),
                      MAX(to - from, 0), passed, picks);
        }
    }
}

static void pick_slice(gpointer data, guint index)
{
    const Picking *g = data;
    const PmSliceRange *range = g->sums->range;
    const PmWaits *w = &g->sums->of->slices->view->recording->waits;
    const guint slice = range->first_slice + index;
    gint64 *passed = &g->passed[(gsize)index * g->sums->n_keys];

    g->picks[index] = g_array_new(FALSE, FALSE, sizeof(PmPick));
    for (guint i = 0; index == 0 && i < range->carried->len; i++) {
        const guint32 row = g_array_index(range->carried, guint32, i);
        pick_wait(g, row, place_of(w, row), length_in(w, range, row), passed, g->picks[index]);
    }
    pick_rows(g, chunk_begin(g->sums, slice), chunk_end(g->sums, slice), passed, g->picks[index]);
}

/* What is behind the range of waits that begin in inner slices. */
static void take_behind(const PmRangeSums *g, gint64 *times)
{
    const PmSlices *slices = g->of->slices;
    const PmView *view = slices->view;
    const PmWaits *w = &view->recording->waits;
    const guint last = g->range->last_slice;

    for (gsize i = slices->carried_starts[last]; i < slices->carried_starts[last + 1]; i++) {
        const guint32 row = slices->carried[i];
        const guint16 own = g->of->keys[place_of(w, row)];
        gsize low = 0, high = view->n;
        PM_LOWER_BOUND(low, high, middle, pm_view_row(view, middle) < row)
        const guint slice = (guint)(low / slices->rows_each);
        if (own == 0 || slice < g->inner || slice >= g->inner_end ||
            pm_wait_end(w, row) <= g->range->to)
            continue;
        const gint64 whole = pm_wait_end(w, row) - MAX(pm_wait_begin(w, row), view->from);
        times[(gsize)(slice - g->range->first_slice) * g->n_keys + own - 1] -=
            whole - length_in(w, g->range, row);
    }
}

/* What has passed of each key's step before each slice. */
static gint64 *passed_before(const PmRangeSums *g, const gint64 *steps, const gint64 *passed)
{
    const guint first = g->range->first_slice, n = g->range->last_slice - first + 1;
    gint64 *times = g_new0(gint64, (gsize)n * g->n_keys + 1);
    g_autofree gint64 *sums = g_memdup2(passed, g->n_keys * sizeof *passed);

    for (guint s = g->inner; s < g->inner_end; s++)
        for (guint k = 0; k < g->n_keys; k++)
            times[(gsize)(s - first) * g->n_keys + k] = g->of->of_slices[s].sums[k].own_time;
    take_behind(g, times);
    for (guint k = 0; k < g->n_keys && g->first_times; k++)
        times[k] = g->first_times[k];
    for (guint s = 0; s < n; s++)
        for (guint k = 0; k < g->n_keys; k++) {
            const gint64 its = times[(gsize)s * g->n_keys + k];
            times[(gsize)s * g->n_keys + k] = sums[k];
            sums[k] = pm_sum(sums[k], its);
            if (steps[k] > 0)
                sums[k] %= steps[k];
        }
    return times;
}

GArray *pm_range_sums_pick(const PmRangeSums *sums, const gint64 *steps, const gint64 *passed,
                           const gint *cancel)
{
    const guint n = sums->range->last_slice - sums->range->first_slice + 1;
    GArray *all = g_array_new(FALSE, FALSE, sizeof(PmPick));
    Picking g = {.sums = sums,
                 .steps = steps,
                 .cancel = cancel,
                 .passed = passed_before(sums, steps, passed),
                 .picks = g_new0(GArray *, n)};

    pm_workers_run(0, n, pick_slice, &g);
    for (guint s = 0; s < n; s++) {
        g_array_append_vals(all, g.picks[s]->data, g.picks[s]->len);
        g_array_unref(g.picks[s]);
    }
    g_free(g.picks);
    g_free(g.passed);
    return all;
}
