/* Holds of which the take, the give or both were not seen: from how long they usually are, from
 * samples, and from waits in between. */
#include "viewer/analysis/tokens/token-match-private.h"

#include "viewer/analysis/base/search.h"
#include "viewer/analysis/base/sort.h"
#include "viewer/analysis/base/sum.h"
#include "viewer/analysis/code/own-code.h"

#define MAX_WITHIN 2000000 /* waits of holders of which it is looked at whether they hold then */

/* When the thread's last wait before `at` ended: it can hold nothing that it took before, if it
 * waits while it holds nothing; G_MININT64 when there was none. */
static gint64 last_event(const PmActivity *activity, guint32 thread, gint64 at)
{
    const PmWaits *w = &activity->recording->waits;
    guint32 position = pm_activity_first_wait(activity, thread, at);
    if (position == 0)
        return G_MININT64;
    return pm_wait_end(w, pm_activity_wait(activity, thread, position - 1));
}

/* The call of own code that gave back in `give`. */
static gboolean is_in_call(const PmRecording *r, guint32 give, guint32 sample)
{
    return pm_token_is_in_call(r, give, pm_own_frame(pm_own_code(r), give), sample);
}

/* Since when the samples saw the thread in that call, without another one in between; the end of
 * the hold when they did not. */
static gint64 seen_since(const PmActivity *activity, const PmTokenHold *hold)
{
    const PmRecording *r = activity->recording;
    guint32 first = activity->sample_starts[hold->thread];
    guint32 low = first, high = activity->sample_starts[hold->thread + 1];
    gint64 since = hold->end;
    PM_LOWER_BOUND(low, high, middle, r->samples[activity->samples[middle]].at < hold->end)
    while (low-- > first) {
        const PmOwnerSample *sample = &r->samples[activity->samples[low]];
        if (sample->at <= hold->begin || !is_in_call(r, hold->chain, sample->chain))
            break;
        since = sample->at;
    }
    return since;
}

/* When it was taken, if holding it takes so long: perhaps at once, by who had just given it. */
static gint64 taken_unseen(const PmTokenMatch *m, const PmTokenHold *hold, gint64 usual)
{
    const gint64 at = MAX(hold->begin, pm_difference(hold->end, usual));
    const gint64 taken = pm_token_nearest_unseen(m, at, hold->begin, hold->end, hold->begin);
    const gint64 far = MAX(pm_difference(taken, at), pm_difference(at, taken));
    return pm_difference(at, hold->begin) <= far ? hold->begin : taken;
}

/* The hold is as long as is usual, at most what is possible. */
static void add_half_seen(PmTokenMatch *m)
{
    const PmActivity *activity = m->activity;
    for (guint i = 0; i < m->half_seen->len; i++) {
        PmTokenHold *hold = &g_array_index(m->half_seen, PmTokenHold, i);
        gint64 usual;
        hold->begin = hold->earliest =
            MAX(hold->begin, last_event(activity, hold->thread, hold->end));
        gboolean seen = pm_token_usual_hold(m, hold->thread, hold->chain, &usual);
        if (!seen && pm_token_usual_in_group(m, hold->thread, &usual)) {
            /* Other code of the group may be quicker: at least as long as samples saw this. */
            usual = MAX(usual, pm_difference(hold->end, seen_since(activity, hold)));
            seen = TRUE;
        }
        if (seen)
            hold->begin = taken_unseen(m, hold, usual);
        else if (hold->begin == G_MININT64)
            continue;
        hold->length = hold->end - hold->begin;
        if (hold->begin < hold->end)
            g_array_append_val(m->holds, *hold);
    }
}

