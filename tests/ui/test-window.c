/* The real window on a display: opens a recording that was really written, is dragged, zoomed,
 * sorted, filtered, and says nothing on stderr. Numbers are checked against the analysis. What is
 * of running JVMs is below /ui/live, and run by itself: it mostly waits. */
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include <adwaita.h>
#include <gdk/x11/gdkx.h>
#include <glib/gstdio.h>

#include "tests/folder.h"
#include "tests/format/synthetic.h"
#include "tests/ui/drive.h"
#include "tests/ui/showcase.h"
#include "viewer/analysis/loading/load.h"
#include "viewer/ui/charts/charts.h"
#include "viewer/ui/charts/overview.h"
#include "viewer/ui/charts/timeline-picture.h"
#include "viewer/ui/charts/timeline.h"
#include "viewer/ui/model/job.h"
#include "viewer/ui/model/live.h"
#include "viewer/ui/model/loader.h"
#include "viewer/ui/model/number.h"
#include "viewer/ui/model/settings.h"
#include "viewer/ui/pages/state-page.h"
#include "viewer/ui/widgets/element.h"
#include "viewer/ui/grid/grid.h"
#include "viewer/ui/widgets/name-label.h"
#include "viewer/ui/widgets/share-cell.h"
#include "viewer/ui/window/focus-keeper.h"
#include "viewer/ui/window/verdict-line.h"

#define WAITS 5000

static char *folder, *recording_path;
static guint64 waits_written;

static gpointer controller_of(GtkWidget *widget, GType type)
{
    g_autoptr(GListModel) all = gtk_widget_observe_controllers(widget);

    for (guint i = 0; i < g_list_model_get_n_items(all); i++) {
        g_autoptr(GObject) controller = g_list_model_get_item(all, i);
        if (G_TYPE_CHECK_INSTANCE_TYPE(controller, type))
            return controller; /* the widget holds it */
    }
    return NULL;
}

/* A drag as the gesture reports it. */
static void drag(GtkWidget *widget, double from, double to, double y)
{
    gpointer gesture = controller_of(widget, GTK_TYPE_GESTURE_DRAG);

    g_assert_nonnull(gesture);
    g_signal_emit_by_name(gesture, "drag-begin", from, y);
    for (int i = 1; i <= 10; i++) {
        g_signal_emit_by_name(gesture, "drag-update", (to - from) * i / 10, 0.0);
        drive_spin(5);
    }
    g_signal_emit_by_name(gesture, "drag-end", to - from, 0.0);
}

/* The numbers on the screen are the analysis' own for this range and these filters. */
static void check_numbers(PmState *state)
{
    guint n;
    g_autoptr(PmView) view = drive_view(state);
    const PmAspect *aspects = pm_state_get_aspects(state, &n);
    g_autoptr(PmTree) tree = pm_tree_new(view, aspects, n, NULL);
    g_autoptr(PmMetrics) metrics = pm_metrics_new(view, NULL);
    PmTree *shown = pm_state_get_tree_results(state)->tree;

    g_assert_cmpint(pm_state_get_view(state)->thread_time, ==, view->thread_time);
    g_assert_cmpuint(pm_state_get_view(state)->n, ==, view->n);
    g_assert_cmpuint(shown->root->n_children, ==, tree->root->n_children);
    for (guint i = 0; i < tree->root->n_children; i++) {
        g_assert_cmpuint(shown->root->children[i]->key, ==, tree->root->children[i]->key);
        g_assert_cmpint(shown->root->children[i]->thread_time, ==,
                        tree->root->children[i]->thread_time);
        g_assert_cmpint(shown->root->children[i]->count, ==, tree->root->children[i]->count);
    }
    g_assert_cmpuint(pm_state_get_results(state)->metrics->n, ==, metrics->n);
    for (gsize i = 0; i < metrics->n; i++) {
        g_assert_cmpint(pm_state_get_results(state)->metrics->rows[i].thread_time, ==,
                        metrics->rows[i].thread_time);
    }
}

/* The table of a page, which is shown. */
static PmGrid *grid_of(PmWindow *window, PmPage page)
{
    g_autofree char *action = g_strconcat("win.page::", pm_page_name(page), NULL);

    drive_act(window, action);
    drive_settle(window);
    return PM_GRID(drive_find_mapped(GTK_WIDGET(window), PM_TYPE_GRID));
}

static GtkWidget *detail_of(PmWindow *window)
{
    GtkWidget *pane = drive_find_mapped(GTK_WIDGET(window), g_type_from_name("PmDetailPane"));

    g_assert_nonnull(pane);
    return pane;
}

static void test_opens_a_recording(void)
{
    PmWindow *window = drive_open(recording_path);
    PmState *state = pm_window_get_state(window);

    g_assert_nonnull(pm_state_get_recording(state));
    g_assert_cmpuint(pm_state_get_recording(state)->waits.n, ==, waits_written);
    g_assert_nonnull(pm_state_get_results(state));
    g_assert_nonnull(pm_state_get_curves(state));
    g_assert_nonnull(strstr(gtk_window_get_title(GTK_WINDOW(window)), "made.park"));
    /* Of several JVMs of one program the pid is what tells them apart: it is cut last. */
    g_autofree char *pid = g_strdup_printf("pid %u · ", pm_state_get_recording(state)->facts.pid);
    AdwWindowTitle *title =
        ADW_WINDOW_TITLE(drive_find_mapped(GTK_WIDGET(window), ADW_TYPE_WINDOW_TITLE));
    g_assert_true(g_str_has_prefix(adw_window_title_get_subtitle(title), pid));
    g_assert_null(strstr(adw_window_title_get_title(title), pid));
    g_assert_nonnull(strstr(gtk_window_get_title(GTK_WINDOW(window)), pid));
    g_assert_nonnull(drive_find_mapped(GTK_WIDGET(window), PM_TYPE_TIMELINE));
    check_numbers(state);
    drive_close(window);
}

static void test_a_drag_selects_a_range(void)
{
    PmWindow *window = drive_open(recording_path);
    PmState *state = pm_window_get_state(window);
    GtkWidget *timeline = drive_find_mapped(GTK_WIDGET(window), PM_TYPE_TIMELINE);
    gint64 from, to, whole_from, whole_to;
    int width = gtk_widget_get_width(timeline);

    drive_act(window, "win.page::tree");
    pm_state_get_whole(state, &whole_from, &whole_to);
    drag(timeline, width * 0.25, width * 0.5, 60);
    drive_settle(window);
    g_assert_true(pm_state_get_range(state, &from, &to));
    g_assert_cmpfloat_with_epsilon((double)(from - whole_from) / (double)(whole_to - whole_from),
                                   0.25, 0.01);
    g_assert_cmpfloat_with_epsilon((double)(to - whole_from) / (double)(whole_to - whole_from), 0.5,
                                   0.01);
    check_numbers(state);

    /* An edge of it, taken and moved, resizes it; the other edge stays. */
    gint64 old_from = from;
    drag(timeline, width * 0.5, width * 0.75, 60);
    drive_settle(window);
    g_assert_true(pm_state_get_range(state, &from, &to));
    g_assert_cmpint(from, ==, old_from);
    g_assert_cmpfloat_with_epsilon((double)(to - whole_from) / (double)(whole_to - whole_from),
                                   0.75, 0.01);
    check_numbers(state);

    /* A click is no drag. */
    drag(timeline, width * 0.1, width * 0.1 + 1, 60);
    g_assert_true(pm_state_get_range(state, &from, &to));
    g_assert_cmpint(from, ==, old_from);

    drive_act(window, "win.zoom-range");
    gint64 visible_from, visible_to;
    pm_state_get_visible(state, &visible_from, &visible_to);
    g_assert_cmpint(visible_from, ==, from);
    g_assert_cmpint(visible_to, ==, to);
    drive_act(window, "win.clear-range");
    drive_settle(window);
    g_assert_false(pm_state_get_range(state, &from, &to));
    check_numbers(state);
    drive_close(window);
}

static void test_the_wheel_pans_and_the_strip_zooms(void)
{
    PmWindow *window = drive_open(recording_path);
    PmState *state = pm_window_get_state(window);
    GtkWidget *timeline = drive_find_mapped(GTK_WIDGET(window), PM_TYPE_TIMELINE),
              *overview = drive_find_mapped(GTK_WIDGET(window), PM_TYPE_OVERVIEW);
    gint64 from, to, before_from, before_to, range_from, range_to;
    gboolean handled;

    drag(overview, gtk_widget_get_width(overview) * 0.4, gtk_widget_get_width(overview) * 0.6, 10);
    pm_state_get_visible(state, &before_from, &before_to);
    pm_state_get_whole(state, &from, &to);
    g_assert_cmpfloat_with_epsilon((double)(before_to - before_from) / (double)(to - from), 0.2,
                                   0.02);
    g_signal_emit_by_name(controller_of(timeline, GTK_TYPE_EVENT_CONTROLLER_SCROLL), "scroll", 0.0,
                          1.0, &handled);
    pm_state_get_visible(state, &from, &to);
    g_assert_cmpint(from, >, before_from);
    g_assert_cmpfloat_with_epsilon((double)(to - from), (double)(before_to - before_from), 2);
    g_assert_false(pm_state_get_range(state, &range_from, &range_to));
    /* The inside of the box moves it. */
    pm_state_get_visible(state, &before_from, &before_to);
    double middle = gtk_widget_get_width(overview) * 0.5;
    drag(overview, middle, middle - 50, 10);
    pm_state_get_visible(state, &from, &to);
    g_assert_cmpint(from, <, before_from);
    g_assert_cmpint(to - from, ==, before_to - before_from);
    drive_act(window, "win.whole");
    drive_act(window, "win.zoom-in");
    drive_act(window, "win.pan-right");
    drive_act(window, "win.go-end");
    pm_state_get_visible(state, &from, &to);
    gint64 whole_from, whole_to;
    pm_state_get_whole(state, &whole_from, &whole_to);
    g_assert_cmpint(to, ==, whole_to);
    drive_spin(50);
    drive_close(window);
}

/* At one x lanes and charts mean one instant, whether the detail pane is beside or not, and zoomed.
 */
static void test_lanes_are_on_the_charts_axis(void)
{
    PmWindow *window = drive_open(recording_path);
    PmState *state = pm_window_get_state(window);
    PmGrid *grid = grid_of(window, PM_PAGE_THREADS);
    GtkWidget *view = gtk_widget_get_first_child(gtk_widget_get_first_child(GTK_WIDGET(grid))),
              *timeline = drive_find_mapped(GTK_WIDGET(window), PM_TYPE_TIMELINE);
    gpointer over_chart = controller_of(timeline, GTK_TYPE_EVENT_CONTROLLER_MOTION),
             over_rows = controller_of(view, GTK_TYPE_EVENT_CONTROLLER_MOTION);

    for (guint step = 0; step < 3; step++) {
        if (step == 1)
            pm_grid_select_first(grid);
        if (step == 2)
            drive_act(window, "win.zoom-in");
        drive_settle(window);
        graphene_rect_t strip;
        g_assert_true(pm_grid_strip_bounds(grid, 0, &strip));
        for (int i = 1; i < 6; i++) {
            const double x = gtk_widget_get_width(timeline) * i / 10.0;
            double chart_x, chart_y, view_x, view_y;
            g_signal_emit_by_name(over_chart, "motion", x, 4.0);
            const gint64 expected = pm_state_get_pointed(state);
            g_assert_cmpint(expected, !=, G_MININT64);
            g_signal_emit_by_name(over_chart, "leave");
            g_assert_cmpint(pm_state_get_pointed(state), ==, G_MININT64);
            gtk_widget_translate_coordinates(timeline, GTK_WIDGET(grid), x, 4, &chart_x, &chart_y);
            gtk_widget_translate_coordinates(GTK_WIDGET(grid), view, chart_x,
                                             strip.origin.y + strip.size.height / 2, &view_x,
                                             &view_y);
            g_signal_emit_by_name(over_rows, "motion", view_x, view_y);
            g_assert_cmpint(ABS(pm_state_get_pointed(state) - expected), <=, 1000);
            g_signal_emit_by_name(over_rows, "leave");
            g_assert_cmpint(pm_state_get_pointed(state), ==, G_MININT64);
        }
    }
    drive_close(window);
}

/* Nothing is drawn over the curves that says how high they are, and nothing over the titles. */
static void check_tops(PmWindow *window, gboolean is_usual)
{
    PmCharts *charts = PM_CHARTS(drive_find_mapped(GTK_WIDGET(window), PM_TYPE_CHARTS));
    GtkWidget *timeline = pm_charts_get_timeline(charts);
    graphene_rect_t chart;

    g_assert_true(gtk_widget_compute_bounds(timeline, GTK_WIDGET(charts), &chart));
    for (int bands = 0; bands < 2; bands++) {
        g_autoptr(PangoLayout) layout = NULL;
        GdkRectangle place;
        const gboolean any = pm_charts_place_top(charts, bands, &layout, &place);
        g_assert_true(any || !is_usual);
        g_assert_cmpint(place.x + place.width, <, (int)chart.origin.x);
        g_assert_cmpint(any, ==, layout != NULL);
        if (any)
            g_assert_true(g_ascii_isdigit(*pango_layout_get_text(layout)));
        for (GtkWidget *title = gtk_widget_get_first_child(GTK_WIDGET(charts)); title;
             title = gtk_widget_get_next_sibling(title)) {
            graphene_rect_t bounds;
            if (!any || !GTK_IS_LABEL(title) ||
                !gtk_widget_compute_bounds(title, GTK_WIDGET(charts), &bounds) ||
                (int)bounds.origin.y != place.y)
                continue;
            PangoLayoutLine *line =
                pango_layout_get_line_readonly(gtk_label_get_layout(GTK_LABEL(title)), 0);
            PangoRectangle text;
            pango_layout_line_get_pixel_extents(line, NULL, &text);
            g_assert_cmpint((int)bounds.origin.x + text.width, <, place.x);
        }
    }
}

static void test_tops_of_axes_stand_beside_the_charts(void)
{
    static const int sizes[][2] = {{1280, 800}, {800, 600}};
    static const char *const fonts[] = {"Sans 10", "Sans 12.5", "Sans 15"};
    PmWindow *window = drive_open(recording_path);
    GtkSettings *settings = gtk_widget_get_settings(GTK_WIDGET(window));

    for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
        for (guint f = 0; f < G_N_ELEMENTS(fonts); f++) {
            g_object_set(settings, "gtk-font-name", fonts[f], NULL);
            gtk_window_set_default_size(GTK_WINDOW(window), sizes[i][0], sizes[i][1]);
            drive_settle(window);
            check_tops(window, i == 0);
        }
    }
    gtk_settings_reset_property(settings, "gtk-font-name");
    drive_close(window);
}

static guint windows_shown(void)
{
    GListModel *all = gtk_window_get_toplevels();
    guint n = 0;

    for (guint i = 0; i < g_list_model_get_n_items(all); i++) {
        g_autoptr(GtkWidget) window = g_list_model_get_item(all, i);
        n += gtk_widget_get_visible(window) && !GTK_IS_MESSAGE_DIALOG(window);
    }
    return n;
}

/* GTK is modal about a folder that it was not allowed to read to its end. It keeps its choosers,
 * hidden, and one that opens lists what was opened lately. */
static void let_folders_be_read(void)
{
    GListModel *all = gtk_window_get_toplevels();

    for (guint i = 0; i < g_list_model_get_n_items(all); i++) {
        g_autoptr(GtkWidget) window = g_list_model_get_item(all, i);
        if (!GTK_IS_FILE_CHOOSER(window) || !gtk_widget_get_visible(window) ||
            gtk_file_chooser_get_action(GTK_FILE_CHOOSER(window)) == GTK_FILE_CHOOSER_ACTION_OPEN)
            continue;
        for (int tries = 0; tries < 40; tries++) {
            g_autoptr(GFile) folder_read =
                gtk_file_chooser_get_current_folder(GTK_FILE_CHOOSER(window));
            if (folder_read)
                break;
            drive_spin(50);
        }
    }
    drive_spin(100);
}

static void close_messages(void)
{
    GListModel *all = gtk_window_get_toplevels();

    for (guint i = g_list_model_get_n_items(all); i-- > 0;) {
        g_autoptr(GtkWindow) window = g_list_model_get_item(all, i);
        if (GTK_IS_MESSAGE_DIALOG(window))
            gtk_window_destroy(window);
    }
}

/* What is answered after the window is gone would come to nobody. */
static void test_dialogs_go_with_their_window(void)
{
    static const char *const opens[] = {"win.open",      "win.save",  "win.save-view",
                                        "win.shortcuts", "win.about", "win.running-jvms"};

    for (guint i = 0; i < G_N_ELEMENTS(opens); i++) {
        PmWindow *window = drive_open(recording_path);
        GtkApplication *application = gtk_window_get_application(GTK_WINDOW(window));
        for (guint k = 0; k < 2; k++) {
            drive_act(window, opens[i]);
            let_folders_be_read();
        }
        g_assert_cmpuint(windows_shown(), >, 1);
        drive_close(window);
        g_assert_cmpuint(windows_shown(), ==, 0);
        g_assert_null(gtk_application_get_windows(application));
    }
    close_messages();
}

static gboolean is_told_by(PmWindow *window, const char *text)
{
    GtkWidget *overlay = gtk_window_get_child(GTK_WINDOW(window));
    GtkRevealer *revealer = GTK_REVEALER(gtk_widget_get_last_child(overlay));

    return gtk_revealer_get_reveal_child(revealer) &&
           g_str_equal(gtk_label_get_text(GTK_LABEL(gtk_revealer_get_child(revealer))), text);
}

