#include "viewer/ui/pages/tree-page.h"

#include "viewer/ui/model/keys.h"
#include "viewer/ui/model/number.h"
#include "viewer/ui/pages/state-page.h"
#include "viewer/ui/widgets/focus.h"
#include "viewer/ui/widgets/page-style.h"
#include "viewer/ui/widgets/palette.h"
#include "viewer/ui/widgets/share-cell.h"

const PmTreePreset pm_tree_presets[] = {
    {"On what", 2, {PM_ASPECT_BLOCKER, PM_ASPECT_SITE}},
    {"Who causes it", 2, {PM_ASPECT_CAUSE_SITE, PM_ASPECT_SITE}},
    {"Where", 2, {PM_ASPECT_SITE, PM_ASPECT_CHAIN}},
    {"Class", 3, {PM_ASPECT_CLASS, PM_ASPECT_BLOCKER, PM_ASPECT_CHAIN}},
    {"Who wakes", 2, {PM_ASPECT_WAKER_SITE, PM_ASPECT_BLOCKER}},
    {"Who waits", 3, {PM_ASPECT_GROUP, PM_ASPECT_THREAD, PM_ASPECT_BLOCKER}},
};
const guint pm_n_tree_presets = G_N_ELEMENTS(pm_tree_presets);

#define PM_TYPE_TREE_PAGE (pm_tree_page_get_type())
G_DECLARE_FINAL_TYPE(PmTreePage, pm_tree_page, PM, TREE_PAGE, GtkWidget)

struct _PmTreePage {
    GtkWidget parent_instance;
    PmState *state;
    GtkWidget *box, *preset, *chips, *stack, *empty;
    PmGrid *grid;
    gboolean updating; /* the drop-down is set by us */
    gboolean stale;    /* results came while the page was hidden */
};

G_DEFINE_FINAL_TYPE(PmTreePage, pm_tree_page, GTK_TYPE_WIDGET)

/* ---- what rows show ---- */

/* One generation of numbers, shared by its rows. */
struct rows {
    PmResults *results;
    PmCurves *curves; /* may be NULL */
    gboolean dark;
    PmUnit time, average, longest;
};

static void rows_clear(gpointer data)
{
    struct rows *rows = data;

    pm_results_unref(rows->results);
    g_clear_pointer(&rows->curves, pm_curves_unref);
}

static gpointer rows_ref(gpointer rows)
{
    return g_rc_box_acquire(rows);
}

static void rows_unref(gpointer rows)
{
    g_rc_box_release_full(rows, rows_clear);
}

static double node_average(const PmTreeNode *node)
{
    return node->count ? (double)node->thread_time / (double)node->count : 0;
}

static struct rows *rows_new(PmState *state)
{
    PmResults *results = pm_state_get_tree_results(state);
    PmCurves *curves = pm_state_get_curves(state);
    struct rows *rows = g_rc_box_new0(struct rows);
    const PmTreeNode *root = results->tree->root;
    g_autofree double *averages = g_new(double, root->n_children + 1);
    g_autofree double *longest = g_new(double, root->n_children + 1);

    for (guint i = 0; i < root->n_children; i++) {
        averages[i] = node_average(root->children[i]);
        longest[i] = (double)root->children[i]->longest;
    }
    rows->results = pm_results_ref(results);
    rows->curves = curves ? pm_curves_ref(curves) : NULL;
    rows->dark = pm_state_get_dark(state);
    rows->time = pm_number_unit(root->thread_time);
    rows->average = pm_number_unit_of(averages, root->n_children);
    rows->longest = pm_number_unit_of(longest, root->n_children);
    return rows;
}

static gpointer *node_children(gpointer item, gpointer data, guint *ret_n)
{
    struct rows *rows = data;
    PmTreeNode *node = item ? item : rows->results->tree->root;

    *ret_n = node->n_children;
    return (gpointer *)node->children;
}

static gboolean node_has_children(gpointer item, gpointer data)
{
    return ((PmTreeNode *)item)->n_children > 0;
}

static guint64 node_key(gpointer item, gpointer data)
{
    return ((PmTreeNode *)item)->key;
}

static gboolean node_is_last(gpointer item, gpointer data)
{
    return ((PmTreeNode *)item)->pseudo;
}

