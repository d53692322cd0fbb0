#include "viewer/ui/grid/grid.h"

#include <math.h>
#include <string.h>

#include "viewer/report/csv.h"
#include "viewer/report/text.h"
#include "viewer/ui/model/number.h"
#include "viewer/ui/widgets/element.h"
#include "viewer/ui/widgets/name-label.h"
#include "viewer/ui/grid/spoken.h"

/* The least width of a name, and of a column that takes free width too. */
#define NAME_PX 300
#define WIDE_PX 140

/* Of a strip under the text of a row, and what is free around it. */
#define STRIP_PX     14
#define STRIP_GAP_PX 3
/* At each side of a cell's text: page-style.c. */
#define CELL_PADDING_PX 6

/* One row as GTK wants it: an object around the page's item. */
#define PM_TYPE_ROW (pm_row_get_type())
G_DECLARE_FINAL_TYPE(PmRow, pm_row, PM, ROW, GObject)

#define PM_TYPE_ROW_LIST (pm_row_list_get_type())
G_DECLARE_FINAL_TYPE(PmRowList, pm_row_list, PM, ROW_LIST, GObject)

struct _PmRow {
    GObject parent_instance;
    PmRowList *list; /* counted: keeps data and parents alive */
    guint position;  /* in the list */
    guint64 key;
};

/* The rows under one parent, in order; makes them when asked. New data with the same keys in the
 * same order comes into the list that is there. */
struct _PmRowList {
    GObject parent_instance;
    const PmGridShape *shape;
    gpointer data;
    PmRow *parent; /* counted; NULL = the top */
    guint depth;
    guint n;
    gpointer *items;
    guint64 *keys;
    GPtrArray *under; /* the lists that are there of its rows; borrowed, NULL = none ever */
};

struct column {
    GtkColumnViewColumn *shown;
    gconstpointer field;
    PmUnit unit;     /* of a time */
    double most;     /* the largest of its numbers in the rows at the top */
    gboolean chosen; /* by the user: shown however narrow the grid */
};

struct _PmGrid {
    GtkWidget parent_instance;
    const PmGridShape *shape;
    gpointer data;
    GtkWidget *scroller;
    GtkWidget *menu; /* of a row; made when first asked for */
    GtkColumnView *view;
    struct column *columns; /* as in the shape */
    PmRowList *top;
    GtkTreeListModel *tree;
    GtkSingleSelection *selection;
    GSimpleActionGroup *actions;
    guint sort_column;
    gboolean descending;
    gboolean sorting;     /* we change the sorter ourselves */
    gboolean replacing;   /* selection changes are not the user's */
    GHashTable *expanded; /* path → itself */
    gpointer hovered;
    gboolean lit;
    guint64 lit_key;
    double kept_scroll;
    guint scroll_source;
    guint fit_source;
    GtkWidget *axis; /* borrowed: of the same window; NULL = none */
    gboolean pointed;
};

static void list_model_init(GListModelInterface *interface);

G_DEFINE_FINAL_TYPE(PmRow, pm_row, G_TYPE_OBJECT)
G_DEFINE_FINAL_TYPE_WITH_CODE(PmRowList, pm_row_list, G_TYPE_OBJECT,
                              G_IMPLEMENT_INTERFACE(G_TYPE_LIST_MODEL, list_model_init))
G_DEFINE_FINAL_TYPE(PmGrid, pm_grid, GTK_TYPE_WIDGET)

enum { SELECTED, ACTIVATED, HOVERED, POINTED, N_SIGNALS };
static guint signals[N_SIGNALS];

/* ---- rows ---- */

static void pm_row_finalize(GObject *object)
{
    g_clear_object(&PM_ROW(object)->list);
    G_OBJECT_CLASS(pm_row_parent_class)->finalize(object);
}

static void pm_row_class_init(PmRowClass *class)
{
    G_OBJECT_CLASS(class)->finalize = pm_row_finalize;
}

static void pm_row_init(PmRow *row)
{
}

static gpointer row_item(const PmRow *row)
{
    return row->list->items[row->position];
}

/* "7/12/3": keys from the top. */
static void row_append_path(PmRow *row, GString *path)
{
    if (row->list->parent) {
        row_append_path(row->list->parent, path);
        g_string_append_c(path, '/');
    }
    g_string_append_printf(path, "%" G_GINT64_MODIFIER "x", row->key);
}

static char *row_path(PmRow *row)
{
    GString *path = g_string_new(NULL);

    row_append_path(row, path);
    return g_string_free(path, FALSE);
}

static void pm_row_list_finalize(GObject *object)
{
    PmRowList *list = PM_ROW_LIST(object);

    if (list->parent && list->parent->list->under)
        g_ptr_array_remove_fast(list->parent->list->under, list);
    g_clear_pointer(&list->under, g_ptr_array_unref);
    g_clear_object(&list->parent);
    g_free(list->items);
    g_free(list->keys);
    if (list->data)
        g_rc_box_release_full(list->data, list->shape->clear_data);
    G_OBJECT_CLASS(pm_row_list_parent_class)->finalize(object);
}

static void pm_row_list_class_init(PmRowListClass *class)
{
    G_OBJECT_CLASS(class)->finalize = pm_row_list_finalize;
}

static void pm_row_list_init(PmRowList *list)
{
}

static GType row_list_item_type(GListModel *model)
{
    return PM_TYPE_ROW;
}

static guint row_list_n_items(GListModel *model)
{
    return PM_ROW_LIST(model)->n;
}

static gpointer row_list_get(GListModel *model, guint position)
{
    PmRowList *list = PM_ROW_LIST(model);

    if (position >= list->n)
        return NULL;
    PmRow *row = g_object_new(PM_TYPE_ROW, NULL);
    row->list = g_object_ref(list);
    row->position = position;
    row->key = list->keys[position];
    return row;
}

static void list_model_init(GListModelInterface *interface)
{
    interface->get_item_type = row_list_item_type;
    interface->get_n_items = row_list_n_items;
    interface->get_item = row_list_get;
}

/* ---- numbers ---- */

static double number_of(PmGrid *grid, guint index, gpointer item, gpointer data)
{
    const PmGridColumn *column = &grid->shape->columns[index];

    return column->value ? column->value(item, data)
                         : grid->shape->number(grid->columns[index].field, item);
}

static char *value_text(PmGrid *grid, guint index, double value)
{
    switch (grid->shape->columns[index].unit) {
    case PM_GRID_COUNT:
        return isnan(value) ? g_strdup("") : pm_number_count((gint64)value);
    case PM_GRID_MEAN:
        return isnan(value)                ? g_strdup("–")
               : value > 0 && value < 0.05 ? g_strdup("<0.1")
                                           : g_strdup_printf("%.1f", value);
    case PM_GRID_PERCENT:
        return pm_number_percent(value);
    default:
        return pm_number_time(&grid->columns[index].unit, value);
    }
}

static char *number_text(PmGrid *grid, guint index, gpointer item, gpointer data)
{
    return value_text(grid, index, number_of(grid, index, item, data));
}

/* The units of the columns of times, and how large numbers are, by the rows at the top. */
static void choose_units(PmGrid *grid)
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
            values[i] = number_of(grid, c, items[i], grid->data);
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

/* ---- order ---- */

struct ordered {
    gpointer item;
    guint64 key;
    double value;
    char *text; /* collation key */
    gboolean last;
    guint before; /* its position in the list this one replaces */
};

struct order {
    gboolean by_text, descending, keep;
};

