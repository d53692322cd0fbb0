#include "viewer/analysis/evidence/knot.h"

#include "viewer/analysis/base/search.h"
#include "viewer/analysis/base/totals.h"
#include "viewer/analysis/code/own-code.h"
#include "viewer/analysis/evidence/finding.h"
#include "viewer/analysis/recording/label.h"

#define MIN_AGE_NS    1000000000
#define MIN_OVERTAKEN 10 /* later waits that were ended */
#define MIN_PART      20 /* one of so many ends is often; fewer may be told wrong */
#define MAX_LOOKED    64 /* of a thread's waits */
#define MAX_EXPECTED  16 /* queues whose takers are told */

typedef struct {
    const PmRecording *recording;
    const PmOperations *operations;
    gint64 at;
    GHashTable *crews;  /* pm_operation_ender → Crew */
    guint32 *waiting;   /* as in the operations; then 0, too, of who can be woken */
    PmTotals *n_at;     /* by blocker: how many wait there */
    GHashTable *served; /* blockers: who waits there for room can be woken */
    GHashTable *takers; /* blocker → GArray of gpointer: see takers_of */
} Search;

/* Threads that do the same. */
typedef struct {
    guint n_live;
    guint n_free; /* of these, can go on */
} Crew;

/* Who ended just now may have done so because the program ends. */
static gboolean lives(const Search *s, guint32 thread)
{
    return pm_summary_lives(s->recording, thread, s->at) ||
           pm_summary_lives(s->recording, thread, s->at - MIN_AGE_NS);
}

static Crew *crew_of(const Search *s, guint32 thread)
{
    gpointer key = pm_operation_ender(s->recording, thread);
    Crew *crew = g_hash_table_lookup(s->crews, key);
    if (!crew) {
        crew = g_new0(Crew, 1);
        g_hash_table_insert(s->crews, key, crew);
    }
    return crew;
}

static void gather_crews(Search *s)
{
    for (guint32 t = 1; t < s->recording->n_threads; t++)
        if (lives(s, t)) {
            Crew *crew = crew_of(s, t);
            crew->n_live++;
            crew->n_free += !s->waiting[t];
        }
}

static void count_waiting(Search *s)
{
    for (guint32 t = 1; t < s->recording->n_threads; t++)
        if (s->waiting[t])
            ++*pm_totals_at(s->n_at, pm_wait_blocker(&s->recording->waits, s->waiting[t] - 1));
}

/* Do others than `self` wait there, too, in whatever method? */
static gboolean has_others(const Search *s, guint32 self)
{
    const guint32 blocker = pm_wait_blocker(&s->recording->waits, s->operations->waiting[self] - 1);
    const gint64 *n = pm_totals_find(s->n_at, blocker);
    return n && *n > 1;
}

static gboolean is_for_room(const Search *s, const PmOperation *operation)
{
    const guint32 row = g_array_index(operation->rows, guint32, 0);
    return pm_label_waits_for_room(s->recording, pm_wait_chain(&s->recording->waits, row));
}

/* Do others wait there, too, for room that who waits itself makes? */
static gboolean makes_room(const Search *s, const PmOperation *operation, guint32 self)
{
    return is_for_room(s, operation) && (operation->rows->len > 1 || has_others(s, self));
}

/* Of a queue that was never full before, who takes from it is to make room: pm_operation_ender of
 * those, each once. */
static const GArray *takers_of(const Search *s, guint32 blocker)
{
    const gpointer of = GUINT_TO_POINTER(blocker);
    GArray *enders = g_hash_table_lookup(s->takers, of);
    if (enders)
        return enders;
    g_autoptr(GArray) threads = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_autoptr(GHashTable) met = g_hash_table_new(NULL, NULL);
    enders = g_array_new(FALSE, FALSE, sizeof(gpointer));
    pm_lock_takers_beside(pm_contention_lock_takers(s->operations->contention), blocker, threads);
    for (guint i = 0; i < threads->len; i++) {
        const gpointer key = pm_operation_ender(s->recording, g_array_index(threads, guint32, i));
        if (g_hash_table_add(met, key))
            g_array_append_val(enders, key);
    }
    g_hash_table_insert(s->takers, of, enders);
    return enders;
}