static double node_share(gpointer item, gpointer data)
{
    const PmTreeNode *node = item, *root = ((struct rows *)data)->results->tree->root;

    return root->thread_time ? (double)node->thread_time / (double)root->thread_time : 0;
}

static double time_value(gpointer item, gpointer data)
{
    return (double)((PmTreeNode *)item)->thread_time;
}

static char *time_text(gpointer item, gpointer data)
{
    return pm_number_time(&((struct rows *)data)->time, time_value(item, data));
}

static double count_value(gpointer item, gpointer data)
{
    return (double)((PmTreeNode *)item)->count;
}

static char *count_text(gpointer item, gpointer data)
{
    return pm_number_count(((PmTreeNode *)item)->count);
}

static double average_value(gpointer item, gpointer data)
{
    return node_average(item);
}

static char *average_text(gpointer item, gpointer data)
{
    return pm_number_time(&((struct rows *)data)->average, node_average(item));
}

static double longest_value(gpointer item, gpointer data)
{
    return (double)((PmTreeNode *)item)->longest;
}

static char *longest_text(gpointer item, gpointer data)
{
    return pm_number_time(&((struct rows *)data)->longest, longest_value(item, data));
}

static char *label_text(gpointer item, gpointer data)
{
    const PmTreeNode *node = item;
    struct rows *rows = data;
    g_autofree char *text =
        pm_aspect_key_text(rows->results->view->recording, node->aspect, node->key);

    /* More inferred than exact. */
    if (2 * node->inferred_time > node->thread_time)
        return g_strconcat("~", text, NULL);
    return g_steal_pointer(&text);
}

static GtkWidget *share_make(gpointer data)
{
    return pm_share_cell_new();
}

static void share_bind(GtkWidget *widget, gpointer item, guint depth, gpointer data)
{
    const PmTreeNode *node = item, *top = node;
    struct rows *rows = data;
    const PmBandOrder *order = rows->curves ? rows->curves->order : NULL;
    GdkRGBA color;

    while (top->parent && top->parent->parent)
        top = top->parent;
    if (order && rows->curves->aspect == top->aspect) {
        const guint band = pm_band_order_find(order, top->key);
        if (band < pm_band_order_n(order))
            pm_palette_band(pm_band_order_get(order, band), rows->dark, &color);
        else
            pm_palette_color(PM_COLOR_OTHERS, rows->dark, &color);
    } else {
        pm_palette_category(node->category, 0, rows->dark, &color);
    }
    pm_share_cell_set(PM_SHARE_CELL(widget), node_share(item, data), &color,
                      pm_palette_is_hatched(pm_category_family(node->category), top->pseudo),
                      depth == 0);
}

static const PmGridColumn columns[] = {
    {.id = "share",
     .title = "Share",
     .tooltip = "Part of all thread-time in the range and under the filters",
     .width_px = 162,
     .flags = PM_GRID_NUMBER,
     .value = node_share,
     .make = share_make,
     .bind = share_bind},
    {"time", "Thread-time", "Waiting time, summed over threads", 112, PM_GRID_NUMBER, time_text,
     time_value},
    {"count", "Waits", "Waits that touch the range", 90, PM_GRID_NUMBER | PM_GRID_SPARE, count_text,
     count_value},
    {"average", "Average", "Thread-time for each wait", 92, PM_GRID_NUMBER | PM_GRID_SPARE,
     average_text, average_value},
    {"longest", "Longest", "The longest wait", 92, PM_GRID_NUMBER | PM_GRID_SPARE, longest_text,
     longest_value},
    {"label", "What", "The key of the row's level", 0, PM_GRID_NAME, label_text},
};

static const PmGridShape shape = {
    .name = "Waits by level",
    .columns = columns,
    .n_columns = G_N_ELEMENTS(columns),
    .sort_column = 1,
    .is_tree = TRUE,
    .children = node_children,
    .has_children = node_has_children,
    .key = node_key,
    .is_last = node_is_last,
    .ref_data = rows_ref,
    .unref_data = rows_unref,
};

/* ---- levels: preset and chips ---- */

static void set_aspects(PmTreePage *page, const PmAspect *aspects, guint n)
{
    if (n)
        pm_state_set_aspects(page->state, aspects, n);
}

