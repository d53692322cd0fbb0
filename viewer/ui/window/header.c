#include "viewer/ui/window/header.h"

#include <adwaita.h>

#include "viewer/analysis/recording/label.h"
#include "viewer/report/text.h"
#include "viewer/ui/model/number.h"
#include "viewer/ui/model/state-text.h"
#include "viewer/ui/widgets/element.h"

#define RECENT_MAX 8
#define NS         G_GINT64_CONSTANT(1000000000)

#define PM_TYPE_HEADER (pm_header_get_type())
G_DECLARE_FINAL_TYPE(PmHeader, pm_header, PM, HEADER, GtkWidget)

struct _PmHeader {
    GtkWidget parent_instance;
    PmState *state;
    GtkWidget *bar, *title, *menu, *recent, *pause;
};

G_DEFINE_FINAL_TYPE(PmHeader, pm_header, GTK_TYPE_WIDGET)

/* "orders-service.jar · orders.park"; `path`: NULL = of our own making. Owned. */
static char *title_text(const PmRecording *recording, const char *path)
{
    g_autofree char *name = path ? pm_state_text_file(path) : NULL;
    const char *main =
        recording->facts.main && *recording->facts.main ? recording->facts.main : "?";

    return g_strjoin(" · ", main, name, NULL);
}

/* "pid 2217 · 5 min · 24 118 waits · 21 Nov 2026 14:00:00 – 14:05:00 UTC+1": what is cut first
 * comes last. `live`: "paused", or "". */
static char *subtitle_text(const PmRecording *recording, const char *live)
{
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    gint64 zone = recording->facts.utc_offset_s;
    g_autoptr(GDateTime) utc = g_date_time_new_from_unix_utc(
        (recording->facts.begin_unix_ns + recording->window_begin) / NS + zone);
    g_autofree char *date =
        utc ? g_strdup_printf("%d %s %d", g_date_time_get_day_of_month(utc),
                              months[g_date_time_get_month(utc) - 1], g_date_time_get_year(utc))
            : g_strdup("?");
    g_autofree char *from = pm_label_clock(recording, recording->window_begin, 0);
    g_autofree char *to = pm_label_clock(recording, recording->duration, 0);
    g_autofree char *length = pm_label_duration(recording->duration - recording->window_begin);
    g_autofree char *waits = recording->waits.n || !recording->n_damage
                                 ? pm_number_plural((gint64)recording->waits.n, "wait", "waits")
                                 : g_strdup("no wait can be read");
    GString *offset = g_string_new("UTC");

    if (zone != 0) {
        g_string_append_printf(offset, "%c%" G_GINT64_FORMAT, zone < 0 ? '-' : '+',
                               ABS(zone) / 3600);
        if (ABS(zone) / 60 % 60 != 0)
            g_string_append_printf(offset, ":%02" G_GINT64_FORMAT, ABS(zone) / 60 % 60);
    }
    GString *text = g_string_new(live);
    if (*live)
        g_string_append(text, " · ");
    if (recording->facts.pid)
        g_string_append_printf(text, "pid %u · ", recording->facts.pid);
    g_string_append_printf(text, "%s · %s · %s %s – %s %s", length, waits, date, from, to,
                           offset->str);
    g_string_free(offset, TRUE);
    return g_string_free(text, FALSE);
}

static gint newest_first(gconstpointer a, gconstpointer b)
{
    return g_date_time_compare(gtk_recent_info_get_modified((GtkRecentInfo *)b),
                               gtk_recent_info_get_modified((GtkRecentInfo *)a));
}

/* The newest recordings this program opened. */
static GMenu *recent_menu(void)
{
    GMenu *menu = g_menu_new();
    GList *items = gtk_recent_manager_get_items(gtk_recent_manager_get_default());
    guint n = 0;

    items = g_list_sort(items, newest_first);
    for (GList *item = items; item && n < RECENT_MAX; item = item->next) {
        GtkRecentInfo *info = item->data;
        if (!gtk_recent_info_has_application(info, "parkmeter") || !gtk_recent_info_exists(info))
            continue;
        GMenuItem *entry = g_menu_item_new(gtk_recent_info_get_display_name(info), NULL);
        g_menu_item_set_action_and_target(entry, "win.open-recent", "s",
                                          gtk_recent_info_get_uri(info));
        g_menu_append_item(menu, entry);
        g_object_unref(entry);
        n++;
    }
    g_list_free_full(items, (GDestroyNotify)gtk_recent_info_unref);
    if (n == 0)
        g_menu_append(menu, "No recent recordings", "win.none");
    return menu;
}

