#include "viewer/ui/window/find-bar.h"

#include "viewer/report/time-text.h"
#include "viewer/ui/widgets/element.h"

#define PM_TYPE_FIND_BAR (pm_find_bar_get_type())
G_DECLARE_FINAL_TYPE(PmFindBar, pm_find_bar, PM, FIND_BAR, GtkBox)

struct _PmFindBar {
    GtkBox parent_instance;
    PmState *state;
    PmFind find;
    GtkWidget *title, *text, *steps, *found, *time, *why; /* steps: a box of two buttons */
};

G_DEFINE_FINAL_TYPE(PmFindBar, pm_find_bar, GTK_TYPE_BOX)

static void search_changed_cb(GtkSearchEntry *entry, PmFindBar *bar)
{
    pm_state_set_search(bar->state, gtk_editable_get_text(GTK_EDITABLE(entry)));
}

static void search_activate_cb(GtkSearchEntry *entry, PmFindBar *bar)
{
    pm_state_set_search(bar->state, gtk_editable_get_text(GTK_EDITABLE(entry)));
    pm_state_search_step(bar->state, 1);
}

static void search_next_cb(GtkSearchEntry *entry, PmFindBar *bar)
{
    pm_state_search_step(bar->state, 1);
}

static void search_previous_cb(GtkSearchEntry *entry, PmFindBar *bar)
{
    pm_state_search_step(bar->state, -1);
}

static void changed_cb(PmState *state, guint mask, PmFindBar *bar)
{
    guint at;

    if (!(mask & (PM_CHANGE_FOUND | PM_CHANGE_PAGE)))
        return;
    const guint n = pm_state_get_found(state, &at);
    g_autofree char *text = !*pm_state_get_search(state) || mask & PM_CHANGE_PAGE ? g_strdup("")
                            : n ? g_strdup_printf("%u of %u", at, n)
                                : g_strdup("No row of this page");
    gtk_label_set_text(GTK_LABEL(bar->found), text);
}

/* Back to the page: else keys go to whatever stands beside the bar. */
static void leave(PmFindBar *bar)
{
    pm_find_bar_show(GTK_WIDGET(bar), PM_FIND_NONE);
    gtk_widget_activate_action(GTK_WIDGET(bar), "win.page", "s",
                               pm_page_name(pm_state_get_page(bar->state)));
}

static void stop_cb(GtkWidget *entry, PmFindBar *bar)
{
    leave(bar);
}

/* Centres what is visible on the time; the zoom stays, but from the whole it goes to a tenth. */
static void time_activate_cb(GtkEntry *entry, PmFindBar *bar)
{
    PmRecording *recording = pm_state_get_recording(bar->state);
    const char *why = NULL;
    gint64 at, from, to, begin, end;

    if (!recording)
        return;
    if (!pm_time_parse(recording, gtk_editable_get_text(GTK_EDITABLE(entry)), &at, &why)) {
        gtk_label_set_text(GTK_LABEL(bar->why), why);
        return;
    }
    pm_state_get_whole(bar->state, &begin, &end);
    if (at < begin || at > end) {
        gtk_label_set_text(GTK_LABEL(bar->why), "That is outside the recording");
        return;
    }
    gtk_label_set_text(GTK_LABEL(bar->why), "");
    pm_state_get_visible(bar->state, &from, &to);
    gint64 width = from == begin && to == end ? (end - begin) / 10 : to - from;
    pm_state_set_visible(bar->state, at - width / 2, at - width / 2 + width);
}

static void time_changed_cb(GtkEditable *editable, PmFindBar *bar)
{
    gtk_label_set_text(GTK_LABEL(bar->why), "");
}

static gboolean escape_cb(GtkWidget *widget, GVariant *args, gpointer data)
{
    leave(data);
    return TRUE;
}

static void pm_find_bar_dispose(GObject *object)
{
    g_clear_object(&PM_FIND_BAR(object)->state);
    G_OBJECT_CLASS(pm_find_bar_parent_class)->dispose(object);
}

static void pm_find_bar_class_init(PmFindBarClass *class)
{
    G_OBJECT_CLASS(class)->dispose = pm_find_bar_dispose;
}

