/* draw FOLDER NAME LOOK FILE VIEW…: draws views of a recording, of no recording (FILE is -) or of
 * what is none, at each size: FOLDER/NAME-VIEW-SIZE-LETTERS-LOOK.png. The first size is drawn with
 * the size of letters number $PM_LETTERS (0 to 3), the next with the next; without it, each with
 * all. A view is a page, `selected` (the first row of the tree), `range` (four seconds, with idle),
 * `filtered` (by filters that no wait matches), `cancelled` (read in part), `end` (all that is
 * there so far of a long one), `state` (as it is), or what becomes of a JVM that $PM_PARKCTL
 * follows: `following`, `paused`, `trouble`, `ended`. The colours are those of its environment. For
 * `pictures`; one process draws many, as starting takes longer than drawing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/ui/drive.h"
#include "viewer/ui/model/live.h"
#include "viewer/ui/model/loader.h"

#define PID       2217 /* of showcase's recordings */
#define END_WAITS 50000

static const int sizes[][2] = {{800, 600}, {1280, 800}, {1920, 1080}};
static const char *const letters[] = {"10", "12.5", "15", "20"};

static void select_first(PmState *state)
{
    const PmResults *results = pm_state_get_results(state);
    const PmTreeNode *root = results && results->tree ? results->tree->root : NULL;

    if (root && root->n_children)
        pm_state_select_key(state, root->children[0]->aspect, root->children[0]->key);
}

static void filter_all_out(PmState *state)
{
    select_first(state);
    pm_state_filter_selection(state, FALSE);
    select_first(state);
    pm_state_filter_selection(state, TRUE);
}

static void cancel_cb(PmState *state, guint mask, PmWindow *window)
{
    const PmLoading *loading = pm_state_get_loading(state);

    if (loading->state == PM_LOADING_READING && loading->done_bytes > 0)
        pm_window_cancel_load(window);
}

static void open_again(PmWindow *window, const char *path)
{
    g_autoptr(GFile) file = g_file_new_for_path(path);

    pm_window_open(window, file);
}

static void read_in_part(PmWindow *window, const char *path)
{
    PmState *state = pm_window_get_state(window);

    if (pm_state_get_loading(state)->partial)
        return;
    const gulong id = g_signal_connect(state, "changed", G_CALLBACK(cancel_cb), window);
    open_again(window, path);
    drive_settle(window);
    g_signal_handler_disconnect(state, id);
    if (!pm_state_get_loading(state)->partial)
        g_error("it was read before it could be cancelled: a longer recording is needed");
}

/* Its end is shown with all its numbers, while the whole is read. */
static void read_end(PmWindow *window, const char *path)
{
    PmState *state = pm_window_get_state(window);
    const PmLoading *loading = pm_state_get_loading(state);

    pm_loader_end_waits = END_WAITS;
    open_again(window, path);
    while (!loading->end_only)
        g_main_context_iteration(NULL, TRUE);
    while (loading->end_only && pm_state_is_busy(state))
        g_main_context_iteration(NULL, TRUE);
    if (!loading->end_only)
        g_error("all of it was read at once: a longer recording is needed");
}

/* FALSE: the view is of something else. */
static gboolean follow(PmWindow *window, const char *view)
{
    static const struct {
        const char *view;
        PmLiveState live;
        gboolean trouble;
    } views[] = {{"following", PM_LIVE_FOLLOWING, FALSE},
                 {"paused", PM_LIVE_PAUSED, FALSE},
                 {"trouble", PM_LIVE_FOLLOWING, TRUE},
                 {"ended", PM_LIVE_ENDED, FALSE}};
    PmState *state = pm_window_get_state(window);
    guint i = 0;

    while (i < G_N_ELEMENTS(views) && !g_str_equal(view, views[i].view))
        i++;
    if (i == G_N_ELEMENTS(views))
        return FALSE;
    if (pm_state_get_live(state) == PM_LIVE_OFF) {
        pm_live_use_parkctl(g_getenv("PM_PARKCTL"));
        pm_window_follow(window, PID, NULL);
        UNTIL(pm_state_get_recording(state));
        drive_settle(window);
        if (views[i].live == PM_LIVE_PAUSED)
            pm_window_toggle_follow(window);
    }
    UNTIL(pm_state_get_live(state) == views[i].live &&
          (pm_state_get_live_trouble(state) != NULL) == views[i].trouble);
    return TRUE;
}

