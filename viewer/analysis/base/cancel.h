/* A flag that asks a long computation to stop: set by any thread, polled by the computation. */
#pragma once

#include <glib.h>

/* NULL: it cannot be cancelled. */
static inline gboolean pm_cancelled(const gint *cancel)
{
    return cancel && g_atomic_int_get(cancel) != 0;
}
