/* The page "Summary". */
#pragma once

#include <gtk/gtk.h>

#include "viewer/analysis/evidence/finding.h"
#include "viewer/ui/model/state.h"

GtkWidget *pm_summary_page_new(PmState *state);
/* What Enter does on a finding's card: shows its waits by their causes, or the page Memory. */
void pm_summary_prove(PmState *state, const PmFinding *finding);
