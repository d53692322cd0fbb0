/* The strips that the grid draws under its rows, on an axis outside of it. */
#include "viewer/ui/grid/grid-private.h"

#include "viewer/ui/widgets/element.h"

/* Of the row of a widget in the list, in the coordinates of `of`. */
static gboolean strip_of(PmGrid *grid, GtkWidget *row, GtkWidget *of, graphene_rect_t *ret_bounds)
{
    graphene_rect_t axis, bounds;

    if (!grid->axis || !gtk_widget_get_mapped(row) ||
        !gtk_widget_compute_bounds(grid->axis, of, &axis) ||
        !gtk_widget_compute_bounds(row, of, &bounds))
        return FALSE;
    *ret_bounds = GRAPHENE_RECT_INIT(axis.origin.x,
                                     bounds.origin.y + bounds.size.height - PM_GRID_STRIP_PX -
                                         PM_GRID_STRIP_GAP_PX,
                                     axis.size.width, PM_GRID_STRIP_PX);
    return axis.size.width > 0;
}

static GtkTreeListRow *row_of_widget(GtkWidget *widget)
{
    GtkWidget *cell = gtk_widget_get_first_child(widget),
              *child = cell ? gtk_widget_get_first_child(cell) : NULL;
    GtkListItem *item = child ? g_object_get_qdata(G_OBJECT(child), pm_grid_item_quark()) : NULL;

    return item ? gtk_list_item_get_item(item) : NULL;
}

static GtkWidget *list_of(PmGrid *grid)
{
    return gtk_widget_get_last_child(GTK_WIDGET(grid->view));
}

void pm_grid_draw_strips(PmGrid *grid, GtkSnapshot *snapshot)
{
    GtkWidget *widget = GTK_WIDGET(grid);
    GtkWidget *list = list_of(grid);
    graphene_rect_t clip, bounds;

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
            grid->shape->draw_strip(snapshot, &bounds, pm_row_item(item), item->list->data);
    }
    gtk_snapshot_pop(snapshot);
}

GtkTreeListRow *pm_grid_strip_at(PmGrid *grid, double x, double y, double *ret_part)
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
        by_key || pm_element_is_under_menu(view) ? NULL : pm_grid_strip_at(grid, x, y, &part);
    g_autoptr(PmRow) row = tree_row ? gtk_tree_list_row_get_item(tree_row) : NULL;
    g_autofree char *text =
        row ? grid->shape->tell_strip(part, pm_row_item(row), row->list->data) : NULL;

    gtk_tooltip_set_text(tooltip, text);
    return text != NULL;
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
