#include "viewer/ui/window/jvm-list.h"

#include <string.h>

#include "viewer/analysis/recording/label.h"
#include "viewer/report/reply.h"
#include "viewer/report/text.h"
#include "viewer/ui/model/live.h"
#include "viewer/ui/widgets/element.h"

/* What the dialog is made of; freed with it. */
typedef struct {
    GtkWidget *window, *via, *text, *scroller, *list;
    char *listed;   /* the command whose JVMs are shown */
    guint attached; /* the JVM that is given a recorder */
    GCancellable *cancel;
} JvmList;

static void free_list(gpointer data)
{
    JvmList *dialog = data;

    g_cancellable_cancel(dialog->cancel);
    g_object_unref(dialog->cancel);
    g_free(dialog->listed);
    g_free(dialog);
}

static void follow(JvmList *dialog, guint pid)
{
    GtkWindow *window = GTK_WINDOW(dialog->window), *parent = gtk_window_get_transient_for(window);

    gtk_widget_activate_action(GTK_WIDGET(parent), "win.follow", "(us)", pid, dialog->listed);
    gtk_window_destroy(window);
}

static void chosen_cb(GtkListBox *list, GtkListBoxRow *row, JvmList *dialog)
{
    follow(dialog, GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(row), "pid")));
}

static void attached_cb(GObject *source, GAsyncResult *result, gpointer data)
{
    g_autofree char *err = NULL;
    g_autoptr(GError) error = NULL;

    g_subprocess_communicate_utf8_finish(G_SUBPROCESS(source), result, NULL, &err, &error);
    if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        return; /* closed or asked again meanwhile */
    JvmList *dialog = data;
    if (g_subprocess_get_successful(G_SUBPROCESS(source))) {
        follow(dialog, dialog->attached);
        return;
    }
    g_autofree char *why = pm_text_clean(err && *err ? g_strstrip(err) : "It was not loaded.");
    gtk_label_set_text(GTK_LABEL(dialog->text), why);
    gtk_widget_set_sensitive(dialog->list, TRUE);
}

/* Loads the recorder into a JVM of this machine, and follows it. */
static void attach_cb(GtkButton *button, JvmList *dialog)
{
    g_autofree char *parkctl = pm_live_parkctl();

    dialog->attached = GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(button), "pid"));
    g_autofree char *pid = g_strdup_printf("%u", dialog->attached);
    g_autofree char *text = g_strdup_printf("Loading the recorder into JVM %s", pid);
    g_autoptr(GSubprocess) child =
        g_subprocess_new(G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE, NULL,
                         parkctl ? parkctl : "parkctl", pid, "attach", NULL);

    if (!child)
        return;
    gtk_label_set_text(GTK_LABEL(dialog->text), text);
    gtk_widget_set_sensitive(dialog->list, FALSE);
    g_subprocess_communicate_utf8_async(child, NULL, dialog->cancel, attached_cb, dialog);
}

/* Beside a JVM that has no recorder. */
static GtkWidget *attach_button_new(JvmList *dialog, guint pid, const char *title)
{
    GtkWidget *button = gtk_button_new_with_label("Attach");
    g_autofree char *name = g_strdup_printf("Attach: load the recorder into %s", title);

    g_object_set_data(G_OBJECT(button), "pid", GUINT_TO_POINTER(pid));
    gtk_widget_set_tooltip_text(button, "Load the recorder into this JVM, and follow it");
    gtk_widget_set_valign(button, GTK_ALIGN_CENTER);
    pm_element_set_name(button, name);
    g_signal_connect(button, "clicked", G_CALLBACK(attach_cb), dialog);
    return button;
}

