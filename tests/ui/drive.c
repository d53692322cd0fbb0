#include "tests/ui/drive.h"

#include <adwaita.h>
#include <gdk/x11/gdkx.h>
#include <locale.h>
#include <string.h>

#include "viewer/ui/model/job.h"
#include "viewer/ui/model/keys.h"
#include "viewer/ui/widgets/name-label.h"
#include "viewer/ui/window/window-actions.h"

static GtkApplication *application;
static GString *said; /* warnings and criticals of anybody */

/* What a machine without a desktop's services says is no fault of the window, nor is what GTK says
 * of itself when rows are replaced under a turning wheel or a pressed button. */
static gboolean is_of_the_machine(const char *message)
{
    static const char *const of_the_machine[] = {
        "session bus", "portal",    "dconf",  "Vulkan",           "accessibility",     "icon theme",
        "libEGL",      "XSETTINGS", "at-spi", "failed to scroll", "Broken accounting",
    };

    for (guint i = 0; i < G_N_ELEMENTS(of_the_machine); i++)
        if (strstr(message, of_the_machine[i]))
            return TRUE;
    return FALSE;
}

static GLogWriterOutput writer(GLogLevelFlags level, const GLogField *fields, gsize n_fields,
                               gpointer data)
{
    if (level & (G_LOG_LEVEL_WARNING | G_LOG_LEVEL_CRITICAL)) {
        for (gsize i = 0; i < n_fields; i++)
            if (strcmp(fields[i].key, "MESSAGE") == 0 && !is_of_the_machine(fields[i].value))
                g_string_append_printf(said, "%s\n", (const char *)fields[i].value);
    }
    return g_log_writer_default(level, fields, n_fields, data);
}

void drive_spin(guint ms)
{
    gint64 until = g_get_monotonic_time() + ms * 1000;

    while (g_get_monotonic_time() < until)
        if (!g_main_context_iteration(NULL, FALSE))
            g_usleep(1000);
}

static gboolean drawn_cb(GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
    *(gboolean *)data = TRUE;
    return G_SOURCE_CONTINUE;
}

/* A window that X moves for want of a window manager may draw nothing until the next event. */
static void wait_for_frame(PmWindow *window)
{
    const gint64 give_up = g_get_monotonic_time() + 10 * G_USEC_PER_SEC;
    gboolean drawn = FALSE;
    const guint id = gtk_widget_add_tick_callback(GTK_WIDGET(window), drawn_cb, &drawn, NULL);

    gtk_widget_queue_draw(GTK_WIDGET(window));
    while (!drawn && g_get_monotonic_time() < give_up)
        drive_spin(5);
    gtk_widget_remove_tick_callback(GTK_WIDGET(window), id);
}

/* Runs the main loop until the window shows what was asked for. */
void drive_settle(PmWindow *window)
{
    PmState *state = pm_window_get_state(window);

    do {
        drive_spin(5);
    } while (pm_state_get_loading(state)->state == PM_LOADING_READING || pm_state_is_busy(state) ||
             pm_jobs_running() > 0);
    /* However slow the machine: sizes are given and drawn twice, the second time at rest. */
    for (int i = 0; i < 2; i++) {
        wait_for_frame(window);
        drive_spin(5);
    }
}

PmWindow *drive_open(const char *path)
{
    PmWindow *window = pm_window_new(application);

    pm_window_actions_add(window);
    gtk_window_set_default_size(GTK_WINDOW(window), 1280, 800);
    gtk_window_present(GTK_WINDOW(window));
    if (path) {
        g_autoptr(GFile) file = g_file_new_for_path(path);
        pm_window_open(window, file);
    }
    drive_settle(window);
    return window;
}

void drive_close(PmWindow *window)
{
    gtk_window_destroy(GTK_WINDOW(window));
    drive_spin(30);
    g_assert_cmpstr(said->str, ==, "");
}

GtkWidget *drive_find_where(GtkWidget *root, DriveIsIt is_it, gconstpointer data)
{
    if (is_it(root, data))
        return root;
    for (GtkWidget *child = gtk_widget_get_first_child(root); child;
         child = gtk_widget_get_next_sibling(child)) {
        GtkWidget *found = drive_find_where(child, is_it, data);
        if (found)
            return found;
    }
    return NULL;
}

