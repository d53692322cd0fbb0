/* Writes recordings in which each page of the window has something to show: for its tests, and for
 * pictures of it. Usage: showcase KIND FILE, KIND one of hot-lock, own-main, deadlock, pool, quiet,
 * crowd, leak, leak-alone, empty, stopped, newer, dropped, alternating, counted. All are made of
 * the same seed and so always the same.
 */
#include "tests/ui/showcase.h"

#include <stdio.h>
#include <string.h>

#include "format/block.h"
#include "tests/format/synthetic.h"

#define N_WEB 40

static const char *const web_frames[] = {
    "org.apache.coyote.http11.Http11Processor.service(Http11Processor.java:399)",
    "org.apache.tomcat.util.net.NioEndpoint$SocketProcessor.doRun(NioEndpoint.java:1744)",
    "java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1136)",
    "java.util.concurrent.ThreadPoolExecutor$Worker.run(ThreadPoolExecutor.java:635)",
    "java.lang.Thread.run(Thread.java:840)",
    NULL,
};

static const char *const lock_frames[] = {
    "jdk.internal.misc.Unsafe.park(Native Method)",
    "java.util.concurrent.locks.LockSupport.park(LockSupport.java:211)",
    "java.util.concurrent.locks.AbstractQueuedSynchronizer.acquire("
    "AbstractQueuedSynchronizer.java:715)",
    "java.util.concurrent.locks.AbstractQueuedSynchronizer.acquire("
    "AbstractQueuedSynchronizer.java:938)",
    "java.util.concurrent.locks.ReentrantLock$Sync.lock(ReentrantLock.java:153)",
    "java.util.concurrent.locks.ReentrantLock.lock(ReentrantLock.java:322)",
    NULL,
};

static const char *const idle_frames[] = {
    "jdk.internal.misc.Unsafe.park(Native Method)",
    "java.util.concurrent.locks.LockSupport.park(LockSupport.java:341)",
    "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject.await("
    "AbstractQueuedSynchronizer.java:1630)",
    "java.util.concurrent.LinkedBlockingQueue.take(LinkedBlockingQueue.java:435)",
    "java.util.concurrent.ThreadPoolExecutor.getTask(ThreadPoolExecutor.java:1062)",
    "java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1122)",
    "java.util.concurrent.ThreadPoolExecutor$Worker.run(ThreadPoolExecutor.java:635)",
    "java.lang.Thread.run(Thread.java:840)",
    NULL,
};

static const char *const future_frames[] = {
    "jdk.internal.misc.Unsafe.park(Native Method)",
    "java.util.concurrent.locks.LockSupport.park(LockSupport.java:211)",
    "java.util.concurrent.FutureTask.awaitDone(FutureTask.java:447)",
    "java.util.concurrent.FutureTask.get(FutureTask.java:190)",
    NULL,
};

static const char *const none[] = {NULL};

/* `head`, then what calls it, then `tail`. */
static pm_chain_id chain(struct syn *s, const char *const *head, const char *const *middle,
                         const char *const *tail)
{
    const char *frames[64];
    size_t n = 0;
    const char *const *parts[] = {head, middle, tail};

    for (size_t p = 0; p < G_N_ELEMENTS(parts); p++)
        for (size_t i = 0; parts[p][i] && n + 1 < G_N_ELEMENTS(frames); i++)
            frames[n++] = parts[p][i];
    frames[n] = NULL;
    return syn_chain_v(s, frames);
}

static void facts(struct syn *s, const char *main_class)
{
    struct pm_facts *f = syn_facts(s);

    f->pid = 2217;
    f->main = (struct pm_text){main_class, (uint32_t)strlen(main_class)};
}

static void threads(struct syn *s, const char *format, guint n, pm_thread_id *ret)
{
    for (guint i = 0; i < n; i++) {
        /* Names live as long as the program. */
        char *name = g_strdup_printf(format, i + 1);
        ret[i] = syn_thread(s, g_intern_string(name));
        g_free(name);
        syn_span(s, (struct pm_span){.kind = PM_SPAN_THREAD, .thread = ret[i]});
    }
}

