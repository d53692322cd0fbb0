#include "viewer/ui/grid/grid-private.h"

#include "viewer/report/csv.h"
#include "viewer/ui/widgets/element.h"

G_DEFINE_FINAL_TYPE(PmGrid, pm_grid, GTK_TYPE_WIDGET)

enum { SELECTED, ACTIVATED, HOVERED, POINTED, N_SIGNALS };
static guint signals[N_SIGNALS];

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
    gpointer item = row ? pm_row_item(row) : NULL;

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
        item = g_object_get_qdata(G_OBJECT(picked), pm_grid_item_quark());
        if (item)
            return item;
        GtkWidget *cell = gtk_widget_get_first_child(picked);
        GtkWidget *child = cell ? gtk_widget_get_first_child(cell) : NULL;
        if (child)
            item = g_object_get_qdata(G_OBJECT(child), pm_grid_item_quark());
        if (item)
            return item;
    }
    return NULL;
}

static void point(PmGrid *grid, double part)
{
    if (part < 0 && !grid->pointed)
        return;
    grid->pointed = part >= 0;
    g_signal_emit(grid, signals[POINTED], 0, part);
}

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
    point(grid, pm_grid_strip_at(grid, x, y, &part) ? part : -1);
    GtkListItem *item = item_at(grid, x, y);
    GtkTreeListRow *tree_row = item ? gtk_list_item_get_item(item) : NULL;
    g_autoptr(PmRow) row = tree_row ? gtk_tree_list_row_get_item(tree_row) : NULL;

    set_hovered(grid, row);
}

/* What can be done with the row at a point of the grid; the pages' and the window's actions. */
static void popup_menu(PmGrid *grid, guint position, double x, double y)
{
    gtk_single_selection_set_selected(grid->selection, position);
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
    gtk_popover_set_pointing_to(GTK_POPOVER(grid->menu), &(GdkRectangle){(int)x, (int)y, 1, 1});
    gtk_popover_popup(GTK_POPOVER(grid->menu));
}

static void secondary_pressed(GtkGestureClick *click, int n_press, double x, double y, PmGrid *grid)
{
    GtkListItem *item = item_at(grid, x, y);
    GtkTreeListRow *row = item ? gtk_list_item_get_item(item) : NULL;
    double grid_x, grid_y;

    if (!row)
        return;
    gtk_widget_translate_coordinates(GTK_WIDGET(grid->view), GTK_WIDGET(grid), x, y, &grid_x,
                                     &grid_y);
    popup_menu(grid, gtk_tree_list_row_get_position(row), grid_x, grid_y);
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
    GtkListItem *item = child ? g_object_get_qdata(G_OBJECT(child), pm_grid_item_quark()) : NULL;

    return item ? gtk_list_item_get_position(item) : GTK_INVALID_LIST_POSITION;
}

void pm_grid_popup_menu(PmGrid *grid)
{
    g_return_if_fail(PM_IS_GRID(grid));
    const guint position = focused_position(grid);
    graphene_rect_t row;

    if (position == GTK_INVALID_LIST_POSITION ||
        !gtk_widget_compute_bounds(gtk_root_get_focus(gtk_widget_get_root(GTK_WIDGET(grid))),
                                   GTK_WIDGET(grid), &row))
        return;
    popup_menu(grid, position, row.origin.x + row.size.height, row.origin.y + row.size.height);
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
            pm_grid_scroll_to(grid, up);
        }
        return TRUE;
    }
    return FALSE;
}

static void pm_grid_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
    GTK_WIDGET_CLASS(pm_grid_parent_class)->snapshot(widget, snapshot);
    pm_grid_draw_strips(PM_GRID(widget), snapshot);
}

static gboolean pm_grid_grab_focus(GtkWidget *widget)
{
    return gtk_widget_grab_focus(GTK_WIDGET(PM_GRID(widget)->view));
}