static void pm_find_bar_init(PmFindBar *bar)
{
    GtkEventController *keys = gtk_shortcut_controller_new();

    gtk_widget_add_css_class(GTK_WIDGET(bar), "find-bar");
    gtk_box_set_spacing(GTK_BOX(bar), 8);
    bar->title = gtk_label_new("");
    bar->text = gtk_search_entry_new();
    gtk_widget_set_hexpand(bar->text, TRUE);
    pm_element_set_name(bar->text, "Search for a name");
    bar->time = gtk_entry_new();
    gtk_entry_set_placeholder_text(GTK_ENTRY(bar->time), "14:02:10, -5m or +90s");
    gtk_editable_set_width_chars(GTK_EDITABLE(bar->time), 28);
    pm_element_set_name(bar->time, "Go to a time");
    bar->why = gtk_label_new("");
    gtk_widget_add_css_class(bar->why, "why");
    gtk_label_set_ellipsize(GTK_LABEL(bar->why), PANGO_ELLIPSIZE_END);
    gtk_box_append(GTK_BOX(bar), bar->title);
    gtk_box_append(GTK_BOX(bar), bar->text);
    bar->found = gtk_label_new("");
    gtk_widget_add_css_class(bar->found, "numeric");
    gtk_box_append(GTK_BOX(bar), bar->found);
    bar->steps = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
    gtk_widget_add_css_class(bar->steps, "linked");
    gtk_box_append(
        GTK_BOX(bar->steps),
        pm_element_icon_button("go-up-symbolic", "win.search-previous", "Previous match"));
    gtk_box_append(GTK_BOX(bar->steps),
                   pm_element_icon_button("go-down-symbolic", "win.search-next", "Next match"));
    gtk_box_append(GTK_BOX(bar), bar->steps);
    gtk_box_append(GTK_BOX(bar), bar->time);
    gtk_box_append(GTK_BOX(bar), bar->why);
    g_signal_connect(bar->text, "search-changed", G_CALLBACK(search_changed_cb), bar);
    g_signal_connect(bar->text, "activate", G_CALLBACK(search_activate_cb), bar);
    g_signal_connect(bar->text, "next-match", G_CALLBACK(search_next_cb), bar);
    g_signal_connect(bar->text, "previous-match", G_CALLBACK(search_previous_cb), bar);
    g_signal_connect(bar->text, "stop-search", G_CALLBACK(stop_cb), bar);
    g_signal_connect(bar->time, "activate", G_CALLBACK(time_activate_cb), bar);
    g_signal_connect(bar->time, "changed", G_CALLBACK(time_changed_cb), bar);
    gtk_shortcut_controller_add_shortcut(
        GTK_SHORTCUT_CONTROLLER(keys),
        gtk_shortcut_new(gtk_keyval_trigger_new(GDK_KEY_Escape, 0),
                         gtk_callback_action_new(escape_cb, bar, NULL)));
    gtk_widget_add_controller(GTK_WIDGET(bar), keys);
    gtk_widget_set_visible(GTK_WIDGET(bar), FALSE);
}

GtkWidget *pm_find_bar_new(PmState *state)
{
    g_return_val_if_fail(PM_IS_STATE(state), NULL);
    PmFindBar *bar = g_object_new(PM_TYPE_FIND_BAR, NULL);

    bar->state = g_object_ref(state);
    g_signal_connect_object(state, "changed", G_CALLBACK(changed_cb), bar, 0);
    return GTK_WIDGET(bar);
}

void pm_find_bar_show(GtkWidget *widget, PmFind find)
{
    PmFindBar *bar = PM_FIND_BAR(widget);

    bar->find = find;
    gtk_widget_set_visible(widget, find != PM_FIND_NONE);
    gtk_widget_set_visible(bar->text, find == PM_FIND_TEXT);
    gtk_widget_set_visible(bar->found, find == PM_FIND_TEXT);
    gtk_widget_set_visible(bar->steps, find == PM_FIND_TEXT);
    gtk_widget_set_visible(bar->time, find == PM_FIND_TIME);
    gtk_label_set_text(GTK_LABEL(bar->title), find == PM_FIND_TIME ? "Go to" : "Search");
    gtk_label_set_text(GTK_LABEL(bar->why), "");
    if (find == PM_FIND_NONE) {
        gtk_editable_set_text(GTK_EDITABLE(bar->text), "");
        pm_state_set_search(bar->state, "");
    } else {
        gtk_widget_grab_focus(find == PM_FIND_TIME ? bar->time : bar->text);
    }
}

PmFind pm_find_bar_get(GtkWidget *widget)
{
    return PM_FIND_BAR(widget)->find;
}