/* A pool's threads idle at its queue between their tasks. */
static void idle(struct syn *s, pm_thread_id thread, pm_blocker_id queue, int64_t begin,
                 int64_t end)
{
    if (end - begin < 2 * SYN_US)
        return;
    struct pm_wait *wait = syn_wait(s, thread, queue, begin, end - begin);
    wait->chain = chain(s, idle_frames, none, none);
    wait->wake_cause = PM_WAKE_SIGNAL;
}

static pm_blocker_id idle_queue(struct syn *s, uint32_t hash)
{
    return syn_blocker(
        s, syn_class(s, "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject"),
        hash);
}

/* One lock: a refresh that holds it for long, readers that queue behind it. */
static void hot_lock(struct syn *s, int64_t end)
{
    static const char *const get[] = {
        "com.acme.orders.PriceCache.get(PriceCache.java:41)",
        "com.acme.orders.OrderService.price(OrderService.java:118)",
        "com.acme.orders.OrderController.list(OrderController.java:52)", NULL};
    static const char *const evict[] = {"com.acme.orders.PriceCache.evict(PriceCache.java:63)",
                                        "com.acme.orders.AdminController.evict("
                                        "AdminController.java:20)",
                                        NULL};
    static const char *const refresh[] = {
        "java.util.concurrent.locks.ReentrantLock.unlock(ReentrantLock.java:494)",
        "com.acme.orders.PriceCache.refresh(PriceCache.java:88)",
        "com.acme.orders.Scheduler.tick(Scheduler.java:31)", NULL};
    static const char *const append[] = {"com.acme.log.Appender.append(Appender.java:112)",
                                         "com.acme.log.Logger.info(Logger.java:60)", NULL};
    const pm_blocker_id lock = syn_blocker(
        s, syn_class(s, "java.util.concurrent.locks.ReentrantLock$NonfairSync"), 0x4f3c91d2);
    const pm_blocker_id log = syn_blocker(s, syn_class(s, "com.acme.log.Appender"), 0x1c4af82c);
    const pm_blocker_id queue = idle_queue(s, 0x379619aa), timer = idle_queue(s, 0x2ba1f7);
    const pm_chain_id get_chain = chain(s, lock_frames, get, web_frames);
    const pm_chain_id evict_chain = chain(s, lock_frames, evict, web_frames);
    const pm_chain_id append_chain = chain(s, none, append, web_frames);
    const pm_chain_id refresh_chain = chain(s, none, refresh, none);
    pm_thread_id web[N_WEB], scheduler[2];
    int64_t free_at[N_WEB] = {0};
    uint64_t random = 7;

    threads(s, "http-nio-8080-exec-%u", N_WEB, web);
    threads(s, "scheduler-%u", 2, scheduler);
    for (int64_t at = 400 * SYN_MS; at < end; at += 900 * SYN_MS) {
        /* The refresh holds the lock; more and more readers come in the middle of the recording. */
        const int64_t hold = 330 * SYN_MS + (int64_t)syn_random_below(&random, 60 * SYN_MS);
        const double load = at > end / 3 && at < 2 * end / 3 ? 0.9 : 0.35;
        for (guint t = 0; t < N_WEB; t++) {
            const int64_t came = at + (int64_t)syn_random_below(&random, (uint64_t)hold);
            if ((double)syn_random_below(&random, 1000) > 1000 * load || came < free_at[t])
                continue;
            const int64_t left =
                MIN(at + hold + (int64_t)syn_random_below(&random, 40 * SYN_MS), end);
            if (left <= came)
                continue;
            idle(s, web[t], queue, free_at[t], came - 3 * SYN_MS);
            struct pm_wait *wait = syn_wait(s, web[t], lock, came, left - came);
            wait->chain = syn_random_below(&random, 40) ? get_chain : evict_chain;
            wait->owner = scheduler[0];
            wait->waker = scheduler[0];
            wait->waker_chain = refresh_chain;
            wait->wake_ns = SYN_BEGIN_NS + left - 30 * SYN_US;
            wait->wake_cause = PM_WAKE_RELEASE;
            free_at[t] = left + 6 * SYN_MS;
            if (syn_random_below(&random, 3) == 0 && left + 20 * SYN_MS < end) {
                wait = syn_wait(s, web[t], log, left + SYN_MS,
                                SYN_MS + (int64_t)syn_random_below(&random, 9 * SYN_MS));
                wait->kind = PM_KIND_ENTER;
                wait->chain = append_chain;
                wait->owner = web[(t + 1) % N_WEB];
                free_at[t] = left + 14 * SYN_MS;
            }
        }
    }
    for (guint t = 0; t < N_WEB; t++)
        idle(s, web[t], queue, free_at[t], end - SYN_MS);
    for (int64_t at = 0; at + 1100 * SYN_MS < end; at += 1000 * SYN_MS)
        idle(s, scheduler[1], timer, at, at + 999 * SYN_MS);
    syn_span(s, (struct pm_span){
                    .kind = PM_SPAN_GC, .begin_ns = end / 2, .end_ns = end / 2 + 180 * SYN_MS});
}

