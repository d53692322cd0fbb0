#include "recorder/agent/store.h"

#include <sys/mman.h>

#include "format/error.h"

void *pm_reserve(size_t bytes)
{
    void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return NULL;
    madvise(base, bytes, MADV_NOHUGEPAGE); /* a page touched, not two megabytes */
    return base;
}

void pm_unreserve(void *base, size_t bytes)
{
    if (base)
        munmap(base, bytes);
}

int pm_store_init(struct pm_store *store, size_t capacity)
{
    store->base = pm_reserve(capacity);
    store->capacity = store->base ? capacity : 0;
    atomic_store(&store->used, 0);
    return store->base ? 0 : PM_ERROR_MEMORY;
}

void pm_store_clear(struct pm_store *store)
{
    pm_unreserve(store->base, store->capacity);
    store->base = NULL;
    store->capacity = 0;
    atomic_store(&store->used, 0);
}

void *pm_store_append(struct pm_store *store, size_t bytes)
{
    size_t used = atomic_load_explicit(&store->used, memory_order_relaxed);
    bytes = (bytes + 7) & ~(size_t)7;
    if (bytes > store->capacity - used)
        return NULL;
    atomic_store_explicit(&store->used, used + bytes, memory_order_release);
    return store->base + used;
}
