#include "viewer/ui/pages/blockers-page.h"

#include <math.h>

#include "viewer/analysis/aggregation/lane.h"
#include "viewer/analysis/aggregation/excerpt-view.h"
#include "viewer/analysis/slices/hold.h"
#include "viewer/analysis/recording/category.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/report/metric.h"
#include "viewer/ui/model/alike.h"
#include "viewer/ui/model/number.h"
#include "viewer/ui/pages/table-page.h"
#include "viewer/ui/charts/lane-cell.h"

#define SPARK_SLICES 48
/* Sparklines of single objects take 1.3 KB each. */
#define MAX_SPARKS 20000
/* So many waits are read within a frame. */
#define QUICK_WAITS 50000

/* ---- the work: in a worker ---- */

struct answer {
    PmAlikeTable *table;
    PmLanes *alike;  /* by key of PM_ASPECT_ALIKE: of the rows at the top */
    PmLanes *sparks; /* by blocker: of those below; NULL = none, or too many */
};

static void answer_free(gpointer data)
{
    struct answer *answer = data;

    if (!answer)
        return;
    pm_alike_table_free(answer->table);
    pm_lanes_free(answer->sparks);
    pm_lanes_free(answer->alike);
    g_free(answer);
}

static PmLanes *lanes_of(const PmView *view, PmLaneOf of, const gint *cancel)
{
    return pm_lanes_new(view, of, -1, view->from, view->to, SPARK_SLICES, cancel);
}

static gpointer work(gpointer question, const gint *cancel)
{
    PmResults *results = question;
    struct answer *answer = g_new0(struct answer, 1);

    answer->table = pm_alike_table_new(results);
    gboolean whole = pm_alike_table_sweep(answer->table, cancel);
    if (whole)
        whole = (answer->alike = lanes_of(results->view, PM_LANE_ALIKE, cancel)) != NULL;
    if (whole && answer->table->n < results->metrics->n &&
        results->view->recording->n_blockers <= MAX_SPARKS)
        whole = (answer->sparks = lanes_of(results->view, PM_LANE_BLOCKER, cancel)) != NULL;
    if (!whole)
        g_clear_pointer(&answer, answer_free);
    return answer;
}

static gpointer question_new(PmState *state)
{
    PmResults *results = pm_state_get_results(state);

    return results ? pm_results_ref(results) : NULL;
}

/* ---- what rows show ---- */

struct rows {
    struct answer *answer; /* at first only its table */
    /* Of each row of the metrics, how long it is held, measured. */
    PmMeasuredHold *holds;
    GHashTable *doubled; /* guint64: those of PM_ASPECT_ALIKE with several kinds of waits */
    gboolean dark;
};

static void rows_clear(gpointer data)
{
    struct rows *rows = data;

    g_free(rows->holds);
    g_hash_table_unref(rows->doubled);
    answer_free(rows->answer);
}

/* With the findings the holds are known, too. */
static PmMeasuredHold measured_hold(const PmResults *results, const PmMetricsRow *row)
{
    if (!results->findings || !row->blocker || row->kind == PM_KIND_WAIT)
        return (PmMeasuredHold){0};
    const PmView *view = pm_view_for_causes(results->view, NULL);
    return pm_hold_measure(pm_recording_contention(view->recording, NULL), row->blocker, view->from,
                           view->to);
}

/* What would be two rows of one name. */
static GHashTable *doubled_new(const PmAlikeTable *table)
{
    const PmRecording *recording = table->results->view->recording;
    g_autoptr(GHashTable) once = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    GHashTable *doubled = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);

    for (guint i = 0; i < table->n; i++) {
        const guint64 key = pm_alike_key(recording, table->rows[i].sum.blocker);
        if (!g_hash_table_add(once, g_memdup2(&key, sizeof key)))
            g_hash_table_add(doubled, g_memdup2(&key, sizeof key));
    }
    return doubled;
}

