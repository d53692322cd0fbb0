/* Who works on a result that does not come in time: somebody that the thread that waits for it has
 * given something to do before, or else of those whom threads like it give such work, or who bring
 * them such results in time. */
#include "viewer/analysis/causes/contention-private.h"

#include <string.h>

#include "viewer/analysis/base/pair.h"
#include "viewer/analysis/base/search.h"
#include "viewer/analysis/base/sum.h"
#include "viewer/analysis/recording/category.h"
#include "viewer/analysis/recording/label.h"

/* So many pieces of a wait are looked at, each at one instant, and no shorter ones. */
#define MAX_PIECES   64
#define MIN_PIECE_NS 1000000

#define MAX_WORKERS 64        /* that are looked at */
#define MAX_BEFORE  4         /* waits for locks, on the way to the wait for the result */
#define MIN_SET     3         /* tell whose work it is */
#define MAX_BROUGHT 1000      /* times in which it was seen who works on such results */
#define MAX_LATE    (1 << 20) /* results, of which it is found out whose work they are */

/* Who was given something to do. */
typedef struct {
    gint64 at;
    guint32 thread;
} Set;

/* Groups of workers, by who gives them work that then is late, or gets it from them in time, and
 * how often. */
typedef struct {
    guint32 group, chain; /* `chain`: where they bring it; 0: they are only given it */
    guint n;
} Crew;

struct PmAsked {
    GHashTable *set; /* thread that had a late result → GArray of Set, by time: those that it gave
                      * something to do */
    GHashTable *crews;   /* key_of a wait → GArray of Crew */
    GHashTable *members; /* group of a crew → GArray of guint32: its threads, no more than needed */
    GHashTable *work;    /* group → GArray of guint32: groups that it gave something to do */
    GArray *late;        /* of guint32: rows, while all this is found out */
};

static gboolean rests(const PmContention *c, guint32 row)
{
    const PmWaits *w = &c->recording->waits;
    const PmCategory category = pm_wait_category(w, row);
    return category == PM_CATEGORY_POOL_IDLE ||
           (category == PM_CATEGORY_QUEUE &&
            !pm_label_waits_for_room(c->recording, pm_wait_chain(w, row)));
}

/* Whose waits are alike: of threads of a group, for what is begun in one method. */
static gpointer key_of(const PmContention *c, guint32 row)
{
    const PmRecording *r = c->recording;
    const guint32 chain = pm_wait_chain(&r->waits, row);
    return pm_contention_taker_key(pm_recording_site_method(r, chain),
                                   r->threads[pm_wait_thread(&r->waits, row)].group);
}

/* Since when the thread may have asked for the result: the end of its wait before, apart from those
 * for locks on the way. */
static gint64 asked_since(const PmContention *c, guint32 row)
{
    const PmWaits *w = &c->recording->waits;
    const guint32 thread = pm_wait_thread(w, row);
    guint32 nth = pm_activity_first_wait(c->activity, thread, pm_wait_begin(w, row));
    for (guint i = 0; i < MAX_BEFORE && nth > 0; i++) {
        const guint32 before = pm_activity_wait(c->activity, thread, --nth);
        if (pm_category_family(pm_wait_category(w, before)) != PM_FAMILY_LOCK)
            return pm_wait_end(w, before);
    }
    return nth > 0 ? pm_wait_begin(w, row) : G_MININT64;
}

/* Those whom the thread of `row` gave something to do for it, other than to see to its timeout. */
static guint find_set(const PmContention *c, const PmAsked *asked, guint32 row, Set *ret_set)
{
    const PmWaits *w = &c->recording->waits;
    const gint64 begin = pm_wait_begin(w, row), since = asked_since(c, row);
    const GArray *set = g_hash_table_lookup(asked->set, GUINT_TO_POINTER(pm_wait_thread(w, row)));
    guint low = 0, high = set ? set->len : 0, n = 0;
    PM_LOWER_BOUND(low, high, middle, g_array_index(set, Set, middle).at < since)
    for (guint i = low; set && i < set->len && n < MAX_WORKERS; i++) {
        const Set *one = &g_array_index(set, Set, i);
        if (one->at > begin)
            break;
        if (one->thread != pm_wait_waker(w, row))
            ret_set[n++] = *one;
    }
    return n;
}

