#include "viewer/analysis/aggregation/transition.h"

#include <stdlib.h>
#include <string.h>

#include "viewer/analysis/base/sort.h"

static void sort_by_insertion(gint64 *times, gsize n)
{
    for (gsize i = 1; i < n; i++) {
        gint64 value = times[i];
        gsize j = i;
        while (j > 0 && times[j - 1] > value) {
            times[j] = times[j - 1];
            j--;
        }
        times[j] = value;
    }
}

void pm_transition_sort(gint64 *times, gsize n, gint64 *scratch)
{
    gsize i = 1;
    while (i < n && times[i - 1] <= times[i])
        i++;
    if (i >= n)
        return;
    if (n <= 48) {
        sort_by_insertion(times, n);
        return;
    }
    if (n <= 512) {
        qsort(times, n, sizeof *times, pm_compare_instants);
        return;
    }

    g_autofree gint64 *owned = NULL;
    if (!scratch)
        scratch = owned = g_new(gint64, n);
    const gint64 *sorted = pm_sort_radix(times, scratch, n, sizeof *times);
    if (sorted != times)
        memcpy(times, sorted, n * sizeof *times);
}
