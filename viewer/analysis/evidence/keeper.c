#include "viewer/analysis/evidence/keeper.h"

#include "viewer/analysis/base/search.h"
#include "viewer/analysis/base/sort.h"
#include "viewer/analysis/base/sum.h"
#include "viewer/analysis/base/totals.h"
#include "viewer/analysis/code/activity.h"
#include "viewer/analysis/code/own-code.h"
#include "viewer/analysis/evidence/culprit.h"
#include "viewer/analysis/evidence/evidence.h"
#include "viewer/analysis/locks/readers.h"
#include "viewer/analysis/recording/category.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/analysis/recording/recording-private.h"

#define MIN_GIVES  10 /* fewer tell nothing */
#define MAX_LOOKED 16 /* of who waits now */

#define MAX_TAKES 1000 /* of which it is looked at, the last ones, whether they were kept */
#define MAX_BACK  500  /* waits before, among which those of others then are looked for */
#define MIN_KEPT  2    /* once may be an exception */

#define MAX_TAKERS 3 /* more tell nothing */

#define MIN_VAIN       10  /* attempts since anybody got one, */
#define MIN_LONG       3   /* or so many that lasted for MIN_LONG_NS */
#define MIN_PART_AFTER 0.5 /* of the waiting */
#define MIN_WATCHED    0.9 /* of the time, so that gives would hardly be missed */
#define MIN_DRAINED_NS G_GINT64_CONSTANT(1000000000)
#define MIN_LONG_NS    G_GINT64_CONSTANT(10000000000)

typedef struct {
    guint32 thread, chain; /* one that took or wants to, and where */
    gint frame;            /* the program's own that tells it from the others, in the chain */
    guint n_gives;         /* by others */
} Keeper;

typedef struct {
    const PmRecording *recording;
    const PmOwnCode *own;
    GHashTable *takers; /* chain → 1 + a row of it */
    PmTotals givers;    /* by stack trace: how often */
    GHashTable *shared; /* methods on all ways to take one; NULL: there is one at most */
    GArray *rows;       /* of guint32: the waits for it */
    gboolean lends;     /* no permits: it hands over an element by any signal */
    GArray *gives;      /* of Give, by time */
} Pool;

typedef struct {
    gint64 at;
    guint32 thread;
} Give;

static void gather(Pool *pool, const PmContention *contention, guint32 blocker)
{
    const PmWaits *w = &pool->recording->waits;
    enum { AT_ONCE = 512 };
    gint64 blockers[AT_ONCE];
    for (guint32 i = 0; i < w->n; i++) {
        if (i % AT_ONCE == 0)
            pm_wait_columns(w, PM_WAIT_COLUMN_BLOCKER, i, MIN(w->n - i, AT_ONCE), blockers);
        if (blockers[i % AT_ONCE] != blocker || pm_wait_kind(w, i) == PM_KIND_ENTER)
            continue;
        Give give = {.at = pm_wait_wake(w, i)};
        guint32 chain;
        g_array_append_val(pool->rows, i);
        g_hash_table_insert(pool->takers, GUINT_TO_POINTER(pm_wait_chain(w, i)),
                            GUINT_TO_POINTER(i + 1));
        if (pm_wait_wake_cause(w, i) == PM_WAKE_CANCELLATION || /* nothing was given */
            !pm_contention_ender(contention, i, &give.thread, &chain))
            continue;
        g_array_append_val(pool->gives, give);
        if (chain)
            ++*pm_totals_at(&pool->givers, chain);
    }
    pm_sort_array(pool->gives, sizeof(Give));
    pool->shared = pm_culprit_shared_methods(pool->recording, pool->takers);
}

static void pool_init(Pool *pool, const PmContention *contention, const PmRecording *r,
                      guint32 blocker)
{
    *pool = (Pool){.recording = r,
                   .own = pm_own_code(r),
                   .takers = g_hash_table_new(NULL, NULL),
                   .rows = g_array_new(FALSE, FALSE, sizeof(guint32)),
                   .gives = g_array_new(FALSE, FALSE, sizeof(Give))};
    gather(pool, contention, blocker);
}

static void pool_clear(Pool *pool)
{
    g_hash_table_unref(pool->takers);
    pm_totals_clear(&pool->givers);
    g_clear_pointer(&pool->shared, g_hash_table_unref);
    g_array_unref(pool->rows);
    g_array_unref(pool->gives);
}

/* The innermost own frame that is not one of the pool's own, in which all take; -1 for none. */
static gint user_frame(const Pool *pool, guint32 chain)
{
    const PmRecording *r = pool->recording;
    gint frame = pm_own_frame(pool->own, chain);
    while (frame >= 0 && pool->shared &&
           g_hash_table_contains(pool->shared,
                                 GUINT_TO_POINTER(r->chains[chain].frames[frame].method)))
        frame = pm_own_next(pool->own, r, chain, frame);
    return frame;
}

/* Is it taken from a pool there, and no signal waited for that others send? Permits are taken
 * anywhere; else the pool's own code lies in between. */
static gboolean takes_from_pool(const PmRecording *r, guint32 row, gint frame)
{
    const PmWaits *w = &r->waits;
    return pm_wait_kind(w, row) == PM_KIND_PARK &&
           (pm_category_family(pm_wait_category(w, row)) == PM_FAMILY_RESOURCE ||
            frame > (gint)r->chains[pm_wait_chain(w, row)].site);
}

