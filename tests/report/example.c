#include "viewer/analysis/loading/load.h"
#include "example.h"

#include <string.h>

#include "tests/format/synthetic.h"

#define MS SYN_MS
#define S  SYN_S

static struct pm_text text(const char *s)
{
    return (struct pm_text){s, (uint32_t)strlen(s)};
}

static struct syn *begin(const char *jvm, const char *main_class, const char *not_recorded)
{
    struct syn *s = syn_new();
    struct pm_facts *facts = syn_facts(s);

    facts->pid = 41873;
    facts->jvm = text(jvm);
    facts->main = text(main_class);
    facts->host = text("node-1");
    facts->options = text("file=a.park");
    facts->zone = text("UTC");
    facts->not_recorded = text(not_recorded);
    facts->begin_unix_ns = INT64_C(1795269731400000000); /* 2026-11-21 14:02:11.4 UTC */
    return s;
}

static void lives(struct syn *s, pm_thread_id thread)
{
    syn_span(s, (struct pm_span){.kind = PM_SPAN_THREAD, .thread = thread});
}

static pm_chain_id lock_chain(struct syn *s, const char *site, const char *caller)
{
    return syn_chain(s, "jdk.internal.misc.Unsafe.park(Native Method)",
                     "java.util.concurrent.locks.LockSupport.park(LockSupport.java:211)",
                     "java.util.concurrent.locks.ReentrantLock.lock(ReentrantLock.java:322)", site,
                     caller, NULL);
}

static pm_chain_id unlock_chain(struct syn *s, const char *site)
{
    return syn_chain(s, "java.util.concurrent.locks.LockSupport.unpark(LockSupport.java:181)",
                     "java.util.concurrent.locks.ReentrantLock.unlock(ReentrantLock.java:494)",
                     site, NULL);
}

#define NONFAIR "java.util.concurrent.locks.ReentrantLock$NonfairSync"

static void idle_pool(struct syn *s, const char *name, int64_t end)
{
    pm_blocker_id queue = syn_blocker(
        s, syn_class(s, "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject"),
        0x11aa22bb);
    pm_thread_id thread = syn_thread(s, name);
    pm_chain_id chain =
        syn_chain(s, "jdk.internal.misc.Unsafe.park(Native Method)",
                  "java.util.concurrent.locks.LockSupport.park(LockSupport.java:341)",
                  "java.util.concurrent.LinkedBlockingQueue.take(LinkedBlockingQueue.java:435)",
                  "java.util.concurrent.ThreadPoolExecutor.getTask(ThreadPoolExecutor.java:1062)",
                  "java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1122)",
                  "java.lang.Thread.run(Thread.java:840)", NULL);

    lives(s, thread);
    struct pm_wait *wait = syn_wait(s, thread, queue, 0, end / 2);
    wait->chain = chain;
    wait = syn_progress(s, thread, queue, end / 2 + MS);
    wait->chain = chain;
}

static struct syn *pattern(void)
{
    static const struct {
        const char *method;
        uint32_t hash;
        int line;
        int64_t hold;
    } locks[] = {{"third", 0x5e91993f, 47, 64 * MS},
                 {"second", 0x1c4af82c, 36, 16 * MS},
                 {"first", 0x379619aa, 25, 4 * MS}};
    struct syn *s = begin("OpenJDK 17.0.15", "LargeCriticalSection 4", "Object.wait");
    pm_class_id class_id = syn_class(s, NONFAIR);
    pm_thread_id workers[4];
    const int64_t end = 2 * S;

    for (int t = 0; t < 4; t++) {
        g_autofree char *name = g_strdup_printf("worker-%d", t + 1);
        workers[t] = syn_thread(s, name);
        lives(s, workers[t]);
    }
    for (guint l = 0; l < G_N_ELEMENTS(locks); l++) {
        g_autofree char *site =
            g_strdup_printf("demo.LargeCriticalSection.%s(LargeCriticalSection.java:%d)",
                            locks[l].method, locks[l].line);
        pm_blocker_id lock = syn_blocker(s, class_id, locks[l].hash);
        pm_chain_id chain =
            lock_chain(s, site, "demo.LargeCriticalSection.run(LargeCriticalSection.java:14)");
        pm_chain_id release = unlock_chain(s, site);
        /* One after the other holds it; the next one waits exactly that long. */
        for (int k = 0; k < 20 - 4 * (int)l; k++) {
            struct pm_wait *wait = syn_wait(s, workers[(k + 1) % 4], lock,
                                            10 * MS + l * MS + k * locks[l].hold, locks[l].hold);
            wait->chain = chain;
            wait->owner = workers[k % 4];
            wait->waker = workers[k % 4];
            wait->waker_chain = release;
            wait->wake_ns = wait->begin_ns + wait->duration_ns;
            wait->wake_cause = PM_WAKE_RELEASE;
        }
        if (l == 0) {
            for (int t = 2; t < 4; t++) {
                struct pm_wait *wait = syn_progress(s, workers[t], lock, 1500 * MS + t * MS);
                wait->chain = chain;
                wait->owner = workers[0];
            }
        }
    }
    idle_pool(s, "pool-1-thread-1", end);
    return s;
}

