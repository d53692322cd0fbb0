#include "viewer/ui/window/window.h"

#include <adwaita.h>
#include <math.h>
#ifdef GDK_WINDOWING_X11
#include <gdk/x11/gdkx.h>
#endif

#include "viewer/analysis/recording/label.h"
#include "viewer/report/text.h"
#include "viewer/ui/charts/charts.h"
#include "viewer/ui/charts/loading-preview.h"
#include "viewer/ui/model/damage.h"
#include "viewer/ui/model/keys.h"
#include "viewer/ui/model/live.h"
#include "viewer/ui/model/loader.h"
#include "viewer/ui/model/number.h"
#include "viewer/ui/model/settings.h"
#include "viewer/ui/pages/blockers-page.h"
#include "viewer/ui/pages/flames-page.h"
#include "viewer/ui/pages/memory-page.h"
#include "viewer/ui/pages/state-page.h"
#include "viewer/ui/pages/summary-page.h"
#include "viewer/ui/pages/threads-page.h"
#include "viewer/ui/pages/tree-page.h"
#include "viewer/ui/panes/detail-pane.h"
#include "viewer/ui/panes/memory-side.h"
#include "viewer/ui/panes/summary-side.h"
#include "viewer/ui/widgets/element.h"
#include "viewer/ui/widgets/notice.h"
#include "viewer/ui/widgets/style.h"
#include "viewer/ui/window/focus-keeper.h"
#include "viewer/ui/window/header.h"
#include "viewer/ui/window/regions.h"
#include "viewer/ui/window/scope-bar.h"
#include "viewer/ui/window/verdict-line.h"

#define DIM_AFTER_MS  150
#define BAR_AFTER_MS  500
#define PICTURE_US    1000000 /* so long the next frame is waited for */
#define MIN_WIDTH_PX  960
#define MIN_HEIGHT_PX 600
#define WIDTH_PX      1280
#define HEIGHT_PX     800

struct _PmWindow {
    GtkApplicationWindow parent_instance;
    PmState *state;
    PmLoader *loader;
    PmLive *live;
    GtkWidget *header, *notice, *find, *root; /* root: stack of "state" and "main" */
    GtkWidget *state_page, *progress;         /* of "state" */
    GtkWidget *info, *info_label, *info_action, *recent, *reading_bar;
    GtkWidget *regions, *charts, *pages, *sides, *detail, *back;
    gboolean in_sides; /* the focus was, before a change */
    GtkWidget *page[PM_N_PAGES];
    guint dim_timer, bar_timer, theme_source;
    gboolean styled;
    gboolean detail_before; /* it was on, before the window was squeezed */
};

G_DEFINE_FINAL_TYPE(PmWindow, pm_window, GTK_TYPE_APPLICATION_WINDOW)

PmState *pm_window_get_state(PmWindow *window)
{
    g_return_val_if_fail(PM_IS_WINDOW(window), NULL);
    return window->state;
}

static gboolean dim_cb(gpointer data)
{
    PmWindow *window = data;

    window->dim_timer = 0;
    gtk_widget_add_css_class(window->regions, "stale");
    return G_SOURCE_REMOVE;
}

static gboolean bar_cb(gpointer data)
{
    PmWindow *window = data;

    window->bar_timer = 0;
    gtk_widget_set_visible(window->reading_bar, TRUE);
    return G_SOURCE_REMOVE;
}

/* What is old is dimmed, but only when the new takes time. */
static void update_dim(PmWindow *window)
{
    const PmLoading *loading = pm_state_get_loading(window->state);
    const gboolean reading = loading->state == PM_LOADING_READING,
                   old = pm_state_is_busy(window->state) || (reading && !loading->end_only);

    if (!old) {
        g_clear_handle_id(&window->dim_timer, g_source_remove);
        gtk_widget_remove_css_class(window->regions, "stale");
    } else if (window->dim_timer == 0 && !gtk_widget_has_css_class(window->regions, "stale")) {
        window->dim_timer = g_timeout_add(DIM_AFTER_MS, dim_cb, window);
    }
    if (!old && !reading) {
        g_clear_handle_id(&window->bar_timer, g_source_remove);
        gtk_widget_set_visible(window->reading_bar, FALSE);
    } else if (window->bar_timer == 0 && !gtk_widget_get_visible(window->reading_bar)) {
        window->bar_timer = g_timeout_add(BAR_AFTER_MS, bar_cb, window);
    }
}

