#include "viewer/analysis/locks/tokens.h"

#include "viewer/analysis/base/totals.h"
#include "viewer/analysis/code/own-code.h"
#include "viewer/analysis/base/pair.h"
#include "viewer/analysis/base/region.h"
#include "viewer/analysis/base/search.h"
#include "viewer/analysis/base/sort.h"
#include "viewer/analysis/base/sum.h"
#include "viewer/analysis/recording/category.h"

/* Measured on pools: 22 to 96 % of the gives come from who took since its last one, on queues of
 * work none do; somebody holds during 77 to 100 % of the waiting. */
#define MIN_GIVES      10
#define FEW_GIVES      8 /* of one thread */
#define MAX_STRANGERS  0.2
#define MIN_GIVEN_BACK 0.15
#define MIN_HELD       0.6
#define USUALLY        0.15 /* of the time held; fewer are known to hold at most times */
#define MAX_HOLDERS    64
#define MAX_HALVINGS   3       /* of a wait with more holds; of the rest the last are known */
#define MIN_LENGTHS    3       /* that tell how long a thread holds */
#define MAX_MISSING    2000000 /* users at each hold of whom it is looked at whether they may hold */
#define MIN_SEEN       3       /* samples of who holds that tell what is done meanwhile */
#define MAX_LEFT       1000    /* takes that tell whether permits were left */
#define MAX_WITHIN     2000000 /* waits of holders of which it is looked at whether they hold then */
#define MAX_CHECKED    10000   /* takes of which it is looked at whether somebody held meanwhile */

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

/* What is known of a thread or of a group of threads while takes and gives are matched. */
typedef struct {
    gint64 took_at; /* G_MININT64: holds none that it was seen to take */
    gint64 waited;  /* for that */
    gint64 gave_at;
    guint32 chain;   /* where it took */
    guint32 gave_in; /* the chain; 0 = it never gave */
    guint32 strays;  /* gives without a take before */
    gboolean takes;  /* ever */
    gboolean missed; /* what it gave last went to none of those that waited */
    /* Gives of what others had abandoned, and such as may be, but by whom was not seen. */
    guint32 swept, unswept;
} Holder;

static Holder *holder_of(GHashTable *holders, guint32 thread)
{
    Holder *holder = g_hash_table_lookup(holders, GUINT_TO_POINTER(thread));
    if (!holder) {
        holder = g_new0(Holder, 1);
        holder->took_at = holder->gave_at = G_MININT64;
        g_hash_table_insert(holders, GUINT_TO_POINTER(thread), holder);
    }
    return holder;
}

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

/* Whoever is told of something and tells the next one at once has taken nothing. */
static gboolean only_passed_on(const Holder *holder, gint64 length)
{
    return length < PM_ACTIVITY_REPARK_NS && pm_product(length, 20) < holder->waited;
}

/* How long one is held, as far as both ends were seen, by the code that gives it back, alone and
 * with the thread (call_key), and by the group of the threads. */
typedef struct {
    GHashTable *by_chain, *by_call, *by_group;
} Lengths;

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

typedef struct {
    gint64 begin, end;
} Asked;

/* Until as late as can be. */
typedef struct {
    PmTokenHold hold;
    guint32 taken_in; /* the chain */
} Unreturned;

struct PmTokenMatch {
    const PmActivity *activity;
    gboolean lent;        /* what it is of is a resource for certain */
    gboolean counts_only; /* nothing is kept but holders and given_back */
    guint n_gives;
    guint n_takes, stride;             /* of so many takes one is checked */
    GArray *checked;                   /* of PmTake */
    GArray *other_gives, *other_takes; /* to sort in */
    GArray *holds;                     /* of PmTokenHold */
    GArray *half_seen;  /* the same, of gives that had no take that was seen: since its last give */
    GArray *asked;      /* of Asked: when anybody waited for one, by time */
    GArray *unserved;   /* the same, but only until they were woken */
    GArray *served;     /* the same, from then on */
    GArray *unreturned; /* of Unreturned: takes that had no give that was seen */
    GHashTable *holders; /* thread → Holder */
    PmTotals taken;      /* by stack trace: how often one was taken there */
    Lengths lengths;
    guint given_back;
};

/* Did `sample` see the call of the own code at a frame of `give`? */
static gboolean is_in_call_of(const PmRecording *r, guint32 give, gint own, guint32 sample)
{
    const PmChain *a = &r->chains[give], *b = &r->chains[sample];
    guint n = own < 0 ? 0 : a->n_frames - (guint)own;
    if (n == 0 || n > b->n_frames || a->truncated || b->truncated)
        return FALSE;
    for (guint i = 1; i <= n; i++)
        if (a->frames[a->n_frames - i].method != b->frames[b->n_frames - i].method)
            return FALSE;
    return TRUE;
}

/* Is that call past the line that gave back? Then it holds nothing any more. */
static gboolean is_behind(const PmRecording *r, guint32 give, gint own, guint32 sample)
{
    const PmChain *a = &r->chains[give], *b = &r->chains[sample];
    const gint32 gave = a->frames[own].line;
    return gave > 0 && b->frames[b->n_frames - (a->n_frames - (guint)own)].line > gave;
}