/* A name is offered, and that it was saved is told. */
static void test_what_is_saved_is_told(void)
{
    static const struct {
        const char *action, *offered, *told;
    } saves[] = {{"win.save", "made.park", "Copy saved"},
                 {"win.save-view", "made-tree.png", "Picture saved"}};
    g_autofree char *into = g_build_filename(folder, "saved", NULL);
    g_autoptr(GFile) into_file = g_file_new_for_path(into);
    PmWindow *window = drive_open(recording_path);

    g_assert_cmpint(g_mkdir(into, 0700), ==, 0);
    drive_act(window, "win.page::tree");
    for (guint i = 0; i < G_N_ELEMENTS(saves); i++) {
        g_autofree char *path = g_build_filename(into, saves[i].offered, NULL);
        drive_act(window, saves[i].action);
        let_folders_be_read();
        GtkFileChooser *chooser = NULL;
        GListModel *all = gtk_window_get_toplevels();
        for (guint k = 0; k < g_list_model_get_n_items(all); k++) {
            g_autoptr(GtkWidget) one = g_list_model_get_item(all, k);
            if (GTK_IS_FILE_CHOOSER(one) && gtk_widget_get_visible(one))
                chooser = GTK_FILE_CHOOSER(one);
        }
        g_assert_nonnull(chooser);
        g_autofree char *offered = gtk_file_chooser_get_current_name(chooser);
        g_assert_cmpstr(offered, ==, saves[i].offered);
        gtk_file_chooser_set_current_folder(chooser, into_file, NULL);
        let_folders_be_read();
        gtk_dialog_response(GTK_DIALOG(chooser), GTK_RESPONSE_ACCEPT);
        UNTIL(is_told_by(window, saves[i].told));
        g_assert_true(g_file_test(path, G_FILE_TEST_EXISTS));
        g_unlink(path);
    }
    drive_close(window);
    close_messages();
    g_rmdir(into);
}

/* As GTK causes them by moving a popover that is destroyed. */
static void test_an_error_of_the_display_leaves_the_window(void)
{
    PmWindow *window = drive_open(recording_path);
    Display *display = gdk_x11_display_get_xdisplay(gtk_widget_get_display(GTK_WIDGET(window)));
    const Window destroyed =
        XCreateSimpleWindow(display, DefaultRootWindow(display), 0, 0, 9, 9, 0, 0, 0);

    XDestroyWindow(display, destroyed);
    XMoveWindow(display, destroyed, 1, 1);
    XSync(display, False);
    drive_settle(window);
    drive_close(window);
}

/* Installed or not. */
static void test_the_program_has_its_icon(void)
{
    PmWindow *window = drive_open(NULL);
    GtkIconTheme *theme =
        gtk_icon_theme_get_for_display(gtk_widget_get_display(GTK_WIDGET(window)));
    const char *name = gtk_window_get_icon_name(GTK_WINDOW(window));
    g_autofree char *symbolic = g_strconcat(name, "-symbolic", NULL);

    g_assert_true(gtk_icon_theme_has_icon(theme, name));
    g_assert_true(gtk_icon_theme_has_icon(theme, symbolic));
    drive_close(window);
}

static gboolean has_class(GtkWidget *widget, gconstpointer class)
{
    return gtk_widget_has_css_class(widget, class);
}

static GtkWidget *with_class(PmWindow *window, const char *class)
{
    return drive_find_where(GTK_WIDGET(window), has_class, class);
}

static GtkWidget *chips_of(PmWindow *window)
{
    return gtk_widget_get_parent(with_class(window, "pm-chip"));
}

/* What leaves nothing is said where the verdict is, and only what helps is offered. */
static void test_filters_that_leave_nothing(void)
{
    PmWindow *window = drive_open(recording_path);
    PmState *state = pm_window_get_state(window);
    gint64 from, to;

    drive_act(window, "win.page::tree");
    pm_state_add_chip(state, PM_ASPECT_THREAD, "no such thread", FALSE);
    drive_settle(window);
    g_assert_true(drive_says(with_class(window, "verdict"), "No wait matches"));
    g_assert_true(drive_says(GTK_WIDGET(window), "Clear filters"));
    /* "Whole recording" is also the title of a chart. */
    GtkWidget *page = drive_find_mapped(GTK_WIDGET(window), PM_TYPE_STATE_PAGE);
    g_assert_false(drive_says(page, "Whole recording"));
    pm_state_get_whole(state, &from, &to);
    pm_state_set_range(state, from, from + (to - from) / 2);
    drive_settle(window);
    g_assert_true(drive_says(page, "Whole recording"));
    drive_close(window);
}

static void test_filters_and_history(void)
{
    PmWindow *window = drive_open(recording_path);
    PmState *state = pm_window_get_state(window);

    drive_act(window, "win.page::tree");
    PmTreeNode *first = pm_state_get_tree_results(state)->tree->root->children[0];
    gint64 its_time = first->thread_time, all = pm_state_get_view(state)->thread_time;
    pm_state_select_key(state, first->aspect, first->key);
    drive_spin(50);
    drive_act(window, "win.filter-in");
    drive_settle(window);
    g_assert_cmpint(pm_state_get_view(state)->thread_time, ==, its_time);
    g_autofree char *waits = pm_number_plural((gint64)pm_state_get_view(state)->n, "wait", "waits");
    g_assert_true(drive_says(with_class(window, "scope"), waits)); /* those that are counted */
    check_numbers(state);
    drive_act(window, "win.back");
    drive_settle(window);
    g_assert_cmpint(pm_state_get_view(state)->thread_time, ==, all);
    drive_act(window, "win.filter-out");
    drive_settle(window);
    check_numbers(state);
    drive_act(window, "win.toggle-idle");
    drive_settle(window);
    check_numbers(state);
    /* A site's chip is as short as in rows. */
    const guint32 row = pm_view_row(pm_state_get_view(state), 0);
    pm_state_select_key(state, PM_ASPECT_SITE,
                        pm_aspect_key(pm_state_get_recording(state), PM_ASPECT_SITE, row));
    drive_act(window, "win.filter-in");
    drive_settle(window);
    g_assert_false(drive_says(with_class(window, "scope"), ".java"));
    for (GtkWidget *chip = gtk_widget_get_first_child(chips_of(window)); chip;
         chip = gtk_widget_get_next_sibling(chip)) {
        GtkWidget *name = drive_find_mapped(chip, PM_TYPE_NAME_LABEL); /* is cut between names */
        g_assert_nonnull(name);
        g_assert_false(g_str_has_prefix(pm_name_label_get_text(PM_NAME_LABEL(name)), "not "));
    }
    g_assert_true(drive_says(chips_of(window), "not"));
    drive_act(window, "win.back");
    drive_settle(window);
    /* Esc: first the range, then the selection. */
    pm_state_set_range(state, 1000000, 2000000000);
    drive_act(window, "win.escape");
    gint64 from, to;
    g_assert_false(pm_state_get_range(state, &from, &to));
    g_assert_cmpuint(pm_state_get_selection(state)->n, ==, 1);
    drive_act(window, "win.escape");
    g_assert_cmpuint(pm_state_get_selection(state)->n, ==, 0);
    drive_settle(window);
    drive_close(window);
}

static void test_a_click_selects_a_band_and_two_filter(void)
{
    PmWindow *window = drive_open(recording_path);
    PmState *state = pm_window_get_state(window);
    GtkWidget *timeline = drive_find_mapped(GTK_WIDGET(window), PM_TYPE_TIMELINE);
    gpointer click = controller_of(timeline, GTK_TYPE_GESTURE_CLICK),
             press = controller_of(timeline, GTK_TYPE_GESTURE_DRAG);
    PmTimelineRows rows;
    double x = gtk_widget_get_width(timeline) / 2.0;

    pm_timeline_rows(timeline, gtk_widget_get_height(timeline), &rows);
    double y = rows.bands_y + rows.bands_height - 2;
    /* The lowest band is the biggest key of the whole recording. */
    guint64 key = pm_band_order_get(pm_state_get_curves(state)->order, 0)->key;
    gint64 its_time = 0;
    PmTreeNode *root = pm_state_get_tree_results(state)->tree->root;
    for (guint i = 0; i < root->n_children; i++)
        its_time += root->children[i]->key == key ? root->children[i]->thread_time : 0;
    g_signal_emit_by_name(press, "drag-begin", x, y);
    g_signal_emit_by_name(press, "drag-end", 0.0, 0.0);
    g_signal_emit_by_name(click, "released", 1, x, y);
    g_assert_cmpuint(pm_state_get_selection(state)->n, ==, 1);
    g_assert_cmpuint(pm_state_get_selection(state)->keys[0], ==, key);
    g_assert_cmpuint(pm_state_n_chips(state), ==, 0);
    g_signal_emit_by_name(click, "released", 2, x, y);
    drive_settle(window);
    g_assert_cmpuint(pm_state_n_chips(state), ==, 1);
    g_assert_cmpint(pm_state_get_view(state)->thread_time, ==, its_time);
    /* Where nothing is, a click selects nothing: above the band, where it is not at its highest. */
    for (double left = 1; left < 2 * x && pm_state_get_selection(state)->n > 0; left += 5) {
        g_signal_emit_by_name(press, "drag-begin", left, (double)rows.bands_y + 1);
        g_signal_emit_by_name(press, "drag-end", 0.0, 0.0);
        g_signal_emit_by_name(click, "released", 1, left, (double)rows.bands_y + 1);
    }
    g_assert_cmpuint(pm_state_get_selection(state)->n, ==, 0);
    g_assert_true(gtk_widget_grab_focus(timeline));
    g_assert_true(gtk_widget_activate_action(timeline, "chart.band-up", NULL));
    g_assert_cmpuint(pm_state_get_selection(state)->keys[0], ==, key);
    drive_close(window);
}

static void test_blockers_sort_by_every_shown_column(void)
{
    static const char *const columns[] = {"times", "now", "peak", "time", "average", "longest"};
    PmWindow *window = drive_open(recording_path);
    PmState *state = pm_window_get_state(window);

    PmGrid *grid = grid_of(window, PM_PAGE_BLOCKERS);
    g_assert_cmpuint(pm_grid_n_rows(grid), >, 2);
    g_assert_cmpuint(pm_grid_n_rows(grid), <=, pm_state_get_results(state)->metrics->n);
    for (guint column = 0; column < G_N_ELEMENTS(columns); column++) {
        for (int descending = 0; descending < 2; descending++) {
            pm_grid_sort_by(grid, columns[column], descending);
            drive_spin(20);
            double before = 0;
            for (guint i = 0; i < pm_grid_n_rows(grid); i++) {
                const PmMetricsRow *row = pm_grid_get_item(grid, i);
                double value = column == 0   ? (double)row->times_parked
                               : column == 1 ? row->parked_now
                               : column == 2 ? row->peak_parked
                               : column == 3 ? (double)row->thread_time
                               : column == 4 ? row->avg_park
                                             : (double)row->longest;
                if (i > 0)
                    g_assert_true(descending ? value <= before : value >= before);
                before = value;
            }
        }
    }
    drive_close(window);
}

/* Where the detail pane of the window lies, seen from its table. */
static void test_detail_at(int width, int height, gboolean beside)
{
    PmWindow *window = drive_open(recording_path);
    PmState *state = pm_window_get_state(window);
    graphene_rect_t table, pane;

    gtk_window_set_default_size(GTK_WINDOW(window), width, height);
    GtkWidget *grid = GTK_WIDGET(grid_of(window, PM_PAGE_TREE));
    pm_grid_select_first(PM_GRID(grid));
    drive_settle(window);
    g_assert_cmpuint(pm_state_get_selection(state)->n, ==, 1);
    GtkWidget *detail = detail_of(window);
    g_assert_true(gtk_widget_compute_bounds(grid, GTK_WIDGET(window), &table));
    g_assert_true(gtk_widget_compute_bounds(detail, GTK_WIDGET(window), &pane));
    if (beside)
        g_assert_cmpfloat(pane.origin.x, >=, table.origin.x + table.size.width);
    else
        g_assert_cmpfloat(pane.origin.y, >=, table.origin.y + table.size.height);
    g_assert_cmpfloat(table.size.height, >=, 7 * 26);
    g_assert_cmpfloat(pane.size.height, >=, 150);
    g_assert_cmpint(gtk_widget_get_width(GTK_WIDGET(window)), <=, width);
    drive_close(window);
}

static void test_every_size_has_room_for_rows_and_detail(void)
{
    test_detail_at(960, 600, TRUE);
    test_detail_at(960, 1000, FALSE);
    test_detail_at(1280, 800, TRUE);
}

static void test_actions_and_pages(void)
{
    PmWindow *window = drive_open(recording_path);
    PmState *state = pm_window_get_state(window);

    for (PmPage page = 0; page < PM_N_PAGES; page++) {
        g_autofree char *action = g_strconcat("win.page::", pm_page_name(page), NULL);
        drive_act(window, action);
        drive_settle(window);
        g_assert_cmpint(pm_state_get_page(state), ==, page);
        /* The focus follows into the page. */
        for (int i = 0; i < 6; i++) {
            drive_act(window, i < 3 ? "win.next-region" : "win.previous-region");
            drive_spin(10);
        }
        drive_act(window, "win.detail");
        drive_spin(20);
        drive_act(window, "win.detail");
        drive_spin(20);
    }
    drive_act(window, "win.search");
    g_assert_cmpint(pm_window_get_find(window), ==, PM_FIND_TEXT);
    drive_act(window, "win.escape");
    g_assert_cmpint(pm_window_get_find(window), ==, PM_FIND_NONE);
    drive_act(window, "win.go-to-time");
    GtkWidget *focus = gtk_window_get_focus(GTK_WINDOW(window));
    g_assert_true(GTK_IS_TEXT(focus));
    gtk_editable_set_text(GTK_EDITABLE(focus), "+2s");
    g_signal_emit_by_name(gtk_widget_get_parent(focus), "activate");
    gint64 from, to;
    pm_state_get_visible(state, &from, &to);
    g_assert_cmpint(from, <=, 2000000000);
    g_assert_cmpint(to, >=, 2000000000);
    gint64 whole_from, whole_to;
    pm_state_get_whole(state, &whole_from, &whole_to);
    g_assert_cmpint(to - from, <, whole_to - whole_from);
    drive_act(window, "win.escape");
    drive_act(window, "win.dark");
    UNTIL(pm_state_get_dark(state));
    drive_act(window, "win.dark");
    UNTIL(!pm_state_get_dark(state));
    drive_act(window, "win.shortcuts");
    drive_spin(100);
    GListModel *toplevels = gtk_window_get_toplevels();
    for (guint i = g_list_model_get_n_items(toplevels); i-- > 0;) {
        g_autoptr(GtkWindow) other = g_list_model_get_item(toplevels, i);
        if (GTK_IS_SHORTCUTS_WINDOW(other))
            gtk_window_destroy(other);
    }
    drive_close(window);
}

static PmScheme scheme_kept(void)
{
    PmSettings settings;

    pm_settings_load(&settings);
    return settings.scheme;
}

/* Nobody chose dark colours by closing a window on a dark desktop. */
static void test_only_what_was_chosen_is_kept(void)
{
    AdwStyleManager *style = adw_style_manager_get_default();

    adw_style_manager_set_color_scheme(style, ADW_COLOR_SCHEME_PREFER_DARK);
    PmWindow *window = drive_open(recording_path);
    UNTIL(pm_state_get_dark(pm_window_get_state(window)));
    gtk_window_close(GTK_WINDOW(window));
    g_assert_cmpint(scheme_kept(), ==, PM_SCHEME_DESKTOP);
    adw_style_manager_set_color_scheme(style, ADW_COLOR_SCHEME_DEFAULT);

    window = drive_open(recording_path);
    PmState *state = pm_window_get_state(window);
    UNTIL(!pm_state_get_dark(state));
    drive_act(window, "win.dark");
    UNTIL(pm_state_get_dark(state));
    g_assert_cmpint(scheme_kept(), ==, PM_SCHEME_DARK);
    drive_act(window, "win.dark");
    UNTIL(!pm_state_get_dark(state));
    g_assert_cmpint(scheme_kept(), ==, PM_SCHEME_DESKTOP);
    drive_close(window);
}

/* Dark or not is what the theme's ink says, also where GTK_THEME forces one that libadwaita does
 * not know; widths follow the letters. */
