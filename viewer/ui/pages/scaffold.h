/* The base of every page and pane: a PmState that it follows, a stack of its content and of an
 * empty state that says why there is none, a job for work that takes longer than a frame, actions
 * ("page.…") and keys. While hidden it computes nothing; it catches up when it is shown.
 *
 * A page is a subclass: it builds its content, calls pm_scaffold_set_up() and overrides `show`.
 * Main thread only. */
#pragma once

#include <gtk/gtk.h>

#include "viewer/ui/model/job.h"
#include "viewer/ui/model/state-text.h"
#include "viewer/ui/model/state.h"

#define PM_TYPE_SCAFFOLD (pm_scaffold_get_type())
G_DECLARE_DERIVABLE_TYPE(PmScaffold, pm_scaffold, PM, SCAFFOLD, GtkWidget)

struct _PmScaffoldClass {
    GtkWidgetClass parent_class;
    /* Shows the current state. Called only while the page is visible. */
    void (*show)(PmScaffold *scaffold);
    /* (nullable) Called after each change of the state, visible or not, before `show`. */
    void (*changed)(PmScaffold *scaffold, guint mask);
};

/* `bar` (nullable) stays above the content and the empty state. `changes`: PmChange or-ed; after
 * one of them the page is shown again. */
void pm_scaffold_set_up(PmScaffold *scaffold, PmState *state, GtkWidget *bar, GtkWidget *content,
                        guint changes);
/* Takes the job, which ends with the page. */
void pm_scaffold_set_job(PmScaffold *scaffold, PmJob *job);
/* `data` is passed to the actions. */
void pm_scaffold_add_actions(PmScaffold *scaffold, const GActionEntry *entries, int n_entries,
                             gpointer data);

/* Borrowed; NULL before set-up and after disposal. */
PmState *pm_scaffold_get_state(PmScaffold *scaffold);
GActionMap *pm_scaffold_get_actions(PmScaffold *scaffold);

/* Shows the content; or why there is none, if no wait matches range and filters (FALSE). */
gboolean pm_scaffold_show_waits(PmScaffold *scaffold);
/* Shows an empty state, with `pairs` as in pm_state_page_show(). */
void pm_scaffold_show_state(PmScaffold *scaffold, PmStateId id, const char *const *pairs);
void pm_scaffold_show_content(PmScaffold *scaffold);
/* The bar goes with the content; an empty state that another choice in it would end shows it. */
void pm_scaffold_show_bar(PmScaffold *scaffold, gboolean shown);
