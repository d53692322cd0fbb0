/* Who waits for what only others that wait ever gave. */
#include "viewer/analysis/evidence/knot.h"

#include "tests/analysis/made.h"
#include "viewer/analysis/findings/findings.h"

#define MS     G_GINT64_CONSTANT(1000000)
#define SECOND G_GINT64_CONSTANT(1000000000)
#define END    (60 * SECOND)

typedef struct {
    PmMade made;
    guint32 future_class, latch_class;
    guint32 room, sells, shop; /* of fill_own_queue */
    PmRecording *recording;
    PmSummary *summary;
    GArray *knots;
} Scene;

static void scene_begin(Scene *s)
{
    *s = (Scene){.made = pm_made_begin()};
    s->made.assembly->duration = END;
    s->future_class =
        pm_assembly_add_class(s->made.assembly, "java.util.concurrent.CompletableFuture$Signaller");
    s->latch_class =
        pm_assembly_add_class(s->made.assembly, "java.util.concurrent.CountDownLatch$Sync");
}

static guint32 chain_of(Scene *s, const char *method)
{
    return pm_made_chain(s->made.assembly, "java.util.concurrent.locks.LockSupport.park", method,
                         NULL);
}

/* A wait for an object of its own, until `waker` ends it; without one it goes on. */
static void scene_wait(Scene *s, guint32 class_index, guint32 thread, guint32 chain, guint32 waker,
                       gint64 begin, gint64 end)
{
    PM_MADE_WAIT(
        s->made.assembly, begin, end, thread,
        pm_made_blocker(&s->made, class_index, s->made.assembly->blockers->len, chain), chain,
        .wake = waker ? end : 0, .waker = waker, .waker_chain = waker ? s->made.other_chain : 0,
        .wake_cause = waker ? PM_WAKE_COMPLETION : 0, .flags = waker ? 0 : PM_WAIT_IN_PROGRESS);
}

static const GArray *scene_end(Scene *s)
{
    s->recording = pm_assembly_finish(s->made.assembly);
    g_autoptr(PmView) view = pm_made_view(s->recording);
    s->summary = pm_summary_new(view, END, NULL);
    g_autoptr(PmOperations) operations =
        pm_operations_new(s->summary, pm_recording_contention(s->recording, NULL));
    s->knots = pm_knots_find(operations);
    return s->knots;
}

static void scene_clear(Scene *s)
{
    g_array_unref(s->knots);
    pm_summary_free(s->summary);
    pm_recording_unref(s->recording);
}

static const PmKnot *check_one(const GArray *knots, PmKnotShape shape, guint n_rows)
{
    g_assert_cmpuint(knots->len, ==, 1);
    const PmKnot *knot = &g_array_index(knots, PmKnot, 0);
    g_assert_cmpint(knot->shape, ==, shape);
    g_assert_cmpuint(knot->rows->len, ==, n_rows);
    return knot;
}

/* Three threads of a pool wait for tasks that threads of it ran before; of `n` threads. */
static void fill_pool(Scene *s, guint n, gint64 began)
{
    guint32 threads[4];
    scene_begin(s);
    guint32 chain = chain_of(s, "com.acme.Report.join");
    for (guint i = 0; i < n; i++)
        threads[i] = pm_made_thread(&s->made, "pool-1-%u", i + 1);
    for (gint64 k = 0; k < 6; k++)
        scene_wait(s, s->future_class, threads[k % 3], chain, threads[(k + 1) % 3],
                   k * 100 * MS + MS, k * 100 * MS + 50 * MS);
    for (guint i = 0; i < 3; i++)
        scene_wait(s, s->future_class, threads[i], chain, 0, began + i * MS, END);
}

static void tasks_of_ones_own_pool_are_a_knot(void)
{
    Scene s;
    fill_pool(&s, 3, 5 * SECOND);
    const PmKnot *knot = check_one(scene_end(&s), PM_KNOT_OWN_POOL, 3);
    g_assert_cmpuint(knot->n_ends, ==, 6);
    g_assert_cmpint(knot->longest, ==, 49 * MS);
    g_assert_cmpint(pm_wait_begin(&s.recording->waits, g_array_index(knot->rows, guint32, 0)), ==,
                    5 * SECOND);
    scene_clear(&s);
}

/* Three threads that price wait for a rate; `task`: a pool's. One of them does so as it loads
 * another one from others, for which the others wait. */
static void load_for_each_other(Scene *s, gboolean task)
{
    scene_begin(s);
    PmAssembly *a = s->made.assembly;
    const char *runs =
        task ? "java.util.concurrent.ThreadPoolExecutor.runWorker" : "java.lang.Thread.run";
    const guint32 price =
        pm_made_chain(a, "java.util.concurrent.locks.LockSupport.park", "com.cache.Cache.get",
                      "com.acme.Rates.rate", "com.acme.Shop.price", runs, NULL);
    const guint32 load =
        pm_made_chain(a, "java.util.concurrent.locks.LockSupport.park", "com.cache.Cache.get",
                      "com.acme.Rates.rate", "com.acme.Rates.cross", "com.cache.Cache.get",
                      "com.acme.Rates.rate", "com.acme.Shop.price", runs, NULL);
    guint32 threads[3];
    for (guint i = 0; i < 3; i++)
        threads[i] = pm_made_thread(&s->made, i == 0 ? "price-1" : i == 1 ? "price-2" : "price-3");
    for (gint64 k = 0; k < 6; k++)
        scene_wait(s, s->future_class, threads[k % 3], price, threads[(k + 1) % 3],
                   k * 100 * MS + MS, k * 100 * MS + 50 * MS);
    for (guint i = 0; i < 3; i++)
        scene_wait(s, s->future_class, threads[i], i == 1 ? load : price, 0, 5 * SECOND + i * MS,
                   END);
}

static void call_within_such_a_call_is_told(void)
{
    Scene s;
    load_for_each_other(&s, FALSE);
    check_one(scene_end(&s), PM_KNOT_MUTUAL, 3);
    PmFindings *findings =
        pm_findings_new(s.summary, pm_recording_contention(s.recording, NULL), NULL);
    g_assert_cmpuint(findings->n, >, 0);
    g_assert_cmpint(findings->findings[0].severity, ==, PM_SEVERITY_STUCK);
    g_assert_cmpuint(findings->findings[0].n_causes, ==, 1);
    g_assert_true(g_str_has_prefix(findings->findings[0].causes[0].text, "Rates.cross"));
    g_assert_true(g_str_has_suffix(findings->findings[0].title,
                                   "; Rates.cross asks for one inside such a call"));
    pm_findings_free(findings);
    scene_clear(&s);
}

