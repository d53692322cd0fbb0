/* Who holds a lock that readers share, while others wait for it. */
#include "viewer/analysis/causes/contention.h"

#include "tests/analysis/parts.h"

#define RW "java.util.concurrent.locks.ReentrantReadWriteLock"
#define MS G_GINT64_CONSTANT(1000000)

/* Two readers, one of which is slow, and two writers; who comes later reads. */
typedef struct {
    PmMade made;
    guint32 slow, quick, writer, next, lock;
    guint32 reads, writes; /* chains */
    guint32 gives_up;      /* and so wakes others */
} Scene;

static Scene scene_begin(const char *class_name)
{
    Scene s = {.made = pm_made_begin()};
    s.slow = pm_made_thread(&s.made, "slow");
    s.quick = pm_made_thread(&s.made, "quick");
    s.writer = pm_made_thread(&s.made, "writer");
    s.next = pm_made_thread(&s.made, "next");
    s.reads =
        pm_made_chain(s.made.assembly, "jdk.internal.misc.Unsafe.park",
                      class_name[0] == 'R' ? RW "$ReadLock.lock"
                                           : "java.util.concurrent.locks.StampedLock.readLock",
                      "com.acme.Cache.get", NULL);
    s.writes =
        pm_made_chain(s.made.assembly, "jdk.internal.misc.Unsafe.park",
                      class_name[0] == 'R' ? RW "$WriteLock.lock"
                                           : "java.util.concurrent.locks.StampedLock.writeLock",
                      "com.acme.Cache.put", NULL);
    s.lock = pm_made_blocker(
        &s.made,
        pm_assembly_add_class(s.made.assembly, class_name[0] == 'R'
                                                   ? RW "$NonfairSync"
                                                   : "java.util.concurrent.locks.StampedLock"),
        1, s.writes);
    return s;
}

static gboolean reads(const Scene *s, guint32 thread)
{
    return thread != s->writer && thread != s->next;
}

static guint8 cause_of(const Scene *s, guint32 thread, guint32 waker)
{
    if (waker == 0)
        return PM_WAKE_TIME_OUT;
    if (waker == s->gives_up)
        return PM_WAKE_CANCELLATION;
    return reads(s, thread) && reads(s, waker) ? PM_WAKE_PROPAGATION : PM_WAKE_RELEASE;
}

/* Times in microseconds; `waker` 0: it gives up. */
static void wait_for(Scene *s, guint32 thread, gint64 begin, gint64 end, guint32 waker,
                     guint readers, gboolean writing)
{
    PM_MADE_WAIT(s->made.assembly, begin * 1000, end * 1000, thread, s->lock,
                 reads(s, thread) ? s->reads : s->writes, .wake = waker ? end * 1000 - 500 : 0,
                 .waker = waker,
                 .waker_chain = waker == 0        ? 0
                                : reads(s, waker) ? s->reads
                                                  : s->writes,
                 .wake_cause = cause_of(s, thread, waker), .flags = waker == 0 ? PM_WAIT_TIMED : 0,
                 .aqs_state = (gint32)(readers << 16 | (writing != 0)));
}

static gint64 charged(const PmRecording *r, guint32 waiter, gint64 begin, guint32 thread)
{
    g_autoptr(GArray) parts =
        pm_parts_of(r, pm_row_of(r, waiter, begin * 1000), pm_contention_split_here);
    gint64 sum = 0;
    for (guint i = 0; i < parts->len; i++) {
        const PmPart *part = &g_array_index(parts, PmPart, i);
        sum += part->thread == thread ? part->end - part->begin : 0;
    }
    return sum;
}

static PmRecording *scene_end(Scene *s)
{
    s->made.assembly->duration = 1000 * MS;
    return pm_assembly_finish(s->made.assembly);
}

/* Both readers get it from a writer; as the next one comes both hold it, as yet another comes only
 * one does, and the slow one gives it back last. */
static void quicker_readers_have_their_share(void)
{
    Scene s = scene_begin("RW");
    wait_for(&s, s.slow, 1000, 2000, s.next, 0, TRUE);
    wait_for(&s, s.quick, 1100, 2010, s.slow, 0, TRUE);
    wait_for(&s, s.writer, 3000, 13000, s.slow, 2, FALSE);
    wait_for(&s, s.next, 8000, 14000, s.writer, 1, FALSE);
    g_autoptr(PmRecording) r = scene_end(&s);
    g_assert_cmpint(charged(r, s.writer, 3000, s.quick), >, 500000);
    g_assert_cmpint(charged(r, s.writer, 3000, s.quick), <, 2500001);
    g_assert_cmpint(charged(r, s.next, 8000, s.quick), <, 50000);
    g_assert_cmpint(charged(r, s.next, 8000, s.slow), >, 4900000);
}

/* The writer gives up; the quick reader came to wait meanwhile, where one reader held the lock: it
 * was the other one, who is not the one that gives it back last. */
