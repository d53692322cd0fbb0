#include "viewer/analysis/causes/tokens.h"

#include "viewer/analysis/causes/own-code.h"
#include "viewer/analysis/recording/search.h"
#include "viewer/analysis/recording/sort.h"
#include "viewer/analysis/recording/sum.h"

/* Measured on pools: 48 to 96 % of the gives come from who took since its last one, on queues of
 * work none do; somebody holds during 77 to 100 % of the waiting. */
#define MIN_GIVES      10
#define MAX_STRANGERS  0.2
#define MIN_GIVEN_BACK 0.3
#define MIN_HELD       0.6
#define MAX_HOLDERS    64
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

/* How long one is held, as far as both ends were seen, by the code that gives it back and by the
 * group of the threads. */
typedef struct {
    GHashTable *by_chain, *by_group;
} Lengths;

static void add_length(GHashTable *lengths, guint32 key, gint64 length)
{
    GArray *seen = g_hash_table_lookup(lengths, GUINT_TO_POINTER(key));
    if (!seen) {
        seen = g_array_new(FALSE, FALSE, sizeof(gint64));
        g_hash_table_insert(lengths, GUINT_TO_POINTER(key), seen);
    }
    g_array_append_val(seen, length);
}

static void sort_lengths(gpointer key, gpointer lengths, gpointer data)
{
    g_array_sort(lengths, pm_compare_instants);
}

/* The median of what was seen. FALSE: none was. */
static gboolean usual_length(GHashTable *lengths, guint32 key, gint64 *ret_length)
{
    const GArray *seen = g_hash_table_lookup(lengths, GUINT_TO_POINTER(key));
    if (!seen)
        return FALSE;
    *ret_length = g_array_index(seen, gint64, seen->len / 2);
    return TRUE;
}

/* Gives that had no take that was seen: the hold is as long as is usual, at most what is possible.
 */
typedef struct {
    PmTokenHold hold; /* begins as early as can be */
    guint32 group;
} HalfSeen;

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

static void add_half_seen(const PmActivity *activity, GArray *half_seen, const Lengths *lengths,
                          GArray *holds)
{
    for (guint i = 0; i < half_seen->len; i++) {
        HalfSeen *half = &g_array_index(half_seen, HalfSeen, i);
        PmTokenHold *hold = &half->hold;
        hold->begin = MAX(hold->begin, last_event(activity, hold->thread, hold->end));
        gint64 usual, longest = pm_difference(hold->end, hold->begin);
        gboolean seen = usual_length(lengths->by_chain, hold->chain, &usual);
        if (!seen && usual_length(lengths->by_group, half->group, &usual)) {
            /* Other code of the group may be quicker: at least as long as samples saw this. */
            usual = MAX(usual, pm_difference(hold->end, seen_since(activity, hold)));
            seen = TRUE;
        }
        if (seen && usual < longest)
            hold->begin = hold->end - usual;
        else if (!seen && hold->begin == G_MININT64)
            continue;
        if (hold->begin < hold->end)
            g_array_append_val(holds, *hold);
    }
}

/* Matches takes and gives of each thread. NULL where too few gives come from who was seen to take
 * since its last one, or too many from who never takes. */
