/* Every rule is whole: its row, a recording for which it is reported, nearly the same one for which
 * it is not, and its line in the guide. */
#include "viewer/analysis/loading/load.h"
#include "viewer/analysis/findings/rule.h"

#include "tests/analysis/made.h"
#include "tests/analysis/see.h"
#include "tests/format/synthetic.h"

#define MS     G_GINT64_CONSTANT(1000000)
#define SECOND G_GINT64_CONSTANT(1000000000)
#define END    (60 * SECOND)

/* ---- a recording for each; without `shows` one fact is different, and the rule does not apply
 * ---- */

/* Two threads that wait for `class_name` 400 ms a second; `row` gives the rest. */
static void wait_often(PmMade *m, const char *class_name, guint32 chain, PmWaitRow row)
{
    guint32 class_index = pm_assembly_add_class(m->assembly, class_name);
    guint32 blocker = row.blocker ? row.blocker : pm_made_blocker(m, class_index, 7, chain);
    guint32 threads[] = {pm_made_thread(m, "exec-1"), pm_made_thread(m, "exec-2")};
    for (gint64 k = 0; k < 60; k++) {
        for (guint i = 0; i < 2; i++) {
            PmWaitRow one = row;
            one.begin = k * SECOND;
            one.end = k * SECOND + 400 * MS;
            one.thread = threads[i];
            one.blocker = blocker;
            one.chain = chain;
            if (one.wake_cause == PM_WAKE_RELEASE) {
                one.wake = one.wake ? one.begin + one.wake : one.end;
                one.waker = row.waker ? row.waker : threads[1 - i];
                one.waker_chain = m->other_chain;
            }
            pm_assembly_add_wait(m->assembly, &one);
        }
    }
}

static void wait_for_lock(PmMade *m, guint32 lock, guint32 owner, gint64 wake)
{
    wait_often(m, "com.acme.State", m->lock_chain,
               (PmWaitRow){.blocker = lock,
                           .owner = owner,
                           .waker = owner,
                           .wake = wake,
                           .wake_cause = PM_WAKE_RELEASE});
}

static void make_deadlock(PmMade *m, gboolean shows)
{
    guint32 first = pm_made_blocker(m, m->lock_class, 1, m->lock_chain);
    guint32 second = pm_made_blocker(m, m->lock_class, 2, m->lock_chain);
    guint32 a = pm_made_thread(m, "a"), b = pm_made_thread(m, "b");
    pm_made_held_wait(m, a, second, m->lock_chain, b, SECOND, END, PM_WAIT_IN_PROGRESS);
    pm_made_held_wait(m, b, first, m->lock_chain, a, SECOND, shows ? END : END - SECOND,
                      shows ? PM_WAIT_IN_PROGRESS : 0);
}

/* A wait for an object of its own, ended by `waker`; without one it goes on. */
static void wait_once(PmMade *m, guint32 class_index, guint32 thread, guint32 chain, guint32 waker,
                      gint64 begin, gint64 length)
{
    PM_MADE_WAIT(m->assembly, begin, waker ? begin + length : END, thread,
                 pm_made_blocker(m, class_index, m->assembly->blockers->len, chain), chain,
                 .wake = waker ? begin + length : 0, .waker = waker,
                 .waker_chain = waker ? m->other_chain : 0,
                 .wake_cause = waker ? PM_WAKE_COMPLETION : 0,
                 .flags = waker ? 0 : PM_WAIT_IN_PROGRESS);
}

static guint32 parked_in(PmMade *m, const char *method)
{
    return pm_made_chain(m->assembly, "java.util.concurrent.locks.LockSupport.park", method, NULL);
}

static const char future_class[] = "java.util.concurrent.CompletableFuture$Signaller";
static const char latch_class[] = "java.util.concurrent.CountDownLatch$Sync";

static void make_own_pool(PmMade *m, gboolean shows)
{
    guint32 future = pm_assembly_add_class(m->assembly, future_class);
    guint32 threads[3], chain = parked_in(m, "com.acme.Report.join");
    for (guint i = 0; i < 3; i++)
        threads[i] = pm_made_thread(m, "pool-1-%u", i + 1);
    for (gint64 k = 0; k < 6; k++)
        wait_once(m, future, threads[k % 3], chain, threads[(k + 1) % 3], k * 100 * MS, 50 * MS);
    for (guint i = shows ? 0 : 1; i < 3; i++)
        wait_once(m, future, threads[i], chain, 0, 5 * SECOND + i, 0);
}

static void make_mutual(PmMade *m, gboolean shows)
{
    guint32 latch = pm_assembly_add_class(m->assembly, latch_class);
    guint32 left = parked_in(m, "com.acme.Left.await"),
            right = parked_in(m, "com.acme.Right.await");
    guint32 alpha = pm_made_thread(m, "alpha"), beta = pm_made_thread(m, "beta");
    for (gint64 k = 0; k < 4; k++) {
        wait_once(m, latch, alpha, left, beta, k * 200 * MS, 50 * MS);
        wait_once(m, latch, beta, right, alpha, k * 200 * MS + 100 * MS, 50 * MS);
    }
    wait_once(m, latch, alpha, left, 0, 5 * SECOND, 0);
    wait_once(m, latch, beta, right, shows ? 0 : pm_made_thread(m, "gamma"), 6 * SECOND, SECOND);
}

static void make_forgotten(PmMade *m, gboolean shows)
{
    guint32 future = pm_assembly_add_class(m->assembly, future_class);
    guint32 chain = parked_in(m, "com.acme.Client.ask"), worker = pm_made_thread(m, "worker");
    guint32 lost = pm_made_thread(m, "exec-1"), other = pm_made_thread(m, "exec-2");
    wait_once(m, future, other, chain, worker, MS, 10 * MS);
    wait_once(m, future, lost, chain, 0, 25 * SECOND, 0);
    for (gint64 k = 0; k < 12; k++)
        wait_once(m, future, other, chain, worker, ((shows ? 30 : 10) + k) * SECOND, 10 * MS);
}

