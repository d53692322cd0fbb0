/* Patterns in which `*` stands for any run of characters: category table, chips, accounts. */
#pragma once

#include <glib.h>

/* Case-sensitive, whole text, no escapes. Cost: linear but for patterns with many stars. */
gboolean pm_glob_match(const char *pattern, const char *text);
