/* Shared by the parts of the grid: its rows (grid-rows.c), what cells show (grid-cells.c), columns
 * and their order (grid-columns.c), strips under rows (grid-strips.c), and the widget (grid.c). */
#pragma once

#include "viewer/ui/grid/grid.h"

#include "viewer/ui/model/number.h"

/* Of a strip under the text of a row, and what is free around it. */
#define PM_GRID_STRIP_PX     14
#define PM_GRID_STRIP_GAP_PX 3

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

/* The rows under one parent, in order; makes them when asked: of a row that is not expanded, GTK
 * wants a list only to know that there is one. New data with the same keys in the
 * same order comes into the list that is there. */
struct _PmRowList {
    GObject parent_instance;
    const PmGridShape *shape;
    gpointer data;
    PmRow *parent; /* counted; NULL = the top */
    PmGrid *grid;  /* a weak pointer: whose order its rows will have; NULL = they are there */
    guint depth;
    guint n;
    gpointer *items;
    guint64 *keys;
    GHashTable
        *names;       /* sites and shortest forms of its names: of how many; NULL = not asked for */
    GPtrArray *under; /* the lists that are there of its rows; borrowed, NULL = none ever */
};

typedef struct {
    GtkColumnViewColumn *shown;
    gconstpointer field;
    PmUnit unit;     /* of a time */
    double most;     /* the largest of its numbers in the rows at the top */
    gboolean chosen; /* by the user: shown however narrow the grid */
} PmGridColumnState;

struct _PmGrid {
    GtkWidget parent_instance;
    const PmGridShape *shape;
    gpointer data;
    GtkWidget *scroller;
    GtkWidget *menu; /* of a row; made when first asked for */
    GtkColumnView *view;
    PmGridColumnState *columns; /* as in the shape */
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

/* ---- grid-rows.c ---- */

/* Borrowed from the page's data. */
gpointer pm_row_item(const PmRow *row);
/* "7/12/3": keys from the top. Owned. */
char *pm_row_path(PmRow *row);
/* Of GtkTreeListModel: the rows under a PmRow; NULL = none. */
GListModel *pm_grid_make_children(gpointer item, gpointer user_data);
void pm_grid_expanded_changed(GtkTreeListRow *tree_row, GParamSpec *pspec, PmGrid *grid);
/* The tree row at the end of a path of keys, expanding what is above it; NULL = not there. */
GtkTreeListRow *pm_grid_find_row(PmGrid *grid, const guint64 *keys, guint n);
/* Owned; NULL = none. */
PmRow *pm_grid_selected_row(PmGrid *grid);
void pm_grid_scroll_to(PmGrid *grid, guint position);
/* GTK opens and closes a row without holding it or its model: this may be within that. Takes it. */
void pm_grid_keep_a_while(gpointer object);
/* Other rows: what was expanded, selected and scrolled to stays so where it is there. */
void pm_grid_rebuild(PmGrid *grid, gpointer data, gboolean keep_order);
/* The same rows with other numbers: widgets, selection, focus and scrolling stay as they are.
 * FALSE: other rows. */
gboolean pm_grid_renew(PmGrid *grid, gpointer data, gboolean keep_order);

/* ---- grid-cells.c ---- */

/* NAN = unknown */
double pm_grid_number(PmGrid *grid, guint index, gpointer item, gpointer data);
char *pm_grid_value_text(PmGrid *grid, guint index, double value);
/* The units of the columns of times, and how large numbers are, by the rows at the top. */
void pm_grid_choose_units(PmGrid *grid);
/* Under which a cell's widget has its GtkListItem. */
GQuark pm_grid_item_quark(void);
void pm_grid_light_row(PmGrid *grid, GtkWidget *child, PmRow *row);
/* What a cell shows: names with nothing in them that acts. Owned. */
char *pm_grid_row_text(PmGrid *grid, guint index, const PmRow *row);
void pm_grid_cell_setup(GtkSignalListItemFactory *factory, GtkListItem *item, PmGrid *grid);
/* A cell shows what its row has now. */
void pm_grid_cell_show(PmGrid *grid, GtkWidget *outer, PmRow *row);
void pm_grid_cell_bind(GtkSignalListItemFactory *factory, GtkListItem *item, PmGrid *grid);
void pm_grid_cell_unbind(GtkSignalListItemFactory *factory, GtkListItem *item, PmGrid *grid);
/* Calls `show` for all cells, or for the `first` of each row. */
void pm_grid_each_cell(PmGrid *grid, gboolean first,
                       void (*show)(PmGrid *grid, GtkWidget *child, PmRow *row));

/* ---- grid-columns.c ---- */

gboolean pm_grid_column_is_number(const PmGridColumn *column);
gboolean pm_grid_column_is_sortable(const PmGridColumn *column);
/* n_columns = none of that name. */
guint pm_grid_column_index(PmGrid *grid, const char *id);
void pm_grid_title_clicked(GtkSorter *sorter, GtkSorterChange change, PmGrid *grid);
/* Whether a column is on the screen, and at which place. */
gboolean pm_grid_is_shown(PmGrid *grid, guint index, guint *ret_position);
/* Titles of numbers stand over their numbers; GTK 4.8 has no property for it. The header's children
 * are known by what they say: their order is that in which they were made. */
void pm_grid_align_titles(PmGrid *grid);
/* Whether the user wants the column, though it may not fit. */
gboolean pm_grid_is_wanted(PmGrid *grid, guint index);
/* Columns change in an idle handler: not while sizes are given. */
void pm_grid_fit_soon(PmGrid *grid);
void pm_grid_width_changed(GtkAdjustment *sideways, GParamSpec *spec, PmGrid *grid);
void pm_grid_add_actions(PmGrid *grid);
void pm_grid_add_column(PmGrid *grid, guint index);

/* ---- grid-strips.c ---- */

/* Draws the strips of all rows on the screen, on the grid. */
void pm_grid_draw_strips(PmGrid *grid, GtkSnapshot *snapshot);
/* The row whose strip is at a point of the view, and at which part of its width; NULL = none. */
GtkTreeListRow *pm_grid_strip_at(PmGrid *grid, double x, double y, double *ret_part);
