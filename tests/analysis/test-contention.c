#include "viewer/analysis/causes/contention.h"

#include <malloc.h>
#include <stdio.h>

#include "viewer/analysis/locks/timeline.h"

#include "tests/analysis/parts.h"

#define MS 1000000

/* A lock with an owner A, waiters B and C and a second thread D, and the chains of their unlocks.
 */
typedef struct {
    PmMade made;
    guint32 a, b, c, d, lock, gate;
    guint32 release; /* the chain of an unlock */
} Scene;

static Scene scene_begin(void)
{
    Scene s = {.made = pm_made_begin()};
    s.a = pm_made_thread(&s.made, "a");
    s.b = pm_made_thread(&s.made, "b");
    s.c = pm_made_thread(&s.made, "c");
    s.d = pm_made_thread(&s.made, "d");
    s.lock = pm_made_blocker(&s.made, s.made.lock_class, 0x10c4, s.made.lock_chain);
    s.gate = pm_made_blocker(&s.made, s.made.queue_class, 0x9a7e, s.made.other_chain);
    s.release = s.made.other_chain;
    return s;
}

static void scene_wait(Scene *s, guint32 thread, gint64 begin, gint64 end, guint32 owner,
                       guint32 waker, gint64 wake, guint8 cause)
{
    PM_MADE_WAIT(s->made.assembly, begin, end, thread, s->lock, s->made.lock_chain, .wake = wake,
                 .owner = owner, .waker = waker, .waker_chain = waker ? s->release : 0,
                 .wake_cause = cause);
}

static PmRecording *scene_end(Scene *s)
{
    s->made.assembly->duration = 1000 * MS;
    return pm_assembly_finish(s->made.assembly);
}

static GArray *split(const PmRecording *r, guint32 row)
{
    return pm_parts_of(r, row, pm_contention_split_here);
}

static void test_one_owner(void)
{
    Scene s = scene_begin();
    scene_wait(&s, s.b, 10 * MS, 30 * MS, s.a, s.a, 29 * MS, PM_WAKE_RELEASE);
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(GArray) parts = split(r, 0);
    g_assert_cmpuint(parts->len, ==, 2);
    check_part(parts, 0, 10 * MS, 29 * MS, PM_CAUSE_OWNER, s.a);
    check_part(parts, 1, 29 * MS, 30 * MS, PM_CAUSE_HAND_OVER, 0);
    const PmPart *held = &g_array_index(parts, PmPart, 0);
    g_assert_false(held->inferred);
    g_assert_cmpuint(held->chain, ==, s.release);
}

static void test_successive_owners(void)
{
    Scene s = scene_begin();
    scene_wait(&s, s.b, 10 * MS, 21 * MS, s.a, s.a, 20 * MS, PM_WAKE_RELEASE);
    scene_wait(&s, s.c, 12 * MS, 41 * MS, s.a, s.b, 40 * MS, PM_WAKE_RELEASE);
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(GArray) parts = split(r, pm_row_of(r, s.c, 12 * MS));
    g_assert_cmpuint(parts->len, ==, 4);
    check_part(parts, 0, 12 * MS, 20 * MS, PM_CAUSE_OWNER, s.a);
    check_part(parts, 1, 20 * MS, 21 * MS, PM_CAUSE_HAND_OVER, 0);
    check_part(parts, 2, 21 * MS, 40 * MS, PM_CAUSE_OWNER, s.b);
    check_part(parts, 3, 40 * MS, 41 * MS, PM_CAUSE_HAND_OVER, 0);
    for (guint i = 0; i < parts->len; i++)
        g_assert_false(g_array_index(parts, PmPart, i).inferred);
}

/* B is woken, D takes the lock first, B parks again: D is blamed, B never held the lock. */
static void test_barging(void)
{
    const gint64 again = 20 * MS + 51000;
    Scene s = scene_begin();
    scene_wait(&s, s.b, 10 * MS, 20 * MS + 50000, s.a, s.a, 20 * MS, PM_WAKE_RELEASE);
    scene_wait(&s, s.b, again, 31 * MS, s.d, s.d, 30 * MS, PM_WAKE_RELEASE);
    scene_wait(&s, s.c, 12 * MS, 45 * MS, s.a, s.b, 44 * MS, PM_WAKE_RELEASE);
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(GArray) second = split(r, pm_row_of(r, s.b, again));
    check_part(second, 0, again, 30 * MS, PM_CAUSE_OWNER, s.d);
    g_autoptr(GArray) parts = split(r, pm_row_of(r, s.c, 12 * MS));
    check_part(parts, 0, 12 * MS, 20 * MS, PM_CAUSE_OWNER, s.a);
    check_part(parts, 1, 20 * MS, again, PM_CAUSE_HAND_OVER, 0);
    check_part(parts, 2, again, 30 * MS, PM_CAUSE_OWNER, s.d);
    check_part(parts, 3, 30 * MS, 31 * MS, PM_CAUSE_HAND_OVER, 0);
    check_part(parts, 4, 31 * MS, 44 * MS, PM_CAUSE_OWNER, s.b);
}

/* The same, but B resumes late: it is held up by D rather than by the handoff. */
static void test_late_barging(void)
{
    Scene s = scene_begin();
    scene_wait(&s, s.b, 10 * MS, 25 * MS, s.a, s.a, 20 * MS, PM_WAKE_RELEASE);
    scene_wait(&s, s.b, 25 * MS + 1000, 31 * MS, s.d, s.d, 30 * MS, PM_WAKE_RELEASE);
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(GArray) parts = split(r, pm_row_of(r, s.b, 10 * MS));
    g_assert_cmpuint(parts->len, ==, 2);
    check_part(parts, 0, 10 * MS, 20 * MS, PM_CAUSE_OWNER, s.a);
    check_part(parts, 1, 20 * MS, 25 * MS, PM_CAUSE_OWNER, s.d);
    g_assert_true(g_array_index(parts, PmPart, 1).inferred);
}

