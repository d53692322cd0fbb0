#include "viewer/analysis/code/gives.h"

#include "viewer/analysis/base/arrays.h"
#include "viewer/analysis/base/search.h"

typedef struct {
    gint64 at;
    guint32 chain;
} Give;

struct PmGives {
    GHashTable *threads; /* thread → GArray of Give, by time */
};

PmGives *pm_gives_new(const PmRecording *recording)
{
    const PmWaits *w = &recording->waits;
    PmGives *gives = g_new0(PmGives, 1);
    gives->threads = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
    for (gsize i = 0; i < w->n; i++) {
        const Give give = {pm_wait_wake(w, i), pm_wait_waker_chain(w, i)};
        const gpointer waker = GUINT_TO_POINTER(pm_wait_waker(w, i));
        if (waker && give.at)
            g_array_append_val(pm_arrays_at(gives->threads, waker, sizeof give), give);
    }
    g_hash_table_foreach(gives->threads, pm_arrays_sort_instants, NULL);
    return gives;
}

void pm_gives_free(PmGives *gives)
{
    if (!gives)
        return;
    g_hash_table_unref(gives->threads);
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

gboolean pm_gives_before_wait(const PmRecording *recording, const GArray *by, gint64 from,
                              gint64 to, guint32 waits)
{
    for (guint i = first_from(by, from); by && i < by->len && give_at(by, i)->at <= to; i++)
        if (pm_gives_lines_to_wait(recording, give_at(by, i)->chain, waits) > 0)
            return TRUE;
    return FALSE;
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
