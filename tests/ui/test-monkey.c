/* A monkey at the window: clicks, drags, turns the wheel and presses keys at random, through the X
 * server as a user does. Nothing may be warned of, the focus is always on a widget that is in the
 * window, and at the end keys still do what they should.
 *
 *   test-ui-monkey [RUNS ACTIONS [SEED [RECORDING | PID…]]]   as few as a CI can wait for without;
 *   recordings and followed JVMs in place of the ones made for it */
#include <gdk/x11/gdkx.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/ui/drive.h"
#include "tests/ui/showcase.h"
#include "viewer/ui/grid/grid.h"

#define EDGE_PX 16

static const char *const recordings[] = {"hot-lock", "deadlock", "pool",   "quiet",
                                         "crowd",    "leak",     "dropped"};

/* Neither closes the window nor opens a file chooser. Those for lists come more often. */
static const char *const keys[] = {
    "Down",
    "Down",
    "Up",
    "Return",
    "plus",
    "minus",
    "Left",
    "Right",
    "Page_Down",
    "Page_Up",
    "Home",
    "End",
    "Tab",
    "Tab",
    "shift+Tab",
    "F6",
    "shift+F6",
    "F9",
    "alt+1",
    "alt+2",
    "alt+2",
    "alt+2",
    "alt+3",
    "alt+4",
    "alt+5",
    "alt+6",
    "alt+Left",
    "alt+Right",
    "f",
    "x",
    "shift+f",
    "i",
    "Escape",
    "w",
    "s",
    "a",
    "d",
    "bracketleft",
    "bracketright",
    "o",
    "u",
    "b",
    "space",
    "ctrl+f",
    "ctrl+g",
    "ctrl+0",
    "ctrl+plus",
    "ctrl+minus",
    "ctrl+c",
    "shift+Left",
    "shift+Right",
    "F10",
    "ctrl+l",
    "ctrl+shift+c",
    "ctrl+shift+Left",
};

static char *folder;
static guint n_runs = 2, n_actions = 60, first_seed = 1;
static char **given; /* recordings and pids */
static guint n_given;
static int hand, touch; /* xdotool's input and output */
static GString *done;   /* the last actions, to be told when something is wrong */

typedef struct {
    PmWindow *window;
    GRand *random;
} Monkey;

static void take_xdotool(void)
{
    char *arguments[] = {(char *)"xdotool", (char *)"-", NULL};

    g_assert_true(g_spawn_async_with_pipes(NULL, arguments, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL,
                                           NULL, &hand, &touch, NULL, NULL));
}

static void leave_xdotool(void)
{
    close(hand);
    close(touch);
}

G_GNUC_PRINTF(1, 2) static void do_it(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_autofree char *command = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_string_append_printf(done, "%s\n", command);
    /* Its answer comes when the server has done all before. */
    g_autofree char *lines = g_strconcat(command, "\ngetmouselocation\n", NULL);
    g_assert_cmpint(write(hand, lines, strlen(lines)), ==, (gssize)strlen(lines));
    char answer[256];
    GPollFD answers = {.fd = touch, .events = G_IO_IN};
    while (g_poll(&answers, 1, 0) == 0)
        if (!g_main_context_iteration(NULL, FALSE))
            g_usleep(1000);
    if (read(touch, answer, sizeof answer) <= 0) {
        /* It looked at the window below, and ended as that was just closed. */
        leave_xdotool();
        take_xdotool();
    }
    gdk_display_sync(gdk_display_get_default());
}

static guint any_of(Monkey *monkey, guint n)
{
    return (guint)g_rand_int_range(monkey->random, 0, (gint32)n);
}

/* Mostly as fast as fingers are, sometimes until all is shown. */
static void wait_a_while(Monkey *monkey)
{
    if (any_of(monkey, 6))
        drive_spin(any_of(monkey, 20));
    else
        drive_settle(monkey->window);
}

/* Not what opens another window, closes this one or, at its edge, asks a window manager. */
static gboolean is_for_monkeys(Monkey *monkey, double x, double y)
{
    GtkWidget *window = GTK_WIDGET(monkey->window);
    GtkWidget *picked = gtk_widget_pick(window, x, y, GTK_PICK_DEFAULT | GTK_PICK_INSENSITIVE);
    GtkWidget *header = gtk_window_get_titlebar(GTK_WINDOW(window));

    return MIN(x, y) >= EDGE_PX && x < gtk_widget_get_width(window) - EDGE_PX &&
           y < gtk_widget_get_height(window) - EDGE_PX && picked && picked != header &&
           !gtk_widget_is_ancestor(picked, header);
}

static void click(Monkey *monkey, double x, double y, int button, int times)
{
    if (is_for_monkeys(monkey, x, y))
        do_it("mousemove %d %d click --repeat %d --delay 20 %d", (int)x, (int)y, times, button);
}

static void click_widget(Monkey *monkey, GtkWidget *widget)
{
    graphene_rect_t bounds;

    if (widget && gtk_widget_compute_bounds(widget, GTK_WIDGET(monkey->window), &bounds))
        click(monkey, bounds.origin.x + bounds.size.width / 2,
              bounds.origin.y + bounds.size.height / 2, 1, 1);
}