/* Of `self`, which waits for room, while nobody ever ended such a wait: may somebody make some?
 * Not, if others take from that queue, or itself while others wait, and none of them can go on. */
static gboolean may_get_room(const Search *s, guint32 self)
{
    const guint32 blocker = pm_wait_blocker(&s->recording->waits, s->operations->waiting[self] - 1);
    const gpointer own = pm_operation_ender(s->recording, self);
    const GArray *enders = takers_of(s, blocker);
    gboolean any = FALSE;
    if (g_hash_table_contains(s->served, GUINT_TO_POINTER(blocker)))
        return TRUE;
    for (guint i = 0; i < enders->len; i++) {
        const gpointer key = g_array_index(enders, gpointer, i);
        const Crew *crew = g_hash_table_lookup(s->crews, key);
        if (!crew)
            continue;
        if (crew->n_free)
            return TRUE;
        any |= crew->n_live > (guint)(key == own && lives(s, self)) ||
               (key == own && has_others(s, self));
    }
    return !any;
}

/* Can one of those who ever ended such waits still do so? `*ret_any`: some of those who did often
 * live, beside `self`, which waits; or it is for itself that it waits. */
static gboolean can_be_ended(const Search *s, const PmOperation *operation, guint32 self,
                             gboolean *ret_any)
{
    gpointer own = pm_operation_ender(s->recording, self), key, number;
    GHashTableIter iter;
    *ret_any = FALSE;
    g_hash_table_iter_init(&iter, operation->enders);
    while (g_hash_table_iter_next(&iter, &key, &number)) {
        const Crew *crew = g_hash_table_lookup(s->crews, key);
        if (!crew)
            continue;
        *ret_any |= (guint64)GPOINTER_TO_UINT(number) * MIN_PART >= operation->n_ends &&
                    (crew->n_live > (guint)(key == own && lives(s, self)) ||
                     (key == own && makes_room(s, operation, self)));
        if (crew->n_free)
            return TRUE;
    }
    return FALSE;
}

/* Have all who ever ended such waits ended, none of them one of many of its kind? Then who waits
 * for room or for a result waits in vain; whoever wants work may be given some by others. */
static gboolean is_left(const Search *s, const PmOperation *operation)
{
    const PmRecording *r = s->recording;
    const PmWaits *w = &r->waits;
    guint32 row = g_array_index(operation->rows, guint32, 0);
    GHashTableIter iter;
    gpointer key;
    PmCategory category = pm_wait_category(w, row);
    if ((category != PM_CATEGORY_QUEUE && pm_category_family(category) != PM_FAMILY_JOIN &&
         !operation->one_shot) ||
        pm_operations_want_work(s->operations, row))
        return FALSE;
    g_hash_table_iter_init(&iter, operation->enders);
    while (g_hash_table_iter_next(&iter, &key, NULL)) {
        guint32 thread = GPOINTER_TO_UINT(key);
        if (thread >= r->n_threads || lives(s, thread))
            return FALSE;
    }
    return operation->n_ends > 0;
}

/* Takes out, again and again, whoever can still be woken. */
static void find_dead(Search *s)
{
    const PmRecording *r = s->recording;
    const PmWaits *w = &r->waits;
    for (gboolean changed = TRUE; changed;) {
        changed = FALSE;
        for (guint32 t = 1; t < r->n_threads; t++) {
            if (!s->waiting[t])
                continue;
            guint32 row = s->waiting[t] - 1, owner = pm_wait_owner(w, row);
            const PmOperation *operation = pm_operations_find(s->operations, row);
            gboolean any = FALSE;
            gboolean alive =
                pm_wait_kind(w, row) == PM_KIND_ENTER || (owner && owner != t)
                    ? !owner || !s->waiting[owner]
                : operation->n_ends == 0
                    ? !is_for_room(s, operation) || may_get_room(s, t)
                    : can_be_ended(s, operation, t, &any) || (!any && !is_left(s, operation));
            if (alive) {
                if (is_for_room(s, operation))
                    g_hash_table_add(s->served, GUINT_TO_POINTER(pm_wait_blocker(w, row)));
                s->waiting[t] = 0;
                crew_of(s, t)->n_free += lives(s, t);
                changed = TRUE;
            }
        }
    }
}