static void test_follows_the_theme_and_its_letters(void)
{
    PmWindow *window = drive_open(recording_path);
    PmState *state = pm_window_get_state(window);
    GtkSettings *settings = gtk_widget_get_settings(GTK_WIDGET(window));
    g_autoptr(GtkCssProvider) light_ink = gtk_css_provider_new();
    g_autofree char *font = NULL;

    g_object_get(settings, "gtk-font-name", &font, NULL);
    g_assert_false(pm_state_get_dark(state));
    gtk_css_provider_load_from_data(light_ink, "window { color: #eee; background: #111; }", -1);
    gtk_style_context_add_provider_for_display(gtk_widget_get_display(GTK_WIDGET(window)),
                                               GTK_STYLE_PROVIDER(light_ink),
                                               GTK_STYLE_PROVIDER_PRIORITY_USER);
    UNTIL(pm_state_get_dark(state));
    gtk_style_context_remove_provider_for_display(gtk_widget_get_display(GTK_WIDGET(window)),
                                                  GTK_STYLE_PROVIDER(light_ink));
    UNTIL(!pm_state_get_dark(state));

    PmGrid *grid = grid_of(window, PM_PAGE_TREE);
    g_assert_cmpfloat(pm_element_letter_scale(GTK_WIDGET(grid)), <, 1.2);
    const int usual = gtk_widget_get_width(drive_find_mapped(GTK_WIDGET(grid), PM_TYPE_SHARE_CELL));
    g_object_set(settings, "gtk-font-name", "Sans 20", NULL);
    UNTIL(gtk_widget_get_width(drive_find_mapped(GTK_WIDGET(grid), PM_TYPE_SHARE_CELL)) >
          usual * 5 / 4);
    g_object_set(settings, "gtk-font-name", font, NULL);
    drive_settle(window);
    drive_close(window);
}

/* Beside the charts, however large the letters: none lies over the next. */
static gboolean titles_fit(PmWindow *window)
{
    GtkWidget *charts = drive_find_mapped(GTK_WIDGET(window), PM_TYPE_CHARTS);
    guint n = 0;

    for (GtkWidget *child = gtk_widget_get_first_child(charts); child;
         child = gtk_widget_get_next_sibling(child)) {
        int natural = 0;

        if (!gtk_widget_has_css_class(child, "chart-title"))
            continue;
        gtk_widget_measure(child, GTK_ORIENTATION_VERTICAL, -1, NULL, &natural, NULL, NULL);
        if (natural > gtk_widget_get_height(child) + 2)
            return FALSE;
        n++;
    }
    g_assert_cmpuint(n, >=, 4);
    return TRUE;
}

static gboolean is_whole_line(GtkWidget *widget, gconstpointer text)
{
    if (!GTK_IS_LABEL(widget) || !gtk_widget_get_mapped(widget) ||
        !strstr(gtk_label_get_text(GTK_LABEL(widget)), text))
        return FALSE;
    PangoLayout *layout = gtk_label_get_layout(GTK_LABEL(widget));
    return pango_layout_get_line_count(layout) == 1 && !pango_layout_is_ellipsized(layout);
}

/* What 100 % is has a shorter form, and a range a line of its own, before anything is cut. */
static void test_the_scope_is_told_in_whole_lines(void)
{
    static const char *const told[] = {"100 % = ", "idle ", "0 gaps"};
    g_autofree char *path = g_build_filename(folder, "left-out.park", NULL);

    g_assert_true(pm_showcase_write("hot-lock", path));
    PmWindow *window = drive_open(path);
    PmState *state = pm_window_get_state(window);
    GtkSettings *settings = gtk_widget_get_settings(GTK_WIDGET(window));

    gtk_window_set_default_size(GTK_WINDOW(window), 800, 600);
    for (int size = 10; size <= 20; size += 5) {
        g_autofree char *font = g_strdup_printf("Sans %d", size);
        g_object_set(settings, "gtk-font-name", font, NULL);
        for (guint range = 0; range < 2; range++) {
            pm_state_set_range(state, 0, range ? G_TIME_SPAN_SECOND * 4000 : 0);
            drive_settle(window);
            for (guint i = 0; i < G_N_ELEMENTS(told); i++)
                UNTIL(drive_find_where(GTK_WIDGET(window), is_whole_line, told[i]));
        }
    }
    gtk_settings_reset_property(settings, "gtk-font-name");
    drive_close(window);
    g_unlink(path);
}

static gboolean is_scroller(GtkWidget *widget, gconstpointer unused)
{
    return GTK_IS_SCROLLED_WINDOW(widget);
}

static gboolean ends_in_the_window(PmWindow *window)
{
    GtkWidget *grid = drive_find_mapped(GTK_WIDGET(window), PM_TYPE_GRID);
    GtkWidget *scroller = grid ? drive_find_where(grid, is_scroller, NULL) : NULL;

    if (gtk_widget_get_width(GTK_WIDGET(window)) > 800)
        return FALSE;
    if (!scroller)
        return TRUE;
    GtkAdjustment *sideways = gtk_scrolled_window_get_hadjustment(GTK_SCROLLED_WINDOW(scroller));
    return gtk_adjustment_get_upper(sideways) <= gtk_adjustment_get_page_size(sideways);
}

/* However large the letters and long the names: bars go before a table is wider than the window,
 * and who waits stands below how much where both have no room. */
static void test_pages_end_in_the_window(void)
{
    static const char *const kinds[] = {"crowd", "leak"};
    GtkSettings *settings = gtk_settings_get_default();

    g_object_set(settings, "gtk-font-name", "Sans 20", NULL);
    for (guint i = 0; i < G_N_ELEMENTS(kinds); i++) {
        g_autofree char *path = g_strdup_printf("%s/%s.park", folder, kinds[i]);
        g_assert_true(pm_showcase_write(kinds[i], path));
        PmWindow *window = drive_open(path);
        gtk_window_set_default_size(GTK_WINDOW(window), 800, 600);
        for (PmPage page = PM_PAGE_SUMMARY; page <= PM_PAGE_MEMORY; page++) {
            g_test_message("%s: %s", kinds[i], pm_page_name(page));
            pm_state_set_page(pm_window_get_state(window), page);
            drive_settle(window);
            UNTIL(ends_in_the_window(window));
        }
        drive_close(window);
        g_unlink(path);
    }
    gtk_settings_reset_property(settings, "gtk-font-name");
}

static void test_titles_of_charts_fit(void)
{
    PmWindow *window = drive_open(recording_path);
    GtkSettings *settings = gtk_widget_get_settings(GTK_WIDGET(window));
    g_autofree char *font = NULL;

    g_object_get(settings, "gtk-font-name", &font, NULL);
    gtk_window_set_default_size(GTK_WINDOW(window), 960, 600);
    UNTIL(titles_fit(window));
    g_object_set(settings, "gtk-font-name", "Sans 16", NULL);
    drive_settle(window);
    UNTIL(titles_fit(window));
    g_object_set(settings, "gtk-font-name", font, NULL);
    drive_settle(window);
    drive_close(window);
}

/* The texts are English, also where the desktop's run from right to left. */
static void test_english_runs_from_left_to_right(void)
{
    gtk_widget_set_default_direction(GTK_TEXT_DIR_RTL);
    PmWindow *window = drive_open(recording_path);

    g_assert_cmpint(gtk_widget_get_direction(GTK_WIDGET(window)), ==, GTK_TEXT_DIR_LTR);
    drive_close(window);
}

/* Nothing that can be seen, rows that are scrolled aside excepted, lies outside of the window. */
static void assert_inside(GtkWidget *widget, PmWindow *window)
{
    graphene_rect_t bounds;

    if (!gtk_widget_get_mapped(widget) || GTK_IS_NATIVE(widget))
        return;
    if (GTK_IS_SCROLLED_WINDOW(widget)) {
        GtkAdjustment *across = gtk_scrolled_window_get_hadjustment(GTK_SCROLLED_WINDOW(widget));
        GtkPolicyType policy;
        gtk_scrolled_window_get_policy(GTK_SCROLLED_WINDOW(widget), &policy, NULL);
        if (policy == GTK_POLICY_NEVER)
            g_assert_cmpfloat(gtk_adjustment_get_upper(across), <=,
                              gtk_adjustment_get_page_size(across));
        return;
    }
    g_assert_true(gtk_widget_compute_bounds(widget, GTK_WIDGET(window), &bounds));
    const float right = bounds.origin.x + bounds.size.width,
                bottom = bounds.origin.y + bounds.size.height;
    if (bounds.origin.x < -1 || right > (float)gtk_widget_get_width(GTK_WIDGET(window)) + 1 ||
        bottom > (float)gtk_widget_get_height(GTK_WIDGET(window)) + 1)
        g_error("%s from %g to %g, down to %g", G_OBJECT_TYPE_NAME(widget), bounds.origin.x, right,
                bottom);
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
         child = gtk_widget_get_next_sibling(child))
        assert_inside(child, window);
}

/* What the axis of time is marked with ends above the timeline's lower edge. */
static void assert_axis_has_room(PmWindow *window)
{
    GtkWidget *timeline = drive_find_mapped(GTK_WIDGET(window), PM_TYPE_TIMELINE);
    g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(timeline, NULL);
    PmTimelineRows rows;
    int height;

    pango_layout_set_markup(layout, "<small>12:00</small>", -1);
    pango_layout_get_pixel_size(layout, NULL, &height);
    pm_timeline_rows(timeline, gtk_widget_get_height(timeline), &rows);
    g_assert_cmpint(rows.axis_y + 3 + height, <=, gtk_widget_get_height(timeline));
}

/* No label below is cut. */
static void assert_whole(GtkWidget *widget)
{
    if (GTK_IS_LABEL(widget) && gtk_widget_get_mapped(widget)) {
        PangoLayout *layout = gtk_label_get_layout(GTK_LABEL(widget));
        int width;
        pango_layout_get_pixel_size(layout, &width, NULL);
        g_assert_false(pango_layout_is_ellipsized(layout));
        g_assert_cmpint(width, <=, gtk_widget_get_width(widget));
    }
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
         child = gtk_widget_get_next_sibling(child))
        assert_whole(child);
}

/* At once, beside or below the page, or by F9 in its place, from where a button leads back. */
static void assert_detail_is_reached(PmWindow *window)
{
    GtkWidget *sides = with_class(window, "sides"), *pages = with_class(window, "pages"),
              *back = with_class(window, "back");
    const gboolean both = gtk_widget_get_mapped(sides);

    g_assert_true(gtk_widget_get_mapped(pages));
    if (!both) {
        drive_act(window, "win.detail");
        drive_settle(window);
    }
    g_assert_true(gtk_widget_get_mapped(sides));
    g_assert_cmpint(gtk_widget_get_width(sides), >=, 200);
    g_assert_cmpint(gtk_widget_get_height(sides), >=, 100);
    assert_inside(GTK_WIDGET(window), window);
    g_assert_cmpint(gtk_widget_get_mapped(back), ==, !both);
    if (!both) {
        g_signal_emit_by_name(back, "clicked");
        drive_settle(window);
        g_assert_true(gtk_widget_get_mapped(pages));
        g_assert_false(gtk_widget_get_mapped(sides));
    }
}

/* Every page, at every size and with every size of letters: the window is no larger than was asked
 * for, nothing lies outside of it, tabs can be read, and the detail pane is one key away. */
static void test_every_page_has_room(void)
{
    static const int sizes[][2] = {{800, 600}, {960, 600}, {1280, 800}};
    static const char *const fonts[] = {"Sans 10", "Sans 15", "Sans 20"};
    g_autofree char *path = g_strdup_printf("%s/room.park", folder), *font = NULL;

    g_assert_true(pm_showcase_write("hot-lock", path));
    for (guint i = 0; i < G_N_ELEMENTS(sizes) * G_N_ELEMENTS(fonts); i++) {
        const int *size = sizes[i / G_N_ELEMENTS(fonts)];
        PmWindow *window = drive_open(path);
        PmState *state = pm_window_get_state(window);
        GtkSettings *settings = gtk_widget_get_settings(GTK_WIDGET(window));
        if (!font)
            g_object_get(settings, "gtk-font-name", &font, NULL);
        g_object_set(settings, "gtk-font-name", fonts[i % G_N_ELEMENTS(fonts)], NULL);
        gtk_window_set_default_size(GTK_WINDOW(window), size[0], size[1]);
        pm_grid_select_first(grid_of(window, PM_PAGE_TREE));
        for (PmPage page = 0; page < PM_N_PAGES; page++) {
            g_test_message("%s at %d × %d, %s", pm_page_name(page), size[0], size[1],
                           fonts[i % G_N_ELEMENTS(fonts)]);
            pm_state_set_page(state, page);
            drive_settle(window);
            g_assert_cmpint(gtk_widget_get_width(GTK_WIDGET(window)), <=, size[0]);
            g_assert_cmpint(gtk_widget_get_height(GTK_WIDGET(window)), <=, size[1]);
            assert_inside(GTK_WIDGET(window), window);
            assert_axis_has_room(window);
            assert_whole(drive_find(GTK_WIDGET(window), PM_TYPE_CHARTS));
            assert_whole(with_class(window, "page-switcher"));
            assert_detail_is_reached(window);
        }
        /* What the bars say at their longest is no wider, either. */
        pm_state_set_page(state, PM_PAGE_TREE);
        for (guint idle = 0; idle < 2; idle++) {
            const gint64 duration = pm_state_get_recording(state)->duration;
            pm_state_set_range(state, duration / 3, duration / 2);
            pm_state_set_idle(state, idle);
            drive_settle(window);
            g_assert_cmpint(gtk_widget_get_width(GTK_WIDGET(window)), <=, size[0]);
            assert_inside(GTK_WIDGET(window), window);
        }
        g_object_set(settings, "gtk-font-name", font, NULL);
        drive_close(window);
    }
    g_unlink(path);
}

static double scrolled_by(GtkWidget *focus)
{
    GtkWidget *viewport = gtk_widget_get_ancestor(focus, GTK_TYPE_VIEWPORT);

    return gtk_adjustment_get_value(gtk_scrollable_get_vadjustment(GTK_SCROLLABLE(viewport)));
}

/* The page that is gone to has the size it had when it was last seen. */
static void assert_summary_begins_at_its_top(const char *kind)
{
    g_autofree char *path = g_strdup_printf("%s/top.park", folder), *font = NULL;

    g_assert_true(pm_showcase_write(kind, path));
    PmWindow *window = drive_open(path);
    PmState *state = pm_window_get_state(window);
    GtkSettings *settings = gtk_widget_get_settings(GTK_WIDGET(window));

    g_object_get(settings, "gtk-font-name", &font, NULL);
    g_object_set(settings, "gtk-font-name", "Sans 15", NULL);
    gtk_window_set_default_size(GTK_WINDOW(window), 800, 600);
    drive_settle(window);
    pm_state_set_page(state, PM_PAGE_TREE);
    drive_settle(window);
    gtk_window_set_default_size(GTK_WINDOW(window), 1280, 800);
    pm_state_set_page(state, PM_PAGE_SUMMARY);
    drive_settle(window);
    drive_spin(300); /* GTK scrolls by and by */
    g_assert_cmpfloat(scrolled_by(gtk_window_get_focus(GTK_WINDOW(window))), ==, 0);
    g_object_set(settings, "gtk-font-name", font, NULL);
    drive_close(window);
    g_unlink(path);
}

static void test_the_summary_begins_at_its_top(void)
{
    assert_summary_begins_at_its_top("crowd");
    assert_summary_begins_at_its_top("deadlock");
}

/* Where both had no room, and now have. */
static void test_the_side_comes_back_with_the_room(void)
{
    PmWindow *window = drive_open(recording_path);
    GtkSettings *settings = gtk_widget_get_settings(GTK_WIDGET(window));
    g_autofree char *font = NULL;

    g_object_get(settings, "gtk-font-name", &font, NULL);
    g_object_set(settings, "gtk-font-name", "Sans 15", NULL);
    gtk_window_set_default_size(GTK_WINDOW(window), 800, 600);
    const GType side = g_type_from_name("PmSummarySide");
    UNTIL(!drive_find_mapped(GTK_WIDGET(window), side));
    gtk_window_set_default_size(GTK_WINDOW(window), 1280, 800);
    UNTIL(drive_find_mapped(GTK_WIDGET(window), side));
    g_object_set(settings, "gtk-font-name", font, NULL);
    drive_settle(window);
    drive_close(window);
}

/* How many names are below. */
static guint assert_whole_names(GtkWidget *widget)
{
    guint n = 0;

    if (PM_IS_NAME_LABEL(widget)) {
        PmNameLabel *label = PM_NAME_LABEL(widget);
        g_autofree char *shown = pm_name_label_fit(label, gtk_widget_get_width(widget));
        int width;
        gtk_widget_measure(widget, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &width, NULL, NULL);
        g_assert_cmpstr(shown, ==, pm_name_label_get_text(label));
        g_assert_cmpint(gtk_widget_get_width(widget), >=, width);
        return 1;
    }
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
         child = gtk_widget_get_next_sibling(child))
        n += assert_whole_names(child);
    return n;
}

/* A group's name and count are whole beside its numbers or above them, however narrow the pane has
 * become. */
static void test_groups_are_named_in_full(void)
{
    g_autofree char *path = g_strdup_printf("%s/groups.park", folder);

    g_assert_true(pm_showcase_write("hot-lock", path));
    PmWindow *window = drive_open(path);
    GtkWidget *side = drive_find(GTK_WIDGET(window), g_type_from_name("PmSummarySide"));
    pm_state_set_idle(pm_window_get_state(window), TRUE); /* is filled while it is wide */
    drive_settle(window);
    gtk_window_set_default_size(GTK_WINDOW(window), 800, 600);
    drive_settle(window);
    g_assert_true(gtk_widget_get_mapped(side));
    g_assert_cmpuint(assert_whole_names(side), >, 1);
    drive_close(window);
    g_unlink(path);
}

/* Keys go on where they are looked for: to the first row of a page that is gone to before it has
 * any, to the page's own tab where it has nothing, back to the row from a search. */