static void collect(GtkWidget *widget, GType type, GPtrArray *found)
{
    if (!gtk_widget_get_mapped(widget) || GTK_IS_POPOVER(widget))
        return;
    if (G_TYPE_CHECK_INSTANCE_TYPE(widget, type))
        g_ptr_array_add(found, widget);
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
         child = gtk_widget_get_next_sibling(child))
        collect(child, type, found);
}

/* One of that type which can be seen; NULL = none. */
static GtkWidget *any_widget(Monkey *monkey, GType type)
{
    g_autoptr(GPtrArray) found = g_ptr_array_new();

    collect(GTK_WIDGET(monkey->window), type, found);
    return found->len ? found->pdata[any_of(monkey, found->len)] : NULL;
}

static void click_row(Monkey *monkey)
{
    GtkWidget *grid = any_widget(monkey, PM_TYPE_GRID);
    graphene_rect_t bounds;

    if (!grid || !gtk_widget_compute_bounds(grid, GTK_WIDGET(monkey->window), &bounds) ||
        bounds.size.width < 1 || bounds.size.height < 1)
        return;
    click(monkey, bounds.origin.x + any_of(monkey, (guint)bounds.size.width),
          bounds.origin.y + any_of(monkey, (guint)bounds.size.height), 1,
          1 + (any_of(monkey, 5) == 0));
}

static void act(Monkey *monkey)
{
    const guint width = (guint)gtk_widget_get_width(GTK_WIDGET(monkey->window));
    const guint height = (guint)gtk_widget_get_height(GTK_WIDGET(monkey->window));
    const guint x = any_of(monkey, width), y = any_of(monkey, height);

    switch (any_of(monkey, 10)) {
    case 0:
    case 1:
        click_row(monkey);
        break;
    case 2:
        click_widget(monkey, any_widget(monkey, GTK_TYPE_BUTTON));
        break;
    case 3:
        click(monkey, x, y, any_of(monkey, 4) ? 1 : 3, 1 + any_of(monkey, 2));
        break;
    case 4:
        do_it("mousemove %u %u click %u", x, y, 4 + any_of(monkey, 2));
        break;
    case 5:
        if (is_for_monkeys(monkey, x, y))
            do_it("mousemove %u %u mousedown 1 mousemove %u %u mousemove %u %u mouseup 1", x, y,
                  any_of(monkey, width), y, any_of(monkey, width), y);
        break;
    default:
        do_it("key %s", keys[any_of(monkey, G_N_ELEMENTS(keys))]);
    }
    wait_a_while(monkey);
}

/* Dialogs that a key or a button opened: as a user does, as those of GTK are not ours to destroy.
 */
static void close_others(Monkey *monkey)
{
    GListModel *all = gtk_window_get_toplevels();

    for (guint i = g_list_model_get_n_items(all); i-- > 0;) {
        g_autoptr(GtkWindow) window = g_list_model_get_item(all, i);
        if (window != GTK_WINDOW(monkey->window) && gtk_widget_get_visible(GTK_WIDGET(window))) {
            gtk_window_close(window);
            drive_take_focus(monkey->window);
        }
    }
}

/* A row that is scrolled out of its list is not mapped. */
static gboolean is_inside(Monkey *monkey, GtkWidget *focus)
{
    return focus && gtk_widget_get_root(focus) == GTK_ROOT(monkey->window) &&
           gtk_widget_get_mapped(gtk_widget_get_parent(focus));
}

/* What was warned of, where the focus is, and what was done last. */
static void fail(Monkey *monkey)
{
    GtkWidget *focus = gtk_window_get_focus(GTK_WINDOW(monkey->window));

    g_print("# %s%s (%s, %s%s): after\n# ", drive_said(),
            focus ? G_OBJECT_TYPE_NAME(focus) : "no focus",
            focus && gtk_widget_get_root(focus) ? "in a window" : "in no window",
            focus && gtk_widget_get_mapped(focus) ? "seen" : "not seen",
            gtk_window_is_active(GTK_WINDOW(monkey->window)) ? "" : ", not active");
    for (GtkWidget *above = focus; above; above = gtk_widget_get_parent(above))
        g_print("%s “%s”%s%s < ", G_OBJECT_TYPE_NAME(above),
                GTK_IS_BUTTON(above) ? gtk_button_get_label(GTK_BUTTON(above)) : "",
                gtk_widget_get_visible(above) ? "" : " hidden",
                gtk_widget_get_mapped(above) ? "" : " not mapped");
    g_print("\n# ");
    g_auto(GStrv) lines = g_strsplit(done->str, "\n", -1);
    const guint n = g_strv_length(lines);
    for (guint i = n > 12 ? n - 12 : 0; i < n; i++)
        g_print("%s; ", lines[i]);
    g_print("\n");
    g_test_fail();
}

static void check(Monkey *monkey)
{
    GtkWindow *window = GTK_WINDOW(monkey->window);

    /* What took it away may have been shown this moment: the window mends it before the next event.
     */
    for (int i = 0; i < 3 && !is_inside(monkey, gtk_window_get_focus(window)); i++)
        g_main_context_iteration(NULL, FALSE);
    if (!is_inside(monkey, gtk_window_get_focus(window)) || *drive_said())
        fail(monkey);
}

