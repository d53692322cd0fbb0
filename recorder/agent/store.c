#include "recorder/agent/store.h"

#include <string.h>

int pm_store_init(struct pm_store *store, size_t capacity)
{
    int error = pm_room_init(&store->room, capacity);
    store->base = store->room.base;
    pm_store_empty(store);
    return error;
}

void pm_store_clear(struct pm_store *store)
{
    pm_room_clear(&store->room);
    store->base = NULL;
    pm_store_empty(store);
}

void pm_store_empty(struct pm_store *store)
{
    memset(store->free, 0, sizeof store->free);
    atomic_store(&store->used, 0);
    atomic_store(&store->available, 0);
}

static size_t units_of(size_t bytes)
{
    return (bytes + PM_STORE_UNIT - 1) / PM_STORE_UNIT;
}

static uint32_t *piece_at(const struct pm_store *store, uint32_t unit)
{
    return (uint32_t *)(void *)(store->base + (size_t)unit * PM_STORE_UNIT);
}

/* A free piece begins with the next one of its size. */
static void push(struct pm_store *store, uint32_t unit, size_t units)
{
    *piece_at(store, unit) = store->free[units - 1];
    store->free[units - 1] = unit + 1;
    atomic_fetch_add(&store->available, units * PM_STORE_UNIT);
}

static void *pop(struct pm_store *store, size_t units)
{
    uint32_t unit = store->free[units - 1] - 1;
    store->free[units - 1] = *piece_at(store, unit);
    atomic_fetch_sub(&store->available, units * PM_STORE_UNIT);
    return piece_at(store, unit);
}

void *pm_store_append(struct pm_store *store, size_t bytes)
{
    size_t used = atomic_load_explicit(&store->used, memory_order_relaxed);
    size_t units = units_of(bytes);
    if (units && units <= PM_STORE_SIZES && store->free[units - 1])
        return pop(store, units);
    if (pm_room_open(&store->room, used + units * PM_STORE_UNIT)) {
        atomic_store_explicit(&store->used, used + units * PM_STORE_UNIT, memory_order_release);
        return store->base + used;
    }
    for (size_t larger = units + 1; larger <= PM_STORE_SIZES; larger++) {
        if (store->free[larger - 1]) {
            char *piece = pop(store, larger);
            push(store, (uint32_t)((size_t)(piece - store->base) / PM_STORE_UNIT + units),
                 larger - units);
            return piece;
        }
    }
    return NULL;
}

void pm_store_give_back(struct pm_store *store, const void *piece, size_t bytes)
{
    size_t unit = (size_t)((const char *)piece - store->base) / PM_STORE_UNIT;
    for (size_t units = units_of(bytes), part; units; units -= part, unit += part) {
        part = units < PM_STORE_SIZES ? units : PM_STORE_SIZES;
        push(store, (uint32_t)unit, part);
    }
}

bool pm_store_is_pressed(const struct pm_store *store)
{
    return atomic_load(&store->used) - atomic_load(&store->available) >
           pm_room_limit(&store->room) / 4 * 3;
}