static void make_stuck_wait(PmMade *m, gboolean shows)
{
    guint32 lock = pm_made_blocker(m, m->lock_class, 1, m->lock_chain);
    pm_made_held_wait(m, pm_made_thread(m, "exec-1"), lock, m->lock_chain,
                      pm_made_thread(m, "keeper"), (shows ? 40 : 58) * SECOND, END,
                      PM_WAIT_IN_PROGRESS);
}

static void make_gc(PmMade *m, gboolean shows)
{
    pm_made_thread(m, "exec-1");
    pm_made_wait(m, pm_made_thread(m, "exec-2"),
                 pm_made_blocker(m, m->queue_class, 1, m->idle_chain), m->idle_chain, 0, MS, 0);
    for (gint64 k = 0; k < 60; k++) {
        PmInterval pause = {k * SECOND, k * SECOND + (shows ? 300 : 50) * MS};
        g_array_append_val(m->assembly->gc, pause);
    }
}

static void make_polling(PmMade *m, gboolean shows)
{
    guint32 blocker = pm_made_blocker(m, m->queue_class, 1, m->other_chain);
    guint32 thread = pm_made_thread(m, "poller");
    for (gint64 at = 0; at < END; at += (shows ? 50 : 500) * MS) {
        PM_MADE_WAIT(m->assembly, at, at + 40 * MS, thread, blocker, m->other_chain,
                     .flags = PM_WAIT_TIMED, .wake_cause = PM_WAKE_TIME_OUT);
    }
}

/* Four threads poll an object of their own each, or one after the other: that is one note. */
static void check_polling_of_a_group(gint64 of_each)
{
    PmMade m = pm_made_begin();
    m.assembly->duration = END;
    for (guint i = 0; i < 4; i++) {
        const guint32 thread = pm_made_thread(&m, "poller-%u", i);
        guint32 blocker = 0;
        for (gint64 at = 0; at < END; at += 50 * MS) {
            if (at % of_each == 0)
                blocker = pm_made_blocker(&m, m.queue_class, (guint32)(4 * at / of_each) + 1 + i,
                                          m.other_chain);
            PM_MADE_WAIT(m.assembly, at, at + 40 * MS, thread, blocker, m.other_chain,
                         .flags = PM_WAIT_TIMED, .wake_cause = PM_WAKE_TIME_OUT);
        }
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmView) view = pm_made_view(r);
    g_autoptr(PmSummary) s = pm_summary_new(view, END, NULL);
    PmFindings *findings = pm_findings_new(s, pm_recording_contention(r, NULL), NULL);
    g_assert_cmpuint(findings->n, ==, 1);
    g_assert_cmpint(findings->findings[0].rule, ==, PM_RULE_TIMED_POLLING);
    g_assert_true(g_str_has_prefix(findings->findings[0].title, "poller-* (4) wake by timeout 80"));
    pm_findings_free(findings);
}

static void polling_of_a_group_is_told_once(void)
{
    check_polling_of_a_group(END);
    check_polling_of_a_group(SECOND);
}

static void make_exhausted(PmMade *m, gboolean shows)
{
    wait_often(m, shows ? "java.util.concurrent.Semaphore$NonfairSync" : latch_class, m->lock_chain,
               (PmWaitRow){.wake_cause = PM_WAKE_RELEASE});
}

static void make_io(PmMade *m, gboolean shows)
{
    guint32 lock = pm_made_blocker(m, m->lock_class, 1, m->lock_chain);
    guint32 owner = pm_made_thread(m, "closer");
    PmOwnerSample sample = {.blocker = lock, .owner = owner, .weight = 1};
    sample.chain = pm_made_chain(m->assembly, shows ? "java.lang.Thread.sleep" : "com.acme.Sum.add",
                                 "com.acme.Socket.close", NULL);
    for (sample.at = 100 * MS; sample.at < END; sample.at += SECOND)
        g_array_append_val(m->assembly->samples, sample);
    wait_for_lock(m, lock, owner, 0);
}

static void make_convoy(PmMade *m, gboolean shows)
{
    guint32 first = pm_made_blocker(m, m->lock_class, 1, m->lock_chain);
    guint32 second = pm_made_blocker(m, m->lock_class, 2, m->other_chain);
    guint32 middle = pm_made_thread(m, "middle"), last = pm_made_thread(m, "last");
    for (gint64 k = 0; k < 60; k++)
        pm_made_held_wait(m, middle, second, m->lock_chain, last, k * SECOND + 10 * MS,
                          k * SECOND + (shows ? 390 : 90) * MS, 0);
    wait_for_lock(m, first, middle, 0);
}

static void make_fair(PmMade *m, gboolean shows)
{
    guint32 class_index =
        shows ? pm_assembly_add_class(m->assembly,
                                      "java.util.concurrent.locks.ReentrantLock$FairSync")
              : m->lock_class;
    wait_for_lock(m, pm_made_blocker(m, class_index, 1, m->lock_chain), pm_made_thread(m, "owner"),
                  100 * MS);
}

static void make_lock(PmMade *m, gboolean shows)
{
    wait_for_lock(m, pm_made_blocker(m, shows ? m->lock_class : m->queue_class, 1, m->lock_chain),
                  pm_made_thread(m, "owner"), 0);
}

