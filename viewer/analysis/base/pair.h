/* Hash tables under two ids at once, the one in the upper half of a key. GLib's own functions look
 * at the lower half alone: with many objects of which each thread knows one, all of a thread's keys
 * would lie in one place, and be passed one by one. */
#pragma once

#include <glib.h>

static inline guint pm_pair_mix(guint64 key)
{
    return (guint)(key * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15) >> 32);
}

/* Of keys that are pairs, as g_direct_hash. */
static inline guint pm_pair_hash(gconstpointer key)
{
    return pm_pair_mix(GPOINTER_TO_SIZE(key));
}

/* Of pointers to pairs, as g_int64_hash. */
static inline guint pm_pair_at_hash(gconstpointer key)
{
    return pm_pair_mix(*(const guint64 *)key);
}