/* Takes the answer. */
static gpointer rows_with(PmState *state, gpointer answer, char **ret_count)
{
    struct rows *rows = g_rc_box_new0(struct rows);

    rows->answer = answer;
    rows->dark = pm_state_get_dark(state);
    const PmAlikeTable *table = rows->answer->table;
    const PmMetrics *metrics = table->results->metrics;
    rows->doubled = doubled_new(table);
    rows->holds = g_new(PmMeasuredHold, metrics->n + 1);
    for (gsize i = 0; i < metrics->n; i++)
        rows->holds[i] = measured_hold(table->results, &metrics->rows[i]);
    g_autofree char *n = pm_number_plural((gint64)metrics->n, "blocker", "blockers");
    *ret_count = table->n < metrics->n ? g_strdup_printf("%s, similar ones together", n)
                                       : g_steal_pointer(&n);
    return rows;
}

static gpointer rows_new(PmState *state, char **ret_count)
{
    PmResults *results = pm_state_get_results(state);

    if (!results)
        return NULL;
    const gboolean quick = results->view->n <= QUICK_WAITS;
    /* Numbers that are replaced every second do not change twice. */
    if (!quick && pm_state_get_live(state) == PM_LIVE_FOLLOWING)
        return NULL;
    struct answer *answer = g_new0(struct answer, 1);
    answer->table = pm_alike_table_new(results);
    if (quick)
        pm_alike_table_sweep(answer->table, NULL);
    return rows_with(state, answer, ret_count);
}

static const PmAlikeTable *table_of(gpointer data)
{
    return ((struct rows *)data)->answer->table;
}

/* NULL = it is one blocker's. */
static const PmAlikeRow *group_of(gpointer item, gpointer data)
{
    return pm_alike_table_group(table_of(data), item);
}

static gpointer *row_children(gpointer item, gpointer data, guint *ret_n)
{
    const PmAlikeTable *table = table_of(data);
    const PmAlikeRow *group = item ? group_of(item, data) : NULL;

    *ret_n = group ? group->n : item ? 0 : table->n;
    return group ? group->rows : item ? NULL : table->items;
}

static gboolean row_has_children(gpointer item, gpointer data)
{
    return group_of(item, data) != NULL;
}

static guint64 row_key(gpointer item)
{
    const PmMetricsRow *row = item;

    return (guint64)row->blocker << 8 | row->kind;
}

static gboolean row_is_last(gpointer item)
{
    return ((const PmMetricsRow *)item)->blocker == 0;
}

static const PmRecording *rows_recording(gpointer data)
{
    return table_of(data)->results->view->recording;
}

static gboolean row_is_bound(gpointer item)
{
    return ((const PmMetricsRow *)item)->bound;
}

static gconstpointer find_metric(const char *name)
{
    return pm_metric_find(name);
}

static double metric_number(gconstpointer metric, gpointer row)
{
    return pm_metric_number(metric, row);
}

/* Threads on average. */
static double waiting_value(gpointer item, gpointer data)
{
    const gint64 known = table_of(data)->results->view->known;

    return known ? (double)((const PmMetricsRow *)item)->thread_time / (double)known : NAN;
}

static double p99_value(gpointer item, gpointer data)
{
    const PmAlikeRow *group = group_of(item, data);

    return group && !group->swept ? NAN : (double)((const PmMetricsRow *)item)->p99;
}

static gboolean is_one_of_many(gpointer item, gpointer data)
{
    const PmMetrics *metrics = table_of(data)->results->metrics;
    const PmMetricsRow *row = item;

    return row >= metrics->rows && row < metrics->rows + metrics->n;
}

static PmMeasuredHold hold_of(gpointer item, gpointer data)
{
    const struct rows *rows = data;
    const PmMetrics *metrics = table_of(data)->results->metrics;
    const PmAlikeRow *group = group_of(item, data);
    PmMeasuredHold all = {0};

    if (is_one_of_many(item, data))
        return rows->holds[(const PmMetricsRow *)item - metrics->rows];
    if (!group)
        return hold_of(((PmAlikeRow *)item)->rows[0], data);
    for (guint i = 0; i < group->n; i++) {
        const PmMeasuredHold one = hold_of(group->rows[i], data);
        all.n += one.n;
        all.mean += one.n ? (one.mean - all.mean) * one.n / all.n : 0;
    }
    return all;
}

