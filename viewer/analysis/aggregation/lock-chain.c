#include "viewer/analysis/aggregation/lock-chain.h"

#include "viewer/analysis/base/sum.h"
#include "viewer/analysis/base/totals.h"

/* Those of no length hold nobody up, and would break the order of ends. */
static gboolean is_for_owned(const PmWaits *w, gsize row)
{
    return pm_wait_kind(w, row) != PM_KIND_WAIT && pm_wait_owner(w, row) != 0 &&
           pm_wait_end(w, row) > pm_wait_begin(w, row);
}

typedef struct {
    const PmView *view;
    const PmContention *contention;
    guint32 blocker;
    gint64 n, time;      /* its waits */
    gint64 step, passed; /* of waiting, where one is looked at; 0: each is */
    PmTotals times;      /* by what the owners waited for */
    GArray *parts;
    gint64 owner_time;
} Linking;

static gint64 weighed(gint64 time, double weight)
{
    return pm_rounded((double)time * weight);
}

/* Adds what the owner of `part` waited for meanwhile. */
static void add_owner_waits(Linking *l, const PmActivity *activity, const PmPart *part,
                            double weight)
{
    const PmWaits *w = &activity->recording->waits;
    const guint32 n = pm_activity_n_waits(activity, part->thread);
    guint32 nth = pm_activity_first_wait(activity, part->thread, part->begin);
    /* Those of no length come behind what begins with them. */
    for (; nth > 0; nth--) {
        const guint32 before = pm_activity_wait(activity, part->thread, nth - 1);
        if (pm_wait_length(w, before) > 0 && pm_wait_end(w, before) <= part->begin)
            break;
    }
    for (; nth < n; nth++) {
        const guint32 row = pm_activity_wait(activity, part->thread, nth);
        if (pm_wait_begin(w, row) >= part->end)
            break;
        const gint64 overlap =
            MIN(pm_wait_end(w, row), part->end) - MAX(pm_wait_begin(w, row), part->begin);
        if (overlap <= 0 || pm_wait_blocker(w, row) == l->blocker || !is_for_owned(w, row))
            continue;
        pm_sum_add(pm_totals_at(&l->times, pm_wait_blocker(w, row)), weighed(overlap, weight));
    }
}

static void count_wait(Linking *l, guint32 row)
{
    l->n++;
    pm_sum_add(&l->time, pm_view_clip(l->view, row));
}

static void add_wait(Linking *l, guint32 row)
{
    double weight = 1;
    if (l->step) {
        const gint64 time = pm_view_clip(l->view, row);
        l->passed = pm_sum(l->passed, time);
        const gint64 steps = l->passed / l->step;
        if (!steps)
            return;
        l->passed %= l->step;
        weight = (double)steps * (double)l->step / (double)time;
    }
    g_array_set_size(l->parts, 0);
    pm_contention_split_here(l->contention, row, l->view->from, l->view->to, l->parts);
    for (guint k = 0; k < l->parts->len; k++) {
        const PmPart *part = &g_array_index(l->parts, PmPart, k);
        if (part->kind != PM_CAUSE_OWNER)
            continue;
        pm_sum_add(&l->owner_time, weighed(part->end - part->begin, weight));
        add_owner_waits(l, pm_contention_activity(l->contention), part, weight);
    }
}

static void each_wait(Linking *l, void (*each)(Linking *l, guint32 row))
{
    const PmView *view = l->view;
    gint64 blockers[PM_VIEW_SPAN];
    PmViewRows rows;
    for (gsize i = 0; i < view->n; i += rows.n) {
        pm_view_rows(view, i, view->n - i, &rows);
        pm_wait_columns(&view->recording->waits, PM_WAIT_COLUMN_BLOCKER, rows.first, rows.span,
                        blockers);
        for (gsize k = 0; k < rows.n; k++)
            if (blockers[rows.offsets[k]] == l->blocker)
                each(l, (guint32)(rows.first + rows.offsets[k]));
    }
}

gboolean pm_lock_chain_link(const PmView *view, const PmContention *contention, guint32 blocker,
                            PmLockLink *ret_link)
{
    g_autoptr(GArray) parts = g_array_new(FALSE, FALSE, sizeof(PmPart));
    Linking l = {.view = view, .contention = contention, .blocker = blocker, .parts = parts};
    each_wait(&l, count_wait);
    if (l.n > PM_LOCK_CHAIN_MOST)
        l.step = MAX(l.time / PM_LOCK_CHAIN_MOST, 1);
    each_wait(&l, add_wait);
    PmLockLink link = {.blocker = blocker, .owner_time = l.owner_time, .estimated = l.step != 0};
    link.next = pm_totals_most(&l.times, &link.thread_time);
    pm_totals_clear(&l.times);
    if (link.next == 0)
        return FALSE;
    *ret_link = link;
    return TRUE;
}

GHashTable *pm_lock_links_new(void)
{
    return g_hash_table_new_full(NULL, NULL, NULL, g_free);
}

/* Its `next` is 0 where there is none. */
static const PmLockLink *link_of(const PmView *view, const PmContention *contention,
                                 GHashTable *known, guint32 blocker)
{
    PmLockLink *link = g_hash_table_lookup(known, GUINT_TO_POINTER(blocker));
    if (!link) {
        link = g_new0(PmLockLink, 1);
        pm_lock_chain_link(view, contention, blocker, link);
        g_hash_table_insert(known, GUINT_TO_POINTER(blocker), link);
    }
    return link;
}

guint pm_lock_chain_follow(const PmView *view, const PmContention *contention, GHashTable *known,
                           guint32 blocker, PmLockLink *ret_links, guint max)
{
    guint n = 0;
    while (n < max) {
        const PmLockLink *link = link_of(view, contention, known, blocker);
        if (!link->next || link->thread_time < link->owner_time - link->thread_time)
            break;
        ret_links[n++] = *link;
        for (guint i = 0; i < n; i++)
            if (ret_links[i].blocker == link->next)
                return n; /* a circle */
        blocker = link->next;
    }
    return n;
}
