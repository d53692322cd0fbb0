#include "viewer/analysis/slices/detail.h"

#include <stdlib.h>
#include <string.h>

#include "viewer/analysis/aggregation/excerpt-view.h"
#include "viewer/analysis/base/cancel.h"
#include "viewer/analysis/base/search.h"
#include "viewer/analysis/base/sort.h"
#include "viewer/analysis/base/sum.h"
#include "viewer/analysis/base/workers.h"
#include "viewer/analysis/recording/excerpt.h"

gsize pm_detail_piece_rows = 32768;

gint64 pm_detail_bin_begin(guint bin)
{
    static const gint64 series[] = {1, 2, 5};
    gint64 begin = 1000;

    if (bin == 0)
        return 0;
    for (guint decade = 0; decade < (bin - 1) / 3; decade++)
        begin *= 10;
    return begin * series[(bin - 1) % 3];
}

static guint bin_of(gint64 ns)
{
    gint64 begin = 1000; /* of the first bin of a decade, but for bin 0 */
    guint bin = 0;

    for (; bin + 4 < PM_DETAIL_BINS && ns >= 10 * begin; bin += 3)
        begin *= 10;
    while (bin + 1 < PM_DETAIL_BINS && ns >= pm_detail_bin_begin(bin + 1))
        bin++;
    return bin;
}

static int compare_parts(const void *a, const void *b)
{
    const PmDetailPart *x = a, *y = b;

    if (x->thread_time != y->thread_time)
        return x->thread_time < y->thread_time ? 1 : -1;
    return (x->key > y->key) - (x->key < y->key);
}

/* Sums by key; become a sorted array of parts. */
static GHashTable *parts_new(void)
{
    return g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, g_free);
}

static PmDetailPart *parts_get(GHashTable *parts, guint64 key)
{
    PmDetailPart *part = g_hash_table_lookup(parts, &key);

    if (!part) {
        part = g_new0(PmDetailPart, 1);
        part->key = key;
        g_hash_table_insert(parts, &part->key, part);
    }
    return part;
}

static void parts_add(GHashTable *parts, guint64 key, gint64 count, gint64 time, gint64 inferred)
{
    PmDetailPart *part = parts_get(parts, key);

    part->count += count;
    pm_sum_add(&part->thread_time, time);
    pm_sum_add(&part->inferred_time, inferred);
}

static void parts_join(GHashTable *parts, GHashTable *more)
{
    GHashTableIter iter;
    gpointer value;

    g_hash_table_iter_init(&iter, more);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        const PmDetailPart *part = value;
        parts_add(parts, part->key, part->count, part->thread_time, part->inferred_time);
    }
}

static GArray *parts_finish(GHashTable *parts)
{
    GArray *array = g_array_new(FALSE, FALSE, sizeof(PmDetailPart));
    GHashTableIter iter;
    gpointer value;

    g_hash_table_iter_init(&iter, parts);
    while (g_hash_table_iter_next(&iter, NULL, &value))
        g_array_append_vals(array, value, 1);
    g_array_sort(array, compare_parts);
    g_hash_table_unref(parts);
    return array;
}

/* Keys that each of its parts has one of. */
static gboolean part_is_in(const PmRecording *recording, const PmDetail *detail, const PmPart *part)
{
    for (guint i = 0; i < detail->n_steps; i++)
        if (pm_aspect_is_split(detail->steps[i].aspect) &&
            pm_part_key(recording, detail->steps[i].aspect, part) != detail->steps[i].key)
            return FALSE;
    return TRUE;
}

static gboolean is_split(const PmDetail *detail)
{
    for (guint i = 0; i < detail->n_steps; i++)
        if (pm_aspect_is_split(detail->steps[i].aspect))
            return TRUE;
    return FALSE;
}

/* Of so many waits causes are asked for a part only, which stands for all: of one wherever another
 * step of waiting is over. Shares then have a standard error of at most 0.4 points. */
#define MANY_FOLLOWED 20000
#define MOST_FOLLOWED 20000

/* ---- how long: percentiles by counting ---- */

/* Lengths are first counted in buckets of their eleven leading bits; the bucket of a percentile is
 * then narrowed, twelve bits in each further pass. */
#define LEADING_BITS  11
#define N_LENGTHS     ((64 - LEADING_BITS) << LEADING_BITS)
#define NARROW_BITS   12
#define N_PERCENTILES 3