/* How often things were given back in that method, or by what it called. */
static guint gives_of(const Pool *pool, guint32 method)
{
    guint n = 0;
    for (guint32 i = 0; i < pool->givers.n; i++) {
        const PmTotal *giver = &pool->givers.items[i];
        if (pm_recording_has_method(pool->recording, giver->key, method))
            n += (guint)giver->total;
    }
    return n;
}

/* The only method that takes and was never seen giving. FALSE: there is none, or are several. */
static gboolean find(const Pool *pool, Keeper *ret_keeper)
{
    const PmRecording *r = pool->recording;
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    GHashTableIter iter;
    gpointer key, value;
    guint n_keepers = 0;
    *ret_keeper = (Keeper){0};
    g_hash_table_iter_init(&iter, pool->takers);
    while (g_hash_table_iter_next(&iter, &key, &value)) {
        guint32 chain = GPOINTER_TO_UINT(key);
        gint frame = user_frame(pool, chain);
        if (frame < 0 || !takes_from_pool(r, GPOINTER_TO_UINT(value) - 1, frame))
            return FALSE;
        guint32 method = r->chains[chain].frames[frame].method;
        if (!g_hash_table_add(seen, GUINT_TO_POINTER(method)))
            continue;
        guint n = gives_of(pool, method);
        ret_keeper->n_gives += n;
        if (n > 0)
            continue;
        n_keepers++;
        ret_keeper->thread = pm_wait_thread(&r->waits, GPOINTER_TO_UINT(value) - 1);
        ret_keeper->chain = chain;
        ret_keeper->frame = frame;
    }
    return n_keepers == 1;
}

/* How often the thread gave one in (from, to]. */
static guint gives_by(const Pool *pool, guint32 thread, gint64 from, gint64 to)
{
    guint low = 0, high = pool->gives->len, n = 0;
    PM_LOWER_BOUND(low, high, middle, g_array_index(pool->gives, Give, middle).at <= from)
    for (; low < pool->gives->len && g_array_index(pool->gives, Give, low).at <= to; low++)
        n += g_array_index(pool->gives, Give, low).thread == thread;
    return n;
}

static gboolean got_one(const PmWaits *w, guint32 row)
{
    return pm_wait_wake_cause(w, row) == PM_WAKE_RELEASE &&
           !(pm_wait_flags(w, row) & (PM_WAIT_IN_PROGRESS | PM_WAIT_CUT));
}

/* The same, if it was told by who got one in vain, or had more. */
static gboolean is_taken(const PmWaits *w, guint32 row)
{
    return got_one(w, row) || (pm_wait_wake_cause(w, row) == PM_WAKE_PROPAGATION &&
                               !(pm_wait_flags(w, row) & (PM_WAIT_IN_PROGRESS | PM_WAIT_CUT)));
}

/* Of the thread that waits in `rows[at]` the last wait before, if that got one; -1: it did not. */
static gint took_before(const PmWaits *w, const GArray *rows, guint at)
{
    const guint32 row = g_array_index(rows, guint32, at);
    for (guint i = at; i-- > 0;) {
        const guint32 before = g_array_index(rows, guint32, i);
        if (pm_wait_thread(w, before) != pm_wait_thread(w, row))
            continue;
        return got_one(w, before) &&
                       pm_wait_begin(w, row) - pm_wait_end(w, before) > PM_ACTIVITY_REPARK_NS
                   ? (gint)i
                   : -1;
    }
    return -1;
}

/* Did the thread give nothing back in that time, though another one waited all the while? */
static gboolean kept_it(const PmWaits *w, const GArray *rows, guint32 thread, gint64 from,
                        gint64 to)
{
    gboolean watched = FALSE;
    for (guint i = 0; i < rows->len; i++) {
        const guint32 row = g_array_index(rows, guint32, i);
        if (pm_wait_waker(w, row) == thread && pm_wait_wake_cause(w, row) == PM_WAKE_RELEASE &&
            pm_wait_wake(w, row) > from && pm_wait_wake(w, row) <= to)
            return FALSE;
        watched |= pm_wait_thread(w, row) != thread && pm_wait_begin(w, row) <= from &&
                   pm_wait_end(w, row) >= to;
    }
    return watched;
}

/* Do only those give who take, too? Else it is a signal, which is not given back. */
static gboolean is_given_back(const PmWaits *w, const GArray *rows)
{
    g_autoptr(GHashTable) takers = g_hash_table_new(NULL, NULL);
    gboolean any = FALSE;
    for (guint i = 0; i < rows->len; i++)
        g_hash_table_add(takers,
                         GUINT_TO_POINTER(pm_wait_thread(w, g_array_index(rows, guint32, i))));
    for (guint i = 0; i < rows->len; i++) {
        const guint32 row = g_array_index(rows, guint32, i);
        if (!got_one(w, row) || !pm_wait_waker(w, row))
            continue;
        any = TRUE;
        if (!g_hash_table_contains(takers, GUINT_TO_POINTER(pm_wait_waker(w, row))))
            return FALSE;
    }
    return any;
}

