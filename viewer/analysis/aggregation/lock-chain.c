#include "viewer/analysis/aggregation/lock-chain.h"

#include <string.h>

#include "viewer/analysis/base/search.h"
#include "viewer/analysis/base/sum.h"

struct PmLockChains {
    const PmView *view;
    const PmContention *contention;
    guint32 *starts; /* by thread */
    guint32 *rows;   /* waits for something that is owned, by thread, then by begin */
};

/* Those of no length hold nobody up, and would break the order of ends. */
static gboolean is_for_owned(const PmWaits *w, gsize row)
{
    return pm_wait_kind(w, row) != PM_KIND_WAIT && pm_wait_owner(w, row) != 0 &&
           pm_wait_end(w, row) > pm_wait_begin(w, row);
}

PmLockChains *pm_lock_chains_new(const PmView *view, const PmContention *contention)
{
    const PmRecording *r = view->recording;
    const PmWaits *w = &r->waits;
    PmLockChains *c = g_new0(PmLockChains, 1);
    c->view = view;
    c->contention = contention;
    c->starts = g_new0(guint32, r->n_threads + 2);
    for (gsize i = 0; i < w->n; i++)
        if (is_for_owned(w, i))
            c->starts[pm_wait_thread(w, i) + 2]++;
    for (guint32 t = 2; t < r->n_threads + 2; t++)
        c->starts[t] += c->starts[t - 1];
    c->rows = g_new(guint32, MAX(c->starts[r->n_threads + 1], 1));
    for (gsize i = 0; i < w->n; i++)
        if (is_for_owned(w, i))
            c->rows[c->starts[pm_wait_thread(w, i) + 1]++] = (guint32)i;
    return c;
}

void pm_lock_chains_free(PmLockChains *chains)
{
    if (!chains)
        return;
    g_free(chains->starts);
    g_free(chains->rows);
    g_free(chains);
}

/* Adds to `times` (blocker → gint64 *) what the owner of `part` waited for meanwhile. */
static void add_owner_waits(const PmLockChains *c, const PmPart *part, guint32 blocker,
                            GHashTable *times)
{
    const PmWaits *w = &c->view->recording->waits;
    guint32 low = c->starts[part->thread], end = c->starts[part->thread + 1], high = end;
    /* A thread waits once at a time, so its waits end in the order in which they begin. */
    PM_LOWER_BOUND(low, high, middle, pm_wait_end(w, c->rows[middle]) <= part->begin)
    for (; low < end && pm_wait_begin(w, c->rows[low]) < part->end; low++) {
        guint32 row = c->rows[low];
        gint64 overlap =
            MIN(pm_wait_end(w, row), part->end) - MAX(pm_wait_begin(w, row), part->begin);
        if (overlap <= 0 || pm_wait_blocker(w, row) == blocker)
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

gboolean pm_lock_chains_link(const PmLockChains *c, guint32 blocker, PmLockLink *ret_link)
{
    const PmView *view = c->view;
    const PmWaits *w = &view->recording->waits;
    g_autoptr(GHashTable) times = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    g_autoptr(GArray) parts = g_array_new(FALSE, FALSE, sizeof(PmPart));
    PmLockLink link = {.blocker = blocker};

    for (gsize i = 0; i < view->n; i++) {
        guint32 row = pm_view_row(view, i);
        if (pm_wait_blocker(w, row) != blocker)
            continue;
        g_array_set_size(parts, 0);
        pm_contention_split_here(c->contention, row, view->from, view->to, parts);
        for (guint k = 0; k < parts->len; k++) {
            const PmPart *part = &g_array_index(parts, PmPart, k);
            if (part->kind != PM_CAUSE_OWNER)
                continue;
            pm_sum_add(&link.owner_time, part->end - part->begin);
            add_owner_waits(c, part, blocker, times);
        }
    }
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

guint pm_lock_chains_follow(const PmLockChains *chains, guint32 blocker, PmLockLink *ret_links,
                            guint max)
{
    guint n = 0;
    while (n < max) {
        PmLockLink link;
        if (!pm_lock_chains_link(chains, blocker, &link) ||
            link.thread_time < link.owner_time - link.thread_time)
            break;
        ret_links[n++] = link;
        for (guint i = 0; i < n; i++)
            if (ret_links[i].blocker == link.next)
                return n; /* a circle */
        blocker = link.next;
    }
    return n;
}
