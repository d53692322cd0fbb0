/* Settings that persist between runs: light or dark, if somebody chose, and the window's size. A
 * key file in the user's configuration folder; unreadable or unwritable is treated as empty. Main
 * thread only. */
#pragma once

#include <glib.h>

typedef enum {
    PM_SCHEME_DESKTOP, /* as everything else there */
    PM_SCHEME_LIGHT,
    PM_SCHEME_DARK,
} PmScheme;

typedef struct {
    PmScheme scheme;
    int width, height; /* of the window; 0 = none kept */
} PmSettings;

void pm_settings_load(PmSettings *ret_settings);
void pm_settings_save(const PmSettings *settings);
