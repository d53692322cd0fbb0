#include "recorder/agent/base/arena.h"

#include <string.h>

int pm_arena_init(struct pm_arena *store, size_t capacity)
{
    int error = pm_reservation_init(&store->room, capacity);
    store->base = store->room.base;
    pm_arena_empty(store);
    return error;
}

void pm_arena_clear(struct pm_arena *store)
{
    pm_reservation_clear(&store->room);
    store->base = NULL;
    pm_arena_empty(store);
}

void pm_arena_empty(struct pm_arena *store)
{
    memset(store->free, 0, sizeof store->free);
    atomic_store(&store->used, 0);
    atomic_store(&store->available, 0);
}

static size_t units_of(size_t bytes)
{
    return (bytes + PM_ARENA_UNIT - 1) / PM_ARENA_UNIT;
}

static uint32_t *piece_at(const struct pm_arena *store, uint32_t unit)
{
    return (uint32_t *)(void *)(store->base + (size_t)unit * PM_ARENA_UNIT);
}

/* A free piece begins with the next one of its size. */
static void push(struct pm_arena *store, uint32_t unit, size_t units)
{
    *piece_at(store, unit) = store->free[units - 1];
    store->free[units - 1] = unit + 1;
    atomic_fetch_add(&store->available, units * PM_ARENA_UNIT);
}

static void *pop(struct pm_arena *store, size_t units)
{
    uint32_t unit = store->free[units - 1] - 1;
    store->free[units - 1] = *piece_at(store, unit);
    atomic_fetch_sub(&store->available, units * PM_ARENA_UNIT);
    return piece_at(store, unit);
}

void *pm_arena_append(struct pm_arena *store, size_t bytes)
{
    size_t used = atomic_load_explicit(&store->used, memory_order_relaxed);
    size_t units = units_of(bytes);
    if (units && units <= PM_ARENA_SIZES && store->free[units - 1])
        return pop(store, units);
    if (pm_reservation_open(&store->room, used + units * PM_ARENA_UNIT)) {
        atomic_store_explicit(&store->used, used + units * PM_ARENA_UNIT, memory_order_release);
        return store->base + used;
    }
    for (size_t larger = units + 1; larger <= PM_ARENA_SIZES; larger++) {
        if (store->free[larger - 1]) {
            char *piece = pop(store, larger);
            push(store, (uint32_t)((size_t)(piece - store->base) / PM_ARENA_UNIT + units),
                 larger - units);
            return piece;
        }
    }
    return NULL;
}

void pm_arena_give_back(struct pm_arena *store, const void *piece, size_t bytes)
{
    size_t unit = (size_t)((const char *)piece - store->base) / PM_ARENA_UNIT;
    for (size_t units = units_of(bytes), part; units; units -= part, unit += part) {
        part = units < PM_ARENA_SIZES ? units : PM_ARENA_SIZES;
        push(store, (uint32_t)unit, part);
    }
}

bool pm_arena_is_pressed(const struct pm_arena *store)
{
    return atomic_load(&store->used) - atomic_load(&store->available) >
           pm_reservation_limit(&store->room) / 4 * 3;
}
