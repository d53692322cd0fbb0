#include <string.h>

#include "tests/analysis/made.h"
#include "viewer/analysis/aggregation/aspect.h"
#include "viewer/analysis/base/glob.h"
#include "viewer/analysis/base/thread-name.h"
#include "viewer/analysis/recording/label.h"

static void same(char *got, const char *expected)
{
    g_assert_cmpstr(got, ==, expected);
    g_free(got);
}

static void classes_are_folded(void)
{
    same(pm_label_class("java.util.concurrent.locks.ReentrantLock$NonfairSync"), "ReentrantLock");
    same(pm_label_class("java.util.concurrent.locks.ReentrantLock$FairSync"),
         "ReentrantLock (fair)");
    same(pm_label_class("java.util.concurrent.CountDownLatch$Sync"), "CountDownLatch");
    same(pm_label_class("com.acme.Foo$$Lambda$12/0x00000008000c0a18"), "Foo$$Lambda");
    same(pm_label_class("com.acme.Foo$$Lambda.0x00000008000c0a18"), "Foo$$Lambda");
    same(pm_label_class("com.sun.proxy.$Proxy12"), "$Proxy");
    same(pm_label_class("jdk.internal.reflect.GeneratedMethodAccessor7"),
         "GeneratedMethodAccessor");
    same(pm_label_class("int[]"), "int[]");
    same(pm_label_class("com.acme.Rates$Special.<clinit>"), "Rates$Special (initialisation)");
    same(pm_label_class("Main"), "Main");
    same(pm_label_class(""), "(none)");
}

static void groups_star_the_last_digits(void)
{
    same(pm_thread_name_group("http-nio-8080-exec-12"), "http-nio-8080-exec-*");
    same(pm_thread_name_group("pool-1-thread-2"), "pool-1-thread-*");
    same(pm_thread_name_group("G1 Conc#0 x"), "G1 Conc#* x");
    same(pm_thread_name_group("main"), "main");
    same(pm_thread_name_group(""), "");
    same(pm_thread_name_group("7"), "*");
    same(pm_thread_name_group("Thread-7:"), "Thread-*:");
}

/* What varies in such names is who is at the other end. */
static void groups_star_addresses(void)
{
    same(pm_thread_name_group("client-127.0.0.1:4711"), "client-*");
    same(pm_thread_name_group("client-6-SendThread(127.0.0.1:2181)"), "client-*-SendThread(*)");
    same(pm_thread_name_group("RMI TCP Connection(12)-10.0.0.5"), "RMI TCP Connection(*)-*");
    same(pm_thread_name_group("/127.0.0.1:40512 to /127.0.0.1:8080"), "/* to /*");
    same(pm_thread_name_group("conn-7 [::1]:4711"), "conn-* *");
    same(pm_thread_name_group("conn-7 localhost:4711"), "conn-* *");
    same(pm_thread_name_group("127.0.0.1"), "*");
    same(pm_thread_name_group("tcp:///127.0.0.1:56578@61999"), "tcp:///*@*");
    same(pm_thread_name_group("ActiveMQ Transport: tcp:///10.0.0.7:40512@61616"),
         "ActiveMQ Transport: tcp:///*@*");
    same(pm_thread_name_group("node-3@7"), "node-*@*");
    /* Neither is an address. */
    same(pm_thread_name_group("SyncThread:0"), "SyncThread:*");
    same(pm_thread_name_group("http-nio-127.0.0.1-8080-exec-3"), "http-nio-127.0.0.1-8080-exec-*");
    same(pm_thread_name_group("worker-1.2.3"), "worker-1.2.*");
    same(pm_thread_name_group("worker-1.2.3.4.5"), "worker-1.2.3.4.*");
    same(pm_thread_name_group("x]:1"), "x]:*");
    same(pm_thread_name_group("[ff]:1"), "*");
    same(pm_thread_name_group("]:1"), "]:*");
    same(pm_thread_name_group(":1"), ":*");
}

/* The line in which it was made is no number of a thread. */
static void groups_keep_the_line_of_code(void)
{
    same(pm_thread_name_group("Ruby-0-Thread-12@worker-1: shop.rb:31"),
         "Ruby-0-Thread-*@worker-*: shop.rb:31");
    same(pm_thread_name_group("Ruby-0-Thread-2: /srv/shop.rb:31"),
         "Ruby-0-Thread-*: /srv/shop.rb:31");
    same(pm_thread_name_group("Ruby-0-Thread-2@feed: shop.rb:31"),
         "Ruby-0-Thread-*@feed: shop.rb:31");
    same(pm_thread_name_group("sync: 10.0.0.7:40512"), "sync: *");
    same(pm_thread_name_group("state: done:7"), "state: done:*");
}

