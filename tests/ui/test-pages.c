/* The pages show what the analysis says: each number in a row is computed a second time here from
 * the same recording. */
#include <glib/gstdio.h>
#include <gtk/gtk.h>
#include <math.h>
#include <string.h>

#include "tests/analysis/made.h"
#include "tests/format/synthetic.h"
#include "tests/ui/drive.h"
#include "tests/ui/showcase.h"
#include "viewer/analysis/code/own-code.h"
#include "viewer/analysis/loading/load.h"
#include "viewer/analysis/recording/label.h"
#include "viewer/report/frame-text.h"
#include "viewer/ui/model/levels.h"
#include "viewer/ui/model/number.h"
#include "viewer/ui/pages/blockers-page.h"
#include "viewer/ui/pages/flames-page.h"
#include "viewer/ui/pages/state-page.h"
#include "viewer/ui/pages/memory-page.h"
#include "viewer/ui/pages/summary-page.h"
#include "viewer/ui/pages/table-page.h"
#include "viewer/ui/pages/threads-page.h"
#include "viewer/ui/pages/tree-page.h"
#include "viewer/ui/panes/detail-pane.h"
#include "viewer/ui/panes/memory-side.h"
#include "viewer/ui/panes/summary-side.h"
#include "viewer/ui/widgets/element.h"
#include "viewer/ui/widgets/flame-graph.h"
#include "viewer/ui/widgets/name-label.h"
#include "viewer/ui/widgets/share-cell.h"
#include "viewer/ui/widgets/stacked-bar.h"

#define NS G_GINT64_CONSTANT(1000000000)

static char *directory;

/* ---- a page in a window ---- */

struct stage {
    PmState *state;
    GtkWidget *window, *page;
};

static PmRecording *load(const char *kind)
{
    g_autofree char *path = g_strdup_printf("%s/%s.park", directory, kind);
    g_autoptr(GError) error = NULL;

    if (!g_file_test(path, G_FILE_TEST_EXISTS))
        g_assert_true(pm_showcase_write(kind, path));
    PmRecording *recording = pm_recording_load(path, 1, NULL, NULL, NULL, &error);
    g_assert_no_error(error);
    return recording;
}

static void until(gboolean (*done)(struct stage *stage), struct stage *stage)
{
    const gint64 give_up = g_get_monotonic_time() + 120 * G_USEC_PER_SEC;

    while (!done(stage)) {
        g_assert_cmpint(g_get_monotonic_time(), <, give_up);
        if (!g_main_context_iteration(NULL, FALSE))
            g_usleep(2000);
    }
    while (g_main_context_iteration(NULL, FALSE))
        ;
}

static gboolean is_ready(struct stage *stage)
{
    return pm_state_get_results(stage->state) && pm_state_get_curves(stage->state) &&
           !pm_state_is_busy(stage->state) && gtk_widget_get_mapped(stage->page);
}

static struct stage stage_of(PmRecording *recording, GtkWidget *(*make)(PmState *state))
{
    struct stage stage = {.state = pm_state_new(), .window = gtk_window_new()};

    stage.page = make(stage.state);
    gtk_window_set_default_size(GTK_WINDOW(stage.window), 1200, 700);
    gtk_window_set_child(GTK_WINDOW(stage.window), stage.page);
    gtk_window_present(GTK_WINDOW(stage.window));
    pm_state_set_recording(stage.state, recording);
    until(is_ready, &stage);
    return stage;
}

static struct stage stage_new(const char *kind, GtkWidget *(*make)(PmState *state))
{
    g_autoptr(PmRecording) recording = load(kind);

    return stage_of(recording, make);
}

static void stage_clear(struct stage *stage)
{
    gtk_window_destroy(GTK_WINDOW(stage->window));
    while (g_main_context_iteration(NULL, FALSE))
        ;
    g_clear_object(&stage->state);
}

/* Its lanes lie under the whole page. */
static GtkWidget *threads_page_new(PmState *state)
{
    GtkWidget *axis = gtk_label_new(NULL);
    GtkWidget *page = pm_threads_page_new(state, axis);

    g_object_set_data_full(G_OBJECT(page), "axis", g_object_ref_sink(axis), g_object_unref);
    return page;
}

static void assert_cell(PmGrid *grid, guint row, const char *column, const char *wanted)
{
    g_autofree char *text = pm_grid_cell_text(grid, row, column);

    g_assert_cmpstr(text, ==, wanted);
}

/* ---- tree ---- */

static void assert_rows_are_nodes(PmGrid *grid, guint first, PmTreeNode *parent, PmTree *tree)
{
    const PmUnit time = pm_number_unit(tree->root->thread_time);
    const PmUnit longest = pm_number_unit(tree->root->longest);

    for (guint i = 0; i < parent->n_children; i++) {
        const PmTreeNode *node = parent->children[i];
        g_autofree char *full = pm_aspect_key_text(tree->view->recording, node->aspect, node->key);
        g_autofree char *name = pm_frame_text_short(full);
        g_autofree char *time_text = pm_number_time(&time, (double)node->thread_time);
        g_autofree char *longest_text = pm_number_time(&longest, (double)node->longest);
        g_autofree char *count_text = pm_number_count(node->count);
        g_autofree char *label = pm_grid_cell_text(grid, first + i, "label");
        g_assert_true(g_str_has_suffix(label, name));
        assert_cell(grid, first + i, "time", time_text);
        assert_cell(grid, first + i, "longest", longest_text);
        assert_cell(grid, first + i, "count", count_text);
    }
}

/* What the analysis says for the state's range, chips and levels. */
static PmTree *tree_of(PmState *state)
{
    guint n;
    const PmAspect *aspects = pm_state_get_aspects(state, &n);
    g_autoptr(PmView) view = drive_view(state);
    return pm_tree_new(view, aspects, n, NULL);
}

static void tree_rows_are_the_analysis(void)
{
    struct stage stage = stage_new("hot-lock", pm_tree_page_new);
    PmGrid *grid = pm_table_page_get_grid(PM_TABLE_PAGE(stage.page));
    g_autoptr(PmTree) tree = tree_of(stage.state);

    g_assert_true(drive_says(stage.window, "Columns"));
    g_assert_cmpuint(tree->root->n_children, >, 1);
    g_assert_cmpuint(pm_grid_n_rows(grid), ==, tree->root->n_children);
    assert_rows_are_nodes(grid, 0, tree->root, tree);
    g_assert_true(pm_grid_set_expanded(grid, 0, TRUE));
    /* It is like no other: its own row is left out. */
    PmTreeNode *lock = tree->root->children[0]->children[0];
    g_assert_cmpuint(tree->root->children[0]->n_children, ==, 1);
    g_assert_cmpuint(pm_grid_n_rows(grid), ==, tree->root->n_children + lock->n_children);
    assert_rows_are_nodes(grid, 1, lock, tree);
    stage_clear(&stage);
}

/* Futures that are made for one wait each are one row, and one band of the chart. */
static void tree_has_one_row_for_all_that_are_alike(void)
{
    struct stage stage = stage_new("pool", pm_tree_page_new);
    PmGrid *grid = pm_table_page_get_grid(PM_TABLE_PAGE(stage.page));
    const PmRecording *r = pm_state_get_recording(stage.state);
    guint n_futures = 0;

    for (guint32 i = 1; i < r->n_blockers; i++)
        n_futures += g_str_has_suffix(r->classes[r->blockers[i].class_index].name, ".FutureTask");
    g_assert_cmpuint(n_futures, >, 1000);
    g_assert_cmpuint(pm_grid_n_rows(grid), ==, 2);
    g_autofree char *label = g_strdup_printf("FutureTask (%u) · ReportService.render", n_futures);
    assert_cell(grid, 0, "label", label);
    assert_cell(grid, 1, "label", "SynchronousQueue$TransferQueue 00006b21 · ConcurrentBag.borrow");
    const PmBandOrder *order = pm_state_get_curves(stage.state)->order;
    g_assert_cmpuint(pm_band_order_n(order), ==, 2);
    g_assert_cmpuint(pm_band_order_get(order, 0)->key, ==,
                     ((PmTreeNode *)pm_grid_get_item(grid, 0))->key);
    g_assert_true(pm_grid_set_expanded(grid, 0, TRUE));
    g_assert_cmpuint(pm_grid_n_rows(grid), ==, 2 + n_futures);
    /* One of them, chosen on another page, is found under them. */
    const guint64 last = ((PmTreeNode *)pm_grid_get_item(grid, n_futures))->key;
    gpointer items[PM_N_ASPECTS];
    pm_state_select_key(stage.state, PM_ASPECT_BLOCKER, last);
    g_assert_cmpuint(pm_grid_get_selected(grid, items, PM_N_ASPECTS), ==, 2);
    g_assert_cmpuint(((PmTreeNode *)items[1])->key, ==, last);
    stage_clear(&stage);
}

static void tree_follows_the_range(void)
{
    struct stage stage = stage_new("hot-lock", pm_tree_page_new);
    PmGrid *grid = pm_table_page_get_grid(PM_TABLE_PAGE(stage.page));
    g_autoptr(PmTree) whole = tree_of(stage.state);

    g_assert_true(pm_grid_set_expanded(grid, 0, TRUE));
    pm_state_set_range(stage.state, G_GINT64_CONSTANT(20000000000), G_GINT64_CONSTANT(25500000000));
    until(is_ready, &stage);
    g_autoptr(PmTree) tree = tree_of(stage.state);
    g_assert_cmpint(tree->root->thread_time, >, 0);
    g_assert_cmpint(tree->root->thread_time, <, whole->root->thread_time);
    /* What was open stays open. */
    /* It is like no other: its own row is left out. */
    PmTreeNode *lock = tree->root->children[0]->children[0];
    g_assert_cmpuint(tree->root->children[0]->n_children, ==, 1);
    g_assert_cmpuint(pm_grid_n_rows(grid), ==, tree->root->n_children + lock->n_children);
    assert_rows_are_nodes(grid, 1, lock, tree);
    stage_clear(&stage);
}

static void tree_follows_the_levels(void)
{
    struct stage stage = stage_new("pool", pm_tree_page_new);
    PmGrid *grid = pm_table_page_get_grid(PM_TABLE_PAGE(stage.page));

    for (guint i = 0; i < pm_n_tree_presets; i++) {
        pm_state_set_aspects(stage.state, pm_tree_presets[i].aspects, pm_tree_presets[i].n_aspects);
        until(is_ready, &stage);
        g_autoptr(PmTree) tree = tree_of(stage.state);
        g_assert_cmpuint(pm_grid_n_rows(grid), ==, tree->root->n_children);
        assert_rows_are_nodes(grid, 0, tree->root, tree);
    }
    stage_clear(&stage);
}

static void tree_sorts_by_any_column(void)
{
    static const char *const numbers[] = {"time", "count", "longest"};
    struct stage stage = stage_new("crowd", pm_tree_page_new);
    PmGrid *grid = pm_table_page_get_grid(PM_TABLE_PAGE(stage.page));
    const guint n = MIN(pm_grid_n_rows(grid), 40);

    for (guint c = 0; c < G_N_ELEMENTS(numbers); c++)
        for (guint descending = 0; descending < 2; descending++) {
            pm_grid_sort_by(grid, numbers[c], descending);
            for (guint i = 0; i + 1 < n; i++) {
                const PmTreeNode *a = pm_grid_get_item(grid, i);
                const PmTreeNode *b = pm_grid_get_item(grid, i + 1);
                const gint64 x = c == 0 ? a->thread_time : c == 1 ? a->count : a->longest;
                const gint64 y = c == 0 ? b->thread_time : c == 1 ? b->count : b->longest;
                if (a->pseudo == b->pseudo)
                    g_assert_true(descending ? x >= y : x <= y);
                else
                    g_assert_true(b->pseudo);
            }
        }
    pm_grid_sort_by(grid, "label", FALSE);
    for (guint i = 0; i + 1 < n; i++) {
        g_autofree char *a = pm_grid_cell_text(grid, i, "label");
        g_autofree char *b = pm_grid_cell_text(grid, i + 1, "label");
        g_assert_cmpint(g_utf8_collate(a, b), <=, 0);
    }
    stage_clear(&stage);
}

/* ---- the grid alone ---- */

#define N_NUMBERED 500

/* Data: the number that is added to each row's. Items: positions from 1. */
static gpointer *numbered_children(gpointer item, gpointer data, guint *ret_n)
{
    static gpointer items[N_NUMBERED];

    for (guint i = 0; i < N_NUMBERED; i++)
        items[i] = GUINT_TO_POINTER(i + 1);
    *ret_n = N_NUMBERED;
    return items;
}

static guint64 numbered_key(gpointer item)
{
    return GPOINTER_TO_UINT(item);
}

static double numbered_value(gpointer item, gpointer data)
{
    return (double)(*(guint *)data + GPOINTER_TO_UINT(item));
}

static char *numbered_name(gpointer item, gpointer data)
{
    return g_strdup_printf("row %u", GPOINTER_TO_UINT(item));
}

static gpointer numbered_data(guint added)
{
    guint *box = g_rc_box_new(guint);

    *box = added;
    return box;
}

static void clear_nothing(gpointer data)
{
}

static const PmGridColumn numbered_columns[] = {
    {"name", "Name", "", 200, PM_GRID_NAME, .text = numbered_name},
    {"value", "Value", "", 100, 0, PM_GRID_COUNT, .value = numbered_value},
};
static const PmGridShape numbered = {.name = "Numbers",
                                     .columns = numbered_columns,
                                     .n_columns = G_N_ELEMENTS(numbered_columns),
                                     .sort_column = "value",
                                     .children = numbered_children,
                                     .key = numbered_key,
                                     .clear_data = clear_nothing};

/* How many numbers between two stand in labels in the window's area; those out of it do not count.
 */
static guint count_numbers(GtkWidget *widget, GtkWidget *window, guint from, guint to)
{
    graphene_rect_t at;
    guint n = 0;

    if (GTK_IS_LABEL(widget) && gtk_widget_get_mapped(widget) &&
        gtk_widget_compute_bounds(widget, window, &at) && at.origin.y >= 0 &&
        at.origin.y < (float)gtk_widget_get_height(window)) {
        g_auto(GStrv) parts = g_strsplit(gtk_label_get_text(GTK_LABEL(widget)), "\u202f", -1);
        g_autofree char *digits = g_strjoinv("", parts);
        char *end;
        const guint64 value = g_ascii_strtoull(digits, &end, 10);
        n = end > digits && !*end && value >= from && value < to;
    }
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
         child = gtk_widget_get_next_sibling(child))
        n += count_numbers(child, window, from, to);
    return n;
}

static void count_changes(GListModel *model, guint position, guint removed, guint added, guint *n)
{
    ++*n;
}