/* Two threads that wait for each other, and those behind them. */
static void deadlock(struct syn *s, int64_t end)
{
    static const char *const debit[] = {"com.acme.bank.Account.debit(Account.java:41)",
                                        "com.acme.bank.Transfer.run(Transfer.java:17)", NULL};
    static const char *const credit[] = {"com.acme.bank.Account.credit(Account.java:57)",
                                         "com.acme.bank.Transfer.run(Transfer.java:18)", NULL};
    static const char *const balance[] = {"com.acme.bank.Account.balance(Account.java:29)",
                                          "com.acme.bank.Report.show(Report.java:8)", NULL};
    const pm_class_id sync = syn_class(s, "java.util.concurrent.locks.ReentrantLock$NonfairSync");
    const pm_blocker_id one = syn_blocker(s, sync, 0x4f3c91d2);
    const pm_blocker_id two = syn_blocker(s, sync, 0x9a1e07c4);
    const pm_blocker_id queue = idle_queue(s, 0x379619aa);
    pm_thread_id transfer[2], web[N_WEB];
    const int64_t begin = end / 4;

    threads(s, "transfer-%u", 2, transfer);
    threads(s, "http-nio-8080-exec-%u", N_WEB, web);
    struct pm_wait *wait = syn_progress(s, transfer[0], two, begin);
    wait->chain = chain(s, lock_frames, debit, none);
    wait->owner = transfer[1];
    wait = syn_progress(s, transfer[1], one, begin + 2 * SYN_MS);
    wait->chain = chain(s, lock_frames, credit, none);
    wait->owner = transfer[0];
    for (guint t = 0; t < 37; t++) {
        const int64_t came = begin + (int64_t)(t + 1) * 150 * SYN_MS;
        idle(s, web[t], queue, 0, came - SYN_MS);
        wait = syn_progress(s, web[t], one, came);
        wait->chain = chain(s, lock_frames, balance, web_frames);
        wait->owner = transfer[0];
    }
    for (guint t = 37; t < N_WEB; t++) {
        wait = syn_progress(s, web[t], queue, 10 * SYN_MS);
        wait->chain = chain(s, idle_frames, none, none);
    }
}

