#include "viewer/analysis/slices/pool.h"

#include <stdlib.h>
#include <string.h>

#include "viewer/analysis/base/cancel.h"
#include "viewer/analysis/base/sort.h"
#include "viewer/analysis/base/sum.h"

double pm_pool_none_idle_share(const PmPool *pool)
{
    return pool->alive > 0 ? (double)pool->none_idle / (double)pool->alive : 0;
}

gint64 pm_pool_busy(const PmPool *pool)
{
    return MAX(pool->life - pool->family[PM_FAMILY_IDLE], 0);
}

/* Threads that wait for references to be cleared rest the same way, but no task is given to them.
 */
static gboolean is_housekeeping(const PmRecording *r, guint32 chain)
{
    static const char *const packages[] = {"java.lang.ref.", "jdk.internal.ref."};
    const PmChain *c = &r->chains[chain];

    for (guint32 i = 0; i < c->n_frames; i++) {
        const char *name = pm_recording_class_at(r, c, i);
        for (gsize p = 0; p < G_N_ELEMENTS(packages); p++)
            if (g_str_has_prefix(name, packages[p]))
                return TRUE;
    }
    return FALSE;
}

/* By group: whether one of its threads was seen idle as a pool's. Owned. */
static guint8 *find_pools(const PmRecording *r)
{
    enum { ASK, POOL, HOUSE };
    const PmWaits *w = &r->waits;
    g_autofree guint8 *chains = g_new0(guint8, r->n_chains + 1);
    guint8 *is_pool = g_new0(guint8, r->n_groups + 1);

    for (gsize i = 0; i < w->n; i++) {
        if (pm_wait_category(w, i) != PM_CATEGORY_POOL_IDLE)
            continue;
        guint8 *known = &chains[pm_wait_chain(w, i)];
        if (*known == ASK)
            *known = is_housekeeping(r, pm_wait_chain(w, i)) ? HOUSE : POOL;
        is_pool[r->threads[pm_wait_thread(w, i)].group] |= *known == POOL;
    }
    return is_pool;
}

/* At `at` so many more threads are idle, so many more live. */
typedef struct {
    gint64 at;
    gint32 idle, alive;
} Transition;

static void add_span(GArray *transitions, gint64 begin, gint64 end, gint32 idle, gint32 alive)
{
    const Transition span[] = {{begin, idle, alive}, {end, -idle, -alive}};

    g_array_append_vals(transitions, span, G_N_ELEMENTS(span));
}

static void sweep(PmPool *pool, GArray *transitions)
{
    gint32 idle = 0, alive = 0;
    gboolean lived = FALSE;

    g_array_sort(transitions, pm_compare_instants);
    for (guint i = 0; i < transitions->len; i++) {
        const Transition *transition = &g_array_index(transitions, Transition, i);
        idle += transition->idle;
        alive += transition->alive;
        gint64 length = i + 1 < transitions->len ? transition[1].at - transition->at : 0;
        if (length == 0 || alive <= 0)
            continue;
        pool->size = MAX(pool->size, (guint32)alive);
        pool->alive += length;
        if (idle <= 0)
            pool->none_idle += length;
        pool->least_idle = lived ? MIN(pool->least_idle, (guint32)MAX(idle, 0)) : (guint32)idle;
        lived = TRUE;
    }
}

static void add_waits(PmPool *pool, GArray **transitions, const PmView *view,
                      const guint32 *pool_of)
{
    const PmRecording *r = view->recording;
    const PmWaits *w = &r->waits;

    for (gsize i = 0; i < w->n; i++) {
        guint32 p = pool_of[r->threads[pm_wait_thread(w, i)].group];
        if (p == 0 || pm_wait_begin(w, i) >= view->to)
            continue;
        gint64 begin = MAX(pm_wait_begin(w, i), view->from), end = MIN(pm_wait_end(w, i), view->to);
        gboolean idle = pm_wait_category(w, i) == PM_CATEGORY_POOL_IDLE;
        /* A wait that is still going on as the range ends, as in every other answer. */
        if (idle &&
            (pm_wait_end(w, i) > view->to ||
             (pm_wait_end(w, i) == view->to && (pm_wait_flags(w, i) & PM_WAIT_IN_PROGRESS) != 0)))
            pool[p - 1].idle_now++;
        if (end <= begin)
            continue;
        pm_sum_add(&pool[p - 1].family[pm_category_family(pm_wait_category(w, i))], end - begin);
        if (idle)
            add_span(transitions[p - 1], begin, end, 1, 0);
    }
}

static void add_threads(PmPool *pool, GArray **transitions, const PmView *view,
                        const guint32 *pool_of)
{
    const PmRecording *r = view->recording;

    for (guint32 t = 1; t < r->n_threads; t++) {
        const PmThread *thread = &r->threads[t];
        guint32 p = pool_of[thread->group];
        gint64 begin = MAX(thread->begin, view->from), end = MIN(thread->end, view->to);
        if (p == 0 || end <= begin)
            continue;
        pool[p - 1].n_threads++;
        pm_sum_add(&pool[p - 1].life, end - begin);
        add_span(transitions[p - 1], begin, end, 0, 1);
    }
}

static int compare_pools(gconstpointer left, gconstpointer right, gpointer data)
{
    const PmRecording *r = data;
    const PmPool *a = left, *b = right;
    double x = pm_pool_none_idle_share(a), y = pm_pool_none_idle_share(b);

    if (x != y)
        return x > y ? -1 : 1;
    if (a->size != b->size)
        return a->size > b->size ? -1 : 1;
    int names = strcmp(r->groups[a->group].name, r->groups[b->group].name);
    return names != 0 ? names : (a->group > b->group) - (a->group < b->group);
}

PmPools *pm_pools_new(PmView *view, const gint *cancel)
{
    g_return_val_if_fail(view != NULL, NULL);
    const PmRecording *r = view->recording;
    g_autofree guint8 *is_pool = find_pools(r);
    g_autofree guint32 *pool_of = g_new0(guint32, r->n_groups + 1); /* 1 + index, 0 = none */
    g_autoptr(PmPools) pools = g_new0(PmPools, 1);
    g_autoptr(GPtrArray) transitions =
        g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);

    pools->view = pm_view_ref(view);
    pools->pools = g_new0(PmPool, r->n_groups + 1);
    for (guint32 g = 0; g < r->n_groups; g++) {
        if (!is_pool[g])
            continue;
        pools->pools[pools->n++].group = g;
        pool_of[g] = pools->n;
        g_ptr_array_add(transitions, g_array_new(FALSE, FALSE, sizeof(Transition)));
    }
    if (pm_cancelled(cancel))
        return NULL;
    add_threads(pools->pools, (GArray **)transitions->pdata, view, pool_of);
    add_waits(pools->pools, (GArray **)transitions->pdata, view, pool_of);
    if (pm_cancelled(cancel))
        return NULL;
    guint n = 0;
    for (guint i = 0; i < pools->n; i++) {
        sweep(&pools->pools[i], transitions->pdata[i]);
        /* Those of which no thread lived in the range are left out. */
        if (pools->pools[i].n_threads > 0)
            pools->pools[n++] = pools->pools[i];
    }
    pools->n = n;
    g_qsort_with_data(pools->pools, (gint)n, sizeof *pools->pools, compare_pools, (gpointer)r);
    return g_steal_pointer(&pools);
}

void pm_pools_free(PmPools *pools)
{
    if (!pools)
        return;
    pm_view_unref(pools->view);
    g_free(pools->pools);
    g_free(pools);
}