static gboolean hold_is_guess(gpointer item, gpointer data)
{
    return hold_of(item, data).n == 0;
}

/* Measured; else the time in which anybody waited, for each wait that ended. */
static double hold_value(gpointer item, gpointer data)
{
    const PmMeasuredHold hold = hold_of(item, data);

    return hold.n ? hold.mean : ((const PmMetricsRow *)item)->avg_hold;
}

static char *kind_text(gpointer item, gpointer data)
{
    const PmMetricsRow *row = item;
    return g_strdup(pm_category_wait_title(row->category, row->kind));
}

/* One of many is told from the others by its hash code: all have the class and the site above them.
 * Waits to enter a monitor and waits in it are two rows, which say so. */
static char *label_text(gpointer item, gpointer data)
{
    const guint32 blocker = ((const PmMetricsRow *)item)->blocker;
    const PmRecording *recording = rows_recording(data);

    if (is_one_of_many(item, data))
        return pm_label_blocker_short(recording, blocker);
    const guint64 key = pm_alike_key(recording, blocker);
    char *label = group_of(item, data) ? pm_label_alike(recording, blocker)
                                       : pm_label_blocker(recording, blocker);
    if (!g_hash_table_contains(((struct rows *)data)->doubled, &key))
        return label;
    g_autofree char *name = label, *kind = kind_text(item, data);
    return g_strdup_printf("%s (%s)", name, kind);
}

static char *category_text(gpointer item, gpointer data)
{
    return g_strdup(pm_category_name(((const PmMetricsRow *)item)->category));
}

/* Of many there is none to name. */
static char *thread_name(gpointer data, guint32 thread)
{
    return g_strdup(thread ? rows_recording(data)->threads[thread].name : "–");
}

static char *first_thread_text(gpointer item, gpointer data)
{
    return thread_name(data, ((const PmMetricsRow *)item)->first_thread);
}

static char *owner_text(gpointer item, gpointer data)
{
    return thread_name(data, ((const PmMetricsRow *)item)->owner);
}

static char *class_text(gpointer item, gpointer data)
{
    const PmRecording *recording = rows_recording(data);
    const PmBlocker *blocker = &recording->blockers[((const PmMetricsRow *)item)->blocker];
    const char *name = recording->classes[blocker->class_index].name;

    return g_strdup(*name ? name : "(none)");
}

static char *hash_text(gpointer item, gpointer data)
{
    const PmRecording *recording = rows_recording(data);

    if (group_of(item, data))
        return g_strdup("–");
    return g_strdup_printf("%x", recording->blockers[((const PmMetricsRow *)item)->blocker].hash);
}

static char *alive_text(gpointer item, gpointer data)
{
    return g_strdup(((const PmMetricsRow *)item)->alive ? "yes" : "collected");
}

static char *quality_text(gpointer item, gpointer data)
{
    return g_strdup(row_is_bound(item) ? "bound" : "exact");
}

static void spark_bind(GtkWidget *widget, gpointer item, guint depth, gpointer data)
{
    const PmMetricsRow *row = item;
    struct rows *rows = data;
    const PmLanes *lanes = depth ? rows->answer->sparks : rows->answer->alike;
    const guint lane =
        depth ? row->blocker : (guint)pm_alike_key(rows_recording(data), row->blocker);
    g_autofree char *peak = pm_number_plural(row->peak_parked, "thread", "threads");
    g_autofree char *label = g_strdup_printf("Waiting threads over time, at %s %s",
                                             row_is_bound(item) ? "least" : "most", peak);
    double full = 0;

    for (guint s = 0; lanes && s < lanes->n_slices; s++) {
        double all = pm_lanes_mean(lanes, lane, s, PM_N_FAMILIES);
        all += pm_lanes_mean(lanes, lane, s, PM_FAMILY_IDLE);
        full = MAX(full, all);
    }
    pm_lane_cell_set(PM_LANE_CELL(widget), lanes, lane, full, rows->dark, label);
}