/* Eight threads that are always busy, and who waits for their results. */
static void pool(struct syn *s, int64_t end)
{
    static const char *const submit[] = {"com.acme.report.ReportService.render("
                                         "ReportService.java:77)",
                                         "com.acme.report.ReportController.get("
                                         "ReportController.java:31)",
                                         NULL};
    static const char *const borrow[] = {
        "jdk.internal.misc.Unsafe.park(Native Method)",
        "java.util.concurrent.locks.LockSupport.parkNanos(LockSupport.java:252)",
        "java.util.concurrent.SynchronousQueue.poll(SynchronousQueue.java:903)",
        "com.zaxxer.hikari.util.ConcurrentBag.borrow(ConcurrentBag.java:151)",
        "com.zaxxer.hikari.pool.HikariPool.getConnection(HikariPool.java:162)",
        "com.acme.orders.OrderDao.load(OrderDao.java:57)",
        NULL};
    const pm_class_id future_class = syn_class(s, "java.util.concurrent.FutureTask");
    const pm_blocker_id bag =
        syn_blocker(s, syn_class(s, "java.util.concurrent.SynchronousQueue$TransferQueue"), 0x6b21);
    const pm_blocker_id queue = idle_queue(s, 0x379619aa);
    pm_thread_id report[8], web[N_WEB];
    uint64_t random = 11;
    uint32_t hash = 0x100;

    threads(s, "report-pool-%u", 8, report);
    threads(s, "http-nio-8080-exec-%u", N_WEB, web);
    for (guint t = 0; t < N_WEB; t++) {
        int64_t at = (int64_t)syn_random_below(&random, 500 * SYN_MS);
        while (at < end) {
            const int64_t length = 400 * SYN_MS + (int64_t)syn_random_below(&random, 1600 * SYN_MS);
            const pm_blocker_id future = syn_blocker(s, future_class, hash++);
            struct pm_wait *wait = t % 5 == 4
                                       ? syn_wait(s, web[t], bag, at, MIN(length, end - at))
                                       : syn_wait(s, web[t], future, at, MIN(length, end - at));
            wait->chain = t % 5 == 4 ? chain(s, borrow, none, web_frames)
                                     : chain(s, future_frames, submit, web_frames);
            wait->waker = report[t % 8];
            wait->wake_cause = PM_WAKE_COMPLETION;
            at += length + 5 * SYN_MS;
            if (t % 7 == 0 && at + 900 * SYN_MS < end) {
                idle(s, web[t], queue, at, at + 800 * SYN_MS);
                at += 801 * SYN_MS;
            }
        }
    }
}

/* Idle pools, and hardly a wait. */
static void quiet(struct syn *s, int64_t end)
{
    static const char *const get[] = {"com.acme.orders.PriceCache.get(PriceCache.java:41)", NULL};
    const pm_blocker_id queue = idle_queue(s, 0x379619aa);
    const pm_blocker_id lock = syn_blocker(
        s, syn_class(s, "java.util.concurrent.locks.ReentrantLock$NonfairSync"), 0x4f3c91d2);
    pm_thread_id web[N_WEB];

    threads(s, "http-nio-8080-exec-%u", N_WEB, web);
    for (guint t = 0; t < N_WEB; t++)
        for (int64_t at = (int64_t)t * SYN_MS; at + 200 * SYN_MS < end; at += 250 * SYN_MS) {
            idle(s, web[t], queue, at, at + 190 * SYN_MS);
            if ((at / (250 * SYN_MS) + t) % 9)
                continue;
            struct pm_wait *wait =
                syn_wait(s, web[t], lock, at + 192 * SYN_MS, 40 * SYN_US + (int64_t)t * 7 * SYN_US);
            wait->chain = chain(s, lock_frames, get, web_frames);
            wait->owner = web[(t + 1) % N_WEB];
        }
}

/* Three thousand threads in fourteen groups. */
static void crowd(struct syn *s, int64_t end)
{
    static const char *const names[] = {"http-nio-8080-exec-%u",
                                        "grpc-default-executor-%u",
                                        "kafka-consumer-%u",
                                        "report-pool-%u",
                                        "ForkJoinPool-1-worker-%u",
                                        "scheduler-%u",
                                        "jdbc-%u",
                                        "cache-loader-%u",
                                        "mail-%u",
                                        "order-events-with-a-rather-long-name-of-its-group-%u",
                                        "audit-%u",
                                        "search-%u",
                                        "image-%u",
                                        "session-cleaner-%u"};
    static const char *const get[] = {"com.acme.orders.PriceCache.get(PriceCache.java:41)", NULL};
    static pm_thread_id all[3000];
    const pm_class_id sync = syn_class(s, "java.util.concurrent.locks.ReentrantLock$NonfairSync");
    const pm_class_id future_class = syn_class(s, "java.util.concurrent.FutureTask");
    pm_blocker_id locks[300], queue = idle_queue(s, 0x379619aa);
    uint64_t random = 3;
    guint n = 0;

    for (guint i = 0; i < G_N_ELEMENTS(locks); i++)
        locks[i] = syn_blocker(s, i % 4 ? sync : future_class, 0x5000 + i * 77);
    for (guint g = 0; g < G_N_ELEMENTS(names); g++) {
        const guint size = g == 0 ? 1400 : 3000 / 28;
        threads(s, names[g], MIN(size, 3000 - n), all + n);
        n += MIN(size, 3000 - n);
    }
    for (guint t = 0; t < n; t++) {
        int64_t at = (int64_t)syn_random_below(&random, 2 * SYN_S);
        while (at < end) {
            const uint64_t which = syn_random_below(&random, 300);
            const guint lock = (guint)(which * which * which / 90000);
            const int64_t length = (int64_t)syn_random_below(&random, 900 * SYN_MS);
            struct pm_wait *wait =
                syn_wait(s, all[t], locks[lock], at, MIN(length + SYN_US, end - at));
            wait->chain = lock % 4 ? chain(s, lock_frames, get, web_frames)
                                   : chain(s, future_frames, get, web_frames);
            if (lock % 4)
                wait->owner = all[(t + 1) % n];
            at += length + SYN_MS;
            idle(s, all[t], queue, at, MIN(at + 1500 * SYN_MS, end));
            at += 1502 * SYN_MS + (int64_t)syn_random_below(&random, 2 * SYN_S);
        }
    }
}

