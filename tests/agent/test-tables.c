/* recorder/agent/tables/tables.h and the tables behind it. */
#include <glib.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "recorder/agent/tables/blocker.h"
#include "recorder/agent/tables/chain.h"
#include "recorder/agent/tables/names.h"
#include "recorder/agent/tables/tables.h"
#include "recorder/agent/tables/thread.h"
#include "recorder/agent/waits/epoch.h"
#include "recorder/agent/waits/vthread-slot.h"
#include "tests/agent/memory.h"

static void test_class_names(void)
{
    static const struct {
        const char *signature, *name;
    } cases[] = {{"Ljava/util/concurrent/locks/ReentrantLock$NonfairSync;",
                  "java.util.concurrent.locks.ReentrantLock$NonfairSync"},
                 {"[I", "int[]"},
                 {"[[Ljava/lang/Object;", "java.lang.Object[][]"},
                 {"LM;", "M"},
                 {"J", "long"},
                 {"", ""}};
    char name[200];
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        pm_class_name_from_signature(cases[i].signature, name, sizeof name);
        g_assert_cmpstr(name, ==, cases[i].name);
    }
    pm_class_name_from_signature("[Ljava/util/List;", name, 8);
    g_assert_cmpuint(strlen(name), <, 8);
}

static void test_interning(void)
{
    const struct pm_dictionary *d = pm_tables_dictionary();
    pm_class_id a = pm_class_add("a.A"), b = pm_class_add("b.B");
    g_assert_cmpuint(a.n, !=, b.n);
    g_assert_cmpuint(pm_class_add("a.A").n, ==, a.n);
    pm_method_id m = pm_method_add(a, "run", "A.java");
    g_assert_cmpuint(pm_method_add(a, "run", "A.java").n, ==, m.n);
    g_assert_cmpuint(pm_method_add(b, "run", "A.java").n, !=, m.n);
    g_assert_cmpuint(pm_method_add(a, "run", NULL).n, !=, m.n);
    struct pm_method method;
    g_assert_cmpint(d->get_method(d->context, m, &method), ==, 0);
    g_assert_cmpmem(method.name.bytes, method.name.length, "run", 3);
    g_assert_cmpmem(method.file.bytes, method.file.length, "A.java", 6);
    g_assert_cmpint(d->get_method(d->context, (pm_method_id){9999}, &method), <, 0);
    g_assert_cmpint(d->get_method(d->context, (pm_method_id){0}, &method), <, 0);

    struct pm_frame frames[] = {{m, 10}, {m, 20}};
    pm_chain_id chain = pm_chain_add(&(struct pm_chain){.frames = frames, .n_frames = 2});
    g_assert_cmpuint(pm_chain_add(&(struct pm_chain){.frames = frames, .n_frames = 2}).n, ==,
                     chain.n);
    g_assert_cmpuint(
        pm_chain_add(&(struct pm_chain){.frames = frames, .n_frames = 2, .truncated = true}).n, !=,
        chain.n);
    g_assert_cmpuint(pm_chain_add(&(struct pm_chain){.frames = frames, .n_frames = 1}).n, !=,
                     chain.n);
    struct pm_chain got;
    g_assert_cmpint(d->get_chain(d->context, chain, &got), ==, 0);
    g_assert_cmpuint(got.n_frames, ==, 2);
    g_assert_cmpint(got.frames[1].line, ==, 20);

    g_assert_cmpuint(pm_chain_find_key(12345).n, ==, 0);
    pm_chain_keep_key(12345, chain);
    g_assert_cmpuint(pm_chain_find_key(12345).n, ==, chain.n);
    g_assert_cmpuint(pm_chain_site_method(chain).n, ==, m.n);
}

static pm_chain_id chain_of(const char *const *names)
{
    struct pm_frame frames[20];
    uint32_t n = 0;
    for (; *names; names += 2)
        frames[n++].method = pm_method_add(pm_class_add(names[0]), names[1], NULL);
    for (uint32_t i = 0; i < n; i++)
        frames[i].line = 1;
    return pm_chain_add(&(struct pm_chain){.frames = frames, .n_frames = n});
}

