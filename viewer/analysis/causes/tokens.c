#include "viewer/analysis/causes/tokens.h"

#include "viewer/analysis/code/own-code.h"
#include "viewer/analysis/base/search.h"
#include "viewer/analysis/base/sort.h"
#include "viewer/analysis/base/sum.h"

/* Measured on pools: 48 to 96 % of the gives come from who took since its last one, on queues of
 * work none do; somebody holds during 77 to 100 % of the waiting. */
#define MIN_GIVES      10
#define MAX_STRANGERS  0.2
#define MIN_GIVEN_BACK 0.3
#define MIN_HELD       0.6
#define MAX_HOLDERS    64
#define MIN_LENGTHS    3     /* that tell how long a thread holds */
#define MAX_CHECKED    10000 /* takes of which it is looked at whether somebody held meanwhile */

/* One wake that reached several waiters is one give. */
static void drop_repeated(GArray *gives)
{
    guint n = 0;
    for (guint i = 0; i < gives->len; i++) {
        const PmGive *give = &g_array_index(gives, PmGive, i);
        const PmGive *last = n ? &g_array_index(gives, PmGive, n - 1) : NULL;
        if (!last || last->at != give->at || last->thread != give->thread)
            g_array_index(gives, PmGive, n++) = *give;
    }
    g_array_set_size(gives, n);
}