static void draw(GtkWidget *window)
{
    gtk_test_widget_wait_for_draw(window);
    while (g_main_context_iteration(NULL, FALSE))
        ;
}

static void grid_takes_new_numbers_into_the_same_rows(void)
{
    PmGrid *grid = pm_grid_new(&numbered);
    GtkWidget *window = gtk_window_new();
    gpointer selected = NULL;
    guint n_changes = 0;

    gtk_window_set_default_size(GTK_WINDOW(window), 500, 400);
    gtk_window_set_child(GTK_WINDOW(window), GTK_WIDGET(grid));
    gtk_window_present(GTK_WINDOW(window));
    pm_grid_set_data(grid, numbered_data(1000), FALSE);
    pm_grid_select_first(grid);
    draw(window);
    const guint n_seen = count_numbers(window, window, 1000, 2000);
    g_assert_cmpuint(n_seen, >, 5);
    GtkColumnView *view = GTK_COLUMN_VIEW(drive_find_mapped(window, GTK_TYPE_COLUMN_VIEW));
    g_signal_connect(gtk_column_view_get_model(view), "items-changed", G_CALLBACK(count_changes),
                     &n_changes);

    pm_grid_set_data(grid, numbered_data(3000), TRUE);
    draw(window);
    g_assert_cmpuint(n_changes, ==, 0);
    g_assert_cmpuint(count_numbers(window, window, 1000, 2000), ==, 0);
    g_assert_cmpuint(count_numbers(window, window, 3000, 4000), ==, n_seen);
    g_assert_cmpuint(pm_grid_get_selected(grid, &selected, 1), ==, 1);
    g_assert_cmpuint(GPOINTER_TO_UINT(selected), ==, N_NUMBERED);
    /* What was not seen then is right when it is. */
    GtkScrolledWindow *scroller =
        GTK_SCROLLED_WINDOW(gtk_widget_get_ancestor(GTK_WIDGET(view), GTK_TYPE_SCROLLED_WINDOW));
    GtkAdjustment *down = gtk_scrolled_window_get_vadjustment(scroller);
    gtk_adjustment_set_value(down, 2 * gtk_adjustment_get_page_size(down));
    draw(window);
    g_assert_cmpuint(count_numbers(window, window, 1000, 2000), ==, 0);
    g_assert_cmpuint(count_numbers(window, window, 3000, 4000), >, 5);
    /* Other numbers, other order: other rows. */
    pm_grid_sort_by(grid, "value", FALSE);
    g_assert_cmpuint(n_changes, >, 0);
    gtk_window_destroy(GTK_WINDOW(window));
}

/* While a range is dragged, rows that stay the same ones show its numbers. */
static void tree_keeps_its_rows_in_a_drag(void)
{
    struct stage stage = stage_new("hot-lock", pm_tree_page_new);
    PmGrid *grid = pm_table_page_get_grid(PM_TABLE_PAGE(stage.page));
    gint64 from, to;
    guint n_changes = 0;

    g_assert_true(pm_grid_set_expanded(grid, 0, TRUE));
    const guint n_rows = pm_grid_n_rows(grid);
    GtkColumnView *view = GTK_COLUMN_VIEW(drive_find_mapped(stage.window, GTK_TYPE_COLUMN_VIEW));
    g_signal_connect(gtk_column_view_get_model(view), "items-changed", G_CALLBACK(count_changes),
                     &n_changes);
    pm_state_get_whole(stage.state, &from, &to);
    pm_state_begin_drag(stage.state);
    pm_state_set_range(stage.state, from, to - (to - from) / 20);
    until(is_ready, &stage);
    g_autoptr(PmTree) tree = tree_of(stage.state);
    g_assert_cmpuint(n_changes, ==, 0);
    g_assert_cmpuint(pm_grid_n_rows(grid), ==, n_rows);
    assert_rows_are_nodes(grid, 1, tree->root->children[0]->children[0], tree);
    g_autofree char *count = pm_number_count(tree->root->children[0]->count);
    assert_cell(grid, 0, "count", count);
    g_assert_true(drive_says(stage.window, count));
    pm_state_end_drag(stage.state);
    until(is_ready, &stage);
    g_assert_cmpuint(n_changes, ==, 0);
    stage_clear(&stage);
}

static void tree_selects_both_ways(void)
{
    struct stage stage = stage_new("hot-lock", pm_tree_page_new);
    PmGrid *grid = pm_table_page_get_grid(PM_TABLE_PAGE(stage.page));
    const PmTreeNode *second = pm_grid_get_item(grid, 1);
    gpointer items[PM_N_ASPECTS];
    PmAspect aspect;
    guint64 key;

    pm_state_select_key(stage.state, second->aspect, second->key);
    g_assert_cmpuint(pm_grid_get_selected(grid, items, PM_N_ASPECTS), ==, 1);
    g_assert_true(items[0] == second);
    pm_grid_select_first(grid);
    const PmTreeNode *first = pm_grid_get_item(grid, 0);
    g_assert_true(pm_selection_key(pm_state_get_selection(stage.state), &aspect, &key));
    g_assert_true(aspect == first->aspect && key == first->key);
    stage_clear(&stage);
}

static void tree_says_why_it_is_empty(void)
{
    struct stage stage = stage_new("hot-lock", pm_tree_page_new);

    pm_state_add_chip(stage.state, PM_ASPECT_THREAD, "no such thread", FALSE);
    until(is_ready, &stage);
    GtkWidget *page = drive_find_mapped(stage.window, PM_TYPE_STATE_PAGE);
    g_assert_nonnull(page);
    g_assert_cmpint(pm_state_page_get(PM_STATE_PAGE(page)), ==, PM_STATE_FILTERS_EMPTY);
    g_assert_true(drive_says(page, "No wait matches"));
    /* Nothing is there to sort, nor to be grouped. */
    g_assert_false(drive_says(stage.window, "Similar blockers"));
    g_assert_false(drive_says(stage.window, "Sort"));
    g_assert_false(drive_says(stage.window, "Columns"));
    pm_state_clear_filters(stage.state);
    until(is_ready, &stage);
    g_assert_null(drive_find_mapped(stage.window, PM_TYPE_STATE_PAGE));
    g_assert_true(drive_says(stage.window, "Similar blockers"));
    g_assert_true(drive_says(stage.window, "Sort"));
    g_assert_true(drive_says(stage.window, "Columns"));
    stage_clear(&stage);
}

/* ---- blockers ---- */

static void tree_says_what_is_only_counted(void)
{
    struct stage stage = stage_new("counted", pm_tree_page_new);

    g_assert_cmpint(
        pm_state_page_get(PM_STATE_PAGE(drive_find_mapped(stage.window, PM_TYPE_STATE_PAGE))), ==,
        PM_STATE_ONLY_COUNTERS);
    g_assert_true(drive_says(stage.window, "parkctl 2217 set events=on"));
    stage_clear(&stage);
}

/* Nobody saw whether they wait. */
static void threads_that_are_only_counted_do_not_wait_for_nothing(void)
{
    struct stage stage = stage_new("counted", threads_page_new);
    PmGrid *grid = pm_table_page_get_grid(PM_TABLE_PAGE(stage.page));

    g_assert_cmpuint(pm_grid_n_rows(grid), >, 0);
    for (guint i = 0; i < pm_grid_n_rows(grid); i++) {
        assert_cell(grid, i, "waiting", "–");
        assert_cell(grid, i, "idle", "–");
        assert_cell(grid, i, "time", "–");
        assert_cell(grid, i, "waits", "");
        assert_cell(grid, i, "longest", "–");
    }
    stage_clear(&stage);
    stage = stage_new("counted", pm_summary_side_new);
    g_assert_true(drive_says(stage.window, "· not recorded 91.7\u202f%"));
    stage_clear(&stage);
}

static void blockers_are_the_metrics(void)
{
    struct stage stage = stage_new("hot-lock", pm_blockers_page_new);
    PmGrid *grid = pm_table_page_get_grid(PM_TABLE_PAGE(stage.page));
    g_autoptr(PmView) view =
        pm_view_new(pm_state_get_recording(stage.state), pm_state_get_filter(stage.state), NULL);
    g_autoptr(PmMetrics) metrics = pm_metrics_new(view, NULL);

    g_assert_cmpuint(metrics->n, >, 1);
    g_assert_cmpuint(pm_grid_n_rows(grid), ==, metrics->n);
    for (guint i = 0; i < metrics->n; i++) {
        const PmMetricsRow *row = &metrics->rows[i];
        g_autofree char *label = pm_label_blocker(view->recording, row->blocker);
        g_autofree char *times = pm_number_count(row->times_parked);
        g_autofree char *peak = pm_number_count(row->peak_parked);
        g_autofree char *real = pm_number_percent(row->real_time_util);
        const double threads = (double)row->thread_time / (double)view->recorded;
        g_autofree char *waiting =
            threads < 0.05 ? g_strdup("<0.1") : g_strdup_printf("%.1f", threads);
        assert_cell(grid, i, "label", label);
        assert_cell(grid, i, "times", times);
        assert_cell(grid, i, "peak", peak);
        assert_cell(grid, i, "real-percent", real);
        assert_cell(grid, i, "waiting", waiting);
    }
    stage_clear(&stage);
}

/* How many wait for any of them at once, instant by instant, and how long anybody does. */
static guint brute_peak(const PmView *view, guint64 alike, gint64 *ret_real)
{
    const PmWaits *w = &view->recording->waits;
    g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(guint32));
    gint64 covered = G_MININT64;
    guint peak = 0;

    *ret_real = 0;
    for (gsize i = 0; i < view->n; i++) {
        const guint32 row = pm_view_row(view, i);
        if (pm_aspect_key(view->recording, PM_ASPECT_ALIKE, row) == alike)
            g_array_append_val(rows, row);
    }
    for (guint i = 0; i < rows->len; i++) {
        const guint32 row = g_array_index(rows, guint32, i);
        const gint64 begin = pm_wait_begin(w, row), end = pm_wait_end(w, row);
        guint n = 0;
        for (guint k = 0; k < rows->len; k++)
            n += pm_wait_begin(w, g_array_index(rows, guint32, k)) <= begin &&
                 pm_wait_end(w, g_array_index(rows, guint32, k)) > begin;
        peak = MAX(peak, n);
        *ret_real += MAX(end - MAX(begin, covered), 0);
        covered = MAX(end, covered);
    }
    return peak;
}

static gboolean is_future(const PmRecording *r, guint32 blocker)
{
    return g_str_has_suffix(r->classes[r->blockers[blocker].class_index].name, ".FutureTask");
}

/* Futures that are made for one wait each are one row, which opens to them; its numbers are of all
 * of them together. */
static void blockers_that_are_alike_are_one_row(void)
{
    struct stage stage = stage_new("pool", pm_blockers_page_new);
    PmGrid *grid = pm_table_page_get_grid(PM_TABLE_PAGE(stage.page));
    const PmMetrics *metrics = pm_state_get_results(stage.state)->metrics;
    const PmView *view = pm_state_get_view(stage.state);
    const PmMetricsRow *first = metrics->rows;
    while (!is_future(view->recording, first->blocker))
        first++;
    const guint64 alike = pm_aspects[PM_ASPECT_ALIKE].key(view->recording, first->blocker);
    gint64 times = 0, thread_time = 0, longest = 0, real;
    guint n = 0;

    for (gsize i = 0; i < metrics->n; i++) {
        const PmMetricsRow *row = &metrics->rows[i];
        if (pm_aspects[PM_ASPECT_ALIKE].key(view->recording, row->blocker) != alike)
            continue;
        n++;
        times += row->times_parked;
        thread_time += row->thread_time;
        longest = MAX(longest, row->longest);
    }
    g_assert_cmpuint(n, >, 500);
    g_assert_cmpuint(pm_grid_n_rows(grid), ==, metrics->n - n + 1);
    g_autofree char *label = pm_label_alike(view->recording, first->blocker);
    g_autofree char *times_text = pm_number_count(times);
    g_autofree char *peak = pm_number_count(brute_peak(view, alike, &real));
    g_autofree char *percent = pm_number_percent((double)real / (double)view->recorded);
    assert_cell(grid, 0, "label", label);
    assert_cell(grid, 0, "times", times_text);
    assert_cell(grid, 0, "peak", peak);
    assert_cell(grid, 0, "real-percent", percent);
    const PmMetricsRow *sum = pm_grid_get_item(grid, 0);
    g_assert_cmpint(sum->thread_time, ==, thread_time);
    g_assert_cmpint(sum->longest, ==, longest);
    /* Selecting one of them opens the row, selecting the row is all of them. */
    pm_state_select_key(stage.state, PM_ASPECT_BLOCKER, first->blocker);
    g_assert_cmpuint(pm_grid_n_rows(grid), ==, metrics->n + 1);
    gpointer items[4];
    g_assert_cmpuint(pm_grid_get_selected(grid, items, G_N_ELEMENTS(items)), ==, 2);
    g_assert_true(items[1] == first);
    pm_state_select_key(stage.state, PM_ASPECT_ALIKE, alike);
    g_assert_cmpuint(pm_grid_get_selected(grid, items, G_N_ELEMENTS(items)), ==, 1);
    stage_clear(&stage);
}

/* Waits to enter a monitor and waits in it: two rows, which differ in their names. */
static void blockers_say_how_they_are_waited_for(void)
{
    PmMade m = pm_made_begin();
    const guint32 queue = pm_made_blocker(&m, m.lock_class, 7, m.lock_chain);

    m.assembly->duration = 10 * NS;
    for (guint i = 0; i < 2; i++) {
        PM_MADE_WAIT(m.assembly, NS, (3 - i) * NS, pm_made_thread(&m, "exec-%u", i), queue,
                     m.lock_chain, .kind = i ? PM_KIND_ENTER : PM_KIND_WAIT);
    }
    g_autoptr(PmRecording) recording = pm_assembly_finish(m.assembly);
    struct stage stage = stage_of(recording, pm_blockers_page_new);
    PmGrid *grid = pm_table_page_get_grid(PM_TABLE_PAGE(stage.page));
    g_assert_cmpuint(pm_grid_n_rows(grid), ==, 2);
    g_autofree char *name = pm_label_blocker(recording, queue);
    for (guint i = 0; i < 2; i++) {
        g_autofree char *label =
            g_strdup_printf("%s (%s)", name, i ? "synchronized" : "Object.wait");
        assert_cell(grid, i, "label", label);
    }
    stage_clear(&stage);
}

static gboolean is_cut(GtkWidget *widget, gconstpointer text)
{
    int natural;

    if (!GTK_IS_LABEL(widget) || !strstr(gtk_label_get_text(GTK_LABEL(widget)), text))
        return FALSE;
    gtk_widget_measure(widget, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &natural, NULL, NULL);
    return gtk_widget_get_width(gtk_widget_get_parent(widget)) < natural;
}