static void dropped(struct syn *s, int64_t end)
{
    hot_lock(s, end);
    syn_gap(s, (struct pm_gap){.begin_ns = end / 2,
                               .end_ns = end / 2 + 2 * SYN_S,
                               .reason = PM_GAP_BUFFER_FULL,
                               .waits = 1204,
                               .thread_time_ns = 31 * SYN_S});
}

/* Three threads hand one lock round, each 20 ms. */
static void alternating(struct syn *s, int64_t end)
{
    static const char *const get[] = {"com.acme.orders.PriceCache.get(PriceCache.java:41)", NULL};
    const pm_blocker_id lock = syn_blocker(
        s, syn_class(s, "java.util.concurrent.locks.ReentrantLock$NonfairSync"), 0x4f3c91d2);
    const pm_chain_id waits = chain(s, lock_frames, get, none), gives = chain(s, none, get, none);
    pm_thread_id player[3];

    threads(s, "player-%u", G_N_ELEMENTS(player), player);
    for (int64_t at = 0, i = 0; at + 60 * SYN_MS < end; at += 20 * SYN_MS, i++) {
        struct pm_wait *wait = syn_wait(s, player[i % 3], lock, at, 40 * SYN_MS);
        wait->chain = waits;
        wait->owner = wait->waker = player[(i + 2) % 3];
        wait->waker_chain = gives;
        wait->wake_ns = SYN_BEGIN_NS + at + 40 * SYN_MS;
        wait->wake_cause = PM_WAKE_RELEASE;
    }
}

static void no_waits(struct syn *s, int64_t end)
{
    pm_thread_id web[14];

    threads(s, "http-nio-8080-exec-%u", G_N_ELEMENTS(web), web);
}

/* The recorder was stopped before anybody waited. */
static void stopped(struct syn *s, int64_t end)
{
    no_waits(s, end);
    syn_span(s, (struct pm_span){.kind = PM_SPAN_STOPPED, .begin_ns = end / 4, .end_ns = end});
}

/* events=off: what waits at the end is known, nothing else but counts. */
static void counted(struct syn *s, int64_t end)
{
    pm_thread_id web[1];

    threads(s, "http-nio-8080-exec-%u", G_N_ELEMENTS(web), web);
    syn_progress(s, web[0], idle_queue(s, 0x379619aa), end - SYN_S)->chain =
        chain(s, idle_frames, none, none);
    syn_gap(s, (struct pm_gap){.begin_ns = 0,
                               .end_ns = end,
                               .reason = PM_GAP_EVENTS_OFF,
                               .waits = 256,
                               .thread_time_ns = 12 * SYN_S});
}

