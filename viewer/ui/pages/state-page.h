/* The empty state of a page: title, body and actions of a state text. */
#pragma once

#include <gtk/gtk.h>

#include "viewer/ui/model/state-text.h"
#include "viewer/ui/model/state.h"

#define PM_TYPE_STATE_PAGE (pm_state_page_get_type())
G_DECLARE_FINAL_TYPE(PmStatePage, pm_state_page, PM, STATE_PAGE, GtkWidget)

GtkWidget *pm_state_page_new(void);
/* `pairs`: name, value, …, NULL for the {names} in the text; may be NULL. */
void pm_state_page_show(PmStatePage *page, PmStateId state, const char *const *pairs);
/* An additional button of the owner after those of the state. */
void pm_state_page_add(PmStatePage *page, GtkWidget *button);
PmStateId pm_state_page_get(PmStatePage *page);
/* Shows why a page about waits has nothing to show; FALSE if it has something. */
gboolean pm_state_page_explain(PmStatePage *page, PmState *state);