#define JUC        "java.util.concurrent."
#define AQS        JUC "locks.AbstractQueuedSynchronizer"
#define UNPARK     "jdk.internal.misc.Unsafe", "unpark", JUC "locks.LockSupport", "unpark"
#define CHAIN(...) chain_of((const char *const[]){__VA_ARGS__, NULL})

static void test_meaning(void)
{
    static const char lock[] = JUC "locks.ReentrantLock";
    struct pm_method site;
    pm_chain_id c = CHAIN(UNPARK, AQS, "signalNext", AQS, "release", lock, "unlock", "a.A", "put");
    g_assert_cmpint(pm_chain_cause(c), ==, PM_WAKE_RELEASE);
    g_assert_true(pm_method_get(pm_chain_site_method(c), &site));
    g_assert_cmpmem(site.name.bytes, site.name.length, "put", 3);
    c = CHAIN(UNPARK, AQS, "signalNext", AQS, "releaseShared", JUC "CountDownLatch", "countDown");
    g_assert_cmpint(pm_chain_cause(c), ==, PM_WAKE_COMPLETION);
    c = CHAIN(UNPARK, AQS, "signalNext", AQS, "releaseShared", JUC "Semaphore", "release");
    g_assert_cmpint(pm_chain_cause(c), ==, PM_WAKE_RELEASE);
    c = CHAIN(UNPARK, AQS, "signalNextIfShared", AQS, "acquire", JUC "CountDownLatch", "await");
    g_assert_cmpint(pm_chain_cause(c), ==, PM_WAKE_PROPAGATION);
    c = CHAIN(UNPARK, AQS, "signalNext", AQS, "cleanQueue", AQS, "cancelAcquire", AQS, "acquire");
    g_assert_cmpint(pm_chain_cause(c), ==, PM_WAKE_CANCELLATION);
    c = CHAIN(UNPARK, AQS "$ConditionObject", "doSignal", AQS "$ConditionObject", "signal");
    g_assert_cmpint(pm_chain_cause(c), ==, PM_WAKE_SIGNAL);
    c = CHAIN(UNPARK, JUC "FutureTask", "finishCompletion", JUC "FutureTask", "set");
    g_assert_cmpint(pm_chain_cause(c), ==, PM_WAKE_COMPLETION);
    c = CHAIN(UNPARK, JUC "Phaser", "releaseWaiters", JUC "Phaser", "arriveAndAwaitAdvance");
    g_assert_cmpint(pm_chain_cause(c), ==, PM_WAKE_COMPLETION);
    c = CHAIN(UNPARK, JUC "Phaser", "releaseWaiters", JUC "Phaser", "internalAwaitAdvance");
    g_assert_cmpint(pm_chain_cause(c), ==, PM_WAKE_PROPAGATION);
    c = CHAIN(UNPARK, JUC "CompletableFuture$Signaller", "tryFire", JUC "CompletableFuture",
              "postComplete", JUC "CompletableFuture", "complete");
    g_assert_cmpint(pm_chain_cause(c), ==, PM_WAKE_COMPLETION);
    c = CHAIN(UNPARK, JUC "CompletableFuture$Signaller", "tryFire", JUC "CompletableFuture",
              "postComplete", JUC "CompletableFuture", "waitingGet");
    g_assert_cmpint(pm_chain_cause(c), ==, PM_WAKE_PROPAGATION);
    c = CHAIN(JUC "locks.LockSupport", "park", "sun.nio.ch.Poller", "poll", "a.A", "read");
    g_assert_true(pm_chain_polls(c));
    c = CHAIN(JUC "locks.LockSupport", "park", "sun.nio.ch.Poller$Request", "awaitFinish",
              "sun.nio.ch.Poller", "pollIndirect");
    g_assert_true(pm_chain_polls(c));
    c = CHAIN(JUC "locks.LockSupport", "park", AQS, "acquire", "sun.nio.ch.Poller", "poll");
    g_assert_false(pm_chain_polls(c));
    c = CHAIN(UNPARK, "a.A", "go", AQS, "release");
    g_assert_cmpint(pm_chain_cause(c), ==, PM_WAKE_UNKNOWN);
    c = CHAIN("jdk.internal.misc.Unsafe", "park", JUC "locks.LockSupport", "park",
              JUC "DelayScheduler", "loop", JUC "DelayScheduler", "run");
    g_assert_true(pm_method_get(pm_chain_site_method(c), &site));
    g_assert_cmpmem(site.name.bytes, site.name.length, "loop", 4);
}

