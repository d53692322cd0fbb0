#include <math.h>

#include "tests/analysis/made.h"
#include "viewer/analysis/aggregation/excerpt-view.h"
#include "viewer/analysis/aggregation/tree.h"
#include "viewer/analysis/findings/findings.h"
#include "viewer/analysis/curves/series.h"
#include "viewer/analysis/recording/excerpt.h"
#include "viewer/analysis/slices/detail.h"

#define SECOND G_GINT64_CONSTANT(1000000000)

/* How much of [begin, end] lies in the spans. */
static gint64 within(const PmInterval *spans, guint n, gint64 begin, gint64 end)
{
    gint64 sum = 0;
    for (guint i = 0; i < n; i++)
        sum += MAX(MIN(end, spans[i].end) - MAX(begin, spans[i].begin), 0);
    return sum;
}

static void check_row(const PmRecording *whole, const PmRecording *excerpt, gsize i,
                      const PmInterval *spans, guint n)
{
    const PmWaits *w = &whole->waits, *x = &excerpt->waits;
    const guint32 row = pm_excerpt_row(excerpt, (guint32)i);
    g_assert_cmpint(pm_wait_length(x, i), ==,
                    within(spans, n, pm_wait_begin(w, row), pm_wait_end(w, row)));
    g_assert_cmpint(pm_wait_begin(x, i), ==,
                    within(spans, n, G_MININT64 / 2, pm_wait_begin(w, row)));
    g_assert_cmpint(pm_wait_begin(x, i), >=, i ? pm_wait_begin(x, i - 1) : 0);
    if (pm_wait_wake(w, row)) {
        g_assert_cmpint(pm_wait_wake(x, i), ==,
                        within(spans, n, G_MININT64 / 2, pm_wait_wake(w, row)));
    }
    for (guint c = PM_WAIT_COLUMN_THREAD; c < PM_N_WAIT_COLUMNS; c++)
        if (c != PM_WAIT_COLUMN_FLAGS && c != PM_WAIT_COLUMN_WAKE_CAUSE)
            g_assert_cmpint(pm_wait_column(x, c, i), ==, pm_wait_column(w, c, row));
    g_assert_cmpint(!!(pm_wait_flags(x, i) & PM_WAIT_IN_PROGRESS), ==,
                    pm_wait_end(w, row) > spans[n - 1].end);
}

/* Beside the sum over all rows, on random recordings and spans. */
static void has_what_lies_in_its_spans(void)
{
    for (guint32 seed = 1; seed <= 20; seed++) {
        g_autoptr(PmRecording) r = pm_made_random(seed, 9000, 12, 1000000);
        g_autoptr(GRand) rand = g_rand_new_with_seed(seed);
        PmInterval spans[5];
        gint64 at = 0, all = 0, time = 0;
        for (guint i = 0; i < 5; i++) {
            spans[i].begin = at + g_rand_int_range(rand, 1, 100000);
            at = spans[i].end = spans[i].begin + g_rand_int_range(rand, 1, 100000);
            all += spans[i].end - spans[i].begin;
        }
        g_autoptr(PmRecording) excerpt = pm_excerpt_new(r, spans, 5, NULL, NULL);
        g_assert_cmpint(excerpt->duration, ==, all);
        for (gsize i = 0; i < excerpt->waits.n; i++) {
            check_row(r, excerpt, i, spans, 5);
            time += pm_wait_length(&excerpt->waits, i);
        }
        for (gsize i = 0; i < r->waits.n; i++)
            time -= within(spans, 5, pm_wait_begin(&r->waits, i), pm_wait_end(&r->waits, i));
        g_assert_cmpint(time, ==, 0);
    }
}

