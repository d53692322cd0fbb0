/* The columns of the grid: which are shown, how wide, the order of rows by them, and their menus.
 */
#include "viewer/ui/grid/grid-private.h"

#include <string.h>

#include "viewer/ui/widgets/element.h"

/* The least width of a name, where bars would rather go, and of a column that takes free width too.
 */
#define NAME_PX       300
#define TIGHT_NAME_PX 200
#define WIDE_PX       140

/* At each side of a cell's text: page-style.c. */
#define CELL_PADDING_PX 6

gboolean pm_grid_column_is_number(const PmGridColumn *column)
{
    return column->unit != PM_GRID_TEXT;
}

gboolean pm_grid_column_is_sortable(const PmGridColumn *column)
{
    return pm_grid_column_is_number(column) || column->text;
}

static void name_title(GtkWidget *title, const PmGridColumn *column)
{
    g_autofree char *name = g_strdup_printf("%s %s", column->title, column->help);

    pm_element_set_name(title, name);
}

guint pm_grid_column_index(PmGrid *grid, const char *id)
{
    for (guint i = 0; i < grid->shape->n_columns; i++)
        if (!strcmp(grid->shape->columns[i].id, id))
            return i;
    return grid->shape->n_columns;
}

gboolean pm_grid_is_shown(PmGrid *grid, guint index, guint *ret_position)
{
    GListModel *shown = gtk_column_view_get_columns(grid->view);

    for (guint i = 0; i < g_list_model_get_n_items(shown); i++) {
        g_autoptr(GtkColumnViewColumn) column = g_list_model_get_item(shown, i);
        if (column == grid->columns[index].shown) {
            *ret_position = i;
            return TRUE;
        }
    }
    return FALSE;
}

static const PmGridColumn *column_of_title(PmGrid *grid, GtkWidget *title)
{
    if (GTK_IS_LABEL(title))
        for (guint i = 0; i < grid->shape->n_columns; i++)
            if (!strcmp(gtk_label_get_text(GTK_LABEL(title)), grid->shape->columns[i].title))
                return &grid->shape->columns[i];
    for (GtkWidget *child = gtk_widget_get_first_child(title); child;
         child = gtk_widget_get_next_sibling(child)) {
        const PmGridColumn *column = column_of_title(grid, child);
        if (column)
            return column;
    }
    return NULL;
}

void pm_grid_align_titles(PmGrid *grid)
{
    GtkWidget *header = gtk_widget_get_first_child(GTK_WIDGET(grid->view));

    pm_element_set_name(header, "Columns");
    for (GtkWidget *title = gtk_widget_get_first_child(header); title;
         title = gtk_widget_get_next_sibling(title)) {
        const PmGridColumn *column = column_of_title(grid, title);
        GtkWidget *box = gtk_widget_get_first_child(title);
        if (!column)
            continue;
        if (box && pm_grid_column_is_number(column) && (!column->make || column->text))
            gtk_widget_set_halign(box, GTK_ALIGN_END);
        gtk_widget_set_tooltip_text(title, column->help);
        name_title(title, column);
    }
}

/* Columns are taken out, not made invisible: GTK 4.8 keeps the room of invisible ones. */
static void show_column(PmGrid *grid, guint index, gboolean shown)
{
    guint position, before = 0;

    if (pm_grid_is_shown(grid, index, &position) == shown)
        return;
    if (!shown) {
        /* Before it is gone, GTK says that rows are no longer sorted by it. */
        const gboolean sorting = grid->sorting;
        grid->sorting = TRUE;
        gtk_column_view_remove_column(grid->view, grid->columns[index].shown);
        grid->sorting = sorting;
        return;
    }
    for (guint i = 0; i < index; i++)
        before += pm_grid_is_shown(grid, i, &position);
    gtk_column_view_insert_column(grid->view, before, grid->columns[index].shown);
    pm_grid_align_titles(grid);
}

gboolean pm_grid_is_wanted(PmGrid *grid, guint index)
{
    g_autofree char *name = g_strdup_printf("column-%s", grid->shape->columns[index].id);
    g_autoptr(GVariant) wanted =
        g_action_group_get_action_state(G_ACTION_GROUP(grid->actions), name);

    return g_variant_get_boolean(wanted);
}