static gint set_compare(gconstpointer left, gconstpointer right)
{
    const Set *a = left, *b = right;
    return (a->at > b->at) - (a->at < b->at);
}

/* Does a thread wait there for something to do, whatever it waits with? */
static gboolean wants_some(PmCategory category)
{
    const PmFamily family = pm_category_family(category);
    return family != PM_FAMILY_LOCK && family != PM_FAMILY_JOIN && family != PM_FAMILY_RESOURCE;
}

/* The rows of late results, at most so many, and whose they are. */
static void find_late(const PmContention *c, PmAsked *asked)
{
    const PmWaits *w = &c->recording->waits;
    gint64 causes[PM_READ_AT_ONCE], chains[PM_READ_AT_ONCE];
    for (gsize i = 0, n; i < w->n && asked->late->len < MAX_LATE; i += n) {
        n = MIN(w->n - i, PM_READ_AT_ONCE);
        pm_wait_columns(w, PM_WAIT_COLUMN_WAKE_CAUSE, i, n, causes);
        pm_wait_columns(w, PM_WAIT_COLUMN_WAKER_CHAIN, i, n, chains);
        for (gsize k = 0; k < n; k++) {
            const guint32 row = (guint32)(i + k);
            if ((causes[k] != PM_WAKE_TIME_OUT && !c->times_out[chains[k]]) ||
                !pm_contention_is_late_result(c, row))
                continue;
            g_array_append_val(asked->late, row);
            pm_arrays_at(asked->set, GUINT_TO_POINTER(pm_wait_thread(w, row)), sizeof(Set));
        }
    }
}

static void add_work(const PmContention *c, PmAsked *asked, GHashTable *met, guint32 giver,
                     guint32 taker)
{
    const guint32 group = c->recording->threads[taker].group;
    const guint32 of = c->recording->threads[giver].group;
    if (g_hash_table_add(met, pm_contention_taker_key(of, group)))
        g_array_append_val(pm_arrays_at(asked->work, GUINT_TO_POINTER(of), sizeof group), group);
}

/* Who gave whom something to do: of groups, and, where a thread had a late result, when. */
static void find_all_set(const PmContention *c, PmAsked *asked)
{
    const PmWaits *w = &c->recording->waits;
    g_autoptr(GHashTable) met = g_hash_table_new(pm_pair_hash, NULL);
    gint64 wakers[PM_READ_AT_ONCE], threads[PM_READ_AT_ONCE], categories[PM_READ_AT_ONCE];
    GHashTableIter iter;
    gpointer value;
    for (gsize i = 0, n; i < w->n; i += n) {
        n = MIN(w->n - i, PM_READ_AT_ONCE);
        pm_wait_columns(w, PM_WAIT_COLUMN_WAKER, i, n, wakers);
        pm_wait_columns(w, PM_WAIT_COLUMN_THREAD, i, n, threads);
        pm_wait_columns(w, PM_WAIT_COLUMN_CATEGORY, i, n, categories);
        for (gsize k = 0; k < n; k++) {
            if (!wakers[k] || wakers[k] == threads[k] || !wants_some((PmCategory)categories[k]))
                continue;
            add_work(c, asked, met, (guint32)wakers[k], (guint32)threads[k]);
            GArray *of = g_hash_table_lookup(asked->set, GSIZE_TO_POINTER(wakers[k]));
            const Set set = {of ? pm_wait_wake(w, i + k) : 0, (guint32)threads[k]};
            if (set.at && rests(c, (guint32)(i + k)))
                g_array_append_val(of, set);
        }
    }
    g_hash_table_iter_init(&iter, asked->set);
    while (g_hash_table_iter_next(&iter, NULL, &value))
        g_array_sort(value, set_compare);
}

