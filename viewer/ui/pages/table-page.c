#include "viewer/ui/pages/table-page.h"

#define MAX_DEPTH PM_N_ASPECTS

struct _PmTablePage {
    PmScaffold parent_instance;
    const PmTableKind *kind;
    GtkWidget *count; /* NULL where the page has a bar of its own */
    PmGrid *grid;
    PmJob *job;            /* the scaffold's */
    gboolean focus_wanted; /* by the rows, once they are there */
};

G_DEFINE_FINAL_TYPE(PmTablePage, pm_table_page, PM_TYPE_SCAFFOLD)

static PmState *state_of(PmTablePage *page)
{
    return pm_scaffold_get_state(PM_SCAFFOLD(page));
}

/* Takes both. */
static void set_rows(PmTablePage *page, gpointer rows, char *count)
{
    pm_grid_set_data(page->grid, rows, rows && pm_state_is_dragging(state_of(page)));
    if (page->count)
        gtk_label_set_text(GTK_LABEL(page->count), count ? count : "");
    g_free(count);
    if (!rows || !page->focus_wanted)
        return;
    /* Unless the user went elsewhere meanwhile. */
    page->focus_wanted = FALSE;
    if (gtk_widget_get_focus_child(GTK_WIDGET(page)))
        gtk_widget_grab_focus(GTK_WIDGET(page));
}

static void show_selection(PmTablePage *page)
{
    if (!page->kind->select(state_of(page), page->grid))
        pm_grid_select(page->grid, NULL, 0);
}

static void answered_cb(gpointer answer, gpointer data)
{
    PmTablePage *page = data;
    char *count = NULL;
    gpointer rows = page->kind->answered(state_of(page), answer, &count);

    if (rows)
        pm_scaffold_show_content(PM_SCAFFOLD(page));
    else if (page->kind->explain)
        page->kind->explain(PM_SCAFFOLD(page), state_of(page));
    set_rows(page, rows, count);
    show_selection(page);
}

static void pm_table_page_show(PmScaffold *scaffold)
{
    PmTablePage *page = PM_TABLE_PAGE(scaffold);
    const PmTableKind *kind = page->kind;
    PmState *state = state_of(page);
    const gboolean any = !kind->of_waits || pm_scaffold_show_waits(scaffold);
    gpointer question = any && kind->question ? kind->question(state) : NULL;
    char *count = NULL;
    gpointer rows = any && kind->rows ? kind->rows(state, &count) : NULL;

    /* The rows of the last answer stay until there are others. */
    if (rows || !question)
        set_rows(page, rows, count);
    if (question)
        pm_job_ask(page->job, question);
    show_selection(page);
}

static void search(PmTablePage *page, int direction)
{
    const char *text = pm_state_get_search(state_of(page));
    guint at;

    if (!gtk_widget_get_mapped(GTK_WIDGET(page)))
        return;
    pm_grid_search(page->grid, text, direction);
    const guint n = pm_grid_count_matches(page->grid, text, &at);
    pm_state_set_found(state_of(page), at, n);
}

static void pm_table_page_changed(PmScaffold *scaffold, guint mask)
{
    PmTablePage *page = PM_TABLE_PAGE(scaffold);

    if (mask & PM_CHANGE_RECORDING)
        set_rows(page, NULL, NULL);
    if (mask & PM_CHANGE_SELECTION && !(mask & page->kind->changes))
        show_selection(page);
    if (mask & PM_CHANGE_SEARCH)
        search(page, +1);
}

static void selected_cb(PmGrid *grid, PmTablePage *page)
{
    gpointer items[MAX_DEPTH];
    const guint n = pm_grid_get_selected(grid, items, MAX_DEPTH);

    if (n)
        page->kind->chosen(state_of(page), items, n);
    else
        pm_state_set_selection(state_of(page), NULL);
}

static void activated_cb(PmGrid *grid, PmTablePage *page)
{
    pm_state_set_detail(state_of(page), TRUE);
}

