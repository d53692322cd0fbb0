/* Reads memory of this process that may not be there any more, as that of a thread that has just
 * ended: a copy by the kernel, which says so instead of raising a signal. About a microsecond. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* False, and `to` is undefined: it is not there, or the kernel is not allowed to say. */
bool pm_probe_read(uintptr_t from, void *to, size_t size);