/* What was taken and not seen to be given back: as long as usual, at most what is possible. */
static void add_kept(PmTokenMatch *m)
{
    for (guint i = 0; i < m->unreturned->len; i++) {
        PmTokenHold *hold = &g_array_index(m->unreturned, PmTokenUnreturned, i).hold;
        gint64 usual, first_rest, last_rest;
        hold->end = MIN(hold->end, m->activity->recording->duration);
        if (pm_token_find_rests(m, hold, &first_rest, &last_rest))
            hold->end = first_rest;
        if (pm_token_usual_hold(m, hold->thread, 0, &usual) ||
            pm_token_usual_in_group(m, hold->thread, &usual))
            hold->end = pm_token_nearest_unseen(m, MIN(hold->end, pm_sum(hold->begin, usual)),
                                                pm_sum(hold->begin, 1), hold->end, hold->end);
        hold->length = hold->end - hold->begin;
        if (hold->begin < hold->end)
            g_array_append_val(m->holds, *hold);
    }
}

/* Is the call in which `give` gave back past a line that took one in `sample`, and not past that
 * which gave? */
static gboolean is_between(const PmTokenMatch *m, guint32 give, guint32 sample)
{
    const PmRecording *r = m->activity->recording;
    const gint own = pm_own_frame(pm_own_code(r), give);
    if (!pm_token_is_in_call(r, give, own, sample) || pm_token_is_behind(r, give, own, sample))
        return FALSE;
    const PmChain *gave = &r->chains[give];
    const guint depth = gave->n_frames - (guint)own;
    for (guint32 i = 0; i < m->taken.n; i++) {
        const guint32 take = m->taken.items[i].key;
        const gint from = (gint)r->chains[take].n_frames - (gint)depth;
        if (from >= 0 && pm_token_is_in_call(r, take, from, give) &&
            r->chains[take].frames[from].line < gave->frames[own].line &&
            pm_token_is_behind(r, take, from, sample))
            return TRUE;
    }
    return FALSE;
}

/* A call of those in `gives`, in which the thread of the sample held one; 0: in none. `known`: by
 * sample. */
static guint32 held_in(const PmTokenMatch *m, const GArray *gives, GHashTable *known,
                       guint32 sample)
{
    gpointer give;
    if (g_hash_table_lookup_extended(known, GUINT_TO_POINTER(sample), NULL, &give))
        return GPOINTER_TO_UINT(give);
    guint32 found = 0;
    gboolean takes = FALSE; /* who waits for another one holds none by that */
    for (guint32 i = 0; i < m->taken.n; i++)
        takes |= m->taken.items[i].key == sample;
    for (guint i = 0; i < gives->len && !found && !takes; i++)
        if (is_between(m, g_array_index(gives, guint32, i), sample))
            found = g_array_index(gives, guint32, i);
    g_hash_table_insert(known, GUINT_TO_POINTER(sample), GUINT_TO_POINTER(found));
    return found;
}

/* Where one was given back last by each thread. Owned. */
static GArray *giving_chains(const PmTokenMatch *m)
{
    g_autoptr(GHashTable) chains = g_hash_table_new(NULL, NULL);
    GArray *gives = g_array_new(FALSE, FALSE, sizeof(guint32));
    GHashTableIter iter;
    gpointer value;
    g_hash_table_iter_init(&iter, m->holders);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        const guint32 chain = ((const PmTokenHolder *)value)->gave_in;
        if (chain && g_hash_table_add(chains, GUINT_TO_POINTER(chain)))
            g_array_append_val(gives, chain);
    }
    return gives;
}

/* The thread's waits in code that takes one before and gives it back behind, by time. */
static void find_within(const PmTokenMatch *m, guint32 thread, const GArray *gives,
                        GHashTable *known, GArray *ret_holds)
{
    const PmWaits *w = &m->activity->recording->waits;
    const guint32 n = pm_activity_n_waits(m->activity, thread);
    g_array_set_size(ret_holds, 0);
    for (guint32 i = 0; i < n; i++) {
        const guint32 row = pm_activity_wait(m->activity, thread, i);
        const guint32 give = held_in(m, gives, known, pm_wait_chain(w, row));
        const PmTokenHold hold = {.begin = pm_wait_begin(w, row),
                                  .end = pm_wait_end(w, row),
                                  .thread = thread,
                                  .chain = give};
        if (give)
            g_array_append_val(ret_holds, hold);
    }
}