static void test_the_focus_goes_where_one_looks(void)
{
    PmWindow *window = drive_open(recording_path);
    gpointer items[4];

    drive_settle(window);
    gtk_widget_activate_action(GTK_WIDGET(window), "win.page", "s", "threads");
    drive_settle(window);
    PmGrid *threads = grid_of(window, PM_PAGE_THREADS);
    g_assert_cmpuint(pm_grid_get_selected(threads, items, G_N_ELEMENTS(items)), ==, 1);
    GtkWidget *focus = gtk_window_get_focus(GTK_WINDOW(window));
    g_assert_true(focus && focus != GTK_WIDGET(threads) &&
                  !GTK_IS_LIST_VIEW(focus)); /* but one of its rows */
    pm_window_show_find(window, PM_FIND_TEXT);
    drive_settle(window);
    GtkWidget *entry = drive_find_mapped(GTK_WIDGET(window), GTK_TYPE_SEARCH_ENTRY);
    g_signal_emit_by_name(entry, "stop-search");
    drive_settle(window);
    focus = gtk_window_get_focus(GTK_WINDOW(window));
    g_assert_true(focus && gtk_widget_is_ancestor(focus, GTK_WIDGET(threads)));
    drive_close(window);
}

/* What the window gains is the page's, whatever it was before. */
static void test_the_page_gets_what_the_window_gains(void)
{
    static const char *const fonts[] = {"Sans 10", "Sans 12.5", "Sans 15"};
    static const int sizes[][2] = {{800, 600}, {1280, 800}, {1920, 1080}};
    g_autofree char *path = g_strdup_printf("%s/gains.park", folder), *font = NULL;

    g_assert_true(pm_showcase_write("hot-lock", path));
    for (guint i = 0; i < G_N_ELEMENTS(fonts); i++) {
        GtkSettings *settings = gtk_settings_get_default();
        if (!font)
            g_object_get(settings, "gtk-font-name", &font, NULL);
        g_object_set(settings, "gtk-font-name", fonts[i], NULL);
        PmWindow *window = drive_open(path);
        GtkPaned *paned = GTK_PANED(drive_find(GTK_WIDGET(window), GTK_TYPE_PANED));
        int beside = 0;
        for (guint k = 0; k < G_N_ELEMENTS(sizes); k++) {
            gtk_window_set_default_size(GTK_WINDOW(window), sizes[k][0], sizes[k][1]);
            drive_settle(window);
            if (k == 1)
                beside = gtk_widget_get_width(gtk_paned_get_end_child(paned));
        }
        g_assert_cmpint(beside, >, 0);
        g_assert_cmpint(gtk_widget_get_width(gtk_paned_get_end_child(paned)), <=, beside + 1);
        g_object_set(settings, "gtk-font-name", font, NULL);
        drive_close(window);
    }
    g_unlink(path);
}

/* Show leads where Enter on the first card does: to the causes. */
static void test_the_verdict_leads_to_its_proof(void)
{
    static const struct {
        const char *kind;
        PmPage from, to;
    } cases[] = {{"hot-lock", PM_PAGE_SUMMARY, PM_PAGE_TREE},
                 {"leak", PM_PAGE_SUMMARY, PM_PAGE_MEMORY},
                 {"deadlock", PM_PAGE_BLOCKERS, PM_PAGE_SUMMARY},
                 {"deadlock", PM_PAGE_SUMMARY, PM_PAGE_TREE}};

    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *path = g_strdup_printf("%s/%s.park", folder, cases[i].kind);
        g_assert_true(pm_showcase_write(cases[i].kind, path));
        PmWindow *window = drive_open(path);
        PmState *state = pm_window_get_state(window);
        guint n;
        pm_state_set_page(state, cases[i].from);
        drive_settle(window);
        drive_act(window, "win.show-verdict");
        drive_settle(window);
        g_assert_cmpint(pm_state_get_page(state), ==, cases[i].to);
        if (i == 0) {
            PmAspect aspect;
            guint64 key;
            g_assert_cmpint(pm_state_get_aspects(state, &n)[0], ==, PM_ASPECT_CAUSE_SITE);
            g_assert_true(pm_selection_key(pm_state_get_selection(state), &aspect, &key));
            g_autofree char *cause = pm_aspect_key_text(pm_state_get_recording(state), aspect, key);
            g_assert_cmpstr(cause, ==, "PriceCache.refresh (PriceCache.java:88)");
        }
        drive_close(window);
        g_unlink(path);
    }
}

/* With a culprit or without: something is selected, and keys go to the rows. */
static void test_cards_lead_to_rows(void)
{
    static const char *const kinds[] = {"hot-lock", "deadlock", "quiet"};

    for (guint i = 0; i < G_N_ELEMENTS(kinds); i++) {
        g_autofree char *path = g_strdup_printf("%s/%s.park", folder, kinds[i]);
        g_assert_true(pm_showcase_write(kinds[i], path));
        PmWindow *window = drive_open(path);
        pm_window_focus_page(window);
        drive_settle(window);
        GtkWidget *focus = gtk_window_get_focus(GTK_WINDOW(window));
        g_assert_true(GTK_IS_LIST_BOX_ROW(focus));
        pm_window_focus_page(window); /* it is there already */
        g_assert_true(gtk_window_get_focus(GTK_WINDOW(window)) == focus);
        gtk_widget_activate(focus);
        drive_settle(window);
        drive_spin(100);
        focus = gtk_window_get_focus(GTK_WINDOW(window));
        g_assert_cmpint(pm_state_get_page(pm_window_get_state(window)), ==, PM_PAGE_TREE);
        g_assert_cmpuint(pm_state_get_selection(pm_window_get_state(window))->n, >, 0);
        g_assert_true(gtk_widget_is_ancestor(focus, GTK_WIDGET(grid_of(window, PM_PAGE_TREE))));
        drive_close(window);
        g_unlink(path);
    }
}

/* The keys of the detail pane's waits work wherever the focus is. */
static void test_waits_are_stepped_through_from_any_page(void)
{
    PmWindow *window = drive_open(recording_path);
    PmState *state = pm_window_get_state(window);

    pm_grid_select_first(grid_of(window, PM_PAGE_TREE));
    drive_settle(window);
    GtkWidget *pane = detail_of(window);
    g_assert_true(drive_holds(pane, "1 of "));
    drive_act(window, "win.next-wait");
    drive_act(window, "win.next-wait");
    g_assert_true(drive_holds(pane, "3 of "));
    drive_act(window, "win.previous-wait");
    g_assert_true(drive_holds(pane, "2 of "));
    drive_act(window, "win.go-blocker");
    g_assert_cmpint(pm_state_get_page(state), ==, PM_PAGE_BLOCKERS);
    drive_settle(window);
    drive_close(window);
}

/* Steps from widget to widget until one comes again; none may hold the focus. */
static void go_round(PmWindow *window, GtkDirectionType direction, PmPage page)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    GtkWidget *before = NULL;

    for (guint i = 0; i < 500; i++) {
        g_signal_emit_by_name(window, "move-focus", direction);
        GtkWidget *focus = gtk_window_get_focus(GTK_WINDOW(window));
        if (focus && focus == before) {
            g_error("page %d: the focus stays in %s after %u steps", (int)page,
                    G_OBJECT_TYPE_NAME(focus), i);
        }
        if (focus && !g_hash_table_add(seen, focus)) {
            /* Header bar, page switcher and page: less is a round of one region only. */
            g_assert_cmpuint(g_hash_table_size(seen), >, 10);
            return;
        }
        before = focus;
    }
    g_error("page %d: no way round", (int)page);
}

static void test_tab_goes_round(void)
{
    static const char *const pages[] = {"win.page::summary", "win.page::tree", "win.page::blockers",
                                        "win.page::threads"};
    PmWindow *window = drive_open(recording_path);

    for (guint i = 0; i < G_N_ELEMENTS(pages); i++) {
        drive_act(window, pages[i]);
        drive_settle(window);
        go_round(window, GTK_DIR_TAB_FORWARD, (PmPage)i);
        go_round(window, GTK_DIR_TAB_BACKWARD, (PmPage)i);
        drive_settle(window);
        go_round(window, GTK_DIR_TAB_FORWARD, (PmPage)i);
    }
    drive_close(window);
}

/* What took it away may have been shown this moment: the window mends it before the next event. */
static gboolean has_seen_focus(GtkWindow *window)
{
    for (int i = 0; i < 3; i++)
        g_main_context_iteration(NULL, FALSE);
    GtkWidget *focus = gtk_window_get_focus(window);
    if (focus && gtk_widget_get_mapped(gtk_widget_get_parent(focus)))
        return TRUE;
    g_test_message("the focus is on %s", focus ? G_OBJECT_TYPE_NAME(focus) : "nothing");
    return FALSE;
}

/* Whatever had the focus and is hidden, it goes to something that is seen, also if nothing comes
 * after it. */
static void test_a_hidden_widget_leaves_the_focus_to_one_that_is_seen(void)
{
    GtkWidget *window = gtk_window_new(), *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0),
              *first = gtk_button_new(), *last = gtk_button_new();

    gtk_box_append(GTK_BOX(box), first);
    gtk_box_append(GTK_BOX(box), last);
    gtk_window_set_child(GTK_WINDOW(window), box);
    pm_focus_keeper_watch(GTK_WINDOW(window));
    gtk_window_present(GTK_WINDOW(window));
    UNTIL(gtk_widget_get_mapped(last));
    gtk_widget_grab_focus(last);
    gtk_widget_set_visible(last, FALSE);
    g_assert_true(has_seen_focus(GTK_WINDOW(window)));
    gtk_window_destroy(GTK_WINDOW(window));
}

/* Escape clears the selection, and with it goes the pane beside the page that had the focus. */
static void test_escape_leaves_the_focus_on_what_is_seen(void)
{
    g_autofree char *path = g_build_filename(folder, "leak.park", NULL);

    g_assert_true(pm_showcase_write("leak", path));
    PmWindow *window = drive_open(path);
    for (PmPage page = PM_PAGE_TREE; page <= PM_PAGE_MEMORY; page++) {
        PmGrid *grid = grid_of(window, page);
        pm_grid_select_first(grid);
        drive_settle(window);
        drive_act(window, "win.next-region");
        g_assert_true(has_seen_focus(GTK_WINDOW(window)));
        drive_act(window, "win.escape");
        drive_act(window, "win.escape");
        g_assert_true(has_seen_focus(GTK_WINDOW(window)));
        g_assert_true(
            page == PM_PAGE_MEMORY || /* whose side stays */
            gtk_widget_is_ancestor(gtk_window_get_focus(GTK_WINDOW(window)), GTK_WIDGET(grid)));
    }
    drive_close(window);
    g_unlink(path);
}

/* However small the window and large the letters. */
static void test_all_of_an_empty_page_can_be_read(void)
{
    GtkWidget *window = gtk_window_new(), *page = pm_state_page_new();
    const char *pairs[] = {"pid", "2217", "file", "/var/tmp/a.park", NULL};

    pm_state_page_show(PM_STATE_PAGE(page), PM_STATE_ONLY_COUNTERS, pairs);
    gtk_window_set_child(GTK_WINDOW(window), page);
    for (int height = 100; height <= 600; height += 500) {
        gtk_window_set_default_size(GTK_WINDOW(window), 300, height);
        gtk_window_present(GTK_WINDOW(window));
        drive_spin(300);
        g_assert_cmpint(gtk_widget_get_height(page), ==, height);
        GtkWidget *scroller = drive_find(page, GTK_TYPE_SCROLLED_WINDOW);
        GtkAdjustment *by = gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(scroller));
        const gboolean more = gtk_adjustment_get_upper(by) > gtk_adjustment_get_page_size(by);
        g_assert_cmpint(more, ==, height == 100);
        g_assert_cmpint(gtk_widget_get_focusable(scroller), ==, more);
    }
    gtk_window_destroy(GTK_WINDOW(window));
    drive_spin(30);
}

/* A page that has nothing to be walked through leaves the focus on its own tab. */
static void test_a_page_without_rows_has_the_focus_on_its_tab(void)
{
    PmWindow *window = drive_open(recording_path);

    gtk_widget_activate_action(GTK_WIDGET(window), "win.page", "s", "memory");
    drive_settle(window);
    g_assert_true(drive_says(GTK_WIDGET(window), "No allocations were sampled"));
    GtkWidget *focus = gtk_window_get_focus(GTK_WINDOW(window));
    g_assert_true(GTK_IS_TOGGLE_BUTTON(focus));
    g_assert_true(drive_holds(focus, "Memory"));
    drive_close(window);
}

/* What the other button of the mouse offers, the key of a menu does. */
static void test_menus_are_for_the_keyboard_too(void)
{
    PmWindow *window = drive_open(recording_path);

    gtk_widget_activate_action(GTK_WIDGET(window), "win.page", "s", "tree");
    drive_settle(window);
    PmGrid *grid = grid_of(window, PM_PAGE_TREE);
    GtkWidget *focus = gtk_window_get_focus(GTK_WINDOW(window));
    g_assert_true(gtk_widget_is_ancestor(focus, GTK_WIDGET(grid)));
    g_assert_true(gtk_widget_activate_action(focus, "page.menu", NULL));
    UNTIL(drive_find_mapped(GTK_WIDGET(grid), GTK_TYPE_POPOVER_MENU));
    GtkWidget *menu = drive_find_mapped(GTK_WIDGET(grid), GTK_TYPE_POPOVER_MENU);
    g_signal_emit_by_name(menu, "move-focus", GTK_DIR_DOWN);
    focus = gtk_window_get_focus(GTK_WINDOW(window));
    g_assert_true(gtk_widget_is_ancestor(focus, menu));
    g_assert_true(drive_holds(focus, "All but this"));
    gtk_popover_popdown(GTK_POPOVER(menu));
    drive_settle(window);
    GtkWidget *timeline = drive_find_mapped(GTK_WIDGET(window), PM_TYPE_TIMELINE);
    gtk_widget_grab_focus(timeline);
    g_assert_true(gtk_widget_activate_action(timeline, "chart.menu", NULL));
    UNTIL(drive_find_mapped(timeline, GTK_TYPE_POPOVER_MENU));
    gtk_popover_popdown(GTK_POPOVER(drive_find_mapped(timeline, GTK_TYPE_POPOVER_MENU)));
    UNTIL(!drive_find_mapped(timeline, GTK_TYPE_POPOVER_MENU));
    drive_close(window);
}

/* A name that is longer than its band is wide is cut as in rows, not left out. */
static void test_bands_are_named_in_short(void)
{
    g_autofree char *path = g_build_filename(folder, "named-in-short.park", NULL);

    g_assert_true(pm_showcase_write("deadlock", path));
    PmWindow *window = drive_open(path);
    GtkSettings *settings = gtk_settings_get_default();
    PmTimeline *timeline = PM_TIMELINE(drive_find_mapped(GTK_WIDGET(window), PM_TYPE_TIMELINE));
    static const char whole[] = "ReentrantLock 4f3c91d2 · Account.credit";

    g_assert_cmpstr(pm_timeline_label(timeline, 0), ==, whole);
    for (int size = 12; g_strcmp0(pm_timeline_label(timeline, 0), whole) == 0; size += 2) {
        g_autofree char *font = g_strdup_printf("Sans %d", size);
        g_assert_cmpint(size, <, 60);
        g_object_set(settings, "gtk-font-name", font, NULL);
        drive_spin(300);
    }
    g_assert_nonnull(pm_timeline_label(timeline, 0));
    g_assert_true(g_str_has_suffix(pm_timeline_label(timeline, 0), " · Account.credit"));
    gtk_settings_reset_property(settings, "gtk-font-name");
    drive_close(window);
    g_unlink(path);
}

static void count_cb(GdkPaintable *paintable, guint *n)
{
    (*n)++;
}

/* What paints its own frame around the focus does so when it gets it, and again when it is gone. */
static void test_the_focus_is_seen_where_it_is_painted(void)
{
    PmWindow *window = drive_open(recording_path);
    GtkWidget *charts[] = {drive_find_mapped(GTK_WIDGET(window), PM_TYPE_TIMELINE),
                           drive_find_mapped(GTK_WIDGET(window), PM_TYPE_OVERVIEW)};

    if (!drive_take_focus(window)) {
        g_test_skip("no xdotool, or this X server gives the window no focus");
        drive_close(window);
        return;
    }
    for (guint i = 0; i < G_N_ELEMENTS(charts); i++) {
        g_autoptr(GdkPaintable) paintable = gtk_widget_paintable_new(charts[i]);
        guint n = 0;
        drive_act(window, "win.page::summary");
        gtk_window_set_focus_visible(GTK_WINDOW(window), TRUE);
        drive_spin(100);
        g_assert_false(gtk_widget_has_focus(charts[i]));
        g_signal_connect(paintable, "invalidate-contents", G_CALLBACK(count_cb), &n);
        gtk_widget_grab_focus(charts[i]);
        g_assert_true(gtk_widget_has_visible_focus(charts[i]));
        UNTIL(n > 0);
        n = 0;
        drive_act(window, "win.page::summary");
        UNTIL(n > 0 && !gtk_widget_has_focus(charts[i]));
    }
    drive_close(window);
}

/* Without a recording the keyboard begins on what is to be done first, and Tab goes on from there.
 */
