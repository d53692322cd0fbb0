#include "viewer/analysis/aggregation/detail.h"

#include <stdlib.h>

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
    guint bin = 0;

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
static void parts_add(GHashTable *parts, guint32 row, guint64 key, gint64 time, gboolean inferred)
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

PmDetail *pm_detail_new(PmView *view, const PmPathStep *steps, guint n_steps, const gint *cancel)
{
    g_return_val_if_fail(view != NULL && n_steps <= PM_N_ASPECTS, NULL);
    const PmRecording *recording = view->recording;
    const PmWaits *waits = &recording->waits;
    g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_autoptr(GArray) durations = g_array_new(FALSE, FALSE, sizeof(gint64));
    GHashTable *chains = parts_new(), *blockers = parts_new(), *cause_chains = parts_new();
    GHashTable *groups = parts_new(), *wakers = parts_new(), *causes = parts_new();
    GHashTable *owners = parts_new(), *wake_causes = parts_new();
    const PmContention *contention = pm_recording_contention(view->recording, cancel);
    g_autoptr(GArray) parts = g_array_new(FALSE, FALSE, sizeof(PmPart));
    PmDetail *detail = g_new0(PmDetail, 1);
    gboolean cancelled = !contention;

    detail->view = pm_view_ref(view);
    detail->n_steps = MIN(n_steps, PM_N_ASPECTS);
    for (guint i = 0; i < detail->n_steps; i++)
        detail->steps[i] = steps[i];
    const gboolean split = is_split(detail);
    for (gsize i = 0; i < view->n && !cancelled; i++) {
        if (i % 65536 == 0 && cancel && g_atomic_int_get(cancel)) {
            cancelled = TRUE;
            break;
        }
        const guint32 row = pm_view_row(view, i);
        if (!row_is_in(recording, detail, row))
            continue;
        const gint64 duration = pm_wait_end(waits, row) - pm_wait_begin(waits, row);
        gint64 time = 0;
        guint n_parts = 0;
        g_array_set_size(parts, 0);
        pm_contention_split(contention, row, view->from, view->to, parts);
        for (guint j = 0; j < parts->len; j++) {
            const PmPart *part = &g_array_index(parts, PmPart, j);
            const gint64 length = part->end - part->begin;
            if (!part_is_in(recording, detail, part))
                continue;
            n_parts++;
            pm_sum_add(&time, length);
            parts_add(causes, row, pm_part_key(recording, PM_ASPECT_CAUSE_SITE, part), length,
                      part->inferred);
            if (part->chain)
                parts_add(cause_chains, row, part->chain, length, part->inferred);
            if (part->kind == PM_CAUSE_OWNER)
                parts_add(owners, row, part->thread, length, part->inferred);
        }
        if (split && !n_parts)
            continue;
        g_array_append_val(rows, row);
        g_array_append_val(durations, duration);
        pm_sum_add(&detail->thread_time, time);
        detail->bins[bin_of(duration)]++;
        if (rows->len == 1 || time > detail->longest) {
            detail->longest = time;
            detail->longest_row = row;
        }
        const gboolean in_progress = (pm_wait_flags(waits, row) & PM_WAIT_IN_PROGRESS) != 0;
        detail->in_progress += in_progress;
        parts_add(chains, row, pm_wait_chain(waits, row), time, FALSE);
        parts_add(blockers, row, pm_wait_blocker(waits, row), time, FALSE);
        parts_add(groups, row, recording->threads[pm_wait_thread(waits, row)].group, time, FALSE);
        if (pm_wait_waker(waits, row))
            parts_add(wakers, row, pm_aspect_key(recording, PM_ASPECT_WAKER_SITE, row), time,
                      FALSE);
        if (!in_progress)
            parts_add(wake_causes, row, pm_wait_wake_cause(waits, row), time, FALSE);
    }
    g_array_sort(durations, pm_compare_instants);
    if (durations->len) {
        const gint64 *sorted = (const gint64 *)(gpointer)durations->data;
        detail->p50 = sorted[(durations->len - 1) * 50 / 100];
        detail->p90 = sorted[(durations->len - 1) * 90 / 100];
        detail->p99 = sorted[(durations->len - 1) * 99 / 100];
    }
    detail->chain = parts_biggest(chains, &detail->n_chains);
    guint32 n_cause_chains;
    detail->cause_chain = parts_biggest(cause_chains, &n_cause_chains);
    detail->blocker = parts_biggest(blockers, &detail->n_blockers);
    detail->groups = parts_finish(groups);
    detail->causes = parts_finish(causes);
    detail->wakers = parts_finish(wakers);
    detail->owners = parts_finish(owners);
    detail->wake_causes = parts_finish(wake_causes);
    detail->n = rows->len;
    detail->rows = (guint32 *)(gpointer)g_array_free(g_steal_pointer(&rows), FALSE);
    if (cancelled)
        g_clear_pointer(&detail, pm_detail_free);
    return detail;
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
