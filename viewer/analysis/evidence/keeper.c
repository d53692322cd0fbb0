#include "viewer/analysis/evidence/keeper.h"

#include "viewer/analysis/code/own-code.h"
#include "viewer/analysis/evidence/culprit.h"
#include "viewer/analysis/evidence/evidence.h"
#include "viewer/analysis/recording/category.h"
#include "viewer/analysis/recording/label.h"

#define MIN_GIVES 10 /* fewer tell nothing */

typedef struct {
    guint32 thread, chain; /* one that took or wants to, and where */
    gint frame;            /* the program's own that tells it from the others, in the chain */
    guint n_gives;         /* by others */
} Keeper;

typedef struct {
    const PmRecording *recording;
    const PmOwnCode *own;
    GHashTable *takers; /* chain → 1 + a row of it */
    GHashTable *givers; /* chain → how often */
    GHashTable *shared; /* methods on all of these; NULL: there is one at most */
} Pool;

static void add_keys(GHashTable *set, GHashTable *table)
{
    GHashTableIter iter;
    gpointer key;
    g_hash_table_iter_init(&iter, table);
    while (g_hash_table_iter_next(&iter, &key, NULL))
        g_hash_table_add(set, key);
}

static void gather(Pool *pool, const PmContention *contention, guint32 blocker)
{
    const PmWaits *w = &pool->recording->waits;
    for (gsize i = 0; i < w->n; i++) {
        guint32 thread, chain;
        if (pm_wait_blocker(w, i) != blocker)
            continue;
        g_hash_table_insert(pool->takers, GUINT_TO_POINTER(pm_wait_chain(w, i)),
                            GUINT_TO_POINTER(i + 1));
        if (!pm_contention_ender(contention, (guint32)i, &thread, &chain) || !chain)
            continue;
        guint n = GPOINTER_TO_UINT(g_hash_table_lookup(pool->givers, GUINT_TO_POINTER(chain)));
        g_hash_table_insert(pool->givers, GUINT_TO_POINTER(chain), GUINT_TO_POINTER(n + 1));
    }
    g_autoptr(GHashTable) chains = g_hash_table_new(NULL, NULL);
    add_keys(chains, pool->takers);
    add_keys(chains, pool->givers);
    pool->shared = pm_culprit_shared_methods(pool->recording, chains);
}

/* The innermost own frame that is not one of the pool's own, which all have; -1 for none. */
static gint user_frame(const Pool *pool, guint32 chain)
{
    const PmRecording *r = pool->recording;
    gint frame = pm_own_frame(pool->own, chain);
    while (frame >= 0 && pool->shared &&
           g_hash_table_contains(pool->shared,
                                 GUINT_TO_POINTER(r->chains[chain].frames[frame].method)))
        frame = pm_own_next(pool->own, r, chain, frame);
    return frame;
}

/* Is it taken from a pool there, and no signal waited for that others send? Permits are taken
 * anywhere; else the pool's own code lies in between. */
static gboolean takes_from_pool(const PmRecording *r, guint32 row, gint frame)
{
    const PmWaits *w = &r->waits;
    return pm_wait_kind(w, row) == PM_KIND_PARK &&
           (pm_category_family(pm_wait_category(w, row)) == PM_FAMILY_RESOURCE ||
            frame > (gint)r->chains[pm_wait_chain(w, row)].site);
}

/* How often things were given back in that method, or by what it called. */
static guint gives_of(const Pool *pool, guint32 method)
{
    GHashTableIter iter;
    gpointer key, value;
    guint n = 0;
    g_hash_table_iter_init(&iter, pool->givers);
    while (g_hash_table_iter_next(&iter, &key, &value))
        if (pm_recording_has_method(pool->recording, GPOINTER_TO_UINT(key), method))
            n += GPOINTER_TO_UINT(value);
    return n;
}

static gboolean find(const Pool *pool, Keeper *ret_keeper)
{
    const PmRecording *r = pool->recording;
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    GHashTableIter iter;
    gpointer key, value;
    guint n_keepers = 0;
    *ret_keeper = (Keeper){0};
    g_hash_table_iter_init(&iter, pool->takers);
    while (g_hash_table_iter_next(&iter, &key, &value)) {
        guint32 chain = GPOINTER_TO_UINT(key);
        gint frame = user_frame(pool, chain);
        if (frame < 0 || !takes_from_pool(r, GPOINTER_TO_UINT(value) - 1, frame))
            return FALSE;
        guint32 method = r->chains[chain].frames[frame].method;
        if (!g_hash_table_add(seen, GUINT_TO_POINTER(method)))
            continue;
        guint n = gives_of(pool, method);
        ret_keeper->n_gives += n;
        if (n > 0)
            continue;
        n_keepers++;
        ret_keeper->thread = pm_wait_thread(&r->waits, GPOINTER_TO_UINT(value) - 1);
        ret_keeper->chain = chain;
        ret_keeper->frame = frame;
    }
    return n_keepers == 1 && ret_keeper->n_gives >= MIN_GIVES;
}

gboolean pm_keeper_tell(const PmSearch *search, PmFinding *finding)
{
    const PmRecording *r = search->summary->metrics->view->recording;
    /* Of a lock and of a future there is nothing to keep. */
    const PmFamily family = pm_category_family(finding->category);
    if (finding->kind != PM_KIND_PARK || family == PM_FAMILY_LOCK || family == PM_FAMILY_JOIN)
        return FALSE;
    Pool pool = {.recording = r,
                 .own = pm_own_code(r),
                 .takers = g_hash_table_new(NULL, NULL),
                 .givers = g_hash_table_new(NULL, NULL)};
    Keeper keeper;
    gather(&pool, search->contention, finding->blocker);
    gboolean found = find(&pool, &keeper);
    g_hash_table_unref(pool.takers);
    g_hash_table_unref(pool.givers);
    g_clear_pointer(&pool.shared, g_hash_table_unref);
    if (!found)
        return FALSE;
    g_autofree char *method =
        pm_label_method(r, r->chains[keeper.chain].frames[keeper.frame].method);
    g_autofree char *title = g_steal_pointer(&finding->title);
    finding->title =
        g_strdup_printf("%s; %s takes it and was never seen to give it back", title, method);
    pm_finding_add_cause(finding, r, PM_CAUSE_OWNER, keeper.thread, keeper.chain);
    pm_evidence_add(finding, FALSE,
                    g_strdup_printf("others gave it back %u times in the method in which they took "
                                    "it; what nobody waited for is not seen",
                                    keeper.n_gives));
    return TRUE;
}