static void who_waits_does_not_hold_it(void)
{
    for (guint i = 0; i < 2; i++) {
        Scene s = scene_begin(i == 0 ? "RW" : "Stamped");
        s.gives_up = s.writer;
        wait_for(&s, s.slow, 1000, 2000, s.next, 0, TRUE);
        wait_for(&s, s.writer, 10000, 20000, 0, 1, FALSE);
        wait_for(&s, s.quick, 12000, 20010, s.writer, 1, FALSE);
        wait_for(&s, s.next, 21000, 22000, s.quick, 1, FALSE);
        g_autoptr(PmRecording) r = scene_end(&s);
        g_assert_cmpint(charged(r, s.writer, 10000, s.slow), >, 9000000);
        g_assert_cmpint(charged(r, s.quick, 12000, s.slow), >, 7500000);
    }
}

/* The first writer gives up, while the next one waits: just then the quick reader may have come in,
 * which gives it back last. So that one need not have had it all the time: the slow one had. */
static void who_gives_up_lets_readers_in(void)
{
    Scene s = scene_begin("RW");
    for (guint i = 0; i < 5; i++) { /* the quick one keeps it for 0.1 ms, the slow one for 15 */
        wait_for(&s, s.quick, 1000 + 20000 * i, 1900 + 20000 * i, s.next, 0, TRUE);
        wait_for(&s, s.slow, 1000 + 20000 * i, 1901 + 20000 * i, s.quick, 0, TRUE);
        wait_for(&s, s.writer, 1500 + 20000 * i, 2000 + 20000 * i, s.quick, 1, FALSE);
        wait_for(&s, s.slow, 2500 + 20000 * i, 3000 + 20000 * i, s.writer, 0, TRUE);
        wait_for(&s, s.next, 2600 + 20000 * i, 18000 + 20000 * i, s.slow, 0, TRUE);
    }
    wait_for(&s, s.slow, 100000, 101000, s.next, 0, TRUE);
    wait_for(&s, s.writer, 102000, 111000, 0, 1, FALSE);
    wait_for(&s, s.next, 103000, 112000, s.quick, 1, FALSE);
    g_autoptr(PmRecording) r = scene_end(&s);
    g_assert_cmpint(charged(r, s.writer, 102000, s.slow), >, 7 * MS);
}

/* A writer waits for two readers, and behind it more of them than are followed at a time, each of
 * which has had the lock before: they do not hold it. */
static void check_readers_behind_a_writer(guint n_holders)
{
    Scene s = scene_begin("RW");
    guint32 more[6];
    wait_for(&s, s.next, 100, 900, s.quick, 1, FALSE);
    for (guint i = 0; i < G_N_ELEMENTS(more); i++) {
        more[i] = pm_made_thread(&s.made, "more-%u", i);
        wait_for(&s, more[i], 200 + i, 1000 + i, i ? more[i - 1] : s.next, 1, FALSE);
    }
    wait_for(&s, s.writer, 10000, 60000, s.slow, n_holders, FALSE);
    for (guint i = 0; i < G_N_ELEMENTS(more); i++)
        wait_for(&s, more[i], 12000 + 10 * i, 60100 + i, s.writer, n_holders, FALSE);
    g_autoptr(PmRecording) r = scene_end(&s);
    for (guint i = 0; i < G_N_ELEMENTS(more); i++) {
        const gint64 slow = charged(r, more[i], 12000 + 10 * i, s.slow);
        g_assert_cmpint(slow, >, 20 * MS);
        g_assert_cmpint(slow + charged(r, more[i], 12000 + 10 * i, s.quick), >, 47 * MS);
    }
}

/* Nor if more hold it than are known. */
static void readers_behind_a_writer_do_not_hold_it(void)
{
    check_readers_behind_a_writer(2);
    check_readers_behind_a_writer(4);
}

/* Whatever the states and the causes say. */
static void parts_add_up(void)
{
    for (guint32 seed = 1; seed <= 40; seed++) {
        GRand *chance = g_rand_new_with_seed(seed);
        Scene s = scene_begin(seed % 2 ? "RW" : "Stamped");
        const guint32 threads[] = {s.slow, s.quick, s.writer, s.next};
        gint64 at[4] = {0};
        for (guint i = 0; i < 400; i++) {
            const gint32 k = g_rand_int_range(chance, 0, 4);
            const gint64 begin = at[k] + g_rand_int_range(chance, 0, 3000);
            at[k] = begin + g_rand_int_range(chance, 1, 4000);
            wait_for(&s, threads[k], begin, at[k],
                     g_rand_int_range(chance, 0, 4) ? threads[g_rand_int_range(chance, 0, 4)] : 0,
                     (guint)g_rand_int_range(chance, 0, 5), g_rand_boolean(chance));
        }
        g_rand_free(chance);
        g_autoptr(PmRecording) r = scene_end(&s);
        pm_check_parts_add_up(r, G_MININT64, G_MAXINT64, pm_contention_split_here);
        pm_check_parts_add_up(r, 20 * MS, 77 * MS, pm_contention_split_here);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/analysis/readers/quicker-ones-have-their-share",
                    quicker_readers_have_their_share);
    g_test_add_func("/analysis/readers/who-waits-does-not-hold-it", who_waits_does_not_hold_it);
    g_test_add_func("/analysis/readers/who-gives-up-lets-readers-in", who_gives_up_lets_readers_in);
    g_test_add_func("/analysis/readers/readers-behind-a-writer-do-not-hold-it",
                    readers_behind_a_writer_do_not_hold_it);
    g_test_add_func("/analysis/readers/parts-add-up", parts_add_up);
    return g_test_run();
}
