#include "viewer/analysis/whatif/replay.h"

/* Asks for `lock` after `think`, holds it for `hold`. */
#define ACQUIRE(think, lock_index, hold)                                                           \
    {.before = (think), .lock = (lock_index), .asks = TRUE},                                       \
    {                                                                                              \
        .before = (hold), .lock = (lock_index), .scaled = (lock_index) == 0                        \
    }

static const PmReplayThread *all_alike(const PmReplayStep *steps, guint n_steps, double rest,
                                       guint n, PmReplayThread *threads)
{
    for (guint i = 0; i < n; i++)
        threads[i] = (PmReplayThread){.steps = steps, .n_steps = n_steps, .rest = rest};
    return threads;
}

/* Acquisitions of lock 0 per 1000 ns. */
static double rate(const PmReplayThread *threads, guint n, const PmReplayLock *locks, guint n_locks,
                   double factor)
{
    PmReplayOutcome outcome;
    g_assert_true(pm_replay_run(threads, n, locks, n_locks, 0, factor, 1000, 10000, 0, &outcome));
    return outcome.rate * 1000;
}

static void assert_near(double rate, double expected)
{
    g_assert_cmpfloat_with_epsilon(rate, expected, expected / 100);
}

static void alone_it_never_waits(void)
{
    const PmReplayStep steps[] = {ACQUIRE(30, 0, 10)};
    const PmReplayLock lock = {.handoff = 5};
    PmReplayThread threads[1];
    const PmReplayThread *one = all_alike(steps, 2, 60, 1, threads);
    assert_near(rate(one, 1, &lock, 1, 1), 10);
    assert_near(rate(one, 1, &lock, 1, 0), 1000 / 90.0);
    assert_near(rate(one, 1, &lock, 1, 11), 5);
}

static void who_waits_gets_a_fair_lock(void)
{
    const PmReplayStep steps[] = {ACQUIRE(0, 0, 10)};
    const PmReplayLock lock = {.handoff = 5, .fair = TRUE};
    PmReplayThread threads[4];
    assert_near(rate(all_alike(steps, 2, 0, 4, threads), 4, &lock, 1, 1), 1000 / 15.0);
    assert_near(rate(threads, 4, &lock, 1, 0.5), 100);
}

/* Who releases and asks again before the woken one has it, takes it: no handoff is ever done. */
static void who_comes_first_barges(void)
{
    const PmReplayStep steps[] = {ACQUIRE(2, 0, 8)};
    const PmReplayLock quick = {.handoff = 5}, quicker = {.handoff = 1};
    PmReplayThread threads[4];
    assert_near(rate(all_alike(steps, 2, 0, 4, threads), 4, &quick, 1, 1), 100);
    assert_near(rate(threads, 4, &quicker, 1, 1), 1000 / 9.0);
}

/* Holds the lock together with others. */
#define ACQUIRE_SHARED(think, hold)                                                                \
    {.before = (think), .asks = TRUE, .shared = TRUE},                                             \
    {                                                                                              \
        .before = (hold), .scaled = TRUE, .shared = TRUE                                           \
    }

static void who_shares_does_not_wait_for_each_other(void)
{
    const PmReplayStep steps[] = {ACQUIRE_SHARED(10, 40)};
    const PmReplayLock lock = {.handoff = 5, .fair = TRUE};
    PmReplayThread threads[4];
    assert_near(rate(all_alike(steps, 2, 0, 4, threads), 4, &lock, 1, 1), 4 * 1000 / 50.0);
    assert_near(rate(threads, 4, &lock, 1, 0.5), 4 * 1000 / 30.0);
}

/* Three share it at a time, then a fourth has it alone: 10 + 40 with both handoffs. Each of the
 * three is woken by the one before it. */
static void who_shares_waits_for_who_does_not(void)
{
    const PmReplayStep shared[] = {ACQUIRE_SHARED(0, 10)}, alone[] = {ACQUIRE(0, 0, 40)};
    const PmReplayThread threads[] = {{.steps = alone, .n_steps = 2},
                                      {.steps = shared, .n_steps = 2},
                                      {.steps = shared, .n_steps = 2},
                                      {.steps = shared, .n_steps = 2}};
    const PmReplayLock at_once = {.fair = TRUE}, late = {.handoff = 5, .fair = TRUE};
    assert_near(rate(threads, 4, &at_once, 1, 1), 4 * 1000 / 50.0);
    assert_near(rate(threads, 4, &at_once, 1, 0.5), 4 * 1000 / 25.0);
    assert_near(rate(threads, 4, &late, 1, 1), 4 * 1000 / (40 + 5 + 5 + 5 + 10 + 5.0));
}

