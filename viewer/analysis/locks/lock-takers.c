#include "viewer/analysis/locks/lock-takers.h"

#include "viewer/analysis/base/search.h"

typedef struct {
    guint32 thread, blocker;
} Taker;

struct PmLockTakers {
    const PmRecording *recording;
    GHashTable *by_lock; /* lock → GArray of Taker, by thread */
};

static gint taker_compare(gconstpointer left, gconstpointer right)
{
    const Taker *a = left, *b = right;
    return a->thread != b->thread ? (a->thread > b->thread) - (a->thread < b->thread)
                                  : (a->blocker > b->blocker) - (a->blocker < b->blocker);
}

PmLockTakers *pm_lock_takers_new(const PmRecording *r, GHashTable *takers)
{
    PmLockTakers *all = g_new0(PmLockTakers, 1);
    GHashTableIter iter;
    gpointer key, value;
    all->recording = r;
    all->by_lock = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
    g_hash_table_iter_init(&iter, takers);
    while (g_hash_table_iter_next(&iter, &key, NULL)) {
        const Taker taker = {(guint32)GPOINTER_TO_SIZE(key), GPOINTER_TO_SIZE(key) >> 32};
        const gpointer lock = GUINT_TO_POINTER(r->blockers[taker.blocker].parent);
        if (!lock || taker.thread >= r->n_threads)
            continue;
        GArray *its = g_hash_table_lookup(all->by_lock, lock);
        if (!its) {
            its = g_array_new(FALSE, FALSE, sizeof taker);
            g_hash_table_insert(all->by_lock, lock, its);
        }
        g_array_append_val(its, taker);
    }
    g_hash_table_iter_init(&iter, all->by_lock);
    while (g_hash_table_iter_next(&iter, NULL, &value))
        g_array_sort(value, taker_compare);
    return all;
}

void pm_lock_takers_free(PmLockTakers *takers)
{
    if (!takers)
        return;
    g_hash_table_unref(takers->by_lock);
    g_free(takers);
}

/* NULL: nobody waits at the conditions of its lock, or it has none. */
static const GArray *takers_of_lock(const PmLockTakers *takers, guint32 blocker)
{
    const guint32 lock = takers->recording->blockers[blocker].parent;
    return lock ? g_hash_table_lookup(takers->by_lock, GUINT_TO_POINTER(lock)) : NULL;
}

void pm_lock_takers_beside(const PmLockTakers *all, guint32 blocker, GArray *threads)
{
    const GArray *takers = takers_of_lock(all, blocker);
    guint32 last = 0;
    for (guint i = 0; takers && i < takers->len; i++) {
        const Taker *taker = &g_array_index(takers, Taker, i);
        if (taker->blocker == blocker || taker->thread == last)
            continue;
        last = taker->thread;
        g_array_append_val(threads, last);
    }
}

gboolean pm_lock_takers_has(const PmLockTakers *all, guint32 blocker, guint32 thread)
{
    const GArray *takers = takers_of_lock(all, blocker);
    guint low = 0, high = takers ? takers->len : 0;
    PM_LOWER_BOUND(low, high, middle, g_array_index(takers, Taker, middle).thread < thread)
    for (; takers && low < takers->len; low++) {
        const Taker *taker = &g_array_index(takers, Taker, low);
        if (taker->thread != thread)
            break;
        if (taker->blocker != blocker)
            return TRUE;
    }
    return FALSE;
}
