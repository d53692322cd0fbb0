/* The rows of the grid as GTK wants them, and what stays as it was when its data is replaced. */
#include "viewer/ui/grid/grid-private.h"

#include <string.h>

static void list_model_init(GListModelInterface *interface);

G_DEFINE_FINAL_TYPE(PmRow, pm_row, G_TYPE_OBJECT)
G_DEFINE_FINAL_TYPE_WITH_CODE(PmRowList, pm_row_list, G_TYPE_OBJECT,
                              G_IMPLEMENT_INTERFACE(G_TYPE_LIST_MODEL, list_model_init))

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

gpointer pm_row_item(const PmRow *row)
{
    return row->list->items[row->position];
}

static void row_append_path(PmRow *row, GString *path)
{
    if (row->list->parent) {
        row_append_path(row->list->parent, path);
        g_string_append_c(path, '/');
    }
    g_string_append_printf(path, "%" G_GINT64_MODIFIER "x", row->key);
}

char *pm_row_path(PmRow *row)
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
    g_clear_pointer(&list->names, g_hash_table_unref);
    g_clear_weak_pointer(&list->grid);
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

static void make_rows(PmRowList *list);

static guint row_list_n_items(GListModel *model)
{
    PmRowList *list = PM_ROW_LIST(model);

    make_rows(list);
    return list->n;
}

static gpointer row_list_get(GListModel *model, guint position)
{
    PmRowList *list = PM_ROW_LIST(model);

    make_rows(list);
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

static PmRowList *row_list_new(PmGrid *grid, PmRow *parent, gpointer data)
{
    PmRowList *list = g_object_new(PM_TYPE_ROW_LIST, NULL);

    list->shape = grid->shape;
    list->data = g_rc_box_acquire(data);
    list->parent = parent ? g_object_ref(parent) : NULL;
    list->depth = parent ? parent->list->depth + 1 : 0;
    g_set_weak_pointer(&list->grid, grid);
    return list;
}

/* With what its data has under `item` (NULL = the top). `old`: the list at the same place before,
 * whose order is kept if `keep`. */
static void row_list_fill(PmRowList *list, gpointer item, PmRowList *old, gboolean keep)
{
    PmGrid *grid = list->grid;
    gpointer data = list->data;
    const PmGridShape *shape = grid->shape;
    const PmGridColumn *column = &shape->columns[grid->sort_column];
    const struct order order = {column->unit == PM_GRID_TEXT, grid->descending, keep && old};
    guint n = 0;
    gpointer *items = shape->children(item, data, &n);
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
            rows[i].value = pm_grid_number(grid, grid->sort_column, items[i], data);
        } else {
            g_autofree char *text = column->text(items[i], data);
            rows[i].text = g_utf8_collate_key(text, -1);
        }
    }
    g_qsort_with_data(rows, (gint)n, sizeof *rows, compare_ordered, (gpointer)&order);
    list->n = n;
    list->items = g_new(gpointer, n + 1);
    list->keys = g_new(guint64, n + 1);
    for (guint i = 0; i < n; i++) {
        list->items[i] = rows[i].item;
        list->keys[i] = rows[i].key;
        g_free(rows[i].text);
    }
    g_clear_weak_pointer(&list->grid);
}

static void make_rows(PmRowList *list)
{
    if (list->grid)
        row_list_fill(list, pm_row_item(list->parent), NULL, FALSE);
}

GListModel *pm_grid_make_children(gpointer item, gpointer user_data)
{
    PmRow *row = item;
    PmGrid *grid = user_data;

    if (!grid->shape->has_children || !grid->shape->has_children(pm_row_item(row), row->list->data))
        return NULL;
    PmRowList *list = row_list_new(grid, row, row->list->data);
    if (!row->list->under)
        row->list->under = g_ptr_array_new();
    g_ptr_array_add(row->list->under, list);
    return G_LIST_MODEL(list);
}