static gboolean is_laid_out(GtkWidget *widget, gconstpointer text)
{
    return GTK_IS_LABEL(widget) && strstr(gtk_label_get_text(GTK_LABEL(widget)), text) &&
           gtk_widget_get_width(gtk_widget_get_parent(widget)) > 0;
}

/* Many short waits choose the unit; a long one has room in it. */
static void blockers_have_room_for_the_longest(void)
{
    PmMade m = pm_made_begin();
    const guint32 thread = pm_made_thread(&m, "exec");

    m.assembly->duration = 200 * NS;
    for (guint i = 0; i < 20; i++) {
        const guint32 lock =
            pm_made_blocker(&m, m.lock_class, 7 + i, i % 2 ? m.lock_chain : m.other_chain);
        pm_made_wait(&m, thread, lock, m.lock_chain, i * NS, i * NS + 4 * NS / 10000, 0);
    }
    pm_made_wait(&m, thread, pm_made_blocker(&m, m.queue_class, 3, m.lock_chain), m.lock_chain,
                 100 * NS, 100 * NS + 11498 * (NS / 1000), 0);
    g_autoptr(PmRecording) recording = pm_assembly_finish(m.assembly);
    struct stage stage = stage_of(recording, pm_blockers_page_new);
    for (guint i = 0; i < 100 && !drive_find_where(stage.window, is_laid_out, "11\u202f498"); i++)
        drive_spin(50);
    g_assert_nonnull(drive_find_where(stage.window, is_laid_out, "11\u202f498"));
    g_assert_null(drive_find_where(stage.window, is_cut, "11\u202f498"));
    stage_clear(&stage);
}

static void blockers_have_thousands_of_waiting_threads(void)
{
    PmMade m = pm_made_begin();
    const guint32 lock = pm_made_blocker(&m, m.lock_class, 7, m.lock_chain);

    m.assembly->duration = 10 * NS;
    for (guint i = 0; i < 1200; i++) {
        g_autofree char *name = g_strdup_printf("exec-%u", i);
        pm_made_wait(&m, pm_made_thread(&m, g_intern_string(name)), lock, m.lock_chain, 0, 10 * NS,
                     0);
    }
    g_autoptr(PmRecording) recording = pm_assembly_finish(m.assembly);
    struct stage stage = stage_of(recording, pm_blockers_page_new);
    assert_cell(pm_table_page_get_grid(PM_TABLE_PAGE(stage.page)), 0, "waiting", "1\u202f200.0");
    stage_clear(&stage);
}

/* A hold that was measured stands there as it is, an estimate with its sign. */
static void blockers_have_the_measured_hold(void)
{
    struct stage alternating = stage_new("alternating", pm_blockers_page_new);

    assert_cell(pm_table_page_get_grid(PM_TABLE_PAGE(alternating.page)), 0, "hold", "20.0\u202fms");
    stage_clear(&alternating);
    struct stage unseen = stage_new("hot-lock", pm_blockers_page_new);
    assert_cell(pm_table_page_get_grid(PM_TABLE_PAGE(unseen.page)), 0, "hold", "~17.7\u202fms");
    stage_clear(&unseen);
}

static guint n_titles(PmGrid *grid)
{
    GtkWidget *view = drive_find_mapped(GTK_WIDGET(grid), GTK_TYPE_COLUMN_VIEW);
    GListModel *columns = gtk_column_view_get_columns(GTK_COLUMN_VIEW(view));
    guint shown = 0;

    for (guint i = 0; i < g_list_model_get_n_items(columns); i++) {
        g_autoptr(GtkColumnViewColumn) column = g_list_model_get_item(columns, i);
        shown += gtk_column_view_column_get_visible(column);
    }
    return shown;
}

static void blockers_have_a_columns_menu(void)
{
    struct stage stage = stage_new("hot-lock", pm_blockers_page_new);
    PmGrid *grid = pm_table_page_get_grid(PM_TABLE_PAGE(stage.page));

    g_assert_cmpuint(n_titles(grid), ==, 11); /* ten and the sparkline */
    pm_grid_set_column_shown(grid, "p99", TRUE);
    pm_grid_set_column_shown(grid, "owner", TRUE);
    g_assert_cmpuint(n_titles(grid), ==, 13);
    pm_grid_set_column_shown(grid, "p99", FALSE);
    g_assert_cmpuint(n_titles(grid), ==, 12);
    stage_clear(&stage);
}

/* The tooltip of a column's title; NULL = there is none. */
static const char *help_of(PmGrid *grid, const char *title)
{
    GtkWidget *view = drive_find_mapped(GTK_WIDGET(grid), GTK_TYPE_COLUMN_VIEW);
    GtkWidget *child = gtk_widget_get_first_child(gtk_widget_get_first_child(view));

    while (child && !drive_says(child, title))
        child = gtk_widget_get_next_sibling(child);
    return child ? gtk_widget_get_tooltip_text(child) : NULL;
}

/* Titles keep their help when columns go and come back. */
static void titles_stay_with_their_columns(void)
{
    static const char *const ids[] = {"times", "peak", "longest"};
    struct stage stage = stage_new("hot-lock", pm_blockers_page_new);
    PmGrid *grid = pm_table_page_get_grid(PM_TABLE_PAGE(stage.page));

    for (guint i = 0; i < G_N_ELEMENTS(ids); i++)
        pm_grid_set_column_shown(grid, ids[i], FALSE);
    g_assert_null(help_of(grid, "Peak"));
    for (guint i = 0; i < G_N_ELEMENTS(ids); i++)
        pm_grid_set_column_shown(grid, ids[i], TRUE);
    until(is_ready, &stage);
    g_assert_cmpstr(help_of(grid, "Times"), ==, "Times parked: waits begun");
    g_assert_cmpstr(help_of(grid, "Peak"), ==, "Peak parked: the most threads at once");
    g_assert_cmpstr(help_of(grid, "Longest"), ==, "The longest wait; of one that goes on, so far");
    g_assert_cmpstr(help_of(grid, "Hold"), ==,
                    "Measured hold time; with ~ no hold was measured: real-time per ended wait");
    stage_clear(&stage);
}

static PmGrid *narrow_grid;
static guint titles_wanted;

static gboolean has_titles(struct stage *stage)
{
    return n_titles(narrow_grid) == titles_wanted;
}

static void blockers_leave_out_what_does_not_fit(void)
{
    struct stage stage = stage_new("hot-lock", pm_blockers_page_new);

    narrow_grid = pm_table_page_get_grid(PM_TABLE_PAGE(stage.page));
    titles_wanted = 6; /* up to thread-time */
    gtk_window_set_default_size(GTK_WINDOW(stage.window), 670, 600);
    until(has_titles, &stage);
    /* What is asked for comes all the same, what is sorted by too. */
    pm_grid_set_column_shown(narrow_grid, "longest", TRUE);
    g_assert_cmpuint(n_titles(narrow_grid), ==, 7);
    pm_grid_sort_by(narrow_grid, "hold", TRUE);
    g_assert_cmpuint(n_titles(narrow_grid), ==, 8);
    pm_grid_sort_by(narrow_grid, "time", TRUE);
    g_assert_cmpuint(n_titles(narrow_grid), ==, 7);
    titles_wanted = 11;
    gtk_window_set_default_size(GTK_WINDOW(stage.window), 1200, 700);
    until(has_titles, &stage);
    stage_clear(&stage);
}

/* ---- texts that wrap ---- */

/* What must not be broken of a label's text, from `start`; NULL = all may. Owned. */
static char *kept_from(GtkLabel *label, const char *start)
{
    const char *text = gtk_label_get_text(label), *at = strstr(text, start);
    g_autoptr(GSList) all = pango_attr_list_get_attributes(gtk_label_get_attributes(label));
    char *kept = NULL;

    g_assert_nonnull(at);
    for (GSList *a = all; a; a = a->next) {
        const PangoAttribute *attribute = a->data;
        if (attribute->klass->type == PANGO_ATTR_ALLOW_BREAKS &&
            attribute->start_index == (guint)(at - text))
            kept = g_strndup(at, attribute->end_index - attribute->start_index);
    }
    g_slist_foreach(all, (GFunc)(GCallback)pango_attribute_destroy, NULL);
    return kept;
}

static void amounts_stay_on_one_line(void)
{
    static const char *const amounts[] = {"65 %", "(1 min 0 s", "~1.4 ms", "≥\u202f1 min 0 s",
                                          "(≥\u202f3.0 s"};

    for (guint i = 0; i < G_N_ELEMENTS(amounts); i++) {
        g_autofree char *text = g_strdup_printf("It waits for %s or so", amounts[i]);
        GtkWidget *label = g_object_ref_sink(pm_element_text(text, PM_TEXT_WRAP, NULL));
        g_autofree char *kept = kept_from(GTK_LABEL(label), amounts[i]);
        g_assert_cmpstr(kept, ==, amounts[i]);
        g_object_unref(label);
    }
}

/* A long class is broken before its words, a file after its folders alone. */
static void names_of_files_stay_whole(void)
{
    GtkWidget *label = g_object_ref_sink(gtk_label_new(NULL));

    pm_element_set_text(GTK_LABEL(label), "parkctl report /var/tmp/recordings/orders-service.park");
    g_assert_null(strstr(gtk_label_get_text(GTK_LABEL(label)), "\u200b"));
    pm_element_set_text(GTK_LABEL(label), "AbstractOwnableSynchronizer.acquire");
    g_assert_nonnull(strstr(gtk_label_get_text(GTK_LABEL(label)), "\u200bSynchronizer\u200b.acq"));
    g_object_unref(label);
}

/* ---- flames ---- */

/* How many frames from `i` inwards the first box of the rest of a stack trace is of. */
static guint brute_step(const PmRecording *r, guint32 chain, guint i, gboolean fold)
{
    const PmOwnCode *own = pm_own_code(r);
    guint n = 0;

    while (fold && i > n + r->chains[chain].site && pm_own_is_around(own, r, chain, (gint)(i - n)))
        n++;
    return MAX(n, 1);
}

static gboolean brute_in(const PmFlame *flame, guint index, guint32 chain, gboolean fold)
{
    const PmChain *c = &flame->view->recording->chains[chain];
    g_autoptr(GPtrArray) path = g_ptr_array_new();
    guint left = c->n_frames;

    for (guint node = index; node; node = flame->nodes[node].parent)
        g_ptr_array_insert(path, 0, &flame->nodes[node]);
    for (guint i = 0; i < path->len; i++) {
        const PmFlameNode *node = path->pdata[i];
        if (left <= c->site)
            return FALSE;
        const guint n = brute_step(flame->view->recording, chain, left - 1, fold);
        if (node->method != (n > 1 ? PM_FLAME_FOLD : c->frames[left - 1].method))
            return FALSE;
        g_assert_cmpuint(n, >=, node->least_frames);
        g_assert_cmpuint(n, <=, node->n_frames);
        left -= n;
    }
    return TRUE;
}

/* Thread-time and number of the waits whose stack trace begins, from the outside, as the box is
 * called. */
static gint64 brute_box(const PmFlame *flame, guint index, gboolean fold, guint64 *ret_waits)
{
    const PmRecording *r = flame->view->recording;
    gint64 time = 0;

    *ret_waits = 0;
    for (gsize i = 0; i < flame->view->n; i++) {
        const guint32 row = pm_view_row(flame->view, i);
        const gboolean in = brute_in(flame, index, pm_wait_chain(&r->waits, row), fold);
        time += in ? pm_view_clip(flame->view, row) : 0;
        *ret_waits += in;
    }
    return time;
}

static void flames_are_the_waits(void)
{
    static const char *const kinds[] = {"hot-lock", "hot-lock", "pool", "own-main"};

    for (guint k = 0; k < G_N_ELEMENTS(kinds); k++) {
        g_autoptr(PmRecording) recording = load(kinds[k]);
        g_autoptr(PmFilter) filter = pm_filter_new();
        filter->from = NS;
        filter->to = 20 * NS;
        const gboolean fold = k != 0;
        g_autoptr(PmView) view = pm_view_new(recording, filter, NULL);
        g_autoptr(PmFlame) flame = pm_flame_new(view, fold, NULL);
        g_assert_cmpuint(flame->n, >, 6);
        g_assert_cmpint(flame->folded, ==, fold);
        g_assert_cmpint(flame->nodes[0].time, ==, view->thread_time);
        for (guint i = 0; i < flame->n; i++) {
            const PmFlameNode *node = &flame->nodes[i];
            guint64 waits;
            gint64 below = node->own_time, families = 0;
            g_assert_cmpint(node->time, ==, brute_box(flame, i, fold, &waits));
            g_assert_cmpuint(node->waits, ==, waits);
            for (guint f = 0; f < PM_N_FAMILIES; f++)
                families += node->family[f];
            g_assert_cmpint(node->time, ==, families);
            for (guint c = 0; c < node->n_children; c++) {
                const PmFlameNode *child = &flame->nodes[node->first_child + c];
                g_assert_cmpuint(child->parent, ==, i);
                g_assert_cmpint(child->begin, >=, node->begin);
                g_assert_cmpint(child->begin + child->time, <=, node->begin + node->time);
                below += child->time;
            }
            g_assert_cmpint(below, <=, node->time);
            /* Only what would not be seen is missing. */
            g_assert_cmpint(node->time - below, <=, flame->nodes[0].time / 1000);
        }
    }
}

static gboolean has_flames(struct stage *stage)
{
    return pm_flame_graph_current(
               PM_FLAME_GRAPH(drive_find_mapped(stage->window, PM_TYPE_FLAME_GRAPH))) != NULL;
}

/* A box of which no family has nearly all is not called by the biggest. */
static void flames_of_mixed_waits_are_called_so(void)
{
    PmFlameNode node = {.time = 1000, .family = {[PM_FAMILY_LOCK] = 900, [PM_FAMILY_JOIN] = 100}};

    g_assert_cmpint(pm_flame_family(&node), ==, PM_FAMILY_LOCK);
    node.family[PM_FAMILY_LOCK] = 899;
    node.family[PM_FAMILY_OTHER] = 1;
    g_assert_cmpint(pm_flame_family(&node), ==, PM_N_FAMILIES);

    struct stage stage = stage_new("pool", pm_flames_page_new);
    until(has_flames, &stage);
    GtkWidget *graph = drive_find_mapped(stage.window, PM_TYPE_FLAME_GRAPH);
    const PmFlameNode *all = pm_flame_graph_current(PM_FLAME_GRAPH(graph));
    g_assert_cmpint(pm_flame_family(all), ==, PM_N_FAMILIES);
    g_assert_true(drive_says(stage.window, "waits, mixed ("));
    stage_clear(&stage);
}

static const char *first_box;