/* A column is as wide as it was made for, or as its largest number is. */
static double least_width(PmGrid *grid, guint index, double scale)
{
    const PmGridColumn *column = &grid->shape->columns[index];
    const double made_for = scale * (column->flags & PM_GRID_NAME ? NAME_PX
                                     : column->width_px           ? column->width_px
                                                                  : WIDE_PX);
    int width;

    if (!column->width_px || column->unit == PM_GRID_TEXT || !grid->data)
        return made_for;
    g_autofree char *number = pm_grid_value_text(grid, index, grid->columns[index].most);
    g_autofree char *text = g_strconcat(column->flags & PM_GRID_GUESS ? "~" : "", number, NULL);
    g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(GTK_WIDGET(grid), text);
    pango_layout_get_pixel_size(layout, &width, NULL);
    return MAX(made_for, width + 2 * CELL_PADDING_PX + 2); /* labels round up */
}

/* Whether what must be there leaves names no room. */
static gboolean is_tight(PmGrid *grid, double width, double scale)
{
    double used = 0;

    for (guint i = 0; i < grid->shape->n_columns; i++) {
        const PmGridColumn *column = &grid->shape->columns[i];
        if (column->flags & PM_GRID_NAME)
            used += scale * TIGHT_NAME_PX;
        else if (!(column->flags & PM_GRID_SPARE) && pm_grid_is_wanted(grid, i))
            used += least_width(grid, i, scale);
    }
    return used > width;
}

static int tight_width(const PmGridColumn *column)
{
    GtkWidget *cell = g_object_ref_sink(column->make());
    int width;

    gtk_widget_measure(cell, GTK_ORIENTATION_HORIZONTAL, -1, &width, NULL, NULL, NULL);
    g_object_unref(cell);
    return width + 2 * CELL_PADDING_PX;
}

/* Shows what is wanted and fits; never without what it is sorted by. */
static void fit_columns(PmGrid *grid)
{
    const PmGridShape *shape = grid->shape;
    GtkAdjustment *sideways =
        gtk_scrolled_window_get_hadjustment(GTK_SCROLLED_WINDOW(grid->scroller));
    const double width = gtk_adjustment_get_page_size(sideways);
    const double scale = pm_element_letter_scale(GTK_WIDGET(grid));
    const gboolean tight = is_tight(grid, width, scale);
    double used = 0;

    for (guint i = 0; i < shape->n_columns; i++)
        if (shape->columns[i].width_px)
            gtk_column_view_column_set_fixed_width(grid->columns[i].shown,
                                                   tight && shape->columns[i].flags & PM_GRID_TIGHT
                                                       ? tight_width(&shape->columns[i])
                                                       : (int)least_width(grid, i, scale));
    for (guint pass = 0; pass < 2; pass++) { /* those that must be there, then the spare ones */
        gboolean full = FALSE;
        for (guint i = 0; i < shape->n_columns; i++) {
            const gboolean kept =
                grid->columns[i].chosen ||
                (shape->columns[i].flags & PM_GRID_SPARE && i == grid->sort_column);
            const gboolean spare = shape->columns[i].flags & PM_GRID_SPARE && !kept && width > 0;
            if (spare != (pass == 1) || !pm_grid_is_wanted(grid, i))
                continue;
            const double least = least_width(grid, i, scale);
            full = full || (spare && used + least > width);
            /* What the user asks for does not drive others out. */
            used += full || kept ? 0 : least;
            show_column(grid, i, !full);
        }
    }
}

/* GTK 4.8 does not tell which title was clicked. So every column has a sorter that only notes that
 * it was asked: comparing two dummies asks the primary one first, and a descending one turns the
 * answer round. */
static const PmGridColumn *asked;

static int note_asked(gconstpointer a, gconstpointer b, gpointer column)
{
    asked = column;
    return -1;
}

void pm_grid_title_clicked(GtkSorter *sorter, GtkSorterChange change, PmGrid *grid)
{
    g_autoptr(PmRow) a = NULL, b = NULL;

    if (grid->sorting)
        return;
    a = g_object_new(PM_TYPE_ROW, NULL);
    b = g_object_new(PM_TYPE_ROW, NULL);
    asked = NULL;
    const GtkOrdering ordering = gtk_sorter_compare(sorter, a, b);
    if (!asked)
        return;
    const guint index = (guint)(asked - grid->shape->columns);
    gboolean descending = ordering == GTK_ORDERING_LARGER;
    /* A number's first order is biggest first. */
    if (index != grid->sort_column && pm_grid_column_is_number(asked))
        descending = TRUE;
    pm_grid_sort_by(grid, asked->id, descending);
}