/* B gives up in the middle of the queue and wakes C on its way out: nobody but A is blamed. */
static void test_cancelled_waiter(void)
{
    Scene s = scene_begin();
    scene_wait(&s, s.b, 10 * MS, 15 * MS, s.a, 0, 0, PM_WAKE_TIME_OUT);
    scene_wait(&s, s.c, 12 * MS, 16 * MS, s.a, s.b, 15 * MS, PM_WAKE_CANCELLATION);
    scene_wait(&s, s.c, 16 * MS + 1000, 41 * MS, s.a, s.a, 40 * MS, PM_WAKE_RELEASE);
    g_autoptr(PmRecording) r = scene_end(&s);
    gint64 begins[] = {12 * MS, 16 * MS + 1000};
    for (guint i = 0; i < 2; i++) {
        g_autoptr(GArray) parts = split(r, pm_row_of(r, s.c, begins[i]));
        for (guint k = 0; k < parts->len; k++) {
            const PmPart *part = &g_array_index(parts, PmPart, k);
            g_assert_cmpuint(part->thread, !=, s.b);
            if (part->kind == PM_CAUSE_OWNER)
                g_assert_cmpuint(part->thread, ==, s.a);
        }
    }
    g_autoptr(GArray) timed = split(r, pm_row_of(r, s.b, 10 * MS));
    check_part(timed, 0, 10 * MS, 15 * MS, PM_CAUSE_OWNER, s.a);
}

/* B's timeout passes as A's release wakes it. It gives up and wakes C, tries again later, and has
 * it only then; meanwhile D may have been in between. */
static void test_woken_too_late(void)
{
    Scene s = scene_begin();
    PmWaitRow row = {.begin = 10 * MS,
                     .end = 20 * MS,
                     .wake = 19 * MS,
                     .thread = s.b,
                     .blocker = s.lock,
                     .chain = s.made.lock_chain,
                     .owner = s.a,
                     .waker = s.a,
                     .waker_chain = s.release,
                     .wake_cause = PM_WAKE_RELEASE,
                     .flags = PM_WAIT_TIMED | PM_WAIT_AMBIGUOUS};
    pm_assembly_add_wait(s.made.assembly, &row);
    scene_wait(&s, s.d, 12 * MS, 50 * MS, s.a, s.b, 40 * MS, PM_WAKE_RELEASE);
    g_autoptr(PmRecording) unknown = scene_end(&s);
    g_autoptr(GArray) late = split(unknown, pm_row_of(unknown, s.d, 12 * MS));
    g_assert_true(check_part(late, 2, 20 * MS, 40 * MS, PM_CAUSE_OWNER, s.b)->inferred);

    Scene seen = scene_begin();
    row.flags = PM_WAIT_TIMED;
    pm_assembly_add_wait(seen.made.assembly, &row);
    scene_wait(&seen, seen.c, 12 * MS, 31 * MS, seen.a, seen.b, 30 * MS, PM_WAKE_CANCELLATION);
    scene_wait(&seen, seen.c, 31 * MS + 5000, 50 * MS, seen.b, seen.b, 40 * MS, PM_WAKE_RELEASE);
    g_autoptr(PmRecording) r = scene_end(&seen);
    g_autoptr(GArray) parts = split(r, pm_row_of(r, seen.c, 12 * MS));
    for (guint i = 0; i < parts->len; i++)
        g_assert_true(g_array_index(parts, PmPart, i).thread != seen.b ||
                      g_array_index(parts, PmPart, i).inferred);
    g_autoptr(GArray) then = split(r, pm_row_of(r, seen.c, 31 * MS + 5000));
    check_part(then, 0, 31 * MS + 5000, 40 * MS, PM_CAUSE_OWNER, seen.b);
}

/* As where B gave up, but C takes its time to park again: it did not own the lock meanwhile. */
static void test_cancelled_and_slow(void)
{
    Scene s = scene_begin();
    scene_wait(&s, s.d, 11 * MS, 50 * MS, s.a, s.c, 49 * MS, PM_WAKE_RELEASE);
    scene_wait(&s, s.c, 12 * MS, 16 * MS, s.a, s.b, 15 * MS, PM_WAKE_CANCELLATION);
    scene_wait(&s, s.c, 17 * MS, 41 * MS, s.a, s.a, 40 * MS, PM_WAKE_RELEASE);
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(GArray) parts = split(r, pm_row_of(r, s.d, 11 * MS));
    check_part(parts, 0, 11 * MS, 40 * MS, PM_CAUSE_OWNER, s.a);
    g_assert_false(g_array_index(parts, PmPart, 0).inferred);
}

static void test_pauses_are_cut_out(void)
{
    Scene s = scene_begin();
    scene_wait(&s, s.b, 10 * MS, 30 * MS, s.a, s.a, 29 * MS, PM_WAKE_RELEASE);
    PmInterval pauses[] = {{5 * MS, 12 * MS}, {20 * MS, 25 * MS}};
    g_array_append_vals(s.made.assembly->gc, pauses, 2);
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(GArray) parts = split(r, 0);
    g_assert_cmpuint(parts->len, ==, 5);
    check_part(parts, 0, 10 * MS, 12 * MS, PM_CAUSE_GC_PAUSE, 0);
    check_part(parts, 1, 12 * MS, 20 * MS, PM_CAUSE_OWNER, s.a);
    check_part(parts, 2, 20 * MS, 25 * MS, PM_CAUSE_GC_PAUSE, 0);
    check_part(parts, 3, 25 * MS, 29 * MS, PM_CAUSE_OWNER, s.a);
    check_part(parts, 4, 29 * MS, 30 * MS, PM_CAUSE_HAND_OVER, 0);
}