static void make_join(PmMade *m, gboolean shows)
{
    wait_often(m, shows ? latch_class : "com.acme.State", m->other_chain,
               (PmWaitRow){.waker = pm_made_thread(m, "late"), .wake_cause = PM_WAKE_RELEASE});
}

static void make_wait(PmMade *m, gboolean shows)
{
    wait_often(m, "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject",
               shows ? m->other_chain : m->idle_chain,
               (PmWaitRow){.waker = pm_made_thread(m, "late"), .wake_cause = PM_WAKE_RELEASE});
}

/* Twenty seconds of a program of which 100 more objects are alive each second, or `kept` of them
 * once; `options` of the recorder. Pauses of 300 ms in each second. */
static PmRecording *allocating(const char *options, int64_t kept, int64_t per_second, int64_t old)
{
    struct syn *s = syn_new();
    pm_class_id order = syn_class(s, "com.acme.Order");
    pm_chain_id take = syn_chain(s, "com.acme.Orders.take(Orders.java:5)", NULL);
    syn_facts(s)->options = (struct pm_text){options, (uint32_t)strlen(options)};
    for (int64_t i = 0; i < 20; i++) {
        const int64_t n = kept ? kept : 100 + 40 * i, all = n + per_second * i;
        const struct pm_memory_cell cell = {
            order, take, {all, all, all * 1024, 0, 0}, {n, n, n * 1024, 0, 0}};
        syn_memory(s,
                   (struct pm_memory_head){.at_ns = (i + 1) * SYN_S,
                                           .live_at_ns = (i + 1) * SYN_S,
                                           .gcs = 20 * (i + 1),
                                           .old_gcs = 1 + old * i / 20,
                                           .place = PM_SNAPSHOT_PERIODIC},
                   &cell, 1);
        if (per_second)
            syn_span(s, (struct pm_span){.kind = PM_SPAN_GC,
                                         .begin_ns = i * SYN_S,
                                         .end_ns = i * SYN_S + 300 * SYN_MS});
    }
    PmRecording *r =
        pm_recording_load_source(syn_finish(s, 21 * SYN_S), "made.park", 1, NULL, NULL, NULL, NULL);
    syn_free(s);
    return r;
}

static PmRecording *leak(gboolean shows)
{
    return allocating("", shows ? 0 : 900, 0, 20);
}

static PmRecording *over_quota(gboolean shows)
{
    return allocating(shows ? "accounts=com.acme.* quota=64k" : "accounts=com.acme.* quota=128k",
                      100, 0, 20);
}

static PmRecording *hot_spot(gboolean shows)
{
    return allocating("", 100, 100 * 1024, shows ? 0 : 200);
}

/* Virtual threads that run only 300 ms after their wake; one keeps a carrier all the while. */
static void make_carriers(PmMade *m, gboolean shows)
{
    wait_often(
        m, "com.acme.Reply", m->other_chain,
        (PmWaitRow){.wake = 100 * MS, .wake_cause = PM_WAKE_RELEASE, .flags = PM_WAIT_VIRTUAL});
    wait_once(m, pm_assembly_add_class(m->assembly, latch_class), pm_made_thread(m, "pinner"),
              parked_in(m, "com.acme.Slow.<clinit>"), pm_made_thread(m, "main"), 0, END - SECOND);
    for (guint i = 0; i < m->assembly->threads->len; i++)
        g_array_index(m->assembly->threads, PmThread, i).is_virtual = shows;
}

/* In a call that is not recorded for 55 of 60 s, as two looks a second found them; asleep, by a
 * helper. */
static void make_pool_in(PmMade *m, gboolean shows, const char *call)
{
    guint32 blocker = pm_made_blocker(m, m->queue_class, 1, m->idle_chain);
    guint32 reads =
        strstr(call, "sleep")
            ? pm_made_chain(m->assembly, call, "com.acme.Clock.sleep", "com.acme.Stock.query",
                            "java.util.concurrent.ThreadPoolExecutor.runWorker", NULL)
            : pm_made_chain(m->assembly, call, "com.acme.Stock.query",
                            "java.util.concurrent.ThreadPoolExecutor.runWorker", NULL);
    guint32 threads[3];
    for (guint i = 0; i < 3; i++) {
        threads[i] = pm_made_thread(m, "pool-1-thread-%u", i);
        pm_made_wait(m, threads[i], blocker, m->idle_chain, 0, (!shows && i == 0 ? 50 : 5) * SECOND,
                     0);
    }
    for (gint64 k = 0; k < 100; k++) {
        PmOwnerSample sample = {.at = 6 * SECOND + k * 500 * MS,
                                .owner = threads[shows ? k % 3 : 1 + k % 2],
                                .chain = reads,
                                .role = PM_SAMPLE_ENDER};
        g_array_append_val(m->assembly->samples, sample);
    }
}

static void make_busy_pool(PmMade *m, gboolean shows)
{
    make_pool_in(m, shows, "java.net.Socket.read");
}

#define NETTYS_LOOP "io.netty.channel.nio.NioEventLoop.run"

/* Calls of one line of the outermost method differ by what is called. */
static void outermost_at_line_1(PmAssembly *a, guint32 chain)
{
    const PmChain *made = &g_array_index(a->chains, PmChain, chain);
    ((PmFrame *)made->frames)[made->n_frames - 1].line = 1;
}

/* `n_loops` threads, each in one loop that listens for events and handles them, in a call that is
 * not recorded in `n_away` of ten looks, and one that only listens. `loop`: its method; NULL: it
 * listens and handles in two.
 */
