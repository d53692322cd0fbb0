#include "viewer/ui/detail-pane.h"

GtkWidget *pm_detail_pane_new(PmState *state)
{
    return gtk_label_new("Detail");
}
