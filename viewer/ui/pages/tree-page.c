#include "viewer/ui/pages/tree-page.h"

#include "viewer/analysis/recording/label.h"
#include "viewer/report/frame-text.h"
#include "viewer/ui/pages/level-bar.h"
#include "viewer/ui/pages/table-page.h"
#include "viewer/ui/widgets/palette.h"
#include "viewer/ui/widgets/share-cell.h"

/* One generation of numbers, shared by its rows. */
struct rows {
    PmResults *results;
    PmCurves *curves; /* may be NULL */
    gboolean dark;
};

static void rows_clear(gpointer data)
{
    struct rows *rows = data;

    pm_results_unref(rows->results);
    g_clear_pointer(&rows->curves, pm_curves_unref);
}

static gpointer rows_new(PmState *state, char **ret_count)
{
    PmResults *results = pm_state_get_tree_results(state);
    PmCurves *curves = pm_state_get_curves(state);

    if (!results || !results->tree)
        return NULL;
    struct rows *rows = g_rc_box_new0(struct rows);
    rows->results = pm_results_ref(results);
    rows->curves = curves ? pm_curves_ref(curves) : NULL;
    rows->dark = pm_state_get_dark(state);
    return rows;
}

/* A blocker that is like no other has no row of its own below that of its like. */
static PmTreeNode *opened(PmTreeNode *node)
{
    const gboolean alone = node->parent && node->aspect == PM_ASPECT_ALIKE &&
                           node->n_children == 1 && node->children[0]->aspect == PM_ASPECT_BLOCKER;

    return alone ? node->children[0] : node;
}

static gpointer *node_children(gpointer item, gpointer data, guint *ret_n)
{
    struct rows *rows = data;
    PmTreeNode *node = item ? opened(item) : rows->results->tree->root;

    if (node->is_closed)
        pm_tree_open(rows->results->tree, node);
    *ret_n = node->n_children;
    return (gpointer *)node->children;
}

static gboolean node_has_children(gpointer item, gpointer data)
{
    const PmTreeNode *node = opened(item);

    return node->n_children > 0 || node->is_closed;
}

static guint64 node_key(gpointer item)
{
    return ((PmTreeNode *)item)->key;
}

static gboolean node_is_last(gpointer item)
{
    return ((PmTreeNode *)item)->pseudo;
}

static double node_share(gpointer item, gpointer data)
{
    const PmTreeNode *node = item, *root = ((struct rows *)data)->results->tree->root;

    return root->thread_time ? (double)node->thread_time / (double)root->thread_time : 0;
}

static double node_time(gpointer item, gpointer data)
{
    return (double)((PmTreeNode *)item)->thread_time;
}

static double node_count(gpointer item, gpointer data)
{
    return (double)((PmTreeNode *)item)->count;
}

static double node_average(gpointer item, gpointer data)
{
    const PmTreeNode *node = item;

    return node->count ? (double)node->thread_time / (double)node->count : 0;
}

static double node_longest(gpointer item, gpointer data)
{
    return (double)((PmTreeNode *)item)->longest;
}

static char *label_text(gpointer item, gpointer data)
{
    const PmTreeNode *node = item;
    struct rows *rows = data;
    const PmRecording *recording = rows->results->view->recording;
    const gboolean of_alike = node->aspect == PM_ASPECT_BLOCKER && node->parent &&
                              node->parent->parent && node->parent->aspect == PM_ASPECT_ALIKE;
    /* What is above it says the rest. */
    g_autofree char *full = of_alike ? pm_label_blocker_short(recording, (guint32)node->key)
                                     : pm_aspect_key_text(recording, node->aspect, node->key);
    g_autofree char *text = pm_frame_text_short(full);

    /* More inferred than exact. */
    if (rows->results->tree->estimated || 2 * node->inferred_time > node->thread_time)
        return g_strconcat("~", text, NULL);
    return g_steal_pointer(&text);
}

/* The node of level 1 above it. */
static const PmTreeNode *top_of(const PmTreeNode *node)
{
    while (node->parent && node->parent->parent)
        node = node->parent;
    return node;
}

static const char *family_text(gpointer item)
{
    return pm_family_name(pm_category_family(((PmTreeNode *)item)->category));
}

