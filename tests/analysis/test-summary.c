#include "viewer/analysis/findings/findings.h"

#include <string.h>

#include "tests/analysis/see.h"

#define MS     G_GINT64_CONSTANT(1000000)
#define SECOND G_GINT64_CONSTANT(1000000000)

static PmSummary *summarise(PmRecording *r)
{
    g_autoptr(PmView) v = pm_made_view(r);
    return pm_summary_new(v, r->duration, NULL);
}

static PmVerdictLevel level_of(PmAssembly *assembly)
{
    g_autoptr(PmRecording) r = pm_assembly_finish(assembly);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = pm_find_all(r, &s);
    return f->verdict.level;
}

static PmMade begin_at_two(gint64 duration)
{
    PmMade m = pm_made_begin();
    m.assembly->facts.begin_unix_ns = 14 * 3600 * SECOND;
    m.assembly->duration = duration;
    return m;
}

static void deadlock_comes_first(void)
{
    PmMade m = begin_at_two(300 * SECOND);
    guint32 first = pm_made_blocker(&m, m.lock_class, 0x4f3c91d2, m.lock_chain);
    guint32 second = pm_made_blocker(&m, m.lock_class, 0x9a1e07c4, m.lock_chain);
    guint32 a = pm_made_thread(&m, "transfer-1"), b = pm_made_thread(&m, "transfer-2");
    pm_made_held_wait(&m, a, second, m.lock_chain, b, 47 * SECOND, 300 * SECOND,
                      PM_WAIT_IN_PROGRESS);
    pm_made_held_wait(&m, b, first, m.lock_chain, a, 48 * SECOND, 300 * SECOND,
                      PM_WAIT_IN_PROGRESS);
    for (guint i = 0; i < 37; i++) {
        guint32 t = pm_made_thread(&m, "http-%u", i);
        pm_made_held_wait(&m, t, first, m.lock_chain, a, (50 + i) * SECOND, 300 * SECOND,
                          PM_WAIT_IN_PROGRESS);
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = pm_find_all(r, &s);
    g_assert_cmpuint(s->n_deadlocks, ==, 1);
    g_assert_cmpuint(s->deadlocks[0].n_threads, ==, 2);
    g_assert_cmpuint(s->deadlocks[0].n_behind, ==, 37);
    g_assert_cmpint(f->verdict.level, ==, PM_VERDICT_STUCK);
    g_assert_cmpstr(f->verdict.sentence, ==,
                    "Deadlock: transfer-1 and transfer-2 wait for each other since 14:00:48 (4 min "
                    "12 s); 37 threads wait behind them");
    /* The two of the circle stay apart, the 37 are one row. */
    g_assert_cmpuint(s->n_still, ==, 3);
    g_assert_cmpint(s->still[0].cycle, ==, 0);
    g_assert_cmpint(s->still[1].cycle, ==, 0);
    g_assert_cmpint(s->still[2].cycle, ==, PM_BEHIND_CYCLE);
    g_assert_cmpuint(s->still[2].n_threads, ==, 37);
    g_assert_cmpuint(s->still[2].owner, ==, a);
    g_assert_cmpint(s->still[2].owner_state, ==, PM_OWNER_WAITING);
}

static void young_circles_are_handoffs(void)
{
    PmMade m = begin_at_two(SECOND);
    guint32 first = pm_made_blocker(&m, m.lock_class, 1, m.lock_chain);
    guint32 second = pm_made_blocker(&m, m.lock_class, 2, m.lock_chain);
    guint32 a = pm_made_thread(&m, "a"), b = pm_made_thread(&m, "b");
    pm_made_held_wait(&m, a, second, m.lock_chain, b, 100 * MS, SECOND, PM_WAIT_IN_PROGRESS);
    pm_made_held_wait(&m, b, first, m.lock_chain, a, 950 * MS, SECOND, PM_WAIT_IN_PROGRESS);
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmSummary) s = summarise(r);
    g_assert_cmpuint(s->n_deadlocks, ==, 0);
}

/* Whoever tries for the other's lock with a timeout gives up by itself; unless that is long. */
static void circles_that_a_timeout_undoes_are_no_deadlocks(void)
{
    for (guint timed = 0; timed < 3; timed++)
        for (guint is_long = 0; is_long < 2; is_long++) {
            PmMade m = begin_at_two(20 * SECOND);
            const guint32 first = pm_made_blocker(&m, m.lock_class, 1, m.lock_chain);
            const guint32 second = pm_made_blocker(&m, m.lock_class, 2, m.lock_chain);
            const guint32 a = pm_made_thread(&m, "a"), b = pm_made_thread(&m, "b");
            const gint64 since = is_long ? SECOND : 19 * SECOND;
            pm_made_held_wait(&m, a, second, m.lock_chain, b, since, 20 * SECOND,
                              PM_WAIT_IN_PROGRESS | (timed > 0 ? PM_WAIT_TIMED : 0));
            pm_made_held_wait(&m, b, first, m.lock_chain, a, since, 20 * SECOND,
                              PM_WAIT_IN_PROGRESS | (timed > 1 ? PM_WAIT_TIMED : 0));
            g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
            g_autoptr(PmSummary) s = summarise(r);
            g_assert_cmpuint(s->n_deadlocks, ==, !timed || is_long ? 1 : 0);
        }
}