static gboolean has_first_box(struct stage *stage)
{
    GtkWidget *graph = drive_find_mapped(stage->window, PM_TYPE_FLAME_GRAPH);

    gtk_widget_activate_action(graph, "flame.up", NULL);
    gtk_widget_activate_action(graph, "flame.down", NULL);
    g_autofree char *text = pm_flame_graph_text(PM_FLAME_GRAPH(graph));
    return text && g_str_has_prefix(text, first_box);
}

/* The program's own code comes first, whatever server calls it. */
static void flames_begin_with_own_code(void)
{
    struct stage stage = stage_new("hot-lock", pm_flames_page_new);

    first_box = "⋯ 5 library frames: ";
    until(has_first_box, &stage);
    GtkWidget *graph = drive_find_mapped(stage.window, PM_TYPE_FLAME_GRAPH);
    gtk_widget_activate_action(graph, "flame.down", NULL);
    g_autofree char *own = pm_flame_graph_text(PM_FLAME_GRAPH(graph));
    g_assert_true(g_str_has_prefix(own, "OrderController.list: "));
    gtk_widget_activate_action(stage.page, "page.unfold", NULL);
    first_box = "Thread.run: ";
    until(has_first_box, &stage);
    gtk_widget_activate_action(stage.page, "page.fold", NULL);
    first_box = "⋯ 5 library frames: ";
    until(has_first_box, &stage);
    stage_clear(&stage);
}

/* By keys: down to where the waiting is, into it, and out again; a box stays under a new range and
 * in a newer dump. */
static void flames_are_walked_by_keys(void)
{
    struct stage stage = stage_new("hot-lock", pm_flames_page_new);

    until(has_flames, &stage);
    GtkWidget *graph = drive_find_mapped(stage.window, PM_TYPE_FLAME_GRAPH);
    g_assert_true(drive_says(stage.window, "All waits: 100.0"));
    for (guint i = 0; i < 8; i++)
        gtk_widget_activate_action(graph, "flame.down", NULL);
    g_autofree char *text = pm_flame_graph_text(PM_FLAME_GRAPH(graph));
    g_assert_true(g_str_has_prefix(text, "PriceCache.get: 9"));
    g_assert_true(drive_says(stage.window, text));
    gtk_widget_activate_action(graph, "flame.choose", NULL);
    const PmSelection *selection = pm_state_get_selection(stage.state);
    g_assert_cmpint(selection->aspects[0], ==, PM_ASPECT_CHAIN);
    g_assert_cmpuint(selection->keys[0], ==, pm_flame_graph_current(PM_FLAME_GRAPH(graph))->chain);
    gtk_widget_activate_action(graph, "flame.in", NULL);
    gtk_widget_activate_action(graph, "flame.up", NULL);
    gtk_widget_activate_action(graph, "flame.out", NULL);
    pm_state_set_range(stage.state, NS, 9 * NS);
    until(is_ready, &stage);
    gtk_widget_activate_action(graph, "flame.down", NULL);
    g_autofree char *below = pm_flame_graph_text(PM_FLAME_GRAPH(graph));
    g_assert_true(g_str_has_prefix(below, "PriceCache.get: 9"));
    g_autoptr(PmRecording) newer = load("hot-lock");
    pm_state_renew_recording(stage.state, newer);
    while (pm_state_get_recording(stage.state) != newer || !is_ready(&stage))
        g_main_context_iteration(NULL, TRUE);
    drive_spin(300); /* until it is drawn anew */
    g_autofree char *still = pm_flame_graph_text(PM_FLAME_GRAPH(graph));
    g_assert_true(g_str_has_prefix(still, "PriceCache.get: 9"));
    stage_clear(&stage);
}

/* ---- memory ---- */

static PmGrid *memory_grid;

static gboolean has_memory(struct stage *stage)
{
    return pm_grid_n_rows(memory_grid) > 0;
}

static struct stage memory_stage(const char *kind)
{
    struct stage stage = stage_new(kind, pm_memory_page_new);

    memory_grid = pm_table_page_get_grid(PM_TABLE_PAGE(stage.page));
    return stage;
}

static void assert_memory(guint row, const char *column, const char *wanted)
{
    g_autofree char *text = pm_grid_cell_text(memory_grid, row, column);
    g_assert_cmpstr(text, ==, wanted);
}

/* All is of one account, so its classes are at the top: what lives, what came, what grew. */
static void memory_says_what_lives_and_grew(void)
{
    struct stage stage = memory_stage("leak");

    until(has_memory, &stage);
    g_assert_cmpuint(pm_grid_n_rows(memory_grid), ==, 3);
    assert_memory(0, "name", "Order");
    assert_memory(0, "live", "~21.8 MiB");
    assert_memory(0, "error", "±17 %");
    g_assert_true(drive_says(stage.window, "~+21.8 MiB"));
    assert_memory(1, "name", "Price");
    assert_memory(1, "live", "~2.00 MiB");
    assert_memory(2, "live", "0 bytes"); /* of nothing there is nothing to guess */
    g_assert_true(pm_grid_set_expanded(memory_grid, 0, TRUE));
    assert_memory(1, "name", "Orders.take (Orders.java:51)");
    pm_grid_sort_by(memory_grid, "total", TRUE);
    assert_memory(0, "name", "String");
    /* What grew between two instants: as much as parkctl memory --between says. */
    pm_state_set_range(stage.state, 10 * NS, 20 * NS);
    until(is_ready, &stage);
    while (!drive_says(stage.window, "~+7.50 MiB"))
        g_main_context_iteration(NULL, TRUE);
    stage_clear(&stage);
}

static void memory_tells_what_grows_by_any_levels(void)
{
    const PmAspect threads[] = {PM_ASPECT_GROUP, PM_ASPECT_CLASS};
    struct stage stage = memory_stage("leak");

    until(has_memory, &stage);
    const PmMemorySeries *series = pm_state_get_memory_series(stage.state);
    g_assert_cmpint(series->band_aspect, ==, PM_ASPECT_CLASS);
    g_assert_cmpuint(series->n_bands, ==, 2);
    g_assert_true(series->bands[0].rises);
    g_assert_false(series->bands[1].rises);
    /* The charts are of memory while its page is shown, and of waits on the others. */
    g_assert_null(pm_state_get_chart_memory(stage.state));
    pm_state_set_page(stage.state, PM_PAGE_MEMORY);
    g_assert_true(pm_state_get_chart_memory(stage.state) == series);
    for (guint i = 0; i < pm_n_memory_presets; i++) {
        pm_state_set_memory_aspects(stage.state, pm_memory_presets[i].aspects,
                                    pm_memory_presets[i].n_aspects);
        until(is_ready, &stage);
    }
    pm_state_set_memory_aspects(stage.state, threads, G_N_ELEMENTS(threads));
    /* No single samples are stored here. */
    while (!drive_says(stage.window, "No allocation"))
        g_main_context_iteration(NULL, TRUE);
    stage_clear(&stage);
}

static void memory_says_how_to_switch_it_on(void)
{
    struct stage stage = memory_stage("quiet");

    while (!drive_says(stage.window, "set alloc=512k"))
        g_main_context_iteration(NULL, TRUE);
    g_assert_true(drive_says(stage.window, "No allocations were sampled"));
    stage_clear(&stage);

    stage = memory_stage("leak");
    pm_state_set_range(stage.state, 0, NS / 2); /* before the first sample */
    while (!drive_says(stage.window, "Sampling is on"))
        g_main_context_iteration(NULL, TRUE);
    g_assert_false(drive_says(stage.window, "set alloc"));
    stage_clear(&stage);

    stage = memory_stage("leak");
    pm_state_add_chip(stage.state, PM_ASPECT_KIND, "park", FALSE);
    while (!drive_says(stage.window, "which only waits have"))
        g_main_context_iteration(NULL, TRUE);
    stage_clear(&stage);
}

static void memory_detail_has_bounds_and_stack_traces(void)
{
    struct stage stage = stage_new("leak", pm_memory_side_new);
    const PmRecording *recording = pm_state_get_recording(stage.state);
    guint32 order = 0;

    while (!g_str_has_suffix(recording->classes[order].name, "Order"))
        order++;
    pm_state_select_key(stage.state, PM_ASPECT_CLASS, order);
    while (!drive_says(stage.window, "Allocated at"))
        g_main_context_iteration(NULL, TRUE);
    g_assert_true(drive_says(stage.window, "Live: ~21.8 MiB, between 18.5 MiB and 25.5 MiB"));
    g_assert_true(drive_says(stage.window, "Orders.take"));
    g_assert_true(drive_says(stage.window, "Shop.buy"));
    g_assert_true(drive_says(stage.window, "Estimated from one sample in 64.0 KiB"));
    /* What only waits have. */
    pm_state_select_key(stage.state, PM_ASPECT_BLOCKER, 1);
    while (!drive_says(stage.window, "No allocation of"))
        g_main_context_iteration(NULL, TRUE);
    stage_clear(&stage);
}

/* ---- threads ---- */

static PmGrid *threads_grid;

static gboolean has_rows(struct stage *stage)
{
    return pm_grid_n_rows(threads_grid) > 0;
}

static void take_rows_away(GListModel *rows, guint at, guint removed, guint added, PmGrid *grid)
{
    g_signal_handlers_disconnect_by_func(rows, take_rows_away, grid);
    pm_grid_set_data(grid, NULL, FALSE);
}

/* GTK goes on with the row that it opened, which others may have taken away meanwhile. */
static void a_row_outlives_its_opening(void)
{
    struct stage stage = stage_new("crowd", threads_page_new);
    PmGrid *grid = pm_table_page_get_grid(PM_TABLE_PAGE(stage.page));

    while (!pm_grid_n_rows(grid))
        g_main_context_iteration(NULL, TRUE);
    while (!drive_find_mapped(GTK_WIDGET(grid), GTK_TYPE_TREE_EXPANDER))
        g_main_context_iteration(NULL, TRUE);
    GtkWidget *view = drive_find_mapped(GTK_WIDGET(grid), GTK_TYPE_COLUMN_VIEW);
    g_signal_connect(gtk_column_view_get_model(GTK_COLUMN_VIEW(view)), "items-changed",
                     G_CALLBACK(take_rows_away), grid);
    gtk_widget_activate_action(drive_find_mapped(view, GTK_TYPE_TREE_EXPANDER), "listitem.expand",
                               NULL);
    g_assert_cmpuint(pm_grid_n_rows(grid), ==, 0);
    stage_clear(&stage);
}

static void threads_are_groups_first(void)
{
    struct stage stage = stage_new("crowd", threads_page_new);
    const PmRecording *recording = pm_state_get_recording(stage.state);

    threads_grid = pm_table_page_get_grid(PM_TABLE_PAGE(stage.page));
    until(has_rows, &stage);
    g_assert_cmpuint(pm_grid_n_rows(threads_grid), ==, 14);
    pm_grid_sort_by(threads_grid, "threads", TRUE);
    g_autofree char *name = pm_grid_cell_text(threads_grid, 0, "name");
    g_autofree char *count = pm_grid_cell_text(threads_grid, 0, "threads");
    guint n = 0;
    for (guint g = 0; g < recording->n_groups; g++)
        if (!strcmp(recording->groups[g].shown, name))
            n = recording->groups[g].n_threads;
    g_autofree char *wanted = pm_number_count(n);
    g_assert_cmpstr(count, ==, wanted);
    g_assert_true(pm_grid_set_expanded(threads_grid, 0, TRUE));
    g_assert_cmpuint(pm_grid_n_rows(threads_grid), ==, 14 + n);
    stage_clear(&stage);
}

/* What is not known is no estimate, and what is little is something. */
static void unknown_and_little_are_told_apart(void)
{
    struct stage deadlock = stage_new("deadlock", pm_blockers_page_new);
    PmGrid *grid = pm_table_page_get_grid(PM_TABLE_PAGE(deadlock.page));
    g_autofree char *hold = pm_grid_cell_text(grid, 0, "hold");

    g_assert_cmpstr(hold, ==, "–");
    stage_clear(&deadlock);
    struct stage quiet = stage_new("quiet", pm_blockers_page_new);
    grid = pm_table_page_get_grid(PM_TABLE_PAGE(quiet.page));
    g_autofree char *waiting = pm_grid_cell_text(grid, 0, "waiting");
    g_assert_cmpstr(waiting, ==, "<0.1");
    stage_clear(&quiet);
}

/* Whatever room there is: those that are alike have class and site in common, not the hash code. */
static void alike_blockers_are_told_apart(void)
{
    struct stage stage = stage_new("crowd", pm_blockers_page_new);
    PmGrid *grid = pm_table_page_get_grid(PM_TABLE_PAGE(stage.page));
    g_autoptr(GHashTable) names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

    g_assert_true(pm_grid_set_expanded(grid, 0, TRUE));
    for (guint i = 1; i < 100; i++) {
        char *name = pm_grid_cell_text(grid, i, "label");
        g_assert_true(g_str_has_prefix(name, "ReentrantLock 0"));
        g_assert_null(strstr(name, "·"));
        g_assert_true(g_hash_table_add(names, name));
    }
    stage_clear(&stage);
}

static void collect_name_labels(GtkWidget *widget, GPtrArray *labels)
{
    if (PM_IS_NAME_LABEL(widget) && gtk_widget_get_mapped(widget) &&
        *pm_name_label_get_text(PM_NAME_LABEL(widget)))
        g_ptr_array_add(labels, widget);
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
         child = gtk_widget_get_next_sibling(child))
        collect_name_labels(child, labels);
}

/* Whatever the width, no row that is on the screen reads like another. */
static void assert_told_apart(PmGrid *grid)
{
    g_autoptr(GPtrArray) labels = g_ptr_array_new();

    drive_spin(100);
    collect_name_labels(GTK_WIDGET(grid), labels);
    g_assert_cmpuint(labels->len, >, 1);
    for (int width = 60; width < 400; width += 20) {
        g_autoptr(GHashTable) read = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
        for (guint i = 0; i < labels->len; i++)
            g_assert_true(g_hash_table_add(read, pm_name_label_fit(labels->pdata[i], width)));
    }
}

/* A lock and what else is waited for where that is. */
static void blockers_of_one_site_are_told_apart(void)
{
    PmMade m = pm_made_begin();
    const guint32 owner = pm_made_thread(&m, "owner"), waiter = pm_made_thread(&m, "waiter");
    const guint32 classes[] = {m.lock_class, m.queue_class};

    m.assembly->duration = 1000000000;
    for (guint i = 0; i < G_N_ELEMENTS(classes); i++)
        pm_made_held_wait(&m, waiter, pm_made_blocker(&m, classes[i], i + 1, m.lock_chain),
                          m.lock_chain, owner, 400000000 * i, 400000000 * i + 300000000, 0);
    g_autoptr(PmRecording) recording = pm_assembly_finish(m.assembly);
    struct stage stage = stage_of(recording, pm_blockers_page_new);
    assert_told_apart(pm_table_page_get_grid(PM_TABLE_PAGE(stage.page)));
    stage_clear(&stage);
}