/* Bits of the lengths in a bucket that it does not tell. */
static inline guint bucket_shift(gsize bucket)
{
    return bucket >> (LEADING_BITS + 1) ? (guint)(bucket >> LEADING_BITS) - 1 : 0;
}

static inline gsize length_bucket(gint64 length)
{
    const guint64 l = (guint64)MAX(length, 0);
    const guint shift = l >> (LEADING_BITS + 1) ? 63 - LEADING_BITS - (guint)__builtin_clzll(l) : 0;
    return ((gsize)shift << LEADING_BITS) + (gsize)(l >> shift);
}

/* One percentile: lengths from `low` on, of which `shift` bits are not yet known. */
typedef struct {
    gint64 low;
    guint shift;
    guint64 rank; /* among those, from 0 */
} Percentile;

/* ---- what a detail is gathered in ---- */

/* Sums by value of a column. */
enum { BY_CHAIN, BY_BLOCKER, BY_THREAD, BY_WAKER_CHAIN, BY_WAKE_CAUSE, N_BY };
static const enum pm_wait_column by_columns[N_BY] = {
    PM_WAIT_COLUMN_CHAIN, PM_WAIT_COLUMN_BLOCKER, PM_WAIT_COLUMN_THREAD, PM_WAIT_COLUMN_WAKER_CHAIN,
    PM_WAIT_COLUMN_WAKE_CAUSE};

typedef struct {
    gint64 count, time;
} Sum;

/* One worker's part of the view: a run of positions, from a multiple of 64 on. */
typedef struct {
    gsize begin, end;
    gsize n;
    gint64 thread_time, longest, in_progress;
    guint32 longest_row;
    guint64 bins[PM_DETAIL_BINS];
    Sum *by[N_BY];
    GHashTable *untraced; /* wakers whose stack trace is not known, by why */
    guint32 *lengths;     /* how many are in each bucket; NULL: not asked for */
    guint64 *narrow;      /* how many of each percentile's are at each step */
    GArray *parts;
    GHashTable *causes, *cause_chains, *owners;
    gint64 passed; /* thread-time of the pieces before it */
    gsize n_followed;
} Piece;

typedef struct {
    PmDetail *detail;
    const PmContention *contention; /* NULL: causes are not asked for */
    const gint *cancel;
    gboolean split;              /* the parts of a wait determine whether it is in */
    guint8 *is_in[PM_N_ASPECTS]; /* by step, for each value of its column; NULL: of parts */
    guint n_pieces;
    Piece *pieces;
    gint64 step; /* of thread-time from one followed wait to the next; 0: all are */
    Percentile percentiles[N_PERCENTILES];
} Gathering;

/* Waits of the view that are read at once. */
typedef struct {
    PmViewRows rows;
    guint8 in[PM_VIEW_ROWS]; /* of the k-th */
    gint64 begins[PM_VIEW_SPAN], lengths[PM_VIEW_SPAN], flags[PM_VIEW_SPAN];
    gint64 values[N_BY][PM_VIEW_SPAN];
} Chunk;

static void piece_begin(const Gathering *g, Piece *piece, gboolean plain)
{
    for (guint i = 0; i < N_BY; i++)
        piece->by[i] =
            g_new0(Sum, pm_aspect_column_size(g->detail->view->recording, by_columns[i]) + 1);
    piece->untraced = parts_new();
    piece->lengths = plain ? NULL : g_new0(guint32, N_LENGTHS);
    piece->narrow = plain ? NULL : g_new(guint64, N_PERCENTILES << NARROW_BITS);
    piece->parts = g_array_new(FALSE, FALSE, sizeof(PmPart));
    piece->causes = parts_new();
    piece->cause_chains = parts_new();
    piece->owners = parts_new();
}

static void piece_clear(Piece *piece)
{
    for (guint i = 0; i < N_BY; i++)
        g_free(piece->by[i]);
    g_free(piece->lengths);
    g_free(piece->narrow);
    g_array_unref(piece->parts);
    g_clear_pointer(&piece->untraced, g_hash_table_unref);
    g_clear_pointer(&piece->causes, g_hash_table_unref);
    g_clear_pointer(&piece->cause_chains, g_hash_table_unref);
    g_clear_pointer(&piece->owners, g_hash_table_unref);
}