void pm_grid_sort_by(PmGrid *grid, const char *column_id, gboolean descending)
{
    g_return_if_fail(PM_IS_GRID(grid));
    const guint index = pm_grid_column_index(grid, column_id);

    g_return_if_fail(index < grid->shape->n_columns);
    grid->sort_column = index;
    grid->descending = descending;
    if (grid->scroller) {
        /* What rows are sorted by is to be seen. */
        const gboolean chosen = grid->columns[index].chosen;
        pm_grid_set_column_shown(grid, column_id, TRUE);
        grid->columns[index].chosen = chosen;
        fit_columns(grid);
    }
    grid->sorting = TRUE;
    gtk_column_view_sort_by_column(grid->view, grid->columns[index].shown,
                                   descending ? GTK_SORT_DESCENDING : GTK_SORT_ASCENDING);
    grid->sorting = FALSE;
    GAction *action = g_action_map_lookup_action(G_ACTION_MAP(grid->actions), "sort");
    g_simple_action_set_state(G_SIMPLE_ACTION(action), g_variant_new_string(column_id));
    action = g_action_map_lookup_action(G_ACTION_MAP(grid->actions), "descending");
    g_simple_action_set_state(G_SIMPLE_ACTION(action), g_variant_new_boolean(descending));
    if (grid->data)
        pm_grid_rebuild(grid, grid->data, FALSE);
}

static void sort_action(GSimpleAction *action, GVariant *value, gpointer user_data)
{
    PmGrid *grid = user_data;
    const char *id = g_variant_get_string(value, NULL);
    const guint index = pm_grid_column_index(grid, id);

    if (index < grid->shape->n_columns)
        pm_grid_sort_by(grid, id, pm_grid_column_is_number(&grid->shape->columns[index]));
}

static void descending_action(GSimpleAction *action, GVariant *value, gpointer user_data)
{
    PmGrid *grid = user_data;

    pm_grid_sort_by(grid, grid->shape->columns[grid->sort_column].id, g_variant_get_boolean(value));
}

static gboolean fit_cb(gpointer user_data)
{
    PmGrid *grid = user_data;

    grid->fit_source = 0;
    fit_columns(grid);
    return G_SOURCE_REMOVE;
}

void pm_grid_fit_soon(PmGrid *grid)
{
    if (!grid->fit_source)
        grid->fit_source = g_idle_add_full(G_PRIORITY_HIGH_IDLE, fit_cb, grid, NULL);
}

void pm_grid_width_changed(GtkAdjustment *sideways, GParamSpec *spec, PmGrid *grid)
{
    pm_grid_fit_soon(grid);
}

static void column_action(GSimpleAction *action, GVariant *value, gpointer user_data)
{
    PmGrid *grid = user_data;
    const char *id = g_action_get_name(G_ACTION(action)) + strlen("column-");
    const guint index = pm_grid_column_index(grid, id);

    g_simple_action_set_state(action, value);
    grid->columns[index].chosen = g_variant_get_boolean(value);
    if (!grid->columns[index].chosen)
        show_column(grid, index, FALSE);
    fit_columns(grid);
}

void pm_grid_set_column_shown(PmGrid *grid, const char *column_id, gboolean shown)
{
    g_return_if_fail(PM_IS_GRID(grid));
    g_autofree char *name = g_strdup_printf("column-%s", column_id);

    g_action_group_change_action_state(G_ACTION_GROUP(grid->actions), name,
                                       g_variant_new_boolean(shown));
}

static GtkWidget *menu_button_new(PmGrid *grid, const char *label, GMenuModel *menu)
{
    GtkWidget *button = gtk_menu_button_new();

    gtk_menu_button_set_label(GTK_MENU_BUTTON(button), label);
    gtk_menu_button_set_menu_model(GTK_MENU_BUTTON(button), menu);
    gtk_menu_button_set_has_frame(GTK_MENU_BUTTON(button), FALSE);
    gtk_widget_insert_action_group(button, "grid", G_ACTION_GROUP(grid->actions));
    return button;
}