static void test_threads(void)
{
    pm_thread_id t = pm_thread_add(77, "pool-1-thread-7", false, true, 5);
    g_assert_cmpuint(pm_thread_add(77, "other", false, false, 9).n, ==, t.n);
    g_assert_cmpuint(pm_thread_find(77).n, ==, t.n);
    g_assert_cmpuint(pm_thread_find(78).n, ==, 0);
    int64_t begin, end;
    g_assert_true(pm_tables_thread_life(t, &begin, &end));
    g_assert_cmpint(begin, ==, 5);
    g_assert_cmpint(end, ==, 0);
    pm_thread_end(t, 50);
    g_assert_true(pm_tables_thread_life(t, &begin, &end));
    g_assert_cmpint(end, ==, 50);
    struct pm_thread thread;
    const struct pm_dictionary *d = pm_tables_dictionary();
    g_assert_cmpint(d->get_thread(d->context, t, &thread), ==, 0);
    g_assert_cmpmem(thread.name.bytes, thread.name.length, "pool-1-thread-7", 15);
    g_assert_true(thread.is_daemon);

    pm_thread_id renamed[4];
    pm_thread_rename(t, "pool-1-thread-7");
    g_assert_cmpuint(pm_tables_take_renamed_threads(renamed, 4), ==, 0);
    pm_thread_rename(t, "orders-7");
    g_assert_cmpuint(pm_tables_take_renamed_threads(renamed, 4), ==, 1);
    g_assert_cmpuint(renamed[0].n, ==, t.n);
    g_assert_cmpint(d->get_thread(d->context, t, &thread), ==, 0);
    g_assert_cmpmem(thread.name.bytes, thread.name.length, "orders-7", 8);

    g_autofree char *longest = g_strnfill(PM_THREAD_NAME_MAX - 1, 'x');
    g_autofree char *cut = g_strconcat(longest, "\xc3\xa4", NULL);
    t = pm_thread_add(79, cut, false, false, 0);
    g_assert_cmpint(d->get_thread(d->context, t, &thread), ==, 0);
    g_assert_true(g_utf8_validate(thread.name.bytes, thread.name.length, NULL));
}

/* JVMs spell text in a way of their own; what goes into the file is UTF-8. */
static void test_names_are_utf8(void)
{
    static const struct {
        const char *from_java, *kept;
    } cases[] = {
        {"\xed\xa0\xbd\xed\xb8\x80", "\xf0\x9f\x98\x80"}, /* a surrogate pair: U+1F600 */
        {"a\xed\xa0\x80z", "a?z"},
        {"a\xed\xb0\x80z", "a?z"},
        {"a\xc0\x80z", "a?z"},
    };
    const struct pm_dictionary *d = pm_tables_dictionary();
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct pm_thread thread;
        pm_thread_id t = pm_thread_add(500 + i, cases[i].from_java, false, false, 0);
        g_assert_cmpint(d->get_thread(d->context, t, &thread), ==, 0);
        g_assert_cmpmem(thread.name.bytes, thread.name.length, cases[i].kept,
                        strlen(cases[i].kept));
        pm_thread_rename(t, "other");
        pm_thread_rename(t, cases[i].from_java);
        g_assert_cmpint(d->get_thread(d->context, t, &thread), ==, 0);
        g_assert_cmpmem(thread.name.bytes, thread.name.length, cases[i].kept,
                        strlen(cases[i].kept));

        char class_name[64];
        g_autofree char *signature = g_strdup_printf("Lorders/%s;", cases[i].from_java);
        g_autofree char *expected = g_strdup_printf("orders.%s", cases[i].kept);
        pm_class_name_from_signature(signature, class_name, sizeof class_name);
        g_assert_cmpstr(class_name, ==, expected);
    }
}

