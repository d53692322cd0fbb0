#include "viewer/analysis/slices/metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/analysis/made.h"
#include "viewer/analysis/base/heap.h"
#include "viewer/analysis/base/sort.h"

static gboolean is_open(const PmView *v, guint32 k)
{
    const PmWaits *w = &v->recording->waits;
    return pm_wait_end(w, k) > v->to || (pm_wait_flags(w, k) & PM_WAIT_IN_PROGRESS) != 0;
}

/* Integrates the step function instant by instant: durations in these tests are a few thousand. */
static void check_row(const PmView *v, const PmMetricsRow *row)
{
    const PmWaits *w = &v->recording->waits;
    gint64 times = 0, touched = 0, thread_time = 0, real_time = 0, longest = 0;
    guint32 now = 0, peak = 0;
    g_autoptr(GArray) parts = g_array_new(FALSE, FALSE, sizeof(gint64));

    for (gsize i = 0; i < v->n; i++) {
        guint32 k = pm_view_row(v, i);
        if (pm_wait_blocker(w, k) != row->blocker || pm_wait_kind(w, k) != row->kind)
            continue;
        times += pm_wait_begin(w, k) >= v->from;
        touched++;
        now += is_open(v, k);
        gint64 part = pm_view_clip(v, k);
        longest = MAX(longest, part);
        g_array_append_val(parts, part);
    }
    for (gint64 t = v->from; t <= v->to; t++) {
        guint32 here = 0, empty = 0;
        for (gsize i = 0; i < v->n; i++) {
            guint32 k = pm_view_row(v, i);
            if (pm_wait_blocker(w, k) != row->blocker || pm_wait_kind(w, k) != row->kind)
                continue;
            gint64 begin = MAX(pm_wait_begin(w, k), v->from),
                   end = MAX(MIN(pm_wait_end(w, k), v->to), begin);
            if (is_open(v, k) ? begin <= t : begin <= t && t < end)
                here++;
            else if (begin == end && begin == t)
                empty = 1;
        }
        peak = MAX(peak, here + empty);
        if (t < v->to) {
            thread_time += here;
            real_time += here > 0;
        }
    }
    g_assert_cmpint(row->times_parked, ==, times);
    g_assert_cmpint(row->touched, ==, touched);
    g_assert_cmpuint(row->parked_now, ==, now);
    g_assert_cmpuint(row->peak_parked, ==, peak);
    g_assert_cmpint(row->thread_time, ==, thread_time);
    g_assert_cmpint(row->real_time, ==, real_time);
    g_assert_cmpint(row->longest, ==, longest);
    if (parts->len > 0) {
        gint64 *p = (gint64 *)parts->data;
        qsort(p, parts->len, sizeof *p, pm_compare_instants);
        g_assert_cmpint(row->p99, ==, p[(guint)ceil(0.99 * parts->len) - 1]);
    }
    if (times > 0)
        g_assert_cmpfloat(fabs(row->avg_park - (double)thread_time / (double)times), <, 1e-9);
    else
        g_assert_true(isnan(row->avg_park));
    if (times - (gint64)now > 0)
        g_assert_cmpfloat(fabs(row->avg_hold - (double)real_time / (double)(times - now)), <, 1e-9);
}

