#include "viewer/ui/window/jvm-list.h"

#include <string.h>

#include "viewer/report/reply.h"
#include "viewer/report/text.h"
#include "viewer/ui/model/live.h"
#include "viewer/ui/widgets/element.h"

static void chosen_cb(GtkListBox *list, GtkListBoxRow *row, GtkWindow *dialog)
{
    const guint pid = GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(row), "pid"));
    GtkWindow *parent = gtk_window_get_transient_for(dialog);

    gtk_widget_activate_action(GTK_WIDGET(parent), "win.follow", "u", pid);
    gtk_window_destroy(dialog);
}

/* One of parkctl's list: what the JVM's recorder says of itself, which is what it likes. */
static gboolean add_jvm(GtkListBox *list, JsonObject *jvm)
{
    const gint64 pid = pm_reply_int(jvm, "pid");
    const char *name = pm_reply_text(jvm, "main");

    if (pid <= 0 || pid > G_MAXINT32)
        return FALSE;
    GtkWidget *row = gtk_list_box_row_new(), *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 2);
    g_autoptr(GDateTime) since = g_date_time_new_from_unix_local(
        pm_reply_int(jvm, "begin_unix_ns") / G_GINT64_CONSTANT(1000000000));
    g_autofree char *when =
        since ? g_date_time_format(since, "recording since %H:%M:%S") : g_strdup("");
    g_autofree char *bytes =
        g_format_size_full((guint64)MAX(0, pm_reply_int(jvm, "size")), G_FORMAT_SIZE_IEC_UNITS);
    g_autofree char *title =
        g_strdup_printf("%" G_GINT64_FORMAT " · %s", pid, *name ? name : "(does not answer)");
    g_autofree char *below =
        g_strdup_printf("%s · %s · %s", when, bytes, pm_reply_text(jvm, "file"));
    g_autofree char *clean_title = pm_text_clean(title), *clean_below = pm_text_clean(below);
    gtk_box_append(GTK_BOX(box), pm_element_text(clean_title, PM_TEXT_ELLIPSIZE, "pm-sentence"));
    gtk_box_append(GTK_BOX(box), pm_element_text(clean_below, PM_TEXT_ELLIPSIZE, "dim-label"));
    gtk_list_box_row_set_child(GTK_LIST_BOX_ROW(row), box);
    g_object_set_data(G_OBJECT(row), "pid", GUINT_TO_POINTER((guint)pid));
    pm_element_set_name(row, clean_title);
    gtk_list_box_append(list, row);
    return TRUE;
}

/* How many there are. */
static guint add_jvms(GtkListBox *list, const char *answer)
{
    g_autoptr(JsonObject) reply = pm_reply_parse(answer, strlen(answer), NULL);
    JsonArray *jvms = pm_reply_list(reply, "jvms");
    guint n = 0;

    for (guint i = 0; jvms && i < json_array_get_length(jvms); i++) {
        JsonNode *node = json_array_get_element(jvms, i);
        n += JSON_NODE_HOLDS_OBJECT(node) && add_jvm(list, json_node_get_object(node));
    }
    return n;
}

static void listed_cb(GObject *source, GAsyncResult *result, gpointer data)
{
    g_autoptr(GtkWidget) dialog = data;
    g_autofree char *out = NULL, *err = NULL;

    g_subprocess_communicate_utf8_finish(G_SUBPROCESS(source), result, &out, &err, NULL);
    GtkWidget *box = gtk_window_get_child(GTK_WINDOW(dialog));
    if (!box || !gtk_widget_get_visible(dialog))
        return; /* closed meanwhile */
    GtkWidget *text = gtk_widget_get_first_child(box), *list = gtk_widget_get_last_child(box);
    const guint n = add_jvms(GTK_LIST_BOX(list), out ? out : "");
    gtk_label_set_text(
        GTK_LABEL(text),
        n ? "Choose one to follow it; Space pauses."
          : "No JVM with a recorder runs here. Start one with parkctl run -- java …, "
            "or load the recorder with parkctl PID attach.");
    gtk_widget_set_visible(list, n > 0);
    gtk_widget_child_focus(list, GTK_DIR_TAB_FORWARD);
}

void pm_jvm_list_show(GtkWindow *parent)
{
    g_return_if_fail(GTK_IS_WINDOW(parent));
    GtkWidget *dialog = gtk_window_new(), *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 12),
              *text = gtk_label_new("Looking for JVMs with a recorder"), *list = gtk_list_box_new();
    g_autofree char *parkctl = pm_live_parkctl();
    g_autoptr(GSubprocess) child = NULL;

    gtk_window_set_title(GTK_WINDOW(dialog), "Running JVMs");
    gtk_window_set_transient_for(GTK_WINDOW(dialog), parent);
    gtk_window_set_modal(GTK_WINDOW(dialog), TRUE);
    gtk_window_set_destroy_with_parent(GTK_WINDOW(dialog), TRUE);
    gtk_window_set_default_size(GTK_WINDOW(dialog), 560, 240);
    gtk_label_set_wrap(GTK_LABEL(text), TRUE);
    gtk_label_set_xalign(GTK_LABEL(text), 0);
    gtk_label_set_max_width_chars(GTK_LABEL(text), 60);
    gtk_list_box_set_selection_mode(GTK_LIST_BOX(list), GTK_SELECTION_NONE);
    gtk_widget_add_css_class(list, "pm-list");
    gtk_widget_set_visible(list, FALSE);
    pm_element_set_name(list, "Running JVMs");
    gtk_widget_set_margin_start(box, 18);
    gtk_widget_set_margin_end(box, 18);
    gtk_widget_set_margin_top(box, 18);
    gtk_widget_set_margin_bottom(box, 18);
    gtk_box_append(GTK_BOX(box), text);
    gtk_box_append(GTK_BOX(box), list);
    gtk_window_set_child(GTK_WINDOW(dialog), box);
    g_signal_connect(list, "row-activated", G_CALLBACK(chosen_cb), dialog);
    gtk_window_present(GTK_WINDOW(dialog));
    if (parkctl) {
        child = g_subprocess_new(G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_SILENCE,
                                 NULL, parkctl, "list", "--format=json", NULL);
    }
    if (child) {
        g_subprocess_communicate_utf8_async(child, NULL, NULL, listed_cb, g_object_ref(dialog));
    } else {
        gtk_label_set_text(GTK_LABEL(text),
                           "parkctl, which lists them, is neither beside this program nor on the "
                           "PATH.");
    }
}