/* Wherever a class' name is cut, it is cut between two characters. */
static void test_class_names_are_cut_between_characters(void)
{
    for (gsize size = 2; size < 40; size++) {
        char class_name[64];
        pm_class_name_from_signature("[[Lä/\xe2\x82\xac\xed\xa0\xbd\xed\xb8\x80ööööööö;",
                                     class_name, size);
        g_assert_cmpuint(strlen(class_name), <, size);
        g_assert_true(g_utf8_validate(class_name, -1, NULL));
        g_assert_null(strchr(class_name, '?'));
    }
}

static void test_threads_bounded(void)
{
    pm_thread_table_clear();
    g_assert_cmpint(pm_thread_table_init(100), ==, 0);
    for (int i = 1; i <= 5000; i++) {
        pm_thread_id t = pm_thread_add(i, "t", false, false, 1);
        g_assert_cmpuint(t.n, ==, (guint)i);
        pm_thread_end(t, 2);
    }
    for (int i = 6001; i <= 6200; i++)
        pm_thread_add(i, "t", false, false, 1);
    g_assert_cmpuint(pm_thread_add(7000, "t", false, false, 1).n, ==, 0);
    struct pm_thread_row row;
    g_assert_false(pm_thread_get((pm_thread_id){1}, &row));
    g_assert_cmpuint(pm_thread_find(6001).n, ==, 5001);
}

/* Threads that own something and do not live leave as the ended do; one that begins then stays. */
static void test_absent_threads(void)
{
    pm_thread_table_clear();
    g_assert_cmpint(pm_thread_table_init(1000), ==, 0);
    struct pm_thread_row row;
    for (int i = 1; i <= 5000; i++) {
        pm_thread_id id = pm_thread_add(i, "owner", false, false, 0);
        g_assert_cmpuint(id.n, !=, 0);
        pm_thread_set_absent(id, 1);
    }
    pm_thread_id late = pm_thread_find(5000);
    pm_thread_begin(late, 7, 42, 9);
    pm_thread_set_absent(late, 1); /* by who looked at it before it began */
    for (int i = 5001; i <= 10000; i++)
        pm_thread_set_absent(pm_thread_add(i, "owner", false, false, 0), 1);
    g_assert_cmpuint(pm_thread_find(1).n, ==, 0);
    g_assert_true(pm_thread_get(late, &row));
    g_assert_cmpint(row.begin_ns, ==, 7);
    g_assert_cmpint(row.native_id, ==, 42);
    g_assert_cmpint(row.removable_ns, ==, 0);
}

/* … but not before the waits of whoever found them are told. */
static void test_absent_threads_are_told(void)
{
    pm_thread_table_clear();
    g_assert_cmpint(pm_thread_table_init(1u << 16), ==, 0);
    pm_thread_told(5);
    for (int i = 1; i <= 10000; i++)
        pm_thread_set_absent(pm_thread_add(i, "owner", false, false, 0), 5 + i);
    for (int i = 1; i <= 10000; i++)
        g_assert_cmpuint(pm_thread_find(i).n, !=, 0);
    pm_thread_told(20000);
    for (int i = 10001; i <= 10500; i++)
        pm_thread_set_absent(pm_thread_add(i, "owner", false, false, 0), 5 + i);
    g_assert_cmpuint(pm_thread_find(1).n, ==, 0);
    g_assert_cmpuint(pm_thread_find(10500).n, !=, 0);
    pm_thread_told(0);
}