/* Instant by instant, too. */
static void check_together(const PmMetrics *m, const guint32 *group_of, guint32 group,
                           const PmTogether *together)
{
    const PmView *v = m->view;
    const PmWaits *w = &v->recording->waits;
    g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(guint32)),
                      parts = g_array_new(FALSE, FALSE, sizeof(gint64));
    guint32 peak = 0;
    gint64 real_time = 0;

    for (gsize i = 0; i < v->n; i++) {
        const guint32 k = pm_view_row(v, i);
        for (gsize row = 0; row < m->n; row++)
            if (group_of[row] == group && m->rows[row].blocker == pm_wait_blocker(w, k) &&
                m->rows[row].kind == pm_wait_kind(w, k)) {
                const gint64 part = pm_view_clip(v, k);
                g_array_append_val(rows, k);
                g_array_append_val(parts, part);
            }
    }
    for (gint64 t = v->from; t <= v->to; t++) {
        guint32 here = 0, empty = 0;
        for (guint i = 0; i < rows->len; i++) {
            const guint32 k = g_array_index(rows, guint32, i);
            const gint64 begin = MAX(pm_wait_begin(w, k), v->from),
                         end = MAX(MIN(pm_wait_end(w, k), v->to), begin);
            here += is_open(v, k) ? begin <= t : begin <= t && t < end;
            empty |= !is_open(v, k) && begin == end && begin == t;
        }
        peak = MAX(peak, here + empty);
        real_time += t < v->to && here > 0;
    }
    g_assert_cmpuint(together->peak_parked, ==, peak);
    g_assert_cmpint(together->real_time, ==, real_time);
    gint64 p99 = 0;
    if (parts->len > 0) {
        g_array_sort(parts, pm_compare_instants);
        p99 = g_array_index(parts, gint64, (guint)ceil(0.99 * parts->len) - 1);
    }
    g_assert_cmpint(together->p99, ==, p99);
}

static void equal_brute_force(void)
{
    for (guint32 seed = 1; seed <= 31; seed++) {
        gint64 duration = 600;
        /* The last has blockers with so many waits that they are measured as these come. */
        const gboolean many = seed == 31;
        g_autoptr(PmRecording) r =
            pm_made_random(seed, many ? 12000 : 40 + seed * 5, many ? 64 : 5 + seed % 9, duration);
        GRand *rand = g_rand_new_with_seed(seed);
        for (guint round = 0; round < 3; round++) {
            g_autoptr(PmFilter) f = pm_filter_new();
            f->idle = round != 1;
            if (round > 0) {
                f->from = g_rand_int_range(rand, 0, 300);
                f->to = f->from + g_rand_int_range(rand, 1, 320);
            }
            g_autoptr(PmView) v = pm_view_new(r, f, NULL);
            g_autoptr(PmMetrics) m = pm_metrics_new(v, NULL);
            gint64 sum = 0;
            for (gsize i = 0; i < m->n; i++) {
                check_row(v, &m->rows[i]);
                sum += m->rows[i].thread_time;
                if (i > 0)
                    g_assert_cmpint(m->rows[i - 1].thread_time, >=, m->rows[i].thread_time);
            }
            g_assert_cmpint(sum, ==, v->thread_time);
        }
        g_rand_free(rand);
    }
}

/* Peak, real-time and p99 of several blockers are of all their waits, not sums over the rows: as of
 * one blocker in their place. */
static void several_together_are_as_one(void)
{
    for (guint32 seed = 1; seed <= 20; seed++) {
        g_autoptr(PmRecording) r = pm_made_random(seed, 40 + seed * 5, 5 + seed % 9, 600);
        g_autoptr(PmFilter) f = pm_filter_new();
        f->idle = TRUE;
        f->from = seed % 3 * 100;
        f->to = seed % 2 ? 500 : 0;
        g_autoptr(PmView) v = pm_view_new(r, f, NULL);
        g_autoptr(PmMetrics) m = pm_metrics_new(v, NULL);
        g_autofree guint32 *group_of = g_new0(guint32, m->n + 1);
        for (gsize i = 0; i < m->n; i++)
            group_of[i] = m->rows[i].blocker % 3;
        const gint cancelled = 1;
        g_assert_null(pm_metrics_together(m, group_of, 2, &cancelled));
        g_autofree PmTogether *together = pm_metrics_together(m, group_of, 2, NULL);
        for (guint32 g = 0; g < 2; g++)
            check_together(m, group_of, g + 1, &together[g]);
    }
}

/* Ninety-nine of a hundred are no longer. */
static void p99_of_a_hundred_is_the_last_but_one(void)
{
    PmMade m = pm_made_begin();
    m.assembly->duration = 100000;
    guint32 lock = pm_made_blocker(&m, m.lock_class, 1, m.lock_chain);
    guint32 thread = pm_made_thread(&m, "w-1");
    for (gint64 i = 1; i <= 100; i++)
        pm_made_wait(&m, thread, lock, m.lock_chain, 200 * i, 201 * i, 0);
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmView) v = pm_made_view(r);
    g_autoptr(PmMetrics) metrics = pm_metrics_new(v, NULL);
    g_assert_cmpint(metrics->rows[0].p99, ==, 99);
}

