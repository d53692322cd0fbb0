#include "viewer/analysis/slices/metrics.h"

#include <math.h>

#include "tests/analysis/made.h"
#include "viewer/analysis/aggregation/thread-time.h"
#include "viewer/analysis/aggregation/tree-slices.h"
#include "viewer/analysis/aggregation/tree.h"
#include "viewer/analysis/findings/findings.h"
#include "viewer/analysis/evidence/blocker-cost.h"
#include "viewer/analysis/evidence/operation.h"

#define N_BLOCKERS 60
#define DURATION   200000

/* Many waits of few blockers and few of many; times when waits are short and times when they are
 * long; some that last from one slice to others, some of no length, several at one instant. */
static PmRecording *random_recording(guint32 seed, guint n_threads, guint n_waits)
{
    GRand *rand = g_rand_new_with_seed(seed);
    PmMade m = pm_made_begin();
    guint32 blockers[N_BLOCKERS];
    const guint32 chains[] = {m.lock_chain, m.other_chain, m.idle_chain};
    g_autofree guint32 *threads = g_new(guint32, n_threads);
    for (guint t = 0; t < n_threads; t++)
        threads[t] = pm_made_thread(&m, "%s-%u", t % 3 == 0 ? "http" : "pool", t);
    for (guint b = 0; b < N_BLOCKERS; b++)
        blockers[b] = pm_made_blocker(&m, b % 2 ? m.queue_class : m.lock_class, b + 1, 0);
    for (guint t = 0; t < n_threads; t++) {
        gint64 at = g_rand_int_range(rand, -200, 200);
        const double mean = (double)DURATION * n_threads / n_waits;
        for (guint i = 0; i < 2 * n_waits / n_threads && at < DURATION; i++) {
            const double u = g_rand_double(rand);
            const guint b = (guint)(N_BLOCKERS * u * u * u * u * u);
            const gboolean calm = at / 20000 % 4 != seed % 4;
            gint64 length = (gint64)(g_rand_double(rand) * (calm ? 1 : 4) * mean / 2);
            if (g_rand_int_range(rand, 0, 10) == 0)
                length = 0;
            if (g_rand_int_range(rand, 0, 300) == 0)
                length = g_rand_int_range(rand, 0, DURATION / 3);
            const gboolean open = at + length >= DURATION;
            PmWaitRow row = {
                .begin = at,
                .end = open ? DURATION : at + length,
                .thread = threads[t],
                .blocker = blockers[b],
                .chain = chains[g_rand_int_range(rand, 0, (seed % 2) + 2)],
                .owner = b % 2 ? 0 : threads[g_rand_int_range(rand, 0, (gint)n_threads)],
                .waker = open ? 0 : threads[g_rand_int_range(rand, 0, (gint)n_threads)],
                .waker_chain = open ? 0 : chains[g_rand_int_range(rand, 0, 3)],
                .kind = (guint8)(g_rand_int_range(rand, 0, 8) == 0 ? PM_KIND_ENTER : PM_KIND_PARK),
                .wake_cause = (guint8)g_rand_int_range(rand, 0, PM_N_WAKE_CAUSES),
                .flags = open ? PM_WAIT_IN_PROGRESS
                         : g_rand_int_range(rand, 0, 9) == 0
                             ? PM_WAIT_AFTER_WAIT
                             : (g_rand_int_range(rand, 0, 50) == 0 ? PM_WAIT_BEGIN_UNKNOWN : 0)};
            row.wake = row.waker ? row.end : 0;
            pm_assembly_add_wait(m.assembly, &row);
            at += length + g_rand_int_range(rand, 0, 2) * (gint64)(mean / 2);
            if (seed % 4 == 3 && g_rand_int_range(rand, 0, 20) == 0)
                at -= length / 2; /* whatever a file says */
        }
    }
    pm_assembly_add_thread(m.assembly, &(PmThread){.tid = 1000,
                                                   .name = "seen-once",
                                                   .begin = DURATION / 2,
                                                   .begin_known = TRUE,
                                                   .end = DURATION / 2,
                                                   .ended = TRUE});
    m.assembly->duration = DURATION;
    m.assembly->window_begin = seed % 3 == 0 ? 5000 : 0;
    g_rand_free(rand);
    return pm_assembly_finish(m.assembly);
}

