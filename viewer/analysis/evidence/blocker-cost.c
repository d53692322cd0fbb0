#include "viewer/analysis/evidence/blocker-cost.h"

#include <math.h>
#include <string.h>

#include "viewer/analysis/recording/recording-private.h"
#include "viewer/analysis/code/own-code.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/analysis/evidence/culprit.h"
#include "viewer/analysis/evidence/margin.h"
#include "viewer/analysis/base/cancel.h"
#include "viewer/analysis/base/sum.h"
#include "viewer/analysis/base/workers.h"

/* The causes of all waits are looked at for the blockers of one class with at most so many; else
 * those of some, and of some of each blocker that matters: shares are then estimates with a
 * standard error of 0.6 and of 1.6 points. */
#define MIN_FIRST        0.33 /* of the greatest share */
#define MAX_UNSEEN       20   /* times as much as was seen, at most */
#define MIN_ENDED        10   /* times as much as still goes on, at least */
#define MAX_SPLIT        20000
#define MAX_SPLIT_OF_ALL 8000
#define MAX_SPLIT_OF_ONE 1000
#define MANY_WAITS       (1u << 16) /* of a view: each core looks at some blockers' */

/* What causes are added up in, under their key. */
typedef struct {
    PmFindingCause cause;
    gint64 time, inferred_time;
    gint64 longest;   /* of its parts */
    double kept;      /* time × how long it holds one of a resource */
    gint64 kept_time; /* the time that is known of */
} CauseSum;

/* What a group of threads waits for at a blocker. */
typedef struct {
    guint32 group;
    PmBlockerCost *cost; /* with its causes only */
    PmTotals enders;     /* the groups that ended its waits */
} Side;

static void side_clear(gpointer data)
{
    Side *side = data;
    pm_blocker_cost_free(side->cost);
    pm_totals_clear(&side->enders);
}

void pm_blocker_cost_free(PmBlockerCost *cost)
{
    if (!cost)
        return;
    g_clear_pointer(&cost->sides, g_array_unref);
    g_clear_pointer(&cost->causes, g_hash_table_unref);
    pm_totals_clear(&cost->threads);
    pm_totals_clear(&cost->chains);
    pm_totals_clear(&cost->givers);
    pm_totals_clear(&cost->brought);
    g_free(cost);
}

static guint64 *key_new(guint64 value)
{
    guint64 *key = g_new(guint64, 1);
    *key = value;
    return key;
}

PmBlockerCost *pm_blocker_cost_new(guint32 blocker, guint8 kind)
{
    PmBlockerCost *cost = g_new0(PmBlockerCost, 1);
    cost->blocker = blocker;
    cost->kind = kind;
    cost->n_blockers = 1;
    cost->waited_to = G_MININT64;
    return cost;
}

static guint32 group_of(const PmRecording *r, const PmPart *part)
{
    return part->thread ? r->threads[part->thread].group : PM_GROUP_NONE;
}

static guint32 common_group(guint32 one, guint32 other)
{
    return one == other ? one : PM_GROUP_SEVERAL;
}

/* What is added up under a key; a new one is a copy of `first`. */
static CauseSum *cause_sum_of(PmBlockerCost *cost, guint64 key, const CauseSum *first)
{
    if (!cost->causes)
        cost->causes = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    CauseSum *sum = g_hash_table_lookup(cost->causes, &key);
    if (!sum) {
        sum = g_memdup2(first, sizeof *first);
        g_hash_table_insert(cost->causes, key_new(key), sum);
    }
    return sum;
}

/* A cause is where it was, else the group of threads it was. */
static void add_part(PmBlockerCost *cost, const PmRecording *r, const PmPart *part, double weight)
{
    gint64 time = pm_rounded((double)(part->end - part->begin) * weight);
    pm_sum_add(&cost->charged, time);
    if (part->kind == PM_CAUSE_HAND_OVER)
        pm_sum_add(&cost->hand_over, time);
    if (part->kind == PM_CAUSE_OWNER || part->kind == PM_CAUSE_WAKER ||
        part->kind == PM_CAUSE_HAND_OVER || part->kind == PM_CAUSE_GC_PAUSE)
        pm_sum_add(&cost->blamed, time);
    if (part->kind == PM_CAUSE_TIME_OUT)
        pm_sum_add(&cost->given_up, time);
    gboolean by_chain = part->chain != 0;
    guint64 key = ((guint64)part->kind << 60) | ((guint64)by_chain << 59) |
                  (by_chain ? part->chain : r->threads[part->thread].group);
    const CauseSum first = {.cause = {.kind = part->kind,
                                      .chain = part->chain,
                                      .thread = part->thread,
                                      .group = group_of(r, part)}};
    CauseSum *sum = cause_sum_of(cost, key, &first);
    sum->cause.group = common_group(sum->cause.group, group_of(r, part));
    pm_sum_add(&sum->time, time);
    if (part->brought)
        pm_sum_add(pm_totals_at(&cost->brought, pm_own_place_frame(r, part->brought).method), time);
    sum->kept += (double)time * (double)part->held;
    pm_sum_add(&sum->kept_time, part->held > 0 ? time : 0);
    sum->longest = MAX(sum->longest, part->end - part->begin);
    if (part->inferred)
        pm_sum_add(&sum->inferred_time, time);
}

