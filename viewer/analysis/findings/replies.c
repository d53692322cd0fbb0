#include "viewer/analysis/findings/replies.h"

#include "viewer/analysis/base/pair.h"

#define MIN_ASKED 10 /* gives before such waits */
#define MOST      9  /* of ten gives, before them rather than after */

static gpointer key_of(guint32 from, guint32 to)
{
    return GSIZE_TO_POINTER((gsize)from << 32 | to);
}

/* Where the callers of both are the same up to one method: how many lines further on in it is the
 * call that waits than the one that gives? 0: not known. */
static gint lines_to_wait(const PmRecording *r, guint32 gives, guint32 waits)
{
    const PmChain *a = &r->chains[gives], *b = &r->chains[waits];
    if (a->truncated || b->truncated)
        return 0;
    for (guint i = 1; i <= MIN(a->n_frames, b->n_frames); i++) {
        const PmFrame *give = &a->frames[a->n_frames - i], *wait = &b->frames[b->n_frames - i];
        if (give->method != wait->method)
            return 0;
        if (give->line != wait->line)
            return give->line > 0 && wait->line > 0 ? wait->line - give->line : 0;
    }
    return 0;
}

typedef struct {
    const PmRecording *recording;
    const PmBlockerCost *cost;
    GHashTable *order; /* stack trace of a give → 1 + whether it comes before the waits, else 0 */
    GHashTable *given; /* groups that were given something before the waits */
    GHashTable *gives; /* key_of two groups: the first gives something to the second */
    guint32 first;     /* the group of who is told first: */
    gint64 n_woken, n_asked; /* its waits that were ended, and of these by who waits here, before */
    gint64 n_before, n_after;
} Asking;

/* 1: the give comes before the waits; -1: after; 0: not known, or neither. */
static gint order_of(Asking *asking, guint32 gives)
{
    gpointer known;
    if (g_hash_table_lookup_extended(asking->order, GUINT_TO_POINTER(gives), NULL, &known))
        return GPOINTER_TO_INT(known);
    gint before = 0, after = 0;
    GHashTableIter iter;
    gpointer chain;
    g_hash_table_iter_init(&iter, asking->cost->chains);
    while (g_hash_table_iter_next(&iter, &chain, NULL)) {
        const gint lines = lines_to_wait(asking->recording, gives, GPOINTER_TO_UINT(chain));
        before += lines > 0;
        after += lines < 0;
    }
    const gint order = before && !after ? 1 : after && !before ? -1 : 0;
    g_hash_table_insert(asking->order, GUINT_TO_POINTER(gives), GINT_TO_POINTER(order));
    return order;
}

static void look_at(Asking *asking, guint32 waker, guint32 chain, guint32 woken)
{
    const PmRecording *r = asking->recording;
    const guint32 group = r->threads[woken].group;
    g_hash_table_add(asking->gives, key_of(r->threads[waker].group, group));
    asking->n_woken += group == asking->first;
    if (!g_hash_table_contains(asking->cost->threads, GUINT_TO_POINTER(waker)))
        return;
    const gint order = order_of(asking, chain);
    asking->n_asked += order > 0 && group == asking->first;
    asking->n_before += order > 0;
    asking->n_after += order < 0;
    if (order > 0)
        g_hash_table_add(asking->given, GUINT_TO_POINTER(group));
}

static void look_at_all(Asking *asking)
{
    enum { AT_ONCE = 512 };
    const PmWaits *w = &asking->recording->waits;
    gint64 wakers[AT_ONCE], chains[AT_ONCE], threads[AT_ONCE], categories[AT_ONCE];
    for (gsize first = 0, n; first < w->n; first += n) {
        n = MIN(w->n - first, AT_ONCE);
        pm_wait_columns(w, PM_WAIT_COLUMN_WAKER, first, n, wakers);
        pm_wait_columns(w, PM_WAIT_COLUMN_WAKER_CHAIN, first, n, chains);
        pm_wait_columns(w, PM_WAIT_COLUMN_THREAD, first, n, threads);
        pm_wait_columns(w, PM_WAIT_COLUMN_CATEGORY, first, n, categories);
        for (gsize i = 0; i < n; i++)
            if (wakers[i] && pm_category_family((PmCategory)categories[i]) != PM_FAMILY_LOCK)
                look_at(asking, (guint32)wakers[i], (guint32)chains[i], (guint32)threads[i]);
    }
}

/* Adds to `given` whom those give something to, and so on, but for what comes back. */
static void pass_on(const Asking *asking)
{
    g_autoptr(GArray) groups = g_array_new(FALSE, FALSE, sizeof(guint32));
    GHashTableIter iter;
    gpointer key;
    g_hash_table_iter_init(&iter, asking->given);
    while (g_hash_table_iter_next(&iter, &key, NULL)) {
        const guint32 group = GPOINTER_TO_UINT(key);
        g_array_append_val(groups, group);
    }
    for (guint i = 0; i < groups->len; i++) {
        const guint32 from = g_array_index(groups, guint32, i);
        if (g_hash_table_contains(asking->cost->victims, GUINT_TO_POINTER(from)))
            continue;
        for (guint32 to = 0; to < asking->recording->n_groups; to++)
            if (g_hash_table_contains(asking->gives, key_of(from, to)) &&
                g_hash_table_add(asking->given, GUINT_TO_POINTER(to)))
                g_array_append_val(groups, to);
    }
}

PmReplies pm_replies_awaited(const PmCandidate *c)
{
    const PmFindingCause *first = c->finding->n_causes ? c->finding->causes : NULL;
    if (!first || !first->thread)
        return PM_REPLIES_NONE;
    g_autoptr(GHashTable) order = g_hash_table_new(NULL, NULL);
    g_autoptr(GHashTable) given = g_hash_table_new(NULL, NULL);
    g_autoptr(GHashTable) gives = g_hash_table_new(pm_pair_hash, NULL);
    const PmRecording *r = c->search->summary->metrics->view->recording;
    const guint32 group = r->threads[first->thread].group;
    Asking asking = {.recording = r,
                     .cost = c->cost,
                     .order = order,
                     .given = given,
                     .gives = gives,
                     .first = group};
    look_at_all(&asking);
    if (asking.n_before == 0 || asking.n_before * (10 - MOST) < asking.n_after * MOST ||
        g_hash_table_contains(c->cost->victims, GUINT_TO_POINTER(group)))
        return PM_REPLIES_NONE;
    if (asking.n_before < MIN_ASKED)
        return asking.n_asked * 10 >= asking.n_woken * MOST && asking.n_asked > 0
                   ? PM_REPLIES_PERHAPS
                   : PM_REPLIES_NONE;
    pass_on(&asking);
    return g_hash_table_contains(given, GUINT_TO_POINTER(group)) ? PM_REPLIES_AWAITED
                                                                 : PM_REPLIES_NONE;
}
