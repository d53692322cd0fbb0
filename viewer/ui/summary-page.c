#include "viewer/ui/summary-page.h"

GtkWidget *pm_summary_page_new(PmState *state)
{
    return gtk_label_new("Summary");
}

GtkWidget *pm_summary_side_new(PmState *state)
{
    return gtk_label_new("Where threads spend their time");
}