/* Two executors of one thread each do what desks ask for, until a task of each asks the other. */
static void executors_that_ask_each_other_are_told_by_their_tasks(void)
{
    static const char *const tasks[] = {"com.acme.Ledger.close", "com.acme.Stock.value"};
    Scene s;
    scene_begin(&s);
    PmAssembly *a = s.made.assembly;
    const guint32 ask = pm_made_chain(a, "java.util.concurrent.locks.LockSupport.park",
                                      "java.util.concurrent.FutureTask.get", "com.acme.Owner.ask",
                                      "com.acme.Desk.run", NULL);
    const guint32 owners[] = {pm_made_thread(&s.made, "ledger"), pm_made_thread(&s.made, "stock")};
    const guint32 desk = pm_made_thread(&s.made, "desk");
    s.made.other_chain = pm_made_chain(a, "java.util.concurrent.FutureTask.run",
                                       "java.util.concurrent.ThreadPoolExecutor.runWorker", NULL);
    for (gint64 k = 0; k < 12; k++)
        scene_wait(&s, s.future_class, desk, ask, owners[k % 2], k * 100 * MS + MS,
                   k * 100 * MS + 50 * MS);
    for (guint i = 0; i < 2; i++)
        scene_wait(&s, s.future_class, owners[i],
                   pm_made_chain(a, "java.util.concurrent.locks.LockSupport.park",
                                 "java.util.concurrent.FutureTask.get", "com.acme.Owner.ask",
                                 tasks[i], "java.util.concurrent.FutureTask.run",
                                 "java.util.concurrent.ThreadPoolExecutor.runWorker", NULL),
                   0, 5 * SECOND + i * MS, END);
    check_one(scene_end(&s), PM_KNOT_MUTUAL, 2);
    PmFindings *findings =
        pm_findings_new(s.summary, pm_recording_contention(s.recording, NULL), NULL);
    g_assert_cmpuint(findings->findings[0].n_causes, ==, 2);
    for (guint i = 0; i < 2; i++) {
        const char *told = tasks[i] + strlen("com.acme.");
        g_assert_true(g_str_has_prefix(findings->findings[0].causes[i].text, told));
    }
    g_assert_true(g_str_has_suffix(findings->findings[0].title,
                                   "; Ledger.close asks for one inside such a call"));
    pm_findings_free(findings);
    scene_clear(&s);
}

static void task_within_a_task_is_its_pools(void)
{
    Scene s;
    load_for_each_other(&s, TRUE);
    check_one(scene_end(&s), PM_KNOT_OWN_POOL, 3);
    scene_clear(&s);
}

/* Crawlers wait for the threads of the folders within, which need a permit that those keep. */
static void ends_of_threads_are_no_tasks(void)
{
    Scene s;
    scene_begin(&s);
    PmAssembly *a = s.made.assembly;
    const guint32 permit_class =
                      pm_assembly_add_class(a, "java.util.concurrent.Semaphore$NonfairSync"),
                  thread_class = pm_assembly_add_class(a, "java.lang.Thread");
    const guint32 join = pm_made_chain(a, "java.lang.Object.wait", "java.lang.Object.wait",
                                       "java.lang.Thread.join", "com.acme.Crawler.crawl", NULL),
                  acquire = pm_made_chain(a, "java.util.concurrent.locks.LockSupport.park",
                                          "java.util.concurrent.Semaphore.acquire",
                                          "com.acme.Crawler.crawl", NULL);
    const guint32 permits = pm_made_blocker(&s.made, permit_class, 7, acquire);
    guint32 folders[4];
    for (guint i = 0; i < 4; i++)
        folders[i] = pm_made_thread(&s.made, "folder-%u", i);
    for (gint64 k = 0; k < 12; k++) {
        const gint64 at = k * 100 * MS + MS;
        scene_wait(&s, thread_class, folders[k % 4], join, folders[(k + 1) % 4], at, at + 50 * MS);
        PM_MADE_WAIT(a, at + 60 * MS, at + 80 * MS, folders[k % 4], permits, acquire,
                     .wake = at + 80 * MS, .waker = folders[(k + 2) % 4],
                     .waker_chain = s.made.other_chain, .wake_cause = PM_WAKE_RELEASE);
    }
    for (guint i = 0; i < 2; i++)
        scene_wait(&s, thread_class, folders[i], join, 0, 5 * SECOND + i * MS, END);
    for (guint i = 2; i < 4; i++)
        pm_made_wait(&s.made, folders[i], permits, acquire, 6 * SECOND, END, PM_WAIT_IN_PROGRESS);
    const PmKnot *knot = check_one(scene_end(&s), PM_KNOT_MUTUAL, 4);
    g_assert_cmpuint(pm_wait_blocker(&s.recording->waits, g_array_index(knot->rows, guint32, 0)),
                     ==, permits);
    g_autoptr(PmFindings) f =
        pm_findings_new(s.summary, pm_recording_contention(s.recording, NULL), NULL);
    g_assert_true(
        g_str_has_suffix(f->findings[0].title,
                         "; folder-0 waits further on in Crawler.crawl and may keep what it took"));
    g_assert_cmpuint(f->findings[0].n_causes, ==, 1);
    scene_clear(&s);
}

static void one_thread_left_in_the_pool_is_no_knot(void)
{
    Scene s;
    fill_pool(&s, 4, 5 * SECOND);
    g_assert_cmpuint(scene_end(&s)->len, ==, 0);
    scene_clear(&s);
}

/* An unpark that came late, for what the thread waited for before, ends a wait for a result, and
 * the thread waits on: who made it gives no results. `again`: else it does. */
static void late_unpark_gives_nothing(void)
{
    static const guint8 causes[] = {PM_WAKE_PERMIT, PM_WAKE_RELEASE};
    for (guint i = 0; i < 2 * G_N_ELEMENTS(causes); i++) {
        const gboolean again = i % 2;
        Scene s;
        fill_pool(&s, 3, 5 * SECOND);
        PmAssembly *a = s.made.assembly;
        const guint32 chain = chain_of(&s, "com.acme.Report.join");
        const guint32 blocker = pm_made_blocker(&s.made, s.future_class, a->blockers->len, chain);
        PmWaitRow row = {.begin = SECOND,
                         .end = SECOND + 300,
                         .wake = causes[i / 2] == PM_WAKE_PERMIT ? SECOND - MS : SECOND + 100,
                         .thread = 1,
                         .blocker = blocker,
                         .chain = chain,
                         .waker = pm_made_thread(&s.made, "main"),
                         .wake_cause = causes[i / 2]};
        pm_assembly_add_wait(a, &row);
        row.begin = SECOND + 2000;
        row.end = row.wake = SECOND + 40 * MS;
        row.waker = 2;
        row.wake_cause = PM_WAKE_COMPLETION;
        if (again)
            pm_assembly_add_wait(a, &row);
        const GArray *knots = scene_end(&s);
        if (again)
            check_one(knots, PM_KNOT_OWN_POOL, 3);
        else
            g_assert_cmpuint(knots->len, ==, 0);
        scene_clear(&s);
    }
}

static void young_waits_are_no_knot(void)
{
    Scene s;
    fill_pool(&s, 3, END - 200 * MS);
    g_assert_cmpuint(scene_end(&s)->len, ==, 0);
    scene_clear(&s);
}