static void test_the_start_is_for_the_keyboard(void)
{
    PmWindow *window = drive_open(NULL);
    GtkWidget *focus = gtk_window_get_focus(GTK_WINDOW(window));

    g_assert_true(has_seen_focus(GTK_WINDOW(window)));
    g_assert_true(GTK_IS_BUTTON(focus));
    g_assert_cmpstr(gtk_button_get_label(GTK_BUTTON(focus)), ==, "Open…");
    g_signal_emit_by_name(window, "move-focus", GTK_DIR_TAB_FORWARD);
    focus = gtk_window_get_focus(GTK_WINDOW(window));
    g_assert_true(GTK_IS_BUTTON(focus));
    g_assert_cmpstr(gtk_button_get_label(GTK_BUTTON(focus)), ==, "Running JVMs");
    drive_close(window);
}

static GtkWidget *title_of(PmGrid *grid, const char *text)
{
    GtkWidget *view = drive_find_mapped(GTK_WIDGET(grid), GTK_TYPE_COLUMN_VIEW);
    GtkWidget *title = gtk_widget_get_first_child(gtk_widget_get_first_child(view));

    while (title && !drive_holds(title, text))
        title = gtk_widget_get_next_sibling(title);
    return title;
}

/* A column that is only there because the rows are sorted by it goes once, when the title of
 * another is clicked: GTK says meanwhile that the order changed. */
static void test_a_click_on_a_title_sorts_by_it_alone(void)
{
    PmWindow *window = drive_open(recording_path);
    graphene_rect_t bounds;

    gtk_window_set_default_size(GTK_WINDOW(window), 800, 600);
    PmGrid *grid = grid_of(window, PM_PAGE_BLOCKERS);
    UNTIL(!title_of(grid, "Longest"));
    pm_grid_sort_by(grid, "longest", TRUE);
    drive_settle(window);
    g_assert_nonnull(title_of(grid, "Longest"));
    GtkWidget *title = title_of(grid, "Thread-time");
    if (!drive_take_focus(window)) {
        g_test_skip("no xdotool, or this X server gives the window no focus");
        drive_close(window);
        return;
    }
    g_assert_true(gtk_widget_compute_bounds(title, GTK_WIDGET(window), &bounds));
    g_autofree char *command =
        g_strdup_printf("xdotool windowmove %lu 0 0 mousemove %d %d click 1",
                        gdk_x11_surface_get_xid(gtk_native_get_surface(GTK_NATIVE(window))),
                        (int)(bounds.origin.x + bounds.size.width / 2),
                        (int)(bounds.origin.y + bounds.size.height / 2));
    for (int tries = 0; tries < 50 && title_of(grid, "Longest"); tries++) {
        g_spawn_command_line_sync(command, NULL, NULL, NULL, NULL);
        drive_spin(200);
    }
    g_assert_null(title_of(grid, "Longest"));
    drive_close(window);
}

/* Keys as a user presses them, through the X server. */
static void press_until_zoomed(PmState *state, const char *command)
{
    gint64 from, to, begin, end;

    pm_state_get_whole(state, &begin, &end);
    for (int tries = 0; tries < 50; tries++) {
        g_spawn_command_line_sync(command, NULL, NULL, NULL, NULL);
        drive_spin(200);
        pm_state_get_visible(state, &from, &to);
        if (to - from < end - begin)
            return;
    }
    g_assert_not_reached();
}

/* A page that is gone to has no row with the focus yet. On many keyboards + is a shifted key. */
static void test_the_first_row_is_meant_until_another_is(void)
{
    static const struct {
        guint key;
        GdkModifierType held;
    } keys[] = {{GDK_KEY_Right, 0}, {GDK_KEY_plus, 0}, {GDK_KEY_plus, GDK_SHIFT_MASK}};

    for (guint i = 0; i < G_N_ELEMENTS(keys); i++) {
        PmWindow *window = drive_open(recording_path);
        PmGrid *grid = grid_of(window, PM_PAGE_TREE);
        GtkWidget *view = drive_find_mapped(GTK_WIDGET(grid), GTK_TYPE_COLUMN_VIEW);
        const guint n = pm_grid_n_rows(grid);
        gboolean taken = FALSE;

        gtk_window_set_focus(GTK_WINDOW(window), NULL);
        g_signal_emit_by_name(controller_of(view, GTK_TYPE_EVENT_CONTROLLER_KEY), "key-pressed",
                              keys[i].key, 0, keys[i].held, &taken);
        g_assert_true(taken);
        g_assert_cmpuint(pm_grid_n_rows(grid), >, n);
        drive_close(window);
    }
}

static void test_pages_by_keyboard(void)
{
    PmWindow *window = drive_open(recording_path);
    PmState *state = pm_window_get_state(window);
    static const struct {
        const char *key;
        PmPage page;
    } keys[] = {{"alt+2", PM_PAGE_TREE},
                {"alt+3", PM_PAGE_BLOCKERS},
                {"alt+4", PM_PAGE_THREADS},
                {"alt+1", PM_PAGE_SUMMARY}};

    if (!drive_take_focus(window)) {
        g_test_skip("no xdotool, or this X server gives the window no focus");
        drive_close(window);
        return;
    }
    for (guint i = 0; i < G_N_ELEMENTS(keys); i++) {
        g_autofree char *command = g_strdup_printf("xdotool key %s", keys[i].key);
        /* Pressing it again does no harm, should a slow machine have lost one. */
        for (int tries = 0; tries < 50 && pm_state_get_page(state) != keys[i].page; tries++) {
            g_spawn_command_line_sync(command, NULL, NULL, NULL, NULL);
            drive_spin(200);
        }
        if (!gtk_window_is_active(GTK_WINDOW(window))) {
            g_test_skip("the X server took the focus away");
            break;
        }
        g_assert_cmpint(pm_state_get_page(state), ==, keys[i].page);
        /* Lanes zoom as charts do. */
        if (keys[i].page == PM_PAGE_THREADS)
            press_until_zoomed(state, "xdotool key w");
    }
    drive_close(window);
}

/* Whoever cannot see the window is told what is in it. */
static void check_names(GtkWidget *widget, guint *n_checked)
{
    gboolean ours = g_str_has_prefix(G_OBJECT_TYPE_NAME(widget), "Pm");

    if (ours && gtk_widget_get_focusable(widget)) {
        g_assert_cmpint(gtk_accessible_get_accessible_role(GTK_ACCESSIBLE(widget)), !=,
                        GTK_ACCESSIBLE_ROLE_WIDGET);
        if (!gtk_test_accessible_has_property(GTK_ACCESSIBLE(widget),
                                              GTK_ACCESSIBLE_PROPERTY_LABEL)) {
            g_test_message("%s has no name", G_OBJECT_TYPE_NAME(widget));
            g_test_fail();
        }
        (*n_checked)++;
    }
    if (GTK_IS_BUTTON(widget) && gtk_widget_get_mapped(widget)) {
        const char *label = gtk_button_get_label(GTK_BUTTON(widget));
        const char *tooltip = gtk_widget_get_tooltip_text(widget);
        GtkWidget *parent = gtk_widget_get_parent(widget);
        gboolean of_menu = GTK_IS_MENU_BUTTON(parent) || GTK_IS_DROP_DOWN(parent) ||
                           GTK_IS_WINDOW_CONTROLS(parent);
        gboolean named = (label && *label) || (tooltip && *tooltip) || of_menu ||
                         drive_find(widget, GTK_TYPE_LABEL) != NULL;
        if (!named) {
            g_test_message("a button in %s has no name", G_OBJECT_TYPE_NAME(parent));
            g_test_fail();
        }
        (*n_checked)++;
    }
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
         child = gtk_widget_get_next_sibling(child))
        check_names(child, n_checked);
}

static void test_widgets_have_roles_and_names(void)
{
    PmWindow *window = drive_open(recording_path);
    GtkWidget *timeline = drive_find(GTK_WIDGET(window), PM_TYPE_TIMELINE),
              *overview = drive_find(GTK_WIDGET(window), PM_TYPE_OVERVIEW);
    guint n_checked = 0;

    if (g_strcmp0(g_getenv("GTK_A11Y"), "test") != 0) {
        g_test_skip("GTK_A11Y is not \"test\"");
        drive_close(window);
        return;
    }
    gtk_test_accessible_assert_role(timeline, GTK_ACCESSIBLE_ROLE_IMG);
    gtk_test_accessible_assert_role(overview, GTK_ACCESSIBLE_ROLE_IMG);
    gtk_test_accessible_assert_property(timeline, GTK_ACCESSIBLE_PROPERTY_LABEL,
                                        "Threads waiting over time");
    gtk_test_accessible_assert_property(overview, GTK_ACCESSIBLE_PROPERTY_LABEL, "Whole recording");
    g_assert_true(gtk_test_accessible_has_property(GTK_ACCESSIBLE(timeline),
                                                   GTK_ACCESSIBLE_PROPERTY_DESCRIPTION));
    for (PmPage page = 0; page < PM_N_PAGES; page++) {
        g_autofree char *action = g_strconcat("win.page::", pm_page_name(page), NULL);
        drive_act(window, action);
        drive_settle(window);
        check_names(GTK_WIDGET(window), &n_checked);
    }
    g_assert_cmpuint(n_checked, >, 40);
    drive_close(window);
}

static void press_secondary(GtkWidget *widget, double x, double y)
{
    g_autoptr(GListModel) all = gtk_widget_observe_controllers(widget);

    for (guint i = 0; i < g_list_model_get_n_items(all); i++) {
        g_autoptr(GObject) gesture = g_list_model_get_item(all, i);
        if (GTK_IS_GESTURE_CLICK(gesture) &&
            gtk_gesture_single_get_button(GTK_GESTURE_SINGLE(gesture)) == GDK_BUTTON_SECONDARY)
            g_signal_emit_by_name(gesture, "pressed", 1, x, y);
    }
}

/* The second button on a band: the menu of what can be done with it; beside one, of what can be
 * done with the range. */
static void test_the_chart_has_a_menu(void)
{
    PmWindow *window = drive_open(recording_path);
    PmState *state = pm_window_get_state(window);
    GtkWidget *timeline = drive_find_mapped(GTK_WIDGET(window), PM_TYPE_TIMELINE);
    const double middle = gtk_widget_get_width(timeline) / 2.0;
    PmTimelineRows rows;

    pm_timeline_rows(timeline, gtk_widget_get_height(timeline), &rows);
    const double band_y = rows.bands_y + rows.bands_height - 2.0;
    for (guint on_band = 0; on_band < 3; on_band++) {
        press_secondary(timeline, middle, on_band % 2 ? band_y : rows.bands_y + 1.0);
        UNTIL(drive_find_mapped(timeline, GTK_TYPE_POPOVER_MENU));
        GtkWidget *menu = drive_find(timeline, GTK_TYPE_POPOVER_MENU);
        g_assert_cmpint(drive_holds(menu, "Only this"), ==, on_band % 2);
        g_assert_true(drive_holds(menu, "Whole recording"));
        g_assert_cmpuint(pm_state_get_selection(state)->n, ==, on_band > 0);
        gtk_popover_popdown(GTK_POPOVER(menu));
        drive_settle(window);
    }
    drive_close(window);
}

/* What is under an open menu says nothing of itself. */
static void test_nothing_is_pointed_at_under_a_menu(void)
{
    PmWindow *window = drive_open(recording_path);
    PmState *state = pm_window_get_state(window);
    PmGrid *grid = grid_of(window, PM_PAGE_THREADS);
    GtkWidget *view = gtk_widget_get_first_child(gtk_widget_get_first_child(GTK_WIDGET(grid))),
              *timeline = drive_find_mapped(GTK_WIDGET(window), PM_TYPE_TIMELINE);
    GtkTooltip *tip = g_object_new(GTK_TYPE_TOOLTIP, NULL);
    gpointer over[] = {controller_of(view, GTK_TYPE_EVENT_CONTROLLER_MOTION),
                       controller_of(timeline, GTK_TYPE_EVENT_CONTROLLER_MOTION)};
    graphene_rect_t strip;
    double x, y;

    g_assert_true(pm_grid_strip_bounds(grid, 0, &strip));
    gtk_widget_translate_coordinates(GTK_WIDGET(grid), view, strip.origin.x + strip.size.width / 2,
                                     strip.origin.y + strip.size.height / 2, &x, &y);
    for (guint is_open = 0; is_open < 2; is_open++) {
        gboolean told;
        if (is_open) {
            press_secondary(view, x, y);
            UNTIL(drive_find_mapped(GTK_WIDGET(grid), GTK_TYPE_POPOVER_MENU));
        }
        g_signal_emit_by_name(view, "query-tooltip", (int)x, (int)y, FALSE, tip, &told);
        g_assert_cmpint(told, ==, !is_open);
        for (guint i = 0; i < G_N_ELEMENTS(over); i++) {
            g_signal_emit_by_name(over[i], "motion", x, i ? 4.0 : y);
            g_assert_cmpint(pm_state_get_pointed(state) != G_MININT64, ==, !is_open);
            g_signal_emit_by_name(over[i], "leave");
        }
    }
    gtk_popover_popdown(GTK_POPOVER(drive_find_mapped(GTK_WIDGET(grid), GTK_TYPE_POPOVER_MENU)));
    g_object_unref(tip);
    drive_settle(window);
    drive_close(window);
}

/* The search says how many rows it finds and which of them is selected. */
static void test_the_search_counts(void)
{
    PmWindow *window = drive_open(recording_path);
    PmState *state = pm_window_get_state(window);
    PmGrid *grid = grid_of(window, PM_PAGE_TREE);
    guint wanted = 0, at;

    for (guint i = 0; i < pm_grid_n_rows(grid); i++) {
        g_autofree char *name = pm_grid_cell_text(grid, i, "label");
        wanted += strstr(name, "Lock") != NULL;
    }
    g_assert_cmpuint(wanted, >, 2);
    drive_act(window, "win.search");
    pm_state_set_search(state, "lock");
    g_assert_cmpuint(pm_state_get_found(state, &at), ==, wanted);
    g_assert_cmpuint(at, ==, 1);
    g_autofree char *text = g_strdup_printf("2 of %u", wanted);
    drive_act(window, "win.search-next");
    g_assert_true(drive_holds(GTK_WIDGET(window), text));
    pm_state_set_search(state, "no such name");
    g_assert_true(drive_holds(GTK_WIDGET(window), "No row of this page"));
    drive_close(window);
}

/* The row widgets of a grid that can be seen. */
static void check_rows(GtkWidget *widget, PmGrid *grid, guint *n_rows)
{
    if (g_str_equal(G_OBJECT_TYPE_NAME(widget), "GtkListItemWidget") &&
        gtk_widget_get_mapped(widget) && !GTK_IS_COLUMN_VIEW(gtk_widget_get_parent(widget))) {
        g_autofree char *name = pm_grid_cell_text(grid, *n_rows, "label");
        g_autofree char *time = pm_grid_cell_text(grid, *n_rows, "time");
        g_autofree char *share = pm_grid_cell_text(grid, *n_rows, "count");
        g_autofree char *problem = gtk_test_accessible_check_property(
            GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL, "");
        g_assert_nonnull(problem); /* what it says instead */
        g_assert_nonnull(strstr(problem, name));
        g_assert_nonnull(strstr(problem, time));
        g_assert_nonnull(strstr(problem, share));
        (*n_rows)++;
        return;
    }
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
         child = gtk_widget_get_next_sibling(child))
        check_rows(child, grid, n_rows);
}

/* Each row is one sentence, each band a part of the chart's. */
static void test_rows_and_bands_are_said(void)
{
    PmWindow *window = drive_open(recording_path);
    PmGrid *grid = grid_of(window, PM_PAGE_TREE);
    GtkWidget *timeline = drive_find(GTK_WIDGET(window), PM_TYPE_TIMELINE);
    PmState *state = pm_window_get_state(window);
    const PmBandOrder *order = pm_state_get_curves(state)->order;
    guint n_rows = 0;

    if (g_strcmp0(g_getenv("GTK_A11Y"), "test") != 0) {
        g_test_skip("GTK_A11Y is not \"test\"");
        drive_close(window);
        return;
    }
    check_rows(GTK_WIDGET(grid), grid, &n_rows);
    g_assert_cmpuint(n_rows, >, 1);
    g_autofree char *said = gtk_test_accessible_check_property(
        GTK_ACCESSIBLE(timeline), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, "");
    g_assert_nonnull(said);
    for (guint i = 0; i < pm_band_order_n(order); i++) {
        const PmBand *band = pm_band_order_get(order, i);
        g_autofree char *name = pm_aspect_key_text(pm_state_get_recording(state),
                                                   pm_state_get_curves(state)->aspect, band->key);
        g_assert_nonnull(strstr(said, name));
    }
    drive_close(window);
}

static PmStateId state_shown(PmWindow *window)
{
    GtkWidget *page = drive_find_mapped(GTK_WIDGET(window), PM_TYPE_STATE_PAGE);

    g_assert_nonnull(page);
    return pm_state_page_get(PM_STATE_PAGE(page));
}