static PmStateId state_of_error(const GError *error)
{
    if (error->domain == PM_RECORDING_ERROR) {
        switch (-error->code) {
        case PM_ERROR_NOT_A_RECORDING:
            return PM_STATE_NOT_A_RECORDING;
        case PM_ERROR_EMPTY:
            return PM_STATE_EMPTY_FILE;
        case PM_ERROR_NEWER:
            return PM_STATE_NEWER_FORMAT;
        default:
            break;
        }
    }
    return g_error_matches(error, G_IO_ERROR, G_IO_ERROR_FAILED) ? PM_STATE_NOT_FOLLOWED
                                                                 : PM_STATE_UNREADABLE;
}

static char *damaged_blocks_text(const PmRecording *recording)
{
    return pm_number_plural(recording->facts.damaged_blocks, "damaged block", "damaged blocks");
}

/* Torn before its first whole chunk: there is no time to show. */
static gboolean is_all_torn(const PmRecording *recording)
{
    return recording->facts.damaged_blocks > 0 && recording->duration <= recording->window_begin;
}

static void update_state_page(PmWindow *window)
{
    const PmLoading *loading = pm_state_get_loading(window->state);
    PmRecording *recording = pm_state_get_recording(window->state);
    g_autofree char *file = loading->path ? pm_state_text_file(loading->path) : g_strdup("");
    PmStatePage *page = PM_STATE_PAGE(window->state_page);
    const gboolean all_torn = recording && is_all_torn(recording);

    if (all_torn)
        recording = NULL;
    gtk_stack_set_visible_child_name(GTK_STACK(window->root), recording ? "main" : "state");
    gtk_widget_set_visible(window->progress, loading->state == PM_LOADING_READING && !recording);
    gtk_widget_set_visible(window->recent, loading->state != PM_LOADING_READING);
    if (loading->total_bytes > 0) {
        double part = (double)loading->done_bytes / (double)loading->total_bytes;
        gtk_progress_bar_set_fraction(GTK_PROGRESS_BAR(window->progress), CLAMP(part, 0, 1));
        gtk_progress_bar_set_fraction(GTK_PROGRESS_BAR(window->reading_bar), CLAMP(part, 0, 1));
    }
    if (recording)
        return;
    const PmStateId before = pm_state_page_get(page);
    g_autofree char *pid = pm_state_text_pid(
        all_torn ? pm_state_get_recording(window->state)->facts.pid : 0, loading->path);
    if (loading->state == PM_LOADING_READING) {
        g_autofree char *done = pm_label_bytes(loading->done_bytes);
        g_autofree char *total = pm_label_bytes(loading->total_bytes);
        const char *pairs[] = {"file", file, "done", done, "total", total, NULL};
        pm_state_page_show(page, PM_STATE_LOADING, pairs);
    } else if (loading->state == PM_LOADING_FAILED) {
        const char *pairs[] = {"file",    file,       "reason", loading->error->message, "pid", pid,
                               "version", PM_VERSION, NULL};
        pm_state_page_show(page, state_of_error(loading->error), pairs);
    } else if (all_torn) {
        g_autofree char *blocks = damaged_blocks_text(pm_state_get_recording(window->state));
        const char *pairs[] = {"file", file, "blocks", blocks, "pid", pid, NULL};
        pm_state_page_show(page, PM_STATE_NOTHING_WHOLE, pairs);
    } else {
        pm_state_page_show(page, PM_STATE_NO_FILE, NULL);
    }
    if (pm_state_page_get(page) != before || !gtk_window_get_focus(GTK_WINDOW(window)))
        gtk_widget_grab_focus(window->state_page);
}

/* Of what is being or was read, rounded down: all is all. */
static char *percent_read(const PmLoading *loading)
{
    const double part =
        loading->total_bytes > 0 ? (double)loading->done_bytes / (double)loading->total_bytes : 1.0;
    return g_strdup_printf("%.0f", floor(part * 100));
}

static char *progress_text(const PmLoading *loading)
{
    g_autofree char *percent = percent_read(loading);

    return loading->done_bytes < loading->total_bytes
               ? g_strconcat(percent, " % read", NULL)
               : g_strdup("read, its numbers are being computed");
}

/* A reading that goes on or was stopped, a JVM that ended, damaged blocks: said once, above
 * everything. */
