#include "viewer/ui/pages/blockers-page.h"

#include <math.h>

#include "viewer/analysis/aggregation/lane.h"
#include "viewer/analysis/recording/category.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/ui/model/job.h"
#include "viewer/ui/model/keys.h"
#include "viewer/ui/model/number.h"
#include "viewer/ui/pages/state-page.h"
#include "viewer/ui/widgets/focus.h"
#include "viewer/ui/widgets/lane-cell.h"
#include "viewer/ui/widgets/page-style.h"

#define SPARK_SLICES 48

#define PM_TYPE_BLOCKERS_PAGE (pm_blockers_page_get_type())
G_DECLARE_FINAL_TYPE(PmBlockersPage, pm_blockers_page, PM, BLOCKERS_PAGE, GtkWidget)

struct _PmBlockersPage {
    GtkWidget parent_instance;
    PmState *state;
    GtkWidget *box, *stack, *empty, *count;
    PmGrid *grid;
    PmJob *sparks;
    gboolean stale;
};

G_DEFINE_FINAL_TYPE(PmBlockersPage, pm_blockers_page, GTK_TYPE_WIDGET)

/* ---- what rows show ---- */

struct rows {
    PmResults *results;
    gpointer *items; /* of PmMetricsRow */
    PmLanes *sparks; /* NULL until they are ready */
    gboolean dark;
    PmUnit time, real, average, hold, longest, p99;
};

static void rows_clear(gpointer data)
{
    struct rows *rows = data;

    g_free(rows->items);
    pm_lanes_free(rows->sparks);
    pm_results_unref(rows->results);
}

static gpointer rows_ref(gpointer rows)
{
    return g_rc_box_acquire(rows);
}

static void rows_unref(gpointer rows)
{
    g_rc_box_release_full(rows, rows_clear);
}

static void grow(double *biggest, double value)
{
    if (!isnan(value) && value > *biggest)
        *biggest = value;
}

/* Takes `sparks`. */
static struct rows *rows_new(PmState *state, PmLanes *sparks)
{
    PmResults *results = pm_state_get_results(state);
    const PmMetrics *metrics = results->metrics;
    struct rows *rows = g_rc_box_new0(struct rows);
    double time = 0, real = 0;
    g_autofree double *average = g_new(double, metrics->n + 1);
    g_autofree double *hold = g_new(double, metrics->n + 1);
    g_autofree double *longest = g_new(double, metrics->n + 1);
    g_autofree double *p99 = g_new(double, metrics->n + 1);

    rows->results = pm_results_ref(results);
    rows->dark = pm_state_get_dark(state);
    rows->sparks = sparks;
    rows->items = g_new(gpointer, metrics->n + 1);
    for (gsize i = 0; i < metrics->n; i++) {
        const PmMetricsRow *row = &metrics->rows[i];
        rows->items[i] = (gpointer)row;
        grow(&time, (double)row->thread_time);
        grow(&real, (double)row->real_time);
        average[i] = row->avg_park;
        hold[i] = row->avg_hold;
        longest[i] = (double)row->longest;
        p99[i] = (double)row->p99;
    }
    rows->time = pm_number_unit((gint64)time);
    rows->real = pm_number_unit((gint64)real);
    rows->average = pm_number_unit_of(average, metrics->n);
    rows->hold = pm_number_unit_of(hold, metrics->n);
    rows->longest = pm_number_unit_of(longest, metrics->n);
    rows->p99 = pm_number_unit_of(p99, metrics->n);
    return rows;
}

static gpointer *metrics_rows(gpointer item, gpointer data, guint *ret_n)
{
    struct rows *rows = data;

    *ret_n = item ? 0 : (guint)rows->results->metrics->n;
    return rows->items;
}

static guint64 row_key(gpointer item, gpointer data)
{
    const PmMetricsRow *row = item;

    return (guint64)row->blocker << 8 | row->kind;
}

static gboolean row_is_last(gpointer item, gpointer data)
{
    return ((const PmMetricsRow *)item)->blocker == 0;
}