/* b owned the lock when a came, but gave it to c since: no circle. */
static void stale_owners_make_no_circle(void)
{
    PmMade m = begin_at_two(10 * SECOND);
    guint32 first = pm_made_blocker(&m, m.lock_class, 1, m.lock_chain);
    guint32 second = pm_made_blocker(&m, m.lock_class, 2, m.lock_chain);
    guint32 a = pm_made_thread(&m, "a"), b = pm_made_thread(&m, "b"), c = pm_made_thread(&m, "c");
    pm_made_held_wait(&m, c, first, m.lock_chain, b, SECOND, 3 * SECOND, 0);
    pm_made_held_wait(&m, a, first, m.lock_chain, b, 2 * SECOND, 10 * SECOND, PM_WAIT_IN_PROGRESS);
    pm_made_held_wait(&m, b, second, m.lock_chain, a, 4 * SECOND, 10 * SECOND, PM_WAIT_IN_PROGRESS);
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmSummary) s = summarise(r);
    g_assert_cmpuint(s->n_deadlocks, ==, 0);
    g_assert_cmpuint(s->still[0].owner, ==, c);
}

/* Whoever waits for what it owns itself has just been given it, unless it cannot be taken twice. */
static void owner_of_what_it_waits_for_is_no_circle(void)
{
    for (guint twice = 0; twice < 2; twice++) {
        PmMade m = begin_at_two(10 * SECOND);
        const guint32 mutex = pm_assembly_add_class(m.assembly, "com.acme.Mutex");
        const guint32 lock = pm_made_blocker(&m, twice ? m.lock_class : mutex, 1, m.lock_chain);
        const guint32 a = pm_made_thread(&m, "a"), b = pm_made_thread(&m, "b");
        PmOwnerSample sample = {.at = 9 * SECOND, .waiter = b, .blocker = lock, .owner = a};
        g_array_append_val(m.assembly->samples, sample);
        pm_made_held_wait(&m, a, lock, m.lock_chain, b, SECOND, 10 * SECOND, PM_WAIT_IN_PROGRESS);
        pm_made_held_wait(&m, b, lock, m.lock_chain, a, 9 * SECOND, 10 * SECOND,
                          PM_WAIT_IN_PROGRESS);
        g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
        g_autoptr(PmSummary) s = summarise(r);
        g_assert_cmpuint(s->n_deadlocks, ==, twice ? 0 : 1);
    }
}

/* A waiter that others overtake for 20 s is not stuck; it is once the lock stays where it is. */
static void who_is_overtaken_is_not_stuck(void)
{
    for (guint stays = 0; stays < 2; stays++) {
        PmMade m = begin_at_two(30 * SECOND);
        const guint32 lock = pm_made_blocker(&m, m.lock_class, 1, m.lock_chain);
        const guint32 a = pm_made_thread(&m, "a"), b = pm_made_thread(&m, "b");
        const guint32 late = pm_made_thread(&m, "late");
        for (gint64 k = 0; k < (stays ? 8 : 11); k++) /* 2.5 s each */
            pm_made_held_wait(&m, k % 2 ? a : b, lock, m.lock_chain, k % 2 ? b : a,
                              k * 5 * SECOND / 2, k * 5 * SECOND / 2 + 2 * SECOND, 0);
        pm_made_held_wait(&m, late, lock, m.lock_chain, a, 10 * SECOND, 30 * SECOND,
                          PM_WAIT_IN_PROGRESS);
        g_assert_cmpint(level_of(m.assembly), ==, stays ? PM_VERDICT_STUCK : PM_VERDICT_HIGH);
    }
}

/* 40 tasks that all came at once wait for a permit, which each keeps for a second: who comes last
 * is not stuck, though it has waited since the begin. It is once nobody has got one for long. */