static void durations_have_three_digits(void)
{
    same(pm_label_duration(0), "0 s");
    same(pm_label_duration(1), "1 ns");
    same(pm_label_duration(999), "999 ns");
    same(pm_label_duration(12000), "12.0 µs");
    same(pm_label_duration(700000), "0.7 ms");
    same(pm_label_duration(147000000), "147 ms");
    same(pm_label_duration(2310000000), "2.31 s");
    same(pm_label_duration(59900000000), "59.9 s");
    same(pm_label_duration(252 * G_GINT64_CONSTANT(1000000000)), "4 min 12 s");
    same(pm_label_duration(57120 * G_GINT64_CONSTANT(1000000000)), "15 h 52 min");
    same(pm_label_duration(-147000000), "-147 ms");
    same(pm_label_duration(G_MAXINT64), "106751 d 23 h");
    same(pm_label_duration(G_MININT64), "-106751 d 23 h");
}

static void names_of_a_recording(void)
{
    PmMade m = pm_made_begin();
    guint32 lock = pm_made_blocker(&m, m.lock_class, 0x4f3c91d2, m.lock_chain);
    PmBlocker null = {.flags = PM_BLOCKER_NULL, .first_chain = m.other_chain};
    guint32 none = pm_assembly_add_blocker(m.assembly, &null);
    guint32 thread = pm_made_thread(&m, "a-1");
    guint32 of_jdk = pm_made_method(
        m.assembly, "java.util.concurrent.locks.ReentrantLock$NonfairSync", "lock", "");
    guint32 of_program = pm_made_method(m.assembly, "com.acme.Stock$Sync", "push", "");
    pm_made_wait(&m, thread, lock, m.lock_chain, 0, 10, 0);
    m.assembly->facts.begin_unix_ns = (14 * 3600 + 2 * 60 + 3) * G_GINT64_CONSTANT(1000000000);
    m.assembly->facts.utc_offset_s = 3600;
    PmRecording *r = pm_assembly_finish(m.assembly);

    same(pm_label_blocker_short(r, lock), "ReentrantLock 4f3c91d2");
    same(pm_label_blocker(r, lock), "ReentrantLock 4f3c91d2 · PriceCache.get");
    same(pm_label_blocker(r, none), "(none) · Report.render");
    same(pm_label_blocker(r, 0), "(none)");
    same(pm_label_blocker(r, 99), "(none)");
    same(pm_label_method(r, of_jdk), "ReentrantLock.lock");
    same(pm_label_method(r, of_program), "Stock$Sync.push");
    const PmChain *c = &r->chains[m.lock_chain];
    same(pm_label_frame(r, c->frames[c->site]), "PriceCache.get (PriceCache.java:41)");
    same(pm_label_frame(r, c->frames[0]), "Unsafe.park (native)");
    same(pm_label_frame_full(r, c->frames[c->site]), "com.acme.PriceCache.get(PriceCache.java:41)");
    same(pm_label_clock(r, 118000000, 3), "15:02:03.118");
    same(pm_label_clock(r, -1, 0), "15:02:02");
    same(pm_label_clock(r, -1, 9), "15:02:02.999999999");
    g_assert_cmpuint(r->chains[m.idle_chain].site, ==, 4);
    pm_recording_unref(r);
}

static void globs_match_whole_texts(void)
{
    static const struct {
        const char *pattern, *text;
        gboolean matches;
    } cases[] = {{"a", "a", TRUE},       {"a", "ab", FALSE},       {"*", "", TRUE},
                 {"a*c", "abbc", TRUE},  {"a*c", "abcd", FALSE},   {"*b*", "abc", TRUE},
                 {"**", "x", TRUE},      {"", "", TRUE},           {"", "x", FALSE},
                 {"a*bc", "abbc", TRUE}, {"*aab", "aaaaab", TRUE}, {"com.*.X", "com.a.b.X", TRUE}};
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
        g_assert_cmpint(pm_glob_match(cases[i].pattern, cases[i].text), ==, cases[i].matches);
}

static void assert_group(guint n_threads, const char *format, const char *first, const char *wanted)
{
    PmMade m = pm_made_begin();

    m.assembly->duration = 1;
    if (*first)
        pm_made_thread(&m, "%s", first);
    for (guint i = 0; i < n_threads; i++)
        pm_made_thread(&m, format, i + 1);
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    const PmGroup *group = &r->groups[r->threads[r->n_threads - 1].group];
    g_assert_cmpstr(group->name, ==, wanted);
}

/* A factory for each thread counts twice. */
static void groups_of_one_thread_become_one(void)
{
    assert_group(4, "thumbnails-%u-1", "", "thumbnails-*-*");
    assert_group(4, "worker-%u of 4", "", "worker-* of *");
    assert_group(3, "thumbnails-%u-1", "", "thumbnails-3-*");
    /* Here the first number tells pools apart. */
    assert_group(4, "thumbnails-%u-1", "thumbnails-1-2", "thumbnails-4-*");
    assert_group(4, "pool-%u-thread-1", "", "pool-4-thread-*");
    assert_group(4, "ForkJoinPool-%u-worker-1", "", "ForkJoinPool-4-worker-*");
    assert_group(4, "exec-%u", "", "exec-*");
}

