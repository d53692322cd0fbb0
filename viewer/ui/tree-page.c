#include "viewer/ui/tree-page.h"

GtkWidget *pm_tree_page_new(PmState *state)
{
    return gtk_label_new("Tree");
}