/* Orders that are never let go, beside a cache that is full, and strings that come and go. */
static void leak_alone(struct syn *s, int64_t end)
{
    const int64_t kib = 1024, mib = 1024 * kib;
    pm_class_id order = syn_class(s, "com.acme.orders.Order"),
                price = syn_class(s, "com.acme.orders.Price"),
                text = syn_class(s, "java.lang.String");
    pm_chain_id take = syn_chain(s, "com.acme.orders.Orders.take(Orders.java:51)",
                                 "com.acme.web.Shop.buy(Shop.java:31)", NULL);
    pm_chain_id load = syn_chain(s, "com.acme.orders.PriceCache.load(PriceCache.java:88)", NULL);
    for (int64_t i = 1; i * SYN_S < end; i++) {
        const struct pm_memory_cell cells[] = {
            {order,
             take,
             {i * 40, i * 4000, i * mib, 200, 100 * kib},
             {i * 30, i * 3000, i * 3 * mib / 4, 200, 100 * kib}},
            {price,
             load,
             {i * 20, i * 2000, 5 * mib, 100, 50 * kib},
             {40, 4000, 2 * mib, 80, 40 * kib}},
            {text, take, {i * 100, i * 20000, i * 8 * mib, 500, 300 * kib}, {0}}};
        syn_memory(s,
                   (struct pm_memory_head){.at_ns = i * SYN_S,
                                           .live_at_ns = i * SYN_S,
                                           .interval_bytes = 64 * kib,
                                           .gcs = i,
                                           .old_gcs = i,
                                           .flags = PM_MEMORY_AFTER_GC | PM_MEMORY_AFTER_OLD_GC},
                   cells, G_N_ELEMENTS(cells));
    }
}

static void leak(struct syn *s, int64_t end)
{
    quiet(s, end);
    leak_alone(s, end);
}

static const struct {
    const char *kind, *main_class;
    void (*make)(struct syn *s, int64_t end);
    int64_t end;
} kinds[] = {
    {"hot-lock", "orders-service.jar", hot_lock, 60 * SYN_S},
    {"own-main", "com.acme.orders.OrdersService", hot_lock, 60 * SYN_S}, /* not all is its own */
    {"deadlock", "bank-service.jar", deadlock, 80 * SYN_S},
    {"pool", "report-service.jar", pool, 60 * SYN_S},
    {"quiet", "orders-service.jar", quiet, 30 * SYN_S},
    {"crowd", "platform-with-a-long-name-of-its-main-class.jar", crowd, 30 * SYN_S},
    {"leak", "orders-service.jar", leak, 30 * SYN_S},
    {"leak-alone", "orders-service.jar", leak_alone, 30 * SYN_S},
    {"dropped", "orders-service.jar", dropped, 60 * SYN_S},
    {"counted", "orders-service.jar", counted, 12 * SYN_S},
    {"alternating", "orders-service.jar", alternating, 10 * SYN_S},
    {"empty", "orders-service.jar", no_waits, 12300 * SYN_MS},
    {"stopped", "orders-service.jar", stopped, 12300 * SYN_MS},
};

/* Of a format that no reader knows yet. */
static gboolean write_newer(const char *path)
{
    g_autofree char *bytes = NULL;
    struct pm_file_header header;
    gsize length;

    if (!pm_showcase_write("hot-lock", path) || !g_file_get_contents(path, &bytes, &length, NULL) ||
        pm_file_header_decode((uint8_t *)bytes, &header) != PM_OK)
        return FALSE;
    header.version = PM_FORMAT_VERSION + 1;
    pm_file_header_encode(&header, (uint8_t *)bytes);
    pm_file_header_encode(&header, (uint8_t *)bytes + PM_FILE_HEADER_COPY);
    return g_file_set_contents(path, bytes, (gssize)length, NULL);
}

gboolean pm_showcase_write(const char *kind, const char *path)
{
    if (!strcmp(kind, "newer"))
        return write_newer(path);
    for (guint i = 0; i < G_N_ELEMENTS(kinds); i++) {
        if (strcmp(kind, kinds[i].kind))
            continue;
        struct syn *s = syn_new();
        facts(s, kinds[i].main_class);
        kinds[i].make(s, kinds[i].end);
        syn_finish_file(s, kinds[i].end, path);
        syn_free(s);
        return TRUE;
    }
    return FALSE;
}