static struct syn *orders(void)
{
    struct syn *s = begin("JDK 25.0.3", "orders-service.jar", "");
    pm_thread_id scheduler = syn_thread(s, "scheduler-1");
    pm_thread_id web[4], metrics = syn_thread(s, "metrics-1");
    pm_blocker_id cache = syn_blocker(s, syn_class(s, NONFAIR), 0x4f3c91d2);
    pm_blocker_id pool =
        syn_blocker(s, syn_class(s, "java.util.concurrent.Semaphore$FairSync"), 0x9a1e07c4);
    pm_blocker_id appender = syn_blocker(s, syn_class(s, "com.acme.log.Appender"), 0x00c0ffee);
    pm_chain_id get = lock_chain(s, "com.acme.PriceCache.get(PriceCache.java:41)",
                                 "com.acme.OrderServlet.doGet(OrderServlet.java:77)");
    pm_chain_id evict = lock_chain(s, "com.acme.PriceCache.evict(PriceCache.java:63)",
                                   "com.acme.OrderServlet.doGet(OrderServlet.java:80)");
    pm_chain_id refresh = unlock_chain(s, "com.acme.PriceCache.refresh(PriceCache.java:88)");
    pm_chain_id permit =
        syn_chain(s, "jdk.internal.misc.Unsafe.park(Native Method)",
                  "java.util.concurrent.locks.LockSupport.park(LockSupport.java:221)",
                  "java.util.concurrent.Semaphore.acquire(Semaphore.java:318)",
                  "com.acme.OrderDao.load(OrderDao.java:57)", NULL);
    pm_chain_id append = syn_chain(s, "com.acme.log.Appender.append(Appender.java:112)",
                                   "com.acme.OrderServlet.doGet(OrderServlet.java:90)", NULL);
    pm_chain_id poll = syn_chain(s, "java.lang.Object.wait(Native Method)",
                                 "com.acme.Poller.run(Poller.java:19)", NULL);

    lives(s, scheduler);
    lives(s, metrics);
    for (int t = 0; t < 4; t++) {
        g_autofree char *name = g_strdup_printf("http-nio-8080-exec-%d", t + 1);
        web[t] = syn_thread(s, name);
        lives(s, web[t]);
        for (int k = 0; k < 5; k++) {
            struct pm_wait *wait = syn_wait(s, web[t], cache, k * S + 100 * MS + t * MS, 400 * MS);
            wait->chain = k == 4 ? evict : get;
            wait->owner = scheduler;
            wait->waker = scheduler;
            wait->waker_chain = refresh;
            wait->wake_ns = wait->begin_ns + wait->duration_ns;
            wait->wake_cause = PM_WAKE_RELEASE;
        }
        struct pm_wait *wait = syn_wait(s, web[t], pool, 600 * MS + t * 100 * MS, 200 * MS);
        wait->chain = permit;
        wait->waker = web[(t + 1) % 4];
        wait->wake_cause = PM_WAKE_RELEASE;
        wait = syn_wait(s, web[t], appender, 8 * S + t * 10 * MS, 30 * MS);
        wait->chain = append;
        wait->kind = PM_KIND_ENTER;
    }
    struct pm_wait *wait = syn_wait(s, metrics, appender, 2 * S, 60 * MS);
    wait->chain = poll;
    wait->kind = PM_KIND_WAIT;
    wait->flags = PM_WAIT_TIMED;
    wait->wake_cause = PM_WAKE_TIME_OUT;
    idle_pool(s, "pool-1-thread-1", 10 * S);
    return s;
}

