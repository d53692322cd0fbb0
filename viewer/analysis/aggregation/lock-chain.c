#include "viewer/analysis/aggregation/lock-chain.h"

#include <string.h>

#include "viewer/analysis/base/sum.h"

/* Those of no length hold nobody up, and would break the order of ends. */
static gboolean is_for_owned(const PmWaits *w, gsize row)
{
    return pm_wait_kind(w, row) != PM_KIND_WAIT && pm_wait_owner(w, row) != 0 &&
           pm_wait_end(w, row) > pm_wait_begin(w, row);
}

/* Adds to `times` (blocker → gint64 *) what the owner of `part` waited for meanwhile. */
static void add_owner_waits(const PmActivity *activity, const PmPart *part, guint32 blocker,
                            GHashTable *times)
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
        if (overlap <= 0 || pm_wait_blocker(w, row) == blocker || !is_for_owned(w, row))
            continue;
        gpointer key = GUINT_TO_POINTER(pm_wait_blocker(w, row));
        gint64 *time = g_hash_table_lookup(times, key);
        if (!time) {
            time = g_new0(gint64, 1);
            g_hash_table_insert(times, key, time);
        }
        pm_sum_add(time, overlap);
    }
}

typedef struct {
    const PmView *view;
    const PmContention *contention;
    guint32 blocker;
    GHashTable *times;
    GArray *parts;
    gint64 owner_time;
} Linking;

static void add_wait(Linking *l, guint32 row)
{
    g_array_set_size(l->parts, 0);
    pm_contention_split_here(l->contention, row, l->view->from, l->view->to, l->parts);
    for (guint k = 0; k < l->parts->len; k++) {
        const PmPart *part = &g_array_index(l->parts, PmPart, k);
        if (part->kind != PM_CAUSE_OWNER)
            continue;
        pm_sum_add(&l->owner_time, part->end - part->begin);
        add_owner_waits(pm_contention_activity(l->contention), part, l->blocker, l->times);
    }
}

gboolean pm_lock_chain_link(const PmView *view, const PmContention *contention, guint32 blocker,
                            PmLockLink *ret_link)
{
    const PmWaits *w = &view->recording->waits;
    g_autoptr(GHashTable) times = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    g_autoptr(GArray) parts = g_array_new(FALSE, FALSE, sizeof(PmPart));
    Linking linking = {view, contention, blocker, times, parts, 0};
    gint64 blockers[PM_VIEW_SPAN];
    PmViewRows rows;

    for (gsize i = 0; i < view->n; i += rows.n) {
        pm_view_rows(view, i, view->n - i, &rows);
        pm_wait_columns(w, PM_WAIT_COLUMN_BLOCKER, rows.first, rows.span, blockers);
        for (gsize k = 0; k < rows.n; k++)
            if (blockers[rows.offsets[k]] == blocker)
                add_wait(&linking, (guint32)(rows.first + rows.offsets[k]));
    }
    PmLockLink link = {.blocker = blocker, .owner_time = linking.owner_time};
    GHashTableIter iter;
    gpointer key, value;
    g_hash_table_iter_init(&iter, times);
    while (g_hash_table_iter_next(&iter, &key, &value)) {
        gint64 time = *(gint64 *)value;
        guint32 next = GPOINTER_TO_UINT(key);
        if (time > link.thread_time || (time == link.thread_time && next < link.next)) {
            link.thread_time = time;
            link.next = next;
        }
    }
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