static int compare_ordered(const void *a, const void *b, void *user_data)
{
    const struct ordered *x = a, *y = b;
    const struct order *order = user_data;
    int result = 0;

    if (order->keep && x->before != y->before)
        return x->before < y->before ? -1 : 1;
    if (x->last != y->last)
        return x->last ? 1 : -1;
    if (order->by_text) {
        result = g_strcmp0(x->text, y->text);
    } else {
        const gboolean x_nan = x->value != x->value, y_nan = y->value != y->value;
        if (x_nan != y_nan)
            return x_nan ? 1 : -1;
        result = (x->value > y->value) - (x->value < y->value);
    }
    if (result)
        return order->descending ? -result : result;
    return (x->key > y->key) - (x->key < y->key);
}

/* Of what `data` has under `item` (NULL = the top). `old`: the list at the same place before, whose
 * order is kept if `keep`. */
static PmRowList *row_list_new(PmGrid *grid, PmRow *parent, gpointer item, gpointer data,
                               PmRowList *old, gboolean keep)
{
    const PmGridShape *shape = grid->shape;
    const PmGridColumn *column = &shape->columns[grid->sort_column];
    const struct order order = {column->unit == PM_GRID_TEXT, grid->descending, keep && old};
    guint n = 0;
    gpointer *items = shape->children(item, data, &n);
    PmRowList *list = g_object_new(PM_TYPE_ROW_LIST, NULL);
    g_autofree struct ordered *rows = g_new0(struct ordered, n + 1);
    g_autoptr(GHashTable) places = NULL;

    if (order.keep) {
        places = g_hash_table_new(g_int64_hash, g_int64_equal);
        for (guint i = 0; i < old->n; i++)
            g_hash_table_insert(places, &old->keys[i], GUINT_TO_POINTER(i + 1));
    }
    for (guint i = 0; i < n; i++) {
        rows[i].item = items[i];
        rows[i].key = shape->key(items[i]);
        rows[i].last = shape->is_last && shape->is_last(items[i]);
        rows[i].before = G_MAXUINT;
        if (places) {
            const guint place = GPOINTER_TO_UINT(g_hash_table_lookup(places, &rows[i].key));
            if (place)
                rows[i].before = place;
        }
        if (!order.by_text) {
            rows[i].value = number_of(grid, grid->sort_column, items[i], data);
        } else {
            g_autofree char *text = column->text(items[i], data);
            rows[i].text = g_utf8_collate_key(text, -1);
        }
    }
    g_qsort_with_data(rows, (gint)n, sizeof *rows, compare_ordered, (gpointer)&order);
    list->shape = shape;
    list->data = g_rc_box_acquire(data);
    list->parent = parent ? g_object_ref(parent) : NULL;
    list->depth = parent ? parent->list->depth + 1 : 0;
    list->n = n;
    list->items = g_new(gpointer, n + 1);
    list->keys = g_new(guint64, n + 1);
    for (guint i = 0; i < n; i++) {
        list->items[i] = rows[i].item;
        list->keys[i] = rows[i].key;
        g_free(rows[i].text);
    }
    return list;
}

static GListModel *make_children(gpointer item, gpointer user_data)
{
    PmRow *row = item;
    PmGrid *grid = user_data;

    if (!grid->shape->has_children || !grid->shape->has_children(row_item(row), row->list->data))
        return NULL;
    PmRowList *list = row_list_new(grid, row, row_item(row), row->list->data, NULL, FALSE);
    if (!row->list->under)
        row->list->under = g_ptr_array_new();
    g_ptr_array_add(row->list->under, list);
    return G_LIST_MODEL(list);
}

/* ---- expansion, selection, scrolling across a change of data ---- */

static void expanded_changed(GtkTreeListRow *tree_row, GParamSpec *pspec, PmGrid *grid)
{
    g_autoptr(PmRow) row = gtk_tree_list_row_get_item(tree_row);

    if (!row || grid->replacing)
        return;
    g_autofree char *path = row_path(row);
    if (gtk_tree_list_row_get_expanded(tree_row))
        g_hash_table_add(grid->expanded, g_steal_pointer(&path));
    else
        g_hash_table_remove(grid->expanded, path);
}

static guint list_find(PmRowList *list, guint64 key)
{
    for (guint i = 0; i < list->n; i++)
        if (list->keys[i] == key)
            return i;
    return G_MAXUINT;
}

/* The tree row at the end of a path of keys, expanding what is above it; NULL = not there. */
static GtkTreeListRow *find_row(PmGrid *grid, const guint64 *keys, guint n)
{
    GtkTreeListRow *found = NULL;

    for (guint depth = 0; depth < n; depth++) {
        PmRowList *list = grid->top;
        if (found) {
            gtk_tree_list_row_set_expanded(found, TRUE);
            list = (PmRowList *)gtk_tree_list_row_get_children(found);
        }
        const guint at = list ? list_find(list, keys[depth]) : G_MAXUINT;
        if (at == G_MAXUINT) {
            g_clear_object(&found);
            return NULL;
        }
        GtkTreeListRow *next = found ? gtk_tree_list_row_get_child_row(found, at)
                                     : gtk_tree_list_model_get_child_row(grid->tree, at);
        g_clear_object(&found);
        found = next;
        if (!found)
            return NULL;
    }
    return found;
}

static guint parse_path(const char *path, guint64 *keys, guint max)
{
    guint n = 0;

    while (*path && n < max) {
        char *end;
        keys[n++] = g_ascii_strtoull(path, &end, 16);
        path = *end == '/' ? end + 1 : end;
    }
    return n;
}

#define MAX_DEPTH 32

static int compare_length(gconstpointer a, gconstpointer b)
{
    const gsize x = strlen(*(char *const *)a), y = strlen(*(char *const *)b);

    return (x > y) - (x < y);
}

static void restore_expanded(PmGrid *grid)
{
    g_autoptr(GPtrArray) paths = g_ptr_array_new();
    GHashTableIter iter;
    gpointer path;

    g_hash_table_iter_init(&iter, grid->expanded);
    while (g_hash_table_iter_next(&iter, &path, NULL))
        g_ptr_array_add(paths, path);
    g_ptr_array_sort(paths, compare_length);
    for (guint i = 0; i < paths->len; i++) {
        guint64 keys[MAX_DEPTH];
        const guint n = parse_path(paths->pdata[i], keys, MAX_DEPTH);
        g_autoptr(GtkTreeListRow) row = find_row(grid, keys, n);
        if (row)
            gtk_tree_list_row_set_expanded(row, TRUE);
    }
}

static PmRow *selected_row(PmGrid *grid)
{
    GtkTreeListRow *tree_row = gtk_single_selection_get_selected_item(grid->selection);

    return tree_row ? gtk_tree_list_row_get_item(tree_row) : NULL;
}

static gboolean restore_scroll(gpointer user_data)
{
    PmGrid *grid = user_data;
    GtkAdjustment *adjustment =
        gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(grid->scroller));

    grid->scroll_source = 0;
    gtk_adjustment_set_value(adjustment, grid->kept_scroll);
    return G_SOURCE_REMOVE;
}

static void scroll_to(PmGrid *grid, guint position)
{
    GtkWidget *child = gtk_widget_get_last_child(GTK_WIDGET(grid->view));

    /* The inner list view; GTK 4.8 has no scroll_to of its own. */
    if (child)
        gtk_widget_activate_action(child, "list.scroll-to-item", "u", position);
}

static gboolean kept_cb(gpointer object)
{
    return G_SOURCE_REMOVE; /* the source gives it back */
}

/* GTK opens and closes a row without holding it or its model: this may be within that. Takes it. */
static void keep_a_while(gpointer object)
{
    g_idle_add_full(G_PRIORITY_HIGH, kept_cb, object, g_object_unref);
}

