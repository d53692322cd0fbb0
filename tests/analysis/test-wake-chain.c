#include "viewer/analysis/findings/wake-chain.h"

#include "tests/analysis/made.h"

#define MS G_GINT64_CONSTANT(1000000)

/* A builder waits 100 ms for its helper, which waits 70 of them for a timer's tick. */
static void waker_that_waits_passes_the_blame_on(void)
{
    PmMade m = pm_made_begin();
    m.assembly->duration = 200 * MS;
    guint32 done = pm_made_blocker(&m, m.queue_class, 1, m.other_chain);
    guint32 command = pm_made_blocker(&m, m.queue_class, 2, m.idle_chain);
    guint32 builder = pm_made_thread(&m, "builder"), helper = pm_made_thread(&m, "helper");
    guint32 timer = pm_made_thread(&m, "timer");
    PmWaitRow rows[] = {
        {.begin = 0, .end = 20 * MS, .thread = helper, .chain = m.lock_chain, .waker = builder},
        {.begin = 10 * MS, .end = 110 * MS, .thread = builder, .waker = helper},
        {.begin = 30 * MS, .end = 100 * MS, .thread = helper, .waker = timer},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        rows[i].blocker = i == 1 ? done : command;
        rows[i].chain = i == 1 ? m.other_chain : i == 2 ? m.idle_chain : m.lock_chain;
        rows[i].wake = rows[i].end;
        rows[i].wake_cause = PM_WAKE_SIGNAL;
        rows[i].waker_chain = m.lock_chain;
        pm_assembly_add_wait(m.assembly, &rows[i]);
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmView) v = pm_made_view(r);
    PmWakeStep step;
    guint32 row = 1;
    g_assert_cmpuint(pm_wait_thread(&r->waits, row), ==, builder);
    g_assert_true(pm_wake_chain_step(v, &row, 1, &step));
    g_assert_cmpint(step.waited, ==, 100 * MS);
    g_assert_cmpint(step.time, ==, 70 * MS);
    g_assert_cmpuint(step.chain, ==, m.idle_chain);
    g_assert_cmpuint(step.waker, ==, timer);
    g_assert_cmpuint(step.waker_chain, ==, m.lock_chain);
    row = 2; /* the timer itself never waited */
    g_assert_false(pm_wake_chain_step(v, &row, 1, &step));
}

/* A builder is woken after 100 ms and runs 20 ms later; what its helper waits for meanwhile is no
 * part of why it waited. */
static void only_what_was_before_the_wake_counts(void)
{
    PmMade m = pm_made_begin();
    m.assembly->duration = 200 * MS;
    guint32 done = pm_made_blocker(&m, m.queue_class, 1, m.other_chain);
    guint32 command = pm_made_blocker(&m, m.queue_class, 2, m.idle_chain);
    guint32 builder = pm_made_thread(&m, "builder"), helper = pm_made_thread(&m, "helper");
    guint32 timer = pm_made_thread(&m, "timer");
    PmWaitRow rows[] = {
        {.begin = 0, .end = 120 * MS, .wake = 100 * MS, .thread = builder, .waker = helper},
        {.begin = 30 * MS, .end = 90 * MS, .wake = 90 * MS, .thread = helper, .waker = timer},
        {.begin = 102 * MS, .end = 118 * MS, .wake = 118 * MS, .thread = helper, .waker = timer},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        rows[i].blocker = i == 0 ? done : command;
        rows[i].chain = i == 0 ? m.other_chain : m.idle_chain;
        rows[i].wake_cause = PM_WAKE_SIGNAL;
        rows[i].waker_chain = m.lock_chain;
        pm_assembly_add_wait(m.assembly, &rows[i]);
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmView) v = pm_made_view(r);
    PmWakeStep step;
    guint32 row = 0;
    g_assert_true(pm_wake_chain_step(v, &row, 1, &step));
    g_assert_cmpint(step.waited, ==, 100 * MS);
    g_assert_cmpint(step.time, ==, 60 * MS);
}

/* Of any recording the step is no longer than what it is part of. */
static void step_is_part_of_what_was_waited(void)
{
    for (guint32 seed = 1; seed <= 20; seed++) {
        g_autoptr(PmRecording) r = pm_made_random(seed, 400, 9, 5000);
        g_autoptr(PmView) v = pm_made_view(r);
        const PmWaits *w = &r->waits;
        PmWakeStep step;
        gint64 most = 0;
        for (guint i = 0; i < v->n; i++)
            if (pm_wait_waker(w, v->rows[i]))
                most += (pm_wait_wake(w, v->rows[i]) ? pm_wait_wake(w, v->rows[i])
                                                     : pm_wait_end(w, v->rows[i])) -
                        pm_wait_begin(w, v->rows[i]);
        if (!pm_wake_chain_step(v, v->rows, (guint)v->n, &step))
            continue;
        g_assert_cmpint(step.time, >, 0);
        g_assert_cmpint(step.time, <=, step.waited);
        g_assert_cmpint(step.waited, <=, most);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/analysis/wake-chain/waker-that-waits-passes-the-blame-on",
                    waker_that_waits_passes_the_blame_on);
    g_test_add_func("/analysis/wake-chain/only-what-was-before-the-wake-counts",
                    only_what_was_before_the_wake_counts);
    g_test_add_func("/analysis/wake-chain/step-is-part-of-what-was-waited",
                    step_is_part_of_what_was_waited);
    return g_test_run();
}