/* The time of a part that stands for `weight` times as much. */
static void add_cause(const Gathering *g, GHashTable *parts, guint32 row, guint64 key,
                      const PmPart *part, double weight)
{
    const gboolean estimated = g->detail->estimated;
    const gint64 length = part->end - part->begin;
    const gint64 time = estimated ? pm_rounded((double)length * weight) : length;
    PmDetailPart *sum = parts_get(parts, key);
    const gint64 count = sum->last_row == row + 1 ? 0 : estimated ? pm_rounded(weight) : 1;

    sum->last_row = row + 1;
    parts_add(parts, key, count, time, part->inferred || estimated ? time : 0);
}

/* Who made the wait last: those of its parts that are in the selection. How many they are, and
 * their time, unweighted. */
static guint take_causes(const Gathering *g, Piece *piece, guint32 row, double weight,
                         gint64 *ret_time)
{
    const PmView *view = g->detail->view;
    guint n = 0;

    *ret_time = 0;
    g_array_set_size(piece->parts, 0);
    pm_contention_split(g->contention, row, view->from, view->to, piece->parts);
    for (guint i = 0; i < piece->parts->len; i++) {
        const PmPart *part = &g_array_index(piece->parts, PmPart, i);
        if (!part_is_in(view->recording, g->detail, part))
            continue;
        n++;
        pm_sum_add(ret_time, part->end - part->begin);
        add_cause(g, piece->causes, row, pm_part_key(view->recording, PM_ASPECT_CAUSE_SITE, part),
                  part, weight);
        if (part->chain)
            add_cause(g, piece->cause_chains, row, part->chain, part, weight);
        if (part->kind == PM_CAUSE_OWNER)
            add_cause(g, piece->owners, row, part->thread, part, weight);
    }
    return n;
}

static void take_row(const Gathering *g, Piece *piece, const Chunk *chunk, gsize offset,
                     gint64 time)
{
    const PmRecording *recording = g->detail->view->recording;
    const guint32 row = (guint32)(chunk->rows.first + offset);
    const gint64 length = chunk->lengths[offset];
    const gboolean in_progress = (chunk->flags[offset] & PM_WAIT_IN_PROGRESS) != 0;

    pm_sum_add(&piece->thread_time, time);
    piece->bins[bin_of(length)]++;
    if (piece->lengths)
        piece->lengths[length_bucket(length)]++;
    if (piece->n++ == 0 || time > piece->longest) {
        piece->longest = time;
        piece->longest_row = row;
    }
    piece->in_progress += in_progress;
    for (guint i = 0; i < N_BY; i++) {
        Sum *sum = &piece->by[i][chunk->values[i][offset]];
        if (i == BY_WAKE_CAUSE && in_progress)
            continue;
        sum->count++;
        pm_sum_add(&sum->time, time);
    }
    if (chunk->values[BY_WAKER_CHAIN][offset] == 0 && pm_wait_waker(&recording->waits, row))
        parts_add(piece->untraced, pm_aspect_key(recording, PM_ASPECT_WAKER_SITE, row), 1, time, 0);
}

/* Which of the chunk's waits have the keys of the steps; FALSE: none. */
static gboolean find_in(const Gathering *g, Chunk *chunk)
{
    const PmRecording *recording = g->detail->view->recording;
    const PmViewRows *rows = &chunk->rows;
    gint64 values[PM_VIEW_SPAN];
    guint8 any = rows->n > 0;

    memset(chunk->in, 1, rows->n);
    for (guint i = 0; i < g->detail->n_steps && any; i++) {
        const PmPathStep *step = &g->detail->steps[i];
        const PmAspectRow *aspect = &pm_aspects[step->aspect];
        if (!g->is_in[i])
            continue;
        any = 0;
        pm_wait_columns(&recording->waits, aspect->column, rows->first, rows->span, values);
        for (gsize k = 0; k < rows->n; k++) {
            const gint64 value = values[rows->offsets[k]];
            const guint32 row = (guint32)(rows->first + rows->offsets[k]);
            chunk->in[k] &= value == 0 && aspect->missing_key
                                ? pm_aspect_key(recording, step->aspect, row) == step->key
                                : g->is_in[i][value];
            any |= chunk->in[k];
        }
    }
    return any != 0;
}

static gint64 clip(const PmView *view, const Chunk *chunk, gsize offset)
{
    const gint64 begin = chunk->begins[offset], end = begin + chunk->lengths[offset];
    return MAX(MIN(end, view->to) - MAX(begin, view->from), 0);
}

