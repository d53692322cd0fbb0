#include "viewer/ui/window/window-actions.h"

#include "viewer/ui/model/damage.h"
#include "viewer/ui/model/keys.h"
#include "viewer/ui/model/live.h"
#include "viewer/ui/model/settings.h"
#include "viewer/ui/pages/summary-page.h"
#include "viewer/ui/widgets/style.h"
#include "viewer/ui/window/jvm-list.h"

#define ZOOM_STEP 0.5

static PmState *state_of(gpointer data)
{
    return pm_window_get_state(PM_WINDOW(data));
}

/* What is asked for again comes to the front, if the window has it. */
static gboolean is_shown(gpointer parent, const char *title)
{
    GListModel *windows = gtk_window_get_toplevels();

    for (guint i = 0; i < g_list_model_get_n_items(windows); i++) {
        g_autoptr(GtkWindow) window = g_list_model_get_item(windows, i);
        if (gtk_window_get_transient_for(window) != parent ||
            g_strcmp0(gtk_window_get_title(window), title) != 0 ||
            !gtk_widget_get_visible(GTK_WIDGET(window)))
            continue;
        gtk_window_present(window);
        return TRUE;
    }
    return FALSE;
}

/* What becomes of a file that was chosen. */
typedef void (*Chosen)(PmWindow *window, GFile *file);

/* What each kind of chooser is for. GTK 4.8 shows an error of its own if one is destroyed while it
 * reads a folder: they are made once, and hidden when done. */
typedef struct {
    const char *title;
    GtkFileChooserAction action;
    Chosen chosen;
    GtkFileChooserNative *dialog; /* NULL = never asked for */
    PmWindow *window;             /* that asked; NULL = it is hidden */
} Chooser;

static void chooser_leave(Chooser *chooser)
{
    if (!chooser->window)
        return;
    g_signal_handlers_disconnect_by_data(chooser->window, chooser);
    chooser->window = NULL;
    gtk_native_dialog_hide(GTK_NATIVE_DIALOG(chooser->dialog));
    gtk_native_dialog_set_transient_for(GTK_NATIVE_DIALOG(chooser->dialog), NULL);
}

static void chooser_response_cb(GtkNativeDialog *dialog, int response, Chooser *chooser)
{
    PmWindow *window = chooser->window;
    g_autoptr(GFile) file = response == GTK_RESPONSE_ACCEPT
                                ? gtk_file_chooser_get_file(GTK_FILE_CHOOSER(dialog))
                                : NULL;

    chooser_leave(chooser);
    if (window && file)
        chooser->chosen(window, file);
}

static void window_gone_cb(GtkWidget *window, Chooser *chooser)
{
    chooser_leave(chooser);
}

/* Shows it for a window; another one that had it loses it. `name`: that is offered (nullable). */
static void chooser_show(Chooser *chooser, PmWindow *window, const char *name)
{
    if (is_shown(window, chooser->title))
        return;
    chooser_leave(chooser);
    chooser->window = window;
    if (name)
        gtk_file_chooser_set_current_name(GTK_FILE_CHOOSER(chooser->dialog), name);
    g_signal_connect(window, "destroy", G_CALLBACK(window_gone_cb), chooser);
    gtk_native_dialog_set_transient_for(GTK_NATIVE_DIALOG(chooser->dialog), GTK_WINDOW(window));
    gtk_native_dialog_show(GTK_NATIVE_DIALOG(chooser->dialog));
}

/* TRUE: it is new. */
static gboolean chooser_make(Chooser *chooser)
{
    if (chooser->dialog)
        return FALSE;
    chooser->dialog = gtk_file_chooser_native_new(
        chooser->title, NULL, chooser->action,
        chooser->action == GTK_FILE_CHOOSER_ACTION_OPEN ? "_Open" : "_Save", "_Cancel");
    gtk_native_dialog_set_modal(GTK_NATIVE_DIALOG(chooser->dialog), TRUE);
    g_signal_connect(chooser->dialog, "response", G_CALLBACK(chooser_response_cb), chooser);
    return TRUE;
}