/* One of parkctl's list: what the JVM's recorder says of itself, which is what it likes. */
static gboolean add_jvm(JvmList *dialog, JsonObject *jvm)
{
    const gint64 pid = pm_reply_int(jvm, "pid");
    const char *name = pm_reply_text(jvm, "main");

    if (pid <= 0 || pid > G_MAXINT32)
        return FALSE;
    const gboolean recorder = !pm_reply_flag(jvm, "no_recorder");
    GtkWidget *row = gtk_list_box_row_new(), *line = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 12),
              *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 2);
    g_autoptr(GDateTime) since = g_date_time_new_from_unix_local(
        pm_reply_int(jvm, "begin_unix_ns") / G_GINT64_CONSTANT(1000000000));
    g_autofree char *when =
        since ? g_date_time_format(since, "recording since %H:%M:%S") : g_strdup("");
    g_autofree char *bytes = pm_label_bytes((guint64)MAX(0, pm_reply_int(jvm, "size")));
    g_autofree char *title =
        g_strdup_printf("%" G_GINT64_FORMAT " · %s", pid, *name ? name : "(does not answer)");
    g_autofree char *below =
        recorder ? g_strdup_printf("%s · %s · %s", when, bytes, pm_reply_text(jvm, "file"))
                 : g_strdup("no recorder");
    g_autofree char *clean_title = pm_text_clean(title), *clean_below = pm_text_clean(below);
    gtk_box_append(GTK_BOX(box), pm_element_text(clean_title, PM_TEXT_ELLIPSIZE, "pm-sentence"));
    gtk_box_append(GTK_BOX(box), pm_element_text(clean_below, PM_TEXT_ELLIPSIZE, "dim-label"));
    gtk_widget_set_hexpand(box, TRUE);
    gtk_box_append(GTK_BOX(line), box);
    if (!recorder)
        gtk_box_append(GTK_BOX(line), attach_button_new(dialog, (guint)pid, clean_title));
    gtk_list_box_row_set_child(GTK_LIST_BOX_ROW(row), line);
    gtk_list_box_row_set_activatable(GTK_LIST_BOX_ROW(row), recorder);
    gtk_widget_set_focusable(row, recorder);
    g_object_set_data(G_OBJECT(row), "pid", GUINT_TO_POINTER((guint)pid));
    pm_element_set_name(row, clean_title);
    gtk_list_box_append(GTK_LIST_BOX(dialog->list), row);
    return TRUE;
}

/* How many there are. */
static guint add_jvms(JvmList *dialog, const char *answer)
{
    g_autoptr(JsonObject) reply = pm_reply_parse(answer, strlen(answer), NULL);
    JsonArray *jvms = pm_reply_list(reply, "jvms");
    guint n = 0;

    for (guint i = 0; jvms && i < json_array_get_length(jvms); i++) {
        JsonNode *node = json_array_get_element(jvms, i);
        n += JSON_NODE_HOLDS_OBJECT(node) && add_jvm(dialog, json_node_get_object(node));
    }
    return n;
}

static void clear(GtkListBox *list)
{
    GtkWidget *row;

    while ((row = GTK_WIDGET(gtk_list_box_get_row_at_index(list, 0))))
        gtk_list_box_remove(list, row);
}

static void listed_cb(GObject *source, GAsyncResult *result, gpointer data)
{
    g_autofree char *out = NULL, *err = NULL;
    g_autoptr(GError) error = NULL;

    g_subprocess_communicate_utf8_finish(G_SUBPROCESS(source), result, &out, &err, &error);
    if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        return; /* closed or asked again meanwhile */
    JvmList *dialog = data;
    const guint n = add_jvms(dialog, out ? out : "");
    g_autofree char *why = pm_text_clean(err && *err ? g_strstrip(err) : "");
    if (n > 0)
        gtk_label_set_text(GTK_LABEL(dialog->text), "Choose one to follow it; Space pauses.");
    else if (!g_subprocess_get_successful(G_SUBPROCESS(source)) && *why)
        gtk_label_set_text(GTK_LABEL(dialog->text), why);
    else
        gtk_label_set_text(GTK_LABEL(dialog->text),
                           *dialog->listed
                               ? "No JVM with a recorder runs there."
                               : "No JVM runs here. Start one with parkctl run -- java …");
    gtk_widget_set_visible(dialog->scroller, n > 0);
    if (n > 0)
        gtk_widget_child_focus(dialog->list, GTK_DIR_TAB_FORWARD);
}