/* What is stored may begin long after the first wait: the blocker itself remembers that one. */
static void the_first_wait_ever_names_the_row(void)
{
    PmMade m = pm_made_begin();
    m.assembly->duration = 1000;
    guint32 first = pm_made_thread(&m, "first"), later = pm_made_thread(&m, "later");
    PmBlocker lock = {
        .class_index = m.lock_class, .hash = 1, .first_chain = m.lock_chain, .first_thread = first};
    guint32 blocker = pm_assembly_add_blocker(m.assembly, &lock);
    pm_made_wait(&m, later, blocker, m.other_chain, 100, 200, 0);
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmView) all = pm_made_view(r);
    g_autoptr(PmMetrics) metrics = pm_metrics_new(all, NULL);
    g_assert_cmpuint(metrics->rows[0].first_thread, ==, first);
    g_assert_cmpuint(metrics->rows[0].first_chain, ==, m.lock_chain);

    g_autoptr(PmFilter) f = pm_filter_new();
    f->from = 50;
    f->to = 1000;
    g_autoptr(PmView) part = pm_view_new(r, f, NULL);
    g_autoptr(PmMetrics) of_part = pm_metrics_new(part, NULL);
    g_assert_cmpuint(of_part->rows[0].first_thread, ==, later);
    g_assert_cmpuint(of_part->rows[0].first_chain, ==, m.other_chain);
}

static void a_hang_has_thread_time(void)
{
    PmMade m = pm_made_begin();
    guint32 lock = pm_made_blocker(&m, m.lock_class, 0x77, m.lock_chain);
    guint32 a = pm_made_thread(&m, "a"), b = pm_made_thread(&m, "b");
    PM_MADE_WAIT(m.assembly, 10, 110, a, lock, m.lock_chain, .owner = b,
                 .flags = PM_WAIT_IN_PROGRESS);
    m.assembly->duration = 110;
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmView) v = pm_made_view(r);
    g_autoptr(PmMetrics) metrics = pm_metrics_new(v, NULL);
    g_assert_cmpuint(metrics->n, ==, 1);
    const PmMetricsRow *x = &metrics->rows[0];
    g_assert_cmpint(x->thread_time, ==, 100);
    g_assert_cmpint(x->real_time, ==, 100);
    g_assert_cmpuint(x->parked_now, ==, 1);
    g_assert_cmpuint(x->owner, ==, b);
    g_assert_true(isnan(x->avg_hold));
    g_assert_cmpfloat(x->real_life_time_util, ==, 1);
    g_assert_cmpfloat(fabs(x->real_time_util - 100.0 / 110), <, 1e-12);
}

static void a_wait_begun_before_is_parked_not_begun(void)
{
    PmMade m = pm_made_begin();
    guint32 lock = pm_made_blocker(&m, m.lock_class, 0x77, m.lock_chain);
    guint32 a = pm_made_thread(&m, "a");
    pm_made_wait(&m, a, lock, m.lock_chain, 5, 50, 0);
    m.assembly->duration = 100;
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmFilter) f = pm_filter_new();
    f->from = 10;
    f->to = 40;
    g_autoptr(PmView) v = pm_view_new(r, f, NULL);
    g_autoptr(PmMetrics) metrics = pm_metrics_new(v, NULL);
    g_assert_cmpint(metrics->rows[0].times_parked, ==, 0);
    g_assert_cmpint(metrics->rows[0].touched, ==, 1);
    g_assert_cmpuint(metrics->rows[0].parked_now, ==, 1);
    g_assert_cmpint(metrics->rows[0].thread_time, ==, 30);
    g_assert_true(isnan(metrics->rows[0].avg_park));
    f->from = 50;
    f->to = 60;
    g_autoptr(PmView) after = pm_view_new(r, f, NULL);
    g_assert_cmpuint(after->n, ==, 0);
}

