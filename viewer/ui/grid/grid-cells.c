/* What the cells of the grid show: text, numbers in one unit per column, and what is read aloud. */
#include "viewer/ui/grid/grid-private.h"

#include <math.h>
#include <string.h>

#include "viewer/report/frame-text.h"
#include "viewer/report/text.h"
#include "viewer/ui/widgets/name-label.h"
#include "viewer/ui/grid/spoken.h"

double pm_grid_number(PmGrid *grid, guint index, gpointer item, gpointer data)
{
    const PmGridColumn *column = &grid->shape->columns[index];

    return column->value ? column->value(item, data)
                         : grid->shape->number(grid->columns[index].field, item);
}

char *pm_grid_value_text(PmGrid *grid, guint index, double value)
{
    switch (grid->shape->columns[index].unit) {
    case PM_GRID_COUNT:
        return isnan(value) ? g_strdup("") : pm_number_count((gint64)value);
    case PM_GRID_MEAN:
        return isnan(value)                ? g_strdup("–")
               : value > 0 && value < 0.05 ? g_strdup("<0.1")
                                           : pm_number_tenths(value);
    case PM_GRID_PERCENT:
        return pm_number_percent(value);
    default:
        return pm_number_time(&grid->columns[index].unit, value);
    }
}

static char *number_text(PmGrid *grid, guint index, gpointer item, gpointer data)
{
    return pm_grid_value_text(grid, index, pm_grid_number(grid, index, item, data));
}

void pm_grid_choose_units(PmGrid *grid)
{
    guint n;
    gpointer *items = grid->shape->children(NULL, grid->data, &n);
    g_autofree double *values = g_new(double, n + 1);

    for (guint c = 0; c < grid->shape->n_columns; c++) {
        const PmGridUnit unit = grid->shape->columns[c].unit;
        double most = 0, all = 0;
        if (unit == PM_GRID_TEXT)
            continue;
        for (guint i = 0; i < n; i++) {
            values[i] = pm_grid_number(grid, c, items[i], grid->data);
            most = MAX(most, values[i]);
            all += values[i];
        }
        grid->columns[c].most = most;
        if (unit < PM_GRID_TIME)
            continue;
        grid->columns[c].unit =
            unit == PM_GRID_TIME ? pm_number_unit_of(values, n)
                                 : pm_number_unit((gint64)(unit == PM_GRID_TIME_ALL ? all : most));
    }
}

GQuark pm_grid_item_quark(void)
{
    return g_quark_from_static_string("pm-grid-list-item");
}

static GtkWidget *row_widget_of(GtkWidget *child)
{
    GtkWidget *cell = gtk_widget_get_parent(child);

    return cell ? gtk_widget_get_parent(cell) : NULL;
}

void pm_grid_light_row(PmGrid *grid, GtkWidget *child, PmRow *row)
{
    GtkWidget *widget = row_widget_of(child);

    if (!widget)
        return;
    if (grid->lit && row->list->depth == 0 && row->key == grid->lit_key)
        gtk_widget_add_css_class(widget, "lit");
    else
        gtk_widget_remove_css_class(widget, "lit");
}

char *pm_grid_row_text(PmGrid *grid, guint index, const PmRow *row)
{
    const PmGridShape *shape = grid->shape;
    const PmGridColumn *column = &shape->columns[index];
    const gboolean known =
        column->text || !isnan(pm_grid_number(grid, index, pm_row_item(row), row->list->data));
    const gboolean bound =
        known && column->flags & PM_GRID_BOUND && shape->is_bound(pm_row_item(row));
    g_autofree char *text = column->text
                                ? column->text(pm_row_item(row), row->list->data)
                                : number_text(grid, index, pm_row_item(row), row->list->data);
    const gboolean guess = known && column->flags & PM_GRID_GUESS &&
                           shape->is_guess(pm_row_item(row), row->list->data);
    g_autofree char *marked = g_strconcat(bound ? "≥\u202f" : guess ? "~" : "", text, NULL);

    return pm_text_clean(marked);
}

static const PmGridColumn *factory_column(GtkSignalListItemFactory *factory)
{
    return g_object_get_data(G_OBJECT(factory), "column");
}