static void who_waits_in_a_moving_line_is_not_stuck(void)
{
    for (guint stays = 0; stays < 2; stays++) {
        PmMade m = begin_at_two(30 * SECOND);
        PmAssembly *a = m.assembly;
        const guint32 takes =
            pm_made_chain(a, "jdk.internal.misc.Unsafe.park",
                          "java.util.concurrent.Semaphore.acquire", "com.acme.Quota.with", NULL);
        const guint32 gives =
            pm_made_chain(a, "java.util.concurrent.Semaphore.release", "com.acme.Quota.with", NULL);
        const guint32 permits = pm_made_blocker(
            &m, pm_assembly_add_class(a, "java.util.concurrent.Semaphore$NonfairSync"), 1, takes);
        guint32 before = pm_made_thread(&m, "task-0");
        for (gint64 k = 1; k <= 40; k++) {
            const guint32 task = pm_made_thread(&m, "task-%d", (int)k);
            const gint64 got = k < (stays ? 15 : 30) ? k * SECOND : 0;
            PM_MADE_WAIT(a, 0, got ? got : 30 * SECOND, task, permits, takes,
                         .flags = got ? 0 : PM_WAIT_IN_PROGRESS, .wake = got,
                         .wake_cause = got ? PM_WAKE_RELEASE : 0, .waker = got ? before : 0,
                         .waker_chain = got ? gives : 0);
            before = task;
        }
        g_assert_cmpint(level_of(a), ==, stays ? PM_VERDICT_STUCK : PM_VERDICT_HIGH);
    }
}

/* Of those that hand over at a SynchronousQueue who came last is served first: who came first waits
 * as long as others come, as it did before. It is stuck once nobody takes anything for long. */
static void who_is_served_last_as_before_is_not_stuck(void)
{
    for (guint stays = 0; stays < 2; stays++) {
        PmMade m = begin_at_two(30 * SECOND);
        PmAssembly *a = m.assembly;
        const guint32 puts = pm_made_chain(a, "jdk.internal.misc.Unsafe.park",
                                           "java.util.concurrent.SynchronousQueue.put",
                                           "com.acme.Fetcher.run", NULL);
        const guint32 takes = pm_made_chain(a, "java.util.concurrent.SynchronousQueue.poll",
                                            "com.acme.Writer.run", NULL);
        const guint32 queue = pm_made_blocker(
            &m, pm_assembly_add_class(a, "java.util.concurrent.SynchronousQueue$TransferStack"), 1,
            puts);
        const guint32 writer = pm_made_thread(&m, "writer");
        const guint32 first = pm_made_thread(&m, "fetcher-1"),
                      last = pm_made_thread(&m, "fetcher-2");
        for (gint64 k = 0; k <= (stays ? 15 : 28); k++)
            PM_MADE_WAIT(a, k * SECOND, k * SECOND + SECOND / 2, last, queue, puts,
                         .wake = k * SECOND + SECOND / 2, .wake_cause = PM_WAKE_SIGNAL,
                         .waker = writer, .waker_chain = takes);
        PM_MADE_WAIT(a, 0, 7 * SECOND, first, queue, puts, .wake = 7 * SECOND,
                     .wake_cause = PM_WAKE_SIGNAL, .waker = writer, .waker_chain = takes);
        PM_MADE_WAIT(a, 8 * SECOND, 30 * SECOND, first, queue, puts, .flags = PM_WAIT_IN_PROGRESS);
        g_assert_cmpint(level_of(a), ==, stays ? PM_VERDICT_STUCK : PM_VERDICT_HIGH);
    }
}

static void mixed_circle_of_three(void)
{
    PmMade m = begin_at_two(10 * SECOND);
    guint32 threads[3], locks[3];
    for (guint i = 0; i < 3; i++) {
        threads[i] = pm_made_thread(&m, "t%u", i);
        locks[i] = pm_made_blocker(&m, m.lock_class, i + 1, m.lock_chain);
    }
    for (guint i = 0; i < 3; i++) {
        PM_MADE_WAIT(m.assembly, SECOND, 10 * SECOND, threads[i], locks[(i + 1) % 3], m.lock_chain,
                     .owner = threads[(i + 1) % 3], .flags = PM_WAIT_IN_PROGRESS,
                     .kind = i == 1 ? PM_KIND_ENTER : PM_KIND_PARK);
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmSummary) s = summarise(r);
    g_assert_cmpuint(s->n_deadlocks, ==, 1);
    g_assert_cmpuint(s->deadlocks[0].n_threads, ==, 3);
    for (guint i = 0; i < 3; i++) {
        guint32 row = s->deadlocks[0].rows[i], next = s->deadlocks[0].rows[(i + 1) % 3];
        g_assert_cmpuint(pm_wait_owner(&r->waits, row), ==, pm_wait_thread(&r->waits, next));
    }
}

static void long_wait_for_a_lock_is_stuck(void)
{
    PmMade m = begin_at_two(60 * SECOND);
    guint32 lock = pm_made_blocker(&m, m.lock_class, 0x4f3c91d2, m.lock_chain);
    guint32 a = pm_made_thread(&m, "exec-1"), b = pm_made_thread(&m, "writer");
    pm_made_held_wait(&m, a, lock, m.lock_chain, b, 20 * SECOND, 60 * SECOND, PM_WAIT_IN_PROGRESS);
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = pm_find_all(r, &s);
    g_assert_cmpint(f->verdict.level, ==, PM_VERDICT_STUCK);
    g_assert_cmpstr(
        f->verdict.sentence, ==,
        "exec-1 waits for ReentrantLock 4f3c91d2 in PriceCache.get since 14:00:20 (40.0 s)");
    g_assert_cmpuint(s->still[0].owner, ==, b);
}

