#include "viewer/analysis/slices/pool.h"

#include <string.h>

#include "tests/analysis/made.h"

#define MS G_GINT64_CONSTANT(1000000)

static PmPools *pools_of(PmRecording *r, gint64 from, gint64 to)
{
    g_autoptr(PmFilter) f = pm_filter_new();
    f->from = from;
    f->to = to;
    g_autoptr(PmView) v = pm_view_new(r, f, NULL);
    return pm_pools_new(v, NULL);
}

/* Two threads of one pool: both idle, one idle, none idle, one idle to the end. */
static void counts_are_what_happened(void)
{
    PmMade m = pm_made_begin();
    guint32 queue = pm_made_blocker(&m, m.queue_class, 1, m.idle_chain);
    guint32 lock = pm_made_blocker(&m, m.lock_class, 2, m.lock_chain);
    guint32 a = pm_made_thread(&m, "report-pool-1"), b = pm_made_thread(&m, "report-pool-2");
    guint32 other = pm_made_thread(&m, "main");
    pm_made_wait(&m, a, queue, m.idle_chain, 0, 20 * MS, 0);
    pm_made_wait(&m, b, queue, m.idle_chain, 0, 40 * MS, 0);
    pm_made_wait(&m, a, lock, m.lock_chain, 30 * MS, 60 * MS, 0);
    pm_made_wait(&m, a, queue, m.idle_chain, 70 * MS, 100 * MS, PM_WAIT_IN_PROGRESS);
    pm_made_wait(&m, other, lock, m.lock_chain, 10 * MS, 20 * MS, 0);
    m.assembly->duration = 100 * MS;
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmPools) pools = pools_of(r, 0, 0);
    g_assert_cmpuint(pools->n, ==, 1);
    const PmPool *pool = &pools->pools[0];
    g_assert_cmpstr(r->groups[pool->group].name, ==, "report-pool-*");
    g_assert_cmpuint(pool->n_threads, ==, 2);
    g_assert_cmpuint(pool->size, ==, 2);
    g_assert_cmpuint(pool->idle_now, ==, 1);
    g_assert_cmpuint(pool->least_idle, ==, 0);
    g_assert_cmpint(pool->alive, ==, 100 * MS);
    g_assert_cmpint(pool->none_idle, ==, 30 * MS);
    g_assert_cmpint(pool->life, ==, 200 * MS);
    g_assert_cmpint(pool->family[PM_FAMILY_IDLE], ==, 90 * MS);
    g_assert_cmpint(pool->family[PM_FAMILY_LOCK], ==, 30 * MS);
    g_assert_cmpint(pm_pool_busy(pool), ==, 110 * MS);

    g_autoptr(PmPools) cut = pools_of(r, 10 * MS, 40 * MS);
    g_assert_cmpuint(cut->pools[0].least_idle, ==, 1);
    g_assert_cmpint(cut->pools[0].none_idle, ==, 0);
    g_assert_cmpuint(cut->pools[0].idle_now, ==, 0);
}

static void housekeepers_are_no_pool(void)
{
    PmMade m = pm_made_begin();
    PmFrame frames[] = {
        {pm_made_method(m.assembly, "java.lang.Object", "wait", "Object.java"), -1},
        {pm_made_method(m.assembly, "java.lang.ref.ReferenceQueue", "remove", "R.java"), 155},
        {pm_made_method(m.assembly, "java.lang.ref.Finalizer$FinalizerThread", "run", "F.java"), 1},
    };
    guint32 chain = pm_assembly_add_chain(m.assembly, frames, G_N_ELEMENTS(frames), FALSE);
    guint32 queue = pm_made_blocker(&m, m.queue_class, 1, chain);
    pm_made_wait(&m, pm_made_thread(&m, "Finalizer"), queue, chain, 0, MS, 0);
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_assert_cmpint(pm_wait_category(&r->waits, 0), ==, PM_CATEGORY_POOL_IDLE);
    g_autoptr(PmPools) pools = pools_of(r, 0, 0);
    g_assert_cmpuint(pools->n, ==, 0);
}

