/* What each thread did, against brute force: each thread's waits are looked for one by one. */
#include "tests/analysis/made.h"
#include "viewer/analysis/aggregation/thread-time.h"

static void assert_same(const PmThreadTime *got, const PmThreadTime *wanted)
{
    g_assert_cmpint(got->life, ==, wanted->life);
    g_assert_cmpint(got->known, ==, wanted->known);
    g_assert_cmpint(got->waits, ==, wanted->waits);
    g_assert_cmpint(got->longest, ==, wanted->longest);
    for (guint f = 0; f < PM_N_FAMILIES; f++)
        g_assert_cmpint(got->family[f], ==, wanted->family[f]);
}

/* Until then nothing of the file can be read. */
#define LOST_UNTIL 300000

static gint64 lost_within(const PmRecording *r, gint64 from, gint64 to)
{
    return r->n_damage ? MAX(MIN(to, LOST_UNTIL) - MAX(from, 0), 0) : 0;
}

static void lose_some(PmRecording *r)
{
    PmDamage *damage = g_new0(PmDamage, 1);

    damage->end = LOST_UNTIL;
    g_free((gpointer)r->damage);
    r->damage = damage;
    r->n_damage = 1;
}

/* The waits of the view whose thread `is_one` says yes to. */
static void add_waits(const PmView *view, const gboolean *is_one, PmThreadTime *sum)
{
    const PmWaits *w = &view->recording->waits;

    for (gsize row = 0; row < w->n; row++) {
        gboolean in_view = FALSE;
        for (gsize i = 0; i < view->n && !in_view; i++)
            in_view = pm_view_row(view, i) == row;
        if (!in_view || !is_one[pm_wait_thread(w, row)])
            continue;
        const gint64 time =
            MIN(pm_wait_end(w, row), view->to) - MAX(pm_wait_begin(w, row), view->from);
        const PmFamily family = pm_category_family(pm_wait_category(w, row));
        sum->waits += family != PM_FAMILY_IDLE;
        sum->family[family] += MAX(time, 0);
        sum->known += lost_within(view->recording, MAX(pm_wait_begin(w, row), view->from),
                                  MIN(pm_wait_end(w, row), view->to));
        if (family != PM_FAMILY_IDLE)
            sum->longest = MAX(sum->longest, time);
    }
}

static void check(PmRecording *r, gint64 from, gint64 to)
{
    g_autoptr(PmFilter) filter = pm_filter_new();
    filter->idle = TRUE;
    filter->from = from;
    filter->to = to;
    g_autoptr(PmView) view = pm_view_new(r, filter, NULL);
    g_autoptr(PmThreadTimes) times = pm_thread_times_new(view, NULL);
    g_autofree gboolean *is_one = g_new0(gboolean, r->n_threads);

    g_assert_cmpuint(times->n_threads, ==, r->n_threads);
    g_assert_cmpuint(times->n_groups, ==, r->n_groups);
    for (guint t = 1; t < r->n_threads; t++) {
        PmThreadTime wanted = {0};
        is_one[t] = TRUE;
        wanted.life =
            MAX(MIN(r->threads[t].end, view->to) - MAX(r->threads[t].begin, view->from), 0);
        wanted.known = wanted.life - lost_within(r, MAX(r->threads[t].begin, view->from),
                                                 MIN(r->threads[t].end, view->to));
        add_waits(view, is_one, &wanted);
        is_one[t] = FALSE;
        assert_same(&times->threads[t], &wanted);
        if (wanted.longest > 0)
            g_assert_cmpuint(pm_wait_thread(&r->waits, times->threads[t].longest_row), ==, t);
    }
    for (guint g = 1; g < r->n_groups; g++) {
        PmThreadTime wanted = {0};
        guint n = 0;
        for (guint t = 1; t < r->n_threads; t++) {
            is_one[t] = r->threads[t].group == g;
            if (!is_one[t])
                continue;
            wanted.life += times->threads[t].life;
            wanted.known +=
                times->threads[t].life - lost_within(r, MAX(r->threads[t].begin, view->from),
                                                     MIN(r->threads[t].end, view->to));
            if (r->threads[t].begin <= view->to && r->threads[t].end >= view->from) {
                g_assert_cmpuint(times->of_group[g][n], ==, t);
                n++;
            }
        }
        add_waits(view, is_one, &wanted);
        for (guint t = 1; t < r->n_threads; t++)
            is_one[t] = FALSE;
        assert_same(&times->groups[g], &wanted);
        g_assert_cmpuint(times->n_of_group[g], ==, n);
        g_assert_cmpint(pm_thread_time_waiting(&times->groups[g]), ==,
                        wanted.family[PM_FAMILY_LOCK] + wanted.family[PM_FAMILY_RESOURCE] +
                            wanted.family[PM_FAMILY_SIGNAL] + wanted.family[PM_FAMILY_JOIN] +
                            wanted.family[PM_FAMILY_OTHER]);
    }
}

static void test_sums_are_those_of_the_waits(void)
{
    for (guint32 seed = 1; seed <= 6; seed++) {
        PmRecording *recording = pm_made_random(seed, 300, 7, 1000000);
        if (seed > 3)
            lose_some(recording);
        check(recording, 0, 0);
        check(recording, 250000, 600000);
        check(recording, 999999, 1000000);
        pm_recording_unref(recording);
    }
}

static void test_can_be_cancelled(void)
{
    PmRecording *recording = pm_made_random(9, 100, 4, 1000000);
    g_autoptr(PmView) view = pm_made_view(recording);
    const gint cancel = 1;

    g_assert_null(pm_thread_times_new(view, &cancel));
    pm_recording_unref(recording);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/analysis/thread-time/sums-are-those-of-the-waits",
                    test_sums_are_those_of_the_waits);
    g_test_add_func("/analysis/thread-time/can-be-cancelled", test_can_be_cancelled);
    return g_test_run();
}
