/* The program: options, one window per recording, pictures for scripts. */
#pragma once

#include <adwaita.h>

#define PM_TYPE_APPLICATION (pm_application_get_type())
G_DECLARE_FINAL_TYPE(PmApplication, pm_application, PM, APPLICATION, AdwApplication)

PmApplication *pm_application_new(void);
/* After g_application_run: 1 if something requested by an option failed. */
int pm_application_status(PmApplication *application);