static void test_without_owner(void)
{
    Scene s = scene_begin();
    PmWaitRow woken = {.begin = 10 * MS,
                       .end = 20 * MS,
                       .wake = 19 * MS,
                       .thread = s.b,
                       .blocker = s.gate,
                       .chain = s.made.other_chain,
                       .waker = s.d,
                       .waker_chain = s.release,
                       .wake_cause = PM_WAKE_COMPLETION};
    PmWaitRow open = {.begin = 30 * MS,
                      .end = 1000 * MS,
                      .thread = s.b,
                      .blocker = s.gate,
                      .chain = s.made.other_chain,
                      .flags = PM_WAIT_IN_PROGRESS};
    pm_assembly_add_wait(s.made.assembly, &woken);
    pm_assembly_add_wait(s.made.assembly, &open);
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(GArray) first = split(r, 0);
    check_part(first, 0, 10 * MS, 19 * MS, PM_CAUSE_WAKER, s.d);
    check_part(first, 1, 19 * MS, 20 * MS, PM_CAUSE_HAND_OVER, 0);
    g_autoptr(GArray) second = split(r, 1);
    check_part(second, 0, 30 * MS, 1000 * MS, PM_CAUSE_STILL_WAITING, 0);
}

/* B waits for the lock's condition; `waker` releases the lock to it. */
static void scene_await(Scene *s, guint32 condition, gint64 begin, gint64 end, guint32 waker,
                        gint64 wake)
{
    PM_MADE_WAIT(s->made.assembly, begin, end, s->b, condition, s->made.other_chain, .wake = wake,
                 .waker = waker, .waker_chain = s->release, .wake_cause = PM_WAKE_RELEASE);
}

static guint32 scene_condition(Scene *s)
{
    PmBlocker gate = {.class_index = s->made.queue_class,
                      .hash = 0xc0de,
                      .parent = s->lock,
                      .first_chain = s->made.other_chain};
    return pm_assembly_add_blocker(s->made.assembly, &gate);
}

/* D had queued for the lock behind A; then one of the two signalled B, who now stood behind D. It
 * was who unlocks where B was signalled before. */
static GArray *split_behind_queue(Scene *s, guint32 known, PmRecording **ret_recording)
{
    guint32 condition = scene_condition(s), its = s->made.other_chain, others = s->made.lock_chain;
    /* What waits of one kind are does not hide what those of another are. */
    PM_MADE_WAIT(s->made.assembly, 0, 1000, s->c, s->gate, its, .waker = s->a, .wake = 500,
                 .kind = PM_KIND_WAIT, .wake_cause = PM_WAKE_NOTIFY);
    s->release = its;
    scene_await(s, condition, 1 * MS, 9 * MS, known, 8 * MS);
    s->release = known == s->d ? its : others;
    scene_await(s, condition, 10 * MS, 91 * MS, s->d, 90 * MS);
    s->release = known == s->d ? others : its;
    scene_wait(s, s->d, 50 * MS, 71 * MS, s->a, s->a, 70 * MS, PM_WAKE_RELEASE);
    /* C waits through it all, and must not lose B, who owns the lock after its wait. */
    scene_wait(s, s->c, 80 * MS, 121 * MS, s->d, s->b, 120 * MS, PM_WAKE_RELEASE);
    *ret_recording = scene_end(s);
    return split(*ret_recording, pm_row_of(*ret_recording, s->b, 10 * MS));
}

static void test_condition_is_cut_at_the_last_hold(void)
{
    Scene s = scene_begin();
    g_autoptr(PmRecording) r = NULL;
    g_autoptr(GArray) parts = split_behind_queue(&s, s.d, &r);
    check_part(parts, 0, 10 * MS, 71 * MS, PM_CAUSE_WAKER, s.d);
    check_part(parts, 1, 71 * MS, 90 * MS, PM_CAUSE_OWNER, s.d);
    check_part(parts, 2, 90 * MS, 91 * MS, PM_CAUSE_HAND_OVER, 0);
    g_assert_true(g_array_index(parts, PmPart, 0).inferred);
    g_assert_true(g_array_index(parts, PmPart, 1).inferred);
    g_autoptr(GArray) behind = split(r, pm_row_of(r, s.c, 80 * MS));
    check_part(behind, 0, 80 * MS, 90 * MS, PM_CAUSE_OWNER, s.d);
    check_part(behind, 1, 90 * MS, 91 * MS, PM_CAUSE_HAND_OVER, 0);
    check_part(behind, 2, 91 * MS, 120 * MS, PM_CAUSE_OWNER, s.b);
}

/* Nobody keeps a queue's own lock: who put an element in did something else before. */
static void test_queue_waits_for_its_signal_alone(void)
{
    Scene s = scene_begin();
    g_autoptr(PmRecording) r = NULL;
    s.made.other_chain =
        pm_made_chain(s.made.assembly, "java.util.concurrent.ArrayBlockingQueue.put",
                      "com.acme.Report.render", NULL);
    g_autoptr(GArray) parts = split_behind_queue(&s, s.d, &r);
    check_part(parts, 0, 10 * MS, 90 * MS, PM_CAUSE_WAKER, s.d);
    check_part(parts, 1, 90 * MS, 91 * MS, PM_CAUSE_HAND_OVER, 0);
}