static void fill_recent_cb(GtkMenuButton *button, gpointer data)
{
    g_autoptr(GMenu) menu = recent_menu();

    gtk_menu_button_set_menu_model(button, G_MENU_MODEL(menu));
}

GtkWidget *pm_header_recent_new(void)
{
    GtkWidget *recent = gtk_menu_button_new();

    gtk_widget_set_tooltip_text(recent, "Recent recordings");
    gtk_menu_button_set_create_popup_func(GTK_MENU_BUTTON(recent), fill_recent_cb, NULL, NULL);
    pm_element_set_name(recent, "Recent recordings");
    return recent;
}

static void set_title(PmHeader *header, const char *title, const char *subtitle,
                      const char *tooltip)
{
    adw_window_title_set_title(ADW_WINDOW_TITLE(header->title), title);
    adw_window_title_set_subtitle(ADW_WINDOW_TITLE(header->title), subtitle);
    gtk_widget_set_tooltip_text(header->title, tooltip);
}

static void update(PmHeader *header)
{
    PmRecording *recording = pm_state_get_recording(header->state);
    const PmLoading *loading = pm_state_get_loading(header->state);

    const PmLiveState following = pm_state_get_live(header->state);
    gtk_widget_set_visible(header->pause,
                           following == PM_LIVE_FOLLOWING || following == PM_LIVE_PAUSED);
    gtk_button_set_icon_name(GTK_BUTTON(header->pause), following == PM_LIVE_PAUSED
                                                            ? "media-playback-start-symbolic"
                                                            : "media-playback-pause-symbolic");
    if (!recording) {
        set_title(header, "Parkmeter", "", NULL);
        return;
    }
    g_autofree char *named =
        title_text(recording, following == PM_LIVE_OFF ? recording->facts.file : NULL);
    static const char *const live[] = {
        [PM_LIVE_OFF] = "",
        [PM_LIVE_FOLLOWING] = "live",
        [PM_LIVE_PAUSED] = "paused",
        [PM_LIVE_ENDED] = "ended",
    };
    g_autofree char *title = pm_text_clean(named);
    g_autofree char *path = pm_text_clean(loading->path ? loading->path : "");
    g_autofree char *subtitle = subtitle_text(recording, live[following]);
    g_autofree char *tooltip = g_strjoin("\n", *path ? path : title, subtitle, NULL);
    set_title(header, title, subtitle, tooltip);
    GtkRoot *root = gtk_widget_get_root(GTK_WIDGET(header));
    g_autofree char *whole = g_strjoin(" · ", title, subtitle, NULL);
    if (GTK_IS_WINDOW(root))
        gtk_window_set_title(GTK_WINDOW(root), whole);
}

static void changed_cb(PmState *state, guint mask, PmHeader *header)
{
    if (mask & (PM_CHANGE_RECORDING | PM_CHANGE_RENEWED | PM_CHANGE_LOADING | PM_CHANGE_LIVE))
        update(header);
}

static GMenuModel *main_menu(void)
{
    GMenu *menu = g_menu_new();
    GMenu *file = g_menu_new(), *view = g_menu_new(), *help = g_menu_new();

    g_menu_append(file, "Running JVMs…", "win.running-jvms");
    g_menu_append(file, "Keep a Copy…", "win.save");
    g_menu_append(file, "Save the View as a Picture…", "win.save-view");
    g_menu_append(view, "Go to a Time…", "win.go-to-time");
    g_menu_append(view, "Show Idle Waits", "win.toggle-idle");
    g_menu_append(view, "Detail Pane", "win.detail");
    g_menu_append(view, "Dark", "win.dark");
    g_menu_append(view, "Full Screen", "win.fullscreen");
    g_menu_append(help, "Guide", "win.help");
    g_menu_append(help, "Keyboard Shortcuts", "win.shortcuts");
    g_menu_append(help, "About Parkmeter", "win.about");
    g_menu_append_section(menu, NULL, G_MENU_MODEL(file));
    g_menu_append_section(menu, NULL, G_MENU_MODEL(view));
    g_menu_append_section(menu, NULL, G_MENU_MODEL(help));
    g_object_unref(file);
    g_object_unref(view);
    g_object_unref(help);
    return G_MENU_MODEL(menu);
}

