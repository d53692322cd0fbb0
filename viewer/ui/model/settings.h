/* Settings that persist between runs: light or dark, the window's size. A key file in the user's
 * configuration folder; unreadable or unwritable is treated as empty. Main thread only. */
#pragma once

#include <glib.h>

typedef struct {
    gboolean dark;
    int width, height; /* of the window; 0 = none kept */
} PmSettings;

void pm_settings_load(PmSettings *ret_settings);
void pm_settings_save(const PmSettings *settings);