/* Since when D had the lock is not known: not since B left it. */
static void test_release_alone_tells_no_hold(void)
{
    Scene s = scene_begin();
    guint32 condition = scene_condition(&s);
    scene_wait(&s, s.b, 1 * MS, 3 * MS, s.a, s.a, 2 * MS, PM_WAKE_RELEASE);
    scene_await(&s, condition, 10 * MS, 91 * MS, s.d, 90 * MS);
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(GArray) parts = split(r, pm_row_of(r, s.b, 10 * MS));
    check_part(parts, 0, 10 * MS, 90 * MS, PM_CAUSE_WAKER, s.d);
    check_part(parts, 1, 90 * MS, 91 * MS, PM_CAUSE_HAND_OVER, 0);
}

static void test_passer_did_not_signal(void)
{
    Scene s = scene_begin();
    g_autoptr(PmRecording) r = NULL;
    g_autoptr(GArray) parts = split_behind_queue(&s, s.a, &r);
    check_part(parts, 0, 10 * MS, 50 * MS, PM_CAUSE_WAKER, s.a);
    check_part(parts, 1, 50 * MS, 70 * MS, PM_CAUSE_OWNER, s.a);
    check_part(parts, 2, 70 * MS, 71 * MS, PM_CAUSE_HAND_OVER, 0);
    check_part(parts, 3, 71 * MS, 90 * MS, PM_CAUSE_OWNER, s.d);
    check_part(parts, 4, 90 * MS, 91 * MS, PM_CAUSE_HAND_OVER, 0);
    g_assert_true(g_array_index(parts, PmPart, 0).inferred);
}

/* D signals both C and B, in a hold of which the begin was not seen; C goes first and then lets B
 * go. Where C releases the lock in another call than it had waited in, it had done so before,
 * unseen, and was back: it signalled B, if it is as likely to as D. Since when it was is not known;
 * and as the next step of the call in which it had waited it may have kept the lock. */
static void test_who_was_signalled_too_did_not_signal(void)
{
    enum { ON_ITS_WAY, BACK, NEXT_STEP };
    for (guint how = ON_ITS_WAY; how <= NEXT_STEP; how++) {
        Scene s = scene_begin();
        PmAssembly *a = s.made.assembly;
        if (how != ON_ITS_WAY)
            s.made.other_chain = pm_made_chain(
                a, "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject.await",
                "com.acme.Pool.awaitOne", how == BACK ? "com.acme.Main.run" : "com.acme.Pool.take",
                NULL);
        if (how != ON_ITS_WAY)
            s.release = pm_made_chain(
                a, "java.util.concurrent.locks.ReentrantLock.unlock", "com.acme.Pool.giveBack",
                how == BACK ? "com.acme.Main.run" : "com.acme.Pool.take", NULL);
        const guint32 condition = scene_condition(&s), b = s.b;
        scene_wait(&s, s.b, 1 * MS, 3 * MS, s.a, s.a, 2 * MS, PM_WAKE_RELEASE);
        s.b = s.c;
        scene_await(&s, condition, 13 * MS, 51 * MS, s.d, 50 * MS);
        s.b = b;
        scene_await(&s, condition, 11 * MS, 60 * MS, s.c, 59 * MS);
        g_autoptr(PmRecording) r = scene_end(&s);
        g_autoptr(GArray) parts = split(r, pm_row_of(r, s.b, 11 * MS));
        check_part(parts, 0, 11 * MS, 59 * MS, PM_CAUSE_WAKER, how == BACK ? s.c : s.d);
    }
}

/* Time and again D has queued for the lock behind A, and which of them signals B cannot be told:
 * both are charged, A with more, as it comes first. */
static void test_who_signals_alike_is_charged_by_likelihood(void)
{
    enum { ROUNDS = 12 };
    Scene s = scene_begin();
    const guint32 condition = scene_condition(&s);
    for (gint64 i = 0; i < ROUNDS; i++) {
        const gint64 at = 100 * i * MS;
        scene_wait(&s, s.d, at + 5 * MS, at + 21 * MS, s.a, s.a, at + 20 * MS, PM_WAKE_RELEASE);
        scene_await(&s, condition, at + 1 * MS, at + 31 * MS, s.d, at + 30 * MS);
    }
    g_autoptr(PmRecording) r = scene_end(&s);
    guint a = 0, d = 0;
    for (gint64 i = 0; i < ROUNDS; i++) {
        g_autoptr(GArray) parts = split(r, pm_row_of(r, s.b, (100 * i + 1) * MS));
        a += g_array_index(parts, PmPart, 0).thread == s.a;
        d += g_array_index(parts, PmPart, 0).thread == s.d;
        g_assert_true(g_array_index(parts, PmPart, 0).inferred);
    }
    g_assert_cmpuint(a + d, ==, ROUNDS);
    g_assert_cmpuint(d, >, ROUNDS / 6);
    g_assert_cmpuint(a, >, d);
}

/* A signals B and C, and C at least goes on; B waits again at once, until D signals it. B has let C
 * go as it awaited the condition again, or as it left the lock. */