static void hovered_cb(PmGrid *grid, PmTablePage *page)
{
    page->kind->hovered(state_of(page), pm_grid_get_hovered(grid));
}

static void search_step_cb(PmState *state, int direction, PmTablePage *page)
{
    search(page, direction);
}

static void copy_action(GSimpleAction *action, GVariant *value, gpointer data)
{
    pm_grid_copy(PM_TABLE_PAGE(data)->grid);
}

static void menu_action(GSimpleAction *action, GVariant *value, gpointer data)
{
    pm_grid_popup_menu(PM_TABLE_PAGE(data)->grid);
}

static gboolean pm_table_page_grab_focus(GtkWidget *widget)
{
    PmTablePage *page = PM_TABLE_PAGE(widget);

    if (!gtk_widget_get_mapped(widget))
        return FALSE; /* GTK asks hidden pages, too */
    page->focus_wanted = !gtk_widget_grab_focus(GTK_WIDGET(page->grid));
    if (page->focus_wanted)
        return FALSE;
    page->focus_wanted = pm_grid_n_rows(page->grid) == 0; /* for the first of them, once there */
    if (!pm_state_get_selection(state_of(page))->n)
        pm_grid_select_first(page->grid);
    return TRUE;
}

static void pm_table_page_class_init(PmTablePageClass *class)
{
    PM_SCAFFOLD_CLASS(class)->show = pm_table_page_show;
    PM_SCAFFOLD_CLASS(class)->changed = pm_table_page_changed;
    GTK_WIDGET_CLASS(class)->grab_focus = pm_table_page_grab_focus;
    gtk_widget_class_set_css_name(GTK_WIDGET_CLASS(class), "pm-table-page");
}

static void pm_table_page_init(PmTablePage *page)
{
}

static GtkWidget *count_new(void)
{
    GtkWidget *count = gtk_label_new(NULL);

    gtk_label_set_xalign(GTK_LABEL(count), 0);
    gtk_widget_add_css_class(count, "dim-label");
    return count;
}

GtkWidget *pm_table_page_new(PmState *state, const PmTableKind *kind, GtkWidget *start)
{
    g_return_val_if_fail(PM_IS_STATE(state), NULL);
    static const GActionEntry actions[] = {{.name = "copy", .activate = copy_action},
                                           {.name = "menu", .activate = menu_action}};
    PmTablePage *page = g_object_new(PM_TYPE_TABLE_PAGE, NULL);
    GtkWidget *bar = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);

    page->kind = kind;
    page->grid = pm_grid_new(kind->shape);
    if (!start)
        start = page->count = count_new();
    gtk_widget_set_hexpand(start, TRUE);
    gtk_widget_add_css_class(bar, "pm-page-bar");
    gtk_box_append(GTK_BOX(bar), start);
    gtk_box_append(GTK_BOX(bar), pm_grid_sort_button(page->grid));
    gtk_box_append(GTK_BOX(bar), pm_grid_columns_button(page->grid));
    pm_scaffold_set_up(PM_SCAFFOLD(page), state, bar, GTK_WIDGET(page->grid), kind->changes);
    pm_scaffold_add_actions(PM_SCAFFOLD(page), actions, G_N_ELEMENTS(actions), page);
    if (kind->question) {
        page->job =
            pm_job_new(kind->run, kind->free_question, kind->free_answer, answered_cb, page);
        pm_scaffold_set_job(PM_SCAFFOLD(page), page->job);
    }
    g_signal_connect(page->grid, "selected", G_CALLBACK(selected_cb), page);
    g_signal_connect(page->grid, "activated", G_CALLBACK(activated_cb), page);
    if (kind->hovered)
        g_signal_connect(page->grid, "hovered", G_CALLBACK(hovered_cb), page);
    g_signal_connect(state, "search-step", G_CALLBACK(search_step_cb), page);
    return GTK_WIDGET(page);
}

PmGrid *pm_table_page_get_grid(PmTablePage *page)
{
    g_return_val_if_fail(PM_IS_TABLE_PAGE(page), NULL);
    return page->grid;
}
