/* Lanes against brute force: for every lane, slice and family the overlap of every wait is summed
 * up one by one. */
#include <math.h>

#include "tests/analysis/made.h"
#include "viewer/analysis/aggregation/lane.h"

static guint32 lane_of(const PmRecording *r, PmLaneOf of, guint32 row)
{
    const guint32 thread = pm_wait_thread(&r->waits, row);

    return of == PM_LANE_GROUP    ? r->threads[thread].group
           : of == PM_LANE_THREAD ? thread
           : of == PM_LANE_ALIKE
               ? (guint32)pm_aspects[PM_ASPECT_ALIKE].key(r, pm_wait_blocker(&r->waits, row))
               : pm_wait_blocker(&r->waits, row);
}

/* Mean threads in [from, to). A wait of no length lasts one nanosecond, so that it is seen. */
static double brute_mean(const PmView *view, PmLaneOf of, guint32 lane, guint family, gint64 first,
                         gint64 last, double from, double to)
{
    const PmWaits *w = &view->recording->waits;
    double sum = 0;

    for (gsize i = 0; i < view->n; i++) {
        const guint32 row = pm_view_row(view, i);
        const gint64 begin = MAX(pm_wait_begin(w, row), first);
        gint64 end = MIN(pm_wait_end(w, row), last);
        const gboolean empty = pm_wait_end(w, row) == pm_wait_begin(w, row);
        if (lane_of(view->recording, of, row) != lane ||
            (guint)pm_category_family(pm_wait_category(w, row)) != family || begin >= last)
            continue;
        if (empty && pm_wait_begin(w, row) >= first)
            end = begin + 1;
        sum += MAX(MIN((double)end, to) - MAX((double)begin, from), 0);
    }
    return sum / (to - from);
}

static void check(const PmView *view, PmLaneOf of, gint64 from, gint64 to, guint n_slices)
{
    g_autoptr(PmLanes) lanes = pm_lanes_new(view, of, -1, from, to, n_slices, NULL);
    const double slice = (double)(to - from) / n_slices;

    g_assert_nonnull(lanes);
    for (guint l = 0; l < lanes->n_lanes; l++) {
        for (guint s = 0; s < n_slices; s++) {
            double all = 0;
            for (guint f = 0; f < PM_N_FAMILIES; f++) {
                const double wanted = brute_mean(view, of, l, f, from, to, (double)from + s * slice,
                                                 (double)from + (s + 1) * slice);
                const double got = pm_lanes_mean(lanes, l, s, f);
                g_assert_cmpfloat(fabs(got - wanted), <=, 1e-3 * MAX(wanted, 1));
                all += f == PM_FAMILY_IDLE ? 0 : got;
            }
            g_assert_cmpfloat(fabs(pm_lanes_mean(lanes, l, s, PM_N_FAMILIES) - all), <=, 1e-6);
        }
    }
    g_assert_cmpfloat(pm_lanes_mean(lanes, lanes->n_lanes, 0, 0), ==, 0);
    g_assert_cmpfloat(pm_lanes_mean(lanes, 0, n_slices, 0), ==, 0);
}

static void test_means_are_the_sum_of_the_waits(void)
{
    static const PmLaneOf kinds[] = {PM_LANE_GROUP, PM_LANE_THREAD, PM_LANE_BLOCKER, PM_LANE_ALIKE};

    for (guint32 seed = 1; seed <= 4; seed++) {
        PmRecording *recording = pm_made_random(seed, 400, 6, 1000000);
        g_autoptr(PmFilter) filter = pm_filter_new();
        filter->idle = TRUE;
        g_autoptr(PmView) view = pm_view_new(recording, filter, NULL);
        for (guint k = 0; k < G_N_ELEMENTS(kinds); k++) {
            check(view, kinds[k], 0, 1000000, 1);
            check(view, kinds[k], 0, 1000000, 37);
            check(view, kinds[k], 200000, 300001, 16);
        }
        pm_recording_unref(recording);
    }
}

static void test_one_group_alone(void)
{
    PmRecording *recording = pm_made_random(7, 300, 6, 1000000);
    g_autoptr(PmFilter) filter = pm_filter_new();
    filter->idle = TRUE;
    g_autoptr(PmView) view = pm_view_new(recording, filter, NULL);
    const guint32 group = recording->threads[1].group;
    g_autoptr(PmLanes) all = pm_lanes_new(view, PM_LANE_THREAD, -1, 0, 1000000, 20, NULL);
    g_autoptr(PmLanes) some = pm_lanes_new(view, PM_LANE_THREAD, (gint)group, 0, 1000000, 20, NULL);

    for (guint t = 1; t < recording->n_threads; t++)
        for (guint s = 0; s < 20; s++)
            g_assert_cmpfloat(
                pm_lanes_mean(some, t, s, PM_N_FAMILIES), ==,
                recording->threads[t].group == group ? pm_lanes_mean(all, t, s, PM_N_FAMILIES) : 0);
    pm_recording_unref(recording);
}

static void test_can_be_cancelled(void)
{
    PmRecording *recording = pm_made_random(8, 100, 4, 1000000);
    g_autoptr(PmView) view = pm_made_view(recording);
    const gint cancel = 1;

    g_assert_null(pm_lanes_new(view, PM_LANE_GROUP, -1, 0, 1000000, 20, &cancel));
    pm_recording_unref(recording);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/analysis/lane/means-are-the-sum-of-the-waits",
                    test_means_are_the_sum_of_the_waits);
    g_test_add_func("/analysis/lane/one-group-alone", test_one_group_alone);
    g_test_add_func("/analysis/lane/can-be-cancelled", test_can_be_cancelled);
    return g_test_run();
}