static void equal_metrics(const PmMetrics *a, const PmMetrics *b)
{
    g_assert_cmpuint(a->n, ==, b->n);
    for (gsize i = 0; i < a->n; i++) {
        const PmMetricsRow *x = &a->rows[i], *y = &b->rows[i];
        g_assert_cmpuint(x->blocker, ==, y->blocker);
        g_assert_cmpuint(x->kind, ==, y->kind);
        g_assert_cmpuint(x->category, ==, y->category);
        g_assert_cmpint(x->times_parked, ==, y->times_parked);
        g_assert_cmpint(x->touched, ==, y->touched);
        g_assert_cmpuint(x->parked_now, ==, y->parked_now);
        g_assert_cmpuint(x->peak_parked, ==, y->peak_parked);
        g_assert_cmpint(x->thread_time, ==, y->thread_time);
        g_assert_cmpint(x->real_time, ==, y->real_time);
        g_assert_cmpint(x->longest, ==, y->longest);
        g_assert_cmpint(x->p99, ==, y->p99);
        g_assert_cmpint(x->after_wait, ==, y->after_wait);
        g_assert_cmpuint(x->owner, ==, y->owner);
        g_assert_cmpuint(x->first_thread, ==, y->first_thread);
        g_assert_cmpuint(x->first_chain, ==, y->first_chain);
        g_assert_cmpmem(x, sizeof *x, y, sizeof *y); /* and what is made of these */
    }
}

/* Of the same range from the rows alone. */
static PmMetrics *metrics_of_rows(const PmView *view)
{
    const gsize rows_each = pm_slices_rows_each;
    pm_slices_rows_each = 1 << 20;
    g_autoptr(PmView) same = pm_view_new(view->recording, view->filter, NULL);
    PmMetrics *metrics = pm_metrics_new(same, NULL);
    g_assert_null(metrics->sums);
    pm_slices_rows_each = rows_each;
    return metrics;
}

static void equal_nodes(const PmTreeNode *a, const PmTreeNode *b)
{
    g_assert_cmpuint(a->key, ==, b->key);
    g_assert_cmpint(a->count, ==, b->count);
    g_assert_cmpint(a->thread_time, ==, b->thread_time);
    g_assert_cmpint(a->longest, ==, b->longest);
    g_assert_cmpuint(a->category, ==, b->category);
    g_assert_cmpint(a->pseudo, ==, b->pseudo);
    g_assert_cmpuint(a->n_children, ==, b->n_children);
    for (guint i = 0; i < a->n_children; i++)
        equal_nodes(a->children[i], b->children[i]);
}

/* Trees of few leaves, of many, and of keys that a column does not tell. */
static void check_trees(PmView *view)
{
    static const PmAspect paths[][3] = {
        {PM_ASPECT_CLASS, PM_ASPECT_BLOCKER, PM_ASPECT_SITE},
        {PM_ASPECT_WAKER, PM_ASPECT_CATEGORY, PM_ASPECT_KIND},
        {PM_ASPECT_THREAD, PM_ASPECT_BLOCKER, PM_ASPECT_WAKE_CAUSE},
    };
    const gsize rows_each = pm_slices_rows_each;
    pm_slices_rows_each = 1 << 20;
    g_autoptr(PmView) same = pm_view_new(view->recording, view->filter, NULL);
    for (guint i = 0; i < G_N_ELEMENTS(paths); i++) {
        g_autoptr(PmTree) rows = pm_tree_new(same, paths[i], 3, NULL);
        pm_slices_rows_each = rows_each;
        g_autoptr(PmTree) slices = pm_tree_new(view, paths[i], 3, NULL);
        pm_slices_rows_each = 1 << 20;
        equal_nodes(slices->root, rows->root);
    }
    pm_slices_rows_each = rows_each;
}

