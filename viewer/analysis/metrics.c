#include "viewer/analysis/metrics.h"

#include <math.h>
#include <string.h>

#include "viewer/analysis/category.h"
#include "viewer/analysis/edge.h"
#include "viewer/analysis/recording-private.h"

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
        gint64 begin = w->begin[k], end = w->end[k];
        gboolean open = end > to || (w->flags[k] & PM_WAIT_IN_PROGRESS) != 0;
        n_begun += begin >= from && (w->flags[k] & PM_WAIT_BEGIN_UNKNOWN) == 0;
        begin = MAX(begin, from);
        end = MIN(end, to);
        end = MAX(end, begin);
        gint64 part = end - begin;
        guint8 category = w->category[k] < PM_N_CATEGORIES ? w->category[k] : PM_CATEGORY_OTHER;

        thread_time += part;
        longest = MAX(longest, part);
        by_category[category] += part;
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
                owner = w->owner[k];
            g->begins[n_swept++] = begin;
        } else if (part > 0) {
            g->begins[n_swept++] = begin;
            g->ends[n_ended++] = end;
        }
    }
    pm_edge_sort(g->ends, n_ended, g->scratch);
    row->peak_parked = peak_of(g, n_swept, n_ended);
    /* Waits of no length that begin while `peak` others wait make it one more. */
    if (n_swept < n) {
        gsize b = 0, e = 0;
        for (gsize i = 0; i < n; i++) {
            guint32 k = order[i];
            gint64 at = MAX(w->begin[k], from);
            if (g->durations[i] > 0 || w->end[k] > to || (w->flags[k] & PM_WAIT_IN_PROGRESS) != 0)
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
        row->p99 = pm_edge_select(g->durations, n, rank - 1);
    }
    row->real_time_util = ratio(real_time, view->recorded);
    row->thread_time_util = ratio(thread_time, view->recorded);
    gint64 life = 0;
    if (n > 0)
        life = (now > 0 ? to : last_event) - MAX(w->begin[order[0]], from);
    row->real_life_time_util = ratio(real_time, life);
    row->thread_life_time_util = ratio(thread_time, life);
    row->owner = owner;

    guint best = PM_CATEGORY_OTHER;
    for (guint c = 0; c < PM_N_CATEGORIES; c++) {
        if (waits_in_category[c] > 0 &&
            (waits_in_category[best] == 0 || by_category[c] > by_category[best]))
            best = c;
    }
    row->category = (guint8)best;
    if (n > 0) {
        row->first_thread = w->thread[order[0]];
        row->first_chain = w->chain[order[0]];
        row->blocker = w->blocker[order[0]];
        row->kind = w->kind[order[0]];
        guint32 flags = r->blockers[row->blocker].flags;
        row->alive = (flags & PM_BLOCKER_COLLECTED) == 0;
        /* The first wait of the recording names it where that is known. */
        if (r->blockers[row->blocker].first_chain != 0 && row->times_parked > 0 &&
            view->from <= r->window_begin) {
            row->first_chain = r->blockers[row->blocker].first_chain;
            if (r->blockers[row->blocker].first_thread != 0)
                row->first_thread = r->blockers[row->blocker].first_thread;
        }
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
    const PmRecording *r = view->recording;
    const PmWaits *w = &r->waits;
    gsize n = view->n, n_keys = (gsize)r->n_blockers * PM_N_KINDS;

    /* Group the rows by (blocker, kind), keeping their order: a counting sort. */
    g_autofree gsize *starts = g_new0(gsize, n_keys + 1);
    for (gsize i = 0; i < n; i++) {
        guint32 k = view->rows[i];
        starts[(gsize)w->blocker[k] * PM_N_KINDS + w->kind[k] + 1]++;
    }
    gsize n_rows = 0, biggest = 0;
    for (gsize key = 0; key < n_keys; key++) {
        n_rows += starts[key + 1] > 0;
        biggest = MAX(biggest, starts[key + 1]);
        starts[key + 1] += starts[key];
    }
    if (cancelled(cancel))
        return NULL;

    g_autofree guint32 *order = NULL;
    const guint32 *grouped = view->rows;
    if (n_rows > 1) {
        order = g_new(guint32, n);
        for (gsize i = 0; i < n; i++) {
            guint32 k = view->rows[i];
            order[starts[(gsize)w->blocker[k] * PM_N_KINDS + w->kind[k]]++] = k;
        }
        grouped = order;
        /* Filling moved each start to the next one's place. */
        memmove(starts + 1, starts, n_keys * sizeof *starts);
        starts[0] = 0;
    }

    PmMetrics *m = g_new0(PmMetrics, 1);
    m->view = pm_view_ref(view);
    m->rows = g_new0(PmMetricsRow, MAX(n_rows, 1));
    gboolean drops = drops_within(r, view->from, view->to);

    gsize room = MAX(n, 1); /* the total needs all */
    Gathered g = {g_new(gint64, room), g_new(gint64, room), g_new(gint64, room),
                  g_new(gint64, room)};
    for (gsize key = 0; key < n_keys && !cancelled(cancel); key++) {
        gsize begin = starts[key], end = starts[key + 1];
        if (n_rows == 1) {
            begin = 0;
            end = key == (gsize)w->blocker[view->rows[0]] * PM_N_KINDS + w->kind[view->rows[0]] ? n
                                                                                                : 0;
        }
        if (begin == end)
            continue;
        PmMetricsRow *row = &m->rows[m->n++];
        measure(view, grouped + begin, end - begin, &g, row);
        row->quality = drops ? PM_QUALITY_BOUND : PM_QUALITY_EXACT;
    }
    if (!cancelled(cancel)) {
        measure(view, view->rows, n, &g, &m->total);
        m->total.blocker = 0;
        m->total.quality = drops ? PM_QUALITY_BOUND : PM_QUALITY_EXACT;
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

/* The category of a blocker whose waits are not stored: that of its first wait's chain. */
static guint8 ledger_category(const PmRecording *r, guint32 blocker, int kind)
{
    const PmBlocker *b = &r->blockers[blocker];
    const PmChain *c = &r->chains[b->first_chain];
    g_autoptr(GPtrArray) frames = g_ptr_array_new_with_free_func(g_free);
    for (guint32 i = 0; i < c->n_frames; i++) {
        const PmMethod *method = &r->methods[c->frames[i].method];
        g_ptr_array_add(frames,
                        g_strconcat(r->classes[method->class_index].name, ".", method->name, NULL));
    }
    return (guint8)pm_category_of(r->classes[b->class_index].name,
                                  r->classes[r->blockers[b->parent].class_index].name,
                                  (const char *const *)frames->pdata, frames->len, kind);
}

PmMetrics *pm_metrics_since_start(PmRecording *r)
{
    PmView *view = pm_view_since_start(r);
    PmMetrics *m = g_new0(PmMetrics, 1);
    m->view = view;
    m->rows = g_new0(PmMetricsRow, MAX(r->n_ledger, 1));
    m->total.quality = PM_QUALITY_EXACT;
    for (guint32 i = 0; i < r->n_ledger; i++) {
        const struct pm_counters *c = &r->ledger[i].counters;
        PmMetricsRow *row = &m->rows[m->n++];
        row->blocker = r->ledger[i].blocker;
        row->kind = c->kind;
        row->category = ledger_category(r, row->blocker, c->kind);
        row->times_parked = row->touched = c->times;
        row->parked_now = c->now;
        row->peak_parked = c->peak;
        row->thread_time = c->thread_time_ns;
        row->real_time = c->real_time_ns;
        row->avg_park = ratio(c->thread_time_ns, c->times);
        row->avg_hold = ratio(c->real_time_ns, c->times - c->now);
        row->longest = c->longest_ns;
        row->p99 = -1;
        row->real_time_util = ratio(c->real_time_ns, view->recorded);
        row->thread_time_util = ratio(c->thread_time_ns, view->recorded);
        gint64 life = (c->now > 0 ? r->duration : c->last_ns) - c->first_ns;
        row->real_life_time_util = ratio(c->real_time_ns, life);
        row->thread_life_time_util = ratio(c->thread_time_ns, life);
        row->first_chain = r->blockers[row->blocker].first_chain;
        row->first_thread = r->blockers[row->blocker].first_thread;
        row->alive = (r->blockers[row->blocker].flags & PM_BLOCKER_COLLECTED) == 0;
        row->quality = c->bound ? PM_QUALITY_BOUND : PM_QUALITY_EXACT;

        m->total.times_parked += c->times;
        m->total.touched += c->times;
        m->total.parked_now += c->now;
        m->total.thread_time += c->thread_time_ns;
        m->total.longest = MAX(m->total.longest, c->longest_ns);
    }
    /* Peak and real-time of all together cannot be had from counters of each. */
    m->total.peak_parked = 0;
    m->total.real_time = -1;
    m->total.p99 = -1;
    m->total.avg_park = ratio(m->total.thread_time, m->total.times_parked);
    m->total.avg_hold = m->total.real_time_util = m->total.real_life_time_util = NAN;
    m->total.thread_life_time_util = NAN;
    m->total.thread_time_util = ratio(m->total.thread_time, view->recorded);
    qsort(m->rows, m->n, sizeof *m->rows, compare_metrics);
    return m;
}

void pm_metrics_free(PmMetrics *metrics)
{
    if (metrics == NULL)
        return;
    pm_view_unref(metrics->view);
    g_free(metrics->rows);
    g_free(metrics);
}
