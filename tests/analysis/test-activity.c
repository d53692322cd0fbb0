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

/* A loader, for which another thread waits, is looked at as it loads and, a moment after the wait,
 * as it naps: what it does in the next wait is to load. Unless another one waits as it naps. */
static void what_is_seen_after_a_wait_is_not_what_ends_it(void)
{
    for (guint too = 0; too < 2; too++) {
        PmMade m = pm_made_begin();
        const gint64 ms = 1000000;
        const guint32 loads = pm_made_chain(m.assembly, "com.acme.Rates.load", NULL);
        const guint32 naps = pm_made_chain(m.assembly, "com.acme.Rates.nap", NULL);
        const guint32 rate = pm_made_blocker(&m, m.queue_class, 1, m.lock_chain);
        const guint32 loader = pm_made_thread(&m, "loader"), waiter = pm_made_thread(&m, "waiter");
        const guint32 other = pm_made_thread(&m, "other");
        m.assembly->duration = 400 * ms;
        pm_made_wait(&m, waiter, rate, m.lock_chain, 0, 100 * ms, 0);
        if (too)
            PM_MADE_WAIT(m.assembly, 50 * ms, 150 * ms, other, rate, m.lock_chain, .wake = 150 * ms,
                         .waker = loader, .wake_cause = PM_WAKE_RELEASE);
        pm_made_wait(&m, waiter, rate, m.lock_chain, 120 * ms, 220 * ms, 0);
        for (guint i = 0; i < 2; i++) {
            pm_made_sample(m.assembly, PM_SAMPLE_ENDER, waiter, rate, loader, i ? naps : loads,
                           (i ? 110 : 50) * ms);
        }
        g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
        g_autoptr(PmActivity) activity = pm_activity_new(r, NULL);
        g_assert_cmpuint(
            pm_activity_nearest_sample(activity, loader, FALSE, 120 * ms, 220 * ms, 100 * ms, NULL),
            ==, too ? naps : loads);
        g_assert_cmpuint(/* then it did nap */
                         pm_activity_nearest_sample(activity, loader, FALSE, 105 * ms, 115 * ms, 0,
                                                    NULL),
                         ==, naps);
    }
}

/* Makers are threads that live for their task only, a quick one or a slow one. A slow one was
 * looked at a moment ago, quick ones some seconds later, or never: a third quick one did what those
 * did, and no slow one's task, while it lived. */
static void check_short_life(gboolean seen)
{
    const gint64 ms = 1000000;
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    const guint32 draws = pm_made_chain(a, "com.acme.Chart.draw", "java.lang.Thread.run", NULL);
    const guint32 fills = pm_made_chain(a, "com.acme.Table.fill", "java.lang.Thread.run", NULL);
    const guint32 ends = pm_made_chain(a, "java.util.concurrent.FutureTask.run", NULL);
    const struct {
        gint64 begin, length;
        guint32 seen;
    } lives[] = {{100, 50, draws}, {200, 50, draws}, {4000, 5, fills}, {5000, 5, fills}, {260, 5}};
    guint32 makers[G_N_ELEMENTS(lives)];
    a->duration = 10000 * ms;
    for (guint i = 0; i < G_N_ELEMENTS(lives); i++) {
        const PmThread thread = {.tid = 10 + i,
                                 .name = "maker",
                                 .begin_known = TRUE,
                                 .begin = lives[i].begin * ms,
                                 .ended = TRUE,
                                 .end = (lives[i].begin + lives[i].length) * ms};
        makers[i] = pm_assembly_add_thread(a, &thread);
        const PmOwnerSample sample = {.at = (lives[i].begin + 2) * ms,
                                      .owner = makers[i],
                                      .chain = lives[i].seen,
                                      .role = PM_SAMPLE_ENDER,
                                      .weight = 1};
        if (lives[i].seen == draws || (seen && lives[i].seen))
            g_array_append_val(a->samples, sample);
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(a);
    g_autoptr(PmActivity) activity = pm_activity_new(r, NULL);
    const PmStretch stretch = pm_activity_stretch(activity, makers[4], 262 * ms);
    g_assert_cmpint(stretch.begin, ==, 260 * ms);
    g_assert_cmpint(stretch.length, ==, 5 * ms);
    g_assert_cmpuint(
        pm_activity_sample_in_call(activity, makers[4], ends, FALSE, 261 * ms, 264 * ms, &stretch),
        ==, seen ? fills : 0);
    /* What was waited for before it lived may have been a slow one's. */
    g_assert_cmpuint(
        pm_activity_sample_in_call(activity, makers[4], ends, FALSE, 210 * ms, 264 * ms, &stretch),
        ==, seen ? fills : draws);
}

static void short_life_is_like_short_ones(void)
{
    check_short_life(TRUE);
    check_short_life(FALSE);
}

/* Two threads hold a lock in one call, for different things. Of a hold in which neither was looked
 * at, what that thread was seen doing with it tells more than what the other one was nearer to it.
 */
static void hold_is_rather_like_those_of_its_thread(void)
{
    const gint64 ms = 1000000;
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    const guint32 ranks = pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Recommender.rank",
                                        "com.acme.Browser.call", "java.lang.Thread.run", NULL);
    const guint32 prices = pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.PriceList.price",
                                         "com.acme.Browser.call", "java.lang.Thread.run", NULL);
    const guint32 unlocks = pm_made_chain(a, "java.util.concurrent.locks.ReentrantLock.unlock",
                                          "com.acme.Browser.call", "java.lang.Thread.run", NULL);
    const guint32 calls[] = {pm_made_thread(&m, "call-1"), pm_made_thread(&m, "call-2"),
                             pm_made_thread(&m, "call-3")};
    a->duration = 1000 * ms;
    for (guint i = 0; i < 6; i++) {
        const PmOwnerSample sample = {.at = (i % 2 ? 400 + i : 100 + i) * ms,
                                      .owner = calls[i % 2],
                                      .chain = i % 2 ? prices : ranks,
                                      .role = PM_SAMPLE_OWNER,
                                      .weight = 1};
        g_array_append_val(a->samples, sample);
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(a);
    g_autoptr(PmActivity) activity = pm_activity_new(r, NULL);
    for (guint i = 0; i < G_N_ELEMENTS(calls); i++)
        g_assert_cmpuint(
            pm_activity_sample_in_call(activity, calls[i], unlocks, TRUE, 400 * ms, 410 * ms, NULL),
            ==, i == 0 ? ranks : prices);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/activity/hold-is-rather-like-those-of-its-thread",
                    hold_is_rather_like_those_of_its_thread);
    g_test_add_func("/activity/by-time", each_wait_is_found_by_its_time);
    g_test_add_func("/activity/what-is-seen-after-a-wait-is-not-what-ends-it",
                    what_is_seen_after_a_wait_is_not_what_ends_it);
    g_test_add_func("/activity/short-life-is-like-short-ones", short_life_is_like_short_ones);
    return g_test_run();
}