static void add_filter(Chooser *chooser, const char *name, const char *const *patterns)
{
    g_autoptr(GtkFileFilter) filter = gtk_file_filter_new();

    gtk_file_filter_set_name(filter, name);
    for (; *patterns; patterns++)
        gtk_file_filter_add_pattern(filter, *patterns);
    gtk_file_chooser_add_filter(GTK_FILE_CHOOSER(chooser->dialog), filter);
}

static void open_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    static Chooser chooser = {"Open a recording", GTK_FILE_CHOOSER_ACTION_OPEN, pm_window_open};

    if (chooser_make(&chooser)) {
        add_filter(&chooser, "Recordings", (const char *const[]){"*.park", "*.park.*", NULL});
        add_filter(&chooser, "All files", (const char *const[]){"*", NULL});
    }
    chooser_show(&chooser, PM_WINDOW(data), NULL);
}

static void open_recent_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    g_autoptr(GFile) file = g_file_new_for_uri(g_variant_get_string(parameter, NULL));

    pm_window_open(PM_WINDOW(data), file);
}

/* What is damaged, by its place in the file. */
static void damage_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    static const char title[] = "Damaged parts of the recording";
    const PmRecording *recording = pm_state_get_recording(state_of(data));

    if (!recording || is_shown(data, title))
        return;
    GtkWidget *dialog =
        gtk_message_dialog_new(GTK_WINDOW(data), GTK_DIALOG_MODAL | GTK_DIALOG_DESTROY_WITH_PARENT,
                               GTK_MESSAGE_INFO, GTK_BUTTONS_CLOSE, "%s", title);
    g_autofree char *text = pm_damage_list(recording);
    gtk_window_set_title(GTK_WINDOW(dialog), title);
    gtk_message_dialog_format_secondary_text(GTK_MESSAGE_DIALOG(dialog), "%s", text);
    g_signal_connect(dialog, "response", G_CALLBACK(gtk_window_destroy), NULL);
    gtk_window_present(GTK_WINDOW(dialog));
}

/* Of a window that may have been closed meanwhile. */
static void complain(GtkWindow *window, const char *title, const GError *error)
{
    if (!gtk_widget_get_realized(GTK_WIDGET(window)))
        return;
    GtkWidget *dialog =
        gtk_message_dialog_new(window, GTK_DIALOG_MODAL | GTK_DIALOG_DESTROY_WITH_PARENT,
                               GTK_MESSAGE_ERROR, GTK_BUTTONS_CLOSE, "%s", title);

    gtk_message_dialog_format_secondary_text(GTK_MESSAGE_DIALOG(dialog), "%s", error->message);
    g_signal_connect(dialog, "response", G_CALLBACK(gtk_window_destroy), NULL);
    gtk_window_present(GTK_WINDOW(dialog));
}

static void copied_cb(GObject *source, GAsyncResult *result, gpointer data)
{
    g_autoptr(GtkWindow) window = data;
    g_autoptr(GError) error = NULL;

    if (source ? !g_file_copy_finish(G_FILE(source), result, &error)
               : !pm_live_keep_finish(result, &error))
        complain(window, "The copy could not be saved", error);
    else if (gtk_widget_get_realized(GTK_WIDGET(window)))
        pm_window_say(PM_WINDOW(window), "Copy saved");
}

static gboolean is_standard_input(const char *path)
{
    return g_str_equal(path, "-");
}

static void keep(PmWindow *window, GFile *to)
{
    const char *path = pm_state_get_loading(state_of(window))->path;

    if (!path)
        return;
    g_autoptr(GFile) from = g_file_new_for_path(path);
    if (pm_state_get_live(state_of(window)) != PM_LIVE_OFF || is_standard_input(path))
        pm_live_keep(path, to, copied_cb, g_object_ref(window));
    else if (!g_file_equal(from, to))
        g_file_copy_async(from, to, G_FILE_COPY_OVERWRITE, G_PRIORITY_DEFAULT, NULL, NULL, NULL,
                          copied_cb, g_object_ref(window));
}