static inline void read_column(const PmView *view, const Chunk *chunk, enum pm_wait_column column,
                               gint64 *values)
{
    pm_wait_columns(&view->recording->waits, column, chunk->rows.first, chunk->rows.span, values);
}

/* The selected ones of a piece, and all sums of them but who made them last. */
static void select_piece(gpointer data, guint index)
{
    const Gathering *g = data;
    PmView *view = g->detail->view;
    Piece *piece = &g->pieces[index];
    g_autofree Chunk *chunk = g_new(Chunk, 1);

    for (gsize at = piece->begin; at < piece->end; at += chunk->rows.n) {
        if (pm_cancelled(g->cancel))
            return;
        pm_view_rows(view, at, piece->end - at, &chunk->rows);
        if (!find_in(g, chunk))
            continue;
        read_column(view, chunk, PM_WAIT_COLUMN_BEGIN, chunk->begins);
        read_column(view, chunk, PM_WAIT_COLUMN_LENGTH, chunk->lengths);
        read_column(view, chunk, PM_WAIT_COLUMN_FLAGS, chunk->flags);
        for (guint i = 0; i < N_BY; i++)
            read_column(view, chunk, by_columns[i], chunk->values[i]);
        for (gsize k = 0; k < chunk->rows.n; k++) {
            const gsize offset = chunk->rows.offsets[k];
            gint64 time;
            if (!chunk->in[k])
                continue;
            if (!g->split)
                time = clip(view, chunk, offset);
            else if (!take_causes(g, piece, (guint32)(chunk->rows.first + offset), 1, &time))
                continue;
            g->detail->selected[(at + k) / 64] |= G_GUINT64_CONSTANT(1) << (at + k) % 64;
            take_row(g, piece, chunk, offset, time);
        }
    }
}

/* The next waits of a piece, from position *at on, that are selected; FALSE: no more, or cancelled.
 */
static gboolean next_selected(const Gathering *g, const Piece *piece, gsize *at, Chunk *chunk)
{
    const guint64 *selected = g->detail->selected;

    while (*at < piece->end && selected[*at / 64] >> *at % 64 == 0)
        *at += 64 - *at % 64;
    if (*at >= piece->end || pm_cancelled(g->cancel))
        return FALSE;
    pm_view_rows(g->detail->view, *at, piece->end - *at, &chunk->rows);
    for (gsize k = 0; k < chunk->rows.n; k++)
        chunk->in[k] = selected[(*at + k) / 64] >> (*at + k) % 64 & 1;
    *at += chunk->rows.n;
    return TRUE;
}

static void narrow_piece(gpointer data, guint index)
{
    const Gathering *g = data;
    Piece *piece = &g->pieces[index];
    g_autofree Chunk *chunk = g_new(Chunk, 1);

    memset(piece->narrow, 0, (N_PERCENTILES << NARROW_BITS) * sizeof *piece->narrow);
    for (gsize at = piece->begin; next_selected(g, piece, &at, chunk);) {
        read_column(g->detail->view, chunk, PM_WAIT_COLUMN_LENGTH, chunk->lengths);
        for (gsize k = 0; k < chunk->rows.n; k++) {
            const gint64 length = chunk->lengths[chunk->rows.offsets[k]];
            for (guint i = 0; i < N_PERCENTILES && chunk->in[k]; i++) {
                const Percentile *p = &g->percentiles[i];
                const guint64 above = (guint64)length - (guint64)p->low;
                if (length >= p->low && above >> p->shift == 0)
                    piece->narrow[(i << NARROW_BITS) +
                                  (above >> (MAX(p->shift, NARROW_BITS) - NARROW_BITS))]++;
            }
        }
    }
}

/* Where in `counts`, of which `piece_counts` gives each piece's, the rank lies; what is before is
 * taken from it. */
static gsize find_rank(const Gathering *g, gsize first, gsize n, gboolean narrow, guint64 *rank)
{
    for (gsize i = first; i < first + n; i++) {
        guint64 count = 0;
        for (guint k = 0; k < g->n_pieces; k++)
            count += narrow ? g->pieces[k].narrow[i] : g->pieces[k].lengths[i];
        if (*rank < count)
            return i - first;
        *rank -= count;
    }
    return n - 1;
}

