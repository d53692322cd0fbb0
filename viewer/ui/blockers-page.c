#include "viewer/ui/blockers-page.h"

GtkWidget *pm_blockers_page_new(PmState *state)
{
    return gtk_label_new("Blockers");
}