/* The row in which a permit was taken by who waits for another now; G_MAXUINT32: none is known. */
static guint32 held_while_waiting(const Pool *pool)
{
    const PmWaits *w = &pool->recording->waits;
    const GArray *rows = pool->rows;
    if (!is_given_back(w, rows))
        return G_MAXUINT32;
    for (guint i = rows->len, looked = 0; i-- > 0 && looked < MAX_LOOKED;) {
        const guint32 row = g_array_index(rows, guint32, i);
        if (!(pm_wait_flags(w, row) & PM_WAIT_IN_PROGRESS))
            continue;
        const gint took = took_before(w, rows, i);
        looked++;
        if (took < 0)
            continue;
        const guint32 before = g_array_index(rows, guint32, took);
        if (kept_it(w, rows, pm_wait_thread(w, row), pm_wait_end(w, before), pm_wait_begin(w, row)))
            return before;
    }
    return G_MAXUINT32;
}

/* Whoever took or gave one, does it wait for one now? */
static gboolean all_wait(const Pool *pool)
{
    const PmWaits *w = &pool->recording->waits;
    g_autoptr(GHashTable) waiting = g_hash_table_new(NULL, NULL);
    for (guint i = 0; i < pool->rows->len; i++) {
        const guint32 row = g_array_index(pool->rows, guint32, i);
        if (pm_wait_flags(w, row) & PM_WAIT_IN_PROGRESS)
            g_hash_table_add(waiting, GUINT_TO_POINTER(pm_wait_thread(w, row)));
    }
    for (guint i = 0; i < pool->rows->len; i++) {
        const guint32 row = g_array_index(pool->rows, guint32, i);
        if (!g_hash_table_contains(waiting, GUINT_TO_POINTER(pm_wait_thread(w, row))))
            return FALSE;
    }
    for (guint i = 0; i < pool->gives->len; i++)
        if (!g_hash_table_contains(waiting,
                                   GUINT_TO_POINTER(g_array_index(pool->gives, Give, i).thread)))
            return FALSE;
    return TRUE;
}

static const char several_advice[] =
    "take all that is needed at once, or give back what it has before it waits for more";

/* All wait for more, so that some of them have what is missing: most likely who got one where none
 * was seen to come back, unlike where the others did. */
static gboolean tell_may_hold(const Pool *pool, const Keeper *keeper, PmFinding *finding)
{
    const PmRecording *r = pool->recording;
    const PmWaits *w = &r->waits;
    if (pm_category_family(finding->category) != PM_FAMILY_RESOURCE || keeper->n_gives == 0 ||
        !is_given_back(w, pool->rows) || !all_wait(pool))
        return FALSE;
    const guint32 method = r->chains[keeper->chain].frames[keeper->frame].method;
    for (guint i = pool->rows->len, looked = 0; i-- > 0 && looked < MAX_LOOKED;) {
        const guint32 row = g_array_index(pool->rows, guint32, i);
        const guint32 chain = pm_wait_chain(w, row), thread = pm_wait_thread(w, row);
        if (!(pm_wait_flags(w, row) & PM_WAIT_IN_PROGRESS))
            continue;
        looked++;
        const gint took =
            pm_recording_has_method(r, chain, method) ? took_before(w, pool->rows, i) : -1;
        if (took < 0 ||
            gives_by(pool, thread, pm_wait_end(w, g_array_index(pool->rows, guint32, took)),
                     pm_wait_begin(w, row)) > 0)
            continue;
        g_autofree char *name = pm_label_method(r, method);
        pm_finding_add_to_title(finding,
                                g_strdup_printf("%s may hold some while it waits for more", name));
        pm_finding_advise(finding, several_advice);
        pm_finding_add_cause_from(finding, r, PM_CAUSE_OWNER, thread, chain,
                                  user_frame(pool, chain));
        pm_evidence_add(finding, FALSE,
                        g_strdup_printf("%s got one and was not seen giving it back before it "
                                        "waited again; what comes back while nobody waits is not "
                                        "seen",
                                        r->threads[thread].name));
        return TRUE;
    }
    return FALSE;
}

static gboolean tell_holding(const Pool *pool, PmFinding *finding)
{
    const PmRecording *r = pool->recording;
    const guint32 row = pm_category_family(finding->category) == PM_FAMILY_RESOURCE
                            ? held_while_waiting(pool)
                            : G_MAXUINT32;
    if (row == G_MAXUINT32)
        return FALSE;
    const guint32 thread = pm_wait_thread(&r->waits, row), chain = pm_wait_chain(&r->waits, row);
    g_autofree char *method = pm_label_code_method(r, chain);
    pm_finding_add_to_title(finding,
                            g_strdup_printf("%s holds some while it waits for more", method));
    pm_finding_advise(finding, several_advice);
    pm_finding_add_cause(finding, r, PM_CAUSE_OWNER, thread, chain);
    pm_evidence_add(finding, FALSE,
                    g_strdup_printf("%s got one and was not seen giving it back before it waited "
                                    "again, although others waited all the time",
                                    r->threads[thread].name));
    return TRUE;
}

/* ---- what was kept ---- */

/* Did somebody else wait all the time, so that no give is missed? `at`: the first wait that begins
 * later than `from`. */
static gboolean is_watched(const Pool *pool, guint at, guint32 thread, gint64 from, gint64 to)
{
    const PmWaits *w = &pool->recording->waits;
    for (guint looked = 0; at-- > 0 && looked < MAX_BACK; looked++) {
        const guint32 row = g_array_index(pool->rows, guint32, at);
        const gint64 until = pm_wait_wake(w, row) ? pm_wait_wake(w, row) : pm_wait_end(w, row);
        if (pm_wait_thread(w, row) != thread && pm_wait_begin(w, row) <= from && until > to)
            return TRUE;
    }
    return FALSE;
}