static gboolean is_old(const Search *s, const PmOperation *operation, guint32 row)
{
    gint64 age = s->at - pm_wait_begin(&s->recording->waits, row);
    return age >= MIN_AGE_NS && pm_operation_is_overdue(operation, age);
}

/* Of waits in a category in which threads rest. */
static gboolean may_rest(const Search *s, guint32 row)
{
    const PmWaits *w = &s->recording->waits;
    return pm_category_is_idle(pm_wait_category(w, row)) ||
           pm_operations_want_work(s->operations, row);
}

gboolean pm_knot_is_nested(const PmRecording *r, guint32 chain)
{
    const PmChain *c = &r->chains[chain];
    const gint own = pm_own_frame(pm_own_code(r), chain);
    for (guint i = c->site; own >= 0 && i <= (guint)own; i++)
        for (guint k = (guint)own + 1; k < c->n_frames; k++)
            if (c->frames[k].method == c->frames[i].method && k > i + 1)
                return TRUE;
    return FALSE;
}

static gboolean is_task(const PmRecording *r, guint32 chain)
{
    return pm_label_is_in_pool(r, chain) ||
           pm_label_is_within(r, chain, G_MAXUINT, "java.util.concurrent.*", "doExec");
}

/* Does it wait for the end of a thread, which has begun already? */
static gboolean joins_thread(const PmRecording *r, guint32 row)
{
    return pm_label_is_within(r, pm_wait_chain(&r->waits, row), G_MAXUINT, "java.lang.Thread",
                              "join");
}

/* Is it no task of a pool, but a call within such a call, or one of those that meet at a barrier?
 */
static gboolean is_no_task(const PmRecording *r, guint32 row)
{
    const guint32 chain = pm_wait_chain(&r->waits, row);
    return joins_thread(r, row) ||
           (!is_task(r, chain) && (pm_wait_category(&r->waits, row) == PM_CATEGORY_BARRIER ||
                                   pm_knot_is_nested(r, chain)));
}

static gboolean is_own_pool(const Search *s, const PmOperation *operation, guint32 *ret_group)
{
    const PmRecording *r = s->recording;
    const PmWaits *w = &r->waits;
    if (pm_category_family(pm_wait_category(w, g_array_index(operation->rows, guint32, 0))) !=
        PM_FAMILY_JOIN)
        return FALSE;
    for (guint i = 0; i < operation->rows->len; i++)
        if (is_no_task(r, g_array_index(operation->rows, guint32, i)))
            return FALSE;
    for (guint i = 0; i < operation->rows->len; i++) {
        guint32 thread = pm_wait_thread(w, g_array_index(operation->rows, guint32, i));
        guint32 group = r->threads[thread].group;
        if (r->groups[group].n_threads > 1 && s->waiting[thread] &&
            g_hash_table_contains(operation->enders, GUINT_TO_POINTER(G_MAXUINT32 - group))) {
            *ret_group = group;
            return TRUE;
        }
    }
    return FALSE;
}

/* Waits that began later and were ended: of results at all, each of which has an object of its own;
 * of anything else at the same object. */
static guint count_later(const PmRecording *r, const PmOperation *operation, guint32 row)
{
    const PmWaits *w = &r->waits;
    const gint64 begin = pm_wait_begin(w, row);
    const guint32 blocker = pm_wait_blocker(w, row);
    guint low = 0, high = operation->overtaking->len, n = 0;
    PM_LOWER_BOUND(low, high, middle,
                   g_array_index(operation->overtaking, PmEarlierWait, middle).begin <= begin)
    if (pm_category_family(pm_wait_category(w, row)) == PM_FAMILY_JOIN || operation->one_shot)
        return operation->overtaking->len - low;
    for (guint i = low; i < operation->overtaking->len; i++)
        n += g_array_index(operation->overtaking, PmEarlierWait, i).blocker == blocker;
    return n;
}

typedef struct {
    const Search *search;
    guint32 group; /* whose waits come first; G_MAXUINT32: no one's */
} RowOrder;