static void make_loops(PmMade *m, guint n_loops, gint64 n_away, const char *loop)
{
    PmAssembly *a = m->assembly;
    const guint32 selects =
        pm_made_chain(a, "sun.nio.ch.EPoll.wait", "io.netty.channel.nio.NioEventLoop.select",
                      loop ? loop : "io.netty.channel.nio.NioEventLoop.run",
                      "io.netty.util.concurrent.FastThreadLocalRunnable.run", NULL);
    const guint32 handles =
        pm_made_chain(a, "java.net.Socket.read", "com.acme.Stock.query", "com.acme.Stock.handle",
                      "io.netty.channel.nio.NioEventLoop.processSelectedKeys",
                      loop ? loop : "io.netty.channel.nio.Other.run",
                      "io.netty.util.concurrent.FastThreadLocalRunnable.run", NULL);
    outermost_at_line_1(a, selects);
    outermost_at_line_1(a, handles);
    for (guint i = 0; i <= n_loops; i++) {
        const guint32 thread =
            i < n_loops ? pm_made_thread(m, "loop-%u", i) : pm_made_thread(m, "boss");
        for (gint64 k = 0; k < 20; k++) {
            const PmOwnerSample sample = {.at = (6 + 2 * k) * SECOND + i * MS,
                                          .owner = thread,
                                          .chain =
                                              i < n_loops && k % 10 < n_away ? handles : selects,
                                          .role = PM_SAMPLE_ENDER};
            g_array_append_val(a->samples, sample);
        }
        const PmCensusRow row = {.at = END, .since = 5 * SECOND, .thread = thread, .cpu = SECOND};
        g_array_append_val(a->census, row);
    }
    pm_made_wait(m, pm_made_thread(m, "main"), pm_made_blocker(m, m->queue_class, 1, m->idle_chain),
                 m->idle_chain, 0, END, 0);
}

static void make_event_loop(PmMade *m, gboolean shows)
{
    make_loops(m, 1, shows ? 8 : 2, NETTYS_LOOP);
}

static const struct {
    void (*make)(PmMade *made, gboolean shows);
    PmRecording *(*load)(gboolean shows);
} examples[PM_N_RULES] = {
    [PM_RULE_DEADLOCK] = {make_deadlock},
    [PM_RULE_OWN_POOL] = {make_own_pool},
    [PM_RULE_NOBODY_LEFT] = {make_mutual},
    [PM_RULE_FORGOTTEN] = {make_forgotten},
    [PM_RULE_STUCK_WAIT] = {make_stuck_wait},
    [PM_RULE_GC] = {make_gc},
    [PM_RULE_CARRIERS] = {make_carriers},
    [PM_RULE_BUSY_POOL] = {make_busy_pool},
    [PM_RULE_EVENT_LOOP] = {make_event_loop},
    [PM_RULE_TIMED_POLLING] = {make_polling},
    [PM_RULE_RESOURCE_EXHAUSTED] = {make_exhausted},
    [PM_RULE_LOCK_HELD_OVER_IO] = {make_io},
    [PM_RULE_CONVOY] = {make_convoy},
    [PM_RULE_FAIR_HAND_OVER] = {make_fair},
    [PM_RULE_LOCK_DOMINATES] = {make_lock},
    [PM_RULE_LAST_THREAD] = {make_join},
    [PM_RULE_LEAK] = {.load = leak},
    [PM_RULE_OVER_QUOTA] = {.load = over_quota},
    [PM_RULE_HOT_SPOT] = {.load = hot_spot},
    [PM_RULE_WAIT_DOMINATES] = {make_wait},
};

static PmRecording *example(PmRuleId id, gboolean shows)
{
    if (examples[id].load)
        return examples[id].load(shows);
    PmMade m = pm_made_begin();
    m.assembly->duration = END;
    if (!examples[id].make)
        g_error("no recording of %s", pm_rule_name(id));
    examples[id].make(&m, shows);
    return pm_assembly_finish(m.assembly);
}

static const PmFinding *of_rule(const PmFindings *findings, PmRuleId id)
{
    for (guint i = 0; i < findings->n; i++)
        if (findings->findings[i].rule == id)
            return &findings->findings[i];
    return NULL;
}

/* Woken 50 ms before they run, once a second; of virtual threads, and 100 ms or more before that.
 */
static void carriers_need_a_tenth(void)
{
    static const struct {
        gint64 delay;
        gboolean is_virtual, is_found;
    } cases[] = {{50 * MS, TRUE, FALSE}, {150 * MS, TRUE, TRUE}, {150 * MS, FALSE, FALSE}};
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        PmMade m = pm_made_begin();
        m.assembly->duration = END;
        wait_often(&m, "com.acme.Reply", m.other_chain,
                   (PmWaitRow){.wake = 400 * MS - cases[i].delay,
                               .wake_cause = PM_WAKE_RELEASE,
                               .flags = PM_WAIT_VIRTUAL});
        for (guint t = 0; t < m.assembly->threads->len; t++)
            g_array_index(m.assembly->threads, PmThread, t).is_virtual = cases[i].is_virtual;
        g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
        g_autoptr(PmSummary) summary = NULL;
        g_autoptr(PmFindings) f = pm_find_all(r, &summary);
        g_assert_cmpint(of_rule(f, PM_RULE_CARRIERS) != NULL, ==, cases[i].is_found);
    }
}

