#include "viewer/ui/application.h"

int main(int argc, char **argv)
{
    g_autoptr(PmApplication) application = pm_application_new();
    int status = g_application_run(G_APPLICATION(application), argc, argv);

    return status != 0 ? status : pm_application_status(application);
}