static void save_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    static Chooser chooser = {"Keep a copy of the recording", GTK_FILE_CHOOSER_ACTION_SAVE, keep};
    const PmLoading *loading = pm_state_get_loading(state_of(data));
    g_autofree char *name = !loading->path                     ? NULL
                            : is_standard_input(loading->path) ? g_strdup("recording.park")
                                                               : g_path_get_basename(loading->path);

    chooser_make(&chooser);
    chooser_show(&chooser, PM_WINDOW(data), name);
}

static void save_view(PmWindow *window, GFile *file)
{
    g_autofree char *path = g_file_get_path(file);
    g_autoptr(GError) error = NULL;

    if (!path)
        error = g_error_new_literal(G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED, "It is no local file.");
    if (error || !pm_window_save_png(window, path, &error))
        complain(GTK_WINDOW(window), "The picture could not be saved", error);
    else
        pm_window_say(window, "Picture saved");
}

static void save_view_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    static Chooser chooser = {"Save the view as a picture", GTK_FILE_CHOOSER_ACTION_SAVE,
                              save_view};
    const char *path = pm_state_get_loading(state_of(data))->path;
    const gboolean is_file =
        path && !is_standard_input(path) && pm_state_get_live(state_of(data)) == PM_LIVE_OFF;
    g_autofree char *of = is_file ? g_path_get_basename(path) : g_strdup("parkmeter");

    if (g_str_has_suffix(of, ".park"))
        of[strlen(of) - strlen(".park")] = 0;
    g_autofree char *name =
        g_strdup_printf("%s-%s.png", of, pm_page_name(pm_state_get_page(state_of(data))));
    chooser_make(&chooser);
    chooser_show(&chooser, PM_WINDOW(data), name);
}

static void close_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    gtk_window_close(GTK_WINDOW(data));
}

static void page_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    PmPage page;

    if (pm_page_parse(g_variant_get_string(parameter, NULL), &page)) {
        pm_state_set_page(state_of(data), page);
        pm_window_focus_page(PM_WINDOW(data));
    }
}

static void region_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    gboolean next = g_str_equal(g_action_get_name(G_ACTION(action)), "next-region");

    pm_window_cycle_region(PM_WINDOW(data), next ? 1 : -1);
}

static void detail_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    pm_state_set_detail(state_of(data), !pm_state_get_detail(state_of(data)));
}

static void dark_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    PmSettings settings;

    pm_settings_load(&settings);
    settings.scheme = pm_style_toggle(pm_state_get_dark(state_of(data)));
    pm_settings_save(&settings);
}

static void history_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    if (g_str_equal(g_action_get_name(G_ACTION(action)), "back"))
        pm_state_back(state_of(data));
    else
        pm_state_forward(state_of(data));
}

static void search_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    pm_window_show_find(PM_WINDOW(data), PM_FIND_TEXT);
}

static void search_step_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    gboolean next = g_str_equal(g_action_get_name(G_ACTION(action)), "search-next");

    if (*pm_state_get_search(state_of(data)) == '\0') {
        pm_window_show_find(PM_WINDOW(data), PM_FIND_TEXT);
        return;
    }
    pm_state_search_step(state_of(data), next ? 1 : -1);
}

static void go_to_time_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    pm_window_show_find(PM_WINDOW(data), PM_FIND_TIME);
}

