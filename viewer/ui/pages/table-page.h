/* The common part of the pages Tree, Blockers, Threads and Memory: a bar, a grid, the search, the
 * selection and the empty state. A page is a PmTableKind: its columns, the source of its rows, and
 * what a row means to the state. */
#pragma once

#include "viewer/ui/pages/scaffold.h"
#include "viewer/ui/grid/grid.h"

typedef struct {
    const PmGridShape *shape;
    guint changes;     /* PmChange or-ed: after these the rows are out of date */
    gboolean of_waits; /* if the view has no waits, the page says why it is empty */
    /* (nullable) The grid's data from the current state; NULL = nothing. `ret_count` is set to the
     * bar's text about it, owned by the caller. */
    gpointer (*rows)(PmState *state, char **ret_count);
    /* (nullable) Computes rows, or more of them, on a worker; see job.h. */
    gpointer (*question)(PmState *state); /* NULL = nothing to ask about */
    PmJobRun run;
    GDestroyNotify free_question, free_answer;
    /* As `rows`; takes the answer. */
    gpointer (*answered)(PmState *state, gpointer answer, char **ret_count);
    /* (nullable) There are no rows: shows the state text that says why. */
    void (*explain)(PmScaffold *page, PmState *state);
    /* The user chose the last of the items, the path to it from the top. */
    void (*chosen)(PmState *state, gpointer *items, guint n);
    /* Selects the row of the state's selection; FALSE if there is none. */
    gboolean (*select)(PmState *state, PmGrid *grid);
    /* (nullable) The pointer is over the item, NULL = over none. */
    void (*hovered)(PmState *state, gpointer item);
} PmTableKind;

#define PM_TYPE_TABLE_PAGE (pm_table_page_get_type())
G_DECLARE_FINAL_TYPE(PmTablePage, pm_table_page, PM, TABLE_PAGE, PmScaffold)

/* `kind` is static. `start`: the widget at the start of the bar; NULL = the number of rows. */
GtkWidget *pm_table_page_new(PmState *state, const PmTableKind *kind, GtkWidget *start);
PmGrid *pm_table_page_get_grid(PmTablePage *page);
