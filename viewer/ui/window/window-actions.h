/* The actions of a window, "win.…", for keys, menus and buttons, enabled depending on its state. */
#pragma once

#include "viewer/ui/window/window.h"

/* Once, by whoever makes the window. */
void pm_window_actions_add(PmWindow *window);
