#include "viewer/ui/pages/blockers-page.h"

#include <math.h>

#include "viewer/analysis/aggregation/lane.h"
#include "viewer/analysis/causes/hold.h"
#include "viewer/analysis/recording/category.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/report/metric.h"
#include "viewer/ui/model/number.h"
#include "viewer/ui/pages/table-page.h"
#include "viewer/ui/widgets/lane-cell.h"

#define SPARK_SLICES 48

/* ---- what rows show ---- */

struct rows {
    PmResults *results;
    gpointer *items; /* of PmMetricsRow */
    double *holds;   /* of each row of the metrics, measured, ns; NAN = no hold was seen */
    PmLanes *sparks; /* NULL until they are ready */
    gboolean dark;
};

static void rows_clear(gpointer data)
{
    struct rows *rows = data;

    g_free(rows->items);
    g_free(rows->holds);
    pm_lanes_free(rows->sparks);
    pm_results_unref(rows->results);
}

/* With the findings the holds are known, too. */
static double measured_hold(const PmResults *results, const PmMetricsRow *row)
{
    PmView *view = results->view;

    if (!results->findings || !row->blocker || row->kind == PM_KIND_WAIT)
        return NAN;
    const PmMeasuredHold hold = pm_hold_measure(pm_recording_contention(view->recording, NULL),
                                                row->blocker, view->from, view->to);
    return hold.n ? hold.mean : NAN;
}

/* Takes the sparklines. */
static gpointer rows_with(PmState *state, gpointer sparks, char **ret_count)
{
    PmResults *results = pm_state_get_results(state);

    if (!results) {
        pm_lanes_free(sparks);
        return NULL;
    }
    const PmMetrics *metrics = results->metrics;
    struct rows *rows = g_rc_box_new0(struct rows);
    rows->results = pm_results_ref(results);
    rows->dark = pm_state_get_dark(state);
    rows->sparks = sparks;
    rows->items = g_new(gpointer, metrics->n + 1);
    rows->holds = g_new(double, metrics->n + 1);
    for (gsize i = 0; i < metrics->n; i++) {
        rows->items[i] = &metrics->rows[i];
        rows->holds[i] = measured_hold(results, &metrics->rows[i]);
    }
    *ret_count = pm_number_plural((gint64)metrics->n, "blocker", "blockers");
    return rows;
}

static gpointer rows_new(PmState *state, char **ret_count)
{
    return rows_with(state, NULL, ret_count);
}

static gpointer *metrics_rows(gpointer item, gpointer data, guint *ret_n)
{
    struct rows *rows = data;

    *ret_n = item ? 0 : (guint)rows->results->metrics->n;
    return rows->items;
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
    return ((struct rows *)data)->results->view->recording;
}

static gboolean row_is_bound(gpointer item)
{
    return ((const PmMetricsRow *)item)->quality == PM_QUALITY_BOUND;
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
    const gint64 recorded = ((struct rows *)data)->results->view->recorded;

    return recorded ? (double)((const PmMetricsRow *)item)->thread_time / (double)recorded : NAN;
}

static gboolean hold_is_guess(gpointer item, gpointer data)
{
    const struct rows *rows = data;

    return isnan(rows->holds[(const PmMetricsRow *)item - rows->results->metrics->rows]);
}

/* Measured; else the time in which anybody waited, for each wait that ended. */
static double hold_value(gpointer item, gpointer data)
{
    const PmMetricsRow *row = item;
    const struct rows *rows = data;

    return hold_is_guess(item, data) ? row->avg_hold
                                     : rows->holds[row - rows->results->metrics->rows];
}

static char *label_text(gpointer item, gpointer data)
{
    return pm_label_blocker_told(rows_recording(data), ((const PmMetricsRow *)item)->blocker);
}

static char *kind_text(gpointer item, gpointer data)
{
    const PmMetricsRow *row = item;
    return g_strdup(pm_category_wait_title(row->category, row->kind));
}

