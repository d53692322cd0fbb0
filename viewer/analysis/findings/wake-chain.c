#include "viewer/analysis/findings/wake-chain.h"

#include <string.h>

#include "viewer/analysis/recording/sum.h"

/* The waits of the wakers alone, by thread, then by begin. */
typedef struct {
    guint32 *starts;
    guint32 *rows;
} Index;

/* Waits of no length hold nobody up, and would break the order of ends. */
static gboolean is_indexed(const PmWaits *w, gsize row, const guint8 *is_waker)
{
    return is_waker[pm_wait_thread(w, row)] && pm_wait_end(w, row) > pm_wait_begin(w, row);
}

static void index_init(Index *index, const PmRecording *r, const guint8 *is_waker)
{
    const PmWaits *w = &r->waits;
    index->starts = g_new0(guint32, r->n_threads + 2);
    for (gsize i = 0; i < w->n; i++)
        if (is_indexed(w, i, is_waker))
            index->starts[pm_wait_thread(w, i) + 2]++;
    for (guint32 t = 2; t < r->n_threads + 2; t++)
        index->starts[t] += index->starts[t - 1];
    index->rows = g_new(guint32, MAX(index->starts[r->n_threads + 1], 1));
    for (gsize i = 0; i < w->n; i++)
        if (is_indexed(w, i, is_waker))
            index->rows[index->starts[pm_wait_thread(w, i) + 1]++] = (guint32)i;
}

static void index_clear(Index *index)
{
    g_free(index->starts);
    g_free(index->rows);
}

/* Waits at one site that were ended from one site by one group. */
typedef struct {
    PmFrame at, from;
    guint32 group; /* + 1; 0 = nobody */
} Key;

static guint key_hash(gconstpointer data)
{
    const Key *key = data;
    return key->at.method * 31 + (guint)key->at.line * 17 + key->from.method * 131 +
           (guint)key->from.line * 7 + key->group;
}

static gboolean key_equal(gconstpointer left, gconstpointer right)
{
    const Key *a = left, *b = right;
    return a->at.method == b->at.method && a->at.line == b->at.line &&
           a->from.method == b->from.method && a->from.line == b->from.line && a->group == b->group;
}

static PmFrame site_of(const PmRecording *r, guint32 chain)
{
    const PmChain *c = &r->chains[chain];
    if (chain == 0 || c->n_frames == 0)
        return (PmFrame){0, 0};
    return c->frames[MIN(c->site, c->n_frames - 1)];
}

/* Adds to `steps` what `waker` waited for within [begin, end). */
static void add_waits(const PmRecording *r, const Index *index, guint32 waker, gint64 begin,
                      gint64 end, GHashTable *steps)
{
    const PmWaits *w = &r->waits;
    guint32 low = index->starts[waker], last = index->starts[waker + 1], high = last;
    /* A thread waits once at a time, so its waits end in the order in which they begin. */
    while (low < high) {
        guint32 middle = low + (high - low) / 2;
        if (pm_wait_end(w, index->rows[middle]) <= begin)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < last && pm_wait_begin(w, index->rows[low]) < end; low++) {
        guint32 row = index->rows[low];
        Key key = {.at = site_of(r, pm_wait_chain(w, row)),
                   .from = site_of(r, pm_wait_waker_chain(w, row)),
                   .group =
                       pm_wait_waker(w, row) ? r->threads[pm_wait_waker(w, row)].group + 1 : 0};
        PmWakeStep *step = g_hash_table_lookup(steps, &key);
        if (step == NULL) {
            step = g_new0(PmWakeStep, 1);
            step->chain = pm_wait_chain(w, row);
            step->waker = pm_wait_waker(w, row);
            step->waker_chain = pm_wait_waker_chain(w, row);
            g_hash_table_insert(steps, g_memdup2(&key, sizeof key), step);
        }
        pm_sum_add(&step->time, MIN(pm_wait_end(w, row), end) - MAX(pm_wait_begin(w, row), begin));
    }
}

static gboolean is_bigger(const PmWakeStep *a, const PmWakeStep *b)
{
    if (a->time != b->time)
        return a->time > b->time;
    return a->chain != b->chain ? a->chain < b->chain : a->waker_chain < b->waker_chain;
}

gboolean pm_wake_chain_step(const PmView *view, const guint32 *rows, guint n, PmWakeStep *ret_step)
{
    const PmRecording *r = view->recording;
    const PmWaits *w = &r->waits;
    g_autofree guint8 *is_waker = g_new0(guint8, r->n_threads + 1);
    for (guint i = 0; i < n; i++)
        if (pm_wait_waker(w, rows[i]) != pm_wait_thread(w, rows[i]))
            is_waker[pm_wait_waker(w, rows[i])] = 1;
    is_waker[0] = 0;

    Index index;
    index_init(&index, r, is_waker);
    g_autoptr(GHashTable) steps = g_hash_table_new_full(key_hash, key_equal, g_free, g_free);
    gint64 waited = 0;
    for (guint i = 0; i < n; i++) {
        guint32 row = rows[i];
        gint64 begin = MAX(pm_wait_begin(w, row), view->from);
        gint64 end =
            MIN(pm_wait_wake(w, row) ? pm_wait_wake(w, row) : pm_wait_end(w, row), view->to);
        if (!is_waker[pm_wait_waker(w, row)] || end <= begin)
            continue;
        pm_sum_add(&waited, end - begin);
        add_waits(r, &index, pm_wait_waker(w, row), begin, end, steps);
    }
    index_clear(&index);

    PmWakeStep best = {.time = 0};
    GHashTableIter iter;
    gpointer value;
    g_hash_table_iter_init(&iter, steps);
    while (g_hash_table_iter_next(&iter, NULL, &value))
        if (best.time == 0 || is_bigger(value, &best))
            best = *(PmWakeStep *)value;
    if (best.time <= 0)
        return FALSE;
    best.waited = waited;
    *ret_step = best;
    return TRUE;
}
