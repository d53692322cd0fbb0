#include "viewer/analysis/aggregation/detail.h"

#include <stdlib.h>

#include "viewer/analysis/base/cancel.h"
#include "viewer/analysis/base/sort.h"
#include "viewer/analysis/base/sum.h"

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

/* Sums by key; becomes a sorted array of parts. */
static PmDetailPart *parts_add(GHashTable *parts, guint32 row, guint64 key, gint64 time,
                               gboolean inferred)
{
    PmDetailPart *part = g_hash_table_lookup(parts, &key);

    if (!part) {
        part = g_new0(PmDetailPart, 1);
        part->key = key;
        g_hash_table_insert(parts, &part->key, part);
    }
    part->count += part->last_row != row + 1;
    part->last_row = row + 1;
    pm_sum_add(&part->thread_time, time);
    if (inferred)
        pm_sum_add(&part->inferred_time, time);
    return part;
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

static GHashTable *parts_new(void)
{
    return g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, g_free);
}

static guint32 parts_biggest(GHashTable *parts, guint32 *ret_n)
{
    g_autoptr(GArray) sorted = NULL;

    *ret_n = g_hash_table_size(parts);
    sorted = parts_finish(parts);
    return sorted->len ? (guint32)g_array_index(sorted, PmDetailPart, 0).key : 0;
}

