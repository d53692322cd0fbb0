/* Arrays in a hash table. */
#pragma once

#include <glib.h>

/* For g_hash_table_foreach over arrays of instants, or of what begins with one. */
void pm_arrays_sort_instants(gpointer key, gpointer value, gpointer data);
/* The table's array under a key, made when it is asked for first. */
GArray *pm_arrays_at(GHashTable *arrays, gpointer key, guint element_size);