/* Alpha and beta end each other's waits, at last none does. `third`: another has ended beta's
 * before. */
static void wait_for_each_other(Scene *s, gboolean third, gboolean third_ended)
{
    scene_begin(s);
    guint32 left = chain_of(s, "com.acme.Left.await"), right = chain_of(s, "com.acme.Right.await");
    guint32 alpha = pm_made_thread(&s->made, "alpha"), beta = pm_made_thread(&s->made, "beta");
    PmThread t = {.tid = 99, .name = "gamma", .end = 2 * SECOND, .ended = third_ended};
    guint32 gamma = pm_assembly_add_thread(s->made.assembly, &t);
    for (gint64 k = 0; k < 4; k++) {
        scene_wait(s, s->latch_class, alpha, left, beta, k * 200 * MS + MS, k * 200 * MS + 50 * MS);
        scene_wait(s, s->latch_class, beta, right, third && k == 0 ? gamma : alpha,
                   k * 200 * MS + 100 * MS, k * 200 * MS + 150 * MS);
    }
    scene_wait(s, s->latch_class, alpha, left, 0, 5 * SECOND, END);
    scene_wait(s, s->latch_class, beta, right, 0, 6 * SECOND, END);
}

static void lost_wakeup_of_two_is_one_knot(void)
{
    Scene s;
    wait_for_each_other(&s, FALSE, FALSE);
    const PmKnot *knot = check_one(scene_end(&s), PM_KNOT_MUTUAL, 2);
    g_assert_cmpuint(knot->givers->len, ==, 2);
    g_assert_cmpuint(knot->n_ends, ==, 8);
    scene_clear(&s);
}

static void giver_that_is_alive_can_end_it(void)
{
    Scene s;
    wait_for_each_other(&s, TRUE, FALSE);
    g_assert_cmpuint(scene_end(&s)->len, ==, 0);
    scene_clear(&s);
}

static void giver_that_has_ended_cannot(void)
{
    Scene s;
    wait_for_each_other(&s, TRUE, TRUE);
    check_one(scene_end(&s), PM_KNOT_MUTUAL, 2);
    scene_clear(&s);
}

/* Alpha and beta wait for each other; a clerk waits for a lock, which beta has if `held`. */
static void who_holds_a_lock_in_a_knot_is_told(void)
{
    for (gboolean held = FALSE; held <= TRUE; held++) {
        Scene s;
        wait_for_each_other(&s, FALSE, FALSE);
        const guint32 lock = pm_made_blocker(&s.made, s.made.lock_class, 77, s.made.lock_chain);
        const guint32 clerk = pm_made_thread(&s.made, "clerk");
        PM_MADE_WAIT(s.made.assembly, 7 * SECOND, END, clerk, lock, s.made.lock_chain,
                     .owner = held ? 2 : 0, .flags = PM_WAIT_IN_PROGRESS);
        scene_end(&s);
        g_autoptr(PmFindings) f =
            pm_findings_new(s.summary, pm_recording_contention(s.recording, NULL), NULL);
        g_assert_cmpint(strstr(f->findings[0].title,
                               "; beta waits in Right.await and holds ReentrantLock") != NULL,
                        ==, held);
        g_assert_cmpint(g_str_has_prefix(f->findings[0].causes[0].text, "Right.await"), ==, held);
        scene_clear(&s);
    }
}

/* An export waits for a part, which waits for pages that a feed gave; `ended`: it has ended. */
static void who_gave_to_who_gives_has_ended(void)
{
    for (gboolean ended = FALSE; ended <= TRUE; ended++) {
        Scene s;
        scene_begin(&s);
        PmAssembly *a = s.made.assembly;
        const guint32 join = chain_of(&s, "com.acme.Export.join"),
                      take = pm_made_chain(a, "java.util.concurrent.LinkedBlockingQueue.take",
                                           "com.acme.Part.write", NULL),
                      put = pm_made_chain(a, "java.util.concurrent.LinkedBlockingQueue.put",
                                          "com.acme.Feed.read", NULL);
        const guint32 exports[] = {pm_made_thread(&s.made, "export-1"),
                                   pm_made_thread(&s.made, "export-2")};
        const guint32 part = pm_made_thread(&s.made, "part");
        PmThread t = {.tid = 99, .name = "feed", .end = 2 * SECOND, .ended = ended};
        const guint32 feed = pm_assembly_add_thread(a, &t);
        const guint32 pages = pm_made_blocker(&s.made, s.made.queue_class, 7, take);
        for (gint64 k = 0; k < 8; k++) {
            PM_MADE_WAIT(a, k * 200 * MS + MS, k * 200 * MS + 20 * MS, part, pages, take,
                         .wake = k * 200 * MS + 20 * MS, .waker = feed, .waker_chain = put,
                         .wake_cause = PM_WAKE_RELEASE);
            scene_wait(&s, s.latch_class, exports[k % 2], join, part, k * 200 * MS + 2 * MS,
                       k * 200 * MS + 50 * MS);
        }
        pm_made_wait(&s.made, part, pages, take, 5 * SECOND, END, PM_WAIT_IN_PROGRESS);
        for (guint i = 0; i < 2; i++)
            scene_wait(&s, s.latch_class, exports[i], join, 0, 5 * SECOND + MS, END);
        scene_end(&s);
        g_autoptr(PmFindings) f =
            pm_findings_new(s.summary, pm_recording_contention(s.recording, NULL), NULL);
        g_assert_cmpuint(f->n, >, 0);
        g_assert_cmpint(strstr(f->findings[0].title,
                               "; feed, which gave what part waits for, has ended") != NULL,
                        ==, ended);
        g_assert_cmpint(g_str_has_prefix(f->findings[0].causes[0].text, "Feed.read"), ==, ended);
        scene_clear(&s);
    }
}

/* Shops wait at a bus, which alone ended their waits, and now waits itself: for room, or as all do
 * who take. */
static void wait_at_the_bus(Scene *s, gboolean room)
{
    scene_begin(s);
    PmAssembly *a = s->made.assembly;
    const char *waits = room ? "java.util.concurrent.ArrayBlockingQueue.put"
                             : "java.util.concurrent.ArrayBlockingQueue.take";
    const guint32 sells =
                      pm_made_chain(a, waits, "com.acme.Bus.publish", "com.acme.Shop.sell", NULL),
                  orders = pm_made_chain(a, waits, "com.acme.Bus.publish", "com.acme.Stock.onEvent",
                                         "com.acme.Bus.dispatch", NULL);
    const guint32 shops[] = {pm_made_thread(&s->made, "shop-1"),
                             pm_made_thread(&s->made, "shop-2")},
                  bus = pm_made_thread(&s->made, "bus");
    const guint32 events = pm_made_blocker(&s->made, s->made.queue_class, 7, sells);
    for (gint64 k = 0; k < 30; k++) {
        PM_MADE_WAIT(a, k * 20 * MS + MS, k * 20 * MS + 10 * MS, shops[k % 2], events, sells,
                     .wake = k * 20 * MS + 10 * MS, .waker = bus,
                     .waker_chain = s->made.other_chain, .wake_cause = PM_WAKE_RELEASE);
    }
    for (guint i = 0; i < 2; i++)
        pm_made_wait(&s->made, shops[i], events, sells, 5 * SECOND, END, PM_WAIT_IN_PROGRESS);
    pm_made_wait(&s->made, bus, events, orders, 5 * SECOND, END, PM_WAIT_IN_PROGRESS);
}

