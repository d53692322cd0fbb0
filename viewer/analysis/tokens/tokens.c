#include "viewer/analysis/tokens/token-match-private.h"

#include "viewer/analysis/base/pair.h"
#include "viewer/analysis/base/search.h"
#include "viewer/analysis/base/sort.h"
#include "viewer/analysis/base/sum.h"
#include "viewer/analysis/code/own-code.h"
#include "viewer/analysis/recording/category.h"

/* Measured on pools: somebody holds during 77 to 100 % of the waiting. */
#define MIN_HELD     0.6
#define USUALLY      0.15 /* of the time held; fewer are known to hold at most times */
#define MAX_HOLDERS  64
#define MAX_HALVINGS 3       /* of a wait with more holds; of the rest the last are known */
#define MAX_USERS    256     /* of whom it is looked at whether they may hold one unseen */
#define MAX_MISSING  4000000 /* such looks, of one at each hold */
#define MIN_USERS    8       /* with fewer of so many holds it is not looked */
#define FEW_WAKES    2       /* of who never takes: meant for something else */
#define HARDLY       0.05    /* of what a thread is known to hold: not looked at */
#define MIN_SEEN     3       /* samples of who holds that tell what is done meanwhile */
#define MAX_LEFT     1000    /* takes that tell whether permits were left */

/* Who may hold one unseen, and in what. */
typedef struct {
    PmTokenHold hold; /* as long as usual; when is not known */
    double weight;    /* the likelier */
} User;

/* By thread, and by the stack trace in which it gave back. */
static int compare_holders(gconstpointer a, gconstpointer b)
{
    const PmTokenHold *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return (x->chain > y->chain) - (x->chain < y->chain);
}

/* The likelier first. */
static int compare_weights(gconstpointer a, gconstpointer b)
{
    const User *x = a, *y = b;
    return x->weight != y->weight ? (x->weight > y->weight ? -1 : 1)
                                  : compare_holders(&x->hold, &y->hold);
}

/* What each thread is known to have held, by the stack trace in which it gave that back: its weight
 * is how long that was, together. Owned, of User, by thread. */
static GArray *sum_known(const PmTokenMatch *m)
{
    GArray *users = g_array_new(FALSE, FALSE, sizeof(User));
    g_autoptr(GArray) holds = g_array_copy(m->holds);
    g_array_sort(holds, compare_holders);
    for (guint i = 0; i < holds->len; i++) {
        const PmTokenHold *hold = &g_array_index(holds, PmTokenHold, i);
        if (i == 0 || compare_holders(hold - 1, hold) != 0) {
            const User user = {.hold = {.thread = hold->thread, .chain = hold->chain}};
            g_array_append_val(users, user);
        }
        g_array_index(users, User, users->len - 1).weight += (double)hold->length;
    }
    return users;
}

/* Not who only gives what others abandoned, nor who never took and woke somebody once or twice, in
 * no code of the program's: that was meant for something else. */
static gboolean may_use(const PmTokenMatch *m, const PmTokenHolder *holder)
{
    return !pm_token_is_sweeper(holder) &&
           (holder->takes || holder->strays > FEW_WAKES ||
            pm_own_frame(pm_own_code(m->activity->recording), holder->gave_in) >= 0);
}

/* Any thread that holds may, the likelier the longer it usually does, and in what it is known to
 * hold most of the time. Owned, of User, by thread. */