static void test_bad_files_say_what_is_wrong(void)
{
    static const struct {
        const char *name, *content;
        PmStateId state;
    } files[] = {
        {"photo.jpg",
         "\377\330\377\340 this is a picture, not a recording, and long enough to "
         "be looked at twice",
         PM_STATE_NOT_A_RECORDING},
        {"notes.park", "x", PM_STATE_NOT_A_RECORDING},
        {"empty.park", "", PM_STATE_EMPTY_FILE},
        {"parkmeter-2217-20260504T120000.park", "", PM_STATE_EMPTY_FILE},
        {"gone.park", NULL, PM_STATE_UNREADABLE},
    };
    PmWindow *window = drive_open(NULL);

    g_assert_cmpint(state_shown(window), ==, PM_STATE_NO_FILE);
    for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
        g_autofree char *path = g_build_filename(folder, files[i].name, NULL);
        g_autoptr(GFile) file = g_file_new_for_path(path);
        if (files[i].content)
            g_assert_true(g_file_set_contents(path, files[i].content, -1, NULL));
        pm_window_open(window, file);
        drive_settle(window);
        g_test_message("%s", files[i].name);
        g_assert_null(pm_state_get_recording(pm_window_get_state(window)));
        g_assert_cmpint(state_shown(window), ==, files[i].state);
        if (files[i].state == PM_STATE_EMPTY_FILE)
            g_assert_true(drive_says(GTK_WIDGET(window), files[i].name[0] == 'p'
                                                             ? "parkctl 2217 dump"
                                                             : "parkctl PID dump"));
    }
    g_autofree char *newer = g_build_filename(folder, "newer.park", NULL);
    g_assert_true(pm_showcase_write("newer", newer));
    g_autoptr(GFile) of_newer = g_file_new_for_path(newer);
    pm_window_open(window, of_newer);
    drive_settle(window);
    g_assert_cmpint(state_shown(window), ==, PM_STATE_NEWER_FORMAT);
    g_assert_true(drive_says(GTK_WIDGET(window), "a later version than this one"));
    g_autoptr(GFile) a_folder = g_file_new_for_path(folder);
    pm_window_open(window, a_folder);
    drive_settle(window);
    g_assert_null(pm_state_get_recording(pm_window_get_state(window)));
    g_autoptr(GFile) elsewhere = g_file_new_for_uri("https://example.org/a.park");
    pm_window_open(window, elsewhere);
    drive_settle(window);
    g_assert_cmpint(state_shown(window), ==, PM_STATE_UNREADABLE);
    /* And a good one after all. */
    g_autoptr(GFile) good = g_file_new_for_path(recording_path);
    pm_window_open(window, good);
    drive_settle(window);
    g_assert_nonnull(pm_state_get_recording(pm_window_get_state(window)));
    g_assert_null(drive_find_mapped(GTK_WIDGET(window), PM_TYPE_STATE_PAGE));
    drive_close(window);
}

static void test_a_torn_file_is_shown_with_a_word(void)
{
    g_autofree char *bytes = NULL, *path = g_build_filename(folder, "torn.park", NULL);
    gsize length;

    g_assert_true(g_file_get_contents(recording_path, &bytes, &length, NULL));
    for (gsize i = length / 2; i < length / 2 + 64; i++)
        bytes[i] ^= 0x5a;
    g_assert_true(g_file_set_contents(path, bytes, (gssize)length, NULL));
    PmWindow *window = drive_open(path);
    PmState *state = pm_window_get_state(window);
    PmRecording *recording = pm_state_get_recording(state);
    g_assert_nonnull(recording);
    g_assert_cmpuint(recording->facts.damaged_blocks, >, 0);
    GtkWidget *info = drive_find_mapped(GTK_WIDGET(window), GTK_TYPE_INFO_BAR);
    g_assert_nonnull(info);
    g_assert_true(drive_says(GTK_WIDGET(window), "peak ≥"));
    g_assert_cmpuint(recording->n_damage, ==, recording->facts.damaged_blocks);
    for (guint i = 0; i < recording->n_damage; i++) {
        g_assert_cmpuint(recording->damage[i].offset, <=, length / 2 + 64);
        g_assert_cmpint(recording->damage[i].begin, >=, 0);
        g_assert_cmpint(recording->damage[i].begin, <=, recording->damage[i].end);
        g_assert_cmpint(recording->damage[i].end, <=, recording->duration);
    }
    guint n_windows = g_list_model_get_n_items(gtk_window_get_toplevels());
    drive_act(window, "win.damage");
    drive_spin(50);
    g_assert_cmpuint(g_list_model_get_n_items(gtk_window_get_toplevels()), ==, n_windows + 1);
    g_autoptr(GtkWindow) details = g_list_model_get_item(gtk_window_get_toplevels(), n_windows);
    g_assert_true(drive_holds(GTK_WIDGET(details), "stored bytes are not what was written"));
    gtk_window_destroy(details);
    g_clear_object(&details); /* before what it is of */
    check_numbers(state);
    drive_close(window);
}

static void kept_cb(GObject *source, GAsyncResult *result, gpointer data)
{
    g_autoptr(GError) error = NULL;

    g_assert_true(pm_live_keep_finish(result, &error));
    g_assert_no_error(error);
    *(gboolean *)data = TRUE;
}

/* What came through a pipe can be read again, and kept. */
static void test_a_pipe_is_kept(void)
{
    g_autofree char *bytes = NULL, *path = g_build_filename(folder, "kept.park", NULL);
    gboolean kept = FALSE;
    gsize length;
    int ends[2];

    g_assert_true(g_file_get_contents(recording_path, &bytes, &length, NULL));
    g_assert_cmpint(pipe2(ends, O_CLOEXEC), ==, 0);
    fcntl(ends[1], F_SETPIPE_SZ, (int)length);
    g_assert_cmpint(write(ends[1], bytes, length), ==, (gssize)length);
    close(ends[1]);
    const int usual = dup(STDIN_FILENO);
    g_assert_cmpint(dup2(ends[0], STDIN_FILENO), ==, STDIN_FILENO);
    close(ends[0]);
    PmWindow *window = drive_open("-");
    PmState *state = pm_window_get_state(window);
    g_assert_nonnull(pm_state_get_recording(state));
    const gsize n = pm_state_get_recording(state)->waits.n;
    pm_window_reload(window);
    drive_settle(window);
    g_assert_nonnull(pm_state_get_recording(state));
    g_assert_cmpuint(pm_state_get_recording(state)->waits.n, ==, n);
    g_autoptr(GFile) to = g_file_new_for_path(path);
    pm_live_keep("-", to, kept_cb, &kept);
    UNTIL(kept);
    pm_window_open(window, to);
    drive_settle(window);
    g_assert_nonnull(pm_state_get_recording(state));
    g_assert_cmpuint(pm_state_get_recording(state)->waits.n, ==, n);
    drive_close(window);
    dup2(usual, STDIN_FILENO);
    close(usual);
}

static PmWindow *open_damaged(const char *name, void (*damage)(char *bytes, gsize length))
{
    g_autofree char *bytes = NULL, *path = g_build_filename(folder, name, NULL);
    gsize length;

    g_assert_true(pm_showcase_write("hot-lock", path));
    g_assert_true(g_file_get_contents(path, &bytes, &length, NULL));
    damage(bytes, length);
    g_assert_true(g_file_set_contents(path, bytes, (gssize)length, NULL));
    return drive_open(path);
}

static void damage_waits(char *bytes, gsize length)
{
    bytes[length / 2] ^= 0x5a;
}

static void damage_definitions(char *bytes, gsize length)
{
    memset(bytes + 4096, 0, 512);
}

/* Its only waits are damaged: that is no mean of zero. */
static void test_nothing_known_is_not_zero(void)
{
    PmWindow *window = open_damaged("unread.park", damage_waits);
    g_assert_true(drive_says(GTK_WIDGET(window), "No wait can be read"));
    g_assert_true(drive_says(GTK_WIDGET(window), "no part of this time is known"));
    g_assert_true(drive_says(GTK_WIDGET(window), " · no wait can be read · "));
    g_assert_false(drive_says(GTK_WIDGET(window), "on average"));
    drive_close(window);
}

/* Waits can be read, but what they are of cannot: nobody is blamed. */
static void test_nothing_nameless_is_a_finding(void)
{
    PmWindow *window = open_damaged("nameless.park", damage_definitions);
    g_assert_false(drive_says(GTK_WIDGET(window), "Waiting for (none)"));
    g_assert_true(drive_says(GTK_WIDGET(window), "(unknown threads)"));
    drive_close(window);
}

/* Cut within its first chunk, wherever: there is no time for an axis. */
static void test_a_file_with_nothing_whole_says_so(void)
{
    g_autofree char *bytes = NULL, *whole = g_build_filename(folder, "short.park", NULL),
                    *path = g_build_filename(folder, "stub.park", NULL);
    gsize length;

    g_assert_true(pm_showcase_write("hot-lock", whole));
    g_assert_true(g_file_get_contents(whole, &bytes, &length, NULL));
    for (gsize cut = 5000; cut < length && cut < 17000; cut += 4000) {
        g_assert_true(g_file_set_contents(path, bytes, (gssize)cut, NULL));
        PmWindow *window = drive_open(path);
        g_assert_true(drive_holds(GTK_WIDGET(window), "No part of stub.park is whole"));
        g_assert_true(drive_holds(GTK_WIDGET(window), "parkctl 2217 dump"));
        g_assert_null(drive_find_mapped(GTK_WIDGET(window), PM_TYPE_TIMELINE));
        g_assert_nonnull(gtk_window_get_focus(GTK_WINDOW(window)));
        drive_close(window);
    }
}

static void until_renewed(PmState *state)
{
    g_autoptr(PmRecording) before = pm_recording_ref(pm_state_get_recording(state));

    UNTIL(pm_state_get_recording(state) != before);
}

/* A parkctl of our own; NULL = as ever. */
static void use_parkctl(const char *script)
{
    static char *path; /* which the window only borrows */

    if (!path)
        path = g_build_filename(folder, "parkctl", NULL);
    if (script)
        g_assert_true(
            g_file_set_contents_full(path, script, -1, G_FILE_SET_CONTENTS_NONE, 0700, NULL));
    else
        g_unlink(path);
    pm_live_use_parkctl(script ? path : NULL);
}

#define NO_PID 2000004711 /* more than Linux gives */

static guint count_of(GtkWidget *widget, GType type)
{
    guint n = G_TYPE_CHECK_INSTANCE_TYPE(widget, type);

    for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
         child = gtk_widget_get_next_sibling(child))
        n += count_of(child, type);
    return n;
}

/* A program may be called as if it were a line of the list, or several. */
static void test_a_jvm_is_one_row_whatever_it_is_called(void)
{
    static const char json[] =
        "{\"schema\":1,\"jvms\":[{\"pid\":4711,\"main\":\"x\\n4712,fake,1,/f,1\\u009b31m\\u202e\","
        "\"begin_unix_ns\":[],\"file\":{},\"size\":1e999},{\"pid\":\"5\"},{\"pid\":-5},{},7,"
        "{\"pid\":4713,\"main\":\"true\",\"begin_unix_ns\":9223372036854775807,\"size\":-1}]}";
    static const char csv[] = "pid,main,begin_unix_ns,file,size\n"
                              "4711,\"x\n4712,fake,1,/f,1\xc2\x9b\",1,f,1\n4713,true,1,f,1\n";
    g_autofree char *script = g_strdup_printf(
        "#!/bin/sh\ncase $2 in *json) cat <<'EOF'\n%s\nEOF\n;; *) cat <<'EOF'\n%sEOF\n;; esac\n",
        json, csv);
    PmWindow *window = drive_open(recording_path);
    guint n_windows = g_list_model_get_n_items(gtk_window_get_toplevels());

    use_parkctl(script);
    drive_act(window, "win.running-jvms");
    g_autoptr(GtkWindow) dialog = g_list_model_get_item(gtk_window_get_toplevels(), n_windows);
    UNTIL(drive_holds(GTK_WIDGET(dialog), "4713"));
    g_assert_cmpuint(count_of(GTK_WIDGET(dialog), GTK_TYPE_LIST_BOX_ROW), ==, 2);
    g_assert_true(drive_holds(GTK_WIDGET(dialog), "4711 · x�4712,fake,1,/f,1�31m�"));
    g_assert_true(drive_holds(GTK_WIDGET(dialog), "4713 · true"));
    gtk_window_destroy(dialog);
    g_clear_object(&dialog);
    drive_spin(50);
    drive_close(window);
    use_parkctl(NULL);
}

/* What was copied last. Owned. */
static char *copied(GtkWidget *widget)
{
    GdkContentProvider *content = gdk_clipboard_get_content(gtk_widget_get_clipboard(widget));
    g_auto(GValue) value = G_VALUE_INIT;

    g_value_init(&value, G_TYPE_STRING);
    g_assert_true(gdk_content_provider_get_value(content, &value, NULL));
    return g_value_dup_string(&value);
}

/* What is asked for again is there: no second one. */
static void test_a_dialog_is_shown_once(void)
{
    static const char *const actions[] = {"win.open",      "win.running-jvms", "win.save",
                                          "win.save-view", "win.damage",       "win.shortcuts",
                                          "win.about"};
    GListModel *toplevels = gtk_window_get_toplevels();

    use_parkctl("#!/bin/sh\n");
    for (guint i = 0; i < G_N_ELEMENTS(actions); i++) {
        PmWindow *window = open_damaged("twice.park", damage_waits);
        const guint n = g_list_model_get_n_items(toplevels);
        guint n_shown = 0;
        for (guint k = 0; k < 3; k++)
            drive_act(window, actions[i]);
        drive_spin(100);
        for (guint k = 0; k < g_list_model_get_n_items(toplevels); k++) {
            g_autoptr(GtkWindow) dialog = g_list_model_get_item(toplevels, k);
            n_shown += gtk_window_get_transient_for(dialog) == GTK_WINDOW(window) &&
                       gtk_widget_get_visible(GTK_WIDGET(dialog));
        }
        g_assert_cmpuint(n_shown, ==, 1);
        g_assert_cmpuint(g_list_model_get_n_items(toplevels), <=, n + 1);
        drive_close(window);
    }
    use_parkctl(NULL);
}

/* What is copied goes into a spreadsheet, a terminal, an issue: names are names there too. */
static void test_what_is_copied_is_shown_and_does_nothing(void)
{
    static const struct {
        const char *name, *shown, *in_table;
    } names[] = {{"=alpha\tbeta", "=alpha�beta", "'=alpha�beta"},
                 {"gamma\033[31m\n\xc2\x9b\xe2\x80\xae", "gamma�[31m���", "gamma�[31m���"},
                 {"-delta", "-delta", "'-delta"}};
    g_autofree char *path = g_build_filename(folder, "names.park", NULL);
    struct syn *s = syn_new();

    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *frame = g_strdup_printf("a.B.%s```x(C.java:1)", names[i].name);
        struct pm_wait *wait = syn_wait(s, syn_thread(s, names[i].name),
                                        syn_blocker(s, syn_class(s, names[i].name), 1), 0, SYN_MS);
        wait->chain = syn_chain(s, frame, NULL);
    }
    syn_finish_file(s, SYN_S, path);
    syn_free(s);
    PmWindow *window = drive_open(path);
    PmState *state = pm_window_get_state(window);
    for (PmPage page = PM_PAGE_TREE; page <= PM_PAGE_THREADS; page++) {
        PmGrid *grid = grid_of(window, page);
        for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
            g_assert_true(pm_grid_search(grid, names[i].shown, 1));
            pm_grid_copy(grid);
            g_assert_true(drive_holds(GTK_WIDGET(window), "Copied"));
            g_autofree char *row = copied(GTK_WIDGET(grid));
            g_auto(GStrv) cells = g_strsplit(row, "\t", -1);
            guint found = 0;
            for (guint c = 0; cells[c]; c++)
                found += g_str_has_prefix(cells[c], names[i].in_table);
            g_assert_cmpuint(found, ==, 1);
            g_assert_null(strpbrk(row, "\n\033"));
            g_assert_null(strstr(row, "\xc2\x9b"));
        }
    }
    pm_state_set_detail(state, TRUE);
    PmGrid *grid = grid_of(window, PM_PAGE_TREE);
    g_assert_true(pm_grid_search(grid, names[1].shown, 1));
    g_signal_emit_by_name(grid, "selected");
    drive_settle(window);
    GtkWidget *pane = detail_of(window);
    g_assert_true(gtk_widget_activate_action(pane, "page.copy-markdown", NULL));
    g_autofree char *markdown = copied(pane);
    g_auto(GStrv) lines = g_strsplit(markdown, "\n", -1);
    g_assert_true(g_str_has_prefix(lines[0], "**gamma�\\[31m"));
    g_assert_cmpstr(lines[2], ==, "````");
    g_assert_cmpstr(lines[3], ==, "    at a.B.gamma�[31m���```x(C.java:1)");
    g_assert_cmpstr(lines[4], ==, "````");
    drive_close(window);
    g_unlink(path);
}

static void follow(PmWindow *window, guint pid, const char *via)
{
    g_action_group_activate_action(G_ACTION_GROUP(window), "follow",
                                   g_variant_new("(us)", pid, via));
}