/* … nor one that went on as the recorder came: where its record begins is not where it began. */
static void a_wait_seen_late_is_parked_not_begun(void)
{
    PmMade m = pm_made_begin();
    guint32 lock = pm_made_blocker(&m, m.lock_class, 0x77, m.lock_chain);
    guint32 a = pm_made_thread(&m, "a");
    pm_made_wait(&m, a, lock, m.lock_chain, 5, 50, PM_WAIT_BEGIN_UNKNOWN);
    pm_made_wait(&m, a, lock, m.lock_chain, 60, 70, 0);
    m.assembly->duration = 100;
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmView) v = pm_made_view(r);
    g_autoptr(PmMetrics) metrics = pm_metrics_new(v, NULL);
    g_assert_cmpint(metrics->rows[0].times_parked, ==, 1);
    g_assert_cmpint(metrics->rows[0].touched, ==, 2);
    g_assert_cmpint(metrics->rows[0].thread_time, ==, 55);
}

/* The table of [from, to) with idle waits. */
static PmMetrics *metrics_between(PmRecording *r, gint64 from, gint64 to)
{
    g_autoptr(PmFilter) f = pm_filter_new();
    f->idle = TRUE;
    f->from = from;
    f->to = to;
    g_autoptr(PmView) v = pm_view_new(r, f, NULL);
    return pm_metrics_new(v, NULL);
}

/* The ledger as a recorder that has seen everything before `at` tells it. */
static void tell_ledger(PmRecording *r, gint64 at)
{
    const PmWaits *w = &r->waits;
    g_autoptr(PmMetrics) before = metrics_between(r, 0, at);
    PmLedgerRow *rows = g_new0(PmLedgerRow, MAX(before->n, 1));
    for (gsize i = 0; i < before->n; i++) {
        const PmMetricsRow *row = &before->rows[i];
        rows[i].blocker = row->blocker;
        rows[i].counters = (struct pm_counters){.kind = row->kind,
                                                .now = row->parked_now,
                                                .peak = row->peak_parked,
                                                .times = row->times_parked,
                                                .thread_time_ns = row->thread_time,
                                                .real_time_ns = row->real_time,
                                                .longest_ns = row->longest,
                                                .first_ns = G_MAXINT64,
                                                .last_ns = G_MININT64};
        struct pm_counters *c = &rows[i].counters;
        for (gsize k = 0; k < before->view->n; k++) {
            guint32 wait = pm_view_row(before->view, k);
            if (pm_wait_blocker(w, wait) != row->blocker || pm_wait_kind(w, wait) != row->kind)
                continue;
            gint64 begin = MAX(pm_wait_begin(w, wait), 0);
            c->first_ns = MIN(c->first_ns, begin);
            c->last_ns = MAX(c->last_ns, pm_wait_end(w, wait) < at ? pm_wait_end(w, wait) : begin);
        }
    }
    g_free((gpointer)r->ledger);
    r->ledger = rows;
    r->n_ledger = (guint32)before->n;
    r->ledger_at = at;
}

/* Wherever the last snapshot lies (a JVM that lives or was killed has written none for a while):
 * its counters and the waits after it are what all waits together give. */
static void since_start_goes_on_after_the_last_snapshot(void)
{
    for (guint32 seed = 1; seed <= 6; seed++) {
        g_autoptr(PmRecording) r = pm_made_random(seed, 300, 7, 3000);
        g_autoptr(PmMetrics) all = metrics_between(r, 0, r->duration);
        static const gint64 snapshots[] = {G_MININT64, 1, 700, 1501, 2999, 3000};
        for (gsize s = 0; s < G_N_ELEMENTS(snapshots); s++) {
            if (snapshots[s] != G_MININT64)
                tell_ledger(r, snapshots[s]);
            g_autoptr(PmMetrics) start = pm_metrics_since_start(r);
            g_assert_cmpuint(start->n, ==, all->n);
            for (gsize i = 0; i < all->n; i++) {
                const PmMetricsRow *a = &all->rows[i], *b = &start->rows[i];
                g_assert_cmpuint(b->blocker, ==, a->blocker);
                g_assert_cmpuint(b->kind, ==, a->kind);
                g_assert_cmpint(b->times_parked, ==, a->times_parked);
                g_assert_cmpuint(b->parked_now, ==, a->parked_now);
                g_assert_cmpuint(b->peak_parked, ==, a->peak_parked);
                g_assert_cmpint(b->thread_time, ==, a->thread_time);
                g_assert_cmpint(b->real_time, ==, a->real_time);
                g_assert_cmpint(b->longest, ==, a->longest);
                g_assert_cmpfloat(b->real_life_time_util, ==, a->real_life_time_util);
                g_assert_cmpuint(b->first_chain, ==, a->first_chain);
            }
        }
    }
}