/* ---- numbers ---- */

/* One wait of 14 s must not make 0.0 s of all others. */
static void a_lone_giant_does_not_choose_the_unit(void)
{
    double dwarfed[] = {33e6, NAN, 14e9, 50e6, 20e6}, alike[] = {14e9, 5e9, 3e9};
    double ns[] = {40, 1e3, 30}, none[] = {NAN};
    PmUnit unit = pm_number_unit_of(dwarfed, G_N_ELEMENTS(dwarfed));
    g_autofree char *small = pm_number_time(&unit, 33e6), *big = pm_number_time(&unit, 14e9);

    g_assert_cmpstr(small, ==, "33\u202fms");
    g_assert_cmpstr(big, ==, "14\u202f000\u202fms");
    unit = pm_number_unit_of(alike, G_N_ELEMENTS(alike));
    g_assert_cmpstr(unit.name, ==, "s");
    g_assert_cmpint(unit.decimals, ==, 1);
    unit = pm_number_unit_of(ns, G_N_ELEMENTS(ns));
    g_assert_cmpstr(unit.name, ==, "ns");
    g_assert_cmpint(unit.decimals, ==, 0);
    unit = pm_number_unit_of(none, 1);
    g_assert_cmpstr(unit.name, ==, "s");
}

static void frames_are_short(void)
{
    static const char *const texts[][2] = {
        {"PriceCache.get (PriceCache.java:41)", "PriceCache.get:41"},
        {"in BasicDaemon.rest (unknown) < A.b (unknown)", "in BasicDaemon.rest < A.b"},
        {"(unknown)", "(unknown)"},
        {"by (unknown)", "by (unknown)"},
        {"~A.b (A.java:1)", "~A.b:1"},
        {"Shop$Cart.add (Shop.java:18) < B.c (B.java:2) < …", "Shop$Cart.add:18 < B.c:2 < …"},
        {"UtilsKt.run (Utils.kt:7)", "UtilsKt.run (Utils.kt:7)"},
        {"Unsafe.park (native)", "Unsafe.park (native)"},
        {"(GC pause)", "(GC pause)"},
        {"ReentrantLock 4f3c91d2 · A.b", "ReentrantLock 4f3c91d2 · A.b"},
        {"pool (40) A.b (A.java:", "pool (40) A.b (A.java:"},
        {"", ""},
    };

    for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_autofree char *text = pm_frame_text_short(texts[i][0]);
        g_assert_cmpstr(text, ==, texts[i][1]);
    }
}

/* Each line's texts, from the longest to the shortest. */
static void names_give_up_what_matters_least_first(void)
{
    static const char *const texts[][9] = {
        {"SynchronousQueue$TransferQueue 003d4400 · ConcurrentBag.borrow",
         "SynchronousQueue$TransferQueue · ConcurrentBag.borrow",
         "…$TransferQueue · ConcurrentBag.borrow", "… · ConcurrentBag.borrow",
         "ConcurrentBag.borrow"},
        {"2 threads of web-* for A$B$Handler 081967fa · A$Handler.register",
         "2 threads of web-* for A$B$Handler · A$Handler.register",
         "2 threads of web-* for A$B$Handler · …$Handler.register",
         "2 threads of web-* for …$B$Handler · …$Handler.register",
         "2 threads of web-* for …$Handler · …$Handler.register",
         "2 threads of web-* for … · …$Handler.register"},
        {"Shop$$Lambda 081967fa · A.b", "Shop$$Lambda · A.b", "…$$Lambda · A.b", "…$Lambda · A.b",
         "… · A.b", "A.b"},
        {"FutureTask (1541) · Shop$Report.render", "FutureTask · Shop$Report.render",
         "FutureTask · …$Report.render", "… · …$Report.render", "…$Report.render"},
        {"2 threads of web-* for Semaphore (fair) 2c3fe3f9 · A.b",
         "2 threads of web-* for Semaphore (fair) · A.b", "2 threads of web-* for Semaphore · A.b",
         "2 threads of web-* for … · A.b"},
        {"~90.2 % by Apps.slowExport:42 in Pool.close < Apps.lambda$0:40 < A.b",
         "~90.2 % by Apps.slowExport:42 in Pool.close < Apps.lambda$0:40 < …",
         "~90.2 % by Apps.slowExport:42 in Pool.close < …",
         "~90.2 % by Apps.slowExport:42 in Pool.close", "~90.2 % by Apps.slowExport:42 in …",
         "~90.2 % by Apps.slowExport:42"},
        {"~17 % ± 26 by A.b:1 in B.c < C.d:3 < … < Service.run:441",
         "~17 % ± 26 by A.b:1 in B.c < C.d:3 < …", "~17 % ± 26 by A.b:1 in B.c < …",
         "~17 % ± 26 by A.b:1 in B.c", "~17 % ± 26 by A.b:1 in …", "~17 % ± 26 by A.b:1"},
        {"in Shop$Cart.add (Files.java:291)", "in Shop$Cart.add", "in …$Cart.add"},
        {"~98.3 % by Truth.sleep:153 in Thread.sleep < Tokens$Source.refresh:39 < A.b",
         "~98.3 % by Truth.sleep:153 in Thread.sleep < Tokens$Source.refresh:39 < …",
         "~98.3 % by Truth.sleep:153 in Thread.sleep < …$Source.refresh:39 < …",
         "~98.3 % by Truth.sleep:153 in Thread.sleep < …",
         "~98.3 % by Truth.sleep:153 in Thread.sleep", "~98.3 % by Truth.sleep:153 in …",
         "~98.3 % by Truth.sleep:153"},
        {"in Truth.sleep < Tokens$Source.refresh", "in Truth.sleep < …$Source.refresh",
         "in Truth.sleep < …", "in Truth.sleep"},
        {"now in Shop.load < A.b", "now in Shop.load < …", "now in Shop.load"},
        {"http-nio-18483-exec-* (11)", "http-nio-18483-exec-… (11)", "http-nio-18483-… (11)",
         "http-nio-… (11)", "http-… (11)"},
        {"main (1)"},
        {"~ThreadPoolExecutor$Worker.run:1136", "~…$Worker.run:1136"},
        {"core$eval33$routes$fn__34.invoke", "…$eval33$routes$fn__34.invoke",
         "…$routes$fn__34.invoke", "…$fn__34.invoke"},
        {"$Proxy12.load < A$B$C.run", "$Proxy12.load < …$B$C.run", "$Proxy12.load < …$C.run",
         "$Proxy12.load < …", "$Proxy12.load"},
        {"(handoff)"},
        {"11.6 ms"},
        {""},
    };

    for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_autofree char *text = g_strdup(texts[i][0]);
        for (guint k = 1; text; k++) {
            char *shorter = pm_frame_text_shorter(text);
            g_assert_cmpstr(shorter, ==, texts[i][k]);
            g_assert_true(!shorter || g_utf8_strlen(shorter, -1) <= g_utf8_strlen(text, -1));
            g_free(text);
            text = shorter;
        }
    }
}

/* Whatever the width, a whole method or a text that is as short as can be. */
static void name_labels_never_show_half_a_class(void)
{
    static const char name[] = "ReentrantLock 4f3c91d2 · Shop$PriceCache.get";
    static const char *const whole[] = {name,
                                        "ReentrantLock · Shop$PriceCache.get",
                                        "ReentrantLock · …$PriceCache.get",
                                        "… · …$PriceCache.get",
                                        "…$PriceCache.get",
                                        NULL};
    PmNameLabel *label = g_object_ref_sink(PM_NAME_LABEL(pm_name_label_new()));
    gsize before = strlen(name);
    int natural;

    pm_name_label_set_text(label, name);
    gtk_widget_measure(GTK_WIDGET(label), GTK_ORIENTATION_HORIZONTAL, -1, NULL, &natural, NULL,
                       NULL);
    for (int width = natural; width >= 0; width--) {
        g_autofree char *text = pm_name_label_fit(label, width);
        g_assert_true(g_strv_contains(whole, text));
        g_assert_cmpuint(strlen(text), <=, before);
        before = strlen(text);
        g_assert_true(width < natural || !strcmp(text, name));
    }
    g_assert_cmpuint(before, ==, strlen("…$PriceCache.get"));
    /* The count stays behind a name whose letters run to the left. */
    pm_name_label_set_text(label, "עובד-* (3)");
    g_autofree char *placed = pm_name_label_fit(label, 1000);
    g_assert_cmpstr(placed, ==, "\u200eעובד\u200e-* (3)");
    g_object_unref(label);
}

/* Where even the shortest form has no room, what is left fills it. */
static void check_cut(const char *name, const char *end)
{
    PmNameLabel *label = g_object_ref_sink(PM_NAME_LABEL(pm_name_label_new()));
    int natural;

    pm_name_label_set_text(label, name);
    gtk_widget_measure(GTK_WIDGET(label), GTK_ORIENTATION_HORIZONTAL, -1, NULL, &natural, NULL,
                       NULL);
    for (int width = natural; width >= natural * 2 / 3; width--) {
        g_autofree char *text = pm_name_label_shown(label, width);
        g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(GTK_WIDGET(label), text);
        int used;
        pango_layout_get_pixel_size(layout, &used, NULL);
        g_assert_cmpint(used, <=, width);
        g_assert_cmpint(used, >, width - 24); /* two letters */
        g_assert_true(g_str_has_suffix(text, end));
        g_assert_true(width == natural || strstr(text, "…"));
    }
    g_object_unref(label);
}

static void names_without_room_are_cut_before_their_method(void)
{
    check_cut("ConcurrentHashMap.computeIfAbsent", ".computeIfAbsent");
    check_cut("http-nio-18080-exec-*", "exec-*");
}

/* Of names below each other none is cut to what another one reads. */
static void names_in_a_list_are_told_apart(void)
{
    static const char *const names[] = {"~Shop$PriceBook.price:5 in Thread.sleep",
                                        "~Shop$PriceBook.price:5", "~Shop.quote:8 in Thread.sleep",
                                        "~Store$PriceBook.price:5", "(handoff)"};
    PmNameLabel *labels[G_N_ELEMENTS(names)];

    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        labels[i] = g_object_ref_sink(PM_NAME_LABEL(pm_name_label_new()));
        pm_name_label_set_text(labels[i], names[i]);
    }
    pm_name_labels_tell_apart(labels, G_N_ELEMENTS(names));
    for (int width = 400; width > 0; width -= 10) {
        g_autoptr(GHashTable) read = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
        for (guint i = 0; i < G_N_ELEMENTS(names); i++)
            g_assert_true(g_hash_table_add(read, pm_name_label_fit(labels[i], width)));
    }
    for (guint i = 0; i < G_N_ELEMENTS(names); i++)
        g_object_unref(labels[i]);
}

/* What others have too is cut before that by which they are told apart. */
static void names_are_told_apart(void)
{
    PmNameLabel *label = g_object_ref_sink(PM_NAME_LABEL(pm_name_label_new()));

    pm_name_label_set_text(label, "ReentrantLock 4f3c91d2 · Shop$PriceCache.get");
    pm_name_label_set_alike(label, NULL, TRUE);
    for (int width = 400; width > 0; width--) {
        g_autofree char *text = pm_name_label_fit(label, width);
        g_assert_true(g_str_has_prefix(text, "ReentrantLock 4f3c91d2"));
    }
    g_autofree char *object = pm_name_label_fit(label, 0);
    g_assert_cmpstr(object, ==, "ReentrantLock 4f3c91d2");
    pm_name_label_set_alike(label, "…$PriceCache.get", FALSE);
    g_autofree char *site = pm_name_label_fit(label, 0);
    g_assert_cmpstr(site, ==, "Shop$PriceCache.get");
    g_object_unref(label);
}

static GskRenderNode *node_of(GtkWidget *widget)
{
    g_autoptr(GdkPaintable) paintable = gtk_widget_paintable_new(widget);
    GtkSnapshot *snapshot = gtk_snapshot_new();

    gdk_paintable_snapshot(paintable, snapshot, gtk_widget_get_width(widget),
                           gtk_widget_get_height(widget));
    return gtk_snapshot_free_to_node(snapshot);
}

static GBytes *picture_of(GtkWidget *widget)
{
    g_autoptr(GskRenderNode) node = node_of(widget);

    return gsk_render_node_serialize(node);
}

/* Names of threads in letters that run from right to left: at the left, as the names above them. */
static void names_stand_below_each_other(void)
{
    static const char name[] = "\u0639\u0627\u0645\u0644-* (6)";
    static const PmTextFit fits[] = {PM_TEXT_NAME, PM_TEXT_WRAP, PM_TEXT_ELLIPSIZE};

    for (guint i = 0; i < G_N_ELEMENTS(fits); i++) {
        GtkWidget *window = gtk_window_new(), *label = pm_element_text(name, fits[i], NULL);
        graphene_rect_t drawn;
        gtk_window_set_default_size(GTK_WINDOW(window), 400, 60);
        gtk_window_set_child(GTK_WINDOW(window), label);
        gtk_window_present(GTK_WINDOW(window));
        while (gtk_widget_get_width(label) < 300)
            g_main_context_iteration(NULL, TRUE);
        g_autoptr(GskRenderNode) node = node_of(label);
        gsk_render_node_get_bounds(node, &drawn);
        g_assert_cmpfloat(drawn.origin.x, <, 20);
        gtk_window_destroy(GTK_WINDOW(window));
    }
}

/* What follows such a name in a sentence stands behind it, and so does the next name. */
static void sentences_go_on_after_names(void)
{
    static const char name[] = "\u05e9\u05e8\u05ea \u05e8\u05d0\u05e9\u05d9";
    g_autofree char *sentence =
        g_strconcat("Waits of ", name, "-* (40), ", name, "-7: 43 % of ", name, NULL);
    GtkWidget *label = g_object_ref_sink(pm_element_text(sentence, PM_TEXT_WRAP, NULL));
    g_autoptr(PangoLayout) layout = pango_layout_copy(gtk_label_get_layout(GTK_LABEL(label)));
    const char *text = pango_layout_get_text(layout);
    int last = -1;

    pango_layout_set_width(layout, -1);
    for (const char *at = text; *at; at = g_utf8_next_char(at)) {
        PangoRectangle cell;
        if (g_utf8_get_char(at) >= 0x5d0 || strchr(" -", *at)) /* a name goes to the left */
            continue;
        pango_layout_index_to_pos(layout, (int)(at - text), &cell);
        g_assert_cmpint(cell.x, >=, last);
        last = cell.x;
    }
    g_object_unref(label);
}

