#include "viewer/ui/model/alike.h"

#include <math.h>

#include "viewer/analysis/base/sum.h"

guint64 pm_alike_key(const PmRecording *recording, guint32 blocker)
{
    return pm_aspects[PM_ASPECT_ALIKE].key(recording, blocker);
}

static int by_time(gconstpointer a, gconstpointer b)
{
    const PmAlike *left = a, *right = b;

    return left->thread_time != right->thread_time
               ? (left->thread_time < right->thread_time ? 1 : -1)
               : (left->key > right->key) - (left->key < right->key);
}

GArray *pm_alike_sum(const PmResults *results)
{
    g_return_val_if_fail(results, NULL);
    GArray *sums = g_array_new(FALSE, TRUE, sizeof(PmAlike));
    g_autoptr(GHashTable) places = g_hash_table_new(NULL, NULL); /* in `sums`, + 1 */

    for (gsize i = 0; i < results->metrics->n; i++) {
        const PmMetricsRow *row = &results->metrics->rows[i];
        const guint64 key = pm_alike_key(results->view->recording, row->blocker);
        gsize place = GPOINTER_TO_SIZE(g_hash_table_lookup(places, GSIZE_TO_POINTER(key)));
        if (!place) {
            g_array_set_size(sums, sums->len + 1);
            place = sums->len;
            g_hash_table_insert(places, GSIZE_TO_POINTER(key), GSIZE_TO_POINTER(place));
            g_array_index(sums, PmAlike, place - 1).key = key;
        }
        PmAlike *sum = &g_array_index(sums, PmAlike, place - 1);
        sum->thread_time += row->thread_time;
        if (row->thread_time >= sum->most) {
            sum->most = row->thread_time;
            sum->blocker = row->blocker;
            sum->category = row->category;
        }
    }
    g_array_sort(sums, by_time);
    return sums;
}

/* ---- the table ---- */

static gpointer group_key(const PmRecording *recording, const PmMetricsRow *row)
{
    return GSIZE_TO_POINTER(pm_alike_key(recording, row->blocker) * PM_N_KINDS + row->kind);
}

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

/* What follows from the sums. */
static void finish_group(PmAlikeRow *group, const PmView *view)
{
    PmMetricsRow *sum = &group->sum;

    sum->avg_park = ratio((double)sum->thread_time, (double)sum->times_parked);
    sum->avg_hold =
        group->swept ? ratio((double)sum->real_time, (double)(sum->times_parked - sum->parked_now))
                     : NAN;
    sum->real_time_util = ratio((double)MIN(sum->real_time, view->known), (double)view->known);
    sum->thread_time_util = ratio((double)sum->thread_time, (double)view->known);
}

/* The second and further ones; what a group has no value for goes. */
static void add_row(PmAlikeRow *group, PmMetricsRow *row, const PmView *view)
{
    PmMetricsRow *sum = &group->sum;

    group->swept = FALSE;
    sum->blocker = (guint32)pm_alike_key(view->recording, row->blocker);
    sum->bound = TRUE;
    sum->first_thread = sum->first_chain = sum->owner = 0;
    sum->real_life_time_util = sum->thread_life_time_util = NAN;
    sum->times_parked += row->times_parked;
    sum->touched += row->touched;
    sum->parked_now += row->parked_now;
    sum->peak_parked = MAX(sum->peak_parked, row->peak_parked);
    pm_sum_add(&sum->thread_time, row->thread_time);
    sum->real_time = MAX(sum->real_time, row->real_time);
    sum->longest = MAX(sum->longest, row->longest);
    sum->after_wait =
        MIN(sum->after_wait, row->after_wait) < 0 ? -1 : sum->after_wait + row->after_wait;
    sum->alive |= row->alive;
    finish_group(group, view);
}

PmAlikeTable *pm_alike_table_new(PmResults *results)
{
    g_return_val_if_fail(results && results->metrics, NULL);
    PmAlikeTable *table = g_new0(PmAlikeTable, 1);
    const PmMetrics *metrics = results->metrics;
    const PmRecording *recording = results->view->recording;
    g_autoptr(GHashTable) places = g_hash_table_new(NULL, NULL); /* in `rows`, + 1 */
    g_autofree gsize *place_of = g_new(gsize, metrics->n + 1);

    table->results = pm_results_ref(results);
    table->rows = g_new0(PmAlikeRow, metrics->n + 1);
    table->items = g_new(gpointer, metrics->n + 1);
    for (gsize i = 0; i < metrics->n; i++) {
        const gpointer key = group_key(recording, &metrics->rows[i]);
        gsize place = GPOINTER_TO_SIZE(g_hash_table_lookup(places, key));
        if (!place) {
            place = ++table->n;
            g_hash_table_insert(places, key, GSIZE_TO_POINTER(place));
        }
        place_of[i] = place - 1;
        table->rows[place - 1].n++;
    }
    for (gsize i = 0; i < metrics->n; i++) {
        PmAlikeRow *group = &table->rows[place_of[i]];
        if (!group->rows) {
            group->rows = g_new(gpointer, group->n);
            group->n = 0;
            group->sum = metrics->rows[i];
            group->swept = TRUE;
        } else {
            add_row(group, &metrics->rows[i], results->view);
        }
        group->rows[group->n++] = &metrics->rows[i];
    }
    for (guint i = 0; i < table->n; i++)
        table->items[i] = &table->rows[i];
    return table;
}

void pm_alike_table_free(PmAlikeTable *table)
{
    if (!table)
        return;
    for (guint i = 0; i < table->n; i++)
        g_free(table->rows[i].rows);
    g_free(table->rows);
    g_free(table->items);
    pm_results_unref(table->results);
    g_free(table);
}

static void take_together(PmAlikeRow *group, const PmTogether *together, const PmView *view)
{
    group->sum.peak_parked = together->peak_parked;
    group->sum.real_time = together->real_time;
    group->sum.p99 = together->p99;
    group->sum.bound = FALSE;
    for (guint i = 0; i < group->n; i++)
        group->sum.bound |= ((const PmMetricsRow *)group->rows[i])->bound;
    group->swept = TRUE;
    finish_group(group, view);
}

gboolean pm_alike_table_sweep(PmAlikeTable *table, const gint *cancel)
{
    g_return_val_if_fail(table, FALSE);
    const PmMetrics *metrics = table->results->metrics;
    g_autofree guint32 *group_of = g_new0(guint32, metrics->n + 1);
    g_autofree PmAlikeRow **groups = g_new(PmAlikeRow *, table->n + 1);
    guint n = 0;

    for (guint g = 0; g < table->n; g++) {
        PmAlikeRow *group = &table->rows[g];
        if (group->n < 2)
            continue;
        groups[n++] = group;
        for (guint i = 0; i < group->n; i++)
            group_of[(const PmMetricsRow *)group->rows[i] - metrics->rows] = n;
    }
    if (!n)
        return TRUE;
    g_autofree PmTogether *together = pm_metrics_together(metrics, group_of, n, cancel);
    for (guint g = 0; together && g < n; g++)
        take_together(groups[g], &together[g], metrics->view);
    return together != NULL;
}

const PmAlikeRow *pm_alike_table_group(const PmAlikeTable *table, gconstpointer item)
{
    const PmAlikeRow *row = item;

    return row >= table->rows && row < table->rows + table->n && row->n > 1 ? row : NULL;
}