/* Of the takes in one method. */
typedef struct {
    guint n;      /* kept ones */
    guint32 last; /* a row of them */
} Kept;

/* What a thread does after a wait that is looked at: its next two. */
typedef struct {
    guint next, later; /* positions in the pool's rows; G_MAXUINT: there is none */
} Next;

/* Takes whose thread took another one later without having given one in between, though somebody
 * waited all that time; not where it gave several back then. By method. */
static GHashTable *kept_takes(const Pool *pool)
{
    const PmRecording *r = pool->recording;
    const PmWaits *w = &r->waits;
    GHashTable *kept = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    g_autoptr(GHashTable) following = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    for (guint i = pool->rows->len, looked = 0; i-- > 0 && looked < MAX_TAKES; looked++) {
        const guint32 row = g_array_index(pool->rows, guint32, i);
        const guint32 thread = pm_wait_thread(w, row);
        Next *next = g_hash_table_lookup(following, GUINT_TO_POINTER(thread));
        if (!next) {
            next = g_new(Next, 1);
            next->next = G_MAXUINT;
            g_hash_table_insert(following, GUINT_TO_POINTER(thread), next);
        }
        const Next its = *next;
        *next = (Next){i, its.next};
        if (its.next == G_MAXUINT)
            continue;
        const guint32 after = g_array_index(pool->rows, guint32, its.next);
        const gint64 from = pm_wait_end(w, row), to = pm_wait_begin(w, after);
        const gint64 end = its.later == G_MAXUINT
                               ? G_MAXINT64
                               : pm_wait_begin(w, g_array_index(pool->rows, guint32, its.later));
        guint at = i;
        while (at < pool->rows->len &&
               pm_wait_begin(w, g_array_index(pool->rows, guint32, at)) <= from)
            at++;
        const gint frame = user_frame(pool, pm_wait_chain(w, row));
        if (frame < 0 || !got_one(w, row) || !got_one(w, after) ||
            to - from <= PM_ACTIVITY_REPARK_NS || gives_by(pool, thread, from, to) > 0 ||
            gives_by(pool, thread, pm_wait_end(w, after), end) > 1 ||
            !is_watched(pool, at, thread, from, to))
            continue;
        const gpointer method =
            GUINT_TO_POINTER(r->chains[pm_wait_chain(w, row)].frames[frame].method);
        Kept *its_kept = g_hash_table_lookup(kept, method);
        if (!its_kept) {
            its_kept = g_new0(Kept, 1);
            its_kept->last = row;
            g_hash_table_insert(kept, method, its_kept);
        }
        its_kept->n++;
    }
    return kept;
}

/* Who took one in the wait of `row`, told from its user's frame on. */
static void add_user(const Pool *pool, PmFinding *finding, guint32 row)
{
    const PmRecording *r = pool->recording;
    const guint32 chain = pm_wait_chain(&r->waits, row);
    pm_finding_add_cause_from(finding, r, PM_CAUSE_OWNER, pm_wait_thread(&r->waits, row), chain,
                              user_frame(pool, chain));
}

/* Who took some and took more without giving them back. Of permits, as only their release wakes
 * somebody each time. */
static gboolean tell_kept(const Pool *pool, PmFinding *finding)
{
    const PmRecording *r = pool->recording;
    if (pm_category_family(finding->category) != PM_FAMILY_RESOURCE ||
        !is_given_back(&r->waits, pool->rows))
        return FALSE;
    g_autoptr(GHashTable) kept = kept_takes(pool);
    GHashTableIter iter;
    gpointer method, value;
    Kept most = {0};
    guint32 of = 0;
    guint all = 0;
    g_hash_table_iter_init(&iter, kept);
    while (g_hash_table_iter_next(&iter, &method, &value)) {
        const Kept *its = value;
        all += its->n;
        if (its->n > most.n) {
            most = *its;
            of = GPOINTER_TO_UINT(method);
        }
    }
    if (most.n < MIN_KEPT || most.n * 3 < all * 2)
        return FALSE;
    g_autofree char *name = pm_label_method(r, of);
    pm_finding_add_to_title(finding,
                            g_strdup_printf("%s was seen to keep %u that it took", name, most.n));
    add_user(pool, finding, most.last);
    pm_evidence_add(finding, FALSE,
                    g_strdup_printf("%u times its thread took another one later and had given "
                                    "none back, though somebody waited all the time",
                                    most.n));
    return TRUE;
}

/* ---- who may have kept some ---- */

typedef struct {
    guint32 method, row; /* where, and a take there */
    guint n;             /* takes */
} Taking;

static gint taking_compare(gconstpointer left, gconstpointer right)
{
    const Taking *a = left, *b = right;
    return a->n != b->n ? (a->n > b->n) - (a->n < b->n)
                        : (a->method > b->method) - (a->method < b->method);
}

/* The methods in which something is taken, the rarest first: what a common one kept would soon have
 * been missed. */
