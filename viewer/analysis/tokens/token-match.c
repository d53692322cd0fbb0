/* Matches the gives of a resource with its takes, by thread, and tells whether it is one. */
#include "viewer/analysis/tokens/token-match-private.h"

#include "viewer/analysis/base/pair.h"
#include "viewer/analysis/base/region.h"
#include "viewer/analysis/base/search.h"
#include "viewer/analysis/base/sort.h"
#include "viewer/analysis/base/sum.h"
#include "viewer/analysis/code/own-code.h"

/* Measured on pools: 22 to 96 % of the gives come from who took since its last one, on queues of
 * work none do. */
#define MIN_GIVES      10
#define FEW_GIVES      8 /* of one thread */
#define MAX_STRANGERS  0.2
#define MIN_GIVEN_BACK 0.15
#define MAX_CHECKED    10000 /* takes of which it is looked at whether somebody held meanwhile */

/* One wake that reached several waiters is one give, missed if none of them got it. Of the first
 * `n`, returns how many are left. */
static guint drop_repeated(GArray *gives, guint n)
{
    guint left = 0;
    for (guint i = 0; i < n; i++) {
        const PmGive *give = &g_array_index(gives, PmGive, i);
        PmGive *last = left ? &g_array_index(gives, PmGive, left - 1) : NULL;
        if (!last || last->at != give->at || last->thread != give->thread)
            g_array_index(gives, PmGive, left++) = *give;
        else
            last->missed = last->missed && give->missed;
    }
    return left;
}

PmTokenHolder *pm_token_holder(GHashTable *holders, guint32 thread)
{
    PmTokenHolder *holder = g_hash_table_lookup(holders, GUINT_TO_POINTER(thread));
    if (!holder) {
        holder = g_new0(PmTokenHolder, 1);
        holder->took_at = holder->gave_at = G_MININT64;
        g_hash_table_insert(holders, GUINT_TO_POINTER(thread), holder);
    }
    return holder;
}

/* Whoever is told of something and tells the next one at once has taken nothing. */
static gboolean only_passed_on(const PmTokenHolder *holder, gint64 length)
{
    return length < PM_ACTIVITY_REPARK_NS && pm_product(length, 20) < holder->waited;
}

PmTokenMatch *pm_token_match_new(const PmActivity *activity, guint n_takes, gboolean counts_only,
                                 gboolean lent)
{
    PmTokenMatch *m = g_new0(PmTokenMatch, 1);
    m->activity = activity;
    m->lent = lent;
    m->counts_only = counts_only;
    m->stride = 1 + n_takes / MAX_CHECKED;
    m->checked = g_array_new(FALSE, FALSE, sizeof(PmTake));
    m->other_gives = g_array_new(FALSE, FALSE, sizeof(PmGive));
    m->other_takes = g_array_new(FALSE, FALSE, sizeof(PmTake));
    m->holds = pm_region_array(sizeof(PmTokenHold), counts_only ? 0 : n_takes);
    m->half_seen = pm_region_array(sizeof(PmTokenHold), counts_only ? 0 : n_takes);
    m->asked = g_array_new(FALSE, FALSE, sizeof(PmTokenAsked));
    m->unserved = g_array_new(FALSE, FALSE, sizeof(PmTokenAsked));
    m->served = g_array_new(FALSE, FALSE, sizeof(PmTokenAsked));
    m->unreturned = g_array_new(FALSE, FALSE, sizeof(PmTokenUnreturned));
    m->holders = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    m->lengths.by_chain = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
    m->lengths.by_call =
        g_hash_table_new_full(pm_pair_hash, NULL, NULL, (GDestroyNotify)g_array_unref);
    m->lengths.by_group = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
    return m;
}

void pm_token_match_forget(PmTokenMatch *m)
{
    g_clear_pointer(&m->other_gives, g_array_unref);
    g_clear_pointer(&m->other_takes, g_array_unref);
    g_clear_pointer(&m->half_seen, g_array_unref);
    g_clear_pointer(&m->asked, g_array_unref);
    g_clear_pointer(&m->unserved, g_array_unref);
    g_clear_pointer(&m->served, g_array_unref);
    g_clear_pointer(&m->unreturned, g_array_unref);
    g_clear_pointer(&m->holders, g_hash_table_unref);
    g_clear_pointer(&m->lengths.by_chain, g_hash_table_unref);
    g_clear_pointer(&m->lengths.by_call, g_hash_table_unref);
    g_clear_pointer(&m->lengths.by_group, g_hash_table_unref);
}