static void find_percentiles(Gathering *g)
{
    static const guint percents[N_PERCENTILES] = {50, 90, 99};
    gint64 *const results[N_PERCENTILES] = {&g->detail->p50, &g->detail->p90, &g->detail->p99};
    guint most = 0;

    for (guint i = 0; i < N_PERCENTILES; i++) {
        Percentile *p = &g->percentiles[i];
        p->rank = (g->detail->n - 1) * percents[i] / 100;
        const gsize bucket = find_rank(g, 0, N_LENGTHS, FALSE, &p->rank);
        p->shift = bucket_shift(bucket);
        p->low = (gint64)((bucket - ((gsize)p->shift << LEADING_BITS)) << p->shift);
        most = MAX(most, p->shift);
    }
    for (; most > 0 && !pm_cancelled(g->cancel); most -= MIN(most, NARROW_BITS)) {
        pm_workers_run(g->n_pieces, g->n_pieces, narrow_piece, g);
        for (guint i = 0; i < N_PERCENTILES; i++) {
            Percentile *p = &g->percentiles[i];
            const guint left = MAX(p->shift, NARROW_BITS) - NARROW_BITS;
            const gsize step =
                find_rank(g, (gsize)i << NARROW_BITS, 1 << NARROW_BITS, TRUE, &p->rank);
            p->low += (gint64)((guint64)step << left);
            p->shift = left;
        }
    }
    for (guint i = 0; i < N_PERCENTILES; i++)
        *results[i] = g->percentiles[i].low;
}

/* Of what is selected by keys of whole waits: who made them last. */
static void follow_piece(gpointer data, guint index)
{
    const Gathering *g = data;
    const PmView *view = g->detail->view;
    Piece *piece = &g->pieces[index];
    gint64 passed = g->step > 0 ? piece->passed % g->step : 0, unused;
    g_autofree Chunk *chunk = g_new(Chunk, 1);

    for (gsize at = piece->begin; next_selected(g, piece, &at, chunk);) {
        read_column(view, chunk, PM_WAIT_COLUMN_BEGIN, chunk->begins);
        read_column(view, chunk, PM_WAIT_COLUMN_LENGTH, chunk->lengths);
        for (gsize k = 0; k < chunk->rows.n; k++) {
            const gsize offset = chunk->rows.offsets[k];
            const gint64 time = clip(view, chunk, offset);
            double weight = 1;
            if (!chunk->in[k])
                continue;
            if (g->step > 0) {
                passed = pm_sum(passed, time);
                weight = time > 0 ? (double)(passed / g->step) * (double)g->step / (double)time : 0;
                passed %= g->step;
            }
            if (weight > 0)
                take_causes(g, piece, (guint32)(chunk->rows.first + offset), weight, &unused);
            piece->n_followed += weight > 0;
        }
    }
}

/* ---- putting the pieces together ---- */

/* The value with the most time, and how many values there are. */
static guint32 biggest(const Sum *sums, guint32 n, guint32 *ret_n)
{
    guint32 value = 0;
    gint64 most = -1;

    *ret_n = 0;
    for (guint32 i = 0; i < n; i++) {
        *ret_n += sums[i].count > 0;
        if (sums[i].count > 0 && sums[i].time > most) {
            most = sums[i].time;
            value = i;
        }
    }
    return value;
}

/* All into the first. */
static void join_sums(const Gathering *g)
{
    for (guint i = 0; i < N_BY; i++) {
        const guint32 n = pm_aspect_column_size(g->detail->view->recording, by_columns[i]);
        for (guint k = 1; k < g->n_pieces; k++)
            for (guint32 v = 0; v < n; v++) {
                const Sum *more = &g->pieces[k].by[i][v];
                g->pieces[0].by[i][v].count += more->count;
                pm_sum_add(&g->pieces[0].by[i][v].time, more->time);
            }
    }
    for (guint k = 1; k < g->n_pieces; k++) {
        parts_join(g->pieces[0].untraced, g->pieces[k].untraced);
        parts_join(g->pieces[0].causes, g->pieces[k].causes);
        parts_join(g->pieces[0].cause_chains, g->pieces[k].cause_chains);
        parts_join(g->pieces[0].owners, g->pieces[k].owners);
        g->detail->n_followed += g->pieces[k].n_followed;
    }
    g->detail->n_followed += g->pieces[0].n_followed;
}