static GArray *takings_of(const Pool *pool)
{
    const PmRecording *r = pool->recording;
    const PmWaits *w = &r->waits;
    GArray *takings = g_array_new(FALSE, FALSE, sizeof(Taking));
    for (guint i = 0; i < pool->rows->len; i++) {
        const guint32 row = g_array_index(pool->rows, guint32, i), chain = pm_wait_chain(w, row);
        const gint frame = user_frame(pool, chain);
        guint k = 0;
        if (frame < 0)
            continue;
        const Taking taking = {r->chains[chain].frames[frame].method, row, 1};
        while (k < takings->len && g_array_index(takings, Taking, k).method != taking.method)
            k++;
        if (k < takings->len)
            g_array_index(takings, Taking, k).n++;
        else
            g_array_append_val(takings, taking);
    }
    g_array_sort(takings, taking_compare);
    return takings;
}

/* What is lent is lost, and nothing tells by whom: who takes it. */
static gboolean tell_takers(const Pool *pool, const PmContention *contention, PmFinding *finding)
{
    const PmRecording *r = pool->recording;
    if (!pm_contention_is_resource(contention, finding->blocker) ||
        pm_category_family(finding->category) == PM_FAMILY_RESOURCE)
        return FALSE;
    g_autoptr(GArray) takings = takings_of(pool);
    if (takings->len < 2 || takings->len > MAX_TAKERS)
        return FALSE;
    g_autoptr(GString) names = g_string_new(NULL);
    for (guint i = 0; i < takings->len; i++) {
        const Taking *taking = &g_array_index(takings, Taking, i);
        g_autofree char *name = pm_label_method(r, taking->method);
        g_string_append_printf(names, "%s%s",
                               i == 0                  ? ""
                               : i + 1 == takings->len ? " or "
                                                       : ", ",
                               name);
        add_user(pool, finding, taking->row);
    }
    pm_finding_add_to_title(finding, g_strdup_printf("%s may have kept what it took", names->str));
    pm_finding_advise(finding, PM_KEEPER_ADVICE);
    pm_evidence_add(finding, FALSE,
                    g_strdup("whoever took elements gave some back, and all wait for more now: "
                             "which of them kept some is not known, the rarest stands first"));
    return TRUE;
}

/* Who was ever seen at a lock that does not know its owner. */
typedef struct {
    guint32 first;     /* the row of the first wait in progress; G_MAXUINT32: there is none */
    guint n_waiting;   /* threads */
    guint n_others;    /* that live and do not wait for it */
    guint32 other;     /* one of them */
    guint32 release;   /* where that released it the last time; 0: it was not seen to */
    gboolean is_owned; /* somebody is known to own it now */
} Users;

static Users users_of(const PmSummary *summary, guint32 blocker)
{
    const PmRecording *r = summary->metrics->view->recording;
    const PmWaits *w = &r->waits;
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL); /* thread → where it released it */
    g_autoptr(GHashTable) waiting = g_hash_table_new(NULL, NULL);
    Users users = {.first = G_MAXUINT32};
    GHashTableIter iter;
    gpointer thread, release;
    for (guint32 i = 0; i < w->n; i++) {
        if (pm_wait_blocker(w, i) != blocker)
            continue;
        thread = GUINT_TO_POINTER(pm_wait_thread(w, i));
        if (!g_hash_table_contains(seen, thread))
            g_hash_table_insert(seen, thread, NULL);
        if (pm_wait_waker(w, i))
            g_hash_table_insert(seen, GUINT_TO_POINTER(pm_wait_waker(w, i)),
                                GUINT_TO_POINTER(pm_wait_waker_chain(w, i)));
        if (!(pm_wait_flags(w, i) & PM_WAIT_IN_PROGRESS))
            continue;
        g_hash_table_add(waiting, thread);
        users.first = MIN(users.first, i);
        users.is_owned |= pm_wait_owner(w, i) != 0;
    }
    users.n_waiting = g_hash_table_size(waiting);
    g_hash_table_iter_init(&iter, seen);
    while (g_hash_table_iter_next(&iter, &thread, &release)) {
        if (g_hash_table_contains(waiting, thread) ||
            !pm_summary_lives(r, GPOINTER_TO_UINT(thread), summary->at))
            continue;
        users.n_others++;
        users.other = GPOINTER_TO_UINT(thread);
        users.release = GPOINTER_TO_UINT(release);
    }
    return users;
}

/* The innermost own frame of the wait that none of the others who wait for the lock are in, else
 * the innermost; -1: there is no own code. */
static gint frame_of_its_own(const PmRecording *r, guint32 row)
{
    const PmWaits *w = &r->waits;
    g_autoptr(GHashTable) others = g_hash_table_new(NULL, NULL);
    for (guint32 i = row + 1; i < w->n; i++)
        if (pm_wait_blocker(w, i) == pm_wait_blocker(w, row) &&
            pm_wait_flags(w, i) & PM_WAIT_IN_PROGRESS)
            g_hash_table_add(others, GUINT_TO_POINTER(pm_wait_chain(w, i)));
    return pm_culprit_frame_apart(r, pm_wait_chain(w, row), others);
}

/* Where the thread waits now; 0: it does not, or is idle. */
static guint32 wait_now(const PmSummary *summary, guint32 thread)
{
    const PmWaits *w = &summary->metrics->view->recording->waits;
    for (guint i = 0; i < summary->n_still; i++)
        for (guint k = 0; k < summary->still[i].n_threads; k++)
            if (pm_wait_thread(w, summary->still[i].rows[k]) == thread)
                return pm_wait_chain(w, summary->still[i].rows[k]);
    return 0;
}

