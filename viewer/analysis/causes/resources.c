/* What is taken and given back, and by whom. */
#include "viewer/analysis/causes/contention-private.h"

#include "viewer/analysis/base/pair.h"
#include "viewer/analysis/base/region.h"
#include "viewer/analysis/base/sum.h"
#include "viewer/analysis/code/row-lists.h"

#define MANY_ALIKE     32 /* objects */
#define MIN_GIVES      10
#define ELSEWHERE      4         /* one of so many gives */
#define USES_LOOKED_AT (1 << 20) /* for who gives where */
#define BACK_LOOKED_AT (1 << 16) /* for whether anything is given back */

gsize pm_contention_uses_at_once = 8192;
#define FEW_SLICES 32 /* are one */

static inline gboolean is_of_resources(gint64 category)
{
    return category == PM_CATEGORY_SEMAPHORE || category == PM_CATEGORY_RESOURCE ||
           category == PM_CATEGORY_QUEUE || category == PM_CATEGORY_CONDITION;
}

static gboolean has_taken(const PmContention *c, guint32 row, const PmRowWait *wait)
{
    return !(wait->flags & (PM_WAIT_IN_PROGRESS | PM_WAIT_CUT)) &&
           wait->wake_cause != PM_WAKE_TIME_OUT && wait->wake_cause != PM_WAKE_INTERRUPT &&
           !pm_activity_is_repeated(c->activity, row);
}

/* Who waits for what pools lend, and who gives it back. */
typedef struct {
    PmContention *contention;
    GHashTable *at_one; /* pairs of a blocker and a thread that waits there */
    GHashTable *at_any; /* of the first of alike blockers and a thread that waits at one of them */
    guint32 *n_waits, *n_gives, *n_elsewhere; /* by the first of alike blockers */
    guint8 *keyed; /* the same: of a pool with keys, as is known of its class */
} Lenders;

static void add_taker(Lenders *lenders, gsize row, guint32 blocker, guint32 first)
{
    const guint32 thread = pm_wait_thread(&lenders->contention->recording->waits, row);
    g_hash_table_add(lenders->at_one, pm_contention_taker_key(blocker, thread));
    g_hash_table_add(lenders->at_any, pm_contention_taker_key(first, thread));
}

static void add_giver(Lenders *lenders, gsize row, guint32 blocker, guint32 first)
{
    const PmContention *c = lenders->contention;
    PmGive give = {.thread = pm_wait_waker(&c->recording->waits, row)};
    if (!give.thread ||
        (pm_contention_may_be_followed(c, row) && !pm_contention_origin_of(c, (guint32)row, &give)))
        return;
    lenders->n_gives[first]++;
    lenders->n_elsewhere[first] +=
        !g_hash_table_contains(lenders->at_one, pm_contention_taker_key(blocker, give.thread)) &&
        g_hash_table_contains(lenders->at_any, pm_contention_taker_key(first, give.thread));
}

/* Looks at the waits for what a pool lends, all of which are counted if `takers`. */
static void look_at_lent(Lenders *lenders, gboolean takers)
{
    const PmRecording *r = lenders->contention->recording;
    const PmRecordingPrivate *p = pm_recording_private(r);
    gint64 categories[PM_READ_AT_ONCE];
    gsize n_uses = 0;
    for (gsize i = 0, n; i < r->waits.n; i += n) {
        n = MIN(r->waits.n - i, PM_READ_AT_ONCE);
        pm_wait_columns(&r->waits, PM_WAIT_COLUMN_CATEGORY, i, n, categories);
        for (gsize k = 0; k < n; k++) {
            if (categories[k] != PM_CATEGORY_RESOURCE)
                continue;
            const guint32 blocker = pm_wait_blocker(&r->waits, i + k), first = p->alike[blocker];
            lenders->n_waits[first] += takers;
            if (lenders->keyed[first] && n_uses++ < USES_LOOKED_AT)
                (takers ? add_taker : add_giver)(lenders, i + k, blocker, first);
        }
    }
}

static gboolean is_keyed(const PmRecording *r, guint32 chain)
{
    for (guint32 i = 0; i < r->chains[chain].n_frames; i++)
        if (g_str_has_suffix(pm_recording_class_at(r, &r->chains[chain], i), "KeyedObjectPool"))
            return TRUE;
    return FALSE;
}

/* A pool with keys has a queue for each. What they lend is one, as it has a limit for all, if those
 * who give back at one of them often wait only at others. Of other pools that are alike each lends
 * its own. */
