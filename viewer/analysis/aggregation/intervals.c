#include "viewer/analysis/aggregation/intervals.h"

#include "viewer/analysis/base/search.h"
#include "viewer/analysis/base/sort.h"
#include "viewer/analysis/base/sum.h"

struct PmIntervals {
    GArray *spans;  /* of PmInterval, apart and by time */
    gint64 *before; /* what lies before each of them; and in all */
};

PmIntervals *pm_intervals_new(GArray *all)
{
    PmIntervals *intervals = g_new0(PmIntervals, 1);
    GArray *spans = g_array_new(FALSE, FALSE, sizeof(PmInterval));
    gint64 sum = 0;

    g_array_sort(all, pm_compare_instants);
    for (guint i = 0; i < all->len; i++) {
        const PmInterval *span = &g_array_index(all, PmInterval, i);
        PmInterval *last = spans->len ? &g_array_index(spans, PmInterval, spans->len - 1) : NULL;
        if (last && span->begin <= last->end)
            last->end = MAX(last->end, span->end);
        else if (span->end > span->begin)
            g_array_append_val(spans, *span);
    }
    intervals->spans = spans;
    intervals->before = g_new(gint64, spans->len + 1);
    for (guint i = 0; i < spans->len; i++) {
        const PmInterval *span = &g_array_index(spans, PmInterval, i);
        intervals->before[i] = sum;
        sum += span->end - span->begin;
    }
    intervals->before[spans->len] = sum;
    return intervals;
}

PmIntervals *pm_intervals_new_unknown(const PmRecording *r)
{
    g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(PmInterval));

    g_array_append_vals(all, r->stopped, r->n_stopped);
    for (guint32 i = 0; i < r->n_damage; i++) {
        const PmInterval span = {r->damage[i].begin, r->damage[i].end};
        g_array_append_val(all, span);
    }
    for (guint32 i = 0; i < r->n_gaps; i++) {
        const PmInterval span = {r->gaps[i].begin, r->gaps[i].end};
        if (r->gaps[i].reason == PM_GAP_WRITE || r->gaps[i].reason == PM_GAP_EVENTS_OFF)
            g_array_append_val(all, span);
    }
    return pm_intervals_new(all);
}

void pm_intervals_free(PmIntervals *intervals)
{
    if (!intervals)
        return;
    g_array_unref(intervals->spans);
    g_free(intervals->before);
    g_free(intervals);
}

/* How much lies before `at`. */
static gint64 covered_before(const PmIntervals *intervals, gint64 at)
{
    guint n = 0, high = intervals->spans->len;

    PM_LOWER_BOUND(n, high, middle, g_array_index(intervals->spans, PmInterval, middle).begin < at)
    if (n == 0)
        return 0;
    const PmInterval *last = &g_array_index(intervals->spans, PmInterval, n - 1);
    return intervals->before[n - 1] + MIN(at, last->end) - last->begin;
}

gint64 pm_intervals_within(const PmIntervals *intervals, gint64 begin, gint64 end)
{
    return intervals->spans->len && begin < end
               ? covered_before(intervals, end) - covered_before(intervals, begin)
               : 0;
}

PmIntervalSum pm_interval_sum(const PmInterval *intervals, guint n, gint64 from, gint64 to)
{
    PmIntervalSum sum = {0};
    gint64 covered = from;

    for (guint i = 0; i < n; i++) {
        const gint64 begin = MAX(intervals[i].begin, covered), end = MIN(intervals[i].end, to);
        if (end <= begin)
            continue;
        sum.n++;
        pm_sum_add(&sum.time, end - begin);
        sum.longest = MAX(sum.longest, end - begin);
        covered = end;
    }
    return sum;
}