/* A fifth of the time one keeps its carrier; nobody is seen to wait for one. */
static void carriers_are_pinned_though_nobody_was_woken(void)
{
    static const struct {
        const char *method, *pinned_by;
        gboolean is_virtual;
        guint16 flags;
    } cases[] = {
        {"com.acme.Slow.<clinit>", "com.acme.Slow.<clinit>", TRUE, PM_WAIT_VIRTUAL},
        {"com.acme.Slow.<clinit>", NULL, FALSE, 0},
        {"com.acme.Slow.load", NULL, TRUE, PM_WAIT_VIRTUAL}, /* unmounted */
        {"com.acme.Slow.load", NULL, TRUE, PM_WAIT_BEGIN_UNKNOWN},
        {"com.acme.Slow.load", "what calls com.acme.Slow.load", TRUE, 0},
    };
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        PmMade m = pm_made_begin();
        m.assembly->duration = END;
        const guint32 pinner = pm_made_thread(&m, "pinner"), chain = parked_in(&m, cases[i].method);
        const guint32 latch =
            pm_made_blocker(&m, pm_assembly_add_class(m.assembly, latch_class), 1, chain);
        g_array_index(m.assembly->threads, PmThread, pinner).is_virtual = cases[i].is_virtual;
        for (gint64 k = 0; k < 3; k++)
            pm_made_wait(&m, pinner, latch, chain, k * END / 4, k * END / 4 + END / 15,
                         cases[i].flags);
        g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
        g_autoptr(PmSummary) summary = NULL;
        g_autoptr(PmFindings) f = pm_find_all(r, &summary);
        const PmFinding *found = of_rule(f, PM_RULE_CARRIERS);
        g_assert_cmpint(found != NULL, ==, cases[i].pinned_by != NULL);
        if (!found)
            continue;
        g_autofree char *title = g_strdup_printf(
            "Virtual threads that wait pin 0.2 carriers on average, by %s", cases[i].pinned_by);
        g_assert_true(g_str_has_prefix(found->title, title));
        g_assert_cmpint(found->severity, ==, PM_SEVERITY_NOTE);
        g_assert_cmpint(found->waits, ==, 3);
    }
}

/* Of it the first sentence tells if its threads go on from task to task, and not asleep, as nothing
 * else stands out. Threads that wait for events are not busy. */
static void busy_pool_is_the_verdict(void)
{
    static const struct {
        const char *call;
        gboolean moves, is_told;
    } cases[] = {{"java.net.Socket.read", FALSE, FALSE},
                 {"java.net.Socket.read", TRUE, TRUE},
                 {"java.lang.Thread.sleep", TRUE, FALSE},
                 {"sun.nio.ch.EPoll.wait", TRUE, FALSE}};
    for (guint k = 0; k < G_N_ELEMENTS(cases); k++) {
        PmMade m = pm_made_begin();
        m.assembly->duration = END;
        make_pool_in(&m, TRUE, cases[k].call);
        for (guint i = 1; i < m.assembly->threads->len && cases[k].moves; i++) {
            const PmCensusRow row = {.at = END, .since = 10 * SECOND, .thread = i, .cpu = SECOND};
            g_array_append_val(m.assembly->census, row);
        }
        g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
        g_autoptr(PmSummary) summary = NULL;
        g_autoptr(PmFindings) f = pm_find_all(r, &summary);
        const char told[] = "No thread of pool-1-thread-* (3) was free for 92 % of the time: most "
                            "were in Stock.query in ";
        const PmFinding *found = of_rule(f, PM_RULE_BUSY_POOL);
        g_assert_cmpint(f->verdict.level, ==, PM_VERDICT_NONE);
        g_assert_cmpint(g_str_has_prefix(f->verdict.sentence, told), ==, cases[k].is_told);
        g_assert_cmpint(found && g_str_has_prefix(found->title, told), ==, k < 3);
    }
}

/* Of three threads one never listens, or for a third of the time, or for most of it, or always:
 * then it does so for the others. */
static void busy_pool_has_no_thread_that_listens(void)
{
    static const struct {
        guint n_listening;
        const char *told; /* NULL: nothing */
    } cases[] = {{0, "No thread of pool-1-thread-* (3) was free for 92 % of the time"},
                 {10, "No thread of pool-1-thread-* (3) was free for ~64 % of the time"},
                 {30, NULL},
                 {34, "No thread of pool-1-thread-* (3) was free for 92 % of the time"}};
    for (guint c = 0; c < G_N_ELEMENTS(cases); c++) {
        PmMade m = pm_made_begin();
        m.assembly->duration = END;
        make_busy_pool(&m, TRUE);
        const guint32 listens =
            pm_made_chain(m.assembly, "sun.nio.ch.EPoll.wait", "com.acme.Stock.listen",
                          "java.util.concurrent.ThreadPoolExecutor.runWorker", NULL);
        for (guint i = 0; i < cases[c].n_listening; i++)
            g_array_index(m.assembly->samples, PmOwnerSample, 3 * i).chain = listens;
        g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
        g_autoptr(PmSummary) summary = NULL;
        g_autoptr(PmFindings) f = pm_find_all(r, &summary);
        const PmFinding *found = of_rule(f, PM_RULE_BUSY_POOL);
        if (cases[c].told)
            g_assert_true(g_str_has_prefix(found->title, cases[c].told));
        else
            g_assert_null(found);
    }
}

/* One loop or several; not threads that may listen for each other, nor one that listens in another
 * method, or in one of the program's own. */
