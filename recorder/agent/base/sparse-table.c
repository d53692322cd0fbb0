#include "recorder/agent/base/sparse-table.h"

#include <unistd.h>

#define MAX_PARTS 64

int pm_sparse_table_init(struct pm_sparse_table *table, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    table->shift = 0;
    while ((size_t)1 << table->shift < page || bytes > (size_t)MAX_PARTS << table->shift)
        table->shift++;
    atomic_store(&table->open, 0);
    return pm_reservation_init(&table->reservation, bytes);
}

void pm_sparse_table_clear(struct pm_sparse_table *table)
{
    atomic_store(&table->open, 0);
    pm_reservation_clear(&table->reservation);
}

void *pm_sparse_table_open(struct pm_sparse_table *table, size_t offset)
{
    void *at = pm_sparse_table_at(table, offset);
    if (__builtin_expect(at != NULL, 1))
        return at;
    size_t part = offset >> table->shift;
    size_t first = part << table->shift, bytes = (size_t)1 << table->shift;
    if (first >= table->reservation.size)
        return NULL;
    if (bytes > table->reservation.size - first)
        bytes = table->reservation.size - first;
    if (!pm_reservation_open_part(&table->reservation, first, bytes))
        return NULL;
    uint64_t bit = UINT64_C(1) << part;
    if (!(atomic_fetch_or_explicit(&table->open, bit, memory_order_acq_rel) & bit))
        atomic_fetch_add_explicit(&table->reservation.in_parts, bytes, memory_order_relaxed);
    return table->reservation.base + offset;
}
