/* bench-window FILE: the window on a big recording. Prints one JSON object: how long until the
 * first outline, the first picture, the tree and every number (of the end, where that is shown
 * first, and of all), what a frame costs while panning, zooming, dragging a range, and on the
 * Threads page, and the memory; beside what has a budget (for 100 million waits on two cores), the
 * budget. A frame's cost is what the program does in it, from
 * the frame clock's before-paint to its after-paint; waiting for the next tick is not in it.
 *
 *   tests/ui/with-display build/tests/bench/bench-window ten-million.park */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "viewer/analysis/base/region.h"
#include "viewer/ui/grid/grid.h"
#include "viewer/ui/window/window-actions.h"

#define FRAMES 120

#define BUDGET_OVERVIEW_MS  300
#define BUDGET_TREE_MS      5000
#define BUDGET_NUMBERS_MS   15000
#define BUDGET_DRAG_MS      1000
#define BUDGET_MEMORY_BYTES G_GINT64_CONSTANT(1500000000)
#define BUDGET_FRAME_MS     16.6

typedef struct {
    double began, cpu_began;
    double *costs_ms, *cpus_ms;
    guint n;
} Frames;

static double now_ms(void)
{
    return (double)g_get_monotonic_time() / 1000;
}

/* Of all threads: what the wall clock shows on one idle core, and less on more of them. */
static double all_cpu_ms(void)
{
    struct timespec time;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

/* Of this thread alone: a busy machine does not make a frame cost more. */
static double cpu_ms(void)
{
    struct timespec time;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static void before_cb(GdkFrameClock *clock, gpointer data)
{
    ((Frames *)data)->began = now_ms();
    ((Frames *)data)->cpu_began = cpu_ms();
}

static void after_cb(GdkFrameClock *clock, gpointer data)
{
    Frames *frames = data;

    if (frames->costs_ms && frames->n < FRAMES) {
        frames->cpus_ms[frames->n] = cpu_ms() - frames->cpu_began;
        frames->costs_ms[frames->n++] = now_ms() - frames->began;
    }
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* One value of /proc/self/status, in bytes; 0 where there is none. */
static gint64 status_bytes(const char *name)
{
    g_autofree char *text = NULL;

    if (!g_file_get_contents("/proc/self/status", &text, NULL, NULL))
        return 0;
    const char *line = strstr(text, name);
    return line ? g_ascii_strtoll(line + strlen(name) + 1, NULL, 10) * 1024 : 0;
}

/* The share of an outline's slices of which something is shown. */
static double outline_shown(const PmOutline *outline)
{
    guint n = 0;

    for (guint i = 0; i < outline->n; i++)
        n += outline->means[i] >= 0;
    return (double)n / outline->n;
}

typedef void (*Move)(PmWindow *window, guint step);

static void pan(PmWindow *window, guint step)
{
    pm_state_pan(pm_window_get_state(window), step % 60 < 30 ? 0.03 : -0.03);
}

static void zoom(PmWindow *window, guint step)
{
    PmState *state = pm_window_get_state(window);
    gint64 from, to;

    pm_state_get_whole(state, &from, &to);
    pm_state_zoom(state, step % 60 < 30 ? 0.8 : 1.25, from + (to - from) / 3);
}

static void drag(PmWindow *window, guint step)
{
    PmState *state = pm_window_get_state(window);
    gint64 from, to;

    pm_state_get_whole(state, &from, &to);
    pm_state_set_range(state, from + (to - from) / 4,
                       from + (to - from) / 4 + (to - from) * (step + 1) / (2 * FRAMES));
}

static GtkWidget *find_grid(GtkWidget *root)
{
    if (PM_IS_GRID(root) && gtk_widget_get_mapped(root))
        return root;
    for (GtkWidget *child = gtk_widget_get_first_child(root); child;
         child = gtk_widget_get_next_sibling(child)) {
        GtkWidget *found = find_grid(child);
        if (found)
            return found;
    }
    return NULL;
}

static void point(PmWindow *window, guint step)
{
    PmState *state = pm_window_get_state(window);
    gint64 from, to;

    pm_state_get_visible(state, &from, &to);
    pm_state_set_pointed(state, from + (to - from) * step / FRAMES);
}

/* By a screen each time, back from the ends: all rows are other ones. */
static void scroll(PmWindow *window, guint step)
{
    GtkWidget *scroller = gtk_widget_get_first_child(find_grid(GTK_WIDGET(window)));
    GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(scroller));
    const double screen = gtk_adjustment_get_page_size(adjustment),
                 last = gtk_adjustment_get_upper(adjustment) - screen;
    static gboolean up;

    up = up ? gtk_adjustment_get_value(adjustment) > 0
            : gtk_adjustment_get_value(adjustment) >= last;
    gtk_adjustment_set_value(adjustment,
                             gtk_adjustment_get_value(adjustment) + (up ? -screen : screen));
}

static void measure(PmWindow *window, Frames *frames, const char *name, double budget, Move move)
{
    double costs[FRAMES], cpus[FRAMES];
    guint step = 0, last = 0;

    frames->n = 0;
    frames->costs_ms = costs;
    frames->cpus_ms = cpus;
    while (frames->n < FRAMES) {
        if (step == 0 || frames->n != last) {
            last = frames->n;
            move(window, step++);
        }
        g_main_context_iteration(NULL, TRUE);
    }
    frames->costs_ms = NULL;
    qsort(costs, FRAMES, sizeof *costs, compare);
    qsort(cpus, FRAMES, sizeof *cpus, compare);
    printf(",\n \"%s_frame_ms\": {\"median\": %.2f, \"p95\": %.2f, \"max\": %.2f, \"cpu_median\": "
           "%.2f, \"cpu_p95\": %.2f, \"n\": %d, \"budget\": %.1f}",
           name, costs[FRAMES / 2], costs[FRAMES * 95 / 100], costs[FRAMES - 1], cpus[FRAMES / 2],
           cpus[FRAMES * 95 / 100], FRAMES, budget);
}

/* On the Threads page with the biggest group open: its lanes follow the pointer and the time, and
 * its rows come and go. */
static void measure_lanes(PmWindow *window, Frames *frames)
{
    PmState *state = pm_window_get_state(window);
    GtkWidget *grid;

    pm_state_set_page(state, PM_PAGE_THREADS);
    while (!(grid = find_grid(GTK_WIDGET(window))) || !pm_grid_n_rows(PM_GRID(grid)))
        g_main_context_iteration(NULL, TRUE);
    for (guint i = pm_grid_n_rows(PM_GRID(grid)); i-- > 0;)
        pm_grid_set_expanded(PM_GRID(grid), i, TRUE);
    gtk_test_widget_wait_for_draw(GTK_WIDGET(window));
    printf(",\n \"thread_rows\": %u", pm_grid_n_rows(PM_GRID(grid)));
    measure(window, frames, "point", BUDGET_FRAME_MS, point);
    measure(window, frames, "scroll", BUDGET_FRAME_MS, scroll);
    measure(window, frames, "lanes_pan", BUDGET_FRAME_MS, pan);
}

int main(int argc, char **argv)
{
    Frames frames = {0};
    g_autoptr(GError) error = NULL;

    if (argc != 2) {
        fprintf(stderr, "usage: bench-window FILE\n");
        return 2;
    }
    if (!gtk_init_check()) {
        fprintf(stderr, "bench-window: no display; run it under tests/ui/with-display\n");
        return 77;
    }
    g_autoptr(GtkApplication) application =
        gtk_application_new("org.parkmeter.ParkmeterBench", G_APPLICATION_NON_UNIQUE);
    if (!g_application_register(G_APPLICATION(application), NULL, &error)) {
        fprintf(stderr, "bench-window: %s\n", error->message);
        return 1;
    }
    PmWindow *window = pm_window_new(application);
    PmState *state = pm_window_get_state(window);
    pm_window_actions_add(window);
    gtk_window_set_default_size(GTK_WINDOW(window), 1280, 800);
    gtk_window_present(GTK_WINDOW(window));
    gtk_test_widget_wait_for_draw(GTK_WIDGET(window));
    gint64 empty_bytes = status_bytes("VmRSS:");

    g_autoptr(GFile) file = g_file_new_for_path(argv[1]);
    double begin = now_ms(), outline = 0, whole_outline = 0, loaded = 0, picture = 0, numbers = 0,
           tree = 0, shown = 0, end_tree = 0, end_numbers = 0;
    gint64 loaded_peak_bytes = 0;
    double cpu_begin = all_cpu_ms(), cpu_loaded = 0, cpu_picture = 0, cpu_numbers = 0;
    pm_window_open(window, file);
    while (numbers == 0) {
        g_main_context_iteration(NULL, TRUE);
        const PmLoading *loading = pm_state_get_loading(state);
        if (loading->state == PM_LOADING_FAILED) {
            fprintf(stderr, "bench-window: %s\n", loading->error->message);
            return 1;
        }
        if (loading->outline && (outline == 0 || (whole_outline == 0 && //
                                                  loading->outline->part >= 1))) {
            gtk_test_widget_wait_for_draw(GTK_WIDGET(window));
            if (outline == 0) { /* what is on the screen by now may be newer */
                outline = now_ms();
                shown = loading->outline ? outline_shown(loading->outline) : 1;
            }
            if (loading->outline && loading->outline->part >= 1)
                whole_outline = now_ms();
        }
        if (loading->end_only) { /* all of it is not there before its numbers are */
            const PmResults *of_end = pm_state_get_tree_results(state);
            if (end_tree == 0 && of_end && of_end->tree)
                end_tree = now_ms();
            if (end_numbers == 0 && pm_state_get_results(state) && !pm_state_is_busy(state))
                end_numbers = now_ms();
            continue;
        }
        if (loaded == 0 && pm_state_get_recording(state)) {
            loaded = now_ms();
            loaded_peak_bytes = status_bytes("VmHWM:");
            cpu_loaded = all_cpu_ms();
        }
        if (picture == 0 && pm_state_get_curves(state)) {
            gtk_widget_queue_draw(GTK_WIDGET(window));
            gtk_test_widget_wait_for_draw(GTK_WIDGET(window));
            picture = now_ms();
            cpu_picture = all_cpu_ms();
        }
        if (tree == 0 && pm_state_get_tree_results(state))
            tree = now_ms();
        if (picture > 0 && pm_state_get_results(state) && !pm_state_is_busy(state)) {
            numbers = now_ms();
            cpu_numbers = all_cpu_ms();
        }
    }
    PmRecording *recording = pm_state_get_recording(state);
    printf(
        "{\"bench\": \"window\", \"waits\": %zu, \"file_bytes\": %" G_GUINT64_FORMAT
        ",\n \"overview_ms\": {\"first\": %.0f, \"shown\": %.2f, \"exact\": %.0f, \"budget\": %d}"
        ",\n \"of_the_end_ms\": {\"tree\": %.0f, \"all_numbers\": %.0f}"
        ",\n \"tree_ms\": {\"value\": %.0f, \"budget\": %d}"
        ",\n \"loaded_ms\": %.0f, \"first_picture_ms\": %.0f, \"all_numbers_ms\": {\"value\": "
        "%.0f, "
        "\"budget\": %d}"
        ",\n \"loaded_cpu_ms\": %.0f, \"first_picture_cpu_ms\": %.0f, \"all_numbers_cpu_ms\": %.0f",
        recording->waits.n, recording->facts.file_bytes, MAX(outline - begin, 0), shown,
        MAX(whole_outline - begin, 0), BUDGET_OVERVIEW_MS, MAX(end_tree - begin, 0),
        MAX(end_numbers - begin, 0), tree - begin, BUDGET_TREE_MS, loaded - begin, picture - begin,
        numbers - begin, BUDGET_NUMBERS_MS, cpu_loaded - cpu_begin, cpu_picture - cpu_begin,
        cpu_numbers - cpu_begin);
    gint64 from, to;
    pm_state_get_whole(state, &from, &to);
    GdkFrameClock *clock = gtk_widget_get_frame_clock(GTK_WIDGET(window));
    g_signal_connect(clock, "before-paint", G_CALLBACK(before_cb), &frames);
    g_signal_connect(clock, "after-paint", G_CALLBACK(after_cb), &frames);
    pm_state_set_visible(state, from + (to - from) / 4, from + (to - from) / 2);
    measure(window, &frames, "pan", BUDGET_FRAME_MS, pan);
    measure(window, &frames, "zoom", BUDGET_FRAME_MS, zoom);
    pm_state_set_page(state, PM_PAGE_TREE);
    pm_state_begin_drag(state);
    measure(window, &frames, "drag", BUDGET_FRAME_MS, drag);
    pm_state_end_drag(state);
    double asked = now_ms(), cpu_asked = all_cpu_ms(), tree_there = 0;
    pm_state_get_range(state, &from, &to);
    while (pm_state_is_busy(state)) {
        const PmView *view = pm_state_get_tree_results(state)->view;
        if (tree_there == 0 && view->from == from && view->to == to)
            tree_there = now_ms();
        g_main_context_iteration(NULL, TRUE);
    }
    printf(
        ",\n \"after_drag_tree_ms\": %.0f, \"after_drag_ms\": {\"value\": %.0f, \"budget\": %d}, "
        "\"after_drag_cpu_ms\": %.0f",
        MAX(tree_there - asked, 0), now_ms() - asked, BUDGET_DRAG_MS, all_cpu_ms() - cpu_asked);
    measure_lanes(window, &frames);
    printf(",\n \"memory_bytes\": {\"empty\": %" G_GINT64_FORMAT ", \"resident\": %" G_GINT64_FORMAT
           ", \"peak\": %" G_GINT64_FORMAT ", \"loaded_peak\": %" G_GINT64_FORMAT
           ", \"in_file\": %" G_GUINT64_FORMAT ", \"budget\": %" G_GINT64_FORMAT "}}\n",
           empty_bytes, status_bytes("VmRSS:"), status_bytes("VmHWM:"), loaded_peak_bytes,
           pm_region_file_bytes(), BUDGET_MEMORY_BYTES);
    g_signal_handlers_disconnect_by_data(clock, &frames);
    gtk_window_destroy(GTK_WINDOW(window));
    return 0;
}