static gboolean is_of_type(GtkWidget *widget, gconstpointer type)
{
    return G_TYPE_CHECK_INSTANCE_TYPE(widget, (GType)type);
}

static gboolean is_mapped_of_type(GtkWidget *widget, gconstpointer type)
{
    return is_of_type(widget, type) && gtk_widget_get_mapped(widget);
}

PmView *drive_view(PmState *state)
{
    g_autoptr(PmFilter) filter = pm_filter_copy(pm_state_get_filter(state));
    gint64 from, to;

    if (pm_state_get_range(state, &from, &to)) {
        filter->from = from;
        filter->to = to;
    }
    return pm_view_new(pm_state_get_recording(state), filter, NULL);
}

GtkWidget *drive_find(GtkWidget *root, GType type)
{
    return drive_find_where(root, is_of_type, (gconstpointer)type);
}

GtkWidget *drive_find_mapped(GtkWidget *root, GType type)
{
    return drive_find_where(root, is_mapped_of_type, (gconstpointer)type);
}

static gboolean holds_text(GtkWidget *widget, gconstpointer text)
{
    const char *shown = GTK_IS_LABEL(widget)       ? gtk_label_get_text(GTK_LABEL(widget))
                        : PM_IS_NAME_LABEL(widget) ? pm_name_label_get_text(PM_NAME_LABEL(widget))
                                                   : NULL;

    return shown && strstr(shown, text);
}

static gboolean shows_text(GtkWidget *widget, gconstpointer text)
{
    return gtk_widget_get_mapped(widget) && holds_text(widget, text);
}

gboolean drive_says(GtkWidget *root, const char *text)
{
    return drive_find_where(root, shows_text, text) != NULL;
}

gboolean drive_holds(GtkWidget *root, const char *text)
{
    return drive_find_where(root, holds_text, text) != NULL;
}

void drive_act(PmWindow *window, const char *action)
{
    g_autofree char *name = NULL;
    g_autoptr(GVariant) target = NULL;

    g_assert_true(g_action_parse_detailed_name(action, &name, &target, NULL));
    g_assert_true(gtk_widget_activate_action_variant(GTK_WIDGET(window), name, target));
}

gboolean drive_take_focus(PmWindow *window)
{
    g_autofree char *xdotool = g_find_program_in_path("xdotool");
    g_autofree char *command =
        g_strdup_printf("xdotool windowfocus %lu",
                        gdk_x11_surface_get_xid(gtk_native_get_surface(GTK_NATIVE(window))));

    for (int tries = 0; xdotool && tries < 50 && !gtk_window_is_active(GTK_WINDOW(window));
         tries++) {
        g_spawn_command_line_sync(command, NULL, NULL, NULL, NULL);
        drive_spin(200);
    }
    return gtk_window_is_active(GTK_WINDOW(window));
}

const char *drive_said(void)
{
    return said->str;
}

gboolean drive_look(void)
{
    setlocale(LC_ALL, "");
    setlocale(LC_NUMERIC, "C");
    gtk_disable_setlocale();
    if (!gtk_init_check()) {
        g_print("1..0 # SKIP no display\n");
        return FALSE;
    }
    adw_init();
    return TRUE;
}

gboolean drive_init(int *argc, char ***argv)
{
    g_autoptr(GError) error = NULL;

    said = g_string_new(NULL);
    g_log_set_writer_func(writer, NULL, NULL);
    if (!drive_look())
        return FALSE;
    g_test_init(argc, argv, NULL);
    g_log_set_always_fatal(G_LOG_LEVEL_ERROR); /* the writer notes the rest; tests look at it */
    application = gtk_application_new("org.parkmeter.ParkmeterTest", G_APPLICATION_NON_UNIQUE);
    g_assert_true(g_application_register(G_APPLICATION(application), NULL, &error));
    g_assert_no_error(error);
    pm_keys_bind_application(application);
    return TRUE;
}