static void update_info(PmWindow *window)
{
    PmRecording *recording = pm_state_get_recording(window->state);
    const PmLoading *loading = pm_state_get_loading(window->state);
    g_autofree char *text = NULL;
    PmStateId id = PM_N_STATES;

    if (recording && loading->end_only)
        id = PM_STATE_END_ONLY;
    else if (recording && loading->partial && loading->state == PM_LOADING_NONE)
        id = PM_STATE_CANCELLED;
    else if (recording && pm_state_get_live(window->state) == PM_LIVE_ENDED)
        id = PM_STATE_LIVE_ENDED;
    else if (recording && pm_state_get_live_trouble(window->state))
        id = PM_STATE_LIVE_TROUBLE;
    else if (recording && recording->facts.damaged_blocks > 0)
        id = PM_STATE_TORN;
    gtk_widget_set_visible(window->info, id != PM_N_STATES);
    gtk_info_bar_set_revealed(GTK_INFO_BAR(window->info), id != PM_N_STATES);
    if (id == PM_N_STATES)
        return;
    const PmStateText *state = pm_state_text_get(id);
    const gboolean nothing = id == PM_STATE_TORN && !recording->waits.n; /* is left to be shown */
    g_autofree char *both = g_strconcat(state->title, ". ", nothing ? "" : state->body, NULL);
    g_autofree char *to = pm_label_clock(recording, recording->duration, 0);
    if (id == PM_STATE_LIVE_TROUBLE) {
        g_autofree char *pid = g_strdup_printf("%u", pm_state_get_live_pid(window->state));
        g_autofree char *why = pm_text_clean(pm_state_get_live_trouble(window->state));
        text = pm_state_text_fill(both, "pid", pid, "reason", why, NULL);
    } else if (id == PM_STATE_CANCELLED || id == PM_STATE_END_ONLY) {
        g_autofree char *from = pm_label_clock(recording, recording->window_begin, 0);
        g_autofree char *percent = percent_read(loading), *progress = progress_text(loading);
        /* Where its end was shown first, nothing lies between what was read. */
        const char *crossed = recording->n_stopped ? ", what was not read crossed out" : "";
        text = pm_state_text_fill(both, "percent", percent, "progress", progress, "from", from,
                                  "to", to, "crossed", crossed, NULL);
    } else if (id == PM_STATE_LIVE_ENDED) {
        g_autofree char *pid = g_strdup_printf("%u", pm_state_get_live_pid(window->state));
        text = pm_state_text_fill(both, "pid", pid, "time", to, NULL);
    } else {
        g_autofree char *blocks = damaged_blocks_text(recording);
        g_autofree char *bytes = pm_label_bytes(recording->facts.lost_bytes);
        g_autofree char *span = pm_damage_span(recording);
        text = pm_state_text_fill(both, "blocks", blocks, "bytes", bytes, "span", span, NULL);
    }
    gtk_label_set_text(GTK_LABEL(window->info_label), text);
    pm_element_keep_together(GTK_LABEL(window->info_label));
    gtk_widget_set_tooltip_text(window->info_label, text);
    gtk_button_set_label(GTK_BUTTON(window->info_action), state->actions[0].label);
    gtk_actionable_set_detailed_action_name(GTK_ACTIONABLE(window->info_action),
                                            state->actions[0].action);
}

/* From the pane to the page whose place it has. */
static void update_back(PmWindow *window)
{
    const char *title = pm_page_title(pm_state_get_page(window->state));
    g_autofree char *label = g_strconcat("‹ ", title, NULL);
    g_autofree char *name = g_strconcat("Back to ", title, NULL);

    gtk_button_set_label(GTK_BUTTON(window->back), label);
    pm_element_set_name(window->back, name);
    gtk_widget_set_visible(window->back, pm_regions_is_squeezed(PM_REGIONS(window->regions)));
}

static void update_page(PmWindow *window)
{
    PmPage page = pm_state_get_page(window->state);
    gboolean summary = page == PM_PAGE_SUMMARY;
    const char *side = summary ? "summary" : page == PM_PAGE_MEMORY ? "memory" : "detail";

    gtk_stack_set_visible_child_name(GTK_STACK(window->pages), pm_page_name(page));
    gtk_stack_set_visible_child_name(GTK_STACK(window->sides), side);
    update_back(window);
    /* An empty pane takes no room. */
    pm_regions_show_detail(PM_REGIONS(window->regions),
                           pm_state_get_detail(window->state) &&
                               (summary || pm_state_get_selection(window->state)->n > 0));
}

