/* Patterns in which `*` matches any text: category table, chips, accounts. */
#pragma once

#include <glib.h>

/* Case-sensitive, whole text, no escapes. Cost: linear, except for patterns with many stars. */
gboolean pm_glob_match(const char *pattern, const char *text);
