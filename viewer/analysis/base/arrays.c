#include "viewer/analysis/base/arrays.h"

#include "viewer/analysis/base/sort.h"

void pm_arrays_sort_instants(gpointer key, gpointer value, gpointer data)
{
    g_array_sort(value, pm_compare_instants);
}

GArray *pm_arrays_at(GHashTable *arrays, gpointer key, guint element_size)
{
    GArray *array = g_hash_table_lookup(arrays, key);
    if (!array) {
        array = g_array_new(FALSE, FALSE, element_size);
        g_hash_table_insert(arrays, key, array);
    }
    return array;
}
