/* What a program is given to read: a file by its name, or "-", standard input. Not for the agent.
 */
#pragma once

#include "format/stream.h"

/* As pm_source_open. What comes through a pipe is first copied, to its end, into a file without a
 * name in $TMPDIR or /var/tmp. */
int pm_input_open(const char *path, struct pm_source *ret_source, struct pm_error_info *ret_info);