static int compare_times(gconstpointer left, gconstpointer right)
{
    const gint64 *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* Every instant at which anything changes is asked of every thread and every wait. */
static void check_by_force(const PmRecording *r, const PmPool *pool, gint64 from, gint64 to)
{
    const PmWaits *w = &r->waits;
    g_autoptr(GArray) times = g_array_new(FALSE, FALSE, sizeof(gint64));
    gint64 alive_time = 0, none_idle = 0, family[PM_N_FAMILIES] = {0}, life = 0;
    guint size = 0, least = G_MAXUINT, n_threads = 0;

    g_array_append_val(times, from);
    g_array_append_val(times, to);
    for (gsize i = 0; i < w->n; i++) {
        if (r->threads[pm_wait_thread(w, i)].group != pool->group)
            continue;
        gint64 begin = pm_wait_begin(w, i), end = pm_wait_end(w, i);
        g_array_append_val(times, begin);
        g_array_append_val(times, end);
        gint64 part = MIN(pm_wait_end(w, i), to) - MAX(pm_wait_begin(w, i), from);
        family[pm_category_family(pm_wait_category(w, i))] += MAX(part, 0);
    }
    for (guint32 t = 1; t < r->n_threads; t++) {
        if (r->threads[t].group != pool->group)
            continue;
        gint64 part = MIN(r->threads[t].end, to) - MAX(r->threads[t].begin, from);
        g_array_append_val(times, r->threads[t].begin);
        g_array_append_val(times, r->threads[t].end);
        life += MAX(part, 0);
        n_threads += part > 0;
    }
    g_array_sort(times, compare_times);
    for (guint k = 0; k + 1 < times->len; k++) {
        gint64 begin = g_array_index(times, gint64, k), end = g_array_index(times, gint64, k + 1);
        guint idle = 0, alive = 0;
        if (begin < from || end > to || end <= begin)
            continue;
        for (guint32 t = 1; t < r->n_threads; t++)
            alive += r->threads[t].group == pool->group && r->threads[t].begin <= begin &&
                     r->threads[t].end >= end;
        if (alive == 0)
            continue;
        for (gsize i = 0; i < w->n; i++)
            idle += r->threads[pm_wait_thread(w, i)].group == pool->group &&
                    pm_wait_category(w, i) == PM_CATEGORY_POOL_IDLE &&
                    pm_wait_begin(w, i) <= begin && pm_wait_end(w, i) >= end;
        alive_time += end - begin;
        none_idle += idle == 0 ? end - begin : 0;
        size = MAX(size, alive);
        least = MIN(least, idle);
    }
    g_assert_cmpuint(pool->n_threads, ==, n_threads);
    g_assert_cmpuint(pool->size, ==, size);
    g_assert_cmpuint(pool->least_idle, ==, least);
    g_assert_cmpint(pool->alive, ==, alive_time);
    g_assert_cmpint(pool->none_idle, ==, none_idle);
    g_assert_cmpint(pool->life, ==, life);
    for (guint f = 0; f < PM_N_FAMILIES; f++)
        g_assert_cmpint(pool->family[f], ==, family[f]);
}

static void brute_force_says_the_same(void)
{
    for (guint32 seed = 1; seed <= 12; seed++) {
        const gint64 duration = 100000;
        g_autoptr(PmRecording) r = pm_made_random(seed, 300, 3 + seed % 5, duration);
        const gint64 ranges[][2] = {{0, 0}, {duration / 3, duration / 2}, {17, 1017}};
        for (gsize k = 0; k < G_N_ELEMENTS(ranges); k++) {
            g_autoptr(PmPools) pools = pools_of(r, ranges[k][0], ranges[k][1]);
            g_assert_cmpuint(pools->n, >, 0);
            for (guint i = 0; i < pools->n; i++) {
                check_by_force(r, &pools->pools[i], pools->view->from, pools->view->to);
                if (i > 0)
                    g_assert_cmpfloat(pm_pool_none_idle_share(&pools->pools[i - 1]), >=,
                                      pm_pool_none_idle_share(&pools->pools[i]));
            }
        }
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/analysis/pool/counts-are-what-happened", counts_are_what_happened);
    g_test_add_func("/analysis/pool/housekeepers-are-no-pool", housekeepers_are_no_pool);
    g_test_add_func("/analysis/pool/brute-force-says-the-same", brute_force_says_the_same);
    return g_test_run();
}