/* The sums of a column's values, by a key that several may have. */
static void add_by_key(GHashTable *parts, const Gathering *g, guint by, PmAspect aspect,
                       guint32 first)
{
    const PmRecording *recording = g->detail->view->recording;
    const guint32 n = pm_aspect_column_size(recording, by_columns[by]);

    for (guint32 v = first; v < n; v++) {
        const Sum *sum = &g->pieces[0].by[by][v];
        if (sum->count > 0)
            parts_add(parts, pm_aspects[aspect].key(recording, v), sum->count, sum->time, 0);
    }
}

/* What is known before any wait is followed. */
static void take_pieces(Gathering *g)
{
    PmDetail *detail = g->detail;

    for (guint k = 0; k < g->n_pieces; k++) {
        Piece *piece = &g->pieces[k];
        piece->passed = detail->thread_time;
        if (piece->n && (!detail->n || piece->longest > detail->longest)) {
            detail->longest = piece->longest;
            detail->longest_row = piece->longest_row;
        }
        detail->n += piece->n;
        pm_sum_add(&detail->thread_time, piece->thread_time);
        detail->in_progress += piece->in_progress;
        for (guint b = 0; b < PM_DETAIL_BINS; b++)
            detail->bins[b] += piece->bins[b];
    }
}

static void gathering_end(Gathering *g)
{
    PmDetail *detail = g->detail;
    const PmRecording *recording = detail->view->recording;
    Piece *all = &g->pieces[0];
    GHashTable *groups = parts_new(), *wake_causes = parts_new();

    join_sums(g);
    detail->chain = biggest(all->by[BY_CHAIN], recording->n_chains, &detail->n_chains);
    detail->blocker = biggest(all->by[BY_BLOCKER], recording->n_blockers, &detail->n_blockers);
    add_by_key(groups, g, BY_THREAD, PM_ASPECT_GROUP, 0);
    add_by_key(all->untraced, g, BY_WAKER_CHAIN, PM_ASPECT_WAKER_SITE, 1);
    add_by_key(wake_causes, g, BY_WAKE_CAUSE, PM_ASPECT_WAKE_CAUSE, 0);
    detail->groups = parts_finish(groups);
    detail->wake_causes = parts_finish(wake_causes);
    detail->wakers = parts_finish(g_steal_pointer(&all->untraced));
    detail->causes = parts_finish(g_steal_pointer(&all->causes));
    detail->owners = parts_finish(g_steal_pointer(&all->owners));
    g_autoptr(GArray) chains = parts_finish(g_steal_pointer(&all->cause_chains));
    detail->cause_chain = chains->len ? (guint32)g_array_index(chains, PmDetailPart, 0).key : 0;
}

/* ---- the selected waits, by number ---- */

/* Positions from one counted one to the next. */
#define COUNTED 512

static gsize n_counted(const PmDetail *detail)
{
    return detail->view->n / COUNTED + 1;
}

static void count_selected(PmDetail *detail)
{
    const gsize words = detail->view->n / 64 + 1;
    guint32 n = 0;

    detail->before = g_new(guint32, n_counted(detail));
    for (gsize i = 0; i < words; i++) {
        if (i % (COUNTED / 64) == 0)
            detail->before[i / (COUNTED / 64)] = n;
        n += (guint32)__builtin_popcountll(detail->selected[i]);
    }
}

gboolean pm_detail_longest_is_bound(const PmDetail *detail)
{
    g_return_val_if_fail(detail, FALSE);
    return detail->n && pm_wait_flags(&detail->view->recording->waits, detail->longest_row) &
                            (PM_WAIT_IN_PROGRESS | PM_WAIT_BEGIN_UNKNOWN);
}

guint32 pm_detail_row(const PmDetail *detail, gsize i)
{
    g_return_val_if_fail(detail != NULL && i < detail->n, 0);
    gsize low = 0, high = n_counted(detail);

    PM_LOWER_BOUND(low, high, middle, detail->before[middle] <= i)
    gsize word = (low - 1) * (COUNTED / 64);
    guint left = (guint)(i - detail->before[low - 1]);
    for (guint n; (n = (guint)__builtin_popcountll(detail->selected[word])) <= left; word++)
        left -= n;
    guint64 bits = detail->selected[word];
    for (; left > 0; left--)
        bits &= bits - 1;
    return pm_view_row(detail->view, word * 64 + (gsize)__builtin_ctzll(bits));
}

/* ---- all of it ---- */