static void who_alone_makes_room_waits_in_vain(void)
{
    Scene s;
    wait_at_the_bus(&s, TRUE);
    check_one(scene_end(&s), PM_KNOT_MUTUAL, 3);
    g_autoptr(PmFindings) f =
        pm_findings_new(s.summary, pm_recording_contention(s.recording, NULL), NULL);
    g_assert_nonnull(strstr(f->findings[0].title,
                            "; bus, which should make room, waits for it too, in Stock.onEvent"));
    g_assert_true(g_str_has_prefix(f->findings[0].causes[0].text, "Stock.onEvent "));
    scene_clear(&s);
    wait_at_the_bus(&s, FALSE);
    g_assert_cmpuint(scene_end(&s)->len, ==, 0);
    scene_clear(&s);
}

/* Shops put hooks into a queue, which a sender takes from and, as all fails, puts them back into.
 * It was never full before. `free`: another sender takes from it, too, and is not among those. */
static void fill_own_queue(Scene *s, gboolean free)
{
    scene_begin(s);
    PmAssembly *a = s->made.assembly;
    const guint32 takes = pm_made_chain(a, "java.util.concurrent.ArrayBlockingQueue.take",
                                        "com.acme.Sender.run", NULL),
                  again = pm_made_chain(a, "java.util.concurrent.ArrayBlockingQueue.put",
                                        "com.acme.Sender.again", "com.acme.Sender.run", NULL),
                  sells = pm_made_chain(a, "java.util.concurrent.ArrayBlockingQueue.put",
                                        "com.acme.Shop.sell", NULL);
    const guint32 lock = pm_made_blocker(&s->made, s->made.lock_class, 7, takes);
    const PmBlocker conditions[] = {
        {.class_index = s->made.queue_class, .hash = 8, .first_chain = takes, .parent = lock},
        {.class_index = s->made.queue_class, .hash = 9, .first_chain = sells, .parent = lock}};
    const guint32 elements = pm_assembly_add_blocker(a, &conditions[0]),
                  room = pm_assembly_add_blocker(a, &conditions[1]);
    const guint32 shops[] = {pm_made_thread(&s->made, "shop-1"),
                             pm_made_thread(&s->made, "shop-2")},
                  sender = pm_made_thread(&s->made, "sender"),
                  other = pm_made_thread(&s->made, "courier");
    for (gint64 k = 0; k < 30; k++)
        PM_MADE_WAIT(a, k * 20 * MS + MS, k * 20 * MS + 10 * MS, k % 3 || !free ? sender : other,
                     elements, takes, .wake = k * 20 * MS + 10 * MS, .waker = shops[k % 2],
                     .waker_chain = s->made.other_chain, .wake_cause = PM_WAKE_RELEASE);
    for (guint i = 0; i < 2; i++)
        pm_made_wait(&s->made, shops[i], room, sells, 58 * SECOND, END, PM_WAIT_IN_PROGRESS);
    pm_made_wait(&s->made, sender, room, again, 58 * SECOND, END, PM_WAIT_IN_PROGRESS);
    s->room = room;
    s->sells = sells;
    s->shop = shops[0];
}

/* How often the evidence of the first finding has that text. */
static guint count_evidence(const Scene *s, const char *text)
{
    g_autoptr(PmFindings) f =
        pm_findings_new(s->summary, pm_recording_contention(s->recording, NULL), NULL);
    guint n = 0;
    for (guint i = 0; i < f->findings[0].n_evidence; i++)
        n += strstr(f->findings[0].evidence[i].text, text) != NULL;
    return n;
}

static void who_takes_is_to_make_room_in_what_was_never_full(void)
{
    Scene s;
    fill_own_queue(&s, FALSE);
    check_one(scene_end(&s), PM_KNOT_MUTUAL, 3);
    g_autoptr(PmFindings) f =
        pm_findings_new(s.summary, pm_recording_contention(s.recording, NULL), NULL);
    g_assert_nonnull(strstr(f->findings[0].title,
                            "; sender, which should make room, waits for it too, in Sender.again"));
    g_assert_true(g_str_has_prefix(f->findings[0].causes[0].text, "Sender.again "));
    scene_clear(&s);
    fill_own_queue(&s, TRUE);
    g_assert_cmpuint(scene_end(&s)->len, ==, 0);
    scene_clear(&s);
}

/* One method puts into two queues that were never full before. Who takes from the first puts into
 * it itself; who takes from the second is busy. `first`: who waits for room in which first. */
static void who_takes_from_one_queue_makes_no_room_in_another(void)
{
    for (guint first = 0; first < 2; first++) {
        Scene s;
        scene_begin(&s);
        PmAssembly *a = s.made.assembly;
        const guint32 takes = pm_made_chain(a, "java.util.concurrent.ArrayBlockingQueue.take",
                                            "com.acme.Taker.run", NULL),
                      puts = pm_made_chain(a, "java.util.concurrent.ArrayBlockingQueue.put",
                                           "com.acme.Queues.put", NULL);
        const guint32 givers[] = {pm_made_thread(&s.made, "alpha-giver"),
                                  pm_made_thread(&s.made, "beta-giver")},
                      takers[] = {pm_made_thread(&s.made, "alpha-taker"),
                                  pm_made_thread(&s.made, "beta-taker")};
        guint32 rooms[2];
        for (guint i = 0; i < 2; i++) {
            const guint32 lock = pm_made_blocker(&s.made, s.made.lock_class, 20 + i, takes);
            const PmBlocker conditions[] = {{.class_index = s.made.queue_class,
                                             .hash = 30 + i,
                                             .first_chain = takes,
                                             .parent = lock},
                                            {.class_index = s.made.queue_class,
                                             .hash = 40 + i,
                                             .first_chain = puts,
                                             .parent = lock}};
            const guint32 elements = pm_assembly_add_blocker(a, &conditions[0]);
            rooms[i] = pm_assembly_add_blocker(a, &conditions[1]);
            for (gint64 k = 0; k < 10; k++)
                PM_MADE_WAIT(a, k * 20 * MS + MS, k * 20 * MS + 10 * MS, takers[i], elements, takes,
                             .wake = k * 20 * MS + 10 * MS, .waker = givers[i],
                             .waker_chain = s.made.other_chain, .wake_cause = PM_WAKE_RELEASE);
        }
        for (guint k = 0; k < 2; k++)
            pm_made_wait(&s.made, givers[(first + k) % 2], rooms[(first + k) % 2], puts,
                         55 * SECOND + k * MS, END, PM_WAIT_IN_PROGRESS);
        pm_made_wait(&s.made, takers[0], rooms[0], puts, 56 * SECOND, END, PM_WAIT_IN_PROGRESS);
        const PmKnot *knot = check_one(scene_end(&s), PM_KNOT_MUTUAL, 2);
        for (guint i = 0; i < 2; i++)
            g_assert_cmpuint(
                pm_wait_blocker(&s.recording->waits, g_array_index(knot->rows, guint32, i)), ==,
                rooms[0]);
        scene_clear(&s);
    }
}

