/* What is read of the processor's counter follows the kernel's clock; and what may be done how
 * often. */
#include "recorder/agent/base/allowance.h"
#include "recorder/agent/base/clock.h"

#include <glib.h>
#include <stdlib.h>
#include <time.h>

#define S   INT64_C(1000000000)
#define GHZ 2.45 /* ticks a ns, of the counter that is made up here */

static uint64_t ticks_at(double ns)
{
    return (uint64_t)(1e6 + ns * GHZ);
}

/* Compares at `ns` of real time, when the kernel's clock says `says`; checks that what is read does
 * not step back there, and returns how far it was off. */
static int64_t compare(struct pm_clock_follower *follower, double ns, int64_t says)
{
    uint64_t ticks = ticks_at(ns);
    struct pm_clock_map before = follower->map;
    int64_t read = before.scale ? pm_clock_map_at(&before, ticks) : says;

    g_assert_cmpint(pm_clock_follow(follower, ticks, says), !=, PM_CLOCK_JUMPED);
    if (before.scale) {
        g_assert_cmpint(pm_clock_map_at(&follower->map, ticks), ==, read);
        g_assert_cmpint(follower->map.scale, >, 0);
    }
    return llabs(read - says);
}

static void follow(void)
{
    struct pm_clock_follower follower = {0};

    g_assert_cmpint(pm_clock_follow(&follower, ticks_at(0), 0), ==, PM_CLOCK_TOO_SOON);
    g_assert_cmpint(pm_clock_follow(&follower, ticks_at(5e7), 50000000), ==, PM_CLOCK_TOO_SOON);
    g_assert_cmpint(pm_clock_follow(&follower, ticks_at(1e8), 100000000), ==, PM_CLOCK_FOLLOWS);
    for (int i = 2; i < 1000; i++)
        g_assert_cmpint(compare(&follower, i * 1e8, i * INT64_C(100000000)), <=, 2);
}

/* Comparisons that are off by some ns, at intervals of any length. */
static void irregular(void)
{
    static const double intervals[] = {1e6, 1e8, 1.9e9, 1e8, 1e9, 2e7, 1e8, 5e8};
    struct pm_clock_follower follower = {0};
    double ns = 0;

    for (int i = 0; i < 20000; i++) {
        int64_t noise = g_test_rand_int_range(0, 60);
        int64_t off = compare(&follower, ns, (int64_t)ns + noise);
        if (i > 200)
            g_assert_cmpint(off, <, 5000);
        ns += intervals[g_test_rand_int_range(0, G_N_ELEMENTS(intervals))];
    }
}

/* The kernel's clock is slewed by 500 parts in a million, one way and then the other. */
static void slewed(void)
{
    struct pm_clock_follower follower = {0};
    double says = 0;

    for (int i = 0; i < 2000; i++) {
        int64_t off = compare(&follower, i * 1e8, (int64_t)says);
        if (i > 10)
            g_assert_cmpint(off, <, 1000000);
        says += 1e8 * (1 + (i / 100 % 2 ? 5e-4 : -5e-4));
    }
}

static void jumps(void)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        struct pm_clock_follower follower = {0};
        for (int i = 0; i < 100; i++)
            compare(&follower, i * 1e8, i * INT64_C(100000000));
        g_assert_cmpint(
            pm_clock_follow(&follower, ticks_at(100 * 1e8), INT64_C(10000000000) + sign * 6000000),
            ==, PM_CLOCK_JUMPED);
    }
}

/* A counter that begins anew, stands, or runs on while the kernel's clock stands, is found out
 * however long after. */
static void other_counter(void)
{
    const uint64_t ticks[] = {5, ticks_at(99 * 1e8), ticks_at(99 * 1e8) + 3, ticks_at(9e12)};

    for (size_t i = 0; i < G_N_ELEMENTS(ticks); i++) {
        struct pm_clock_follower follower = {0};
        for (int n = 0; n < 100; n++)
            compare(&follower, n * 1e8, n * INT64_C(100000000));
        g_assert_cmpint(pm_clock_follow(&follower, ticks[i], INT64_C(20000000000)), ==,
                        PM_CLOCK_JUMPED);
    }
}