/* Alt and a number still lead to a page, Down to a row of its table. */
static void check_keyboard(Monkey *monkey)
{
    PmState *state = pm_window_get_state(monkey->window);

    for (int i = 0; i < 4; i++) {
        do_it("key Escape");
        drive_spin(50);
    }
    close_others(monkey);
    const PmPage page = pm_state_get_page(state) == PM_PAGE_TREE ? PM_PAGE_THREADS : PM_PAGE_TREE;
    for (int tries = 0; tries < 50 && pm_state_get_page(state) != page; tries++) {
        do_it("key alt+%d", (int)page + 1);
        drive_spin(100);
    }
    g_assert_cmpint(pm_state_get_page(state), ==, page);
    drive_settle(monkey->window);
    GtkWidget *grid = drive_find_mapped(GTK_WIDGET(monkey->window), PM_TYPE_GRID);
    if (!grid || pm_grid_n_rows(PM_GRID(grid)) < 2)
        return; /* what is left after all filters */
    gpointer items[32];
    for (int tries = 0; tries < 50; tries++) {
        pm_grid_select(PM_GRID(grid), NULL, 0);
        do_it("key Down");
        drive_spin(100);
        if (pm_grid_get_selected(PM_GRID(grid), items, G_N_ELEMENTS(items)))
            return;
    }
    fail(monkey);
}

static PmWindow *open_made(guint seed)
{
    const char *kind = recordings[seed % G_N_ELEMENTS(recordings)];
    g_autofree char *path = g_strdup_printf("%s/%s.park", folder, kind);

    g_test_message("run %u: %s", seed, kind);
    if (!g_file_test(path, G_FILE_TEST_EXISTS))
        g_assert_true(pm_showcase_write(kind, path));
    return drive_open(path);
}

static PmWindow *open_given(guint seed)
{
    const char *what = given[seed % n_given];
    const gint64 pid = g_ascii_strtoll(what, NULL, 10);

    g_test_message("run %u: %s", seed, what);
    if (pid <= 0)
        return drive_open(what);
    PmWindow *window = drive_open(NULL);
    pm_window_follow(window, (guint)pid, NULL);
    UNTIL(pm_state_get_recording(pm_window_get_state(window)));
    return window;
}

static void run(guint seed)
{
    Monkey monkey = {.random = g_rand_new_with_seed(seed)};

    g_string_assign(done, "");
    monkey.window = n_given ? open_given(seed) : open_made(seed);
    GtkSettings *settings = gtk_widget_get_settings(GTK_WIDGET(monkey.window));
    gtk_settings_reset_property(settings, "gtk-font-name");
    if (seed % 3 == 2) { /* too small for page and detail pane at once */
        g_object_set(settings, "gtk-font-name", "Sans 13", NULL);
        gtk_window_set_default_size(GTK_WINDOW(monkey.window), 800, 600);
        drive_settle(monkey.window);
    }
    if (!drive_take_focus(monkey.window)) {
        g_test_skip("this X server gives the window no focus");
    } else {
        do_it("key alt+2");
        const gulong id =
            gdk_x11_surface_get_xid(gtk_native_get_surface(GTK_NATIVE(monkey.window)));
        for (guint i = 0; i < n_actions && !g_test_failed(); i++) {
            /* Coordinates are those of the screen; without a window manager X lets it be dragged.
             */
            do_it("windowmove %lu 0 0", id);
            act(&monkey);
            close_others(&monkey);
            if (i % 8 == 7)
                drive_settle(monkey.window);
            check(&monkey);
        }
        if (!g_test_failed())
            check_keyboard(&monkey);
    }
    drive_close(monkey.window);
    g_rand_free(monkey.random);
}

static void test_whatever_is_done(void)
{
    g_autofree char *xdotool = g_find_program_in_path("xdotool");

    if (!xdotool) {
        g_test_skip("no xdotool on this machine");
        return;
    }
    take_xdotool();
    for (guint i = 0; i < n_runs && !g_test_failed(); i++)
        run(first_seed + i);
    leave_xdotool();
}

int main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;

    if (!drive_init(&argc, &argv))
        return 0;
    if (argc > 2) {
        n_runs = (guint)atoi(argv[1]);
        n_actions = (guint)atoi(argv[2]);
    }
    if (argc > 3)
        first_seed = (guint)atoi(argv[3]);
    if (argc > 4) {
        given = argv + 4;
        n_given = (guint)argc - 4;
    }
    folder = g_dir_make_tmp("pm-monkey-XXXXXX", &error);
    g_assert_no_error(error);
    done = g_string_new(NULL);
    g_test_add_func("/ui/monkey/whatever-is-done-keys-work", test_whatever_is_done);
    const int status = g_test_run();
    for (guint i = 0; i < G_N_ELEMENTS(recordings); i++) {
        g_autofree char *path = g_strdup_printf("%s/%s.park", folder, recordings[i]);
        g_unlink(path);
    }
    g_rmdir(folder);
    return status;
}