static void rebuild(PmGrid *grid, gpointer data, gboolean keep_order)
{
    GtkAdjustment *adjustment =
        gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(grid->scroller));
    g_autoptr(PmRow) selected = selected_row(grid);
    g_autofree char *selected_path = selected ? row_path(selected) : NULL;
    g_autoptr(PmRowList) old = g_steal_pointer(&grid->top);

    if (!grid->scroll_source)
        grid->kept_scroll = gtk_adjustment_get_value(adjustment);
    grid->replacing = TRUE;
    grid->hovered = NULL;
    if (data)
        grid->top = row_list_new(grid, NULL, NULL, data, old, keep_order);
    GListModel *model = grid->top ? G_LIST_MODEL(g_object_ref(grid->top))
                                  : G_LIST_MODEL(g_list_store_new(PM_TYPE_ROW));
    if (grid->tree)
        keep_a_while(grid->tree);
    grid->tree = gtk_tree_list_model_new(model, FALSE, FALSE, make_children, grid, NULL);
    gtk_single_selection_set_model(grid->selection, G_LIST_MODEL(grid->tree));
    if (grid->top) {
        restore_expanded(grid);
        if (selected_path) {
            guint64 keys[MAX_DEPTH];
            const guint n = parse_path(selected_path, keys, MAX_DEPTH);
            g_autoptr(GtkTreeListRow) row = find_row(grid, keys, n);
            gtk_single_selection_set_selected(grid->selection,
                                              row ? gtk_tree_list_row_get_position(row)
                                                  : GTK_INVALID_LIST_POSITION);
        }
    }
    grid->replacing = FALSE;
    if (grid->kept_scroll > 0 && !grid->scroll_source)
        grid->scroll_source = g_idle_add(restore_scroll, grid);
}

/* ---- cells ---- */

static GQuark item_quark(void)
{
    return g_quark_from_static_string("pm-grid-list-item");
}

static GtkWidget *row_widget_of(GtkWidget *child)
{
    GtkWidget *cell = gtk_widget_get_parent(child);

    return cell ? gtk_widget_get_parent(cell) : NULL;
}

static void light_row(PmGrid *grid, GtkWidget *child, PmRow *row)
{
    GtkWidget *widget = row_widget_of(child);

    if (!widget)
        return;
    if (grid->lit && row->list->depth == 0 && row->key == grid->lit_key)
        gtk_widget_add_css_class(widget, "lit");
    else
        gtk_widget_remove_css_class(widget, "lit");
}

/* What a cell shows: names with nothing in them that acts. Owned. */
static char *cell_text(PmGrid *grid, guint index, const PmRow *row)
{
    const PmGridShape *shape = grid->shape;
    const PmGridColumn *column = &shape->columns[index];
    const gboolean known =
        column->text || !isnan(number_of(grid, index, row_item(row), row->list->data));
    const gboolean bound = known && column->flags & PM_GRID_BOUND && shape->is_bound(row_item(row));
    g_autofree char *text = column->text ? column->text(row_item(row), row->list->data)
                                         : number_text(grid, index, row_item(row), row->list->data);
    const gboolean guess =
        known && column->flags & PM_GRID_GUESS && shape->is_guess(row_item(row), row->list->data);
    g_autofree char *marked = g_strconcat(bound ? "≥\u202f" : guess ? "~" : "", text, NULL);

    return pm_text_clean(marked);
}

static gboolean is_number(const PmGridColumn *column)
{
    return column->unit != PM_GRID_TEXT;
}

static gboolean is_sortable(const PmGridColumn *column)
{
    return is_number(column) || column->text;
}

static const PmGridColumn *factory_column(GtkSignalListItemFactory *factory)
{
    return g_object_get_data(G_OBJECT(factory), "column");
}

