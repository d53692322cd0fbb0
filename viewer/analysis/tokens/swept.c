/* What some abandon and a sweeper gives back for them. */
#include "viewer/analysis/tokens/token-match-private.h"

#include "viewer/analysis/base/sort.h"
#include "viewer/analysis/base/sum.h"

/* Was none given back for certain until the thread asked for another one, as somebody waited all
 * the while whom that would have woken? */
static gboolean was_kept(const PmTokenMatch *m, const PmTokenHold *hold)
{
    const guint nth = pm_token_asked_after(m->unserved, hold->begin);
    const PmTokenAsked *asked =
        nth < m->unserved->len ? &g_array_index(m->unserved, PmTokenAsked, nth) : NULL;
    return asked && asked->begin <= hold->begin && asked->end >= hold->end;
}

/* How often of a thousand takes one was kept. */
static guint64 kept_of(const PmTokenMatch *m, const PmTotals *kept, guint32 chain)
{
    return pm_token_count(kept, chain) * G_GUINT64_CONSTANT(1000) /
           MAX(pm_token_count(&m->taken, chain), 1);
}

/* What was kept by the code that does so most often, the oldest first: now and then who gives is
 * not told right. Owned, of PmTokenUnreturned. */
static GArray *find_abandoned(PmTokenMatch *m)
{
    g_auto(PmTotals) kept = {0};
    GArray *abandoned = g_array_new(FALSE, FALSE, sizeof(PmTokenUnreturned));
    guint64 most = 0;
    guint left = 0;
    for (guint i = 0; i < m->unreturned->len; i++) {
        const PmTokenUnreturned *its = &g_array_index(m->unreturned, PmTokenUnreturned, i);
        if (was_kept(m, &its->hold))
            ++*pm_totals_at(&kept, its->taken_in);
    }
    for (guint i = 0; i < m->unreturned->len; i++)
        most = MAX(most,
                   kept_of(m, &kept, g_array_index(m->unreturned, PmTokenUnreturned, i).taken_in));
    for (guint i = 0; i < m->unreturned->len; i++) {
        const PmTokenUnreturned *its = &g_array_index(m->unreturned, PmTokenUnreturned, i);
        if (was_kept(m, &its->hold) && 2 * kept_of(m, &kept, its->taken_in) > most)
            g_array_append_val(abandoned, *its);
        else
            g_array_index(m->unreturned, PmTokenUnreturned, left++) = *its;
    }
    g_array_set_size(m->unreturned, left);
    pm_sort_array(abandoned, sizeof(PmTokenUnreturned));
    return abandoned;
}

gboolean pm_token_is_sweeper(const PmTokenHolder *holder)
{
    return holder->swept > 0 && holder->swept >= holder->unswept;
}

/* What was swept, and nobody was seen to abandon, was so by the last one before of whom that was
 * seen, if that lived, and held as long as is usual for what is swept: `gives`, which are left out
 * of the rest. */
static void add_unseen_swept(const PmTokenMatch *m, const GArray *gives, GArray *ret_swept)
{
    const PmThread *threads = m->activity->recording->threads;
    const guint n = ret_swept->len;
    g_autoptr(GArray) lengths = g_array_new(FALSE, FALSE, sizeof(gint64));
    for (guint i = 0; i < n; i++)
        g_array_append_val(lengths, g_array_index(ret_swept, PmTokenHold, i).length);
    pm_sort_array(lengths, sizeof(gint64));
    for (guint i = 0, next = 0; i < gives->len; i++) {
        const PmTokenHold *give = &g_array_index(gives, PmTokenHold, i);
        while (next < n && g_array_index(ret_swept, PmTokenHold, next).end <= give->end)
            next++;
        if (next == 0)
            continue;
        PmTokenHold hold = g_array_index(ret_swept, PmTokenHold, next - 1);
        hold.end = give->end;
        hold.begin = hold.earliest =
            MAX(pm_difference(give->end, g_array_index(lengths, gint64, n / 2)), 0);
        hold.length = hold.end - hold.begin;
        if (threads[hold.thread].begin <= hold.begin && threads[hold.thread].end >= hold.end)
            g_array_append_val(ret_swept, hold);
    }
}

/* Does the thread of `give` give what it never takes, where nobody takes any? */
static gboolean may_sweep(const PmTokenMatch *m, GHashTable *methods, const PmTokenHold *give)
{
    const PmTokenHolder *holder = pm_token_holder(m->holders, give->thread);
    return !holder->takes && !pm_token_gives_where_taken(m, methods, holder);
}

void pm_token_take_swept(PmTokenMatch *m, GArray *ret_swept)
{
    if (pm_token_is_of_strangers(m))
        return;
    g_autoptr(GArray) abandoned = find_abandoned(m);
    g_autoptr(GArray) unseen = g_array_new(FALSE, FALSE, sizeof(PmTokenHold));
    g_autoptr(GHashTable) methods = pm_token_taking_methods(m);
    guint next = 0, left = 0;
    for (guint i = 0; i < m->half_seen->len; i++) {
        const PmTokenHold *give = &g_array_index(m->half_seen, PmTokenHold, i);
        const gboolean may = abandoned->len > 0 && may_sweep(m, methods, give);
        const PmTokenUnreturned *kept =
            next < abandoned->len ? &g_array_index(abandoned, PmTokenUnreturned, next) : NULL;
        if (!may || !kept || kept->hold.begin >= give->end) {
            pm_token_holder(m->holders, give->thread)->unswept += may;
            g_array_index(m->half_seen, PmTokenHold, left++) = *give;
            continue;
        }
        pm_token_holder(m->holders, give->thread)->swept++;
        PmTokenHold swept = kept->hold;
        swept.chain = kept->taken_in;
        swept.end = give->end;
        swept.length = swept.end - swept.begin;
        g_array_append_val(ret_swept, swept);
        next++;
    }
    g_array_set_size(m->half_seen, left);
    for (; next < abandoned->len; next++)
        g_array_append_val(m->unreturned, g_array_index(abandoned, PmTokenUnreturned, next));
    if (!ret_swept->len)
        return;
    left = 0;
    for (guint i = 0; i < m->half_seen->len; i++) {
        const PmTokenHold *give = &g_array_index(m->half_seen, PmTokenHold, i);
        if (pm_token_is_sweeper(pm_token_holder(m->holders, give->thread)))
            g_array_append_val(unseen, *give);
        else
            g_array_index(m->half_seen, PmTokenHold, left++) = *give;
    }
    g_array_set_size(m->half_seen, left);
    add_unseen_swept(m, unseen, ret_swept);
}