static void add_wait(PmBlockerCost *cost, const PmView *view, guint32 row)
{
    const PmWaits *w = &view->recording->waits;
    const guint32 giver = pm_wait_waker_chain(w, row);
    gint64 time = pm_view_clip(view, row);
    cost->waits++;
    cost->n_lasting += time > 0;
    gint64 begin = MAX(pm_wait_begin(w, row), view->from), end = pm_sum(begin, time);
    if (end > cost->waited_to) {
        pm_sum_add(&cost->covered, pm_difference(end, MAX(begin, cost->waited_to)));
        cost->waited_to = end;
    }
    pm_sum_add(&cost->thread_time, time);
    cost->longest = MAX(cost->longest, time);
    if ((pm_wait_flags(w, row) & PM_WAIT_IN_PROGRESS) != 0 || pm_wait_end(w, row) > view->to)
        pm_sum_add(&cost->open_time, time);
    if (pm_wait_wake_cause(w, row) == PM_WAKE_TIME_OUT)
        cost->time_outs++;
    pm_sum_add(pm_totals_at(&cost->threads, pm_wait_thread(w, row)), time);
    pm_sum_add(pm_totals_at(&cost->chains, pm_wait_chain(w, row)), time);
    if (giver)
        pm_totals_at(&cost->givers, giver);
}

/* FALSE: there are none. */
static gboolean causes_init(GHashTableIter *iter, const PmBlockerCost *cost)
{
    if (cost->causes)
        g_hash_table_iter_init(iter, cost->causes);
    return cost->causes != NULL;
}

PmTotals pm_blocker_cost_groups(const PmBlockerCost *cost, const PmRecording *r)
{
    PmTotals groups = {0};
    for (guint32 i = 0; i < cost->threads.n; i++) {
        const PmTotal *thread = &cost->threads.items[i];
        pm_sum_add(pm_totals_at(&groups, r->threads[thread->key].group), thread->total);
    }
    return groups;
}

/* Did several threads of one group wait? */
static gboolean is_shared(const PmBlockerCost *cost, const PmRecording *r)
{
    g_auto(PmTotals) groups = pm_blocker_cost_groups(cost, r);
    return cost->threads.n > groups.n;
}

static void add_causes(PmBlockerCost *cost, const PmBlockerCost *other)
{
    GHashTableIter iter;
    gpointer key, value;
    pm_sum_add(&cost->hand_over, other->hand_over);
    pm_sum_add(&cost->blamed, other->blamed);
    pm_sum_add(&cost->given_up, other->given_up);
    pm_sum_add(&cost->charged, other->charged);
    pm_sum_add(&cost->left_out, other->left_out);
    const gboolean any = causes_init(&iter, other);
    while (any && g_hash_table_iter_next(&iter, &key, &value)) {
        const CauseSum *from = value;
        const CauseSum first = {.cause = from->cause};
        CauseSum *sum = cause_sum_of(cost, *(guint64 *)key, &first);
        sum->cause.group = common_group(sum->cause.group, from->cause.group);
        pm_sum_add(&sum->time, from->time);
        sum->kept += from->kept;
        pm_sum_add(&sum->kept_time, from->kept_time);
        sum->longest = MAX(sum->longest, from->longest);
        pm_sum_add(&sum->inferred_time, from->inferred_time);
    }
    pm_totals_join(&cost->brought, &other->brought);
}

void pm_blocker_cost_add_cost(PmBlockerCost *cost, const PmRecording *r, const PmBlockerCost *other)
{
    const gboolean is_folded = (r->blockers[other->blocker].flags & PM_BLOCKER_FOLDED) != 0;
    cost->n_blockers += other->n_blockers;
    cost->n_folded += is_folded;
    cost->waits += other->waits;
    cost->n_lasting += other->n_lasting;
    pm_sum_add(&cost->thread_time, other->thread_time);
    cost->longest = MAX(cost->longest, other->longest);
    cost->time_outs += other->time_outs;
    pm_sum_add(&cost->open_time, other->open_time);
    pm_sum_add(&cost->covered, other->covered);
    cost->n_split += other->n_split;
    cost->most_to_come = MAX(cost->most_to_come, other->most_to_come);
    cost->is_shared |= !is_folded && is_shared(other, r);
    if (!is_folded && other->thread_time > cost->biggest) {
        cost->biggest = other->thread_time;
        cost->blocker = other->blocker;
    }
    add_causes(cost, other);
    pm_totals_join(&cost->threads, &other->threads);
    pm_totals_join(&cost->givers, &other->givers);
    pm_totals_join(&cost->chains, &other->chains);
}

static guint64 key_of(guint32 blocker, guint8 kind)
{
    return (guint64)blocker << 8 | kind;
}

static void free_cost(gpointer data)
{
    pm_blocker_cost_free(data);
}

static gboolean is_polled(const PmBlockerCost *cost)
{
    return cost->time_outs * 10 >= cost->waits * 9;
}

/* Of the costs of one class and kind. */
typedef struct {
    gint64 waits, thread_time;
} ClassSum;

static ClassSum *class_sum_of(GHashTable *classes, const PmRecording *r, const PmBlockerCost *cost)
{
    guint64 key = key_of(r->blockers[cost->blocker].class_index, cost->kind);
    ClassSum *sum = g_hash_table_lookup(classes, &key);
    if (!sum) {
        sum = g_new0(ClassSum, 1);
        g_hash_table_insert(classes, key_new(key), sum);
    }
    return sum;
}

/* Decides of which waits the causes are asked: of none of what cannot matter, however it came to
 * be; of all of what is few; else of one wherever another `step` of waiting is over. */