static void gathering_begin(Gathering *g, gboolean plain)
{
    PmDetail *detail = g->detail;
    const PmRecording *recording = detail->view->recording;
    const gsize words = detail->view->n / 64 + 1;

    for (guint i = 0; i < detail->n_steps; i++) {
        const PmAspectRow *row = &pm_aspects[detail->steps[i].aspect];
        if (row->split != PM_SPLIT_NONE)
            continue;
        const guint32 n = pm_aspect_column_size(recording, row->column);
        g->is_in[i] = g_new(guint8, n + 1);
        for (guint32 v = 0; v < n; v++)
            g->is_in[i][v] = row->key(recording, v) == detail->steps[i].key;
    }
    detail->selected = g_new0(guint64, words);
    g->n_pieces = MIN(g_get_num_processors(), (guint)(detail->view->n / pm_detail_piece_rows) + 1);
    g->pieces = g_new0(Piece, g->n_pieces);
    for (guint k = 0; k < g->n_pieces; k++) {
        g->pieces[k].begin = words * k / g->n_pieces * 64;
        g->pieces[k].end = MIN(words * (k + 1) / g->n_pieces * 64, detail->view->n);
        piece_begin(g, &g->pieces[k], plain);
    }
}

static PmDetail *detail_of(PmView *view, const PmPathStep *steps, guint n_steps, gboolean plain,
                           const gint *cancel)
{
    PmDetail *detail = g_new0(PmDetail, 1);
    Gathering g = {.detail = detail, .cancel = cancel};
    gboolean follow; /* who made the waits last */

    detail->view = pm_view_ref(view);
    detail->weight = 1;
    detail->n_steps = MIN(n_steps, PM_N_ASPECTS);
    for (guint i = 0; i < detail->n_steps; i++)
        detail->steps[i] = steps[i];
    g.split = is_split(detail);
    follow = !plain && !g.split && !pm_recording_is_huge(view->recording);
    if (follow || g.split) {
        g.contention = pm_recording_contention(view->recording, cancel);
        if (!g.contention) {
            pm_detail_free(detail);
            return NULL;
        }
    }
    gathering_begin(&g, plain);
    pm_workers_run(g.n_pieces, g.n_pieces, select_piece, &g);
    take_pieces(&g);
    if (!plain && detail->n > 0)
        find_percentiles(&g);
    if (follow) {
        detail->estimated = detail->n > MANY_FOLLOWED;
        g.step = detail->estimated ? MAX(detail->thread_time / MOST_FOLLOWED, 1) : 0;
        pm_workers_run(g.n_pieces, g.n_pieces, follow_piece, &g);
    }
    gathering_end(&g);
    count_selected(detail);
    for (guint k = 0; k < g.n_pieces; k++)
        piece_clear(&g.pieces[k]);
    g_free(g.pieces);
    for (guint i = 0; i < detail->n_steps; i++)
        g_free(g.is_in[i]);
    if (pm_cancelled(cancel))
        g_clear_pointer(&detail, pm_detail_free);
    return detail;
}

/* ---- of a huge recording: causes of an excerpt ---- */

static void clear_parts(GArray **parts)
{
    g_clear_pointer(parts, g_array_unref);
}

static GArray *scaled(const GArray *parts, double weight)
{
    GArray *copy = g_array_new(FALSE, FALSE, sizeof(PmDetailPart));

    for (guint i = 0; i < parts->len; i++) {
        PmDetailPart part = g_array_index(parts, PmDetailPart, i);
        part.count = pm_rounded((double)part.count * weight);
        part.thread_time = part.inferred_time = pm_rounded((double)part.thread_time * weight);
        g_array_append_val(copy, part);
    }
    return copy;
}

static void replace(GArray **parts, const GArray *by, double weight)
{
    clear_parts(parts);
    *parts = scaled(by, weight);
}

static void take_causes_of(PmDetail *detail, const PmDetail *part, double weight)
{
    replace(&detail->causes, part->causes, weight);
    replace(&detail->owners, part->owners, weight);
    detail->cause_chain = part->cause_chain;
    detail->estimated = TRUE;
    detail->n_followed = part->estimated ? part->n_followed : part->n;
}

/* Where a row is in the view; G_MAXSIZE: nowhere. */
static gsize position_of(const PmView *view, guint32 row)
{
    gsize low = 0, high = view->n;

    PM_LOWER_BOUND(low, high, middle, pm_view_row(view, middle) < row)
    return low < view->n && pm_view_row(view, low) == row ? low : G_MAXSIZE;
}