static void share_bind(GtkWidget *widget, gpointer item, guint depth, gpointer data)
{
    const PmTreeNode *node = item, *top = top_of(node);
    struct rows *rows = data;
    const PmBandOrder *order = rows->curves ? rows->curves->order : NULL;
    GdkRGBA color;

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

/* clang-format off */
static const PmGridColumn columns[] = {
    {"share", "Share", "Share of all thread-time in the range and under the filters", 162, PM_GRID_TIGHT, PM_GRID_PERCENT, .value = node_share, .spoken = family_text, .make = pm_share_cell_new, .bind = share_bind},
    {"time", "Thread-time", "Waiting time, summed over threads", 114, 0, PM_GRID_TIME_ALL, .value = node_time},
    {"count", "Waits", "Waits that overlap the range", 90, PM_GRID_SPARE, PM_GRID_COUNT, .value = node_count},
    {"average", "Average", "Thread-time per wait", 92, PM_GRID_SPARE, PM_GRID_TIME, .value = node_average},
    {"longest", "Longest", "The longest wait; of one that goes on, so far", 92, PM_GRID_SPARE, PM_GRID_TIME, .value = node_longest},
    {"label", "What", "The key of the row's level", 0, PM_GRID_NAME | PM_GRID_WIDE, .text = label_text},
};
/* clang-format on */

static const PmGridShape shape = {
    .name = "Waits by level",
    .columns = columns,
    .n_columns = G_N_ELEMENTS(columns),
    .sort_column = "time",
    .is_tree = TRUE,
    .children = node_children,
    .has_children = node_has_children,
    .key = node_key,
    .is_last = node_is_last,
    .clear_data = rows_clear,
};

/* ---- rows and the state ---- */

static void chosen(PmState *state, gpointer *items, guint n)
{
    PmSelection selection = {0};

    for (const PmTreeNode *node = items[n - 1]; node->parent; node = node->parent)
        selection.n++;
    guint at = selection.n;
    for (const PmTreeNode *node = items[n - 1]; node->parent; node = node->parent) {
        selection.aspects[--at] = node->aspect;
        selection.keys[at] = node->key;
    }
    pm_state_set_selection(state, &selection);
}

static void hovered(PmState *state, gpointer item)
{
    const PmTreeNode *top = item ? top_of(item) : NULL;

    pm_state_set_hover(state, top != NULL, top ? top->aspect : 0, top ? top->key : 0);
}

static PmTreeNode *find_child(PmTree *tree, PmTreeNode *node, guint64 key)
{
    if (node->is_closed)
        pm_tree_open(tree, node);
    for (guint i = 0; i < node->n_children; i++)
        if (node->children[i]->key == key)
            return node->children[i];
    return NULL;
}

/* The row of the state's selection, where the tree has its path. */
static gboolean select_row(PmState *state, PmGrid *grid)
{
    const PmSelection *selection = pm_state_get_selection(state);
    PmResults *results = pm_state_get_tree_results(state);
    PmTreeNode *node = results && results->tree ? results->tree->root : NULL;
    guint64 keys[PM_N_ASPECTS];
    guint n = 0;

    for (guint i = 0; node && i < selection->n; i++) {
        const PmAspect aspect = selection->aspects[i];
        /* A blocker, chosen elsewhere, lies below that of its like. */
        if (i == 0 && aspect == PM_ASPECT_BLOCKER && results->tree->aspects[0] == PM_ASPECT_ALIKE) {
            keys[n++] = pm_aspects[PM_ASPECT_ALIKE].key(results->view->recording,
                                                        (guint32)selection->keys[0]);
            node = find_child(results->tree, node, keys[0]);
        }
        PmTreeNode *above = node;
        node = above ? find_child(results->tree, above, selection->keys[i]) : NULL;
        if (node && node->aspect != aspect)
            node = NULL;
        if (node && opened(above) == above)
            keys[n++] = node->key;
    }
    return node && n && pm_grid_select(grid, keys, n);
}

static const PmTableKind kind = {
    .shape = &shape,
    .changes = PM_CHANGE_RESULTS | PM_CHANGE_TREE | PM_CHANGE_CURVES | PM_CHANGE_RECORDING |
               PM_CHANGE_DARK,
    .of_waits = TRUE,
    .rows = rows_new,
    .chosen = chosen,
    .select = select_row,
    .hovered = hovered,
};

/* Lights the rows of the band that the pointer is over. */
static void changed_cb(PmState *state, guint mask, PmGrid *grid)
{
    PmAspect aspect;
    guint64 key;
    guint n;

    if (!(mask & PM_CHANGE_HOVER))
        return;
    const gboolean any =
        pm_state_get_hover(state, &aspect, &key) && aspect == pm_state_get_aspects(state, &n)[0];
    pm_grid_set_lit(grid, any, any ? key : 0);
}

GtkWidget *pm_tree_page_new(PmState *state)
{
    g_return_val_if_fail(PM_IS_STATE(state), NULL);
    PmLevelBar *levels = pm_level_bar_new(state, &pm_levels_of_waits);
    GtkWidget *page = pm_table_page_new(state, &kind, GTK_WIDGET(levels));

    pm_scaffold_add_actions(PM_SCAFFOLD(page), pm_level_bar_actions, pm_n_level_bar_actions,
                            levels);
    g_signal_connect_object(state, "changed", G_CALLBACK(changed_cb),
                            pm_table_page_get_grid(PM_TABLE_PAGE(page)), 0);
    return page;
}