static void choose_steps(GHashTable *costs, const PmView *view)
{
    const PmRecording *r = view->recording;
    g_autoptr(GHashTable) classes =
        g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    double least = PM_SUMMARY_MIN_MEAN * (double)view->known;
    GHashTableIter iter;
    gpointer value;
    g_hash_table_iter_init(&iter, costs);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        const PmBlockerCost *cost = value;
        ClassSum *sum = class_sum_of(classes, r, cost);
        sum->waits += cost->waits;
        pm_sum_add(&sum->thread_time, cost->thread_time);
    }
    g_hash_table_iter_init(&iter, costs);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        PmBlockerCost *cost = value;
        const ClassSum *sum = class_sum_of(classes, r, cost);
        if ((double)sum->thread_time < least && !is_polled(cost))
            continue;
        cost->step = sum->waits <= MAX_SPLIT ? 1 : MAX(sum->thread_time / MAX_SPLIT_OF_ALL, 1);
        if ((double)cost->thread_time >= least)
            cost->step = MIN(cost->step, MAX(cost->thread_time / MAX_SPLIT_OF_ONE, 1));
        /* Where all costs of a class are small, they start at different points of their step. */
        cost->passed = (gint64)(cost->blocker * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15) %
                                (guint64)MAX(cost->step, 1));
    }
}

/* May both who gives and who takes wait there? Not for what comes back to whom it was lent by, nor
 * where only those wait that are to be let through. */
static gboolean may_have_sides(const PmBlockerCost *cost, const PmContention *contention)
{
    return (cost->category == PM_CATEGORY_TRANSFER || cost->category == PM_CATEGORY_CONDITION ||
            cost->category == PM_CATEGORY_QUEUE) &&
           !pm_contention_is_resource(contention, cost->blocker);
}

/* Where the causes of `row` are added up until all are known. */
static PmBlockerCost *side_of(PmBlockerCost *cost, const PmView *view, guint32 row)
{
    const PmRecording *r = view->recording;
    const guint32 group = r->threads[pm_wait_thread(&r->waits, row)].group;
    const guint32 ender = pm_wait_waker(&r->waits, row);
    guint i = 0;
    if (!cost->sides) {
        cost->sides = g_array_new(FALSE, TRUE, sizeof(Side));
        g_array_set_clear_func(cost->sides, side_clear);
    }
    while (i < cost->sides->len && g_array_index(cost->sides, Side, i).group != group)
        i++;
    if (i == cost->sides->len) {
        const Side side = {.group = group, .cost = pm_blocker_cost_new(cost->blocker, cost->kind)};
        g_array_append_val(cost->sides, side);
    }
    Side *side = &g_array_index(cost->sides, Side, i);
    if (ender)
        pm_sum_add(pm_totals_at(&side->enders, r->threads[ender].group), pm_view_clip(view, row));
    return side->cost;
}

/* Does `other` end most of the waits of the side? */
static gboolean is_ended_by(const Side *side, guint32 other)
{
    gint64 all = 0;
    const gint64 *its = pm_totals_find(&side->enders, other);
    for (guint32 i = 0; i < side->enders.n; i++)
        pm_sum_add(&all, side->enders.items[i].total);
    return its && pm_product(*its, 2) > all;
}

/* All of its waits were split. */
static void join_sides(PmBlockerCost *cost)
{
    const Side *most = NULL;
    for (guint i = 0; cost->sides && i < cost->sides->len; i++) {
        const Side *side = &g_array_index(cost->sides, Side, i);
        if (!most || side->cost->blamed > most->cost->blamed)
            most = side;
    }
    for (guint i = 0; cost->sides && i < cost->sides->len; i++) {
        const Side *side = &g_array_index(cost->sides, Side, i);
        if (side == most || !is_ended_by(most, side->group))
            add_causes(cost, side->cost);
        else
            pm_sum_add(&cost->left_out, side->cost->charged);
    }
    g_clear_pointer(&cost->sides, g_array_unref);
}

/* The wait of `row` stands for as many steps as end in it. */
static void split_row(PmBlockerCost *cost, const PmView *view, guint32 row, gint64 steps,
                      const PmContention *contention, GArray *parts)
{
    const gint64 time = pm_view_clip(view, row);
    cost->n_split++;
    cost->most_to_come = MAX(cost->most_to_come, pm_wait_aqs_state(&view->recording->waits, row));
    g_array_set_size(parts, 0);
    pm_contention_split(contention, row, view->from, view->to, parts);
    PmBlockerCost *to = may_have_sides(cost, contention) ? side_of(cost, view, row) : cost;
    for (guint i = 0; i < parts->len; i++)
        add_part(to, view->recording, &g_array_index(parts, PmPart, i),
                 cost->step == 1 ? 1 : (double)steps * (double)cost->step / (double)time);
}

static void split_wait(PmBlockerCost *cost, const PmView *view, guint32 row,
                       const PmContention *contention, GArray *parts)
{
    gint64 time = pm_view_clip(view, row);
    if (!cost->step || time <= 0)
        return;
    cost->passed = pm_sum(cost->passed, time);
    gint64 steps = cost->passed / cost->step;
    if (!steps)
        return;
    cost->passed %= cost->step;
    split_row(cost, view, row, steps, contention, parts);
}

static gboolean is_counted(const PmSummary *summary, guint32 row)
{
    const PmWaits *w = &summary->metrics->view->recording->waits;
    return !pm_category_is_idle(pm_wait_category(w, row)) && !pm_summary_is_at_rest(summary, row);
}

/* Each cost is one worker's alone, who meets its waits in their order. */
#define MOST_WORKERS 4