/* A thread that has run for twenty seconds waits for a lock, with no owner known, since `age`. */
static char *verdict_on_wait_of(gint64 age, PmVerdictLevel level)
{
    PmMade m = begin_at_two(60 * SECOND);
    guint32 lock = pm_made_blocker(&m, m.lock_class, 5, m.lock_chain);
    guint32 a = pm_made_thread(&m, "exec-1");
    pm_made_held_wait(&m, a, lock, m.lock_chain, 0, 60 * SECOND - age, 60 * SECOND,
                      PM_WAIT_IN_PROGRESS);
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = pm_find_all(r, &s);
    g_test_message("%s", f->verdict.sentence);
    g_assert_cmpint(f->verdict.level, ==, level);
    return g_strdup(f->verdict.sentence);
}

static void young_hangs_are_told_of(void)
{
    static const char doubt[] =
        "exec-1 has waited for 5.50 s in PriceCache.get, too early to say whether it ends";
    g_autofree char *old = verdict_on_wait_of(11 * SECOND, PM_VERDICT_STUCK);
    g_autofree char *young = verdict_on_wait_of(5 * SECOND + SECOND / 2, PM_VERDICT_NONE);
    g_autofree char *new = verdict_on_wait_of(4 * SECOND, PM_VERDICT_NONE);

    g_assert_true(g_str_has_suffix(young, doubt));
    g_assert_null(strstr(old, "too early"));
    g_assert_null(strstr(new, "too early"));
}

static void main_that_joins_is_at_rest(void)
{
    PmMade m = begin_at_two(60 * SECOND);
    guint32 latch = pm_made_blocker(&m, m.queue_class, 5, m.other_chain);
    guint32 a = pm_made_thread(&m, "main");
    /* It has started a server for 14 s, and is there to end it. */
    pm_made_held_wait(&m, a, latch, m.other_chain, 0, SECOND, SECOND + 3 * MS, 0);
    pm_made_held_wait(&m, a, latch, m.other_chain, 0, 14 * SECOND, 60 * SECOND,
                      PM_WAIT_IN_PROGRESS);
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = pm_find_all(r, &s);
    g_assert_cmpint(f->verdict.level, ==, PM_VERDICT_NONE);
    g_assert_cmpstr(
        f->verdict.sentence, ==,
        "No wait stands out. Longest 3.00 ms, apart from threads at rest (up to 46.0 s)");
    g_assert_cmpuint(s->n_still, ==, 1);
    g_assert_false(s->still[0].stuck);
}

/* A window's thread that waits for a result since before the recording is stuck in the event that
 * it handles, where another one that does nothing else is at rest. */
static void who_handles_an_event_is_not_at_rest(void)
{
    for (guint event = 0; event < 2; event++) {
        PmMade m = begin_at_two(60 * SECOND);
        const guint32 gets =
            pm_made_chain(m.assembly, "java.util.concurrent.locks.LockSupport.park",
                          "java.util.concurrent.FutureTask.get", "com.acme.Desk.save",
                          event ? "java.awt.EventQueue.dispatchEvent" : "com.acme.Desk.run", NULL);
        const guint32 result = pm_made_blocker(
            &m, pm_assembly_add_class(m.assembly, "java.util.concurrent.FutureTask"), 5, gets);
        pm_made_wait(&m, pm_made_thread(&m, "AWT-EventQueue-0"), result, gets, 10 * MS, 60 * SECOND,
                     PM_WAIT_IN_PROGRESS | PM_WAIT_BEGIN_UNKNOWN);
        g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = pm_find_all(r, &s);
        g_assert_cmpint(f->verdict.level, ==, event ? PM_VERDICT_STUCK : PM_VERDICT_NONE);
        g_assert_cmpuint(s->n_still, ==, 1);
        g_assert_cmpint(s->still[0].stuck, ==, event);
    }
}