/* Earlier waits for room that timed out tell nothing of who makes some. */
static void who_takes_ended_no_wait_for_room(void)
{
    Scene s;
    fill_own_queue(&s, FALSE);
    PM_MADE_WAIT(s.made.assembly, SECOND, SECOND + 50 * MS, s.shop, s.room, s.sells,
                 .wake_cause = PM_WAKE_TIME_OUT, .flags = PM_WAIT_TIMED);
    g_assert_cmpuint(check_one(scene_end(&s), PM_KNOT_MUTUAL, 3)->n_ends, ==, 0);
    g_assert_cmpuint(count_evidence(&s, "earlier"), ==, 0);
    g_assert_cmpuint(count_evidence(&s, "based on who waits for what is put in"), ==, 1);
    scene_clear(&s);
}

/* Who was seen to make room for one method makes it for another one that waits at the same queue.
 */
static void who_makes_room_makes_it_for_all(void)
{
    Scene s;
    fill_own_queue(&s, FALSE);
    PM_MADE_WAIT(s.made.assembly, SECOND, SECOND + 50 * MS, s.shop, s.room, s.sells,
                 .wake = SECOND + 50 * MS, .waker = pm_made_thread(&s.made, "drain"),
                 .waker_chain = s.made.other_chain, .wake_cause = PM_WAKE_RELEASE);
    g_assert_cmpuint(scene_end(&s)->len, ==, 0);
    scene_clear(&s);
}

/* Of a knot, a queue that was never full before is a part, and waits that were ended before. */
static void what_is_expected_and_what_was_seen_are_told_apart(void)
{
    Scene s;
    fill_own_queue(&s, FALSE);
    const guint32 left = pm_made_thread(&s.made, "left"), right = pm_made_thread(&s.made, "right"),
                  chain = chain_of(&s, "com.acme.Pair.meet");
    for (gint64 k = 0; k < 6; k++)
        scene_wait(&s, s.latch_class, k % 2 ? left : right, chain, k % 2 ? right : left,
                   k * 100 * MS + MS, k * 100 * MS + 50 * MS);
    scene_wait(&s, s.latch_class, left, chain, 0, 57 * SECOND, END);
    scene_wait(&s, s.latch_class, right, chain, 0, 57 * SECOND, END);
    g_assert_cmpuint(check_one(scene_end(&s), PM_KNOT_MUTUAL, 5)->n_ends, ==, 6);
    g_assert_cmpuint(count_evidence(&s, "based on 6 earlier ends"), ==, 1);
    g_assert_cmpuint(count_evidence(&s, "based on who waits for what is put in"), ==, 1);
    scene_clear(&s);
}

/* A parser and a renderer wait for room in each other's queues, by the same method: neither waits
 * for what it should take from itself, though it may be of one queue alone that earlier waits were
 * seen. */
static void check_full_queues(guint n_seen)
{
    Scene s;
    scene_begin(&s);
    PmAssembly *a = s.made.assembly;
    const guint32 emits = pm_made_chain(a, "java.util.concurrent.ArrayBlockingQueue.put",
                                        "com.acme.Stage.emit", "com.acme.Stage.run", NULL);
    const guint32 threads[] = {pm_made_thread(&s.made, "parser"),
                               pm_made_thread(&s.made, "renderer")};
    guint32 queues[2];
    for (guint i = 0; i < 2; i++)
        queues[i] = pm_made_blocker(&s.made, s.made.queue_class, 7 + i, emits);
    for (guint i = 0; i < n_seen; i++)
        PM_MADE_WAIT(a, i * 20 * MS + MS, i * 20 * MS + 2 * MS, threads[i], queues[i], emits,
                     .wake = i * 20 * MS + 2 * MS, .waker = threads[1 - i],
                     .waker_chain = s.made.other_chain, .wake_cause = PM_WAKE_RELEASE);
    for (guint i = 0; i < 2; i++)
        pm_made_wait(&s.made, threads[i], queues[i], emits, 5 * SECOND + i * MS, END,
                     PM_WAIT_IN_PROGRESS);
    check_one(scene_end(&s), PM_KNOT_MUTUAL, 2);
    g_autoptr(PmFindings) f =
        pm_findings_new(s.summary, pm_recording_contention(s.recording, NULL), NULL);
    g_assert_null(strstr(f->findings[0].title, "which should make room"));
    g_assert_nonnull(strstr(f->findings[0].title, "00000007 and "));
    g_assert_nonnull(strstr(f->findings[0].title, "00000008 in Stage.emit; "));
    g_assert_cmpuint(f->findings[0].n_causes, ==, n_seen);
    for (guint i = 0; i < n_seen; i++) /* each by the other one */
        g_assert_cmpuint(f->findings[0].causes[i].thread, ==, threads[1 - i]);
    scene_clear(&s);
}

static void who_waits_for_room_in_another_queue_is_not_its_taker(void)
{
    check_full_queues(2);
    check_full_queues(1);
}

/* Cooks put into a box and waiters take from it, at the box's own monitor, and each ended the
 * other's waits in the same method, until the wrong one is woken. */
static void who_ends_both_sides_is_told_once(void)
{
    Scene s;
    scene_begin(&s);
    PmAssembly *a = s.made.assembly;
    const guint32 of_class = pm_assembly_add_class(a, "com.acme.Box");
    const guint32 puts = pm_made_chain(a, "java.lang.Object.wait", "com.acme.Box.put", NULL),
                  takes = pm_made_chain(a, "java.lang.Object.wait", "com.acme.Box.take", NULL);
    const guint32 box = pm_made_blocker(&s.made, of_class, 7, puts);
    guint32 threads[4];
    for (guint i = 0; i < 4; i++)
        threads[i] = pm_made_thread(&s.made, i < 2 ? "cook-%u" : "waiter-%u", i % 2);
    for (gint64 k = 0; k < 8; k++)
        PM_MADE_WAIT(a, k * 20 * MS + MS, k * 20 * MS + 2 * MS, threads[k % 4], box,
                     k % 4 < 2 ? puts : takes, .kind = PM_KIND_WAIT, .wake = k * 20 * MS + 2 * MS,
                     .waker = threads[2 + (k + 1) % 2], .waker_chain = s.made.other_chain,
                     .wake_cause = PM_WAKE_SIGNAL);
    for (guint i = 0; i < 4; i++)
        PM_MADE_WAIT(a, 5 * SECOND, END, threads[i], box, i < 2 ? puts : takes,
                     .kind = PM_KIND_WAIT, .flags = PM_WAIT_IN_PROGRESS);
    check_one(scene_end(&s), PM_KNOT_MUTUAL, 4);
    g_autoptr(PmFindings) f =
        pm_findings_new(s.summary, pm_recording_contention(s.recording, NULL), NULL);
    g_assert_nonnull(strstr(f->findings[0].title, " in Box.put and Box.take; "));
    g_assert_cmpuint(f->findings[0].n_causes, ==, 1);
    for (guint i = 0; i < f->findings[0].n_evidence; i++)
        for (guint k = 0; k < i; k++)
            g_assert_cmpstr(f->findings[0].evidence[i].text, !=, f->findings[0].evidence[k].text);
    scene_clear(&s);
}