/* Where both have no room, the detail pane comes only when asked for, and goes with what it was
 * asked of: it takes the page's place. */
static void squeezed_cb(PmRegions *regions, PmWindow *window)
{
    const gboolean shown = pm_state_get_detail(window->state);

    if (pm_regions_is_squeezed(regions)) {
        window->detail_before = shown;
        pm_state_set_detail(window->state, FALSE);
    } else {
        pm_state_set_detail(window->state, shown || window->detail_before);
    }
    update_back(window);
}

static void leave_squeezed_detail(PmWindow *window)
{
    if (pm_regions_is_squeezed(PM_REGIONS(window->regions)))
        pm_state_set_detail(window->state, FALSE);
}

/* Before the pane drops what it showed, and with it what has the focus. */
static void before_change_cb(PmState *state, guint mask, PmWindow *window)
{
    GtkWidget *focus = gtk_window_get_focus(GTK_WINDOW(window));

    window->in_sides = focus && window->sides && gtk_widget_is_ancestor(focus, window->sides);
}

static void changed_cb(PmState *state, guint mask, PmWindow *window)
{
    if (mask & (PM_CHANGE_RECORDING | PM_CHANGE_RENEWED | PM_CHANGE_LOADING | PM_CHANGE_LIVE)) {
        update_state_page(window);
        update_info(window);
    }
    if (mask & (PM_CHANGE_BUSY | PM_CHANGE_LOADING | PM_CHANGE_RECORDING))
        update_dim(window);
    if (mask & PM_CHANGE_PAGE || (mask & PM_CHANGE_SELECTION && !pm_state_get_selection(state)->n))
        leave_squeezed_detail(window);
    if (mask & (PM_CHANGE_PAGE | PM_CHANGE_DETAIL | PM_CHANGE_SELECTION)) {
        update_page(window);
        /* Who leaves the detail pane is back at the row that it was of. */
        if (window->in_sides && !gtk_widget_get_mapped(window->sides))
            pm_window_focus_page(window);
    }
    if (mask & PM_CHANGE_RECORDING && pm_state_get_recording(state))
        pm_window_focus_page(window);
}

static void page_shown_cb(GtkStack *stack, GParamSpec *spec, PmWindow *window)
{
    PmPage page;

    if (!gtk_widget_in_destruction(GTK_WIDGET(window)) &&
        pm_page_parse(gtk_stack_get_visible_child_name(stack), &page))
        pm_state_set_page(window->state, page);
}

/* Whatever the theme is called: light ink means a dark one. */
static void update_dark(PmWindow *window)
{
    GdkRGBA ink;

    gtk_style_context_get_color(gtk_widget_get_style_context(GTK_WIDGET(window)), &ink);
    const gboolean dark = 0.299 * ink.red + 0.587 * ink.green + 0.114 * ink.blue > 0.5;
    const gboolean high = adw_style_manager_get_high_contrast(adw_style_manager_get_default());
    if (window->styled && dark == pm_state_get_dark(window->state) &&
        high == pm_state_get_high_contrast(window->state))
        return;
    window->styled = TRUE;
    pm_style_apply(gtk_widget_get_display(GTK_WIDGET(window)), dark, high);
    pm_state_set_dark(window->state, dark);
    pm_state_set_high_contrast(window->state, high);
}

static gboolean theme_cb(gpointer data)
{
    PmWindow *window = data;

    window->theme_source = 0;
    update_dark(window);
    return G_SOURCE_REMOVE;
}

static void pm_window_css_changed(GtkWidget *widget, GtkCssStyleChange *change)
{
    PmWindow *window = PM_WINDOW(widget);

    GTK_WIDGET_CLASS(pm_window_parent_class)->css_changed(widget, change);
    /* Not while styles are being found. */
    if (window->state && !window->theme_source)
        window->theme_source = g_idle_add_full(G_PRIORITY_HIGH, theme_cb, window, NULL);
}