static gint row_compare(gconstpointer left, gconstpointer right, gpointer data)
{
    const RowOrder *order = data;
    const PmRecording *r = order->search->recording;
    guint32 a = *(const guint32 *)left, b = *(const guint32 *)right;
    gboolean a_first = r->threads[pm_wait_thread(&r->waits, a)].group == order->group,
             b_first = r->threads[pm_wait_thread(&r->waits, b)].group == order->group;
    if (a_first != b_first)
        return a_first ? -1 : 1;
    return (a > b) - (a < b); /* by begin */
}

static guint32 oldest_of(const PmKnot *knot)
{
    return g_array_index(knot->rows, guint32, 0);
}

/* The last wait of the thread that is like that of `row` and ends before `at`; G_MAXUINT32: there
 * is none. */
static guint32 last_like(const Search *s, guint32 thread, guint32 row, gint64 at)
{
    const PmActivity *activity = pm_contention_activity(s->operations->contention);
    const guint64 key = pm_operation_key(s->recording, row);
    guint32 nth = pm_activity_first_wait(activity, thread, at);
    for (guint looked = 0; nth > 0 && looked < MAX_LOOKED; looked++) {
        const guint32 before = pm_activity_wait(activity, thread, --nth);
        if (pm_operation_key(s->recording, before) == key)
            return before;
    }
    return G_MAXUINT32;
}

/* The last round of a barrier that others now wait at. */
typedef struct {
    gint64 begin, end;
    GHashTable *told_by; /* threads: who woke others from it */
} Round;

static Round last_round(const Search *s, const PmKnot *knot)
{
    const PmWaits *w = &s->recording->waits;
    Round round = {G_MAXINT64, G_MININT64, g_hash_table_new(NULL, NULL)};
    for (guint i = 0; i < knot->rows->len; i++) {
        const guint32 row = g_array_index(knot->rows, guint32, i);
        const guint32 before = last_like(s, pm_wait_thread(w, row), row, pm_wait_begin(w, row));
        if (before == G_MAXUINT32)
            continue;
        round.begin = MIN(round.begin, pm_wait_begin(w, before));
        round.end = MAX(round.end, pm_wait_end(w, before));
        g_hash_table_add(round.told_by, GUINT_TO_POINTER(pm_wait_waker(w, before)));
    }
    return round;
}

/* What it was last seen in, on its way to where `row` waited; 0: in nothing else than its end, once
 * an exception had taken it out of there. */
static guint32 last_seen_on_the_way(const Search *s, guint32 row, gint64 since)
{
    const PmRecording *r = s->recording;
    const guint32 thread = pm_wait_thread(&r->waits, row), chain = pm_wait_chain(&r->waits, row);
    const gint64 end = r->threads[thread].end;
    const gint frame = pm_own_frame(pm_own_code(r), chain);
    const guint32 seen = pm_activity_nearest_sample(
        pm_contention_activity(s->operations->contention), thread, FALSE, since, end, end, NULL);
    return frame >= 0 && pm_recording_has_method(r, seen, r->chains[chain].frames[frame].method)
               ? seen
               : 0;
}

/* Who has not come to a barrier, as it was there in the last round and has ended since. FALSE: that
 * is not so of anybody. */
static gboolean find_party(const Search *s, const PmKnot *knot, PmKnotGiver *ret_party)
{
    const PmRecording *r = s->recording;
    const PmWaits *w = &r->waits;
    const guint32 first = oldest_of(knot);
    gboolean found = FALSE;
    if (pm_wait_category(w, first) != PM_CATEGORY_BARRIER)
        return FALSE;
    const Round round = last_round(s, knot);
    for (guint32 t = 1; t < r->n_threads && !found; t++) {
        const PmThread *thread = &r->threads[t];
        if (lives(s, t) || thread->end < round.end)
            continue;
        const guint32 last = last_like(s, t, first, thread->end);
        found = last != G_MAXUINT32 && (pm_wait_end(w, last) >= round.begin ||
                                        g_hash_table_contains(round.told_by, GUINT_TO_POINTER(t)));
        if (!found)
            continue;
        ret_party->thread = t;
        ret_party->chain = last_seen_on_the_way(s, last, round.end);
    }
    g_hash_table_unref(round.told_by);
    return found;
}