static void remove_aspect(PmTreePage *page, guint index)
{
    PmAspect aspects[PM_N_ASPECTS];
    guint n, kept = 0;
    const PmAspect *old = pm_state_get_aspects(page->state, &n);

    for (guint i = 0; i < n; i++)
        if (i != index)
            aspects[kept++] = old[i];
    set_aspects(page, aspects, kept);
}

static void move_aspect(PmTreePage *page, guint from, guint to)
{
    PmAspect aspects[PM_N_ASPECTS], moved;
    guint n;
    const PmAspect *old = pm_state_get_aspects(page->state, &n);

    if (from >= n || to >= n || from == to)
        return;
    memcpy(aspects, old, n * sizeof *aspects);
    moved = aspects[from];
    for (guint i = from; i < to; i++)
        aspects[i] = aspects[i + 1];
    for (guint i = from; i > to; i--)
        aspects[i] = aspects[i - 1];
    aspects[to] = moved;
    set_aspects(page, aspects, n);
}

static guint chip_index(GtkWidget *chip)
{
    return GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(chip), "index"));
}

/* The chip that has the focus, or G_MAXUINT. */
static guint focused_chip(PmTreePage *page)
{
    for (GtkWidget *chip = gtk_widget_get_first_child(page->chips); chip;
         chip = gtk_widget_get_next_sibling(chip))
        if (gtk_widget_get_focus_child(page->chips) == chip && GTK_IS_BOX(chip))
            return chip_index(chip);
    return G_MAXUINT;
}

static void focus_chip(PmTreePage *page, guint index)
{
    GtkWidget *chip = gtk_widget_get_first_child(page->chips);

    while (chip && index--)
        chip = gtk_widget_get_next_sibling(chip);
    if (chip)
        gtk_widget_child_focus(chip, GTK_DIR_TAB_FORWARD);
}

static void step_chip(PmTreePage *page, int step)
{
    const guint index = focused_chip(page);
    guint n;

    pm_state_get_aspects(page->state, &n);
    if (index == G_MAXUINT || (int)index + step < 0 || index + step >= n)
        return;
    move_aspect(page, index, index + step);
    focus_chip(page, index + step);
}

static void chip_left(GSimpleAction *action, GVariant *value, gpointer page)
{
    step_chip(page, -1);
}

static void chip_right(GSimpleAction *action, GVariant *value, gpointer page)
{
    step_chip(page, +1);
}

static void chip_removed(GtkButton *button, PmTreePage *page)
{
    remove_aspect(page, chip_index(gtk_widget_get_parent(GTK_WIDGET(button))));
}

static GdkContentProvider *chip_dragged(GtkDragSource *source, double x, double y, gpointer data)
{
    GtkWidget *chip = gtk_event_controller_get_widget(GTK_EVENT_CONTROLLER(source));

    return gdk_content_provider_new_typed(G_TYPE_UINT, chip_index(chip));
}

static gboolean chip_dropped(GtkDropTarget *target, const GValue *value, double x, double y,
                             PmTreePage *page)
{
    GtkWidget *chip = gtk_event_controller_get_widget(GTK_EVENT_CONTROLLER(target));

    move_aspect(page, g_value_get_uint(value), chip_index(chip));
    return TRUE;
}

static void add_level(GSimpleAction *action, GVariant *value, gpointer user_data)
{
    PmTreePage *page = user_data;
    PmAspect aspects[PM_N_ASPECTS], added;
    guint n;
    const PmAspect *old = pm_state_get_aspects(page->state, &n);

    if (n + 1 > PM_N_ASPECTS || !pm_aspect_parse(g_variant_get_string(value, NULL), &added))
        return;
    memcpy(aspects, old, n * sizeof *aspects);
    aspects[n] = added;
    set_aspects(page, aspects, n + 1);
}

