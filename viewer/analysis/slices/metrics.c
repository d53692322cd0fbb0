#include "viewer/analysis/slices/metrics.h"

#include <math.h>
#include <string.h>

#include "viewer/analysis/recording/category.h"
#include "viewer/analysis/recording/recording-private.h"
#include "viewer/analysis/base/cancel.h"
#include "viewer/analysis/base/heap.h"
#include "viewer/analysis/base/region.h"
#include "viewer/analysis/base/sum.h"
#include "viewer/analysis/base/workers.h"

/* How many wait at a time, in how much of the time any does, and the longest of the waits, as they
 * come by begin: those of one blocker, or of several. */
typedef struct {
    PmHeap ends;  /* of those that wait now and will end */
    guint32 open; /* those that will not, within the range */
    guint32 peak;
    gint64 real_time, covered;
    gsize n_longest;
    PmHeap longest; /* so many; the least of them is the percentile */
} Sweep;

/* Of `n` waits the 99th percentile is the nth longest. */
static void sweep_begin(Sweep *s, gsize n)
{
    s->ends.n = s->longest.n = 0;
    s->open = s->peak = 0;
    s->real_time = 0;
    s->covered = G_MININT64;
    s->n_longest = n - (99 * n + 99) / 100 + 1;
}

static void sweep_clear(Sweep *s)
{
    g_free(s->ends.items);
    g_free(s->longest.items);
}

/* At equal instants ends come first; a wait of no length counts alone at its instant. Rows of no
 * length come behind the others that begin with them. */
static void sweep_add(Sweep *s, gint64 begin, gint64 end, gboolean open)
{
    while (s->ends.n > 0 && s->ends.items[0] <= begin)
        pm_heap_pop(&s->ends);
    if (open)
        s->open++;
    else if (end > begin)
        pm_heap_push(&s->ends, end);
    s->peak = MAX(s->peak, (guint32)s->ends.n + s->open + (!open && end <= begin));
    if (s->longest.n < s->n_longest)
        pm_heap_push(&s->longest, end - begin);
    else if (end - begin > s->longest.items[0])
        pm_heap_replace(&s->longest, end - begin);
    if (end > s->covered) {
        s->real_time += end - MAX(begin, s->covered);
        s->covered = end;
    }
}

static double ratio(gint64 part, gint64 whole)
{
    return whole > 0 ? (double)part / (double)whole : NAN;
}

/* Of which kind a wait with this chain is: its innermost frame is the call that waits. */
static guint8 kind_of_chain(const PmRecording *r, guint32 chain)
{
    const PmMethod *top = &r->methods[r->chains[chain].frames[0].method];
    if (strcmp(top->name, "park") == 0 || g_str_has_prefix(top->name, "yield"))
        return PM_KIND_PARK;
    if (g_str_has_prefix(top->name, "wait") &&
        strcmp(r->classes[top->class_index].name, "java.lang.Object") == 0)
        return PM_KIND_WAIT;
    return PM_KIND_ENTER;
}

/* The first wait on the blocker, also one no longer stored, names the row if it was of its kind. */
static void name_by_first(const PmRecording *r, PmMetricsRow *row)
{
    const PmBlocker *blocker = &r->blockers[row->blocker];
    if (r->chains[blocker->first_chain].n_frames == 0 ||
        kind_of_chain(r, blocker->first_chain) != row->kind)
        return;
    row->first_chain = blocker->first_chain;
    if (blocker->first_thread != 0)
        row->first_thread = blocker->first_thread;
}

/* What is known of the waits of one blocker and kind, which are added by begin. */
typedef struct {
    gsize n, n_begun;
    guint32 first, now, owner;
    gint64 thread_time, longest, after_wait, last_event;
    gint64 by_category[PM_N_CATEGORIES];
    guint32 waits_in_category[PM_N_CATEGORIES];
    Sweep sweep;
    guint worker; /* who adds them */
} Measure;

