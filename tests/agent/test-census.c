/* recorder/agent/sampling/census.h over threads of this process. */
#include <glib.h>
#include <sched.h>
#include <unistd.h>

#include "recorder/agent/base/clock.h"
#include "recorder/agent/sampling/census.h"
#include "recorder/agent/tables/tables.h"
#include "recorder/agent/tables/thread.h"

#define S_NS INT64_C(1000000000)

static _Atomic bool stop;
static _Atomic int n_native;

static gpointer spin(gpointer native)
{
    *(int32_t *)native = (int32_t)gettid();
    n_native++;
    while (!stop) {
    }
    return NULL;
}

static gpointer sleep_long(gpointer native)
{
    *(int32_t *)native = (int32_t)gettid();
    n_native++;
    while (!stop)
        g_usleep(20000000);
    return NULL;
}

struct told {
    int64_t cpu_ns[8], run_delay_ns[8], length_ns[8];
    int n[8];
    uint32_t base;
};

static void tell(void *context, const struct pm_census_row *row)
{
    struct told *told = context;
    g_assert_cmpuint(row->thread.n - told->base, <, 8);
    uint32_t i = row->thread.n - told->base;
    told->n[i]++;
    told->cpu_ns[i] += row->cpu_ns;
    told->run_delay_ns[i] += row->run_delay_ns;
    told->length_ns[i] += row->at_ns - row->since_ns;
}

/* A thread that runs has its time on a processor and for one in its rows, one that sleeps has no
 * row, an ended one and one of ours are left alone. */
static void test_rows_are_of_threads_with_progress(void)
{
    struct pm_census census;
    struct told told = {0};
    int32_t native[2] = {0};
    GThread *runner = g_thread_new("runner", spin, &native[0]);
    g_thread_unref(g_thread_new("sleeper", sleep_long, &native[1]));
    while (n_native < 2)
        g_usleep(1000);
    g_usleep(10000);
    pm_thread_id ids[] = {pm_thread_add(1, "runner", false, false, 0),
                          pm_thread_add(2, "sleeper", false, false, 0),
                          pm_thread_add(3, "ended", false, false, 0),
                          pm_thread_add(4, "parkmeter-sweep", false, false, 0),
                          pm_thread_add(5, "begun", false, false, pm_clock_now() - 1),
                          pm_thread_add(6, "unknown", false, false, 0),
                          pm_thread_add(7, "attached", false, false, pm_clock_now() - 1)};
    told.base = ids[0].n;
    const int32_t of[] = {native[0], native[1], native[0], native[0], native[0], 0, native[0]};
    for (size_t i = 0; i < G_N_ELEMENTS(ids); i++)
        pm_thread_set_native(ids[i], of[i], i == 6 ? S_NS / 100 : 0);
    pm_thread_end(ids[2], pm_clock_now());
    pm_census_init(&census);
    int64_t begin_ns = pm_clock_now();
    pm_census_take(&census, begin_ns, tell, &told);
    g_assert_cmpint(told.n[0], ==, 0); /* nothing to compare with */
    g_assert_cmpint(told.n[4], ==, 1); /* its begin is */
    g_assert_cmpint(told.n[6], ==, 0); /* what the kernel's thread did before is not its */
    g_usleep(300000);
    pm_census_take(&census, begin_ns + S_NS - 1, tell, &told);
    g_assert_cmpint(told.n[0], ==, 0); /* not yet */
    pm_census_take(&census, begin_ns + S_NS, tell, &told);
    g_assert_cmpint(told.n[0], ==, 1);
    g_assert_cmpint(told.n[6], ==, 1);
    g_assert_cmpint(told.length_ns[0], >=, 300000000);
    g_assert_cmpint(told.cpu_ns[0], >, 0);
    /* It is always on a processor or waits for one. */
    g_assert_cmpint(ABS(told.cpu_ns[0] + told.run_delay_ns[0] - told.length_ns[0]), <,
                    told.length_ns[0] / 4);
    g_assert_cmpint(told.n[1] + told.n[2] + told.n[3] + told.n[5], ==, 0);
    g_assert_cmpuint(census.away.n, ==, 1); /* neither who runs, nor who ended, nor ours */
    g_assert_cmpuint(census.away.threads[0].n, ==, ids[1].n);
    stop = true;
    g_thread_join(runner);
    pm_census_clear(&census);
    for (size_t i = 0; i < G_N_ELEMENTS(ids); i++)
        pm_thread_end(ids[i], pm_clock_now());
}