static GtkWidget *chip_new(PmTreePage *page, PmAspect aspect, guint index, gboolean only)
{
    GtkWidget *chip = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
    GtkWidget *label = gtk_label_new(pm_aspect_title(aspect));
    GtkDragSource *drag = gtk_drag_source_new();
    GtkDropTarget *drop = gtk_drop_target_new(G_TYPE_UINT, GDK_ACTION_COPY);

    g_object_set_data(G_OBJECT(chip), "index", GUINT_TO_POINTER(index));
    gtk_widget_add_css_class(chip, "pm-chip");
    gtk_widget_set_valign(chip, GTK_ALIGN_CENTER);
    gtk_widget_set_tooltip_text(chip, "Drag to another place, or Ctrl+Shift+← →");
    gtk_box_append(GTK_BOX(chip), label);
    if (!only) {
        GtkWidget *remove = gtk_button_new_from_icon_name("window-close-symbolic");
        g_autofree char *name = g_strdup_printf("Remove the level %s", pm_aspect_title(aspect));
        gtk_widget_add_css_class(remove, "flat");
        gtk_widget_set_tooltip_text(remove, name);
        gtk_accessible_update_property(GTK_ACCESSIBLE(remove), GTK_ACCESSIBLE_PROPERTY_LABEL, name,
                                       -1);
        g_signal_connect(remove, "clicked", G_CALLBACK(chip_removed), page);
        gtk_box_append(GTK_BOX(chip), remove);
    }
    g_signal_connect(drag, "prepare", G_CALLBACK(chip_dragged), NULL);
    g_signal_connect(drop, "drop", G_CALLBACK(chip_dropped), page);
    gtk_widget_add_controller(chip, GTK_EVENT_CONTROLLER(drag));
    gtk_widget_add_controller(chip, GTK_EVENT_CONTROLLER(drop));
    return chip;
}

