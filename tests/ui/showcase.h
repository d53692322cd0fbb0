/* Recordings in which each page of the window has something to show. */
#pragma once

#include <glib.h>

/* FALSE: no such kind. Failures to write abort. */
gboolean pm_showcase_write(const char *kind, const char *path);