/* Tab comes to the grid as one thing and leaves it at once, whatever its number of rows. */
static gboolean pm_grid_focus(GtkWidget *widget, GtkDirectionType direction)
{
    PmGrid *grid = PM_GRID(widget);

    if (grid->menu && gtk_widget_get_focus_child(widget) == grid->menu)
        return gtk_widget_child_focus(grid->menu, direction);
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

PmGrid *pm_grid_new(const PmGridShape *shape)
{
    PmGrid *grid = g_object_new(PM_TYPE_GRID, NULL);
    GtkEventController *keys = gtk_event_controller_key_new();
    GtkGesture *secondary = gtk_gesture_click_new();

    grid->shape = shape;
    grid->columns = g_new0(PmGridColumnState, shape->n_columns);
    grid->tree = gtk_tree_list_model_new(G_LIST_MODEL(g_list_store_new(PM_TYPE_ROW)), FALSE, FALSE,
                                         pm_grid_make_children, grid, NULL);
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
    pm_grid_add_actions(grid);
    for (guint i = 0; i < shape->n_columns; i++)
        pm_grid_add_column(grid, i);
    pm_grid_align_titles(grid);
    pm_grid_sort_by(
        grid, shape->sort_column,
        pm_grid_column_is_number(&shape->columns[pm_grid_column_index(grid, shape->sort_column)]));
    g_signal_connect(gtk_column_view_get_sorter(grid->view), "changed",
                     G_CALLBACK(pm_grid_title_clicked), grid);
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
                     "notify::page-size", G_CALLBACK(pm_grid_width_changed), grid);
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
        pm_grid_choose_units(grid);
        pm_grid_fit_soon(grid);
    }
    if (!pm_grid_renew(grid, data, keep_order))
        pm_grid_rebuild(grid, data, keep_order);
    if (old)
        g_rc_box_release_full(old, grid->shape->clear_data);
}

guint pm_grid_get_selected(PmGrid *grid, gpointer *ret_items, guint max)
{
    g_return_val_if_fail(PM_IS_GRID(grid), 0);
    g_autoptr(PmRow) row = pm_grid_selected_row(grid);

    if (!row || row->list->depth + 1 > max)
        return 0;
    const guint n = row->list->depth + 1;
    for (PmRow *r = row; r; r = r->list->parent)
        ret_items[r->list->depth] = pm_row_item(r);
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
    g_autoptr(GtkTreeListRow) row = pm_grid_find_row(grid, keys, n);
    const guint position = row ? gtk_tree_list_row_get_position(row) : GTK_INVALID_LIST_POSITION;
    const gboolean moved = position != gtk_single_selection_get_selected(grid->selection);
    select_position(grid, position);
    if (row && moved)
        pm_grid_scroll_to(grid, position);
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
    pm_grid_each_cell(grid, TRUE, pm_grid_light_row);
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
            pm_grid_scroll_to(grid, at);
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
    const guint index = pm_grid_column_index(grid, column_id);

    if (!row || index >= grid->shape->n_columns || grid->shape->columns[index].make)
        return NULL;
    return pm_grid_row_text(grid, index, row);
}

void pm_grid_copy(PmGrid *grid)
{
    g_return_if_fail(PM_IS_GRID(grid));
    g_autoptr(PmRow) row = pm_grid_selected_row(grid);
    g_autoptr(GString) text = g_string_new(NULL);

    for (guint i = 0; row && i < grid->shape->n_columns; i++) {
        const PmGridColumn *column = &grid->shape->columns[i];
        guint position;
        if (column->make || !pm_grid_is_shown(grid, i, &position))
            continue;
        g_autofree char *cell = pm_grid_row_text(grid, i, row);
        /* It may be pasted into a spreadsheet. */
        g_autofree char *guarded =
            pm_grid_column_is_number(column) ? g_steal_pointer(&cell) : pm_csv_guard(cell);
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
    g_autofree char *path = pm_row_path(item);
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

    return row ? pm_row_item(row) : NULL;
}
