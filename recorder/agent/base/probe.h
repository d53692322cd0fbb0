/* Reads memory of this process that may no longer be mapped, such as that of a thread that has just
 * ended: the kernel copies it, and returns an error instead of raising a signal. About a
 * microsecond. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* False, with `to` undefined: it is not mapped, or the kernel denies access. */
bool pm_probe_read(uintptr_t from, void *to, size_t size);
