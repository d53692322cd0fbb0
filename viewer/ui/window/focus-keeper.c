#include "viewer/ui/window/focus-keeper.h"

typedef struct {
    GtkWindow *window; /* which holds this */
    GtkWidget *focus;  /* watched; counted; NULL = none */
    GtkWidget *above;  /* its parent, as well: with it goes a row that is scrolled out of it */
    GPtrArray *around; /* the last focus that could be seen, then what is above it; counted */
    guint source;
} Keeper;

static void let_go_of(Keeper *keeper, GtkWidget **widget)
{
    if (*widget)
        g_signal_handlers_disconnect_by_data(*widget, keeper);
    g_clear_object(widget);
}

/* Before the lists are taken apart, whose rows it holds. */
static void keeper_let_go(Keeper *keeper)
{
    let_go_of(keeper, &keeper->focus);
    let_go_of(keeper, &keeper->above);
    g_clear_handle_id(&keeper->source, g_source_remove);
    g_ptr_array_set_size(keeper->around, 0);
}

static void keeper_free(gpointer data)
{
    Keeper *keeper = data;

    keeper_let_go(keeper);
    g_ptr_array_unref(keeper->around);
    g_free(keeper);
}

/* Keys go there. A row that is scrolled out of its list is not mapped, but it is at its place. */
static gboolean is_there(Keeper *keeper, GtkWidget *widget)
{
    if (!widget || gtk_widget_get_root(widget) != GTK_ROOT(keeper->window))
        return FALSE;
    GtkWidget *above = gtk_widget_get_parent(widget);
    return gtk_widget_get_mapped(widget) ||
           (gtk_widget_get_visible(widget) && above && gtk_widget_get_mapped(above));
}

static gboolean is_kept(Keeper *keeper)
{
    return is_there(keeper, gtk_window_get_focus(keeper->window));
}

/* Of the tabs of pages, that of the page that is shown. */
static void enter_chosen_tab(GtkWidget *tab)
{
    if (!tab || !GTK_IS_STACK_SWITCHER(gtk_widget_get_parent(tab)))
        return;
    tab = gtk_widget_get_first_child(gtk_widget_get_parent(tab));
    while (tab &&
           !(GTK_IS_TOGGLE_BUTTON(tab) && gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(tab))))
        tab = gtk_widget_get_next_sibling(tab);
    if (tab)
        gtk_widget_grab_focus(tab);
}

/* What grab_focus() reports is not enough: in a container it also takes what is hidden there, such
 * as the first page of a stack that shows another. */
static gboolean enter(Keeper *keeper, GtkWidget *widget)
{
    /* A divider takes the focus, but nobody looks for it there. */
    if (!is_there(keeper, widget) || GTK_IS_PANED(widget))
        return FALSE;
    gtk_widget_grab_focus(widget);
    if (is_kept(keeper))
        return TRUE;
    /* Else it would look for what comes after the hidden one. */
    gtk_window_set_focus(keeper->window, NULL);
    gtk_widget_child_focus(widget, GTK_DIR_TAB_FORWARD);
    enter_chosen_tab(gtk_window_get_focus(keeper->window));
    return is_kept(keeper);
}

static gboolean move_cb(gpointer data)
{
    Keeper *keeper = data;
    g_autoptr(GPtrArray) around = g_ptr_array_ref(keeper->around);
    gboolean kept = is_kept(keeper);

    for (guint i = 0; i < around->len && !kept; i++)
        kept = enter(keeper, around->pdata[i]);
    if (!kept)
        enter(keeper, GTK_WIDGET(keeper->window));
    keeper->source = 0; /* only now: moves ask for it again */
    return G_SOURCE_REMOVE;
}

/* Not at once: what is around it may be about to go, too. But before any key comes. */
static void move_soon(Keeper *keeper)
{
    if (!keeper->source && gtk_widget_get_mapped(GTK_WIDGET(keeper->window)))
        keeper->source = g_idle_add_full(G_PRIORITY_HIGH, move_cb, keeper, NULL);
}

static void focus_cb(GtkWindow *window, GParamSpec *spec, Keeper *keeper)
{
    GtkWidget *focus = gtk_window_get_focus(window);

    let_go_of(keeper, &keeper->focus);
    let_go_of(keeper, &keeper->above);
    if (focus) {
        keeper->focus = g_object_ref(focus);
        g_signal_connect_swapped(focus, "unmap", G_CALLBACK(move_soon), keeper);
        g_signal_connect_swapped(focus, "notify::root", G_CALLBACK(move_soon), keeper);
        if (g_set_object(&keeper->above, gtk_widget_get_parent(focus)))
            g_signal_connect_swapped(keeper->above, "unmap", G_CALLBACK(move_soon), keeper);
    }
    if (!is_there(keeper, focus)) {
        move_soon(keeper);
        return;
    }
    g_ptr_array_unref(keeper->around);
    keeper->around = g_ptr_array_new_with_free_func(g_object_unref);
    for (; focus; focus = gtk_widget_get_parent(focus))
        if (focus != GTK_WIDGET(window))
            g_ptr_array_add(keeper->around, g_object_ref(focus));
}

void pm_focus_keeper_watch(GtkWindow *window)
{
    g_return_if_fail(GTK_IS_WINDOW(window));
    Keeper *keeper = g_new0(Keeper, 1);

    keeper->window = window;
    keeper->around = g_ptr_array_new_with_free_func(g_object_unref);
    g_object_set_data_full(G_OBJECT(window), "focus-keeper", keeper, keeper_free);
    g_signal_connect(window, "notify::focus-widget", G_CALLBACK(focus_cb), keeper);
    g_signal_connect_swapped(window, "unmap", G_CALLBACK(keeper_let_go), keeper);
}
