/* The sortable, expandable, virtualised grid behind the pages Tree, Blockers and Threads. A page
 * gives a description (columns, children of an item) and data; the grid owns order, expansion,
 * selection, scrolling, the Sort and Columns menus, and keeps them when the data is replaced.
 *
 * Items are the page's own pointers into its data; the grid keeps the data alive as long as a row
 * shows one. Rows are made only for what is seen. Main thread only. */
#pragma once

#include <gtk/gtk.h>

typedef struct PmGridColumn PmGridColumn;
typedef struct PmGridShape PmGridShape;

typedef enum {
    PM_GRID_NUMBER = 1 << 0, /* right-aligned; biggest first when sorted by it */
    PM_GRID_HIDDEN = 1 << 1, /* shown only when chosen in the Columns menu */
    PM_GRID_NAME = 1 << 2,   /* holds the expander; takes the free width; always shown */
    PM_GRID_WIDE = 1 << 3,   /* takes free width too */
    PM_GRID_SPARE = 1 << 4,  /* left out, the last first, where the names would get too narrow */
} PmGridColumnFlags;

struct PmGridColumn {
    const char *id, *title;
    const char *tooltip; /* what the number means; also its line in the Columns menu */
    int width_px;        /* 0 = natural */
    guint flags;
    /* Text of an item, owned by the caller, which the grid cleans; NULL text = `make` and `bind`
     * are used. */
    char *(*text)(gpointer item, gpointer data);
    /* What it is sorted by; NULL = by its text; bigger first with PM_GRID_NUMBER. */
    double (*value)(gpointer item, gpointer data);
    GtkWidget *(*make)(gpointer data);
    void (*bind)(GtkWidget *widget, gpointer item, guint depth, gpointer data);
};

struct PmGridShape {
    const char *name; /* accessible name: "Waits by key" */
    const PmGridColumn *columns;
    guint n_columns;
    guint sort_column; /* at first */
    gboolean is_tree;
    /* Items under `item` (NULL = the top); borrowed. */
    gpointer *(*children)(gpointer item, gpointer data, guint *ret_n);
    gboolean (*has_children)(gpointer item, gpointer data);
    /* Identity of an item among its siblings, the same in the next data. */
    guint64 (*key)(gpointer item, gpointer data);
    /* Sorted after all others, whatever the column. */
    gboolean (*is_last)(gpointer item, gpointer data);
    gpointer (*ref_data)(gpointer data);
    void (*unref_data)(gpointer data);
};

#define PM_TYPE_GRID (pm_grid_get_type())
G_DECLARE_FINAL_TYPE(PmGrid, pm_grid, PM, GRID, GtkWidget)

/* Signals:
 *   void (*selected)(PmGrid *grid)   the user chose another row, or none
 *   void (*activated)(PmGrid *grid)  Enter or double click on a row without children
 *   void (*hovered)(PmGrid *grid)    the pointer is over another row */
PmGrid *pm_grid_new(const PmGridShape *shape);

/* Takes a reference of its own. NULL = empty. `keep_order`: rows known before stay where they are
 * (while a range is dragged). */
void pm_grid_set_data(PmGrid *grid, gpointer data, gboolean keep_order);

/* The items from the top to the selected one; 0 = nothing is selected. */
guint pm_grid_get_selected(PmGrid *grid, gpointer *ret_items, guint max);
/* Selects by the keys from the top, expands what is above and scrolls there. FALSE when not there.
 * n == 0 clears. Emits nothing. */
gboolean pm_grid_select(PmGrid *grid, const guint64 *keys, guint n);
void pm_grid_select_first(PmGrid *grid);
/* The item under the pointer (NULL = none) and its depth. */
gpointer pm_grid_get_hovered(PmGrid *grid, guint *ret_depth);
/* Lights the rows of the top level with this key. */
void pm_grid_set_lit(PmGrid *grid, gboolean any, guint64 key);
/* Selects the next row (of the rows that are there) whose name matches; FALSE when none, when there
 * is no text, or when the grid is not on the screen. */
gboolean pm_grid_search(PmGrid *grid, const char *text, int direction);
/* The selected row to the clipboard, as text, columns by tabs, names guarded as in CSV; nothing
 * when none is. */
void pm_grid_copy(PmGrid *grid);

/* Menu buttons for the page's bar; owned by the caller as usual for new widgets. */
GtkWidget *pm_grid_sort_button(PmGrid *grid);
GtkWidget *pm_grid_columns_button(PmGrid *grid);

/* For tests: what row `position` shows in a column. Owned by the caller; NULL = no such row. */
char *pm_grid_cell_text(PmGrid *grid, guint position, const char *column_id);
guint pm_grid_n_rows(PmGrid *grid);
void pm_grid_sort_by(PmGrid *grid, const char *column_id, gboolean descending);
void pm_grid_set_column_shown(PmGrid *grid, const char *column_id, gboolean shown);
gboolean pm_grid_set_expanded(PmGrid *grid, guint position, gboolean expanded);
gpointer pm_grid_get_item(PmGrid *grid, guint position);