void pm_window_open(PmWindow *window, GFile *file)
{
    g_return_if_fail(PM_IS_WINDOW(window));
    g_autofree char *path = g_file_get_path(file);
    g_autofree char *uri = g_file_get_uri(file);
    g_autofree char *name = g_file_get_basename(file);

    pm_live_stop(window->live);
    if (name && g_str_equal(name, "-") && !g_file_query_exists(file, NULL)) {
        pm_loader_read(window->loader, "-"); /* standard input */
        return;
    }

    if (!path) {
        PmLoading loading = {.state = PM_LOADING_FAILED, .path = uri};
        g_autoptr(GError) error =
            g_error_new(G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED, "Only local files can be read");
        loading.error = error;
        pm_state_set_recording(window->state, NULL);
        pm_state_set_loading(window->state, &loading);
        return;
    }
    GtkRecentData recent = {.mime_type = (char *)"application/vnd.parkmeter.recording",
                            .app_name = (char *)"parkmeter",
                            .app_exec = (char *)"parkmeter %f"};
    gtk_recent_manager_add_full(gtk_recent_manager_get_default(), uri, &recent);
    pm_loader_read(window->loader, path);
}

void pm_window_reload(PmWindow *window)
{
    g_return_if_fail(PM_IS_WINDOW(window));
    g_autofree char *path = g_strdup(pm_state_get_loading(window->state)->path);

    if (path)
        pm_loader_read(window->loader, path);
}

void pm_window_follow(PmWindow *window, guint pid, const char *via)
{
    g_return_if_fail(PM_IS_WINDOW(window));
    pm_live_start(window->live, pid, via);
}

void pm_window_toggle_follow(PmWindow *window)
{
    g_return_if_fail(PM_IS_WINDOW(window));
    pm_live_toggle(window->live);
}

void pm_window_cancel_load(PmWindow *window)
{
    g_return_if_fail(PM_IS_WINDOW(window));
    pm_loader_cancel(window->loader);
}

void pm_window_focus_page(PmWindow *window)
{
    g_return_if_fail(PM_IS_WINDOW(window));
    GtkWidget *page = window->page[pm_state_get_page(window->state)];

    if (!gtk_widget_grab_focus(page))
        gtk_widget_child_focus(page, GTK_DIR_TAB_FORWARD);
}

void pm_window_cycle_region(PmWindow *window, int direction)
{
    g_return_if_fail(PM_IS_WINDOW(window));
    GtkWidget *regions[] = {pm_charts_get_timeline(PM_CHARTS(window->charts)), window->pages,
                            window->sides};
    GtkWidget *focus = gtk_window_get_focus(GTK_WINDOW(window));
    int n = G_N_ELEMENTS(regions), now = -1;

    for (int i = 0; i < n; i++)
        if (focus && (focus == regions[i] || gtk_widget_is_ancestor(focus, regions[i])))
            now = i;
    for (int step = 1; step <= n; step++) {
        int next = now < 0 ? (direction > 0 ? step - 1 : n - step)
                           : ((now + direction * step) % n + n) % n;
        if (!gtk_widget_get_mapped(regions[next]))
            continue;
        if (regions[next] == window->pages) {
            pm_window_focus_page(window);
            return;
        }
        if (gtk_widget_grab_focus(regions[next]) ||
            gtk_widget_child_focus(regions[next], GTK_DIR_TAB_FORWARD))
            return;
    }
}

void pm_window_show_find(PmWindow *window, PmFind find)
{
    g_return_if_fail(PM_IS_WINDOW(window));
    pm_find_bar_show(window->find, find);
    if (find == PM_FIND_NONE)
        pm_window_focus_page(window);
}

PmFind pm_window_get_find(PmWindow *window)
{
    g_return_val_if_fail(PM_IS_WINDOW(window), 0);
    return pm_find_bar_get(window->find);
}

void pm_window_ask_detail(PmWindow *window, const char *action)
{
    g_return_if_fail(PM_IS_WINDOW(window));
    g_autofree char *name = g_strconcat("page.", action, NULL);

    gtk_widget_activate_action_variant(window->detail, name, NULL);
}

void pm_window_say(PmWindow *window, const char *text)
{
    g_return_if_fail(PM_IS_WINDOW(window) && text);
    pm_notice_say(window->notice, text);
}

void pm_window_pop_menu(PmWindow *window)
{
    g_return_if_fail(PM_IS_WINDOW(window));
    pm_header_pop_menu(window->header);
}

typedef struct {
    GtkWidget *window;
    GskRenderNode *node; /* NULL: something of it is still to be drawn */
    int width, height;
} Picture;