void pm_grid_expanded_changed(GtkTreeListRow *tree_row, GParamSpec *pspec, PmGrid *grid)
{
    g_autoptr(PmRow) row = gtk_tree_list_row_get_item(tree_row);

    if (!row || grid->replacing)
        return;
    g_autofree char *path = pm_row_path(row);
    if (gtk_tree_list_row_get_expanded(tree_row))
        g_hash_table_add(grid->expanded, g_steal_pointer(&path));
    else
        g_hash_table_remove(grid->expanded, path);
}

static guint list_find(PmRowList *list, guint64 key)
{
    make_rows(list);
    for (guint i = 0; i < list->n; i++)
        if (list->keys[i] == key)
            return i;
    return G_MAXUINT;
}

GtkTreeListRow *pm_grid_find_row(PmGrid *grid, const guint64 *keys, guint n)
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
        g_autoptr(GtkTreeListRow) row = pm_grid_find_row(grid, keys, n);
        if (row)
            gtk_tree_list_row_set_expanded(row, TRUE);
    }
}

PmRow *pm_grid_selected_row(PmGrid *grid)
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

void pm_grid_scroll_to(PmGrid *grid, guint position)
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

void pm_grid_keep_a_while(gpointer object)
{
    g_idle_add_full(G_PRIORITY_HIGH, kept_cb, object, g_object_unref);
}

void pm_grid_rebuild(PmGrid *grid, gpointer data, gboolean keep_order)
{
    GtkAdjustment *adjustment =
        gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(grid->scroller));
    g_autoptr(PmRow) selected = pm_grid_selected_row(grid);
    g_autofree char *selected_path = selected ? pm_row_path(selected) : NULL;
    g_autoptr(PmRowList) old = g_steal_pointer(&grid->top);

    if (!grid->scroll_source)
        grid->kept_scroll = gtk_adjustment_get_value(adjustment);
    grid->replacing = TRUE;
    grid->hovered = NULL;
    if (data) {
        grid->top = row_list_new(grid, NULL, data);
        row_list_fill(grid->top, NULL, old, keep_order);
    }
    GListModel *model = grid->top ? G_LIST_MODEL(g_object_ref(grid->top))
                                  : G_LIST_MODEL(g_list_store_new(PM_TYPE_ROW));
    if (grid->tree)
        pm_grid_keep_a_while(grid->tree);
    grid->tree = gtk_tree_list_model_new(model, FALSE, FALSE, pm_grid_make_children, grid, NULL);
    gtk_single_selection_set_model(grid->selection, G_LIST_MODEL(grid->tree));
    if (grid->top) {
        restore_expanded(grid);
        if (selected_path) {
            guint64 keys[MAX_DEPTH];
            const guint n = parse_path(selected_path, keys, MAX_DEPTH);
            g_autoptr(GtkTreeListRow) row = pm_grid_find_row(grid, keys, n);
            gtk_single_selection_set_selected(grid->selection,
                                              row ? gtk_tree_list_row_get_position(row)
                                                  : GTK_INVALID_LIST_POSITION);
        }
    }
    grid->replacing = FALSE;
    if (grid->kept_scroll > 0 && !grid->scroll_source)
        grid->scroll_source = g_idle_add(restore_scroll, grid);
}

/* Has `data` under `item` the rows of `list`, in that order, and so on for the lists under it? Adds
 * them and what they are to hold. */
static gboolean find_same(PmGrid *grid, PmRowList *list, gpointer item, gpointer data,
                          gboolean keep_order, GPtrArray *lists, GPtrArray *fresh_lists)
{
    const PmGridShape *shape = grid->shape;
    PmRowList *fresh = row_list_new(grid, list->parent, data);

    g_ptr_array_add(lists, list);
    g_ptr_array_add(fresh_lists, fresh);
    if (list->grid)
        return TRUE;
    row_list_fill(fresh, item, list, keep_order);
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

gboolean pm_grid_renew(PmGrid *grid, gpointer data, gboolean keep_order)
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
        g_clear_pointer(&list->names, g_hash_table_unref);
    }
    grid->hovered = NULL;
    pm_grid_each_cell(grid, FALSE, pm_grid_cell_show);
    return TRUE;
}