/* A program whose threads come and go for days: those that were there first are still told of, and
 * the memory of the ended is used again. */
static void test_threads_for_days(void)
{
    pm_thread_id first = pm_thread_add(1, "main", false, false, 0), id;
    for (int i = 2; i <= 400000; i++)
        pm_thread_end(pm_thread_add(i, "worker", false, false, 1), 2);
    for (int i = 400001; i <= 500000; i++)
        pm_thread_add(i, "virtual", true, true, 1);
    int64_t begin_ns, end_ns;
    guint alive = 0, at = 0;
    for (; pm_tables_visit_thread(at, &id, &begin_ns, &end_ns); at++)
        alive += id.n == first.n && begin_ns == 0 && end_ns == 0;
    g_assert_cmpuint(alive, ==, 1);
    g_assert_cmpuint(at, <, PM_THREADS_ENDED_MAX + PM_THREADS_VIRTUAL_MAX + 1000);
    g_assert_cmpuint(pm_thread_find(499000).n, ==, pm_thread_virtual(499000, false).n);
    g_assert_cmpuint(pm_thread_find(400000).n, ==, 400000); /* the last of the ended */
}

/* Of those that ended fewer are kept once what they did is told, and their names take the memory
 * that they need. */
static void test_ended_threads_are_told(void)
{
    pm_thread_table_clear();
    g_assert_cmpint(pm_thread_table_init(1u << 17), ==, 0);
    struct pm_thread_row row;
    char name[PM_THREAD_NAME_MAX + 1] = {0};
    for (int i = 1; i <= 200000; i++) {
        g_snprintf(name, sizeof name, "%0*d", 1 + i % 40, i);
        pm_thread_end(pm_thread_add(i, name, false, false, 1), i);
        pm_thread_told(i - 1000);
        if (i > 500) { /* one of those that nobody has told yet */
            g_assert_true(pm_thread_get(pm_thread_find(i - 500), &row));
            g_snprintf(name, sizeof name, "%0*d", 1 + (i - 500) % 40, i - 500);
            g_assert_cmpmem(row.name, row.name_length, name, strlen(name));
        }
    }
    g_assert_cmpuint(pm_thread_memory(), <, (PM_THREADS_ENDED + 2000) * 150);
    pm_thread_id last = pm_thread_find(200000);
    pm_thread_rename(last, "another");
    g_assert_true(pm_thread_get(last, &row));
    g_assert_cmpmem(row.name, row.name_length, "another", 7);
    g_assert_false(pm_thread_get((pm_thread_id){1}, &row));
    pm_thread_told(0);
}

/* One without a name is known by its tid, and takes no room; who has one tells it later. */
static void test_virtual_threads(void)
{
    static const int64_t tids[] = {1, 77, (INT64_C(1) << 31) + 5, (INT64_C(1) << 40) + 77};
    struct pm_thread_row row;
    pm_thread_id id, renamed[4];
    uint64_t memory = pm_thread_memory();
    while (pm_thread_take_renamed(renamed, 4)) { /* those of other tests */
    }
    for (gsize i = 0; i < G_N_ELEMENTS(tids); i++) {
        id = pm_thread_virtual(tids[i], true);
        g_assert_true(pm_thread_is_virtual(id));
        g_assert_true(pm_thread_get(id, &row));
        g_assert_cmpint(row.tid, ==, tids[i]);
        g_assert_true(row.is_virtual && row.is_daemon && row.name_length == 0);
        g_assert_cmpuint(pm_thread_find(tids[i]).n, ==, 0);
        g_assert_cmpuint(pm_thread_add(tids[i], "", true, true, 0).n, ==, id.n);
    }
    g_assert_cmpuint(pm_thread_memory(), ==, memory);
    g_assert_cmpuint(pm_thread_add(tids[3], "late", true, true, 0).n, ==, id.n);
    g_assert_cmpuint(pm_thread_find(tids[3]).n, ==, id.n);
    g_assert_true(pm_thread_get(id, &row));
    g_assert_cmpmem(row.name, row.name_length, "late", 4);
    g_assert_cmpuint(pm_thread_take_renamed(renamed, 4), ==, 1);
    g_assert_cmpuint(renamed[0].n, ==, id.n);
    g_assert_cmpuint(pm_thread_virtual(0, false).n, ==, 0);
    g_assert_cmpuint(pm_thread_virtual(-3, false).n, ==, 0);
}