static GArray *find_users(const PmTokenMatch *m)
{
    const guint most = (guint)MIN(MAX_USERS, MAX_MISSING / MAX(m->holds->len, 1));
    if (most < MIN_USERS) /* what is known will do */
        return g_array_new(FALSE, FALSE, sizeof(User));
    GArray *users = sum_known(m);
    g_autofree guint8 *is_known = g_new0(guint8, m->activity->recording->n_threads);
    GHashTableIter iter;
    gpointer key, value;
    gint64 usual;
    guint left = 0;
    for (guint i = 0, next; i < users->len; i = next) {
        const guint32 thread = g_array_index(users, User, i).hold.thread;
        double whole = 0;
        for (next = i; next < users->len && g_array_index(users, User, next).hold.thread == thread;
             next++)
            whole += g_array_index(users, User, next).weight;
        is_known[thread] = TRUE;
        if (!may_use(m, pm_token_holder(m->holders, thread)) ||
            !pm_token_usual_of_user(m, thread, &usual))
            continue;
        for (guint k = i; k < next; k++) {
            User user = g_array_index(users, User, k);
            const gboolean hardly = user.weight < HARDLY * whole;
            user.weight *= (double)usual / whole;
            if (!pm_token_usual_hold(m, thread, user.hold.chain, &user.hold.length))
                user.hold.length = usual;
            if (!hardly && user.weight > 0)
                g_array_index(users, User, left++) = user;
        }
    }
    g_array_set_size(users, left);
    g_hash_table_iter_init(&iter, m->holders);
    while (g_hash_table_iter_next(&iter, &key, &value)) {
        const PmTokenHolder *holder = value;
        User user = {.hold = {.thread = GPOINTER_TO_UINT(key),
                              .chain = holder->gave_in ? holder->gave_in : holder->chain}};
        if (is_known[user.hold.thread] || !may_use(m, holder) ||
            !pm_token_usual_in_group(m, user.hold.thread, &usual) || usual == 0)
            continue;
        user.hold.length = usual;
        user.weight = (double)usual;
        g_array_append_val(users, user);
    }
    if (users->len > most) { /* the likeliest will do */
        g_array_sort(users, compare_weights);
        g_array_set_size(users, most);
    }
    g_array_sort(users, compare_holders); /* each begins with one */
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

gboolean pm_token_is_in_call(const PmRecording *r, guint32 give, gint own, guint32 sample)
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

gboolean pm_token_is_behind(const PmRecording *r, guint32 give, gint own, guint32 sample)
{
    const PmChain *a = &r->chains[give], *b = &r->chains[sample];
    const gint32 gave = a->frames[own].line;
    return gave > 0 && b->frames[b->n_frames - (a->n_frames - (guint)own)].line > gave;
}

/* Adds a sample that was taken in a hold, if it saw the call in which that ended, or a caller's,
 * not behind the line that gave back. */
static void add_sample(const PmTokenMatch *m, PmTokens *tokens, const PmTokenHold *hold,
                       const PmOwnerSample *sample)
{
    const PmRecording *r = m->activity->recording;
    const PmOwnCode *code = pm_own_code(r);
    const guint32 group = r->threads[hold->thread].group;
    const gboolean took =
        pm_token_count(&m->taken, hold->chain) > 0; /* how it was given is not known */
    gint own = pm_own_frame(code, hold->chain);
    for (guint out = 0; own >= 0; out++, own = pm_own_next(code, r, hold->chain, own)) {
        if (!pm_token_is_in_call(r, hold->chain, own, sample->chain))
            continue;
        const SeenIn in = out == 0 ? IN_CALL : out == 1 ? IN_CALLER : FURTHER_OUT;
        if (!pm_token_is_behind(r, hold->chain, own, sample->chain) &&
            !(took && in == FURTHER_OUT)) {
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
    if (pm_token_is_no_resource(m)) {
        pm_token_match_free(m);
        return NULL;
    }
    pm_token_learn_lengths(m);
    g_autoptr(GArray) swept = g_array_new(FALSE, FALSE, sizeof(PmTokenHold));
    pm_token_take_swept(m, swept);
    GHashTableIter iter;
    gpointer key, value;
    g_hash_table_iter_init(&iter, m->holders);
    while (g_hash_table_iter_next(&iter, &key, &value))
        if (((const PmTokenHolder *)value)->took_at != G_MININT64)
            pm_token_add_unreturned(m, GPOINTER_TO_UINT(key), value,
                                    end_of(m, GPOINTER_TO_UINT(key)));
    pm_token_cut_unsure(m);
    pm_token_add_unseen(m);
    pm_token_learn_others(m);
    g_array_append_vals(m->holds, swept->data, swept->len);
    g_autoptr(GArray) users = find_users(m);
    pm_token_match_forget(m);
    PmTokens *tokens = m->holds->len > 0 ? tokens_new(m) : NULL;
    if (!tokens) {
        pm_token_match_free(m);
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
    tokens->usual = m->lent && most > 0;
    for (guint i = 1; i <= most; i++)
        if (counts[i] > 0 && counts[i] >= (gint64)(USUALLY * (double)held))
            tokens->usual = i;
    tokens->activity = m->activity;
    tokens->users = g_steal_pointer(&users);
    const gboolean is_resource = m->lent || held >= MIN_HELD * waited;
    pm_token_match_free(m);
    if (!is_resource) {
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
    const PmTokenHold *holds[MAX_HOLDERS + MAX_USERS];
    double weights[MAX_HOLDERS + MAX_USERS];
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

/* May the thread hold one unseen? Who waits, or is known to hold one, does not. */
static gboolean may_hold(const PmTokens *tokens, guint32 thread, gint64 at, const Holders *holders,
                         guint n_known)
{
    for (guint i = 0; i < n_known; i++)
        if (holders->holds[i]->thread == thread)
            return FALSE;
    return !waits_at(tokens->activity, thread, at);
}

/* While somebody waits all are held: those that are missing by who may hold one unseen, the
 * likelier the more of the time such holds are known. */
static void add_missing(const PmTokens *tokens, guint32 self, gint64 at, Holders *holders)
{
    const guint n_known = holders->n, missing = tokens->usual - n_known;
    const User *may[MAX_USERS];
    guint n_may = 0;
    double whole = 0;
    gboolean its = FALSE;
    for (guint u = 0; u < tokens->users->len; u++) {
        const User *user = &g_array_index(tokens->users, User, u);
        if (u == 0 || user->hold.thread != (user - 1)->hold.thread)
            its = user->hold.thread != self &&
                  may_hold(tokens, user->hold.thread, at, holders, n_known);
        if (!its)
            continue;
        may[n_may++] = user;
        whole += user->weight;
    }
    for (guint i = 0; i < n_may; i++)
        add_holder(holders, &may[i]->hold, MIN(1, missing * may[i]->weight / whole));
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
