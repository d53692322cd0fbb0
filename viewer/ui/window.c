#include "viewer/ui/window.h"

struct _PmWindow {
    GtkApplicationWindow parent_instance;
    PmState *state;
};

G_DEFINE_FINAL_TYPE(PmWindow, pm_window, GTK_TYPE_APPLICATION_WINDOW)

PmState *pm_window_get_state(PmWindow *window)
{
    return window->state;
}

static void pm_window_dispose(GObject *object)
{
    g_clear_object(&PM_WINDOW(object)->state);
    G_OBJECT_CLASS(pm_window_parent_class)->dispose(object);
}

static void pm_window_class_init(PmWindowClass *class)
{
    G_OBJECT_CLASS(class)->dispose = pm_window_dispose;
}

static void pm_window_init(PmWindow *window)
{
    window->state = pm_state_new();
}

PmWindow *pm_window_new(GtkApplication *application)
{
    return g_object_new(PM_TYPE_WINDOW, "application", application, NULL);
}

void pm_window_open(PmWindow *window, GFile *file)
{
}

void pm_window_focus_page(PmWindow *window)
{
    gtk_widget_child_focus(GTK_WIDGET(window), GTK_DIR_TAB_FORWARD);
}