static struct syn *deadlock(void)
{
    struct syn *s = begin("OpenJDK 17.0.15", "Transfers", "");
    pm_thread_id a = syn_thread(s, "transfer-1"), b = syn_thread(s, "transfer-2");
    pm_thread_id holder = syn_thread(s, "holder"), victim = syn_thread(s, "victim");
    pm_blocker_id first = syn_blocker(s, syn_class(s, NONFAIR), 0x4f3c91d2);
    pm_blocker_id second = syn_blocker(s, syn_class(s, NONFAIR), 0x9a1e07c4);
    pm_blocker_id third = syn_blocker(s, syn_class(s, NONFAIR), 0x00000abc);
    pm_chain_id balance =
        lock_chain(s, "demo.Account.balance(Account.java:29)", "demo.Web.serve(Web.java:8)");

    lives(s, a);
    lives(s, b);
    lives(s, holder);
    lives(s, victim);
    struct pm_wait *wait = syn_progress(s, a, second, 1 * S);
    wait->owner = b;
    wait->chain =
        lock_chain(s, "demo.Account.debit(Account.java:41)", "demo.Bank.run(Bank.java:9)");
    wait = syn_progress(s, b, first, 1 * S + 5 * MS);
    wait->owner = a;
    wait->chain =
        lock_chain(s, "demo.Account.credit(Account.java:57)", "demo.Bank.run(Bank.java:11)");
    for (int t = 0; t < 3; t++) {
        g_autofree char *name = g_strdup_printf("http-nio-8080-exec-%d", t + 1);
        pm_thread_id web = syn_thread(s, name);
        lives(s, web);
        wait = syn_progress(s, web, first, 3 * S + t * S);
        wait->owner = a;
        wait->chain = balance;
    }
    wait = syn_progress(s, victim, third, 200 * S);
    wait->owner = holder;
    wait->chain = lock_chain(s, "demo.Held.get(Held.java:12)", "demo.Held.main(Held.java:3)");
    syn_owner_sample(s, (struct pm_owner_sample){
                            .at_ns = 250 * S,
                            .waiter = victim,
                            .blocker = third,
                            .owner = holder,
                            .chain = syn_chain(s, "java.lang.Thread.sleep(Native Method)",
                                               "demo.Held.hold(Held.java:22)",
                                               "demo.Held.run(Held.java:17)", NULL),
                            .owner_state = PM_OWNER_RUNNING,
                        });
    idle_pool(s, "pool-1-thread-1", 253 * S);
    return s;
}

static struct syn *quiet(void)
{
    struct syn *s = begin("OpenJDK 17.0.15", "Quiet", "");

    lives(s, syn_thread(s, "main"));
    return s;
}

static const struct {
    const char *name;
    struct syn *(*make)(void);
    int64_t end;
} examples[] = {{"pattern", pattern, 2 * SYN_S},
                {"orders", orders, 10 * SYN_S},
                {"deadlock", deadlock, 253 * SYN_S},
                {"quiet", quiet, 12300 * SYN_MS}};

static PmRecording *load(const char *name)
{
    g_autofree char *file = g_strconcat(name, ".park", NULL);
    g_autoptr(GError) error = NULL;

    for (guint i = 0; i < G_N_ELEMENTS(examples); i++) {
        if (strcmp(examples[i].name, name) != 0)
            continue;
        struct syn *s = examples[i].make();
        syn_ledger(s);
        struct pm_source source = syn_finish(s, examples[i].end);
        PmRecording *recording =
            pm_recording_load_source(source, file, 1, NULL, NULL, NULL, &error);
        g_assert_no_error(error);
        syn_free(s);
        return recording;
    }
    g_assert_not_reached();
}

PmRecording *pm_example_pattern(void)
{
    return load("pattern");
}

PmRecording *pm_example_orders(void)
{
    return load("orders");
}

PmRecording *pm_example_deadlock(void)
{
    return load("deadlock");
}

PmRecording *pm_example_quiet(void)
{
    return load("quiet");
}

void pm_example_write(const char *name, const char *path)
{
    for (guint i = 0; i < G_N_ELEMENTS(examples); i++) {
        if (strcmp(examples[i].name, name) != 0)
            continue;
        struct syn *s = examples[i].make();
        syn_ledger(s);
        syn_finish_file(s, examples[i].end, path);
        syn_free(s);
        return;
    }
    g_assert_not_reached();
}
