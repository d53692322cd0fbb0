/* Threads that could run and had no processor. */
#include "viewer/analysis/aggregation/no-core.h"

#include <string.h>

#include "tests/analysis/made.h"
#include "tests/analysis/see.h"
#include "viewer/analysis/findings/findings.h"

#define MS     G_GINT64_CONSTANT(1000000)
#define SECOND G_GINT64_CONSTANT(1000000000)

typedef struct {
    PmMade made;
    guint32 owner, hungry;
} Scene;

static Scene scene_new(void)
{
    Scene s = {.made = pm_made_begin()};
    s.made.assembly->duration = 10 * SECOND;
    s.owner = pm_made_thread(&s.made, "owner");
    s.hungry = pm_made_thread(&s.made, "hungry");
    s.made.other_chain = pm_made_chain(s.made.assembly, "jdk.internal.misc.Unsafe.unpark",
                                       "java.util.concurrent.locks.ReentrantLock.unlock",
                                       "com.acme.Report.render", NULL);
    return s;
}

/* Callers wait for a lock that `owner` holds, as `hungry` uses the processors. */
static Scene scene_of(gint64 length)
{
    Scene s = scene_new();
    guint32 lock = pm_made_blocker(&s.made, s.made.lock_class, 1, s.made.lock_chain);
    for (guint i = 0; i < 2; i++) {
        guint32 caller = pm_made_thread(&s.made, i ? "exec-1" : "exec-2");
        for (gint64 k = 0; k < 10; k++)
            pm_made_held_wait(&s.made, caller, lock, s.made.lock_chain, s.owner, k * SECOND,
                              k * SECOND + length, 0);
    }
    return s;
}

static Scene scene_begin(void)
{
    return scene_of(600 * MS);
}

static void scene_count(Scene *s, guint32 thread, gint64 at, gint64 cpu, gint64 run_delay)
{
    PmCensusRow row = {
        .at = at, .since = at - SECOND, .thread = thread, .cpu = cpu, .run_delay = run_delay};
    g_array_append_val(s->made.assembly->census, row);
}

/* `n` counts, of which the owner had no processor for 3 of 4 parts, or for 1 of 4. */
static PmRecording *scene_end(Scene *s, guint n, gboolean starved)
{
    for (gint64 k = 1; k <= n; k++) {
        scene_count(s, s->owner, k * SECOND, starved ? 100 * MS : 300 * MS,
                    starved ? 300 * MS : 100 * MS);
        scene_count(s, s->hungry, k * SECOND, starved ? 900 * MS : 700 * MS, 0);
    }
    return pm_assembly_finish(s->made.assembly);
}

static guint32 group_of(const PmRecording *r, guint32 thread)
{
    return r->threads[thread].group;
}

static void share_is_delay_of_runnable_time(void)
{
    Scene s = scene_begin();
    g_autoptr(PmRecording) r = scene_end(&s, 5, TRUE);
    g_autoptr(PmView) view = pm_made_view(r);
    guint32 most;
    double share, processors;
    g_assert_cmpfloat(pm_no_core(view, group_of(r, s.owner)).of_runnable, ==, 0.75);
    g_assert_cmpfloat(pm_no_core(view, group_of(r, s.hungry)).of_runnable, ==, 0);
    g_assert_true(pm_no_core_most(view, &most, &share, &processors));
    g_assert_cmpuint(most, ==, group_of(r, s.hungry));
    g_assert_cmpfloat_with_epsilon(share, 0.9, 1e-9);
}

static void two_counts_tell_nothing(void)
{
    Scene s = scene_begin();
    g_autoptr(PmRecording) r = scene_end(&s, 2, TRUE);
    g_autoptr(PmView) view = pm_made_view(r);
    g_assert_cmpfloat(pm_no_core(view, group_of(r, s.owner)).of_runnable, ==, 0);
}

static void counts_outside_the_range_are_left_out(void)
{
    Scene s = scene_begin();
    g_autoptr(PmRecording) r = scene_end(&s, 5, TRUE);
    g_autoptr(PmFilter) filter = pm_filter_new();
    g_autoptr(PmView) view = pm_view_new(r, filter, NULL);
    guint32 most;
    double share, processors;
    view->from = 5 * SECOND; /* the last count is of the second that ends there */
    g_assert_cmpfloat(pm_no_core(view, group_of(r, s.owner)).of_runnable, ==, 0);
    g_assert_false(pm_no_core_most(view, &most, &share, &processors));
    g_assert_cmpfloat(share, ==, 0);
}

static void hostile_counts_do_not_overflow(void)
{
    Scene s = scene_begin();
    for (gint64 k = 1; k <= 4; k++)
        scene_count(&s, s.owner, k * SECOND, G_MAXINT64, G_MAXINT64);
    g_autoptr(PmRecording) r = pm_assembly_finish(s.made.assembly);
    g_autoptr(PmView) view = pm_made_view(r);
    guint32 most;
    double share, processors, without = pm_no_core(view, group_of(r, s.owner)).of_runnable;
    g_assert_cmpfloat(without, >, 0);
    g_assert_cmpfloat(without, <=, 1);
    g_assert_true(pm_no_core_most(view, &most, &share, &processors));
    g_assert_cmpfloat(share, <=, 1);
}