/* Of `n` waits. */
static void measure_begin(Measure *m, gsize n)
{
    const Sweep sweep = m->sweep;

    *m = (Measure){.last_event = G_MININT64, .sweep = sweep};
    sweep_begin(&m->sweep, n);
}

static void measure_add(Measure *m, const PmView *view, guint32 k)
{
    const PmWaits *w = &view->recording->waits;
    gint64 begin = pm_wait_begin(w, k), end = begin + pm_wait_length(w, k);
    const guint16 flags = pm_wait_flags(w, k);
    const gboolean open = end > view->to || (flags & PM_WAIT_IN_PROGRESS) != 0;
    const guint8 known = pm_wait_category(w, k);
    const guint8 category = known < PM_N_CATEGORIES ? known : PM_CATEGORY_OTHER;

    if (m->n++ == 0)
        m->first = k;
    m->n_begun += begin >= view->from && (flags & PM_WAIT_BEGIN_UNKNOWN) == 0;
    begin = MAX(begin, view->from);
    end = MIN(end, view->to);
    end = MAX(end, begin);
    const gint64 part = end - begin;
    pm_sum_add(&m->thread_time, part);
    if ((flags & PM_WAIT_AFTER_WAIT) != 0)
        pm_sum_add(&m->after_wait, part);
    m->longest = MAX(m->longest, part);
    pm_sum_add(&m->by_category[category], part);
    m->waits_in_category[category]++;
    sweep_add(&m->sweep, begin, end, open);
    m->last_event = MAX(m->last_event, open ? begin : end);
    if (open) {
        m->now++;
        if (m->owner == 0)
            m->owner = pm_wait_owner(w, k);
    }
}

/* What follows from what is known of a row, and who was first of its waits. */
static void finish_row(const PmView *view, guint32 first, gint64 last_event, PmMetricsRow *row)
{
    const PmRecording *r = view->recording;
    const PmWaits *w = &r->waits;

    row->avg_park = ratio(row->thread_time, row->times_parked);
    row->avg_hold = ratio(row->real_time, row->times_parked - row->parked_now);
    row->real_time_util = ratio(MIN(row->real_time, view->known), view->known);
    row->thread_time_util = ratio(row->thread_time, view->known);
    const gint64 life =
        (row->parked_now > 0 ? view->to : last_event) - MAX(pm_wait_begin(w, first), view->from);
    row->real_life_time_util = ratio(row->real_time, life);
    row->thread_life_time_util = ratio(row->thread_time, life);
    row->first_thread = pm_wait_thread(w, first);
    row->first_chain = pm_wait_chain(w, first);
    row->blocker = pm_wait_blocker(w, first);
    row->kind = pm_wait_kind(w, first);
    row->alive = (r->blockers[row->blocker].flags & PM_BLOCKER_COLLECTED) == 0;
    if (row->times_parked > 0 && view->from <= r->window_begin)
        name_by_first(r, row);
}

/* The one with most time. */
static guint8 choose_category(const gint64 *times, const guint32 *waits)
{
    guint best = PM_CATEGORY_OTHER;

    for (guint c = 0; c < PM_N_CATEGORIES; c++)
        if (waits[c] > 0 && (waits[best] == 0 || times[c] > times[best]))
            best = c;
    return (guint8)best;
}

/* After the last of them; there is at least one. */
static void measure_end(const Measure *m, const PmView *view, PmMetricsRow *row)
{
    row->peak_parked = m->sweep.peak;
    row->p99 = m->sweep.longest.items[0];
    row->after_wait = m->after_wait;
    row->times_parked = (gint64)m->n_begun;
    row->touched = (gint64)m->n;
    row->parked_now = m->now;
    row->thread_time = m->thread_time;
    row->real_time = m->sweep.real_time;
    row->longest = m->longest;
    row->owner = m->owner;
    row->category = choose_category(m->by_category, m->waits_in_category);
    finish_row(view, m->first, m->last_event, row);
}