static _Atomic bool compares;

static gpointer read_on(gpointer context)
{
    int64_t last = 0;

    while (atomic_load(&compares)) {
        int64_t before = pm_clock_kernel();
        int64_t now = pm_clock_now();
        int64_t after = pm_clock_kernel();
        g_assert_cmpint(now, >=, last);
        g_assert_cmpint(now, >, before - 500000);
        g_assert_cmpint(now, <, after + 500000);
        last = now;
    }
    return NULL;
}

static int64_t shortest_reading(clockid_t clock)
{
    int64_t shortest = INT64_MAX;

    for (int i = 0; i < 1000; i++) {
        struct timespec now;
        int64_t before = pm_clock_kernel();
        clock_gettime(clock, &now);
        shortest = MIN(shortest, pm_clock_kernel() - before);
    }
    return shortest;
}

static void live(void)
{
    GThread *readers[2];

    atomic_store(&compares, true);
    for (int i = 0; i < 2; i++)
        readers[i] = g_thread_new("reader", read_on, NULL);
    for (int i = 0; i < 60; i++) {
        pm_clock_compare();
        g_usleep(20000);
    }
    bool read = pm_clock_reads_counter();
    atomic_store(&compares, false);
    for (int i = 0; i < 2; i++)
        g_thread_join(readers[i]);
    /* Of what a thread has used only the kernel knows. */
    if (shortest_reading(CLOCK_MONOTONIC) * 4 < shortest_reading(CLOCK_THREAD_CPUTIME_ID))
        g_assert_true(read);
    else if (!read)
        g_test_skip("the kernel does not trust the processor's counter here");
}

/* A map from long ago is not used, nor one of a counter that began anew. */
static void stale(void)
{
    struct pm_clock_shared before = pm_clock_shared;
    struct pm_clock_map *map = &pm_clock_shared.maps[1];

    for (int i = 0; i < 2; i++) {
        atomic_store(&pm_clock_shared.n, 1);
        pm_clock_shared.lasting = 100; /* 1.7e9 ticks */
        *map = (struct pm_clock_map){.ticks = i ? UINT64_MAX / 2 : 1, .ns = 1, .scale = 1};
        int64_t now = pm_clock_now();
        g_assert_cmpint(llabs(now - pm_clock_kernel()), <, INT64_C(10000000000));
    }
    pm_clock_shared = before;
}

/* Of what is asked for each second for an hour, eight at once and one in each minute; after a rest
 * as at first. */
static void allowance(void)
{
    struct pm_allowance repairs = {0};
    int64_t at_ns = 5 * S;
    guint n = 0;
    for (guint second = 0; second < 3600; second++, at_ns += S) {
        n += pm_allowance_take(&repairs, at_ns);
        if (second == 7 || second == 59)
            g_assert_cmpuint(n, ==, PM_ALLOWANCE_TIMES);
    }
    g_assert_cmpuint(n, ==, PM_ALLOWANCE_TIMES + 59);
    g_assert_true(pm_allowance_take(&repairs, at_ns + PM_ALLOWANCE_EVERY_NS));
    at_ns += 3600 * S;
    for (n = 0; pm_allowance_take(&repairs, at_ns);)
        n++;
    g_assert_cmpuint(n, ==, PM_ALLOWANCE_TIMES);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/clock/what-others-force-is-done-now-and-then", allowance);
    g_test_add_func("/clock/a-steady-clock-is-followed-exactly", follow);
    g_test_add_func("/clock/comparisons-at-any-interval-converge", irregular);
    g_test_add_func("/clock/a-slewed-clock-is-followed-without-a-step", slewed);
    g_test_add_func("/clock/a-jump-is-told", jumps);
    g_test_add_func("/clock/another-counter-is-told-after-any-time", other_counter);
    g_test_add_func("/clock/an-old-map-is-not-used", stale);
    g_test_add_func("/clock/threads-read-the-kernels-clock-or-what-follows-it", live);
    return g_test_run();
}