/* Orders wait for what only the mailer gave, which has ended; `takes`: as consumers. */
static void wait_for_ended(Scene *s, gboolean ended, gboolean takes)
{
    scene_begin(s);
    guint32 queue = s->made.queue_class,
            chain = pm_made_chain(s->made.assembly,
                                  takes ? "java.util.concurrent.LinkedBlockingQueue.take"
                                        : "java.util.concurrent.LinkedBlockingQueue.put",
                                  "com.acme.Orders.confirm", NULL);
    PmThread t = {.tid = 99, .name = "mailer", .end = 2 * SECOND, .ended = ended};
    guint32 mailer = pm_assembly_add_thread(s->made.assembly, &t);
    guint32 order = pm_made_thread(&s->made, "order");
    for (gint64 k = 0; k < 4; k++)
        scene_wait(s, queue, order, chain, mailer, k * 200 * MS + MS, k * 200 * MS + 50 * MS);
    scene_wait(s, queue, order, chain, 0, 5 * SECOND, END);
}

static void who_waits_for_an_ended_thread_is_told(void)
{
    Scene s;
    wait_for_ended(&s, TRUE, FALSE);
    check_one(scene_end(&s), PM_KNOT_ENDED, 1);
    scene_clear(&s);
    wait_for_ended(&s, FALSE, FALSE);
    g_assert_cmpuint(scene_end(&s)->len, ==, 0);
    scene_clear(&s);
    wait_for_ended(&s, TRUE, TRUE); /* others may bring work */
    g_assert_cmpuint(scene_end(&s)->len, ==, 0);
    scene_clear(&s);
}

/* Two pages wait for permits that each gave the other before; an album waits for them elsewhere, or
 * for others. */
static void who_asks_for_the_same_elsewhere_is_told(void)
{
    for (guint same = 0; same < 2; same++) {
        Scene s;
        scene_begin(&s);
        PmAssembly *a = s.made.assembly;
        const char *park = "jdk.internal.misc.Unsafe.park",
                   *acquire = "java.util.concurrent.Semaphore.acquire";
        const guint32 of_class = pm_assembly_add_class(a, "java.util.concurrent.Semaphore$Sync");
        const guint32 page = pm_made_chain(a, park, acquire, "com.acme.Page.convert", NULL),
                      album = pm_made_chain(a, park, acquire, "com.acme.Album.gather", NULL);
        const guint32 permits = pm_made_blocker(&s.made, of_class, 7, page),
                      others = pm_made_blocker(&s.made, of_class, 8, page);
        const guint32 pages[] = {pm_made_thread(&s.made, "page-1"),
                                 pm_made_thread(&s.made, "page-2")};
        for (gint64 k = 0; k < 4; k++) {
            PM_MADE_WAIT(a, (k * 200 + 1) * MS, (k * 200 + 50) * MS, pages[k % 2], permits, page,
                         .wake = (k * 200 + 50) * MS, .waker = pages[(k + 1) % 2],
                         .waker_chain = s.made.other_chain, .wake_cause = PM_WAKE_RELEASE);
        }
        for (guint i = 0; i < 2; i++)
            pm_made_wait(&s.made, pages[i], permits, page, 5 * SECOND + i, END,
                         PM_WAIT_IN_PROGRESS);
        pm_made_wait(&s.made, pm_made_thread(&s.made, "album"), same ? permits : others, album,
                     5 * SECOND + 2, END, PM_WAIT_IN_PROGRESS);
        scene_end(&s);
        g_autoptr(PmFindings) f =
            pm_findings_new(s.summary, pm_recording_contention(s.recording, NULL), NULL);
        g_assert_cmpint(f->findings[0].rule, ==, PM_RULE_NOBODY_LEFT);
        gboolean told = FALSE;
        for (guint i = 0; i < f->findings[0].n_evidence; i++)
            told |= g_str_has_prefix(f->findings[0].evidence[i].text,
                                     "album waits for it, too, in Album.gather");
        g_assert_cmpint(told, ==, same);
        scene_clear(&s);
    }
}

/* Four threads meet at a barrier in rounds of 100 ms, in turn the last; then the fourth ends, if
 * `ended`, having left in time or not. One was seen in its own part; 4: the fourth at its end. */
static void meet(Scene *s, gboolean ended, gboolean left, guint seen)
{
    scene_begin(s);
    PmAssembly *a = s->made.assembly;
    const guint32 of_class = pm_assembly_add_class(a, "java.util.concurrent.Phaser$QNode");
    const guint32 chain =
        pm_made_chain(a, "java.util.concurrent.locks.LockSupport.park",
                      "java.util.concurrent.Phaser$QNode.block", "com.acme.Strip.run", NULL);
    guint32 strips[4];
    for (guint i = 0; i < 4; i++) {
        g_autofree char *name = g_strdup_printf("strip-%u", i);
        PmThread t = {.tid = 90 + i, .name = name, .ended = i == 3 && ended};
        t.end = t.ended ? 1250 * MS : END;
        strips[i] = pm_assembly_add_thread(a, &t);
    }
    for (gint64 k = 0; k < 12; k++)
        for (guint i = 0; i < (left && k > 5 ? 3 : 4); i++) {
            const guint last = (guint)(k % (left && k > 5 ? 3 : 4));
            const PmWaitRow row = {
                .begin = k * 100 * MS + 80 * MS + i,
                .end = k * 100 * MS + 100 * MS,
                .wake = k * 100 * MS + 100 * MS,
                .thread = strips[i],
                .blocker = pm_made_blocker(&s->made, of_class, 100 * i + (guint)k, chain),
                .chain = chain,
                .waker = strips[last],
                .waker_chain = chain,
                .wake_cause = PM_WAKE_COMPLETION};
            if (i != last)
                pm_assembly_add_wait(a, &row);
        }
    for (guint i = 0; i < 3; i++)
        scene_wait(s, of_class, strips[i], chain, 0, 1280 * MS + i, END);
    for (guint k = 0; k < 20; k++) {
        const PmOwnerSample sample = {
            .at = (1230 + k) * MS,
            .owner = strips[MIN(seen, 3)],
            .role = PM_SAMPLE_ENDER,
            .state = PM_OWNER_RUNNING,
            .chain = seen < 4
                         ? pm_made_chain(a, "com.acme.Strip.relax", "com.acme.Strip.run", NULL)
                         : pm_made_chain(a, "com.acme.Log.uncaught", "com.acme.Main.run", NULL)};
        g_array_append_val(a->samples, sample);
    }
}

