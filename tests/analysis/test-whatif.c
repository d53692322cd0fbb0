#include "viewer/analysis/whatif.h"

#include <math.h>

#include "tests/analysis/made.h"
#include "viewer/analysis/diff.h"
#include "viewer/analysis/part.h"

#define MS G_GINT64_CONSTANT(1000000)

/* Really plays threads that go round: think, take the lock first come first served, hold it. What
 * the recorder would see of it is the recording. */
static PmRecording *play(guint n_threads, gint64 think, gint64 hold, guint turns, gint64 *ret_end)
{
    PmMade m = pm_made_begin();
    guint32 lock = pm_made_blocker(&m, m.lock_class, 0x77, m.lock_chain);
    g_autofree guint32 *threads = g_new(guint32, n_threads);
    g_autofree gint64 *asks = g_new(gint64, n_threads);
    g_autofree guint *done = g_new0(guint, n_threads);
    for (guint i = 0; i < n_threads; i++) {
        char name[16];
        g_snprintf(name, sizeof name, "w-%u", i);
        threads[i] = pm_made_thread(&m, name);
        asks[i] = (gint64)i * 1000;
    }
    gint64 is_free = 0, end = 0;
    guint32 owner = 0;
    g_autofree gint64 *taken = g_new(gint64, n_threads * turns + 1); /* turn after turn */
    g_autofree guint32 *takers = g_new(guint32, n_threads * turns + 1);
    guint n_taken = 0;
    for (;;) {
        guint next = n_threads;
        for (guint i = 0; i < n_threads; i++) {
            if (done[i] < turns && (next == n_threads || asks[i] < asks[next]))
                next = i;
        }
        if (next == n_threads)
            break;
        gint64 got = MAX(asks[next], is_free);
        if (asks[next] < is_free) {
            guint at = n_taken - 1; /* who held it as the thread asked */
            while (at > 0 && taken[at] > asks[next])
                at--;
            PmWaitRow row = {.begin = asks[next],
                             .end = got,
                             .wake = got,
                             .thread = threads[next],
                             .blocker = lock,
                             .chain = m.lock_chain,
                             .owner = takers[at],
                             .waker = owner,
                             .waker_chain = m.lock_chain,
                             .wake_cause = PM_WAKE_RELEASE};
            pm_assembly_add_wait(m.assembly, &row);
        }
        is_free = got + hold;
        owner = threads[next];
        taken[n_taken] = got;
        takers[n_taken++] = owner;
        asks[next] = is_free + think;
        done[next]++;
        end = MAX(end, is_free);
    }
    m.assembly->duration = end;
    *ret_end = end;
    return pm_assembly_finish(m.assembly);
}

static void predict(PmRecording *r, double factor, PmWhatIf *what)
{
    g_autoptr(PmFilter) f = pm_filter_new();
    g_autoptr(PmView) v = pm_view_new(r, f, NULL);
    g_assert_true(pm_whatif_compute(v, pm_recording_contention(r, NULL), 1, factor, what));
}

static void prediction_is_what_happens(void)
{
    static const struct {
        guint threads;
        gint64 think, hold;
    } cases[] = {
        {8, 20 * MS, 10 * MS}, {16, 5 * MS, 10 * MS}, {4, 22 * MS, 10 * MS}, {32, 0, 2 * MS}};
    for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
        gint64 end_now = 0, end_then = 0;
        g_autoptr(PmRecording) now =
            play(cases[i].threads, cases[i].think, cases[i].hold, 60, &end_now);
        g_autoptr(PmRecording) then =
            play(cases[i].threads, cases[i].think, cases[i].hold / 2, 60, &end_then);
        gint64 waiting_then = 0;
        for (gsize k = 0; k < then->waits.n; k++)
            waiting_then += then->waits.end[k] - then->waits.begin[k];
        PmWhatIf what;
        predict(now, 0.5, &what);
        double truth = (double)end_now / (double)end_then;
        g_test_message("speed-up %.3f, really %.3f; waiting %.3f s, really %.3f s; model %.3f",
                       what.speed_up, truth, (double)what.waiting_then / 1e9,
                       (double)waiting_then / 1e9, what.model_quality);
        g_assert_cmpfloat(fabs(what.speed_up / truth - 1), <, 0.05);
        g_assert_cmpfloat(fabs((double)(what.waiting_then - waiting_then)), <,
                          0.06 * (double)what.waiting);
        g_assert_cmpint(ABS(what.hold - cases[i].hold), <=, cases[i].hold / 100);
        g_assert_cmpfloat(fabs(what.model_quality - 1), <, 0.05);
    }
}