/* The same of sums; there is at least one wait. */
static void take_sum(const PmSum *sum, const PmView *view, PmMetricsRow *row)
{
    row->peak_parked = sum->peak;
    row->p99 = sum->p99;
    row->after_wait = sum->after_wait;
    row->times_parked = sum->n_begun;
    row->touched = sum->n;
    row->parked_now = sum->now;
    row->thread_time = sum->thread_time;
    row->real_time = sum->real_time;
    row->longest = sum->longest;
    row->owner = sum->owner;
    row->category = choose_category(sum->by_category, sum->in_category);
    finish_row(view, sum->first, sum->last_event, row);
}

static int compare_metrics(const void *a, const void *b)
{
    const PmMetricsRow *x = a, *y = b;
    if (x->thread_time != y->thread_time)
        return x->thread_time > y->thread_time ? -1 : 1;
    if (x->blocker != y->blocker)
        return x->blocker < y->blocker ? -1 : 1;
    return (x->kind > y->kind) - (x->kind < y->kind);
}

/* Waits that a full buffer lost make peak and real-time lower bounds. */
static gboolean drops_within(const PmRecording *r, gint64 from, gint64 to)
{
    for (guint32 i = 0; i < r->n_gaps; i++) {
        const PmGap *gap = &r->gaps[i];
        if (gap->waits > 0 && gap->begin <= to && gap->end >= from)
            return TRUE;
    }
    return FALSE;
}

/* Blockers with so many waits are measured all at once, as these come: where they lie in memory
 * together, and without a list of them. Those with fewer have their rows listed. */
#define MANY_WAITS   1024
#define MOST_WORKERS 4
#define ROWS_AT_ONCE 64 /* of the table */
#define OTHERS_OF    16 /* more than one of so many rows out of order are not sorted apart */

typedef struct {
    PmMetrics *metrics;
    const gint *cancel;
    guint n_workers;
    guint32 *counts;   /* by key */
    guint32 *measures; /* by key: 1 + the index of its own; 0: none */
    GArray *many;      /* of Measure */
    GArray *keys;      /* of guint32: of those with few, and where their rows end */
    guint32 *ends;     /* by place in `keys` */
    guint32 *rows;
} Measuring;

static guint32 key_of(const PmWaits *w, guint32 row)
{
    return pm_wait_blocker(w, row) * PM_N_KINDS + pm_wait_kind(w, row);
}

static gboolean is_cancelled(const Measuring *m, gsize i)
{
    return (i & 4095) == 0 && pm_cancelled(m->cancel);
}

/* Who has least to do. */
static guint choose_worker(const Measuring *m, gsize *load, gsize n)
{
    guint least = 0;
    for (guint k = 1; k < m->n_workers; k++)
        least = load[k] < load[least] ? k : least;
    load[least] += n;
    return least;
}

/* FALSE: cancelled. */
static gboolean count_rows(Measuring *m)
{
    const PmView *view = m->metrics->view;
    const guint32 n_keys = view->recording->n_blockers * PM_N_KINDS;
    gsize load[MOST_WORKERS] = {0}, n_listed = 0;

    for (gsize i = 0; i < view->n; i++) {
        if (is_cancelled(m, i))
            return FALSE;
        m->counts[key_of(&view->recording->waits, pm_view_row(view, i))]++;
    }
    for (guint32 key = 0; key < n_keys; key++) {
        if (m->counts[key] >= MANY_WAITS) {
            Measure measure = {0};
            measure_begin(&measure, m->counts[key]);
            measure.worker = choose_worker(m, load, m->counts[key]);
            g_array_append_val(m->many, measure);
            m->measures[key] = m->many->len;
        } else if (m->counts[key] > 0) {
            g_array_append_val(m->keys, key);
            n_listed += m->counts[key];
        }
    }
    m->ends = g_new(guint32, m->keys->len + 1);
    m->rows = g_new(guint32, n_listed + 1);
    n_listed = 0;
    for (guint i = 0; i < m->keys->len; i++) {
        const guint32 key = g_array_index(m->keys, guint32, i), n = m->counts[key];
        m->counts[key] = (guint32)n_listed; /* where its next row goes */
        n_listed += n;
        m->ends[i] = (guint32)n_listed;
    }
    return TRUE;
}