static void one_span_keeps_its_times(void)
{
    g_autoptr(PmRecording) r = pm_made_random(3, 4000, 12, 1000000);
    const PmInterval span = {400000, 600000};
    g_autoptr(PmRecording) excerpt = pm_excerpt_new(r, &span, 1, NULL, NULL);
    gsize n = 0;
    for (gsize i = 0; i < r->waits.n; i++)
        n += pm_wait_begin(&r->waits, i) < span.end && pm_wait_end(&r->waits, i) > span.begin;
    g_assert_cmpuint(excerpt->waits.n, >=, n); /* and those of no length */
    g_assert_cmpint(excerpt->window_begin, ==, r->window_begin);
    g_assert_cmpint(excerpt->duration, ==, span.end);
    for (gsize i = 0; i < excerpt->waits.n; i++) {
        const guint32 row = pm_excerpt_row(excerpt, (guint32)i);
        const gboolean lasts = pm_wait_end(&r->waits, row) > span.end;
        g_assert_cmpint(pm_wait_begin(&excerpt->waits, i), ==, pm_wait_begin(&r->waits, row));
        g_assert_cmpint(pm_wait_end(&excerpt->waits, i), ==,
                        MIN(pm_wait_end(&r->waits, row), span.end));
        g_assert_cmpint(!!(pm_wait_flags(&excerpt->waits, i) & PM_WAIT_IN_PROGRESS), ==, lasts);
    }
}

/* 60 000 waits for a lock, of random lengths, two of which in turn for one holder's; and one waits
 * for another lock for the last 12 s, whose owner ended. */
static PmRecording *made_huge(double *ret_often)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    g_autoptr(GRand) rand = g_rand_new_with_seed(17);
    const guint32 lock = pm_made_blocker(&m, m.lock_class, 1, m.lock_chain);
    const guint32 kept = pm_made_blocker(&m, m.lock_class, 2, m.other_chain);
    const guint32 holder = pm_made_thread(&m, "holder"), waiter = pm_made_thread(&m, "waiter");
    const guint32 stuck = pm_made_thread(&m, "stuck"), gone = pm_made_thread(&m, "gone");
    const guint32 often = pm_made_chain(a, "com.acme.Often.hold", "java.lang.Thread.run", NULL);
    const guint32 seldom = pm_made_chain(a, "com.acme.Seldom.hold", "java.lang.Thread.run", NULL);
    gint64 now = SECOND, time[2] = {0};
    for (guint i = 0; i < 60000; i++) {
        const gboolean is_often = g_rand_int_range(rand, 0, 4) > 0;
        const gint64 length = g_rand_int_range(rand, 1000, 1000000) * (is_often ? 1 : 2);
        PM_MADE_WAIT(a, now, now + length, waiter, lock, m.lock_chain, .wake = now + length,
                     .wake_cause = PM_WAKE_RELEASE, .owner = holder, .waker = holder,
                     .waker_chain = is_often ? often : seldom);
        time[is_often] += length;
        now += length + g_rand_int_range(rand, 1000, 20000);
    }
    PM_MADE_WAIT(a, now - 12 * SECOND, now, stuck, kept, m.other_chain, .owner = gone,
                 .flags = PM_WAIT_IN_PROGRESS);
    a->duration = now;
    *ret_often = (double)time[TRUE] / (double)(time[FALSE] + time[TRUE]);
    return pm_assembly_finish(a);
}

static void is_huge(gboolean huge)
{
    pm_excerpt_huge = huge ? 20000 : 12000000;
    pm_excerpt_waits = huge ? 10000 : 2000000;
}

static PmFindings *find_in_excerpt(const PmSummary *summary)
{
    is_huge(TRUE);
    PmFindings *findings = pm_findings_new_bounded(summary, NULL);
    is_huge(FALSE);
    return findings;
}

static const PmFinding *finding_of(const PmFindings *findings, PmSeverity severity)
{
    for (guint i = 0; i < findings->n; i++)
        if (findings->findings[i].severity == severity)
            return &findings->findings[i];
    g_assert_not_reached();
}