/* Is made while it is read, which takes long: not to be read before. */
static gboolean is_part(const char *view)
{
    return g_str_equal(view, "cancelled") || g_str_equal(view, "end");
}

static void show(PmWindow *window, const char *path, const char *view)
{
    PmState *state = pm_window_get_state(window);
    const gboolean range = g_str_equal(view, "range"), filtered = g_str_equal(view, "filtered");
    PmPage page = PM_PAGE_TREE;
    gint64 from, to;

    if (g_str_equal(view, "state") || follow(window, view))
        return;
    if (g_str_equal(view, "cancelled")) {
        read_in_part(window, path);
        return;
    }
    if (g_str_equal(view, "end")) {
        read_end(window, path);
        return;
    }
    if (!pm_page_parse(view, &page) && !range && !filtered && !g_str_equal(view, "selected"))
        g_error("unknown view %s", view);
    pm_state_get_whole(state, &from, &to);
    pm_state_clear_filters(state);
    pm_state_set_idle(state, range);
    pm_state_set_range(state, range ? from + 2000000000 : 0, range ? from + 6000000000 : 0);
    pm_state_set_selection(state, NULL);
    pm_state_set_page(state, page);
    drive_settle(window);
    if (filtered)
        filter_all_out(state);
    if (!g_str_equal(view, "selected"))
        return;
    select_first(state);
    pm_state_set_detail(state, TRUE);
}

/* But for its frame: a busy X server takes its time. */
static gboolean has_size(GtkWidget *window, const int *size)
{
    return ABS(gtk_widget_get_width(window) - size[0]) < 40 &&
           ABS(gtk_widget_get_height(window) - size[1]) < 40;
}

int main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;

    if (argc < 6) {
        fprintf(stderr, "usage: draw FOLDER NAME LOOK FILE|- VIEW...\n");
        return 2;
    }
    if (!drive_init(&argc, &argv))
        return 77;
    const char *first_letters = g_getenv("PM_LETTERS");
    for (guint l = 0; l < G_N_ELEMENTS(letters); l++) {
        g_autofree char *font = g_strconcat("Sans ", letters[l], NULL);
        g_object_set(gtk_settings_get_default(), "gtk-font-name", font, "gtk-enable-animations",
                     FALSE, NULL);
        PmWindow *window =
            drive_open(g_str_equal(argv[4], "-") || is_part(argv[5]) ? NULL : argv[4]);
        for (guint s = 0; s < G_N_ELEMENTS(sizes); s++) {
            if (first_letters && (s + atoi(first_letters)) % G_N_ELEMENTS(letters) != l)
                continue;
            gtk_window_set_default_size(GTK_WINDOW(window), sizes[s][0], sizes[s][1]);
            UNTIL(has_size(GTK_WIDGET(window), sizes[s]));
            for (int v = 5; v < argc; v++) {
                g_autofree char *path =
                    g_strdup_printf("%s/%s-%s-%dx%d-%s-%s.png", argv[1], argv[2], argv[v],
                                    sizes[s][0], sizes[s][1], letters[l], argv[3]);
                show(window, argv[4], argv[v]);
                if (!g_str_equal(argv[v], "end")) /* it passes */
                    drive_settle(window);
                if (!pm_window_save_png(window, path, &error))
                    g_error("%s: %s", path, error->message);
            }
        }
        gtk_window_destroy(GTK_WINDOW(window));
    }
    if (*drive_said())
        fputs(drive_said(), stderr);
    return 0;
}
