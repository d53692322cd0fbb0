/* A thread's waits looked up by time, beside a look at all of them. */
#include "viewer/analysis/code/activity.h"

#include "tests/analysis/made.h"

/* One thread that waits `n` times with gaps, beside another's waits. */
static PmRecording *waits_of(guint n, guint seed)
{
    PmMade m = pm_made_begin();
    GRand *rand = g_rand_new_with_seed(seed);
    const guint32 lock = pm_made_blocker(&m, m.lock_class, 1, m.lock_chain);
    const guint32 thread = pm_made_thread(&m, "worker"), other = pm_made_thread(&m, "other");
    gint64 at = 10;

    for (guint i = 0; i < n; i++) {
        const gint64 length = g_rand_int_range(rand, 0, 1000);
        pm_made_wait(&m, thread, lock, m.lock_chain, at, at + length, 0);
        pm_made_wait(&m, other, lock, m.lock_chain, at + 1, at + 2, 0);
        /* Mostly short, at times very long, so that none is where its neighbours say. */
        at += length + (g_rand_int_range(rand, 0, 50) ? g_rand_int_range(rand, 1, 9) : 1000000);
    }
    m.assembly->duration = at + 10;
    g_rand_free(rand);
    return pm_assembly_finish(m.assembly);
}

static void check_at(const PmActivity *activity, guint32 thread, gint64 at)
{
    const PmWaits *w = &activity->recording->waits;
    const guint32 n = pm_activity_n_waits(activity, thread);
    guint32 first = 0;

    while (first < n && pm_wait_end(w, pm_activity_wait(activity, thread, first)) <= at)
        first++;
    g_assert_cmpuint(pm_activity_first_wait(activity, thread, at), ==, first);
    for (guint32 before = first > 3 ? first - 3 : 0; before < n && before < first + 3; before++)
        g_assert_cmpuint(pm_activity_next_wait(activity, thread, before, at), ==, first);
}

/* Numbers of waits around those of which the begin is kept. */
static void each_wait_is_found_by_its_time(void)
{
    const guint numbers[] = {0, 1, 2, 63, 64, 65, 66, 127, 128, 129, 130, 1000};

    for (guint i = 0; i < G_N_ELEMENTS(numbers); i++) {
        g_autoptr(PmRecording) r = waits_of(numbers[i], i);
        g_autoptr(PmActivity) activity = pm_activity_new(r, NULL);
        for (guint32 t = 0; t < r->n_threads; t++) {
            check_at(activity, t, 0);
            check_at(activity, t, r->duration);
            for (guint32 k = 0; k < pm_activity_n_waits(activity, t); k++) {
                const guint32 row = pm_activity_wait(activity, t, k);
                for (gint64 by = -1; by <= 1; by++) {
                    check_at(activity, t, pm_wait_begin(&r->waits, row) + by);
                    check_at(activity, t, pm_wait_end(&r->waits, row) + by);
                }
            }
        }
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/activity/by-time", each_wait_is_found_by_its_time);
    return g_test_run();
}