/* Without a core for three quarters of the time that it can run, which is a twentieth of the
 * waiting: it sleeps for the rest. */
static void finding_tells_nothing_of_one_that_seldom_wants_to_run(void)
{
    Scene s = scene_begin();
    for (gint64 k = 1; k <= 5; k++) {
        scene_count(&s, s.owner, k * SECOND, 10 * MS, 30 * MS);
        scene_count(&s, s.hungry, k * SECOND, 900 * MS, 0);
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(s.made.assembly);
    g_autoptr(PmSummary) summary = NULL;
    g_autoptr(PmFindings) findings = pm_find_all(r, &summary);
    g_assert_cmpuint(findings->n, >, 0);
    g_assert_null(strstr(findings->findings[0].title, "without a core"));
}

/* The first finding says so where its cause had no processor for half the time. */
static void check_finding(gboolean starved)
{
    Scene s = scene_begin();
    g_autoptr(PmRecording) r = scene_end(&s, 5, starved);
    g_autoptr(PmSummary) summary = NULL;
    g_autoptr(PmFindings) findings = pm_find_all(r, &summary);
    g_assert_cmpuint(findings->n, >, 0);
    pm_see(findings);
    const PmFinding *first = &findings->findings[0];
    g_assert_cmpint(first->rule, ==, PM_RULE_LOCK_DOMINATES);
    g_assert_cmpint(g_str_has_suffix(first->title,
                                     ", without a core for 75 % of the time it could run; "
                                     "hungry uses the processors"),
                    ==, starved);
    g_assert_cmpint(strstr(first->advice, "let fewer threads run at once, those of hungry first") !=
                        NULL,
                    ==, starved);
}

/* Nor of one that waits for an answer while it holds the lock, however long it can run without one.
 */
static void finding_tells_nothing_of_one_that_waits(void)
{
    Scene s = scene_begin();
    const guint32 send =
        pm_made_chain(s.made.assembly, "jdk.internal.misc.Unsafe.park",
                      "java.util.concurrent.CompletableFuture.get", "com.acme.Rates.load", NULL);
    const guint32 answer = pm_made_blocker(&s.made, s.made.queue_class, 2, send);
    for (gint64 k = 0; k < 10; k++)
        pm_made_wait(&s.made, s.owner, answer, send, k * SECOND, k * SECOND + 590 * MS, 0);
    g_autoptr(PmRecording) r = scene_end(&s, 5, TRUE);
    g_autoptr(PmSummary) summary = NULL;
    g_autoptr(PmFindings) findings = pm_find_all(r, &summary);
    g_assert_cmpuint(findings->n, >, 0);
    g_assert_null(strstr(findings->findings[0].title, "without a core"));
    g_assert_cmpuint(findings->findings[0].causes[0].chain, ==, send);
}

/* Callers wait for 29 % of the time for results, of which `owner` brings each half-way, a little
 * sooner or later: who is told waits for a processor for the rest, which is told first where it is
 * more; what is left is then too little. Or it sleeps for a good half of them, which is told first
 * then. */
static void starved_cause_counts_behind_a_handoff(void)
{
    for (guint i = 0; i < 6; i++) {
        Scene s = scene_new();
        PmAssembly *a = s.made.assembly;
        const gboolean starved = i % 2;
        const guint32 future = pm_assembly_add_class(a, "java.util.concurrent.FutureTask");
        const guint32 get =
            pm_made_chain(a, "jdk.internal.misc.Unsafe.park", "java.util.concurrent.FutureTask.get",
                          "com.acme.Shop.show", NULL);
        const guint32 done = pm_made_chain(a, "java.util.concurrent.FutureTask.finishCompletion",
                                           "com.acme.Prices.run", NULL);
        const guint32 slept =
            pm_made_chain(a, "java.lang.Thread.sleep", "com.acme.Rates.run", NULL);
        for (guint32 k = 0; k < 20; k++) {
            const gint64 begin = k / 2 * SECOND;
            const gboolean sleeps = i >= 4 && k % 2;
            PmWaitRow row = {.begin = begin,
                             .end = begin + 290 * MS,
                             .wake = begin + (sleeps  ? 261
                                              : i < 2 ? 130
                                                      : 160) *
                                                 MS,
                             .blocker = pm_made_blocker(&s.made, future, 100 + k, get),
                             .chain = get,
                             .waker = s.owner,
                             .waker_chain = sleeps ? slept : done,
                             .wake_cause = PM_WAKE_COMPLETION};
            row.thread = k < 2 ? pm_made_thread(&s.made, "exec-%u", k) : s.hungry + 1 + k % 2;
            pm_assembly_add_wait(a, &row);
        }
        g_autoptr(PmRecording) r = scene_end(&s, 5, starved);
        g_autoptr(PmSummary) summary = NULL;
        g_autoptr(PmFindings) findings = pm_find_all(r, &summary);
        g_assert_cmpuint(findings->n, ==, 1);
        g_assert_cmpint(findings->findings[0].causes[0].kind, ==,
                        i < 2 ? PM_CAUSE_HAND_OVER : PM_CAUSE_WAKER);
        g_assert_cmpint(findings->findings[0].severity, ==,
                        starved || i < 2 ? PM_SEVERITY_NOTE : PM_SEVERITY_HIGH);
        g_assert_cmpint(strstr(findings->findings[0].evidence[0].text, "had no processor") != NULL,
                        ==, starved);
    }
}

/* Whoever uses the processors was looked at: what it does is the cause of as much as that is of the
 * time that the owner could run. Samples of weight 0 are of threads that hardly run: they say
 * nothing of it. */
static void finding_names_what_the_processors_are_used_for(void)
{
    Scene s = scene_begin();
    PmAssembly *a = s.made.assembly;
    guint32 stems = pm_made_chain(a, "com.acme.Index.stem", "com.acme.Index.run", NULL);
    guint32 sorts = pm_made_chain(a, "com.acme.Index.sort", "com.acme.Index.run", NULL);
    for (guint i = 0; i < 12; i++) {
        PmOwnerSample sample = {.at = (i % 5 + 1) * SECOND,
                                .owner = s.hungry,
                                .chain = i == 2 || i >= 5 ? sorts : stems,
                                .weight = i < 5,
                                .state = PM_OWNER_RUNNING,
                                .role = PM_SAMPLE_ENDER};
        g_array_append_val(a->samples, sample);
    }
    g_autoptr(PmRecording) r = scene_end(&s, 5, TRUE);
    g_autoptr(PmSummary) summary = NULL;
    g_autoptr(PmFindings) findings = pm_find_all(r, &summary);
    const PmFinding *first = &findings->findings[0];
    g_assert_true(g_str_has_suffix(first->title, "hungry uses the processors, in Index.stem"));
    g_assert_nonnull(strstr(first->causes[0].text, "Index.stem"));
    g_assert_true(first->causes[0].inferred);
    g_assert_cmpfloat_with_epsilon(first->causes[0].share, 0.75, 0.01);
    g_assert_cmpfloat_with_epsilon(first->causes[1].share, 0.25, 0.01);
}

static void finding_tells_a_cause_without_a_core(void)
{
    check_finding(TRUE);
}

static void finding_tells_nothing_of_one_that_mostly_runs(void)
{
    check_finding(FALSE);
}

/* A quarter of the callers' time behind one that has no core: the machine is short of processors,
 * which is a note; behind one that has, it is the lock. */
static void little_behind_a_cause_without_a_core_is_a_note(void)
{
    for (gboolean starved = FALSE; starved <= TRUE; starved++) {
        Scene s = scene_of(250 * MS);
        g_autoptr(PmRecording) r = scene_end(&s, 5, starved);
        g_autoptr(PmSummary) summary = NULL;
        g_autoptr(PmFindings) findings = pm_find_all(r, &summary);
        g_assert_cmpuint(findings->n, ==, 1);
        g_assert_cmpint(findings->findings[0].severity, ==,
                        starved ? PM_SEVERITY_NOTE : PM_SEVERITY_HIGH);
        g_assert_cmpint(findings->verdict.level, ==, starved ? PM_VERDICT_NONE : PM_VERDICT_HIGH);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/analysis/no-core/share-is-delay-of-runnable-time",
                    share_is_delay_of_runnable_time);
    g_test_add_func("/analysis/no-core/two-counts-tell-nothing", two_counts_tell_nothing);
    g_test_add_func("/analysis/no-core/counts-outside-the-range-are-left-out",
                    counts_outside_the_range_are_left_out);
    g_test_add_func("/analysis/no-core/hostile-counts-do-not-overflow",
                    hostile_counts_do_not_overflow);
    g_test_add_func("/analysis/no-core/finding-names-what-the-processors-are-used-for",
                    finding_names_what_the_processors_are_used_for);
    g_test_add_func("/analysis/no-core/finding-tells-a-cause-without-a-core",
                    finding_tells_a_cause_without_a_core);
    g_test_add_func("/analysis/no-core/little-behind-a-cause-without-a-core-is-a-note",
                    little_behind_a_cause_without_a_core_is_a_note);
    g_test_add_func("/analysis/no-core/starved-cause-counts-behind-a-handoff",
                    starved_cause_counts_behind_a_handoff);
    g_test_add_func("/analysis/no-core/finding-tells-nothing-of-one-that-mostly-runs",
                    finding_tells_nothing_of_one_that_mostly_runs);
    g_test_add_func("/analysis/no-core/finding-tells-nothing-of-one-that-seldom-wants-to-run",
                    finding_tells_nothing_of_one_that_seldom_wants_to_run);
    g_test_add_func("/analysis/no-core/finding-tells-nothing-of-one-that-waits",
                    finding_tells_nothing_of_one_that_waits);
    return g_test_run();
}