/* However many wait longer for work, each for its own. */
static void longest_is_found_behind_those_at_rest(void)
{
    PmMade m = begin_at_two(60 * SECOND);
    const guint32 take =
        pm_made_chain(m.assembly, "java.util.concurrent.locks.LockSupport.park",
                      "java.util.concurrent.SynchronousQueue$TransferStack.transfer",
                      "java.util.concurrent.SynchronousQueue.take", "com.acme.Clerk.run", NULL);
    const guint32 class_index =
        pm_assembly_add_class(m.assembly, "java.util.concurrent.SynchronousQueue");
    for (guint i = 1; i <= 12; i++)
        pm_made_wait(&m, pm_made_thread(&m, "clerk-%u", i),
                     pm_made_blocker(&m, class_index, i, take), take, i * SECOND, 40 * SECOND, 0);
    const guint32 lock = pm_made_blocker(&m, m.lock_class, 40, m.lock_chain);
    pm_made_held_wait(&m, pm_made_thread(&m, "web-1"), lock, m.lock_chain,
                      pm_made_thread(&m, "web-2"), SECOND, SECOND + 3 * MS, 0);
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = pm_find_all(r, &s);
    g_assert_cmpuint(s->metrics->n, ==, 13);
    g_assert_nonnull(
        strstr(f->verdict.sentence, "Longest 3.00 ms, apart from threads at rest (up to 39.0 s)"));
}

/* Three threads wait until a child process ends, each for its own: nearly as long as they live, or
 * since a while ago; or for fifteen years, as a file may claim, whose multiples exceed 64 bits. */
static void who_looks_after_a_process_is_at_rest(void)
{
    for (guint i = 0; i < 3; i++) {
        const gboolean late = i == 1;
        const gint64 end = (i == 2 ? 475000000 : 60) * SECOND;
        PmMade m = begin_at_two(end);
        const guint32 chain =
            pm_made_chain(m.assembly, "java.lang.Object.wait", "java.lang.ProcessImpl.waitFor",
                          "com.acme.Child.awaitEnd", NULL);
        const guint32 process = pm_assembly_add_class(m.assembly, "java.lang.ProcessImpl");
        for (guint k = 1; k <= 3; k++)
            pm_made_wait(&m, pm_made_thread(&m, "child-%u", k),
                         pm_made_blocker(&m, process, k, chain), chain, late ? 20 * SECOND : SECOND,
                         end, PM_WAIT_IN_PROGRESS);
        g_assert_cmpint(level_of(m.assembly), ==, late ? PM_VERDICT_STUCK : PM_VERDICT_NONE);
    }
}

typedef enum { AT_WORK, UNKNOWN, HANGS, ENDED, BEGAN_LATE } Joined;

/* Three threads wait as long as they live for the end of a thread each, which waits for a moment
 * each second, or does not. */