/* Of a huge recording the shares are estimates; amounts and what hangs are as with all waits. */
static void findings_are_those_of_the_whole(void)
{
    double often;
    g_autoptr(PmRecording) r = made_huge(&often);
    g_autoptr(PmView) view = pm_made_view(r);
    g_autoptr(PmSummary) summary = pm_summary_new(view, view->to, NULL);
    g_autoptr(PmFindings) all = pm_findings_new_bounded(summary, NULL);
    g_autoptr(PmFindings) some = find_in_excerpt(summary);
    const PmFinding *hang = finding_of(some, PM_SEVERITY_STUCK);
    g_assert_cmpstr(hang->title, ==, finding_of(all, PM_SEVERITY_STUCK)->title);
    g_assert_cmpint(hang->longest, ==, 12 * SECOND);
    const PmFinding *x = finding_of(some, PM_SEVERITY_HIGH);
    const PmFinding *y = finding_of(all, PM_SEVERITY_HIGH);
    g_assert_cmpstr(x->causes[0].text, ==, "Often.hold (Often.java:1)");
    g_assert_cmpfloat(fabs(x->causes[0].share - often), <, 0.04);
    g_assert_true(x->causes[0].inferred);
    g_assert_nonnull(strstr(x->title, " ~"));
    g_assert_null(strstr(y->title, " ~"));
    g_assert_cmpint(x->thread_time, ==, y->thread_time);
    g_assert_cmpint(x->waits, ==, y->waits);
    g_assert_cmpint(x->longest, ==, y->longest);
    g_assert_cmpint(x->from, ==, y->from);
    g_assert_cmpint(x->to, ==, y->to);
    const PmEvidence *last = &x->evidence[x->n_evidence - 1];
    g_assert_false(last->exact);
    g_assert_true(g_str_has_prefix(last->text, "shares estimated from "));
    g_assert_cmpstr(some->verdict.sentence, ==, all->verdict.sentence);
}

/* Tasks were waited for before all those waits, and one still is: who ended the first ones is told,
 * and what it waits for, as with all waits. */
static void hangs_have_their_history(void)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    const guint32 future = pm_assembly_add_class(a, "java.util.concurrent.FutureTask");
    const guint32 process = pm_assembly_add_class(a, "java.lang.ProcessImpl");
    const guint32 get =
        pm_made_chain(a, "java.util.concurrent.locks.LockSupport.park",
                      "java.util.concurrent.FutureTask.awaitDone",
                      "java.util.concurrent.FutureTask.get", "com.acme.Upload.run", NULL);
    const guint32 done = pm_made_chain(a, "java.util.concurrent.locks.LockSupport.unpark",
                                       "java.util.concurrent.FutureTask.finishCompletion",
                                       "com.acme.Converter.run", NULL);
    const guint32 tool =
        pm_made_chain(a, "java.lang.Object.wait", "java.lang.ProcessImpl.waitFor",
                      "com.acme.Converter.convert", "com.acme.Converter.run", NULL);
    const guint32 converter = pm_made_thread(&m, "convert");
    const guint32 uploads[] = {pm_made_thread(&m, "upload-1"), pm_made_thread(&m, "upload-2"),
                               pm_made_thread(&m, "upload-3")};
    const guint32 holder = pm_made_thread(&m, "holder"), waiter = pm_made_thread(&m, "waiter");
    const guint32 lock = pm_made_blocker(&m, m.lock_class, 1, m.lock_chain);
    const gint64 us = 1000, end = 20 * SECOND;
    for (guint k = 0; k < 12; k++) {
        const gint64 begin = k / 3 * SECOND / 4, wake = begin + SECOND / 10;
        PM_MADE_WAIT(a, begin, wake, uploads[k % 3], pm_made_blocker(&m, future, 100 + k, get), get,
                     .wake = wake, .wake_cause = PM_WAKE_RELEASE, .waker = converter,
                     .waker_chain = done);
    }
    for (gint64 i = 0; i < 60000; i++) {
        const gint64 begin = SECOND + i * 300 * us, wake = begin + 200 * us;
        PM_MADE_WAIT(a, begin, wake, waiter, lock, m.lock_chain, .wake = wake,
                     .wake_cause = PM_WAKE_RELEASE, .owner = holder, .waker = holder,
                     .waker_chain = m.other_chain);
    }
    for (guint i = 0; i < 3; i++)
        PM_MADE_WAIT(a, end - 6 * SECOND, end, uploads[i],
                     pm_made_blocker(&m, future, 200 + i, get), get, .flags = PM_WAIT_IN_PROGRESS);
    PM_MADE_WAIT(a, end - 6 * SECOND, end, converter, pm_made_blocker(&m, process, 9, tool), tool,
                 .kind = PM_KIND_WAIT, .flags = PM_WAIT_IN_PROGRESS);
    a->duration = end;
    g_autoptr(PmRecording) r = pm_assembly_finish(a);
    g_autoptr(PmView) view = pm_made_view(r);
    g_autoptr(PmSummary) summary = pm_summary_new(view, view->to, NULL);
    g_autoptr(PmFindings) all = pm_findings_new_bounded(summary, NULL);
    g_autoptr(PmFindings) some = find_in_excerpt(summary);
    const PmFinding *x = finding_of(some, PM_SEVERITY_STUCK);
    g_assert_cmpstr(x->title, ==, finding_of(all, PM_SEVERITY_STUCK)->title);
    g_assert_nonnull(strstr(x->title, "; convert, which ended such waits before, waits in"));
}