static void event_loops_are_the_verdict(void)
{
    static const struct {
        guint n_loops;
        gint64 n_away;
        const char *loop;
        const char *told; /* NULL: nothing */
    } cases[] = {{1, 8, NETTYS_LOOP,
                  "The event loop of loop-0 is held up for ~79 % of the time, mostly by "
                  "Stock.query in Socket.read, as seen 16 of 20 times"},
                 {3, 10, "sun.net.httpserver.ServerImpl$Dispatcher.run",
                  "The event loops of loop-* (3) are held up for ~98 % of the time, mostly "
                  "by Stock.query in Socket.read, as seen 60 of 60 times"},
                 {3, 8, NETTYS_LOOP, NULL},
                 {1, 8, "com.acme.Loop.run", NULL},
                 {1, 8, NULL, NULL}};
    for (guint k = 0; k < G_N_ELEMENTS(cases); k++) {
        PmMade m = pm_made_begin();
        m.assembly->duration = END;
        make_loops(&m, cases[k].n_loops, cases[k].n_away, cases[k].loop);
        g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
        g_autoptr(PmSummary) summary = NULL;
        g_autoptr(PmFindings) f = pm_find_all(r, &summary);
        const PmFinding *found = of_rule(f, PM_RULE_EVENT_LOOP);
        g_assert_cmpstr(found ? found->title : NULL, ==, cases[k].told);
        g_assert_cmpint(f->verdict.level, ==, PM_VERDICT_NONE);
        g_assert_cmpint(f->verdict.of_note, ==, cases[k].told != NULL);
        g_assert_cmpint(cases[k].told && g_str_has_prefix(f->verdict.sentence, cases[k].told), ==,
                        cases[k].told != NULL);
    }
}

/* A library's own pool is one if tasks are run in the loop that takes them from a queue; one of the
 * program's own may do anything there. */
static void busy_pool_may_be_a_librarys_own(void)
{
    static const struct {
        const char *takes, *runs;
        gboolean is_told;
    } cases[] = {{"io.netty.util.concurrent.DefaultEventExecutor.run",
                  "io.netty.util.concurrent.DefaultEventExecutor.run", TRUE},
                 {"io.netty.util.concurrent.DefaultEventExecutor.run",
                  "io.netty.util.concurrent.DefaultEventExecutor.other", FALSE},
                 {"com.acme.Worker.run", "com.acme.Worker.run", FALSE}};
    for (guint c = 0; c < G_N_ELEMENTS(cases); c++) {
        PmMade m = pm_made_begin();
        PmAssembly *a = m.assembly;
        a->duration = END;
        const guint32 takes = pm_made_chain(a, "java.util.concurrent.locks.LockSupport.park",
                                            "java.util.concurrent.LinkedBlockingQueue.poll",
                                            "io.netty.util.concurrent.DefaultEventExecutor.fetch",
                                            cases[c].takes, NULL);
        const guint32 reads = pm_made_chain(
            a, "java.net.Socket.read", "com.acme.Stock.query", "com.acme.Stock.handle",
            "io.netty.util.concurrent.Task.fire", cases[c].runs, NULL);
        const guint32 queue = pm_made_blocker(&m, m.queue_class, 1, takes);
        for (guint i = 0; i < 4; i++) { /* of two pools that do the same */
            const guint32 thread = pm_made_thread(&m, "%s-%u", i < 2 ? "io" : "mail", i % 2);
            pm_made_wait(&m, thread, queue, takes, 0, 5 * SECOND, 0);
            for (gint64 k = 0; k < 10; k++) {
                const PmOwnerSample sample = {.at = (6 + 5 * k) * SECOND + i * MS,
                                              .owner = thread,
                                              .chain = reads,
                                              .role = PM_SAMPLE_ENDER};
                g_array_append_val(a->samples, sample);
            }
        }
        g_autoptr(PmRecording) r = pm_assembly_finish(a);
        g_autoptr(PmSummary) summary = NULL;
        g_autoptr(PmFindings) f = pm_find_all(r, &summary);
        const PmFinding *found = of_rule(f, PM_RULE_BUSY_POOL);
        guint n_found = 0;
        for (guint i = 0; i < f->n; i++)
            n_found += f->findings[i].rule == PM_RULE_BUSY_POOL;
        g_assert_cmpuint(n_found, ==, cases[c].is_told ? 2 : 0);
        g_assert_cmpstr(found ? found->title : NULL, ==,
                        cases[c].is_told
                            ? "No thread of io-* (2) was free for 92 % of the time: most were "
                              "in Stock.query in Socket.read, as seen 20 of 20 times"
                            : NULL);
    }
}

/* Who waits at a queue in a task of its own has nothing to do either. */
static void busy_pool_has_no_thread_at_a_queue(void)
{
    PmMade m = pm_made_begin();
    m.assembly->duration = END;
    make_busy_pool(&m, TRUE);
    const guint32 takes =
        pm_made_chain(m.assembly, "java.util.concurrent.locks.LockSupport.park",
                      "java.util.concurrent.LinkedBlockingQueue.take", "com.acme.Desk.next", NULL);
    pm_made_wait(&m, 1, pm_made_blocker(&m, m.queue_class, 2, takes), takes, 5 * SECOND,
                 30 * SECOND, 0);
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmSummary) summary = NULL;
    g_autoptr(PmFindings) f = pm_find_all(r, &summary);
    g_assert_nonnull(of_rule(f, PM_RULE_BUSY_POOL));
    g_assert_true(g_str_has_prefix(of_rule(f, PM_RULE_BUSY_POOL)->title,
                                   "No thread of pool-1-thread-* (3) was free for 50 % of"));
}

/* A thread that begins late ends the time before; what used a processor, or waited in recorded
 * waits, was not away. */
static void busy_pool_is_of_threads_that_are_away(void)
{
    for (guint i = 0; i < 3; i++) {
        PmMade m = pm_made_begin();
        m.assembly->duration = END;
        make_busy_pool(&m, TRUE);
        const guint32 late = pm_made_thread(&m, i == 0 ? "pool-1-thread-9" : "other");
        PmThread *thread = &g_array_index(m.assembly->threads, PmThread, late);
        thread->begin = END - 4 * SECOND;
        thread->begin_known = TRUE;
        for (guint t = 1; t < m.assembly->threads->len; t++) {
            const PmCensusRow row = {.at = END, .thread = t, .cpu = 40 * SECOND};
            if (i == 1)
                g_array_append_val(m.assembly->census, row);
            if (i == 2)
                pm_made_wait(&m, t, pm_made_blocker(&m, m.lock_class, 9, m.lock_chain),
                             m.lock_chain, 10 * SECOND, END, 0);
        }
        g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
        g_autoptr(PmSummary) summary = NULL;
        g_autoptr(PmFindings) f = pm_find_all(r, &summary);
        g_assert_null(of_rule(f, PM_RULE_BUSY_POOL));
    }
}