static PmVerdictLevel verdict_of_supervisors(Joined joined)
{
    PmMade m = begin_at_two(60 * SECOND);
    const guint32 chain = pm_made_chain(m.assembly, "java.lang.Object.wait",
                                        "java.lang.Thread.join", "com.acme.Supervisor.run", NULL);
    const guint32 class_index = pm_assembly_add_class(m.assembly, "java.lang.Thread");
    for (guint i = 1; i <= 3; i++) {
        const guint32 worker = pm_made_thread(&m, "worker-%u", i);
        const guint32 supervisor = pm_made_thread(&m, "supervisor-%u", i);
        for (gint64 k = 0; k < (joined == HANGS || joined == UNKNOWN ? 1 : 60); k++)
            pm_made_held_wait(&m, worker, pm_made_blocker(&m, m.queue_class, 100 + i, chain),
                              m.other_chain, 0, k * SECOND + 10 * MS, k * SECOND + 11 * MS, 0);
        PM_MADE_WAIT(m.assembly, joined == BEGAN_LATE ? 20 * SECOND : 20 * MS, 60 * SECOND,
                     supervisor, pm_made_blocker(&m, class_index, i, chain), chain,
                     .kind = PM_KIND_WAIT, .owner = joined == UNKNOWN ? 0 : worker,
                     .flags = PM_WAIT_IN_PROGRESS);
        if (joined == ENDED) {
            g_array_index(m.assembly->threads, PmThread, worker).ended = TRUE;
            g_array_index(m.assembly->threads, PmThread, worker).end = 59 * SECOND + 20 * MS;
        }
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = pm_find_all(r, &s);
    return f->verdict.level;
}

static void who_waits_for_the_end_of_workers_is_at_rest(void)
{
    g_assert_cmpint(verdict_of_supervisors(AT_WORK), ==, PM_VERDICT_NONE);
    g_assert_cmpint(verdict_of_supervisors(UNKNOWN), ==, PM_VERDICT_NONE);
    g_assert_cmpint(verdict_of_supervisors(HANGS), ==, PM_VERDICT_STUCK);
    g_assert_cmpint(verdict_of_supervisors(ENDED), ==, PM_VERDICT_STUCK);
    g_assert_cmpint(verdict_of_supervisors(BEGAN_LATE), ==, PM_VERDICT_STUCK);
}

static void hot_lock_is_named(void)
{
    PmMade m = begin_at_two(10 * SECOND);
    guint32 lock = pm_made_blocker(&m, m.lock_class, 0x4f3c91d2, m.lock_chain);
    guint32 threads[4];
    for (guint i = 0; i < 4; i++) {
        threads[i] = pm_made_thread(&m, "http-nio-8080-exec-%u", i);
        for (gint64 k = 0; k < 10; k++)
            pm_made_held_wait(&m, threads[i], lock, m.lock_chain, threads[0], k * SECOND,
                              k * SECOND + 430 * MS, 0);
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = pm_find_all(r, &s);
    g_assert_cmpint(f->verdict.level, ==, PM_VERDICT_HIGH);
    g_assert_cmpstr(f->verdict.sentence, ==,
                    "One lock takes 43 % of the busy time of http-nio-8080-exec-* (4): "
                    "Report.render holds it");
    g_assert_cmpuint(f->verdict.blocker, ==, lock);
}

static void quiet_and_empty(void)
{
    PmMade m = begin_at_two(10 * SECOND);
    guint32 lock = pm_made_blocker(&m, m.lock_class, 1, m.lock_chain);
    guint32 a = pm_made_thread(&m, "a"), b = pm_made_thread(&m, "b");
    pm_made_held_wait(&m, a, lock, m.lock_chain, b, SECOND, SECOND + 3100000, 0);
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = pm_find_all(r, &s);
    g_assert_cmpint(f->verdict.level, ==, PM_VERDICT_NONE);
    g_assert_true(g_str_has_prefix(f->verdict.sentence, "No wait stands out. Longest 3.10 ms"));
    g_assert_true(strstr(s->not_recorded, "CPU") != NULL);

    PmMade empty = begin_at_two(12300 * MS);
    g_autoptr(PmRecording) none = pm_assembly_finish(empty.assembly);
    g_autoptr(PmSummary) t = NULL;
    g_autoptr(PmFindings) g = pm_find_all(none, &t);
    g_assert_cmpint(g->verdict.level, ==, PM_VERDICT_EMPTY);
    g_assert_cmpstr(g->verdict.sentence, ==, "No thread waited in these 12.3 s");
}

/* main waits for a thread, as it is meant to: nothing is said of what costs most. */
static void what_is_by_design_is_not_the_costliest(void)
{
    PmMade m = begin_at_two(20 * SECOND);
    guint32 lock = pm_made_blocker(&m, m.lock_class, 1, m.lock_chain);
    guint32 main = pm_made_thread(&m, "main"), worker = pm_made_thread(&m, "worker");
    guint32 joins = pm_made_chain(m.assembly, "java.lang.Object.wait", "java.lang.Thread.join",
                                  "com.acme.Shop.main", NULL);
    guint32 ends =
        pm_made_blocker(&m, pm_assembly_add_class(m.assembly, "java.lang.Thread"), 2, joins);
    PM_MADE_WAIT(m.assembly, 2 * SECOND, 16 * SECOND, main, ends, joins, .owner = worker,
                 .waker = worker, .waker_chain = m.other_chain, .wake = 16 * SECOND,
                 .kind = PM_KIND_WAIT, .wake_cause = PM_WAKE_NOTIFY);
    pm_made_held_wait(&m, worker, lock, m.lock_chain, main, SECOND, SECOND + 400 * MS, 0);
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = pm_find_all(r, &s);
    g_assert_cmpstr(f->verdict.sentence, ==, "No wait stands out. Longest 14.0 s");
}

/* That a filter leaves nothing is no news of the program. */
static void what_is_filtered_is_not_called_calm(void)
{
    PmMade m = begin_at_two(10 * SECOND);
    guint32 lock = pm_made_blocker(&m, m.lock_class, 1, m.lock_chain);
    guint32 a = pm_made_thread(&m, "a"), b = pm_made_thread(&m, "b");
    pm_made_held_wait(&m, a, lock, m.lock_chain, b, SECOND, 2 * SECOND, 0);
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = pm_find_of_thread(r, "nobody", &s);
    g_assert_cmpint(f->verdict.level, ==, PM_VERDICT_EMPTY);
    g_assert_cmpstr(f->verdict.sentence, ==, "No wait matches the filter");
}

/* Every instant of every life is in exactly one place. */
static void what_cannot_be_read_is_not_called_calm(void)
{
    PmMade m = begin_at_two(10 * SECOND);
    m.assembly->facts.damaged_blocks = 1;
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = pm_find_all(r, &s);
    g_assert_cmpint(f->verdict.level, ==, PM_VERDICT_EMPTY);
    g_assert_nonnull(strstr(f->verdict.sentence, "damaged"));
}

/* mintime, events=off: what was only counted is never called calm, and not all that threads did
 * then was running. */
static void what_is_not_stored_is_not_called_calm(void)
{
    static const struct {
        guint8 reason;
        const char *sentence;
        gint64 unknown;
    } cases[] = {
        {PM_GAP_EVENTS_OFF, "256 waits, 12.0 s in all, are counted but not stored", 8 * SECOND},
        {PM_GAP_MINTIME, "256 waits, 12.0 s in all, are counted but not stored", 0},
        {PM_GAP_IDLE, "No thread waited in these 10.0 s", 0}};
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        PmMade m = begin_at_two(10 * SECOND);
        PmGap gap = {SECOND, 9 * SECOND, cases[i].reason, 256, 12 * SECOND};
        g_array_append_val(m.assembly->gaps, gap);
        pm_made_thread(&m, "worker");
        g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
        g_autoptr(PmSummary) s = NULL;
        g_autoptr(PmFindings) f = pm_find_all(r, &s);
        g_assert_cmpint(f->verdict.level, ==, PM_VERDICT_EMPTY);
        g_assert_cmpstr(f->verdict.sentence, ==, cases[i].sentence);
        g_assert_cmpint(s->groups[0].unknown, ==, cases[i].unknown);
    }
}

/* Two damaged places that overlap, then one of no length. */
static void lose_some(PmRecording *r, gint64 begin, gint64 length)
{
    PmDamage *damage = g_new0(PmDamage, 3);

    g_free((gpointer)r->damage);
    damage[0] = (PmDamage){.begin = begin + length / 2, .end = begin + length};
    damage[1] = (PmDamage){.begin = begin, .end = begin + length / 2 + 7};
    damage[2] = (PmDamage){.begin = begin + length + 90, .end = begin + length + 90};
    r->damage = damage;
    r->n_damage = 3;
}

static gboolean is_lost(const PmRecording *r, gint64 at)
{
    for (guint32 i = 0; i < r->n_damage; i++)
        if (r->damage[i].begin <= at && at < r->damage[i].end)
            return TRUE;
    return FALSE;
}

/* Threads wait 0.43 s of each second; what cannot be read says neither that they wait nor that they
 * run. */
static void lost_time_is_no_busy_time(void)
{
    PmMade m = begin_at_two(10 * SECOND);
    const guint32 lock = pm_made_blocker(&m, m.lock_class, 0x4f3c91d2, m.lock_chain);
    guint32 threads[4];

    for (guint i = 0; i < G_N_ELEMENTS(threads); i++) {
        threads[i] = pm_made_thread(&m, "http-nio-8080-exec-%u", i + 1);
        for (gint64 k = 0; k < 10; k++)
            if (k < 4 || k >= 8)
                pm_made_held_wait(&m, threads[i], lock, m.lock_chain, threads[0], k * SECOND,
                                  k * SECOND + 430 * MS, 0);
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    lose_some(r, 4 * SECOND, 4 * SECOND);
    g_autoptr(PmSummary) s = NULL;
    g_autoptr(PmFindings) f = pm_find_all(r, &s);
    g_assert_true(g_str_has_prefix(f->verdict.sentence, "One lock takes 43 % of the busy time"));
}

static void groups_equal_brute_force(void)
{
    for (guint32 seed = 1; seed <= 30; seed++) {
        g_autoptr(PmRecording) r = pm_made_random(seed, 200, 7, 800);
        g_autoptr(PmFilter) f = pm_filter_new();
        if (seed % 3)
            lose_some(r, 100 + 10 * (seed % 10), 40 * (seed % 10));
        f->from = seed % 2 ? 0 : 150 + seed;
        f->to = seed % 3 ? 800 : 600 - seed;
        pm_group_times_slice_rows = seed <= 10 ? 1 << 20 : seed;
        g_autoptr(PmView) v = pm_view_new(r, f, NULL);
        g_autoptr(PmSummary) s = pm_summary_new(v, f->to, NULL);
        const PmWaits *w = &r->waits;
        for (guint g = 0; g < s->n_groups; g++) {
            const PmGroupTime *group = &s->groups[g];
            gint64 life = 0, unknown = 0, family[PM_N_FAMILIES] = {0};
            for (guint32 t = 1; t < r->n_threads; t++) {
                if (r->threads[t].group != group->group)
                    continue;
                for (gint64 at = v->from; at < v->to; at++) {
                    if (at < r->threads[t].begin || at >= r->threads[t].end)
                        continue;
                    gboolean known = !is_lost(r, at);
                    life++;
                    for (gsize i = 0; i < w->n; i++) {
                        if (pm_wait_thread(w, i) == t && pm_wait_begin(w, i) <= at &&
                            at < pm_wait_end(w, i)) {
                            family[pm_category_family(pm_wait_category(w, i))]++;
                            known = TRUE;
                            break;
                        }
                    }
                    unknown += !known;
                }
            }
            g_assert_cmpint(group->life, ==, life);
            g_assert_cmpint(group->idle, ==, family[PM_FAMILY_IDLE]);
            g_assert_cmpint(group->unknown, ==, unknown);
            g_assert_cmpint(group->busy, ==, life - family[PM_FAMILY_IDLE] - unknown);
            for (guint k = 0; k < PM_N_FAMILIES; k++)
                g_assert_cmpint(group->family[k], ==, k == PM_FAMILY_IDLE ? 0 : family[k]);
        }
    }
    pm_group_times_slice_rows = 1 << 20;
}

/* Both were woken two seconds before; who was notified may wait for the monitor since. */
static void who_was_notified_may_wait_on(void)
{
    for (guint8 kind = PM_KIND_PARK; kind <= PM_KIND_WAIT; kind++) {
        PmMade m = pm_made_begin();
        const guint32 thread = pm_made_thread(&m, "waiter"), waker = pm_made_thread(&m, "waker");
        const guint32 object = pm_made_blocker(&m, m.lock_class, 1, m.other_chain);
        m.assembly->duration = 10 * SECOND;
        PM_MADE_WAIT(m.assembly, SECOND, 9 * SECOND, thread, object, m.other_chain, .kind = kind,
                     .wake = 3 * SECOND, .waker = waker,
                     .wake_cause = kind == PM_KIND_PARK ? PM_WAKE_SIGNAL : PM_WAKE_NOTIFY);
        g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
        g_autoptr(PmView) v = pm_made_view(r);
        g_autoptr(PmSummary) s = pm_summary_new(v, 5 * SECOND, NULL);
        g_assert_cmpuint(s->n_still, ==, 1);
        g_assert_cmpint(s->still[0].woken, ==, kind == PM_KIND_PARK ? 3 * SECOND : 0);
        g_autofree char *text = pm_summary_woken_text(s, &s->still[0]);
        g_assert_cmpstr(text, ==,
                        kind == PM_KIND_PARK ? "woken 2.00 s ago by waker, waits for a processor"
                                             : NULL);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/analysis/summary/deadlock-comes-first", deadlock_comes_first);
    g_test_add_func("/analysis/summary/circles-that-a-timeout-undoes-are-no-deadlocks",
                    circles_that_a_timeout_undoes_are_no_deadlocks);
    g_test_add_func("/analysis/summary/owner-of-what-it-waits-for-is-no-circle",
                    owner_of_what_it_waits_for_is_no_circle);
    g_test_add_func("/analysis/summary/who-is-overtaken-is-not-stuck",
                    who_is_overtaken_is_not_stuck);
    g_test_add_func("/analysis/summary/who-waits-in-a-moving-line-is-not-stuck",
                    who_waits_in_a_moving_line_is_not_stuck);
    g_test_add_func("/analysis/summary/who-is-served-last-as-before-is-not-stuck",
                    who_is_served_last_as_before_is_not_stuck);
    g_test_add_func("/analysis/summary/young-circles-are-handoffs", young_circles_are_handoffs);
    g_test_add_func("/analysis/summary/stale-owners-make-no-circle", stale_owners_make_no_circle);
    g_test_add_func("/analysis/summary/mixed-circle-of-three", mixed_circle_of_three);
    g_test_add_func("/analysis/summary/long-wait-for-a-lock-is-stuck",
                    long_wait_for_a_lock_is_stuck);
    g_test_add_func("/analysis/summary/longest-is-found-behind-those-at-rest",
                    longest_is_found_behind_those_at_rest);
    g_test_add_func("/analysis/summary/main-that-joins-is-at-rest", main_that_joins_is_at_rest);
    g_test_add_func("/analysis/summary/who-waits-for-the-end-of-workers-is-at-rest",
                    who_waits_for_the_end_of_workers_is_at_rest);
    g_test_add_func("/analysis/summary/who-looks-after-a-process-is-at-rest",
                    who_looks_after_a_process_is_at_rest);
    g_test_add_func("/analysis/summary/hot-lock-is-named", hot_lock_is_named);
    g_test_add_func("/analysis/summary/quiet-and-empty", quiet_and_empty);
    g_test_add_func("/analysis/summary/what-is-filtered", what_is_filtered_is_not_called_calm);
    g_test_add_func("/analysis/summary/who-handles-an-event-is-not-at-rest",
                    who_handles_an_event_is_not_at_rest);
    g_test_add_func("/analysis/summary/what-is-by-design-is-not-the-costliest",
                    what_is_by_design_is_not_the_costliest);
    g_test_add_func("/analysis/summary/young-hangs-are-told-of", young_hangs_are_told_of);
    g_test_add_func("/analysis/summary/what-cannot-be-read-is-not-called-calm",
                    what_cannot_be_read_is_not_called_calm);
    g_test_add_func("/analysis/summary/what-is-not-stored-is-not-called-calm",
                    what_is_not_stored_is_not_called_calm);
    g_test_add_func("/analysis/summary/lost-time-is-no-busy-time", lost_time_is_no_busy_time);
    g_test_add_func("/analysis/summary/groups-equal-brute-force", groups_equal_brute_force);
    g_test_add_func("/analysis/summary/who-was-notified-may-wait-on", who_was_notified_may_wait_on);
    return g_test_run();
}