/* Three threads that share a processor are busy while they run, the others are not. */
static void test_busy_threads_are_told_while_processors_are_short(void)
{
    struct pm_census census;
    struct told told = {0};
    int32_t native[3] = {0};
    GThread *runners[3];
    cpu_set_t before, one;
    pm_thread_id ids[3];
    g_assert_cmpint(sched_getaffinity(0, sizeof before, &before), ==, 0);
    CPU_ZERO(&one);
    for (int cpu = 0; CPU_COUNT(&one) == 0; cpu++)
        if (CPU_ISSET(cpu, &before))
            CPU_SET(cpu, &one);
    g_assert_cmpint(sched_setaffinity(0, sizeof one, &one), ==, 0); /* theirs, too */
    stop = false;
    n_native = 0;
    for (int i = 0; i < 3; i++)
        runners[i] = g_thread_new("runner", spin, &native[i]);
    while (n_native < 3)
        g_usleep(1000);
    g_assert_cmpint(sched_setaffinity(0, sizeof before, &before), ==, 0);
    for (int i = 0; i < 3; i++) {
        ids[i] = pm_thread_add(2000 + i, "runner", false, false, 0);
        pm_thread_set_native(ids[i], native[i], 0);
    }
    told.base = ids[0].n;
    pm_census_init(&census);
    int64_t begin_ns = pm_clock_now();
    pm_census_take(&census, begin_ns, tell, &told);
    g_assert_cmpuint(census.busy.n, ==, 0);
    g_usleep(1500000);
    pm_census_take(&census, begin_ns + S_NS, tell, &told);
    g_assert_cmpuint(census.busy.n, ==, 3);
    for (size_t i = 0; i < 3; i++)
        g_assert_cmpuint(census.busy.threads[i].n - ids[0].n, <, 3);
    g_assert_cmpint(census.busy.cpu_ns[0], >=, census.busy.cpu_ns[2]);
    stop = true;
    for (int i = 0; i < 3; i++)
        g_thread_join(runners[i]);
    pm_census_take(&census, begin_ns + 2 * S_NS, tell, &told);
    g_assert_cmpuint(census.busy.n, ==, 0);
    pm_census_clear(&census);
    for (int i = 0; i < 3; i++)
        pm_thread_end(ids[i], pm_clock_now());
}

/* More than are read at once take turns, and each comes. */
static void test_many_threads_alternate(void)
{
    struct pm_census census;
    struct told told = {0};
    const int n = 3 * PM_CENSUS_AT_ONCE;
    pm_census_init(&census);
    for (int i = 0; i < n; i++) {
        pm_thread_set_native(pm_thread_add(100 + i, "one of many", false, false, 0),
                             (int32_t)gettid(), 0);
    }
    for (int pass = 0; pass < 4; pass++) {
        struct pm_thread_row row;
        int n_read = 0;
        for (int i = 0; i < n; i++) {
            g_assert_true(pm_thread_get(pm_thread_find(100 + i), &row));
            n_read += row.activity.read_ns != 0;
        }
        g_assert_cmpint(n_read, ==, pass * PM_CENSUS_AT_ONCE);
        told.base = pm_thread_find(100).n;
        if (pass < 3)
            pm_census_take(&census, pass * S_NS, tell, &told);
    }
    pm_census_clear(&census);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_assert_cmpint(pm_tables_init(), ==, 0);
    g_test_add_func("/agent/census/rows-are-of-threads-with-progress",
                    test_rows_are_of_threads_with_progress);
    g_test_add_func("/agent/census/busy-threads-are-told-while-processors-are-short",
                    test_busy_threads_are_told_while_processors_are_short);
    g_test_add_func("/agent/census/many-threads-alternate", test_many_threads_alternate);
    return g_test_run();
}