void pm_grid_cell_setup(GtkSignalListItemFactory *factory, GtkListItem *item, PmGrid *grid)
{
    const PmGridColumn *column = factory_column(factory);
    GtkWidget *widget, *outer;

    if (!column->make) {
        widget = pm_grid_column_is_number(column) ? gtk_label_new(NULL) : pm_name_label_new();
        if (pm_grid_column_is_number(column)) {
            gtk_label_set_xalign(GTK_LABEL(widget), 1);
            gtk_label_set_single_line_mode(GTK_LABEL(widget), TRUE);
            gtk_widget_add_css_class(widget, "numeric");
        }
        /* Rather scroll sideways than show nothing of a name. */
        if (column->flags & PM_GRID_NAME)
            pm_name_label_set_width_chars(PM_NAME_LABEL(widget), 22, 0);
    } else {
        widget = column->make();
    }
    outer = widget;
    if (column->flags & PM_GRID_NAME && grid->shape->is_tree) {
        outer = gtk_tree_expander_new();
        gtk_tree_expander_set_child(GTK_TREE_EXPANDER(outer), widget);
        gtk_widget_set_focusable(outer, FALSE);
    }
    if (grid->shape->draw_strip)
        gtk_widget_set_margin_bottom(outer, PM_GRID_STRIP_PX + PM_GRID_STRIP_GAP_PX);
    g_object_set_qdata(G_OBJECT(outer), pm_grid_item_quark(), item);
    g_object_set_data(G_OBJECT(outer), "column", (gpointer)column);
    gtk_list_item_set_child(item, outer);
}

/* "PriceCache.get: Share 43.9 %, Waits 12 911": what a screen reader says of a row. Owned. */
static char *row_sentence(PmGrid *grid, guint name, const PmRow *row)
{
    g_autofree char *label = pm_grid_row_text(grid, name, row);
    GString *sentence = g_string_new(label);
    const char *between = ": ";

    for (guint i = 0; i < grid->shape->n_columns; i++) {
        if (i == name || !pm_grid_column_is_sortable(&grid->shape->columns[i]) ||
            !pm_grid_is_wanted(grid, i))
            continue;
        g_autofree char *text = pm_grid_row_text(grid, i, row);
        if (!*text)
            continue; /* this row has none of it */
        g_string_append_printf(sentence, "%s%s %s", between, grid->shape->columns[i].title, text);
        if (grid->shape->columns[i].spoken)
            g_string_append_printf(sentence, ", %s",
                                   grid->shape->columns[i].spoken(pm_row_item(row)));
        between = ", ";
    }
    return g_string_free(sentence, FALSE);
}

/* Rows are read as one, cells with their titles. */
static void name_row(PmGrid *grid, GtkWidget *cell, guint name, const PmRow *row)
{
    GtkWidget *widget = row_widget_of(cell);

    if (!widget)
        return;
    g_autofree char *sentence = row_sentence(grid, name, row);
    gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL, sentence,
                                   GTK_ACCESSIBLE_PROPERTY_LEVEL, (int)row->list->depth + 1, -1);
}

/* "Waits 12 911"; what is in the cell says no more, unless it is a picture. */
static void name_cell(GtkWidget *outer, const PmGridColumn *column, const char *text)
{
    GtkWidget *cell = gtk_widget_get_parent(outer);
    g_autofree char *name = g_strjoin(" ", column->title, text, NULL);

    if (!cell)
        return;
    gtk_accessible_update_property(GTK_ACCESSIBLE(cell), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
    pm_spoken_hide(outer, text != NULL);
}

/* The shortest form of a name. Owned. */
static char *shortest_of(const char *text)
{
    char *shortest = g_strdup(text), *shorter;

    while ((shorter = pm_frame_text_shorter(shortest)) != NULL) {
        g_free(shortest);
        shortest = shorter;
    }
    return shortest;
}

/* Takes the name. */
static void count_name(GHashTable *names, char *name)
{
    const guint n = GPOINTER_TO_UINT(g_hash_table_lookup(names, name));

    g_hash_table_insert(names, name, GUINT_TO_POINTER(n + 1));
}

/* Of the rows beside one another, so many at most; sites with what stands before them. */
static GHashTable *names_of(PmGrid *grid, guint index, PmRow *row)
{
    enum { MOST = 500 };
    PmRowList *list = row->list;

    if (list->names)
        return list->names;
    list->names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint i = 0; i < MIN(list->n, MOST); i++) {
        PmRow other = {.list = list, .position = i};
        g_autofree char *text = pm_grid_row_text(grid, index, &other);
        const char *site = strstr(text, PM_FRAME_TEXT_SITE);
        count_name(list->names, shortest_of(text));
        if (site)
            count_name(list->names, g_strdup(site));
    }
    return list->names;
}

static gboolean is_of_several(GHashTable *names, const char *name)
{
    return name && GPOINTER_TO_UINT(g_hash_table_lookup(names, name)) > 1;
}