/* A recorder is loaded by the button beside a JVM that has none, and the JVM is followed. */
static void test_a_jvm_without_a_recorder_is_attached(void)
{
    g_autofree char *tried = g_build_filename(folder, "tried", NULL);
    g_autofree char *script = g_strdup_printf(
        "#!/bin/sh\ncase \"$*\" in\n"
        "'list --format=json --all') echo '{\"schema\":1,\"jvms\":[{\"pid\":4711,"
        "\"main\":\"Shop\",\"no_recorder\":true}]}'; exit;;\n"
        "'4711 attach') [ -e '%s' ] && exit; touch '%s'; echo 'parkctl: it refused' >&2; exit 1;;\n"
        "'4711 follow filename='*) ;;\n*) exit 1;;\nesac\n"
        "while read line; do cp '%s' \"${3#filename=}\"; echo ok 5; done\n",
        tried, tried, recording_path);
    PmWindow *window = drive_open(NULL);
    guint n_windows = g_list_model_get_n_items(gtk_window_get_toplevels());

    use_parkctl(script);
    drive_act(window, "win.running-jvms");
    g_autoptr(GtkWindow) dialog = g_list_model_get_item(gtk_window_get_toplevels(), n_windows);
    UNTIL(drive_holds(GTK_WIDGET(dialog), "4711 · Shop"));
    g_assert_true(drive_holds(GTK_WIDGET(dialog), "no recorder"));
    GtkWidget *list = drive_find_mapped(GTK_WIDGET(dialog), GTK_TYPE_LIST_BOX);
    GtkWidget *attach = drive_find_mapped(list, GTK_TYPE_BUTTON);
    /* It stands under the keys at once, and only it acts. */
    UNTIL(gtk_window_get_focus(dialog) == attach);
    g_assert_false(
        gtk_list_box_row_get_activatable(gtk_list_box_get_row_at_index(GTK_LIST_BOX(list), 0)));
    g_signal_emit_by_name(attach, "clicked");
    g_assert_true(drive_holds(GTK_WIDGET(dialog), "Loading the recorder into JVM 4711"));
    UNTIL(drive_holds(GTK_WIDGET(dialog), "parkctl: it refused"));
    g_assert_true(gtk_widget_is_sensitive(attach));
    g_signal_emit_by_name(attach, "clicked");
    g_clear_object(&dialog);
    UNTIL(pm_state_get_recording(pm_window_get_state(window)));
    g_assert_cmpuint(g_list_model_get_n_items(gtk_window_get_toplevels()), ==, n_windows);
    drive_close(window);
    use_parkctl(NULL);
    g_unlink(tried);
}

/* A parkctl that copies one recording again and again, until it is told that the JVM is gone. */
static void test_a_running_jvm_is_followed(void)
{
    g_autofree char *gone = g_build_filename(folder, "gone", NULL);
    g_autofree char *script =
        g_strdup_printf("#!/bin/sh\n[ $1 = %u ] || { echo 'no such process' >&2; exit 1; }\n"
                        "while read line; do cp '%s' \"${3#filename=}\"\n"
                        "if [ -e '%s' ]; then echo ended no such process; else echo ok 5; fi\n"
                        "done\n",
                        NO_PID, recording_path, gone);
    PmWindow *window = drive_open(NULL);
    PmState *state = pm_window_get_state(window);
    gint64 from, to, begin, end;

    use_parkctl(script);
    follow(window, NO_PID, "");
    UNTIL(pm_state_get_live(state) == PM_LIVE_FOLLOWING);
    UNTIL(pm_state_get_recording(state));
    drive_settle(window);
    /* What was chosen stays, and the numbers are those of the newer dump. */
    g_autofree char *kept = g_build_filename(folder, "kept.park", NULL);
    g_autoptr(GFile) there = g_file_new_for_path(kept);
    gboolean done = FALSE;
    pm_live_keep(pm_state_get_loading(state)->path, there, kept_cb, &done);
    UNTIL(done);
    g_autoptr(PmRecording) copy = pm_recording_load(kept, 0, NULL, NULL, NULL, NULL);
    g_assert_nonnull(copy);
    g_assert_cmpuint(copy->waits.n, ==, pm_state_get_recording(state)->waits.n);
    g_unlink(kept);
    pm_state_get_whole(state, &begin, &end);
    pm_state_set_range(state, begin + (end - begin) / 4, begin + (end - begin) / 2);
    pm_grid_select_first(grid_of(window, PM_PAGE_TREE));
    until_renewed(state);
    until_renewed(state);
    drive_settle(window);
    g_assert_cmpint(pm_state_get_page(state), ==, PM_PAGE_TREE);
    g_assert_cmpuint(pm_state_get_selection(state)->n, ==, 1);
    g_assert_true(pm_state_get_range(state, &from, &to));
    g_assert_cmpint(from, ==, begin + (end - begin) / 4);
    g_assert_true(pm_state_get_view(state)->recording == pm_state_get_recording(state));
    check_numbers(state);
    drive_act(window, "win.toggle-follow");
    g_assert_cmpint(pm_state_get_live(state), ==, PM_LIVE_PAUSED);
    drive_act(window, "win.toggle-follow");
    g_assert_cmpint(pm_state_get_live(state), ==, PM_LIVE_FOLLOWING);
    g_assert_true(g_file_set_contents(gone, "", 0, NULL));
    UNTIL(pm_state_get_live(state) == PM_LIVE_ENDED);
    drive_settle(window);
    g_assert_true(drive_holds(drive_find_mapped(GTK_WIDGET(window), GTK_TYPE_INFO_BAR),
                              "JVM 2000004711 ended"));
    check_numbers(state);
    /* One that is not there at all. */
    follow(window, NO_PID + 1, "");
    UNTIL(pm_state_get_live(state) == PM_LIVE_OFF);
    g_assert_cmpint(state_shown(window), ==, PM_STATE_NOT_FOLLOWED);
    drive_close(window);
    use_parkctl(NULL);
    g_unlink(gone);
}

/* What is followed has a bound, however long; what is marked stays, and a pause shows all. */
static void test_the_newest_is_followed(void)
{
    g_autofree char *script =
        g_strdup_printf("#!/bin/sh\nwhile read line; do cp '%s' \"${3#filename=}\"; echo ok 5; "
                        "done\n",
                        recording_path);
    g_autoptr(PmRecording) all = pm_recording_load(recording_path, 0, NULL, NULL, NULL, NULL);
    const guint64 waits = pm_loader_newest_waits;
    PmWindow *window = drive_open(NULL);
    PmState *state = pm_window_get_state(window);

    pm_loader_newest_waits = all->waits.n / 16;
    use_parkctl(script);
    follow(window, NO_PID, "");
    UNTIL(pm_state_get_recording(state));
    drive_settle(window);
    g_assert_cmpuint(pm_state_get_recording(state)->waits.n, <, all->waits.n / 2);
    g_assert_true(drive_holds(GTK_WIDGET(window), "The newest"));
    g_assert_true(drive_holds(GTK_WIDGET(window), "while the JVM is followed. Pause shows it."));
    check_numbers(state);
    const gint64 begin = pm_state_get_recording(state)->window_begin;
    pm_state_set_range(state, begin, (begin + all->duration) / 2);
    pm_loader_newest_waits = all->waits.n / 32;
    until_renewed(state);
    drive_settle(window);
    g_assert_cmpint(pm_state_get_recording(state)->window_begin, ==, begin);
    pm_state_set_range(state, 0, 0);
    until_renewed(state);
    UNTIL(pm_state_get_recording(state)->window_begin > begin);
    drive_act(window, "win.toggle-follow");
    UNTIL(pm_state_get_recording(state)->waits.n == all->waits.n);
    drive_settle(window);
    g_assert_true(drive_holds(GTK_WIDGET(window), "Whole recording"));
    g_assert_false(drive_holds(GTK_WIDGET(window), "What was before"));
    drive_act(window, "win.toggle-follow");
    UNTIL(pm_state_get_recording(state)->window_begin > begin);
    drive_close(window);
    use_parkctl(NULL);
    pm_loader_newest_waits = waits;
}

/* A JVM that lives and cannot give a dump right now, as its file is gone: what was received is
 * shown until there is a newer one. */
static void test_a_jvm_without_a_file_is_followed(void)
{
    g_autofree char *shut = g_build_filename(folder, "shut", NULL);
    g_autofree char *tried = g_build_filename(folder, "tried", NULL);
    g_autofree char *script =
        g_strdup_printf("#!/bin/sh\nwhile read line; do\n"
                        "if [ -e '%s' ]; then echo x >>'%s'; echo error no file; exit 1; fi\n"
                        "cp '%s' \"${3#filename=}\"; echo ok 5; done\n",
                        shut, tried, recording_path);
    PmWindow *window = drive_open(NULL);
    PmState *state = pm_window_get_state(window);
    GStatBuf status = {0};

    use_parkctl(script);
    follow(window, (guint)getpid(), "");
    UNTIL(pm_state_get_recording(state));
    drive_settle(window);
    g_assert_true(g_file_set_contents(shut, "", 0, NULL));
    UNTIL(!g_stat(tried, &status) && status.st_size >= 4);
    g_assert_cmpint(pm_state_get_live(state), ==, PM_LIVE_FOLLOWING);
    g_assert_nonnull(pm_state_get_recording(state));
    UNTIL(pm_state_get_live_trouble(state));
    g_assert_true(
        drive_holds(drive_find_mapped(GTK_WIDGET(window), GTK_TYPE_INFO_BAR), "No new data"));
    g_unlink(shut);
    until_renewed(state);
    check_numbers(state);
    drive_close(window);
    use_parkctl(NULL);
    g_unlink(tried);
}

/* Takes a fifth of a second of a core, on any machine. */
static void burn_cb(PmState *state, guint mask, gpointer data)
{
    GArray *instants = data;
    struct timespec begin, now;

    if (!(mask & PM_CHANGE_RENEWED))
        return;
    const gint64 at = g_get_monotonic_time();
    g_array_append_val(instants, at);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    do
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < 200);
}

/* The dearer an update is, the later the next: following takes a twelfth of a core. And nothing is
 * dimmed for it. */
static void test_following_is_cheap(void)
{
    g_autofree char *script =
        g_strdup_printf("#!/bin/sh\nwhile read line; do cp '%s' \"${3#filename=}\"; echo ok 5; "
                        "done\n",
                        recording_path);
    g_autoptr(GArray) instants = g_array_new(FALSE, FALSE, sizeof(gint64));
    PmWindow *window = drive_open(NULL);
    PmState *state = pm_window_get_state(window);

    use_parkctl(script);
    follow(window, NO_PID, "");
    UNTIL(pm_state_get_recording(state));
    drive_settle(window);
    g_signal_connect(state, "changed", G_CALLBACK(burn_cb), instants);
    while (instants->len < 3) {
        const guint n = instants->len;
        UNTIL(instants->len > n);
        g_assert_false(pm_state_is_busy(state));
    }
    for (guint i = 1; i < instants->len; i++)
        g_assert_cmpint(g_array_index(instants, gint64, i) - g_array_index(instants, gint64, i - 1),
                        >=, 200000 / 0.08);
    g_signal_handlers_disconnect_by_data(state, instants);
    drive_close(window);
    use_parkctl(NULL);
}

/* Through a command: parkctl is given it, its list is of there, and why nothing comes is said. */
static void test_a_jvm_elsewhere_is_followed(void)
{
    g_autofree char *cut = g_build_filename(folder, "cut", NULL);
    g_autofree char *script = g_strdup_printf(
        "#!/bin/sh\n[ \"$1\" = '--via=ssh box' ] || { echo 'parkctl: not there' >&2; exit 1; }\n"
        "case $2 in list) echo '{\"schema\":1,\"jvms\":[{\"pid\":4711,\"main\":\"Far\"}]}'; exit;; "
        "esac\n"
        "while read line; do\n"
        "if [ -e '%s' ]; then printf 'lost the way\\r\\n' >&2; sleep 0.2; echo broken ssh box: no "
        "answer\n"
        "else cp '%s' \"${4#filename=}\"; echo ok 5; fi; done\n",
        cut, recording_path);
    PmWindow *window = drive_open(NULL);
    PmState *state = pm_window_get_state(window);
    guint n_windows = g_list_model_get_n_items(gtk_window_get_toplevels());

    use_parkctl(script);
    drive_act(window, "win.running-jvms");
    g_autoptr(GtkWindow) dialog = g_list_model_get_item(gtk_window_get_toplevels(), n_windows);
    UNTIL(drive_holds(GTK_WIDGET(dialog), "parkctl: not there"));
    GtkWidget *via = drive_find_mapped(GTK_WIDGET(dialog), GTK_TYPE_ENTRY);
    gtk_editable_set_text(GTK_EDITABLE(via), "ssh box");
    g_signal_emit_by_name(via, "activate");
    UNTIL(drive_holds(GTK_WIDGET(dialog), "4711 · Far"));
    GtkWidget *list = drive_find_mapped(GTK_WIDGET(dialog), GTK_TYPE_LIST_BOX);
    g_signal_emit_by_name(list, "row-activated",
                          gtk_list_box_get_row_at_index(GTK_LIST_BOX(list), 0));
    g_clear_object(&dialog);
    UNTIL(pm_state_get_recording(state));
    drive_settle(window);
    until_renewed(state);
    g_assert_true(g_file_set_contents(cut, "", 0, NULL));
    UNTIL(pm_state_get_live_trouble(state));
    g_assert_cmpstr(pm_state_get_live_trouble(state), ==, "ssh box: no answer (lost the way)");
    GtkWidget *bar = drive_find_mapped(GTK_WIDGET(window), GTK_TYPE_INFO_BAR);
    g_assert_true(drive_holds(bar, "No new data from JVM 4711: ssh box: no answer (lost the way)"));
    g_unlink(cut);
    until_renewed(state);
    UNTIL(!pm_state_get_live_trouble(state));
    check_numbers(state);
    drive_close(window);
    use_parkctl(NULL);
}

/* What it says appears, gives way to the next, and disappears; and the window may close meanwhile.
 */
static void test_what_is_said_disappears(void)
{
    PmWindow *windows[3];
    GtkRevealer *revealers[G_N_ELEMENTS(windows)];

    for (guint i = 0; i < G_N_ELEMENTS(windows); i++) {
        windows[i] = drive_open(recording_path);
        GtkWidget *overlay = gtk_window_get_child(GTK_WINDOW(windows[i]));
        revealers[i] = GTK_REVEALER(gtk_widget_get_last_child(overlay));
        g_assert_false(gtk_revealer_get_reveal_child(revealers[i]));
    }
    for (guint i = 0; i < G_N_ELEMENTS(windows); i++) {
        pm_window_say(windows[i], "Copied 1 row");
        pm_window_say(windows[i], "Copied 2 rows");
    }
    drive_spin(100);
    for (guint i = 0; i < G_N_ELEMENTS(windows); i++) {
        g_assert_true(gtk_revealer_get_child_revealed(revealers[i]) ||
                      gtk_revealer_get_reveal_child(revealers[i]));
        g_assert_cmpstr(gtk_label_get_text(GTK_LABEL(gtk_revealer_get_child(revealers[i]))), ==,
                        "Copied 2 rows");
    }
    for (guint i = 0; i < G_N_ELEMENTS(windows); i++) { /* closed ever later while it fades */
        UNTIL(!gtk_revealer_get_reveal_child(revealers[i]));
        drive_spin(i > 0 ? 100 : 0);
        drive_close(windows[i]);
    }
    PmWindow *window = drive_open(recording_path);
    pm_window_say(window, "Copied");
    drive_close(window);
}

static void read_in_part(PmWindow *window)
{
    const PmLoading *loading = pm_state_get_loading(pm_window_get_state(window));

    for (int tries = 0; tries < 100 && !loading->partial; tries++) { /* it may be read before */
        pm_window_reload(window);
        pm_window_cancel_load(window);
        drive_settle(window);
    }
    g_assert_true(loading->partial);
}

/* It is told how much of the file was read: less than all of it. */
static void test_what_was_read_is_told(void)
{
    PmWindow *window = drive_open(recording_path);
    const PmLoading *loading = pm_state_get_loading(pm_window_get_state(window));

    read_in_part(window);
    g_assert_cmpuint(loading->done_bytes, <, loading->total_bytes);
    g_autofree char *text =
        g_strdup_printf("stopped at %.0f %%",
                        floor(100.0 * (double)loading->done_bytes / (double)loading->total_bytes));
    g_assert_true(drive_holds(drive_find(GTK_WIDGET(window), GTK_TYPE_INFO_BAR), text));
    drive_close(window);
}

/* What is to be read first is seen, though it is not what has the focus. */
static void test_the_rest_is_read_from_its_top(void)
{
    static const int heights[] = {500, 600, 800};

    for (guint i = 0; i < G_N_ELEMENTS(heights); i++) {
        PmWindow *window = drive_open(recording_path);
        gtk_window_set_default_size(GTK_WINDOW(window), 800, heights[i]);
        read_in_part(window);
        drive_act(window, "win.reload");
        drive_settle(window);
        GtkWidget *focus = gtk_window_get_focus(GTK_WINDOW(window));
        g_assert_true(GTK_IS_LIST_BOX_ROW(focus));
        drive_spin(300); /* GTK scrolls by and by */
        g_assert_cmpfloat(scrolled_by(focus), ==, 0);
        drive_close(window);
    }
}

/* As numbers change, who reads the last card goes on there. */
static void test_the_focus_stays_on_its_card(void)
{
    PmWindow *window = drive_open(recording_path);
    PmState *state = pm_window_get_state(window);
    GtkWidget *first = gtk_window_get_focus(GTK_WINDOW(window));
    gint64 from, to;

    gtk_window_set_default_size(GTK_WINDOW(window), 800, 600);
    g_assert_true(GTK_IS_LIST_BOX_ROW(first));
    GtkListBox *cards = GTK_LIST_BOX(gtk_widget_get_parent(first));
    gtk_widget_grab_focus(GTK_WIDGET(gtk_list_box_get_row_at_index(cards, 1)));
    drive_settle(window);
    drive_spin(300);
    const double by = scrolled_by(gtk_window_get_focus(GTK_WINDOW(window)));
    pm_state_get_whole(state, &from, &to);
    pm_state_set_range(state, from, to - 1000);
    drive_settle(window);
    drive_spin(300);
    GtkWidget *focus = gtk_window_get_focus(GTK_WINDOW(window));
    g_assert_true(GTK_IS_LIST_BOX_ROW(focus));
    g_assert_cmpint(gtk_list_box_row_get_index(GTK_LIST_BOX_ROW(focus)), ==, 1);
    g_assert_cmpfloat(scrolled_by(focus), ==, by);
    drive_close(window);
}