typedef struct {
    const PmSummary *summary;
    const PmContention *contention;
    const gint *cancel;
    guint n_workers;
    guint8 *workers;       /* by place_of; NOBODY: its waits are not looked at one by one */
    PmBlockerCost **costs; /* the same; NULL: none */
    gboolean rest;         /* there are others than those */
    GArray *picks;         /* of PmPick: the waits to look at of those */
} Gathering;

#define NOBODY 255

static gsize place_of(guint32 blocker, guint8 kind)
{
    return (gsize)blocker * PM_N_KINDS + kind;
}

/* The next to whom has least to do, those with most waits first. */
static void share_out(Gathering *g)
{
    const PmMetrics *metrics = g->summary->metrics;
    gint64 load[MOST_WORKERS] = {0};
    for (guint i = 0; i < metrics->n; i++) {
        const PmMetricsRow *row = &metrics->rows[i];
        guint least = 0;
        for (guint k = 1; k < g->n_workers; k++)
            least = load[k] < load[least] ? k : least;
        load[least] += row->touched;
        g->workers[place_of(row->blocker, row->kind)] = (guint8)least;
    }
}

static void gather(gpointer data, guint worker)
{
    const Gathering *g = data;
    const PmView *view = g->summary->metrics->view;
    const PmWaits *w = &view->recording->waits;
    for (gsize i = 0; i < view->n && g->rest; i++) {
        const guint32 row = pm_view_row(view, i);
        const gsize place = place_of(pm_wait_blocker(w, row), pm_wait_kind(w, row));
        if ((i & 4095) == 0 && pm_cancelled(g->cancel))
            return;
        if (g->workers[place] != worker || !is_counted(g->summary, row))
            continue;
        if (!g->costs[place])
            g->costs[place] = pm_blocker_cost_new(pm_wait_blocker(w, row), pm_wait_kind(w, row));
        add_wait(g->costs[place], view, row);
    }
}

/* The same of waits that were picked by sums. */
static void split_picks(const Gathering *g, guint worker, GArray *parts)
{
    const PmView *view = g->summary->metrics->view;
    const PmRangeSums *sums = g->summary->metrics->sums;
    for (guint i = 0; g->picks != NULL && i < g->picks->len; i++) {
        const PmPick *pick = &g_array_index(g->picks, PmPick, i);
        if (pick->key % g->n_workers != worker)
            continue;
        if ((i & 255) == 0 && pm_cancelled(g->cancel))
            return;
        split_row(g->costs[place_of(sums->blockers[pick->key], sums->kinds[pick->key])], view,
                  pick->row, pick->steps, g->contention, parts);
    }
}

static void split(gpointer data, guint worker)
{
    const Gathering *g = data;
    const PmView *view = g->summary->metrics->view;
    const PmWaits *w = &view->recording->waits;
    g_autoptr(GArray) parts = g_array_new(FALSE, FALSE, sizeof(PmPart));
    split_picks(g, worker, parts);
    for (gsize i = 0; i < view->n && g->rest; i++) {
        const guint32 row = pm_view_row(view, i);
        const gsize place = place_of(pm_wait_blocker(w, row), pm_wait_kind(w, row));
        if ((i & 255) == 0 && pm_cancelled(g->cancel))
            return;
        if (g->workers[place] == worker && g->costs[place] && g->costs[place]->step != 0 &&
            is_counted(g->summary, row))
            split_wait(g->costs[place], view, row, g->contention, parts);
    }
}

/* ---- of sums ---- */

static gint64 idle_waits(const PmSum *sum)
{
    return (gint64)sum->in_category[PM_CATEGORY_POOL_IDLE] + sum->in_category[PM_CATEGORY_TIMER];
}

/* Marks blockers some of whose waits are of threads at rest: such a wait is most of its thread's
 * life. */
static void mark_rests(const Gathering *g)
{
    const PmView *view = g->summary->metrics->view;
    const PmRecording *r = view->recording;
    g_autofree gint64 *least = g_new0(gint64, MAX(r->n_threads, 1));
    g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(guint32));
    for (guint32 t = 0; t < r->n_threads; t++) {
        const PmThread *thread = &r->threads[t];
        const gint64 life = MIN(thread->end, view->to) - MAX(thread->begin, view->from);
        least[t] = MAX(life / 4 * 3, 0);
    }
    pm_range_sums_find_long(g->summary->metrics->sums, least, rows);
    for (guint i = 0; i < rows->len; i++) {
        const guint32 row = g_array_index(rows, guint32, i);
        if (pm_summary_is_at_rest(g->summary, row))
            g->workers[place_of(pm_wait_blocker(&r->waits, row), pm_wait_kind(&r->waits, row))] = 0;
    }
}

static PmBlockerCost *cost_of_sum(const PmRangeSums *sums, guint key)
{
    const PmSum *sum = &sums->sums[key];
    PmBlockerCost *cost = pm_blocker_cost_new(sums->blockers[key], sums->kinds[key]);
    cost->waits = sum->n;
    cost->n_lasting = sum->n_lasting;
    cost->covered = sum->real_time;
    cost->thread_time = sum->thread_time;
    cost->longest = sum->longest;
    cost->open_time = sum->open_time;
    cost->time_outs = sum->n_time_outs;
    return cost;
}