/* What is cut of a name is not what tells it from the others. */
static void tell_apart(PmGrid *grid, guint index, PmNameLabel *label, PmRow *row)
{
    const char *text = pm_name_label_get_text(label);
    GHashTable *names = names_of(grid, index, row);
    g_autofree char *shortest = shortest_of(text);

    pm_name_label_set_alike(label, is_of_several(names, shortest) ? shortest : NULL,
                            is_of_several(names, strstr(text, PM_FRAME_TEXT_SITE)));
}

void pm_grid_cell_show(PmGrid *grid, GtkWidget *outer, PmRow *row)
{
    const PmGridColumn *column = g_object_get_data(G_OBJECT(outer), "column");
    const guint index = (guint)(column - grid->shape->columns);
    GtkWidget *widget =
        GTK_IS_TREE_EXPANDER(outer) ? gtk_tree_expander_get_child(GTK_TREE_EXPANDER(outer)) : outer;

    if (!column->make) {
        g_autofree char *text = pm_grid_row_text(grid, index, row);
        const char *before = pm_grid_column_is_number(column)
                                 ? gtk_label_get_text(GTK_LABEL(widget))
                                 : pm_name_label_get_text(PM_NAME_LABEL(widget));
        if (!*text || strcmp(before, text)) {
            if (pm_grid_column_is_number(column))
                gtk_label_set_text(GTK_LABEL(widget), text);
            else
                pm_name_label_set_text(PM_NAME_LABEL(widget), text);
            name_cell(outer, column, text);
        }
        if (column->flags & PM_GRID_NAME)
            tell_apart(grid, index, PM_NAME_LABEL(widget), row);
    } else {
        g_autofree char *text =
            pm_grid_column_is_sortable(column) ? pm_grid_row_text(grid, index, row) : NULL;
        column->bind(widget, pm_row_item(row), row->list->depth, row->list->data);
        name_cell(outer, column, text);
    }
    if (column->flags & PM_GRID_NAME) {
        pm_grid_light_row(grid, outer, row);
        name_row(grid, outer, index, row);
    }
}

void pm_grid_cell_bind(GtkSignalListItemFactory *factory, GtkListItem *item, PmGrid *grid)
{
    GtkTreeListRow *tree_row = gtk_list_item_get_item(item);
    g_autoptr(PmRow) row = gtk_tree_list_row_get_item(tree_row);
    GtkWidget *outer = gtk_list_item_get_child(item);

    if (!row)
        return;
    if (GTK_IS_TREE_EXPANDER(outer)) {
        gtk_tree_expander_set_list_row(GTK_TREE_EXPANDER(outer), tree_row);
        g_signal_connect(tree_row, "notify::expanded", G_CALLBACK(pm_grid_expanded_changed), grid);
    }
    pm_grid_cell_show(grid, outer, row);
}

void pm_grid_cell_unbind(GtkSignalListItemFactory *factory, GtkListItem *item, PmGrid *grid)
{
    GtkWidget *outer = gtk_list_item_get_child(item);

    if (GTK_IS_TREE_EXPANDER(outer)) {
        GtkTreeListRow *tree_row = gtk_tree_expander_get_list_row(GTK_TREE_EXPANDER(outer));
        if (tree_row) {
            g_signal_handlers_disconnect_by_func(tree_row, pm_grid_expanded_changed, grid);
            pm_grid_keep_a_while(g_object_ref(tree_row));
        }
        gtk_tree_expander_set_list_row(GTK_TREE_EXPANDER(outer), NULL);
    }
}

void pm_grid_each_cell(PmGrid *grid, gboolean first,
                       void (*show)(PmGrid *grid, GtkWidget *child, PmRow *row))
{
    GtkWidget *rows = gtk_widget_get_last_child(GTK_WIDGET(grid->view));

    for (GtkWidget *widget = rows ? gtk_widget_get_first_child(rows) : NULL; widget;
         widget = gtk_widget_get_next_sibling(widget)) {
        for (GtkWidget *cell = gtk_widget_get_first_child(widget); cell;
             cell = first ? NULL : gtk_widget_get_next_sibling(cell)) {
            GtkWidget *child = gtk_widget_get_first_child(cell);
            GtkListItem *item =
                child ? g_object_get_qdata(G_OBJECT(child), pm_grid_item_quark()) : NULL;
            GtkTreeListRow *tree_row = item ? gtk_list_item_get_item(item) : NULL;
            g_autoptr(PmRow) row = tree_row ? gtk_tree_list_row_get_item(tree_row) : NULL;
            if (row)
                show(grid, child, row);
        }
    }
}