void pm_contention_find_pools(PmContention *c)
{
    const PmRecording *r = c->recording;
    const PmRecordingPrivate *p = pm_recording_private(r);
    const guint n = MAX(r->n_blockers, 1);
    g_autofree guint32 *n_waits = g_new0(guint32, n), *n_gives = g_new0(guint32, n),
                       *n_elsewhere = g_new0(guint32, n);
    g_autoptr(GHashTable) at_one = g_hash_table_new(pm_pair_hash, NULL);
    g_autoptr(GHashTable) at_any = g_hash_table_new(pm_pair_hash, NULL);
    g_autofree guint8 *keyed = g_new0(guint8, n);
    Lenders lenders = {c, at_one, at_any, n_waits, n_gives, n_elsewhere, keyed};
    for (guint32 b = 1; b < r->n_blockers; b++)
        keyed[b] = p->n_alike[b] > 1 && is_keyed(r, r->blockers[b].first_chain);
    look_at_lent(&lenders, TRUE);
    if (g_hash_table_size(at_one) > 0)
        look_at_lent(&lenders, FALSE);
    c->one_pool = g_new0(guint8, n);
    for (guint32 b = 1; b < r->n_blockers; b++)
        c->one_pool[b] =
            (p->n_alike[b] >= MANY_ALIKE && n_waits[b] > 0 &&
             n_waits[b] <= pm_product(p->n_alike[b], 2)) ||
            (n_gives[b] >= MIN_GIVES && pm_product(n_elsewhere[b], ELSEWHERE) >= n_gives[b]);
}

static guint32 pool_of(const PmContention *c, guint32 blocker)
{
    const guint32 first = pm_recording_private(c->recording)->alike[blocker];
    return c->one_pool[first] ? first : blocker;
}

/* What a synchronizer of the program's own lets several have may be given back, or not. */
static inline gboolean may_be_resource(const PmRecording *r, gsize row, gint64 category,
                                       gint64 kind)
{
    return (is_of_resources(category) && kind != PM_KIND_ENTER) ||
           (category == PM_CATEGORY_LATCH && pm_contention_may_be_counted(r, row));
}

void pm_contention_resource_keys(const PmRecording *r, gsize first, gsize n, guint32 *keys,
                                 gconstpointer data)
{
    gint64 categories[PM_ROW_KEYS], kinds[PM_ROW_KEYS], blockers[PM_ROW_KEYS];
    pm_wait_columns(&r->waits, PM_WAIT_COLUMN_CATEGORY, first, n, categories);
    pm_wait_columns(&r->waits, PM_WAIT_COLUMN_KIND, first, n, kinds);
    pm_wait_columns(&r->waits, PM_WAIT_COLUMN_BLOCKER, first, n, blockers);
    for (gsize i = 0; i < n; i++)
        keys[i] = may_be_resource(r, first + i, categories[i], kinds[i])
                      ? pool_of(data, (guint32)blockers[i])
                      : G_MAXUINT32;
}

/* The waits for what may be a resource, in slices. */
typedef struct {
    const PmContention *contention;
    const guint32 *rows;
    const PmRowWait *all; /* NULL: read as they are looked at */
    gsize n, slice;
    gint64 *limits; /* by slice: no row of it, or of one after it, tells of anything sooner; NULL:
                     * there is one slice */
    gboolean lent;  /* by a pool, as is known of its class */
} Uses;

/* Some of those. */
typedef struct {
    const guint32 *rows;
    const PmRowWait *waits;
    gsize n;
    PmRowWait room[PM_READ_AT_ONCE];
} Read;

/* Returns whether `room` is still to be filled. */
static gboolean begin_read(const Uses *uses, gsize first, gsize end, Read *read)
{
    read->rows = uses->rows + first;
    read->n = MIN(end - first, PM_READ_AT_ONCE);
    read->waits = uses->all ? uses->all + first : read->room;
    return !uses->all;
}

static void read_rows(const Uses *uses, gsize first, gsize end, Read *read)
{
    if (begin_read(uses, first, end, read))
        pm_row_waits_read(&uses->contention->recording->waits, read->rows, read->n, read->room);
}

/* As origin_of, of the `i`th row read. */
static gboolean read_origin(const PmContention *c, const Read *read, gsize i, PmGive *ret_give)
{
    const PmRowWait *wait = &read->waits[i];
    if (!wait->waker || !wait->wake)
        return FALSE;
    if (pm_contention_may_be_followed(c, read->rows[i]))
        return pm_contention_origin_of(c, read->rows[i], ret_give);
    *ret_give = (PmGive){.at = wait->wake, .thread = wait->waker, .chain = wait->waker_chain};
    return TRUE;
}

static void find_limits(Uses *uses)
{
    const gsize n_slices = (uses->n + uses->slice - 1) / uses->slice;
    gint64 least = G_MAXINT64;
    Read read;
    uses->limits = g_new(gint64, n_slices);
    for (gsize slice = n_slices; slice-- > 0;) {
        const gsize end = MIN((slice + 1) * uses->slice, uses->n);
        for (gsize first = slice * uses->slice; first < end; first += read.n) {
            read_rows(uses, first, end, &read);
            for (gsize i = 0; i < read.n; i++) {
                PmGive give;
                least = MIN(least, read.waits[i].begin);
                if (read_origin(uses->contention, &read, i, &give))
                    least = MIN(least, give.at);
            }
        }
        uses->limits[slice] = least;
    }
}