/* An object waited for in two ways: each row is named by the first wait of its own kind. */
static void rows_are_named_by_their_own_kind(void)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    PmFrame enter[] = {{pm_made_method(a, "com.acme.Log", "append", "Log.java"), 7}};
    PmFrame wait[] = {{pm_made_method(a, "java.lang.Object", "wait", "Object.java"), -1},
                      {pm_made_method(a, "com.acme.Poller", "run", "Poller.java"), 9}};
    guint32 enter_chain = pm_assembly_add_chain(a, enter, G_N_ELEMENTS(enter), FALSE);
    guint32 wait_chain = pm_assembly_add_chain(a, wait, G_N_ELEMENTS(wait), FALSE);
    guint32 chains[] = {[PM_KIND_ENTER] = enter_chain, [PM_KIND_WAIT] = wait_chain};
    guint32 thread = pm_made_thread(&m, "a");
    PmBlocker both = {.hash = 1, .first_chain = enter_chain, .first_thread = thread};
    guint32 blocker = pm_assembly_add_blocker(a, &both);
    static const guint8 kinds[] = {PM_KIND_ENTER, PM_KIND_WAIT};
    for (guint i = 0; i < G_N_ELEMENTS(kinds); i++) {
        PM_MADE_WAIT(a, 10 + 20 * i, 20 + 20 * i, thread, blocker, chains[kinds[i]],
                     .kind = kinds[i]);
    }
    a->duration = 100;
    g_autoptr(PmRecording) r = pm_assembly_finish(a);
    g_autoptr(PmMetrics) window = metrics_between(r, 0, 100);
    g_autoptr(PmMetrics) start = pm_metrics_since_start(r);
    const PmMetrics *both_tables[] = {window, start};
    for (guint t = 0; t < G_N_ELEMENTS(both_tables); t++) {
        g_assert_cmpuint(both_tables[t]->n, ==, 2);
        for (guint i = 0; i < 2; i++)
            g_assert_cmpuint(both_tables[t]->rows[i].first_chain, ==,
                             chains[both_tables[t]->rows[i].kind]);
    }
}

static void nothing_gives_an_empty_table(void)
{
    PmMade m = pm_made_begin();
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmView) v = pm_made_view(r);
    g_autoptr(PmMetrics) metrics = pm_metrics_new(v, NULL);
    g_assert_cmpuint(metrics->n, ==, 0);
}

static void a_heap_gives_the_least_first(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(8);
    PmHeap heap = {0};
    for (guint round = 0; round < 50; round++) {
        gint64 values[300];
        const guint n = (guint)g_rand_int_range(rand, 1, 300);
        for (guint i = 0; i < n; i++)
            pm_heap_push(&heap, values[i] = g_rand_int_range(rand, -50, 50));
        pm_heap_replace(&heap, 60); /* for the least */
        qsort(values, n, sizeof *values, pm_compare_instants);
        values[0] = 60;
        qsort(values, n, sizeof *values, pm_compare_instants);
        for (guint i = 0; i < n; i++) {
            g_assert_cmpint(heap.items[0], ==, values[i]);
            pm_heap_pop(&heap);
        }
        g_assert_cmpuint(heap.n, ==, 0);
    }
    g_free(heap.items);
}

static gpointer cancel_soon(gpointer data)
{
    g_usleep(g_random_int_range(0, 3000));
    g_atomic_int_set((gint *)data, 1);
    return NULL;
}