static char *category_text(gpointer item, gpointer data)
{
    return g_strdup(pm_category_name(((const PmMetricsRow *)item)->category));
}

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

    return g_strdup_printf("%x", recording->blockers[((const PmMetricsRow *)item)->blocker].hash);
}

static char *alive_text(gpointer item, gpointer data)
{
    return g_strdup(((const PmMetricsRow *)item)->alive ? "yes" : "collected");
}

static char *quality_text(gpointer item, gpointer data)
{
    static const char *const names[] = {"exact", "inferred", "bound"};

    return g_strdup(names[MIN(((const PmMetricsRow *)item)->quality, PM_QUALITY_BOUND)]);
}

static void spark_bind(GtkWidget *widget, gpointer item, guint depth, gpointer data)
{
    const PmMetricsRow *row = item;
    struct rows *rows = data;
    g_autofree char *peak = pm_number_plural(row->peak_parked, "thread", "threads");
    g_autofree char *label = g_strdup_printf("Waiting threads over time, at most %s", peak);
    double full = 0;

    for (guint s = 0; rows->sparks && s < rows->sparks->n_slices; s++) {
        double all = pm_lanes_mean(rows->sparks, row->blocker, s, PM_N_FAMILIES);
        all += pm_lanes_mean(rows->sparks, row->blocker, s, PM_FAMILY_IDLE);
        full = MAX(full, all);
    }
    pm_lane_cell_set(PM_LANE_CELL(widget), rows->sparks, row->blocker, full, rows->dark, label);
}

/* clang-format off */
static const PmGridColumn columns[] = {
    {"label", "Blocker", "Class, hash code and the site of its first wait", 0, PM_GRID_NAME | PM_GRID_WIDE, .text = label_text},
    {"times", "Times", "Times parked: waits begun", 80, PM_GRID_SPARE, PM_GRID_COUNT, "times_parked"},
    {"now", "Now", "Parked now: threads that wait at the range's end", 50, PM_GRID_SPARE, PM_GRID_COUNT, "parked_now"},
    {"peak", "Peak", "Peak parked: the most threads at once", 54, PM_GRID_SPARE | PM_GRID_BOUND, PM_GRID_COUNT, "peak_parked"},
    {"waiting", "Waiting", "Threads that wait, on average", 66, 0, PM_GRID_MEAN, .value = waiting_value},
    {"time", "Thread-time", "Parking thread-time: waiting time, summed over threads", 108, 0, PM_GRID_TIME_MOST, "thread_time_ns"},
    {"real-percent", "Real %", "Real-time utilisation: part of the recorded time in which anybody waited", 62, PM_GRID_SPARE, PM_GRID_PERCENT, "real_time_util"},
    {"average", "Avg park", "Average parking time: thread-time for each time parked", 76, PM_GRID_SPARE, PM_GRID_TIME, "avg_park_ns"},
    {"hold", "Hold", "How long it is held at a time, measured; with ~ no hold was seen: real-time for each wait that ended", 92, PM_GRID_SPARE | PM_GRID_GUESS, PM_GRID_TIME, .value = hold_value},
    {"longest", "Longest", "The longest wait", 76, PM_GRID_SPARE, PM_GRID_TIME, "longest_ns"},
    {"spark", "Over time", "Waiting threads over the range", 84, PM_GRID_SPARE, .make = pm_lane_cell_new, .bind = spark_bind},
    {"kind", "Kind", "How threads wait for it", 96, PM_GRID_HIDDEN, .text = kind_text},
    {"category", "Category", "What its waits mean", 90, PM_GRID_HIDDEN, .text = category_text},
    {"class", "Class name", "With its package", 240, PM_GRID_HIDDEN, .text = class_text},
    {"hash", "Hash code", "Identity hash code, hexadecimal", 84, PM_GRID_HIDDEN, .text = hash_text},
    {"real", "Real-time", "Parking real-time: time in which anybody waited", 84, PM_GRID_HIDDEN | PM_GRID_BOUND, PM_GRID_TIME_MOST, "real_time_ns"},
    {"thread-percent", "Thread %", "Thread-time utilisation: thread-time as part of the recorded time", 76, PM_GRID_HIDDEN, PM_GRID_PERCENT, "thread_time_util"},
    {"real-life", "Real-life %", "Real-life-time utilisation: real-time as part of its own life", 84, PM_GRID_HIDDEN, PM_GRID_PERCENT, "real_life_time_util"},
    {"thread-life", "Thread-life %", "Thread-life-time utilisation: thread-time as part of its own life", 96, PM_GRID_HIDDEN, PM_GRID_PERCENT, "thread_life_time_util"},
    {"p99", "p99", "99 % of its waits are not longer", 84, PM_GRID_HIDDEN, PM_GRID_TIME, "p99_ns"},
    {"again", "Again", "Of the thread-time: entering it again after Object.wait", 84, PM_GRID_HIDDEN, PM_GRID_TIME, "after_wait_ns"},
    {"first-thread", "First thread", "Of its first recorded wait", 140, PM_GRID_HIDDEN, .text = first_thread_text},
    {"owner", "Owner", "Of the oldest wait in progress", 140, PM_GRID_HIDDEN, .text = owner_text},
    {"alive", "Alive", "Or collected by the GC", 70, PM_GRID_HIDDEN, .text = alive_text},
    {"quality", "Quality", "A bound: waits were dropped, so peak and real-time are at least that", 76, PM_GRID_HIDDEN, .text = quality_text},
};
/* clang-format on */