/* Threads that have nothing to do are a note where a single one brings them work, and always has a
 * processor: not if it rests, or two bring it in turns, or one thread waits for it. */
static void who_starves_because_one_is_slow_has_a_note(void)
{
    enum { STARVES, RESTS, TWO_BRING, ONE_TAKES, N_KINDS };
    for (guint kind = 0; kind < N_KINDS; kind++) {
        PmMade m = pm_made_begin();
        PmAssembly *a = m.assembly;
        a->duration = END;
        const guint32 takes = pm_made_chain(a, "java.util.concurrent.locks.LockSupport.park",
                                            "java.util.concurrent.LinkedBlockingQueue.take",
                                            "com.acme.Loader.run", NULL);
        const guint32 puts = pm_made_chain(a, "java.util.concurrent.locks.LockSupport.unpark",
                                           "java.util.concurrent.LinkedBlockingQueue.put",
                                           "com.acme.Reader.run", NULL);
        const guint32 parses =
            pm_made_chain(a, "com.acme.Parser.parse", "com.acme.Reader.run", NULL);
        const guint32 queue = pm_made_blocker(&m, m.queue_class, 7, takes);
        const guint32 loaders[] = {pm_made_thread(&m, "loader-1"), pm_made_thread(&m, "loader-2")};
        const guint32 readers[] = {pm_made_thread(&m, "reader"), pm_made_thread(&m, "helper")};
        for (guint i = 0; i < 2; i++) {
            const PmCensusRow row = {.at = END,
                                     .since = 0,
                                     .thread = readers[i],
                                     .cpu = kind == RESTS ? 10 * SECOND : 50 * SECOND,
                                     .run_delay = kind == RESTS ? 0 : 5 * SECOND};
            g_array_append_val(a->census, row);
        }
        for (gint64 k = 0; k < 60; k++) {
            const guint32 reader = readers[kind == TWO_BRING ? k % 2 : 0];
            const PmOwnerSample sample = {.at = k * SECOND + 300 * MS,
                                          .owner = reader,
                                          .chain = parses,
                                          .weight = 1,
                                          .role = PM_SAMPLE_ENDER};
            g_array_append_val(a->samples, sample);
            for (guint i = 0; i < (kind == ONE_TAKES ? 1 : 2); i++)
                PM_MADE_WAIT(a, k * SECOND + i * 10 * MS, k * SECOND + 900 * MS + i * MS,
                             loaders[i], queue, takes, .wake = k * SECOND + 900 * MS + i * MS,
                             .waker = reader, .waker_chain = puts,
                             .wake_cause = PM_WAKE_COMPLETION);
        }
        g_autoptr(PmRecording) r = pm_assembly_finish(a);
        g_autoptr(PmSummary) summary = NULL;
        g_autoptr(PmFindings) f = pm_find_all(r, &summary);
        const PmFinding *found = of_rule(f, PM_RULE_WAIT_DOMINATES);
        g_assert_cmpint(found != NULL, ==, kind == STARVES);
        if (found) {
            g_assert_cmpint(found->severity, ==, PM_SEVERITY_NOTE);
            g_assert_nonnull(strstr(found->title, "because of Parser.parse"));
        }
    }
}

/* Who is passed over waits because of what those do who end the others' waits. */
static void forgotten_wait_for_what_their_givers_do(void)
{
    PmMade m = pm_made_begin();
    m.assembly->duration = END;
    make_forgotten(&m, TRUE);
    guint32 squeeze =
        pm_made_chain(m.assembly, "com.acme.Press.squeeze", "com.acme.Report.render", NULL);
    guint32 worker = 1;
    while (strcmp(g_array_index(m.assembly->threads, PmThread, worker).name, "worker") != 0)
        worker++;
    for (gint64 k = 0; k < 3; k++) {
        PmOwnerSample sample = {.at = (31 + k) * SECOND,
                                .owner = worker,
                                .chain = squeeze,
                                .weight = 1,
                                .role = PM_SAMPLE_ENDER};
        g_array_append_val(m.assembly->samples, sample);
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmSummary) summary = NULL;
    g_autoptr(PmFindings) f = pm_find_all(r, &summary);
    g_assert_cmpuint(f->n, >=, 1);
    g_assert_cmpint(f->findings[0].rule, ==, PM_RULE_FORGOTTEN);
    g_assert_cmpuint(f->findings[0].causes[0].chain, ==, squeeze);
}

static void each_is_found(void)
{
    for (guint id = 0; id < PM_N_RULES; id++) {
        const PmRule *rule = pm_rule(id);
        g_autoptr(PmRecording) r = example(id, TRUE);
        g_autoptr(PmSummary) summary = NULL;
        g_autoptr(PmFindings) f = pm_find_all(r, &summary);
        const PmFinding *found = of_rule(f, id);
        for (guint i = 0; i < f->n && !found; i++)
            g_test_message("%s: %s", pm_rule_name(f->findings[i].rule), f->findings[i].title);
        if (!found)
            g_error("%s is not found in its recording", rule->name);
        g_assert_cmpint(found->severity, ==, rule->severity);
        g_assert_cmpstr(found->title, !=, "");
        if (id == PM_RULE_CARRIERS)
            g_assert_nonnull(strstr(found->title, "pinned by com.acme.Slow.<clinit>"));
        g_assert_nonnull(found->advice);
        g_assert_cmpuint(found->n_causes, >, 0);
        g_assert_cmpuint(found->n_evidence, >, 0);
        if (rule->severity != PM_SEVERITY_NOTE) {
            g_assert_cmpstr(f->verdict.sentence, ==, f->findings[0].title);
            g_assert_cmpint(f->verdict.level, ==,
                            rule->severity == PM_SEVERITY_STUCK ? PM_VERDICT_STUCK
                                                                : PM_VERDICT_HIGH);
        }
        if (id != PM_RULE_LEAK) /* of which one command has a filter */
            pm_see(f);
    }
}

