/* The sortable, expandable, virtualised grid behind the pages Tree, Blockers, Threads and Memory. A
 * page gives a description (columns, children of an item) and data; the grid owns order, expansion,
 * selection, scrolling, the Sort and Columns menus, and keeps them when the data is replaced.
 *
 * Items are the page's own pointers into its data; the grid keeps the data alive as long as a row
 * shows one. Rows are created only when visible. Main thread only. */
#pragma once

#include <gtk/gtk.h>

typedef struct PmGridColumn PmGridColumn;
typedef struct PmGridShape PmGridShape;

typedef enum {
    PM_GRID_HIDDEN = 1 << 0, /* shown only when chosen in the Columns menu */
    PM_GRID_NAME = 1 << 1,   /* holds the expander; always shown */
    PM_GRID_WIDE = 1 << 2,   /* takes the free width */
    PM_GRID_SPARE = 1 << 3,  /* left out, last first, if the names would get too narrow */
    PM_GRID_BOUND = 1 << 4,  /* prefixed with "≥" if the row's numbers are lower bounds */
    PM_GRID_GUESS = 1 << 5,  /* prefixed with "~" if the row's number is not a measurement */
    PM_GRID_TIGHT = 1 << 6,  /* as narrow as its widget can be, if names had no room otherwise */
} PmGridColumnFlags;

/* The format of a column's values; all except text are right-aligned, and sorted in descending
 * order. */
typedef enum {
    PM_GRID_TEXT,
    PM_GRID_COUNT,     /* "24 118" */
    PM_GRID_MEAN,      /* "14.4" */
    PM_GRID_PERCENT,   /* of 1 */
    PM_GRID_OWN,       /* as `text` writes it */
    PM_GRID_TIME,      /* ns; one unit, suitable for most of the column */
    PM_GRID_TIME_MOST, /* ns; the unit of its biggest value */
    PM_GRID_TIME_ALL,  /* ns; the unit of its sum */
} PmGridUnit;

/* A number comes from `value`, or from the shape's `number` for the field of that name. */
struct PmGridColumn {
    const char *id, *title;
    const char *help; /* what it means: the title's tooltip */
    int width_px;     /* 0 = natural */
    guint flags;
    PmGridUnit unit;
    const char *field;
    double (*value)(gpointer item, gpointer data); /* NAN = unknown */
    /* Replaces the value; owned by the caller, which cleans it. */
    char *(*text)(gpointer item, gpointer data);
    /* (nullable) What a widget shows besides the value, for a screen reader: "lock". Borrowed. */
    const char *(*spoken)(gpointer item);
    /* A widget of its own in place of text. */
    GtkWidget *(*make)(void);
    void (*bind)(GtkWidget *widget, gpointer item, guint depth, gpointer data);
};

struct PmGridShape {
    const char *name; /* accessible name: "Waits by key" */
    const PmGridColumn *columns;
    guint n_columns;
    const char *sort_column; /* at first */
    gboolean is_tree;
    /* Items under `item` (NULL = the top); borrowed. */
    gpointer *(*children)(gpointer item, gpointer data, guint *ret_n);
    gboolean (*has_children)(gpointer item, gpointer data);
    /* Identity of an item among its siblings, the same in the next data. */
    guint64 (*key)(gpointer item);
    /* (nullable) Sorted after all others, whatever the column. */
    gboolean (*is_last)(gpointer item);
    /* (nullable) Its numbers are lower bounds. */
    gboolean (*is_bound)(gpointer item);
    /* (nullable) Whether its number in a column with PM_GRID_GUESS is not a measurement. */
    gboolean (*is_guess)(gpointer item, gpointer data);
    /* For columns with a field: called once for each, then for every value. */
    gconstpointer (*find_field)(const char *name);
    double (*number)(gconstpointer field, gpointer item);
    /* (nullable) Draws what lies under the text of a row, over the width of the axis. */
    void (*draw_strip)(GtkSnapshot *snapshot, const graphene_rect_t *bounds, gpointer item,
                       gpointer data);
    /* What the strip has at a part of its width, with a strip only; owned by the caller. */
    char *(*tell_strip)(double part, gpointer item, gpointer data);
    /* Clears data, which lies in a box of g_rc_box_new(). */
    GDestroyNotify clear_data;
};

#define PM_TYPE_GRID (pm_grid_get_type())
G_DECLARE_FINAL_TYPE(PmGrid, pm_grid, PM, GRID, GtkWidget)

/* Signals:
 *   void (*selected)(PmGrid *grid)   the user chose another row, or none
 *   void (*activated)(PmGrid *grid)  Enter or double click on a row without children
 *   void (*hovered)(PmGrid *grid)    the pointer is over another row
 *   void (*pointed)(PmGrid *grid, double part)   it is over a part of a strip's width, or left it:
 *                                                below 0 */
PmGrid *pm_grid_new(const PmGridShape *shape);

/* The widget of the same window under which strips lie, whatever the width of the grid. */
void pm_grid_set_axis(PmGrid *grid, GtkWidget *axis);
/* For tests: the strip of the row at `position`, in the grid's coordinates; FALSE = not drawn. */
gboolean pm_grid_strip_bounds(PmGrid *grid, guint position, graphene_rect_t *ret_bounds);

/* Takes the box. NULL = empty. `keep_order`: known rows keep their positions (while a range is
 * dragged). */
void pm_grid_set_data(PmGrid *grid, gpointer data, gboolean keep_order);

/* The items from the top to the selected one; 0 = nothing is selected. */
guint pm_grid_get_selected(PmGrid *grid, gpointer *ret_items, guint max);
/* Selects by the keys from the top, expands the rows above and scrolls there. FALSE if not found. n
 * == 0 clears. Emits nothing. */
gboolean pm_grid_select(PmGrid *grid, const guint64 *keys, guint n);
void pm_grid_select_first(PmGrid *grid);
/* The item under the pointer (NULL = none). */
gpointer pm_grid_get_hovered(PmGrid *grid);
/* Lights the rows of the top level with this key. */
void pm_grid_set_lit(PmGrid *grid, gboolean any, guint64 key);
/* Selects the next row (of the rows that are there) whose name matches; FALSE if there is none, no
 * text, or the grid is not on the screen. */
gboolean pm_grid_search(PmGrid *grid, const char *text, int direction);
/* How many rows match, and the position of the selected one among them (from 1; 0 = it does not
 * match). */
guint pm_grid_count_matches(PmGrid *grid, const char *text, guint *ret_at);
/* What can be done with the row that has the focus, as a menu beside it; nothing if none has. */
void pm_grid_popup_menu(PmGrid *grid);
/* Copies the selected row to the clipboard, as text with tab-separated columns, names guarded as in
 * CSV; nothing if none is selected. */
void pm_grid_copy(PmGrid *grid);

/* Menu buttons for the page's bar; owned by the caller as usual for new widgets. */
GtkWidget *pm_grid_sort_button(PmGrid *grid);
GtkWidget *pm_grid_columns_button(PmGrid *grid);

/* For tests: the text of row `position` in a column. Owned by the caller; NULL = no such row. */
char *pm_grid_cell_text(PmGrid *grid, guint position, const char *column_id);
guint pm_grid_n_rows(PmGrid *grid);
void pm_grid_sort_by(PmGrid *grid, const char *column_id, gboolean descending);
void pm_grid_set_column_shown(PmGrid *grid, const char *column_id, gboolean shown);
gboolean pm_grid_set_expanded(PmGrid *grid, guint position, gboolean expanded);
gpointer pm_grid_get_item(PmGrid *grid, guint position);