/* How long the selected waits really are. */
static void take_lengths(PmDetail *detail)
{
    const PmWaits *w = &detail->view->recording->waits;
    g_autofree gint64 *lengths = g_new(gint64, detail->n + 1);

    memset(detail->bins, 0, sizeof detail->bins);
    detail->longest = 0;
    for (gsize i = 0; i < detail->n; i++) {
        const guint32 row = pm_detail_row(detail, i);
        const gint64 time = pm_view_clip(detail->view, row);
        lengths[i] = pm_wait_length(w, row);
        detail->bins[bin_of(lengths[i])]++;
        if (i == 0 || time > detail->longest) {
            detail->longest = time;
            detail->longest_row = row;
        }
    }
    if (detail->n == 0)
        return;
    qsort(lengths, detail->n, sizeof *lengths, pm_compare_instants);
    detail->p50 = lengths[(detail->n - 1) * 50 / 100];
    detail->p90 = lengths[(detail->n - 1) * 90 / 100];
    detail->p99 = lengths[(detail->n - 1) * 99 / 100];
}

/* What is selected by causes, as far as it is in the excerpt: the waits with their own lengths, and
 * what each stands for. */
static PmDetail *detail_of_part(PmView *view, PmDetail *part)
{
    PmDetail *detail = g_new(PmDetail, 1);
    const double weight = pm_view_weight(view, part->view);

    *detail = *part;
    detail->view = pm_view_ref(view);
    detail->weight = weight;
    detail->selected = g_new0(guint64, view->n / 64 + 1);
    detail->n = 0;
    for (gsize i = 0; i < part->n; i++) {
        const guint32 row = pm_excerpt_row(part->view->recording, pm_detail_row(part, i));
        const gsize at = position_of(view, row);
        if (at == G_MAXSIZE)
            continue;
        detail->selected[at / 64] |= G_GUINT64_CONSTANT(1) << at % 64;
        detail->n++;
    }
    count_selected(detail);
    take_lengths(detail);
    detail->in_progress = (guint64)pm_rounded((double)part->in_progress * weight);
    detail->thread_time = pm_rounded((double)part->thread_time * weight);
    detail->groups = scaled(part->groups, weight);
    detail->causes = scaled(part->causes, weight);
    detail->owners = scaled(part->owners, weight);
    detail->wakers = scaled(part->wakers, weight);
    detail->wake_causes = scaled(part->wake_causes, weight);
    detail->estimated = TRUE;
    return detail;
}

static PmDetail *detail_new(PmView *view, const PmPathStep *steps, guint n_steps, gboolean plain,
                            const gint *cancel)
{
    gboolean split = FALSE;

    for (guint i = 0; i < n_steps; i++)
        split |= pm_aspect_is_split(steps[i].aspect);
    if (!pm_recording_is_huge(view->recording) || (plain && !split))
        return detail_of(view, steps, n_steps, plain, cancel);
    PmView *excerpt = pm_view_for_causes(view, cancel);
    g_autoptr(PmDetail) part = excerpt ? detail_of(excerpt, steps, n_steps, plain, cancel) : NULL;
    if (!part || split)
        return part ? detail_of_part(view, part) : NULL;
    PmDetail *detail = detail_of(view, steps, n_steps, plain, cancel);
    if (detail)
        take_causes_of(detail, part,
                       (double)detail->thread_time / (double)MAX(part->thread_time, 1));
    return detail;
}

PmDetail *pm_detail_new(PmView *view, const PmPathStep *steps, guint n_steps, const gint *cancel)
{
    g_return_val_if_fail(view != NULL && n_steps <= PM_N_ASPECTS, NULL);
    return detail_new(view, steps, n_steps, FALSE, cancel);
}

PmDetail *pm_detail_new_plain(PmView *view, const PmPathStep *steps, guint n_steps,
                              const gint *cancel)
{
    g_return_val_if_fail(view != NULL && n_steps <= PM_N_ASPECTS, NULL);
    return detail_new(view, steps, n_steps, TRUE, cancel);
}

void pm_detail_free(PmDetail *detail)
{
    if (!detail)
        return;
    pm_view_unref(detail->view);
    g_free(detail->selected);
    g_free(detail->before);
    clear_parts(&detail->groups);
    clear_parts(&detail->causes);
    clear_parts(&detail->wakers);
    clear_parts(&detail->owners);
    clear_parts(&detail->wake_causes);
    g_free(detail);
}