/* clang-format off */
static const PmGridColumn columns[] = {
    {"label", "Blocker", "Class, hash code, and the field it was first waited for through, else the site of that wait", 0, PM_GRID_NAME | PM_GRID_WIDE, .text = label_text},
    {"times", "Times", "Times parked: waits begun", 80, PM_GRID_SPARE, PM_GRID_COUNT, "times_parked"},
    {"now", "Now", "Parked now: threads waiting at the end of the range", 50, PM_GRID_SPARE, PM_GRID_COUNT, "parked_now"},
    {"peak", "Peak", "Peak parked: the most threads at once", 54, PM_GRID_SPARE | PM_GRID_BOUND, PM_GRID_COUNT, "peak_parked"},
    {"waiting", "Waiting", "Threads waiting, on average", 66, 0, PM_GRID_MEAN, .value = waiting_value},
    {"time", "Thread-time", "Parking thread-time: waiting time, summed over threads", 114, 0, PM_GRID_TIME_MOST, "thread_time_ns"},
    {"real-percent", "Real %", "Real-time utilisation: share of time during which any thread waited", 62, PM_GRID_SPARE | PM_GRID_BOUND, PM_GRID_PERCENT, "real_time_util"},
    {"average", "Avg park", "Average parking time: thread-time per time parked", 76, PM_GRID_SPARE, PM_GRID_TIME, "avg_park_ns"},
    {"hold", "Hold", "Measured hold time; with ~ no hold was measured: real-time per ended wait", 92, PM_GRID_SPARE | PM_GRID_GUESS, PM_GRID_TIME, .value = hold_value},
    {"longest", "Longest", "The longest wait; of one that goes on, so far", 76, PM_GRID_SPARE, PM_GRID_TIME, "longest_ns"},
    {"spark", "Over time", "Waiting threads over the range", 84, PM_GRID_SPARE, .make = pm_lane_cell_new, .bind = spark_bind},
    {"kind", "Kind", "How threads wait for it", 96, PM_GRID_HIDDEN, .text = kind_text},
    {"category", "Category", "What its waits mean", 90, PM_GRID_HIDDEN, .text = category_text},
    {"class", "Class name", "With its package", 240, PM_GRID_HIDDEN, .text = class_text},
    {"hash", "Hash code", "Identity hash code, hexadecimal", 84, PM_GRID_HIDDEN, .text = hash_text},
    {"real", "Real-time", "Parking real-time: time during which any thread waited", 84, PM_GRID_HIDDEN | PM_GRID_BOUND, PM_GRID_TIME_MOST, "real_time_ns"},
    {"thread-percent", "Thread %", "Thread-time utilisation: thread-time as a share of the recorded time", 76, PM_GRID_HIDDEN, PM_GRID_PERCENT, "thread_time_util"},
    {"real-life", "Real-life %", "Real-life-time utilisation: real-time as a share of its own lifetime", 84, PM_GRID_HIDDEN, PM_GRID_PERCENT, "real_life_time_util"},
    {"thread-life", "Thread-life %", "Thread-life-time utilisation: thread-time as a share of its own lifetime", 96, PM_GRID_HIDDEN, PM_GRID_PERCENT, "thread_life_time_util"},
    {"p99", "p99", "99 % of its waits are no longer than this", 84, PM_GRID_HIDDEN, PM_GRID_TIME, .value = p99_value},
    {"again", "Again", "Part of the thread-time: re-entering it after Object.wait", 84, PM_GRID_HIDDEN, PM_GRID_TIME, "after_wait_ns"},
    {"first-thread", "First thread", "Of its first recorded wait", 140, PM_GRID_HIDDEN, .text = first_thread_text},
    {"owner", "Owner", "Of the oldest wait in progress", 140, PM_GRID_HIDDEN, .text = owner_text},
    {"alive", "Alive", "Whether it is alive or was collected by the GC", 70, PM_GRID_HIDDEN, .text = alive_text},
    {"quality", "Quality", "A bound: waits were dropped, so peak and real-time are lower bounds", 76, PM_GRID_HIDDEN, .text = quality_text},
};
/* clang-format on */