/* The call of own code that gave back in `give`. */
static gboolean is_in_call(const PmRecording *r, guint32 give, guint32 sample)
{
    return is_in_call_of(r, give, pm_own_frame(pm_own_code(r), give), sample);
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

/* The first stretch in which somebody asked that ends after `at`. */
static guint asked_after(const GArray *asked, gint64 at)
{
    guint low = 0, high = asked->len;
    PM_LOWER_BOUND(low, high, middle, g_array_index(asked, Asked, middle).end <= at)
    return low;
}

/* While somebody waits each release is seen, and nobody takes one without a wait. Until when was
 * one kept that was had at `at`? */
static gint64 kept_until(const PmTokenMatch *m, gint64 at)
{
    guint i = asked_after(m->asked, at);
    if (i == m->asked->len || g_array_index(m->asked, Asked, i).begin > at)
        return at;
    return g_array_index(m->asked, Asked, i).end;
}

/* Since when was one kept that was given back at `at`? */
static gint64 kept_since(const PmTokenMatch *m, gint64 at)
{
    guint i = asked_after(m->asked, at - 1);
    if (i == m->asked->len || g_array_index(m->asked, Asked, i).begin > at)
        return at;
    return g_array_index(m->asked, Asked, i).begin;
}

/* How long the thread usually holds what it gives back by `chain` (0: any). */
static gboolean usual_hold(const PmTokenMatch *m, guint32 thread, guint32 chain, gint64 *ret_length)
{
    const Lengths *l = &m->lengths;
    return usual_length(l->by_call, call_key(thread, chain), MIN_LENGTHS, ret_length) ||
           usual_length(l->by_call, call_key(thread, 0), MIN_LENGTHS, ret_length) ||
           (chain && usual_length(l->by_chain, chain, 1, ret_length));
}

static gboolean usual_in_group(const PmTokenMatch *m, guint32 thread, gint64 *ret_length)
{
    return usual_length(m->lengths.by_group, m->activity->recording->threads[thread].group, 1,
                        ret_length);
}

/* While somebody waits for one to be given, and nobody who was given one is about to take it, each
 * give wakes somebody. The instant nearest to `at` at which one may have been given or taken
 * unseen, among those from `from` to `to`; `otherwise` if there is none. */
static gint64 nearest_unseen(const PmTokenMatch *m, gint64 at, gint64 from, gint64 to,
                             gint64 otherwise)
{
    const guint nth = asked_after(m->unserved, at), served = asked_after(m->served, at);
    const Asked *asked = nth < m->unserved->len ? &g_array_index(m->unserved, Asked, nth) : NULL;
    const gboolean is_in = asked && asked->begin < at;
    const gint64 begin = is_in ? asked->begin : at, end = is_in ? asked->end : at;
    const gint64 may[] = {
        begin,
        end,
        served > 0 ? g_array_index(m->served, Asked, served - 1).end : begin,
        served < m->served->len ? MAX(at, g_array_index(m->served, Asked, served).begin) : end,
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

/* When it was taken, if holding it takes so long: perhaps at once, by who had just given it. */
static gint64 taken_unseen(const PmTokenMatch *m, const PmTokenHold *hold, gint64 usual)
{
    const gint64 at = MAX(hold->begin, pm_difference(hold->end, usual));
    const gint64 taken = nearest_unseen(m, at, hold->begin, hold->end, hold->begin);
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
        gboolean seen = usual_hold(m, hold->thread, hold->chain, &usual);
        if (!seen && usual_in_group(m, hold->thread, &usual)) {
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

/* Between two tasks a pool's thread waits for the next one outside all code of the program: a task
 * that borrows from a pool gives that back. The first such wait within the hold, and the last. */
static gboolean find_rests(const PmTokenMatch *m, const PmTokenHold *hold, gint64 *ret_first,
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

/* Of a thread of which too few are sure all are taken as they look. */
static void learn_lengths(PmTokenMatch *m)
{
    g_autofree guint *n_sure = g_new0(guint, m->activity->recording->n_threads);
    for (guint pass = 0; pass < 2; pass++)
        for (guint i = 0; i < m->holds->len; i++) {
            const PmTokenHold *hold = &g_array_index(m->holds, PmTokenHold, i);
            gint64 first_rest, last_rest;
            if (find_rests(m, hold, &first_rest, &last_rest))
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

/* Where nobody waited it may have been given back and taken again; between two tasks it was. */
static void cut_unsure(PmTokenMatch *m)
{
    const guint n = m->holds->len;
    for (guint i = 0; i < n; i++) {
        PmTokenHold *hold = &g_array_index(m->holds, PmTokenHold, i), second;
        gint64 usual, first_rest, last_rest;
        hold->length = hold->end - hold->begin;
        const gboolean rests = find_rests(m, hold, &first_rest, &last_rest);
        const gboolean is_usual = usual_hold(m, hold->thread, hold->chain, &usual);
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
    m->asked = g_array_new(FALSE, FALSE, sizeof(Asked));
    m->unserved = g_array_new(FALSE, FALSE, sizeof(Asked));
    m->served = g_array_new(FALSE, FALSE, sizeof(Asked));
    m->unreturned = g_array_new(FALSE, FALSE, sizeof(Unreturned));
    m->holders = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    m->lengths.by_chain = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
    m->lengths.by_call =
        g_hash_table_new_full(pm_pair_hash, NULL, NULL, (GDestroyNotify)g_array_unref);
    m->lengths.by_group = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
    return m;
}

/* What the holds were found by. */
static void forget_evidence(PmTokenMatch *m)
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

static void match_free(PmTokenMatch *m)
{
    forget_evidence(m);
    pm_totals_clear(&m->taken);
    g_array_unref(m->checked);
    g_clear_pointer(&m->holds, g_array_unref);
    g_free(m);
}

static guint count_of(const PmTotals *counts, guint32 chain)
{
    const gint64 *count = pm_totals_find(counts, chain);
    return count ? (guint)*count : 0;
}

static void match_give(PmTokenMatch *m, const PmGive *give)
{
    Holder *holder = holder_of(m->holders, give->thread);
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

/* The thread asks for the next one: it has given back what it took, and that woke nobody. */
static void add_unreturned(PmTokenMatch *m, guint32 thread, const Holder *holder, gint64 until)
{
    const Unreturned kept = {{.begin = holder->took_at,
                              .earliest = holder->took_at,
                              .end = until,
                              .thread = thread,
                              .chain = holder->gave_in ? holder->gave_in : holder->chain},
                             holder->chain};
    g_array_append_val(m->unreturned, kept);
}

/* Adds a stretch to what is known, which hardly any begins behind; those that are no further apart
 * than `gap` are one. */
static void add_asked(GArray *known, Asked asked, gint64 gap)
{
    guint end = known->len;
    while (end > 0 && g_array_index(known, Asked, end - 1).begin > pm_sum(asked.end, gap))
        end--;
    guint first = end;
    for (; first > 0; first--) {
        const Asked *before = &g_array_index(known, Asked, first - 1);
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
    add_asked(m->asked, (Asked){take->begin, take->end}, PM_ACTIVITY_REPARK_NS);
    add_asked(m->unserved, (Asked){take->begin, take->woken}, 0);
    if (take->woken < take->end)
        add_asked(m->served, (Asked){take->woken, take->end}, 0);
    if (m->n_takes++ % m->stride == 0 && take->took) /* of a vain one nothing tells who had it */
        g_array_append_val(m->checked, *take);
}

static void match_take(PmTokenMatch *m, const PmTake *take)
{
    if (!m->counts_only)
        keep_asked(m, take);
    Holder *holder = take->took ? holder_of(m->holders, take->thread)
                                : g_hash_table_lookup(m->holders, GUINT_TO_POINTER(take->thread));
    if (holder && holder->took_at != G_MININT64 && holder->took_at < take->begin) {
        if (!m->counts_only)
            add_unreturned(m, take->thread, holder, take->begin);
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

/* The methods of the program's own in which one is taken. Owned. */
static GHashTable *taking_methods(const PmTokenMatch *m)
{
    GHashTable *methods = g_hash_table_new(NULL, NULL);
    for (guint32 i = 0; i < m->taken.n; i++)
        g_hash_table_add(methods, own_method(m->activity->recording, m->taken.items[i].key));
    g_hash_table_remove(methods, NULL);
    return methods;
}

/* Is one taken where it gives? */
static gboolean gives_where_taken(const PmTokenMatch *m, GHashTable *methods, const Holder *holder)
{
    return g_hash_table_contains(methods, own_method(m->activity->recording, holder->gave_in));
}

/* Does it give what it never takes? A thread that gives a few times, as one that is started for a
 * request or a connection, where others take: it took that without a wait. */
static gboolean is_stranger(const PmTokenMatch *m, GHashTable *methods, const Holder *holder)
{
    return !holder->takes &&
           !(holder->strays <= FEW_GIVES && gives_where_taken(m, methods, holder));
}

/* Do too many gives come from who never takes? */
static gboolean is_of_strangers(const PmTokenMatch *m)
{
    g_autoptr(GHashTable) methods = taking_methods(m);
    GHashTableIter iter;
    gpointer value;
    guint strangers = 0;
    g_hash_table_iter_init(&iter, m->holders);
    while (g_hash_table_iter_next(&iter, NULL, &value))
        strangers += is_stranger(m, methods, value) ? ((const Holder *)value)->strays : 0;
    return pm_tokens_are_strange(strangers, m->n_gives);
}

/* Do too few gives come from who was seen to take since its last one, or is_of_strangers? */
static gboolean is_no_resource(const PmTokenMatch *m)
{
    return m->n_gives < MIN_GIVES ||
           (!m->lent && (is_of_strangers(m) || m->given_back < MIN_GIVEN_BACK * m->n_gives));
}

/* Was none given back for certain until the thread asked for another one, as somebody waited all
 * the while whom that would have woken? */
static gboolean was_kept(const PmTokenMatch *m, const PmTokenHold *hold)
{
    const guint nth = asked_after(m->unserved, hold->begin);
    const Asked *asked = nth < m->unserved->len ? &g_array_index(m->unserved, Asked, nth) : NULL;
    return asked && asked->begin <= hold->begin && asked->end >= hold->end;
}

/* How often of a thousand takes one was kept. */
static guint64 kept_of(const PmTokenMatch *m, const PmTotals *kept, guint32 chain)
{
    return count_of(kept, chain) * G_GUINT64_CONSTANT(1000) / MAX(count_of(&m->taken, chain), 1);
}

/* What was kept by the code that does so most often, the oldest first: now and then who gives is
 * not told right. Owned, of Unreturned. */
static GArray *find_abandoned(PmTokenMatch *m)
{
    g_auto(PmTotals) kept = {0};
    GArray *abandoned = g_array_new(FALSE, FALSE, sizeof(Unreturned));
    guint64 most = 0;
    guint left = 0;
    for (guint i = 0; i < m->unreturned->len; i++) {
        const Unreturned *its = &g_array_index(m->unreturned, Unreturned, i);
        if (was_kept(m, &its->hold))
            ++*pm_totals_at(&kept, its->taken_in);
    }
    for (guint i = 0; i < m->unreturned->len; i++)
        most = MAX(most, kept_of(m, &kept, g_array_index(m->unreturned, Unreturned, i).taken_in));
    for (guint i = 0; i < m->unreturned->len; i++) {
        const Unreturned *its = &g_array_index(m->unreturned, Unreturned, i);
        if (was_kept(m, &its->hold) && 2 * kept_of(m, &kept, its->taken_in) > most)
            g_array_append_val(abandoned, *its);
        else
            g_array_index(m->unreturned, Unreturned, left++) = *its;
    }
    g_array_set_size(m->unreturned, left);
    pm_sort_array(abandoned, sizeof(Unreturned));
    return abandoned;
}

/* Does it give what others have abandoned, and hold none itself? */
static gboolean is_sweeper(const Holder *holder)
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
    const Holder *holder = holder_of(m->holders, give->thread);
    return !holder->takes && !gives_where_taken(m, methods, holder);
}

/* A few are given by who never takes any, nor anybody where it gives, as a sweeper that takes back
 * what others have abandoned: those held it until then, from where they took it. What is known of
 * such holds goes to `ret_swept` and is left out of the rest. */
static void take_swept(PmTokenMatch *m, GArray *ret_swept)
{
    if (is_of_strangers(m))
        return;
    g_autoptr(GArray) abandoned = find_abandoned(m);
    g_autoptr(GArray) unseen = g_array_new(FALSE, FALSE, sizeof(PmTokenHold));
    g_autoptr(GHashTable) methods = taking_methods(m);
    guint next = 0, left = 0;
    for (guint i = 0; i < m->half_seen->len; i++) {
        const PmTokenHold *give = &g_array_index(m->half_seen, PmTokenHold, i);
        const gboolean may = abandoned->len > 0 && may_sweep(m, methods, give);
        const Unreturned *kept =
            next < abandoned->len ? &g_array_index(abandoned, Unreturned, next) : NULL;
        if (!may || !kept || kept->hold.begin >= give->end) {
            holder_of(m->holders, give->thread)->unswept += may;
            g_array_index(m->half_seen, PmTokenHold, left++) = *give;
            continue;
        }
        holder_of(m->holders, give->thread)->swept++;
        PmTokenHold swept = kept->hold;
        swept.chain = kept->taken_in;
        swept.end = give->end;
        swept.length = swept.end - swept.begin;
        g_array_append_val(ret_swept, swept);
        next++;
    }
    g_array_set_size(m->half_seen, left);
    for (; next < abandoned->len; next++)
        g_array_append_val(m->unreturned, g_array_index(abandoned, Unreturned, next));
    if (!ret_swept->len)
        return;
    left = 0;
    for (guint i = 0; i < m->half_seen->len; i++) {
        const PmTokenHold *give = &g_array_index(m->half_seen, PmTokenHold, i);
        if (is_sweeper(holder_of(m->holders, give->thread)))
            g_array_append_val(unseen, *give);
        else
            g_array_index(m->half_seen, PmTokenHold, left++) = *give;
    }
    g_array_set_size(m->half_seen, left);
    add_unseen_swept(m, unseen, ret_swept);
}

/* What was taken and not seen to be given back: as long as usual, at most what is possible. */
static void add_kept(PmTokenMatch *m)
{
    for (guint i = 0; i < m->unreturned->len; i++) {
        PmTokenHold *hold = &g_array_index(m->unreturned, Unreturned, i).hold;
        gint64 usual, first_rest, last_rest;
        hold->end = MIN(hold->end, m->activity->recording->duration);
        if (find_rests(m, hold, &first_rest, &last_rest))
            hold->end = first_rest;
        if (usual_hold(m, hold->thread, 0, &usual) || usual_in_group(m, hold->thread, &usual))
            hold->end = nearest_unseen(m, MIN(hold->end, pm_sum(hold->begin, usual)),
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
    if (!is_in_call_of(r, give, own, sample) || is_behind(r, give, own, sample))
        return FALSE;
    const PmChain *gave = &r->chains[give];
    const guint depth = gave->n_frames - (guint)own;
    for (guint32 i = 0; i < m->taken.n; i++) {
        const guint32 take = m->taken.items[i].key;
        const gint from = (gint)r->chains[take].n_frames - (gint)depth;
        if (from >= 0 && is_in_call_of(r, take, from, give) &&
            r->chains[take].frames[from].line < gave->frames[own].line &&
            is_behind(r, take, from, sample))
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
        const guint32 chain = ((const Holder *)value)->gave_in;
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
        if (usual_hold(m, its->thread, its->give, &usual) ||
            usual_in_group(m, its->thread, &usual)) {
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

/* Of groups of which no whole hold was seen, what else is known of how long they hold. */
static void learn_others(PmTokenMatch *m)
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

/* One hold of each thread, from 0 on, as long as is usual. */
static GArray *find_users(const PmTokenMatch *m)
{
    const PmRecording *r = m->activity->recording;
    GArray *users = g_array_new(FALSE, FALSE, sizeof(PmTokenHold));
    GHashTableIter iter;
    gpointer key, value;
    g_hash_table_iter_init(&iter, m->holders);
    while (g_hash_table_iter_next(&iter, &key, &value)) {
        const Holder *holder = value;
        PmTokenHold user = {.thread = GPOINTER_TO_UINT(key),
                            .chain = holder->gave_in ? holder->gave_in : holder->chain};
        if (!is_sweeper(holder) &&
            (usual_length(m->lengths.by_call, call_key(user.thread, 0), 1, &user.end) ||
             usual_length(m->lengths.by_group, r->threads[user.thread].group, 1, &user.end)) &&
            user.end > 0) {
            user.length = user.end;
            g_array_append_val(users, user);
        }
    }
    if (users->len > MAX_HOLDERS)
        g_array_set_size(users, 0);
    pm_sort_array(users, sizeof(PmTokenHold));
    return users;
}

/* latest[1] is the root of a binary tree whose leaves, from latest[width] on, are PM_TOKEN_LEAF
 * holds each. */
static void build_tree(PmTokens *tokens)
{
    tokens->width = 1;
    while ((gsize)tokens->width * PM_TOKEN_LEAF < tokens->n)
        tokens->width *= 2;
    tokens->latest = g_new(gint64, 2 * (gsize)tokens->width);
    for (guint i = 0; i < 2 * tokens->width; i++)
        tokens->latest[i] = G_MININT64;
    for (guint i = 0; i < tokens->n; i++) {
        gint64 *leaf = &tokens->latest[tokens->width + i / PM_TOKEN_LEAF];
        *leaf = MAX(*leaf, pm_tokens_end(tokens, i));
    }
    for (guint i = tokens->width; i-- > 1;)
        tokens->latest[i] = MAX(tokens->latest[2 * i], tokens->latest[2 * i + 1]);
}

typedef struct {
    const PmTokens *tokens;
    gint64 from, to;
    guint32 self;
    guint n;
    PmTokenHold holds[MAX_HOLDERS];
} Overlapping;

/* Those of one leaf. */
static void find_in_leaf(Overlapping *found, guint leaf)
{
    const PmTokens *tokens = found->tokens;
    const guint first = leaf * PM_TOKEN_LEAF, n = MIN(PM_TOKEN_LEAF, tokens->n - first);
    gint64 begins[PM_TOKEN_LEAF], lengths[PM_TOKEN_LEAF];
    pm_packed_read(&tokens->begins, first, n, begins);
    pm_packed_read(&tokens->lengths, first, n, lengths);
    for (guint i = n; i-- > 0 && found->n < MAX_HOLDERS;)
        if (begins[i] + lengths[i] > found->from && begins[i] < found->to &&
            pm_packed_get(&tokens->threads, first + i) != found->self)
            found->holds[found->n++] = pm_tokens_hold(tokens, first + i);
}

/* Finds the holds below a node of the tree that overlap the range, the latest begun first. */
static void find_overlapping(Overlapping *found, guint node, guint first, guint width)
{
    const PmTokens *tokens = found->tokens;
    if (found->n == MAX_HOLDERS || (gsize)first * PM_TOKEN_LEAF >= tokens->n ||
        tokens->latest[node] <= found->from ||
        pm_tokens_begin(tokens, (gsize)first * PM_TOKEN_LEAF) >= found->to)
        return;
    if (width == 1) {
        find_in_leaf(found, first);
        return;
    }
    find_overlapping(found, 2 * node + 1, first + width / 2, width / 2);
    find_overlapping(found, 2 * node, first, width / 2);
}

/* Packs one of their numbers. FALSE: no memory. */
static gboolean pack_holds(const PmTokenMatch *m, PmPacked *list,
                           gint64 (*value_of)(const PmTokenMatch *m, const PmTokenHold *hold))
{
    g_autofree PmPackedWriter *writer = g_new0(PmPackedWriter, 1);
    writer->list = list;
    for (guint i = 0; i < m->holds->len; i++)
        pm_packed_put(writer, value_of(m, &g_array_index(m->holds, PmTokenHold, i)));
    return pm_packed_end(writer);
}

#define PM_HOLD_VALUE(field)                                                                       \
    static gint64 field##_of(const PmTokenMatch *m, const PmTokenHold *hold)                       \
    {                                                                                              \
        return hold->field;                                                                        \
    }
PM_HOLD_VALUE(begin)
PM_HOLD_VALUE(length)
PM_HOLD_VALUE(thread)
PM_HOLD_VALUE(chain)
#undef PM_HOLD_VALUE

/* Nobody asks about what was before the first wait. */
static gint64 earlier_of(const PmTokenMatch *m, const PmTokenHold *hold)
{
    const gint64 first = pm_wait_begin(&m->activity->recording->waits, 0) - 1;
    return hold->begin - MIN(MAX(hold->earliest, first), hold->begin);
}

/* A sample of a thread that held one then. */
typedef struct {
    gint64 at;
    guint32 chain;
} Seen;

/* Where holders were seen: in the call of the own code that gave back, of its caller, or, under the
 * chain of its place, in such a call whoever calls it, as where that calls itself; else in that of
 * a caller further out, as where one method of a class gives back what others of it use. */
typedef enum { IN_CALL, IN_CALLER, IN_PLACE, FURTHER_OUT } SeenIn;

static gpointer seen_key(guint32 group, guint32 chain, SeenIn in)
{
    return GSIZE_TO_POINTER((gsize)group << 34 | (gsize)in << 32 | chain);
}

static void add_seen(GHashTable *table, gpointer key, const PmOwnerSample *sample)
{
    const Seen one = {.at = sample->at, .chain = sample->chain};
    GArray *seen = g_hash_table_lookup(table, key);
    if (!seen) {
        seen = g_array_new(FALSE, TRUE, sizeof(Seen));
        g_hash_table_insert(table, key, seen);
    }
    g_array_append_val(seen, one);
}

/* Adds a sample that was taken in a hold, if it saw the call in which that ended, or a caller's,
 * not behind the line that gave back. */
static void add_sample(const PmTokenMatch *m, PmTokens *tokens, const PmTokenHold *hold,
                       const PmOwnerSample *sample)
{
    const PmRecording *r = m->activity->recording;
    const PmOwnCode *code = pm_own_code(r);
    const guint32 group = r->threads[hold->thread].group;
    const gboolean took = count_of(&m->taken, hold->chain) > 0; /* how it was given is not known */
    gint own = pm_own_frame(code, hold->chain);
    for (guint out = 0; own >= 0; out++, own = pm_own_next(code, r, hold->chain, own)) {
        if (!is_in_call_of(r, hold->chain, own, sample->chain))
            continue;
        const SeenIn in = out == 0 ? IN_CALL : out == 1 ? IN_CALLER : FURTHER_OUT;
        if (!is_behind(r, hold->chain, own, sample->chain) && !(took && in == FURTHER_OUT)) {
            add_seen(tokens->seen, seen_key(group, hold->chain, in), sample);
            if (in == IN_CALL)
                add_seen(tokens->seen, seen_key(group, pm_own_place(code, hold->chain), IN_PLACE),
                         sample);
        }
        if (in != IN_CALL)
            break;
    }
}

static void sort_seen(gpointer key, gpointer seen, gpointer data)
{
    pm_sort_array(seen, sizeof(Seen));
}

/* The samples of threads while they held one. Who owns a lock that others wait for is sampled for
 * that more often than who does something else with one. */
static void find_seen(const PmTokenMatch *m, PmTokens *tokens)
{
    const PmActivity *activity = m->activity;
    const PmRecording *r = activity->recording;
    tokens->seen = g_hash_table_new_full(pm_pair_hash, NULL, NULL, (GDestroyNotify)g_array_unref);
    for (guint i = 0; i < m->holds->len; i++) {
        const PmTokenHold *hold = &g_array_index(m->holds, PmTokenHold, i);
        guint32 low = activity->sample_starts[hold->thread];
        guint32 end = activity->sample_starts[hold->thread + 1], high = end;
        PM_LOWER_BOUND(low, high, middle, r->samples[activity->samples[middle]].at < hold->begin)
        for (; low < end && r->samples[activity->samples[low]].at < hold->end; low++)
            if (r->samples[activity->samples[low]].role != PM_SAMPLE_OWNER)
                add_sample(m, tokens, hold, &r->samples[activity->samples[low]]);
    }
    g_hash_table_foreach(tokens->seen, sort_seen, NULL);
}

/* NULL: no memory. */
static PmTokens *tokens_new(PmTokenMatch *m)
{
    PmTokens *tokens = g_new0(PmTokens, 1);
    pm_sort_array(m->holds, sizeof(PmTokenHold));
    tokens->n = m->holds->len;
    find_seen(m, tokens);
    const gboolean done =
        pack_holds(m, &tokens->begins, begin_of) && pack_holds(m, &tokens->lengths, length_of) &&
        pack_holds(m, &tokens->earlier, earlier_of) && pack_holds(m, &tokens->threads, thread_of) &&
        pack_holds(m, &tokens->chains, chain_of);
    g_clear_pointer(&m->holds, g_array_unref);
    if (done)
        build_tree(tokens);
    else
        g_clear_pointer(&tokens, pm_tokens_free);
    return tokens;
}

gboolean pm_token_match_may_be(PmTokenMatch *m)
{
    const gboolean may_be = !is_no_resource(m);
    match_free(m);
    return may_be;
}

/* Whoever has ended keeps nothing. */
static gint64 end_of(const PmTokenMatch *m, guint32 thread)
{
    const PmRecording *r = m->activity->recording;
    return MIN(r->threads[thread].end, r->duration);
}

/* Do many wait though some permits are left? Then they, or who is before them, want several at
 * once: how many hold any does not tell how many are held. */
static gboolean takes_several(const PmTokenMatch *m)
{
    const PmActivity *activity = m->activity;
    const PmWaits *w = &activity->recording->waits;
    guint n = 0, n_left = 0;
    for (guint i = 0; i < m->checked->len && n < MAX_LEFT; i++) {
        const PmTake *take = &g_array_index(m->checked, PmTake, i);
        const guint32 nth = pm_activity_first_wait(activity, take->thread, take->begin);
        if (nth >= pm_activity_n_waits(activity, take->thread))
            continue;
        const guint32 row = pm_activity_wait(activity, take->thread, nth);
        if (pm_wait_begin(w, row) != take->begin ||
            pm_wait_category(w, row) != PM_CATEGORY_SEMAPHORE)
            return FALSE;
        n++;
        n_left += pm_wait_aqs_state(w, row) > 0;
    }
    return n_left * 8 > n;
}

PmTokens *pm_token_match_end(PmTokenMatch *m)
{
    if (is_no_resource(m)) {
        match_free(m);
        return NULL;
    }
    learn_lengths(m);
    g_autoptr(GArray) swept = g_array_new(FALSE, FALSE, sizeof(PmTokenHold));
    take_swept(m, swept);
    GHashTableIter iter;
    gpointer key, value;
    g_hash_table_iter_init(&iter, m->holders);
    while (g_hash_table_iter_next(&iter, &key, &value))
        if (((const Holder *)value)->took_at != G_MININT64)
            add_unreturned(m, GPOINTER_TO_UINT(key), value, end_of(m, GPOINTER_TO_UINT(key)));
    cut_unsure(m);
    add_half_seen(m);
    g_array_set_size(m->half_seen, 0);
    add_kept(m);
    add_within(m);
    add_sampled(m);
    learn_others(m);
    g_array_append_vals(m->holds, swept->data, swept->len);
    g_autoptr(GArray) users = find_users(m);
    forget_evidence(m);
    PmTokens *tokens = m->holds->len > 0 ? tokens_new(m) : NULL;
    if (!tokens) {
        match_free(m);
        return NULL;
    }
    gint64 waited = 0, held = 0, counts[MAX_HOLDERS + 1] = {0};
    tokens->counts = counts;
    for (guint i = 0; i < m->checked->len; i++) {
        const PmTake *take = &g_array_index(m->checked, PmTake, i);
        pm_sum_add(&waited, take->end - take->begin);
        pm_tokens_split(tokens, take->thread, FALSE, take->begin, take->end, NULL, NULL);
    }
    tokens->counts = NULL;
    for (guint i = 1; i <= MAX_HOLDERS; i++)
        pm_sum_add(&held, counts[i]);
    const guint most = takes_several(m) ? 0 : MAX_HOLDERS;
    for (guint i = 1; i <= most; i++)
        if (counts[i] > 0 && counts[i] >= (gint64)(USUALLY * (double)held))
            tokens->usual = i;
    tokens->activity = m->activity;
    tokens->users = g_steal_pointer(&users);
    if ((gsize)tokens->users->len * tokens->n > MAX_MISSING) /* what is known will do */
        g_array_set_size(tokens->users, 0);
    match_free(m);
    if (held < MIN_HELD * waited) {
        pm_tokens_free(tokens);
        return NULL;
    }
    tokens->fills = TRUE;
    return tokens;
}

void pm_tokens_free(PmTokens *tokens)
{
    if (!tokens)
        return;
    pm_packed_clear(&tokens->begins);
    pm_packed_clear(&tokens->lengths);
    pm_packed_clear(&tokens->earlier);
    pm_packed_clear(&tokens->threads);
    pm_packed_clear(&tokens->chains);
    if (tokens->users)
        g_array_unref(tokens->users);
    g_free(tokens->latest);
    if (tokens->seen)
        g_hash_table_unref(tokens->seen);
    g_free(tokens);
}

/* Where holders begin or end, or may have begun, by time. */
enum { BEGINS, ENDS, EARLIEST, N_CUTS };

typedef struct {
    guint n, next; /* the next one to come to */
    gint64 at[MAX_HOLDERS];
    guint8 nth[MAX_HOLDERS]; /* of those found */
} Cuts;

/* They come nearly in order. */
static void add_cut(Cuts *cuts, gint64 at, guint nth)
{
    guint i = cuts->n++;
    for (; i > 0 && cuts->at[i - 1] > at; i--) {
        cuts->at[i] = cuts->at[i - 1];
        cuts->nth[i] = cuts->nth[i - 1];
    }
    cuts->at[i] = at;
    cuts->nth[i] = (guint8)nth;
}

/* Passes those that are at `at`; a bit for each. */
static guint64 pass_cuts(Cuts *cuts, gint64 at)
{
    guint64 passed = 0;
    for (; cuts->next < cuts->n && cuts->at[cuts->next] == at; cuts->next++)
        passed |= G_GUINT64_CONSTANT(1) << cuts->nth[cuts->next];
    return passed;
}

typedef struct {
    guint n;
    const PmTokenHold *holds[2 * MAX_HOLDERS];
    double weights[2 * MAX_HOLDERS];
} Holders;

static void add_holder(Holders *holders, const PmTokenHold *hold, double chance)
{
    holders->holds[holders->n] = hold;
    holders->weights[holders->n++] = chance;
}

/* One elementary stretch, during which the same holders hold. */
static void split_stretch(const Holders *holders, gint64 begin, gint64 end, PmTokenPart add,
                          gpointer data)
{
    double whole = 0, before = 0;
    for (guint i = 0; i < holders->n; i++)
        whole += holders->weights[i];
    gint64 at = begin;
    for (guint i = 0; i < holders->n; i++) {
        before += holders->weights[i];
        gint64 until =
            i + 1 < holders->n ? begin + pm_rounded((double)(end - begin) * before / whole) : end;
        if (until > at)
            add(at, until, holders->holds[i], data);
        at = MAX(at, until);
    }
    if (holders->n == 0)
        add(begin, end, NULL, data);
}

static gboolean waits_at(const PmActivity *activity, guint32 thread, gint64 at)
{
    guint32 position = pm_activity_first_wait(activity, thread, at);
    const PmWaits *w = &activity->recording->waits;
    return (position < pm_activity_n_waits(activity, thread) &&
            pm_wait_begin(w, pm_activity_wait(activity, thread, position)) <= at) ||
           (position > 0 && pm_wait_end(w, pm_activity_wait(activity, thread, position - 1)) > at);
}

/* While somebody waits all are held: those that are missing by who does not wait and is not known
 * to hold, the likelier the longer it usually does. */
static void add_missing(const PmTokens *tokens, guint32 self, gint64 at, Holders *holders)
{
    const guint n_known = holders->n, missing = tokens->usual - n_known;
    const PmTokenHold *may[MAX_HOLDERS];
    guint n_may = 0;
    double whole = 0;
    for (guint u = 0; u < tokens->users->len; u++) {
        const PmTokenHold *user = &g_array_index(tokens->users, PmTokenHold, u);
        gboolean known = user->thread == self;
        for (guint i = 0; i < n_known && !known; i++)
            known = holders->holds[i]->thread == user->thread;
        if (known || waits_at(tokens->activity, user->thread, at))
            continue;
        may[n_may++] = user;
        whole += (double)user->end;
    }
    for (guint i = 0; i < n_may; i++)
        add_holder(holders, may[i], MIN(1, missing * (double)may[i]->end / whole));
}

/* Of those that begin after `at` and may have begun before it, the first; NULL: none. */
static const PmTokenHold *find_next(const Overlapping *found, gint64 at)
{
    const PmTokenHold *next = NULL;
    for (guint i = 0; i < found->n; i++) {
        const PmTokenHold *hold = &found->holds[i];
        if (hold->begin > at && hold->earliest <= at && (!next || hold->begin <= next->begin))
            next = hold;
    }
    return next;
}

/* An elementary stretch, in which those of a bit hold. */
static void split_among(const PmTokens *tokens, const Overlapping *found, guint64 holding,
                        guint32 self, gboolean woken, gint64 begin, gint64 end, PmTokenPart add,
                        gpointer data)
{
    Holders now;
    now.n = 0;
    for (guint64 left = holding; left; left &= left - 1)
        add_holder(&now, &found->holds[__builtin_ctzll(left)], 1);
    const PmTokenHold *next = now.n == 0 && tokens->fills ? find_next(found, begin) : NULL;
    if (next)
        add_holder(&now, next, 1);
    if (woken && now.n < tokens->usual)
        now.n = 0;
    else if (now.n < tokens->usual && tokens->fills)
        add_missing(tokens, self, begin, &now);
    split_stretch(&now, begin, end, add, data);
}

static void split_piece(const PmTokens *tokens, guint32 self, gboolean woken, gint64 from,
                        gint64 to, guint halvings, PmTokenPart add, gpointer data)
{
    Overlapping found; /* no more of it is written than what is found, as below */
    Cuts cuts[N_CUTS];
    guint64 holding = 0; /* a bit for each */
    if (from >= to)
        return;
    found.tokens = tokens;
    found.from = from;
    found.to = to;
    found.self = self;
    found.n = 0;
    find_overlapping(&found, 1, 0, tokens->width);
    if (found.n == MAX_HOLDERS && halvings > 0) {
        const gint64 middle = from + (to - from) / 2;
        split_piece(tokens, self, woken, from, middle, halvings - 1, add, data);
        split_piece(tokens, self, woken, middle, to, halvings - 1, add, data);
        return;
    }
    for (guint k = 0; k < N_CUTS; k++)
        cuts[k].n = cuts[k].next = 0;
    for (guint i = found.n; i-- > 0;) { /* the first begun first */
        const PmTokenHold *hold = &found.holds[i];
        if (hold->begin > from && hold->begin < hold->end)
            add_cut(&cuts[BEGINS], hold->begin, i);
        else if (hold->begin < hold->end)
            holding |= G_GUINT64_CONSTANT(1) << i;
        if (hold->end < to)
            add_cut(&cuts[ENDS], hold->end, i);
        if (tokens->fills && hold->earliest > from && hold->earliest < hold->begin)
            add_cut(&cuts[EARLIEST], hold->earliest, i);
    }
    for (gint64 at = from, next; at < to; at = next) {
        next = to;
        for (guint k = 0; k < N_CUTS; k++)
            if (cuts[k].next < cuts[k].n)
                next = MIN(next, cuts[k].at[cuts[k].next]);
        if (tokens->counts)
            pm_sum_add(&tokens->counts[__builtin_popcountll(holding)], next - at);
        else
            split_among(tokens, &found, holding, self, woken, at, next, add, data);
        holding = (holding | pass_cuts(&cuts[BEGINS], next)) & ~pass_cuts(&cuts[ENDS], next);
        pass_cuts(&cuts[EARLIEST], next);
    }
}

void pm_tokens_split(const PmTokens *tokens, guint32 self, gboolean woken, gint64 from, gint64 to,
                     PmTokenPart add, gpointer data)
{
    split_piece(tokens, self, woken, from, to, MAX_HALVINGS, add, data);
}

/* The nearest to `at`; 0: too few were seen. */
static guint32 nearest_seen(const GArray *seen, gint64 at)
{
    if (!seen || seen->len < MIN_SEEN)
        return 0;
    guint low = 0, high = seen->len;
    PM_LOWER_BOUND(low, high, middle, g_array_index(seen, Seen, middle).at < at)
    if (low == seen->len || (low > 0 && at - g_array_index(seen, Seen, low - 1).at <=
                                            g_array_index(seen, Seen, low).at - at))
        low--;
    return g_array_index(seen, Seen, low).chain;
}

guint32 pm_tokens_seen_holding(const PmTokens *tokens, guint32 thread, guint32 chain, gint64 at)
{
    static const SeenIn order[] = {IN_CALL, IN_PLACE, IN_CALLER, FURTHER_OUT};
    const PmRecording *r = tokens->activity->recording;
    guint32 seen = 0;
    for (guint i = 0; i < G_N_ELEMENTS(order) && !seen; i++) {
        const guint32 of = order[i] == IN_PLACE ? pm_own_place(pm_own_code(r), chain) : chain;
        seen = nearest_seen(
            g_hash_table_lookup(tokens->seen, seen_key(r->threads[thread].group, of, order[i])),
            at);
    }
    return seen;
}