/* All wait for it but one: whoever has a read lock may take it again. */
static gboolean tell_other(const PmSummary *summary, const Users *users, PmFinding *finding)
{
    const PmRecording *r = summary->metrics->view->recording;
    const guint32 now = wait_now(summary, users->other);
    const char *thread = r->threads[users->other].name;
    g_autofree char *method = pm_label_code_method(r, users->release);
    g_autofree char *waits = now ? pm_label_code_method(r, now) : NULL;
    pm_finding_add_to_title(
        finding, g_strdup_printf("%s, which last released it in %s, may still hold it%s%s", thread,
                                 method, now ? " and waits in " : "", now ? waits : ""));
    pm_finding_add_cause(finding, r, PM_CAUSE_OWNER, users->other, now ? now : users->release);
    pm_evidence_add(finding, FALSE,
                    g_strdup_printf("of all threads seen at it only %s does not wait for it: it "
                                    "may have acquired it and not released it",
                                    thread));
    return TRUE;
}

/* Readers that wait for a lock that is held for reading do so behind a writer, if that is before
 * them. Tells the only one that is known, which may be a reader itself. */
static void tell_writer(const PmSummary *summary, guint32 blocker, PmFinding *finding)
{
    const PmRecording *r = summary->metrics->view->recording;
    const PmWaits *w = &r->waits;
    guint n_reading = 0, n_writing = 0;
    guint32 writer = 0;
    for (guint i = 0; i < summary->n_still; i++) {
        const PmStillWaiting *still = &summary->still[i];
        for (guint k = 0; still->blocker == blocker && k < still->n_threads; k++) {
            const guint32 chain = pm_wait_chain(w, still->rows[k]);
            if (pm_readers_is_read(r, chain)) {
                n_reading++;
            } else {
                n_writing += chain ? 1 : 2; /* it may be either */
                writer = still->rows[k];
            }
        }
    }
    if (n_reading == 0 || n_writing != 1)
        return;
    g_autofree char *where = pm_label_chain(r, pm_wait_chain(w, writer), 2);
    const char *thread = r->threads[pm_wait_thread(w, writer)].name;
    pm_evidence_add(finding, FALSE,
                    g_strdup_printf("who wants to read waits behind %s, which wants to write in "
                                    "%s: if it reads already, it waits for itself",
                                    thread, where));
}

/* Of a lock that readers have kept since before the recording: how often they hold it, as its own
 * count says that a wait found. Who they are is not stored anywhere, nor how many. */
static void tell_readers(const PmSummary *summary, guint32 row, PmFinding *finding)
{
    const PmRecording *r = summary->metrics->view->recording;
    const guint32 state = (guint32)pm_wait_aqs_state(&r->waits, row);
    const guint32 n_holds = state >> 16;
    if (!(pm_wait_flags(&r->waits, row) & PM_WAIT_BEGIN_UNKNOWN) || n_holds == 0 ||
        (state & G_MAXUINT16) != 0)
        return;
    pm_finding_add_to_title(finding,
                            g_strdup_printf("it was held for reading %u %s when recording began",
                                            n_holds, n_holds == 1 ? "time" : "times"));
    pm_evidence_add(finding, TRUE,
                    g_strdup("a lock counts how often it is held for reading, by one thread or by "
                             "several, and does not say by which: look for a read that does not "
                             "end, or does not unlock in the end"));
    tell_writer(summary, pm_wait_blocker(&r->waits, row), finding);
}

/* Of a lock that does not know its owner, as a StampedLock or one that readers share. If all who
 * were ever seen at it wait for it now, one of them has it, most likely who began to wait first, as
 * nobody got it any more. */
static gboolean tell_first(const PmSearch *search, PmFinding *finding)
{
    const PmRecording *r = search->summary->metrics->view->recording;
    const Users users = users_of(search->summary, finding->blocker);
    const guint32 row = users.first;
    if (row != G_MAXUINT32)
        tell_readers(search->summary, row, finding);
    if (row == G_MAXUINT32 || users.n_waiting < 2 ||
        pm_wait_flags(&r->waits, row) & (PM_WAIT_BEGIN_UNKNOWN | PM_WAIT_TIMED))
        return FALSE;
    if (users.n_others == 1 && users.release && !users.is_owned)
        return tell_other(search->summary, &users, finding);
    const gint frame =
        users.n_others || pm_contention_has_owner(search->contention, finding->blocker)
            ? -1
            : frame_of_its_own(r, row);
    if (frame < 0)
        return FALSE;
    const guint32 thread = pm_wait_thread(&r->waits, row), chain = pm_wait_chain(&r->waits, row);
    g_autofree char *method = pm_label_method(r, r->chains[chain].frames[frame].method);
    pm_finding_add_to_title(finding, g_strdup_printf("%s may already hold it", method));
    pm_finding_add_cause_from(finding, r, PM_CAUSE_OWNER, thread, chain, frame);
    pm_evidence_add(finding, FALSE,
                    g_strdup_printf("all threads seen at it are waiting for it, %s first: one of "
                                    "them may hold it, and cannot acquire it again",
                                    r->threads[thread].name));
    return TRUE;
}