static void picture_take(Picture *picture)
{
    g_autoptr(GdkPaintable) paintable = gtk_widget_paintable_new(picture->window);
    GtkSnapshot *snapshot = gtk_snapshot_new();

    /* With the frame around the widget: another size would blur every line. */
    picture->width = gdk_paintable_get_intrinsic_width(paintable);
    picture->height = gdk_paintable_get_intrinsic_height(paintable);
    gdk_paintable_snapshot(paintable, snapshot, picture->width, picture->height);
    picture->node = gtk_snapshot_free_to_node(snapshot);
}

static void painted_cb(GdkFrameClock *clock, gpointer picture)
{
    if (!((Picture *)picture)->node)
        picture_take(picture);
}

/* After the next frame: until then there is no picture of what changed. */
static void picture_wait(Picture *picture)
{
    GdkFrameClock *clock = gtk_widget_get_frame_clock(picture->window);
    const gint64 give_up = g_get_monotonic_time() + PICTURE_US;

    if (!clock || !gtk_widget_get_mapped(picture->window))
        return;
    const gulong id = g_signal_connect(clock, "after-paint", G_CALLBACK(painted_cb), picture);
    gtk_widget_queue_draw(picture->window);
    while (!picture->node && g_get_monotonic_time() < give_up)
        if (!g_main_context_iteration(NULL, FALSE))
            g_usleep(1000);
    g_signal_handler_disconnect(clock, id);
}

gboolean pm_window_save_png(PmWindow *window, const char *path, GError **error)
{
    g_return_val_if_fail(PM_IS_WINDOW(window), FALSE);
    g_autoptr(PmWindow) kept = g_object_ref(window);
    Picture picture = {.window = GTK_WIDGET(window)};

    picture_take(&picture);
    if (!picture.node)
        picture_wait(&picture);
    g_autoptr(GskRenderNode) node = picture.node;
    GskRenderer *renderer = gtk_native_get_renderer(GTK_NATIVE(kept));
    if (!node || !renderer) {
        g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED, "The window is not on a screen");
        return FALSE;
    }
    g_autoptr(GdkTexture) texture = gsk_renderer_render_texture(
        renderer, node, &GRAPHENE_RECT_INIT(0, 0, picture.width, picture.height));
    g_autoptr(GBytes) bytes = gdk_texture_save_to_png_bytes(texture);
    gsize length;
    const char *data = g_bytes_get_data(bytes, &length);
    return g_file_set_contents(path, data, (gssize)length, error);
}

static gboolean drop_cb(GtkDropTarget *target, const GValue *value, double x, double y,
                        PmWindow *window)
{
    GSList *files = g_value_get_boxed(value);

    if (!files)
        return FALSE;
    pm_window_open(window, G_FILE(files->data));
    return TRUE;
}

static gboolean close_request_cb(PmWindow *window, gpointer data)
{
    PmSettings settings;

    pm_settings_load(&settings);
    gtk_window_get_default_size(GTK_WINDOW(window), &settings.width, &settings.height);
    pm_settings_save(&settings);
    return FALSE;
}

static GtkWidget *make_info(PmWindow *window)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);

    window->info = gtk_info_bar_new();
    gtk_info_bar_set_message_type(GTK_INFO_BAR(window->info), GTK_MESSAGE_WARNING);
    window->info_label = gtk_label_new("");
    gtk_label_set_ellipsize(GTK_LABEL(window->info_label), PANGO_ELLIPSIZE_END);
    gtk_label_set_wrap(GTK_LABEL(window->info_label), TRUE);
    gtk_label_set_lines(GTK_LABEL(window->info_label), 4);
    gtk_label_set_xalign(GTK_LABEL(window->info_label), 0);
    gtk_widget_set_hexpand(window->info_label, TRUE);
    gtk_info_bar_add_child(GTK_INFO_BAR(window->info), window->info_label);
    window->info_action = gtk_button_new();
    gtk_info_bar_add_child(GTK_INFO_BAR(window->info), window->info_action);
    gtk_widget_set_visible(window->info, FALSE);
    window->reading_bar = gtk_progress_bar_new();
    pm_element_set_name(window->reading_bar, "Reading and computing");
    gtk_widget_add_css_class(window->reading_bar, "reading");
    gtk_widget_set_visible(window->reading_bar, FALSE);
    gtk_box_append(GTK_BOX(box), window->reading_bar);
    gtk_box_append(GTK_BOX(box), window->info);
    gtk_box_append(GTK_BOX(box), pm_verdict_line_new(window->state));
    gtk_box_append(GTK_BOX(box), pm_scope_bar_new(window->state));
    return box;
}

