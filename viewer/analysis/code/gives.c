#include "viewer/analysis/code/gives.h"

#include "viewer/analysis/base/arrays.h"
#include "viewer/analysis/base/search.h"
#include "viewer/analysis/recording/category.h"
#include "viewer/analysis/recording/label.h"

typedef struct {
    gint64 at;
    guint32 chain;
    guint32 to; /* a group; NOBODY: a lock was given back, or room made */
} Give;

#define NOBODY G_MAXUINT32

struct PmGives {
    const PmRecording *recording;
    GHashTable *threads; /* thread → GArray of Give, by time */
    GHashTable *passes;  /* pass_key of groups: of the first to the second */
};

static gpointer pass_key(guint32 from, guint32 to)
{
    return GSIZE_TO_POINTER((gsize)from << 32 | to);
}

/* By stack trace, in which something is waited for: is that a lock, or room? */
typedef struct {
    const PmRecording *recording;
    guint8 *known; /* 1 + that */
} Asides;

static gboolean is_aside(const Asides *asides, gsize row)
{
    const PmWaits *w = &asides->recording->waits;
    const guint32 chain = pm_wait_chain(w, row);
    if (pm_category_family(pm_wait_category(w, row)) == PM_FAMILY_LOCK)
        return TRUE;
    if (!asides->known[chain])
        asides->known[chain] = 1 + pm_label_waits_for_room(asides->recording, chain);
    return asides->known[chain] > 1;
}

PmGives *pm_gives_new(const PmRecording *recording)
{
    const PmWaits *w = &recording->waits;
    const PmThread *threads = recording->threads;
    g_autofree guint8 *known = g_new0(guint8, recording->n_chains + 1);
    const Asides asides = {recording, known};
    PmGives *gives = g_new0(PmGives, 1);
    gives->recording = recording;
    gives->threads = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
    gives->passes = g_hash_table_new(NULL, NULL);
    for (gsize i = 0; i < w->n; i++) {
        const guint32 waker = pm_wait_waker(w, i);
        Give give = {pm_wait_wake(w, i), pm_wait_waker_chain(w, i), NOBODY};
        if (!waker || !give.at)
            continue;
        if (!is_aside(&asides, i)) {
            give.to = threads[pm_wait_thread(w, i)].group;
            g_hash_table_add(gives->passes, pass_key(threads[waker].group, give.to));
        }
        g_array_append_val(pm_arrays_at(gives->threads, GUINT_TO_POINTER(waker), sizeof give),
                           give);
    }
    g_hash_table_foreach(gives->threads, pm_arrays_sort_instants, NULL);
    return gives;
}

void pm_gives_free(PmGives *gives)
{
    if (!gives)
        return;
    g_hash_table_unref(gives->threads);
    g_hash_table_unref(gives->passes);
    g_free(gives);
}

const GArray *pm_gives_by(const PmGives *gives, guint32 thread)
{
    return g_hash_table_lookup(gives->threads, GUINT_TO_POINTER(thread));
}

static const Give *give_at(const GArray *by, guint i)
{
    return &g_array_index(by, Give, i);
}

/* The index of the first that is not before `at`. */
static guint first_from(const GArray *by, gint64 at)
{
    guint low = 0, high = by ? by->len : 0;
    PM_LOWER_BOUND(low, high, middle, give_at(by, middle)->at < at)
    return low;
}

gboolean pm_gives_any(const GArray *by, gint64 from, gint64 to)
{
    const guint first = first_from(by, from);
    return by && first < by->len && give_at(by, first)->at <= to;
}

gboolean pm_gives_are_together(const GArray *by, gint64 apart, guint min)
{
    guint n = 0, n_together = 0;
    for (guint i = 0; by && i < by->len; i++, n++)
        n_together += (i > 0 && give_at(by, i)->at - give_at(by, i - 1)->at <= apart) ||
                      (i + 1 < by->len && give_at(by, i + 1)->at - give_at(by, i)->at <= apart);
    return n >= min && n_together * 2 > n;
}

/* Adds the groups that those in `reached` pass something on to, and so on, but for `but`. */
static void pass_on(const PmGives *gives, GHashTable *reached, guint32 but)
{
    for (gboolean any = TRUE; any;) {
        GHashTableIter iter;
        gpointer key;
        any = FALSE;
        g_hash_table_iter_init(&iter, gives->passes);
        while (g_hash_table_iter_next(&iter, &key, NULL)) {
            const guint32 from = (guint32)(GPOINTER_TO_SIZE(key) >> 32);
            const guint32 to = (guint32)GPOINTER_TO_SIZE(key);
            any |= from != but && g_hash_table_contains(reached, GUINT_TO_POINTER(from)) &&
                   g_hash_table_add(reached, GUINT_TO_POINTER(to));
        }
    }
}

/* Adds whom it gave something in [from, to], on the way to where it then waits; FALSE: nobody. */
static gboolean add_asked(const PmGives *gives, const GArray *by, gint64 from, gint64 to,
                          guint32 waits, GHashTable *asked)
{
    gboolean any = FALSE;
    for (guint i = first_from(by, from); i < by->len && give_at(by, i)->at <= to; i++) {
        const Give *give = give_at(by, i);
        if (give->to != NOBODY &&
            pm_gives_lines_to_wait(gives->recording, give->chain, waits) > 0) {
            g_hash_table_add(asked, GUINT_TO_POINTER(give->to));
            any = TRUE;
        }
    }
    return any;
}

gboolean pm_gives_asks(const PmGives *gives, const PmActivity *activity, guint32 row, guint32 giver,
                       guint min, guint max)
{
    const PmRecording *r = gives->recording;
    const guint32 thread = pm_wait_thread(&r->waits, row), waits = pm_wait_chain(&r->waits, row);
    const guint32 n_waits = MIN(pm_activity_n_waits(activity, thread), max);
    const GArray *by = pm_gives_by(gives, thread);
    g_autoptr(GHashTable) asked = g_hash_table_new(NULL, NULL);
    gint64 since = G_MININT64;
    guint n = 0, n_asked = 0;
    for (guint32 i = 0; by && i < n_waits; i++) {
        const guint32 wait = pm_activity_wait(activity, thread, i);
        if (pm_wait_chain(&r->waits, wait) != waits || pm_activity_is_repeated(activity, wait))
            continue;
        n++;
        n_asked += add_asked(gives, by, since, pm_wait_begin(&r->waits, wait), waits, asked);
        since = pm_wait_end(&r->waits, wait);
    }
    if (n_asked < min || n_asked * 2 <= n)
        return FALSE;
    pass_on(gives, asked, r->threads[thread].group);
    return g_hash_table_contains(asked, GUINT_TO_POINTER(r->threads[giver].group));
}

gint pm_gives_lines_to_wait(const PmRecording *r, guint32 gives, guint32 waits)
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