gboolean pm_keeper_tell(const PmSearch *search, PmFinding *finding)
{
    const PmRecording *r = search->summary->metrics->view->recording;
    const PmFamily family = pm_category_family(finding->category);
    if (finding->kind == PM_KIND_PARK && family == PM_FAMILY_LOCK)
        return tell_first(search, finding);
    if (finding->kind != PM_KIND_PARK || family == PM_FAMILY_JOIN) /* nothing to keep */
        return FALSE;
    Pool pool;
    Keeper keeper;
    pool_init(&pool, search->contention, r, finding->blocker);
    const gboolean one = find(&pool, &keeper), found = one && keeper.n_gives >= MIN_GIVES;
    const gboolean kept = !found && (tell_kept(&pool, finding) || tell_holding(&pool, finding) ||
                                     (one && tell_may_hold(&pool, &keeper, finding)) ||
                                     tell_takers(&pool, search->contention, finding));
    pool_clear(&pool);
    if (!found)
        return kept;
    g_autofree char *method =
        pm_label_method(r, r->chains[keeper.chain].frames[keeper.frame].method);
    pm_finding_add_to_title(
        finding, g_strdup_printf("%s takes it and was never seen giving it back", method));
    pm_finding_advise(finding, PM_KEEPER_ADVICE);
    pm_finding_add_cause(finding, r, PM_CAUSE_OWNER, keeper.thread, keeper.chain);
    pm_evidence_add(finding, FALSE,
                    g_strdup_printf("others gave it back %u times in the method in which they took "
                                    "it; releases that nobody waited for are not seen",
                                    keeper.n_gives));
    return TRUE;
}

/* ---- what is given back no more ---- */

/* The same of what lends: it may hand over an element by any signal. */
static gboolean is_handed(const Pool *pool, guint32 row)
{
    const PmWaits *w = &pool->recording->waits;
    const gint64 cause = pm_wait_wake_cause(w, row);
    return is_taken(w, row) ||
           (pool->lends && (cause == PM_WAKE_SIGNAL || cause == PM_WAKE_NOTIFY) &&
            !(pm_wait_flags(w, row) & (PM_WAIT_IN_PROGRESS | PM_WAIT_CUT)));
}

/* Did others wait nearly all that time? Then hardly anything that came back is missed. */
static gboolean is_watched_by_others(const Pool *pool, guint32 thread, gint64 from, gint64 to)
{
    const PmWaits *w = &pool->recording->waits;
    gint64 watched = 0, at = from;
    for (guint i = 0; i < pool->rows->len; i++) { /* by begin */
        const guint32 row = g_array_index(pool->rows, guint32, i);
        const gint64 end = MIN(pm_wait_end(w, row), to);
        if (pm_wait_thread(w, row) == thread || end <= at)
            continue;
        watched += MAX(end - MAX(pm_wait_begin(w, row), at), 0);
        at = end;
    }
    return (double)watched >= MIN_WATCHED * (double)(to - from);
}

/* Did the thread wake anybody since as it gave one back, though it be in vain? */
static gboolean has_woken(const Pool *pool, guint32 thread, gint64 since)
{
    const PmWaits *w = &pool->recording->waits;
    for (guint i = 0; i < pool->rows->len; i++) {
        const guint32 row = g_array_index(pool->rows, guint32, i);
        const gint64 cause = pm_wait_wake_cause(w, row);
        if (pm_wait_waker(w, row) == thread && pm_wait_wake(w, row) > since &&
            (cause == PM_WAKE_RELEASE || cause == PM_WAKE_SIGNAL || cause == PM_WAKE_NOTIFY))
            return TRUE;
    }
    return FALSE;
}

/* How it is since nobody got any more. */
typedef struct {
    guint32 last; /* the row in which the last one was taken; G_MAXUINT32: none was */
    gint64 since; /* of that */
    gint64 again; /* when whoever took it asked for another one; G_MAXINT64: it did not */
} Drained;

/* FALSE: too few asked since, or it has not been so for long. */
static gboolean find_drained(const Pool *pool, const PmView *view, const PmActivity *activity,
                             Drained *ret)
{
    const PmWaits *w = &pool->recording->waits;
    guint n_vain = 0, n_long = 0;
    *ret = (Drained){.last = G_MAXUINT32, .since = view->from, .again = G_MAXINT64};
    for (guint i = pool->rows->len; i-- > 0;) {
        const guint32 row = g_array_index(pool->rows, guint32, i);
        if (!is_handed(pool, row) || pm_activity_is_repeated(activity, row))
            continue;
        if (ret->last == G_MAXUINT32 || pm_wait_end(w, row) > pm_wait_end(w, ret->last))
            ret->last = row;
    }
    if (ret->last != G_MAXUINT32)
        ret->since = pm_wait_end(w, ret->last);
    for (guint i = 0; i < pool->rows->len; i++) {
        const guint32 row = g_array_index(pool->rows, guint32, i);
        if (ret->last != G_MAXUINT32 && pm_wait_begin(w, row) <= ret->since + PM_ACTIVITY_REPARK_NS)
            continue;
        n_vain++;
        n_long += pm_wait_end(w, row) - pm_wait_begin(w, row) >= MIN_LONG_NS;
        if (ret->last != G_MAXUINT32 && pm_wait_thread(w, row) == pm_wait_thread(w, ret->last))
            ret->again = MIN(ret->again, pm_wait_begin(w, row));
    }
    return (n_vain >= MIN_VAIN || n_long >= MIN_LONG) &&
           pool->recording->duration - ret->since >= MIN_DRAINED_NS;
}