/* What cannot be read: places apart from each other. */
static void lose_some(PmRecording *r, GRand *rand)
{
    enum { PLACES = 6 };
    PmDamage *damage = g_new0(PmDamage, PLACES);

    for (guint i = 0; i < PLACES; i++) {
        damage[i].begin = DURATION / PLACES * i + g_rand_int_range(rand, 0, DURATION / 20);
        damage[i].end = damage[i].begin + g_rand_int_range(rand, 0, DURATION / 10);
    }
    g_free((gpointer)r->damage);
    r->damage = damage;
    r->n_damage = PLACES;
}

static gint64 lost_within(const PmRecording *r, gint64 from, gint64 to)
{
    gint64 lost = 0;

    for (guint32 i = 0; i < r->n_damage; i++)
        lost += MAX(MIN(r->damage[i].end, to) - MAX(r->damage[i].begin, from), 0);
    return lost;
}

/* The view has the rows that its filter lets through, in order, and no other. */
static void check_rows(const PmView *view)
{
    const PmRecording *r = view->recording;
    g_autofree guint8 *waited = g_new0(guint8, r->n_threads);
    guint idle_threads = 0;
    const PmWaits *w = &r->waits;
    const GArray *chips = view->filter->chips;
    const PmChip *chip = chips->len > 0 ? &g_array_index(chips, PmChip, 0) : NULL;
    if (chip && chip->aspect != PM_ASPECT_GROUP)
        return;
    gsize n = 0, n_idle = 0;
    gint64 time = 0, idle_time = 0, unknown = 0, rest = view->to - view->from;
    for (guint32 i = 0; i < w->n; i++) {
        const gint64 begin = pm_wait_begin(w, i), end = pm_wait_end(w, i);
        const char *name = r->groups[r->threads[pm_wait_thread(w, i)].group].name;
        const gboolean touches =
            begin >= view->from || end > view->from || (pm_wait_flags(w, i) & PM_WAIT_IN_PROGRESS);
        const gboolean before = begin < view->to || view->to == r->duration;
        if (!touches || !before ||
            (chip && g_str_has_prefix(name, "http-") == (chip->exclude != 0)))
            continue;
        const gint64 its = MAX(MIN(end, view->to) - MAX(begin, view->from), 0);
        if (!view->filter->idle && pm_category_is_idle(pm_wait_category(w, i))) {
            n_idle++;
            idle_time += its;
            waited[pm_wait_thread(w, i)] |= 1;
            continue;
        }
        waited[pm_wait_thread(w, i)] |= 2;
        g_assert_cmpuint(n, <, view->n);
        g_assert_cmpuint(pm_view_row(view, n++), ==, i);
        time += its;
        unknown += lost_within(r, MAX(begin, view->from), MIN(end, view->to));
    }
    g_assert_cmpuint(view->n, ==, n);
    g_assert_cmpuint(view->idle_waits, ==, n_idle);
    g_assert_cmpint(view->thread_time, ==, time);
    g_assert_cmpint(view->idle_time, ==, idle_time);
    rest -= lost_within(r, view->from, view->to);
    /* of both nobody knows more than this */
    const double mean = rest ? (double)(time - unknown) / (double)rest : 0;
    const double least = (double)time / (double)(view->to - view->from);
    g_assert_cmpint(view->known, <=, view->to - view->from);
    g_assert_cmpint(view->known, >=, rest);
    if (view->known)
        g_assert_cmpfloat_with_epsilon((double)time / (double)view->known, MAX(mean, least),
                                       MAX(mean, least) / (double)view->known + 1e-9);
    for (guint32 i = 0; i < r->n_threads; i++)
        idle_threads += waited[i] == 1;
    g_assert_cmpuint(view->idle_threads, ==, idle_threads);
}

/* Were they made of sums? */
static gboolean check_view(PmView *view)
{
    g_autoptr(PmMetrics) sums = pm_metrics_new(view, NULL);
    g_autoptr(PmMetrics) rows = metrics_of_rows(view);
    equal_metrics(sums, rows);
    check_trees(view);
    check_rows(view);
    return sums->sums != NULL;
}

