/* How long a resource is held at a time, by whom and by which code, from the holds of which both
 * ends were seen. */
#include "viewer/analysis/tokens/token-match-private.h"

#include "viewer/analysis/base/search.h"
#include "viewer/analysis/base/sort.h"
#include "viewer/analysis/base/sum.h"
#include "viewer/analysis/code/own-code.h"
#include "viewer/analysis/recording/category.h"

#define MIN_LENGTHS 3 /* that tell how long a thread holds */

static gsize call_key(guint32 thread, guint32 chain)
{
    return (gsize)thread << 32 | chain;
}

static void add_length(GHashTable *lengths, gsize key, gint64 length)
{
    GArray *seen = g_hash_table_lookup(lengths, GSIZE_TO_POINTER(key));
    if (!seen) {
        seen = g_array_new(FALSE, FALSE, sizeof(gint64));
        g_hash_table_insert(lengths, GSIZE_TO_POINTER(key), seen);
    }
    g_array_append_val(seen, length);
}

static void sort_lengths(gpointer key, gpointer lengths, gpointer data)
{
    pm_sort_array(lengths, sizeof(gint64));
}

/* The median of what was seen. FALSE: fewer were than `least`. */
static gboolean usual_length(GHashTable *lengths, gsize key, guint least, gint64 *ret_length)
{
    const GArray *seen = g_hash_table_lookup(lengths, GSIZE_TO_POINTER(key));
    if (!seen || seen->len < least)
        return FALSE;
    *ret_length = g_array_index(seen, gint64, seen->len / 2);
    return TRUE;
}

guint pm_token_asked_after(const GArray *asked, gint64 at)
{
    guint low = 0, high = asked->len;
    PM_LOWER_BOUND(low, high, middle, g_array_index(asked, PmTokenAsked, middle).end <= at)
    return low;
}

/* While somebody waits each release is seen, and nobody takes one without a wait. Until when was
 * one kept that was had at `at`? */
static gint64 kept_until(const PmTokenMatch *m, gint64 at)
{
    guint i = pm_token_asked_after(m->asked, at);
    if (i == m->asked->len || g_array_index(m->asked, PmTokenAsked, i).begin > at)
        return at;
    return g_array_index(m->asked, PmTokenAsked, i).end;
}

/* Since when was one kept that was given back at `at`? */
static gint64 kept_since(const PmTokenMatch *m, gint64 at)
{
    guint i = pm_token_asked_after(m->asked, at - 1);
    if (i == m->asked->len || g_array_index(m->asked, PmTokenAsked, i).begin > at)
        return at;
    return g_array_index(m->asked, PmTokenAsked, i).begin;
}

gboolean pm_token_usual_hold(const PmTokenMatch *m, guint32 thread, guint32 chain,
                             gint64 *ret_length)
{
    const PmTokenLengths *l = &m->lengths;
    return usual_length(l->by_call, call_key(thread, chain), MIN_LENGTHS, ret_length) ||
           usual_length(l->by_call, call_key(thread, 0), MIN_LENGTHS, ret_length) ||
           (chain && usual_length(l->by_chain, chain, 1, ret_length));
}

gboolean pm_token_usual_in_group(const PmTokenMatch *m, guint32 thread, gint64 *ret_length)
{
    return usual_length(m->lengths.by_group, m->activity->recording->threads[thread].group, 1,
                        ret_length);
}

gboolean pm_token_usual_of_user(const PmTokenMatch *m, guint32 thread, gint64 *ret_length)
{
    return usual_length(m->lengths.by_call, call_key(thread, 0), 1, ret_length) ||
           pm_token_usual_in_group(m, thread, ret_length);
}

gint64 pm_token_nearest_unseen(const PmTokenMatch *m, gint64 at, gint64 from, gint64 to,
                               gint64 otherwise)
{
    const guint nth = pm_token_asked_after(m->unserved, at),
                served = pm_token_asked_after(m->served, at);
    const PmTokenAsked *asked =
        nth < m->unserved->len ? &g_array_index(m->unserved, PmTokenAsked, nth) : NULL;
    const gboolean is_in = asked && asked->begin < at;
    const gint64 begin = is_in ? asked->begin : at, end = is_in ? asked->end : at;
    const gint64 may[] = {
        begin,
        end,
        served > 0 ? g_array_index(m->served, PmTokenAsked, served - 1).end : begin,
        served < m->served->len ? MAX(at, g_array_index(m->served, PmTokenAsked, served).begin)
                                : end,
    };
    gint64 best = otherwise, distance = G_MAXINT64;
    for (guint i = 0; i < G_N_ELEMENTS(may); i++) {
        const gint64 far = MAX(pm_difference(may[i], at), pm_difference(at, may[i]));
        if (may[i] < from || may[i] > to || far >= distance)
            continue;
        best = may[i];
        distance = far;
    }
    return best;
}

