#include "viewer/ui/window/application.h"

#include <stdlib.h>
#include <string.h>

#include "viewer/analysis/aggregation/tree.h"
#include "viewer/analysis/code/account.h"
#include "viewer/analysis/recording/category.h"
#include "viewer/report/time-text.h"
#include "viewer/report/text.h"
#include "viewer/ui/model/job.h"
#include "viewer/ui/model/keys.h"
#include "viewer/ui/model/loader.h"
#include "viewer/ui/model/settings.h"
#include "viewer/ui/grid/spoken.h"
#include "viewer/ui/widgets/style.h"
#include "viewer/ui/window/jvm-list.h"
#include "viewer/ui/window/window-actions.h"

#define APPLICATION_ID "org.parkmeter.Parkmeter"
#define SETTLE_POLL_MS 100
#define SETTLED_POLLS  6

struct _PmApplication {
    AdwApplication parent_instance;
    /* options */
    char *page, *select, *range, *png, *size, *accounts, *via;
    gboolean dark, idle, keys;
    PmPage first_page;
    int width, height;
    /* the picture for a script */
    PmWindow *window; /* of it */
    guint settled;
    guint timer;
    int status;
};

G_DEFINE_FINAL_TYPE(PmApplication, pm_application, ADW_TYPE_APPLICATION)

/* Once the recording is there: what the command line asks of it. */
typedef struct {
    PmApplication *application;
    gboolean ranged, selected;
} PmWish;

/* One line on stderr: files and options may be called anything. */
static void complain(const char *text)
{
    g_autofree char *clean = pm_text_clean(text);

    g_printerr("parkmeter: %s\n", clean);
}