/* Measures what is the worker's of those with many waits; the first one lists the rows of the
 * others. */
static void measure_many(gpointer data, guint worker)
{
    const Measuring *m = data;
    const PmView *view = m->metrics->view;

    for (gsize i = 0; i < view->n; i++) {
        const guint32 row = pm_view_row(view, i), key = key_of(&view->recording->waits, row);
        const guint32 own = m->measures[key];
        if (is_cancelled(m, i))
            return;
        if (own == 0 && worker == 0) {
            m->rows[m->counts[key]++] = row;
        } else if (own != 0) {
            Measure *measure = &g_array_index(m->many, Measure, own - 1);
            if (measure->worker == worker)
                measure_add(measure, view, row);
        }
    }
}

/* Those with few waits, whose rows are listed. */
typedef struct {
    const PmView *view;
    guint n;
    const guint32 *ends, *rows;
    const guint32 *places; /* in `to`; NULL: as they come */
    PmMetricsRow *to;
} Few;

static void measure_few(gpointer data, guint part)
{
    const Few *few = data;
    const guint end = MIN((part + 1) * ROWS_AT_ONCE, few->n);
    Measure measure = {0};

    for (guint i = part * ROWS_AT_ONCE; i < end; i++) {
        guint32 at = i > 0 ? few->ends[i - 1] : 0;
        measure_begin(&measure, few->ends[i] - at);
        for (; at < few->ends[i]; at++)
            measure_add(&measure, few->view, few->rows[at]);
        measure_end(&measure, few->view, &few->to[few->places ? few->places[i] : i]);
    }
    sweep_clear(&measure.sweep);
}

