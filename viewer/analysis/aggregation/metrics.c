#include "viewer/analysis/aggregation/metrics.h"

#include <math.h>
#include <string.h>

#include "viewer/analysis/aggregation/transition.h"
#include "viewer/analysis/recording/category.h"
#include "viewer/analysis/recording/recording-private.h"
#include "viewer/analysis/base/sum.h"

/* The waits of one blocker, gathered: begins are in order because rows are. */
typedef struct {
    gint64 *begins, *ends, *durations, *scratch;
} Gathered;

/* Peak of the step function: at equal instants ends come first, a wait of no length counts alone
 * at its instant. `open` waits never end within the range. */
static guint32 peak_of(const Gathered *g, gsize n, gsize n_ended)
{
    gsize e = 0;
    guint32 now = 0, peak = 0;
    for (gsize i = 0; i < n; i++) {
        gint64 at = g->begins[i];
        while (e < n_ended && g->ends[e] <= at) {
            now--;
            e++;
        }
        now++;
        peak = MAX(peak, now);
    }
    return peak;
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

/* Fills a row from the waits `order[0..n)` of one blocker and kind. */
static void measure(const PmView *view, const guint32 *order, gsize n, Gathered *g,
                    PmMetricsRow *row)
{
    const PmRecording *r = view->recording;
    const PmWaits *w = &r->waits;
    gint64 from = view->from, to = view->to;
    gint64 by_category[PM_N_CATEGORIES] = {0};
    guint32 waits_in_category[PM_N_CATEGORIES] = {0};
    gint64 thread_time = 0, real_time = 0, covered = G_MININT64, longest = 0;
    gint64 last_event = G_MININT64;
    gsize n_ended = 0, n_swept = 0, n_begun = 0;
    guint32 now = 0, owner = 0;

    for (gsize i = 0; i < n; i++) {
        guint32 k = order[i];
        gint64 begin = pm_wait_begin(w, k), end = pm_wait_end(w, k);
        gboolean open = end > to || (pm_wait_flags(w, k) & PM_WAIT_IN_PROGRESS) != 0;
        n_begun += begin >= from && (pm_wait_flags(w, k) & PM_WAIT_BEGIN_UNKNOWN) == 0;
        begin = MAX(begin, from);
        end = MIN(end, to);
        end = MAX(end, begin);
        gint64 part = end - begin;
        guint8 category =
            pm_wait_category(w, k) < PM_N_CATEGORIES ? pm_wait_category(w, k) : PM_CATEGORY_OTHER;

        pm_sum_add(&thread_time, part);
        if ((pm_wait_flags(w, k) & PM_WAIT_AFTER_WAIT) != 0)
            pm_sum_add(&row->after_wait, part);
        longest = MAX(longest, part);
        pm_sum_add(&by_category[category], part);
        waits_in_category[category]++;
        g->durations[i] = part;
        if (end > covered) {
            real_time += end - MAX(begin, covered);
            covered = end;
        }
        last_event = MAX(last_event, open ? begin : end);
        if (open) {
            now++;
            if (owner == 0)
                owner = pm_wait_owner(w, k);
            g->begins[n_swept++] = begin;
        } else if (part > 0) {
            g->begins[n_swept++] = begin;
            g->ends[n_ended++] = end;
        }
    }
    pm_transition_sort(g->ends, n_ended, g->scratch);
    row->peak_parked = peak_of(g, n_swept, n_ended);
    /* Waits of no length that begin while `peak` others wait make it one more. */
    if (n_swept < n) {
        gsize b = 0, e = 0;
        for (gsize i = 0; i < n; i++) {
            guint32 k = order[i];
            gint64 at = MAX(pm_wait_begin(w, k), from);
            if (g->durations[i] > 0 || pm_wait_end(w, k) > to ||
                (pm_wait_flags(w, k) & PM_WAIT_IN_PROGRESS) != 0)
                continue;
            while (b < n_swept && g->begins[b] <= at)
                b++;
            while (e < n_ended && g->ends[e] <= at)
                e++;
            row->peak_parked = MAX(row->peak_parked, (guint32)(b - e) + 1);
        }
    }

    row->times_parked = (gint64)n_begun;
    row->touched = (gint64)n;
    row->parked_now = now;
    row->thread_time = thread_time;
    row->real_time = real_time;
    row->avg_park = ratio(thread_time, row->times_parked);
    row->avg_hold = ratio(real_time, row->times_parked - now);
    row->longest = longest;
    if (n > 0) {
        gsize rank = (99 * n + 99) / 100;
        row->p99 = pm_transition_select(g->durations, n, rank - 1);
    }
    row->real_time_util = ratio(real_time, view->recorded);
    row->thread_time_util = ratio(thread_time, view->recorded);
    gint64 life = 0;
    if (n > 0)
        life = (now > 0 ? to : last_event) - MAX(pm_wait_begin(w, order[0]), from);
    row->real_life_time_util = ratio(real_time, life);
    row->thread_life_time_util = ratio(thread_time, life);
    row->owner = owner;

    guint best = PM_CATEGORY_OTHER;
    for (guint c = 0; c < PM_N_CATEGORIES; c++)
        if (waits_in_category[c] > 0 &&
            (waits_in_category[best] == 0 || by_category[c] > by_category[best]))
            best = c;
    row->category = (guint8)best;
    if (n > 0) {
        row->first_thread = pm_wait_thread(w, order[0]);
        row->first_chain = pm_wait_chain(w, order[0]);
        row->blocker = pm_wait_blocker(w, order[0]);
        row->kind = pm_wait_kind(w, order[0]);
        const PmBlocker *blocker = &r->blockers[row->blocker];
        row->alive = (blocker->flags & PM_BLOCKER_COLLECTED) == 0;
        if (row->times_parked > 0 && view->from <= r->window_begin)
            name_by_first(r, row);
    }
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

static gboolean cancelled(const gint *cancel)
{
    return cancel != NULL && g_atomic_int_get(cancel) != 0;
}

PmMetrics *pm_metrics_new(PmView *view, const gint *cancel)
{
    g_return_val_if_fail(view != NULL, NULL);
    const PmRecording *r = view->recording;
    const PmWaits *w = &r->waits;
    gsize n = view->n, n_keys = (gsize)r->n_blockers * PM_N_KINDS;

    /* Group the rows by (blocker, kind), keeping their order: a counting sort. */
    g_autofree gsize *starts = g_new0(gsize, n_keys + 1);
    for (gsize i = 0; i < n; i++) {
        guint32 k = pm_view_row(view, i);
        starts[(gsize)pm_wait_blocker(w, k) * PM_N_KINDS + pm_wait_kind(w, k) + 1]++;
    }
    gsize n_rows = 0, biggest = 0;
    for (gsize key = 0; key < n_keys; key++) {
        n_rows += starts[key + 1] > 0;
        biggest = MAX(biggest, starts[key + 1]);
        starts[key + 1] += starts[key];
    }
    if (cancelled(cancel))
        return NULL;

    g_autofree guint32 *order = g_new(guint32, MAX(n, 1));
    for (gsize i = 0; i < n; i++) {
        guint32 k = pm_view_row(view, i);
        order[starts[(gsize)pm_wait_blocker(w, k) * PM_N_KINDS + pm_wait_kind(w, k)]++] = k;
    }
    /* Filling moved each start to the next one's place. */
    memmove(starts + 1, starts, n_keys * sizeof *starts);
    starts[0] = 0;

    PmMetrics *m = g_new0(PmMetrics, 1);
    m->view = pm_view_ref(view);
    m->rows = g_new0(PmMetricsRow, MAX(n_rows, 1));
    gboolean drops = drops_within(r, view->from, view->to);

    gsize room = MAX(biggest, 1);
    Gathered g = {g_new(gint64, room), g_new(gint64, room), g_new(gint64, room),
                  g_new(gint64, room)};
    for (gsize key = 0; key < n_keys && !cancelled(cancel); key++) {
        gsize begin = starts[key], end = starts[key + 1];
        if (begin == end)
            continue;
        PmMetricsRow *row = &m->rows[m->n++];
        measure(view, order + begin, end - begin, &g, row);
        row->quality = drops ? PM_QUALITY_BOUND : PM_QUALITY_EXACT;
    }
    g_free(g.begins);
    g_free(g.ends);
    g_free(g.durations);
    g_free(g.scratch);
    if (cancelled(cancel)) {
        pm_metrics_free(m);
        return NULL;
    }
    qsort(m->rows, m->n, sizeof *m->rows, compare_metrics);
    return m;
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
                                  r->classes[r->blockers[b->parent].class_index].name,
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
        total->row.quality = c->bound ? PM_QUALITY_BOUND : PM_QUALITY_EXACT;
        total->first = c->first_ns;
        total->last = c->last_ns;
    }
}

/* The waits since the last snapshot; of those in progress then, the counters have the time up to
 * there. */
static void take_waits(PmRecording *r, GArray *totals, GHashTable *index)
{
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
        PmMetricsRow *total = &total_of(totals, index, row->blocker, row->kind)->row;
        pm_sum_add(&total->times_parked, row->times_parked);
        total->parked_now = row->parked_now;
        total->peak_parked = MAX(total->peak_parked, row->peak_parked);
        pm_sum_add(&total->thread_time, row->thread_time);
        pm_sum_add(&total->real_time, row->real_time);
        total->quality = MAX(total->quality, row->quality);
    }
    for (gsize i = 0; i < view->n; i++) {
        guint32 k = pm_view_row(view, i);
        Total *total =
            total_of(totals, index, pm_wait_blocker(&r->waits, k), pm_wait_kind(&r->waits, k));
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
        row->real_time_util = ratio(row->real_time, view->recorded);
        row->thread_time_util = ratio(row->thread_time, view->recorded);
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
    g_free(metrics->rows);
    g_free(metrics);
}