/* How much of the waiting comes after that. */
static double part_after(const Pool *pool, const PmView *view, gint64 from)
{
    const PmWaits *w = &pool->recording->waits;
    gint64 all = 0, after = 0;
    for (guint i = 0; i < pool->rows->len; i++) {
        const guint32 other = g_array_index(pool->rows, guint32, i);
        pm_sum_add(&all, pm_view_clip(view, other));
        pm_sum_add(&after, MIN(pm_view_clip(view, other),
                               MAX(MIN(pm_wait_end(w, other), view->to) - from, 0)));
    }
    return all > 0 ? (double)after / (double)all : 0;
}

/* What of the waiting came after the last take is due to who kept that, who is told first: the
 * taker of `row`; G_MAXUINT32: nobody knows. So is the unknown part of the finding's causes, and
 * that of who gave up, or was interrupted, as when a server that hangs is told to end. */
static void blame_keeper(const Pool *pool, PmFinding *finding, guint32 row, double after)
{
    const PmRecording *r = pool->recording;
    const guint32 chain = row == G_MAXUINT32 ? 0 : pm_wait_chain(&r->waits, row);
    const guint32 method =
        chain ? r->chains[chain].frames[user_frame(pool, chain)].method : G_MAXUINT32;
    double share = 0, open = 0;
    guint n = 0;
    for (guint i = 0; i < finding->n_causes; i++) {
        PmFindingCause *cause = &finding->causes[i];
        if (cause->kind != PM_CAUSE_UNKNOWN && cause->kind != PM_CAUSE_TIME_OUT &&
            cause->kind != PM_CAUSE_INTERRUPT && cause->method != method) {
            finding->causes[n++] = *cause;
            open += cause->kind == PM_CAUSE_STILL_WAITING ? cause->share : 0;
            continue;
        }
        share += cause->share;
        g_free(cause->text);
        g_free(cause->culprit);
    }
    finding->n_causes = n;
    if (chain)
        add_user(pool, finding, row);
    else
        pm_finding_add_cause(finding, r, PM_CAUSE_UNKNOWN, 0, 0);
    PmFindingCause keeper = finding->causes[n];
    keeper.share = MAX(share, after - open);
    for (guint i = 0; i < n && share + open < 1; i++)
        if (finding->causes[i].kind != PM_CAUSE_STILL_WAITING)
            finding->causes[i].share *= (1 - open - keeper.share) / (1 - open - share);
    if (chain) {
        keeper.method = method;
        keeper.culprit = pm_label_method(r, method);
    }
    memmove(finding->causes + 1, finding->causes, n * sizeof keeper);
    finding->causes[0] = keeper;
}

/* Is it known that whoever took the last one kept it? */
static gboolean is_kept(const Pool *pool, const Drained *drained)
{
    const PmWaits *w = &pool->recording->waits;
    const guint32 row = drained->last;
    const gint64 end = MIN(drained->again, pool->recording->duration);
    return row != G_MAXUINT32 &&
           (pool->lends || (drained->again != G_MAXINT64 && is_given_back(w, pool->rows))) &&
           user_frame(pool, pm_wait_chain(w, row)) >= 0 &&
           gives_by(pool, pm_wait_thread(w, row), drained->since, G_MAXINT64) == 0 &&
           !has_woken(pool, pm_wait_thread(w, row), drained->since) &&
           is_watched_by_others(pool, pm_wait_thread(w, row), drained->since, end);
}

static PmDrained blame(const Pool *pool, const PmSearch *search, PmFinding *finding)
{
    const PmView *view = search->summary->metrics->view;
    const PmRecording *r = view->recording;
    Drained drained;
    if (!find_drained(pool, view, pm_contention_activity(search->contention), &drained))
        return PM_DRAINED_NOT;
    const double after = part_after(pool, view, drained.since);
    const gboolean known = is_kept(pool, &drained);
    if (after < MIN_PART_AFTER ||
        (!known && !pool->lends &&
         !pm_contention_is_resource(search->contention, finding->blocker)))
        return PM_DRAINED_NOT;
    g_autofree char *since = pm_label_duration(drained.since);
    blame_keeper(pool, finding, known ? drained.last : G_MAXUINT32, after);
    if (!known) {
        pm_evidence_add(finding, FALSE,
                        g_strdup_printf("since %s after the recording's begin nobody who waited "
                                        "for one got any; who keeps them is not known",
                                        since));
        return PM_DRAINED_BY_UNKNOWN;
    }
    pm_evidence_add(
        finding, FALSE,
        g_strdup_printf("since %s after the recording's begin nobody got any or gave "
                        "one back; %s took the last one in %s%s; who kept the others "
                        "is not known",
                        since, r->threads[pm_wait_thread(&r->waits, drained.last)].name,
                        finding->causes[0].culprit,
                        drained.again == G_MAXINT64 ? "" : " and asked for another one later"));
    return PM_DRAINED_BY_METHOD;
}

PmDrained pm_keeper_blame(const PmSearch *search, PmFinding *finding)
{
    const PmRecording *r = search->summary->metrics->view->recording;
    const gboolean permits = pm_category_family(finding->category) == PM_FAMILY_RESOURCE;
    Pool pool;
    if ((!permits && !pm_contention_is_resource(search->contention, finding->blocker)) ||
        finding->kind == PM_KIND_ENTER || pm_recording_whole(r) != r) /* times are not real */
        return PM_DRAINED_NOT;
    pool_init(&pool, search->contention, r, finding->blocker);
    pool.lends = finding->category == PM_CATEGORY_RESOURCE || !permits;
    const PmDrained drained = blame(&pool, search, finding);
    pool_clear(&pool);
    return drained;
}