static void add_to_crew(const PmContention *c, GArray *crews, guint32 thread, guint32 chain)
{
    const guint32 group = c->recording->threads[thread].group;
    guint at = 0;
    while (at < crews->len && g_array_index(crews, Crew, at).group != group)
        at++;
    if (at == crews->len)
        g_array_append_val(crews, ((Crew){group, chain, 0}));
    g_array_index(crews, Crew, at).n++;
}

/* Which groups those are that late results are asked of, as far as that is seen. */
static void find_asked(const PmContention *c, PmAsked *asked)
{
    Set set[MAX_WORKERS];
    for (guint i = 0; i < asked->late->len; i++) {
        const guint32 row = g_array_index(asked->late, guint32, i);
        GArray *crews = g_hash_table_lookup(asked->crews, key_of(c, row));
        if (!crews) {
            crews = g_array_new(FALSE, FALSE, sizeof(Crew));
            g_hash_table_insert(asked->crews, key_of(c, row), crews);
        }
        const guint n = find_set(c, asked, row, set);
        for (guint k = 0; k < n; k++)
            add_to_crew(c, crews, set[k].thread, 0);
    }
}

/* Is it known well enough who those are? */
static gboolean is_known(const GArray *crews)
{
    guint n = 0;
    for (guint i = 0; i < crews->len; i++)
        n += g_array_index(crews, Crew, i).n;
    return n >= MAX_BROUGHT;
}

/* And those who bring such results in time. */
static void find_bringers(const PmContention *c, PmAsked *asked)
{
    const PmRecording *r = c->recording;
    gint64 wakers[PM_READ_AT_ONCE], chains[PM_READ_AT_ONCE];
    g_autofree guint8 *is_site = g_new0(guint8, MAX(r->n_methods, 1));
    for (guint i = 0; i < asked->late->len; i++)
        is_site[pm_recording_site_method(
            r, pm_wait_chain(&r->waits, g_array_index(asked->late, guint32, i)))] = TRUE;
    for (gsize i = 0, n; i < r->waits.n && asked->late->len; i += n) {
        n = MIN(r->waits.n - i, PM_READ_AT_ONCE);
        pm_wait_columns(&r->waits, PM_WAIT_COLUMN_WAKER, i, n, wakers);
        pm_wait_columns(&r->waits, PM_WAIT_COLUMN_CHAIN, i, n, chains);
        for (gsize k = 0; k < n; k++) {
            const guint32 row = (guint32)(i + k);
            guint32 thread, chain;
            GArray *crews = wakers[k] && is_site[pm_recording_site_method(r, (guint32)chains[k])]
                                ? g_hash_table_lookup(asked->crews, key_of(c, row))
                                : NULL;
            if (crews && !is_known(crews) && !pm_contention_is_passed_on(&r->waits, row) &&
                pm_contention_is_for_result(c, row) && !pm_contention_is_late_result(c, row) &&
                pm_contention_ender(c, row, &thread, &chain) &&
                !(pm_contention_gives_together(c, thread) && pm_contention_is_source(c, thread)))
                add_to_crew(c, crews, thread, chain);
        }
    }
}

void pm_asked_free(PmAsked *asked)
{
    if (!asked)
        return;
    g_hash_table_unref(asked->set);
    g_hash_table_unref(asked->crews);
    g_hash_table_unref(asked->members);
    g_hash_table_unref(asked->work);
    g_free(asked);
}

/* Who is in those groups: threads may be very many. */
static void find_members(const PmContention *c, PmAsked *asked)
{
    const PmRecording *r = c->recording;
    GHashTableIter iter;
    gpointer value;
    g_hash_table_iter_init(&iter, asked->crews);
    while (g_hash_table_iter_next(&iter, NULL, &value))
        for (guint i = 0; i < ((const GArray *)value)->len; i++)
            pm_arrays_at(asked->members,
                         GUINT_TO_POINTER(g_array_index((const GArray *)value, Crew, i).group),
                         sizeof(guint32));
    for (guint32 t = 1; t < r->n_threads; t++) {
        GArray *members =
            g_hash_table_lookup(asked->members, GUINT_TO_POINTER(r->threads[t].group));
        if (members && members->len <= MAX_WORKERS) /* one of them may be who waits */
            g_array_append_val(members, t);
    }
}