static void zoom_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    gboolean in = g_str_equal(g_action_get_name(G_ACTION(action)), "zoom-in");
    gint64 from, to, range_from, range_to;
    gint64 anchor;

    pm_state_get_visible(state_of(data), &from, &to);
    anchor = from + (to - from) / 2;
    if (pm_state_get_range(state_of(data), &range_from, &range_to)) {
        gint64 middle = range_from + (range_to - range_from) / 2;
        if (middle > from && middle < to)
            anchor = middle;
    }
    pm_state_zoom(state_of(data), in ? ZOOM_STEP : 1 / ZOOM_STEP, anchor);
}

static void whole_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    gint64 from, to;

    pm_state_get_whole(state_of(data), &from, &to);
    pm_state_set_visible(state_of(data), from, to);
}

static void zoom_range_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    gint64 from, to;

    if (pm_state_get_range(state_of(data), &from, &to))
        pm_state_set_visible(state_of(data), from, to);
}

static void clear_range_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    pm_state_set_range(state_of(data), 0, 0);
}

/* Actions that move what is visible, by a part of its width. */
static const struct {
    const char *name;
    double part;
} pans[] = {
    {"pan-left", -0.1},  {"pan-right", 0.1}, {"screen-left", -1},
    {"screen-right", 1}, {"go-begin", -1e9}, {"go-end", 1e9},
};

static void pan_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    PmState *state = state_of(data);
    gint64 from, to, begin, end;

    for (guint i = 0; i < G_N_ELEMENTS(pans); i++) {
        if (!g_str_equal(g_action_get_name(G_ACTION(action)), pans[i].name))
            continue;
        pm_state_get_visible(state, &from, &to);
        pm_state_get_whole(state, &begin, &end);
        if (pans[i].part <= -1e9)
            pm_state_set_visible(state, begin, begin + (to - from));
        else if (pans[i].part >= 1e9)
            pm_state_set_visible(state, end - (to - from), end);
        else
            pm_state_pan(state, pans[i].part);
    }
}

/* Shift and an arrow move the range's edge on that side outwards, by a twentieth of what is
 * visible; without a range they begin one in the middle. */
static void extend_range_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    PmState *state = state_of(data);
    gboolean left = g_str_equal(g_action_get_name(G_ACTION(action)), "range-left");
    gint64 from, to, visible_from, visible_to;

    pm_state_get_visible(state, &visible_from, &visible_to);
    gint64 step = MAX((visible_to - visible_from) / 20, 1);
    if (!pm_state_get_range(state, &from, &to))
        from = to = visible_from + (visible_to - visible_from) / 2;
    pm_state_set_range(state, left ? from - step : from, left ? to : to + step);
}

static void filter_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    gboolean exclude = g_str_equal(g_action_get_name(G_ACTION(action)), "filter-out");

    pm_state_filter_selection(state_of(data), exclude);
}

static void remove_filter_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    guint n = pm_state_n_chips(state_of(data));

    if (n > 0)
        pm_state_remove_chip(state_of(data), n - 1);
}

static void clear_filters_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    pm_state_clear_filters(state_of(data));
}

static void toggle_idle_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    pm_state_set_idle(state_of(data), !pm_state_get_filter(state_of(data))->idle);
}

static void escape_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    PmState *state = state_of(data);
    gint64 from, to;

    if (pm_window_get_find(PM_WINDOW(data)) != PM_FIND_NONE || *pm_state_get_search(state) != '\0')
        pm_window_show_find(PM_WINDOW(data), PM_FIND_NONE);
    else if (pm_state_get_range(state, &from, &to))
        pm_state_set_range(state, 0, 0);
    else
        pm_state_set_selection(state, NULL);
}

/* A deadlock is told on the Summary page, all else by its causes. */
static void show_verdict_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    PmState *state = state_of(data);
    const PmResults *results = pm_state_get_results(state);

    if (!results || !results->findings->n)
        return;
    const PmFinding *first = &results->findings->findings[0];
    if (first->rule == PM_RULE_DEADLOCK && pm_state_get_page(state) != PM_PAGE_SUMMARY)
        pm_state_set_page(state, PM_PAGE_SUMMARY);
    else
        pm_summary_prove(state, first);
    pm_window_focus_page(PM_WINDOW(data));
}