static double share_of(const PmTree *tree, const char *text)
{
    for (guint i = 0; i < tree->root->n_children; i++) {
        const PmTreeNode *node = tree->root->children[i];
        g_autofree char *its = pm_aspect_key_text(tree->view->recording, node->aspect, node->key);
        if (strstr(its, text))
            return (double)node->thread_time / (double)tree->root->thread_time;
    }
    return -1;
}

/* So are those of trees by causes, of one selection in them, and of ranges. */
static void trees_and_selections_are_estimated(void)
{
    double often;
    g_autoptr(PmRecording) r = made_huge(&often);
    const gint64 ends[] = {0, r->duration / 2, r->duration / 20};
    for (guint i = 0; i < G_N_ELEMENTS(ends); i++) {
        const PmAspect by = PM_ASPECT_CAUSE_SITE;
        g_autoptr(PmFilter) filter = pm_filter_new();
        pm_filter_add_chip(filter, PM_ASPECT_THREAD, "waiter", FALSE);
        filter->to = ends[i];
        g_autoptr(PmView) view = pm_view_new(r, filter, NULL);
        g_autoptr(PmTree) all = pm_tree_new(view, &by, 1, NULL);
        is_huge(TRUE);
        g_autoptr(PmTree) tree = pm_tree_new_bounded(view, &by, 1, NULL);
        g_assert_true(tree->estimated);
        g_assert_cmpint(tree->root->thread_time, ==, view->thread_time);
        g_assert_cmpfloat(fabs(share_of(tree, "Often.hold") - share_of(all, "Often.hold")), <,
                          0.04);
        const PmPathStep step = {by, tree->root->children[0]->key};
        g_autoptr(PmDetail) detail = pm_detail_new(view, &step, 1, NULL);
        g_autoptr(PmDetail) whole = pm_detail_new(view, NULL, 0, NULL);
        is_huge(FALSE);
        g_autoptr(PmDetail) exact = pm_detail_new(view, &step, 1, NULL);
        g_assert_cmpfloat(fabs((double)detail->thread_time / (double)exact->thread_time - 1), <,
                          0.05);
        g_assert_cmpfloat(fabs((double)detail->n * detail->weight / (double)exact->n - 1), <, 0.05);
        g_assert_cmpstr(pm_recording_thread_name(
                            r, pm_wait_thread(&r->waits, pm_detail_row(detail, detail->n / 2)), 0),
                        ==, "waiter");
        g_assert_true(detail->estimated && whole->estimated && !exact->estimated);
        g_assert_cmpint(whole->thread_time, ==, view->thread_time);
        const PmDetailPart *first = &g_array_index(whole->causes, PmDetailPart, 0);
        g_assert_cmpfloat(fabs((double)first->thread_time / (double)whole->thread_time -
                               share_of(all, "Often.hold")),
                          <, 0.04);
    }
}