/* Of each queue that the knot's waits are for, who takes from it, and where it waits itself. */
static void expect_takers(const Search *s, PmKnot *knot)
{
    const PmRecording *r = s->recording;
    g_autoptr(GHashTable) met = g_hash_table_new(NULL, NULL);
    g_autoptr(GArray) threads = g_array_new(FALSE, FALSE, sizeof(guint32));
    for (guint i = 0; i < knot->rows->len && knot->givers->len < MAX_EXPECTED; i++) {
        const guint32 row = g_array_index(knot->rows, guint32, i);
        const guint32 blocker = pm_wait_blocker(&r->waits, row);
        if (!g_hash_table_add(met, GUINT_TO_POINTER(blocker)))
            continue;
        g_array_set_size(threads, 0);
        pm_lock_takers_beside(pm_contention_lock_takers(s->operations->contention), blocker,
                              threads);
        for (guint k = 0; k < threads->len; k++) {
            const guint32 thread = g_array_index(threads, guint32, k);
            if (!s->waiting[thread])
                continue;
            const PmKnotGiver giver = {row, thread,
                                       pm_wait_chain(&r->waits, s->waiting[thread] - 1), TRUE};
            g_array_append_val(knot->givers, giver);
            break;
        }
    }
    knot->expects = TRUE;
    knot->longest = 0;
}

static PmKnot knot_of(const Search *s, const PmOperation *operation)
{
    const PmWaits *w = &s->recording->waits;
    RowOrder order = {.search = s, .group = G_MAXUINT32};
    PmKnot knot = {.shape =
                       is_own_pool(s, operation, &order.group) ? PM_KNOT_OWN_POOL : PM_KNOT_MUTUAL,
                   .rows = g_array_new(FALSE, FALSE, sizeof(guint32)),
                   .givers = g_array_new(FALSE, FALSE, sizeof(PmKnotGiver)),
                   .n_ends = operation->n_ends,
                   .longest = operation->longest};
    gboolean tied = FALSE;
    guint32 user;
    const gboolean any_order = pm_operation_carriers_use(s->operations, operation, &user) != 0;
    for (guint i = 0; i < operation->rows->len; i++) {
        guint32 row = g_array_index(operation->rows, guint32, i);
        gboolean is_dead = s->waiting[pm_wait_thread(w, row)] == row + 1;
        guint later = count_later(s->recording, operation, row);
        if (is_old(s, operation, row) &&
            (is_dead || (operation->n_ends && later >= MIN_OVERTAKEN && !any_order))) {
            g_array_append_val(knot.rows, row);
            tied |= is_dead;
            knot.n_later = MAX(knot.n_later, later);
        }
    }
    g_array_sort_with_data(knot.rows, row_compare, &order);
    if (!operation->n_ends) {
        expect_takers(s, &knot);
        return knot;
    }
    PmKnotGiver giver = {.thread = operation->giver_thread, .chain = operation->giver};
    giver.row = knot.rows->len ? oldest_of(&knot) : 0;
    if (!tied)
        knot.shape = PM_KNOT_FORGOTTEN;
    else if (is_left(s, operation))
        knot.shape = PM_KNOT_ENDED;
    else if (knot.shape == PM_KNOT_MUTUAL && find_party(s, &knot, &giver)) {
        knot.shape = PM_KNOT_ENDED;
        knot.party = giver.thread;
    }
    g_array_append_val(knot.givers, giver);
    return knot;
}

/* Why a thread does not end is told by what that waits for. */
static gint knot_compare(gconstpointer left, gconstpointer right, gpointer recording)
{
    static const guint8 ranks[] = {
        [PM_KNOT_OWN_POOL] = 0, [PM_KNOT_MUTUAL] = 1, [PM_KNOT_ENDED] = 2, [PM_KNOT_FORGOTTEN] = 3};
    const PmKnot *a = left, *b = right;
    if (a->shape != b->shape)
        return ranks[a->shape] < ranks[b->shape] ? -1 : 1;
    const gboolean a_joins = joins_thread(recording, oldest_of(a)),
                   b_joins = joins_thread(recording, oldest_of(b));
    if (a->shape == PM_KNOT_MUTUAL && a_joins != b_joins)
        return a_joins ? 1 : -1;
    if (a->shape != PM_KNOT_MUTUAL && a->rows->len != b->rows->len)
        return a->rows->len > b->rows->len ? -1 : 1;
    return (oldest_of(a) > oldest_of(b)) - (oldest_of(a) < oldest_of(b));
}