void pm_token_match_free(PmTokenMatch *m)
{
    pm_token_match_forget(m);
    pm_totals_clear(&m->taken);
    g_array_unref(m->checked);
    g_clear_pointer(&m->holds, g_array_unref);
    g_free(m);
}

static void match_give(PmTokenMatch *m, const PmGive *give)
{
    PmTokenHolder *holder = pm_token_holder(m->holders, give->thread);
    PmTokenHold hold = {.end = give->at, .thread = give->thread, .chain = give->chain};
    if (holder->took_at != G_MININT64) {
        hold.begin = hold.earliest = holder->took_at;
        if (!m->counts_only)
            g_array_append_val(m->holds, hold);
        m->given_back += !only_passed_on(holder, hold.end - hold.begin);
    } else {
        hold.begin = holder->gave_at;
        if (!m->counts_only)
            g_array_append_val(m->half_seen, hold);
        if (holder->missed && holder->takes) /* it took that again itself, ahead of them */
            m->given_back++;
        else
            holder->strays++;
    }
    holder->missed = give->missed;
    holder->took_at = G_MININT64;
    holder->gave_at = give->at;
    holder->gave_in = give->chain;
}

void pm_token_add_unreturned(PmTokenMatch *m, guint32 thread, const PmTokenHolder *holder,
                             gint64 until)
{
    const PmTokenUnreturned kept = {{.begin = holder->took_at,
                                     .earliest = holder->took_at,
                                     .end = until,
                                     .thread = thread,
                                     .chain = holder->gave_in ? holder->gave_in : holder->chain},
                                    holder->chain};
    g_array_append_val(m->unreturned, kept);
}

/* Adds a stretch to what is known, which hardly any begins behind; those that are no further apart
 * than `gap` are one. */
static void add_asked(GArray *known, PmTokenAsked asked, gint64 gap)
{
    guint end = known->len;
    while (end > 0 && g_array_index(known, PmTokenAsked, end - 1).begin > pm_sum(asked.end, gap))
        end--;
    guint first = end;
    for (; first > 0; first--) {
        const PmTokenAsked *before = &g_array_index(known, PmTokenAsked, first - 1);
        if (pm_sum(before->end, gap) < asked.begin)
            break;
        asked.begin = MIN(asked.begin, before->begin);
        asked.end = MAX(asked.end, before->end);
    }
    g_array_remove_range(known, first, end - first);
    g_array_insert_val(known, first, asked);
}

/* What is kept of who asked. */
static void keep_asked(PmTokenMatch *m, const PmTake *take)
{
    add_asked(m->asked, (PmTokenAsked){take->begin, take->end}, PM_ACTIVITY_REPARK_NS);
    add_asked(m->unserved, (PmTokenAsked){take->begin, take->woken}, 0);
    if (take->woken < take->end)
        add_asked(m->served, (PmTokenAsked){take->woken, take->end}, 0);
    if (m->n_takes++ % m->stride == 0 && take->took) /* of a vain one nothing tells who had it */
        g_array_append_val(m->checked, *take);
}

static void match_take(PmTokenMatch *m, const PmTake *take)
{
    if (!m->counts_only)
        keep_asked(m, take);
    PmTokenHolder *holder = take->took
                                ? pm_token_holder(m->holders, take->thread)
                                : g_hash_table_lookup(m->holders, GUINT_TO_POINTER(take->thread));
    if (holder && holder->took_at != G_MININT64 && holder->took_at < take->begin) {
        if (!m->counts_only)
            pm_token_add_unreturned(m, take->thread, holder, take->begin);
        holder->took_at = G_MININT64;
    }
    if (!take->took)
        return;
    ++*pm_totals_at(&m->taken, take->chain);
    holder->took_at = take->end;
    holder->waited = pm_difference(take->end, take->begin);
    holder->chain = take->chain;
    holder->takes = TRUE;
}