static int compare_text(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* All that a cost knows, as text. */
static char *cost_text(const PmBlockerCost *c, const PmSummary *summary, guint8 category)
{
    GString *text = g_string_new(NULL);
    g_string_append_printf(text,
                           "waits %ld time %ld longest %ld timeouts %ld open %ld covered %ld "
                           "handoff %ld lasting %ld split %ld charged %ld blamed %ld up %ld",
                           (long)c->waits, (long)c->thread_time, (long)c->longest,
                           (long)c->time_outs, (long)c->open_time, (long)c->covered,
                           (long)c->hand_over, (long)c->n_lasting, (long)c->n_split,
                           (long)c->charged, (long)c->blamed, (long)c->given_up);
    guint n;
    PmFindingCause *causes = pm_blocker_cost_causes(c, summary->metrics->view, category, &n);
    for (guint i = 0; i < n; i++)
        g_string_append_printf(text, "\n%s %.17g", causes[i].text, causes[i].share);
    for (guint i = 0; i < n; i++) {
        g_free(causes[i].text);
        g_free(causes[i].culprit);
    }
    g_free(causes);
    PmVictim *victims = pm_blocker_cost_victims(c, summary, &n);
    for (guint i = 0; i < n; i++)
        g_string_append_printf(text, "\nvictim %u %u %ld", victims[i].group, victims[i].n_threads,
                               (long)victims[i].thread_time);
    g_free(victims);
    g_autoptr(GPtrArray) more = g_ptr_array_new_with_free_func(g_free);
    const struct {
        const char *name;
        const PmTotals *totals;
    } tables[] = {{"chain", &c->chains}, {"giver", &c->givers}, {"thread", &c->threads}};
    for (guint i = 0; i < G_N_ELEMENTS(tables); i++)
        for (guint32 k = 0; k < tables[i].totals->n; k++)
            g_ptr_array_add(more, g_strdup_printf("%s %u %ld", tables[i].name,
                                                  tables[i].totals->items[k].key,
                                                  (long)tables[i].totals->items[k].total));
    g_ptr_array_sort(more, compare_text);
    for (guint i = 0; i < more->len; i++)
        g_string_append_printf(text, "\n%s", (char *)g_ptr_array_index(more, i));
    return g_string_free(text, FALSE);
}

/* The summary's metrics are replaced. */
static PmSummary *summary_with(PmView *view, PmMetrics *metrics)
{
    PmSummary *summary = pm_summary_new(view, view->to, NULL);
    pm_metrics_free(summary->metrics);
    summary->metrics = metrics;
    return summary;
}

/* What findings are made of, and they: the same from sums and from rows. Of how many were causes
 * estimated? */
static guint check_costs(PmView *view)
{
    guint n_estimated = 0;
    g_autoptr(PmSummary) a = summary_with(view, pm_metrics_new(view, NULL));
    g_autoptr(PmSummary) b = summary_with(view, metrics_of_rows(view));
    const PmContention *contention = pm_recording_contention(view->recording, NULL);
    g_autoptr(GHashTable) of_sums = pm_blocker_costs_gather(a, contention, NULL);
    g_autoptr(GHashTable) of_rows = pm_blocker_costs_gather(b, contention, NULL);
    g_assert_cmpuint(g_hash_table_size(of_sums), ==, g_hash_table_size(of_rows));
    for (gsize i = 0; i < b->metrics->n; i++) {
        const PmMetricsRow *row = &b->metrics->rows[i];
        const PmBlockerCost *x = pm_blocker_costs_find(of_sums, row->blocker, row->kind);
        const PmBlockerCost *y = pm_blocker_costs_find(of_rows, row->blocker, row->kind);
        g_assert_cmpint(x != NULL, ==, y != NULL);
        if (!x)
            continue;
        n_estimated += pm_blocker_cost_is_estimated(x);
        g_autofree char *of_x = cost_text(x, a, row->category);
        g_autofree char *of_y = cost_text(y, b, row->category);
        g_assert_cmpstr(of_x, ==, of_y);
    }
    g_autoptr(PmFindings) found = pm_findings_new(a, contention, NULL);
    g_autoptr(PmFindings) expected = pm_findings_new(b, contention, NULL);
    g_assert_cmpstr(found->verdict.sentence, ==, expected->verdict.sentence);
    g_assert_cmpuint(found->n, ==, expected->n);
    for (guint i = 0; i < found->n; i++)
        g_assert_cmpstr(found->findings[i].title, ==, expected->findings[i].title);
    return n_estimated;
}

/* From, to: somewhere, or where a wait begins or ends, or an end of the whole. */
static gint64 random_instant(GRand *rand, const PmRecording *r)
{
    const guint32 row = (guint32)g_rand_int_range(rand, 0, (gint)r->waits.n);
    switch (g_rand_int_range(rand, 0, 5)) {
    case 0:
        return pm_wait_begin(&r->waits, row);
    case 1:
        return pm_wait_end(&r->waits, row);
    case 2:
        return g_rand_boolean(rand) ? r->window_begin : r->duration;
    default:
        return g_rand_int_range(rand, 0, DURATION);
    }
}

static void random_filter(GRand *rand, PmFilter *filter)
{
    filter->idle = g_rand_boolean(rand);
    if (g_rand_int_range(rand, 0, 3) == 0)
        pm_filter_add_chip(filter, PM_ASPECT_GROUP, "http-*", g_rand_boolean(rand));
    else if (g_rand_int_range(rand, 0, 4) == 0) /* waits pass or not according to the range */
        pm_filter_add_chip(filter, PM_ASPECT_CAUSE, "http-1*", FALSE);
}

static void ranges_equal_rows(void)
{
    guint n = 0, n_estimated = 0;

    for (guint32 seed = 1; seed <= 12; seed++) {
        GRand *rand = g_rand_new_with_seed(seed);
        g_autoptr(PmRecording) r =
            random_recording(seed, seed % 2 ? 5 : 40, seed % 5 == 0 ? 60000 : 12000);
        if (seed % 4)
            lose_some(r, rand);
        pm_slices_rows_each = (gsize)g_rand_int_range(rand, 20, 1500);
        pm_view_part_rows = seed % 3 == 0 ? 128 : 64;
        g_autoptr(PmFilter) filter = pm_filter_new();
        random_filter(rand, filter);
        g_autoptr(PmView) whole = pm_view_new(r, filter, NULL);
        n += check_view(whole);
        for (guint i = 0; i < 20; i++) {
            const gint64 a = random_instant(rand, r), b = random_instant(rand, r);
            if (MIN(a, b) >= MAX(a, b))
                continue;
            g_autoptr(PmView) view = pm_view_new_range(whole, MIN(a, b), MAX(a, b), NULL);
            check_view(view);
            if (i % 8 == 1)
                n_estimated += check_costs(view);
        }
        n_estimated += check_costs(whole);
        g_rand_free(rand);
    }
    pm_slices_rows_each = 1 << 20;
    pm_view_part_rows = 1 << 14;
    g_assert_cmpuint(n_estimated, >=, 5);
    g_assert_cmpuint(n, >=, 8); /* of the others too few waits are in the view */
}

static gboolean waits_at(const PmWaits *w, gsize row, gint64 at)
{
    return pm_wait_begin(w, row) <= at &&
           (pm_wait_end(w, row) > at ||
            (pm_wait_end(w, row) == at && pm_wait_flags(w, row) & PM_WAIT_IN_PROGRESS));
}

/* Counts the operation's earlier waits one by one. */
static void check_operation(const PmRecording *r, const PmOperation *operation, gint64 at)
{
    const PmWaits *w = &r->waits;
    const PmContention *contention = pm_recording_contention((PmRecording *)r, NULL);
    g_autoptr(GHashTable) enders = g_hash_table_new(NULL, NULL);
    g_autofree guint *chains = g_new0(guint, r->n_chains);
    guint n = 0, n_ends = 0, n_overtaking = 0, n_rows = 0;
    guint32 giver = 0, giver_thread = 0, best = 0, thread, chain;
    gint64 longest = 0;
    for (guint32 i = 0; i < w->n; i++) {
        if (pm_wait_begin(w, i) > at || pm_operation_key(r, i) != operation->key)
            continue;
        if (waits_at(w, i, at)) {
            if (!(pm_wait_flags(w, i) & PM_WAIT_TIMED))
                g_assert_cmpuint(g_array_index(operation->rows, guint32, n_rows++), ==, i);
            continue;
        }
        n++;
        longest = MAX(longest, pm_wait_length(w, i));
        if (i > g_array_index(operation->rows, guint32, 0)) {
            const PmEarlierWait *earlier =
                &g_array_index(operation->overtaking, PmEarlierWait, n_overtaking++);
            g_assert_cmpint(earlier->begin, ==, pm_wait_begin(w, i));
            g_assert_cmpuint(earlier->blocker, ==, pm_wait_blocker(w, i));
        }
        if (!pm_contention_ender(contention, i, &thread, &chain))
            continue;
        n_ends++;
        const gpointer ender = pm_operation_ender(r, thread);
        g_hash_table_insert(
            enders, ender,
            GUINT_TO_POINTER(GPOINTER_TO_UINT(g_hash_table_lookup(enders, ender)) + 1));
        if (++chains[chain] > best) {
            best = chains[chain];
            giver = chain;
            giver_thread = thread;
        }
    }
    g_assert_cmpuint(operation->rows->len, ==, n_rows);
    g_assert_cmpuint(operation->n_earlier, ==, n);
    g_assert_cmpuint(operation->n_ends, ==, n_ends);
    g_assert_cmpint(operation->longest, ==, longest);
    g_assert_cmpuint(operation->overtaking->len, ==, n_overtaking);
    g_assert_cmpuint(operation->best, ==, best);
    g_assert_cmpuint(operation->giver, ==, giver);
    g_assert_cmpuint(operation->giver_thread, ==, giver_thread);
    g_assert_cmpuint(g_hash_table_size(operation->enders), ==, g_hash_table_size(enders));
    GHashTableIter iter;
    gpointer key, value;
    g_hash_table_iter_init(&iter, enders);
    while (g_hash_table_iter_next(&iter, &key, &value))
        g_assert_true(g_hash_table_lookup(operation->enders, key) == value);
}

/* Whatever was asked for before, and where slices have waits in progress and where not. */
static void operations_are_counted(void)
{
    guint n = 0;

    pm_operations_slice_rows = 300;
    for (guint32 seed = 1; seed <= 8; seed++) {
        GRand *rand = g_rand_new_with_seed(seed);
        g_autoptr(PmRecording) r = random_recording(seed, seed % 2 ? 3 : 20, 6000);
        g_autoptr(PmView) view = pm_made_view(r);
        for (guint i = 0; i < 8; i++) {
            g_autoptr(PmSummary) summary = pm_summary_new(view, random_instant(rand, r), NULL);
            g_autoptr(PmOperations) operations =
                pm_operations_new(summary, pm_recording_contention(r, NULL));
            GHashTableIter iter;
            gpointer operation;
            g_hash_table_iter_init(&iter, operations->by_key);
            for (; g_hash_table_iter_next(&iter, NULL, &operation); n++)
                check_operation(r, operation, operations->at);
        }
        g_rand_free(rand);
    }
    pm_operations_slice_rows = 1 << 18;
    g_assert_cmpuint(n, >, 60);
}

/* The threads of a group are as many as are listed of it, those of an instant too. */
static void assert_as_many_as_listed(PmView *view, const PmGroupTime *groups, guint n)
{
    g_autoptr(PmThreadTimes) times = pm_thread_times_new(view, NULL);
    guint n_listed = 0;
    for (guint g = 0; g < times->n_groups; g++)
        n_listed += times->n_of_group[g] > 0;
    g_assert_cmpuint(n, ==, n_listed);
    for (guint i = 0; i < n; i++)
        g_assert_cmpuint(groups[i].n_threads, ==, times->n_of_group[groups[i].group]);
}

/* Whichever ranges were asked for before. */
static void groups_are_summed_up(void)
{
    for (guint32 seed = 1; seed <= 8; seed++) {
        GRand *rand = g_rand_new_with_seed(seed);
        const guint n_threads = seed % 2 ? 3 : 20;
        g_autoptr(PmRecording) r = random_recording(seed, n_threads, 6000);
        g_autoptr(PmRecording) same = random_recording(seed, n_threads, 6000);
        for (guint i = 0; i < 20; i++) {
            g_autoptr(PmFilter) filter = pm_filter_new();
            const gint64 a = random_instant(rand, r), b = random_instant(rand, r);
            filter->from = MIN(a, b);
            filter->to = MAX(a, b);
            g_autoptr(PmView) view = pm_view_new(r, filter, NULL);
            g_autoptr(PmView) of_same = pm_view_new(same, filter, NULL);
            guint n, n_same;
            pm_group_times_slice_rows = 150;
            g_autofree PmGroupTime *groups = pm_group_times_new(view, &n, NULL);
            pm_group_times_slice_rows = 1 << 20;
            g_autofree PmGroupTime *expected = pm_group_times_new(of_same, &n_same, NULL);
            g_assert_cmpmem(groups, n * sizeof *groups, expected, n_same * sizeof *expected);
            assert_as_many_as_listed(view, groups, n);
        }
        g_rand_free(rand);
    }
}

/* Too few waits, or too many blockers with few: then nothing is summed up. */
static void little_is_not_summed_up(void)
{
    g_autoptr(PmRecording) r = random_recording(1, 5, 1000);
    g_autoptr(PmFilter) filter = pm_filter_new();
    g_autoptr(PmView) whole = pm_view_new(r, filter, NULL);
    g_autoptr(PmMetrics) metrics = pm_metrics_new(whole, NULL);
    g_assert_null(metrics->sums);
}

/* Of the whole and of ranges: what is closed has the sums of what is not made, and children as in
 * another tree once it is opened. */
static void check_closed(PmView *whole, const PmAspect *aspects, guint n_aspects)
{
    const guint most_children = pm_tree_slices_most_children;
    guint n_closed = 0;

    pm_tree_slices_most_children = 50;
    for (guint i = 0; i < 6; i++) {
        const gint64 to = i == 0 ? 0 : whole->to - 977 * i;
        pm_slices_rows_each = 4096;
        g_autoptr(PmView) all = pm_view_new(whole->recording, whole->filter, NULL);
        g_autoptr(PmView) view = pm_view_new_range(all, i == 0 ? 0 : 12345 * i, to, NULL);
        g_autoptr(PmTree) tree = pm_tree_new_closed(view, aspects, n_aspects, NULL);
        g_autoptr(PmMetrics) metrics = pm_metrics_new(view, NULL);
        g_autoptr(PmMetrics) metrics_expected = metrics_of_rows(view);
        g_assert_nonnull(metrics->sums);
        equal_metrics(metrics, metrics_expected);
        pm_slices_rows_each = 1 << 20;
        g_autoptr(PmView) same = pm_view_new(view->recording, view->filter, NULL);
        g_autoptr(PmTree) of_rows = pm_tree_new(same, aspects, n_aspects, NULL);
        for (guint k = 0; k < tree->root->n_children; k++) {
            PmTreeNode *node = tree->root->children[k];
            if (!node->is_closed)
                continue;
            g_assert_cmpuint(node->n_children, ==, 0);
            g_assert_cmpint(node->thread_time, ==, of_rows->root->children[k]->thread_time);
            pm_tree_open(tree, node);
            g_assert_cmpuint(node->n_children, >, 50);
            g_assert_true(node->children[0]->parent == node);
            n_closed++;
        }
        equal_nodes(tree->root, of_rows->root);
    }
    g_assert_cmpuint(n_closed, >=, 2);
    pm_tree_slices_most_children = most_children;
}

/* Every 40th wait is for an object of its own: trees of these are kept in slices, too. */
static void objects_waited_for_once_are_summed_up(void)
{
    static const PmAspect aspects[] = {PM_ASPECT_ALIKE, PM_ASPECT_BLOCKER, PM_ASPECT_SITE};
    const PmTreePath path = {aspects, G_N_ELEMENTS(aspects)};
    PmMade m = pm_made_begin();
    const guint32 thread = pm_made_thread(&m, "waiter");
    guint32 lock = pm_made_blocker(&m, m.lock_class, 1, m.lock_chain);
    for (gint64 i = 0; i < 20000; i++) {
        const guint32 once =
            i % 40 == 0 ? pm_made_blocker(&m, m.queue_class, (guint32)i, m.other_chain) : lock;
        const PmWaitRow row = {.begin = i * 10,
                               .end = i * 10 + 1 + i % 9,
                               .thread = thread,
                               .blocker = once,
                               .chain = once == lock ? m.lock_chain : m.other_chain};
        pm_assembly_add_wait(m.assembly, &row);
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmFilter) filter = pm_filter_new();
    pm_slices_rows_each = 4096;
    g_autoptr(PmView) view = pm_view_new(r, filter, NULL);
    PmTreeBuilder builder;
    gsize begin = 0, end = 0;
    pm_tree_builder_init(&builder);
    g_assert_true(pm_tree_slices_add(view, path, FALSE, &builder, &begin, &end, NULL));
    g_assert_cmpuint(builder.nodes->len, ==, 1 + 2 + 2 * 501); /* of each object its site */
    pm_tree_builder_clear(&builder);
    g_autoptr(PmTree) tree = pm_tree_new(view, aspects, 3, NULL);
    pm_slices_rows_each = 1 << 20;
    g_autoptr(PmView) same = pm_view_new(r, filter, NULL);
    g_autoptr(PmTree) of_rows = pm_tree_new(same, aspects, 3, NULL);
    equal_nodes(tree->root, of_rows->root);
    check_closed(view, aspects, 3);
}

/* The first rows of a slice, of which a sample is taken, are longer than all others. */
static void percentiles_are_found_where_a_sample_deceives(void)
{
    PmMade m = pm_made_begin();
    const guint32 thread = pm_made_thread(&m, "waiter");
    const guint32 lock = pm_made_blocker(&m, m.lock_class, 1, m.lock_chain);
    for (gint64 i = 0; i < 20480; i++) {
        const gint64 length = i < 512 ? 100000 + i * 7 % 512 : i * 7919 % 10007;
        const PmWaitRow row = {.begin = i * 200000,
                               .end = i * 200000 + length,
                               .thread = thread,
                               .blocker = lock,
                               .chain = m.lock_chain};
        pm_assembly_add_wait(m.assembly, &row);
    }
    g_autoptr(PmRecording) r = pm_assembly_finish(m.assembly);
    g_autoptr(PmFilter) filter = pm_filter_new();
    pm_slices_rows_each = 2048;
    g_autoptr(PmView) view = pm_view_new(r, filter, NULL);
    g_autoptr(PmMetrics) metrics = pm_metrics_new(view, NULL);
    g_assert_nonnull(metrics->sums);
    g_assert_cmpint(metrics->rows[0].p99, ==, 100000 + 512 - 205); /* the 205th of 20 480 */
    pm_slices_rows_each = 1 << 20;
}

static void may_be_cancelled(void)
{
    const gint yes = 1;
    g_autoptr(PmRecording) r = random_recording(1, 5, 12000);
    g_autoptr(PmFilter) filter = pm_filter_new();
    pm_slices_rows_each = 500;
    g_autoptr(PmView) whole = pm_view_new(r, filter, NULL);
    g_assert_null(pm_metrics_new(whole, &yes));
    g_assert_true(check_view(whole)); /* and asked for again */
    g_assert_null(pm_metrics_new(whole, &yes));
    pm_slices_rows_each = 1 << 20;
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/analysis/slices/ranges-equal-rows", ranges_equal_rows);
    g_test_add_func("/analysis/slices/operations-are-counted", operations_are_counted);
    g_test_add_func("/analysis/slices/groups-are-summed-up", groups_are_summed_up);
    g_test_add_func("/analysis/slices/little-is-not-summed-up", little_is_not_summed_up);
    g_test_add_func("/analysis/slices/objects-waited-for-once-are-summed-up",
                    objects_waited_for_once_are_summed_up);
    g_test_add_func("/analysis/slices/percentiles-are-found-where-a-sample-deceives",
                    percentiles_are_found_where_a_sample_deceives);
    g_test_add_func("/analysis/slices/may-be-cancelled", may_be_cancelled);
    return g_test_run();
}
