/* Hash functions for keys that consist of two ids, one in each half of 64 bits. GLib's own
 * functions use only the lower half, so keys that differ only in the upper half, such as those of
 * one object and many threads, would collide. */
#pragma once

#include <glib.h>

static inline guint pm_pair_mix(guint64 key)
{
    return (guint)(key * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15) >> 32);
}

/* For keys that are pairs, like g_direct_hash. */
static inline guint pm_pair_hash(gconstpointer key)
{
    return pm_pair_mix(GPOINTER_TO_SIZE(key));
}

/* For pointers to pairs, like g_int64_hash. */
static inline guint pm_pair_at_hash(gconstpointer key)
{
    return pm_pair_mix(*(const guint64 *)key);
}