/* What is known of a thread or of a group of threads while takes and gives are matched. */
typedef struct {
    gint64 took_at; /* G_MININT64: holds none that it was seen to take */
    gint64 waited;  /* for that */
    gint64 gave_at;
    guint32 chain;
    guint32 strays; /* gives without a take before */
    gboolean takes; /* ever */
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

struct PmTokenMatch {
    const PmActivity *activity;
    GArray *gives;
    guint next_give;
    guint n_takes, stride; /* of so many takes one is checked */
    GArray *checked;       /* of PmTake */
    GArray *holds;         /* of PmTokenHold */
    GArray *half_seen;   /* the same, of gives that had no take that was seen: as early as can be */
    GHashTable *holders; /* thread → Holder */
    Lengths lengths;
    guint given_back;
};

/* Did `sample` see the call of own code that gave back in `give`? */
static gboolean is_in_call(const PmRecording *r, guint32 give, guint32 sample)
{
    const PmChain *a = &r->chains[give], *b = &r->chains[sample];
    gint own = pm_own_frame(pm_own_code(r), give);
    guint n = own < 0 ? 0 : a->n_frames - (guint)own;
    if (n == 0 || n > b->n_frames || a->truncated || b->truncated)
        return FALSE;
    for (guint i = 1; i <= n; i++)
        if (a->frames[a->n_frames - i].method != b->frames[b->n_frames - i].method)
            return FALSE;
    return TRUE;
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

/* The hold is as long as is usual, at most what is possible. */
static void add_half_seen(PmTokenMatch *m)
{
    const PmActivity *activity = m->activity;
    const Lengths *lengths = &m->lengths;
    for (guint i = 0; i < m->half_seen->len; i++) {
        PmTokenHold *hold = &g_array_index(m->half_seen, PmTokenHold, i);
        guint32 group = activity->recording->threads[hold->thread].group;
        hold->begin = MAX(hold->begin, last_event(activity, hold->thread, hold->end));
        hold->earliest = hold->begin;
        gint64 usual, longest = pm_difference(hold->end, hold->begin);
        gboolean seen = usual_length(lengths->by_call, call_key(hold->thread, hold->chain),
                                     MIN_LENGTHS, &usual) ||
                        usual_length(lengths->by_chain, hold->chain, 1, &usual);
        if (!seen && usual_length(lengths->by_group, group, 1, &usual)) {
            /* Other code of the group may be quicker: at least as long as samples saw this. */
            usual = MAX(usual, pm_difference(hold->end, seen_since(activity, hold)));
            seen = TRUE;
        }
        if (seen && usual < longest)
            hold->begin = hold->end - usual;
        else if (!seen && hold->begin == G_MININT64)
            continue;
        if (hold->begin < hold->end)
            g_array_append_val(m->holds, *hold);
    }
}

PmTokenMatch *pm_token_match_new(const PmActivity *activity, GArray *gives, guint n_takes)
{
    PmTokenMatch *m = g_new0(PmTokenMatch, 1);
    pm_sort_array(gives, sizeof(PmGive));
    drop_repeated(gives);
    m->activity = activity;
    m->gives = g_array_ref(gives);
    m->stride = 1 + n_takes / MAX_CHECKED;
    m->checked = g_array_new(FALSE, FALSE, sizeof(PmTake));
    m->holds = g_array_new(FALSE, FALSE, sizeof(PmTokenHold));
    m->half_seen = g_array_new(FALSE, FALSE, sizeof(PmTokenHold));
    m->holders = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    m->lengths.by_chain = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
    m->lengths.by_call = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
    m->lengths.by_group = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
    return m;
}

static void match_free(PmTokenMatch *m)
{
    g_clear_pointer(&m->gives, g_array_unref);
    g_array_unref(m->checked);
    g_clear_pointer(&m->holds, g_array_unref);
    g_array_unref(m->half_seen);
    g_hash_table_unref(m->holders);
    g_hash_table_unref(m->lengths.by_chain);
    g_hash_table_unref(m->lengths.by_call);
    g_hash_table_unref(m->lengths.by_group);
    g_free(m);
}

static void match_give(PmTokenMatch *m, const PmGive *give)
{
    Holder *holder = holder_of(m->holders, give->thread);
    PmTokenHold hold = {.end = give->at, .thread = give->thread, .chain = give->chain};
    if (holder->took_at != G_MININT64) {
        hold.begin = hold.earliest = holder->took_at;
        g_array_append_val(m->holds, hold);
        gint64 length = hold.end - hold.begin;
        add_length(m->lengths.by_chain, hold.chain, length);
        add_length(m->lengths.by_call, call_key(hold.thread, hold.chain), length);
        add_length(m->lengths.by_group, m->activity->recording->threads[give->thread].group,
                   length);
        m->given_back += !only_passed_on(holder, length);
    } else {
        hold.begin = holder->gave_at;
        g_array_append_val(m->half_seen, hold);
        holder->strays++;
    }
    holder->took_at = G_MININT64;
    holder->gave_at = give->at;
}

static void match_take(PmTokenMatch *m, const PmTake *take)
{
    if (m->n_takes++ % m->stride == 0)
        g_array_append_val(m->checked, *take);
    if (!take->took)
        return;
    Holder *holder = holder_of(m->holders, take->thread);
    holder->took_at = take->end;
    holder->waited = pm_difference(take->end, take->begin);
    holder->chain = take->chain;
    holder->takes = TRUE;
}

void pm_token_match_add(PmTokenMatch *m, GArray *takes, gint64 limit)
{
    guint used = 0;
    pm_sort_array(takes, sizeof(PmTake));
    for (; used < takes->len; used++) {
        const PmTake *take = &g_array_index(takes, PmTake, used);
        if (take->end >= limit && limit != G_MAXINT64)
            break;
        for (; m->next_give < m->gives->len; m->next_give++) {
            const PmGive *give = &g_array_index(m->gives, PmGive, m->next_give);
            if (take->end <= give->at)
                break;
            match_give(m, give);
        }
        match_take(m, take);
    }
    g_array_remove_range(takes, 0, used);
}

/* Do too few gives come from who was seen to take since its last one, or too many from who never
 * takes? */
static gboolean is_no_resource(const PmTokenMatch *m)
{
    GHashTableIter iter;
    gpointer value;
    guint strangers = 0;
    g_hash_table_iter_init(&iter, m->holders);
    while (g_hash_table_iter_next(&iter, NULL, &value))
        strangers += ((const Holder *)value)->takes ? 0 : ((const Holder *)value)->strays;
    return m->gives->len < MIN_GIVES || strangers > MAX_STRANGERS * m->gives->len ||
           m->given_back < MIN_GIVEN_BACK * m->gives->len;
}

/* What was taken and not seen to be given back: until the thread waits for one again. */
static void add_kept(PmTokenMatch *m)
{
    const PmRecording *r = m->activity->recording;
    GHashTableIter iter;
    gpointer key, value;
    g_hash_table_iter_init(&iter, m->holders);
    while (g_hash_table_iter_next(&iter, &key, &value)) {
        const Holder *holder = value;
        guint32 thread = GPOINTER_TO_UINT(key);
        if (holder->took_at == G_MININT64)
            continue;
        gint64 usual, end = r->duration;
        if (usual_length(m->lengths.by_group, r->threads[thread].group, 1, &usual))
            end = pm_sum(holder->took_at, usual);
        PmTokenHold hold = {.begin = holder->took_at,
                            .earliest = holder->took_at,
                            .end = MIN(end, r->duration),
                            .thread = thread,
                            .chain = holder->chain};
        if (hold.begin < hold.end)
            g_array_append_val(m->holds, hold);
    }
}

static void add_time(gint64 begin, gint64 end, const PmTokenHold *hold, gpointer data)
{
    gint64 *held = data;
    if (hold)
        pm_sum_add(held, end - begin);
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
        *leaf = MAX(*leaf, tokens->holds[i].end);
    }
    for (guint i = tokens->width; i-- > 1;)
        tokens->latest[i] = MAX(tokens->latest[2 * i], tokens->latest[2 * i + 1]);
}

typedef struct {
    const PmTokens *tokens;
    gint64 from, to;
    guint32 self;
    guint n;
    const PmTokenHold *holds[MAX_HOLDERS];
} Overlapping;

/* Those of one leaf. */
static void find_in_leaf(Overlapping *found, guint leaf)
{
    const PmTokens *tokens = found->tokens;
    const guint first = leaf * PM_TOKEN_LEAF, end = MIN(first + PM_TOKEN_LEAF, tokens->n);
    for (guint i = end; i-- > first && found->n < MAX_HOLDERS;) {
        const PmTokenHold *hold = &tokens->holds[i];
        if (hold->end > found->from && hold->begin < found->to && hold->thread != found->self)
            found->holds[found->n++] = hold;
    }
}

/* Finds the holds below a node of the tree that overlap the range, the latest begun first. */
static void find_overlapping(Overlapping *found, guint node, guint first, guint width)
{
    const PmTokens *tokens = found->tokens;
    if (found->n == MAX_HOLDERS || (gsize)first * PM_TOKEN_LEAF >= tokens->n ||
        tokens->latest[node] <= found->from ||
        tokens->holds[first * PM_TOKEN_LEAF].begin >= found->to)
        return;
    if (width == 1) {
        find_in_leaf(found, first);
        return;
    }
    find_overlapping(found, 2 * node + 1, first + width / 2, width / 2);
    find_overlapping(found, 2 * node, first, width / 2);
}

PmTokens *pm_token_match_end(PmTokenMatch *m)
{
    for (; m->next_give < m->gives->len; m->next_give++)
        match_give(m, &g_array_index(m->gives, PmGive, m->next_give));
    g_hash_table_foreach(m->lengths.by_chain, sort_lengths, NULL);
    g_hash_table_foreach(m->lengths.by_call, sort_lengths, NULL);
    g_hash_table_foreach(m->lengths.by_group, sort_lengths, NULL);
    gboolean none_held = is_no_resource(m);
    g_clear_pointer(&m->gives, g_array_unref);
    if (!none_held) {
        add_half_seen(m);
        add_kept(m);
        g_array_set_size(m->half_seen, 0);
    }
    if (none_held || !m->holds->len) {
        match_free(m);
        return NULL;
    }
    pm_sort_array(m->holds, sizeof(PmTokenHold));
    PmTokens *tokens = g_new0(PmTokens, 1);
    tokens->n = m->holds->len;
    tokens->holds =
        g_renew(PmTokenHold, g_array_free(g_steal_pointer(&m->holds), FALSE), tokens->n);
    build_tree(tokens);
    gint64 waited = 0, held = 0;
    for (guint i = 0; i < m->checked->len; i++) {
        const PmTake *take = &g_array_index(m->checked, PmTake, i);
        pm_sum_add(&waited, take->end - take->begin);
        pm_tokens_split(tokens, take->thread, take->begin, take->end, add_time, &held);
    }
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
    g_free(tokens->holds);
    g_free(tokens->latest);
    g_free(tokens);
}

/* One elementary stretch, during which the same holders hold. */
static void split_stretch(const PmTokenHold *const *holders, guint n, gint64 begin, gint64 end,
                          PmTokenPart add, gpointer data)
{
    double whole = 0, before = 0;
    for (guint i = 0; i < n; i++)
        whole += (double)(holders[i]->end - holders[i]->begin);
    gint64 at = begin;
    for (guint i = 0; i < n; i++) {
        before += (double)(holders[i]->end - holders[i]->begin);
        gint64 until = i + 1 < n ? begin + pm_rounded((double)(end - begin) * before / whole) : end;
        if (until > at)
            add(at, until, holders[i], data);
        at = MAX(at, until);
    }
    if (n == 0)
        add(begin, end, NULL, data);
}

/* Of those that begin after `at` and may have begun before it, the first; how many that is. */
static guint find_next(const Overlapping *found, gint64 at, const PmTokenHold **ret_hold)
{
    guint n = 0;
    for (guint i = 0; i < found->n; i++) {
        const PmTokenHold *hold = found->holds[i];
        if (hold->begin <= at || hold->earliest > at || (n && hold->begin >= ret_hold[0]->begin))
            continue;
        ret_hold[0] = hold;
        n = 1;
    }
    return n;
}

void pm_tokens_split(const PmTokens *tokens, guint32 self, gint64 from, gint64 to, PmTokenPart add,
                     gpointer data)
{
    Overlapping found = {.tokens = tokens, .from = from, .to = to, .self = self};
    gint64 cuts[3 * MAX_HOLDERS + 2];
    guint n_cuts = 0;
    if (from >= to)
        return;
    find_overlapping(&found, 1, 0, tokens->width);
    cuts[n_cuts++] = from;
    for (guint i = 0; i < found.n; i++) {
        if (found.holds[i]->begin > from)
            cuts[n_cuts++] = found.holds[i]->begin;
        if (found.holds[i]->end < to)
            cuts[n_cuts++] = found.holds[i]->end;
        if (found.holds[i]->earliest > from && found.holds[i]->earliest < found.holds[i]->begin)
            cuts[n_cuts++] = found.holds[i]->earliest;
    }
    cuts[n_cuts++] = to;
    qsort(cuts, n_cuts, sizeof *cuts, pm_compare_instants);
    for (guint c = 0; c + 1 < n_cuts; c++) {
        const PmTokenHold *now[MAX_HOLDERS];
        guint n_now = 0;
        if (cuts[c] == cuts[c + 1])
            continue;
        for (guint i = 0; i < found.n; i++)
            if (found.holds[i]->begin <= cuts[c] && found.holds[i]->end >= cuts[c + 1])
                now[n_now++] = found.holds[i];
        if (n_now == 0 && tokens->fills)
            n_now = find_next(&found, cuts[c], now);
        split_stretch(now, n_now, cuts[c], cuts[c + 1], add, data);
    }
}