static void shortcuts_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    static const char title[] = "Keyboard shortcuts";

    if (is_shown(data, title))
        return;
    GtkWidget *shortcuts = pm_keys_window_new();
    gtk_window_set_title(GTK_WINDOW(shortcuts), title);
    gtk_window_set_transient_for(GTK_WINDOW(shortcuts), GTK_WINDOW(data));
    gtk_window_set_destroy_with_parent(GTK_WINDOW(shortcuts), TRUE);
    gtk_window_present(GTK_WINDOW(shortcuts));
    g_object_unref(shortcuts);
}

/* The guide, where it is installed. */
static void help_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    if (!g_file_test(PM_GUIDE, G_FILE_TEST_EXISTS)) {
        shortcuts_action(action, parameter, data);
        return;
    }
    g_autofree char *uri = g_filename_to_uri(PM_GUIDE, NULL, NULL);
    gtk_show_uri(GTK_WINDOW(data), uri, GDK_CURRENT_TIME);
}

static void about_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    gtk_show_about_dialog(GTK_WINDOW(data), "program-name", "Parkmeter", "version", PM_VERSION,
                          "logo-icon-name", "org.parkmeter.Parkmeter", "comments",
                          "What threads wait for, for how long, and because of whom.",
                          "license-type", GTK_LICENSE_APACHE_2_0, NULL);
}

static void say_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    pm_window_say(PM_WINDOW(data), g_variant_get_string(parameter, NULL));
}

static void menu_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    pm_window_pop_menu(PM_WINDOW(data));
}

static void fullscreen_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    if (gtk_window_is_fullscreen(GTK_WINDOW(data)))
        gtk_window_unfullscreen(GTK_WINDOW(data));
    else
        gtk_window_fullscreen(GTK_WINDOW(data));
}

/* The detail pane knows the selection's waits; when it was off, it first comes up. */
static void wait_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    pm_state_set_detail(state_of(data), TRUE);
    pm_window_ask_detail(PM_WINDOW(data), g_action_get_name(G_ACTION(action)));
}

static void running_jvms_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    if (!is_shown(data, PM_JVM_LIST_TITLE))
        pm_jvm_list_show(GTK_WINDOW(data), NULL);
}

static void follow_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    const char *via;
    guint pid;

    g_variant_get(parameter, "(u&s)", &pid, &via);
    pm_window_follow(PM_WINDOW(data), pid, via);
}

static void toggle_follow_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    pm_window_toggle_follow(PM_WINDOW(data));
}

static void reload_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    pm_window_reload(PM_WINDOW(data));
}

static void cancel_load_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    pm_window_cancel_load(PM_WINDOW(data));
}

static const GActionEntry entries[] = {
    {"open", open_action},
    {"open-recent", open_recent_action, "s"},
    {"save", save_action},
    {"save-view", save_view_action},
    {"close", close_action},
    {"page", page_action, "s", "'summary'"},
    {"next-region", region_action},
    {"previous-region", region_action},
    {"detail", detail_action, NULL, "true"},
    {"dark", dark_action, NULL, "false"},
    {"back", history_action},
    {"forward", history_action},
    {"search", search_action},
    {"search-next", search_step_action},
    {"search-previous", search_step_action},
    {"go-to-time", go_to_time_action},
    {"zoom-in", zoom_action},
    {"zoom-out", zoom_action},
    {"whole", whole_action},
    {"zoom-range", zoom_range_action},
    {"clear-range", clear_range_action},
    {"pan-left", pan_action},
    {"pan-right", pan_action},
    {"screen-left", pan_action},
    {"screen-right", pan_action},
    {"go-begin", pan_action},
    {"go-end", pan_action},
    {"range-left", extend_range_action},
    {"range-right", extend_range_action},
    {"filter-in", filter_action},
    {"filter-out", filter_action},
    {"remove-filter", remove_filter_action},
    {"clear-filters", clear_filters_action},
    {"toggle-idle", toggle_idle_action, NULL, "false"},
    {"escape", escape_action},
    {"show-verdict", show_verdict_action},
    {"shortcuts", shortcuts_action},
    {"help", help_action},
    {"about", about_action},
    {"say", say_action, "s"},
    {"menu", menu_action},
    {"fullscreen", fullscreen_action},
    {"previous-wait", wait_action},
    {"next-wait", wait_action},
    {"go-owner", wait_action},
    {"go-waker", wait_action},
    {"go-blocker", wait_action},
    {"damage", damage_action},
    {"running-jvms", running_jvms_action},
    {"follow", follow_action, "(us)"},
    {"toggle-follow", toggle_follow_action},
    {"reload", reload_action},
    {"cancel-load", cancel_load_action},
};