static void party_that_has_ended_is_told(void)
{
    Scene s;
    for (guint seen = 2; seen < 4; seen++) {
        meet(&s, TRUE, FALSE, seen);
        const PmKnot *knot = check_one(scene_end(&s), PM_KNOT_ENDED, 3);
        g_assert_cmpstr(s.recording->threads[knot->party].name, ==, "strip-3");
        g_autoptr(PmFindings) f =
            pm_findings_new(s.summary, pm_recording_contention(s.recording, NULL), NULL);
        const PmFinding *first = &f->findings[0];
        g_assert_true(
            g_str_has_suffix(first->title, "; strip-3, which came there, too, has ended"));
        g_assert_true(g_str_has_prefix(first->causes[0].text, "Strip.relax "));
        g_assert_true(g_str_has_prefix(first->evidence[1].text,
                                       seen == 3 ? "it was last seen in Strip.relax"
                                                 : "threads like it were seen in Strip.relax"));
        scene_clear(&s);
    }
    meet(&s, TRUE, FALSE, 4); /* of how it ended nothing follows but that it did not come */
    check_one(scene_end(&s), PM_KNOT_ENDED, 3);
    g_autoptr(PmFindings) f =
        pm_findings_new(s.summary, pm_recording_contention(s.recording, NULL), NULL);
    g_assert_true(g_str_has_prefix(f->findings[0].causes[0].text, "Strip.run "));
    scene_clear(&s);
    meet(&s, TRUE, TRUE, 3); /* the others have met without it */
    check_one(scene_end(&s), PM_KNOT_MUTUAL, 3);
    scene_clear(&s);
    meet(&s, FALSE, FALSE, 3); /* it may still come */
    g_assert_cmpuint(scene_end(&s)->len, ==, 0);
    scene_clear(&s);
}

/* Callers wait in the monitors of their calls, which a reader that has ended notified; `own`: of
 * one call each time, else all of them of a mailbox of the caller's. */
static void wait_for_answer(Scene *s, gboolean own)
{
    scene_begin(s);
    PmAssembly *a = s->made.assembly;
    const guint32 of_class = pm_assembly_add_class(a, "com.acme.Call");
    const guint32 chain =
        pm_made_chain(a, "java.lang.Object.wait", "com.acme.Call.await", "com.acme.Desk.run", NULL);
    PmThread t = {.tid = 99, .name = "reader", .end = 2 * SECOND, .ended = TRUE};
    const guint32 reader = pm_assembly_add_thread(a, &t);
    for (guint i = 0; i < 3; i++) {
        static const char *const names[] = {"desk-1", "desk-2", "desk-3"};
        const guint32 thread = pm_made_thread(&s->made, "%s", names[i]);
        const guint32 mailbox = pm_made_blocker(&s->made, of_class, 1000 + i, chain);
        for (gint64 k = 0; k < 4; k++) {
            PmWaitRow row = {.begin = k < 3 ? (k * 200 + 1) * MS : 5 * SECOND,
                             .end = k < 3 ? (k * 200 + 50) * MS : END,
                             .kind = PM_KIND_WAIT,
                             .thread = thread,
                             .blocker = own ? pm_made_blocker(&s->made, of_class,
                                                              2000 + i * 10 + (guint)k, chain)
                                            : mailbox,
                             .chain = chain,
                             .flags = k < 3 ? 0 : PM_WAIT_IN_PROGRESS};
            if (k < 3) {
                row.wake = row.end;
                row.waker = reader;
                row.waker_chain = s->made.other_chain;
                row.wake_cause = PM_WAKE_RELEASE;
            }
            pm_assembly_add_wait(a, &row);
        }
    }
}

static void who_waits_for_an_answer_of_its_own_is_told(void)
{
    Scene s;
    wait_for_answer(&s, TRUE);
    check_one(scene_end(&s), PM_KNOT_ENDED, 3);
    scene_clear(&s);
    wait_for_answer(&s, FALSE); /* whoever has a mailbox may get mail from others */
    g_assert_cmpuint(scene_end(&s)->len, ==, 0);
    scene_clear(&s);
}

/* Callers wait for answers of a worker that lives; of one wait the answer never came.
 * `longest`: of the earlier ones. */
static void forget_one_of(Scene *s, gboolean mailbox, guint n_later, gint64 longest)
{
    scene_begin(s);
    guint32 of_class = mailbox ? s->made.queue_class : s->future_class;
    guint32 chain = chain_of(s, mailbox ? "com.acme.Mailbox.next" : "com.acme.Client.ask");
    guint32 worker = pm_made_thread(&s->made, "worker");
    guint32 lost = pm_made_thread(&s->made, "exec-1"), other = pm_made_thread(&s->made, "exec-2");
    scene_wait(s, of_class, other, chain, worker, MS, MS + longest);
    scene_wait(s, of_class, lost, chain, 0, 25 * SECOND, END);
    for (gint64 k = 0; k < n_later; k++)
        scene_wait(s, of_class, other, chain, worker, 30 * SECOND + k * SECOND,
                   30 * SECOND + k * SECOND + 10 * MS);
}

static void forget_one(Scene *s, guint n_later, gint64 longest)
{
    forget_one_of(s, FALSE, n_later, longest);
}

/* Each consumer has a mailbox of its own, and one gets no more mail. */
static void quiet_mailbox_is_not_forgotten(void)
{
    Scene s;
    forget_one_of(&s, TRUE, 12, 10 * MS);
    g_assert_cmpuint(scene_end(&s)->len, ==, 0);
    scene_clear(&s);
}

static void overtaken_wait_is_forgotten(void)
{
    Scene s;
    forget_one(&s, 12, 10 * MS);
    const PmKnot *knot = check_one(scene_end(&s), PM_KNOT_FORGOTTEN, 1);
    g_assert_cmpuint(knot->n_later, ==, 12);
    scene_clear(&s);
}

static void wait_that_few_overtook_is_not(void)
{
    Scene s;
    forget_one(&s, 9, 10 * MS);
    g_assert_cmpuint(scene_end(&s)->len, ==, 0);
    scene_clear(&s);
}

static void wait_that_is_simply_long_is_not(void)
{
    Scene s;
    forget_one(&s, 12, 20 * SECOND);
    g_assert_cmpuint(scene_end(&s)->len, ==, 0);
    scene_clear(&s);
}

static void what_never_ended_is_in_no_knot(void)
{
    Scene s;
    scene_begin(&s);
    guint32 chain = chain_of(&s, "com.acme.Left.await");
    for (guint i = 0; i < 2; i++)
        scene_wait(&s, s.latch_class, pm_made_thread(&s.made, i ? "alpha" : "beta"), chain, 0,
                   5 * SECOND, END);
    g_assert_cmpuint(scene_end(&s)->len, ==, 0);
    scene_clear(&s);
}

