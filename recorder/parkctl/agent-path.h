/* The location of the recorder's library: next to parkctl in a build tree, or as installed. */
#pragma once

#include <glib.h>

/* Absolute path of libparkmeter.so; NULL after an error message. Owned. */
char *pm_agent_path_find(void);