static void each_has_a_counterexample(void)
{
    for (guint id = 0; id < PM_N_RULES; id++) {
        g_autoptr(PmRecording) r = example(id, FALSE);
        g_autoptr(PmSummary) summary = NULL;
        g_autoptr(PmFindings) f = pm_find_all(r, &summary);
        const PmFinding *found = of_rule(f, id);
        if (found)
            g_error("%s is found where it should not be: %s", pm_rule_name(id), found->title);
    }
}

/* ---- rows and the guide ---- */

static void check_text(const PmRule *rule, const char *text)
{
    if (!text || strlen(text) < 10 || strchr(text, '|') || g_str_has_suffix(text, "."))
        g_error("%s lacks a text: %s", rule->name, text ? text : "none");
}

static void rows_are_whole(void)
{
    g_autoptr(GHashTable) names = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint id = 0; id < PM_N_RULES; id++) {
        const PmRule *rule = pm_rule(id);
        if (!rule->name)
            g_error("rule %u has no row", id);
        g_assert_true(g_hash_table_add(names, (gpointer)rule->name));
        check_text(rule, rule->when);
        check_text(rule, rule->advice);
        check_text(rule, rule->disproof);
        g_assert_true(rule->find || rule->applies);
        g_assert_cmpint(rule->severity == PM_SEVERITY_STUCK, ==, id <= PM_RULE_STUCK_WAIT);
        g_assert_cmpint(rule->of_memory, ==, examples[id].load != NULL); /* of allocations */
        g_assert_cmpint(rule->applies != NULL, ==, rule->title != NULL);
        g_assert_true(rule->applies || (!rule->advise && !rule->is_by_design));
        if (rule->is_by_design || rule->by_design)
            check_text(rule, rule->by_design);
        g_assert_true(rule->find || (rule->by_design != NULL) == (rule->is_by_design != NULL));
    }
    g_assert_true(pm_rule(PM_N_RULES - 1)->applies(NULL)); /* the last is for all others */
}

static void guide_lists_them(void)
{
    g_autoptr(GString) in_code = g_string_new("| finding | when | try | left out, as by design "
                                              "| disproved when |\n|---|---|---|---|---|\n");
    g_autofree char *path =
        g_build_filename(g_getenv("PM_SOURCE"), "docs", "guide", "findings.md", NULL);
    g_autofree char *page = NULL;
    for (guint id = 0; id < PM_N_RULES; id++) {
        const PmRule *rule = pm_rule(id);
        g_string_append_printf(in_code, "| `%s` (%s) | %s | %s | %s | %s |\n", rule->name,
                               pm_severity_name(rule->severity), rule->when, rule->advice,
                               rule->by_design ? rule->by_design : "", rule->disproof);
    }
    g_assert_true(g_file_get_contents(path, &page, NULL, NULL));
    char *from = strstr(page, "<!-- rules -->\n"), *to = strstr(page, "<!-- /rules -->");
    g_assert_true(from && to);
    from += strlen("<!-- rules -->\n");
    g_autofree char *in_guide = g_strndup(from, (gsize)(to - from));
    if (strcmp(in_guide, in_code->str) != 0) {
        g_printerr("%s", in_code->str);
        g_error("docs/guide/findings.md lists other rules; these are right");
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/analysis/rule/rows-are-whole", rows_are_whole);
    g_test_add_func("/analysis/rule/each-is-found", each_is_found);
    g_test_add_func("/analysis/rule/each-has-a-counterexample", each_has_a_counterexample);
    g_test_add_func("/analysis/rule/guide-lists-them", guide_lists_them);
    g_test_add_func("/analysis/rule/carriers-need-a-tenth", carriers_need_a_tenth);
    g_test_add_func("/analysis/rule/carriers-are-pinned-though-nobody-was-woken",
                    carriers_are_pinned_though_nobody_was_woken);
    g_test_add_func("/analysis/rule/who-starves-because-one-is-slow-has-a-note",
                    who_starves_because_one_is_slow_has_a_note);
    g_test_add_func("/analysis/rule/busy-pool-is-the-verdict", busy_pool_is_the_verdict);
    g_test_add_func("/analysis/rule/busy-pool-has-no-thread-that-listens",
                    busy_pool_has_no_thread_that_listens);
    g_test_add_func("/analysis/rule/event-loops-are-the-verdict", event_loops_are_the_verdict);
    g_test_add_func("/analysis/rule/busy-pool-may-be-a-librarys-own",
                    busy_pool_may_be_a_librarys_own);
    g_test_add_func("/analysis/rule/busy-pool-has-no-thread-at-a-queue",
                    busy_pool_has_no_thread_at_a_queue);
    g_test_add_func("/analysis/rule/busy-pool-is-of-threads-that-are-away",
                    busy_pool_is_of_threads_that_are_away);
    g_test_add_func("/analysis/rule/forgotten-wait-for-what-their-givers-do",
                    forgotten_wait_for_what_their_givers_do);
    g_test_add_func("/analysis/rule/polling-of-a-group-is-told-once",
                    polling_of_a_group_is_told_once);
    return g_test_run();
}