static GtkWidget *make_pages(PmWindow *window)
{
    GtkWidget *(*const make[PM_N_PAGES])(PmState *) = {pm_summary_page_new,  pm_tree_page_new,
                                                       pm_blockers_page_new, NULL,
                                                       pm_memory_page_new,   pm_flames_page_new};
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0), *switcher = gtk_stack_switcher_new(),
              *row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);

    window->pages = gtk_stack_new();
    gtk_stack_set_hhomogeneous(GTK_STACK(window->pages), FALSE);
    gtk_stack_set_vhomogeneous(GTK_STACK(window->pages), FALSE);
    for (guint i = 0; i < PM_N_PAGES; i++) {
        window->page[i] =
            make[i] ? make[i](window->state)
                    : pm_threads_page_new(window->state,
                                          pm_charts_get_timeline(PM_CHARTS(window->charts)));
        pm_element_set_name(window->page[i], pm_page_title(i));
        gtk_stack_add_titled(GTK_STACK(window->pages), window->page[i], pm_page_name(i),
                             pm_page_title(i));
    }
    gtk_widget_set_vexpand(window->pages, TRUE);
    g_signal_connect(window->pages, "notify::visible-child", G_CALLBACK(page_shown_cb), window);
    gtk_stack_switcher_set_stack(GTK_STACK_SWITCHER(switcher), GTK_STACK(window->pages));
    pm_element_set_name(switcher, "Pages");
    gtk_widget_add_css_class(row, "page-switcher");
    gtk_box_append(GTK_BOX(row), switcher);
    gtk_widget_add_css_class(box, "pages");
    gtk_box_append(GTK_BOX(box), row);
    gtk_box_append(GTK_BOX(box), window->pages);
    return box;
}

static GtkWidget *make_sides(PmWindow *window)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);

    window->back = pm_element_link("", "win.detail");
    gtk_widget_set_halign(window->back, GTK_ALIGN_START);
    gtk_widget_add_css_class(window->back, "back");
    window->sides = gtk_stack_new();
    gtk_widget_add_css_class(window->sides, "sides");
    gtk_stack_set_hhomogeneous(GTK_STACK(window->sides), FALSE);
    gtk_stack_set_vhomogeneous(GTK_STACK(window->sides), FALSE);
    gtk_stack_add_named(GTK_STACK(window->sides), pm_summary_side_new(window->state), "summary");
    gtk_stack_add_named(GTK_STACK(window->sides), pm_memory_side_new(window->state), "memory");
    window->detail = pm_detail_pane_new(window->state);
    gtk_stack_add_named(GTK_STACK(window->sides), window->detail, "detail");
    gtk_widget_set_vexpand(window->sides, TRUE);
    gtk_box_append(GTK_BOX(box), window->back);
    gtk_box_append(GTK_BOX(box), window->sides);
    return box;
}

static void make_root(PmWindow *window)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0),
              *empty = gtk_box_new(GTK_ORIENTATION_VERTICAL, 12);

    window->state_page = pm_state_page_new();
    gtk_widget_set_vexpand(window->state_page, TRUE);
    window->progress = gtk_progress_bar_new();
    pm_element_set_name(window->progress, "Reading");
    gtk_widget_set_halign(window->progress, GTK_ALIGN_CENTER);
    gtk_widget_set_size_request(window->progress, 320, -1);
    gtk_widget_set_margin_bottom(window->progress, 48);
    window->recent = pm_header_recent_new();
    gtk_menu_button_set_label(GTK_MENU_BUTTON(window->recent), "Recent");
    pm_state_page_add(PM_STATE_PAGE(window->state_page), window->recent);
    gtk_box_append(GTK_BOX(empty), window->state_page);
    GtkWidget *preview = pm_loading_preview_new(window->state);
    gtk_widget_set_margin_start(preview, 48);
    gtk_widget_set_margin_end(preview, 48);
    gtk_box_append(GTK_BOX(empty), preview);
    gtk_box_append(GTK_BOX(empty), window->progress);

    window->charts = pm_charts_new(window->state);
    window->regions =
        pm_regions_new(make_info(window), window->charts, make_pages(window), make_sides(window));
    gtk_widget_set_vexpand(window->regions, TRUE);
    g_signal_connect(window->regions, "squeezed", G_CALLBACK(squeezed_cb), window);

    window->root = gtk_stack_new();
    gtk_stack_add_named(GTK_STACK(window->root), empty, "state");
    gtk_stack_add_named(GTK_STACK(window->root), window->regions, "main");
    window->find = pm_find_bar_new(window->state);
    gtk_box_append(GTK_BOX(box), window->find);
    gtk_box_append(GTK_BOX(box), window->root);
    window->notice = pm_notice_new(box);
    gtk_window_set_child(GTK_WINDOW(window), window->notice);
}