static const PmGridShape shape = {
    .name = "Blockers",
    .columns = columns,
    .n_columns = G_N_ELEMENTS(columns),
    .sort_column = "time",
    .is_tree = TRUE,
    .children = row_children,
    .has_children = row_has_children,
    .key = row_key,
    .is_last = row_is_last,
    .is_bound = row_is_bound,
    .is_guess = hold_is_guess,
    .find_field = find_metric,
    .number = metric_number,
    .clear_data = rows_clear,
};

/* ---- rows and the state ---- */

/* At the top are those that are alike together, below them each. */
static void chosen(PmState *state, gpointer *items, guint n)
{
    const gboolean group = n == 1 && ((const PmAlikeRow *)items[0])->n > 1;

    pm_state_select_key(state, group ? PM_ASPECT_ALIKE : PM_ASPECT_BLOCKER,
                        ((const PmMetricsRow *)items[n - 1])->blocker);
}

/* The chart knows which band those that are alike are. */
static void hovered(PmState *state, gpointer item)
{
    const PmMetricsRow *row = item;

    pm_state_set_hover(state, row != NULL, PM_ASPECT_BLOCKER, row ? row->blocker : 0);
}

static gboolean is_of(const PmMetricsRow *row, const PmRecording *recording, PmAspect aspect,
                      guint64 key)
{
    return (aspect == PM_ASPECT_BLOCKER ? row->blocker : pm_alike_key(recording, row->blocker)) ==
           key;
}

static gboolean select_key(const PmAlikeTable *table, PmGrid *grid, PmAspect aspect, guint64 key)
{
    const PmRecording *recording = table->results->view->recording;

    for (guint i = 0; i < table->n; i++) {
        const PmAlikeRow *row = &table->rows[i];
        guint64 keys[2] = {row_key((gpointer)&row->sum)};
        if (!is_of(row->rows[0], recording, PM_ASPECT_ALIKE, pm_alike_key(recording, key)))
            continue;
        if (row->n == 1 || aspect == PM_ASPECT_ALIKE) {
            if (is_of(row->rows[0], recording, aspect, key) && pm_grid_select(grid, keys, 1))
                return TRUE;
            continue;
        }
        for (guint k = 0; k < row->n; k++) {
            keys[1] = row_key(row->rows[k]);
            if (is_of(row->rows[k], recording, aspect, key) && pm_grid_select(grid, keys, 2))
                return TRUE;
        }
    }
    return FALSE;
}

static gboolean select_row(PmState *state, PmGrid *grid)
{
    const PmSelection *selection = pm_state_get_selection(state);
    PmResults *results = pm_state_get_results(state);
    gpointer items[2];
    guint i = selection->n;

    /* The nearest: a blocker lies below those it is like. */
    while (i > 0 && selection->aspects[i - 1] != PM_ASPECT_BLOCKER &&
           selection->aspects[i - 1] != PM_ASPECT_ALIKE)
        i--;
    if (!i || !results || !results->metrics)
        return FALSE;
    const PmAspect aspect = selection->aspects[i - 1];
    const guint64 key = selection->keys[i - 1];
    if (key >= results->view->recording->n_blockers)
        return FALSE;
    const guint n = pm_grid_get_selected(grid, items, G_N_ELEMENTS(items));
    if (n && ((n == 1 && ((PmAlikeRow *)items[0])->n > 1) == (aspect == PM_ASPECT_ALIKE)) &&
        is_of(items[n - 1], results->view->recording, aspect, key))
        return TRUE;
    g_autoptr(PmAlikeTable) table = pm_alike_table_new(results);
    return select_key(table, grid, aspect, key);
}

static const PmTableKind kind = {
    .shape = &shape,
    .changes = PM_CHANGE_RESULTS | PM_CHANGE_RECORDING | PM_CHANGE_DARK,
    .of_waits = TRUE,
    .rows = rows_new,
    .question = question_new,
    .run = work,
    .free_question = (GDestroyNotify)pm_results_unref,
    .free_answer = answer_free,
    .answered = rows_with,
    .chosen = chosen,
    .select = select_row,
    .hovered = hovered,
};

GtkWidget *pm_blockers_page_new(PmState *state)
{
    g_return_val_if_fail(PM_IS_STATE(state), NULL);
    return pm_table_page_new(state, &kind, NULL);
}