/* What is known of the thread's holds, by begin: where both say the same it counts once. */
static void add_beside(PmTokenMatch *m, GArray *within, const GArray *its)
{
    guint nth = 0;
    for (guint i = 0; i < within->len; i++) {
        PmTokenHold *hold = &g_array_index(within, PmTokenHold, i);
        while (nth < its->len && g_array_index(its, PmTokenHold, nth).end <= hold->begin)
            nth++;
        for (guint k = nth; k < its->len && hold->begin < hold->end; k++) {
            const PmTokenHold *other = &g_array_index(its, PmTokenHold, k);
            if (other->begin >= hold->end)
                break;
            if (other->begin <= hold->begin)
                hold->begin = MAX(hold->begin, other->end);
            else
                hold->end = other->begin;
        }
        hold->earliest = hold->begin;
        hold->length = hold->end - hold->begin;
        if (hold->begin < hold->end)
            g_array_append_val(m->holds, *hold);
    }
}

/* Who waits for something else in code that took one, and gives it back behind that, holds it
 * meanwhile, whatever else is known. */
static void add_within(PmTokenMatch *m)
{
    const guint32 n_threads = m->activity->recording->n_threads;
    g_autoptr(GArray) gives = giving_chains(m);
    g_autoptr(GHashTable) known = g_hash_table_new(NULL, NULL);
    g_autoptr(GArray) within = g_array_new(FALSE, FALSE, sizeof(PmTokenHold));
    g_autofree GArray **of = g_new0(GArray *, MAX(n_threads, 1));
    const guint n = m->holds->len;
    gsize n_waits = 0;
    for (guint32 t = 0; t < n_threads; t++)
        if (g_hash_table_contains(m->holders, GUINT_TO_POINTER(t)))
            n_waits += pm_activity_n_waits(m->activity, t);
    if (n_waits > MAX_WITHIN)
        return;
    for (guint i = 0; i < n; i++) {
        const PmTokenHold *hold = &g_array_index(m->holds, PmTokenHold, i);
        if (!of[hold->thread])
            of[hold->thread] = g_array_new(FALSE, FALSE, sizeof(PmTokenHold));
        g_array_append_val(of[hold->thread], *hold);
    }
    for (guint32 t = 0; t < n_threads; t++) {
        if (!g_hash_table_contains(m->holders, GUINT_TO_POINTER(t)))
            continue;
        if (!of[t])
            of[t] = g_array_new(FALSE, FALSE, sizeof(PmTokenHold));
        pm_sort_array(of[t], sizeof(PmTokenHold));
        find_within(m, t, gives, known, within);
        add_beside(m, within, of[t]);
    }
    for (guint32 t = 0; t < n_threads; t++)
        if (of[t])
            g_array_unref(of[t]);
}

/* A sample of a thread that ever gave or took one, the chain of a give if it held one, and between
 * what that was: waits, and what it is known to hold. */
typedef struct {
    guint32 thread, give;
    gint64 at, from, to;
} Sighting;

/* The first of the thread that is not before `at`. */
static guint first_sighting(const GArray *sightings, guint32 thread, gint64 at)
{
    guint low = 0, high = sightings->len;
    PM_LOWER_BOUND(low, high, middle,
                   g_array_index(sightings, Sighting, middle).thread < thread ||
                       (g_array_index(sightings, Sighting, middle).thread == thread &&
                        g_array_index(sightings, Sighting, middle).at < at))
    return low;
}

/* The `nth`, if it is of the thread. */
static Sighting *sighting_of(const GArray *sightings, guint nth, guint32 thread)
{
    Sighting *its = nth < sightings->len ? &g_array_index(sightings, Sighting, nth) : NULL;
    return its && its->thread == thread ? its : NULL;
}

