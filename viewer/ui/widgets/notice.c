#include "viewer/ui/widgets/notice.h"

#define SHOWN_MS 2000

typedef struct {
    GtkWidget *revealer, *label;
    guint timer;
} Notice;

static Notice *notice_of(GtkWidget *overlay)
{
    return g_object_get_data(G_OBJECT(overlay), "pm-notice");
}

static gboolean hide_cb(gpointer data)
{
    Notice *notice = data;

    notice->timer = 0;
    gtk_revealer_set_reveal_child(GTK_REVEALER(notice->revealer), FALSE);
    return G_SOURCE_REMOVE;
}

static void destroy_cb(GtkWidget *overlay, Notice *notice)
{
    g_clear_handle_id(&notice->timer, g_source_remove);
}

GtkWidget *pm_notice_new(GtkWidget *content)
{
    g_return_val_if_fail(GTK_IS_WIDGET(content), NULL);
    /* By themselves both have the names of their classes. */
    GtkWidget *overlay =
        g_object_new(GTK_TYPE_OVERLAY, "accessible-role", GTK_ACCESSIBLE_ROLE_GROUP, NULL);
    Notice *notice = g_new0(Notice, 1);

    notice->label = g_object_new(GTK_TYPE_LABEL, "accessible-role", GTK_ACCESSIBLE_ROLE_ALERT,
                                 "wrap", TRUE, "max-width-chars", 60, NULL);
    gtk_widget_add_css_class(notice->label, "notice");
    notice->revealer =
        g_object_new(GTK_TYPE_REVEALER, "accessible-role", GTK_ACCESSIBLE_ROLE_GROUP,
                     "transition-type", GTK_REVEALER_TRANSITION_TYPE_CROSSFADE, NULL);
    gtk_revealer_set_child(GTK_REVEALER(notice->revealer), notice->label);
    gtk_widget_set_halign(notice->revealer, GTK_ALIGN_CENTER);
    gtk_widget_set_valign(notice->revealer, GTK_ALIGN_END);
    gtk_widget_set_can_target(notice->revealer, FALSE);
    gtk_overlay_set_child(GTK_OVERLAY(overlay), content);
    gtk_overlay_add_overlay(GTK_OVERLAY(overlay), notice->revealer);
    g_object_set_data_full(G_OBJECT(overlay), "pm-notice", notice, g_free);
    g_signal_connect(overlay, "destroy", G_CALLBACK(destroy_cb), notice);
    return overlay;
}

void pm_notice_say(GtkWidget *overlay, const char *text)
{
    g_return_if_fail(GTK_IS_OVERLAY(overlay) && notice_of(overlay) && text);
    Notice *notice = notice_of(overlay);

    gtk_label_set_text(GTK_LABEL(notice->label), text);
    gtk_revealer_set_reveal_child(GTK_REVEALER(notice->revealer), TRUE);
    g_clear_handle_id(&notice->timer, g_source_remove);
    notice->timer = g_timeout_add(SHOWN_MS, hide_cb, notice);
}