static void add_uses(const Uses *uses, const Read *read, GArray *gives, GArray *takes)
{
    const PmContention *c = uses->contention;
    PmGive give;
    g_array_set_size(takes, (guint)(takes->len + read->n));
    PmTake *take = &g_array_index(takes, PmTake, takes->len - read->n);
    for (gsize i = 0; i < read->n; i++) {
        const PmRowWait *wait = &read->waits[i];
        *take++ =
            (PmTake){.begin = wait->begin,
                     .end = wait->end,
                     .woken = wait->wake > wait->begin ? MIN(wait->wake, wait->end) : wait->end,
                     .thread = wait->thread,
                     .chain = wait->chain,
                     .took = has_taken(c, read->rows[i], wait)};
        if (!read_origin(c, read, i, &give))
            continue;
        give.missed = pm_activity_is_repeated(c->activity, read->rows[i]);
        g_array_append_val(gives, give);
    }
}

/* Matches what a resource's waits show of gives and takes. */
static PmTokenMatch *match_resource(const Uses *uses, gboolean counts_only)
{
    PmTokenMatch *match =
        pm_token_match_new(uses->contention->activity, (guint)uses->n, counts_only, uses->lent);
    g_autoptr(GArray) gives = pm_region_array(sizeof(PmGive), (guint)uses->slice);
    g_autoptr(GArray) takes = pm_region_array(sizeof(PmTake), (guint)uses->slice);
    Read read;
    for (gsize begin = 0; begin < uses->n; begin += uses->slice) {
        const gsize end = MIN(begin + uses->slice, uses->n);
        for (gsize first = begin; first < end; first += read.n) {
            read_rows(uses, first, end, &read);
            add_uses(uses, &read, gives, takes);
        }
        pm_token_match_add(match, gives, takes,
                           end < uses->n ? uses->limits[end / uses->slice] : G_MAXINT64);
    }
    return match;
}

gpointer pm_contention_side_key(const PmRecording *r, guint32 chain, guint32 thread)
{
    return GSIZE_TO_POINTER((gsize)pm_recording_site_method(r, chain) << 32 | thread);
}

/* Do threads wait at one monitor in several methods, hardly ever ended by who waits in the same
 * one? Then it has sides, of which one gives what the other wants, and nothing is given back. Nor
 * is it where several mostly go on at once, as at a barrier, or where a condition tells all of
 * something new: what comes back is for one. */
static gboolean gives_nothing_back(const Uses *uses)
{
    const PmContention *c = uses->contention;
    const PmRecording *r = c->recording;
    g_autoptr(GHashTable) sides = g_hash_table_new(pm_pair_hash, NULL);
    gsize n_gives = 0, n_own = 0, n_together = 0;
    PmGive last = {0};
    const gsize n = MIN(uses->n, BACK_LOOKED_AT);
    Read read;
    for (gsize first = 0; first < n; first += read.n) {
        read_rows(uses, first, n, &read);
        for (gsize i = 0; i < read.n; i++) {
            if (read.waits[i].kind != PM_KIND_WAIT &&
                pm_wait_category(&r->waits, read.rows[i]) != PM_CATEGORY_CONDITION)
                return FALSE;
            g_hash_table_add(sides,
                             pm_contention_side_key(r, read.waits[i].chain, read.waits[i].thread));
        }
    }
    for (gsize first = 0; first < n; first += read.n) {
        read_rows(uses, first, n, &read);
        for (gsize i = 0; i < read.n; i++) {
            const PmRowWait *wait = &read.waits[i];
            PmGive give;
            if (wait->flags & PM_WAIT_AMBIGUOUS ||
                pm_activity_is_repeated(c->activity, read.rows[i]) ||
                !read_origin(c, &read, i, &give))
                continue;
            n_gives++;
            n_own +=
                wait->kind != PM_KIND_WAIT ||
                g_hash_table_contains(sides, pm_contention_side_key(r, wait->chain, give.thread));
            n_together += give.at == last.at && give.thread == last.thread;
            last = give;
        }
    }
    return n_own * 10 <= n_gives || n_together * 2 >= n_gives;
}

/* Of so many gives one by a stranger: there will hardly be enough of them. */
#define FEW_STRANGERS 8

/* Threads that wait for it, and bits under which gives of others are counted, each once. */
typedef struct {
    guint8 *waits_here; /* by thread */
    guint64 *seen;
    gsize mask;
    gsize n; /* no more than there are */
} Strangers;

