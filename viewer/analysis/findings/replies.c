#include "viewer/analysis/findings/replies.h"

#include "viewer/analysis/code/gives.h"

#define MIN_ASKED 10 /* gives before such waits */
#define MOST      9  /* of ten gives, before them rather than after */

/* `waker` ended so many waits of threads of the group in one place, not only as it gave back a
 * lock. */
typedef struct {
    guint32 waker, chain, group;
    gint64 n;
} Given;

static guint given_hash(gconstpointer key)
{
    const Given *given = key;
    return (given->waker * 31 + given->chain) * 31 + given->group;
}

static gboolean given_equal(gconstpointer left, gconstpointer right)
{
    const Given *a = left, *b = right;
    return a->waker == b->waker && a->chain == b->chain && a->group == b->group;
}

GArray *pm_replies_gives_new(void)
{
    return g_array_new(FALSE, FALSE, sizeof(Given));
}

/* What was given in the view; at least nothing. */
static void gather(const PmView *view, GArray *gives)
{
    enum { AT_ONCE = 512 };
    const PmRecording *r = view->recording;
    const PmWaits *w = &r->waits;
    g_autoptr(GHashTable) all = g_hash_table_new_full(given_hash, given_equal, g_free, NULL);
    gint64 wakers[AT_ONCE], chains[AT_ONCE], threads[AT_ONCE], categories[AT_ONCE], wakes[AT_ONCE];
    Given none = {0}, *last = &none;
    for (gsize first = 0, n; first < w->n; first += n) {
        n = MIN(w->n - first, AT_ONCE);
        pm_wait_columns(w, PM_WAIT_COLUMN_WAKER, first, n, wakers);
        pm_wait_columns(w, PM_WAIT_COLUMN_WAKER_CHAIN, first, n, chains);
        pm_wait_columns(w, PM_WAIT_COLUMN_THREAD, first, n, threads);
        pm_wait_columns(w, PM_WAIT_COLUMN_CATEGORY, first, n, categories);
        pm_wait_columns(w, PM_WAIT_COLUMN_WAKE, first, n, wakes);
        for (gsize i = 0; i < n; i++) {
            const Given key = {(guint32)wakers[i], (guint32)chains[i], r->threads[threads[i]].group,
                               0};
            if (!wakers[i] || wakes[i] < view->from || wakes[i] > view->to ||
                pm_category_family((PmCategory)categories[i]) == PM_FAMILY_LOCK)
                continue;
            if (!given_equal(last, &key) && !(last = g_hash_table_lookup(all, &key)))
                g_hash_table_add(all, last = g_memdup2(&key, sizeof key));
            last->n++;
        }
    }
    g_array_append_val(gives, none);
    GHashTableIter iter;
    gpointer given;
    g_hash_table_iter_init(&iter, all);
    while (g_hash_table_iter_next(&iter, &given, NULL))
        g_array_append_vals(gives, given, 1);
}

typedef struct {
    const PmRecording *recording;
    const PmBlockerCost *cost;
    const PmTotals *victims; /* groups that wait here */
    const GArray *gives;     /* of Given */
    GHashTable *order;       /* stack trace of a give → as order_of says */
    GHashTable *given;       /* groups that were given something before the waits */
    guint32 first;           /* the group of who is told first: */
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
    for (guint32 i = 0; i < asking->cost->chains.n; i++) {
        const gint lines =
            pm_gives_lines_to_wait(asking->recording, gives, asking->cost->chains.items[i].key);
        before += lines > 0;
        after += lines < 0;
    }
    const gint order = before && !after ? 1 : after && !before ? -1 : 0;
    g_hash_table_insert(asking->order, GUINT_TO_POINTER(gives), GINT_TO_POINTER(order));
    return order;
}

static void look_at(Asking *asking, const Given *given)
{
    const gboolean is_first = given->group == asking->first;
    asking->n_woken += is_first ? given->n : 0;
    if (!pm_totals_find(&asking->cost->threads, given->waker))
        return;
    const gint order = order_of(asking, given->chain);
    asking->n_asked += order > 0 && is_first ? given->n : 0;
    asking->n_before += order > 0 ? given->n : 0;
    asking->n_after += order < 0 ? given->n : 0;
    if (order > 0)
        g_hash_table_add(asking->given, GUINT_TO_POINTER(given->group));
}

/* Adds to `given` whom those give something to, and so on, but for what comes back. */
static void pass_on(const Asking *asking)
{
    for (gboolean any = TRUE; any;) {
        any = FALSE;
        for (guint i = 1; i < asking->gives->len; i++) {
            const Given *given = &g_array_index(asking->gives, Given, i);
            const guint32 from = asking->recording->threads[given->waker].group;
            any |= g_hash_table_contains(asking->given, GUINT_TO_POINTER(from)) &&
                   !pm_totals_find(asking->victims, from) &&
                   g_hash_table_add(asking->given, GUINT_TO_POINTER(given->group));
        }
    }
}

static PmReplies awaited(const PmCandidate *c, const PmFindingCause *first, const PmTotals *victims)
{
    g_autoptr(GHashTable) order = g_hash_table_new(NULL, NULL);
    g_autoptr(GHashTable) given = g_hash_table_new(NULL, NULL);
    const PmView *view = c->search->summary->metrics->view;
    const PmRecording *r = view->recording;
    if (!c->search->gives->len)
        gather(view, c->search->gives);
    const guint32 group = r->threads[first->thread].group;
    Asking asking = {.recording = r,
                     .cost = c->cost,
                     .victims = victims,
                     .order = order,
                     .given = given,
                     .gives = c->search->gives,
                     .first = group};
    for (guint i = 1; i < asking.gives->len; i++)
        look_at(&asking, &g_array_index(asking.gives, Given, i));
    if (asking.n_before == 0 || asking.n_before * (10 - MOST) < asking.n_after * MOST ||
        pm_totals_find(victims, group))
        return PM_REPLIES_NONE;
    if (asking.n_before < MIN_ASKED)
        return asking.n_asked * 10 >= asking.n_woken * MOST && asking.n_asked > 0
                   ? PM_REPLIES_PERHAPS
                   : PM_REPLIES_NONE;
    pass_on(&asking);
    return g_hash_table_contains(given, GUINT_TO_POINTER(group)) ? PM_REPLIES_AWAITED
                                                                 : PM_REPLIES_NONE;
}

PmReplies pm_replies_awaited(const PmCandidate *c)
{
    const PmFindingCause *first = c->finding->n_causes ? c->finding->causes : NULL;
    if (!first || !first->thread)
        return PM_REPLIES_NONE;
    g_auto(PmTotals) victims =
        pm_blocker_cost_groups(c->cost, c->search->summary->metrics->view->recording);
    return awaited(c, first, &victims);
}