/* Threads of a group differ in their last number: it stays, however long the name. */
static void name_labels_keep_the_ends_of_threads(void)
{
    GtkWidget *window = gtk_window_new(), *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);

    gtk_box_set_homogeneous(GTK_BOX(box), TRUE);
    gtk_window_set_default_size(GTK_WINDOW(window), 300, 60);
    gtk_window_set_child(GTK_WINDOW(window), box);
    for (guint i = 0; i < 2; i++) {
        g_autofree char *name = g_strdup_printf("events-with-a-rather-long-name-of-a-group-%u", i);
        GtkWidget *label = pm_name_label_new();
        pm_name_label_set_text(PM_NAME_LABEL(label), name);
        gtk_box_append(GTK_BOX(box), label);
    }
    gtk_window_present(GTK_WINDOW(window));
    GtkWidget *first = gtk_widget_get_first_child(box);
    while (!gtk_widget_get_width(first))
        g_main_context_iteration(NULL, TRUE);
    g_assert_cmpint(gtk_widget_get_width(first), <, 200);
    g_autoptr(GBytes) one = picture_of(first);
    g_autoptr(GBytes) other = picture_of(gtk_widget_get_next_sibling(first));
    g_assert_false(g_bytes_equal(one, other));
    gtk_window_destroy(GTK_WINDOW(window));
}

/* Whatever the width, neither a number and its sign nor a group of threads is on two lines. */
static void sentences_break_between_names(void)
{
    static const char *const whole[] = {"65 %",      "http-nio-8080-exec-* (1400)",
                                        "~891 ms",   "Appender.append",
                                        "1 min 0 s", "2 d 3 h"};
    static const char text[] =
        "One lock takes 65 % of the busy time of http-nio-8080-exec-* (1400): "
        "Appender.append holds it for ~891 ms; nobody waited in these 1 min 0 s of 2 d 3 h";
    GtkLabel *label = g_object_ref_sink(GTK_LABEL(pm_element_text(text, PM_TEXT_WRAP, NULL)));

    for (int width = 600; width > 300; width--) {
        g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(GTK_WIDGET(label), text);
        pango_layout_set_attributes(layout, gtk_label_get_attributes(label));
        pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR);
        pango_layout_set_width(layout, width * PANGO_SCALE);
        for (guint i = 0; i < G_N_ELEMENTS(whole); i++) {
            const int at = (int)(strstr(text, whole[i]) - text);
            int first, last;
            pango_layout_index_to_line_x(layout, at, FALSE, &first, NULL);
            pango_layout_index_to_line_x(layout, at + (int)strlen(whole[i]) - 1, FALSE, &last,
                                         NULL);
            g_assert_cmpint(first, ==, last);
        }
    }
    g_object_unref(label);
}

/* A class name that is longer than a line goes on where a word of it begins. */
static void long_names_break_between_their_words(void)
{
    GtkLabel *label = g_object_ref_sink(GTK_LABEL(pm_element_text(
        "Waits for ConcurrentTransactionalCacheInvalidation$WriteBehindQueue.takeOrSteal:1136",
        PM_TEXT_WRAP, NULL)));
    const char *text = gtk_label_get_text(label);

    for (int width = 600; width > 150; width -= 7) {
        g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(GTK_WIDGET(label), text);
        pango_layout_set_attributes(layout, gtk_label_get_attributes(label));
        pango_layout_set_wrap(layout, gtk_label_get_wrap_mode(label));
        pango_layout_set_width(layout, width * PANGO_SCALE);
        for (int i = 1; i < pango_layout_get_line_count(layout); i++) {
            const char *at = text + pango_layout_get_line_readonly(layout, i)->start_index;
            const gboolean hump =
                g_ascii_isupper(*at) || strchr(".$:", *at) || g_str_has_prefix(at, "takeOrSteal");
            g_assert_true(hump || at[-1] == ' ' || at[-1] == ':');
        }
    }
    g_object_unref(label);
}

static void means_have_two_decimals_at_most(void)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0"},        {0.001, "<0.01"}, {0.3902, "0.39"},
                 {2.914, "2.91"}, {14.44, "14.4"},  {4310, "4\u202f310"}};

    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = pm_number_mean(cases[i].value);
        g_assert_cmpstr(text, ==, cases[i].text);
    }
}

/* Where the last of its visible children ends, seen from `view`. */
static float end_of(GtkWidget *widget, GtkWidget *view)
{
    graphene_rect_t bounds;
    GtkWidget *last = NULL;

    for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
         child = gtk_widget_get_next_sibling(child))
        if (gtk_widget_get_width(child) > 0)
            last = child;
    g_assert_true(gtk_widget_compute_bounds(last ? last : widget, view, &bounds));
    return bounds.origin.x + bounds.size.width;
}

static gboolean has_laid_out_rows(struct stage *stage)
{
    GtkWidget *view = drive_find_mapped(stage->page, GTK_TYPE_COLUMN_VIEW);
    GtkWidget *row = view ? gtk_widget_get_first_child(gtk_widget_get_last_child(view)) : NULL;

    return row && gtk_widget_get_width(row) > 0;
}

/* A title ends where its numbers do, whatever widget shows them; the sorted one's arrow does. */
static void titles_stand_over_their_numbers(void)
{
    static GtkWidget *(*const pages[])(PmState *) = {pm_memory_page_new, pm_blockers_page_new,
                                                     pm_tree_page_new, threads_page_new};

    for (guint i = 0; i < G_N_ELEMENTS(pages); i++) {
        struct stage stage = stage_new("leak", pages[i]);
        until(has_laid_out_rows, &stage);
        GtkWidget *view = drive_find_mapped(stage.page, GTK_TYPE_COLUMN_VIEW);
        GtkWidget *title = gtk_widget_get_first_child(gtk_widget_get_first_child(view)),
                  *row = gtk_widget_get_first_child(gtk_widget_get_last_child(view)),
                  *cell = gtk_widget_get_first_child(row);
        for (; title && cell;
             title = gtk_widget_get_next_sibling(title), cell = gtk_widget_get_next_sibling(cell)) {
            GtkWidget *child = gtk_widget_get_first_child(cell);
            if (GTK_IS_LABEL(child) && gtk_label_get_xalign(GTK_LABEL(child)) == 1)
                g_assert_cmpfloat_with_epsilon(end_of(gtk_widget_get_first_child(title), view),
                                               end_of(child, view), 1);
        }
        stage_clear(&stage);
    }
}

/* ---- detail ---- */

static gboolean shows_examples(struct stage *stage)
{
    return drive_says(stage->window, "Examples");
}

static void detail_shows_the_selection(void)
{
    struct stage stage = stage_new("hot-lock", pm_detail_pane_new);
    const PmMetrics *metrics = pm_state_get_results(stage.state)->metrics;

    GtkWidget *empty = drive_find_mapped(stage.window, PM_TYPE_STATE_PAGE);
    g_assert_nonnull(empty);
    g_assert_cmpint(pm_state_page_get(PM_STATE_PAGE(empty)), ==, PM_STATE_NOTHING_SELECTED);
    pm_state_select_key(stage.state, PM_ASPECT_BLOCKER, metrics->rows[0].blocker);
    until(shows_examples, &stage);
    g_assert_true(drive_says(stage.window, "PriceCache.get"));
    g_assert_true(drive_says(stage.window, "library frames"));
    g_assert_true(drive_says(stage.window, "Parking thread-time"));
    g_assert_true(drive_says(stage.window, "scheduler-1"));
    /* A bar alone is a percentage of nothing to a screen reader. */
    GtkWidget *bar = drive_find_mapped(stage.window, PM_TYPE_STACKED_BAR);
    g_assert_cmpstr(pm_element_get_name(bar), ==,
                    "PriceCache.refresh:88: 99.7\u202f%, 1\u202f423 waits");
    g_autofree char *n = pm_number_count(metrics->rows[0].touched);
    g_autofree char *first = g_strdup_printf("1 of %s", n);
    g_autofree char *second = g_strdup_printf("2 of %s", n);
    g_assert_true(drive_says(stage.window, first));
    gtk_widget_activate_action(stage.page, "page.next-wait", NULL);
    g_assert_true(drive_says(stage.window, second));
    gtk_widget_activate_action(stage.page, "page.previous-wait", NULL);
    g_assert_true(drive_says(stage.window, first));
    gtk_widget_activate_action(stage.page, "page.unfold", NULL);
    g_assert_true(drive_says(stage.window, "LockSupport.park"));
    g_assert_false(drive_says(stage.window, "library frames"));
    stage_clear(&stage);
}

/* What a server does to call the program's own code. */
static void detail_folds_what_is_around_own_code(void)
{
    struct stage stage = stage_new("own-main", pm_detail_pane_new);
    const PmMetrics *metrics = pm_state_get_results(stage.state)->metrics;

    pm_state_select_key(stage.state, PM_ASPECT_BLOCKER, metrics->rows[0].blocker);
    until(shows_examples, &stage);
    g_assert_true(drive_says(stage.window, "OrderController.list"));
    g_assert_false(drive_says(stage.window, "Http11Processor.service"));
    gtk_widget_activate_action(stage.page, "page.unfold", NULL);
    g_assert_true(drive_says(stage.window, "Http11Processor.service"));
    stage_clear(&stage);
}

static gboolean has_text(GtkWidget *widget, gconstpointer text)
{
    return GTK_IS_LABEL(widget) && !strcmp(gtk_label_get_text(GTK_LABEL(widget)), text);
}

static float top_of(struct stage *stage, const char *text)
{
    graphene_rect_t bounds;
    GtkWidget *label = drive_find_where(stage->window, has_text, text);

    g_assert_nonnull(label);
    g_assert_true(gtk_widget_compute_bounds(label, stage->window, &bounds));
    return bounds.origin.y;
}

static gboolean is_of_cause(struct stage *stage)
{
    return drive_find_where(stage->window, has_text, "PriceCache.refresh (PriceCache.java:88)") !=
           NULL;
}

/* Of a culprit, what that does comes before what its victims do. */
static void detail_begins_with_what_is_selected(void)
{
    const PmAspect cause_site = PM_ASPECT_CAUSE_SITE;
    struct stage stage = stage_new("hot-lock", pm_detail_pane_new);
    const PmMetrics *metrics = pm_state_get_results(stage.state)->metrics;

    pm_state_select_key(stage.state, PM_ASPECT_BLOCKER, metrics->rows[0].blocker);
    until(shows_examples, &stage);
    drive_spin(100);
    g_assert_cmpfloat(top_of(&stage, "Stack trace"), <, top_of(&stage, "Caused by"));
    pm_state_set_aspects(stage.state, &cause_site, 1);
    until(is_ready, &stage);
    const PmTreeNode *first = pm_state_get_results(stage.state)->tree->root->children[0];
    pm_state_select_key(stage.state, cause_site, first->key);
    until(is_of_cause, &stage);
    drive_spin(100);
    g_assert_cmpfloat(top_of(&stage, "Caused by"), <, top_of(&stage, "Stack trace"));
    stage_clear(&stage);
}

/* Other pages name it so. */
static void detail_says_the_field_of_a_blocker(void)
{
    struct stage stage = stage_new("hot-lock", pm_detail_pane_new);
    PmView *view = pm_state_get_view(stage.state);
    PmRecording *recording = view->recording;
    const guint32 blocker = pm_wait_blocker(&recording->waits, pm_view_row(view, 0));
    PmChain *chain = (PmChain *)&recording->chains[recording->blockers[blocker].first_chain];

    chain->field = chain->frames[0].method;
    g_autofree char *name = pm_label_blocker_field(recording, blocker);
    pm_state_select_key(stage.state, PM_ASPECT_BLOCKER, blocker);
    until(shows_examples, &stage);
    g_assert_true(drive_says(stage.window, name));
    stage_clear(&stage);
}

/* Only frames have callers: a thread may be called anything. */
static void detail_says_whole_names_of_threads(void)
{
    struct stage stage = stage_new("hot-lock", pm_detail_pane_new);
    PmView *view = pm_state_get_view(stage.state);
    const guint32 thread = pm_wait_thread(&view->recording->waits, pm_view_row(view, 0));

    ((PmThread *)view->recording->threads)[thread].name = "feeder < source < sink";
    pm_state_select_key(stage.state, PM_ASPECT_THREAD, thread);
    until(shows_examples, &stage);
    g_assert_true(drive_says(stage.window, "feeder < source < sink"));
    stage_clear(&stage);
}

static gint64 overlap_of(const PmWaits *waits, guint32 a, guint32 b)
{
    return MIN(pm_wait_end(waits, a), pm_wait_end(waits, b)) -
           MAX(pm_wait_begin(waits, a), pm_wait_begin(waits, b));
}

static gboolean shows_expected(struct stage *stage)
{
    return drive_says(stage->window, g_object_get_data(G_OBJECT(stage->window), "expected"));
}

static void until_says(struct stage *stage, gint64 begin)
{
    char *clock = pm_label_clock(pm_state_get_recording(stage->state), begin, 6);

    g_object_set_data_full(G_OBJECT(stage->window), "expected", clock, g_free);
    until(shows_expected, stage);
}

/* From a wait to what its owner waited for meanwhile: not to the owner's first wait. */
static void owner_is_gone_to_where_it_waited_itself(void)
{
    struct stage stage = stage_new("hot-lock", pm_detail_pane_new);
    PmView *view = pm_state_get_view(stage.state);
    const PmWaits *waits = &pm_state_get_recording(stage.state)->waits;
    guint32 of = G_MAXUINT32, meanwhile = 0;

    for (gsize i = 0; i < view->n && of == G_MAXUINT32; i++) {
        const guint32 row = pm_view_row(view, i), owner = pm_wait_owner(waits, row);
        gint64 longest = 0;
        guint earlier = 0;
        for (gsize k = 0; owner && k < view->n; k++) {
            if (pm_wait_thread(waits, pm_view_row(view, k)) != owner)
                continue;
            earlier += pm_wait_end(waits, pm_view_row(view, k)) < pm_wait_begin(waits, row);
            if (overlap_of(waits, row, pm_view_row(view, k)) > longest) {
                longest = overlap_of(waits, row, pm_view_row(view, k));
                meanwhile = pm_view_row(view, k);
            }
        }
        if (longest > 0 && earlier > 0)
            of = row;
    }
    g_assert_cmpuint(of, !=, G_MAXUINT32);

    pm_state_select_key(stage.state, PM_ASPECT_THREAD, pm_wait_thread(waits, of));
    until(shows_examples, &stage);
    g_autofree char *clock =
        pm_label_clock(pm_state_get_recording(stage.state), pm_wait_begin(waits, of), 6);
    for (gsize i = 0; i < view->n && !drive_says(stage.window, clock); i++)
        gtk_widget_activate_action(stage.page, "page.next-wait", NULL);
    g_assert_true(drive_says(stage.window, clock));
    gtk_widget_activate_action(stage.page, "page.go-owner", NULL);
    until_says(&stage, pm_wait_begin(waits, meanwhile));
    stage_clear(&stage);
}