static void told_cb(PmState *state, guint mask, PmWindow *window)
{
    if (!(mask & PM_CHANGE_TREE) || pm_state_get_verdict(state))
        return;
    g_assert_true(drive_says(GTK_WIDGET(window), "the tree is ready, 0 s so far"));
    g_object_set_data(G_OBJECT(window), "told", window);
}

/* On a slow machine it takes long. */
static void test_what_is_computed_is_told(void)
{
    const gint64 patience = pm_verdict_line_patience_s;
    PmWindow *window = drive_open(NULL);
    PmState *state = pm_window_get_state(window);
    g_autoptr(GFile) file = g_file_new_for_path(recording_path);

    pm_verdict_line_patience_s = 0;
    g_signal_connect(state, "changed", G_CALLBACK(told_cb), window);
    pm_window_open(window, file);
    drive_settle(window);
    g_assert_nonnull(g_object_get_data(G_OBJECT(window), "told"));
    g_assert_false(drive_says(GTK_WIDGET(window), "so far"));
    g_signal_handlers_disconnect_by_data(state, window);
    pm_verdict_line_patience_s = patience;
    drive_close(window);
}

/* The end is shown: of so many waits. */
typedef struct {
    PmWindow *window;
    gboolean stop; /* at once */
    guint64 n;
} End;

static void end_shown_cb(PmState *state, guint mask, End *end)
{
    if (end->n || !pm_state_get_loading(state)->end_only)
        return;
    end->n = pm_state_get_recording(state)->waits.n;
    if (end->stop)
        pm_window_cancel_load(end->window); /* the rest waits for the numbers of the end */
}

/* Until all of it is there, and its numbers too, the end is shown, with all that is asked of it. */
static void test_the_end_of_a_long_recording_comes_first(void)
{
    g_autofree char *path = g_build_filename(folder, "long.park", NULL);
    struct syn_shape shape = {
        .waits = 50000, .threads = 20, .options = {.max_size = 64 << 20, .slot_size = 64 << 10}};
    struct syn_totals totals;
    const guint64 usual = pm_loader_end_waits;

    syn_generate_file(&shape, path, &totals);
    pm_loader_end_waits = 5000;
    for (guint stop = 0; stop < 2; stop++) {
        PmWindow *window = drive_open(NULL);
        PmState *state = pm_window_get_state(window);
        const PmLoading *loading = pm_state_get_loading(state);
        g_autoptr(GFile) file = g_file_new_for_path(path);

        End end = {window, stop != 0, 0};
        g_signal_connect(state, "changed", G_CALLBACK(end_shown_cb), &end);
        pm_window_open(window, file);
        while (!end.n)
            g_main_context_iteration(NULL, TRUE);
        g_signal_handlers_disconnect_by_data(state, &end);
        const guint64 n = end.n;
        g_assert_cmpuint(n, >=, 5000);
        g_assert_cmpuint(n, <, totals.waits / 2);
        if (!stop) {
            g_assert_cmpint(loading->state, ==, PM_LOADING_READING);
            g_assert_true(drive_holds(drive_find(GTK_WIDGET(window), GTK_TYPE_INFO_BAR),
                                      "Only the end is shown"));
            g_assert_true(drive_says(GTK_WIDGET(window), "Only the end"));
            g_assert_false(drive_says(GTK_WIDGET(window), "Whole recording"));
        }
        pm_state_set_page(state, PM_PAGE_TREE);
        while (!stop && pm_state_is_busy(state))
            g_main_context_iteration(NULL, TRUE);
        if (!stop) {
            g_assert_true(loading->end_only);
            pm_state_set_page(state, PM_PAGE_SUMMARY);
            g_assert_true(drive_holds(GTK_WIDGET(window), ", until it is read."));
            pm_state_set_page(state, PM_PAGE_TREE);
            check_numbers(state);
        }
        drive_settle(window);
        g_assert_cmpint(loading->state, ==, PM_LOADING_NONE);
        g_assert_cmpint(loading->partial, ==, (int)stop);
        g_assert_cmpuint(pm_state_get_recording(state)->waits.n, ==, stop ? n : totals.waits);
        g_assert_cmpint(pm_state_get_recording(state)->window_begin > 0, ==, (int)stop);
        pm_state_set_page(state, PM_PAGE_SUMMARY);
        drive_settle(window); /* it may ask for more than the tree did */
        g_assert_false(drive_holds(GTK_WIDGET(window), ", until it is read."));
        g_assert_cmpint(drive_holds(GTK_WIDGET(window), ": not read."), ==, (int)stop);
        pm_state_set_page(state, PM_PAGE_TREE);
        g_assert_cmpint(drive_says(GTK_WIDGET(window), "What was read"), ==, (int)stop);
        g_assert_false(drive_holds(GTK_WIDGET(window), "crossed out"));
        g_assert_cmpint(pm_state_get_page(state), ==, PM_PAGE_TREE);
        check_numbers(state);
        drive_close(window);
    }
    PmWindow *window = drive_open(NULL); /* which closes while it reads */
    g_autoptr(GFile) file = g_file_new_for_path(path);
    pm_window_open(window, file);
    while (!pm_state_get_loading(pm_window_get_state(window))->end_only)
        g_main_context_iteration(NULL, TRUE);
    drive_close(window);
    drive_spin(100);
    pm_loader_end_waits = usual;
    g_unlink(path);
}

/* All has been read, but the window does not know yet. */
static void test_a_stop_too_late_loses_nothing(void)
{
    PmWindow *window = drive_open(NULL);
    g_autoptr(GFile) file = g_file_new_for_path(recording_path);

    pm_window_open(window, file);
    g_usleep(G_USEC_PER_SEC); /* nothing is told meanwhile */
    pm_window_cancel_load(window);
    drive_settle(window);
    PmRecording *recording = pm_state_get_recording(pm_window_get_state(window));
    g_assert_nonnull(recording);
    g_assert_true(recording->waits.n == waits_written ||
                  pm_state_get_loading(pm_window_get_state(window))->partial);
    drive_close(window);
}

static void test_reading_can_be_stopped(void)
{
    PmWindow *window = drive_open(NULL);
    g_autoptr(GFile) file = g_file_new_for_path(recording_path);

    for (int i = 0; i < 10; i++) {
        pm_window_open(window, file);
        if (i % 2)
            drive_spin(1);
        pm_window_cancel_load(window);
        if (i % 3 == 0)
            drive_settle(window);
    }
    drive_settle(window);
    pm_window_open(window, file);
    drive_close(window); /* while it reads */
    drive_spin(200);
}

/* What is still to be drawn is waited for, as while something moves. */
static void test_a_picture_is_of_what_is_still_to_be_drawn(void)
{
    g_autofree char *path = g_build_filename(folder, "moving.png", NULL);
    PmWindow *window = drive_open(recording_path);
    g_autoptr(GError) error = NULL;

    gtk_widget_queue_draw(gtk_window_get_child(GTK_WINDOW(window)));
    g_assert_true(pm_window_save_png(window, path, &error));
    g_assert_no_error(error);
    drive_close(window);
}

static void test_a_picture_of_the_window(void)
{
    g_autofree char *path = g_build_filename(folder, "window.png", NULL);
    PmWindow *window = drive_open(recording_path);
    g_autoptr(GError) error = NULL;

    g_assert_true(pm_window_save_png(window, path, &error));
    g_assert_no_error(error);
    g_autoptr(GdkTexture) texture = gdk_texture_new_from_filename(path, &error);
    g_assert_no_error(error);
    /* Pixel by pixel as on the screen, the window's edge with it. */
    GdkSurface *surface = gtk_native_get_surface(GTK_NATIVE(window));
    g_assert_cmpint(gdk_texture_get_width(texture), ==, gdk_surface_get_width(surface));
    g_assert_cmpint(gdk_texture_get_height(texture), ==, gdk_surface_get_height(surface));
    g_assert_false(pm_window_save_png(window, "/nowhere/at/all.png", &error));
    g_assert_nonnull(error);
    drive_close(window);
}

int main(int argc, char **argv)
{
    struct syn_shape shape = {.waits = WAITS, .threads = 24, .seed = 4};
    struct syn_totals *totals = g_new0(struct syn_totals, 1);
    g_autoptr(GError) error = NULL;

    if (!drive_init(&argc, &argv))
        return 0;
    folder = g_dir_make_tmp("pm-window-XXXXXX", &error);
    g_assert_no_error(error);
    recording_path = g_build_filename(folder, "made.park", NULL);
    syn_generate_file(&shape, recording_path, totals);
    waits_written = totals->waits;
    g_free(totals);

    g_test_add_func("/ui/window/opens-a-recording", test_opens_a_recording);
    g_test_add_func("/ui/window/a-drag-selects-a-range", test_a_drag_selects_a_range);
    g_test_add_func("/ui/window/the-wheel-pans-and-the-strip-zooms",
                    test_the_wheel_pans_and_the_strip_zooms);
    g_test_add_func("/ui/window/dialogs-go-with-their-window", test_dialogs_go_with_their_window);
    g_test_add_func("/ui/window/what-is-saved-is-told", test_what_is_saved_is_told);
    g_test_add_func("/ui/window/an-error-of-the-display-leaves-the-window",
                    test_an_error_of_the_display_leaves_the_window);
    g_test_add_func("/ui/window/the-program-has-its-icon", test_the_program_has_its_icon);
    g_test_add_func("/ui/window/lanes-are-on-the-charts-axis", test_lanes_are_on_the_charts_axis);
    g_test_add_func("/ui/window/tops-of-axes-stand-beside-the-charts",
                    test_tops_of_axes_stand_beside_the_charts);
    g_test_add_func("/ui/window/filters-and-history", test_filters_and_history);
    g_test_add_func("/ui/window/filters-that-leave-nothing", test_filters_that_leave_nothing);
    g_test_add_func("/ui/window/a-click-selects-a-band-and-two-filter",
                    test_a_click_selects_a_band_and_two_filter);
    g_test_add_func("/ui/window/blockers-sort-by-every-shown-column",
                    test_blockers_sort_by_every_shown_column);
    g_test_add_func("/ui/window/every-size-has-room-for-rows-and-detail",
                    test_every_size_has_room_for_rows_and_detail);
    g_test_add_func("/ui/window/actions-and-pages", test_actions_and_pages);
    g_test_add_func("/ui/window/waits-are-stepped-through-from-any-page",
                    test_waits_are_stepped_through_from_any_page);
    g_test_add_func("/ui/window/cards-lead-to-rows", test_cards_lead_to_rows);
    g_test_add_func("/ui/window/all-of-an-empty-page-can-be-read",
                    test_all_of_an_empty_page_can_be_read);
    g_test_add_func("/ui/window/a-page-without-rows-has-the-focus-on-its-tab",
                    test_a_page_without_rows_has_the_focus_on_its_tab);
    g_test_add_func("/ui/window/menus-are-for-the-keyboard-too",
                    test_menus_are_for_the_keyboard_too);
    g_test_add_func("/ui/window/the-verdict-leads-to-its-proof",
                    test_the_verdict_leads_to_its_proof);
    g_test_add_func("/ui/window/english-runs-from-left-to-right",
                    test_english_runs_from_left_to_right);
    g_test_add_func("/ui/window/the-scope-is-told-in-whole-lines",
                    test_the_scope_is_told_in_whole_lines);
    g_test_add_func("/ui/window/pages-end-in-the-window", test_pages_end_in_the_window);
    g_test_add_func("/ui/window/titles-of-charts-fit", test_titles_of_charts_fit);
    g_test_add_func("/ui/window/the-focus-goes-where-one-looks",
                    test_the_focus_goes_where_one_looks);
    g_test_add_func("/ui/window/groups-are-named-in-full", test_groups_are_named_in_full);
    g_test_add_func("/ui/window/every-page-has-room", test_every_page_has_room);
    g_test_add_func("/ui/window/what-is-computed-is-told", test_what_is_computed_is_told);
    g_test_add_func("/ui/window/the-summary-begins-at-its-top", test_the_summary_begins_at_its_top);
    g_test_add_func("/ui/window/the-page-gets-what-the-window-gains",
                    test_the_page_gets_what_the_window_gains);
    g_test_add_func("/ui/window/the-side-comes-back-with-the-room",
                    test_the_side_comes_back_with_the_room);
    g_test_add_func("/ui/window/only-what-was-chosen-is-kept", test_only_what_was_chosen_is_kept);
    g_test_add_func("/ui/window/follows-the-theme-and-its-letters",
                    test_follows_the_theme_and_its_letters);
    g_test_add_func("/ui/window/tab-goes-round", test_tab_goes_round);
    g_test_add_func("/ui/window/a-hidden-widget-leaves-the-focus-to-one-that-is-seen",
                    test_a_hidden_widget_leaves_the_focus_to_one_that_is_seen);
    g_test_add_func("/ui/window/escape-leaves-the-focus-on-what-is-seen",
                    test_escape_leaves_the_focus_on_what_is_seen);
    g_test_add_func("/ui/window/bands-are-named-in-short", test_bands_are_named_in_short);
    g_test_add_func("/ui/window/the-focus-is-seen-where-it-is-painted",
                    test_the_focus_is_seen_where_it_is_painted);
    g_test_add_func("/ui/window/the-start-is-for-the-keyboard", test_the_start_is_for_the_keyboard);
    g_test_add_func("/ui/window/a-click-on-a-title-sorts-by-it-alone",
                    test_a_click_on_a_title_sorts_by_it_alone);
    g_test_add_func("/ui/window/the-first-row-is-meant-until-another-is",
                    test_the_first_row_is_meant_until_another_is);
    g_test_add_func("/ui/window/pages-by-keyboard", test_pages_by_keyboard);
    g_test_add_func("/ui/window/widgets-have-roles-and-names", test_widgets_have_roles_and_names);
    g_test_add_func("/ui/window/the-chart-has-a-menu", test_the_chart_has_a_menu);
    g_test_add_func("/ui/window/nothing-is-pointed-at-under-a-menu",
                    test_nothing_is_pointed_at_under_a_menu);
    g_test_add_func("/ui/window/the-search-counts", test_the_search_counts);
    g_test_add_func("/ui/window/rows-and-bands-are-said", test_rows_and_bands_are_said);
    g_test_add_func("/ui/window/bad-files-say-what-is-wrong", test_bad_files_say_what_is_wrong);
    g_test_add_func("/ui/window/a-torn-file-is-shown-with-a-word",
                    test_a_torn_file_is_shown_with_a_word);
    g_test_add_func("/ui/window/a-pipe-is-kept", test_a_pipe_is_kept);
    g_test_add_func("/ui/window/nothing-nameless-is-a-finding", test_nothing_nameless_is_a_finding);
    g_test_add_func("/ui/window/nothing-known-is-not-zero", test_nothing_known_is_not_zero);
    g_test_add_func("/ui/window/a-file-with-nothing-whole-says-so",
                    test_a_file_with_nothing_whole_says_so);
    g_test_add_func("/ui/live/a-jvm-without-a-recorder-is-attached",
                    test_a_jvm_without_a_recorder_is_attached);
    g_test_add_func("/ui/live/a-running-jvm-is-followed", test_a_running_jvm_is_followed);
    g_test_add_func("/ui/live/following-is-cheap", test_following_is_cheap);
    g_test_add_func("/ui/live/the-newest-is-followed", test_the_newest_is_followed);
    g_test_add_func("/ui/live/a-jvm-elsewhere-is-followed", test_a_jvm_elsewhere_is_followed);
    g_test_add_func("/ui/live/a-jvm-without-a-file-is-followed",
                    test_a_jvm_without_a_file_is_followed);
    g_test_add_func("/ui/live/a-jvm-is-one-row-whatever-it-is-called",
                    test_a_jvm_is_one_row_whatever_it_is_called);
    g_test_add_func("/ui/window/what-is-copied-is-shown-and-does-nothing",
                    test_what_is_copied_is_shown_and_does_nothing);
    g_test_add_func("/ui/window/what-is-said-disappears", test_what_is_said_disappears);
    g_test_add_func("/ui/window/the-end-of-a-long-recording-comes-first",
                    test_the_end_of_a_long_recording_comes_first);
    g_test_add_func("/ui/window/a-stop-too-late-loses-nothing", test_a_stop_too_late_loses_nothing);
    g_test_add_func("/ui/window/reading-can-be-stopped", test_reading_can_be_stopped);
    g_test_add_func("/ui/window/what-was-read-is-told", test_what_was_read_is_told);
    g_test_add_func("/ui/window/the-focus-stays-on-its-card", test_the_focus_stays_on_its_card);
    g_test_add_func("/ui/window/the-rest-is-read-from-its-top", test_the_rest_is_read_from_its_top);
    g_test_add_func("/ui/window/a-dialog-is-shown-once", test_a_dialog_is_shown_once);
    g_test_add_func("/ui/window/a-picture-of-it", test_a_picture_of_the_window);
    g_test_add_func("/ui/window/a-picture-is-of-what-is-still-to-be-drawn",
                    test_a_picture_is_of_what_is_still_to_be_drawn);
    int status = g_test_run();
    pm_remove_folder(folder);
    return status;
}