/* Whenever it is, blockers with many waits and with few. */
static void may_be_cancelled(void)
{
    PmMade m = pm_made_begin();
    guint32 thread = pm_made_thread(&m, "t"), blockers[2000];
    for (guint i = 0; i < G_N_ELEMENTS(blockers); i++)
        blockers[i] = pm_made_blocker(&m, m.lock_class, i, m.lock_chain);
    for (guint i = 0; i < 100000; i++)
        pm_made_wait(&m, thread, blockers[i % 3 != 0 ? 0 : i % G_N_ELEMENTS(blockers)],
                     m.lock_chain, 10 * i, 10 * i + 5, 0);
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmView) v = pm_made_view(r);
    for (guint round = 0; round < 100; round++) {
        gint cancel = 0;
        GThread *beside = g_thread_new("cancel", cancel_soon, &cancel);
        g_autoptr(PmMetrics) metrics = pm_metrics_new(v, &cancel);
        g_thread_join(beside);
        if (metrics)
            g_assert_cmpuint(metrics->n, ==, G_N_ELEMENTS(blockers));
    }
}

/* Of the waiting for a monitor, what is entering it again after Object.wait. */
static void entering_again_is_told_apart(void)
{
    PmMade m = pm_made_begin();
    guint32 lock = pm_made_blocker(&m, m.lock_class, 1, m.lock_chain);
    guint32 a = pm_made_thread(&m, "a");
    const PmWaitRow rows[] = {
        {.begin = 100, .end = 150, .thread = a, .blocker = lock, .kind = PM_KIND_ENTER},
        {.begin = 200,
         .end = 270,
         .thread = a,
         .blocker = lock,
         .kind = PM_KIND_ENTER,
         .flags = PM_WAIT_AFTER_WAIT},
        {.begin = 900,
         .end = 1100,
         .thread = a,
         .blocker = lock,
         .kind = PM_KIND_ENTER,
         .flags = PM_WAIT_AFTER_WAIT},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
        pm_assembly_add_wait(m.assembly, &rows[i]);
    m.assembly->duration = 1000;
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmView) view = pm_made_view(r);
    g_autoptr(PmMetrics) metrics = pm_metrics_new(view, NULL);
    g_assert_cmpuint(metrics->n, ==, 1);
    g_assert_cmpint(metrics->rows[0].thread_time, ==, 50 + 70 + 100);
    g_assert_cmpint(metrics->rows[0].after_wait, ==, 70 + 100);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/analysis/metrics/may-be-cancelled", may_be_cancelled);
    g_test_add_func("/analysis/metrics/a-heap-gives-the-least-first", a_heap_gives_the_least_first);
    g_test_add_func("/analysis/metrics/entering-again-is-told-apart", entering_again_is_told_apart);
    g_test_add_func("/analysis/metrics/equal-brute-force", equal_brute_force);
    g_test_add_func("/analysis/metrics/several-together-are-as-one", several_together_are_as_one);
    g_test_add_func("/analysis/metrics/p99-of-a-hundred-is-the-last-but-one",
                    p99_of_a_hundred_is_the_last_but_one);
    g_test_add_func("/analysis/metrics/the-first-wait-ever-names-the-row",
                    the_first_wait_ever_names_the_row);
    g_test_add_func("/analysis/metrics/a-hang-has-thread-time", a_hang_has_thread_time);
    g_test_add_func("/analysis/metrics/a-wait-begun-before-is-parked-not-begun",
                    a_wait_begun_before_is_parked_not_begun);
    g_test_add_func("/analysis/metrics/a-wait-seen-late-is-parked-not-begun",
                    a_wait_seen_late_is_parked_not_begun);
    g_test_add_func("/analysis/metrics/since-start-goes-on-after-the-last-snapshot",
                    since_start_goes_on_after_the_last_snapshot);
    g_test_add_func("/analysis/metrics/rows-are-named-by-their-own-kind",
                    rows_are_named_by_their_own_kind);
    g_test_add_func("/analysis/metrics/nothing-gives-an-empty-table", nothing_gives_an_empty_table);
    return g_test_run();
}