/* A giver of work ended long ago, and once in thirty times a worker seemed to give some; or it gave
 * all answers, and ends with the program. */
static void workers_of_a_giver_that_ends_are_not_stuck(void)
{
    for (guint now = 0; now < 2; now++) {
        Scene s;
        scene_begin(&s);
        guint32 chain = chain_of(
            &s, "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject.await");
        guint32 ask = chain_of(&s, "com.acme.Client.ask");
        guint32 workers[] = {pm_made_thread(&s.made, "work-1"), pm_made_thread(&s.made, "work-2")};
        PmThread t = {
            .tid = 99, .name = "main", .end = now ? END - 1 * MS : 3 * SECOND, .ended = TRUE};
        guint32 giver = pm_assembly_add_thread(s.made.assembly, &t);
        for (gint64 k = 0; k < 30; k++)
            scene_wait(&s, now ? s.future_class : s.made.queue_class, workers[k % 2],
                       now ? ask : chain, k == 7 && !now ? workers[0] : giver, k * 50 * MS + MS,
                       k * 50 * MS + 20 * MS);
        for (guint i = 0; i < 2; i++)
            scene_wait(&s, now ? s.future_class : s.made.queue_class, workers[i], now ? ask : chain,
                       0, 5 * SECOND, END);
        g_assert_cmpuint(scene_end(&s)->len, ==, 0);
        scene_clear(&s);
    }
}

static void random_recordings_are_survived(void)
{
    for (guint32 seed = 1; seed <= 20; seed++) {
        g_autoptr(PmRecording) r = pm_made_random(seed, 1000, 12, 30 * SECOND);
        g_autoptr(PmView) view = pm_made_view(r);
        g_autoptr(PmSummary) summary = pm_summary_new(view, r->duration, NULL);
        g_autoptr(PmOperations) operations =
            pm_operations_new(summary, pm_recording_contention(r, NULL));
        g_autoptr(GArray) knots = pm_knots_find(operations);
        for (guint i = 0; i < knots->len; i++) {
            const PmKnot *knot = &g_array_index(knots, PmKnot, i);
            g_assert_cmpuint(knot->rows->len, >, 0);
            g_assert_cmpuint(knot->n_ends, >, 0);
            for (guint k = 0; k < knot->rows->len; k++)
                g_assert_true(pm_wait_flags(&r->waits, g_array_index(knot->rows, guint32, k)) &
                              PM_WAIT_IN_PROGRESS);
        }
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/analysis/knot/ends-of-threads-are-no-tasks", ends_of_threads_are_no_tasks);
    g_test_add_func("/analysis/knot/tasks-of-ones-own-pool-are-a-knot",
                    tasks_of_ones_own_pool_are_a_knot);
    g_test_add_func("/analysis/knot/call-within-such-a-call-is-told",
                    call_within_such_a_call_is_told);
    g_test_add_func("/analysis/knot/executors-that-ask-each-other-are-told-by-their-tasks",
                    executors_that_ask_each_other_are_told_by_their_tasks);
    g_test_add_func("/analysis/knot/task-within-a-task-is-its-pools",
                    task_within_a_task_is_its_pools);
    g_test_add_func("/analysis/knot/one-thread-left-in-the-pool-is-no-knot",
                    one_thread_left_in_the_pool_is_no_knot);
    g_test_add_func("/analysis/knot/late-unpark-gives-nothing", late_unpark_gives_nothing);
    g_test_add_func("/analysis/knot/young-waits-are-no-knot", young_waits_are_no_knot);
    g_test_add_func("/analysis/knot/lost-wakeup-of-two-is-one-knot",
                    lost_wakeup_of_two_is_one_knot);
    g_test_add_func("/analysis/knot/giver-that-is-alive-can-end-it",
                    giver_that_is_alive_can_end_it);
    g_test_add_func("/analysis/knot/giver-that-has-ended-cannot", giver_that_has_ended_cannot);
    g_test_add_func("/analysis/knot/who-holds-a-lock-in-it-is-told",
                    who_holds_a_lock_in_a_knot_is_told);
    g_test_add_func("/analysis/knot/who-gave-to-who-gives-has-ended",
                    who_gave_to_who_gives_has_ended);
    g_test_add_func("/analysis/knot/who-takes-is-to-make-room-in-what-was-never-full",
                    who_takes_is_to_make_room_in_what_was_never_full);
    g_test_add_func("/analysis/knot/who-takes-from-one-queue-makes-no-room-in-another",
                    who_takes_from_one_queue_makes_no_room_in_another);
    g_test_add_func("/analysis/knot/who-makes-room-makes-it-for-all",
                    who_makes_room_makes_it_for_all);
    g_test_add_func("/analysis/knot/who-takes-ended-no-wait-for-room",
                    who_takes_ended_no_wait_for_room);
    g_test_add_func("/analysis/knot/what-is-expected-and-what-was-seen-are-told-apart",
                    what_is_expected_and_what_was_seen_are_told_apart);
    g_test_add_func("/analysis/knot/who-alone-makes-room-waits-in-vain",
                    who_alone_makes_room_waits_in_vain);
    g_test_add_func("/analysis/knot/who-waits-for-room-in-another-queue-is-not-its-taker",
                    who_waits_for_room_in_another_queue_is_not_its_taker);
    g_test_add_func("/analysis/knot/who-ends-both-sides-is-told-once",
                    who_ends_both_sides_is_told_once);
    g_test_add_func("/analysis/knot/who-waits-for-an-ended-thread-is-told",
                    who_waits_for_an_ended_thread_is_told);
    g_test_add_func("/analysis/knot/who-asks-for-the-same-elsewhere-is-told",
                    who_asks_for_the_same_elsewhere_is_told);
    g_test_add_func("/analysis/knot/party-that-has-ended-is-told", party_that_has_ended_is_told);
    g_test_add_func("/analysis/knot/who-waits-for-an-answer-of-its-own-is-told",
                    who_waits_for_an_answer_of_its_own_is_told);
    g_test_add_func("/analysis/knot/overtaken-wait-is-forgotten", overtaken_wait_is_forgotten);
    g_test_add_func("/analysis/knot/quiet-mailbox-is-not-forgotten",
                    quiet_mailbox_is_not_forgotten);
    g_test_add_func("/analysis/knot/workers-of-a-giver-that-ends-are-not-stuck",
                    workers_of_a_giver_that_ends_are_not_stuck);
    g_test_add_func("/analysis/knot/wait-that-few-overtook-is-not", wait_that_few_overtook_is_not);
    g_test_add_func("/analysis/knot/wait-that-is-simply-long-is-not",
                    wait_that_is_simply_long_is_not);
    g_test_add_func("/analysis/knot/what-never-ended-is-in-no-knot",
                    what_never_ended_is_in_no_knot);
    g_test_add_func("/analysis/knot/random-recordings-are-survived",
                    random_recordings_are_survived);
    return g_test_run();
}
