/* The actions "win.…" of a PmWindow. */
#pragma once

#include "viewer/ui/window/window.h"

void pm_window_add_actions(PmWindow *window);
/* Enables what makes sense now. */
void pm_window_update_actions(PmWindow *window);