static void test_who_is_signalled_for_others_waits_for_its_own(void)
{
    enum { FOR_C, FOR_NOBODY, FOR_BOTH, N_CASES };
    for (guint i = 0; i < N_CASES; i++) {
        Scene s = scene_begin();
        PmAssembly *a = s.made.assembly;
        const guint32 condition = scene_condition(&s), b = s.b;
        const guint32 awaits =
            pm_made_chain(a, "java.util.concurrent.locks.LockSupport.unpark",
                          "java.util.concurrent.locks.AbstractQueuedSynchronizer.release",
                          "java.util.concurrent.locks.AbstractQueuedSynchronizer$"
                          "ConditionObject.await",
                          "com.acme.Report.render", NULL);
        const gint64 next = 51 * MS + 100000;
        scene_wait(&s, s.b, 1 * MS, 3 * MS, s.a, s.a, 2 * MS, PM_WAKE_RELEASE);
        scene_await(&s, condition, 10 * MS, 51 * MS, s.a, 50 * MS);
        scene_await(&s, condition, next, 91 * MS, s.d, 90 * MS);
        s.b = s.c;
        s.release = i == FOR_BOTH ? s.made.lock_chain : awaits;
        scene_await(&s, condition, 11 * MS, 52 * MS, b, next);
        if (i == FOR_NOBODY)
            scene_await(&s, condition, 52 * MS + 100000, 95 * MS, b, 94 * MS);
        g_autoptr(PmRecording) r = scene_end(&s);
        g_autoptr(GArray) parts = split(r, pm_row_of(r, b, 10 * MS));
        check_part(parts, 0, 10 * MS, 50 * MS, PM_CAUSE_WAKER, i == FOR_C ? s.d : s.a);
        check_part(parts, 1, 50 * MS, 51 * MS, PM_CAUSE_HAND_OVER, 0);
        g_assert_true(g_array_index(parts, PmPart, 0).inferred);
    }
}

/* The same of a monitor, all of whose waiters are notified. */
static void test_who_is_notified_for_others_waits_for_its_own(void)
{
    Scene s = scene_begin();
    const guint32 waiters[] = {s.b, s.c, s.b}, notifiers[] = {s.a, s.a, s.d};
    const gint64 begins[] = {10 * MS, 11 * MS, 51 * MS + 100000},
                 wakes[] = {50 * MS, 50 * MS, 90 * MS};
    for (guint i = 0; i < 3; i++)
        PM_MADE_WAIT(s.made.assembly, begins[i], wakes[i] + MS, waiters[i], s.lock,
                     s.made.other_chain, .wake = wakes[i], .waker = notifiers[i],
                     .waker_chain = s.release, .kind = PM_KIND_WAIT, .wake_cause = PM_WAKE_NOTIFY);
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(GArray) parts = split(r, pm_row_of(r, s.b, 10 * MS));
    check_part(parts, 0, 10 * MS, 50 * MS, PM_CAUSE_WAKER, s.d);
    g_assert_true(g_array_index(parts, PmPart, 0).inferred);
    g_autoptr(GArray) had = split(r, pm_row_of(r, s.c, 11 * MS));
    check_part(had, 0, 11 * MS, 50 * MS, PM_CAUSE_WAKER, s.a);
}

/* D notifies B and keeps the monitor; then C, who has waited to enter, gets it before B. */
static void test_notifier_keeps_the_monitor(void)
{
    Scene s = scene_begin();
    PmWaitRow notified = {.begin = 10 * MS,
                          .end = 60 * MS,
                          .wake = 30 * MS,
                          .thread = s.b,
                          .blocker = s.lock,
                          .chain = s.made.other_chain,
                          .waker = s.d,
                          .waker_chain = s.release,
                          .kind = PM_KIND_WAIT,
                          .wake_cause = PM_WAKE_NOTIFY};
    PmWaitRow entered = {.begin = 20 * MS,
                         .end = 50 * MS,
                         .thread = s.c,
                         .blocker = s.lock,
                         .chain = s.made.lock_chain,
                         .owner = s.d,
                         .kind = PM_KIND_ENTER,
                         .wake_cause = PM_WAKE_RELEASE};
    pm_assembly_add_wait(s.made.assembly, &notified);
    pm_assembly_add_wait(s.made.assembly, &entered);
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(GArray) parts = split(r, pm_row_of(r, s.b, 10 * MS));
    g_assert_cmpuint(parts->len, ==, 3);
    check_part(parts, 0, 10 * MS, 30 * MS, PM_CAUSE_WAKER, s.d);
    check_part(parts, 1, 30 * MS, 50 * MS, PM_CAUSE_OWNER, s.d);
    check_part(parts, 2, 50 * MS, 60 * MS, PM_CAUSE_OWNER, s.c);
}

/* B enters a monitor that A has whenever anybody looks, and C enters it much later: B left it at
 * once. `seen`: B was once looked at as its owner, and may have kept it. */
static void test_keeper_is_back_at_once(void)
{
    for (guint n = 7; n <= 9; n++) {
        const gboolean seen = n == 9;
        Scene s = scene_begin();
        PmWaitRow row = {.begin = 10 * MS,
                         .end = 30 * MS,
                         .thread = s.b,
                         .blocker = s.lock,
                         .chain = s.made.lock_chain,
                         .owner = s.a,
                         .kind = PM_KIND_ENTER,
                         .wake_cause = PM_WAKE_RELEASE};
        pm_assembly_add_wait(s.made.assembly, &row);
        row.begin = 20 * MS;
        row.end = 50 * MS;
        row.thread = s.c;
        pm_assembly_add_wait(s.made.assembly, &row);
        for (guint i = 0; i < n; i++) {
            const PmOwnerSample sample = {.at = (gint64)(100 + i) * MS,
                                          .blocker = s.lock,
                                          .owner = seen && i == 0 ? s.b : s.a,
                                          .chain = s.made.other_chain,
                                          .weight = 1,
                                          .role = PM_SAMPLE_OWNER};
            g_array_append_val(s.made.assembly->samples, sample);
        }
        g_autoptr(PmRecording) r = scene_end(&s);
        g_autoptr(GArray) parts = split(r, pm_row_of(r, s.c, 20 * MS));
        if (n == 8) {
            check_part(parts, 0, 20 * MS, 50 * MS, PM_CAUSE_OWNER, s.a);
        } else {
            check_part(parts, 0, 20 * MS, 30 * MS, PM_CAUSE_OWNER, s.a);
            check_part(parts, 1, 30 * MS, 50 * MS, PM_CAUSE_OWNER, s.b);
        }
    }
}