/* Is there an element before `limit`? Each begins with its instant. */
static gboolean any_before(const GArray *array, guint size, gint64 limit)
{
    for (guint i = 0; i < array->len; i++)
        if (limit == G_MAXINT64 || *(const gint64 *)(gpointer)(array->data + i * size) < limit)
            return TRUE;
    return FALSE;
}

/* How many are before `limit`, of what is sorted. */
static guint n_before(const GArray *array, guint size, gint64 limit)
{
    gsize low = 0, high = array->len;
    PM_LOWER_BOUND(low, high, middle,
                   limit == G_MAXINT64 ||
                       *(const gint64 *)(gpointer)(array->data + middle * size) < limit)
    return (guint)low;
}

void pm_token_match_add(PmTokenMatch *m, GArray *gives, GArray *takes, gint64 limit)
{
    if (!any_before(gives, sizeof(PmGive), limit) && !any_before(takes, sizeof(PmTake), limit))
        return;
    pm_sort_array_beside(gives, m->other_gives, sizeof(PmGive));
    pm_sort_array_beside(takes, m->other_takes, sizeof(PmTake));
    const guint used_gives = n_before(gives, sizeof(PmGive), limit),
                used_takes = n_before(takes, sizeof(PmTake), limit);
    const guint n_gives = drop_repeated(gives, used_gives);
    guint give = 0;
    for (guint i = 0; i < used_takes; i++) {
        const PmTake *take = &g_array_index(takes, PmTake, i);
        while (give < n_gives && g_array_index(gives, PmGive, give).at < take->end)
            match_give(m, &g_array_index(gives, PmGive, give++));
        match_take(m, take);
    }
    while (give < n_gives)
        match_give(m, &g_array_index(gives, PmGive, give++));
    m->n_gives += n_gives;
    g_array_remove_range(gives, 0, used_gives);
    g_array_remove_range(takes, 0, used_takes);
}

gboolean pm_tokens_are_strange(gsize n_strangers, gsize n_gives)
{
    return (double)n_strangers > MAX_STRANGERS * (double)n_gives;
}

/* The program's own method in a stack trace; NULL: there is none. */
static gpointer own_method(const PmRecording *r, guint32 chain)
{
    const gint own = pm_own_frame(pm_own_code(r), chain);
    return own < 0 ? NULL : GUINT_TO_POINTER(r->chains[chain].frames[own].method);
}

GHashTable *pm_token_taking_methods(const PmTokenMatch *m)
{
    GHashTable *methods = g_hash_table_new(NULL, NULL);
    for (guint32 i = 0; i < m->taken.n; i++)
        g_hash_table_add(methods, own_method(m->activity->recording, m->taken.items[i].key));
    g_hash_table_remove(methods, NULL);
    return methods;
}

gboolean pm_token_gives_where_taken(const PmTokenMatch *m, GHashTable *methods,
                                    const PmTokenHolder *holder)
{
    return g_hash_table_contains(methods, own_method(m->activity->recording, holder->gave_in));
}

/* Does it give what it never takes? A thread that gives a few times, as one that is started for a
 * request or a connection, where others take: it took that without a wait. */
static gboolean is_stranger(const PmTokenMatch *m, GHashTable *methods, const PmTokenHolder *holder)
{
    return !holder->takes &&
           !(holder->strays <= FEW_GIVES && pm_token_gives_where_taken(m, methods, holder));
}

gboolean pm_token_is_of_strangers(const PmTokenMatch *m)
{
    g_autoptr(GHashTable) methods = pm_token_taking_methods(m);
    GHashTableIter iter;
    gpointer value;
    guint strangers = 0;
    g_hash_table_iter_init(&iter, m->holders);
    while (g_hash_table_iter_next(&iter, NULL, &value))
        strangers += is_stranger(m, methods, value) ? ((const PmTokenHolder *)value)->strays : 0;
    return pm_tokens_are_strange(strangers, m->n_gives);
}

gboolean pm_token_is_no_resource(const PmTokenMatch *m)
{
    return m->n_gives < MIN_GIVES || (!m->lent && (pm_token_is_of_strangers(m) ||
                                                   m->given_back < MIN_GIVEN_BACK * m->n_gives));
}

gboolean pm_token_match_may_be(PmTokenMatch *m)
{
    const gboolean may_be = !pm_token_is_no_resource(m);
    pm_token_match_free(m);
    return may_be;
}