static const PmRecording *rows_recording(gpointer data)
{
    return ((struct rows *)data)->results->view->recording;
}

/* A bound is a lower one; it is marked as such. */
static char *bound_text(const PmMetricsRow *row, char *text)
{
    if (row->quality != PM_QUALITY_BOUND)
        return text;
    char *marked = g_strconcat("≥\u202f", text, NULL);
    g_free(text);
    return marked;
}

#define VALUE(name, expression)                                                                    \
    static double name##_value(gpointer item, gpointer data)                                       \
    {                                                                                              \
        const PmMetricsRow *row = item;                                                            \
        return (double)(expression);                                                               \
    }
#define COUNT(name, expression)                                                                    \
    VALUE(name, expression)                                                                        \
    static char *name##_text(gpointer item, gpointer data)                                         \
    {                                                                                              \
        return pm_number_count((gint64)name##_value(item, data));                                  \
    }
#define TIME(name, expression, unit)                                                               \
    VALUE(name, expression)                                                                        \
    static char *name##_text(gpointer item, gpointer data)                                         \
    {                                                                                              \
        return pm_number_time(&((struct rows *)data)->unit, name##_value(item, data));             \
    }
#define PERCENT(name, expression)                                                                  \
    VALUE(name, expression)                                                                        \
    static char *name##_text(gpointer item, gpointer data)                                         \
    {                                                                                              \
        return pm_number_percent(name##_value(item, data));                                        \
    }

COUNT(times, row->times_parked)
COUNT(now, row->parked_now)
TIME(time, row->thread_time, time)
TIME(average, row->avg_park, average)
TIME(hold, row->avg_hold, hold)
TIME(longest, row->longest, longest)
TIME(p99, row->p99, p99)
PERCENT(real_percent, row->real_time_util)
PERCENT(thread_percent, row->thread_time_util)
PERCENT(real_life, row->real_life_time_util)
PERCENT(thread_life, row->thread_life_time_util)
VALUE(peak, row->peak_parked)
VALUE(real, row->real_time)

static char *peak_text(gpointer item, gpointer data)
{
    return bound_text(item, pm_number_count(((const PmMetricsRow *)item)->peak_parked));
}

static char *real_text(gpointer item, gpointer data)
{
    return bound_text(item, pm_number_time(&((struct rows *)data)->real, real_value(item, data)));
}

/* Threads on average. */
static double waiting_value(gpointer item, gpointer data)
{
    const gint64 recorded = ((struct rows *)data)->results->view->recorded;

    return recorded ? (double)((const PmMetricsRow *)item)->thread_time / (double)recorded : NAN;
}

static char *waiting_text(gpointer item, gpointer data)
{
    const double waiting = waiting_value(item, data);

    return isnan(waiting) ? g_strdup("–") : g_strdup_printf("%.1f", waiting);
}

static char *label_text(gpointer item, gpointer data)
{
    return pm_label_blocker(rows_recording(data), ((const PmMetricsRow *)item)->blocker);
}

static char *kind_text(gpointer item, gpointer data)
{
    static const char *const names[PM_N_KINDS] = {"park", "synchronized", "Object.wait"};

    return g_strdup(names[MIN(((const PmMetricsRow *)item)->kind, PM_N_KINDS - 1)]);
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

static GtkWidget *spark_make(gpointer data)
{
    return pm_lane_cell_new();
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
    {"label", "Blocker", "Class, hash code and the site of its first wait", 0, PM_GRID_NAME, label_text},
    {"times", "Times", "Times parked: waits begun", 80, PM_GRID_NUMBER, times_text, times_value},
    {"now", "Now", "Parked now: threads that wait at the range's end", 50, PM_GRID_NUMBER, now_text, now_value},
    {"peak", "Peak", "Peak parked: the most threads at once", 54, PM_GRID_NUMBER, peak_text, peak_value},
    {"waiting", "Waiting", "Threads that wait, on average", 66, PM_GRID_NUMBER, waiting_text, waiting_value},
    {"time", "Thread-time", "Parking thread-time: waiting time, summed over threads", 108, PM_GRID_NUMBER, time_text, time_value},
    {"real-percent", "Real %", "Real-time utilisation: part of the recorded time in which anybody waited", 62, PM_GRID_NUMBER | PM_GRID_SPARE, real_percent_text, real_percent_value},
    {"average", "Avg park", "Average parking time: thread-time for each time parked", 76, PM_GRID_NUMBER | PM_GRID_SPARE, average_text, average_value},
    {"hold", "Hold", "Average hold time: real-time for each wait that ended", 76, PM_GRID_NUMBER | PM_GRID_SPARE, hold_text, hold_value},
    {"longest", "Longest", "The longest wait", 76, PM_GRID_NUMBER | PM_GRID_SPARE, longest_text, longest_value},
    {.id = "spark", .title = "Over time", .tooltip = "Waiting threads over the range", .width_px = 84, .flags = PM_GRID_SPARE, .make = spark_make, .bind = spark_bind},
    {"kind", "Kind", "How threads wait for it", 96, PM_GRID_HIDDEN, kind_text},
    {"category", "Category", "What its waits mean", 90, PM_GRID_HIDDEN, category_text},
    {"class", "Class name", "With its package", 240, PM_GRID_HIDDEN, class_text},
    {"hash", "Hash code", "Identity hash code, hexadecimal", 84, PM_GRID_HIDDEN, hash_text},
    {"real", "Real-time", "Parking real-time: time in which anybody waited", 84, PM_GRID_NUMBER | PM_GRID_HIDDEN, real_text, real_value},
    {"thread-percent", "Thread %", "Thread-time utilisation: thread-time as part of the recorded time", 76, PM_GRID_NUMBER | PM_GRID_HIDDEN, thread_percent_text, thread_percent_value},
    {"real-life", "Real-life %", "Real-life-time utilisation: real-time as part of its own life", 84, PM_GRID_NUMBER | PM_GRID_HIDDEN, real_life_text, real_life_value},
    {"thread-life", "Thread-life %", "Thread-life-time utilisation: thread-time as part of its own life", 96, PM_GRID_NUMBER | PM_GRID_HIDDEN, thread_life_text, thread_life_value},
    {"p99", "p99", "99 % of its waits are not longer", 84, PM_GRID_NUMBER | PM_GRID_HIDDEN, p99_text, p99_value},
    {"first-thread", "First thread", "Of its first recorded wait", 140, PM_GRID_HIDDEN, first_thread_text},
    {"owner", "Owner", "Of the oldest wait in progress", 140, PM_GRID_HIDDEN, owner_text},
    {"alive", "Alive", "Or collected by the GC", 70, PM_GRID_HIDDEN, alive_text},
    {"quality", "Quality", "A bound: waits were dropped, so peak and real-time are at least that", 76, PM_GRID_HIDDEN, quality_text},
};
/* clang-format on */

static const PmGridShape shape = {
    .name = "Blockers",
    .columns = columns,
    .n_columns = G_N_ELEMENTS(columns),
    .sort_column = 5,
    .children = metrics_rows,
    .key = row_key,
    .is_last = row_is_last,
    .ref_data = rows_ref,
    .unref_data = rows_unref,
};

/* ---- sparklines, in a worker ---- */

static gpointer sparks_run(gpointer question, const gint *cancel)
{
    const PmView *view = question;

    return pm_lanes_new(view, PM_LANE_BLOCKER, -1, view->from, view->to, SPARK_SLICES, cancel);
}

/* ---- rows and the state ---- */

static void show_rows(PmBlockersPage *page, PmLanes *sparks)
{
    struct rows *rows = rows_new(page->state, sparks);

    pm_grid_set_data(page->grid, rows, pm_state_is_dragging(page->state));
    rows_unref(rows);
}

static void sparks_done(gpointer answer, gpointer data)
{
    PmBlockersPage *page = data;

    if (pm_state_get_results(page->state))
        show_rows(page, answer);
    else
        pm_lanes_free(answer);
}

static void row_selected(PmGrid *grid, PmBlockersPage *page)
{
    gpointer item;

    if (pm_grid_get_selected(grid, &item, 1))
        pm_state_select_key(page->state, PM_ASPECT_BLOCKER, ((const PmMetricsRow *)item)->blocker);
    else
        pm_state_set_selection(page->state, NULL);
}

static void row_activated(PmGrid *grid, PmBlockersPage *page)
{
    pm_state_set_detail(page->state, TRUE);
}

static void row_hovered(PmGrid *grid, PmBlockersPage *page)
{
    guint depth;
    const PmMetricsRow *row = pm_grid_get_hovered(grid, &depth);

    pm_state_set_hover(page->state, row != NULL, PM_ASPECT_BLOCKER, row ? row->blocker : 0);
}

static void show_selection(PmBlockersPage *page)
{
    const PmSelection *selection = pm_state_get_selection(page->state);
    const PmMetrics *metrics = pm_state_get_metrics(page->state);
    gpointer item;

    for (guint i = 0; i < selection->n && metrics; i++) {
        if (selection->aspects[i] != PM_ASPECT_BLOCKER)
            continue;
        if (pm_grid_get_selected(page->grid, &item, 1) &&
            ((const PmMetricsRow *)item)->blocker == selection->keys[i])
            return;
        for (guint kind = 0; kind < PM_N_KINDS; kind++) {
            const guint64 key = selection->keys[i] << 8 | kind;
            if (pm_grid_select(page->grid, &key, 1))
                return;
        }
    }
    pm_grid_select(page->grid, NULL, 0);
}

static void show_results(PmBlockersPage *page)
{
    PmResults *results = pm_state_get_results(page->state);

    if (!gtk_widget_get_mapped(GTK_WIDGET(page))) {
        page->stale = TRUE;
        return;
    }
    page->stale = FALSE;
    const gboolean empty = pm_state_page_explain(PM_STATE_PAGE(page->empty), page->state);
    gtk_stack_set_visible_child_name(GTK_STACK(page->stack), empty ? "empty" : "rows");
    if (!results || empty) {
        pm_grid_set_data(page->grid, NULL, FALSE);
        gtk_label_set_text(GTK_LABEL(page->count), "");
        return;
    }
    g_autofree char *count = pm_number_plural((gint64)results->metrics->n, "blocker", "blockers");
    gtk_label_set_text(GTK_LABEL(page->count), count);
    show_rows(page, NULL);
    pm_job_ask(page->sparks, pm_view_ref(results->view));
    show_selection(page);
}

static void pm_blockers_page_map(GtkWidget *widget)
{
    GTK_WIDGET_CLASS(pm_blockers_page_parent_class)->map(widget);
    if (PM_BLOCKERS_PAGE(widget)->stale)
        show_results(PM_BLOCKERS_PAGE(widget));
}

static void state_changed(PmState *state, guint mask, PmBlockersPage *page)
{
    if (mask & (PM_CHANGE_RESULTS | PM_CHANGE_RECORDING | PM_CHANGE_DARK))
        show_results(page);
    else if (mask & PM_CHANGE_SELECTION)
        show_selection(page);
    if (mask & PM_CHANGE_SEARCH)
        pm_grid_search(page->grid, pm_state_get_search(state), +1);
}

static void search_stepped(PmState *state, int direction, PmBlockersPage *page)
{
    pm_grid_search(page->grid, pm_state_get_search(state), direction);
}

static void copy_row(GSimpleAction *action, GVariant *value, gpointer user_data)
{
    PmBlockersPage *page = user_data;

    pm_grid_copy(page->grid);
}

/* ---- the widget ---- */

static gboolean pm_blockers_page_grab_focus(GtkWidget *widget)
{
    PmBlockersPage *page = PM_BLOCKERS_PAGE(widget);

    if (!gtk_widget_grab_focus(GTK_WIDGET(page->grid)))
        return FALSE;
    if (!pm_state_get_selection(page->state)->n)
        pm_grid_select_first(page->grid);
    return TRUE;
}

static void pm_blockers_page_dispose(GObject *object)
{
    PmBlockersPage *page = PM_BLOCKERS_PAGE(object);

    if (page->state)
        g_signal_handlers_disconnect_by_data(page->state, page);
    g_clear_pointer(&page->sparks, pm_job_free);
    g_clear_pointer(&page->box, gtk_widget_unparent);
    g_clear_object(&page->state);
    G_OBJECT_CLASS(pm_blockers_page_parent_class)->dispose(object);
}

static void pm_blockers_page_class_init(PmBlockersPageClass *class)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

    G_OBJECT_CLASS(class)->dispose = pm_blockers_page_dispose;
    widget_class->grab_focus = pm_blockers_page_grab_focus;
    widget_class->focus = pm_focus_child;
    widget_class->map = pm_blockers_page_map;
    gtk_widget_class_set_layout_manager_type(widget_class, GTK_TYPE_BIN_LAYOUT);
    gtk_widget_class_set_css_name(widget_class, "pm-blockers-page");
}

static void pm_blockers_page_init(PmBlockersPage *page)
{
    static const GActionEntry actions[] = {{.name = "copy", .activate = copy_row}};
    g_autoptr(GSimpleActionGroup) group = g_simple_action_group_new();

    g_action_map_add_action_entries(G_ACTION_MAP(group), actions, G_N_ELEMENTS(actions), page);
    gtk_widget_insert_action_group(GTK_WIDGET(page), "page", G_ACTION_GROUP(group));
    pm_keys_bind(GTK_WIDGET(page), PM_KEYS_PAGE);
    pm_page_style_install(gtk_widget_get_display(GTK_WIDGET(page)));
}

static GtkWidget *bar_new(PmBlockersPage *page)
{
    GtkWidget *bar = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);

    page->count = gtk_label_new(NULL);
    gtk_label_set_xalign(GTK_LABEL(page->count), 0);
    gtk_widget_set_hexpand(page->count, TRUE);
    gtk_widget_add_css_class(page->count, "dim-label");
    gtk_widget_add_css_class(bar, "pm-page-bar");
    gtk_box_append(GTK_BOX(bar), page->count);
    gtk_box_append(GTK_BOX(bar), pm_grid_sort_button(page->grid));
    gtk_box_append(GTK_BOX(bar), pm_grid_columns_button(page->grid));
    return bar;
}

GtkWidget *pm_blockers_page_new(PmState *state)
{
    PmBlockersPage *page = g_object_new(PM_TYPE_BLOCKERS_PAGE, NULL);

    page->state = g_object_ref(state);
    page->sparks = pm_job_new(sparks_run, (GDestroyNotify)pm_view_unref,
                              (GDestroyNotify)pm_lanes_free, sparks_done, page);
    page->grid = pm_grid_new(&shape);
    page->empty = pm_state_page_new();
    page->stack = gtk_stack_new();
    gtk_stack_add_named(GTK_STACK(page->stack), GTK_WIDGET(page->grid), "rows");
    gtk_stack_add_named(GTK_STACK(page->stack), page->empty, "empty");
    page->box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
    gtk_box_append(GTK_BOX(page->box), bar_new(page));
    gtk_box_append(GTK_BOX(page->box), page->stack);
    gtk_widget_set_parent(page->box, GTK_WIDGET(page));
    g_signal_connect(page->grid, "selected", G_CALLBACK(row_selected), page);
    g_signal_connect(page->grid, "activated", G_CALLBACK(row_activated), page);
    g_signal_connect(page->grid, "hovered", G_CALLBACK(row_hovered), page);
    g_signal_connect(state, "changed", G_CALLBACK(state_changed), page);
    g_signal_connect(state, "search-step", G_CALLBACK(search_stepped), page);
    page->stale = TRUE;
    return GTK_WIDGET(page);
}

PmGrid *pm_blockers_page_get_grid(GtkWidget *page)
{
    return PM_BLOCKERS_PAGE(page)->grid;
}