/* Keys that a wait has one of. */
static gboolean row_is_in(const PmRecording *recording, const PmDetail *detail, guint32 row)
{
    for (guint i = 0; i < detail->n_steps; i++)
        if (!pm_aspect_is_split(detail->steps[i].aspect) &&
            pm_aspect_key(recording, detail->steps[i].aspect, row) != detail->steps[i].key)
            return FALSE;
    return TRUE;
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

/* What a detail is gathered in. */
typedef struct {
    PmDetail *detail;
    const PmContention *contention; /* NULL: causes are not asked for */
    GArray *rows, *durations, *parts;
    GHashTable *chains, *blockers, *groups, *wakers, *wake_causes;
    GHashTable *causes, *cause_chains, *owners;
} Gathering;

static void gathering_begin(Gathering *g)
{
    g->rows = g_array_new(FALSE, FALSE, sizeof(guint32));
    g->durations = g_array_new(FALSE, FALSE, sizeof(gint64));
    g->parts = g_array_new(FALSE, FALSE, sizeof(PmPart));
    g->chains = parts_new();
    g->blockers = parts_new();
    g->groups = parts_new();
    g->wakers = parts_new();
    g->wake_causes = parts_new();
    g->causes = parts_new();
    g->cause_chains = parts_new();
    g->owners = parts_new();
}

/* The time of a part that stands for `weight` times as much. */
static void add_cause(const Gathering *g, GHashTable *parts, guint32 row, guint64 key,
                      const PmPart *part, double weight)
{
    const gint64 length = part->end - part->begin;
    const gint64 time = g->detail->estimated ? pm_rounded((double)length * weight) : length;
    PmDetailPart *sum = g_hash_table_lookup(parts, &key);
    const gboolean again = sum && sum->last_row == row + 1;

    sum = parts_add(parts, row, key, time, part->inferred || g->detail->estimated);
    if (!again && g->detail->estimated)
        sum->count += pm_rounded(weight) - 1;
}

/* Who made the wait last: those of its parts that are in the selection. How many they are, and
 * their time, unweighted. */
static guint take_causes(Gathering *g, guint32 row, double weight, gint64 *ret_time)
{
    const PmView *view = g->detail->view;
    guint n = 0;

    *ret_time = 0;
    g_array_set_size(g->parts, 0);
    pm_contention_split(g->contention, row, view->from, view->to, g->parts);
    for (guint i = 0; i < g->parts->len; i++) {
        const PmPart *part = &g_array_index(g->parts, PmPart, i);
        if (!part_is_in(view->recording, g->detail, part))
            continue;
        n++;
        pm_sum_add(ret_time, part->end - part->begin);
        add_cause(g, g->causes, row, pm_part_key(view->recording, PM_ASPECT_CAUSE_SITE, part), part,
                  weight);
        if (part->chain)
            add_cause(g, g->cause_chains, row, part->chain, part, weight);
        if (part->kind == PM_CAUSE_OWNER)
            add_cause(g, g->owners, row, part->thread, part, weight);
    }
    return n;
}

static void take_row(Gathering *g, guint32 row, gint64 time)
{
    PmDetail *detail = g->detail;
    const PmRecording *recording = detail->view->recording;
    const PmWaits *waits = &recording->waits;
    const gint64 duration = pm_wait_end(waits, row) - pm_wait_begin(waits, row);
    const gboolean in_progress = (pm_wait_flags(waits, row) & PM_WAIT_IN_PROGRESS) != 0;

    g_array_append_val(g->rows, row);
    g_array_append_val(g->durations, duration);
    pm_sum_add(&detail->thread_time, time);
    detail->bins[bin_of(duration)]++;
    if (g->rows->len == 1 || time > detail->longest) {
        detail->longest = time;
        detail->longest_row = row;
    }
    detail->in_progress += in_progress;
    parts_add(g->chains, row, pm_wait_chain(waits, row), time, FALSE);
    parts_add(g->blockers, row, pm_wait_blocker(waits, row), time, FALSE);
    parts_add(g->groups, row, recording->threads[pm_wait_thread(waits, row)].group, time, FALSE);
    if (pm_wait_waker(waits, row))
        parts_add(g->wakers, row, pm_aspect_key(recording, PM_ASPECT_WAKER_SITE, row), time, FALSE);
    if (!in_progress)
        parts_add(g->wake_causes, row, pm_wait_wake_cause(waits, row), time, FALSE);
}

/* FALSE: cancelled. */
static gboolean take_rows(Gathering *g, const gint *cancel)
{
    const PmView *view = g->detail->view;
    const gboolean split = is_split(g->detail);

    for (gsize i = 0; i < view->n; i++) {
        const guint32 row = pm_view_row(view, i);
        gint64 time = 0;
        if (i % 65536 == 0 && pm_cancelled(cancel))
            return FALSE;
        if (!row_is_in(view->recording, g->detail, row))
            continue;
        if (!split)
            take_row(g, row, pm_view_clip(view, row));
        else if (take_causes(g, row, 1, &time))
            take_row(g, row, time);
    }
    return TRUE;
}

/* Of what is selected by keys of whole waits. FALSE: cancelled. */
static gboolean follow_rows(Gathering *g, const gint *cancel)
{
    PmDetail *detail = g->detail;
    gint64 step = 0, passed = 0, unused;

    if (g->rows->len > MANY_FOLLOWED) {
        step = MAX(detail->thread_time / MOST_FOLLOWED, 1);
        detail->estimated = TRUE;
    }
    for (guint i = 0; i < g->rows->len; i++) {
        const guint32 row = g_array_index(g->rows, guint32, i);
        const gint64 time = pm_view_clip(detail->view, row);
        double weight = 1;
        if (i % 256 == 0 && pm_cancelled(cancel))
            return FALSE;
        if (step > 0) {
            passed = pm_sum(passed, time);
            weight = time > 0 ? (double)(passed / step) * (double)step / (double)time : 0;
            passed %= step;
        }
        if (weight > 0)
            take_causes(g, row, weight, &unused);
        detail->n_followed += weight > 0;
    }
    return TRUE;
}

static void gathering_end(Gathering *g)
{
    PmDetail *detail = g->detail;
    guint32 unused;

    pm_sort_array(g->durations, sizeof(gint64));
    if (g->durations->len) {
        const gint64 *sorted = (const gint64 *)(gpointer)g->durations->data;
        const gsize last = g->durations->len - 1;
        detail->p50 = sorted[last * 50 / 100];
        detail->p90 = sorted[last * 90 / 100];
        detail->p99 = sorted[last * 99 / 100];
    }
    detail->chain = parts_biggest(g->chains, &detail->n_chains);
    detail->cause_chain = parts_biggest(g->cause_chains, &unused);
    detail->blocker = parts_biggest(g->blockers, &detail->n_blockers);
    detail->groups = parts_finish(g->groups);
    detail->causes = parts_finish(g->causes);
    detail->wakers = parts_finish(g->wakers);
    detail->owners = parts_finish(g->owners);
    detail->wake_causes = parts_finish(g->wake_causes);
    detail->n = g->rows->len;
    detail->rows = (guint32 *)(gpointer)g_array_free(g->rows, FALSE);
    g_array_unref(g->durations);
    g_array_unref(g->parts);
}

static PmDetail *detail_new(PmView *view, const PmPathStep *steps, guint n_steps, gboolean causes,
                            const gint *cancel)
{
    PmDetail *detail = g_new0(PmDetail, 1);
    Gathering g = {.detail = detail};

    detail->view = pm_view_ref(view);
    detail->n_steps = MIN(n_steps, PM_N_ASPECTS);
    for (guint i = 0; i < detail->n_steps; i++)
        detail->steps[i] = steps[i];
    const gboolean split = is_split(detail);
    if (causes || split)
        g.contention = pm_recording_contention(view->recording, cancel);
    gathering_begin(&g);
    const gboolean done = (g.contention || !(causes || split)) && take_rows(&g, cancel) &&
                          (split || !causes || follow_rows(&g, cancel));
    gathering_end(&g);
    if (!done)
        g_clear_pointer(&detail, pm_detail_free);
    return detail;
}

PmDetail *pm_detail_new(PmView *view, const PmPathStep *steps, guint n_steps, const gint *cancel)
{
    g_return_val_if_fail(view != NULL && n_steps <= PM_N_ASPECTS, NULL);
    return detail_new(view, steps, n_steps, TRUE, cancel);
}

PmDetail *pm_detail_new_plain(PmView *view, const PmPathStep *steps, guint n_steps,
                              const gint *cancel)
{
    g_return_val_if_fail(view != NULL && n_steps <= PM_N_ASPECTS, NULL);
    return detail_new(view, steps, n_steps, FALSE, cancel);
}

void pm_detail_free(PmDetail *detail)
{
    if (!detail)
        return;
    pm_view_unref(detail->view);
    g_free(detail->rows);
    g_array_unref(detail->groups);
    g_array_unref(detail->causes);
    g_array_unref(detail->wakers);
    g_array_unref(detail->owners);
    g_array_unref(detail->wake_causes);
    g_free(detail);
}