static GtkWidget *add_button_new(const PmAspect *aspects, guint n)
{
    GtkWidget *button = gtk_menu_button_new();
    g_autoptr(GMenu) menu = g_menu_new();

    for (PmAspect aspect = 0; aspect < PM_N_ASPECTS; aspect++) {
        gboolean used = FALSE;
        for (guint i = 0; i < n; i++)
            used = used || aspects[i] == aspect;
        if (used)
            continue;
        g_autofree char *action = g_strdup_printf("page.add-level::%s", pm_aspect_name(aspect));
        g_menu_append(menu, pm_aspect_title(aspect), action);
    }
    gtk_menu_button_set_icon_name(GTK_MENU_BUTTON(button), "list-add-symbolic");
    gtk_menu_button_set_has_frame(GTK_MENU_BUTTON(button), FALSE);
    gtk_menu_button_set_menu_model(GTK_MENU_BUTTON(button), G_MENU_MODEL(menu));
    gtk_widget_set_tooltip_text(button, "Add a level");
    gtk_accessible_update_property(GTK_ACCESSIBLE(button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                   "Add a level", -1);
    return button;
}

static void show_aspects(PmTreePage *page)
{
    guint n, preset = pm_n_tree_presets;
    const PmAspect *aspects = pm_state_get_aspects(page->state, &n);
    GtkWidget *child;

    while ((child = gtk_widget_get_first_child(page->chips)))
        gtk_box_remove(GTK_BOX(page->chips), child);
    for (guint i = 0; i < n; i++)
        gtk_box_append(GTK_BOX(page->chips), chip_new(page, aspects[i], i, n == 1));
    gtk_box_append(GTK_BOX(page->chips), add_button_new(aspects, n));
    for (guint i = 0; i < pm_n_tree_presets; i++)
        if (pm_tree_presets[i].n_aspects == n &&
            !memcmp(pm_tree_presets[i].aspects, aspects, n * sizeof *aspects))
            preset = MIN(preset, i);
    page->updating = TRUE;
    gtk_drop_down_set_selected(GTK_DROP_DOWN(page->preset), preset);
    page->updating = FALSE;
}

static void preset_chosen(GtkDropDown *drop_down, GParamSpec *pspec, PmTreePage *page)
{
    const guint index = gtk_drop_down_get_selected(drop_down);

    if (!page->updating && index < pm_n_tree_presets)
        set_aspects(page, pm_tree_presets[index].aspects, pm_tree_presets[index].n_aspects);
}

/* ---- rows and the state ---- */

static void row_selected(PmGrid *grid, PmTreePage *page)
{
    gpointer items[PM_N_ASPECTS];
    PmSelection selection = {.n = pm_grid_get_selected(grid, items, PM_N_ASPECTS)};

    for (guint i = 0; i < selection.n; i++) {
        const PmTreeNode *node = items[i];
        selection.aspects[i] = node->aspect;
        selection.keys[i] = node->key;
    }
    pm_state_set_selection(page->state, selection.n ? &selection : NULL);
}

static void row_activated(PmGrid *grid, PmTreePage *page)
{
    pm_state_set_detail(page->state, TRUE);
}

static void row_hovered(PmGrid *grid, PmTreePage *page)
{
    guint depth;
    const PmTreeNode *node = pm_grid_get_hovered(grid, &depth);

    while (node && node->parent && node->parent->parent)
        node = node->parent;
    if (node)
        pm_state_set_hover(page->state, TRUE, node->aspect, node->key);
    else
        pm_state_set_hover(page->state, FALSE, 0, 0);
}

static void show_hover(PmTreePage *page)
{
    PmAspect aspect;
    guint64 key;
    guint n;
    const PmAspect *aspects = pm_state_get_aspects(page->state, &n);
    const gboolean any = pm_state_get_hover(page->state, &aspect, &key) && aspect == aspects[0];

    pm_grid_set_lit(page->grid, any, any ? key : 0);
}

/* Selects the row of the state's selection when the tree has its path. */
static void show_selection(PmTreePage *page)
{
    const PmSelection *selection = pm_state_get_selection(page->state);
    guint n;
    const PmAspect *aspects = pm_state_get_aspects(page->state, &n);
    gboolean is_path = selection->n <= n;

    for (guint i = 0; i < selection->n && is_path; i++)
        is_path = selection->aspects[i] == aspects[i];
    pm_grid_select(page->grid, selection->keys, is_path ? selection->n : 0);
}

static void show_results(PmTreePage *page)
{
    PmResults *results = pm_state_get_tree_results(page->state);

    if (!gtk_widget_get_mapped(GTK_WIDGET(page))) {
        page->stale = TRUE;
        return;
    }
    page->stale = FALSE;
    const gboolean empty = pm_state_page_explain(PM_STATE_PAGE(page->empty), page->state);
    gtk_stack_set_visible_child_name(GTK_STACK(page->stack), empty ? "empty" : "rows");
    struct rows *rows = results && results->tree && !empty ? rows_new(page->state) : NULL;
    pm_grid_set_data(page->grid, rows, pm_state_is_dragging(page->state));
    if (rows)
        rows_unref(rows);
    show_selection(page);
}

static void pm_tree_page_map(GtkWidget *widget)
{
    GTK_WIDGET_CLASS(pm_tree_page_parent_class)->map(widget);
    if (PM_TREE_PAGE(widget)->stale)
        show_results(PM_TREE_PAGE(widget));
}

static void state_changed(PmState *state, guint mask, PmTreePage *page)
{
    if (mask & PM_CHANGE_ASPECTS)
        show_aspects(page);
    if (mask & (PM_CHANGE_RESULTS | PM_CHANGE_CURVES | PM_CHANGE_RECORDING | PM_CHANGE_DARK))
        show_results(page);
    else if (mask & PM_CHANGE_SELECTION)
        show_selection(page);
    if (mask & PM_CHANGE_HOVER)
        show_hover(page);
    if (mask & PM_CHANGE_SEARCH)
        pm_grid_search(page->grid, pm_state_get_search(state), +1);
}

static void search_stepped(PmState *state, int direction, PmTreePage *page)
{
    pm_grid_search(page->grid, pm_state_get_search(state), direction);
}

static void copy_row(GSimpleAction *action, GVariant *value, gpointer user_data)
{
    PmTreePage *page = user_data;

    pm_grid_copy(page->grid);
}

/* ---- the widget ---- */

static gboolean pm_tree_page_grab_focus(GtkWidget *widget)
{
    PmTreePage *page = PM_TREE_PAGE(widget);

    if (!gtk_widget_grab_focus(GTK_WIDGET(page->grid)))
        return FALSE;
    if (!pm_state_get_selection(page->state)->n)
        pm_grid_select_first(page->grid);
    return TRUE;
}

static void pm_tree_page_dispose(GObject *object)
{
    PmTreePage *page = PM_TREE_PAGE(object);

    if (page->state)
        g_signal_handlers_disconnect_by_data(page->state, page);
    g_clear_pointer(&page->box, gtk_widget_unparent);
    g_clear_object(&page->state);
    G_OBJECT_CLASS(pm_tree_page_parent_class)->dispose(object);
}

static void pm_tree_page_class_init(PmTreePageClass *class)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

    G_OBJECT_CLASS(class)->dispose = pm_tree_page_dispose;
    widget_class->grab_focus = pm_tree_page_grab_focus;
    widget_class->focus = pm_focus_child;
    widget_class->map = pm_tree_page_map;
    gtk_widget_class_set_layout_manager_type(widget_class, GTK_TYPE_BIN_LAYOUT);
    gtk_widget_class_set_css_name(widget_class, "pm-tree-page");
}