static void cell_setup(GtkSignalListItemFactory *factory, GtkListItem *item, PmGrid *grid)
{
    const PmGridColumn *column = factory_column(factory);
    GtkWidget *widget, *outer;

    if (!column->make) {
        widget = is_number(column) ? gtk_label_new(NULL) : pm_name_label_new();
        if (is_number(column)) {
            gtk_label_set_xalign(GTK_LABEL(widget), 1);
            gtk_label_set_single_line_mode(GTK_LABEL(widget), TRUE);
            gtk_widget_add_css_class(widget, "numeric");
        }
        /* Rather scroll sideways than show nothing of a name. */
        if (column->flags & PM_GRID_NAME)
            pm_name_label_set_width_chars(PM_NAME_LABEL(widget), 24, 0);
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
        gtk_widget_set_margin_bottom(outer, STRIP_PX + STRIP_GAP_PX);
    g_object_set_qdata(G_OBJECT(outer), item_quark(), item);
    g_object_set_data(G_OBJECT(outer), "column", (gpointer)column);
    gtk_list_item_set_child(item, outer);
}

static gboolean is_wanted(PmGrid *grid, guint index);

/* "PriceCache.get: Share 43.9 %, Waits 12 911": what a screen reader says of a row. Owned. */
static char *row_sentence(PmGrid *grid, guint name, const PmRow *row)
{
    g_autofree char *label = cell_text(grid, name, row);
    GString *sentence = g_string_new(label);
    const char *between = ": ";

    for (guint i = 0; i < grid->shape->n_columns; i++) {
        if (i == name || !is_sortable(&grid->shape->columns[i]) || !is_wanted(grid, i))
            continue;
        g_autofree char *text = cell_text(grid, i, row);
        if (!*text)
            continue; /* this row has none of it */
        g_string_append_printf(sentence, "%s%s %s", between, grid->shape->columns[i].title, text);
        if (grid->shape->columns[i].spoken)
            g_string_append_printf(sentence, ", %s", grid->shape->columns[i].spoken(row_item(row)));
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

static void name_title(GtkWidget *title, const PmGridColumn *column)
{
    g_autofree char *name = g_strdup_printf("%s %s", column->title, column->help);

    pm_element_set_name(title, name);
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

/* A cell shows what its row has now. */
static void cell_show(PmGrid *grid, GtkWidget *outer, PmRow *row)
{
    const PmGridColumn *column = g_object_get_data(G_OBJECT(outer), "column");
    const guint index = (guint)(column - grid->shape->columns);
    GtkWidget *widget =
        GTK_IS_TREE_EXPANDER(outer) ? gtk_tree_expander_get_child(GTK_TREE_EXPANDER(outer)) : outer;

    if (!column->make) {
        g_autofree char *text = cell_text(grid, index, row);
        const char *before = is_number(column) ? gtk_label_get_text(GTK_LABEL(widget))
                                               : pm_name_label_get_text(PM_NAME_LABEL(widget));
        if (!*text || strcmp(before, text)) {
            if (is_number(column))
                gtk_label_set_text(GTK_LABEL(widget), text);
            else
                pm_name_label_set_text(PM_NAME_LABEL(widget), text);
            name_cell(outer, column, text);
        }
    } else {
        g_autofree char *text = is_sortable(column) ? cell_text(grid, index, row) : NULL;
        column->bind(widget, row_item(row), row->list->depth, row->list->data);
        name_cell(outer, column, text);
    }
    if (column->flags & PM_GRID_NAME) {
        light_row(grid, outer, row);
        name_row(grid, outer, index, row);
    }
}

static void cell_bind(GtkSignalListItemFactory *factory, GtkListItem *item, PmGrid *grid)
{
    GtkTreeListRow *tree_row = gtk_list_item_get_item(item);
    g_autoptr(PmRow) row = gtk_tree_list_row_get_item(tree_row);
    GtkWidget *outer = gtk_list_item_get_child(item);

    if (!row)
        return;
    if (GTK_IS_TREE_EXPANDER(outer)) {
        gtk_tree_expander_set_list_row(GTK_TREE_EXPANDER(outer), tree_row);
        g_signal_connect(tree_row, "notify::expanded", G_CALLBACK(expanded_changed), grid);
    }
    cell_show(grid, outer, row);
}

static void cell_unbind(GtkSignalListItemFactory *factory, GtkListItem *item, PmGrid *grid)
{
    GtkWidget *outer = gtk_list_item_get_child(item);

    if (GTK_IS_TREE_EXPANDER(outer)) {
        GtkTreeListRow *tree_row = gtk_tree_expander_get_list_row(GTK_TREE_EXPANDER(outer));
        if (tree_row) {
            g_signal_handlers_disconnect_by_func(tree_row, expanded_changed, grid);
            keep_a_while(g_object_ref(tree_row));
        }
        gtk_tree_expander_set_list_row(GTK_TREE_EXPANDER(outer), NULL);
    }
}

/* ---- new numbers in the same rows ---- */

/* Calls `show` for all cells, or for the `first` of each row. */
static void each_cell(PmGrid *grid, gboolean first,
                      void (*show)(PmGrid *grid, GtkWidget *child, PmRow *row))
{
    GtkWidget *rows = gtk_widget_get_last_child(GTK_WIDGET(grid->view));

    for (GtkWidget *widget = rows ? gtk_widget_get_first_child(rows) : NULL; widget;
         widget = gtk_widget_get_next_sibling(widget)) {
        for (GtkWidget *cell = gtk_widget_get_first_child(widget); cell;
             cell = first ? NULL : gtk_widget_get_next_sibling(cell)) {
            GtkWidget *child = gtk_widget_get_first_child(cell);
            GtkListItem *item = child ? g_object_get_qdata(G_OBJECT(child), item_quark()) : NULL;
            GtkTreeListRow *tree_row = item ? gtk_list_item_get_item(item) : NULL;
            g_autoptr(PmRow) row = tree_row ? gtk_tree_list_row_get_item(tree_row) : NULL;
            if (row)
                show(grid, child, row);
        }
    }
}

/* Has `data` under `item` the rows of `list`, in that order, and so on for the lists under it? Adds
 * them and what they are to hold. */
static gboolean find_same(PmGrid *grid, PmRowList *list, gpointer item, gpointer data,
                          gboolean keep_order, GPtrArray *lists, GPtrArray *fresh_lists)
{
    const PmGridShape *shape = grid->shape;
    PmRowList *fresh = row_list_new(grid, list->parent, item, data, list, keep_order);

    g_ptr_array_add(lists, list);
    g_ptr_array_add(fresh_lists, fresh);
    if (fresh->n != list->n || memcmp(fresh->keys, list->keys, list->n * sizeof *list->keys))
        return FALSE;
    for (guint i = 0; shape->has_children && i < list->n; i++)
        if (!shape->has_children(list->items[i], list->data) !=
            !shape->has_children(fresh->items[i], data))
            return FALSE;
    for (guint i = 0; list->under && i < list->under->len; i++) {
        PmRowList *under = list->under->pdata[i];
        if (!find_same(grid, under, fresh->items[under->parent->position], data, keep_order, lists,
                       fresh_lists))
            return FALSE;
    }
    return TRUE;
}

/* The same rows with other numbers: widgets, selection, focus and scrolling stay as they are.
 * FALSE: other rows. */
static gboolean renew(PmGrid *grid, gpointer data, gboolean keep_order)
{
    g_autoptr(GPtrArray) lists = g_ptr_array_new();
    g_autoptr(GPtrArray) fresh_lists = g_ptr_array_new_with_free_func(g_object_unref);

    if (!data || !grid->top ||
        !find_same(grid, grid->top, NULL, data, keep_order, lists, fresh_lists))
        return FALSE;
    for (guint i = 0; i < lists->len; i++) {
        PmRowList *list = lists->pdata[i], *fresh = fresh_lists->pdata[i];
        gpointer *items = list->items;
        gpointer old = list->data;
        list->items = fresh->items;
        list->data = fresh->data;
        fresh->items = items;
        fresh->data = old;
    }
    grid->hovered = NULL;
    each_cell(grid, FALSE, cell_show);
    return TRUE;
}

/* ---- sorting ---- */

static guint column_index(PmGrid *grid, const char *id)
{
    for (guint i = 0; i < grid->shape->n_columns; i++)
        if (!strcmp(grid->shape->columns[i].id, id))
            return i;
    return grid->shape->n_columns;
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

static void title_clicked(GtkSorter *sorter, GtkSorterChange change, PmGrid *grid)
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
    if (index != grid->sort_column && is_number(asked))
        descending = TRUE;
    pm_grid_sort_by(grid, asked->id, descending);
}

static void fit_columns(PmGrid *grid);

void pm_grid_sort_by(PmGrid *grid, const char *column_id, gboolean descending)
{
    g_return_if_fail(PM_IS_GRID(grid));
    const guint index = column_index(grid, column_id);

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
        rebuild(grid, grid->data, FALSE);
}

static void sort_action(GSimpleAction *action, GVariant *value, gpointer user_data)
{
    PmGrid *grid = user_data;
    const char *id = g_variant_get_string(value, NULL);
    const guint index = column_index(grid, id);

    if (index < grid->shape->n_columns)
        pm_grid_sort_by(grid, id, is_number(&grid->shape->columns[index]));
}

static void descending_action(GSimpleAction *action, GVariant *value, gpointer user_data)
{
    PmGrid *grid = user_data;

    pm_grid_sort_by(grid, grid->shape->columns[grid->sort_column].id, g_variant_get_boolean(value));
}

static gboolean is_shown(PmGrid *grid, guint index, guint *ret_position)
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

/* Titles of numbers stand over their numbers; GTK 4.8 has no property for it. The header's children
 * are known by what they say: their order is that in which they were made. */
static void align_titles(PmGrid *grid)
{
    GtkWidget *header = gtk_widget_get_first_child(GTK_WIDGET(grid->view));

    pm_element_set_name(header, "Columns");
    for (GtkWidget *title = gtk_widget_get_first_child(header); title;
         title = gtk_widget_get_next_sibling(title)) {
        const PmGridColumn *column = column_of_title(grid, title);
        GtkWidget *box = gtk_widget_get_first_child(title);
        if (!column)
            continue;
        if (box && is_number(column) && (!column->make || column->text))
            gtk_widget_set_halign(box, GTK_ALIGN_END);
        gtk_widget_set_tooltip_text(title, column->help);
        name_title(title, column);
    }
}

/* Columns are taken out, not made invisible: GTK 4.8 keeps the room of invisible ones. */
static void show_column(PmGrid *grid, guint index, gboolean shown)
{
    guint position, before = 0;

    if (is_shown(grid, index, &position) == shown)
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
        before += is_shown(grid, i, &position);
    gtk_column_view_insert_column(grid->view, before, grid->columns[index].shown);
    align_titles(grid);
}

static gboolean is_wanted(PmGrid *grid, guint index)
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
    g_autofree char *number = value_text(grid, index, grid->columns[index].most);
    g_autofree char *text = g_strconcat(column->flags & PM_GRID_GUESS ? "~" : "", number, NULL);
    g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(GTK_WIDGET(grid), text);
    pango_layout_get_pixel_size(layout, &width, NULL);
    return MAX(made_for, width + 2 * CELL_PADDING_PX + 2); /* labels round up */
}

/* Shows what is wanted and fits; never without what it is sorted by. */
static void fit_columns(PmGrid *grid)
{
    const PmGridShape *shape = grid->shape;
    GtkAdjustment *sideways =
        gtk_scrolled_window_get_hadjustment(GTK_SCROLLED_WINDOW(grid->scroller));
    const double width = gtk_adjustment_get_page_size(sideways);
    const double scale = pm_element_letter_scale(GTK_WIDGET(grid));
    double used = 0;

    for (guint i = 0; i < shape->n_columns; i++)
        if (shape->columns[i].width_px)
            gtk_column_view_column_set_fixed_width(grid->columns[i].shown,
                                                   (int)least_width(grid, i, scale));
    for (guint pass = 0; pass < 2; pass++) { /* those that must be there, then the spare ones */
        gboolean full = FALSE;
        for (guint i = 0; i < shape->n_columns; i++) {
            const gboolean kept =
                grid->columns[i].chosen ||
                (shape->columns[i].flags & PM_GRID_SPARE && i == grid->sort_column);
            const gboolean spare = shape->columns[i].flags & PM_GRID_SPARE && !kept && width > 0;
            if (spare != (pass == 1) || !is_wanted(grid, i))
                continue;
            const double least = least_width(grid, i, scale);
            full = full || (spare && used + least > width);
            /* What the user asks for does not drive others out. */
            used += full || kept ? 0 : least;
            show_column(grid, i, !full);
        }
    }
}

static gboolean fit_cb(gpointer user_data)
{
    PmGrid *grid = user_data;

    grid->fit_source = 0;
    fit_columns(grid);
    return G_SOURCE_REMOVE;
}

/* Columns change in an idle handler: not while sizes are given. */
static void fit_soon(PmGrid *grid)
{
    if (!grid->fit_source)
        grid->fit_source = g_idle_add_full(G_PRIORITY_HIGH_IDLE, fit_cb, grid, NULL);
}

static void width_changed(GtkAdjustment *sideways, GParamSpec *spec, PmGrid *grid)
{
    fit_soon(grid);
}

static void column_action(GSimpleAction *action, GVariant *value, gpointer user_data)
{
    PmGrid *grid = user_data;
    const char *id = g_action_get_name(G_ACTION(action)) + strlen("column-");
    const guint index = column_index(grid, id);

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
        if (!is_sortable(column))
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

/* ---- selection, activation, pointer, keys ---- */

static void selection_changed(GtkSingleSelection *selection, GParamSpec *pspec, PmGrid *grid)
{
    if (!grid->replacing)
        g_signal_emit(grid, signals[SELECTED], 0);
}

static void row_activated(GtkColumnView *view, guint position, PmGrid *grid)
{
    g_autoptr(GtkTreeListRow) row = gtk_tree_list_model_get_row(grid->tree, position);

    if (!row)
        return;
    if (gtk_tree_list_row_is_expandable(row))
        gtk_tree_list_row_set_expanded(row, !gtk_tree_list_row_get_expanded(row));
    else
        g_signal_emit(grid, signals[ACTIVATED], 0);
}

static void set_hovered(PmGrid *grid, PmRow *row)
{
    gpointer item = row ? row_item(row) : NULL;

    if (item == grid->hovered)
        return;
    grid->hovered = item;
    g_signal_emit(grid, signals[HOVERED], 0);
}

/* The list item of any cell of the row widget at a point. */
static GtkListItem *item_at(PmGrid *grid, double x, double y)
{
    GtkWidget *picked = gtk_widget_pick(GTK_WIDGET(grid->view), x, y, GTK_PICK_DEFAULT);
    GtkListItem *item = NULL;

    for (; picked && picked != GTK_WIDGET(grid->view); picked = gtk_widget_get_parent(picked)) {
        item = g_object_get_qdata(G_OBJECT(picked), item_quark());
        if (item)
            return item;
        GtkWidget *cell = gtk_widget_get_first_child(picked);
        GtkWidget *child = cell ? gtk_widget_get_first_child(cell) : NULL;
        if (child)
            item = g_object_get_qdata(G_OBJECT(child), item_quark());
        if (item)
            return item;
    }
    return NULL;
}

/* ---- strips under rows ---- */

/* Of the row of a widget in the list, in the coordinates of `of`. */
static gboolean strip_of(PmGrid *grid, GtkWidget *row, GtkWidget *of, graphene_rect_t *ret_bounds)
{
    graphene_rect_t axis, bounds;

    if (!grid->axis || !gtk_widget_get_mapped(row) ||
        !gtk_widget_compute_bounds(grid->axis, of, &axis) ||
        !gtk_widget_compute_bounds(row, of, &bounds))
        return FALSE;
    *ret_bounds = GRAPHENE_RECT_INIT(axis.origin.x,
                                     bounds.origin.y + bounds.size.height - STRIP_PX - STRIP_GAP_PX,
                                     axis.size.width, STRIP_PX);
    return axis.size.width > 0;
}

static GtkTreeListRow *row_of_widget(GtkWidget *widget)
{
    GtkWidget *cell = gtk_widget_get_first_child(widget),
              *child = cell ? gtk_widget_get_first_child(cell) : NULL;
    GtkListItem *item = child ? g_object_get_qdata(G_OBJECT(child), item_quark()) : NULL;

    return item ? gtk_list_item_get_item(item) : NULL;
}

static GtkWidget *list_of(PmGrid *grid)
{
    return gtk_widget_get_last_child(GTK_WIDGET(grid->view));
}

static void pm_grid_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
    PmGrid *grid = PM_GRID(widget);
    GtkWidget *list = list_of(grid);
    graphene_rect_t clip, bounds;

    GTK_WIDGET_CLASS(pm_grid_parent_class)->snapshot(widget, snapshot);
    if (!grid->shape->draw_strip || !list || !gtk_widget_compute_bounds(list, widget, &clip))
        return;
    clip = GRAPHENE_RECT_INIT(0, clip.origin.y, (float)gtk_widget_get_width(widget),
                              (float)gtk_widget_get_height(widget) - clip.origin.y);
    gtk_snapshot_push_clip(snapshot, &clip);
    for (GtkWidget *row = gtk_widget_get_first_child(list); row;
         row = gtk_widget_get_next_sibling(row)) {
        GtkTreeListRow *tree_row = row_of_widget(row);
        g_autoptr(PmRow) item = tree_row ? gtk_tree_list_row_get_item(tree_row) : NULL;
        if (item && strip_of(grid, row, widget, &bounds) &&
            graphene_rect_intersection(&bounds, &clip, NULL))
            grid->shape->draw_strip(snapshot, &bounds, row_item(item), item->list->data);
    }
    gtk_snapshot_pop(snapshot);
}

/* The row whose strip is at a point of the view, and at which part of its width; NULL = none. */
static GtkTreeListRow *strip_at(PmGrid *grid, double x, double y, double *ret_part)
{
    GtkWidget *list = grid->shape->draw_strip ? list_of(grid) : NULL;
    graphene_rect_t bounds;

    for (GtkWidget *row = list ? gtk_widget_get_first_child(list) : NULL; row;
         row = gtk_widget_get_next_sibling(row)) {
        if (!strip_of(grid, row, GTK_WIDGET(grid->view), &bounds) ||
            !graphene_rect_contains_point(&bounds, &GRAPHENE_POINT_INIT((float)x, (float)y)))
            continue;
        *ret_part = (x - bounds.origin.x) / bounds.size.width;
        return row_of_widget(row);
    }
    return NULL;
}

static gboolean query_strip_cb(GtkWidget *view, int x, int y, gboolean by_key, GtkTooltip *tooltip,
                               PmGrid *grid)
{
    double part;
    GtkTreeListRow *tree_row =
        by_key || pm_element_is_under_menu(view) ? NULL : strip_at(grid, x, y, &part);
    g_autoptr(PmRow) row = tree_row ? gtk_tree_list_row_get_item(tree_row) : NULL;
    g_autofree char *text =
        row ? grid->shape->tell_strip(part, row_item(row), row->list->data) : NULL;

    gtk_tooltip_set_text(tooltip, text);
    return text != NULL;
}

static void point(PmGrid *grid, double part)
{
    if (part < 0 && !grid->pointed)
        return;
    grid->pointed = part >= 0;
    g_signal_emit(grid, signals[POINTED], 0, part);
}

void pm_grid_set_axis(PmGrid *grid, GtkWidget *axis)
{
    g_return_if_fail(PM_IS_GRID(grid) && GTK_IS_WIDGET(axis));
    grid->axis = axis;
    gtk_widget_set_has_tooltip(GTK_WIDGET(grid->view), TRUE);
    g_signal_connect(grid->view, "query-tooltip", G_CALLBACK(query_strip_cb), grid);
}

gboolean pm_grid_strip_bounds(PmGrid *grid, guint position, graphene_rect_t *ret_bounds)
{
    g_return_val_if_fail(PM_IS_GRID(grid), FALSE);
    GtkWidget *list = list_of(grid);

    for (GtkWidget *row = list ? gtk_widget_get_first_child(list) : NULL; row;
         row = gtk_widget_get_next_sibling(row)) {
        GtkTreeListRow *tree_row = row_of_widget(row);
        if (tree_row && gtk_tree_list_row_get_position(tree_row) == position)
            return strip_of(grid, row, GTK_WIDGET(grid), ret_bounds);
    }
    return FALSE;
}

/* ---- the pointer ---- */

static void pointer_left(GtkEventControllerMotion *motion, PmGrid *grid)
{
    point(grid, -1);
    set_hovered(grid, NULL);
}

static void pointer_moved(GtkEventControllerMotion *motion, double x, double y, PmGrid *grid)
{
    double part;

    if (pm_element_is_under_menu(GTK_WIDGET(grid))) {
        pointer_left(motion, grid);
        return;
    }
    point(grid, strip_at(grid, x, y, &part) ? part : -1);
    GtkListItem *item = item_at(grid, x, y);
    GtkTreeListRow *tree_row = item ? gtk_list_item_get_item(item) : NULL;
    g_autoptr(PmRow) row = tree_row ? gtk_tree_list_row_get_item(tree_row) : NULL;

    set_hovered(grid, row);
}

/* What can be done with the row under the pointer; the pages' and the window's actions. */
static void secondary_pressed(GtkGestureClick *click, int n_press, double x, double y, PmGrid *grid)
{
    GtkListItem *item = item_at(grid, x, y);
    GtkTreeListRow *row = item ? gtk_list_item_get_item(item) : NULL;

    if (!row)
        return;
    gtk_single_selection_set_selected(grid->selection, gtk_tree_list_row_get_position(row));
    if (!grid->menu) {
        g_autoptr(GMenu) menu = g_menu_new();
        g_menu_append(menu, "Only this", "win.filter-in");
        g_menu_append(menu, "All but this", "win.filter-out");
        g_menu_append(menu, "Copy the row", "page.copy");
        grid->menu = gtk_popover_menu_new_from_model(G_MENU_MODEL(menu));
        gtk_popover_set_has_arrow(GTK_POPOVER(grid->menu), FALSE);
        gtk_widget_set_halign(grid->menu, GTK_ALIGN_START);
        gtk_widget_set_parent(grid->menu, GTK_WIDGET(grid));
    }
    double grid_x, grid_y;
    gtk_widget_translate_coordinates(GTK_WIDGET(grid->view), GTK_WIDGET(grid), x, y, &grid_x,
                                     &grid_y);
    gtk_popover_set_pointing_to(GTK_POPOVER(grid->menu),
                                &(GdkRectangle){(int)grid_x, (int)grid_y, 1, 1});
    gtk_popover_popup(GTK_POPOVER(grid->menu));
}

/* The first widget after (or before) the grid that takes the focus. */
static gboolean leave(GtkWidget *widget, GtkDirectionType direction)
{
    const gboolean forward = direction == GTK_DIR_TAB_FORWARD;

    for (; widget; widget = gtk_widget_get_parent(widget)) {
        GtkWidget *next = widget;
        while ((next = forward ? gtk_widget_get_next_sibling(next)
                               : gtk_widget_get_prev_sibling(next)))
            if (gtk_widget_get_mapped(next) && gtk_widget_child_focus(next, direction))
                return TRUE;
    }
    return FALSE;
}

/* The row that has the focus, selected or not; GTK_INVALID_LIST_POSITION = none. */
static guint focused_position(PmGrid *grid)
{
    GtkRoot *root = gtk_widget_get_root(GTK_WIDGET(grid));
    GtkWidget *focus = root ? gtk_root_get_focus(root) : NULL;
    GtkWidget *cell = focus ? gtk_widget_get_first_child(focus) : NULL;
    GtkWidget *child = cell ? gtk_widget_get_first_child(cell) : NULL;
    GtkListItem *item = child ? g_object_get_qdata(G_OBJECT(child), item_quark()) : NULL;

    return item ? gtk_list_item_get_position(item) : GTK_INVALID_LIST_POSITION;
}

static gboolean key_pressed(GtkEventControllerKey *keys, guint keyval, guint code,
                            GdkModifierType modifiers, PmGrid *grid)
{
    const GdkModifierType held = modifiers & gtk_accelerator_get_default_mod_mask();
    guint position = gtk_single_selection_get_selected(grid->selection);

    if (keyval == GDK_KEY_Tab && !held)
        return leave(GTK_WIDGET(grid), GTK_DIR_TAB_FORWARD);
    if ((keyval == GDK_KEY_ISO_Left_Tab || keyval == GDK_KEY_Tab) && held == GDK_SHIFT_MASK)
        return leave(GTK_WIDGET(grid), GTK_DIR_TAB_BACKWARD);
    if ((keyval == GDK_KEY_plus ? held & ~GDK_SHIFT_MASK : held) || !grid->shape->is_tree)
        return FALSE;
    if (position == GTK_INVALID_LIST_POSITION)
        position = focused_position(grid);
    if (position == GTK_INVALID_LIST_POSITION)
        position = 0; /* of a page that has just been gone to */
    g_autoptr(GtkTreeListRow) row = gtk_tree_list_model_get_row(grid->tree, position);
    if (!row)
        return FALSE;
    if (keyval == GDK_KEY_Right || keyval == GDK_KEY_plus || keyval == GDK_KEY_KP_Add) {
        if (gtk_tree_list_row_is_expandable(row) && !gtk_tree_list_row_get_expanded(row))
            gtk_tree_list_row_set_expanded(row, TRUE);
        gtk_single_selection_set_selected(grid->selection, position);
        return TRUE;
    }
    if (keyval == GDK_KEY_Left || keyval == GDK_KEY_minus || keyval == GDK_KEY_KP_Subtract) {
        g_autoptr(GtkTreeListRow) parent = gtk_tree_list_row_get_parent(row);
        if (gtk_tree_list_row_get_expanded(row)) {
            gtk_tree_list_row_set_expanded(row, FALSE);
        } else if (parent) {
            const guint up = gtk_tree_list_row_get_position(parent);
            gtk_single_selection_set_selected(grid->selection, up);
            scroll_to(grid, up);
        }
        return TRUE;
    }
    return FALSE;
}

/* ---- the widget ---- */

static gboolean pm_grid_grab_focus(GtkWidget *widget)
{
    return gtk_widget_grab_focus(GTK_WIDGET(PM_GRID(widget)->view));
}

/* Tab comes to the grid as one thing and leaves it at once, whatever its number of rows. */
static gboolean pm_grid_focus(GtkWidget *widget, GtkDirectionType direction)
{
    PmGrid *grid = PM_GRID(widget);

    if (direction != GTK_DIR_TAB_FORWARD && direction != GTK_DIR_TAB_BACKWARD)
        return gtk_widget_child_focus(grid->scroller, direction);
    return !gtk_widget_get_focus_child(widget) && gtk_widget_grab_focus(widget);
}

static void pm_grid_dispose(GObject *object)
{
    PmGrid *grid = PM_GRID(object);

    g_clear_handle_id(&grid->scroll_source, g_source_remove);
    g_clear_handle_id(&grid->fit_source, g_source_remove);
    grid->replacing = TRUE;
    g_clear_pointer(&grid->menu, gtk_widget_unparent);
    if (grid->scroller) {
        /* Before what its rows point to. */
        g_signal_handlers_disconnect_by_data(gtk_column_view_get_sorter(grid->view), grid);
        g_signal_handlers_disconnect_by_data(grid->selection, grid);
        g_signal_handlers_disconnect_by_data(
            gtk_scrolled_window_get_hadjustment(GTK_SCROLLED_WINDOW(grid->scroller)), grid);
        gtk_column_view_set_model(grid->view, NULL);
        g_clear_pointer(&grid->scroller, gtk_widget_unparent);
    }
    g_clear_object(&grid->selection);
    g_clear_object(&grid->tree);
    g_clear_object(&grid->top);
    g_clear_object(&grid->actions);
    for (guint i = 0; grid->columns && i < grid->shape->n_columns; i++)
        g_object_unref(grid->columns[i].shown);
    g_clear_pointer(&grid->columns, g_free);
    g_clear_pointer(&grid->expanded, g_hash_table_unref);
    if (grid->data)
        g_rc_box_release_full(g_steal_pointer(&grid->data), grid->shape->clear_data);
    G_OBJECT_CLASS(pm_grid_parent_class)->dispose(object);
}

static void pm_grid_class_init(PmGridClass *class)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

    G_OBJECT_CLASS(class)->dispose = pm_grid_dispose;
    widget_class->grab_focus = pm_grid_grab_focus;
    widget_class->focus = pm_grid_focus;
    signals[SELECTED] = g_signal_new("selected", PM_TYPE_GRID, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                     NULL, G_TYPE_NONE, 0);
    signals[ACTIVATED] = g_signal_new("activated", PM_TYPE_GRID, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                      NULL, G_TYPE_NONE, 0);
    widget_class->snapshot = pm_grid_snapshot;
    signals[POINTED] = g_signal_new("pointed", PM_TYPE_GRID, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                    G_TYPE_NONE, 1, G_TYPE_DOUBLE);
    signals[HOVERED] = g_signal_new("hovered", PM_TYPE_GRID, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                    G_TYPE_NONE, 0);
    gtk_widget_class_set_layout_manager_type(widget_class, GTK_TYPE_BIN_LAYOUT);
    gtk_widget_class_set_css_name(widget_class, "pm-grid");
    gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void pm_grid_init(PmGrid *grid)
{
    grid->expanded = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    grid->actions = g_simple_action_group_new();
}

static void add_actions(PmGrid *grid)
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

static void add_column(PmGrid *grid, guint index)
{
    const PmGridColumn *column = &grid->shape->columns[index];
    GtkListItemFactory *factory = gtk_signal_list_item_factory_new();
    GtkSorter *sorter = GTK_SORTER(gtk_custom_sorter_new(note_asked, (gpointer)column, NULL));
    GtkColumnViewColumn *shown = gtk_column_view_column_new(column->title, factory);

    g_object_set_data(G_OBJECT(factory), "column", (gpointer)column);
    g_signal_connect(factory, "setup", G_CALLBACK(cell_setup), grid);
    g_signal_connect(factory, "bind", G_CALLBACK(cell_bind), grid);
    g_signal_connect(factory, "unbind", G_CALLBACK(cell_unbind), grid);
    grid->columns[index].shown = shown;
    if (column->field)
        grid->columns[index].field = grid->shape->find_field(column->field);
    if (is_sortable(column))
        gtk_column_view_column_set_sorter(shown, sorter);
    g_object_unref(sorter);
    gtk_column_view_column_set_resizable(shown, TRUE);
    gtk_column_view_column_set_expand(shown, (column->flags & PM_GRID_WIDE) != 0);
    if (column->width_px)
        gtk_column_view_column_set_fixed_width(shown, column->width_px);
    if (!(column->flags & PM_GRID_HIDDEN))
        gtk_column_view_append_column(grid->view, shown);
}

PmGrid *pm_grid_new(const PmGridShape *shape)
{
    PmGrid *grid = g_object_new(PM_TYPE_GRID, NULL);
    GtkEventController *keys = gtk_event_controller_key_new();
    GtkGesture *secondary = gtk_gesture_click_new();

    grid->shape = shape;
    grid->columns = g_new0(struct column, shape->n_columns);
    grid->tree = gtk_tree_list_model_new(G_LIST_MODEL(g_list_store_new(PM_TYPE_ROW)), FALSE, FALSE,
                                         make_children, grid, NULL);
    grid->selection = gtk_single_selection_new(g_object_ref(G_LIST_MODEL(grid->tree)));
    gtk_single_selection_set_autoselect(grid->selection, FALSE);
    gtk_single_selection_set_can_unselect(grid->selection, TRUE);
    gtk_single_selection_set_selected(grid->selection, GTK_INVALID_LIST_POSITION);
    grid->view =
        GTK_COLUMN_VIEW(gtk_column_view_new(GTK_SELECTION_MODEL(g_object_ref(grid->selection))));
    gtk_widget_add_css_class(GTK_WIDGET(grid->view), "data-table");
    gtk_column_view_set_show_column_separators(grid->view, FALSE);
    pm_element_set_name(GTK_WIDGET(grid), shape->name);
    pm_element_set_name(GTK_WIDGET(grid->view), shape->name);
    add_actions(grid);
    for (guint i = 0; i < shape->n_columns; i++)
        add_column(grid, i);
    align_titles(grid);
    pm_grid_sort_by(grid, shape->sort_column,
                    is_number(&shape->columns[column_index(grid, shape->sort_column)]));
    g_signal_connect(gtk_column_view_get_sorter(grid->view), "changed", G_CALLBACK(title_clicked),
                     grid);
    g_signal_connect(grid->selection, "notify::selected", G_CALLBACK(selection_changed), grid);
    g_signal_connect(grid->view, "activate", G_CALLBACK(row_activated), grid);
    pm_element_listen(GTK_WIDGET(grid->view), gtk_event_controller_motion_new(), grid, "motion",
                      G_CALLBACK(pointer_moved), "leave", G_CALLBACK(pointer_left), NULL);
    gtk_gesture_single_set_button(GTK_GESTURE_SINGLE(secondary), GDK_BUTTON_SECONDARY);
    pm_element_listen(GTK_WIDGET(grid->view), secondary, grid, "pressed",
                      G_CALLBACK(secondary_pressed), NULL);
    gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE);
    pm_element_listen(GTK_WIDGET(grid->view), keys, grid, "key-pressed", G_CALLBACK(key_pressed),
                      NULL);
    grid->scroller = gtk_scrolled_window_new();
    pm_element_set_name(grid->scroller, shape->name);
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(grid->scroller), GTK_WIDGET(grid->view));
    g_signal_connect(gtk_scrolled_window_get_hadjustment(GTK_SCROLLED_WINDOW(grid->scroller)),
                     "notify::page-size", G_CALLBACK(width_changed), grid);
    gtk_widget_set_parent(grid->scroller, GTK_WIDGET(grid));
    gtk_widget_set_hexpand(GTK_WIDGET(grid), TRUE);
    gtk_widget_set_vexpand(GTK_WIDGET(grid), TRUE);
    return grid;
}

void pm_grid_set_data(PmGrid *grid, gpointer data, gboolean keep_order)
{
    g_return_if_fail(PM_IS_GRID(grid));
    gpointer old = grid->data;

    grid->data = data;
    if (data) {
        choose_units(grid);
        fit_soon(grid);
    }
    if (!renew(grid, data, keep_order))
        rebuild(grid, data, keep_order);
    if (old)
        g_rc_box_release_full(old, grid->shape->clear_data);
}

guint pm_grid_get_selected(PmGrid *grid, gpointer *ret_items, guint max)
{
    g_return_val_if_fail(PM_IS_GRID(grid), 0);
    g_autoptr(PmRow) row = selected_row(grid);

    if (!row || row->list->depth + 1 > max)
        return 0;
    const guint n = row->list->depth + 1;
    for (PmRow *r = row; r; r = r->list->parent)
        ret_items[r->list->depth] = row_item(r);
    return n;
}

static void select_position(PmGrid *grid, guint position)
{
    grid->replacing = TRUE;
    gtk_single_selection_set_selected(grid->selection, position);
    grid->replacing = FALSE;
}

gboolean pm_grid_select(PmGrid *grid, const guint64 *keys, guint n)
{
    g_return_val_if_fail(PM_IS_GRID(grid), FALSE);
    if (!n || !grid->top) {
        select_position(grid, GTK_INVALID_LIST_POSITION);
        return n == 0;
    }
    g_autoptr(GtkTreeListRow) row = find_row(grid, keys, n);
    const guint position = row ? gtk_tree_list_row_get_position(row) : GTK_INVALID_LIST_POSITION;
    const gboolean moved = position != gtk_single_selection_get_selected(grid->selection);
    select_position(grid, position);
    if (row && moved)
        scroll_to(grid, position);
    return row != NULL;
}

void pm_grid_select_first(PmGrid *grid)
{
    g_return_if_fail(PM_IS_GRID(grid));
    if (pm_grid_n_rows(grid))
        gtk_single_selection_set_selected(grid->selection, 0);
}

gpointer pm_grid_get_hovered(PmGrid *grid)
{
    g_return_val_if_fail(PM_IS_GRID(grid), NULL);
    return grid->hovered;
}

void pm_grid_set_lit(PmGrid *grid, gboolean any, guint64 key)
{
    g_return_if_fail(PM_IS_GRID(grid));
    if (any == grid->lit && key == grid->lit_key)
        return;
    grid->lit = any;
    grid->lit_key = key;
    each_cell(grid, TRUE, light_row);
}

static const PmGridColumn *name_column(PmGrid *grid)
{
    for (guint i = 0; i < grid->shape->n_columns; i++)
        if (grid->shape->columns[i].flags & PM_GRID_NAME)
            return &grid->shape->columns[i];
    return NULL;
}

/* `wanted` is folded. */
static gboolean row_matches(PmGrid *grid, guint position, const char *wanted)
{
    g_autofree char *name = pm_grid_cell_text(grid, position, name_column(grid)->id);
    g_autofree char *folded = g_utf8_casefold(name, -1);

    return strstr(folded, wanted) != NULL;
}

gboolean pm_grid_search(PmGrid *grid, const char *text, int direction)
{
    g_return_val_if_fail(PM_IS_GRID(grid), FALSE);
    const guint n = pm_grid_n_rows(grid);
    guint at = gtk_single_selection_get_selected(grid->selection);
    g_autofree char *wanted = g_utf8_casefold(text, -1);

    if (!*text || !gtk_widget_get_mapped(GTK_WIDGET(grid)))
        return FALSE;
    if (at == GTK_INVALID_LIST_POSITION)
        at = direction > 0 ? n - 1 : 0;
    for (guint step = 0; step < n; step++) {
        at = direction > 0 ? (at + 1) % n : (at + n - 1) % n;
        if (row_matches(grid, at, wanted)) {
            gtk_single_selection_set_selected(grid->selection, at);
            scroll_to(grid, at);
            return TRUE;
        }
    }
    return FALSE;
}

guint pm_grid_count_matches(PmGrid *grid, const char *text, guint *ret_at)
{
    g_return_val_if_fail(PM_IS_GRID(grid), 0);
    const guint selected = gtk_single_selection_get_selected(grid->selection);
    g_autofree char *wanted = g_utf8_casefold(text, -1);
    guint n = 0;

    *ret_at = 0;
    for (guint i = 0; *text && i < pm_grid_n_rows(grid); i++) {
        if (!row_matches(grid, i, wanted))
            continue;
        n++;
        if (i == selected)
            *ret_at = n;
    }
    return n;
}

static PmRow *row_at(PmGrid *grid, guint position)
{
    g_autoptr(GtkTreeListRow) tree_row = gtk_tree_list_model_get_row(grid->tree, position);

    return tree_row ? gtk_tree_list_row_get_item(tree_row) : NULL;
}

char *pm_grid_cell_text(PmGrid *grid, guint position, const char *column_id)
{
    g_return_val_if_fail(PM_IS_GRID(grid), NULL);
    g_autoptr(PmRow) row = row_at(grid, position);
    const guint index = column_index(grid, column_id);

    if (!row || index >= grid->shape->n_columns || grid->shape->columns[index].make)
        return NULL;
    return cell_text(grid, index, row);
}

void pm_grid_copy(PmGrid *grid)
{
    g_return_if_fail(PM_IS_GRID(grid));
    g_autoptr(PmRow) row = selected_row(grid);
    g_autoptr(GString) text = g_string_new(NULL);

    for (guint i = 0; row && i < grid->shape->n_columns; i++) {
        const PmGridColumn *column = &grid->shape->columns[i];
        guint position;
        if (column->make || !is_shown(grid, i, &position))
            continue;
        g_autofree char *cell = cell_text(grid, i, row);
        /* It may be pasted into a spreadsheet. */
        g_autofree char *guarded = is_number(column) ? g_steal_pointer(&cell) : pm_csv_guard(cell);
        if (text->len)
            g_string_append_c(text, '\t');
        g_string_append(text, guarded);
    }
    if (row)
        pm_element_copy(GTK_WIDGET(grid), text->str);
}

guint pm_grid_n_rows(PmGrid *grid)
{
    g_return_val_if_fail(PM_IS_GRID(grid), 0);
    return g_list_model_get_n_items(G_LIST_MODEL(grid->tree));
}

gboolean pm_grid_set_expanded(PmGrid *grid, guint position, gboolean expanded)
{
    g_return_val_if_fail(PM_IS_GRID(grid), FALSE);
    g_autoptr(GtkTreeListRow) row = gtk_tree_list_model_get_row(grid->tree, position);

    if (!row || !gtk_tree_list_row_is_expandable(row))
        return FALSE;
    gtk_tree_list_row_set_expanded(row, expanded);
    g_autoptr(PmRow) item = gtk_tree_list_row_get_item(row);
    g_autofree char *path = row_path(item);
    if (expanded)
        g_hash_table_add(grid->expanded, g_steal_pointer(&path));
    else
        g_hash_table_remove(grid->expanded, path);
    return TRUE;
}

gpointer pm_grid_get_item(PmGrid *grid, guint position)
{
    g_return_val_if_fail(PM_IS_GRID(grid), 0);
    g_autoptr(PmRow) row = row_at(grid, position);

    return row ? row_item(row) : NULL;
}