/* By thread, then by time. Owned. */
static GArray *find_sightings(const PmTokenMatch *m)
{
    const PmActivity *activity = m->activity;
    GArray *sightings = g_array_new(FALSE, FALSE, sizeof(Sighting));
    g_autoptr(GHashTable) known = g_hash_table_new(NULL, NULL);
    g_autoptr(GArray) gives = giving_chains(m);
    for (guint32 t = 0; t < activity->recording->n_threads; t++) {
        if (!g_hash_table_contains(m->holders, GUINT_TO_POINTER(t)))
            continue;
        for (guint32 i = activity->sample_starts[t]; i < activity->sample_starts[t + 1]; i++) {
            const PmOwnerSample *sample = &activity->recording->samples[activity->samples[i]];
            const PmStretch stretch = pm_activity_stretch(activity, t, sample->at);
            const Sighting its = {.thread = t,
                                  .give = held_in(m, gives, known, sample->chain),
                                  .at = sample->at,
                                  .from = stretch.begin,
                                  .to = stretch.begin + stretch.length};
            g_array_append_val(sightings, its);
        }
    }
    return sightings;
}

/* What is known to be held needs no sample, and is held no longer. */
static void bound_sightings(const PmTokenMatch *m, const GArray *sightings)
{
    for (guint i = 0; i < m->holds->len; i++) {
        const PmTokenHold *hold = &g_array_index(m->holds, PmTokenHold, i);
        guint nth = first_sighting(sightings, hold->thread, hold->begin);
        Sighting *its = nth ? sighting_of(sightings, nth - 1, hold->thread) : NULL;
        if (its)
            its->to = MIN(its->to, hold->begin);
        for (; (its = sighting_of(sightings, nth, hold->thread)) && its->at < hold->end; nth++)
            its->to = its->from = its->at;
        if (its)
            its->from = MAX(its->from, hold->end);
    }
}

/* Who is sampled in code that takes one, works, and gives it back holds one, even if it did not
 * wait for that, and then woke nobody: as long as is usual around the sample, at most what is
 * possible; if that is not known, from one sample to the next. */
static void add_sampled(PmTokenMatch *m)
{
    g_autoptr(GArray) sightings = find_sightings(m);
    PmTokenHold *last = NULL;
    bound_sightings(m, sightings);
    for (guint i = 0; i < sightings->len; i++) {
        const Sighting *its = &g_array_index(sightings, Sighting, i);
        const Sighting *before = i ? sighting_of(sightings, i - 1, its->thread) : NULL;
        const Sighting *next = sighting_of(sightings, i + 1, its->thread);
        PmTokenHold hold = {.thread = its->thread, .chain = its->give};
        gint64 usual;
        if (!its->give || its->from >= its->to)
            continue;
        if (pm_token_usual_hold(m, its->thread, its->give, &usual) ||
            pm_token_usual_in_group(m, its->thread, &usual)) {
            hold.begin = MAX(its->from, pm_difference(its->at, usual / 2));
            hold.end = MIN(its->to, pm_sum(its->at, usual / 2));
            hold.begin = before ? MAX(hold.begin, before->at) : hold.begin;
            hold.end = next ? MIN(hold.end, next->at) : hold.end;
        } else {
            hold.begin = its->at;
            hold.end = next && next->give && next->from <= its->at ? next->at : its->at;
        }
        if (hold.begin >= hold.end)
            continue;
        if (last && last->thread == hold.thread && last->end >= hold.begin) {
            last->end = hold.end;
        } else {
            g_array_append_val(m->holds, hold);
            last = &g_array_index(m->holds, PmTokenHold, m->holds->len - 1);
        }
        last->earliest = last->begin;
        last->length = last->end - last->begin;
    }
}

void pm_token_add_unseen(PmTokenMatch *m)
{
    add_half_seen(m);
    g_array_set_size(m->half_seen, 0);
    add_kept(m);
    add_within(m);
    add_sampled(m);
}