/* Found out when it is wanted first. */
static const PmAsked *asked_of(const PmContention *c)
{
    const GDestroyNotify free_array = (GDestroyNotify)g_array_unref;
    g_mutex_lock(&c->known->asked_lock);
    if (!c->known->asked) {
        PmAsked *asked = g_new0(PmAsked, 1);
        asked->set = g_hash_table_new_full(NULL, NULL, NULL, free_array);
        asked->crews = g_hash_table_new_full(pm_pair_hash, NULL, NULL, free_array);
        asked->members = g_hash_table_new_full(NULL, NULL, NULL, free_array);
        asked->work = g_hash_table_new_full(NULL, NULL, NULL, free_array);
        asked->late = g_array_new(FALSE, FALSE, sizeof(guint32));
        find_late(c, asked);
        find_all_set(c, asked);
        find_asked(c, asked);
        find_bringers(c, asked);
        find_members(c, asked);
        g_clear_pointer(&asked->late, g_array_unref);
        c->known->asked = asked;
    }
    const PmAsked *asked = c->known->asked;
    g_mutex_unlock(&c->known->asked_lock);
    return asked;
}

/* Those that may work on it, where it is not known which of them does. */
static guint find_workers(const PmContention *c, const PmAsked *asked, guint32 row, Set *ret_set,
                          guint32 *ret_chain)
{
    const GArray *crews = g_hash_table_lookup(asked->crews, key_of(c, row));
    const Crew *best = NULL;
    for (guint i = 0; crews && i < crews->len; i++) {
        const Crew *crew = &g_array_index(crews, Crew, i);
        best = crew->n >= MIN_SET && (!best || crew->n > best->n) ? crew : best;
    }
    const GArray *members =
        best ? g_hash_table_lookup(asked->members, GUINT_TO_POINTER(best->group)) : NULL;
    guint n = 0;
    *ret_chain = best ? best->chain : 0;
    for (guint i = 0; members && i < members->len && n < MAX_WORKERS; i++) {
        const guint32 thread = g_array_index(members, guint32, i);
        if (thread != pm_wait_thread(&c->recording->waits, row))
            ret_set[n++] = (Set){G_MININT64, thread};
    }
    return n;
}

/* Does it work at `at`, on what it was given to do when that was? */
static gboolean works(const PmContention *c, const Set *set, gint64 at)
{
    const PmRecording *r = c->recording;
    const PmThread *thread = &r->threads[set->thread];
    const gboolean known = set->at != G_MININT64;
    if (at < thread->begin || at >= thread->end)
        return FALSE;
    for (guint32 i = pm_activity_first_wait(c->activity, set->thread, known ? set->at : at);
         i < pm_activity_n_waits(c->activity, set->thread); i++) {
        const guint32 row = pm_activity_wait(c->activity, set->thread, i);
        const gint64 begin = pm_wait_begin(&r->waits, row);
        if (begin > at)
            break;
        if (rests(c, row) && (!known || begin > set->at))
            return FALSE;
    }
    return TRUE;
}

/* Those who work at one instant. */
typedef struct {
    guint32 threads[MAX_WORKERS];
    guint n;
} AtWork;

static AtWork find_at_work(const PmContention *c, const Set *set, guint n, gint64 at)
{
    AtWork found = {.n = 0};
    for (guint i = 0; i < n; i++)
        if (works(c, &set[i], at))
            found.threads[found.n++] = set[i].thread;
    return found;
}

static gboolean are_same(const AtWork *a, const AtWork *b)
{
    return a->n == b->n && memcmp(a->threads, b->threads, a->n * sizeof *a->threads) == 0;
}