static void measure_all_few(Few few)
{
    pm_workers_run(0, (few.n + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE, measure_few, &few);
}

/* From the rows. FALSE: cancelled. */
static gboolean measure_rows(PmMetrics *metrics, const gint *cancel)
{
    const PmView *view = metrics->view;
    const gsize n_keys = (gsize)view->recording->n_blockers * PM_N_KINDS;
    g_autofree guint32 *counts = g_new0(guint32, n_keys + 1), *measures = NULL;
    g_autoptr(GArray) many = g_array_new(FALSE, FALSE, sizeof(Measure));
    g_autoptr(GArray) keys = g_array_new(FALSE, FALSE, sizeof(guint32));

    measures = g_new0(guint32, n_keys + 1);
    Measuring m = {.metrics = metrics,
                   .cancel = cancel,
                   .n_workers = CLAMP(g_get_num_processors(), 1, MOST_WORKERS),
                   .counts = counts,
                   .measures = measures,
                   .many = many,
                   .keys = keys};
    gboolean done = count_rows(&m);
    if (done) {
        metrics->n = many->len + keys->len;
        metrics->rows = g_new0(PmMetricsRow, MAX(metrics->n, 1));
        pm_workers_run(m.n_workers, many->len > 0 ? m.n_workers : 1, measure_many, &m);
        done = !is_cancelled(&m, 0); /* else what was listed and measured is not whole */
    }
    if (done)
        measure_all_few((Few){view, keys->len, m.ends, m.rows, NULL, metrics->rows + many->len});
    for (guint i = 0; i < many->len; i++) {
        if (done)
            measure_end(&g_array_index(many, Measure, i), view, &metrics->rows[i]);
        sweep_clear(&g_array_index(many, Measure, i).sweep);
    }
    g_free(m.ends);
    g_free(m.rows);
    return done;
}

/* From sums of slices; of blockers with few waits, from their rows. FALSE: cancelled. */
static gboolean measure_sums(PmMetrics *metrics, const PmSums *sums, const gint *cancel)
{
    const PmRangeSums *range = metrics->sums = pm_range_sums_new(sums, metrics->view, cancel);

    if (!range)
        return FALSE;
    const gsize most = range->n_keys + range->n_few + 1;
    metrics->rows = pm_region_malloc(most * sizeof *metrics->rows);
    memset(metrics->rows, 0, most * sizeof *metrics->rows);
    for (guint k = 0; k < range->n_keys; k++)
        if (range->sums[k].n > 0)
            take_sum(&range->sums[k], metrics->view, &metrics->rows[metrics->n++]);
    measure_all_few((Few){metrics->view, range->n_few, range->few_ends, range->few_rows,
                          range->few_places, metrics->rows + metrics->n});
    metrics->n += range->n_few;
    return TRUE;
}

/* Most of very many are in order already: the others are taken out, sorted, and put back. */
static void sort_rows(PmMetrics *metrics)
{
    PmMetricsRow *rows = metrics->rows;
    g_autoptr(GArray) others = g_array_new(FALSE, FALSE, sizeof *rows);
    gsize n = 0;

    for (gsize i = 0; i < metrics->n; i++) {
        while (n > 0 && others->len <= metrics->n / OTHERS_OF &&
               compare_metrics(&rows[n - 1], &rows[i]) > 0)
            g_array_append_val(others, rows[--n]);
        rows[n++] = rows[i];
    }
    if (others->len > metrics->n / OTHERS_OF) {
        memcpy(rows + n, others->data, others->len * sizeof *rows);
        qsort(rows, metrics->n, sizeof *rows, compare_metrics);
        return;
    }
    g_array_sort(others, compare_metrics);
    for (gsize to = metrics->n, k = others->len; k > 0; to--) {
        const PmMetricsRow *other = &g_array_index(others, PmMetricsRow, k - 1);
        if (n > 0 && compare_metrics(&rows[n - 1], other) > 0)
            rows[to - 1] = rows[--n];
        else {
            rows[to - 1] = *other;
            k--;
        }
    }
}

PmMetrics *pm_metrics_new(PmView *view, const gint *cancel)
{
    g_return_val_if_fail(view != NULL, NULL);
    const gboolean drops = drops_within(view->recording, view->from, view->to);
    const PmSums *sums = pm_sums_of(view, cancel);
    PmMetrics *metrics = g_new0(PmMetrics, 1);

    metrics->view = pm_view_ref(view);
    if (!(sums ? measure_sums(metrics, sums, cancel) : measure_rows(metrics, cancel))) {
        pm_metrics_free(metrics);
        return NULL;
    }
    for (gsize i = 0; i < metrics->n; i++)
        metrics->rows[i].bound = drops;
    sort_rows(metrics);
    return metrics;
}

/* ---- several blockers together ---- */

static gboolean sweep_groups(const PmView *view, const guint32 *group_of_key, Sweep *sweeps,
                             const gint *cancel)
{
    const PmWaits *w = &view->recording->waits;

    for (gsize i = 0; i < view->n; i++) {
        if ((i & 4095) == 0 && pm_cancelled(cancel))
            return FALSE;
        const guint32 row = pm_view_row(view, i), group = group_of_key[key_of(w, row)];
        if (group == 0)
            continue;
        const gint64 begin = MAX(pm_wait_begin(w, row), view->from), end = pm_wait_end(w, row);
        sweep_add(&sweeps[group - 1], begin, MAX(MIN(end, view->to), begin),
                  end > view->to || (pm_wait_flags(w, row) & PM_WAIT_IN_PROGRESS) != 0);
    }
    return TRUE;
}

PmTogether *pm_metrics_together(const PmMetrics *metrics, const guint32 *group_of, guint n_groups,
                                const gint *cancel)
{
    g_return_val_if_fail(metrics && group_of, NULL);
    const gsize n_keys = (gsize)metrics->view->recording->n_blockers * PM_N_KINDS;
    g_autofree guint32 *group_of_key = g_new0(guint32, n_keys + 1);
    g_autofree gint64 *n_waits = g_new0(gint64, n_groups + 1);
    g_autofree Sweep *sweeps = g_new0(Sweep, n_groups + 1);
    PmTogether *together = g_new0(PmTogether, n_groups + 1);

    for (gsize i = 0; i < metrics->n; i++) {
        const PmMetricsRow *row = &metrics->rows[i];
        group_of_key[(gsize)row->blocker * PM_N_KINDS + row->kind] = group_of[i];
        n_waits[group_of[i]] += row->touched;
    }
    for (guint g = 0; g < n_groups; g++)
        sweep_begin(&sweeps[g], (gsize)n_waits[g + 1]);
    if (!sweep_groups(metrics->view, group_of_key, sweeps, cancel))
        g_clear_pointer(&together, g_free);
    for (guint g = 0; g < n_groups; g++) {
        const Sweep *s = &sweeps[g];
        if (together)
            together[g] =
                (PmTogether){s->peak, s->real_time, s->longest.n ? s->longest.items[0] : 0};
        sweep_clear(&sweeps[g]);
    }
    return together;
}

/* ---- since the start ---- */

/* The category of a blocker whose waits are not stored: that of its first wait's chain. */
static guint8 category_of_first(const PmRecording *r, const PmMetricsRow *row)
{
    const PmBlocker *b = &r->blockers[row->blocker];
    const PmChain *c = &r->chains[row->first_chain];
    g_autoptr(GPtrArray) frames = g_ptr_array_new_with_free_func(g_free);
    for (guint32 i = 0; i < c->n_frames; i++) {
        const PmMethod *method = &r->methods[c->frames[i].method];
        g_ptr_array_add(frames,
                        g_strconcat(r->classes[method->class_index].name, ".", method->name, NULL));
    }
    return (guint8)pm_category_of(r->classes[b->class_index].name,
                                  (const char *const *)frames->pdata, frames->len, row->kind);
}

/* Of every (blocker, kind) the first stored wait, G_MAXUINT32 = none. */
static guint32 *first_waits(const PmRecording *r)
{
    const PmWaits *w = &r->waits;
    gsize n_keys = (gsize)r->n_blockers * PM_N_KINDS;
    guint32 *first = g_new(guint32, n_keys);
    for (gsize key = 0; key < n_keys; key++)
        first[key] = G_MAXUINT32;
    for (gsize i = 0; i < w->n; i++) {
        gsize key = (gsize)pm_wait_blocker(w, i) * PM_N_KINDS + pm_wait_kind(w, i);
        first[key] = MIN(first[key], (guint32)i);
    }
    return first;
}

typedef struct {
    PmMetricsRow row;
    gint64 first, last; /* events */
} Total;

static Total *total_of(GArray *totals, GHashTable *index, guint32 blocker, guint8 kind)
{
    guint64 key = (guint64)blocker * PM_N_KINDS + kind;
    gpointer at = g_hash_table_lookup(index, &key);
    if (!at) {
        Total total = {
            .row = {.blocker = blocker, .kind = kind}, .first = G_MAXINT64, .last = G_MININT64};
        g_array_append_val(totals, total);
        at = GUINT_TO_POINTER(totals->len);
        g_hash_table_insert(index, g_memdup2(&key, sizeof key), at);
    }
    return &g_array_index(totals, Total, GPOINTER_TO_UINT(at) - 1);
}

static void take_ledger(const PmRecording *r, GArray *totals, GHashTable *index)
{
    for (guint32 i = 0; i < r->n_ledger; i++) {
        const struct pm_counters *c = &r->ledger[i].counters;
        Total *total = total_of(totals, index, r->ledger[i].blocker, c->kind);
        total->row.times_parked = c->times;
        total->row.peak_parked = c->peak;
        total->row.thread_time = c->thread_time_ns;
        total->row.real_time = c->real_time_ns;
        total->row.longest = c->longest_ns;
        total->row.bound = c->bound;
        total->first = c->first_ns;
        total->last = c->last_ns;
    }
}

/* The waits since the last snapshot; of those in progress then, the counters have the time up to
 * there. */
static void take_waits(PmRecording *r, GArray *totals, GHashTable *index)
{
    const guint32 *counted_as = pm_recording_private(r)->counted_as;
    g_autoptr(PmFilter) filter = pm_filter_new();
    filter->idle = TRUE;
    filter->from = r->ledger_at;
    filter->to = r->duration;
    if (filter->from >= filter->to)
        return;
    g_autoptr(PmView) view = pm_view_new(r, filter, NULL);
    g_autoptr(PmMetrics) later = pm_metrics_new(view, NULL);
    for (gsize i = 0; i < later->n; i++) {
        const PmMetricsRow *row = &later->rows[i];
        PmMetricsRow *total = &total_of(totals, index, counted_as[row->blocker], row->kind)->row;
        pm_sum_add(&total->times_parked, row->times_parked);
        total->parked_now += row->parked_now;
        total->peak_parked = MAX(total->peak_parked, row->peak_parked);
        pm_sum_add(&total->thread_time, row->thread_time);
        pm_sum_add(&total->real_time, row->real_time);
        total->bound |= row->bound;
    }
    for (gsize i = 0; i < view->n; i++) {
        guint32 k = pm_view_row(view, i);
        Total *total = total_of(totals, index, counted_as[pm_wait_blocker(&r->waits, k)],
                                pm_wait_kind(&r->waits, k));
        gint64 begin = MAX(pm_wait_begin(&r->waits, k), 0), end = pm_wait_end(&r->waits, k);
        gboolean open = (pm_wait_flags(&r->waits, k) & PM_WAIT_IN_PROGRESS) != 0;
        total->row.longest = MAX(total->row.longest, end - begin);
        total->first = MIN(total->first, begin);
        total->last = MAX(total->last, open ? begin : end);
    }
}

PmMetrics *pm_metrics_since_start(PmRecording *r)
{
    g_return_val_if_fail(r != NULL, NULL);
    PmView *view = pm_view_since_start(r);
    PmMetrics *m = g_new0(PmMetrics, 1);
    m->view = view;
    g_autoptr(GArray) totals = g_array_new(FALSE, FALSE, sizeof(Total));
    g_autoptr(GHashTable) index = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    take_ledger(r, totals, index);
    take_waits(r, totals, index);

    g_autofree guint32 *first = first_waits(r);
    m->rows = g_new0(PmMetricsRow, MAX(totals->len, 1));
    m->n = totals->len;
    for (guint i = 0; i < totals->len; i++) {
        const Total *total = &g_array_index(totals, Total, i);
        PmMetricsRow *row = &m->rows[i];
        *row = total->row;
        guint32 wait = first[(gsize)row->blocker * PM_N_KINDS + row->kind];
        if (wait != G_MAXUINT32) {
            row->first_chain = pm_wait_chain(&r->waits, wait);
            row->first_thread = pm_wait_thread(&r->waits, wait);
        }
        name_by_first(r, row);
        row->category = category_of_first(r, row);
        row->touched = row->times_parked;
        row->avg_park = ratio(row->thread_time, row->times_parked);
        row->avg_hold = ratio(row->real_time, row->times_parked - row->parked_now);
        row->p99 = row->after_wait = -1;
        row->real_time_util = ratio(MIN(row->real_time, view->known), view->known);
        row->thread_time_util = ratio(row->thread_time, view->known);
        gint64 life = pm_difference(row->parked_now > 0 ? r->duration : total->last, total->first);
        row->real_life_time_util = ratio(row->real_time, life);
        row->thread_life_time_util = ratio(row->thread_time, life);
        row->alive = (r->blockers[row->blocker].flags & PM_BLOCKER_COLLECTED) == 0;
    }
    qsort(m->rows, m->n, sizeof *m->rows, compare_metrics);
    return m;
}

void pm_metrics_free(PmMetrics *metrics)
{
    if (!metrics)
        return;
    pm_view_unref(metrics->view);
    pm_range_sums_free(metrics->sums);
    g_free(metrics->rows);
    g_free(metrics);
}