/* B enters a monitor four times, after A, and C after it 85 ms later. `n` of the times B was seen,
 * but not where it had waited: so it was the fourth time, if they are enough. */
static void test_long_hold_is_like_those_seen(void)
{
    for (guint n = 2; n <= 3; n++) {
        Scene s = scene_begin();
        for (gint64 at = 0; at < 400 * MS; at += 100 * MS) {
            PmWaitRow row = {.begin = at,
                             .end = at + 10 * MS,
                             .thread = s.b,
                             .blocker = s.lock,
                             .chain = s.made.lock_chain,
                             .owner = s.a,
                             .kind = PM_KIND_ENTER,
                             .wake_cause = PM_WAKE_RELEASE};
            pm_assembly_add_wait(s.made.assembly, &row);
            row.begin = at + 15 * MS;
            row.end = at + 95 * MS;
            row.thread = s.c;
            row.owner = s.b;
            pm_assembly_add_wait(s.made.assembly, &row);
        }
        for (guint i = 0; i < n; i++) {
            const PmOwnerSample sample = {.at = (gint64)(100 * i + 50) * MS,
                                          .blocker = s.lock,
                                          .owner = s.b,
                                          .chain = s.made.other_chain,
                                          .weight = 1,
                                          .role = PM_SAMPLE_OWNER};
            g_array_append_val(s.made.assembly->samples, sample);
        }
        const guint32 sampled = s.made.other_chain, waited = s.made.lock_chain;
        g_autoptr(PmRecording) r = scene_end(&s);
        g_autoptr(GArray) parts = split(r, pm_row_of(r, s.c, 315 * MS));
        check_part(parts, 0, 315 * MS, 395 * MS, PM_CAUSE_OWNER, s.b);
        g_assert_cmpuint(g_array_index(parts, PmPart, 0).chain, ==, n < 3 ? waited : sampled);
    }
}

/* A was looked at as the owner for V, whose wait was over by then. Who has a lock is asked anew as
 * it is looked at, who owns a monitor is not: that may still be B, for which C waits. */
static void test_late_look_tells_of_no_owner(void)
{
    for (guint monitor = 0; monitor < 2; monitor++) {
        const guint8 kind = monitor ? PM_KIND_ENTER : PM_KIND_PARK;
        Scene s = scene_begin();
        PmAssembly *a = s.made.assembly;
        const guint32 v = pm_made_thread(&s.made, "v");
        PM_MADE_WAIT(a, 20 * MS, 50 * MS, v, s.lock, s.made.lock_chain, .owner = s.a, .kind = kind);
        PM_MADE_WAIT(a, 58 * MS, 90 * MS, s.c, s.lock, s.made.lock_chain, .owner = s.b,
                     .kind = kind);
        pm_made_sample(a, PM_SAMPLE_OWNER, v, s.lock, s.a, s.made.other_chain, 60 * MS);
        g_autoptr(PmRecording) r = scene_end(&s);
        g_autoptr(GArray) parts = split(r, pm_row_of(r, s.c, 58 * MS));
        check_part(parts, 0, 58 * MS, (monitor ? 90 : 60) * MS, PM_CAUSE_OWNER, s.b);
    }
}

static void test_measured_hold(void)
{
    Scene s = scene_begin();
    scene_wait(&s, s.b, 10 * MS, 21 * MS, s.a, s.a, 20 * MS, PM_WAKE_RELEASE);
    scene_wait(&s, s.c, 12 * MS, 41 * MS, s.a, s.b, 40 * MS, PM_WAKE_RELEASE);
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(PmContention) contention = pm_contention_new(r, NULL);
    g_autoptr(GArray) holds = g_array_new(FALSE, FALSE, sizeof(PmHold));
    pm_contention_owned(contention, s.lock, G_MININT64, G_MAXINT64, holds);
    gboolean found = FALSE;
    for (guint i = 0; i < holds->len; i++) {
        const PmHold *hold = &g_array_index(holds, PmHold, i);
        if (hold->exact) {
            g_assert_cmpint(hold->end - hold->begin, ==, 19 * MS);
            g_assert_cmpuint(hold->thread, ==, s.b);
            found = TRUE;
        }
    }
    g_assert_true(found);
}

/* b holds it from 21 to 60 as far as releases tell, but until c came at 30 it may have given it up
 * and taken it again unseen. */
static void test_late_waiter(void)
{
    Scene s = scene_begin();
    scene_wait(&s, s.b, 10 * MS, 21 * MS, s.a, s.a, 20 * MS, PM_WAKE_RELEASE);
    scene_wait(&s, s.c, 30 * MS, 61 * MS, s.b, s.b, 60 * MS, PM_WAKE_RELEASE);
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(PmContention) contention = pm_contention_new(r, NULL);
    g_autoptr(GArray) holds = g_array_new(FALSE, FALSE, sizeof(PmHold));
    pm_contention_owned(contention, s.lock, G_MININT64, G_MAXINT64, holds);
    g_assert_cmpuint(holds->len, ==, 2); /* the first is a's, from when it was seen */
    const PmHold *hold = &g_array_index(holds, PmHold, 1);
    g_assert_cmpuint(hold->thread, ==, s.b);
    g_assert_cmpint(hold->end - hold->begin, ==, 39 * MS);
    g_assert_true(hold->acquired && hold->released);
    g_assert_false(hold->watched || hold->exact);
}

