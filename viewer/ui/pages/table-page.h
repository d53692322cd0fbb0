/* The scaffold of the pages Tree, Blockers, Threads and Memory: a bar, a grid, the search, the
 * selection and the empty state. A page is a PmTableKind: its columns, where its rows come from,
 * and what a row means to the state. */
#pragma once

#include "viewer/ui/pages/scaffold.h"
#include "viewer/ui/widgets/grid.h"

typedef struct {
    const PmGridShape *shape;
    guint changes;     /* PmChange or-ed: after these the rows are out of date */
    gboolean of_waits; /* without a wait in the view the page says why it is empty */
    /* (nullable) The grid's data from what the state holds now; NULL = nothing. `ret_count` is set
     * to what the bar says of it, owned by the caller. */
    gpointer (*rows)(PmState *state, char **ret_count);
    /* (nullable) What is asked of a worker for rows, or for more of them; see job.h. */
    gpointer (*question)(PmState *state); /* NULL = nothing to ask about */
    PmJobRun run;
    GDestroyNotify free_question, free_answer;
    /* As `rows`; takes the answer. */
    gpointer (*answered)(PmState *state, gpointer answer, char **ret_count);
    /* (nullable) There are no rows to that question: shows the state text that says why. */
    void (*explain)(PmScaffold *page, PmState *state);
    /* The user chose the last of the items, the path to it from the top. */
    void (*chosen)(PmState *state, gpointer *items, guint n);
    /* Selects the row of the state's selection; FALSE when there is none. */
    gboolean (*select)(PmState *state, PmGrid *grid);
    /* (nullable) The pointer is over the item, NULL = over none. */
    void (*hovered)(PmState *state, gpointer item);
} PmTableKind;

#define PM_TYPE_TABLE_PAGE (pm_table_page_get_type())
G_DECLARE_FINAL_TYPE(PmTablePage, pm_table_page, PM, TABLE_PAGE, PmScaffold)

/* `kind` is static. `start`: the begin of the bar; NULL = how many rows there are. */
GtkWidget *pm_table_page_new(PmState *state, const PmTableKind *kind, GtkWidget *start);
PmGrid *pm_table_page_get_grid(PmTablePage *page);