/* One object has one name wherever it is shown: alone, and as the only one of its kind. */
static void one_blocker_has_one_name(void)
{
    PmMade m = pm_made_begin();
    const guint32 lock = pm_made_blocker(&m, m.lock_class, 0x4f3c91d2, m.lock_chain);
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    PmChain *chain = (PmChain *)&r->chains[m.lock_chain];

    same(pm_label_alike(r, lock), "ReentrantLock 4f3c91d2 · PriceCache.get");
    chain->field = chain->frames[0].method;
    same(pm_label_blocker(r, lock), "ReentrantLock 4f3c91d2 · Unsafe.park");
    same(pm_label_alike(r, lock), "ReentrantLock 4f3c91d2 · Unsafe.park");
    g_autofree char *of_row = pm_aspect_key_text(r, PM_ASPECT_ALIKE, lock);
    g_assert_cmpstr(of_row, ==, "ReentrantLock 4f3c91d2 · Unsafe.park");
}

/* Locks that one method takes have their field in common, or none. */
static void alike_blockers_have_their_field(void)
{
    for (guint same_field = 0; same_field < 2; same_field++) {
        PmMade m = pm_made_begin();
        const guint32 fields[] = {pm_made_method(m.assembly, "com.acme.Ledger", "from", NULL),
                                  pm_made_method(m.assembly, "com.acme.Ledger", "to", NULL)};
        const guint32 client = pm_made_thread(&m, "client");
        guint32 lock = 0;
        for (guint i = 0; i < 2; i++) {
            const guint32 takes = pm_made_chain(m.assembly, "jdk.internal.misc.Unsafe.park",
                                                "java.util.concurrent.locks.ReentrantLock.lock",
                                                "com.acme.Ledger.move", NULL);
            PmChain *chain = &g_array_index(m.assembly->chains, PmChain, takes);
            chain->field = fields[same_field ? 0 : i];
            chain->field_frame = 2;
            lock = pm_made_blocker(&m, m.lock_class, 1 + i, takes);
            pm_made_wait(&m, client, lock, takes, i * 10, i * 10 + 5, 0);
        }
        g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
        same(pm_label_alike(r, lock),
             same_field ? "ReentrantLock (2) · Ledger.from" : "ReentrantLock (2) · Ledger.move");
        same(pm_label_blocker(r, lock), same_field ? "ReentrantLock 00000002 · Ledger.from"
                                                   : "ReentrantLock 00000002 · Ledger.to");
    }
}

/* One method of SynchronousQueue's serves who takes as well as who gives. */
static void who_polls_a_synchronous_queue_waits_for_no_room(void)
{
    PmMade m = pm_made_begin();
    static const char transfer[] = "java.util.concurrent.SynchronousQueue$TransferQueue.transfer";
    const guint32 polls = pm_made_chain(m.assembly, transfer,
                                        "java.util.concurrent.SynchronousQueue.poll",
                                        "com.acme.Bag.borrow", NULL),
                  puts = pm_made_chain(m.assembly, transfer,
                                       "java.util.concurrent.SynchronousQueue.put",
                                       "com.acme.Bag.give", NULL);
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_assert_false(pm_label_waits_for_room(r, polls));
    g_assert_true(pm_label_waits_for_room(r, puts));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/analysis/label/classes-are-folded", classes_are_folded);
    g_test_add_func("/analysis/label/groups-star-the-last-digits", groups_star_the_last_digits);
    g_test_add_func("/analysis/label/groups-star-addresses", groups_star_addresses);
    g_test_add_func("/analysis/label/groups-keep-the-line-of-code", groups_keep_the_line_of_code);
    g_test_add_func("/analysis/label/durations-have-three-digits", durations_have_three_digits);
    g_test_add_func("/analysis/label/names-of-a-recording", names_of_a_recording);
    g_test_add_func("/analysis/label/one-blocker-has-one-name", one_blocker_has_one_name);
    g_test_add_func("/analysis/label/alike-blockers-have-their-field",
                    alike_blockers_have_their_field);
    g_test_add_func("/analysis/label/who-polls-a-synchronous-queue-waits-for-no-room",
                    who_polls_a_synchronous_queue_waits_for_no_room);
    g_test_add_func("/analysis/glob/matches-whole-texts", globs_match_whole_texts);
    g_test_add_func("/analysis/label/groups-of-one-thread-become-one",
                    groups_of_one_thread_become_one);
    return g_test_run();
}