static void fail(PmApplication *application, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void fail(PmApplication *application, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    complain(text);
    application->status = 1;
}

static void apply_range(PmApplication *application, PmState *state)
{
    PmRecording *recording = pm_state_get_recording(state);
    g_auto(GStrv) ends = g_strsplit(application->range, ",", 2);
    gint64 at[2];

    if (g_strv_length(ends) != 2) {
        fail(application, "--range: \"%s\" is not FROM,TO", application->range);
        return;
    }
    for (int i = 0; i < 2; i++) {
        const char *why = NULL;
        if (!pm_time_parse(recording, ends[i], &at[i], &why)) {
            fail(application, "--range: %s: %s", ends[i], why);
            return;
        }
    }
    pm_state_set_range(state, at[0], at[1]);
}

/* The key of the aspect with most thread-time whose text is or holds what was asked for. */
static gboolean find_key(PmRecording *recording, PmAspect aspect, const char *text, gboolean idle,
                         guint64 *ret_key)
{
    g_autoptr(PmFilter) filter = pm_filter_new();

    filter->idle = idle;
    g_autoptr(PmView) view = pm_view_new(recording, filter, NULL);
    g_autoptr(PmTree) tree = view ? pm_tree_new(view, &aspect, 1, NULL) : NULL;
    for (guint i = 0; tree && i < tree->root->n_children; i++) {
        const PmTreeNode *node = tree->root->children[i];
        g_autofree char *label = pm_aspect_key_text(recording, aspect, node->key);
        if (strstr(label, text)) {
            *ret_key = node->key;
            return TRUE;
        }
    }
    return FALSE;
}

/* The same of allocations. */
static gboolean find_memory_key(PmRecording *recording, PmAspect aspect, const char *text,
                                guint64 *ret_key)
{
    PmMemoryAspect known;

    if (!pm_memory_aspect_parse(pm_aspect_name(aspect), &known))
        return FALSE;
    g_autoptr(PmMemoryTree) tree = pm_memory_tree_new(recording, NULL, &known, 1, NULL);
    for (guint i = 0; tree && i < tree->root->children->len; i++) {
        const PmMemoryNode *node = tree->root->children->pdata[i];
        g_autofree char *label = pm_memory_key_text(recording, known, node->key);
        if (strstr(label, text)) {
            *ret_key = node->key;
            return TRUE;
        }
    }
    return FALSE;
}

static void apply_select(PmApplication *application, PmState *state)
{
    g_auto(GStrv) parts = g_strsplit(application->select, "=", 2);
    PmAspect aspect;
    guint64 key = 0;

    if (g_strv_length(parts) != 2 || !pm_aspect_parse(parts[0], &aspect)) {
        fail(application, "--select: \"%s\" is not ASPECT=TEXT, as in blocker=4f3c91d2",
             application->select);
        return;
    }
    /* Of idle waits alone where no other has that name. */
    if (!(pm_state_get_page(state) == PM_PAGE_MEMORY &&
          find_memory_key(pm_state_get_recording(state), aspect, parts[1], &key)) &&
        !find_key(pm_state_get_recording(state), aspect, parts[1], FALSE, &key) &&
        !find_key(pm_state_get_recording(state), aspect, parts[1], TRUE, &key)) {
        fail(application, "--select: no %s is named \"%s\"", parts[0], parts[1]);
        return;
    }
    pm_state_select_key(state, aspect, key);
}

static void wish_cb(PmState *state, guint mask, PmWish *wish)
{
    PmApplication *application = wish->application;

    if (!pm_state_get_recording(state))
        return;
    if (mask & PM_CHANGE_RECORDING && !wish->ranged) {
        wish->ranged = TRUE;
        if (application->idle)
            pm_state_set_idle(state, TRUE);
        if (application->range)
            apply_range(application, state);
    }
    if (mask & PM_CHANGE_RESULTS && pm_state_get_results(state) && !wish->selected) {
        wish->selected = TRUE;
        if (application->select)
            apply_select(application, state);
    }
}

static void free_wish(gpointer data, GClosure *closure)
{
    g_free(data);
}

/* The picture is taken when the workers rest, nothing is read, and some frames have passed. */
static gboolean picture_cb(gpointer data)
{
    PmApplication *application = data;
    PmState *state = pm_window_get_state(application->window);
    const PmLoading *loading = pm_state_get_loading(state);
    gboolean failed = loading->state == PM_LOADING_FAILED,
             nothing = loading->state == PM_LOADING_NONE && !pm_state_get_recording(state);
    g_autoptr(GError) error = NULL;

    if (!failed && !nothing &&
        (loading->state == PM_LOADING_READING || pm_state_is_busy(state) || pm_jobs_running() > 0 ||
         !pm_state_get_results(state))) {
        application->settled = 0;
        return G_SOURCE_CONTINUE;
    }
    if (++application->settled < SETTLED_POLLS)
        return G_SOURCE_CONTINUE;
    application->timer = 0;
    if (failed)
        fail(application, "%s", loading->error->message);
    if (!pm_window_save_png(application->window, application->png, &error))
        fail(application, "%s: %s", application->png, error->message);
    gtk_window_destroy(GTK_WINDOW(application->window));
    g_application_quit(G_APPLICATION(application));
    return G_SOURCE_REMOVE;
}

static PmWindow *make_window(PmApplication *application)
{
    PmWindow *window = pm_window_new(GTK_APPLICATION(application));
    PmState *state = pm_window_get_state(window);
    PmWish *wish = g_new0(PmWish, 1);

    pm_window_actions_add(window);
    wish->application = application;
    g_signal_connect_data(state, "changed", G_CALLBACK(wish_cb), wish, free_wish, 0);
    if (application->size)
        gtk_window_set_default_size(GTK_WINDOW(window), application->width, application->height);
    if (application->range || application->select)
        pm_loader_end_waits = 0; /* they may be of what is not the end */
    if (application->page)
        pm_state_set_page(state, application->first_page);
    gtk_window_present(GTK_WINDOW(window));
    if (application->png && !application->window) {
        application->window = window;
        application->timer = g_timeout_add(SETTLE_POLL_MS, picture_cb, application);
    }
    return window;
}

static void pm_application_activate(GApplication *application)
{
    PmWindow *window = make_window(PM_APPLICATION(application));

    if (PM_APPLICATION(application)->via)
        pm_jvm_list_show(GTK_WINDOW(window), PM_APPLICATION(application)->via);
}

/* The pid of a JVM, as parkctl takes it: a number that is no file. 0 = a file. */
static guint pid_of(GFile *file)
{
    g_autofree char *name = g_file_get_basename(file);
    guint64 pid = 0;

    if (!name || !g_ascii_string_to_unsigned(name, 10, 1, G_MAXINT32, &pid, NULL) ||
        g_file_query_exists(file, NULL))
        return 0;
    return (guint)pid;
}

static void pm_application_open(GApplication *application, GFile **files, int n_files,
                                const char *hint)
{
    const char *via = PM_APPLICATION(application)->via;

    for (int i = 0; i < n_files; i++) {
        const guint pid = pid_of(files[i]);
        if (pid > 0)
            pm_window_follow(make_window(PM_APPLICATION(application)), pid, via);
        else if (via)
            fail(PM_APPLICATION(application), "--via leads to running JVMs: a pid is needed");
        else
            pm_window_open(make_window(PM_APPLICATION(application)), files[i]);
    }
}

static void quit_action(GSimpleAction *action, GVariant *parameter, gpointer data)
{
    GList *windows = g_list_copy(gtk_application_get_windows(GTK_APPLICATION(data)));

    for (GList *item = windows; item; item = item->next)
        gtk_window_close(item->data);
    g_list_free(windows);
}

static void pm_application_startup(GApplication *base)
{
    static const GActionEntry entries[] = {{"quit", quit_action}};
    PmApplication *application = PM_APPLICATION(base);
    PmSettings settings;

    G_APPLICATION_CLASS(pm_application_parent_class)->startup(base);
    g_action_map_add_action_entries(G_ACTION_MAP(base), entries, G_N_ELEMENTS(entries), base);
    pm_keys_bind_application(GTK_APPLICATION(base));
    pm_spoken_watch();
    pm_settings_load(&settings);
    g_autoptr(GError) error = NULL;
    if (!pm_category_read_default_rules(&error))
        complain(error->message);
    pm_style_choose(application->dark ? PM_SCHEME_DARK : settings.scheme);
}

static gboolean parse_size(const char *text, int *ret_width, int *ret_height)
{
    char *end;
    long width = strtol(text, &end, 10);

    if (end == text || *end != 'x')
        return FALSE;
    const char *rest = end + 1;
    long height = strtol(rest, &end, 10);
    if (end == rest || *end || width < 100 || height < 100 || width > 16384 || height > 16384)
        return FALSE;
    *ret_width = (int)width;
    *ret_height = (int)height;
    return TRUE;
}

static int pm_application_handle_local_options(GApplication *base, GVariantDict *options)
{
    PmApplication *application = PM_APPLICATION(base);

    if (application->keys) {
        g_autofree char *text = pm_keys_markdown();
        g_print("%s", text);
        return 0;
    }
    if (application->page && !pm_page_parse(application->page, &application->first_page)) {
        fail(application,
             "--page: unknown page \"%s\"; pages: summary, tree, blockers, threads, memory, flames",
             application->page);
        return 2;
    }
    if (application->size &&
        !parse_size(application->size, &application->width, &application->height)) {
        fail(application, "--size: \"%s\" is not WIDTHxHEIGHT, as in 1280x800", application->size);
        return 2;
    }
    if (application->accounts) {
        g_autoptr(GError) error = NULL;
        g_autoptr(PmAccounts) accounts = pm_accounts_read(application->accounts, &error);
        if (!accounts) {
            fail(application, "--accounts: %s", error->message);
            return 2;
        }
        pm_accounts_set_default(accounts);
    }
    if (!gtk_init_check()) {
        complain("no display to show a window on; the same numbers as text: parkctl report FILE");
        return 1;
    }
    return -1;
}

static void pm_application_finalize(GObject *object)
{
    PmApplication *application = PM_APPLICATION(object);

    g_clear_handle_id(&application->timer, g_source_remove);
    g_free(application->page);
    g_free(application->select);
    g_free(application->range);
    g_free(application->png);
    g_free(application->size);
    g_free(application->accounts);
    g_free(application->via);
    G_OBJECT_CLASS(pm_application_parent_class)->finalize(object);
}

static void pm_application_class_init(PmApplicationClass *class)
{
    GApplicationClass *application_class = G_APPLICATION_CLASS(class);

    G_OBJECT_CLASS(class)->finalize = pm_application_finalize;
    application_class->activate = pm_application_activate;
    application_class->open = pm_application_open;
    application_class->startup = pm_application_startup;
    application_class->handle_local_options = pm_application_handle_local_options;
}

static void pm_application_init(PmApplication *application)
{
    const GOptionEntry options[] = {
        {"page", 0, 0, G_OPTION_ARG_STRING, &application->page,
         "Open at a page: summary, tree, blockers, threads, memory, flames", "PAGE"},
        {"range", 0, 0, G_OPTION_ARG_STRING, &application->range,
         "Select a range: 14:02:10,14:03 or -5m,-1m", "FROM,TO"},
        {"select", 0, 0, G_OPTION_ARG_STRING, &application->select,
         "Select what is named so: blocker=4f3c91d2, site=PriceCache.get", "ASPECT=TEXT"},
        {"accounts", 0, 0, G_OPTION_ARG_STRING, &application->accounts,
         "Whom to charge: com.acme.*;db=org.h2.*; see parkctl(1)", "FILE|PATTERNS"},
        {"idle", 0, 0, G_OPTION_ARG_NONE, &application->idle, "Show idle waits", NULL},
        {"dark", 0, 0, G_OPTION_ARG_NONE, &application->dark, "Dark colours", NULL},
        {"via", 0, 0, G_OPTION_ARG_STRING, &application->via,
         "Where the JVM runs: 'ssh HOST', 'kubectl exec POD --'; PID, or none for a list",
         "COMMAND"},
        {"size", 0, 0, G_OPTION_ARG_STRING, &application->size, "The window's size", "WxH"},
        {"png", 0, 0, G_OPTION_ARG_FILENAME, &application->png,
         "Write a picture of the window once all is computed, then end", "FILE"},
        {"keys", 0, 0, G_OPTION_ARG_NONE, &application->keys,
         "Print the table of keys in Markdown, then end", NULL},
        {NULL},
    };

    g_application_add_main_option_entries(G_APPLICATION(application), options);
    g_application_set_option_context_parameter_string(G_APPLICATION(application), "[FILE… | PID…]");
    g_application_set_option_context_summary(
        G_APPLICATION(application), "Shows what the threads of a recorded JVM waited for.");
}

PmApplication *pm_application_new(void)
{
    return g_object_new(PM_TYPE_APPLICATION, "application-id", APPLICATION_ID, "flags",
                        G_APPLICATION_HANDLES_OPEN | G_APPLICATION_NON_UNIQUE, NULL);
}

int pm_application_status(PmApplication *application)
{
    g_return_val_if_fail(PM_IS_APPLICATION(application), 0);
    return application->status;
}
