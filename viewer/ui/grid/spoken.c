#include "viewer/ui/grid/spoken.h"

#include <string.h>

#include "viewer/ui/widgets/element.h"

void pm_spoken_hide(GtkWidget *widget, gboolean hidden)
{
    g_return_if_fail(GTK_IS_WIDGET(widget));
    gtk_accessible_update_state(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_STATE_HIDDEN, hidden, -1);
}

static void call(GtkWidget *widget, const char *name)
{
    gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
}

static void hide(GtkWidget *widget)
{
    pm_spoken_hide(widget, TRUE);
}

/* The first text in it; NULL = none. Borrowed. */
static const char *text_in(GtkWidget *widget)
{
    if (GTK_IS_LABEL(widget) && *gtk_label_get_text(GTK_LABEL(widget)))
        return gtk_label_get_text(GTK_LABEL(widget));
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
         child = gtk_widget_get_next_sibling(child)) {
        const char *text = text_in(child);
        if (text)
            return text;
    }
    return NULL;
}

static void name_by_text(GtkWidget *widget)
{
    const char *text = pm_element_get_name(widget) ? NULL : text_in(widget);

    if (text)
        call(widget, text);
}

/* Rows of a table have the sentence that it gave them. */
static void name_row(GtkWidget *widget)
{
    if (!gtk_widget_get_ancestor(widget, GTK_TYPE_COLUMN_VIEW))
        name_by_text(widget);
}

static void name_as_above(GtkWidget *widget)
{
    const char *name = pm_element_get_name(gtk_widget_get_parent(widget));

    if (name)
        call(widget, name);
}

/* After what it is in. Borrowed. */
static const char *name_around(GtkWidget *widget)
{
    const char *name = NULL;

    for (; widget && !name; widget = gtk_widget_get_parent(widget))
        name = pm_element_get_name(widget);
    return name ? name : "Part of the window";
}

static void name_by_place(GtkWidget *widget)
{
    call(widget, name_around(widget));
}

/* Of a window's own buttons; NULL = it is none. */
static const char *window_button(GtkWidget *widget)
{
    static const struct {
        const char *css, *name;
    } all[] = {{"minimize", "Minimise"}, {"maximize", "Maximise"}, {"close", "Close"}};

    if (!gtk_widget_get_ancestor(widget, GTK_TYPE_WINDOW_CONTROLS))
        return NULL;
    for (guint i = 0; i < G_N_ELEMENTS(all); i++)
        if (gtk_widget_has_css_class(widget, all[i].css))
            return all[i].name;
    return NULL;
}

/* One with a picture alone: its tooltip says what it does. */
static void name_button(GtkWidget *widget)
{
    const char *text = text_in(widget);

    if (pm_element_get_name(widget) || gtk_button_get_label(GTK_BUTTON(widget)) ||
        gtk_widget_get_ancestor(widget, GTK_TYPE_DROP_DOWN) ||
        gtk_widget_get_ancestor(widget, GTK_TYPE_MENU_BUTTON))
        return;
    if (!text)
        text = gtk_widget_get_tooltip_text(widget);
    if (!text)
        text = window_button(widget);
    if (!text && gtk_widget_get_ancestor(widget, GTK_TYPE_SHORTCUTS_WINDOW))
        text = "Search";
    call(widget, text ? text : name_around(widget));
}

static void label_changed(GtkLabel *label, GParamSpec *spec, gpointer data)
{
    pm_spoken_hide(GTK_WIDGET(label), !*gtk_label_get_text(label));
}

/* One that is empty is called by its class otherwise. */
static void watch_label(GtkWidget *widget)
{
    if (gtk_widget_get_ancestor(widget, GTK_TYPE_COLUMN_VIEW))
        return;
    g_signal_handlers_disconnect_by_func(widget, label_changed, NULL);
    g_signal_connect(widget, "notify::label", G_CALLBACK(label_changed), NULL);
    label_changed(GTK_LABEL(widget), NULL, NULL);
}

static void page_changed(GtkStack *stack, GParamSpec *spec, gpointer data)
{
    g_autoptr(GtkSelectionModel) pages = gtk_stack_get_pages(stack);
    GtkWidget *shown = gtk_stack_get_visible_child(stack);

    for (guint i = 0; i < g_list_model_get_n_items(G_LIST_MODEL(pages)); i++) {
        g_autoptr(GObject) item = g_list_model_get_item(G_LIST_MODEL(pages), i);
        GtkStackPage *page = GTK_STACK_PAGE(item);
        const char *name = pm_element_get_name(gtk_stack_page_get_child(page));
        if (!name)
            name = gtk_stack_page_get_title(page);
        if (!name)
            name = gtk_stack_page_get_name(page);
        gtk_accessible_update_property(GTK_ACCESSIBLE(page), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                       name ? name : name_around(GTK_WIDGET(stack)), -1);
        pm_spoken_hide(gtk_stack_page_get_child(page), gtk_stack_page_get_child(page) != shown);
    }
}

static void watch_stack(GtkWidget *widget)
{
    g_signal_handlers_disconnect_by_func(widget, page_changed, NULL);
    g_signal_connect(widget, "notify::visible-child", G_CALLBACK(page_changed), NULL);
    page_changed(GTK_STACK(widget), NULL, NULL);
}