static void knot_clear(gpointer data)
{
    PmKnot *knot = data;
    g_array_unref(knot->rows);
    g_array_unref(knot->givers);
}

/* Those who wait for each other are one knot, told by the oldest wait of the first. */
static void join_mutual(GArray *knots)
{
    PmKnot *first = NULL;
    guint n = 0;
    for (guint i = 0; i < knots->len; i++) {
        PmKnot *knot = &g_array_index(knots, PmKnot, i);
        if (knot->shape == PM_KNOT_MUTUAL && first) {
            g_array_append_vals(first->rows, knot->rows->data, knot->rows->len);
            first->n_ends += knot->n_ends;
            first->expects |= knot->expects;
            first->longest = MAX(first->longest, knot->longest);
            g_array_append_vals(first->givers, knot->givers->data, knot->givers->len);
            knot_clear(knot);
            continue;
        }
        g_array_index(knots, PmKnot, n) = *knot;
        if (knot->shape == PM_KNOT_MUTUAL)
            first = &g_array_index(knots, PmKnot, n);
        n++;
    }
    knots->len = n;
}

GArray *pm_knots_find(const PmOperations *operations)
{
    const PmRecording *r = operations->recording;
    g_autofree guint32 *waiting =
        g_memdup2(operations->waiting, MAX(r->n_threads, 1) * sizeof(guint32));
    g_autoptr(GHashTable) crews = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    g_auto(PmTotals) n_at = {0};
    g_autoptr(GHashTable) served = g_hash_table_new(NULL, NULL);
    g_autoptr(GHashTable) takers =
        g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
    Search s = {.recording = r,
                .operations = operations,
                .at = operations->at,
                .crews = crews,
                .waiting = waiting,
                .n_at = &n_at,
                .served = served,
                .takers = takers};
    GArray *knots = g_array_new(FALSE, FALSE, sizeof(PmKnot));
    GHashTableIter iter;
    gpointer value;
    g_array_set_clear_func(knots, knot_clear);
    if (!g_hash_table_size(operations->by_key))
        return knots;
    gather_crews(&s);
    count_waiting(&s);
    find_dead(&s);
    g_hash_table_iter_init(&iter, operations->by_key);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        const PmOperation *operation = value;
        guint32 first = g_array_index(operation->rows, guint32, 0);
        if (may_rest(&s, first) || (!operation->n_ends && !is_for_room(&s, operation)) ||
            pm_wait_kind(&r->waits, first) == PM_KIND_ENTER)
            continue;
        PmKnot knot = knot_of(&s, operation);
        if (knot.rows->len)
            g_array_append_val(knots, knot);
        else
            knot_clear(&knot);
    }
    g_array_sort_with_data(knots, knot_compare, (gpointer)r);
    join_mutual(knots);
    return knots;
}

const PmStillWaiting *pm_knot_find_root(const PmOperations *operations, const PmSummary *summary,
                                        GHashTable *told, guint8 *wanted, guint *ret_n)
{
    const PmStillWaiting *still = summary->still, *root = NULL;
    const PmThread *threads = operations->recording->threads;
    for (guint i = 0; i < summary->n_still && !root; i++)
        if (wanted[i] && threads[still[i].first_thread].is_virtual &&
            !pm_operations_wait_for_virtual_end(operations, still[i].rows[0]))
            root = &still[i];
    for (guint i = 0; i < summary->n_still && root; i++) {
        if (!wanted[i] || !pm_operations_wait_for_virtual_end(operations, still[i].rows[0]))
            continue;
        wanted[i] = FALSE;
        *ret_n += still[i].n_threads;
        g_hash_table_add(told, pm_finding_told_key(still[i].blocker, still[i].kind));
    }
    return root;
}