/* ---- summary ---- */

static gboolean has_cards(struct stage *stage)
{
    /* Those with causes, not the first ones. */
    return drive_says(stage->window, "of all waiting") &&
           !drive_says(stage->window, "Looking for causes");
}

static gboolean is_tree_page(struct stage *stage)
{
    return pm_state_get_page(stage->state) == PM_PAGE_TREE && is_ready(stage);
}

static void summary_leads_to_the_proof(void)
{
    struct stage stage = stage_new("hot-lock", pm_summary_page_new);

    until(has_cards, &stage);
    g_assert_true(drive_says(stage.window, "PriceCache"));
    GtkWidget *list = drive_find_mapped(stage.window, GTK_TYPE_LIST_BOX);
    GtkListBoxRow *row = gtk_list_box_get_row_at_index(GTK_LIST_BOX(list), 0);
    g_signal_emit_by_name(list, "row-activated", row);
    until(is_tree_page, &stage);
    g_assert_cmpuint(pm_state_n_chips(stage.state), ==, 1);
    /* The code that held the lock is selected. */
    PmAspect aspect;
    guint64 key;
    g_assert_true(pm_selection_key(pm_state_get_selection(stage.state), &aspect, &key));
    g_assert_cmpint(aspect, ==, PM_ASPECT_CAUSE_SITE);
    g_autofree char *cause = pm_aspect_key_text(pm_state_get_recording(stage.state), aspect, key);
    g_assert_cmpstr(cause, ==, "PriceCache.refresh (PriceCache.java:88)");
    guint n;
    g_assert_cmpint(pm_state_get_aspects(stage.state, &n)[0], ==, PM_ASPECT_CAUSE_SITE);
    /* One step back. */
    g_assert_true(pm_state_back(stage.state));
    g_assert_cmpint(pm_state_get_page(stage.state), ==, PM_PAGE_SUMMARY);
    g_assert_cmpuint(pm_state_n_chips(stage.state), ==, 0);
    stage_clear(&stage);
}

/* Not to waits, of which there are none, but to the threads of the group. */
static void a_finding_without_waits_leads_to_its_threads(void)
{
    struct stage stage = stage_new("hot-lock", pm_summary_page_new);
    PmVictim victim = {.group = 1, .n_threads = 8};
    const PmFinding finding = {.rule = PM_RULE_BUSY_POOL, .n_victims = 1, .victims = &victim};

    until(has_cards, &stage);
    pm_summary_prove(stage.state, &finding);
    g_assert_cmpint(pm_state_get_page(stage.state), ==, PM_PAGE_THREADS);
    PmAspect aspect;
    guint64 key;
    g_assert_true(pm_selection_key(pm_state_get_selection(stage.state), &aspect, &key));
    g_assert_cmpint(aspect, ==, PM_ASPECT_GROUP);
    g_assert_cmpuint(key, ==, victim.group);
    g_assert_true(pm_state_back(stage.state));
    g_assert_cmpint(pm_state_get_page(stage.state), ==, PM_PAGE_SUMMARY);
    stage_clear(&stage);
}

/* 144 locks of one site, of which a finding tells, and 40 futures: one card each. */
static void summary_tells_of_blockers_alike_together(void)
{
    struct stage stage = stage_new("crowd", pm_summary_page_new);

    until(has_cards, &stage);
    g_assert_true(drive_says(stage.window, "Locks of class ReentrantLock (144)"));
    g_assert_true(drive_says(stage.window, "wait for FutureTask (40) · PriceCache.get"));
    g_assert_true(drive_says(stage.window, "32.3\u202f% of all waiting"));
    GtkWidget *list = drive_find_mapped(stage.window, GTK_TYPE_LIST_BOX);
    g_assert_null(gtk_list_box_get_row_at_index(GTK_LIST_BOX(list), 2));
    /* Which leads to all of them. */
    g_signal_emit_by_name(list, "row-activated",
                          gtk_list_box_get_row_at_index(GTK_LIST_BOX(list), 1));
    until(is_tree_page, &stage);
    const PmFilter *filter = pm_state_get_filter(stage.state);
    g_assert_cmpuint(filter->chips->len, ==, 1);
    g_assert_cmpint(g_array_index(filter->chips, PmChip, 0).aspect, ==, PM_ASPECT_ALIKE);
    stage_clear(&stage);
}

static gboolean tells_who_still_waits(struct stage *stage)
{
    return drive_says(stage->window, "Still waiting at the end");
}

/* Three threads that wait for a future each, all alike, and one that waits for a lock: two rows. */
static void summary_tells_once_of_who_still_waits_alike(void)
{
    g_autofree char *path = g_build_filename(directory, "still.park", NULL);
    struct syn *s = syn_new();
    const pm_class_id future = syn_class(s, "java.util.concurrent.FutureTask");
    const pm_class_id lock = syn_class(s, "a.Lock");

    for (guint i = 0; i < 4; i++) {
        static const char *const names[] = {"search-1", "search-2", "search-3", "search-4"};
        const pm_blocker_id blocker = syn_blocker(s, i < 3 ? future : lock, 0x4711 + i);
        struct pm_wait *wait = syn_progress(s, syn_thread(s, names[i]), blocker, SYN_S);
        wait->chain = syn_chain(
            s, i < 3 ? "a.Search.next(Search.java:7)" : "a.Search.lock(Search.java:9)", NULL);
    }
    syn_finish_file(s, 2 * SYN_S, path);
    syn_free(s);
    struct stage stage = stage_new("still", pm_summary_page_new);
    until(tells_who_still_waits, &stage);
    g_assert_true(drive_says(stage.window, "3 threads of search-* for FutureTask (3)"));
    g_assert_true(drive_says(stage.window, "search-4 for Lock 00004714"));
    g_assert_false(drive_says(stage.window, "search-1"));
    stage_clear(&stage);
    g_unlink(path);
}

static gboolean copied;

static void read_cb(GObject *source, GAsyncResult *result, gpointer data)
{
    *(char **)data = gdk_clipboard_read_text_finish(GDK_CLIPBOARD(source), result, NULL);
    copied = TRUE;
}

static gboolean is_copied(struct stage *stage)
{
    return copied;
}

/* Into a ticket: what a card says, line by line. */
static void summary_cards_are_copied(void)
{
    struct stage stage = stage_new("hot-lock", pm_summary_page_new);
    g_autofree char *text = NULL;

    until(has_cards, &stage);
    gtk_widget_grab_focus(GTK_WIDGET(gtk_list_box_get_row_at_index(
        GTK_LIST_BOX(drive_find_mapped(stage.window, GTK_TYPE_LIST_BOX)), 0)));
    gtk_widget_activate_action(stage.page, "page.copy", NULL);
    copied = FALSE;
    gdk_clipboard_read_text_async(gtk_widget_get_clipboard(stage.page), NULL, read_cb, &text);
    until(is_copied, &stage);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    g_assert_cmpuint(g_strv_length(lines), ==, 4);
    g_assert_true(g_str_has_prefix(lines[0], "One lock takes 95 %"));
    g_assert_true(strstr(lines[1], "PriceCache.refresh:88 < Scheduler.tick:31") != NULL);
    g_assert_true(g_str_has_suffix(lines[2], "of all waiting http-nio-8080-exec-* (40)"));
    g_assert_true(g_str_has_prefix(lines[3], "Try: "));
    /* A screen reader says the rest of them, too. */
    g_autofree char *rest = g_strjoinv("; ", lines + 1);
    g_autofree char *other = gtk_test_accessible_check_property(
        GTK_ACCESSIBLE(gtk_window_get_focus(GTK_WINDOW(stage.window))),
        GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, rest);
    g_assert_cmpstr(other, ==, NULL);
    stage_clear(&stage);
}

/* What lets a long name break is not copied with it. */
static void names_are_copied_as_they_are(void)
{
    static const char name[] = "Waits in AbstractOwnableSynchronizer.acquireShared";
    struct stage stage = stage_new("hot-lock", pm_summary_page_new);
    GtkWidget *label = g_object_ref_sink(pm_element_text(name, PM_TEXT_WRAP, NULL));
    g_autofree char *text = NULL;

    g_assert_cmpstr(gtk_label_get_text(GTK_LABEL(label)), !=, name);
    gtk_window_set_child(GTK_WINDOW(stage.window), label);
    pm_element_copy_said(label);
    copied = FALSE;
    gdk_clipboard_read_text_async(gtk_widget_get_clipboard(label), NULL, read_cb, &text);
    until(is_copied, &stage);
    g_assert_cmpstr(text, ==, name);
    g_object_unref(label);
    stage_clear(&stage);
}

static void summary_tells_a_deadlock_first(void)
{
    struct stage stage = stage_new("deadlock", pm_summary_page_new);

    g_assert_true(drive_says(stage.window, "Deadlock"));
    g_assert_true(drive_says(stage.window, "transfer-1 holds ReentrantLock 4f3c91d2"));
    g_assert_true(drive_says(stage.window, "transfer-2 holds ReentrantLock 9a1e07c4"));
    g_assert_true(drive_says(stage.window, "Account.debit"));
    g_assert_true(drive_says(stage.window, "37 threads"));
    until(has_cards, &stage); /* which goes on: it may get longer */
    g_assert_true(drive_says(stage.window, ", longest ≥\u202f1 min 0 s"));
    stage_clear(&stage);
}

/* Less than a tenth of the time of four threads, for one lock: what is a note is shown too. */
static void summary_shows_the_notes(void)
{
    PmMade m = pm_made_begin();
    const guint32 lock = pm_made_blocker(&m, m.lock_class, 7, m.lock_chain);
    const guint32 owner = pm_made_thread(&m, "ticker");

    m.assembly->duration = 10 * NS;
    for (guint i = 0; i < 4; i++) {
        const guint32 thread = pm_made_thread(&m, "exec-%u", i);
        for (gint64 k = 0; k < 10; k++)
            pm_made_held_wait(&m, thread, lock, m.lock_chain, owner, k * NS, k * NS + NS * 9 / 100,
                              0);
    }
    g_autoptr(PmRecording) recording = pm_assembly_finish(m.assembly);
    struct stage stage = stage_of(recording, pm_summary_page_new);
    until(has_cards, &stage);
    const PmVerdict *verdict = pm_state_get_verdict(stage.state);
    g_assert_cmpint(verdict->level, ==, PM_VERDICT_NONE);
    g_assert_true(g_str_has_prefix(verdict->sentence, "No wait stands out, 1 note. Longest"));
    g_assert_true(
        drive_says(stage.window, "Note: One lock takes 9 % of the busy time of exec-* (4)"));
    stage_clear(&stage);
}

/* What is left out as idle has no share in the rest. */
static void summary_tells_no_share_of_what_is_left_out(void)
{
    PmMade m = pm_made_begin();
    PmAssembly *a = m.assembly;
    const guint32 chain = pm_made_chain(a, "jdk.internal.misc.Unsafe.park",
                                        "java.util.concurrent.locks.LockSupport.parkNanos",
                                        "com.acme.Ring.await", "com.acme.Consumer.run", NULL);
    const PmBlocker null = {.flags = PM_BLOCKER_NULL, .first_chain = chain};
    const guint32 none = pm_assembly_add_blocker(a, &null), thread = pm_made_thread(&m, "consumer"),
                  lock = pm_made_blocker(&m, m.lock_class, 7, m.lock_chain);

    a->duration = 2 * NS;
    for (gint64 at = 0; at < a->duration; at += NS / 500) {
        PM_MADE_WAIT(a, at, at + NS / 1000, thread, none, chain, .flags = PM_WAIT_TIMED,
                     .kind = PM_KIND_PARK, .wake_cause = PM_WAKE_TIME_OUT);
    }
    pm_made_wait(&m, pm_made_thread(&m, "exec"), lock, m.lock_chain, NS, NS + NS / 2, 0);
    g_autoptr(PmRecording) recording = pm_assembly_finish(a);
    struct stage stage = stage_of(recording, pm_summary_page_new);
    until(has_cards, &stage);
    g_assert_true(drive_says(stage.window, "times a second"));
    g_assert_true(drive_says(stage.window, "100.0\u202f% of all waiting"));
    g_assert_false(drive_says(stage.window, "200.0\u202f% of all waiting"));
    stage_clear(&stage);
}

/* Whether some tooltip holds `text`. */
static gboolean explains_it(GtkWidget *widget, gconstpointer text)
{
    const char *said = gtk_widget_get_tooltip_text(widget);

    return said && strstr(said, text);
}

static gboolean explains(GtkWidget *widget, const char *text)
{
    return drive_find_where(widget, explains_it, text) != NULL;
}

/* A lock whose owner allocates while it holds it: that is evidence of the lock's card. */
static void summary_tells_what_was_allocated_under_a_lock(void)
{
    g_autoptr(PmRecording) recording = pm_made_holding(1 << 20);
    struct stage stage = stage_of(recording, pm_summary_page_new);

    until(has_cards, &stage);
    g_assert_true(explains(stage.page, "~owners allocated 92.5 MiB (at least "));
    g_assert_true(explains(stage.page, "while others waited for it, 100 % of that in Report"));
    stage_clear(&stage);
}

static void side_says_what_is_left_out(void)
{
    struct stage stage = stage_new("quiet", pm_summary_side_new);

    g_assert_true(drive_says(stage.window, "Where threads spend their time"));
    g_assert_true(drive_says(stage.window, "http-nio-8080-exec-*"));
    g_assert_true(drive_says(stage.window, "Idle:"));
    stage_clear(&stage);
    stage = stage_new("pool", pm_summary_side_new); /* that is always busy */
    g_assert_true(drive_says(stage.window, "report-pool-* (8)"));
    g_assert_true(drive_says(stage.window, "no waits"));
    stage_clear(&stage);
    stage = stage_new("deadlock", pm_summary_side_new);
    g_assert_true(drive_says(stage.window, "waits "));
    g_assert_false(drive_says(stage.window, "0.0"));
    stage_clear(&stage);
}

static void what_is_not_recorded_is_said_once(void)
{
    static const char *const kinds[] = {"quiet", "hot-lock"};

    for (guint i = 0; i < G_N_ELEMENTS(kinds); i++) {
        struct stage page = stage_new(kinds[i], pm_summary_page_new);
        g_assert_true(drive_says(page.window, "Not recorded here") == (i == 0));
        stage_clear(&page);
        struct stage side = stage_new(kinds[i], pm_summary_side_new);
        g_assert_true(drive_says(side.window, "Not recorded here") == (i == 1));
        stage_clear(&side);
    }
}

