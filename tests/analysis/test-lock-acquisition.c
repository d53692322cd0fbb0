#include "viewer/analysis/locks/lock-acquisition.h"

#include "tests/analysis/made.h"

#define RW    "java.util.concurrent.locks.ReentrantReadWriteLock"
#define ROUND 10000

/* A lock of readers and writers, and who asks for it. */
typedef struct {
    PmMade made;
    guint32 lock, reader_chain;
    guint32 writer, next, late, readers[3];
} Scene;

static Scene scene_new(guint n_rounds)
{
    Scene s = {.made = pm_made_begin()};
    PmAssembly *a = s.made.assembly;
    a->duration = n_rounds * ROUND;
    PmFrame frame = {pm_made_method(a, RW "$ReadLock", "lock", "ReentrantReadWriteLock.java"), 738};
    s.reader_chain = pm_assembly_add_chain(a, &frame, 1, FALSE);
    s.lock =
        pm_made_blocker(&s.made, pm_assembly_add_class(a, RW "$NonfairSync"), 1, s.made.lock_chain);
    s.writer = pm_made_thread(&s.made, "writer");
    s.next = pm_made_thread(&s.made, "next");
    s.late = pm_made_thread(&s.made, "late");
    for (guint i = 0; i < 3; i++)
        s.readers[i] = pm_made_thread(&s.made, "reader");
    return s;
}

/* A wait for the lock. A waker that is a reader is the last one. */
static void wait_for(Scene *s, guint32 thread, gint64 begin, gint64 end, guint32 waker, gint64 wake,
                     gint32 state)
{
    gboolean reads = thread >= s->readers[0], reader_wakes = waker >= s->readers[0];
    PM_MADE_WAIT(s->made.assembly, begin, end, thread, s->lock,
                 reads ? s->reader_chain : s->made.lock_chain, .wake = wake, .waker = waker,
                 .waker_chain = reader_wakes ? s->reader_chain : s->made.lock_chain,
                 .wake_cause = reads && reader_wakes ? PM_WAKE_PROPAGATION : PM_WAKE_RELEASE,
                 .aqs_state = state);
}

/* Three readers get the lock from a writer at 100, one waking the other; the last of them gives it
 * back at 1100, to another writer, who waited all the while. At 600, when a third writer comes to
 * wait, so many readers are left. */
static void add_round(Scene *s, guint nth, gint32 left)
{
    gint64 at = nth * ROUND;
    wait_for(s, s->readers[0], at + 10, at + 101, s->writer, at + 100, 1);
    wait_for(s, s->readers[1], at + 11, at + 102, s->readers[0], at + 101, 1);
    wait_for(s, s->readers[2], at + 12, at + 103, s->readers[1], at + 102, 1);
    wait_for(s, s->next, at + 13, at + 1101, s->readers[2], at + 1100, 1);
    wait_for(s, s->late, at + 600, at + 1201, s->next, at + 1200, left << 16);
}

static GArray *read_acquisitions(Scene *s, PmLockAcquisitionSide sides[2],
                                 PmRecording **ret_recording)
{
    PmRecording *r = pm_assembly_finish(s->made.assembly);
    const PmWaits *w = &r->waits;
    GArray *acquisitions = g_array_new(FALSE, FALSE, sizeof(PmLockAcquisition));
    g_autofree guint32 *rows = g_new(guint32, w->n);
    guint n = 0;
    g_assert_true(pm_lock_acquisition_is_shared_lock(r, s->lock));
    for (guint32 thread = 0; thread < r->n_threads; thread++)
        for (guint32 i = 0; i < w->n; i++)
            if (pm_wait_thread(w, i) == thread)
                rows[n++] = i;
    pm_lock_acquisition_read(r, rows, n, 0, r->duration, 5, 7, acquisitions, sides);
    *ret_recording = r;
    return acquisitions;
}

static const PmLockAcquisition *acquisition_of(const GArray *acquisitions, guint32 thread,
                                               gint64 got)
{
    for (guint i = 0; i < acquisitions->len; i++) {
        const PmLockAcquisition *acquisition = &g_array_index(acquisitions, PmLockAcquisition, i);
        if (acquisition->thread == thread && acquisition->got == got)
            return acquisition;
    }
    g_error("no acquisition of thread %u got at %" G_GINT64_FORMAT, thread, got);
}

