#include "recorder/agent/base/sparse-table.h"

#include <unistd.h>

#define MAX_PARTS 64

int pm_sparse_table_init(struct pm_sparse_table *spread, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    spread->shift = 0;
    while ((size_t)1 << spread->shift < page || bytes > (size_t)MAX_PARTS << spread->shift)
        spread->shift++;
    atomic_store(&spread->open, 0);
    return pm_reservation_init(&spread->room, bytes);
}

void pm_sparse_table_clear(struct pm_sparse_table *spread)
{
    atomic_store(&spread->open, 0);
    pm_reservation_clear(&spread->room);
}

void *pm_sparse_table_open(struct pm_sparse_table *spread, size_t offset)
{
    void *at = pm_sparse_table_at(spread, offset);
    if (__builtin_expect(at != NULL, 1))
        return at;
    size_t part = offset >> spread->shift;
    size_t first = part << spread->shift, bytes = (size_t)1 << spread->shift;
    if (first >= spread->room.size)
        return NULL;
    if (bytes > spread->room.size - first)
        bytes = spread->room.size - first;
    if (!pm_reservation_open_part(&spread->room, first, bytes))
        return NULL;
    atomic_fetch_or_explicit(&spread->open, UINT64_C(1) << part, memory_order_acq_rel);
    return spread->room.base + offset;
}