static void note_length(PmTokenMatch *m, const PmTokenHold *hold, gint64 length)
{
    add_length(m->lengths.by_chain, hold->chain, length);
    add_length(m->lengths.by_call, call_key(hold->thread, hold->chain), length);
    add_length(m->lengths.by_call, call_key(hold->thread, 0), length);
    add_length(m->lengths.by_group, m->activity->recording->threads[hold->thread].group, length);
}

static gboolean is_sure(const PmTokenMatch *m, const PmTokenHold *hold)
{
    return kept_until(m, hold->begin) >= hold->end;
}

gboolean pm_token_find_rests(const PmTokenMatch *m, const PmTokenHold *hold, gint64 *ret_first,
                             gint64 *ret_last)
{
    const PmRecording *r = m->activity->recording;
    const PmOwnCode *own = pm_own_code(r);
    const guint32 n = pm_activity_n_waits(m->activity, hold->thread);
    *ret_first = G_MAXINT64;
    *ret_last = G_MININT64;
    for (guint32 i = m->lent ? pm_activity_first_wait(m->activity, hold->thread, hold->begin) : n;
         i < n; i++) {
        const guint32 row = pm_activity_wait(m->activity, hold->thread, i);
        if (pm_wait_end(&r->waits, row) >= hold->end)
            break;
        if (pm_wait_begin(&r->waits, row) < hold->begin ||
            !pm_category_is_idle(pm_wait_category(&r->waits, row)) ||
            pm_own_frame(own, pm_wait_chain(&r->waits, row)) >= 0)
            continue;
        *ret_first = MIN(*ret_first, pm_wait_begin(&r->waits, row));
        *ret_last = pm_wait_end(&r->waits, row);
    }
    return *ret_first != G_MAXINT64;
}

void pm_token_learn_lengths(PmTokenMatch *m)
{
    g_autofree guint *n_sure = g_new0(guint, m->activity->recording->n_threads);
    for (guint pass = 0; pass < 2; pass++)
        for (guint i = 0; i < m->holds->len; i++) {
            const PmTokenHold *hold = &g_array_index(m->holds, PmTokenHold, i);
            gint64 first_rest, last_rest;
            if (pm_token_find_rests(m, hold, &first_rest, &last_rest))
                continue;
            const gboolean sure = is_sure(m, hold);
            if (pass ? sure || n_sure[hold->thread] >= MIN_LENGTHS : !sure)
                continue;
            note_length(m, hold, hold->end - hold->begin);
            n_sure[hold->thread] += !pass;
        }
    g_hash_table_foreach(m->lengths.by_chain, sort_lengths, NULL);
    g_hash_table_foreach(m->lengths.by_call, sort_lengths, NULL);
    g_hash_table_foreach(m->lengths.by_group, sort_lengths, NULL);
}

void pm_token_cut_unsure(PmTokenMatch *m)
{
    const guint n = m->holds->len;
    for (guint i = 0; i < n; i++) {
        PmTokenHold *hold = &g_array_index(m->holds, PmTokenHold, i), second;
        gint64 usual, first_rest, last_rest;
        hold->length = hold->end - hold->begin;
        const gboolean rests = pm_token_find_rests(m, hold, &first_rest, &last_rest);
        const gboolean is_usual = pm_token_usual_hold(m, hold->thread, hold->chain, &usual);
        if (!rests && (is_sure(m, hold) || !is_usual))
            continue;
        second = *hold;
        const gint64 until =
            MIN(first_rest, is_usual ? MAX(kept_until(m, hold->begin), pm_sum(hold->begin, usual))
                                     : G_MAXINT64);
        const gint64 since =
            MAX(last_rest, is_usual ? MIN(kept_since(m, hold->end), pm_difference(hold->end, usual))
                                    : G_MININT64);
        if (until >= since)
            continue;
        hold->end = until;
        second.begin = second.earliest = since;
        hold->length = hold->end - hold->begin;
        second.length = second.end - second.begin;
        g_array_append_val(m->holds, second);
    }
}

void pm_token_learn_others(PmTokenMatch *m)
{
    const PmThread *threads = m->activity->recording->threads;
    g_autoptr(GHashTable) others =
        g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
    GHashTableIter iter;
    gpointer group, lengths;
    for (guint i = 0; i < m->holds->len; i++) {
        const PmTokenHold *hold = &g_array_index(m->holds, PmTokenHold, i);
        group = GUINT_TO_POINTER(threads[hold->thread].group);
        if (!g_hash_table_contains(m->lengths.by_group, group))
            add_length(others, GPOINTER_TO_UINT(group), hold->length);
    }
    g_hash_table_foreach(others, sort_lengths, NULL);
    g_hash_table_iter_init(&iter, others);
    while (g_hash_table_iter_next(&iter, &group, &lengths))
        g_hash_table_insert(m->lengths.by_group, group, g_array_ref(lengths));
}