/* The last reader's hold is seen; the others' last as long as the lock's count says. */
static void readers_are_counted(void)
{
    static const struct {
        gint32 left;
        gint64 others; /* of the 999 and 998 ns that they can have had it at most */
    } cases[] = {{3, 997}, {2, 499}, {1, 0}};
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        Scene s = scene_new(12);
        for (guint k = 0; k < 12; k++)
            add_round(&s, k, cases[i].left);
        PmLockAcquisitionSide sides[2];
        g_autoptr(PmRecording) r = NULL;
        g_autoptr(GArray) acquisitions = read_acquisitions(&s, sides, &r);
        const PmLockAcquisition *last = acquisition_of(acquisitions, s.readers[2], 5 * ROUND + 103);
        const PmLockAcquisition *other =
            acquisition_of(acquisitions, s.readers[0], 5 * ROUND + 101);
        g_assert_true(last->shared && last->release_seen && other->shared);
        g_assert_false(other->release_seen);
        g_assert_cmpint(last->asked, ==, 5 * ROUND + 12);
        g_assert_cmpint(last->released, ==, 5 * ROUND + 1100);
        g_assert_cmpint(ABS(other->released - other->got - cases[i].others), <=, 1);
        g_assert_cmpuint(sides[1].n, ==, 12);
        g_assert_cmpfloat(sides[1].hold, ==, 997);
        g_assert_false(acquisition_of(acquisitions, s.next, 5 * ROUND + 1101)->shared);
    }
}

/* Somebody waits from 5000 on for the lock that a writer got at 1201: it has given it back and
 * taken it again since. */
static void a_long_hold_that_nobody_watched_is_two(void)
{
    Scene s = scene_new(13);
    for (guint k = 0; k < 12; k++)
        add_round(&s, k, 3);
    wait_for(&s, s.next, 11 * ROUND + 5000, 11 * ROUND + 5101, s.late, 11 * ROUND + 5100, 1);
    PmLockAcquisitionSide sides[2];
    g_autoptr(PmRecording) r = NULL;
    g_autoptr(GArray) acquisitions = read_acquisitions(&s, sides, &r);
    guint n = 0;
    for (guint i = 0; i < acquisitions->len; i++) {
        const PmLockAcquisition *acquisition = &g_array_index(acquisitions, PmLockAcquisition, i);
        if (acquisition->thread != s.late || acquisition->got < 11 * ROUND)
            continue;
        n++;
        g_assert_cmpint(acquisition->released - acquisition->got, <=, 200);
        if (acquisition->got > 11 * ROUND + 1201)
            g_assert_cmpint(acquisition->released, ==, 11 * ROUND + 5100);
    }
    g_assert_cmpuint(n, ==, 2);
}

/* A reader that had not waited gives it back while a writer waits: that is one acquisition less of
 * those that left no trace. */
static void what_was_seen_is_not_unseen(void)
{
    guint unseen[2];
    for (guint seen = 0; seen < 2; seen++) {
        Scene s = scene_new(12);
        for (guint k = 0; k < 12; k++) {
            gint64 at = k * ROUND;
            add_round(&s, k, 3);
            wait_for(&s, s.next, at + 6000, at + 6011, seen ? s.readers[0] : 0, at + 6010, 1 << 16);
        }
        PmLockAcquisitionSide sides[2];
        g_autoptr(PmRecording) r = NULL;
        g_autoptr(GArray) acquisitions = read_acquisitions(&s, sides, &r);
        unseen[seen] = sides[1].n_unseen;
    }
    g_assert_cmpuint(unseen[0], >=, 12);
    g_assert_cmpuint(unseen[1], ==, unseen[0] - 12);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/analysis/acquisition/readers-are-counted", readers_are_counted);
    g_test_add_func("/analysis/acquisition/a-long-hold-that-nobody-watched-is-two",
                    a_long_hold_that_nobody_watched_is_two);
    g_test_add_func("/analysis/acquisition/what-was-seen-is-not-unseen",
                    what_was_seen_is_not_unseen);
    return g_test_run();
}