static void choice_changed(GtkDropDown *drop, GParamSpec *spec, gpointer data)
{
    GObject *item = gtk_drop_down_get_selected_item(drop);
    GtkWidget *button = gtk_widget_get_first_child(GTK_WIDGET(drop));
    const char *name = pm_element_get_name(GTK_WIDGET(drop));
    const char *chosen =
        GTK_IS_STRING_OBJECT(item) ? gtk_string_object_get_string(GTK_STRING_OBJECT(item))
        : GTK_IS_FILE_FILTER(item) ? gtk_file_filter_get_name(GTK_FILE_FILTER(item))
                                   : text_in(GTK_WIDGET(drop));
    g_autofree char *text =
        g_strdup_printf("%s: %s", name ? name : "Choice", chosen ? chosen : "none");

    if (!name)
        call(GTK_WIDGET(drop), "Choice");
    call(button, text);
    if (gtk_widget_get_first_child(button))
        hide(gtk_widget_get_first_child(button));
}

/* Its button has the focus, so that says what is chosen. */
static void watch_choice(GtkWidget *widget)
{
    g_signal_handlers_disconnect_by_func(widget, choice_changed, NULL);
    g_signal_connect(widget, "notify::selected-item", G_CALLBACK(choice_changed), NULL);
    choice_changed(GTK_DROP_DOWN(widget), NULL, NULL);
}

/* "Ctrl+F", not key by key. */
static void name_shortcut(GtkWidget *widget)
{
    GtkShortcutLabel *label = (GtkShortcutLabel *)widget;
    g_auto(GStrv) each = g_strsplit(gtk_shortcut_label_get_accelerator(label), " ", -1);
    g_autoptr(GString) text = g_string_new(NULL);

    for (guint i = 0; each[i]; i++) {
        guint key;
        GdkModifierType held;
        if (!gtk_accelerator_parse(each[i], &key, &held))
            continue;
        g_autofree char *name = gtk_accelerator_get_label(key, held);
        g_string_append_printf(text, "%s%s", text->len ? " or " : "", name);
    }
    call(widget, text->str);
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
         child = gtk_widget_get_next_sibling(child))
        hide(child);
}

/* By the names of their classes: most are GTK's own. Those with a name have it where nobody gave
 * them another. */
static const struct {
    const char *type, *name;
    void (*tell)(GtkWidget *widget);
} parts[] = {
    {"AdwWindowTitle", "Title", NULL},
    {"GtkActionBar", "Kinds of files", NULL},
    {"GtkBuiltinIcon", NULL, hide},
    {"GtkButton", NULL, name_button},
    {"GtkColumnListView", NULL, name_as_above},
    {"GtkDropDown", NULL, watch_choice},
    {"GtkFileChooserWidget", "Files and folders", NULL},
    {"GtkFlowBoxChild", NULL, name_by_text},
    {"GtkImage", NULL, hide},
    {"GtkInfoBar", "Message", NULL},
    {"GtkLabel", NULL, watch_label},
    {"GtkListBox", "Places", NULL},
    {"GtkListItemWidget", NULL, name_row},
    {"GtkMenuButton", NULL, name_by_text},
    {"GtkPaned", "Places and files", NULL},
    {"GtkPanedHandle", NULL, hide},
    {"GtkPathBar", "Folders", NULL},
    {"GtkPlacesSidebar", "Places", NULL},
    {"GtkPopoverContent", "Menu", NULL},
    {"GtkPopoverMenu", "Menu", NULL},
    {"GtkScrollbar", NULL, hide},
    {"GtkScrolledWindow", NULL, name_by_place},
    {"GtkSearchBar", "Search", NULL},
    {"GtkSearchEntry", "Search", NULL},
    {"GtkShortcutLabel", NULL, name_shortcut},
    {"GtkShortcutsSection", "Keys", NULL},
    {"GtkSidebarRow", NULL, name_by_text},
    {"GtkStack", NULL, watch_stack},
    {"GtkToggleButton", NULL, name_button},
    {"GtkTreeView", "Files", NULL},
};

static void tell(GtkWidget *widget)
{
    for (guint i = 0; i < G_N_ELEMENTS(parts); i++) {
        if (strcmp(G_OBJECT_TYPE_NAME(widget), parts[i].type))
            continue;
        if (parts[i].tell)
            parts[i].tell(widget);
        else if (!pm_element_get_name(widget))
            call(widget, parts[i].name);
    }
}

static void tell_all(GtkWidget *widget)
{
    tell(widget);
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
         child = gtk_widget_get_next_sibling(child))
        tell_all(child);
}

/* A new window is told of with what it does not show yet: GTK lists that, too. */
static gboolean mapped(GSignalInvocationHint *hint, guint n, const GValue *values, gpointer data)
{
    GtkWidget *widget = g_value_get_object(&values[0]);

    if (GTK_IS_NATIVE(widget))
        tell_all(widget);
    else
        tell(widget);
    return TRUE;
}

void pm_spoken_watch(void)
{
    static gulong hook;
    gpointer class = g_type_class_ref(GTK_TYPE_WIDGET);

    if (!hook)
        hook = g_signal_add_emission_hook(g_signal_lookup("map", GTK_TYPE_WIDGET), 0, mapped, NULL,
                                          NULL);
    g_type_class_unref(class);
}