static void pm_window_dispose(GObject *object)
{
    PmWindow *window = PM_WINDOW(object);

    g_clear_handle_id(&window->dim_timer, g_source_remove);
    g_clear_handle_id(&window->bar_timer, g_source_remove);
    g_clear_handle_id(&window->theme_source, g_source_remove);
    if (window->state)
        g_signal_handlers_disconnect_by_data(window->state, window);
    g_clear_pointer(&window->live, pm_live_free);
    g_clear_pointer(&window->loader, pm_loader_free);
    if (window->pages) {
        g_signal_handlers_disconnect_by_data(window->pages, window);
        window->pages = NULL;
    }
    G_OBJECT_CLASS(pm_window_parent_class)->dispose(object);
    g_clear_object(&window->state);
}

/* GTK ends the program at an error of the X server that it did not expect, as when it moves a
 * popover whose window has just been destroyed. None of them is worth losing the window for. */
static void survive_display_errors(void)
{
#ifdef GDK_WINDOWING_X11
    GdkDisplay *display = gdk_display_get_default();

    if (GDK_IS_X11_DISPLAY(display))
        gdk_x11_display_error_trap_push(display); /* never popped */
#endif
}

static void pm_window_class_init(PmWindowClass *class)
{
    survive_display_errors();
    G_OBJECT_CLASS(class)->dispose = pm_window_dispose;
    GTK_WIDGET_CLASS(class)->css_changed = pm_window_css_changed;
}

static void pm_window_init(PmWindow *window)
{
    GtkDropTarget *drop = gtk_drop_target_new(GDK_TYPE_FILE_LIST, GDK_ACTION_COPY);
    PmSettings settings;

    /* All texts are English: from right to left, as in a Hebrew desktop, "12 % by a-*" would be
     * "by a-* % 12", and the axes would not be where the charts are. */
    gtk_widget_set_default_direction(GTK_TEXT_DIR_LTR);
    window->state = pm_state_new();
    window->loader = pm_loader_new(window->state);
    window->live = pm_live_new(window->state, window->loader);
    gtk_widget_add_css_class(GTK_WIDGET(window), "parkmeter");
    gtk_window_set_title(GTK_WINDOW(window), "Parkmeter");
    gtk_window_set_icon_name(GTK_WINDOW(window), "org.parkmeter.Parkmeter");
    pm_settings_load(&settings);
    gtk_window_set_default_size(GTK_WINDOW(window),
                                MAX(settings.width ? settings.width : WIDTH_PX, MIN_WIDTH_PX),
                                MAX(settings.height ? settings.height : HEIGHT_PX, MIN_HEIGHT_PX));
    window->header = pm_header_new(window->state);
    gtk_window_set_titlebar(GTK_WINDOW(window), window->header);
    g_signal_connect(window->state, "changed", G_CALLBACK(before_change_cb), window);
    make_root(window);
    /* F10 is the menu's: GTK would move the focus to the header bar instead. */
    gtk_window_set_handle_menubar_accel(GTK_WINDOW(window), FALSE);
    pm_focus_keeper_watch(GTK_WINDOW(window));
    pm_keys_bind(GTK_WIDGET(window), PM_KEYS_WINDOW);
    g_signal_connect(drop, "drop", G_CALLBACK(drop_cb), window);
    gtk_widget_add_controller(GTK_WIDGET(window), GTK_EVENT_CONTROLLER(drop));
    g_signal_connect(window->state, "changed", G_CALLBACK(changed_cb), window);
    g_signal_connect(window, "close-request", G_CALLBACK(close_request_cb), NULL);
    update_dark(window);
    update_state_page(window);
    update_page(window);
}

PmWindow *pm_window_new(GtkApplication *application)
{
    g_return_val_if_fail(GTK_IS_APPLICATION(application), NULL);
    return g_object_new(PM_TYPE_WINDOW, "application", application, NULL);
}