static void the_same_hold_changes_nothing(void)
{
    gint64 end = 0;
    g_autoptr(PmRecording) r = play(8, 20 * MS, 10 * MS, 40, &end);
    PmWhatIf what;
    predict(r, 1, &what);
    g_assert_cmpint(what.waiting_then, ==, what.waiting);
    g_assert_cmpfloat(what.speed_up, ==, 1);
    predict(r, 0, &what);
    g_assert_cmpint(what.waiting_then, <, what.waiting / 50);
}

static void without_holds_nothing_is_predicted(void)
{
    PmMade m = pm_made_begin();
    guint32 lock = pm_made_blocker(&m, m.lock_class, 1, m.lock_chain);
    pm_made_wait(&m, pm_made_thread(&m, "a"), lock, m.lock_chain, 0, MS, 0);
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmFilter) f = pm_filter_new();
    g_autoptr(PmView) v = pm_view_new(r, f, NULL);
    PmWhatIf what;
    g_assert_false(pm_whatif_compute(v, pm_recording_contention(r, NULL), lock, 0.5, &what));
    g_assert_false(pm_whatif_compute(v, pm_recording_contention(r, NULL), 0, 0.5, &what));
    g_assert_false(pm_whatif_compute(v, pm_recording_contention(r, NULL), 99, 0.5, &what));
}

static void diff_matches_by_name(void)
{
    gint64 end = 0;
    g_autoptr(PmRecording) a = play(8, 20 * MS, 10 * MS, 40, &end);
    g_autoptr(PmRecording) b = play(8, 20 * MS, 5 * MS, 40, &end);
    g_autoptr(PmFilter) f = pm_filter_new();
    g_autoptr(PmView) before = pm_view_new(a, f, NULL);
    g_autoptr(PmView) after = pm_view_new(b, f, NULL);
    static const PmAspect by[] = {PM_ASPECT_BLOCKER, PM_ASPECT_GROUP};
    g_autoptr(PmDiff) diff = pm_diff_new(before, after, by, 2, NULL);
    g_assert_cmpuint(diff->root->n_children, ==, 1);
    const PmDiffNode *lock = diff->root->children[0];
    g_assert_cmpstr(lock->key, ==, "ReentrantLock · PriceCache.get");
    g_assert_cmpint(lock->before.thread_time, ==, before->thread_time);
    g_assert_cmpint(lock->after.thread_time, ==, after->thread_time);
    g_assert_cmpfloat(lock->change, <, 0);
    g_assert_cmpuint(lock->n_children, ==, 1);
    g_assert_cmpstr(lock->children[0]->key, ==, "w-*");

    g_autoptr(PmDiff) same = pm_diff_new(before, before, by, 2, NULL);
    g_assert_cmpfloat(same->root->change, ==, 0);
    g_assert_cmpint(same->root->before.count, ==, same->root->after.count);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/analysis/whatif/prediction-is-what-happens", prediction_is_what_happens);
    g_test_add_func("/analysis/whatif/the-same-hold-changes-nothing",
                    the_same_hold_changes_nothing);
    g_test_add_func("/analysis/whatif/without-holds-nothing-is-predicted",
                    without_holds_nothing_is_predicted);
    g_test_add_func("/analysis/diff/matches-by-name", diff_matches_by_name);
    return g_test_run();
}