/* So many waits that they are looked at in slices: three threads hold it in turn, each for 10 ms
 * less the handoff, and each waits while the other two hold it. */
static void check_holds_of_many_waits(gsize most_read)
{
    const guint n = 100000;
    const gsize before = pm_row_lists_most_read;
    Scene s = scene_begin();
    const guint32 threads[] = {s.a, s.b, s.c};
    for (guint i = 3; i < n; i++) {
        const gint64 woken = (gint64)i * 10 * MS;
        scene_wait(&s, threads[i % 3], woken - 20 * MS + 2000, woken + 1000, threads[(i + 1) % 3],
                   threads[(i + 2) % 3], woken, PM_WAKE_RELEASE);
    }
    g_autoptr(PmRecording) r = scene_end(&s);
    pm_row_lists_most_read = most_read;
    g_autoptr(PmContention) contention = pm_contention_new(r, NULL);
    pm_row_lists_most_read = before;
    g_autoptr(GArray) holds = g_array_new(FALSE, FALSE, sizeof(PmHold));
    pm_contention_owned(contention, s.lock, G_MININT64, G_MAXINT64, holds);
    guint n_exact = 0;
    for (guint i = 0; i < holds->len; i++) {
        const PmHold *hold = &g_array_index(holds, PmHold, i);
        if (!hold->exact)
            continue;
        const gint64 nth = hold->begin / (10 * MS);
        g_assert_cmpint(nth, ==, n_exact + 3);
        g_assert_cmpint(hold->begin, ==, nth * 10 * MS + 1000);
        g_assert_cmpint(hold->end, ==, (nth + 1) * 10 * MS);
        g_assert_cmpuint(hold->thread, ==, threads[nth % 3]);
        n_exact++;
    }
    g_assert_cmpuint(n_exact, ==, n - 4); /* the last one's release woke nobody */
}

static void test_holds_of_many_waits(void)
{
    check_holds_of_many_waits(G_MAXSIZE);
    check_holds_of_many_waits(0);
}

/* By brute force, of waits that come in bursts and after long pauses. */
static void test_first_wait_after(void)
{
    Scene s = scene_begin();
    gint64 begins[1000], ends[G_N_ELEMENTS(begins)], at = 0;
    for (guint i = 0; i < G_N_ELEMENTS(begins); i++) {
        at += i % 97 == 0 ? 50 * MS : i % 7 + 1;
        begins[i] = at;
        ends[i] = at += i % 5 + 1;
        scene_wait(&s, s.a, begins[i], ends[i], 0, s.b, ends[i], PM_WAKE_RELEASE);
    }
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(PmContention) contention = pm_contention_new(r, NULL);
    const PmActivity *activity = pm_contention_activity(contention);
    guint nth = 0;
    for (gint64 i = 0; i <= at + 1; i += i % MS < 2000 ? 1 : MS / 4) {
        while (nth < G_N_ELEMENTS(ends) && ends[nth] <= i)
            nth++;
        g_assert_cmpuint(pm_activity_first_wait(activity, s.a, i), ==, nth);
    }
    for (guint i = 0; i < G_N_ELEMENTS(ends); i++) {
        g_assert_cmpuint(pm_activity_first_wait(activity, s.a, begins[i]), ==, i);
        g_assert_cmpuint(pm_activity_first_wait(activity, s.a, ends[i]), ==, i + 1);
    }
}

/* Of the process, in bytes; at the most, since it was begun anew. 0: it is not told. */
static gint64 most_resident(gboolean anew)
{
    g_autofree char *text = NULL;
    if (anew)
        malloc_trim(0); /* what was freed is not resident */
    FILE *file = anew ? fopen("/proc/self/clear_refs", "w") : NULL;
    if (file) {
        fputs("5", file);
        fclose(file);
    }
    if (!g_file_get_contents("/proc/self/status", &text, NULL, NULL))
        return 0;
    const char *line = strstr(text, anew ? "VmRSS:" : "VmHWM:");
    return line ? g_ascii_strtoll(line + strlen("VmRSS:"), NULL, 10) * 1024 : 0;
}

/* Whether a queue is a resource is found out without all that is given and taken in memory. */
static void test_many_waits_take_little_memory(void)
{
    const guint n = 1000000;
    Scene s = scene_begin();
    const guint32 threads[] = {s.a, s.b, s.c};
    for (guint i = 0; i < n; i++) {
        const gint64 end = (gint64)(i + 3) * MS;
        pm_assembly_add_wait(s.made.assembly, &(PmWaitRow){.begin = end - 2 * MS,
                                                           .end = end,
                                                           .wake = end - MS / 10,
                                                           .thread = threads[i % 3],
                                                           .blocker = s.gate,
                                                           .chain = s.made.other_chain,
                                                           .waker = s.d,
                                                           .waker_chain = s.release,
                                                           .wake_cause = PM_WAKE_SIGNAL});
    }
    g_autoptr(PmRecording) r = scene_end(&s);
    const gsize most_read = pm_row_lists_most_read;
    pm_row_lists_most_read = 1 << 20; /* not what is asked for here */
    malloc_trim(0);                   /* or some thread has room, and others have not */
    mallopt(M_PERTURB, 0);            /* which fills what nobody writes to */
    const gint64 before = most_resident(TRUE);
    g_autoptr(PmContention) contention = pm_contention_new(r, NULL);
    g_assert_false(pm_contention_is_resource(contention, s.gate));
    pm_row_lists_most_read = most_read;
    /* A list of the rows takes 4 bytes each, all that was given would take 24 more. */
    g_test_message("%" G_GINT64_FORMAT " bytes", most_resident(FALSE) - before);
    g_assert_cmpint(most_resident(FALSE) - before, <, (gint64)n * 12);
}

