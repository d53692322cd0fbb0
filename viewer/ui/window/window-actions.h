/* What keys, menus and buttons do in a window: the actions "win.…", enabled as its state allows. */
#pragma once

#include "viewer/ui/window/window.h"

/* Once, by whoever makes the window. */
void pm_window_actions_add(PmWindow *window);