/* So are bands of causes: all of what is waited is theirs, and each has its part of it. */
static void bands_are_estimated(void)
{
    enum { N = 100 };
    double often;
    g_autoptr(PmRecording) r = made_huge(&often);
    g_autoptr(PmFilter) filter = pm_filter_new();
    pm_filter_add_chip(filter, PM_ASPECT_THREAD, "waiter", FALSE);
    g_autoptr(PmView) view = pm_view_new(r, filter, NULL);
    g_autoptr(PmParkedNow) parked_now = pm_parked_now_new(view, NULL);
    g_autoptr(PmBandOrder) order = pm_band_order_new(r, PM_ASPECT_CAUSE_SITE, FALSE);
    const guint n = pm_band_order_n(order) + 1;
    g_autofree double *exact = g_new(double, N *n), *means = g_new(double, N *n);
    PmBucket buckets[N];

    g_autoptr(PmBands) all = pm_bands_new(parked_now, order, NULL);
    pm_bands_read(all, view->from, view->to, N, exact);
    is_huge(TRUE);
    g_autoptr(PmBands) bands = pm_bands_new(parked_now, order, NULL);
    is_huge(FALSE);
    g_assert_true(pm_bands_are_estimated(bands) && !pm_bands_are_estimated(all));
    pm_bands_read(bands, view->from, view->to, N, means);
    pm_parked_now_read(parked_now, view->from, view->to, N, buckets);
    for (guint k = 0; k < n; k++) {
        double of_all = 0, of_estimate = 0, whole = 0;
        for (guint i = 0; i < N; i++) {
            double sum = 0;
            for (guint b = 0; b < n; b++)
                sum += means[i * n + b];
            g_assert_cmpfloat(fabs(sum - buckets[i].mean), <, 1e-6);
            of_all += exact[i * n + k];
            of_estimate += means[i * n + k];
            whole += buckets[i].mean;
        }
        g_assert_cmpfloat(fabs(of_all - of_estimate), <, 0.04 * whole);
    }
}

/* Nearly all waits come within a fiftieth of the time, and that, or half of it, may be asked for;
 * of waits that last for many spans each is told as long as it is. */