static void pm_tree_page_init(PmTreePage *page)
{
    static const GActionEntry actions[] = {
        {.name = "chip-left", .activate = chip_left},
        {.name = "chip-right", .activate = chip_right},
        {.name = "add-level", .activate = add_level, .parameter_type = "s"},
        {.name = "copy", .activate = copy_row},
    };
    g_autoptr(GSimpleActionGroup) group = g_simple_action_group_new();

    g_action_map_add_action_entries(G_ACTION_MAP(group), actions, G_N_ELEMENTS(actions), page);
    gtk_widget_insert_action_group(GTK_WIDGET(page), "page", G_ACTION_GROUP(group));
    pm_keys_bind(GTK_WIDGET(page), PM_KEYS_PAGE);
    pm_page_style_install(gtk_widget_get_display(GTK_WIDGET(page)));
}

static GtkWidget *bar_new(PmTreePage *page)
{
    GtkWidget *bar = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
    GtkWidget *space = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
    g_autoptr(GtkStringList) names = gtk_string_list_new(NULL);

    for (guint i = 0; i < pm_n_tree_presets; i++)
        gtk_string_list_append(names, pm_tree_presets[i].name);
    gtk_string_list_append(names, "Own levels");
    page->preset = gtk_drop_down_new(G_LIST_MODEL(g_object_ref(names)), NULL);
    gtk_widget_set_tooltip_text(page->preset, "What the levels of the tree are");
    gtk_accessible_update_property(GTK_ACCESSIBLE(page->preset), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                   "Levels", -1);
    g_signal_connect(page->preset, "notify::selected", G_CALLBACK(preset_chosen), page);
    page->chips = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
    gtk_widget_set_hexpand(space, TRUE);
    gtk_widget_add_css_class(bar, "pm-page-bar");
    gtk_box_append(GTK_BOX(bar), page->preset);
    gtk_box_append(GTK_BOX(bar), page->chips);
    gtk_box_append(GTK_BOX(bar), space);
    gtk_box_append(GTK_BOX(bar), pm_grid_sort_button(page->grid));
    return bar;
}

GtkWidget *pm_tree_page_new(PmState *state)
{
    PmTreePage *page = g_object_new(PM_TYPE_TREE_PAGE, NULL);

    page->state = g_object_ref(state);
    page->grid = pm_grid_new(&shape);
    page->empty = pm_state_page_new();
    page->stack = gtk_stack_new();
    gtk_stack_add_named(GTK_STACK(page->stack), GTK_WIDGET(page->grid), "rows");
    gtk_stack_add_named(GTK_STACK(page->stack), page->empty, "empty");
    page->box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
    gtk_box_append(GTK_BOX(page->box), bar_new(page));
    gtk_box_append(GTK_BOX(page->box), page->stack);
    gtk_widget_set_parent(page->box, GTK_WIDGET(page));
    g_signal_connect(page->grid, "selected", G_CALLBACK(row_selected), page);
    g_signal_connect(page->grid, "activated", G_CALLBACK(row_activated), page);
    g_signal_connect(page->grid, "hovered", G_CALLBACK(row_hovered), page);
    g_signal_connect(state, "changed", G_CALLBACK(state_changed), page);
    g_signal_connect(state, "search-step", G_CALLBACK(search_stepped), page);
    show_aspects(page);
    page->stale = TRUE;
    return GTK_WIDGET(page);
}

PmGrid *pm_tree_page_get_grid(GtkWidget *page)
{
    return PM_TREE_PAGE(page)->grid;
}