/* `names`: separated by spaces. */
static void enable(PmWindow *window, gboolean enabled, const char *names)
{
    g_auto(GStrv) all = g_strsplit(names, " ", -1);

    for (guint i = 0; all[i]; i++) {
        GAction *action = g_action_map_lookup_action(G_ACTION_MAP(window), all[i]);
        g_simple_action_set_enabled(G_SIMPLE_ACTION(action), enabled);
    }
}

static void set_state(PmWindow *window, const char *name, GVariant *value)
{
    GAction *action = g_action_map_lookup_action(G_ACTION_MAP(window), name);
    g_simple_action_set_state(G_SIMPLE_ACTION(action), value);
}

static void update(PmWindow *window)
{
    PmState *state = pm_window_get_state(window);
    const gboolean any = pm_state_get_recording(state) != NULL;
    const PmLiveState live = pm_state_get_live(state);
    gint64 from, to;

    enable(window, any,
           "save save-view page detail search search-next search-previous go-to-time zoom-in "
           "zoom-out whole pan-left pan-right screen-left screen-right go-begin go-end range-left "
           "range-right toggle-idle show-verdict next-region previous-region");
    enable(window, any && pm_state_get_range(state, &from, &to), "zoom-range clear-range");
    enable(window, any && pm_state_get_selection(state)->n > 0,
           "filter-in filter-out previous-wait next-wait go-owner go-waker go-blocker");
    enable(window, any && pm_state_n_chips(state) > 0, "remove-filter clear-filters");
    enable(window, live == PM_LIVE_FOLLOWING || live == PM_LIVE_PAUSED, "toggle-follow");
    enable(window, pm_state_can_back(state), "back");
    enable(window, pm_state_can_forward(state), "forward");
    set_state(window, "page", g_variant_new_string(pm_page_name(pm_state_get_page(state))));
    set_state(window, "detail", g_variant_new_boolean(pm_state_get_detail(state)));
    set_state(window, "dark", g_variant_new_boolean(pm_state_get_dark(state)));
    set_state(window, "toggle-idle", g_variant_new_boolean(pm_state_get_filter(state)->idle));
}

static void changed_cb(PmState *state, guint mask, PmWindow *window)
{
    if (mask &
        (PM_CHANGE_RECORDING | PM_CHANGE_RANGE | PM_CHANGE_SELECTION | PM_CHANGE_FILTER |
         PM_CHANGE_PAGE | PM_CHANGE_DETAIL | PM_CHANGE_HISTORY | PM_CHANGE_DARK | PM_CHANGE_LIVE))
        update(window);
}

void pm_window_actions_add(PmWindow *window)
{
    g_return_if_fail(PM_IS_WINDOW(window));
    g_action_map_add_action_entries(G_ACTION_MAP(window), entries, G_N_ELEMENTS(entries), window);
    g_signal_connect_object(pm_window_get_state(window), "changed", G_CALLBACK(changed_cb), window,
                            0);
    update(window);
}