static void ask(JvmList *dialog)
{
    g_autofree char *parkctl = pm_live_parkctl(), *via = NULL;
    g_autoptr(GSubprocess) child = NULL;

    g_cancellable_cancel(dialog->cancel);
    g_object_unref(dialog->cancel);
    dialog->cancel = g_cancellable_new();
    g_free(dialog->listed);
    dialog->listed = g_strdup(gtk_editable_get_text(GTK_EDITABLE(dialog->via)));
    clear(GTK_LIST_BOX(dialog->list));
    gtk_widget_set_visible(dialog->scroller, FALSE);
    gtk_label_set_text(GTK_LABEL(dialog->text), "Looking for JVMs");
    via = g_strconcat("--via=", dialog->listed, NULL);
    if (parkctl) {
        const char *here[] = {parkctl, "list", "--format=json", "--all", NULL};
        const char *there[] = {parkctl, via, "list", "--format=json", NULL};
        child = g_subprocess_newv(*dialog->listed ? there : here,
                                  G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE,
                                  NULL);
    }
    if (child)
        g_subprocess_communicate_utf8_async(child, NULL, dialog->cancel, listed_cb, dialog);
    else
        gtk_label_set_text(GTK_LABEL(dialog->text),
                           "parkctl, which lists them, is neither beside this program nor on the "
                           "PATH.");
}

static void via_cb(GtkEntry *entry, JvmList *dialog)
{
    ask(dialog);
}

void pm_jvm_list_show(GtkWindow *parent, const char *via)
{
    g_return_if_fail(GTK_IS_WINDOW(parent));
    JvmList *dialog = g_new0(JvmList, 1);
    GtkWidget *window = gtk_window_new(), *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 12),
              *line = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 12);

    *dialog = (JvmList){.window = window,
                        .via = gtk_entry_new(),
                        .text = gtk_label_new(""),
                        .scroller = gtk_scrolled_window_new(),
                        .list = gtk_list_box_new(),
                        .cancel = g_cancellable_new()};
    g_object_set_data_full(G_OBJECT(window), "jvm-list", dialog, free_list);
    gtk_window_set_title(GTK_WINDOW(window), PM_JVM_LIST_TITLE);
    gtk_window_set_transient_for(GTK_WINDOW(window), parent);
    gtk_window_set_modal(GTK_WINDOW(window), TRUE);
    gtk_window_set_destroy_with_parent(GTK_WINDOW(window), TRUE);
    gtk_window_set_default_size(GTK_WINDOW(window), 560, 360);
    gtk_entry_set_placeholder_text(GTK_ENTRY(dialog->via), "ssh HOST, or kubectl exec POD --");
    gtk_editable_set_text(GTK_EDITABLE(dialog->via), via ? via : "");
    gtk_widget_set_hexpand(dialog->via, TRUE);
    gtk_widget_set_tooltip_text(dialog->via,
                                "Empty: this machine. Else a command that leads to where JVMs run "
                                "and parkctl is installed; Enter lists them");
    pm_element_set_name(dialog->via, "Command that reaches the JVMs");
    gtk_box_append(GTK_BOX(line), gtk_label_new("Through"));
    gtk_box_append(GTK_BOX(line), dialog->via);
    gtk_label_set_wrap(GTK_LABEL(dialog->text), TRUE);
    gtk_label_set_xalign(GTK_LABEL(dialog->text), 0);
    gtk_label_set_max_width_chars(GTK_LABEL(dialog->text), 60);
    gtk_list_box_set_selection_mode(GTK_LIST_BOX(dialog->list), GTK_SELECTION_NONE);
    gtk_widget_add_css_class(dialog->list, "pm-list");
    pm_element_set_name(dialog->list, PM_JVM_LIST_TITLE);
    gtk_widget_set_margin_start(box, 18);
    gtk_widget_set_margin_end(box, 18);
    gtk_widget_set_margin_top(box, 18);
    gtk_widget_set_margin_bottom(box, 18);
    gtk_box_append(GTK_BOX(box), line);
    gtk_box_append(GTK_BOX(box), dialog->text);
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(dialog->scroller), dialog->list);
    gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(dialog->scroller), GTK_POLICY_NEVER,
                                   GTK_POLICY_AUTOMATIC);
    gtk_scrolled_window_set_propagate_natural_height(GTK_SCROLLED_WINDOW(dialog->scroller), TRUE);
    gtk_scrolled_window_set_max_content_height(GTK_SCROLLED_WINDOW(dialog->scroller), 400);
    gtk_box_append(GTK_BOX(box), dialog->scroller);
    gtk_window_set_child(GTK_WINDOW(window), box);
    g_signal_connect(dialog->list, "row-activated", G_CALLBACK(chosen_cb), dialog);
    g_signal_connect(dialog->via, "activate", G_CALLBACK(via_cb), dialog);
    gtk_window_present(GTK_WINDOW(window));
    ask(dialog);
}
