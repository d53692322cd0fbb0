/* What intervals cover, beside counting instant by instant. */
#include "viewer/analysis/aggregation/intervals.h"

#define INSTANTS 200

static PmInterval *random_intervals(GRand *random, guint n, gboolean sorted)
{
    PmInterval *intervals = g_new(PmInterval, n);
    gint64 begin = 0;
    for (guint i = 0; i < n; i++) {
        begin = sorted ? MIN(begin + g_rand_int_range(random, 0, 9), INSTANTS - 1)
                       : g_rand_int_range(random, 0, INSTANTS);
        intervals[i] = (PmInterval){begin, MIN(begin + g_rand_int_range(random, 0, 12), INSTANTS)};
    }
    return intervals;
}

static gboolean covers(const PmInterval *intervals, guint n, gint64 at)
{
    for (guint i = 0; i < n; i++)
        if (intervals[i].begin <= at && at < intervals[i].end)
            return TRUE;
    return FALSE;
}

static gint64 count(const PmInterval *intervals, guint n, gint64 begin, gint64 end)
{
    gint64 covered = 0;
    for (gint64 at = begin; at < end; at++)
        covered += covers(intervals, n, at);
    return covered;
}

static void within_is_what_is_covered(void)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(7);
    for (guint round = 0; round < 200; round++) {
        guint n = (guint)g_rand_int_range(random, 0, 20);
        g_autofree PmInterval *all = random_intervals(random, n, FALSE);
        g_autoptr(GArray) array = g_array_new(FALSE, FALSE, sizeof(PmInterval));
        g_array_append_vals(array, all, n);
        g_autoptr(PmIntervals) intervals = pm_intervals_new(array);
        for (guint k = 0; k < 20; k++) {
            gint64 begin = g_rand_int_range(random, -5, INSTANTS + 5);
            gint64 end = begin + g_rand_int_range(random, -3, 60);
            g_assert_cmpint(pm_intervals_within(intervals, begin, end), ==,
                            count(all, n, begin, end));
        }
    }
}

/* What overlaps counts once. */
static void sum_is_what_is_covered(void)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(8);
    for (guint round = 0; round < 200; round++) {
        guint n = (guint)g_rand_int_range(random, 0, 20);
        g_autofree PmInterval *all = random_intervals(random, n, TRUE);
        gint64 from = g_rand_int_range(random, 0, INSTANTS), to = from + INSTANTS / 2;
        PmIntervalSum sum = pm_interval_sum(all, n, from, to);
        g_assert_cmpint(sum.time, ==, count(all, n, from, to));
        g_assert_cmpint(sum.n, <=, n);
        g_assert_cmpint(sum.longest, <=, 12);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/analysis/intervals/within-is-what-is-covered", within_is_what_is_covered);
    g_test_add_func("/analysis/intervals/sum-is-what-is-covered", sum_is_what_is_covered);
    return g_test_run();
}