static const PmGridShape shape = {
    .name = "Blockers",
    .columns = columns,
    .n_columns = G_N_ELEMENTS(columns),
    .sort_column = "time",
    .children = metrics_rows,
    .key = row_key,
    .is_last = row_is_last,
    .is_bound = row_is_bound,
    .is_guess = hold_is_guess,
    .find_field = find_metric,
    .number = metric_number,
    .clear_data = rows_clear,
};

/* ---- sparklines, in a worker ---- */

static gpointer sparks_question(PmState *state)
{
    PmView *view = pm_state_get_view(state);

    return view ? pm_view_ref(view) : NULL;
}

static gpointer sparks_run(gpointer question, const gint *cancel)
{
    const PmView *view = question;

    return pm_lanes_new(view, PM_LANE_BLOCKER, -1, view->from, view->to, SPARK_SLICES, cancel);
}

/* ---- rows and the state ---- */

static void chosen(PmState *state, gpointer *items, guint n)
{
    pm_state_select_key(state, PM_ASPECT_BLOCKER, ((const PmMetricsRow *)items[0])->blocker);
}

static void hovered(PmState *state, gpointer item)
{
    const PmMetricsRow *row = item;

    pm_state_set_hover(state, row != NULL, PM_ASPECT_BLOCKER, row ? row->blocker : 0);
}

static gboolean select_row(PmState *state, PmGrid *grid)
{
    const PmSelection *selection = pm_state_get_selection(state);
    gpointer item;

    for (guint i = 0; i < selection->n; i++) {
        if (selection->aspects[i] != PM_ASPECT_BLOCKER)
            continue;
        if (pm_grid_get_selected(grid, &item, 1) &&
            ((const PmMetricsRow *)item)->blocker == selection->keys[i])
            return TRUE;
        for (guint k = 0; k < PM_N_KINDS; k++) {
            const guint64 key = selection->keys[i] << 8 | k;
            if (pm_grid_select(grid, &key, 1))
                return TRUE;
        }
    }
    return FALSE;
}

static const PmTableKind kind = {
    .shape = &shape,
    .changes = PM_CHANGE_RESULTS | PM_CHANGE_RECORDING | PM_CHANGE_DARK,
    .of_waits = TRUE,
    .rows = rows_new,
    .question = sparks_question,
    .run = sparks_run,
    .free_question = (GDestroyNotify)pm_view_unref,
    .free_answer = (GDestroyNotify)pm_lanes_free,
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