GtkWidget *pm_grid_sort_button(PmGrid *grid)
{
    g_return_val_if_fail(PM_IS_GRID(grid), NULL);
    g_autoptr(GMenu) menu = g_menu_new(), columns = g_menu_new(), order = g_menu_new();

    for (guint i = 0; i < grid->shape->n_columns; i++) {
        const PmGridColumn *column = &grid->shape->columns[i];
        if (!pm_grid_column_is_sortable(column))
            continue;
        g_autofree char *action = g_strdup_printf("grid.sort::%s", column->id);
        g_menu_append(columns, column->title, action);
    }
    g_menu_append_section(menu, NULL, G_MENU_MODEL(columns));
    g_menu_append(order, "Biggest first", "grid.descending");
    g_menu_append_section(menu, NULL, G_MENU_MODEL(order));
    return menu_button_new(grid, "Sort", G_MENU_MODEL(menu));
}

GtkWidget *pm_grid_columns_button(PmGrid *grid)
{
    g_return_val_if_fail(PM_IS_GRID(grid), NULL);
    g_autoptr(GMenu) menu = g_menu_new();

    for (guint i = 0; i < grid->shape->n_columns; i++) {
        const PmGridColumn *column = &grid->shape->columns[i];
        if (column->flags & PM_GRID_NAME)
            continue;
        g_autofree char *action = g_strdup_printf("grid.column-%s", column->id);
        g_menu_append(menu, column->title, action);
    }
    return menu_button_new(grid, "Columns", G_MENU_MODEL(menu));
}

void pm_grid_add_actions(PmGrid *grid)
{
    const PmGridShape *shape = grid->shape;
    g_autoptr(GSimpleAction) sort =
        g_simple_action_new_stateful("sort", G_VARIANT_TYPE_STRING, g_variant_new_string(""));
    g_autoptr(GSimpleAction) descending =
        g_simple_action_new_stateful("descending", NULL, g_variant_new_boolean(TRUE));

    g_signal_connect(sort, "change-state", G_CALLBACK(sort_action), grid);
    g_signal_connect(descending, "change-state", G_CALLBACK(descending_action), grid);
    g_action_map_add_action(G_ACTION_MAP(grid->actions), G_ACTION(sort));
    g_action_map_add_action(G_ACTION_MAP(grid->actions), G_ACTION(descending));
    for (guint i = 0; i < shape->n_columns; i++) {
        const PmGridColumn *column = &shape->columns[i];
        g_autofree char *name = g_strdup_printf("column-%s", column->id);
        g_autoptr(GSimpleAction) action = g_simple_action_new_stateful(
            name, NULL, g_variant_new_boolean(!(column->flags & PM_GRID_HIDDEN)));
        g_signal_connect(action, "change-state", G_CALLBACK(column_action), grid);
        g_action_map_add_action(G_ACTION_MAP(grid->actions), G_ACTION(action));
    }
}

void pm_grid_add_column(PmGrid *grid, guint index)
{
    const PmGridColumn *column = &grid->shape->columns[index];
    GtkListItemFactory *factory = gtk_signal_list_item_factory_new();
    GtkSorter *sorter = GTK_SORTER(gtk_custom_sorter_new(note_asked, (gpointer)column, NULL));
    GtkColumnViewColumn *shown = gtk_column_view_column_new(column->title, factory);

    g_object_set_data(G_OBJECT(factory), "column", (gpointer)column);
    g_signal_connect(factory, "setup", G_CALLBACK(pm_grid_cell_setup), grid);
    g_signal_connect(factory, "bind", G_CALLBACK(pm_grid_cell_bind), grid);
    g_signal_connect(factory, "unbind", G_CALLBACK(pm_grid_cell_unbind), grid);
    grid->columns[index].shown = shown;
    if (column->field)
        grid->columns[index].field = grid->shape->find_field(column->field);
    if (pm_grid_column_is_sortable(column))
        gtk_column_view_column_set_sorter(shown, sorter);
    g_object_unref(sorter);
    gtk_column_view_column_set_resizable(shown, TRUE);
    gtk_column_view_column_set_expand(shown, (column->flags & PM_GRID_WIDE) != 0);
    if (column->width_px)
        gtk_column_view_column_set_fixed_width(shown, column->width_px);
    if (!(column->flags & PM_GRID_HIDDEN))
        gtk_column_view_append_column(grid->view, shown);
}
