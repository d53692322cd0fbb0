#include "viewer/ui/threads-page.h"

GtkWidget *pm_threads_page_new(PmState *state)
{
    return gtk_label_new("Threads");
}