/* Whose waits are all counted: by key; NULL: it is not one of those. Owned. */
static PmBlockerCost **costs_of_sums(const Gathering *g)
{
    const PmRangeSums *sums = g->summary->metrics->sums;
    PmBlockerCost **costs = g_new0(PmBlockerCost *, MAX(sums->n_keys, 1));
    for (guint k = 0; k < sums->n_keys; k++) {
        const gsize place = place_of(sums->blockers[k], sums->kinds[k]);
        if (sums->sums[k].n > 0 && g->workers[place] == NOBODY && idle_waits(&sums->sums[k]) == 0)
            costs[k] = g->costs[place] = cost_of_sum(sums, k);
    }
    for (guint i = 0; i < sums->threads->len; i++) {
        const PmSumPart *part = &g_array_index(sums->threads, PmSumPart, i);
        if (costs[part->key])
            pm_sum_add(pm_totals_at(&costs[part->key]->threads, part->id), part->time);
    }
    for (guint i = 0; i < sums->chains->len; i++) {
        const PmSumPart *part = &g_array_index(sums->chains, PmSumPart, i);
        if (costs[part->key])
            pm_sum_add(pm_totals_at(&costs[part->key]->chains, part->id), part->time);
    }
    for (guint i = 0; i < sums->givers->len; i++) {
        const PmSumPart *part = &g_array_index(sums->givers, PmSumPart, i);
        if (costs[part->key] && part->id)
            pm_totals_at(&costs[part->key]->givers, part->id);
    }
    return costs;
}

/* Of blockers with many waits, all of which are counted, sums are taken; those with few are looked
 * at by their rows. What is left has a worker. */
static void gather_sums(Gathering *g)
{
    const PmView *view = g->summary->metrics->view;
    const PmWaits *w = &view->recording->waits;
    const PmRangeSums *sums = g->summary->metrics->sums;
    g->rest = FALSE;
    for (guint k = 0; k < sums->n_keys; k++)
        g->workers[place_of(sums->blockers[k], sums->kinds[k])] = NOBODY;
    mark_rests(g);
    g_autofree PmBlockerCost **costs = costs_of_sums(g);
    for (guint k = 0; k < sums->n_keys; k++) {
        const PmSum *sum = &sums->sums[k];
        const gsize place = place_of(sums->blockers[k], sums->kinds[k]);
        if (sum->n == 0 || costs[k] || idle_waits(sum) == sum->n)
            continue;
        g->workers[place] = (guint8)(k % g->n_workers);
        g->rest = TRUE;
    }
    for (guint i = 0; i < sums->n_few; i++) {
        g->workers[sums->few[i]] = NOBODY;
        for (guint at = i > 0 ? sums->few_ends[i - 1] : 0; at < sums->few_ends[i]; at++) {
            const guint32 row = sums->few_rows[at], place = sums->few[i];
            if (!is_counted(g->summary, row))
                continue;
            if (!g->costs[place])
                g->costs[place] =
                    pm_blocker_cost_new(pm_wait_blocker(w, row), pm_wait_kind(w, row));
            add_wait(g->costs[place], view, row);
        }
    }
}

/* Which waits' causes are looked at, of those. */
static void pick_sums(Gathering *g)
{
    const PmRangeSums *sums = g->summary->metrics->sums;
    const PmView *view = g->summary->metrics->view;
    g_autofree gint64 *steps = g_new0(gint64, MAX(sums->n_keys, 1));
    g_autofree gint64 *passed = g_new0(gint64, MAX(sums->n_keys, 1));
    g_autoptr(GArray) parts = g_array_new(FALSE, FALSE, sizeof(PmPart));
    for (guint k = 0; k < sums->n_keys; k++) {
        const gsize place = place_of(sums->blockers[k], sums->kinds[k]);
        if (g->workers[place] != NOBODY || !g->costs[place])
            continue;
        steps[k] = g->costs[place]->step;
        passed[k] = g->costs[place]->passed;
    }
    g->picks = pm_range_sums_pick(sums, steps, passed, g->cancel);
    for (guint i = 0; i < sums->n_few; i++) {
        PmBlockerCost *cost = g->costs[sums->few[i]];
        for (guint at = i > 0 ? sums->few_ends[i - 1] : 0; cost && at < sums->few_ends[i]; at++)
            if (is_counted(g->summary, sums->few_rows[at]))
                split_wait(cost, view, sums->few_rows[at], g->contention, parts);
    }
}

GHashTable *pm_blocker_costs_gather(const PmSummary *summary, const PmContention *contention,
                                    const gint *cancel)
{
    const PmMetrics *metrics = summary->metrics;
    const gsize n_places = place_of(metrics->view->recording->n_blockers, 0);
    g_autoptr(GHashTable) costs =
        g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, free_cost);
    g_autofree guint8 *workers = g_new0(guint8, MAX(n_places, 1));
    g_autofree PmBlockerCost **of_place = g_new0(PmBlockerCost *, MAX(n_places, 1));
    Gathering g = {.summary = summary,
                   .contention = contention,
                   .cancel = cancel,
                   .n_workers = metrics->view->n < MANY_WAITS
                                    ? 1
                                    : CLAMP(g_get_num_processors(), 1, MOST_WORKERS),
                   .workers = workers,
                   .costs = of_place,
                   .rest = TRUE};
    share_out(&g);
    if (metrics->sums)
        gather_sums(&g);
    pm_workers_run(g.n_workers, g.n_workers, gather, &g);
    for (guint i = 0; i < metrics->n; i++) {
        PmBlockerCost *cost = of_place[place_of(metrics->rows[i].blocker, metrics->rows[i].kind)];
        if (!cost)
            continue;
        cost->category = metrics->rows[i].category;
        g_hash_table_insert(costs, key_new(key_of(cost->blocker, cost->kind)), cost);
    }
    if (!pm_cancelled(g.cancel)) {
        choose_steps(costs, metrics->view);
        if (metrics->sums)
            pick_sums(&g);
        pm_workers_run(g.n_workers, g.n_workers, split, &g);
        for (gsize i = 0; i < metrics->n; i++)
            if (of_place[place_of(metrics->rows[i].blocker, metrics->rows[i].kind)])
                join_sides(of_place[place_of(metrics->rows[i].blocker, metrics->rows[i].kind)]);
    }
    if (g.picks)
        g_array_unref(g.picks);
    return pm_cancelled(g.cancel) ? NULL : g_steal_pointer(&costs);
}

