/* Text for people: to the host's stderr, or a file. Any thread. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Waits for a reader until then, in all; PM_ERROR_IO: not all of it was written. */
int pm_output_write(int fd, const char *bytes, size_t size, int64_t until_ns);
