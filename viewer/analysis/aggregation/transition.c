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

gint64 pm_transition_select(gint64 *times, gsize n, gsize k)
{
    gsize low = 0, high = n - 1;
    while (low < high) {
        gint64 a = times[low], b = times[low + (high - low) / 2], c = times[high];
        gint64 pivot = MAX(MIN(a, b), MIN(MAX(a, b), c));
        gsize i = low, j = high;
        for (;;) {
            while (times[i] < pivot)
                i++;
            while (times[j] > pivot)
                j--;
            if (i >= j)
                break;
            gint64 swap = times[i];
            times[i++] = times[j];
            times[j--] = swap;
        }
        /* [low, i) ≤ pivot ≤ (j, high]; when i == j, times[i] is the pivot itself */
        if (i == j && k == i)
            return times[k];
        gsize split = i == j ? i : j + 1;
        if (k < split)
            high = split - 1;
        else if (i == j)
            low = i + 1;
        else
            low = split;
    }
    return times[low];
}