PmBlockerCost *pm_blocker_costs_find(GHashTable *costs, guint32 blocker, guint8 kind)
{
    guint64 key = key_of(blocker, kind);
    return g_hash_table_lookup(costs, &key);
}

guint32 pm_blocker_cost_chain(const PmBlockerCost *cost)
{
    gint64 time;
    return pm_totals_most(&cost->chains, &time);
}

static int cause_compare(const void *left, const void *right)
{
    const PmFindingCause *a = left, *b = right;
    if (a->order != b->order)
        return a->order > b->order ? -1 : 1;
    return strcmp(a->text, b->text);
}

/* What is known of how long something is kept at a time. */
typedef struct {
    double kept; /* as in PmCulprit */
    gint64 time; /* of which it is known */
} Kept;

/* May it be told first? */
static gboolean is_worth(const PmFindingCause *cause, double most)
{
    return cause->share >= MIN_FIRST * most;
}

/* Of those that keep elements of a pool, who keeps them longest at a time is told first; not of
 * those that are seldom waited for because of a pool, nor one with a small part of the waiting. The
 * others follow by share. */
static void find_order(PmFindingCause *causes, const Kept *kept, const gint64 *times, guint n)
{
    Kept all = {0};
    for (guint i = 0; i < n; i++)
        if (pm_product(kept[i].time, 2) >= times[i]) {
            all.kept += kept[i].kept;
            pm_sum_add(&all.time, times[i]);
        }
    for (guint i = 0; i < n; i++)
        causes[i].order =
            kept[i].kept > 0 && pm_product(kept[i].time, 2) >= times[i]
                ? causes[i].share * kept[i].kept / (double)times[i] * (double)all.time / all.kept
                : causes[i].share;
    double most = 0; /* of those that have a name */
    for (guint i = 0; i < n; i++)
        most = MAX(most, causes[i].culprit ? causes[i].share : 0);
    guint first = 0;
    for (guint i = 1; i < n; i++)
        if (!is_worth(&causes[first], most) ||
            (is_worth(&causes[i], most) && cause_compare(&causes[i], &causes[first]) < 0))
            first = i;
    for (guint i = 0; i < n; i++)
        causes[i].order = i == first ? 1 + causes[i].order : causes[i].share;
}

static gboolean has_own_code(const PmRecording *r, const PmCulprit *culprit)
{
    return culprit->cause.chain && culprit->cause.thread &&
           pm_own_frame(pm_own_code(r), culprit->cause.chain) >= 0;
}

/* Is `unseen` a cause that tells nothing, and `like` one that tells what was behind the like of it?
 * Of threads that ended without having been looked at nothing is known but that they were: others
 * of their group did the like. Who gave up waiting for an element of a pool waited for those who
 * had the elements, as did those who got one; who gave up waiting for a result, for those who
 * brought it to others; and who still waits as the view ends, for what others got. */
static gboolean is_like(const PmRecording *r, PmCategory category, const PmCulprit *unseen,
                        const PmCulprit *like)
{
    if (unseen->cause.kind == PM_CAUSE_TIME_OUT && like->cause.kind == PM_CAUSE_ARRIVAL)
        return pm_category_family(category) == PM_FAMILY_JOIN &&
               pm_product(like->time, MAX_UNSEEN) >= unseen->time;
    if (!has_own_code(r, like))
        return FALSE;
    if (unseen->cause.kind == PM_CAUSE_STILL_WAITING)
        return TRUE;
    if (unseen->cause.kind == PM_CAUSE_TIME_OUT)
        return pm_category_family(category) == PM_FAMILY_RESOURCE ||
               (pm_category_family(category) == PM_FAMILY_JOIN &&
                like->cause.kind == PM_CAUSE_WAKER);
    return unseen->cause.thread && !unseen->cause.chain && like->cause.group == unseen->cause.group;
}

/* So much may be taken for what is like it, of which `seen` was seen: of waits that still go on
 * only if others lasted longer. */
static gint64 most_like(const PmBlockerCost *cost, PmCategory category, const PmCulprit *unseen,
                        gint64 seen)
{
    if (unseen->cause.kind == PM_CAUSE_STILL_WAITING)
        return unseen->longest < cost->longest ? seen / MIN_ENDED : 0;
    return unseen->cause.kind == PM_CAUSE_TIME_OUT && pm_category_family(category) == PM_FAMILY_JOIN
               ? G_MAXINT64
               : pm_product(seen, MAX_UNSEEN);
}

