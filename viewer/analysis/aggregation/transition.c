#include "viewer/analysis/aggregation/transition.h"

#include <stdlib.h>
#include <string.h>

/* Ten bits a pass: an hour of nanoseconds takes five, and the counters stay in the first cache. */
#define DIGIT_BITS 10
#define DIGIT_MASK ((1u << DIGIT_BITS) - 1)

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

static int compare_times(const void *a, const void *b)
{
    gint64 x = *(const gint64 *)a, y = *(const gint64 *)b;
    return (x > y) - (x < y);
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
        qsort(times, n, sizeof *times, compare_times);
        return;
    }

    gint64 min = times[0], max = times[0];
    for (i = 1; i < n; i++) {
        min = MIN(min, times[i]);
        max = MAX(max, times[i]);
    }
    guint64 span = (guint64)max - (guint64)min;
    g_autofree gint64 *owned = NULL;
    if (scratch == NULL)
        scratch = owned = g_new(gint64, n);

    gint64 *from = times, *to = scratch;
    for (guint shift = 0; shift < 64 && (span >> shift) != 0; shift += DIGIT_BITS) {
        gsize at[1 << DIGIT_BITS] = {0};
        for (i = 0; i < n; i++)
            at[(((guint64)from[i] - (guint64)min) >> shift) & DIGIT_MASK]++;
        gsize sum = 0;
        for (guint d = 0; d <= DIGIT_MASK; d++) {
            gsize count = at[d];
            at[d] = sum;
            sum += count;
        }
        for (i = 0; i < n; i++)
            to[at[(((guint64)from[i] - (guint64)min) >> shift) & DIGIT_MASK]++] = from[i];
        gint64 *other = from;
        from = to;
        to = other;
    }
    if (from != times)
        memcpy(times, from, n * sizeof *times);
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