/* A gives a permit to B, B passes the wake on to C, C to D: all three waited for A. */
static void test_passed_on_wakes(void)
{
    Scene s = scene_begin();
    scene_wait(&s, s.b, 1 * MS, 50 * MS, 0, s.a, 50 * MS - 1000, PM_WAKE_RELEASE);
    scene_wait(&s, s.c, 2 * MS, 51 * MS, 0, s.b, 50 * MS + 1000, PM_WAKE_PROPAGATION);
    scene_wait(&s, s.d, 3 * MS, 52 * MS, 0, s.c, 51 * MS + 1000, PM_WAKE_PROPAGATION);
    g_autoptr(PmRecording) r = scene_end(&s);
    g_autoptr(GArray) parts = split(r, pm_row_of(r, s.d, 3 * MS));
    g_assert_cmpuint(parts->len, ==, 2);
    const PmPart *part = &g_array_index(parts, PmPart, 0);
    check_part(parts, 0, 3 * MS, 50 * MS - 1000, PM_CAUSE_WAKER, s.a);
    check_part(parts, 1, 50 * MS - 1000, 52 * MS, PM_CAUSE_HAND_OVER, 0);
    g_assert_true(part->inferred); /* other readers may have held it, too */

    /* Where the chain is broken the last known link is named, and marked. */
    Scene broken = scene_begin();
    scene_wait(&broken, broken.d, 3 * MS, 52 * MS, 0, broken.c, 51 * MS, PM_WAKE_PROPAGATION);
    g_autoptr(PmRecording) q = scene_end(&broken);
    g_autoptr(GArray) rest = split(q, pm_row_of(q, broken.d, 3 * MS));
    part = &g_array_index(rest, PmPart, 0);
    g_assert_cmpuint(part->thread, ==, broken.c);
    g_assert_true(part->inferred);
}

static void test_parts_add_up(void)
{
    for (guint32 seed = 1; seed <= 30; seed++) {
        g_autoptr(PmRecording) r = pm_made_random(seed, 600, 12, 5000);
        pm_check_parts_add_up(r, G_MININT64, G_MAXINT64, pm_contention_split_here);
        pm_check_parts_add_up(r, 1000, 3777, pm_contention_split_here);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/analysis/contention/one-owner-is-exact", test_one_owner);
    g_test_add_func("/analysis/contention/successive-owners-share-a-wait", test_successive_owners);
    g_test_add_func("/analysis/contention/a-barging-thread-is-blamed", test_barging);
    g_test_add_func("/analysis/contention/a-barging-thread-is-blamed-for-a-late-resume",
                    test_late_barging);
    g_test_add_func("/analysis/contention/who-gave-up-is-not-blamed", test_cancelled_waiter);
    g_test_add_func("/analysis/contention/who-is-woken-too-late-owns-nothing", test_woken_too_late);
    g_test_add_func("/analysis/contention/who-is-woken-by-one-that-gave-up-owns-nothing",
                    test_cancelled_and_slow);
    g_test_add_func("/analysis/contention/pauses-are-cut-out", test_pauses_are_cut_out);
    g_test_add_func("/analysis/contention/without-owner-the-waker", test_without_owner);
    g_test_add_func("/analysis/contention/a-condition-is-cut-at-the-last-hold",
                    test_condition_is_cut_at_the_last_hold);
    g_test_add_func("/analysis/contention/a-queue-waits-for-its-signal-alone",
                    test_queue_waits_for_its_signal_alone);
    g_test_add_func("/analysis/contention/a-release-alone-tells-no-hold",
                    test_release_alone_tells_no_hold);
    g_test_add_func("/analysis/contention/who-was-signalled-too-did-not-signal",
                    test_who_was_signalled_too_did_not_signal);
    g_test_add_func("/analysis/contention/who-signals-alike-is-charged-by-likelihood",
                    test_who_signals_alike_is_charged_by_likelihood);
    g_test_add_func("/analysis/contention/who-is-signalled-for-others-waits-for-its-own",
                    test_who_is_signalled_for_others_waits_for_its_own);
    g_test_add_func("/analysis/contention/who-is-notified-for-others-waits-for-its-own",
                    test_who_is_notified_for_others_waits_for_its_own);
    g_test_add_func("/analysis/contention/who-passes-between-signal-and-wake-is-not-the-signaller",
                    test_passer_did_not_signal);
    g_test_add_func("/analysis/contention/a-notifier-that-keeps-the-monitor-is-its-owner",
                    test_notifier_keeps_the_monitor);
    g_test_add_func("/analysis/contention/keeper-is-back-at-once", test_keeper_is_back_at_once);
    g_test_add_func("/analysis/contention/long-hold-is-like-those-seen",
                    test_long_hold_is_like_those_seen);
    g_test_add_func("/analysis/contention/late-look-tells-of-no-owner",
                    test_late_look_tells_of_no_owner);
    g_test_add_func("/analysis/contention/hold-is-measured-between-handoffs", test_measured_hold);
    g_test_add_func("/analysis/contention/hold-nobody-waited-for-at-first-is-not-measured",
                    test_late_waiter);
    g_test_add_func("/analysis/contention/a-wait-is-found-by-its-time", test_first_wait_after);
    g_test_add_func("/analysis/contention/holds-of-many-waits", test_holds_of_many_waits);
    g_test_add_func("/analysis/contention/many-waits-take-little-memory",
                    test_many_waits_take_little_memory);
    g_test_add_func("/analysis/contention/passed-on-wakes-are-followed-back", test_passed_on_wakes);
    g_test_add_func("/analysis/contention/parts-add-up-to-the-wait", test_parts_add_up);
    return g_test_run();
}