/* What tells nothing is taken for what is like it, if enough of that was seen. */
static void spread_unseen(const PmBlockerCost *cost, const PmRecording *r, PmCategory category,
                          GArray *culprits)
{
    for (guint i = 0; i < culprits->len;) {
        const PmCulprit unseen = g_array_index(culprits, PmCulprit, i);
        gint64 seen = 0;
        for (guint k = 0; k < culprits->len; k++)
            if (is_like(r, category, &unseen, &g_array_index(culprits, PmCulprit, k)))
                pm_sum_add(&seen, g_array_index(culprits, PmCulprit, k).time);
        if (seen == 0 || most_like(cost, category, &unseen, seen) < unseen.time) {
            i++;
            continue;
        }
        for (guint k = 0; k < culprits->len; k++) {
            PmCulprit *like = &g_array_index(culprits, PmCulprit, k);
            if (!is_like(r, category, &unseen, like))
                continue;
            gint64 more = pm_rounded((double)unseen.time * (double)like->time / (double)seen);
            const double grown = 1 + (double)more / (double)MAX(like->time, 1);
            like->kept *= grown;
            like->kept_time = pm_rounded((double)like->kept_time * grown);
            pm_sum_add(&like->time, more);
            pm_sum_add(&like->inferred_time, more);
        }
        g_array_remove_index(culprits, i);
    }
}

static int culprit_compare(const void *left, const void *right)
{
    const PmCulprit *a = left, *b = right;
    if (a->time != b->time)
        return a->time > b->time ? -1 : 1;
    return (a->cause.chain > b->cause.chain) - (a->cause.chain < b->cause.chain);
}

/* Of some waits only the causes were asked. */
static double margin_of_estimate(const PmBlockerCost *cost, double share)
{
    return pm_blocker_cost_is_estimated(cost) ? pm_margin_of(share, (double)cost->n_split) : 0;
}

/* Who passed on more than half of what came from outside or by the clock. */
static void tell_brought(const PmBlockerCost *cost, const PmRecording *r, gint64 arriving,
                         PmFindingCause *cause)
{
    gint64 time;
    const guint32 method = pm_totals_most(&cost->brought, &time);
    if (!method || pm_product(time, 2) <= arriving)
        return;
    g_autofree char *pseudo = cause->text;
    g_autofree char *through = pm_label_method(r, method);
    cause->brought = method;
    cause->text = g_strdup_printf("%s through %s", pseudo, through);
}

/* One piece of code is told with the caller that has most of it: if that is less than half, so. */
static void tell_callers(PmFindingCause *cause, double share)
{
    g_autofree char *text = cause->text;
    cause->text = g_strdup_printf("%s, %.0f %% of it from there, the rest from other callers", text,
                                  100 * share);
}

PmFindingCause *pm_blocker_cost_causes(const PmBlockerCost *cost, const PmView *view,
                                       PmCategory category, guint *ret_n)
{
    const PmRecording *r = view->recording;
    g_autoptr(GArray) all = g_array_new(FALSE, TRUE, sizeof(PmCulprit));
    GHashTableIter iter;
    gpointer value;
    const gboolean any = causes_init(&iter, cost);
    while (any && g_hash_table_iter_next(&iter, NULL, &value)) {
        const CauseSum *sum = value;
        PmCulprit culprit = {.cause = sum->cause,
                             .time = sum->time,
                             .inferred_time = sum->inferred_time,
                             .longest = sum->longest,
                             .kept = sum->kept,
                             .kept_time = sum->kept_time};
        g_array_append_val(all, culprit);
    }
    spread_unseen(cost, r, category, all);
    g_array_sort(all, culprit_compare);
    pm_culprits_find(r, &cost->chains, &cost->givers, all);
    PmFindingCause *causes = g_new0(PmFindingCause, MAX(all->len, 1));
    g_autofree gint64 *inferred = g_new0(gint64, MAX(all->len, 1));
    g_autofree gint64 *times = g_new0(gint64, MAX(all->len, 1));
    g_autofree Kept *kept = g_new0(Kept, MAX(all->len, 1));
    g_autofree guint *of = g_new0(guint, MAX(all->len, 1));
    g_autofree guint32 *callers = g_new0(guint32, MAX(all->len, 1));
    g_autofree gint64 *as_told = g_new0(gint64, MAX(all->len, 1)); /* by the caller in the text */
    guint n = 0;
    for (guint i = 0; i < all->len; i++) {
        const PmCulprit *culprit = &g_array_index(all, PmCulprit, i);
        g_autofree char *text = pm_culprit_text(r, culprit);
        /* One piece of code is one cause, whoever calls it and however it was seen. */
        guint same = 0;
        while (same < n && !(culprit->method && culprit->method == causes[same].method) &&
               strcmp(causes[same].text, text) != 0)
            same++;
        if (same == n) {
            causes[n] = culprit->cause;
            causes[n].text = g_steal_pointer(&text);
            causes[n].culprit = pm_culprit_name(r, culprit);
            causes[n].method = culprit->method;
            callers[n] = pm_culprit_caller(r, culprit);
            causes[n++].taker = pm_culprit_taker(r, culprit);
        }
        of[i] = same;
        causes[same].group = common_group(causes[same].group, culprit->cause.group);
        pm_sum_add(&times[same], culprit->time);
        if (pm_culprit_caller(r, culprit) == callers[same])
            pm_sum_add(&as_told[same], culprit->time);
        /* Of what was taken, and seen no more, it is not known for how long. */
        if (!pm_totals_find(&cost->chains, culprit->cause.chain)) {
            kept[same].kept += culprit->kept;
            pm_sum_add(&kept[same].time, culprit->kept_time);
        }
        pm_sum_add(&inferred[same], culprit->inferred_time);
    }
    pm_margins_find(view, all, of, cost->charged, causes, n);
    for (guint i = 0; i < n; i++) {
        causes[i].share = cost->charged > 0 ? (double)times[i] / (double)cost->charged : 0;
        causes[i].inferred =
            pm_blocker_cost_is_estimated(cost) || pm_product(inferred[i], 2) > times[i];
        causes[i].margin = hypot(causes[i].margin, margin_of_estimate(cost, causes[i].share));
        if (callers[i] && pm_product(as_told[i], 2) < times[i])
            tell_callers(&causes[i], (double)as_told[i] / (double)times[i]);
        if (causes[i].kind == PM_CAUSE_ARRIVAL)
            tell_brought(cost, r, times[i], &causes[i]);
    }
    find_order(causes, kept, times, n);
    qsort(causes, n, sizeof *causes, cause_compare);
    *ret_n = n;
    return causes;
}

