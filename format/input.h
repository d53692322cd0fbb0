/* The input of a program: a file name, or "-" for standard input. Not for the agent. */
#pragma once

#include "format/stream.h"

/* As pm_source_open. Input from a pipe is first copied completely to an unnamed file in $TMPDIR or
 * /var/tmp, which becomes standard input: it can be opened again. */
int pm_input_open(const char *path, struct pm_source *ret_source, struct pm_error_info *ret_info);