/* Of virtual threads by the hundred thousand those in a wait are still told of. */
static void test_waiting_threads_stay(void)
{
    pm_thread_id waiting[100];
    g_assert_cmpint(pm_slot_pool_init(NULL), ==, 0);
    g_assert_cmpint(pm_vthread_slot_init(0), ==, 0);
    for (int i = 0; i < 100; i++) {
        waiting[i] = pm_thread_add(1000 + i, "patient", true, true, 1);
        struct pm_vthread_slot *vslot = pm_vthread_slot_open(1000 + i);
        pm_vthread_slot_enter(vslot, NULL);
        pm_vthread_slot_begin(vslot, NULL, &(struct pm_raw_wait){.kind = PM_KIND_PARK});
    }
    for (int i = 2000; i < 400000; i++)
        g_assert_cmpuint(pm_thread_add(i, "virtual", true, true, 1).n, !=, 0);
    for (int i = 0; i < 100; i++)
        g_assert_cmpuint(pm_thread_find(1000 + i).n, ==, waiting[i].n);
    pm_vthread_slot_clear();
    pm_slot_pool_clear();
}

static void test_blockers_leave(void)
{
    pm_blocker_id a = pm_blocker_add(&(struct pm_blocker){.hash = 0xabc});
    pm_blocker_id n = pm_blocker_add_null(42, (pm_chain_id){1}, (pm_thread_id){1});
    g_assert_cmpuint(pm_blocker_add_null(42, (pm_chain_id){2}, (pm_thread_id){2}).n, ==, n.n);
    g_assert_cmpuint(pm_blocker_add_null(43, (pm_chain_id){2}, (pm_thread_id){2}).n, !=, n.n);
    struct pm_blocker blocker;
    const struct pm_dictionary *d = pm_tables_dictionary();
    g_assert_cmpint(d->get_blocker(d->context, a, &blocker), ==, 0);
    g_assert_cmpuint(blocker.id.n, ==, a.n);
    g_assert_cmpuint(blocker.hash, ==, 0xabc);
    pm_blocker_leave(a, PM_BLOCKER_COLLECTED);
    g_assert_cmpint(d->get_blocker(d->context, a, &blocker), ==, 0);
    g_assert_cmpuint(blocker.flags, ==, PM_BLOCKER_COLLECTED);
    pm_blocker_id collected[4];
    g_assert_cmpuint(pm_tables_take_collected_blockers(collected, 4), ==, 1);
    g_assert_cmpuint(collected[0].n, ==, a.n);
    g_assert_cmpuint(pm_tables_take_collected_blockers(collected, 4), ==, 0);
    pm_tables_blocker_forget(a);
    g_assert_cmpint(d->get_blocker(d->context, a, &blocker), <, 0);
    g_assert_cmpuint(pm_blocker_add(&(struct pm_blocker){.hash = 1}).n, >, n.n);
}