PmVictim *pm_blocker_cost_victims(const PmBlockerCost *cost, const PmSummary *summary, guint *ret_n)
{
    const PmRecording *r = summary->metrics->view->recording;
    g_auto(PmTotals) groups = pm_blocker_cost_groups(cost, r);
    g_auto(PmTotals) threads = {0};
    PmVictim *victims = g_new0(PmVictim, MAX(groups.n, 1));
    for (guint32 i = 0; i < cost->threads.n; i++)
        ++*pm_totals_at(&threads, r->threads[cost->threads.items[i].key].group);
    for (guint32 i = 0; i < groups.n; i++)
        victims[i] =
            (PmVictim){.group = groups.items[i].key,
                       .n_threads = (guint32)*pm_totals_find(&threads, groups.items[i].key),
                       .thread_time = groups.items[i].total,
                       .busy_share = NAN};
    for (guint i = 0; i < summary->n_groups; i++)
        for (guint32 k = 0; k < groups.n && summary->groups[i].busy > 0; k++)
            if (victims[k].group == summary->groups[i].group)
                victims[k].busy_share =
                    (double)victims[k].thread_time / (double)summary->groups[i].busy;
    pm_finding_sort_victims(victims, groups.n);
    *ret_n = groups.n;
    return victims;
}

/* Who brings no result is to blame, unless nearly all give up by a timeout of their own: then that
 * may be what is waited for; and as far as results are not what comes from outside or by the clock.
 * An element of a pool is always what is wanted. */
static gint64 blamed_of(const PmBlockerCost *cost)
{
    const gboolean of_results =
        cost->n_blockers > 1 && pm_category_family(cost->category) == PM_FAMILY_JOIN;
    if (cost->category == PM_CATEGORY_RESOURCE)
        return pm_sum(cost->blamed, cost->given_up);
    if (!of_results || is_polled(cost))
        return cost->blamed;
    const gint64 arriving = pm_blocker_cost_arriving(cost), ended = pm_sum(cost->blamed, arriving);
    const gboolean arrives = arriving > 0 && pm_product(arriving, MAX_UNSEEN) >= cost->given_up;
    return pm_sum(cost->blamed, arrives ? pm_rounded((double)cost->given_up * (double)cost->blamed /
                                                     (double)ended)
                                        : cost->given_up);
}

double pm_blocker_cost_busy_share(const PmBlockerCost *cost, const PmSummary *summary)
{
    g_auto(PmTotals) groups = pm_blocker_cost_groups(cost, summary->metrics->view->recording);
    double biggest = 0;
    for (guint i = 0; i < summary->n_groups; i++) {
        const PmGroupTime *group = &summary->groups[i];
        const gint64 *time = pm_totals_find(&groups, group->group);
        if (time && group->busy > 0)
            biggest = MAX(biggest, (double)*time / (double)group->busy);
    }
    return cost->charged > 0 ? biggest * (double)blamed_of(cost) / (double)cost->charged : 0;
}

gint64 pm_blocker_cost_arriving(const PmBlockerCost *cost)
{
    GHashTableIter iter;
    gpointer value;
    gint64 time = 0;
    const gboolean any = causes_init(&iter, cost);
    while (any && g_hash_table_iter_next(&iter, NULL, &value))
        if (((const CauseSum *)value)->cause.kind == PM_CAUSE_ARRIVAL)
            pm_sum_add(&time, ((const CauseSum *)value)->time);
    return time;
}

gint64 pm_blocker_cost_blamed(const PmBlockerCost *cost)
{
    const gint64 blamed = blamed_of(cost);
    if (!pm_blocker_cost_is_estimated(cost) || cost->charged <= 0)
        return blamed;
    return pm_rounded((double)cost->thread_time *
                      ((double)blamed / ((double)cost->charged + (double)cost->left_out)));
}

gboolean pm_blocker_cost_is_estimated(const PmBlockerCost *cost)
{
    return cost->n_split < cost->n_lasting;
}

gboolean pm_blocker_cost_is_signal(const PmBlockerCost *cost, const PmRecording *r)
{
    g_auto(PmTotals) groups = pm_blocker_cost_groups(cost, r);
    GHashTableIter iter;
    gpointer value;
    gboolean is_released = FALSE;
    const gboolean any = causes_init(&iter, cost);
    while (any && g_hash_table_iter_next(&iter, NULL, &value)) {
        const PmFindingCause *cause = &((const CauseSum *)value)->cause;
        if (cause->kind == PM_CAUSE_WAKER &&
            pm_totals_find(&groups, r->threads[cause->thread].group))
            return FALSE;
        is_released |= cause->kind == PM_CAUSE_WAKER || cause->kind == PM_CAUSE_ARRIVAL;
    }
    return is_released;
}