/* Evenly; where nobody works, it is the timeout that is waited for. `chain`: where such results are
 * brought, of whom nobody ever looked at. */
static void add_even_parts(const PmContention *c, const AtWork *at_work, guint32 chain, gint64 from,
                           gint64 to, GArray *parts)
{
    const guint32 *starts = c->activity->sample_starts;
    const guint n = MAX(at_work->n, 1);
    for (guint i = 0; i < n; i++) {
        const guint32 thread = at_work->n ? at_work->threads[i] : 0;
        pm_contention_add_part(
            c, parts,
            (PmPart){.begin = pm_contention_nth_cut(from, to, i, n),
                     .end = pm_contention_nth_cut(from, to, i + 1, n),
                     .kind = at_work->n ? PM_CAUSE_WAKER : PM_CAUSE_TIME_OUT,
                     .thread = thread,
                     .chain = thread && starts[thread] == starts[thread + 1] ? chain : 0,
                     .inferred = TRUE});
    }
}

gboolean pm_contention_add_late_parts(const PmContention *c, guint32 row, gint64 from, gint64 to,
                                      GArray *parts)
{
    const PmAsked *asked = asked_of(c);
    Set set[MAX_WORKERS];
    guint32 chain = 0;
    guint n = find_set(c, asked, row, set);
    if (!n)
        n = find_workers(c, asked, row, set, &chain);
    if (!n)
        return FALSE;
    const guint n_pieces = (guint)CLAMP((to - from) / MIN_PIECE_NS, 1, MAX_PIECES);
    gint64 since = from; /* the same work */
    AtWork before = {.n = 0};
    for (guint i = 0; i < n_pieces; i++) {
        const gint64 begin = pm_contention_nth_cut(from, to, i, n_pieces);
        const gint64 end = pm_contention_nth_cut(from, to, i + 1, n_pieces);
        const AtWork now = find_at_work(c, set, n, begin + (end - begin) / 2);
        if (i > 0 && !are_same(&now, &before)) {
            add_even_parts(c, &before, chain, since, begin, parts);
            since = begin;
        }
        before = now;
    }
    add_even_parts(c, &before, chain, since, to, parts);
    return TRUE;
}

gboolean pm_contention_may_be_late(const PmContention *c, guint32 row)
{
    return g_hash_table_contains(asked_of(c)->crews, key_of(c, row));
}

/* Is the group given something to do by a group other than itself? */
static gboolean is_given_work(const PmAsked *asked, guint32 group)
{
    GHashTableIter iter;
    gpointer giver, value;
    g_hash_table_iter_init(&iter, asked->work);
    while (g_hash_table_iter_next(&iter, &giver, &value)) {
        const GArray *takers = value;
        for (guint i = 0; i < takers->len && GPOINTER_TO_UINT(giver) != group; i++)
            if (g_array_index(takers, guint32, i) == group)
                return TRUE;
    }
    return FALSE;
}

PmWorkFor pm_contention_works_for(const PmContention *c, guint32 group, guint32 worker)
{
    const PmAsked *asked = asked_of(c);
    g_autoptr(GHashTable) reached = g_hash_table_new(NULL, NULL);
    g_autoptr(GArray) next = g_array_new(FALSE, FALSE, sizeof group);
    if (!is_given_work(asked, worker))
        return PM_WORK_UNASKED;
    g_array_append_val(next, group);
    for (guint i = 0; i < next->len; i++) {
        const GArray *takers =
            g_hash_table_lookup(asked->work, GUINT_TO_POINTER(g_array_index(next, guint32, i)));
        for (guint k = 0; takers && k < takers->len; k++) {
            const guint32 taker = g_array_index(takers, guint32, k);
            if (taker == worker)
                return PM_WORK_FOR_THEM;
            if (g_hash_table_add(reached, GUINT_TO_POINTER(taker)))
                g_array_append_val(next, taker);
        }
    }
    return PM_WORK_FOR_OTHERS;
}