/* However many left, and however often they are told to. */
static void test_collected_are_told_once(void)
{
    pm_blocker_id ids[1000], collected[64];
    for (uint32_t i = 0; i < G_N_ELEMENTS(ids); i++)
        ids[i] = pm_blocker_add(&(struct pm_blocker){.hash = i});
    for (int half = 0; half < 2; half++) {
        size_t from = half ? 500 : 0, told = from, n;
        for (size_t i = from; i < from + 500; i++) {
            pm_blocker_leave(ids[i], PM_BLOCKER_COLLECTED);
            pm_blocker_leave(ids[i / 2], PM_BLOCKER_EVICTED);
        }
        while ((n = pm_blocker_take_collected(collected, 64)) > 0) {
            for (size_t i = 0; i < n; i++) {
                g_assert_cmpuint(collected[i].n, ==, ids[told++].n);
                pm_blocker_forget(collected[i]);
            }
        }
        g_assert_cmpuint(told, ==, from + 500);
    }
}

static _Atomic bool stop;
static uint32_t first_id; /* what this test adds */

static void *read_blockers(void *data)
{
    struct pm_blocker blocker;
    while (!atomic_load(&stop)) {
        uint32_t last = pm_blocker_last_id();
        for (uint32_t id = last > first_id + 300 ? last - 300 : first_id; id <= last; id++)
            if (pm_blocker_get((pm_blocker_id){id}, &blocker) && blocker.flags == 0 && blocker.hash)
                g_assert_cmpuint(blocker.hash ^ blocker.first_thread.n, ==, 0x5555);
    }
    return NULL;
}

static void test_reads_are_whole(void)
{
    pthread_t reader;
    atomic_store(&stop, false);
    first_id = pm_blocker_last_id() + 1;
    g_assert_cmpint(pthread_create(&reader, NULL, read_blockers, NULL), ==, 0);
    pm_blocker_id ids[200] = {0};
    for (uint32_t i = 1; i < 40000; i++) {
        if (ids[i % 200].n)
            pm_tables_blocker_forget(ids[i % 200]);
        ids[i % 200] =
            pm_blocker_add(&(struct pm_blocker){.hash = i ^ 0x5555, .first_thread = {i}});
        g_assert_cmpuint(ids[i % 200].n, !=, 0);
    }
    atomic_store(&stop, true);
    pthread_join(reader, NULL);
    g_assert_cmpuint(pm_blocker_count(), <, 300);
}

/* Each is called by its tid, however often it is renamed. */
static void name_of(int64_t tid, int64_t round, char *ret_name, gsize size)
{
    g_snprintf(ret_name, size, "%0*" G_GINT64_FORMAT, (int)(6 + (tid + round) % 50), tid);
}

static void *read_threads(void *data)
{
    struct pm_thread_row row;
    char name[PM_THREAD_NAME_MAX + 1];
    while (!atomic_load(&stop)) {
        uint32_t last = pm_thread_last_id();
        for (uint32_t id = last > first_id + 300 ? last - 300 : first_id; id <= last; id++) {
            if (!pm_thread_get((pm_thread_id){id}, &row))
                continue;
            memcpy(name, row.name, row.name_length);
            name[row.name_length] = '\0';
            g_assert_cmpint(g_ascii_strtoll(name, NULL, 10), ==, row.tid);
        }
    }
    return NULL;
}

static void test_names_are_whole(void)
{
    pthread_t reader;
    char name[PM_THREAD_NAME_MAX + 1];
    atomic_store(&stop, false);
    pm_thread_table_clear();
    g_assert_cmpint(pm_thread_table_init(200), ==, 0);
    first_id = 1;
    g_assert_cmpint(pthread_create(&reader, NULL, read_threads, NULL), ==, 0);
    for (int64_t tid = 1; tid < 40000; tid++) {
        name_of(tid, 0, name, sizeof name);
        pm_thread_id id = pm_thread_add(tid, name, false, false, 1);
        g_assert_cmpuint(id.n, !=, 0);
        name_of(tid, 1 + tid % 49, name, sizeof name);
        pm_thread_rename(id, name);
        pm_thread_end(id, 2);
    }
    atomic_store(&stop, true);
    pthread_join(reader, NULL);
}

static long charged_kib; /* for all tables, empty */

