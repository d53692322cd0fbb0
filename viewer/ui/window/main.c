/* Where the program starts. */
#include <locale.h>

#include "viewer/ui/window/application.h"

int main(int argc, char **argv)
{
    /* Words sort and dates are parted as the user likes it, but numbers have the point that
     * parkctl, the exports and the recording's own texts have, on every screen. */
    setlocale(LC_ALL, "");
    setlocale(LC_NUMERIC, "C");
    gtk_disable_setlocale();
    g_autoptr(PmApplication) application = pm_application_new();
    int status = g_application_run(G_APPLICATION(application), argc, argv);

    return status != 0 ? status : pm_application_status(application);
}