static void bursts_are_met(void)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    const guint32 lock = pm_made_blocker(&m, m.lock_class, 1, m.lock_chain);
    const guint32 slow = pm_made_blocker(&m, m.lock_class, 2, m.lock_chain);
    const guint32 holder = pm_made_thread(&m, "holder"), waiter = pm_made_thread(&m, "waiter");
    const guint32 other = pm_made_thread(&m, "other");
    const guint32 hold = pm_made_chain(a, "com.acme.Often.hold", "java.lang.Thread.run", NULL);
    const guint32 read = pm_made_chain(a, "com.acme.Slow.read", "java.lang.Thread.run", NULL);
    const gint64 us = 1000, begin = 300 * SECOND;
    for (gint64 i = 0; i < 60000; i++)
        PM_MADE_WAIT(a, begin + i * 100 * us, begin + (i * 100 + 80) * us, waiter, lock,
                     m.lock_chain, .wake = begin + (i * 100 + 80) * us,
                     .wake_cause = PM_WAKE_RELEASE, .owner = holder, .waker = holder,
                     .waker_chain = hold);
    for (gint64 i = 0; i < 50; i++)
        PM_MADE_WAIT(a, i * 12 * SECOND, (i * 12 + 10) * SECOND, other, slow, m.lock_chain,
                     .wake = (i * 12 + 10) * SECOND, .wake_cause = PM_WAKE_RELEASE, .owner = holder,
                     .waker = holder, .waker_chain = read);
    a->duration = 600 * SECOND;
    g_autoptr(PmRecording) r = pm_assembly_finish(a);
    const gint64 ranges[][2] = {{0, 0}, {begin, begin + 6 * SECOND}, {begin, begin + 3 * SECOND}};
    for (guint i = 0; i < G_N_ELEMENTS(ranges); i++) {
        const PmAspect by = PM_ASPECT_CAUSE_SITE;
        g_autoptr(PmFilter) filter = pm_filter_new();
        filter->from = ranges[i][0];
        filter->to = ranges[i][1];
        g_autoptr(PmView) view = pm_view_new(r, filter, NULL);
        g_autoptr(PmTree) all = pm_tree_new(view, &by, 1, NULL);
        is_huge(TRUE);
        pm_excerpt_waits = 2000;
        g_autoptr(PmTree) tree = pm_tree_new_bounded(view, &by, 1, NULL);
        const PmView *excerpt = pm_view_for_causes(view, NULL);
        g_assert_cmpuint(excerpt->n, >=, 1000);
        g_assert_cmpuint(excerpt->n, <=, 5000);
        if (i > 0) /* of the whole, one span may be all that is of the burst */
            g_assert_cmpfloat(fabs(share_of(tree, "Often.hold") - share_of(all, "Often.hold")), <,
                              0.02);
        g_assert_cmpfloat(share_of(tree, "Slow.read"), >, 0.4 * share_of(all, "Slow.read"));
        for (guint k = 0; i == 0 && k < tree->root->n_children; k++) {
            const PmPathStep step = {by, tree->root->children[k]->key};
            g_autofree char *text = pm_aspect_key_text(r, by, step.key);
            if (!strstr(text, "Slow.read"))
                continue;
            g_autoptr(PmDetail) detail = pm_detail_new(view, &step, 1, NULL);
            g_assert_cmpint(detail->longest, ==, 10 * SECOND);
            g_assert_cmpint(detail->p50, ==, 10 * SECOND);
        }
        is_huge(FALSE);
    }
}

static void random_recordings_are_survived(void)
{
    for (guint32 seed = 1; seed <= 30; seed++) {
        g_autoptr(PmRecording) r = pm_made_random(seed, 3000, 12, 30 * SECOND);
        g_autoptr(PmView) view = pm_made_view(r);
        g_autoptr(PmSummary) summary = pm_summary_new(view, view->to, NULL);
        pm_excerpt_huge = 100;
        pm_excerpt_waits = seed * 40;
        g_autoptr(PmFindings) findings = pm_findings_new_bounded(summary, NULL);
        is_huge(FALSE);
        g_assert_nonnull(findings);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/analysis/excerpt/has-what-lies-in-its-spans", has_what_lies_in_its_spans);
    g_test_add_func("/analysis/excerpt/one-span-keeps-its-times", one_span_keeps_its_times);
    g_test_add_func("/analysis/excerpt/findings-are-those-of-the-whole",
                    findings_are_those_of_the_whole);
    g_test_add_func("/analysis/excerpt/hangs-have-their-history", hangs_have_their_history);
    g_test_add_func("/analysis/excerpt/trees-and-selections-are-estimated",
                    trees_and_selections_are_estimated);
    g_test_add_func("/analysis/excerpt/bands-are-estimated", bands_are_estimated);
    g_test_add_func("/analysis/excerpt/bursts-are-met", bursts_are_met);
    g_test_add_func("/analysis/excerpt/random-recordings-are-survived",
                    random_recordings_are_survived);
    return g_test_run();
}