static void count_stranger(Strangers *strangers, gint64 at, guint32 thread)
{
    const guint64 hash =
        ((guint64)at ^ (guint64)thread << 40) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
    const gsize bit = hash >> 24 & strangers->mask;
    const guint64 flag = G_GUINT64_CONSTANT(1) << bit % 64;
    strangers->n += !strangers->waits_here[thread] && !(strangers->seen[bit / 64] & flag);
    strangers->seen[bit / 64] |= flag;
}

static void find_waiting(const Uses *uses, guint8 *waits_here)
{
    gint64 threads[PM_READ_AT_ONCE];
    for (gsize i = 0; i < uses->n && uses->all; i++)
        waits_here[uses->all[i].thread] = TRUE;
    for (gsize first = 0, n; first < uses->n && !uses->all; first += n) {
        n = MIN(uses->n - first, PM_READ_AT_ONCE);
        pm_row_values(&uses->contention->recording->waits, PM_WAIT_COLUMN_THREAD,
                      uses->rows + first, n, threads);
        for (gsize i = 0; i < n; i++)
            waits_here[threads[i]] = TRUE;
    }
}

/* A thread that hardly ever waits may have been started to take one, without a wait, and give it
 * back. */
static gboolean is_short_lived(const PmContention *c, guint32 thread)
{
    return c->recording->threads[thread].is_virtual ||
           pm_activity_n_waits(c->activity, thread) <= 1;
}

/* Do so many gives come from who never waits for it that it is no resource, whatever the others
 * are? Most that are none are found out by a part of their waits, none of which is kept. */
static gboolean is_of_strangers(const Uses *uses)
{
    const PmRecording *r = uses->contention->recording;
    Strangers strangers = {.mask = 64};
    gsize n_gives = 0;
    gboolean proven = FALSE;
    Read read;
    while (strangers.mask < uses->n)
        strangers.mask *= 2;
    strangers.seen = g_new0(guint64, strangers.mask-- / 64);
    strangers.waits_here = g_new0(guint8, r->n_threads);
    find_waiting(uses, strangers.waits_here);
    for (gsize first = 0; first < uses->n / 2 && !proven; first += read.n) {
        if (first > uses->n / 16 && strangers.n < n_gives / FEW_STRANGERS)
            break;
        if (begin_read(uses, first, uses->n, &read))
            pm_row_wakes_read(&r->waits, read.rows, read.n, read.room);
        for (gsize i = 0; i < read.n; i++) {
            PmGive give;
            if (!read_origin(uses->contention, &read, i, &give))
                continue;
            n_gives++;
            if (!is_short_lived(uses->contention, give.thread))
                count_stranger(&strangers, give.at, give.thread);
        }
        proven = pm_tokens_are_strange(strangers.n, n_gives + uses->n - first - read.n);
    }
    g_free(strangers.seen);
    g_free(strangers.waits_here);
    return proven;
}

void pm_contention_find_resource(guint worker, guint32 blocker, const guint32 *rows, gsize n,
                                 const PmRowWait *read, gpointer data)
{
    PmContention *c = data;
    Uses uses = {.contention = c, .rows = rows, .all = read, .n = n, .slice = n};
    /* Who keeps all that a pool lends may never wait for any. */
    uses.lent = n && pm_wait_category(&c->recording->waits, rows[0]) == PM_CATEGORY_RESOURCE;
    if (!uses.lent && (gives_nothing_back(&uses) || is_of_strangers(&uses)))
        return;
    if (n > FEW_SLICES * pm_contention_uses_at_once) {
        uses.slice = pm_contention_uses_at_once;
        find_limits(&uses);
    }
    if (!uses.limits || pm_token_match_may_be(match_resource(&uses, TRUE)))
        c->tokens[blocker] = pm_token_match_end(match_resource(&uses, FALSE));
    g_free(uses.limits);
}

gboolean pm_contention_is_resource(const PmContention *c, guint32 blocker)
{
    return c->tokens[pool_of(c, blocker)] != NULL;
}

guint pm_contention_held_at_once(const PmContention *c, guint32 blocker)
{
    const PmTokens *tokens = c->tokens[pool_of(c, blocker)];
    return tokens ? tokens->usual : 0;
}

guint32 pm_contention_seen_holding(const PmContention *c, guint32 blocker, guint32 thread,
                                   guint32 chain, gint64 at)
{
    const PmTokens *tokens = c->tokens[pool_of(c, blocker)];
    return tokens ? pm_tokens_seen_holding(tokens, thread, chain, at) : 0;
}

const PmTokens *pm_contention_tokens_of(const PmContention *c, guint32 row)
{
    const PmWaits *w = &c->recording->waits;
    return may_be_resource(c->recording, row, pm_wait_category(w, row), pm_wait_kind(w, row))
               ? c->tokens[pool_of(c, pm_wait_blocker(w, row))]
               : NULL;
}