static GArray *match(const PmActivity *activity, const GArray *gives, const GArray *takes)
{
    const PmRecording *r = activity->recording;
    guint given_back = 0, strangers = 0;
    g_autoptr(GArray) holds = g_array_new(FALSE, FALSE, sizeof(PmTokenHold));
    g_autoptr(GArray) half_seen = g_array_new(FALSE, FALSE, sizeof(HalfSeen));
    g_autoptr(GHashTable) holders = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    g_autoptr(GHashTable) by_chain =
        g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
    g_autoptr(GHashTable) by_group =
        g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
    for (guint i = 0; i < takes->len; i++)
        if (g_array_index(takes, PmTake, i).took)
            holder_of(holders, g_array_index(takes, PmTake, i).thread)->takes = TRUE;
    for (guint g = 0, t = 0; g < gives->len || t < takes->len;) {
        const PmTake *take = t < takes->len ? &g_array_index(takes, PmTake, t) : NULL;
        const PmGive *give = g < gives->len ? &g_array_index(gives, PmGive, g) : NULL;
        if (take && (!give || take->end <= give->at)) {
            t++;
            if (take->took) {
                Holder *holder = holder_of(holders, take->thread);
                holder->took_at = take->end;
                holder->waited = pm_difference(take->end, take->begin);
                holder->chain = take->chain;
            }
            continue;
        }
        g++;
        Holder *holder = holder_of(holders, give->thread);
        PmTokenHold hold = {.end = give->at, .thread = give->thread, .chain = give->chain};
        guint32 group = r->threads[give->thread].group;
        if (holder->took_at != G_MININT64) {
            hold.begin = holder->took_at;
            g_array_append_val(holds, hold);
            gint64 length = hold.end - hold.begin;
            add_length(by_chain, hold.chain, length);
            add_length(by_group, group, length);
            given_back += !only_passed_on(holder, length);
        } else {
            hold.begin = holder->gave_at;
            HalfSeen half = {.hold = hold, .group = group};
            g_array_append_val(half_seen, half);
            strangers += !holder->takes;
        }
        holder->took_at = G_MININT64;
        holder->gave_at = give->at;
    }
    g_hash_table_foreach(by_chain, sort_lengths, NULL);
    g_hash_table_foreach(by_group, sort_lengths, NULL);
    if (strangers > MAX_STRANGERS * gives->len || given_back < MIN_GIVEN_BACK * gives->len)
        return NULL;
    add_half_seen(activity, half_seen, &(Lengths){by_chain, by_group}, holds);
    /* What was taken and not seen to be given back: until the thread waits for one again. */
    GHashTableIter iter;
    gpointer key, value;
    g_hash_table_iter_init(&iter, holders);
    while (g_hash_table_iter_next(&iter, &key, &value)) {
        const Holder *holder = value;
        guint32 thread = GPOINTER_TO_UINT(key);
        if (holder->took_at == G_MININT64)
            continue;
        gint64 usual, end = r->duration;
        if (usual_length(by_group, r->threads[thread].group, &usual))
            end = pm_sum(holder->took_at, usual);
        PmTokenHold hold = {.begin = holder->took_at,
                            .end = MIN(end, r->duration),
                            .thread = thread,
                            .chain = holder->chain};
        if (hold.begin < hold.end)
            g_array_append_val(holds, hold);
    }
    pm_sort_array(holds, sizeof(PmTokenHold));
    return g_steal_pointer(&holds);
}

static void add_time(gint64 begin, gint64 end, const PmTokenHold *hold, gpointer data)
{
    gint64 *held = data;
    if (hold)
        pm_sum_add(held, end - begin);
}

/* latest[1] is the root of a binary tree whose leaves, from latest[width] on, are the holds' ends.
 */
static void build_tree(PmTokens *tokens)
{
    tokens->width = 1;
    while (tokens->width < tokens->n)
        tokens->width *= 2;
    tokens->latest = g_new(gint64, 2 * (gsize)tokens->width);
    for (guint i = 0; i < tokens->width; i++)
        tokens->latest[tokens->width + i] = i < tokens->n ? tokens->holds[i].end : G_MININT64;
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

/* Finds the holds below a node of the tree that overlap the range, the latest begun first. */
static void find_overlapping(Overlapping *found, guint node, guint first, guint width)
{
    const PmTokens *tokens = found->tokens;
    if (found->n == MAX_HOLDERS || first >= tokens->n || tokens->latest[node] <= found->from ||
        tokens->holds[first].begin >= found->to)
        return;
    if (width == 1) {
        if (tokens->holds[first].thread != found->self)
            found->holds[found->n++] = &tokens->holds[first];
        return;
    }
    find_overlapping(found, 2 * node + 1, first + width / 2, width / 2);
    find_overlapping(found, 2 * node, first, width / 2);
}

PmTokens *pm_tokens_new(const PmActivity *activity, GArray *gives, GArray *takes)
{
    pm_sort_array(gives, sizeof(PmGive));
    drop_repeated(gives);
    if (gives->len < MIN_GIVES)
        return NULL;
    pm_sort_array(takes, sizeof(PmTake));
    g_autoptr(GArray) holds = match(activity, gives, takes);
    if (!holds || !holds->len)
        return NULL;
    PmTokens *tokens = g_new0(PmTokens, 1);
    tokens->n = holds->len;
    tokens->holds = (PmTokenHold *)(void *)g_array_free(g_steal_pointer(&holds), FALSE);
    build_tree(tokens);
    gint64 waited = 0, held = 0;
    guint stride = 1 + takes->len / MAX_CHECKED;
    for (guint i = 0; i < takes->len; i += stride) {
        const PmTake *take = &g_array_index(takes, PmTake, i);
        pm_sum_add(&waited, take->end - take->begin);
        pm_tokens_split(tokens, take->thread, take->begin, take->end, add_time, &held);
    }
    if (held < MIN_HELD * waited) {
        pm_tokens_free(tokens);
        return NULL;
    }
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

void pm_tokens_split(const PmTokens *tokens, guint32 self, gint64 from, gint64 to, PmTokenPart add,
                     gpointer data)
{
    Overlapping found = {.tokens = tokens, .from = from, .to = to, .self = self};
    gint64 cuts[2 * MAX_HOLDERS + 2];
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
        split_stretch(now, n_now, cuts[c], cuts[c + 1], add, data);
    }
}