static void pm_header_dispose(GObject *object)
{
    PmHeader *header = PM_HEADER(object);

    g_clear_pointer(&header->bar, gtk_widget_unparent);
    g_clear_object(&header->state);
    G_OBJECT_CLASS(pm_header_parent_class)->dispose(object);
}

static void pm_header_class_init(PmHeaderClass *class)
{
    G_OBJECT_CLASS(class)->dispose = pm_header_dispose;
    gtk_widget_class_set_layout_manager_type(GTK_WIDGET_CLASS(class), GTK_TYPE_BIN_LAYOUT);
    gtk_widget_class_set_accessible_role(GTK_WIDGET_CLASS(class), GTK_ACCESSIBLE_ROLE_GROUP);
}

static void pm_header_init(PmHeader *header)
{
    GtkWidget *open = gtk_button_new_with_label("Open"),
              *opens = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0),
              *steps = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);

    header->bar = gtk_header_bar_new();
    pm_element_set_name(GTK_WIDGET(header), "Header bar");
    gtk_widget_set_parent(header->bar, GTK_WIDGET(header));

    gtk_actionable_set_action_name(GTK_ACTIONABLE(open), "win.open");
    gtk_widget_set_tooltip_text(open, "Open a recording (Ctrl+O)");
    header->recent = pm_header_recent_new();
    gtk_widget_add_css_class(opens, "linked");
    gtk_box_append(GTK_BOX(opens), open);
    gtk_box_append(GTK_BOX(opens), header->recent);
    gtk_header_bar_pack_start(GTK_HEADER_BAR(header->bar), opens);

    gtk_widget_add_css_class(steps, "linked");
    gtk_box_append(GTK_BOX(steps),
                   pm_element_icon_button("go-previous-symbolic", "win.back", "Back (Alt+←)"));
    gtk_box_append(GTK_BOX(steps),
                   pm_element_icon_button("go-next-symbolic", "win.forward", "Forward (Alt+→)"));
    gtk_header_bar_pack_start(GTK_HEADER_BAR(header->bar), steps);

    header->title = adw_window_title_new("Parkmeter", "");
    gtk_header_bar_set_title_widget(GTK_HEADER_BAR(header->bar), header->title);

    header->menu = gtk_menu_button_new();
    GMenuModel *model = main_menu();
    gtk_menu_button_set_icon_name(GTK_MENU_BUTTON(header->menu), "open-menu-symbolic");
    gtk_menu_button_set_menu_model(GTK_MENU_BUTTON(header->menu), model);
    g_object_unref(model);
    gtk_widget_set_tooltip_text(header->menu, "Menu (F10)");
    pm_element_set_name(header->menu, "Menu");
    gtk_header_bar_pack_end(GTK_HEADER_BAR(header->bar), header->menu);

    header->pause = pm_element_icon_button("media-playback-pause-symbolic", "win.toggle-follow",
                                           "Pause or go on following (Space)");
    gtk_widget_set_visible(header->pause, FALSE);
    gtk_header_bar_pack_end(GTK_HEADER_BAR(header->bar), header->pause);

    GtkWidget *detail = gtk_toggle_button_new();
    gtk_button_set_icon_name(GTK_BUTTON(detail), "sidebar-show-right-symbolic");
    gtk_actionable_set_action_name(GTK_ACTIONABLE(detail), "win.detail");
    gtk_widget_set_tooltip_text(detail, "Detail pane (F9)");
    pm_element_set_name(detail, "Detail pane");
    gtk_header_bar_pack_end(GTK_HEADER_BAR(header->bar), detail);
    gtk_header_bar_pack_end(
        GTK_HEADER_BAR(header->bar),
        pm_element_icon_button("system-search-symbolic", "win.search", "Search (Ctrl+F)"));
}

GtkWidget *pm_header_new(PmState *state)
{
    g_return_val_if_fail(PM_IS_STATE(state), NULL);
    PmHeader *header = g_object_new(PM_TYPE_HEADER, NULL);

    header->state = g_object_ref(state);
    g_signal_connect_object(state, "changed", G_CALLBACK(changed_cb), header, 0);
    return GTK_WIDGET(header);
}

void pm_header_pop_menu(GtkWidget *header)
{
    gtk_menu_button_popup(GTK_MENU_BUTTON(PM_HEADER(header)->menu));
}