static void no_waits_is_said(void)
{
    struct stage stage = stage_new("empty", pm_summary_page_new);
    GtkWidget *page = drive_find_mapped(stage.window, PM_TYPE_STATE_PAGE);

    g_assert_nonnull(page);
    g_assert_cmpint(pm_state_page_get(PM_STATE_PAGE(page)), ==, PM_STATE_NO_WAITS);
    g_assert_true(drive_says(page, "No thread waited"));
    g_assert_false(drive_says(page, "Show idle")); /* there is none */
    stage_clear(&stage);
}

/* Nobody knows of the time in which the recorder was stopped. */
static void what_was_not_recorded_is_not_called_calm(void)
{
    struct stage page = stage_new("stopped", pm_summary_page_new);
    g_assert_true(drive_says(page.window, "No thread waited in the 3.08 s that were recorded"));
    g_assert_true(drive_says(page.window, "parkctl 2217 start"));
    g_assert_cmpstr(pm_state_get_verdict(page.state)->sentence, ==,
                    "No thread waited in the 3.08 s that were recorded");
    stage_clear(&page);
    struct stage side = stage_new("stopped", pm_summary_side_new);
    g_assert_true(drive_says(side.window, "s, while the recorder was stopped"));
    g_assert_false(drive_says(side.window, "Nothing that was recorded"));
    stage_clear(&side);
}

/* Not even for an instant: "no thread waited" would be said of nothing. */
static void that_nothing_was_recorded_is_said(void)
{
    PmMade m = pm_made_begin();
    const PmInterval all = {0, 10 * NS};

    m.assembly->duration = 10 * NS;
    m.assembly->facts.pid = 2217;
    g_array_append_val(m.assembly->stopped, all);
    g_autoptr(PmRecording) recording = pm_assembly_finish(m.assembly);
    struct stage stage = stage_of(recording, pm_summary_page_new);
    GtkWidget *page = drive_find_mapped(stage.window, PM_TYPE_STATE_PAGE);
    g_assert_nonnull(page);
    g_assert_cmpint(pm_state_page_get(PM_STATE_PAGE(page)), ==, PM_STATE_NOTHING_RECORDED);
    g_assert_true(drive_says(page, "Nothing was recorded in these 10.0 s"));
    g_assert_true(drive_says(page, "parkctl 2217 start"));
    g_assert_cmpstr(pm_state_get_verdict(stage.state)->sentence, ==,
                    "Nothing is known of these 10.0 s");
    stage_clear(&stage);
}

static gboolean has_leak(struct stage *stage)
{
    return drive_says(stage->window, "Live Order objects") &&
           !drive_says(stage->window, "Looking for causes");
}

/* Beside a leak, locks that nobody feels have no card. */
static void a_finding_is_not_joined_by_trifles(void)
{
    struct stage stage = stage_new("leak", pm_summary_page_new);

    until(has_leak, &stage);
    g_assert_false(drive_says(stage.window, "PriceCache.get"));
    stage_clear(&stage);
}

static void no_waits_of_a_damaged_file_are_none_that_can_be_read(void)
{
    PmMade m = pm_made_begin();

    m.assembly->duration = 10 * NS;
    g_autoptr(PmRecording) recording = pm_assembly_finish(m.assembly);
    recording->facts.damaged_blocks = 2;
    struct stage stage = stage_of(recording, pm_summary_page_new);
    GtkWidget *page = drive_find_mapped(stage.window, PM_TYPE_STATE_PAGE);
    g_assert_nonnull(page);
    g_assert_cmpint(pm_state_page_get(PM_STATE_PAGE(page)), ==, PM_STATE_NO_WAITS_DAMAGED);
    g_assert_true(drive_says(page, "2 damaged blocks left out"));
    g_assert_true(drive_says(page, "parkctl PID dump"));
    stage_clear(&stage);
}

/* Nobody waited at all: the page is of the leak all the same. */
static void a_leak_is_shown_without_waits(void)
{
    struct stage stage = stage_new("leak-alone", pm_summary_page_new);

    until(has_leak, &stage);
    g_assert_false(drive_says(stage.page, "No thread waited"));
    stage_clear(&stage);
}

/* Nobody waits for a leak. */
static void a_leak_has_no_share_of_the_waiting(void)
{
    struct stage stage = stage_new("leak", pm_summary_page_new);

    while (!drive_says(stage.window, "Live Order objects from Orders.take"))
        g_main_context_iteration(NULL, TRUE);
    GtkListBox *cards = GTK_LIST_BOX(drive_find_mapped(stage.window, GTK_TYPE_LIST_BOX));
    GtkWidget *card = GTK_WIDGET(gtk_list_box_get_row_at_index(cards, 0));
    g_assert_true(drive_says(card, "Live Order objects"));
    g_assert_false(drive_says(card, "of all waiting"));
    stage_clear(&stage);
}

/* ---- access ---- */

static void own_widgets_have_roles(void)
{
    struct stage stage = stage_new("hot-lock", pm_tree_page_new);
    GtkWidget *share = drive_find_mapped(stage.window, PM_TYPE_SHARE_CELL);
    g_autofree char *wanted = NULL;

    g_assert_nonnull(share);
    gtk_test_accessible_assert_role(GTK_ACCESSIBLE(share), GTK_ACCESSIBLE_ROLE_METER);
    gtk_test_accessible_assert_role(
        GTK_ACCESSIBLE(drive_find_mapped(stage.window, GTK_TYPE_COLUMN_VIEW)),
        GTK_ACCESSIBLE_ROLE_TREE_GRID);
    stage_clear(&stage);
}

int main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;

    g_test_init(&argc, &argv, NULL);
    if (!drive_look())
        return 0;
    directory = g_dir_make_tmp("parkmeter-pages-XXXXXX", &error);
    g_assert_no_error(error);
    g_test_add_func("/ui/tree-page/rows-are-the-analysis", tree_rows_are_the_analysis);
    g_test_add_func("/ui/tree-page/one-row-for-all-that-are-alike",
                    tree_has_one_row_for_all_that_are_alike);
    g_test_add_func("/ui/tree-page/follows-the-range", tree_follows_the_range);
    g_test_add_func("/ui/tree-page/follows-the-levels", tree_follows_the_levels);
    g_test_add_func("/ui/tree-page/sorts-by-any-column", tree_sorts_by_any_column);
    g_test_add_func("/ui/grid/takes-new-numbers-into-the-same-rows",
                    grid_takes_new_numbers_into_the_same_rows);
    g_test_add_func("/ui/tree-page/keeps-its-rows-in-a-drag", tree_keeps_its_rows_in_a_drag);
    g_test_add_func("/ui/tree-page/selects-both-ways", tree_selects_both_ways);
    g_test_add_func("/ui/tree-page/says-why-it-is-empty", tree_says_why_it_is_empty);
    g_test_add_func("/ui/threads-page/claims-nothing-of-what-is-only-counted",
                    threads_that_are_only_counted_do_not_wait_for_nothing);
    g_test_add_func("/ui/tree-page/says-what-is-only-counted", tree_says_what_is_only_counted);
    g_test_add_func("/ui/blockers-page/rows-are-the-metrics", blockers_are_the_metrics);
    g_test_add_func("/ui/blockers-page/alike-are-one-row", blockers_that_are_alike_are_one_row);
    g_test_add_func("/ui/blockers-page/how-they-are-waited-for",
                    blockers_say_how_they_are_waited_for);
    g_test_add_func("/ui/blockers-page/has-room-for-the-longest",
                    blockers_have_room_for_the_longest);
    g_test_add_func("/ui/blockers-page/has-thousands-of-waiting-threads",
                    blockers_have_thousands_of_waiting_threads);
    g_test_add_func("/ui/blockers-page/has-the-measured-hold", blockers_have_the_measured_hold);
    g_test_add_func("/ui/blockers-page/has-a-columns-menu", blockers_have_a_columns_menu);
    g_test_add_func("/ui/blockers-page/titles-stay-with-their-columns",
                    titles_stay_with_their_columns);
    g_test_add_func("/ui/blockers-page/leaves-out-what-does-not-fit",
                    blockers_leave_out_what_does_not_fit);
    g_test_add_func("/ui/element/amounts-stay-on-one-line", amounts_stay_on_one_line);
    g_test_add_func("/ui/element/names-of-files-stay-whole", names_of_files_stay_whole);
    g_test_add_func("/ui/flames-page/boxes-are-the-waits", flames_are_the_waits);
    g_test_add_func("/ui/flames-page/mixed-waits-are-called-so",
                    flames_of_mixed_waits_are_called_so);
    g_test_add_func("/ui/flames-page/begins-with-own-code", flames_begin_with_own_code);
    g_test_add_func("/ui/flames-page/is-walked-by-keys", flames_are_walked_by_keys);
    g_test_add_func("/ui/memory-page/says-what-lives-and-grew", memory_says_what_lives_and_grew);
    g_test_add_func("/ui/memory-page/tells-what-grows-by-any-levels",
                    memory_tells_what_grows_by_any_levels);
    g_test_add_func("/ui/memory-page/says-how-to-switch-it-on", memory_says_how_to_switch_it_on);
    g_test_add_func("/ui/memory-page/detail-has-bounds-and-stack-traces",
                    memory_detail_has_bounds_and_stack_traces);
    g_test_add_func("/ui/grid/a-row-outlives-its-opening", a_row_outlives_its_opening);
    g_test_add_func("/ui/threads-page/groups-first", threads_are_groups_first);
    g_test_add_func("/ui/blockers-page/alike-ones-are-told-apart", alike_blockers_are_told_apart);
    g_test_add_func("/ui/blockers-page/of-one-site-are-told-apart",
                    blockers_of_one_site_are_told_apart);
    g_test_add_func("/ui/blockers-page/unknown-and-little", unknown_and_little_are_told_apart);
    g_test_add_func("/ui/number/a-lone-giant-does-not-choose-the-unit",
                    a_lone_giant_does_not_choose_the_unit);
    g_test_add_func("/ui/frame-text/files-like-their-class-are-left-out", frames_are_short);
    g_test_add_func("/ui/frame-text/gives-up-what-matters-least-first",
                    names_give_up_what_matters_least_first);
    g_test_add_func("/ui/name-label/never-half-a-class", name_labels_never_show_half_a_class);
    g_test_add_func("/ui/name-label/tells-apart", names_are_told_apart);
    g_test_add_func("/ui/element/names-without-room-are-cut-before-their-method",
                    names_without_room_are_cut_before_their_method);
    g_test_add_func("/ui/name-label/tells-a-list-apart", names_in_a_list_are_told_apart);
    g_test_add_func("/ui/element/names-stand-below-each-other", names_stand_below_each_other);
    g_test_add_func("/ui/element/sentences-go-on-after-names", sentences_go_on_after_names);
    g_test_add_func("/ui/name-label/keeps-the-ends-of-threads",
                    name_labels_keep_the_ends_of_threads);
    g_test_add_func("/ui/grid/titles-stand-over-their-numbers", titles_stand_over_their_numbers);
    g_test_add_func("/ui/element/sentences-break-between-names", sentences_break_between_names);
    g_test_add_func("/ui/element/long-names-break-between-their-words",
                    long_names_break_between_their_words);
    g_test_add_func("/ui/number/means-have-two-decimals-at-most", means_have_two_decimals_at_most);
    g_test_add_func("/ui/detail-pane/shows-the-selection", detail_shows_the_selection);
    g_test_add_func("/ui/detail-pane/folds-what-is-around-own-code",
                    detail_folds_what_is_around_own_code);
    g_test_add_func("/ui/detail-pane/begins-with-what-is-selected",
                    detail_begins_with_what_is_selected);
    g_test_add_func("/ui/detail-pane/says-whole-names-of-threads",
                    detail_says_whole_names_of_threads);
    g_test_add_func("/ui/detail-pane/says-the-field-of-a-blocker",
                    detail_says_the_field_of_a_blocker);
    g_test_add_func("/ui/detail-pane/owner-is-gone-to-where-it-waited-itself",
                    owner_is_gone_to_where_it_waited_itself);
    g_test_add_func("/ui/summary-page/leads-to-the-proof", summary_leads_to_the_proof);
    g_test_add_func("/ui/summary-page/without-waits-leads-to-threads",
                    a_finding_without_waits_leads_to_its_threads);
    g_test_add_func("/ui/summary-page/alike-together", summary_tells_of_blockers_alike_together);
    g_test_add_func("/ui/summary-page/who-still-waits-alike-once",
                    summary_tells_once_of_who_still_waits_alike);
    g_test_add_func("/ui/summary-page/names-are-copied-as-they-are", names_are_copied_as_they_are);
    g_test_add_func("/ui/summary-page/cards-are-copied", summary_cards_are_copied);
    g_test_add_func("/ui/summary-page/deadlock-first", summary_tells_a_deadlock_first);
    g_test_add_func("/ui/summary-page/shows-the-notes", summary_shows_the_notes);
    g_test_add_func("/ui/summary-page/no-share-of-what-is-left-out",
                    summary_tells_no_share_of_what_is_left_out);
    g_test_add_func("/ui/summary-page/tells-what-was-allocated-under-a-lock",
                    summary_tells_what_was_allocated_under_a_lock);
    g_test_add_func("/ui/summary-page/says-what-is-left-out", side_says_what_is_left_out);
    g_test_add_func("/ui/summary-page/what-is-not-recorded-is-said-once",
                    what_is_not_recorded_is_said_once);
    g_test_add_func("/ui/summary-page/no-waits", no_waits_is_said);
    g_test_add_func("/ui/summary-page/nothing-recorded", that_nothing_was_recorded_is_said);
    g_test_add_func("/ui/summary-page/what-was-not-recorded",
                    what_was_not_recorded_is_not_called_calm);
    g_test_add_func("/ui/summary-page/no-trifles", a_finding_is_not_joined_by_trifles);
    g_test_add_func("/ui/summary-page/no-waits-of-a-damaged-file",
                    no_waits_of_a_damaged_file_are_none_that_can_be_read);
    g_test_add_func("/ui/summary-page/a-leak-is-shown-without-waits",
                    a_leak_is_shown_without_waits);
    g_test_add_func("/ui/summary-page/a-leak-has-no-share-of-the-waiting",
                    a_leak_has_no_share_of_the_waiting);
    g_test_add_func("/ui/pages/own-widgets-have-roles", own_widgets_have_roles);
    const int status = g_test_run();
    static const char *const kinds[] = {"hot-lock", "deadlock", "pool", "quiet", "crowd", "empty"};
    for (guint i = 0; i < G_N_ELEMENTS(kinds); i++) {
        g_autofree char *path = g_strdup_printf("%s/%s.park", directory, kinds[i]);
        g_remove(path);
    }
    g_rmdir(directory);
    g_free(directory);
    return status;
}
