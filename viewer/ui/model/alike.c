#include "viewer/ui/model/alike.h"

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
