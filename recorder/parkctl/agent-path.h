/* Where the recorder's library is: next to parkctl in a build tree, or as installed. */
#pragma once

#include <glib.h>

/* Absolute path of libparkmeter.so; NULL after a complaint. Owned. */
char *pm_agent_path_find(void);