/* Who shares goes in beside others until somebody waits who does not. */
static void who_does_not_share_is_not_starved(void)
{
    const PmReplayStep shared[] = {ACQUIRE_SHARED(1, 10)}, longer[] = {ACQUIRE_SHARED(1, 14)},
                       alone[] = {ACQUIRE(0, 0, 5)};
    const PmReplayThread threads[] = {{.steps = alone, .n_steps = 2, .rest = 1000},
                                      {.steps = shared, .n_steps = 2},
                                      {.steps = longer, .n_steps = 2}};
    const PmReplayLock unfair = {.handoff = 0};
    PmReplayOutcome outcome;
    g_assert_true(pm_replay_run(threads, 3, &unfair, 1, 0, 1, 1000, 10000, 0, &outcome));
    g_assert_cmpfloat_with_epsilon(outcome.rate * 1000, 1000 / 11.0 + 1000 / 15.0, 5);
    g_assert_cmpfloat(outcome.first_waiting, <, 100);
}

static void only_time_with_the_lock_is_scaled(void)
{
    const PmReplayStep steps[] = {ACQUIRE(0, 0, 40), ACQUIRE(0, 1, 10)};
    const PmReplayLock locks[2] = {{.fair = TRUE}, {.fair = TRUE}};
    PmReplayThread threads[8];
    all_alike(steps, 4, 0, 8, threads);
    assert_near(rate(threads, 8, locks, 2, 1), 25);
    assert_near(rate(threads, 8, locks, 2, 0.5), 50);
    assert_near(rate(threads, 8, locks, 2, 0.1), 100); /* the other lock is in the way */
}

/* Waiting of the first round, first come first served: 0, 10, 20 and 30. */
static void waiting_is_counted(void)
{
    const PmReplayStep steps[] = {ACQUIRE(0, 0, 10)};
    const PmReplayLock lock = {.fair = TRUE};
    PmReplayThread threads[4];
    PmReplayOutcome outcome;
    all_alike(steps, 2, 1000, 4, threads);
    g_assert_true(pm_replay_run(threads, 4, &lock, 1, 0, 1, 4, 100, 15, &outcome));
    g_assert_cmpfloat(outcome.first_waiting, ==, 60);
    g_assert_cmpfloat(outcome.early_waiting, ==, 40); /* 10 + 15 + 15 until 15 */
    g_assert_true(pm_replay_run(threads, 4, &lock, 1, 0, 0.5, 4, 100, 15, &outcome));
    g_assert_cmpfloat(outcome.first_waiting, ==, 30);
}

static void circles_are_untangled(void)
{
    const PmReplayStep one[] = {{.before = 1, .lock = 0, .asks = TRUE},
                                {.before = 5, .lock = 1, .asks = TRUE},
                                {.before = 5, .lock = 1},
                                {.before = 1, .lock = 0}};
    const PmReplayStep other[] = {{.before = 1, .lock = 1, .asks = TRUE},
                                  {.before = 5, .lock = 0, .asks = TRUE},
                                  {.before = 5, .lock = 0},
                                  {.before = 1, .lock = 1}};
    const PmReplayThread threads[] = {{.steps = one, .n_steps = 4}, {.steps = other, .n_steps = 4}};
    const PmReplayLock locks[2] = {{.handoff = 1}, {.handoff = 1}};
    g_assert_cmpfloat(rate(threads, 2, locks, 2, 1), >, 0);
}

static void nothing_is_said_of_nothing(void)
{
    const PmReplayStep steps[] = {ACQUIRE(0, 1, 0)}, no_time[] = {ACQUIRE(0, 0, 0)};
    const PmReplayLock locks[2] = {{.handoff = 0}, {.handoff = 0}};
    PmReplayThread threads[2];
    PmReplayOutcome outcome;
    g_assert_false(pm_replay_run(NULL, 0, locks, 2, 0, 1, 10, 10, 0, &outcome));
    all_alike(steps, 2, 0, 2, threads);
    g_assert_false(pm_replay_run(threads, 2, locks, 2, 0, 1, 10, 10, 0, &outcome));
    all_alike(no_time, 2, 0, 2, threads);
    g_assert_false(pm_replay_run(threads, 2, locks, 2, 0, 1, 10, 10, 0, &outcome));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/analysis/replay/alone-it-never-waits", alone_it_never_waits);
    g_test_add_func("/analysis/replay/who-waits-gets-a-fair-lock", who_waits_gets_a_fair_lock);
    g_test_add_func("/analysis/replay/who-comes-first-barges", who_comes_first_barges);
    g_test_add_func("/analysis/replay/who-shares-does-not-wait-for-each-other",
                    who_shares_does_not_wait_for_each_other);
    g_test_add_func("/analysis/replay/who-shares-waits-for-who-does-not",
                    who_shares_waits_for_who_does_not);
    g_test_add_func("/analysis/replay/who-does-not-share-is-not-starved",
                    who_does_not_share_is_not_starved);
    g_test_add_func("/analysis/replay/only-time-with-the-lock-is-scaled",
                    only_time_with_the_lock_is_scaled);
    g_test_add_func("/analysis/replay/waiting-is-counted", waiting_is_counted);
    g_test_add_func("/analysis/replay/circles-are-untangled", circles_are_untangled);
    g_test_add_func("/analysis/replay/nothing-is-said-of-nothing", nothing_is_said_of_nothing);
    return g_test_run();
}