/* While there is no memory for its name a class is unknown, and so are its methods; later they are
 * not. */
static void test_names_come_later(void)
{
    char name[80] = "a.A";
    struct pm_class unknown;
    pm_class_id id = {0};
    if (!pm_memory_in_process_of_its_own())
        return;
    pm_memory_allow_more(0);
    for (int i = 0; id.n != pm_class_unknown().n; i++) {
        g_snprintf(name, sizeof name, "a.class.with.a.long.name.so.that.there.are.not.many.A%d", i);
        id = pm_class_add(name);
    }
    g_assert_true(pm_class_get(id, &unknown));
    g_assert_cmpmem(unknown.name.bytes, unknown.name.length, "?", 1);
    g_assert_cmpuint(pm_method_add(id, "run", NULL).n, ==, 0);
    pm_memory_allow_all();
    g_assert_cmpuint(pm_class_add(name).n, !=, id.n);
    g_assert_cmpuint(pm_method_add(pm_class_add(name), "run", NULL).n, !=, 0);
    pm_epoch_advance();
    pm_class_free_unused(0, 4096);
    g_assert_cmpuint(pm_class_count(), ==, 1);
    g_assert_true(pm_class_get(id, &unknown));
}

static void test_charge_what_is_used(void)
{
    if (!pm_memory_is_ours())
        return;
    g_assert_cmpint(charged_kib, <=, 128);
}

static const struct test {
    const char *path;
    void (*run)(void);
} tests[] = {
    {"/agent/tables/charge-what-is-used", test_charge_what_is_used},
    {"/agent/names/class-names-read-as-in-source", test_class_names},
    {"/agent/names/are-cut-between-characters", test_class_names_are_cut_between_characters},
    {"/agent/tables/equal-things-have-one-id", test_interning},
    {"/agent/meaning/first-frames-tell-cause-and-site", test_meaning},
    {"/agent/thread/one-row-for-a-tid", test_threads},
    {"/agent/thread/names-are-utf8", test_names_are_utf8},
    {"/agent/thread/ended-ones-make-room", test_threads_bounded},
    {"/agent/thread/absent-ones-make-room", test_absent_threads},
    {"/agent/thread/absent-ones-are-told", test_absent_threads_are_told},
    {"/agent/thread/come-and-go-for-days", test_threads_for_days},
    {"/agent/thread/ended-ones-leave-once-they-are-told", test_ended_threads_are_told},
    {"/agent/thread/names-are-whole-while-threads-come-and-go", test_names_are_whole},
    {"/agent/thread/virtual-ones-are-known-by-their-tid", test_virtual_threads},
    {"/agent/thread/virtual-ones-in-a-wait-stay", test_waiting_threads_stay},
    {"/agent/names/come-later", test_names_come_later},
    {"/agent/blocker/collected-ones-stay-until-forgotten", test_blockers_leave},
    {"/agent/blocker/collected-ones-are-told-once", test_collected_are_told_once},
    {"/agent/blocker/reads-are-whole-while-rows-come-and-go", test_reads_are_whole},
};

/* Each test has tables of its own, as empty as at the start. */
static void run(gconstpointer data)
{
    const struct test *test = data;
    pm_thread_table_clear();
    pm_chain_table_clear();
    pm_names_clear();
    g_assert_cmpint(pm_tables_init(), ==, 0);
    g_assert_cmpuint(pm_tables_n_threads(), ==, 0);
    g_assert_cmpuint(pm_tables_n_chains(), ==, 0);
    g_assert_cmpuint(pm_blocker_count(), ==, 1); /* the one for what has no space */
    test->run();
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    long before = pm_memory_kib("VmData");
    g_assert_cmpint(pm_tables_init(), ==, 0);
    charged_kib = pm_memory_kib("VmData") - before;
    for (gsize i = 0; i < G_N_ELEMENTS(tests); i++)
        g_test_add_data_func(tests[i].path, &tests[i], run);
    return g_test_run();
}
